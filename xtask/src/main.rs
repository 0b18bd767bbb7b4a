//! Set-up, build and checks of zeview: `cargo xtask <command>`.
//!
//! Every command runs without a terminal, prints its step in one line, and installs its tools into
//! the target folder (system packages excepted).
//!
//! * [`project`]: paths of the sources and the target folder, locked versions.
//! * [`setup`]: finds or installs the tools of a command; [`system`] knows the operating system's
//!   packages.
//! * [`page`]: builds or serves the page with Trunk; [`dist`] creates the release folder, [`sizes`]
//!   checks its budgets.
//! * [`docs`]: the documentation site; [`glossary`] links its words, [`links`] checks its links, and [`repository`] knows the
//!   address of the sources.
//! * [`npm`]: the JavaScript library as a package.
//! * [`single`]: the page in one file.
//! * [`checks`]: all checks as named steps.
//! * [`package`]: release archives of the command line.
//! * [`python`]: the Python package and its tests.
//! * [`release`]: all artifacts of a release, and their check.
//! * [`vscode`]: the VS Code extension and its journeys.
//! * [`fuzz`]: the fuzz targets.
//! * [`isa_tables`], [`spirv_tables`]: the decoder's tables of the instruction encodings, and of SPIR-V.
//! * [`shell`]: running programs and printing.

mod bench;
mod checks;
mod dist;
mod docs;
mod fuzz;
mod glossary;
mod isa_tables;
mod json;
mod links;
mod npm;
mod options;
mod package;
mod page;
mod project;
mod python;
mod release;
mod repository;
mod setup;
mod shell;
mod single;
mod sizes;
mod spirv_tables;
mod system;
mod vscode;

use options::Options;
use project::Project;
use setup::Need;
use shell::Outcome;
use std::path::Path;
use std::process::ExitCode;

const HELP: &str = "\
cargo xtask <command>

  serve [--port N] [--open] [--dev]   build the page and serve it on 127.0.0.1:8080
  test [--quick] [STEP…]              every check: fmt tables spelling clippy fuzz native rustdoc dist docs
                                      extension wasm python browser (--quick: those up to native); only if
                                      named: pandas notebook editors
  check                               fmt, spelling, and clippy for each target
  build [--dev]                       build the page, without versions and budgets
  dist                                build the release folder dist/ and check its size
  docs                                build the documentation into dist/docs, after dist
  npm                                 dist, and the JavaScript library as dist/npm
  single                              dist, and the page in one file: dist/zeview.html
  isa-tables                          write crates/isa/src/tables.rs from xtask/model
  spirv-tables FOLDER                 write crates/decode/src/spirv/tables.rs from the grammars of SPIRV-Headers:
                                      its folder include/spirv/unified1
  bench [NAME…]                       run benchmarks: core kernels compare page memory peers
  bench regress OLD [--runs N]        build the commit OLD, run both command lines in turn, and fail if a
                                      command takes over 10 % more processor time than there
  pictures [NAME…]                    take the pictures of the README and the documentation from dist/ and record
                                      what they show (those with NAME in their path)
  fuzz [--minutes N] [TARGET…]        run the targets of fuzz/, each for so long (1), and print a table
                                      (--toolchain NAME: not the pinned nightly toolchain)
  package [--target T] [--features F] build the command line, and an archive of it for a release
  python [--target T] [--features F]  build the wheel of the Python package: dist/python
  vscode                              package the VS Code extension with the page in dist/: dist/zeview-VERSION.vsix
  release [--target T]…               build what this system can build of a release into target/release-files:
                                      the page, the library, the extension, the command line, the wheel;
                                      then check it
  release-check [FOLDER]              check the artifacts of a release: contents, versions, checksums; use each once
  manifests FOLDER OWNER/NAME         write the manifests for Homebrew and Scoop, and the checksums
  setup                               install everything that the commands need
  help                                print this

--dev builds without optimization: faster to build, slower to use.
Tools are taken from $ZEVIEW_TOOLS/bin or the PATH where they have the right
version, and are installed into target/tools otherwise.";

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let command = arguments.next().unwrap_or_else(|| "help".to_owned());
    match run(&command, arguments.collect()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            shell::flush();
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command: &str, arguments: Vec<String>) -> Outcome {
    if matches!(command, "help" | "--help" | "-h") {
        println!("{HELP}");
        return Ok(());
    }
    let project = Project::find()?;
    let options = Options::new(arguments);
    match command {
        "setup" => {
            options.finish()?;
            setup::meet(&project, Need::ALL).map(drop)
        }
        "serve" => page::serve(&project, options),
        "build" => page::build_command(&project, options),
        "dist" => {
            options.finish()?;
            let tools = setup::meet(&project, dist::NEEDS)?;
            dist::build(&project, &tools)
        }
        "docs" => {
            options.finish()?;
            docs::run(&project)
        }
        "npm" => {
            options.finish()?;
            npm::build(&project)
        }
        "single" => {
            options.finish()?;
            single::build(&project)
        }
        "test" => checks::test(&project, options),
        "check" => {
            options.finish()?;
            checks::run_named(&project, &["fmt", "spelling", "clippy"])
        }
        "isa-tables" => {
            options.finish()?;
            isa_tables::run(&project, false)
        }
        "spirv-tables" => {
            let folder = options.rest().into_iter().next();
            let folder = folder.ok_or("spirv-tables needs the folder of the grammars")?;
            spirv_tables::run(&project, Path::new(&folder))
        }
        "bench" => bench::run(&project, options),
        "pictures" => checks::script(&project, "tests/browser/pictures.mjs", &options.rest()),
        "fuzz" => fuzz::run(&project, options),
        "package" => package::run(&project, options),
        "python" => python::run(&project, options),
        "release" => release::run(&project, options),
        "release-check" => release::run_check(&project, options),
        "manifests" => release::run_manifests(&project, options),
        "vscode" => vscode::run(&project, options),
        other => Err(format!("no command \"{other}\"; see cargo xtask help")),
    }
}
