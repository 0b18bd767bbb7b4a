//! The driver's reaction to a finding, and to the whole file.

use serde::{Deserialize, Serialize};

use super::span::Span;
use super::value::Str;

/// The result of loading the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It loads without a message.
    Loads,
    /// It loads; the driver has warnings, which it prints only on request.
    LoadsWithWarnings,
    /// It loads; its kernels can be created once it is linked with modules that define its imported
    /// symbols.
    NeedsLinking,
    /// The driver does not use the native code, or there is none for the device: it compiles the
    /// intermediate representation in the file and loads the result.
    Recompiled,
    /// The driver refuses it.
    Refused,
    /// The driver decodes it, but cannot link it.
    LinkFailure,
    /// The driver, and the program with it, may crash.
    MayCrash,
    /// No code of the file runs on the device, or the device lacks what the file requires: the
    /// runtime refuses it before the driver sees it.
    DoesNotRun,
    /// Unknown: the analysis exceeded its budget.
    NotJudged,
}

impl Outcome {
    /// Whether the file is known to load.
    pub fn loads(self) -> bool {
        self <= Outcome::Recompiled
    }

    /// All outcomes, from best to worst.
    pub const ALL: [Outcome; 9] = [
        Outcome::Loads,
        Outcome::LoadsWithWarnings,
        Outcome::NeedsLinking,
        Outcome::Recompiled,
        Outcome::Refused,
        Outcome::LinkFailure,
        Outcome::MayCrash,
        Outcome::DoesNotRun,
        Outcome::NotJudged,
    ];

    /// `loads`, `loads-with-warnings`, `needs-linking`, `recompiled`, `refused`, `link-failure`,
    /// `may-crash`, `does-not-run` or `not-judged`.
    pub fn name(self) -> &'static str {
        match self {
            Outcome::Loads => "loads",
            Outcome::LoadsWithWarnings => "loads-with-warnings",
            Outcome::NeedsLinking => "needs-linking",
            Outcome::Recompiled => "recompiled",
            Outcome::Refused => "refused",
            Outcome::LinkFailure => "link-failure",
            Outcome::MayCrash => "may-crash",
            Outcome::DoesNotRun => "does-not-run",
            Outcome::NotJudged => "not-judged",
        }
    }

    /// The outcome in words; the same everywhere.
    pub fn words(self) -> &'static str {
        match self {
            Outcome::Loads => "loads",
            Outcome::LoadsWithWarnings => "loads with warnings",
            Outcome::NeedsLinking => "needs linking",
            Outcome::Recompiled => "recompiled",
            Outcome::Refused => "refused",
            Outcome::LinkFailure => "fails to link",
            Outcome::MayCrash => "may crash",
            Outcome::DoesNotRun => "does not run",
            Outcome::NotJudged => "not judged",
        }
    }

    /// The predicate of a sentence about a driver: `Level Zero …`.
    pub fn predicate(self) -> &'static str {
        match self {
            Outcome::Loads => "loads it",
            Outcome::LoadsWithWarnings => "loads it with warnings",
            Outcome::NeedsLinking => "needs it linked with other modules",
            Outcome::Recompiled => "recompiles it",
            Outcome::Refused => "refuses it",
            Outcome::LinkFailure => "fails to link it",
            Outcome::MayCrash => "may crash",
            Outcome::DoesNotRun => "does not run it",
            Outcome::NotJudged => "is not judged",
        }
    }
}

/// The driver's reaction to one finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It does not notice, although a reader should.
    Passes,
    /// It warns and goes on.
    Warns,
    /// It loads the file, but creates no kernels until another module defines a symbol.
    NeedsLinking,
    /// It ignores the native code and recompiles the intermediate representation.
    Recompiles,
    /// It refuses the file.
    Refuses,
    /// It cannot link the file.
    LinkFails,
    /// It crashes, or may.
    Crashes,
    /// Unknown: the analysis ends here.
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

    /// The predicate of a sentence: `The driver …`.
    pub fn words(self) -> &'static str {
        match self {
            Effect::Passes => "continues without a message",
            Effect::Warns => "warns and continues",
            Effect::NeedsLinking => "loads the file, but creates no kernel before it is linked",
            Effect::Recompiles => "recompiles the file and does not use the native code",
            Effect::Refuses => "refuses the file",
            Effect::LinkFails => "cannot link the file",
            Effect::Crashes => "may crash",
            Effect::NotJudged => "is not modeled beyond this point",
        }
    }

    /// Whether the file can still load.
    pub fn allows_loading(self) -> bool {
        self <= Effect::Warns
    }

    /// Returns the outcome if this effect is decisive.
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

/// A problem that the driver encounters.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Finding {
    /// The rule's id, `driver/…`.
    pub rule: Str,
    /// The driver's reaction.
    pub effect: Effect,
    /// The message: one line, without offsets.
    pub message: String,
    /// The bytes at fault.
    pub span: Span,
}
