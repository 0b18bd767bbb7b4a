//! The instructions that an instruction waits for, by the software scoreboard of Xe and later.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};
use std::rc::Rc;

use super::build::{DataFlow, index};
use super::regset::{ByteSet, Piece, Pieces};
use crate::instruction::{Instruction, OperandKind, RegisterName, Scoreboard, Subfunction};
use crate::operands::type_bits;
use crate::tables::{Meaning, Op};
use zeview_core::model::sort;

/// An in-order pipe.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) enum Pipe {
    Float,
    Integer,
    Long,
    Math,
    Scalar,
}

impl Pipe {
    pub const ALL: [Pipe; 5] = [
        Pipe::Float,
        Pipe::Integer,
        Pipe::Long,
        Pipe::Math,
        Pipe::Scalar,
    ];

    pub(super) fn letter(self) -> &'static str {
        match self {
            Pipe::Float => "F",
            Pipe::Integer => "I",
            Pipe::Long => "L",
            Pipe::Math => "M",
            Pipe::Scalar => "S",
        }
    }
}

/// The pipes to which a distance applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Counted {
    One(Pipe),
    /// Each pipe separately.
    All,
    /// The single pipe of Gen12LP.
    Single,
}

/// How an instruction uses the scoreboard.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Issue {
    /// The in-order pipe that it is issued to.
    pub pipe: Option<Pipe>,
    distance: Option<(Counted, u8)>,
    /// The token that it allocates.
    pub allocates: Option<u8>,
    /// The tokens that it waits for; `true` if only for the sources.
    tokens: Option<(u32, bool)>,
    /// Whether it only waits; the consumer is a later instruction.
    is_sync: bool,
}

/// The condition of a wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitOn {
    /// The result, by the distance in a pipe; the name of the pipe, empty on devices with one.
    Distance(&'static str, u8),
    /// The result of the instruction with a token.
    Result(u8),
    /// The sources of the instruction with a token have been read.
    Sources(u8),
}

impl WaitOn {
    /// The condition as the assembler writes it: `F@2`, `$5.dst`.
    #[must_use]
    pub fn text(self) -> String {
        match self {
            WaitOn::Distance(pipe, count) => format!("{pipe}@{count}"),
            WaitOn::Result(token) => format!("${token}.dst"),
            WaitOn::Sources(token) => format!("${token}.src"),
        }
    }
}

/// A wait of an instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The condition.
    pub on: WaitOn,
    /// The instructions that it waits for, on all paths, those with the shortest path first. If some of
    /// them have bytes that require the wait, the others are left out.
    pub producers: Vec<u32>,
    /// Whether a path from the start of the kernel has no such instruction.
    pub from_entry: bool,
    /// The bytes of each producer that require the wait: those that the instruction needs or, for
    /// `sync`, that later instructions of the block need. Empty if no data requires it.
    pub reasons: Vec<ByteSet>,
}

impl Wait {
    /// Whether data of a producer require the wait.
    #[must_use]
    pub fn has_reason(&self) -> bool {
        self.reasons.iter().any(|reason| !reason.is_empty())
    }
}

impl Issue {
    pub fn of(rank: u8, i: &Instruction) -> Issue {
        let mut issue = Issue {
            is_sync: i.op == Op::Sync,
            ..Issue::default()
        };
        // Before Xe, the hardware checks the registers: there is no scoreboard in the word.
        if rank < 20 || i.invalid {
            return issue;
        }
        issue.pipe = pipe(rank, i);
        let Scoreboard {
            distance, token, ..
        } = i.scoreboard;
        issue.distance = distance
            .filter(|(_, count)| *count > 0)
            .map(|(pipe, count)| {
                let counted = match pipe {
                    _ if rank < 22 => Counted::Single,
                    "A" => Counted::All,
                    pipe => {
                        let named = Pipe::ALL.into_iter().find(|p| p.letter() == pipe);
                        // Without a letter, the distance counts in the instruction's own pipe.
                        let own = issue.pipe.or_else(|| by_type(rank, i));
                        named.or(own).map_or(Counted::All, Counted::One)
                    }
                };
                (counted, count)
            });
        match token {
            Some((token, "")) => issue.allocates = Some(token),
            Some((token, wait)) => {
                issue.tokens = Some((1_u32.checked_shl(token.into()).unwrap_or(0), wait == ".src"));
            }
            None => {}
        }
        if let Subfunction::Text(function @ ("allrd" | "allwr")) = i.subfunction
            && i.op == Op::Sync
        {
            let set = match i.sources.first().map(|source| source.kind) {
                Some(OperandKind::Immediate(set)) if i.source_count > 0 => {
                    u32::try_from(set & u64::from(u32::MAX)).unwrap_or(u32::MAX)
                }
                _ => u32::MAX,
            };
            issue.tokens = Some((set, function == "allrd"));
        }
        issue
    }
}

/// The in-order pipe that an instruction is issued to.
fn pipe(rank: u8, i: &Instruction) -> Option<Pipe> {
    match i.op {
        _ if i.kind.is_send() => None,
        Op::Sync | Op::Illegal | Op::Dpas | Op::Dpasw | Op::Bdpas => None,
        Op::Math if rank >= 24 => Some(Pipe::Math),
        Op::Math => None,
        _ if i.kind.is_branch() => Some(Pipe::Integer),
        // Doubles go to the math pipe, out of order.
        _ if rank == 22 && is_double(i) => None,
        _ => by_type(rank, i),
    }
}

fn types(i: &Instruction) -> impl Iterator<Item = Meaning> {
    let sources = i.sources.iter().take(i.source_count);
    i.destination
        .iter()
        .chain(sources)
        .filter_map(|o| o.data_type)
}

fn is_double(i: &Instruction) -> bool {
    types(i).any(|data_type| data_type == Meaning::df)
}

/// The pipe by the types of the operands.
fn by_type(rank: u8, i: &Instruction) -> Option<Pipe> {
    let is_float = |data_type: Meaning| {
        matches!(
            data_type,
            Meaning::f | Meaning::hf | Meaning::bf | Meaning::df | Meaning::bf8 | Meaning::hf8
        )
    };
    let is_scalar = |kind: OperandKind| match kind {
        OperandKind::Register {
            name: RegisterName::Architecture(register),
            ..
        } => register.name == "s",
        _ => false,
    };
    let destination = i.destination;
    let source = i.sources.first().filter(|_| i.source_count > 0);
    let is_constant = source.is_some_and(|s| matches!(s.kind, OperandKind::Immediate(_)));
    if rank >= 40
        && i.op == Op::Mov
        && is_constant
        && destination.is_some_and(|destination| is_scalar(destination.kind))
    {
        return Some(Pipe::Scalar);
    }
    let result = match destination {
        Some(destination) => destination.data_type,
        None => source.and_then(|source| source.data_type),
    };
    let wide = types(i).any(|data_type| type_bits(data_type) == Some(64));
    Some(match result {
        // Only doubles as results go to the long pipe.
        Some(Meaning::df) => Pipe::Long,
        _ if rank < 24 && wide => Pipe::Long,
        Some(result) if is_float(result) => Pipe::Float,
        _ => Pipe::Integer,
    })
}

/// Instructions that another one waits for.
struct Decision {
    on: WaitOn,
    /// Those with the shortest path first.
    producers: Vec<u32>,
    /// Number of instructions on the path, by producer.
    distances: Vec<u32>,
    from_entry: bool,
}

/// A distance in all pipes: one wait.
fn join(count: u8, all: Vec<Decision>) -> Decision {
    let from_entry = all.iter().all(|found| found.from_entry);
    let pairs = all
        .iter()
        .flat_map(|found| found.distances.iter().zip(&found.producers));
    let mut pairs: Vec<(u32, u32)> = pairs.map(|(far, row)| (*far, *row)).collect();
    sort::ascending(&mut pairs);
    let (distances, producers) = pairs.into_iter().unzip();
    Decision {
        on: WaitOn::Distance("A", count),
        producers,
        distances,
        from_entry,
    }
}

/// The conditions of waits, each with the instructions that are waited for.
pub(super) type Awaited = Rc<[(WaitOn, Vec<u32>)]>;

/// The memory of a condition in addition to its instructions, in definitions.
const AWAITED: usize = 4;

/// The rows issued to each pipe, and the rows that allocate each token.
pub(super) struct Issued {
    pipes: HashMap<Option<Pipe>, Vec<u32>>,
    tokens: HashMap<u8, Vec<u32>>,
}

impl DataFlow {
    /// The instructions that an instruction waits for. Empty before Xe.
    #[must_use]
    pub fn waits(&self, row: u32) -> Vec<Wait> {
        self.query(|| self.find_waits(row)).value
    }

    pub(super) fn find_waits(&self, row: u32) -> Vec<Wait> {
        let Some(record) = self.row(row) else {
            return Vec::new();
        };
        let (mut distances, mut out) = (Vec::new(), Vec::new());
        for found in self.found(row) {
            match found.on {
                WaitOn::Distance(..) => distances.push(found),
                _ => out.push(self.wait(row, found)),
            }
        }
        // A distance in all pipes is one wait. The compiler wrote `A` because of some pipes; the
        // producers in the others have no reason.
        if let Some((Counted::All, count)) = record.issue.distance {
            distances = vec![join(count, distances)];
        }
        let distances = distances.into_iter().map(|found| self.wait(row, found));
        let mut all: Vec<Wait> = distances.collect();
        all.append(&mut out);
        all
    }

    /// The name of the in-order pipe that an instruction is issued to, as in [`WaitOn::Distance`].
    pub(super) fn in_order_pipe(&self, row: u32) -> Option<&'static str> {
        let pipe = self.row(row)?.issue.pipe?;
        // Devices with one pipe do not name it.
        let has_several = self.accesses.encoding.rank >= 22;
        Some(if has_several { pipe.letter() } else { "" })
    }

    fn distance(&self, row: u32, pipe: Option<Pipe>, count: u8) -> Decision {
        let issued = self.issued();
        let rows = issued.pipes.get(&pipe).map_or(&[][..], Vec::as_slice);
        let (producers, distances, from_entry) = self.find_back(row, rows, count);
        let name = pipe.map_or("", Pipe::letter);
        Decision {
            on: WaitOn::Distance(name, count),
            producers,
            distances,
            from_entry,
        }
    }

    /// The conditions that an instruction waits for, by pipe and token.
    fn found(&self, row: u32) -> Vec<Decision> {
        let Some(record) = self.row(row) else {
            return Vec::new();
        };
        let mut out = Vec::new();
        match record.issue.distance {
            None => {}
            Some((Counted::Single, count)) => out.push(self.distance(row, None, count)),
            Some((Counted::One(pipe), count)) => out.push(self.distance(row, Some(pipe), count)),
            Some((Counted::All, count)) => {
                out.extend(Pipe::ALL.map(|pipe| self.distance(row, Some(pipe), count)));
            }
        }
        let Some((tokens, sources)) = record.issue.tokens else {
            return out;
        };
        for token in (0..32_u8).filter(|token| tokens >> token & 1 != 0) {
            let rows = self.issued().tokens.get(&token);
            let rows = rows.map_or(&[][..], Vec::as_slice);
            let (producers, distances, from_entry) = self.find_back(row, rows, 1);
            // `sync.allrd` names all 32 tokens. Those that nobody allocated are not worth a row.
            if producers.is_empty() && !tokens.is_power_of_two() {
                continue;
            }
            out.push(Decision {
                on: if sources {
                    WaitOn::Sources(token)
                } else {
                    WaitOn::Result(token)
                },
                producers,
                distances,
                from_entry,
            });
        }
        out
    }

    /// The conditions of an instruction's waits, and the instructions that are waited for. They are
    /// kept: each loop around an instruction asks for them.
    pub(super) fn producers(&self, row: u32) -> Awaited {
        if let Some(known) = self.awaited.borrow().get(&row) {
            return Rc::clone(known);
        }
        let found = self.found(row).into_iter();
        let found: Awaited = found.map(|found| (found.on, found.producers)).collect();
        let count = found.iter().map(|(_, rows)| rows.len() + AWAITED).sum();
        if !self.is_cut() && self.keep(count) {
            self.awaited.borrow_mut().insert(row, Rc::clone(&found));
        }
        found
    }

    fn issued(&self) -> &Issued {
        self.issued.get_or_init(|| self.find_issued())
    }

    fn wait(&self, row: u32, found: Decision) -> Wait {
        let end = self.row(row).and_then(|record| self.node(record.block));
        let end = end.map_or(row, |node| node.end);
        let is_sync = self.row(row).is_some_and(|record| record.issue.is_sync);
        // `sync` reads no data: the wait is for the instructions behind it.
        let consumers = if is_sync {
            row..end
        } else {
            row..row.saturating_add(1)
        };
        let sources_only = matches!(found.on, WaitOn::Sources(_));
        let pieces = |row: &u32| {
            let written = self.writes_of(*row).iter().map(|write| write.piece);
            let read = self.reads_of(*row).iter().map(|read| read.piece);
            let written = written.filter(|_| !sources_only);
            (written.collect(), read.collect())
        };
        let mut producers = found.producers;
        let all: Vec<(Vec<Piece>, Vec<Piece>)> = producers.iter().map(pieces).collect();
        let mut reasons: Vec<Pieces> = all.iter().map(|_| Pieces::default()).collect();
        // Bounds the search in a long block after `sync`.
        for consumer in consumers.take(SYNC_REACH) {
            for ((written, read), reason) in all.iter().zip(&mut reasons) {
                self.overlap(written, read, consumer, reason);
            }
            if reasons.iter().any(|reason| !reason.0.is_empty()) {
                break;
            }
        }
        // The same condition has other producers on other paths; those whose data it needs are why it
        // is there.
        let with_reason = reasons.iter().any(|reason| !reason.0.is_empty());
        let keep = |reason: &Pieces| !with_reason || !reason.0.is_empty();
        let mut kept = reasons.iter().map(keep);
        producers.retain(|_| kept.next().unwrap_or(true));
        reasons.retain(|reason| !with_reason || !reason.0.is_empty());
        let set = |reason: Pieces| ByteSet::new(reason.0, self.sizes());
        Wait {
            on: found.on,
            producers,
            from_entry: found.from_entry,
            reasons: reasons.into_iter().map(set).collect(),
        }
    }

    /// Adds the bytes of a producer that a consumer depends on: written bytes that it reads or
    /// overwrites, and read bytes that it overwrites.
    fn overlap(&self, written: &[Piece], read: &[Piece], consumer: u32, to: &mut Pieces) {
        let mut add = |mine: &[Piece], needed: Piece| {
            for piece in mine.iter().filter(|piece| piece.unit == needed.unit) {
                to.add_mask(piece.unit, piece.mask & needed.mask);
            }
        };
        for needed in self.reads_of(consumer) {
            add(written, needed.piece);
        }
        for needed in self.writes_of(consumer) {
            add(written, needed.piece);
            add(read, needed.piece);
        }
    }

    /// The `count`-th of the given rows before a row, on all paths, with the number of instructions on
    /// the shortest path to each, in this order; and whether a path from the start of the kernel has
    /// fewer.
    fn find_back(&self, row: u32, rows: &[u32], count: u8) -> (Vec<u32>, Vec<u32>, bool) {
        let mut found: BTreeMap<u32, u32> = BTreeMap::new();
        let mut from_entry = false;
        let mut seen: foldhash::HashSet<(u32, usize)> = foldhash::HashSet::default();
        let Some(block) = self.row(row).map(|record| record.block) else {
            return (Vec::new(), Vec::new(), false);
        };
        // The shortest path first: a block is passed once for each rest, on its shortest path.
        let mut work = BinaryHeap::from([Reverse((0_u32, block, row, usize::from(count)))]);
        while let Some(Reverse((distance, block, before, count))) = work.pop() {
            if !self.spend(1) {
                break;
            }
            let Some(node) = self.node(block) else {
                continue;
            };
            let end = rows.partition_point(|at| *at < before);
            let start = rows.partition_point(|at| *at < node.first);
            if end - start >= count {
                if let Some(at) = rows.get(end - count) {
                    found.entry(*at).or_insert(distance + (before - at));
                }
                continue;
            }
            let rest = count - (end - start);
            if block == 0 {
                from_entry = true;
            }
            let distance = distance.saturating_add(before - node.first);
            for from in self.graph.predecessors(block) {
                // The count is part of the key: a block is passed again with another rest.
                if seen.insert((*from, rest)) {
                    let end = self.node(*from).map_or(0, |node| node.end);
                    work.push(Reverse((distance, *from, end, rest)));
                }
            }
        }
        let mut found: Vec<(u32, u32)> = found.into_iter().map(|(at, far)| (far, at)).collect();
        sort::ascending(&mut found);
        let (distances, producers) = found.into_iter().unzip();
        (producers, distances, from_entry)
    }

    fn find_issued(&self) -> Issued {
        let mut issued = Issued {
            pipes: HashMap::new(),
            tokens: HashMap::new(),
        };
        let single = self.accesses.encoding.rank < 22;
        for (at, row) in (0_u32..).zip(&self.rows) {
            if let Some(pipe) = row.issue.pipe {
                let pipe = (!single).then_some(pipe);
                issued.pipes.entry(pipe).or_default().push(at);
            }
            if let Some(token) = row.issue.allocates {
                issued.tokens.entry(token).or_default().push(at);
            }
        }
        issued
    }

    /// Whether an instruction waits for something.
    #[must_use]
    pub fn has_waits(&self, row: u32) -> bool {
        self.rows
            .get(index(row))
            .is_some_and(|row| row.issue.distance.is_some() || row.issue.tokens.is_some())
    }
}

/// Maximum number of instructions after `sync` that are considered as its consumers.
const SYNC_REACH: usize = 256;
