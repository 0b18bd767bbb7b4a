//! Artifacts that run on this system, installed and used once, each in a fresh folder.

use super::artifact::{Artifact, Kind};
use crate::dist;
use crate::package;
use crate::project::Project;
use crate::python;
use crate::setup::on_path;
use crate::shell::{self, Outcome, say, script};
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A kernel of the sample.
const KERNEL: &str = "vecadd";
const SAMPLE: &str = "www/samples/vecadd.bmg.zebin";

const NODE: &str = r#"
import { ZeviewDocument } from "zeview";
import { readFile } from "node:fs/promises";
const opened = await ZeviewDocument.open(await readFile(process.argv[2]));
for (const kernel of opened.kernels()) {
  console.log(kernel.name);
}
"#;

/// Uses the artifacts. Those for other systems are left out.
pub fn run(project: &Project, artifacts: &[Artifact], version: &str) -> Outcome {
    let host = package::host()?;
    let sample = project.root.join(SAMPLE);
    for artifact in artifacts {
        let folder = project.target.join("release-trial").join(&artifact.name);
        if folder.exists() {
            fs::remove_dir_all(&folder)
                .map_err(|error| format!("{}: {error}", folder.display()))?;
        }
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let said = match artifact.kind {
            Kind::CommandLine => {
                let target = artifact.target(version).unwrap_or_default();
                // Static programs run on every Linux system with the processor.
                if target != host && target != host.replace("-gnu", "-musl") {
                    continue;
                }
                command_line(artifact, version, target, &folder, &sample)?
            }
            Kind::Wheel => match wheel(artifact, &folder, &sample)? {
                Some(said) => said,
                None => continue,
            },
            Kind::Npm => npm(artifact, &folder, &sample)?,
            _ => continue,
        };
        if !said.contains(KERNEL) {
            return Err(format!(
                "{}: printed {said:?}, without {KERNEL}",
                artifact.name
            ));
        }
        say(format!(
            "{}: installed and used in a fresh folder",
            artifact.name
        ));
    }
    Ok(())
}

/// Unpacks an archive with `tar`, as users do, and lists the kernels of the sample.
fn command_line(
    artifact: &Artifact,
    version: &str,
    target: &str,
    folder: &Path,
    sample: &Path,
) -> Outcome<String> {
    let mut tar = Command::new("tar");
    shell::run(tar.arg("-xf").arg(&artifact.path).arg("-C").arg(folder))?;
    let program = folder
        .join(format!("zeview-{version}-{target}"))
        .join(format!("zeview{EXE_SUFFIX}"));
    let stated = output(Command::new(&program).arg("--version"))?;
    if stated.trim() != format!("zeview {version}") {
        return Err(format!("{}: --version prints {stated:?}", artifact.name));
    }
    output(Command::new(&program).arg("kernels").arg(sample))
}

/// Installs a wheel with pip. Returns `None` if it is for another system.
fn wheel(artifact: &Artifact, folder: &Path, sample: &Path) -> Outcome<Option<String>> {
    let python = python::environment(&folder.join("venv"))?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-index"]);
    if shell::output(install.arg(&artifact.path)).is_none() {
        return Ok(None);
    }
    let program = python.with_file_name(format!("zeview{EXE_SUFFIX}"));
    output(Command::new(program).arg("kernels").arg(sample))?;
    // Notebooks have the page.
    let code = "import sys, zeview; document = zeview.open(sys.argv[1]); \
                assert 'showHere' in document._repr_html_(); print(document.kernels()[0].name)";
    let mut run = Command::new(&python);
    run.args(["-c", code]).arg(sample).current_dir(folder);
    output(&mut run).map(Some)
}

/// Installs the npm package and opens the sample with Node.js.
fn npm(artifact: &Artifact, folder: &Path, sample: &Path) -> Outcome<String> {
    dist::write(&folder.join("package.json"), b"{ \"type\": \"module\" }\n")?;
    dist::write(&folder.join("use.mjs"), NODE.as_bytes())?;
    let mut install = script("npm");
    install.args([
        "install",
        "--silent",
        "--no-audit",
        "--no-fund",
        "--offline",
    ]);
    shell::run(install.arg(&artifact.path).current_dir(folder))?;
    let node: PathBuf = on_path(&["node"]).ok_or("Node.js is missing")?;
    output(
        Command::new(node)
            .arg("use.mjs")
            .arg(sample)
            .current_dir(folder),
    )
}

fn output(command: &mut Command) -> Outcome<String> {
    let failed = format!("{} failed", command.get_program().to_string_lossy());
    shell::output(command).ok_or(failed)
}
