//! `major.minor`, as the driver reads it: compute-runtime, zeinfo_decoder.cpp,
//! populateZeInfoVersion and validateZeInfoVersion.

use super::findings::Findings;
use super::rules;
use crate::decode::zebin::ze_info::schema;
use crate::model::Span;

/// The version, where the driver goes on with it.
pub fn check(
    text: &[u8],
    place: Span,
    in_note: bool,
    findings: &mut Findings,
) -> Option<(u32, u32)> {
    let words = || String::from_utf8_lossy(text.get(..64).unwrap_or(text)).into_owned();
    let dot = text.iter().position(|byte| *byte == b'.');
    let Some(dot) = dot.filter(|dot| *dot > 0 && dot + 1 < text.len()) else {
        let message = format!("{:?} is not major.minor", words());
        findings.note(
            if in_note {
                &rules::NOTE_VERSION
            } else {
                &rules::VERSION
            },
            place,
            message,
        );
        return None;
    };
    let (major, minor) = (number(text.get(..dot)), number(text.get(dot + 1..)));
    if major != schema::VERSION.0 {
        let message = format!(
            "version {:?}, the driver reads {}.x",
            words(),
            schema::VERSION.0
        );
        findings.note(
            if in_note {
                &rules::NOTE_VERSION
            } else {
                &rules::VERSION
            },
            place,
            message,
        );
        return None;
    }
    if minor > schema::VERSION.1 {
        let message = format!(
            "version {:?}, the driver knows up to 1.{}",
            words(),
            schema::VERSION.1
        );
        findings.note(&rules::NEWER_VERSION, place, message);
    }
    Some((major, minor))
}

/// The number that a text starts with: blanks, a sign, digits; 0 where there is none. Below
/// zero it becomes huge.
fn number(text: Option<&[u8]>) -> u32 {
    let text = text.unwrap_or(&[]);
    let blank = |byte: &u8| matches!(byte, b' ' | 0x09..=0x0d);
    let text = text
        .get(text.iter().take_while(|byte| blank(byte)).count()..)
        .unwrap_or(&[]);
    let (negative, digits) = match text {
        [b'-', rest @ ..] => (true, rest),
        [b'+', rest @ ..] => (false, rest),
        rest => (false, rest),
    };
    let mut value: i64 = 0;
    for digit in digits.iter().take_while(|byte| byte.is_ascii_digit()) {
        value = value
            .saturating_mul(10)
            .saturating_add(i64::from(digit - b'0'));
    }
    let value = if negative { -value } else { value };
    // As the C library: a 64-bit number cut to 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let low = value as u32;
    low
}
