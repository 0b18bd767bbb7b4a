//! Fuzzing: the targets of `fuzz/`, built, seeded and run one after the other.

use crate::options::Options;
use crate::project::Project;
use crate::setup;
use crate::shell::{self, Outcome, say};
use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Limits per input, after which libFuzzer fails: time and memory.
const LIMITS: [&str; 3] = ["-timeout=20", "-rss_limit_mb=4096", "-max_len=65536"];

/// `cargo xtask fuzz [--minutes N] [--toolchain NAME] [TARGET…]`
pub fn run(project: &Project, mut options: Options) -> Outcome {
    let minutes: f64 = options.value("--minutes")?.unwrap_or(1.0);
    if !(minutes > 0.0 && minutes < 1e5) {
        return Err("--minutes takes a positive number".to_owned());
    }
    let time = Duration::from_secs_f64(minutes * 60.0);
    let name = options.value("--toolchain")?;
    let mut names = options.rest();
    let fuzz = project.root.join("fuzz");
    let all = targets(&fuzz)?;
    if let Some(unknown) = names.iter().find(|name| !all.contains(name)) {
        return Err(format!(
            "no target \"{unknown}\"; targets: {}",
            all.join(" ")
        ));
    }
    if names.is_empty() {
        names = all;
    }

    let toolchain = setup::fuzz_toolchain(name)?;
    let tool = setup::cargo_fuzz(project)?;
    let mut build = Command::new("rustup");
    build
        .args(["run", &toolchain])
        .arg(&tool)
        .args(["build", "--sanitizer", "address"]);
    if let [one] = names.as_slice() {
        build.arg(one);
    }
    let target = env::var_os("CARGO_TARGET_DIR").map_or(fuzz.join("target"), PathBuf::from);
    build.current_dir(&fuzz).env("CARGO_TARGET_DIR", &target);
    shell::run(&mut build)?;
    let programs = target.join(host(&toolchain)?).join("release");

    let mut rows = Vec::new();
    for name in &names {
        rows.push(run_target(&fuzz, &programs.join(name), name, time)?);
    }
    print(&rows);
    match rows.iter().map(|row| row.findings.len()).sum::<usize>() {
        0 => Ok(()),
        count => Err(format!("{count} findings")),
    }
}

/// Checks that the targets compile with the pinned toolchain; only running them needs another one.
/// Shares the target folder, where their dependencies are already checked.
pub fn check(project: &Project) -> Outcome {
    let mut check = project.cargo(["check", "--quiet", "--locked", "--manifest-path"]);
    check
        .arg(project.root.join("fuzz/Cargo.toml"))
        .arg("--target-dir")
        .arg(&project.target)
        // Checking does not link. With this variable, libFuzzer is not compiled; any existing file will do.
        .env(
            "CUSTOM_LIBFUZZER_PATH",
            project.root.join("fuzz/Cargo.toml"),
        );
    shell::run(&mut check)
}

/// Returns the names of the targets.
fn targets(fuzz: &Path) -> Outcome<Vec<String>> {
    let folder = fuzz.join("fuzz_targets");
    let mut names: Vec<String> = files(&folder)?
        .iter()
        .filter_map(|path| path.file_stem()?.to_str().map(str::to_owned))
        .collect();
    names.sort();
    Ok(names)
}

fn files(folder: &Path) -> Outcome<Vec<PathBuf>> {
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    Ok(entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .collect())
}

/// Result of a target.
#[derive(Debug, Default, PartialEq, Eq)]
struct Row {
    name: String,
    executions: u64,
    per_second: u64,
    corpus: usize,
    time: Duration,
    findings: Vec<String>,
}

fn run_target(fuzz: &Path, program: &Path, name: &str, time: Duration) -> Outcome<Row> {
    let (corpus, artifacts) = (
        fuzz.join("corpus").join(name),
        fuzz.join("artifacts").join(name),
    );
    for folder in [&corpus, &artifacts] {
        fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    }
    say(format!("\n== {name} =="));
    shell::run(Command::new(program).env("ZEVIEW_FUZZ_SEEDS", &corpus))?;
    let before = files(&artifacts)?;

    let mut fuzzer = Command::new(program);
    fuzzer
        .args(LIMITS)
        .arg(format!("-max_total_time={}", time.as_secs().max(1)))
        .arg("-print_final_stats=1")
        .arg(format!("-artifact_prefix={}/", artifacts.display()))
        .arg(&corpus)
        // Memory that is never freed is not a bug in a program that exits; the memory limit still
        // finds unbounded growth.
        .env("ASAN_OPTIONS", "detect_leaks=0")
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped());
    let start = Instant::now();
    let output = fuzzer
        .output()
        .map_err(|error| format!("{name}: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    let mut row = Row {
        name: name.to_owned(),
        corpus: files(&corpus)?.len(),
        time: start.elapsed(),
        ..statistics(&text)
    };
    for path in files(&artifacts)? {
        if !before.contains(&path) {
            row.findings.push(path.display().to_string());
        }
    }
    if !output.status.success() {
        say(tail(&text));
        if row.findings.is_empty() {
            return Err(format!(
                "{name}: {}, without a failing input",
                output.status
            ));
        }
    }
    say(cells(&row).join("  "));
    Ok(row)
}

/// Parses libFuzzer's final statistics: `stat::number_of_executed_units: 1234`.
fn statistics(output: &str) -> Row {
    let stat = |name: &str| {
        let mut lines = output.lines().rev();
        let line = lines.find_map(|line| line.strip_prefix("stat::")?.strip_prefix(name));
        line.and_then(|rest| rest.trim_start_matches(':').trim().parse().ok())
    };
    Row {
        executions: stat("number_of_executed_units").unwrap_or_default(),
        per_second: stat("average_exec_per_sec").unwrap_or_default(),
        ..Row::default()
    }
}

/// Returns the end of a fuzzer's output: the failure and its location.
fn tail(output: &str) -> String {
    let lines: Vec<&str> = output.lines().collect();
    let start = lines.iter().rposition(|line| line.contains("panicked at"));
    let start = start.unwrap_or(lines.len().saturating_sub(40));
    lines[start..]
        .iter()
        .take(60)
        .copied()
        .collect::<Vec<_>>()
        .join("\n")
}

const HEADINGS: [&str; 6] = [
    "Target",
    "Executions",
    "Per second",
    "Corpus",
    "Time",
    "Findings",
];

fn cells(row: &Row) -> [String; 6] {
    [
        row.name.clone(),
        row.executions.to_string(),
        row.per_second.to_string(),
        row.corpus.to_string(),
        shell::duration(row.time),
        match row.findings.as_slice() {
            [] => "none".to_owned(),
            findings => findings.join(" "),
        },
    ]
}

fn print(rows: &[Row]) {
    let lines: Vec<[String; 6]> = rows.iter().map(cells).collect();
    say(format!(
        "\n| {} |\n|{}",
        HEADINGS.join(" | "),
        "---|".repeat(HEADINGS.len())
    ));
    for line in lines {
        say(format!("| {} |", line.join(" | ")));
    }
}

/// Returns the toolchain's default target, which sanitizers require to be named.
fn host(toolchain: &str) -> Outcome<String> {
    let mut rustc = Command::new("rustup");
    let output = shell::output(rustc.args(["run", toolchain, "rustc", "-vV"])).unwrap_or_default();
    let mut lines = output.lines();
    let host = lines.find_map(|line| line.strip_prefix("host: "));
    Ok(host
        .ok_or("rustc does not print its host target")?
        .to_owned())
}

#[cfg(test)]
mod tests {
    use super::{statistics, tail, targets};
    use std::fs;
    use std::path::Path;

    #[test]
    fn statistics_are_parsed() {
        let output = "#12 DONE\nstat::number_of_executed_units: 1234\n\
                    stat::average_exec_per_sec:     61\nstat::new_units_added: 3\n";
        let row = statistics(output);
        assert_eq!((row.executions, row.per_second), (1234, 61));
        assert_eq!(statistics("").executions, 0);
    }

    #[test]
    fn tail_starts_at_the_panic() {
        let output = "#1 INITED\nthread panicked at src/x.rs:1:\nboom\n==1== ERROR\n";
        assert!(tail(output).starts_with("thread panicked at"));
    }

    /// A file in `fuzz_targets`, a binary in the manifest and a row in the library's table go together.
    #[test]
    fn targets_are_listed_everywhere() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap();
        let fuzz = root.join("fuzz");
        let names = targets(&fuzz).unwrap();
        let manifest = fs::read_to_string(fuzz.join("Cargo.toml")).unwrap();
        let library = fs::read_to_string(fuzz.join("src/lib.rs")).unwrap();
        for name in &names {
            assert!(
                manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")),
                "{name}"
            );
            assert!(library.contains(&format!("name: \"{name}\"")), "{name}");
            let file = fs::read_to_string(fuzz.join(format!("fuzz_targets/{name}.rs"))).unwrap();
            assert!(
                file.contains(&format!("zeview_fuzz::fuzz!(\"{name}\");")),
                "{name}"
            );
        }
        assert_eq!(manifest.matches("[[bin]]").count(), names.len());
        assert_eq!(library.matches("name: \"").count(), names.len());
    }
}
