//! Comparisons as Markdown, for pasting into an issue.

use std::io::{self, Write};

use super::words::{counts, entry_text, field_text, head_text, measure_text, notes, verdict_text};
use crate::diff::{Change, Comparison, Part};
use crate::tables::table::{ColumnHeader, Table};
use zeview_core::model::text::markdown;

/// Maximum number of kernels in the table of the summary.
const SUMMARY: usize = 50;
/// Maximum number of listed fields per entry.
const FIELDS: usize = 100;

/// Writes a comparison as Markdown.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_markdown(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "**{}**\n", verdict_text(comparison))?;
    writeln!(out, "- from {}", markdown(&head_text(&comparison.a)))?;
    writeln!(out, "- to {}", markdown(&head_text(&comparison.b)))?;
    for remark in &comparison.remarks {
        writeln!(out, "- {}", markdown(remark))?;
    }
    for line in counts(comparison) {
        writeln!(out, "- {line}")?;
    }
    for note in &notes(comparison) {
        writeln!(out, "- note: {}", markdown(note))?;
    }
    let measured = comparison
        .of(Part::Kernel)
        .filter(|entry| matches!(entry.change, Change::Changed | Change::Renamed))
        .filter(|entry| !entry.measures.is_empty());
    let measured: Vec<_> = measured.collect();
    let count = measured.len();
    if count > 0 {
        let columns = ["Kernel", "What", "From → to"];
        let mut table = Table::new(columns.map(ColumnHeader::text).into());
        for entry in measured.into_iter().take(SUMMARY) {
            let mut title = markdown(entry.title());
            for measure in &entry.measures {
                let (key, words) = (markdown(&measure.key), markdown(&measure_text(measure)));
                table.rows.push([&title, &key, &words]);
                title = String::new();
            }
        }
        write!(out, "\n{}", table.markdown())?;
        if count > SUMMARY {
            writeln!(out, "\n{} more kernels differ.", count - SUMMARY)?;
        }
    }
    for entry in &comparison.entries {
        let is_whole = matches!(entry.change, Change::Added | Change::Removed);
        write!(out, "\n- {}", markdown(&entry_text(comparison, entry)))?;
        if let Some(code) = &entry.code {
            write!(
                out,
                ": {} instructions added, {} removed",
                code.added, code.removed
            )?;
        }
        if is_whole {
            continue;
        }
        for field in entry.fields.iter().take(FIELDS) {
            let (path, words) = (markdown(&field.path), markdown(&field_text(field)));
            write!(out, "\n  - {path}: {words}")?;
        }
        if entry.fields.len() > FIELDS {
            write!(out, "\n  - … and {} more", entry.fields.len() - FIELDS)?;
        }
    }
    writeln!(out)
}
