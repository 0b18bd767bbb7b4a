//! The address: what `?…` asks for and what `#…` points to.
//!
//! * `?url=https://…/vecadd.zebin` opens a file from the network, `?embed=1` leaves the
//!   frame of the page out.
//! * `#s=.ze_info&o=0x78+16`: 16 bytes at 0x78 of the top-level part `.ze_info`.
//! * `#o=0x1f78+16`: bytes of the file.
//! * `#k=vecadd&f=spill_size`: what is said of a kernel; without `f` the kernel itself.
//! * `#p=.ze_info/kernels/[0]`: the node at a path.
//!
//! Only what stays true when the file is opened again somewhere else: no numbers of nodes,
//! no names of local files.

/// What the query asks for.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Open this address.
    pub url: Option<String>,
    /// Without header and status line.
    pub embed: bool,
}

/// What the fragment points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The node at a path.
    Path(String),
    /// A kernel, or what is said of it.
    Kernel {
        /// Its name.
        name: String,
        /// A key of its `execution_env`, or the path from its entry on.
        field: Option<String>,
    },
    /// Bytes.
    Bytes {
        /// Relative to this part of the file; to the file itself without.
        section: Option<String>,
        /// The first byte.
        offset: u64,
        /// How many.
        len: u64,
    },
}

/// Reads `?…` (the mark itself may be missing).
pub fn parse_query(text: &str) -> Query {
    let mut query = Query::default();
    for (key, value) in pairs(text.strip_prefix('?').unwrap_or(text)) {
        match key.as_str() {
            "url" if !value.is_empty() => query.url = Some(value),
            "embed" => query.embed = value != "0",
            _ => {}
        }
    }
    query
}

/// Reads `#…`; nothing where it points to nothing.
pub fn parse_fragment(text: &str) -> Option<Target> {
    let (mut section, mut bytes) = (None, None);
    let (mut kernel, mut field) = (None, None);
    for (key, value) in pairs(text.strip_prefix('#').unwrap_or(text)) {
        match key.as_str() {
            "p" if !value.is_empty() => return Some(Target::Path(value)),
            "k" if !value.is_empty() => kernel = Some(value),
            "f" if !value.is_empty() => field = Some(value),
            "s" if !value.is_empty() => section = Some(value),
            "o" => bytes = parse_bytes(&value),
            _ => {}
        }
    }
    if let Some(name) = kernel {
        return Some(Target::Kernel { name, field });
    }
    match (section, bytes) {
        (section, Some((offset, len))) => Some(Target::Bytes {
            section,
            offset,
            len,
        }),
        (Some(section), None) => Some(Target::Path(section)),
        (None, None) => None,
    }
}

/// `0x78+16`, `0x78`, `120+16`.
fn parse_bytes(text: &str) -> Option<(u64, u64)> {
    let (offset, len) = match text.split_once('+') {
        Some((offset, len)) => (offset, parse_number(len)?),
        None => (text, 1),
    };
    Some((parse_number(offset)?, len))
}

/// A number as C writes it: `0x1f78` or `8056`.
pub fn parse_number(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Writes `#…`.
pub fn fragment(target: &Target) -> String {
    let mut out = String::from("#");
    match target {
        Target::Path(path) => {
            out.push_str("p=");
            push_encoded(&mut out, path);
        }
        Target::Kernel { name, field } => {
            out.push_str("k=");
            push_encoded(&mut out, name);
            if let Some(field) = field {
                out.push_str("&f=");
                push_encoded(&mut out, field);
            }
        }
        Target::Bytes {
            section,
            offset,
            len,
        } => {
            if let Some(section) = section {
                out.push_str("s=");
                push_encoded(&mut out, section);
                out.push('&');
            }
            out.push_str(&format!("o={offset:#x}+{len}"));
        }
    }
    out
}

/// Writes `?url=…`.
pub fn query(url: &str) -> String {
    let mut out = String::from("?url=");
    push_encoded(&mut out, url);
    out
}

fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    text.split('&').map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key), decoded(value))
    })
}

/// `%2F` becomes `/`; what is no escape stays as it is.
fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let escape = (first == b'%')
            .then(|| std::str::from_utf8(after.get(..2)?).ok())
            .flatten()
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match escape {
            Some(byte) => {
                bytes.push(byte);
                rest = after.get(2..).unwrap_or(&[]);
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// Everything but what is readable and harmless in a fragment is escaped.
fn push_encoded(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:[]@!$'()*,;".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// What is said of a kernel, in its `execution_env`.
const ENVIRONMENT: &str = "execution_env/";

/// A target within a kernel: `rest` is the path from its entry on.
pub fn kernel_target(name: &str, rest: &str) -> Target {
    let key = rest.strip_prefix(ENVIRONMENT);
    let key = key.filter(|key| !key.contains('/'));
    Target::Kernel {
        name: name.to_owned(),
        field: match (key, rest) {
            (_, "") => None,
            (key, rest) => Some(key.unwrap_or(rest).to_owned()),
        },
    }
}

/// Where a kernel, or what is said of it, may be: the first path that there is.
pub fn kernel_paths(name: &str, field: Option<&str>) -> Vec<String> {
    let entry = format!(".ze_info/kernels/{name}");
    let mut paths = Vec::new();
    if let Some(field) = field {
        paths.push(format!("{entry}/{ENVIRONMENT}{field}"));
        paths.push(format!("{entry}/{field}"));
    }
    paths.push(entry);
    paths
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernels_by_name() {
        for (rest, text) in [
            ("", "#k=vecadd"),
            ("execution_env/spill_size", "#k=vecadd&f=spill_size"),
            ("execution_env", "#k=vecadd&f=execution_env"),
            (
                "payload_arguments/[2]/offset",
                "#k=vecadd&f=payload_arguments/[2]/offset",
            ),
        ] {
            let target = kernel_target("vecadd", rest);
            assert_eq!(fragment(&target), text);
            assert_eq!(parse_fragment(text), Some(target));
        }
        assert_eq!(
            kernel_paths("k", Some("spill_size")),
            [
                ".ze_info/kernels/k/execution_env/spill_size",
                ".ze_info/kernels/k/spill_size",
                ".ze_info/kernels/k"
            ]
        );
        assert_eq!(kernel_paths("k", None), [".ze_info/kernels/k"]);
    }

    fn there_and_back(target: Target) {
        assert_eq!(parse_fragment(&fragment(&target)), Some(target));
    }

    #[test]
    fn fragments_are_readable() {
        let path = Target::Path(".ze_info/kernels/[0]".to_owned());
        assert_eq!(fragment(&path), "#p=.ze_info/kernels/[0]");
        let bytes = Target::Bytes {
            section: Some(".ze_info".to_owned()),
            offset: 0x78,
            len: 16,
        };
        assert_eq!(fragment(&bytes), "#s=.ze_info&o=0x78+16");
    }

    #[test]
    fn fragments_come_back() {
        there_and_back(Target::Path("a b/50%25&=#é\u{202e}".to_owned()));
        there_and_back(Target::Bytes {
            section: None,
            offset: u64::MAX,
            len: 1,
        });
        there_and_back(Target::Bytes {
            section: Some(".text.a+b&c".to_owned()),
            offset: 0,
            len: 0,
        });
    }

    #[test]
    fn nonsense_points_nowhere() {
        for text in ["", "#", "#x=1", "#o=", "#o=zz+1", "#o=1+", "#=&=", "#%"] {
            assert_eq!(parse_fragment(text), None, "{text}");
        }
    }

    #[test]
    fn queries() {
        let query = parse_query("?url=https%3A%2F%2Fa.b%2Fc.zebin&embed=1");
        assert_eq!(query.url.as_deref(), Some("https://a.b/c.zebin"));
        assert!(query.embed);
        assert_eq!(parse_query(""), Query::default());
        assert!(!parse_query("?embed=0").embed);
        assert_eq!(
            super::query("https://a.b/c?d&e"),
            "?url=https://a.b/c%3Fd%26e"
        );
    }
}
