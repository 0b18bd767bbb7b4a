//! Comparisons as an HTML page without scripts, links or images, for mail clients.

use std::io::{self, Write};

use super::words::{counts, entry_text, field_text, head_text, measure_text, notes, verdict_text};
use crate::diff::{Change, Comparison, Part, Preference};
use crate::report::html::{begin, end, safe};

/// Maximum number of listed fields per entry.
const FIELDS: usize = 1000;

/// Writes a comparison as one page.
///
/// # Errors
///
/// If writing to `out` fails.
pub fn write_html(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let names = format!("{} → {}", comparison.a.name, comparison.b.name);
    begin(&names, out)?;
    writeln!(
        out,
        "<h1>{}</h1>\n<p><strong>{}</strong></p>\n<ul>",
        safe(&names),
        verdict_text(comparison)
    )?;
    writeln!(out, "<li>from {}</li>", safe(&head_text(&comparison.a)))?;
    writeln!(out, "<li>to {}</li>", safe(&head_text(&comparison.b)))?;
    for line in comparison.remarks.iter().chain(&counts(comparison)) {
        writeln!(out, "<li>{}</li>", safe(line))?;
    }
    for note in &notes(comparison) {
        writeln!(out, "<li>note: {}</li>", safe(note))?;
    }
    writeln!(out, "</ul>")?;
    summary(comparison, out)?;
    for part in Part::ALL {
        let mut entries = comparison.of(part).peekable();
        if entries.peek().is_none() {
            continue;
        }
        writeln!(out, "<h2>{}</h2>", part.name())?;
        for entry in entries {
            writeln!(out, "<h3>{}</h3>", safe(&entry_text(comparison, entry)))?;
            if let Some(code) = &entry.code {
                writeln!(
                    out,
                    "<p>{} instructions added, {} removed</p>",
                    code.added, code.removed
                )?;
            }
            if matches!(entry.change, Change::Added | Change::Removed) || entry.fields.is_empty() {
                continue;
            }
            writeln!(out, "<table><tr><th>what</th><th>from → to</th></tr>")?;
            for field in entry.fields.iter().take(FIELDS) {
                writeln!(
                    out,
                    "<tr><td>{}</td><td class=\"to\">{}</td></tr>",
                    safe(&field.path),
                    safe(&field_text(field))
                )?;
            }
            writeln!(out, "</table>")?;
            if entry.fields.len() > FIELDS {
                writeln!(out, "<p>… and {} more</p>", entry.fields.len() - FIELDS)?;
            }
        }
    }
    end(out)
}

/// Writes the measures of the kernels that differ.
fn summary(comparison: &Comparison, out: &mut dyn Write) -> io::Result<()> {
    let measured = comparison
        .of(Part::Kernel)
        .filter(|entry| matches!(entry.change, Change::Changed | Change::Renamed))
        .filter(|entry| !entry.measures.is_empty());
    let mut measured = measured.peekable();
    if measured.peek().is_none() {
        return Ok(());
    }
    writeln!(
        out,
        "<h2>summary</h2>\n<table><tr><th>kernel</th><th>what</th><th>from → to</th></tr>"
    )?;
    for entry in measured {
        let mut name = safe(entry.title());
        for measure in &entry.measures {
            let class = match measure.better {
                Preference::Neither => String::new(),
                better => format!(" class=\"{}\"", better.name()),
            };
            writeln!(
                out,
                "<tr><td>{name}</td><td>{}</td><td{class}>{}</td></tr>",
                safe(&measure.key),
                safe(&measure_text(measure))
            )?;
            name = String::new();
        }
    }
    writeln!(out, "</table>")
}
