//! An interpreter of the text of listings, for the addresses in stack frames: it walks random paths through
//! the code, calls functions, and records which store each load from scratch memory reads. It shares
//! nothing with the data flow analysis but the text.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use zeview::analysis::assembly::{Line, Listing};
use zeview::analysis::data_flow::FlowReport;
use zeview::model::{Document, NodeId, Sources, Span};

use super::random::Random;

/// The value of a dword: an unknown number, or none, plus a constant.
type Value = (u32, i64);

/// Offsets of loads, with those of the stores that they read.
pub type Pairs = BTreeMap<u32, BTreeSet<u32>>;

/// An instruction of a listing.
#[derive(Debug)]
struct Step {
    pc: u32,
    next: u32,
    /// `mov`, `send.ugm`.
    operation: String,
    /// Whether it ignores the execution mask, and whether it has a predicate.
    no_mask: bool,
    predicate: bool,
    exec: u32,
    operands: Vec<String>,
    comment: String,
    targets: Vec<u32>,
    is_spill: bool,
    is_fill: bool,
    ends: bool,
}

/// A general register in the text of an operand: number, first byte in it, bytes per element, elements
/// between channels.
#[derive(Debug, Clone, Copy)]
struct Register {
    number: u32,
    byte: u32,
    size: u32,
    stride: u32,
}

fn size_of(ty: &str) -> u32 {
    match ty {
        "q" | "uq" | "df" => 8,
        "w" | "uw" | "hf" | "bf" => 2,
        "b" | "ub" => 1,
        _ => 4,
    }
}

/// Parses `r127.3<0;1,0>:ud`, `r60:4`.
fn register(text: &str) -> Option<Register> {
    let rest = text.trim_start_matches(['-', '(', '~']).strip_prefix('r')?;
    let digits = |text: &str| {
        let end = text
            .find(|c: char| !c.is_ascii_digit())
            .unwrap_or(text.len());
        (text[..end].parse::<u32>().ok(), text[end..].to_owned())
    };
    let (number, rest) = digits(rest);
    let (sub, rest) = match rest.strip_prefix('.') {
        Some(rest) => digits(rest),
        None => (Some(0), rest),
    };
    let (region, ty) = match rest.strip_prefix('<') {
        Some(rest) => rest.split_once('>').unwrap_or((rest, "")),
        None => ("", ""),
    };
    let size = size_of(ty.trim_start_matches(':').split(' ').next().unwrap_or(""));
    let parts: Vec<u32> = region
        .split([';', ','])
        .filter_map(|part| part.parse().ok())
        .collect();
    let stride = match parts.as_slice() {
        [stride] => *stride,
        [vertical, _, 0] if *vertical == 0 => 0,
        [_, _, horizontal] if *horizontal > 0 => *horizontal,
        [vertical, 1, _] => *vertical,
        _ => 1,
    };
    Some(Register {
        number: number?,
        byte: sub? * size,
        size,
        stride,
    })
}

fn constant(text: &str) -> Option<i64> {
    let (number, ty) = text.split_once(':')?;
    if matches!(ty, "f") {
        return Some(i64::from(number.parse::<f32>().ok()?.to_bits()));
    }
    let (sign, digits) = match number.strip_prefix('-') {
        Some(digits) => (-1, digits),
        None => (1, number),
    };
    let value = match digits.strip_prefix("0x") {
        Some(digits) => i64::try_from(u64::from_str_radix(digits, 16).ok()?).ok()?,
        None => digits.parse().ok()?,
    };
    Some(sign * value)
}

fn step(line: &Line, pc: u32, next: u32) -> Step {
    let mut words: Vec<String> = Vec::new();
    let body = line.text.split('{').next().unwrap_or("");
    words.extend(body.split_whitespace().map(str::to_owned));
    let mut mask = String::new();
    if words.first().is_some_and(|word| word.starts_with('(')) {
        mask = words.remove(0);
    }
    let operation = if words.is_empty() {
        String::new()
    } else {
        words.remove(0)
    };
    let mut exec = 1;
    if let Some(word) = words.first().filter(|word| word.starts_with('(')) {
        let digits = word
            .trim_start_matches('(')
            .split(['|', ')'])
            .next()
            .unwrap_or("1");
        exec = digits.parse().unwrap_or(1);
        words.remove(0);
    }
    // A condition modifier.
    if words.first().is_some_and(|word| word.starts_with('(')) {
        words.remove(0);
    }
    let marks = |name: &str| line.marks.iter().any(|mark| mark.text == name);
    Step {
        pc,
        next,
        no_mask: mask.contains('W'),
        predicate: mask.contains('f'),
        operation,
        exec,
        operands: words,
        comment: line.comment.clone(),
        targets: line
            .targets
            .iter()
            .filter_map(|to| u32::try_from(*to).ok())
            .collect(),
        is_spill: marks("spill"),
        is_fill: marks("fill"),
        ends: line.text.contains("EOT"),
    }
}

/// Machine state.
struct Machine<'a> {
    steps: &'a BTreeMap<u32, Step>,
    grf: u32,
    registers: HashMap<u32, Value>,
    memory: HashMap<Value, (Value, u32)>,
    fresh: u32,
    pairs: &'a mut Pairs,
    random: &'a mut Random,
    left: u32,
}

/// Maximum nesting of calls that are followed. Deeper ones return at once, as functions that keep the
/// registers of their callers do.
const DEPTH: u32 = 3;

impl Machine<'_> {
    fn get(&self, dword: u32) -> Value {
        // Registers start with numbers that nothing else has.
        self.registers
            .get(&dword)
            .copied()
            .unwrap_or((dword + 1, 0))
    }

    fn unknown(&mut self) -> Value {
        self.fresh += 1;
        (self.fresh, 0)
    }

    fn dword(&self, register: Register, channel: u32, part: u32) -> u32 {
        let byte = register.number * self.grf
            + register.byte
            + channel * register.stride * register.size
            + part * 4;
        byte / 4
    }

    /// Forgets the bytes from a register on.
    fn clobber(&mut self, first: u32, bytes: u32) {
        for dword in first / 4..(first + bytes.max(1)).div_ceil(4) {
            let value = self.unknown();
            self.registers.insert(dword, value);
        }
    }

    /// Runs from an offset to the return of the function. Returns `false` if the path ends before.
    fn run(&mut self, mut pc: u32, depth: u32) -> bool {
        loop {
            let Some(step) = self.steps.get(&pc) else {
                return false;
            };
            if self.left == 0 {
                return false;
            }
            self.left -= 1;
            let name = step.operation.split('.').next().unwrap_or("");
            match name {
                "ret" => {
                    if !step.predicate || self.random.below(2) == 0 {
                        return true;
                    }
                    pc = step.next;
                    continue;
                }
                "call" | "calla" => {
                    if step.predicate && self.random.below(2) == 0 {
                        pc = step.next;
                        continue;
                    }
                    let link = step.operands.first().and_then(|text| register(text));
                    if let Some(link) = link {
                        self.clobber(link.number * self.grf + link.byte, 8);
                    }
                    match (step.targets.first(), link) {
                        (Some(to), _) if depth < DEPTH && name == "call" => {
                            if !self.run(*to, depth + 1) {
                                return false;
                            }
                        }
                        (Some(_), _) if name == "call" => {}
                        (_, link) => {
                            // Unknown code keeps the register of the return address.
                            let kept = link.map(|link| link.number);
                            for register in 0..128 {
                                if Some(register) != kept {
                                    self.clobber(register * self.grf, self.grf);
                                }
                            }
                        }
                    }
                    pc = step.next;
                    continue;
                }
                _ => {}
            }
            self.execute(step, name);
            if step.ends {
                return false;
            }
            let mut ways = step.targets.clone();
            if name != "jmpi" || step.predicate || ways.is_empty() {
                ways.push(step.next);
            }
            pc = ways[self.random.below(ways.len())];
        }
    }

    fn execute(&mut self, step: &Step, name: &str) {
        let operand = |at: usize| step.operands.get(at).map(String::as_str).unwrap_or("");
        if step.is_spill || step.is_fill {
            return self.scratch(step);
        }
        let Some(to) = register(operand(0)) else {
            return;
        };
        if name.starts_with("send") {
            let count = step.comment.split("rd:").nth(1).and_then(|text| {
                let end = text
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(text.len());
                let count: u32 = text[..end].parse().ok()?;
                let is_bytes = text[end..].starts_with(" B");
                Some(if is_bytes { count } else { count * self.grf })
            });
            self.clobber(to.number * self.grf, count.unwrap_or(self.grf * 8));
            return;
        }
        let parts = to.size / 4;
        let is_plain =
            !step.predicate && step.no_mask && parts > 0 && !operand(0).contains("(sat)");
        let mut values: Vec<(u32, Value)> = Vec::new();
        if name == "mov" && step.operation == "mov" && is_plain {
            let is_float = |text: &str| text.ends_with(":f") || text.ends_with(":df");
            let same = is_float(operand(0)) == is_float(operand(1));
            match (constant(operand(1)), register(operand(1))) {
                (Some(value), _) if parts == 1 && same => {
                    for channel in 0..step.exec {
                        values.push((self.dword(to, channel, 0), (0, value)));
                    }
                }
                (None, Some(from)) if from.size == to.size && same && !operand(1).contains('-') => {
                    for channel in 0..step.exec {
                        for part in 0..parts {
                            let value = self.get(self.dword(from, channel, part));
                            values.push((self.dword(to, channel, part), value));
                        }
                    }
                }
                _ => {}
            }
        } else if step.operation == "add" && is_plain && parts == 1 && step.exec == 1 {
            let from = register(operand(1)).filter(|from| from.size == 4);
            if let (Some(from), Some(more)) = (from, constant(operand(2))) {
                let is_integer = operand(0).ends_with('d') && !operand(1).contains('-');
                let (base, value) = self.get(self.dword(from, 0, 0));
                if is_integer {
                    values.push((self.dword(to, 0, 0), (base, value + more)));
                }
            }
        }
        let mut bytes = step.exec * to.stride.max(1) * to.size;
        if let Some(shape) = step
            .operation
            .split('.')
            .nth(1)
            .filter(|_| name.starts_with("dpas"))
        {
            let repeat = shape
                .split('x')
                .nth(1)
                .and_then(|text| text.parse::<u32>().ok());
            bytes *= repeat.unwrap_or(8);
        }
        self.clobber(to.number * self.grf + to.byte, bytes);
        self.registers.extend(values);
    }

    /// A message to scratch memory.
    fn scratch(&mut self, step: &Step) {
        let operand = |at: usize| step.operands.get(at).map(String::as_str).unwrap_or("");
        // `store.ugm.d32x16t.a32.ss[a0.2][A-0xFFC0]`: 16 dwords.
        let words = step
            .comment
            .split(".d32x")
            .nth(1)
            .and_then(|text| text.split('t').next());
        let words: Option<u32> = words.and_then(|words| words.parse().ok());
        let address = register(operand(1)).map(|from| self.get(from.number * self.grf / 4));
        let offset = step.comment.rsplit('[').next().and_then(|text| {
            let text = text.split(']').next()?;
            let at = text.rfind(['+', '-'])?;
            let digits = text[at + 1..].strip_prefix("0x")?;
            let value = i64::from_str_radix(digits, 16).ok()?;
            Some(if text[at..].starts_with('-') {
                -value
            } else {
                value
            })
        });
        let (Some(words), Some((base, address))) = (words, address) else {
            return;
        };
        let place = |word: u32| (base, address + offset.unwrap_or(0) + i64::from(word) * 4);
        if step.is_spill {
            let Some(from) = register(operand(2)) else {
                return;
            };
            for word in 0..words {
                let value = self.get(from.number * self.grf / 4 + word);
                self.memory.insert(place(word), (value, step.pc));
            }
            return;
        }
        let Some(to) = register(operand(0)) else {
            return;
        };
        for word in 0..words {
            let value = match self.memory.get(&place(word)) {
                Some((value, store)) => {
                    self.pairs.entry(step.pc).or_default().insert(*store);
                    *value
                }
                None => self.unknown(),
            };
            self.registers
                .insert(to.number * self.grf / 4 + word, value);
        }
    }
}

/// The result of walking the code of a section.
pub struct Walked {
    pub pairs: Pairs,
    /// The offsets of loads from scratch memory for all channels.
    pub loads: BTreeSet<u32>,
    pub calls: usize,
}

/// Walks random paths through the functions of a section.
pub fn walk(listing: &dyn Listing, sources: &Sources, grf: u32, seed: u64) -> Walked {
    let mut steps: BTreeMap<u32, Step> = BTreeMap::new();
    let base = listing.code().start;
    for row in 0..listing.count() {
        let (Some(span), Some(line)) = (listing.span(row, sources), listing.line(row, sources))
        else {
            continue;
        };
        let pc = u32::try_from(span.start - base).unwrap();
        let next = u32::try_from(span.end - base).unwrap();
        steps.insert(pc, step(&line, pc, next));
    }
    let calls = steps
        .values()
        .filter(|step| step.operation.starts_with("call"));
    let mut entries: BTreeSet<u32> = calls
        .clone()
        .flat_map(|step| step.targets.clone())
        .collect();
    let calls = calls.count();
    entries.insert(0);
    // Behind the end of the thread or a return, a function without a known caller may start.
    for step in steps
        .values()
        .filter(|step| step.ends || step.operation == "ret")
    {
        entries.insert(step.next);
    }
    let mut pairs = Pairs::new();
    let mut random = Random::new(seed);
    for entry in entries {
        for _ in 0..240 {
            let mut machine = Machine {
                steps: &steps,
                grf,
                registers: HashMap::new(),
                memory: HashMap::new(),
                fresh: 1 << 20,
                pairs: &mut pairs,
                random: &mut random,
                left: 20_000,
            };
            machine.run(entry, 0);
        }
    }
    let loads = steps
        .values()
        .filter(|step| step.is_fill && step.comment.contains(".d32x"));
    Walked {
        pairs,
        loads: loads.map(|step| step.pc).collect(),
        calls,
    }
}

/// The pairs of an analysis.
pub fn analyzed(report: &FlowReport) -> Pairs {
    let mut pairs = Pairs::new();
    for load in report.slots.iter().flatten().flat_map(|slot| &slot.loads) {
        pairs.entry(load.pc).or_default().extend(&load.stores);
    }
    pairs
}

/// The sections of a document whose code calls.
pub fn sections(document: &Document, node: NodeId) -> Vec<(String, Span, Rc<dyn Listing>)> {
    let Some(assembly) = document.assembly(node) else {
        return Vec::new();
    };
    let sections = assembly.sections();
    let listings = sections.iter().filter_map(|section| {
        let listing = assembly
            .listing(section.bytes, None, &document.sources)
            .ok()?;
        listing.encoding()?;
        Some((section.name.clone(), section.bytes, listing))
    });
    listings.collect()
}
