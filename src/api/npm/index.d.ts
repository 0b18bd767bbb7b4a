/**
 * A decoded file. Bytes that make no sense are no error: they give a document whose diagnostics
 * say so. What is thrown is misuse, as an `Error` with a `code`: "no-node", "no-list", "no-kernel",
 * "no-device", "no-encoding", "no-column", "bad-query", "too-long", "range".
 */
export class ZeviewDocument {
  /** Decodes bytes; they are copied. The decoder is loaded with the first file. */
  static open(source: Blob | ArrayBuffer | ArrayBufferView, options?: DecodeOptions): Promise<ZeviewDocument>;

  /** The file in a few lines. */
  summary(): Summary;
  /** A node. The root has the id 0, the others come from `children` and `nodesAt`. */
  node(id: number): Node;
  /** At most `count` children of a node (and at most 512), from the one with the index `start` on. */
  children(id: number, start?: number, count?: number): Node[];
  /** The nodes that hold a byte, the outermost first. Source 0 is the file. */
  nodesAt(source: number, offset: number): number[];
  /** The bytes `start..end` of a source, cut off where it ends, and after 4 MiB. */
  bytes(source: number, start: number, end: number): Uint8Array;
  /** What was found, by position. */
  diagnostics(): Diagnostic[];
  /** What the driver does with the file, on a device or on the file's own; null where nobody would give it to the driver. */
  verdict(device?: string): Verdict | null;
  /** The rows of a list. Of a container the rows of all images; empty where the file has no such list. */
  list(name: ListName, options?: ListOptions): ListRow[];
  /** `list("kernels", options)` */
  kernels(options?: ListOptions): ListRow[];
  /** `list("images", options)` */
  images(options?: ListOptions): ListRow[];
  /** `list("modules", options)` */
  modules(options?: ListOptions): ListRow[];
  /** The code of a kernel as assembly, as `zeview disasm` prints it. */
  disassemble(kernel: string): string;
  /** The instructions of a kernel with their data flow, as `zeview disasm --json --dataflow` prints it. */
  disassemble(kernel: string, options: { dataflow: true }): InstructionFlow[];
  /** The summary of the data flow of a kernel, as `zeview analyze --json` prints it. */
  analyze(kernel: string): FlowReport;
  /** What differs from another document, the first of the two. */
  diff(base: ZeviewDocument): Comparison;
  /** The whole tree as text, as `zeview dump` prints it. */
  toText(): string;
  /** The whole tree as JSON, as `zeview dump --json` prints it. */
  toJson(): string;
  /** Gives the memory back; nothing may be asked after it. */
  free(): void;
  [Symbol.dispose](): void;
}

