//! The walk over the rows of a document, which adds all bytes to pieces.

use std::collections::VecDeque;
use std::hash::Hasher;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use super::{NameId, Owner, Part, Piece, PieceKey, Sizes};
use zeview_core::analysis::kernels::{KernelRow, Kernels, SECTION_PREFIXES};
use zeview_core::analysis::package::{FileStatus, PackageFiles};
use zeview_core::model::text::place_text;
use zeview_core::model::{
    Area, Capabilities, Content, Document, Fact, Node, NodeId, NodeKind, PAGE, SourceId, Sources,
    Span, sort,
};

/// Maximum depth of records and tables that are searched for nested documents.
const DEPTH_MAX: u32 = 4;
/// Maximum number of rows of a table that is searched for nested documents.
const ROWS_MAX: u64 = 1 << 20;
/// Maximum depth of nested documents; decoders open fewer.
const DOCUMENTS_MAX: u32 = 32;
/// Minimum length of code that is compared with other code, in bytes: shorter functions are alike
/// without being a waste.
const COPY_MIN: u64 = 256;
/// Number of bytes that are read at once.
const READ: u64 = 1 << 20;

/// Names of rows that only say that they are the contents of the row around them.
static GENERIC: [&str; 5] = ["data", "image", "code", "unpacked", "text"];

/// What is known of bytes from the rows around them.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) key: PieceKey,
    /// Whether the bytes are a copy of others.
    is_copy: bool,
    /// The kind of the innermost document.
    kind: Kind,
    /// The nearest name of a row that tells images apart.
    label: Rc<str>,
    /// Whether a host binary's index lists an image around the bytes.
    is_listed: bool,
    /// Number of documents around the bytes.
    depth: u32,
}

/// The kind of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// A program or library of the host, or an unknown file.
    Host,
    /// A container of other documents.
    Container,
    /// Device code.
    Image,
    /// SPIR-V, or other intermediate code.
    Intermediate,
}

/// A document that is opened later.
pub(super) struct Task {
    pub(super) node: Node,
    pub(super) place: Place,
    /// The part of its bytes that is counted here: others may claim the rest.
    pub(super) clip: Span,
}

/// Maximum number of documents that wait.
const TASKS_MAX: usize = 1 << 13;

/// The length of bytes, and two hashes of them.
type Digest = (u64, u64, u64);

/// Returns the digest of bytes; `None` if they cannot be read: then they are not compared.
fn digest(span: Span, sources: &Sources) -> Option<Digest> {
    let mut hashers = [
        foldhash::quality::FixedState::with_seed(1),
        foldhash::quality::FixedState::with_seed(2),
    ]
    .map(|state| std::hash::BuildHasher::build_hasher(&state));
    let mut at = 0;
    while at < span.len() {
        let bytes = sources.read(span.subspan(at, READ)).ok()?;
        for hasher in &mut hashers {
            hasher.write(&bytes);
        }
        at = at.saturating_add(READ);
    }
    let [a, b] = hashers.map(|hasher| hasher.finish());
    Some((span.len(), a, b))
}

/// The pieces found so far.
#[derive(Default)]
pub(super) struct Walk {
    pub(super) sizes: Sizes,
    places: HashMap<PieceKey, usize>,
    /// The bytes in the file of each source: its first and the one after its last.
    stored: HashMap<SourceId, (u64, u64, u64)>,
    pub(super) tasks: VecDeque<Task>,
    /// The stored bytes of files of packages that were opened, which are counted already.
    pub(super) opened: HashSet<Span>,
    /// Digests of code and images.
    known: HashSet<Digest>,
    /// Digests of files: a file may be an image, which is not a copy of itself.
    known_files: HashSet<Digest>,
    /// The number of bytes in pieces.
    pub(super) counted: u64,
    /// The number of bytes of the document that are in no file.
    pub(super) excluded: u64,
}

impl Place {
    pub(super) fn of_file(file: NameId) -> Place {
        Place {
            key: PieceKey {
                file,
                owner: Owner::Nobody,
                image: NameId::NONE,
                kernel: NameId::NONE,
                section: NameId::NONE,
                part: Part::Host,
            },
            is_copy: false,
            kind: Kind::Host,
            label: Rc::from(""),
            is_listed: false,
            depth: 0,
        }
    }

    fn part(&self, part: Part) -> Place {
        let key = PieceKey { part, ..self.key };
        Place {
            key,
            ..self.clone()
        }
    }

    fn section(&self, section: NameId) -> Place {
        let key = PieceKey {
            section,
            ..self.key
        };
        Place {
            key,
            ..self.clone()
        }
    }

    /// The kind of bytes without a row of their own.
    fn rest(&self) -> Part {
        match self.kind {
            Kind::Host => Part::Host,
            Kind::Container | Kind::Image => Part::Container,
            Kind::Intermediate => Part::Intermediate,
        }
    }

    /// The kind of the bytes of a row.
    fn part_of(&self, area: Area, kind: NodeKind) -> Part {
        if matches!(kind, NodeKind::Padding | NodeKind::Gap) {
            return match self.kind {
                Kind::Host => Part::Host,
                _ => Part::Container,
            };
        }
        match (self.kind, area) {
            // The index of device images, and their properties.
            (Kind::Host | Kind::Container, Area::Meta | Area::Note) => Part::Metadata,
            (Kind::Host, _) => Part::Host,
            (Kind::Container, Area::Ir) => Part::Intermediate,
            (Kind::Container, Area::Symbol) => Part::Symbols,
            (Kind::Container, _) => Part::Container,
            (Kind::Intermediate, _) => Part::Intermediate,
            (Kind::Image, Area::Code) => Part::Instructions,
            (Kind::Image, Area::Data) => Part::Data,
            (Kind::Image, Area::Meta | Area::Note) => Part::Metadata,
            (Kind::Image, Area::Symbol) => Part::Symbols,
            (Kind::Image, Area::Ir) => Part::Intermediate,
            (Kind::Image, Area::Debug) => Part::Debug,
            (Kind::Image, Area::Inherit | Area::Header | Area::Padding) => Part::Container,
        }
    }
}

/// Whether a part of a document with this area contains no documents.
fn is_plain(area: Area) -> bool {
    matches!(
        area,
        Area::Header | Area::Symbol | Area::Note | Area::Debug | Area::Meta | Area::Padding
    )
}

/// What a document is, from its summary.
struct Described<'a> {
    format: &'a str,
    has: Capabilities,
    target: &'a str,
    is_listed: bool,
}

fn describe<'a>(document: &'a Document, node: &Node, outer: Option<Span>) -> Described<'a> {
    let of = |span: Option<Span>| document.inner_document(span?);
    let inner = of(node.span).filter(|inner| !inner.format.is_empty());
    // A host binary lists the bytes of a compressed image as they are stored.
    let is_listed = [inner, of(outer)]
        .into_iter()
        .flatten()
        .any(|inner| inner.is_listed);
    let inner = inner.or_else(|| of(outer));
    let is_root = node.span == document.root().span && outer.is_none();
    match inner.filter(|_| !is_root) {
        Some(inner) => Described {
            format: &inner.format,
            has: inner.has,
            target: inner.target.as_deref().unwrap_or_default(),
            is_listed,
        },
        None if is_root => {
            let mut facts = document.summary.facts.iter();
            let target = facts.find(|fact| fact.label == Fact::TARGET);
            Described {
                format: &document.summary.format,
                has: document.summary.has,
                target: target.map_or("", |fact| &fact.text),
                is_listed: false,
            }
        }
        None => Described {
            format: "",
            has: Capabilities::default(),
            target: "",
            is_listed: false,
        },
    }
}

impl Walk {
    /// Returns the offset in the opened file that a position in a source corresponds to: what is
    /// unpacked from a stream shares its bytes in proportion.
    fn stored_at(&mut self, source: SourceId, at: u64, sources: &Sources) -> u64 {
        if source == SourceId::FILE {
            return at;
        }
        let known = self.stored.get(&source).copied();
        let (start, end, len) = known.unwrap_or_else(|| {
            let parent = sources.parent(source).unwrap_or_default();
            let start = self.stored_at(parent.source, parent.start, sources);
            let end = self.stored_at(parent.source, parent.end, sources);
            (start, end, sources.whole(source).len())
        });
        self.stored.insert(source, (start, end, len));
        if len == 0 {
            return start;
        }
        let share = u128::from(end.saturating_sub(start)) * u128::from(at.min(len));
        start.saturating_add(u64::try_from(share / u128::from(len)).unwrap_or(u64::MAX))
    }

    /// Adds bytes to a piece.
    pub(super) fn add(&mut self, place: &Place, span: Span, sources: &Sources) {
        self.add_unpacked(place, span, span.len(), sources);
    }

    /// Adds bytes that are `unpacked` bytes after decompression.
    pub(super) fn add_unpacked(
        &mut self,
        place: &Place,
        span: Span,
        unpacked: u64,
        sources: &Sources,
    ) {
        if span.is_empty() {
            return;
        }
        let start = self.stored_at(span.source, span.start, sources);
        let end = self.stored_at(span.source, span.end, sources);
        let stored = end.saturating_sub(start);
        self.counted = self.counted.saturating_add(stored);
        let mut key = place.key;
        if place.is_copy && key.part != Part::NotRead {
            key.part = Part::Copies;
        }
        let next = self.sizes.pieces.len();
        let at = *self.places.entry(key).or_insert(next);
        if at == next {
            self.sizes.pieces.push(Piece {
                key,
                stored: 0,
                unpacked: 0,
                first: span,
                longest: 0,
            });
        }
        if let Some(piece) = self.sizes.pieces.get_mut(at) {
            piece.stored = piece.stored.saturating_add(stored);
            piece.unpacked = piece.unpacked.saturating_add(unpacked);
            if span.len() > piece.longest {
                piece.longest = span.len();
                piece.first = span;
            }
        }
    }

    /// Adds bytes that were not read, for a reason.
    fn add_unread(&mut self, place: &Place, span: Span, reason: &str, sources: &Sources) {
        let section = self.sizes.names.add(&format!("not read: {reason}"));
        self.add(&place.part(Part::NotRead).section(section), span, sources);
    }

    /// Whether code or an image is known from before; it is from now on.
    fn is_known(&mut self, span: Span, sources: &Sources) -> bool {
        digest(span, sources).is_some_and(|digest| !self.known.insert(digest))
    }

    /// Marks a file of a package as a copy, if its bytes are those of an earlier one.
    pub(super) fn compare_file(&mut self, place: &mut Place, file: Span, sources: &Sources) {
        let digest = digest(file, sources);
        place.is_copy |= digest.is_some_and(|digest| !self.known_files.insert(digest));
    }

    /// Opens a document and adds its bytes, except for those of the documents in it that are opened
    /// on demand: these become tasks.
    pub(super) fn open(&mut self, task: &Task, document: &mut Document) {
        let mark = document.registry.mark();
        let (node, place) = (&task.node, &task.place);
        document.registry.resolve(node.content, &document.sources);
        // Notes the findings: the summaries of what was opened.
        document.children(NodeId::ROOT, 0..0);
        match node.kind {
            NodeKind::Packed => self.unpack(document, node, place, task.clip),
            _ => self.document(document, node, place, task.clip, None),
        }
        document.registry.release(mark);
    }

    /// Adds the bytes that are unpacked from a row.
    fn unpack(&mut self, document: &mut Document, node: &Node, place: &Place, clip: Span) {
        let whole = node.span.unwrap_or_default();
        let first = match document.count(node) {
            0 => None,
            _ => document.make(node, 0..1).into_iter().next(),
        };
        let inner = first.filter(|inner| {
            // All of the stream, or it is not known which part of it is meant.
            let span = inner.span.unwrap_or_default();
            clip == whole
                && span.source != whole.source
                && span == document.sources.whole(span.source)
                && document.sources.parent(span.source) == Some(whole)
        });
        let Some(inner) = inner else {
            let mut found = document.diagnostics_in(whole);
            let reason = found.next().map(|found| found.message.to_string());
            let reason = reason.unwrap_or_else(|| match place.kind {
                Kind::Image => String::new(),
                _ => "it is not unpacked".to_owned(),
            });
            // Of the section of an image, the kind is known.
            match place.kind {
                Kind::Image => self.add(place, clip, &document.sources),
                _ => self.add_unread(place, clip, &reason, &document.sources),
            }
            return;
        };
        let span = inner.span.unwrap_or_default();
        match inner.kind {
            NodeKind::File => self.document(document, &inner, place, span, Some(whole)),
            NodeKind::Packed => self.nested(document, &inner, place, span),
            // The contents of a section.
            _ if place.kind == Kind::Image => self.add(place, span, &document.sources),
            _ if is_plain(inner.area) || inner.is_leaf() => {
                let place = place.part(place.part_of(inner.area, inner.kind));
                self.add(&place, span, &document.sources);
            }
            // The section is known.
            _ => self.parts(document, &inner, place, span, 1),
        }
    }

    /// Adds the bytes of a document; `outer` are the bytes that it was unpacked from.
    pub(super) fn document(
        &mut self,
        document: &mut Document,
        node: &Node,
        place: &Place,
        clip: Span,
        outer: Option<Span>,
    ) {
        if place.depth >= DOCUMENTS_MAX {
            self.add_unread(place, clip, "nested too deeply", &document.sources);
            return;
        }
        let described = describe(document, node, outer);
        let interfaces = document.interfaces_of(node);
        let is_ir = matches!(described.format, "spirv" | "bitcode");
        let has = described.has;
        let is_image = has.image || has.kernels || has.loadable || has.code;
        let kind = match described.format {
            _ if is_ir => Kind::Intermediate,
            // The container of SPIR-V in archives.
            "opencl-elf" => Kind::Container,
            _ if is_image => Kind::Image,
            "" | "elf" | "coff" | "raw" => Kind::Host,
            _ => Kind::Container,
        };
        let mut place = Place {
            kind,
            depth: place.depth.saturating_add(1),
            is_listed: place.is_listed || described.is_listed,
            ..place.clone()
        };
        let device = described.target.split(" · ").next().unwrap_or_default();
        match kind {
            Kind::Image => place.key.owner = Owner::Device(self.sizes.names.add(device)),
            Kind::Intermediate => place.key.owner = Owner::Any,
            Kind::Container if described.format == "opencl-elf" => place.key.owner = Owner::Any,
            // Code for another processor.
            Kind::Host if place.is_listed => {
                place.key.owner = Owner::Device(self.sizes.names.add("other processors"));
                place.kind = Kind::Image;
            }
            Kind::Host | Kind::Container => {}
        }
        if described.is_listed || place.kind == Kind::Image || kind == Kind::Intermediate {
            self.enter_image(&mut place, document);
        }
        let is_leaf = matches!(place.kind, Kind::Image | Kind::Intermediate);
        // A container of one image may have the same bytes.
        if is_leaf && node.span != document.root().span && clip.len() >= COPY_MIN {
            place.is_copy = place.is_copy || self.is_known(clip, &document.sources);
        }
        if let Some(files) = &interfaces.files {
            self.package(document, node, &place, clip, files);
        } else if let (Kind::Intermediate, Some(kernels)) = (kind, &interfaces.kernels) {
            self.module(&place, clip, &**kernels, &document.sources);
        } else if is_leaf {
            self.image(document, node, &place, clip, interfaces.kernels.as_deref());
        } else {
            self.parts(document, node, &place, clip, 0);
        }
    }

    /// Notes the image that the bytes are in.
    fn enter_image(&mut self, place: &mut Place, document: &Document) {
        let names = &self.sizes.names;
        let label = match &*place.label {
            // The image is the opened file.
            "" if place.key.file == NameId::NONE => Rc::from(&*document.root().name),
            "" => Rc::from(names.get(place.key.file)),
            _ => Rc::clone(&place.label),
        };
        let name = match names.get(place.key.image) {
            // Libraries of a package have images of the same names.
            "" => place_text([names.get(place.key.file), &*label]),
            outer if *outer == *label => return,
            outer => place_text([outer, &*label]),
        };
        place.key.image = self.sizes.names.add(&name);
        place.label = label;
    }

    /// Returns the place of a row's bytes: rows with names of their own tell images apart.
    fn labeled(place: &Place, node: &Node) -> Place {
        let is_name = !node.indexed && !GENERIC.contains(&&*node.name) && !node.name.is_empty();
        Place {
            label: if is_name {
                // The term of the specification is long, and the image's position is enough.
                let name = &*node.name;
                Rc::from(name.strip_prefix("native device code ").unwrap_or(name))
            } else {
                Rc::clone(&place.label)
            },
            ..place.clone()
        }
    }

    /// Adds the bytes of a nested document or compressed data, now or later.
    fn nested(&mut self, document: &mut Document, node: &Node, place: &Place, clip: Span) {
        let place = Walk::labeled(place, node);
        if matches!(node.content, Content::Deferred { .. }) {
            let task = Task {
                node: node.clone(),
                place,
                clip,
            };
            // Rows are large: of a file that is full of documents, those beyond the limit are read at
            // once.
            if self.tasks.len() < TASKS_MAX {
                self.tasks.push_back(task);
            } else {
                self.open(&task, document);
            }
            return;
        }
        match node.kind {
            NodeKind::Packed => self.unpack(document, node, &place, clip),
            _ => self.document(document, node, &place, clip, None),
        }
    }

    /// Calls `each` for the children of a row with bytes, in the order of their bytes and without the
    /// bytes of those before, and adds the bytes between them.
    fn cover(
        &mut self,
        document: &mut Document,
        node: &Node,
        place: &Place,
        clip: Span,
        mut each: impl FnMut(&mut Walk, &mut Document, &Node, Span),
    ) {
        let rest = place.part(place.rest());
        let mut at = clip.start;
        let count = document.count(node);
        let mut order = order_of(document, node, clip);
        let mut next_row: u64 = 0;
        // Rows are large: of a long table, only a page is in memory.
        loop {
            let (first, next) = match &mut order {
                None => (next_row, count.min(next_row.saturating_add(PAGE))),
                Some(order) => {
                    let first = order.front().map_or(count, |(_, row)| *row);
                    let mut next = first;
                    while next - first < PAGE && order.front().is_some_and(|(_, row)| *row == next)
                    {
                        order.pop_front();
                        next += 1;
                    }
                    (first, next)
                }
            };
            if first >= next {
                break;
            }
            next_row = next;
            let mark = document.registry.mark();
            let mut children = document.make(node, first..next);
            children.retain(|child| is_covering(child, clip));
            sort::by_key(&mut children, |child| {
                child.extent().unwrap_or_default().start
            });
            for child in children {
                let extent = child.extent().unwrap_or_default().intersect(clip);
                let part = Span::new(clip.source, extent.start.max(at), extent.end);
                if part.is_empty() {
                    continue;
                }
                self.add(
                    &rest,
                    Span::new(clip.source, at, part.start),
                    &document.sources,
                );
                each(self, document, &child, part);
                at = part.end;
            }
            document.registry.release(mark);
        }
        self.add(
            &rest,
            Span::new(clip.source, at, clip.end),
            &document.sources,
        );
    }

    /// Adds the bytes of a host file or container, and of a part of it.
    fn parts(
        &mut self,
        document: &mut Document,
        node: &Node,
        place: &Place,
        clip: Span,
        depth: u32,
    ) {
        self.cover(
            document,
            node,
            place,
            clip,
            |walk, document, child, part| {
                let mut place = place.clone();
                if depth == 0 {
                    place.key.section = walk.sizes.names.add(&child.name);
                }
                let is_leaf = child.is_leaf() || is_plain(child.area);
                match child.kind {
                    NodeKind::File | NodeKind::Packed => walk.nested(document, child, &place, part),
                    NodeKind::Item | NodeKind::Record | NodeKind::Table | NodeKind::Blob
                        if !is_leaf && depth < DEPTH_MAX && document.count(child) <= ROWS_MAX =>
                    {
                        let place = Walk::labeled(&place, child);
                        let place = place.part(place.part_of(child.area, child.kind));
                        walk.parts(document, child, &place, part, depth.saturating_add(1));
                    }
                    kind => {
                        let place = place.part(place.part_of(child.area, kind));
                        walk.add(&place, part, &document.sources);
                    }
                }
            },
        );
    }

    /// Adds the bytes of device code.
    fn image(
        &mut self,
        document: &mut Document,
        node: &Node,
        place: &Place,
        clip: Span,
        kernels: Option<&dyn Kernels>,
    ) {
        let rows = kernels.map(|kernels| kernels.rows(&document.sources));
        let rows: &[KernelRow] = rows.as_ref().map_or(&[], |rows| rows);
        for row in rows {
            self.name_kernel(row);
        }
        self.cover(
            document,
            node,
            place,
            clip,
            |walk, document, child, part| {
                let mut place = place.clone();
                let found = SECTION_PREFIXES.iter();
                let mut found = found.filter_map(|prefix| {
                    let kernel = child.name.strip_prefix(prefix)?;
                    Some((prefix.strip_suffix('.').unwrap_or(prefix), kernel))
                });
                match found.next() {
                    Some((section, kernel)) => {
                        place.key.section = walk.sizes.names.add(section);
                        place.key.kernel = walk.sizes.names.add(kernel);
                    }
                    None => place.key.section = walk.sizes.names.add(&child.name),
                }
                let kind = match child.kind {
                    NodeKind::Field | NodeKind::Item => NodeKind::Record,
                    kind => kind,
                };
                place.key.part = place.part_of(child.area, kind);
                match child.kind {
                    NodeKind::File => walk.nested(document, child, &place, part),
                    NodeKind::Packed => walk.unpack(document, child, &place, part),
                    _ if child.area == Area::Meta => {
                        walk.entries(&place, part, rows, &document.sources);
                    }
                    _ => {
                        let is_code =
                            place.key.part == Part::Instructions && part.len() >= COPY_MIN;
                        if is_code && !place.is_copy {
                            place.is_copy = walk.is_known(part, &document.sources);
                        }
                        walk.add(&place, part, &document.sources);
                    }
                }
            },
        );
    }

    /// Adds the bytes of a table with the entries of kernels.
    fn entries(&mut self, place: &Place, clip: Span, rows: &[KernelRow], sources: &Sources) {
        let mut entries: Vec<(Span, NameId)> = Vec::new();
        for row in rows {
            if clip.contains(row.entry) {
                entries.push((row.entry, self.sizes.names.add(&row.name.value)));
            }
        }
        sort::by_key(&mut entries, |(span, _)| span.start);
        let parts = entries.into_iter().map(|(entry, kernel)| {
            let mut of = place.clone();
            of.key.kernel = kernel;
            (entry, of)
        });
        self.fill(place, clip, parts, sources);
    }

    /// Adds parts in the order of their bytes, each without the bytes of those before, and the bytes
    /// between them.
    fn fill(
        &mut self,
        rest: &Place,
        clip: Span,
        parts: impl IntoIterator<Item = (Span, Place)>,
        sources: &Sources,
    ) {
        let mut at = clip.start;
        for (part, place) in parts {
            let part = part.intersect(clip);
            let start = part.start.max(at);
            if part.end <= start {
                continue;
            }
            self.add(rest, Span::new(clip.source, at, start), sources);
            self.add(&place, Span::new(clip.source, start, part.end), sources);
            at = part.end;
        }
        self.add(rest, Span::new(clip.source, at, clip.end), sources);
    }

    /// Adds the bytes of SPIR-V, by function.
    fn module(&mut self, place: &Place, clip: Span, kernels: &dyn Kernels, sources: &Sources) {
        let rows = kernels.rows(sources);
        for row in rows.iter() {
            self.name_kernel(row);
        }
        let part = |name: &str, walk: &mut Walk| {
            let section = walk.sizes.names.add(name);
            place.part(Part::Intermediate).section(section)
        };
        let shared = part("declarations", self);
        let function = part("functions", self);
        let functions = kernels.functions(sources).unwrap_or_default();
        let names: Vec<NameId> = rows
            .iter()
            .map(|row| self.sizes.names.add(&row.name.value))
            .collect();
        let parts = functions.into_iter().map(|(span, kernel)| {
            let mut of = function.clone();
            if let Some(name) = kernel.and_then(|kernel| names.get(kernel)) {
                of.key.kernel = *name;
            }
            (span, of)
        });
        self.fill(&shared, clip, parts, sources);
    }

    fn name_kernel(&mut self, row: &KernelRow) {
        let id = self.sizes.names.add(&row.name.value);
        if let Some(name) = &row.demangled {
            self.sizes
                .demangled
                .entry(id)
                .or_insert_with(|| Rc::clone(name));
        }
    }

    /// Adds the bytes of a package that are not in files that were opened before.
    fn package(
        &mut self,
        document: &mut Document,
        node: &Node,
        place: &Place,
        clip: Span,
        files: &Rc<dyn PackageFiles>,
    ) {
        let is_folder = &*document.summary.format == "folder" && node.span == document.root().span;
        let place = &Place {
            kind: Kind::Container,
            ..place.clone()
        };
        let sources = &document.sources;
        let indices = (0..files.count()).map(|index| (files.data(index, sources), index));
        let package = Package {
            files,
            indices: indices.filter(|(data, _)| !data.is_empty()).collect(),
        };
        self.cover(
            document,
            node,
            place,
            clip,
            |walk, document, child, part| {
                // The names of a folder's files are bytes of the document only.
                if is_folder && child.area == Area::Header {
                    walk.excluded = walk.excluded.saturating_add(part.len());
                    return;
                }
                let mut place = place.clone();
                let is_entry = child.kind == NodeKind::Item && !child.is_leaf();
                if is_entry || package.index_of(child).is_some() {
                    let path = match walk.sizes.names.get(place.key.file) {
                        "" => child.name.to_string(),
                        outer => format!("{outer}/{}", child.name),
                    };
                    place.key.file = walk.sizes.names.add(&path);
                } else {
                    place.key.section = walk.sizes.names.add(&child.name);
                }
                if !is_entry {
                    walk.file(document, child, &place, part, &package);
                    return;
                }
                // The entry: its header, and its data.
                walk.cover(
                    document,
                    child,
                    &place,
                    part,
                    |walk, document, row, part| {
                        walk.file(document, row, &place, part, &package);
                    },
                );
            },
        );
    }

    /// Adds a row of a package: the data of a file, unless it was opened before, or something else.
    fn file(
        &mut self,
        document: &mut Document,
        node: &Node,
        place: &Place,
        clip: Span,
        package: &Package<'_>,
    ) {
        let span = node.span.unwrap_or_default();
        if self.opened.contains(&span) {
            return;
        }
        let sources = &document.sources;
        let Some(index) = package.index_of(node) else {
            // The package itself is compressed.
            if matches!(node.kind, NodeKind::File | NodeKind::Packed) {
                self.nested(document, node, place, clip);
                return;
            }
            let section = match place.key.section {
                NameId::NONE => self.sizes.names.add(&node.name),
                section => section,
            };
            let place = place.section(section).part(Part::Container);
            self.add(&place, clip, sources);
            return;
        };
        let whole = Place {
            kind: Kind::Host,
            label: Rc::from(""),
            ..place.part(Part::Host)
        };
        let files = package.files;
        match files.status(index, sources) {
            FileStatus::NoCode(kind) => {
                let unpacked = files.file(index).map(|file| file.size);
                let unpacked = unpacked.filter(|_| clip == span).unwrap_or(clip.len());
                let section = self.sizes.names.add(kind);
                self.add_unpacked(&whole.section(section), clip, unpacked, sources);
            }
            FileStatus::Unread(reason) => self.add_unread(&whole, clip, &reason, sources),
            FileStatus::Unknown | FileStatus::Readable(_)
                if matches!(node.content, Content::Deferred { .. }) =>
            {
                self.tasks.push_back(Task {
                    node: node.clone(),
                    place: whole,
                    clip,
                });
            }
            FileStatus::Unknown | FileStatus::Readable(_) => self.add(&whole, clip, sources),
        }
    }
}

/// The files of a package, by their data.
struct Package<'a> {
    files: &'a Rc<dyn PackageFiles>,
    indices: HashMap<Span, usize>,
}

impl Package<'_> {
    /// Returns the index of the file whose data a row is.
    fn index_of(&self, node: &Node) -> Option<usize> {
        self.indices.get(&node.span?).copied()
    }
}

/// Whether a row has bytes in `clip`.
fn is_covering(row: &Node, clip: Span) -> bool {
    row.kind != NodeKind::Derived && row.extent().unwrap_or_default().overlaps(clip)
}

/// Calls `each` with the start and number of a row's children that have bytes in `clip`, until it
/// returns false.
fn starts(
    document: &Document,
    node: &Node,
    clip: Span,
    mut each: impl FnMut(u64, u64) -> bool,
) -> bool {
    let count = document.count(node);
    let mut start = 0;
    while start < count {
        let end = count.min(start.saturating_add(PAGE));
        let mark = document.registry.mark();
        let page = document.make(node, start..end);
        document.registry.release(mark);
        for (row, child) in (start..).zip(page) {
            let at = child.extent().unwrap_or_default().start;
            if is_covering(&child, clip) && !each(at, row) {
                return false;
            }
        }
        start = end;
    }
    true
}

/// Returns the starts and numbers of a row's children that have bytes in `clip`, in the order of their
/// bytes. Returns `None` if that is their own order, or if they are sorted in one page.
fn order_of(document: &Document, node: &Node, clip: Span) -> Option<VecDeque<(u64, u64)>> {
    if document.count(node) <= PAGE {
        return None;
    }
    let mut last = 0;
    let is_in_order = starts(document, node, clip, |at, _| {
        let is_next = at >= last;
        last = at;
        is_next
    });
    if is_in_order {
        return None;
    }
    let mut order = Vec::new();
    starts(document, node, clip, |at, row| {
        order.push((at, row));
        true
    });
    // By the row, too: the sort need not keep the order of equal ones.
    sort::ascending(&mut order);
    Some(order.into())
}
