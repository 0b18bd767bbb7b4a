//! Any bytes as a file.
#![no_main]

zeview_fuzz::fuzz!("decode");
