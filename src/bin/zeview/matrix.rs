//! `zeview matrix`: prints the kernels of packages, folders and libraries by device.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use zeview::analysis::figure::Unknown;
use zeview::analysis::matrix::{Builds, KernelMatrix, MatrixRow};
use zeview::decode::limits;
use zeview::model::text::{counted, escaped, grouped};
use zeview::model::{Document, NodeId, Outcome};
use zeview::tables::kernels::reading::KernelReading;
use zeview::tables::matrix::device_text;
use zeview::tables::query::{Filter, Query};
use zeview::tables::table::{ColumnHeader, Table};
use zeview::tables::write::Form;
use zeview::tables::{CellValue, Column, ListId, Presence};

use crate::argument::{FILES_AND_FOLDERS, InputFiles, complain_of_devices, own_help};
use crate::files::{Inputs, while_reading};
use crate::output::{self, complain, fit, print_table, report_left_out};
use crate::rows::ListRows;
use crate::style;

/// Help of `--json`.
const JSON_HELP: &str = "Print a JSON array with one object per kernel: schema, file, name, devices, missing \
    (devices that other kernels have native code for), at_run_time (whether SPIR-V exists), builds, \
    copies, simd_size, spill_size, code_size, group, files, holes";

#[derive(Args)]
#[command(mut_args(own_help(&[("files", FILES_AND_FOLDERS), ("json", JSON_HELP)])))]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// Print a JSON array.
    #[arg(long)]
    json: bool,
    /// List only kernels that lack a device.
    #[arg(long)]
    incomplete: bool,
    /// List only matching kernels: `missing=bmg-g21 and not copy`.
    #[arg(long, value_name = "QUERY")]
    filter: Option<String>,
}

/// Number of groups of kernels that are listed.
const GROUPS: usize = 10;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut inputs = Inputs::default();
    let columns: Vec<&'static Column> = ListId::Matrix
        .columns()
        .iter()
        .filter(|column| column.presence != Presence::QueryOnly)
        .collect();
    let account = output::account();
    let json = || {
        let rows = ListRows::new(ListId::Matrix, &columns, Form::Json, true, &account);
        rows.with_writer(|writer| writer.with_full_names(true))
    };
    let mut json = options.json.then(json);
    let query = Query {
        filter: match (&options.filter, options.incomplete) {
            (None, false) => String::new(),
            (None, true) => "holes>0".to_owned(),
            (Some(filter), false) => filter.clone(),
            (Some(filter), true) => format!("({filter}) and holes>0"),
        },
        ..Query::default()
    };
    // The option's text alone: `a) or (b` must not become a part of another filter.
    let typed = options.filter.as_deref().unwrap_or_default();
    let filter = match Filter::parse(typed, ListId::Matrix) {
        Ok(filter) => filter,
        Err(error) => {
            complain!("--filter: {error}");
            return Ok(ExitCode::from(2));
        }
    };
    let mut is_any = false;
    inputs.each(&options.input.files, |inputs, file, mut document| {
        account.reset(limits::output(document.sources.size()));
        let Some(reading) = KernelReading::new(&mut document, NodeId::ROOT) else {
            let title = &document.summary.title;
            inputs.fail(file, &format_args!("{title} has no images with kernels"));
            return Ok(());
        };
        let mut reading = read(file, &mut document, reading);
        for note in reading.notes() {
            inputs.fail(file, &note);
        }
        inputs.report_unread(file, &document);
        let matrix = Rc::new(reading.matrix());
        let list = reading.list_of_matrix(Rc::clone(&matrix), &document.sources);
        let order = match query.run(&*list, &document.sources) {
            Ok(order) => order,
            Err(error) => {
                inputs.fail(file, &format_args!("--filter: {error}"));
                return Ok(());
            }
        };
        if let Some(note) = query.undecided_note(&*list, &document.sources) {
            inputs.fail(file, &note);
        }
        let name = file.display().to_string();
        if let Some(json) = &mut json {
            for row in order.from(0, u64::MAX) {
                is_any = true;
                if !json.push(&*list, row, &document.sources, &name)? {
                    inputs.fail(file, &"kernels left out: the output is too long");
                    break;
                }
            }
            return Ok(());
        }
        let names = |row: u32| {
            let cell = list.cell(row, 0, &document.sources);
            match cell.value {
                CellValue::Name {
                    short: Some(short), ..
                } => short.into_owned(),
                value => value.text().into_owned(),
            }
        };
        let columns = list.id().columns();
        let family = columns.iter().position(|column| column.id == "family");
        let family = |row| {
            let cell = family.map(|at| list.cell(row, at, &document.sources));
            cell.map_or_else(String::new, |cell| cell.value.text().into_owned())
        };
        let rows = order.from(0, u64::MAX).filter_map(|row| {
            let at = usize::try_from(row).ok()?;
            Some(Shown {
                name: names(row),
                family: family(row),
                row: matrix.rows.get(at)?,
            })
        });
        let rows: Vec<Shown<'_>> = rows.collect();
        is_any |= !rows.is_empty();
        print(&name, &matrix, &rows)
    })?;
    if let Some(json) = json {
        json.finish()?;
    }
    // Files may have names of their own: only what matches no kernel can be a slip.
    if !is_any && complain_of_devices(filter.devices()) {
        inputs.note_problem();
    }
    Ok(inputs.status())
}

/// Reads the kernels of a file, and shows progress.
fn read(file: &Path, document: &mut Document, mut reading: KernelReading) -> KernelReading {
    while_reading(file, |progress| {
        while reading.step(document) {
            let done = reading.progress();
            let name = file.display();
            progress.set(|| format!("reading {name}: {} of {}", done.done, done.of));
        }
    });
    reading
}

/// Formats the builds of a kernel for a device: the SIMD widths, spills, and copies.
fn builds_text(builds: Option<&Builds>, has_spirv: bool) -> String {
    let Some(builds) = builds else {
        let outcome = if has_spirv {
            Outcome::Recompiled
        } else {
            Outcome::DoesNotRun
        };
        return outcome.words().to_owned();
    };
    let widths: Vec<String> = builds.simd.iter().map(i64::to_string).collect();
    let mut text = if widths.is_empty() {
        "yes".to_owned()
    } else {
        widths.join("/")
    };
    match builds.spill.figure {
        Ok(0) => {}
        Ok(size) => text.push_str(&format!(" spills {size}")),
        Err(Unknown::NotStated { .. } | Unknown::Ignored { .. }) => {
            text.push_str(" spills not stated")
        }
        Err(unknown) => text.push_str(&format!(" {}", unknown.word())),
    }
    let all = builds.count + builds.copies;
    if all > 1 {
        text.push_str(&format!(" ×{all}"));
    }
    text
}

/// A kernel of the table.
struct Shown<'a> {
    /// Its short name.
    name: String,
    family: String,
    row: &'a MatrixRow,
}

fn print(name: &str, matrix: &KernelMatrix, rows: &[Shown<'_>]) -> io::Result<()> {
    let mut out = output::text();
    out.paint(style::HEAD, escaped(name))?;
    let run_time = matrix.rows.iter().filter(|row| row.has_spirv).count();
    let only = matrix
        .rows
        .iter()
        .filter(|row| row.has_spirv && row.cells.iter().all(Option::is_none))
        .count();
    writeln!(
        out,
        ": {}, {}; {} lack a device, {} have SPIR-V, {} only SPIR-V",
        counted(matrix.rows.len() as u64, "kernel", "kernels"),
        counted(matrix.devices.len() as u64, "device", "devices"),
        grouped(matrix.incomplete()),
        grouped(run_time as u64),
        grouped(only as u64),
    )?;
    let mut heads = vec![ColumnHeader::text("kernel")];
    let devices = matrix.devices.iter();
    heads.extend(devices.map(|device| ColumnHeader::text(&escaped(device_text(device)))));
    heads.push(ColumnHeader::text("others"));
    heads.push(ColumnHeader::number("code"));
    let mut table = Table::new(heads);
    for Shown { name, row, .. } in rows {
        let total = row.total();
        let cells = row.cells.iter();
        let cells = cells.map(|cell| builds_text(cell.as_ref(), row.has_spirv));
        let others = builds_text(None, row.has_spirv);
        let code = match total.count {
            0 => "–".to_owned(),
            _ => grouped(total.code),
        };
        let last = [others, code];
        table
            .rows
            .push(std::iter::once(escaped(name)).chain(cells).chain(last));
    }
    let left_out = fit(&mut table);
    print_table(&table, &mut out, |_| style::PLAIN)?;
    print_groups(rows, &mut out)?;
    out.flush()?;
    report_left_out(&left_out);
    Ok(())
}

/// Prints the bytes of code by family of kernels.
fn print_groups(rows: &[Shown<'_>], out: &mut output::Text) -> io::Result<()> {
    let mut groups: Vec<(&str, u64, u64)> = Vec::new();
    let mut places: HashMap<&str, usize> = HashMap::new();
    for Shown { family, row, .. } in rows {
        let place = *places.entry(family).or_insert_with(|| {
            groups.push((family, 0, 0));
            groups.len() - 1
        });
        let (_, kernels, bytes) = &mut groups[place];
        *kernels += 1;
        *bytes += row.total().code;
    }
    // Each kernel is a family of its own: the rows above show the same.
    if groups.len() == rows.len() {
        return Ok(());
    }
    groups.sort_by_key(|(_, _, bytes)| std::cmp::Reverse(*bytes));
    let mut table = Table::new(vec![
        ColumnHeader::text("family"),
        ColumnHeader::number("kernels"),
        ColumnHeader::number("code"),
    ]);
    for (group, kernels, bytes) in groups.iter().take(GROUPS) {
        table
            .rows
            .push([escaped(group), grouped(*kernels), grouped(*bytes)]);
    }
    if groups.len() > GROUPS {
        let rest = groups.iter().skip(GROUPS);
        let (kernels, bytes) = rest.fold((0, 0), |(k, b), (_, kernels, bytes)| {
            (k + kernels, b + bytes)
        });
        table
            .rows
            .push(["other".to_owned(), grouped(kernels), grouped(bytes)]);
    }
    writeln!(out)?;
    print_table(&table, out, |_| style::PLAIN)
}
