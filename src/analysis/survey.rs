//! What a container holds for which devices, in a few rows.
//!
//! Made of the images that are read so far
//! ([`KernelReading::survey`](crate::tables::kernel_reading::KernelReading::survey)).

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::kernels::{HazardKind, KernelRow};
use crate::model::{Str, sort};

/// How far long work is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Progress {
    /// The number of things that are done.
    pub done: u64,
    /// The number of all.
    pub of: u64,
}

impl Progress {
    /// Is nothing left?
    pub fn is_over(self) -> bool {
        self.done >= self.of
    }
}

/// What a container holds.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Survey {
    /// The images that are read.
    pub progress: Progress,
    /// The devices with native code; those with the most kernels first.
    pub devices: Vec<DeviceSurvey>,
    /// What is compiled at run time.
    pub spirv: Option<DeviceSurvey>,
    /// The number of different names of kernels.
    pub kernels: u64,
    /// The number of kernels with native code: one for each device and image.
    pub builds: u64,
    /// The number of kernels that have no native code.
    pub only_spirv: u64,
    /// Device code that an earlier image has, too.
    pub copies: Copies,
}

/// What a container holds for one device.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct DeviceSurvey {
    /// The device; empty where the file names none.
    pub device: Str,
    /// The number of images.
    pub images: u64,
    /// The number of different names of kernels.
    pub kernels: u64,
    /// The size of the device code in bytes, after decompression, without copies.
    pub bytes: u64,
    /// The number of kernels that spill registers.
    pub spilling: u64,
    /// The number of kernels that use the large register file.
    pub large_grf: u64,
    /// The number of kernels that have SPIR-V, too: they run on other devices.
    pub with_spirv: u64,
}

/// Device code with the same bytes as other device code of the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Copies {
    /// The number of documents that are copies.
    pub documents: u64,
    /// Their size in bytes.
    pub bytes: u64,
    /// The number of kernels in them.
    pub kernels: u64,
}

/// The titles of the columns of a survey: a row has its device, its numbers, and its fallback.
pub const TITLES: [&str; 7] = [
    "Device",
    "Images",
    "Kernels",
    "Spilling",
    "Large GRF",
    "Size",
    "SPIR-V, too",
];

/// A row of the table by device.
pub struct SurveyRow<'a> {
    /// The device, with what there is for it.
    pub of: &'a DeviceSurvey,
    /// The code is native; if not, the driver compiles it at run time.
    pub is_native: bool,
    /// The number of kernels that have no native code.
    only_spirv: u64,
}

/// Writes a number with its noun, in the singular and in the plural.
pub type CountFormatter<'a> = &'a dyn Fn(u64, &str, &str) -> String;

impl SurveyRow<'_> {
    /// The device, in words.
    pub fn device(&self) -> &str {
        match self.is_native {
            false => "any other, at run time",
            true if self.of.device.is_empty() => "not named",
            true => &self.of.device,
        }
    }

    /// The numbers of images, of kernels, of kernels that spill, and of kernels with the large
    /// register file.
    pub fn numbers(&self) -> [u64; 4] {
        let of = self.of;
        [of.images, of.kernels, of.spilling, of.large_grf]
    }

    /// The kernels that also run on other devices; of SPIR-V those that have no native code.
    pub fn fallback(&self, counted: CountFormatter<'_>) -> String {
        match (self.is_native, self.of.with_spirv, self.only_spirv) {
            (true, 0, _) => "none".to_owned(),
            (true, count, _) if count == self.of.kernels => "all kernels".to_owned(),
            (true, count, _) => counted(count, "kernel", "kernels"),
            (false, _, 0) => String::new(),
            (false, _, only) => format!("{} only so", counted(only, "kernel", "kernels")),
        }
    }
}

impl Survey {
    /// The rows of the table by device: those with native code, then SPIR-V.
    pub fn rows(&self) -> impl Iterator<Item = SurveyRow<'_>> {
        let devices = self.devices.iter().map(|of| (of, true));
        let spirv = self.spirv.iter().map(|of| (of, false));
        devices.chain(spirv).map(|(of, is_native)| SurveyRow {
            of,
            is_native,
            only_spirv: self.only_spirv,
        })
    }

    /// Says that there is no native code, once all images are read. Returns `None` if there is some.
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

    /// Says which device code is in the file more than once. Returns `None` if there is none.
    pub fn more_than_once(&self, counted: CountFormatter<'_>) -> Option<String> {
        let copies = &self.copies;
        (copies.documents > 0).then(|| {
            format!(
                "In the file more than once: {} with {} ({}) have the same bytes as others for the same device.",
                counted(copies.documents, "zebin", "zebins"),
                counted(copies.kernels, "kernel", "kernels"),
                counted(copies.bytes, "byte", "bytes")
            )
        })
    }
}

/// The kernels of a document in the container.
pub(crate) struct SurveyedImage<'a> {
    pub(crate) device: &'a Str,
    pub(crate) is_native: bool,
    pub(crate) image: &'a str,
    /// Its size.
    pub(crate) bytes: u64,
    pub(crate) rows: &'a [KernelRow],
    /// SPIR-V of the same kernels is beside it.
    pub(crate) has_spirv: bool,
    /// A document before has the same bytes.
    pub(crate) is_copy: bool,
}

/// A survey that is being made.
#[derive(Default)]
pub(crate) struct SurveyBuilder<'a> {
    progress: Progress,
    devices: BTreeMap<&'a str, Target<'a>>,
    spirv: Target<'a>,
    builds: u64,
    copies: Copies,
}

/// What there is for one device.
#[derive(Default)]
struct Target<'a> {
    counted: DeviceSurvey,
    images: HashSet<&'a str>,
    /// The names of the kernels, and whether they have SPIR-V, too.
    names: HashMap<&'a str, bool>,
}

impl<'a> SurveyBuilder<'a> {
    /// Begins a survey.
    pub(crate) fn new(progress: Progress) -> SurveyBuilder<'a> {
        SurveyBuilder {
            progress,
            ..SurveyBuilder::default()
        }
    }

    /// Counts the kernels of a document.
    pub(crate) fn add(&mut self, part: SurveyedImage<'a>) {
        let kernels = part.rows.iter();
        let kernels = kernels.filter(|row| !row.is_function && !row.is_placeholder());
        let target = if part.is_native {
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
        let found = &mut target.counted;
        found.bytes += part.bytes;
        for row in kernels {
            *target.names.entry(&row.name.value).or_default() |= part.has_spirv;
            self.builds += u64::from(part.is_native);
            let has = |kind: HazardKind| row.hazards.iter().any(|hazard| hazard.kind == kind);
            found.spilling += u64::from(row.spill_size.value > 0);
            found.large_grf += u64::from(has(HazardKind::LargeGrf));
        }
    }

    /// Ends the survey.
    pub(crate) fn finish(self) -> Survey {
        let mut native: HashSet<&str> = HashSet::new();
        let mut devices = Vec::new();
        let spirv = self.spirv;
        for (device, target) in self.devices {
            native.extend(target.names.keys());
            let names = target.names.iter();
            let with_spirv =
                names.filter(|(name, is_beside)| **is_beside || spirv.names.contains_key(*name));
            devices.push(DeviceSurvey {
                device: device.to_owned().into(),
                images: target.images.len() as u64,
                kernels: target.names.len() as u64,
                with_spirv: with_spirv.count() as u64,
                ..target.counted
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
                ..spirv.counted
            }),
            kernels: native.len() as u64 + only_spirv,
            builds: self.builds,
            only_spirv,
            copies: self.copies,
        }
    }
}
