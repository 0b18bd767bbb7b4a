//! Texts that leave the subset of YAML that [`yaml`](super::yaml) decodes: a general reader
//! ([`rare`](crate::decode::rare)) says what they mean. It keeps no places, so its values are
//! shown as derived ones, beside the rows.

use crate::decode::rare::{Rare, What};
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
pub(super) fn tree(text: &[u8], rare: &dyn Rare) -> StaticTree {
    let mut tree = StaticTree::default();
    let Some(items) = rare.yaml(text) else {
        let text = Value::text("zeview's part that reads general YAML is not loaded");
        tree.push(StaticTree::TOP, Node::derived("error", text).doc(&DOC));
        return tree;
    };
    // The places of the values that the next one may be within.
    let mut places: Vec<Parent> = vec![StaticTree::TOP];
    for item in items {
        places.truncate(usize::try_from(item.depth).unwrap_or(0).saturating_add(1));
        let place = places.last().copied().unwrap_or(StaticTree::TOP);
        let count = match item.what {
            What::Sequence(count) => Some(count),
            _ => None,
        };
        let (value, doc) = match item.what {
            What::Nothing | What::Sequence(_) => (Value::None, &VALUE_DOC),
            What::Bool(yes) => (Value::Bool(yes), &VALUE_DOC),
            What::Unsigned(raw) => (Value::decimal(raw, 64), &VALUE_DOC),
            What::Signed(raw) => (Value::Signed { raw, bits: 64 }, &VALUE_DOC),
            What::Float(number) => (Value::Float(number), &VALUE_DOC),
            What::Text(text) => (Value::text(text), &VALUE_DOC),
            What::Note(text) => (Value::text(text), &DOC),
        };
        let mut node = Node::derived(item.name, value).doc(doc);
        if let Some(count) = count {
            node = node.summary(count.to_string());
        }
        places.push(tree.push(place, node));
    }
    tree
}

#[cfg(all(test, feature = "rare"))]
mod tests {
    use super::*;
    use crate::decode::rare::BuiltIn;
    use crate::model::{Expand, MemorySource, Sources};

    fn count(text: &str) -> u64 {
        let sources = Sources::new("", Box::new(MemorySource::from(Vec::new())));
        let text = text.as_bytes().to_vec();
        crate::decode::tree::LazyTree::new(move |_: &Sources| tree(&text, &BuiltIn))
            .count(0, &sources)
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
