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
        Method::Deflate64 => deflate64(&mut rest, most, &mut bytes),
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

/// Reads deflate64 without the library's own reader, for which a stream that is cut off has ended.
fn deflate64(rest: &mut &[u8], most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let mut inflater = Box::new(deflate64::InflaterManaged::new());
    let mut piece = vec![0; 1 << 14];
    while bytes.len() <= most {
        let found = inflater.inflate(rest, &mut piece);
        *rest = rest.get(found.bytes_consumed..).unwrap_or(&[]);
        bytes.extend_from_slice(piece.get(..found.bytes_written).unwrap_or(&[]));
        if found.data_error {
            return Err(ErrorKind::InvalidData.into());
        }
        if inflater.finished() {
            return Ok(());
        }
        if found.bytes_written == 0 && rest.is_empty() {
            return Err(ErrorKind::UnexpectedEof.into());
        }
    }
    Ok(())
}

/// Decompresses LZMA with the header of zip files.
fn lzma(rest: &mut &[u8], most: usize, bytes: &mut Vec<u8>) -> io::Result<()> {
    let packed = *rest;
    let mut reader = lzma_reader(rest, u64::MAX, most)?;
    // The bytes before an error are read, too.
    reader.set_defer_errors(true);
    let found = read(reader, most, bytes);
    if found.is_ok() && bytes.len() <= most {
        return found;
    }
    // A stream of this length may have no end marker; what was read behind it is not data.
    let mut again = packed;
    let mut exact = lzma_reader(&mut again, most as u64, most)?;
    exact.set_relaxed_end_condition(false);
    let mut whole = Vec::new();
    if read(exact, most, &mut whole).is_ok() && whole.len() == most {
        *bytes = whole;
        return Ok(());
    }
    found
}

/// A reader of LZMA data of this length (`u64::MAX` if it ends with a marker), of which at most
/// `most` bytes and one are read. So its dictionary is not larger.
fn lzma_reader<'a, 'b>(
    rest: &'b mut &'a [u8],
    len: u64,
    most: usize,
) -> io::Result<lzma_rust2::LzmaReader<&'b mut &'a [u8]>> {
    let error = || io::Error::from(ErrorKind::UnexpectedEof);
    let (head, after) = rest.split_first_chunk::<9>().ok_or_else(error)?;
    let [_, _, 5, 0, props, dictionary @ ..] = *head else {
        return Err(ErrorKind::InvalidData.into());
    };
    *rest = after;
    let most = u32::try_from(most).unwrap_or(u32::MAX).saturating_add(1);
    let dictionary = u32::from_le_bytes(dictionary).min(most);
    lzma_rust2::LzmaReader::new_with_props(rest, len, props, dictionary, None)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// 300 KB of text, compressed by the reference programs (tests/fixtures/package/streams.md).
    fn streams() -> [(Method, &'static [u8]); 4] {
        macro_rules! stream {
            ($name:literal) => {
                include_bytes!(concat!(
                    "../../../../tests/fixtures/package/streams/",
                    $name
                ))
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
