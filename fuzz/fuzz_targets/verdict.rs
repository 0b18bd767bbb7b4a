//! What the driver does with any zebin, and with any `.ze_info`.
#![no_main]

zeview_fuzz::fuzz!("verdict");
