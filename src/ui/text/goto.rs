//! Parsing of typed locations: offsets, names, labels.

use super::route::parse_number;

/// Prefix of a file offset where plain offsets are relative to code.
const FILE: &str = "file:";

/// A typed location.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A byte of the file.
    Offset(u64),
    /// A part of the file by name or path, and a byte of it.
    Named {
        /// The name or path.
        name: String,
        /// Offset from its start; `None` for the whole part.
        offset: Option<u64>,
        /// Its value as a hexadecimal number, if nothing has that name.
        or: Option<u64>,
    },
}

/// A location in the visible code, as its offsets and labels are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CodeLocation {
    /// An offset in the section.
    Offset(u64),
    /// A label, numbered by offset as the assembler does: `L1840`.
    Label(u64),
}

impl CodeLocation {
    /// The offset in the section.
    pub fn offset(self) -> u64 {
        match self {
            CodeLocation::Offset(offset) | CodeLocation::Label(offset) => offset,
        }
    }
}

/// Reads `0x6f8`, `+0x6f8`, `L1840` as a position in the visible code; `file:0x6f8` is an
/// offset in the file. Returns `None` for other text.
pub fn in_code(typed: &str) -> Option<CodeLocation> {
    let typed = typed.trim();
    if typed.starts_with(FILE) {
        return None;
    }
    let label = typed.strip_prefix('L').or(typed.strip_prefix('l'));
    if let Some(digits) = label
        && !digits.is_empty()
        && digits.bytes().all(|digit| digit.is_ascii_digit())
    {
        return digits.parse().ok().map(CodeLocation::Label);
    }
    match parse(typed.strip_prefix('+').unwrap_or(typed))? {
        Destination::Offset(offset) => Some(CodeLocation::Offset(offset)),
        Destination::Named { .. } => None,
    }
}

/// Reads `0x1f78`, `1f78h`, `8056`, `.ze_info`, `.ze_info+0x78`.
pub fn parse(typed: &str) -> Option<Destination> {
    let typed = typed.trim();
    let typed = typed.strip_prefix(FILE).unwrap_or(typed).trim();
    if typed.is_empty() {
        return None;
    }
    let plain: String = typed.chars().filter(|c| *c != '_' && *c != ' ').collect();
    let suffixed = plain
        .strip_suffix(['h', 'H'])
        .and_then(|digits| u64::from_str_radix(digits, 16).ok());
    if let Some(offset) = parse_number(&plain).or(suffixed) {
        return Some(Destination::Offset(offset));
    }
    if let Some((name, offset)) = typed.rsplit_once('+')
        && let Some(offset) = parse_number(offset)
        && !name.trim().is_empty()
    {
        let name = name.trim();
        return Some(match parse_number(name) {
            Some(start) => Destination::Offset(start.saturating_add(offset)),
            None => Destination::Named {
                name: name.to_owned(),
                offset: Some(offset),
                or: None,
            },
        });
    }
    Some(Destination::Named {
        name: typed.to_owned(),
        offset: None,
        or: u64::from_str_radix(&plain, 16).ok(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(name: &str, offset: Option<u64>, or: Option<u64>) -> Option<Destination> {
        Some(Destination::Named {
            name: name.to_owned(),
            offset,
            or,
        })
    }

    #[test]
    fn numbers() {
        for (typed, offset) in [
            ("0x1f78", 0x1f78),
            ("1F78h", 0x1f78),
            ("8056", 8056),
            (" 0x1_000 ", 0x1000),
            ("0x10+16", 0x20),
        ] {
            assert_eq!(parse(typed), Some(Destination::Offset(offset)), "{typed}");
        }
    }

    #[test]
    fn parses_locations_in_code() {
        assert_eq!(in_code("0x6f8"), Some(CodeLocation::Offset(0x6f8)));
        assert_eq!(in_code("+0x6f8"), Some(CodeLocation::Offset(0x6f8)));
        assert_eq!(in_code(" 16 "), Some(CodeLocation::Offset(16)));
        assert_eq!(in_code("L1840"), Some(CodeLocation::Label(1840)));
        for named in ["L", "L1x", ".text.a+0x10", "file:0x10", "k", ""] {
            assert_eq!(in_code(named), None, "{named}");
        }
        assert_eq!(parse("file:0x10"), Some(Destination::Offset(0x10)));
    }

    #[test]
    fn names() {
        assert_eq!(parse(".ze_info"), named(".ze_info", None, None));
        assert_eq!(parse(".ze_info+0x78"), named(".ze_info", Some(0x78), None));
        assert_eq!(parse("a+b"), named("a+b", None, None));
        assert_eq!(parse("ea0"), named("ea0", None, Some(0xea0)));
        assert_eq!(parse("  "), None);
    }
}
