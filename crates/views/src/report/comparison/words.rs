//! Text shared by the human-readable formats.

use std::collections::HashSet;

use crate::diff::{
    Change, Comparison, DeviceChanges, Entry, Field, FieldValue, FileSummary, Measure, Outcome,
    Part, Preference, Side,
    measure::{self, value_text},
};
use zeview_core::model::text::{counted, cut_end, escaped, grouped};

/// Maximum length of a value before it is cut, in characters.
const LONG: usize = 200;

/// Formats one of the two files in a line.
pub fn head_text(head: &FileSummary) -> String {
    let mut words = vec![escaped(&head.name), escaped(&head.title)];
    words.extend(Some(escaped(&head.target)).filter(|target| !target.is_empty()));
    words.push(counted(head.size, "byte", "bytes"));
    words.join(" · ")
}

/// Formats the result in a line: `1 kernel and 2 sections differ.`
pub fn verdict_text(comparison: &Comparison) -> String {
    match comparison.outcome() {
        Outcome::Identical => "The files are identical.".to_owned(),
        Outcome::SameMeaning => "Same meaning, different layout.".to_owned(),
        Outcome::Unknown => "No difference found, but not everything was compared.".to_owned(),
        Outcome::Different => differing_text(comparison),
    }
}

/// Returns the number of entries of a part; of kernels by device, the number of names.
fn differing(comparison: &Comparison, part: Part) -> u64 {
    let entries = comparison.of(part);
    if part != Part::Kernel || comparison.devices.is_empty() {
        return entries.count() as u64;
    }
    let names: HashSet<&str> = entries.map(|entry| entry.name.as_str()).collect();
    names.len() as u64
}

fn differing_text(comparison: &Comparison) -> String {
    let parts = Part::ALL.map(|part| (part, differing(comparison, part)));
    let parts = parts.into_iter().filter(|(_, count)| *count > 0);
    let mut words: Vec<String> = parts
        .map(|(part, count)| match part {
            Part::Bytes => format!("the bytes of {}", counted(count, "part", "parts")),
            part => counted(count, part.singular(), part.name()),
        })
        .collect();
    let is_one = words.len() == 1 && words.iter().all(|word| word.starts_with("1 "));
    let last = words.pop().unwrap_or_default();
    let all = if words.is_empty() {
        last
    } else {
        format!("{} and {last}", words.join(", "))
    };
    let mut letters = all.chars();
    let first = letters.next().into_iter().flat_map(char::to_uppercase);
    let verb = if is_one { "differs" } else { "differ" };
    format!("{}{} {verb}.", first.collect::<String>(), letters.as_str())
}

/// Counts the changes by part: `kernels: 1 added, 2 changed, 597 unchanged`.
pub fn counts(comparison: &Comparison) -> Vec<String> {
    let mut lines = Vec::new();
    for part in Part::ALL {
        let changes = [
            Change::Changed,
            Change::Renamed,
            Change::Added,
            Change::Removed,
        ];
        let counted = changes.map(|change| {
            let entries = comparison.of(part).filter(|entry| entry.change == change);
            (change, entries.count())
        });
        let mut words: Vec<String> = counted
            .iter()
            .filter(|(_, count)| *count > 0)
            .map(|(change, count)| format!("{} {}", grouped(*count as u64), change.name()))
            .collect();
        if part == Part::Kernel && !comparison.devices.is_empty() {
            lines.extend(comparison.by_device().iter().map(device_text));
            continue;
        }
        if part == Part::Kernel {
            let unchanged = comparison.unchanged_kernels();
            if unchanged > 0 {
                words.push(format!("{} unchanged", grouped(unchanged)));
            }
        }
        if !words.is_empty() {
            lines.push(format!("{}: {}", part.name(), words.join(", ")));
        }
    }
    lines
}

/// Formats the changes of the kernels of a device in a line:
/// `kernels for bmg-g21: 4 added, 25 changed (3 worse, 12 better), 1 203 unchanged`.
fn device_text(device: &DeviceChanges) -> String {
    let listed = |counts: &[(u64, &str)]| {
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let words = counts.map(|(count, word)| format!("{} {word}", grouped(*count)));
        words.collect::<Vec<_>>().join(", ")
    };
    let within = listed(&[
        (device.worse, "worse"),
        (device.better, "better"),
        (device.renamed, "renamed"),
    ]);
    let within = match &*within {
        "" => String::new(),
        within => format!(" ({within})"),
    };
    let changed = match device.changed {
        0 => String::new(),
        count => format!("{} changed{within}", grouped(count)),
    };
    let words = [
        listed(&[(device.added, "added"), (device.removed, "removed")]),
        changed,
        listed(&[(device.unchanged(), "unchanged")]),
    ];
    let words: Vec<String> = words.into_iter().filter(|word| !word.is_empty()).collect();
    format!(
        "{}: {}",
        device_kernels(&device.of.device),
        words.join(", ")
    )
}

/// Formats a device: `kernels for bmg-g21`, `kernels as SPIR-V`.
fn device_kernels(device: &str) -> String {
    match device {
        "" => "kernels for a device that is not named".to_owned(),
        "SPIR-V" => "kernels as SPIR-V".to_owned(),
        device => format!("kernels for {}", escaped(device)),
    }
}

/// Returns the notes about what was not compared.
pub fn notes(comparison: &Comparison) -> Vec<String> {
    let only = comparison.is_kernels_only.then(|| KERNELS_ONLY.to_owned());
    comparison.notes.iter().cloned().chain(only).collect()
}

/// The note if only kernels were compared.
pub const KERNELS_ONLY: &str =
    "only kernels were compared, not images, properties, sections and symbols";

/// Formats an entry in a line: `kernel vecadd: renamed to vecadd2`.
pub fn entry_text(comparison: &Comparison, entry: &Entry) -> String {
    let mut words = format!("{} {}", entry.part.singular(), escaped(entry.title()));
    if let Some(name) = &entry.new_name {
        words.push_str(&format!(" → {}", escaped(name)));
    }
    match entry.device.as_deref() {
        None | Some("") => {}
        Some("SPIR-V") => words.push_str(" as SPIR-V"),
        Some(device) => words.push_str(&format!(" for {}", escaped(device))),
    }
    match entry.change {
        Change::Added | Change::Removed | Change::Renamed => {
            words.push_str(&format!(" ({})", entry.change.name()));
        }
        Change::Changed => {}
    }
    if let Some(pair) = comparison.pair(entry).filter(|pair| !pair.path.is_empty()) {
        words.push_str(&format!(" in {}", escaped(&pair.path)));
        if pair.to_path != pair.path {
            words.push_str(&format!(" → {}", escaped(&pair.to_path)));
        }
    }
    words
}

/// Formats a changed measure: `spill_size 0 → 4096 B/thread, worse`.
pub fn measure_text(measure: &Measure) -> String {
    let (from, to) = (measure.from, measure.to);
    let mut words = format!("{} → {}", value_text(from), value_text(to));
    let unit = measure::unit(&measure.key);
    // Words have it.
    if !unit.is_empty() && !matches!(to, Some(Err(_))) {
        words.push_str(&format!(" {unit}"));
    }
    if let Some((from, to)) = measure.per_lane() {
        words.push_str(&format!(" ({from:.1} → {to:.1} per lane)"));
    }
    if measure.better != Preference::Neither {
        words.push_str(&format!(", {}", measure.better.name()));
    }
    words
}

/// Formats a changed value: `128 → 256`.
pub fn field_text(field: &Field) -> String {
    let mut words = String::new();
    push_side(&mut words, field.from.as_ref());
    words.push_str(" → ");
    push_side(&mut words, field.to.as_ref());
    words
}

/// Appends the value on one side.
fn push_side(words: &mut String, side: Option<&Side>) {
    match side.map(|side| &side.value) {
        Some(FieldValue::Text(text)) => words.push_str(&cut_end(&escaped(text), LONG)),
        Some(value) => words.push_str(&cut_end(&escaped(&value.text()), LONG)),
        None => words.push('–'),
    }
}
