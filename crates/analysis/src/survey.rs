//! A summary of a container by device.
//!
//! Computed from the images read so far
//! (`KernelReading::survey`).

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use zeview_core::analysis::kernels::{HazardKind, KernelRow};
use zeview_core::model::{Str, sort};

/// Progress of long work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// Number of items done.
    pub done: u64,
    /// Total number of items.
    pub of: u64,
}

impl Progress {
    /// Whether everything is done.
    pub fn is_over(self) -> bool {
        self.done >= self.of
    }
}

/// The contents of a container, by device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Survey {
    /// The number of images read so far.
    pub progress: Progress,
    /// The devices with native code, in descending order of kernels.
    pub devices: Vec<DeviceSurvey>,
    /// The code that is compiled at run time.
    pub spirv: Option<DeviceSurvey>,
    /// Number of distinct kernel names.
    pub kernels: u64,
    /// Number of kernels with native code, counted once per device and image.
    pub builds: u64,
    /// Number of kernels without native code.
    pub only_spirv: u64,
    /// Device code that repeats an earlier image.
    pub copies: Copies,
}

/// The contents of a container for one device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceSurvey {
    /// The device; empty if the file does not name it.
    pub device: Str,
    /// Number of images.
    pub images: u64,
    /// Number of distinct kernel names.
    pub kernels: u64,
    /// Size of the device code in bytes, after decompression, without copies.
    pub bytes: u64,
    /// Number of kernels that spill registers.
    pub spilling: u64,
    /// Number of kernels of which it is unknown whether they spill registers.
    pub spills_unknown: u64,
    /// Number of kernels that use the large register file.
    pub large_grf: u64,
    /// Number of kernels that also have SPIR-V, so that they run on other devices.
    pub with_spirv: u64,
}

/// Device code that is identical to other device code of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Copies {
    /// Number of documents that are copies.
    pub documents: u64,
    /// Their total size in bytes.
    pub bytes: u64,
    /// Number of kernels in them.
    pub kernels: u64,
}

/// The column titles of a survey: the device, its numbers, and its fallback.
pub const TITLES: [&str; 7] = [
    "Device",
    "Images",
    "Kernels",
    "Spilling",
    "Large GRF",
    "Size",
    "SPIR-V, too",
];

/// The text of a count of 0.
pub const NO_COUNT: &str = "–";

/// A count of things in a container, which may be read in part only.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Count {
    /// All images were read.
    Known(u64),
    /// A lower bound: the count in the images that were read.
    SoFar(u64),
    /// None in the images that were read; the others may have some.
    Unknown,
}

impl Count {
    /// Returns the count for a number in the images that were read.
    #[must_use]
    pub fn new(count: u64, progress: Progress) -> Count {
        match (progress.is_over(), count) {
            (true, count) => Count::Known(count),
            (false, 0) => Count::Unknown,
            (false, count) => Count::SoFar(count),
        }
    }

    /// Formats the count: `1 203`, `≥ 1 203`, `…`.
    #[must_use]
    pub fn text(self, number: &dyn Fn(u64) -> String) -> String {
        match self {
            Count::Known(count) => number(count),
            Count::SoFar(count) => format!("≥ {}", number(count)),
            Count::Unknown => "…".to_owned(),
        }
    }

    /// Returns the number in the images that were read.
    #[must_use]
    pub fn so_far(self) -> u64 {
        match self {
            Count::Known(count) | Count::SoFar(count) => count,
            Count::Unknown => 0,
        }
    }
}

/// A row of the table by device.
pub struct SurveyRow<'a> {
    /// The device and its totals.
    pub of: &'a DeviceSurvey,
    /// Whether the code is native; otherwise the driver compiles it at run time.
    pub is_native: bool,
    /// Number of kernels without native code.
    only_spirv: u64,
    progress: Progress,
}

/// Formats a number with its noun, in the singular or plural.
pub type CountFormatter<'a> = &'a dyn Fn(u64, &str, &str) -> String;

impl SurveyRow<'_> {
    /// Returns the device for display.
    pub fn device(&self) -> &str {
        match self.is_native {
            false => "any other: recompiled",
            true if self.of.device.is_empty() => "not named",
            true => &self.of.device,
        }
    }

    /// Returns the numbers of images, kernels, kernels that spill, and kernels with the large
    /// register file.
    pub fn numbers(&self) -> [Count; 4] {
        let of = self.of;
        [of.images, of.kernels, of.spilling, of.large_grf]
            .map(|count| Count::new(count, self.progress))
    }

    /// Formats these numbers: `3 + 2 unknown` if it is unknown of kernels whether they spill.
    pub fn texts(&self, number: &dyn Fn(u64) -> String) -> [String; 4] {
        let [images, kernels, spilling, large_grf] = self.numbers().map(|count| match count {
            Count::Known(0) => NO_COUNT.to_owned(),
            count => count.text(number),
        });
        let unknown = || format!("{} unknown", number(self.of.spills_unknown));
        let spilling = match self.of.spills_unknown {
            0 => spilling,
            _ if spilling == NO_COUNT => unknown(),
            _ => format!("{spilling} + {}", unknown()),
        };
        [images, kernels, spilling, large_grf]
    }

    /// Formats the size of the device code.
    pub fn size(&self, size: &dyn Fn(u64) -> String) -> String {
        Count::new(self.of.bytes, self.progress).text(size)
    }

    /// Formats the kernels that also run on other devices; for SPIR-V, those without native code.
    pub fn fallback(&self, counted: CountFormatter<'_>) -> String {
        let is_all = self.progress.is_over();
        match (self.is_native, self.of.with_spirv, self.only_spirv) {
            // The SPIR-V of a kernel may be in an image that was not read, and so may its native code.
            _ if !is_all => "not known yet".to_owned(),
            (true, 0, _) => "none".to_owned(),
            (true, count, _) if count == self.of.kernels => "all kernels".to_owned(),
            (true, count, _) => counted(count, "kernel", "kernels"),
            (false, _, 0) => String::new(),
            (false, _, only) => format!("{} only as SPIR-V", counted(only, "kernel", "kernels")),
        }
    }
}

impl Survey {
    /// Returns the rows of the table by device: native code, then SPIR-V.
    pub fn rows(&self) -> impl Iterator<Item = SurveyRow<'_>> {
        let devices = self.devices.iter().map(|of| (of, true));
        let spirv = self.spirv.iter().map(|of| (of, false));
        devices.chain(spirv).map(|(of, is_native)| SurveyRow {
            of,
            is_native,
            only_spirv: self.only_spirv,
            progress: self.progress,
        })
    }

    /// Returns a message if all images are read and none has native code.
    pub fn without_code(&self, counted: CountFormatter<'_>) -> Option<String> {
        if !self.devices.is_empty() || !self.progress.is_over() {
            return None;
        }
        let Some(spirv) = &self.spirv else {
            return Some("None of the images has kernels.".to_owned());
        };
        let of = match spirv.kernels {
            0 => counted(spirv.images, "image", "images"),
            kernels => counted(kernels, "kernel", "kernels"),
        };
        Some(format!(
            "None: the driver compiles the SPIR-V of {of} for the device at run time."
        ))
    }

    /// Returns a message about device code that is in the file more than once, if there is any.
    pub fn copies_message(&self, counted: CountFormatter<'_>) -> Option<String> {
        let copies = &self.copies;
        (copies.documents > 0).then(|| {
            format!(
                "{}n the file more than once: {} with {} ({}) have the same bytes as others for the same device.",
                if self.progress.is_over() { "I" } else { "So far, i" },
                counted(copies.documents, "zebin", "zebins"),
                counted(copies.kernels, "kernel", "kernels"),
                counted(copies.bytes, "byte", "bytes")
            )
        })
    }
}

/// The kernels of a nested document.
pub struct SurveyedImage<'a> {
    /// The name of the device that the image is for.
    pub device: &'a Str,
    /// Whether it has native code.
    pub is_native: bool,
    /// Whether it is code for other processors than Intel's GPUs, whose figures are unknown.
    pub is_foreign: bool,
    /// The file of a package, and the image in it.
    pub image: (&'a str, &'a str),
    /// Its size in bytes.
    pub bytes: u64,
    /// Its kernels.
    pub rows: &'a [KernelRow],
    /// For SPIR-V: the kernels that have native code beside it, which are not among the rows.
    pub also_native: &'a [String],
    /// Whether the same kernels also exist as SPIR-V.
    pub has_spirv: bool,
    /// Whether an earlier document has the same bytes.
    pub is_copy: bool,
}

/// Builds a [`Survey`].
#[derive(Default)]
pub struct SurveyBuilder<'a> {
    progress: Progress,
    devices: BTreeMap<&'a str, Target<'a>>,
    spirv: Target<'a>,
    builds: u64,
    copies: Copies,
}

/// The kernels for one device.
#[derive(Default)]
struct Target<'a> {
    totals: DeviceSurvey,
    images: HashSet<(&'a str, &'a str)>,
    /// The names of the kernels, and whether they also have SPIR-V.
    names: HashMap<&'a str, bool>,
}

impl<'a> SurveyBuilder<'a> {
    /// Creates an empty survey.
    pub fn new(progress: Progress) -> SurveyBuilder<'a> {
        SurveyBuilder {
            progress,
            ..SurveyBuilder::default()
        }
    }

    /// Adds the kernels of a document.
    pub fn add(&mut self, part: SurveyedImage<'a>) {
        let kernels = part.rows.iter();
        let kernels = kernels.filter(|row| row.is_kernel());
        let target = if part.is_native || part.is_foreign {
            self.devices.entry(part.device).or_default()
        } else {
            &mut self.spirv
        };
        target.images.insert(part.image);
        if part.is_copy {
            self.copies.documents += 1;
            self.copies.bytes += part.bytes;
            self.copies.kernels += kernels.count() as u64;
            return;
        }
        for name in part.also_native {
            target.names.entry(name).or_default();
        }
        let found = &mut target.totals;
        found.bytes += part.bytes;
        for row in kernels {
            *target.names.entry(&row.name.value).or_default() |= part.has_spirv;
            self.builds += u64::from(part.is_native);
            let has = |kind: HazardKind| row.hazards.iter().any(|hazard| hazard.kind == kind);
            found.spilling += u64::from(row.spill_size.is_positive());
            found.spills_unknown += u64::from(row.spill_size.figure.is_err());
            found.large_grf += u64::from(has(HazardKind::LargeGrf));
        }
    }

    /// Returns the survey.
    pub fn finish(self) -> Survey {
        let mut native: HashSet<&str> = HashSet::new();
        let mut devices = Vec::new();
        let spirv = self.spirv;
        for (device, target) in self.devices {
            native.extend(target.names.keys());
            let names = target.names.iter();
            let with_spirv =
                names.filter(|(name, has_spirv)| **has_spirv || spirv.names.contains_key(*name));
            devices.push(DeviceSurvey {
                device: device.to_owned().into(),
                images: target.images.len() as u64,
                kernels: target.names.len() as u64,
                with_spirv: with_spirv.count() as u64,
                ..target.totals
            });
        }
        let names = spirv.names.keys();
        let only_spirv = names.filter(|name| !native.contains(*name)).count() as u64;
        sort::by(&mut devices, |a, b| b.kernels.cmp(&a.kernels));
        Survey {
            progress: self.progress,
            devices,
            spirv: (!spirv.images.is_empty()).then_some(DeviceSurvey {
                images: spirv.images.len() as u64,
                kernels: spirv.names.len() as u64,
                ..spirv.totals
            }),
            kernels: native.len() as u64 + only_spirv,
            builds: self.builds,
            only_spirv,
            copies: self.copies,
        }
    }
}
