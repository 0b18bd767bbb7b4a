//! The JavaScript library as an npm package, built from the release folder's decoder and
//! `src/api/npm`.

use crate::dist;
use crate::project::Project;
use crate::setup;
use crate::shell::{Outcome, say};
use std::fs;
use std::path::{Path, PathBuf};

/// Files copied unchanged.
const FILES: [&str; 5] = ["README.md", "document.js", "index.js", "node.js", "rows.js"];
const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// `cargo xtask npm`
pub fn build(project: &Project) -> Outcome {
    let tools = setup::meet(project, dist::NEEDS)?;
    dist::build(project, &tools)?;
    let to = dist::folder(project).join("npm");
    assemble(project, &to)?;
    say(format!("the npm package is in {}", to.display()));
    Ok(())
}

/// Builds the package for the tests.
pub fn for_tests(project: &Project) -> Outcome<PathBuf> {
    let to = project.target.join("npm");
    assemble(project, &to)?;
    Ok(to)
}

/// Builds the package from the release folder.
fn assemble(project: &Project, to: &Path) -> Outcome {
    let dist = dist::folder(project);
    let version = dist::version(&dist)?;
    let api = project.root.join("src/api");
    let from = api.join("npm");
    for name in FILES {
        dist::write(&to.join(name), &dist::read(&from.join(name))?)?;
    }
    for name in LICENSES {
        dist::write(&to.join(name), &dist::read(&project.root.join(name))?)?;
    }
    let script = text(&dist.join(&version).join("worker.js"))?;
    if !script.contains("worker_bg.wasm") {
        return Err("worker.js does not name worker_bg.wasm".to_owned());
    }
    let script = script.replace("worker_bg.wasm", "decoder_bg.wasm");
    dist::write(&to.join("decoder.js"), script.as_bytes())?;
    let program = dist::read(&dist.join(&version).join("worker_bg.wasm"))?;
    dist::write(&to.join("decoder_bg.wasm"), &program)?;
    let types = [
        from.join("index.d.ts"),
        api.join("types.ts"),
        api.join("rows.ts"),
    ];
    let types = types.iter().map(|path| text(path));
    let types = types.collect::<Outcome<Vec<String>>>()?.join("\n");
    dist::write(&to.join("index.d.ts"), types.as_bytes())?;
    let package = text(&from.join("package.json"))?;
    let package = package.replace(
        "\"0.0.0\"",
        &format!("\"{}\"", project.locked_version("zeview")?),
    );
    dist::write(&to.join("package.json"), package.as_bytes())
}

fn text(path: &Path) -> Outcome<String> {
    fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))
}
