//! The kernels to look at first: one of each kind of finding and each family.

use foldhash::{HashMap, HashSet};

use crate::tables::{Key, List};
use zeview_core::analysis::kernels::HazardKind;
use zeview_core::model::{Sources, sort};

/// A kernel to look at, for others of its family with the same kind of finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WorstKernel {
    /// Its row.
    pub row: u32,
    /// Number of other kernels of the family with that finding.
    pub others: u64,
}

/// The kernels with the same finding and family.
struct Group {
    kind: i128,
    first: u32,
    names: HashSet<String>,
}

/// Returns the kernels with the worst findings: the worst one of each kind of finding, then of each
/// family (instances of one template), at most `count`, the worst first. Kernels whose only finding
/// is a large register file or a call stack are not among them.
pub fn worst_kernels(list: &dyn List, sources: &Sources, count: usize) -> Vec<WorstKernel> {
    let columns = list.id().columns();
    let place = |id: &str| columns.iter().position(|column| column.id == id);
    let (Some(hazards), Some(family)) = (place("hazards"), place("family")) else {
        return Vec::new();
    };
    let mut rows: Vec<([i128; 3], u32)> = Vec::new();
    for row in 0..list.primary() {
        if let Key::Ints(key) = list.key(row, hazards, sources)
            && key.first().is_some_and(|kind| *kind > LEAST)
        {
            rows.push((key, row));
        }
    }
    // Equal ones stay in the order of the list.
    sort::by(&mut rows, |(a, _), (b, _)| b.cmp(a));
    let mut groups: Vec<Group> = Vec::new();
    let mut places: HashMap<(i128, String), usize> = HashMap::default();
    for ([kind, ..], row) in rows {
        let title = list.cell(row, 0, sources).value.title().into_owned();
        let next = groups.len();
        let place = *places
            .entry((
                kind,
                list.cell(row, family, sources).value.text().into_owned(),
            ))
            .or_insert(next);
        if place == next {
            groups.push(Group {
                kind,
                first: row,
                names: HashSet::default(),
            });
        }
        if let Some(group) = groups.get_mut(place) {
            group.names.insert(title);
        }
    }
    let mut kinds = HashSet::default();
    let (mut chosen, rest): (Vec<usize>, Vec<usize>) =
        (0..groups.len()).partition(|at| groups.get(*at).is_some_and(|of| kinds.insert(of.kind)));
    chosen.extend(rest);
    chosen.truncate(count);
    sort::ascending(&mut chosen);
    let chosen = chosen.into_iter().filter_map(|at| groups.get(at));
    chosen
        .map(|group| WorstKernel {
            row: group.first,
            others: (group.names.len() as u64).saturating_sub(1),
        })
        .collect()
}

/// The sort key of the severest hazard that is no finding of its own.
const LEAST: i128 = HazardKind::LargeGrf as i128 + 1;
