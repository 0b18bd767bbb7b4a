//! The command-line interface.

mod argument;
mod check;
mod code_figures;
mod completion;
mod devices;
mod diff;
mod disasm;
mod dump;
mod extract;
mod files;
mod find;
mod gate;
mod images;
mod input;
mod kernels;
mod lines;
mod ls;
mod matrix;
mod modules;
mod occupancy;
mod open;
mod outline;
mod output;
mod parallel;
mod profile;
mod progress;
#[cfg(test)]
mod reference;
mod replace;
mod report;
mod rows;
mod rules;
mod sizes;
mod step;
mod style;
mod summary;

pub(crate) use argument::FileArgument;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, Parser, Subcommand};
use clap_complete::Shell;
use zeview::model::text::escaped;

/// Shows the contents of Intel GPU binaries: every value with its bytes.
#[derive(Parser)]
#[command(
    version,
    about,
    max_term_width = 100,
    override_usage = "zeview [OPTIONS] FILE...\n       zeview [OPTIONS] COMMAND ...",
    after_help = "Without a command, prints a summary of each file. To name a file like a \
                  command, use ./check.\n\n\
                  Example: zeview vecadd.zebin",
    arg_required_else_help = true
)]
struct Arguments {
    #[command(flatten)]
    summary: summary::Options,
    /// When to use color. `auto`: on terminals, honoring NO_COLOR, CLICOLOR_FORCE and TERM=dumb.
    #[arg(long, global = true, value_name = "WHEN", default_value_t = ColorChoice::Auto)]
    color: ColorChoice,
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Subcommand)]
enum Command {
    /// List the parts of a file, with the paths that --path and extract accept.
    ///
    /// Example: zeview ls -r vecadd.zebin .ze_info
    Ls(ls::Options),
    /// Print the whole tree (offset, length, name, value), then the diagnostics.
    ///
    /// Example: zeview dump --path '.ze_info/kernels/*/execution_env' vecadd.zebin
    Dump(dump::Options),
    /// Print the assembly of kernels in the syntax of the Intel Graphics Assembler (`iga64 -d`).
    ///
    /// With --kernel or --raw, the output can be assembled again; otherwise a comment names each
    /// kernel.
    ///
    /// Example: zeview disasm vecadd.zebin --kernel vecadd
    Disasm(disasm::Options),
    /// Summarize the data flow of kernels: live registers, spills, loops, waits.
    ///
    /// Cycles are the compiler scheduler's estimates for one thread, not measured times. Live
    /// registers include the values of channels that wait while others run; producers ignore
    /// divergence. Values are not followed through calls.
    ///
    /// Example: zeview analyze vecadd.zebin --kernel vecadd
    Analyze(disasm::analyze::Options),
    /// Show where kernels wait: a profile of unitrace or GTPin on the code of a file.
    ///
    /// The profile is the file of `unitrace --stall-sampling`, of `unitrace -q` or `-k` for metrics
    /// of kernels, of `unitrace -d` for device times, of `instcount` or `memaccess` of PTI
    /// (`--json-output`) for executions of instructions, or the folder of `unitrace --result-dir`.
    /// Its kernels are found by name in all images of the file, and its offsets are checked against
    /// the code. Samples belong to the instruction that waits; the causes are the instructions that
    /// it waits for.
    ///
    /// Exit status: 2 if a file could not be read, a row of the profile was skipped, no kernel of
    /// the profile is in the file, or most samples are at no instruction; otherwise 0.
    ///
    /// Example: zeview profile matmul.syclbin matmul.csv --kernel matmul
    Profile(profile::Options),
    /// Check files against the specifications, and predict what the driver does with them.
    ///
    /// The two results are independent: compilers write files that the driver refuses, and the
    /// driver loads files that violate the specification.
    ///
    /// Folders are searched recursively. Files of unknown formats in them are skipped and counted;
    /// empty files are malformed.
    ///
    /// Exit status: 1 if any file does not load or is malformed (with --strict, if any has a
    /// warning); otherwise 2 if a file could not be read, or there was none; otherwise 0. A
    /// container loads if all its images load on their target devices; with --device, if any image
    /// loads on that device.
    ///
    /// Example: zeview check --quiet build/
    Check(check::Options),
    /// Print the devices: all names that --device accepts, and their properties.
    ///
    /// Example: zeview devices B580
    Devices(devices::Options),
    /// List all rules: summary, severity or driver behavior, and origin.
    ///
    /// Example: zeview rules driver/
    Rules(rules::Options),
    /// Print the kernel table: the resources and spills of each kernel.
    ///
    /// Example: zeview kernels --filter 'spill_size>0' --sort -spill_size app.syclbin
    Kernels(kernels::Options),
    /// List the device images in host libraries, programs and objects: targets, kernels and
    /// properties.
    ///
    /// Example: zeview images libfoo.so --device bmg-g21
    Images(images::Options),
    /// Print which kernels have native code for which device: of packages, folders and libraries.
    ///
    /// A cell has the SIMD widths of the kernel's builds, `recompiled` if the driver compiles its
    /// SPIR-V at the first use, or `does not run`. A device may also run code of a compatible one:
    /// `zeview check --device`.
    ///
    /// Example: zeview matrix --incomplete package.whl
    Matrix(matrix::Options),
    /// Print what makes files large: their bytes by device, kernel, section and so on, and what grew.
    ///
    /// Example: zeview sizes --by family --within device=pvc wheel.whl
    Sizes(sizes::Options),
    /// Find instructions in the code of all kernels: which kernels use dpas, spill in loops, load with a
    /// hint.
    ///
    /// A query has conditions on instructions and on their kernels, and words of the instruction as
    /// `zeview disasm` prints it. `A then B` finds B among the 16 instructions after A; `?a` stands for
    /// a register that both have. Conditions on the kind of instruction are decided without
    /// decoding each one, words are not.
    ///
    /// Example: zeview find 'mnemonic=send marks=spill loop>=1 device=pvc' libfoo.so
    Find(find::Options),
    /// Compare two files, or two folders of files, by meaning: kernels, attributes, code, sections,
    /// symbols, modules, images, properties.
    ///
    /// Example: zeview diff before.zebin after.zebin --fail-if 'spill_size increased'
    Diff(diff::Options),
    /// Write files as one HTML page, to share or print: contents, driver verdict, kernels, images,
    /// modules and problems.
    ///
    /// Example: zeview report app.syclbin -o report.html
    Report(report::Options),
    /// Print the source lines of code, from DWARF line tables: one row per range of code.
    ///
    /// Example: zeview lines --filter 'line=12' --source kernel.cl kernel.zebin
    Lines(lines::Options),
    /// Print kernels in step: for each line of the source, the SPIR-V, the vISA and the instructions.
    ///
    /// They are tied by the line tables of the code (DWARF), of the SPIR-V (OpLine, DebugLine) and
    /// of the vISA; without debug information, by the names of arguments and calls, barriers and
    /// atomic operations. An instruction of an inlined function is printed with its own line.
    ///
    /// Example: zeview step matmul.zebin --kernel matmul --source matmul.cl
    Step(step::Options),
    /// Write the bytes of parts of a file: an image, a section, or any other row of the tree.
    ///
    /// Example: zeview extract vecadd.zebin '.text.*' -o code/
    Extract(extract::Options),
    /// Print the modules of SYCLBINs: their properties, and the device code for each target.
    ///
    /// Example: zeview modules app.syclbin
    Modules(modules::Options),
    /// Open files in the zeview page, in a browser on this machine.
    ///
    /// Example: zeview open --compare before.zebin after.zebin
    Open(open::Options),
    /// Print a shell completion script, with the names of columns, sort keys and devices.
    ///
    /// Example: zeview completions bash > ~/.local/share/bash-completion/completions/zeview
    Completions {
        /// The shell.
        shell: Shell,
    },
    /// Write the manual pages: one for zeview and one for each command.
    ///
    /// Example: zeview man ~/.local/share/man/man1
    Man {
        /// The folder for the pages; it is created if missing.
        folder: PathBuf,
    },
}

fn main() -> ExitCode {
    let arguments = Arguments::try_parse().unwrap_or_else(|error| refuse(&error));
    match arguments.color {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    }
    .write_global();
    if is_repeated(&arguments, Path::new("-")) {
        output::complain!("standard input can be read only once: - is named twice");
        return ExitCode::from(2);
    }
    if judges(&arguments) {
        output::outlive_reader();
    }
    let outcome = match &arguments.command {
        Some(_) if !arguments.summary.files.is_empty() => {
            let text = "put files after the command";
            Arguments::command()
                .error(ErrorKind::ArgumentConflict, text)
                .exit()
        }
        None if arguments.summary.files.is_empty() => {
            let text = "no file given";
            Arguments::command()
                .error(ErrorKind::MissingRequiredArgument, text)
                .exit()
        }
        None => summary::run(&arguments.summary),
        Some(Command::Ls(options)) => ls::run(options),
        Some(Command::Dump(options)) => dump::run(options),
        Some(Command::Disasm(options)) => disasm::run(options),
        Some(Command::Analyze(options)) => disasm::analyze::run(options),
        Some(Command::Profile(options)) => profile::run(options),
        Some(Command::Check(options)) => check::run(options),
        Some(Command::Devices(options)) => devices::run(options),
        Some(Command::Rules(options)) => rules::run(options),
        Some(Command::Kernels(options)) => kernels::run(options),
        Some(Command::Images(options)) => images::run(options),
        Some(Command::Matrix(options)) => matrix::run(options),
        Some(Command::Sizes(options)) => sizes::run(options),
        Some(Command::Find(options)) => find::run(options),
        Some(Command::Diff(options)) => diff::run(options),
        Some(Command::Report(options)) => report::run(options),
        Some(Command::Lines(options)) => lines::run(options),
        Some(Command::Step(options)) => step::run(options),
        Some(Command::Extract(options)) => extract::run(options),
        Some(Command::Modules(options)) => modules::run(options),
        Some(Command::Open(options)) => open::run(options),
        Some(Command::Completions { shell }) => completion::print(*shell),
        Some(Command::Man { folder }) => manual(folder),
    };
    match outcome {
        Ok(status) => status,
        // The reader of the output has seen enough (`zeview dump x | head`). A failure remains one.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => {
            if output::has_printed_message() {
                ExitCode::from(2)
            } else {
                ExitCode::SUCCESS
            }
        }
        Err(error) => {
            output::complain!("{error}");
            ExitCode::from(2)
        }
    }
}

/// Returns whether the exit status summarizes several files or kernels. These commands read all of
/// them even after the reader of the output has gone.
fn judges(arguments: &Arguments) -> bool {
    match &arguments.command {
        Some(Command::Analyze(options)) => options.is_summary(),
        None
        | Some(
            Command::Check(_)
            | Command::Kernels(_)
            | Command::Images(_)
            | Command::Matrix(_)
            | Command::Sizes(_)
            | Command::Find(_)
            | Command::Diff(_)
            | Command::Report(_)
            | Command::Lines(_)
            | Command::Modules(_),
        ) => true,
        Some(
            Command::Ls(_)
            | Command::Dump(_)
            | Command::Disasm(_)
            | Command::Step(_)
            | Command::Profile(_)
            | Command::Devices(_)
            | Command::Rules(_)
            | Command::Extract(_)
            | Command::Open(_)
            | Command::Completions { .. }
            | Command::Man { .. },
        ) => false,
    }
}

/// Returns whether the file is named more than once.
fn is_repeated(arguments: &Arguments, file: &Path) -> bool {
    let files = match &arguments.command {
        None => &arguments.summary.files,
        Some(Command::Check(options)) => &options.input.files,
        Some(Command::Kernels(options)) => {
            let named = options.input.files.iter().chain(&options.profile);
            return named.filter(|named| *named == file).count() > 1;
        }
        Some(Command::Images(options)) => &options.input.files,
        Some(Command::Matrix(options)) => &options.input.files,
        Some(Command::Find(options)) => &options.files,
        Some(Command::Sizes(options)) => {
            let named = options.input.files.iter().chain(&options.since);
            return named.filter(|named| *named == file).count() > 1;
        }
        Some(Command::Diff(options)) => return options.from == file && options.to == file,
        Some(Command::Profile(options)) => {
            return options.inputs().filter(|named| *named == file).count() > 1;
        }
        Some(Command::Report(options)) => &options.input.files,
        Some(Command::Lines(options)) => &options.input.files,
        Some(Command::Modules(options)) => &options.input.files,
        Some(Command::Open(options)) => &options.files,
        // These commands take one file.
        Some(
            Command::Ls(_)
            | Command::Dump(_)
            | Command::Disasm(_)
            | Command::Step(_)
            | Command::Analyze(_)
            | Command::Extract(_)
            | Command::Devices(_)
            | Command::Rules(_)
            | Command::Completions { .. }
            | Command::Man { .. },
        ) => return false,
    };
    files.iter().filter(|named| *named == file).count() > 1
}

/// Exits as clap does. clap repeats the arguments, and the name of a file may begin like an option.
/// The error is therefore rebuilt from escaped arguments, which contain no line breaks.
fn refuse(error: &clap::Error) -> ! {
    let typed: Vec<String> = std::env::args_os()
        .map(|typed| typed.to_string_lossy().into_owned())
        .collect();
    let shown: Vec<String> = typed.iter().map(|typed| escaped(typed)).collect();
    if typed == shown {
        error.exit();
    }
    let of_shown = Arguments::try_parse_from(shown).err();
    let error = of_shown.as_ref().unwrap_or(error);
    // An error of writing to standard error cannot be reported.
    let _ = write!(
        output::Visible::new(io::stderr(), false),
        "{}",
        error.render()
    );
    std::process::exit(error.exit_code())
}

fn manual(folder: &Path) -> io::Result<ExitCode> {
    let written = std::fs::create_dir_all(folder).and_then(|()| {
        // `help` needs no manual page.
        let command = Arguments::command().disable_help_subcommand(true);
        clap_mangen::generate_to(command, folder)
    });
    if let Err(error) = written {
        output::complain!("{}: {error}", folder.display());
        return Ok(ExitCode::from(2));
    }
    Ok(ExitCode::SUCCESS)
}

/// Returns the names of the commands.
fn commands() -> Vec<String> {
    let command = Arguments::command();
    let names = command
        .get_subcommands()
        .map(|command| command.get_name().to_owned());
    names.collect()
}
