/** A file of a profile. */
export type ProfileSource = File | Blob | ArrayBuffer | ArrayBufferView;

/**
 * A decoded file. Malformed bytes are not an error: they give a document with diagnostics.
 * Misuse throws an `Error` with a `code`: "no-node", "no-list", "no-kernel",
 * "several-kernels", "no-code", "no-spirv", "no-path", "no-source", "no-device", "no-encoding", "no-column", "no-driver", "bad-query",
 * "options", "too-long", "range", "unreadable", "closed".
 */
export class ZeviewDocument {
  /** Copies and decodes bytes. The first call loads the decoder. */
  static open(source: Blob | ArrayBuffer | ArrayBufferView, options?: DecodeOptions): Promise<ZeviewDocument>;

  /** Returns a summary of the file. */
  summary(): Summary;
  /** Returns a node. The root has the id 0; `children` and `nodesAt` return the others. */
  node(id: number): Node;
  /** Returns at most `count` children of a node (and at most 512), from index `start` on. */
  children(id: number, start?: number, count?: number): Node[];
  /** Returns the nodes that contain a byte, outermost first. Source 0 is the file. */
  nodesAt(source: number, offset: number): number[];
  /** Returns the bytes `start..end` of a source, clipped to its end and to 4 MiB. */
  bytes(source: number, start: number, end: number): Uint8Array;
  /**
   * Returns the diagnostics about bytes that were not read so far: encrypted or damaged files of a package, bytes
   * between its files, parts beyond a limit. Device code in them is in no list.
   */
  unread(): Diagnostic[];
  /** Returns the problems of the file and of all documents in it, by position. */
  problems(): Problem[];
  /**
   * Returns the driver's verdict on the file and all problems, as `zeview check --json` prints them: on a device, by default the
   * file's own, and in a release ("25.18", "lts2"), by default the newest that was observed.
   */
  check(device?: string, driver?: string): Check;
  /**
   * Returns the diagnostics of the documents that were read so far, by position, with related bytes. `problems` reads the whole
   * file first, and has paths.
   */
  diagnostics(): Diagnostic[];
  /**
   * Predicts what the driver does with the file itself, without the images in it, as `check` does; null for files that are not
   * passed to the driver.
   */
  verdict(device?: string, driver?: string): Verdict | null;
  /** Returns the rows of a list. For a container, the rows of all images. Empty if the file has no such list. */
  list<N extends ListName>(name: N, options?: ListOptions<N>): ListRows[N][];
  /** `list("kernels", options)` */
  kernels(options?: ListOptions<"kernels">): KernelRow[];
  /** `list("images", options)` */
  images(options?: ListOptions<"images">): ImageRow[];
  /** `list("modules", options)` */
  modules(options?: ListOptions<"modules">): ModuleRow[];
  /**
   * Returns the row of a kernel. `kernel` is its name in the file, its demangled name, the short name that tables
   * print, or a pattern. If it has several builds, `options` chooses one: otherwise, "several-kernels" is thrown, with a list of
   * them. The row says which build it is: `device`, `image`, and `file`, its path.
   */
  kernel(kernel: string, options?: KernelOptions & { columns?: NamedColumns["kernels"][] }): KernelRow & { file: string };
  /**
   * Returns the code of a kernel as assembly, as `zeview disasm` prints it. Names and options are those of `kernel`, which says
   * what build it takes.
   */
  disassemble(kernel: string, options?: KernelOptions): string;
  /** Returns the instructions of a kernel with their data flow, as `zeview disasm --json --dataflow` prints them. */
  disassemble(kernel: string, options: KernelOptions & { dataflow: true }): InstructionFlow[];
  /** Returns the SPIR-V of the file as text, as `zeview disasm --spirv` prints it: of all its modules, or of those with a kernel. */
  spirv(kernel?: string, options?: KernelOptions & { rawIds?: boolean }): string;
  /**
   * Searches the code of all kernels, as `zeview find --json`: a row for each kernel, with `rows` for each instruction.
   * The query has conditions on instructions and kernels, and sequences: `marks=fill writes=?a then marks=spill reads=?a`.
   */
  findCode(query: string, options?: FindOptions): FoundRow[];
  /**
   * Returns a kernel's source, SPIR-V, vISA and instructions, tied line by line, as `zeview step --json` prints them.
   * `sources` are the texts of source files by name; SPIR-V may contain the text.
   */
  step(kernel: string, options?: KernelOptions & { sources?: Record<string, string> }): KernelStep;
  /** Returns the summary of a kernel's data flow, as `zeview analyze --json` prints it. */
  analyze(kernel: string, options?: KernelOptions): FlowReport;
  /**
   * Finds each kernel of a profile of unitrace or GTPin in the file. Returns the report that `zeview profile --json`
   * prints. The source is read in pieces; several files of a run are one profile, and names of `File`s may state the
   * device (`metrics_1.csv`). Afterwards, `kernels` has the samples, metrics and device times as columns:
   * `{ columns: ["samples", "XVE_STALL[%]"] }`. `before` is an earlier profile of the same file.
   */
  profile(source: ProfileSource | ProfileSource[], options?: { before?: ProfileSource | ProfileSource[] }): Promise<ProfileReport>;
  /**
   * Compares the document `base` with this one. Of libraries and packages whose kernels differ, images, properties, sections and
   * symbols are compared only with `everything`.
   */
  diff(base: ZeviewDocument, everything?: boolean): Comparison;
  /** Returns the whole tree as text, as `zeview dump` prints it. */
  toText(): string;
  /** Returns the whole tree as JSON, as `zeview dump --json` prints it. */
  toJson(): string;
  /**
   * Releases the file and what was decoded. Other methods throw an error with the code "closed" afterwards; a second call does
   * nothing. Documents that are opened later use the memory again. WebAssembly cannot return it to the system: end the worker
   * that the decoder runs in for that.
   */
  free(): void;
  /** Whether `free` was called. */
  readonly closed: boolean;
  [Symbol.dispose](): void;
}

