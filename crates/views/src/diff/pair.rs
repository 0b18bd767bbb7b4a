//! Selects how two documents are compared.

use std::collections::HashMap;
use std::rc::Rc;

use super::entry::{Change, Entry, Field, FieldValue, Part, Side};
use super::matching::by_key;
use super::measure;
use super::walk::{ValuePath, is_document};
use super::{Comparand, Comparer, Pair};
use zeview_core::analysis::kernels::KernelRow;
use zeview_core::model::{Area, Document, Interfaces, Node, NodeKind, Span};

/// The identifier of unknown formats.
const RAW: &str = "raw";

/// Maximum nesting of documents.
const NESTED_MAX: u32 = 12;

/// Maximum number of compared pairs of documents.
const PAIRS_MAX: usize = 1 << 16;

impl Comparer<'_> {
    /// Returns what a document offers beyond its rows. Returns `None` if it has no rows.
    fn interfaces(&self, which: Comparand, node: &Node) -> Option<Interfaces> {
        let (by, item) = self.document(which).expander(node)?;
        Some(by.interfaces(item))
    }

    /// Compares two nested documents.
    pub(super) fn nested(&mut self, a: &Node, b: &Node, path: &str, to_path: &str) {
        let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
        match self.same_bytes(spans.0, spans.1) {
            Ok(true) => {
                // Their kernels are in both files.
                let kernels = self.kernel_count(Comparand::A, a);
                self.add_pair(path, to_path, spans, kernels);
            }
            Ok(false) => self.pair(a, b, path, to_path),
            Err(error) => self.note(error),
        }
    }

    pub(super) fn kernel_count(&self, which: Comparand, node: &Node) -> u64 {
        if self.has_kernels {
            return 0;
        }
        let document = self.document(which);
        let kernels = document.interfaces_of(node).kernels;
        let rows = kernels.map(|kernels| kernels.rows(&document.sources));
        rows.map_or(0, |rows| {
            let rows = rows.iter();
            let kernels = rows.filter(|row| !row.is_function && !row.is_spirv);
            kernels.count() as u64
        })
    }

    pub(super) fn add_pair(
        &mut self,
        path: &str,
        to_path: &str,
        (a, b): (Span, Span),
        kernels: u64,
    ) -> u32 {
        let at = u32::try_from(self.result.pairs.len()).unwrap_or(u32::MAX);
        self.result.pairs.push(Pair {
            path: path.to_owned(),
            to_path: to_path.to_owned(),
            a,
            b,
            kernels,
        });
        at
    }

    /// Compares two documents.
    pub(super) fn pair(&mut self, a: &Node, b: &Node, path: &str, to_path: &str) {
        if self.depth >= NESTED_MAX || self.result.pairs.len() >= PAIRS_MAX {
            self.note_about(
                path,
                "not compared: too many or too deeply nested documents",
            );
            return;
        }
        let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
        let at = self.add_pair(path, to_path, spans, 0);
        self.pair_at(a, b, at);
    }

    /// Compares the two documents of a pair.
    pub(super) fn pair_at(&mut self, a: &Node, b: &Node, at: u32) {
        self.depth += 1;
        let sides = (
            self.interfaces(Comparand::A, a),
            self.interfaces(Comparand::B, b),
        );
        let nodes = (a, b);
        match sides {
            (Some(of_a), Some(of_b)) => {
                let kernels = (of_a.kernels, of_b.kernels);
                if let (Some(one), Some(other)) = (of_a.files, of_b.files) {
                    self.packages((&one, &other), at);
                } else if let (Some(one), Some(other)) = (of_a.modules, of_b.modules) {
                    self.modules(nodes, (&*one, &*other), at);
                } else {
                    let mut covered = (Vec::new(), Vec::new());
                    if let (Some(one), Some(other)) = (of_a.host_images, of_b.host_images) {
                        covered = self.images((&*one, &*other), at);
                    }
                    match (of_a.linkage, of_b.linkage) {
                        (Some(one), Some(other)) => {
                            let code = (of_a.assembly, of_b.assembly);
                            self.elf(nodes, (&*one, &*other), kernels, code, covered, at);
                        }
                        (None, None) if self.is_raw(nodes) => self.raw(nodes, at),
                        (None, None) => {
                            self.parts(nodes, covered, at);
                            // A container has no kernels of its own: its images have them.
                            if kernels.0.is_some() || kernels.1.is_some() {
                                self.kernels_by_name(nodes, at);
                            }
                        }
                        _ => self.unrelated(nodes, at),
                    }
                }
            }
            (None, None) => self.raw(nodes, at),
            _ => self.unrelated(nodes, at),
        }
        self.depth -= 1;
    }

    /// Compares two documents of unrelated formats.
    fn unrelated(&mut self, nodes: (&Node, &Node), at: u32) {
        let (a, b) = nodes;
        let format =
            |node: &Node| FieldValue::Text(node.summary.clone().unwrap_or_default().into_owned());
        let field = Field {
            key: "format".to_owned(),
            path: "format".to_owned(),
            from: Some(Side::new(format(a), a.span)),
            to: Some(Side::new(format(b), b.span)),
        };
        let entry = Entry::new(Part::Attribute, Change::Changed, at, "file");
        self.push(entry.at(a.span, b.span).with(vec![field]));
        let note =
            "The two files have different formats: only their kernels are compared, by name.";
        self.note(note.to_owned());
        self.kernels_by_name(nodes, at);
    }

    /// Returns the kernels that a document lists.
    fn kernel_rows(&self, which: Comparand, node: &Node) -> Rc<Vec<KernelRow>> {
        let document = self.document(which);
        let kernels = document.interfaces_of(node).kernels;
        kernels.map_or_else(Rc::default, |kernels| kernels.rows(&document.sources))
    }

    /// Compares the kernels of two documents of which at least one has no native code: by name, and
    /// by the values that SPIR-V states.
    fn kernels_by_name(&mut self, (a, b): (&Node, &Node), at: u32) {
        if self.has_kernels {
            return;
        }
        let rows = (
            self.kernel_rows(Comparand::A, a),
            self.kernel_rows(Comparand::B, b),
        );
        let key = |row: &KernelRow| (row.is_function, row.name.value.clone());
        let mut of_a: HashMap<(bool, String), usize> = HashMap::new();
        for (place, row) in rows.0.iter().enumerate() {
            of_a.entry(key(row)).or_insert(place);
        }
        let mut is_matched = vec![false; rows.0.len()];
        let mut entries = Vec::new();
        let mut matched = 0;
        let entry = |row: &KernelRow, change| {
            let part = if row.is_function {
                Part::Function
            } else {
                Part::Kernel
            };
            let mut entry = Entry::new(part, change, at, row.name.value.as_str());
            entry.demangled.clone_from(&row.demangled);
            entry
        };
        for row in rows.1.iter() {
            let place = of_a.remove(&key(row));
            let one = place.and_then(|place| rows.0.get(place));
            let Some(one) = one else {
                entries.push(entry(row, Change::Added).at(None, Some(row.entry)));
                continue;
            };
            if let Some(is_matched) = place.and_then(|place| is_matched.get_mut(place)) {
                *is_matched = true;
            }
            matched += u64::from(!row.is_function);
            let measures = measure::measures(Some(one), Some(row), None);
            if !measures.is_empty() {
                let mut entry = entry(row, Change::Changed).at(Some(one.entry), Some(row.entry));
                entry.measures = measures;
                entries.push(entry);
            }
        }
        let only = rows.0.iter().zip(&is_matched).filter(|(_, is)| !**is);
        let removed = only.map(|(row, _)| entry(row, Change::Removed).at(Some(row.entry), None));
        for entry in removed.collect::<Vec<_>>().into_iter().chain(entries) {
            self.push(entry);
        }
        let pair = usize::try_from(at).ok();
        if let Some(pair) = pair.and_then(|at| self.result.pairs.get_mut(at)) {
            pair.kernels = matched;
        }
    }

    /// Whether both have an unknown format.
    fn is_raw(&self, (a, b): (&Node, &Node)) -> bool {
        let is = |which, node: &Node| {
            let document = self.document(which);
            let inner = node.span.and_then(|span| document.inner_document(span));
            if document.root().span == node.span {
                document.summary.format == RAW
            } else {
                inner.is_none_or(|inner| inner.format == RAW)
            }
        };
        is(Comparand::A, a) && is(Comparand::B, b)
    }

    /// Compares two files of unknown formats: texts by lines, everything else by bytes.
    fn raw(&mut self, (a, b): (&Node, &Node), at: u32) {
        let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
        let mut fields = Vec::new();
        if self.is_lines(a, b) {
            self.lines(spans.0, spans.1, &mut ValuePath::default(), &mut fields)
        } else {
            fields = self.contents(spans.0, spans.1)
        }
        if !fields.is_empty() {
            let name = match (at, &*a.name) {
                (0, _) | (_, "") => "file",
                (_, name) => name,
            };
            let entry = Entry::new(Part::Bytes, Change::Changed, at, name);
            self.push(entry.at(a.span, b.span).with(fields));
        }
    }

    /// Compares two documents of a format without tables of its own: their parts by name. `covered`
    /// has been compared already.
    fn parts(&mut self, (a, b): (&Node, &Node), covered: (Vec<Span>, Vec<Span>), at: u32) {
        let summary = |node: &Node| {
            let words = node.summary.as_deref().unwrap_or_default();
            let first = words.split([' ', ':']).next().unwrap_or_default();
            first.to_owned()
        };
        if summary(a) != summary(b) && a.kind == NodeKind::File {
            self.unrelated((a, b), at);
            return;
        }
        self.with_temporary_expanders(|comparer| {
            let one = comparer.children(Comparand::A, a);
            let other = comparer.children(Comparand::B, b);
            let is_covered = |covered: &[Span], node: &Node| {
                node.span
                    .is_some_and(|span| !span.is_empty() && covered.contains(&span))
            };
            let one: Vec<Node> = one
                .into_iter()
                .filter(|node| !is_covered(&covered.0, node))
                .collect();
            let other: Vec<Node> = other
                .into_iter()
                .filter(|node| !is_covered(&covered.1, node))
                .collect();
            comparer.named(&one, &other, at);
        });
    }

    /// Matches nodes by name and adds an entry for each.
    pub(super) fn named(&mut self, a: &[Node], b: &[Node], at: u32) {
        fn names(nodes: &[Node]) -> Vec<&str> {
            nodes.iter().map(|node| &*node.name).collect()
        }
        let matches = by_key(&names(a), &names(b));
        for (node, place) in a.iter().zip(matches.of_a) {
            match place.and_then(|place| b.get(place)) {
                Some(other) => self.part(node, other, at),
                None => self.lonely(Comparand::A, node, at),
            }
        }
        for (node, is_matched) in b.iter().zip(matches.is_matched) {
            if !is_matched {
                self.lonely(Comparand::B, node, at);
            }
        }
    }

    /// Compares a part of both documents.
    pub(super) fn part(&mut self, a: &Node, b: &Node, at: u32) {
        if is_document(a) && is_document(b) && a.area != Area::Ir {
            let (path, to_path) = self.paths(at, a, b);
            self.nested(a, b, &path, &to_path);
            return;
        }
        let mut fields = Vec::new();
        if is_plain(a) || is_plain(b) {
            let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
            if self.same_bytes(spans.0, spans.1) != Ok(true) {
                fields = self.contents(spans.0, spans.1);
            }
        } else {
            let before = self.result.pairs.len();
            self.fields(a, b, &mut ValuePath::default(), &mut fields);
            let (path, to_path) = self.paths(at, a, b);
            for pair in self.result.pairs.iter_mut().skip(before) {
                pair.path = format!("{path}/{}", pair.path);
                pair.to_path = format!("{to_path}/{}", pair.to_path);
            }
        }
        if !fields.is_empty() {
            let holds_document = a.kind == NodeKind::Item && self.holds_document(Comparand::A, a);
            let part = part_of(a, holds_document);
            let entry = Entry::new(part, Change::Changed, at, &*a.name);
            self.push(entry.at(a.span, b.span).with(fields));
        }
    }

    /// Returns the paths of two nodes in the documents of a pair.
    pub(super) fn paths(&self, at: u32, a: &Node, b: &Node) -> (String, String) {
        let pair = self
            .result
            .pairs
            .get(usize::try_from(at).unwrap_or(usize::MAX));
        let join = |path: &str, name: &str| match path {
            "" => name.to_owned(),
            path => format!("{path}/{name}"),
        };
        pair.map_or_else(Default::default, |pair| {
            (join(&pair.path, &a.name), join(&pair.to_path, &b.name))
        })
    }

    fn holds_document(&mut self, which: Comparand, node: &Node) -> bool {
        self.children(which, node).iter().any(is_document)
    }

    /// Adds an entry for a part that is only in one document.
    pub(super) fn lonely(&mut self, which: Comparand, node: &Node, at: u32) {
        let mut fields = Vec::new();
        let holds_document = node.kind == NodeKind::Item && self.holds_document(which, node);
        if !is_plain(node) && !is_document(node) && !holds_document {
            self.only(which, node, &mut ValuePath::default(), &mut fields);
        }
        let (change, a, b) = match which {
            Comparand::A => (Change::Removed, node.span, None),
            Comparand::B => (Change::Added, None, node.span),
        };
        let part = part_of(node, holds_document);
        let entry = Entry::new(part, change, at, &*node.name);
        self.push(entry.at(a, b).with(fields));
    }

    /// Adds notes about damaged files.
    pub(super) fn note_damage(&mut self) {
        use zeview_core::model::Severity;
        let damage = |document: &Document, which: &str| {
            let errors = document.diagnostics.iter();
            let errors = errors.filter(|found| found.severity == Severity::Error);
            let (count, first) = (errors.clone().count(), errors.clone().next()?);
            let more = match count {
                1 => String::new(),
                count => format!(" (and {} more)", count - 1),
            };
            Some(format!(
                "The {which} file is damaged: {}{more}. What cannot be decoded is compared as bytes.",
                first.message
            ))
        };
        for note in [damage(self.a, "first"), damage(self.b, "second")]
            .into_iter()
            .flatten()
        {
            self.note(note);
        }
    }
}

/// Whether a node is compared by its bytes.
pub(super) fn is_plain(node: &Node) -> bool {
    matches!(node.area, Area::Ir | Area::Debug)
        || matches!(node.kind, NodeKind::Blob | NodeKind::Packed | NodeKind::Gap)
}

/// Returns the kind of a part; `holds_document`: a member of an archive, an entry of a container.
fn part_of(node: &Node, holds_document: bool) -> Part {
    match node.kind {
        _ if holds_document => Part::Image,
        NodeKind::File | NodeKind::Packed => Part::Image,
        NodeKind::Gap => Part::Bytes,
        NodeKind::Mapping => Part::Property,
        NodeKind::Record | NodeKind::Field if node.area == Area::Header => Part::Attribute,
        NodeKind::Field => Part::Attribute,
        _ => Part::Section,
    }
}
