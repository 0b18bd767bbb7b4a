//! The class of a document: each method runs in the document's thread, with the GIL released.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::PathBuf;
use std::sync::atomic::AtomicU32;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use pyo3::exceptions::{PyMemoryError, PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;
use serde::Serialize;
use zeview::analysis::profile::Profile;
use zeview::api::analysis::analyze;
use zeview::api::dto::{Node, Summary};
use zeview::api::operations::{self, ApiError, LISTS, ListOptions, VerdictOptions};
use zeview::api::profile::{ProfileFiles, profile};
use zeview::kernel_names::KernelQuery;
use zeview::model::json::Versioned;
use zeview::model::{self, FileSource, NodeId, SourceId, Span, folder_files};
use zeview::report::comparison;
use zeview::tables::{ColumnKind, Presence};

use crate::error::exception;
use crate::source::{Buffer, CancelableSource, SharedBytes, Source};
use crate::worker::{ENDED, Worker};

/// Interval for noticing Ctrl+C while a result is awaited.
const SIGNALS: Duration = Duration::from_millis(50);

/// Number of bytes read at once.
const PIECE: u64 = 1 << 20;

/// Number of bytes of a profile read at once.
const PROFILE_PIECE: usize = 4 << 20;

/// A range of bytes of a source: source, start, end.
type Range = (u32, u64, u64);

/// The steps from the root to a node: the index of a child, and so on.
type Place = Vec<u64>;

/// The name of a kernel, and the path, device, image and file of its build.
#[derive(FromPyObject)]
struct Query(
    String,
    Option<String>,
    Option<String>,
    Option<String>,
    Option<String>,
);

impl From<Query> for KernelQuery {
    fn from(Query(name, path, device, image, file): Query) -> KernelQuery {
        KernelQuery {
            path,
            device,
            image,
            file,
            ..KernelQuery::named(name)
        }
    }
}

/// What an open document holds.
struct Open {
    source: Source,
    /// The thread; it starts with the first call, and with the next one after it was canceled, or in a
    /// forked process.
    worker: Option<Worker>,
    /// The number of sources that Python may know.
    sources: Arc<AtomicU32>,
}

/// A decoded file.
#[pyclass(frozen, weakref, module = "zeview._zeview")]
pub struct Document {
    name: String,
    /// `None` when the document is closed.
    open: Mutex<Option<Open>>,
}

impl Document {
    fn new(source: Source, name: String) -> Document {
        let open = Open {
            source,
            worker: None,
            sources: Arc::default(),
        };
        Document {
            name,
            open: Mutex::new(Some(open)),
        }
    }

    /// Runs work in the document's thread and waits for its result. Ctrl+C interrupts the wait; the
    /// work is then canceled.
    fn run<R: Send + 'static>(
        &self,
        py: Python<'_>,
        work: impl FnOnce(&mut model::Document) -> Result<R, ApiError> + Send + 'static,
    ) -> PyResult<R> {
        let mut receiver = self.send(work)?;
        loop {
            let (returned, result) = py.detach(move || {
                let result = receiver.recv_timeout(SIGNALS);
                (receiver, result)
            });
            receiver = returned;
            match result {
                Ok(result) => return result.map_err(|error| exception(py, error)),
                Err(RecvTimeoutError::Timeout) => {
                    if let Err(interrupt) = py.check_signals() {
                        let worker = self.lock().as_mut().and_then(|open| open.worker.take());
                        if let Some(worker) = worker {
                            worker.cancel();
                        }
                        return Err(interrupt);
                    }
                }
                Err(RecvTimeoutError::Disconnected) => {
                    let message = "the work on the document was canceled or failed";
                    return Err(exception(py, ApiError::new("canceled", message)));
                }
            }
        }
    }

    /// Sends work to the document's thread, and starts it if necessary. No call to Python is made
    /// while the lock is held.
    fn send<R: Send + 'static>(
        &self,
        work: impl FnOnce(&mut model::Document) -> R + Send + 'static,
    ) -> PyResult<Receiver<R>> {
        let mut open = self.lock();
        let open = open.as_mut().ok_or_else(closed)?;
        let worker = match open.worker.take().filter(Worker::is_alive) {
            Some(worker) => worker,
            None => {
                let sources = Arc::clone(&open.sources);
                Worker::start(open.source.clone(), self.name.clone(), sources)?
            }
        };
        Ok(open.worker.insert(worker).send(work))
    }

    fn lock(&self) -> MutexGuard<'_, Option<Open>> {
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn closed() -> PyErr {
    PyValueError::new_err("the document is closed")
}

#[pymethods]
impl Document {
    /// Opens a regular file.
    #[staticmethod]
    fn open_file(path: PathBuf, name: String) -> PyResult<Document> {
        let source = FileSource::open(&path)?;
        Ok(Document::new(Source::File(source), name))
    }

    /// Opens a folder. Lists its files, and reads none of them.
    #[staticmethod]
    fn open_folder(py: Python<'_>, path: PathBuf, name: String) -> PyResult<Document> {
        let files = py.detach(|| folder_files(&path))?;
        Ok(Document::new(Source::Folder(files.into()), name))
    }

    /// Opens a `bytes` object without copying it.
    #[staticmethod]
    fn open_bytes(bytes: Bound<'_, PyBytes>, name: String) -> Document {
        let bytes = PyBackedBytes::from(bytes);
        Document::new(Source::Bytes(SharedBytes(bytes.into())), name)
    }

    /// Opens a `memoryview` with the format "B", whose slices are copied on demand.
    #[staticmethod]
    fn open_view(view: Bound<'_, PyAny>, name: String) -> PyResult<Document> {
        let len = view.len()? as u64;
        let view = view.unbind().into();
        Ok(Document::new(Source::Buffer(Buffer { view, len }), name))
    }

    /// Ends the thread, and waits for it: afterwards the bytes are not in use any more.
    fn close(&self, py: Python<'_>) {
        let open = self.lock().take();
        if let Some(Open { source, worker, .. }) = open {
            py.detach(|| worker.map(Worker::stop));
            // A buffer is released here, where Python is attached.
            drop(source);
        }
    }

    #[getter]
    fn closed(&self) -> bool {
        self.lock().is_none()
    }

    fn summary(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, |document| json(&Summary::new(document)))
    }

    fn list(
        &self,
        py: Python<'_>,
        name: String,
        filter: String,
        sort: String,
        device: Option<String>,
        columns: Vec<String>,
    ) -> PyResult<String> {
        let options = ListOptions {
            filter,
            sort,
            device,
            columns,
            with_path: true,
        };
        self.run(py, move |document| {
            operations::list(document, &name, &options)
        })
    }

    fn check(
        &self,
        py: Python<'_>,
        device: Option<String>,
        driver: Option<String>,
    ) -> PyResult<String> {
        let options = VerdictOptions { device, driver };
        self.run(py, move |document| operations::check(document, &options))
    }

    fn problems(&self, py: Python<'_>) -> PyResult<String> {
        self.run(py, operations::problems)
    }

    fn excerpt(&self, py: Python<'_>, lists: Vec<String>, rows: u32) -> PyResult<String> {
        self.run(py, move |document| {
            operations::excerpt(document, &lists, rows)
        })
    }

    /// Returns the row of a kernel.
    fn kernel(&self, py: Python<'_>, query: Query, columns: Vec<String>) -> PyResult<String> {
        self.run(py, move |document| {
            operations::kernel(document, &query.into(), &columns)
        })
    }

    fn disassemble(&self, py: Python<'_>, query: Query) -> PyResult<String> {
        self.run(py, move |document| {
            let (_, listing) = operations::listing(document, &query.into())?;
            operations::assembly(document, &*listing)
        })
    }

    fn spirv(&self, py: Python<'_>, query: Query, raw_ids: bool) -> PyResult<String> {
        self.run(py, move |document| {
            operations::spirv(document, &query.into(), raw_ids)
        })
    }

    fn step(&self, py: Python<'_>, query: Query, texts: Vec<(String, String)>) -> PyResult<String> {
        self.run(py, move |document| {
            json(&operations::step(document, &query.into(), &texts)?)
        })
    }

    fn find_code(
        &self,
        py: Python<'_>,
        query: String,
        rows: bool,
        limit: Option<u32>,
        kernels: Query,
    ) -> PyResult<String> {
        self.run(py, move |document| {
            let request = operations::FindRequest {
                query,
                rows,
                limit,
                kernels: kernels.into(),
            };
            operations::find_code(document, &request)
        })
    }

    /// Finds the kernels of a profile in the file, and adds its samples and metrics to the columns of
    /// kernels. Files are given by name, and by path or contents.
    fn profile(
        &self,
        py: Python<'_>,
        files: Vec<ProfileFile>,
        before: Option<Vec<ProfileFile>>,
    ) -> PyResult<String> {
        let files = opened(files)?;
        let before = before.map(opened).transpose()?;
        self.run(py, move |document| {
            let before = before.map(read_profile).transpose()?;
            let read = read_profile(files)?;
            profile(document, &read, before.as_ref(), |report| json(report))
        })
    }

    fn instructions(&self, py: Python<'_>, query: Query) -> PyResult<String> {
        self.run(py, move |document| {
            let (_, listing) = operations::listing(document, &query.into())?;
            let mut out = "[".to_owned();
            operations::instructions(document, &*listing, |instruction| {
                if out.len() > 1 {
                    out.push(',');
                }
                out.push_str(&json(instruction)?);
                Ok::<(), ApiError>(())
            })?;
            out.push(']');
            Ok(out)
        })
    }

    fn analyze(&self, py: Python<'_>, query: Query, other_builds: bool) -> PyResult<String> {
        self.run(py, move |document| {
            json(&analyze(document, &query.into(), other_builds)?)
        })
    }

    /// Compares the document `base` with this one. `base` is decoded once more, in this document's
    /// thread.
    fn diff(&self, py: Python<'_>, base: &Document, everything: bool) -> PyResult<String> {
        let source = base.lock().as_ref().map(|open| open.source.clone());
        let source = source.ok_or_else(closed)?;
        let name = base.name.clone();
        self.run(py, move |document| {
            let source = CancelableSource::new(source, Arc::default());
            let mut base = zeview::decode::decode(Box::new(source), &name);
            let found = operations::compare(&mut base, document, everything);
            json(&Versioned::new(comparison::json(&found)))
        })
    }

    /// Returns a node.
    fn node(&self, py: Python<'_>, place: Place) -> PyResult<String> {
        self.run(py, move |document| {
            let id = id_of(document, &place)?;
            json(&operations::node(document, id)?)
        })
    }

    /// Returns at most `count` children of a node, from index `start` on.
    fn children(&self, py: Python<'_>, place: Place, start: u64, count: u64) -> PyResult<String> {
        self.run(py, move |document| {
            let id = id_of(document, &place)?;
            let ids = operations::children(document, id, start, count);
            let document = &*document;
            let nodes = ids.into_iter().map(|id| Node::new(document, id));
            json(&nodes.collect::<Vec<_>>())
        })
    }

    /// Returns the path of a node, as the command line prints it.
    fn path(&self, py: Python<'_>, place: Place) -> PyResult<String> {
        self.run(py, move |document| {
            let id = id_of(document, &place)?;
            Ok(document.path(id))
        })
    }

    /// Returns the places of the nodes at a path, or that match a pattern.
    fn find(&self, py: Python<'_>, path: String) -> PyResult<Vec<Place>> {
        self.run(py, move |document| {
            let found = operations::find(document, &path)?;
            Ok(found.into_iter().map(|id| place_of(document, id)).collect())
        })
    }

    /// Returns the places of the nodes that contain a byte, outermost first.
    fn nodes_at(&self, py: Python<'_>, source: u32, offset: u64) -> PyResult<Vec<Place>> {
        self.run(py, move |document| {
            let source = known_source(document, source)?;
            let found = document.nodes_at(source, offset);
            Ok(found.into_iter().map(|id| place_of(document, id)).collect())
        })
    }

    /// Returns the bytes of a part, as `zeview extract` writes them: their source and range.
    fn part(&self, py: Python<'_>, path: String, packed: bool) -> PyResult<Range> {
        self.run(py, move |document| {
            let span = operations::part(document, &path, packed)?;
            Ok((span.source.0, span.start, span.end))
        })
    }

    /// Reads bytes, clipped to the end of the source.
    fn bytes<'py>(
        &self,
        py: Python<'py>,
        source: u32,
        start: u64,
        end: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let read = self.run(py, move |document| {
            let source = known_source(document, source)?;
            let whole = document.sources.whole(source);
            let start = start.min(whole.end);
            let span = Span::new(source, start, end.clamp(start, whole.end));
            let mut all: Vec<u8> = Vec::new();
            // A failed allocation would end the process.
            let Ok(()) = all.try_reserve_exact(usize::try_from(span.len()).unwrap_or(usize::MAX))
            else {
                return Ok(None);
            };
            while (all.len() as u64) < span.len() {
                let piece = span.subspan(all.len() as u64, PIECE);
                all.extend_from_slice(&document.sources.read(piece)?);
            }
            Ok(Some(all))
        })?;
        let read = read.ok_or_else(|| PyMemoryError::new_err("not enough memory for the bytes"))?;
        Ok(PyBytes::new(py, &read))
    }
}

/// A file of a profile: its name, and its path or its contents.
type ProfileFile = (String, Option<PathBuf>, Option<PyBackedBytes>);

/// A file of a profile that can be read.
enum ProfileData {
    File(File),
    Bytes(PyBackedBytes),
}

/// Opens files, so that a missing one is an `OSError`.
fn opened(files: Vec<ProfileFile>) -> PyResult<Vec<(String, ProfileData)>> {
    let open = |(name, path, bytes): ProfileFile| {
        let data = match (path, bytes) {
            (Some(path), _) => {
                let file = File::open(&path).map_err(|error| os_error(&error, path))?;
                ProfileData::File(file)
            }
            (None, Some(bytes)) => ProfileData::Bytes(bytes),
            (None, None) => return Err(PyValueError::new_err("a file has neither path nor bytes")),
        };
        Ok((name, data))
    };
    files.into_iter().map(open).collect()
}

/// Returns the exception of a file that cannot be opened, as `open` raises it: with its number and name.
fn os_error(error: &io::Error, path: PathBuf) -> PyErr {
    let message = error.to_string();
    let message = message.split(" (os error").next().unwrap_or_default();
    let number = error.raw_os_error();
    if cfg!(windows) {
        // The fourth argument replaces the first.
        PyOSError::new_err((0, message.to_owned(), path.into_os_string(), number))
    } else {
        PyOSError::new_err((number, message.to_owned(), path.into_os_string()))
    }
}

/// Reads the files of a run in pieces.
fn read_profile(files: Vec<(String, ProfileData)>) -> Result<Profile, ApiError> {
    let mut all = ProfileFiles::default();
    let mut piece = vec![0; PROFILE_PIECE];
    for (name, data) in files {
        all.next_file(&name);
        let mut file = match data {
            ProfileData::Bytes(bytes) => {
                all.push(&bytes);
                continue;
            }
            ProfileData::File(file) => file,
        };
        loop {
            match file.read(&mut piece) {
                Ok(0) => break,
                Ok(count) => all.push(piece.get(..count).unwrap_or_default()),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => {
                    return Err(ApiError::new("unreadable", format!("{name}: {error}")));
                }
            }
        }
    }
    Ok(all.finish())
}

/// Returns a source. Those of a thread that was canceled are not there any more.
fn known_source(document: &model::Document, id: u32) -> Result<SourceId, ApiError> {
    if id != 0 && document.sources.name(SourceId(id)) == ENDED {
        let message = format!(
            "source {id} is not there any more, because a call was interrupted; read its node again"
        );
        return Err(ApiError::new("no-source", message));
    }
    operations::source(document, id)
}

/// Returns the node at a place, creating those above it.
fn id_of(document: &mut model::Document, place: &[u64]) -> Result<NodeId, ApiError> {
    let mut id = NodeId::ROOT;
    for index in place {
        let children = operations::children(document, id, *index, 1);
        id = *children
            .first()
            .ok_or_else(|| ApiError::new("no-node", "the document has no such node"))?;
    }
    Ok(id)
}

fn place_of(document: &model::Document, id: NodeId) -> Place {
    let parent = |id: &NodeId| document.node(*id)?.parent;
    let ancestry = std::iter::successors(Some(id), parent);
    let nodes = ancestry.filter_map(|id| document.node(id));
    let indices = nodes.filter(|node| node.parent.is_some());
    let mut place: Place = indices.map(|node| node.index).collect();
    place.reverse();
    place
}

fn json<T: Serialize + ?Sized>(data: &T) -> Result<String, ApiError> {
    serde_json::to_string(data).map_err(|error| ApiError::new("internal", error.to_string()))
}

/// Returns the names of the lists of documents.
#[pyfunction]
pub fn lists() -> Vec<&'static str> {
    LISTS.iter().map(|list| list.name()).collect()
}

/// Returns the ids of the columns that tables show by default.
#[pyfunction]
pub fn default_columns(py: Python<'_>, name: &str) -> PyResult<Vec<&'static str>> {
    let list = operations::list_named(name).map_err(|error| exception(py, error))?;
    let columns = list.columns().iter();
    let shown = columns.filter(|column| {
        let presence = column.presence;
        matches!(
            presence,
            Presence::Default | Presence::Several | Presence::Filled
        )
    });
    Ok(shown.map(|column| column.id).collect())
}

/// Returns the columns of a list: id, kind, explanation, and whether it is computed only if named.
/// Those of profiles are left out, as documents have none here.
#[pyfunction]
pub fn columns(
    py: Python<'_>,
    name: &str,
) -> PyResult<Vec<(&'static str, &'static str, &'static str, bool)>> {
    let list = operations::list_named(name).map_err(|error| exception(py, error))?;
    let columns = list.columns().iter();
    let columns = columns.filter(|column| column.presence != Presence::Profiled);
    let columns = columns.map(|column| {
        let kind = match column.kind {
            ColumnKind::Text => "text",
            ColumnKind::Words => "words",
            ColumnKind::Number => "number",
            ColumnKind::Bool => "bool",
            ColumnKind::Bytes => "bytes",
        };
        let is_counted = matches!(column.presence, Presence::Counted | Presence::Derived);
        (column.id, kind, column.doc, is_counted)
    });
    Ok(columns.collect())
}
