//! `zeview images`: lists the device images in host files.

use std::cell::Cell;
use std::collections::HashMap;
use std::io::{self, Write};
use std::path::Path;
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use serde::Serialize;
use zeview::analysis::host_images::{EXPORTED, HostImage, HostImages, IMPORTED, ImageDescription};
use zeview::analysis::images::Pick;
use zeview::analysis::modules::json::properties;
use zeview::analysis::naming::{NameSet, ShortNames};
use zeview::analysis::{FirstUse, LoadOptions};
use zeview::decode::demangle::demangle;
use zeview::decode::device::names::unknown_device;
use zeview::model::account::Account;
use zeview::model::json::Items;
use zeview::model::text::{escaped, plural};
use zeview::model::{Document, NodeId, Outcome, Span};
use zeview::tables::table::{ColumnHeader, Rows, Table};

use crate::argument::{InputFiles, known_device, known_release};
use crate::files::{Inputs, name_of};
use crate::output::{self, complain, print_fitted};
use crate::rows::Objects;

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// Print a JSON array with one object per image: schema, file, section, start, end, how
    /// (descriptor, tgtimg, offload-binary or carved), descriptor, struct_version, target,
    /// offload_kind, format, compile_options, link_options, compressed, size (decompressed), kind
    /// (spirv, ar, zebin, cuda-elf, amdgpu-elf, elf, bitcode, offload-binary, syclbin or other), kernels, exported, imported,
    /// properties (name, entries: key, type, value).
    #[arg(long)]
    json: bool,
    /// Explain which images run on a device, by any name that `zeview devices` prints; in JSON:
    /// chosen, verdict, opencl and reason.
    #[arg(long, value_name = "NAME", value_parser = known_device)]
    device: Option<String>,
    /// Print only the names of the kernels that are compiled at first use on the device, one per
    /// line: demangled, or with --full-names as in the file.
    #[arg(long, requires = "device", conflicts_with = "json")]
    first_use: bool,
    /// The release of the driver for `--device`, as for `zeview check`. Default: 26.27.
    #[arg(long, value_name = "RELEASE", value_parser = known_release, requires = "device")]
    driver: Option<String>,
    /// Print kernel names in tables as stored in the file. Default: short names.
    #[arg(long)]
    full_names: bool,
}

/// Selection for a device, by the bytes of each image.
type Picks = HashMap<Span, Pick>;

/// Prints how many kernels are compiled at first use on the device; with --first-use, their names.
fn print_first_use(
    file: &Path,
    device: &str,
    first_use: &FirstUse,
    options: &Options,
) -> io::Result<()> {
    let mut out = output::text();
    if options.first_use {
        for name in &first_use.kernels {
            let title = demangle(name).filter(|_| !options.full_names);
            writeln!(out, "{}", escaped(title.as_deref().unwrap_or(name)))?;
        }
    } else if let Some(text) = first_use.text() {
        // Device names are those of a list; file names may be anything.
        match options.input.files.len() {
            1 => writeln!(out, "kernels on {}: {text}", escaped(device))?,
            _ => {
                let file = file.display().to_string();
                writeln!(
                    out,
                    "kernels of {} on {}: {text}",
                    escaped(&file),
                    escaped(device)
                )?;
            }
        }
    }
    out.flush()
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut printer = Printer::new(options);
    let mut inputs = Inputs::default();
    inputs.each(&options.input.files, |inputs, file, document| {
        print_file(file, document, options, &mut printer, inputs)
    })?;
    printer.finish()?;
    Ok(inputs.status())
}

/// Prints the images of a file.
fn print_file(
    file: &Path,
    mut document: Document,
    options: &Options,
    printer: &mut Printer,
    inputs: &mut Inputs,
) -> io::Result<()> {
    output::allow(&printer.account, &document);
    document.open_files(NodeId::ROOT);
    inputs.report_unread(file, &document);
    let picks = match &options.device {
        None => Picks::new(),
        Some(device) => match picks(&mut document, device, options.driver.as_deref()) {
            Some((picks, first_use)) => {
                if !options.json {
                    print_first_use(file, device, &first_use, options)?;
                }
                if options.first_use {
                    return Ok(());
                }
                picks
            }
            None => {
                inputs.fail(file, &unknown_device(device));
                return Ok(());
            }
        },
    };
    let owners = owners(&mut document);
    if owners.is_empty() {
        let title = document.summary.title.clone();
        let has_images = !document.images(NodeId::ROOT).list.is_empty();
        let name = file.display();
        if has_images {
            complain!(
                "{name}: {title}: not a library or program; `zeview ls --images` lists its images"
            )
        } else {
            complain!("{name}: {title} has no device images")
        }
    }
    if let Form::Table { with_file, .. } = &mut printer.out {
        // Each library of a package has an image 0.
        *with_file |= owners.len() > 1;
    }
    for (path, images) in owners {
        let has_short = !options.json && !options.full_names;
        let names = has_short.then(|| short_names(&*images, &document));
        let name = name_of(file, &path);
        let (mut left_out, mut not_listed) = (0, 0);
        for index in 0..images.count() {
            if !printer.has_room() {
                not_listed = images.count() - index;
                break;
            }
            // The table only needs the kernels.
            let wanted: fn(&str) -> bool = if options.json {
                |_| true
            } else {
                |set| set == EXPORTED
            };
            let image = images.image_with(index, &document.sources, wanted);
            let Some(image) = image else {
                continue;
            };
            left_out += image.described.as_ref().map_or(0, |found| found.left_out);
            let pick = picks.get(&image.span);
            printer.image(&name, index, &image, pick, names.as_ref())?;
        }
        left_out += printer.left_out.take();
        if left_out > 0 {
            let what = plural(left_out, "name or property set");
            let problem = format!("{what} left out: more than the size of the file allows");
            inputs.fail(Path::new(&name), &problem);
        }
        if not_listed > 0 {
            let what = plural(not_listed as u64, "image");
            let problem = format!("{what} left out: the output is too long");
            inputs.fail(Path::new(&name), &problem);
        }
    }
    Ok(())
}

/// Returns the short names of the kernels in a file's index.
fn short_names(images: &dyn HostImages, document: &Document) -> ShortNames {
    let is_needed = |set: &str| set == EXPORTED;
    let all = (0..images.count())
        .filter_map(|index| images.image_with(index, &document.sources, is_needed));
    let mut names = NameSet::default();
    for described in all.filter_map(|image| image.described) {
        for kernel in described.kernels() {
            names.add(&kernel.name, images.demangled(&kernel.name).as_deref());
        }
    }
    names.short_names()
}

/// Returns which images run on a device, or `None` if the device is unknown.
fn picks(
    document: &mut Document,
    device: &str,
    release: Option<&str>,
) -> Option<(Picks, FirstUse)> {
    let images = document.images_to_choose(NodeId::ROOT);
    if images.list.is_empty() {
        return Some((Picks::new(), FirstUse::default()));
    }
    let options = LoadOptions {
        device: Some(device),
        release,
    };
    let choice = document.choice_with(&images, options)?;
    let first_use = document.first_use(&images, &choice);
    let spans = images.list.into_iter().map(|image| image.span);
    Some((spans.zip(choice.picks).collect(), first_use))
}

/// Returns the documents that contain images, with their paths: the file itself, or else the
/// documents in it, such as the objects of an archive.
fn owners(document: &mut Document) -> Vec<(String, Rc<dyn HostImages>)> {
    if let Some(images) = document.host_images(NodeId::ROOT) {
        return vec![(String::new(), images)];
    }
    let spans: Vec<Span> = document.documents().map(|inner| inner.span).collect();
    let mut found = Vec::new();
    for span in spans {
        if let Some(id) = document.document_at(span)
            && let Some(images) = document.host_images(id)
        {
            found.push((document.path(id), images));
        }
    }
    found
}

struct Printer {
    /// Remaining output budget.
    account: Rc<Account>,
    /// Number of names and properties left out because they exceed the output budget.
    left_out: Cell<u64>,
    out: Form,
}

enum Form {
    Json(Objects),
    Table {
        rows: Rows,
        /// Whether to print the columns `file` and `on the device`.
        with_file: bool,
        with_device: bool,
    },
}

impl Printer {
    fn new(options: &Options) -> Printer {
        let account = output::account();
        Printer {
            out: if options.json {
                Form::Json(Objects::array(&account))
            } else {
                Form::Table {
                    rows: Rows::default(),
                    with_file: options.input.files.len() > 1,
                    with_device: options.device.is_some(),
                }
            },
            account,
            left_out: Cell::new(0),
        }
    }

    /// Returns whether one more image fits the output budget. A table buffers its rows.
    fn has_room(&self) -> bool {
        let waiting = match &self.out {
            Form::Json(_) => 0,
            Form::Table { rows, .. } => rows.size() as u64,
        };
        self.account.left() > waiting
    }

    fn image(
        &mut self,
        file: &str,
        index: usize,
        image: &HostImage,
        pick: Option<&Pick>,
        names: Option<&ShortNames>,
    ) -> io::Result<()> {
        match &mut self.out {
            Form::Json(objects) => {
                // Names and properties are written one by one until the budget is used up.
                let has_room = || {
                    let has_room = !self.account.is_overdrawn();
                    self.left_out
                        .set(self.left_out.get() + u64::from(!has_room));
                    has_room
                };
                write_object(file, image, pick, &has_room, objects)
            }
            Form::Table {
                rows,
                with_file,
                with_device,
            } => {
                let cells = cells(index, image, names);
                let file = with_file.then(|| escaped(file));
                let runs = pick.map_or_else(String::new, |pick| {
                    format!("{}: {}", pick.statement(), escaped(&pick.why))
                });
                let runs = with_device.then_some(runs);
                rows.push(file.into_iter().chain(cells).chain(runs));
                Ok(())
            }
        }
    }

    fn finish(self) -> io::Result<()> {
        let (rows, with_file, with_device) = match self.out {
            Form::Json(objects) => return objects.finish(),
            Form::Table { rows, .. } if rows.is_empty() => return Ok(()),
            Form::Table {
                rows,
                with_file,
                with_device,
            } => (rows, with_file, with_device),
        };
        let mut heads = vec![
            ColumnHeader::text("image"),
            ColumnHeader::text("offset"),
            ColumnHeader::number("stored"),
            ColumnHeader::number("size"),
            ColumnHeader::text("kind"),
            ColumnHeader::text("target"),
            ColumnHeader::number("kernels"),
            ColumnHeader::text("first kernel"),
        ];
        if with_file {
            heads.insert(0, ColumnHeader::text("file"));
        }
        if with_device {
            heads.push(ColumnHeader::text("on the device"));
        }
        let mut table = Table::new(heads);
        table.rows = rows;
        print_fitted(&mut table, &mut output::text())
    }
}

/// Returns the cells of an image.
fn cells(index: usize, image: &HostImage, names: Option<&ShortNames>) -> [String; 8] {
    let described = image.described.as_ref();
    let kernels = described.map(ImageDescription::kernels).unwrap_or_default();
    let size = image
        .size()
        .map_or_else(|| "?".to_owned(), |size| size.to_string());
    [
        format!("image {index}"),
        format!("{:#x}", image.span.start),
        image.span.len().to_string(),
        size,
        image.kind.to_owned(),
        described.map_or_else(String::new, |described| escaped(&described.target)),
        kernels.len().to_string(),
        kernels.first().map_or_else(String::new, |entry| {
            let short = names.and_then(|names| names.get(&entry.name));
            escaped(short.unwrap_or(&entry.name))
        }),
    ]
}

/// JSON object of an image; the parameters are lists of names, and properties.
#[derive(Serialize)]
struct ImageJson<'a, K, E, I, P> {
    file: &'a str,
    section: Option<&'a str>,
    start: u64,
    end: u64,
    how: &'static str,
    descriptor: Option<u64>,
    struct_version: Option<u64>,
    target: Option<&'a str>,
    offload_kind: Option<&'a str>,
    format: Option<&'a str>,
    compile_options: Option<&'a str>,
    link_options: Option<&'a str>,
    compressed: bool,
    size: Option<u64>,
    kind: &'static str,
    kernels: K,
    exported: E,
    imported: I,
    properties: P,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    verdict: Option<Outcome>,
    #[serde(skip_serializing_if = "Option::is_none")]
    opencl: Option<OutcomeJson>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
struct OutcomeJson {
    verdict: Outcome,
}

fn write_object(
    file: &str,
    image: &HostImage,
    pick: Option<&Pick>,
    has_room: &dyn Fn() -> bool,
    out: &mut Objects,
) -> io::Result<()> {
    let described = image.described.as_ref();
    let names = |set| {
        let names = described.map_or_else(Vec::new, |found| found.names_in(set));
        names.into_iter().filter(|_| has_room())
    };
    let kernels = || {
        let kernels = described.map(ImageDescription::kernels).unwrap_or_default();
        let kernels = kernels.into_iter().map(|entry| entry.name.as_str());
        kernels.filter(|_| has_room())
    };
    let sets = described.map_or(&[][..], |found| &found.properties);
    out.push(ImageJson {
        file,
        section: Some(image.section.as_str()).filter(|name| !name.is_empty()),
        start: image.span.start,
        end: image.span.end,
        how: image.method,
        descriptor: image.descriptor,
        struct_version: described.and_then(|found| found.version),
        target: described.map(|found| found.target.as_str()),
        offload_kind: described.map(|found| &*found.offload_kind),
        format: described.map(|found| &*found.format),
        compile_options: described.map(|found| found.compile_options.as_str()),
        link_options: described.map(|found| found.link_options.as_str()),
        compressed: image.unpacked.is_some(),
        size: image.size(),
        kind: image.kind,
        kernels: Items(kernels),
        exported: Items(|| names(EXPORTED)),
        imported: Items(|| names(IMPORTED)),
        properties: properties(sets, has_room),
        chosen: pick.map(|pick| pick.is_chosen),
        verdict: pick.and_then(|pick| pick.outcome),
        opencl: pick
            .and_then(|pick| pick.opencl)
            .map(|verdict| OutcomeJson { verdict }),
        reason: pick.map(|pick| &*pick.why),
    })
}
