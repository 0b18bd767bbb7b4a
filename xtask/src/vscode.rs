//! The VS Code extension: its package, with the page inside, and its journeys in a real VS Code.

use crate::dist;
use crate::options::Options;
use crate::project::Project;
use crate::repository;
use crate::setup::{self, Need, Tools};
use crate::shell::{self, Outcome, say};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// VS Code as a server, for the journeys.
const CODE_SERVER: &str = "code-server@4.139.1";
/// The version of Node.js that it needs, and that runs TypeScript.
const NODE: &str = "node@24.9.0";

/// The tests in code-server; the others need no VS Code.
const IN_VSCODE: &str = "viewer.test.mjs";

const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// Parts of the release folder that the extension does not use: other pages, samples, and what is
/// only for websites.
const OMITTED: &[&str] = &[
    "docs",
    "embed.html",
    "icons",
    "npm",
    "python",
    "samples",
    "service_worker.js",
    "site.webmanifest",
    "zeview-embed.js",
    "zeview.html",
];
/// The same in the folder of the version.
const OMITTED_SCRIPTS: &[&str] = &["embed.js", "recent.js", "worker_loader.js"];

/// `cargo xtask vscode`
///
/// Packages the extension with the page in `dist` as `dist/zeview-VERSION.vsix`.
pub fn run(project: &Project, options: Options) -> Outcome {
    options.finish()?;
    setup::meet(project, &[Need::Node])?;
    dist::expect(project)?;
    let version = project.locked_version("zeview")?;
    let to = dist::folder(project).join(format!("zeview-{version}.vsix"));
    package(project, &to)
}

/// Checks, bundles and tests the extension's scripts, without VS Code.
pub fn test_scripts(project: &Project, _: &Tools) -> Outcome {
    dist::expect(project)?;
    let node = node(project)?;
    build(project)?;
    let folder = source(project);
    let mut tests = tests_in(&folder.join("test"))?;
    tests.retain(|path| !path.ends_with(IN_VSCODE));
    let mut command = Command::new(&node);
    command.args(["--test", "--test-reporter=tap"]).args(tests);
    shell::run(command.current_dir(&folder))
}

/// Checks and tests the extension's scripts, and runs its journeys in code-server. Installs
/// code-server first, which takes minutes and 740 MB.
pub fn test(project: &Project, tools: &Tools) -> Outcome {
    dist::expect(project)?;
    let browser = tools.browser.as_ref().ok_or("the browser is missing")?;
    let (node, server) = code_server(project)?;
    let vsix = project.target.join("editors/zeview.vsix");
    package(project, &vsix)?;
    let folder = source(project);
    let mut tests = Command::new(&node);
    tests
        .args(["--test", "--test-reporter=tap", "--test-concurrency=1"])
        .args(tests_in(&folder.join("test"))?)
        .current_dir(&folder)
        .env("CHROMIUM", &browser.chromium)
        .env("ZEVIEW_CODE_SERVER", server)
        .env("ZEVIEW_VSIX", &vsix)
        .env("ZEVIEW_SAMPLES", project.root.join("www/samples"));
    shell::run(&mut tests)
}

/// Returns the folder of the extension.
fn source(project: &Project) -> PathBuf {
    project.root.join("editors/vscode")
}

/// Checks the types, bundles the scripts, and writes the package.
pub fn package(project: &Project, to: &Path) -> Outcome {
    build(project)?;
    let mut pack = npm(&source(project), &["run", "package", "--", "--out"]);
    pack.arg(to);
    // Pictures of the README are read from the repository.
    match repository::name(project) {
        Some(name) => {
            let folder = format!("https://github.com/{name}");
            pack.arg("--baseContentUrl")
                .arg(format!("{folder}/blob/main/editors/vscode"));
            pack.arg("--baseImagesUrl")
                .arg(format!("{folder}/raw/main/editors/vscode"));
        }
        None => {
            pack.arg("--no-rewrite-relative-links");
        }
    }
    shell::run(&mut pack)?;
    let size = fs::metadata(to).map_err(|error| format!("{}: {error}", to.display()))?;
    say(format!("{}: {} KB", to.display(), size.len() / 1000));
    Ok(())
}

/// Copies the page, checks the types, and bundles the scripts.
fn build(project: &Project) -> Outcome {
    let folder = source(project);
    same_version(project, &folder)?;
    if !folder.join("node_modules/.package-lock.json").is_file() {
        shell::run(&mut npm(&folder, &["ci"]))?;
    }
    let dist = dist::folder(project);
    let version = dist::version(&dist)?;
    let page = folder.join("page");
    if page.exists() {
        fs::remove_dir_all(&page).map_err(|error| format!("{}: {error}", page.display()))?;
    }
    for name in dist::files(&dist)? {
        let first = name.iter().next().unwrap_or_default();
        let file = name.file_name().unwrap_or_default();
        let is = |omitted: &[&str], name: &std::ffi::OsStr| omitted.iter().any(|one| name == *one);
        let is_package = name.extension().is_some_and(|kind| kind == "vsix");
        if is(OMITTED, first) || is(OMITTED_SCRIPTS, file) || is_package {
            continue;
        }
        dist::write(&page.join(&name), &dist::read(&dist.join(&name))?)?;
    }
    let index = page.join("index.html");
    let html = String::from_utf8(dist::read(&index)?).map_err(|error| error.to_string())?;
    dist::write(&index, dist::without_documentation(&html).as_bytes())?;
    for name in LICENSES.iter().chain(&["CHANGELOG.md"]) {
        dist::write(&folder.join(name), &dist::read(&project.root.join(name))?)?;
    }
    shell::run(&mut npm(&folder, &["run", "check"]))?;
    let mut build = npm(&folder, &["run", "build"]);
    shell::run(build.env("ZEVIEW_PAGE", dist.join(version)))
}

fn npm(folder: &Path, arguments: &[&str]) -> Command {
    let mut npm = shell::script("npm");
    npm.args(arguments).current_dir(folder);
    npm
}

/// Checks that the version of the package is that of the library.
fn same_version(project: &Project, folder: &Path) -> Outcome {
    let expected = project.locked_version("zeview")?;
    let manifest = dist::read(&folder.join("package.json"))?;
    let line = format!("  \"version\": \"{expected}\",");
    if String::from_utf8_lossy(&manifest)
        .lines()
        .any(|found| found == line)
    {
        return Ok(());
    }
    Err(format!("editors/vscode/package.json must have {line}"))
}

/// Installs Node.js unless it is there, and returns its path.
fn node(project: &Project) -> Outcome<PathBuf> {
    let folder = project.target.join("editors");
    let node = folder.join("node_modules/node/bin/node");
    let version = shell::output(Command::new(&node).arg("--version")).unwrap_or_default();
    if NODE.strip_prefix("node@") == version.trim().strip_prefix('v') {
        return Ok(node);
    }
    // npm would otherwise install into a folder above.
    dist::write(&folder.join("package.json"), b"{ \"private\": true }\n")?;
    shell::run(&mut npm(
        &folder,
        &["install", "--no-audit", "--no-fund", NODE],
    ))?;
    Ok(node)
}

/// Installs code-server and its Node.js unless they are there, and returns their paths.
fn code_server(project: &Project) -> Outcome<(PathBuf, PathBuf)> {
    let node = node(project)?;
    let folder = project.target.join("editors");
    let server = folder.join("node_modules/code-server/out/node/entry.js");
    // Written at the end, as an interrupted installation is incomplete.
    let mark = folder.join("installed");
    let wanted = format!("{NODE} {CODE_SERVER}");
    if fs::read_to_string(&mark).is_ok_and(|installed| installed == wanted) {
        return Ok((node, server));
    }
    say(format!(
        "{CODE_SERVER}: missing, installed into {} (once; about five minutes, 740 MB)",
        folder.display()
    ));
    // Its scripts check the version of Node.js.
    let mut path = vec![folder.join("node_modules/.bin")];
    path.extend(std::env::split_paths(
        &std::env::var_os("PATH").unwrap_or_default(),
    ));
    let path = std::env::join_paths(path).map_err(|error| format!("PATH: {error}"))?;
    let mut install = npm(
        &folder,
        &["install", "--no-audit", "--no-fund", CODE_SERVER],
    );
    shell::run(install.env("PATH", path))?;
    dist::write(&mark, wanted.as_bytes())?;
    Ok((node, server))
}

/// Returns the names of the test files, as older versions of Node.js do not support patterns.
fn tests_in(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let mut names = dist::files(folder)?;
    names.retain(|name| name.to_string_lossy().ends_with(".test.mjs"));
    names.sort();
    Ok(names.iter().map(|name| folder.join(name)).collect())
}
