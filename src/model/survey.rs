//! What a container holds for which devices, in a few rows.
//!
//! Made of the images that are read so far
//! ([`KernelReading::survey`](super::list::kernel_reading::KernelReading::survey)).

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use super::kernels::{HazardKind, KernelRow};
use super::sort;
use super::value::Str;

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

/// The kernels of a document in the container.
pub(super) struct Surveyed<'a> {
    pub(super) device: &'a Str,
    pub(super) is_native: bool,
    pub(super) image: &'a str,
    /// Its size.
    pub(super) bytes: u64,
    pub(super) rows: &'a [KernelRow],
    /// SPIR-V of the same kernels is beside it.
    pub(super) has_spirv: bool,
    /// A document before has the same bytes.
    pub(super) is_copy: bool,
}

/// A survey that is being made.
#[derive(Default)]
pub(super) struct Surveying<'a> {
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

impl<'a> Surveying<'a> {
    /// Begins a survey.
    pub(super) fn new(progress: Progress) -> Surveying<'a> {
        Surveying {
            progress,
            ..Surveying::default()
        }
    }

    /// Counts the kernels of a document.
    pub(super) fn add(&mut self, part: Surveyed<'a>) {
        let kernels = part.rows.iter();
        let kernels = kernels.filter(|row| !row.is_function && !row.is_placeholder());
        let target = match part.is_native {
            true => self.devices.entry(part.device).or_default(),
            false => &mut self.spirv,
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
    pub(super) fn finish(self) -> Survey {
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
