//! Shared code of the tests: builders of files, damage, and invariants of every document. Builders
//! are preferred over binary files: a test that states what it builds has a single source of
//! errors.
#![allow(dead_code)]

pub mod built;
pub mod cases;
pub mod code;
pub mod compressed;
pub mod containers;
pub mod damage;
pub mod dataflow;
pub mod diff;
pub mod dump_diff;
pub mod dwarf;
pub mod dwarf_files;
pub mod elf;
pub mod fixtures;
pub mod found;
pub mod frames;
pub mod full_zebin;
pub mod gate;
pub mod golden;
pub mod growing;
pub mod growing_flows;
pub mod growing_hosts;
pub mod growing_packages;
pub mod growing_pairs;
pub mod growing_profiles;
pub mod growing_zebins;
pub mod hidden;
pub mod hostile;
pub mod hostile_names;
pub mod hosts;
pub mod igc_debug;
pub mod inlining;
pub mod invariants;
pub mod isa;
pub mod layout;
pub mod lists;
pub mod names;
pub mod naming;
pub mod notes;
pub mod packages;
#[cfg(unix)]
pub mod processes;
pub mod profile_layouts;
pub mod profiles;
pub mod random;
pub mod readelf;
pub mod spirv;
pub mod syclbin;
pub mod tree;
pub mod view;
pub mod watchdog;
pub mod yaml;
pub mod zebin;

use zeview::decode::decode;
use zeview::model::{Document, MemorySource};

/// Decodes bytes in memory.
pub fn open(bytes: &[u8]) -> Document {
    decode(Box::new(MemorySource::from(bytes)), "file")
}
