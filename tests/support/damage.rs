//! Damages files: prefixes, flipped bits, every field of every record.

use super::elf::{Class, Field, get, place, put, size_of};
use super::random::Random;

/// A damaged file, with a description of the damage.
#[derive(Debug, Clone)]
pub struct Mutant {
    pub what: String,
    pub bytes: Vec<u8>,
}

/// A number in a file, with its location and name.
#[derive(Debug, Clone)]
pub struct Number {
    pub what: String,
    pub start: usize,
    pub size: usize,
}

/// Returns the numbers in an ELF file's header, section headers, symbols, relocations and notes, as
/// far as they are easy to locate.
pub fn numbers(bytes: &[u8]) -> Vec<Number> {
    let mut found = Vec::new();
    if bytes.len() < 64 || !bytes.starts_with(b"\x7fELF") || bytes[5] != 1 {
        return found;
    }
    let class = if bytes[4] == 1 {
        Class::Elf32
    } else {
        Class::Elf64
    };
    for at in 0..16 {
        found.push(Number {
            what: format!("e_ident[{at}]"),
            start: at,
            size: 1,
        });
    }
    record(bytes, class.header(), 0, "", &mut found);
    let header = |name| get(bytes, place(class.header(), name), false) as usize;
    let size = size_of(class.section_header());
    for index in 0..header("e_shnum") {
        let at = header("e_shoff").saturating_add(index * size);
        let Some(entry) = bytes.get(at..at.saturating_add(size)) else {
            break;
        };
        record(
            bytes,
            class.section_header(),
            at,
            &format!("section {index} "),
            &mut found,
        );
        let field = |name| get(entry, place(class.section_header(), name), false) as usize;
        let (kind, at) = (field("sh_type"), field("sh_offset"));
        let end = at.saturating_add(field("sh_size")).min(bytes.len());
        let fields = match kind {
            2 | 11 => class.symbol(),
            4 => class.relocation(true),
            9 => class.relocation(false),
            7 => {
                notes(bytes, at, end, &mut found);
                continue;
            }
            _ => continue,
        };
        let mut entry = at;
        while entry + size_of(fields) <= end {
            let number = (entry - at) / size_of(fields);
            record(
                bytes,
                fields,
                entry,
                &format!("section {index} entry {number} "),
                &mut found,
            );
            entry += size_of(fields);
        }
    }
    found
}

fn record(bytes: &[u8], fields: &[Field], at: usize, what: &str, found: &mut Vec<Number>) {
    for (name, offset, size) in fields {
        let start = at + offset;
        if start + size <= bytes.len() {
            found.push(Number {
                what: format!("{what}{name}"),
                start,
                size: *size,
            });
        }
    }
}

fn notes(bytes: &[u8], start: usize, end: usize, found: &mut Vec<Number>) {
    const HEADER: &[Field] = &[("n_namesz", 0, 4), ("n_descsz", 4, 4), ("n_type", 8, 4)];
    let mut at = start;
    while at + 16 <= end {
        let what = format!("note at {at:#x} ");
        record(bytes, HEADER, at, &what, found);
        let size = |i: usize| get(bytes, at + i..at + i + 4, false) as usize;
        let name = size(0).next_multiple_of(4);
        let desc = at + 12 + name;
        if desc + 4 <= end {
            found.push(Number {
                what: format!("{what}desc"),
                start: desc,
                size: 4,
            });
        }
        at = desc + size(4).next_multiple_of(4);
    }
}

/// Returns the values to set a number to: 0, 1, the largest, one less, one more, and the largest
/// positive.
pub fn values(bytes: &[u8], number: &Number) -> Vec<u64> {
    let old = get(bytes, number.start..number.start + number.size, false);
    let most = u64::MAX >> (64 - 8 * number.size as u32);
    let mut values = vec![
        0,
        1,
        most,
        old.wrapping_sub(1) & most,
        old.wrapping_add(1) & most,
    ];
    values.extend([most >> 1, bytes.len() as u64 & most]);
    values.sort_unstable();
    values.dedup();
    values.retain(|v| *v != old);
    values
}

/// Returns the file with one number changed.
pub fn with_number(bytes: &[u8], number: &Number, value: u64) -> Mutant {
    let mut bytes = bytes.to_vec();
    put(
        &mut bytes,
        number.start..number.start + number.size,
        value,
        false,
    );
    Mutant {
        what: format!("{} = {value:#x}", number.what),
        bytes,
    }
}

/// Returns the file with each number set to each value.
pub fn numbers_changed(bytes: &[u8]) -> impl Iterator<Item = Mutant> + '_ {
    numbers(bytes).into_iter().flat_map(move |number| {
        let values = values(bytes, &number);
        values
            .into_iter()
            .map(move |value| with_number(bytes, &number, value))
    })
}

/// Returns the first `len` bytes.
pub fn prefix(bytes: &[u8], len: usize) -> Mutant {
    Mutant {
        what: format!("first {len} bytes"),
        bytes: bytes[..len].to_vec(),
    }
}

/// Returns the file with one bit flipped.
pub fn flip(bytes: &[u8], bit: usize) -> Mutant {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    Mutant {
        what: format!("bit {} of byte {:#x} flipped", bit % 8, bit / 8),
        bytes,
    }
}

/// Replaces some bytes with random bytes, zeros or other bytes of the file, or removes or inserts
/// some.
pub fn shuffle(bytes: &[u8], random: &mut Random) -> Mutant {
    let mut out = bytes.to_vec();
    let at = random.below(out.len());
    let len = 1 + random.below(64).min(out.len() - at - 1);
    let what = match random.below(5) {
        0 => {
            out[at..at + len].fill(0);
            "zeroed"
        }
        1 => {
            out[at..at + len].fill(0xff);
            "filled with 0xff"
        }
        2 => {
            let from = random.below(bytes.len() - len);
            out[at..at + len].copy_from_slice(&bytes[from..from + len]);
            "overwritten with others"
        }
        3 => {
            out.drain(at..at + len);
            "taken out"
        }
        _ => {
            let noise: Vec<u8> = (0..len).map(|_| random.next() as u8).collect();
            out.splice(at..at, noise);
            "put in"
        }
    };
    Mutant {
        what: format!("{len} bytes at {at:#x} {what}"),
        bytes: out,
    }
}

/// The lines of a text moved, doubled, taken out and indented, without a change of the
/// text's length: a `.ze_info` keeps its place in the file.
pub fn lines_changed(text: &[u8], random: &mut Random) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text
        .split_inclusive(|b| *b == b'\n')
        .map(<[u8]>::to_vec)
        .collect();
    for _ in 0..1 + random.below(3) {
        let (at, other) = (random.below(lines.len()), random.below(lines.len()));
        match random.below(7) {
            0 => lines.swap(at, other),
            1 if lines.len() > 1 => drop(lines.remove(at)),
            2 => {
                let line = lines[other].clone();
                lines.insert(at, line);
            }
            3 => lines[at] = lines[at].trim_ascii_start().to_vec(),
            4 => lines[at].insert(0, b' '),
            5 if !lines[at].is_empty() => {
                let place = random.below(lines[at].len());
                let nasty = b":-#'\"[]{},&*!|>%@\t\r\0\xff";
                lines[at][place] = nasty[random.below(nasty.len())];
            }
            _ => {
                let place = random.below(lines[at].len());
                lines[at].truncate(place);
            }
        }
        if lines.is_empty() {
            break;
        }
    }
    let mut out = lines.concat();
    out.resize(text.len(), b' ');
    out
}
