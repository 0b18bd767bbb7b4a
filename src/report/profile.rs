//! A profile on the code of a file as JSON.

use serde_json::{Value, json};

use crate::analysis::profile::{Profile, ProfileComparison, ProfileReport};
use crate::model::json::SCHEMA;

/// Returns a profile as `zeview profile --json` prints it, with the earlier profile and the
/// comparison if there are any.
///
/// # Errors
///
/// If a number cannot be written.
pub fn json(
    (profile, report): (&Profile, &ProfileReport),
    before: Option<(&Profile, &ProfileReport)>,
    comparison: Option<&ProfileComparison>,
) -> serde_json::Result<Value> {
    let mut object = of(profile, report)?;
    object.insert("schema".to_owned(), json!(SCHEMA));
    if let Some((profile, report)) = before {
        object.insert("before".to_owned(), Value::Object(of(profile, report)?));
    }
    if let Some(comparison) = comparison {
        object.insert("comparison".to_owned(), serde_json::to_value(comparison)?);
    }
    Ok(Value::Object(object))
}

fn of(
    profile: &Profile,
    report: &ProfileReport,
) -> serde_json::Result<serde_json::Map<String, Value>> {
    let mut object = serde_json::Map::new();
    for (key, count) in [
        ("rows", profile.rows),
        ("idle_rows", profile.idle_rows),
        ("skipped_rows", profile.skipped_rows),
        ("more_problems", profile.more_problems),
    ] {
        object.insert(key.to_owned(), json!(count));
    }
    object.insert(
        "problems".to_owned(),
        serde_json::to_value(&profile.problems)?,
    );
    let mut values = serde_json::to_value(report)?;
    hide_nodes(&mut values);
    if let Value::Object(values) = values {
        object.extend(values);
    }
    Ok(object)
}

/// Removes the numbers of nodes, which have no meaning outside of this process.
fn hide_nodes(value: &mut Value) {
    match value {
        Value::Object(map) => {
            map.remove("document");
            map.values_mut().for_each(hide_nodes);
        }
        Value::Array(items) => items.iter_mut().for_each(hide_nodes),
        _ => {}
    }
}
