//! The native tests, in one program: what they share is compiled and linked once.
//! `cargo test --test native golden` runs those of one file.

#[path = "../support/mod.rs"]
mod support;

mod assembly;
mod by_kernel;
mod cli;
mod cli_action;
mod cli_check;
mod cli_colors;
mod cli_containers;
mod cli_diff;
mod cli_disasm;
mod cli_gate;
mod cli_hosts;
mod cli_kernels;
mod cli_limits;
mod cli_ls;
mod cli_open;
mod cli_report;
mod cli_summary;
mod code_images;
mod compare;
mod components;
mod containers;
mod diff;
mod digests;
mod dwarf;
mod golden;
mod host_lists;
mod hostile;
mod hostile_names;
mod hosts;
mod igc_debug;
mod images;
mod invariants;
mod isa;
mod isa_damaged;
mod kernels;
mod linkage;
mod names;
mod on_demand;
mod oracles;
mod protocol;
mod rules;
mod schema;
mod search;
mod sections;
mod source_lines;
mod spec_tables;
mod spirv;
mod survey;
mod syclbin;
mod verdict_cases;
mod verdict_limits;
mod verdict_rules;
