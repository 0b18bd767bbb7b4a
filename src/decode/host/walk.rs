//! Follows the structs of images to their entries, property sets and strings.

use std::collections::HashSet;

use super::index::{ImageStruct, Index, Piece, What, piece};
use super::memory::Memory;
use super::records::{self, Layout};
use crate::model::host_images::EXPORTED;
use crate::model::{Sources, Span};

impl Index {
    /// The layout of the entries in a range of addresses.
    pub fn entry_layout(&self, sources: &Sources, (begin, end): (u64, u64)) -> &'static Layout {
        let size = self.size(&records::NEW_ENTRY);
        let first = self.memory.record(sources, begin, 16);
        let is_new = first.is_some_and(|first| {
            first.number(0, 8) == 0
                && first.number(8, 2) == 1
                && matches!(first.number(10, 2), 4 | 8)
                && first.number(12, 4) == 0
                && first.relocation(8).is_none()
                && end.saturating_sub(begin) % size == 0
        });
        match is_new {
            true => &records::NEW_ENTRY,
            false => &records::OLD_ENTRY,
        }
    }

    /// The addresses of the records in a range, and their count.
    pub fn places(&self, layout: &Layout, (begin, end): (u64, u64)) -> impl Iterator<Item = u64> {
        let size = self.size(layout);
        let count = end.saturating_sub(begin) / size;
        (0..count).map(move |index| begin.saturating_add(index * size))
    }

    /// Returns the number of entries.
    pub(super) fn walk_entries(
        &self,
        sources: &Sources,
        walk: &mut Walk,
        found: &ImageStruct,
        of: usize,
    ) -> u64 {
        let Some(span) = self.memory.between(found.entries.0, found.entries.1) else {
            return 0;
        };
        let layout = self.entry_layout(sources, found.entries);
        let is_new = std::ptr::eq(layout, &records::NEW_ENTRY);
        let (what, name) = match is_new {
            true => (What::NewEntries, "SymbolName"),
            false => (What::OldEntries, "name"),
        };
        let size = self.size(layout);
        let count = span.len() / size;
        if walk.is_new(span, size, what, of) {
            for address in self.places(layout, found.entries) {
                if !walk.may(1) {
                    break;
                }
                if let Some(read) = self.record(sources, layout, address) {
                    walk.text(&self.memory, read.pointer(name), of);
                }
            }
        }
        count
    }

    /// Returns the number of exported symbols.
    pub(super) fn walk_sets(
        &self,
        sources: &Sources,
        walk: &mut Walk,
        found: &ImageStruct,
        of: usize,
    ) -> u64 {
        let Some(span) = self.memory.between(found.sets.0, found.sets.1) else {
            return 0;
        };
        let mut exported = 0;
        let is_new = walk.is_new(span, self.size(&records::SET), What::Sets, of);
        for address in self.places(&records::SET, found.sets) {
            if !walk.may(1) {
                break;
            }
            let Some(set) = self.record(sources, &records::SET, address) else {
                continue;
            };
            let name = set.pointer("Name");
            if is_new {
                walk.text(&self.memory, name, of);
            }
            let range = set.range("PropertiesBegin", "PropertiesEnd");
            let Some(span) = self.memory.between(range.0, range.1) else {
                continue;
            };
            if self.memory.string(sources, name) == EXPORTED {
                exported += span.len() / self.size(&records::PROPERTY);
            }
            let size = self.size(&records::PROPERTY);
            if !is_new || !walk.is_new(span, size, What::Properties, of) {
                continue;
            }
            for address in self.places(&records::PROPERTY, range) {
                if !walk.may(1) {
                    break;
                }
                let Some(property) = self.record(sources, &records::PROPERTY, address) else {
                    continue;
                };
                walk.text(&self.memory, property.pointer("Name"), of);
                let value = property.pointer("ValAddr");
                let end = value.saturating_add(property.number("ValSize"));
                if let Some(span) = self.memory.between(value, end).filter(|_| value > 0) {
                    walk.pieces.push(piece(span, What::Bytes, of));
                }
            }
        }
        exported
    }
}

/// What is collected on the way through the index. Arrays may lie over each other: what all of
/// them cost together is bounded by the size of the file.
pub(super) struct Walk {
    pub(super) left: u64,
    pub(super) seen: HashSet<(u64, What)>,
    pub(super) pieces: Vec<Piece>,
}

impl Walk {
    pub(super) fn may(&mut self, records: u64) -> bool {
        self.left = self.left.saturating_sub(records);
        self.left > 0
    }

    /// Adds a table of records of `size` bytes, unless it was there before.
    pub(super) fn is_new(&mut self, span: Span, size: u64, what: What, of: usize) -> bool {
        let span = span.subspan(0, span.len() / size * size);
        let is_new = !span.is_empty() && self.seen.insert((span.start, what));
        if is_new {
            self.pieces.push(piece(span, what, of));
        }
        is_new
    }

    pub(super) fn text(&mut self, memory: &Memory, address: u64, of: usize) {
        if let Some(rest) = memory.from(address)
            && self.seen.insert((rest.start, What::Text))
        {
            let start = rest.subspan(0, 0);
            self.pieces.push(piece(start, What::Text, of));
        }
    }
}
