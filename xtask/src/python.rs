//! The Python package: wheels with the module and the command line, and their tests.

use crate::checks::PYTHON;
use crate::dist;
use crate::options::Options;
use crate::package;
use crate::project::Project;
use crate::setup::{Tools, on_path};
use crate::shell::{self, Outcome, say};
use crate::single;
use std::env::consts::EXE_SUFFIX;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

const MATURIN: &str = "maturin==1.16.0";

/// The packages of the tests, in the virtual environment with the built wheel. Tests that need others are
/// skipped.
const TEST_PACKAGES: &[&str] = &["pytest==9.2.0", "mypy==2.4.1"];

/// Packages of all tests: some hundred megabytes.
const ALL_TEST_PACKAGES: &[&str] = &[
    "pytest==9.2.0",
    "pandas==3.1.1",
    "polars==2.1.0",
    "pyarrow==26.0.1",
    "anywidget==0.11.0",
    "mypy==2.4.1",
];

/// Packages of the tests in notebooks.
const NOTEBOOK_PACKAGES: &[&str] = &[
    "jupyterlab==4.6.6",
    "notebook==7.6.5",
    "anywidget==0.11.0",
    "ipywidgets==8.1.9",
    "ipykernel==7.4.0",
    "jupyter-server==2.21.1",
];

const LICENSES: [&str; 2] = ["LICENSE-APACHE", "LICENSE-MIT"];

/// `cargo xtask python [--target TARGET] [--features NAMES]`
///
/// Builds the wheel for a target that runs on this machine into `dist/python`. `--features page` puts
/// the page into the command line, from `dist`. Notebooks show the page if there is a `dist`.
pub fn run(project: &Project, mut options: Options) -> Outcome {
    let target: Option<String> = options.value("--target")?;
    let features: String = options.value("--features")?.unwrap_or_default();
    options.finish()?;
    let wheel = release_wheel(project, target.as_deref(), &features)?;
    let size = fs::metadata(&wheel).map_err(|error| format!("{}: {error}", wheel.display()))?;
    say(format!("{}: {} KB", wheel.display(), size.len() / 1000));
    Ok(())
}

/// Builds the optimized wheel for a target (default: this system) and returns its path.
pub fn release_wheel(project: &Project, target: Option<&str>, features: &str) -> Outcome<PathBuf> {
    let to = dist::folder(project).join("python");
    // The command line with the page contains all of `dist`.
    remove(&to)?;
    let program = package::build(project, target, features)?;
    wheel(project, &program, target, "release", &to)
}

/// Checks the module's code, and runs the tests that need no other packages.
pub fn test(project: &Project, _: &Tools) -> Outcome {
    let mut clippy = project.cargo(["clippy", "--quiet", "--package", PYTHON]);
    shell::run(clippy.args(["--features", "tests", "--", "-D", "warnings"]))?;
    pytest(project, "tests", TEST_PACKAGES)
}

/// Runs all tests of the package, those of data frames and widgets too.
pub fn test_all(project: &Project, _: &Tools) -> Outcome {
    pytest(project, "all-tests", ALL_TEST_PACKAGES)
}

/// Builds a wheel without optimization, installs it into a fresh virtual environment, and runs the tests
/// there.
fn pytest(project: &Project, environment: &str, packages: &[&str]) -> Outcome {
    let wheel = test_wheel(project)?;
    let (folder, python) = installed(project, environment, packages, &wheel)?;
    // Not in the folder with the sources of the package, which would be imported instead.
    shell::run(
        Command::new(&python)
            .args(["-m", "pytest", "-q", "--color=no"])
            .arg(source(project).join("tests"))
            .current_dir(&folder)
            .env_remove("PYTHONPATH"),
    )
}

/// Runs notebooks in JupyterLab and Notebook, in a browser.
pub fn test_notebooks(project: &Project, tools: &Tools) -> Outcome {
    dist::expect(project)?;
    let browser = tools.browser.as_ref().ok_or("the browser is missing")?;
    let wheel = test_wheel(project)?;
    let (folder, python) = installed(project, "notebook", NOTEBOOK_PACKAGES, &wheel)?;
    shell::run(
        Command::new("node")
            .args(["--test", "--test-reporter=tap", "notebook.mjs"])
            .current_dir(project.journeys())
            .env("CHROMIUM", &browser.chromium)
            .env("ZEVIEW_PYTHON", python)
            .env("ZEVIEW_NOTEBOOKS", folder)
            .env_remove("PYTHONPATH"),
    )
}

/// Builds a wheel without optimization. The command line has all features, as the native tests build it.
fn test_wheel(project: &Project) -> Outcome<PathBuf> {
    let options = [
        "build",
        "--workspace",
        "--exclude",
        PYTHON,
        "--all-features",
        "--bin",
        "zeview",
    ];
    shell::run(&mut project.cargo(options))?;
    let program = project
        .target
        .join("debug")
        .join(format!("zeview{EXE_SUFFIX}"));
    let to = project.target.join("python/wheel");
    wheel(project, &program, None, "dev", &to)
}

/// Installs packages and the wheel into a fresh virtual environment, and returns its folder and
/// interpreter.
fn installed(
    project: &Project,
    name: &str,
    packages: &[&str],
    wheel: &Path,
) -> Outcome<(PathBuf, PathBuf)> {
    let folder = project.target.join("python").join(name);
    remove(&folder)?;
    let python = environment(&folder)?;
    let mut install = Command::new(&python);
    install.args(["-m", "pip", "install", "--quiet", "--no-input"]);
    shell::run(install.args(packages).arg(wheel))?;
    Ok((folder, python))
}

/// Removes a folder if it exists.
fn remove(folder: &Path) -> Outcome {
    if !folder.exists() {
        return Ok(());
    }
    fs::remove_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Returns the folder of the package.
fn source(project: &Project) -> PathBuf {
    project.root.join("bindings/python")
}

/// Builds a wheel with `program` as its command, and returns its path.
fn wheel(
    project: &Project,
    program: &Path,
    target: Option<&str>,
    profile: &str,
    to: &Path,
) -> Outcome<PathBuf> {
    let source = source(project);
    for name in LICENSES {
        dist::write(&source.join(name), &dist::read(&project.root.join(name))?)?;
    }
    page(project, &source.join("python/zeview/page"))?;
    let scripts = source.join("zeview.data/scripts");
    let fail = |error: std::io::Error| format!("{}: {error}", scripts.display());
    remove(&scripts)?;
    fs::create_dir_all(&scripts).map_err(fail)?;
    // `copy` keeps the permission to execute it.
    fs::copy(program, scripts.join(format!("zeview{EXE_SUFFIX}"))).map_err(fail)?;
    remove(to)?;
    let python = environment(&project.target.join("python/build"))?;
    shell::run(Command::new(&python).args(["-m", "pip", "install", "--quiet", MATURIN]))?;
    let mut build = Command::new(&python);
    build
        .args(["-m", "maturin", "build", "--locked", "--profile", profile])
        .arg("--out")
        .arg(to)
        .current_dir(&source);
    Project::build_once(&mut build);
    if profile == "release" {
        // As for the command line.
        build
            .env("CARGO_PROFILE_RELEASE_DEBUG", "false")
            .env("CARGO_PROFILE_RELEASE_STRIP", "symbols");
    }
    if profile == "dev" {
        // Replaces the features of pyproject.toml.
        build.args(["--features", "tests,pyo3/extension-module"]);
    }
    if let Some(target) = target {
        build.args(["--target", target]);
    }
    shell::run(&mut build)?;
    let wheels = dist::files(to)?;
    match wheels.as_slice() {
        [wheel] => Ok(to.join(wheel)),
        _ => Err(format!("{} does not have one wheel", to.display())),
    }
}

/// Puts the page for notebooks into a folder of the package. Without a release folder, notebooks show
/// tables only.
fn page(project: &Project, to: &Path) -> Outcome {
    remove(to)?;
    if let Err(reason) = dist::expect(project) {
        say(format!("the wheel is built without the page: {reason}"));
        return Ok(());
    }
    single::write(project, &to.join("zeview.html"))?;
    let script = dist::read(&dist::folder(project).join("zeview-embed.js"))?;
    dist::write(&to.join("zeview-embed.js"), &script)
}

/// Creates a virtual environment unless it exists, and returns its interpreter.
pub fn environment(folder: &Path) -> Outcome<PathBuf> {
    let python = if cfg!(windows) {
        folder.join("Scripts/python.exe")
    } else {
        folder.join("bin/python")
    };
    if !python.is_file() {
        let system = on_path(&["python3", "python"]).ok_or("Python 3 is missing")?;
        shell::run(Command::new(system).args(["-m", "venv"]).arg(folder))?;
    }
    Ok(python)
}
