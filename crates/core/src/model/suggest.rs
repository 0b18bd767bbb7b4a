//! Suggestions for names that do not exist, with the same wording everywhere.

use super::text::distance;

/// Maximum length of compared names, in characters: the time is the product of both lengths.
const LONG: usize = 256;

/// Returns how far a name is from a typed one, or `None` if they are not similar. Case, `-`, `_` and
/// blanks are ignored.
#[must_use]
pub fn similarity(typed: &str, name: &str) -> Option<usize> {
    let (typed, name) = (plain(typed), plain(name));
    let len = typed.chars().count();
    if len == 0 || len > LONG {
        return None;
    }
    if typed == name {
        return Some(0);
    }
    let limit = len.div_ceil(4).min(4);
    let mut best = None;
    let mut add = |apart: usize| best = Some(best.map_or(apart, |best: usize| best.min(apart)));
    let near = |name: &str| {
        let other = name.chars().count();
        let is_near = len > 2 && other.abs_diff(len) <= limit && other <= LONG;
        is_near
            .then(|| distance(&typed, name))
            .filter(|apart| *apart <= limit)
    };
    if let Some(apart) = near(&name) {
        add(apart);
    }
    if len > 2 && name.contains(&*typed) {
        add(limit + 1);
    }
    if len > 3 {
        let words = name.split(|c: char| !c.is_alphanumeric());
        let start: String = name.chars().take(len).collect();
        for word in words.chain([&*start]) {
            if let Some(apart) = near(word) {
                add(limit + 1 + apart);
            }
        }
        // A longer word than the name: `disassemble` for `disasm`.
        let other = name.chars().count();
        if other > 3 && other < len {
            let start: String = typed.chars().take(other).collect();
            let apart = distance(&start, &name);
            if apart <= other.div_ceil(4).min(4) {
                add(limit + 1 + apart);
            }
        }
    }
    best
}

fn plain(name: &str) -> String {
    let name = name.trim().chars();
    let name = name.map(|c| if c == '-' || c == ' ' { '_' } else { c });
    name.flat_map(char::to_lowercase).collect()
}

/// Returns the name that is most similar to a typed one.
pub fn nearest<'a>(typed: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let near = names
        .into_iter()
        .filter_map(|name| Some((similarity(typed, name)?, name.len(), name)));
    near.min().map(|(_, _, name)| name)
}

/// Formats a message about a name that does not exist: `no column is called "spil"; did you mean
/// "spill_size"?`
#[must_use]
pub fn unknown_name<S: AsRef<str>>(kind: &str, typed: &str, near: &[S]) -> String {
    format!("no {kind} is called {typed:?}{}", did_you_mean(near))
}

/// Formats the message about a name that is none of `known`, with the most similar one: what all
/// interfaces say about an unknown column, list, rule …
#[must_use]
pub fn unknown_among<'a>(
    kind: &str,
    typed: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> String {
    unknown_name(kind, typed, nearest(typed, known).as_slice())
}

/// Formats suggestions: `; did you mean "a" or "b"?`; empty without any.
#[must_use]
pub fn did_you_mean<S: AsRef<str>>(near: &[S]) -> String {
    let names: Vec<String> = near
        .iter()
        .map(|name| format!("{:?}", name.as_ref()))
        .collect();
    match names.as_slice() {
        [] => String::new(),
        [only] => format!("; did you mean {only}?"),
        [first @ .., last] => format!("; did you mean {} or {last}?", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slips_have_suggestions() {
        let columns = ["spill_size", "grf_count", "name", "spill_dwords_per_lane"];
        for (typed, near) in [
            ("spil_size", Some("spill_size")),
            ("spil", Some("spill_size")),
            ("spils", Some("spill_size")),
            ("Spill-Size", Some("spill_size")),
            ("gfr_count", Some("grf_count")),
            ("lane", Some("spill_dwords_per_lane")),
            ("grf", Some("grf_count")),
            ("naem", Some("name")),
            ("xyz", None),
            ("n", None),
            ("", None),
        ] {
            assert_eq!(nearest(typed, columns), near, "{typed}");
        }
        assert_eq!(nearest("disassemble", ["check", "disasm"]), Some("disasm"));
        assert_eq!(nearest(&"a".repeat(10_000), ["a"]), None);
    }

    #[test]
    fn suggestions_are_sentences() {
        let none: [&str; 0] = [];
        assert_eq!(
            unknown_name("kernel", "f", &none),
            "no kernel is called \"f\""
        );
        assert_eq!(
            unknown_among("list", "kernel", ["kernels", "symbols"]),
            "no list is called \"kernel\"; did you mean \"kernels\"?"
        );
        assert_eq!(did_you_mean(&["a"]), "; did you mean \"a\"?");
        assert_eq!(
            did_you_mean(&["a", "b", "c"]),
            "; did you mean \"a\", \"b\" or \"c\"?"
        );
    }
}
