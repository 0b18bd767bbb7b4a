//! The parts of a container in byte order, and the bytes between them.

use std::cmp::Reverse;
use std::fmt::{self, Display, Formatter};
use std::ops::Range;

use super::context::Context;
use super::limits;
use super::rules;
use super::text::plural;
use zeview_core::model::sort;
use zeview_core::model::{Doc, Expand, Node, Rows, SourceId, Sources, Span};

/// Maximum number of owners returned for one byte: in a hostile file, all parts may claim it.
const OWNERS: usize = 8;

const PADDING_DOC: Doc = Doc::new("Zero bytes that align the next part.", "");
const GAP_DOC: Doc = Doc::new("Nothing in the file refers to these bytes.", "");

/// A part of a container, or the bytes between two. A container may have thousands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Its first byte.
    pub start: u64,
    /// The byte after the last one.
    pub end: u64,
    /// Its id, assigned by the container, or [`PADDING`] or [`GAP`].
    pub id: u64,
}

/// Zero bytes up to the next part.
pub const PADDING: u64 = u64::MAX;
/// Bytes that nothing refers to.
pub const GAP: u64 = u64::MAX - 1;

const INDEX: u64 = (1 << 56) - 1;

/// The id of a part: its kind in the highest byte, and its index among parts of that kind.
pub const fn id(kind: u8, index: u64) -> u64 {
    ((kind as u64) << 56) | (index & INDEX)
}

/// The kind and the index of an [`id`].
pub fn split(id: u64) -> (u8, u64) {
    (u8::try_from(id >> 56).unwrap_or(0), id & INDEX)
}

impl Region {
    /// The bytes of a span.
    pub fn new(id: u64, span: Span) -> Region {
        let Span { start, end, .. } = span;
        Region { start, end, id }
    }

    /// Returns whether the region has exactly these bytes.
    pub fn is(self, span: Span) -> bool {
        (self.start, self.end) == (span.start, span.end)
    }

    fn is_empty(self) -> bool {
        self.start == self.end
    }

    fn contains(self, offset: u64) -> bool {
        (self.start..self.end).contains(&offset)
    }
}

/// Ownership of bytes that several parts claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overlap {
    /// Every part keeps them; empty parts are kept, too.
    Shared,
    /// As for `Shared`. Bytes that no part claims may be files that no list of the package has.
    Package,
    /// The first part keeps them. Others are shortened, and dropped if nothing is left.
    First,
}

/// The parts of a container in file order; together they cover every byte of it.
#[derive(Debug, Default)]
pub struct Regions {
    source: SourceId,
    list: Vec<Region>,
    /// Whether some regions start before their predecessor ends.
    overlapping: bool,
}

impl Regions {
    /// Sorts the parts of `whole`, clips them to it, and fills the holes between them. Reports
    /// overlaps and gaps; `name` describes a part in the report.
    pub fn arrange(
        cx: &Context<'_>,
        whole: Span,
        mut claims: Vec<Region>,
        overlap: Overlap,
        name: &dyn Fn(u64) -> String,
    ) -> Regions {
        for claim in &mut claims {
            claim.start = claim.start.clamp(whole.start, whole.end);
            claim.end = claim.end.min(whole.end).max(claim.start);
        }
        // A part precedes the parts in it, which are more specific.
        sort::by_key(&mut claims, |r| (r.start, Reverse(r.end), r.id));
        let mut regions = Regions {
            source: whole.source,
            list: Vec::with_capacity(claims.len()),
            overlapping: false,
        };
        let mut holes = 0;
        // The part that extends furthest so far, and the end of the overlaps already counted.
        let mut last: Option<Region> = None;
        let mut counted = whole.start;
        for claim in claims {
            if claim.is_empty() {
                if overlap != Overlap::First {
                    regions.list.push(claim);
                }
                continue;
            }
            let at = last.map_or(whole.start, |last| last.end);
            if at < claim.start {
                holes += 1;
                let hole = Span::new(whole.source, at, claim.start);
                regions.fill(cx, hole, holes <= limits::HOLES, overlap);
            } else if let Some(before) = last.filter(|_| claim.start < at) {
                regions.overlapping = true;
                let shared = Span::new(whole.source, claim.start, claim.end.min(at));
                let rule = match overlap {
                    Overlap::First => &rules::SHARED_BYTES,
                    Overlap::Shared | Overlap::Package => {
                        // A byte that three parts claim counts once.
                        cx.overlap(shared.end.saturating_sub(shared.start.max(counted)));
                        counted = counted.max(shared.end);
                        &rules::OVERLAP
                    }
                };
                let span = |region: Region| Span::new(whole.source, region.start, region.end);
                let message = Sharing {
                    name,
                    ids: [before.id, claim.id],
                    bytes: shared.len(),
                };
                cx.report_with(
                    rule,
                    shared,
                    message,
                    &[(span(before), "the first"), (span(claim), "the second")],
                    None,
                );
            }
            let start = match overlap {
                Overlap::Shared | Overlap::Package => claim.start,
                Overlap::First => claim.start.max(at),
            };
            if start < claim.end {
                let part = Region { start, ..claim };
                regions.list.push(part);
                if at < part.end {
                    last = Some(part);
                }
            }
        }
        let end = last.map_or(whole.start, |last| last.end);
        if end < whole.end {
            let hole = Span::new(whole.source, end, whole.end);
            // This hole is not counted yet.
            regions.fill(cx, hole, holes < limits::HOLES, overlap);
        }
        regions
    }

    /// Fills a hole between parts; the filler precedes empty parts in the hole.
    fn fill(&mut self, cx: &Context<'_>, hole: Span, may_read: bool, overlap: Overlap) {
        let is_padding = may_read && hole.len() <= limits::PADDING && is_zero(cx.sources, hole);
        let id = if is_padding {
            cx.padding(hole);
            PADDING
        } else {
            cx.gap(hole);
            if overlap != Overlap::Package || !report_gap(cx, hole) {
                cx.report(&rules::GAP, hole, plural(hole.len(), "unreferenced byte"));
            }
            GAP
        };
        let after = |region: &&Region| region.is_empty() && region.start >= hole.start;
        let behind = self.list.iter().rev().take_while(after).count();
        let at = self.list.len() - behind;
        self.list.insert(at, Region::new(id, hole));
    }

    /// Number of regions.
    pub fn region_count(&self) -> u64 {
        self.list.len() as u64
    }

    /// The id and the bytes of the region at `index`. Returns `None` if it is out of range.
    pub fn get(&self, index: u64) -> Option<(u64, Span)> {
        let region = self.list.get(usize::try_from(index).ok()?)?;
        let span = Span::new(self.source, region.start, region.end);
        Some((region.id, span))
    }

    /// All regions.
    pub fn list(&self) -> &[Region] {
        &self.list
    }

    /// Index of the region that contains the byte, if no regions overlap.
    pub fn index_at(&self, offset: u64) -> u64 {
        self.list.partition_point(|region| region.end <= offset) as u64
    }

    /// Indices of the regions that contain the byte, the most specific first.
    pub fn owners(&self, offset: u64) -> Vec<u64> {
        let after = self.list.partition_point(|r| r.start <= offset);
        let before = self.list.get(..after).unwrap_or(&[]);
        let indices = before.iter().enumerate().rev();
        let index = |(index, _): (usize, &Region)| index as u64;
        if self.overlapping {
            // The last region that starts before the byte is the most specific one.
            let owners = indices.filter(|(_, r)| r.contains(offset));
            return owners.map(index).take(OWNERS).collect();
        }
        // Empty regions may lie between the byte and the region that contains it.
        let mut owners = indices.skip_while(|(_, r)| r.is_empty());
        let owner = owners.next().filter(|(_, r)| r.contains(offset));
        owner.map(index).into_iter().collect()
    }
}

/// Message for parts that share bytes. Names may be long: they are only formatted when displayed.
struct Sharing<'a> {
    name: &'a dyn Fn(u64) -> String,
    ids: [u64; 2],
    bytes: u64,
}

impl Display for Sharing<'_> {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let [first, second] = self.ids.map(self.name);
        write!(
            f,
            "{first} and {second} overlap in {}",
            plural(self.bytes, "byte")
        )
    }
}

/// Maximum number of zeros that are read to tell that nothing is hidden in a gap, in bytes.
const ZEROS_MAX: u64 = 1 << 20;

/// Reports the bytes between the files of a package, unless they are zero. Returns whether they
/// were reported.
pub fn report_gap(cx: &Context<'_>, gap: Span) -> bool {
    if gap.is_empty() || gap.len() <= ZEROS_MAX && is_zero(cx.sources, gap) {
        return false;
    }
    let bytes = plural(gap.len(), "byte");
    let message = format_args!("{bytes} that no entry of the package has: not read");
    cx.report(&rules::PACKAGE_GAP, gap, message);
    true
}

/// Returns whether all bytes are zero.
pub fn is_zero(sources: &Sources, span: Span) -> bool {
    sources
        .read(span)
        .is_ok_and(|bytes| bytes.iter().all(|b| *b == 0))
}

/// The row of a hole between parts. Returns `None` for a part.
pub fn filler(id: u64, span: Span) -> Option<Node> {
    match id {
        PADDING => Some(Node::padding(span).doc(&PADDING_DOC)),
        GAP => Some(Node::gap("gap", span).doc(&GAP_DOC)),
        _ => None,
    }
}

/// The parts of a container whose rows exist already; parts may share bytes.
#[derive(Debug)]
pub struct Layout {
    regions: Regions,
    parts: Vec<Node>,
}

impl Layout {
    /// Sorts `parts`, as [`Regions::arrange`].
    pub fn arrange(cx: &Context<'_>, whole: Span, mut parts: Vec<Node>) -> Layout {
        let claims = (0..).zip(&parts);
        let claims = claims.filter_map(|(id, part)| Some(Region::new(id, part.span?)));
        let name = |id: u64| {
            let part = usize::try_from(id).ok().and_then(|at| parts.get(at));
            part.map_or_else(String::new, |part| part.name.to_string())
        };
        let regions = Regions::arrange(cx, whole, claims.collect(), Overlap::Shared, &name);
        for (id, span) in (0..regions.region_count()).filter_map(|at| regions.get(at)) {
            if let Some(part) = usize::try_from(id).ok().and_then(|at| parts.get_mut(at)) {
                part.span = Some(span);
            }
        }
        Layout { regions, parts }
    }

    /// Number of rows.
    pub fn region_count(&self) -> u64 {
        self.regions.region_count()
    }
}

impl Expand for Layout {
    fn count(&self, _item: u64, _sources: &Sources) -> u64 {
        self.region_count()
    }

    fn rows(&self, _item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        for (id, span) in range.filter_map(|at| self.regions.get(at)) {
            let part = || self.parts.get(usize::try_from(id).ok()?).cloned();
            out.extend(filler(id, span).or_else(part));
        }
    }

    fn index_at(&self, _item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        Some(self.regions.owners(offset))
    }
}
