//! Shared code of the fuzz targets: checks and seeds.
//!
//! A target is a row of [`TARGETS`] and a file in `fuzz_targets/` that names it. `cargo xtask fuzz`
//! builds the targets, lets each write its [`seeds`], and runs them.

pub mod checks;
pub mod files;
pub mod seeds;
#[allow(
    unused_imports,
    reason = "the native tests use what is exported for them"
)]
#[path = "../../tests/support/mod.rs"]
pub mod support;

/// A fuzz target.
pub struct Target {
    pub name: &'static str,
    /// Checks an input; panics if a property does not hold.
    pub check: fn(&[u8]),
    /// Returns the inputs contained in a file.
    pub of_file: fn(&[u8]) -> Vec<Vec<u8>>,
    /// Returns generated inputs.
    pub own: fn() -> Vec<Vec<u8>>,
}

/// All targets.
pub const TARGETS: &[Target] = &[
    Target {
        name: "decode",
        check: checks::decode,
        of_file: |file| vec![file.to_vec()],
        own: Vec::new,
    },
    Target {
        name: "ze_info",
        check: checks::ze_info,
        of_file: |file| seeds::sections(file, |section| section.name == ".ze_info"),
        own: Vec::new,
    },
    Target {
        name: "disasm",
        check: checks::disasm,
        of_file: seeds::code,
        own: seeds::instructions,
    },
    Target {
        name: "dataflow",
        check: checks::dataflow,
        of_file: seeds::code,
        own: seeds::instructions,
    },
    Target {
        name: "package",
        check: checks::package,
        of_file: seeds::packages_in,
        own: seeds::packages,
    },
    Target {
        name: "profile",
        check: checks::profile,
        of_file: seeds::profile,
        own: Vec::new,
    },
    Target {
        name: "property_sets",
        check: checks::property_sets,
        of_file: seeds::property_sets,
        own: Vec::new,
    },
    Target {
        name: "offload_binary",
        check: checks::offload_binary,
        of_file: |file| seeds::beginning_with(file, files::OFFLOAD_BINARY),
        own: Vec::new,
    },
    Target {
        name: "ar",
        check: checks::ar,
        of_file: |file| seeds::beginning_with(file, files::AR),
        own: Vec::new,
    },
    Target {
        name: "notes",
        check: checks::notes,
        of_file: |file| seeds::with_first(0, seeds::sections(file, |section| section.kind == 7)),
        own: Vec::new,
    },
    Target {
        name: "spirv",
        check: checks::spirv,
        of_file: seeds::spirv,
        own: Vec::new,
    },
    Target {
        name: "dwarf_lines",
        check: checks::dwarf_lines,
        of_file: |file| seeds::sections(file, |section| section.name == ".debug_line"),
        own: Vec::new,
    },
    Target {
        name: "igc_debug",
        check: checks::igc_debug,
        of_file: |file| seeds::beginning_with(file, files::IGC_DEBUG),
        own: Vec::new,
    },
    Target {
        name: "hosts",
        check: checks::hosts,
        of_file: |_| Vec::new(),
        own: seeds::hosts,
    },
    Target {
        name: "verdict",
        check: checks::verdict,
        of_file: seeds::verdict,
        own: Vec::new,
    },
    Target {
        name: "diff",
        check: checks::diff,
        of_file: seeds::pairs,
        own: Vec::new,
    },
    Target {
        name: "diff_bytes",
        check: checks::diff_bytes,
        of_file: |file| vec![[files::UNCHANGED, file].concat()],
        own: Vec::new,
    },
    Target {
        name: "gate",
        check: checks::gate,
        of_file: |_| Vec::new(),
        own: seeds::gates,
    },
    Target {
        name: "queries",
        check: checks::queries,
        of_file: |_| Vec::new(),
        own: seeds::queries,
    },
];

/// Returns the target with this name.
pub fn target(name: &str) -> &'static Target {
    let found = TARGETS.iter().find(|target| target.name == name);
    found.unwrap_or_else(|| panic!("no target {name}"))
}

/// Fuzzes the target with this name, or writes its seeds if the environment requests it.
#[macro_export]
macro_rules! fuzz {
    ($name:literal) => {
        libfuzzer_sys::fuzz_target!(
            init: $crate::seeds::write_if_asked($crate::target($name)),
            |bytes: &[u8]| ($crate::target($name).check)(bytes)
        );
    };
}
