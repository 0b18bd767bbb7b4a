//! The structs of the index, as clang-offload-wrapper writes and the SYCL runtime reads them.
//!
//! They have C layout, so the offsets follow from the pointer size.

use zeview_core::model::{Doc, KnownValue};

/// The type of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// A number of this many bytes.
    Number(u64),
    /// A pointer-sized number.
    Size,
    /// A pointer.
    Pointer,
    /// A pointer to text.
    Text,
}

/// A field.
#[derive(Debug)]
pub struct Field {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub ty: Type,
    /// Its meaning.
    pub doc: Doc,
}

/// A struct.
#[derive(Debug)]
pub struct Layout {
    /// Its name in rows.
    pub name: &'static str,
    /// Its fields.
    pub fields: &'static [Field],
    /// Its meaning.
    pub doc: Doc,
}

/// A field with its offset and size.
pub type FieldLocation = (&'static Field, u64, u64);

impl Layout {
    /// Returns the fields with their offsets and sizes, and the size of the struct.
    pub fn places(&self, pointer: u64, align: u64) -> (Vec<FieldLocation>, u64) {
        let mut at = 0u64;
        let mut max_align = 1;
        let mut places = Vec::new();
        for field in self.fields {
            let size = match field.ty {
                Type::Number(size) => size,
                _ => pointer,
            };
            let aligned = size.min(if size == 8 { align } else { 8 });
            max_align = aligned.max(max_align);
            at = at.next_multiple_of(aligned.max(1));
            places.push((field, at, size));
            at += size;
        }
        (places, at.next_multiple_of(max_align))
    }
}

const WRAPPER: &str = "intel/llvm, ClangOffloadWrapper.cpp";
const RUNTIME: &str = "intel/llvm, sycl/source/detail/compiler.hpp";
const LLVM: &str = "LLVM, Frontend/Offloading/Utility.h";

const fn field(name: &'static str, ty: Type, text: &'static str) -> Field {
    let doc = Doc::new(text, WRAPPER);
    Field { name, ty, doc }
}

const fn known(name: &'static str, text: &'static str, known: &'static [KnownValue]) -> Field {
    let doc = Doc::new(text, WRAPPER).known(known);
    Field {
        name,
        ty: Type::Number(1),
        doc,
    }
}

const fn value(raw: u64, name: &'static str) -> KnownValue {
    KnownValue { raw, name, doc: "" }
}

/// The programming models of images.
pub const KINDS: &[KnownValue] = &[
    value(0, "unknown"),
    value(1, "host"),
    value(2, "openmp"),
    value(3, "hip"),
    value(4, "sycl"),
    value(8, "sycl"),
];

/// Storage formats of images.
pub const FORMATS: &[KnownValue] = &[
    value(0, "none"),
    value(1, "native"),
    value(2, "spirv"),
    value(3, "llvmbc"),
    value(4, "compressed_none"),
];

const TYPES: &[KnownValue] = &[
    value(0, "none"),
    value(1, "uint32"),
    value(2, "byte array"),
    value(3, "string"),
];

/// The binary descriptor.
pub static DESCRIPTOR: Layout = Layout {
    name: "descriptor",
    fields: &[
        field(
            "Version",
            Type::Number(2),
            "The version of the descriptor: 1.",
        ),
        field(
            "NumDeviceImages",
            Type::Number(2),
            "The number of image structs.",
        ),
        field("DeviceImages", Type::Pointer, "The image structs."),
        field("HostEntriesBegin", Type::Pointer, "Not used by SYCL: 0."),
        field("HostEntriesEnd", Type::Pointer, "Not used by SYCL: 0."),
    ],
    doc: Doc::new(
        "The program passes it to the SYCL runtime at startup to register its device images.",
        RUNTIME,
    ),
};

const VERSION: Field = field("Version", Type::Number(2), "The version of the struct.");
const KIND: Field = known("OffloadKind", "The programming model.", KINDS);
const FORMAT: Field = known("Format", "How the image is stored.", FORMATS);
const TARGET: Field = field("DeviceTargetSpec", Type::Text, "The target of the image.");
const COMPILE: Field = field(
    "CompileOptions",
    Type::Text,
    "Options for the compiler of the device code.",
);
const LINK: Field = field(
    "LinkOptions",
    Type::Text,
    "Options for the linker of the device code.",
);
const MANIFEST: Field = field("ManifestStart", Type::Pointer, "Not used: 0.");
const MANIFEST_END: Field = field("ManifestEnd", Type::Pointer, "Not used: 0.");
const START: Field = field("ImageStart", Type::Pointer, "The first byte of the image.");
const END: Field = field("ImageEnd", Type::Pointer, "The byte after the last one.");
const ENTRIES: Field = field(
    "EntriesBegin",
    Type::Pointer,
    "The kernels and exported functions of the image.",
);
const ENTRIES_END: Field = field("EntriesEnd", Type::Pointer, "The end of the entries.");
const SETS: Field = field("PropertySetsBegin", Type::Pointer, "The property sets.");
const SETS_END: Field = field("PropertySetsEnd", Type::Pointer, "The end of the sets.");

const IMAGE_DOC: Doc = Doc::new(
    "Describes a device image: its target, its bytes, its kernels and its properties.",
    RUNTIME,
);

/// The image structs of versions 1, 2 and 3.
pub static IMAGES: [Layout; 3] = [
    Layout {
        name: "image struct",
        fields: &[
            VERSION,
            KIND,
            FORMAT,
            TARGET,
            COMPILE,
            MANIFEST,
            MANIFEST_END,
            START,
            END,
            ENTRIES,
            ENTRIES_END,
        ],
        doc: IMAGE_DOC,
    },
    Layout {
        name: "image struct",
        fields: &[
            VERSION,
            KIND,
            FORMAT,
            TARGET,
            COMPILE,
            LINK,
            MANIFEST,
            MANIFEST_END,
            START,
            END,
            ENTRIES,
            ENTRIES_END,
            SETS,
            SETS_END,
        ],
        doc: IMAGE_DOC,
    },
    Layout {
        name: "image struct",
        fields: &[
            VERSION,
            KIND,
            FORMAT,
            TARGET,
            COMPILE,
            LINK,
            START,
            END,
            ENTRIES,
            ENTRIES_END,
            SETS,
            SETS_END,
        ],
        doc: IMAGE_DOC,
    },
];

const ENTRY_DOC: Doc = Doc::new("A kernel, or a function that other images import.", LLVM);

/// Entries of older compilers.
pub static OLD_ENTRY: Layout = Layout {
    name: "entry",
    fields: &[
        field("addr", Type::Pointer, "Not used by SYCL: 0."),
        field("name", Type::Text, "The name of the kernel or function."),
        field("size", Type::Size, "Not used by SYCL: 0."),
        field("flags", Type::Number(4), "Flags."),
        field("reserved", Type::Number(4), "Not used."),
    ],
    doc: ENTRY_DOC,
};

/// Entries of LLVM's new offload driver.
pub static NEW_ENTRY: Layout = Layout {
    name: "entry",
    fields: &[
        field(
            "Reserved",
            Type::Number(8),
            "Always 0, which distinguishes it from an older entry.",
        ),
        field("Version", Type::Number(2), "The version of the entry: 1."),
        field(
            "Kind",
            Type::Number(2),
            "The programming model: 4 or 8 for SYCL.",
        ),
        field("Flags", Type::Number(4), "Flags."),
        field("Address", Type::Pointer, "Not used by SYCL: 0."),
        field(
            "SymbolName",
            Type::Text,
            "The name of the kernel or function.",
        ),
        field("Size", Type::Number(8), "Not used by SYCL: 0."),
        field("Data", Type::Number(8), "Not used by SYCL: 0."),
        field("AuxAddr", Type::Pointer, "Not used by SYCL: 0."),
    ],
    doc: ENTRY_DOC,
};

/// A property set.
pub static SET: Layout = Layout {
    name: "property set",
    fields: &[
        field("Name", Type::Text, "The name of the set."),
        field("PropertiesBegin", Type::Pointer, "Its properties."),
        field("PropertiesEnd", Type::Pointer, "The end of the properties."),
    ],
    doc: Doc::new("Properties of one kind.", "intel/llvm, PropertySets.md"),
};

/// A property.
pub static PROPERTY: Layout = Layout {
    name: "property",
    fields: &[
        field("Name", Type::Text, "The name of the property."),
        field(
            "ValAddr",
            Type::Pointer,
            "The value, if it is a byte array.",
        ),
        Field {
            ty: Type::Number(4),
            ..known("Type", "The type of the value.", TYPES)
        },
        field(
            "ValSize",
            Type::Number(8),
            "The value, if it is a number; otherwise its size in bytes, including the 8-byte count.",
        ),
    ],
    doc: Doc::new("A name and a value.", "intel/llvm, PropertySets.md"),
};

/// An entry of `.tgtimg`.
pub static TGTIMG: Layout = Layout {
    name: "image reference",
    fields: &[
        field("start", Type::Pointer, "The first byte of the image."),
        field(
            "size",
            Type::Size,
            "The size of the image in bytes; if compressed, the size after decompression.",
        ),
    ],
    doc: Doc::new(
        "Locates an image for tools; programs do not use it.",
        WRAPPER,
    ),
};

/// The image struct of OpenMP.
pub static OPENMP_IMAGE: Layout = Layout {
    name: "OpenMP image",
    fields: &[
        START,
        END,
        field("EntriesBegin", Type::Pointer, "The entries of the host."),
        ENTRIES_END,
    ],
    doc: Doc::new(
        "Describes a device image of OpenMP: `__tgt_device_image`.",
        "LLVM, Frontend/Offloading/OffloadWrapper.cpp",
    ),
};

/// The binary descriptor of OpenMP.
pub static OPENMP_DESCRIPTOR: Layout = Layout {
    name: "OpenMP descriptor",
    fields: &[
        field(
            "NumDeviceImages",
            Type::Number(4),
            "The number of image structs.",
        ),
        field("DeviceImages", Type::Pointer, "The image structs."),
        field(
            "HostEntriesBegin",
            Type::Pointer,
            "The entries of the host.",
        ),
        field("HostEntriesEnd", Type::Pointer, "The end of the entries."),
    ],
    doc: Doc::new(
        "The program passes it to the OpenMP runtime at startup: `__tgt_bin_desc`.",
        "LLVM, Frontend/Offloading/OffloadWrapper.cpp",
    ),
};

/// All records.
pub static ALL: [&Layout; 11] = [
    &DESCRIPTOR,
    &IMAGES[0],
    &IMAGES[1],
    &IMAGES[2],
    &OLD_ENTRY,
    &NEW_ENTRY,
    &SET,
    &PROPERTY,
    &TGTIMG,
    &OPENMP_IMAGE,
    &OPENMP_DESCRIPTOR,
];

/// Layouts of the records in tables.
static LAYOUTS: [&Layout; 8] = [
    &OLD_ENTRY, &NEW_ENTRY, &SET, &PROPERTY, &TGTIMG, &IMAGES[0], &IMAGES[1], &IMAGES[2],
];

/// Returns the index of a layout in [`LAYOUTS`].
pub(super) fn kind_of(layout: &Layout) -> u8 {
    let mut layouts = LAYOUTS.iter();
    let at = layouts.position(|known| std::ptr::eq(*known, layout));
    u8::try_from(at.unwrap_or(0)).unwrap_or(0)
}

/// Returns the layout of an index in [`LAYOUTS`].
pub(super) fn layout_of_kind(kind: u8) -> &'static Layout {
    let layout = LAYOUTS.get(usize::from(kind)).copied();
    layout.unwrap_or(&TGTIMG)
}
