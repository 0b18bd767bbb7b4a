//! YAML by all of its rules, as serde_yaml reads it. It keeps no places.

use serde_yaml::{Mapping, Value};

use super::{Item, VALUES_MAX, What};

/// The values of a text, or why there are none.
pub(super) fn items(text: &[u8]) -> Vec<Item> {
    let text = String::from_utf8_lossy(text);
    let mut items = Items(Vec::new());
    match serde_yaml::from_str::<Value>(text.trim_end_matches('\0')) {
        Ok(Value::Mapping(mapping)) => items.push_mapping(0, mapping),
        Ok(other) => items.push_value(0, "value".to_owned(), other),
        Err(error) => items.push(0, "error".to_owned(), What::Note(error.to_string())),
    }
    items.0
}

struct Items(Vec<Item>);

impl Items {
    fn push(&mut self, depth: u32, name: String, what: What) {
        self.0.push(Item { depth, name, what });
    }

    fn push_mapping(&mut self, depth: u32, mapping: Mapping) {
        for (key, value) in mapping {
            let name = match key {
                Value::String(name) => name,
                other => serde_yaml::to_string(&other)
                    .map_or_else(|_| "key".to_owned(), |text| text.trim_end().to_owned()),
            };
            self.push_value(depth, name, value);
        }
    }

    fn push_value(&mut self, depth: u32, name: String, value: Value) {
        match (self.0.len() + 1).cmp(&VALUES_MAX) {
            std::cmp::Ordering::Less => {}
            std::cmp::Ordering::Equal => {
                let text = format!("more than {VALUES_MAX} values are not shown");
                return self.push(depth, "and more".to_owned(), What::Note(text));
            }
            std::cmp::Ordering::Greater => return,
        }
        match value {
            Value::Mapping(mapping) => {
                self.push(depth, name, What::Nothing);
                self.push_mapping(depth + 1, mapping);
            }
            Value::Sequence(values) => {
                self.push(depth, name, What::Sequence(values.len() as u64));
                for value in values {
                    self.push_value(depth + 1, "item".to_owned(), value);
                }
            }
            Value::Tagged(tagged) => {
                self.push(depth, name, What::Text(tagged.tag.to_string()));
                self.push_value(depth + 1, "value".to_owned(), tagged.value);
            }
            scalar => self.push(depth, name, what(scalar)),
        }
    }
}

fn what(scalar: Value) -> What {
    match scalar {
        Value::Bool(yes) => What::Bool(yes),
        Value::String(text) => What::Text(text),
        Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
            (Some(raw), _, _) => What::Unsigned(raw),
            (_, Some(raw), _) => What::Signed(raw),
            (_, _, Some(number)) => What::Float(number),
            _ => What::Nothing,
        },
        _ => What::Nothing,
    }
}
