//! Figures of a kernel's code for the kernel table, the same for all formats with code.

use zeview_core::analysis::assembly::{Listing, Mix};
#[cfg(not(target_arch = "wasm32"))]
use zeview_core::analysis::kernels::{CodeFigures, CodeResult, CodeTask};
use zeview_core::model::Sources;
#[cfg(not(target_arch = "wasm32"))]
use zeview_core::model::{MemorySource, SourceId, Span};
use zeview_isa::Code;
#[cfg(not(target_arch = "wasm32"))]
use zeview_isa::{Decoder, Platform};

/// Returns the instruction mix of a section of code. Saves around calls are no spills.
pub(crate) fn mix(listing: &Code, sources: &Sources) -> Mix {
    let mut tally = listing.tally(sources);
    tally.step(u64::MAX, sources);
    tally.mix().without_saves(listing, sources)
}

/// Returns the task that computes the figures of the code at `code`: its data flow, or its mix.
/// Returns `None` if the code cannot be read.
#[cfg(not(target_arch = "wasm32"))]
pub(crate) fn task(
    platform: Platform,
    code: Span,
    is_flow: bool,
    sources: &Sources,
) -> Option<CodeTask> {
    // The task runs on another thread, and sources cannot be shared.
    let bytes = sources.read(code).ok()?.to_vec();
    Some(Box::new(move || {
        let sources = Sources::new("", Box::new(MemorySource::from(bytes)));
        let own = sources.whole(SourceId::FILE);
        let listing = Code::new(Some(Decoder::of(platform)), own, &sources);
        let figures = if is_flow {
            CodeFigures::Flow(Box::new(listing.data_flow(&sources)?.counts()))
        } else {
            CodeFigures::Mix(Box::new(mix(&listing, &sources)))
        };
        Some(CodeResult { code, figures })
    }))
}
