//! Compares two profiles on the code of a file.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};

use super::report::{CodeProfile, InstructionSamples, KernelProfile, ProfileReport};
use super::{add, base_name, total};
use crate::model::sort;

/// The difference between two profiles. Each pair of counts is before and after, by stall type in
/// the order of [`types`](ProfileComparison::types).
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ProfileComparison {
    /// The stall types of both profiles.
    pub types: Vec<String>,
    /// Number of samples of all kernels.
    pub samples: [Vec<u64>; 2],
    /// The kernels that are matched in one of the profiles, in descending order of the change.
    pub kernels: Vec<KernelChange>,
}

/// The difference between the samples of a kernel, of all devices.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelChange {
    /// The name of the kernel in the profiles, without sizes.
    pub name: String,
    /// Number of samples.
    pub samples: [Vec<u64>; 2],
    /// The instructions, in descending order of the change. Empty if the samples of the two profiles
    /// are of different code, or it is not known of which.
    pub instructions: Vec<InstructionChange>,
}

/// The difference between the samples of an instruction.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionChange {
    /// Bytes from the first instruction of the kernel.
    pub offset: u64,
    /// The text of the instruction.
    pub text: String,
    /// Number of samples.
    pub samples: [Vec<u64>; 2],
}

impl ProfileComparison {
    /// Compares two profiles on the same file.
    #[must_use]
    pub fn new(before: &ProfileReport, after: &ProfileReport) -> ProfileComparison {
        let mut types = before.types.clone();
        let is_new = |name: &&String| !before.types.contains(name);
        types.extend(after.types.iter().filter(is_new).cloned());
        let both = [before, after];
        let mut kernels: BTreeMap<&str, [Vec<&KernelProfile>; 2]> = BTreeMap::new();
        for (side, report) in both.into_iter().enumerate() {
            for kernel in &report.kernels {
                let sides = kernels.entry(base_name(&kernel.name)).or_default();
                if let Some(side) = sides.get_mut(side) {
                    side.push(kernel);
                }
            }
        }
        let to_types = both.map(|report| positions(&report.types, &types));
        let counts = |side: usize, counts: &[u64]| {
            let mut all = vec![0; types.len()];
            let positions = to_types.get(side).map_or(&[][..], Vec::as_slice);
            for (count, at) in counts.iter().zip(positions) {
                if let Some(to) = all.get_mut(*at) {
                    *to = *count;
                }
            }
            all
        };
        let [of_before, of_after] = [counts(0, &before.samples), counts(1, &after.samples)];
        let changes = kernels.into_iter().map(|(name, [before, after])| {
            let sum = |side: usize, kernels: &[&KernelProfile]| {
                let mut sum = vec![0; types.len()];
                for kernel in kernels {
                    add(&mut sum, &counts(side, &kernel.samples));
                }
                sum
            };
            KernelChange {
                name: name.to_owned(),
                samples: [sum(0, &before), sum(1, &after)],
                instructions: instructions(&before, &after, &counts),
            }
        });
        let mut changes: Vec<KernelChange> = changes.collect();
        sort::by(&mut changes, |a, b| {
            change(&b.samples).cmp(&change(&a.samples))
        });
        ProfileComparison {
            samples: [of_before, of_after],
            kernels: changes,
            types,
        }
    }
}

/// Returns the change of the number of samples.
fn change([before, after]: &[Vec<u64>; 2]) -> u64 {
    total(before).abs_diff(total(after))
}

fn positions(types: &[String], all: &[String]) -> Vec<usize> {
    let position = |name: &String| all.iter().position(|known| known == name);
    types
        .iter()
        .map(|name| position(name).unwrap_or(usize::MAX))
        .collect()
}

/// Returns the code of each kernel, if it is the same for all.
fn same_code<'a>(kernels: &[&'a KernelProfile]) -> Option<Vec<&'a CodeProfile>> {
    let codes: Option<Vec<&CodeProfile>> = kernels.iter().map(|kernel| kernel.code()).collect();
    let codes = codes?;
    let first = codes.first()?;
    let images: BTreeSet<_> = first.images.iter().map(|image| image.code).collect();
    let is_same = |code: &&CodeProfile| code.images.iter().any(|i| images.contains(&i.code));
    codes.iter().all(is_same).then_some(codes)
}

fn instructions(
    before: &[&KernelProfile],
    after: &[&KernelProfile],
    counts: &dyn Fn(usize, &[u64]) -> Vec<u64>,
) -> Vec<InstructionChange> {
    let all: Vec<&KernelProfile> = before.iter().chain(after).copied().collect();
    if before.is_empty() || after.is_empty() || same_code(&all).is_none() {
        return Vec::new();
    }
    let mut changes: BTreeMap<u64, InstructionChange> = BTreeMap::new();
    for (side, kernels) in [before, after].into_iter().enumerate() {
        let of_code = |code: &CodeProfile| code.instructions.clone();
        let found = kernels
            .iter()
            .filter_map(|kernel| kernel.code().map(of_code));
        for InstructionSamples {
            offset,
            counts: samples,
            text,
            ..
        } in found.flatten()
        {
            let samples = counts(side, &samples);
            let entry = changes.entry(offset).or_insert_with(|| InstructionChange {
                offset,
                text,
                samples: [vec![0; samples.len()], vec![0; samples.len()]],
            });
            if let Some(sum) = entry.samples.get_mut(side) {
                add(sum, &samples);
            }
        }
    }
    let mut changes: Vec<InstructionChange> = changes.into_values().collect();
    sort::by(&mut changes, |a, b| {
        change(&b.samples).cmp(&change(&a.samples))
    });
    changes
}
