//! Colors for terminals.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style};
use zeview::analysis::assembly::InstructionClass;
use zeview::decode::isa::words::class_named;
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

/// The style of an operation, as in the page.
fn class(class: InstructionClass) -> Style {
    match class {
        InstructionClass::Arithmetic => PLAIN,
        InstructionClass::Message => AnsiColor::Cyan.on_default(),
        InstructionClass::Systolic => AnsiColor::Magenta.on_default().bold(),
        InstructionClass::Math => AnsiColor::Yellow.on_default(),
        InstructionClass::Control => HEAD,
        InstructionClass::Synchronization => DIM,
        InstructionClass::Illegal => BAD,
    }
}

/// Prints a line of assembly without its line end: labels bold, comments dimmed, operations in the style of their
/// class. What is no assembly is printed as it is.
pub fn print_assembly(line: &str, out: &mut Visible<impl Write>) -> io::Result<()> {
    if !out.colors() {
        return out.write_all(line.as_bytes());
    }
    if line.starts_with("//") {
        return out.paint(DIM, line);
    }
    if line.ends_with(':') && !line.contains(' ') {
        return out.paint(HEAD, line);
    }
    let mut rest = line;
    while let Some(end) = rest.strip_prefix("/*").and_then(|inner| inner.find("*/")) {
        let (comment, after) = rest.split_at(end + 4);
        out.paint(DIM, comment)?;
        let start = after.len() - after.trim_start_matches(' ').len();
        let (blanks, after) = after.split_at(start);
        out.write_all(blanks.as_bytes())?;
        rest = after;
    }
    // The predicate and the mask: `(W&~f0.0)`.
    let predicate = rest.strip_prefix('(').and_then(|inner| inner.find(')'));
    let before = predicate.map_or(0, |end| end + 2);
    let blanks = rest.get(before..).unwrap_or_default();
    let before = before + blanks.len() - blanks.trim_start_matches(' ').len();
    let (before, rest) = rest.split_at(before);
    out.write_all(before.as_bytes())?;
    let (operation, rest) = rest.split_at(rest.find(' ').unwrap_or(rest.len()));
    out.paint(class_named(operation).map_or(PLAIN, class), operation)?;
    let (operands, comment) = rest.split_at(rest.find("// ").unwrap_or(rest.len()));
    out.write_all(operands.as_bytes())?;
    out.paint(if comment.is_empty() { PLAIN } else { DIM }, comment)
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
