//! Answers to requests about a kernel in step. The lines stay here; the page asks for those it shows.

use std::rc::Rc;

use crate::analysis::assembly::Listing;
use crate::decode::demangle::demangle;
use crate::kernel_names::Build;
use crate::model::{Document, NodeId, Span};
use crate::step::{KernelStep, StepKind, kernel_step};
use crate::tables::instructions::code_row;
use crate::tables::query::Query;
use crate::tables::{self, ListId};
use crate::worker::protocol::{Response, StepHead, StepPlace, StepReport, StepRows};

/// Maximum number of lines in an answer.
const LINES_MAX: u32 = 1000;

/// Maximum number of lines of a column that a place leads to.
const ROWS_MAX: usize = 1000;

/// Prefix of the name of a section with code, before the name of its kernel.
const CODE: &str = ".text.";

/// The kernel that was asked for last.
#[derive(Default)]
pub(crate) struct Steps {
    known: Option<Known>,
    /// Whether it was read before a text of the source was added. Its lines can still be asked for, by
    /// a page that does not know yet.
    is_stale: bool,
}

/// A kernel, and the document and code that it is of.
struct Known {
    document: NodeId,
    listing: Rc<dyn Listing>,
    step: KernelStep,
}

impl Steps {
    /// Notes that a text of the source was added.
    pub(crate) fn forget(&mut self) {
        self.is_stale = true;
    }

    /// Reads the kernel whose code a list of instructions shows.
    ///
    /// # Errors
    ///
    /// If there is no code, as a message.
    pub(crate) fn read(
        &mut self,
        document: &mut Document,
        node: NodeId,
        query: &Query,
    ) -> Result<Response, String> {
        let none = "This part of the file has no instructions.";
        let around = tables::document_of(document, node, ListId::Instructions);
        let id = around.ok_or(none)?;
        let encoding = query.encoding().map(|name| &**name);
        let listing = document.listing(id, query.of, encoding).ok_or(none)?;
        let code = listing.code();
        let is_stale = std::mem::take(&mut self.is_stale);
        let is_same = |known: &Known| known.document == id && known.listing.code() == code;
        let known = self
            .known
            .take()
            .filter(|known| is_same(known) && !is_stale);
        let Known { step, .. } = match known {
            Some(known) => self.known.insert(known),
            None => {
                let build = build_of(document, id, code);
                let step = kernel_step(document, &build);
                self.known.insert(Known {
                    document: id,
                    listing,
                    step,
                })
            }
        };
        let columns = step.columns.iter().map(|column| StepHead {
            kind: column.kind,
            title: column.title.clone(),
            count: u32::try_from(column.lines.len()).unwrap_or(u32::MAX),
        });
        Ok(Response::Step(Box::new(StepReport {
            kernel: demangle(&step.kernel)
                .map_or_else(|| step.kernel.clone(), |text| text.to_string()),
            code,
            basis: step.basis,
            columns: columns.collect(),
            notes: step.notes.clone(),
        })))
    }

    fn known(&self) -> Result<&Known, String> {
        let known = self.known.as_ref();
        known.ok_or_else(|| "No kernel is shown in step.".to_owned())
    }

    /// Returns lines of a column, and what is to be known of those that are instructions.
    ///
    /// # Errors
    ///
    /// If no kernel was read, as a message.
    pub(crate) fn lines(
        &self,
        document: &Document,
        column: u32,
        start: u32,
        count: u32,
    ) -> Result<Response, String> {
        let Known { listing, step, .. } = self.known()?;
        let column = usize::try_from(column).ok();
        let column = column.and_then(|at| step.columns.get(at));
        let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let end = start.saturating_add(count.min(LINES_MAX));
        let lines = column.map(|column| &*column.lines).unwrap_or_default();
        let lines = lines.get(at(start)..at(end).min(lines.len()));
        let lines = lines.unwrap_or_default();
        let mut codes = Vec::new();
        if column.is_some_and(|column| column.kind == StepKind::Instructions) {
            let rows = lines.iter().map(|line| line.number);
            codes.extend(rows.map(|row| code_row(&**listing, row, &document.sources)));
        }
        Ok(Response::StepLines(lines.to_vec(), codes))
    }

    /// Returns the lines that a place leads to.
    ///
    /// # Errors
    ///
    /// If no kernel was read, as a message.
    pub(crate) fn rows(&self, place: StepPlace) -> Result<Response, String> {
        let step = &self.known()?.step;
        let (point, found) = match place {
            StepPlace::Point(point) => (Some(point), None),
            StepPlace::Bytes(span) => {
                let found = step.columns.iter().enumerate().find_map(|(at, column)| {
                    let has = |of: Option<Span>| of.is_some_and(|of| of.contains(span));
                    let row = column.lines.iter().position(|line| has(line.span))?;
                    Some((at, row))
                });
                let line = found.and_then(|(at, row)| step.columns.get(at)?.lines.get(row));
                (line.and_then(|line| line.points.first().copied()), found)
            }
        };
        let rows = step.columns.iter().enumerate().map(|(at, column)| {
            if let Some((_, row)) = found.filter(|(of, _)| *of == at) {
                return vec![u32::try_from(row).unwrap_or(u32::MAX)];
            }
            let lines = (0..).zip(&column.lines);
            let has = |points: &[u32]| point.is_some_and(|point| points.contains(&point));
            let lines = lines.filter(|(_, line)| has(&line.points));
            lines.map(|(row, _)| row).take(ROWS_MAX).collect()
        });
        Ok(Response::StepRows(StepRows {
            point,
            rows: rows.collect(),
        }))
    }
}

/// Describes the code of a section.
fn build_of(document: &mut Document, id: NodeId, code: Span) -> Build {
    let assembly = document.assembly(id);
    let sections = assembly.map(|assembly| assembly.sections());
    let section = sections.as_deref().unwrap_or_default().iter();
    let name = section
        .filter(|section| section.bytes == code)
        .map(|section| &*section.name)
        .next()
        .unwrap_or_default();
    let name = name.strip_prefix(CODE).unwrap_or(name).to_owned();
    let path = match id {
        NodeId::ROOT => String::new(),
        id => document.path(id),
    };
    Build {
        title: name.clone(),
        name,
        document: id,
        path,
        code: Some(code),
        file: "".into(),
        image: String::new(),
        member: String::new(),
        device: document.target_device(id).unwrap_or_default(),
        options: String::new(),
    }
}
