//! The device code of each abstract module of the first generation: ranges of indices.

use std::ops::Range;

use crate::Context;
use crate::rules;
use zeview_core::model::{Span, Spanned};

/// The records of a list that abstract modules refer to.
pub struct Indices<'a> {
    cx: &'a Context<'a>,
    noun: &'static str,
    len: u64,
    /// Number of references that abstract modules may still make, in total.
    budget: u64,
    /// Differences between the reference counts of adjacent records.
    edges: Vec<i64>,
    /// The sum of all counts, and the modules with a count above 0.
    total: u64,
    owners: u64,
    all_zero: bool,
    /// The second such module, whose first index reveals the writer's bug.
    second: Option<(Span, u64)>,
}

impl<'a> Indices<'a> {
    /// Starts with `len` unreferenced records of this kind.
    pub fn new(cx: &'a Context<'_>, noun: &'static str, len: u64) -> Indices<'a> {
        Indices {
            cx,
            noun,
            len,
            budget: len.saturating_mul(4).saturating_add(1 << 16),
            edges: vec![0; usize::try_from(len).unwrap_or(0).saturating_add(1)],
            total: 0,
            owners: 0,
            all_zero: true,
            second: None,
        }
    }

    /// The range of an abstract module with this header, clipped to the existing records.
    pub fn range(
        &mut self,
        header: Span,
        first_field: Spanned<u64>,
        count_field: Spanned<u64>,
    ) -> Range<u32> {
        let (first, count) = (first_field.value, count_field.value);
        let (noun, len) = (self.noun, self.len);
        if first + count > len {
            self.cx.report_with(
                &rules::SYCLBIN_INDEX,
                count_field.span,
                format_args!(
                    "{count} {noun} from index {first} are out of range: the file has {len}"
                ),
                &[(first_field.span, "the first index")],
                None,
            );
        }
        if count > 0 {
            self.owners += 1;
            self.all_zero &= first == 0;
            if self.owners == 2 {
                self.second = Some((first_field.span, self.total));
            }
        }
        self.total = self.total.saturating_add(count);
        let (mut start, mut end) = (first.min(len), (first + count).min(len));
        if end - start > self.budget {
            let message = format_args!("too many abstract modules share {noun}");
            self.cx.report(&rules::TOO_MUCH, header, message);
            (start, end) = (0, 0);
        }
        self.budget -= end - start;
        for (at, change) in [(start, 1), (end, -1)] {
            if let Some(edge) = usize::try_from(at)
                .ok()
                .and_then(|at| self.edges.get_mut(at))
            {
                *edge += change;
            }
        }
        let small = |number: u64| u32::try_from(number).unwrap_or(u32::MAX);
        small(start)..small(end)
    }

    /// Reports the problems that are only known after all modules.
    pub fn finish(self, table: Span) {
        let noun = self.noun;
        if let Some((place, total)) = self.second
            && self.all_zero
        {
            self.cx.report_with(
                &rules::SYCLBIN_FIRST_INDEX,
                place,
                format_args!("the first index of {noun} is 0 in all abstract modules"),
                &[],
                Some(
                    format!(
                        "bug of the writer: the {noun} of this abstract module start \
                         at index {total}"
                    )
                    .into(),
                ),
            );
            return;
        }
        let mut owners = 0;
        for (edge, at) in self.edges.iter().zip(0..self.len) {
            owners += edge;
            if owners == 0 {
                self.cx.report(
                    &rules::SYCLBIN_UNUSED,
                    // The headers of both kinds have 32 bytes.
                    table.subspan(at * 32, 32),
                    format_args!("no abstract module refers to it"),
                );
            }
        }
    }
}
