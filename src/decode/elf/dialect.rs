//! What the generic ABI leaves open, and the specification of a kind of files says: a dialect.

use std::fmt::Debug;
use std::rc::Rc;

use super::ElfFile;
use super::embedded;
use super::header::{FileType, Header, MachineNames};
use super::note::{self, Owners};
use super::section::Section;
use crate::decode::Context;
use crate::decode::dwarf::Dwarf;
use crate::decode::names::BitField;
use crate::decode::rules::Rule;
use crate::model::kernels::Kernels;
use crate::model::{Doc, Fact, Known, Node, Span, Str};

/// The types of relocations of a machine.
#[derive(Debug)]
pub struct RelocationTypes {
    /// Their names.
    pub known: &'static [Known],
    /// How many bytes a type patches.
    pub width: fn(u32) -> u64,
    /// What is wrong with a type without a name.
    pub unknown: Option<&'static Rule>,
    /// What a type is.
    pub doc: Doc,
}

/// The types of a machine that is not known: all but 0 patch something.
static OTHER_TYPES: RelocationTypes = RelocationTypes {
    known: &[],
    width: |kind| u64::from(kind != 0),
    unknown: None,
    doc: Doc::new(
        "What to patch, and how: the machine's own.",
        "gABI, Relocation",
    ),
};

/// Bytes that are unpacked of the debugging information of a host's file: nobody has asked for
/// it, and it can be as large as it likes.
const UNPACKED: u64 = 4 << 20;

/// A kind of ELF files. What is not overridden is as the generic ABI says.
pub trait Dialect: Debug {
    /// The format's identifier.
    fn id(&self) -> &'static str;

    /// The format in words.
    fn title(&self) -> &'static str;

    /// The names that `e_machine` has, where they are not the generic ABI's.
    fn machine_names(&self, header: &Header) -> Option<MachineNames> {
        let _ = header;
        None
    }

    /// The fields of `e_flags`.
    fn flag_fields(&self) -> &'static [BitField] {
        &[]
    }

    /// The types of relocations.
    fn relocation_types(&self) -> &'static RelocationTypes {
        &OTHER_TYPES
    }

    /// Are the places of relocations offsets in sections, and their symbols those of the file?
    /// In a host's program they are addresses, for the dynamic linker.
    fn is_relocatable(&self, header: &Header) -> bool {
        header.e_type == u64::from(FileType::ET_REL.0)
    }

    /// What the owners of notes mean.
    fn note_owners(&self) -> Owners {
        |_| &note::FOREIGN
    }

    /// Does anybody unpack the section, if it is compressed?
    fn unpacks(&self, section: &Section) -> bool {
        let _ = section;
        true
    }

    /// So many compressed bytes are unpacked.
    fn unpack_limit(&self) -> u64 {
        UNPACKED
    }

    /// What a section is that holds a file; `None` for other sections.
    fn embedded(&self, section: &Section) -> Option<&'static Doc> {
        embedded::host(section)
    }

    /// Do such files list kernels?
    fn lists_kernels(&self) -> bool {
        false
    }

    /// Have DWARF and its relocations Intel's extensions?
    fn has_intel_dwarf(&self) -> bool {
        false
    }

    /// Would a program give such a file to the driver?
    fn is_loadable(&self) -> bool {
        false
    }

    /// Looks through the file and checks it.
    fn read(&self, cx: &Context<'_>, file: &Rc<ElfFile>) -> Rc<dyn Contents> {
        let _ = (cx, file);
        Rc::new(Plain)
    }
}

/// What a dialect has read of a file.
pub trait Contents {
    /// The format in words, where there is more to say than [`Dialect::title`].
    fn title(&self) -> Option<Str> {
        None
    }

    /// The file in a few facts.
    fn facts(&self) -> Vec<Fact> {
        Vec::new()
    }

    /// Completes the node of a section with what is to be said of the section, not of what is
    /// in it.
    fn describe(&self, section: &Section, node: Node) -> Node {
        let _ = section;
        node
    }

    /// The node of a section with rows for what is in it; `None` where these are the generic
    /// ABI's.
    fn node(
        &self,
        cx: &Context<'_>,
        section: &Section,
        dwarf: Option<&Rc<Dwarf>>,
        node: &Node,
    ) -> Option<Node> {
        let _ = (cx, section, dwarf, node);
        None
    }

    /// Parts of the file that no header tells of.
    fn more_parts(&self, cx: &Context<'_>) -> Option<Node> {
        let _ = cx;
        None
    }

    /// Who knows the kernels, if there are some.
    fn kernels(&self) -> Option<Rc<dyn Kernels>> {
        None
    }

    /// The kernel whose code a section of that name holds, and the bytes that describe it.
    fn kernel_of(&self, section: &str) -> Option<(String, Span)> {
        let _ = section;
        None
    }
}

/// Nothing is known but the generic ABI.
struct Plain;

impl Contents for Plain {}

/// A host's object or program.
#[derive(Debug)]
pub struct Host;

impl Dialect for Host {
    fn id(&self) -> &'static str {
        "elf"
    }

    fn title(&self) -> &'static str {
        "ELF"
    }
}
