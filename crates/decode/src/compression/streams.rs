//! Decompressors. They stop at the given number of bytes, whatever size the stream announces.

use miniz_oxide::inflate::TINFLStatus;
use miniz_oxide::inflate::core::{DecompressorOxide, decompress, inflate_flags};
use ruzstd::decoding::{BlockDecodingStrategy, FrameDecoder};

use super::{End, Method, Stream, readers};

/// Decompresses at most `most` bytes.
pub(super) fn unpack(method: Method, packed: &[u8], most: u64) -> Stream {
    let most = usize::try_from(most).unwrap_or(usize::MAX);
    match method {
        Method::Zlib => zlib(packed, most),
        Method::Zstd => zstd(packed, most),
        _ => readers::unpack(method, packed, most),
    }
}

fn zlib(packed: &[u8], most: usize) -> Stream {
    let flags = inflate_flags::TINFL_FLAG_PARSE_ZLIB_HEADER
        | inflate_flags::TINFL_FLAG_USING_NON_WRAPPING_OUTPUT_BUF;
    // One extra byte detects a stream that is longer.
    let most = most.saturating_add(1);
    let mut state = Box::<DecompressorOxide>::default();
    let mut bytes = vec![0; packed.len().saturating_mul(2).clamp(64, most.max(64))];
    let (mut used, mut len) = (0, 0);
    let end = loop {
        let rest = packed.get(used..).unwrap_or(&[]);
        let (status, read, wrote) = decompress(&mut state, rest, &mut bytes, len, flags);
        used += read;
        len += wrote;
        match status {
            TINFLStatus::Done => break End::Whole,
            TINFLStatus::HasMoreOutput if bytes.len() < most => {
                bytes.resize(bytes.len().saturating_mul(2).min(most), 0);
            }
            TINFLStatus::HasMoreOutput => break End::More,
            TINFLStatus::NeedsMoreInput | TINFLStatus::FailedCannotMakeProgress => {
                break End::CutOff;
            }
            _ => break End::Damaged,
        }
    };
    bytes.truncate(len);
    cut(bytes, used, end, most - 1)
}

/// Number of bytes that are decompressed from a frame at a time.
const STEP: usize = 1 << 17;
/// `ZSTD_MAGICNUMBER`.
const FRAME: u32 = 0xfd2f_b528;
/// `ZSTD_MAGIC_SKIPPABLE_START`, without its lowest four bits.
const SKIPPABLE: u32 = 0x184d_2a50;

/// Decompresses consecutive frames, up to the first bytes that are not a frame.
fn zstd(packed: &[u8], most: usize) -> Stream {
    let mut bytes = Vec::new();
    let mut rest = packed;
    let mut end = End::Damaged;
    while let Some((magic, after)) = rest.split_first_chunk() {
        let magic = u32::from_le_bytes(*magic);
        if magic & !0xf == SKIPPABLE {
            let Some((size, after)) = after.split_first_chunk() else {
                end = End::CutOff;
                break;
            };
            let size = usize::try_from(u32::from_le_bytes(*size)).unwrap_or(usize::MAX);
            let Some(after) = after.get(size..) else {
                end = End::CutOff;
                break;
            };
            rest = after;
            continue;
        }
        if magic != FRAME {
            break;
        }
        end = frame(&mut rest, &mut bytes, most);
        if end != End::Whole {
            break;
        }
    }
    cut(bytes, packed.len() - rest.len(), end, most)
}

/// Decompresses the start of frames, up to `most` bytes.
pub(super) fn zstd_start(packed: &[u8], most: usize) -> Vec<u8> {
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(bytes) = frame_start(packed, most) {
        return bytes;
    }
    zstd(packed, most).bytes
}

/// `zstd_start` with the reference decoder. Returns `None` if the first frame is shorter.
#[cfg(not(target_arch = "wasm32"))]
fn frame_start(packed: &[u8], most: usize) -> Option<Vec<u8>> {
    use zstd::stream::raw::{InBuffer, Operation, OutBuffer};
    let mut decoder = reference_decoder()?;
    let mut bytes = vec![0; most];
    let mut input = InBuffer::around(packed);
    let mut output = OutBuffer::around(bytes.as_mut_slice());
    while output.pos() < most {
        let before = (input.pos, output.pos());
        let left = decoder.run(&mut input, &mut output).ok()?;
        if left == 0 || (input.pos, output.pos()) == before {
            break;
        }
    }
    (output.pos() == most).then_some(bytes)
}

/// The reference decoder, with the window limit of the Rust one.
#[cfg(not(target_arch = "wasm32"))]
fn reference_decoder() -> Option<zstd::stream::raw::Decoder<'static>> {
    use zstd::stream::raw::{DParameter, Decoder};
    let mut decoder = Decoder::new().ok()?;
    let window = super::limits::WINDOW.checked_ilog2()?;
    let window = DParameter::WindowLogMax(window);
    decoder.set_parameter(window).ok()?;
    Some(decoder)
}

/// Decompresses the frame at the start of `rest` and advances `rest` past it.
fn frame(rest: &mut &[u8], bytes: &mut Vec<u8>, most: usize) -> End {
    #[cfg(not(target_arch = "wasm32"))]
    if let Some(end) = whole_frame(rest, bytes, most) {
        return end;
    }
    let mut decoder = FrameDecoder::new();
    decoder.set_max_window_size(super::limits::WINDOW);
    let mut wrong = decoder.init(&mut *rest).is_err();
    while !wrong && !decoder.is_finished() {
        let step = BlockDecodingStrategy::UptoBytes(STEP.min(most.saturating_add(1)));
        wrong = decoder.decode_blocks(&mut *rest, step).is_err();
        bytes.extend(decoder.collect().unwrap_or_default());
        if bytes.len() > most {
            return End::More;
        }
    }
    match (wrong, rest.is_empty()) {
        (false, _) => End::Whole,
        // A reader that runs out of bytes has consumed all of them.
        (true, true) => End::CutOff,
        (true, false) => End::Damaged,
    }
}

/// Like `frame`, with the faster reference decoder. What it rejects is left to the Rust decoder, so
/// that damaged frames give the same result natively and in the browser.
#[cfg(not(target_arch = "wasm32"))]
fn whole_frame(rest: &mut &[u8], bytes: &mut Vec<u8>, most: usize) -> Option<End> {
    use zstd::stream::raw::{InBuffer, Operation, OutBuffer};
    let mut decoder = reference_decoder()?;
    let before = bytes.len();
    let mut input = InBuffer::around(rest);
    let mut step = vec![0; STEP.min(most.saturating_add(1))];
    loop {
        let mut output = OutBuffer::around(step.as_mut_slice());
        let found = decoder.run(&mut input, &mut output);
        let wrote = output.pos();
        bytes.extend(step.get(..wrote)?);
        match found {
            Ok(0) if bytes.len() <= most => {
                *rest = rest.get(input.pos..)?;
                return Some(End::Whole);
            }
            Ok(_) if bytes.len() <= most && (wrote > 0 || input.pos < rest.len()) => {}
            // The decoders also differ in how far they read at the end.
            _ => {
                bytes.truncate(before);
                return None;
            }
        }
    }
}

fn cut(mut bytes: Vec<u8>, used: usize, end: End, most: usize) -> Stream {
    let more = bytes.len() > most;
    bytes.truncate(most);
    bytes.shrink_to_fit();
    Stream {
        bytes,
        used: used as u64,
        end: if more { End::More } else { end },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ruzstd::encoding::{CompressionLevel, compress_to_vec};

    fn pack(method: Method, bytes: &[u8]) -> Vec<u8> {
        match method {
            Method::Zlib => miniz_oxide::deflate::compress_to_vec_zlib(bytes, 6),
            Method::Zstd => compress_to_vec(bytes, CompressionLevel::Fastest),
            _ => panic!("{} is tested with files", method.name()),
        }
    }

    /// Text that compresses well, but not to nothing.
    fn text() -> Vec<u8> {
        let lines =
            (0..20_000u32).map(|i| format!("line {}\n", i.wrapping_mul(2_654_435_761) % 97));
        lines.collect::<String>().into_bytes()
    }

    #[test]
    fn decompression_inverts_compression() {
        for method in [Method::Zlib, Method::Zstd] {
            for bytes in [text(), b"short".to_vec(), vec![0; 300_000]] {
                let mut packed = pack(method, &bytes);
                assert_eq!(Method::sniff(&packed), Some(method));
                let used = packed.len() as u64;
                // Bytes after the stream are not part of it.
                packed.extend([0; 5]);
                let stream = unpack(method, &packed, bytes.len() as u64);
                let expected = Stream {
                    bytes,
                    used,
                    end: End::Whole,
                };
                assert_eq!(stream, expected);
            }
        }
    }

    #[test]
    fn output_is_limited_to_the_requested_size() {
        for method in [Method::Zlib, Method::Zstd] {
            let packed = pack(method, &vec![7; 10 << 20]);
            assert!(packed.len() < 1 << 16);
            for most in [0, 1, 64, 65, 100_000] {
                let stream = unpack(method, &packed, most);
                assert_eq!(stream.end, End::More);
                assert_eq!(stream.bytes.len() as u64, most);
            }
        }
    }

    #[test]
    fn consecutive_frames_form_one_stream() {
        let skipped = [0x5a, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 1, 2, 3];
        let (one, two) = (pack(Method::Zstd, b"one, "), pack(Method::Zstd, b"two"));
        let all = [&one[..], &skipped, &two].concat();
        let stream = unpack(Method::Zstd, &all, 100);
        assert_eq!((&*stream.bytes, stream.end), (&b"one, two"[..], End::Whole));
    }

    #[test]
    fn truncated_and_corrupted_streams_terminate() {
        for method in [Method::Zlib, Method::Zstd] {
            let packed = pack(method, text().get(..4000).unwrap());
            for len in 0..packed.len() {
                assert_ne!(
                    unpack(method, &packed[..len], 4000).end,
                    End::Whole,
                    "{len}"
                );
            }
            for bit in 0..packed.len() * 8 {
                let mut damaged = packed.clone();
                damaged[bit / 8] ^= 1 << (bit % 8);
                let stream = unpack(method, &damaged, 4000);
                assert!(stream.bytes.len() <= 4000);
            }
        }
    }
}
