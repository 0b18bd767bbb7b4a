//! What the driver does about a rule, and with a file.

use serde::{Deserialize, Serialize};

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
