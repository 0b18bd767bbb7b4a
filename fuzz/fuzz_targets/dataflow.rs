//! The data flow of any bytes as code of a platform.
#![no_main]

zeview_fuzz::fuzz!("dataflow");
