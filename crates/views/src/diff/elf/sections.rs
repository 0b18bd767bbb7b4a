//! Comparison of sections by name: headers and contents.

use super::{Changed, Code, File, Section, TEXT, ZE_INFO};
use crate::diff::code::{CodeChange, CountsPair, code_change};
use crate::diff::entry::{Change, Entry, Field, FieldValue, Part, Side};
use crate::diff::matching::by_key;
use crate::diff::pair::is_plain;
use crate::diff::renames::Renames;
use crate::diff::walk::{ValuePath, is_document};
use crate::diff::{Comparand, Comparer, Sides};
use zeview_core::model::text::size;
use zeview_core::model::{Area, Node, NodeKind, Span, sort};

/// Number of bytes between two images from which on they are not compared.
const AROUND_MAX: u64 = 64 << 20;

/// The fields of a section header, except for its location: names and offsets.
#[derive(Default)]
struct HeaderFields(Vec<(String, u64, u64)>);

impl Comparer<'_> {
    /// Compares sections by name, and the parts outside of sections.
    pub(super) fn sections(
        &mut self,
        files: Sides<File>,
        code: Option<&Code>,
        renames: &Renames,
        covered: &Sides<Vec<Span>>,
        at: u32,
        changed: &mut Changed,
    ) {
        let (of_a, of_b) = files;
        // Segments only describe where sections are loaded.
        let keep = |nodes: Vec<Node>| -> Vec<Node> {
            let nodes = nodes.into_iter();
            nodes
                .filter(|node| node.name != "program headers")
                .collect()
        };
        self.named(&keep(of_a.others), &keep(of_b.others), at);
        let names = of_a.sections.iter().map(|section| &*section.name);
        let names: Vec<_> = names.map(|name| renames.section(name)).collect();
        let others = of_b.sections.iter().map(|section| (&*section.name).into());
        let matches = by_key(&names, &others.collect::<Vec<_>>());
        let mut fields = (HeaderFields::default(), HeaderFields::default());
        for (section, place) in of_a.sections.iter().zip(matches.of_a) {
            match place.and_then(|place| of_b.sections.get(place)) {
                Some(other) => {
                    self.section((section, other), code, covered, at, &mut fields, changed);
                }
                None => self.lonely_section(Comparand::A, section, at),
            }
        }
        for (section, is_matched) in of_b.sections.iter().zip(matches.is_matched) {
            if !is_matched {
                self.lonely_section(Comparand::B, section, at);
            }
        }
    }

    fn lonely_section(&mut self, which: Comparand, section: &Section, at: u32) {
        let mut fields = Vec::new();
        let size = section.bytes().map_or(0, Span::len);
        let field = |key: &str, value: FieldValue, span: Option<Span>| {
            let side = Some(Side::new(value, span));
            let (from, to) = match which {
                Comparand::A => (side, None),
                Comparand::B => (None, side),
            };
            Field {
                key: key.to_owned(),
                path: key.to_owned(),
                from,
                to,
            }
        };
        let header = section.header.as_ref().and_then(|node| node.span);
        if !section.kind().is_empty() {
            fields.push(field(
                "sh_type",
                FieldValue::Text(section.kind().to_owned()),
                header,
            ));
        }
        fields.push(field("size", FieldValue::count(size), section.span()));
        for note in self.notes_of(which, section) {
            self.lonely_note(which, &note, at);
        }
        let (change, a, b) = match which {
            Comparand::A => (Change::Removed, section.span(), None),
            Comparand::B => (Change::Added, None, section.span()),
        };
        let entry = Entry::new(Part::Section, change, at, &*section.name);
        self.push(entry.at(a, b).with(fields));
    }

    /// Returns the notes of a section; empty for sections of other types.
    fn notes_of(&mut self, which: Comparand, section: &Section) -> Vec<Node> {
        match &section.contents {
            Some(contents) if section.kind() == "SHT_NOTE" => self.children(which, contents),
            _ => Vec::new(),
        }
    }

    fn section(
        &mut self,
        (a, b): (&Section, &Section),
        code: Option<&Code>,
        covered: &Sides<Vec<Span>>,
        at: u32,
        fields: &mut Sides<HeaderFields>,
        changed: &mut Changed,
    ) {
        let mut found = Vec::new();
        if let (Some(one), Some(other)) = (&a.header, &b.header) {
            self.header((one, other), fields, &mut found);
        }
        let spans = (a.bytes().unwrap_or_default(), b.bytes().unwrap_or_default());
        let is_same = a.bytes().is_some() == b.bytes().is_some()
            && self.same_bytes(spans.0, spans.1) == Ok(true);
        let kinds = (a.kind(), b.kind());
        let is_text = code
            .is_some_and(|code| code.has(Comparand::A, &a.name) && code.has(Comparand::B, &b.name));
        // A section type may differ between the files.
        let are_tables = [kinds.0, kinds.1].iter().all(|kind| {
            matches!(
                *kind,
                "SHT_STRTAB" | "SHT_SYMTAB" | "SHT_DYNSYM" | "SHT_REL" | "SHT_RELA"
            )
        });
        if a.name == ZE_INFO && b.name == ZE_INFO || are_tables {
            // Compared by meaning.
        } else if kinds.0 == "SHT_NOBITS" && kinds.1 == "SHT_NOBITS" {
            self.memory((a, b), &mut found);
        } else if is_same {
        } else if let Some(code) = code.filter(|_| is_text) {
            changed.add((a, b));
            // Marked as changed even if the instructions are equal: compaction moves the patched
            // bytes.
            let change = self.code(code, (&a.name, &b.name));
            match (change, a.name.strip_prefix(TEXT)) {
                (Some((change, _)), _) if change.equal => {}
                (Some(change), Some(kernel)) => {
                    changed.code.insert(kernel.to_owned(), change);
                }
                (Some((change, _)), None) => {
                    let entry = Entry::new(Part::Section, Change::Changed, at, &*a.name);
                    let mut entry = entry
                        .at(a.span(), b.span())
                        .with(std::mem::take(&mut found));
                    entry.code = Some(change);
                    self.push(entry);
                    return;
                }
                (None, _) => found.extend(self.contents(spans.0, spans.1)),
            }
        } else if kinds.0 == "SHT_NOTE" || kinds.1 == "SHT_NOTE" {
            changed.add((a, b));
            let notes = (
                self.notes_of(Comparand::A, a),
                self.notes_of(Comparand::B, b),
            );
            let has_none = notes.0.is_empty() && notes.1.is_empty();
            if has_none || kinds.0 != kinds.1 {
                found.extend(self.contents(spans.0, spans.1));
            }
            self.notes(notes, at);
        } else if let (Some(one), Some(other)) = (&a.contents, &b.contents) {
            changed.add((a, b));
            self.section_contents((one, other), covered, at, &mut found);
        } else {
            changed.add((a, b));
            found.extend(self.contents(spans.0, spans.1));
        }
        if !found.is_empty() {
            let entry = Entry::new(Part::Section, Change::Changed, at, &*a.name);
            self.push(entry.at(a.span(), b.span()).with(found));
        }
    }

    /// Compares the contents of two sections.
    fn section_contents(
        &mut self,
        (a, b): (&Node, &Node),
        covered: &Sides<Vec<Span>>,
        at: u32,
        found: &mut Vec<Field>,
    ) {
        let spans = (a.span.unwrap_or_default(), b.span.unwrap_or_default());
        let is_code_free = a.area != Area::Ir && a.area != Area::Debug;
        if is_document(a) && is_document(b) && is_code_free {
            let (path, to_path) = self.paths(at, a, b);
            self.pair(a, b, &path, &to_path);
            return;
        }
        let holds =
            |covered: &[Span], span: Span| covered.iter().any(|image| span.contains(*image));
        if holds(&covered.0, spans.0) || holds(&covered.1, spans.1) {
            self.around_images((spans.0, spans.1), covered, found);
            return;
        }
        let has_documents = |nodes: &[Node]| nodes.iter().any(is_document);
        if is_code_free && a.kind == NodeKind::Blob && b.kind == NodeKind::Blob {
            let children = (
                self.children(Comparand::A, a),
                self.children(Comparand::B, b),
            );
            if has_documents(&children.0) || has_documents(&children.1) {
                self.named(&children.0, &children.1, at);
                return;
            }
        }
        if is_plain(a) || is_plain(b) {
            found.extend(self.contents(spans.0, spans.1))
        } else {
            self.fields(a, b, &mut ValuePath::default(), found)
        }
    }

    /// Compares the bytes of two sections around their images.
    fn around_images(
        &mut self,
        spans: Sides<Span>,
        covered: &Sides<Vec<Span>>,
        found: &mut Vec<Field>,
    ) {
        let rest = |comparer: &mut Self, which, span: Span, covered: &[Span]| {
            let mut inside: Vec<Span> = covered.to_vec();
            inside.retain(|image| span.contains(*image));
            sort::ascending(&mut inside);
            let mut bytes = Vec::new();
            let mut at = span.start;
            let end = Span::new(span.source, span.end, span.end);
            for image in inside.into_iter().chain([end]) {
                let between = Span::new(span.source, at, image.start);
                comparer.work.spend(between.len() / 16);
                if between.len() >= AROUND_MAX {
                    let size = size(between.len());
                    comparer.note(format!(
                        "{size} of a host section between images are not compared: too many"
                    ));
                    comparer.result.is_cut = true;
                } else {
                    let sources = &comparer.document(which).sources;
                    if let Ok(read) = sources.read(between) {
                        bytes.extend_from_slice(&read);
                    }
                }
                at = at.max(image.end);
            }
            // Between images, there may only be zero bytes for alignment.
            bytes.retain(|byte| *byte != 0);
            bytes
        };
        let one = rest(self, Comparand::A, spans.0, &covered.0);
        let other = rest(self, Comparand::B, spans.1, &covered.1);
        if one != other {
            let value = |bytes: &[u8]| {
                let head = bytes.iter().take(64).copied().collect();
                FieldValue::Bytes(head, bytes.len() as u64)
            };
            found.push(Field {
                key: "contents".to_owned(),
                path: "contents outside of images".to_owned(),
                from: Some(Side::new(value(&one), spans.0)),
                to: Some(Side::new(value(&other), spans.1)),
            });
        }
    }

    /// Compares sections without bytes in the file: their size.
    fn memory(&mut self, (a, b): (&Section, &Section), found: &mut Vec<Field>) {
        let size = |comparer: &mut Self, which, section: &Section| {
            let header = section.header.as_ref()?;
            let document = comparer.document(which);
            let count = document.count(header);
            let fields = document.make(header, 0..count);
            let size = fields.into_iter().find(|field| field.name == "sh_size")?;
            Some(Side::new(FieldValue::of(&size.value)?, size.span))
        };
        let (from, to) = (size(self, Comparand::A, a), size(self, Comparand::B, b));
        let number = |side: &Option<Side>| side.as_ref().and_then(|side| side.value.number());
        if number(&from) != number(&to) {
            found.push(Field {
                key: "sh_size".to_owned(),
                path: "sh_size".to_owned(),
                from,
                to,
            });
        }
    }

    /// Compares the headers of two sections, except for their locations.
    fn header(
        &mut self,
        (a, b): (&Node, &Node),
        fields: &mut Sides<HeaderFields>,
        found: &mut Vec<Field>,
    ) {
        if fields.0.0.is_empty() {
            fields.0 = self.header_fields(Comparand::A, a);
            fields.1 = self.header_fields(Comparand::B, b);
        }
        let read = |comparer: &Self, which, node: &Node| {
            let span = node.span?;
            comparer.document(which).sources.read(span).ok()
        };
        self.work.spend(4);
        if let (Some(one), Some(other)) = (read(self, Comparand::A, a), read(self, Comparand::B, b))
        {
            let at = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
            let (of_a, of_b) = (&fields.0.0, &fields.1.0);
            let is_same = of_a.len() == of_b.len()
                && of_a
                    .iter()
                    .zip(of_b)
                    .all(|((x, from, to), (y, start, end))| {
                        x == y && one.get(at(*from)..at(*to)) == other.get(at(*start)..at(*end))
                    });
            if is_same {
                return;
            }
        }
        self.fields(a, b, &mut ValuePath::default(), found);
    }

    fn header_fields(&mut self, which: Comparand, node: &Node) -> HeaderFields {
        let start = node.span.map_or(0, |span| span.start);
        let children = self.children(which, node).into_iter();
        let places = children.filter_map(|child| {
            let span = child.span?;
            let place = |at: u64| at.saturating_sub(start);
            Some((child.name.into_owned(), place(span.start), place(span.end)))
        });
        HeaderFields(places.collect())
    }

    /// Compares the code of two sections. Returns `None` if there is no provider for it.
    pub(in crate::diff) fn code(
        &mut self,
        code: &Code,
        names: (&str, &str),
    ) -> Option<(CodeChange, CountsPair)> {
        let one = code.listing(Comparand::A, names.0, &self.a.sources)?;
        let other = code.listing(Comparand::B, names.1, &self.b.sources)?;
        let found = code_change(
            (&one, &self.a.sources),
            (&other, &self.b.sources),
            self.options.renumbered,
            &mut self.dictionary,
            &mut self.work,
        );
        if !found.0.is_shortest {
            let reason =
                "too different for the shortest list of differences; a longer one is listed";
            self.note_about(names.0, reason);
        }
        Some(found)
    }
}
