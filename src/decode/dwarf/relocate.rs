//! The relocations of debug sections. Their symbols are resolved by name: one that is called
//! as a section of code stands for its start, wherever its own section index leads; any other
//! for its value. zebin ELF says nothing of it; IGC's debug information library writes it so,
//! and compute-runtime reads it so.

use std::collections::HashMap;

use super::{flag, kind};
use crate::decode::deep::Piece;
use crate::decode::reader::{Endian, uint};

/// A place that a relocation patches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Fix {
    /// The part, and the offset in it.
    pub(super) place: (u32, u64),
    /// How many bytes.
    pub(super) width: usize,
    /// What is put there.
    pub(super) value: u64,
    /// The section of code that it is in, by its part.
    pub(super) text: Option<u32>,
}

/// All places that are patched, in order.
pub(super) fn fixes(pieces: &[Piece]) -> Vec<Fix> {
    let symbols = Symbols::of(pieces);
    let mut fixes = Vec::new();
    for piece in pieces {
        let [kind, _, target, flags] = piece.numbers;
        let addend = match kind {
            kind::REL => false,
            kind::RELA => true,
            _ => continue,
        };
        let layout = Layout::of(flags, addend);
        for entry in piece.bytes.chunks_exact(layout.size) {
            let fix = layout.fix(entry, target, &symbols, pieces);
            fixes.extend(fix);
        }
    }
    fixes.sort_by_key(|fix| fix.place);
    fixes.dedup_by_key(|fix| fix.place);
    fixes
}

/// How the entries of a table look: gABI, Relocation.
struct Layout {
    word: usize,
    size: usize,
    endian: Endian,
    addend: bool,
}

pub(super) fn endian(flags: u64) -> Endian {
    match flags & flag::BIG {
        0 => Endian::Little,
        _ => Endian::Big,
    }
}

impl Layout {
    fn of(flags: u64, addend: bool) -> Layout {
        let word = if flags & flag::NARROW == 0 { 8 } else { 4 };
        Layout {
            word,
            size: word * if addend { 3 } else { 2 },
            endian: endian(flags),
            addend,
        }
    }

    fn word(&self, entry: &[u8], number: usize) -> u64 {
        let bytes = entry.chunks_exact(self.word).nth(number);
        uint(bytes.unwrap_or(&[]), self.endian)
    }

    fn fix(&self, entry: &[u8], target: u64, symbols: &Symbols, pieces: &[Piece]) -> Option<Fix> {
        let (offset, info) = (self.word(entry, 0), self.word(entry, 1));
        let (symbol, kind) = match self.word {
            8 => (info >> 32, info & 0xffff_ffff),
            _ => (info >> 8, info & 0xff),
        };
        // zebin ELF, Gen Relocation Type: R_SYM_ADDR, R_SYM_ADDR_32.
        let width = match kind {
            1 => 8,
            2 => 4,
            _ => return None,
        };
        let part = u32::try_from(target).ok()?;
        let bytes = &pieces.get(usize::try_from(target).ok()?)?.bytes;
        let from = usize::try_from(offset).ok()?;
        let there = bytes.get(from..from.checked_add(width)?)?;
        let addend = match (self.addend, self.word) {
            (false, _) => uint(there, self.endian),
            (true, 8) => self.word(entry, 2),
            (true, _) => {
                let narrow = u32::try_from(self.word(entry, 2)).unwrap_or(0);
                i64::from(narrow.cast_signed()).cast_unsigned()
            }
        };
        let (address, text) = symbols.get(symbol)?;
        let value = address.wrapping_add(addend);
        Some(Fix {
            place: (part, offset),
            width,
            value: if width == 4 {
                value & 0xffff_ffff
            } else {
                value
            },
            text,
        })
    }
}

/// The symbol table, with the sections of code by name.
struct Symbols<'a> {
    entries: &'a [u8],
    names: &'a [u8],
    flags: u64,
    texts: HashMap<&'a [u8], (u64, u32)>,
}

impl<'a> Symbols<'a> {
    fn of(pieces: &'a [Piece]) -> Symbols<'a> {
        let table = |kind: u64| pieces.iter().find(|piece| piece.numbers[0] == kind);
        let symbols = table(kind::SYMBOLS);
        let texts = (0..)
            .zip(pieces)
            .filter(|(_, p)| p.numbers[0] == kind::TEXT);
        let texts = texts.map(|(part, p)| (p.name.as_bytes(), (p.numbers[1], part)));
        Symbols {
            entries: symbols.map_or(&[], |piece| &piece.bytes),
            names: table(kind::NAMES).map_or(&[], |piece| &piece.bytes),
            flags: symbols.map_or(0, |piece| piece.numbers[3]),
            texts: texts.collect(),
        }
    }

    /// The address of a symbol, and the section of code if it is one's name.
    fn get(&self, index: u64) -> Option<(u64, Option<u32>)> {
        let (size, value) = match self.flags & flag::NARROW {
            0 => (24, 8..16),
            _ => (16, 4..8),
        };
        let entry = self
            .entries
            .chunks_exact(size)
            .nth(usize::try_from(index).ok()?)?;
        let endian = endian(self.flags);
        let name = usize::try_from(uint(entry.get(..4)?, endian)).ok()?;
        let name = self.names.get(name..).unwrap_or(&[]);
        let name = name.split(|byte| *byte == 0).next().unwrap_or(&[]);
        if let Some((address, part)) = self.texts.get(name) {
            return Some((*address, Some(*part)));
        }
        Some((uint(entry.get(value)?, endian), None))
    }
}
