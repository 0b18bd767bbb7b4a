//! All formats.

use super::compression::Method;
use super::format::Formats;
use super::{
    ar, bitcode, cache, coff, folder, gzip, igc_debug, offload_binary, offload_bundle,
    patch_tokens, spirv, syclbin, tar, wrapper, zebin, zip,
};

/// All formats, the most specific first.
pub const FORMATS: Formats = Formats(&[
    &zebin::Elf,
    &ar::Ar,
    &offload_binary::Offload,
    &syclbin::v1::SyclbinV1,
    &spirv::Spirv,
    &bitcode::Bitcode,
    &igc_debug::IgcDebug,
    &patch_tokens::PatchTokens,
    &offload_bundle::Bundle,
    &offload_bundle::PackedBundle,
    &offload_bundle::TextBundle,
    &coff::Coff,
    &zip::Zip,
    &tar::Tar,
    &gzip::Gzip,
    &wrapper::Compressed(Method::Xz),
    &wrapper::Compressed(Method::Bzip2),
    &wrapper::Compressed(Method::Zstd),
    &zebin::ze_info_file::ZeInfoText,
    &cache::Binary,
    &cache::Source,
    &cache::Statistics,
    &folder::FolderFormat,
]);
