//! Links between the parts of a zebin: a kernel, its code, symbols, relocations and GTPin data.

use std::collections::{HashMap, HashSet};
use std::rc::Rc;

use super::ze_info::Kernel;
use crate::elf::ElfFile;
use crate::elf::section::{Section, SectionType};
use zeview_core::model::{Span, Xref, sort};

/// The parts of each kernel and section.
#[derive(Default)]
pub struct Links {
    /// `None` for a text of `.ze_info` without a file around it.
    file: Option<Rc<ElfFile>>,
    /// The code section of a kernel, by name: the first one, as in the driver.
    text: HashMap<String, u64>,
    /// GTPin data, by the name of the kernel or function.
    gtpin: HashMap<String, u64>,
    /// The relocations of a section, by its index.
    relocations: HashMap<u64, Vec<u64>>,
    /// The entry in `.ze_info`, by the kernel's name.
    kernels: HashMap<String, Span>,
}

impl Links {
    /// Collects the links of a file.
    pub fn new(file: &Rc<ElfFile>, kernels: &[Kernel]) -> Links {
        let mut links = Links {
            file: Some(Rc::clone(file)),
            text: HashMap::new(),
            gtpin: HashMap::new(),
            relocations: HashMap::new(),
            kernels: HashMap::new(),
        };
        for section in &file.sections {
            if let Some(name) = section.name.strip_prefix(".text.") {
                links.text.entry(name.to_owned()).or_insert(section.index);
            }
            if section.kind == SectionType::SHT_ZEBIN_GTPIN_INFO {
                let name = gtpin_owner(section);
                links.gtpin.entry(name.to_owned()).or_insert(section.index);
            }
            if file.info_is_section(section) {
                let list = links.relocations.entry(section.info).or_default();
                list.push(section.index);
            }
        }
        for kernel in kernels {
            links
                .kernels
                .entry(kernel.name.clone())
                .or_insert(kernel.entry);
        }
        links
    }

    /// The kernel whose code is in the section with that name, and its entry in `.ze_info`. Returns
    /// `None` for other sections.
    pub fn kernel_of<'s>(&self, section: &'s str) -> Option<(&'s str, Span)> {
        let name = section.strip_prefix(".text.")?;
        Some((name, *self.kernels.get(name)?))
    }

    /// Returns whether `.ze_info` lists the kernel.
    pub fn is_listed(&self, kernel: &str) -> bool {
        self.kernels.contains_key(kernel)
    }

    /// Returns whether the kernel has code.
    pub fn has_text(&self, kernel: &str) -> bool {
        self.text.contains_key(kernel)
    }

    /// The size of a kernel's code, and the bytes that define it: its symbol's, or else the
    /// section's size, which includes the padding at its end. Returns `None` if the kernel has no
    /// code.
    pub fn code(&self, kernel: &str) -> Option<(u64, Span)> {
        let index = *self.text.get(kernel)?;
        let file = self.file.as_ref()?;
        let names = file.symbol_table().map_or(0, |table| table.link);
        let symbol = file.symbols_of(index).iter().find(|symbol| {
            // Sections of kernels with functions have several symbols; `_entry` is one without a
            // size.
            symbol.function && symbol.size > 0 && file.name_in(names, symbol.name) == kernel
        });
        match symbol {
            Some(symbol) => Some((symbol.size, symbol.entry)),
            None => file
                .section(index)
                .map(|section| (section.bytes.len(), section.bytes)),
        }
    }

    /// Number of bytes of code, of which sections may share some.
    pub fn code_bytes(&self) -> u64 {
        let sections = self.text.values();
        let sections = sections.filter_map(|index| self.file.as_ref()?.section(*index));
        let mut sections: Vec<Span> = sections.map(|section| section.bytes).collect();
        sort::ascending(&mut sections);
        let mut last = Span::default();
        let mut sum = 0_u64;
        for section in sections {
            let known = if last.source == section.source {
                last.end
            } else {
                0
            };
            let new = section.end.saturating_sub(section.start.max(known));
            sum = sum.saturating_add(new);
            last = if section.end > known { section } else { last };
        }
        sum
    }

    /// The section with the code of a kernel.
    pub fn code_section(&self, kernel: &str) -> Option<Span> {
        let section = self.file.as_ref()?.section(*self.text.get(kernel)?)?;
        Some(section.bytes)
    }

    fn section(&self, why: &'static str, index: u64) -> Option<Xref> {
        let section = self.file.as_ref()?.section(index)?;
        Some(Xref {
            why: why.into(),
            label: section.label().into(),
            to: section.bytes,
        })
    }

    /// The parts of the kernel with that name.
    pub fn of_kernel(&self, name: &str) -> Vec<Xref> {
        let mut found = Vec::new();
        if let Some(text) = self.text.get(name) {
            found.extend(self.section("code", *text));
            found.extend(self.symbols(*text));
            found.extend(self.relocations(*text));
        }
        if let Some(gtpin) = self.gtpin.get(name) {
            found.extend(self.section("gtpin", *gtpin));
        }
        found
    }

    /// The parts of a section: its kernel, symbol and relocations.
    pub fn of_section(&self, section: &Section) -> Vec<Xref> {
        let mut found = Vec::new();
        let name = match section.kind {
            SectionType::SHT_ZEBIN_GTPIN_INFO => Some(gtpin_owner(section)),
            _ => section.name.strip_prefix(".text."),
        };
        if let Some((name, entry)) = name.and_then(|n| Some((n, self.kernels.get(n)?))) {
            found.push(Xref {
                why: "kernel".into(),
                label: name.to_owned().into(),
                to: *entry,
            });
        }
        if section.kind == SectionType::SHT_PROGBITS {
            found.extend(self.symbols(section.index));
            found.extend(self.relocations(section.index));
            let gtpin = name.and_then(|n| self.gtpin.get(n));
            found.extend(gtpin.and_then(|g| self.section("gtpin", *g)));
        }
        if section.kind == SectionType::SHT_ZEBIN_GTPIN_INFO {
            let text = name.and_then(|n| self.text.get(n));
            found.extend(text.and_then(|t| self.section("code", *t)));
        }
        found
    }

    /// The entries of the symbols in the code of a kernel.
    pub fn symbol_entries(&self, kernel: &str) -> impl Iterator<Item = Span> {
        let file = self.file.as_ref().zip(self.text.get(kernel));
        let symbols = file.map(|(file, text)| file.symbols_of(*text));
        symbols.into_iter().flatten().map(|symbol| symbol.entry)
    }

    /// The symbol table entries of functions with these names; the first one of duplicates.
    pub fn function_entries(&self, names: &HashSet<&str>) -> HashMap<String, Span> {
        let mut found = HashMap::new();
        let Some(file) = &self.file else {
            return found;
        };
        let table = file.symbol_table().map_or(0, |table| table.link);
        for symbol in file.symbols.iter().filter(|symbol| symbol.function) {
            let name = file.name_in(table, symbol.name);
            if names.contains(&*name) {
                found.entry(name).or_insert(symbol.entry);
            }
        }
        found
    }

    fn symbols(&self, section: u64) -> Vec<Xref> {
        let Some(file) = &self.file else {
            return Vec::new();
        };
        let names = file.symbol_table().map_or(0, |t| t.link);
        // A section can have thousands of symbols; the list of symbols has all.
        let symbols = file.symbols_of(section).iter().take(16);
        symbols
            .map(|symbol| Xref {
                why: "symbol".into(),
                label: file.name_in(names, symbol.name).into(),
                to: symbol.entry,
            })
            .collect()
    }

    fn relocations(&self, section: u64) -> Vec<Xref> {
        let list = self
            .relocations
            .get(&section)
            .map_or(&[][..], Vec::as_slice);
        list.iter()
            .filter_map(|index| self.section("relocations", *index))
            .collect()
    }
}

/// The kernel or function of GTPin data, by its section name.
fn gtpin_owner(section: &Section) -> &str {
    section.name.strip_prefix(".gtpin_info.").unwrap_or("")
}
