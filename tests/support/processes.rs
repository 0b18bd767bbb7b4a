//! Runs the command line on files that are made to cost much, with a limit on its memory.

use std::fs;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Command, Stdio};

use zeview::decode::limits;

/// The commands that read a file; `@` is the file, `@2` one with other bytes here and there, `OUT` a
/// new folder.
pub const COMMANDS: &[&[&str]] = &[
    &["@"],
    &["check", "--json", "@"],
    &["kernels", "@"],
    &["kernels", "--json", "@"],
    &["kernels", "--csv", "@"],
    &["kernels", "--occupancy", "@"],
    &["lines", "--json", "@"],
    &["modules", "--json", "@"],
    &["images", "@"],
    &["images", "--json", "@"],
    &["images", "--device", "bmg", "--json", "@"],
    &["disasm", "@"],
    &["disasm", "--json", "@"],
    &["dump", "@"],
    &["dump", "--json", "@"],
    &["ls", "-r", "@"],
    &["ls", "-r", "--json", "@"],
    &["ls", "--symbols", "--json", "@"],
    &["ls", "--relocations", "@"],
    &["report", "@"],
    &["extract", "@", "*", "-o", "OUT/"],
    &["extract", "@", "--all", "OUT"],
    &["diff", "@", "@2"],
];

/// Memory for each byte of a file, and at least; a comparison has two files and their rows.
const MEMORY: u64 = 10;
const MEMORY_LEAST: u64 = 64 << 20;

/// What a command did.
pub struct Outcome {
    /// The exit status; `None` if a signal ended it, as when memory was refused.
    pub status: Option<i32>,
    /// Bytes on standard output and in files.
    pub output: u64,
}

/// The output that a file of `size` bytes may take: one item may reach over the limit.
pub fn output_allowed(size: u64) -> u64 {
    limits::output(size) + (256 << 10)
}

/// Writes a file, and the same with other bytes here and there, into a folder for [`run`].
pub fn write_files(folder: &Path, bytes: &[u8]) -> io::Result<()> {
    fs::write(folder.join("file"), bytes)?;
    let mut other = bytes.to_vec();
    for byte in other.iter_mut().skip(1024).step_by(509) {
        *byte ^= 1;
    }
    fs::write(folder.join("other"), other)
}

/// Runs one of the [`COMMANDS`] on the files in a folder, of `size` bytes. An allocation beyond the
/// limit fails, and ends the program.
pub fn run(program: &str, command: &[&str], size: u64, folder: &Path) -> io::Result<Outcome> {
    let times = if command[0] == "diff" { 6 } else { 1 };
    let most = (size * MEMORY).max(MEMORY_LEAST) * times / 1024;
    let out = folder.join("out");
    let arguments = command.iter().map(|argument| match *argument {
        "@" => folder.join("file"),
        "@2" => folder.join("other"),
        "OUT" => out.clone(),
        "OUT/" => out.join(""),
        other => other.into(),
    });
    let mut child = Command::new("sh")
        .args(["-c", &format!("ulimit -d {most}; exec \"$@\""), "sh"])
        .arg(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let mut output = 0;
    if let Some(mut pipe) = child.stdout.take() {
        let mut buffer = vec![0; 1 << 16];
        loop {
            match pipe.read(&mut buffer)? {
                0 => break,
                count => output += count as u64,
            }
        }
    }
    let status = child.wait()?.code();
    if out.is_dir() {
        for entry in fs::read_dir(&out)? {
            output += entry?.metadata()?.len();
        }
        fs::remove_dir_all(&out)?;
    }
    Ok(Outcome { status, output })
}
