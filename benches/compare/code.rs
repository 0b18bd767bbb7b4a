//! Disassembly, compared with the Intel Graphics Assembler if it is installed.

use std::fs;
use std::io;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::process::RUNS;
use super::{folder, megabytes, milliseconds, samples};

/// Files of the corpus, with the assembler's `-p` for them. Each has one kernel: with several in
/// one file, the assembler loses its place after the padding and prints only errors.
const FILES: [(&str, &str, &str); 2] = [
    ("hugecode.skl.igc1.17791.zebin", "gen9", "9"),
    ("hugecode.tgllp.igc1.12504.zebin", "xe_gen12lp", "12p1"),
];

pub fn run() -> io::Result<()> {
    println!("\n## Assembly\n");
    let Some(samples) = samples() else {
        println!("Without the corpus there is no code to print.");
        return Ok(());
    };
    println!("The code of a large kernel, as a file of its own.\n");
    println!(
        "| Code | Size | Instructions | `zeview disasm --raw` | `iga64 -d` | of its time | a second |\n|---|---|---|---|---|---|---|"
    );
    for (name, platform, option) in FILES {
        let bytes = fs::read(samples.join("zebin").join(name))?;
        let elf = goblin::elf::Elf::parse(&bytes).map_err(io::Error::other)?;
        let is_code = |header: &&goblin::elf::SectionHeader| {
            let name = elf.shdr_strtab.get_at(header.sh_name);
            name.is_some_and(|name| name.starts_with(".text."))
        };
        let sections = elf.section_headers.iter().filter(is_code);
        let parts = sections.filter_map(|header| bytes.get(header.file_range()?));
        let code: Vec<u8> = parts.flatten().copied().collect();
        let path = folder().join(format!("{name}.krn"));
        fs::write(&path, &code)?;
        let mut ours = Command::new(env!("CARGO_BIN_EXE_zeview"));
        ours.args(["disasm", "--raw", "--platform", platform])
            .arg(&path);
        let mut theirs = Command::new("iga64");
        theirs.args(["-d", "-p", option]).arg(&path);
        let printed = ours.output()?.stdout;
        let is_line = |line: &&[u8]| !line.is_empty() && !line.ends_with(b":");
        if theirs.output().is_ok_and(|output| !output.status.success()) {
            return Err(io::Error::other(format!("iga64 fails on {name}")));
        }
        let count = printed.split(|byte| *byte == b'\n').filter(is_line).count();
        let (mut our_times, mut their_times) = (Vec::new(), Vec::new());
        for _ in 0..RUNS {
            our_times.extend(time(&mut ours));
            their_times.extend(time(&mut theirs));
        }
        let ours = median(our_times);
        let theirs = median(their_times);
        let share = ours
            .zip(theirs)
            .map(|(ours, theirs)| format!("{:.2}", ours.as_secs_f64() / theirs.as_secs_f64()));
        let rate = ours.map(|time| count as f64 / time.as_secs_f64() / 1e6);
        println!(
            "| `{name}` | {} | {count} | {} | {} | {} | {:.1} M |",
            megabytes(code.len() as u64),
            ours.map_or_else(String::new, milliseconds),
            theirs.map_or_else(|| "not installed".to_owned(), milliseconds),
            share.unwrap_or_default(),
            rate.unwrap_or(0.0),
        );
    }
    Ok(())
}

/// Time of the whole process, with its output discarded.
fn time(command: &mut Command) -> Option<Duration> {
    let begin = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status();
    status.ok().map(|_| begin.elapsed())
}

fn median(mut times: Vec<Duration>) -> Option<Duration> {
    times.sort();
    times.get(times.len() / 2).copied()
}
