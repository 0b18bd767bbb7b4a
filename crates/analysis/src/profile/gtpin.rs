//! Reads executions and memory accesses of instructions: the JSON of `instcount` and `memaccess`, tools of
//! PTI that use GTPin.

use std::collections::BTreeMap;

use super::json_tokens::{Token, Tokens};
use super::{CountedInstruction, CountedKernel, MemoryAccess, Problem, Profile};

/// Maximum number of instructions of all kernels, with counts or in a listing; each uses about 200 bytes
/// of memory.
const INSTRUCTIONS_MAX: usize = 1 << 20;

/// Maximum number of kernels; each uses about 2.5 KB of memory with its report.
const KERNELS_MAX: usize = 20_000;

/// Maximum number of different strides of an instruction; the tool counts 17 unless told otherwise.
const STRIDES_MAX: usize = 1 << 12;

/// Reads the JSON in pieces.
#[derive(Debug, Default)]
pub(super) struct Counts {
    tokens: Tokens,
    reading: Reading,
    /// The start of a file that may be a byte order mark.
    start: Vec<u8>,
    /// Number of bytes read.
    at: u64,
    /// One-based number of the line.
    line: u64,
    /// The offset of the line.
    line_start: u64,
    problem: Option<Problem>,
}

/// The part of the file that an object or an array is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Root,
    Kernels,
    Kernel,
    Listing,
    Listed,
    Invocations,
    Invocation,
    Tiles,
    Tile,
    Results,
    Result,
    Strides,
    Other,
}

/// What was read so far.
#[derive(Debug, Default)]
struct Reading {
    around: Vec<Part>,
    key: String,
    kernels: Vec<CountedKernel>,
    kernel: Kernel,
    result: Found,
    has_kernels: bool,
    /// Number of instructions of all kernels.
    instructions: usize,
    /// Number of results.
    rows: u64,
    /// Number of results that exceed a limit.
    skipped: u64,
    /// Number of results that cannot be read.
    unread: u64,
}

#[derive(Debug, Default)]
struct Kernel {
    is_open: bool,
    of: CountedKernel,
    offsets: Vec<u64>,
    counts: BTreeMap<u64, CountedInstruction>,
}

/// The figures of a result.
#[derive(Debug, Default)]
struct Found {
    offset: Option<u64>,
    executions: Option<u64>,
    lanes: Option<u64>,
    access: MemoryAccess,
    is_access: bool,
}

impl Counts {
    /// Reads the next piece.
    pub fn push(&mut self, piece: &[u8]) {
        let bom: &[u8] = b"\xef\xbb\xbf";
        for byte in piece {
            if self.line == 0 {
                self.line = 1;
            }
            let is_mark = self.at < 3 && bom.get(self.start.len()) == Some(byte);
            if is_mark && self.start.len() as u64 == self.at {
                self.start.push(*byte);
            } else if self.problem.is_none()
                && !(self.tokens.has_ended() && byte.is_ascii_whitespace())
            {
                let reading = &mut self.reading;
                let read = self.tokens.push(*byte, &mut |token| reading.token(token));
                if let Err(message) = read {
                    let message = format!("{message}; the rest of the file is not read");
                    self.problem = Some(self.problem_here(1, message));
                }
            }
            self.at += 1;
            if *byte == b'\n' {
                self.line += 1;
                self.line_start = self.at;
            }
        }
    }

    /// Returns the number of bytes read.
    pub fn bytes(&self) -> u64 {
        self.at
    }

    fn problem_here(&self, len: u64, message: String) -> Problem {
        Problem {
            line: self.line.max(1),
            start: self.at,
            end: self.at + len,
            message,
        }
    }

    /// Returns the profile, after the last piece.
    pub fn finish(mut self) -> Profile {
        let mut problems: Vec<Problem> = self.problem.take().into_iter().collect();
        let has_failed = !problems.is_empty();
        self.reading.end_kernel();
        let reading = &self.reading;
        if !reading.has_kernels {
            let message = "JSON without kernels: not a profile, expected the output of `instcount` or \
                           `memaccess` of PTI with `--json-output`";
            problems.insert(
                0,
                Problem {
                    line: 1,
                    start: 0,
                    end: self.at,
                    message: message.to_owned(),
                },
            );
        } else if !self.tokens.has_ended() && !has_failed {
            let message = "the JSON is cut off; the counts before are used";
            problems.push(self.problem_here(0, message.to_owned()));
        }
        if reading.unread > 0 {
            let message = format!(
                "{} results without an offset or with other values than counts; they are skipped",
                reading.unread
            );
            problems.push(self.problem_here(0, message));
        }
        if reading.skipped > 0 {
            let message = format!(
                "more than {INSTRUCTIONS_MAX} instructions or {KERNELS_MAX} kernels: others are skipped"
            );
            problems.push(self.problem_here(0, message));
        }
        Profile {
            rows: reading.rows,
            skipped_rows: reading.skipped + reading.unread,
            counted: self.reading.kernels,
            problems,
            ..Profile::default()
        }
    }
}

impl Reading {
    fn token(&mut self, token: Token<'_>) {
        match token {
            Token::Open { is_object } => self.open(is_object),
            Token::Close => self.close(),
            Token::Key(key) => key.clone_into(&mut self.key),
            Token::Text(text) => {
                if self.part() == Part::Kernel && self.key == "kernel_name" {
                    // Other programs that write this JSON escape it.
                    self.kernel.of.name = text.replace("\\\"", "\"").replace("\\\\", "\\");
                }
            }
            Token::Scalar(text) => self.scalar(text),
        }
    }

    fn part(&self) -> Part {
        self.around.last().copied().unwrap_or(Part::Other)
    }

    fn open(&mut self, is_object: bool) {
        let part = match (self.around.last(), &*self.key, is_object) {
            (None, _, true) => Part::Root,
            (Some(Part::Root), "kernels", false) => Part::Kernels,
            (Some(Part::Kernels), _, true) => Part::Kernel,
            (Some(Part::Kernel), "asm", false) => Part::Listing,
            (Some(Part::Listing), _, true) => Part::Listed,
            (Some(Part::Kernel), "invocations", false) => Part::Invocations,
            (Some(Part::Invocations), _, true) => Part::Invocation,
            (Some(Part::Invocation), "tiles", false) => Part::Tiles,
            (Some(Part::Tiles), _, true) => Part::Tile,
            (Some(Part::Tile), "results", false) => Part::Results,
            (Some(Part::Results), _, true) => Part::Result,
            (Some(Part::Result), "stride_distribution", true) => Part::Strides,
            _ => Part::Other,
        };
        match part {
            Part::Kernels => self.has_kernels = true,
            Part::Kernel => {
                self.end_kernel();
                self.kernel.is_open = true;
            }
            Part::Result => self.result = Found::default(),
            _ => {}
        }
        self.around.push(part);
    }

    fn close(&mut self) {
        match self.around.pop() {
            Some(Part::Kernel) => self.end_kernel(),
            Some(Part::Result) => self.end_result(),
            _ => {}
        }
    }

    fn scalar(&mut self, text: &str) {
        let number: Option<u64> = text.parse().ok();
        // GTPin writes booleans as numbers.
        let is_set = text == "true" || number.is_some_and(|number| number != 0);
        match (self.part(), &*self.key) {
            (Part::Kernel, "runs") => self.kernel.of.runs = number.unwrap_or(0),
            (Part::Kernel, "collected_runs") => self.kernel.of.collected_runs = number,
            (Part::Listed, "offset") => {
                let Some(offset) = number else { return };
                if self.instructions < INSTRUCTIONS_MAX {
                    self.instructions += 1;
                    self.kernel.offsets.push(offset);
                } else {
                    self.skipped += 1;
                }
            }
            (Part::Result, key) => self.result.set(key, number, is_set),
            (Part::Strides, key) => {
                let strides = &mut self.result.access.strides;
                if let (Ok(stride), Some(count)) = (key.parse(), number)
                    && strides.len() < STRIDES_MAX
                {
                    strides.push((stride, count));
                }
            }
            _ => {}
        }
    }

    fn end_result(&mut self) {
        let found = std::mem::take(&mut self.result);
        let (Some(offset), Some(executions)) = (found.offset, found.executions) else {
            self.unread += 1;
            return;
        };
        let is_full = self.instructions >= INSTRUCTIONS_MAX;
        let counts = &mut self.kernel.counts;
        if is_full && !counts.contains_key(&offset) {
            self.skipped += 1;
            return;
        }
        self.rows += 1;
        let instructions = &mut self.instructions;
        let sums = counts.entry(offset).or_insert_with(|| {
            *instructions += 1;
            CountedInstruction {
                offset,
                ..CountedInstruction::default()
            }
        });
        sums.executions = sums.executions.saturating_add(executions);
        if let Some(lanes) = found.lanes {
            let sum = sums.lanes.get_or_insert(0);
            *sum = sum.saturating_add(lanes);
        }
        if found.is_access {
            match &mut sums.access {
                Some(access) => access.add(&found.access),
                None => sums.access = Some(found.access),
            }
        }
    }

    fn end_kernel(&mut self) {
        let mut ended = std::mem::take(&mut self.kernel);
        if !ended.is_open {
            return;
        }
        if self.kernels.len() >= KERNELS_MAX {
            self.skipped += 1;
            return;
        }
        zeview_core::model::sort::ascending(&mut ended.offsets);
        ended.offsets.dedup();
        ended.of.offsets = ended.offsets;
        ended.of.instructions = ended.counts.into_values().collect();
        // `instcount --disable-simd` writes zeros.
        let have_lanes = ended.of.instructions.iter().any(|of| of.lanes > Some(0));
        if !have_lanes {
            for instruction in &mut ended.of.instructions {
                instruction.lanes = None;
            }
        }
        self.kernels.push(ended.of);
    }
}

impl Found {
    fn set(&mut self, key: &str, number: Option<u64>, is_set: bool) {
        let access = &mut self.access;
        let count = number.unwrap_or(0);
        match key {
            "offset" => self.offset = number,
            "instruction_counter" => self.executions = number,
            "access_instruction_counter" => {
                self.executions = number;
                self.is_access = true;
            }
            "simd_active_lane_counter" | "simd_lanes_active_counter" => self.lanes = number,
            "cache_lines_counter" => access.cache_lines = count,
            "cl_not_aligned_counter" => access.unaligned = count,
            "stride_overflow_lower_counter" => access.other_strides[0] = count,
            "stride_overflow_higher_counter" => access.other_strides[1] = count,
            "element_size" => access.element_size = count,
            "num_of_elements" => access.elements = count,
            "is_write" => access.is_write = is_set,
            "is_atomic" => access.is_atomic = is_set,
            "is_scatter" => access.is_scatter = is_set,
            "is_slm" => access.is_slm = is_set,
            "is_scratch" => access.is_scratch = is_set,
            _ => {}
        }
    }
}
