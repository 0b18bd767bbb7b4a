//! Follows image structs to their entries, property sets and strings.

use std::collections::HashSet;

use super::index::{ImageStruct, Index, Piece, RecordKind, piece};
use super::memory::Memory;
use super::records::{self, Layout};
use zeview_core::analysis::host_images::EXPORTED;
use zeview_core::model::account::Account;
use zeview_core::model::{Sources, Span};

impl Index {
    /// Returns the layout of the entries in a range of addresses.
    pub fn entry_layout(&self, sources: &Sources, (begin, end): (u64, u64)) -> &'static Layout {
        let size = self.size(&records::NEW_ENTRY);
        let first = self.memory.record(sources, begin, 16);
        let is_new = first.is_some_and(|first| {
            first.number(0, 8) == 0
                && first.number(8, 2) == 1
                && matches!(first.number(10, 2), 4 | 8)
                && first.number(12, 4) == 0
                // An older entry has the pointer to its name here, whose stored bytes may look the
                // same.
                && first.relocation(8).is_none()
                && end.saturating_sub(begin) % size == 0
        });
        if is_new {
            &records::NEW_ENTRY
        } else {
            &records::OLD_ENTRY
        }
    }

    /// Returns the addresses of the records in a range.
    pub fn places(&self, layout: &Layout, (begin, end): (u64, u64)) -> impl Iterator<Item = u64> {
        let size = self.size(layout);
        let count = end.saturating_sub(begin) / size;
        (0..count).map(move |index| begin.saturating_add(index * size))
    }

    /// Returns the number of entries of an image.
    pub(super) fn count_entries(&self, sources: &Sources, found: &ImageStruct) -> u64 {
        match self.memory.between(found.entries.0, found.entries.1) {
            Some(span) if !span.is_empty() => {
                span.len() / self.size(self.entry_layout(sources, found.entries))
            }
            _ => 0,
        }
    }

    /// Returns the number of functions that an image exports.
    pub(super) fn count_exported(
        &self,
        sources: &Sources,
        left: &Account,
        exported: &mut Exported,
        found: &ImageStruct,
    ) -> u64 {
        let mut count = 0;
        for address in self.places(&records::SET, found.sets) {
            if !left.take(RECORD) {
                break;
            }
            let Some(set) = self.record(sources, &records::SET, address) else {
                continue;
            };
            if exported.is(&self.memory, sources, set.pointer("Name")) {
                let range = set.range("PropertiesBegin", "PropertiesEnd");
                let span = self.memory.between(range.0, range.1).unwrap_or_default();
                count += span.len() / self.size(&records::PROPERTY);
            }
        }
        count
    }

    /// Follows all image structs.
    pub(super) fn walk(&self, sources: &Sources) -> Vec<Piece> {
        let mut walk = Walk {
            left: Account::for_file(self.memory.file.len(), WALK, WALK_MORE),
            seen: HashSet::new(),
            pieces: Vec::new(),
        };
        for (of, found) in self.structs.iter().enumerate() {
            if !walk.left.take(PIECE) {
                break;
            }
            let mut layouts = records::IMAGES.iter();
            let layout = layouts.find(|layout| self.size(layout) == found.span.len());
            let read = layout.and_then(|layout| self.record(sources, layout, found.address));
            if let Some(read) = read {
                for text in ["DeviceTargetSpec", "CompileOptions", "LinkOptions"] {
                    walk.text(&self.memory, read.pointer(text), of);
                }
            }
            self.walk_entries(sources, &mut walk, found, of);
            self.walk_sets(sources, &mut walk, found, of);
        }
        walk.pieces
    }

    fn walk_entries(&self, sources: &Sources, walk: &mut Walk, found: &ImageStruct, of: usize) {
        let Some(span) = self.memory.between(found.entries.0, found.entries.1) else {
            return;
        };
        let layout = self.entry_layout(sources, found.entries);
        let is_new = std::ptr::eq(layout, &records::NEW_ENTRY);
        let (kind, name) = if is_new {
            (RecordKind::NewEntries, "SymbolName")
        } else {
            (RecordKind::OldEntries, "name")
        };
        if !walk.is_new(span, self.size(layout), kind, of) {
            return;
        }
        for address in self.places(layout, found.entries) {
            if !walk.left.take(PIECE) {
                break;
            }
            if let Some(read) = self.record(sources, layout, address) {
                walk.text(&self.memory, read.pointer(name), of);
            }
        }
    }

    fn walk_sets(&self, sources: &Sources, walk: &mut Walk, found: &ImageStruct, of: usize) {
        let Some(span) = self.memory.between(found.sets.0, found.sets.1) else {
            return;
        };
        if !walk.is_new(span, self.size(&records::SET), RecordKind::Sets, of) {
            return;
        }
        for address in self.places(&records::SET, found.sets) {
            if !walk.left.take(PIECE) {
                break;
            }
            let Some(set) = self.record(sources, &records::SET, address) else {
                continue;
            };
            walk.text(&self.memory, set.pointer("Name"), of);
            let range = set.range("PropertiesBegin", "PropertiesEnd");
            let span = self.memory.between(range.0, range.1).unwrap_or_default();
            if !walk.is_new(
                span,
                self.size(&records::PROPERTY),
                RecordKind::Properties,
                of,
            ) {
                continue;
            }
            for address in self.places(&records::PROPERTY, range) {
                if !walk.left.take(PIECE) {
                    break;
                }
                let Some(property) = self.record(sources, &records::PROPERTY, address) else {
                    continue;
                };
                walk.text(&self.memory, property.pointer("Name"), of);
                let value = property.pointer("ValAddr");
                let end = value.saturating_add(property.number("ValSize"));
                if let Some(span) = self.memory.between(value, end).filter(|_| value > 0) {
                    walk.pieces.push(piece(span, RecordKind::Bytes, of));
                }
            }
        }
    }
}

/// The cost of a record in [`record_account`], in bytes.
pub(super) const RECORD: u64 = 8;

/// Limits the records that are read for the facts of a file. Arrays may overlap, so their total
/// cost is bounded by the size of the file.
pub(super) fn record_account(memory: &Memory) -> Account {
    Account::for_file(memory.file.len(), 1, 1 << 13)
}

/// The memory of a record in a [`Walk`], in bytes.
const PIECE: u64 = 128;
/// The memory of a walk: a constant, and a factor per byte of the file.
const WALK: u64 = 3;
const WALK_MORE: u64 = 8 << 20;

/// Caches which addresses contain the name of the set of exported functions: all images share a few
/// names.
#[derive(Default)]
pub(super) struct Exported(Vec<(u64, bool)>);

/// Maximum number of cached names; about 20 exist.
const NAMES: usize = 64;

impl Exported {
    fn is(&mut self, memory: &Memory, sources: &Sources, name: u64) -> bool {
        if let Some((_, is)) = self.0.iter().find(|(known, _)| *known == name) {
            return *is;
        }
        let is = memory.string(sources, name) == EXPORTED;
        self.0.truncate(NAMES - 1);
        self.0.push((name, is));
        is
    }
}

/// The pieces that a walk has collected.
struct Walk {
    left: Account,
    seen: HashSet<(u64, RecordKind)>,
    pieces: Vec<Piece>,
}

impl Walk {
    /// Adds a table of records of `size` bytes and returns whether it is new.
    fn is_new(&mut self, span: Span, size: u64, kind: RecordKind, of: usize) -> bool {
        let span = span.subspan(0, span.len() / size * size);
        let is_new = !span.is_empty() && self.seen.insert((span.start, kind));
        if is_new {
            self.pieces.push(piece(span, kind, of));
        }
        is_new
    }

    fn text(&mut self, memory: &Memory, address: u64, of: usize) {
        if let Some(rest) = memory.from(address)
            && self.seen.insert((rest.start, RecordKind::Text))
        {
            // Its end is searched only when it is shown: a host program can have many long names.
            let start = rest.subspan(0, 0);
            self.pieces.push(piece(start, RecordKind::Text, of));
        }
    }
}
