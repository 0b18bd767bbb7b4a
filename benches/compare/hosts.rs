//! Real libraries with device images, from the folder that `ZEVIEW_WILD` names.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::process::{IMAGES, READELF_RELOCATIONS, RUNS, idle, medians, there, used_by};
use super::{megabytes, milliseconds, name};

/// Large libraries: with thousands of images, and with few.
static FILES: [&str; 3] = [
    "_tensor_impl.cpython-311-x86_64-linux-gnu.so",
    "_ufunc_impl.cpython-311-x86_64-linux-gnu.so",
    "libbitsandbytes_xpu2026.so",
];

pub fn run() -> io::Result<()> {
    let Some(wild) = std::env::var_os("ZEVIEW_WILD").map(PathBuf::from) else {
        println!("\n(`ZEVIEW_WILD` names no folder with libraries)");
        return Ok(());
    };
    println!("\n## Libraries with device images\n");
    println!(
        "| File | Size | Command | Median of {RUNS} | Times `readelf -rW` | Memory | Read |\n|---|---|---|---|---|---|---|"
    );
    let idle = idle()?;
    for wanted in FILES {
        let Some(path) = find(&wild, wanted)? else {
            continue;
        };
        let size = fs::metadata(&path)?.len();
        let tools = there(&[&IMAGES, &READELF_RELOCATIONS]);
        let times = medians(&tools, &[&path]);
        let last = times.last().map_or(1.0, |time| time.as_secs_f64());
        for (tool, time) in tools.iter().zip(&times) {
            let peak = tool.peak(&path).map_or("?".to_owned(), megabytes);
            let read = if tool.label == IMAGES.label {
                let read = used_by(&IMAGES, &path)?.read;
                megabytes(read.saturating_sub(idle.read))
            } else {
                "–".to_owned()
            };
            println!(
                "| `{}` | {} | `{}` | {} | {:.2} | {peak} | {read} |",
                name(&path),
                megabytes(size),
                tool.label,
                milliseconds(*time),
                time.as_secs_f64() / last,
            );
        }
    }
    Ok(())
}

/// Finds a file by name in a folder or its subfolders.
fn find(folder: &Path, wanted: &str) -> io::Result<Option<PathBuf>> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            if let Some(found) = find(&path, wanted)? {
                return Ok(Some(found));
            }
        } else if name(&path) == wanted {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
