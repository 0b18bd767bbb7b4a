//! Two ELF files: sections by name, notes by owner and type, symbols and relocations by name and
//! target; kernels, where they have some.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::code::{BothCounts, CodeChange, code_change};
use super::entry::{Change, Entry, Field, Part, Said, Side};
use super::pair::is_plain;
use super::walk::{Way, is_document};
use super::ze_info::{Names, Renames};
use super::{Comparer, Which};
use crate::model::assembly::{Assembly, Listing};
use crate::model::kernels::Kernels;
use crate::model::linkage::{Home, Linkage, Relocation, Symbol, Tables};
use crate::model::node::{Area, Node, NodeKind};
use crate::model::source_lines::CodeSection;
use crate::model::span::Span;

/// The name of the section with what is said of kernels.
const ZE_INFO: &str = ".ze_info";
/// How the names of sections with code begin.
const TEXT: &str = ".text.";

/// A section.
#[derive(Default)]
struct Section {
    name: String,
    header: Option<Node>,
    contents: Option<Node>,
}

impl Section {
    /// The type, as the header says it; empty without one.
    fn kind(&self) -> &str {
        let summary = self
            .header
            .as_ref()
            .and_then(|node| node.summary.as_deref());
        summary
            .and_then(|text| text.split(',').next())
            .unwrap_or_default()
    }

    fn span(&self) -> Option<Span> {
        let contents = self.contents.as_ref().and_then(|node| node.span);
        contents.or_else(|| self.header.as_ref().and_then(|node| node.span))
    }

    fn bytes(&self) -> Option<Span> {
        let contents = self.contents.as_ref()?;
        contents.span.filter(|_| self.kind() != "SHT_NOBITS")
    }
}

/// What an ELF file is made of.
#[derive(Default)]
struct File {
    sections: Vec<Section>,
    /// The header, the program headers, and what belongs to no section.
    others: Vec<Node>,
}

/// Both sides of something.
type Both<T> = (T, T);

/// The code of both files: the sections, and who knows the instructions.
struct Code {
    assembly: Both<Rc<dyn Assembly>>,
    sections: Both<HashMap<String, Span>>,
}

/// What is said in the header of a section beside where it is: the places of the fields.
#[derive(Default)]
struct HeaderFields(Vec<(String, u64, u64)>);

impl Comparer<'_> {
    /// Compares two ELF files. `covered` are the images in them, which are compared by themselves.
    pub(super) fn elf(
        &mut self,
        (a, b): (&Node, &Node),
        linkage: (&dyn Linkage, &dyn Linkage),
        kernels: Both<Option<Rc<dyn Kernels>>>,
        assembly: Both<Option<Rc<dyn Assembly>>>,
        covered: Both<Vec<Span>>,
        at: u32,
    ) {
        self.forgetting(|comparer| {
            let files = (comparer.file(Which::A, a), comparer.file(Which::B, b));
            let names = (
                comparer.kernel_names(Which::A, files.0.ze_info()),
                comparer.kernel_names(Which::B, files.1.ze_info()),
            );
            let code = match assembly {
                (Some(one), Some(other)) => Some(Code {
                    sections: (by_name(&one.sections()), by_name(&other.sections())),
                    assembly: (one, other),
                }),
                _ => None,
            };
            let renames = comparer.renames(&names, &kernels, code.as_ref());
            let tables = (
                linkage.0.tables(&comparer.a.sources),
                linkage.1.tables(&comparer.b.sources),
            );
            let mut changed = Changed::default();
            comparer.sections(files, code.as_ref(), &renames, &covered, at, &mut changed);
            comparer.ze_info(&names, &kernels, &renames, &mut changed.code, at);
            let is_host = covered != (Vec::new(), Vec::new()) || has_addresses(&tables);
            comparer.symbols((&tables.0, &tables.1), &renames, is_host, at);
            comparer.relocations((&tables.0, &tables.1), &renames, &changed, is_host, at);
            for (tables, which) in [(&tables.0, "first"), (&tables.1, "second")] {
                if tables.left_out > 0 {
                    comparer.note(format!(
                        "{} symbols and relocations of the {which} file are not compared: there are too many",
                        tables.left_out
                    ));
                }
            }
        });
    }

    /// Takes a file apart.
    fn file(&mut self, which: Which, node: &Node) -> File {
        let mut file = File::default();
        let mut contents: HashMap<Span, Node> = HashMap::new();
        let mut headers = None;
        for child in self.children(which, node) {
            let header = child.xrefs.iter().find(|xref| xref.why == "section header");
            match header.map(|xref| xref.to) {
                Some(to) => {
                    contents.insert(to, child);
                }
                None if child.name == "section headers" && child.area == Area::Header => {
                    headers = Some(child);
                }
                None => file.others.push(child),
            }
        }
        if let Some(table) = headers {
            for header in self.children(which, &table) {
                let found = header.span.and_then(|span| contents.remove(&span));
                if header.name.is_empty() && found.is_none() {
                    continue;
                }
                file.sections.push(Section {
                    name: header.name.clone().into_owned(),
                    header: Some(header),
                    contents: found,
                });
            }
        }
        let mut rest: Vec<Node> = contents.into_values().collect();
        rest.sort_by_key(|node| node.span);
        file.others.extend(rest);
        file
    }

    /// Sections by name, and what is in none.
    fn sections(
        &mut self,
        files: Both<File>,
        code: Option<&Code>,
        renames: &Renames,
        covered: &Both<Vec<Span>>,
        at: u32,
        changed: &mut Changed,
    ) {
        let (of_a, of_b) = files;
        // Segments only say where sections are in memory.
        let keep = |nodes: Vec<Node>| -> Vec<Node> {
            let nodes = nodes.into_iter();
            nodes
                .filter(|node| node.name != "program headers")
                .collect()
        };
        self.named(keep(of_a.others), keep(of_b.others), at);
        let mut places: HashMap<(String, u32), Section> = HashMap::new();
        let mut order = Vec::new();
        let mut seen: HashMap<String, u32> = HashMap::new();
        for section in of_b.sections {
            let nth = seen.entry(section.name.clone()).or_default();
            *nth += 1;
            let key = (section.name.clone(), *nth);
            order.push(key.clone());
            places.insert(key, section);
        }
        seen.clear();
        let mut fields = (HeaderFields::default(), HeaderFields::default());
        for section in of_a.sections {
            let name = renames.section(&section.name);
            let nth = seen.entry(name.clone()).or_default();
            *nth += 1;
            match places.remove(&(name, *nth)) {
                Some(other) => {
                    self.section((&section, &other), code, covered, at, &mut fields, changed);
                }
                None => self.lonely_section(Which::A, &section, at),
            }
        }
        for key in order {
            if let Some(section) = places.remove(&key) {
                self.lonely_section(Which::B, &section, at);
            }
        }
    }

    fn lonely_section(&mut self, which: Which, section: &Section, at: u32) {
        let mut fields = Vec::new();
        let size = section.bytes().map_or(0, Span::len);
        let said = |key: &str, said: Said, span: Option<Span>| {
            let side = Some(Side::new(said, span));
            let (from, to) = match which {
                Which::A => (side, None),
                Which::B => (None, side),
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
            fields.push(said(
                "sh_type",
                Said::Text(section.kind().to_owned()),
                header,
            ));
        }
        fields.push(said("size", Said::count(size), section.span()));
        let notes = section
            .contents
            .as_ref()
            .filter(|_| section.kind() == "SHT_NOTE");
        if let Some(notes) = notes.cloned() {
            for note in self.children(which, &notes) {
                self.lonely_note(which, &note, at);
            }
        }
        let (change, a, b) = match which {
            Which::A => (Change::Removed, section.span(), None),
            Which::B => (Change::Added, None, section.span()),
        };
        let entry = Entry::new(Part::Section, change, at, &*section.name);
        self.push(entry.at(a, b).with(fields));
    }

    fn section(
        &mut self,
        (a, b): (&Section, &Section),
        code: Option<&Code>,
        covered: &Both<Vec<Span>>,
        at: u32,
        fields: &mut Both<HeaderFields>,
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
        let is_text = code.is_some_and(|code| {
            code.sections.0.contains_key(&a.name) && code.sections.1.contains_key(&b.name)
        });
        let both = (&a.contents, &b.contents);
        if a.name == ZE_INFO && b.name == ZE_INFO
            || matches!(
                kinds.0,
                "SHT_STRTAB" | "SHT_SYMTAB" | "SHT_DYNSYM" | "SHT_REL" | "SHT_RELA"
            )
        {
            // Compared as what it means.
        } else if kinds.0 == "SHT_NOBITS" && kinds.1 == "SHT_NOBITS" {
            self.memory((a, b), &mut found);
        } else if is_same {
        } else if let Some(code) = code.filter(|_| is_text) {
            changed.sections.insert(a.name.clone());
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
        } else if let ((Some(one), Some(other)), "SHT_NOTE") = ((both.0, both.1), kinds.0) {
            changed.sections.insert(a.name.clone());
            let notes = (self.children(Which::A, one), self.children(Which::B, other));
            match notes.0.is_empty() && notes.1.is_empty() {
                true => found.extend(self.contents(spans.0, spans.1)),
                false => self.notes(notes, at),
            }
        } else if let (Some(one), Some(other)) = both {
            changed.sections.insert(a.name.clone());
            self.section_contents((one, other), covered, at, &mut found);
        } else {
            changed.sections.insert(a.name.clone());
            found.extend(self.contents(spans.0, spans.1));
        }
        if !found.is_empty() {
            let entry = Entry::new(Part::Section, Change::Changed, at, &*a.name);
            self.push(entry.at(a.span(), b.span()).with(found));
        }
    }

    /// What is in two sections, where that is not the same.
    fn section_contents(
        &mut self,
        (a, b): (&Node, &Node),
        covered: &Both<Vec<Span>>,
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
            let children = (self.children(Which::A, a), self.children(Which::B, b));
            if has_documents(&children.0) || has_documents(&children.1) {
                self.named(children.0, children.1, at);
                return;
            }
        }
        match is_plain(a) || is_plain(b) {
            true => found.extend(self.contents(spans.0, spans.1)),
            false => self.fields(a, b, &mut Way::default(), found),
        }
    }

    /// The bytes of two sections around the images in them.
    fn around_images(
        &mut self,
        spans: Both<Span>,
        covered: &Both<Vec<Span>>,
        found: &mut Vec<Field>,
    ) {
        let rest = |comparer: &mut Self, which, span: Span, covered: &[Span]| {
            let mut inside: Vec<Span> = covered.to_vec();
            inside.retain(|image| span.contains(*image));
            inside.sort_unstable();
            let mut bytes = Vec::new();
            let mut at = span.start;
            let end = Span::new(span.source, span.end, span.end);
            for image in inside.into_iter().chain([end]) {
                let between = Span::new(span.source, at, image.start);
                comparer.work.spend(between.len() / 16);
                if between.len() < AROUND_MAX {
                    let sources = &comparer.document(which).sources;
                    if let Ok(read) = sources.read(between) {
                        bytes.extend_from_slice(&read);
                    }
                }
                at = at.max(image.end);
            }
            // Between images there may be only zero bytes up to an alignment.
            bytes.retain(|byte| *byte != 0);
            bytes
        };
        let one = rest(self, Which::A, spans.0, &covered.0);
        let other = rest(self, Which::B, spans.1, &covered.1);
        if one != other {
            let said = |bytes: &[u8]| {
                let head = bytes.iter().take(64).copied().collect();
                Said::Bytes(head, bytes.len() as u64)
            };
            found.push(Field {
                key: "contents".to_owned(),
                path: "contents outside of images".to_owned(),
                from: Some(Side::new(said(&one), spans.0)),
                to: Some(Side::new(said(&other), spans.1)),
            });
        }
    }

    /// Memory without bytes in the file: its size.
    fn memory(&mut self, (a, b): (&Section, &Section), found: &mut Vec<Field>) {
        let size = |comparer: &mut Self, which, section: &Section| {
            let header = section.header.as_ref()?;
            let document = comparer.document(which);
            let count = document.count(header);
            let fields = document.make(header, 0..count);
            let size = fields.into_iter().find(|field| field.name == "sh_size")?;
            Some(Side::new(Said::of(&size.value)?, size.span))
        };
        let (from, to) = (size(self, Which::A, a), size(self, Which::B, b));
        let number = |side: &Option<Side>| side.as_ref().and_then(|side| side.said.number());
        if number(&from) != number(&to) {
            found.push(Field {
                key: "sh_size".to_owned(),
                path: "sh_size".to_owned(),
                from,
                to,
            });
        }
    }

    /// What the headers of two sections say beside where the sections are.
    fn header(
        &mut self,
        (a, b): (&Node, &Node),
        fields: &mut Both<HeaderFields>,
        found: &mut Vec<Field>,
    ) {
        if fields.0.0.is_empty() {
            fields.0 = self.header_fields(Which::A, a);
            fields.1 = self.header_fields(Which::B, b);
        }
        let read = |comparer: &Self, which, node: &Node| {
            let span = node.span?;
            comparer.document(which).sources.read(span).ok()
        };
        self.work.spend(4);
        if let (Some(one), Some(other)) = (read(self, Which::A, a), read(self, Which::B, b)) {
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
        self.fields(a, b, &mut Way::default(), found);
    }

    fn header_fields(&mut self, which: Which, node: &Node) -> HeaderFields {
        let start = node.span.map_or(0, |span| span.start);
        let children = self.children(which, node).into_iter();
        let places = children.filter_map(|child| {
            let span = child.span?;
            let place = |at: u64| at.saturating_sub(start);
            Some((child.name.into_owned(), place(span.start), place(span.end)))
        });
        HeaderFields(places.collect())
    }

    /// How the code of two sections differs. `None` where it is not known who reads it.
    fn code(&mut self, code: &Code, names: (&str, &str)) -> Option<(CodeChange, BothCounts)> {
        let spans = (
            *code.sections.0.get(names.0)?,
            *code.sections.1.get(names.1)?,
        );
        let one = listing(&code.assembly.0, spans.0, self, Which::A)?;
        let other = listing(&code.assembly.1, spans.1, self, Which::B)?;
        let found = code_change(
            (&one, &self.a.sources),
            (&other, &self.b.sources),
            self.options.renumbered,
            &mut self.dictionary,
            &mut self.work,
        );
        if !found.0.is_shortest {
            self.note(format!(
                "{}: the code differs too much to find the shortest list of differences",
                names.0
            ));
        }
        Some(found)
    }

    /// Notes by owner and type.
    fn notes(&mut self, (a, b): Both<Vec<Node>>, at: u32) {
        let key = |comparer: &mut Self, which, note: &Node| {
            let children = comparer.children(which, note);
            let owner = children.iter().find(|child| child.name == "name");
            let owner = owner.and_then(|child| Said::of(&child.value));
            (
                owner.map(|said| said.text()).unwrap_or_default(),
                note.name.to_string(),
            )
        };
        let mut places: HashMap<(String, String, u32), Node> = HashMap::new();
        let mut order = Vec::new();
        let mut seen: HashMap<(String, String), u32> = HashMap::new();
        for note in b {
            let (owner, name) = key(self, Which::B, &note);
            let nth = seen.entry((owner.clone(), name.clone())).or_default();
            *nth += 1;
            order.push((owner.clone(), name.clone(), *nth));
            places.insert((owner, name, *nth), note);
        }
        seen.clear();
        for note in a {
            let (owner, name) = key(self, Which::A, &note);
            let nth = seen.entry((owner.clone(), name.clone())).or_default();
            *nth += 1;
            let Some(other) = places.remove(&(owner, name, *nth)) else {
                self.lonely_note(Which::A, &note, at);
                continue;
            };
            let mut fields = Vec::new();
            self.fields(&note, &other, &mut Way::default(), &mut fields);
            if !fields.is_empty() {
                let entry = Entry::new(Part::Note, Change::Changed, at, &*note.name);
                self.push(entry.at(note.span, other.span).with(fields));
            }
        }
        for key in order {
            if let Some(note) = places.remove(&key) {
                self.lonely_note(Which::B, &note, at);
            }
        }
    }

    fn lonely_note(&mut self, which: Which, note: &Node, at: u32) {
        let mut fields = Vec::new();
        self.only(which, note, &mut Way::default(), &mut fields);
        let (change, a, b) = match which {
            Which::A => (Change::Removed, note.span, None),
            Which::B => (Change::Added, None, note.span),
        };
        self.push(
            Entry::new(Part::Note, change, at, &*note.name)
                .at(a, b)
                .with(fields),
        );
    }

    /// Symbols by name and the section where they live.
    fn symbols(&mut self, (a, b): (&Tables, &Tables), renames: &Renames, is_host: bool, at: u32) {
        type Key = (String, String, u32);
        let keyed = |tables: &Tables, renamed: bool| -> Vec<Key> {
            let mut seen: HashMap<(String, String), u32> = HashMap::new();
            let keys = tables.symbols.iter().map(|symbol| {
                let home = home(tables, symbol);
                let (name, home) = match renamed {
                    true => (renames.kernel(&symbol.name), renames.section(&home)),
                    false => (symbol.name.clone(), home),
                };
                let nth = seen.entry((name.clone(), home.clone())).or_default();
                *nth += 1;
                (name, home, *nth)
            });
            keys.collect()
        };
        self.work
            .spend(16 * (a.symbols.len() + b.symbols.len()) as u64);
        let keys = (keyed(a, true), keyed(b, false));
        let mut places: HashMap<&Key, usize> = HashMap::new();
        for (place, (key, symbol)) in keys.1.iter().zip(&b.symbols).enumerate() {
            if !symbol.is_null() {
                places.insert(key, place);
            }
        }
        let mut lost: Vec<&Symbol> = Vec::new();
        let mut pairs: Vec<(&Symbol, usize)> = Vec::new();
        for (key, symbol) in keys.0.iter().zip(&a.symbols) {
            match places.remove(key) {
                _ if symbol.is_null() => {}
                Some(other) => pairs.push((symbol, other)),
                None => lost.push(symbol),
            }
        }
        // Those that live elsewhere now. A local symbol of that name is another one.
        let is_local = |symbol: &Symbol| &*symbol.binding == "LOCAL";
        let mut by_name: HashMap<&str, Vec<usize>> = HashMap::new();
        for (place, (key, symbol)) in keys.1.iter().zip(&b.symbols).enumerate().rev() {
            if places.contains_key(key) && !is_local(symbol) {
                by_name.entry(&symbol.name).or_default().push(place);
            }
        }
        let mut gone = Vec::new();
        for symbol in lost {
            let name = renames.kernel(&symbol.name);
            let others = by_name.get_mut(name.as_str());
            match others.filter(|_| !is_local(symbol)).and_then(Vec::pop) {
                Some(other) => pairs.push((symbol, other)),
                None => gone.push(symbol),
            }
        }
        // A table may stand twice: symbols are told apart by their places, not by their bytes.
        let mut is_paired = vec![false; b.symbols.len()];
        for (symbol, place) in pairs {
            if let (Some(other), Some(paired)) = (b.symbols.get(place), is_paired.get_mut(place)) {
                *paired = true;
                self.symbol((a, symbol), (b, other), is_host, at);
            }
        }
        for symbol in gone {
            self.lonely_symbol(Which::A, a, symbol, at);
        }
        for (symbol, is_paired) in b.symbols.iter().zip(is_paired) {
            if !is_paired && !symbol.is_null() {
                self.lonely_symbol(Which::B, b, symbol, at);
            }
        }
    }

    fn lonely_symbol(&mut self, which: Which, tables: &Tables, symbol: &Symbol, at: u32) {
        let mut fields = Vec::new();
        for (key, said) in symbol_fields(tables, symbol) {
            let side = Some(Side::new(said, symbol.entry));
            let (from, to) = match which {
                Which::A => (side, None),
                Which::B => (None, side),
            };
            fields.push(Field {
                key: key.to_owned(),
                path: key.to_owned(),
                from,
                to,
            });
        }
        let (change, a, b) = match which {
            Which::A => (Change::Removed, Some(symbol.entry), None),
            Which::B => (Change::Added, None, Some(symbol.entry)),
        };
        let mut entry = Entry::new(Part::Symbol, change, at, &*symbol.name);
        entry.demangled.clone_from(&symbol.demangled);
        self.push(entry.at(a, b).with(fields));
    }

    fn symbol(
        &mut self,
        (of_a, a): (&Tables, &Symbol),
        (of_b, b): (&Tables, &Symbol),
        is_host: bool,
        at: u32,
    ) {
        let mut fields = Vec::new();
        let sides = symbol_fields(of_a, a)
            .into_iter()
            .zip(symbol_fields(of_b, b));
        for ((key, from), (_, to)) in sides {
            // Addresses of a linked file change with everything before them.
            if from != to && !(is_host && key == "st_value") {
                fields.push(Field {
                    key: key.to_owned(),
                    path: key.to_owned(),
                    from: Some(Side::new(from, a.entry)),
                    to: Some(Side::new(to, b.entry)),
                });
            }
        }
        if !fields.is_empty() {
            let mut entry = Entry::new(Part::Symbol, Change::Changed, at, &*a.name);
            entry.demangled.clone_from(&a.demangled);
            entry.new_name = (a.name != b.name).then(|| b.name.clone());
            self.push(entry.at(Some(a.entry), Some(b.entry)).with(fields));
        }
    }

    /// Relocations by what they patch, their kind, and the symbol.
    fn relocations(
        &mut self,
        (a, b): (&Tables, &Tables),
        renames: &Renames,
        changed: &Changed,
        is_host: bool,
        at: u32,
    ) {
        type Key = (String, String, String);
        fn grouped<'t>(
            tables: &'t Tables,
            renames: Option<&Renames>,
        ) -> BTreeMap<Key, Vec<&'t Relocation>> {
            let mut groups: BTreeMap<Key, Vec<&Relocation>> = BTreeMap::new();
            for relocation in &tables.relocations {
                let section = tables
                    .patches(relocation)
                    .map_or("", |section| &section.name);
                let symbol = tables
                    .symbol_of(relocation)
                    .map_or("", |symbol| &symbol.name);
                let key = match renames {
                    Some(renames) => (renames.section(section), renames.kernel(symbol)),
                    None => (section.to_owned(), symbol.to_owned()),
                };
                let key = (key.0, relocation.kind.clone().into_owned(), key.1);
                groups.entry(key).or_default().push(relocation);
            }
            for group in groups.values_mut() {
                group.sort_by_key(|relocation| (relocation.offset, relocation.entry));
            }
            groups
        }
        self.work
            .spend(16 * (a.relocations.len() + b.relocations.len()) as u64);
        let (of_a, mut of_b) = (grouped(a, Some(renames)), grouped(b, None));
        for (key, group) in of_a {
            let other = of_b.remove(&key).unwrap_or_default();
            // Code that differs has moved what is patched in it.
            let has_moved = is_host || changed.has_moved(&key.0, renames);
            self.relocation_group(&key, (&group, &other), has_moved, at);
        }
        for (key, group) in of_b {
            self.relocation_group(&key, (&[], &group), true, at);
        }
    }

    fn relocation_group(
        &mut self,
        (section, kind, symbol): &(String, String, String),
        (a, b): (&[&Relocation], &[&Relocation]),
        has_moved: bool,
        at: u32,
    ) {
        let mut fields = Vec::new();
        if a.len() != b.len() {
            let side = |group: &[&Relocation]| {
                let first = group.first()?;
                Some(Side::new(Said::count(group.len() as u64), first.entry))
            };
            fields.push(Field {
                key: "relocations".to_owned(),
                path: "relocations".to_owned(),
                from: side(a),
                to: side(b),
            });
        }
        for (number, (one, other)) in a.iter().zip(b).enumerate() {
            let mut differs = |key: &str, from: Said, to: Said| {
                if from != to {
                    fields.push(Field {
                        key: key.to_owned(),
                        path: format!("[{number}]/{key}"),
                        from: Some(Side::new(from, one.entry)),
                        to: Some(Side::new(to, other.entry)),
                    });
                }
            };
            if !has_moved && a.len() == b.len() {
                let hex = |offset| Said::Hex(offset, None);
                differs("r_offset", hex(one.offset), hex(other.offset));
            }
            if !has_moved || a.len() == b.len() && !symbol.is_empty() {
                let addend = |relocation: &Relocation| {
                    Said::Number(relocation.addend.unwrap_or(0).into(), None)
                };
                differs("r_addend", addend(one), addend(other));
            }
        }
        if fields.is_empty() {
            return;
        }
        let change = match (a.is_empty(), b.is_empty()) {
            (true, _) => Change::Added,
            (_, true) => Change::Removed,
            _ => Change::Changed,
        };
        let words = [section.as_str(), kind.as_str(), symbol.as_str()];
        let words: Vec<&str> = words.into_iter().filter(|word| !word.is_empty()).collect();
        let entry = Entry::new(Part::Relocation, change, at, words.join(" "));
        let span = |group: &[&Relocation]| group.first().map(|relocation| relocation.entry);
        self.push(entry.at(span(a), span(b)).with(fields));
    }
}

/// So many bytes between two images are looked at.
const AROUND_MAX: u64 = 64 << 20;

/// What has changed in the sections.
#[derive(Default)]
pub(super) struct Changed {
    /// How the code of kernels and functions differs, by their names in the first file.
    pub code: BTreeMap<String, (CodeChange, BothCounts)>,
    /// The sections whose contents differ, by their names in the first file.
    sections: std::collections::HashSet<String>,
}

impl Changed {
    /// Has what is patched in a section moved? The name is that in the second file.
    fn has_moved(&self, section: &str, renames: &Renames) -> bool {
        self.sections.contains(section)
            || self
                .sections
                .iter()
                .any(|name| !renames.is_empty() && renames.section(name) == section)
    }
}

impl File {
    fn ze_info(&self) -> Option<&Node> {
        let section = self.sections.iter().find(|section| section.name == ZE_INFO);
        let own = section.and_then(|section| section.contents.as_ref());
        own.or_else(|| self.others.iter().find(|node| node.name == ZE_INFO))
    }
}

/// The listing of a section of code.
fn listing(
    assembly: &Rc<dyn Assembly>,
    code: Span,
    comparer: &Comparer<'_>,
    which: Which,
) -> Option<Rc<dyn Listing>> {
    let sources = &comparer.document(which).sources;
    assembly.listing(code, None, sources).ok()
}

fn by_name(sections: &[CodeSection]) -> HashMap<String, Span> {
    let mut found = HashMap::new();
    for section in sections {
        found.entry(section.name.clone()).or_insert(section.bytes);
    }
    found
}

fn has_addresses(tables: &Both<Rc<Tables>>) -> bool {
    let any = |tables: &Tables| tables.sections.iter().any(|section| section.addr != 0);
    any(&tables.0) || any(&tables.1)
}

/// Where a symbol lives, in a word.
fn home(tables: &Tables, symbol: &Symbol) -> String {
    match (&symbol.home, tables.home(symbol)) {
        (_, Some(section)) => section.name.clone(),
        (Home::Word(word), None) => word.clone().into_owned(),
        (Home::Section(index), None) => format!("section {index}"),
    }
}

/// What is said of a symbol, with the names of the fields.
fn symbol_fields(tables: &Tables, symbol: &Symbol) -> Vec<(&'static str, Said)> {
    let text = |text: &str| Said::Text(text.to_owned());
    vec![
        ("type", text(&symbol.kind)),
        ("binding", text(&symbol.binding)),
        ("visibility", text(&symbol.visibility)),
        ("st_shndx", Said::Text(home(tables, symbol))),
        ("st_value", Said::Hex(symbol.value, None)),
        ("st_size", Said::count(symbol.size)),
    ]
}

impl Comparer<'_> {
    /// The kernels that have another name in the second file.
    fn renames(
        &mut self,
        names: &Both<Names>,
        kernels: &Both<Option<Rc<dyn Kernels>>>,
        code: Option<&Code>,
    ) -> Renames {
        use super::likeness::{Signature, renamed};
        let left = names.0.left(&names.1);
        if left.0.is_empty() || left.1.is_empty() {
            return Renames::default();
        }
        let mut signatures = |which, left: &[String]| -> Vec<Signature> {
            let kernels = match which {
                Which::A => &kernels.0,
                Which::B => &kernels.1,
            };
            let rows = kernels
                .as_ref()
                .map(|k| k.rows(&self.document(which).sources));
            let mut places: HashMap<&str, usize> = HashMap::new();
            for (at, row) in rows.iter().flat_map(|rows| rows.iter()).enumerate() {
                places.entry(&row.name.value).or_insert(at);
            }
            let mut found = Vec::new();
            for name in left {
                let place = places.get(name.as_str());
                let arguments = match (kernels, place) {
                    (Some(kernels), Some(place)) if !self.work.is_over() => {
                        self.work.spend(256);
                        let detail = kernels.detail(*place, &self.document(which).sources);
                        detail.map_or_else(String::new, |detail| super::ze_info::arguments(&detail))
                    }
                    _ => String::new(),
                };
                let listing = code.and_then(|code| {
                    let (assembly, sections) = match which {
                        Which::A => (&code.assembly.0, &code.sections.0),
                        Which::B => (&code.assembly.1, &code.sections.1),
                    };
                    let span = *sections.get(&format!("{TEXT}{name}"))?;
                    listing(assembly, span, self, which)
                });
                let document = match which {
                    Which::A => &*self.a,
                    Which::B => &*self.b,
                };
                found.push(Signature::new(
                    arguments,
                    listing.as_deref(),
                    &document.sources,
                    &mut self.work,
                ));
            }
            found
        };
        let one = signatures(Which::A, &left.0);
        let other = signatures(Which::B, &left.1);
        let pairs = renamed(&one, &other, &mut self.work).into_iter();
        let pairs =
            pairs.filter_map(|(a, b)| Some((left.0.get(a)?.clone(), left.1.get(b)?.clone())));
        Renames::new(pairs.collect())
    }
}
