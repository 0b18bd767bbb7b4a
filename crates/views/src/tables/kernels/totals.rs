//! Totals of the kernels with an equal value: of each family, or of each file of a package.

use foldhash::{HashMap, HashSet};

use crate::tables::{CellValue, Key, List};
use serde::{Deserialize, Serialize};
use zeview_core::analysis::kernels::HazardKind;
use zeview_core::model::{Sources, Str, sort};

/// The kernels with an equal value in a column.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelTotals {
    /// The value.
    pub name: Str,
    /// Number of distinct kernel names.
    pub kernels: u64,
    /// Number of rows: builds of these kernels.
    pub builds: u64,
    /// Number of builds that are known to spill registers.
    pub spilling: u64,
    /// Number of builds of which it is not known: the file does not state their spill size.
    pub unknown: u64,
    /// The devices of the builds that spill, each once, in the order of the list.
    pub devices: Vec<Str>,
    /// Bytes of native code.
    pub code_size: u64,
}

/// Builder of [`KernelTotals`].
struct TotalsBuilder {
    totals: KernelTotals,
    /// The row with the worst finding; the first one if no kernel has a finding.
    worst: u32,
    /// The key of its findings.
    key: [i128; 3],
    names: HashSet<u64>,
}

/// Returns the totals by the values of a column, without secondary rows: those with the worst findings
/// first, then those with most code. Large register files and call stacks are no findings. Returns none
/// if there is no such column. Beside each, the row with its worst finding; the first one if no kernel has
/// a finding.
pub fn totals_by(list: &dyn List, column: &str, sources: &Sources) -> Vec<(KernelTotals, u32)> {
    let columns = list.id().columns();
    let place = |id: &str| columns.iter().position(|column| column.id == id);
    let places = ["hazards", "spill_size", "device", "code_size"].map(place);
    let (Some(of), [Some(hazards), Some(spill), Some(device), Some(code)]) =
        (place(column), places)
    else {
        return Vec::new();
    };
    let hasher = foldhash::fast::FixedState::default();
    let mut all: Vec<TotalsBuilder> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::default();
    for row in 0..list.primary() {
        let name = list.value(row, of, sources).text().into_owned();
        let next = all.len();
        let at = match known.get(&name) {
            Some(at) => *at,
            None => {
                all.push(TotalsBuilder::new(name.clone().into(), row));
                known.insert(name, next);
                next
            }
        };
        let Some(builder) = all.get_mut(at) else {
            continue;
        };
        let totals = &mut builder.totals;
        totals.builds += 1;
        let kernel = list.value(row, 0, sources);
        let kernel = std::hash::BuildHasher::hash_one(&hasher, kernel.text());
        builder.names.insert(kernel);
        match list.value(row, spill, sources) {
            CellValue::Unknown { .. } => totals.unknown += 1,
            value if value.number().is_some_and(|size| size > 0.0) => {
                totals.spilling += 1;
                let value = list.value(row, device, sources);
                let device = value.text();
                if !totals.devices.iter().any(|known| **known == *device) {
                    totals.devices.push(device.into_owned().into());
                }
            }
            _ => {}
        }
        if let CellValue::Count(size) = list.value(row, code, sources) {
            totals.code_size = totals.code_size.saturating_add(size);
        }
        if let Key::Ints(key) = list.key(row, hazards, sources)
            && key.first().is_some_and(|kind| *kind > LEAST)
            && key > builder.key
        {
            builder.key = key;
            builder.worst = row;
        }
    }
    // Equal ones stay in the order of the list.
    sort::by(&mut all, |a, b| {
        (b.key, b.totals.code_size).cmp(&(a.key, a.totals.code_size))
    });
    let totals = all.into_iter().map(|builder| {
        let kernels = builder.names.len() as u64;
        let totals = builder.totals;
        (KernelTotals { kernels, ..totals }, builder.worst)
    });
    totals.collect()
}

impl TotalsBuilder {
    fn new(name: Str, row: u32) -> TotalsBuilder {
        TotalsBuilder {
            totals: KernelTotals {
                name,
                kernels: 0,
                builds: 0,
                spilling: 0,
                unknown: 0,
                devices: Vec::new(),
                code_size: 0,
            },
            worst: row,
            key: [0; 3],
            names: HashSet::default(),
        }
    }
}

/// The sort key of the severest hazard that is no finding of its own.
const LEAST: i128 = HazardKind::LargeGrf as i128 + 1;
