//! Answers requests: the decoder's side of the protocol, without a browser.
//!
//! A [`Handler`] holds one open file. [`host`](super::host) passes it requests and posts its
//! answers; tests do the same natively.

use crate::tables;
use std::cell::RefCell;
use std::rc::Rc;

use super::answers::bytes::bytes;
use super::answers::code::Counting;
use super::answers::data_flow::Summaries;
use super::answers::export::{EXPORT_MAX, export};
use super::answers::images::{code_images, text_document};
use super::answers::list::Lists;
use super::answers::order::ByKernel;
use super::answers::profile::{Profiling, code_samples};
use super::answers::report::report;
use super::answers::rows::{row, rows, shorten, texts};
use super::answers::search::Searching;
use super::answers::selection::select;
use super::answers::sources::added;
use super::answers::step::Steps;
use super::answers::{diff, graph, verdict};
use super::protocol::tree_order::TreeOrder;
use super::protocol::{CodeGuess, Envelope, Opened, Problem, ROWS_MAX, Request, Response};
use crate::analysis::occupancy::OccupancyParameters;
use crate::decode::isa::EncodingGuess;
use crate::decode::zebin::platform;
use crate::decode::{decode, decode_code};
use crate::model::{
    ByteSource, Bytes, DeflatedPart, Document, Inflation, NodeId, SourceError, SourceId,
};
use crate::tables::ListId;

/// Maximum number of problems that get the path of their node when a file is opened; the page can
/// request further ones ([`SelectionTarget::Span`](super::protocol::SelectionTarget::Span)).
pub const PATHS_MAX: usize = 500;
/// Maximum number of hits in one answer.
pub const HITS_MAX: usize = 1000;

/// A response, and the bytes that travel next to it.
#[derive(Debug)]
pub struct Answer {
    /// Posted as data.
    pub response: Response,
    /// Transferred.
    pub bytes: Option<Bytes>,
}

impl From<Response> for Answer {
    fn from(response: Response) -> Answer {
        Answer {
            response,
            bytes: None,
        }
    }
}

/// Returns a failure that is not the file's fault.
pub fn failed(message: impl Into<String>) -> Answer {
    Answer::from(Response::Failed {
        message: message.into(),
        changed: false,
    })
}

/// Returns the failure for a file whose bytes cannot be read.
pub fn unreadable(name: &str, reason: &str) -> Answer {
    Answer::from(Response::Failed {
        message: format!("{name} cannot be read: {reason}"),
        changed: true,
    })
}

/// Holds at most one open file and answers requests about it.
pub struct Handler {
    clock: fn() -> f64,
    file: Option<OpenFile>,
}

struct OpenFile {
    /// Id of the request that opened it.
    id: u32,
    name: String,
    document: Document,
    failure: ReadFailure,
    /// Name of the file that it is compared with, and the last failed read of that file.
    base: (String, ReadFailure),
    /// That file, while its kernels are read.
    comparing: Option<diff::Comparing>,
    steps: Steps,
    by_kernel: ByKernel,
    lists: Lists,
    counting: Counting,
    flows: Summaries,
    searching: Searching,
    profiling: Profiling,
}

impl Handler {
    /// Creates a handler without a file; `clock` returns the time in milliseconds.
    pub fn new(clock: fn() -> f64) -> Handler {
        Handler { clock, file: None }
    }

    /// Answers a [`Request::Open`]: closes the previous file and decodes this one.
    pub fn open(&mut self, id: u32, name: &str, source: Box<dyn ByteSource>) -> Answer {
        self.open_as(id, name, None, source)
    }

    /// Answers a [`Request::Open`], as code without a container if an encoding is given.
    pub fn open_as(
        &mut self,
        id: u32,
        name: &str,
        encoding: Option<&str>,
        source: Box<dyn ByteSource>,
    ) -> Answer {
        // Close first, so that there are never two in memory.
        self.file = None;
        let started = (self.clock)();
        let failure = ReadFailure::default();
        let source = WatchedSource {
            source,
            failure: Rc::clone(&failure),
        };
        let source = Box::new(source);
        let document = match encoding.map(|name| platform::named(name).ok_or(name)) {
            None => decode(source, name),
            Some(Ok(platform)) => decode_code(source, name, platform),
            Some(Err(encoding)) => return failed(platform::unknown(encoding)),
        };
        self.put(id, name, document, failure, started)
    }

    /// Opens a document that was made elsewhere, as if by request `id`.
    pub fn show(&mut self, id: u32, name: &str, document: Document) -> Answer {
        let started = (self.clock)();
        self.put(id, name, document, ReadFailure::default(), started)
    }

    fn put(
        &mut self,
        id: u32,
        name: &str,
        document: Document,
        failure: ReadFailure,
        started: f64,
    ) -> Answer {
        let mut file = OpenFile {
            id,
            name: name.to_owned(),
            document,
            failure,
            base: Default::default(),
            comparing: None,
            steps: Steps::default(),
            by_kernel: ByKernel::default(),
            lists: Lists::new(self.clock),
            counting: Counting::default(),
            flows: Summaries::default(),
            searching: Searching::default(),
            profiling: Profiling::default(),
        };
        let opened = file.opened(self.clock, started);
        if let Some(error) = file.failure.take() {
            return unreadable(name, &error.message);
        }
        self.file = Some(file);
        Answer::from(Response::Opened(Box::new(opened)))
    }

    /// Answers a [`Request::Compare`] with its file.
    pub fn compare(&mut self, envelope: &Envelope, source: Box<dyn ByteSource>) -> Answer {
        let Request::Compare { name, .. } = &envelope.request else {
            return failed("this request takes no file");
        };
        let file = match self.file_of(envelope) {
            Ok(file) => file,
            Err(answer) => return answer,
        };
        let failure = ReadFailure::default();
        let source = WatchedSource {
            source,
            failure: Rc::clone(&failure),
        };
        let base = decode(Box::new(source), name);
        file.base = (name.clone(), failure);
        file.comparing = Some(diff::Comparing::new(base, &file.document));
        self.answer(envelope)
    }

    /// Answers a [`Request::AddProfile`] with its file.
    pub fn add_profile(&mut self, envelope: &Envelope, source: Box<dyn ByteSource>) -> Answer {
        let Request::AddProfile { name, .. } = &envelope.request else {
            return failed("this request takes no file");
        };
        match self.file_of(envelope) {
            Ok(file) => file.profiling.start(name, source),
            Err(answer) => return answer,
        }
        self.answer(envelope)
    }

    /// Returns the file that a request is about.
    ///
    /// # Errors
    ///
    /// If it is no longer open, as the answer to the request.
    fn file_of(&mut self, envelope: &Envelope) -> Result<&mut OpenFile, Answer> {
        let file = self.file.as_mut();
        let file = file.ok_or_else(|| failed("no file is open"))?;
        if envelope.about.is_some_and(|id| id != file.id) {
            Err(failed("another file was opened after this request"))
        } else {
            Ok(file)
        }
    }

    /// Closes the file.
    pub fn clear(&mut self) {
        self.file = None;
    }

    /// Answers every request but [`Request::Open`], which needs a file.
    pub fn answer(&mut self, envelope: &Envelope) -> Answer {
        if let Request::Open { name, .. } = &envelope.request {
            return failed(format!("the request to open {name} has no file"));
        }
        if let Request::Rules = &envelope.request {
            return verdict::rules();
        }
        let file = match self.file_of(envelope) {
            Ok(file) => file,
            Err(answer) => return answer,
        };
        // An earlier failure is not one of this request.
        file.failure.take();
        let answer = file.answer(&envelope.request);
        match file.failure.take() {
            None => match file.base.1.take() {
                None => answer,
                Some(error) => failed(format!(
                    "{} can no longer be read ({}). Compare with it again to see its current contents.",
                    file.base.0, error.message
                )),
            },
            Some(error) => Answer::from(Response::Failed {
                message: format!(
                    "{} can no longer be read ({}). Open it again to see its current contents.",
                    file.name, error.message
                ),
                changed: true,
            }),
        }
    }
}

impl OpenFile {
    fn answer(&mut self, request: &Request) -> Answer {
        let document = &mut self.document;
        match request {
            Request::Open { .. } | Request::Rules => failed("not a request about a file"),
            Request::Rows {
                order: TreeOrder::Kernels,
                node,
                start,
                count,
            } => {
                let end = start.saturating_add((*count).min(ROWS_MAX));
                match self.by_kernel.rows(document, *node, *start..end) {
                    Some((count, mut rows)) => {
                        shorten(document, NodeId::ROOT, &mut rows);
                        Response::Rows { count, rows }.into()
                    }
                    None => no_such_node(*node),
                }
            }
            Request::Rows {
                order: TreeOrder::File,
                node,
                start,
                count,
            } => {
                let end = start.saturating_add((*count).min(ROWS_MAX));
                let Some(parent) = document.node(*node) else {
                    return no_such_node(*node);
                };
                let count = document.count(parent);
                let mut rows = rows(document, *node, *start..end);
                shorten(document, *node, &mut rows);
                Answer::from(Response::Rows { count, rows })
            }
            Request::Select {
                order,
                place,
                follow,
            } => {
                let lists = (&mut self.lists, &mut self.by_kernel);
                select(document, lists, (*order, place), follow.as_ref())
                    .map_or_else(failed, Answer::from)
            }
            Request::Bytes { span, leaves } => bytes(document, *span, *leaves),
            Request::Search { typed, limit, step } => {
                let search = (typed.as_str(), *limit);
                self.searching
                    .answer(document, &mut self.lists, search, *step)
                    .into()
            }
            Request::Verdict {
                document: id,
                device,
            } => {
                let unread = self.lists.unread_files(document, *id);
                verdict::verdict(document, *id, device.as_deref(), unread)
            }
            Request::Step {
                document: id,
                query,
            } => self
                .steps
                .read(document, *id, query)
                .map_or_else(failed, Answer::from),
            Request::StepLines {
                column,
                start,
                count,
            } => self
                .steps
                .lines(document, *column, *start, *count)
                .map_or_else(failed, Answer::from),
            Request::StepRows(place) => self.steps.rows(*place).map_or_else(failed, Answer::from),
            Request::Graph {
                document: id,
                list: ListId::Instructions,
                query,
                start,
                count,
                at,
            } => graph::blocks(document, *id, query, (*start, *count), *at)
                .map_or_else(failed, Answer::from),
            Request::Graph {
                document: id,
                list,
                query,
                start,
                count,
                at: _,
            } => graph::graph(
                &mut self.lists,
                document,
                *id,
                (*list, query),
                (*start, *count),
            )
            .map_or_else(failed, Answer::from),
            Request::List {
                document: id,
                list,
                query,
                ask,
            } => self
                .lists
                .answer(document, *id, *list, query, ask)
                .map_or_else(failed, Answer::from),
            Request::AddSource {
                document: id,
                name,
                text,
            } => {
                document.add_source_text(name, text);
                // The lists that show the text of source files.
                self.lists.forget(ListId::SourceLines);
                self.lists.forget(ListId::Instructions);
                self.steps.forget();
                added(document, *id, name).map_or_else(failed, Answer::from)
            }
            Request::Code {
                document: id,
                query,
            } => self
                .counting
                .answer(document, *id, query)
                .map_or_else(failed, Answer::from),
            Request::DataFlow {
                document: id,
                query,
            } => self
                .flows
                .answer(&self.lists, document, *id, query)
                .map_or_else(failed, Answer::from),
            Request::PrepareCode { follow, node, span } => {
                self.flows
                    .prepare(&mut self.lists, document, (*node, *span), follow);
                Response::Prepared.into()
            }
            Request::AddProfile {
                name,
                is_earlier,
                is_part,
            } => {
                let step = (*is_earlier, *is_part);
                let answer = self.profiling.step(document, name, step);
                if matches!(answer, Ok(Response::Profile(_))) {
                    self.flows.forget();
                    self.lists.forget(ListId::ProfileChanges);
                    self.lists.forget(ListId::Instructions);
                    self.lists.forget(ListId::Kernels);
                }
                answer.map_or_else(failed, Answer::from)
            }
            Request::CodeSamples { document: id, of } => {
                code_samples(document, *id, *of).map_or_else(failed, Answer::from)
            }
            Request::Occupancy {
                document: id,
                kernel,
                parameters,
            } => occupancy(&mut self.lists, document, *id, *kernel, parameters)
                .map_or_else(failed, Answer::from),
            Request::Compare { options, keep, .. } => {
                let mut comparing = self.comparing.take();
                if let Some(known) = &mut comparing
                    && let Some(left) = known.step(document, &mut self.lists, options)
                {
                    self.comparing = comparing;
                    return Response::Comparing(left).into();
                }
                self.lists.forget(ListId::Differences);
                self.lists.forget(ListId::Changes);
                self.lists.forget(ListId::ProfileChanges);
                diff::compare(document, comparing, options, *keep).map_or_else(failed, Answer::from)
            }
            Request::Differing => diff::differing(document).map_or_else(failed, Answer::from),
            Request::BasePath(source) => {
                diff::base_path(document, *source).map_or_else(failed, Answer::from)
            }
            Request::SourceNumbers(others) => {
                Response::SourceNumbers(document.sources.numbers_of(others)).into()
            }
            Request::WriteComparison { form } => {
                diff::written(document, *form).map_or_else(failed, Answer::from)
            }
            Request::WriteReport { code } => {
                let flow = code.as_ref().map(|code| {
                    let query = code.query();
                    self.flows
                        .answer(&self.lists, document, code.document, &query)
                });
                let flow = match &flow {
                    Some(Ok(Response::DataFlow(flow))) => Ok(&**flow),
                    Some(Err(why)) => Err(why.as_str()),
                    _ => Err(""),
                };
                report(document, code.as_ref(), flow).map_or_else(failed, Answer::from)
            }
            Request::Texts { document: id } => {
                let of = text_document(document, *id);
                Response::Texts(of.map_or_else(Vec::new, |of| texts(document, of))).into()
            }
            Request::CodeImages { node } => {
                Response::CodeImages(Box::new(code_images(document, *node))).into()
            }
            Request::Export { node, form } => match document.node(*node) {
                Some(node) => match export(document, node, *form, EXPORT_MAX) {
                    Ok(text) => Response::Text(text).into(),
                    Err(message) => failed(message),
                },
                None => no_such_node(*node),
            },
        }
    }

    fn opened(&mut self, clock: fn() -> f64, started: f64) -> Opened {
        let document = &mut self.document;
        let mut root = row(document, NodeId::ROOT, document.root());
        root.count = Some(document.count(document.root()));
        let mut rows = rows(document, NodeId::ROOT, 0..ROWS_MAX);
        // The names of a host file are read on demand.
        if !document.summary.has.host {
            shorten(document, NodeId::ROOT, &mut rows);
        }
        let kernels = document.kernels(NodeId::ROOT);
        let kernels = kernels.filter(|_| !document.is_spirv(NodeId::ROOT));
        let kernels = kernels.map_or(0, |kernels| kernels.count());
        let diagnostics = problems(document);
        let code = code_guess(document);
        Opened {
            name: self.name.clone(),
            size: document.sources.whole(SourceId::FILE).len(),
            summary: document.summary.clone(),
            device: document.image_text(NodeId::ROOT).1,
            coverage: document.coverage,
            root,
            rows,
            diagnostics,
            rules: document.rules.clone(),
            by_kernel: (kernels > 0).then(|| kernels.saturating_add(1)),
            devices: document.devices(),
            code,
            bytes_read: document.sources.bytes_read(),
            millis: clock() - started,
        }
    }
}

/// Number of bytes from which the encoding of a file is guessed.
const GUESSED: u64 = 16 << 10;

/// Returns how a file of an unknown format can be opened as code.
fn code_guess(document: &Document) -> Option<CodeGuess> {
    if !document.summary.has.unknown {
        return None;
    }
    let whole = document.sources.whole(SourceId::FILE);
    let bytes = document
        .sources
        .read_clamped(whole.subspan(0, GUESSED))
        .ok()?;
    let guess = EncodingGuess::of(&bytes);
    let names = guess.fits.iter().map(|fit| fit.platform.name().into());
    Some(CodeGuess {
        text: guess.text(),
        likely: u32::try_from(guess.best().len()).unwrap_or(0),
        encodings: names.collect(),
    })
}

/// Computes the occupancy of a kernel in the innermost document around a node that lists kernels.
fn occupancy(
    lists: &mut Lists,
    document: &mut Document,
    id: NodeId,
    kernel: u64,
    parameters: &OccupancyParameters,
) -> Result<Response, String> {
    let around = tables::document_of(document, id, ListId::Kernels);
    let list = around.and_then(|id| lists.known(document, id, ListId::Kernels));
    let list = list.ok_or("This part of the file has no kernels.")?;
    let row = u32::try_from(kernel).unwrap_or(u32::MAX);
    let kernel = list.as_kernels().and_then(|list| list.kernel(row));
    let (kernels, kernel) = kernel.ok_or("No such kernel.")?;
    let found = kernels.occupancy(kernel, parameters, &document.sources)?;
    Ok(Response::Occupancy(Box::new(found)))
}

fn no_such_node(id: NodeId) -> Answer {
    failed(format!("the tree has no node {}", id.0))
}

/// Returns the diagnostics, the first of them with the path of their node.
fn problems(document: &mut Document) -> Vec<Problem> {
    let diagnostics = document.diagnostics.clone();
    let mut problems: Vec<Problem> = Vec::with_capacity(diagnostics.len());
    for (index, diagnostic) in diagnostics.into_iter().enumerate() {
        let span = diagnostic.primary.span;
        let path = match problems.last() {
            _ if index >= PATHS_MAX => String::new(),
            // They are sorted, and several rules often report the same bytes.
            Some(last) if last.diagnostic.primary.span == span => last.path.clone(),
            _ => document.path_of(&diagnostic),
        };
        problems.push(Problem { diagnostic, path });
    }
    problems
}

/// The last failed read. The tree shows unreadable bytes as a gap, but if they were readable when
/// the file was opened, every further answer would be wrong.
type ReadFailure = Rc<RefCell<Option<SourceError>>>;

struct WatchedSource {
    source: Box<dyn ByteSource>,
    failure: ReadFailure,
}

impl ByteSource for WatchedSource {
    fn len(&self) -> u64 {
        self.source.len()
    }

    fn grain(&self) -> u64 {
        self.source.grain()
    }

    fn announce(&self, start: u64, len: u64) {
        self.source.announce(start, len);
    }

    fn is_ready(&self, start: u64, len: u64) -> bool {
        self.source.is_ready(start, len)
    }

    fn inflate_ahead(&self, part: &DeflatedPart) {
        self.source.inflate_ahead(part);
    }

    fn inflate(&self, part: &DeflatedPart) -> Inflation {
        self.source.inflate(part)
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        let read = self.source.read(start, len);
        if let Err(error) = &read {
            self.failure.replace(Some(error.clone()));
        }
        read
    }
}
