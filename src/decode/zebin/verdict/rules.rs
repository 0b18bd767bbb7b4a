//! What the driver does about what it meets. Where a function is named, the behaviour is to be
//! found there; all of it was observed with release 26.27, whose source may differ in detail.

use crate::decode::rule::{Origin, Rule};
use crate::model::{Effect, Severity};

const fn severity(effect: Effect) -> Severity {
    match effect {
        Effect::Passes => Severity::Info,
        _ => Severity::Warning,
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
                origin: Origin::Runtime($origin),
                docs: concat!($($d),*).trim_ascii(),
            };
        )*
        /// All of them, in the driver's order.
        pub static ALL: &[&Rule] = &[$(&$name),*];
    };
}

rules! {
    /// The driver takes a file for a zebin when it starts with an ELF header of 32 or 64 bits,
    /// is at least as long as that, and e_type is 1 or 0xff12. It looks at no other field of the
    /// header for this: not at the order of bytes, the versions, or e_machine.
    NOT_A_ZEBIN = "not-a-zebin" Refuses "The driver does not recognise the file" "zebin_decoder.cpp, isZebin";
    /// The tables of program and section headers must end within the file, e_phoff also where
    /// there are no program headers. The entry sizes are not checked as such: a wrong one makes
    /// the driver read the headers at the wrong places.
    TABLE_OUT_OF_BOUNDS = "header-table-out-of-bounds" Refuses "A header table reaches past the end of the file" "elf_decoder.cpp, decodeElf";
    /// The bytes of every section and segment must end within the file, those of section 0 and
    /// of inactive ones too; only NOBITS sections are exempt.
    DATA_OUT_OF_BOUNDS = "data-out-of-bounds" Refuses "A section or segment reaches past the end of the file" "elf_decoder.cpp, decodeElf";
    /// Offset and size are added without a look at the carry: such a section passes the check
    /// for the end of the file. Nothing comes of it as long as nobody reads the section.
    OVERFLOW = "offset-overflow" Passes "Offset and size overflow, which the driver does not notice" "elf_decoder.cpp, decodeElf";
    /// An overflow in offset and size has passed the driver's check, and now it reads memory
    /// that is not the file's.
    OVERFLOW_READ = "reads-outside-of-file" Crashes "The driver reads memory outside of the file" "elf_decoder.cpp, decodeElf (observed)";
    /// An overflow in offset and size has passed the driver's check, and the text starts with
    /// what stands in memory before the file. That is hardly ever readable.
    OVERFLOW_TEXT = "text-outside-of-file" Refuses "The text starts before the file" "elf_decoder.cpp, decodeElf (observed)";
    /// The driver demands the exact size of an entry in sh_entsize of symbol tables and
    /// relocations. It does not look at sh_entsize elsewhere.
    ENTRY_SIZE = "entry-size" Refuses "sh_entsize is not the size of an entry" "elf_decoder.cpp, decodeSymTab and decodeRelocations";
    /// Relocations are looked up in an empty list of symbols. IGC writes such files with its
    /// internal option -emit-visa-only.
    NO_SYMBOL_TABLE = "relocations-without-symbols" Crashes "Relocations, and no symbols" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The index is used without a check. What happens is chance: a crash, a failure to link,
    /// or nothing.
    RELOCATION_SYMBOL = "relocation-symbol" Crashes "A relocation names a symbol that does not exist" "elf_decoder.cpp, decodeRelocations (observed)";
    /// The names of symbols that are global or used by a relocation are read without a check.
    /// A little behind the table the driver finds an empty name, far behind it no memory.
    SYMBOL_NAME = "symbol-name" Crashes "A symbol's name is where no memory is" "elf_decoder.h, getSymbolName (observed)";
    /// Names are read without a check. A little behind the table the driver finds an empty
    /// name, far behind it no memory.
    SECTION_NAME = "section-name" Crashes "A section's name is where no memory is" "elf_decoder.h, getSectionName (observed)";
    /// The index of the section with the names is used before it is checked.
    NAME_TABLE_INDEX = "section-name-table" Crashes "e_shstrndx leads nowhere, and names are needed" "elf_decoder.cpp, decodeRelocations (observed)";
    /// e_shstrndx must be the index of a section.
    NAME_TABLE_INDEX_REFUSED = "no-section-names" Refuses "e_shstrndx leads nowhere" "zebin_decoder.cpp, extractZebinSections";

    /// The notes are read only as a whole: one that runs past the end of the section, or a few
    /// stray bytes behind the last one, make all of them useless, and the file with them.
    NOTE_OUT_OF_BOUNDS = "note-out-of-bounds" Refuses "A note reaches past the end of its section" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// Notes must belong to IntelGT, with one NUL. Others are left out.
    NOTE_OWNER = "note-owner" Warns "A note with a foreign owner, or none, is left out" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// For its message about a foreign owner the driver removes the NUL from the name, and
    /// corrupts its memory where there is none.
    NOTE_OWNER_OPEN = "note-owner-without-nul" Crashes "A note's owner has no NUL" "zebin_decoder.cpp, decodeIntelGTNoteSection (observed)";
    /// A note without a description is read all the same. (Types that the driver does not
    /// know, and type 5, are not.)
    NOTE_EMPTY = "note-without-description" Crashes "A note has no description" "zebin_decoder.cpp, validateTargetDevice (observed)";
    /// The type is not one of the eight that the driver knows.
    NOTE_TYPE = "note-type" Warns "A note of an unknown type" "zebin_decoder.cpp, validateTargetDevice";
    /// The version must end with a NUL; otherwise the note is left out.
    NOTE_VERSION_OPEN = "note-version-without-nul" Warns "The version in the notes has no NUL" "zebin_decoder.cpp, decodeIntelGTNoteSection";
    /// The version in the notes must have a dot with something on both sides, and begin with 1.
    /// Otherwise the file counts as one for another device.
    NOTE_VERSION = "note-version" Refuses "The driver cannot use the version in the notes" "zeinfo_decoder.cpp, populateZeInfoVersion";
    /// Nothing in the file says which device it is for: no note 6 other than 0, and neither
    /// note 1 nor 2.
    NO_TARGET = "no-target" Refuses "The file does not say which device it is for" "zebin_decoder.cpp, validateTargetDevice";
    /// Note 6 decides alone where it is there and not 0: the configuration must be equal, with
    /// revision. Otherwise each of the notes 1 and 2 must fit, and the stepping, if note 3
    /// demands one. In files of 2020 e_machine and e_flags say the same. Configurations that
    /// are compatible count only with the debug key EnableCompatibilityMode.
    OTHER_TARGET = "other-device" Refuses "The file is for another device" "zebin_decoder.cpp, validateTargetDevice";
    /// Today's driver has left the device behind: it starts with Xe-LP. Releases up to 24.35
    /// know the older ones.
    DEVICE_GONE = "device-not-supported" Refuses "The driver does not know this device any more" "platforms.h (observed)";

    /// The driver reads YAML line by line in a way of its own. Braces stand for nothing that it
    /// knows, empty ones too; in quotes and comments they are fine.
    YAML_BRACE = "yaml-brace" Refuses "A brace in .ze_info" "yaml_parser.cpp, tokenize";
    /// Outside of quotes and comments a value starts with a letter, a digit, a sign, or `_`.
    /// Anchors, tags, block texts, `//`, a number that goes on with letters, and what is not
    /// ASCII are refused.
    YAML_CHARACTER = "yaml-character" Refuses "A character in .ze_info that the driver does not take" "yaml_parser.cpp, tokenize";
    /// A list in brackets has letters and digits with single commas between them; a comma may
    /// end it. Signs, dots, quotes, lists in lists, line breaks, and anything behind the
    /// bracket, a comment too, are refused.
    YAML_INLINE_LIST = "yaml-inline-list" Refuses "A list in brackets that the driver does not take" "yaml_parser.cpp, isValidInlineCollectionFormat";
    /// Text in quotes ends at the next quote of the kind that has no backslash before it, on
    /// whatever line; two single quotes are not one.
    YAML_OPEN_QUOTE = "yaml-open-quote" Refuses "A quote in .ze_info is not closed" "yaml_parser.cpp, tokenize";
    /// A line starts with a word, a dash, a comment, `---` or `...`. A key in quotes, a number
    /// or a colon is refused.
    YAML_LINE_START = "yaml-line-start" Refuses "A line of .ze_info starts with neither key nor dash" "yaml_parser.cpp, tokenizeEndLine";
    /// A line must be indented as one of those that it can belong to.
    YAML_INDENTATION = "yaml-indentation" Refuses "A line is indented as none before it" "yaml_parser.cpp, buildTree";
    /// Where the first key is indented, a line that is not has no place.
    YAML_OUTDENT = "yaml-first-line-indented" Crashes "A line is indented less than the first one" "yaml_parser.cpp, buildTree (observed)";
    /// payload_arguments and other tables must not be empty, nor `[]`, where another key
    /// follows at the same indentation. As the last key of its mapping an empty one is fine;
    /// kernels may always be empty.
    YAML_EMPTY_TABLE = "yaml-empty-table" Refuses "An empty table, and a key behind it" "yaml_parser.cpp, isEmptyVector";
    /// A line that is only a word is not expected.
    YAML_KEY_WITHOUT_COLON = "yaml-key-without-colon" Crashes "A key without a colon" "yaml_parser.cpp, buildTree";
    /// The line of a dash, with lines below it that belong to it, must have a key and a value:
    /// a value that is empty makes the driver abort.
    YAML_DASH_LINE = "yaml-dash-line" Crashes "The line of a dash has no value" "yaml_parser.cpp, finalizeNode";
    /// The line of a dash is the last one, and does not end.
    YAML_OPEN_DASH_LINE = "yaml-open-dash-line" Crashes "The line of a dash does not end" "yaml_parser.cpp, finalizeNode";
    /// A list in brackets must be all of the value, and its items numbers or words.
    YAML_LIST_LINE = "yaml-list-line" Crashes "A list in brackets with something before it" "yaml_parser.cpp, buildTree";
    /// The driver guesses from the lines that it has done how many nodes there will be, and
    /// aborts when it has guessed too low. A real file of IGC 1.0.12504 is among the victims.
    YAML_TOO_MANY_NODES = "yaml-node-list" Crashes "The driver's list of nodes is too short for this text" "yaml_parser.cpp, addNode";
    /// A tab counts as 4 columns.
    YAML_TAB = "yaml-tab" Warns "A tab as indentation" "yaml_parser.cpp, tokenize";
    /// The last line should end with a line break.
    YAML_OPEN_END = "yaml-open-end" Warns "The text does not end with a line break" "yaml_parser.cpp, tokenize";
    /// No key at all is left of the text: the driver goes on without kernels, and fails to link
    /// if something refers to them. Everything behind the first `kernels_misc_info`, be it in
    /// a comment, counts as not there.
    ZE_INFO_EMPTY = "ze-info-empty" Warns "The driver finds nothing in .ze_info" "zeinfo_decoder.cpp, decodeZeInfo";
    /// Larger than what is read here; the rest of the file is judged as if it were fine.
    NOT_JUDGED = "not-judged" Passes ".ze_info is too large to be judged" "zeinfo_decoder.cpp";

    /// The driver has a list of section types; any other refuses the whole file.
    SECTION_TYPE = "section-type" Refuses "A section type that the driver does not know" "zebin_decoder.cpp, extractZebinSections";
    /// Sections of type PROGBITS are `.text`, `.text.*`, `.data.const` (also spelled
    /// `.data.global_const`), `.data.global`, `.data.const.string` and `.debug_*`; any other
    /// name refuses the whole file. Sections of other types are told by their type.
    PROGBITS_NAME = "progbits-name" Refuses "A PROGBITS section with a name that the driver does not know" "zebin_decoder.cpp, extractZebinSections";
    /// Sections of type NOTE, NOBITS, MISC and GTPIN_INFO with other names than the known ones
    /// are left out. (For `.note.intelgt.metrics`, which is in every file of the compiler, the
    /// driver says so too; that is not repeated here.)
    SECTION_IGNORED = "section-left-out" Warns "A section is left out because of its name" "zebin_decoder.cpp, extractZebinSections";
    /// `.data.global_const` is taken as `.data.const`.
    MISSPELLED = "misspelled-section-name" Warns "A misspelled section name" "zebin_decoder.cpp, extractZebinSections";
    /// Most sections may be there once. More often may be: `.text.*` (the first one of a name
    /// counts), string tables, relocations, debug data, GTPin data, vISA texts, build options,
    /// an empty `.text`.
    SECTION_AGAIN = "section-again" Refuses "A section that may be there only once is there again" "zebin_decoder.cpp, validateZebinSectionsCount";
    /// There is no `.ze_info`: the driver goes on without kernels, and fails to link if something
    /// refers to them.
    NO_ZE_INFO = "no-ze-info" Warns "There is no .ze_info" "zebin_decoder.cpp, decodeZebin";

    /// The version must have a dot with something on both sides, and begin with 1. What follows
    /// the digits does not matter.
    VERSION = "version" Refuses "The driver cannot use the version" "zeinfo_decoder.cpp, populateZeInfoVersion and validateZeInfoVersion";
    /// The driver goes on with what it knows.
    NEWER_VERSION = "newer-version" Warns "A newer version than the driver's" "zeinfo_decoder.cpp, validateZeInfoVersion";
    /// The driver takes its own version. It looks only before the first `kernels_misc_info`.
    NO_VERSION = "no-version" Warns "There is no version" "zeinfo_decoder.cpp, decodeZeInfoVersion";
    /// One key that the driver does not know refuses the whole file, unless the debug key
    /// IgnoreZebinUnknownAttributes is set. The specification has keys that it does not know,
    /// and the compiler writes some of them. Not looked at: keys behind kernels_misc_info and
    /// in it, and those of experimental_properties as the compiler writes them. Items at the
    /// indentation of their key, legal in YAML, count as entries without a key.
    UNKNOWN_KEY = "unknown-key" Refuses "A key that the driver does not know" "zeinfo_decoder.cpp, encounterUnknownZeInfoAttribute";
    /// Tables of a kernel and of the whole text may be there once. (Of other keys the last value
    /// counts.)
    KEY_AGAIN = "key-again" Refuses "A key that may be there only once is there again" "zeinfo_decoder.cpp, validateZeInfoKernelSectionsCount";
    /// Numbers are decimal or `0x…`, within 32 bits, not in quotes; yes and no are words, not
    /// numbers; names in the host access table are words.
    VALUE_NOT_READ = "value-not-read" Refuses "A value that the driver cannot read" "zeinfo_decoder.cpp, readZeInfoValueChecked";
    /// The driver knows the words by heart; in quotes it knows none. Words that are no longer in
    /// the specification, or not yet in the driver, are refused too; image_cube by mistake.
    UNKNOWN_VALUE = "unknown-value" Refuses "A word that the driver does not know" "zeinfo_decoder.cpp, readEnumChecked";
    /// The driver reads a text where there is none.
    EMPTY_TEXT = "empty-text" Crashes "A text without a value" "yaml_parser.h, readValueChecked";
    /// Lists for x, y and z have three numbers, in brackets, or below the key and indented deeper
    /// than it.
    LIST_LENGTH = "list-length" Refuses "A list without three numbers" "zeinfo_decoder.cpp, readZeInfoValueCollectionChecked";
    /// A kernel needs a name and an execution_env.
    KERNEL_INCOMPLETE = "kernel-incomplete" Refuses "A kernel without name or execution_env" "zeinfo_decoder.cpp, validateZeInfoKernelSectionsCount";
    /// The simd_size of kernels and functions is 1, 8, 16 or 32.
    SIMD_SIZE = "simd-size" Refuses "A simd_size that the driver does not take" "zeinfo_decoder.cpp, readZeInfoExecutionEnvironment";
    /// Only 0 and 1 are expected.
    SLM_ALLOC_MODE = "slm-alloc-mode" Crashes "An slm_alloc_mode other than 0 and 1" "zeinfo_decoder.cpp (observed)";
    /// A per-thread argument is local_id or packed_local_ids, at offset 0, with the ids of one to
    /// three dimensions. Those of a dimension fill whole registers: 2 bytes for each of 16 lanes
    /// (32 with SIMD32), rounded up to the size of a register of the device: 32 bytes up to
    /// Xe-HPG, 64 on Ponte Vecchio and from Xe2 on. What is left over in the division does not
    /// matter. (`ocloc validate` always takes 32 bytes and calls many good files invalid.)
    PER_THREAD = "per-thread-argument" Refuses "A per-thread argument that the driver does not take" "zeinfo_decoder.cpp, populateKernelPerThreadPayloadArgument";
    /// Arguments of size 0 are left out.
    PER_THREAD_SKIPPED = "per-thread-argument-of-size-0" Warns "A per-thread argument of size 0" "zeinfo_decoder.cpp, readZeInfoPerThreadPayloadArguments";
    /// An inline sampler has an index other than -1, an addrmode and a filtermode.
    INLINE_SAMPLER = "inline-sampler" Refuses "An inline sampler is incomplete" "zeinfo_decoder.cpp, populateKernelInlineSampler";
    /// The index of an inline_sampler argument must not be above the number of samplers; equal
    /// is not noticed.
    SAMPLER_INDEX = "sampler-index" Refuses "An argument for a sampler that is not there" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// An entry of payload_arguments without a type, or with one that belongs to threads or is
    /// known only by name.
    ARGUMENT_TYPE = "argument-type" Refuses "An argument type that has no place here" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// Arguments that the driver fills itself must have the size that it writes.
    ARGUMENT_SIZE = "argument-size" Refuses "An argument of the wrong size" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// arg_index is used without a check where an argument needs one: without it, or with a
    /// negative one, the driver aborts or writes where it must not; with a huge one it cannot
    /// get the memory.
    ARGUMENT_INDEX = "argument-index" Crashes "An argument index that the driver cannot use" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// All entries with the same arg_index must agree on what the argument is: a buffer, an image,
    /// a sampler, a value.
    ARGUMENT_KIND = "argument-kind" Crashes "An argument is two things at once" "kernel_arg_descriptor.h, as";
    /// Of several elements of an argument by value each one behind the first needs a
    /// source_offset.
    SOURCE_OFFSET = "source-offset" Refuses "An element without source_offset" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// An argument by pointer has an addrmode; images and samplers are not stateless.
    ADDRESS_MODE = "address-mode" Refuses "An addrmode is missing or does not fit" "zeinfo_decoder.cpp, populateKernelPayloadArgument";
    /// In one kernel buffers are either bindless or stateful, and images too; and where anything
    /// is bindless there must be no entry of the binding table by then, such as const_base,
    /// global_base or debug_env make. (binding_table_indices come later and are not seen.)
    /// IGC writes such files with -cl-intel-use-bindless-buffers.
    MIXED_ADDRESSING = "mixed-addressing" Refuses "Bindless and stateful access in one kernel" "zeinfo_decoder.cpp, decodeZeInfoKernelPayloadArguments";
    /// A memory buffer has a size above 0 that fits in 31 bits, and in 32 bits for all lanes; it
    /// is global and private_space, or scratch in slot 0 or 1, each once.
    MEMORY_BUFFER = "memory-buffer" Refuses "A memory buffer that the driver does not take" "zeinfo_decoder.cpp, populateKernelPerThreadMemoryBuffer";
    /// The slot is used as an index without a look at its sign.
    NEGATIVE_SLOT = "negative-slot" Passes "A negative scratch slot, which the driver does not notice" "zeinfo_decoder.cpp, populateKernelPerThreadMemoryBuffer";
    /// Only arguments that are buffers or images have entries in the binding table.
    BINDING_TABLE = "binding-table-argument" Refuses "A binding table entry of an argument without a surface" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies";
    /// arg_index is used without a check.
    BINDING_TABLE_INDEX = "binding-table-index" Crashes "A binding table entry of an argument far off" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies (observed)";
    /// arg_index is used without a check; -1 happens to do no harm.
    BINDING_TABLE_UNCHECKED = "binding-table-without-argument" Passes "A binding table entry of no argument" "zeinfo_decoder.cpp, populateKernelBindingTableIndicies (observed)";
    /// Every kernel needs code that is not empty, in a PROGBITS section `.text.<name>`.
    KERNEL_WITHOUT_TEXT = "kernel-without-code" Refuses "A kernel without code" "zebin_decoder.cpp, decodeZebin";

    /// Libraries that the driver does not find make it crash.
    LIBRARIES = "required-libraries" Crashes "Libraries are needed" "module_imp.cpp (observed)";
    /// No kernel may use more shared local memory than the device has for a work-group. The
    /// number is compared without its sign.
    SLM_SIZE = "slm-size" Refuses "More shared local memory than the device has" "module_imp.cpp, processUnpackedBinary";
    /// Nobody has so much memory, or in such large steps.
    ALLOCATION = "allocation" Crashes "A buffer that cannot be allocated" "program_initialization.cpp, allocateGlobalsSurface (observed)";
    /// A kernel wants the address of constants or variables, and there are none.
    NO_BUFFER = "no-data-section" Crashes "The address of data that is not there" "kernel_imp.cpp, KernelImmutableData::initialize";
    /// Where the driver writes an address itself it expects 4 or 8 bytes. printf_buffer and
    /// private_base_stateless are written when a kernel is made.
    POINTER_SIZE = "pointer-size" Crashes "A pointer of neither 4 nor 8 bytes" "kernel_arg_descriptor.h, patchPointer";
    /// Relocations and symbols name a section `.text.<kernel>`, and .ze_info has no such kernel;
    /// or functions for everybody stand in more than one section.
    LINK_KERNEL = "link-no-such-kernel" LinkFails "Code that no kernel owns is linked" "linker.cpp, addRelocation and addSymbol";
    /// Symbols must lie in the memory of their section.
    LINK_SYMBOL = "link-symbol-out-of-bounds" LinkFails "A symbol lies outside of its section" "linker.cpp, relocateSymbols";
    /// Relocations must patch bytes of their section. (Those of implicit arguments are not
    /// checked.)
    LINK_OFFSET = "link-relocation-out-of-bounds" LinkFails "A relocation patches bytes outside of its section" "linker.cpp, patchInstructionsSegments and patchDataSegments";
    /// A relocation needs a symbol that is not defined in a section that is loaded.
    LINK_UNDEFINED = "link-undefined-symbol" LinkFails "A symbol that is needed is not defined" "linker.cpp, patchInstructionsSegments and patchDataSegments";
    /// Relocations of types that the driver does not know, against symbols with an address.
    RELOCATION_TYPE = "relocation-type" Crashes "A relocation of a type that the driver cannot apply" "linker.cpp, patchAddress";
    /// Where .ze_info has functions, all that are called must be among them.
    LINK_FUNCTION = "link-unlisted-function" LinkFails "A function that is called is not in the list of functions" "external_functions.cpp, resolveExternalDependencies";
    /// The host access table names variables; each must be there and global.
    HOST_ACCESS = "host-access-name" LinkFails "The host access table names a variable that is not there" "module_imp.cpp, populateHostGlobalSymbolsMap";
    /// Relocations whose sh_info leads to no section that is loaded are silently left out.
    RELOCATION_DROPPED = "relocation-without-target" Passes "A relocation has no effect" "linker.cpp, addRelocation";

    /// kernels_misc_info is read when a program asks for the names and types of arguments. If
    /// anything is wrong with it the answers are useless, for all kernels.
    MISC_INFO = "misc-info" Passes "The names and types of arguments are lost" "zeinfo_decoder.cpp, decodeAndPopulateKernelMiscInfo";
    /// An index behind the last entry throws an exception that nobody catches, when a program
    /// asks for the names and types of arguments.
    MISC_INFO_INDEX = "misc-info-index" Crashes "The index of an argument behind the last one" "zeinfo_decoder.cpp, populateKernelMiscInfo (observed)";
}
