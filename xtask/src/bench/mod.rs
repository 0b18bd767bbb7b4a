//! Benchmarks: native ones with cargo, page benchmarks in Chromium, and comparisons with another
//! commit ([`regress`]).

mod regress;

use crate::checks;
use crate::options::Options;
use crate::project::Project;
use crate::shell::{self, Outcome};

/// Benchmarks in `benches/*.rs`, with the features that they need.
const NATIVE: &[(&str, &str)] = &[
    ("core", "decode"),
    ("kernels", "decode"),
    ("compare", "cli"),
];

/// Benchmarks in `benches/*.mjs`, which use the existing release folder.
const SCRIPTS: &[&str] = &["page", "memory", "peers"];

/// `cargo xtask bench [NAME]…`, `cargo xtask bench regress OLD`
pub fn run(project: &Project, mut options: Options) -> Outcome {
    if options.flag("regress") {
        return regress::run(project, options);
    }
    let mut names = options.rest();
    if names.is_empty() {
        let native = NATIVE.iter().map(|(name, _)| *name);
        names = native
            .chain(SCRIPTS.iter().copied())
            .map(str::to_owned)
            .collect();
    }
    for name in &names {
        match NATIVE.iter().find(|(native, _)| native == name) {
            Some((name, features)) => native(project, name, features)?,
            None if SCRIPTS.contains(&name.as_str()) => {
                checks::script(project, &format!("benches/{name}.mjs"), &[])?
            }
            None => return Err(format!("no benchmark \"{name}\"")),
        }
    }
    Ok(())
}

fn native(project: &Project, name: &str, features: &str) -> Outcome {
    let mut bench = project.cargo(["bench", "--package", "zeview", "--no-default-features"]);
    bench.args(["--features", features, "--bench", name]);
    shell::run(&mut bench)
}
