//! The release folder: any static host can serve it, in any folder.
//!
//! # Versioned addresses
//!
//! A browser may cache some files of an earlier release, and a script of one release does not fit
//! the wasm of another. All scripts, wasm and styles therefore go into one folder named by a hash
//! of their content. Only the HTML files beside it, which every visit revalidates, name that
//! folder:
//! ```text
//! dist/index.html, icons/, samples/
//! dist/0123456789ab/app.js, app_bg.wasm, boot.js, worker_loader.js, tokens.css …
//! ```
//! The files in the folder refer to each other by relative addresses, so they need no changes.
//! Hashed file names would need them, as wasm contains addresses too. A release is loaded as a
//! whole or not at all.

use crate::page;
use crate::project::Project;
use crate::setup::{Need, Tools};
use crate::shell::{self, Beside, Outcome, say};
use crate::sizes;
use std::fs;
use std::panic::resume_unwind;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::thread;

pub const NEEDS: &[Need] = &[
    Need::WasmTarget,
    Need::Trunk,
    Need::WasmBindgen,
    Need::WasmOpt,
];

/// Wasm features that rustc may use; wasm-opt assumes fewer.
const WASM_FEATURES: &[&str] = &[
    "--enable-bulk-memory",
    "--enable-multivalue",
    "--enable-mutable-globals",
    "--enable-nontrapping-float-to-int",
    "--enable-reference-types",
    "--enable-sign-ext",
];

/// `cargo xtask dist`
pub fn build(project: &Project, tools: &Tools) -> Outcome {
    let built = page::build_release(project, tools)?;
    if let Some(wasm_opt) = &tools.wasm_opt {
        // Optimize the page for size, the decoder for speed; both take about as long.
        thread::scope(|scope| {
            let beside = Beside::current();
            let app = scope.spawn(|| {
                Beside::enter(beside);
                optimize(wasm_opt, &built.join("app_bg.wasm"), "-Oz")
            });
            optimize(wasm_opt, &built.join("worker_bg.wasm"), "-O3")?;
            app.join().unwrap_or_else(|panic| resume_unwind(panic))
        })?;
    }
    let dist = folder(project);
    let version = assemble(&built, &dist)?;
    say(format!("release {version} is in {}", dist.display()));
    sizes::check(&dist, &version)
}

/// Returns the version of the release in a folder, which is the name of its subfolder.
pub fn version(dist: &Path) -> Outcome<String> {
    let entries = fs::read_dir(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let is_version =
        |name: &String| name.len() == 12 && name.bytes().all(|b| b.is_ascii_hexdigit());
    let mut names = names.filter(is_version);
    names
        .next()
        .ok_or(format!("{} holds no release", dist.display()))
}

/// Fails if there is no release folder.
pub fn expect(project: &Project) -> Outcome {
    if folder(project).join("index.html").is_file() {
        Ok(())
    } else {
        Err("no release folder; run cargo xtask dist first".to_owned())
    }
}

pub fn folder(project: &Project) -> PathBuf {
    project.root.join("dist")
}

fn optimize(wasm_opt: &Path, wasm: &Path, level: &str) -> Outcome {
    let mut command = Command::new(wasm_opt);
    command.arg(level).args(WASM_FEATURES);
    // Keep the functions of a module together: the compressed file is 2% smaller.
    command.arg("--reorder-functions-by-name");
    // Sections for linkers and inspectors, which no browser reads.
    command.args(["--strip-producers", "--strip-target-features"]);
    command.arg(wasm).arg("-o").arg(wasm);
    shell::run(&mut command)
}

/// Copies the page that Trunk built into `dist`, adds the version to its addresses, and returns the
/// version.
fn assemble(built: &Path, dist: &Path) -> Outcome<String> {
    let mut names = files(built)?;
    names.sort();
    let (versioned, stable): (Vec<_>, Vec<_>) =
        names.into_iter().partition(|name| is_versioned(name));

    let mut hash = Fnv::new();
    for name in &versioned {
        hash.add(name.to_string_lossy().as_bytes());
        hash.add(&read(&built.join(name))?);
    }
    let version = hash.text();

    if dist.exists() {
        fs::remove_dir_all(dist).map_err(|error| format!("{}: {error}", dist.display()))?;
    }
    for name in &versioned {
        write(&dist.join(&version).join(name), &read(&built.join(name))?)?;
    }
    for name in &stable {
        let mut bytes = read(&built.join(name))?;
        if has_extension(name, &["html"]) {
            let html = String::from_utf8_lossy(&bytes);
            bytes = with_version(&html, &versioned, &version)?.into_bytes();
        }
        if name == Path::new(SERVICE_WORKER) {
            let script = String::from_utf8_lossy(&bytes);
            bytes = with_release(&script, built, (&versioned, &stable), &version)?.into_bytes();
        }
        write(&dist.join(name), &bytes)?;
    }
    Ok(version)
}

/// Scripts addressed from outside the release: by other pages and by earlier visits.
const STABLE: &[&str] = &[SERVICE_WORKER, "zeview-embed.js"];
/// The service worker, which gets the list of files.
const SERVICE_WORKER: &str = "service_worker.js";
/// The sample of 3 MB, which is fetched when opened.
const FETCHED: &[&str] = &["samples/kernels600.dg2.zebin"];
/// Line that is replaced with the list.
const RELEASE: &str = "const RELEASE = { version: \"\", files: [] };";
/// Examples for embedding the decoder, which are not part of the page.
const EXAMPLES: &[&str] = &["embed.html", "embed.js", "zeview-embed.js"];

/// Returns whether the address has the version. Samples, icons and the embedding script keep their
/// address, as other pages refer to them.
fn is_versioned(name: &Path) -> bool {
    has_extension(name, &["js", "wasm", "css"])
        && !STABLE.iter().any(|stable| name == Path::new(stable))
        && !name.starts_with("samples")
        && !name.starts_with("icons")
}

fn has_extension(name: &Path, extensions: &[&str]) -> bool {
    let extension = name.extension().unwrap_or_default();
    extensions.iter().any(|known| extension == *known)
}

/// Adds the version to every address `"./name"` of an HTML file, and removes Trunk's instructions.
fn with_version(html: &str, versioned: &[PathBuf], version: &str) -> Outcome<String> {
    let lines = html.split_inclusive('\n');
    let mut html: String = lines.filter(|line| !line.contains("data-trunk")).collect();
    for name in versioned {
        let name = name.to_string_lossy().replace('\\', "/");
        html = html.replace(&format!("\"./{name}\""), &format!("\"./{version}/{name}\""));
        // An address in another form would not resolve in the release.
        for quote in ['"', '\''] {
            for start in ["", "./", "/"] {
                if html.contains(&format!("{quote}{start}{name}{quote}")) {
                    return Err(format!("html files must write \"./{name}\" for {name}"));
                }
            }
        }
    }
    Ok(html)
}

/// Inserts the list of the page's files into the service worker. Its version covers all files, so a
/// changed sample makes a new release too.
fn with_release(
    script: &str,
    built: &Path,
    (versioned, stable): (&[PathBuf], &[PathBuf]),
    version: &str,
) -> Outcome<String> {
    let mut hash = Fnv::new();
    let mut files = Vec::new();
    for name in versioned.iter().chain(stable) {
        let text = name.to_string_lossy().replace('\\', "/");
        let bytes = read(&built.join(name))?;
        let is_other = EXAMPLES.contains(&text.as_str()) || text == SERVICE_WORKER;
        if is_other || has_extension(name, &["md"]) || FETCHED.contains(&text.as_str()) {
            continue;
        }
        hash.add(text.as_bytes());
        hash.add(&bytes);
        files.push(match text.as_str() {
            // The page is requested by its folder.
            "index.html" => "\"\"".to_owned(),
            _ if is_versioned(name) => format!("\"{version}/{text}\""),
            _ => format!("\"{text}\""),
        });
    }
    let files = files.join(", ");
    let release = format!(
        "const RELEASE = {{ version: \"{}\", files: [{files}] }};",
        hash.text()
    );
    if script.contains(RELEASE) {
        Ok(script.replace(RELEASE, &release))
    } else {
        Err(format!("{SERVICE_WORKER} has no line {RELEASE}"))
    }
}

/// Returns all files under `root`, relative to it.
pub fn files(root: &Path) -> Outcome<Vec<PathBuf>> {
    let mut names = Vec::new();
    list_files(root, Path::new(""), &mut names)?;
    Ok(names)
}

fn list_files(root: &Path, under: &Path, names: &mut Vec<PathBuf>) -> Outcome {
    let folder = root.join(under);
    let describe = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(&folder).map_err(describe)? {
        let entry = entry.map_err(describe)?;
        let name = under.join(entry.file_name());
        if entry.path().is_dir() {
            list_files(root, &name, names)?;
        } else {
            names.push(name);
        }
    }
    Ok(())
}

pub fn read(path: &Path) -> Outcome<Vec<u8>> {
    fs::read(path).map_err(|error| format!("{}: {error}", path.display()))
}

/// Returns the page's HTML without the lines that lead to the documentation, for packages that do not
/// contain it. The page asks for the first of them before it offers a link.
pub fn without_documentation(html: &str) -> String {
    let lines = html.split_inclusive('\n');
    lines
        .filter(|line| !line.contains("href=\"docs/"))
        .collect()
}

pub fn write(path: &Path, bytes: &[u8]) -> Outcome {
    let describe = |error| format!("{}: {error}", path.display());
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).map_err(describe)?;
    }
    fs::write(path, bytes).map_err(describe)
}

/// FNV-1a. It distinguishes releases and need not resist attacks.
struct Fnv(u64);

impl Fnv {
    fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }

    fn text(&self) -> String {
        // 48 bits: short addresses, and more than enough for all releases.
        format!("{:012x}", self.0 >> 16)
    }
}

#[cfg(test)]
mod tests {
    use super::{Fnv, is_versioned, with_version};
    use std::path::{Path, PathBuf};

    #[test]
    fn scripts_wasm_and_styles_are_versioned() {
        let versioned = |name: &str| is_versioned(Path::new(name));
        assert!(versioned("app_bg.wasm") && versioned("snippets/a/inline0.js"));
        assert!(!versioned("index.html") && !versioned("samples/a.wasm"));
    }

    #[test]
    fn html_names_the_folder_of_the_version() {
        let names = [PathBuf::from("app.js"), PathBuf::from("a.css")];
        let html = concat!(
            r#"<link data-trunk rel="rust">"#,
            "\n",
            r#"<link href="./app.js"><link href="./a.css"><p title="app">"#
        );
        let expected = r#"<link href="./v/app.js"><link href="./v/a.css"><p title="app">"#;
        assert_eq!(with_version(html, &names, "v").as_deref(), Ok(expected));
    }

    #[test]
    fn other_address_forms_are_rejected() {
        let names = [PathBuf::from("app.js")];
        assert!(with_version("<script src='app.js'>", &names, "v").is_err());
        assert!(with_version("<script src=\"/app.js\">", &names, "v").is_err());
    }

    #[test]
    fn the_hash_is_fnv_1a() {
        let mut hash = Fnv::new();
        hash.add(b"a");
        assert_eq!(hash.0, 0xaf63_dc4c_8601_ec8c);
    }
}
