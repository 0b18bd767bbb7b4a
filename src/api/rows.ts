// Written by BLESS=1 cargo test --all-features --test native typed_rows, from the library's columns.

/**
 * A row of a list. Its keys are the ids of the columns. A value that the file does not state is null. Numbers beyond 2^53, which
 * otherwise only damaged files have, are `bigint`.
 */
export interface Row {
  /** Why numbers are null that the file should state, by column. */
  unknown?: Record<string, string>;
}

/** A row of `kernels`: a kernel. */
export interface KernelRow extends Row {
  /** The kernel's name in the file. */
  name: string;
  /** The file of the package or folder that contains the image. */
  package_file: string | null;
  /** The image with the kernel, where the file is a container. */
  image: string | null;
  /** The member of the archive in the image. */
  member: string | null;
  /** The device that the image is for; SPIR-V is compiled at run time. */
  device: string | null;
  /** SIMD width, the work-items of a hardware thread: 8, 16 or 32; 1 for code that is written for a whole thread. */
  simd_size: number | null;
  /** General registers of a hardware thread, of the register file (GRF): 32 to 512, usually 128. With more, fewer threads run at once. */
  grf_count: number | null;
  /** Hardware threads per EU; 0 if the file does not give the number. */
  eu_thread_count: number | null;
  /** Spill bytes per hardware thread. Before ze_info 1.39: the size of the scratch slot. Unknown if the file does not state it, or has the reservation for a call stack. */
  spill_size: number | null;
  /** Spilled values of 4 bytes of each work-item: spill_size / (4 · simd_size). */
  spill_dwords_per_lane: number | null;
  /** Bytes of private memory per hardware thread. Before ze_info 1.39: the size of the scratch slot. Unknown if the file does not state it. */
  private_size: number | null;
  /** Bytes of shared local memory per work-group. */
  slm_size: number | null;
  /** Barriers per work-group. */
  barrier_count: number | null;
  /** Arguments of the kernel in the source: the largest index plus one. */
  argument_count: number | null;
  /** The sub-group size that the source requires, in work-items; 0 if it requires none. */
  required_sub_group_size: number | null;
  /** The work-group size that the source requires, in work-items of each dimension; zeros if it requires none. */
  required_work_group_size: number[] | null;
  /** Bytes of code: the size of the symbol, or of the section if there is no symbol. */
  code_size: number | null;
  /** The properties (has_dpas … subgroup_independent_forward_progress) that are true. */
  flags: string[] | null;
  /** Properties that can make the kernel slow, or prevent it from running. */
  hazards: string[] | null;
  /** The demangled name. */
  demangled: string | null;
  /** The demangled name without what other kernels of the file share; different names have different short names. */
  short_name: string | null;
  /** Bytes of inline data: the part of the cross-thread payload that is passed in registers. */
  inline_data_payload_size: number | null;
  /** Accesses of memory through pointers that were themselves loaded from memory. */
  indirect_stateless_count: number | null;
  /** Bytes of the cross-thread payload. */
  payload_size: number | null;
  /** Arguments of the source that the payload has an entry for. */
  explicit_arguments: number | null;
  /** Payload entries that are not source arguments. */
  implicit_arguments: number | null;
  /** Samples of the profile that was added. Only after `profile`, if named in `columns`. */
  samples?: number | null;
  /** Other images of the file with the same bytes; their kernels are listed only on demand. */
  copies: number | null;
  /** The name without namespaces, template arguments and parameters: equal for the instances of a template. Only if named in `columns`. */
  family?: string | null;
  /** The template arguments that differ within the family in the file, each as text, enumerators as numbers: together with the family they identify the kernel. Unknown until all kernels of the file are read. Only if named in `columns`. */
  arguments?: string[] | null;
  /** Spill and private size are scratch slot sizes: ze_info is older than 1.39. */
  from_scratch_slots: boolean | null;
  /** The largest spill size that the file allows: spill_size if it is stated, otherwise the scratch memory or the reservation for the call stack. */
  spill_limit: number | null;
  /** Uses the systolic array: dpas instructions. */
  has_dpas: boolean | null;
  /** Has atomic operations on global memory. */
  has_global_atomics: boolean | null;
  /** Calls functions through a stack in memory. Requires the implicit argument buffer. */
  has_stack_calls: boolean | null;
  /** Calls functions through pointers. Stated since ze_info 1.59. */
  has_indirect_calls: boolean | null;
  /** Its own body calls printf. Stated since ze_info 1.59. */
  has_printf_calls: boolean | null;
  /** Samples images: the driver may walk the work-items in Morton order. Stated since ze_info 1.27. */
  has_sample: boolean | null;
  /** Uses ray tracing. Stated since ze_info 1.29. */
  has_rtcalls: boolean | null;
  /** Compiled for buffers above 4 GB: all accesses are stateless. */
  has_4gb_buffers: boolean | null;
  /** Writes no memory by 64-bit addresses (stateless). */
  has_no_stateless_write: boolean | null;
  /** Spills and private memory are in separate parts of scratch memory. */
  has_multi_scratch_spaces: boolean | null;
  /** Has a fence between accesses of images. */
  has_fence_for_image_access: boolean | null;
  /** Reads images by bindless addresses. Stated since ze_info 1.67. */
  has_bindless_image_read: boolean | null;
  /** Enqueues other kernels from the device. */
  has_device_enqueue: boolean | null;
  /** Has stores that override the default policy of the L1 cache. Stated since ze_info 1.52. */
  has_lsc_stores_with_non_default_l1_cache_controls: boolean | null;
  /** Needs EUs that are not fused: fused ones run two threads in step. Stated since ze_info 1.11. */
  require_disable_eufusion: boolean | null;
  /** Its own body needs the buffer of assert. Stated since ze_info 1.61. */
  require_assert_buffer: boolean | null;
  /** Its own body needs the buffer for synchronization between work-groups. Stated since ze_info 1.61. */
  require_sync_buffer: boolean | null;
  /** Needs the buffer of implicit arguments, such as the global size, which called functions read. Stated since ze_info 1.54. */
  require_iab: boolean | null;
  /** The hardware generates the local ids. Stated since ze_info 1.50. */
  generate_local_id: boolean | null;
  /** A running thread must not be preempted for another kernel. */
  disable_mid_thread_preemption: boolean | null;
  /** Sub-groups of a work-group make progress independently of each other. */
  subgroup_independent_forward_progress: boolean | null;
  /** Instructions in the code, without the zero words after it. Only if named in `columns`. */
  instructions?: number | null;
  /** Instructions that are compacted to 8 bytes. Only if named in `columns`. */
  compacted?: number | null;
  /** Messages to shared functions: send instructions. Only if named in `columns`. */
  sends?: number | null;
  /** Messages that write scratch memory, without those that save registers around calls. Only if named in `columns`. */
  spill_messages?: number | null;
  /** Messages that read scratch memory, without those that restore registers after calls. Only if named in `columns`. */
  fill_messages?: number | null;
  /** Atomic operations in memory. Only if named in `columns`. */
  atomic_messages?: number | null;
  /** Barrier messages and waits. Only if named in `columns`. */
  barrier_messages?: number | null;
  /** Instructions for the systolic array. Only if named in `columns`. */
  dpas_instructions?: number | null;
  /** Basic blocks of the code. Only if named in `columns`. */
  blocks?: number | null;
  /** Loops: targets of backward jumps. Only if named in `columns`. */
  loops?: number | null;
  /** The maximum nesting depth of loops. Only if named in `columns`. */
  loop_nesting?: number | null;
  /** General registers that instructions access directly. Only if named in `columns`. */
  registers_used?: number | null;
  /** Instructions that wait on the software scoreboard. Only if named in `columns`. */
  scoreboard_waits?: number | null;
  /** The maximum number of general registers that are live at once, including the values of channels that wait while others run. Only if named in `columns`. */
  peak_live_registers?: number | null;
  /** The maximum number of general registers that are live at once, without the values of channels that wait while others run, as the Intel Graphics Assembler counts. Only if named in `columns`. */
  peak_live_registers_iga?: number | null;
  /** Instructions whose result is never read; unknown if registers are addressed indirectly. Only if named in `columns`. */
  dead_writes?: number | null;
  /** Cycles of an iteration of each innermost loop for one thread, summed up, as the compiler's scheduler assumes. Only if named in `columns`. */
  innermost_loop_cycles?: number | null;
  /** Cycles of an iteration of the costliest loop for one thread, as the compiler's scheduler assumes. This column and the next ones are empty for code without loops, which meets no comparison of them. Only if named in `columns`. */
  loop_cycles?: number | null;
  /** Cycles of an iteration of the costliest loop in which one thread issues instructions. Only if named in `columns`. */
  loop_issue_cycles?: number | null;
  /** Floating-point operations of a thread in an iteration of the costliest loop, for all channels of the execution size; a multiply-add is two. Only if named in `columns`. */
  loop_float_operations?: number | null;
  /** Operations of dpas instructions in an iteration of the costliest loop; a multiply-add is two. Only if named in `columns`. */
  loop_dpas_operations?: number | null;
  /** Integer operations, shifts and bit operations in an iteration of the costliest loop, as loop_float_operations. Only if named in `columns`. */
  loop_integer_operations?: number | null;
  /** Bytes that a thread loads from and stores to memory outside of the core in an iteration of the costliest loop, by its messages and for all channels of the execution size; without shared local memory and scratch memory. Only if named in `columns`. */
  loop_global_bytes?: number | null;
  /** Bytes of shared local memory that a thread loads and stores in an iteration of the costliest loop. Only if named in `columns`. */
  loop_slm_bytes?: number | null;
  /** Arithmetic intensity of the costliest loop: (loop_float_operations + loop_dpas_operations) / loop_global_bytes. Unknown if there are no such bytes. Only if named in `columns`. */
  loop_intensity?: number | null;
  /** A metric of a profile, such as `XVE_STALL[%]`. Only after `profile`, if named in `columns`. */
  [metric: `${string}[${string}]`]: number | null;
}

/** A row of `relocations`: a relocation. */
export interface RelocationRow extends Row {
  /** The symbol that the relocation refers to. */
  symbol: string | null;
  /** The relocation type: what is patched, and how. */
  type: string | null;
  /** The section and offset of the symbol. */
  place: string | null;
  /** The section that is patched. */
  section: string | null;
  /** The offset in the patched section. */
  offset: number | null;
  /** The constant that is added to the address. */
  addend: number | bigint | null;
  /** The bytes to be patched, as they are in the file. */
  bytes: string | null;
  /** The index of the symbol in the symbol table. */
  symbol_index: number | null;
}

/** A row of `symbols`: a symbol. */
export interface SymbolRow extends Row {
  /** The symbol's name in the file. */
  name: string;
  /** What the symbol names: a function, an object, a section, or nothing of these. */
  type: string | null;
  /** The section that the symbol is in; or undefined, absolute, common. */
  section: string | null;
  /** The offset in the section; in a debug zebin, an address. */
  value: number | bigint | null;
  /** The size of the symbol in bytes. */
  size: number | null;
  /** The number of relocations that refer to the symbol. */
  relocations: number | null;
  /** The kernel whose code contains the symbol. */
  kernel: string | null;
  /** Whether other files see the symbol: local (no), global (yes), or weak (yes, if no other file defines it). */
  binding: string | null;
  /** Whether other modules see a global symbol: default (yes), hidden, internal or protected. */
  visibility: string | null;
  /** The index in the symbol table. */
  index: number | null;
}

/** A row of `modules`: a abstract module. */
export interface ModuleRow extends Row {
  /** The number of the abstract module. */
  module: number | null;
  /** The intermediate representations of its IR modules, and their targets. */
  ir_modules: string[] | null;
  /** The architectures of its native device code images, or their targets if there is no architecture. */
  native_images: string[] | null;
  /** The total size of its IR modules and native device code images in bytes. */
  size: number | null;
  /** The number of property sets. */
  sets: number | null;
  /** The number of exported symbols. */
  exports: number | null;
  /** The number of imported symbols. */
  imports: number | null;
  /** The aspects that the device must support. */
  aspects: string[] | null;
  /** The work-group size that the kernels require. */
  reqd_work_group_size: string | null;
  /** The sub-group size that the kernels require. */
  reqd_sub_group_size: string | null;
  /** The exported symbols. */
  exported_symbols: string[] | null;
  /** The imported symbols. */
  imported_symbols: string[] | null;
  /** The kinds of its images, and their targets. */
  images: string[] | null;
}

/** A row of `images`: a image. */
export interface ImageRow extends Row {
  /** The name of the image in the container. */
  image: string | null;
  /** The file of the package or folder that contains the image. */
  package_file: string | null;
  /** The first kernel of the image; filters and the kernel list find all of them. */
  kernel: string | null;
  /** Whether the image runs on the selected device. */
  chosen: boolean | null;
  /** What becomes of the image on the selected device: it loads, is compiled, refused … */
  outcome: string | null;
  /** Why the image is or is not chosen for the selected device. */
  reason: string | null;
  /** The format of the image, after decompression. */
  kind: string | null;
  /** The device that the image is for, or all of them if it has code for several. */
  device: string[] | null;
  /** The target of the compiler, or the device with its product configuration and release. */
  target: string | null;
  /** The number of kernels that the index names. */
  kernels: number | null;
  /** The size of the image in bytes, after decompression. */
  size: number | null;
  /** The size of the image in the file in bytes; smaller if it is compressed. */
  stored: number | null;
  /** The first image of the file that has the same bytes. */
  same_as: string | null;
  /** The aspects that the device must support. */
  aspects: string[] | null;
  /** The sub-group size that the kernels require. */
  reqd_sub_group_size: string | null;
  /** The work-group size that the kernels require. */
  reqd_work_group_size: string | null;
  /** Registers of a hardware thread that the kernels request: a number, or automatic. */
  registers: string | null;
  /** The options for the compiler at run time, and those for the linker. */
  options: string | null;
  /** The functions that other images can call. */
  exported: string[] | null;
  /** The functions that must come from other images. */
  imported: string[] | null;
  /** The driver's verdict on the image for its target device; for images of a host binary, only with a selected device. */
  verdict: string | null;
  /** The offset of the image in the file, or in the unpacked data that contains it. */
  offset: number | null;
  /** How the image was found: by a descriptor, by .tgtimg, or by its first bytes. */
  found_by: string | null;
  /** The version of the struct that describes the image. */
  struct_version: number | null;
  /** The names of the image's kernels in the file. */
  kernel_names: string[] | null;
  /** The path of the image, for the command line. */
  path: string | null;
}

/** A row of `devices`: a device. */
export interface DeviceRow extends Row {
  /** The name of the device. */
  device: string | null;
  /** The product configuration: architecture, release, revision. */
  configuration: string | null;
  /** The release of the architecture. */
  family: string | null;
  /** The driver's verdict on the file for the device. */
  verdict: string | null;
  /** The driver's verdict in OpenCL; the other column is for Level Zero. */
  opencl: string | null;
  /** The images that run on the device. */
  image: string[] | null;
  /** The deciding values, or the reason why the image is chosen. */
  reason: string | null;
  /** The marketing names of the device. */
  marketing: string[] | null;
}

/** A row of `source-lines`: a row. */
export interface SourceLineRow extends Row {
  /** The source file, without directories. */
  source_file: string | null;
  /** The line in the source file. */
  line: number | null;
  /** The column in the line; empty if the table does not have it. */
  column: number | null;
  /** The function that the line is of, demangled; several if calls of different functions share the code. */
  function: string | null;
  /** The calls through which the function was inlined, the innermost first: the line of each call, and the function that it is in. Empty if the function has code of its own. */
  inlined: string | null;
  /** The text of the line, from a source file that was added; tabs are four spaces. */
  text: string | null;
  /** The first byte of the code in its section. */
  offset: number | null;
  /** The bytes of the code. */
  size: number | null;
  /** The instructions of the code. */
  instructions: number | null;
  /** Cycles to issue the instructions of the code once, and that they wait: one thread alone, as the compiler's scheduler assumes. Only if named in `columns`. */
  cycles?: number | null;
  /** The instructions of the code that wait for others. Only if named in `columns`. */
  waits?: number | null;
  /** The maximum number of general registers that are live before an instruction of the code. Only if named in `columns`. */
  live?: number | null;
  /** The messages of the code that write scratch memory. Only if named in `columns`. */
  spills?: number | null;
  /** The messages of the code that read scratch memory. Only if named in `columns`. */
  fills?: number | null;
  /** The section of the code; empty if no symbol names it. */
  section: string | null;
  /** The kernel whose code it is. */
  kernel: string | null;
  /** The directory of the source file. */
  directory: string | null;
}

/** The rows of each list. */
export interface ListRows {
  "kernels": KernelRow;
  "relocations": RelocationRow;
  "symbols": SymbolRow;
  "modules": ModuleRow;
  "images": ImageRow;
  "devices": DeviceRow;
  "source-lines": SourceLineRow;
}

/** The columns of each list that rows have only if they are named. */
export interface NamedColumns {
  "kernels": "samples" | "family" | "arguments" | "instructions" | "compacted" | "sends" | "spill_messages" | "fill_messages" | "atomic_messages" | "barrier_messages" | "dpas_instructions" | "blocks" | "loops" | "loop_nesting" | "registers_used" | "scoreboard_waits" | "peak_live_registers" | "peak_live_registers_iga" | "dead_writes" | "innermost_loop_cycles" | "loop_cycles" | "loop_issue_cycles" | "loop_float_operations" | "loop_dpas_operations" | "loop_integer_operations" | "loop_global_bytes" | "loop_slm_bytes" | "loop_intensity" | `${string}[${string}]`;
  "relocations": never;
  "symbols": never;
  "modules": never;
  "images": never;
  "devices": never;
  "source-lines": "cycles" | "waits" | "live" | "spills" | "fills";
}
