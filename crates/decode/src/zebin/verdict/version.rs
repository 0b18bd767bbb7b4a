//! `major.minor`, as the driver reads it: compute-runtime, zeinfo_decoder.cpp,
//! populateZeInfoVersion and validateZeInfoVersion.

use super::findings::{Excerpt, Findings, Refused};
use super::rules;
use crate::rule::Rule;
use zeview_core::model::Span;

/// Checks a version.
///
/// # Errors
///
/// Returns an error by `rule` if the driver cannot use it.
pub fn check(
    text: &[u8],
    place: Span,
    rule: &'static Rule,
    findings: &mut Findings,
) -> Result<(u32, u32), Refused> {
    let (known_major, known_minor) = findings.release().ze_info();
    let version = Excerpt(text);
    let dot = text.iter().position(|byte| *byte == b'.');
    let Some(dot) = dot.filter(|dot| *dot > 0 && dot + 1 < text.len()) else {
        let message = format_args!("\"{version}\" is not major.minor");
        return findings.refuse(rule, place, message);
    };
    let (major, minor) = (number(text.get(..dot)), number(text.get(dot + 1..)));
    if major != known_major {
        let message = format_args!("version \"{version}\": the driver supports {known_major}.x");
        return findings.refuse(rule, place, message);
    }
    if minor > known_minor {
        let message = format_args!(
            "version \"{version}\": the driver supports up to {known_major}.{known_minor}"
        );
        findings.note(&rules::NEWER_VERSION, place, message);
    }
    Ok((major, minor))
}

/// The number at the start of a text: blanks, a sign, digits; 0 if there is none. Negative numbers
/// become huge.
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
    // Like the C library: truncates a 64-bit number to 32 bits.
    #[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)]
    let low = value as u32;
    low
}
