//! The members of a mapping: their keys and values as the driver reads them.

use std::fmt::Display;

use super::Decoder;
use crate::rule::Rule;
use crate::zebin::verdict::findings::Excerpt;
use crate::zebin::verdict::release::Word;
use crate::zebin::verdict::rules;
use crate::zebin::verdict::yaml::Node;
use crate::zebin::ze_info::schema::{Driver, EnumValue, Key, Table, Type};
use zeview_core::model::Span;

/// The table after the end of the decoded text, which may occur more than once.
const MISC_INFO: &str = "kernels_misc_info";

/// The members of a mapping, by key; the first one of duplicates.
pub struct Members<'a> {
    list: Vec<(&'static str, &'a Node)>,
}

impl<'a> Members<'a> {
    /// The member with that key.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.list
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, node)| *node)
    }
}

/// A decoded value.
#[derive(Clone, Copy)]
pub enum Value {
    /// A number.
    Int(i32),
    /// A boolean.
    Bool(bool),
    /// A value of an enumeration.
    Word(&'static EnumValue),
    /// A value that the driver does not read, or not here.
    Other,
}

impl<'a> Decoder<'a, '_> {
    /// The key of a member. An unknown key fails the step.
    pub fn known(&mut self, table: &'static Table, member: &Node) -> Option<&'static Key> {
        let name = self.yaml.key(member);
        let known = table.key(name);
        let word = known.and_then(|key| Word::of(key.name.trim_matches('*').as_bytes()));
        let release = self.findings.release();
        let knows = |key: &&Key| match word {
            Some(word) => release.knows(word),
            None => key.driver != Driver::Unknown,
        };
        let key = known.filter(knows);
        if key.is_some() {
            self.need_key(word, member);
        } else {
            let place = self.key_span(member);
            let (within, key) = (table.name, Excerpt(name));
            let rule = if release.refuses_unknown_keys() {
                &rules::UNKNOWN_KEY
            } else {
                &rules::UNKNOWN_KEY_IGNORED
            };
            // A word that later releases dropped again is no reason to recommend one that had it.
            if let Some(word) = word.filter(|word| word.until.is_none()) {
                let since = word.release();
                let message = format_args!(
                    "driver {release} does not know {key} in {within} (since {since})"
                );
                self.need_key(Some(word), member);
                self.report_key(rule, place, message);
                return None;
            }
            match (name, known) {
                (b"", _) => {
                    let message = format_args!("entry of {within} without a key");
                    self.report_key(rule, place, message);
                }
                (_, Some(_)) => {
                    let message = format_args!("the driver does not support {key} in {within}");
                    self.report_key(rule, place, message);
                }
                (_, None) => {
                    let message = format_args!("unknown key \"{key}\" in {within}");
                    self.report_key(rule, place, message);
                }
            }
        }
        key
    }

    /// Reports a key that the driver does not know.
    fn report_key(&mut self, rule: &'static Rule, place: Span, message: impl Display) {
        if self.findings.release().refuses_unknown_keys() {
            self.fail(rule, place, message);
        } else {
            self.note(rule, place, message);
        }
    }

    /// Records a key that older releases refuse.
    fn need_key(&mut self, word: Option<&'static Word>, member: &Node) {
        self.need(word.filter(|word| word.is_needed_as_key()), member);
    }

    /// Records a word without which older releases refuse the file.
    fn need(&mut self, word: Option<&'static Word>, member: &Node) {
        let Some(word) = word else { return };
        let needed = self.facts.needed.as_ref();
        if needed.is_none_or(|(known, _)| (known.since, known.build) < (word.since, word.build)) {
            self.facts.needed = Some((word, self.key_span(member)));
        }
    }

    /// The members of a mapping, without duplicates.
    pub fn members(&mut self, table: &'static Table, node: &Node) -> Members<'a> {
        let mut members = Members {
            list: Vec::with_capacity(8),
        };
        for member in self.yaml.children(node) {
            let Some(key) = self.known(table, member) else {
                continue;
            };
            if members.get(key.name).is_none() {
                members.list.push((key.name, member));
            } else if key.name != MISC_INFO {
                let message = format_args!("duplicate key {} in {}", key.name, table.name);
                self.fail(&rules::DUPLICATE_KEY, self.key_span(member), message);
            }
        }
        members
    }

    /// The value of a member, as the type of its key. Returns `None` for a wrong type, which fails
    /// the step.
    pub fn member(
        &mut self,
        table: &'static Table,
        member: &Node,
    ) -> Option<(&'static Key, Value)> {
        let key = self.known(table, member)?;
        // The driver knows the key, but never reads its value, so any value passes.
        if key.driver == Driver::Ignores {
            return Some((key, Value::Other));
        }
        let value = match key.ty {
            Type::Int32 | Type::Int64 => match self.yaml.int32(member) {
                Some(number) => Some(Value::Int(number)),
                None => self.not_read(member, "a 32-bit number"),
            },
            Type::Bool => match self.yaml.boolean(member) {
                Some(yes) => Some(Value::Bool(yes)),
                None => self.not_read(member, "a boolean"),
            },
            Type::Enum(list) => {
                let word = self.yaml.raw(member);
                let known = list.value(word);
                let since = known.and_then(|value| Word::of(value.name.as_bytes()));
                let release = self.findings.release();
                let knows = |value: &&EnumValue| match since {
                    Some(since) => release.knows(since),
                    None => value.driver != Driver::Unknown,
                };
                match known.filter(knows) {
                    Some(value) => {
                        self.need(since, member);
                        Some(Value::Word(value))
                    }
                    None => {
                        self.need(since.filter(|word| word.until.is_none()), member);
                        self.unhandled(member, word, list.name)
                    }
                }
            }
            Type::Int32x3 => self.three(member),
            _ => Some(Value::Other),
        };
        Some((key, value?))
    }

    /// Reports an unreadable value.
    pub fn not_read(&mut self, member: &Node, wanted: &str) -> Option<Value> {
        let key = Excerpt(self.yaml.key(member));
        let value = Excerpt(self.yaml.raw(member));
        let message = format_args!("{key}: \"{value}\" is not {wanted}");
        self.fail(&rules::VALUE_NOT_READ, self.value_span(member), message);
        None
    }

    fn unhandled(&mut self, member: &Node, word: &[u8], list: &str) -> Option<Value> {
        let place = self.value_span(member);
        let (rule, key) = (&rules::UNKNOWN_VALUE, Excerpt(self.yaml.key(member)));
        match word {
            b"" => self.fail(rule, place, format_args!("{key} has no value")),
            _ => {
                let message = format_args!("{key}: unknown {list} \"{}\"", Excerpt(word));
                self.fail(rule, place, message);
            }
        }
        None
    }

    /// A list of three numbers.
    fn three(&mut self, member: &Node) -> Option<Value> {
        let mut count = 0;
        let mut valid = true;
        for item in self.yaml.children(member) {
            count += 1;
            if self.yaml.int32(item).is_none() {
                valid = false;
                self.not_read(item, "a 32-bit number");
            }
        }
        if count != 3 {
            let key = Excerpt(self.yaml.key(member));
            let message = format_args!("{key} has {count} numbers, not 3");
            self.fail(&rules::LIST_LENGTH, self.key_span(member), message);
            valid = false;
        }
        valid.then_some(Value::Other)
    }
}
