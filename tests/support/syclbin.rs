//! Builds SYCLBINs of both generations, the OffloadBinaries around them, and property sets,
//! from SYCLBINDesign.md, PropertySets.md and OffloadBinary.h.

use std::collections::HashMap;

use zeview::decode::compression::Method;

use super::compressed::stream;
use super::{spirv, zebin};

/// Encodes bytes, preceded by their number of bits.
pub fn encode(bits: u64, bytes: &[u8]) -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let all = [&bits.to_le_bytes(), bytes].concat();
    let mut text = String::new();
    for three in all.chunks(3) {
        let number = (0..)
            .zip(three)
            .fold(0, |sum: u32, (at, byte)| sum | u32::from(*byte) << (8 * at));
        for digit in 0..=three.len() {
            let index = number >> (6 * digit) & 63;
            text.push(DIGITS[index as usize] as char);
        }
    }
    text
}

/// Text of property sets.
#[derive(Debug, Clone, Default)]
pub struct Text(pub Vec<u8>);

impl Text {
    /// Adds a line verbatim.
    pub fn line(mut self, line: impl AsRef<[u8]>) -> Text {
        self.0.extend(line.as_ref());
        self.0.push(b'\n');
        self
    }

    pub fn set(self, name: &str) -> Text {
        self.line(format!("[{name}]"))
    }

    pub fn number(self, key: &str, number: u32) -> Text {
        self.line(format!("{key}=1|{number}"))
    }

    pub fn bytes(self, key: &str, bytes: &[u8]) -> Text {
        self.bits(key, bytes.len() as u64 * 8, bytes)
    }

    pub fn bits(self, key: &str, bits: u64, bytes: &[u8]) -> Text {
        self.line(format!("{key}=2|{}", encode(bits, bytes)))
    }
}

/// Encodes consecutive 32-bit numbers.
pub fn words(numbers: &[u32]) -> Vec<u8> {
    numbers.iter().flat_map(|n| n.to_le_bytes()).collect()
}

pub fn global(state: u32) -> Text {
    Text::default()
        .set("SYCLBIN/global metadata")
        .number("state", state)
}

pub fn ir_text(kind: u32, target: &str) -> Text {
    Text::default()
        .set("SYCLBIN/ir module metadata")
        .number("type", kind)
        .bytes("target", target.as_bytes())
}

pub fn native_text(arch: &str, target: &str) -> Text {
    Text::default()
        .set("SYCLBIN/native device code image metadata")
        .bytes("arch", arch.as_bytes())
        .bytes("target", target.as_bytes())
}

/// Metadata and device code.
#[derive(Debug, Clone, Default)]
pub struct Code {
    pub text: Text,
    pub bytes: Vec<u8>,
}

/// An abstract module.
#[derive(Debug, Clone, Default)]
pub struct Module {
    pub text: Text,
    pub ir: Vec<Code>,
    pub native: Vec<Code>,
}

/// Parts of a SYCLBIN, for either generation.
#[derive(Debug, Clone, Default)]
pub struct Syclbin {
    pub global: Text,
    pub modules: Vec<Module>,
}

/// Returns the bytes with the number of `size` bytes at `at` changed.
pub fn patched(bytes: &[u8], at: usize, size: usize, number: u64) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + size].copy_from_slice(&number.to_le_bytes()[..size]);
    bytes
}

impl Syclbin {
    /// Returns two abstract modules: one of SPIR-V that imports a symbol, and one with SPIR-V and a
    /// zebin that export it.
    pub fn small() -> Syclbin {
        let spirv = spirv::kernel().build();
        let target = "spir64-unknown-unknown";
        Syclbin {
            global: global(1),
            modules: vec![
                Module {
                    text: Text::default()
                        .set("SYCL/kernel names")
                        .number("vecadd", 1)
                        .set("SYCL/imported symbols")
                        .number("_Z5scalei", 1)
                        .set("SYCL/device requirements")
                        .bytes("aspects", &words(&[2, 6])),
                    ir: vec![Code {
                        text: ir_text(0, target),
                        bytes: spirv.clone(),
                    }],
                    native: vec![],
                },
                Module {
                    text: Text::default()
                        .set("SYCL/exported symbols")
                        .number("_Z5scalei", 1),
                    ir: vec![Code {
                        text: ir_text(0, target),
                        bytes: spirv,
                    }],
                    native: vec![Code {
                        text: native_text("bmg_g21", "spir64_gen-unknown-unknown"),
                        bytes: zebin::small().build().bytes,
                    }],
                },
            ],
        }
    }

    /// Returns many abstract modules with a few bytes of device code each.
    pub fn many(count: usize) -> Syclbin {
        let module = |at: usize| Module {
            text: Text::default()
                .set("SYCL/kernel names")
                .number(&format!("kernel{at}"), 1)
                .set("SYCL/exported symbols")
                .number(&format!("symbol{at}"), 1)
                .set("SYCL/imported symbols")
                .number(&format!("symbol{}", (at + 1) % count), 1),
            ir: vec![Code {
                text: ir_text(0, "spir64-unknown-unknown"),
                bytes: spirv::kernel().build(),
            }],
            native: vec![],
        };
        Syclbin {
            global: global(2),
            modules: (0..count).map(module).collect(),
        }
    }

    /// Writes the first generation.
    pub fn v1(&self) -> Vec<u8> {
        let (mut modules, mut ir, mut native) = (vec![], vec![], vec![]);
        let (mut metadata, mut binary) = (self.global.0.clone(), Vec::new());
        let numbers = |list: &mut Vec<u8>, numbers: &[u64]| {
            list.extend(numbers.iter().flat_map(|n| n.to_le_bytes()));
        };
        for module in &self.modules {
            numbers(
                &mut modules,
                &[metadata.len() as u64, module.text.0.len() as u64],
            );
            metadata.extend(&module.text.0);
            for (list, codes) in [(&mut ir, &module.ir), (&mut native, &module.native)] {
                modules.extend(words(&[codes.len() as u32, list.len() as u32 / 32]));
                for code in codes {
                    let (text, bytes) = (&code.text.0, &code.bytes);
                    let places = [metadata.len(), text.len(), binary.len(), bytes.len()];
                    numbers(list, &places.map(|n| n as u64));
                    metadata.extend(text);
                    binary.extend(bytes);
                }
            }
        }
        let counts = [modules.len(), ir.len(), native.len()].map(|len| len as u32 / 32);
        let mut file = words(&[0x5359_4249, 1, counts[0], counts[1], counts[2], 0]);
        let global = self.global.0.len();
        let sizes = [metadata.len(), binary.len(), 0, global];
        numbers(&mut file, &sizes.map(|n| n as u64));
        metadata.resize(metadata.len().next_multiple_of(8), 0);
        [file, modules, ir, native, metadata, binary].concat()
    }

    /// Returns the entries of the second generation.
    pub fn entries(&self) -> Vec<Entry> {
        let entry = |role: &str, module: Option<usize>, image: Vec<u8>| {
            let mut entry = Entry::of_kind(7, image)
                .string("sycl_format_version", "2")
                .string("role", role);
            if let Some(module) = module {
                entry = entry.string("am_index", &module.to_string());
            }
            entry
        };
        let code = |code: &Code| {
            let size = code.text.0.len() as u64;
            [&size.to_le_bytes()[..], &code.text.0, &code.bytes].concat()
        };
        let mut all = vec![entry("global_metadata", None, self.global.0.clone())];
        for (at, module) in self.modules.iter().enumerate() {
            all.push(entry("am_metadata", Some(at), module.text.0.clone()));
            for ir in &module.ir {
                let entry = entry("ir", Some(at), code(ir)).string("ir_type", "0");
                all.push(entry.string("triple", "spir64-unknown-unknown"));
            }
            for native in &module.native {
                let entry = entry("native", Some(at), code(native)).string("arch", "bmg_g21");
                all.push(entry.string("triple", "spir64_gen-unknown-unknown"));
            }
        }
        all
    }

    /// Writes the second generation.
    pub fn v2(&self) -> Vec<u8> {
        Offload::new(2, self.entries()).build()
    }
}

/// An entry of an OffloadBinary.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    pub image_kind: u16,
    pub offload_kind: u16,
    pub flags: u32,
    pub strings: Vec<(Vec<u8>, Vec<u8>)>,
    pub image: Vec<u8>,
}

impl Entry {
    pub fn of_kind(image_kind: u16, image: Vec<u8>) -> Entry {
        Entry {
            image_kind,
            offload_kind: 8,
            image,
            ..Entry::default()
        }
    }

    /// Sets a key.
    pub fn string(mut self, key: &str, value: &str) -> Entry {
        self.strings.retain(|(old, _)| old != key.as_bytes());
        self.again(key, value)
    }

    /// Adds a key, even if it exists.
    pub fn again(mut self, key: &str, value: &str) -> Entry {
        let bytes = |text: &str| text.as_bytes().to_vec();
        self.strings.push((bytes(key), bytes(value)));
        self
    }

    pub fn without(mut self, key: &str) -> Entry {
        self.strings.retain(|(old, _)| old != key.as_bytes());
        self
    }
}

/// An OffloadBinary.
#[derive(Debug, Clone)]
pub struct Offload {
    pub version: u32,
    pub entries: Vec<Entry>,
}

impl Offload {
    pub fn new(version: u32, entries: Vec<Entry>) -> Offload {
        Offload { version, entries }
    }

    /// Returns version 3, compressed except for the header.
    pub fn packed(entries: Vec<Entry>, method: Method) -> Vec<u8> {
        let plain = Offload::new(3, entries).build();
        let stream = stream(method, &plain[40..]);
        let size = plain.len() as u64;
        let mut file = patched(&plain[..40], 32, 8, size);
        file.extend(stream);
        file.resize(file.len().next_multiple_of(8), 0);
        let len = file.len() as u64;
        patched(&file, 8, 8, len)
    }

    pub fn header_size(&self) -> usize {
        if self.version == 3 { 40 } else { 32 }
    }

    pub fn build(&self) -> Vec<u8> {
        let string = if self.version == 1 { 16 } else { 24 };
        let mut at = self.header_size() + 40 * self.entries.len();
        let mut entries = Vec::new();
        let count: usize = self.entries.iter().map(|e| e.strings.len()).sum();
        let table = at + string * count;
        let mut strings: Vec<u8> = vec![0];
        let mut string_entries = Vec::new();
        let mut placed = HashMap::new();
        let mut place = |text: &[u8]| {
            let wanted = [text, &[0]].concat();
            // Suffixes are shared only near the start; later, only whole strings.
            let near = strings.get(..4096).unwrap_or(&strings);
            let found = near.windows(wanted.len()).position(|w| w == wanted);
            let found = found.or_else(|| placed.get(&wanted).copied());
            table
                + found.unwrap_or_else(|| {
                    let at = strings.len();
                    strings.extend(&wanted);
                    placed.insert(wanted, at);
                    at
                })
        };
        let mut places = Vec::new();
        for entry in &self.entries {
            places.push(at);
            at += string * entry.strings.len();
            for (key, value) in &entry.strings {
                let mut numbers = vec![place(key), place(value), value.len()];
                numbers.truncate(string / 8);
                string_entries.extend(numbers.iter().flat_map(|n| (*n as u64).to_le_bytes()));
            }
        }
        let mut image = (table + strings.len()).next_multiple_of(8);
        strings.resize(image - table, 0);
        let mut images = Vec::new();
        for (entry, at) in self.entries.iter().zip(places) {
            entries.extend(entry.image_kind.to_le_bytes());
            entries.extend(entry.offload_kind.to_le_bytes());
            entries.extend(entry.flags.to_le_bytes());
            let numbers = [at, entry.strings.len(), image, entry.image.len()];
            entries.extend(numbers.iter().flat_map(|n| (*n as u64).to_le_bytes()));
            images.extend(&entry.image);
            image += entry.image.len();
        }
        let len = image.next_multiple_of(8);
        images.resize(images.len() + len - image, 0);
        let mut header = vec![0x10, 0xff, 0x10, 0xad];
        header.extend(self.version.to_le_bytes());
        let count = if self.version == 1 {
            40
        } else {
            self.entries.len()
        };
        let mut numbers = vec![len, self.header_size(), count];
        if self.version == 3 {
            numbers.push(0);
        }
        header.extend(numbers.iter().flat_map(|n| (*n as u64).to_le_bytes()));
        [header, entries, string_entries, strings, images].concat()
    }
}
