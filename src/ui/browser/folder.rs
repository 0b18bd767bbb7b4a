//! Folders that are dropped or chosen, as one file: the list of their files, then their bytes. The
//! browser reads the bytes only when they are needed.

use js_sys::{Array, Function, Promise, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{
    File, FileSystemDirectoryEntry, FileSystemDirectoryReader, FileSystemEntry, FileSystemFileEntry,
};

use super::fetch;
use crate::model::{ListedFile, folder_list, sort};

/// Maximum number of files of a folder.
const FILES_MAX: usize = 1 << 17;
/// Number of files after which the progress is reported again.
const STEP: usize = 128;

/// A file of a folder: its path in the folder, and the reason if it cannot be read.
pub type FolderFile = (String, Result<File, String>);

/// Lists the files of a dropped folder. `progress` gets their number so far, and returns whether to
/// go on. Returns `None` if it does not.
pub async fn list(
    folder: FileSystemDirectoryEntry,
    progress: &dyn Fn(usize) -> bool,
) -> Option<Vec<FolderFile>> {
    let start = folder.full_path().len() + 1;
    let path_of = |entry: &FileSystemEntry| {
        let path = entry.full_path();
        path.get(start..).unwrap_or(&path).to_owned()
    };
    let mut files: Vec<FolderFile> = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        let reader = folder.create_reader();
        loop {
            let entries = match entries(&reader).await {
                Ok(entries) => entries,
                Err(reason) => {
                    files.push((format!("{}/", path_of(&folder)), Err(reason)));
                    break;
                }
            };
            // The browser lists a hundred at a time.
            if entries.is_empty() {
                break;
            }
            for entry in entries {
                // Not every browser gives their classes the standard names.
                if entry.is_directory() {
                    folders.push(entry.unchecked_into());
                } else {
                    let file = file_of(entry.unchecked_ref()).await;
                    files.push((path_of(&entry), file));
                }
                if files.len().is_multiple_of(STEP) && !progress(files.len()) {
                    return None;
                }
            }
            if files.len() > FILES_MAX {
                return Some(files);
            }
        }
    }
    Some(files)
}

/// Returns the files of a chosen folder, with the name of the folder.
pub fn chosen(files: Vec<File>) -> Option<(String, Vec<FolderFile>)> {
    let mut name = None;
    let listed = files.into_iter().filter_map(|file| {
        let path = Reflect::get(&file, &"webkitRelativePath".into()).ok()?;
        let path = path.as_string()?;
        let (folder, within) = path.split_once('/')?;
        name.get_or_insert_with(|| folder.to_owned());
        Some((within.to_owned(), Ok(file)))
    });
    let listed: Vec<FolderFile> = listed.collect();
    Some((name?, listed))
}

/// Returns the folder as one file.
pub fn file(name: &str, mut files: Vec<FolderFile>) -> Option<File> {
    // As the command line sorts them: folder by folder.
    sort::by(&mut files, &|(a, _): &FolderFile, (b, _): &FolderFile| {
        a.split('/').cmp(b.split('/'))
    });
    let listed = files.iter().map(|(path, file)| ListedFile {
        path: path.clone(),
        modified: file
            .as_ref()
            .ok()
            .map(|file| whole(file.last_modified() / 1000.0)),
        size: match file {
            Ok(file) => Ok(whole(file.size())),
            Err(reason) => Err(reason.clone()),
        },
    });
    let list = folder_list(&listed.collect::<Vec<_>>());
    let parts = Array::of1(&JsValue::from(list));
    for (_, file) in files {
        if let Ok(file) = file {
            parts.push(&file);
        }
    }
    fetch::file(&parts, name)
}

/// Sizes and times are whole numbers below 2⁵³.
fn whole(number: f64) -> u64 {
    number.max(0.0) as u64
}

async fn entries(reader: &FileSystemDirectoryReader) -> Result<Vec<FileSystemEntry>, String> {
    let found =
        promised(|done, failed| reader.read_entries_with_callback_and_callback(done, failed));
    let found: Array = found.await?.unchecked_into();
    Ok(found.iter().map(JsCast::unchecked_into).collect())
}

async fn file_of(entry: &FileSystemFileEntry) -> Result<File, String> {
    let file = promised(|done, failed| {
        entry.file_with_callback_and_callback(done, failed);
        Ok(())
    });
    Ok(file.await?.unchecked_into())
}

/// Waits for one of two callbacks.
async fn promised(
    ask: impl Fn(&Function, &Function) -> Result<(), JsValue>,
) -> Result<JsValue, String> {
    let promise = Promise::new(&mut |done, failed| {
        if let Err(thrown) = ask(&done, &failed) {
            // Cannot fail.
            let _ = failed.call1(&JsValue::UNDEFINED, &thrown);
        }
    });
    JsFuture::from(promise).await.map_err(|thrown| {
        let message = Reflect::get(&thrown, &"message".into()).ok();
        message
            .and_then(|message| message.as_string())
            .unwrap_or_default()
    })
}
