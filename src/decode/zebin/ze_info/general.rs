//! Texts that leave the subset of YAML that [`yaml`](super::yaml) decodes: serde_yaml, which
//! knows all of YAML, says what they mean. It keeps no places, so its values are shown as
//! derived ones, beside the rows.

use serde_yaml::{Mapping, Value as Yaml};

use crate::decode::limits;
use crate::decode::tree::{Parent, StaticTree};
use crate::model::{Doc, Node, Value};

pub(super) const DOC: Doc = Doc::new(
    "What the text means by the rules of YAML. It has parts (anchors, aliases, tags, block scalars, complex keys) that the driver does not read, and that have no rows of their own.",
    "YAML 1.1, as serde_yaml reads it",
);
const VALUE_DOC: Doc = Doc::new(
    "A value by the rules of YAML; where it stands in the text is not known.",
    "YAML 1.1, as serde_yaml reads it",
);

/// Decodes the text: the values as a tree, or why there are none.
pub(super) fn tree(text: &[u8]) -> StaticTree {
    let text = String::from_utf8_lossy(text);
    let mut values = Values::default();
    match serde_yaml::from_str(text.trim_end_matches('\0')) {
        Ok(Yaml::Mapping(mapping)) => values.push_mapping(StaticTree::TOP, mapping),
        Ok(other) => values.push(StaticTree::TOP, "value".to_owned(), other),
        Err(error) => values.note(StaticTree::TOP, "error", error.to_string()),
    }
    values.tree
}

#[derive(Default)]
struct Values {
    tree: StaticTree,
    count: usize,
}

impl Values {
    fn note(&mut self, place: Parent, name: &'static str, text: String) {
        let node = Node::derived(name, Value::text(text)).doc(&DOC);
        self.tree.push(place, node);
    }

    fn push_mapping(&mut self, place: Parent, mapping: Mapping) {
        for (key, value) in mapping {
            let name = match key {
                Yaml::String(name) => name,
                other => serde_yaml::to_string(&other)
                    .map_or_else(|_| "key".to_owned(), |text| text.trim_end().to_owned()),
            };
            self.push(place, name, value);
        }
    }

    fn push(&mut self, place: Parent, name: String, value: Yaml) {
        self.count += 1;
        if self.count >= limits::GENERAL_YAML_VALUES {
            if self.count == limits::GENERAL_YAML_VALUES {
                let most = limits::GENERAL_YAML_VALUES;
                let text = format!("more than {most} values are not shown");
                self.note(place, "and more", text);
            }
            return;
        }
        let node = |value| Node::derived(name, value).doc(&VALUE_DOC);
        match value {
            Yaml::Mapping(mapping) => {
                let below = self.tree.push(place, node(Value::None));
                self.push_mapping(below, mapping);
            }
            Yaml::Sequence(values) => {
                let node = node(Value::None).summary(values.len().to_string());
                let below = self.tree.push(place, node);
                for value in values {
                    self.push(below, "item".to_owned(), value);
                }
            }
            Yaml::Tagged(tagged) => {
                let tag = Value::text(tagged.tag.to_string());
                let below = self.tree.push(place, node(tag));
                self.push(below, "value".to_owned(), tagged.value);
            }
            scalar => {
                self.tree.push(place, node(scalar_value(scalar)));
            }
        }
    }
}

fn scalar_value(scalar: Yaml) -> Value {
    match scalar {
        Yaml::Bool(yes) => Value::Bool(yes),
        Yaml::String(text) => Value::text(text),
        Yaml::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(raw), _, _) => Value::decimal(raw, 64),
            (_, Some(raw), _) => Value::Signed { raw, bits: 64 },
            (_, _, Some(number)) => Value::Float(number),
            _ => Value::None,
        },
        _ => Value::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn count(text: &str) -> u64 {
        tree(text.as_bytes()).count_at(StaticTree::TOP)
    }

    #[test]
    fn what_is_no_yaml_says_so() {
        assert_eq!(count("a: &x 1\nb: *x\n"), 2);
        assert_eq!(count("a: [1"), 1);
        assert_eq!(count("- 1"), 1);
    }

    #[test]
    fn aliases_cannot_make_a_lot_of_little() {
        let mut text = "a0: &a0 [x, x, x, x, x, x, x, x, x]\n".to_owned();
        for i in 1..12 {
            let list = [format!("*a{}", i - 1); 1].concat();
            let list = vec![list; 9].join(", ");
            text.push_str(&format!("a{i}: &a{i} [{list}]\n"));
        }
        assert!(count(&text) <= 12);
    }
}
