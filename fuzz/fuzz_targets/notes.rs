//! Any bytes as the notes of a zebin.
#![no_main]

zeview_fuzz::fuzz!("notes");
