//! The output of deflate streams as sources.

use super::UNPACKED;
use crate::compression::{self, DeflateStream};
use crate::text::plural;
use crate::{Context, limits, rules};
use zeview_core::model::{Sources, Span};

impl Context<'_> {
    /// Returns the output of a deflate stream, as a source that restores it on demand.
    pub(crate) fn stream(
        &self,
        name: &str,
        data: Span,
        size: u64,
        crc: Option<u32>,
    ) -> Option<Span> {
        let restored = self.restored(name, data, size, crc)?;
        Some(restored.keep(self.sources, data))
    }

    /// Begins to restore a deflate stream.
    pub(crate) fn restored(
        &self,
        name: &str,
        data: Span,
        size: u64,
        crc: Option<u32>,
    ) -> Option<Restored> {
        let most = compression::deflate_limit(data.len());
        if size > most {
            let message = format_args!(
                "{name}: {size} bytes decompressed are more than {} can contain",
                plural(data.len(), "byte")
            );
            self.report(&rules::PACKAGE_DAMAGED, data, message);
            return None;
        }
        let found = Restored::of(self.sources, data, size, crc);
        if found.is_none() {
            let message = format_args!(
                "{name}: too much of the package is decompressed already: this file is not"
            );
            self.report(&rules::UNPACKED_TOO_LARGE, data, message);
        }
        found
    }
}

/// The output of a deflate stream.
pub(crate) enum Restored {
    /// It is a source since an earlier reading.
    Before(Span),
    /// Its beginning was restored now. It is not a source yet.
    Now(DeflateStream),
}

impl Restored {
    /// Returns `None` if the output is more than the size of the package allows.
    pub(super) fn of(
        sources: &Sources,
        data: Span,
        size: u64,
        crc: Option<u32>,
    ) -> Option<Restored> {
        if let Some((whole, _)) = sources.unpacked_before(UNPACKED, data) {
            return Some(Restored::Before(whole));
        }
        if !sources.costs.work_on(data, size) {
            return None;
        }
        let stream = DeflateStream::new(data.len(), size, crc);
        stream.settle(limits::CHECKED, &|start, len| {
            sources.read(data.subspan(start, len))
        });
        Some(Restored::Now(stream))
    }

    /// Makes it a source, and returns all its bytes.
    pub(crate) fn keep(self, sources: &Sources, data: Span) -> Span {
        match self {
            Restored::Before(whole) => whole,
            Restored::Now(stream) => {
                let source = sources.stream(UNPACKED, Box::new(stream), data);
                sources.whole(source)
            }
        }
    }
}
