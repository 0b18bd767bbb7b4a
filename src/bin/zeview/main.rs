//! The command line: the decoder without the page.

mod check;
mod dump;
mod extract;
mod input;
mod kernels;
mod modules;
mod output;
mod parallel;
mod progress;
mod rules;

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Shows what is inside Intel GPU binaries, every value with its bytes.
#[derive(Parser)]
#[command(version, about, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Print the whole tree: offset, length, name, value; then the diagnostics.
    Dump(dump::Options),
    /// Print what today's driver does with files, and what is wrong with them.
    ///
    /// Two statements, to be kept apart: compilers write files that the driver refuses, and it
    /// takes files that are against the specification.
    ///
    /// Exit status: 0 if all files load and are well-formed, 1 if one does not or is not, 2 if a
    /// file could not be read. A container loads if all its images load on their own devices;
    /// with --device, if one of them loads on that device.
    Check(check::Options),
    /// List every rule: what is checked, how much it matters, where it comes from.
    Rules(rules::Options),
    /// Print the kernel table: what each kernel needs, and what it spills.
    Kernels(kernels::Options),
    /// Write the bytes of a part of a file: an image, a section, any row of the tree.
    Extract(extract::Options),
    /// Print the modules of a SYCLBIN: their properties, and the device code for each target.
    Modules(modules::Options),
}

/// A file, or `-` for standard input.
type FileArgument = PathBuf;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = match arguments.command {
        Command::Dump(options) => dump::run(&options),
        Command::Check(options) => check::run(&options),
        Command::Rules(options) => rules::run(&options),
        Command::Kernels(options) => kernels::run(&options),
        Command::Extract(options) => extract::run(&options),
        Command::Modules(options) => modules::run(&options),
    };
    match outcome {
        Ok(status) => status,
        // Whoever reads the output has seen enough: `zeview dump x | head`.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(error) => {
            output::complain!("{error}");
            ExitCode::from(2)
        }
    }
}
