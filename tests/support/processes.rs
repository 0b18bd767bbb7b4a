//! Runs the command line on expensive files, with a memory limit.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use zeview::decode::limits;

/// Commands that read a file; `@` is the file, `@2` another one, `OUT` a new folder.
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
    &["step", "@"],
    &["step", "--json", "@"],
    &["dump", "@"],
    &["dump", "--json", "@"],
    &["ls", "-r", "@"],
    &["ls", "-r", "--json", "@"],
    &["ls", "--symbols", "--json", "@"],
    &["ls", "--relocations", "@"],
    &["report", "@"],
    &["extract", "@", "*", "-o", "OUT/"],
    &["extract", "@", "--all", "OUT"],
    &["extract", "@", "**/a*a*a*b", "-o", "OUT/"],
    &["ls", "@", "**/*a*a*a*a*a*a*b"],
    &["check", "--sarif", "@"],
    &["kernels", "--sort", "-name", "@"],
    &["kernels", "--columns", "name,instructions", "@"],
    &["diff", "@", "@2"],
];

/// Comparisons of two files.
pub const COMPARISONS: &[&[&str]] = &[
    &["diff", "@", "@2"],
    &["diff", "--json", "--code", "@", "@2"],
    &["diff", "--html", "@", "@2"],
    &["diff", "--markdown", "--code=3", "@", "@2"],
    &["diff", "--renumbered", "--json", "@", "@2"],
    &["diff", "--fail-if", "spill_size increased", "@", "@2"],
];

/// Memory limit per byte of a file, and its minimum; a comparison has two files and their rows.
const MEMORY: u64 = 10;
const MEMORY_LEAST: u64 = 64 << 20;

/// Result of a command.
pub struct Outcome {
    /// Exit status; `None` if a signal ended the process, as when an allocation failed.
    pub status: Option<i32>,
    /// Number of bytes on standard output and in files.
    pub output: u64,
}

/// Returns the output limit for a file of `size` bytes, with room for one item beyond it.
pub fn output_allowed(size: u64) -> u64 {
    limits::output(size) + (256 << 10)
}

/// Returns a copy with a few changed bytes.
pub fn changed(bytes: &[u8]) -> Vec<u8> {
    let mut other = bytes.to_vec();
    for byte in other.iter_mut().skip(1024).step_by(509) {
        *byte ^= 1;
    }
    other
}

/// Writes two files into a folder for [`run`].
pub fn write_files(folder: &Path, [file, other]: &[Vec<u8>; 2]) -> io::Result<()> {
    fs::write(folder.join("file"), file)?;
    fs::write(folder.join("other"), other)
}

/// Runs one of the [`COMMANDS`] on the files in a folder, of `size` bytes. An allocation beyond the
/// limit fails and ends the process.
pub fn run(program: &str, command: &[&str], size: u64, folder: &Path) -> io::Result<Outcome> {
    let times = if command[0] == "diff" { 6 } else { 1 };
    let out = folder.join("out");
    let arguments = command.iter().map(|argument| match *argument {
        "@" => folder.join("file"),
        "@2" => folder.join("other"),
        "OUT" => out.clone(),
        "OUT/" => out.join(""),
        other => other.into(),
    });
    let mut child = limited(program, size * times)
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

/// Returns a command limited to the memory allowed for a file of `size` bytes.
fn limited(program: &str, size: u64) -> Command {
    let most = (size * MEMORY).max(MEMORY_LEAST) / 1024;
    let mut command = Command::new("sh");
    command
        .args(["-c", &format!("ulimit -d {most}; exec \"$@\""), "sh"])
        .arg(program);
    command
}

/// Lets `zeview open` serve the first file in a folder, and fetches it. Returns the number of bytes
/// received.
pub fn serve(program: &str, size: u64, folder: &Path) -> io::Result<u64> {
    let page = folder.join("page");
    fs::create_dir_all(&page)?;
    fs::write(page.join("index.html"), "<head></head>")?;
    let mut child = limited(program, size)
        .args(["open", "--no-browser", "--page"])
        .args([&page, &folder.join("file")])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    let fetched = fetch(&mut child);
    child.kill()?;
    child.wait()?;
    fetched
}

fn fetch(child: &mut Child) -> io::Result<u64> {
    let unexpected = || io::Error::other("zeview open gave no address");
    let mut line = String::new();
    let pipe = child.stdout.as_mut().ok_or_else(unexpected)?;
    BufReader::new(pipe).read_line(&mut line)?;
    let address = line.trim().strip_prefix("http://").ok_or_else(unexpected)?;
    let (host, path) = address.split_once('/').ok_or_else(unexpected)?;
    let (token, _) = path.split_once('/').ok_or_else(unexpected)?;
    let mut stream = TcpStream::connect(host)?;
    write!(
        stream,
        "GET /{token}/files/0/file HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n"
    )?;
    let mut reader = BufReader::new(stream);
    let mut header = String::new();
    while header != "\r\n" {
        header.clear();
        if reader.read_line(&mut header)? == 0 {
            return Err(unexpected());
        }
    }
    io::copy(&mut reader, &mut io::sink())
}
