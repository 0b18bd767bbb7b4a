//! Damaged or truncated code, and code of another platform: no panic, contiguous rows, and linear
//! time.

use std::path::Path;
use std::time::{Duration, Instant};

use zeview::decode::isa::Platform;

use crate::support::code::check;
use crate::support::isa::{rows, table};

/// Returns every n-th real word of each platform's table.
fn sample(platform: Platform, every: usize) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/isa");
    let rows = rows(
        &table(&folder, platform),
        [Some(0), Some(1), Some(2), Some(3)],
    );
    rows.into_iter()
        .step_by(every)
        .map(|row| row.bytes)
        .collect()
}

#[test]
fn a_flipped_bit_is_another_word() {
    for platform in Platform::ALL {
        for word in sample(platform, 11) {
            let mut code = Vec::new();
            for bit in 0..word.len() * 8 {
                let mut flipped = word.clone();
                flipped[bit / 8] ^= 1 << (bit % 8);
                // It may be longer now.
                flipped.resize(16, 0);
                code.extend(flipped);
            }
            check(platform, &code);
        }
    }
}

#[test]
fn another_platforms_code_is_listed() {
    for own in Platform::ALL {
        let code = sample(own, 3).concat();
        for platform in Platform::ALL {
            let text = check(platform, &code);
            assert!(text.lines().count() > 50, "{own:?} as {platform:?}");
        }
    }
}

#[test]
fn code_may_begin_and_end_within_an_instruction() {
    for platform in Platform::ALL {
        let code = sample(platform, 40).concat();
        for cut in 0..24.min(code.len()) {
            check(platform, &code[cut..]);
            check(platform, &code[..code.len() - cut]);
        }
    }
}

/// Returns an Xe `jmpi` with this distance in bytes.
fn jump(to: i32) -> [u8; 16] {
    let mut word = [0; 16];
    word[..8].copy_from_slice(&0x0000_4000_8000_0020_u64.to_le_bytes());
    word[12..].copy_from_slice(&to.to_le_bytes());
    word
}

#[test]
fn jumps_out_of_the_code_and_into_instructions_are_listed() {
    let far = [i32::MIN, i32::MAX, -16, 8, 24, 1 << 20, 0, 16];
    let code: Vec<u8> = far.iter().flat_map(|to| jump(*to)).collect();
    for platform in Platform::ALL {
        check(platform, &code);
    }
    let text = check(Platform::Xe3p, &code);
    assert!(text.contains("L_N"), "{text}");
}

/// Returns the fastest of three runs.
fn time(code: &[u8]) -> Duration {
    let once = || {
        let begin = Instant::now();
        check(Platform::XeHpg, code);
        begin.elapsed()
    };
    (0..3).map(|_| once()).min().unwrap_or_default()
}

#[test]
fn time_is_linear_in_the_code() {
    let nop = {
        let mut word = [0; 16];
        word[0] = 0x60;
        word
    };
    // Only nops, and only jumps to the opposite end.
    let nops = |count: usize| nop.repeat(count);
    let jumps = |count: usize| -> Vec<u8> {
        let to = |at: usize| i32::try_from(count - 2 * at.min(count / 2)).unwrap_or(0);
        (0..count).flat_map(|at| jump(16 * to(at))).collect()
    };
    let codes: [&dyn Fn(usize) -> Vec<u8>; 2] = [&nops, &jumps];
    for make in codes {
        let (few, many) = (time(&make(2_000)), time(&make(16_000)));
        // Eight times the code; four times the time per instruction is far more than noise.
        assert!(many < few * 8 * 4, "{few:?}, {many:?}");
    }
}

#[test]
fn a_million_nops_are_one_block() {
    let mut word = [0; 16];
    word[0] = 0x60;
    let code = word.repeat(1_000_000);
    let begin = Instant::now();
    let decoder = zeview::decode::isa::Decoder::new(Platform::XeHpg);
    let blocks = zeview::decode::isa::Blocks::find(&decoder, &code);
    assert_eq!(blocks.starts(), [0]);
    assert!(begin.elapsed() < Duration::from_secs(20));
}
