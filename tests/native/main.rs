//! The native tests, in one program: what they share is compiled and linked once.
//! `cargo test --test native golden` runs those of one file.

#[path = "../support/mod.rs"]
mod support;

mod cli;
mod cli_containers;
mod components;
mod containers;
mod digests;
mod dwarf;
mod golden;
mod hostile;
mod igc_debug;
mod invariants;
mod kernels;
mod linkage;
mod on_demand;
mod oracles;
mod protocol;
mod rules;
mod schema;
mod sections;
mod spec_tables;
mod spirv;
mod syclbin;
mod syclbin_rules;
mod verdict_cases;
mod verdict_limits;
mod verdict_rules;
