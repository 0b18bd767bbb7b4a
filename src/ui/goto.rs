//! What somebody types to go somewhere.

use super::route::parse_number;

/// A place as it was typed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A byte of the file.
    Offset(u64),
    /// A part of the file by name or path, and a byte of it.
    Named {
        /// The name or path.
        name: String,
        /// Counted from its start; nothing for the part as a whole.
        offset: Option<u64>,
        /// What it would be as a hexadecimal number, should nothing have that name.
        or: Option<u64>,
    },
}

/// Reads `0x1f78`, `1f78h`, `8056`, `.ze_info`, `.ze_info+0x78`.
pub fn parse(typed: &str) -> Option<Destination> {
    let typed = typed.trim();
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
    fn names() {
        assert_eq!(parse(".ze_info"), named(".ze_info", None, None));
        assert_eq!(parse(".ze_info+0x78"), named(".ze_info", Some(0x78), None));
        assert_eq!(parse("a+b"), named("a+b", None, None));
        assert_eq!(parse("ea0"), named("ea0", None, Some(0xea0)));
        assert_eq!(parse("  "), None);
    }
}
