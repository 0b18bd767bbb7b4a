//! The symbols and relocations of a file as lists. gABI, "Symbol Table", "Relocation".

use std::collections::HashMap;
use std::rc::Rc;

use super::contents::Contents;
use crate::demangle::{demangle, is_mangled};
use crate::elf::file::ElfFile;
use crate::elf::relocation::Shape;
use crate::elf::section::{Section, SectionType};
use crate::elf::symbol::{SectionIndex, Symbol, SymbolType};
use crate::limits;
use crate::reader::Window;
use zeview_core::analysis::linkage::{self, Home, Linkage, Relocation, Tables};
use zeview_core::model::{Sources, Span, Str};

/// The symbols and relocations of a file with these contents.
pub(super) fn linkage(file: &Rc<ElfFile>, contents: &Rc<dyn Contents>) -> Linkage {
    let reader = Reader {
        file: Rc::clone(file),
        contents: Rc::clone(contents),
    };
    Linkage::new(move |sources| {
        let mut tables = reader.read(sources);
        demangle_all(&mut tables.symbols);
        tables
    })
}

struct Reader {
    file: Rc<ElfFile>,
    contents: Rc<dyn Contents>,
}

impl Reader {
    fn read(&self, sources: &Sources) -> Tables {
        let mut reading = Reading {
            file: &self.file,
            sources,
            tables: Tables::default(),
            places: HashMap::new(),
            kept: 0,
        };
        reading.tables.sections = self.file.sections.iter().map(|s| self.section(s)).collect();
        for section in &self.file.sections {
            if matches!(
                section.kind,
                SectionType::SHT_SYMTAB | SectionType::SHT_DYNSYM
            ) {
                reading.symbols(section);
            }
        }
        for section in &self.file.sections {
            if let Some(shape) = Shape::of(&self.file, section) {
                reading.relocations(section, shape);
            }
        }
        reading.tables
    }

    fn section(&self, section: &Section) -> linkage::Section {
        linkage::Section {
            name: section.name.clone(),
            bytes: section.place(),
            addr: section.addr,
            kernel: self.contents.kernel_of(&section.name),
        }
    }
}

/// Adds the demangled names.
fn demangle_all(symbols: &mut [linkage::Symbol]) {
    let mut done = 0;
    for symbol in symbols {
        if done < limits::DEMANGLED && is_mangled(&symbol.name) {
            symbol.demangled = demangle(&symbol.name);
            let made = symbol.demangled.as_ref().map_or(0, |text| text.len());
            done += symbol.name.len() + made;
        }
    }
}

struct Reading<'a> {
    file: &'a ElfFile,
    sources: &'a Sources,
    tables: Tables,
    /// Index of each table's first symbol in the list, and the number of its symbols, by section.
    places: HashMap<u64, (usize, u64)>,
    /// Total size of the listed names in bytes: many names may overlap.
    kept: u64,
}

impl Reading<'_> {
    /// Calls `f` for each entry of a table until it returns false.
    fn each(&mut self, table: Span, size: u64, f: &mut dyn FnMut(&mut Self, &Window, u64) -> bool) {
        let whole = table.len() / size.max(1);
        for index in 0..whole {
            // The sources read ahead.
            let entry = Window::clamped(self.sources, table.subspan(index * size, size));
            if !f(self, &entry, index) {
                self.tables.left_out += whole - index;
                return;
            }
        }
    }

    /// Number of relocations that may still be listed.
    fn left(&self) -> usize {
        let symbols = limits::LINKAGE_SYMBOL * self.tables.symbols.len();
        let names = usize::try_from(self.kept / limits::LINKAGE_NAMES).unwrap_or(usize::MAX);
        let listed = symbols.saturating_add(names) + self.tables.relocations.len();
        limits::linkage(self.file.span.len(), self.file.sections.len()).saturating_sub(listed)
    }

    fn is_full(&self) -> bool {
        self.left() == 0
    }

    fn symbols(&mut self, section: &Section) {
        let (class, endian) = (self.file.class, self.file.endian);
        let first = self.tables.symbols.len();
        self.each(
            section.bytes,
            Symbol::size(class),
            &mut |here, entry, index| {
                let Ok(symbol) = Symbol::read(&mut entry.reader(endian), class) else {
                    return false;
                };
                if here.is_full() {
                    return false;
                }
                let symbol = here.symbol(section, &symbol, index);
                here.tables.symbols.push(symbol);
                true
            },
        );
        let count = (self.tables.symbols.len() - first) as u64;
        self.places.insert(section.index, (first, count));
    }

    fn symbol(&mut self, table: &Section, symbol: &Symbol, index: u64) -> linkage::Symbol {
        let file = self.file;
        let strings = file.section(table.link).map_or(0, |s| s.bytes.len());
        let most = strings
            .saturating_mul(limits::WALKS)
            .saturating_add(limits::NAME as u64);
        let mut name = file.name_in(table.link, symbol.st_name);
        if self.kept >= most {
            name = name.chars().take(limits::NAME_CUT).collect();
        }
        let kind = symbol.kind();
        let binding = symbol.binding();
        let visibility = symbol.visibility();
        let home = file.section(symbol.st_shndx).filter(|s| s.index != 0);
        if let (true, Some(home)) = (kind == SymbolType::STT_SECTION && name.is_empty(), home) {
            let len = if self.kept >= most {
                limits::NAME_CUT
            } else {
                limits::NAME_SHOWN
            };
            name = home.name.chars().take(len).collect();
        }
        self.kept += name.len() as u64;
        let target = home.filter(|home| !home.bytes.is_empty()).and_then(|home| {
            // In a debug zebin values are addresses.
            let offset = symbol.st_value.checked_sub(home.addr)?;
            (offset < home.bytes.len()).then(|| home.bytes.subspan(offset, symbol.st_size))
        });
        linkage::Symbol {
            entry: symbol.origin,
            index,
            name,
            demangled: None,
            kind: short_name(kind.name(), kind.0.into()),
            binding: short_name(binding.name(), binding.0.into()),
            visibility: short_name(visibility.name(), visibility.0.into()),
            home: match home.and_then(|home| u32::try_from(home.index).ok()) {
                Some(index) => Home::Section(index),
                None => Home::Word(reserved(symbol.st_shndx)),
            },
            value: symbol.st_value,
            size: symbol.st_size,
            target,
            users: 0,
        }
    }

    fn relocations(&mut self, section: &Section, shape: Shape) {
        let file = self.file;
        let patches = file.section(section.info).filter(|s| s.index != 0);
        let patches_index = patches.and_then(|s| u32::try_from(s.index).ok());
        let symbols = self.places.get(&section.link).copied();
        let count = usize::try_from(section.bytes.len() / shape.size().max(1));
        let count = count.unwrap_or(usize::MAX).min(self.left());
        self.tables.relocations.reserve_exact(count);
        self.each(section.bytes, shape.size(), &mut |here, entry, _| {
            let Some(relocation) = shape.read(entry) else {
                return false;
            };
            if here.is_full() {
                return false;
            }
            // Symbol 0 is undefined.
            let symbol = symbols
                .filter(|(_, count)| (1..*count).contains(&relocation.symbol))
                .and_then(|(first, _)| first.checked_add(usize::try_from(relocation.symbol).ok()?));
            if let Some(symbol) = symbol.and_then(|at| here.tables.symbols.get_mut(at)) {
                symbol.users = symbol.users.saturating_add(1);
            }
            let patched = patches.and_then(|section| {
                let to = file.patched(section, &relocation);
                (!to.is_empty()).then_some(to)
            });
            here.tables.relocations.push(Relocation {
                entry: relocation.origin,
                kind: file.relocation_type(relocation.kind),
                part: (file.dialect.relocation_types().part)(relocation.kind),
                symbol: symbol.and_then(|at| u32::try_from(at).ok()),
                symbol_index: relocation.symbol,
                addend: relocation.addend,
                section: patches_index,
                offset: relocation.offset,
                patched,
            });
            true
        });
    }
}

/// `FUNC` for `STT_FUNC`; the number if it has no name.
fn short_name(name: Option<&'static str>, raw: u64) -> Str {
    match name {
        Some(name) => name.get(4..).unwrap_or(name).into(),
        None => raw.to_string().into(),
    }
}

/// Describes a reserved section index.
fn reserved(index: u64) -> Str {
    match u16::try_from(index)
        .ok()
        .and_then(|index| SectionIndex(index).name())
    {
        Some("SHN_UNDEF") => "undefined".into(),
        Some(name) => name.into(),
        None => format!("section {index}").into(),
    }
}
