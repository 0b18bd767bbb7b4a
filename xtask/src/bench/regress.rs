//! `cargo xtask bench regress OLD`: the command line of another commit beside this one.
//!
//! Measures processor time (user and system) of whole processes, which a busy machine disturbs
//! less than the elapsed time. The two programs alternate; the ratio is the median of the ratios of
//! pairs.

use crate::options::Options;
use crate::project::Project;
use crate::shell::{self, Outcome};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Number of pairs of runs per command, unless `--runs` gives it.
const RUNS: usize = 15;

/// A ratio above it is a regression.
const LIMIT: f64 = 1.10;

/// Minimum processor time of a sample in seconds: short commands run several times.
const SAMPLE: f64 = 0.1;

/// Columns of the kernel table that need all code.
const COLUMNS: &str = "name,instructions,sends,registers_used,scoreboard_waits";

/// Runs a command several times, and writes its processor time in seconds, user and system.
const SCRIPT: &str = r#"TIMEFORMAT="%3U %3S"; count=$1; shift
time for ((run = 0; run < count; run++)); do "$@" >/dev/null 2>&1; done"#;

/// A command with its arguments, which can have a file.
struct Work {
    arguments: Vec<String>,
    file: Option<PathBuf>,
}

impl Work {
    fn new(arguments: &[&str], file: Option<PathBuf>) -> Work {
        Work {
            arguments: arguments.iter().map(|&word| word.to_owned()).collect(),
            file,
        }
    }

    fn label(&self) -> String {
        let file = self.file.as_deref().and_then(Path::file_name);
        let file = file.map(|name| format!(" {}", name.to_string_lossy()));
        self.arguments.join(" ") + &file.unwrap_or_default()
    }

    fn command(&self, program: &Path) -> Vec<String> {
        let file = self.file.iter().map(|file| file.display().to_string());
        let program = program.display().to_string();
        let words = std::iter::once(program).chain(self.arguments.iter().cloned());
        words.chain(file).collect()
    }

    /// Whether the program knows the command and its options.
    fn works(&self, program: &Path) -> bool {
        let words = self.command(program);
        let mut command = Command::new(program);
        command.args(words.iter().skip(1)).stdin(Stdio::null());
        let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
        status.is_ok_and(|status| status.success())
    }

    /// Returns the processor time of `count` runs, in seconds.
    fn time(&self, program: &Path, count: usize) -> Outcome<f64> {
        let mut bash = Command::new("bash");
        bash.args(["-c", SCRIPT, "bash", &count.to_string()]);
        bash.args(self.command(program)).stdin(Stdio::null());
        let output = bash.output().map_err(|error| format!("bash: {error}"))?;
        let text = String::from_utf8_lossy(&output.stderr);
        let numbers = text.split_whitespace().map(str::parse::<f64>);
        let numbers: Result<Vec<f64>, _> = numbers.collect();
        match numbers.as_deref() {
            Ok([user, system]) => Ok(user + system),
            _ => Err(format!("bash: no times in \"{}\"", text.trim())),
        }
    }
}

/// `cargo xtask bench regress OLD [--runs N]`
pub fn run(project: &Project, mut options: Options) -> Outcome {
    let runs = options.value("--runs")?.unwrap_or(RUNS).max(1);
    let rest = options.rest();
    let [old] = rest.as_slice() else {
        return Err("bench regress takes a commit; see cargo xtask help".to_owned());
    };
    let before = build_old(project, old)?;
    let mut build = project.cargo(["build", "--release", "--bin", "zeview"]);
    shell::run(&mut build)?;
    let now = project.target.join("release/zeview");
    shell::say(format!(
        "| Command | {old} | now | Ratio |\n|---|---|---|---|"
    ));
    let mut slower = Vec::new();
    for work in works(project) {
        let label = work.label();
        if !work.works(&now) {
            return Err(format!("zeview {label} fails"));
        }
        if !work.works(&before) {
            shell::say(format!("| `{label}` | – | | |"));
            continue;
        }
        let (times, ratio) = compare(&work, [&before, &now], runs)?;
        let [before, now] = times.map(|time| format!("{:.1} ms", time * 1e3));
        shell::say(format!("| `{label}` | {before} | {now} | {ratio:.2} |"));
        if ratio > LIMIT {
            slower.push(label);
        }
    }
    match slower.as_slice() {
        [] => Ok(()),
        slower => Err(format!("slower than {old}: {}", slower.join(", "))),
    }
}

/// Returns the median times per run of two programs, and the median ratio of the second to the
/// first.
fn compare(work: &Work, programs: [&Path; 2], runs: usize) -> Outcome<([f64; 2], f64)> {
    let [before, now] = programs;
    let once = work.time(now, 1)?.max(0.001);
    let count = (SAMPLE / once).ceil().max(1.0) as usize;
    let mut times = [Vec::new(), Vec::new()];
    let mut ratios = Vec::new();
    for _ in 0..runs {
        let pair = [work.time(before, count)?, work.time(now, count)?];
        for (times, time) in times.iter_mut().zip(pair) {
            times.push(time / count as f64);
        }
        ratios.push(pair[1] / pair[0].max(0.001));
    }
    Ok((times.map(median), median(ratios)))
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(0.0)
}

/// Builds the command line of another commit, in a work tree in the target folder.
fn build_old(project: &Project, commit: &str) -> Outcome<PathBuf> {
    let folder = project.target.join("regress");
    let tree = folder.join("tree");
    let git = |arguments: &[&str]| {
        let mut git = Command::new("git");
        git.args(arguments).current_dir(&project.root);
        git
    };
    if tree.join("Cargo.toml").exists() {
        let checkout = ["checkout", "--quiet", "--detach", commit];
        shell::run(git(&checkout).current_dir(&tree))?;
    } else {
        // A work tree whose folder was removed is still registered.
        shell::run(&mut git(&["worktree", "prune"]))?;
        let add = ["worktree", "add", "--quiet", "--detach"];
        shell::run(git(&add).arg(&tree).arg(commit))?;
    }
    let mut build = project.cargo(["build", "--release", "--bin", "zeview"]);
    build.arg("--target-dir").arg(folder.join("build"));
    shell::run(build.current_dir(&tree))?;
    Ok(folder.join("build/release/zeview"))
}

/// Returns the commands, with files of the corpus (`ZEVIEW_CORPUS`, `ZEVIEW_WILD`) if there is one,
/// otherwise with those of the tests.
fn works(project: &Project) -> Vec<Work> {
    let folder = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let samples = folder("ZEVIEW_CORPUS").map(|corpus| corpus.join("samples/zebin"));
    let fixtures = project.root.join("tests/fixtures/zebin");
    let (plain, debug) = match &samples {
        Some(samples) => (
            samples.join("many600.dg2.igc2.40.zebin"),
            samples.join("many600-g.dg2.igc2.40.zebin"),
        ),
        None => (
            fixtures.join("dpas.lnl-m.igc2.40.zebin"),
            fixtures.join("debugme.tgllp.igc1.12504.zebin"),
        ),
    };
    let mut works = vec![Work::new(&["--version"], None)];
    for file in [plain, debug] {
        for arguments in [
            &["check"][..],
            &["dump"],
            &["kernels"],
            &["kernels", "--columns", COLUMNS],
            &["disasm"],
            &["ls", "--symbols"],
            &["ls", "--relocations"],
        ] {
            works.push(Work::new(arguments, Some(file.clone())));
        }
    }
    if let Some(library) = folder("ZEVIEW_WILD").and_then(|folder| largest(&folder)) {
        let all = ["kernels", "--csv", "--columns", COLUMNS];
        works.push(Work::new(&["images"], Some(library.clone())));
        works.push(Work::new(&["kernels", "--csv"], Some(library.clone())));
        works.push(Work::new(&all, Some(library)));
    }
    works
}

/// Returns the largest shared library in a folder.
fn largest(folder: &Path) -> Option<PathBuf> {
    let files = std::fs::read_dir(folder).ok()?;
    let files = files.filter_map(|file| Some(file.ok()?.path()));
    let libraries = files.filter(|path| path.extension().is_some_and(|name| name == "so"));
    libraries.max_by_key(|path| path.metadata().map_or(0, |metadata| metadata.len()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_processor_time_of_a_command_is_measured() {
        let work = Work::new(&["-c", "for ((i = 0; i < 20000; i++)); do :; done"], None);
        let bash = Path::new("bash");
        assert!(work.works(bash));
        let once = work.time(bash, 1).expect("bash runs");
        let often = work.time(bash, 8).expect("bash runs");
        assert!(often > once, "{often} {once}");
        assert!(!Work::new(&["-c", "exit 3"], None).works(bash));
    }

    #[test]
    fn the_median_is_in_the_middle() {
        assert_eq!(median(vec![3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(Vec::new()), 0.0);
    }
}
