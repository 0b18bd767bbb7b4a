//! Colors for terminals.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use zeview::model::{Effect, Outcome, Severity};

use crate::output::Visible;

pub const PLAIN: Style = Style::new();
/// Column titles.
pub const HEAD: Style = Style::new().bold();
/// Offsets and other secondary text.
pub const DIM: Style = Style::new().dimmed();
pub const GOOD: Style = AnsiColor::Green.on_default();
pub const NOTE: Style = AnsiColor::Cyan.on_default();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const BAD: Style = AnsiColor::Red.on_default().bold();

pub fn severity(severity: Severity) -> Style {
    match severity {
        Severity::Info => NOTE,
        Severity::Warning => WARNING,
        Severity::Error => BAD,
    }
}

pub fn effect(effect: Effect) -> Style {
    match effect {
        Effect::Passes => NOTE,
        Effect::Warns | Effect::NeedsLinking | Effect::Recompiles | Effect::NotJudged => WARNING,
        Effect::Refuses | Effect::LinkFails | Effect::Crashes => BAD,
    }
}

pub fn outcome(outcome: Outcome) -> Style {
    match outcome {
        Outcome::Loads => GOOD,
        Outcome::LoadsWithWarnings
        | Outcome::NeedsLinking
        | Outcome::Recompiled
        | Outcome::NotJudged => WARNING,
        Outcome::Refused | Outcome::LinkFailure | Outcome::MayCrash | Outcome::DoesNotRun => BAD,
    }
}

/// Prints the text of a diagnostic or finding, with the word before its rule in `style` and offsets
/// dimmed.
pub fn print_finding(
    text: &str,
    word: Style,
    indent: &str,
    out: &mut Visible<impl Write>,
) -> io::Result<()> {
    for (at, line) in text.lines().enumerate() {
        out.write_all(indent.as_bytes())?;
        let (styled, style, rest) = match line.split_once('[') {
            Some((severity, _)) if at == 0 => (severity, word, line.get(severity.len()..)),
            _ if at > 0 && (line.starts_with("  at 0x") || line.starts_with("  see 0x")) => {
                let place = line.find([':', '(']).unwrap_or(line.len());
                let (place, rest) = line.split_at(place);
                (place, DIM, Some(rest))
            }
            _ => ("", PLAIN, Some(line)),
        };
        out.paint(style, styled)?;
        writeln!(out, "{}", rest.unwrap_or(""))?;
    }
    Ok(())
}
