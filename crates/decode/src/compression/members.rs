//! Several deflate streams, one after the other, whose outputs are one file: the members of a gzip
//! file.

use super::DeflateStream;
use zeview_core::model::{Bytes, PackedReader, SourceError, SourceId, Span, Stream};

/// The streams of a file, in its order.
pub struct Members(Vec<Member>);

struct Member {
    /// Offset and length of the compressed bytes.
    packed: u64,
    packed_len: u64,
    /// Offset of the output in the file.
    start: u64,
    stream: DeflateStream,
}

impl Member {
    fn end(&self) -> u64 {
        self.start.saturating_add(self.stream.len())
    }
}

/// A stream that was decompressed once, without keeping its output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MeasuredStream {
    /// Offset of the compressed bytes.
    pub packed: u64,
    /// Number of compressed bytes.
    pub packed_len: u64,
    /// Length of the output.
    pub len: u64,
    /// CRC-32 of the output, as stored behind the stream.
    pub crc: u32,
}

impl Members {
    /// Creates a file of these streams.
    pub fn new(streams: &[MeasuredStream]) -> Members {
        let mut start: u64 = 0;
        let members = streams.iter().map(|found| {
            let member = Member {
                packed: found.packed,
                packed_len: found.packed_len,
                start,
                stream: DeflateStream::new(found.packed_len, found.len, Some(found.crc)),
            };
            start = start.saturating_add(found.len);
            member
        });
        Members(members.collect())
    }
}

/// Calls `run` with a reader of the compressed bytes of a member.
fn within<T>(
    member: &Member,
    packed: PackedReader<'_>,
    run: impl FnOnce(PackedReader<'_>) -> T,
) -> T {
    run(&|start, len| {
        let most = member.packed_len.saturating_sub(start);
        packed(member.packed.saturating_add(start), len.min(most))
    })
}

impl Stream for Members {
    fn len(&self) -> u64 {
        self.0.last().map_or(0, Member::end)
    }

    fn read(&self, start: u64, len: u64, packed: PackedReader<'_>) -> Result<Bytes, SourceError> {
        let end = start.saturating_add(len);
        let mut bytes = Vec::new();
        let first = self.0.partition_point(|member| member.end() <= start);
        for member in self.0.get(first..).unwrap_or(&[]) {
            if member.start >= end {
                break;
            }
            let from = start.max(member.start);
            let to = end.min(member.end());
            let from = from.saturating_sub(member.start);
            let to = to.saturating_sub(member.start);
            let part = within(member, packed, |packed| {
                member.stream.read(from, to.saturating_sub(from), packed)
            })?;
            bytes.extend_from_slice(&part);
        }
        if bytes.len() as u64 == len {
            return Ok(Bytes::from(bytes));
        }
        Err(SourceError {
            span: Span::with_len(SourceId::FILE, start, len),
            message: "out of range".to_owned(),
        })
    }

    fn advance(&self, most: u64, packed: PackedReader<'_>) -> u64 {
        let (mut most, mut left) = (most, 0_u64);
        for member in &self.0 {
            let before = within(member, packed, |packed| member.stream.advance(0, packed));
            let after = within(member, packed, |packed| member.stream.advance(most, packed));
            most = most.saturating_sub(before.saturating_sub(after));
            left = left.saturating_add(after);
        }
        left
    }

    fn damage(&self) -> Option<String> {
        let mut members = (1..).zip(&self.0);
        members.find_map(|(number, member): (u64, _)| {
            let damage = member.stream.damage()?;
            Some(format!("member {number}: {damage}"))
        })
    }

    fn memory(&self) -> u64 {
        self.0.iter().map(|member| member.stream.memory()).sum()
    }

    fn release(&self) {
        for member in &self.0 {
            member.stream.release();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::crc32;
    use miniz_oxide::deflate::compress_to_vec;

    #[test]
    fn members_are_one_file() {
        let parts = [vec![1; 3000], Vec::new(), vec![2; 70_000], vec![3; 5]];
        let (mut packed, mut found) = (Vec::new(), Vec::new());
        for part in &parts {
            packed.extend(b"header");
            let bytes = compress_to_vec(part, 6);
            let (len, used) =
                DeflateStream::measure(bytes.len() as u64 + 3, u64::MAX, &|start, len| {
                    let more = [&bytes[..], b"abc"].concat();
                    Ok(Bytes::from(
                        more[start as usize..(start + len) as usize].to_vec(),
                    ))
                })
                .unwrap();
            assert_eq!((len, used), (part.len() as u64, bytes.len() as u64));
            found.push(MeasuredStream {
                packed: packed.len() as u64,
                packed_len: used,
                len,
                crc: crc32::extend(0, part),
            });
            packed.extend(bytes);
        }
        let whole = parts.concat();
        let stream = Members::new(&found);
        let read = |start: u64, len: u64| {
            Ok(Bytes::from(
                packed[start as usize..(start + len) as usize].to_vec(),
            ))
        };
        assert_eq!(stream.len(), whole.len() as u64);
        for (start, len) in [
            (0, whole.len()),
            (2990, 20),
            (2999, 70_005),
            (73_000, 5),
            (10, 0),
        ] {
            let part = stream.read(start as u64, len as u64, &read).unwrap();
            assert_eq!(*part, whole[start..start + len], "{start} {len}");
        }
        assert!(stream.read(1, whole.len() as u64, &read).is_err());
        assert_eq!(stream.advance(u64::MAX, &read), 0);
        assert_eq!(stream.damage(), None);
        found[2].crc ^= 1;
        let stream = Members::new(&found);
        stream.advance(u64::MAX, &read);
        assert!(stream.damage().unwrap().starts_with("member 3: the CRC-32"));
    }
}
