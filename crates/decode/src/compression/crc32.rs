//! CRC-32 (ISO 3309), as in zip and gzip.

/// Extends the CRC-32 of some bytes, 0 for none, by those that follow.
pub(crate) fn extend(crc: u32, bytes: &[u8]) -> u32 {
    // Natively, the library uses the instructions of the processor. In WebAssembly there are none,
    // and its tables would take 16 KB of the page's download.
    #[cfg(not(target_arch = "wasm32"))]
    {
        let mut hasher = crc32fast::Hasher::new_with_initial(crc);
        hasher.update(bytes);
        hasher.finalize()
    }
    #[cfg(target_arch = "wasm32")]
    tables::extend(crc, bytes)
}

#[cfg(any(test, target_arch = "wasm32"))]
mod tables {
    use std::sync::OnceLock;

    /// Tables for eight bytes at a time. Computed on first use: as constants they would take 8 KB
    /// of the page's download.
    static TABLES: OnceLock<[[u32; 256]; 8]> = OnceLock::new();

    const POLYNOMIAL: u32 = 0xedb8_8320;

    // All indices are bytes, or below 8.
    #[allow(clippy::indexing_slicing)]
    fn tables() -> [[u32; 256]; 8] {
        let mut tables = [[0; 256]; 8];
        for (byte, entry) in (0..).zip(&mut tables[0]) {
            let shift = |crc: u32, _| crc >> 1 ^ (POLYNOMIAL & (crc & 1).wrapping_neg());
            *entry = (0..8).fold(byte, shift);
        }
        for at in 1..8 {
            for byte in 0..256 {
                let before = tables[at - 1][byte];
                tables[at][byte] = before >> 8 ^ tables[0][usize::from(before.to_le_bytes()[0])];
            }
        }
        tables
    }

    /// As [`super::extend`].
    // All indices are bytes.
    #[allow(clippy::indexing_slicing)]
    pub(super) fn extend(crc: u32, bytes: &[u8]) -> u32 {
        let tables = TABLES.get_or_init(tables);
        let mut crc = !crc;
        let (words, rest) = bytes.as_chunks::<8>();
        for word in words {
            let low = crc.to_le_bytes();
            let mut next = 0;
            for (at, byte) in word.iter().enumerate() {
                let byte = byte ^ low.get(at).copied().unwrap_or(0);
                next ^= tables[7 - at][usize::from(byte)];
            }
            crc = next;
        }
        for byte in rest {
            let [low, ..] = crc.to_le_bytes();
            crc = crc >> 8 ^ tables[0][usize::from(low ^ byte)];
        }
        !crc
    }
}

/// Describes a CRC-32 that differs from the stored one.
pub(crate) fn mismatch(found: u32, stored: u32) -> String {
    format!("the CRC-32 of the bytes is {found:#010x}, but {stored:#010x} expected")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_check_value_of_the_catalog() {
        assert_eq!(extend(0, b"123456789"), 0xcbf4_3926);
        assert_eq!(extend(0, b""), 0);
        let bytes: Vec<u8> = (0..=255).cycle().take(1000).collect();
        for cut in 0..bytes.len() {
            let (one, other) = bytes.split_at(cut);
            assert_eq!(extend(extend(0, one), other), extend(0, &bytes));
            let one = tables::extend(0, one);
            assert_eq!(tables::extend(one, other), extend(0, &bytes));
        }
    }
}
