//! The chains of inlined calls of a file in the form of the references in `tests/fixtures/inlining`.

use zeview::analysis::source_lines::LineTable;
use zeview::model::{Document, NodeId};

/// A range of code with one chain: section, start, end, frames.
pub type Row = (String, u64, u64, String);

/// Returns the chains of all sections of code with line tables, looking at every `step`th byte.
pub fn chains(document: &Document, step: usize) -> Vec<Row> {
    let lines = document.source_lines(NodeId::ROOT);
    let Some(lines) = lines else {
        return Vec::new();
    };
    let table = lines.table(&document.sources);
    let mut sections: Vec<_> = table.sections.iter().collect();
    sections.sort_by_key(|section| section.bytes.start);
    let mut rows: Vec<Row> = Vec::new();
    for section in sections {
        for at in (0..section.bytes.len()).step_by(step) {
            let text = text(&table, section.bytes, at);
            match rows.last_mut() {
                Some(last) if (&last.0, last.2, &last.3) == (&section.name, at, &text) => {
                    last.2 += step as u64;
                }
                _ => rows.push((section.name.clone(), at, at + step as u64, text)),
            }
        }
    }
    rows
}

/// Formats the chain at an offset. Empty if nothing is known of it.
fn text(table: &LineTable, code: zeview::model::Span, at: u64) -> String {
    let frames = table.frames_at(code, at);
    let frames = frames.iter().map(|frame| {
        // A number is what IGC writes without the source.
        let file = frame.file.strip_prefix("file ").unwrap_or(&frame.file);
        format!(
            "{}|{file}:{}:{}:{}",
            frame.function, frame.line, frame.column, frame.discriminator
        )
    });
    frames.collect::<Vec<_>>().join(" < ")
}

/// Formats rows as the script for zebins does.
pub fn written(rows: &[Row]) -> String {
    let known = rows.iter().filter(|row| !row.3.is_empty());
    known
        .map(|(section, start, end, frames)| format!("{section}\t{start:#x}\t{end:#x}\t{frames}\n"))
        .collect()
}
