//! Any text as `.ze_info`: read whole, with positions that lie in it.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zeview::decode::zebin::ze_info::yaml;

fuzz_target!(|bytes: &[u8]| {
    let document = yaml::parse(bytes, yaml::Limits::default());
    std::hint::black_box(&document);
});
