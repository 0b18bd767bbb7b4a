//! The rules of SYCLBIN, OffloadBinary and property sets.

use std::ops::Range;

use super::{Case, bytes};
use crate::support::syclbin::{Entry, Offload, Syclbin, Text, global, ir_text, patched, words};
use zeview::decode::rule::Rule;
use zeview::decode::rules as r;

fn case(rule: &'static Rule, fires: Vec<u8>, at: Range<usize>) -> Case {
    bytes(rule, &fires, at, &right().v1())
}

/// The rule fires at the only occurrence of this text; if it has brackets `«»`, at the part between
/// them.
fn at_text(rule: &'static Rule, fires: Vec<u8>, marked: &str) -> Case {
    let text = marked.replace(['«', '»'], "");
    let (before, rest) = marked.split_once('«').unwrap_or(("", marked));
    let inner = rest.split_once('»').map_or(rest, |(inner, _)| inner);
    let places: Vec<usize> = fires
        .windows(text.len())
        .enumerate()
        .filter(|(_, w)| *w == text.as_bytes())
        .map(|(at, _)| at)
        .collect();
    let [at] = places[..] else {
        panic!("{}: {text:?} is there {} times", rule.id, places.len());
    };
    let at = at + before.len();
    case(rule, fires, at..at + inner.len())
}

/// The rule fires anywhere.
fn somewhere(rule: &'static Rule, fires: Vec<u8>) -> Case {
    Case {
        at: None,
        ..case(rule, fires, 0..0)
    }
}

/// Returns a SYCLBIN whose first abstract module has these properties.
fn properties(text: Text) -> Vec<u8> {
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].text = text;
    syclbin.v1()
}

fn property_sets() -> Vec<Case> {
    let set = || Text::default().set("mine");
    let plain = |marked: &str| marked.replace(['«', '»'], "");
    let line = |rule, marked: &str| {
        let file = properties(set().line(plain(marked)));
        at_text(rule, file, marked)
    };
    let twice = set().number("key", 1).number("other", 1).line("key=1|222");
    vec![
        line(&r::PROPERTY_LINE, "nothing"),
        line(&r::PROPERTY_LINE, "[open"),
        line(&r::PROPERTY_LINE, "wordless=7"),
        at_text(
            &r::PROPERTY_WITHOUT_SET,
            properties(Text::default().number("setless", 1)),
            "setless=1|1",
        ),
        line(&r::PROPERTY_TYPE, "k=«333»|1"),
        line(&r::PROPERTY_TYPE, "k=«4294967297»|1"),
        line(&r::PROPERTY_NUMBER, "k=1|«4294967296»"),
        line(&r::PROPERTY_NUMBER, "k=1|«0x77»"),
        line(&r::PROPERTY_BASE64, "k=2|CAAA« »AAAAAAQ"),
        line(&r::PROPERTY_BASE64, "k=2|«IAAAAAAAAAAAA»"),
        line(&r::PROPERTY_BITS, "k=2|«IAAA»"),
        line(&r::PROPERTY_BITS, "k=2|«AIAAAAAAAAQYiNG»"),
        somewhere(&r::PROPERTY_NUL, properties(set().line("k=1|1\0"))),
        somewhere(&r::PROPERTY_TWICE, properties(twice)),
        somewhere(
            &r::PROPERTY_TWICE,
            properties(set().set("other").set("mine")),
        ),
    ]
}

/// Offsets of the fields of the first generation's header.
mod header {
    pub const VERSION: usize = 4;
    pub const MODULES: usize = 8;
    pub const IR: usize = 12;
    pub const METADATA: usize = 24;
    pub const BINARY: usize = 32;
    pub const GLOBAL_AT: usize = 40;
    pub const GLOBAL_SIZE: usize = 48;
    /// Abstract module headers.
    pub const FIRST: usize = 56;
    /// IR module headers of a file with two abstract modules.
    pub const FIRST_IR: usize = 56 + 64;
}

fn first_generation() -> Vec<Case> {
    use header::*;
    let good = Syclbin::small().v1();
    let with = |rule, at: usize, size: usize, number| {
        case(rule, patched(&good, at, size, number), at..at + size)
    };
    let size_of = |rule, at: usize, offset, size| {
        let file = patched(&patched(&good, at, 8, offset), at + 8, 8, size);
        case(rule, file, at + 8..at + 16)
    };
    let state = |number| {
        let mut syclbin = Syclbin::small();
        syclbin.global = global(number);
        syclbin.v1()
    };
    let mut uncounted = patched(&good, FIRST + 16, 4, 0);
    uncounted = patched(&uncounted, FIRST + 20, 4, 0);
    vec![
        case(&r::SYCLBIN_HEADER, good[..55].to_vec(), 0..55),
        case(&r::SYCLBIN_HEADER, good[..3].to_vec(), 0..3),
        case(&r::SYCLBIN_MAGIC, patched(&good, 0, 4, 0x4942_5953), 0..4),
        with(&r::SYCLBIN_VERSION, VERSION, 4, 2),
        with(&r::SYCLBIN_TABLE, MODULES, 4, u64::MAX),
        with(&r::SYCLBIN_TABLE, IR, 4, u64::MAX),
        with(&r::SYCLBIN_TABLE, METADATA, 8, u64::MAX),
        with(&r::SYCLBIN_TABLE, METADATA, 8, u64::MAX - 7),
        with(&r::SYCLBIN_TABLE, BINARY, 8, u64::MAX),
        with(&r::SYCLBIN_OUT_OF_BOUNDS, GLOBAL_SIZE, 8, 1 << 20),
        size_of(&r::SYCLBIN_OUT_OF_BOUNDS, GLOBAL_AT, u64::MAX - 3, 8),
        size_of(&r::SYCLBIN_OUT_OF_BOUNDS, FIRST, u64::MAX, 1),
        size_of(&r::SYCLBIN_OUT_OF_BOUNDS, FIRST_IR + 16, u64::MAX - 3, 4),
        size_of(&r::SYCLBIN_OUT_OF_BOUNDS, FIRST_IR + 16, 4, u64::MAX),
        with(&r::SYCLBIN_INDEX, FIRST + 16, 4, 3),
        with(&r::SYCLBIN_INDEX, FIRST + 16, 4, u64::MAX),
        with(&r::SYCLBIN_INDEX, FIRST + 32 + 24, 4, 2),
        case(
            &r::SYCLBIN_FIRST_INDEX,
            patched(&good, FIRST + 32 + 20, 4, 0),
            FIRST + 32 + 20..FIRST + 32 + 24,
        ),
        case(&r::SYCLBIN_UNUSED, uncounted, FIRST_IR..FIRST_IR + 32),
        at_text(&r::SYCLBIN_STATE, state(77), "state=1|«77»\n"),
        with(&r::SYCLBIN_STATE, GLOBAL_SIZE, 8, 0).nowhere(),
    ]
}

impl Case {
    /// The rule fires at bytes that the case does not name.
    fn nowhere(mut self) -> Case {
        self.at = None;
        self
    }
}

/// Returns the small second-generation SYCLBIN with modified entries.
fn with_entries(change: impl FnOnce(&mut Vec<Entry>)) -> Vec<u8> {
    let mut entries = Syclbin::small().entries();
    change(&mut entries);
    Offload::new(2, entries).build()
}

fn changed(index: usize, change: impl FnOnce(Entry) -> Entry) -> Vec<u8> {
    with_entries(|entries| entries[index] = change(entries[index].clone()))
}

/// Returns the range of an entry.
fn place(index: usize) -> Range<usize> {
    32 + 40 * index..72 + 40 * index
}

/// Entries: 0 global, 1 first module, 2 its IR, 3 second module, 4 its IR, 5 its image.
fn second_generation() -> Vec<Case> {
    let value = |rule, index, key: &str, value: &str| {
        let file = changed(index, |entry| entry.string(key, value));
        at_text(rule, file, &format!("\0«{value}»\0"))
    };
    let image = |bytes: Vec<u8>| {
        changed(2, |entry| Entry {
            image: bytes,
            ..entry
        })
    };
    let oversized = image([&[200, 0, 0, 0, 0, 0, 0, 0][..], b"text"].concat());
    let at = oversized
        .windows(12)
        .position(|w| w == b"\xc8\0\0\0\0\0\0\0text")
        .unwrap();
    vec![
        case(
            &r::SYCLBIN_IMAGE_KIND,
            changed(2, |entry| Entry {
                image_kind: 6,
                ..entry
            }),
            place(2).start..place(2).start + 2,
        ),
        case(
            &r::SYCLBIN_OFFLOAD_KIND,
            changed(2, |entry| Entry {
                offload_kind: 1,
                ..entry
            }),
            place(2).start + 2..place(2).start + 4,
        ),
        value(&r::SYCLBIN_ROLE, 2, "role", "Native"),
        case(
            &r::SYCLBIN_ROLE,
            changed(2, |e| e.without("role")),
            place(2),
        ),
        value(&r::SYCLBIN_AM_INDEX, 2, "am_index", "+0"),
        value(&r::SYCLBIN_AM_INDEX, 2, "am_index", "0x0"),
        value(&r::SYCLBIN_AM_INDEX, 2, "am_index", "18446744073709551616"),
        value(&r::SYCLBIN_AM_INDEX, 2, "am_index", "999"),
        case(
            &r::SYCLBIN_AM_INDEX,
            changed(2, |e| e.without("am_index")),
            place(2),
        ),
        value(&r::SYCLBIN_VERSION, 0, "sycl_format_version", "33"),
        case(
            &r::SYCLBIN_GLOBAL,
            with_entries(|entries| entries.push(entries[0].clone())),
            place(6),
        ),
        case(
            &r::SYCLBIN_GLOBAL,
            with_entries(|entries| {
                entries.remove(0);
            }),
            place(0),
        ),
        case(
            &r::SYCLBIN_AM_METADATA,
            with_entries(|entries| entries.push(entries[1].clone())),
            place(6),
        ),
        case(
            &r::SYCLBIN_AM_METADATA,
            with_entries(|entries| {
                entries.remove(1);
            }),
            place(1),
        ),
        case(
            &r::SYCLBIN_IMAGE,
            image(vec![0; 7]),
            place(2).end - 8..place(2).end,
        ),
        case(&r::SYCLBIN_IMAGE, oversized, at..at + 8),
        value(&r::SYCLBIN_COPY, 2, "triple", "another"),
        value(&r::SYCLBIN_COPY, 5, "arch", "pvcs"),
        value(&r::SYCLBIN_COPY, 2, "ir_type", "777"),
    ]
}

fn offload_binary() -> Vec<Case> {
    let one = |version| {
        let entry = Entry::of_kind(6, b"image".to_vec()).string("triple", "spir64");
        Offload::new(version, vec![entry]).build()
    };
    let good = one(2);
    let with = |rule, at: usize, size: usize, number| {
        case(rule, patched(&good, at, size, number), at..at + size)
    };
    let old = one(1);
    let first = patched(&old, 72 + 8, 8, 1 << 40);
    let twice = Entry::of_kind(6, vec![])
        .string("role", "x")
        .again("role", "ir");
    let compressed = patched(&one(3), 32, 8, 1000);
    let len = good.len() as u64;
    let itself = patched(&patched(&good, 32 + 24, 8, 0), 32 + 32, 8, len);
    let overlapping = patched(&good, 32 + 24, 8, 32 + 39);
    let mut deep = vec![0; 8];
    for _ in 0..20 {
        deep = Offload::new(2, vec![Entry::of_kind(1, deep)]).build();
    }
    vec![
        case(&r::OFFLOAD_HEADER, good[..31].to_vec(), 0..31),
        with(&r::OFFLOAD_VERSION, 4, 4, 0),
        with(&r::OFFLOAD_VERSION, 4, 4, 4),
        with(&r::OFFLOAD_SIZE, 8, 8, 31),
        with(&r::OFFLOAD_SIZE, 8, 8, len + 1),
        with(&r::OFFLOAD_SIZE, 8, 8, u64::MAX),
        with(&r::OFFLOAD_EMPTY, 24, 8, 0),
        with(&r::OFFLOAD_TABLE, 24, 8, 1 << 61),
        with(&r::OFFLOAD_TABLE, 24, 8, u64::MAX),
        case(&r::OFFLOAD_TABLE, patched(&good, 16, 8, u64::MAX), 24..32),
        with(&r::OFFLOAD_TABLE, 32 + 16, 8, u64::MAX),
        case(&r::OFFLOAD_ENTRY_SIZE, patched(&old, 24, 8, 39), 24..32),
        case(&r::OFFLOAD_ENTRY_LONGER, patched(&old, 24, 8, 41), 24..32),
        with(&r::OFFLOAD_IMAGE, 32 + 32, 8, u64::MAX),
        case(
            &r::OFFLOAD_IMAGE,
            patched(&good, 32 + 24, 8, u64::MAX),
            32 + 32..32 + 40,
        ),
        case(&r::OFFLOAD_STRING, patched(&good, 72, 8, 1 << 40), 72..96),
        case(&r::OFFLOAD_STRING, patched(&good, 80, 8, u64::MAX), 72..96),
        case(&r::OFFLOAD_STRING, patched(&good, 88, 8, u64::MAX), 72..96),
        case(&r::OFFLOAD_STRING, first, 72..88),
        case(
            &r::OFFLOAD_KEY_TWICE,
            Offload::new(2, vec![twice]).build(),
            72 + 24..72 + 32,
        ),
        case(&r::OFFLOAD_COMPRESSED, compressed, 32..40),
        case(&r::OFFLOAD_SELF, itself, 32..72),
        somewhere(&r::TOO_DEEP, deep),
        case(&r::SHARED_BYTES, overlapping, 71..72),
    ]
}

pub fn cases() -> Vec<Case> {
    let mut all = property_sets();
    all.extend(first_generation());
    all.extend(second_generation());
    all.extend(offload_binary());
    all
}

/// Returns a correct SYCLBIN with properties of each kind.
fn right() -> Syclbin {
    let mut whole = Syclbin::small();
    whole.modules[0].text = Text::default()
        .set("SYCL/device requirements")
        .bytes("aspects", &words(&[1]))
        .set("mine")
        .number("key", 1)
        .set("SYCLBIN/ir module metadata")
        .number("key", 1);
    whole.modules[1].ir[0].text = ir_text(0, "spir64-unknown-unknown");
    whole
}

#[test]
fn every_rule_stays_silent_where_it_should() {
    for file in [right().v1(), right().v2()] {
        assert_eq!(crate::support::open(&file).diagnostics, []);
    }
}
