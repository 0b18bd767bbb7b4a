//! Output of `zeview check` as text.

use std::io::{self, Write};

use zeview::analysis::Verdict;
use zeview::model::text::{diagnostic_text, escaped, finding_text, plural};
use zeview::model::{Coverage, Document, Severity};
use zeview::report::check::{ImageChoice, VerdictRow, path_of};

use crate::output::Visible;
use crate::style;

pub fn print(
    document: &mut Document,
    judged: &VerdictRow,
    file: &str,
    out: &mut Visible<impl Write>,
) -> io::Result<()> {
    write!(out, "{}", escaped(file))?;
    if let Some(path) = &judged.path {
        write!(out, ":{}", escaped(path))?;
    }
    write!(out, ": ")?;
    if !judged.is_known {
        return writeln!(
            out,
            "not a format zeview reads ({})",
            escaped(&judged.title)
        );
    }
    if let Some(verdict) = &judged.verdict {
        print_headline(verdict, out)?;
        print_verdict(document, verdict, out)?;
        write!(out, "  ")?;
    }
    if !judged.title.is_empty() {
        write!(out, "{} · ", escaped(&judged.title))?;
    }
    match judged.is_well_formed() {
        Some(true) => write!(out, "well-formed")?,
        Some(false) => out.paint(style::BAD, "malformed")?,
        None => out.paint(style::WARNING, "not completely read")?,
    }
    for (severity, word) in [(Severity::Error, "error"), (Severity::Warning, "warning")] {
        let count = judged.count(severity);
        let style = match count {
            0 => style::PLAIN,
            _ => style::severity(severity),
        };
        write!(out, ", ")?;
        out.paint(style, plural(count as u64, word))?;
    }
    if judged.path.is_none() {
        let Coverage { gap, overlap, .. } = document.coverage;
        for (count, words) in [(gap, "in no known part"), (overlap, "overlapping")] {
            if count > 0 {
                write!(out, " · {} {words}", plural(count, "byte"))?;
            }
        }
    }
    writeln!(out)?;
    if !judged.unread.is_empty() {
        write!(out, "  ")?;
        out.paint(style::WARNING, escaped(&judged.unread.text()))?;
        writeln!(out)?;
    }
    match &judged.choice {
        Some(chosen) => print_choice(document, judged, chosen, out)?,
        None => {
            for (path, verdict) in &judged.inner {
                write!(out, "  {}: ", escaped(path))?;
                print_headline(verdict, out)?;
                print_verdict(document, verdict, out)?;
            }
        }
    }
    let indent = if judged.verdict.is_some() {
        "    "
    } else {
        "  "
    };
    for diagnostic in &judged.diagnostics {
        let text = diagnostic_text(diagnostic, &path_of(document, diagnostic.primary.span));
        style::print_finding(&text, style::severity(diagnostic.severity), indent, out)?;
    }
    Ok(())
}

/// Prints which images of a container run on a device, and the driver's verdict on those.
fn print_choice(
    document: &mut Document,
    judged: &VerdictRow,
    ImageChoice {
        images,
        choice,
        first_use,
    }: &ImageChoice,
    out: &mut Visible<impl Write>,
) -> io::Result<()> {
    write!(out, "  on {}: ", choice.device)?;
    out.paint(style::outcome(choice.outcome), choice.statement())?;
    writeln!(out, " ({})", choice.rule)?;
    if let Some(text) = first_use.text() {
        writeln!(out, "  kernels: {text}")?;
    }
    for (image, pick) in images.list.iter().zip(&choice.picks) {
        write!(out, "  {}: ", escaped(&image.path))?;
        let style = pick.outcome.map_or(style::DIM, style::outcome);
        out.paint(style, pick.statement())?;
        writeln!(out, ": {}", escaped(&pick.why))?;
        let mut inner = judged.inner.iter().filter(|_| pick.is_chosen);
        if let Some((_, verdict)) = inner.find(|(path, _)| *path == image.path) {
            print_verdict(document, verdict, out)?;
        }
    }
    Ok(())
}

/// Prints the verdict in one line.
pub fn print_headline(verdict: &Verdict, out: &mut Visible<impl Write>) -> io::Result<()> {
    write!(out, "{}: ", verdict.subject())?;
    let statement = verdict.statement();
    out.paint(style::outcome(verdict.outcome), escaped(&statement))?;
    writeln!(out)
}

/// Prints the driver's findings and the suggested rebuild.
fn print_verdict(
    document: &mut Document,
    verdict: &Verdict,
    out: &mut Visible<impl Write>,
) -> io::Result<()> {
    for finding in &verdict.findings {
        let text = finding_text(finding, &path_of(document, finding.span));
        style::print_finding(&text, style::effect(finding.effect), "    ", out)?;
    }
    // Only the findings of OpenCL alone.
    for finding in &verdict.opencl.findings {
        if !verdict
            .findings
            .iter()
            .any(|known| known.rule == finding.rule)
        {
            let text = finding_text(finding, &path_of(document, finding.span));
            style::print_finding(&text, style::effect(finding.effect), "    ", out)?;
        }
    }
    if let Some(needed) = &verdict.needs_driver {
        writeln!(out, "    {}", escaped(&needed.text()))?;
    }
    for import in &verdict.imports {
        if !import.exported_by.is_empty() {
            let exporters = import.exported_by.join(", ");
            writeln!(
                out,
                "    {} is exported by {exporters}",
                escaped(&import.symbol)
            )?;
        }
    }
    match &verdict.rebuild {
        Some(rebuild) if !verdict.outcome.loads() || rebuild.helps => {
            writeln!(out, "    {}", rebuild.text)
        }
        _ => Ok(()),
    }
}
