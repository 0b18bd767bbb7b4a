//! Any bytes as a profile of unitrace.
#![no_main]

zeview_fuzz::fuzz!("profile");
