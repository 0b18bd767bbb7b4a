//! Any text as a filter of any list.
#![no_main]

zeview_fuzz::fuzz!("queries");
