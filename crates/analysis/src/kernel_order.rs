//! An alternative order of a file's tree: by kernel.
//!
//! A section that is named after a kernel belongs to it, and so do the relocations of such a
//! section. A part that many kernels share (`.ze_info`, the symbol table) belongs to the rest; its
//! entries about a single kernel are also parts of that kernel.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::rc::Rc;

use zeview_core::analysis::kernels::{KernelRow, SECTION_PREFIXES};
use zeview_core::model::{Document, Node, NodeId, PAGE, Span, sort};

/// A part of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KernelPart {
    /// A part of the file: its index among the children of the root.
    Whole(u64),
    /// An entry of a shared part: its bytes.
    Entry(Span),
}

/// The position of a part in this order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KernelPosition {
    /// The index of the kernel in its list; `None` for the rest.
    pub kernel: Option<u64>,
    /// The index among the parts of the kernel, or of the rest.
    pub index: u64,
}

/// The assignment of a file's parts to kernels.
pub struct KernelOrder {
    kernels: Rc<Vec<KernelRow>>,
    /// The parts of all kernels, grouped by kernel.
    parts: Vec<KernelPart>,
    /// The end of each kernel's parts.
    ends: Vec<usize>,
    /// The parts of the file that belong to no kernel.
    rest: Vec<u64>,
    /// The position of each part of the file.
    places: Vec<KernelPosition>,
    /// The bytes of each part of the file.
    spans: Vec<Option<Span>>,
    /// The position of each entry.
    entries: HashMap<Span, KernelPosition>,
}

/// The order of a kernel's parts: attributes, code, relocations, symbols and descriptions, then
/// sections with data about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    Attributes,
    Code,
    Relocations,
    Mention,
    Data,
}

/// Assigns the parts of the opened file to its kernels; recomputed on each call, from all
/// children of the root. Returns `None` for a file without native kernels.
pub fn kernel_order(document: &Document) -> Option<KernelOrder> {
    // A module of SPIR-V has no parts of its own for each kernel.
    let kernels = document.kernels(NodeId::ROOT)?;
    if document.is_spirv(NodeId::ROOT) {
        return None;
    }
    let rows = kernels.rows(&document.sources);
    let mut builder = KernelOrderBuilder::new(&rows);
    for (place, row) in rows.iter().enumerate() {
        builder.add_entry(place, Rank::Attributes, row.entry);
        // If several kernels share a name, the first one gets the parts with the name.
        if builder.named.get(&*row.name.value) == Some(&place) {
            for span in kernels.mentions(row, &document.sources) {
                builder.add_entry(place, Rank::Mention, span);
            }
        }
    }
    let count = document.count(document.root());
    let mut start = 0;
    while start < count {
        let end = count.min(start.saturating_add(2 * PAGE));
        let mark = document.registry.mark();
        for node in document.make(document.root(), start..end) {
            builder.add_part(&node);
        }
        document.registry.release(mark);
        start = end;
    }
    let order = builder.finish(count);
    Some(KernelOrder {
        kernels: Rc::clone(&rows),
        ..order
    })
}

/// The state while a [`KernelOrder`] is built.
struct KernelOrderBuilder<'a> {
    /// The first kernel of each name.
    named: HashMap<&'a str, usize>,
    kernels: usize,
    parts: Vec<(usize, Rank, KernelPart)>,
    /// The entries that are already assigned.
    seen: HashSet<Span>,
    /// The kernels of the sections with code.
    code: HashMap<Span, usize>,
    /// Relocations that are not named after a kernel, and the sections that they patch.
    relocations: Vec<(u64, Span)>,
    /// The bytes of the parts seen so far.
    spans: Vec<Option<Span>>,
}

impl<'a> KernelOrderBuilder<'a> {
    fn new(rows: &'a [KernelRow]) -> KernelOrderBuilder<'a> {
        let mut named = HashMap::new();
        for (place, row) in rows.iter().enumerate() {
            if !row.name.value.is_empty() {
                named.entry(row.name.value.as_str()).or_insert(place);
            }
        }
        KernelOrderBuilder {
            named,
            kernels: rows.len(),
            parts: Vec::new(),
            seen: HashSet::new(),
            code: HashMap::new(),
            relocations: Vec::new(),
            spans: Vec::new(),
        }
    }

    /// Adds an entry, unless another kernel has it.
    fn add_entry(&mut self, kernel: usize, rank: Rank, span: Span) {
        if self.seen.insert(span) {
            self.parts.push((kernel, rank, KernelPart::Entry(span)));
        }
    }

    /// Adds the next part of the file, to the kernel that it belongs to, if any.
    fn add_part(&mut self, node: &Node) {
        self.spans.push(node.span);
        let prefixes = SECTION_PREFIXES.iter();
        let owner = prefixes.enumerate().find_map(|(nth, prefix)| {
            let kernel = *self.named.get(node.name.strip_prefix(prefix)?)?;
            Some((kernel, nth))
        });
        if let Some((kernel, nth)) = owner {
            let rank = match nth {
                0 => Rank::Code,
                1 | 2 => Rank::Relocations,
                _ => Rank::Data,
            };
            if let (Rank::Code, Some(span)) = (rank, node.span) {
                self.code.entry(span).or_insert(kernel);
            }
            let part = KernelPart::Whole(node.index);
            self.parts.push((kernel, rank, part));
        } else if let Some(patched) = node.xrefs.iter().find(|xref| xref.why == "patches") {
            self.relocations.push((node.index, patched.to));
        }
    }

    fn finish(mut self, count: u64) -> KernelOrder {
        for (index, patched) in &self.relocations {
            if let Some(kernel) = self.code.get(patched) {
                let part = KernelPart::Whole(*index);
                self.parts.push((*kernel, Rank::Relocations, part));
            }
        }
        sort::by_key(&mut self.parts, |(kernel, rank, _)| (*kernel, *rank));
        let unassigned = KernelPosition {
            kernel: None,
            index: 0,
        };
        let mut order = KernelOrder {
            kernels: Rc::default(),
            parts: Vec::with_capacity(self.parts.len()),
            ends: vec![0; self.kernels],
            rest: Vec::new(),
            places: vec![unassigned; usize::try_from(count).unwrap_or(0)],
            spans: self.spans,
            entries: HashMap::with_capacity(self.seen.len()),
        };
        let mut before = (0, 0);
        for (kernel, _, part) in self.parts {
            let index = match before {
                (same, index) if same == kernel => index,
                _ => 0,
            };
            before = (kernel, index + 1);
            let place = KernelPosition {
                kernel: Some(kernel as u64),
                index,
            };
            match part {
                KernelPart::Whole(part) => {
                    if let Some(at) = order.position_mut(part) {
                        *at = place;
                    }
                }
                KernelPart::Entry(span) => {
                    order.entries.insert(span, place);
                }
            }
            order.parts.push(part);
            if let Some(end) = order.ends.get_mut(kernel) {
                *end = order.parts.len();
            }
        }
        for (part, place) in (0..).zip(&mut order.places) {
            if place.kernel.is_none() {
                place.index = order.rest.len() as u64;
                order.rest.push(part);
            }
        }
        order
    }
}

impl KernelOrder {
    /// Returns the kernels, then the functions.
    pub fn kernels(&self) -> &[KernelRow] {
        &self.kernels
    }

    /// Returns the parts of a kernel by index. Each kernel has at least one: its entry in
    /// `.ze_info`.
    pub fn parts(&self, kernel: u64) -> &[KernelPart] {
        self.parts.get(self.range(kernel)).unwrap_or(&[])
    }

    /// Returns the parts of the file that belong to no kernel, as indices of children of the root.
    pub fn rest(&self) -> &[u64] {
        &self.rest
    }

    /// Returns the indices of the kernels with a part whose bytes satisfy `predicate`, ascending, and
    /// whether the rest has such a part.
    pub fn parts_with(&self, predicate: impl Fn(Span) -> bool) -> (Vec<u32>, bool) {
        let whole = |part: u64| {
            let span = self.spans.get(usize::try_from(part).ok()?)?;
            span.filter(|span| predicate(*span))
        };
        let is_part = |part: &KernelPart| match part {
            KernelPart::Whole(part) => whole(*part).is_some(),
            KernelPart::Entry(span) => predicate(*span),
        };
        let has_one = |kernel: &u32| self.parts((*kernel).into()).iter().any(is_part);
        let kernels = (0..).take(self.ends.len()).filter(has_one).collect();
        (kernels, self.rest.iter().any(|part| whole(*part).is_some()))
    }

    /// Returns the position of a part of the file by its index.
    pub fn position_of(&self, part: u64) -> Option<KernelPosition> {
        self.places.get(usize::try_from(part).ok()?).copied()
    }

    /// Returns the position of the entry with exactly these bytes, or `None` if it belongs to no
    /// kernel.
    pub fn position_of_entry(&self, span: Span) -> Option<KernelPosition> {
        self.entries.get(&span).copied()
    }

    fn position_mut(&mut self, part: u64) -> Option<&mut KernelPosition> {
        self.places.get_mut(usize::try_from(part).ok()?)
    }

    fn range(&self, kernel: u64) -> Range<usize> {
        let at = usize::try_from(kernel).unwrap_or(usize::MAX);
        let end = |at: usize| self.ends.get(at).copied().unwrap_or(0);
        at.checked_sub(1).map_or(0, end)..end(at)
    }
}
