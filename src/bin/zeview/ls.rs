//! `zeview ls`: lists the parts of a file, with their paths.

use std::collections::HashSet;
use std::io::{self, Write};
use std::process::ExitCode;
use std::rc::Rc;
use zeview::tables;

use clap::Args;
use serde::Serialize;
use zeview::model::account::Account;
use zeview::model::json::kind_name;
use zeview::model::text::{escaped, value_text};
use zeview::model::{Area, Document, Node, NodeId, PathError, SourceId, Span, is_pattern};
use zeview::tables::table::{ColumnHeader, Table};
use zeview::tables::write::Form;
use zeview::tables::{Column, ListId};

use crate::argument::InputFile;
use crate::files::{Inputs, name_of};
use crate::output::{self, Text, complain, print_table, shortened};
use crate::rows::{ListRows, Objects};
use crate::style;

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    /// List the contents of these parts: names as listed here, `[3]` for entries of tables. A
    /// pattern lists the parts that match: `*` and `?` within a name, `**` for any number of names.
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// List all descendants.
    #[arg(short, long)]
    recursive: bool,
    /// List this many levels.
    #[arg(long, value_name = "LEVELS")]
    depth: Option<usize>,
    /// List the sections of ELF files.
    #[arg(long, group = "list", conflicts_with_all = ["recursive", "depth"])]
    sections: bool,
    /// List the symbols of ELF files.
    #[arg(long, group = "list", conflicts_with_all = ["recursive", "depth"])]
    symbols: bool,
    /// List the relocations of ELF files.
    #[arg(long, group = "list", conflicts_with_all = ["recursive", "depth"])]
    relocations: bool,
    /// List the files of a package or folder: kind, size, time of the last change.
    #[arg(long, group = "list", conflicts_with_all = ["recursive", "depth"])]
    files: bool,
    /// List the documents within the file.
    #[arg(long, group = "list", conflicts_with_all = ["recursive", "depth"])]
    images: bool,
    /// Print a JSON array with one object per part: schema, path, name, kind, start, end, size,
    /// source (if it is not the file), value, summary. Symbols, relocations and files have schema,
    /// file and the columns.
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let file = &options.input.file;
    let mut inputs = Inputs::default();
    let Some(mut document) = inputs.open(file) else {
        return Ok(inputs.status());
    };
    let named = match named(&mut document, &options.paths) {
        Ok(named) => named,
        Err(error) => {
            inputs.fail(file, &error);
            return Ok(inputs.status());
        }
    };
    let lists = [
        (options.symbols, ListId::Symbols),
        (options.relocations, ListId::Relocations),
        (options.files, ListId::Files),
    ];
    let list = lists.into_iter().find(|(is_wanted, _)| *is_wanted);
    let list = list.map(|(_, list)| list);
    inputs.report_unread(file, &document);
    if let Some(list) = list {
        print_list(&mut document, &named, list, options, &mut inputs)?;
        return Ok(inputs.status());
    }
    let account = output::budget(&document);
    let mut out = Parts::new(options.json, account);
    match (options.sections, options.images) {
        (true, _) => sections(&mut document, &named, &mut out)?,
        (_, true) => images(&mut document, &named, &mut out)?,
        _ => parts(&mut document, &named, options, &mut out)?,
    }
    let (count, is_complete) = out.finish()?;
    if count == 0 && (options.sections || options.images) {
        let what = if options.sections {
            "sections"
        } else {
            "documents"
        };
        complain!("{}: there are no {what} in it", file.display());
    } else if !is_complete {
        inputs.note_problem();
    }
    Ok(inputs.status())
}

/// A part named by an argument.
struct Named {
    id: NodeId,
    /// Whether the part matched a pattern: the part itself is listed, not its contents.
    matches: bool,
}

fn named(document: &mut Document, paths: &[String]) -> Result<Vec<Named>, PathError> {
    let mut named = Vec::new();
    for path in paths {
        let matches = is_pattern(path);
        let found = document.find_all(path)?.into_iter();
        named.extend(found.map(|id| Named { id, matches }));
    }
    if paths.is_empty() {
        named.push(Named {
            id: NodeId::ROOT,
            matches: false,
        });
    }
    Ok(named)
}

fn parts(
    document: &mut Document,
    named: &[Named],
    options: &Options,
    out: &mut Parts,
) -> io::Result<()> {
    let levels = match (options.depth, options.recursive) {
        (Some(levels), _) => levels,
        (None, true) => usize::MAX,
        (None, false) => 1,
    };
    for Named { id, matches } in named {
        let path = document.path(*id);
        let Some(node) = document.node(*id).cloned() else {
            continue;
        };
        let lists_itself = *matches || document.count(&node) == 0;
        if lists_itself {
            out.push(&node, &path)?;
        }
        let levels = if lists_itself {
            // The part itself is the first level.
            levels.saturating_sub(1)
        } else {
            levels
        };
        if levels == 0 {
            continue;
        }
        // `Err(None)`: the output is too long.
        let walked = document.walk(&node, &mut |node, steps| {
            let mut place = path.clone();
            for step in steps {
                place.push_str(if place.is_empty() { "" } else { "/" });
                place.push_str(&step.segment);
            }
            match out.push(node, &place) {
                Ok(()) if out.stopped => Err(None),
                Ok(()) => Ok(steps.len() < levels),
                Err(error) => Err(Some(error)),
            }
        });
        if let Err(Some(error)) = walked {
            return Err(error);
        }
    }
    Ok(())
}

/// Returns the documents within the named parts, including the file itself.
fn documents(document: &mut Document, named: &[Named]) -> Vec<NodeId> {
    let whole = document.root().span.unwrap_or_default();
    let extents = named
        .iter()
        .filter_map(|named| document.node(named.id)?.extent());
    let extents: Vec<Span> = extents.collect();
    for extent in &extents {
        document.open_within(*extent);
    }
    let spans = document.documents().map(|inner| inner.span);
    let mut spans: Vec<Span> = std::iter::once(whole).chain(spans).collect();
    spans.retain(|span| extents.iter().any(|extent| extent.contains(*span)));
    let mut ids = Vec::new();
    let mut seen = HashSet::new();
    for span in spans {
        let id = if span == whole {
            Some(NodeId::ROOT)
        } else {
            document.document_at(span)
        };
        ids.extend(id.filter(|id| seen.insert(*id)));
    }
    ids
}

fn images(document: &mut Document, named: &[Named], out: &mut Parts) -> io::Result<()> {
    for id in documents(document, named) {
        if id != NodeId::ROOT {
            let path = document.path(id);
            if let Some(node) = document.node(id) {
                out.push(node, &path)?;
            }
        }
    }
    Ok(())
}

/// Prints the parts that section headers describe.
fn sections(document: &mut Document, named: &[Named], out: &mut Parts) -> io::Result<()> {
    let is_section = |node: &Node| node.xrefs.iter().any(|xref| xref.why == "section header");
    for id in documents(document, named) {
        for id in document.children_that(id, is_section, usize::MAX) {
            let path = document.path(id);
            if let Some(node) = document.node(id) {
                out.push(node, &path)?;
            }
        }
    }
    Ok(())
}

/// Prints a list of each document that has it.
fn print_list(
    document: &mut Document,
    named: &[Named],
    list: ListId,
    options: &Options,
    inputs: &mut Inputs,
) -> io::Result<()> {
    let file = &options.input.file;
    let mut lists = Vec::new();
    for id in documents(document, named) {
        if tables::document_of(document, id, list) == Some(id)
            && let Some(rows) =
                tables::list(document, id, list, None).filter(|rows| rows.count() > 0)
        {
            lists.push((document.path(id), rows));
        }
    }
    if lists.is_empty() {
        complain!("{}: there are no {} in it", file.display(), list.name());
    }
    let columns: Vec<&'static Column> = list.default_columns().collect();
    let form = if options.json {
        Form::Json
    } else {
        Form::Plain
    };
    let with_file = options.json || lists.len() > 1;
    let account = output::budget(document);
    let mut out = ListRows::new(list, &columns, form, with_file, &account).in_blocks();
    let mut left_out = 0;
    for (path, rows) in &lists {
        let place = name_of(file, path);
        for row in 0..rows.count() {
            if !out.push(&**rows, row, &document.sources, &place)? {
                left_out += rows.count() - row;
                break;
            }
        }
    }
    out.finish()?;
    if left_out > 0 {
        let problem =
            format!("{left_out} rows left out: the output is too long; list parts of the file");
        inputs.fail(file, &problem);
    }
    Ok(())
}

/// Streams parts.
struct Parts {
    form: PartsForm,
    count: usize,
    /// Remaining output budget.
    account: Rc<Account>,
    /// Whether the output was cut.
    stopped: bool,
}

enum PartsForm {
    Json(Objects),
    Text(Text, Table),
}

/// Number of parts aligned with each other, so that memory stays bounded.
const BLOCK: usize = 4096;
/// Maximum size of a block of aligned parts in bytes, as names may be long.
const BLOCK_BYTES: usize = 4 << 20;

#[derive(Serialize)]
struct PartJson<'a> {
    path: &'a str,
    name: &'a str,
    kind: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    size: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    source: Option<u32>,
    #[serde(skip_serializing_if = "str::is_empty")]
    value: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    summary: Option<&'a str>,
}

impl Parts {
    fn new(json: bool, account: Rc<Account>) -> Parts {
        let heads = vec![
            ColumnHeader::number("offset"),
            ColumnHeader::number("size"),
            ColumnHeader::text("what"),
            ColumnHeader::text("path"),
        ];
        Parts {
            form: if json {
                PartsForm::Json(Objects::array(&account))
            } else {
                PartsForm::Text(output::text_within(&account), Table::new(heads))
            },
            count: 0,
            account,
            stopped: false,
        }
    }

    fn push(&mut self, node: &Node, path: &str) -> io::Result<()> {
        // Rows of text are buffered until a block is aligned.
        let waiting = match &self.form {
            PartsForm::Json(_) => 0,
            PartsForm::Text(_, table) => table.rows.size() as u64,
        };
        if self.account.is_overdrawn() || self.account.left() < waiting {
            if !self.stopped {
                self.stopped = true;
                complain!(
                    "stopped at {}: the output is too long; list parts of the file",
                    escaped(path)
                );
            }
            return Ok(());
        }
        let what = description(node);
        self.count += 1;
        match &mut self.form {
            PartsForm::Json(out) => {
                let unpacked = |span: &Span| span.source != SourceId::FILE;
                out.push(PartJson {
                    path,
                    name: &node.name,
                    kind: kind_name(node.kind),
                    start: node.span.map(|span| span.start),
                    end: node.span.map(|span| span.end),
                    size: node.span.map(Span::len),
                    source: node.span.filter(unpacked).map(|span| span.source.0),
                    value: &value_text(&node.value),
                    summary: node.summary.as_deref(),
                })
            }
            PartsForm::Text(out, table) => {
                table.rows.push([
                    offset(node.span),
                    node.span
                        .map_or("-".to_owned(), |span| span.len().to_string()),
                    shortened(&what),
                    escaped(path),
                ]);
                if table.rows.len() >= BLOCK || table.rows.size() >= BLOCK_BYTES {
                    print_block(table, out)
                } else {
                    Ok(())
                }
            }
        }
    }

    /// Returns the number of rows, and whether they are complete.
    fn finish(self) -> io::Result<(usize, bool)> {
        match self.form {
            PartsForm::Json(out) => out.finish()?,
            PartsForm::Text(mut out, mut table) => {
                if !table.rows.is_empty() {
                    print_block(&mut table, &mut out)?;
                }
                out.flush()?;
            }
        }
        Ok((self.count, !self.stopped))
    }
}

fn print_block(table: &mut Table, out: &mut Text) -> io::Result<()> {
    print_table(table, out, |column| match column {
        0 => style::DIM,
        _ => style::PLAIN,
    })?;
    table.rows.clear();
    // Titles are printed above the first block only.
    table.heads.iter_mut().for_each(ColumnHeader::clear);
    Ok(())
}

/// `0x00000040`, or `2:0x00000040` for unpacked bytes.
fn offset(span: Option<Span>) -> String {
    match span {
        None => "-".to_owned(),
        Some(span) if span.source == SourceId::FILE => format!("{:#010x}", span.start),
        Some(span) => format!("{}:{:#010x}", span.source.0, span.start),
    }
}

/// Returns a short description of a part: its value and summary, or else its kind.
pub fn description(node: &Node) -> String {
    let value = value_text(&node.value);
    let summary = escaped(node.summary.as_deref().unwrap_or(""));
    match (value.is_empty(), summary.is_empty()) {
        (false, false) => format!("{value} · {summary}"),
        (false, true) => value,
        (true, false) => summary,
        (true, true) => match node.area {
            Area::Code => "code",
            Area::Data => "data",
            Area::Ir => "intermediate representation",
            Area::Debug => "debug information",
            _ => kind_name(node.kind),
        }
        .to_owned(),
    }
}
