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
use crate::shell::{self, Beside, Outcome, say};
use crate::single;
use crate::vscode;
use std::env;
use std::fs;
use std::num::NonZero;
use std::path::PathBuf;
use std::process::Command;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

struct Step {
    name: &'static str,
    title: &'static str,
    needs: &'static [Need],
    part: Part,
    track: Track,
    run: fn(&Project, &Tools) -> Outcome,
}

/// When a step runs. The cores are busy together: the release build ends with one thread for each program,
/// and the slowest of the native tests run alone.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Track {
    /// First.
    First,
    /// Beside the first ones: it uses another build folder, waits for downloads, or takes little time.
    Beside,
    /// After them: it needs the release folder, or waits for a browser.
    Last,
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

/// Steps in execution order of each track. Journeys come last, so that the output ends with their summary.
const STEPS: &[Step] = &[
    Step {
        name: "fmt",
        title: "formatting",
        needs: &[Need::Rustfmt],
        part: Part::Quick,
        track: Track::First,
        run: |project, _| shell::run(&mut project.cargo(["fmt", "--all", "--check"])),
    },
    Step {
        name: "tables",
        title: "tables of instruction encodings are up to date",
        needs: &[],
        part: Part::Quick,
        track: Track::First,
        run: |project, _| isa_tables::run(project, true),
    },
    Step {
        name: "spelling",
        title: "spelling in text and code (_typos.toml)",
        needs: &[Need::Typos],
        part: Part::Quick,
        track: Track::First,
        run: spelling,
    },
    Step {
        name: "clippy",
        title: "lints, for each target",
        needs: &[Need::Clippy, Need::WasmTarget],
        part: Part::Quick,
        track: Track::First,
        run: clippy,
    },
    Step {
        name: "fuzz",
        title: "the fuzz targets compile",
        needs: &[],
        part: Part::Quick,
        track: Track::First,
        run: |project, _| fuzz::check(project),
    },
    Step {
        name: "native",
        title: "native tests",
        needs: &[Need::Readelf],
        part: Part::Quick,
        track: Track::First,
        run: native,
    },
    Step {
        name: "rustdoc",
        title: "the crate's documentation, without warnings",
        needs: &[],
        part: Part::Full,
        track: Track::First,
        run: rustdoc,
    },
    Step {
        name: "dist",
        title: "release build of the page, with its size",
        needs: dist::NEEDS,
        part: Part::Full,
        track: Track::Beside,
        run: dist::build,
    },
    Step {
        name: "docs",
        title: "the documentation site, with its links",
        needs: docs::NEEDS,
        part: Part::Full,
        track: Track::Beside,
        run: docs::build,
    },
    Step {
        name: "extension",
        title: "the scripts of the VS Code extension, without VS Code",
        needs: &[Need::Node],
        part: Part::Full,
        track: Track::Beside,
        run: vscode::test_scripts,
    },
    Step {
        name: "wasm",
        title: "tests on wasm in a browser",
        needs: &[Need::WasmTarget, Need::WasmBindgen, Need::Browser],
        part: Part::Full,
        track: Track::Beside,
        run: wasm,
    },
    Step {
        name: "python",
        title: "the Python package, as an installed wheel",
        needs: &[Need::Python],
        part: Part::Full,
        track: Track::Beside,
        run: python::test,
    },
    Step {
        name: "pandas",
        title: "the Python package with pandas, polars, pyarrow and anywidget",
        needs: &[Need::Python],
        part: Part::Named,
        track: Track::Last,
        run: python::test_all,
    },
    Step {
        name: "notebook",
        title: "the Python package in JupyterLab and Notebook, in a browser",
        needs: &[Need::Python, Need::Node, Need::Browser, Need::Journeys],
        part: Part::Named,
        track: Track::Last,
        run: python::test_notebooks,
    },
    Step {
        name: "editors",
        title: "the VS Code extension, in code-server",
        needs: &[Need::Node, Need::Browser, Need::CodeServer],
        part: Part::Named,
        track: Track::Last,
        run: vscode::test,
    },
    Step {
        name: "browser",
        title: "journeys through the page in a browser",
        needs: &[Need::Node, Need::Browser, Need::Journeys],
        part: Part::Full,
        track: Track::Last,
        run: browser,
    },
];

/// The Python package, which the step `python` checks: the others need no Python.
pub const PYTHON: &str = "zeview-python";

/// What clippy checks: everything natively, the command line as it is installed, and the page, the worker
/// and their tests on wasm. The release build of the page checks that it needs no decoder.
const FEATURE_SETS: &[&[&str]] = &[
    &[
        "--workspace",
        "--exclude",
        PYTHON,
        "--all-targets",
        "--all-features",
    ],
    &["--workspace", "--exclude", PYTHON],
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

/// Runs the named steps, until one fails: those of the first two tracks side by side, each track in the
/// order of the table, then the others.
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
    let mut run = Run {
        project,
        tools: &tools,
        count: steps.len(),
        times: Vec::new(),
    };
    let on = |track| {
        steps
            .iter()
            .copied()
            .filter(move |step| step.track == track)
    };
    let first: Vec<&Step> = on(Track::First).collect();
    let beside: Vec<&Step> = on(Track::Beside).collect();
    if first.is_empty() || beside.is_empty() {
        for step in first.iter().chain(&beside) {
            run.step(step)?;
        }
    } else {
        run.side_by_side(&first, &beside)?;
    }
    for step in on(Track::Last) {
        run.step(step)?;
    }
    Ok(())
}

/// The run of some steps.
struct Run<'a> {
    project: &'a Project,
    tools: &'a Tools,
    count: usize,
    times: Vec<(&'static str, Duration)>,
}

/// How a step ended that ran beside others: its time, its error, and the file with its output.
type Ended = (&'static Step, Duration, Outcome, PathBuf);

impl Run<'_> {
    fn step(&mut self, step: &'static Step) -> Outcome {
        self.begin(step);
        let start = Instant::now();
        let outcome = (step.run)(self.project, self.tools);
        self.end(step, start.elapsed(), outcome)
    }

    fn begin(&self, step: &Step) {
        // The summary of the last step ends the output.
        let number = self.times.len() + 1;
        if number == self.count {
            let times = self.times.iter();
            let times: Vec<String> = times
                .map(|(name, time)| format!("{name} {}", shell::duration(*time)))
                .collect();
            say(format!("\n== times: {} ==", times.join(", ")));
        }
        let Step { name, title, .. } = step;
        say(format!("\n== {number}/{} {name}: {title} ==", self.count));
    }

    fn end(&mut self, step: &Step, time: Duration, outcome: Outcome) -> Outcome {
        let shown = shell::duration(time);
        outcome.map_err(|error| format!("step {} failed after {shown}: {error}", step.name))?;
        self.times.push((step.name, time));
        if self.times.len() < self.count {
            say(format!("== {}: passed in {shown} ==", step.name));
        }
        Ok(())
    }

    /// Runs the steps `beside` in a thread. Their output is printed between the other steps.
    fn side_by_side(&mut self, first: &[&'static Step], beside: &[&'static Step]) -> Outcome {
        let folder = self.project.target.join("steps");
        fs::create_dir_all(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let mut outputs = Vec::new();
        for step in beside {
            let path = folder.join(format!("{}.txt", step.name));
            outputs.push((*step, Beside::new(&path)?, path));
        }
        let stops: Vec<Beside> = outputs
            .iter()
            .map(|(_, beside, _)| beside.clone())
            .collect();
        let (project, tools) = (self.project, self.tools);
        let (sender, ended) = mpsc::channel::<Ended>();
        thread::scope(|scope| {
            scope.spawn(move || {
                for (step, beside, path) in outputs {
                    Beside::enter(Some(beside));
                    let start = Instant::now();
                    let outcome = (step.run)(project, tools);
                    let has_failed = outcome.is_err();
                    // Nobody waits for it after a failure.
                    let _ = sender.send((step, start.elapsed(), outcome, path));
                    if has_failed {
                        return;
                    }
                }
            });
            let outcome = first
                .iter()
                .try_for_each(|step| {
                    self.step(step)?;
                    ended.try_iter().try_for_each(|one| self.print(one))
                })
                .and_then(|()| ended.iter().try_for_each(|one| self.print(one)));
            for beside in &stops {
                beside.stop();
            }
            outcome
        })
    }

    fn print(&mut self, (step, time, outcome, output): Ended) -> Outcome {
        self.begin(step);
        let text = fs::read(&output).map_err(|error| format!("{}: {error}", output.display()))?;
        say(String::from_utf8_lossy(&text).trim_end());
        self.end(step, time, outcome)
    }
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
    let mut tests = project.cargo(["test", "--workspace", "--exclude", PYTHON, "--all-features"]);
    if env::var_os(TEST_THREADS).is_none() {
        // Some tests wait half a minute for time limits of the command line.
        let threads = thread::available_parallelism().map_or(2, NonZero::get) + 2;
        tests.env(TEST_THREADS, threads.to_string());
    }
    shell::run(&mut tests)
}

/// Cargo's variable for the number of tests that run at a time.
const TEST_THREADS: &str = "RUST_TEST_THREADS";

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
        "--exclude",
        PYTHON,
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
        // They take three seconds with and without optimization, which took most of the step.
        .env("CARGO_PROFILE_DEV_OPT_LEVEL", "0")
        .env("CARGO_PROFILE_DEV_DEBUG", "0")
        .env(
            "CARGO_TARGET_WASM32_UNKNOWN_UNKNOWN_RUNNER",
            "wasm-bindgen-test-runner",
        )
        .env("CHROMEDRIVER", &browser.driver)
        .env(
            "WASM_BINDGEN_TEST_WEBDRIVER_JSON",
            project.journeys().join("webdriver.json"),
        )
        // Seconds of a test: other steps run beside it.
        .env("WASM_BINDGEN_TEST_TIMEOUT", "300")
        // Prefer this driver over others on the machine.
        .env_remove("GECKODRIVER");
    shell::run(&mut tests)
}

/// Runs the journeys on the existing release folder.
fn browser(project: &Project, tools: &Tools) -> Outcome {
    if !dist::folder(project).join("index.html").is_file() {
        return Err("no release folder; run the step \"dist\" first".to_owned());
    }
    shell::run(node(project, tools)?.arg("all.mjs"))
}

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
pub fn script(project: &Project, path: &str, arguments: &[String]) -> Outcome {
    let tools = setup::meet(project, &[Need::Node, Need::Browser, Need::Journeys])?;
    dist::expect(project)?;
    let mut node = node(project, &tools)?;
    node.arg(project.root.join(path)).args(arguments);
    shell::run(&mut node)
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
