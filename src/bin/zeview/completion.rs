//! Completion scripts for shells, with the names of columns and devices.

use std::io::{self, Write};
use std::process::ExitCode;

use clap::builder::PossibleValuesParser;
use clap::{Arg, Command, CommandFactory};
use clap_complete::Shell;
use zeview::decode::device::described::all;
use zeview::decode::isa::Platform;
use zeview::model::sort;
use zeview::tables::ListId;

use crate::Arguments;

/// Prints the completion script of a shell.
pub fn print(shell: Shell) -> io::Result<ExitCode> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command(), "zeview", &mut script);
    io::stdout().write_all(&script)?;
    Ok(ExitCode::SUCCESS)
}

/// Returns the command with the names that arguments accept. Names are checked elsewhere: profiles add
/// columns, and files know devices.
fn command() -> Command {
    Arguments::command().mut_subcommands(|command| {
        let list = match command.get_name() {
            "lines" => ListId::SourceLines,
            _ => ListId::Kernels,
        };
        command.mut_args(|arg| named(arg, list))
    })
}

fn named(arg: Arg, list: ListId) -> Arg {
    let columns = || list.columns().iter().map(|column| column.id.to_owned());
    let values: Vec<String> = match arg.get_id().as_str() {
        "columns" => columns().collect(),
        "sort" => {
            let descending = columns().map(|id| format!("-{id}"));
            columns().chain(descending).collect()
        }
        "device" => devices(),
        "platform" => {
            let encodings = Platform::ALL
                .iter()
                .map(|platform| platform.name().to_owned());
            encodings.chain(devices()).collect()
        }
        _ => return arg,
    };
    // The command refers to its values, and lives as long as the process.
    let values = values.into_iter().map(|value| &*value.leak());
    arg.value_parser(PossibleValuesParser::new(values))
}

/// Returns the names of devices that need no quotes.
fn devices() -> Vec<String> {
    let devices = all().into_iter();
    let names = devices.flat_map(|device| {
        let names = device.names.into_iter().chain(device.code_names);
        names.map(str::to_owned).chain(device.sycl)
    });
    let mut names: Vec<String> = names.collect();
    sort::ascending(&mut names);
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_devices_and_sort_keys_are_completed() {
        command().debug_assert();
        // PowerShell's scripts have no values of options.
        for shell in [Shell::Bash, Shell::Zsh, Shell::Fish] {
            let mut script = Vec::new();
            clap_complete::generate(shell, &mut command(), "zeview", &mut script);
            let script = String::from_utf8(script).expect("it is UTF-8");
            for name in ["spill_size", "-spill_size", "bmg-g21", "intel_gpu_pvc"] {
                assert!(script.contains(name), "{shell} {name}");
            }
        }
    }
}
