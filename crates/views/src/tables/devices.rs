//! The devices, with the driver's verdict on a document, or the images of a container that run on
//! each. Cells are computed on demand.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::images::{key, outcome};
use super::query::Query;
use super::{Cell, Column, Declaration, Key, List, ListId, Opens, RowDetails, Tab, Words, columns};
use zeview_core::analysis::images::Images;
use zeview_core::analysis::{DriverModel, KnownDevice, LoadOptions};
use zeview_core::model::{Document, NodeId, Outcome, Sources, Span, Str};

/// The rule of a remark about compatible devices.
const COMPATIBLE: &str = "driver/compatible-device";

/// Maximum number of reasons in a cell.
const REASONS_MAX: usize = 3;

type RowRef<'a> = (&'a DeviceList, &'a KnownDevice, usize);

columns! {
    /// The columns.
    pub COLUMNS
    "device" Text Default 11 "Device" "" "The name of the device."
        |(_, device, _), _| Cell::text(&*device.name);
    "configuration" Text Default 8 "Config" "" "The product configuration: architecture, release, revision."
        |(_, device, _), _| Cell::text(&*device.configuration);
    "family" Text Default 10 "Release" "" "The release of the architecture."
        |(_, device, _), _| Cell::text(&*device.family);
    "verdict" Text Default 21 "Verdict" "" "The driver's verdict on the file for the device."
        |(list, _, at), sources| match list.answer(at, sources) {
            Some(answer) => outcome(answer.outcome),
            None => Cell::empty(),
        };
    "opencl" Text Default 14 "OpenCL" "" "The driver's verdict in OpenCL; the other column is for Level Zero."
        |(list, _, at), sources| match list.answer(at, sources) {
            Some(answer) => outcome(answer.opencl),
            None => Cell::empty(),
        };
    "image" Words Several 18 "Image" "" "The images that run on the device."
        |(list, _, at), sources| {
            let images = list.answer(at, sources).map_or(&[][..], |answer| &answer.images);
            Cell::words(images.iter().map(String::as_str))
        };
    "reason" Text Default 44 "Reason" "" "The deciding values, or the reason why the image is chosen."
        |(list, _, at), sources| {
            let answer = list.answer(at, sources);
            Cell::text(answer.map_or("", |answer| &answer.why)).at(answer.and_then(|a| a.span))
        };
    "marketing" Words Optional 24 "Sold as" "" "The marketing names of the device."
        |(_, device, _), _| Cell::words(device.marketing.iter().copied());
}

/// The result for a device.
#[derive(Clone)]
struct Answer {
    outcome: Outcome,
    opencl: Outcome,
    /// The images of a container that run.
    images: Vec<String>,
    why: String,
    /// The decisive bytes, or the first image that runs.
    span: Option<Span>,
}

struct DeviceList {
    devices: Vec<KnownDevice>,
    driver: &'static dyn DriverModel,
    /// The release of the driver; `None` for the usual one.
    release: Option<Str>,
    file: Span,
    /// The name of the image that is the document; empty for the opened file.
    image: String,
    /// The images, if the document is a container.
    images: Option<Images>,
    answers: Vec<OnceCell<Option<Answer>>>,
    /// The result for every device if the verdict exceeds its budget.
    unfinished: OnceCell<Option<Answer>>,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    tab: Some(Tab::of_code("devices", "Devices", |file| {
        file.own.loadable || file.holds_images
    })),
    opens: Opens::Verdict,
    ..Declaration::table(
        ListId::Devices,
        "devices",
        || COLUMNS,
        Words {
            title: "Devices",
            one: "device",
            many: "devices",
            hint: "Name, release, or verdict=loads",
            none: "No devices.",
        },
    )
};

/// Whether the driver loads a document, or images in it.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.is_loadable(id) || document.has_images(id) || document.is_spirv(id)
}

/// Reads the results for a document, or for the images of a container, on each device.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    let driver = document.driver()?;
    let images = if document.is_loadable(id) {
        None
    } else {
        let images = document.images_to_choose(id);
        Some(Some(images).filter(|images| !images.list.is_empty())?)
    };
    let devices = driver.devices();
    Some(Rc::new(DeviceList {
        answers: devices.iter().map(|_| OnceCell::new()).collect(),
        devices,
        driver,
        release: query.release().cloned(),
        file: document.node(id)?.span?,
        image: document.image_text(id).0,
        images,
        unfinished: OnceCell::new(),
    }))
}

impl DeviceList {
    fn options<'a>(&'a self, device: Option<&'a str>) -> LoadOptions<'a> {
        LoadOptions {
            device,
            release: self.release.as_deref(),
        }
    }

    fn answer(&self, at: usize, sources: &Sources) -> Option<&Answer> {
        let made = self.answers.get(at)?.get_or_init(|| {
            let device = self.devices.get(at)?;
            match &self.images {
                Some(images) => self.chosen(images, &device.name, sources),
                None => self.loaded(&device.name, sources),
            }
        });
        made.as_ref()
    }

    fn loaded(&self, device: &str, sources: &Sources) -> Option<Answer> {
        // If the budget is exceeded on one device, it is on all.
        let unfinished = self.unfinished.get_or_init(|| {
            let own = self.verdict(None, sources);
            own.filter(|own| own.outcome == Outcome::NotJudged)
        });
        match unfinished {
            Some(unfinished) => Some(unfinished.clone()),
            None => self.verdict(Some(device), sources),
        }
    }

    fn verdict(&self, device: Option<&str>, sources: &Sources) -> Option<Answer> {
        let verdict = self.driver.load(sources, self.file, self.options(device))?;
        let decisive = verdict.decisive.and_then(|at| verdict.findings.get(at));
        // Without a problem, the first remark: that the device is a compatible one.
        let first = decisive.or_else(|| {
            let mut remarks = verdict.findings.iter();
            remarks.find(|found| found.rule == COMPATIBLE)
        });
        let difference = verdict.difference();
        Some(Answer {
            outcome: verdict.outcome,
            opencl: verdict.opencl.outcome,
            images: Vec::new(),
            why: match (difference, first, &verdict.matching) {
                (Some(difference), ..) => difference,
                (None, Some(found), _) => found.message.clone(),
                (None, None, Some(matching)) => matching.rule.to_string(),
                (None, None, None) => String::new(),
            },
            span: first.map(|found| found.span),
        })
    }

    fn chosen(&self, images: &Images, device: &str, sources: &Sources) -> Option<Answer> {
        let choice = self
            .driver
            .choose(sources, images, self.options(Some(device)))?;
        let chosen = || choice.chosen().filter_map(|at| images.list.get(at));
        // The reason of the first chosen image, or of the first image if none is chosen. If not all
        // chosen images load, the first one need not be the reason: then all different reasons.
        let first = choice.chosen().next().unwrap_or(0);
        let mut reasons: Vec<&str> = Vec::new();
        for at in std::iter::once(first).chain(choice.chosen().skip(1)) {
            let Some(pick) = choice.picks.get(at) else {
                break;
            };
            if !reasons.contains(&&*pick.why) {
                reasons.push(&pick.why);
            }
            if reasons.len() == REASONS_MAX || choice.outcome.loads() {
                break;
            }
        }
        Some(Answer {
            outcome: choice.outcome,
            opencl: choice.opencl,
            images: chosen().map(|image| image.name.clone()).collect(),
            why: reasons.join("; "),
            span: chosen().next().map(|image| image.span),
        })
    }
}

impl List for DeviceList {
    fn id(&self) -> ListId {
        ListId::Devices
    }

    fn count(&self) -> u32 {
        u32::try_from(self.devices.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        match (CELLS.get(column), self.devices.get(at)) {
            (Some(cell), Some(device)) => cell((self, device, at), sources),
            _ => Cell::empty(),
        }
    }

    /// All rows refer to the whole document.
    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        (row < self.count()).then_some(self.file)
    }

    /// No bytes belong to a device.
    fn rows_at(&self, _: Span, _: &Sources) -> Option<Range<u32>> {
        None
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        let device = self.devices.get(at);
        RowDetails {
            title: device.map_or_else(String::new, |device| device.name.to_string()),
            ..RowDetails::default()
        }
    }

    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        let at = usize::try_from(row).unwrap_or(usize::MAX);
        match COLUMNS.get(column).map(|column| column.id) {
            Some("verdict") => key(self.answer(at, sources).map(|answer| answer.outcome)),
            Some("opencl") => key(self.answer(at, sources).map(|answer| answer.opencl)),
            // The list is in numerical order.
            Some("configuration") if row < self.count() => Key::Ints([row.into(), 0, 0]),
            _ => self.cell(row, column, sources).value.into_key(),
        }
    }

    fn subject(&self) -> String {
        self.image.clone()
    }

    /// For a container, there are columns for its images.
    fn shows(&self, column: &Column) -> bool {
        column.presence.is_shown(self.images.is_some())
    }
}
