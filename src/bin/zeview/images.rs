//! `zeview images`: lists the device images in host files.

use std::cell::RefCell;
use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::io::{self, Write};
use std::process::ExitCode;
use std::rc::Rc;

use clap::Args;
use serde::{Serialize, Serializer};
use zeview::analysis::LoadOptions;
use zeview::analysis::host_images::{EXPORTED, HostImage, HostImages, IMPORTED, ImageDescription};
use zeview::analysis::images::Pick;
use zeview::analysis::modules::PropertyValue;
use zeview::analysis::naming::{NameSet, ShortNames};
use zeview::decode::text::plural;
use zeview::model::account::Account;
use zeview::model::text::escaped;
use zeview::model::{Document, NodeId, Outcome, Span};
use zeview::tables::table::{ColumnHeader, Rows, Table};

use crate::argument::{InputFiles, known_device, known_release};
use crate::input;
use crate::output::{self, complain, print_table, report_left_out};
use crate::progress::Progress;
use crate::style;
use crate::unread;

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    pub input: InputFiles,
    /// Print a JSON array with one object per image: schema, file, section, start, end, how
    /// (descriptor, tgtimg, offload-binary or carved), descriptor, struct_version, target,
    /// offload_kind, format, compile_options, link_options, compressed, size (decompressed), kind
    /// (spirv, ar, zebin, cuda-elf, amdgpu-elf, elf, bitcode, offload-binary, syclbin or other), kernels, exported, imported,
    /// properties.
    #[arg(long)]
    json: bool,
    /// Explain which images run on a device, by any name that `zeview devices` prints; in JSON:
    /// chosen, verdict, opencl and reason.
    #[arg(long, value_name = "NAME", value_parser = known_device)]
    device: Option<String>,
    /// The release of the driver for `--device`, as for `zeview check`. Default: 26.27.
    #[arg(long, value_name = "RELEASE", value_parser = known_release, requires = "device")]
    driver: Option<String>,
    /// Print kernel names in tables as stored in the file. Default: short names.
    #[arg(long)]
    full_names: bool,
}

/// Selection for a device, by the bytes of each image.
type Picks = HashMap<Span, Pick>;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let account = output::account();
    let mut printer = Printer {
        account: Rc::clone(&account),
        with_file: options.input.files.len() > 1,
        with_device: options.device.is_some(),
        ..Printer::default()
    };
    let mut status = 0;
    let mut json = output::json_within(&account);
    for file in &options.input.files {
        let progress = Progress::start();
        progress.set(|| format!("reading {}", file.display()));
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
        output::allow(&account, &document);
        document.open_files(NodeId::ROOT);
        if unread::complain_of(file, &document) {
            status = 2;
        }
        let picks = match &options.device {
            None => Picks::new(),
            Some(device) => match picks(&mut document, device, options.driver.as_deref()) {
                Some(picks) => picks,
                None => {
                    complain!("unknown device {device:?}");
                    return Ok(ExitCode::from(2));
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
        for (name, images) in owners {
            let has_short = !options.json && !options.full_names;
            let names = has_short.then(|| short_names(&*images, &document));
            let name = match name.as_str() {
                "" => file.display().to_string(),
                path => format!("{}:{path}", file.display()),
            };
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
                if options.json {
                    printer.json(&mut json, &name, &image, pick)?
                } else {
                    printer.row(&name, index, &image, pick, names.as_ref())
                }
            }
            left_out += std::mem::take(&mut *printer.names_left_out.borrow_mut());
            if left_out > 0 {
                complain!(
                    "{name}: {} left out: more than the size of the file allows",
                    plural(left_out, "name or property set")
                );
                status = 2;
            }
            if not_listed > 0 {
                let images = plural(not_listed as u64, "image");
                complain!("{name}: {images} left out: the output is too long");
                status = 2;
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
fn picks(document: &mut Document, device: &str, release: Option<&str>) -> Option<Picks> {
    let images = document.images_to_choose(NodeId::ROOT);
    if images.list.is_empty() {
        return Some(Picks::new());
    }
    let options = LoadOptions {
        device: Some(device),
        release,
    };
    let choice = document.choice_with(&images, options)?;
    let spans = images.list.into_iter().map(|image| image.span);
    Some(spans.zip(choice.picks).collect())
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

#[derive(Default)]
struct Printer {
    /// Remaining output budget.
    account: Rc<Account>,
    /// Number of names left out because they exceed the output budget.
    names_left_out: RefCell<u64>,
    count: usize,
    rows: Rows,
    /// Whether to print the columns `file` and `on the device`.
    with_file: bool,
    with_device: bool,
}

impl Printer {
    /// Returns whether one more image fits the output budget. A table buffers its rows.
    fn has_room(&self) -> bool {
        self.account.left() > self.rows.size() as u64
    }

    fn json(
        &mut self,
        out: &mut impl Write,
        file: &str,
        image: &HostImage,
        pick: Option<&Pick>,
    ) -> io::Result<()> {
        out.write_all(if self.count == 0 { b"[\n" } else { b",\n" })?;
        self.count += 1;
        let room = OutputBudget {
            account: &self.account,
            left_out: &self.names_left_out,
        };
        serde_json::to_writer(out, &ImageJson::new(file, image, pick, room))
            .map_err(io::Error::from)
    }

    fn row(
        &mut self,
        file: &str,
        index: usize,
        image: &HostImage,
        pick: Option<&Pick>,
        names: Option<&ShortNames>,
    ) {
        self.count += 1;
        let described = image.described.as_ref();
        let kernels = described.map(ImageDescription::kernels).unwrap_or_default();
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
            kernels.first().map_or_else(String::new, |entry| {
                let short = names.and_then(|names| names.get(&entry.name));
                escaped(short.unwrap_or(&entry.name))
            }),
        ];
        let runs = pick.map_or_else(String::new, |pick| {
            format!("{}: {}", pick.statement(), escaped(&pick.why))
        });
        let runs = self.with_device.then_some(runs);
        self.rows.push(file.into_iter().chain(cells).chain(runs));
    }

    fn table(self) -> io::Result<()> {
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
        if self.with_file {
            heads.insert(0, ColumnHeader::text("file"));
        }
        if self.with_device {
            heads.push(ColumnHeader::text("on the device"));
        }
        let mut table = Table::new(heads);
        table.rows = self.rows;
        let left_out = output::fit(&mut table);
        let mut out = output::text();
        print_table(&table, &mut out, |_| style::PLAIN)?;
        out.flush()?;
        report_left_out(&left_out);
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
    kernels: Names<'a>,
    exported: Names<'a>,
    imported: Names<'a>,
    properties: Properties<'a>,
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

/// Output budget for the names and properties of an image. They are serialized one by one until it
/// is used up.
#[derive(Clone, Copy)]
struct OutputBudget<'a> {
    account: &'a Account,
    left_out: &'a RefCell<u64>,
}

impl OutputBudget<'_> {
    /// Returns whether one more item fits. Counts it as left out if not.
    fn has_room(&self) -> bool {
        let has_room = !self.account.is_overdrawn();
        *self.left_out.borrow_mut() += u64::from(!has_room);
        has_room
    }
}

struct Names<'a>(Vec<&'a str>, OutputBudget<'a>);

impl Serialize for Names<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let names = self.0.iter();
        serializer.collect_seq(names.filter(|_| self.1.has_room()))
    }
}

/// Properties by set and key.
struct Properties<'a>(
    BTreeMap<&'a str, BTreeMap<&'a str, &'a PropertyValue>>,
    OutputBudget<'a>,
);

impl Serialize for Properties<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let sets = self.0.iter();
        serializer.collect_map(sets.map(|(name, set)| (name, PropertiesOf(set, self.1))))
    }
}

struct PropertiesOf<'a>(&'a BTreeMap<&'a str, &'a PropertyValue>, OutputBudget<'a>);

impl Serialize for PropertiesOf<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let properties = self.0.iter().filter(|_| self.1.has_room());
        serializer.collect_map(properties.map(|(key, value)| (key, PropertyJson::from(*value))))
    }
}

#[derive(Serialize)]
#[serde(untagged)]
enum PropertyJson<'a> {
    Number(u64),
    Bytes { bits: u64, hex: HexDigits<'a> },
}

impl<'a> From<&'a PropertyValue> for PropertyJson<'a> {
    fn from(value: &'a PropertyValue) -> PropertyJson<'a> {
        match value {
            PropertyValue::Bytes { bits, bytes } => PropertyJson::Bytes {
                bits: *bits,
                hex: HexDigits(bytes),
            },
            PropertyValue::Number(number) => PropertyJson::Number(*number),
            PropertyValue::Unreadable(_) => PropertyJson::Number(0),
        }
    }
}

/// Bytes, serialized as hexadecimal digits.
struct HexDigits<'a>(&'a [u8]);

impl Serialize for HexDigits<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl fmt::Display for HexDigits<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl<'a> ImageJson<'a> {
    fn new(
        file: &'a str,
        image: &'a HostImage,
        pick: Option<&'a Pick>,
        room: OutputBudget<'a>,
    ) -> ImageJson<'a> {
        let described = image.described.as_ref();
        let names = |set: &str| {
            let names = described.map_or_else(Vec::new, |found| found.names_in(set));
            Names(names, room)
        };
        ImageJson {
            schema: 1,
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
            kernels: Names(
                described.map_or_else(Vec::new, |found| {
                    let kernels = found.kernels().into_iter();
                    kernels.map(|entry| entry.name.as_str()).collect()
                }),
                room,
            ),
            exported: names(EXPORTED),
            imported: names(IMPORTED),
            properties: Properties(described.map(properties).unwrap_or_default(), room),
            chosen: pick.map(|pick| pick.is_chosen),
            verdict: pick.and_then(|pick| pick.outcome),
            opencl: pick
                .and_then(|pick| pick.opencl)
                .map(|verdict| OutcomeJson { verdict }),
            reason: pick.map(|pick| &*pick.why),
        }
    }
}

fn properties(described: &ImageDescription) -> BTreeMap<&str, BTreeMap<&str, &PropertyValue>> {
    let sets = described.properties.iter().map(|set| {
        let properties = set.entries.iter();
        let properties = properties.map(|property| (property.key.as_str(), &property.value));
        (set.name.as_str(), properties.collect())
    });
    sets.collect()
}
