//! Attributes samples to instructions, blocks, loops and source lines, and finds their causes.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::fit::{Place, Shape};
use super::functions;
use super::report::{
    Cause, CodeProfile, ImageKernel, InstructionSamples, LineSamples, RangeSamples, SourcePosition,
};
use super::{OffsetSamples, add};
use zeview_core::analysis::assembly::Listing;
use zeview_core::analysis::data_flow::{Flows, WaitFor};
use zeview_core::analysis::inlining::SourceFrame;
use zeview_core::analysis::source_lines::LineTable;
use zeview_core::model::{Document, Sources, Span};

/// Code with its data flow and source lines.
pub(super) struct Code<'a> {
    listing: &'a dyn Listing,
    shape: &'a Shape,
    sources: &'a Sources,
    flows: Option<Rc<dyn Flows>>,
    lines: Option<(Rc<LineTable>, Span)>,
    types: &'a [String],
}

/// Attributes the samples of a kernel to the code of images that they fit.
pub(super) fn attribute(
    document: &Document,
    (listing, shape): (&dyn Listing, &Shape),
    images: Vec<ImageKernel>,
    offsets: &[OffsetSamples],
    types: &[String],
) -> CodeProfile {
    let code = Code::new(document, listing, shape, &images, types);
    let sources = &document.sources;
    let (mut instructions, mut between, mut after_end) = (Vec::new(), Vec::new(), Vec::new());
    for at in offsets {
        match shape.place(at.offset, listing, sources) {
            Place::Instruction(row) => instructions.push(code.instruction(row, at)),
            Place::Between => between.push(at.clone()),
            Place::AfterEnd => after_end.push(at.clone()),
        }
    }
    let report = code.flows.as_ref().map(|flows| flows.report());
    let mut report = report.unwrap_or_default();
    if let (Some((table, of)), Some(functions)) = (&code.lines, &mut report.functions) {
        table.name_functions(*of, functions);
    }
    let loops = report.loops.iter().flatten().map(|found| {
        let ranges = found.ranges.iter();
        let ranges: Vec<(u64, u64)> = ranges
            .map(|(start, end)| (*start, *end))
            .map(wide)
            .collect();
        let counts = code.sum(&instructions, &ranges);
        RangeSamples {
            start: found.start.into(),
            end: found.end.into(),
            depth: found.depth,
            counts,
        }
    });
    let base = listing.code().start;
    let blocks = listing.blocks(sources);
    let blocks = blocks.blocks.iter().map(|block| {
        let start = block.span.start.saturating_sub(base);
        let end = block.span.end.saturating_sub(base);
        RangeSamples {
            start,
            end,
            depth: block.depth,
            counts: code.sum(&instructions, &[(start, end)]),
        }
    });
    let has_samples = |range: &RangeSamples| range.counts.iter().any(|count| *count > 0);
    let of_code = report.functions.as_deref().unwrap_or_default();
    CodeProfile {
        images,
        end: shape.end(),
        between,
        after_end,
        blocks: blocks.filter(has_samples).collect(),
        loops: loops.filter(has_samples).collect(),
        lines: code.by_line(&instructions),
        outermost_lines: functions::by_outermost_line(&instructions, types.len()),
        source_functions: functions::by_source_function(&instructions, types.len()),
        functions: functions::by_function(of_code, &instructions, types.len()),
        in_no_function: functions::in_no_function(of_code, &instructions, types.len()),
        limits: report.all_limits().collect(),
        instructions,
    }
}

fn wide((start, end): (u32, u32)) -> (u64, u64) {
    (start.into(), end.into())
}

impl<'a> Code<'a> {
    /// Returns the code of images, with its data flow and source lines.
    pub fn new(
        document: &'a Document,
        listing: &'a dyn Listing,
        shape: &'a Shape,
        images: &[ImageKernel],
        types: &'a [String],
    ) -> Code<'a> {
        let sources = &document.sources;
        let lines = images.iter().find_map(|image| {
            let table = document.source_lines(image.document)?.table(sources);
            let has_lines = !table.rows_of(image.code).is_empty();
            has_lines.then_some((table, image.code))
        });
        Code {
            listing,
            shape,
            sources,
            flows: listing.data_flow(sources),
            lines,
            types,
        }
    }

    /// Returns the data flow, if it is known.
    pub fn flows(&self) -> Option<&Rc<dyn Flows>> {
        self.flows.as_ref()
    }

    fn row(&self, offset: u64) -> Option<u32> {
        let place = self.listing.code().start.checked_add(offset)?;
        self.listing.row_at(place, self.sources)
    }

    fn instruction(&self, row: u32, samples: &OffsetSamples) -> InstructionSamples {
        InstructionSamples {
            offset: samples.offset,
            row,
            function: self.function(samples.offset),
            counts: samples.counts.clone(),
            text: self.text(row).0,
            line: self.line(samples.offset),
            frames: self.frames(samples.offset),
            causes: self.causes(row, &samples.counts),
        }
    }

    /// Returns the function that the kernel calls at an offset; `None` in the kernel itself.
    pub fn function(&self, offset: u64) -> Option<String> {
        let function = self.shape.function(offset)?;
        Some(function.name.clone())
    }

    /// Returns the text of an instruction, without the blanks between its columns, and the part that
    /// identifies it: the operation of its message, or all of the text.
    pub fn text(&self, row: u32) -> (String, String) {
        let Some(line) = self.listing.line(row, self.sources) else {
            return (String::new(), String::new());
        };
        let words: Vec<&str> = line.text.split_whitespace().collect();
        let text = words.join(" ");
        if line.comment.is_empty() {
            return (text.clone(), text);
        }
        (format!("{text} // {}", line.comment), line.message.clone())
    }

    pub fn line(&self, offset: u64) -> Option<SourcePosition> {
        let (table, code) = self.lines.as_ref()?;
        let row = table.row_at(*code, offset)?;
        Some(SourcePosition {
            file: table.file(row)?.name.clone(),
            line: row.line,
        })
    }

    fn frames(&self, offset: u64) -> Vec<SourceFrame> {
        let lines = self.lines.as_ref();
        lines.map_or_else(Vec::new, |(table, code)| table.frames_at(*code, offset))
    }

    /// Returns the instructions that an instruction waits for, for the types of its stalls.
    fn causes(&self, row: u32, counts: &[u64]) -> Vec<Cause> {
        let mut causes = Vec::new();
        let Some(flows) = &self.flows else {
            return causes;
        };
        let mut waits: Option<Vec<WaitFor>> = None;
        let types = (0_u32..).zip(self.types).zip(counts);
        for ((stall, name), _) in types.filter(|(_, count)| **count > 0) {
            // The other types do not say which wait they are: for a token, `$`, or a distance, `@`.
            let is_cause: fn(&WaitFor) -> bool = match name.as_str() {
                "SbidStall" => |wait| wait.on.starts_with('$'),
                "DistStall" => |wait| wait.on.contains('@'),
                _ => continue,
            };
            let waits = waits.get_or_insert_with(|| {
                let flow = flows.instruction(row);
                flow.map(|flow| flow.waits).unwrap_or_default()
            });
            for wait in waits.iter().filter(|wait| is_cause(wait)) {
                let Some(offset) = wait.pc else { continue };
                let Some(producer) = self.row(offset.into()) else {
                    continue;
                };
                let (text, operation) = self.text(producer);
                causes.push(Cause {
                    stall,
                    on: wait.on.clone(),
                    offset: offset.into(),
                    row: producer,
                    bytes: wait.bytes.clone(),
                    text,
                    operation,
                    line: self.line(offset.into()),
                });
            }
        }
        causes
    }

    /// Sums the samples in ranges of offsets that do not overlap.
    fn sum(&self, instructions: &[InstructionSamples], ranges: &[(u64, u64)]) -> Vec<u64> {
        let mut sum = vec![0; self.types.len()];
        for (start, end) in ranges {
            let from = instructions.partition_point(|at| at.offset < *start);
            let to = instructions.partition_point(|at| at.offset < *end);
            for at in instructions.get(from..to.max(from)).unwrap_or_default() {
                add(&mut sum, &at.counts);
            }
        }
        sum
    }

    fn by_line(&self, instructions: &[InstructionSamples]) -> Vec<LineSamples> {
        let mut lines: BTreeMap<&SourcePosition, LineSamples> = BTreeMap::new();
        for at in instructions {
            let Some(line) = &at.line else { continue };
            let samples = lines.entry(line).or_insert_with(|| LineSamples {
                line: line.clone(),
                counts: vec![0; self.types.len()],
                offsets: Vec::new(),
            });
            add(&mut samples.counts, &at.counts);
            samples.offsets.push(at.offset);
        }
        lines.into_values().collect()
    }
}
