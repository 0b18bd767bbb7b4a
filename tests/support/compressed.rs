//! Compressed streams, and ELF sections that contain them.

use ruzstd::encoding::{CompressionLevel, compress_to_vec};
use zeview::decode::compression::Method;

use super::elf::Section;

/// Compresses bytes.
pub fn stream(method: Method, bytes: &[u8]) -> Vec<u8> {
    match method {
        Method::Zlib => miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6),
        Method::Zstd => compress_to_vec(bytes, CompressionLevel::Fastest),
        _ => panic!("{} is not written", method.name()),
    }
}

/// Returns some kilobytes of zstd that unpack to `blocks` times 128 KB of zeros. The frame has a
/// window of 1 MB and no content size.
pub fn bomb(blocks: usize) -> Vec<u8> {
    let mut stream = vec![0x28, 0xb5, 0x2f, 0xfd, 0, 0x50];
    for _ in 0..blocks {
        // One byte, repeated.
        let block = 2 | (1u32 << 17) << 3;
        stream.extend_from_slice(&block.to_le_bytes()[..3]);
        stream.push(0);
    }
    // The last block, without bytes.
    stream.extend([1, 0, 0]);
    stream
}

/// Returns a compressed section of a 64-bit file, with these numbers in its header.
pub fn section(name: &str, kind: u32, size: u64, stream: &[u8]) -> Section {
    let mut bytes = [kind, 0].map(u32::to_le_bytes).concat();
    bytes.extend(size.to_le_bytes());
    bytes.extend(1u64.to_le_bytes());
    bytes.extend(stream);
    Section::new(name, 1, bytes).flags(0x800)
}

/// Returns a valid compressed section.
pub fn packed(name: &str, method: Method, bytes: &[u8]) -> Section {
    let size = bytes.len() as u64;
    let kind = match method {
        Method::Zlib => 1, // ELFCOMPRESS_ZLIB
        Method::Zstd => 2, // ELFCOMPRESS_ZSTD
        _ => panic!("no section has {}", method.name()),
    };
    section(name, kind, size, &stream(method, bytes))
}

/// Returns a compressed section in GNU's older format.
pub fn gnu(name: &str, bytes: &[u8]) -> Section {
    let mut section = b"ZLIB".to_vec();
    section.extend((bytes.len() as u64).to_be_bytes());
    section.extend(stream(Method::Zlib, bytes));
    Section::new(name, 1, section)
}
