//! The images of a container: what they are, what the driver does with each, and which of them run
//! on a device.

use std::cell::OnceCell;
use std::ops::Range;
use std::rc::Rc;

use super::{About, Cell, Key, List, ListId, columns};
use crate::model::document::{Document, Tone};
use crate::model::images::{Choice, Image, Images};
use crate::model::node::NodeId;
use crate::model::source::Sources;
use crate::model::span::Span;
use crate::model::verdict::{DriverModel, Outcome, Verdict};

type At<'a> = (&'a ImageList, usize, &'a Image);

columns! {
    /// The columns.
    pub COLUMNS
    "image" Text Default 20 "Image" "" "The name of the image in the container."
        |(_, _, image), _| Cell::text(&*image.name).at(Some(image.span));
    "kind" Text Optional 12 "Kind" "" "The format of the image."
        |(_, _, image), _| Cell::text(&*image.title);
    "device" Text Default 10 "Device" "" "The device that the image is for."
        |(_, _, image), _| Cell::text(image.device());
    "target" Text Optional 26 "Target" "" "The device, with its product configuration and release."
        |(_, _, image), _| Cell::text(image.target.as_deref().unwrap_or_default());
    "size" Number Default 0 "Size" "B" "The size of the image in bytes."
        |(_, _, image), _| Cell::count(image.span.len());
    "verdict" Text Default 23 "Verdict" "" "What the driver does with the image on its target device."
        |(list, at, _), sources| match list.verdict(at, sources) {
            Some(verdict) => outcome(verdict.outcome),
            None => Cell::empty(),
        };
    "chosen" Bool Several 6 "Chosen" "" "Whether the image runs on the selected device."
        |(list, at, _), _| match list.pick(at) {
            Some(pick) if pick.is_chosen => Cell::new(super::CellValue::Bool(true)),
            Some(_) => Cell::new(super::CellValue::Bool(false)),
            None => Cell::empty(),
        };
    "reason" Text Several 30 "Reason" "" "Why the image is chosen for the selected device, or is not."
        |(list, at, _), _| Cell::text(list.pick(at).map_or("", |pick| &pick.why));
    "offset" Number Optional 0 "Offset" "" "The offset of the image in the file, or in what it is unpacked from."
        |(_, _, image), _| Cell::new(super::CellValue::Hex(image.span.start));
    "path" Text Optional 24 "Path" "" "The path of the image, for the command line."
        |(_, _, image), _| Cell::text(&*image.path);
}

/// An outcome in words, marked by how good it is.
pub(super) fn outcome(outcome: Outcome) -> Cell<'static> {
    let cell = Cell::text(outcome.words());
    let (tone, sign) = match outcome {
        Outcome::Loads => (Tone::Good, "✓"),
        Outcome::LoadsWithWarnings | Outcome::NeedsLinking | Outcome::Recompiled => {
            (Tone::Warning, "▲")
        }
        Outcome::Refused | Outcome::LinkFailure | Outcome::MayCrash => (Tone::Bad, "✕"),
        Outcome::NotJudged => return cell,
    };
    cell.mark(tone, sign, outcome.words())
}

struct ImageList {
    images: Images,
    driver: Option<&'static dyn DriverModel>,
    /// The verdict of each image on its own device: made when a cell asks.
    verdicts: Vec<OnceCell<Option<Verdict>>>,
    choice: Option<Choice>,
}

impl Document {
    /// The images of a container; with a device, which of them run on it.
    pub(super) fn image_list(&mut self, id: NodeId, device: Option<&str>) -> Option<Rc<dyn List>> {
        if !self.has_images(id) {
            return None;
        }
        let images = self.images(id);
        Some(Rc::new(ImageList {
            choice: device.and_then(|device| self.choice(&images, device)),
            driver: self.driver,
            verdicts: images.list.iter().map(|_| OnceCell::new()).collect(),
            images,
        }))
    }
}

impl ImageList {
    fn image(&self, row: u32) -> Option<(usize, &Image)> {
        let at = usize::try_from(row).ok()?;
        Some((at, self.images.list.get(at)?))
    }

    fn verdict(&self, at: usize, sources: &Sources) -> Option<&Verdict> {
        let made = self.verdicts.get(at)?.get_or_init(|| {
            let image = self.images.list.get(at).filter(|image| image.is_loadable)?;
            self.driver?.load(sources, image.span, None)
        });
        made.as_ref()
    }

    fn pick(&self, at: usize) -> Option<&crate::model::images::Pick> {
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

    fn rows_at(&self, span: Span, _: &Sources) -> Option<Range<u32>> {
        let mut images = self.images.list.iter();
        let row = images.position(|image| image.span.contains(span))?;
        let row = u32::try_from(row).ok()?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> About {
        About {
            title: self
                .image(row)
                .map_or_else(String::new, |(_, image)| image.name.clone()),
            ..About::default()
        }
    }

    /// The best first, as the outcomes are ordered.
    fn key<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Key<'a> {
        let is_verdict = COLUMNS.get(column).is_some_and(|c| c.id == "verdict");
        let place = usize::try_from(row).unwrap_or(usize::MAX);
        match is_verdict {
            true => key(self.verdict(place, sources).map(|verdict| verdict.outcome)),
            false => self.cell(row, column, sources).value.into_key(),
        }
    }

    /// With a device there are columns for it.
    fn is_of_several(&self) -> bool {
        self.choice.is_some()
    }

    fn notes(&self) -> Vec<String> {
        match self.images.left_out {
            0 => Vec::new(),
            count => vec![format!("{count} more are not listed")],
        }
    }
}

/// The key of an outcome: the best first, and what has none before it.
pub(super) fn key(outcome: Option<Outcome>) -> Key<'static> {
    match outcome {
        Some(outcome) => Key::Ints([outcome as i128, 0, 0]),
        None => Key::Empty,
    }
}
