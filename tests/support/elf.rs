//! Writes ELF files (32 and 64 bit, either byte order, with any sections, symbols and relocations)
//! and reports the location of every part. Layouts are defined here independently of the decoder
//! (gABI).

use std::collections::HashMap;
use std::ops::Range;

/// A field of a record: name, offset, size.
pub type Field = (&'static str, usize, usize);

/// The width of addresses and offsets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Class {
    Elf32,
    Elf64,
}

use Class::{Elf32, Elf64};

impl Class {
    pub fn header(self) -> &'static [Field] {
        match self {
            Elf64 => &[
                ("e_type", 16, 2),
                ("e_machine", 18, 2),
                ("e_version", 20, 4),
                ("e_entry", 24, 8),
                ("e_phoff", 32, 8),
                ("e_shoff", 40, 8),
                ("e_flags", 48, 4),
                ("e_ehsize", 52, 2),
                ("e_phentsize", 54, 2),
                ("e_phnum", 56, 2),
                ("e_shentsize", 58, 2),
                ("e_shnum", 60, 2),
                ("e_shstrndx", 62, 2),
            ],
            Elf32 => &[
                ("e_type", 16, 2),
                ("e_machine", 18, 2),
                ("e_version", 20, 4),
                ("e_entry", 24, 4),
                ("e_phoff", 28, 4),
                ("e_shoff", 32, 4),
                ("e_flags", 36, 4),
                ("e_ehsize", 40, 2),
                ("e_phentsize", 42, 2),
                ("e_phnum", 44, 2),
                ("e_shentsize", 46, 2),
                ("e_shnum", 48, 2),
                ("e_shstrndx", 50, 2),
            ],
        }
    }

    pub fn section_header(self) -> &'static [Field] {
        match self {
            Elf64 => &[
                ("sh_name", 0, 4),
                ("sh_type", 4, 4),
                ("sh_flags", 8, 8),
                ("sh_addr", 16, 8),
                ("sh_offset", 24, 8),
                ("sh_size", 32, 8),
                ("sh_link", 40, 4),
                ("sh_info", 44, 4),
                ("sh_addralign", 48, 8),
                ("sh_entsize", 56, 8),
            ],
            Elf32 => &[
                ("sh_name", 0, 4),
                ("sh_type", 4, 4),
                ("sh_flags", 8, 4),
                ("sh_addr", 12, 4),
                ("sh_offset", 16, 4),
                ("sh_size", 20, 4),
                ("sh_link", 24, 4),
                ("sh_info", 28, 4),
                ("sh_addralign", 32, 4),
                ("sh_entsize", 36, 4),
            ],
        }
    }

    pub fn segment(self) -> &'static [Field] {
        match self {
            Elf64 => &[
                ("p_type", 0, 4),
                ("p_flags", 4, 4),
                ("p_offset", 8, 8),
                ("p_vaddr", 16, 8),
                ("p_paddr", 24, 8),
                ("p_filesz", 32, 8),
                ("p_memsz", 40, 8),
                ("p_align", 48, 8),
            ],
            Elf32 => &[
                ("p_type", 0, 4),
                ("p_offset", 4, 4),
                ("p_vaddr", 8, 4),
                ("p_paddr", 12, 4),
                ("p_filesz", 16, 4),
                ("p_memsz", 20, 4),
                ("p_flags", 24, 4),
                ("p_align", 28, 4),
            ],
        }
    }

    pub fn symbol(self) -> &'static [Field] {
        match self {
            Elf64 => &[
                ("st_name", 0, 4),
                ("st_info", 4, 1),
                ("st_other", 5, 1),
                ("st_shndx", 6, 2),
                ("st_value", 8, 8),
                ("st_size", 16, 8),
            ],
            Elf32 => &[
                ("st_name", 0, 4),
                ("st_value", 4, 4),
                ("st_size", 8, 4),
                ("st_info", 12, 1),
                ("st_other", 13, 1),
                ("st_shndx", 14, 2),
            ],
        }
    }

    pub fn relocation(self, addend: bool) -> &'static [Field] {
        match (self, addend) {
            (Elf64, true) => &[("r_offset", 0, 8), ("r_info", 8, 8), ("r_addend", 16, 8)],
            (Elf64, false) => &[("r_offset", 0, 8), ("r_info", 8, 8)],
            (Elf32, true) => &[("r_offset", 0, 4), ("r_info", 4, 4), ("r_addend", 8, 4)],
            (Elf32, false) => &[("r_offset", 0, 4), ("r_info", 4, 4)],
        }
    }

    /// Returns the size of offsets and addresses in bytes.
    pub fn word(self) -> usize {
        match self {
            Elf32 => 4,
            Elf64 => 8,
        }
    }
}

/// Returns the size of a record.
pub fn size_of(fields: &[Field]) -> usize {
    fields
        .iter()
        .map(|(_, at, len)| at + len)
        .max()
        .unwrap_or(0)
}

/// Returns the range of a field within its record.
pub fn place(fields: &[Field], name: &str) -> Range<usize> {
    let field = fields.iter().find(|(n, ..)| *n == name);
    let (_, at, len) = field.unwrap_or_else(|| panic!("no field {name}"));
    *at..at + len
}

/// Writes a number of `place.len()` bytes.
pub fn put(bytes: &mut [u8], place: Range<usize>, value: u64, big: bool) {
    let len = place.len();
    if big {
        bytes[place].copy_from_slice(&value.to_be_bytes()[8 - len..]);
    } else {
        bytes[place].copy_from_slice(&value.to_le_bytes()[..len]);
    }
}

/// Reads a number of `place.len()` bytes.
pub fn get(bytes: &[u8], place: Range<usize>, big: bool) -> u64 {
    let fold = |sum: u64, byte: &u8| sum << 8 | u64::from(*byte);
    let bytes = &bytes[place];
    if big {
        bytes.iter().fold(0, fold)
    } else {
        bytes.iter().rev().fold(0, fold)
    }
}

/// Reference to a section, by name or number.
#[derive(Debug, Clone)]
pub enum Index {
    Number(u64),
    Named(String),
}

impl From<u64> for Index {
    fn from(number: u64) -> Index {
        Index::Number(number)
    }
}

impl From<&str> for Index {
    fn from(name: &str) -> Index {
        Index::Named(name.to_owned())
    }
}

/// A symbol; its section by name or number.
#[derive(Debug, Clone)]
pub struct Symbol {
    pub name: String,
    pub info: u64,
    pub section: Index,
    pub value: u64,
    pub size: u64,
}

impl Symbol {
    /// `binding`: 0 local, 1 global; `kind`: 0 none, 1 object, 2 function.
    pub fn new(name: &str, binding: u64, kind: u64, section: impl Into<Index>) -> Symbol {
        Symbol {
            name: name.to_owned(),
            info: binding << 4 | kind,
            section: section.into(),
            value: 0,
            size: 0,
        }
    }

    pub fn at(mut self, value: u64, size: u64) -> Symbol {
        (self.value, self.size) = (value, size);
        self
    }
}

/// A relocation.
#[derive(Debug, Clone, Copy)]
pub struct Relocation {
    pub offset: u64,
    pub symbol: u64,
    pub kind: u64,
    pub addend: i64,
}

#[derive(Debug, Clone)]
enum Content {
    Bytes(Vec<u8>),
    Symbols(Vec<Symbol>),
    Relocations(Vec<Relocation>, bool),
}

/// A section.
#[derive(Debug, Clone)]
pub struct Section {
    pub name: Vec<u8>,
    pub kind: u64,
    pub flags: u64,
    pub link: Index,
    pub info: Index,
    pub entsize: u64,
    /// Size in the header, if it is not the content's.
    pub size: Option<u64>,
    content: Content,
}

impl Section {
    pub fn new(name: impl AsRef<[u8]>, kind: u64, bytes: impl Into<Vec<u8>>) -> Section {
        Section {
            name: name.as_ref().to_vec(),
            kind,
            flags: 0,
            link: Index::Number(0),
            info: Index::Number(0),
            entsize: 0,
            size: None,
            content: Content::Bytes(bytes.into()),
        }
    }

    /// Returns `.symtab`; the null symbol is added automatically.
    pub fn symbols(symbols: Vec<Symbol>) -> Section {
        let locals = symbols.iter().take_while(|s| s.info >> 4 == 0).count() as u64;
        Section {
            link: ".strtab".into(),
            info: (locals + 1).into(),
            content: Content::Symbols(symbols),
            ..Section::new(".symtab", 2, [])
        }
    }

    /// Returns `.rel<target>` or `.rela<target>`.
    pub fn relocations(target: &str, list: Vec<Relocation>, addend: bool) -> Section {
        let (name, kind) = if addend { (".rela", 4) } else { (".rel", 9) };
        Section {
            link: ".symtab".into(),
            info: target.into(),
            content: Content::Relocations(list, addend),
            ..Section::new(format!("{name}{target}"), kind, [])
        }
    }

    pub fn flags(mut self, flags: u64) -> Section {
        self.flags = flags;
        self
    }

    pub fn link(mut self, link: impl Into<Index>) -> Section {
        self.link = link.into();
        self
    }

    pub fn info(mut self, info: impl Into<Index>) -> Section {
        self.info = info.into();
        self
    }

    pub fn size(mut self, size: u64) -> Section {
        self.size = Some(size);
        self
    }
}

/// An ELF file. `.strtab` is added automatically, as the last section.
#[derive(Debug, Clone)]
pub struct Elf {
    pub class: Class,
    pub big: bool,
    pub kind: u64,
    pub machine: u64,
    pub flags: u64,
    pub align: usize,
    pub sections: Vec<Section>,
    /// Program headers: fields and values.
    pub segments: Vec<Vec<(&'static str, u64)>>,
}

impl Default for Elf {
    fn default() -> Elf {
        Elf::new(Elf64)
    }
}

impl Elf {
    /// Returns a relocatable file for EM_INTELGT, little endian.
    pub fn new(class: Class) -> Elf {
        Elf {
            class,
            big: false,
            kind: 1,
            machine: 205,
            flags: 0,
            align: class.word(),
            sections: Vec::new(),
            segments: Vec::new(),
        }
    }

    pub fn big_endian(mut self) -> Elf {
        self.big = true;
        self
    }

    pub fn section(mut self, section: Section) -> Elf {
        self.sections.push(section);
        self
    }

    /// Returns the section of this name for modification.
    pub fn named(&mut self, name: &str) -> &mut Section {
        let found = self.sections.iter_mut().find(|s| s.name == name.as_bytes());
        found.unwrap_or_else(|| panic!("no section {name}"))
    }

    /// Removes the section of this name.
    pub fn without(mut self, name: &str) -> Elf {
        self.sections.retain(|s| s.name != name.as_bytes());
        self
    }

    /// Replaces the bytes of a section.
    pub fn bytes(mut self, name: &str, bytes: impl Into<Vec<u8>>) -> Elf {
        self.named(name).content = Content::Bytes(bytes.into());
        self
    }

    /// Adds a symbol to `.symtab`.
    pub fn symbol(mut self, symbol: Symbol) -> Elf {
        if let Content::Symbols(symbols) = &mut self.named(".symtab").content {
            symbols.push(symbol);
        }
        self
    }

    /// Writes the file.
    pub fn build(&self) -> Built {
        Writer::new(self).build()
    }
}

/// A written file, with the locations of its parts.
#[derive(Debug, Clone)]
pub struct Built {
    pub bytes: Vec<u8>,
    pub class: Class,
    pub big: bool,
    pub section_headers: usize,
    indices: HashMap<Vec<u8>, usize>,
    contents: Vec<Range<usize>>,
}

impl Built {
    /// Returns a section's index.
    pub fn index(&self, name: &str) -> usize {
        let found = self.indices.get(name.as_bytes());
        *found.unwrap_or_else(|| panic!("no section {name}"))
    }

    /// Returns the number of sections, including the null section and `.strtab`.
    pub fn count(&self) -> usize {
        self.contents.len()
    }

    /// Returns the range of a field of the ELF header.
    pub fn header(&self, field: &str) -> Range<usize> {
        place(self.class.header(), field)
    }

    /// Returns the range of a section's header.
    pub fn section_header(&self, name: &str) -> Range<usize> {
        let size = size_of(self.class.section_header());
        let at = self.section_headers + self.index(name) * size;
        at..at + size
    }

    /// Returns the range of a field of a section's header.
    pub fn section_field(&self, name: &str, field: &str) -> Range<usize> {
        let start = self.section_header(name).start;
        let place = place(self.class.section_header(), field);
        start + place.start..start + place.end
    }

    /// Returns the range of a section's bytes.
    pub fn content(&self, name: &str) -> Range<usize> {
        self.contents[self.index(name)].clone()
    }

    /// Returns the range of an entry of a table with entries of `size` bytes.
    pub fn entry(&self, name: &str, index: usize, size: usize) -> Range<usize> {
        let start = self.content(name).start + index * size;
        start..start + size
    }

    /// Returns the range of a field of a symbol.
    pub fn symbol_field(&self, index: usize, field: &str) -> Range<usize> {
        let fields = self.class.symbol();
        let start = self.entry(".symtab", index, size_of(fields)).start;
        let place = place(fields, field);
        start + place.start..start + place.end
    }

    /// Returns the range of a string in the bytes of a section.
    pub fn find(&self, name: &str, what: &[u8]) -> Range<usize> {
        let content = self.content(name);
        let bytes = &self.bytes[content.clone()];
        let at = bytes.windows(what.len()).position(|w| w == what);
        let shown = String::from_utf8_lossy(what);
        let at = content.start + at.unwrap_or_else(|| panic!("no {shown:?} in {name}"));
        at..at + what.len()
    }

    /// Overwrites a number.
    pub fn put(mut self, place: Range<usize>, value: u64) -> Built {
        put(&mut self.bytes, place, value, self.big);
        self
    }

    /// Overwrites a field of the ELF header.
    pub fn with_header(self, field: &str, value: u64) -> Built {
        let place = self.header(field);
        self.put(place, value)
    }

    /// Overwrites a field of a section's header.
    pub fn with_section(self, name: &str, field: &str, value: u64) -> Built {
        let place = self.section_field(name, field);
        self.put(place, value)
    }

    /// Overwrites a field of a symbol.
    pub fn with_symbol(self, index: usize, field: &str, value: u64) -> Built {
        let place = self.symbol_field(index, field);
        self.put(place, value)
    }

    /// Overwrites bytes.
    pub fn with_bytes(mut self, at: usize, bytes: &[u8]) -> Built {
        self.bytes[at..at + bytes.len()].copy_from_slice(bytes);
        self
    }

    /// Truncates the file.
    pub fn cut(mut self, len: usize) -> Built {
        self.bytes.truncate(len);
        self
    }
}

struct Writer<'a> {
    elf: &'a Elf,
    bytes: Vec<u8>,
    names: HashMap<Vec<u8>, u64>,
    strings: Vec<u8>,
    indices: HashMap<Vec<u8>, usize>,
}

impl<'a> Writer<'a> {
    fn new(elf: &'a Elf) -> Writer<'a> {
        let mut indices = HashMap::new();
        for (i, section) in elf.sections.iter().enumerate() {
            indices.entry(section.name.clone()).or_insert(i + 1);
        }
        indices.insert(b".strtab".to_vec(), elf.sections.len() + 1);
        Writer {
            elf,
            bytes: Vec::new(),
            names: HashMap::from([(Vec::new(), 0)]),
            strings: vec![0],
            indices,
        }
    }

    fn name(&mut self, name: &[u8]) -> u64 {
        if let Some(at) = self.names.get(name) {
            return *at;
        }
        let at = self.strings.len() as u64;
        self.strings.extend_from_slice(name);
        self.strings.push(0);
        self.names.insert(name.to_vec(), at);
        at
    }

    fn resolve(&self, index: &Index) -> u64 {
        match index {
            Index::Number(number) => *number,
            // Removing a section leaves references to it dangling.
            Index::Named(name) => self.indices.get(name.as_bytes()).map_or(0, |i| *i as u64),
        }
    }

    fn record(&self, fields: &[Field], values: &[(&str, u64)]) -> Vec<u8> {
        let mut bytes = vec![0; size_of(fields)];
        for (name, value) in values {
            put(&mut bytes, place(fields, name), *value, self.elf.big);
        }
        bytes
    }

    fn content(&mut self, section: &Section) -> (Vec<u8>, u64) {
        let class = self.elf.class;
        match &section.content {
            Content::Bytes(bytes) => (bytes.clone(), section.entsize),
            Content::Symbols(symbols) => {
                let fields = class.symbol();
                let mut bytes = vec![0; size_of(fields)];
                for symbol in symbols {
                    let values = [
                        ("st_name", self.name(symbol.name.as_bytes())),
                        ("st_info", symbol.info),
                        ("st_shndx", self.resolve(&symbol.section)),
                        ("st_value", symbol.value),
                        ("st_size", symbol.size),
                    ];
                    bytes.extend(self.record(fields, &values));
                }
                (bytes, size_of(fields) as u64)
            }
            Content::Relocations(list, addend) => {
                let fields = class.relocation(*addend);
                let shift = if class == Elf64 { 32 } else { 8 };
                let mut bytes = Vec::new();
                for entry in list {
                    let values = [
                        ("r_offset", entry.offset),
                        ("r_info", entry.symbol << shift | entry.kind),
                        ("r_addend", entry.addend.cast_unsigned()),
                    ];
                    let values = if *addend { &values[..] } else { &values[..2] };
                    bytes.extend(self.record(fields, values));
                }
                (bytes, size_of(fields) as u64)
            }
        }
    }

    fn pad(&mut self) {
        let len = self.bytes.len().next_multiple_of(self.elf.align.max(1));
        self.bytes.resize(len, 0);
    }

    fn build(mut self) -> Built {
        let elf = self.elf;
        let class = elf.class;
        let start = size_of(class.header());
        self.bytes.resize(start, 0);
        let phoff = if elf.segments.is_empty() { 0 } else { start };
        for segment in &elf.segments {
            let record = self.record(class.segment(), segment);
            self.bytes.extend(record);
        }
        let mut headers = vec![self.record(class.section_header(), &[])];
        let mut contents = vec![std::ops::Range { start: 0, end: 0 }];
        for section in &elf.sections {
            self.pad();
            let (bytes, entsize) = self.content(section);
            let at = self.bytes.len();
            self.bytes.extend(&bytes);
            let name = self.name(&section.name);
            let size = section.size.unwrap_or(bytes.len() as u64);
            headers.push(self.record(
                class.section_header(),
                &[
                    ("sh_name", name),
                    ("sh_type", section.kind),
                    ("sh_flags", section.flags),
                    ("sh_offset", at as u64),
                    ("sh_size", size),
                    ("sh_link", self.resolve(&section.link)),
                    ("sh_info", self.resolve(&section.info)),
                    ("sh_entsize", entsize),
                ],
            ));
            contents.push(at..at + bytes.len());
        }
        let name = self.name(b".strtab");
        self.pad();
        let at = self.bytes.len();
        let strings = std::mem::take(&mut self.strings);
        self.bytes.extend(&strings);
        contents.push(at..at + strings.len());
        let values = [
            ("sh_name", name),
            ("sh_type", 3),
            ("sh_offset", at as u64),
            ("sh_size", strings.len() as u64),
        ];
        headers.push(self.record(class.section_header(), &values));
        self.pad();
        let shoff = self.bytes.len();
        let count = headers.len();
        self.bytes.extend(headers.concat());
        self.header(shoff, phoff, count);
        Built {
            bytes: self.bytes,
            class,
            big: elf.big,
            section_headers: shoff,
            indices: self.indices,
            contents,
        }
    }

    fn header(&mut self, shoff: usize, phoff: usize, count: usize) {
        let elf = self.elf;
        let class = elf.class;
        let phentsize = if elf.segments.is_empty() {
            0
        } else {
            size_of(class.segment())
        };
        // gABI: counts that do not fit in 16 bits are stored in section 0.
        let few = count < 0xff00;
        let values = [
            ("e_type", elf.kind),
            ("e_machine", elf.machine),
            ("e_version", 1),
            ("e_phoff", phoff as u64),
            ("e_shoff", shoff as u64),
            ("e_flags", elf.flags),
            ("e_ehsize", size_of(class.header()) as u64),
            ("e_phentsize", phentsize as u64),
            ("e_phnum", elf.segments.len() as u64),
            ("e_shentsize", size_of(class.section_header()) as u64),
            ("e_shnum", if few { count as u64 } else { 0 }),
            ("e_shstrndx", if few { count as u64 - 1 } else { 0xffff }),
        ];
        let mut record = self.record(class.header(), &values);
        record[..4].copy_from_slice(b"\x7fELF");
        record[4] = if class == Elf64 { 2 } else { 1 };
        record[5] = if elf.big { 2 } else { 1 };
        record[6] = 1;
        record[8] = 1;
        self.bytes[..record.len()].copy_from_slice(&record);
        if !few {
            let fields = class.section_header();
            for (name, value) in [("sh_size", count), ("sh_link", count - 1)] {
                let place = place(fields, name);
                let place = shoff + place.start..shoff + place.end;
                put(&mut self.bytes, place, value as u64, elf.big);
            }
        }
    }
}
