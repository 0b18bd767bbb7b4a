//! Answers to requests about the data flow of code.

use std::rc::Rc;

use super::list::Lists;
use crate::analysis::assembly::Listing;
use crate::analysis::data_flow::Flows;
use crate::model::{Document, NodeId, Span};
use crate::tables::ListId;
use crate::tables::query::Query;
use crate::worker::protocol::{FLOW_ROWS_MAX, FlowOverview, Response};

/// Summarizes the data flow of a section of code, in the innermost document around a node.
///
/// # Errors
///
/// If there is no code, or its encoding is not known, as a message.
pub(crate) fn answer(
    lists: &Lists,
    document: &mut Document,
    node: NodeId,
    query: &Query,
) -> Result<Response, String> {
    let none = "This part of the file has no instructions.";
    let id = document.document_of(node, ListId::Instructions);
    let id = id.ok_or(none)?;
    // The list on the screen shares its data flow.
    let listed = lists.listing(id, query);
    let listing = listed.or_else(|| document.listing(id, query.of, query.device.as_deref()));
    let listing = listing.ok_or(none)?;
    let flow = listing.data_flow(&document.sources);
    let flow = flow.ok_or("The encoding is not known.")?;
    let mut report = flow.report();
    let mut left_out = 0;
    // The loops that remain keep their indices.
    left_out += cut(&mut report.loops);
    left_out += cut(&mut report.slots);
    left_out += cut(&mut report.patterns);
    let of = listing.code();
    Ok(Response::DataFlow(Box::new(FlowOverview {
        document: id,
        of,
        live: live(&*flow, listing.count().min(report.instructions)),
        report,
        left_out,
        grf_count: grf_count(document, id, of),
    })))
}

fn cut<T>(rows: &mut Vec<T>) -> u64 {
    let more = rows.len().saturating_sub(FLOW_ROWS_MAX);
    rows.truncate(FLOW_ROWS_MAX);
    more as u64
}

fn live(flow: &dyn Flows, count: u32) -> Vec<u16> {
    let registers = |row| u16::try_from(flow.live(row).registers).unwrap_or(u16::MAX);
    (0..count).map(registers).collect()
}

/// Returns the number of registers of the kernel that the code belongs to.
fn grf_count(document: &Document, id: NodeId, of: Span) -> Option<u32> {
    let sections = document.assembly(id)?.sections();
    let section = sections.iter().find(|section| section.bytes == of)?;
    let (_, entry) = section.kernel.as_ref()?;
    let rows = document.kernels(id)?.rows(&document.sources);
    let kernel = rows.iter().find(|row| row.entry == *entry)?;
    u32::try_from(kernel.grf_count.value).ok()
}

impl Lists {
    /// Returns the listing of the cached list of instructions, if it is of this code.
    fn listing(&self, document: NodeId, query: &Query) -> Option<Rc<dyn Listing>> {
        self.instructions(document, query)?.listing()
    }
}
