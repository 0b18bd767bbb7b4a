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
        found.map(Page::Folder).ok_or_else(|| {
            "the page is not here: name its release folder with --page, or install with \
             `cargo install --features page` after `cargo xtask dist`"
                .to_owned()
        })
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
