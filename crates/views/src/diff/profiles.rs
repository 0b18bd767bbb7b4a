//! Compares the profiles of two builds: their kernels by name, and the instructions of each by the
//! comparison of code.

use super::code::{self, code_change};
use super::work::Work;
use zeview_analysis::profile::{CodeProfile, ProfileComparison, ProfileReport};
use zeview_core::model::{Document, Span};

/// Compares the profile of an earlier build, `before`, with that of a later one. Instructions that
/// are in one of the builds only have samples on one side. `encoding` is the name of an encoding or
/// a device; by default that of the device of each image.
pub fn compare_profiles(
    before: (&Document, &ProfileReport),
    after: (&Document, &ProfileReport),
    encoding: Option<&str>,
) -> ProfileComparison {
    let size = |document: &Document| document.root().span.map_or(0, Span::len);
    let mut work = Work::new(size(before.0).saturating_add(size(after.0)));
    let mut dictionary = code::Dictionary::default();
    let listing = |document: &Document, code: &CodeProfile| {
        let image = code.images.first()?;
        let assembly = document.assembly(image.document)?;
        let listing = assembly.listing(image.code, encoding, &document.sources);
        listing.ok()
    };
    let mut align = |one: &CodeProfile, other: &CodeProfile| {
        let (a, b) = (listing(before.0, one)?, listing(after.0, other)?);
        let sides = ((&a, &before.0.sources), (&b, &after.0.sources));
        let (change, _) = code_change(sides.0, sides.1, false, &mut dictionary, &mut work);
        let (start_a, start_b) = (a.code().start, b.code().start);
        let mut pairs = Vec::new();
        let mut hunks = change.hunks.iter().peekable();
        let (mut row_a, mut row_b) = (0_u32, 0_u32);
        while row_a < change.counts.0 && row_b < change.counts.1 {
            if let Some(hunk) = hunks.next_if(|hunk| hunk.a.start <= row_a) {
                (row_a, row_b) = (hunk.a.end, hunk.b.end);
                continue;
            }
            let span_a = a.span(row_a, &before.0.sources);
            let span_b = b.span(row_b, &after.0.sources);
            if let (Some(span_a), Some(span_b)) = (span_a, span_b) {
                pairs.push((
                    span_a.start.saturating_sub(start_a),
                    span_b.start.saturating_sub(start_b),
                ));
            }
            row_a += 1;
            row_b += 1;
        }
        Some(pairs)
    };
    ProfileComparison::of_builds(before.1, after.1, &mut align)
}
