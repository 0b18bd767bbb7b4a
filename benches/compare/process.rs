//! Processes of zeview and other tools: time, memory and bytes read.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

/// Number of runs per command.
pub const RUNS: usize = 15;

const ZEVIEW: &str = env!("CARGO_BIN_EXE_zeview");

/// A tool with its arguments; files are appended.
pub struct Tool {
    pub label: &'static str,
    program: &'static str,
    arguments: &'static [&'static str],
}

pub const CHECK: Tool = Tool {
    label: "zeview check",
    program: ZEVIEW,
    arguments: &["check"],
};
pub const DIFF: Tool = Tool {
    label: "zeview diff",
    program: ZEVIEW,
    arguments: &["diff"],
};
pub const DUMP: Tool = Tool {
    label: "zeview dump",
    program: ZEVIEW,
    arguments: &["dump"],
};
pub const MODULES: Tool = Tool {
    label: "zeview modules --json",
    program: ZEVIEW,
    arguments: &["modules", "--json"],
};
pub const IMAGES: Tool = Tool {
    label: "zeview images",
    program: ZEVIEW,
    arguments: &["images"],
};
pub const READELF_RELOCATIONS: Tool = Tool {
    label: "readelf -rW",
    program: "readelf",
    arguments: &["-rW"],
};
pub const READELF: Tool = Tool {
    label: "readelf -aW",
    program: "readelf",
    arguments: &["-aW"],
};
pub const LLVM_READELF: Tool = Tool {
    label: "llvm-readelf -aW",
    program: "llvm-readelf",
    arguments: &["-aW"],
};
pub const SHA256SUM: Tool = Tool {
    label: "sha256sum",
    program: "sha256sum",
    arguments: &[],
};
/// Baseline: only reads a file, through a pipe.
pub const CAT: Tool = Tool {
    label: "cat \\| wc -c",
    program: "sh",
    arguments: &["-c", "cat \"$1\" | wc -c", "sh"],
};

impl Tool {
    fn command<P: AsRef<Path>>(&self, files: &[P]) -> Command {
        let mut command = Command::new(self.program);
        command
            .args(self.arguments)
            .args(files.iter().map(AsRef::as_ref))
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

    /// Time of the whole process, with its output discarded.
    pub fn time<P: AsRef<Path>>(&self, files: &[P]) -> Duration {
        let mut command = self.command(files);
        let begin = Instant::now();
        let status = command.stdout(Stdio::null()).status();
        let time = begin.elapsed();
        status.unwrap_or_else(|e| panic!("{}: {e}", self.program));
        time
    }

    /// Peak resident memory in bytes, measured by GNU `time`. `None` if it is not installed.
    pub fn peak(&self, file: &Path) -> Option<u64> {
        let mut time = Command::new("/usr/bin/time");
        time.args(["-f", "%M", self.program]).args(self.arguments);
        let output = time.arg(file).stdout(Stdio::null()).output().ok()?;
        let text = String::from_utf8(output.stderr).ok()?;
        let kilobytes: u64 = text.lines().last()?.trim().parse().ok()?;
        Some(kilobytes * 1024)
    }

    /// Number of lines of output.
    pub fn lines(&self, file: &Path) -> usize {
        let child = self.command(&[file]).stdout(Stdio::piped()).spawn();
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

/// Returns the medians of alternating runs.
pub fn medians<P: AsRef<Path>>(tools: &[&Tool], files: &[P]) -> Vec<Duration> {
    let mut times = vec![Vec::new(); tools.len()];
    for tool in tools {
        tool.time(files);
    }
    for _ in 0..RUNS {
        for (tool, times) in tools.iter().zip(&mut times) {
            times.push(tool.time(files));
        }
    }
    let median = |mut times: Vec<Duration>| {
        times.sort();
        times[times.len() / 2]
    };
    times.into_iter().map(median).collect()
}

/// Returns the tools that are installed.
pub fn there(tools: &[&'static Tool]) -> Vec<&'static Tool> {
    tools.iter().copied().filter(|t| t.is_there()).collect()
}

/// Time of `zeview check`, from fewer runs if one takes long.
pub fn time_of(file: &Path) -> Duration {
    let first = CHECK.time(&[file]);
    if first > Duration::from_secs(2) {
        return first;
    }
    medians(&[&CHECK], &[file])[0]
}

/// Resources used by a process before it writes its output.
#[derive(Debug, Clone, Copy, Default)]
pub struct Used {
    /// Peak resident memory in bytes.
    pub peak: u64,
    /// Bytes read, including libraries.
    pub read: u64,
}

/// Returns the number after a word in a file of `/proc`.
fn proc_number(pid: u32, file: &str, word: &str) -> Option<u64> {
    let text = fs::read_to_string(format!("/proc/{pid}/{file}")).ok()?;
    let line = text.lines().find(|l| l.starts_with(word))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

/// Runs `zeview check` with its output blocked, and measures it while it waits.
pub fn used(file: &Path) -> io::Result<Used> {
    used_by(&CHECK, file)
}

/// Measures another command that writes after reading everything.
pub fn used_by(tool: &Tool, file: &Path) -> io::Result<Used> {
    let (mut reader, mut writer) = io::pipe()?;
    // A full pipe: the process blocks in its first write.
    writer.write_all(&[b' '; 1 << 16])?;
    let mut child = tool.command(&[file]).stdout(writer).spawn()?;
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

/// Resources of an idle process.
pub fn idle() -> io::Result<Used> {
    let path = super::folder().join("idle");
    fs::write(&path, b"x")?;
    used(&path)
}
