//! `zeview extract`: writes the bytes of parts of a file to separate files.

use std::collections::{HashMap, HashSet};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Args;
use zeview::model::text::{escaped, plural};
use zeview::model::{Document, NodeId, SourceId, Span};

use crate::argument::InputFile;
use crate::files::Inputs;
use crate::output::{self, complain};
use crate::replace;

#[derive(Args)]
pub struct Options {
    #[command(flatten)]
    input: InputFile,
    /// The part: a path as `zeview ls` prints it, the path of a file in a package, also with the part
    /// within the file (`pkg/lib.so/image 3`), or a pattern to write several files: `*` and `?`
    /// within a name, `**` for any number of names. Files of packages are decompressed.
    #[arg(required_unless_present = "all")]
    path: Option<String>,
    /// The output file; `-` writes to standard output. If it is a folder, or its name ends with a
    /// slash, each part becomes a file in it.
    #[arg(short, long, value_name = "FILE", required_unless_present = "all")]
    output: Option<PathBuf>,
    /// Write all device images of a library or program to this folder. File names contain the
    /// target, the first kernel and the format.
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["path", "output"])]
    all: Option<PathBuf>,
    /// Write compressed device images and files of packages as stored, without decompressing them.
    #[arg(long)]
    packed: bool,
}

/// Number of bytes read at once.
const CHUNK: u64 = 1 << 20;

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let name = options.input.file.display();
    let mut inputs = Inputs::default();
    let fail = |error: &dyn std::fmt::Display| {
        complain!("{name}: {error}");
        Ok(ExitCode::from(2))
    };
    if let Some(folder) = &options.all {
        let Some(mut document) = inputs.open(&options.input.file) else {
            return Ok(inputs.status());
        };
        // The libraries of a package or folder.
        document.open_files(NodeId::ROOT);
        let parts = images(&mut document, options.packed);
        if parts.is_empty() {
            let title = &document.summary.title;
            return fail(&format_args!("{title} has no device images"));
        }
        let stored = parts.iter().filter(|(name, span)| {
            let is_stored = span.source == SourceId::FILE;
            is_stored
                && matches!(
                    name,
                    Name::Image {
                        is_unpacked: true,
                        ..
                    }
                )
        });
        let stored = stored.count() as u64;
        let status = write_all(&mut document, &parts, folder, options)?;
        // Damaged images are also written as stored.
        if stored > 0 && document.sources.costs.work.is_overdrawn() {
            let images = plural(stored, "compressed image");
            complain!("{name}: {images} written as stored: too much would be decompressed");
            return Ok(ExitCode::from(2));
        }
        return Ok(status);
    }
    let (Some(path), Some(output)) = (&options.path, &options.output) else {
        return fail(&"name a part and --output, or use --all");
    };
    if is_input(options, output) {
        return fail(&"the output is the input file; choose another --output");
    }
    let Some(mut document) = inputs.open(&options.input.file) else {
        return Ok(inputs.status());
    };
    let found = match document.find_parts(path) {
        Ok(found) => found,
        Err(error) => return fail(&error),
    };
    let count = found.len();
    let mut parts = Vec::new();
    for id in found {
        if let Some(span) = document.file_part(id, options.packed) {
            parts.push((Name::Node(id), span));
        }
    }
    let [(_, span), rest @ ..] = parts.as_slice() else {
        return fail(&format_args!("{path} has no bytes"));
    };
    if is_folder(output) {
        if count > parts.len() {
            let left = count - parts.len();
            complain!("{name}: {left} parts have no bytes of their own");
        }
        return write_all(&mut document, &parts, output, options);
    }
    if !rest.is_empty() {
        let count = parts.len();
        return fail(&format_args!(
            "{count} parts match {path}: name a folder, --output {}/",
            output.display()
        ));
    }
    let written = match output.as_path() {
        path if path == Path::new("-") => write(&document, *span, &mut io::stdout().lock()),
        path => replace::file(path, &mut |out| write(&document, *span, out)),
    };
    match written {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            complain!("{}: {error}", output.display());
            Ok(ExitCode::from(2))
        }
        // As in `main`, a reader that has seen enough is no failure.
        _ => Ok(ExitCode::SUCCESS),
    }
}

/// The name of a part.
enum Name {
    /// Path of a node. It is built when the part is written, as paths may be long.
    Node(NodeId),
    /// Name of a device image, and whether to decompress it.
    Image { name: String, is_unpacked: bool },
}

/// Maximum length of a kernel's name in a file name, in bytes.
const MAX_KERNEL_NAME: usize = 80;

/// Returns all device images with names for files: `image-0012.spir64._ZTS3add.spv`.
fn images(document: &mut Document, packed: bool) -> Vec<(Name, Span)> {
    let images = document.images(NodeId::ROOT).list;
    let digits = images.len().to_string().len();
    let mut parts = Vec::new();
    for (at, image) in images.iter().enumerate() {
        let entry = image
            .host
            .as_ref()
            .and_then(|host| host.index_entry(&document.sources));
        let described = entry.and_then(|entry| entry.described.as_ref());
        let mut name = format!("image-{at:0digits$}");
        for part in [
            described.map(|entry| entry.target.as_str()),
            described.and_then(|entry| Some(entry.kernels().first()?.name.as_str())),
        ] {
            let part = part.filter(|part| !part.is_empty());
            name.extend(part.map(|part| {
                let cut: String = part.chars().take(MAX_KERNEL_NAME).collect();
                format!(".{cut}")
            }));
        }
        name.push_str(match entry.map(|entry| entry.kind) {
            Some("spirv") => ".spv",
            Some("ar") => ".ar",
            Some("zebin") => ".zebin",
            Some("elf" | "cuda-elf" | "amdgpu-elf") => ".elf",
            Some("bitcode") => ".bc",
            Some("syclbin") => ".syclbin",
            _ => ".bin",
        });
        let is_compressed = entry.is_some_and(|entry| entry.unpacked.is_some());
        if packed && is_compressed {
            name.push_str(".zst");
        }
        let node = document.node_of(image);
        if let Some(span) = node.and_then(|node| document.part(node, packed)) {
            let is_unpacked = is_compressed && !packed;
            parts.push((Name::Image { name, is_unpacked }, span));
        }
    }
    parts
}

fn is_input(options: &Options, output: &Path) -> bool {
    same_file::is_same_file(&options.input.file, output).unwrap_or(false)
}

fn is_folder(output: &Path) -> bool {
    let ends = output.as_os_str().as_encoded_bytes().last();
    output.is_dir() || ends.is_some_and(|byte| std::path::is_separator(char::from(*byte)))
}

/// Writes each part to its own file in a folder, and prints which part is in which file.
fn write_all(
    document: &mut Document,
    parts: &[(Name, Span)],
    folder: &Path,
    options: &Options,
) -> io::Result<ExitCode> {
    if let Err(error) = fs::create_dir_all(folder) {
        complain!("{}: {error}", folder.display());
        return Ok(ExitCode::from(2));
    }
    let account = output::budget(document);
    let mut out = output::text_within(&account);
    let mut status = 0;
    let mut names = FileNames::default();
    for (at, (name, span)) in parts.iter().enumerate() {
        // Parts may overlap.
        if !account.take(span.len()) {
            let left_out = plural((parts.len() - at) as u64, "part");
            complain!(
                "{}: {left_out} not written: all together are too large for the size of the file; \
                 extract fewer at a time",
                options.input.file.display()
            );
            status = 2;
            break;
        }
        let path = match name {
            Name::Node(id) => document.path(*id),
            Name::Image { name, .. } => name.clone(),
        };
        let path = path.as_str();
        let to = folder.join(names.of(path));
        let written = if is_input(options, &to) {
            Err(io::Error::other("this is the input file"))
        } else {
            replace::in_folder(folder, &to, &mut |out| write(document, *span, out))
        };
        match written {
            Ok(()) => {
                let to = escaped(&to.display().to_string());
                writeln!(out, "{to}  {} bytes  {}", span.len(), escaped(path))?;
            }
            Err(error) => {
                complain!("{}: {error}", to.display());
                status = 2;
            }
        }
    }
    out.flush()?;
    Ok(ExitCode::from(status))
}

/// Allocates file names for parts. No name leaves the folder, is reserved by a system, or is used
/// twice (ignoring case).
#[derive(Default)]
struct FileNames {
    /// Names in use, in lower case.
    taken: HashSet<String>,
    /// Last number appended to each duplicate name.
    numbers: HashMap<String, u64>,
}

/// Maximum length of a file name in bytes: the limit of most systems is 255.
const MAX_FILE_NAME: usize = 150;

/// Names that Windows reserves for devices, whatever the extension.
static DEVICES: [&str; 6] = ["con", "prn", "aux", "nul", "com", "lpt"];

impl FileNames {
    fn of(&mut self, path: &str) -> String {
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "._-+@#=".contains(c);
        let shown: String = path
            .chars()
            .map(|c| if is_plain(c) { c } else { '_' })
            .collect();
        // Dots at the start hide a file or leave the folder; Windows drops those at the end.
        let mut name = shown
            .trim_start_matches('.')
            .trim_end_matches('.')
            .to_owned();
        // All of it is ASCII, so any length is the end of a character.
        name.truncate(MAX_FILE_NAME);
        let stem = name.split('.').next().unwrap_or("").to_ascii_lowercase();
        // Ports are numbered: `com1`.
        let stem = stem.trim_end_matches(|c: char| c.is_ascii_digit());
        // Commands would take a name that starts with `-` for an option.
        if name.is_empty() || name.starts_with('-') || DEVICES.contains(&stem) {
            name.insert(0, '_');
        }
        let mut unique = name.clone();
        if !self.taken.insert(unique.to_ascii_lowercase()) {
            let number = self.numbers.entry(name.to_ascii_lowercase()).or_insert(1);
            // Try each number once, however many parts share the name.
            loop {
                *number += 1;
                unique = format!("{name}-{number}");
                if self.taken.insert(unique.to_ascii_lowercase()) {
                    break;
                }
            }
        }
        unique
    }
}

fn write(document: &Document, span: Span, out: &mut dyn Write) -> io::Result<()> {
    let mut at = 0;
    while at < span.len() {
        let piece = span.subspan(at, CHUNK);
        let bytes = document.sources.read(piece).map_err(io::Error::other)?;
        out.write_all(&bytes)?;
        at += piece.len();
    }
    out.flush()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_safe_and_differ() {
        let mut names = FileNames::default();
        for (path, name) in [
            (".text.vecadd", "text.vecadd"),
            ("64.bmg/data", "64.bmg_data"),
            ("..", "_"),
            ("../../x", "_.._x"),
            ("%2Fetc%2Fpasswd", "_2Fetc_2Fpasswd"),
            ("A", "A"),
            ("a", "a-2"),
            ("a-2", "a-2-2"),
            ("C:\\x", "C__x"),
            ("con", "_con"),
            ("Lpt1.txt", "_Lpt1.txt"),
            ("-o", "_-o"),
            ("\u{1b}[31m\u{e4}", "__31m_"),
        ] {
            assert_eq!(names.of(path), name, "{path:?}");
        }
        assert!(names.of(&"x".repeat(5000)).len() <= MAX_FILE_NAME);
    }

    #[test]
    fn equal_names_take_linear_time() {
        let mut names = FileNames::default();
        let path = "x".repeat(MAX_FILE_NAME + 50);
        let start = std::time::Instant::now();
        let all: HashSet<String> = (0..50_000).map(|_| names.of(&path)).collect();
        assert_eq!(all.len(), 50_000);
        // Linear probing from 1 would take minutes.
        assert!(start.elapsed().as_secs() < 10);
    }
}
