//! Stack frames: the addresses of messages to scratch memory relative to their function's frame, the
//! stores that each load reads, and which of them save registers for calls.
//!
//! A function with a stack keeps its frame and stack pointers in registers, spills them around calls,
//! and its callers cannot be followed by the general data flow, which treats calls as jumps. So each
//! function is interpreted by itself: the values of the dwords that addresses are computed from, as
//! constants, or as the function's value of a dword at its start plus a constant. A called function
//! keeps the dwords that have their first value again when it returns. Code that is not known keeps the
//! register of the return address: IGC has the stack and frame pointers in it, and functions restore
//! them.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::build::{DataFlow, index};
use super::footprint::Role;
use super::functions::{Function, Functions, Target};
use super::regset::{Piece, low_bits};
use super::spills::{Base, immediate};
use crate::cfg::Exit;
use crate::instruction::{Instruction, Operand, OperandKind, Region, RegisterName};
use crate::message::{Offset, Scratch};
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};
use zeview_core::analysis::data_flow::ScratchRole;
use zeview_core::model::sort;

/// A dword of the general registers: the register times 16, plus the dword in it.
type Dword = u32;

/// A value of a dword.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Value {
    Constant(i64),
    /// The value of a dword at the start of the function, plus a constant.
    Entry(Dword, i64),
    Unknown,
}

impl Value {
    fn plus(self, added: i64) -> Value {
        match self {
            Value::Constant(value) => Value::Constant(value.wrapping_add(added)),
            Value::Entry(dword, value) => Value::Entry(dword, value.wrapping_add(added)),
            Value::Unknown => Value::Unknown,
        }
    }

    fn meet(self, other: Value) -> Value {
        if self == other { self } else { Value::Unknown }
    }
}

/// An address in scratch memory: the dword at the function's start that it is relative to, if any, and
/// an offset.
type Address = (Option<Dword>, i64);

/// What is known before an instruction of a function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct State {
    /// The dwords that the function changed. Others have their values from its start.
    dwords: BTreeMap<Dword, Value>,
    /// The dwords in scratch memory.
    memory: BTreeMap<Address, Value>,
}

impl State {
    fn get(&self, dword: Dword) -> Value {
        let known = self.dwords.get(&dword).copied();
        known.unwrap_or(Value::Entry(dword, 0))
    }

    /// Joins the state at the end of another path. Returns whether it changed.
    fn join(&mut self, other: &State) -> bool {
        let before = self.clone();
        let keys = self.dwords.keys().chain(other.dwords.keys());
        let keys: BTreeSet<Dword> = sort::set(keys.copied());
        for dword in keys {
            let value = self.get(dword).meet(other.get(dword));
            self.dwords.insert(dword, value);
        }
        self.memory
            .retain(|address, value| other.memory.get(address) == Some(value));
        *self != before
    }
}

/// A range of bytes in the frame of a function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub base: Base,
    pub offset: i64,
    pub bytes: u32,
}

impl Place {
    fn end(&self) -> i64 {
        self.offset.saturating_add(self.bytes.into())
    }
}

/// The frames of the functions of some code.
#[derive(Debug, Default)]
pub(super) struct Frames {
    /// The bytes that messages to scratch memory access, by row.
    pub places: HashMap<u32, Place>,
    /// The stores that may have written what each load reads, by row; in code order.
    pub stores: BTreeMap<u32, Vec<u32>>,
    /// The messages that save and restore registers, by row.
    roles: HashMap<u32, ScratchRole>,
}

/// Maximum number of rounds over the functions until nothing changes. Each round follows calls one
/// level further.
const ROUNDS: usize = 16;

/// An analysis of all functions.
struct Interpreter<'a> {
    flow: &'a DataFlow,
    functions: &'a Functions,
    /// The dwords that addresses depend on.
    tracked: BTreeSet<Dword>,
    /// The constants that each function starts with; `None` until a call leads to it.
    starts: Vec<Option<BTreeMap<Dword, i64>>>,
    /// The dwords that each function changes.
    changed: Vec<BTreeSet<Dword>>,
}

impl DataFlow {
    /// The frames; found on first use.
    pub(super) fn frames(&self) -> &Frames {
        self.known(&self.frames, || self.find_frames())
    }

    /// The role of a message to scratch memory; `None` for other instructions.
    pub(super) fn scratch_role(&self, row: u32) -> Option<ScratchRole> {
        let facts = self.messages.get(&row)?;
        if !facts.spills && !facts.fills {
            return None;
        }
        let known = self.frames().roles.get(&row).copied();
        Some(known.unwrap_or(if facts.spills {
            ScratchRole::Spill
        } else {
            ScratchRole::Fill
        }))
    }

    fn find_frames(&self) -> Frames {
        let mut frames = Frames::default();
        let mut rows: Vec<u32> = self
            .messages
            .iter()
            .filter(|(_, facts)| facts.spills || facts.fills)
            .map(|(row, _)| *row)
            .collect();
        if rows.is_empty() {
            return frames;
        }
        sort::ascending(&mut rows);
        if self.extent().calls > 0 {
            self.interpret(&rows, &mut frames);
        }
        for row in &rows {
            if !frames.places.contains_key(row)
                && let Some((base, offset, bytes)) = self.scratch(*row)
            {
                let place = Place {
                    base,
                    offset,
                    bytes,
                };
                frames.places.insert(*row, place);
            }
        }
        self.pair(&rows, &mut frames);
        self.find_roles(&rows, &mut frames);
        frames
    }

    /// Finds the addresses of the messages of each function.
    fn interpret(&self, rows: &[u32], frames: &mut Frames) {
        let functions = self.functions();
        let mut interpreter = Interpreter {
            flow: self,
            functions,
            tracked: BTreeSet::new(),
            starts: vec![None; functions.list.len()],
            changed: vec![BTreeSet::new(); functions.list.len()],
        };
        interpreter.track(rows);
        for (start, function) in interpreter.starts.iter_mut().zip(&functions.list) {
            *start = function.is_open.then(BTreeMap::new);
        }
        for _ in 0..ROUNDS {
            let before = (interpreter.starts.clone(), interpreter.changed.clone());
            let mut places = HashMap::new();
            for at in 0..functions.list.len() {
                interpreter.run(at, &mut places);
            }
            if before == (interpreter.starts.clone(), interpreter.changed.clone()) {
                frames.places = places;
                return;
            }
            if self.is_cut() {
                return;
            }
        }
    }
}

impl Interpreter<'_> {
    /// Finds the dwords that the addresses of messages depend on.
    fn track(&mut self, rows: &[u32]) {
        let mut more: Vec<Dword> = Vec::new();
        for row in rows {
            let instruction = self.flow.instruction(*row);
            let address = instruction.and_then(|i| first_register(i.sources.first()?));
            more.extend(address.map(|number| u32::from(number) * 16));
            // What is stored may be an address that is loaded again.
            let facts = self.flow.messages.get(row);
            if facts.is_some_and(|facts| facts.spills) {
                let footprint = self.flow.footprint(*row);
                let data = footprint
                    .reads()
                    .find(|access| access.role == Role::Source(1));
                for piece in data.map_or(&[][..], |access| access.bytes.pieces()) {
                    more.extend(dwords(piece));
                }
            }
        }
        self.tracked.extend(more);
        loop {
            let mut more: Vec<Dword> = Vec::new();
            for row in 0..self.flow.count() {
                let writes = self.flow.writes_of(row);
                let is_tracked = |dword: &Dword| self.tracked.contains(dword);
                let mut written = writes.iter().flat_map(|write| dwords(&write.piece));
                if written.any(|dword| is_tracked(&dword)) && self.flow.spend(1) {
                    let copies = self.flow.instruction(row);
                    let copies = copies.map(|i| self.copies(row, &i)).unwrap_or_default();
                    let from = copies.into_iter().filter_map(|(to, from)| match from {
                        Copied::Dword(from, _) if is_tracked(&to) => Some(from),
                        _ => None,
                    });
                    more.extend(from);
                }
            }
            let count = self.tracked.len();
            self.tracked.extend(more);
            if self.tracked.len() == count || self.flow.is_cut() {
                return;
            }
        }
    }

    /// Interprets a function, with what is known of the others. Adds the bytes that its messages access.
    fn run(&mut self, at: usize, places: &mut HashMap<u32, Place>) {
        let Some(function) = self.functions.list.get(at) else {
            return;
        };
        let Some(start) = self.starts.get(at).cloned().flatten() else {
            return;
        };
        let first: State = State {
            dwords: start
                .iter()
                .map(|(dword, value)| (*dword, Value::Constant(*value)))
                .collect(),
            memory: BTreeMap::new(),
        };
        let mut states: BTreeMap<u32, State> = BTreeMap::new();
        let Some(entry) = self.flow.block_of(function.first) else {
            return;
        };
        states.insert(entry, first.clone());
        let mut work = vec![entry];
        while let Some(block) = work.pop() {
            let Some(mut state) = states.get(&block).cloned() else {
                continue;
            };
            let cost = state.dwords.len() + state.memory.len();
            if !self.flow.spend(cost as u64 + 1) {
                return;
            }
            for row in self.flow.block_rows(block) {
                if block == entry && row < function.first {
                    continue;
                }
                self.step(at, function, row, &mut state, places);
            }
            if self.flow.graph.exit(block) != Exit::Within && !self.flow.graph.calls(block) {
                self.returns(at, &first, &state);
            }
            for to in self.flow.graph.within(block) {
                if self.functions.of(*to) != u32::try_from(at).ok() {
                    continue;
                }
                let is_changed = match states.get_mut(to) {
                    Some(known) => known.join(&state),
                    None => {
                        states.insert(*to, state.clone());
                        true
                    }
                };
                if is_changed {
                    work.push(*to);
                }
            }
        }
    }

    /// Records the dwords that a function has changed where it returns.
    fn returns(&mut self, at: usize, first: &State, state: &State) {
        if let Some(changed) = self.changed.get_mut(at) {
            let all = state.dwords.keys().copied();
            changed.extend(all.filter(|dword| state.get(*dword) != first.get(*dword)));
        }
    }

    /// Interprets an instruction.
    fn step(
        &mut self,
        at: usize,
        function: &Function,
        row: u32,
        state: &mut State,
        places: &mut HashMap<u32, Place>,
    ) {
        let flow = self.flow;
        let Some(record) = flow.row(row) else { return };
        if let Some(facts) = flow.messages.get(&row).filter(|f| f.spills || f.fills) {
            let address = flow
                .instruction(row)
                .and_then(|i| scratch_address(&i, state));
            // The last path counts: its state is joined with all others.
            match address {
                Some((address, bytes)) => {
                    let (base, offset) = address;
                    let function = u32::try_from(at).unwrap_or(u32::MAX);
                    let base = base.map_or(Base::Start, |_| Base::Frame(function));
                    places.insert(
                        row,
                        Place {
                            base,
                            offset,
                            bytes,
                        },
                    );
                }
                None => {
                    places.remove(&row);
                }
            }
            let role = if facts.spills {
                Role::Source(1)
            } else {
                Role::Destination
            };
            let footprint = flow.footprint(row);
            let data = footprint.accesses.iter().find(|access| access.role == role);
            let data: Vec<Dword> = data
                .map_or(&[][..], |access| access.bytes.pieces())
                .iter()
                .flat_map(dwords)
                .collect();
            for (place, dword) in (0_i64..).zip(&data) {
                let slot =
                    address.map(|((base, offset), _)| (base, offset.wrapping_add(place * 4)));
                if facts.spills {
                    let Some(slot) = slot else { continue };
                    if record.guard.flags == 0 {
                        state.memory.insert(slot, state.get(*dword));
                    } else {
                        state.memory.remove(&slot);
                    }
                } else if self.tracked.contains(dword) {
                    let known = slot.and_then(|slot| state.memory.get(&slot).copied());
                    let known = known.filter(|_| record.guard.flags == 0);
                    state.dwords.insert(*dword, known.unwrap_or(Value::Unknown));
                }
            }
            return;
        }
        let writes = flow.writes_of(row);
        let mut written = writes.iter().flat_map(|write| dwords(&write.piece));
        let is_call = matches!(record.op, Op::Call | Op::Calla);
        if !is_call && !written.any(|dword| self.tracked.contains(&dword)) {
            return;
        }
        let instruction = flow.instruction(row);
        let copies = instruction
            .map(|i| self.copies(row, &i))
            .unwrap_or_default();
        let values: Vec<(Dword, Value)> = copies
            .into_iter()
            .map(|(to, from)| match from {
                Copied::Constant(value) => (to, Value::Constant(value)),
                Copied::Dword(from, added) => (to, state.get(from).plus(added)),
            })
            .collect();
        for dword in writes.iter().flat_map(|write| dwords(&write.piece)) {
            if self.tracked.contains(&dword) {
                state.dwords.insert(dword, Value::Unknown);
            }
        }
        for (to, value) in values {
            if self.tracked.contains(&to) {
                state.dwords.insert(to, value);
            }
        }
        if is_call {
            self.call(function, row, state);
        }
    }

    /// Interprets a call.
    fn call(&mut self, function: &Function, row: u32, state: &mut State) {
        let call = function.calls.iter().find(|call| call.row == row);
        if let Some(Target::Function(to)) = call.map(|call| call.target) {
            let mut constants = BTreeMap::new();
            for (dword, value) in &state.dwords {
                if let Value::Constant(value) = value {
                    constants.insert(*dword, *value);
                }
            }
            let is_open = self
                .functions
                .list
                .get(index(to))
                .is_some_and(|of| of.is_open);
            if let Some(start) = self.starts.get_mut(index(to)).filter(|_| !is_open) {
                match start {
                    Some(known) => known.retain(|dword, value| constants.get(dword) == Some(value)),
                    None => *start = Some(constants),
                }
            }
            for dword in self.changed.get(index(to)).into_iter().flatten() {
                state.dwords.insert(*dword, Value::Unknown);
            }
            return;
        }
        let instruction = self.flow.instruction(row);
        let link = instruction.and_then(|i| first_register(i.destination.as_ref()?));
        for dword in &self.tracked {
            if link.map(u32::from) != Some(dword / 16) {
                state.dwords.insert(*dword, Value::Unknown);
            }
        }
    }

    /// The dwords that an instruction copies from dwords or constants, and what it adds.
    fn copies(&self, row: u32, i: &Instruction) -> Vec<(Dword, Copied)> {
        let mut out = Vec::new();
        let guard = self.flow.row(row).map_or(0, |row| row.guard.flags);
        let exec = i.exec.map_or(1, |exec| exec.size).clamp(1, 32);
        // Under the execution mask, some channels keep their values.
        if guard != 0 || !i.no_mask || i.modifier.is_some() {
            return out;
        }
        let (Some(destination), Some(source)) = (i.destination.as_ref(), i.sources.first()) else {
            return out;
        };
        let size = self.flow.sizes().general;
        let place = |operand: &Operand| {
            let (number, sub) = register(operand)?;
            let bits = operand
                .data_type
                .and_then(type_bits)
                .filter(|bits| *bits >= 32)?;
            let first = u32::from(number) * u32::from(size) + u32::from(sub) * bits / 8;
            // Registers of 32 bytes have eight dwords.
            let dword = move |more: u32| {
                let byte = first + more * 4;
                byte / u32::from(size) * 16 + byte % u32::from(size) / 4
            };
            Some((dword, bits / 32))
        };
        let Some((to, width)) = place(destination) else {
            return out;
        };
        let is_dense = matches!(destination.region, Region::Horizontal(Some(1) | None));
        if destination.saturate || !(exec == 1 || is_dense) || source.modifier.is_some() {
            return out;
        }
        let constant = |at: usize| match i.sources.get(at)?.kind {
            OperandKind::Immediate(value) => Some(immediate(i, at, value)),
            _ => None,
        };
        let patches = |at: usize| {
            let patched = i
                .sources
                .get(at)
                .map(|source| self.flow.is_patched(row, source));
            patched.unwrap_or(false)
        };
        match i.op {
            Op::Mov => {
                if let Some(value) = constant(0) {
                    let known = (width == 1 && same_bits(destination, source)).then_some(value);
                    let known = known.filter(|_| !patches(0));
                    for at in 0..exec {
                        out.extend(known.map(|value| (to(at), Copied::Constant(value))));
                    }
                    return out;
                }
                let Some((from, other)) = place(source) else {
                    return out;
                };
                if other != width || !same_kind(destination, source) {
                    return out;
                }
                let step = match (exec, source.region) {
                    (1, _) => 0,
                    (_, Region::Full(Some(0), Some(1), Some(0))) => 0,
                    (_, Region::Full(Some(v), Some(w), Some(1))) if v == w => 1,
                    (_, Region::Full(Some(1), Some(1), Some(0))) => 1,
                    _ => return out,
                };
                for at in 0..exec {
                    for part in 0..width {
                        let from = from(at * step * width + part);
                        out.push((to(at * width + part), Copied::Dword(from, 0)));
                    }
                }
            }
            Op::Add if exec == 1 && width == 1 && is_integer(destination) => {
                let other = constant(1).filter(|_| !patches(1));
                if let (Some(value), Some((from, 1))) = (other, place(source)) {
                    out.push((to(0), Copied::Dword(from(0), value)));
                }
            }
            _ => {}
        }
        out
    }
}

/// What an instruction copies to a dword.
enum Copied {
    Constant(i64),
    /// Another dword, plus a constant.
    Dword(Dword, i64),
}

fn is_integer(operand: &Operand) -> bool {
    matches!(operand.data_type, Some(Meaning::d | Meaning::ud))
}

/// Whether a `mov` from one to the other type keeps all bits.
fn same_kind(to: &Operand, from: &Operand) -> bool {
    let is_float = |operand: &Operand| {
        matches!(
            operand.data_type,
            Some(Meaning::f | Meaning::df | Meaning::hf | Meaning::bf)
        )
    };
    is_float(to) == is_float(from)
}

/// Whether a constant's bits are those of the dword that a `mov` writes.
fn same_bits(to: &Operand, from: &Operand) -> bool {
    let is_word = matches!(from.data_type, Some(Meaning::w | Meaning::uw));
    same_kind(to, from) && (!is_word || is_integer(to))
}

/// The dwords of a piece.
fn dwords(piece: &Piece) -> impl Iterator<Item = Dword> + use<> {
    let Piece { unit, mask } = *piece;
    let is_general = unit < 512;
    let all = (0..16_u32).filter(move |at| is_general && mask >> (at * 4) & low_bits(4) != 0);
    all.map(move |at| u32::from(unit) * 16 + at)
}

/// The number and sub-register of a general register.
fn register(operand: &Operand) -> Option<(u16, u16)> {
    match operand.kind {
        OperandKind::Register {
            name: RegisterName::General,
            number,
            sub,
            ..
        } => Some((number, sub)),
        _ => None,
    }
}

/// The first register of an operand or payload.
fn first_register(operand: &Operand) -> Option<u16> {
    match operand.kind {
        OperandKind::Register {
            name: RegisterName::General,
            number,
            ..
        }
        | OperandKind::Payload {
            name: RegisterName::General,
            number,
            ..
        } => Some(number),
        _ => None,
    }
}

/// The address of a message to scratch memory for all channels, and its number of bytes.
fn scratch_address(i: &Instruction, state: &State) -> Option<(Address, u32)> {
    let m = i.message?;
    if let Scratch::Block { .. } = m.request.scratch? {
        return None;
    }
    let data = m.request.access?.data;
    if !data.transposed {
        return None;
    }
    let offset = match m.request.offset {
        Offset::Bytes(bytes) => bytes,
        _ => 0,
    };
    let number = first_register(i.sources.first()?)?;
    let bytes = data.elements * data.memory;
    match state.get(u32::from(number) * 16) {
        Value::Constant(value) => Some(((None, value.wrapping_add(offset)), bytes)),
        Value::Entry(dword, value) => Some(((Some(dword), value.wrapping_add(offset)), bytes)),
        Value::Unknown => None,
    }
}

impl DataFlow {
    /// Finds the stores that each load reads.
    fn pair(&self, rows: &[u32], frames: &mut Frames) {
        let functions = self.functions();
        let mut by_block: HashMap<u32, Vec<u32>> = HashMap::new();
        for row in rows {
            let spills = self.messages.get(row).is_some_and(|facts| facts.spills);
            if let Some(block) = self.block_of(*row).filter(|_| spills) {
                by_block.entry(block).or_default().push(*row);
            }
        }
        for row in rows {
            let fills = self.messages.get(row).is_some_and(|facts| !facts.spills);
            let Some(place) = frames.places.get(row).filter(|_| fills) else {
                continue;
            };
            let stores = self.stores_of(*row, *place, &by_block, functions, &frames.places);
            frames.stores.insert(*row, stores);
        }
    }

    /// Follows the bytes that a load reads back to the stores that wrote them.
    fn stores_of(
        &self,
        row: u32,
        place: Place,
        by_block: &HashMap<u32, Vec<u32>>,
        functions: &Functions,
        places: &HashMap<u32, Place>,
    ) -> Vec<u32> {
        let mut found = BTreeSet::new();
        let Some(block) = self.block_of(row) else {
            return Vec::new();
        };
        // The ranges that were searched for at the end of each block. Slots rarely overlap in part, so
        // that a block has one.
        let mut seen: HashMap<u32, Vec<(i64, i64)>> = HashMap::new();
        let mut work = vec![(block, row, vec![(place.offset, place.end())])];
        while let Some((block, before, mut ranges)) = work.pop() {
            if !self.spend(1) {
                break;
            }
            for store in by_block.get(&block).into_iter().flatten().rev() {
                if *store >= before || ranges.is_empty() {
                    continue;
                }
                let Some(other) = places.get(store).filter(|of| of.base == place.base) else {
                    continue;
                };
                let overlaps =
                    |(start, end): &(i64, i64)| *start < other.end() && other.offset < *end;
                if !ranges.iter().any(overlaps) {
                    continue;
                }
                found.insert(*store);
                // Under a predicate, some channels keep what was there.
                if self.row(*store).is_none_or(|row| row.guard.flags != 0) {
                    continue;
                }
                ranges = ranges
                    .iter()
                    .flat_map(|(start, end)| {
                        [
                            (*start, (*end).min(other.offset)),
                            ((*start).max(other.end()), *end),
                        ]
                    })
                    .filter(|(start, end)| start < end)
                    .collect();
            }
            if ranges.is_empty() {
                continue;
            }
            for from in functions.before(block) {
                let known = seen.entry(*from).or_default();
                let is_known =
                    |range: &(i64, i64)| known.iter().any(|of| of.0 <= range.0 && range.1 <= of.1);
                let new: Vec<(i64, i64)> =
                    ranges.iter().copied().filter(|r| !is_known(r)).collect();
                known.extend(&new);
                if !new.is_empty() {
                    work.push((*from, u32::MAX, new));
                }
            }
        }
        found.into_iter().collect()
    }

    /// Finds the messages that save registers for calls, and restore them.
    fn find_roles(&self, rows: &[u32], frames: &mut Frames) {
        let calls = |row: u32| self.row(row).map(|row| row.op) == Some(Op::Calla);
        let has_frames = frames
            .places
            .values()
            .any(|of| matches!(of.base, Base::Frame(_)));
        if !has_frames && !(0..self.count()).any(calls) {
            return;
        }
        let mut loads: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (load, stores) in &frames.stores {
            for store in stores {
                loads.entry(*store).or_default().push(*load);
            }
        }
        let mut saves: BTreeSet<u32> = BTreeSet::new();
        for row in rows {
            let loads = loads.get(row).map_or(&[][..], Vec::as_slice);
            if self.is_save(*row, loads) {
                saves.insert(*row);
            }
        }
        // A load restores only if all that it may read was saved.
        for (load, stores) in &frames.stores {
            if !stores.is_empty() && stores.iter().all(|store| saves.contains(store)) {
                frames.roles.insert(*load, ScratchRole::Restore);
            }
        }
        for save in saves {
            frames.roles.insert(save, ScratchRole::Save);
        }
    }

    /// Whether a store saves registers for the caller of its function, or for a call behind it: the
    /// loads put them back into the same registers.
    fn is_save(&self, store: u32, loads: &[u32]) -> bool {
        let is_store = self.messages.get(&store).is_some_and(|facts| facts.spills);
        let Some(block) = self.block_of(store).filter(|_| is_store) else {
            return false;
        };
        let of = |row: u32, role: Role| {
            let footprint = self.footprint(row);
            let mut accesses = footprint.accesses.iter();
            let access = accesses.find(|access| access.role == role);
            access
                .map(|access| access.bytes.pieces().to_vec())
                .unwrap_or_default()
        };
        let data = of(store, Role::Source(1));
        let is_same = |load: &u32| {
            let to = of(*load, Role::Destination);
            let is_in = |piece: &Piece| {
                let mut data = data.iter();
                data.any(|of| of.unit == piece.unit && piece.mask & !of.mask == 0)
            };
            !to.is_empty() && to.iter().all(is_in)
        };
        if !loads.iter().all(is_same) {
            return false;
        }
        let functions = self.functions();
        let owner = functions
            .of(block)
            .and_then(|at| functions.list.get(index(at)));
        let Some(function) = owner else { return false };
        // Before a call: the values come back behind it.
        let is_behind = |load: &u32| self.block_of(*load) != Some(block) || *load < store;
        let is_around = self.graph.calls(block) && loads.iter().all(is_behind);
        // Without loads, it may be an argument for the called function.
        if is_around && !loads.is_empty() {
            return true;
        }
        // For the caller: the function has not written them yet. A kernel has no caller.
        let is_called = self.pc(function.first) != Some(0) || self.inputs.kernel.is_none();
        // Without loads, it is for debuggers: the return address, and the caller's frame pointer.
        is_called && self.has_first_values(function, store, &data)
    }

    /// Whether registers have the values from the start of the function at an instruction.
    fn has_first_values(&self, function: &Function, row: u32, data: &[Piece]) -> bool {
        let functions = self.functions();
        let Some(block) = self.block_of(row) else {
            return false;
        };
        let mut seen = BTreeSet::new();
        let mut work = vec![(block, row)];
        while let Some((block, before)) = work.pop() {
            let rows = self.block_rows(block);
            let first = if rows.contains(&function.first) {
                function.first
            } else {
                rows.start
            };
            if !self.spend(u64::from(rows.end - rows.start) + 1) {
                return false;
            }
            for row in first..rows.end.min(before) {
                let writes = self.writes_of(row);
                let touches = |piece: &Piece| {
                    let mut data = data.iter();
                    data.any(|of| of.unit == piece.unit && of.mask & piece.mask != 0)
                };
                if writes.iter().any(|write| touches(&write.piece)) {
                    return false;
                }
            }
            for from in functions.before(block) {
                if seen.insert(*from) {
                    work.push((*from, u32::MAX));
                }
            }
        }
        true
    }
}
