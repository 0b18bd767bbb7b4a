//! The changes from an earlier profile: a row for each kernel, followed by its instructions that
//! changed most.

use crate::diff;
use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{Cell, CellValue, Declaration, List, ListId, Scope, Words, columns, documents_with};
use crate::diff::compare_profiles;
use zeview_analysis::profile::{
    Demangler, InstructionChange, KernelChange, ProfileComparison, added_profile, apply_profile,
    earlier_profile, stalled, total,
};
use zeview_core::model::{Document, NodeId, Sources, Span};

/// Maximum number of instructions of a kernel.
const INSTRUCTIONS: usize = 20;

type RowRef<'a> = (
    &'a ProfileComparison,
    &'a KernelChange,
    Option<&'a InstructionChange>,
);

columns! {
    /// The columns.
    pub COLUMNS
    "kernel" Text Default 24 "Kernel" "" "The kernel of both profiles."
        |(_, kernel, _), _| Cell::text(kernel.name.as_str());
    "before" Number Default 0 "Before" "" "Samples in the earlier profile."
        |(_, kernel, at), _| Cell::count(total(&samples(kernel, at)[0]));
    "after" Number Default 0 "After" "" "Samples in the later profile."
        |(_, kernel, at), _| Cell::count(total(&samples(kernel, at)[1]));
    "change" Number Default 0 "Change" "" "The difference of the samples."
        |(_, kernel, at), _| {
            let [before, after] = samples(kernel, at);
            Cell::new(CellValue::Int(difference(total(before), total(after))))
        };
    "stalled" Number Default 0 "Change" "stalled" "The difference of the samples of stalled threads."
        |(profiles, kernel, at), _| {
            let [before, after] = samples(kernel, at);
            let types = &profiles.types;
            Cell::new(CellValue::Int(difference(stalled(types, before), stalled(types, after))))
        };
    "offset" Text Default 14 "Instruction" "" "The offset of the instruction, before and after; of a kernel, why there are no instructions."
        |(_, kernel, at), _| match at {
            Some(at) => Cell::text(place(at)),
            None => Cell::text(kernel.reason.as_deref().unwrap_or_default()),
        };
    "types" Words Default 40 "By type" "" "The samples by stall type, before and after."
        |(profiles, kernel, at), _| {
            let [before, after] = samples(kernel, at);
            let counts = profiles.types.iter().zip(before.iter().zip(after));
            let changed = counts.filter(|(_, (before, after))| before != after);
            Cell::words(changed.map(|(name, (before, after))| format!("{name} {before} → {after}")))
        };
    "text" Text Default 60 "Text" "" "The text of the instruction."
        |(_, _, at), _| Cell::text(at.map_or("", |at| &*at.text));
}

fn samples<'a>(kernel: &'a KernelChange, at: Option<&'a InstructionChange>) -> &'a [Vec<u64>; 2] {
    at.map_or(&kernel.samples, |at| &at.samples)
}

fn difference(before: u64, after: u64) -> i64 {
    let change = i128::from(after) - i128::from(before);
    i64::try_from(change).unwrap_or(if change < 0 { i64::MIN } else { i64::MAX })
}

fn place(at: &InstructionChange) -> String {
    match at.offsets {
        [Some(before), Some(after)] if before == after => format!("+{after:#x}"),
        [Some(before), Some(after)] => format!("+{before:#x} → +{after:#x}"),
        [None, Some(after)] => format!("+{after:#x}, new"),
        [Some(before), None] => format!("+{before:#x}, removed"),
        [None, None] => String::new(),
    }
}

/// Type under which a document keeps the comparison of its profiles.
struct ComparedProfiles(Rc<ProfileComparison>);

/// Whether a document has two profiles with samples to compare.
pub fn has_earlier_profile(document: &Document) -> bool {
    let is_sampled = added_profile(document).is_some_and(|report| report.has_samples());
    is_sampled && earlier_profile(document).is_some()
}

/// Compares the profile of a document with the earlier one, for [`ListId::ProfileChanges`]. The
/// earlier profile belongs to the file that the document is compared with if its samples fit there,
/// and otherwise to the document itself.
pub fn compare(document: &mut Document, demangle: Demangler<'_>) {
    document.extensions.remove::<ComparedProfiles>();
    let (Some(report), Some(earlier)) = (added_profile(document), earlier_profile(document)) else {
        return;
    };
    let base = diff::base(document).map(|base| Rc::clone(&base.document));
    let of_base = base.and_then(|base| {
        let mut base = base.borrow_mut();
        let images = documents_with(&mut base, ListId::Kernels);
        let before = apply_profile(&mut base, &images, &earlier, None, demangle);
        let is_of_base = !before.kernels.is_empty();
        is_of_base.then(|| compare_profiles((&base, &before), (document, &report), None))
    });
    let comparison = of_base.unwrap_or_else(|| {
        let images = documents_with(document, ListId::Kernels);
        let before = apply_profile(document, &images, &earlier, None, demangle);
        ProfileComparison::new(&before, &report)
    });
    document
        .extensions
        .insert(ComparedProfiles(Rc::new(comparison)));
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Profiles,
    ..Declaration::table(
        ListId::ProfileChanges,
        "profile-changes",
        || COLUMNS,
        Words {
            title: "Profiles",
            one: "row",
            many: "rows",
            hint: "Kernel, or change<0",
            none: "The profiles have no kernels.",
        },
    )
};

/// Whether the file has two profiles to compare.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    id == NodeId::ROOT && has_earlier_profile(document)
}

/// Reads the changes from the earlier profile, after [`compare`].
pub(super) fn read(document: &mut Document, _: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    let profiles = Rc::clone(&document.extensions.get::<ComparedProfiles>()?.0);
    let mut rows = Vec::new();
    for (at, kernel) in profiles.kernels.iter().enumerate() {
        rows.push((at, None));
        let changed = kernel.instructions.iter().enumerate();
        let changed = changed.filter(|(_, at)| at.samples[0] != at.samples[1]);
        rows.extend(changed.take(INSTRUCTIONS).map(|(row, _)| (at, Some(row))));
    }
    Some(Rc::new(ProfileChangeList {
        profiles,
        rows,
        whole: document.root().span?,
    }))
}

struct ProfileChangeList {
    profiles: Rc<ProfileComparison>,
    /// The kernel of each row, and the instruction.
    rows: Vec<(usize, Option<usize>)>,
    /// The bytes of the whole document, for kernels whose code is not known.
    whole: Span,
}

impl ProfileChangeList {
    fn row(&self, row: u32) -> Option<RowRef<'_>> {
        let (kernel, at) = *self.rows.get(usize::try_from(row).ok()?)?;
        let kernel = self.profiles.kernels.get(kernel)?;
        let at = match at {
            Some(at) => Some(kernel.instructions.get(at)?),
            None => None,
        };
        Some((&self.profiles, kernel, at))
    }
}

impl List for ProfileChangeList {
    fn id(&self) -> ListId {
        ListId::ProfileChanges
    }

    fn count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(found)) => cell(found, sources).at(self.entry(row, sources)),
            _ => Cell::empty(),
        }
    }

    /// Returns the code of a kernel, or the start of an instruction.
    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        let (_, kernel, at) = self.row(row)?;
        let Some(code) = kernel.code else {
            return Some(self.whole);
        };
        let offset = at.and_then(|at| at.offsets[1]);
        Some(offset.map_or(code, |offset| {
            let start = code.start.saturating_add(offset);
            Span::new(code.source, start, start.saturating_add(1).min(code.end))
        }))
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let mut rows = 0..self.count();
        let row = rows.find(|row| self.entry(*row, sources) == Some(span))?;
        Some(row..row.saturating_add(1))
    }
}
