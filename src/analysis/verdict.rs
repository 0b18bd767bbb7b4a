//! What today's driver does with a file. What is wrong with a file is not part of it: that is
//! in the [`Diagnostic`](crate::model::Diagnostic)s.

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
    /// The modules around the file that export it: `abstract module 3`.
    pub exported_by: Vec<Str>,
}

/// The intermediate representation in a file, which the driver can recompile.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuild {
    /// What it is: `SPIR-V`, `PISA`.
    pub from: Str,
    /// Its bytes.
    pub span: Span,
    /// The driver would recompile it and load the result.
    pub helps: bool,
    /// In words.
    pub text: Str,
}

/// Which devices a file is for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Matching {
    /// What the driver compares, with the values of this file, in words.
    pub rule: Str,
    /// The devices on which the driver accepts the file, as far as the target decides; in the
    /// driver's order.
    pub accepted_on: Vec<Str>,
    /// The other devices that the code is compatible with; the driver refuses the file on them.
    pub compatible: Vec<Str>,
}

/// What today's driver does with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The driver's release.
    pub driver: Str,
    /// What happens.
    pub outcome: Outcome,
    /// The device; `None` if the file does not say which one it is for.
    pub device: Option<Str>,
    /// The device was requested; otherwise it is the file's own.
    pub requested: bool,
    /// The index of the finding that decides the outcome.
    pub decisive: Option<usize>,
    /// What the driver meets, in its order.
    pub findings: Vec<Finding>,
    /// The rules of the findings.
    pub rules: Vec<RuleInfo>,
    /// The symbols that other modules must define.
    pub imports: Vec<Import>,
    /// The intermediate representation, if the file has one.
    pub rebuild: Option<Rebuild>,
    /// Which devices the file is for; `None` if the driver does not get that far.
    pub matching: Option<Matching>,
}

impl Verdict {
    /// `driver 26.27 on bmg-g21: loads`.
    pub fn headline(&self) -> String {
        let device = match &self.device {
            Some(device) => format!(" on {device}"),
            None => String::new(),
        };
        format!("driver {}{device}: {}", self.driver, self.outcome.words())
    }
}

/// A device that the driver runs on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownDevice {
    /// Its name: `bmg-g21`.
    pub name: Str,
    /// Its product configuration: `20.1.0`.
    pub configuration: String,
    /// Its release: `Xe2-HPG`.
    pub family: String,
    /// The names under which it is sold.
    pub marketing: Vec<&'static str>,
}

/// A model of a driver, and of the runtimes above it: what they do with files, without driver or
/// device.
pub trait DriverModel {
    /// What the driver does with the file in `file` on a device, or on the file's own. Returns
    /// `None` if there is no device of that name.
    fn load(&self, sources: &Sources, file: Span, device: Option<&str>) -> Option<Verdict>;

    /// Which images of a container run on a device. Returns `None` if there is no device of that
    /// name.
    fn choose(&self, sources: &Sources, images: &Images, device: &str) -> Option<Choice>;

    /// The devices that the driver runs on and that have a name, by configuration.
    fn devices(&self) -> Vec<KnownDevice>;
}

/// The driver that documents can be given to.
struct Driver(&'static dyn DriverModel);

impl Document {
    /// Sets the driver that documents can be given to.
    pub fn set_driver(&mut self, driver: &'static dyn DriverModel) {
        self.extensions.insert(Driver(driver));
    }

    /// The driver that documents can be given to.
    pub(crate) fn driver(&self) -> Option<&'static dyn DriverModel> {
        self.extensions.get::<Driver>().map(|driver| driver.0)
    }

    /// What today's driver does with a document (the opened file, or one that is nested in it)
    /// on a device, or on the file's own. Returns `None` if nobody would give the document to
    /// the driver, or if there is no device of that name. Computed anew each time.
    pub fn verdict(&self, document: NodeId, device: Option<&str>) -> Option<Verdict> {
        let file = self.file_of(document)?;
        let mut verdict = self.driver()?.load(&self.sources, file, device)?;
        if !verdict.imports.is_empty() {
            self.find_exporters(document, &mut verdict.imports);
        }
        Some(verdict)
    }

    /// Finds the modules of the innermost SYCLBIN around a document that export the symbols.
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

    /// Which images of a container run on a device. Returns `None` if it has none, or if there is
    /// no device of that name. Computed anew each time.
    pub fn choice(&self, images: &Images, device: &str) -> Option<Choice> {
        if images.list.is_empty() {
            None
        } else {
            self.driver()?.choose(&self.sources, images, device)
        }
    }

    /// The devices of [`verdict`](Self::verdict), by name.
    pub fn devices(&self) -> Vec<Str> {
        let devices = self.driver().map_or_else(Vec::new, DriverModel::devices);
        devices.into_iter().map(|device| device.name).collect()
    }
}
