//! Every check as a named step: `cargo xtask test` runs them all.

use crate::dist;
use crate::docs;
use crate::fuzz;
use crate::isa_tables;
use crate::npm;
use crate::options::Options;
use crate::project::Project;
use crate::python;
use crate::setup::{self, Need, Tools, WASM};
use crate::shell::{self, Outcome, say};
use crate::single;
use crate::vscode;
use std::ffi::OsString;
use std::process::Command;
use std::time::Instant;

struct Step {
    name: &'static str,
    title: &'static str,
    needs: &'static [Need],
    part: Part,
    run: fn(&Project, &Tools) -> Outcome,
}

/// The runs that a step is a part of.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    /// All of them: it needs neither wasm nor a browser.
    Quick,
    /// Those without `--quick`.
    Full,
    /// Those that name it.
    Named,
}

/// Steps in execution order. Journeys come last, so that the output ends with their summary.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        title: "formatting",
        needs: &[Need::Rustfmt],
        part: Part::Quick,
        run: |project, _| shell::run(&mut project.cargo(["fmt", "--all", "--check"])),
    },
    Step {
        name: "tables",
        title: "tables of instruction encodings are up to date",
        needs: &[],
        part: Part::Quick,
        run: |project, _| isa_tables::run(project, true),
    },
    Step {
        name: "spelling",
        title: "spelling in text and code (_typos.toml)",
        needs: &[Need::Typos],
        part: Part::Quick,
        run: spelling,
    },
    Step {
        name: "clippy",
        title: "lints, for each target",
        needs: &[Need::Clippy, Need::WasmTarget],
        part: Part::Quick,
        run: clippy,
    },
    Step {
        name: "fuzz",
        title: "the fuzz targets compile",
        needs: &[],
        part: Part::Quick,
        run: |project, _| fuzz::check(project),
    },
    Step {
        name: "native",
        title: "native tests",
        needs: &[Need::Readelf],
        part: Part::Quick,
        run: native,
    },
    Step {
        name: "rustdoc",
        title: "the crate's documentation, without warnings",
        needs: &[],
        part: Part::Full,
        run: rustdoc,
    },
    Step {
        name: "wasm",
        title: "tests on wasm in a browser",
        needs: &[Need::WasmTarget, Need::WasmBindgen, Need::Browser],
        part: Part::Full,
        run: wasm,
    },
    Step {
        name: "dist",
        title: "release build of the page, with its size",
        needs: dist::NEEDS,
        part: Part::Full,
        run: dist::build,
    },
    Step {
        name: "docs",
        title: "the documentation site, with its links",
        needs: docs::NEEDS,
        part: Part::Full,
        run: docs::build,
    },
    Step {
        name: "python",
        title: "the Python package, as an installed wheel",
        needs: &[Need::Python],
        part: Part::Named,
        run: python::test,
    },
    Step {
        name: "notebook",
        title: "the Python package in JupyterLab and Notebook, in a browser",
        needs: &[Need::Python, Need::Node, Need::Browser, Need::Journeys],
        part: Part::Named,
        run: python::test_notebooks,
    },
    Step {
        name: "editors",
        title: "the VS Code extension, in code-server",
        needs: &[Need::Node, Need::Browser, Need::CodeServer],
        part: Part::Named,
        run: vscode::test,
    },
    Step {
        name: "browser",
        title: "journeys through the page in a browser",
        needs: &[Need::Node, Need::Browser, Need::Journeys],
        part: Part::Full,
        run: browser,
    },
];

/// What clippy checks: everything natively, the command line as it is installed, and the page, the worker
/// and their tests on wasm. The release build of the page checks that it needs no decoder.
const FEATURE_SETS: &[&[&str]] = &[
    &["--workspace", "--all-targets", "--all-features"],
    &["--workspace"],
    &[
        "--target",
        WASM,
        "--no-default-features",
        "--features",
        "api,ui",
        "--lib",
        "--bin",
        "app",
        "--bin",
        "worker",
        "--test",
        "wasm_*",
    ],
];

const WASM_TESTS: &[&str] = &[
    "--target",
    WASM,
    "--no-default-features",
    "--features",
    "api,ui",
    "--test",
    "wasm_*",
];

/// `cargo xtask test`
pub fn test(project: &Project, mut options: Options) -> Outcome {
    let quick = options.flag("--quick");
    let mut names = options.rest();
    if names.is_empty() {
        let steps = STEPS.iter().filter(|step| match step.part {
            Part::Quick => true,
            Part::Full => !quick,
            Part::Named => false,
        });
        names = steps.map(|step| step.name.to_owned()).collect();
    }
    run_named(project, &names)
}

/// Runs the named steps in table order, until one fails.
pub fn run_named<S: AsRef<str>>(project: &Project, names: &[S]) -> Outcome {
    let named = |step: &&Step| names.iter().any(|name| name.as_ref() == step.name);
    let is_step = |name: &&S| STEPS.iter().any(|step| step.name == name.as_ref());
    if let Some(unknown) = names.iter().find(|name| !is_step(name)) {
        return Err(format!(
            "no step \"{}\"; see cargo xtask help",
            unknown.as_ref()
        ));
    }
    let steps: Vec<&Step> = STEPS.iter().filter(named).collect();

    let tools = setup::meet(project, &needs_of(&steps))?;
    shell::run(&mut project.cargo(["fetch", "--quiet", "--locked"]))?;
    for (index, step) in steps.iter().enumerate() {
        say(format!(
            "\n== {}/{} {}: {} ==",
            index + 1,
            steps.len(),
            step.name,
            step.title
        ));
        let start = Instant::now();
        (step.run)(project, &tools).map_err(|error| {
            let time = shell::duration(start.elapsed());
            format!("step {} failed after {time}: {error}", step.name)
        })?;
        // No line after the last step: its own summary ends the output.
        if index + 1 < steps.len() {
            say(format!(
                "== {}: passed in {} ==",
                step.name,
                shell::duration(start.elapsed())
            ));
        }
    }
    Ok(())
}

fn needs_of(steps: &[&Step]) -> Vec<Need> {
    let wanted: Vec<&Need> = steps.iter().flat_map(|step| step.needs).collect();
    let needs = Need::ALL.iter().filter(|need| wanted.contains(need));
    needs.copied().collect()
}

fn clippy(project: &Project, _: &Tools) -> Outcome {
    for set in FEATURE_SETS {
        let mut clippy = project.cargo(["clippy", "--quiet"]);
        clippy.args(*set).args(["--", "-D", "warnings"]);
        shell::run(&mut clippy)?;
    }
    Ok(())
}

/// Runs the native tests with all features: the page's state and components are tested natively
/// too.
fn native(project: &Project, _: &Tools) -> Outcome {
    shell::run(&mut project.cargo(["test", "--workspace", "--all-features"]))
}

fn spelling(project: &Project, tools: &Tools) -> Outcome {
    let mut typos = Command::new("typos");
    tools.on_path(&mut typos)?;
    shell::run(typos.current_dir(&project.root))
}

fn rustdoc(project: &Project, _: &Tools) -> Outcome {
    let mut doc = project.cargo([
        "doc",
        "--quiet",
        "--no-deps",
        "--workspace",
        "--all-features",
    ]);
    shell::run(doc.env("RUSTDOCFLAGS", "-D warnings"))
}

fn wasm(project: &Project, tools: &Tools) -> Outcome {
    let browser = tools.browser.as_ref().ok_or("the browser is missing")?;
    let mut tests = project.cargo(["test"]);
    tools.on_path(&mut tests)?;
    tests
        .args(WASM_TESTS)
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            "wasm-bindgen-test-runner",
        )
        .env("CHROMEDRIVER", &browser.driver)
        .env(
            "WASM_BINDGEN_TEST_WEBDRIVER_JSON",
            project.journeys().join("webdriver.json"),
        )
        // Prefer this driver over others on the machine.
        .env_remove("GECKODRIVER");
    shell::run(&mut tests)
}

/// Runs the journeys on the existing release folder.
fn browser(project: &Project, tools: &Tools) -> Outcome {
    if !dist::folder(project).join("index.html").is_file() {
        return Err("no release folder; run the step \"dist\" first".to_owned());
    }
    let repeated = project.journeys().join("out/repeated.txt");
    let _ = std::fs::remove_file(&repeated);
    let mut node = node(project, tools)?;
    node.args(["--test", "--test-reporter=tap", "--test-concurrency=2"])
        .args(journey_files(project)?);
    shell::run(&mut node)?;
    let names = std::fs::read_to_string(repeated).unwrap_or_default();
    match names.lines().count() {
        0..=REPEATED_MAX => Ok(()),
        count => Err(format!(
            "{count} journeys failed the first time, {REPEATED_MAX} may:\n{names}"
        )),
    }
}

/// Maximum number of journeys that may fail once on a server for tests (`CI`).
const REPEATED_MAX: usize = 3;

/// Returns a Node.js command set up to drive a browser through the release folder.
fn node(project: &Project, tools: &Tools) -> Outcome<Command> {
    let browser = tools.browser.as_ref().ok_or("the browser is missing")?;
    let mut node = Command::new("node");
    node.current_dir(project.journeys())
        .env("CHROMIUM", &browser.chromium)
        .env("ZEVIEW_DIST", dist::folder(project))
        .env("ZEVIEW_NPM", npm::for_tests(project)?)
        .env("ZEVIEW_SINGLE", single::for_tests(project)?);
    Ok(node)
}

/// Runs a script that drives a browser through the existing release folder.
pub fn script(project: &Project, path: &str) -> Outcome {
    let tools = setup::meet(project, &[Need::Node, Need::Browser, Need::Journeys])?;
    dist::expect(project)?;
    let mut node = node(project, &tools)?;
    node.arg(project.root.join(path));
    shell::run(&mut node)
}

/// Returns the names of `tests/browser/*.test.mjs`, as older versions of Node.js do not support
/// patterns.
fn journey_files(project: &Project) -> Outcome<Vec<OsString>> {
    let folder = project.journeys();
    let entries = std::fs::read_dir(&folder);
    let entries = entries.map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut names: Vec<OsString> = entries
        .filter_map(|entry| Some(entry.ok()?.file_name()))
        .filter(|name| name.to_string_lossy().ends_with(".test.mjs"))
        .collect();
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use super::{STEPS, needs_of};
    use crate::setup::Need;

    #[test]
    fn each_need_is_met_once() {
        let needs = needs_of(&STEPS.iter().collect::<Vec<_>>());
        assert!(needs == Need::ALL);
    }
}
