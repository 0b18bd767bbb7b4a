//! Any bytes as code of a platform, the first byte: as a listing, as rows with fields, as blocks, and
//! counted.
#![no_main]

#[path = "../../tests/support/code.rs"]
mod code;

use libfuzzer_sys::fuzz_target;
use zeview::decode::isa::Platform;

fuzz_target!(|bytes: &[u8]| {
    if let Some((first, rest)) = bytes.split_first() {
        code::check(Platform::ALL[usize::from(*first) % Platform::ALL.len()], rest);
    }
});
