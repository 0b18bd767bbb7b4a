//! Writes notes.

/// Consecutive notes.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    bytes: Vec<u8>,
    big: bool,
}

impl Notes {
    pub fn new() -> Notes {
        Notes::default()
    }

    pub fn big_endian() -> Notes {
        Notes {
            big: true,
            ..Notes::default()
        }
    }

    fn word(&mut self, word: u32) {
        let bytes = if self.big {
            word.to_be_bytes()
        } else {
            word.to_le_bytes()
        };
        self.bytes.extend(bytes);
    }

    /// Adds a note with a correct header.
    pub fn note(self, owner: &[u8], kind: u32, desc: &[u8]) -> Notes {
        let (namesz, descsz) = (owner.len() as u32, desc.len() as u32);
        self.lying(namesz, descsz, owner, kind, desc)
    }

    /// Adds a note with an incorrect header.
    pub fn lying(
        mut self,
        namesz: u32,
        descsz: u32,
        owner: &[u8],
        kind: u32,
        desc: &[u8],
    ) -> Notes {
        self.word(namesz);
        self.word(descsz);
        self.word(kind);
        for part in [owner, desc] {
            self.bytes.extend(part);
            let len = self.bytes.len().next_multiple_of(4);
            self.bytes.resize(len, 0);
        }
        self
    }

    /// Adds a note of Intel's with a number.
    pub fn number(self, kind: u32, number: u32) -> Notes {
        let bytes = if self.big {
            number.to_be_bytes()
        } else {
            number.to_le_bytes()
        };
        self.intel(kind, &bytes)
    }

    /// Adds a note of Intel's.
    pub fn intel(self, kind: u32, desc: &[u8]) -> Notes {
        self.note(b"IntelGT\0", kind, desc)
    }

    /// Returns the bytes.
    pub fn build(self) -> Vec<u8> {
        self.bytes
    }
}

/// Adds the notes that the compiler writes for Battlemage.
pub fn battlemage(mut notes: Notes) -> Vec<u8> {
    notes = notes.number(1, 1274).number(2, 3081).number(3, 0x20_0000);
    notes = notes.intel(4, b"1.73\0").number(6, 0x0500_4000);
    notes.number(7, 10).number(8, 1).build()
}
