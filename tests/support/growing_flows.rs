//! Code with expensive data flow. The cost must be linear in the size of the code.

use super::growing_zebins::{jump_code, random};
use super::isa::hex;

/// Returns Xe2 code of about this size in bytes.
pub type MakeCode = fn(usize) -> Vec<u8>;

/// All constructs, by name.
pub const FLOWS: &[(&str, MakeCode)] = &[
    ("code at random", |size| random(size, 3)),
    ("zeros", |size| vec![0; size]),
    ("all jump to the start", |size| jump_code(size, |_, _| 0)),
    ("jumps mirrored", |size| {
        jump_code(size, |at, count| count - 1 - at)
    }),
    ("jumps all over", |size| {
        jump_code(size, |at, count| (at * 7919 + 13) % count)
    }),
    ("loops in loops", |size| {
        jump_code(
            size,
            |at, count| if at > count / 2 { count - at } else { at + 1 },
        )
    }),
    ("each reads the one before", |size| add().repeat(size / 16)),
    ("predicated writes, then reads", |size| {
        let half = size / 32;
        [predicated(false).repeat(half), add().repeat(half)].concat()
    }),
    ("complementary writes", |size| {
        [predicated(false), predicated(true)]
            .concat()
            .repeat(size / 32)
    }),
    ("blocks of predicated writes, jumps all over", |size| {
        let jumps = jump_code(size / 2, |at, count| ((at * 7919 + 13) % count) * 2);
        // Distances count instructions of this code, where every other one is a write.
        let mut code = Vec::new();
        for jump in jumps.chunks(16) {
            code.extend(predicated(false));
            code.extend(jump);
        }
        code
    }),
];

/// `add (1|M0) r18.1<1>:ud r18.0<0;1,0>:ud r5.1<0;1,0>:ud`
fn add() -> Vec<u8> {
    hex("401a0080200225120412000224050000")
}

/// Returns the same instruction under a predicate on f0.0.
fn predicated(inverse: bool) -> Vec<u8> {
    let mut word = add();
    // PredCtrl is bits 27:26, PredInv bit 28.
    word[3] |= if inverse { 0x14 } else { 0x04 };
    word
}
