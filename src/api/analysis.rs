//! The summary of a kernel's data flow, with the figures that the file states.

use super::operations::{self, ApiError, KernelCode};
use crate::analysis::assembly::Listing;
use crate::decode::isa::Platform;
use crate::kernel_names::{Build, KernelQuery};
use crate::model::Document;
use crate::report::analysis::{BuildFigures, KernelAnalysis, Stated, other_builds, place_of};

/// Summarizes the data flow of the only build that a query names; with `has_others`, also of the others.
///
/// # Errors
///
/// As [`operations::listing`], and if the code cannot be read (`no-code`).
pub fn analyze(
    document: &mut Document,
    query: &KernelQuery,
    has_others: bool,
) -> Result<KernelAnalysis, ApiError> {
    let (build, listing) = operations::code_of(document, query)?;
    let code: KernelCode = (build.document, listing);
    let summary = operations::flow_summary(document, &code)?;
    let stated = Stated::of(&build, document);
    let others = has_others.then(|| {
        let others = other_builds(document, &build).into_iter();
        others
            .filter_map(|build| figures(document, build))
            .collect()
    });
    let register_bytes = register_bytes(&*code.1);
    let names = (build.name, build.path);
    Ok(KernelAnalysis::new(
        names,
        &stated,
        register_bytes,
        others,
        summary,
    ))
}

fn register_bytes(listing: &dyn Listing) -> u16 {
    let platform = listing.encoding().as_deref().and_then(Platform::named);
    platform.map_or(0, Platform::register_bytes)
}

fn figures(document: &mut Document, build: Build) -> Option<BuildFigures> {
    let listing = document.listing(build.document, build.code, None)?;
    let flow = listing.data_flow(&document.sources)?;
    let stated = Stated::of(&build, document);
    let place = place_of(&build);
    let names = [build.name, build.path, place];
    BuildFigures::new(names, &stated, &flow.report(), register_bytes(&*listing))
}
