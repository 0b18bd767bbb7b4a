//! Answers to requests about the code of a document.

use super::rows::short_name;
use crate::analysis::assembly::Tally;
use crate::analysis::source_lines::CodeSection;
use crate::decode::isa::Platform;
use crate::model::{Document, NodeId, Span, Str};
use crate::tables;
use crate::tables::ListId;
use crate::tables::query::Query;
use crate::worker::protocol::{CodeReport, Response, SECTIONS_MAX};

/// Maximum number of bytes of code counted per answer.
const PIECE: u64 = 1 << 20;

/// The key of a count: document, section of code and encoding.
type CountKey = (NodeId, Span, Option<Str>);

/// The count that was requested last.
#[derive(Default)]
pub(crate) struct Counting(Option<(CountKey, Box<dyn Tally>, u64)>);

impl Counting {
    /// Reports the code sections of the innermost document around a node and the instruction mix of
    /// one section. Resumes the previous count.
    ///
    /// # Errors
    ///
    /// If there is no code, as a message.
    pub(crate) fn answer(
        &mut self,
        document: &mut Document,
        node: NodeId,
        query: &Query,
    ) -> Result<Response, String> {
        let none = "This part of the file has no instructions.";
        let around = tables::document_of(document, node, ListId::Instructions);
        let id = around.ok_or(none)?;
        let assembly = document.assembly(id).ok_or(none)?;
        let sections = assembly.sections();
        let first = sections.first().ok_or(none)?.bytes;
        let of = query.of.unwrap_or(first);
        let wanted = (id, of, query.encoding().cloned());
        let known = self.0.take().filter(|(counted, ..)| *counted == wanted);
        let (mut tally, mut left) = match known {
            Some((_, tally, left)) => (tally, left),
            None => {
                let encoding = query.encoding().map(|name| &**name);
                let listing = assembly.listing(of, encoding, &document.sources)?;
                (listing.tally(&document.sources), of.len())
            }
        };
        if left > 0 {
            left = tally.step(PIECE, &document.sources);
        }
        let mut mix = tally.mix();
        if left == 0 {
            let encoding = query.encoding().map(|name| &**name);
            let listing = assembly.listing(of, encoding, &document.sources)?;
            mix = mix.without_saves(&*listing, &document.sources);
        }
        self.0 = Some((wanted, tally, left));
        let sections = sections.iter().take(SECTIONS_MAX);
        let mut names = None;
        let sections = sections.map(|section| {
            let short = short_name(document, id, &section.name, &mut names);
            (
                short.map_or_else(|| section.name.clone(), Into::into),
                section.bytes,
            )
        });
        Ok(Response::Code(Box::new(CodeReport {
            document: id,
            sections: sections.collect(),
            encoding: assembly.encoding(),
            encodings: Platform::ALL.map(|platform| platform.name().into()).into(),
            of,
            mix,
            left,
        })))
    }
}

/// Returns the code section to show for a selection outside of code: the visible one if it is the
/// document's; else the section of the same name, if another document is visible; else the first.
pub(super) fn same_code(
    document: &Document,
    id: NodeId,
    shown: Option<NodeId>,
    of: Option<Span>,
) -> Option<Span> {
    let assembly = document.assembly(id)?;
    let sections = assembly.sections();
    let before = shown.filter(|shown| *shown != id);
    let before = before.and_then(|shown| document.assembly(shown));
    let is_of = |section: &&CodeSection| Some(section.bytes) == of;
    let name = before.and_then(|before| Some(before.sections().iter().find(is_of)?.name.clone()));
    let own = sections.iter().find(is_of);
    let named = || {
        sections
            .iter()
            .find(|section| Some(&section.name) == name.as_ref())
    };
    let found = own.or_else(named).or_else(|| sections.first())?;
    Some(found.bytes)
}
