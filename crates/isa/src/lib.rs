//! Instructions of Intel GPUs from Gen9 to Xe3P: decoding and text.
//!
//! [`Decoder`] decodes a word with the tables of its platform to an [`Instruction`], whose parts
//! record their bits. [`Decoder::format`] writes it in the format of the Intel Graphics Assembler
//! (`iga64 -d`). Both share the decoded form, so each part of the text maps to its bits.
//!
//! [`Code`] lists the instructions of a kernel: their lines, jumps and totals.
//!
//! [`tables`] is generated from a model of the encodings; [`word`] reads fields with it.
#![cfg_attr(
    test,
    allow(clippy::cast_possible_truncation, clippy::disallowed_methods)
)]

mod align16;
mod branch;
mod cfg;
mod code;
mod compact;
pub mod dataflow;
mod decode;
pub mod encoding;
mod forest;
mod format;
mod guess;
mod index;
pub mod instruction;
pub mod limits;
mod listing;
pub mod message;
mod number;
mod operand_text;
mod operands;
mod parts;
mod pattern;
mod send;
mod shape;
#[rustfmt::skip]
pub mod tables;
mod tally;
mod ternary;
mod totals;
pub mod windows;
pub mod word;
pub mod words;

pub use cfg::Blocks;
pub use code::Code;
pub use decode::{Decoder, FieldRead};
pub use encoding::Kind;
pub use format::{Labels, Part};
pub use guess::{Confidence, EncodingFit, EncodingGuess};
pub use index::WordIndex;
pub use instruction::Instruction;
pub use listing::targets;
pub use operand_text::{absolute, push_label};
pub use zeview_core::analysis::assembly::TextRole;

/// A family of devices with the same instruction encoding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Platform {
    /// Skylake to Coffee Lake, Gemini Lake.
    Gen9,
    /// Ice Lake, Elkhart Lake.
    Gen11,
    /// Tiger Lake to Raptor Lake, DG1.
    XeLp,
    /// Alchemist, Meteor Lake, Arrow Lake.
    XeHpg,
    /// Ponte Vecchio.
    XeHpc,
    /// Lunar Lake, Battlemage.
    Xe2,
    /// Panther Lake.
    Xe3,
    /// Crescent Island, Nova Lake.
    Xe3p,
}

impl Platform {
    /// All platforms, oldest first.
    pub const ALL: [Platform; 8] = [
        Platform::Gen9,
        Platform::Gen11,
        Platform::XeLp,
        Platform::XeHpg,
        Platform::XeHpc,
        Platform::Xe2,
        Platform::Xe3,
        Platform::Xe3p,
    ];

    /// Returns its name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Platform::Gen9 => "gen9",
            Platform::Gen11 => "gen11",
            Platform::XeLp => "xe_gen12lp",
            Platform::XeHpg => "xe_hpg",
            Platform::XeHpc => "xe_hpc",
            Platform::Xe2 => "xe2",
            Platform::Xe3 => "xe3",
            Platform::Xe3p => "xe3p",
        }
    }

    /// Finds a platform by its [`name`](Platform::name).
    #[must_use]
    pub fn named(name: &str) -> Option<Platform> {
        let mut all = Platform::ALL.into_iter();
        all.find(|platform| platform.name() == name)
    }

    /// Returns the size of a general register in bytes.
    #[must_use]
    pub fn register_bytes(self) -> u16 {
        let encoding = tables::PLATFORMS.get(self as usize);
        encoding.map_or(0, |encoding| encoding.grf_bytes)
    }
}
