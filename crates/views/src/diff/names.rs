//! Names of fields that are only layout, and of keys that identify entries of lists.

use super::entry::FieldValue;
use zeview_core::model::{Area, Node, NodeKind};

/// Whether a field has a position, the number of entries of a table, or a note of the tool that
/// packed the file. They change whenever anything before them does. Names of the gABI, SYCLBIN.h,
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

/// Whether a field of a record only locates something that is compared itself, or is an archiver's
/// note about a member (ar(5)). These and the references in [`digest`](super::digest) are all
/// fields that may differ between two files with the same meaning.
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

/// Whether a field of a record is only layout. The same names as keys of `.ze_info` are not.
pub(super) fn is_layout(node: &Node) -> bool {
    match node.kind {
        NodeKind::Padding | NodeKind::Syntax | NodeKind::Derived => true,
        // In headers, only entries of bundles have these two.
        NodeKind::Field
            if node.area == Area::Header && matches!(&*node.name, "offset" | "size") =>
        {
            true
        }
        // The strings themselves: strings in use are compared where they are referenced.
        NodeKind::Field if node.name == "string" => true,
        NodeKind::Field => node.area != Area::Meta && is_layout_name(&node.name),
        _ => false,
    }
}

/// The keys that identify the entries of a list in `.ze_info`, in this order: names; arguments by
/// index and kind, parts of one by their offset in it; buffers by type and usage; samplers by
/// index.
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

/// Returns the values that identify an entry of a list.
pub(super) fn identity(children: &[Node]) -> Option<String> {
    // The first child with each key.
    let mut found: [Option<&Node>; IDENTITY.len()] = [None; IDENTITY.len()];
    for child in children {
        let place = IDENTITY.iter().position(|key| *key == child.name);
        if let Some(first) = place.and_then(|place| found.get_mut(place)) {
            first.get_or_insert(child);
        }
    }
    let mut words: Option<String> = None;
    for (key, child) in IDENTITY.iter().zip(found) {
        let Some(value) = child.and_then(|child| FieldValue::of(&child.value)) else {
            continue;
        };
        match &mut words {
            None => words = Some(value.into_text()),
            Some(words) => {
                words.push(' ');
                words.push_str(&value.into_text());
            }
        }
        // A name is enough: the other values may change.
        if matches!(*key, "name" | "device_name") {
            break;
        }
    }
    words
}
