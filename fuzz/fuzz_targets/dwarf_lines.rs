//! Any bytes as DWARF line tables.
#![no_main]

zeview_fuzz::fuzz!("dwarf_lines");
