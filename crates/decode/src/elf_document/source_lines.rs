//! The source lines of a file, with the kernels of its code.

use std::rc::Rc;

use super::contents::Contents;
use crate::dwarf::Dwarf;
use zeview_core::analysis::source_lines::SourceLines;
use zeview_core::model::{Sources, Span};

/// Returns the lines of a file with these contents. Returns `None` if it has no line tables.
pub(super) fn lines(
    dwarf: Option<&Rc<Dwarf>>,
    contents: &Rc<dyn Contents>,
) -> Option<Rc<SourceLines>> {
    let dwarf = Rc::clone(dwarf.filter(|dwarf| dwarf.has_lines())?);
    let (of_sections, of_code) = (Rc::clone(contents), Rc::clone(contents));
    let read = move |sources: &Sources| {
        let mut table = dwarf.line_table(sources);
        for section in &mut table.sections {
            section.kernel = of_sections.kernel_of(&section.name);
        }
        table
    };
    let count = move |code: Span, sources: &Sources| of_code.instructions(code, sources);
    Some(Rc::new(SourceLines::new(read, Box::new(count))))
}
