//! The images of a container: formats, targets, the driver's verdict on each, and which of them run
//! on a device.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use std::rc::Rc;

use super::kernels::{IndexNames, index_names};
use super::query::Query;
use super::{
    Cell, CellValue, Column, Declaration, Detail, Details, Drawing, Key, List, ListId, Opens,
    Presence, ReadingKind, RowDetails, Scope, Tab, Words, columns,
};
use zeview_core::analysis::host_images::{
    EXPORTED, HostImage, IMPORTED, ImageDescription, MISC, REQUIREMENTS, kind_text,
};
use zeview_core::analysis::images::{Choice, Image, Images};
use zeview_core::analysis::modules::{Property, PropertyValue};
use zeview_core::analysis::{DriverModel, LoadOptions, Verdict};
use zeview_core::model::{Document, NodeId, Outcome, Sources, Span, Str, Tone, Xref};

type RowRef<'a> = (&'a ImageList, usize, &'a Image);

columns! {
    /// The columns. Those from a host binary's index are empty for other containers.
    pub COLUMNS
    "image" Text Default 20 "Image" "" "The name of the image in the container."
        |(_, _, image), sources| {
            let cell = Cell::text(&*image.name).at(Some(image.span));
            match description(image, sources).map(|image| image.method) {
                Some("tgtimg") => cell.mark(Tone::Warning, ".tgtimg", "No descriptor lists it: it was found by .tgtimg."),
                Some("carved") => cell.mark(Tone::Warning, "carved", "No descriptor lists it: it was found by its first bytes."),
                _ => cell,
            }
        };
    "package_file" Text Optional 20 "File" "" "The file of the package or folder that contains the image."
        |(_, _, image), _| Cell::text(&*image.file);
    "kernel" Text Optional 40 "First kernel" "" "The first kernel of the image; filters and the kernel list find all of them."
        |(list, _, image), sources| first_kernel(list, image, sources);
    "chosen" Bool Several 6 "Chosen" "" "Whether the image runs on the selected device."
        |(list, at, _), _| match list.pick(at) {
            Some(pick) if pick.is_chosen => Cell::new(super::CellValue::Bool(true)),
            Some(_) => Cell::new(super::CellValue::Bool(false)),
            None => Cell::empty(),
        };
    "outcome" Text Several 12 "Outcome" "" "What becomes of the image on the selected device: it loads, is compiled, refused …"
        |(list, at, _), _| match list.pick(at).and_then(|pick| pick.outcome) {
            Some(of) => outcome(of),
            None => Cell::empty(),
        };
    "reason" Text Several 30 "Reason" "" "Why the image is or is not chosen for the selected device."
        |(list, at, _), _| Cell::text(list.pick(at).map_or("", |pick| &pick.why));
    "kind" Text Optional 11 "Kind" "" "The format of the image, after decompression."
        |(_, _, image), sources| match description(image, sources) {
            Some(image) => Cell::text(kind_text(image)),
            None => Cell::text(&*image.title),
        };
    "device" Words Default 14 "Device" "" "The device that the image is for, or all of them if it has code for several."
        |(_, _, image), sources| match &image.host {
            Some(host) => Cell::words(host.devices(sources).iter().map(|name| &**name)),
            None => Cell::words(Some(image.device()).filter(|name| !name.is_empty()).into_iter()),
        };
    "target" Text Optional 10 "Target" "" "The target of the compiler, or the device with its product configuration and release."
        |(_, _, image), sources| match described(image, sources) {
            Some(described) => Cell::text(&*described.target).at(described.places.target),
            None => Cell::text(image.target.as_deref().unwrap_or_default()),
        };
    "kernels" Number Optional 4 "Kernels" "" "The number of kernels that the index names."
        |(_, _, image), sources| match described(image, sources) {
            Some(described) => Cell::count(described.kernels().len() as u64).at(described.places.entries),
            None => Cell::empty(),
        };
    "size" Number Default 0 "Size" "B" "The size of the image in bytes, after decompression."
        |(_, _, image), sources| match description(image, sources) {
            Some(image) => image.size().map_or_else(Cell::empty, Cell::count),
            None => Cell::count(image.span.len()),
        };
    "stored" Number Optional 0 "Stored" "B" "The size of the image in the file in bytes; smaller if it is compressed."
        |(_, _, image), _| Cell::count(image.span.len());
    "same_as" Text Optional 9 "Same as" "" "The first image of the file that has the same bytes."
        |(list, at, _), sources| match list.same_as(at, sources) {
            Some(first) => Cell::text(&*first.name).at(Some(first.span)),
            None => Cell::empty(),
        };
    "aspects" Words Optional 18 "Aspects" "" "The aspects that the device must support."
        |(_, _, image), sources| match requirement(image, &["aspects"], sources) {
            Some(property) => Cell::words(property.meaning.split(", ").filter(|word| !word.is_empty()))
                .at(Some(property.span)),
            None => Cell::words(std::iter::empty::<&str>()),
        };
    "reqd_sub_group_size" Text Optional 5 "Req. sub-group" "" "The sub-group size that the kernels require."
        |(_, _, image), sources| meaning(requirement(image, &["reqd_sub_group_size"], sources));
    "reqd_work_group_size" Text Optional 8 "Req. work-group" "" "The work-group size that the kernels require."
        |(_, _, image), sources| {
            let keys = ["reqd_work_group_size_uint64_t", "reqd_work_group_size"];
            meaning(requirement(image, &keys, sources))
        };
    "registers" Text Optional 5 "GRF" "" "Registers of a hardware thread that the kernels request: a number, or automatic."
        |(_, _, image), sources| meaning(described(image, sources).and_then(ImageDescription::register_mode));
    "options" Text Optional 20 "Options" "" "The options for the compiler at run time, and those for the linker."
        |(_, _, image), sources| match described(image, sources) {
            Some(image) => Cell::text([&*image.compile_options, &image.link_options].join(" ").trim().to_owned())
                .at(image.places.compile_options),
            None => Cell::empty(),
        };
    "exported" Words Optional 12 "Exports" "" "The functions that other images can call."
        |(_, _, image), sources| names(image, EXPORTED, sources);
    "imported" Words Optional 12 "Imports" "" "The functions that must come from other images."
        |(_, _, image), sources| names(image, IMPORTED, sources);
    "verdict" Text Default 23 "Verdict" "" "The driver's verdict on the image for its target device; for images of a host binary, only with a selected device."
        |(list, at, _), sources| list.outcome(at, sources).map_or_else(Cell::empty, outcome);
    "offset" Number Optional 0 "Offset" "" "The offset of the image in the file, or in the unpacked data that contains it."
        |(_, _, image), _| Cell::new(super::CellValue::Hex(image.span.start));
    "found_by" Text Optional 12 "Found by" "" "How the image was found: by a descriptor, by .tgtimg, or by its first bytes."
        |(_, _, image), sources| Cell::text(description(image, sources).map_or("", |image| image.method));
    "struct_version" Number Optional 4 "Struct version" "" "The version of the struct that describes the image."
        |(_, _, image), sources| match described(image, sources) {
            Some(described) => described.version.map_or_else(Cell::empty, Cell::count)
                .at(described.places.record),
            None => Cell::empty(),
        };
    "kernel_names" Words Optional 30 "Kernel names" "" "The names of the image's kernels in the file."
        |(_, _, image), sources| match described(image, sources) {
            Some(described) => Cell::words(described.kernels().into_iter().map(|entry| &*entry.name)).at(described.places.entries),
            None => Cell::empty(),
        };
    "path" Text Optional 24 "Path" "" "The path of the image, for the command line."
        |(_, _, image), _| Cell::text(&*image.path);
}

/// The default columns for a host binary's images.
static OF_HOST: [&str; 13] = [
    "image",
    "kernel",
    "kind",
    "device",
    "target",
    "kernels",
    "size",
    "stored",
    "aspects",
    "reqd_sub_group_size",
    "registers",
    "exported",
    "imported",
];

fn description<'a>(image: &'a Image, sources: &Sources) -> Option<&'a HostImage> {
    image.host.as_ref()?.index_entry(sources)
}

fn described<'a>(image: &'a Image, sources: &Sources) -> Option<&'a ImageDescription> {
    description(image, sources)?.described.as_ref()
}

/// Returns the first of these device requirements that the image has.
fn requirement<'a>(image: &'a Image, keys: &[&str], sources: &Sources) -> Option<&'a Property> {
    let described = described(image, sources)?;
    keys.iter().find_map(|key| described.requirement(key))
}

fn meaning(property: Option<&Property>) -> Cell<'_> {
    let Some(property) = property else {
        return Cell::empty();
    };
    let text = match (&*property.meaning, &property.value) {
        ("", PropertyValue::Number(number)) => number.to_string(),
        (text, _) => text.to_owned(),
    };
    Cell::text(text).at(Some(property.span))
}

fn names<'a>(image: &'a Image, set: &str, sources: &Sources) -> Cell<'a> {
    let described = described(image, sources);
    let mut sets = described.iter().flat_map(|image| &image.properties);
    let found = sets.find(|found| found.name == set);
    let entries = found.map_or(&[][..], |set| &set.entries);
    let cell = Cell::words(entries.iter().map(|entry| &*entry.key));
    cell.at(entries.first().map(|entry| entry.key_span))
}

fn first_kernel<'a>(list: &'a ImageList, image: &'a Image, sources: &Sources) -> Cell<'a> {
    let described = described(image, sources);
    let kernels = described.map(ImageDescription::kernels).unwrap_or_default();
    let Some(first) = kernels.first() else {
        return Cell::empty();
    };
    let title = image.host.as_ref().and_then(|host| host.title(&first.name));
    let cell = Cell::new(CellValue::Name {
        name: Cow::Borrowed(&*first.name),
        demangled: title.map(|title| Cow::Owned(String::from(&*title))),
        short: Some(list.short_name(&first.name, sources))
            .filter(|short| *short != &*first.name)
            .map(Cow::Borrowed),
    });
    let cell = cell.at(Some(first.span));
    match kernels.len() {
        1 => cell,
        many => cell.mark(
            Tone::Plain,
            format!("+{}", many - 1),
            format!("{many} kernels"),
        ),
    }
}

/// Maximum number of links of each kind in the details of an image.
const LINKS_MAX: usize = 8;

/// Returns the details of an image of a host binary.
fn host_image_details(
    list: &ImageList,
    described: &ImageDescription,
    named: RowDetails,
    sources: &Sources,
) -> RowDetails {
    let mut links = Vec::new();
    let mut link = |why: &'static str, label: String, to: Option<Span>| {
        let to = to.filter(|_| !label.is_empty());
        links.extend(to.map(|to| Xref {
            why: why.into(),
            label: label.into(),
            to,
        }));
    };
    let places = &described.places;
    link("target", described.target.clone(), places.target);
    link(
        "compile options",
        described.compile_options.clone(),
        places.compile_options,
    );
    link(
        "link options",
        described.link_options.clone(),
        places.link_options,
    );
    for set in described
        .properties
        .iter()
        .filter(|set| has_details(&set.name))
    {
        let why = match &*set.name {
            REQUIREMENTS => "requires",
            _ => "property",
        };
        for property in set.entries.iter().take(LINKS_MAX) {
            let value = meaning(Some(property)).value.text().into_owned();
            link(
                why,
                format!("{}: {value}", property.key),
                Some(property.span),
            );
        }
    }
    for (why, set) in [("exports", EXPORTED), ("imports", IMPORTED)] {
        let sets = described
            .properties
            .iter()
            .filter(|found| found.name == set);
        for function in sets.flat_map(|set| &set.entries).take(LINKS_MAX) {
            link(why, function.key.clone(), Some(function.key_span));
        }
    }
    let kernels = described.kernels();
    for kernel in kernels.iter().take(LINKS_MAX) {
        let name = list.short_name(&kernel.name, sources).to_owned();
        link("kernel", name, Some(kernel.span));
    }
    link("struct", "image struct".to_owned(), places.record);
    RowDetails {
        links,
        detail: Detail::Image {
            kernels: kernels.len() as u64,
            query: format!("image=\"{}\"", named.title),
        },
        ..named
    }
}

/// Whether the details include the values of a property set.
fn has_details(set: &str) -> bool {
    matches!(set, REQUIREMENTS | MISC)
}

/// Formats an outcome, with its tone.
pub(super) fn outcome(outcome: Outcome) -> Cell<'static> {
    let cell = Cell::text(outcome.words());
    let (tone, sign) = match outcome {
        Outcome::Loads => (Tone::Good, "✓"),
        Outcome::LoadsWithWarnings | Outcome::NeedsLinking | Outcome::Recompiled => {
            (Tone::Warning, "▲")
        }
        Outcome::Refused | Outcome::LinkFailure | Outcome::MayCrash | Outcome::DoesNotRun => {
            (Tone::Bad, "✕")
        }
        Outcome::NotJudged => return cell,
    };
    cell.mark(tone, sign, outcome.words())
}

struct ImageList {
    images: Images,
    driver: Option<&'static dyn DriverModel>,
    /// The verdict of each image on its own device, computed on demand.
    verdicts: Vec<OnceCell<Option<Verdict>>>,
    choice: Option<Choice>,
    /// The release of the driver; `None` for the usual one.
    release: Option<Str>,
    /// The indices of the images of each length in bytes.
    by_len: OnceCell<HashMap<u64, Vec<usize>>>,
    /// Hashes of the images' bytes, computed when images of the same length are compared.
    digests: Vec<OnceCell<Option<u64>>>,
    names: IndexNames,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Container,
    drawing: Some(Drawing::Images),
    tab: Some(Tab::of_code("images", "Images", |file| file.holds_images)),
    opens: Opens::Overview,
    details: Details::IfAny,
    reading: ReadingKind::Images,
    ..Declaration::table(
        ListId::Images,
        "images",
        || COLUMNS,
        Words {
            title: "Images",
            one: "image",
            many: "images",
            hint: "Name, kernel, device, or size>4096",
            none: "No images.",
        },
    )
};

/// Whether a document is a container of images.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.has_images(id) || document.package_files(id).is_some()
}

/// Reads the images of a container; with a device, also which of them run on it.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    if !is_in(document, id) {
        return None;
    }
    let device = query.device().map(|device| &**device);
    let images = match device {
        Some(_) => document.images_to_choose(id),
        None => document.images(id),
    };
    let options = LoadOptions {
        device,
        release: query.release().map(|release| &**release),
    };
    Some(Rc::new(ImageList {
        choice: document.choice_with(&images, options),
        driver: document.driver(),
        verdicts: images.list.iter().map(|_| OnceCell::new()).collect(),
        release: query.release().cloned(),
        by_len: OnceCell::new(),
        digests: images.list.iter().map(|_| OnceCell::new()).collect(),
        names: index_names(document, id),
        images,
    }))
}

impl ImageList {
    fn image(&self, row: u32) -> Option<(usize, &Image)> {
        let at = usize::try_from(row).ok()?;
        Some((at, self.images.list.get(at)?))
    }

    fn verdict(&self, at: usize, sources: &Sources) -> Option<&Verdict> {
        let verdict = self.verdicts.get(at)?.get_or_init(|| {
            let image = self.images.list.get(at).filter(|image| image.is_loadable)?;
            let options = LoadOptions {
                device: None,
                release: self.release.as_deref(),
            };
            self.driver?.load(sources, image.span, options)
        });
        verdict.as_ref()
    }

    /// Returns the outcome of an image: on its own device, or of an image of a host binary on the selected
    /// one.
    fn outcome(&self, at: usize, sources: &Sources) -> Option<Outcome> {
        match self.verdict(at, sources) {
            Some(verdict) => Some(verdict.outcome),
            None => self.pick(at)?.outcome,
        }
    }

    /// Returns the first image with the same bytes, if that is another one.
    fn same_as(&self, at: usize, sources: &Sources) -> Option<&Image> {
        let span = self.images.list.get(at)?.span;
        let by_len = self.by_len.get_or_init(|| {
            let mut by_len: HashMap<u64, Vec<usize>> = HashMap::new();
            for (at, image) in self.images.list.iter().enumerate() {
                by_len.entry(image.span.len()).or_default().push(at);
            }
            by_len
        });
        let before = by_len
            .get(&span.len())?
            .iter()
            .take_while(|before| **before < at);
        before.copied().find_map(|before| {
            let image = self.images.list.get(before)?;
            let is_likely = self.digest(before, sources)? == self.digest(at, sources)?;
            (is_likely && is_same(image.span, span, sources)).then_some(image)
        })
    }

    fn digest(&self, at: usize, sources: &Sources) -> Option<u64> {
        let span = self.images.list.get(at)?.span;
        *self.digests.get(at)?.get_or_init(|| {
            let mut hasher = DefaultHasher::new();
            for piece in pieces(span) {
                hasher.write(&sources.read(piece).ok()?);
            }
            Some(hasher.finish())
        })
    }

    /// Returns the short name of a kernel in the index.
    fn short_name<'a>(&'a self, name: &'a str, sources: &Sources) -> &'a str {
        let names = self.names.of(&self.images, sources);
        names.get(name).unwrap_or(name)
    }

    fn is_of_host(&self) -> bool {
        self.images.list.iter().any(|image| image.host.is_some())
    }

    fn pick(&self, at: usize) -> Option<&zeview_core::analysis::images::Pick> {
        self.choice.as_ref()?.picks.get(at)
    }
}

impl List for ImageList {
    fn id(&self) -> ListId {
        ListId::Images
    }

    fn count(&self) -> u32 {
        u32::try_from(self.images.list.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.image(row)) {
            (Some(cell), Some((at, image))) => cell((self, at, image), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        self.image(row).map(|(_, image)| image.span)
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let unpacked_from = |span: &Span| sources.parent(span.source);
        let mut around = std::iter::successors(Some(span), unpacked_from);
        let row = around.find_map(|span| {
            let mut images = self.images.list.iter();
            images.position(|image| image.span.contains(span))
        })?;
        let row = u32::try_from(row).ok()?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, sources: &Sources) -> RowDetails {
        let image = self.image(row).map(|(_, image)| image);
        let named = RowDetails {
            title: image.map_or_else(String::new, |image| image.name.clone()),
            ..RowDetails::default()
        };
        let described = image.and_then(|image| Some((image, described(image, sources)?)));
        match described {
            Some((_, described)) => host_image_details(self, described, named, sources),
            None => named,
        }
    }

    /// Outcomes are sorted from best to worst.
    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        let is_verdict = COLUMNS.get(column).is_some_and(|c| c.id == "verdict");
        let index = usize::try_from(row).unwrap_or(usize::MAX);
        if is_verdict {
            key(self.outcome(index, sources))
        } else {
            self.cell(row, column, sources).value.into_key()
        }
    }

    fn shows(&self, column: &Column) -> bool {
        if column.id == "package_file" {
            return self.images.list.iter().any(|image| !image.file.is_empty());
        }
        let is_for_device = self.choice.is_some() && column.presence == Presence::Several;
        if self.is_of_host() {
            OF_HOST.contains(&column.id) || is_for_device
        } else {
            column.presence == Presence::Default || is_for_device
        }
    }

    fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.images.left_out > 0 {
            notes.push(format!("{} more are not listed", self.images.left_out));
        }
        // Only for the images read so far: reading all of them takes long.
        let read = self.images.list.iter().filter_map(Image::read);
        let left_out = read.filter_map(|image| Some(image.described.as_ref()?.left_out));
        let left_out: u64 = left_out.sum();
        if left_out > 0 {
            notes.push(format!(
                "{left_out} names or property sets left out: more than the size of the file allows"
            ));
        }
        notes
    }
}

/// Number of bytes read at once.
const PIECE: u64 = 1 << 20;

fn pieces(span: Span) -> impl Iterator<Item = Span> {
    let starts = (0..span.len().div_ceil(PIECE)).map(|index| index * PIECE);
    starts.map(move |start| span.subspan(start, PIECE))
}

/// Whether two spans of the same length have the same bytes.
fn is_same(a: Span, b: Span, sources: &Sources) -> bool {
    let read = |piece| sources.read(piece).ok();
    pieces(a)
        .zip(pieces(b))
        .all(|(a, b)| read(a).is_some_and(|a| read(b).is_some_and(|b| *a == *b)))
}

/// Returns the sort key of an outcome, the best first; images without an outcome come before them.
pub(super) fn key(outcome: Option<Outcome>) -> Key<'static> {
    match outcome {
        Some(outcome) => Key::Ints([outcome as i128, 0, 0]),
        None => Key::Empty,
    }
}
