//! Answers to requests about the data flow of code.

use crate::tables;
use std::cmp::Reverse;
use std::rc::Rc;

use super::list::Lists;
use crate::analysis::assembly::Listing;
use crate::analysis::data_flow::{
    ASSUMED_ITERATIONS, Bottleneck, FlowReport, Flows, LoopReport, Peak, Pressure, SlotReport,
    SpillPattern, WaitReport, loop_costs, loop_costs_with, pattern_groups,
};
use crate::analysis::figure::Unknown;
use crate::analysis::functions::{Callee, FunctionReport};
use crate::analysis::occupancy::{LargerFile, Occupancy, OccupancyParameters};
use crate::analysis::profile::{self, InstructionCounts};
use crate::decode::isa::Platform;
use crate::model::text::{counted, grouped};
use crate::model::{Document, NodeId, Span, Str, sort};
use crate::report::code::name_values;
use crate::tables::ListId;
use crate::tables::query::{Query, RowOptions};
use crate::worker::protocol::{
    Aspect, FIRST_FLOW_MAX, FLOW_ROWS_MAX, FlowCell, FlowColumn, FlowColumnKind,
    FlowColumnKind::{Code, Number, Text},
    FlowFact, FlowLoop, FlowOverview, FlowPiece, FlowRow, FlowTable, FlowTopic, Follow, LOOPS_MAX,
    Response,
};

const NONE: &str = "This part of the file has no instructions.";

/// Maximum number of offsets in a cell.
const LINKS: usize = 6;

/// Registers of a thread, if the code belongs to no kernel.
const REGISTERS: u32 = 128;

/// Identifies code: document, section and encoding.
type Key = (NodeId, Option<Span>, Option<Str>);

/// The data flow that was summarized last: code may be prepared before its summary is requested.
#[derive(Default)]
pub(crate) struct Summaries(Option<(Key, Box<FlowOverview>)>);

impl Summaries {
    /// Forgets the summary: a profile with executions was added, which change the costs of loops.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }

    /// Summarizes the data flow of a section of code, in the innermost document around a node.
    ///
    /// # Errors
    ///
    /// If there is no code, or its encoding is not known, as a message.
    pub(crate) fn answer(
        &mut self,
        lists: &Lists,
        document: &mut Document,
        node: NodeId,
        query: &Query,
    ) -> Result<Response, String> {
        let id = tables::document_of(document, node, ListId::Instructions);
        let id = id.ok_or(NONE)?;
        let key = (id, query.of, query.encoding().cloned());
        let known = self.0.take().filter(|(known, _)| *known == key);
        let flow = match known {
            Some((_, flow)) => flow,
            None => Box::new(summarize(lists, document, id, query)?),
        };
        self.0 = Some((key, flow.clone()));
        Ok(Response::DataFlow(flow))
    }

    /// Summarizes the data flow of the code at a selection, if its first rows wait for that.
    pub(crate) fn prepare(
        &mut self,
        lists: &mut Lists,
        document: &mut Document,
        (node, span): (NodeId, Option<Span>),
        follow: &Follow,
    ) {
        let Some(at) = lists.at(document, node, span, follow) else {
            return;
        };
        if at.of.is_some_and(|of| of.len() <= FIRST_FLOW_MAX) {
            let query = Query {
                of: at.of,
                options: RowOptions::code(follow.query.encoding().cloned(), Vec::new()),
                ..Query::default()
            };
            // The request fails as well.
            let _ = self.answer(lists, document, at.document, &query);
        }
    }
}

fn summarize(
    lists: &Lists,
    document: &mut Document,
    id: NodeId,
    query: &Query,
) -> Result<FlowOverview, String> {
    // The list on the screen shares its data flow.
    let listed = lists.listing(id, query);
    let listing =
        listed.or_else(|| document.listing(id, query.of, query.encoding().map(|name| &**name)));
    let listing = listing.ok_or(NONE)?;
    let flow = listing.data_flow(&document.sources);
    let flow = flow.ok_or("The encoding is not known.")?;
    let mut report = flow.report();
    let of = listing.code();
    let lines = document.source_lines(id);
    let lines = lines.map(|lines| lines.table(&document.sources));
    if let (Some(lines), Some(functions)) = (&lines, &mut report.functions) {
        lines.name_functions(of, functions);
    }
    if let Some(lines) = &lines {
        name_values(&mut report, lines, of);
    }
    let (occupancy, spilled) = occupancy(document, id, of).unzip();
    let larger = report.peak.as_ref().and_then(|peak| {
        let bytes = listing
            .encoding()
            .as_deref()
            .and_then(Platform::named)?
            .register_bytes();
        let found = occupancy.as_ref()?;
        found.larger_file(peak.registers, spilled.flatten()?, bytes)
    });
    let counts = profile::added_profile(document).map(|profile| profile.counts_on_code(of));
    let loops = by_cost(&report, &counts.unwrap_or_default());
    let opens = loops.first().and_then(|costliest| {
        let start = of.start.saturating_add(costliest.start.into());
        listing.row_at(start, &document.sources)
    });
    let peak = report.peak.as_ref().map_or(0, |peak| peak.registers);
    let number = |value: Option<u64>| value.and_then(|value| u32::try_from(value).ok());
    let registers = number(occupancy.as_ref().and_then(|found| found.get("grf_count")));
    let more_threads = occupancy.as_ref().and_then(|found| found.more_threads);
    let threads = occupancy.as_ref();
    let threads = threads.and_then(|found| found.get("threads_per_eu"));
    let pressures = report.pressures.as_deref().unwrap_or_default();
    let patterns = report.patterns.as_deref().unwrap_or_default();
    let of_spills = patterns.iter().any(SpillPattern::is_of_spill);
    let slots = slot_table(report.slots.as_deref().unwrap_or_default());
    let patterns = pattern_table(patterns, of_spills);
    let mut in_registers: Vec<FlowTable> = pressures.iter().flat_map(pressure_tables).collect();
    let mut in_slots = vec![slots];
    if of_spills {
        in_slots.push(patterns);
    } else {
        in_registers.push(patterns);
    }
    let functions = function_table(report.functions.as_deref().unwrap_or_default());
    let waits = wait_table(report.waits.as_deref().unwrap_or_default());
    let of_peak = peak_facts(&report, registers, occupancy.as_ref(), larger);
    let of_loops = loops.first().map(|costliest| loop_fact(costliest));
    let mut topics = Vec::new();
    for (aspect, facts, mut tables) in [
        (Aspect::Spills, Vec::new(), in_slots),
        (Aspect::Registers, of_peak, in_registers),
        (
            Aspect::Loops,
            Vec::from_iter(of_loops),
            vec![loop_table(&loops, threads)],
        ),
        (Aspect::Waits, Vec::new(), vec![waits]),
        (Aspect::Functions, Vec::new(), vec![functions]),
    ] {
        tables.retain(|table| table.count > 0);
        if !facts.is_empty() || !tables.is_empty() {
            topics.push(FlowTopic {
                aspect,
                facts,
                tables,
            });
        }
    }
    let count = listing.count().min(report.instructions);
    let scratch = (0..count).filter_map(|row| Some((row, flow.scratch(row)?)));
    let scratch = scratch.collect();
    let row_at = |offset: u32| {
        let at = of.start.saturating_add(offset.into());
        listing.row_at(at, &document.sources).unwrap_or(count)
    };
    Ok(FlowOverview {
        document: id,
        of,
        topics,
        limits: report.all_limits().collect(),
        loops: foldable(&loops, &row_at),
        opens: opens.map(u64::from),
        peak,
        registers,
        most: registers.unwrap_or(REGISTERS).max(peak),
        more_threads: number(more_threads.map(|more| more.registers)),
        live: live(&*flow, count),
        scratch,
    })
}

fn live(flow: &dyn Flows, count: u32) -> Vec<u16> {
    let registers = |row| Some(u16::try_from(flow.live(row)?.registers).unwrap_or(u16::MAX));
    (0..count).map_while(registers).collect()
}

/// Returns the occupancy of the kernel that the code belongs to, on the file's own device.
fn occupancy(document: &Document, id: NodeId, of: Span) -> Option<(Occupancy, Option<u64>)> {
    let sections = document.assembly(id)?.sections();
    let section = sections.iter().find(|section| section.bytes == of)?;
    let (_, entry) = section.kernel.as_ref()?;
    let kernels = document.kernels(id)?;
    let rows = kernels.rows(&document.sources);
    let kernel = rows.iter().position(|row| row.entry == *entry)?;
    let parameters = OccupancyParameters::default();
    let found = kernels.occupancy(kernel, &parameters, &document.sources);
    let spilled = rows.get(kernel).and_then(|row| row.spill_size.figure.ok());
    let spilled = spilled.and_then(|size| u64::try_from(size).ok());
    Some((found.ok()?, spilled))
}

/// Returns the loops, the costliest first: by the measured executions of their first instructions, if
/// there are any, or else with assumed iterations.
fn by_cost<'a>(report: &'a FlowReport, counts: &[InstructionCounts]) -> Vec<&'a LoopReport> {
    let loops = report.loops.as_deref().unwrap_or_default();
    let runs = |found: &LoopReport| {
        let start = u64::from(found.start);
        let at = counts.binary_search_by_key(&start, |at| at.offset);
        let counted = at.ok().and_then(|at| counts.get(at));
        counted.map_or(0, |at| at.executions)
    };
    let costs = if counts.is_empty() {
        loop_costs(loops)
    } else {
        loop_costs_with(loops, runs)
    };
    let mut loops: Vec<(u64, &LoopReport)> = costs.into_iter().zip(loops).collect();
    sort::by_key(&mut loops, |(cost, _)| Reverse(*cost));
    loops.into_iter().map(|(_, found)| found).collect()
}

/// Loops that can be folded. `row_at` returns the index of the instruction at an offset of the code, or
/// the number of all.
fn foldable(loops: &[&LoopReport], row_at: &dyn Fn(u32) -> u32) -> Vec<FlowLoop> {
    let mut foldable = Vec::new();
    for found in loops.iter().take(LOOPS_MAX) {
        let name = if foldable.is_empty() {
            "costliest loop"
        } else {
            "loop"
        };
        foldable.push(FlowLoop {
            start: found.start,
            ranges: found.ranges.clone(),
            rows: (row_at(found.start), row_at(found.end)),
            depth: found.depth,
            instructions: found.instructions,
            cycles: found.cycles,
            issue: found.issue,
            name: format!("{name}, {}", counted(found.cycles, "cycle", "cycles")),
        });
    }
    foldable
}

fn say(text: impl Into<String>) -> FlowPiece {
    FlowPiece::Text(text.into())
}

fn cell(text: &str) -> FlowCell {
    FlowCell::Text(vec![say(text)])
}

fn number(count: impl Into<u64>) -> FlowCell {
    FlowCell::Number(count.into())
}

/// The first of several instructions.
fn all_at(pcs: &[u32]) -> FlowCell {
    let mut pieces = Vec::new();
    for pc in pcs.iter().take(LINKS) {
        pieces.extend([FlowPiece::At(*pc), say(" ")]);
    }
    if let Some(more @ 1..) = pcs.len().checked_sub(LINKS) {
        pieces.push(say(format!("{} more", grouped(more as u64))));
    }
    FlowCell::Text(pieces)
}

/// The bottleneck of a loop.
fn bound(bottleneck: &Bottleneck) -> Vec<FlowPiece> {
    match bottleneck {
        Bottleneck::Wait { pc, producer } => vec![
            say("latency of "),
            FlowPiece::At(*producer),
            say(", waited for at "),
            FlowPiece::At(*pc),
        ],
        other => vec![say(other.to_string())],
    }
}

fn fact(title: &str, text: Vec<FlowPiece>) -> FlowFact {
    FlowFact {
        title: title.to_owned(),
        text,
    }
}

/// The results about live registers in sentences.
fn peak_facts(
    report: &FlowReport,
    registers: Option<u32>,
    occupancy: Option<&Occupancy>,
    larger: Option<LargerFile>,
) -> Vec<FlowFact> {
    let mut facts = Vec::new();
    if let Some(peak) = &report.peak {
        let all = registers.map_or_else(String::new, |all| format!(" of {all}"));
        let (live, pc) = (peak.registers, peak.pc);
        let text = format!("{live}{all} registers live at the peak, ");
        let mut text = vec![say(text), FlowPiece::At(pc)];
        if let Some(iga) = &peak.iga {
            text.push(say(format!(
                " ({} without waiting channels, as IGA counts)",
                iga.registers
            )));
        }
        let title = "The registers that the compiler must keep, including the values of channels that wait while others run";
        facts.push(fact(title, text));
        facts.extend(more_threads(peak, occupancy));
        facts.extend(larger.map(|larger| {
            let title = "Spilled registers and the peak, added up: not all spilled values are live at once, so fewer registers may do";
            fact(title, vec![say(larger.to_string())])
        }));
        if let Some(range) = &peak.longest {
            let text = vec![
                say(format!("longest: {} from ", range.register)),
                range.from.map_or_else(|| say("the start"), FlowPiece::At),
                say(" to "),
                FlowPiece::At(range.to),
            ];
            let title = "The value that is live the longest across the peak";
            facts.push(fact(title, text));
        }
    }
    if let Some(dead @ 1..) = report.dead_writes {
        let dead = counted(dead.into(), "dead write", "dead writes");
        facts.push(fact("Results that are never read", vec![say(dead)]));
    }
    facts
}

/// The costliest loop in a sentence.
fn loop_fact(costliest: &LoopReport) -> FlowFact {
    let cycles = grouped(costliest.cycles);
    let mut text = vec![
        say("opens at the costliest loop: "),
        FlowPiece::At(costliest.start),
        say(format!(
            ", {cycles} cycles: {} issue, {} latency; largest of one thread: ",
            grouped(costliest.issue),
            grouped(costliest.latency)
        )),
    ];
    text.extend(bound(&costliest.bottleneck));
    text.push(say(format!(
        " (if each loop runs {ASSUMED_ITERATIONS} times)"
    )));
    let title = "The loop with the most cycles outside of inner loops, if each loop runs ten times: nothing in the code states how often. Cycles per iteration, as the compiler's scheduler assumes";
    fact(title, text)
}

/// The number of registers with which the device runs more threads of the kernel.
fn more_threads(peak: &Peak, occupancy: Option<&Occupancy>) -> Option<FlowFact> {
    let occupancy = occupancy?;
    let more = occupancy.more_threads?;
    let threads = occupancy.get("threads_per_eu")?;
    let fits = if u64::from(peak.registers) <= more.registers {
        "; the peak fits"
    } else {
        ""
    };
    let text = format!(
        "with {} registers, {} instead of {threads} threads per EU{fits}",
        more.registers, more.threads
    );
    let title = "The mark in the bars of live registers; the compiler also needs registers for alignment and temporary values";
    Some(fact(title, vec![say(text)]))
}

/// Title, columns and explanation of a table.
type Heading<'a> = (&'a str, &'a [(FlowColumnKind, &'a str)], &'a str);

fn table((title, columns, note): Heading<'_>, count: usize, rows: Vec<Vec<FlowCell>>) -> FlowTable {
    let mut all = Vec::new();
    for (kind, title) in columns {
        all.push(FlowColumn {
            title: (*title).to_owned(),
            kind: *kind,
            is_detail: false,
        });
    }
    FlowTable {
        title: title.to_owned(),
        count: count as u64,
        columns: all,
        rows: rows
            .into_iter()
            .map(|cells| FlowRow {
                cells,
                loop_at: None,
            })
            .collect(),
        note: note.to_owned(),
    }
}

/// Leaves out the other columns where there is little room.
fn keep_brief(table: &mut FlowTable, titles: &[&str]) {
    for column in &mut table.columns {
        column.is_detail = !titles.contains(&&*column.title);
    }
}

/// The values in registers at a position: by cause, and the largest ones.
fn pressure_tables(of: &Pressure) -> [FlowTable; 2] {
    let place = match &*of.at {
        "peak" => "at the peak".to_owned(),
        at => format!("at the {at} {:#x}", of.pc),
    };
    let mut causes = Vec::new();
    for total in &of.causes {
        causes.push(vec![
            cell(&total.cause.to_string()),
            number(total.registers),
            number(total.bytes),
            number(total.values),
        ]);
    }
    let mut values = Vec::new();
    for value in of.values.iter().take(FLOW_ROWS_MAX) {
        let mut cause = value.cause.to_string();
        if value.recomputable {
            cause.push_str(", could be computed again");
        }
        let mut next: Vec<FlowPiece> = value.next_use.into_iter().map(FlowPiece::At).collect();
        next.push(say(value.next_use_note()));
        values.push(vec![
            cell(&value.title()),
            number(value.size),
            cell(&value.bytes.join(" ")),
            all_at(&value.born),
            FlowCell::Text(next),
            cell(&cause),
        ]);
    }
    let by_cause: Heading<'_> = (
        &format!("Registers {place}"),
        &[
            (Text, "Cause"),
            (Number, "Registers"),
            (Number, "Bytes"),
            (Number, "Values"),
        ],
        if of.at == "spill" {
            "Why values are in registers. A value has the first cause that applies; values with different causes may share a register. A spilled value is stored wherever it is computed: the registers may be full elsewhere, between there and its uses."
        } else {
            "Why values are in registers. A value has the first cause that applies; values with different causes may share a register."
        },
    );
    let by_value: Heading<'_> = (
        &format!("Values {place}"),
        &[
            (Text, "Value"),
            (Number, "Bytes"),
            (Code, "Registers"),
            (Code, "Computed at"),
            (Code, "Next use"),
            (Text, "Cause"),
        ],
        "The largest first. The next use is the one with the fewest instructions until it.",
    );
    let count = of.values.len() + usize::try_from(of.others).unwrap_or(0);
    [
        table(by_cause, of.causes.len(), causes),
        table(by_value, count, values),
    ]
}

fn loop_table(loops: &[&LoopReport], threads: Option<u64>) -> FlowTable {
    let mut rows = Vec::new();
    for found in loops.iter().take(FLOW_ROWS_MAX) {
        let figures = found.figures();
        let counts = [
            Ok(found.cycles),
            Ok(found.issue),
            Ok(found.latency),
            Ok(found.spills.into()),
            Ok(found.fills.into()),
            Ok(found.waits.into()),
            Ok(found.depth.into()),
            Ok(found.instructions.into()),
            figures.float,
            figures.dpas,
            figures.integer,
            figures.global,
            figures.local,
        ];
        let text = |text: String| FlowCell::Text(vec![FlowPiece::Text(text)]);
        let unknown = |reason: Unknown| text(reason.to_string());
        let mut row = vec![FlowCell::Text(vec![FlowPiece::At(found.start)])];
        row.extend(counts.map(|count| count.map_or_else(unknown, FlowCell::Number)));
        row.push(cell(&found.throughput_text()));
        row.push(FlowCell::Text(bound(&found.bottleneck)));
        row.push(match (threads, found.saturating_threads) {
            (Some(threads), _) => text(found.bound_of_threads(threads).to_string()),
            (None, Some(threads)) => text(format!("{threads} threads fill the pipe")),
            (None, None) => text(String::new()),
        });
        row.push(match figures.intensity {
            Ok(intensity) => text(format!("{intensity:.2}")),
            Err(reason) => unknown(reason),
        });
        rows.push(row);
    }
    let heading: Heading<'_> = (
        "Loops",
        &[
            (Code, "Loop"),
            (Number, "Cycles"),
            (Number, "Issue"),
            (Number, "Latency"),
            (Number, "Spills"),
            (Number, "Fills"),
            (Number, "Waits"),
            (Number, "Depth"),
            (Number, "Instructions"),
            (Number, "Float, ops"),
            (Number, "dpas, ops"),
            (Number, "Integer, ops"),
            (Number, "Memory, B"),
            (Number, "SLM, B"),
            (Text, "Throughput"),
            (Text, "Largest of one thread"),
            (Text, "Bound of all threads"),
            (Text, "Ops per B"),
        ],
        "The costliest first, if each loop runs ten times: nothing in the code states how often. An iteration of one thread, with the cycles that the compiler's scheduler assumes: those in which it issues instructions, those in which it waits for results (latency), and those in which the busiest pipe of the hardware is occupied (throughput; of messages, a register per cycle). The threads of an EU hide the latency of each other until they fill that pipe. Operations and bytes are for all channels of the execution size, enabled or not; a multiply-add is two operations. Operations per byte: float and dpas, by the bytes of memory other than SLM and scratch.",
    );
    let mut table = table(heading, loops.len(), rows);
    for (row, found) in table.rows.iter_mut().zip(loops) {
        row.loop_at = Some(found.start);
    }
    keep_brief(&mut table, &["Loop", "Cycles", "Issue", "Spills", "Fills"]);
    table
}

fn wait_table(waits: &[WaitReport]) -> FlowTable {
    let mut rows = Vec::new();
    for wait in waits.iter().take(FLOW_ROWS_MAX) {
        let mut words = Vec::new();
        for (place, wait) in wait.waits.iter().enumerate() {
            let before = if place == 0 { "" } else { "; " };
            words.push(say(format!("{before}{}", wait.on)));
            if let Some(pc) = wait.pc {
                words.extend([say(" of "), FlowPiece::At(pc)]);
            }
            let mut behind = String::new();
            for bytes in &wait.bytes {
                behind.push(' ');
                behind.push_str(bytes);
            }
            if wait.bytes.is_empty() {
                behind.push_str(" no data in common");
            }
            if wait.others > 0 {
                behind.push_str(&format!(", and {} others", wait.others));
            }
            words.push(say(behind));
        }
        rows.push(vec![
            FlowCell::Text(vec![FlowPiece::At(wait.pc)]),
            number(wait.cycles),
            number(wait.depth),
            FlowCell::Text(words),
        ]);
    }
    let heading: Heading<'_> = (
        "Waits",
        &[
            (Code, "Instruction"),
            (Number, "Cycles"),
            (Number, "Loop depth"),
            (Text, "Waits for"),
        ],
        "The costliest waits, the deepest loops first: one thread alone, as the compiler's scheduler assumes.",
    );
    table(heading, waits.len(), rows)
}

/// The loads of a slot. If several stores write it, each with the stores that it reads.
fn slot_loads(slot: &SlotReport) -> FlowCell {
    if slot.writers.len() < 2 {
        return all_at(&slot.readers);
    }
    let mut pieces = Vec::new();
    for load in slot.loads.iter().take(LINKS) {
        pieces.push(FlowPiece::At(load.pc));
        for (place, store) in load.stores.iter().take(LINKS).enumerate() {
            pieces.push(say(if place == 0 { " from " } else { ", " }));
            pieces.push(FlowPiece::At(*store));
        }
        pieces.push(say(" "));
    }
    if let Some(more @ 1..) = slot.loads.len().checked_sub(LINKS) {
        pieces.push(say(format!("{} more", grouped(more as u64))));
    }
    FlowCell::Text(pieces)
}

/// The functions of code that has several, or calls.
fn function_table(functions: &[FunctionReport]) -> FlowTable {
    let is_one = functions.len() < 2 && functions.iter().all(|of| of.calls.is_empty());
    let listed = if is_one { &[] } else { functions };
    let name = |at: &u32| {
        let found = usize::try_from(*at).ok().and_then(|at| functions.get(at));
        found.map_or("", |of| &of.name)
    };
    let known = |figure: Option<u64>| figure.map_or_else(|| cell("unknown"), number);
    let mut rows = Vec::new();
    for of in listed.iter().take(FLOW_ROWS_MAX) {
        let mut callees: Vec<FlowPiece> = Vec::new();
        for call in of.calls.iter().take(LINKS) {
            let callee = match &call.callee {
                Callee::Function(at) => name(at),
                Callee::Symbol(name) => name,
                Callee::Indirect => "unknown address",
                Callee::Astray => "no instruction",
            };
            callees.extend([FlowPiece::At(call.pc), say(format!(" {callee} "))]);
        }
        if let Some(more @ 1..) = of.calls.len().checked_sub(LINKS) {
            callees.push(say(format!("{} more", grouped(more as u64))));
        }
        let callers: Vec<&str> = of.callers.iter().map(name).collect();
        let mut notes = vec![of.kind.to_string()];
        notes.extend(of.recursive.then(|| "recursive".to_owned()));
        notes.extend(of.limit.clone());
        let (own, all) = (&of.own, &of.with_callees);
        rows.push(vec![
            FlowCell::Text(vec![FlowPiece::At(of.start), say(format!(" {}", of.name))]),
            number(own.instructions),
            number(all.instructions),
            known(own.cycles),
            known(all.cycles),
            number(own.loops),
            number(own.spills),
            number(own.fills),
            number(own.saves),
            FlowCell::Text(callees),
            cell(&callers.join(", ")),
            cell(&notes.join(", ")),
        ]);
    }
    let heading: Heading<'_> = (
        "Functions",
        &[
            (Code, "Function"),
            (Number, "Instructions"),
            (Number, "With callees"),
            (Number, "Cycles"),
            (Number, "With callees"),
            (Number, "Loops"),
            (Number, "Spills"),
            (Number, "Fills"),
            (Number, "Saves"),
            (Code, "Calls"),
            (Text, "Called by"),
            (Text, "Notes"),
        ],
        "One run of each instruction for one thread, with the cycles that the compiler's scheduler assumes. With callees, each function counts its instructions once, and each call its cycles.",
    );
    let mut table = table(heading, listed.len(), rows);
    let brief = ["Function", "Instructions", "Cycles", "Spills", "Fills"];
    keep_brief(&mut table, &brief);
    table
}

fn slot_table(slots: &[SlotReport]) -> FlowTable {
    let mut order: Vec<&SlotReport> = slots.iter().collect();
    sort::by_key(&mut order, |slot| {
        Reverse((slot.depth, slot.writers.len() + slot.readers.len()))
    });
    let mut rows = Vec::new();
    for slot in order.into_iter().take(FLOW_ROWS_MAX) {
        rows.push(vec![
            cell(&slot.address),
            number(slot.bytes),
            number(slot.depth),
            all_at(&slot.writers),
            slot_loads(slot),
            cell(if slot.saves {
                "saved for calls"
            } else {
                "spilled"
            }),
        ]);
    }
    let heading: Heading<'_> = (
        "Spill slots",
        &[
            (Code, "Slot"),
            (Number, "Bytes"),
            (Number, "Loop depth"),
            (Code, "Written at"),
            (Code, "Read at"),
            (Text, "Use"),
        ],
        "Scratch memory by address: spills and saves write it, fills and restores read it. The deepest loops first.",
    );
    table(heading, slots.len(), rows)
}

/// The spills and registers that cost more than necessary.
fn pattern_table(patterns: &[SpillPattern], of_spills: bool) -> FlowTable {
    // The rarest first: most spills are in loops.
    let mut kinds: Vec<(usize, &str)> = Vec::new();
    for pattern in patterns {
        match kinds.iter_mut().find(|(_, kind)| *kind == pattern.kind) {
            Some((count, _)) => *count += 1,
            None => kinds.push((1, &pattern.kind)),
        }
    }
    let mut order: Vec<&SpillPattern> = patterns.iter().collect();
    sort::by_key(&mut order, |pattern| {
        let kind = kinds.iter().find(|(_, kind)| *kind == pattern.kind);
        kind.map_or(0, |(count, _)| *count)
    });
    let mut rows = Vec::new();
    // The same pattern in dozens of slots is one row.
    let ordered: Vec<SpillPattern> = order.into_iter().cloned().collect();
    let groups = pattern_groups(&ordered);
    for group in groups.iter().take(FLOW_ROWS_MAX) {
        let Some(first) = group.first() else { continue };
        let mut addresses: Vec<&str> = group.iter().map(|of| &*of.address).collect();
        addresses.dedup();
        let more = addresses.len().saturating_sub(LINKS);
        addresses.truncate(LINKS);
        let mut address = addresses.join(", ");
        if more > 0 {
            address.push_str(&format!(" and {more} more"));
        }
        let places: Vec<u32> = match group.len() {
            1 => first.places.clone(),
            _ => group
                .iter()
                .flat_map(|of| of.places.first().copied())
                .collect(),
        };
        rows.push(vec![
            cell(&first.kind),
            FlowCell::Number(group.len() as u64),
            cell(&address),
            all_at(&places),
            cell(&first.text),
        ]);
    }
    let heading: Heading<'_> = (
        if of_spills {
            "Spill patterns"
        } else {
            "Register patterns"
        },
        &[
            (Text, "Pattern"),
            (Number, "Count"),
            (Code, "Slots or registers"),
            (Code, "At"),
            (Text, "Explanation"),
        ],
        "Spills and registers that may be avoidable, the rarest pattern first.",
    );
    table(heading, groups.len(), rows)
}

impl Lists {
    /// Returns the listing of the cached list of instructions, if it is of this code.
    fn listing(&self, document: NodeId, query: &Query) -> Option<Rc<dyn Listing>> {
        Some(Rc::clone(self.instructions(document, query)?.listing()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decode::decode;
    use crate::decode::isa::Platform;
    use crate::model::MemorySource;

    #[test]
    fn prepared_code_is_answered_like_code_that_is_not() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let bytes = std::fs::read(root.join("www/samples/spill.dg2.zebin")).unwrap();
        let mut document = decode(Box::new(MemorySource::from(bytes)), "spill");
        let sections = document.assembly(NodeId::ROOT).unwrap().sections();
        let sections = sections.iter().map(|section| section.bytes);
        let code = sections.max_by_key(|bytes| bytes.len()).unwrap();
        assert!((1..=FIRST_FLOW_MAX).contains(&code.len()));
        let mut lists = Lists::new(|| 0.0);
        let mut prepare = |span, device: Option<&str>, document: &mut Document| {
            let follow = Follow {
                document: NodeId::ROOT,
                list: ListId::Instructions,
                query: Query {
                    options: RowOptions::code(
                        device.map(|name| name.to_owned().into()),
                        Vec::new(),
                    ),
                    ..Query::default()
                },
                current: None,
                or_first: false,
            };
            let mut summaries = Summaries::default();
            let place = (NodeId::ROOT, Some(span));
            summaries.prepare(&mut lists, document, place, &follow);
            summaries
        };
        let ask = |summaries: &mut Summaries, document: &mut Document, device: Option<&str>| {
            let query = Query {
                of: Some(code),
                options: RowOptions::code(device.map(|name| name.to_owned().into()), Vec::new()),
                ..Query::default()
            };
            let lists = Lists::new(|| 0.0);
            let answer = summaries.answer(&lists, document, NodeId::ROOT, &query);
            match answer.unwrap() {
                Response::DataFlow(flow) => flow,
                other => panic!("{other:?}"),
            }
        };
        let other = Platform::ALL[0].name();
        let expected = ask(&mut Summaries::default(), &mut document, None);
        let in_other = ask(&mut Summaries::default(), &mut document, Some(other));
        assert!(expected.of == code && expected != in_other);
        let mut prepared = prepare(code, None, &mut document);
        let known = prepared.0.as_ref().map(|(_, flow)| flow);
        assert_eq!(known, Some(&expected));
        assert_eq!(ask(&mut prepared, &mut document, None), expected);
        assert_eq!(ask(&mut prepared, &mut document, Some(other)), in_other);
        assert_eq!(ask(&mut prepared, &mut document, None), expected);
        let mut prepared = prepare(code, Some(other), &mut document);
        assert_eq!(ask(&mut prepared, &mut document, None), expected);
        assert!(prepared.0.is_some());
    }

    fn found(start: u32, depth: u32, cycles: u64, innermost: bool) -> LoopReport {
        LoopReport {
            start,
            end: start + 16,
            ranges: vec![(start, start + 16)],
            depth,
            parent: None,
            innermost,
            instructions: 1,
            dpas: 0,
            sends: 0,
            spills: 0,
            fills: 0,
            waits: 0,
            moved: Vec::new(),
            operations: Vec::new(),
            calls: 0,
            intensity: None,
            intensity_unknown: None,
            cycles,
            issue: 0,
            latency: 0,
            throughput: 0,
            saturating_threads: None,
            pipes: Vec::new(),
            bottleneck: Bottleneck::Issue,
        }
    }

    #[test]
    fn the_costliest_loop_is_listed_even_if_it_is_the_last_of_many() {
        let count = u32::try_from(LOOPS_MAX).unwrap() + 100;
        let few = (0..count).map(|at| found(at * 16, 1, 5, true));
        let last = [
            found(0x10_0000, 2, 7, true),
            found(0x20_0000, 1, 1000, false),
        ];
        let report = FlowReport {
            loops: Some(few.chain(last).collect()),
            ..FlowReport::default()
        };
        let order = by_cost(&report, &[]);
        let table = loop_table(&order, None);
        assert_eq!(table.count, u64::from(count) + 2);
        assert_eq!(table.rows.len(), FLOW_ROWS_MAX);
        for (row, start) in table.rows.iter().zip([0x20_0000, 0x10_0000, 0]) {
            assert_eq!(row.loop_at, Some(start));
        }
        let foldable = foldable(&order, &|offset| offset / 16);
        assert_eq!((foldable.len(), foldable[0].start), (LOOPS_MAX, 0x20_0000));
    }

    #[test]
    fn the_costs_of_a_loop_are_those_outside_of_inner_loops() {
        let costs = |outer, inner| {
            let inner = LoopReport {
                parent: Some(0),
                ..found(16, 2, inner, true)
            };
            loop_costs(&[found(0, 1, outer, false), inner])
        };
        assert_eq!(costs(30_266, 823), [294_430, 82_300]);
        assert_eq!(costs(30_266, 20_000), [102_660, 2_000_000]);
        assert_eq!(costs(5, 7), [0, 700]);
        assert_eq!(costs(u64::MAX, 0), [u64::MAX, 0]);
    }
}
