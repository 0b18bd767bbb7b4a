//! What visitors download, and the budgets for it.

use crate::dist::read;
use crate::shell::{Outcome, say};
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files that are loaded together, and what they may weigh compressed.
struct Budget {
    what: &'static str,
    bytes: usize,
    holds: fn(&str) -> bool,
}

const BUDGETS: &[Budget] = &[
    Budget {
        what: "the page until it is ready for a drop",
        bytes: 150_000,
        holds: |name| {
            !is_decoder(name)
                && !is_view(name)
                && !is_full(name)
                && !is_rare(name)
                && !is_deep(name)
                && !is_for_embedders(name)
        },
    },
    // Like the decoder it is loaded beside the page that takes the files in.
    Budget {
        what: "the view",
        bytes: 340_000,
        holds: is_view,
    },
    Budget {
        what: "the decoder",
        bytes: 350_000,
        holds: is_decoder,
    },
    // Loaded when the first file comes that is no zebin.
    Budget {
        what: "the decoder of all formats",
        bytes: 450_000,
        holds: is_full,
    },
    // Loaded when the first file needs it.
    Budget {
        what: "what few files need",
        bytes: 170_000,
        holds: is_rare,
    },
    // Loaded when somebody opens SPIR-V or DWARF for the first time.
    Budget {
        what: "what lies deep",
        bytes: 200_000,
        holds: is_deep,
    },
];

/// `worker.js`, `worker_loader.js` and `worker_bg.wasm`.
fn is_decoder(name: &str) -> bool {
    name.starts_with("worker")
}

/// `full.js`, `full_loader.js` and `full_bg.wasm`.
fn is_full(name: &str) -> bool {
    name.starts_with("full")
}

/// `rare.js` and `rare_bg.wasm`.
fn is_rare(name: &str) -> bool {
    name.starts_with("rare")
}

/// `deep.js` and `deep_bg.wasm`.
fn is_deep(name: &str) -> bool {
    name.starts_with("deep")
}

/// `app.js` and `app_bg.wasm`.
fn is_view(name: &str) -> bool {
    name.starts_with("app")
}

/// The page of the JavaScript interface, which the viewer never loads.
fn is_for_embedders(name: &str) -> bool {
    name.starts_with("embed")
}

struct Weight {
    name: String,
    raw: usize,
    gzip: usize,
}

/// Prints the size of each file of the release and compares them with the budgets.
pub fn check(dist: &Path, version: &str) -> Outcome {
    let mut files = vec![dist.join("index.html")];
    list(&dist.join(version), &mut files)?;
    let mut weights = Vec::new();
    for file in &files {
        weights.push(weigh(dist, version, file)?);
    }
    weights.sort_by(|a, b| a.name.cmp(&b.name));

    let mut over = Vec::new();
    for budget in BUDGETS {
        say(format!("{:<40} {:>9} {:>9}", budget.what, "raw", "gzip -9"));
        let parts = weights.iter().filter(|part| (budget.holds)(&part.name));
        let (mut raw, mut gzip) = (0, 0);
        for part in parts {
            say(format!(
                "  {:<38} {:>9} {:>9}",
                part.name, part.raw, part.gzip
            ));
            raw += part.raw;
            gzip += part.gzip;
        }
        say(format!(
            "  {:<38} {raw:>9} {gzip:>9}  of {}",
            "sum", budget.bytes
        ));
        if gzip > budget.bytes {
            over.push(format!(
                "{}: {gzip} bytes compressed, {} above the budget",
                budget.what,
                gzip - budget.bytes
            ));
        }
    }
    if over.is_empty() {
        Ok(())
    } else {
        Err(over.join("; "))
    }
}

fn weigh(dist: &Path, version: &str, file: &Path) -> Outcome<Weight> {
    let bytes = read(file)?;
    let name = file
        .strip_prefix(dist.join(version))
        .or_else(|_| file.strip_prefix(dist))
        .unwrap_or(file);
    Ok(Weight {
        name: name.to_string_lossy().replace('\\', "/"),
        raw: bytes.len(),
        gzip: gzip(&bytes).map_err(|error| format!("gzip: {error}"))?,
    })
}

fn gzip(bytes: &[u8]) -> std::io::Result<usize> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::best());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?.len())
}

fn list(folder: &Path, files: &mut Vec<PathBuf>) -> Outcome {
    let trouble = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(trouble)? {
        let path = entry.map_err(trouble)?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
