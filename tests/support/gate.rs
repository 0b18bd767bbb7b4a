//! A gate on a file with changed `.ze_info`: it passes only if the value is known to pass.

use zeview::tables::gate::{Condition, Gate, Outcome};

use super::{open, zebin};

/// Returns the text of two kernels; the second one spills.
pub fn text() -> String {
    let text = zebin::ze_info(&["calm", "hot"]);
    let at = text.rfind("      simd_size:").unwrap();
    let (before, after) = text.split_at(at);
    format!("{before}      spill_size:      9999\n{after}")
}

/// Judges a file with this changed [`text`] by `spill_size>0`. It may pass only if the line at the
/// value's offset has a number that is not positive, or is a comment.
pub fn violation(changed: &[u8]) -> Option<String> {
    let elf = zebin::zebin(&["calm", "hot"]).bytes(".ze_info", changed);
    let mut document = open(&elf.build().bytes);
    let conditions = [Condition::parse("spill_size>0").unwrap()];
    let mut gate = Gate::new(&conditions);
    gate.judge_document("", &mut document, None);
    let may_pass = may_pass(changed, text().find("spill_size").unwrap());
    match gate.outcome() {
        Outcome::Passes if !may_pass => {
            Some(format!("it passes:\n{}", String::from_utf8_lossy(changed)))
        }
        _ => None,
    }
}

/// Parses the line independently of the `.ze_info` reader.
fn may_pass(text: &[u8], at: usize) -> bool {
    let is_end = |byte: &u8| matches!(byte, b'\n' | b'\r');
    let Some((before, after)) = text.split_at_checked(at) else {
        return false;
    };
    let start = before.iter().rposition(is_end).map_or(0, |at| at + 1);
    let end = after
        .iter()
        .position(is_end)
        .map_or(text.len(), |end| at + end);
    let line = String::from_utf8_lossy(&text[start..end]).into_owned();
    let line = match line.trim_start() {
        comment if comment.starts_with('#') => return true,
        line => line,
    };
    // A comment after a value.
    let (line, is_comment) = match line.split_once(" #") {
        Some((line, _)) => (line, !line.contains("size")),
        None => (line, false),
    };
    let value = line.strip_prefix("spill_size:").map(str::trim);
    let number = value.and_then(|value| match value.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => value.parse().ok(),
    });
    is_comment || number.is_some_and(|number: i64| number <= 0)
}
