//! `zeview diff` compared with `zeview check` of the same two files.

use std::fs;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::process::{CHECK, DIFF, RUNS, Tool};
use super::{folder, megabytes, milliseconds, name, samples, zebin};

pub fn run() -> io::Result<()> {
    println!("\n## Two files compared\n");
    println!(
        "| Files | Size | `zeview check` of both | `zeview diff` | Times |\n|---|---|---|---|---|"
    );
    if let Some(samples) = samples() {
        let zebins = samples.join("zebin");
        let file = |name: &str| zebins.join(name);
        let dg2 = file("many600.dg2.igc2.40.zebin");
        row(&[dg2.clone(), changed(&dg2)?], "one kernel differs")?;
        row(&[dg2.clone(), dg2.clone()], "the same file")?;
        row(
            &[file("many600.bmg.igc2.40.zebin"), dg2],
            "two devices: every kernel differs",
        )?;
    }
    for count in [600, 6000, 60_000] {
        let names: Vec<String> = (0..count)
            .map(|i| format!("kernel_number_{i:06}"))
            .collect();
        let elf = zebin::zebin(&names);
        let text = zebin::ze_info(&names).replace("simd_size:       32", "simd_size:       16");
        let paths = ["before", "after"].map(|word| folder().join(format!("{word}-{count}.zebin")));
        fs::write(&paths[0], elf.build().bytes)?;
        fs::write(&paths[1], elf.bytes(".ze_info", text).build().bytes)?;
        row(
            &paths,
            &format!("{count} kernels, an attribute of each differs"),
        )?;
    }
    Ok(())
}

/// Writes a copy with a changed byte in the middle of the first kernel's code.
fn changed(path: &PathBuf) -> io::Result<PathBuf> {
    let mut bytes = fs::read(path)?;
    if let Some(byte) = bytes.get_mut(0x80) {
        *byte ^= 0x10;
    }
    let copy = folder().join(format!("changed-{}", name(path)));
    fs::write(&copy, bytes)?;
    Ok(copy)
}

fn row(files: &[PathBuf; 2], what: &str) -> io::Result<()> {
    let size = fs::metadata(&files[0])?.len() + fs::metadata(&files[1])?.len();
    let time = |tool: &Tool| {
        let mut times: Vec<Duration> = (0..RUNS).map(|_| tool.time(files)).collect();
        times.sort();
        times.get(times.len() / 2).copied().unwrap_or_default()
    };
    let (check, diff) = (time(&CHECK), time(&DIFF));
    println!(
        "| {what} | {} | {} | {} | {:.1} |",
        megabytes(size),
        milliseconds(check),
        milliseconds(diff),
        diff.as_secs_f64() / check.as_secs_f64()
    );
    Ok(())
}
