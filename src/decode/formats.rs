//! All formats.

use super::format::Format;
#[cfg(feature = "containers")]
use super::{ar, coff, igc_debug, offload_binary, offload_bundle, patch_tokens, syclbin};
use super::{spirv, zebin};

/// All formats, the most particular first. Without feature
/// `containers` only what zebins are and hold: half of what a visitor with a zebin would have
/// to load.
pub static FORMATS: &[&(dyn Format + Sync)] = &[
    &zebin::Elf,
    #[cfg(feature = "containers")]
    &ar::Ar,
    #[cfg(feature = "containers")]
    &offload_binary::Offload,
    #[cfg(feature = "containers")]
    &syclbin::v1::SyclbinV1,
    &spirv::Spirv,
    #[cfg(feature = "containers")]
    &igc_debug::IgcDebug,
    #[cfg(feature = "containers")]
    &patch_tokens::PatchTokens,
    #[cfg(feature = "containers")]
    &offload_bundle::Bundle,
    #[cfg(feature = "containers")]
    &offload_bundle::PackedBundle,
    #[cfg(feature = "containers")]
    &offload_bundle::TextBundle,
    #[cfg(feature = "containers")]
    &coff::Coff,
];

/// Does this build know all that may be in a file that begins so? One with feature
/// `containers` does; otherwise the file has to say that it is a zebin.
pub fn reads(head: &[u8]) -> bool {
    cfg!(feature = "containers") || zebin::identity::says_zebin(head)
}
