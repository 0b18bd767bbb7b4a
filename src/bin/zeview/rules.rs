//! `zeview rules`: lists and explains rules.

use std::io::{self, Write};
use std::process::ExitCode;

use anstyle::Style;
use clap::Args;
use zeview::decode::rules;
use zeview::model::RuleInfo;
use zeview::model::suggest::unknown_among;

use crate::output::{self, Text, complain};
use crate::rows::print_objects;
use crate::style;

#[derive(Args)]
pub struct Options {
    /// The rule to explain (`driver/unknown-key`), or the prefix of the rules to list (`driver/`).
    #[arg(value_name = "PREFIX")]
    id: Option<String>,
    /// Print a JSON array with one object per rule: schema, id, severity, effect (null unless it is
    /// a driver rule), summary, origin, docs.
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let all: Vec<RuleInfo> = rules::all().map(|rule| rule.info()).collect();
    let typed = options.id.as_deref().unwrap_or("");
    let exact = all.iter().find(|rule| rule.id == typed);
    let rules: Vec<&RuleInfo> = match exact {
        Some(rule) => vec![rule],
        None => all
            .iter()
            .filter(|rule| rule.id.starts_with(typed))
            .collect(),
    };
    if rules.is_empty() {
        let message = unknown_among("rule", typed, all.iter().map(|rule| &*rule.id));
        complain!("{message}; `zeview rules` lists all");
        return Ok(ExitCode::from(2));
    }
    if options.json {
        print_objects(&rules)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::text();
    match exact {
        Some(rule) => explain(rule, &mut out)?,
        None => list(&rules, &mut out)?,
    }
    out.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the severity of a rule, or the driver's behavior.
fn weight(rule: &RuleInfo) -> &'static str {
    rule.effect
        .map_or(rule.severity.name(), |effect| effect.name())
}

fn weight_style(rule: &RuleInfo) -> Style {
    rule.effect
        .map_or(style::severity(rule.severity), style::effect)
}

fn list(rules: &[&RuleInfo], out: &mut Text) -> io::Result<()> {
    let width = rules.iter().map(|rule| rule.id.len()).max().unwrap_or(0);
    for rule in rules {
        write!(out, "{:width$}  ", rule.id)?;
        out.paint(weight_style(rule), format_args!("{:10}", weight(rule)))?;
        writeln!(out, "  {} ({})", rule.summary, rule.origin)?;
    }
    Ok(())
}

fn explain(rule: &RuleInfo, out: &mut Text) -> io::Result<()> {
    out.paint(style::HEAD, &rule.id)?;
    writeln!(out, ": {}", rule.summary)?;
    let what = if rule.effect.is_some() {
        "The driver"
    } else {
        "Severity"
    };
    write!(out, "{what}: ")?;
    out.paint(weight_style(rule), weight(rule))?;
    writeln!(out, "\nOrigin: {}\n\n{}", rule.origin, rule.docs)
}
