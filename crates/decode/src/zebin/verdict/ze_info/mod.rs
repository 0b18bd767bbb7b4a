//! A model of how the driver decodes `.ze_info`: compute-runtime, zeinfo_decoder.cpp, decodeZeInfo
//! and the functions that it calls. The [schema](crate::zebin::ze_info) defines keys, types
//! and enumerations; this module has the checks that involve more than one key.

mod arguments;
mod kernel;
mod members;
mod misc_info;
mod text;

pub use self::kernel::Kernel;
pub use self::misc_info::check as check_misc_info;
pub use self::text::ZeInfoText;

use std::fmt::Display;

use super::findings::{Excerpt, Findings, Refused};
use super::release::Word;
use super::yaml::{Node, TokenKind, TokenRange, Yaml};
use super::{rules, version};
use crate::device::Device;
use crate::rule::Rule;
use crate::zebin::ze_info::schema::{self, CONTAINER};
use zeview_core::model::Span;

/// A module, as the rest of the driver needs it.
#[derive(Default)]
pub struct Module<'a> {
    /// The kernels.
    pub kernels: Vec<Kernel<'a>>,
    /// The names of functions.
    pub functions: Vec<&'a [u8]>,
    /// The device's names of the variables in the host access table.
    pub host_access: Vec<(&'a [u8], Span)>,
    /// The names of required libraries.
    pub libraries: Vec<(&'a [u8], Span)>,
}

/// What the driver remembers of the text beyond its contents.
#[derive(Default)]
pub struct Facts {
    /// The first kernel with bindless access, the argument, and what it accesses.
    pub bindless: Option<(String, Span, &'static str)>,
    /// The first kernel with a stateful or bindless buffer argument, and the argument.
    pub stateful: Option<(String, Span)>,
    /// The word that is known for the shortest time, of those that some releases do not know.
    pub needed: Option<(&'static Word, Span)>,
}

/// Decoder of the text.
pub struct Decoder<'a, 'f> {
    /// The text.
    pub yaml: Yaml<'a>,
    /// The location of the text.
    pub at: Span,
    /// The device.
    pub device: Device,
    /// The version of the text.
    pub version: (u32, u32),
    /// The findings so far.
    pub findings: &'f mut Findings,
    /// The facts so far.
    pub facts: &'f mut Facts,
    /// The current kernel or function; its name starts the messages.
    pub owner: &'a [u8],
    /// Whether an error was found in the current step.
    pub failed: bool,
    /// The kind of each argument of the current kernel.
    kinds: Vec<arguments::ArgumentKind>,
}

impl<'a, 'f> Decoder<'a, 'f> {
    /// Starts at the top of a text.
    pub fn new(
        yaml: Yaml<'a>,
        at: Span,
        device: Device,
        findings: &'f mut Findings,
        facts: &'f mut Facts,
    ) -> Self {
        Decoder {
            yaml,
            at,
            device,
            version: schema::VERSION,
            findings,
            facts,
            owner: b"",
            failed: false,
            kinds: Vec::new(),
        }
    }

    /// The bytes of a range of the text.
    pub fn span(&self, (start, end): TokenRange) -> Span {
        self.at
            .subspan(start.into(), u64::from(end.saturating_sub(start)))
    }

    /// The bytes of a node's value, or else its key.
    fn value_span(&self, node: &Node) -> Span {
        self.span(self.yaml.place(node))
    }

    /// The bytes of a node's key, or else its value.
    fn key_span(&self, node: &Node) -> Span {
        self.span(self.yaml.key_place(node))
    }

    fn begin(&mut self) {
        self.findings.stage();
        self.failed = false;
    }

    fn end(&self) -> Result<(), Refused> {
        if self.failed { Err(Refused) } else { Ok(()) }
    }

    /// Reports a finding in the current kernel or function.
    fn note(&mut self, rule: &'static Rule, place: Span, message: impl Display) {
        match self.owner {
            b"" => self.findings.note(rule, place, message),
            owner => {
                let message = format_args!("{}: {message}", Excerpt(owner));
                self.findings.note(rule, place, message);
            }
        }
    }

    /// Like `note`, and stops at the end of the step.
    fn fail(&mut self, rule: &'static Rule, place: Span, message: impl Display) {
        self.failed = true;
        self.note(rule, place, message);
    }

    /// Like `note`, and stops at once.
    fn refuse<T>(
        &mut self,
        rule: &'static Rule,
        place: Span,
        message: impl Display,
    ) -> Result<T, Refused> {
        self.note(rule, place, message);
        Err(Refused)
    }

    /// Decodes the whole module, in the driver's order. Kernels after one that stops the driver are
    /// decoded nevertheless.
    pub fn module(&mut self) -> Result<Module<'a>, Refused> {
        let mut module = Module::default();
        let Some(root) = self.yaml.root() else {
            return Ok(module);
        };
        self.begin();
        let top = self.members(&CONTAINER, root);
        self.end()?;
        self.begin();
        match top.get("version") {
            Some(node) => {
                let (text, place) = (self.yaml.unquoted(node), self.value_span(node));
                self.version = version::check(text, place, &rules::VERSION, self.findings)?;
            }
            None => {
                self.version = self.findings.release().ze_info();
                let (major, minor) = self.version;
                let message = format_args!("read as version {major}.{minor}");
                self.note(&rules::NO_VERSION, self.at.subspan(0, 0), message);
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
        let mut result = Ok(());
        if let Some(node) = top.get("kernels") {
            for entry in self.yaml.children(node) {
                match self.kernel(entry) {
                    Ok(kernel) => {
                        if result.is_ok() {
                            self.remember(&kernel);
                        }
                        module.kernels.push(kernel);
                    }
                    // The first error decides, but readers get those of all kernels.
                    Err(Refused) => result = Err(Refused),
                }
            }
        }
        self.owner = b"";
        if let Some(node) = top.get("required_libs") {
            for library in self.yaml.children(node) {
                let place = self.value_span(library);
                module.libraries.push((self.yaml.unquoted(library), place));
            }
        }
        // Last, as in the driver: an unknown value only counts if all kernels were decoded.
        if let Some(node) = top.get("l1_cache_policy").filter(|_| result.is_ok()) {
            self.begin();
            self.member(&CONTAINER, node);
            self.end()?;
        }
        result.map(|()| module)
    }

    /// Remembers the access modes of a kernel. The driver stops at the first kernel with an error.
    fn remember(&mut self, kernel: &Kernel<'_>) {
        let name = || Excerpt(kernel.name).to_string();
        if self.facts.bindless.is_none() {
            let found = kernel.bindless.map(|(place, noun)| (name(), place, noun));
            self.facts.bindless = found;
        }
        if self.facts.stateful.is_none() {
            self.facts.stateful = kernel.stateful_buffer.map(|place| (name(), place));
        }
    }

    fn host_access(&mut self, table: &Node, module: &mut Module<'a>) -> Result<(), Refused> {
        self.begin();
        for entry in self.yaml.children(table) {
            // Without a device_name, the driver looks for a variable with an empty name.
            let mut variable: (&[u8], Span) = (b"", self.key_span(entry));
            for member in self.yaml.children(entry) {
                let Some(key) = self.known(&schema::GLOBAL_HOST_ACCESS_TABLE, member) else {
                    continue;
                };
                let text = self.text(member)?;
                if let ("device_name", Some(name)) = (key.name, text) {
                    variable = (name, self.value_span(member));
                }
            }
            module.host_access.push(variable);
        }
        self.end()
    }

    /// A string with its quotes; the driver crashes if there is none.
    fn text(&mut self, node: &Node) -> Result<Option<&'a [u8]>, Refused> {
        let Some(token) = self.yaml.value(node) else {
            let (key, place) = (Excerpt(self.yaml.key(node)), self.key_span(node));
            let message = format_args!("{key} has no value");
            return self.refuse(&rules::EMPTY_TEXT, place, message);
        };
        if token.kind != TokenKind::Text {
            self.not_read(node, "a string");
            return Ok(None);
        }
        Ok(Some(self.yaml.raw(node)))
    }

    fn function(&mut self, entry: &Node) -> Result<&'a [u8], Refused> {
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
