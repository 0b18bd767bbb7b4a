"""Rows of tables. Written by BLESS=1 cargo xtask test python, from the library's columns."""

from typing import Dict, List, Optional, Type

from ._records import Object, Record

class Row(Record):
    path: str
    @property
    def unknown(self) -> Object:
        """The columns that are None because their values are unknown, with the reasons."""

class Kernel(Row):
    """A kernel."""

    name: str
    """The kernel's name in the file."""
    package_file: Optional[str]
    """The file of the package or folder that contains the image."""
    image: Optional[str]
    """The image with the kernel, where the file is a container."""
    member: Optional[str]
    """The member of the archive in the image."""
    device: Optional[str]
    """The device that the image is for; SPIR-V is compiled at run time."""
    simd_size: Optional[int]
    """SIMD width, the work-items of a hardware thread: 8, 16 or 32; 1 for code that is written for a whole thread."""
    grf_count: Optional[int]
    """General registers of a hardware thread, of the register file (GRF): 32 to 512, usually 128. With more, fewer threads run at once."""
    eu_thread_count: Optional[int]
    """Hardware threads per EU; 0 if the file does not give the number."""
    spill_size: Optional[int]
    """Spill bytes per hardware thread. Before ze_info 1.39: the size of the scratch slot. Unknown if the file does not state it, or has the reservation for a call stack."""
    spill_dwords_per_lane: Optional[float]
    """Spilled values of 4 bytes of each work-item: spill_size / (4 · simd_size)."""
    private_size: Optional[int]
    """Bytes of private memory per hardware thread. Before ze_info 1.39: the size of the scratch slot. Unknown if the file does not state it."""
    slm_size: Optional[int]
    """Bytes of shared local memory per work-group."""
    barrier_count: Optional[int]
    """Barriers per work-group."""
    argument_count: Optional[int]
    """Arguments of the kernel in the source: the largest index plus one."""
    required_sub_group_size: Optional[int]
    """The sub-group size that the source requires, in work-items; 0 if it requires none."""
    required_work_group_size: Optional[List[int]]
    """The work-group size that the source requires, in work-items of each dimension; zeros if it requires none."""
    code_size: Optional[int]
    """Bytes of code: the size of the symbol, or of the section if there is no symbol."""
    flags: Optional[List[str]]
    """The properties (has_dpas … subgroup_independent_forward_progress) that are true."""
    hazards: Optional[List[str]]
    """Properties that can make the kernel slow, or prevent it from running."""
    demangled: Optional[str]
    """The demangled name."""
    short_name: Optional[str]
    """The demangled name without what other kernels of the file share; different names have different short names."""
    inline_data_payload_size: Optional[int]
    """Bytes of inline data: the part of the cross-thread payload that is passed in registers."""
    indirect_stateless_count: Optional[int]
    """Accesses of memory through pointers that were themselves loaded from memory."""
    payload_size: Optional[int]
    """Bytes of the cross-thread payload."""
    explicit_arguments: Optional[int]
    """Arguments of the source that the payload has an entry for."""
    implicit_arguments: Optional[int]
    """Payload entries that are not source arguments."""
    copies: Optional[int]
    """Other images of the file with the same bytes; their kernels are listed only on demand."""
    family: Optional[str]
    """The name without namespaces, template arguments and parameters: equal for the instances of a template. Only if named in columns=[…]."""
    arguments: Optional[List[str]]
    """The template arguments that differ within the family in the file, each as text, enumerators as numbers: together with the family they identify the kernel. Unknown until all kernels of the file are read. Only if named in columns=[…]."""
    from_scratch_slots: Optional[bool]
    """Spill and private size are scratch slot sizes: ze_info is older than 1.39."""
    spill_limit: Optional[int]
    """The largest spill size that the file allows: spill_size if it is stated, otherwise the scratch memory or the reservation for the call stack."""
    has_dpas: Optional[bool]
    """Uses the systolic array: dpas instructions."""
    has_global_atomics: Optional[bool]
    """Has atomic operations on global memory."""
    has_stack_calls: Optional[bool]
    """Calls functions through a stack in memory. Requires the implicit argument buffer."""
    has_indirect_calls: Optional[bool]
    """Calls functions through pointers. Stated since ze_info 1.59."""
    has_printf_calls: Optional[bool]
    """Its own body calls printf. Stated since ze_info 1.59."""
    has_sample: Optional[bool]
    """Samples images: the driver may walk the work-items in Morton order. Stated since ze_info 1.27."""
    has_rtcalls: Optional[bool]
    """Uses ray tracing. Stated since ze_info 1.29."""
    has_4gb_buffers: Optional[bool]
    """Compiled for buffers above 4 GB: all accesses are stateless."""
    has_no_stateless_write: Optional[bool]
    """Writes no memory by 64-bit addresses (stateless)."""
    has_multi_scratch_spaces: Optional[bool]
    """Spills and private memory are in separate parts of scratch memory."""
    has_fence_for_image_access: Optional[bool]
    """Has a fence between accesses of images."""
    has_bindless_image_read: Optional[bool]
    """Reads images by bindless addresses. Stated since ze_info 1.67."""
    has_device_enqueue: Optional[bool]
    """Enqueues other kernels from the device."""
    has_lsc_stores_with_non_default_l1_cache_controls: Optional[bool]
    """Has stores that override the default policy of the L1 cache. Stated since ze_info 1.52."""
    require_disable_eufusion: Optional[bool]
    """Needs EUs that are not fused: fused ones run two threads in step. Stated since ze_info 1.11."""
    require_assert_buffer: Optional[bool]
    """Its own body needs the buffer of assert. Stated since ze_info 1.61."""
    require_sync_buffer: Optional[bool]
    """Its own body needs the buffer for synchronization between work-groups. Stated since ze_info 1.61."""
    require_iab: Optional[bool]
    """Needs the buffer of implicit arguments, such as the global size, which called functions read. Stated since ze_info 1.54."""
    generate_local_id: Optional[bool]
    """The hardware generates the local ids. Stated since ze_info 1.50."""
    disable_mid_thread_preemption: Optional[bool]
    """A running thread must not be preempted for another kernel."""
    subgroup_independent_forward_progress: Optional[bool]
    """Sub-groups of a work-group make progress independently of each other."""
    instructions: Optional[int]
    """Instructions in the code, without the zero words after it. Only if named in columns=[…]."""
    compacted: Optional[int]
    """Instructions that are compacted to 8 bytes. Only if named in columns=[…]."""
    sends: Optional[int]
    """Messages to shared functions: send instructions. Only if named in columns=[…]."""
    spill_messages: Optional[int]
    """Messages that write scratch memory, without those that save registers around calls. Only if named in columns=[…]."""
    fill_messages: Optional[int]
    """Messages that read scratch memory, without those that restore registers after calls. Only if named in columns=[…]."""
    atomic_messages: Optional[int]
    """Atomic operations in memory. Only if named in columns=[…]."""
    barrier_messages: Optional[int]
    """Barrier messages and waits. Only if named in columns=[…]."""
    dpas_instructions: Optional[int]
    """Instructions for the systolic array. Only if named in columns=[…]."""
    blocks: Optional[int]
    """Basic blocks of the code. Only if named in columns=[…]."""
    loops: Optional[int]
    """Loops: targets of backward jumps. Only if named in columns=[…]."""
    loop_nesting: Optional[int]
    """The maximum nesting depth of loops. Only if named in columns=[…]."""
    registers_used: Optional[int]
    """General registers that instructions access directly. Only if named in columns=[…]."""
    scoreboard_waits: Optional[int]
    """Instructions that wait on the software scoreboard. Only if named in columns=[…]."""
    peak_live_registers: Optional[int]
    """The maximum number of general registers that are live at once, including the values of channels that wait while others run. Only if named in columns=[…]."""
    peak_live_registers_iga: Optional[int]
    """The maximum number of general registers that are live at once, without the values of channels that wait while others run, as the Intel Graphics Assembler counts. Only if named in columns=[…]."""
    dead_writes: Optional[int]
    """Instructions whose result is never read; unknown if registers are addressed indirectly. Only if named in columns=[…]."""
    innermost_loop_cycles: Optional[int]
    """Cycles of an iteration of each innermost loop for one thread, summed up, as the compiler's scheduler assumes. Only if named in columns=[…]."""
    loop_cycles: Optional[int]
    """Cycles of an iteration of the costliest loop for one thread, as the compiler's scheduler assumes. This column and the next ones are empty for code without loops, which meets no comparison of them. Only if named in columns=[…]."""
    loop_issue_cycles: Optional[int]
    """Cycles of an iteration of the costliest loop in which one thread issues instructions. Only if named in columns=[…]."""
    loop_float_operations: Optional[int]
    """Floating-point operations of a thread in an iteration of the costliest loop, for all channels of the execution size; a multiply-add is two. Only if named in columns=[…]."""
    loop_dpas_operations: Optional[int]
    """Operations of dpas instructions in an iteration of the costliest loop; a multiply-add is two. Only if named in columns=[…]."""
    loop_integer_operations: Optional[int]
    """Integer operations, shifts and bit operations in an iteration of the costliest loop, as loop_float_operations. Only if named in columns=[…]."""
    loop_global_bytes: Optional[int]
    """Bytes that a thread loads from and stores to memory outside of the core in an iteration of the costliest loop, by its messages and for all channels of the execution size; without shared local memory and scratch memory. Only if named in columns=[…]."""
    loop_slm_bytes: Optional[int]
    """Bytes of shared local memory that a thread loads and stores in an iteration of the costliest loop. Only if named in columns=[…]."""
    loop_intensity: Optional[int]
    """Arithmetic intensity of the costliest loop: (loop_float_operations + loop_dpas_operations) / loop_global_bytes. Unknown if there are no such bytes. Only if named in columns=[…]."""

class Relocation(Row):
    """A relocation."""

    symbol: Optional[str]
    """The symbol that the relocation refers to."""
    type: Optional[str]
    """The relocation type: what is patched, and how."""
    place: Optional[str]
    """The section and offset of the symbol."""
    section: Optional[str]
    """The section that is patched."""
    offset: Optional[int]
    """The offset in the patched section."""
    addend: Optional[int]
    """The constant that is added to the address."""
    bytes: Optional[str]
    """The bytes to be patched, as they are in the file."""
    symbol_index: Optional[int]
    """The index of the symbol in the symbol table."""

class Symbol(Row):
    """A symbol."""

    name: str
    """The symbol's name in the file."""
    type: Optional[str]
    """What the symbol names: a function, an object, a section, or nothing of these."""
    section: Optional[str]
    """The section that the symbol is in; or undefined, absolute, common."""
    value: Optional[int]
    """The offset in the section; in a debug zebin, an address."""
    size: Optional[int]
    """The size of the symbol in bytes."""
    relocations: Optional[int]
    """The number of relocations that refer to the symbol."""
    kernel: Optional[str]
    """The kernel whose code contains the symbol."""
    binding: Optional[str]
    """Whether other files see the symbol: local (no), global (yes), or weak (yes, if no other file defines it)."""
    visibility: Optional[str]
    """Whether other modules see a global symbol: default (yes), hidden, internal or protected."""
    index: Optional[int]
    """The index in the symbol table."""

class Module(Row):
    """An abstract module of a SYCLBIN."""

    module: Optional[int]
    """The number of the abstract module."""
    ir_modules: Optional[List[str]]
    """The intermediate representations of its IR modules, and their targets."""
    native_images: Optional[List[str]]
    """The architectures of its native device code images, or their targets if there is no architecture."""
    size: Optional[int]
    """The total size of its IR modules and native device code images in bytes."""
    sets: Optional[int]
    """The number of property sets."""
    exports: Optional[int]
    """The number of exported symbols."""
    imports: Optional[int]
    """The number of imported symbols."""
    aspects: Optional[List[str]]
    """The aspects that the device must support."""
    reqd_work_group_size: Optional[str]
    """The work-group size that the kernels require."""
    reqd_sub_group_size: Optional[str]
    """The sub-group size that the kernels require."""
    exported_symbols: Optional[List[str]]
    """The exported symbols."""
    imported_symbols: Optional[List[str]]
    """The imported symbols."""
    images: Optional[List[str]]
    """The kinds of its images, and their targets."""

class Image(Row):
    """A device image."""

    image: Optional[str]
    """The name of the image in the container."""
    package_file: Optional[str]
    """The file of the package or folder that contains the image."""
    kernel: Optional[str]
    """The first kernel of the image; filters and the kernel list find all of them."""
    chosen: Optional[bool]
    """Whether the image runs on the selected device."""
    outcome: Optional[str]
    """What becomes of the image on the selected device: it loads, is compiled, refused …"""
    reason: Optional[str]
    """Why the image is or is not chosen for the selected device."""
    kind: Optional[str]
    """The format of the image, after decompression."""
    device: Optional[List[str]]
    """The device that the image is for, or all of them if it has code for several."""
    target: Optional[str]
    """The target of the compiler, or the device with its product configuration and release."""
    kernels: Optional[int]
    """The number of kernels that the index names."""
    size: Optional[int]
    """The size of the image in bytes, after decompression."""
    stored: Optional[int]
    """The size of the image in the file in bytes; smaller if it is compressed."""
    same_as: Optional[str]
    """The first image of the file that has the same bytes."""
    aspects: Optional[List[str]]
    """The aspects that the device must support."""
    reqd_sub_group_size: Optional[str]
    """The sub-group size that the kernels require."""
    reqd_work_group_size: Optional[str]
    """The work-group size that the kernels require."""
    registers: Optional[str]
    """Registers of a hardware thread that the kernels request: a number, or automatic."""
    options: Optional[str]
    """The options for the compiler at run time, and those for the linker."""
    exported: Optional[List[str]]
    """The functions that other images can call."""
    imported: Optional[List[str]]
    """The functions that must come from other images."""
    verdict: Optional[str]
    """The driver's verdict on the image for its target device; for images of a host binary, only with a selected device."""
    offset: Optional[int]
    """The offset of the image in the file, or in the unpacked data that contains it."""
    found_by: Optional[str]
    """How the image was found: by a descriptor, by .tgtimg, or by its first bytes."""
    struct_version: Optional[int]
    """The version of the struct that describes the image."""
    kernel_names: Optional[List[str]]
    """The names of the image's kernels in the file."""

class DeviceRow(Row):
    """A device, with the driver's verdict on a file."""

    device: Optional[str]
    """The name of the device."""
    configuration: Optional[str]
    """The product configuration: architecture, release, revision."""
    family: Optional[str]
    """The release of the architecture."""
    verdict: Optional[str]
    """The driver's verdict on the file for the device."""
    opencl: Optional[str]
    """The driver's verdict in OpenCL; the other column is for Level Zero."""
    image: Optional[List[str]]
    """The images that run on the device."""
    reason: Optional[str]
    """The deciding values, or the reason why the image is chosen."""
    marketing: Optional[List[str]]
    """The marketing names of the device."""

class SourceLine(Row):
    """A range of code with its source line."""

    source_file: Optional[str]
    """The source file, without directories."""
    line: Optional[int]
    """The line in the source file."""
    column: Optional[int]
    """The column in the line; empty if the table does not have it."""
    function: Optional[str]
    """The function that the line is of, demangled; several if calls of different functions share the code."""
    inlined: Optional[str]
    """The calls through which the function was inlined, the innermost first: the line of each call, and the function that it is in. Empty if the function has code of its own."""
    text: Optional[str]
    """The text of the line, from a source file that was added; tabs are four spaces."""
    offset: Optional[int]
    """The first byte of the code in its section."""
    size: Optional[int]
    """The bytes of the code."""
    instructions: Optional[int]
    """The instructions of the code."""
    cycles: Optional[int]
    """Cycles to issue the instructions of the code once, and that they wait: one thread alone, as the compiler's scheduler assumes. Only if named in columns=[…]."""
    waits: Optional[int]
    """The instructions of the code that wait for others. Only if named in columns=[…]."""
    live: Optional[int]
    """The maximum number of general registers that are live before an instruction of the code. Only if named in columns=[…]."""
    spills: Optional[int]
    """The messages of the code that write scratch memory. Only if named in columns=[…]."""
    fills: Optional[int]
    """The messages of the code that read scratch memory. Only if named in columns=[…]."""
    section: Optional[str]
    """The section of the code; empty if no symbol names it."""
    kernel: Optional[str]
    """The kernel whose code it is."""
    directory: Optional[str]
    """The directory of the source file."""

ROWS: Dict[str, Type[Row]]
