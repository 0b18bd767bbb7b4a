//! Paths of the project, and the versions in Cargo.lock.

use crate::shell::{self, Outcome};
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;

pub struct Project {
    /// The folder of the workspace's Cargo.toml.
    pub root: PathBuf,
    /// Cargo's target folder, wherever the configuration or CARGO_TARGET_DIR puts it.
    pub target: PathBuf,
    cargo: OsString,
}

impl Project {
    pub fn find() -> Outcome<Self> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .ok_or("xtask has no parent folder")?
            .to_owned();
        let metadata = shell::output(
            Command::new(&cargo)
                .args(["metadata", "--no-deps", "--format-version", "1"])
                .current_dir(&root),
        )
        .ok_or("cargo metadata failed")?;
        let target = string_field(&metadata, "target_directory")
            .ok_or("cargo metadata names no target directory")?;
        Ok(Self {
            root,
            target: target.into(),
            cargo,
        })
    }

    /// Returns a cargo command in the root of the workspace.
    pub fn cargo<'a>(&self, arguments: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = Command::new(&self.cargo);
        command.args(arguments).current_dir(&self.root);
        Self::build_once(&mut command);
        command
    }

    /// Turns incremental compilation off in CI, which builds once. All programs that start cargo must agree,
    /// or crates are compiled again.
    pub fn build_once(command: &mut Command) {
        if std::env::var_os("CI").is_some() && std::env::var_os("CARGO_INCREMENTAL").is_none() {
            command.env("CARGO_INCREMENTAL", "0");
        }
    }

    /// Returns the folder for installed tools.
    pub fn tools(&self) -> PathBuf {
        self.target.join("tools")
    }

    /// Returns the folder of the browser journeys.
    pub fn journeys(&self) -> PathBuf {
        self.root.join("tests/browser")
    }

    /// Returns the version of a package in Cargo.lock.
    pub fn locked_version(&self, package: &str) -> Outcome<String> {
        let path = self.root.join("Cargo.lock");
        let lock = std::fs::read_to_string(&path)
            .map_err(|error| format!("{}: {error}", path.display()))?;
        version_in_lock(&lock, package).ok_or(format!("Cargo.lock holds no {package}"))
    }
}

fn version_in_lock(lock: &str, package: &str) -> Option<String> {
    let name = format!("name = \"{package}\"");
    let mut lines = lock.lines().skip_while(|line| *line != name);
    let version = lines.nth(1)?.strip_prefix("version = \"")?;
    version.strip_suffix('"').map(str::to_owned)
}

/// Returns the first string with this key in a JSON text. Paths contain no quotes or control
/// characters in practice, so only backslashes are unescaped.
fn string_field(json: &str, key: &str) -> Option<String> {
    let (_, rest) = json.split_once(&format!("\"{key}\":\""))?;
    let (value, _) = rest.split_once('"')?;
    Some(value.replace(r"\\", r"\"))
}

#[cfg(test)]
mod tests {
    use super::{string_field, version_in_lock};

    #[test]
    fn locked_versions_match_whole_names() {
        let lock = "[[package]]\nname = \"wasm-bindgen-macro\"\nversion = \"1\"\n\n\
                    [[package]]\nname = \"wasm-bindgen\"\nversion = \"0.2.130\"\n";
        let version = version_in_lock(lock, "wasm-bindgen");
        assert_eq!(version.as_deref(), Some("0.2.130"));
        assert_eq!(version_in_lock(lock, "wasm"), None);
    }

    #[test]
    fn paths_are_unescaped() {
        let json = r#"{"a":1,"target_directory":"C:\\x\\target","b":2}"#;
        let path = string_field(json, "target_directory");
        assert_eq!(path.as_deref(), Some(r"C:\x\target"));
        assert_eq!(string_field(json, "missing"), None);
    }
}
