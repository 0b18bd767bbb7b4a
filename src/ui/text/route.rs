//! URLs: parameters in `?…` and targets in `#…`.
//!
//! * `?url=https://…/vecadd.zebin` opens a file from the network (`url` can be repeated),
//!   `?a=https://…&b=https://…` opens two and compares the second with the first; `?embed=1` hides
//!   header and status bar, `?theme=dark` sets the theme.
//! * `#s=.ze_info&o=0x78+16`: 16 bytes at 0x78 of the top-level part `.ze_info`.
//! * `#o=0x1f78+16`: bytes of the file.
//! * `#k=vecadd&f=spill_size`: a property of a kernel; without `f` the kernel itself.
//! * `#k=vecadd&pc=0x40`: the instruction at 0x40 of the kernel's code.
//! * `#kernel=vecadd&target=pvc`: any name of a kernel (as in the file, demangled, short, a pattern), and
//!   the build of it: its device (`target`), `image` or `file` of a package.
//! * `#p=.ze_info/kernels/[0]`: the node at a path.
//! * `&panel=kernels&filter=spill_size%3E0&sort=-spill_size&group=kernel&device=pvc`: the panel,
//!   its list's filter, order and grouping, and the device of the verdict.
//!
//! Names of more than 64 bytes are abbreviated: `_ZTSN6compat12experimental6detai~0e1f2a3b4c`, by the hash of
//! the name. Such a link is right for another build of the file, unless the name has changed; then nothing
//! is found.
//!
//! Links contain only stable identifiers, no node ids. A copied link names a local file as `n=` and
//! waits until that file is opened.

use crate::kernel_names::KernelQuery;
use crate::model::{brief, brief_path};

/// Parameters of the query.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Query {
    /// Open these URLs.
    pub urls: Vec<String>,
    /// Compare with the file at this URL, the first of two.
    pub base: Option<String>,
    /// Without header and status bar.
    pub embed: bool,
    /// The theme.
    pub theme: Option<String>,
    /// The panes beside every panel, by name.
    pub panes: Option<String>,
}

/// Target of the fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Target {
    /// The node at a path.
    Path(String),
    /// A kernel, or a property of it.
    Kernel {
        /// Kernel name.
        name: String,
        /// A key of its `execution_env`, or the path relative to its entry.
        field: Option<String>,
        /// The build, if the kernel has several.
        of: BuildPlace,
    },
    /// An instruction.
    Instruction {
        /// Kernel name.
        kernel: String,
        /// Offset in the kernel's code.
        offset: u64,
        /// The build, if the kernel has several.
        of: BuildPlace,
    },
    /// Bytes.
    Bytes {
        /// The part of the file that `offset` is relative to; without it, the file.
        section: Option<String>,
        /// Offset of the first byte.
        offset: u64,
        /// Length.
        len: u64,
    },
}

/// A build of a kernel: what tells it apart from others; empty fields are absent from the link.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct BuildPlace {
    /// The device that it is for.
    pub device: Option<String>,
    /// The image with it.
    pub image: Option<String>,
    /// The file of a package with it.
    pub file: Option<String>,
}

impl BuildPlace {
    /// Returns the query for this build of a kernel.
    pub fn query(self, name: String) -> KernelQuery {
        KernelQuery {
            device: self.device,
            image: self.image,
            file: self.file,
            ..KernelQuery::named(name)
        }
    }
}

/// The view around the target; empty fields are absent from the link.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct ViewOptions {
    /// Panel name.
    pub panel: String,
    /// Filter of the panel's list.
    pub filter: String,
    /// Sort column; with a `-`, descending.
    pub sort: String,
    /// Grouping of the kernels: `kernel`, `image` or `device`.
    pub group: String,
    /// The device of the verdict.
    pub device: String,
}

/// Contents of a fragment.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Link {
    /// The target.
    pub target: Option<Target>,
    /// The view.
    pub shown: ViewOptions,
}

/// Parses `?…` (the `?` is optional).
pub fn parse_query(text: &str) -> Query {
    let mut query = Query::default();
    for (key, value) in pairs(text.strip_prefix('?').unwrap_or(text)) {
        match key.as_str() {
            "url" | "b" if !value.is_empty() => query.urls.push(value),
            "a" if !value.is_empty() => query.base = Some(value),
            "embed" => query.embed = value != "0",
            "theme" => query.theme = Some(value),
            "panes" => query.panes = Some(value),
            _ => {}
        }
    }
    query
}

/// Parses `#…`.
pub fn parse_fragment(text: &str) -> Link {
    let (mut path, mut section, mut bytes) = (None, None, None);
    let (mut kernel, mut field, mut pc) = (None, None, None);
    let mut of = BuildPlace::default();
    let mut shown = ViewOptions::default();
    for (key, value) in pairs(text.strip_prefix('#').unwrap_or(text)) {
        match key.as_str() {
            _ if value.is_empty() => {}
            "p" => path = Some(value),
            "k" | "kernel" => kernel = Some(value),
            "target" => of.device = Some(value),
            "image" => of.image = Some(value),
            "file" => of.file = Some(value),
            "f" => field = Some(value),
            "pc" => pc = parse_number(&value),
            "s" => section = Some(value),
            "o" => bytes = parse_bytes(&value),
            "panel" => shown.panel = value,
            "filter" => shown.filter = value,
            "sort" => shown.sort = value,
            "group" => shown.group = value,
            "device" => shown.device = value,
            _ => {}
        }
    }
    let target = match (path, kernel, section, bytes) {
        (Some(path), ..) => Some(Target::Path(path)),
        (_, Some(kernel), ..) if pc.is_some() => Some(Target::Instruction {
            kernel,
            offset: pc.unwrap_or(0),
            of,
        }),
        (_, Some(name), ..) => Some(Target::Kernel { name, field, of }),
        (_, _, section, Some((offset, len))) => Some(Target::Bytes {
            section,
            offset,
            len,
        }),
        (_, _, Some(section), None) => Some(Target::Path(section)),
        _ => None,
    };
    Link { target, shown }
}

/// The file name in `#…`, if the link has one.
pub fn parse_file_name(text: &str) -> Option<String> {
    let mut pairs = pairs(text.strip_prefix('#').unwrap_or(text));
    pairs
        .find(|(key, value)| key == "n" && !value.is_empty())
        .map(|(_, name)| name)
}

impl Target {
    /// Describes the target: `spill_size of kernel vecadd`.
    pub fn words(&self) -> String {
        match self {
            Target::Path(path) => path.clone(),
            Target::Kernel {
                name, field: None, ..
            } => format!("kernel {name}"),
            Target::Kernel {
                name,
                field: Some(field),
                ..
            } => format!("{field} of kernel {name}"),
            Target::Instruction { kernel, offset, .. } => {
                format!("the instruction at {offset:#x} of kernel {kernel}")
            }
            Target::Bytes {
                section,
                offset,
                len,
            } => {
                let of = section.as_ref().map(|section| format!(" of {section}"));
                let bytes = if *len == 1 { "byte" } else { "bytes" };
                format!("{len} {bytes} at {offset:#x}{}", of.unwrap_or_default())
            }
        }
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

/// A number in C notation: `0x1f78` or `8056`.
pub fn parse_number(text: &str) -> Option<u64> {
    let text = text.trim();
    match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(digits) => u64::from_str_radix(digits, 16).ok(),
        None => text.parse().ok(),
    }
}

/// Writes `#…`, with the file name if the file must be opened first; empty without a target and
/// view.
pub fn fragment(link: &Link, file: Option<&str>) -> String {
    let mut out = String::new();
    let mut put = |key: &str, value: &str| {
        if !value.is_empty() {
            out.push(if out.is_empty() { '#' } else { '&' });
            out.push_str(key);
            out.push('=');
            push_encoded(&mut out, value);
        }
    };
    put("n", file.unwrap_or_default());
    match &link.target {
        Some(Target::Path(path)) => put("p", &brief_path(path)),
        Some(Target::Kernel { name, field, of }) => {
            put_name(name, &mut put);
            put("f", field.as_deref().unwrap_or_default());
            put_build(of, &mut put);
        }
        Some(Target::Instruction { kernel, offset, of }) => {
            put_name(kernel, &mut put);
            put("pc", &format!("{offset:#x}"));
            put_build(of, &mut put);
        }
        Some(Target::Bytes {
            section,
            offset,
            len,
        }) => {
            put("s", &brief_path(section.as_deref().unwrap_or_default()));
            put("o", &format!("{offset:#x}+{len}"));
        }
        None => {}
    }
    let shown = &link.shown;
    put("panel", &shown.panel);
    put("filter", &shown.filter);
    put("sort", &shown.sort);
    put("group", &shown.group);
    put("device", &shown.device);
    out
}

/// The name of a kernel; a long one, with thousands of characters, is abbreviated.
fn put_name(name: &str, put: &mut impl FnMut(&str, &str)) {
    match brief(name) {
        Some(name) => put("k", &name),
        None => put("k", name),
    }
}

fn put_build(of: &BuildPlace, put: &mut impl FnMut(&str, &str)) {
    put("target", of.device.as_deref().unwrap_or_default());
    put("image", of.image.as_deref().unwrap_or_default());
    put("file", of.file.as_deref().unwrap_or_default());
}

/// Writes `?url=…`.
pub fn query(url: &str) -> String {
    let mut out = String::from("?url=");
    push_encoded(&mut out, url);
    out
}

/// Writes `?a=…&b=…`.
pub fn pair_query(base: &str, url: &str) -> String {
    let mut out = String::from("?a=");
    push_encoded(&mut out, base);
    out.push_str("&b=");
    push_encoded(&mut out, url);
    out
}

fn pairs(text: &str) -> impl Iterator<Item = (String, String)> {
    text.split('&').map(|pair| {
        let (key, value) = pair.split_once('=').unwrap_or((pair, ""));
        (decoded(key), decoded(value))
    })
}

/// Decodes percent-encoding: `%2F` becomes `/`; invalid escapes stay as they are.
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

/// Escapes everything but readable characters that are safe in a fragment.
fn push_encoded(out: &mut String, text: &str) {
    for byte in text.bytes() {
        if byte.is_ascii_alphanumeric() || b"-._~/:[]@!$'()*,;+".contains(&byte) {
            out.push(char::from(byte));
        } else {
            out.push_str(&format!("%{byte:02X}"));
        }
    }
}

/// Path of a property in a kernel's `execution_env`.
const ENVIRONMENT: &str = "execution_env/";

/// A target within a kernel: `rest` is the path relative to its entry.
pub fn kernel_target(name: &str, rest: &str) -> Target {
    let key = rest.strip_prefix(ENVIRONMENT);
    let key = key.filter(|key| !key.contains('/'));
    Target::Kernel {
        name: name.to_owned(),
        field: match (key, rest) {
            (_, "") => None,
            (key, rest) => Some(key.unwrap_or(rest).to_owned()),
        },
        of: BuildPlace::default(),
    }
}

/// Prefix of the name of a kernel's code section, before the kernel's name.
pub const CODE: &str = ".text.";

/// Candidate paths of a property below its kernel's entry; the first that exists is used.
pub fn field_paths(field: Option<&str>) -> Vec<String> {
    let paths = |field: &str| vec![format!("{ENVIRONMENT}{field}"), field.to_owned()];
    field.map(paths).unwrap_or_default()
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
            there_and_back(target.clone());
            assert_eq!(written(target), text);
        }
        assert_eq!(
            field_paths(Some("spill_size")),
            ["execution_env/spill_size", "spill_size"]
        );
        assert_eq!(field_paths(None), [""; 0]);
    }

    #[test]
    fn kernels_have_builds() {
        let link = "#k=main::f%3Cint%3E&target=pvc&image=image%203&file=a/lib.so";
        let target = parse_fragment(link).target.expect("it has a target");
        let Target::Kernel { name, of, .. } = target.clone() else {
            panic!("{target:?}");
        };
        assert_eq!(name, "main::f<int>");
        let query = of.query(name);
        assert_eq!(query.device.as_deref(), Some("pvc"));
        assert_eq!(query.image.as_deref(), Some("image 3"));
        assert_eq!(query.file.as_deref(), Some("a/lib.so"));
        assert_eq!(written(target.clone()), link);
        let long = link.replace("#k=", "#kernel=");
        assert_eq!(parse_fragment(&long).target, Some(target));
    }

    #[test]
    fn instructions_by_their_place() {
        let target = Target::Instruction {
            kernel: "vecadd".to_owned(),
            offset: 0x40,
            of: BuildPlace::default(),
        };
        there_and_back(target.clone());
        assert_eq!(written(target), "#k=vecadd&pc=0x40");
        // Not a location: the kernel itself.
        let read = parse_fragment("#k=vecadd&pc=x");
        assert_eq!(read.target, Some(kernel_target("vecadd", "")));
    }

    fn written(target: Target) -> String {
        let target = Some(target);
        let shown = ViewOptions::default();
        fragment(&Link { target, shown }, None)
    }

    fn there_and_back(target: Target) {
        let read = parse_fragment(&written(target.clone()));
        assert_eq!(read.target, Some(target));
    }

    #[test]
    fn fragments_are_readable() {
        let path = Target::Path(".ze_info/kernels/[0]".to_owned());
        assert_eq!(written(path), "#p=.ze_info/kernels/[0]");
        let bytes = Target::Bytes {
            section: Some(".ze_info".to_owned()),
            offset: 0x78,
            len: 16,
        };
        assert_eq!(written(bytes), "#s=.ze_info&o=0x78+16");
    }

    #[test]
    fn links_contain_file_name_and_view() {
        let link = Link {
            target: Some(kernel_target("vecadd", "execution_env/spill_size")),
            shown: ViewOptions {
                panel: "kernels".to_owned(),
                filter: "spill_size>0 and \"a&b\"".to_owned(),
                sort: "-spill_size".to_owned(),
                group: "kernel".to_owned(),
                device: "pvc".to_owned(),
            },
        };
        let text = fragment(&link, Some("a b&c.zebin"));
        assert_eq!(
            text,
            "#n=a%20b%26c.zebin&k=vecadd&f=spill_size&panel=kernels\
             &filter=spill_size%3E0%20and%20%22a%26b%22&sort=-spill_size&group=kernel&device=pvc"
        );
        assert_eq!(parse_file_name(&text).as_deref(), Some("a b&c.zebin"));
        assert_eq!(parse_fragment(&text), link);
        let words = link.target.map(|target| target.words());
        assert_eq!(words.as_deref(), Some("spill_size of kernel vecadd"));
        assert_eq!(fragment(&Link::default(), Some("a")), "#n=a");
        assert_eq!(fragment(&Link::default(), None), "");
        assert_eq!(parse_fragment("#n=a"), Link::default());
        assert_eq!(parse_file_name("#k=a"), None);
    }

    #[test]
    fn fragments_round_trip() {
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
    fn invalid_fragments_have_no_target() {
        for text in ["", "#", "#x=1", "#o=", "#o=zz+1", "#o=1+", "#=&=", "#%"] {
            assert_eq!(parse_fragment(text), Link::default(), "{text}");
        }
    }

    #[test]
    fn queries() {
        let query = parse_query("?url=https%3A%2F%2Fa.b%2Fc.zebin&embed=1");
        assert_eq!(query.urls, ["https://a.b/c.zebin"]);
        assert!(query.embed);
        let pair = parse_query(&pair_query("https://a.b/c?d&e", "samples/f.zebin"));
        assert_eq!(pair.base.as_deref(), Some("https://a.b/c?d&e"));
        assert_eq!(pair.urls, ["samples/f.zebin"]);
        assert_eq!(parse_query("?url=a&url=b").urls, ["a", "b"]);
        assert_eq!(parse_query(""), Query::default());
        assert!(!parse_query("?embed=0").embed);
        assert_eq!(
            super::query("https://a.b/c?d&e"),
            "?url=https://a.b/c%3Fd%26e"
        );
    }
}
