//! Any changes of `.ze_info`, judged by a gate.
#![no_main]

zeview_fuzz::fuzz!("gate");
