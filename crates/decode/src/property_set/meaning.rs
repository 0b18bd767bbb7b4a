//! The meaning of property values.

use super::known::{Form, aspect};
use zeview_core::model::text::{cut_end, escaped, hex};
use zeview_core::model::{Str, Value};

/// The meaning of a value: a short description, and the parts it is made of.
#[derive(Debug, Default)]
pub struct Meaning {
    /// The description; empty if the value itself is enough.
    pub words: String,
    /// The parts, each with a name.
    pub parts: Vec<(Str, Value)>,
}

/// Maximum number of parts with rows.
const PARTS: usize = 4096;
/// Maximum number of parts in the description.
const WORDS: usize = 16;
/// Maximum number of characters of a text in the description.
const TEXT: usize = 200;

impl Meaning {
    fn words(words: impl Into<String>) -> Meaning {
        Meaning {
            words: words.into(),
            ..Meaning::default()
        }
    }

    /// Joins the descriptions of the parts.
    fn list(parts: impl Iterator<Item = (Str, Value, String)>, between: &str) -> Meaning {
        let mut meaning = Meaning::default();
        let mut more = 0;
        for (at, (name, value, words)) in parts.enumerate() {
            if at < WORDS {
                if at > 0 {
                    meaning.words.push_str(between);
                }
                meaning.words.push_str(&words);
            } else {
                more += 1;
            }
            if at < PARTS {
                meaning.parts.push((name, value));
            }
        }
        if more > 0 {
            meaning.words.push_str(&format!(" … {more} more"));
        }
        meaning
    }
}

/// The meaning of a number.
pub fn of_number(form: Form, number: u64) -> Meaning {
    match form {
        Form::Named(names) => {
            let at = usize::try_from(number).unwrap_or(usize::MAX);
            Meaning::words(names.get(at).copied().unwrap_or_default())
        }
        Form::Bits => Meaning::words(format!("{number:#x}")),
        Form::YesNo => Meaning::words(match number {
            0 => "no",
            1 => "yes",
            _ => "",
        }),
        _ => Meaning::default(),
    }
}

/// The meaning of bytes, of which `bits` bits are used.
pub fn of_bytes(form: Form, bits: u64, bytes: &[u8]) -> Meaning {
    let words = || numbers(bytes, 4);
    match form {
        Form::Text => text(bytes).unwrap_or_else(|| any(bytes)),
        Form::Texts(between) => texts(bytes, between).unwrap_or_else(|| any(bytes)),
        Form::Words if whole(bytes, 4) => Meaning::list(words().enumerate().map(numbered), ", "),
        Form::Aspects if whole(bytes, 4) => {
            let part = |(at, number)| {
                let value = Value::decimal(number, 32);
                let (value, words) = match aspect(number) {
                    Some(name) => (value.named(name), name.to_owned()),
                    None => (value, format!("aspect {number}")),
                };
                (index(at), value, words)
            };
            Meaning::list(words().enumerate().map(part), ", ")
        }
        Form::Sizes if matches!(bytes.len(), 4 | 8 | 12 | 16 | 24) => sizes(bytes),
        Form::Records(fields) if whole(bytes, 4 * fields.len()) => records(bytes, fields),
        Form::Arguments => arguments(bits, bytes),
        Form::Raw => Meaning::words(raw(bytes)),
        // The value does not have the format of its key.
        _ => any(bytes),
    }
}

/// Returns whether the bytes are a positive number of whole pieces.
fn whole(bytes: &[u8], size: usize) -> bool {
    !bytes.is_empty() && bytes.len().is_multiple_of(size)
}

fn numbers(bytes: &[u8], size: usize) -> impl Iterator<Item = u64> + '_ {
    let number = |piece: &[u8]| crate::reader::uint(piece, Default::default());
    bytes.chunks(size).map(number)
}

fn index(at: usize) -> Str {
    format!("[{at}]").into()
}

fn numbered((at, number): (usize, u64)) -> (Str, Value, String) {
    (index(at), Value::decimal(number, 32), number.to_string())
}

fn text(bytes: &[u8]) -> Option<Meaning> {
    let text = printable(bytes)?;
    Some(Meaning {
        words: escaped(&cut_end(text, TEXT)),
        parts: vec![("text".into(), Value::text(text.to_owned()))],
    })
}

fn texts(bytes: &[u8], between: char) -> Option<Meaning> {
    let all = printable(bytes)?.split(between);
    let part = |(at, text): (usize, &str)| {
        let value = Value::text(text.to_owned());
        (index(at), value, escaped(text))
    };
    Some(Meaning::list(
        all.enumerate().map(part),
        &format!("{between} "),
    ))
}

/// The bytes as text, if all characters are printable.
fn printable(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let shown = |c: char| !c.is_control() || matches!(c, '\n' | '\t');
    text.chars().all(shown).then_some(text)
}

/// Sizes of 64 bits, or of 32 in older files: no size is 0, so the upper half decides.
fn sizes(bytes: &[u8]) -> Meaning {
    let narrow = match bytes.len() {
        4 | 12 => true,
        8 => numbers(bytes, 4).nth(1) != Some(0),
        _ => false,
    };
    let size = if narrow { 4 } else { 8 };
    let part = |(at, number): (usize, u64)| {
        let bits = if narrow { 32 } else { 64 };
        (index(at), Value::decimal(number, bits), number.to_string())
    };
    Meaning::list(numbers(bytes, size).enumerate().map(part), " × ")
}

fn records(bytes: &[u8], fields: &'static [&'static str]) -> Meaning {
    let record = |(at, piece): (usize, &[u8])| {
        let mut words = String::new();
        for (field, number) in fields.iter().zip(numbers(piece, 4)) {
            if !words.is_empty() {
                words.push_str(", ");
            }
            words.push_str(field);
            words.push(' ');
            words.push_str(&number.to_string());
        }
        (index(at), Value::text(words.clone()), words)
    };
    let pieces = bytes.chunks(4 * fields.len());
    Meaning::list(pieces.enumerate().map(record), "; ")
}

fn arguments(bits: u64, bytes: &[u8]) -> Meaning {
    let removed = |at: u64| {
        let byte = usize::try_from(at / 8).ok().and_then(|i| bytes.get(i));
        byte.is_some_and(|byte| byte >> (at % 8) & 1 == 1)
    };
    let count = bits.min(bytes.len() as u64 * 8);
    // Runs of eliminated arguments.
    let mut runs: Vec<(u64, u64)> = Vec::new();
    for at in (0..count).filter(|at| removed(*at)) {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == at => *last = at,
            _ => runs.push((at, at)),
        }
    }
    let mut words = match (runs.as_slice(), count) {
        ([], _) => format!("none of {count} eliminated"),
        ([(0, last)], _) if last + 1 == count => format!("all of {count} eliminated"),
        _ => "eliminated: ".to_owned(),
    };
    if words.ends_with(' ') {
        let run = |(from, to): &(u64, u64)| {
            if from == to {
                from.to_string()
            } else {
                format!("{from}–{to}")
            }
        };
        let shown: Vec<String> = runs.iter().take(WORDS).map(run).collect();
        words.push_str(&shown.join(", "));
        if runs.len() > WORDS {
            words.push_str(" …");
        }
        words.push_str(&format!(" (of {count})"));
    }
    let states = ["kept", "eliminated"];
    let part = |at: u64| {
        let state = states.get(usize::from(removed(at))).copied();
        let value = Value::text(state.unwrap_or_default());
        (format!("argument {at}").into(), value)
    };
    let most = u64::try_from(PARTS).unwrap_or(0);
    Meaning {
        words,
        parts: (0..count.min(most)).map(part).collect(),
    }
}

fn any(bytes: &[u8]) -> Meaning {
    if bytes.is_empty() {
        return Meaning::words("empty");
    }
    if let Some(text) = text(bytes) {
        return text;
    }
    if whole(bytes, 4) && bytes.len() <= 64 {
        return Meaning::list(numbers(bytes, 4).enumerate().map(numbered), ", ");
    }
    Meaning::words(raw(bytes))
}

fn raw(bytes: &[u8]) -> String {
    let mut words = hex(bytes.get(..32).unwrap_or(bytes), " ");
    if bytes.len() > 32 {
        words.push_str(&format!(" … {} bytes", bytes.len()));
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(form: Form, numbers: &[u32]) -> String {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let meaning = of_bytes(form, bytes.len() as u64 * 8, &bytes);
        meaning.words
    }

    #[test]
    fn numbers_with_names() {
        let state = |number| of_number(Form::Named(&["input", "object"]), number).words;
        assert_eq!(state(1), "object");
        assert_eq!(state(7), "");
        assert_eq!(of_number(Form::Bits, 0x8000_000f).words, "0x8000000f");
        assert_eq!(of_number(Form::YesNo, 1).words, "yes");
        assert_eq!(of_number(Form::Text, 1).words, "");
    }

    #[test]
    fn aspects_and_records() {
        assert_eq!(words(Form::Aspects, &[2, 6, 999]), "gpu, fp64, aspect 999");
        let fields = Form::Records(&["ID", "offset", "size"]);
        assert_eq!(
            words(fields, &[0, 0, 4, 1, 4, 8]),
            "ID 0, offset 0, size 4; ID 1, offset 4, size 8"
        );
        assert_eq!(of_bytes(fields, 64, &[0; 8]).words, "0, 0");
    }

    #[test]
    fn sizes_of_both_widths() {
        assert_eq!(words(Form::Sizes, &[256]), "256");
        assert_eq!(words(Form::Sizes, &[8, 4]), "8 × 4");
        assert_eq!(words(Form::Sizes, &[8, 0]), "8");
        assert_eq!(words(Form::Sizes, &[8, 4, 1]), "8 × 4 × 1");
        assert_eq!(words(Form::Sizes, &[16, 0, 8, 0, 4, 0]), "16 × 8 × 4");
        assert_eq!(of_bytes(Form::Sizes, 40, &[0; 5]).words, "00 00 00 00 00");
    }

    #[test]
    fn eliminated_arguments() {
        let of = |bits, bytes: &[u8]| of_bytes(Form::Arguments, bits, bytes).words;
        assert_eq!(of(8, &[0xff]), "all of 8 eliminated");
        assert_eq!(of(3, &[0]), "none of 3 eliminated");
        assert_eq!(of(9, &[0b1011_0001, 1]), "eliminated: 0, 4–5, 7–8 (of 9)");
        assert_eq!(of(0, &[]), "none of 0 eliminated");
    }

    #[test]
    fn unknown_formats() {
        let any = |bytes: &[u8]| of_bytes(Form::Any, 0, bytes).words;
        assert_eq!(any(b"asan"), "asan");
        assert_eq!(any(&[1, 0, 0, 0, 0, 1, 0, 0]), "1, 256");
        assert_eq!(any(&[0xff, 0, 1]), "ff 00 01");
        assert_eq!(any(&[]), "empty");
        let matrices = of_bytes(Form::Texts(';'), 0, b"a,8;b,16");
        assert_eq!(matrices.words, "a,8; b,16");
        assert_eq!(matrices.parts.len(), 2);
    }
}
