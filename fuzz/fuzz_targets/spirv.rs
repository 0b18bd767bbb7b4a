//! Any bytes as a SPIR-V module.
#![no_main]

zeview_fuzz::fuzz!("spirv");
