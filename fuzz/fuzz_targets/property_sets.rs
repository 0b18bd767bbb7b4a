//! Any text as the properties of a module in a SYCLBIN.
#![no_main]

zeview_fuzz::fuzz!("property_sets");
