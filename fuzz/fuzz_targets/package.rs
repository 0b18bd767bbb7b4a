//! Any bytes as a package of files.
#![no_main]

zeview_fuzz::fuzz!("package");
