//! Names of the values that a kernel starts with, at the instructions that use them.

use std::collections::HashMap;

use super::addresses::Target;
use super::build::DataFlow;
use super::footprint::{Access, Certainty, Role};
use super::origins::{COPIES, runs};
use super::payload::Area;
use super::regset::{ByteSet, Piece, low_bits};
use crate::tables::Op;
use zeview_core::analysis::figure::Figure;
use zeview_core::analysis::kernel_inputs::{
    InputEntry, InputKind, InputPayload, InputUses, KernelInput, PAYLOAD_OFFSET, PER_THREAD_OFFSET,
};
use zeview_core::model::Span;

/// Maximum length of the bytes of registers in a description.
const SHORT: usize = 24;

/// Maximum number of inputs listed for an operand.
const LISTED: usize = 16;

/// Maximum number of producers of a register that are considered for being copies.
const COPIES_SEEN: usize = 8;

/// Consecutive bytes of the payload in registers.
struct Part {
    area: Area,
    start: u64,
    end: u64,
    pieces: Vec<Piece>,
}

impl DataFlow {
    /// The values from outside of the kernel that an instruction uses. Returns `None` if that takes
    /// too much work.
    #[must_use]
    pub fn inputs(&self, row: u32) -> Option<Vec<KernelInput>> {
        let found = self.query(|| self.find_inputs(row));
        (!found.is_cut).then_some(found.value)
    }

    pub(super) fn find_inputs(&self, row: u32) -> Vec<KernelInput> {
        let mut out = Vec::new();
        let footprint = self.footprint(row);
        for access in &footprint.accesses {
            if access.role.writes() {
                self.loaded_inputs(row, access, &mut out);
            } else {
                let parts = self.parts(access, &mut |piece| runs_of(self, row, piece));
                self.name_parts(&access.role.name(), &parts, &mut out);
            }
        }
        let is_send = self.row(row).is_some_and(|record| record.is_send);
        if is_send {
            self.address_input(row, &footprint.accesses, &mut out);
            self.surface_input(row, &mut out);
        }
        self.patch_inputs(row, &mut out);
        out
    }

    /// The inputs of the code, each with the instructions that use it.
    ///
    /// # Errors
    ///
    /// If the code takes too much work, or the analysis does not cover it.
    pub fn input_uses(&self) -> Figure<Vec<InputUses>> {
        self.figure(|| self.find_input_uses())
    }

    fn find_input_uses(&self) -> Vec<InputUses> {
        let mut out: Vec<InputUses> = Vec::new();
        let mut places: HashMap<(InputKind, String), usize> = HashMap::new();
        // Code alone, without its .ze_info, has no names to find.
        if self.inputs.payload.is_none() && self.inputs.patches.is_empty() {
            return out;
        }
        let mut copies = HashMap::new();
        for row in 0..self.count() {
            let Some(pc) = self.pc(row) else { break };
            if !self.may_use_inputs(row, &mut copies) {
                continue;
            }
            for input in self.find_inputs(row) {
                // A load of the payload is no use of it.
                if input.operand == Role::Destination.name() {
                    continue;
                }
                let key = (input.from, input.name);
                let at = *places.entry(key).or_insert_with_key(|(from, name)| {
                    out.push(InputUses {
                        from: *from,
                        name: name.clone(),
                        offset: input.offset,
                        bytes: input.bytes,
                        span: input.span,
                        places: Vec::new(),
                    });
                    out.len() - 1
                });
                if let Some(uses) = out.get_mut(at) {
                    uses.offset = uses.offset.min(input.offset);
                    if uses.places.last() != Some(&pc) {
                        uses.places.push(pc);
                    }
                }
            }
        }
        zeview_core::model::sort::by_key(&mut out, |uses| (uses.from, uses.offset));
        out
    }

    /// Whether an instruction may use inputs; a quick test that excludes most instructions. A copy does
    /// not count, but the instructions that read it do. `copies` has the known copies.
    fn may_use_inputs(&self, row: u32, copies: &mut HashMap<u32, bool>) -> bool {
        let Some(record) = self.row(row) else {
            return false;
        };
        let pc = u64::from(record.pc);
        // Two halves, because a compact instruction has only the first.
        if self.inputs.patches_in(pc, pc + 8).next().is_some()
            || self.inputs.patches_in(pc + 8, pc + 16).next().is_some()
        {
            return true;
        }
        if record.is_send {
            return true;
        }
        self.reads_inputs(row, COPIES, copies) && !self.is_copy(row)
    }

    /// Whether an instruction reads bytes of the payload.
    fn reads_inputs(&self, row: u32, depth: u32, copies: &mut HashMap<u32, bool>) -> bool {
        if self.inputs.payload.is_none() {
            return false;
        }
        let mut found = false;
        for read in self.reads_of(row) {
            let mut producers: Vec<u32> = Vec::new();
            self.each_definition(row, read.piece, &mut |from, _| {
                if producers.last() != Some(&from) {
                    producers.push(from);
                }
                producers.len() < COPIES_SEEN
            });
            for from in producers {
                let Some(record) = self.row(from) else {
                    // An input of the kernel.
                    found = true;
                    continue;
                };
                found |= match copies.get(&from) {
                    Some(known) => *known,
                    None if record.is_send => self.loaded(from).is_some(),
                    None if record.op == Op::Mov && depth > 0 => {
                        // Entered before the search, so that a cycle of copies ends.
                        copies.insert(from, false);
                        let is_copy = self.reads_inputs(from, depth - 1, copies);
                        copies.insert(from, is_copy);
                        is_copy
                    }
                    None => false,
                };
            }
            if found {
                return true;
            }
        }
        false
    }

    /// The parts of the payload in the registers of an operand.
    fn parts(
        &self,
        access: &Access,
        origins: &mut dyn FnMut(Piece) -> Vec<super::origins::Run>,
    ) -> Vec<Part> {
        let mut parts: Vec<Part> = Vec::new();
        for piece in access.bytes.pieces() {
            for run in origins(*piece) {
                let piece = Piece {
                    unit: piece.unit,
                    mask: low_bits(run.bytes) << run.first,
                };
                let end = run.offset + u64::from(run.bytes);
                match parts.last_mut() {
                    Some(last) if last.area == run.area && last.end == run.offset => {
                        last.end = end;
                        last.pieces.push(piece);
                    }
                    _ => parts.push(Part {
                        area: run.area,
                        start: run.offset,
                        end,
                        pieces: vec![piece],
                    }),
                }
            }
        }
        parts
    }

    /// Adds what a message loads from the payload.
    fn loaded_inputs(&self, row: u32, access: &Access, out: &mut Vec<KernelInput>) {
        let is_send = self.row(row).is_some_and(|record| record.is_send);
        let Some(loaded) = is_send.then(|| self.loaded(row)).flatten() else {
            return;
        };
        let parts = self.parts(access, &mut |piece| {
            let mut origins = [None; 64];
            for (at, origin) in (0_u32..).zip(&mut origins) {
                if piece.mask >> at & 1 != 0 {
                    *origin = loaded.origin(self.at(piece.unit, at));
                }
            }
            runs(&origins)
        });
        self.name_parts(&access.role.name(), &parts, out);
    }

    /// The names of the parts of the payload that an instruction reads in some bytes of registers.
    pub(super) fn input_names(&self, row: u32, bytes: &[Piece]) -> Vec<String> {
        let mut found = Vec::new();
        let access = Access {
            role: Role::Source(0),
            certainty: Certainty::Exact,
            bytes: ByteSet::new(bytes.to_vec(), self.sizes()),
        };
        let parts = self.parts(&access, &mut |piece| {
            let reads = self.reads_of(row).iter();
            let mask = reads.filter(|read| read.piece.unit == piece.unit);
            let mask = mask.fold(0, |mask, read| mask | read.piece.mask) & piece.mask;
            let unit = piece.unit;
            if mask == 0 {
                return Vec::new();
            }
            runs_of(self, row, Piece { unit, mask })
        });
        self.name_parts("", &parts, &mut found);
        found.into_iter().map(|input| input.name).collect()
    }

    /// Adds the entries of the payload in parts of it.
    fn name_parts(&self, operand: &str, parts: &[Part], out: &mut Vec<KernelInput>) {
        let Some(payload) = &self.inputs.payload else {
            return;
        };
        let most = out.len() + LISTED;
        for part in parts {
            let entries = match part.area {
                Area::CrossThread => &payload.entries,
                Area::PerThread => &payload.per_thread,
            };
            let first = match part.area {
                Area::CrossThread => entries.partition_point(|entry| entry.end <= part.start),
                Area::PerThread => 0,
            };
            for entry in entries.iter().skip(first).take(LISTED) {
                let (start, end) = (part.start.max(entry.start), part.end.min(entry.end));
                if start >= end || out.len() >= most {
                    continue;
                }
                let skip = start - part.start;
                let pieces = slice(&part.pieces, skip, end - start);
                let bytes = ByteSet::new(pieces, self.sizes());
                match part.area {
                    Area::CrossThread => {
                        out.push(self.payload_input(operand, &bytes, entry, start, end));
                    }
                    Area::PerThread => {
                        let ids = self.local_ids(payload, entry, start, end);
                        for (name, from, to) in ids {
                            let pieces = slice(&part.pieces, from - part.start, to - from);
                            let bytes = ByteSet::new(pieces, self.sizes());
                            let register = short(&bytes);
                            out.push(KernelInput {
                                operand: operand.to_owned(),
                                from: InputKind::PerThread,
                                bytes: bytes.parts(),
                                offset: from,
                                text: format!(
                                    "{register} = payload of the thread +{from} = {name}"
                                ),
                                name,
                                span: Some(entry.span),
                            });
                        }
                    }
                }
            }
        }
    }

    fn payload_input(
        &self,
        operand: &str,
        bytes: &ByteSet,
        entry: &InputEntry,
        start: u64,
        end: u64,
    ) -> KernelInput {
        let name = entry_name(entry, start, end);
        KernelInput {
            operand: operand.to_owned(),
            from: InputKind::Payload,
            bytes: bytes.parts(),
            offset: start,
            text: format!("{} = payload +{start} = {name}", short(bytes)),
            name,
            span: Some(entry.span),
        }
    }

    /// The names of the ids in a range of the payload of a thread, each with its range.
    fn local_ids(
        &self,
        payload: &InputPayload,
        entry: &InputEntry,
        start: u64,
        end: u64,
    ) -> Vec<(String, u64, u64)> {
        // Also for SIMD8: the driver (compute-runtime, zebin decoder) takes 16 or 32 ids of 16
        // bits, rounded up to registers.
        let lanes = if payload.simd_size == 32 { 32_u64 } else { 16 };
        let each = match &*entry.kind {
            "local_id" => (lanes * 2).next_multiple_of(self.sizes().general.into()),
            "packed_local_ids" => 2,
            _ => return vec![(entry.name.clone(), start, end)],
        };
        let axes = (0_u64..).zip(["x", "y", "z"]);
        let ids = axes.filter_map(|(at, axis)| {
            let first = entry.start + at * each;
            let (from, to) = (start.max(first), end.min(first + each));
            (from < to).then(|| (format!("local_id.{axis}"), from, to))
        });
        ids.collect()
    }

    /// Adds the base of a message's addresses.
    fn address_input(&self, row: u32, accesses: &[Access], out: &mut Vec<KernelInput>) {
        let Some((target, block)) = self.target(row) else {
            return;
        };
        let address = accesses.iter().find(|a| a.role == Role::Source(0));
        let bytes = address.map_or_else(Vec::new, |access| access.bytes.parts());
        let register = address.map_or_else(String::new, |access| short(&access.bytes));
        let operand = Role::Source(0).name();
        match target {
            // The loaded registers have these names already (`loaded_inputs`).
            Target::Payload(..) => {}
            Target::Buffer(argument, offset) => {
                let payload = self.inputs.payload.as_ref();
                let Some(entry) = payload.and_then(|payload| payload.entry_at(argument)) else {
                    return;
                };
                let place = match offset {
                    Some(0) => entry.name.clone(),
                    Some(offset @ ..0) => format!("{} - {:#x}", entry.name, offset.unsigned_abs()),
                    Some(offset) => format!("{} + {offset:#x}", entry.name),
                    None => format!("{} + variable", entry.name),
                };
                out.push(KernelInput {
                    operand: operand.clone(),
                    from: InputKind::Address,
                    bytes: bytes.clone(),
                    offset: argument,
                    name: entry.name.clone(),
                    text: format!("address {register} = {place}"),
                    span: Some(entry.span),
                });
                let section = match &*entry.kind {
                    "const_base" => self.inputs.constants.map(|to| (".data.const", to)),
                    "global_base" => self.inputs.globals.map(|to| (".data.global", to)),
                    _ => None,
                };
                if let (Some((name, section)), Some(offset), Some(block)) = (section, offset, block)
                    && let Ok(offset) = u64::try_from(offset)
                {
                    self.data_input(&operand, (name, section), offset, block, out);
                }
            }
            Target::Symbol(patch, offset) => {
                let Some(patch) = self.patch(patch) else {
                    return;
                };
                let name = match offset {
                    0 => patch.symbol.clone(),
                    offset => format!("{} {offset:+}", patch.symbol),
                };
                out.push(KernelInput {
                    operand,
                    from: InputKind::Address,
                    bytes,
                    offset: 0,
                    text: format!("address {register} = address of {name}"),
                    name,
                    span: Some(patch.target.as_ref().map_or(patch.entry, |(_, to)| *to)),
                });
            }
        }
    }

    /// Adds the data of a section that a message reads.
    fn data_input(
        &self,
        operand: &str,
        (name, section): (&str, Span),
        offset: u64,
        bytes: u32,
        out: &mut Vec<KernelInput>,
    ) {
        let data = section.subspan(offset, bytes.into());
        if data.is_empty() {
            return;
        }
        let name = format!("{name} + {offset:#x}");
        out.push(KernelInput {
            operand: operand.to_owned(),
            from: InputKind::Data,
            bytes: Vec::new(),
            offset,
            text: format!("{} bytes of {name}", data.len()),
            name,
            span: Some(data),
        });
    }

    fn surface_input(&self, row: u32, out: &mut Vec<KernelInput>) {
        let Some(payload) = &self.inputs.payload else {
            return;
        };
        let Some(index) = self.surface(row).map(u64::from) else {
            return;
        };
        if let Some(surface) = payload.surface_at(index) {
            out.push(KernelInput {
                operand: Role::Descriptor.name(),
                from: InputKind::Surface,
                bytes: Vec::new(),
                offset: index,
                name: surface.name.clone(),
                text: format!("surface {index} = {}", surface.name),
                span: Some(surface.span),
            });
        }
    }

    /// Adds the symbols whose addresses the driver patches into an instruction.
    fn patch_inputs(&self, row: u32, out: &mut Vec<KernelInput>) {
        let Some(pc) = self.pc(row).map(u64::from) else {
            return;
        };
        let next = row.checked_add(1).and_then(|row| self.pc(row));
        let end = next.map_or(pc + 16, u64::from);
        for patch in self.inputs.patches_in(pc, end).take(LISTED) {
            let Some(part) = patch.part else { continue };
            // Their values are part of the address, which `address_input` names.
            if matches!(&*patch.symbol, PAYLOAD_OFFSET | PER_THREAD_OFFSET) {
                continue;
            }
            let place = match &patch.target {
                Some((place, _)) if *place != patch.symbol => format!(" ({place})"),
                _ => String::new(),
            };
            out.push(KernelInput {
                operand: "constant".to_owned(),
                from: InputKind::Symbol,
                bytes: Vec::new(),
                offset: 0,
                text: format!("{part}address of {}{place}", patch.symbol),
                name: patch.symbol.clone(),
                span: Some(patch.target.as_ref().map_or(patch.entry, |(_, to)| *to)),
            });
        }
    }
}

fn runs_of(flow: &DataFlow, row: u32, piece: Piece) -> Vec<super::origins::Run> {
    if flow.inputs.payload.is_none() {
        return Vec::new();
    }
    runs(&flow.origins(row, piece))
}

/// The name of bytes of an entry: `n`, `enqueued_local_size.x`, `s + 8`.
fn entry_name(entry: &InputEntry, start: u64, end: u64) -> String {
    let is_vector = matches!(
        &*entry.kind,
        "local_size" | "group_count" | "global_size" | "enqueued_local_size" | "global_id_offset"
    );
    let at = start - entry.start;
    if is_vector && at.is_multiple_of(4) && end - start == 4 {
        let axis = match at {
            0 => "x",
            4 => "y",
            _ => "z",
        };
        return format!("{}.{axis}", entry.name);
    }
    match entry.source_offset.saturating_add(at) {
        // Halves of pointers and other implicit values are not worth an offset.
        _ if entry.kind != "arg_byvalue" && entry.end - entry.start <= 8 => entry.name.clone(),
        0 => entry.name.clone(),
        at => format!("{} + {at}", entry.name),
    }
}

/// Bytes of registers in short form: `r3.4` for a dword or more within a register.
fn short(bytes: &ByteSet) -> String {
    if let [piece] = bytes.pieces() {
        let first = piece.mask.trailing_zeros();
        let count = piece.mask.count_ones();
        let is_run = piece.mask == low_bits(count) << first;
        let (file, number) = super::regset::file_of(piece.unit);
        let prefix = file.prefix();
        match count {
            4 if is_run && first.is_multiple_of(4) => {
                return format!("{prefix}{number}.{}", first / 4);
            }
            8 if is_run && first.is_multiple_of(8) => {
                return format!("{prefix}{number}.{}:q", first / 8);
            }
            _ => {}
        }
    }
    let text = bytes.to_string();
    if text.len() <= SHORT {
        return text;
    }
    // Elements apart from each other.
    let mut registers = bytes
        .registers()
        .map(|(file, number, _)| (file.prefix(), number));
    match (registers.next(), registers.last()) {
        (Some((prefix, first)), Some((_, last))) => {
            format!(
                "parts of {prefix}{first}:{}",
                last.saturating_sub(first) + 1
            )
        }
        (Some((prefix, first)), None) => format!("parts of {prefix}{first}"),
        _ => text,
    }
}

/// A part of the bytes in pieces, in the order of the pieces: `bytes` bytes after the first `skip`.
fn slice(pieces: &[Piece], skip: u64, bytes: u64) -> Vec<Piece> {
    let (mut skip, mut left) = (skip, bytes);
    let mut out: Vec<Piece> = Vec::new();
    for piece in pieces {
        let mut mask = 0;
        super::origins::each_bit(piece.mask, |at| {
            if skip > 0 {
                skip -= 1;
            } else if left > 0 {
                left -= 1;
                mask |= 1 << at;
            }
        });
        if mask != 0 {
            let unit = piece.unit;
            match out.last_mut() {
                Some(last) if last.unit == unit => last.mask |= mask,
                _ => out.push(Piece { unit, mask }),
            }
        }
    }
    out
}
