//! Compares the data flow of whole kernels with the Intel Graphics Assembler's (`iga64
//! -Xprint-deps`, `-Xprint-defs`).

use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use zeview::decode::isa::dataflow::{ByteSet, DataFlow, Role};
use zeview::decode::isa::instruction::OperandKind;
use zeview::decode::isa::tables::Op;
use zeview::decode::isa::{Decoder, Platform};

/// Bytes of registers: file, register, byte.
type Bytes = BTreeSet<(String, u16, u16)>;

/// The assembler's data flow of an instruction.
#[derive(Debug, Default)]
pub struct Reference {
    pub pc: u32,
    pub writes: Bytes,
    pub reads: Bytes,
    /// Producers within the kernel.
    pub defs: BTreeMap<u32, Bytes>,
    pub live: [u32; 5],
}

/// Numbers of equal instructions, and of all instructions.
#[derive(Debug, Default, Clone, Copy)]
pub struct Count {
    pub all: usize,
    pub equal: usize,
    pub writes: usize,
    pub reads: usize,
    pub defs: usize,
    pub live: usize,
}

impl Count {
    /// Adds the counts of another kernel.
    pub fn add(&mut self, other: &Count) {
        self.all += other.all;
        self.equal += other.equal;
        self.writes += other.writes;
        self.reads += other.reads;
        self.defs += other.defs;
        self.live += other.live;
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Count {
            all,
            equal,
            writes,
            reads,
            defs,
            live,
        } = self;
        write!(
            f,
            "{equal} of {all} instructions equal (writes {writes}, reads {reads}, producers {defs}, live {live})"
        )
    }
}

/// Parses the assembler's output.
pub fn references(text: &str, grf: u16) -> Vec<Reference> {
    let rows = text.lines().skip(1);
    rows.map(|line| {
        let columns: Vec<&str> = line.split('\t').collect();
        let number = |text: &str| {
            let text = text.strip_prefix("0x").expect("hexadecimal");
            u32::from_str_radix(text, 16).expect("an offset")
        };
        let mut reference = Reference {
            pc: number(columns[0]),
            ..Reference::default()
        };
        for (column, to) in [
            (columns[1], &mut reference.writes),
            (columns[2], &mut reference.reads),
        ] {
            for set in column.split(", ").filter(|set| !set.is_empty()) {
                let (_, set) = set.split_once(':').expect("a role");
                add(set, grf, to);
            }
        }
        for def in columns[3].split(' ').filter(|def| !def.is_empty()) {
            let (pc, set) = def.split_at(def.find('{').expect("a set"));
            if pc != "IN" {
                add(set, grf, reference.defs.entry(number(pc)).or_default());
            }
        }
        for (to, column) in reference.live.iter_mut().zip(&columns[4..]) {
            *to = column.parse().expect("a number");
        }
        reference
    })
    .collect()
}

/// Adds the bytes of a set such as `{r6[12-15],r8:2}`.
fn add(set: &str, grf: u16, to: &mut Bytes) {
    let mut rest = set.trim_start_matches('{').trim_end_matches('}');
    while !rest.is_empty() {
        let end = rest.find(',').unwrap_or(rest.len());
        let open = rest.find('[').filter(|open| *open < end);
        let (name, bytes) = match open {
            Some(open) => {
                let close = rest.find(']').expect("a bracket");
                let parts = (&rest[..open], Some(&rest[open + 1..close]));
                rest = rest[close + 1..].trim_start_matches(',');
                parts
            }
            None => {
                let name = &rest[..end];
                rest = rest[end..].trim_start_matches(',');
                (name, None)
            }
        };
        let digit = name.find(|c: char| c.is_ascii_digit());
        let (file, number) = name.split_at(digit.unwrap_or(name.len()));
        let (number, count) = number.split_once(':').unwrap_or((number, "1"));
        let number: u16 = number.parse().unwrap_or(0);
        let count: u16 = count.parse().expect("a count");
        let size = match file {
            "f" => 4,
            "a" => 32,
            "s" => 64,
            _ => grf,
        };
        match bytes {
            None => {
                for register in number..number + count {
                    to.extend((0..size).map(|byte| (file.to_owned(), register, byte)));
                }
            }
            Some(bytes) => {
                for range in bytes.split(',') {
                    let (from, last) = range.split_once('-').unwrap_or((range, range));
                    let (from, last): (u16, u16) =
                        (from.parse().expect("a byte"), last.parse().expect("a byte"));
                    to.extend((from..=last).map(|byte| (file.to_owned(), number, byte)));
                }
            }
        }
    }
}

/// Adds the bytes of a set of ours.
fn bytes(set: &ByteSet, to: &mut Bytes) {
    for (file, number, mask) in set.registers() {
        for byte in (0..64).filter(|byte| mask >> byte & 1 != 0) {
            to.insert((file.prefix().to_owned(), number, byte));
        }
    }
}

/// Calls and returns of a kernel.
#[derive(Debug, Default)]
struct Links {
    /// The offsets of these instructions.
    branches: BTreeSet<u32>,
    /// The bytes that the assembler counts in addition: it takes a dword for each channel, but a call
    /// writes two dwords and a return reads them. Where they are live differs, too.
    more: Bytes,
}

fn links(platform: Platform, code: &[u8], references: &[Reference]) -> Links {
    let decoder = Decoder::new(platform);
    let mut links = Links::default();
    for reference in references {
        let instruction = decoder.decode(&code[reference.pc as usize..]);
        let Some(found) = instruction.filter(|i| matches!(i.op, Op::Call | Op::Calla | Op::Ret))
        else {
            continue;
        };
        links.branches.insert(reference.pc);
        let operand = match found.op {
            Op::Ret => found.sources.first().copied(),
            _ => found.destination,
        };
        let Some(OperandKind::Register { number, sub, .. }) = operand.map(|of| of.kind) else {
            continue;
        };
        let first = sub * 4;
        let is_link = |(file, register, byte): &(String, u16, u16)| {
            file == "r" && *register == number && (first..first + 8).contains(byte)
        };
        let bytes = reference.writes.iter().chain(&reference.reads);
        links
            .more
            .extend(bytes.filter(|byte| !is_link(byte)).cloned());
    }
    links
}

/// Compares a kernel. Calls `differs` for each difference.
pub fn compare(
    platform: Platform,
    code: &[u8],
    references: &[Reference],
    count: &mut Count,
    differs: &mut dyn FnMut(u32, &str, String),
) {
    let flow = DataFlow::new(Rc::new(Decoder::new(platform)), code);
    let links = links(platform, code, references);
    for (row, reference) in (0..).zip(references) {
        assert_eq!(flow.pc(row), Some(reference.pc));
        count.all += 1;
        let is_branch = links.branches.contains(&reference.pc);
        let strip = |bytes: &mut Bytes| bytes.retain(|byte| !links.more.contains(byte));
        let footprint = flow.footprint(row);
        let (mut writes, mut reads) = (Bytes::new(), Bytes::new());
        footprint
            .writes()
            .for_each(|a| bytes(&a.bytes, &mut writes));
        // The assembler does not list the registers of gather messages, but follows them.
        let reading = footprint.reads().filter(|a| a.role != Role::Gathered);
        reading.for_each(|a| bytes(&a.bytes, &mut reads));
        let mut defs: BTreeMap<u32, Bytes> = BTreeMap::new();
        for definition in flow.all_definitions(row) {
            if let Some(from) = definition.row {
                let pc = flow.pc(from).expect("a row");
                bytes(&definition.bytes, defs.entry(pc).or_default());
            }
        }
        let mut expected = Reference {
            writes: reference.writes.clone(),
            reads: reference.reads.clone(),
            defs: reference.defs.clone(),
            ..*reference
        };
        for bytes in defs.values_mut().chain(expected.defs.values_mut()) {
            strip(bytes);
        }
        if is_branch {
            for bytes in [
                &mut reads,
                &mut writes,
                &mut expected.reads,
                &mut expected.writes,
            ] {
                strip(bytes);
            }
            // The address of a call is one dword, or two on Xe3P.
            expected.reads.retain(|byte| reads.contains(byte));
            for bytes in expected.defs.values_mut() {
                bytes.retain(|byte| reads.contains(byte));
            }
        }
        for defs in [&mut defs, &mut expected.defs] {
            defs.retain(|_, bytes| !bytes.is_empty());
        }
        let reference = &expected;
        let live = flow.live_iga(row).expect("all of the code is analyzed");
        let live = [
            live.bytes,
            live.accumulator_bytes.into(),
            live.flag_bytes.into(),
            live.address_bytes.into(),
            live.scalar_bytes.into(),
        ];
        let results = [
            ("writes", writes == reference.writes),
            ("reads", reads == reference.reads),
            ("defs", defs == reference.defs),
            ("live", live == reference.live || !links.more.is_empty()),
        ];
        count.writes += usize::from(results[0].1);
        count.reads += usize::from(results[1].1);
        count.defs += usize::from(results[2].1);
        count.live += usize::from(results[3].1);
        count.equal += usize::from(results.iter().all(|(_, equal)| *equal));
        for (name, equal) in results {
            if !equal {
                let text = match name {
                    "writes" => short(&writes, &reference.writes),
                    "reads" => short(&reads, &reference.reads),
                    "defs" => format!("{:?}, not {:?}", names(&defs), names(&reference.defs)),
                    _ => format!("{live:?}, not {:?}", reference.live),
                };
                differs(row, name, text);
            }
        }
    }
}

fn names(defs: &BTreeMap<u32, Bytes>) -> Vec<(String, usize)> {
    let defs = defs.iter();
    defs.map(|(pc, bytes)| (format!("{pc:#x}"), bytes.len()))
        .collect()
}

fn short(mine: &Bytes, other: &Bytes) -> String {
    let list = |set: BTreeSet<&(String, u16, u16)>| {
        let mut registers: BTreeMap<String, usize> = BTreeMap::new();
        for (file, number, _) in set {
            *registers.entry(format!("{file}{number}")).or_default() += 1;
        }
        format!("{registers:?}")
    };
    let more = list(mine.difference(other).collect());
    let less = list(other.difference(mine).collect());
    format!("more {more}, less {less}")
}

/// The text of an instruction.
pub fn text(platform: Platform, code: &[u8], pc: u32) -> String {
    let decoder = Decoder::new(platform);
    let mut out = String::new();
    if let Some(instruction) = decoder.decode(&code[pc as usize..]) {
        decoder.format(&instruction, zeview::decode::isa::Labels::Numeric, &mut out);
    }
    out
}
