//! What makes a file large: every byte of a document, by file of a package, device, image, kernel,
//! section, and kind.
//!
//! [`SizeReading`] walks the rows of a document, which account for every byte
//! ([`zeview_core::model`]), and adds each to a [`Piece`]. A piece has two sizes. Its *unpacked* size
//! is the length of its bytes after decompression. Its *stored* size is its part of the opened file.
//! The bytes of a compressed stream cannot be told apart, so what is unpacked from it shares its
//! stored bytes in proportion to the length; rounding never loses a byte. So the stored sizes of all
//! pieces add up to the size of the file, also while it is being read.

mod limit;
mod map;
mod reading;
mod rows;
mod walk;

pub use self::limit::SizeLimit;
pub use self::map::{MapCell, MapGroup, SizeMap};
pub use self::reading::SizeReading;
pub use self::rows::{SizeChange, SizeFilter, SizeRow, changes};

use std::rc::Rc;

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use zeview_analysis::naming::NameSet;
use zeview_analysis::naming::ShortNames;
use zeview_core::model::Span;

/// The kind of bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum Part {
    /// Instructions of device code.
    Instructions,
    /// SPIR-V, LLVM bitcode and other intermediate code, which the driver compiles.
    Intermediate,
    /// Constants and variables of device code.
    Data,
    /// Debug information of device code.
    Debug,
    /// Metadata of device code: `.ze_info`, notes, property sets.
    Metadata,
    /// Symbols, strings and relocations of device code.
    Symbols,
    /// Headers, tables of contents and padding of device images and their containers.
    Container,
    /// Device code with the same bytes as other device code of the file.
    Copies,
    /// Bytes that are not device code: the code and data of the host, other files of a package.
    Host,
    /// Bytes that were not read.
    NotRead,
}

impl Part {
    /// Number of kinds.
    pub const COUNT: usize = 10;

    /// All kinds, in the order of the columns.
    pub const ALL: [Part; Part::COUNT] = [
        Part::Instructions,
        Part::Intermediate,
        Part::Data,
        Part::Debug,
        Part::Metadata,
        Part::Symbols,
        Part::Container,
        Part::Copies,
        Part::Host,
        Part::NotRead,
    ];

    /// Returns its name in columns, conditions and JSON: `debug`.
    pub fn name(self) -> &'static str {
        match self {
            Part::Instructions => "instructions",
            Part::Intermediate => "spirv",
            Part::Data => "data",
            Part::Debug => "debug",
            Part::Metadata => "metadata",
            Part::Symbols => "symbols",
            Part::Container => "headers",
            Part::Copies => "copies",
            Part::Host => "host",
            Part::NotRead => "not_read",
        }
    }

    /// Returns its name for display.
    pub fn title(self) -> &'static str {
        match self {
            Part::Instructions => "instructions",
            Part::Intermediate => "SPIR-V",
            Part::Data => "constants and variables",
            Part::Debug => "debug information",
            Part::Metadata => "metadata",
            Part::Symbols => "symbols and strings",
            Part::Container => "headers and padding",
            Part::Copies => "copies",
            Part::Host => "not device code",
            Part::NotRead => "not read",
        }
    }

    /// Returns its index in [`Part::ALL`].
    pub fn index(self) -> usize {
        self as usize
    }

    /// Returns the kind with a [name](Part::name).
    pub fn named(name: &str) -> Option<Part> {
        Part::ALL.into_iter().find(|part| part.name() == name)
    }
}

/// What bytes are grouped by.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum SizeKey {
    /// The file of a package.
    File,
    /// The device.
    Device,
    /// The image.
    Image,
    /// The kernel without its template arguments.
    Family,
    /// The kernel.
    Kernel,
    /// The section.
    Section,
    /// The kind of bytes.
    Part,
}

impl SizeKey {
    /// All keys.
    pub const ALL: [SizeKey; 7] = [
        SizeKey::File,
        SizeKey::Device,
        SizeKey::Image,
        SizeKey::Family,
        SizeKey::Kernel,
        SizeKey::Section,
        SizeKey::Part,
    ];

    /// Returns its name: `device`.
    pub fn name(self) -> &'static str {
        match self {
            SizeKey::File => "file",
            SizeKey::Device => "device",
            SizeKey::Image => "image",
            SizeKey::Family => "family",
            SizeKey::Kernel => "kernel",
            SizeKey::Section => "section",
            SizeKey::Part => "part",
        }
    }

    /// Returns the key with a [name](SizeKey::name).
    pub fn named(name: &str) -> Option<SizeKey> {
        SizeKey::ALL.into_iter().find(|key| key.name() == name)
    }

    /// Returns the key that divides the bytes of one group further.
    pub fn next(self) -> SizeKey {
        match self {
            SizeKey::File => SizeKey::Device,
            SizeKey::Device => SizeKey::Family,
            SizeKey::Family | SizeKey::Image => SizeKey::Kernel,
            SizeKey::Section | SizeKey::Part => SizeKey::Family,
            SizeKey::Kernel => SizeKey::Section,
        }
    }
}

/// The device that bytes are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Owner {
    /// None: bytes of the host, or of a container of images for several devices.
    Nobody,
    /// Any device: intermediate code.
    Any,
    /// This device; the name is empty if the file does not name it.
    Device(NameId),
}

/// Identifies a name of [`Sizes`]: an index into its list.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Default)]
pub struct NameId(u32);

impl NameId {
    /// The empty name.
    pub const NONE: NameId = NameId(0);
}

/// The properties that the bytes of a piece have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct PieceKey {
    /// The file of a package; empty outside of packages.
    pub file: NameId,
    /// The device.
    pub owner: Owner,
    /// The image; empty if they are in none.
    pub image: NameId,
    /// The kernel, as in the file; empty if they do not belong to a single one.
    pub kernel: NameId,
    /// The section, without the name of the kernel; or another part of the container.
    pub section: NameId,
    /// The kind.
    pub part: Part,
}

/// Bytes with common properties.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Piece {
    /// The properties.
    pub key: PieceKey,
    /// Number of bytes of the opened file.
    pub stored: u64,
    /// Number of bytes after decompression.
    pub unpacked: u64,
    /// The first of the bytes.
    pub first: Span,
    /// Length of the longest sequence of the bytes.
    longest: u64,
}

/// The sizes of a document.
#[derive(Default)]
pub struct Sizes {
    /// The size of the opened file in bytes.
    pub total: u64,
    /// The pieces.
    pub pieces: Vec<Piece>,
    /// Why bytes were not read.
    pub notes: Vec<String>,
    names: Names,
    /// The demangled names of kernels.
    demangled: HashMap<NameId, Rc<str>>,
    short: Rc<ShortNames>,
}

/// Interned names.
#[derive(Default, Clone)]
struct Names {
    list: Vec<Rc<str>>,
    ids: HashMap<Rc<str>, NameId>,
    /// Maximum number of names: a file of some bytes per name would take many times its size.
    most: usize,
    /// Whether there were more.
    is_cut: bool,
}

/// Number of names that are kept of any file, and number of bytes of a file per further name.
const NAMES_ALWAYS: usize = 1 << 14;
const BYTES_PER_NAME: u64 = 4096;

impl Names {
    /// Creates the names of a file of `size` bytes.
    fn of_file(size: u64) -> Names {
        let more = usize::try_from(size / BYTES_PER_NAME).unwrap_or(usize::MAX);
        Names {
            most: more.max(NAMES_ALWAYS),
            ..Names::default()
        }
    }

    fn add(&mut self, name: &str) -> NameId {
        if name.is_empty() {
            return NameId::NONE;
        }
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        if self.list.len() >= self.most {
            self.is_cut = true;
            return NameId::NONE;
        }
        let name: Rc<str> = Rc::from(name);
        self.list.push(Rc::clone(&name));
        let id = NameId(u32::try_from(self.list.len()).unwrap_or(u32::MAX));
        self.ids.insert(name, id);
        id
    }

    fn get(&self, id: NameId) -> &str {
        let at = usize::try_from(id.0).ok().and_then(|id| id.checked_sub(1));
        at.and_then(|at| self.list.get(at)).map_or("", |name| name)
    }
}

impl Sizes {
    /// Returns a name.
    pub fn name(&self, id: NameId) -> &str {
        self.names.get(id)
    }

    /// Returns the demangled name of a kernel, if its name is mangled.
    pub fn demangled(&self, kernel: NameId) -> Option<&str> {
        self.demangled.get(&kernel).map(|name| &**name)
    }

    /// Returns the short name of a kernel.
    pub fn short(&self, kernel: NameId) -> &str {
        let name = self.name(kernel);
        let short = self.short.get(name).or_else(|| self.demangled(kernel));
        short.unwrap_or(name)
    }

    /// Returns the family of a kernel: its name without namespaces, template arguments and parameters.
    pub fn family(&self, kernel: NameId) -> &str {
        let family = self.short.family(self.name(kernel));
        family.unwrap_or_else(|| self.short(kernel))
    }

    /// Returns the sum of all unpacked sizes, in bytes.
    pub fn unpacked(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.unpacked).sum()
    }

    fn shorten(&mut self) {
        let mut set = NameSet::default();
        for piece in &self.pieces {
            if piece.key.kernel != NameId::NONE {
                set.add(
                    self.names.get(piece.key.kernel),
                    self.demangled.get(&piece.key.kernel).map(|name| &**name),
                );
            }
        }
        self.short = Rc::new(set.short_names());
    }
}
