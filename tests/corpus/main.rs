//! Tests over the reference corpus, whose folder `ZEVIEW_CORPUS` names. Without it they are
//! reported as ignored.

#[path = "../support/mod.rs"]
mod support;

mod diff;
mod hostile;
mod hosts;
mod isa;
mod syclbins;
mod verdicts;
mod zebins;

use std::path::Path;
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use support::fixtures::corpus;

type Test = fn(&Path) -> Result<(), Failed>;

fn main() -> ExitCode {
    let files = [
        ("isa", isa::TESTS),
        ("zebins", zebins::TESTS),
        ("syclbins", syclbins::TESTS),
        ("verdicts", verdicts::TESTS),
        ("hosts", hosts::TESTS),
        ("hostile", hostile::TESTS),
        ("diff", diff::TESTS),
    ];
    let mut trials = Vec::new();
    for (file, tests) in files {
        for (name, test) in tests {
            let name = format!("{file}::{name}");
            trials.push(match corpus() {
                Some(folder) => Trial::test(name, move || test(&folder)),
                None => Trial::test(name, || Ok(())).with_ignored_flag(true),
            });
        }
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
