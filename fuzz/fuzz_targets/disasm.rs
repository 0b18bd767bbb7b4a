//! Any bytes as code of a platform.
#![no_main]

zeview_fuzz::fuzz!("disasm");
