//! The methods of packages, decompressed by readers of libraries.

use std::io::{self, ErrorKind, Read};

use super::{End, Method, Stream};

/// Maximum memory of an xz decoder in KB: that of `xz -9`, which has a dictionary of 64 MB.
const XZ_MEMORY: u32 = 66 << 10;

/// Decompresses at most `most` bytes.
pub(super) fn unpack(method: Method, packed: &[u8], most: usize) -> Stream {
    let mut rest = packed;
    let mut bytes = Vec::new();
    let found = match method {
        Method::Bzip2 => {
            let reader = bzip2::bufread::MultiBzDecoder::new(&mut rest);
            read(reader, most, &mut bytes)
        }
        Method::Xz => {
            let reader = lzma_rust2::XzReader::new_mem_limit(&mut rest, true, XZ_MEMORY);
            read(reader, most, &mut bytes)
        }
        Method::Deflate64 => {
            let reader = deflate64::Deflate64Decoder::with_buffer(&mut rest);
            read(reader, most, &mut bytes)
        }
        Method::Lzma => lzma(&mut rest, most, &mut bytes),
        Method::Zlib | Method::Zstd => Ok(()),
    };
    let has_more = bytes.len() > most;
    bytes.truncate(most);
    bytes.shrink_to_fit();
    Stream {
        used: packed.len().saturating_sub(rest.len()) as u64,
        bytes,
        end: match found {
            _ if has_more => End::More,
            Ok(()) => End::Whole,
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => End::CutOff,
            Err(_) => End::Damaged,
        },
    }
}

/// Reads at most one byte more than `most`, so that a longer stream is detected.
fn read(reader: impl Read, most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let most = (most as u64).saturating_add(1);
    reader.take(most).read_to_end(bytes).map(|_| ())
}

/// Decompresses LZMA with the header of zip files. The dictionary is not larger than the output.
fn lzma(rest: &mut &[u8], most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let error = || io::Error::from(ErrorKind::UnexpectedEof);
    let (head, after) = rest.split_first_chunk::<9>().ok_or_else(error)?;
    let [_, _, 5, 0, props, dictionary @ ..] = *head else {
        return Err(ErrorKind::InvalidData.into());
    };
    *rest = after;
    let dictionary = u32::from_le_bytes(dictionary);
    let dictionary = dictionary.min(u32::try_from(most).unwrap_or(u32::MAX));
    let size = (most as u64).saturating_add(1);
    let mut reader =
        lzma_rust2::LzmaReader::new_with_props(&mut *rest, size, props, dictionary, None)?;
    let mut piece = vec![0; 1 << 14];
    loop {
        match reader.read(&mut piece) {
            Ok(0) => return Ok(()),
            Ok(len) => bytes.extend_from_slice(piece.get(..len).unwrap_or(&[])),
            // Without an end marker, the stream ends with its last byte.
            Err(_) if bytes.len() == most => return Ok(()),
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 KB of text, compressed by the reference programs (tests/fixtures/package/streams.md).
    fn streams() -> [(Method, &'static [u8]); 4] {
        macro_rules! stream {
            ($name:literal) => {
                include_bytes!(concat!("../../../tests/fixtures/package/streams/", $name))
            };
        }
        [
            (Method::Bzip2, stream!("text.bz2")),
            (Method::Xz, stream!("text.xz")),
            (Method::Lzma, stream!("text.lzma")),
            (Method::Deflate64, stream!("text.deflate64")),
        ]
    }

    fn text() -> Vec<u8> {
        let lines = (0..20_000_u32).map(|line| format!("line {}\n", line * line % 9973));
        lines.collect::<String>().into_bytes()
    }

    #[test]
    fn streams_of_reference_programs() {
        let text = text();
        for (method, packed) in streams() {
            let found = unpack(method, packed, text.len());
            assert!(found.bytes == text, "{method:?}");
            assert_eq!(found.end, End::Whole, "{method:?}");
            let short = unpack(method, packed, 1000);
            assert_eq!(short.bytes, text[..1000], "{method:?}");
            assert_eq!(short.end, End::More, "{method:?}");
        }
    }

    #[test]
    fn damaged_streams() {
        let text = text();
        for (method, packed) in streams() {
            for at in (0..packed.len()).step_by(packed.len() / 300) {
                let cut = unpack(method, &packed[..at], text.len());
                assert_ne!(cut.end, End::Whole, "{method:?} {at}");
                let mut changed = packed.to_vec();
                changed[at] ^= 0x10;
                unpack(method, &changed, text.len());
            }
        }
    }
}
