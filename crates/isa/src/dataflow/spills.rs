//! Spilled registers, by slot in scratch memory.

use std::collections::BTreeMap;

use super::build::{DataFlow, NONE};
use super::regset::Piece;
use crate::instruction::{Instruction, OperandKind, RegisterName};
use crate::message::{Offset, Scratch};
use crate::tables::{Meaning, Op};
use crate::word::sign_extend;
use zeview_core::analysis::figure::Figure;
use zeview_core::model::sort;

/// The base of a slot's address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Base {
    /// The start of the scratch memory.
    Start,
    /// The result of an instruction.
    Result(u32),
    /// The initial value of a register, by number.
    Input(u16),
    /// The frame of a function, by its index.
    Frame(u32),
}

/// A slot in scratch memory for spilled registers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The base of the offset.
    pub base: Base,
    /// Offset of the first byte from the base.
    pub offset: i64,
    /// Number of bytes.
    pub bytes: u32,
    /// The messages that write it.
    pub writers: Vec<u32>,
    /// The messages that read it.
    pub readers: Vec<u32>,
    /// The maximum loop depth of the messages that read or write it.
    pub depth: u32,
}

/// A message to scratch memory: its row, its bytes, whether it writes.
type Place = (u32, u32, bool);

/// The spills of a kernel.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spills {
    /// The slots, by address.
    pub slots: Vec<Slot>,
    /// Number of messages to scratch memory with an address per channel or an unknown address; mostly
    /// private memory.
    pub others: Vec<u32>,
}

/// Slots in the order of their addresses.
#[derive(Default)]
struct Slots {
    list: Vec<Slot>,
    /// The size of the largest one in bytes.
    largest: u32,
}

impl Slots {
    /// Adds a slot behind the others, or the bytes of a message to the last one.
    fn add(&mut self, (base, offset): (Base, i64), bytes: u32) -> Option<&mut Slot> {
        self.largest = self.largest.max(bytes);
        let last = self.list.last();
        if last.is_none_or(|last| (last.base, last.offset) != (base, offset)) {
            self.list.push(Slot {
                base,
                offset,
                bytes: 0,
                writers: Vec::new(),
                readers: Vec::new(),
                depth: 0,
            });
        }
        let slot = self.list.last_mut()?;
        slot.bytes = slot.bytes.max(bytes);
        Some(slot)
    }

    /// The slots that have bytes in common with a message.
    fn overlapping(
        &mut self,
        (base, offset): (Base, i64),
        bytes: u32,
    ) -> impl Iterator<Item = &mut Slot> {
        let first = offset.saturating_sub(self.largest.into());
        let end = offset.saturating_add(bytes.into());
        let start = self
            .list
            .partition_point(|slot| (slot.base, slot.offset) < (base, first));
        let after = self.list.get_mut(start..).unwrap_or_default().iter_mut();
        let near = after.take_while(move |slot| slot.base == base && slot.offset < end);
        near.filter(move |slot| offset < slot.offset.saturating_add(slot.bytes.into()))
    }
}

impl DataFlow {
    /// The spills of the kernel, by slot.
    ///
    /// # Errors
    ///
    /// If the code takes too much work, or the analysis does not cover it.
    pub fn spills(&self) -> Figure<Spills> {
        self.figure(|| self.find_spills())
    }

    pub(super) fn find_spills(&self) -> Spills {
        let mut spills = Spills::default();
        let mut places: BTreeMap<(Base, i64), Vec<Place>> = BTreeMap::new();
        let mut rows: Vec<(u32, bool)> = self
            .messages
            .iter()
            .filter(|(_, facts)| facts.spills || facts.fills)
            .map(|(row, facts)| (*row, facts.spills))
            .collect();
        sort::ascending(&mut rows);
        for (row, writes) in rows {
            match self.frames().places.get(&row) {
                Some(found) => {
                    let place = places.entry((found.base, found.offset)).or_default();
                    place.push((row, found.bytes, writes));
                }
                None => spills.others.push(row),
            }
        }
        // Each written range is a slot. A read belongs to all slots that it overlaps.
        let (mut written, mut read) = (Slots::default(), Slots::default());
        for (place, messages) in &places {
            for (row, bytes, _) in messages.iter().filter(|message| message.2) {
                if let Some(slot) = written.add(*place, *bytes) {
                    slot.writers.push(*row);
                }
            }
        }
        for (place, messages) in &places {
            for (row, bytes, _) in messages.iter().filter(|message| !message.2) {
                let mut is_found = false;
                for slots in [&mut written, &mut read] {
                    for slot in slots.overlapping(*place, *bytes) {
                        if !self.spend(1) {
                            break;
                        }
                        slot.readers.push(*row);
                        is_found = true;
                    }
                }
                if !is_found && let Some(slot) = read.add(*place, *bytes) {
                    slot.readers.push(*row);
                }
            }
        }
        spills.slots = written.list;
        spills.slots.append(&mut read.list);
        for slot in &mut spills.slots {
            let rows = slot.writers.iter().chain(&slot.readers);
            slot.depth = rows.map(|row| self.depth(*row)).max().unwrap_or(0);
        }
        sort::by_key(&mut spills.slots, |slot| (slot.base, slot.offset));
        for slot in &mut spills.slots {
            sort::ascending(&mut slot.writers);
            sort::ascending(&mut slot.readers);
        }
        spills
    }

    /// The loop depth of an instruction.
    #[must_use]
    pub fn depth(&self, row: u32) -> u32 {
        let block = self.block_of(row);
        block.map_or(0, |block| self.graph.forest().depth(block))
    }

    /// The address and the bytes of a message to scratch memory for all channels.
    pub(super) fn scratch(&self, row: u32) -> Option<(Base, i64, u32)> {
        let i = self.instruction(row)?;
        let m = i.message?;
        if let Scratch::Block { offset, bytes } = m.request.scratch? {
            return Some((Base::Start, offset, bytes));
        }
        let data = m.request.access?.data;
        // With an address per channel it is private memory, not a spilled register.
        if !data.transposed {
            return None;
        }
        let bytes = data.elements * data.memory;
        let offset = match m.request.offset {
            Offset::Bytes(bytes) => bytes,
            _ => 0,
        };
        let source = i.sources.first()?;
        let number = match source.kind {
            OperandKind::Register {
                name: RegisterName::General,
                number,
                ..
            } => number,
            _ => return None,
        };
        // Addresses of scratch memory have 32 bits. The depth bounds chains of additions.
        let (base, more) = self.value(row, number, 0xf, 8)?;
        Some((base, offset + more, bytes))
    }

    /// The value of the bytes of a general register that an instruction reads: a base and a constant
    /// offset.
    fn value(&self, row: u32, number: u16, mask: u64, depth: u32) -> Option<(Base, i64)> {
        let mut from = Vec::new();
        let unit = number;
        self.each_definition(row, Piece { unit, mask }, &mut |row, _| {
            from.push(row);
            from.len() <= 1
        });
        let [from] = from[..] else { return None };
        if from == NONE {
            return Some((Base::Input(number), 0));
        }
        let i = self.instruction(from)?;
        let result = Some((Base::Result(from), 0));
        // An address that cannot be followed further still identifies the slot: equal results of
        // one instruction are equal addresses.
        if depth == 0 || i.predicate.is_some() {
            return result;
        }
        let constant = |at: usize| match i.sources.get(at)?.kind {
            OperandKind::Immediate(value) => Some(immediate(&i, at, value)),
            _ => None,
        };
        match i.op {
            Op::Mov => match constant(0) {
                Some(value) => Some((Base::Start, value)),
                None => result,
            },
            Op::Add => {
                let (Some(value), Some(source)) = (constant(1), i.sources.first()) else {
                    return result;
                };
                let OperandKind::Register {
                    name: RegisterName::General,
                    number,
                    sub,
                    ..
                } = source.kind
                else {
                    return result;
                };
                let mask = 0xf_u64.checked_shl(u32::from(sub) * 4).unwrap_or(0);
                match self.value(from, number, mask, depth - 1) {
                    Some((base, more)) => Some((base, more + value)),
                    None => result,
                }
            }
            _ => result,
        }
    }
}

/// The signed value of a constant.
pub(super) fn immediate(i: &Instruction, at: usize, value: u64) -> i64 {
    let data_type = i.sources.get(at).and_then(|source| source.data_type);
    match data_type {
        Some(Meaning::w) => sign_extend(value & 0xffff, 16).cast_signed(),
        Some(Meaning::uw) => (value & 0xffff).cast_signed(),
        Some(Meaning::d) => sign_extend(value & 0xffff_ffff, 32).cast_signed(),
        Some(Meaning::ud) => (value & 0xffff_ffff).cast_signed(),
        _ => value.cast_signed(),
    }
}
