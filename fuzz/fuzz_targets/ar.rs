//! Any bytes as an archive.
#![no_main]

zeview_fuzz::fuzz!("ar");
