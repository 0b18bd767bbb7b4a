//! Decodes texts outside of the YAML subset that [`yaml`](super::yaml) supports, with serde_yaml,
//! which supports all of YAML. serde_yaml does not report offsets, so these values are shown as
//! derived values, next to the rows.

use std::cell::{Cell, RefCell};
use std::fmt;

use serde::de::{
    Deserialize, DeserializeSeed, Deserializer, EnumAccess, Error, IgnoredAny, MapAccess,
    SeqAccess, VariantAccess, Visitor,
};

use crate::limits;
use crate::tree::{Parent, StaticTree};
use zeview_core::model::{Doc, Node, Value};

pub(super) const DOC: Doc = Doc::new(
    "The text as general YAML. It uses features (anchors, aliases, tags, block scalars, complex keys) that the driver does not support. They have no rows of their own.",
    "YAML 1.1, as serde_yaml reads it",
);
const VALUE_DOC: Doc = Doc::new(
    "A YAML value; its offset in the text is unknown.",
    "YAML 1.1, as serde_yaml reads it",
);

/// Decodes the text to a tree of values, or of the error.
pub(super) fn tree(text: &[u8]) -> StaticTree {
    let text = String::from_utf8_lossy(text);
    // Old files fill the section with NULs, which serde_yaml does not accept.
    let text = text.trim_end_matches('\0');
    let most = (1024 + text.len() / 4).min(limits::GENERAL_YAML_VALUES);
    let values = Values {
        tree: RefCell::default(),
        left: Cell::new(most),
    };
    let read = if is_deep(text) {
        Err("brackets nested too deeply".to_owned())
    } else {
        serde_yaml::Deserializer::from_str(text)
            .deserialize_any(Insertion::top(&values))
            .map_err(|error| error.to_string())
    };
    let mut tree = values.tree.into_inner();
    let note = match (read, values.left.get()) {
        (Ok(()), _) => return tree,
        // The values so far are right; after an error of syntax, they may not be.
        (_, 0) => ("and more", format!("more than {most} values are not shown")),
        (Err(error), _) => {
            tree = StaticTree::default();
            ("error", error)
        }
    };
    let node = Node::derived(note.0, Value::text(note.1)).doc(&DOC);
    tree.push(StaticTree::TOP, node);
    tree
}

/// Returns whether brackets are nested more deeply than the reader allows.
fn is_deep(text: &str) -> bool {
    let mut depth = 0usize;
    text.bytes().any(|byte| {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth > limits::GENERAL_YAML_DEPTH
    })
}

/// The values read so far. Reading stops when there are too many: aliases can expand a short text.
struct Values {
    tree: RefCell<StaticTree>,
    left: Cell<usize>,
}

/// The parent and the name of the next value.
struct Insertion<'a> {
    values: &'a Values,
    parent: Parent,
    name: String,
    /// The whole text: its mapping has no row of its own.
    is_top: bool,
}

impl<'a> Insertion<'a> {
    fn top(values: &'a Values) -> Insertion<'a> {
        Insertion {
            values,
            parent: StaticTree::TOP,
            name: "value".to_owned(),
            is_top: true,
        }
    }

    fn push<E: Error>(self, value: Value) -> Result<Parent, E> {
        let left = self.values.left.get().checked_sub(1);
        let left = left.ok_or_else(|| E::custom("too many values"))?;
        self.values.left.set(left);
        let node = Node::derived(self.name, value).doc(&VALUE_DOC);
        Ok(self.values.tree.borrow_mut().push(self.parent, node))
    }

    fn below(values: &Values, parent: Parent, name: String) -> Insertion<'_> {
        Insertion {
            values,
            parent,
            name,
            is_top: false,
        }
    }
}

impl<'de> DeserializeSeed<'de> for Insertion<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
        from.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Insertion<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_bool<E: Error>(self, yes: bool) -> Result<(), E> {
        self.push(Value::Bool(yes)).map(drop)
    }

    fn visit_u64<E: Error>(self, raw: u64) -> Result<(), E> {
        self.push(Value::decimal(raw, 64)).map(drop)
    }

    fn visit_i64<E: Error>(self, raw: i64) -> Result<(), E> {
        self.push(Value::Signed { raw, bits: 64 }).map(drop)
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<(), E> {
        self.push(Value::Float(number)).map(drop)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<(), E> {
        let shown: String = text.chars().take(limits::NAME_SHOWN).collect();
        self.push(Value::text(shown)).map(drop)
    }

    fn visit_unit<E: Error>(self) -> Result<(), E> {
        self.push(Value::None).map(drop)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let values = self.values;
        let below = self.push(Value::None)?;
        let item = || Insertion::below(values, below, "item".to_owned());
        while list.next_element_seed(item())?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let values = self.values;
        let below = if self.is_top {
            self.parent
        } else {
            self.push(Value::None)?
        };
        while let Some(Key(name)) = map.next_key()? {
            map.next_value_seed(Insertion::below(values, below, name))?;
        }
        Ok(())
    }

    fn visit_enum<A: EnumAccess<'de>>(self, tagged: A) -> Result<(), A::Error> {
        let values = self.values;
        let (tag, value) = tagged.variant::<String>()?;
        let below = self.push(Value::text(format!("!{tag}")))?;
        value.newtype_variant_seed(Insertion::below(values, below, "value".to_owned()))
    }
}

/// The name of a key: its text, if it is a scalar.
struct Key(String);

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Key, D::Error> {
        from.deserialize_any(Key(String::new()))
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Key;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_bool<E: Error>(self, yes: bool) -> Result<Key, E> {
        Ok(Key(yes.to_string()))
    }

    fn visit_u64<E: Error>(self, raw: u64) -> Result<Key, E> {
        Ok(Key(raw.to_string()))
    }

    fn visit_i64<E: Error>(self, raw: i64) -> Result<Key, E> {
        Ok(Key(raw.to_string()))
    }

    fn visit_f64<E: Error>(self, number: f64) -> Result<Key, E> {
        Ok(Key(number.to_string()))
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Key, E> {
        Ok(Key(text.chars().take(limits::NAME_SHOWN).collect()))
    }

    fn visit_unit<E: Error>(self) -> Result<Key, E> {
        Ok(Key("null".to_owned()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Key, A::Error> {
        while list.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Key("key".to_owned()))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Key, A::Error> {
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Key("key".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> u64 {
        tree(text.as_bytes()).count_at(StaticTree::TOP)
    }

    #[test]
    fn invalid_yaml_is_reported() {
        assert_eq!(count("a: &x 1\nb: *x\n"), 2);
        assert_eq!(count("a: [1"), 1);
        assert_eq!(count("- 1"), 1);
    }

    #[test]
    fn alias_expansion_is_limited() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..12 {
            let list = [format!("*a{}", i - 1); 1].concat();
            let list = vec![list; 9].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{list}]\n"));
        }
        assert!(count(&text) <= 12);
    }
}
