//! Any file, and a copy with some other bytes.
#![no_main]

zeview_fuzz::fuzz!("diff_bytes");
