//! Columns for the metrics of profiles. Their names depend on the device and the metric group, so
//! they are known only when a profile is read.

use std::cell::Cell;

use super::COLUMNS;
use crate::tables::{Column, ColumnKind, Presence};
use zeview_analysis::profile::COMPILED;

/// Maximum number of columns for metrics. A metric group has about 40 metrics.
const COLUMNS_MAX: usize = 256;

/// Maximum length of the name of a metric that has a column, in bytes.
const NAME_MAX: usize = 128;

/// Columns that are visible by default if kernels have them.
const VISIBLE: [&str; 8] = [
    "Calls",
    "DeviceTime[ns]",
    "DeviceTime[%]",
    COMPILED,
    "GpuTime[ns]",
    "XVE_ACTIVE[%]",
    "XVE_STALL[%]",
    "XVE_THREADS_OCCUPANCY_ALL[%]",
];

thread_local! {
    /// The columns of the kernel table, then those for metrics. Columns are never removed or moved:
    /// tables refer to them by index.
    static ALL: Cell<&'static [Column]> = const { Cell::new(&[]) };
}

/// Returns the columns of the kernel table: [`COLUMNS`], then one for each metric.
pub(in crate::tables) fn columns() -> &'static [Column] {
    match ALL.get() {
        [] => COLUMNS,
        all => all,
    }
}

/// Adds columns for metrics, for all documents of the thread: `XVE_STALL[%]`. Tables of documents
/// without the metric have empty cells. Names that have a column are skipped, and so are names with
/// more than 128 bytes or with other characters than letters, digits and `_[]%/.-`, and all that
/// exceed the limit of 256 columns.
///
/// Columns stay in memory until the end of the program.
pub fn add_metric_columns<'a>(names: impl Iterator<Item = &'a str>) {
    let mut all = columns().to_vec();
    let before = all.len();
    for name in names {
        let is_known = all.iter().any(|column| column.id == name);
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_[]%/.-".contains(&byte);
        let is_name = (1..=NAME_MAX).contains(&name.len()) && name.bytes().all(plain);
        if is_known || !is_name || all.len() >= COLUMNS.len() + COLUMNS_MAX {
            continue;
        }
        let id: &'static str = String::leak(name.to_owned());
        let (title, unit) = id
            .strip_suffix(']')
            .and_then(|id| id.rsplit_once('['))
            .unwrap_or((id, ""));
        all.push(Column {
            id,
            title,
            unit,
            doc: doc(id),
            kind: if id == COMPILED {
                ColumnKind::Text
            } else {
                ColumnKind::Number
            },
            presence: Presence::Profiled,
            width: 10,
        });
    }
    if all.len() > before {
        ALL.set(Vec::leak(all));
    }
}

/// Returns the help text of the column of a metric.
fn doc(id: &str) -> &'static str {
    match id {
        "Calls" => "Number of times that the kernel ran, by the profile of device times.",
        "DeviceTime[ns]" => "Time of all runs on the device.",
        "DeviceTime[%]" => "Share of the time of all kernels and commands of the profile.",
        "AverageTime[ns]" => "Mean time of a run.",
        "MinTime[ns]" => "Shortest time of a run.",
        "MaxTime[ns]" => "Longest time of a run.",
        COMPILED => {
            "`AOT` if the application passed native code to the driver, `JIT` if it passed SPIR-V. The driver \
             compiles native code again if it cannot use it: zeview predicts that from the file."
        }
        "RunSIMD" => "SIMD width of the kernel that ran; 1 if it runs with any.",
        "RunSpill[B/thread]" => "Spill memory of the kernel that ran.",
        "RunPrivate[B/thread]" => "Private memory of the kernel that ran.",
        "RunSLM[B/group]" => "Shared local memory of the kernel that ran.",
        "RunRegisters" => "General registers per thread of the kernel that ran.",
        _ => "A metric of the profile: the sum of all runs of the kernel, or the mean of a rate.",
    }
}

/// Returns the name of the metric of a column.
pub(super) fn metric(column: usize) -> Option<&'static str> {
    column.checked_sub(COLUMNS.len())?;
    Some(columns().get(column)?.id)
}

/// Whether a metric is visible by default.
pub(super) fn is_visible(id: &str) -> bool {
    VISIBLE.contains(&id)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::ListId;

    #[test]
    fn metrics_have_columns_after_the_others() {
        let names = [
            "XVE_STALL[%]",
            "A B",
            "",
            "\"[%]",
            "<b>[%]",
            "\u{1b}[31m",
            "XVE_STALL[%]",
            "Instances",
        ];
        add_metric_columns(names.into_iter());
        let all = ListId::Kernels.columns();
        let (first, metrics) = all.split_at(COLUMNS.len());
        assert_eq!(first, COLUMNS);
        let heads = metrics.iter().map(|column| (column.id, column.header()));
        let heads: Vec<(&str, String)> = heads.collect();
        let stall = ("XVE_STALL[%]", "XVE_STALL, %".to_owned());
        assert_eq!(heads, [stall, ("Instances", "Instances".to_owned())]);
        assert_eq!(metric(COLUMNS.len()), Some("XVE_STALL[%]"));
        assert_eq!(metric(COLUMNS.len() - 1), None);
    }

    #[test]
    fn columns_have_a_limit() {
        let names: Vec<String> = (0..2 * COLUMNS_MAX)
            .map(|at| format!("M{at}[ns]"))
            .collect();
        add_metric_columns(names.iter().map(String::as_str));
        assert_eq!(columns().len(), COLUMNS.len() + COLUMNS_MAX);
        // Adding them again, and longer names, changes nothing.
        let before = columns();
        add_metric_columns(names.iter().map(String::as_str));
        add_metric_columns(std::iter::once("x".repeat(NAME_MAX + 1).as_str()));
        assert_eq!(columns().as_ptr(), before.as_ptr());
    }
}
