//! Sets of bytes of registers.

use std::fmt;

use crate::encoding::Encoding;

/// A register file that the analysis tracks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum RegisterFile {
    /// General registers, `r0` to `r511`.
    General,
    /// Address registers, `a0`.
    Address,
    /// Accumulators, `acc0` to `acc15`.
    Accumulator,
    /// Flags, `f0` to `f3`.
    Flag,
    /// The scalar register of Xe3 and later, `s0`.
    Scalar,
}

impl RegisterFile {
    /// All files, in the order of the Intel Graphics Assembler.
    pub const ALL: [RegisterFile; 5] = [
        RegisterFile::General,
        RegisterFile::Address,
        RegisterFile::Accumulator,
        RegisterFile::Flag,
        RegisterFile::Scalar,
    ];

    /// The prefix of its register names.
    #[must_use]
    pub fn prefix(self) -> &'static str {
        match self {
            RegisterFile::General => "r",
            RegisterFile::Address => "a",
            RegisterFile::Accumulator => "acc",
            RegisterFile::Flag => "f",
            RegisterFile::Scalar => "s",
        }
    }

    /// The first unit of the file and the number of its units.
    pub(super) fn units(self) -> (u16, u16) {
        match self {
            RegisterFile::General => (0, 512),
            RegisterFile::Address => (512, 1),
            RegisterFile::Accumulator => (513, 16),
            RegisterFile::Flag => (529, 4),
            RegisterFile::Scalar => (533, 1),
        }
    }
}

/// Number of the registers of all files.
pub(super) const UNITS: usize = 534;

/// The unit of `f0`; the other flags follow.
pub(super) const FLAGS: u16 = 529;

/// A register of any file, in a common numbering.
pub(super) type Unit = u16;

/// The file of a unit, and its register number.
pub(super) fn file_of(unit: Unit) -> (RegisterFile, u16) {
    for file in RegisterFile::ALL {
        let (first, count) = file.units();
        if let Some(number) = unit.checked_sub(first)
            && number < count
        {
            return (file, number);
        }
    }
    (RegisterFile::General, unit)
}

/// The sizes of the registers of a platform.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Sizes {
    /// Bytes of a general register or accumulator: 32 or 64.
    pub general: u16,
    /// Number of general registers that an instruction can name.
    pub count: u16,
}

impl Sizes {
    pub fn of(encoding: &Encoding) -> Sizes {
        Sizes {
            general: encoding.grf_bytes.clamp(1, 64),
            count: encoding.grf_count.min(512),
        }
    }

    /// Bytes of a register of a file.
    pub fn bytes(self, file: RegisterFile) -> u16 {
        match file {
            RegisterFile::General | RegisterFile::Accumulator => self.general,
            RegisterFile::Address => 32,
            RegisterFile::Flag => 4,
            RegisterFile::Scalar => 64,
        }
    }

    fn registers(self, file: RegisterFile) -> u16 {
        match file {
            RegisterFile::General => self.count,
            other => other.units().1,
        }
    }
}

/// Bytes of one register; bit n is byte n.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece {
    pub unit: Unit,
    pub mask: u64,
}

/// The lowest `count` bits.
pub(super) fn low_bits(count: u32) -> u64 {
    match count {
        64.. => u64::MAX,
        count => (1 << count) - 1,
    }
}

/// A set of bytes while it is built: sorted by unit.
#[derive(Clone, Debug, Default)]
pub(super) struct Pieces(pub Vec<Piece>);

impl Pieces {
    /// Adds bytes of a register.
    pub fn add_mask(&mut self, unit: Unit, mask: u64) {
        if mask == 0 {
            return;
        }
        match self.0.last_mut() {
            Some(last) if last.unit == unit => last.mask |= mask,
            Some(last) if last.unit > unit => {
                match self.0.binary_search_by_key(&unit, |piece| piece.unit) {
                    Ok(at) => {
                        if let Some(piece) = self.0.get_mut(at) {
                            piece.mask |= mask;
                        }
                    }
                    Err(at) => self.0.insert(at, Piece { unit, mask }),
                }
            }
            _ => self.0.push(Piece { unit, mask }),
        }
    }

    /// Adds `length` bytes at an offset in a register file. Ignores bytes outside of the file.
    pub fn add(&mut self, sizes: Sizes, file: RegisterFile, offset: u32, length: u32) {
        let size = u32::from(sizes.bytes(file));
        let (first, _) = file.units();
        let end = offset
            .saturating_add(length)
            .min(size * u32::from(sizes.registers(file)));
        let mut at = offset;
        while at < end {
            let within = at % size;
            let count = (size - within).min(end - at);
            let number = u16::try_from(at / size).unwrap_or(u16::MAX);
            self.add_mask(first + number, low_bits(count) << within);
            at += count;
        }
    }
}

/// A set of bytes of registers. Prints as the Intel Graphics Assembler writes it: `r8`, `r8:2`,
/// `r6[12-15]`, `f0[0-1]`, joined by commas.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ByteSet {
    pieces: Vec<Piece>,
    sizes: Sizes,
}

impl ByteSet {
    /// A set of sorted pieces.
    pub(super) fn new(pieces: Vec<Piece>, sizes: Sizes) -> ByteSet {
        ByteSet { pieces, sizes }
    }

    pub(super) fn pieces(&self) -> &[Piece] {
        &self.pieces
    }

    /// Whether the set has no byte.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Number of bytes of a register file in the set.
    #[must_use]
    pub fn bytes(&self, file: RegisterFile) -> u32 {
        let pieces = self.pieces.iter();
        let pieces = pieces.filter(|piece| file_of(piece.unit).0 == file);
        pieces.map(|piece| piece.mask.count_ones()).sum()
    }

    /// The registers with a byte in the set, by file and number, with a bit for each byte.
    pub fn registers(&self) -> impl Iterator<Item = (RegisterFile, u16, u64)> {
        self.pieces.iter().map(|piece| {
            let (file, number) = file_of(piece.unit);
            (file, number, piece.mask)
        })
    }

    /// Whether the set has a byte of a register.
    #[must_use]
    pub fn has(&self, file: RegisterFile, number: u16) -> bool {
        self.registers()
            .any(|(of, at, _)| of == file && at == number)
    }

    /// Whether two sets have a byte in common.
    #[must_use]
    pub fn intersects(&self, other: &ByteSet) -> bool {
        !self.intersection(other).is_empty()
    }

    /// The bytes that are in both sets.
    #[must_use]
    pub fn intersection(&self, other: &ByteSet) -> ByteSet {
        let mut out = Pieces::default();
        for piece in &self.pieces {
            let other = other.pieces.iter().find(|other| other.unit == piece.unit);
            if let Some(other) = other {
                out.add_mask(piece.unit, piece.mask & other.mask);
            }
        }
        ByteSet::new(out.0, self.sizes)
    }

    /// Adds the bytes of another set.
    pub fn extend(&mut self, other: &ByteSet) {
        let mut out = Pieces(std::mem::take(&mut self.pieces));
        for piece in &other.pieces {
            out.add_mask(piece.unit, piece.mask);
        }
        self.pieces = out.0;
    }

    /// The set in the notation of the Intel Graphics Assembler, one string for each register or run
    /// of whole registers.
    #[must_use]
    pub fn parts(&self) -> Vec<String> {
        let mut out = Vec::new();
        let mut pieces = self.pieces.iter().peekable();
        while let Some(piece) = pieces.next() {
            let (file, number) = file_of(piece.unit);
            let size = self.sizes.bytes(file);
            let whole = low_bits(size.into());
            let mut text = format!("{}{number}", file.prefix());
            if piece.mask & whole == whole {
                // IGA joins only registers of these files.
                let runs = matches!(file, RegisterFile::General | RegisterFile::Accumulator);
                let mut count = 1_u16;
                while let Some(next) = pieces.peek()
                    && runs
                    && next.unit == piece.unit + count
                    && file_of(next.unit).0 == file
                    && next.mask & whole == whole
                {
                    count += 1;
                    pieces.next();
                }
                if count > 1 {
                    text.push_str(&format!(":{count}"));
                }
            } else {
                text.push('[');
                push_ranges(piece.mask, &mut text);
                text.push(']');
            }
            out.push(text);
        }
        out
    }
}

/// Appends the numbers of the bits that are set: `0-3,8`.
fn push_ranges(mask: u64, out: &mut String) {
    let mut at = 0;
    let mut separator = "";
    while at < 64 {
        let rest = mask >> at;
        if rest == 0 {
            return;
        }
        at += rest.trailing_zeros();
        let length = (mask >> at).trailing_ones();
        out.push_str(separator);
        separator = ",";
        match length {
            1 => out.push_str(&at.to_string()),
            _ => out.push_str(&format!("{at}-{}", at + length - 1)),
        }
        at += length;
    }
}

impl fmt::Display for ByteSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts().join(","))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SIZES: Sizes = Sizes {
        general: 32,
        count: 128,
    };

    fn set(parts: &[(RegisterFile, u32, u32)]) -> ByteSet {
        let mut pieces = Pieces::default();
        for (file, offset, length) in parts {
            pieces.add(SIZES, *file, *offset, *length);
        }
        ByteSet::new(pieces.0, SIZES)
    }

    #[test]
    fn sets_print_as_the_assembler_writes_them() {
        use RegisterFile::{Accumulator, Address, Flag, General, Scalar};
        let all = set(&[
            (Flag, 0, 2),
            (General, 8 * 32, 64),
            (General, 6 * 32 + 12, 4),
            (General, 4 * 32, 1),
            (General, 4 * 32 + 2, 2),
            (Accumulator, 0, 8),
            (Address, 0, 4),
            (Scalar, 8, 8),
        ]);
        assert_eq!(
            all.to_string(),
            "r4[0,2-3],r6[12-15],r8:2,a0[0-3],acc0[0-7],f0[0-1],s0[8-15]"
        );
        assert_eq!(all.bytes(General), 71);
    }

    #[test]
    fn bytes_outside_of_a_file_are_left_out() {
        let set = set(&[(RegisterFile::General, 127 * 32 + 16, 64)]);
        assert_eq!(set.to_string(), "r127[16-31]");
    }

    #[test]
    fn sets_are_intersected_and_joined() {
        let mut one = set(&[(RegisterFile::General, 0, 40)]);
        let other = set(&[(RegisterFile::General, 36, 40)]);
        assert_eq!(one.intersection(&other).to_string(), "r1[4-7]");
        assert!(one.intersects(&other));
        one.extend(&other);
        assert_eq!(one.to_string(), "r0:2,r2[0-11]");
    }
}
