//! Groups of pieces, and what changed from another version.

use foldhash::HashMap;
use serde::{Deserialize, Serialize};

use super::{NameId, Owner, Part, Piece, SizeKey, Sizes};
use zeview_core::model::{Sources, Span, is_pattern, matches_pattern, sort};

/// The device name of intermediate code, which the driver compiles for any device.
const ANY_DEVICE: &str = "SPIR-V";

/// A condition on pieces: the group of a key that they are in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeFilter {
    /// The key.
    pub key: SizeKey,
    /// The [name](SizeRow::name) of the group.
    pub name: String,
}

/// A group of pieces.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SizeRow {
    /// The name of the group: of the device, the kernel as in the file … Bytes that have no such name
    /// are grouped by kind, in brackets: `[host]`.
    pub name: String,
    /// Whether the name is one of the file, not the name of a kind in brackets.
    pub is_named: bool,
    /// The demangled name of a kernel.
    pub demangled: Option<String>,
    /// The short name of a kernel.
    pub short: Option<String>,
    /// Number of bytes of the opened file.
    pub stored: u64,
    /// Number of bytes after decompression.
    pub unpacked: u64,
    /// The stored bytes by kind, in the order of [`Part::ALL`].
    pub parts: [u64; Part::COUNT],
    /// Number of distinct kernels with bytes of their own.
    pub kernels: u64,
    /// Number of images.
    pub images: u64,
    /// The longest sequence of its bytes; of code, if it has some.
    pub first: Span,
}

impl SizeRow {
    /// Returns the name for display.
    pub fn title(&self) -> &str {
        let short = self.short.as_deref().or(self.demangled.as_deref());
        short.unwrap_or(&self.name)
    }

    /// Returns the kind that has the most stored bytes.
    pub fn largest_part(&self) -> Part {
        let parts = Part::ALL.into_iter().rev();
        let largest = parts.max_by_key(|part| self.part(*part));
        largest.unwrap_or(Part::NotRead)
    }

    /// Returns the stored bytes of a kind.
    pub fn part(&self, part: Part) -> u64 {
        self.parts.get(part.index()).copied().unwrap_or(0)
    }
}

/// A group of two versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SizeChange {
    /// The group in the second version; without bytes if only the first has it.
    pub row: SizeRow,
    /// Its stored bytes in the first version; `None` if only the second has it.
    pub before: Option<u64>,
    /// Whether the second version has it.
    pub is_kept: bool,
}

impl SizeChange {
    /// Returns the difference of the stored sizes in bytes.
    pub fn change(&self) -> i64 {
        let signed = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
        signed(self.row.stored).saturating_sub(signed(self.before.unwrap_or(0)))
    }
}

/// A group that is being added up.
struct Group {
    row: SizeRow,
    kernels: foldhash::HashSet<NameId>,
    images: foldhash::HashSet<(NameId, NameId)>,
    longest: (bool, u64),
}

/// What a piece is grouped by.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) enum GroupKey<'a> {
    Id(NameId),
    Text(&'a str),
    Part(Part),
}

impl Sizes {
    /// Returns the groups of the pieces that satisfy all conditions, in descending order of their
    /// stored sizes. Their sizes add up to those of these pieces.
    pub fn rows(&self, by: SizeKey, within: &[SizeFilter]) -> Vec<SizeRow> {
        let mut places: HashMap<GroupKey<'_>, usize> = HashMap::default();
        let mut groups: Vec<Group> = Vec::new();
        for piece in self.within(within) {
            let key = self.group(by, piece);
            let next = groups.len();
            let at = *places.entry(key.clone()).or_insert(next);
            if at == next {
                groups.push(self.new_group(by, &key));
            }
            if let Some(group) = groups.get_mut(at) {
                group.add(piece);
            }
        }
        let mut rows: Vec<SizeRow> = groups.into_iter().map(Group::finish).collect();
        sort::by(&mut rows, |a, b| {
            b.stored
                .cmp(&a.stored)
                .then_with(|| b.unpacked.cmp(&a.unpacked))
                .then_with(|| a.name.cmp(&b.name))
        });
        rows
    }

    /// Returns what the pieces that satisfy all conditions are grouped by unless it is chosen: what
    /// divides the last group, or the devices; the sections of a file for one device.
    pub fn default_key(&self, within: &[SizeFilter]) -> SizeKey {
        match within.last() {
            Some(last) => last.key.next(),
            None if self.rows(SizeKey::Device, &[]).len() > 1 => SizeKey::Device,
            None => SizeKey::Section,
        }
    }

    /// Returns the groups with a name, in any form: of a kernel also the demangled and the short one, of a
    /// device those that people use; or a pattern. The one that is called exactly so, if there is one.
    pub fn named(&self, by: SizeKey, name: &str, sources: &Sources) -> Vec<SizeRow> {
        let mut rows = self.rows(by, &[]);
        if let Some(row) = rows.iter().position(|row| row.name == name) {
            return vec![rows.swap_remove(row)];
        }
        let device = match by {
            SizeKey::Device => sources.device_named(name),
            _ => None,
        };
        let is_called = |row: &SizeRow| {
            let bare = row.name.strip_prefix('[');
            let bare = bare.and_then(|name| name.strip_suffix(']'));
            let names = [
                Some(&*row.name),
                row.demangled.as_deref(),
                row.short.as_deref(),
                bare,
            ];
            let mut names = names.into_iter().flatten();
            device.as_deref() == Some(&*row.name)
                || names
                    .any(|known| known == name || is_pattern(name) && matches_pattern(known, name))
        };
        rows.retain(is_called);
        rows
    }

    /// Returns the sum of the pieces that satisfy all conditions.
    pub fn sum(&self, within: &[SizeFilter]) -> SizeRow {
        let mut group = Group::new(String::new(), true);
        self.within(within).for_each(|piece| group.add(piece));
        group.finish()
    }

    /// Returns the pieces that satisfy all conditions.
    pub(super) fn within<'a>(
        &'a self,
        within: &'a [SizeFilter],
    ) -> impl Iterator<Item = &'a Piece> {
        self.pieces.iter().filter(move |piece| {
            within
                .iter()
                .all(|filter| self.name_of(&self.group(filter.key, piece)) == filter.name)
        })
    }

    pub(super) fn group(&self, by: SizeKey, piece: &Piece) -> GroupKey<'_> {
        let key = &piece.key;
        let named = |id: NameId| match id {
            NameId::NONE => GroupKey::Part(key.part),
            id => GroupKey::Id(id),
        };
        match by {
            _ if key.part == Part::NotRead && key.section == NameId::NONE => {
                GroupKey::Part(key.part)
            }
            SizeKey::File => match key.file {
                NameId::NONE => GroupKey::Text("[the file itself]"),
                file => GroupKey::Id(file),
            },
            SizeKey::Device => match key.owner {
                Owner::Nobody => GroupKey::Part(key.part),
                Owner::Any => GroupKey::Text(ANY_DEVICE),
                Owner::Device(NameId::NONE) => GroupKey::Text("[not named]"),
                Owner::Device(device) => GroupKey::Id(device),
            },
            SizeKey::Image => named(key.image),
            SizeKey::Kernel => named(key.kernel),
            SizeKey::Family => match key.kernel {
                NameId::NONE => GroupKey::Part(key.part),
                kernel => GroupKey::Text(self.family(kernel)),
            },
            SizeKey::Section => named(key.section),
            SizeKey::Part => GroupKey::Part(key.part),
        }
    }

    /// Returns the name of a group.
    pub(super) fn name_of(&self, key: &GroupKey<'_>) -> String {
        match key {
            GroupKey::Id(id) => self.name(*id).to_owned(),
            GroupKey::Text(text) => (*text).to_owned(),
            GroupKey::Part(part) => format!("[{}]", part.title()),
        }
    }

    /// Returns the name of a group for display.
    pub(super) fn title_of(&self, by: SizeKey, key: &GroupKey<'_>) -> String {
        match (by, key) {
            (SizeKey::Kernel, GroupKey::Id(id)) => self.short(*id).to_owned(),
            _ => self.name_of(key),
        }
    }

    fn new_group(&self, by: SizeKey, key: &GroupKey<'_>) -> Group {
        let is_named = match key {
            GroupKey::Id(_) => true,
            GroupKey::Text(text) => !text.starts_with('['),
            GroupKey::Part(_) => false,
        };
        let mut group = Group::new(self.name_of(key), is_named);
        if let (SizeKey::Kernel, GroupKey::Id(id)) = (by, key) {
            let name = self.name(*id);
            group.row.demangled = self.demangled(*id).map(str::to_owned);
            let short = self.short(*id);
            group.row.short = (short != name).then(|| short.to_owned());
        }
        group
    }

    /// Returns the devices with native code, each with the number of stored bytes that are for it
    /// alone: the file would be that much smaller without the device.
    pub fn devices(&self) -> Vec<(String, u64)> {
        let rows = self.rows(SizeKey::Device, &[]).into_iter();
        let devices = rows.filter(|row| row.is_named && row.name != ANY_DEVICE);
        devices.map(|row| (row.name, row.stored)).collect()
    }
}

impl Group {
    fn new(name: String, is_named: bool) -> Group {
        Group {
            row: SizeRow {
                name,
                is_named,
                demangled: None,
                short: None,
                stored: 0,
                unpacked: 0,
                parts: [0; Part::COUNT],
                kernels: 0,
                images: 0,
                first: Span::default(),
            },
            kernels: Default::default(),
            images: Default::default(),
            longest: (false, 0),
        }
    }

    fn add(&mut self, piece: &Piece) {
        let key = &piece.key;
        let row = &mut self.row;
        row.stored = row.stored.saturating_add(piece.stored);
        row.unpacked = row.unpacked.saturating_add(piece.unpacked);
        if let Some(part) = row.parts.get_mut(key.part.index()) {
            *part = part.saturating_add(piece.stored);
        }
        if key.kernel != NameId::NONE {
            self.kernels.insert(key.kernel);
        }
        if key.image != NameId::NONE {
            self.images.insert((key.file, key.image));
        }
        let is_code = matches!(key.part, Part::Instructions | Part::Intermediate);
        let longest = (is_code, piece.longest);
        if longest > self.longest || row.first == Span::default() {
            self.longest = longest;
            row.first = piece.first;
        }
    }

    fn finish(self) -> SizeRow {
        SizeRow {
            kernels: self.kernels.len() as u64,
            images: self.images.len() as u64,
            ..self.row
        }
    }
}

/// Returns the groups of two versions, in descending order of the absolute change of their stored
/// sizes.
pub fn changes(before: &[SizeRow], now: Vec<SizeRow>) -> Vec<SizeChange> {
    let mut old: HashMap<&str, &SizeRow> = before.iter().map(|row| (&*row.name, row)).collect();
    let mut changes: Vec<SizeChange> = Vec::new();
    for row in now {
        let before = old.remove(&*row.name).map(|row| row.stored);
        changes.push(SizeChange {
            row,
            before,
            is_kept: true,
        });
    }
    for row in before.iter().filter(|row| old.contains_key(&*row.name)) {
        changes.push(SizeChange {
            row: SizeRow {
                stored: 0,
                unpacked: 0,
                parts: [0; Part::COUNT],
                kernels: 0,
                images: 0,
                ..row.clone()
            },
            before: Some(row.stored),
            is_kept: false,
        });
    }
    sort::by(&mut changes, |a, b| {
        let size = |change: &SizeChange| change.change().unsigned_abs();
        size(b)
            .cmp(&size(a))
            .then_with(|| b.row.stored.cmp(&a.row.stored))
    });
    changes
}
