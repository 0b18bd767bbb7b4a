//! The two upper levels of groups, for a treemap.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use super::rows::GroupKey;
use super::{Part, SizeFilter, SizeKey, Sizes};
use zeview_core::model::{Span, sort};

/// Maximum number of groups in a map.
const GROUPS: usize = 40;
/// Maximum number of cells of a group.
const CELLS: usize = 24;

/// The largest groups of a list of sizes, and the largest groups in each. The rest is a group
/// without a name, so that the sizes add up.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct SizeMap {
    /// What the groups are grouped by.
    pub by: Option<SizeKey>,
    /// What the cells are grouped by.
    pub then: Option<SizeKey>,
    /// Number of stored bytes.
    pub stored: u64,
    /// The stored bytes by kind, in the order of [`Part::ALL`].
    pub parts: [u64; Part::COUNT],
    /// The groups, in descending order of their sizes.
    pub groups: Vec<MapGroup>,
}

/// A group of a map.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct MapGroup {
    /// The [name](super::SizeRow::name); empty for the rest.
    pub name: String,
    /// The name for display.
    pub title: String,
    /// Number of stored bytes.
    pub stored: u64,
    /// The longest sequence of its bytes.
    pub entry: Option<Span>,
    /// For the rest: the number of groups in it.
    pub others: u64,
    /// The groups in it, in descending order of their sizes.
    pub cells: Vec<MapCell>,
}

/// A group in a group of a map.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MapCell {
    /// The name for display.
    pub title: String,
    /// Number of stored bytes.
    pub stored: u64,
    /// The kind that has most of them.
    pub part: Part,
}

type Parts = [u64; Part::COUNT];

fn sum(parts: &Parts) -> u64 {
    parts.iter().sum()
}

fn largest(parts: &Parts) -> Part {
    let parts = Part::ALL.into_iter().zip(parts).rev();
    let largest = parts.max_by_key(|(_, size)| **size);
    largest.map_or(Part::NotRead, |(part, _)| part)
}

fn add(all: &mut Parts, parts: &Parts) {
    for (sum, part) in all.iter_mut().zip(parts) {
        *sum = sum.saturating_add(*part);
    }
}

impl Sizes {
    /// Returns the map of the groups of the pieces that satisfy all conditions.
    pub fn map(&self, by: SizeKey, within: &[SizeFilter]) -> SizeMap {
        let then = match by {
            // Each group is of one kind only.
            SizeKey::Kernel => SizeKey::Section,
            by => by.next(),
        };
        let mut groups: HashMap<GroupKey<'_>, HashMap<GroupKey<'_>, Parts>> = HashMap::default();
        let mut all = [0; Part::COUNT];
        let mut longest: HashMap<GroupKey<'_>, (u64, Span)> = HashMap::default();
        for piece in self.within(within) {
            let mut parts = [0; Part::COUNT];
            if let Some(part) = parts.get_mut(piece.key.part.index()) {
                *part = piece.stored;
            }
            add(&mut all, &parts);
            let key = self.group(by, piece);
            let first = longest.entry(key.clone()).or_default();
            if piece.longest >= first.0 {
                *first = (piece.longest, piece.first);
            }
            let group = groups.entry(key).or_default();
            let cell = group.entry(self.group(then, piece));
            add(cell.or_insert([0; Part::COUNT]), &parts);
        }
        let sized = groups.into_iter().map(|(key, cells)| {
            let stored: u64 = cells.values().map(sum).sum();
            (stored, self.name_of(&key), key, cells)
        });
        let mut sized: Vec<_> = sized.filter(|(stored, ..)| *stored > 0).collect();
        sort::by(&mut sized, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let rest = sized.split_off(sized.len().min(GROUPS));
        let groups = sized
            .into_iter()
            .map(|(stored, name, key, cells)| MapGroup {
                title: self.title_of(by, &key),
                name,
                stored,
                entry: longest.get(&key).map(|(_, span)| *span),
                others: 0,
                cells: self.cells(then, cells),
            });
        let mut groups: Vec<MapGroup> = groups.collect();
        if !rest.is_empty() {
            let mut parts = [0; Part::COUNT];
            for cells in rest.iter().map(|(_, _, _, cells)| cells) {
                cells.values().for_each(|cell| add(&mut parts, cell));
            }
            let stored = sum(&parts);
            groups.push(MapGroup {
                stored,
                others: rest.len() as u64,
                cells: vec![MapCell {
                    title: String::new(),
                    stored,
                    part: largest(&parts),
                }],
                ..MapGroup::default()
            });
        }
        SizeMap {
            by: Some(by),
            then: Some(then),
            stored: sum(&all),
            parts: all,
            groups,
        }
    }

    /// Returns the largest cells of a group, and the rest as one.
    fn cells(&self, by: SizeKey, cells: HashMap<GroupKey<'_>, Parts>) -> Vec<MapCell> {
        let sized = cells
            .into_iter()
            .map(|(key, parts)| (sum(&parts), self.name_of(&key), key, parts));
        let mut sized: Vec<_> = sized.filter(|(stored, ..)| *stored > 0).collect();
        sort::by(&mut sized, |a, b| b.0.cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
        let rest = sized.split_off(sized.len().min(CELLS));
        let cells = sized.into_iter().map(|(stored, _, key, parts)| MapCell {
            title: self.title_of(by, &key),
            stored,
            part: largest(&parts),
        });
        let mut cells: Vec<MapCell> = cells.collect();
        if !rest.is_empty() {
            let mut parts = [0; Part::COUNT];
            rest.iter().for_each(|(.., other)| add(&mut parts, other));
            cells.push(MapCell {
                title: format!("{} others", rest.len()),
                stored: sum(&parts),
                part: largest(&parts),
            });
        }
        cells
    }
}
