//! The files that each artifact must and must not contain, and the version in it.

use super::artifact::{Artifact, Entry, Kind};
use crate::json::Json;

/// Files of each kind, as suffixes of paths: some file must end with each.
fn required(kind: Kind) -> &'static [&'static str] {
    match kind {
        Kind::Page => &[
            "index.html",
            "embed.html",
            "service_worker.js",
            "zeview-embed.js",
            "site.webmanifest",
            "/app_bg.wasm",
            "/worker_bg.wasm",
            "/worker.js",
            "/decoder.js",
            "/boot.js",
            "samples/vecadd.bmg.zebin",
        ],
        Kind::Npm => &[
            "package/package.json",
            "package/index.js",
            "package/node.js",
            "package/document.js",
            "package/rows.js",
            "package/index.d.ts",
            "package/decoder.js",
            "package/decoder_bg.wasm",
            "package/README.md",
            "package/LICENSE-MIT",
            "package/LICENSE-APACHE",
        ],
        Kind::CommandLine => &[
            "/README.md",
            "/CHANGELOG.md",
            "/LICENSE-MIT",
            "/LICENSE-APACHE",
            "/skill/SKILL.md",
            "/completions/zeview.bash",
            "/completions/_zeview",
            "/completions/zeview.fish",
            "/man/man1/zeview.1",
            "/man/man1/zeview-check.1",
        ],
        Kind::Wheel => &[
            "zeview/__init__.py",
            "zeview/py.typed",
            "zeview/_zeview.pyi",
            "zeview/triton.py",
            ".dist-info/METADATA",
            ".dist-info/licenses/LICENSE-MIT",
            ".dist-info/licenses/LICENSE-APACHE",
        ],
        Kind::Extension => &[
            "extension.vsixmanifest",
            "extension/package.json",
            "extension/readme.md",
            "/worker_bg.wasm",
            "/app_bg.wasm",
        ],
        Kind::SingleFile | Kind::Homebrew | Kind::Scoop | Kind::Sums => &[],
    }
}

/// Parts of paths that no artifact contains: sources of tests, caches, and secrets.
const FORBIDDEN: [&str; 8] = [
    "node_modules/",
    "__pycache__/",
    ".map",
    ".env",
    ".git/",
    "tests/",
    ".pdb",
    ".ts.snap",
];

/// Returns what is wrong with the contents of an artifact.
pub fn check(artifact: &Artifact, entries: Vec<Entry>, version: &str) -> Vec<String> {
    let mut problems = Vec::new();
    let mut report = |text: String| problems.push(format!("{}: {text}", artifact.name));
    for suffix in required(artifact.kind) {
        let is_it = |entry: &Entry| {
            entry.path.ends_with(suffix) || entry.path == suffix.trim_start_matches('/')
        };
        match entries.iter().find(|entry| is_it(entry)) {
            Some(entry) if entry.bytes.is_empty() && !suffix.ends_with("py.typed") => {
                report(format!("{} is empty", entry.path));
            }
            Some(_) => {}
            None => report(format!("has no {suffix}")),
        }
    }
    for entry in &entries {
        if let Some(part) = FORBIDDEN.iter().find(|part| entry.path.contains(*part)) {
            report(format!("has {} (\"{part}\")", entry.path));
        }
        if entry.path.starts_with('/') || entry.path.split('/').any(|part| part == "..") {
            report(format!("has the path {}", entry.path));
        }
    }
    if artifact.kind == Kind::CommandLine {
        let program =
            |entry: &&Entry| entry.path.ends_with("/zeview") || entry.path.ends_with("/zeview.exe");
        if entries.iter().find(program).is_none() {
            report("has no program".to_owned());
        }
    }
    match version_in(artifact.kind, &entries) {
        Some(found) if found != version => report(format!("is of version {found}, not {version}")),
        None if has_version(artifact.kind) => report("names no version".to_owned()),
        _ => {}
    }
    problems
}

/// Whether a file of the artifact states the version. The others state it in their names only, or
/// when they run.
fn has_version(kind: Kind) -> bool {
    matches!(kind, Kind::Npm | Kind::Wheel | Kind::Extension)
}

fn version_in(kind: Kind, entries: &[Entry]) -> Option<String> {
    let text = |suffix: &str| {
        let entry = entries.iter().find(|entry| entry.path.ends_with(suffix))?;
        Some(String::from_utf8_lossy(&entry.bytes).into_owned())
    };
    match kind {
        Kind::Npm => version_of(&text("package/package.json")?),
        Kind::Extension => version_of(&text("extension/package.json")?),
        Kind::Wheel => {
            let metadata = text(".dist-info/METADATA")?;
            let mut lines = metadata.lines();
            lines.find_map(|line| Some(line.strip_prefix("Version: ")?.to_owned()))
        }
        _ => None,
    }
}

fn version_of(package: &str) -> Option<String> {
    let json: Json = serde_json::from_str(package).ok()?;
    Some(json.get("version").text().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::PathBuf;

    fn npm(version: &str, without: &str) -> Vec<String> {
        let artifact = Artifact {
            name: "zeview-1.0.0.tgz".to_owned(),
            kind: Kind::Npm,
            path: PathBuf::new(),
        };
        let files = required(Kind::Npm).iter().filter(|path| **path != without);
        let entries = files.map(|path| Entry {
            path: (*path).to_owned(),
            bytes: format!("{{\"version\": \"{version}\"}}").into_bytes(),
        });
        check(&artifact, entries.collect(), "1.0.0")
    }

    #[test]
    fn missing_files_and_other_versions_are_found() {
        assert_eq!(npm("1.0.0", ""), Vec::<String>::new());
        assert_eq!(
            npm("1.0.0", "package/node.js"),
            ["zeview-1.0.0.tgz: has no package/node.js"]
        );
        assert_eq!(
            npm("1.0.1", ""),
            ["zeview-1.0.0.tgz: is of version 1.0.1, not 1.0.0"]
        );
    }
}
