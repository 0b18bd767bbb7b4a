//! The driver's verdict on a file: what the modeled driver does with it. Problems of the file
//! itself are [`Diagnostic`](crate::model::Diagnostic)s.

use serde::{Deserialize, Serialize};

use super::images::{Choice, Images};
use crate::model::{Document, Finding, NodeId, Outcome, RuleInfo, Sources, Span, Str};

/// A symbol that a file imports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Import {
    /// Its name.
    pub symbol: String,
    /// The first relocation against it.
    pub span: Span,
    /// The surrounding modules that export it: `abstract module 3`.
    pub exported_by: Vec<Str>,
}

/// The intermediate representation in a file, which the driver can recompile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuild {
    /// Its kind: `SPIR-V`, `PISA`.
    pub from: Str,
    /// Its bytes.
    pub span: Span,
    /// Whether the driver would recompile it and load the result.
    pub helps: bool,
    /// The explanation.
    pub text: Str,
}

/// The devices that a file is for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Matching {
    /// The properties that the driver compares, with the values of this file, as text.
    pub rule: Str,
    /// The devices whose target the driver accepts for this file, in the driver's order.
    pub accepted_on: Vec<Str>,
    /// The devices among them with another, compatible product configuration than the file was built for.
    pub compatible: Vec<Str>,
}

/// The device and the release of the driver that a verdict is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct LoadOptions<'a> {
    /// The name of the device; by default the file's own.
    pub device: Option<&'a str>,
    /// The release of the driver; by default the one that was observed.
    pub release: Option<&'a str>,
}

impl<'a> From<Option<&'a str>> for LoadOptions<'a> {
    fn from(device: Option<&'a str>) -> LoadOptions<'a> {
        LoadOptions {
            device,
            release: None,
        }
    }
}

/// The oldest release of the driver that knows all keys and values of a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeededRelease {
    /// Its number: `25.35`.
    pub release: Str,
    /// The version of its first patch that does: `25.35.35096.8`.
    pub version: Str,
    /// The first release that no longer knows the key or value.
    pub until: Option<Str>,
    /// The key or value of `.ze_info` that older releases do not know.
    pub word: Str,
    /// The first occurrence.
    pub span: Span,
}

impl NeededRelease {
    /// Formats the requirement: ``needs driver 25.35 or later (`has_printf_calls`)``.
    pub fn text(&self) -> String {
        let word = &self.word;
        match &self.until {
            None => format!("needs driver {} or later (`{word}`)", self.release),
            Some(until) => format!(
                "needs driver {} or later, before {until} (`{word}`)",
                self.release
            ),
        }
    }
}

/// What the driver does with a file that is passed to one of its APIs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiVerdict {
    /// The result of loading the file.
    pub outcome: Outcome,
    /// The index of the finding that determines the outcome.
    pub decisive: Option<usize>,
    /// The problems that the driver encounters, in its order.
    pub findings: Vec<Finding>,
}

/// The driver's verdict on a file: Level Zero's, and OpenCL's in [`Verdict::opencl`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The driver's release.
    pub driver: Str,
    /// The result of loading the file.
    pub outcome: Outcome,
    /// The device; `None` if the file does not name one.
    pub device: Option<Str>,
    /// Whether the device was requested; otherwise it is the file's own.
    pub requested: bool,
    /// The index of the finding that determines the outcome.
    pub decisive: Option<usize>,
    /// The problems that the driver encounters, in its order.
    pub findings: Vec<Finding>,
    /// The rules of the findings.
    pub rules: Vec<RuleInfo>,
    /// The symbols that other modules must define.
    pub imports: Vec<Import>,
    /// The intermediate representation, if the file has one.
    pub rebuild: Option<Rebuild>,
    /// The devices that the file is for; `None` if the driver does not get that far.
    pub matching: Option<Matching>,
    /// The release of the driver that the file needs; `None` if all known releases know its keys, or
    /// the driver does not read them.
    pub needs_driver: Option<NeededRelease>,
    /// OpenCL's verdict.
    pub opencl: ApiVerdict,
}

impl Verdict {
    /// Formats the driver and the device: `driver 26.27 on bmg-g21`.
    pub fn subject(&self) -> String {
        match &self.device {
            Some(device) => format!("driver {} on {device}", self.driver),
            None => format!("driver {}", self.driver),
        }
    }

    /// Formats the verdict in one line: `driver 26.27 on bmg-g21: loads`.
    pub fn headline(&self) -> String {
        format!("{}: {}", self.subject(), self.statement())
    }

    /// Formats the outcome; if the APIs differ, a sentence about both.
    pub fn statement(&self) -> String {
        match self.difference() {
            Some(difference) => difference,
            None => self.outcome.words().to_owned(),
        }
    }

    /// Formats the difference between the APIs: `Level Zero loads it; OpenCL recompiles it: kernel k
    /// uses bindless buffers`. Returns `None` if there is none.
    pub fn difference(&self) -> Option<String> {
        let because = |outcome: Outcome, findings: &[Finding], decisive: Option<usize>| {
            let predicate = outcome.predicate();
            match decisive.and_then(|at| findings.get(at)) {
                Some(found) => format!("{predicate}: {}", found.message),
                None => predicate.to_owned(),
            }
        };
        let opencl = &self.opencl;
        (self.outcome != opencl.outcome).then(|| {
            format!(
                "Level Zero {}; OpenCL {}",
                because(self.outcome, &self.findings, self.decisive),
                because(opencl.outcome, &opencl.findings, opencl.decisive),
            )
        })
    }
}

/// A device that the driver supports.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDevice {
    /// Its name: `bmg-g21`.
    pub name: Str,
    /// Its product configuration: `20.1.0`.
    pub configuration: String,
    /// Its release: `Xe2-HPG`.
    pub family: String,
    /// Its marketing names.
    pub marketing: Vec<&'static str>,
}

/// A model of a driver, and of the runtimes above it: predicts what they do with files, without
/// driver or device.
pub trait DriverModel {
    /// Predicts what the driver does with a file. Returns `None` if there is no such device or
    /// release.
    fn load(&self, sources: &Sources, file: Span, options: LoadOptions<'_>) -> Option<Verdict>;

    /// Returns the device that a file is for, as [`load`](Self::load) does, without judging the
    /// file.
    fn device(&self, sources: &Sources, file: Span) -> Option<Str>;

    /// Predicts which images of a container run on a device. Returns `None` if there is no such
    /// device or release, or no device is given.
    fn choose(
        &self,
        sources: &Sources,
        images: &Images,
        options: LoadOptions<'_>,
    ) -> Option<Choice>;

    /// Returns the name of the device with a name that people use: `bmg-g21` for `B580`.
    fn device_named(&self, name: &str) -> Option<Str> {
        let _ = name;
        None
    }

    /// Returns the name of a device that is similar to a name that no device has.
    fn similar_device(&self, name: &str) -> Option<String> {
        let _ = name;
        None
    }

    /// Returns the named devices that the driver supports, by configuration.
    fn devices(&self) -> Vec<KnownDevice>;

    /// Returns the releases of the driver, the oldest first.
    fn releases(&self) -> Vec<Str>;
}

/// The driver model attached to a document.
struct Driver(&'static dyn DriverModel);

impl Document {
    /// Sets the driver model.
    pub fn set_driver(&mut self, driver: &'static dyn DriverModel) {
        self.sources.set_driver(driver);
        self.extensions.insert(Driver(driver));
    }

    /// Returns the driver model.
    pub fn driver(&self) -> Option<&'static dyn DriverModel> {
        self.extensions.get::<Driver>().map(|driver| driver.0)
    }

    /// Returns the driver's verdict on a document (the opened file, or a nested one) for a device,
    /// or for the file's own device. Returns `None` if programs do not pass such a document to the
    /// driver, or if there is no device of that name. Recomputed on each call.
    pub fn verdict(&self, document: NodeId, device: Option<&str>) -> Option<Verdict> {
        self.verdict_with(document, device.into())
    }

    /// Like [`verdict`](Self::verdict), for a device and a release of the driver.
    pub fn verdict_with(&self, document: NodeId, options: LoadOptions<'_>) -> Option<Verdict> {
        let file = self.file_of(document)?;
        let mut verdict = self.driver()?.load(&self.sources, file, options)?;
        if !verdict.imports.is_empty() {
            self.find_exporters(document, &mut verdict.imports);
        }
        Some(verdict)
    }

    /// Returns the device that a document is for, as its verdict has it.
    pub fn target_device(&self, document: NodeId) -> Option<Str> {
        let file = self.file_of(document)?;
        self.driver()?.device(&self.sources, file)
    }

    /// Finds the modules of the innermost enclosing SYCLBIN that export the symbols.
    fn find_exporters(&self, document: NodeId, imports: &mut [Import]) {
        let parent = |id: &NodeId| self.node(*id)?.parent;
        let mut around = std::iter::successors(Some(document), parent);
        let Some(modules) = around.find_map(|id| self.modules(id)) else {
            return;
        };
        let graph = modules.graph(&self.sources);
        for import in imports {
            let symbol = graph.symbols.iter().find(|s| s.name == import.symbol);
            let modules = symbol.map_or(&[][..], |symbol| &symbol.exported_by);
            import.exported_by = modules
                .iter()
                .map(|module| format!("abstract module {module}").into())
                .collect();
        }
    }

    /// Returns which images of a container run on a device, or `None` if it has no images or there
    /// is no device of that name. Recomputed on each call.
    pub fn choice(&self, images: &Images, device: &str) -> Option<Choice> {
        self.choice_with(images, Some(device).into())
    }

    /// Like [`choice`](Self::choice), for a device and a release of the driver.
    pub fn choice_with(&self, images: &Images, options: LoadOptions<'_>) -> Option<Choice> {
        if images.list.is_empty() {
            None
        } else {
            self.driver()?.choose(&self.sources, images, options)
        }
    }

    /// Returns the names of the devices for [`verdict`](Self::verdict).
    pub fn devices(&self) -> Vec<Str> {
        let devices = self.driver().map_or_else(Vec::new, DriverModel::devices);
        devices.into_iter().map(|device| device.name).collect()
    }
}
