//! serde_yaml as an oracle: if it accepts a text and the reader reports no problem, the trees must
//! be equal.

use serde_yaml::Value;

use crate::zebin::ze_info::yaml::*;

/// The result of a comparison with serde_yaml.
#[derive(Debug, PartialEq, Eq)]
pub enum Verdict {
    Same,
    /// serde_yaml does not accept the text.
    Refused,
    /// The reader reported a problem.
    Problem,
}

/// Reported, but read as YAML defines it.
const HARMLESS: &[ProblemKind] = &[
    ProblemKind::BareCarriageReturn,
    ProblemKind::FlowMapping,
    ProblemKind::MergeKey,
    ProblemKind::ValueOnNextLine,
];

/// Compares the reader's tree with serde_yaml's.
pub fn compare(text: &[u8], yaml: &Yaml) -> Result<Verdict, String> {
    if yaml
        .problems()
        .iter()
        .any(|problem| !HARMLESS.contains(&problem.kind))
    {
        return Ok(Verdict::Problem);
    }
    let Ok(expected) = serde_yaml::from_slice::<Value>(text) else {
        return Ok(Verdict::Refused);
    };
    match yaml.content() {
        Some(content) => compare_node(text, yaml, content, &expected)?,
        None if expected.is_null() => {}
        None => return Err(format!("no content, expected {expected:?}")),
    }
    Ok(Verdict::Same)
}

fn compare_node(text: &[u8], yaml: &Yaml, index: Index, expected: &Value) -> Result<(), String> {
    let node = yaml.node(index).unwrap();
    let different = || {
        Err(format!(
            "line {}: {node:?}, expected {expected:?}",
            node.line
        ))
    };
    let children: Vec<_> = yaml.values(index).collect();
    match expected {
        Value::Mapping(mapping) if node.kind.is_mapping() && mapping.len() == children.len() => {
            for ((child, below), (key, value)) in children.into_iter().zip(mapping) {
                let (Some(style), Some(decoded)) = (below.key_style, yaml.key_text(text, child))
                else {
                    return different();
                };
                if !is_same_scalar(&decoded, style, key) {
                    return Err(format!(
                        "line {}: key {decoded:?}, expected {key:?}",
                        below.line
                    ));
                }
                compare_node(text, yaml, child, value)?;
            }
            Ok(())
        }
        Value::Sequence(items) if node.kind.is_sequence() && items.len() == children.len() => {
            children
                .into_iter()
                .zip(items)
                .try_for_each(|((child, _), item)| compare_node(text, yaml, child, item))
        }
        Value::Null if node.kind == Kind::Null => Ok(()),
        _ if node.kind == Kind::Scalar
            && is_same_scalar(&yaml.scalar_text(text, index), node.style, expected) =>
        {
            Ok(())
        }
        _ => different(),
    }
}

fn is_same_scalar(decoded: &Decoded<'_>, style: Style, expected: &Value) -> bool {
    match expected {
        Value::String(string) => !decoded.lossy && *string == decoded.text,
        // Numbers, booleans and null: serde_yaml resolves the plain text alone, too.
        _ => {
            style == Style::Plain
                && serde_yaml::from_str::<Value>(&decoded.text)
                    .is_ok_and(|alone| alone == *expected)
        }
    }
}

/// Every text of the reference corpus has an equal tree and no problems.
#[test]
fn reference_texts_are_read_as_serde_yaml_reads_them() {
    let Some(corpus) = std::env::var_os("ZEVIEW_CORPUS") else {
        eprintln!("skipped: ZEVIEW_CORPUS is not set");
        return;
    };
    let folder = std::path::Path::new(&corpus).join("samples/zebin-reference");
    let (mut same, mut refused, mut bytes) = (0, 0, 0);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path().join("ze_info.yaml");
        let Ok(text) = std::fs::read(&path) else {
            continue;
        };
        let yaml = super::read(&text);
        assert_eq!(yaml.problems(), [], "{path:?}");
        bytes += text.len();
        match compare(&text, &yaml) {
            Ok(Verdict::Same) => same += 1,
            // Duplicate keys.
            Ok(_) => refused += 1,
            Err(wrong) => panic!("{path:?}: {wrong}"),
        }
    }
    eprintln!("{same} texts with {bytes} bytes are the same, serde_yaml refused {refused}");
    assert!(same > 0);
}
