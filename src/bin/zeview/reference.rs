//! The reference of commands and options in the documentation, generated from the definitions of
//! the command line. `BLESS=1 cargo test --all-features --bin zeview reference` writes it.

use std::fmt::Write;
use std::fs;

use clap::{Arg, Command, CommandFactory};

use crate::Arguments;

const FILE: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/docs/src/reference/commands.md"
);

#[test]
fn reference_of_commands_is_current() {
    let expected = reference();
    if std::env::var_os("BLESS").is_some() {
        fs::write(FILE, &expected).expect("the documentation is writable");
    }
    let current = fs::read_to_string(FILE).expect("the reference exists");
    assert!(
        current == expected,
        "{FILE} is stale: run BLESS=1 cargo test --all-features --bin zeview reference"
    );
}

fn reference() -> String {
    let mut root = Arguments::command().disable_help_subcommand(true);
    // Completes the usage of subcommands.
    root.build();
    let mut out = "<!-- Generated; see src/bin/zeview/reference.rs. -->\n\n\
                   # Commands and options\n\n\
                   `zeview COMMAND --help` prints the same text. [Command line](command-line.md) has \
                   examples, and what the commands have in common.\n"
        .to_owned();
    section(&mut root, true, &mut out);
    for command in root.get_subcommands_mut() {
        section(command, false, &mut out);
    }
    out
}

/// Writes one command: description, usage, arguments, options, further help.
fn section(command: &mut Command, is_root: bool, out: &mut String) {
    let name = command.get_bin_name().unwrap_or("zeview").to_owned();
    let usage = command.render_usage().to_string();
    let usage = usage.trim_start_matches("Usage:").trim();
    let about = command.get_long_about().or(command.get_about());
    let about = about.map(ToString::to_string).unwrap_or_default();
    let (examples, text): (Vec<&str>, Vec<&str>) = about
        .split("\n\n")
        .partition(|paragraph| paragraph.starts_with("Example: "));
    write!(out, "\n## {name}\n").unwrap();
    for paragraph in text {
        write!(out, "\n{}\n", sentence(&markdown(paragraph))).unwrap();
    }
    write!(out, "\n```text\n{}\n```\n", lines(usage)).unwrap();
    for text in examples {
        example(text.trim_start_matches("Example: "), out);
    }

    let is_shown = |arg: &&Arg| {
        let is_own = is_root || !arg.is_global_set();
        is_own && !arg.is_hide_set() && !matches!(arg.get_id().as_str(), "help" | "version")
    };
    let arguments: Vec<&Arg> = command.get_arguments().filter(is_shown).collect();
    if !arguments.is_empty() {
        out.push('\n');
    }
    for argument in arguments {
        entry(argument, out);
    }
    let more = command.get_after_long_help().or(command.get_after_help());
    let more = more.map(ToString::to_string).unwrap_or_default();
    for part in more.split("\n\n").filter(|part| !part.trim().is_empty()) {
        let is_table = part.lines().any(|line| line.starts_with("  "));
        if is_table {
            write!(out, "\n```text\n{}\n```\n", lines(part)).unwrap();
        } else if let Some(line) = part.strip_prefix("Example: ") {
            example(line, out);
        } else {
            write!(out, "\n{}\n", markdown(part.trim())).unwrap();
        }
    }
}

fn example(line: &str, out: &mut String) {
    write!(out, "\nExample:\n\n```sh\n{}\n```\n", line.trim()).unwrap();
}

/// Writes an argument or option as an item of a list.
fn entry(arg: &Arg, out: &mut String) {
    let takes_values = arg.get_action().takes_values();
    let names = arg.get_value_names().unwrap_or_default();
    let values: Vec<&str> = names.iter().map(|name| name.as_str()).collect();
    let values = values.join(" ");
    let long = arg.get_long().map(|long| format!("--{long}"));
    let short = arg.get_short().map(|short| format!("-{short}"));
    let options: Vec<String> = short.into_iter().chain(long).collect();
    let title = match (options.is_empty(), takes_values) {
        (true, _) => values,
        (false, true) => format!("{} {values}", options.join(", ")),
        (false, false) => options.join(", "),
    };
    let help = arg.get_long_help().or(arg.get_help());
    let help = help.map(ToString::to_string).unwrap_or_default();
    let help: Vec<String> = help.split("\n\n").map(markdown).collect();
    write!(out, "* `{title}`: {}", sentence(&help.join("\n\n  "))).unwrap();
    let possible: Vec<String> = arg
        .get_possible_values()
        .iter()
        .filter(|_| takes_values)
        .map(|value| format!("`{}`", value.get_name()))
        .collect();
    if !possible.is_empty() {
        write!(out, " Values: {}.", possible.join(", ")).unwrap();
    }
    let defaults: Vec<String> = arg
        .get_default_values()
        .iter()
        .filter(|_| takes_values)
        .map(|value| format!("`{}`", value.to_string_lossy()))
        .collect();
    if !defaults.is_empty() {
        write!(out, " Default: {}.", defaults.join(", ")).unwrap();
    }
    out.push('\n');
}

/// Restores the final period, which clap removes.
fn sentence(text: &str) -> String {
    let is_complete = text.is_empty() || text.ends_with(['.', ':', '?', '!']);
    format!("{text}{}", if is_complete { "" } else { "." })
}

/// Removes trailing blanks from lines.
fn lines(text: &str) -> String {
    let lines: Vec<&str> = text.trim().lines().map(str::trim_end).collect();
    lines.join("\n")
}

/// Escapes plain text as Markdown, except in backticks.
fn markdown(text: &str) -> String {
    let mut out = String::new();
    let mut is_code = false;
    for c in text.chars() {
        is_code ^= c == '`';
        if !is_code && matches!(c, '*' | '<' | '[' | '\\') {
            out.push('\\');
        }
        out.push(if c == '\n' { ' ' } else { c });
    }
    out
}
