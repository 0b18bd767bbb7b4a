//! `zeview disasm`: disassembles kernels.

pub mod analyze;
mod spirv;

use std::collections::HashMap;
use std::io::{self, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use serde::Serialize;
use zeview::analysis::assembly::Assembly;
use zeview::analysis::data_flow::Flows;
use zeview::analysis::figure::SizeFigure;
use zeview::analysis::inlining::{SourceFrame, chain_text};
use zeview::analysis::kernel_inputs::KernelInputs;
use zeview::analysis::kernels::Kernels;
use zeview::analysis::module_text::IdStyle;
use zeview::analysis::occupancy::OccupancyParameters;
use zeview::analysis::source_lines::{LineRow, LineTable};
use zeview::decode::isa::dataflow::DataFlow;
use zeview::decode::isa::{Blocks, Decoder, Labels, Platform, TextRole, targets};
use zeview::decode::zebin::platform;
use zeview::kernel_names::{self, Build, KernelQuery, Module, Reason};
use zeview::model::account::Account;
use zeview::model::text::{escaped, hex};
use zeview::model::{Document, NodeId, Span};
use zeview::report::analysis::{Stated, place_of};
use zeview::report::code::FlowJson;

use crate::FileArgument;
use crate::argument::{Encoding, Failure, InputFile, KernelBuilds, KernelName, own_help};
use crate::files::{Inputs, while_reading};
use crate::input;
use crate::output::{self, complain};
use crate::rows::Objects;
use crate::style;

/// Help of `--kernel`.
const KERNEL_HELP: &str = "Print only this kernel or function: its name in the file, its demangled name, the short \
    name that tables print, or a pattern such as `*gemm*`";

/// Help of `--platform`.
const PLATFORM_HELP: &str = "The encoding: gen9, gen11, xe_gen12lp, xe_hpg, xe_hpc, xe2, xe3, xe3p, or the name of a \
    device. Default: the encoding of the device that the file targets";

#[derive(Args)]
#[command(mut_args(own_help(&[("kernel", KERNEL_HELP), ("platform", PLATFORM_HELP)])))]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    #[command(flatten)]
    name: KernelName,
    #[command(flatten)]
    builds: KernelBuilds,
    #[command(flatten)]
    encoding: Encoding,
    /// Treat the file as raw code without a container.
    #[arg(long, requires = "platform", conflicts_with_all = ["kernel", "device", "image", "file_in_package"])]
    raw: bool,
    /// Print branch targets as offsets relative to the branch instead of labels.
    #[arg(short, long)]
    numeric: bool,
    /// Print the offset of each instruction.
    #[arg(long)]
    offsets: bool,
    /// Print the bytes of each instruction.
    #[arg(long)]
    bytes: bool,
    /// Print the source file and line before the first instruction of each line, as a comment, with
    /// the chain of inlined calls.
    #[arg(long)]
    source: bool,
    /// Print a JSON array with one object per instruction: schema, kernel, path (of the document
    /// with the kernel, if it is not the file itself), offset, start, end,
    /// mnemonic, text, comment, operands (kind, number of a source,
    /// text, bits), target (the first jump target),
    /// targets, line (file, line, column; null if unknown), frames (the chain of inlined calls, the
    /// innermost first: function, file, line, column, discriminator, inlined).
    #[arg(long, conflicts_with_all = ["numeric", "offsets", "bytes", "source", "live", "inputs"])]
    json: bool,
    /// Print the number of live general registers before each instruction: live, including the values
    /// of channels that wait while others run; and iga, without them, as the Intel Graphics Assembler
    /// counts.
    #[arg(long)]
    live: bool,
    /// Print the values from outside of the kernel that an instruction uses, as comments before it:
    /// arguments, local ids, surfaces, patched addresses.
    #[arg(long, conflicts_with = "raw")]
    inputs: bool,
    /// With --json, add the data flow: reads, writes, gathers (registers of a gather message; bytes
    /// such as r8, r8:2, r6[12-15]), defs (pc of the producer or null, bytes), live (bytes of r,
    /// acc, f, a, s, and registers, including the values of channels that wait while others run),
    /// live_iga (without them, as the Intel Graphics Assembler counts), waits (pc, on, bytes: the
    /// reason, others: the number of further candidates), latency, occupancy, dead,
    /// inputs (operand, from, bytes, offset, name, text, span: arguments and other values from
    /// outside of the kernel).
    #[arg(long, requires = "json")]
    dataflow: bool,
    /// Print the SPIR-V of the file instead of native code, as `spirv-dis` does: of all images, or of
    /// those with the kernel. As text, a file or kernel without native code is printed as SPIR-V also
    /// without this option. With --json, one object per line: schema, module (its path), line (from 0), start,
    /// end, opcode, result (the id), text, tokens (kind, text, start, end, id, and definition: the line
    /// that defines the id), problem (what does not match the grammar).
    #[arg(long, conflicts_with_all = NATIVE_ONLY)]
    spirv: bool,
    /// Print the ids of SPIR-V as numbers instead of names.
    #[arg(long, conflicts_with_all = NATIVE_ONLY)]
    raw_ids: bool,
}

/// Options that apply to native code only.
const NATIVE_ONLY: [&str; 9] = [
    "raw", "numeric", "offsets", "bytes", "source", "live", "inputs", "dataflow", "platform",
];

pub fn parse_platform(name: &str) -> Result<Platform, String> {
    platform::named(name).ok_or_else(|| platform::unknown(name))
}

/// The code of a kernel or function.
pub struct Code {
    pub name: String,
    /// The path of the document; empty for the file.
    pub path: String,
    /// What tells it apart from other code of the kernel: device, file, image; empty for the file.
    pub place: String,
    pub span: Span,
    pub platform: Platform,
    /// Line table, if source lines are printed.
    lines: Option<Rc<LineTable>>,
    /// What the file states of the kernel, with `inputs`.
    stated: Stated,
    /// The values that the code starts with, if they are printed.
    inputs: Rc<KernelInputs>,
}

impl Code {
    fn line(&self, at: usize) -> Option<(&LineTable, &LineRow)> {
        let lines = self.lines.as_deref()?;
        Some((lines, lines.row_at(self.span, at as u64)?))
    }
}

/// What a file is printed as.
enum Found {
    /// Native code.
    Code(Vec<Code>),
    /// SPIR-V.
    Modules(Vec<Module>),
}

/// Opens a file and finds code in it. Otherwise reports why not, and returns `None`.
fn open<T>(
    file: &FileArgument,
    raw: Option<Platform>,
    inputs: &mut Inputs,
    find: impl FnOnce(&mut Document) -> Result<T, Failure>,
) -> Option<(Document, T)> {
    let found = while_reading(file, |_| {
        let mut document = input::open_as(file, raw).map_err(|error| error.to_string())?;
        let found = find(&mut document)?;
        Ok::<_, Failure>((document, found))
    });
    found.map_err(|error| error.report(file, inputs)).ok()
}

/// Finds the native code of the kernels that the options name. If they have none, finds their
/// SPIR-V.
fn find_code_or_spirv(options: &Options, document: &mut Document) -> Result<Found, Failure> {
    let query = options.builds.query(&options.name);
    if options.spirv {
        let found = spirv_of(&query, document)?;
        return if found.is_empty() {
            Err("no SPIR-V".to_owned().into())
        } else {
            Ok(Found::Modules(found))
        };
    }
    let wanted = Wanted {
        lines: options.source || options.json,
        inputs: options.inputs || options.dataflow,
    };
    let builds = match options.builds.find_named(&options.name, document) {
        Ok(builds) => builds,
        Err(error) => {
            let is_without_code = matches!(error.reason, Reason::NoCode(_) | Reason::NoKernels);
            // The keys of JSON do not depend on the file.
            // All modules of a container may be more than memory holds: they are printed on request.
            let has = document.summary.has;
            let is_container = query.name.trim().is_empty() && (has.host || has.package);
            if is_without_code && !is_container && !options.json && !options.is_native_only() {
                // The error of the native code is the one to report.
                let found = spirv_of(&query, document).unwrap_or_default();
                if !found.is_empty() {
                    return Ok(Found::Modules(found));
                }
            }
            return Err(Failure::of_name(&error, document));
        }
    };
    find(document, options.encoding.platform, &builds, wanted).map(Found::Code)
}

fn spirv_of(query: &KernelQuery, document: &mut Document) -> Result<Vec<Module>, Failure> {
    let found = kernel_names::modules(document, query);
    found.map_err(|error| Failure::of_name(&error, document))
}

impl Options {
    /// Whether an option applies to native code only.
    fn is_native_only(&self) -> bool {
        self.numeric
            || self.offsets
            || self.bytes
            || self.source
            || self.live
            || self.inputs
            || self.dataflow
            || self.encoding.platform.is_some()
    }
}

/// The decoder of the last platform: all kernels of a platform share one, which caches its tables.
#[derive(Default)]
struct Decoders(Option<(Platform, Rc<Decoder>)>);

impl Decoders {
    fn of(&mut self, platform: Platform) -> Rc<Decoder> {
        let last = self.0.take().filter(|(last, _)| *last == platform);
        let (_, decoder) = self
            .0
            .insert(last.unwrap_or_else(|| (platform, Decoder::of(platform))));
        Rc::clone(decoder)
    }
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let file = &options.input.file;
    let mut inputs = Inputs::default();
    let opened = open(file, None, &mut inputs, |document| {
        if options.raw {
            return Ok(Found::Code(raw(document, options)));
        }
        find_code_or_spirv(options, document)
    });
    let Some((document, found)) = opened else {
        return Ok(inputs.status());
    };
    let found = match found {
        Found::Code(found) => found,
        Found::Modules(modules) => {
            let style = spirv::Style {
                ids: if options.raw_ids {
                    IdStyle::Numbers
                } else {
                    IdStyle::Names
                },
                json: options.json,
                headings: modules.len() > 1,
            };
            return spirv::print(file, &document, &modules, &style, &mut inputs);
        }
    };
    if options.source && !options.raw && found.iter().all(|code| code.lines.is_none()) {
        complain!(
            "{}: no line tables: nothing names the source lines (compile with -g: ocloc compile -options -g)",
            file.display()
        );
    }
    let account = output::budget(&document);
    let mut json = options.json.then(|| Objects::array(&account));
    let mut text = output::text_within(&account);
    let mut decoders = Decoders::default();
    for code in &found {
        if account.is_overdrawn() {
            break;
        }
        let kernel = escaped(&code.name);
        let bytes = match document.sources.read(code.span) {
            Ok(bytes) => bytes,
            Err(error) => {
                inputs.fail(file, &format_args!("{kernel}: {error}"));
                continue;
            }
        };
        let decoder = decoders.of(code.platform);
        if let Some(json) = &mut json {
            let flow = options.dataflow.then(|| flow(&decoder, &bytes, code));
            write_json(&decoder, code, &bytes, flow.as_ref(), &account, json)?;
        } else {
            let is_one = options.name.kernel.is_some() && !options.builds.all_builds;
            if !is_one && !options.raw {
                let heading = format!("// {}", escaped(&heading(code)));
                text.paint(style::HEAD, heading)?;
                writeln!(text)?;
            }
            write_text(&decoder, code, &bytes, options, &account, &mut text)?;
        }
        if account.is_overdrawn() {
            let problem = format!("stopped in {kernel}: the output is too long; name a --kernel");
            inputs.fail(file, &problem);
        }
    }
    if let Some(json) = json {
        json.finish()?;
    }
    text.flush()?;
    Ok(inputs.status())
}

fn raw(document: &Document, options: &Options) -> Vec<Code> {
    let span = document.root().span;
    let code = span
        .zip(options.encoding.platform)
        .map(|(span, platform)| Code {
            name: String::new(),
            path: String::new(),
            place: String::new(),
            span,
            platform,
            lines: None,
            stated: Stated::default(),
            inputs: Rc::default(),
        });
    code.into_iter().collect()
}

/// What is printed beside the instructions.
#[derive(Clone, Copy)]
struct Wanted {
    lines: bool,
    inputs: bool,
}

/// Formats a kernel, with what tells its code apart from other builds: `kernel k (pvc · image 3)`.
fn heading(code: &Code) -> String {
    let kernel = &code.name;
    match &*code.place {
        "" => format!("kernel {kernel}"),
        place => format!("kernel {kernel} ({place})"),
    }
}

/// What a document has beside the code of its kernels.
struct Beside {
    document: NodeId,
    platform: Platform,
    lines: Option<Rc<LineTable>>,
    assembly: Option<Rc<dyn Assembly>>,
    spills: HashMap<String, SizeFigure>,
    kernels: Option<Rc<dyn Kernels>>,
    /// The indices of the kernels by name.
    indices: HashMap<String, usize>,
}

impl Beside {
    fn new(
        document: &Document,
        zebin: NodeId,
        platform: Option<Platform>,
        wanted: Wanted,
    ) -> Result<Beside, String> {
        let device = document.target_device(zebin);
        let own = device.as_ref().and_then(|device| platform::named(device));
        let Some(platform) = platform.or(own) else {
            return Err(match device {
                Some(device) => format!("the encoding of {device} is not known; name a --platform"),
                None => "the file names no device; name a --platform".to_owned(),
            });
        };
        let lines = document.source_lines(zebin).filter(|_| wanted.lines);
        let kernels = document.kernels(zebin).filter(|_| wanted.inputs);
        let rows = kernels
            .as_ref()
            .map(|kernels| kernels.rows(&document.sources));
        let rows = || rows.iter().flat_map(|rows| rows.iter());
        let spills = rows().map(|row| (row.name.value.clone(), row.spill_size));
        let indices = rows().map(|row| row.name.value.clone()).zip(0..).collect();
        Ok(Beside {
            document: zebin,
            platform,
            lines: lines.map(|lines| lines.table(&document.sources)),
            assembly: document.assembly(zebin).filter(|_| wanted.inputs),
            spills: spills.collect(),
            kernels,
            indices,
        })
    }
}

/// Returns the code of builds. Those whose encoding is unknown are left out if others are known.
fn find(
    document: &Document,
    platform: Option<Platform>,
    builds: &[Build],
    wanted: Wanted,
) -> Result<Vec<Code>, Failure> {
    let mut found = Vec::new();
    let mut unknown = None;
    let mut last: Option<Beside> = None;
    for build in builds {
        let Some(span) = build.code else { continue };
        let beside = match last.take().filter(|last| last.document == build.document) {
            Some(beside) => beside,
            None => match Beside::new(document, build.document, platform, wanted) {
                Ok(beside) => beside,
                Err(reason) => {
                    unknown = Some(reason);
                    continue;
                }
            },
        };
        let index = beside.indices.get(&build.name);
        let occupancy = index.zip(beside.kernels.as_ref());
        let occupancy = occupancy.and_then(|(index, kernels)| {
            let parameters = OccupancyParameters::default();
            kernels
                .occupancy(*index, &parameters, &document.sources)
                .ok()
        });
        let inputs = beside.assembly.as_ref();
        let inputs = inputs.map(|all| all.inputs(span, &document.sources));
        found.push(Code {
            stated: Stated::new(beside.spills.get(&build.name).copied(), occupancy),
            name: build.name.clone(),
            place: place_of(build),
            path: build.path.clone(),
            span,
            platform: beside.platform,
            lines: beside.lines.clone(),
            inputs: inputs.unwrap_or_default(),
        });
        last = Some(beside);
    }
    match (found.is_empty(), unknown) {
        (false, _) => Ok(found),
        (true, Some(unknown)) => Err(unknown.into()),
        (true, None) => Err("no kernels".to_owned().into()),
    }
}

fn flow(decoder: &Rc<Decoder>, bytes: &[u8], code: &Code) -> DataFlow {
    let flow = DataFlow::new(Rc::clone(decoder), bytes);
    flow.with_inputs(Rc::clone(&code.inputs))
}

fn write_text(
    decoder: &Rc<Decoder>,
    code: &Code,
    bytes: &[u8],
    options: &Options,
    account: &Account,
    out: &mut output::Text,
) -> io::Result<()> {
    let blocks = (!options.numeric).then(|| Blocks::find(decoder, bytes));
    let mut result = Ok(());
    let mut before = None;
    let flow = (options.live || options.inputs).then(|| flow(decoder, bytes, code));
    let mut prefix = |at: usize, length: usize, text: &mut String| {
        if options.source {
            let line = code.line(at);
            let place = line.map(|(lines, row)| {
                let scope = lines.scope_at(code.span, at as u64);
                (row.file, row.line, scope)
            });
            if let Some((lines, row)) = line.filter(|_| place != before) {
                let chain = chain_text(&lines.frames_at(code.span, at as u64));
                let place = lines.place(row);
                let line = format!("{place} {chain}");
                text.push_str(&format!("// {}\n", escaped(line.trim_end())));
            }
            before = place;
        }
        let row = u32::try_from(at).ok();
        let row = row.and_then(|at| flow.as_ref()?.row_of(at));
        if let (Some(flow), Some(row), true) = (&flow, row, options.inputs) {
            let mut inputs: Vec<String> = flow
                .inputs(row)
                .into_iter()
                .flatten()
                .map(|input| input.text)
                .collect();
            // Operands may be the same.
            inputs.dedup();
            for input in inputs {
                text.push_str(&format!("// {}\n", escaped(&input)));
            }
        }
        if options.offsets {
            text.push_str(&format!("/* [{at:08X}] */ "));
        }
        if let (Some(flow), true) = (&flow, options.live) {
            // Without the row, the code is beyond the limit.
            let live =
                row.and_then(|row| Some((Flows::live(flow, row)?, Flows::live_iga(flow, row)?)));
            match live {
                Some((live, iga)) => text.push_str(&format!(
                    "/* live {:>3} iga {:>3} */ ",
                    live.registers, iga.registers
                )),
                None => text.push_str("/* live   ? iga   ? */ "),
            }
        }
        if options.bytes {
            text.push_str("/* ");
            text.push_str(&hex(bytes.get(at..at + length).unwrap_or_default(), ""));
            // Compacted instructions have half the bytes: align them with the others.
            text.push_str(if length == 8 {
                "                 */ "
            } else {
                " */ "
            });
        }
    };
    decoder.list(
        bytes,
        blocks.as_ref(),
        &mut prefix,
        &mut String::new(),
        &mut |text| {
            result = print_listing(text, out);
            text.clear();
            result.is_ok() && !account.is_overdrawn()
        },
    );
    result
}

/// Prints lines of assembly.
fn print_listing(text: &str, out: &mut output::Text) -> io::Result<()> {
    if !out.colors() {
        return out.write_all(text.as_bytes());
    }
    for line in text.lines() {
        style::print_assembly(line, out)?;
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// JSON object of an instruction.
#[derive(Serialize)]
struct InstructionJson<'a> {
    kernel: &'a str,
    /// The path of the document with the kernel.
    #[serde(skip_serializing_if = "str::is_empty")]
    path: &'a str,
    offset: i32,
    start: u64,
    end: u64,
    mnemonic: &'static str,
    text: &'a str,
    comment: &'a str,
    operands: Vec<OperandJson<'a>>,
    /// The first jump target.
    target: Option<i32>,
    targets: Vec<i32>,
    line: Option<LineJson<'a>>,
    /// The functions that the instruction is of, the innermost first.
    frames: Vec<SourceFrame>,
    #[serde(flatten)]
    flow: Option<FlowJson>,
}

/// A part of an instruction.
#[derive(Serialize)]
struct OperandJson<'a> {
    #[serde(flatten)]
    kind: OperandKind,
    text: &'a str,
    /// The mask of its bits.
    bits: String,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
enum OperandKind {
    Predicate,
    Operation,
    Flag,
    Destination,
    Source { number: u8 },
    ExtendedDescriptor,
    Descriptor,
}

impl OperandKind {
    fn new(kind: TextRole) -> Option<OperandKind> {
        Some(match kind {
            TextRole::Predicate => OperandKind::Predicate,
            TextRole::Operation => OperandKind::Operation,
            TextRole::Flag => OperandKind::Flag,
            TextRole::Destination => OperandKind::Destination,
            TextRole::Source(number) => OperandKind::Source { number },
            TextRole::ExtendedDescriptor => OperandKind::ExtendedDescriptor,
            TextRole::Descriptor => OperandKind::Descriptor,
            TextRole::Execution | TextRole::Options | TextRole::Comment => return None,
        })
    }
}

/// A source line.
#[derive(Serialize)]
struct LineJson<'a> {
    file: Option<&'a str>,
    line: u32,
    column: Option<u32>,
}

fn write_json(
    decoder: &Decoder,
    code: &Code,
    bytes: &[u8],
    flow: Option<&DataFlow>,
    account: &Account,
    out: &mut Objects,
) -> io::Result<()> {
    let mut at = 0;
    while let Some((instruction, _)) = bytes
        .get(at..)
        .filter(|_| !account.is_overdrawn())
        .and_then(|bytes| decoder.decode_fields(bytes))
    {
        let place = i32::try_from(at).unwrap_or(i32::MAX);
        let mut written = String::new();
        let parts = decoder.format_parts(&instruction, Labels::Names(place), &mut written);
        let (text, comment) = written.split_once(" // ").unwrap_or((&written, ""));
        let operands = parts.iter().filter_map(|part| {
            Some(OperandJson {
                kind: OperandKind::new(part.kind)?,
                text: written.get(part.text.clone()).unwrap_or_default(),
                bits: format!("{:#x}", part.bits),
            })
        });
        let targets: Vec<i32> = targets(&instruction, place).collect();
        let line = code.line(at).map(|(lines, row)| LineJson {
            file: lines.file(row).map(|file| &*file.name),
            line: row.line,
            column: (row.column > 0).then_some(row.column),
        });
        let lines = code.lines.as_deref();
        let frames = lines.map(|lines| lines.frames_at(code.span, at as u64));
        let frames = frames.unwrap_or_default();
        let start = code.span.start + at as u64;
        at += usize::from(instruction.length);
        out.push(InstructionJson {
            kernel: &code.name,
            path: &code.path,
            offset: place,
            start,
            end: start + u64::from(instruction.length),
            mnemonic: instruction.op.name(),
            text: text.trim(),
            comment,
            operands: operands.collect(),
            target: targets.first().copied(),
            targets,
            line,
            frames,
            flow: flow.and_then(|flow| {
                let row = flow.row_of(u32::try_from(place).ok()?)?;
                FlowJson::new(flow, row)
            }),
        })?;
    }
    Ok(())
}
