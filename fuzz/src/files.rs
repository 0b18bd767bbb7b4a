//! Builds files around inputs: for formats that occur only inside other files, and with fixed first
//! bytes so that no input is taken for another format.

use crate::support::elf::Class;
use crate::support::syclbin::{Syclbin, Text};
use crate::support::{dwarf_files, fixtures, hosts, spirv, zebin};

pub const OFFLOAD_BINARY: &[u8] = &[0x10, 0xff, 0x10, 0xad];
pub const AR: &[u8] = b"!<arch>\n";
pub const SPIRV: &[u8] = &[0x03, 0x02, 0x23, 0x07];
pub const IGC_DEBUG: &[u8] = b"CTNI";

/// Maximum number of text bytes that the target `gate` changes. With more, a key could become
/// another key of the specification.
pub const GATE_CHANGES: usize = 4;

/// Returns a real file with the kernel `vecadd`.
pub fn vecadd() -> Vec<u8> {
    let path = fixtures::folder().join("zebin/vecadd.wcl.igc2.40.zebin");
    std::fs::read(path).expect("it is in the repository")
}

/// Returns the input after these first bytes.
pub fn beginning_with(magic: &[u8], input: &[u8]) -> Vec<u8> {
    [magic, input.get(magic.len()..).unwrap_or_default()].concat()
}

/// Returns a SYCLBIN with the input as a module's properties. The first byte selects the
/// generation.
pub fn with_properties(input: &[u8]) -> Vec<u8> {
    let (first, text) = split_first(input);
    let mut syclbin = Syclbin::small();
    syclbin.modules[0].text = Text(text.to_vec());
    match first & 1 {
        0 => syclbin.v1(),
        _ => syclbin.v2(),
    }
}

/// Returns a zebin with the input as notes. The first byte selects their byte order.
pub fn with_notes(input: &[u8]) -> Vec<u8> {
    let (first, notes) = split_first(input);
    let elf = zebin::small().bytes(".note.intelgt.compat", notes);
    let elf = if first & 1 == 0 {
        elf
    } else {
        elf.big_endian()
    };
    elf.build().bytes
}

/// Returns a zebin with the input as `.ze_info`.
pub fn with_ze_info(input: &[u8]) -> Vec<u8> {
    zebin::small().bytes(".ze_info", input).build().bytes
}

/// Returns a file with the input as line tables.
pub fn with_lines(input: &[u8]) -> Vec<u8> {
    dwarf_files::with_lines(input.to_vec()).build().bytes
}

/// Returns a host program with two images, modified by the input: the first byte selects the
/// layout, followed by triples of offset, width and number.
pub fn host(input: &[u8]) -> Vec<u8> {
    let (first, changes) = split_first(input);
    let class = if first & 1 == 0 {
        Class::Elf64
    } else {
        Class::Elf32
    };
    let version = u64::from(first >> 1 & 3).clamp(1, 3);
    let zebin = zebin::zebin_of(Class::Elf64, &["k"]).build().bytes;
    let mut host = hosts::usual(class, version, &spirv::kernel().build(), &zebin);
    host.relocated = first & 8 != 0;
    let mut file = host.build();
    for change in changes.chunks_exact(11) {
        let at = usize::from(u16::from_le_bytes([change[0], change[1]])) % file.len();
        let width = (1 << (change[2] & 3)).min(file.len() - at);
        file[at..at + width].copy_from_slice(&change[3..3 + width]);
    }
    file
}

/// Splits an input into two files: the length of the first, then both.
pub fn pair(input: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, files) = input.split_at_checked(4)?;
    let length = u32::from_le_bytes(length.try_into().ok()?) as usize;
    Some(files.split_at(length.min(files.len())))
}

/// Joins two files into one input.
pub fn joined(a: &[u8], b: &[u8]) -> Vec<u8> {
    let length = u32::try_from(a.len()).expect("seeds are short");
    [&length.to_le_bytes(), a, b].concat()
}

/// Prefix of an input of [`changed`] that changes nothing.
pub const UNCHANGED: &[u8] = &[1, 0, 0, 0, 0, 0];

/// Returns a file and a modified copy. The input has the number of changes (at most 8), for each
/// its offset (4 bytes) and the byte to XOR, then the file.
pub fn changed(input: &[u8]) -> Option<(Vec<u8>, Vec<u8>)> {
    let (count, rest) = split_first(input);
    let (changes, file) = rest.split_at_checked(usize::from(count % 8) * 5)?;
    let mut copy = file.to_vec();
    for change in changes.chunks_exact(5) {
        let at = u32::from_le_bytes(change[..4].try_into().ok()?) as usize;
        let length = copy.len().max(1);
        if let Some(byte) = copy.get_mut(at % length) {
            *byte ^= change[4];
        }
    }
    Some((file.to_vec(), copy))
}

/// Splits off the first byte; 0 if there is none.
pub fn split_first(input: &[u8]) -> (u8, &[u8]) {
    input
        .split_first()
        .map_or((0, input), |(first, rest)| (*first, rest))
}
