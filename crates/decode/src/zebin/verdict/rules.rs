//! The rules of the verdict: the driver's checks and its reactions. Each rule names the file and
//! function of the driver that implement it. All behavior was observed with release 26.27; its
//! source may differ in detail.

use crate::rule::{Origin, Rule};
use zeview_core::model::{Effect, Severity};

const fn severity(effect: Effect) -> Severity {
    match effect {
        Effect::Passes | Effect::NotJudged => Severity::Info,
        _ => Severity::Warning,
    }
}

/// Rules without a location in the driver are the viewer's.
const fn origin(place: &'static str) -> Origin {
    if place.is_empty() {
        Origin::Viewer
    } else {
        Origin::Runtime(place)
    }
}

macro_rules! rules {
    ($($(#[doc = $d:expr])* $name:ident = $id:literal $effect:ident $summary:literal $origin:literal;)*) => {
        $(
            $(#[doc = $d])*
            pub static $name: Rule = Rule {
                id: concat!("driver/", $id),
                severity: severity(Effect::$effect),
                effect: Some(Effect::$effect),
                summary: $summary,
                origin: origin($origin),
                docs: concat!($($d),*).trim_ascii(),
                is_unread: false,
            };
        )*
        /// All rules, in the driver's order.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    /// zeview limits the work that it spends on a verdict. It gives up on names, tables and texts
    /// of unusual size, and on tables that overlap. What the driver does with the file is then
    /// unknown.
    NOT_JUDGED = "not-judged" NotJudged "Verdict not finished" "";

    /// The driver recognizes a zebin by a complete ELF header of the 32-bit or 64-bit class with
    /// e_type 1 or 0xff12. It checks no other header field: not the byte order, the versions, or
    /// e_machine.
    NOT_A_ZEBIN = "not-a-zebin" Refuses "File not recognized by the driver" "zebin_decoder.cpp, isZebin";
    /// The program header and section header tables must lie within the file; e_phoff is checked
    /// even if there are no program headers. The entry sizes are not checked: with a wrong one, the
    /// driver reads the headers at wrong offsets.
    TABLE_OUT_OF_BOUNDS = "header-table-out-of-bounds" Refuses "Header table extends past the end of the file" "elf_decoder.cpp, decodeElf";
    /// Each section and segment must lie inside the file (NOBITS excepted), also section 0 and
    /// inactive sections.
    DATA_OUT_OF_BOUNDS = "data-out-of-bounds" Refuses "Section or segment extends past the end of the file" "elf_decoder.cpp, decodeElf";
    /// The driver adds offset and size without an overflow check, so the section passes as being in
    /// the file. This is harmless as long as the driver does not read the section.
    OVERFLOW = "offset-overflow" Passes "Integer overflow in offset + size" "elf_decoder.cpp, decodeElf";
    /// Offset and size overflow. The driver does not notice, and reads memory outside of the file.
    OVERFLOW_READ = "reads-outside-of-file" Crashes "Driver reads memory outside of the file" "elf_decoder.cpp, decodeElf (observed)";
    /// Offset and size overflow. The driver does not notice, and the text starts in memory before
    /// the file. That memory hardly ever parses as text.
    OVERFLOW_TEXT = "text-outside-of-file" Refuses "Text starts before the file" "elf_decoder.cpp, decodeElf (observed)";
    /// sh_entsize of symbol tables and relocation sections must be the exact size of an entry. The
    /// driver does not check it in other sections.
    ENTRY_SIZE = "entry-size" Refuses "Wrong sh_entsize" "elf_decoder.cpp, decodeSymTab and decodeRelocations";
    /// The driver looks up the symbols of relocations in an empty list. IGC writes such files
    /// with its internal option -emit-visa-only.
    NO_SYMBOL_TABLE = "relocations-without-symbols" Crashes "Relocations without a symbol table" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The driver does not check the symbol index. The result is undefined: a crash, a failure to
    /// link, or no effect.
    RELOCATION_SYMBOL = "relocation-symbol" Crashes "Relocation symbol index out of range" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The driver does not check the symbol index. It does not apply relocations of debug sections
    /// at load time, so an index close to the end of the table is harmless.
    DEBUG_RELOCATION_SYMBOL = "debug-relocation-symbol" Passes "Debug relocation symbol index out of range" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The driver reads the names of global symbols and of symbols used by relocations without a
    /// bounds check. Just past the end of the string table it finds an empty name; far past the end
    /// it accesses unmapped memory.
    SYMBOL_NAME = "symbol-name" Crashes "Symbol name outside of the string table" "elf_decoder.h, getSymbolName (observed)";
    /// The driver reads names without a bounds check. Just past the end of the string table it
    /// finds an empty name; far past the end it accesses unmapped memory.
    SECTION_NAME = "section-name" Crashes "Section name outside of the string table" "elf_decoder.h, getSectionName (observed)";
    /// The driver uses e_shstrndx before it checks it. The section with that index must have bytes.
    NAME_TABLE_INDEX = "section-name-table" Crashes "e_shstrndx is not the index of a string table" "elf_decoder.cpp, decodeRelocations (observed)";
    /// e_shstrndx must be the index of a section.
    NAME_TABLE_INDEX_REFUSED = "no-section-names" Refuses "Invalid e_shstrndx" "zebin_decoder.cpp, extractZebinSections";

    /// If a note extends past the end of the section, or stray bytes follow the last note, the
    /// driver cannot use any of the notes, and refuses the file.
    NOTE_OUT_OF_BOUNDS = "note-out-of-bounds" Refuses "Note extends past the end of its section" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// The owner of a note must be IntelGT, with one NUL. Other notes are ignored.
    NOTE_OWNER = "note-owner" Warns "Note of another owner is ignored" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// The driver's message about the owner strips the NUL from the name. If there is no NUL, this
    /// corrupts memory.
    NOTE_OWNER_OPEN = "note-owner-without-nul" Crashes "Unterminated note owner" "zebin_decoder.cpp, decodeIntelGTNoteSection (observed)";
    /// The driver reads the description of a note even if it is empty, except for type 5 and
    /// unknown types.
    NOTE_EMPTY = "note-without-description" Crashes "Note without a description" "zebin_decoder.cpp, validateTargetDevice (observed)";
    /// The type is not one of the eight that the driver knows. The note is ignored.
    NOTE_TYPE = "note-type" Warns "Unknown note type" "zebin_decoder.cpp, validateTargetDevice";
    /// The version must end with a NUL; otherwise the note is ignored.
    NOTE_VERSION_OPEN = "note-version-without-nul" Warns "Unterminated version in the notes" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// The version in the notes must have at least one character on each side of a dot, and major
    /// version 1. Otherwise the driver treats the file as one for another device.
    NOTE_VERSION = "note-version" Refuses "Invalid version in the notes" "zeinfo_decoder.cpp, populateZeInfoVersion";
    /// The file has no target device: note 6 is missing or 0, and so are notes 1 and 2.
    NO_TARGET = "no-target" Refuses "No target device" "zebin_decoder.cpp, validateTargetDevice";
    /// The product configuration in note 6 must be the device's, with its revision, or one that the
    /// driver knows to be compatible with it. If the note is missing or 0, the driver compares the
    /// families (notes 1 and 2), and the stepping if note 3 requires it; in files of 2020, e_machine
    /// and e_flags.
    OTHER_TARGET = "other-device" Refuses "File is for another device" "zebin_decoder.cpp, validateTargetDevice";
    /// The driver has a table of product configurations that can run the code of others, in one
    /// direction: code for bmg-g21 loads on lnl-m, but not the reverse. The native code is used.
    COMPATIBLE_DEVICE = "compatible-device" Passes "Code for a compatible device" "platforms.h, compatibilityMapping";
    /// The current driver supports devices from Xe-LP on. Releases up to 24.35 support older ones.
    DEVICE_GONE = "device-not-supported" Refuses "Device no longer supported" "platforms.h (observed)";

    /// On Xe3 the driver compares the L1 cache policy of the code with the device's, write back. If
    /// .ze_info has the key l1_cache_policy, Level Zero compares it. Otherwise, files of version 1.60 or
    /// older (in the notes) must have been compiled with the options of the policy
    /// (`.misc.buildOptions`). If the policies differ, the driver recompiles the intermediate
    /// representation. Without one, Level Zero loads a file with the key, and refuses one without it;
    /// OpenCL loads both, and ignores the key.
    CACHE_POLICY = "cache-policy" Recompiles "L1 cache policy differs from the device's" "module_imp.cpp, createFromNativeBinary; program.cpp, createProgramFromBinary";
    /// OpenCL does not use native code if a kernel accesses buffers or images through bindless
    /// handles: it recompiles the intermediate representation, or refuses a file without one. Level
    /// Zero uses the native code.
    BINDLESS = "bindless-in-opencl" Recompiles "OpenCL does not use bindless code" "program.cpp, createProgramFromBinary";
    /// The device lacks something that the functions of the SPIR-V use, so that the compiler refuses
    /// the module: 64-bit floating-point arithmetic, images, or a required sub-group size. A capability
    /// that no function uses does not matter. Options in the file (`.misc.buildOptions`) can make the
    /// compiler emulate 64-bit arithmetic, or replace the kernels that need it.
    COMPILATION = "spirv-needs" Refuses "SPIR-V uses what the device lacks" "IGC (observed)";
    /// On Xe3P, code of IGC must access buffers by address: an argument with a binding table entry or
    /// a bindless handle makes the build fail, without a message.
    STATEFUL_BUFFER = "stateful-buffer" Refuses "Stateful or bindless buffer on Xe3P" "addressing_mode_helper.cpp, containsBufferStatefulAccess";

    /// The driver has its own line-based YAML parser. It does not support braces, not even empty
    /// ones. Braces in quotes and comments are fine.
    YAML_BRACE = "yaml-brace" Refuses "Brace in .ze_info" "yaml_parser.cpp, tokenize";
    /// Outside of quotes and comments a value must start with a letter, a digit, a sign, or `_`.
    /// Anchors, tags, block scalars, `//`, numbers followed by letters, and non-ASCII characters
    /// are refused.
    YAML_CHARACTER = "yaml-character" Refuses "Unexpected character in .ze_info" "yaml_parser.cpp, tokenize";
    /// A flow sequence (in brackets) must have items of letters and digits, separated by single
    /// commas; a trailing comma is allowed. Signs, dots, quotes, nested sequences, line breaks, and
    /// anything after the bracket, even a comment, are refused.
    YAML_INLINE_LIST = "yaml-inline-list" Refuses "Malformed flow sequence" "yaml_parser.cpp, isValidInlineCollectionFormat";
    /// Quoted text ends at the next quote of the same kind that has no backslash before it, on any
    /// line. Two single quotes are not an escape.
    YAML_OPEN_QUOTE = "yaml-open-quote" Refuses "Unclosed quote in .ze_info" "yaml_parser.cpp, tokenize";
    /// A line must start with a word, a dash, a comment, `---` or `...`. A quoted key, a number or
    /// a colon is refused.
    YAML_LINE_START = "yaml-line-start" Refuses "Line starts with neither a key nor a dash" "yaml_parser.cpp, tokenizeEndLine";
    /// A line must have the indentation of one of the enclosing levels.
    YAML_INDENTATION = "yaml-indentation" Refuses "Indentation matches no enclosing level" "yaml_parser.cpp, buildTree";
    /// If the first key is indented, a line with less indentation has no parent.
    YAML_OUTDENT = "yaml-first-line-indented" Crashes "Line is indented less than the first one" "yaml_parser.cpp, buildTree (observed)";
    /// payload_arguments and other tables must not be empty, nor `[]`, if another key follows at
    /// the same indentation. The last table of its mapping may be empty, and so may kernels.
    YAML_EMPTY_TABLE = "yaml-empty-table" Refuses "Empty table followed by a key" "yaml_parser.cpp, isEmptyVector";
    /// The driver does not expect a line that is a single word.
    YAML_KEY_WITHOUT_COLON = "yaml-key-without-colon" Crashes "Key without a colon" "yaml_parser.cpp, buildTree";
    /// A line with a dash that has nested lines must have a key and a value. If the value is empty,
    /// the driver aborts.
    YAML_DASH_LINE = "yaml-dash-line" Crashes "Line with a dash has no value" "yaml_parser.cpp, finalizeNode";
    /// The last line starts with a dash and has no line break.
    YAML_OPEN_DASH_LINE = "yaml-open-dash-line" Crashes "Line with a dash has no line break" "yaml_parser.cpp, finalizeNode";
    /// A flow sequence (in brackets) must be the whole value, and its items must be numbers or
    /// words.
    YAML_LIST_LINE = "yaml-list-line" Crashes "Text before a flow sequence" "yaml_parser.cpp, buildTree";
    /// The driver estimates the number of nodes from the lines it has read, and aborts if the
    /// estimate is too low. A real file of IGC 1.0.12504 fails because of this.
    YAML_TOO_MANY_NODES = "yaml-node-list" Crashes "Too many nodes for the driver's estimate" "yaml_parser.cpp, addNode";
    /// A tab counts as 4 columns.
    YAML_TAB = "yaml-tab" Warns "Tab in the indentation" "yaml_parser.cpp, tokenize";
    /// The last line should end with a line break.
    YAML_OPEN_END = "yaml-open-end" Warns "Missing line break at the end" "yaml_parser.cpp, tokenize";
    /// The text has no keys. The driver continues without kernels, and fails to link if something
    /// refers to them. It ignores everything after the first `kernels_misc_info`, even in a
    /// comment.
    ZE_INFO_EMPTY = "ze-info-empty" Warns "Empty .ze_info" "zeinfo_decoder.cpp, decodeZeInfo";

    /// The driver has a list of section types. Any other type makes it refuse the file.
    SECTION_TYPE = "section-type" Refuses "Unknown section type" "zebin_decoder.cpp, extractZebinSections";
    /// PROGBITS sections must be named `.text`, `.text.*`, `.data.const` (also spelled
    /// `.data.global_const`), `.data.global`, `.data.const.string` or `.debug_*`. Any other name
    /// makes the driver refuse the file. It recognizes most other sections by their type.
    PROGBITS_NAME = "progbits-name" Refuses "Unknown PROGBITS section name" "zebin_decoder.cpp, extractZebinSections";
    /// Sections of type NOTE, NOBITS, MISC and GTPIN_INFO with unknown names are ignored. (The
    /// driver also reports `.note.intelgt.metrics`, which the compiler writes to every file; zeview
    /// does not.)
    SECTION_IGNORED = "section-ignored" Warns "Section is ignored because of its name" "zebin_decoder.cpp, extractZebinSections";
    /// `.data.global_const` is read as `.data.const`.
    MISSPELLED = "misspelled-section-name" Warns "Misspelled section name" "zebin_decoder.cpp, extractZebinSections";
    /// Most sections may exist only once. Exempt are `.text.*` (the first of a name is used),
    /// string tables, relocations, debug data, GTPin data, vISA texts, build options, and an empty
    /// `.text`.
    DUPLICATE_SECTION = "duplicate-section" Refuses "Duplicate section" "zebin_decoder.cpp, validateZebinSectionsCount";
    /// The file has no `.ze_info` section. The driver continues without kernels, and fails to link
    /// if something refers to them.
    NO_ZE_INFO = "no-ze-info" Warns "No .ze_info section" "zebin_decoder.cpp, decodeZebin";

    /// The version must have at least one character on each side of a dot, and major version 1. The
    /// driver ignores what follows the digits.
    VERSION = "version" Refuses "Invalid version" "zeinfo_decoder.cpp, populateZeInfoVersion and validateZeInfoVersion";
    /// The driver continues, and uses the keys that it knows.
    NEWER_VERSION = "newer-version" Warns "Version is newer than the driver's" "zeinfo_decoder.cpp, validateZeInfoVersion";
    /// The driver assumes its own version. It searches only before the first `kernels_misc_info`.
    NO_VERSION = "no-version" Warns "Missing version" "zeinfo_decoder.cpp, decodeZeInfoVersion";
    /// A single unknown key makes the driver refuse the file, unless the debug key
    /// IgnoreZebinUnknownAttributes is set. The driver does not know all keys of the specification,
    /// and the compiler writes some of those. Keys in and after kernels_misc_info are not checked,
    /// nor those of experimental_properties as the compiler writes them. List items at the
    /// indentation of their key, which YAML allows, count as entries without a key.
    UNKNOWN_KEY = "unknown-key" Refuses "Unknown key" "zeinfo_decoder.cpp, encounterUnknownZeInfoAttribute";
    /// Releases before 24.45 warn about unknown keys, and continue without them.
    UNKNOWN_KEY_IGNORED = "unknown-key-ignored" Warns "Unknown key is ignored" "zeinfo_decoder.cpp";
    /// The tables of a kernel and of the whole text may exist only once. For other duplicate keys,
    /// the driver uses the last value.
    DUPLICATE_KEY = "duplicate-key" Refuses "Duplicate key" "zeinfo_decoder.cpp, validateZeInfoKernelSectionsCount";
    /// Numbers must be decimal or `0x…`, fit into 32 bits, and be unquoted. Booleans must be words,
    /// not numbers. Names in the host access table must be words.
    VALUE_NOT_READ = "value-not-read" Refuses "Invalid value" "zeinfo_decoder.cpp, readZeInfoValueChecked";
    /// Enumerations must have values that the driver knows, unquoted. Values that were removed from
    /// the specification, or that the driver does not know yet, are refused too; image_cube by
    /// mistake.
    UNKNOWN_VALUE = "unknown-value" Refuses "Unknown enumeration value" "zeinfo_decoder.cpp, readEnumChecked";
    /// The driver reads a string value that does not exist.
    EMPTY_TEXT = "empty-text" Crashes "String without a value" "yaml_parser.h, readValueChecked";
    /// Sequences for x, y and z must have three numbers, either in brackets or on more deeply
    /// indented lines below the key.
    LIST_LENGTH = "list-length" Refuses "Sequence does not have three numbers" "zeinfo_decoder.cpp, readZeInfoValueCollectionChecked";
    /// A kernel must have a name and an execution_env.
    KERNEL_INCOMPLETE = "kernel-incomplete" Refuses "Kernel without name or execution_env" "zeinfo_decoder.cpp, validateZeInfoKernelSectionsCount";
    /// The simd_size of kernels and functions must be 1, 8, 16 or 32.
    SIMD_SIZE = "simd-size" Refuses "Invalid simd_size" "zeinfo_decoder.cpp, readZeInfoExecutionEnvironment";
    /// The driver expects only 0 and 1.
    SLM_ALLOC_MODE = "slm-alloc-mode" Crashes "slm_alloc_mode is neither 0 nor 1" "zeinfo_decoder.cpp (observed)";
    /// A per-thread argument must be local_id or packed_local_ids, at offset 0, with the ids of one
    /// to three dimensions. The local_id of a dimension fills whole registers: 2 bytes for each of
    /// 16 lanes (32 with SIMD32), rounded up to the register size of the device: 32 bytes up to
    /// Xe-HPG, 64 on Ponte Vecchio and from Xe2 on. The remainder of the division is ignored.
    /// (`ocloc validate` always assumes 32 bytes and reports many valid files as invalid.)
    PER_THREAD = "per-thread-argument" Refuses "Invalid per-thread argument" "zeinfo_decoder.cpp, populateKernelPerThreadPayloadArgument";
    /// The driver ignores per-thread arguments of size 0.
    PER_THREAD_SKIPPED = "per-thread-argument-of-size-0" Warns "Per-thread argument of size 0 is ignored" "zeinfo_decoder.cpp, readZeInfoPerThreadPayloadArguments";
    /// An inline sampler must have an index other than -1, an addrmode and a filtermode.
    INLINE_SAMPLER = "inline-sampler" Refuses "Incomplete inline sampler" "zeinfo_decoder.cpp, populateKernelInlineSampler";
    /// The index of an inline_sampler argument must not exceed the number of samplers. The driver
    /// accepts an index equal to that number.
    SAMPLER_INDEX = "sampler-index" Refuses "Sampler index out of range" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// An entry of payload_arguments has no type, the type of a per-thread argument, or a type that
    /// the driver knows but does not support.
    ARGUMENT_TYPE = "argument-type" Refuses "Invalid payload argument type" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// Arguments that the driver fills in itself must have the size that it writes.
    ARGUMENT_SIZE = "argument-size" Refuses "Invalid payload argument size" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// The driver does not check arg_index. If it is missing or negative, the driver aborts or
    /// writes outside of its list of arguments. If it is huge, the list cannot be allocated.
    ARGUMENT_INDEX = "argument-index" Crashes "Argument index out of range" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// The driver does not check arg_index, and writes to memory before its list of arguments. For
    /// a pointer argument, it was observed to continue.
    ARGUMENT_INDEX_NEGATIVE = "negative-argument-index" Passes "Negative argument index" "zeinfo_decoder.cpp, populateKernelPayloadArgument (observed)";
    /// All entries with the same arg_index must have the same kind: buffer, image, sampler or
    /// value.
    ARGUMENT_KIND = "argument-kind" Crashes "Argument of two kinds" "kernel_arg_descriptor.h, as";
    /// If an argument by value has several elements, all but the first must have a source_offset.
    SOURCE_OFFSET = "source-offset" Refuses "Element without source_offset" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// An argument by pointer must have an addrmode; images and samplers must not be stateless.
    ADDRESS_MODE = "address-mode" Refuses "Missing or invalid addrmode" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// The buffers of a kernel must be either all bindless or all stateful, and so must the images.
    /// If any is bindless, the binding table must be empty at that point: const_base, global_base
    /// and debug_env add entries; binding_table_indices comes later and is not checked. IGC writes
    /// such files with -cl-intel-use-bindless-buffers.
    MIXED_ADDRESSING = "mixed-addressing" Refuses "Bindless and stateful access in one kernel" "zeinfo_decoder.cpp, decodeZeInfoKernelPayloadArguments";
    /// The size of a memory buffer must be above 0 and fit into 31 bits, and into 32 bits for all
    /// lanes. The buffer must be global with usage private_space, or scratch in slot 0 or 1, one
    /// buffer per slot.
    MEMORY_BUFFER = "memory-buffer" Refuses "Invalid memory buffer" "zeinfo_decoder.cpp, populateKernelPerThreadMemoryBuffer";
    /// The driver uses the slot as an index without checking its sign.
    NEGATIVE_SLOT = "negative-slot" Passes "Negative scratch slot" "zeinfo_decoder.cpp, populateKernelPerThreadMemoryBuffer";
    /// Only arguments that are buffers or images can have binding table entries.
    BINDING_TABLE = "binding-table-argument" Refuses "Binding table entry for an argument that is not a buffer or image" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies";
    /// The driver does not check arg_index, and the index is far outside of the list of arguments.
    BINDING_TABLE_INDEX = "binding-table-index" Crashes "Binding table entry with argument index out of range" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies (observed)";
    /// Every kernel must have non-empty code in a PROGBITS section `.text.<name>`.
    KERNEL_WITHOUT_TEXT = "kernel-without-code" Refuses "Kernel without code" "zebin_decoder.cpp, decodeZebin";

    /// The driver crashes if it does not find a required library.
    LIBRARIES = "required-libraries" Crashes "Required device libraries" "module_imp.cpp (observed)";
    /// No kernel may use more shared local memory than the device has per work-group. The driver
    /// compares the numbers as unsigned.
    SLM_SIZE = "slm-size" Refuses "Shared local memory exceeds the device limit" "module_imp.cpp, processUnpackedBinary";
    /// The size or alignment exceeds the limits of every device.
    ALLOCATION = "allocation" Crashes "Buffer cannot be allocated" "program_initialization.cpp, allocateGlobalsSurface (observed)";
    /// A kernel uses the base address of constants or global variables, but the file has no such
    /// section.
    NO_BUFFER = "no-data-section" Crashes "Base address without data section" "kernel_imp.cpp, KernelImmutableData::initialize";
    /// The driver writes addresses of 4 or 8 bytes: those of constants and global variables at load
    /// time, printf_buffer and private_base_stateless when it creates the kernel.
    POINTER_SIZE = "pointer-size" Crashes "Pointer size is neither 4 nor 8" "kernel_arg_descriptor.h, patchPointer";
    /// A relocation or symbol belongs to a section `.text.<kernel>`, but .ze_info has no such
    /// kernel; or global functions are in more than one section.
    LINK_KERNEL = "link-no-such-kernel" LinkFails "Linked code belongs to no kernel" "linker.cpp, addRelocation and addSymbol";
    /// Symbols must lie within the memory of their section.
    LINK_SYMBOL = "link-symbol-out-of-bounds" LinkFails "Symbol outside of its section" "linker.cpp, relocateSymbols";
    /// Relocations must patch bytes within the code of their kernel, or within the buffer of
    /// constants or global variables. (Relocations of implicit arguments are not checked.)
    LINK_OFFSET = "link-relocation-out-of-bounds" LinkFails "Relocation outside of its section" "linker.cpp, patchInstructionsSegments and patchDataSegments";
    /// The file uses a symbol that it does not define. Other modules can: no kernel of this one
    /// can be created before it is linked with them.
    LINK_UNDEFINED = "link-undefined-symbol" NeedsLinking "Undefined symbol" "module_imp.cpp, ModuleImp::performDynamicLink";
    /// The file has the symbol of the relocation, but it is not a function or object in a loaded
    /// section. The driver patches nothing.
    LINK_NO_ADDRESS = "link-symbol-without-address" Passes "Relocation against a symbol without an address" "linker.cpp (observed)";
    /// The driver cannot apply relocations of this type to the address of a symbol.
    RELOCATION_TYPE = "relocation-type" Crashes "Unknown relocation type" "linker.cpp, patchAddress";
    /// If .ze_info lists functions, it must list all functions that are called.
    LINK_FUNCTION = "link-unlisted-function" LinkFails "Called function is not listed in functions" "external_functions.cpp, resolveExternalDependencies";
    /// Each entry of the host access table must name a global variable.
    HOST_ACCESS = "host-access-name" LinkFails "Undefined variable in the host access table" "module_imp.cpp, populateHostGlobalSymbolsMap";
    /// The driver silently ignores relocations whose sh_info is not the index of a loaded section.
    RELOCATION_DROPPED = "relocation-without-target" Passes "Relocation is ignored" "linker.cpp, addRelocation";

    /// The driver reads kernels_misc_info when a program queries the names and types of arguments.
    /// Any error in it makes the query fail for all kernels.
    MISC_INFO = "misc-info" Passes "Argument names and types unavailable" "zeinfo_decoder.cpp, decodeAndPopulateKernelMiscInfo";
    /// An index past the last argument throws an uncaught exception when a program queries the
    /// names and types of arguments.
    MISC_INFO_INDEX = "misc-info-index" Crashes "Argument index out of range in kernels_misc_info" "zeinfo_decoder.cpp, populateKernelMiscInfo (observed)";
}
