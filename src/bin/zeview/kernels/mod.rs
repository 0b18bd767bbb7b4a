//! `zeview kernels`: prints the kernel table of files.

mod arguments;
mod profiles;

use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use zeview::analysis::kernels::FLAGS;
use zeview::decode::limits;
use zeview::decode::text::plural;
use zeview::model::account::Account;
use zeview::model::{Document, Node, NodeId, PathError, SourceId, Sources, is_pattern};
use zeview::tables::query::{Filter, GroupBy, Query, undecided_text};
use zeview::tables::write::Form;
use zeview::tables::writer::Writer;
use zeview::tables::{Column, Key, List, ListId, Presence};

pub use self::arguments::Options;
use self::arguments::{Selection, columns};
use self::profiles::Profiles;
use crate::code_figures::{self, Workers};
use crate::gate::{self, Condition, Damage, Gate};
use crate::input;
use crate::occupancy;
use crate::output::{self, complain, fit, print_table, report_left_out};
use crate::progress::Progress;
use crate::style;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let progress = Progress::start();
    let Some(mut profiles) = Profiles::read(&options.profile, &progress) else {
        return Ok(ExitCode::from(2));
    };
    let selection = options.selection().unwrap_or_else(|error| error.exit());
    if options.occupancy.is_requested {
        return print_limits(options, &selection);
    }
    let mut printer = Printer::new(options, &selection);
    let mut gate = Gate::new(&selection.fail_if);
    let mut is_unread = false;
    let mut waiting = Vec::new();
    let mut has_kernels = false;
    for file in &options.input.files {
        progress.set(|| format!("reading {}", file.display()));
        let opened = OpenedFile::new(file, options, &mut gate);
        gate::report(&mut gate);
        let mut opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                complain!("{}: {error}", file.display());
                is_unread = true;
                continue;
            }
        };
        is_unread |= opened.is_unread;
        has_kernels |= !opened.lists.is_empty();
        profiles.apply(&mut opened.document);
        if selection.sort.is_some() {
            // All of them are sorted together.
            waiting.push(opened);
        } else {
            printer.print(&mut [opened], options, &selection, &mut gate)?;
        }
    }
    drop(progress);
    printer.print(&mut waiting, options, &selection, &mut gate)?;
    // Rows left out of the output were judged too, but cannot be inspected.
    is_unread |= printer.report_cut();
    is_unread |= printer.report_undecided();
    printer.finish()?;
    is_unread |= profiles.complain();
    let without_code = gate.without_code();
    if gate.judged() == 0 && without_code > 0 {
        gate.miss("no kernel has native code");
    } else if has_kernels && gate.judged() == 0 {
        gate.miss("no kernel matches --filter");
    } else if without_code > 0 {
        let kernels = plural(without_code, "kernel");
        complain!("{kernels} without native code skipped by --fail-if");
    }
    Ok(ExitCode::from(gate::finish(&mut gate, is_unread)))
}

/// Prints the occupancy limits of each kernel.
fn print_limits(options: &Options, selection: &Selection) -> io::Result<ExitCode> {
    let mut printer = occupancy::Printer::new(&options.occupancy, options.format.json);
    let mut gate = Gate::new(&[]);
    let mut status = 0;
    for file in &options.input.files {
        let opened = OpenedFile::new(file, options, &mut gate);
        gate::report(&mut gate);
        let mut opened = match opened {
            Ok(opened) => opened,
            Err(error) => {
                complain!("{}: {error}", file.display());
                status = 2;
                continue;
            }
        };
        if opened.is_unread {
            status = 2;
        }
        for id in opened.documents() {
            let document = &mut opened.document;
            let Some(list) = document.list(id, ListId::Kernels, None) else {
                continue;
            };
            let place = &place(&opened.name, &document.path(id));
            let sources = &document.sources;
            for row in 0..list.primary() {
                let filter = selection.filter.as_ref();
                if filter.is_some_and(|filter| !filter.matches(&*list, row, sources)) {
                    continue;
                }
                let kernel = list.kernel(row).filter(|_| list.is_native(row));
                let Some((kernels, index)) = kernel else {
                    continue;
                };
                let name = list.cell(row, 0, sources).value;
                let name = if options.full_names {
                    name.in_full()
                } else {
                    name
                };
                if let Err(why) = printer.kernel(place, &name, &*kernels, index, sources)? {
                    complain!("{place}: {why}");
                    status = 2;
                }
            }
        }
    }
    printer.finish()?;
    Ok(ExitCode::from(status))
}

/// A file with its kernels.
struct OpenedFile {
    document: Document,
    name: String,
    lists: Vec<(NodeId, Rc<dyn List>)>,
    /// Values that could not be read, for --fail-if.
    damage: Damage,
    /// Whether a part of the file was not read.
    is_unread: bool,
}

impl OpenedFile {
    fn new(
        file: &Path,
        options: &Options,
        gate: &mut Gate<'_>,
    ) -> Result<OpenedFile, Box<dyn std::error::Error>> {
        let path = options.within.path.as_deref();
        let query = Query {
            by: options.group_by,
            ..Query::default()
        };
        let mut document = input::open(file)?;
        let name = file.display().to_string();
        let mut lists: Vec<(NodeId, Rc<dyn List>)> = Vec::new();
        let mut empty = Vec::new();
        let mut extents = Vec::new();
        for id in documents(&mut document, path)? {
            // A pattern that matches a container also matches its images.
            extents.extend(document.node(id).and_then(Node::extent));
            if path.is_some_and(is_pattern) && !document.has_list(id, ListId::Kernels) {
                continue;
            }
            let Some(list) = document.list_for(id, ListId::Kernels, &query) else {
                continue;
            };
            for note in list.notes() {
                gate.miss(&format!("{name}: {note}"));
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
                gate.miss_unlisted_kernels(&document, id, &place(&name, &path));
            }
        }
        let damage = if gate.has_conditions() {
            let ids: Vec<NodeId> = lists.iter().map(|(id, _)| *id).collect();
            Damage::of(&mut document, &ids)
        } else {
            Damage::default()
        };
        let unread = match path {
            None => document.unread_parts(),
            Some(_) => document.unread_within(&extents),
        };
        if !unread.is_empty() {
            complain!("{name}: {}", unread.text());
        }
        Ok(OpenedFile {
            document,
            name,
            lists,
            damage,
            is_unread: !unread.is_empty(),
        })
    }
}

impl OpenedFile {
    /// Returns the documents whose kernels are listed. A container is replaced by its images.
    fn documents(&mut self) -> Vec<NodeId> {
        let mut documents = Vec::new();
        for (id, _) in &self.lists {
            if self.document.has_list(*id, ListId::Kernels) {
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

/// Returns the value of the column `file`.
fn place(name: &str, path: &str) -> String {
    match path {
        "" => name.to_owned(),
        path => format!("{name}:{path}"),
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
    let is_flag = FLAGS.iter().any(|(key, _)| *key == column.id);
    let is_shown = match column.presence {
        Presence::Counted => false,
        Presence::Profiled => is_profiled,
        _ => true,
    };
    !is_flag && is_shown
}

struct Printer {
    columns: Vec<&'static Column>,
    form: Form,
    with_file: bool,
    has_rows: bool,
    has_full_names: bool,
    /// Whether a row represents several kernels.
    is_grouped: bool,
    writer: Option<Writer>,
    workers: Workers,
    /// Remaining output budget.
    account: Account,
    /// Number of rows left out.
    left_out: u64,
    /// Number of rows that the filter cannot judge.
    undecided: u64,
    out: BufWriter<Box<dyn Write>>,
}

impl Printer {
    fn new(options: &Options, selection: &Selection) -> Printer {
        let form = match (options.format.json, options.format.csv) {
            (true, _) => Form::Json,
            (_, true) => Form::Csv,
            _ => Form::Plain,
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
            with_file: form != Form::Plain || options.input.files.len() > 1,
            has_rows: false,
            has_full_names: options.full_names,
            is_grouped: options.group_by.is_some(),
            writer: None,
            workers: Workers::default(),
            account: Account::default(),
            left_out: 0,
            undecided: 0,
            out: BufWriter::with_capacity(1 << 16, output::of(form)),
        }
    }

    fn writer(&mut self, with_file: bool) -> &mut Writer {
        let (columns, form) = (&self.columns, self.form);
        let (has_full_names, is_grouped) = (self.has_full_names, self.is_grouped);
        let make = || {
            Writer::new(ListId::Kernels, columns, form, with_file)
                .with_full_names(has_full_names)
                .with_short_words(is_grouped)
        };
        self.writer.get_or_insert_with(make)
    }

    /// Prints and judges the kernels of files, sorted together.
    fn print(
        &mut self,
        opened: &mut [OpenedFile],
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
        let mut rows: Vec<(Key<'_>, usize, &OpenedFile, &dyn List, u32)> = Vec::new();
        for (number, file) in opened.iter().enumerate() {
            let sources = &file.document.sources;
            for (_, list) in &file.lists {
                let filter = selection.filter.as_ref();
                let all = 0..list.count() - list.secondary().functions;
                let all = all.map(|row| (&**list, row, sources));
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
        match selection.sort {
            Some(sort) if sort.is_descending => rows.sort_by(|(a, ..), (b, ..)| b.order(a)),
            Some(_) => rows.sort_by(|(a, ..), (b, ..)| a.order(b)),
            None => {}
        }
        // A host file has many images, most of them with one kernel.
        let is_host =
            |file: &OpenedFile| file.document.summary.has.host || file.document.summary.has.package;
        let is_grouped = options.group_by.is_some();
        let is_wide = is_grouped || opened.iter().any(is_host);
        let is_profiled = !options.profile.is_empty();
        // The device tells which kernels are SPIR-V.
        let is_mixed = |list: &dyn List| {
            let mut rows = 0..list.primary();
            rows.any(|row| !list.is_native(row))
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
        // Omit the path for one file that has its kernels itself or in such images.
        let is_within =
            |file: &OpenedFile| file.document.kernels(NodeId::ROOT).is_none() && !is_host(file);
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
            let path = if is_grouped { "" } else { list.path(row) };
            let place = place(&file.name, path);
            // Rows left out of the output are judged too.
            if options.all || row < list.primary() {
                self.row(with_file, list, row, sources, &place)?;
            }
            if let Some(damage) = damage.get_mut(number) {
                gate.judge(&place, ((list, row, sources), damage), None);
                gate::report(gate);
            }
            self.has_rows = true;
        }
        Ok(())
    }

    /// Adds the output budget of these files.
    fn allow(&self, opened: &[OpenedFile]) {
        let size = |file: &OpenedFile| file.document.sources.whole(SourceId::FILE).len();
        let limit: u64 = opened.iter().map(|file| limits::output(size(file))).sum();
        if !opened.is_empty() {
            self.account.reset(limit);
        }
    }

    /// Prints a row if the budget allows. A table buffers its rows.
    fn row(
        &mut self,
        with_file: bool,
        list: &dyn List,
        row: u32,
        sources: &Sources,
        place: &str,
    ) -> io::Result<()> {
        if self.account.is_overdrawn() {
            self.left_out += 1;
            return Ok(());
        }
        let writer = self.writer(with_file);
        let before = writer.size();
        writer.push(list, row, sources, Some(place));
        let written = writer.take();
        let size = written.len() + writer.size().saturating_sub(before);
        self.account.take(size as u64);
        self.out.write_all(written.as_bytes())
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

    /// Prints the buffered rows.
    fn finish(mut self) -> io::Result<()> {
        let is_plain = self.form == Form::Plain;
        if is_plain && self.has_rows {
            let with_file = self.with_file;
            let mut table = self.writer(with_file).table();
            let left_out = fit(&mut table);
            let mut out = output::Visible::new(&mut self.out, output::colors());
            print_table(&table, &mut out, |_| style::PLAIN)?;
            self.out.flush()?;
            report_left_out(&left_out);
        } else if !is_plain {
            let with_file = self.with_file;
            self.writer(with_file);
            if let Some(writer) = self.writer.take() {
                self.out.write_all(writer.finish().as_bytes())?;
            }
            self.out.flush()?;
        }
        Ok(())
    }
}
