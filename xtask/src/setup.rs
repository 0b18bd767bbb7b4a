//! Finds the tools of a command, or installs them.

use crate::project::Project;
use crate::python;
use crate::shell::{self, Outcome, say};
use crate::system::{self, Browser};
use std::env;
use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};
use std::process::Command;

const TRUNK_VERSION: &str = "0.21.14";

/// The npm package that holds wasm-opt. Its major version is Binaryen's.
const BINARYEN_VERSION: &str = "132.0.0";

const MDBOOK_VERSION: &str = "0.5.4";

const TYPOS_VERSION: &str = "1.52.0";

const CARGO_FUZZ_VERSION: &str = "0.13.1";

/// Sanitizers need a nightly compiler. This one was current when `fuzz/` was last changed.
const FUZZ_TOOLCHAIN: &str = "nightly-2026-05-20";

pub const WASM: &str = "wasm32-unknown-unknown";

/// A requirement of a command.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Need {
    Rustfmt,
    Clippy,
    WasmTarget,
    Trunk,
    WasmBindgen,
    /// Builds the documentation.
    Mdbook,
    /// The spell checker.
    Typos,
    /// Optimizes wasm; skipped if npm is missing.
    WasmOpt,
    /// A reference for native tests, which pass without it.
    Readelf,
    Node,
    /// Python 3.9 or later, with virtual environments.
    Python,
    /// Chromium and its driver.
    Browser,
    /// The packages of the browser journeys.
    Journeys,
    /// The libraries that code-server is compiled with.
    CodeServer,
}

impl Need {
    pub const ALL: &[Self] = &[
        Self::Rustfmt,
        Self::Clippy,
        Self::WasmTarget,
        Self::Trunk,
        Self::WasmBindgen,
        Self::Mdbook,
        Self::Typos,
        Self::WasmOpt,
        Self::Readelf,
        Self::Node,
        Self::Python,
        Self::Browser,
        Self::Journeys,
        Self::CodeServer,
    ];
}

/// The tools that were found or installed.
#[derive(Default)]
pub struct Tools {
    folders: Vec<PathBuf>,
    pub wasm_opt: Option<PathBuf>,
    pub browser: Option<Browser>,
}

impl Tools {
    /// Adds the tools to the front of the command's PATH.
    pub fn on_path(&self, command: &mut Command) -> Outcome {
        let folders = self.folders.iter().cloned().chain(path_folders());
        let path = env::join_paths(folders).map_err(|error| format!("PATH: {error}"))?;
        command.env("PATH", path);
        Ok(())
    }

    fn add(&mut self, program: &Path) {
        let folder = program.parent().map(Path::to_owned);
        self.folders.extend(folder);
    }
}

/// Finds or installs the requirements.
pub fn meet(project: &Project, needs: &[Need]) -> Outcome<Tools> {
    system::install_missing(needs)?;
    let mut tools = Tools::default();
    for need in needs {
        match need {
            Need::Rustfmt => component(project, "rustfmt", "fmt")?,
            Need::Clippy => component(project, "clippy", "clippy")?,
            Need::WasmTarget => wasm_target()?,
            Need::Trunk => tools.add(&trunk(project)?),
            Need::WasmBindgen => tools.add(&wasm_bindgen(project)?),
            Need::Mdbook => tools.add(&mdbook(project)?),
            Need::Typos => tools.add(&typos(project)?),
            Need::WasmOpt => tools.wasm_opt = wasm_opt(project)?,
            Need::Browser => tools.browser = Some(system::browser()?),
            Need::Journeys => journeys(project)?,
            // packages of the system
            Need::Readelf | Need::Node | Need::Python | Need::CodeServer => {}
        }
    }
    Ok(tools)
}

/// Adds a component of the Rust toolchain that rustup's minimal profile lacks.
fn component(project: &Project, name: &str, subcommand: &str) -> Outcome {
    if shell::output(&mut project.cargo([subcommand, "--version"])).is_some() {
        return Ok(());
    }
    say(format!("{name}: missing, added to the Rust toolchain"));
    shell::run(Command::new("rustup").args(["component", "add", name]))
}

fn wasm_target() -> Outcome {
    let mut query = Command::new("rustc");
    query.args(["--print", "target-libdir", "--target", WASM]);
    let folder = shell::output(&mut query).unwrap_or_default();
    if Path::new(folder.trim()).is_dir() {
        return Ok(());
    }
    say(format!("{WASM}: missing, added to the Rust toolchain"));
    shell::run(Command::new("rustup").args(["target", "add", WASM]))
}

fn trunk(project: &Project) -> Outcome<PathBuf> {
    cargo_tool(project, "trunk", "trunk", TRUNK_VERSION, &["--locked"])
}

/// Installs the locked version of wasm-bindgen: generated scripts fit only one version of the
/// library.
fn wasm_bindgen(project: &Project) -> Outcome<PathBuf> {
    let version = project.locked_version("wasm-bindgen")?;
    // Not --locked: the tool's own lock file may hold versions that were withdrawn.
    cargo_tool(project, "wasm-bindgen", "wasm-bindgen-cli", &version, &[])
}

fn mdbook(project: &Project) -> Outcome<PathBuf> {
    // Without the server and the watcher, which are not used.
    let options = ["--locked", "--no-default-features", "--features", "search"];
    cargo_tool(project, "mdbook", "mdbook", MDBOOK_VERSION, &options)
}

/// Installs the spell checker's wheel from PyPI where Python is present: its dictionary takes the compiler
/// minutes, on a slow machine half an hour.
fn typos(project: &Project) -> Outcome<PathBuf> {
    if let Some(found) = find_version(project, "typos", TYPOS_VERSION) {
        say(format!("typos {TYPOS_VERSION}: {}", found.display()));
        return Ok(found);
    }
    match typos_wheel(project) {
        Ok(installed) => Ok(installed),
        Err(reason) => {
            say(format!("typos: not installed from PyPI: {reason}"));
            cargo_tool(project, "typos", "typos-cli", TYPOS_VERSION, &["--locked"])
        }
    }
}

fn typos_wheel(project: &Project) -> Outcome<PathBuf> {
    let folder = project.tools().join("python");
    let python = python::environment(&folder)?;
    let program = python.with_file_name(format!("typos{}", env::consts::EXE_SUFFIX));
    if version_of(&program).as_deref() == Some(TYPOS_VERSION) {
        say(format!("typos {TYPOS_VERSION}: {}", program.display()));
        return Ok(program);
    }
    say(format!(
        "typos {TYPOS_VERSION}: missing, installed into {}",
        folder.display()
    ));
    let package = format!("typos=={TYPOS_VERSION}");
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-input"]);
    // Without a wheel for this system, pip would compile it, too.
    install.args(["--only-binary", ":all:"]).arg(&package);
    shell::run(&mut install)?;
    Ok(program)
}

pub fn cargo_fuzz(project: &Project) -> Outcome<PathBuf> {
    cargo_tool(
        project,
        "cargo-fuzz",
        "cargo-fuzz",
        CARGO_FUZZ_VERSION,
        &["--locked"],
    )
}

/// Returns the toolchain for fuzzing: the chosen one, or the pinned one, installed by rustup.
pub fn fuzz_toolchain(chosen: Option<String>) -> Outcome<String> {
    let is_pinned = chosen.is_none();
    let name = chosen.unwrap_or_else(|| FUZZ_TOOLCHAIN.to_owned());
    let mut query = Command::new("rustup");
    if shell::output(query.args(["run", &name, "rustc", "--version"])).is_some() {
        return Ok(name);
    }
    if !is_pinned {
        return Err(format!("no toolchain {name}"));
    }
    say(format!("{name}: missing, installed by rustup"));
    let mut install = Command::new("rustup");
    shell::run(install.args(["toolchain", "install", &name, "--profile", "minimal"]))?;
    Ok(name)
}

/// Overrides of the tools' release profiles. Optimization takes most of a tool's installation and does
/// not pay off for runs of a second: without it, mdBook builds in 59 s of processor time instead of
/// 106 s (level 1), and takes 0.5 s instead of 0.1 s for the documentation.
fn quick_profile(package: &str) -> [(&'static str, &'static str); 4] {
    // It rewrites megabytes of wasm in each build of the page.
    let is_heavy = package == "wasm-bindgen-cli";
    [
        ("CARGO_PROFILE_RELEASE_LTO", "off"),
        (
            "CARGO_PROFILE_RELEASE_OPT_LEVEL",
            if is_heavy { "1" } else { "0" },
        ),
        ("CARGO_PROFILE_RELEASE_CODEGEN_UNITS", "16"),
        ("CARGO_PROFILE_RELEASE_DEBUG", "0"),
    ]
}

/// Installs exactly this version of a tool from crates.io.
fn cargo_tool(
    project: &Project,
    name: &str,
    package: &str,
    version: &str,
    options: &[&str],
) -> Outcome<PathBuf> {
    if let Some(found) = find_version(project, name, version) {
        say(format!("{name} {version}: {}", found.display()));
        return Ok(found);
    }
    let root = project.tools();
    say(format!(
        "{name} {version}: missing, compiled into {} (once; one to five minutes on two cores)",
        root.display()
    ));
    let mut install = project.cargo(["install", package, "--version", version, "--root"]);
    // Not in the project's build folder, where the intermediate files would stay.
    install
        .arg(&root)
        .args(options)
        .envs(quick_profile(package))
        .env_remove("CARGO_TARGET_DIR");
    shell::run(&mut install)?;
    find_version(project, name, version)
        .ok_or(format!("{name} {version}: missing after the installation"))
}

fn find_version(project: &Project, name: &str, version: &str) -> Option<PathBuf> {
    let file = format!("{name}{}", env::consts::EXE_SUFFIX);
    tool_folders(project)
        .map(|folder| folder.join(&file))
        .find(|program| program.is_file() && version_of(program).as_deref() == Some(version))
}

/// Parses the version in `trunk 0.21.14`, `mdbook v0.5.4` or `wasm-opt version 132 (version_132)`.
fn version_of(program: &Path) -> Option<String> {
    let text = shell::output(Command::new(program).arg("--version"))?;
    first_number(&text)
}

fn first_number(text: &str) -> Option<String> {
    text.split_whitespace()
        .map(|word| word.strip_prefix('v').unwrap_or(word))
        .find(|word| word.starts_with(|first: char| first.is_ascii_digit()))
        .map(str::to_owned)
}

fn tool_folders(project: &Project) -> impl Iterator<Item = PathBuf> {
    let chosen = env::var_os("ZEVIEW_TOOLS").map(|root| Path::new(&root).join("bin"));
    chosen
        .into_iter()
        .chain([project.tools().join("bin")])
        .chain(path_folders())
}

fn path_folders() -> impl Iterator<Item = PathBuf> {
    let path: OsString = env::var_os("PATH").unwrap_or_default();
    env::split_paths(&path).collect::<Vec<_>>().into_iter()
}

/// Returns wasm-opt, or `None` if it is missing and cannot be installed.
fn wasm_opt(project: &Project) -> Outcome<Option<PathBuf>> {
    let version = BINARYEN_VERSION.split('.').next().unwrap_or_default();
    if let Some(found) = find_version(project, "wasm-opt", version) {
        say(format!("wasm-opt {version}: {}", found.display()));
        return Ok(Some(found));
    }
    let root = project.tools().join("npm");
    let script = if cfg!(windows) {
        "wasm-opt.cmd"
    } else {
        "wasm-opt"
    };
    let installed = root.join("node_modules/.bin").join(script);
    if version_of(&installed).as_deref() == Some(version) {
        say(format!("wasm-opt {version}: {}", installed.display()));
        return Ok(Some(installed));
    }
    if !has_npm() {
        say("wasm-opt: missing, as is npm to install it; the page is built without it");
        return Ok(None);
    }
    say(format!(
        "wasm-opt {version}: missing, installed into {}",
        root.display()
    ));
    let package = format!("binaryen@{BINARYEN_VERSION}");
    let mut install = npm("install", &root);
    shell::run(install.args(["--no-save", "--no-package-lock", &package]))?;
    Ok(Some(installed))
}

fn has_npm() -> bool {
    shell::output(shell::script("npm").arg("--version")).is_some()
}

fn npm(command: &str, folder: &Path) -> Command {
    let mut npm = shell::script("npm");
    npm.args([command, "--no-audit", "--no-fund", "--prefix"])
        .arg(folder);
    npm
}

/// Installs the locked packages of the browser journeys.
fn journeys(project: &Project) -> Outcome {
    let folder = project.journeys();
    let modified = |file: &str| {
        folder
            .join(file)
            .metadata()
            .and_then(|data| data.modified())
    };
    let lock = modified("package-lock.json")
        .map_err(|error| format!("tests/browser/package-lock.json: {error}"))?;
    // npm writes this file last.
    let installed = modified("node_modules/.package-lock.json");
    if installed.is_ok_and(|time| time >= lock) {
        return Ok(());
    }
    say("the packages of the browser journeys: installed into tests/browser/node_modules");
    shell::run(&mut npm("ci", &folder))
}

/// Returns the first folder of the PATH that contains one of the programs.
pub fn on_path<S: AsRef<OsStr>>(names: &[S]) -> Option<PathBuf> {
    names.iter().find_map(|name| {
        let mut file = name.as_ref().to_owned();
        file.push(env::consts::EXE_SUFFIX);
        path_folders()
            .map(|folder| folder.join(&file))
            .find(|program| program.is_file())
    })
}

#[cfg(test)]
mod tests {
    use super::first_number;

    #[test]
    fn versions_are_parsed_from_tool_output() {
        let version = |text| first_number(text).unwrap_or_default();
        assert_eq!(version("trunk 0.21.14\n"), "0.21.14");
        assert_eq!(version("mdbook v0.5.4\n"), "0.5.4");
        assert_eq!(version("wasm-opt version 132 (version_132)"), "132");
    }
}
