//! The rules of the verdict: what the driver meets, and what it does about it. The file and
//! function named with a rule are where to find the behaviour; all of it was observed with
//! release 26.27, whose source may differ in detail.

use crate::decode::rule::{Origin, Rule};
use crate::model::{Effect, Severity};

const fn severity(effect: Effect) -> Severity {
    match effect {
        Effect::Passes | Effect::NotJudged => Severity::Info,
        _ => Severity::Warning,
    }
}

/// Without a place in the driver it is this viewer's.
const fn origin(place: &'static str) -> Origin {
    match place.is_empty() {
        true => Origin::Viewer,
        false => Origin::Runtime(place),
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
            };
        )*
        /// All of them, in the driver's order.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    /// The verdict is limited in its work, so that no file can make it take long: names, tables
    /// and texts of an unusual size, or tables that lie over each other, end it. What the driver
    /// does with the file is not known then.
    NOT_JUDGED = "not-judged" NotJudged "The verdict was not finished" "";

    /// The driver recognises a zebin by an ELF header of the 32-bit or 64-bit class, complete,
    /// with e_type 1 or 0xff12. It checks no other field of the header for this: not the byte
    /// order, the versions, or e_machine.
    NOT_A_ZEBIN = "not-a-zebin" Refuses "The driver does not recognise the file" "zebin_decoder.cpp, isZebin";
    /// The tables of program and section headers must end within the file; e_phoff is checked
    /// even if there are no program headers. The entry sizes are not checked: a wrong one makes
    /// the driver read the headers at the wrong offsets.
    TABLE_OUT_OF_BOUNDS = "header-table-out-of-bounds" Refuses "A header table ends behind the file" "elf_decoder.cpp, decodeElf";
    /// The bytes of every section and segment must end within the file, those of section 0 and
    /// of inactive sections too. Only NOBITS sections are exempt.
    DATA_OUT_OF_BOUNDS = "data-out-of-bounds" Refuses "A section or segment ends behind the file" "elf_decoder.cpp, decodeElf";
    /// Offset and size are added without a check for overflow, so such a section passes as
    /// being in the file. It does no harm as long as the driver does not read it.
    OVERFLOW = "offset-overflow" Passes "Offset and size overflow" "elf_decoder.cpp, decodeElf";
    /// Offset and size overflow, which the driver does not notice, and now it reads memory
    /// outside of the file.
    OVERFLOW_READ = "reads-outside-of-file" Crashes "The driver reads memory outside of the file" "elf_decoder.cpp, decodeElf (observed)";
    /// Offset and size overflow, which the driver does not notice, and the text starts in the
    /// memory before the file. That is hardly ever readable as a text.
    OVERFLOW_TEXT = "text-outside-of-file" Refuses "The text starts before the file" "elf_decoder.cpp, decodeElf (observed)";
    /// In symbol tables and relocation sections sh_entsize must be the exact size of an entry.
    /// In other sections it is not checked.
    ENTRY_SIZE = "entry-size" Refuses "sh_entsize is not the size of an entry" "elf_decoder.cpp, decodeSymTab and decodeRelocations";
    /// The driver looks up the symbols of relocations in an empty list. IGC writes such files
    /// with its internal option -emit-visa-only.
    NO_SYMBOL_TABLE = "relocations-without-symbols" Crashes "Relocations without a symbol table" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The symbol index is used without a check. The result varies: a crash, a failure to link,
    /// or nothing.
    RELOCATION_SYMBOL = "relocation-symbol" Crashes "A relocation of a symbol that does not exist" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The symbol index is used without a check. Relocations of debug sections are not applied
    /// when the file is loaded, so it does no harm if it is close to the end of the table.
    DEBUG_RELOCATION_SYMBOL = "debug-relocation-symbol" Passes "A debug relocation of a symbol that does not exist" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The names of symbols that are global or used by a relocation are read without a check.
    /// Shortly behind the string table the driver finds an empty name, far behind it no memory.
    SYMBOL_NAME = "symbol-name" Crashes "A symbol name outside of the string table" "elf_decoder.h, getSymbolName (observed)";
    /// Names are read without a check. Shortly behind the string table the driver finds an empty
    /// name, far behind it no memory.
    SECTION_NAME = "section-name" Crashes "A section name outside of the string table" "elf_decoder.h, getSectionName (observed)";
    /// e_shstrndx is used before it is checked. The section that it names must have bytes.
    NAME_TABLE_INDEX = "section-name-table" Crashes "Names are needed, but e_shstrndx names no string table" "elf_decoder.cpp, decodeRelocations (observed)";
    /// e_shstrndx must be the index of a section.
    NAME_TABLE_INDEX_REFUSED = "no-section-names" Refuses "e_shstrndx is not the index of a section" "zebin_decoder.cpp, extractZebinSections";

    /// The notes are read only as a whole: one that ends behind the section, or a few stray bytes
    /// after the last one, make all of them useless, and the file with them.
    NOTE_OUT_OF_BOUNDS = "note-out-of-bounds" Refuses "A note ends behind its section" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// The owner of a note must be IntelGT, with one NUL. Other notes are ignored.
    NOTE_OWNER = "note-owner" Warns "A note of another owner is ignored" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// For its message about the owner the driver removes the NUL from the name, and corrupts
    /// memory if there is none.
    NOTE_OWNER_OPEN = "note-owner-without-nul" Crashes "The owner of a note does not end with a NUL" "zebin_decoder.cpp, decodeIntelGTNoteSection (observed)";
    /// The driver reads the description of a note even if it is empty, but for type 5 and types
    /// that it does not know.
    NOTE_EMPTY = "note-without-description" Crashes "A note without a description" "zebin_decoder.cpp, validateTargetDevice (observed)";
    /// The type is not one of the eight that the driver knows. The note is ignored.
    NOTE_TYPE = "note-type" Warns "Unknown note type" "zebin_decoder.cpp, validateTargetDevice";
    /// The version must end with a NUL; otherwise the note is ignored.
    NOTE_VERSION_OPEN = "note-version-without-nul" Warns "The version in the notes does not end with a NUL" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// The version in the notes must have a dot with something on both sides, and major version
    /// 1. Otherwise the file counts as one for another device.
    NOTE_VERSION = "note-version" Refuses "The driver cannot use the version in the notes" "zeinfo_decoder.cpp, populateZeInfoVersion";
    /// Nothing in the file says which device it is for: note 6 is missing or 0, and so are notes
    /// 1 and 2.
    NO_TARGET = "no-target" Refuses "The file does not say which device it is for" "zebin_decoder.cpp, validateTargetDevice";
    /// If note 6 is there and not 0 it decides alone: the product configurations must be equal,
    /// revision included. Otherwise each of notes 1 and 2 must match, and the stepping if note 3
    /// demands it. In files of 2020 e_machine and e_flags say the same. Compatible configurations
    /// are accepted only with the debug key EnableCompatibilityMode.
    OTHER_TARGET = "other-device" Refuses "The file is for another device" "zebin_decoder.cpp, validateTargetDevice";
    /// Today's driver supports devices from Xe-LP on. Releases up to 24.35 support older ones.
    DEVICE_GONE = "device-not-supported" Refuses "The driver no longer supports this device" "platforms.h (observed)";

    /// The driver reads YAML line by line in its own way. It knows no braces, not even empty
    /// ones; in quotes and comments they are fine.
    YAML_BRACE = "yaml-brace" Refuses "A brace in .ze_info" "yaml_parser.cpp, tokenize";
    /// Outside of quotes and comments a value starts with a letter, a digit, a sign, or `_`.
    /// Anchors, tags, block scalars, `//`, numbers followed by letters, and characters that are
    /// not ASCII are refused.
    YAML_CHARACTER = "yaml-character" Refuses "An unexpected character in .ze_info" "yaml_parser.cpp, tokenize";
    /// A list in brackets has items of letters and digits with single commas between them; a
    /// comma may end it. Signs, dots, quotes, nested lists, line breaks, and anything after the
    /// bracket, even a comment, are refused.
    YAML_INLINE_LIST = "yaml-inline-list" Refuses "A malformed list in brackets" "yaml_parser.cpp, isValidInlineCollectionFormat";
    /// Text in quotes ends at the next quote of the same kind without a backslash before it, on
    /// whatever line; two single quotes are not an escape.
    YAML_OPEN_QUOTE = "yaml-open-quote" Refuses "A quote in .ze_info is not closed" "yaml_parser.cpp, tokenize";
    /// A line starts with a word, a dash, a comment, `---` or `...`. A key in quotes, a number
    /// or a colon is refused.
    YAML_LINE_START = "yaml-line-start" Refuses "A line starts with neither a key nor a dash" "yaml_parser.cpp, tokenizeEndLine";
    /// A line must have the indentation of one of the lines that it can belong to.
    YAML_INDENTATION = "yaml-indentation" Refuses "The indentation matches no line before" "yaml_parser.cpp, buildTree";
    /// If the first key is indented, a line that is not indented belongs nowhere.
    YAML_OUTDENT = "yaml-first-line-indented" Crashes "A line is indented less than the first one" "yaml_parser.cpp, buildTree (observed)";
    /// payload_arguments and other tables must not be empty, nor `[]`, if another key follows at
    /// the same indentation. The last table of its mapping may be empty, and so may kernels.
    YAML_EMPTY_TABLE = "yaml-empty-table" Refuses "An empty table with a key after it" "yaml_parser.cpp, isEmptyVector";
    /// A line that is only a word is not expected.
    YAML_KEY_WITHOUT_COLON = "yaml-key-without-colon" Crashes "A key without a colon" "yaml_parser.cpp, buildTree";
    /// The line of a dash that has lines below it must have a key and a value: an empty value
    /// makes the driver abort.
    YAML_DASH_LINE = "yaml-dash-line" Crashes "The line of a dash has no value" "yaml_parser.cpp, finalizeNode";
    /// The line of a dash is the last one, and has no line break.
    YAML_OPEN_DASH_LINE = "yaml-open-dash-line" Crashes "The line of a dash has no line break" "yaml_parser.cpp, finalizeNode";
    /// A list in brackets must be all of the value, and its items numbers or words.
    YAML_LIST_LINE = "yaml-list-line" Crashes "A list in brackets with something before it" "yaml_parser.cpp, buildTree";
    /// The driver estimates the number of nodes from the lines that it has read, and aborts if
    /// the estimate is too low. A real file of IGC 1.0.12504 fails on this.
    YAML_TOO_MANY_NODES = "yaml-node-list" Crashes "The driver's list of nodes is too short for this text" "yaml_parser.cpp, addNode";
    /// A tab counts as 4 columns.
    YAML_TAB = "yaml-tab" Warns "A tab as indentation" "yaml_parser.cpp, tokenize";
    /// The last line should end with a line break.
    YAML_OPEN_END = "yaml-open-end" Warns "The text does not end with a line break" "yaml_parser.cpp, tokenize";
    /// There are no keys in the text. The driver goes on without kernels, and fails to link if
    /// something refers to them. Everything after the first `kernels_misc_info`, even in a
    /// comment, counts as not there.
    ZE_INFO_EMPTY = "ze-info-empty" Warns ".ze_info is empty" "zeinfo_decoder.cpp, decodeZeInfo";

    /// The driver has a list of section types; any other refuses the whole file.
    SECTION_TYPE = "section-type" Refuses "Unknown section type" "zebin_decoder.cpp, extractZebinSections";
    /// Sections of type PROGBITS are `.text`, `.text.*`, `.data.const` (also spelled
    /// `.data.global_const`), `.data.global`, `.data.const.string` and `.debug_*`; any other
    /// name refuses the whole file. Most other sections are recognised by their type.
    PROGBITS_NAME = "progbits-name" Refuses "Unknown name of a PROGBITS section" "zebin_decoder.cpp, extractZebinSections";
    /// Sections of type NOTE, NOBITS, MISC and GTPIN_INFO with unknown names are ignored. (The
    /// driver says so about `.note.intelgt.metrics` too, which is in every file of the compiler;
    /// that is not repeated here.)
    SECTION_IGNORED = "section-ignored" Warns "A section is ignored because of its name" "zebin_decoder.cpp, extractZebinSections";
    /// `.data.global_const` is read as `.data.const`.
    MISSPELLED = "misspelled-section-name" Warns "A misspelled section name" "zebin_decoder.cpp, extractZebinSections";
    /// Most sections may be there once. Not limited are `.text.*` (the first of a name counts),
    /// string tables, relocations, debug data, GTPin data, vISA texts, build options, and an
    /// empty `.text`.
    DUPLICATE_SECTION = "duplicate-section" Refuses "Duplicate section" "zebin_decoder.cpp, validateZebinSectionsCount";
    /// There is no `.ze_info`. The driver goes on without kernels, and fails to link if something
    /// refers to them.
    NO_ZE_INFO = "no-ze-info" Warns "There is no .ze_info" "zebin_decoder.cpp, decodeZebin";

    /// The version must have a dot with something on both sides, and major version 1. What
    /// follows the digits does not matter.
    VERSION = "version" Refuses "The driver cannot use the version" "zeinfo_decoder.cpp, populateZeInfoVersion and validateZeInfoVersion";
    /// The driver goes on with what it knows.
    NEWER_VERSION = "newer-version" Warns "The version is newer than the driver's" "zeinfo_decoder.cpp, validateZeInfoVersion";
    /// The driver assumes its own version. It looks only before the first `kernels_misc_info`.
    NO_VERSION = "no-version" Warns "There is no version" "zeinfo_decoder.cpp, decodeZeInfoVersion";
    /// One unknown key refuses the whole file, unless the debug key IgnoreZebinUnknownAttributes
    /// is set. The specification has keys that the driver does not know, and the compiler writes
    /// some of them. Not checked are keys after and in kernels_misc_info, and those of
    /// experimental_properties as the compiler writes them. List items at the indentation of
    /// their key, which YAML allows, count as entries without a key.
    UNKNOWN_KEY = "unknown-key" Refuses "Unknown key" "zeinfo_decoder.cpp, encounterUnknownZeInfoAttribute";
    /// The tables of a kernel and of the whole text may be there once. Of other duplicate keys
    /// the last value counts.
    DUPLICATE_KEY = "duplicate-key" Refuses "Duplicate key" "zeinfo_decoder.cpp, validateZeInfoKernelSectionsCount";
    /// Numbers are decimal or `0x…`, within 32 bits, not in quotes; booleans are words, not
    /// numbers; names in the host access table are words.
    VALUE_NOT_READ = "value-not-read" Refuses "The driver cannot read a value" "zeinfo_decoder.cpp, readZeInfoValueChecked";
    /// Enumerations have the values that the driver knows, not in quotes. Values that are no
    /// longer in the specification, or not yet in the driver, are refused too; image_cube by
    /// mistake.
    UNKNOWN_VALUE = "unknown-value" Refuses "Unknown value of an enumeration" "zeinfo_decoder.cpp, readEnumChecked";
    /// The driver reads a text that is not there.
    EMPTY_TEXT = "empty-text" Crashes "A text without a value" "yaml_parser.h, readValueChecked";
    /// Lists for x, y and z have three numbers, in brackets, or below the key with a deeper
    /// indentation.
    LIST_LENGTH = "list-length" Refuses "A list does not have three numbers" "zeinfo_decoder.cpp, readZeInfoValueCollectionChecked";
    /// A kernel must have a name and an execution_env.
    KERNEL_INCOMPLETE = "kernel-incomplete" Refuses "A kernel without a name or execution_env" "zeinfo_decoder.cpp, validateZeInfoKernelSectionsCount";
    /// The simd_size of kernels and functions is 1, 8, 16 or 32.
    SIMD_SIZE = "simd-size" Refuses "Invalid simd_size" "zeinfo_decoder.cpp, readZeInfoExecutionEnvironment";
    /// Only 0 and 1 are expected.
    SLM_ALLOC_MODE = "slm-alloc-mode" Crashes "slm_alloc_mode is neither 0 nor 1" "zeinfo_decoder.cpp (observed)";
    /// A per-thread argument is local_id or packed_local_ids, at offset 0, with the ids of one to
    /// three dimensions. Those of a dimension fill whole registers: 2 bytes for each of 16 lanes
    /// (32 with SIMD32), rounded up to the size of a register of the device: 32 bytes up to
    /// Xe-HPG, 64 on Ponte Vecchio and from Xe2 on. The remainder of the division does not
    /// matter. (`ocloc validate` always assumes 32 bytes and calls many good files invalid.)
    PER_THREAD = "per-thread-argument" Refuses "Invalid per-thread argument" "zeinfo_decoder.cpp, populateKernelPerThreadPayloadArgument";
    /// Per-thread arguments of size 0 are ignored.
    PER_THREAD_SKIPPED = "per-thread-argument-of-size-0" Warns "A per-thread argument of size 0 is ignored" "zeinfo_decoder.cpp, readZeInfoPerThreadPayloadArguments";
    /// An inline sampler has an index other than -1, an addrmode and a filtermode.
    INLINE_SAMPLER = "inline-sampler" Refuses "Incomplete inline sampler" "zeinfo_decoder.cpp, populateKernelInlineSampler";
    /// The index of an inline_sampler argument must not be above the number of samplers. An
    /// index equal to it is not noticed.
    SAMPLER_INDEX = "sampler-index" Refuses "An argument for a sampler that does not exist" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// An entry of payload_arguments has no type, or one of a per-thread argument, or one that is
    /// known only by name.
    ARGUMENT_TYPE = "argument-type" Refuses "Invalid type of a payload argument" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// Arguments that the driver fills in itself must have the size that it writes.
    ARGUMENT_SIZE = "argument-size" Refuses "Invalid size of a payload argument" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// arg_index is used without a check: if it is missing or negative, the driver aborts or
    /// writes outside of its list of arguments; if it is huge, the memory for the list cannot be
    /// allocated.
    ARGUMENT_INDEX = "argument-index" Crashes "An argument index that the driver cannot use" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// arg_index is used without a check: the driver writes to the memory before its list of
    /// arguments. It was observed to go on, for an argument by pointer.
    ARGUMENT_INDEX_NEGATIVE = "negative-argument-index" Passes "Negative argument index" "zeinfo_decoder.cpp, populateKernelPayloadArgument (observed)";
    /// All entries with the same arg_index must agree on the kind of the argument: a buffer, an
    /// image, a sampler, a value.
    ARGUMENT_KIND = "argument-kind" Crashes "An argument of two kinds" "kernel_arg_descriptor.h, as";
    /// If an argument by value has several elements, each but the first needs a source_offset.
    SOURCE_OFFSET = "source-offset" Refuses "An element without source_offset" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// An argument by pointer has an addrmode; images and samplers are not stateless.
    ADDRESS_MODE = "address-mode" Refuses "Missing or invalid addrmode" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// In one kernel buffers are either bindless or stateful, and images too. If anything is
    /// bindless, the binding table must be empty at that point: const_base, global_base and
    /// debug_env make entries, binding_table_indices come later and are not noticed. IGC writes
    /// such files with -cl-intel-use-bindless-buffers.
    MIXED_ADDRESSING = "mixed-addressing" Refuses "Bindless and stateful access in one kernel" "zeinfo_decoder.cpp, decodeZeInfoKernelPayloadArguments";
    /// The size of a memory buffer is above 0 and fits in 31 bits, and in 32 bits for all lanes.
    /// The buffer is global with usage private_space, or scratch in slot 0 or 1, each once.
    MEMORY_BUFFER = "memory-buffer" Refuses "Invalid memory buffer" "zeinfo_decoder.cpp, populateKernelPerThreadMemoryBuffer";
    /// The slot is used as an index without a check of its sign.
    NEGATIVE_SLOT = "negative-slot" Passes "Negative scratch slot" "zeinfo_decoder.cpp, populateKernelPerThreadMemoryBuffer";
    /// Only arguments that are buffers or images have entries in the binding table.
    BINDING_TABLE = "binding-table-argument" Refuses "A binding table entry of an argument that is not a buffer or image" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies";
    /// arg_index is used without a check, and is far from the list of arguments.
    BINDING_TABLE_INDEX = "binding-table-index" Crashes "A binding table entry with an argument index out of range" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies (observed)";
    /// Every kernel needs code that is not empty, in a PROGBITS section `.text.<name>`.
    KERNEL_WITHOUT_TEXT = "kernel-without-code" Refuses "A kernel without code" "zebin_decoder.cpp, decodeZebin";

    /// The driver crashes if it does not find a required library.
    LIBRARIES = "required-libraries" Crashes "Required libraries" "module_imp.cpp (observed)";
    /// No kernel may use more shared local memory than a work-group has on the device. The number
    /// is compared without its sign.
    SLM_SIZE = "slm-size" Refuses "More shared local memory than the device has" "module_imp.cpp, processUnpackedBinary";
    /// The size or alignment is beyond what any device has.
    ALLOCATION = "allocation" Crashes "A buffer that cannot be allocated" "program_initialization.cpp, allocateGlobalsSurface (observed)";
    /// A kernel uses the address of constants or variables, and there are none.
    NO_BUFFER = "no-data-section" Crashes "The address of data that is not there" "kernel_imp.cpp, KernelImmutableData::initialize";
    /// The driver writes addresses of 4 or 8 bytes: those of constants and variables when it
    /// loads the file, printf_buffer and private_base_stateless when it creates the kernel.
    POINTER_SIZE = "pointer-size" Crashes "A pointer of neither 4 nor 8 bytes" "kernel_arg_descriptor.h, patchPointer";
    /// A relocation or symbol belongs to a section `.text.<kernel>`, and .ze_info has no such
    /// kernel; or global functions are in more than one section.
    LINK_KERNEL = "link-no-such-kernel" LinkFails "Code to be linked belongs to no kernel" "linker.cpp, addRelocation and addSymbol";
    /// Symbols must lie in the memory of their section.
    LINK_SYMBOL = "link-symbol-out-of-bounds" LinkFails "A symbol lies outside of its section" "linker.cpp, relocateSymbols";
    /// Relocations must patch bytes of the code of their kernel, or of the buffer of constants or
    /// variables. (Relocations of implicit arguments are not checked.)
    LINK_OFFSET = "link-relocation-out-of-bounds" LinkFails "A relocation patches bytes outside of its section" "linker.cpp, patchInstructionsSegments and patchDataSegments";
    /// The symbol of a relocation has no section, and no symbol of that name is defined.
    LINK_UNDEFINED = "link-undefined-symbol" LinkFails "Undefined symbol" "linker.cpp, patchInstructionsSegments and patchDataSegments";
    /// The symbol of a relocation is in the file, but is not a function or object in a section
    /// that is loaded. Nothing is patched.
    LINK_NO_ADDRESS = "link-symbol-without-address" Passes "A relocation is against a symbol without an address" "linker.cpp (observed)";
    /// The driver cannot apply relocations of this type to the address of a symbol.
    RELOCATION_TYPE = "relocation-type" Crashes "Unknown relocation type" "linker.cpp, patchAddress";
    /// If .ze_info has functions, all functions that are called must be among them.
    LINK_FUNCTION = "link-unlisted-function" LinkFails "A called function is not in the list of functions" "external_functions.cpp, resolveExternalDependencies";
    /// Each entry of the host access table must have the name of a global variable.
    HOST_ACCESS = "host-access-name" LinkFails "Undefined variable in the host access table" "module_imp.cpp, populateHostGlobalSymbolsMap";
    /// Relocations whose sh_info names no section that is loaded are ignored without a message.
    RELOCATION_DROPPED = "relocation-without-target" Passes "A relocation is ignored" "linker.cpp, addRelocation";

    /// kernels_misc_info is read when a program asks for the names and types of arguments. Any
    /// error in it makes the answers useless for all kernels.
    MISC_INFO = "misc-info" Passes "The names and types of arguments are lost" "zeinfo_decoder.cpp, decodeAndPopulateKernelMiscInfo";
    /// An index behind the last argument throws an exception that is not caught, when a program
    /// asks for the names and types of arguments.
    MISC_INFO_INDEX = "misc-info-index" Crashes "Argument index out of range in kernels_misc_info" "zeinfo_decoder.cpp, populateKernelMiscInfo (observed)";
}
