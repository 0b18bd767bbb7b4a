//! Instructions: the assembler's text, and invariants for any bytes.

use std::path::Path;

use crate::support::code::check;
use crate::support::isa::{compare, hex, rows, table};
use crate::support::random::Random;
use zeview::decode::isa::instruction::OperandKind;
use zeview::decode::isa::{Blocks, Decoder, Labels, Platform, TextRole};

#[test]
fn a_sample_has_the_assemblers_text() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/isa");
    for platform in Platform::ALL {
        let rows = rows(
            &table(&folder, platform),
            [Some(0), Some(1), Some(2), Some(3)],
        );
        let count = compare(platform, &rows);
        assert!(
            count.is_whole() && count.rows > 200,
            "{}: {count}\n{}",
            platform.name(),
            count.differences.join("\n")
        );
    }
}

/// Any bytes decode to a length of 8 or 16, with bits within it and parts within the line.
#[test]
fn any_word_is_decoded() {
    for platform in Platform::ALL {
        let decoder = Decoder::new(platform);
        let mut random = Random::named(platform.name());
        let opcodes: Vec<u8> = decoder.encoding.opcodes.iter().map(|o| o.code).collect();
        for round in 0..4_000 {
            let mut bytes = [0; 16];
            for half in bytes.chunks_exact_mut(8) {
                // Few bits, about half of them, and many.
                let word = match round % 3 {
                    0 => random.next(),
                    1 => random.next() & random.next() & random.next(),
                    _ => random.next() | random.next(),
                };
                half.copy_from_slice(&word.to_le_bytes());
            }
            if round % 8 != 0 {
                bytes[0] = opcodes[random.below(opcodes.len())];
            }
            let compact = bytes[3] & 0x20 != 0;
            let (instruction, fields) = decoder.decode_fields(&bytes).expect("it is whole");
            assert_eq!(instruction.length, if compact { 8 } else { 16 });
            let limit = if compact {
                u128::from(u64::MAX)
            } else {
                u128::MAX
            };
            for field in &fields {
                assert_eq!(field.bits & !limit, 0, "{:?} {bytes:02x?}", field.field);
            }
            let mut line = String::from("> ");
            let parts = decoder.format_parts(&instruction, Labels::Names(64), &mut line);
            let mut end = 2;
            for part in &parts {
                assert_eq!(part.bits & !limit, 0, "{:?} {bytes:02x?}", part.kind);
                assert!(part.text.start >= end, "{:?} in {line}", part.kind);
                assert!(line.get(part.text.clone()).is_some_and(|t| !t.is_empty()));
                end = part.text.end;
            }
            let mut plain = String::from("> ");
            let again = decoder.decode(&bytes).expect("it is whole");
            decoder.format(&again, Labels::Names(64), &mut plain);
            assert_eq!(line, plain);
            assert!(!line.contains(['\n', '\0']), "{line:?}");
        }
    }
}

/// Any bytes are listed in contiguous rows; each is found by its bytes, and all are counted.
#[test]
fn any_code_is_listed() {
    for platform in Platform::ALL {
        let mut random = Random::named(platform.name());
        let decoder = Decoder::new(platform);
        let opcodes: Vec<u8> = decoder.encoding.opcodes.iter().map(|o| o.code).collect();
        for length in [0, 7, 8, 15, 16, 24, 1000, 5003] {
            let mut code: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            for word in code.chunks_exact_mut(8) {
                word[0] = opcodes[random.below(opcodes.len())];
            }
            check(platform, &code);
        }
    }
}

#[test]
fn truncated_words_end_the_code() {
    let decoder = Decoder::new(Platform::Xe2);
    let bytes = [0_u8; 40];
    for length in 0..40 {
        let mut text = String::new();
        let code = &bytes[..length];
        decoder.list(code, None, &mut |_, _, _| (), &mut text, &mut |_| true);
        assert_eq!(text.lines().count(), length / 16, "{length} bytes");
    }
    // A compacted instruction of 8 bytes is complete.
    let compact = hex("01560020074d1b00");
    let decoder = Decoder::new(Platform::Gen9);
    assert!(decoder.decode(&compact).is_some());
    assert!(decoder.decode(&compact[..7]).is_none());
}

/// Returns the text of the part of this kind, and its bits.
fn part(platform: Platform, bytes: &str, kind: TextRole) -> (String, u128) {
    let decoder = Decoder::new(platform);
    let bytes = hex(bytes);
    let (instruction, _) = decoder.decode_fields(&bytes).expect("it is whole");
    let mut line = String::new();
    let parts = decoder.format_parts(&instruction, Labels::Numeric, &mut line);
    let part = parts.iter().find(|p| p.kind == kind).expect("it is there");
    (line[part.text.clone()].to_owned(), part.bits)
}

#[test]
fn parts_lead_to_their_bits() {
    // add (1|M0) r18.1<1>:ud r6.0<0;1,0>:ud r5.1<0;1,0>:ud {I@2}
    let add = "401a0080200225120406000224050000";
    let bits = |kind| part(Platform::XeHpg, add, kind);
    assert_eq!(bits(TextRole::Operation), ("add".to_owned(), 0x7f));
    let (text, destination) = bits(TextRole::Destination);
    assert_eq!(text, "r18.1<1>:ud");
    // Register 63:56, subregister 55:51, file 50, stride 49:48, type 39:36, indirection 35,
    // saturation 34.
    assert_eq!(destination, 0xffff_00fc_0000_0000);
    let (text, first) = bits(TextRole::Source(0));
    assert_eq!(text, "r6.0<0;1,0>:ud");
    assert_eq!(first & destination, 0);
    let (text, options) = bits(TextRole::Options);
    assert_eq!((text.as_str(), options), ("{I@2}", 0xff00));
    // The bits of a compacted word: the register numbers are 8 bits each.
    let compact = "49007aa102180052";
    let (text, bits) = part(Platform::XeHpg, compact, TextRole::Destination);
    assert_eq!(text, "r122.0<1>:d");
    assert_ne!(bits & 0xff_0000, 0, "the register's number: {bits:x}");
}

#[test]
fn branches_have_labels() {
    // jmpi to itself, then a send that ends the thread.
    let mut code = hex("20000080004000000000000000000000");
    code.extend(hex("33200180010000000c00003000000000"));
    let decoder = Decoder::new(Platform::Xe3p);
    let blocks = Blocks::find(&decoder, &code);
    assert_eq!(blocks.starts(), [0, 16, 32]);
    let mut all = String::new();
    decoder.list(
        &code,
        Some(&blocks),
        &mut |_, _, _| (),
        &mut String::new(),
        &mut |text| {
            all.push_str(text);
            text.clear();
            true
        },
    );
    let lines: Vec<&str> = all.lines().map(str::trim_end).collect();
    assert_eq!(lines[0], "L0:");
    assert_eq!(lines[1], "(W)     jmpi                                 L0");
    assert_eq!(lines[2], "L16:");
    assert_eq!(lines[4], "L32:");
    let jump = decoder.decode(&code).expect("there is one");
    assert!(matches!(jump.sources[0].kind, OperandKind::Label(0)));
}
