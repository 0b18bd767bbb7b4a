//! Building and serving the page with Trunk.

use crate::options::Options;
use crate::project::Project;
use crate::setup::{self, Need, Tools};
use crate::shell::{self, Outcome, say};
use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

pub const NEEDS: &[Need] = &[Need::WasmTarget, Need::Trunk, Need::WasmBindgen];

/// Build profile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Profile {
    Release,
    Dev,
}

/// `cargo xtask serve`
pub fn serve(project: &Project, mut options: Options) -> Outcome {
    let port: u16 = options.value("--port")?.unwrap_or(8080);
    let open = options.flag("--open");
    let profile = profile(&mut options);
    options.finish()?;

    let tools = setup::meet(project, NEEDS)?;
    let mut serve = trunk(project, &tools, "serve", profile, &folder(project, "serve"))?;
    serve.args(["--address", "127.0.0.1", "--port", &port.to_string()]);
    if open {
        serve.arg("--open");
    }
    fetch(project)?;
    say(format!(
        "building; then serving http://127.0.0.1:{port}/ and rebuilding on changes (Ctrl-C to stop)"
    ));
    shell::run(&mut serve)
}

/// `cargo xtask build`
pub fn build_command(project: &Project, mut options: Options) -> Outcome {
    let profile = profile(&mut options);
    options.finish()?;
    let tools = setup::meet(project, NEEDS)?;
    let folder = folder(project, "build");
    build(project, &tools, profile, &folder)?;
    say(format!("the page is in {}", folder.display()));
    Ok(())
}

/// Builds the optimized page and returns its folder.
pub fn build_release(project: &Project, tools: &Tools) -> Outcome<PathBuf> {
    let folder = folder(project, "release");
    build(project, tools, Profile::Release, &folder)?;
    Ok(folder)
}

fn build(project: &Project, tools: &Tools, profile: Profile, folder: &Path) -> Outcome {
    fetch(project)?;
    shell::run(&mut trunk(project, tools, "build", profile, folder)?)
}

fn profile(options: &mut Options) -> Profile {
    if options.flag("--dev") {
        Profile::Dev
    } else {
        Profile::Release
    }
}

/// Returns the folder of a command. Each has its own, so that builds do not disturb a page being
/// served.
fn folder(project: &Project, name: &str) -> PathBuf {
    project.target.join("page").join(name)
}

/// Fetches packages, as Trunk and its build run offline.
fn fetch(project: &Project) -> Outcome {
    shell::run(&mut project.cargo(["fetch", "--quiet", "--locked"]))
}

fn trunk(
    project: &Project,
    tools: &Tools,
    command: &str,
    profile: Profile,
    folder: &Path,
) -> Outcome<Command> {
    std::fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut trunk = Command::new("trunk");
    tools.on_path(&mut trunk)?;
    trunk
        .args([command, "--offline", "--dist"])
        .arg(folder)
        .current_dir(&project.root);
    if profile == Profile::Release {
        trunk.arg("--release");
    }
    // Trunk treats the variable as one of its flags and rejects its usual value.
    if env::var_os("NO_COLOR").is_some() {
        trunk.env("NO_COLOR", "true");
    }
    Ok(trunk)
}
