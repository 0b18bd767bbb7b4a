//! Any two files, compared in both directions.
#![no_main]

zeview_fuzz::fuzz!("diff");
