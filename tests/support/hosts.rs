//! Host files with device images, built from intel/llvm's ClangOffloadWrapper.cpp, and their
//! comparison with another reader.

use std::collections::BTreeMap;

use serde_json::Value;
use zeview::analysis::host_images::{HostImage, ImageDescription};
use zeview::analysis::modules::PropertyValue;
use zeview::model::{Document, NodeId, NodeKind, Span};

use super::elf::{Class, Elf, Section, put};

/// Base address of the file in memory.
const BASE: u64 = 0x40_0000;

/// A host program: bytes of data, and the pointers in them.
pub struct Host {
    pub class: Class,
    /// Name of the section with the images.
    pub device: String,
    images: Vec<u8>,
    data: Vec<u8>,
    references: Vec<u8>,
    /// Pointers: offset in the data (or in `.tgtimg`, if marked) and target.
    pointers: Vec<(bool, usize, Place)>,
    /// Whether the dynamic linker writes the words.
    pub relocated: bool,
    /// Packed table of relative relocations (DT_RELR): the first address, and the number of words
    /// after it that relocate 63 words each. Only for programs that are `relocated`.
    pub packed: Option<(Place, usize)>,
    /// Number of additional empty segments.
    pub segments: usize,
}

/// A location.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    Image(usize),
    Data(usize),
    /// Offset in the file itself, with its headers.
    File(usize),
}

impl Host {
    pub fn new(class: Class) -> Host {
        Host {
            class,
            device: "__CLANG_OFFLOAD_BUNDLE__sycl-spir64".to_owned(),
            images: Vec::new(),
            data: vec![0xcc; 8],
            references: Vec::new(),
            pointers: Vec::new(),
            relocated: false,
            packed: None,
            segments: 0,
        }
    }

    fn word(&self) -> usize {
        self.class.word()
    }

    /// Adds the bytes of an image. Returns its start and end.
    pub fn image(&mut self, bytes: &[u8]) -> (Place, Place) {
        let at = self.images.len().next_multiple_of(16);
        self.images.resize(at, 0);
        self.images.extend(bytes);
        (Place::Image(at), Place::Image(self.images.len()))
    }

    /// Returns the location of the next added data.
    pub fn here(&mut self) -> Place {
        let at = self.data.len().next_multiple_of(self.word());
        self.data.resize(at, 0);
        Place::Data(at)
    }

    pub fn number(&mut self, value: u64, size: usize) {
        let at = self.data.len().next_multiple_of(size.min(self.word()));
        self.data.resize(at, 0);
        self.data.extend(&value.to_le_bytes()[..size]);
    }

    pub fn pointer(&mut self, to: Option<Place>) {
        let word = self.word();
        self.number(0, word);
        if let Some(to) = to {
            self.pointers.push((false, self.data.len() - word, to));
        }
    }

    /// Adds `count` more relocations of the last pointer, with the same value.
    pub fn relocate_again(&mut self, count: usize) {
        let last = self.pointers.last().copied();
        self.pointers.extend(last.into_iter().cycle().take(count));
    }

    pub fn text(&mut self, text: &str) -> Place {
        let here = self.here();
        self.data.extend(text.bytes());
        self.data.push(0);
        here
    }

    /// Adds entries in the old format. Returns their start and end.
    pub fn entries(&mut self, names: &[&str]) -> (Place, Place) {
        let names: Vec<Place> = names.iter().map(|name| self.text(name)).collect();
        let start = self.here();
        for name in names {
            self.pointer(None);
            self.pointer(Some(name));
            self.number(0, self.word());
            self.number(0, 4);
            self.number(0, 4);
        }
        (start, Place::Data(self.data.len()))
    }

    /// Adds a property set with numbers. Returns the start and end of an array that contains only
    /// this set.
    pub fn set(&mut self, name: &str, properties: &[(&str, u64)]) -> (Place, Place) {
        let name = self.text(name);
        let names: Vec<Place> = properties.iter().map(|p| self.text(p.0)).collect();
        let begin = self.here();
        for (name, (_, value)) in names.into_iter().zip(properties) {
            self.pointer(Some(name));
            self.pointer(None);
            self.number(1, 4);
            self.number(*value, 8);
        }
        let end = Place::Data(self.data.len());
        let start = self.here();
        self.pointer(Some(name));
        self.pointer(Some(begin));
        self.pointer(Some(end));
        (start, Place::Data(self.data.len()))
    }

    /// Adds an image struct. Returns its location.
    pub fn image_struct(
        &mut self,
        version: u64,
        target: Place,
        image: (Place, Place),
        entries: (Place, Place),
        sets: Option<(Place, Place)>,
    ) -> Place {
        let here = self.here();
        self.number(version, 2);
        self.number(4, 1);
        self.number(0, 1);
        let options = if version == 1 { 1 } else { 2 };
        self.pointer(Some(target));
        for _ in 0..options {
            self.pointer(None);
        }
        for _ in 0..if version == 3 { 0 } else { 2 } {
            self.pointer(None);
        }
        for place in [image.0, image.1, entries.0, entries.1] {
            self.pointer(Some(place));
        }
        if version > 1 {
            self.pointer(sets.map(|sets| sets.0));
            self.pointer(sets.map(|sets| sets.1));
        }
        here
    }

    /// Adds a descriptor of consecutive image structs.
    pub fn descriptor(&mut self, structs: Place, count: u64) {
        self.here();
        self.number(1, 2);
        self.number(count, 2);
        self.pointer(Some(structs));
        self.pointer(None);
        self.pointer(None);
    }

    /// Adds an entry to `.tgtimg`.
    pub fn reference(&mut self, start: Place, size: u64) {
        let word = self.word();
        self.pointers.push((true, self.references.len(), start));
        self.references.resize(self.references.len() + word, 0);
        self.references.extend(&size.to_le_bytes()[..word]);
    }

    /// Writes a Windows program, which may be loaded at another address if it is relocated.
    /// Independent of the decoder, from Microsoft's PE Format.
    pub fn build_program(&self) -> Vec<u8> {
        // Sections are contiguous in the file and in memory.
        const PAGE: usize = 0x1000;
        let word = self.word();
        let whole = |bytes: &[u8]| {
            let mut bytes = bytes.to_vec();
            bytes.resize(bytes.len().max(1).next_multiple_of(PAGE), 0);
            bytes
        };
        let mut contents = [&self.images, &self.data, &self.references].map(|b| whole(b));
        let starts = [
            PAGE,
            PAGE + contents[0].len(),
            PAGE + contents[0].len() + contents[1].len(),
        ];
        let mut places = Vec::new();
        for (is_reference, offset, to) in &self.pointers {
            let section = if *is_reference { 2 } else { 1 };
            let to = match to {
                Place::Image(at) => starts[0] + at,
                Place::Data(at) => starts[1] + at,
                Place::File(at) => *at,
            };
            let range = *offset..*offset + word;
            put(&mut contents[section], range, BASE + to as u64, false);
            places.push(starts[section] + offset);
        }
        places.sort_unstable();
        // A block for each page: IMAGE_REL_BASED_DIR64, IMAGE_REL_BASED_HIGHLOW.
        let kind = if word == 8 { 10 } else { 3 };
        let mut blocks = Vec::new();
        for page in places.chunk_by(|a, b| a / PAGE == b / PAGE) {
            let mut entries: Vec<u16> = page
                .iter()
                .map(|at| kind << 12 | (at % PAGE) as u16)
                .collect();
            entries.resize(entries.len().next_multiple_of(2), 0);
            let size = 8 + 2 * entries.len() as u32;
            blocks.extend(((page[0] / PAGE * PAGE) as u32).to_le_bytes());
            blocks.extend(size.to_le_bytes());
            blocks.extend(entries.iter().flat_map(|entry| entry.to_le_bytes()));
        }
        let size = blocks.len();
        let mut sections: Vec<(&str, &[u8], usize)> = Vec::new();
        let sizes = [&self.images, &self.data, &self.references].map(Vec::len);
        for ((name, bytes), size) in ["__CLANG_", ".data", ".tgtimg"]
            .into_iter()
            .zip(&contents)
            .zip(sizes)
        {
            sections.push((name, bytes, size));
        }
        let blocks = whole(&blocks);
        if self.relocated {
            sections.push((".reloc", &blocks, size));
        }
        let mut out = b"MZ".to_vec();
        out.resize(0x3c, 0);
        out.extend(0x40_u32.to_le_bytes());
        out.extend(b"PE\0\0");
        let (machine, magic, base_at, directories) = match word {
            8 => (0x8664, 0x20b, 24, 112),
            _ => (0x14c, 0x10b, 28, 96),
        };
        let mut optional = vec![0; directories + 16 * 8];
        put(&mut optional, 0..2, magic, false);
        put(&mut optional, base_at..base_at + word, BASE, false);
        let table = PAGE + contents.iter().map(Vec::len).sum::<usize>();
        if self.relocated {
            let at = directories + 5 * 8;
            put(&mut optional, at..at + 4, table as u64, false);
            put(&mut optional, at + 4..at + 8, size as u64, false);
        }
        let numbers: [(u64, usize); 7] = [
            (machine, 2),
            (sections.len() as u64, 2),
            (0, 4),
            (0, 4),
            (0, 4),
            (optional.len() as u64, 2),
            (0x22, 2),
        ];
        for (number, size) in numbers {
            out.extend(&number.to_le_bytes()[..size]);
        }
        out.extend(optional);
        let mut at = PAGE;
        for (name, bytes, size) in &sections {
            let mut short = name.as_bytes().to_vec();
            short.resize(8, 0);
            out.extend(short);
            // Readable and writable data.
            for number in [*size, at, bytes.len(), at, 0, 0, 0, 0xc000_0040] {
                out.extend((number as u32).to_le_bytes());
            }
            at += bytes.len();
        }
        out.resize(PAGE, 0);
        for (_, bytes, _) in sections {
            out.extend(bytes);
        }
        out
    }

    /// Writes the file.
    pub fn build(&self) -> Vec<u8> {
        let mut elf = Elf::new(self.class);
        elf.kind = if self.relocated { 3 } else { 2 };
        elf.machine = if self.word() == 8 { 62 } else { 3 };
        elf.align = 16;
        elf = elf
            .section(Section::new(&self.device, 1, self.images.clone()).flags(2))
            .section(Section::new(".data", 1, self.data.clone()).flags(3));
        if !self.references.is_empty() {
            elf = elf.section(Section::new(".tgtimg", 1, self.references.clone()).flags(3));
        }
        let entry = if self.word() == 8 { 24 } else { 8 };
        if self.relocated {
            let table = vec![0; self.pointers.len() * entry];
            elf = elf
                .section(Section::new(".rela", 1, table).flags(2))
                .section(Section::new(".dynamic", 6, vec![0; self.word() * 10]).flags(3));
            if let Some((_, count)) = self.packed {
                let table = vec![0xff; (1 + count) * self.word()];
                elf = elf.section(Section::new(".relr", 1, table).flags(2));
            }
        }
        let size = 1 << 20;
        elf.segments = vec![
            vec![
                ("p_type", 1),
                ("p_flags", 6),
                ("p_vaddr", BASE),
                ("p_filesz", size),
                ("p_memsz", size),
            ],
            vec![("p_type", 0)],
        ];
        for at in 0..self.segments as u64 {
            let address = BASE + 0x1000_0000 + at * 4096;
            let size = ("p_memsz", 4096);
            elf.segments
                .push(vec![("p_type", 1), ("p_vaddr", address), size]);
        }
        let first = elf.build();
        let at = |name: &str| first.content(name).start;
        if self.relocated {
            let dynamic = first.content(".dynamic");
            elf.segments[1] = vec![
                ("p_type", 2),
                ("p_offset", dynamic.start as u64),
                ("p_filesz", dynamic.len() as u64),
            ];
        }
        elf.segments[0][3].1 = first.bytes.len() as u64;
        let mut bytes = elf.build().bytes;
        let address = |place: Place| match place {
            Place::Image(offset) => BASE + (at(&self.device) + offset) as u64,
            Place::Data(offset) => BASE + (at(".data") + offset) as u64,
            Place::File(offset) => BASE + offset as u64,
        };
        let word = self.word();
        let mut sorted = self.pointers.clone();
        sorted.sort_by_key(|(is_reference, offset, _)| (*is_reference, *offset));
        for (index, (is_reference, offset, to)) in sorted.into_iter().enumerate() {
            let place = if is_reference {
                at(".tgtimg") + offset
            } else {
                at(".data") + offset
            };
            if !self.relocated {
                put(&mut bytes, place..place + word, address(to), false);
                continue;
            }
            let entry_at = at(".rela") + index * entry;
            put(
                &mut bytes,
                entry_at..entry_at + word,
                BASE + place as u64,
                false,
            );
            put(&mut bytes, entry_at + word..entry_at + 2 * word, 8, false);
            match word {
                8 => put(&mut bytes, entry_at + 16..entry_at + 24, address(to), false),
                _ => put(&mut bytes, place..place + word, address(to), false),
            }
        }
        if self.relocated {
            let (tag, size_tag) = if word == 8 { (7, 8) } else { (17, 18) };
            let table = BASE + at(".rela") as u64;
            let mut values = vec![tag, table, size_tag, (self.pointers.len() * entry) as u64];
            if let Some((start, count)) = self.packed {
                let table = at(".relr");
                put(&mut bytes, table..table + word, address(start), false);
                // DT_RELR, DT_RELRSZ.
                let size = ((1 + count) * word) as u64;
                values.extend([36, BASE + table as u64, 35, size]);
            }
            for (index, value) in values.into_iter().enumerate() {
                let place = at(".dynamic") + index * word;
                put(&mut bytes, place..place + word, value, false);
            }
        }
        bytes
    }
}

/// Returns a host with two images of the same kernels, for JIT and for a device, as
/// `-fsycl-targets` creates them.
pub fn usual(class: Class, version: u64, spirv: &[u8], zebin: &[u8]) -> Host {
    let mut host = Host::new(class);
    let (spir64, gen_) = (host.text("spir64"), host.text("spir64_gen"));
    let images = [host.image(spirv), host.image(zebin)];
    let entries = host.entries(&["k", "exported"]);
    let sets = host.set("SYCL/exported symbols", &[("exported", 1)]);
    let first = host.image_struct(version, spir64, images[0], entries, Some(sets));
    host.image_struct(version, gen_, images[1], entries, Some(sets));
    host.descriptor(first, 2);
    host.reference(images[0].0, spirv.len() as u64);
    host.reference(images[1].0, zebin.len() as u64);
    host
}

/// Returns the frame with its content size in the header.
pub fn with_size(frame: &[u8], size: usize) -> Vec<u8> {
    let flags = frame[4];
    let single = flags & 0x20 != 0;
    let old = match (flags >> 6, single) {
        (0, false) => 0,
        (0, true) => 1,
        (1, _) => 2,
        (2, _) => 4,
        _ => 8,
    };
    let window = usize::from(!single);
    let mut out = frame[..4].to_vec();
    out.push(flags & 0x3f | 0x80);
    out.extend(&frame[5..5 + window]);
    out.extend((size as u32).to_le_bytes());
    out.extend(&frame[5 + window + old..]);
    out
}

/// Returns the images of a document.
pub fn images(document: &Document) -> Vec<HostImage> {
    let Some(images) = document.host_images(NodeId::ROOT) else {
        return Vec::new();
    };
    (0..images.count())
        .map(|index| images.image(index, &document.sources).unwrap())
        .collect()
}

/// Returns the bytes of an image, unpacked.
pub fn unpacked(document: &mut Document, image: &HostImage) -> Vec<u8> {
    document.open_within(image.span);
    let id = document.document_at(image.span).unwrap();
    let node = document.node(id).unwrap();
    let mut span: Span = node.span.unwrap();
    if node.kind == NodeKind::Packed {
        let child = document.children(id, 0..1)[0];
        span = document.node(child).unwrap().span.unwrap();
    }
    document.sources.read(span).unwrap().to_vec()
}

/// Compares the images of a document with the output of another reader. Returns the differences.
pub fn differences(document: &mut Document, reference: &Value) -> Vec<String> {
    let expected = reference["images"].as_array().unwrap();
    let images = images(document);
    if images.len() != expected.len() {
        return vec![format!("{} images, not {}", images.len(), expected.len())];
    }
    let mut wrong = Vec::new();
    for (index, (image, expected)) in images.iter().zip(expected).enumerate() {
        let mut same = |what: &str, found: Value, expected: &Value| {
            if found != *expected {
                wrong.push(format!("image {index}, {what}: {found}, not {expected}"));
            }
        };
        let section = Some(image.section.as_str()).filter(|name| !name.is_empty());
        same("section", section.into(), &expected["section"]);
        same("start", image.span.start.into(), &expected["file_start"]);
        same("end", image.span.end.into(), &expected["file_end"]);
        same("descriptor", image.descriptor.into(), &expected["desc"]);
        same("kind", image.kind.into(), &expected["inner"]);
        let compressed = image.unpacked.is_some();
        same("compressed", compressed.into(), &expected["compressed"]);
        let described = image.described.as_ref().expect("a struct describes it");
        same(
            "version",
            described.version.into(),
            &expected["struct_version"],
        );
        same(
            "target",
            described.target.clone().into(),
            &expected["target"],
        );
        let kind = described.offload_kind.to_string();
        same("offload kind", kind.into(), &expected["offload_kind"]);
        same(
            "format",
            described.format.to_string().into(),
            &expected["format"],
        );
        let options = described.compile_options.clone();
        same("options", options.into(), &expected["compile_options"]);
        let options = described.link_options.clone();
        same("linker", options.into(), &expected["link_options"]);
        same(
            "entries",
            described.entries.iter().map(|e| e.name.clone()).collect(),
            &expected["entries"],
        );
        same("properties", properties(described), &expected["properties"]);
        let bytes = unpacked(document, image);
        same("size", bytes.len().into(), &expected["raw_size"]);
        same("SHA-256", sha256(&bytes).into(), &expected["sha256"]);
    }
    wrong
}

fn properties(described: &ImageDescription) -> Value {
    let mut sets: BTreeMap<&str, BTreeMap<&str, Value>> = BTreeMap::new();
    for found in &described.properties {
        let set = sets.entry(&found.name).or_default();
        for property in &found.entries {
            let value = match &property.value {
                PropertyValue::Number(number) => (*number).into(),
                PropertyValue::Unreadable(_) => Value::Null,
                PropertyValue::Bytes { bits, bytes } => {
                    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
                    match bits % 8 {
                        0 => format!("hex:{hex}").into(),
                        _ => serde_json::json!({"hex": hex, "bits": bits}),
                    }
                }
            };
            set.insert(&property.key, value);
        }
    }
    serde_json::to_value(sets).unwrap()
}

/// FIPS 180-4, 6.2.
fn sha256(bytes: &[u8]) -> String {
    // The fractional parts of square and cube roots of primes.
    let primes: Vec<u32> = (2u32..)
        .filter(|n| (2..*n).all(|d| n % d != 0))
        .take(64)
        .collect();
    let root = |number: u32, cube: bool| {
        // The largest r with r² ≤ number · 2⁶⁴, or r³ ≤ number · 2⁹⁶: its lower 32 bits.
        let (mut low, mut high) = (0u128, 1u128 << 36);
        while high - low > 1 {
            let middle = (low + high) / 2;
            let fits = if !cube {
                middle * middle <= u128::from(number) << 64
            } else {
                middle * middle * middle <= u128::from(number) << 96
            };
            if fits { low = middle } else { high = middle }
        }
        (low & 0xffff_ffff) as u32
    };
    let mut state: Vec<u32> = primes[..8]
        .iter()
        .map(|prime| root(*prime, false))
        .collect();
    let constants: Vec<u32> = primes.iter().map(|prime| root(*prime, true)).collect();
    let mut message = bytes.to_vec();
    message.push(0x80);
    while message.len() % 64 != 56 {
        message.push(0);
    }
    message.extend((bytes.len() as u64 * 8).to_be_bytes());
    for block in message.chunks_exact(64) {
        let mut words = [0u32; 64];
        for (word, bytes) in words.iter_mut().zip(block.chunks_exact(4)) {
            *word = u32::from_be_bytes(bytes.try_into().unwrap());
        }
        for at in 16..64 {
            let (a, b) = (words[at - 15], words[at - 2]);
            let a = a.rotate_right(7) ^ a.rotate_right(18) ^ (a >> 3);
            let b = b.rotate_right(17) ^ b.rotate_right(19) ^ (b >> 10);
            words[at] = words[at - 16]
                .wrapping_add(a)
                .wrapping_add(words[at - 7])
                .wrapping_add(b);
        }
        let mut v = state.clone();
        for at in 0..64 {
            let s1 = v[4].rotate_right(6) ^ v[4].rotate_right(11) ^ v[4].rotate_right(25);
            let choice = (v[4] & v[5]) ^ (!v[4] & v[6]);
            let t1 = v[7]
                .wrapping_add(s1)
                .wrapping_add(choice)
                .wrapping_add(constants[at])
                .wrapping_add(words[at]);
            let s0 = v[0].rotate_right(2) ^ v[0].rotate_right(13) ^ v[0].rotate_right(22);
            let majority = (v[0] & v[1]) ^ (v[0] & v[2]) ^ (v[1] & v[2]);
            v.rotate_right(1);
            v[4] = v[4].wrapping_add(t1);
            v[0] = t1.wrapping_add(s0).wrapping_add(majority);
        }
        for (sum, value) in state.iter_mut().zip(v) {
            *sum = sum.wrapping_add(value);
        }
    }
    state.iter().map(|word| format!("{word:08x}")).collect()
}

/// Returns the range of the first image struct or `.tgtimg` entry of a 64-bit host of version 3.
fn place_of(host: &[u8], what: &str) -> std::ops::Range<usize> {
    let start = [3, 0, 4, 0, 0, 0, 0, 0];
    let at = host.windows(8).position(|bytes| bytes == start).unwrap();
    if what == "struct" {
        return at..at + 80;
    }
    // `.tgtimg` follows the structs.
    let image = &host[at + 32..at + 40];
    let at = host.windows(8).rposition(|bytes| bytes == image).unwrap();
    at..at + 16
}

/// Returns the bytes of a struct or reference.
pub fn field(host: &[u8], what: &str) -> std::ops::Range<usize> {
    place_of(host, what)
}

/// Returns the host with an invalid pointer in a struct or reference.
pub fn with_bad(host: &[u8], what: &str) -> Vec<u8> {
    let mut host = host.to_vec();
    let at = place_of(&host, what).start + if what == "struct" { 40 } else { 0 };
    put(&mut host, at..at + 8, 0xffff, false);
    host
}

/// Returns the host with an invalid descriptor, and `.tgtimg` under another name.
pub fn without_index(host: &[u8]) -> Vec<u8> {
    let mut host = host.to_vec();
    let start = [1, 0, 2, 0, 0, 0, 0, 0];
    let at = host.windows(8).rposition(|bytes| bytes == start).unwrap();
    host[at] = 9;
    let at = host
        .windows(7)
        .rposition(|bytes| bytes == b".tgtimg")
        .unwrap();
    host[at + 4] = b'x';
    host
}
