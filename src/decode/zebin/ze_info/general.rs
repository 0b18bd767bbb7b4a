//! Texts that leave the subset of YAML that [`yaml`](super::yaml) decodes: serde_yaml says what
//! they mean. It keeps no places, so its values are shown as derived ones, beside the rows.

use serde_yaml::{Mapping, Value as Yaml};

use crate::decode::eager::{Eager, Place};
use crate::model::{Doc, Node, Value};

/// Longer texts are not decoded in this way: it takes twenty times as long as the other.
pub(super) const TEXT_MAX: usize = 16 << 20;
/// More values are not shown: aliases can make many of a short text.
const NODES_MAX: usize = 1 << 18;

pub(super) const DOC: Doc = Doc {
    text: "What the text means by the rules of YAML. It has parts (anchors, aliases, tags, block scalars, complex keys) that the driver does not read, and that have no rows of their own.",
    source: "YAML 1.1, as serde_yaml reads it",
    known: &[],
};
const VALUE_DOC: Doc = Doc {
    text: "A value by the rules of YAML; where it stands in the text is not known.",
    source: "YAML 1.1, as serde_yaml reads it",
    known: &[],
};

/// Decodes the text: the values as a tree, or why there are none.
pub(super) fn tree(text: &[u8]) -> Eager {
    let mut tree = Eager::default();
    let text = String::from_utf8_lossy(text);
    match serde_yaml::from_str::<Yaml>(text.trim_end_matches('\0')) {
        Ok(Yaml::Mapping(mapping)) => push_mapping(&mut tree, Eager::TOP, mapping, &mut 0),
        Ok(other) => push(&mut tree, Eager::TOP, "value".to_owned(), other, &mut 0),
        Err(error) => {
            let text = Value::text(error.to_string());
            tree.push(Eager::TOP, Node::derived("error", text).doc(&DOC));
        }
    }
    tree
}

fn push_mapping(tree: &mut Eager, place: Place, mapping: Mapping, count: &mut usize) {
    for (key, value) in mapping {
        let name = match key {
            Yaml::String(name) => name,
            other => serde_yaml::to_string(&other).map_or_else(
                |_| "key".to_owned(),
                |text| text.trim_end().to_owned(),
            ),
        };
        push(tree, place, name, value, count);
    }
}

fn push(tree: &mut Eager, place: Place, name: String, value: Yaml, count: &mut usize) {
    *count += 1;
    match count.cmp(&&mut NODES_MAX.clone()) {
        std::cmp::Ordering::Less => {}
        std::cmp::Ordering::Equal => {
            let text = Value::text(format!("more than {NODES_MAX} values are not shown"));
            tree.push(place, Node::derived("and more", text).doc(&VALUE_DOC));
            return;
        }
        std::cmp::Ordering::Greater => return,
    }
    let node = |value: Value| Node::derived(name.clone(), value).doc(&VALUE_DOC);
    match value {
        Yaml::Mapping(mapping) => {
            let below = tree.push(place, node(Value::None));
            push_mapping(tree, below, mapping, count);
        }
        Yaml::Sequence(values) => {
            let below = tree.push(place, node(Value::None).summary(values.len().to_string()));
            for value in values {
                push(tree, below, "item".to_owned(), value, count);
            }
        }
        Yaml::Tagged(tagged) => {
            let below = tree.push(place, node(Value::text(tagged.tag.to_string())));
            push(tree, below, "value".to_owned(), tagged.value, count);
        }
        scalar => {
            tree.push(place, node(scalar_value(scalar)));
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
    use crate::model::{Expand, MemorySource, Sources};

    fn count(text: &str) -> u64 {
        let sources = Sources::new("", Box::new(MemorySource::from(Vec::new())));
        let text = text.as_bytes().to_vec();
        crate::decode::eager::Tree::new(move |_: &Sources| tree(&text)).count(0, &sources)
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
