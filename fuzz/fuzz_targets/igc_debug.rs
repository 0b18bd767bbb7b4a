//! Any bytes as IGC's program debug data.
#![no_main]

zeview_fuzz::fuzz!("igc_debug");
