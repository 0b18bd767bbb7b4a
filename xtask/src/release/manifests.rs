//! Manifests for package managers: a formula for Homebrew and a manifest for Scoop, with the
//! checksums of the archives of the command line.

use super::artifact::{Artifact, Kind};
use super::{names, sum_of};
use crate::dist;
use crate::shell::Outcome;
use std::fmt::Write as _;
use std::path::Path;

const FORMULA: &str = "zeview.rb";
const SCOOP: &str = "zeview.json";
const DESCRIPTION: &str = "Viewer for Intel GPU binaries";
const WINDOWS: &str = "x86_64-pc-windows-msvc";

/// Systems of the formula: the block of the operating system, that of the processor, and the target.
const SYSTEMS: [(&str, &str, &str); 4] = [
    ("on_macos", "on_arm", "aarch64-apple-darwin"),
    ("on_macos", "on_intel", "x86_64-apple-darwin"),
    ("on_linux", "on_arm", "aarch64-unknown-linux-musl"),
    ("on_linux", "on_intel", "x86_64-unknown-linux-musl"),
];

/// An archive of the command line.
struct Archive {
    target: String,
    name: String,
    sum: String,
}

/// Writes the manifests for the archives in a folder. A manifest without an archive is not written.
pub fn write(folder: &Path, version: &str, repository: &str) -> Outcome {
    let archives = archives(folder, version)?;
    if let Some(text) = formula(&archives, version, repository) {
        dist::write(&folder.join(FORMULA), text.as_bytes())?;
    }
    if let Some(text) = scoop(&archives, version, repository) {
        dist::write(&folder.join(SCOOP), text.as_bytes())?;
    }
    Ok(())
}

fn archives(folder: &Path, version: &str) -> Outcome<Vec<Archive>> {
    let mut archives = Vec::new();
    for name in names(folder)? {
        if Kind::of(&name, version) != Some(Kind::CommandLine) {
            continue;
        }
        let artifact = Artifact {
            path: folder.join(&name),
            name,
            kind: Kind::CommandLine,
        };
        if let Some(target) = artifact.target(version) {
            archives.push(Archive {
                target: target.to_owned(),
                sum: sum_of(&artifact.path)?,
                name: artifact.name,
            });
        }
    }
    Ok(archives)
}

fn address(repository: &str, version: &str, name: &str) -> String {
    format!("https://github.com/{repository}/releases/download/v{version}/{name}")
}

fn formula(archives: &[Archive], version: &str, repository: &str) -> Option<String> {
    let mut blocks = String::new();
    for system in ["on_macos", "on_linux"] {
        let mut inner = String::new();
        for (of, processor, target) in SYSTEMS {
            let archive = archives.iter().find(|archive| archive.target == target);
            if let Some(archive) = archive.filter(|_| of == system) {
                let url = address(repository, version, &archive.name);
                let _ = write!(
                    inner,
                    "    {processor} do\n      url \"{url}\"\n      sha256 \"{}\"\n    end\n",
                    archive.sum
                );
            }
        }
        if !inner.is_empty() {
            let _ = write!(blocks, "\n  {system} do\n{inner}  end\n");
        }
    }
    if blocks.is_empty() {
        return None;
    }
    Some(format!(
        r##"class Zeview < Formula
  desc "{DESCRIPTION}"
  homepage "https://github.com/{repository}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]
{blocks}
  def install
    bin.install "zeview"
    man1.install Dir["man/man1/*"]
    bash_completion.install "completions/zeview.bash" => "zeview"
    fish_completion.install "completions/zeview.fish"
    zsh_completion.install "completions/_zeview"
  end

  test do
    assert_match version.to_s, shell_output("#{{bin}}/zeview --version")
  end
end
"##
    ))
}

fn scoop(archives: &[Archive], version: &str, repository: &str) -> Option<String> {
    let archive = archives.iter().find(|archive| archive.target == WINDOWS)?;
    let json = serde_json::json!({
        "version": version,
        "description": DESCRIPTION,
        "homepage": format!("https://github.com/{repository}"),
        "license": "MIT OR Apache-2.0",
        "architecture": { "64bit": {
            "url": address(repository, version, &archive.name),
            "hash": archive.sum,
        } },
        "extract_dir": format!("zeview-{version}-{WINDOWS}"),
        "bin": "zeview.exe",
        "checkver": "github",
        "autoupdate": { "architecture": { "64bit": {
            "url": address(repository, "$version", &format!("zeview-$version-{WINDOWS}.zip")),
        } } },
    });
    let text = serde_json::to_string_pretty(&json).ok()?;
    Some(text + "\n")
}

/// Compares the manifests in a folder with those that its archives need.
pub fn check(folder: &Path, artifacts: &[Artifact], version: &str) -> Outcome<Vec<String>> {
    let archives = archives(folder, version)?;
    let mut problems = Vec::new();
    for artifact in artifacts {
        let is_of = |archive: &&Archive| match artifact.kind {
            Kind::Homebrew => SYSTEMS
                .iter()
                .any(|(_, _, target)| *target == archive.target),
            Kind::Scoop => archive.target == WINDOWS,
            _ => false,
        };
        let needed: Vec<&Archive> = archives.iter().filter(is_of).collect();
        if needed.is_empty() {
            continue;
        }
        let text = String::from_utf8_lossy(&dist::read(&artifact.path)?).into_owned();
        for archive in needed {
            if !text.contains(&archive.sum) || !text.contains(&archive.name) {
                problems.push(format!("{}: not for {}", artifact.name, archive.name));
            }
        }
        if !text.contains(version) {
            problems.push(format!("{}: not of version {version}", artifact.name));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn archive(target: &str, sum: &str) -> Archive {
        Archive {
            target: target.to_owned(),
            name: format!("zeview-1.0.0-{target}.zip"),
            sum: sum.to_owned(),
        }
    }

    #[test]
    fn the_formula_has_the_systems_with_archives() {
        let archives = [
            archive("aarch64-apple-darwin", "aa"),
            archive("x86_64-unknown-linux-musl", "bb"),
        ];
        let text = formula(&archives, "1.0.0", "some/where").expect("a formula");
        assert!(text.contains("on_macos do\n    on_arm do\n      url \"https://github.com/some/where/releases/download/v1.0.0/zeview-1.0.0-aarch64-apple-darwin.zip\"\n      sha256 \"aa\""));
        assert!(text.contains("on_linux do\n    on_intel do"));
        assert!(!text.contains("x86_64-apple-darwin"));
        assert_eq!(
            formula(&[archive(WINDOWS, "cc")], "1.0.0", "some/where"),
            None
        );
    }

    #[test]
    fn scoop_gets_the_archive_for_windows() {
        let text = scoop(&[archive(WINDOWS, "cc")], "1.0.0", "some/where").expect("a manifest");
        let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(json["architecture"]["64bit"]["hash"], "cc");
        assert_eq!(json["extract_dir"], "zeview-1.0.0-x86_64-pc-windows-msvc");
    }
}
