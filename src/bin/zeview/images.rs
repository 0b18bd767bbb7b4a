//! `zeview images`: the device images in a host's file.

use std::collections::{BTreeMap, HashMap};
use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use serde::Serialize;
use zeview::model::host_images::{Described, EXPORTED, HostImage, HostImages, IMPORTED};
use zeview::model::images::Pick;
use zeview::model::list::table::{Head, Rows, Table};
use zeview::model::modules::PropertyValue;
use zeview::model::text::escaped;
use zeview::model::{Document, NodeId, Span};

use crate::FileArgument;
use crate::input;
use crate::output::{self, complain, print_table, say_left_out};
use crate::progress::Progress;
use crate::style;

#[derive(Args)]
pub struct Options {
    /// The files; `-` reads standard input.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<FileArgument>,
    /// Print a JSON array with one object per image: schema, file, section, start, end, how
    /// (descriptor, tgtimg, offload-binary or carved), descriptor, struct_version, target, offload_kind, format,
    /// compile_options, link_options, compressed, size (decompressed), kind (spirv, ar, zebin,
    /// bitcode, offload-binary, syclbin or other), kernels, exported, imported, properties.
    #[arg(long)]
    json: bool,
    /// Say which of the images run on a device, and why; in JSON: chosen and reason.
    #[arg(long, value_name = "NAME")]
    device: Option<String>,
}

/// What happens with each image on a device, by its bytes.
type Picks = HashMap<Span, Pick>;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut printer = Printer {
        with_file: options.files.len() > 1,
        with_device: options.device.is_some(),
        ..Printer::default()
    };
    let mut status = 0;
    let mut json = output::json();
    for file in &options.files {
        let progress = Progress::start();
        progress.say(|| format!("reading {}", file.display()));
        let opened = input::open(file);
        drop(progress);
        let mut document = match opened {
            Ok(document) => document,
            Err(error) => {
                complain!("{}: {error}", file.display());
                status = 2;
                continue;
            }
        };
        let picks = match &options.device {
            None => Picks::new(),
            Some(device) => match picks(&mut document, device) {
                Some(picks) => picks,
                None => {
                    complain!("unknown device {device:?}");
                    return Ok(ExitCode::from(2));
                }
            },
        };
        let holders = holders(&mut document);
        if holders.is_empty() {
            let title = &document.summary.title;
            complain!("{}: {title} has no device images", file.display());
            status = 2;
        }
        for (name, images) in holders {
            let name = match name.as_str() {
                "" => file.display().to_string(),
                path => format!("{}:{path}", file.display()),
            };
            for index in 0..images.count() {
                // The table needs to know what is a kernel, and no more.
                let wanted: fn(&str) -> bool = match options.json {
                    true => |_| true,
                    false => |set| set == EXPORTED,
                };
                let image = images.image_with(index, &document.sources, wanted);
                let Some(image) = image else {
                    continue;
                };
                let pick = picks.get(&image.span);
                match options.json {
                    true => printer.json(&mut json, &name, &image, pick)?,
                    false => printer.row(&name, index, &image, pick),
                }
            }
        }
    }
    if options.json {
        json.write_all(match printer.count {
            0 => b"[]\n",
            _ => b"\n]\n",
        })?;
        json.flush()?;
    } else if printer.count > 0 {
        printer.table()?;
    }
    Ok(ExitCode::from(status))
}

/// Which images run on a device. Returns `None` if there is no device of that name.
fn picks(document: &mut Document, device: &str) -> Option<Picks> {
    let images = document.images_to_choose(NodeId::ROOT);
    if images.list.is_empty() {
        return Some(Picks::new());
    }
    let choice = document.choice(&images, device)?;
    let spans = images.list.into_iter().map(|image| image.span);
    Some(spans.zip(choice.picks).collect())
}

/// The documents that hold images, with their paths: the file itself or, if it holds none, those
/// in it, such as the objects of an archive.
fn holders(document: &mut Document) -> Vec<(String, std::rc::Rc<dyn HostImages>)> {
    if let Some(images) = document.host_images(NodeId::ROOT) {
        return vec![(String::new(), images)];
    }
    let spans: Vec<Span> = document
        .documents()
        .iter()
        .map(|inner| inner.span)
        .collect();
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

#[derive(Default)]
struct Printer {
    count: usize,
    rows: Rows,
    /// The columns `file` and `on the device` are wanted.
    with_file: bool,
    with_device: bool,
}

impl Printer {
    fn json(
        &mut self,
        out: &mut impl Write,
        file: &str,
        image: &HostImage,
        pick: Option<&Pick>,
    ) -> io::Result<()> {
        out.write_all(if self.count == 0 { b"[\n" } else { b",\n" })?;
        self.count += 1;
        serde_json::to_writer(out, &ImageJson::new(file, image, pick)).map_err(io::Error::from)
    }

    fn row(&mut self, file: &str, index: usize, image: &HostImage, pick: Option<&Pick>) {
        self.count += 1;
        let described = image.described.as_ref();
        let kernels = described.map(Described::kernels).unwrap_or_default();
        let size = image
            .size()
            .map_or_else(|| "?".to_owned(), |size| size.to_string());
        let file = self.with_file.then(|| escaped(file));
        let cells = [
            format!("image {index}"),
            format!("{:#x}", image.span.start),
            image.span.len().to_string(),
            size,
            image.kind.to_owned(),
            described.map_or_else(String::new, |described| escaped(&described.target)),
            kernels.len().to_string(),
            kernels
                .first()
                .map_or_else(String::new, |entry| escaped(&entry.name)),
        ];
        let runs = pick.map_or_else(String::new, |pick| {
            let runs = if pick.is_chosen {
                "runs"
            } else {
                "does not run"
            };
            format!("{runs}: {}", escaped(&pick.why))
        });
        let runs = self.with_device.then_some(runs);
        self.rows.push(file.into_iter().chain(cells).chain(runs));
    }

    fn table(self) -> io::Result<()> {
        let mut heads = vec![
            Head::text("image"),
            Head::text("offset"),
            Head::number("stored"),
            Head::number("size"),
            Head::text("kind"),
            Head::text("target"),
            Head::number("kernels"),
            Head::text("first kernel"),
        ];
        if self.with_file {
            heads.insert(0, Head::text("file"));
        }
        if self.with_device {
            heads.push(Head::text("on the device"));
        }
        let mut table = Table::new(heads);
        table.rows = self.rows;
        let left_out = output::fit(&mut table);
        let mut out = output::text();
        print_table(&table, &mut out, |_| style::PLAIN)?;
        out.flush()?;
        say_left_out(&left_out);
        Ok(())
    }
}

#[derive(Serialize)]
struct ImageJson<'a> {
    schema: u32,
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
    kernels: Vec<&'a str>,
    exported: Vec<&'a str>,
    imported: Vec<&'a str>,
    properties: BTreeMap<&'a str, BTreeMap<&'a str, PropertyJson>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    chosen: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reason: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(untagged)]
enum PropertyJson {
    Number(u64),
    Bytes { bits: u64, hex: String },
}

impl<'a> ImageJson<'a> {
    fn new(file: &'a str, image: &'a HostImage, pick: Option<&'a Pick>) -> ImageJson<'a> {
        let described = image.described.as_ref();
        let names = |set: &str| described.map_or_else(Vec::new, |found| found.names_in(set));
        ImageJson {
            schema: 1,
            file,
            section: Some(image.section.as_str()).filter(|name| !name.is_empty()),
            start: image.span.start,
            end: image.span.end,
            how: image.how,
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
            kernels: described.map_or_else(Vec::new, |found| {
                let kernels = found.kernels().into_iter();
                kernels.map(|entry| entry.name.as_str()).collect()
            }),
            exported: names(EXPORTED),
            imported: names(IMPORTED),
            properties: described.map(properties).unwrap_or_default(),
            chosen: pick.map(|pick| pick.is_chosen),
            reason: pick.map(|pick| &*pick.why),
        }
    }
}

fn properties(described: &Described) -> BTreeMap<&str, BTreeMap<&str, PropertyJson>> {
    let sets = described.properties.iter().map(|set| {
        let properties = set.entries.iter().map(|property| {
            let value = match &property.value {
                PropertyValue::Bytes { bits, bytes } => PropertyJson::Bytes {
                    bits: *bits,
                    hex: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
                },
                PropertyValue::Number(number) => PropertyJson::Number(*number),
                PropertyValue::Unreadable(_) => PropertyJson::Number(0),
            };
            (property.key.as_str(), value)
        });
        (set.name.as_str(), properties.collect())
    });
    sets.collect()
}
