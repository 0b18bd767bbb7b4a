//! Deflate streams that a source inflates by itself, while the caller does something else.

use super::{ByteSource, Sources};
use crate::model::span::SourceId;

/// A deflate stream (RFC 1951) among the bytes of the opened file.
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
    pub fn inflate(&self, part: &DeflatedPart) -> Inflation {
        let file = self.entry(SourceId::FILE);
        let file = file.as_deref().and_then(|entry| entry.source());
        file.map_or(Inflation::Refused, |file| file.inflate(part))
    }

    /// Lets the opened file begin to inflate parts of its bytes.
    pub fn inflate_ahead(&self, parts: impl Iterator<Item = DeflatedPart>) {
        let file = self.entry(SourceId::FILE);
        if let Some(file) = file.as_deref().and_then(|entry| entry.source()) {
            parts.for_each(|part| file.inflate_ahead(&part));
        }
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
