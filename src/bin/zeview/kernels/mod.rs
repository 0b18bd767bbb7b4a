//! `zeview kernels`: prints the kernel table of files.

mod arguments;
mod profiles;
mod report;

use std::io;
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;
use zeview::analysis::unread;
use zeview::tables;

use zeview::analysis::kernels::FLAGS;
use zeview::decode::limits;
use zeview::model::account::Account;
use zeview::model::text::plural;
use zeview::model::{Document, Node, NodeId, PathError, SourceId, Span, is_pattern};
use zeview::tables::query::{Filter, GroupBy, Query, undecided_text};
use zeview::tables::write::Form;
use zeview::tables::{Column, Key, List, ListId, Presence};

pub use self::arguments::{Options, SummaryOptions};
use self::arguments::{Selection, columns};
use self::profiles::Profiles;
use crate::argument::complain_of_devices;
use crate::code_figures::{self, Workers};
use crate::files::{Inputs, name_of, while_reading};
use crate::gate::{self, Condition, Damage, Gate};
use crate::input;
use crate::occupancy;
use crate::output::{self, complain};
use crate::rows::ListRows;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let Some(mut profiles) = Profiles::read(&options.profile) else {
        return Ok(ExitCode::from(2));
    };
    let selection = options.selection().unwrap_or_else(|error| error.exit());
    if options.occupancy.is_requested {
        return print_limits(options, &selection);
    }
    let is_report = options.summary.is_some_and(|summary| summary.markdown);
    let mut printer = Printer::new(options, &selection);
    let mut gate = Gate::new(&selection.fail_if);
    if is_report {
        gate.keep_messages();
        report::start(options)?;
    }
    let mut waiting = Vec::new();
    let mut has_kernels = false;
    let mut inputs = Inputs::default();
    for file in &options.input.files {
        let Some(mut opened) = OpenedFile::new(file, options, &mut gate, &mut inputs) else {
            continue;
        };
        has_kernels |= !opened.lists.is_empty();
        profiles.apply(&mut opened.document);
        if selection.sort.is_some() {
            // All of them are sorted together.
            waiting.push(opened);
        } else {
            printer.print(&mut [opened], options, &selection, &mut gate)?;
        }
    }
    printer.print(&mut waiting, options, &selection, &mut gate)?;
    // Rows left out of the output were judged too, but cannot be inspected.
    let is_cut = printer.report_cut();
    let is_undecided = printer.report_undecided();
    let limited = printer.limited;
    printer.finish()?;
    if let Some(text) = report::limited_text(limited) {
        complain!("{text}");
        inputs.note_problem();
    }
    if profiles.complain() || is_cut || is_undecided {
        inputs.note_problem();
    }
    if gate.judged() == 0 && complain_of_devices(selection.filter.iter().flat_map(Filter::devices))
    {
        inputs.note_problem();
    }
    let without_code = gate.without_code();
    if gate.judged() == 0 && without_code > 0 {
        gate.miss("no kernel has native code");
    } else if has_kernels && gate.judged() == 0 {
        gate.miss("no kernel matches --filter");
    } else if without_code > 0 {
        let kernels = plural(without_code, "kernel");
        complain!("{kernels} without native code skipped by --fail-if");
    }
    let status = gate::finish(&mut gate, !inputs.is_complete());
    if is_report {
        report::finish(options, &gate, limited)?;
    }
    Ok(ExitCode::from(status))
}

/// Prints the occupancy limits of each kernel.
fn print_limits(options: &Options, selection: &Selection) -> io::Result<ExitCode> {
    let mut printer = occupancy::Printer::new(&options.occupancy, options.format.json);
    let mut gate = Gate::new(&[]);
    let mut inputs = Inputs::default();
    for file in &options.input.files {
        let Some(mut opened) = OpenedFile::new(file, options, &mut gate, &mut inputs) else {
            continue;
        };
        for id in opened.documents() {
            let document = &mut opened.document;
            let Some(list) = tables::list(document, id, ListId::Kernels, None) else {
                continue;
            };
            let place = name_of(file, &document.path(id));
            let sources = &document.sources;
            for row in 0..list.primary() {
                let filter = selection.filter.as_ref();
                if filter.is_some_and(|filter| !filter.matches(&*list, row, sources)) {
                    continue;
                }
                let kernels = list.as_kernels().filter(|list| list.is_native(row));
                let Some((kernels, index)) = kernels.and_then(|list| list.kernel(row)) else {
                    continue;
                };
                let name = list.cell(row, 0, sources).value;
                let name = if options.full_names {
                    name.in_full()
                } else {
                    name
                };
                if let Err(why) = printer.kernel(&place, &name, &*kernels, index, sources)? {
                    inputs.fail(Path::new(&place), &why);
                }
            }
        }
    }
    printer.finish()?;
    Ok(inputs.status())
}

/// A file with its kernels.
struct OpenedFile<'f> {
    document: Document,
    path: &'f Path,
    lists: Vec<(NodeId, Rc<dyn List>)>,
    /// Values that could not be read, for --fail-if.
    damage: Damage,
    /// The extents of the documents that --path selects.
    extents: Option<Vec<Span>>,
    /// Whether the lists have all kernels.
    is_complete: bool,
}

impl<'f> OpenedFile<'f> {
    /// Opens a file and reads its lists, or reports why that is not possible.
    fn new(
        file: &'f Path,
        options: &Options,
        gate: &mut Gate<'_>,
        inputs: &mut Inputs,
    ) -> Option<OpenedFile<'f>> {
        let opened = while_reading(file, |_| OpenedFile::read(file, options, gate));
        gate::report(gate);
        let opened = opened.map_err(|error| inputs.fail(file, &error)).ok()?;
        let unread = match &opened.extents {
            None => unread::unread_parts(&opened.document),
            Some(extents) => unread::unread_within(&opened.document, extents),
        };
        if !unread.is_empty() {
            inputs.fail(file, &unread.text());
        }
        if !opened.is_complete {
            inputs.note_problem();
        }
        Some(opened)
    }

    fn read(
        file: &'f Path,
        options: &Options,
        gate: &mut Gate<'_>,
    ) -> Result<OpenedFile<'f>, Box<dyn std::error::Error>> {
        let path = options.within.path.as_deref();
        let query = Query {
            options: tables::query::RowOptions::grouped(options.group_by),
            ..Query::default()
        };
        let mut document = input::open(file)?;
        let name = file.display().to_string();
        let mut lists: Vec<(NodeId, Rc<dyn List>)> = Vec::new();
        let mut empty = Vec::new();
        let mut extents = Vec::new();
        let mut is_complete = true;
        for id in documents(&mut document, path)? {
            // A pattern that matches a container also matches its images.
            extents.extend(document.node(id).and_then(Node::extent));
            if path.is_some_and(is_pattern) && !tables::has_list(&document, id, ListId::Kernels) {
                continue;
            }
            let Some(list) = tables::list_for(&mut document, id, ListId::Kernels, &query) else {
                continue;
            };
            for note in list.notes() {
                gate.miss(&format!("{name}: {note}"));
                is_complete = false;
            }
            if list.count() > list.secondary().functions {
                lists.push((id, list))
            } else {
                empty.push((document.path(id), id))
            }
        }
        if lists.is_empty() {
            let title = &document.summary.title;
            gate.miss(&format!("{name}: {title} has no kernels to list"));
        } else {
            for (path, id) in empty {
                gate.miss_unlisted_kernels(&document, id, &name_of(file, &path));
            }
        }
        let damage = if gate.has_conditions() {
            let ids: Vec<NodeId> = lists.iter().map(|(id, _)| *id).collect();
            Damage::of(&mut document, &ids)
        } else {
            Damage::default()
        };
        Ok(OpenedFile {
            document,
            path: file,
            lists,
            damage,
            extents: path.map(|_| extents),
            is_complete,
        })
    }

    /// Returns the documents whose kernels are listed. A container is replaced by its images.
    fn documents(&mut self) -> Vec<NodeId> {
        let mut documents = Vec::new();
        for (id, _) in &self.lists {
            if tables::has_list(&self.document, *id, ListId::Kernels) {
                documents.push(*id)
            } else {
                let images = self.document.images(*id);
                let images = self.document.opened_images(&images);
                let with_kernels = images.iter().filter(|image| image.has_kernels);
                let nodes = with_kernels.filter_map(|image| self.document.node_of(image));
                documents.extend(nodes);
            }
        }
        documents
    }
}

fn documents(document: &mut Document, path: Option<&str>) -> Result<Vec<NodeId>, PathError> {
    match path {
        Some(path) => document.find_all(path),
        None => Ok(vec![NodeId::ROOT]),
    }
}

/// Returns whether JSON has the column without --columns.
fn is_default_json(column: &Column, is_profiled: bool) -> bool {
    let is_flag = FLAGS.iter().any(|flag| flag.key == column.id);
    let is_shown = match column.presence {
        Presence::Counted | Presence::Derived => false,
        Presence::Profiled => is_profiled,
        _ => true,
    };
    !is_flag && is_shown
}

struct Printer {
    columns: Vec<&'static Column>,
    form: Form,
    with_file: bool,
    has_full_names: bool,
    /// Whether a row represents several kernels.
    is_grouped: bool,
    /// The output, which starts with the first row: its columns depend on the files.
    rows: Option<ListRows>,
    workers: Workers,
    /// Remaining output budget.
    account: Rc<Account>,
    /// Number of rows left out.
    left_out: u64,
    /// Number of rows that the filter cannot judge.
    undecided: u64,
    /// Whether the columns are those of a summary.
    is_summary: bool,
    /// Number of kernels of a summary whose loops are unknown because of a limit.
    limited: u64,
}

impl Printer {
    fn new(options: &Options, selection: &Selection) -> Printer {
        let form = match options.summary {
            Some(summary) if summary.markdown => Form::Markdown,
            _ => options.format.form(),
        };
        let columns = match (selection.columns.as_slice(), form) {
            // For programs: everything except the flags, which have separate columns, and columns
            // that require decoding the code.
            ([], Form::Json) => {
                let is_profiled = !options.profile.is_empty();
                let is_default = |column: &&Column| is_default_json(column, is_profiled);
                columns().iter().filter(is_default).collect()
            }
            ([], _) => ListId::Kernels.default_columns().collect(),
            (columns, _) => columns.to_vec(),
        };
        Printer {
            columns,
            form,
            // The report names its file in the title.
            with_file: !matches!(form, Form::Plain | Form::Markdown)
                || options.input.files.len() > 1,
            is_summary: options.summary.is_some(),
            limited: 0,
            has_full_names: options.full_names,
            is_grouped: options.group_by.is_some(),
            rows: None,
            workers: Workers::default(),
            account: output::account(),
            left_out: 0,
            undecided: 0,
        }
    }

    fn rows(&mut self, with_file: bool) -> &mut ListRows {
        let (columns, form) = (&self.columns, self.form);
        let (has_full_names, is_grouped) = (self.has_full_names, self.is_grouped);
        let account = &self.account;
        self.rows.get_or_insert_with(|| {
            let rows = ListRows::new(ListId::Kernels, columns, form, with_file, account);
            rows.with_writer(|writer| {
                let writer = writer.with_full_names(has_full_names);
                writer.with_short_words(is_grouped)
            })
        })
    }

    /// Prints and judges the kernels of files, sorted together.
    fn print(
        &mut self,
        opened: &mut [OpenedFile<'_>],
        options: &Options,
        selection: &Selection,
        gate: &mut Gate<'_>,
    ) -> io::Result<()> {
        self.allow(opened);
        // Judging changes which damage has been reported.
        let damage = opened
            .iter_mut()
            .map(|file| std::mem::take(&mut file.damage));
        let mut damage: Vec<Damage> = damage.collect();
        let opened = &*opened;
        let compared = selection.filter.as_ref().map(Filter::compared);
        let mut early = compared.and_then(Result::ok).unwrap_or_default();
        early.extend(selection.sort.map(|sort| sort.column));
        let mut rows: Vec<(Key<'_>, usize, &OpenedFile<'_>, &dyn List, u32)> = Vec::new();
        for (number, file) in opened.iter().enumerate() {
            let sources = &file.document.sources;
            for (_, list) in &file.lists {
                let filter = selection.filter.as_ref();
                let all = 0..list.count() - list.secondary().functions;
                let all = all.map(|row| (&**list, row, sources));
                // Conditions on other columns exclude most rows, whose code then need not be
                // decoded.
                let excluded =
                    |row| filter.is_some_and(|f| f.decide_without_code(row) == Some(false));
                let candidates: Vec<_> = all.filter(|row| !excluded(*row)).collect();
                self.workers.compute(&candidates, &early);
                for (_, row, _) in candidates {
                    if filter.is_some_and(|filter| !filter.matches(&**list, row, sources)) {
                        let at = (&**list, row, sources);
                        let is_undecided = filter.is_some_and(|filter| filter.is_undecided(at));
                        self.undecided += u64::from(is_undecided);
                        continue;
                    }
                    let key = selection
                        .sort
                        .map(|sort| list.key(row, sort.column, sources));
                    rows.push((key.unwrap_or(Key::Empty), number, file, &**list, row));
                }
            }
        }
        // Both sorts are stable: rows with equal keys stay in the order of the files.
        match selection.sort {
            Some(sort) if sort.is_descending => rows.sort_by(|(a, ..), (b, ..)| b.order(a)),
            Some(_) => rows.sort_by(|(a, ..), (b, ..)| a.order(b)),
            None => {}
        }
        // A host file has many images, most of them with one kernel.
        let is_host = |file: &OpenedFile<'_>| {
            file.document.summary.has.host || file.document.summary.has.package
        };
        let is_grouped = options.group_by.is_some();
        let is_wide = is_grouped || opened.iter().any(is_host);
        let is_profiled = !options.profile.is_empty();
        // The device tells which kernels are SPIR-V.
        let is_mixed = |list: &dyn List| {
            let mut rows = 0..list.primary();
            let kernels = list.as_kernels();
            rows.any(|row| !kernels.is_some_and(|list| list.is_native(row)))
        };
        let lists = opened.iter().flat_map(|file| &file.lists);
        let is_mixed = lists.into_iter().any(|(_, list)| is_mixed(&**list));
        let is_chosen = is_wide || is_profiled || is_mixed;
        if selection.columns.is_empty() && self.form != Form::Json && is_chosen {
            let mut shown = vec![Presence::Default];
            shown.extend(is_wide.then_some(Presence::Several));
            let has_figures = |column: &Column| {
                let lists = opened.iter().flat_map(|file| &file.lists);
                lists.into_iter().any(|(_, list)| list.shows(column))
            };
            let group = options.group_by.map(GroupBy::column);
            let is_shown = |column: &&Column| {
                // The first column already shows it.
                (shown.contains(&column.presence)
                    || column.presence == Presence::Profiled && has_figures(column)
                    || column.id == "package_file" && has_figures(column)
                    || column.id == "device" && is_mixed)
                    && (group != Some(column.id) || column.id == "name")
            };
            self.columns = columns().iter().filter(is_shown).collect();
        }
        if self.is_summary && self.form != Form::Json {
            let shows = |column: &&Column| {
                let mut lists = opened.iter().flat_map(|file| &file.lists);
                match column.id {
                    "image" => is_wide,
                    "package_file" | "device" => lists.any(|(_, list)| list.shows(column)),
                    _ => true,
                }
            };
            self.columns.retain(|column| shows(column));
        }
        // Omit the path for one file that has its kernels itself or in such images.
        let is_within =
            |file: &OpenedFile<'_>| file.document.kernels(NodeId::ROOT).is_none() && !is_host(file);
        let with_file = self.with_file || (!is_grouped && opened.iter().any(is_within));
        let mut used: Vec<usize> = columns()
            .iter()
            .enumerate()
            .filter(|(_, column)| self.columns.iter().any(|shown| shown.id == column.id))
            .map(|(at, _)| at)
            .collect();
        used.extend(selection.fail_if.iter().flat_map(Condition::columns));
        for (at, (_, number, file, list, row)) in rows.iter().enumerate() {
            let (number, list, row) = (*number, *list, *row);
            if at % code_figures::CHUNK == 0 {
                let next = rows.iter().skip(at).take(code_figures::CHUNK);
                let next = next.map(|(_, _, file, list, row)| {
                    let sources = &file.document.sources;
                    (*list, *row, sources)
                });
                self.workers.compute(&next.collect::<Vec<_>>(), &used);
            }
            let sources = &file.document.sources;
            let path = list.as_kernels().filter(|_| !is_grouped);
            let path = path.map_or("", |list| list.path(row));
            let place = name_of(file.path, path);
            // Rows left out of the output are judged too.
            let fails = damage.get_mut(number).is_some_and(|damage| {
                let fails = gate.judge(&place, ((list, row, sources), damage), None);
                gate::report(gate);
                fails
            });
            if (options.all || row < list.primary()) && (fails || !options.failing) {
                let is_printed = self.rows(with_file).push(list, row, sources, &place)?;
                self.left_out += u64::from(!is_printed);
            }
            if self.is_summary && report::is_limited(list, row, sources) {
                self.limited += 1;
            }
        }
        Ok(())
    }

    /// Adds the output budget of these files.
    fn allow(&self, opened: &[OpenedFile<'_>]) {
        let size = |file: &OpenedFile<'_>| file.document.sources.whole(SourceId::FILE).len();
        let limit: u64 = opened.iter().map(|file| limits::output(size(file))).sum();
        if !opened.is_empty() {
            self.account.reset(limit);
        }
    }

    /// Reports how many rows are left out. Returns whether there are any.
    fn report_cut(&self) -> bool {
        if self.left_out > 0 {
            complain!(
                "{} kernels left out: the output is too long; use --columns or --filter",
                self.left_out
            );
        }
        self.left_out > 0
    }

    /// Reports how many rows the filter cannot judge. Returns whether there are any.
    fn report_undecided(&self) -> bool {
        let note = undecided_text(self.undecided);
        if let Some(note) = &note {
            complain!("{note}");
        }
        note.is_some()
    }

    fn finish(mut self) -> io::Result<()> {
        // Output without rows still has the header of CSV, or is an empty array.
        self.rows(self.with_file);
        self.rows.map_or(Ok(()), ListRows::finish)
    }
}
