/** How a file is opened. */
export interface DecodeOptions {
  /** The file's name, for the tree's root. */
  name?: string;
}

/** The file in a few lines. */
export interface Summary {
  name: string;
  /** In bytes. */
  size: number;
  /** The format's identifier: "zebin", "elf", "raw" … */
  format: string;
  /** The format in words. */
  title: string;
  /** In the order of importance. */
  facts: Fact[];
  coverage: Coverage;
}

export interface Fact {
  /** What it is about: "target", "ze_info version". */
  label: string;
  text: string;
  tone: "plain" | "good" | "warning" | "bad";
  /** The bytes that say so. */
  span: Span | null;
  /** One of the few most important. */
  headline: boolean;
}

/** How the bytes of the file are accounted for; the first three add up to its size. */
export interface Coverage {
  explained: number;
  padding: number;
  gap: number;
  /** Bytes that more than one section or table claims. */
  overlap: number;
}

/** Bytes of one source: `start` belongs to them, `end` does not. */
export interface Span {
  /** 0 is the file; others are bytes that were unpacked from it. */
  source: number;
  start: number;
  end: number;
}

/** One row of the tree. The root is node 0. */
export interface Node {
  id: number;
  /** null for the root. */
  parent: number | null;
  /** Its place among its siblings, from 0. */
  index: number;
  name: string;
  /** The entry of a table or sequence. */
  indexed: boolean;
  kind: NodeKind;
  area: Area;
  value: Value;
  /** The value in one line, as `zeview dump` prints it; may be empty. */
  text: string;
  /** A few words on what is inside. */
  summary: string | null;
  /** Its bytes; null for what is computed. */
  span: Span | null;
  /** How many bytes before the span introduce it (text formats). */
  head: number;
  /** The bits of the span's word, if it is only some of them. */
  bits: Bits | null;
  /** How many children it has. */
  count: number;
  /** The worst that is said about its bytes. */
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
 * Bits of a word, the lowest is 0: `low` belongs to them, `high` does not. Not all between them
 * need to: `stretches` are those that do, as pairs of such numbers, the lowest first.
 */
export interface Bits {
  low: number;
  high: number;
  stretches: [number, number][];
}

/** What the bytes of a node say. */
export type Value =
  | NoValue
  | UnsignedValue
  | SignedValue
  | FloatValue
  | BoolValue
  | FlagsValue
  | TextValue
  | BytesValue;

/** Nothing of its own: a node that only holds others. */
export interface NoValue {
  type: "none";
}

export interface UnsignedValue {
  type: "unsigned";
  raw: bigint;
  /** The width in bits. */
  bits: number;
  /** How the specification writes it. */
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

/** A word of bits with names. */
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
  /** Some of it was not UTF-8 and stands as U+FFFD. */
  lossy: boolean;
}

/** The bytes themselves: `bytes` of the document has them. */
export interface BytesValue {
  type: "bytes";
}

/** What a node means. */
export interface Doc {
  text: string;
  /** Which specification says so. */
  source: string;
  /** The values that the specification names. */
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
  /** What stands there, by name. */
  label: string;
  to: Span;
}

/** What today's driver does with a file. */
export interface Verdict {
  /** The driver's release. */
  driver: string;
  outcome: Outcome;
  /** null if the file does not say which device it is for. */
  device: string | null;
  /** The device was asked for; otherwise it is the file's own. */
  requested: boolean;
  /** In a line. */
  headline: string;
  /** What the driver meets, in its order. */
  findings: Finding[];
}

export type Outcome =
  | "loads"
  | "loads-with-warnings"
  | "needs-linking"
  | "recompiled"
  | "refused"
  | "link-failure"
  | "may-crash"
  | "not-judged";

export interface Finding {
  /** The rule's id. */
  rule: string;
  message: string;
  /** The bytes that it is about. */
  span: Span;
  /** It decides the outcome. */
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

/** Which rows, in which order. */
export interface ListOptions {
  /** As in the filter of a table, and in `--filter`: "spill_size>0". */
  filter?: string;
  /** The id of a column; with a "-", the largest first. */
  sort?: string;
  /** Of images: the device that they are chosen for. */
  device?: string;
  /**
   * Columns that are counted in the code, to have them too: "instructions", "spill_messages", "loops" …; for them the code
   * is decoded. All other columns are always there.
   */
  columns?: string[];
}

/** A row; the keys are the ids of the list's columns. */
export type ListRow = Record<string, string | number | boolean | null | (string | number)[]>;

/** A producer of a value. */
export interface Producer {
  /** The offset of the instruction in the code; null for a value that the kernel starts with. */
  pc: number | null;
  /** Bytes of registers: "r8", "r8:2", "r6[12-15]". */
  bytes: string[];
}

/** An instruction that another waits for. */
export interface WaitFor {
  /** The offset of the instruction; null if no path has one. */
  pc: number | null;
  /** "F@2", "$5.dst"; "registers" where the hardware checks them. */
  on: string;
  /** The bytes that are the reason; empty if there is none in the data. */
  bytes: string[];
}

/** An instruction with its data flow. Cycles are those that the compiler's scheduler assumes. */
export interface InstructionFlow {
  offset: number;
  text: string;
  comment: string;
  reads: string[];
  /** The registers that a gather message sends. */
  gathers: string[];
  writes: string[];
  defs: Producer[];
  /** Bytes that are live before it, by register file, and general registers with a live byte. */
  live: { r: number; acc: number; f: number; a: number; s: number; registers: number };
  waits: WaitFor[];
  latency: number;
  occupancy: number;
  /** Nobody reads what it writes. */
  dead: boolean;
}

/** The summary of the data flow of a kernel. Cycles are those that the compiler's scheduler assumes. */
export interface FlowReport {
  instructions: number;
  /** What the analysis does not cover, in sentences. */
  limits: string[];
  peak: {
    pc: number;
    registers: number;
    bytes: number;
    longest: { register: string; from: number | null; to: number; instructions: number } | null;
  } | null;
  /** null if registers are addressed indirectly. */
  dead_writes: number | null;
  spills: number;
  fills: number;
  slots: { address: string; bytes: number; writers: number[]; readers: number[]; depth: number }[];
  other_scratch: number[];
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
    bound: string;
  }[];
  /** The index of the costliest innermost loop. */
  hottest: number | null;
  waits: { pc: number; cycles: number; depth: number; waits: WaitFor[] }[];
}

/** What differs between two files, as `zeview diff --json` prints it. */
export interface Comparison {
  schema: number;
  /** The files have the same bytes. */
  equal: boolean;
  same_meaning: boolean;
  /** false: not all of it was compared. */
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

/** One diagnostic. */
export interface Diagnostic {
  /** The rule's id. */
  rule: string;
  severity: Severity;
  /** One line. */
  message: string;
  /** The bytes at fault. */
  primary: Label;
  /** Other bytes that belong to it. */
  secondary: Label[];
  /** What to do, or what to think of it. */
  help: string | null;
}

export interface Label {
  span: Span;
  text: string;
}
