/** Options for opening a file. */
export interface DecodeOptions {
  /** The file's name, for the tree's root. */
  name?: string;
}

/** Summary of a file. */
export interface Summary {
  name: string;
  /** In bytes. */
  size: number;
  /** The format's identifier: "zebin", "elf", "raw" … */
  format: string;
/** The format's name. */
  title: string;
/** The most important first. */
  facts: Fact[];
  coverage: Coverage;
}

export interface Fact {
  /** The subject: "target", "ze_info version". */
  label: string;
  text: string;
  tone: "plain" | "good" | "warning" | "bad";
  /** The bytes that it comes from. */
  span: Span | null;
  /** Whether it is one of the most important facts. */
  headline: boolean;
}

/** Coverage of the file's bytes; the first three numbers add up to its size. */
export interface Coverage {
  explained: number;
  padding: number;
  gap: number;
  /** Bytes that more than one section or table claims. */
  overlap: number;
}

/** A range of bytes of one source: `start` is inclusive, `end` exclusive. */
export interface Span {
  /** 0 is the file; other sources are unpacked from it. */
  source: number;
  start: number;
  end: number;
}

/** A row of the tree. The root is node 0. */
export interface Node {
  id: number;
  /** null for the root. */
  parent: number | null;
  /** Zero-based index among its siblings. */
  index: number;
  name: string;
  /** Whether it is an entry of a table or sequence. */
  indexed: boolean;
  kind: NodeKind;
  area: Area;
  value: Value;
  /** The value in one line, as `zeview dump` prints it; may be empty. */
  text: string;
  /** A short description of its content. */
  summary: string | null;
  /** Its bytes; null for computed nodes. */
  span: Span | null;
  /** Number of bytes before the span that introduce it (text formats). */
  head: number;
  /** The bits of the span's word, unless it is the whole word. */
  bits: Bits | null;
  /** Number of children. */
  count: number;
  /** The highest severity of the diagnostics about its bytes. */
  severity: Severity | null;
  doc: Doc | null;
  refs: Ref[];
}

export type NodeKind =
  | "file"
  | "record"
  | "field"
  | "table"
  | "item"
  | "instruction"
  | "mapping"
  | "sequence"
  | "text"
  | "blob"
  | "packed"
  | "syntax"
  | "padding"
  | "gap"
  | "derived";

export type Area =
  | "inherit"
  | "header"
  | "code"
  | "meta"
  | "data"
  | "symbol"
  | "note"
  | "ir"
  | "debug"
  | "padding";

export type Severity = "info" | "warning" | "error";

/**
 * A range of bits of a word, 0 is the lowest: `low` is inclusive, `high` exclusive. The range may
 * have holes: `stretches` are its contiguous parts as such pairs, the lowest first.
 */
export interface Bits {
  low: number;
  high: number;
  stretches: [number, number][];
}

/** The decoded value of a node. */
export type Value =
  | NoValue
  | UnsignedValue
  | SignedValue
  | FloatValue
  | BoolValue
  | FlagsValue
  | TextValue
  | BytesValue;

/** No value: a node that only contains others. */
export interface NoValue {
  type: "none";
}

export interface UnsignedValue {
  type: "unsigned";
  raw: bigint;
  /** The width in bits. */
  bits: number;
  /** The notation of the specification. */
  radix: "decimal" | "hex";
  /** The specification's name of this number. */
  symbol: string | null;
}

export interface SignedValue {
  type: "signed";
  raw: bigint;
  bits: number;
}

export interface FloatValue {
  type: "float";
  number: number;
}

export interface BoolValue {
  type: "bool";
  yes: boolean;
}

/** A word of named bits. */
export interface FlagsValue {
  type: "flags";
  raw: bigint;
  bits: number;
  /** The names of the bits that are set, lowest first. */
  set: string[];
  /** The set bits that have no name. */
  rest: bigint;
}

export interface TextValue {
  type: "text";
  text: string;
  /** Whether invalid UTF-8 was replaced by U+FFFD. */
  lossy: boolean;
}

/** Raw bytes; use `bytes` of the document to read them. */
export interface BytesValue {
  type: "bytes";
}

/** The meaning of a node. */
export interface Doc {
  text: string;
  /** The specification that defines it. */
  source: string;
  /** The named values of the specification. */
  known: Known[];
}

export interface Known {
  raw: bigint;
  name: string;
  doc: string;
}

/** A reference to other bytes. */
export interface Ref {
  /** "sh_link", "symbol", "kernel" … */
  why: string;
  /** The name of the target. */
  label: string;
  to: Span;
}

/** The verdict of the current driver on a file. */
export interface Verdict {
  /** The driver's release. */
  driver: string;
  outcome: Outcome;
  /** null if the file does not specify its device. */
  device: string | null;
  /** Whether the device was requested; otherwise it is the file's own. */
  requested: boolean;
  /** The verdict in one line. */
  headline: string;
  /** The problems that the driver meets, in its order. */
  findings: Finding[];
  /** OpenCL's verdict; the outcome and the findings above are Level Zero's. */
  opencl: ApiVerdict;
  /** The release of the driver that the file needs; null if all known releases can read it. */
  needsDriver: NeededDriver | null;
}

/** The verdict of the driver in one of its APIs. */
export interface ApiVerdict {
  outcome: Outcome;
  /** The problems that the driver meets, in its order. */
  findings: Finding[];
}

/** A release of the driver. */
export interface NeededDriver {
  /** Its number: "25.35". */
  release: string;
  /** Its first patch that reads the file: "25.35.35096.8". */
  version: string;
  /** The key or value of `.ze_info` that older releases do not know. */
  key: string;
}

export type Outcome =
  | "loads"
  | "loads-with-warnings"
  | "needs-linking"
  | "recompiled"
  | "refused"
  | "link-failure"
  | "may-crash"
  | "does-not-run"
  | "not-judged";

export interface Finding {
  /** The rule's id. */
  rule: string;
  message: string;
  /** The bytes that it is about. */
  span: Span;
  /** Whether it decides the outcome. */
  decisive: boolean;
}

/** The lists that a file may have. */
export type ListName =
  | "kernels"
  | "relocations"
  | "symbols"
  | "modules"
  | "images"
  | "devices"
  | "source-lines";

/** The ids of a list's columns. */
export type ColumnId<N extends ListName = ListName> = N extends ListName
  ? Exclude<keyof ListRows[N] & string, "unknown">
  : never;

/** Filter, order and columns of a list. */
export interface ListOptions<N extends ListName = ListName> {
  /** A filter in the syntax of tables and `--filter`: "spill_size>0". */
  filter?: string;
  /** The id of a column; with a "-" prefix, the largest first. */
  sort?: ColumnId<N> | `-${ColumnId<N>}`;
  /** For images: the device to choose them for. For kernels, it must be known; `filter` chooses them. */
  device?: string;
  /**
   * Additional columns that are counted from the code: "instructions", "spill_messages", "loops" …
   * Naming one decodes the code. All other columns are always present.
   */
  columns?: NamedColumns[N][];
}

/** A row of any list. */
export type ListRow = ListRows[ListName];

/** A producer of a value. */
export interface Producer {
  /** The offset of the instruction in the code; null for a value that the kernel starts with. */
  pc: number | null;
  /** Bytes of registers: "r8", "r8:2", "r6[12-15]". */
  bytes: string[];
}

/** An instruction that another one waits for. */
export interface WaitFor {
  /** The offset of the instruction; null if no path has one. */
  pc: number | null;
  /** "F@2", "$5.dst"; "registers" where the hardware checks them. */
  on: string;
  /** The bytes of the dependency; empty if there is no data dependency. */
  bytes: string[];
  /** Further instructions that the condition may refer to and that are not listed; on the last one that is listed. */
  others: number;
}

/** An instruction with its data flow. Cycles are the scheduling model of the compiler. */
export interface InstructionFlow {
  offset: number;
  /** The operation without its subfunction: "mov", "send". */
  mnemonic: string;
  text: string;
  comment: string;
  reads: string[];
  /** The registers that a gather message sends. */
  gathers: string[];
  writes: string[];
  defs: Producer[];
  /**
   * Bytes that are live before it, by register file, and general registers with a live byte, including the values of channels that wait while
   * others run; null if unknown.
   */
  live: { r: number; acc: number; f: number; a: number; s: number; registers: number } | null;
  /** The same without the values of waiting channels, as the Intel Graphics Assembler (IGA) counts. */
  live_iga: { r: number; acc: number; f: number; a: number; s: number; registers: number } | null;
  waits: WaitFor[];
  latency: number;
  occupancy: number;
  /** Whether nothing reads the values that it writes; null if unknown. */
  dead: boolean | null;
  /** Why producers and waits may be missing, a sentence; null if none are. */
  limit: string | null;
  /** Values from outside of the kernel that it uses; null if unknown. */
  inputs: KernelInput[] | null;
}

/** A value from outside of the kernel: "payload" and "per-thread" for data that the driver passes. */
export type InputKind = "payload" | "per-thread" | "address" | "surface" | "symbol" | "data";

/** A value that an instruction gets from outside of the kernel. */
export interface KernelInput {
  /** "source 1", "descriptor", "destination" of a message that loads the payload. */
  operand: string;
  from: InputKind;
  /** Registers that hold it: "r3[16-19]". */
  bytes: string[];
  /** Offset in the payload, index of the surface, or offset in the section. */
  offset: number;
  /** "n", "enqueued_local_size.x", "local_id.y". */
  name: string;
  /** "r3.4 = payload +48 = n", "surface 2 = c". */
  text: string;
  /** The bytes that declare it. */
  span: Span | null;
}

/** A kernel with instructions that were found, or one of them: the columns of `zeview find --json`, and `file`, the path of the document. */
export interface FoundRow {
  file: string;
  name: string;
  package_file: string | null;
  image: string | null;
  member: string | null;
  device: string | null;
  /** Number of instructions of the kernel that match; of sequences, the number of places. */
  found: number;
  /** Number of the sequence in the kernel, from 1 on. */
  match: number;
  /** Step of the sequence that the instruction is, from 1 on. */
  step: number;
  /** First byte of the instruction in its section. */
  offset: number;
  text: string;
  comment: string | null;
  mnemonic: string;
  operation: string;
  kind: string;
  message: string | null;
  marks: string[];
  demangled: string | null;
  short_name: string;
}

/** What is searched in code, and what is returned. */
export interface FindOptions {
  /** Returns a row for each instruction instead of one for each kernel. */
  rows?: boolean;
  /** Maximum number of rows. */
  limit?: number;
  /** Only this kernel, by any of its names, or a pattern. */
  kernel?: string;
  device?: string;
  image?: string;
  file?: string;
}

/** Chooses one of several builds of a kernel. */
export interface KernelOptions {
  /** The device, by any of its names. */
  device?: string;
  /** The image: its name or number in the table of kernels, its path, or a pattern. */
  image?: string;
  /** The file of a package: its path, the end of its path, or a pattern. */
  file?: string;
  /** The path of the document with the kernel: `path` of a row. */
  path?: string;
}

/** A kernel in step: its forms, and what ties their lines. */
export interface KernelStep {
  kernel: string;
  /** What ties the columns: places in the source, names, or nothing. */
  basis: "lines" | "names" | "none";
  columns: StepColumn[];
  /** What lines of several columns have in common. Lines have indices of it. */
  points: ({ kind: "line"; file: string; line: number } | { kind: "name"; name: string })[];
  /** What is missing, and why. */
  notes: string[];
}

export interface StepColumn {
  kind: "source" | "ttir" | "ttgir" | "llvm" | "spirv" | "visa" | "instructions";
  title: string;
  lines: StepLine[];
}

export interface StepLine {
  /** The source line, from 1; or the row, from 0. */
  number: number;
  /** The label before an instruction; empty if it has none. */
  label: string;
  text: string;
  /** Its bytes; null for a source that is not in the file. */
  span: Span | null;
  /** Its points: its own first, then the calls around it. */
  points: number[];
}

/** The summary of the data flow of a kernel. Cycles are the scheduling model of the compiler. */
export interface FlowReport {
  kernel: string;
  /** The path of the document with the kernel; missing for the file itself. */
  path?: string;
  /** Bytes of a general register. */
  grf_bytes: number;
  /** In bytes per hardware thread, as the file states it; null if it is unknown. */
  spill_size: number | null;
  /** Hardware threads of an execution unit that run the kernel. */
  threads_per_eu: number | null;
  /** Whether a kernel that spills fits into a larger register file of its device. */
  larger_file: {
    needed: number;
    spilled: number;
    registers: number;
    fits: boolean;
    threads: number;
    threads_now: number | null;
  } | null;
  instructions: number;
  /** Limits of the analysis, in sentences. */
  limits: string[];
  /** The figures below that are null because they are unknown, with the reasons. */
  unknown: { figure: string; reason: string }[];
  peak: {
    pc: number;
    registers: number;
    bytes: number;
    longest: { register: string; from: number | null; to: number; instructions: number } | null;
    /** The peak without the values of channels that wait while others run, as the Intel Graphics Assembler (IGA) counts. */
    iga: { pc: number; registers: number; bytes: number } | null;
  } | null;
  /** The values that are live at the peak, and at the spills in the deepest loops. */
  pressures: {
    at: "peak" | "spill";
    pc: number;
    registers: number;
    bytes: number;
    causes: { cause: string; registers: number; bytes: number; values: number }[];
    values: {
      names: string[];
      computed_by: string | null;
      bytes: string[];
      size: number;
      is_input: boolean;
      born: number[];
      next_use: number | null;
      distance: number | null;
      cause: string;
      recomputable: boolean;
      line: string | null;
    }[];
    others: number;
  }[] | null;
  dead_writes: number | null;
  spills: number | null;
  fills: number | null;
  slots: { address: string; bytes: number; writers: number[]; readers: number[]; depth: number }[] | null;
  other_scratch: number[] | null;
  loops: {
    start: number;
    end: number;
    ranges: [number, number][];
    depth: number;
    parent: number | null;
    innermost: boolean;
    instructions: number;
    dpas: number;
    sends: number;
    spills: number;
    fills: number;
    waits: number;
    moved: { memory: string; cache: string; messages: number; loaded: number; stored: number }[];
    cycles: number;
    issue: number;
    /** Cycles in which the thread waits for results: the other ones. */
    latency: number;
    /** Cycles in which the busiest pipe is occupied. */
    throughput: number;
    pipes: { pipe: string; occupied: number; latency: number }[];
    /** The larger one of issue and latency: latency of the results of an in-order pipe, or of an instruction. Offsets are within the code. */
    bottleneck: "issue" | { pipe: string } | { wait: { pc: number; producer: number } };
  }[] | null;
  /** The index of the costliest loop: the one with the most cycles outside of inner loops, if each loop ran ten times. */
  hottest: number | null;
  /** Iterations of each loop that costs assume. */
  assumed_iterations: number;
  waits: { pc: number; cycles: number; depth: number; waits: WaitFor[] }[] | null;
  /** Values from outside of the kernel, with the offsets of the instructions that use them. */
  inputs: { from: InputKind; name: string; offset: number; bytes: string[]; span: Span | null; places: number[] }[] | null;
  /** Figures of source lines, those with the most cycles first. */
  lines: {
    file: string;
    line: number;
    instructions: number;
    spills: number;
    fills: number;
    peak_live_registers: number | null;
    cycles: number | null;
    stalls: number | null;
    waits: number;
    ranges: [number, number][];
  }[];
}

/** A profile on the code of a file. Counts of samples are in the order of `types`. */
export interface ProfiledCode {
  /** The stall types: "Active", "SbidStall" … */
  types: string[];
  /** Number of samples of all kernels. */
  samples: number[];
  /** Number of samples that are at an instruction of the file. */
  located: number;
  /** The kernels that are in the file, in descending order of samples. */
  kernels: {
    /** null if the profile does not name the device. */
    device: number | null;
    /** The name in the profile. */
    name: string;
    /** Number of blocks of rows, of modules that were loaded, with this code; and of all with this name. */
    blocks: number;
    of_blocks: number;
    /** Why the code is this one, if the samples fit others, too; else null. */
    assumption: string | null;
    samples: number[];
    /** The code that the samples fit; several if it is not known which build ran. */
    codes: {
      images: ProfiledImage[];
      /** The offset after the last instruction of the kernel and the functions in its section. */
      end: number;
      /** The kernel and its functions with samples; empty if only the kernel has samples. */
      functions: { name: string; start: number; end: number; counts: number[] }[];
      /** Samples after the end: of code that follows the kernel in memory. */
      after_end: OffsetSamples[];
      /** Samples at offsets that are not starts of instructions. */
      between: OffsetSamples[];
      instructions: {
        offset: number;
        /** The index of the instruction. */
        row: number;
        /** The function that it belongs to; null if it belongs to the kernel itself. */
        function: string | null;
        counts: number[];
        text: string;
        line: SourcePosition | null;
        causes: StallCause[];
      }[];
      blocks: ProfiledRange[];
      loops: ProfiledRange[];
      lines: { line: SourcePosition; counts: number[]; offsets: number[] }[];
      /** Limits of the analysis, in sentences. */
      limits: string[];
    }[];
    rejected: { image: ProfiledImage; reason: string }[];
  }[];
  /** The kernels that could not be matched. */
  unmatched: {
    device: number | null;
    name: string;
    samples: number[];
    reason: string;
    rejected: { image: ProfiledImage; reason: string }[];
  }[];
  /** The metrics of kernels. */
  metrics: {
    device: number | null;
    name: string;
    /** Number of times that it ran while it was measured; null if the profile does not identify runs. */
    instances: number | null;
    rows: number;
    metrics: { name: string; count: number; sum: number; mean: number; minimum: number; maximum: number }[];
    images: ProfiledImage[];
    /** Why there are no images; else null. */
    reason: string | null;
  }[];
  /** The device times and properties of kernels and commands (`unitrace -d`). */
  timings: KernelTiming[];
  /** The executions of instructions (GTPin). */
  counts: KernelCounts[];
  rows: number;
  idle_rows: number;
  skipped_rows: number;
  problems: { line: number; start: number; end: number; message: string }[];
  more_problems: number;
}

export interface OffsetSamples {
  offset: number;
  counts: number[];
}

/** The device times and properties of a kernel or a command. */
export interface KernelTiming {
  /** null for all tiles. */
  tile: number | null;
  name: string;
  /** In nanoseconds; null if the profile has only properties. */
  times: { calls: number; total: number; minimum: number; maximum: number } | null;
  /** null is what the profile does not state. */
  properties: {
    is_aot: boolean | null;
    /** 1 if the kernel runs with any width. */
    simd: number | null;
    arguments: number | null;
    slm: number | null;
    private: number | null;
    spill: number | null;
    registers: number | null;
  } | null;
  /** "AOT", "JIT", or "AOT, but the driver recompiled it". */
  compiled: string | null;
  /** Differences between the kernel that ran and the one in the file. */
  notes: string[];
  images: ProfiledImage[];
  /** Why there are no images; else null. */
  reason: string | null;
}

/** The executions of the instructions of a kernel. */
export interface KernelCounts {
  name: string;
  runs: number;
  collected_runs: number | null;
  /** Number of executions of all instructions. */
  executions: number;
  codes: {
    images: ProfiledImage[];
    /** Number of executions of the first instruction. */
    threads: number | null;
    instructions: {
      offset: number;
      row: number;
      function: string | null;
      executions: number;
      /** Enabled SIMD lanes of all executions; null if they were not counted. */
      lanes: number | null;
      access: MemoryAccess | null;
      /** Cycles of all executions, as assumed by the compiler's scheduler. */
      cycles: number | null;
      text: string;
      line: SourcePosition | null;
    }[];
    loops: { start: number; end: number; depth: number; iterations: number; cycles: number }[];
    /** Executions at offsets that are no instruction of the code. */
    elsewhere: OffsetSamples[];
  }[];
  rejected: { image: ProfiledImage; reason: string }[];
  reason: string | null;
}

/** The memory accesses of an instruction. */
export interface MemoryAccess {
  /** Cache lines of 64 bytes that executions accessed. */
  cache_lines: number;
  unaligned: number;
  /** Differences between the addresses of adjacent lanes in bytes, and how often each occurred. */
  strides: [number, number][];
  /** Number of differences below and above the range that was counted. */
  other_strides: [number, number];
  element_size: number;
  elements: number;
  is_write: boolean;
  is_atomic: boolean;
  is_scatter: boolean;
  is_slm: boolean;
  is_scratch: boolean;
}

/** A kernel of an image. */
export interface ProfiledImage {
  path: string;
  /** The index of the kernel in the image. */
  index: number;
  kernel: string;
  target: string | null;
  code: Span;
}

export interface SourcePosition {
  file: string;
  line: number;
}

/** An instruction that another one waits for. */
export interface StallCause {
  /** The index of the stall type. */
  stall: number;
  on: string;
  offset: number;
  row: number;
  bytes: string[];
  text: string;
  operation: string;
  line: SourcePosition | null;
}

export interface ProfiledRange {
  start: number;
  end: number;
  depth: number;
  counts: number[];
}

/** A profile, as `zeview profile --json` prints it. */
export interface ProfileReport extends ProfiledCode {
  schema: number;
  /** The earlier profile, if there is one. */
  before?: ProfiledCode;
  /** The changes from it. Pairs of counts are before and after. */
  comparison?: {
    types: string[];
    samples: [number[], number[]];
    kernels: {
      name: string;
      samples: [number[], number[]];
      instructions: { offsets: [number | null, number | null]; text: string; samples: [number[], number[]] }[];
      /** Why there are no instructions; else null. */
      reason: string | null;
      code: Span | null;
    }[];
  };
}

/** The differences between two files, as `zeview diff --json` prints them. */
export interface Comparison {
  schema: number;
  /** The files have the same bytes. */
  equal: boolean;
  same_meaning: boolean;
  /** false if parts were not compared. */
  complete: boolean;
  kernels: {
    added: string[];
    removed: string[];
    renamed: unknown[];
    changed: { name: string; fields: unknown[]; code: unknown }[];
    [more: string]: unknown;
  };
  [part: string]: unknown;
}

/** A problem of a file, as `zeview check --json` prints it: a rule that its bytes break. Positions are in the source. */
export interface Problem {
  /** The rule's id. */
  rule: string;
  severity: Severity;
  message: string;
  source: number;
  start: number;
  end: number;
  /** The path of the innermost node with the bytes. */
  path: string;
  /** How to fix or interpret it. */
  help?: string | null;
  [more: string]: unknown;
}

/** A problem that the driver meets. */
export interface CheckFinding {
  rule: string;
  effect: Effect;
  message: string;
  source: number;
  start: number;
  end: number;
  path: string;
  /** Whether it decides the verdict. */
  decisive: boolean;
  [more: string]: unknown;
}

/** What the driver does about a problem. */
export type Effect =
  | "passes"
  | "warns"
  | "needs-linking"
  | "recompiles"
  | "refuses"
  | "link-fails"
  | "crashes"
  | "not-judged";

/** The driver's verdict on a file and its problems: the object of `zeview check --json`, with its `diagnostics` as `problems`. */
export interface Check {
  file: string;
  format: string | null;
  /** Level Zero's verdict; null for files that are not passed to the driver. */
  verdict: Outcome | null;
  /** null if the file was not read completely. */
  well_formed: boolean | null;
  driver: string | null;
  device: string | null;
  findings: CheckFinding[];
  /** OpenCL's verdict. */
  opencl: { verdict: Outcome; findings: CheckFinding[] } | null;
  needs_driver: { release: string; version: string; key: string } | null;
  problems: Problem[];
  unread: Problem[];
  [more: string]: unknown;
}

/** A diagnostic. */
export interface Diagnostic {
  /** The rule's id. */
  rule: string;
  severity: Severity;
  /** One line. */
  message: string;
  /** The bytes at fault. */
  primary: Label;
  /** Related bytes. */
  secondary: Label[];
  /** How to fix or interpret it. */
  help: string | null;
}

export interface Label {
  span: Span;
  text: string;
}
