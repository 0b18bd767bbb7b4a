//! Parses the output of `readelf -aW`, and compares it with the decoder's rows.

use super::view::{Entry, View, view};

/// A listing.
#[derive(Debug, Default)]
pub struct Listing {
    pub header: Vec<(&'static str, u64)>,
    pub sections: Vec<SectionLine>,
    pub symbols: Vec<SymbolLine>,
    /// By section name.
    pub relocations: Vec<(String, Vec<RelocationLine>)>,
    /// By section name.
    pub notes: Vec<(String, Vec<NoteLine>)>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct SectionLine {
    pub name: String,
    pub kind: Option<u64>,
    pub flags: String,
    /// Address, offset, size, entry size, link, info, alignment.
    pub numbers: [u64; 7],
}

#[derive(Debug, PartialEq, Eq)]
pub struct SymbolLine {
    pub value: u64,
    pub size: u64,
    pub kind: String,
    pub binding: String,
    pub visibility: String,
    pub section: String,
    pub name: String,
}

#[derive(Debug, PartialEq, Eq)]
pub struct RelocationLine {
    pub offset: u64,
    pub info: u64,
    pub addend: Option<i64>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct NoteLine {
    pub owner: String,
    pub size: u64,
    pub kind: Option<u64>,
    pub desc: Vec<u8>,
}

/// Header lines with numbers, and their fields.
const HEADER: &[(&str, &str)] = &[
    ("Entry point address:", "e_entry"),
    ("Start of program headers:", "e_phoff"),
    ("Start of section headers:", "e_shoff"),
    ("Flags:", "e_flags"),
    ("Size of this header:", "e_ehsize"),
    ("Size of program headers:", "e_phentsize"),
    ("Number of program headers:", "e_phnum"),
    ("Size of section headers:", "e_shentsize"),
    ("Number of section headers:", "e_shnum"),
    ("Section header string table index:", "e_shstrndx"),
    ("ABI Version:", "EI_ABIVERSION"),
];

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None => text.parse().ok(),
    }
}

fn hex(text: &str) -> Option<u64> {
    u64::from_str_radix(text, 16).ok()
}

/// Current part of the listing.
enum Part {
    Header,
    Relocations,
    Symbols,
    Notes,
}

/// Parses a listing.
pub fn parse(text: &str) -> Listing {
    let mut listing = Listing::default();
    let mut part = Part::Header;
    for line in text.lines() {
        let trimmed = line.trim();
        if let Some(rest) = trimmed.strip_prefix("Relocation section '") {
            let name = rest.split_once('\'').map_or("", |(name, _)| name);
            listing.relocations.push((name.to_owned(), Vec::new()));
            part = Part::Relocations;
        } else if trimmed.starts_with("Symbol table '") {
            part = Part::Symbols;
        } else if let Some(name) = trimmed.strip_prefix("Displaying notes found in: ") {
            listing.notes.push((name.to_owned(), Vec::new()));
            part = Part::Notes;
        } else if trimmed.starts_with('[') {
            listing.sections.extend(section(trimmed));
        } else {
            match part {
                Part::Header => header(trimmed, &mut listing),
                Part::Relocations => {
                    if let Some((_, list)) = listing.relocations.last_mut() {
                        list.extend(relocation(trimmed));
                    }
                }
                Part::Symbols => listing.symbols.extend(symbol(trimmed)),
                Part::Notes => {
                    if let Some((_, list)) = listing.notes.last_mut() {
                        list.extend(note(trimmed));
                    }
                }
            }
        }
    }
    listing
}

fn header(line: &str, listing: &mut Listing) {
    for (label, field) in HEADER {
        let value = line
            .strip_prefix(label)
            .and_then(|v| v.split_whitespace().next());
        if let Some(value) = value.and_then(|v| number(v.trim_end_matches(','))) {
            listing.header.push((field, value));
        }
    }
}

/// `[ 1] .text.k PROGBITS 0000000000000000 000040 0002c0 00 AX 0 0 0`
fn section(line: &str) -> Option<SectionLine> {
    let (index, rest) = line.strip_prefix('[')?.split_once(']')?;
    index.trim().parse::<u64>().ok()?;
    let mut words: Vec<&str> = rest.split_whitespace().collect();
    let mut last = || words.pop();
    let (align, info, link) = (number(last()?)?, number(last()?)?, number(last()?)?);
    let mut flags = "";
    let mut word = last()?;
    if !word
        .bytes()
        .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
    {
        flags = word;
        word = last()?;
    }
    let (entsize, size, offset, addr) = (hex(word)?, hex(last()?)?, hex(last()?)?, hex(last()?)?);
    let kind = kind_of(last()?);
    Some(SectionLine {
        name: words.join(" "),
        kind,
        flags: flags.to_owned(),
        numbers: [addr, offset, size, entsize, link, info, align],
    })
}

fn kind_of(text: &str) -> Option<u64> {
    let known = [
        "NULL", "PROGBITS", "SYMTAB", "STRTAB", "RELA", "HASH", "DYNAMIC", "NOTE", "NOBITS", "REL",
    ];
    if let Some(index) = known.iter().position(|k| *k == text) {
        return Some(index as u64);
    }
    let (base, offset) = text.split_once('+')?;
    let base = match base {
        "LOUSER" => 0x8000_0000,
        "LOOS" => 0x6000_0000,
        "LOPROC" => 0x7000_0000,
        _ => return None,
    };
    Some(base + number(offset)?)
}

/// `1: 00000000000000b0 0 NOTYPE LOCAL DEFAULT 1 _entry`
fn symbol(line: &str) -> Option<SymbolLine> {
    let mut words = line.split_whitespace();
    words.next()?.strip_suffix(':')?.parse::<u64>().ok()?;
    let (value, size) = (hex(words.next()?)?, number(words.next()?)?);
    let mut next = || words.next().map(str::to_owned);
    Some(SymbolLine {
        value,
        size,
        kind: next()?,
        binding: next()?,
        visibility: next()?,
        section: next()?,
        name: words.collect::<Vec<_>>().join(" "),
    })
}

/// `000000000000004c  0000000300000002 unrecognized: 2  0000000000000000 name + 0`
fn relocation(line: &str) -> Option<RelocationLine> {
    let mut words = line.split_whitespace();
    let (offset, info) = (words.next()?, words.next()?);
    let is_hex = |w: &str| w.len() >= 8 && w.bytes().all(|b| b.is_ascii_hexdigit());
    if !is_hex(offset) || !is_hex(info) {
        return None;
    }
    let words: Vec<&str> = words.collect();
    let addend = match words.as_slice() {
        [.., "+", addend] => Some(hex(addend)?.cast_signed()),
        [.., "-", addend] => Some(hex(addend)?.cast_signed().wrapping_neg()),
        _ => None,
    };
    Some(RelocationLine {
        offset: hex(offset)?,
        info: hex(info)?,
        addend,
    })
}

/// `IntelGT 0x00000004 NT_VERSION (version) description data: fa 04 00 00`
fn note(line: &str) -> Option<NoteLine> {
    let (head, data) = match line.split_once("description data:") {
        Some((head, data)) => (head, data),
        None => (line, ""),
    };
    let mut words = head.split_whitespace();
    let owner = words.next()?;
    let size = number(words.next().filter(|w| w.starts_with("0x"))?)?;
    let kind = words.collect::<Vec<_>>().join(" ");
    let kind = match kind.as_str() {
        "NT_VERSION (version)" => Some(1),
        "NT_ARCH (architecture)" | "OPEN" => Some(2),
        "GO BUILDID" => Some(4),
        text => text
            .strip_prefix("Unknown note type: (")
            .or(text.strip_prefix("Unknown note type:  ("))
            .and_then(|t| t.strip_suffix(')'))
            .and_then(number),
    };
    let desc = data
        .split_whitespace()
        .map_while(|b| u8::from_str_radix(b, 16).ok());
    Some(NoteLine {
        owner: owner.to_owned(),
        size,
        kind,
        desc: desc.collect(),
    })
}

/// Returns the differences between the rows of a file and the listing.
pub fn differences(bytes: &[u8], listing: &Listing) -> Vec<String> {
    let view = view(bytes);
    let mut found = Vec::new();
    let mut expect = |what: &dyn Fn() -> String, same: bool| {
        if !same {
            found.push(what());
        }
    };
    expect(
        &|| "no header was listed".to_owned(),
        listing.header.len() >= 9,
    );
    for (field, value) in &listing.header {
        let ours = view.header.get(*field);
        expect(
            &|| format!("{field}: {ours:?}, readelf {value}"),
            ours == Some(value),
        );
    }
    let counts = (view.sections.len(), listing.sections.len());
    expect(&|| format!("sections: {counts:?}"), counts.0 == counts.1);
    for (section, line) in view.sections.iter().zip(&listing.sections) {
        let ours = section_line(&section.header);
        let same_kind = line.kind.is_none() || ours.kind == line.kind;
        let same = same_kind && ours.flags == line.flags && ours.numbers == line.numbers;
        expect(&|| format!("section {ours:?}, readelf {line:?}"), same);
        expect(
            &|| format!("section named {:?}, readelf {:?}", ours.name, line.name),
            same_name(&ours.name, &line.name),
        );
    }
    symbols(&view, listing, &mut expect);
    relocations(&view, listing, &mut expect);
    notes(&view, listing, &mut expect);
    found
}

type Expect<'a> = &'a mut dyn FnMut(&dyn Fn() -> String, bool);

/// Compares names: non-ASCII characters are printed in different ways, and long names are cut.
fn same_name(ours: &str, theirs: &str) -> bool {
    let cut = theirs.len() > 200 && ours.starts_with(theirs);
    ours == theirs || cut || !ours.is_ascii()
}

fn section_line(header: &Entry) -> SectionLine {
    let number = |name: &str| header.numbers.get(name).copied().unwrap_or(u64::MAX);
    let letters = "WAX?MSILOGTC";
    let flags = number("sh_flags");
    let set = letters
        .chars()
        .enumerate()
        .filter(|(bit, _)| flags & 1 << bit != 0);
    let names = [
        "sh_addr",
        "sh_offset",
        "sh_size",
        "sh_entsize",
        "sh_link",
        "sh_info",
        "sh_addralign",
    ];
    SectionLine {
        name: header.name.clone(),
        kind: Some(number("sh_type")),
        flags: set.map(|(_, letter)| letter).collect(),
        numbers: names.map(number),
    }
}

fn symbols(view: &View, listing: &Listing, expect: Expect<'_>) {
    let table = view
        .sections
        .iter()
        .find(|s| s.header.numbers.get("sh_type") == Some(&2));
    let ours = table.map_or(&[][..], |t| t.entries.as_slice());
    let counts = (ours.len(), listing.symbols.len());
    expect(&|| format!("symbols: {counts:?}"), counts.0 == counts.1);
    for (entry, line) in ours.iter().zip(&listing.symbols) {
        let number = |name: &str| entry.numbers.get(name).copied().unwrap_or(u64::MAX);
        let word = |number: u64, names: &[&str]| {
            names
                .get(number as usize)
                .copied()
                .unwrap_or("?")
                .to_owned()
        };
        let ours = SymbolLine {
            value: number("st_value"),
            size: number("st_size"),
            kind: word(
                number("type"),
                &["NOTYPE", "OBJECT", "FUNC", "SECTION", "FILE"],
            ),
            binding: word(number("binding"), &["LOCAL", "GLOBAL", "WEAK"]),
            visibility: word(
                number("visibility"),
                &["DEFAULT", "INTERNAL", "HIDDEN", "PROTECTED"],
            ),
            section: match number("st_shndx") {
                0 => "UND".to_owned(),
                0xfff1 => "ABS".to_owned(),
                index => index.to_string(),
            },
            name: line.name.clone(),
        };
        expect(
            &|| format!("symbol {ours:?}, readelf {line:?}"),
            ours == *line,
        );
        expect(
            &|| format!("symbol named {:?}, readelf {:?}", entry.name, line.name),
            same_name(&entry.name, &line.name),
        );
    }
}

fn relocations(view: &View, listing: &Listing, expect: Expect<'_>) {
    let tables = view
        .sections
        .iter()
        .filter(|s| matches!(s.header.numbers.get("sh_type"), Some(4 | 9)));
    let tables: Vec<_> = tables.filter(|t| !t.entries.is_empty()).collect();
    let counts = (tables.len(), listing.relocations.len());
    expect(
        &|| format!("relocation sections: {counts:?}"),
        counts.0 == counts.1,
    );
    for (table, (name, lines)) in tables.iter().zip(&listing.relocations) {
        let ours: Vec<_> = table.entries.iter().map(relocation_line).collect();
        expect(
            &|| format!("{name}: {ours:?}, readelf {lines:?}"),
            ours == *lines,
        );
    }
}

fn relocation_line(entry: &Entry) -> RelocationLine {
    let number = |name: &str| entry.numbers.get(name).copied().unwrap_or(u64::MAX);
    RelocationLine {
        offset: number("r_offset"),
        info: number("r_info"),
        addend: entry.numbers.get("r_addend").map(|a| a.cast_signed()),
    }
}

fn notes(view: &View, listing: &Listing, expect: Expect<'_>) {
    for (name, lines) in &listing.notes {
        // 64 zero bytes, which are not notes; readelf prints notes of type 0 or complains.
        if name == ".note.intelgt.metrics" {
            continue;
        }
        let Some(section) = view.sections.iter().find(|s| s.header.name == *name) else {
            expect(&|| format!("no section {name}"), false);
            continue;
        };
        let counts = (section.entries.len(), lines.len());
        expect(
            &|| format!("{name}: notes {counts:?}"),
            counts.0 == counts.1,
        );
        for (entry, line) in section.entries.iter().zip(lines) {
            let number = |name: &str| entry.numbers.get(name).copied();
            let owner = entry.texts.get("name").map_or("", String::as_str);
            let same = owner == line.owner
                && number("n_descsz") == Some(line.size)
                && (line.kind.is_none() || number("n_type") == line.kind)
                && (line.desc.is_empty() || entry.desc == line.desc);
            expect(&|| format!("note {entry:?}, readelf {line:?}"), same);
        }
    }
}
