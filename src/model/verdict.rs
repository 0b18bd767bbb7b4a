//! What today's driver does with a file. What is wrong with a file is not part of it: that is
//! in the [`Diagnostic`](super::Diagnostic)s.

use serde::{Deserialize, Serialize};

use super::diagnostic::RuleInfo;
use super::images::{Choice, Images};
use super::source::Sources;
use super::span::Span;
use super::value::Str;

/// What happens when a program loads the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It loads without a message.
    Loads,
    /// It loads; the driver has warnings, which it shows only on request.
    LoadsWithWarnings,
    /// It loads; its kernels can be created when it is linked with modules that define the
    /// symbols it imports.
    NeedsLinking,
    /// It is for another device: the driver recompiles the intermediate representation in it, and
    /// loads the result.
    Recompiled,
    /// The driver refuses it.
    Refused,
    /// The driver decodes it, but cannot link it.
    LinkFailure,
    /// The driver, and the program with it, can crash.
    MayCrash,
    /// Not known: the verdict was too much work.
    NotJudged,
}

impl Outcome {
    /// Is it known to load?
    pub fn loads(self) -> bool {
        self <= Outcome::Recompiled
    }

    /// `loads`, `loads-with-warnings`, `needs-linking`, `recompiled`, `refused`, `link-failure`, `may-crash` or `not-judged`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loads => "loads",
            Outcome::LoadsWithWarnings => "loads-with-warnings",
            Outcome::NeedsLinking => "needs-linking",
            Outcome::Recompiled => "recompiled",
            Outcome::Refused => "refused",
            Outcome::LinkFailure => "link-failure",
            Outcome::MayCrash => "may-crash",
            Outcome::NotJudged => "not-judged",
        }
    }

    /// The same, for people.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Loads => "loads",
            Outcome::LoadsWithWarnings => "loads with warnings",
            Outcome::NeedsLinking => "loads, to be linked with other modules",
            Outcome::Recompiled => "loads after JIT compilation",
            Outcome::Refused => "refused",
            Outcome::LinkFailure => "fails to link",
            Outcome::MayCrash => "may crash the driver",
            Outcome::NotJudged => "not judged",
        }
    }
}

/// What the driver does about one finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Nothing: it does not notice, where a reader should.
    Passes,
    /// It warns and goes on.
    Warns,
    /// It loads the file, but creates no kernel before another module defines a symbol.
    NeedsLinking,
    /// It does not use the native code: it recompiles the intermediate representation.
    Recompiles,
    /// It refuses the file.
    Refuses,
    /// It cannot link the file.
    LinkFails,
    /// It crashes, or may.
    Crashes,
    /// Not known: the verdict ends here.
    NotJudged,
}

impl Effect {
    /// `passes`, `warns`, `needs-linking`, `recompiles`, `refuses`, `link-fails`, `crashes` or `not-judged`.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Passes => "passes",
            Effect::Warns => "warns",
            Effect::NeedsLinking => "needs-linking",
            Effect::Recompiles => "recompiles",
            Effect::Refuses => "refuses",
            Effect::LinkFails => "link-fails",
            Effect::Crashes => "crashes",
            Effect::NotJudged => "not-judged",
        }
    }

    /// What the driver does, for people: `The driver …`.
    pub fn words(self) -> &'static str {
        match self {
            Effect::Passes => "continues without a message",
            Effect::Warns => "warns and continues",
            Effect::NeedsLinking => "loads the file, but creates no kernel before it is linked",
            Effect::Recompiles => "does not use the native code",
            Effect::Refuses => "refuses the file",
            Effect::LinkFails => "cannot link the file",
            Effect::Crashes => "may crash",
            Effect::NotJudged => "is not modelled beyond this point",
        }
    }

    /// Can the file still load?
    pub fn lets_pass(self) -> bool {
        self <= Effect::Warns
    }

    /// The outcome if this is the decisive effect.
    pub fn outcome(self) -> Outcome {
        match self {
            Effect::Passes => Outcome::Loads,
            Effect::Warns => Outcome::LoadsWithWarnings,
            Effect::NeedsLinking => Outcome::NeedsLinking,
            Effect::Recompiles => Outcome::Recompiled,
            Effect::Refuses => Outcome::Refused,
            Effect::LinkFails => Outcome::LinkFailure,
            Effect::Crashes => Outcome::MayCrash,
            Effect::NotJudged => Outcome::NotJudged,
        }
    }
}

/// One thing that the driver meets.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id, `driver/…`.
    pub rule: Str,
    /// What the driver does about it.
    pub effect: Effect,
    /// One line, without offsets.
    pub message: String,
    /// The bytes that it is about.
    pub span: Span,
}

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
