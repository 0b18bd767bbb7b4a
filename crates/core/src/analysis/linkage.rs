//! The relocations and symbols of a document.
//!
//! Plain data, created by a decoder on demand ([`Document::linkage`]) and cached by it.
//! `tables` presents both.

use std::borrow::Cow;
use std::fmt;
use std::rc::Rc;

use crate::model::{Document, NodeId, OnDemand, Sources, Span, Str};

/// The relocations and symbols of a document, read on first use.
pub struct Linkage(OnDemand<Tables>);

impl Linkage {
    /// Creates the tables that `read` reads.
    pub fn new(read: impl Fn(&Sources) -> Tables + 'static) -> Linkage {
        Linkage(OnDemand::new(read))
    }

    /// Returns all of them, in file order.
    pub fn tables(&self, sources: &Sources) -> Rc<Tables> {
        self.0.get(sources)
    }
}

impl Document {
    /// Returns the relocations and symbols of a document: of the opened file (its root), or of one
    /// that is nested in it.
    pub fn linkage(&self, document: NodeId) -> Option<Rc<Linkage>> {
        self.interfaces(document).linkage
    }
}

/// The relocations and symbols of a document.
#[derive(Debug, Default)]
pub struct Tables {
    /// The sections, by their index in the file.
    pub sections: Vec<Section>,
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// The relocations.
    pub relocations: Vec<Relocation>,
    /// Number of further entries that exceed the limit.
    pub left_out: u64,
}

/// A section.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its bytes, or those of its header if it has none.
    pub bytes: Span,
    /// Its address; 0 unless it was loaded.
    pub addr: u64,
    /// The kernel of the code in it: its name, and its entry in the list of kernels.
    pub kernel: Option<(String, Span)>,
}

/// A symbol.
#[derive(Debug, Clone)]
pub struct Symbol {
    /// The bytes of its entry.
    pub entry: Span,
    /// Its index in its table.
    pub index: u64,
    /// Its name.
    pub name: String,
    /// The demangled name, if the name is mangled.
    pub demangled: Option<Rc<str>>,
    /// Its type: function, object, …
    pub kind: Str,
    /// Its binding.
    pub binding: Str,
    /// Its visibility.
    pub visibility: Str,
    /// The section that it is defined in, or a word: `undefined`.
    pub home: Home,
    /// Its value: an offset in its section, or an address.
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The bytes that it refers to.
    pub target: Option<Span>,
    /// Number of relocations that refer to it.
    pub users: u32,
}

impl Symbol {
    /// Whether it is the null symbol, the first entry of every table.
    pub fn is_null(&self) -> bool {
        self.index == 0 && self.name.is_empty() && self.size == 0 && self.value == 0
    }

    /// Returns the name for display.
    pub fn title(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name)
    }
}

/// The definition of a symbol.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// The index of its section.
    Section(u32),
    /// It is in no section, for this reason.
    Word(Str),
}

/// A part of an address.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressPart {
    /// All of it.
    Whole,
    /// The low 32 bits.
    Low,
    /// The high 32 bits.
    High,
}

impl fmt::Display for AddressPart {
    /// Writes the words before the address: `low 32 bits of `; nothing for the whole.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            AddressPart::Whole => "",
            AddressPart::Low => "low 32 bits of ",
            AddressPart::High => "high 32 bits of ",
        })
    }
}

/// A relocation.
#[derive(Debug, Clone)]
pub struct Relocation {
    /// The bytes of its entry.
    pub entry: Span,
    /// The relocation type.
    pub kind: Str,
    /// The part of the symbol's address plus addend that is written; `None` if something else is
    /// written.
    pub part: Option<AddressPart>,
    /// The index in [`Tables::symbols`] of the symbol whose address is written.
    pub symbol: Option<u32>,
    /// The index of that symbol in its symbol table.
    pub symbol_index: u64,
    /// The addend; `None` in a table without addends.
    pub addend: Option<i64>,
    /// The index of the section that is patched.
    pub section: Option<u32>,
    /// The offset in that section.
    pub offset: u64,
    /// The bytes that are patched, clipped to the section.
    pub patched: Option<Span>,
}

impl Tables {
    fn section(&self, index: u32) -> Option<&Section> {
        self.sections.get(usize::try_from(index).ok()?)
    }

    /// Returns the section that a symbol is defined in.
    pub fn home(&self, symbol: &Symbol) -> Option<&Section> {
        match symbol.home {
            Home::Section(index) => self.section(index),
            Home::Word(_) => None,
        }
    }

    /// Returns the section that a relocation patches.
    pub fn patches(&self, relocation: &Relocation) -> Option<&Section> {
        self.section(relocation.section?)
    }

    /// Returns the symbol of a relocation.
    pub fn symbol_of(&self, relocation: &Relocation) -> Option<&Symbol> {
        self.symbols.get(usize::try_from(relocation.symbol?).ok()?)
    }

    /// Formats where a symbol is defined: `.text.vecadd + 0x40`, `undefined`.
    pub fn place<'a>(&'a self, symbol: &'a Symbol) -> Cow<'a, str> {
        match (&symbol.home, self.home(symbol)) {
            (Home::Word(word), _) if symbol.value == 0 => (&**word).into(),
            (Home::Word(word), _) => format!("{word} {:#x}", symbol.value).into(),
            (_, Some(section)) if symbol.value == 0 => section.name.as_str().into(),
            (_, Some(section)) => format!("{} + {:#x}", section.name, symbol.value).into(),
            (Home::Section(_), None) => "".into(),
        }
    }

    /// Formats the location that a relocation patches: `.text.vecadd + 0x40`.
    pub fn patched(&self, relocation: &Relocation) -> String {
        let section = self.patches(relocation);
        let section = section.map_or("", |section| &section.name);
        format!("{section} + {:#x}", relocation.offset)
    }

    /// Describes the value after relocation, with the bytes that it refers to: `address of
    /// .data.const + 0x18`, or a number if the sections have addresses. Returns `None` if the file
    /// does not determine it.
    pub fn value(&self, relocation: &Relocation) -> Option<(String, Span)> {
        let (part, symbol) = (relocation.part?, self.symbol_of(relocation)?);
        let home = self.home(symbol)?;
        // The driver uses 0 if the table has no addends.
        let addend = relocation.addend.unwrap_or(0);
        let sum = symbol.value.checked_add_signed(addend)?;
        let offset = sum.checked_sub(home.addr)?;
        let place = format!("{} + {offset:#x}", home.name);
        let words = match home.addr {
            0 => format!("{part}address of {place}"),
            _ => format!("{part}{sum:#x}, {place}"),
        };
        let to = match (symbol.target, sum == symbol.value) {
            (Some(target), true) => target,
            _ => Some(home.bytes.subspan(offset, 1)).filter(|to| !to.is_empty())?,
        };
        Some((words, to))
    }

    /// Returns the smallest symbol that contains the patched bytes, and their offset in it.
    pub fn patched_symbol(&self, relocation: &Relocation) -> Option<(&Symbol, u64)> {
        let patched = relocation.patched?;
        let around = self.symbols.iter().filter_map(|symbol| {
            let target = symbol.target.filter(|target| !target.is_empty())?;
            let is_around = target.contains(patched);
            (is_around && !symbol.is_null()).then_some((symbol, target))
        });
        let (symbol, target) = around.min_by_key(|(_, target)| target.len())?;
        Some((symbol, patched.start - target.start))
    }

    /// Returns the relocations that refer to a symbol.
    pub fn users(&self, symbol: u32) -> impl Iterator<Item = &Relocation> {
        let all = self.relocations.iter();
        all.filter(move |relocation| relocation.symbol == Some(symbol))
    }
}
