//! Answers to requests about source files.

use crate::analysis::source_lines::{LineRow, SourceFile, base_name};
use crate::decode::text::plural;
use crate::model::{Document, NodeId};
use crate::tables;
use crate::tables::ListId;
use crate::worker::protocol::Response;

/// Maximum number of source files in the message for a file that does not match.
const NAMED: usize = 6;

/// Describes the code that comes from an added file, in the innermost document around a node.
pub(crate) fn added(document: &Document, id: NodeId, path: &str) -> Result<Response, String> {
    let name = base_name(path);
    let around = tables::document_of(document, id, ListId::SourceLines);
    let lines = around.and_then(|id| document.source_lines(id));
    let table = lines
        .ok_or("This part of the file has no line tables.")?
        .table(&document.sources);
    let files: Vec<&SourceFile> = table.files_for(name).collect();
    let is_of = |row: &&LineRow| table.file(row).is_some_and(|file| files.contains(&file));
    let count = table.rows.iter().filter(is_of).count() as u64;
    if count == 0 {
        let names = table.files.iter().take(NAMED).map(|file| &*file.name);
        let names: Vec<&str> = names.collect();
        let more = if table.files.len() > NAMED {
            " …"
        } else {
            ""
        };
        return Err(format!(
            "No code comes from {name}. The line tables name {}{more}.",
            names.join(", ")
        ));
    }
    let rows = plural(count, "row");
    Ok(Response::Text(match files.as_slice() {
        [file] if file.is_named => format!("{name}: the source of {rows}."),
        [file] => format!("{name}: taken for {}, the source of {rows}.", file.name),
        _ => format!(
            "{name}: the source of {rows}, of {} files with this name.",
            files.len()
        ),
    }))
}
