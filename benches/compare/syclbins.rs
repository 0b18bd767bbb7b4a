//! SYCLBINs with large images that are not opened, and with many modules.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::process::{CAT, CHECK, MODULES, RUNS, SHA256SUM, idle, medians, there, used};
use super::syclbin::{Syclbin, ir_text, native_text};
use super::{folder, megabytes, milliseconds, name, samples, spirv, syclbin, zebin};

pub fn run() -> io::Result<()> {
    println!("\n## SYCLBINs with large images\n");
    large_images()?;
    println!("\n## SYCLBINs with many modules\n");
    many_modules()
}

/// Two abstract modules, each with a SPIR-V module of 30 MB and a zebin of 80 MB.
fn large() -> Syclbin {
    let spirv = spirv::kernel()
        .words(&vec![0x0001_0000; 30_000_000 / 4])
        .build();
    let zebin = zebin::small()
        .bytes(".text.k", zebin::code(5_000_000))
        .build()
        .bytes;
    let mut file = Syclbin {
        global: syclbin::global(2),
        modules: vec![syclbin::Module::default(); 2],
    };
    for module in &mut file.modules {
        module.ir.push(syclbin::Code {
            text: ir_text(0, "spir64-unknown-unknown"),
            bytes: spirv.clone(),
        });
        module.native.push(syclbin::Code {
            text: native_text("bmg_g21", "spir64_gen-unknown-unknown"),
            bytes: zebin.clone(),
        });
    }
    file
}

fn large_images() -> io::Result<()> {
    let idle = idle()?;
    println!(
        "| Generation | Size | Tool | Median of {RUNS} | Times `zeview check` | Bytes read | of the file |\n|---|---|---|---|---|---|---|"
    );
    let file = large();
    for (label, bytes) in [("v1", file.v1()), ("v2", file.v2())] {
        let path = folder().join("large.syclbin");
        fs::write(&path, &bytes)?;
        let len = bytes.len() as u64;
        let read = used(&path)?.read.saturating_sub(idle.read);
        let tools = there(&[&CHECK, &SHA256SUM]);
        let times = medians(&tools, &[&path]);
        for (tool, time) in tools.iter().zip(&times) {
            let read = if tool.label == CHECK.label { read } else { len };
            println!(
                "| {label} | {} | `{}` | {} | {:.1} | {read} | {:.4} % |",
                megabytes(len),
                tool.label,
                milliseconds(*time),
                time.as_secs_f64() / times[0].as_secs_f64(),
                read as f64 / len as f64 * 100.0,
            );
        }
        fs::remove_file(&path)?;
    }
    Ok(())
}

fn many_modules() -> io::Result<()> {
    println!(
        "| File | Modules | Size | Tool | Median of {RUNS} | Per module |\n|---|---|---|---|---|---|"
    );
    if let Some(samples) = samples() {
        for file in ["v1_10k_modules.syclbin", "v2_10k_modules.syclbin"] {
            rows(10_000, &samples.join("syclbin-good").join(file))?;
        }
    }
    for count in [1_000, 10_000, 100_000] {
        let file = Syclbin::many(count);
        for (label, bytes) in [("v1", file.v1()), ("v2", file.v2())] {
            let path: PathBuf = folder().join(format!("generated.{label}.syclbin"));
            fs::write(&path, bytes)?;
            rows(count, &path)?;
            fs::remove_file(&path)?;
        }
    }
    Ok(())
}

fn rows(count: usize, path: &Path) -> io::Result<()> {
    let size = megabytes(fs::metadata(path)?.len());
    let tools = there(&[&MODULES, &CAT]);
    for (tool, time) in tools.iter().zip(medians(&tools, &[path])) {
        println!(
            "| `{}` | {count} | {size} | `{}` | {} | {:.2} µs |",
            name(path),
            tool.label,
            milliseconds(time),
            time.as_secs_f64() * 1e6 / count as f64,
        );
    }
    Ok(())
}
