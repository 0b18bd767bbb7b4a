//! Tests over the reference corpus in the folder `ZEVIEW_CORPUS`, and over host libraries in the
//! folder `ZEVIEW_WILD`. Without these folders, they are reported as ignored.

#[path = "../support/mod.rs"]
mod support;

mod dataflow;
mod diff;
mod find;
mod frames;
mod hostile;
mod hosts;
mod inlining;
mod inputs;
mod isa;
mod loops;
mod sizes;
mod spirv;
mod syclbins;
mod verdicts;
mod zebins;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use libtest_mimic::{Arguments, Failed, Trial};
use support::fixtures::corpus;

type Test = fn(&Path) -> Result<(), Failed>;

/// Returns the folder that `ZEVIEW_WILD` names.
fn wild() -> Option<PathBuf> {
    std::env::var_os("ZEVIEW_WILD").map(PathBuf::from)
}

fn main() -> ExitCode {
    let files = [
        ("isa", isa::TESTS),
        ("dataflow", dataflow::TESTS),
        ("inputs", inputs::TESTS),
        ("inlining", inlining::TESTS),
        ("frames", frames::TESTS),
        ("zebins", zebins::TESTS),
        ("spirv", spirv::TESTS),
        ("syclbins", syclbins::TESTS),
        ("verdicts", verdicts::TESTS),
        ("hosts", hosts::TESTS),
        ("hostile", hostile::TESTS),
        ("diff", diff::TESTS),
        ("sizes", sizes::TESTS),
        ("find", find::TESTS),
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
    for (name, test) in hosts::SLOW_TESTS {
        let run = move || corpus().map_or(Ok(()), |folder| test(&folder));
        trials.push(Trial::test(format!("hosts::{name}"), run).with_ignored_flag(true));
    }
    let folders = || Some((corpus()?, wild()?));
    for (name, test) in hosts::WILD_TESTS.iter().chain(sizes::WILD_TESTS) {
        let name = format!("wild::{name}");
        trials.push(match folders() {
            Some((corpus, wild)) => Trial::test(name, move || test(&corpus, &wild)),
            None => Trial::test(name, || Ok(())).with_ignored_flag(true),
        });
    }
    for (name, test) in frames::WILD_TESTS {
        let name = format!("wild::{name}");
        trials.push(match wild() {
            Some(wild) => Trial::test(name, move || test(&wild)),
            None => Trial::test(name, || Ok(())).with_ignored_flag(true),
        });
    }
    // Some of its files are fixtures.
    trials.push(Trial::test("loops::by_hand", || {
        loops::by_hand(wild().as_deref())
    }));
    for (name, test) in spirv::WILD_TESTS {
        let name = format!("wild::spirv_{name}");
        trials.push(match wild() {
            Some(wild) => Trial::test(name, move || test(&wild)),
            None => Trial::test(name, || Ok(())).with_ignored_flag(true),
        });
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}
