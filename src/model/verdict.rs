//! What today's driver does with a file. What is wrong with a file is not part of it: that is
//! in the [`Diagnostic`](super::Diagnostic)s.

use serde::{Deserialize, Serialize};

use super::diagnostic::RuleInfo;
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
        matches!(self, Outcome::Loads | Outcome::LoadsWithWarnings)
    }

    /// `loads`, `loads-with-warnings`, `refused`, `link-failure`, `may-crash` or `not-judged`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loads => "loads",
            Outcome::LoadsWithWarnings => "loads-with-warnings",
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
            Outcome::LoadsWithWarnings => "loads, with warnings",
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
    /// `passes`, `warns`, `refuses`, `link-fails`, `crashes` or `not-judged`.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Passes => "passes",
            Effect::Warns => "warns",
            Effect::Refuses => "refuses",
            Effect::LinkFails => "link-fails",
            Effect::Crashes => "crashes",
            Effect::NotJudged => "not-judged",
        }
    }

    /// What the driver does, for people: `The driver …`.
    pub fn words(self) -> &'static str {
        match self {
            Effect::Passes => "goes on without a message",
            Effect::Warns => "warns and goes on",
            Effect::Refuses => "refuses the file",
            Effect::LinkFails => "cannot link the file",
            Effect::Crashes => "can crash",
            Effect::NotJudged => "is not modelled any further",
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
    /// What happens if nothing is recompiled.
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

/// A model of a driver: what it does with files, without driver or device.
pub trait DriverModel {
    /// What the driver does with the file in `file` on a device, or on the file's own. Returns
    /// `None` if there is no device of that name.
    fn load(&self, sources: &Sources, file: Span, device: Option<&str>) -> Option<Verdict>;

    /// The names of the devices, the usual one of each.
    fn devices(&self) -> Vec<Str>;
}
