//! Whether offsets of a profile fit some code.

use super::total;
use zeview_core::analysis::assembly::Listing;
use zeview_core::model::{Document, NodeId, Sources, Span, sort};

/// Instructions start at multiples of this number of bytes; the hardware samples no other addresses.
const ALIGNMENT: u64 = 8;

/// A function in the section of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Function {
    /// Its name, demangled if possible.
    pub name: String,
    /// The offset of its first instruction in the section.
    pub start: u64,
    /// The offset after its last instruction.
    pub end: u64,
}

/// The layout of a section of code: the kernel, then the functions that it calls.
#[derive(Debug, Clone, Default)]
pub(super) struct Shape {
    /// The offset after the last instruction of the kernel.
    pub kernel_end: u64,
    /// The other functions, by offset.
    pub functions: Vec<Function>,
}

/// The meaning of an offset.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    /// The start of an instruction, with its index.
    Instruction(u32),
    /// In the kernel or a function, but not the start of an instruction.
    Between,
    /// After the kernel, and in no function that follows it in the section.
    AfterEnd,
}

/// The reason why rows cannot be of some code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejection {
    pub reason: String,
    /// Whether the offsets were compared, and do not fit.
    pub is_other_build: bool,
}

impl Rejection {
    /// Returns the rejection of code that was not compared, or that may be the right one.
    pub fn unknown(reason: &str) -> Rejection {
        Rejection {
            reason: reason.to_owned(),
            is_other_build: false,
        }
    }

    fn other_build(reason: String) -> Rejection {
        Rejection {
            reason,
            is_other_build: true,
        }
    }
}

/// How well rows fit some code.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Fit {
    /// Number of rows at instructions, and of their samples.
    rows: u64,
    samples: u64,
    /// Those between two instructions, at offsets that instructions can have.
    between_rows: u64,
    between_samples: u64,
    /// Those at offsets that no instruction can have: damaged rows.
    damaged_rows: u64,
    damaged_samples: u64,
    /// Those after the end.
    after_rows: u64,
    after_samples: u64,
    /// The first offset between two instructions.
    first_between: Option<u64>,
    /// The first offset after the end.
    first_after: Option<u64>,
}

impl Shape {
    /// Returns the layout of a section, whose kernel ends at an offset.
    pub fn new(document: &Document, id: NodeId, code: Span, kernel_end: u64) -> Shape {
        let sources = &document.sources;
        let tables = document.linkage(id).map(|linkage| linkage.tables(sources));
        let mut functions = Vec::new();
        for symbol in tables.iter().flat_map(|tables| &tables.symbols) {
            let Some(bytes) = symbol.target.filter(|_| symbol.kind == "FUNC") else {
                continue;
            };
            let start = bytes.start.checked_sub(code.start);
            if let Some(start) = start.filter(|start| *start >= kernel_end)
                && code.contains(bytes)
                && !bytes.is_empty()
            {
                functions.push(Function {
                    name: symbol.title().to_owned(),
                    start,
                    end: start.saturating_add(bytes.len()),
                });
            }
        }
        sort::by_key(&mut functions, |function| function.start);
        functions.dedup_by_key(|function| function.start);
        Shape {
            kernel_end,
            functions,
        }
    }

    /// Returns the offset after the last instruction of the kernel and the functions.
    pub fn end(&self) -> u64 {
        let last = self.functions.last();
        last.map_or(self.kernel_end, |function| function.end)
    }

    /// Returns the function at an offset, or `None` in the kernel and after all functions.
    pub fn function(&self, offset: u64) -> Option<&Function> {
        let after = self.functions.partition_point(|of| of.start <= offset);
        let function = self.functions.get(after.checked_sub(1)?)?;
        (offset < function.end).then_some(function)
    }

    /// Returns the meaning of an offset in the section.
    pub fn place(&self, offset: u64, listing: &dyn Listing, sources: &Sources) -> Place {
        if offset >= self.kernel_end && self.function(offset).is_none() {
            return Place::AfterEnd;
        }
        let place = listing.code().start.saturating_add(offset);
        let row = listing.row_at(place, sources);
        let start = row.and_then(|row| Some((row, listing.span(row, sources)?.start)));
        match start {
            Some((row, start)) if start == place => Place::Instruction(row),
            _ => Place::Between,
        }
    }
}

impl Fit {
    /// Adds a row.
    pub fn add(&mut self, place: Place, offset: u64, counts: &[u64]) {
        let samples = total(counts);
        let (rows, sum) = match place {
            Place::Instruction(_) => (&mut self.rows, &mut self.samples),
            Place::Between if !offset.is_multiple_of(ALIGNMENT) => {
                (&mut self.damaged_rows, &mut self.damaged_samples)
            }
            Place::Between => {
                self.first_between.get_or_insert(offset);
                (&mut self.between_rows, &mut self.between_samples)
            }
            Place::AfterEnd => {
                self.first_after.get_or_insert(offset);
                (&mut self.after_rows, &mut self.after_samples)
            }
        };
        *rows += 1;
        *sum = sum.saturating_add(samples);
    }

    /// The worse, the larger: rows between two instructions, then rows after the end.
    pub fn rank(&self) -> (u64, u64) {
        (self.between_rows, self.after_rows)
    }

    /// Returns why rows cannot be shown on code that ends at an offset, if that is so.
    ///
    /// Rows after the end are no sign of another build: functions of the module, and kernels of the
    /// driver, follow in memory. But if they are most, the code is hardly the right one, unless the
    /// file has code that may follow it. One row between two instructions, or a few among many, may be
    /// damaged; another build has more of them.
    pub fn judge(&self, end: u64, is_followed: bool) -> Result<(), Rejection> {
        let inside = self.rows + self.between_rows;
        let is_few = self.between_rows <= (inside / 10).max(1)
            && self.between_samples <= self.samples
            && self.rows > self.between_rows;
        if let Some(first) = self.first_between.filter(|_| !is_few) {
            let rest = match self.between_rows {
                1 => "is not the start of an instruction".to_owned(),
                rows => format!("and {} others are not starts of instructions", rows - 1),
            };
            return Err(Rejection::other_build(format!("offset {first:#x} {rest}")));
        }
        let inside = self.samples + self.between_samples + self.damaged_samples;
        let all = inside.saturating_add(self.after_samples);
        let is_most = self.after_samples > inside && !is_followed;
        if let Some(first) = self.first_after.filter(|_| is_most || self.rows == 0) {
            let after = self.after_samples;
            let reason = if self.after_rows == 1 && self.rows == 0 {
                format!("offset {first:#x} is after the end of the code ({end:#x})")
            } else {
                format!("{after} of {all} samples are after the end of the code ({end:#x})")
            };
            let hint = "of code that follows in memory, or of another build";
            return Err(Rejection::unknown(&format!("{reason}: {hint}")));
        }
        if self.rows == 0 {
            let reason = "no offset is the start of an instruction".to_owned();
            return Err(Rejection::other_build(reason));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(rows: &[(Place, u64, u64)]) -> Fit {
        let mut fit = Fit::default();
        for (place, offset, count) in rows {
            fit.add(*place, *offset, &[*count]);
        }
        fit
    }

    #[test]
    fn a_damaged_row_is_no_other_build() {
        let at = Place::Instruction(0);
        let good: Vec<_> = (0..20).map(|row| (at, row * 16, 5)).collect();
        let with =
            |more: &[(Place, u64, u64)]| fit(&[&good[..], more].concat()).judge(0x200, false);
        assert_eq!(with(&[]), Ok(()));
        assert_eq!(with(&[(Place::Between, 0x18, 5)]), Ok(()));
        assert_eq!(with(&[(Place::Between, 0x1c, 1000)]), Ok(()));
        assert_eq!(with(&[(Place::AfterEnd, 0x400, 99)]), Ok(()));
        assert!(with(&[(Place::AfterEnd, 0x400, 101)]).is_err());
        assert!(with(&[(Place::Between, 0x18, 101)]).is_err());
        let three = [(Place::Between, 0x18, 1); 3];
        let reason = with(&three).unwrap_err().reason;
        assert_eq!(
            reason,
            "offset 0x18 and 2 others are not starts of instructions"
        );
    }

    #[test]
    fn code_may_follow_the_kernel() {
        let rows = [(Place::Instruction(0), 0, 1), (Place::AfterEnd, 0x400, 9)];
        assert!(fit(&rows).judge(0x200, true).is_ok());
        let reason = fit(&rows).judge(0x200, false).unwrap_err().reason;
        assert!(reason.starts_with("9 of 10 samples are after the end of the code (0x200): "));
        assert!(fit(&rows[1..]).judge(0x200, true).is_err());
    }
}
