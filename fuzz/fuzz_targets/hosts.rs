//! A host's program with device images, and any changes to it.
#![no_main]

zeview_fuzz::fuzz!("hosts");
