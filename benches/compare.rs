//! Whole processes, side by side with other tools: `cargo bench --bench compare`. Prints
//! tables in Markdown.
//!
//! Times are medians of alternating runs, from the start of the process to its end. Memory
//! is the peak of the resident set, read while the process waits to write its last line.

#[allow(dead_code)]
#[path = "../tests/support/compressed.rs"]
mod compressed;
#[allow(dead_code)]
#[path = "../tests/support/elf.rs"]
mod elf;
#[allow(dead_code)]
#[path = "../tests/support/hostile.rs"]
mod hostile;
#[allow(dead_code)]
#[path = "../tests/support/notes.rs"]
mod notes;
#[allow(dead_code)]
#[path = "../tests/support/random.rs"]
mod random;
#[allow(dead_code)]
#[path = "../tests/support/spirv.rs"]
mod spirv;
#[allow(dead_code)]
#[path = "../tests/support/syclbin.rs"]
mod syclbin;
#[allow(dead_code)]
#[path = "../tests/support/zebin.rs"]
mod zebin;

use std::fs::{self, File};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Each command runs so often.
const RUNS: usize = 15;

const ZEVIEW: &str = env!("CARGO_BIN_EXE_zeview");

fn main() -> io::Result<()> {
    let real = real_files()?;
    println!("## Side by side\n");
    check_beside_readelf(&real);
    println!("\n## Printing everything\n");
    dump_beside_readelf(&real);
    println!("\n## Growth\n");
    growth()?;
    println!("\n## Files with holes\n");
    holes()?;
    println!("\n## Hostile files of 10 MB\n");
    hostile_files()
}

fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
}

/// Two files of 600 kernels: the corpus's where there is one, else one that is generated.
fn real_files() -> io::Result<Vec<PathBuf>> {
    if let Some(corpus) = std::env::var_os("ZEVIEW_CORPUS") {
        let samples = Path::new(&corpus).join("samples/zebin");
        let names = ["many600.dg2.igc2.40.zebin", "many600-g.dg2.igc2.40.zebin"];
        return Ok(names.iter().map(|n| samples.join(n)).collect());
    }
    let path = folder().join("generated600.zebin");
    fs::write(&path, zebin::many(600))?;
    Ok(vec![path])
}

fn name(path: &Path) -> String {
    path.file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into_owned()
}

fn megabytes(bytes: u64) -> String {
    format!("{:.2} MB", bytes as f64 / 1e6)
}

fn milliseconds(time: Duration) -> String {
    format!("{:.1} ms", time.as_secs_f64() * 1e3)
}

/// A tool with its arguments.
struct Tool {
    label: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
}

const CHECK: Tool = Tool {
    label: "zeview check",
    program: ZEVIEW,
    arguments: &["check"],
};
const DUMP: Tool = Tool {
    label: "zeview dump",
    program: ZEVIEW,
    arguments: &["dump"],
};
const READELF: Tool = Tool {
    label: "readelf -aW",
    program: "readelf",
    arguments: &["-aW"],
};
const LLVM_READELF: Tool = Tool {
    label: "llvm-readelf -aW",
    program: "llvm-readelf",
    arguments: &["-aW"],
};

impl Tool {
    fn command(&self, file: &Path) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .arg(file)
            .stdin(Stdio::null())
            .stderr(Stdio::null());
        command
    }

    fn is_there(&self) -> bool {
        let mut version = Command::new(self.program);
        version
            .arg("--version")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok()
    }

    fn time(&self, file: &Path) -> Duration {
        let mut command = self.command(file);
        let begin = Instant::now();
        let status = command.stdout(Stdio::null()).status();
        let time = begin.elapsed();
        status.unwrap_or_else(|e| panic!("{}: {e}", self.program));
        time
    }

    fn lines(&self, file: &Path) -> usize {
        let child = self.command(file).stdout(Stdio::piped()).spawn();
        let mut child = child.unwrap_or_else(|e| panic!("{}: {e}", self.program));
        let mut reader =
            BufReader::with_capacity(1 << 20, child.stdout.take().expect("it is piped"));
        let (mut count, mut line) = (0, Vec::new());
        while reader.read_until(b'\n', &mut line).is_ok_and(|n| n > 0) {
            count += 1;
            line.clear();
        }
        child.wait().expect("it ends");
        count
    }
}

/// The medians of alternating runs.
fn medians(tools: &[&Tool], file: &Path) -> Vec<Duration> {
    let mut times = vec![Vec::new(); tools.len()];
    for tool in tools {
        tool.time(file);
    }
    for _ in 0..RUNS {
        for (tool, times) in tools.iter().zip(&mut times) {
            times.push(tool.time(file));
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

fn there(tools: &[&'static Tool]) -> Vec<&'static Tool> {
    tools.iter().copied().filter(|t| t.is_there()).collect()
}

fn check_beside_readelf(files: &[PathBuf]) {
    let tools = there(&[&CHECK, &LLVM_READELF, &READELF]);
    println!(
        "| File | Size | Tool | Median of {RUNS} | Times `zeview check` |\n|---|---|---|---|---|"
    );
    for file in files {
        let times = medians(&tools, file);
        let size = megabytes(fs::metadata(file).map_or(0, |m| m.len()));
        for (tool, time) in tools.iter().zip(&times) {
            let ratio = time.as_secs_f64() / times[0].as_secs_f64();
            let (file, time) = (name(file), milliseconds(*time));
            println!(
                "| `{file}` | {size} | `{}` | {time} | {ratio:.1} |",
                tool.label
            );
        }
    }
}

fn dump_beside_readelf(files: &[PathBuf]) {
    let tools = there(&[&DUMP, &READELF, &LLVM_READELF]);
    println!(
        "| File | Tool | Lines | Median of {RUNS} | Lines per second |\n|---|---|---|---|---|"
    );
    for file in files {
        let times = medians(&tools, file);
        for (tool, time) in tools.iter().zip(&times) {
            let lines = tool.lines(file);
            let speed = lines as f64 / time.as_secs_f64();
            let (file, time) = (name(file), milliseconds(*time));
            println!(
                "| `{file}` | `{}` | {lines} | {time} | {speed:.0} |",
                tool.label
            );
        }
    }
}

/// What a process has used when it wants to write its output.
#[derive(Debug, Clone, Copy, Default)]
struct Used {
    peak: u64,
    read: u64,
}

/// The number after a word in a file of `/proc`.
fn proc_number(pid: u32, file: &str, word: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
    let line = text.lines().find(|l| l.starts_with(word))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Runs `zeview check` with its output blocked, and looks at it when it waits there.
fn used(file: &Path) -> io::Result<Used> {
    let (mut reader, mut writer) = io::pipe()?;
    // A pipe that is full: the first write of the process waits.
    writer.write_all(&[b' '; 1 << 16])?;
    let mut child = CHECK.command(file).stdout(writer).spawn()?;
    let pid = child.id();
    let mut used = Used::default();
    let (mut last, mut same) = (None, 0);
    while same < 5 && child.try_wait()?.is_none() {
        sleep(Duration::from_millis(20));
        let now = (
            proc_number(pid, "status", "VmHWM:"),
            proc_number(pid, "io", "rchar:"),
            fs::read_to_string(format!("/proc/{pid}/stat"))
                .ok()
                .map(|s| s.contains(") S ")),
        );
        same = if Some(now) == last && now.2 == Some(true) {
            same + 1
        } else {
            0
        };
        last = Some(now);
    }
    if let Some((peak, read, _)) = last {
        used.peak = peak.unwrap_or(0) * 1024;
        used.read = read.unwrap_or(0);
    }
    let drain = std::thread::spawn(move || {
        let mut rest = Vec::new();
        let _ = reader.read_to_end(&mut rest);
    });
    child.wait()?;
    let _ = drain.join();
    Ok(used)
}

/// What a process uses that has nothing to do.
fn idle() -> io::Result<Used> {
    let path = folder().join("idle");
    fs::write(&path, b"x")?;
    used(&path)
}

/// Fewer runs where one takes long.
fn time_of(file: &Path) -> Duration {
    let first = CHECK.time(file);
    if first > Duration::from_secs(2) {
        return first;
    }
    medians(&[&CHECK], file)[0]
}

fn growth() -> io::Result<()> {
    let idle = idle()?;
    println!(
        "`zeview check` of generated files; a process that has nothing to do peaks at {}.\n",
        megabytes(idle.peak)
    );
    println!(
        "| Kernels | Size | Time | Per kernel | Peak memory | Times the file |\n|---|---|---|---|---|---|"
    );
    for kernels in [600, 6_000, 60_000] {
        let path = folder().join(format!("generated{kernels}.zebin"));
        fs::write(&path, zebin::many(kernels))?;
        row_of_growth(&kernels.to_string(), kernels, &path)?;
        fs::remove_file(&path)?;
    }
    if std::env::var_os("ZEVIEW_CORPUS").is_some() {
        for path in real_files()? {
            row_of_growth(&format!("600, `{}`", name(&path)), 600, &path)?;
        }
    }
    Ok(())
}

fn row_of_growth(label: &str, kernels: usize, path: &Path) -> io::Result<()> {
    let size = fs::metadata(path)?.len();
    let time = time_of(path);
    let used = used(path)?;
    println!(
        "| {label} | {} | {} | {:.2} µs | {} | {:.2} |",
        megabytes(size),
        milliseconds(time),
        time.as_secs_f64() * 1e6 / kernels as f64,
        megabytes(used.peak),
        used.peak as f64 / size as f64,
    );
    Ok(())
}

fn holes() -> io::Result<()> {
    let idle = idle()?;
    println!("| File | Size | Time | Bytes read | Peak memory |\n|---|---|---|---|---|");
    let plain = zebin::small().build().bytes;
    for (label, gigabytes, head) in [
        ("zero bytes", 1, &[][..]),
        ("zero bytes", 5, &[][..]),
        ("a zebin, then zero bytes", 1, &plain[..]),
        ("a zebin, then zero bytes", 5, &plain[..]),
    ] {
        let path = folder().join("holes.zebin");
        let mut file = File::create(&path)?;
        file.write_all(head)?;
        file.set_len(gigabytes << 30)?;
        drop(file);
        let time = time_of(&path);
        let used = used(&path)?;
        let read = used.read.saturating_sub(idle.read);
        println!(
            "| {label} | {gigabytes} GiB | {} | {read} | {} |",
            milliseconds(time),
            megabytes(used.peak)
        );
        fs::remove_file(&path)?;
    }
    Ok(())
}

fn hostile_files() -> io::Result<()> {
    println!(
        "| File | Size | Time of `zeview check` | Peak memory | Times the file |\n|---|---|---|---|---|"
    );
    for (label, make) in hostile::ALL {
        let path = folder().join("hostile.zebin");
        let bytes = make();
        fs::write(&path, &bytes)?;
        let time = CHECK.time(&path).min(CHECK.time(&path));
        let used = used(&path)?;
        println!(
            "| {label} | {} | {} | {} | {:.1} |",
            megabytes(bytes.len() as u64),
            milliseconds(time),
            megabytes(used.peak),
            used.peak as f64 / bytes.len() as f64,
        );
        fs::remove_file(&path)?;
    }
    Ok(())
}
