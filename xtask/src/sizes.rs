//! Download sizes and their budgets.

use crate::dist::read;
use crate::shell::{Outcome, say};
use flate2::{Compression, write::GzEncoder};
use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};

/// Files loaded together, with their budget in compressed bytes.
struct Budget {
    what: &'static str,
    bytes: usize,
    holds: fn(&str) -> bool,
}

const BUDGETS: &[Budget] = &[
    Budget {
        what: "the page until it is ready for a drop",
        bytes: 150_000,
        holds: |name| !is_view(name) && !is_decoder(name) && !is_for_embedders(name),
    },
    // 2 500 of these are for programs that build on the page (src/ui/session/page/host.rs); 12 000
    // show kernels in step, and 12 000 the map of sizes.
    Budget {
        what: "the view",
        bytes: 620_000,
        holds: is_view,
    },
    // Loaded in parallel with the view. 25 000 are for kernels in step, and 40 000 for the sizes of
    // everything in a file.
    Budget {
        what: "the decoder",
        bytes: 1_826_000,
        holds: is_decoder,
    },
];

/// Budget of everything that a visit loads, in compressed bytes.
const EVERYTHING: usize = 2_475_000;

/// `app.js` and `app_bg.wasm`.
fn is_view(name: &str) -> bool {
    name.starts_with("app")
}

/// `worker.js`, `worker_loader.js` and `worker_bg.wasm`.
fn is_decoder(name: &str) -> bool {
    name.starts_with("worker")
}

/// Example page of the JavaScript interface, which the viewer does not load.
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
    let mut compare = |what: &str, gzip: usize, budget: usize| {
        if gzip > budget {
            let more = gzip - budget;
            over.push(format!(
                "{what}: {gzip} bytes compressed, {more} above the budget"
            ));
        }
    };
    let (mut all_raw, mut all_gzip) = (0, 0);
    for Budget { what, bytes, holds } in BUDGETS {
        say(format!("{what:<40} {:>9} {:>9}", "raw", "gzip -9"));
        let (mut raw, mut gzip) = (0, 0);
        for part in weights.iter().filter(|part| holds(&part.name)) {
            let name = &part.name;
            say(format!("  {name:<38} {:>9} {:>9}", part.raw, part.gzip));
            raw += part.raw;
            gzip += part.gzip;
        }
        say(format!("  {:<38} {raw:>9} {gzip:>9}  of {bytes}", "sum"));
        compare(what, gzip, *bytes);
        all_raw += raw;
        all_gzip += gzip;
    }
    let what = "everything that a visit loads";
    say(format!(
        "{what:<40} {all_raw:>9} {all_gzip:>9}  of {EVERYTHING}"
    ));
    compare(what, all_gzip, EVERYTHING);
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
    let describe = |error| format!("{}: {error}", folder.display());
    for entry in fs::read_dir(folder).map_err(describe)? {
        let path = entry.map_err(describe)?.path();
        if path.is_dir() {
            list(&path, files)?;
        } else {
            files.push(path);
        }
    }
    Ok(())
}
