//! Compares the rows of `.ze_info` with a general YAML reader.

use serde_yaml::Value as Yaml;
use zeview::model::{NodeKind, Value};

use super::tree::{Flat, Tree, walk_all};

/// Compares the rows of a file's `.ze_info` with its text. Returns the number of compared values; 0
/// if the general reader rejects the text because of a duplicate key.
pub fn compare(file: &[u8], text: &[u8]) -> Result<usize, String> {
    let document = super::open(file);
    let tree = walk_all(&document)?;
    let parts = tree.children(&tree.nodes[0]);
    let section = parts
        .iter()
        .find(|p| p.node.name == ".ze_info")
        .ok_or("no .ze_info")?;
    let span = section.node.span.ok_or("no bytes")?;
    let bytes = &file[span.start as usize..span.end as usize];
    if bytes != text {
        return Err("the section's bytes are not the text".to_owned());
    }
    let expected: Yaml = match serde_yaml::from_slice(text) {
        Ok(value) => value,
        Err(_) => return Ok(0),
    };
    let mut count = 0;
    mapping(&tree, section, &expected, "", &mut count)?;
    Ok(count)
}

/// Returns the children that are values, without comments, markers and brackets.
fn values<'a>(tree: &'a Tree, flat: &Flat) -> Vec<&'a Flat> {
    let kinds = [NodeKind::Syntax, NodeKind::Gap, NodeKind::Derived];
    let children = tree.children(flat).iter();
    children.filter(|c| !kinds.contains(&c.node.kind)).collect()
}

fn mapping(
    tree: &Tree,
    row: &Flat,
    expected: &Yaml,
    path: &str,
    count: &mut usize,
) -> Result<(), String> {
    let Yaml::Mapping(expected) = expected else {
        return Err(format!("{path} is no mapping: {expected:?}"));
    };
    let rows = values(tree, row);
    if rows.len() != expected.len() {
        return Err(format!(
            "{path}: {} keys, expected {}",
            rows.len(),
            expected.len()
        ));
    }
    for (row, (key, value)) in rows.into_iter().zip(expected) {
        let key = key.as_str().ok_or("a key that is no text")?;
        if row.node.name != *key {
            return Err(format!("{path}: {}, expected {key}", row.node.name));
        }
        any(tree, row, value, &format!("{path}/{key}"), count)?;
    }
    Ok(())
}

fn any(
    tree: &Tree,
    row: &Flat,
    expected: &Yaml,
    path: &str,
    count: &mut usize,
) -> Result<(), String> {
    match expected {
        Yaml::Mapping(_) => return mapping(tree, row, expected, path, count),
        Yaml::Sequence(items) => {
            let rows = values(tree, row);
            if rows.len() != items.len() {
                return Err(format!(
                    "{path}: {} items, expected {}",
                    rows.len(),
                    items.len()
                ));
            }
            for (index, (row, item)) in rows.into_iter().zip(items).enumerate() {
                any(tree, row, item, &format!("{path}/[{index}]"), count)?;
            }
            return Ok(());
        }
        _ => {}
    }
    *count += 1;
    let value = &row.node.value;
    let same = match (expected, value) {
        (Yaml::Null, Value::None) => true,
        (Yaml::Bool(yes), Value::Bool(ours)) => yes == ours,
        (Yaml::Number(number), Value::Unsigned { raw, .. }) => number.as_u64() == Some(*raw),
        (Yaml::Number(number), Value::Signed { raw, .. }) => number.as_i64() == Some(*raw),
        (Yaml::Number(number), Value::Float(ours)) => number.as_f64() == Some(*ours),
        (Yaml::String(text), Value::Text { text: ours, .. }) => text == ours,
        _ => false,
    };
    if same {
        Ok(())
    } else {
        Err(format!("{path}: {value:?}, expected {expected:?}"))
    }
}
