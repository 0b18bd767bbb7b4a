//! The members of a mapping: which keys there are, and what their values read as.

use super::Decoder;
use crate::decode::zebin::verdict::rules;
use crate::decode::zebin::verdict::yaml::Node;
use crate::decode::zebin::ze_info::schema::{Driver, EnumValue, Key, Table, Type};

/// Members that may be there once, by key.
pub struct Members<'a> {
    list: Vec<(&'static str, &'a Node)>,
}

impl<'a> Members<'a> {
    /// The member of that key.
    pub fn get(&self, key: &str) -> Option<&'a Node> {
        self.list
            .iter()
            .find(|(name, _)| *name == key)
            .map(|(_, node)| *node)
    }
}

/// A value that was read.
#[derive(Clone, Copy)]
pub enum Value {
    /// A number.
    Int(i32),
    /// Yes or no.
    Bool(bool),
    /// A word of a list.
    Word(&'static EnumValue),
    /// Something that the driver does not read, or not here.
    Other,
}

fn shown(text: &[u8]) -> String {
    String::from_utf8_lossy(text.get(..80).unwrap_or(text)).into_owned()
}

impl<'a> Decoder<'a, '_> {
    /// The key of a member, if the driver knows it; otherwise it refuses the file.
    pub fn known(&mut self, table: &'static Table, member: &Node) -> Option<&'static Key> {
        let name = self.yaml.key(member);
        let key = table.key(name).filter(|key| key.driver != Driver::Unknown);
        if key.is_none() {
            self.failed = true;
            let place = self.span(self.yaml.key_place(member));
            let within = format_args!("in {}{}", table.name, self.of());
            let (rule, key) = (&rules::UNKNOWN_KEY, shown(name));
            match (name, table.key(name)) {
                (b"", _) => {
                    let message = format_args!("an entry without a key {within}");
                    self.findings.note(rule, place, message);
                }
                (_, Some(_)) => self
                    .findings
                    .note(rule, place, format_args!("{key} {within}")),
                (_, None) => {
                    let message = format_args!("unknown key {key:?} {within}");
                    self.findings.note(rule, place, message);
                }
            }
        }
        key
    }

    /// The members of a mapping, each of them once.
    pub fn members(&mut self, table: &'static Table, node: &Node) -> Members<'a> {
        let mut members = Members {
            list: Vec::with_capacity(8),
        };
        for member in self.yaml.children(node) {
            let Some(key) = self.known(table, member) else {
                continue;
            };
            if members.get(key.name).is_some() && self.must_be_single(key) {
                self.failed = true;
                let place = self.span(self.yaml.key_place(member));
                let message = format_args!("{}{} is there again", key.name, self.of());
                self.findings.note(&rules::KEY_AGAIN, place, message);
            }
            members.list.push((key.name, member));
        }
        members
    }

    /// The tables behind the end of what the driver reads may be there more than once.
    fn must_be_single(&self, key: &Key) -> bool {
        key.name != "kernels_misc_info"
    }

    /// The value of a member as its key wants it; `None` where it is not, and the driver
    /// refuses the file.
    pub fn member(
        &mut self,
        table: &'static Table,
        member: &Node,
    ) -> Option<(&'static Key, Value)> {
        let key = self.known(table, member)?;
        if key.driver == Driver::Ignores {
            return Some((key, Value::Other));
        }
        let value = match key.ty {
            Type::Int32 | Type::Int64 => match self.yaml.int32(member) {
                Some(number) => Some(Value::Int(number)),
                None => self.not_read(member, "a number of 32 bits"),
            },
            Type::Bool => match self.yaml.boolean(member) {
                Some(yes) => Some(Value::Bool(yes)),
                None => self.not_read(member, "yes or no"),
            },
            Type::Enum(list) => {
                let word = self.yaml.raw(member);
                match list
                    .value(word)
                    .filter(|value| value.driver != Driver::Unknown)
                {
                    Some(value) => Some(Value::Word(value)),
                    None => self.unhandled(member, word, list.name),
                }
            }
            Type::Int32x3 => self.three(member),
            _ => Some(Value::Other),
        };
        Some((key, value?))
    }

    /// A value that cannot be read.
    pub fn not_read(&mut self, member: &Node, wanted: &str) -> Option<Value> {
        self.failed = true;
        let place = self.span(self.yaml.place(member));
        let key = shown(self.yaml.key(member));
        let value = shown(self.yaml.raw(member));
        let message = format_args!(
            "{key}{}: {value:?} is not {wanted} to the driver",
            self.of()
        );
        self.findings.note(&rules::VALUE_NOT_READ, place, message);
        None
    }

    fn unhandled(&mut self, member: &Node, word: &[u8], list: &str) -> Option<Value> {
        self.failed = true;
        let place = self.span(self.yaml.place(member));
        let key = shown(self.yaml.key(member));
        let message = match word {
            b"" => format!("{key}{} has no value", self.of()),
            _ => format!(
                "{key}{}: {:?} is no {list} to the driver",
                self.of(),
                shown(word)
            ),
        };
        self.findings.note(&rules::UNKNOWN_VALUE, place, message);
        None
    }

    /// Three numbers in a list.
    fn three(&mut self, member: &Node) -> Option<Value> {
        let mut count = 0;
        let mut fine = true;
        for item in self.yaml.children(member) {
            count += 1;
            if self.yaml.int32(item).is_none() {
                fine = false;
                self.not_read(item, "a number of 32 bits");
            }
        }
        if count != 3 {
            self.failed = true;
            let place = self.span(self.yaml.key_place(member));
            let key = shown(self.yaml.key(member));
            let message = format_args!("{key}{} has {count} numbers", self.of());
            self.findings.note(&rules::LIST_LENGTH, place, message);
            fine = false;
        }
        fine.then_some(Value::Other)
    }
}
