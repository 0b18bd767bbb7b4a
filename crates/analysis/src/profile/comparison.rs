//! Compares two profiles, on the code of a file or of two builds.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use serde::{Deserialize, Serialize};

use super::report::{CodeProfile, KernelProfile, ProfileReport};
use super::{add, base_name, total};
use zeview_core::model::{Span, sort};

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
    /// The instructions, in descending order of the change.
    pub instructions: Vec<InstructionChange>,
    /// Why there are no instructions.
    pub reason: Option<String>,
    /// The code, in the file or in the later build; `None` if it is not known which.
    pub code: Option<Span>,
}

/// The difference between the samples of an instruction, or of one that is in one build only.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct InstructionChange {
    /// Bytes from the first instruction of the kernel: before and after. `None` if the build does
    /// not have the instruction.
    pub offsets: [Option<u64>; 2],
    /// The text of the instruction.
    pub text: String,
    /// Number of samples.
    pub samples: [Vec<u64>; 2],
}

/// Finds the equal instructions of two builds of a kernel: their offsets in the earlier and in the
/// later code. Returns `None` if the codes cannot be compared.
pub type Aligner<'a> = &'a mut dyn FnMut(&CodeProfile, &CodeProfile) -> Option<Vec<(u64, u64)>>;

/// The kernels of two profiles with the same name.
type Pair<'a> = [Vec<&'a KernelProfile>; 2];

impl ProfileComparison {
    /// Compares two profiles on the same file.
    #[must_use]
    pub fn new(before: &ProfileReport, after: &ProfileReport) -> ProfileComparison {
        ProfileComparison::with([before, after], None)
    }

    /// Compares the profiles of two builds.
    #[must_use]
    pub fn of_builds(
        before: &ProfileReport,
        after: &ProfileReport,
        aligner: Aligner<'_>,
    ) -> ProfileComparison {
        ProfileComparison::with([before, after], Some(aligner))
    }

    fn with(both: [&ProfileReport; 2], mut aligner: Option<Aligner<'_>>) -> ProfileComparison {
        let [before, after] = both;
        let mut types = before.types.clone();
        let is_new = |name: &&String| !before.types.contains(name);
        types.extend(after.types.iter().filter(is_new).cloned());
        let counts = Counts {
            count: types.len(),
            positions: both.map(|report| positions(&report.types, &types)),
        };
        let mut kernels: BTreeMap<&str, Pair<'_>> = BTreeMap::new();
        for (side, report) in both.into_iter().enumerate() {
            for kernel in &report.kernels {
                let sides = kernels.entry(name_of(kernel)).or_default();
                if let Some(side) = sides.get_mut(side) {
                    side.push(kernel);
                }
            }
        }
        let changes = kernels.into_values().map(|pair| {
            let sum = |side: usize, kernels: &[&KernelProfile]| {
                let mut sum = vec![0; types.len()];
                for kernel in kernels {
                    add(&mut sum, &counts.of(side, &kernel.samples));
                }
                sum
            };
            let [before, after] = &pair;
            let first = after.first().or(before.first());
            let (instructions, reason) = match instructions(&pair, &counts, &mut aligner) {
                Ok(instructions) => (instructions, None),
                Err(reason) => (Vec::new(), Some(reason.to_owned())),
            };
            let code = same_code(after).and_then(|codes| codes.first()?.images.first());
            KernelChange {
                name: first
                    .map_or("", |kernel| base_name(&kernel.name))
                    .to_owned(),
                samples: [sum(0, before), sum(1, after)],
                instructions,
                reason,
                code: code.map(|image| image.code),
            }
        });
        let mut changes: Vec<KernelChange> = changes.collect();
        sort::by(&mut changes, |a, b| {
            change(&b.samples).cmp(&change(&a.samples))
        });
        ProfileComparison {
            samples: [counts.of(0, &before.samples), counts.of(1, &after.samples)],
            kernels: changes,
            types,
        }
    }
}

/// Brings counts of two profiles into one order of stall types.
struct Counts {
    count: usize,
    positions: [Vec<usize>; 2],
}

impl Counts {
    /// Returns counts of a profile in the order of the types of both.
    fn of(&self, side: usize, counts: &[u64]) -> Vec<u64> {
        let mut all = vec![0; self.count];
        let positions = self.positions.get(side).map_or(&[][..], Vec::as_slice);
        for (count, at) in counts.iter().zip(positions) {
            if let Some(to) = all.get_mut(*at) {
                *to = *count;
            }
        }
        all
    }
}

/// Returns the name of a kernel in the file: the profiles may have demangled names.
fn name_of(kernel: &KernelProfile) -> &str {
    let image = kernel.codes.first().and_then(|code| code.images.first());
    image.map_or(base_name(&kernel.name), |image| &image.kernel)
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
    let images: BTreeSet<_> = sort::set(first.images.iter().map(|image| image.code));
    let is_same = |code: &&CodeProfile| code.images.iter().any(|i| images.contains(&i.code));
    codes.iter().all(is_same).then_some(codes)
}

/// Compares the instructions of a kernel. Otherwise returns the reason why not.
fn instructions(
    [before, after]: &Pair<'_>,
    counts: &Counts,
    aligner: &mut Option<Aligner<'_>>,
) -> Result<Vec<InstructionChange>, &'static str> {
    const SEVERAL: &str = "the samples are of several builds of the kernel";
    if before.is_empty() {
        return Err("the kernel is not in the earlier profile");
    }
    if after.is_empty() {
        return Err("the kernel is not in the later profile");
    }
    let (codes, later) = (same_code(before), same_code(after));
    let (codes, later) = (codes.ok_or(SEVERAL)?, later.ok_or(SEVERAL)?);
    // Offsets in the earlier code to offsets of the same instructions in the later code.
    let pairs: Option<HashMap<u64, u64>> = match (aligner, codes.first(), later.first()) {
        (Some(aligner), Some(before), Some(after)) => {
            let pairs =
                aligner(before, after).ok_or("the code of the builds cannot be compared")?;
            Some(pairs.into_iter().collect())
        }
        _ => {
            let all: Vec<&KernelProfile> = before.iter().chain(after).copied().collect();
            same_code(&all).ok_or("the profiles are of different builds of the kernel")?;
            None
        }
    };
    let mut changes: BTreeMap<[Option<u64>; 2], InstructionChange> = BTreeMap::new();
    let back: HashMap<u64, u64> = pairs.iter().flatten().map(|(a, b)| (*b, *a)).collect();
    for (side, codes) in [codes, later].into_iter().enumerate() {
        for at in codes.into_iter().flat_map(|code| &code.instructions) {
            let offset = Some(at.offset);
            let offsets = match (&pairs, side) {
                (None, _) => [offset, offset],
                (Some(pairs), 0) => [offset, pairs.get(&at.offset).copied()],
                (Some(_), _) => [back.get(&at.offset).copied(), offset],
            };
            let samples = counts.of(side, &at.counts);
            let entry = changes.entry(offsets).or_insert_with(|| InstructionChange {
                offsets,
                text: at.text.clone(),
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
    Ok(changes)
}
