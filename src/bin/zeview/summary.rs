//! `zeview FILE`: prints a summary of each file.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use zeview::analysis::unread;
use zeview::tables;
use zeview::tables::kernels;

use clap::Args;
use zeview::analysis::LoadOptions;
use zeview::analysis::figure::Unknown;
use zeview::analysis::kernels::KernelRow;
use zeview::analysis::survey::TITLES;
use zeview::model::suggest::{nearest, unknown_name};
use zeview::model::text::{counted, escaped, grouped, percent};
use zeview::model::{Diagnostic, Document, Node, NodeId, Severity, SourceId, Tone, is_pattern};
use zeview::report::check::VerdictRow;
use zeview::tables::table::{ColumnHeader, Table};
use zeview::tables::{ColumnKind, ListId};

use crate::FileArgument;
use crate::check::print_headline;
use crate::files::{Inputs, while_reading};
use crate::input;
use crate::ls::description;
use crate::output::{self, Text, complain, print_table, shortened};
use crate::style;

#[derive(Args)]
pub struct Options {
    /// The files to summarize; `-` reads standard input.
    #[arg(value_name = "FILE")]
    pub files: Vec<FileArgument>,
}

/// Maximum number of lines of each kind.
const LINES: usize = 12;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut out = output::text();
    let mut inputs = Inputs::default();
    let mut is_first = true;
    for file in &options.files {
        let mut document = match while_reading(file, |_| input::open(file)) {
            Ok(document) => document,
            Err(error) => {
                out.flush()?;
                match misspelled_command(file, &error) {
                    Some(message) => {
                        complain!("{message}");
                        inputs.note_problem();
                    }
                    None => inputs.fail(file, &error),
                }
                continue;
            }
        };
        if !std::mem::take(&mut is_first) {
            writeln!(out)?;
        }
        if !print(&mut document, file, &mut out)? {
            inputs.note_problem();
        }
    }
    out.flush()?;
    Ok(inputs.status())
}

/// Returns the message for a missing file whose name looks like a misspelled command.
fn misspelled_command(file: &Path, error: &io::Error) -> Option<String> {
    let typed = file.to_str().filter(|typed| typed.len() > 2)?;
    let is_missing = error.kind() == io::ErrorKind::NotFound;
    let commands = crate::commands();
    let near = nearest(typed, commands.iter().map(|name| &**name)).filter(|_| is_missing)?;
    Some(unknown_name("command or file", typed, &[near]))
}

/// Prints the summary of a file. Returns whether the file was read, or, for a package, its files can
/// be.
fn print(document: &mut Document, file: &Path, out: &mut Text) -> io::Result<bool> {
    if document.summary.has.package {
        return print_package(document, file, out);
    }
    let judged = VerdictRow::file(document, LoadOptions::default());
    out.paint(style::HEAD, escaped(&file.display().to_string()))?;
    writeln!(out, ": {}", escaped(&judged.title))?;
    let size = document.root().span.map_or(0, |span| span.len());
    write!(out, "  size: {size} bytes")?;
    match document.coverage.gap {
        0 => writeln!(out)?,
        gap => writeln!(out, ", {gap} of them in no known part")?,
    }
    print_facts(document, &judged, out)?;
    print_verdicts(&judged, out)?;
    print_problems(&judged, out)?;
    print_parts(document, size, out)?;
    print_survey(document, out)?;
    let lists = kernels(document);
    let kernels = print_kernels(&lists, out)?;
    let next = next(document, &judged, kernels > 0);
    let name = quoted(&file.display().to_string());
    if !judged.unread.is_empty() {
        writeln!(out, "  {}", escaped(&judged.unread.text()))?;
    }
    out.paint(style::DIM, format_args!("next: zeview {next} {name}"))?;
    writeln!(out)?;
    Ok(judged.unread.is_empty())
}

/// Prints the files of a package. Only their first bytes are read.
fn print_package(document: &mut Document, file: &Path, out: &mut Text) -> io::Result<bool> {
    out.paint(style::HEAD, escaped(&file.display().to_string()))?;
    write!(out, ": {}", escaped(&document.summary.title))?;
    for fact in &document.summary.facts {
        write!(out, " · {}", escaped(&fact.text))?;
    }
    writeln!(out)?;
    let problems = document
        .diagnostics
        .iter()
        .filter(|d| d.severity > Severity::Info);
    for found in problems.take(LINES) {
        write!(out, "  ")?;
        out.paint(style::severity(found.severity), found.severity.name())?;
        writeln!(out, "[{}]: {}", found.rule, escaped(&found.message))?;
    }
    if let Some(list) = tables::list(document, NodeId::ROOT, ListId::Files, None) {
        let columns = ListId::Files.columns().iter().enumerate();
        // Kernels and devices are known once the files are read.
        let is_known = |id: &str| !matches!(id, "kernels" | "devices");
        let columns: Vec<_> = columns
            .filter(|(_, column)| list.shows(column) && is_known(column.id))
            .collect();
        let heads = columns.iter().map(|(_, column)| match column.kind {
            ColumnKind::Number => ColumnHeader::number(&column.title.to_lowercase()),
            _ => ColumnHeader::text(&column.title.to_lowercase()),
        });
        let mut table = Table::new(heads.collect());
        for row in 0..list.count() {
            let cells = columns.iter().map(|(at, _)| {
                let cell = list.cell(row, *at, &document.sources);
                escaped(&cell.value.text())
            });
            table.rows.push(cells);
        }
        print_table(&table, out, |_| style::PLAIN)?;
    }
    let files = unread::unread_files(document, NodeId::ROOT);
    if !files.is_empty() {
        writeln!(out, "  {}", escaped(&files.text()))?;
    }
    let name = quoted(&file.display().to_string());
    out.paint(style::DIM, format_args!("next: zeview matrix {name}"))?;
    writeln!(out)?;
    Ok(files.is_empty() && document.unread_count() == 0)
}

/// Prints facts that the title does not contain. Each image of a container has its own line below.
fn print_facts(document: &Document, judged: &VerdictRow, out: &mut Text) -> io::Result<()> {
    let images = ["image", "images", "binary", "device code"];
    let is_said = |label: &str| !judged.inner.is_empty() && images.contains(&label);
    let facts = document.summary.facts.iter();
    let facts: Vec<_> = facts
        .filter(|fact| !fact.headline && !is_said(&fact.label))
        .collect();
    for fact in facts.iter().take(LINES) {
        write!(out, "  {}: ", escaped(&fact.label))?;
        let style = match fact.tone {
            Tone::Plain => style::PLAIN,
            Tone::Good => style::GOOD,
            Tone::Warning => style::WARNING,
            Tone::Bad => style::BAD,
        };
        out.paint(style, escaped(&fact.text))?;
        writeln!(out)?;
    }
    print_more(facts.len(), "fact", out)
}

fn print_more(count: usize, what: &str, out: &mut Text) -> io::Result<()> {
    match count.saturating_sub(LINES) {
        0 => Ok(()),
        more => writeln!(
            out,
            "  … and {}",
            counted(
                more as u64,
                &format!("more {what}"),
                &format!("more {what}s")
            )
        ),
    }
}

fn print_verdicts(judged: &VerdictRow, out: &mut Text) -> io::Result<()> {
    if !judged.is_known {
        return writeln!(out, "  not a format zeview reads");
    }
    if let Some(verdict) = &judged.verdict {
        write!(out, "  ")?;
        return print_headline(verdict, out);
    }
    for (path, verdict) in judged.inner.iter().take(LINES) {
        write!(out, "  {}: ", escaped(path))?;
        print_headline(verdict, out)?;
    }
    let rest = judged.inner.get(LINES..).unwrap_or(&[]);
    if rest.is_empty() {
        return Ok(());
    }
    let fail = rest
        .iter()
        .filter(|(_, verdict)| !verdict.outcome.loads())
        .count();
    write!(out, "  … and {} more images", rest.len())?;
    match fail {
        0 => writeln!(out, ", which load"),
        fail => writeln!(out, ", {fail} of which do not load"),
    }
}

/// Prints the number of problems, and one line per rule, the worst first.
fn print_problems(judged: &VerdictRow, out: &mut Text) -> io::Result<()> {
    let all = [
        (Severity::Error, "errors"),
        (Severity::Warning, "warnings"),
        (Severity::Info, "notes"),
    ];
    if judged.diagnostics.is_empty() {
        return writeln!(out, "  problems: none");
    }
    write!(out, "  problems: ")?;
    let mut before = "";
    for (severity, words) in all {
        let count = judged.count(severity);
        if count > 0 {
            write!(out, "{before}")?;
            let words = if count == 1 {
                words.trim_end_matches('s')
            } else {
                words
            };
            out.paint(style::severity(severity), format_args!("{count} {words}"))?;
            before = ", ";
        }
    }
    writeln!(out)?;
    let mut rules: Vec<(&Diagnostic, usize)> = Vec::new();
    for diagnostic in &judged.diagnostics {
        match rules
            .iter_mut()
            .find(|(first, _)| first.rule == diagnostic.rule)
        {
            Some((_, count)) => *count += 1,
            None => rules.push((diagnostic, 1)),
        }
    }
    rules.sort_by_key(|(first, _)| std::cmp::Reverse(first.severity));
    for (first, count) in rules.iter().take(LINES) {
        write!(out, "    ")?;
        out.paint(style::severity(first.severity), first.severity.name())?;
        write!(out, "[{}]: {}", first.rule, escaped(&first.message))?;
        match count {
            1 => writeln!(out)?,
            count => writeln!(out, " (and {} more)", count - 1)?,
        }
    }
    print_more(rules.len(), "rule", out)
}

/// The largest parts of a file, and totals of the others.
#[derive(Default)]
struct Parts {
    largest: Vec<(Node, String)>,
    smaller: usize,
    smaller_bytes: u64,
}

impl Parts {
    fn push(&mut self, node: &Node, segment: &str) {
        self.largest.push((node.clone(), segment.to_owned()));
        // There may be as many parts as bytes.
        if self.largest.len() > 64 * LINES {
            self.cut();
        }
    }

    /// Keeps one part per line.
    fn cut(&mut self) {
        if self.largest.len() <= LINES {
            return;
        }
        self.largest
            .sort_by_key(|(node, _)| std::cmp::Reverse(length(node)));
        for (node, _) in self.largest.drain(LINES..) {
            self.smaller += 1;
            self.smaller_bytes = self.smaller_bytes.saturating_add(length(&node));
        }
    }
}

fn length(node: &Node) -> u64 {
    node.span.map_or(0, |span| span.len())
}

/// Prints the parts of the file; if there are many, only the largest.
fn print_parts(document: &mut Document, size: u64, out: &mut Text) -> io::Result<()> {
    let mut parts = Parts::default();
    let root = document.root().clone();
    let walked = document.walk::<io::Error>(&root, &mut |node, steps| {
        let segment = steps
            .last()
            .map_or(Cow::Borrowed(""), |step| (&*step.segment).into());
        if node.span.is_some_and(|span| span.source == SourceId::FILE) {
            parts.push(node, &segment);
        }
        Ok(false)
    });
    walked?;
    if parts.largest.is_empty() {
        return Ok(());
    }
    let share = |bytes: u64| percent(bytes, size);
    if parts.largest.len() > LINES || parts.smaller > 0 {
        // Cutting orders them by size; the table is in the order of the file.
        parts.cut();
        parts.largest.sort_by_key(|(node, _)| node.span);
    }
    let mut table = Table::new(vec![
        ColumnHeader::number("  offset"),
        ColumnHeader::number("size"),
        ColumnHeader::number("share"),
        ColumnHeader::text("part"),
        ColumnHeader::text(""),
    ]);
    for (node, segment) in parts.largest {
        let start = node.span.map_or(0, |span| span.start);
        table.rows.push([
            format!("  {start:#010x}"),
            length(&node).to_string(),
            share(length(&node)),
            escaped(&segment),
            shortened(&description(&node)),
        ]);
    }
    print_table(&table, out, |column| match column {
        0 => style::DIM,
        _ => style::PLAIN,
    })?;
    if parts.smaller == 0 {
        return Ok(());
    }
    let (count, bytes) = (parts.smaller, parts.smaller_bytes);
    writeln!(
        out,
        "  … and {count} smaller ones, {bytes} bytes, {}",
        share(bytes)
    )
}

/// Prints the devices that a container has code for.
fn print_survey(document: &mut Document, out: &mut Text) -> io::Result<()> {
    let Some(survey) = kernels::survey(document, NodeId::ROOT) else {
        return Ok(());
    };
    if let Some(words) = survey.without_code(&counted) {
        // The words are a sentence of the page; here they follow a label.
        let words = words.trim_end_matches('.').replacen("None", "none", 1);
        return writeln!(out, "  native code: {words}");
    }
    let heads = TITLES.iter().enumerate().map(|(place, title)| {
        let title = title
            .replace("Device", "Native code")
            .replace("Size", "Bytes");
        match place {
            0 => ColumnHeader::text(&format!("  {title}")),
            _ if place < TITLES.len() - 1 => ColumnHeader::number(&title),
            _ => ColumnHeader::text(&title),
        }
    });
    let mut table = Table::new(heads.collect());
    for row in survey.rows().take(LINES) {
        let number = grouped;
        let device = format!("  {}", escaped(row.device()));
        let numbers = row.texts(&number).into_iter();
        let cells = std::iter::once(device).chain(numbers);
        let cells = cells.chain([row.size(&number)]);
        table.rows.push(cells.chain([row.fallback(&counted)]));
    }
    print_table(&table, out, |_| style::PLAIN)?;
    print_more(survey.rows().count(), "device", out)?;
    match survey.copies_message(&counted) {
        Some(words) => writeln!(out, "  {}", words.trim_end_matches('.')),
        None => Ok(()),
    }
}

/// Returns the kernels of the file, or of all images in it, without functions and placeholders.
fn kernels(document: &mut Document) -> Vec<Rc<Vec<KernelRow>>> {
    let mut lists = Vec::new();
    let mut native = HashSet::new();
    let mut spirv: Vec<Rc<Vec<KernelRow>>> = Vec::new();
    for id in tables::documents_with(document, ListId::Kernels) {
        let Some(kernels) = document.kernels(id) else {
            continue;
        };
        let rows = kernels.rows(&document.sources);
        spirv.extend(
            kernels
                .only_spirv(&document.sources)
                .map(|only| only.rows(&document.sources)),
        );
        if rows.first().is_some_and(|row| row.is_spirv) {
            spirv.push(rows);
        } else {
            native.extend(rows.iter().map(|row| row.name.value.clone()));
            lists.push(rows);
        }
    }
    // A kernel counts once, not its SPIR-V as well.
    let only = spirv.iter().flat_map(|rows| rows.iter());
    let only = only.filter(|row| native.insert(row.name.value.clone()));
    lists.push(Rc::new(only.cloned().collect()));
    lists
}

/// Prints the kernels and returns their number.
fn print_kernels(lists: &[Rc<Vec<KernelRow>>], out: &mut Text) -> io::Result<usize> {
    let rows = lists.iter().flat_map(|rows| rows.iter());
    let rows = rows.filter(|row| row.is_kernel());
    let count = rows.clone().count();
    if count == 0 {
        return Ok(0);
    }
    let names: HashSet<&str> = rows.clone().map(|row| &*row.name.value).collect();
    write!(out, "  kernels: {}", grouped(names.len() as u64))?;
    if names.len() < count {
        write!(out, " · {}", counted(count as u64, "build", "builds"))?;
    }
    match rows.clone().filter(|row| row.is_spirv).count() {
        0 => {}
        spirv if spirv == count => write!(out, " · SPIR-V")?,
        spirv => write!(out, " · {} only as SPIR-V", grouped(spirv as u64))?,
    }
    for (what, value) in [
        ("SIMD", (|row| row.simd_size.value) as fn(&KernelRow) -> i64),
        ("GRF", |row| row.grf_count.value),
    ] {
        let values: BTreeSet<i64> = rows.clone().map(value).filter(|value| *value > 0).collect();
        let values: Vec<String> = values.iter().take(LINES).map(i64::to_string).collect();
        if !values.is_empty() {
            write!(out, " · {what} {}", values.join(", "))?;
        }
    }
    for (what, unit, value) in [
        (
            "spill",
            " B/thread",
            (|row| row.spill_size.figure.unwrap_or(0)) as fn(&KernelRow) -> i64,
        ),
        ("with private memory", " B/thread", |row| {
            row.private_size.figure.unwrap_or(0)
        }),
        ("with shared local memory", " B", |row| row.slm_size.value),
        ("with barriers", "", |row| row.barrier_count.value),
    ] {
        let values = rows.clone().map(value).filter(|value| *value > 0);
        let count = values.clone().count();
        let Some(most) = values.max() else { continue };
        let style = if what == "spill" {
            style::WARNING
        } else {
            style::PLAIN
        };
        write!(out, " · ")?;
        let what = if count == 1 && what == "spill" {
            "spills"
        } else {
            what
        };
        out.paint(style, format_args!("{} {what}", grouped(count as u64)))?;
        write!(out, " (up to {most}{unit})")?;
    }
    let unknown = rows.filter_map(|row| row.spill_size.figure.err());
    let (stacks, unstated): (Vec<_>, Vec<_>) =
        unknown.partition(|unknown| matches!(unknown, Unknown::CallStack { .. }));
    for (unknown, words) in [
        (unstated, "spills not stated"),
        (stacks, "call stack, reserved"),
    ] {
        if let Some(most) = unknown.iter().filter_map(|unknown| unknown.limit()).max() {
            write!(
                out,
                " · {} with {words} (up to {most} B/thread)",
                unknown.len()
            )?;
        }
    }
    writeln!(out)?;
    Ok(count)
}

/// Returns the most useful next command.
fn next(document: &Document, judged: &VerdictRow, has_kernels: bool) -> &'static str {
    match document.summary.anywhere() {
        _ if !judged.is_known => "dump",
        _ if judged.is_well_formed() == Some(false) || !judged.loads() => "check",
        has if has.modules => "modules",
        _ if has_kernels => "kernels",
        _ => "ls",
    }
}

/// Quotes a file name for a shell.
fn quoted(name: &str) -> String {
    // Control characters cannot be typed.
    if escaped(name) != name {
        return "FILE".to_owned();
    }
    let is_plain = |c: char| c.is_alphanumeric() || "/._-+=:,@".contains(c);
    if !is_pattern(name) && name.chars().all(is_plain) {
        name.to_owned()
    } else {
        format!("'{}'", name.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_quoted_for_shells() {
        assert_eq!(quoted("a/b.zebin"), "a/b.zebin");
        assert_eq!(quoted("it's"), "'it'\\''s'");
        assert_eq!(quoted("a\nb"), "FILE");
    }
}
