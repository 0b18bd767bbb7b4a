//! The names of what is only layout, and of what tells one entry of a list from another.

use super::entry::FieldValue;
use crate::model::{Area, Node, NodeKind};

/// Fields that say where something is, how many entries a table has, and what the tool that packed the
/// file noted. They change whenever anything before them does. Names of the gABI, SYCLBIN.h,
/// OffloadBinary.h, ar(5), program_debug_data.h, ClangOffloadBundler.rst.
fn is_layout_name(name: &str) -> bool {
    matches!(
        name,
        "e_phoff"
            | "e_shoff"
            | "e_phnum"
            | "e_shnum"
            | "e_shstrndx"
            | "e_ehsize"
            | "e_phentsize"
            | "e_shentsize"
            | "p_offset"
            | "p_vaddr"
            | "p_paddr"
            | "p_filesz"
            | "p_memsz"
            | "sh_name"
            | "sh_addr"
            | "sh_offset"
            | "sh_size"
            | "sh_link"
            | "sh_info"
            | "st_name"
            | "n_namesz"
            | "n_descsz"
            | "ar_date"
            | "ar_uid"
            | "ar_gid"
            | "ar_mode"
            | "ar_size"
            | "ar_name"
            | "ar_fmag"
            | "Size"
            | "InflatedSize"
            | "EntriesOffset"
            | "EntriesCount"
            | "StringOffset"
            | "NumStrings"
            | "ImageOffset"
            | "ImageSize"
            | "KeyOffset"
            | "ValueOffset"
            | "ValueSize"
            | "AbstractModuleCount"
            | "IRModuleCount"
            | "IRModuleOffset"
            | "NativeDeviceCodeImageCount"
            | "NativeDeviceCodeImageOffset"
            | "MetadataByteTableSize"
            | "BinaryByteTableSize"
            | "GlobalMetadataOffset"
            | "GlobalMetadataSize"
            | "MetadataOffset"
            | "MetadataSize"
            | "KernelNameSize"
            | "SizeVisaDbgInBytes"
            | "SizeGenIsaDbgInBytes"
            | "NumberOfKernels"
            | "id_length"
            | "entries"
    )
}

/// Whether a field of a record only says where something is that is compared itself, or what the
/// archiver noted of a member (ar(5)). This list and the references in [`digest`](super::digest) are
/// all fields that may differ between two files with the same meaning.
pub(super) fn is_located(name: &str) -> bool {
    matches!(
        name,
        "e_phoff"
            | "e_shoff"
            | "sh_offset"
            | "EntriesOffset"
            | "StringOffset"
            | "ImageOffset"
            | "KeyOffset"
            | "ValueOffset"
            | "GlobalMetadataOffset"
            | "MetadataOffset"
            | "ar_date"
            | "ar_uid"
            | "ar_gid"
            | "ar_mode"
    )
}

/// Is a field of a record only layout? The same names as keys of `.ze_info` are not.
pub(super) fn is_layout(node: &Node) -> bool {
    match node.kind {
        NodeKind::Padding | NodeKind::Syntax | NodeKind::Derived => true,
        // Only entries of bundles have these two in a header.
        NodeKind::Field
            if node.area == Area::Header && matches!(&*node.name, "offset" | "size") =>
        {
            true
        }
        // The strings themselves: those that are referred to are compared there.
        NodeKind::Field if node.name == "string" => true,
        NodeKind::Field => node.area != Area::Meta && is_layout_name(&node.name),
        _ => false,
    }
}

/// The keys that tell the entries of a list in `.ze_info` from each other, in this order. Those of one
/// kind of list: names; arguments by index and kind, parts of one by their place in it; buffers by
/// type and usage; samplers by index.
pub(super) static IDENTITY: [&str; 9] = [
    "name",
    "device_name",
    "arg_type",
    "arg_index",
    "source_offset",
    "index",
    "type",
    "usage",
    "sampler_index",
];

/// What tells an entry of a list from the others, of its values.
pub(super) fn identity(children: &[Node]) -> Option<String> {
    // The first of each key.
    let mut found: [Option<&Node>; IDENTITY.len()] = [None; IDENTITY.len()];
    for child in children {
        let place = IDENTITY.iter().position(|key| *key == child.name);
        if let Some(first) = place.and_then(|place| found.get_mut(place)) {
            first.get_or_insert(child);
        }
    }
    let mut words: Option<String> = None;
    for (key, child) in IDENTITY.iter().zip(found) {
        let Some(said) = child.and_then(|child| FieldValue::of(&child.value)) else {
            continue;
        };
        match &mut words {
            None => words = Some(said.into_text()),
            Some(words) => {
                words.push(' ');
                words.push_str(&said.into_text());
            }
        }
        if matches!(*key, "name" | "device_name") {
            break;
        }
    }
    words
}
