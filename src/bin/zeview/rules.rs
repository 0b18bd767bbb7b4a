//! `zeview rules`: every rule, and what it means.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::Args;
use zeview::decode::rules;
use zeview::model::RuleInfo;

use crate::output::{self, complain};

#[derive(Args)]
pub struct Options {
    /// The rule to explain (`driver/unknown-key`).
    id: Option<String>,
    /// Print a JSON array with one object a rule.
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let mut out = output::raw();
    let wanted = |rule: &RuleInfo| options.id.as_ref().is_none_or(|id| *id == rule.id);
    let rules: Vec<RuleInfo> = rules::all()
        .map(|rule| rule.info())
        .filter(wanted)
        .collect();
    if rules.is_empty() {
        complain!("there is no such rule; `zeview rules` lists all");
        return Ok(ExitCode::from(2));
    }
    if options.json {
        serde_json::to_writer_pretty(&mut out, &rules)?;
        writeln!(out)?;
    } else if options.id.is_some() {
        for rule in &rules {
            explain(rule, &mut out)?;
        }
    } else {
        list(&rules, &mut out)?;
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// How much it matters, or what the driver does about it.
fn weight(rule: &RuleInfo) -> &'static str {
    rule.effect
        .map_or(rule.severity.name(), |effect| effect.name())
}

fn list(rules: &[RuleInfo], out: &mut impl Write) -> io::Result<()> {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules {
        writeln!(
            out,
            "{:width$}  {:10}  {} ({})",
            rule.id,
            weight(rule),
            rule.summary,
            rule.origin
        )?;
    }
    Ok(())
}

fn explain(rule: &RuleInfo, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "{}: {}", rule.id, rule.summary)?;
    match rule.effect {
        Some(effect) => writeln!(out, "The driver: {}", effect.name())?,
        None => writeln!(out, "Severity: {}", rule.severity.name())?,
    }
    writeln!(out, "Origin: {}\n\n{}", rule.origin, rule.docs)
}
