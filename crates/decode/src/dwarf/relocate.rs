//! The relocations of debug sections. Their symbols are resolved by name: a symbol with the name of
//! a code section resolves to the start of that section, whatever its section index; any other
//! symbol resolves to its value. The zebin ELF specification does not define this; IGC's debug
//! information library writes it this way, and compute-runtime reads it this way.

use std::collections::HashMap;

use crate::elf::file::ElfFile;
use crate::elf::relocation::Shape;
use crate::elf::section::Section;
use crate::elf::symbol::Symbol;
use crate::reader::{Endian, Window, uint};
use zeview_core::model::Sources;
use zeview_core::model::sort;

/// A field of a section that a relocation patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PatchedField {
    /// Its offset in the section.
    pub(super) offset: usize,
    /// Its size in bytes.
    pub(super) width: usize,
    /// The patched value.
    pub(super) value: u64,
    /// The index of the code section that the value is in.
    pub(super) text: Option<u64>,
}

/// Resolves the symbols of a file.
pub(super) struct Symbols<'a> {
    file: &'a ElfFile,
    sources: &'a Sources,
    /// The starts and indexes of the code sections, by name.
    texts: HashMap<&'a str, (u64, u64)>,
    /// The symbols resolved so far, by number.
    known: HashMap<u64, Option<Address>>,
}

/// The address of a symbol, and the code section if the symbol has the name of one.
type Address = (u64, Option<u64>);

impl<'a> Symbols<'a> {
    /// Creates a resolver for a file; `texts` are its code sections.
    pub(super) fn new(file: &'a ElfFile, sources: &'a Sources, texts: &[u64]) -> Symbols<'a> {
        let texts = texts.iter().filter_map(|index| file.section(*index));
        Symbols {
            file,
            sources,
            texts: texts
                .map(|s| (s.name.as_str(), (s.addr, s.index)))
                .collect(),
            known: HashMap::new(),
        }
    }

    /// Returns the fields that the relocations in `table` patch in the bytes of a section, by
    /// offset; the first of several at one offset.
    pub(super) fn fixes(&mut self, table: &Section, bytes: &[u8]) -> Vec<PatchedField> {
        let Some(shape) = Shape::of(self.file, table) else {
            return Vec::new();
        };
        let mut fixes = Vec::new();
        for index in 0..table.bytes.len() / shape.size() {
            let entry = table.bytes.subspan(index * shape.size(), shape.size());
            fixes.extend(self.fix(shape, &Window::clamped(self.sources, entry), bytes));
        }
        sort::by_key(&mut fixes, |fix| fix.offset);
        // Offsets must be unique for the binary search in `Section::fix`.
        fixes.dedup_by_key(|fix| fix.offset);
        fixes
    }

    fn fix(&mut self, shape: Shape, entry: &Window, bytes: &[u8]) -> Option<PatchedField> {
        let relocation = shape.read(entry)?;
        // zebin ELF, Gen Relocation Type: R_SYM_ADDR and R_SYM_ADDR_32.
        let width = match relocation.kind {
            1 => 8,
            2 => 4,
            _ => return None,
        };
        let offset = usize::try_from(relocation.offset).ok()?;
        let stored = bytes.get(offset..offset.checked_add(width)?)?;
        let addend = match relocation.addend {
            Some(addend) => addend.cast_unsigned(),
            None => uint(stored, shape.endian),
        };
        let (address, text) = self.address(relocation.symbol)?;
        let value = address.wrapping_add(addend);
        Some(PatchedField {
            offset,
            width,
            value: if width == 4 {
                value & 0xffff_ffff
            } else {
                value
            },
            text,
        })
    }

    fn address(&mut self, symbol: u64) -> Option<Address> {
        if let Some(known) = self.known.get(&symbol) {
            return *known;
        }
        let found = self.find(symbol);
        self.known.insert(symbol, found);
        found
    }

    fn find(&self, symbol: u64) -> Option<Address> {
        let table = self.file.symbol_table()?;
        let size = Symbol::size(self.file.class);
        let entry = table.bytes.subspan(symbol.checked_mul(size)?, size);
        let entry = Window::read(self.sources, entry).ok()?;
        let symbol = Symbol::read(&mut entry.reader(self.file.endian), self.file.class).ok()?;
        let name = self.file.name_in(table.link, symbol.st_name);
        Some(match self.texts.get(name.as_str()) {
            Some((address, text)) => (*address, Some(*text)),
            None => (symbol.st_value, None),
        })
    }
}

/// Returns the bytes of a section with the relocations applied.
pub(super) fn patched(bytes: &[u8], fixes: &[PatchedField], endian: Endian) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    for fix in fixes {
        let end = fix.offset.saturating_add(fix.width);
        let value = fix.value.to_le_bytes();
        let (Some(place), Some(value)) = (bytes.get_mut(fix.offset..end), value.get(..fix.width))
        else {
            continue;
        };
        place.copy_from_slice(value);
        if endian == Endian::Big {
            place.reverse();
        }
    }
    bytes
}
