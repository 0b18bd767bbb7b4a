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
    ("definitions and uses", definitions_and_uses),
    ("messages and waits", messages_and_waits),
    ("small loops", small_loops),
    ("loops around loops", loops_around_loops),
    ("spills and fills", spills_and_fills),
    ("jumps to anywhere", irreducible),
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

const DEFINE: &str = "6100008020406502000000002eca106e";
const USE: &str = "61000000700205036402000000000000";
const LOAD: &str = "31200280000226360c0400fa00003c84";
const STORE: &str = "31200380004202000e0408fa24053c84";
/// `sync.allwr`
const SYNC: &str = "010000000042010000000030ffffffff";

/// Code that computes a value in many blocks, each with a jump to one that reads it many times.
pub fn definitions_and_uses(size: usize) -> Vec<u8> {
    let (definitions, uses) = (size / 64, size / 32);
    let mut code = Code::default();
    for at in 0..definitions {
        code.add(DEFINE).jump(2 * at + 1, 2 * definitions);
    }
    code.repeat(uses, &[USE])
}

/// Messages in many blocks, each with a jump to one that waits for all of them many times.
pub fn messages_and_waits(size: usize) -> Vec<u8> {
    let (messages, waits) = (size / 64, size / 32);
    let mut code = Code::default();
    for at in 0..messages {
        code.add(LOAD).jump(2 * at + 1, 2 * messages);
    }
    code.repeat(waits, &[SYNC])
}

/// Loops of three instructions, one after the other.
pub fn small_loops(size: usize) -> Vec<u8> {
    let mut code = Code::default();
    for at in 0..size / 48 {
        code.add(LOAD).add(SYNC).jump(3 * at + 2, 3 * at);
    }
    code.0
}

/// Loops around all of the loops before them.
pub fn loops_around_loops(size: usize) -> Vec<u8> {
    let count = size / 48;
    let mut code = Code(Code::default().repeat(count, &[LOAD, SYNC]));
    for at in 0..count {
        code.jump(2 * count + at, 2 * (count - 1 - at));
    }
    code.0
}

/// Spills to slots that overlap, and fills from them.
pub fn spills_and_fills(size: usize) -> Vec<u8> {
    let count = size / 32;
    let mut code = Code::default();
    for message in [STORE, LOAD] {
        for at in 0..count {
            code.0.extend(at_offset(message, at as u32 * 4 % (1 << 17)));
        }
    }
    code.0
}

/// Instructions with jumps to anywhere between them.
pub fn irreducible(size: usize) -> Vec<u8> {
    let count = size / 16;
    let mut code = Code::default();
    for at in 0..count {
        match [DEFINE, USE, LOAD, SYNC, STORE].get(at / 2 % 5) {
            Some(word) if at % 2 == 1 => code.add(word),
            _ => code.jump(at, at * 7919 % count),
        };
    }
    code.0
}

/// Code that is longer than the analysis covers, with a value that lives at its end.
pub fn beyond_the_limit(count: usize) -> Vec<u8> {
    Code::default().repeat(count, &[DEFINE, USE])
}

#[derive(Default)]
struct Code(Vec<u8>);

impl Code {
    fn add(&mut self, word: &str) -> &mut Code {
        self.0.extend(hex(word));
        self
    }

    fn repeat(mut self, count: usize, words: &[&str]) -> Vec<u8> {
        let words: Vec<u8> = words.iter().flat_map(|word| hex(word)).collect();
        self.0.extend(words.repeat(count));
        self.0
    }

    /// Adds a conditional jump between instructions by their numbers.
    fn jump(&mut self, from: usize, to: usize) -> &mut Code {
        let mut word = hex("20000084004000000000000000e8ffff");
        let distance = (to as i64 - from as i64 - 1) * 16;
        word[12..].copy_from_slice(&(distance as i32).to_le_bytes());
        self.0.extend(word);
        self
    }
}

/// The bits of the offset of a message to scratch memory.
const OFFSET: [u32; 16] = [
    37, 38, 39, 40, 44, 45, 46, 47, 48, 65, 66, 97, 98, 125, 126, 127,
];

fn at_offset(word: &str, offset: u32) -> [u8; 16] {
    let mut bits = u128::from_le_bytes(hex(word).try_into().unwrap());
    for (at, bit) in (0..).zip(OFFSET) {
        bits &= !(1 << bit);
        bits |= u128::from(offset >> at & 1) << bit;
    }
    bits.to_le_bytes()
}
