//! What today's driver does with a file. What is wrong with a file is not part of it: that is
//! in the [`Diagnostic`](crate::model::Diagnostic)s.

use serde::{Deserialize, Serialize};

use super::images::{Choice, Images};
use crate::model::{Finding, Outcome, RuleInfo, Sources, Span, Str};

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
