//! The committed real files, and the reference corpus.

use std::fs;
use std::path::{Path, PathBuf};

/// A file with its name.
#[derive(Debug, Clone)]
pub struct Fixture {
    /// File name with extension.
    pub name: String,
    pub path: PathBuf,
    pub bytes: Vec<u8>,
}

/// `tests/fixtures`
pub fn folder() -> PathBuf {
    // The fuzz targets are a separate crate in a subfolder.
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut folders = here.ancestors().map(|above| above.join("tests/fixtures"));
    let found = folders.find(|folder| folder.is_dir());
    found.unwrap_or_else(|| here.join("tests/fixtures"))
}

/// Returns the real zebins among the fixtures, by name.
pub fn zebins() -> Vec<Fixture> {
    let files = in_folder(&folder().join("zebin"), "zebin");
    assert!(files.len() >= 25, "only {} fixtures", files.len());
    files
}

/// Returns SYCLBINs and OffloadBinaries of the reference writers, by name.
pub fn syclbins() -> Vec<Fixture> {
    let mut files = Vec::new();
    for extension in ["ob", "sycl-ob", "syclbin"] {
        files.extend(in_folder(&folder().join("syclbin"), extension));
    }
    assert!(files.len() >= 12, "only {} fixtures", files.len());
    files
}

/// Returns host files with device images, by name.
pub fn hosts() -> Vec<Fixture> {
    let files = in_folder(&folder().join("host"), "host");
    assert!(files.len() >= 6, "only {} fixtures", files.len());
    files
}

/// Returns packages, by name.
pub fn packages() -> Vec<Fixture> {
    let mut files = Vec::new();
    for extension in ["gz", "whl"] {
        files.extend(in_folder(&folder().join("package"), extension));
    }
    assert!(files.len() >= 3, "only {} fixtures", files.len());
    files
}

/// Returns files that once broke a guarantee, by name.
pub fn hostile() -> Vec<Fixture> {
    let mut files = Vec::new();
    for extension in ["ar", "bin", "elf", "zebin"] {
        files.extend(in_folder(&folder().join("hostile"), extension));
    }
    assert!(files.len() >= 9, "only {} fixtures", files.len());
    files
}

/// Returns the files of a folder with this extension, by name.
pub fn in_folder(folder: &Path, extension: &str) -> Vec<Fixture> {
    let entries = fs::read_dir(folder).unwrap_or_else(|e| panic!("{}: {e}", folder.display()));
    let mut paths: Vec<PathBuf> = entries.map(|e| e.unwrap().path()).collect();
    paths.retain(|p| p.extension().is_some_and(|e| e == extension) && p.is_file());
    paths.sort();
    let read = |path: PathBuf| Fixture {
        name: path.file_name().unwrap().to_string_lossy().into_owned(),
        bytes: fs::read(&path).unwrap(),
        path,
    };
    paths.into_iter().map(read).collect()
}

/// Returns the folder of the reference corpus, if the environment names it.
pub fn corpus() -> Option<PathBuf> {
    std::env::var_os("ZEVIEW_CORPUS").map(PathBuf::from)
}
