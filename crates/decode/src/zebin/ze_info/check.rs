//! Checks a `.ze_info` against its specification. How the driver handles it is part of the verdict.

use std::fmt::Display;

use super::ZeInfo;
use super::schema::{self, EnumValue, Key, Table, Type};
use super::typed::Fit;
use super::yaml::{Index, Kind, Node, ProblemKind, Yaml};
use crate::Context;
use crate::limits;
use crate::rule::Rule;
use crate::rules;
use zeview_core::model::Span;
use zeview_core::model::sort;
use zeview_core::model::text::{cut_end, distance, escaped};

/// Maximum length of a name in messages.
const NAME_MAX: usize = 64;

/// Reports all problems.
pub(super) fn check(cx: &Context<'_>, info: &ZeInfo, legacy: bool) {
    report_problems(cx, info);
    let mut checker = Checker {
        cx,
        info,
        yaml: info.yaml(),
        legacy,
        guesses: limits::PER_RULE,
    };
    let Some(content) = info.yaml().content() else {
        cx.report(&rules::ZE_INFO_EMPTY, info.span, "the text has no content");
        return;
    };
    checker.version();
    let node = info.yaml().node(content);
    if let Some(node) = node.filter(|n| n.kind.is_mapping()) {
        checker.mapping(content, node, &schema::CONTAINER);
    } else if let Some(node) = node {
        cx.report(
            &rules::ZE_INFO_TYPE,
            checker.place(node),
            format_args!("line {}: the text is not a mapping", node.line),
        );
        checker.untyped(content);
    }
}

fn report_problems(cx: &Context<'_>, info: &ZeInfo) {
    for problem in info.yaml().problems() {
        cx.report(
            rule_of(problem.kind),
            info.at(problem.at),
            format_args!("line {}: {}", problem.line, problem.kind.summary()),
        );
    }
    // Unreadable bytes have a problem of their own.
    if !info.yaml().problems().is_empty() {
        for node in info.yaml().nodes().iter().filter(|n| n.kind == Kind::Raw) {
            cx.gap(info.at(node.extent()));
        }
    }
}

fn rule_of(kind: ProblemKind) -> &'static Rule {
    use ProblemKind as P;
    match kind {
        P::TabIndentation => &rules::ZE_INFO_TAB,
        P::NotUtf8 => &rules::ZE_INFO_ENCODING,
        P::TooDeep | P::TooManyNodes => &rules::TOO_MANY,
        P::Indentation
        | P::NotAnEntry
        | P::Misplaced
        | P::UnclosedQuote
        | P::BadEscape
        | P::TextAfterValue
        | P::UnclosedBracket
        | P::FlowSyntax => &rules::ZE_INFO_SYNTAX,
        _ => &rules::ZE_INFO_SUBSET,
    }
}

/// `major.minor`, decimal.
pub(super) fn version(text: &str) -> Option<(u32, u32)> {
    let (major, minor) = text.split_once('.')?;
    let number = |text: &str| {
        let digits = !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
        digits.then(|| text.parse().ok()).flatten()
    };
    Some((number(major)?, number(minor)?))
}

struct Checker<'a> {
    cx: &'a Context<'a>,
    info: &'a ZeInfo,
    yaml: &'a Yaml,
    legacy: bool,
    /// Remaining number of unknown keys that get a suggestion.
    guesses: usize,
}

impl Checker<'_> {
    fn version(&self) {
        let Some(index) = self.info.top("version") else {
            return;
        };
        let Some(node) = self.yaml.node(index).filter(|n| n.kind == Kind::Scalar) else {
            return;
        };
        let text = self.info.str(index);
        let (rule, message) = match version(&text) {
            None => (
                &rules::ZE_INFO_VERSION,
                format!("{:?} is not a version", cut_end(&text, NAME_MAX)),
            ),
            Some((major, _)) if major != schema::VERSION.0 => (
                &rules::ZE_INFO_MAJOR,
                format!("version {text}: zeview supports versions 1.x"),
            ),
            Some((_, minor)) if minor > schema::VERSION.1 => (
                &rules::ZE_INFO_NEWER,
                format!("version {text} is newer than 1.{}", schema::VERSION.1),
            ),
            Some(_) => return,
        };
        self.report(rule, self.info.at(node.value), node, message);
    }

    fn report(&self, rule: &'static Rule, span: Span, node: &Node, message: impl Display) {
        self.cx
            .report(rule, span, format_args!("line {}: {message}", node.line));
    }

    /// The bytes of a value, or of its key if it has none.
    fn place(&self, node: &Node) -> Span {
        if node.value.is_empty() {
            self.info.at(node.entry())
        } else {
            self.info.at(node.value)
        }
    }

    /// The bytes of a key.
    fn key_place(&self, node: &Node) -> Span {
        self.info.at(node.key().unwrap_or(node.entry()))
    }

    fn mapping(&mut self, index: Index, node: &Node, table: &'static Table) {
        let mut seen = 0u64;
        let again = self.repeated(index, Some(table));
        for (child, value) in self.yaml.children(index) {
            let Some(name) = self.info.key_bytes(child, value) else {
                continue;
            };
            if let Some(at) = table.place(&name) {
                let bit = 1u64
                    .checked_shl(u32::try_from(at).unwrap_or(0))
                    .unwrap_or(0);
                if seen & bit != 0 {
                    self.duplicate(value, &name);
                }
                seen |= bit;
                let Some(key) = table.keys.get(at) else {
                    continue;
                };
                self.known_key(value, key, table);
                if !value.kind.is_collection() {
                    self.value(child, value, key);
                }
            } else {
                if again.binary_search(&child).is_ok() {
                    self.duplicate(value, &name);
                }
                self.unknown_key(value, &name, table);
            }
        }
        self.missing(node, table, table.required & !seen);
        for (child, value) in self
            .yaml
            .values(index)
            .filter(|(_, v)| v.kind.is_collection())
        {
            match self.info.key_in(table, child, value) {
                Some(key) => self.value(child, value, key),
                None => self.untyped(child),
            }
        }
    }

    /// The children of a mapping whose key is in no table and occurred before, in order. A mapping
    /// may have millions: they are sorted, not copied into a set.
    fn repeated(&self, mapping: Index, table: Option<&'static Table>) -> Vec<Index> {
        let key = |child: Index| {
            let node = self.yaml.node(child)?;
            self.info.key_bytes(child, node)
        };
        let is_other = |child: &Index| {
            let key = key(*child);
            key.is_some_and(|key| table.is_none_or(|table| table.place(&key).is_none()))
        };
        let children = self.yaml.children(mapping).map(|(child, _)| child);
        let mut others: Vec<Index> = children.filter(is_other).collect();
        sort::by(&mut others, |a, b| key(*a).cmp(&key(*b)));
        let pairs = others.iter().zip(others.iter().skip(1));
        let again = pairs.filter(|(before, after)| key(**before) == key(**after));
        let mut again: Vec<Index> = again.map(|(_, after)| *after).collect();
        sort::ascending(&mut again);
        again
    }

    fn duplicate(&self, node: &Node, name: &[u8]) {
        let message = format_args!("duplicate key {}", display_name(name));
        self.report(
            &rules::ZE_INFO_DUPLICATE_KEY,
            self.key_place(node),
            node,
            message,
        );
    }

    fn known_key(&self, node: &Node, key: &'static Key, table: &'static Table) {
        let minor = self.info.minor();
        if let (Some(since), Some(minor)) = (key.since, minor)
            && since > minor
        {
            let message = format_args!(
                "{} was added in 1.{since}, the text has version 1.{minor}",
                key.name
            );
            self.report(
                &rules::ZE_INFO_NEWER_KEY,
                self.key_place(node),
                node,
                message,
            );
        }
        if let Some(why) = legacy(key.since, key.removed, key.instead, minor) {
            let message = format_args!("{} of {} {why}", key.name, table.name);
            self.report(&rules::ZE_INFO_LEGACY, self.key_place(node), node, message);
        }
    }

    fn unknown_key(&mut self, node: &Node, name: &[u8], table: &'static Table) {
        // The merge key belongs to YAML; the YAML reader has reported it.
        if table.wildcard.is_some_and(|_| table.key(name).is_some()) || name == b"<<" {
            return;
        }
        let message = format_args!(
            "line {}: unknown key {} in {}",
            node.line,
            display_name(name),
            table.name
        );
        let mut help = None;
        // Comparing each of many unknown keys with the whole table would take longer than reading
        // the text.
        if let Some(left) = self.guesses.checked_sub(1) {
            self.guesses = left;
            help = nearest(name, table).map(|key| format!("did you mean {key}?").into());
        }
        let span = self.key_place(node);
        self.cx
            .report_with(&rules::ZE_INFO_UNKNOWN_KEY, span, message, &[], help);
    }

    fn missing(&self, node: &Node, table: &'static Table, bits: u64) {
        if bits == 0 {
            return;
        }
        for (at, key) in table.keys.iter().enumerate() {
            let is_missing = u32::try_from(at).is_ok_and(|at| (bits >> at.min(63)) & 1 == 1);
            // Texts of 2020 predate the key.
            let excused = key.name == "version" && self.legacy;
            if is_missing && !excused {
                let message = format_args!("{}: missing required key {}", table.name, key.name);
                self.report(&rules::ZE_INFO_MISSING_KEY, self.place(node), node, message);
            }
        }
    }

    fn value(&mut self, index: Index, node: &Node, key: &'static Key) {
        if let Some(word) = self.info.word(index, node, key.ty) {
            self.word(node, key, word);
            return;
        }
        match self.info.fit(index, node, key.ty) {
            Fit::Fits => self.fitting(index, node, key),
            // The general reader shows it, and its problem is reported by the YAML reader.
            Fit::Unknown => {}
            Fit::Differs => {
                let message = format_args!("{} should be {}", key.name, with_article(key.ty));
                self.report(&rules::ZE_INFO_TYPE, self.place(node), node, message);
                self.untyped(index);
            }
            Fit::Length(count) => {
                let message = format_args!("{} has {count} numbers instead of 3", key.name);
                self.report(&rules::ZE_INFO_LENGTH, self.place(node), node, message);
            }
            Fit::UnknownWord => {
                let word = self.info.str(index);
                let message =
                    format_args!("{}: unknown value {:?}", key.name, cut_end(&word, NAME_MAX));
                self.report(
                    &rules::ZE_INFO_UNKNOWN_VALUE,
                    self.place(node),
                    node,
                    message,
                );
            }
        }
    }

    fn fitting(&mut self, index: Index, node: &Node, key: &'static Key) {
        match key.ty {
            Type::Int32 if !key.allowed.is_empty() => {
                let number = self.info.int(node).unwrap_or(0);
                if !key.allowed.contains(&number) {
                    let all: Vec<String> = key.allowed.iter().map(i64::to_string).collect();
                    let message =
                        format!("{} is {number}, not one of {}", key.name, all.join(", "));
                    self.report(&rules::ZE_INFO_RANGE, self.place(node), node, message);
                }
            }
            Type::Mapping(table) | Type::Sequence(table) | Type::Either(table) => {
                if node.kind.is_sequence() {
                    self.entries(index, key, table);
                } else if matches!(key.ty, Type::Mapping(_)) || node.kind.is_mapping() {
                    self.mapping(index, node, table);
                }
            }
            _ => {}
        }
    }

    fn word(&self, node: &Node, key: &'static Key, word: &'static EnumValue) {
        let minor = self.info.minor();
        if let (Some(since), Some(minor)) = (word.since, minor)
            && since > minor
        {
            let message = format_args!(
                "{} {} was added in 1.{since}, the text has version 1.{minor}",
                key.name, word.name
            );
            self.report(&rules::ZE_INFO_NEWER_KEY, self.place(node), node, message);
        }
        if let Some(why) = legacy(word.since, word.removed, word.instead, minor) {
            let message = format_args!("{} {} {why}", key.name, word.name);
            self.report(&rules::ZE_INFO_LEGACY, self.place(node), node, message);
        }
    }

    fn entries(&mut self, list: Index, key: &'static Key, table: &'static Table) {
        for (index, node) in self.yaml.values(list) {
            if node.kind.is_mapping() || node.kind == Kind::Null {
                self.mapping(index, node, table);
            } else {
                let message = format_args!("entry of {} should be a mapping", key.name);
                self.report(&rules::ZE_INFO_TYPE, self.place(node), node, message);
                self.untyped(index);
            }
        }
    }

    /// Checks a value without a table: only duplicate keys are reported.
    fn untyped(&mut self, index: Index) {
        let Some(node) = self.yaml.node(index) else {
            return;
        };
        if node.kind.is_mapping() {
            for child in self.repeated(index, None) {
                if let Some(value) = self.yaml.node(child)
                    && let Some(name) = self.info.key_bytes(child, value)
                {
                    self.duplicate(value, &name);
                }
            }
        }
        if node.kind.is_collection() {
            for (child, _) in self.yaml.values(index) {
                self.untyped(child);
            }
        }
    }
}

/// The reason why a key or word is obsolete. Returns `None` if it is not.
fn legacy(
    since: Option<u32>,
    removed: Option<u32>,
    instead: &str,
    minor: Option<u32>,
) -> Option<String> {
    let why = match removed {
        Some(removed) if minor.is_some_and(|minor| minor >= removed) => match removed {
            0 => "predates 1.0".to_owned(),
            removed => format!("was removed in 1.{removed}"),
        },
        None if since.is_none() => "was never specified".to_owned(),
        _ => return None,
    };
    Some(match instead {
        "" => why,
        instead => format!("{why}; replaced by {instead}"),
    })
}

fn with_article(ty: Type) -> &'static str {
    match ty {
        Type::Int32 => "a 32-bit number",
        Type::Int64 => "a 64-bit number",
        Type::Float => "a number",
        Type::Bool => "true or false",
        Type::Str => "a string",
        Type::Enum(_) => "one of the known values",
        Type::Int32x3 => "a sequence of three numbers",
        Type::Strings => "a sequence of strings",
        Type::Mapping(_) | Type::Either(_) => "a mapping",
        Type::Sequence(_) => "a sequence of mappings",
    }
}

fn display_name(name: &[u8]) -> String {
    // A character has at most four bytes, and one more than is kept tells that there are more.
    let name = name.get(..4 * (NAME_MAX + 1)).unwrap_or(name);
    escaped(&cut_end(&String::from_utf8_lossy(name), NAME_MAX))
}

/// The most similar key of the table, with an edit distance of at most two.
fn nearest(name: &[u8], table: &'static Table) -> Option<&'static str> {
    // Two changes turn a short word into any other.
    if name.len() < 4 || name.len() > NAME_MAX {
        return None;
    }
    let name = &*String::from_utf8_lossy(name);
    let names = table
        .keys
        .iter()
        // Nobody should be led to a key that was replaced.
        .filter(|key| key.instead.is_empty())
        .map(|key| key.name);
    let (distance, best) = names
        .filter(|key| key.len().abs_diff(name.len()) <= 2)
        .map(|key| (distance(name, key), key))
        .min()?;
    (distance <= 2).then_some(best)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(version("1.73"), Some((1, 73)));
        assert_eq!(version("1.0073"), Some((1, 73)));
        for bad in [
            "", "1", "1.", ".1", "1.2.3", "a.b", "-1.2", "1.-5", " 1.2", "1.2 ",
        ] {
            assert_eq!(version(bad), None, "{bad:?}");
        }
    }

    #[test]
    fn suggestions() {
        assert_eq!(
            nearest(b"grf_coutn", &schema::EXECUTION_ENV),
            Some("grf_count")
        );
        assert_eq!(
            nearest(b"slm-size", &schema::EXECUTION_ENV),
            Some("slm_size")
        );
        assert_eq!(nearest(b"completely_else", &schema::EXECUTION_ENV), None);
    }
}
