//! The document class.

use std::collections::BTreeMap;

use js_sys::{Array, Error, Reflect, Uint8Array};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use wasm_bindgen::JsValue;
use wasm_bindgen::prelude::wasm_bindgen;

use super::analysis::analyze;
use super::columns::Columns;
use super::dto::{Diagnostic, Node, Summary};
use super::js;
use super::operations::{self, ApiError, FindRequest, ListOptions};
use super::profile::{ProfileFiles, profile as apply_profile};
use super::verdict::Verdict;
use crate::decode::decode;
use crate::kernel_names::KernelQuery;
use crate::model::json::Versioned;
use crate::model::{Document, NodeId, Span};
use crate::report::comparison;
use crate::worker::answers::bytes::read;
use crate::worker::answers::export::{EXPORT_MAX, export};
use crate::worker::host;
use crate::worker::host::blob_source::{ArraySource, whole_number};
use crate::worker::protocol::ExportForm;

#[wasm_bindgen(typescript_custom_section)]
const DECLARATIONS: &str = include_str!("types.ts");

#[wasm_bindgen(typescript_custom_section)]
const ROWS: &str = include_str!("rows.ts");

#[wasm_bindgen(typescript_custom_section)]
const IN_PAGE_DECODER: &str = "
/** A decoder in the page itself; it can be used as if it were a `Worker`. */
export type InPageDecoder = MessagePort & { terminate(): void };
";

/// Options for opening a file.
#[derive(Default, Deserialize)]
#[serde(default)]
struct DecodeOptions {
    name: Option<String>,
}

/// Options for a row.
#[derive(Default, Deserialize)]
#[serde(default)]
struct RowOptions {
    columns: Vec<String>,
}

/// Returns the query for a kernel.
fn query(kernel: &str, options: JsValue) -> Result<KernelQuery, Error> {
    let options: KernelQuery = from_js(options)?;
    Ok(KernelQuery {
        name: kernel.to_owned(),
        ..options
    })
}

/// The options of a search in code.
#[derive(Default, Deserialize)]
#[serde(default)]
struct CodeOptions {
    rows: bool,
    limit: Option<u32>,
    kernel: String,
    device: Option<String>,
    image: Option<String>,
    file: Option<String>,
}

/// A decoded file.
#[wasm_bindgen]
pub struct ZeviewDocument(Document);

#[wasm_bindgen]
impl ZeviewDocument {
    /// Decodes bytes. Malformed bytes never throw. Bytes are read on demand, not copied: do not
    /// change them before `free`.
    pub fn open(
        bytes: Uint8Array,
        #[wasm_bindgen(unchecked_optional_param_type = "DecodeOptions")] options: JsValue,
    ) -> Result<ZeviewDocument, Error> {
        host::report_panics();
        let options: DecodeOptions = from_js(options)?;
        let name = options.name.as_deref().unwrap_or("file");
        Ok(ZeviewDocument(decode(
            Box::new(ArraySource::new(bytes)),
            name,
        )))
    }

    /// Returns a summary of the file.
    #[wasm_bindgen(unchecked_return_type = "Summary")]
    pub fn summary(&self) -> Result<JsValue, Error> {
        to_js(&Summary::new(&self.0))
    }

    /// Returns a node. The root has the id 0; `children` and `nodesAt` return the others.
    #[wasm_bindgen(unchecked_return_type = "Node")]
    pub fn node(&self, id: u32) -> Result<JsValue, Error> {
        to_js(&operations::node(&self.0, NodeId(id))?)
    }

    /// Returns at most `count` children of a node (and at most 512), from index `start` on.
    #[wasm_bindgen(unchecked_return_type = "Node[]")]
    pub fn children(&mut self, id: u32, start: f64, count: f64) -> Result<JsValue, Error> {
        operations::node(&self.0, NodeId(id))?;
        let start = whole("start", start)?;
        let count = whole("count", count)?;
        let ids = operations::children(&mut self.0, NodeId(id), start, count);
        let children = ids.iter().filter_map(|id| Node::new(&self.0, *id));
        to_js(&children.collect::<Vec<_>>())
    }

    /// Returns the nodes that contain a byte, outermost first.
    #[wasm_bindgen(js_name = nodesAt)]
    pub fn nodes_at(&mut self, source: u32, offset: f64) -> Result<Vec<u32>, Error> {
        let offset = whole("offset", offset)?;
        let source = operations::source(&self.0, source)?;
        let ids = self.0.nodes_at(source, offset);
        Ok(ids.into_iter().map(|id| id.0).collect())
    }

    /// Returns the diagnostics about bytes that were not read so far: encrypted or damaged files of a
    /// package, bytes between its files, parts beyond a limit. Device code in them is in no list.
    #[wasm_bindgen(unchecked_return_type = "Diagnostic[]")]
    pub fn unread(&self) -> Result<JsValue, Error> {
        let unread: Vec<_> = self.0.unread().map(Diagnostic::new).collect();
        to_js(&unread)
    }

    /// Returns the diagnostics, by position.
    #[wasm_bindgen(unchecked_return_type = "Diagnostic[]")]
    pub fn diagnostics(&self) -> Result<JsValue, Error> {
        let diagnostics: Vec<_> = self.0.diagnostics.iter().map(Diagnostic::new).collect();
        to_js(&diagnostics)
    }

    /// Returns the problems of the file and of all documents in it, by position, as `zeview check --json`
    /// prints them.
    #[wasm_bindgen(unchecked_return_type = "Problem[]")]
    pub fn problems(&mut self) -> Result<JsValue, Error> {
        parsed(&operations::problems(&mut self.0)?)
    }

    /// Returns the driver's verdict on the file and all problems, as `zeview check --json` prints them.
    #[wasm_bindgen(
        unchecked_return_type = "Omit<Check, \"problems\"> & { diagnostics: Problem[] }"
    )]
    pub fn check(
        &mut self,
        device: Option<String>,
        driver: Option<String>,
    ) -> Result<JsValue, Error> {
        let options = operations::VerdictOptions { device, driver };
        parsed(&operations::check(&mut self.0, &options)?)
    }

    /// Returns the bytes `start..end` of a source, clipped to its end and to 4 MiB.
    pub fn bytes(&self, source: u32, start: f64, end: f64) -> Result<Uint8Array, Error> {
        let source = operations::source(&self.0, source)?;
        let span = Span::new(source, whole("start", start)?, whole("end", end)?);
        let (_, bytes) = read(&self.0, span).map_err(|error| Error::new(&error.to_string()))?;
        Ok(Uint8Array::from(&*bytes))
    }

    /// Predicts what the driver does with the file on a device, by default the file's own, and in a
    /// release (`25.18`, `lts2`), by default the newest that was observed. Returns `null` for files
    /// that are not passed to the driver.
    #[wasm_bindgen(unchecked_return_type = "Verdict | null")]
    pub fn verdict(
        &self,
        device: Option<String>,
        driver: Option<String>,
    ) -> Result<JsValue, Error> {
        let options = operations::VerdictOptions { device, driver };
        let verdict = operations::verdict(&self.0, &options)?;
        to_js(&verdict.as_ref().map(Verdict::new))
    }

    /// Returns the rows of a list, as objects keyed by column id. For a container, the rows of all
    /// images. Empty if the file has no such list. Columns that are counted from the code are only
    /// present if named.
    #[wasm_bindgen(unchecked_return_type = "ListRow[]")]
    pub fn list(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "ListName")] name: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "ListOptions")] options: JsValue,
    ) -> Result<JsValue, Error> {
        let options: ListOptions = from_js(options)?;
        let all = Array::new();
        operations::rows(&mut self.0, name, &options, |row| {
            all.push(&to_js(row)?);
            Ok::<(), Error>(())
        })?;
        Ok(all.into())
    }

    /// Returns the rows of a list by column, for `rows.js` of the npm package, which makes objects as
    /// of `list` from it.
    pub fn table(
        &mut self,
        #[wasm_bindgen(unchecked_param_type = "ListName")] name: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "ListOptions")] options: JsValue,
    ) -> Result<JsValue, Error> {
        let options: ListOptions = from_js(options)?;
        let mut columns = Columns::default();
        let failed = |message: String| Error::new(&message);
        operations::rows(&mut self.0, name, &options, |row| {
            columns.push(row).map_err(failed)
        })?;
        columns.finish().map_err(failed)
    }

    /// Returns the row of a kernel, as `list("kernels")` does. `kernel` is its name in the file, its
    /// demangled name, the short name that tables print, or a pattern. If it has several builds,
    /// `options` chooses one.
    #[wasm_bindgen(unchecked_return_type = "KernelRow & { file: string }")]
    pub fn kernel(
        &mut self,
        kernel: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "KernelOptions & { columns?: string[] }")]
        options: JsValue,
    ) -> Result<JsValue, Error> {
        let columns: RowOptions = from_js(options.clone())?;
        let query = query(kernel, options)?;
        let row = operations::kernel(&mut self.0, &query, &columns.columns)?;
        parsed(&row)
    }

    /// Returns the code of a kernel as assembly, as `zeview disasm` prints it. Names and options are
    /// those of `kernel`.
    pub fn disassemble(
        &mut self,
        kernel: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "KernelOptions")] options: JsValue,
    ) -> Result<String, Error> {
        let (_, listing) = operations::listing(&mut self.0, &query(kernel, options)?)?;
        Ok(operations::assembly(&self.0, &*listing)?)
    }

    /// Returns the SPIR-V of the file as text, as `zeview disasm --spirv` prints it: of all its modules,
    /// or, if `kernel` is not empty, of those with the kernel. Options are those of `kernel`; with
    /// `raw_ids`, ids are numbers.
    pub fn spirv(
        &mut self,
        kernel: &str,
        raw_ids: bool,
        #[wasm_bindgen(unchecked_optional_param_type = "KernelOptions")] options: JsValue,
    ) -> Result<String, Error> {
        let query = query(kernel, options)?;
        Ok(operations::spirv(&mut self.0, &query, raw_ids)?)
    }

    /// Returns a kernel's source, SPIR-V, vISA and instructions, tied line by line. `sources` are the
    /// texts of source files by name. Names and options are those of `kernel`.
    #[wasm_bindgen(unchecked_return_type = "KernelStep")]
    pub fn step(
        &mut self,
        kernel: &str,
        #[wasm_bindgen(unchecked_param_type = "Record<string, string>")] sources: JsValue,
        #[wasm_bindgen(unchecked_optional_param_type = "KernelOptions")] options: JsValue,
    ) -> Result<JsValue, Error> {
        let texts: BTreeMap<String, String> = from_js(sources)?;
        let texts: Vec<(String, String)> = texts.into_iter().collect();
        let query = query(kernel, options)?;
        to_js(&operations::step(&mut self.0, &query, &texts)?)
    }

    /// Searches the code of all kernels.
    #[wasm_bindgen(js_name = findCode, unchecked_return_type = "FoundRow[]")]
    pub fn find_code(
        &mut self,
        query: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "FindOptions")] options: JsValue,
    ) -> Result<JsValue, Error> {
        let options: CodeOptions = from_js(options)?;
        let request = FindRequest {
            query: query.to_owned(),
            rows: options.rows,
            limit: options.limit,
            kernels: KernelQuery {
                device: options.device,
                image: options.image,
                file: options.file,
                ..KernelQuery::with_code(options.kernel)
            },
        };
        parsed(&operations::find_code(&mut self.0, &request)?)
    }

    /// Returns the instructions of a kernel with their data flow. Names and options are those of
    /// `kernel`.
    #[wasm_bindgen(unchecked_return_type = "InstructionFlow[]")]
    pub fn instructions(
        &mut self,
        kernel: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "KernelOptions")] options: JsValue,
    ) -> Result<JsValue, Error> {
        let (_, listing) = operations::listing(&mut self.0, &query(kernel, options)?)?;
        let all = Array::new();
        operations::instructions(&self.0, &*listing, |instruction| {
            all.push(&to_js(instruction)?);
            Ok::<(), Error>(())
        })?;
        Ok(all.into())
    }

    /// Returns the summary of a kernel's data flow, as `zeview analyze --json` prints it. Names and
    /// options are those of `kernel`.
    #[wasm_bindgen(unchecked_return_type = "FlowReport")]
    pub fn analyze(
        &mut self,
        kernel: &str,
        #[wasm_bindgen(unchecked_optional_param_type = "KernelOptions")] options: JsValue,
    ) -> Result<JsValue, Error> {
        to_js(&analyze(&mut self.0, &query(kernel, options)?, false)?)
    }

    /// Finds each kernel of a profile in the file, and adds its samples and metrics to the columns
    /// of kernels. Returns the report that `zeview profile --json` prints. `before` is an earlier
    /// profile of the same file.
    #[wasm_bindgen(unchecked_return_type = "ProfileReport")]
    pub fn profile(
        &mut self,
        profile: ProfileReader,
        before: Option<ProfileReader>,
    ) -> Result<JsValue, Error> {
        let before = before.map(|before| before.0.finish());
        let profile = profile.0.finish();
        apply_profile(&mut self.0, &profile, before.as_ref(), |report| {
            to_js(report)
        })
    }

    /// Compares the document `base` with this one, as `zeview diff --json` prints it; with `everything`,
    /// also the other parts of libraries and packages whose kernels differ.
    #[wasm_bindgen(unchecked_return_type = "Comparison")]
    pub fn diff(
        &mut self,
        base: &mut ZeviewDocument,
        everything: Option<bool>,
    ) -> Result<JsValue, Error> {
        let everything = everything.unwrap_or_default();
        let found = operations::compare(&mut base.0, &mut self.0, everything);
        to_js(&Versioned::new(comparison::json(&found)))
    }

    /// Returns the whole tree as text, a line for each node, as `zeview dump` prints it.
    #[wasm_bindgen(js_name = toText)]
    pub fn to_text(&self) -> Result<String, Error> {
        self.export(ExportForm::Text)
    }

    /// Returns the whole tree as JSON, as `zeview dump --json` prints it.
    #[wasm_bindgen(js_name = toJson)]
    pub fn to_json(&self) -> Result<String, Error> {
        self.export(ExportForm::Json)
    }
}

/// A profile that is read in pieces: a file, or all files of a run.
#[wasm_bindgen]
#[derive(Default)]
pub struct ProfileReader(ProfileFiles);

#[wasm_bindgen]
impl ProfileReader {
    /// Creates a reader.
    #[wasm_bindgen(constructor)]
    pub fn new() -> ProfileReader {
        ProfileReader::default()
    }

    /// Reads the next piece of the file.
    pub fn push(&mut self, piece: &[u8]) {
        self.0.push(piece);
    }

    /// Starts the next file of the same run, after the last piece of the one before: `metrics_1.csv` or
    /// `device_timing.txt` of `unitrace --result-dir`. Call it before the first file, too, if the names
    /// state devices (`metrics_0.csv`).
    #[wasm_bindgen(js_name = nextFile)]
    pub fn next_file(&mut self, name: &str) {
        self.0.next_file(name);
    }
}

impl ZeviewDocument {
    fn export(&self, form: ExportForm) -> Result<String, Error> {
        export(&self.0, self.0.root(), form, EXPORT_MAX)
            .map_err(|message| ApiError::new("too-long", message).into())
    }
}

impl From<ApiError> for Error {
    fn from(error: ApiError) -> Error {
        let thrown = Error::new(&error.message);
        // Setting a property of an object cannot fail.
        let _ = Reflect::set(&thrown, &"code".into(), &error.code.into());
        thrown
    }
}

fn to_js<T: Serialize>(data: &T) -> Result<JsValue, Error> {
    js::to_js(data).map_err(|message| Error::new(&message))
}

fn from_js<T: DeserializeOwned + Default>(options: JsValue) -> Result<T, Error> {
    js::from_js(options).map_err(|message| ApiError::new("options", message).into())
}

fn parsed(json: &str) -> Result<JsValue, Error> {
    let value = js_sys::JSON::parse(json);
    value.map_err(|_| ApiError::new("internal", "the result is not JSON").into())
}

fn whole(name: &str, number: f64) -> Result<u64, Error> {
    whole_number(number).ok_or_else(|| {
        let words = format!("{name} must be an integer from 0 to 2^53 - 1, not {number}");
        ApiError::new("range", words).into()
    })
}
