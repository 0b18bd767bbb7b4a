//! Zebins: comparison with other ELF readers, growth, holes, hostile files.

use std::fs::{self, File};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::process::{
    CHECK, DUMP, LLVM_READELF, READELF, RUNS, idle, medians, there, time_of, used,
};
use super::{folder, hostile, megabytes, milliseconds, name, samples, zebin};

pub fn run() -> io::Result<()> {
    let real = real_files()?;
    println!("## Side by side\n");
    check_beside_readelf(&real);
    println!("\n## Printing everything\n");
    dump_beside_readelf(&real);
    println!("\n## Growth\n");
    growth()?;
    println!("\n## Files with holes\n");
    holes()?;
    println!("\n## Hostile files of 10 MB\n");
    hostile_files()
}

/// Returns two files of 600 kernels: from the corpus if available, else one generated file.
fn real_files() -> io::Result<Vec<PathBuf>> {
    if let Some(samples) = samples() {
        let names = ["many600.dg2.igc2.40.zebin", "many600-g.dg2.igc2.40.zebin"];
        return Ok(names
            .iter()
            .map(|n| samples.join("zebin").join(n))
            .collect());
    }
    let path = folder().join("generated600.zebin");
    fs::write(&path, zebin::many(600))?;
    Ok(vec![path])
}

/// Every zebin of the corpus.
fn all_files() -> io::Result<Vec<PathBuf>> {
    let Some(samples) = samples() else {
        return Ok(Vec::new());
    };
    let mut files = Vec::new();
    for entry in fs::read_dir(samples.join("zebin"))? {
        let path = entry?.path();
        if path.extension().is_some_and(|e| e == "zebin") {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}

fn size_of(files: &[PathBuf]) -> u64 {
    files
        .iter()
        .filter_map(|f| fs::metadata(f).ok())
        .map(|m| m.len())
        .sum()
}

fn check_beside_readelf(files: &[PathBuf]) {
    println!(
        "| File | Size | Tool | Median of {RUNS} | Times `zeview check` |\n|---|---|---|---|---|"
    );
    for file in files {
        rows_beside_readelf(&format!("`{}`", name(file)), std::slice::from_ref(file));
    }
    let all = all_files().unwrap_or_default();
    if !all.is_empty() {
        rows_beside_readelf(&format!("all {} samples, one process", all.len()), &all);
    }
}

fn rows_beside_readelf(label: &str, files: &[PathBuf]) {
    let tools = there(&[&CHECK, &LLVM_READELF, &READELF]);
    let times = medians(&tools, files);
    let size = megabytes(size_of(files));
    for (tool, time) in tools.iter().zip(&times) {
        let ratio = time.as_secs_f64() / times[0].as_secs_f64();
        let time = milliseconds(*time);
        println!(
            "| {label} | {size} | `{}` | {time} | {ratio:.2} |",
            tool.label
        );
    }
}

fn dump_beside_readelf(files: &[PathBuf]) {
    let tools = there(&[&DUMP, &READELF, &LLVM_READELF]);
    println!(
        "| File | Tool | Lines | Median of {RUNS} | Lines per second |\n|---|---|---|---|---|"
    );
    for file in files {
        let times = medians(&tools, &[file]);
        for (tool, time) in tools.iter().zip(&times) {
            let lines = tool.lines(file);
            let speed = lines as f64 / time.as_secs_f64();
            let (file, time) = (name(file), milliseconds(*time));
            println!(
                "| `{file}` | `{}` | {lines} | {time} | {speed:.0} |",
                tool.label
            );
        }
    }
}

fn growth() -> io::Result<()> {
    let idle = idle()?;
    println!(
        "`zeview check` of generated files; a process that has nothing to do peaks at {}.\n",
        megabytes(idle.peak)
    );
    println!(
        "| Kernels | Size | Time | Per kernel | Peak memory | Times the file |\n|---|---|---|---|---|---|"
    );
    for kernels in [600, 6_000, 60_000] {
        let path = folder().join(format!("generated{kernels}.zebin"));
        fs::write(&path, zebin::many(kernels))?;
        row_of_growth(&kernels.to_string(), kernels, &path)?;
        fs::remove_file(&path)?;
    }
    if samples().is_some() {
        for path in real_files()? {
            row_of_growth(&format!("600, `{}`", name(&path)), 600, &path)?;
        }
    }
    Ok(())
}

fn row_of_growth(label: &str, kernels: usize, path: &Path) -> io::Result<()> {
    let size = fs::metadata(path)?.len();
    let time = time_of(path);
    let used = used(path)?;
    println!(
        "| {label} | {} | {} | {:.2} µs | {} | {:.2} |",
        megabytes(size),
        milliseconds(time),
        time.as_secs_f64() * 1e6 / kernels as f64,
        megabytes(used.peak),
        used.peak as f64 / size as f64,
    );
    Ok(())
}

fn holes() -> io::Result<()> {
    let idle = idle()?;
    println!("| File | Size | Time | Bytes read | Peak memory |\n|---|---|---|---|---|");
    let plain = zebin::small().build().bytes;
    for (label, gigabytes, head) in [
        ("zero bytes", 1, &[][..]),
        ("zero bytes", 5, &[][..]),
        ("a zebin, then zero bytes", 1, &plain[..]),
        ("a zebin, then zero bytes", 5, &plain[..]),
    ] {
        let path = folder().join("holes.zebin");
        let mut file = File::create(&path)?;
        file.write_all(head)?;
        file.set_len(gigabytes << 30)?;
        drop(file);
        let time = time_of(&path);
        let used = used(&path)?;
        let read = used.read.saturating_sub(idle.read);
        println!(
            "| {label} | {gigabytes} GiB | {} | {read} | {} |",
            milliseconds(time),
            megabytes(used.peak)
        );
        fs::remove_file(&path)?;
    }
    Ok(())
}

fn hostile_files() -> io::Result<()> {
    println!(
        "| File | Size | Time of `zeview check` | Peak memory | Times the file |\n|---|---|---|---|---|"
    );
    for (label, make) in hostile::ALL {
        let path = folder().join("hostile.zebin");
        let bytes = make();
        fs::write(&path, &bytes)?;
        let time = CHECK.time(&[&path]).min(CHECK.time(&[&path]));
        let used = used(&path)?;
        println!(
            "| {label} | {} | {} | {} | {:.1} |",
            megabytes(bytes.len() as u64),
            milliseconds(time),
            megabytes(used.peak),
            used.peak as f64 / bytes.len() as f64,
        );
        fs::remove_file(&path)?;
    }
    Ok(())
}
