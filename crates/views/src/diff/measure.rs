//! Measures of kernels in both files: whether they are better or worse in the second, and how much
//! they matter.

use std::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};

use super::code::{CodeChange, CountsPair};
use super::entry::{Change, Entry, Field, FieldValue, Part, Side};
use zeview_core::analysis::assembly::Counts;
use zeview_core::analysis::figure::{Figure, SizeFigure};
use zeview_core::analysis::kernels::{CodeDigest, KernelRow, Located};
use zeview_core::model::text::grouped;
use zeview_core::model::{Span, sort};

/// A measure of a kernel that differs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Measure {
    /// The id of the column of the kernel table.
    pub key: String,
    /// The value in the first file, with defaults filled in; `None` for a new kernel.
    pub from: Option<Figure<i128>>,
    /// The value in the second file; `None` for a removed kernel.
    pub to: Option<Figure<i128>>,
    /// Whether it is better: per lane, if the SIMD widths differ.
    pub better: Preference,
    /// The SIMD widths in both files, if they differ and the measure is per hardware thread: a
    /// thread of 32 lanes does the work of two of 16.
    pub lanes: Option<(u32, u32)>,
}

impl Measure {
    /// Returns the measure per lane in both files, or `None` if the SIMD widths are equal or the
    /// measure is not per thread.
    pub fn per_lane(&self) -> Option<(f64, f64)> {
        let (from, to) = self.lanes?;
        let divided = |number: Option<Figure<i128>>, lanes: u32| {
            let number = i32::try_from(number?.ok()?).ok()?;
            Some(f64::from(number) / f64::from(lanes))
        };
        Some((divided(self.from, from)?, divided(self.to, to)?))
    }
}

/// The assessment of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Preference {
    /// The second file is better.
    Better,
    /// The second file is worse.
    Worse,
    /// Neither: the assessment depends on other values.
    Neither,
}

impl Preference {
    /// Returns its name; empty for [`Preference::Neither`].
    pub fn name(self) -> &'static str {
        match self {
            Preference::Better => "better",
            Preference::Worse => "worse",
            Preference::Neither => "",
        }
    }
}

/// The criterion for a measure.
enum Criterion {
    /// Less is better.
    Less,
    /// More is better.
    More,
    /// It depends on other values.
    Depends,
}

struct Known {
    key: &'static str,
    criterion: Criterion,
    /// Its importance; higher is more important.
    weight: u32,
    /// Whether it is a measure of one hardware thread.
    is_of_thread: bool,
    row: fn(&KernelRow) -> Option<StatedValue>,
}

/// The value of a measure, with its bytes.
type StatedValue = (Figure<i128>, Option<Span>);

/// Returns the number of a key, with its bytes.
fn wide(given: Located<i64>) -> Option<StatedValue> {
    Some((Ok(given.value.into()), given.span))
}

/// Returns a size, with its bytes.
fn size(given: SizeFigure) -> Option<StatedValue> {
    Some((given.figure.map(Into::into), given.span))
}

fn derived(value: u64) -> Option<StatedValue> {
    Some((Ok(value.into()), None))
}

/// The measures of the kernel table, by importance.
static ROWS: [Known; 15] = [
    Known {
        key: "spill_size",
        criterion: Criterion::Less,
        weight: 100,
        is_of_thread: true,
        row: |row| size(row.spill_size),
    },
    Known {
        key: "private_size",
        criterion: Criterion::Less,
        weight: 80,
        is_of_thread: true,
        row: |row| size(row.private_size),
    },
    Known {
        key: "slm_size",
        criterion: Criterion::Less,
        weight: 70,
        is_of_thread: false,
        row: |row| wide(row.slm_size),
    },
    Known {
        key: "grf_count",
        criterion: Criterion::Depends,
        weight: 60,
        is_of_thread: false,
        row: |row| wide(row.grf_count),
    },
    Known {
        key: "eu_thread_count",
        criterion: Criterion::More,
        weight: 55,
        is_of_thread: false,
        // 0 if the file does not state it.
        row: |row| wide(row.eu_thread_count).filter(|_| row.eu_thread_count.value > 0),
    },
    Known {
        key: "simd_size",
        criterion: Criterion::Depends,
        weight: 50,
        is_of_thread: false,
        row: |row| wide(row.simd_size),
    },
    Known {
        key: "barrier_count",
        criterion: Criterion::Less,
        weight: 40,
        is_of_thread: false,
        row: |row| wide(row.barrier_count),
    },
    Known {
        key: "code_size",
        criterion: Criterion::Less,
        weight: 20,
        is_of_thread: false,
        row: |row| row.code_size.map(|size| (Ok(size.value.into()), size.span)),
    },
    Known {
        key: "required_sub_group_size",
        criterion: Criterion::Depends,
        weight: 12,
        is_of_thread: false,
        row: |row| wide(row.required_sub_group_size),
    },
    Known {
        key: "argument_count",
        criterion: Criterion::Depends,
        weight: 11,
        is_of_thread: false,
        row: |row| derived(row.argument_count),
    },
    Known {
        key: "explicit_arguments",
        criterion: Criterion::Depends,
        weight: 10,
        is_of_thread: false,
        row: |row| derived(row.explicit_arguments),
    },
    Known {
        key: "implicit_arguments",
        criterion: Criterion::Depends,
        weight: 9,
        is_of_thread: false,
        row: |row| derived(row.implicit_arguments),
    },
    Known {
        key: "payload_size",
        criterion: Criterion::Less,
        weight: 8,
        is_of_thread: false,
        row: |row| derived(row.payload_size),
    },
    Known {
        key: "inline_data_payload_size",
        criterion: Criterion::Depends,
        weight: 7,
        is_of_thread: false,
        row: |row| wide(row.inline_data_payload_size),
    },
    Known {
        key: "indirect_stateless_count",
        criterion: Criterion::Less,
        weight: 6,
        is_of_thread: false,
        row: |row| wide(row.indirect_stateless_count),
    },
];

/// The measures that SPIR-V states.
const STATED: [&str; 2] = ["argument_count", "required_sub_group_size"];

struct CountedMeasure {
    key: &'static str,
    criterion: Criterion,
    weight: u32,
    of: fn(&Counts) -> u64,
}

/// The measures that are computed from the code.
static COUNTS: [CountedMeasure; 7] = [
    counted("spill_messages", Criterion::Less, 95, |counts| {
        counts.spills
    }),
    counted("fill_messages", Criterion::Less, 95, |counts| counts.fills),
    counted("sends", Criterion::Less, 30, |counts| counts.sends),
    counted("atomic_messages", Criterion::Less, 16, |counts| {
        counts.atomics
    }),
    counted("barrier_messages", Criterion::Less, 16, |counts| {
        counts.barriers
    }),
    counted("dpas_instructions", Criterion::Depends, 17, |counts| {
        counts.dpas
    }),
    counted("scoreboard_waits", Criterion::Less, 3, |counts| {
        counts.waits
    }),
];

/// The number of instructions, and its importance.
const INSTRUCTIONS: (&str, u32) = ("instructions", 18);

/// The number of instructions in SPIR-V, and its importance.
const SPIRV_INSTRUCTIONS: (&str, u32) = ("spirv_instructions", 5);

const fn counted(
    key: &'static str,
    criterion: Criterion,
    weight: u32,
    of: fn(&Counts) -> u64,
) -> CountedMeasure {
    CountedMeasure {
        key,
        criterion,
        weight,
        of,
    }
}

impl Measure {
    /// Creates the measure of a number that differs.
    fn new(
        known: &str,
        criterion: &Criterion,
        from: Option<Figure<i128>>,
        to: Option<Figure<i128>>,
    ) -> Measure {
        let mut measure = Measure {
            key: known.to_owned(),
            from,
            to,
            better: Preference::Neither,
            lanes: None,
        };
        measure.judge(criterion);
        measure
    }

    /// Sets the SIMD widths, if they differ.
    fn with_lanes(mut self, criterion: &Criterion, lanes: Option<(u32, u32)>) -> Measure {
        self.lanes = lanes;
        self.judge(criterion);
        self
    }

    fn judge(&mut self, criterion: &Criterion) {
        let (Some(Ok(from)), Some(Ok(to))) = (self.from, self.to) else {
            return;
        };
        // Cross-multiplied to avoid rounding.
        let (of_a, of_b) = self.lanes.unwrap_or((1, 1));
        let growth = to
            .saturating_mul(of_a.into())
            .cmp(&from.saturating_mul(of_b.into()));
        self.better = match (criterion, growth) {
            (Criterion::Depends, _) | (_, Ordering::Equal) => Preference::Neither,
            (Criterion::Less, Ordering::Less) | (Criterion::More, Ordering::Greater) => {
                Preference::Better
            }
            _ => Preference::Worse,
        };
    }
}

/// Returns both SIMD widths, if they are known and differ.
fn lanes(a: Option<&KernelRow>, b: Option<&KernelRow>) -> Option<(u32, u32)> {
    let of = |row: Option<&KernelRow>| {
        let lanes = u32::try_from(row?.simd_size.value).ok()?;
        (lanes > 0).then_some(lanes)
    };
    let (from, to) = (of(a)?, of(b)?);
    (from != to).then_some((from, to))
}

/// Returns the measures that differ between two kernels, the most important first.
pub(super) fn measures(
    a: Option<&KernelRow>,
    b: Option<&KernelRow>,
    code: Option<&(CodeChange, CountsPair)>,
) -> Vec<Measure> {
    let lanes = lanes(a, b);
    let mut found = Vec::new();
    for known in &ROWS {
        // Between native code and SPIR-V there is nothing to compare.
        let is_spirv = a.is_some_and(|row| row.is_spirv) || b.is_some_and(|row| row.is_spirv);
        let is_native = a.is_some_and(|row| !row.is_spirv) || b.is_some_and(|row| !row.is_spirv);
        if is_spirv && (is_native || !STATED.contains(&known.key)) {
            continue;
        }
        let value = |row: Option<&KernelRow>| row.and_then(known.row).map(|(value, _)| value);
        let (from, to) = (value(a), value(b));
        if from != to {
            let measure = Measure::new(known.key, &known.criterion, from, to);
            found.push(measure.with_lanes(&known.criterion, lanes.filter(|_| known.is_of_thread)));
        }
    }
    let mut count = |key: &str, criterion: &Criterion, from: u64, to: u64| {
        if from != to {
            let measure = Measure::new(key, criterion, Some(Ok(from.into())), Some(Ok(to.into())));
            found.push(measure.with_lanes(criterion, lanes));
        }
    };
    if let Some((change, (one, other))) = code {
        let (from, to) = change.counts;
        count(INSTRUCTIONS.0, &Criterion::Less, from.into(), to.into());
        for known in &COUNTS {
            count(
                known.key,
                &known.criterion,
                (known.of)(one),
                (known.of)(other),
            );
        }
    }
    sort::by_key(&mut found, |measure| Reverse(weight(&measure.key)));
    found
}

/// Returns the measure of the instructions of a kernel in SPIR-V, if their numbers differ.
pub(super) fn spirv_instructions(a: &CodeDigest, b: &CodeDigest) -> Option<Measure> {
    let (from, to) = (a.instructions, b.instructions);
    let side = |count: u64| Some(Ok(count.into()));
    (from != to).then(|| {
        Measure::new(
            SPIRV_INSTRUCTIONS.0,
            &Criterion::Depends,
            side(from),
            side(to),
        )
    })
}

/// Merges the fields for one measure of the kernel table, which the two files may store at
/// different places: before ze_info 1.39 in a scratch slot, since then in `execution_env`. If the
/// number is the same, there is no field.
pub(super) fn merge(a: &KernelRow, b: &KernelRow, fields: &mut Vec<Field>) {
    for known in &ROWS {
        let (Some(from), Some(to)) = ((known.row)(a), (known.row)(b)) else {
            continue;
        };
        let is = |side: &Option<Side>, (_, bytes): StatedValue| {
            let span = side.as_ref().and_then(|side| side.span);
            span.is_some() && span == bytes
        };
        // The list entry that has it on one side only, with everything else in that entry.
        let removed = fields
            .iter()
            .position(|f| f.to.is_none() && is(&f.from, from));
        let added = fields
            .iter()
            .position(|f| f.from.is_none() && is(&f.to, to));
        let path = |at: Option<usize>| at.and_then(|at| fields.get(at)).map(|f| f.path.clone());
        let paths: Vec<String> = [path(removed), path(added)].into_iter().flatten().collect();
        // A value on one side and a default on the other: nothing to merge.
        let is_stored = from.1.is_some() && to.1.is_some();
        if paths.is_empty() || !is_stored && from.0 != to.0 {
            continue;
        }
        let entries: Vec<&str> = paths
            .iter()
            .filter_map(|path| path.rsplit_once("]/").map(|(entry, _)| entry))
            .collect();
        let mut place = None;
        let mut at = 0;
        fields.retain(|field| {
            let is_whole = field.from.is_none() || field.to.is_none();
            let in_entry = |entry: &&&str| {
                let rest = field.path.strip_prefix(**entry);
                rest.is_some_and(|rest| rest.starts_with("]/"))
            };
            let is_merged =
                is_whole && (paths.contains(&field.path) || entries.iter().any(|e| in_entry(&e)));
            if is_merged {
                place.get_or_insert(at);
            }
            at += usize::from(!is_merged);
            !is_merged
        });
        if from.0 != to.0 {
            let side = |(value, span): StatedValue| {
                let value = match value {
                    Ok(number) => FieldValue::Number(number, None),
                    Err(unknown) => FieldValue::Text(unknown.to_string()),
                };
                span.map(|span| Side::new(value, span))
            };
            let key = known.key.to_owned();
            let path = paths.last().cloned().unwrap_or_else(|| key.clone());
            let (from, to) = (side(from), side(to));
            let field = Field {
                key,
                path,
                from,
                to,
            };
            fields.insert(place.unwrap_or(0).min(fields.len()), field);
        }
    }
}

/// Formats the value on one side.
pub fn value_text(side: Option<Figure<i128>>) -> String {
    match side {
        None => "–".to_owned(),
        Some(Ok(number)) => u64::try_from(number).map_or_else(|_| number.to_string(), grouped),
        Some(Err(unknown)) => unknown.to_string(),
    }
}

/// Returns the importance of a measure.
fn weight(key: &str) -> u32 {
    let rows = ROWS.iter().map(|known| (known.key, known.weight));
    let counts = COUNTS.iter().map(|known| (known.key, known.weight));
    let mut all = rows.chain(counts).chain([INSTRUCTIONS, SPIRV_INSTRUCTIONS]);
    all.find(|(known, _)| *known == key)
        .map_or(0, |(_, weight)| weight)
}

/// Returns the unit of a measure.
pub fn unit(key: &str) -> &'static str {
    match key {
        "spill_size" | "private_size" => "B/thread",
        "slm_size" => "B/work-group",
        "code_size" | "payload_size" | "inline_data_payload_size" => "B",
        _ => "",
    }
}

/// Sorts the differences by importance: kernels first, worse ones before better ones, then by the
/// importance of their measures.
pub(super) fn sort(entries: &mut [Entry]) {
    let place = |part: Part| Part::ALL.iter().position(|other| *other == part);
    let change = |change: Change| match change {
        Change::Changed | Change::Renamed => 0_u8,
        Change::Removed => 1,
        Change::Added => 2,
    };
    sort::by_cached_key(entries, |entry| {
        let both = matches!(entry.change, Change::Changed | Change::Renamed);
        let score = |wanted: Preference| {
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
            Reverse(score(Preference::Worse)),
            Reverse(score(Preference::Better)),
            Reverse(most),
            Reverse(growth(entry)),
        )
    });
}

/// Returns the change of the most important measure.
fn growth(entry: &Entry) -> i128 {
    let first = entry.measures.first();
    let change = first.and_then(|measure| Some(measure.to?.ok()? - measure.from?.ok()?));
    change.map_or(0, i128::abs)
}
