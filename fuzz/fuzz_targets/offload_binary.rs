//! Any bytes as an OffloadBinary.
#![no_main]

zeview_fuzz::fuzz!("offload_binary");
