//! Release archives of the command line: the program with its licenses, completions and manual, for
//! one target.

use crate::options::Options;
use crate::project::Project;
use crate::setup;
use crate::shell::{self, Outcome, say};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Completion scripts, with the file names that shells expect.
const COMPLETIONS: &[(&str, &str)] = &[
    ("bash", "zeview.bash"),
    ("elvish", "zeview.elv"),
    ("fish", "zeview.fish"),
    ("powershell", "_zeview.ps1"),
    ("zsh", "_zeview"),
];

const TEXTS: &[&str] = &["CHANGELOG.md", "LICENSE-APACHE", "LICENSE-MIT", "README.md"];

/// What an assistant should know about the command line.
const SKILL: &str = "packaging/skill/SKILL.md";

/// A file that a working program reports as loaded by the driver.
const SAMPLE: &str = "www/samples/vecadd.bmg.zebin";

/// `cargo xtask package [--target TARGET] [--features NAMES]`
///
/// The target must run on this machine: the program is tested, and writes its manual.
pub fn run(project: &Project, mut options: Options) -> Outcome {
    let target = match options.value("--target")? {
        Some(target) => target,
        None => host()?,
    };
    let features: String = options.value("--features")?.unwrap_or_default();
    options.finish()?;
    archive_for(project, &target, &features).map(|_| ())
}

/// Builds the archive for a target and returns its path.
pub fn archive_for(project: &Project, target: &str, features: &str) -> Outcome<PathBuf> {
    let program = build(project, Some(target), features)?;
    let name = format!("zeview-{}-{target}", project.locked_version("zeview")?);
    let files = project.target.join("package-files");
    let folder = files.join(&name);
    fill(project, &program, &folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    shell::run(
        Command::new(&program)
            .arg("man")
            .arg(folder.join("man/man1")),
    )?;
    archive(&files, &name)
}

/// Builds the command line for a release, runs it once, and returns its path.
pub fn build(project: &Project, target: Option<&str>, features: &str) -> Outcome<PathBuf> {
    let mut build = project.cargo(["build", "--release", "--locked", "--bin", "zeview"]);
    build
        .args(["--features", &format!("cli,{features}")])
        // Line tables are for profilers; they would triple the size of the archive.
        .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
        .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    let mut built = project.target.clone();
    if let Some(target) = target {
        build.args(["--target", target]);
        built.push(target);
    }
    shell::run(&mut build)?;
    let program = built.join("release").join(format!("zeview{EXE_SUFFIX}"));
    shell::run(
        Command::new(&program)
            .args(["check", SAMPLE])
            .current_dir(&project.root),
    )?;
    Ok(program)
}

/// Returns the compiler's default target.
pub fn host() -> Outcome<String> {
    let version = shell::output(Command::new("rustc").arg("-vV")).unwrap_or_default();
    let mut lines = version.lines();
    let host = lines.find_map(|line| line.strip_prefix("host: "));
    Ok(host
        .ok_or("rustc does not print its host target")?
        .to_owned())
}

fn fill(project: &Project, program: &Path, folder: &Path) -> std::io::Result<()> {
    if folder.exists() {
        fs::remove_dir_all(folder)?;
    }
    let completions = folder.join("completions");
    fs::create_dir_all(&completions)?;
    fs::copy(program, folder.join(format!("zeview{EXE_SUFFIX}")))?;
    for text in TEXTS {
        fs::copy(project.root.join(text), folder.join(text))?;
    }
    fs::create_dir_all(folder.join("skill"))?;
    fs::copy(project.root.join(SKILL), folder.join("skill/SKILL.md"))?;
    for (shell, file) in COMPLETIONS {
        let mut command = Command::new(program);
        let script = shell::output(command.args(["completions", shell]));
        let script =
            script.ok_or_else(|| std::io::Error::other(format!("no script for {shell}")))?;
        fs::write(completions.join(file), script)?;
    }
    Ok(())
}

/// Creates a zip for Windows, else a tar.gz. The `tar` of Windows writes both.
fn archive(files: &Path, name: &str) -> Outcome<PathBuf> {
    let is_windows = cfg!(windows);
    let file: PathBuf = files.join(format!(
        "{name}.{}",
        if is_windows { "zip" } else { "tar.gz" }
    ));
    // Use the tar of Windows; Git's tar cannot write zip files.
    let tar = match std::env::var_os("SystemRoot").filter(|_| is_windows) {
        Some(root) => Path::new(&root).join("System32/tar.exe"),
        None => setup::on_path(&["tar"]).ok_or("tar is missing")?,
    };
    let mut tar = Command::new(tar);
    tar.arg("-caf").arg(&file).arg("-C").arg(files).arg(name);
    shell::run(&mut tar)?;
    let size = fs::metadata(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    say(format!("{}: {} KB", file.display(), size.len() / 1000));
    Ok(file)
}
