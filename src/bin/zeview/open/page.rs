//! Locates the page.

use std::borrow::Cow;
use std::env;
use std::fs;
use std::path::{Component, Path, PathBuf};

/// The page embedded in the command line.
#[cfg(feature = "page")]
#[derive(rust_embed::RustEmbed)]
#[folder = "$CARGO_MANIFEST_DIR/dist"]
#[allow_missing = true]
struct Built;

/// The page's release folder.
pub enum Page {
    /// A folder on disk.
    Folder(PathBuf),
    /// The embedded page.
    #[cfg(feature = "page")]
    Built,
}

const INDEX: &str = "index.html";

/// Whether the program in a folder was installed with the Python package: `bin` and `lib/python3.12/site-packages`
/// have the same parent, on Windows `Scripts` and `Lib`.
fn is_of_wheel(folder: &Path) -> bool {
    let has_package = |packages: PathBuf| packages.join("zeview/__init__.py").is_file();
    let libraries = fs::read_dir(folder.join("../lib")).into_iter().flatten();
    let versions = libraries.flatten().map(|entry| entry.path());
    let mut packages = versions
        .flat_map(|version| [version.join("site-packages"), version.join("dist-packages")])
        .chain([folder.join("../Lib/site-packages")]);
    packages.any(has_package)
}

/// The message if there is no page.
fn missing(beside: Option<&Path>) -> &'static str {
    if beside.is_some_and(is_of_wheel) {
        "this wheel was built without the page: install the wheel of a release, or one of `cargo xtask dist` and \
         `cargo xtask python --features page`; or name a release folder of the page with --page"
    } else {
        "this program was built without the page: use the one of a release, or in the sources `cargo xtask dist` and \
         `cargo install --path . --features page`; or name a release folder of the page with --page"
    }
}

impl Page {
    /// Finds the page: in this folder if given, else the embedded or installed one.
    ///
    /// # Errors
    ///
    /// Fails with a message if there is no page.
    pub fn find(named: Option<&Path>) -> Result<Page, String> {
        let holds = |folder: &Path| folder.join(INDEX).is_file();
        if let Some(folder) = named {
            return if holds(folder) {
                Ok(Page::Folder(folder.to_owned()))
            } else {
                Err(format!("{}: no {INDEX} is in it", folder.display()))
            };
        }
        #[cfg(feature = "page")]
        if Built::get(INDEX).is_some() {
            return Ok(Page::Built);
        }
        let program = env::current_exe().ok();
        let beside = program.as_deref().and_then(Path::parent);
        let folders = beside.map(|folder| [folder.join("page"), folder.join("../share/zeview")]);
        let found = folders.into_iter().flatten().find(|folder| holds(folder));
        found
            .map(Page::Folder)
            .ok_or_else(|| missing(beside).to_owned())
    }

    /// Returns a file of the page by its path, or `None`.
    pub fn get(&self, path: &str) -> Option<Cow<'static, [u8]>> {
        let path = if path.is_empty() { INDEX } else { path };
        // A path that leaves the folder is not part of the page.
        let mut parts = Path::new(path).components();
        if !parts.all(|part| matches!(part, Component::Normal(_))) {
            return None;
        }
        match self {
            Page::Folder(folder) => {
                // A link in the folder may lead outside.
                let folder = fs::canonicalize(folder).ok()?;
                let file = fs::canonicalize(folder.join(path)).ok()?;
                if file.starts_with(&folder) && file.is_file() {
                    fs::read(file).ok().map(Cow::Owned)
                } else {
                    None
                }
            }
            #[cfg(feature = "page")]
            Page::Built => Built::get(path).map(|file| file.data),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::missing;
    use std::fs;

    #[test]
    fn the_fix_depends_on_the_installation() {
        let root = std::env::temp_dir().join(format!("zeview-page-{}", std::process::id()));
        let folder = root.join("bin");
        fs::create_dir_all(&folder).unwrap();
        assert!(missing(Some(&folder)).contains("cargo install --path . --features page"));
        assert!(missing(None).contains("cargo install"));
        let package = root.join("lib/python3.12/site-packages/zeview");
        fs::create_dir_all(&package).unwrap();
        fs::write(package.join("__init__.py"), "").unwrap();
        let wheel = missing(Some(&folder));
        assert!(wheel.contains("wheel of a release") && !wheel.contains("cargo install"));
        fs::remove_dir_all(&root).unwrap();
    }
}
