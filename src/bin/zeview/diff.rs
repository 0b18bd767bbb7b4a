//! `zeview diff`: what differs between two files, or two folders of files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use zeview::model::Document;
use zeview::model::diff::listing::{Row, rows};
use zeview::model::diff::report::{
    counts, entry_words, field_words, head_words, json, markdown_text, measure_words,
    verdict_words, write_html, write_markdown,
};
use zeview::model::diff::{
    Better, Change, Comparison, Entry, Options as How, Part, Selection, compare,
};
use zeview::model::text::{escaped, push_visible};

use crate::FileArgument;
use crate::budget::{Budget, Limit, limit};
use crate::files::targets;
use crate::input;
use crate::output::{self, Text, complain};
use crate::progress::Progress;
use crate::style;

#[derive(Args)]
#[command(after_long_help = "\
Kernels are matched by name, then by code and arguments; attributes by key, arguments by index and \
kind, sections by name, notes by owner and type, symbols and relocations by name and target, images \
and modules by what they export and what they are for. Offsets, the order of string tables and \
padding are no difference; instructions are the same wherever they stand.\n\n\
--fail-if takes the conditions of `zeview kernels --fail-if` about the kernels of the second file, \
and COLUMN increased, COLUMN decreased, COLUMN changed, with a number or a percentage that is still \
allowed: `spill_size increased`, `code_size increased 10%`, `spill_size increased or \
registers_used>120`. A kernel that is new has increased from nothing to what it has.\n\n\
--only and --ignore take parts (kernels, functions, images, modules, properties, attributes, notes, \
sections, symbols, relocations, code), and names, keys and paths with * and ?: \
`--ignore code,symbols,'.misc.*'`, `--only 'execution_env/*'`.\n\n\
JSON: an object with schema, a and b (file, format, size, target, compiler), equal (the bytes are \
the same), same_meaning, complete, remarks, notes (what could not be compared), and for each part \
(kernels …) an object with added and removed (names), renamed (pairs of names), changed: objects \
with name, new_name, demangled, document (the path of a nested one), a and b (start, end), fields \
(key, path, from, to, a, b), and of kernels measures (key, from, to, better) and code (equal, \
instructions_added, instructions_removed, shortest, hunks: a and b, rows of the listings); kernels \
has unchanged, too. Of folders: an object with schema, equal, same_meaning, added, removed, changed, \
files (an array of such objects with path, of files that differ).\n\n\
Exit status: 0 if nothing differs in meaning, 1 if something does, 2 if something could not be \
compared. With --fail-if: 1 only if a kernel fails.")]
pub struct Options {
    /// The first file or folder; `-` reads standard input.
    #[arg(value_name = "A")]
    from: FileArgument,
    /// The second file or folder.
    #[arg(value_name = "B")]
    to: FileArgument,
    /// Print a JSON object: schema, equal, same_meaning, kernels, …; see below.
    #[arg(long, conflicts_with_all = ["markdown", "html"])]
    json: bool,
    /// Print Markdown, to paste into an issue.
    #[arg(long, conflicts_with = "html")]
    markdown: bool,
    /// Print a page of HTML without scripts.
    #[arg(long)]
    html: bool,
    /// Print the instructions that differ, with so many around them.
    #[arg(long, value_name = "ROWS", num_args = 0..=1, require_equals = true, default_missing_value = "3")]
    code: Option<u32>,
    /// General registers and scoreboard tokens with other numbers are no difference.
    #[arg(long)]
    renumbered: bool,
    /// Print and count only these parts, keys and names, separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    only: Vec<String>,
    /// Leave out these parts, keys and names, separated by commas.
    #[arg(long, value_name = "WHAT", value_delimiter = ',')]
    ignore: Vec<String>,
    /// Fail (exit status 1) only if a kernel meets the condition: `spill_size increased`,
    /// `code_size increased 10%`, `spill_size>0`. Can be given several times.
    #[arg(long, value_name = "CONDITION", value_parser = limit)]
    fail_if: Vec<Limit>,
}

/// So many fields of an entry are printed as text.
const FIELDS: usize = 40;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let is_folder = |path: &Path| path.as_os_str() != "-" && path.is_dir();
    match (is_folder(&options.from), is_folder(&options.to)) {
        (true, true) => folders(options),
        (false, false) => files(options),
        _ => {
            complain!("a folder can only be compared with a folder");
            Ok(ExitCode::from(2))
        }
    }
}

/// Two files that were compared.
struct Compared {
    a: Document,
    b: Document,
    result: Comparison,
    budget: Budget,
}

fn compared(from: &Path, to: &Path, options: &Options) -> Result<Compared, String> {
    let open =
        |path: &Path| input::open(path).map_err(|error| format!("{}: {error}", path.display()));
    let (mut a, mut b) = (open(from)?, open(to)?);
    let how = How {
        renumbered: options.renumbered,
    };
    let mut result = compare(&mut a, &mut b, &how);
    let budget = Budget::judge(&options.fail_if, &result, &mut a, &mut b);
    let selection = Selection {
        only: options.only.clone(),
        ignore: options.ignore.clone(),
    };
    selection.apply(&mut result);
    Ok(Compared {
        a,
        b,
        result,
        budget,
    })
}

/// 0: the same, 1: not the same, 2: it is not known.
fn status(result: &Comparison, budget: &Budget, options: &Options) -> u8 {
    match (options.fail_if.is_empty(), result.same_meaning()) {
        (false, _) => budget.status(),
        (true, false) => 1,
        (true, true) if result.is_cut => 2,
        (true, true) => 0,
    }
}

fn files(options: &Options) -> io::Result<ExitCode> {
    let progress = Progress::start();
    progress.say(|| {
        format!(
            "comparing {} and {}",
            options.from.display(),
            options.to.display()
        )
    });
    let compared = compared(&options.from, &options.to, options);
    drop(progress);
    let mut compared = match compared {
        Ok(compared) => compared,
        Err(error) => {
            complain!("{error}");
            return Ok(ExitCode::from(2));
        }
    };
    let mut raw = output::raw();
    if options.json {
        let mut out = output::json();
        serde_json::to_writer(&mut out, &json(&compared.result))?;
        out.write_all(b"\n")?;
        out.flush()?;
    } else if options.markdown {
        write_markdown(&compared.result, &mut raw)?;
    } else if options.html {
        write_html(&compared.result, &mut raw)?;
    } else {
        let mut text = output::text();
        print(&mut compared, options, &mut text)?;
        text.flush()?;
    }
    raw.flush()?;
    compared.budget.say();
    let status = status(&compared.result, &compared.budget, options);
    Ok(ExitCode::from(status))
}

/// The files of a folder by their paths in it.
fn found(folder: &Path, is_readable: &mut bool) -> BTreeMap<PathBuf, PathBuf> {
    let named = [folder.to_owned()];
    let all = targets(&named, |path, error| {
        complain!("{}: {error}", path.display());
        *is_readable = false;
    });
    let relative = all.into_iter().map(|target| {
        let path = target.path.strip_prefix(folder).unwrap_or(&target.path);
        (path.to_owned(), target.path.clone())
    });
    relative.collect()
}

fn folders(options: &Options) -> io::Result<ExitCode> {
    let mut is_readable = true;
    let from = found(&options.from, &mut is_readable);
    let mut to = found(&options.to, &mut is_readable);
    let mut worst = if is_readable { 0 } else { 2 };
    let (mut raw, mut text) = (output::raw(), output::text());
    let (mut added, mut removed, mut changed) = (Vec::new(), Vec::new(), Vec::new());
    let (mut same, mut equal, mut all) = (0_u64, 0_u64, Vec::new());
    let is_text = !options.json && !options.markdown && !options.html;
    let progress = Progress::start();
    for (path, one) in &from {
        let name = path.display().to_string();
        let Some(other) = to.remove(path) else {
            removed.push(name);
            continue;
        };
        progress.say(|| format!("comparing {name}"));
        let mut compared = match compared(one, &other, options) {
            Ok(compared) => compared,
            Err(error) => {
                complain!("{error}");
                worst = 2;
                continue;
            }
        };
        compared.budget.say();
        worst = worst.max(status(&compared.result, &compared.budget, options));
        if compared.result.same_meaning() {
            same += 1;
            equal += u64::from(compared.result.equal);
            continue;
        }
        changed.push(name.clone());
        if options.json {
            let mut object = serde_json::to_value(json(&compared.result))?;
            if let Some(members) = object.as_object_mut() {
                members.insert("path".to_owned(), name.into());
            }
            all.push(object);
        } else if options.markdown {
            writeln!(raw, "### {}\n", markdown_text(&escaped(&name)))?;
            write_markdown(&compared.result, &mut raw)?;
        } else if options.html {
            write_html(&compared.result, &mut raw)?;
        } else {
            text.paint(style::HEAD, escaped(&name))?;
            writeln!(text)?;
            print(&mut compared, options, &mut text)?;
            writeln!(text)?;
        }
    }
    drop(progress);
    added.extend(to.into_keys().map(|path| path.display().to_string()));
    let is_same = added.is_empty() && removed.is_empty() && changed.is_empty();
    if options.fail_if.is_empty() && !is_same {
        worst = worst.max(1);
    }
    if options.json {
        let object = serde_json::json!({
            "schema": zeview::model::json::SCHEMA,
            "equal": is_same && equal == same,
            "same_meaning": is_same,
            "added": added,
            "removed": removed,
            "changed": changed,
            "files": all,
        });
        let mut out = output::json();
        serde_json::to_writer(&mut out, &object)?;
        out.write_all(b"\n")?;
        out.flush()?;
    } else {
        let total = |out: &mut dyn Write| -> io::Result<()> {
            for (names, what) in [
                (&removed, "only in the first"),
                (&added, "only in the second"),
            ] {
                for name in names {
                    let name = match options.markdown {
                        true => format!("- {}", markdown_text(&escaped(name))),
                        false => escaped(name),
                    };
                    writeln!(out, "{name}: {what} folder")?;
                }
            }
            if options.markdown {
                // A line by itself, not the end of the list above.
                writeln!(out)?;
            }
            writeln!(
                out,
                "{} files: {} equal, {} differ in layout only, {} differ, {} added, {} removed",
                same + changed.len() as u64 + (added.len() + removed.len()) as u64,
                equal,
                same - equal,
                changed.len(),
                added.len(),
                removed.len()
            )
        };
        match is_text {
            true => total(&mut text)?,
            false if options.markdown => total(&mut raw)?,
            false => {}
        }
    }
    raw.flush()?;
    text.flush()?;
    Ok(ExitCode::from(worst))
}

fn print(compared: &mut Compared, options: &Options, out: &mut Text) -> io::Result<()> {
    let result = &compared.result;
    writeln!(out, "from {}", head_words(&result.a))?;
    writeln!(out, "to   {}", head_words(&result.b))?;
    out.paint(style::HEAD, verdict_words(result))?;
    writeln!(out)?;
    for remark in &result.remarks {
        writeln!(out, "  {remark}")?;
    }
    for line in counts(result) {
        writeln!(out, "  {line}")?;
    }
    for note in &result.notes {
        writeln!(out, "  not compared: {}", escaped(note))?;
    }
    // There may be many: they are not copied, and back before anybody asks whether there are some.
    let entries = std::mem::take(&mut compared.result.entries);
    for entry in &entries {
        print_entry(compared, entry, options, out)?;
    }
    compared.result.entries = entries;
    Ok(())
}

fn print_entry(
    compared: &mut Compared,
    entry: &Entry,
    options: &Options,
    out: &mut Text,
) -> io::Result<()> {
    writeln!(out)?;
    out.paint(style::HEAD, entry_words(&compared.result, entry))?;
    writeln!(out)?;
    let is_whole = matches!(entry.change, Change::Added | Change::Removed);
    let is_kernel = matches!(entry.part, Part::Kernel | Part::Function);
    for measure in entry.measures.iter().filter(|_| !is_whole) {
        let style = match measure.better {
            Better::Better => style::GOOD,
            Better::Worse => style::BAD,
            Better::Neither => style::PLAIN,
        };
        write!(out, "  {:18}", measure.key)?;
        out.paint(style, measure_words(measure))?;
        writeln!(out)?;
    }
    if is_whole && is_kernel {
        return Ok(());
    }
    // Of these there are many: each is written at once.
    let mut line = String::new();
    for field in entry.fields.iter().take(FIELDS) {
        line.clear();
        line.push_str("  ");
        push_visible(&mut line, &field.path);
        line.push_str(": ");
        line.push_str(&field_words(field));
        line.push('\n');
        out.write_all(line.as_bytes())?;
    }
    if entry.fields.len() > FIELDS {
        writeln!(out, "  … and {} more", entry.fields.len() - FIELDS)?;
    }
    let Some(code) = &entry.code else {
        return Ok(());
    };
    writeln!(
        out,
        "  code: {} instructions added, {} removed, of {} → {}",
        code.added, code.removed, code.counts.0, code.counts.1
    )?;
    match options.code {
        Some(context) => print_code(compared, entry, context, out),
        None => Ok(()),
    }
}

/// The instructions that differ, as in a patch.
fn print_code(
    compared: &mut Compared,
    entry: &Entry,
    context: u32,
    out: &mut Text,
) -> io::Result<()> {
    let Some(code) = &entry.code else {
        return Ok(());
    };
    let (one, other) = (compared.a.listing_of(code.a), compared.b.listing_of(code.b));
    let (Some(one), Some(other)) = (one, other) else {
        return Ok(());
    };
    let line = |listing: &dyn zeview::model::assembly::Listing, document: &Document, row: u32| {
        let line = listing.line(row, &document.sources);
        line.map_or_else(String::new, |line| line.text.clone())
    };
    let mut removed = Vec::new();
    let mut added = Vec::new();
    let flush = |removed: &mut Vec<String>, added: &mut Vec<String>, out: &mut Text| {
        for text in removed.drain(..) {
            out.paint(style::BAD, format_args!("  - {text}"))?;
            writeln!(out)?;
        }
        for text in added.drain(..) {
            out.paint(style::GOOD, format_args!("  + {text}"))?;
            writeln!(out)?;
        }
        Ok::<_, io::Error>(())
    };
    for row in rows(code, Some(context)) {
        match row {
            Row::Differs(a, b) => {
                removed.extend(a.map(|row| line(&*one, &compared.a, row)));
                added.extend(b.map(|row| line(&*other, &compared.b, row)));
            }
            Row::Same(a, _) => {
                flush(&mut removed, &mut added, out)?;
                writeln!(out, "    {}", line(&*one, &compared.a, a))?;
            }
            Row::Folded(count) => {
                flush(&mut removed, &mut added, out)?;
                out.paint(style::DIM, format_args!("    … {count} instructions"))?;
                writeln!(out)?;
            }
        }
    }
    flush(&mut removed, &mut added, out)
}
