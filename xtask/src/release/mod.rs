//! Releases: all artifacts that this system can build, their manifests for package managers, and the
//! check of a folder of artifacts.

mod artifact;
mod contents;
mod manifests;
mod trial;

use self::artifact::{Artifact, Kind};
use crate::dist;
use crate::npm;
use crate::options::Options;
use crate::package;
use crate::project::Project;
use crate::python;
use crate::repository;
use crate::shell::{self, Outcome, say, script};
use crate::single;
use crate::vscode;
use sha2::{Digest, Sha256};
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

const SUMS: &str = "SHA256SUMS";

/// `cargo xtask release [--target TARGET]…`
///
/// Builds the artifacts into `target/release-files`, and checks them. Additional targets are those
/// of further archives of the command line; they must run on this machine.
pub fn run(project: &Project, mut options: Options) -> Outcome {
    let mut targets = Vec::new();
    while let Some(target) = options.value::<String>("--target")? {
        targets.push(target);
    }
    options.finish()?;
    let to = folder(project);
    if to.exists() {
        fs::remove_dir_all(&to).map_err(|error| format!("{}: {error}", to.display()))?;
    }
    let version = project.locked_version("zeview")?;
    let keep = |from: &Path, name: &str| dist::write(&to.join(name), &dist::read(from)?);

    single::build(project)?;
    let html = dist::folder(project).join("zeview.html");
    keep(&html, &format!("zeview-{version}.html"))?;
    fs::remove_file(&html).map_err(|error| format!("{}: {error}", html.display()))?;
    page(
        &dist::folder(project),
        &to.join(format!("zeview-{version}-page.zip")),
    )?;

    let library = npm::for_tests(project)?;
    let mut pack = script("npm");
    pack.args(["pack", "--silent", "--pack-destination"]);
    shell::run(pack.arg(&to).arg(&library))?;

    vscode::package(project, &to.join(format!("zeview-{version}.vsix")))?;

    let host = package::host()?;
    targets.retain(|target| *target != host);
    targets.insert(0, host);
    for target in &targets {
        let archive = package::archive_for(project, target, "page")?;
        keep(&archive, &name_of(&archive))?;
    }
    let wheel = python::release_wheel(project, None, "page")?;
    keep(&wheel, &name_of(&wheel))?;
    let repository = repository::name(project);
    let repository = repository.as_deref().unwrap_or(repository::PLACEHOLDER);
    manifests::write(&to, &version, repository)?;
    sum(&to)?;
    check(project, &to)
}

/// `cargo xtask release-check [FOLDER]`
pub fn run_check(project: &Project, options: Options) -> Outcome {
    let rest = options.rest();
    match rest.as_slice() {
        [] => check(project, &folder(project)),
        [path] => check(project, Path::new(path)),
        _ => Err("release-check takes one folder".to_owned()),
    }
}

/// `cargo xtask manifests FOLDER OWNER/NAME`: writes the manifests for the archives in a folder, and
/// the checksums of all its files.
pub fn run_manifests(project: &Project, options: Options) -> Outcome {
    let rest = options.rest();
    let [path, repository] = rest.as_slice() else {
        return Err("manifests takes a folder and OWNER/NAME".to_owned());
    };
    let version = project.locked_version("zeview")?;
    manifests::write(Path::new(path), &version, repository)?;
    sum(Path::new(path))
}

fn folder(project: &Project) -> PathBuf {
    project.target.join("release-files")
}

fn name_of(path: &Path) -> String {
    let name = path.file_name().unwrap_or_default();
    name.to_string_lossy().into_owned()
}

/// Writes the release folder of the page as a zip. The documentation, the JavaScript library and
/// wheels are not part of it.
fn page(dist: &Path, to: &Path) -> Outcome {
    let fail = |error: zip::result::ZipError| format!("{}: {error}", to.display());
    let file = fs::File::create(to).map_err(|error| format!("{}: {error}", to.display()))?;
    let mut archive = zip::ZipWriter::new(file);
    let mut names = dist::files(dist)?;
    names.retain(|name| name.extension().is_none_or(|kind| kind != "vsix"));
    names.retain(|name| {
        !["docs", "npm", "python"]
            .iter()
            .any(|of| name.starts_with(of))
    });
    names.sort();
    for name in names {
        let path = name
            .components()
            .map(|part| part.as_os_str().to_string_lossy());
        let path = path.collect::<Vec<_>>().join("/");
        let options = zip::write::SimpleFileOptions::default();
        archive.start_file(path, options).map_err(fail)?;
        let mut bytes = dist::read(&dist.join(&name))?;
        if name == Path::new("index.html") {
            let html = String::from_utf8(bytes).map_err(|error| error.to_string())?;
            bytes = dist::without_documentation(&html).into_bytes();
        }
        std::io::Write::write_all(&mut archive, &bytes).map_err(|error| error.to_string())?;
    }
    archive.finish().map_err(fail)?;
    Ok(())
}

/// Returns the names of the files in a folder, sorted.
fn names(folder: &Path) -> Outcome<Vec<String>> {
    let mut names: Vec<String> = dist::files(folder)?
        .iter()
        .map(|path| name_of(path))
        .collect();
    names.sort();
    Ok(names)
}

fn sum_of(path: &Path) -> Outcome<String> {
    let digest = Sha256::digest(dist::read(path)?);
    let mut text = String::new();
    for byte in digest {
        let _ = write!(text, "{byte:02x}");
    }
    Ok(text)
}

/// Writes the checksums of all files in a folder, as `sha256sum` does.
fn sum(folder: &Path) -> Outcome {
    let mut text = String::new();
    for name in names(folder)?.iter().filter(|name| *name != SUMS) {
        let _ = writeln!(text, "{}  {name}", sum_of(&folder.join(name))?);
    }
    dist::write(&folder.join(SUMS), text.as_bytes())
}

/// Checks the artifacts in a folder: their contents, versions and checksums, and whether those that
/// run on this system work in a fresh folder.
fn check(project: &Project, folder: &Path) -> Outcome {
    let version = project.locked_version("zeview")?;
    let mut artifacts = Vec::new();
    let mut problems = Vec::new();
    for name in names(folder)? {
        match Kind::of(&name, &version) {
            Some(kind) => artifacts.push(Artifact {
                path: folder.join(&name),
                name,
                kind,
            }),
            None => problems.push(format!(
                "{name}: no artifact of version {version} has this name"
            )),
        }
    }
    say("\n| Artifact | Size | Files |\n|---|---|---|");
    for artifact in &artifacts {
        let size = fs::metadata(&artifact.path).map_or(0, |metadata| metadata.len());
        let entries = artifact.entries()?;
        let files = entries
            .as_ref()
            .map_or("".to_owned(), |found| found.len().to_string());
        say(format!(
            "| `{}` | {} KB | {files} |",
            artifact.name,
            size.div_ceil(1000)
        ));
        problems.extend(contents::check(
            artifact,
            entries.unwrap_or_default(),
            &version,
        ));
    }
    for (kind, label) in artifact::REQUIRED {
        if !artifacts.iter().any(|artifact| artifact.kind == *kind) {
            problems.push(format!("{label} is missing"));
        }
    }
    problems.extend(check_sums(folder, &artifacts)?);
    problems.extend(manifests::check(folder, &artifacts, &version)?);
    if problems.is_empty() {
        trial::run(project, &artifacts, &version)?;
    }
    match problems.as_slice() {
        [] => Ok(()),
        problems => Err(format!("release-check:\n  {}", problems.join("\n  "))),
    }
}

/// Compares the checksums of the artifacts with the list.
fn check_sums(folder: &Path, artifacts: &[Artifact]) -> Outcome<Vec<String>> {
    let list = String::from_utf8_lossy(&dist::read(&folder.join(SUMS))?).into_owned();
    let mut problems = Vec::new();
    for artifact in artifacts
        .iter()
        .filter(|artifact| artifact.kind != Kind::Sums)
    {
        let line = format!("{}  {}", sum_of(&artifact.path)?, artifact.name);
        if !list.lines().any(|listed| listed == line) {
            problems.push(format!(
                "{}: {SUMS} has another checksum or none",
                artifact.name
            ));
        }
    }
    Ok(problems)
}
