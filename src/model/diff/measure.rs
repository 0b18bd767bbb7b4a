//! The numbers of a kernel, from one file to the other: which are better now, which worse, and what
//! matters most.

use std::cmp::Reverse;

use serde::{Deserialize, Serialize};

use super::code::{BothCounts, CodeChange};
use super::entry::{Change, Entry, Part};
use crate::model::assembly::Counts;
use crate::model::kernels::KernelRow;
use crate::model::sort;

/// A number of a kernel that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// Which: the id of the column of the kernel table.
    pub key: String,
    /// What it was, with defaults filled in; nothing for a kernel that is new.
    pub from: Option<i128>,
    /// What it is now; nothing for a kernel that is gone.
    pub to: Option<i128>,
    /// Whether that is good.
    pub better: Better,
}

/// Whether a change is good.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Better {
    /// It is better now.
    Better,
    /// It is worse now.
    Worse,
    /// It depends.
    Neither,
}

impl Better {
    /// In a word; empty if it depends.
    pub fn name(self) -> &'static str {
        match self {
            Better::Better => "better",
            Better::Worse => "worse",
            Better::Neither => "",
        }
    }
}

/// How a number is judged.
enum Judge {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// It depends on other things.
    Depends,
}

struct Known {
    key: &'static str,
    judge: Judge,
    /// How much it matters, the most first.
    weight: u32,
    row: fn(&KernelRow) -> Option<i128>,
}

/// The numbers of the kernel table, by how much they matter.
static ROWS: [Known; 8] = [
    Known {
        key: "spill_size",
        judge: Judge::Less,
        weight: 100,
        row: |row| Some(row.spill_size.value.into()),
    },
    Known {
        key: "private_size",
        judge: Judge::Less,
        weight: 80,
        row: |row| Some(row.private_size.value.into()),
    },
    Known {
        key: "slm_size",
        judge: Judge::Less,
        weight: 70,
        row: |row| Some(row.slm_size.value.into()),
    },
    Known {
        key: "grf_count",
        judge: Judge::Depends,
        weight: 60,
        row: |row| Some(row.grf_count.value.into()),
    },
    Known {
        key: "eu_thread_count",
        judge: Judge::More,
        weight: 55,
        row: |row| {
            Some(row.eu_thread_count.value)
                .filter(|count| *count > 0)
                .map(Into::into)
        },
    },
    Known {
        key: "simd_size",
        judge: Judge::Depends,
        weight: 50,
        row: |row| Some(row.simd_size.value.into()),
    },
    Known {
        key: "barrier_count",
        judge: Judge::Less,
        weight: 40,
        row: |row| Some(row.barrier_count.value.into()),
    },
    Known {
        key: "code_size",
        judge: Judge::Less,
        weight: 20,
        row: |row| row.code_size.map(|size| size.value.into()),
    },
];

struct Counted {
    key: &'static str,
    judge: Judge,
    weight: u32,
    of: fn(&Counts) -> u64,
}

/// The numbers that the code comes to.
static COUNTS: [Counted; 7] = [
    counted("spill_messages", Judge::Less, 95, |counts| counts.spills),
    counted("fill_messages", Judge::Less, 95, |counts| counts.fills),
    counted("sends", Judge::Less, 30, |counts| counts.sends),
    counted("atomic_messages", Judge::Less, 16, |counts| counts.atomics),
    counted("barrier_messages", Judge::Less, 16, |counts| {
        counts.barriers
    }),
    counted("dpas_instructions", Judge::Depends, 17, |counts| {
        counts.dpas
    }),
    counted("scoreboard_waits", Judge::Less, 3, |counts| counts.waits),
];

/// The number of instructions, and how much it matters.
const INSTRUCTIONS: (&str, u32) = ("instructions", 18);

const fn counted(key: &'static str, judge: Judge, weight: u32, of: fn(&Counts) -> u64) -> Counted {
    Counted {
        key,
        judge,
        weight,
        of,
    }
}

fn judged(judge: &Judge, from: Option<i128>, to: Option<i128>) -> Better {
    let (Some(from), Some(to)) = (from, to) else {
        return Better::Neither;
    };
    match judge {
        Judge::Less if to < from => Better::Better,
        Judge::Less => Better::Worse,
        Judge::More if to > from => Better::Better,
        Judge::More => Better::Worse,
        Judge::Depends => Better::Neither,
    }
}

/// The numbers that differ between two kernels, those that matter most first.
pub(super) fn measures(
    a: Option<&KernelRow>,
    b: Option<&KernelRow>,
    code: Option<&(CodeChange, BothCounts)>,
) -> Vec<Measure> {
    let mut found = Vec::new();
    for known in &ROWS {
        let (from, to) = (a.and_then(known.row), b.and_then(known.row));
        if from != to {
            found.push(Measure {
                key: known.key.to_owned(),
                from,
                to,
                better: judged(&known.judge, from, to),
            });
        }
    }
    let mut count = |key: &str, judge: &Judge, from: u64, to: u64| {
        if from != to {
            let (from, to) = (Some(from.into()), Some(to.into()));
            found.push(Measure {
                key: key.to_owned(),
                from,
                to,
                better: judged(judge, from, to),
            });
        }
    };
    if let Some((change, (one, other))) = code {
        let (from, to) = change.counts;
        count(INSTRUCTIONS.0, &Judge::Less, from.into(), to.into());
        for known in &COUNTS {
            count(known.key, &known.judge, (known.of)(one), (known.of)(other));
        }
    }
    sort::by_key(&mut found, |measure| Reverse(weight(&measure.key)));
    found
}

/// How much a number matters.
fn weight(key: &str) -> u32 {
    let rows = ROWS.iter().map(|known| (known.key, known.weight));
    let counts = COUNTS.iter().map(|known| (known.key, known.weight));
    let mut all = rows.chain(counts).chain([INSTRUCTIONS]);
    all.find(|(known, _)| *known == key)
        .map_or(0, |(_, weight)| weight)
}

/// What the number counts, for people.
pub fn unit(key: &str) -> &'static str {
    match key {
        "spill_size" | "private_size" => "B/thread",
        "slm_size" => "B/work-group",
        "code_size" => "B",
        _ => "",
    }
}

/// Sorts what differs by what matters: kernels first, those that are worse before those that are
/// better, and of them those with what matters most.
pub(super) fn sort(entries: &mut [Entry]) {
    let place = |part: Part| Part::ALL.iter().position(|other| *other == part);
    let change = |change: Change| match change {
        Change::Changed | Change::Renamed => 0_u8,
        Change::Removed => 1,
        Change::Added => 2,
    };
    sort::by_cached_key(entries, |entry| {
        let both = matches!(entry.change, Change::Changed | Change::Renamed);
        let score = |wanted: Better| {
            let measures = entry.measures.iter().filter(|m| both && m.better == wanted);
            measures
                .map(|measure| weight(&measure.key))
                .max()
                .unwrap_or(0)
        };
        let most = entry.measures.iter().filter(|_| both);
        let most = most.map(|measure| weight(&measure.key)).max().unwrap_or(0);
        (
            place(entry.part),
            change(entry.change),
            Reverse(score(Better::Worse)),
            Reverse(score(Better::Better)),
            Reverse(most),
            Reverse(growth(entry)),
        )
    });
}

/// By how much the number that matters most has changed.
fn growth(entry: &Entry) -> i128 {
    let first = entry.measures.first();
    let change = first.and_then(|measure| Some(measure.to? - measure.from?));
    change.map_or(0, i128::abs)
}
