//! What today's driver does with a file. Not to be mixed with what is wrong with it: that is
//! in the [`Diagnostic`](super::Diagnostic)s.

use serde::{Deserialize, Serialize};

use super::diagnostic::RuleInfo;
use super::source::Sources;
use super::span::Span;
use super::value::Str;

/// What becomes of the file when a program loads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It loads, and nothing is said.
    Loads,
    /// It loads; the driver has something to say, which it shows only when asked to.
    LoadsWithWarnings,
    /// The driver refuses it.
    Refused,
    /// The driver decodes it, but cannot link it.
    LinkFailure,
    /// The driver, and the program with it, can crash.
    MayCrash,
}

impl Outcome {
    /// Does it load?
    pub fn loads(self) -> bool {
        matches!(self, Outcome::Loads | Outcome::LoadsWithWarnings)
    }

    /// `loads`, `loads-with-warnings`, `refused`, `link-failure` or `may-crash`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loads => "loads",
            Outcome::LoadsWithWarnings => "loads-with-warnings",
            Outcome::Refused => "refused",
            Outcome::LinkFailure => "link-failure",
            Outcome::MayCrash => "may-crash",
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
        }
    }
}

/// What the driver does about one thing that it meets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// Nothing: it does not look, where a reader should.
    Passes,
    /// It says so and goes on.
    Warns,
    /// It refuses the file.
    Refuses,
    /// It cannot link the file.
    LinkFails,
    /// It crashes, or may.
    Crashes,
}

impl Effect {
    /// `passes`, `warns`, `refuses`, `link-fails` or `crashes`.
    pub fn name(self) -> &'static str {
        match self {
            Effect::Passes => "passes",
            Effect::Warns => "warns",
            Effect::Refuses => "refuses",
            Effect::LinkFails => "link-fails",
            Effect::Crashes => "crashes",
        }
    }

    /// What the driver does, for people: `The driver …`.
    pub fn words(self) -> &'static str {
        match self {
            Effect::Passes => "does not mind",
            Effect::Warns => "warns, and goes on",
            Effect::Refuses => "refuses the file",
            Effect::LinkFails => "cannot link the file",
            Effect::Crashes => "can crash",
        }
    }

    /// Does the file load all the same?
    pub fn lets_pass(self) -> bool {
        self <= Effect::Warns
    }

    /// What becomes of a file where this is what counts.
    pub fn outcome(self) -> Outcome {
        match self {
            Effect::Passes => Outcome::Loads,
            Effect::Warns => Outcome::LoadsWithWarnings,
            Effect::Refuses => Outcome::Refused,
            Effect::LinkFails => Outcome::LinkFailure,
            Effect::Crashes => Outcome::MayCrash,
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

/// What the intermediate representation in the file could do about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Rebuild {
    /// What it is: `SPIR-V`, `PISA`.
    pub from: Str,
    /// Its bytes.
    pub span: Span,
    /// The driver would compile it and load the result.
    pub helps: bool,
    /// In words.
    pub text: Str,
}

/// Which devices a file is for.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Matching {
    /// What the driver compares, with the values of this file, in words.
    pub rule: Str,
    /// The devices that the driver takes the file on, as far as that goes; in its order.
    pub taken_on: Vec<Str>,
    /// The other devices that the code would run on, on which the driver does not take the
    /// file all the same.
    pub code_runs_on: Vec<Str>,
}

/// What today's driver does with a file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Verdict {
    /// The driver's release.
    pub driver: Str,
    /// What becomes of the file, were there nothing to rebuild it from.
    pub outcome: Outcome,
    /// The device that it was judged on; absent where the file does not say which it is for.
    pub device: Option<Str>,
    /// The device was asked for; otherwise it is the file's own.
    pub asked: bool,
    /// Which finding has settled it: its place in the list.
    pub decisive: Option<usize>,
    /// What the driver meets, in the order in which it does.
    pub findings: Vec<Finding>,
    /// The rules of the findings.
    pub rules: Vec<RuleInfo>,
    /// What the intermediate representation could do about it, where the file has one.
    pub rebuild: Option<Rebuild>,
    /// Which devices the file is for; absent where the driver does not come that far.
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
