//! Canonical digests: the contents of a document, without its layout.
//!
//! Two documents with the same digest differ in nothing but layout, no matter how much of them the
//! comparison by meaning understands. All bytes count, except those that the table in
//! [`diff`](super) lists as layout. So bytes that are not decoded (a gap, a damaged table, an
//! unknown format) are part of the digest.

use std::collections::{HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::names::{identity, is_located};
use zeview_core::analysis::assembly::{Assembly, Shape, Shapes};
use zeview_core::analysis::linkage::Tables;
use zeview_core::model::{Area, Document, Node, NodeKind, PAGE, Span, sort};

/// A digest of 128 bits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(super) struct Digest(u64, u64);

/// The error for a document that exceeds its budget, or cannot be read.
#[derive(Debug)]
pub(super) struct BudgetExceeded;

/// Budget per byte of the file, in bytes: for its own bytes, and those that several parts share.
const TIMES: u64 = 16;
/// Budget that is always available, in bytes.
const MORE: u64 = 16 << 20;
/// Cost of a node, in bytes.
const NODE: u64 = 8;
/// Maximum depth at which nodes are expanded; deeper ones count by their bytes.
const DEPTH_MAX: u32 = 160;
/// Maximum length of a read, in bytes.
const PIECE: u64 = 256 << 10;

/// Two hashes of the same input with different keys.
struct Mixer(DefaultHasher, DefaultHasher);

impl Mixer {
    fn new(tag: u8) -> Mixer {
        let mut mixer = Mixer(DefaultHasher::new(), DefaultHasher::new());
        // Any number, so that the two hashes differ.
        mixer.1.write_u64(0x9e37_79b9_7f4a_7c15);
        mixer.add(&tag);
        mixer
    }

    fn add(&mut self, value: &(impl Hash + ?Sized)) {
        value.hash(&mut self.0);
        value.hash(&mut self.1);
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0.write(bytes);
        self.1.write(bytes);
    }

    fn finish(self) -> Digest {
        Digest(self.0.finish(), self.1.finish())
    }
}

/// Kinds of digests, so that digests of different kinds never match.
mod tag {
    pub const BYTES: u8 = 0;
    pub const CODE: u8 = 1;
    pub const ORDERED: u8 = 2;
    pub const UNORDERED: u8 = 3;
    pub const REFERENCE: u8 = 4;
    pub const NODE: u8 = 5;
}

/// The targets of references within a document.
#[derive(Default)]
struct Scope {
    /// Section names that occur more than once: a reference to one counts by its index.
    ambiguous_sections: HashSet<String>,
    /// Symbol names that occur more than once.
    ambiguous_symbols: HashSet<String>,
    /// The names of the sections, by index.
    names: Vec<String>,
    /// The spans of the sections with their indices, sorted.
    places: Vec<(Span, usize)>,
    /// Sections of code.
    code: HashMap<Span, Rc<dyn Assembly>>,
}

impl Scope {
    fn new(tables: Option<&Tables>, assembly: Option<Rc<dyn Assembly>>) -> Scope {
        let mut scope = Scope::default();
        if let Some(tables) = tables {
            scope.names = tables.sections.iter().map(|s| s.name.clone()).collect();
            scope.ambiguous_sections = repeated(scope.names.iter());
            scope.ambiguous_symbols = repeated(tables.symbols.iter().map(|s| &s.name));
            let places = tables.sections.iter().enumerate();
            scope.places = places.map(|(at, section)| (section.bytes, at)).collect();
            sort::ascending(&mut scope.places);
            if tables.left_out > 0 {
                // A name that was not read may be a duplicate.
                scope.names.clear();
            }
        }
        for section in assembly.iter().flat_map(|assembly| {
            let sections = assembly.sections();
            sections.iter().map(|s| s.bytes).collect::<Vec<_>>()
        }) {
            if let Some(assembly) = &assembly {
                scope.code.insert(section, Rc::clone(assembly));
            }
        }
        scope
    }

    /// Whether exactly one section has the name.
    fn is_section(&self, name: &str) -> bool {
        !self.names.is_empty() && !name.is_empty() && !self.ambiguous_sections.contains(name)
    }

    /// The section that contains the first byte of a span, and the byte's offset in it.
    fn place(&self, span: Span) -> Option<(&str, u64)> {
        let after = self
            .places
            .partition_point(|(bytes, _)| (bytes.source, bytes.start) <= (span.source, span.start));
        let (bytes, at) = self.places.get(after.checked_sub(1)?)?;
        let name = self.names.get(*at)?;
        let is_inside = bytes.source == span.source && span.start <= bytes.end;
        (is_inside && self.is_section(name)).then(|| (name.as_str(), span.start - bytes.start))
    }
}

fn repeated<'s>(names: impl Iterator<Item = &'s String>) -> HashSet<String> {
    let mut seen: HashSet<&str> = HashSet::new();
    let names = names.filter(|name| !name.is_empty());
    names.filter(|name| !seen.insert(name)).cloned().collect()
}

/// The part of a node that counts.
pub(super) enum Content {
    /// Its bytes, or the target that they refer to.
    Whole,
    /// Its children, except for layout. `is_ordered`: their order counts.
    Children {
        children: Vec<(Node, Digest)>,
        is_ordered: bool,
    },
}

/// Computes the digests of one document.
pub(super) struct Digester<'d> {
    document: &'d Document,
    renumbered: bool,
    /// The remaining budget, in bytes.
    left: u64,
    scopes: Vec<Scope>,
    depth: u32,
    /// Whether the current node is the header of a section with contents.
    is_header_of_contents: bool,
}

impl<'d> Digester<'d> {
    /// Creates a digester. `renumbered` ignores the numbers of registers and scoreboard tokens.
    pub(super) fn new(document: &'d Document, renumbered: bool) -> Digester<'d> {
        let size = document.root().span.map_or(0, Span::len);
        Digester {
            document,
            renumbered,
            left: size.saturating_mul(TIMES).saturating_add(MORE),
            scopes: Vec::new(),
            depth: 0,
            is_header_of_contents: false,
        }
    }

    fn spend(&mut self, cost: u64) -> Result<(), BudgetExceeded> {
        self.left = self.left.checked_sub(cost).ok_or(BudgetExceeded)?;
        Ok(())
    }

    /// Returns the digest of a node, or `None` if all of it is layout.
    ///
    /// # Errors
    ///
    /// If the document exceeds its budget.
    pub(super) fn digest(&mut self, node: &Node) -> Result<Option<Digest>, BudgetExceeded> {
        self.spend(NODE)?;
        if matches!(
            node.kind,
            NodeKind::Padding | NodeKind::Derived | NodeKind::Syntax
        ) {
            return Ok(None);
        }
        let is_scope = self.enter(node);
        self.depth += 1;
        let digest = self.content_digest(node);
        self.depth -= 1;
        if is_scope {
            self.scopes.pop();
        }
        digest
    }

    /// Enters the scope of a document. Returns whether the node is one.
    pub(super) fn enter(&mut self, node: &Node) -> bool {
        if node.kind != NodeKind::File {
            return false;
        }
        let of = self.document.interfaces_of(node);
        let assembly = of.assembly;
        let tables = of
            .linkage
            .map(|linkage| linkage.tables(&self.document.sources));
        self.scopes.push(Scope::new(tables.as_deref(), assembly));
        true
    }

    /// Leaves the innermost scope.
    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    fn content_digest(&mut self, node: &Node) -> Result<Option<Digest>, BudgetExceeded> {
        let mark = self.document.registry.mark();
        let content = self.content(node);
        self.document.registry.release(mark);
        let content = match content? {
            Content::Whole => self.whole(node)?,
            Content::Children {
                children,
                is_ordered: true,
            } => {
                let mut mixer = Mixer::new(tag::ORDERED);
                for (_, digest) in &children {
                    mixer.add(digest);
                }
                Some(mixer.finish())
            }
            Content::Children { children, .. } => {
                let mut digests: Vec<Digest> = children.into_iter().map(|(_, d)| d).collect();
                sort::ascending(&mut digests);
                let mut mixer = Mixer::new(tag::UNORDERED);
                mixer.add(&digests);
                Some(mixer.finish())
            }
        };
        // The offsets of a record's texts are layout; the texts are not.
        let texts = |why: &str| matches!(why, "metadata" | "key" | "value");
        let mut referred = Vec::new();
        for xref in node.xrefs.iter().filter(|xref| texts(&xref.why)) {
            referred.push(self.bytes(xref.to)?);
        }
        Ok(content.map(|content| {
            let mut mixer = Mixer::new(tag::NODE);
            // The name of a document is that of its file, or a number.
            if node.kind != NodeKind::File {
                mixer.add(&*node.name);
            }
            mixer.add(&content);
            for referred in &referred {
                mixer.add(referred);
            }
            mixer.finish()
        }))
    }

    /// Determines the part of a node that counts.
    ///
    /// # Errors
    ///
    /// If the document exceeds its budget.
    pub(super) fn content(&mut self, node: &Node) -> Result<Content, BudgetExceeded> {
        let count = self.document.written(node);
        let is_code = node.span.is_some_and(|span| self.assembly(span).is_some());
        // The comparison by meaning takes these as bytes as well.
        let is_opaque = matches!(node.area, Area::Ir | Area::Debug);
        if count == 0 || is_code || is_opaque || self.depth > DEPTH_MAX || self.is_damaged(node) {
            return Ok(Content::Whole);
        }
        let mut is_ordered = !is_unordered(node);
        let is_list = node.kind == NodeKind::Sequence;
        let is_header_of_contents = node.xrefs.iter().any(|xref| xref.why == "contents");
        if node.kind == NodeKind::File {
            is_ordered = self.document.interfaces_of(node).linkage.is_none();
        }
        let mut children = Vec::new();
        let mut at = 0;
        while at < count {
            let end = count.min(at.saturating_add(PAGE));
            let page = self.document.make(node, at..end);
            self.spend(page.len() as u64 * NODE)?;
            // The word also has the reserved bits, which its parts leave out.
            if at == 0 && page.iter().any(|child| child.bits.is_some()) {
                return Ok(Content::Whole);
            }
            if at == 0
                && is_list
                && let Some(first) = page.first()
            {
                let entries = self.document.written(first).min(PAGE);
                // Without an identity, entries are matched by their order.
                is_ordered = identity(&self.document.make(first, 0..entries)).is_none();
            }
            for child in page {
                self.is_header_of_contents = is_header_of_contents;
                if let Some(digest) = self.digest(&child)? {
                    children.push((child, digest));
                }
            }
            at = end;
        }
        Ok(Content::Children {
            children,
            is_ordered,
        })
    }

    /// Whether compressed bytes could not be decompressed properly; then they count themselves.
    fn is_damaged(&self, node: &Node) -> bool {
        node.kind == NodeKind::Packed
            && node
                .span
                .is_none_or(|span| self.document.diagnostics_in(span).next().is_some())
    }

    fn assembly(&self, code: Span) -> Option<&Rc<dyn Assembly>> {
        self.scopes
            .last()?
            .code
            .get(&code)
            .filter(|_| !code.is_empty())
    }

    /// Returns the digest of a node that is not expanded.
    fn whole(&mut self, node: &Node) -> Result<Option<Digest>, BudgetExceeded> {
        let Some(span) = node.span else {
            return Ok(None);
        };
        if let Some(assembly) = self.assembly(span).cloned()
            && let Some(digest) = self.code(&*assembly, span)?
        {
            return Ok(Some(digest));
        }
        if let Some(reference) = self.reference(node)? {
            return Ok(reference);
        }
        self.bytes(span).map(Some)
    }

    /// Returns the digest of a field's target, if the target's position is layout, or `None` if the
    /// field's bytes count.
    fn reference(&mut self, node: &Node) -> Result<Option<Option<Digest>>, BudgetExceeded> {
        if node.kind != NodeKind::Field || node.area == Area::Meta {
            return Ok(None);
        }
        if is_located(&node.name) || node.area == Area::Header && node.name == "offset" {
            return Ok(Some(None));
        }
        let xref = |whys: &[&str]| node.xrefs.iter().find(|xref| whys.contains(&&*xref.why));
        let named = |name: &str| {
            let mut mixer = Mixer::new(tag::REFERENCE);
            mixer.add(name);
            Some(Some(mixer.finish()))
        };
        let scope = self.scopes.last();
        let is_section = |name: &str| scope.is_some_and(|scope| scope.is_section(name));
        match &*node.name {
            "sh_link" | "sh_info" | "st_shndx" => {
                let xref = xref(&["sh_link", "sh_info", "section"]);
                let name = xref
                    .map(|xref| &*xref.label)
                    .filter(|name| is_section(name));
                Ok(name.map(named).unwrap_or_default())
            }
            // The contents count, regardless of their size.
            "sh_size" if self.is_header_of_contents => Ok(Some(None)),
            "e_shstrndx" => {
                let index = node.value.as_u64().and_then(|at| usize::try_from(at).ok());
                let name = index.and_then(|at| scope?.names.get(at));
                let name = name.filter(|name| is_section(name));
                Ok(name.and_then(|name| named(name)))
            }
            "p_offset" => {
                let start = node.value.as_u64();
                let root = self.document.root().span.unwrap_or_default();
                let place = start.and_then(|start| scope?.place(root.subspan(start, 1)));
                Ok(place.map(|(name, at)| {
                    let mut mixer = Mixer::new(tag::REFERENCE);
                    mixer.add(name);
                    mixer.add(&at);
                    Some(mixer.finish())
                }))
            }
            "sh_name" | "st_name" => match xref(&["name"]).map(|xref| xref.to) {
                Some(to) => Ok(Some(Some(self.bytes(to)?))),
                None => Ok(None),
            },
            "r_info" => self.relocation_info(node),
            _ => Ok(None),
        }
    }

    /// Returns the digest of a relocation's type and the name of its symbol.
    fn relocation_info(&mut self, node: &Node) -> Result<Option<Option<Digest>>, BudgetExceeded> {
        let count = self.document.count(node);
        let parts = self.document.make(node, 0..count.min(PAGE));
        self.spend(parts.len() as u64 * NODE)?;
        let [kind, symbol] = &*parts else {
            return Ok(None);
        };
        let name = symbol.xrefs.iter().find(|xref| xref.why == "symbol");
        let Some(name) = name
            .map(|xref| &*xref.label)
            .filter(|name| !name.is_empty())
        else {
            return Ok(None);
        };
        let scope = self.scopes.last().filter(|scope| !scope.names.is_empty());
        if scope.is_none_or(|scope| scope.ambiguous_symbols.contains(name)) {
            return Ok(None);
        }
        let mut mixer = Mixer::new(tag::REFERENCE);
        mixer.add(&kind.value.as_u64());
        mixer.add(name);
        Ok(Some(Some(mixer.finish())))
    }

    /// Returns the digest of a section of code. Zero bytes after the last instruction do not count;
    /// with `renumbered`, neither do the numbers of registers and tokens.
    fn code(
        &mut self,
        assembly: &dyn Assembly,
        span: Span,
    ) -> Result<Option<Digest>, BudgetExceeded> {
        if !self.renumbered {
            return self.bytes(self.without_zeros(span)?).map(Some);
        }
        self.spend(span.len())?;
        let sources = &self.document.sources;
        let Ok(listing) = assembly.listing(span, None, sources) else {
            return Ok(None);
        };
        let mut mixer = Mixer::new(tag::CODE);
        mixer.add(&listing.encoding());
        let mut stream = Stream::new(mixer);
        listing.shapes(true, sources, &mut stream);
        let mut mixer = stream.finish();
        // The rest is shorter than an instruction.
        let last = listing.count().checked_sub(1);
        let last = last.and_then(|row| listing.span(row, sources));
        let rest = span.skip(last.map_or(0, |last| last.end - span.start));
        mixer.add(&*sources.read(rest).map_err(|_| BudgetExceeded)?);
        Ok(Some(mixer.finish()))
    }

    /// Strips the zero bytes at the end of a span.
    fn without_zeros(&self, span: Span) -> Result<Span, BudgetExceeded> {
        let mut end = span.len();
        while end > 0 {
            let length = PIECE.min(end);
            let piece = self
                .document
                .sources
                .read(span.subspan(end - length, length));
            let piece = piece.map_err(|_| BudgetExceeded)?;
            let zeros = piece.iter().rev().take_while(|byte| **byte == 0).count() as u64;
            end -= zeros;
            if zeros < length {
                break;
            }
        }
        Ok(span.subspan(0, end))
    }

    /// Returns the digest of the bytes themselves.
    pub(super) fn bytes(&mut self, span: Span) -> Result<Digest, BudgetExceeded> {
        self.spend(span.len())?;
        let mut mixer = Mixer::new(tag::BYTES);
        mixer.add(&span.len());
        let mut at = 0;
        while at < span.len() {
            let piece = self.document.sources.read(span.subspan(at, PIECE));
            mixer.write(&piece.map_err(|_| BudgetExceeded)?);
            at = at.saturating_add(PIECE);
        }
        Ok(mixer.finish())
    }
}

/// Receives the instructions of some code, without register numbers.
struct Stream {
    mixer: Mixer,
    /// The offset of each instruction.
    starts: Vec<i32>,
    /// The branch targets, in order.
    targets: Vec<i32>,
    /// Number of zero words since the last other one.
    zeros: u64,
}

impl Stream {
    fn new(mixer: Mixer) -> Stream {
        Stream {
            mixer,
            starts: Vec::new(),
            targets: Vec::new(),
            zeros: 0,
        }
    }

    fn finish(mut self) -> Mixer {
        for target in self.targets {
            let row = self.starts.partition_point(|start| *start < target);
            // Within an instruction, or outside of the code, the offset counts.
            if self.starts.get(row) == Some(&target) {
                self.mixer.add(&(row, 0_i32))
            } else {
                self.mixer.add(&(row, target))
            }
        }
        self.mixer
    }
}

impl Shapes for Stream {
    fn repeated(&mut self, _at: i32, _word: u128) -> bool {
        false
    }

    fn shape(&mut self, _word: Option<u128>, shape: &Shape<'_>) -> bool {
        self.starts.push(shape.at);
        if shape.counts.padding > 0 {
            self.zeros += 1;
            return true;
        }
        self.mixer.add(&std::mem::take(&mut self.zeros));
        self.mixer.add(&shape.targets.len());
        self.mixer.add(shape.text);
        self.targets.extend(shape.targets);
        true
    }
}

/// Whether the order of a node's children is layout.
fn is_unordered(node: &Node) -> bool {
    match node.kind {
        NodeKind::Mapping => true,
        NodeKind::Table => node.area == Area::Symbol || node.name == "section headers",
        _ => false,
    }
}
