//! The operations that embedders in all languages offer on a document, with errors that have codes.

use crate::tables;
use std::fmt;
use std::io;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::dto::Node;
use crate::analysis::assembly::Listing;
use crate::analysis::data_flow::Flows;
use crate::analysis::module_text::IdStyle;
use crate::analysis::{LoadOptions, Verdict};
use crate::decode::device::Device;
use crate::decode::device::names::unknown_device;
use crate::decode::zebin::verdict::release::Release;
use crate::diff::{self, Comparison};
use crate::kernel_names::{self, Build, KernelForms, KernelNameError, KernelQuery, Reason};
use crate::model::json::ArrayFrame;
use crate::model::sort;
use crate::model::suggest::unknown_among;
use crate::model::text::escaped;
use crate::model::{Document, NodeId, SourceError, SourceId, Sources, Span};
use crate::report::check::{VerdictRow, file_json, problems_json};
use crate::report::code::{FlowJson, FlowSummary};
use crate::report::write_excerpt;
use crate::step::{KernelStep, kernel_step};
use crate::tables::found::Finding;
use crate::tables::json::{JsonColumns, RowJson};
use crate::tables::kernels::search::SearchOptions;
use crate::tables::query::{Order, Query, RowOptions};
use crate::tables::{Column, Key, List, ListId};
use crate::worker::answers::export::EXPORT_MAX;
use crate::worker::protocol::ROWS_MAX;

/// Lists that are available for a whole document.
pub const LISTS: [ListId; 7] = [
    ListId::Kernels,
    ListId::Relocations,
    ListId::Symbols,
    ListId::Modules,
    ListId::Images,
    ListId::Devices,
    ListId::SourceLines,
];

/// The error of an operation: misuse, or a result that is too long. Damaged files are not errors.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ApiError {
    /// A code for programs: `no-kernel`.
    pub code: &'static str,
    /// The message.
    pub message: String,
    /// The bytes that could not be read.
    pub span: Option<Span>,
}

impl ApiError {
    /// Creates an error.
    pub fn new(code: &'static str, message: impl Into<String>) -> ApiError {
        ApiError {
            code,
            message: message.into(),
            span: None,
        }
    }
}

impl fmt::Display for ApiError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for ApiError {}

impl From<SourceError> for ApiError {
    fn from(error: SourceError) -> ApiError {
        ApiError {
            span: Some(error.span),
            ..ApiError::new("unreadable", error.to_string())
        }
    }
}

/// Filter, order and columns of a list.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct ListOptions {
    /// A filter in the syntax of `--filter`.
    pub filter: String,
    /// The id of a column; with a prefix `-`, the largest first.
    pub sort: String,
    /// For images: the device to choose them for. For kernels: a device that must be known; the filter
    /// chooses its kernels.
    pub device: Option<String>,
    /// Additional columns, which are counted from the code.
    pub columns: Vec<String>,
    /// Whether rows have a key `file`: the path of their document in the file, empty for the file.
    #[serde(skip)]
    pub with_path: bool,
}

/// Returns the list with a name.
///
/// # Errors
///
/// If no list with the name is available for a whole document (`no-list`).
pub fn list_named(name: &str) -> Result<ListId, ApiError> {
    let list = LISTS.into_iter().find(|list| list.name() == name);
    list.ok_or_else(|| {
        let known = LISTS.iter().map(|list| list.name());
        ApiError::new("no-list", unknown_among("list", name, known))
    })
}

/// Passes the rows of a list to `each`. For a container, the rows of all images, in one order.
///
/// # Errors
///
/// If there is no such list (`no-list`) or column (`no-column`), the filter is malformed
/// (`bad-query`), or the rows would be longer than [`EXPORT_MAX`] (`too-long`); or the first error
/// of `each`.
pub fn rows<E: From<ApiError>>(
    document: &mut Document,
    name: &str,
    options: &ListOptions,
    mut each: impl FnMut(&RowJson<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let list = list_named(name)?;
    let columns = counted(list, &options.columns)?;
    let columns = JsonColumns::new(list, &columns);
    let sort = options.sort.as_str();
    let query = Query {
        filter: options.filter.clone(),
        sort: Some(sort.trim_start_matches('-'))
            .filter(|sort| !sort.is_empty())
            .map(|sort| sort.to_owned().into()),
        descending: sort.starts_with('-'),
        options: RowOptions::for_device(options.device.clone().map(Into::into), None),
        ..Query::default()
    };
    let lists = lists(document, list, &query);
    if let Some(device) = options.device.as_ref()
        && !(list == ListId::Kernels && is_device_of(device, &lists, &document.sources))
    {
        known_device(document, device)?;
    }
    let paths: Vec<String> = lists.iter().map(|(id, _)| document.path(*id)).collect();
    let sources = &document.sources;
    let order = order(&lists, &query, sources);
    let order = order.map_err(|message| ApiError::new("bad-query", message))?;
    let mut size = 0_usize;
    for (at, row) in order {
        let (Some((_, rows)), Some(path)) = (lists.get(at), paths.get(at)) else {
            continue;
        };
        let path = match rows.as_kernels().map_or("", |kernels| kernels.path(row)) {
            "" => path.as_str(),
            path => path,
        };
        let file = options.with_path.then_some(path);
        let row = RowJson::new((&**rows, row, sources), &columns, file);
        each(&row)?;
        size = size.saturating_add(row.size());
        if size > EXPORT_MAX {
            return Err(too_long().into());
        }
    }
    Ok(())
}

/// A row of several lists: the index of the list, and the row in it.
type RowOf = (usize, u32);

/// Returns the rows of lists in the order of a query, which sorts them together.
fn order(
    lists: &[(NodeId, Rc<dyn List>)],
    query: &Query,
    sources: &Sources,
) -> Result<Box<dyn Iterator<Item = RowOf>>, String> {
    let orders = lists.iter().map(|(_, rows)| query.run(&**rows, sources));
    let orders: Vec<Order> = orders.collect::<Result<_, String>>()?;
    let rows = orders.into_iter().enumerate().flat_map(|(at, order)| {
        let rows = (0..u64::from(order.count())).filter_map(move |place| order.row(place));
        rows.map(move |row| (at, row))
    });
    let [(_, first), _, ..] = lists else {
        return Ok(Box::new(rows));
    };
    let mut columns = first.id().columns().iter();
    let sort = query.sort.as_ref();
    let Some(column) = sort.and_then(|id| columns.position(|column| column.id == id.trim())) else {
        return Ok(Box::new(rows));
    };
    let keyed = rows.filter_map(|(at, row)| {
        let (_, rows) = lists.get(at)?;
        Some((rows.key(row, column, sources), (at, row)))
    });
    let mut keyed: Vec<(Key<'_>, RowOf)> = keyed.collect();
    // Rows with equal keys stay in the order of the file.
    sort::by(&mut keyed, |(a, _), (b, _)| {
        if query.descending {
            b.order(a)
        } else {
            a.order(b)
        }
    });
    let rows: Vec<RowOf> = keyed.into_iter().map(|(_, row)| row).collect();
    Ok(Box::new(rows.into_iter()))
}

/// What is searched in code, and what is returned.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(default)]
pub struct FindRequest {
    /// The query, in the syntax of `zeview find`.
    pub query: String,
    /// Whether each instruction is a row; otherwise each kernel.
    pub rows: bool,
    /// Maximum number of rows; all without it.
    pub limit: Option<u32>,
    /// The kernels that are searched; by default all.
    pub kernels: KernelQuery,
}

/// Searches the code of all kernels. Returns the rows as a JSON array of objects, as `zeview find
/// --json` prints them, with the path of the document as `file`.
///
/// # Errors
///
/// If the query is malformed (`bad-query`), there is no such device (`no-device`), nothing has the kernel, image or
/// file (`no-kernel`), or the rows would be longer than [`EXPORT_MAX`] (`too-long`).
pub fn find_code(document: &mut Document, request: &FindRequest) -> Result<String, ApiError> {
    if let Some(device) = &request.kernels.device {
        known_device(document, device)?;
    }
    let bad_query = |message: String| ApiError::new("bad-query", message);
    if request.query.trim().is_empty() {
        return Err(bad_query("the query is empty".to_owned()));
    }
    let options = SearchOptions {
        kernels: request.kernels.clone(),
        each: request.rows,
        rows_max: usize::MAX,
        ..SearchOptions::default()
    };
    let finding = Finding::new(document, NodeId::ROOT, &request.query, options);
    let mut finding = finding.map_err(bad_query)?;
    finding.read(document, |_| {});
    let columns = JsonColumns::new(ListId::Found, &[]);
    let (mut out, mut frame) = (String::new(), ArrayFrame::default());
    let mut left = request.limit.unwrap_or(u32::MAX);
    'search: loop {
        let goes_on = finding.step(document);
        let sources = &document.sources;
        if let Some(list) = finding.take(sources) {
            for row in 0..list.count() {
                let Some(rest) = left.checked_sub(1) else {
                    break 'search;
                };
                left = rest;
                let path = list.as_kernels().map_or("", |kernels| kernels.path(row));
                let row = RowJson::new((&*list, row, sources), &columns, Some(path));
                let row = serde_json::to_string(&row);
                let row = row.map_err(|error| ApiError::new("internal", error.to_string()))?;
                out.push_str(frame.before());
                out.push_str(&row);
                if out.len() > EXPORT_MAX {
                    return Err(too_long());
                }
            }
        }
        if !goes_on {
            break;
        }
    }
    if finding.totals().searched == 0 {
        known_kernels(document, &request.kernels)?;
    }
    out.push_str(frame.end());
    Ok(out)
}

/// Checks that there are kernels with the name, image and file of a query, in any form and for any device.
fn known_kernels(document: &mut Document, query: &KernelQuery) -> Result<(), ApiError> {
    let query = KernelQuery {
        device: None,
        forms: KernelForms::All,
        ..query.clone()
    };
    if query == KernelQuery::default() {
        return Ok(());
    }
    if query.name.trim().is_empty() {
        kernel_names::all(document, &query)?;
    } else {
        kernel_names::find(document, &query)?;
    }
    Ok(())
}

/// Returns the columns with these ids.
fn counted(list: ListId, ids: &[String]) -> Result<Vec<&'static Column>, ApiError> {
    let columns = ids.iter().map(|id| list.column_called(id));
    let columns = columns.collect::<Result<_, String>>();
    columns.map_err(|message| ApiError::new("no-column", message))
}

fn too_long() -> ApiError {
    let limit = EXPORT_MAX >> 20;
    let message = format!("The list has more than {limit} MB of text. Filter it.");
    ApiError::new("too-long", message)
}

/// Returns the rows of a list as a JSON array of objects.
///
/// # Errors
///
/// As [`rows`], with the limit of [`EXPORT_MAX`] for the text.
pub fn list(
    document: &mut Document,
    name: &str,
    options: &ListOptions,
) -> Result<String, ApiError> {
    let mut out = String::new();
    let mut frame = ArrayFrame::default();
    rows(document, name, options, |row| {
        let row = serde_json::to_string(row);
        let row = row.map_err(|error| ApiError::new("internal", error.to_string()))?;
        out.push_str(frame.before());
        out.push_str(&row);
        if out.len() > EXPORT_MAX {
            Err(too_long())
        } else {
            Ok(())
        }
    })?;
    out.push_str(frame.end());
    Ok(out)
}

/// Returns the list of the whole file, or else those of the documents in it. Symbols and relocations
/// come from the file and all documents in it, as `zeview ls` lists them.
fn lists(document: &mut Document, list: ListId, query: &Query) -> Vec<(NodeId, Rc<dyn List>)> {
    // The list of kernels reads the files of a package itself.
    if list != ListId::Kernels {
        document.open_files(NodeId::ROOT);
    }
    let is_of_all = matches!(list, ListId::Symbols | ListId::Relocations);
    if !is_of_all && let Some(rows) = tables::list_for(document, NodeId::ROOT, list, query) {
        return vec![(NodeId::ROOT, rows)];
    }
    let documents = if is_of_all {
        tables::all_documents_with(document, list)
    } else {
        tables::documents_with(document, list)
    };
    let mut found = Vec::new();
    for id in documents {
        let rows = tables::list_for(document, id, list, query);
        found.extend(rows.map(|rows| (id, rows)));
    }
    found
}

/// The device and the release of the driver for a verdict.
#[derive(Debug, Clone, Default)]
pub struct VerdictOptions {
    /// The name of the device; by default the file's own.
    pub device: Option<String>,
    /// The release of the driver: `25.18`, `lts2`; by default the one that was observed.
    pub driver: Option<String>,
}

impl VerdictOptions {
    /// Checks the names.
    fn load(&self, document: &Document) -> Result<LoadOptions<'_>, ApiError> {
        if let Some(device) = &self.device {
            known_device(document, device)?;
        }
        let unknown = |name: &&String| Release::named(name).is_none();
        if let Some(driver) = self.driver.as_ref().filter(unknown) {
            return Err(ApiError::new("no-driver", Release::unknown(driver)));
        }
        Ok(LoadOptions {
            device: self.device.as_deref(),
            release: self.driver.as_deref(),
        })
    }
}

/// Whether one of the kernels is for a device with this name. Files name devices that are not known here, and
/// kernels of SPIR-V are for none.
fn is_device_of(device: &str, lists: &[(NodeId, Rc<dyn List>)], sources: &Sources) -> bool {
    let mut columns = ListId::Kernels.columns().iter();
    let Some(column) = columns.position(|column| column.id == "device") else {
        return false;
    };
    lists.iter().any(|(_, list)| {
        let mut rows = 0..list.count();
        rows.any(|row| {
            let cell = list.cell(row, column, sources);
            cell.value.text().eq_ignore_ascii_case(device)
        })
    })
}

fn known_device(document: &Document, device: &str) -> Result<(), ApiError> {
    let mut known = document.devices().into_iter();
    if Device::named(device).is_some() || known.any(|known| known == *device) {
        return Ok(());
    }
    Err(ApiError::new("no-device", unknown_device(device)))
}

/// Predicts what the driver does with the file on a device, by default the file's own. Returns
/// `None` for files that are not passed to the driver.
///
/// # Errors
///
/// If no device has the name (`no-device`), or no release of the driver (`no-driver`).
pub fn verdict(document: &Document, options: &VerdictOptions) -> Result<Option<Verdict>, ApiError> {
    let options = options.load(document)?;
    Ok(document.verdict_with(NodeId::ROOT, options))
}

/// Returns the verdict and the problems of the file and of all images in it, as an object of
/// `zeview check --json`.
///
/// # Errors
///
/// If no device has the name (`no-device`), or no release of the driver (`no-driver`).
pub fn check(document: &mut Document, options: &VerdictOptions) -> Result<String, ApiError> {
    let options = options.load(document)?;
    let row = VerdictRow::file(document, options);
    let name = document.sources.name(SourceId::FILE);
    let mut out = Vec::new();
    let written = file_json(document, &row, &name, &mut out);
    text(written, out)
}

/// Returns the problems of the file and of all documents in it, as in [`check`].
///
/// # Errors
///
/// Never: it writes to memory.
pub fn problems(document: &mut Document) -> Result<String, ApiError> {
    let mut out = Vec::new();
    let written = problems_json(document, &mut out);
    text(written, out)
}

/// Maximum length of an [`excerpt`], in bytes.
const EXCERPT_MAX: u64 = 100_000;

/// Returns a summary of the file in HTML, with at most `rows` rows of the first of `lists` that it
/// has.
///
/// # Errors
///
/// If a list is unknown (`no-list`).
pub fn excerpt(document: &mut Document, lists: &[String], rows: u32) -> Result<String, ApiError> {
    let lists = lists.iter().map(|name| list_named(name));
    let lists: Vec<ListId> = lists.collect::<Result<_, ApiError>>()?;
    let mut out = Vec::new();
    let written = write_excerpt(document, &lists, rows, EXCERPT_MAX, &mut out);
    text(written, out)
}

fn text(written: io::Result<()>, out: Vec<u8>) -> Result<String, ApiError> {
    let internal = |message: String| ApiError::new("internal", message);
    written.map_err(|error| internal(error.to_string()))?;
    String::from_utf8(out).map_err(|error| internal(error.to_string()))
}

/// The listing of a kernel's code, and the document that the kernel is in.
pub type KernelCode = (NodeId, Rc<dyn Listing>);

/// Returns the listing of the code of a kernel's only build that a query names.
///
/// # Errors
///
/// If there is no such kernel (`no-kernel`), path (`no-path`) or device (`no-device`), if it has several
/// builds (`several-kernels`) or no native code (`no-code`), or if its device is unknown
/// (`no-encoding`).
pub fn listing(document: &mut Document, query: &KernelQuery) -> Result<KernelCode, ApiError> {
    let (build, listing) = code_of(document, query)?;
    Ok((build.document, listing))
}

/// Returns a kernel's only build that a query names, and the listing of its code, as [`listing`].
pub(super) fn code_of(
    document: &mut Document,
    query: &KernelQuery,
) -> Result<(Build, Rc<dyn Listing>), ApiError> {
    let query = KernelQuery {
        forms: KernelForms::Code,
        ..query.clone()
    };
    let build = kernel_names::one(document, &query)?;
    let listing = document.listing(build.document, build.code, None);
    let listing = listing.filter(|listing| listing.encoding().is_some());
    let message = "the device that the file is for is not known";
    let listing = listing.ok_or_else(|| ApiError::new("no-encoding", message))?;
    Ok((build, listing))
}

/// Returns the row of a kernel's only build that a query names, as an object of [`list`], with the
/// named columns that are counted from the code.
///
/// # Errors
///
/// As [`listing`]; kernels without native code have rows, too. If a column is unknown (`no-column`).
pub fn kernel(
    document: &mut Document,
    query: &KernelQuery,
    columns: &[String],
) -> Result<String, ApiError> {
    let build = kernel_names::one(document, query)?;
    let columns = counted(ListId::Kernels, columns)?;
    let columns = JsonColumns::new(ListId::Kernels, &columns);
    let list = tables::list(document, build.document, ListId::Kernels, None);
    let no_row = || {
        let message = format!("the file has no description of {:?}", build.name);
        ApiError::new("no-kernel", message)
    };
    let list = list.ok_or_else(no_row)?;
    let sources = &document.sources;
    let mut rows = 0..list.count();
    let row = rows.find(|row| list.cell(*row, 0, sources).value.text() == *build.name);
    let row = row.ok_or_else(no_row)?;
    let row = RowJson::new((&*list, row, sources), &columns, Some(&build.path));
    let row = serde_json::to_string(&row);
    row.map_err(|error| ApiError::new("internal", error.to_string()))
}

impl From<KernelNameError> for ApiError {
    fn from(error: KernelNameError) -> ApiError {
        let mut message = error.to_string();
        if matches!(error.reason, Reason::Several(_)) {
            message.push_str("\nchoose with device, image or file");
        }
        ApiError::new(error.code(), message)
    }
}

/// Returns the code of a listing as assembly, as `zeview disasm` prints it.
///
/// # Errors
///
/// If the text would be longer than [`EXPORT_MAX`] (`too-long`).
pub fn assembly(document: &Document, listing: &dyn Listing) -> Result<String, ApiError> {
    let text = listing.text(&document.sources, EXPORT_MAX);
    text.map_err(|message| ApiError::new("too-long", message))
}

/// Returns a kernel's source, SPIR-V, vISA and instructions, as `zeview step --json` prints them.
/// `texts` are source files: names and contents.
///
/// # Errors
///
/// As [`listing`]; a kernel of SPIR-V without native code is one of them.
pub fn step(
    document: &mut Document,
    query: &KernelQuery,
    texts: &[(String, String)],
) -> Result<KernelStep, ApiError> {
    for (name, text) in texts {
        document.add_source_text(name, text);
    }
    let query = KernelQuery {
        forms: KernelForms::CodeOrSpirv,
        ..query.clone()
    };
    let build = kernel_names::one(document, &query)?;
    Ok(kernel_step(document, &build))
}

/// Returns the SPIR-V of the modules that a query names, one after the other, as `zeview disasm
/// --spirv` prints it; with `numbers`, with `--raw-ids`.
///
/// # Errors
///
/// If there is none (`no-spirv`), as [`kernel`] for names, and if the text would be longer than
/// [`EXPORT_MAX`] (`too-long`).
pub fn spirv(
    document: &mut Document,
    query: &KernelQuery,
    numbers: bool,
) -> Result<String, ApiError> {
    let modules = kernel_names::modules(document, query)?;
    if modules.is_empty() {
        return Err(ApiError::new("no-spirv", "the file has no SPIR-V"));
    }
    let ids = if numbers {
        IdStyle::Numbers
    } else {
        IdStyle::Names
    };
    let sources = &document.sources;
    let mut out = String::new();
    for module in &modules {
        if modules.len() > 1 {
            out.push_str(&format!("; module {}\n", escaped(&module.title())));
        }
        for row in 0..module.text.count(sources) {
            if let Some(line) = module.text.line(row, ids, sources) {
                out.push_str(&line.readable().0);
                out.push('\n');
            }
            if out.len() > EXPORT_MAX {
                let message = "the text is too long; name a kernel or an image";
                return Err(ApiError::new("too-long", message));
            }
        }
    }
    Ok(out)
}

/// Compares a document with an earlier one, as `zeview diff` does; with `everything`, as with `--everything`.
pub fn compare(before: &mut Document, document: &mut Document, everything: bool) -> Comparison {
    let options = diff::Options {
        kernels_first: !everything,
        ..diff::Options::default()
    };
    diff::compare(before, document, &options)
}

/// Returns the data flow of a listing.
///
/// # Errors
///
/// If the code cannot be read (`no-code`).
pub fn data_flow(document: &Document, listing: &dyn Listing) -> Result<Rc<dyn Flows>, ApiError> {
    let flow = listing.data_flow(&document.sources);
    flow.ok_or_else(|| ApiError::new("no-code", "the code cannot be read"))
}

/// An instruction with its data flow.
#[derive(Serialize)]
pub struct Instruction<'a> {
    offset: u64,
    mnemonic: &'static str,
    text: &'a str,
    comment: &'a str,
    #[serde(flatten)]
    flow: FlowJson,
}

/// Returns the summary of a kernel's data flow.
///
/// # Errors
///
/// If the code cannot be read (`no-code`).
pub fn flow_summary(
    document: &Document,
    (of, listing): &KernelCode,
) -> Result<FlowSummary, ApiError> {
    let sources = &document.sources;
    let flow = data_flow(document, &**listing)?;
    let table = document.source_lines(*of);
    let table = table.map(|lines| lines.table(sources));
    Ok(FlowSummary::new(&*flow, table.as_deref(), listing.code()))
}

/// Passes the instructions of a listing to `each`, with their data flow.
///
/// # Errors
///
/// If the code cannot be read (`no-code`), or the first error of `each`.
pub fn instructions<E: From<ApiError>>(
    document: &Document,
    listing: &dyn Listing,
    mut each: impl FnMut(&Instruction<'_>) -> Result<(), E>,
) -> Result<(), E> {
    let flow = data_flow(document, listing)?;
    let sources = &document.sources;
    for row in 0..listing.count() {
        let (Some(line), Some(span)) = (listing.line(row, sources), listing.span(row, sources))
        else {
            break;
        };
        let Some(flow) = FlowJson::new(&*flow, row) else {
            break;
        };
        each(&Instruction {
            offset: span.start.saturating_sub(listing.code().start),
            mnemonic: line.mnemonic,
            text: line.text.trim(),
            comment: &line.comment,
            flow,
        })?;
    }
    Ok(())
}

/// Returns the source with an id: the file, or data that were unpacked from it.
///
/// # Errors
///
/// If there is none (`no-source`).
pub fn source(document: &Document, id: u32) -> Result<SourceId, ApiError> {
    let source = SourceId(id);
    if source == SourceId::FILE || document.sources.parent(source).is_some() {
        return Ok(source);
    }
    let message = format!("the document has no source {id}; read its node again");
    Err(ApiError::new("no-source", message))
}

/// Returns a node.
///
/// # Errors
///
/// If there is none with the id (`no-node`).
pub fn node(document: &Document, id: NodeId) -> Result<Node<'_>, ApiError> {
    let node = Node::new(document, id);
    node.ok_or_else(|| ApiError::new("no-node", format!("the document has no node {}", id.0)))
}

/// Returns the ids of at most `count` children of a node (and at most [`ROWS_MAX`]), from index
/// `start` on.
pub fn children(document: &mut Document, id: NodeId, start: u64, count: u64) -> Vec<NodeId> {
    let end = start.saturating_add(count.min(ROWS_MAX));
    document.children(id, start..end)
}

/// Returns the nodes at a path as `zeview ls` prints it, or that match a pattern.
///
/// # Errors
///
/// If there are none, or too many (`no-path`).
pub fn find(document: &mut Document, path: &str) -> Result<Vec<NodeId>, ApiError> {
    let found = document.find_all(path);
    found.map_err(|error| ApiError::new("no-path", error.to_string()))
}

/// Returns the bytes of the part of the file at a path, as `zeview extract` writes them: those of a
/// compressed device image or file of a package are decompressed unless `packed`.
///
/// # Errors
///
/// If the path matches no part (`no-path`), several (`several-parts`), or one without bytes
/// (`no-bytes`).
pub fn part(document: &mut Document, path: &str, packed: bool) -> Result<Span, ApiError> {
    let found = document.find_parts(path);
    let found = found.map_err(|error| ApiError::new("no-path", error.to_string()))?;
    let mut parts = Vec::new();
    for id in found {
        parts.extend(document.file_part(id, packed));
    }
    match parts.as_slice() {
        [part] => Ok(*part),
        [] => Err(ApiError::new("no-bytes", format!("{path} has no bytes"))),
        parts => {
            let message = format!("{} parts match {path}", parts.len());
            Err(ApiError::new("several-parts", message))
        }
    }
}
