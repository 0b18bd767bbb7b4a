//! Relocations and symbols of a document, and how they hang together.
//!
//! Plain data, made by a decoder when somebody asks ([`Document::linkage`]) and kept by it.
//! [`tables`](crate::tables) shows both.

use std::borrow::Cow;
use std::rc::Rc;

use crate::model::{Document, NodeId, Sources, Span, Str};

/// Who knows the relocations and symbols of a document.
pub trait Linkage {
    /// All of them, in the order of the file.
    fn tables(&self, sources: &Sources) -> Rc<Tables>;
}

impl Document {
    /// Who knows the relocations and symbols of a document: of the opened file (its root), or
    /// of one that is nested in it.
    pub fn linkage(&self, document: NodeId) -> Option<Rc<dyn Linkage>> {
        self.interface(document)
    }
}

/// The relocations and symbols of a document.
#[derive(Debug, Default)]
pub struct Tables {
    /// What relocations patch and symbols live in, by the index in the file.
    pub sections: Vec<Section>,
    /// The symbols.
    pub symbols: Vec<Symbol>,
    /// The relocations.
    pub relocations: Vec<Relocation>,
    /// So many more entries were not read: there are too many.
    pub left_out: u64,
}

/// A section.
#[derive(Debug, Clone)]
pub struct Section {
    /// Its name.
    pub name: String,
    /// Its bytes; those of its header, where it has none.
    pub bytes: Span,
    /// Its address; 0 before it is loaded.
    pub addr: u64,
    /// The kernel whose code it holds: its name, and its entry in the list of kernels.
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
    /// The name as people write it, if it is mangled.
    pub demangled: Option<Rc<str>>,
    /// What it stands for.
    pub kind: Str,
    /// How it is linked.
    pub binding: Str,
    /// Who can see it.
    pub visibility: Str,
    /// The section where it lives, or a word for it: `undefined`.
    pub home: Home,
    /// Its value: the offset in its section, or an address.
    pub value: u64,
    /// Its size in bytes.
    pub size: u64,
    /// The bytes that it stands for.
    pub target: Option<Span>,
    /// So many relocations refer to it.
    pub users: u32,
}

impl Symbol {
    /// Is it the first entry of a table, which stands for no symbol?
    pub fn is_null(&self) -> bool {
        self.index == 0 && self.name.is_empty() && self.size == 0 && self.value == 0
    }

    /// The name for people.
    pub fn title(&self) -> &str {
        self.demangled.as_deref().unwrap_or(&self.name)
    }
}

/// Where a symbol lives.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Home {
    /// In the section of this index.
    Section(u32),
    /// In none; says why.
    Word(Str),
}

/// A relocation.
#[derive(Debug, Clone)]
pub struct Relocation {
    /// The bytes of its entry.
    pub entry: Span,
    /// What is patched, and how.
    pub kind: Str,
    /// Which part of the symbol's address plus the addend is patched in: `low 32 bits of `,
    /// nothing for all of it. `None` where something else is.
    pub part: Option<&'static str>,
    /// The place in [`Tables::symbols`] of the symbol whose address is patched in.
    pub symbol: Option<u32>,
    /// The index of that symbol in its table, as the file has it.
    pub symbol_index: u64,
    /// What is added; `None` in a table without addends.
    pub addend: Option<i64>,
    /// The index of the section that is patched.
    pub section: Option<u32>,
    /// Where in that section.
    pub offset: u64,
    /// The bytes that are patched, as far as they are in the section.
    pub patched: Option<Span>,
}

impl Tables {
    fn section(&self, index: u32) -> Option<&Section> {
        self.sections.get(usize::try_from(index).ok()?)
    }

    /// The section where a symbol lives.
    pub fn home(&self, symbol: &Symbol) -> Option<&Section> {
        match symbol.home {
            Home::Section(index) => self.section(index),
            Home::Word(_) => None,
        }
    }

    /// The section that a relocation patches.
    pub fn patches(&self, relocation: &Relocation) -> Option<&Section> {
        self.section(relocation.section?)
    }

    /// The symbol of a relocation.
    pub fn symbol_of(&self, relocation: &Relocation) -> Option<&Symbol> {
        self.symbols.get(usize::try_from(relocation.symbol?).ok()?)
    }

    /// Where a symbol lives, in words: `.text.vecadd + 0x40`, `undefined`.
    pub fn place<'a>(&'a self, symbol: &'a Symbol) -> Cow<'a, str> {
        match (&symbol.home, self.home(symbol)) {
            (Home::Word(word), _) if symbol.value == 0 => (&**word).into(),
            (Home::Word(word), _) => format!("{word} {:#x}", symbol.value).into(),
            (_, Some(section)) if symbol.value == 0 => section.name.as_str().into(),
            (_, Some(section)) => format!("{} + {:#x}", section.name, symbol.value).into(),
            (Home::Section(_), None) => "".into(),
        }
    }

    /// Where a relocation patches, in words: `.text.vecadd + 0x40`.
    pub fn patched(&self, relocation: &Relocation) -> String {
        let section = self.patches(relocation);
        let section = section.map_or("", |section| &section.name);
        format!("{section} + {:#x}", relocation.offset)
    }

    /// What stands in the patched bytes after patching, in words, and the bytes that it leads to:
    /// `address of .data.const + 0x18`, a number where the sections have addresses. Returns `None`
    /// where the file does not tell.
    pub fn value(&self, relocation: &Relocation) -> Option<(String, Span)> {
        let (part, symbol) = (relocation.part?, self.symbol_of(relocation)?);
        let home = self.home(symbol)?;
        // The driver adds nothing where the table has no addends.
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

    /// The smallest symbol that the patched bytes are of, and how far behind its start they are.
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

    /// The relocations that refer to a symbol.
    pub fn users(&self, symbol: u32) -> impl Iterator<Item = &Relocation> {
        let all = self.relocations.iter();
        all.filter(move |relocation| relocation.symbol == Some(symbol))
    }
}
