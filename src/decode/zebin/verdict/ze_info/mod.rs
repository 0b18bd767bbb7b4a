//! What the driver makes of `.ze_info`: compute-runtime, zeinfo_decoder.cpp, decodeZeInfo and
//! what it calls. Keys, types and words are in the [schema](crate::decode::zebin::ze_info); here is
//! what depends on more than one key.

mod arguments;
mod kernel;
mod members;
mod misc_info;
mod text;

pub use self::kernel::Kernel;
pub use self::misc_info::check as check_misc_info;
pub use self::text::Texts;

use self::members::Members;
use super::findings::{Findings, Stop};
use super::yaml::{Node, Place, Yaml};
use super::{rules, version};
use crate::decode::zebin::device::Device;
use crate::decode::zebin::ze_info::schema::{self, CONTAINER};
use crate::model::Span;

/// What the rest of the driver needs to know of a module.
#[derive(Default)]
pub struct Module<'a> {
    /// The kernels.
    pub kernels: Vec<Kernel<'a>>,
    /// The names of functions.
    pub functions: Vec<&'a [u8]>,
    /// The names of variables that the host has names for.
    pub host_access: Vec<(&'a [u8], Span)>,
    /// The names of libraries that it needs.
    pub libraries: Vec<(&'a [u8], Span)>,
}

/// What decoding goes by.
pub struct Decoder<'a, 'f> {
    /// The text that is decoded.
    pub yaml: Yaml<'a>,
    /// Where the text is.
    pub at: Span,
    /// The device.
    pub device: Device,
    /// The version of the text.
    pub version: (u32, u32),
    /// What the driver meets.
    pub findings: &'f mut Findings,
    /// Who it is about.
    pub owner: &'a [u8],
    /// Something in the current step was wrong.
    pub failed: bool,
    /// What each argument of the current kernel is.
    kinds: Vec<arguments::Kind>,
}

impl<'a, 'f> Decoder<'a, 'f> {
    /// Starts at the top of a text.
    pub fn new(yaml: Yaml<'a>, at: Span, device: Device, findings: &'f mut Findings) -> Self {
        Decoder {
            yaml,
            at,
            device,
            version: schema::VERSION,
            findings,
            owner: b"",
            failed: false,
            kinds: Vec::new(),
        }
    }

    /// The bytes of a place in the text.
    pub fn span(&self, (start, end): Place) -> Span {
        self.at
            .sub(start.into(), u64::from(end.saturating_sub(start)))
    }

    fn begin(&mut self) {
        self.findings.stage();
        self.failed = false;
    }

    fn end(&self) -> Result<(), Stop> {
        if self.failed { Err(Stop) } else { Ok(()) }
    }

    /// Of whom we speak, for messages.
    fn of(&self) -> String {
        let owner = self.owner.get(..80).unwrap_or(self.owner);
        match owner {
            b"" => String::new(),
            _ => format!(" of {}", String::from_utf8_lossy(owner)),
        }
    }

    /// The whole module, in the driver's order. Kernels behind one that stops the driver are
    /// looked at all the same.
    pub fn module(&mut self) -> Result<Module<'a>, Stop> {
        let mut module = Module::default();
        let Some(root) = self.yaml.root() else {
            return Ok(module);
        };
        let top = self.container(root)?;
        self.begin();
        match top.get("version") {
            Some(node) => {
                let place = self.span(self.yaml.place(node));
                let text = self.yaml.unquoted(node);
                let found = version::check(text, place, false, self.findings);
                self.version = found.ok_or(Stop)?;
            }
            None => {
                let message = format!("taken to be 1.{}", schema::VERSION.1);
                self.findings
                    .note(&rules::NO_VERSION, self.at.sub(0, 0), message);
            }
        }
        if let Some(node) = top.get("l1_cache_policy") {
            self.begin();
            self.member(&CONTAINER, node);
            self.end()?;
        }
        if let Some(node) = top.get("required_libs") {
            for library in self.yaml.children(node) {
                let place = self.span(self.yaml.place(library));
                module.libraries.push((self.yaml.unquoted(library), place));
            }
        }
        if let Some(node) = top.get("global_host_access_table") {
            self.host_access(node, &mut module)?;
        }
        if let Some(node) = top.get("functions") {
            for function in self.yaml.children(node) {
                module.functions.push(self.function(function)?);
            }
        }
        let mut stop = None;
        if let Some(node) = top.get("kernels") {
            for entry in self.yaml.children(node) {
                match self.kernel(entry) {
                    Ok(kernel) => module.kernels.push(kernel),
                    Err(Stop) => stop = Some(Stop),
                }
            }
        }
        stop.map_or(Ok(module), Err)
    }

    /// The keys of the text: known ones, each once.
    fn container(&mut self, root: &Node) -> Result<Members<'a>, Stop> {
        self.begin();
        let members = self.members(&CONTAINER, root);
        self.end()?;
        Ok(members)
    }

    fn host_access(&mut self, table: &Node, module: &mut Module<'a>) -> Result<(), Stop> {
        self.begin();
        for entry in self.yaml.children(table) {
            for member in self.yaml.children(entry) {
                let Some(key) = self.known(&schema::GLOBAL_HOST_ACCESS_TABLE, member) else {
                    continue;
                };
                let text = self.text(member)?;
                if let ("device_name", Some(name)) = (key.name, text) {
                    let place = self.span(self.yaml.place(member));
                    module.host_access.push((name, place));
                }
            }
        }
        self.end()
    }

    /// A text, with its quotes; the driver crashes where there is none at all.
    fn text(&mut self, node: &Node) -> Result<Option<&'a [u8]>, Stop> {
        let Some(token) = self.yaml.value(node) else {
            let place = self.span(self.yaml.key_place(node));
            let key = String::from_utf8_lossy(self.yaml.key(node)).into_owned();
            return Err(self.findings.stop(
                &rules::EMPTY_TEXT,
                place,
                format!("{key} has no value"),
            ));
        };
        if token.kind != super::yaml::Kind::Text {
            self.not_read(node, "a text");
            return Ok(None);
        }
        Ok(Some(self.yaml.raw(node)))
    }

    fn function(&mut self, entry: &Node) -> Result<&'a [u8], Stop> {
        self.begin();
        let mut name: &[u8] = b"";
        let mut environment = None;
        self.owner = b"a function";
        for member in self.yaml.children(entry) {
            match self.known(&schema::FUNCTION, member).map(|key| key.name) {
                Some("name") => name = self.yaml.unquoted(member),
                Some("execution_env") => environment = Some(member),
                _ => {}
            }
        }
        if !name.is_empty() {
            self.owner = name;
        }
        if let Some(node) = environment {
            self.environment(node);
        }
        self.end()?;
        Ok(name)
    }
}
