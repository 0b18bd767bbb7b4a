//! Deflate streams that a source inflates by itself, while the caller does something else.

use super::{ByteSource, Sources};
use crate::model::span::{SourceId, Span};

/// A deflate stream (RFC 1951) among the bytes of a source.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct DeflatedPart {
    /// The position and number of the compressed bytes.
    pub start: u64,
    /// See `start`.
    pub len: u64,
    /// The number of bytes of output, as stored in the file.
    pub size: u64,
    /// The CRC-32 of the output, as stored in the file.
    pub crc: u32,
}

/// How far a source has inflated a part of its bytes.
pub enum Inflation {
    /// It does not: the caller inflates the part, and finds the damage if there is any.
    Refused,
    /// This number of bytes so far.
    Running(u64),
    /// All bytes. Their number and checksum are as stored in the file.
    Done(Box<dyn ByteSource>),
}

impl Sources {
    /// Lets the opened file inflate a part of its bytes, if it can: begins, or asks how far it is.
    pub fn inflate(&self, data: Span, size: u64, crc: u32) -> Inflation {
        let part = DeflatedPart {
            start: data.start,
            len: data.len(),
            size,
            crc,
        };
        let file = self
            .entry(data.source)
            .filter(|_| data.source == SourceId::FILE);
        let file = file.as_deref().and_then(|entry| entry.source());
        file.map_or(Inflation::Refused, |file| file.inflate(&part))
    }

    /// Gives a stream all its bytes, which another decompressor has restored and compared with
    /// their checksum. Does nothing for other sources.
    pub fn provide(&self, id: SourceId, bytes: Box<dyn ByteSource>) {
        if let Some(entry) = self.entry(id)
            && let super::Origin::Stream(stream) = &entry.origin
        {
            stream.provide(bytes);
        }
    }
}
