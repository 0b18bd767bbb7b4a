//! The source lines of a file, with the kernels of its code.

use std::cell::OnceCell;
use std::rc::Rc;

use super::contents::Contents;
use crate::dwarf::Dwarf;
use zeview_core::analysis::source_lines::{LineTable, SourceLines};
use zeview_core::model::{Sources, Span};

/// The source lines of a file, read on demand.
pub(super) struct ElfLines {
    dwarf: Rc<Dwarf>,
    contents: Rc<dyn Contents>,
    table: OnceCell<Rc<LineTable>>,
}

impl ElfLines {
    /// Returns the lines of a file with these contents. Returns `None` if it has no line tables.
    pub(super) fn of(
        dwarf: Option<&Rc<Dwarf>>,
        contents: &Rc<dyn Contents>,
    ) -> Option<Rc<ElfLines>> {
        let dwarf = dwarf.filter(|dwarf| dwarf.has_lines())?;
        Some(Rc::new(ElfLines {
            dwarf: Rc::clone(dwarf),
            contents: Rc::clone(contents),
            table: OnceCell::new(),
        }))
    }

    fn read(&self, sources: &Sources) -> LineTable {
        let mut table = self.dwarf.line_table(sources);
        for section in &mut table.sections {
            section.kernel = self.contents.kernel_of(&section.name);
        }
        table
    }
}

impl SourceLines for ElfLines {
    fn table(&self, sources: &Sources) -> Rc<LineTable> {
        let table = self.table.get_or_init(|| Rc::new(self.read(sources)));
        Rc::clone(table)
    }

    fn instructions(&self, code: Span, sources: &Sources) -> Option<u64> {
        self.contents.instructions(code, sources)
    }
}
