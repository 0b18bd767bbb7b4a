//! A profile on the code of a file as JSON.

use serde::Serialize;
use serde_json::Value;

use zeview_analysis::profile::{Problem, Profile, ProfileComparison, ProfileReport};

/// A profile in the format of `zeview profile --json`.
#[derive(Debug, Serialize)]
pub struct ProfileJson<'a> {
    #[serde(flatten)]
    profile: AppliedJson<'a>,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<AppliedJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    comparison: Option<&'a ProfileComparison>,
}

/// A profile, and its report.
#[derive(Debug, Serialize)]
struct AppliedJson<'a> {
    rows: u64,
    idle_rows: u64,
    skipped_rows: u64,
    more_problems: u64,
    problems: &'a [Problem],
    #[serde(flatten)]
    report: Value,
}

/// Returns a profile as `zeview profile --json` prints it, with the earlier profile and the
/// comparison if there are any.
///
/// # Errors
///
/// If a number cannot be written.
pub fn json<'a>(
    applied: (&'a Profile, &ProfileReport),
    before: Option<(&'a Profile, &ProfileReport)>,
    comparison: Option<&'a ProfileComparison>,
) -> serde_json::Result<ProfileJson<'a>> {
    Ok(ProfileJson {
        profile: AppliedJson::new(applied)?,
        before: before.map(AppliedJson::new).transpose()?,
        comparison,
    })
}

impl<'a> AppliedJson<'a> {
    fn new(
        (profile, report): (&'a Profile, &ProfileReport),
    ) -> serde_json::Result<AppliedJson<'a>> {
        let mut report = serde_json::to_value(report)?;
        hide_nodes(&mut report);
        Ok(AppliedJson {
            rows: profile.rows,
            idle_rows: profile.idle_rows,
            skipped_rows: profile.skipped_rows,
            more_problems: profile.more_problems,
            problems: &profile.problems,
            report,
        })
    }
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
