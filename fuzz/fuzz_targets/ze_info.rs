//! Any text as `.ze_info`.
#![no_main]

zeview_fuzz::fuzz!("ze_info");
