//! ar archives: `ocloc` uses them for binaries of several devices, Level Zero for the modules of a
//! package.
//!
//! ```text
//! 64.12.55.8, 12.55.8     product configuration: a zebin, or a legacy container (ocloc concat: no 64.)
//! 64.12.55                architecture and release
//! 64.dg2, 64.dg2.C0       product, and stepping
//! generic_ir              SPIR-V for all others, in a legacy container
//! pad_N                   padding
//! modules.pkg.yml         the manifest of a module package; pkg.unit.N are its zebins
//! ```
//!
//! ```text
//! !<arch>\n │ header, 60 bytes of text │ data, padded to 2 │ header │ data │ …
//! ```
//!
//! GNU's format of names: a name ends with `/`; the member `//` holds long names, `/N` is the
//! offset of one of them. The linker's symbol table (the member `/`) is shown as bytes.

use std::ops::Range;
use std::rc::Rc;

use super::Context;
use super::device::{CONFIGS, Device, ProductConfig, release_title};
use super::format::{self, Format, OpenedDocument};
use super::reader::Window;
use super::spirv;
use super::table::slice;
use super::text::lines_node;
use super::{limits, rules};
use zeview_core::model::{
    Area, Doc, Expand, Node, NodeKind, Rows, Sources, Span, Str, Summary, Value,
};

const MAGIC: &[u8] = b"!<arch>\n";
const SOURCE: &str = "ar(5)";

/// The fields of a member's header: name, size in bytes, meaning.
const FIELDS: &[(&str, u64, Doc)] = &[
    (
        "ar_name",
        16,
        Doc::new(
            "The member's name, terminated by a slash; `//` holds long names, `/N` refers to one.",
            SOURCE,
        ),
    ),
    (
        "ar_date",
        12,
        Doc::new(
            "The time of the last change, in seconds since 1970, as decimal text.",
            SOURCE,
        ),
    ),
    (
        "ar_uid",
        6,
        Doc::new("The owner's number, as decimal text.", SOURCE),
    ),
    (
        "ar_gid",
        6,
        Doc::new("The group's number, as decimal text.", SOURCE),
    ),
    (
        "ar_mode",
        8,
        Doc::new("The permissions, as octal text.", SOURCE),
    ),
    (
        "ar_size",
        10,
        Doc::new("The size of the data in bytes, as decimal text.", SOURCE),
    ),
    (
        "ar_fmag",
        2,
        Doc::new(
            "The end of a header: a grave accent and a line feed.",
            SOURCE,
        ),
    ),
];

const HEADER: u64 = 60;
const TRAILER: &[u8] = b"`\n";

static MAGIC_DOC: Doc = Doc::new("The magic number of archives.", SOURCE);
static MEMBER_DOC: Doc = Doc::new(
    "A member of the archive. In archives of ocloc its name gives the device: the size of a pointer, and a product configuration, a release or a product.",
    SOURCE,
);
static FILLER_DOC: Doc = Doc::new(
    "Padding: it aligns the data of the next member to 8 bytes. ocloc writes and hides such members.",
    SOURCE,
);
static LONG_NAMES_DOC: Doc = Doc::new("The names that are longer than 15 bytes.", SOURCE);
static SYMBOLS_DOC: Doc = Doc::new("The linker's index of symbols.", SOURCE);
static GENERIC_DOC: Doc = Doc::new(
    "SPIR-V and build options for all devices, in a legacy OpenCL container. The driver does not load it as a zebin; it compiles the SPIR-V if no member matches the device.",
    SOURCE,
);
static MANIFEST_DOC: Doc = Doc::new(
    "The manifest of a module package: its version, and the names of the members that are modules.",
    "compute-runtime, module packages",
);
static UNIT_DOC: Doc = Doc::new("A module of a package.", "compute-runtime, module packages");
static DEVICE_DOC: Doc = Doc::new(
    "The device in the member's name.",
    "compute-runtime, multi-device binaries",
);

/// The ar format.
#[derive(Debug)]
pub struct Ar;

struct Member {
    header: Span,
    /// The part of the data that is in the file.
    data: Span,
    /// The padding byte after data of odd size.
    padding: Span,
    name: Box<str>,
    content: Option<Box<OpenedDocument>>,
    /// Its lines, if it is text.
    lines: Option<Box<Node>>,
}

/// The role of a member, by its name.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Role {
    /// An image for a device, with the device's description.
    Device(String),
    /// SPIR-V for all devices.
    Generic,
    /// Padding.
    Filler,
    /// The manifest of a package.
    Manifest,
    /// A module of a package.
    Unit,
    /// The table of long names.
    LongNames,
    /// The linker's symbol table.
    Symbols,
    /// Any other member.
    Other,
}

impl Role {
    fn of(name: &str) -> Role {
        match name {
            "//" => Role::LongNames,
            "/" | "/SYM64" => Role::Symbols,
            "generic_ir" => Role::Generic,
            "modules.pkg.yml" => Role::Manifest,
            _ if name.starts_with("pad_") => Role::Filler,
            _ if name.starts_with("pkg.unit.") => Role::Unit,
            _ => device_text(name).map_or(Role::Other, Role::Device),
        }
    }

    fn doc(&self) -> &'static Doc {
        match self {
            Role::Generic => &GENERIC_DOC,
            Role::Filler => &FILLER_DOC,
            Role::Manifest => &MANIFEST_DOC,
            Role::Unit => &UNIT_DOC,
            Role::LongNames => &LONG_NAMES_DOC,
            Role::Symbols => &SYMBOLS_DOC,
            Role::Device(_) | Role::Other => &MEMBER_DOC,
        }
    }

    /// Returns whether its bytes are opened as a file.
    fn is_file(&self) -> bool {
        matches!(
            self,
            Role::Device(_) | Role::Generic | Role::Unit | Role::Other
        )
    }
}

/// Describes the device in a member's name: `dg2-g10-c0, 64 bit`. Returns `None` for other names.
fn device_text(name: &str) -> Option<String> {
    let (bits, rest) = match name.split_once('.') {
        Some((bits @ ("32" | "64"), rest)) => (Some(bits), rest),
        _ => (None, name),
    };
    let numbers = |text: &str| -> Option<Vec<u32>> {
        text.split('.').map(|part| part.parse().ok()).collect()
    };
    let device = match numbers(rest).as_deref() {
        Some([_, _, _]) => Device::named(rest)?.name(),
        Some([architecture, release]) => {
            let same = |c: &&ProductConfig| c.value >> 14 == (architecture << 8 | release);
            release_title(CONFIGS.iter().find(same)?.release)
        }
        Some(_) => return None,
        // Only with the size of a pointer: any member could be called dg2.
        None => {
            bits?;
            let (product, stepping) = match rest.split_once('.') {
                Some((product, stepping)) => (product, format!(" {stepping}")),
                None => (rest, String::new()),
            };
            Device::named(product).map(|_| format!("{product}{stepping}"))?
        }
    };
    Some(match bits {
        Some(bits) => format!("{device}, {bits} bit"),
        None => device,
    })
}

/// Devices named by an archive's members, in order. Does not open the members.
pub fn devices(sources: &Sources, archive: Span) -> Vec<Str> {
    // Opening the archive reports its errors.
    let mut found: Vec<Str> = Vec::new();
    let mut at = MAGIC.len() as u64;
    while let Some((name, size)) = header_at(sources, archive, at) {
        if let Role::Device(words) = Role::of(name.strip_suffix('/').unwrap_or(&name)) {
            let device = words.split(", ").next().unwrap_or(&words).to_owned();
            if !found.iter().any(|known| *known == device) {
                found.push(device.into());
            }
        }
        let size = size.saturating_add(size % 2);
        at = at.saturating_add(HEADER).saturating_add(size);
    }
    found
}

/// The name field and the size in the header of the member at an offset.
fn header_at(sources: &Sources, archive: Span, at: u64) -> Option<(String, u64)> {
    let header = Window::clamped(sources, archive.subspan(at, HEADER));
    let text = header.bytes();
    if text.get(58..60) != Some(TRAILER) {
        return None;
    }
    let field = |from, to| Some(std::str::from_utf8(text.get(from..to)?).ok()?.trim_end());
    Some((field(0, 16)?.to_owned(), field(48, 58)?.parse().ok()?))
}

impl Member {
    fn role(&self) -> Role {
        Role::of(&self.name)
    }

    fn whole(&self) -> Span {
        Span::new(self.header.source, self.header.start, self.padding.end)
    }
}

struct Archive {
    magic: Span,
    members: Vec<Member>,
    rest: Span,
}

impl Format for Ar {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(MAGIC)
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "archive"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut members = Vec::new();
        let mut at = MAGIC.len() as u64;
        let mut long_names = Span::default();
        while at < span.len() {
            let Some(member) = read_member(cx, span, at, long_names) else {
                break;
            };
            at = member.padding.end - span.start;
            if &*member.name == "//" {
                long_names = member.data;
            }
            members.push(member);
        }
        let rest = span.skip(at);
        cx.gap(rest);
        check_kernels(cx, &members);
        let summary = summary(span, &members);
        let archive = Archive {
            magic: span.subspan(0, MAGIC.len() as u64),
            members,
            rest,
        };
        let count = archive.len();
        OpenedDocument {
            summary,
            content: Some((cx.register(Rc::new(archive)), TOP, Some(count))),
        }
    }
}

/// Checks that the native code for each device has all kernels of the SPIR-V for all devices.
fn check_kernels(cx: &Context<'_>, members: &[Member]) {
    let generic = members.iter().find(|m| m.role() == Role::Generic);
    let module = generic.and_then(|member| cx.inner_of(member.data, "spirv"));
    let Some(module) = module else { return };
    let kernels = spirv::kernel_names(cx.sources, module);
    let Some((_, last)) = kernels.last() else {
        return;
    };
    let read = Span::new(module.source, module.start, last.end);
    let native = members
        .iter()
        .filter(|member| matches!(member.role(), Role::Device(_)));
    for member in native {
        let content = member.content.as_ref().and_then(|opened| opened.content);
        let native = content.and_then(|(id, item, _)| cx.expander(id)?.interfaces(item).kernels);
        let Some(native) = native.filter(|_| cx.may_walk(read)) else {
            continue;
        };
        for (name, span) in kernels.iter().filter(|(name, _)| !native.has_native(name)) {
            cx.report_with(
                &rules::ZEBIN_KERNEL_ONLY_IN_SPIRV,
                *span,
                format_args!("no native code of {name} in {}", member.name),
                &[(member.header, "the member")],
                None,
            );
        }
    }
}

fn summary(span: Span, members: &[Member]) -> Summary {
    let has = |role: fn(&Role) -> bool| members.iter().any(|member| role(&member.role()));
    let title = if has(|role| *role == Role::Manifest) {
        "Level Zero module package"
    } else if has(|role| matches!(role, Role::Device(_) | Role::Generic)) {
        "ocloc archive"
    } else {
        "archive"
    };
    let images = members.iter().filter_map(|member| {
        let opened = member.content.as_ref()?;
        Some((&*member.name, member.data, &**opened))
    });
    Summary::new("ar", title, format::image_facts(span, images))
}

fn read_member(cx: &Context<'_>, span: Span, at: u64, long_names: Span) -> Option<Member> {
    let header = span.subspan(at, HEADER);
    let window = Window::clamped(cx.sources, header);
    let text = window.bytes();
    if header.len() < HEADER || text.get(58..60) != Some(TRAILER) {
        cx.report(
            &rules::AR_HEADER,
            header,
            if header.len() < HEADER {
                "the header of the member is truncated"
            } else {
                "the header of the member does not end with a grave accent and a line feed"
            },
        );
        return None;
    }
    let field = |from: usize, to: usize| {
        let bytes = text.get(from..to).unwrap_or(&[]);
        String::from_utf8_lossy(bytes).trim_end().to_owned()
    };
    let size_span = header.subspan(48, 10);
    let Ok(size) = field(48, 58).parse::<u64>() else {
        cx.report(
            &rules::AR_HEADER,
            size_span,
            format_args!("the size {:?} is not a number", field(48, 58)),
        );
        return None;
    };
    let data = span.subspan(at + HEADER, size);
    if data.len() < size {
        cx.report_with(
            &rules::AR_MEMBER_OUT_OF_BOUNDS,
            size_span,
            format_args!(
                "the member has {size} bytes, but only {} are in the archive",
                data.len()
            ),
            &[(data, "its data")],
            None,
        );
    }
    let padding = Span::with_len(span.source, data.end, size % 2).intersect(span);
    cx.padding(padding);
    let name = member_name(cx, &field(0, 16), long_names);
    let role = Role::of(&name);
    let content = if role.is_file() && !data.is_empty() {
        format::nested_file(cx, data, limits::HOST_SCAN)
    } else {
        None
    };
    let lines = (role == Role::Manifest).then(|| {
        let node = Node::new(NodeKind::Text, "text", data);
        lines_node(cx, data, node.area(Area::Meta))
    });
    Some(Member {
        header,
        data,
        padding,
        name: name.into(),
        content: content.map(Box::new),
        lines: lines.map(Box::new),
    })
}

fn member_name(cx: &Context<'_>, field: &str, long_names: Span) -> String {
    if field == "//" || field == "/" {
        return field.to_owned();
    }
    if let Some(offset) = field.strip_prefix('/').and_then(|n| n.parse::<u64>().ok()) {
        let window = Window::clamped(cx.sources, long_names.subspan(offset, 4096));
        let name = window.bytes().split(|b| matches!(b, b'/' | b'\n')).next();
        return String::from_utf8_lossy(name.unwrap_or(&[])).into_owned();
    }
    field.strip_suffix('/').unwrap_or(field).to_owned()
}

const TOP: u64 = u64::MAX;
/// Set in an item: the fields of the member's header.
const HEADER_ITEM: u64 = 1 << 56;

impl Archive {
    fn len(&self) -> u64 {
        1 + self.members.len() as u64 + u64::from(!self.rest.is_empty())
    }

    fn member(&self, index: u64) -> Option<&Member> {
        self.members.get(usize::try_from(index).ok()?)
    }

    fn top(&self, index: u64, out: &Rows<'_>) -> Node {
        let Some(at) = index.checked_sub(1) else {
            return Node::field("magic", Value::text("!<arch>\n"), self.magic)
                .area(Area::Header)
                .doc(&MAGIC_DOC);
        };
        let Some(member) = self.member(at) else {
            return Node::gap("trailing bytes", self.rest);
        };
        let role = member.role();
        let node = Node::new(NodeKind::Item, member.name.to_string(), member.whole()).children(
            out.me,
            at,
            Some(rows_of(member).len() as u64),
        );
        let node = node.doc(role.doc());
        match (&role, &member.content) {
            (_, Some(opened)) => node.summary(format::headline(opened)).area(Area::Code),
            (Role::Filler, None) => node.summary("alignment").area(Area::Padding),
            (Role::LongNames, None) => node.summary("long names"),
            (Role::Symbols, None) => node.summary("symbols"),
            (Role::Manifest, None) => node.summary("manifest"),
            _ => node,
        }
    }

    fn part(&self, index: u64, member: &Member, part: Part, out: &Rows<'_>) -> Node {
        match part {
            Part::Header => Node::new(NodeKind::Record, "header", member.header)
                .area(Area::Header)
                .children(out.me, index | HEADER_ITEM, Some(FIELDS.len() as u64)),
            Part::Device => {
                let words = match member.role() {
                    Role::Device(words) => words,
                    _ => String::new(),
                };
                Node::derived("device", Value::text(words)).doc(&DEVICE_DOC)
            }
            Part::Data => match (&member.content, &member.lines) {
                (Some(opened), _) => format::document_node("data".to_owned(), member.data, opened),
                (None, Some(lines)) => Node::clone(lines),
                (None, None) if member.role().is_file() => {
                    format::nested_node(out.sources, "data".to_owned(), member.data, None)
                }
                (None, None) => Node::new(NodeKind::Blob, "data", member.data).value(Value::Bytes),
            },
            Part::Padding => Node::padding(member.padding),
        }
    }
}

#[derive(Debug, Clone, Copy)]
enum Part {
    Header,
    Device,
    Data,
    Padding,
}

fn rows_of(member: &Member) -> Vec<Part> {
    let mut parts = vec![Part::Header];
    if matches!(member.role(), Role::Device(_)) {
        parts.push(Part::Device);
    }
    if !member.data.is_empty() {
        parts.push(Part::Data);
    }
    if !member.padding.is_empty() {
        parts.push(Part::Padding);
    }
    parts
}

impl Expand for Archive {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            TOP => self.len(),
            _ if item & HEADER_ITEM != 0 => FIELDS.len() as u64,
            _ => self.member(item).map_or(0, |m| rows_of(m).len() as u64),
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item == TOP {
            for index in range {
                let node = self.top(index, out);
                out.push(node);
            }
            return;
        }
        let Some(member) = self.member(item & !HEADER_ITEM) else {
            return;
        };
        if item & HEADER_ITEM == 0 {
            for part in slice(&rows_of(member), range) {
                let node = self.part(item, member, *part, out);
                out.push(node);
            }
            return;
        }
        let mut at = 0;
        for (index, (name, size, doc)) in (0..).zip(FIELDS) {
            let span = member.header.subspan(at, *size);
            at += size;
            if range.contains(&index) {
                let bytes = Window::clamped(out.sources, span);
                out.push(Node::field(*name, Value::text_from(bytes.bytes()), span).doc(doc));
            }
        }
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        if item != TOP {
            return None;
        }
        if self.magic.contains_offset(offset) {
            return Some(vec![0]);
        }
        let after = self.members.partition_point(|m| m.whole().end <= offset);
        Some(vec![1 + after as u64])
    }
}
