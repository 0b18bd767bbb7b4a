//! Wording of each list.

use crate::tables::ListId;
use crate::ui::session::list::FIND;
use crate::ui::text::format;

/// Wording of a list.
pub(super) struct Names {
    pub(super) title: &'static str,
    pub(super) one: &'static str,
    pub(super) many: &'static str,
    /// Element id of the filter or search field.
    pub(super) field: &'static str,
    /// Placeholder of the field.
    pub(super) hint: &'static str,
    pub(super) none: &'static str,
}

/// In the order of [`ListId::ALL`].
static NAMES: [Names; ListId::ALL.len()] = [
    Names {
        title: "Kernels",
        one: "kernel",
        many: "kernels",
        field: "kernels-filter",
        hint: "Filter: name, or spill>0",
        none: "No kernels.",
    },
    Names {
        title: "Relocations",
        one: "relocation",
        many: "relocations",
        field: "relocations-filter",
        hint: "Name, or offset>0x40",
        none: "No relocations.",
    },
    Names {
        title: "Symbols",
        one: "symbol",
        many: "symbols",
        field: "symbols-filter",
        hint: "Name, kind, or size>0",
        none: "No symbols.",
    },
    Names {
        title: "Modules",
        one: "abstract module",
        many: "abstract modules",
        field: "modules-filter",
        hint: "Image, target, symbol, or size>0",
        none: "No modules.",
    },
    Names {
        title: "Properties",
        one: "property",
        many: "properties",
        field: "properties-filter",
        hint: "Set, key, or meaning",
        none: "No properties. Select another module or image.",
    },
    Names {
        title: "Images",
        one: "image",
        many: "images",
        field: "images-filter",
        hint: "Name, kernel, device, or size>4096",
        none: "No images.",
    },
    Names {
        title: "Files",
        one: "file",
        many: "files",
        field: "files-filter",
        hint: "Path, kind=zebin, or size>4096",
        none: "No files.",
    },
    Names {
        title: "Kernels by device",
        one: "kernel",
        many: "kernels",
        field: "matrix-filter",
        hint: "Filter: name, or missing=bmg-g21",
        none: "No kernels.",
    },
    Names {
        title: "Devices",
        one: "device",
        many: "devices",
        field: "devices-filter",
        hint: "Name, release, or verdict=loads",
        none: "No devices.",
    },
    Names {
        title: "Text",
        one: "line",
        many: "lines",
        field: FIND,
        hint: "Find in this text",
        none: "No readable text.",
    },
    Names {
        title: "Source lines",
        one: "row",
        many: "rows",
        field: "source-lines-filter",
        hint: "File, text, or line=12",
        none: "The line tables have no rows for the code.",
    },
    Names {
        title: "Assembly",
        one: "instruction",
        many: "instructions",
        field: "instructions-filter",
        hint: "Filter: r37, dpas, marks=spill",
        none: "No instructions.",
    },
    Names {
        title: "Differences",
        one: "difference",
        many: "differences",
        field: "differences-filter",
        hint: "Name, or part=kernel",
        none: "No differences.",
    },
    Names {
        title: "Difference",
        one: "row",
        many: "rows",
        field: "changes-filter",
        hint: "Text, or change=added",
        none: "No values differ.",
    },
    Names {
        title: "Profiles",
        one: "row",
        many: "rows",
        field: "profile-changes-filter",
        hint: "Kernel, or change<0",
        none: "The profiles have no kernels.",
    },
];

pub(super) fn names(list: ListId) -> &'static Names {
    &NAMES[list as usize]
}

impl Names {
    pub(super) fn counted(&self, count: u64) -> String {
        format::counted(count, self.one, self.many)
    }
}
