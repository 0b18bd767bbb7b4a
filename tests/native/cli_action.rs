//! The GitHub action (`action.yml`, `action/run.sh`), run as GitHub runs it.
#![cfg(unix)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

use crate::cli::{damaged, stderr, stdout, temporary, vecadd};

/// A name that would end a code span, start an element and split a table row; two words.
const NAME: &str = "a ``` <img src=x> | [b](c).zebin";

pub fn sample(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("www/samples").join(name)
}

/// Working folder of one test.
pub struct Place(pub PathBuf);

impl Place {
    pub fn new(name: &str) -> Place {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(folder.join("build/deep")).unwrap();
        fs::copy(vecadd(), folder.join("build/deep/good.zebin")).unwrap();
        Place(folder)
    }

    pub fn copy(&self, from: impl AsRef<Path>, to: &str) {
        let to = self.0.join(to);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }

    pub fn run(&self, inputs: &[(&str, &str)]) -> Output {
        for file in ["summary", "output", "log.sarif"] {
            let _ = fs::remove_file(self.0.join(file));
        }
        let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("action/run.sh");
        let mut command = Command::new("bash");
        command
            .arg(script)
            .current_dir(&self.0)
            .env("ZEVIEW", env!("CARGO_BIN_EXE_zeview"))
            .env("ZEVIEW_SARIF", "log.sarif")
            .env("GITHUB_STEP_SUMMARY", "summary")
            .env("GITHUB_OUTPUT", "output")
            .env("GITHUB_ACTIONS", "true")
            .envs(inputs.iter().copied());
        command.output().expect("bash runs")
    }

    pub fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }

    fn sarif(&self) -> Value {
        serde_json::from_str(&self.read("log.sarif")).expect("a log of SARIF")
    }
}

/// Returns the lines of Markdown outside of fenced blocks.
pub fn outside_of_fences(markdown: &str) -> Vec<&str> {
    let mut fence: Option<&str> = None;
    let mut lines = Vec::new();
    for line in markdown.lines() {
        let ticks = &line[..line.len() - line.trim_start_matches('`').len()];
        match fence {
            Some(open) if line == open => fence = None,
            Some(_) => {}
            None if ticks.len() >= 3 => fence = Some(ticks),
            None => lines.push(line),
        }
    }
    assert_eq!(fence, None, "a fence is left open");
    lines
}

#[test]
fn good_files_pass() {
    let place = Place::new("action-good");
    let output = place.run(&[
        ("ZEVIEW_FILES", "build/**/*.zebin\r\n\n"),
        ("ZEVIEW_FAIL_IF", "spill_size>0\nsimd_size<8\n"),
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = place.read("summary");
    assert!(summary.contains("### Check: passed\n"), "{summary}");
    assert!(summary.contains("### Kernels: passed\n"), "{summary}");
    assert!(
        summary.contains("build/deep/good.zebin: driver"),
        "{summary}"
    );
    assert!(!summary.contains("base"), "{summary}");
    assert_eq!(place.read("output"), "sarif=log.sarif\n");
    let sarif = place.sarif();
    assert_eq!(sarif["version"], "2.1.0");
    assert_eq!(
        sarif["runs"][0]["invocations"][0]["executionSuccessful"],
        true
    );
}

#[test]
fn failures_are_in_the_summary_and_in_the_log() {
    let place = Place::new("action-bad");
    place.copy(damaged(), NAME);
    let output = place.run(&[("ZEVIEW_FILES", &format!("{NAME}\nbuild/deep/*"))]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let summary = place.read("summary");
    assert!(summary.contains("### Check: failed\n"), "{summary}");
    assert!(summary.contains("elf/section-out-of-bounds"), "{summary}");
    assert!(summary.contains(NAME), "{summary}");
    let outside = outside_of_fences(&summary).join("\n");
    assert!(!outside.contains("img"), "{outside}");
    let sarif = place.sarif();
    let results = sarif["runs"][0]["results"].as_array().unwrap();
    let found = results.iter().filter(|result| {
        let location = &result["locations"][0]["physicalLocation"];
        let uri = location["artifactLocation"]["uri"].as_str().unwrap();
        uri.contains("%3Cimg%20src%3Dx%3E") && result["level"] == "error"
    });
    assert!(found.count() > 3, "{results:?}");
    // Output must not be interpreted as workflow commands.
    let log = stdout(&output);
    let mut lines = log
        .lines()
        .skip_while(|line| !line.starts_with("::stop-commands::"));
    let token = lines
        .next()
        .unwrap()
        .trim_start_matches("::stop-commands::");
    assert_eq!(token.len(), 32, "{log}");
    assert!(lines.any(|line| line == format!("::{token}::")), "{log}");
}

#[test]
fn limits_of_kernels() {
    let place = Place::new("action-limits");
    place.copy(sample("spill.dg2.zebin"), "spill.zebin");
    let files = ("ZEVIEW_FILES", "spill.zebin");
    let output = place.run(&[files, ("ZEVIEW_FAIL_IF", "spill_size>0")]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let summary = place.read("summary");
    assert!(summary.contains("### Check: passed\n"), "{summary}");
    assert!(summary.contains("### Kernels: failed\n"), "{summary}");
    assert!(summary.contains("spill: spill_size is 3328"), "{summary}");
    // A condition is one argument, whatever it contains.
    let trap = "$(touch trap)`touch trap`; touch trap\n--json";
    let output = place.run(&[files, ("ZEVIEW_FAIL_IF", trap)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(!place.0.join("trap").exists());
    let summary = place.read("summary");
    assert!(
        summary.contains("### An input of the action is wrong\n"),
        "{summary}"
    );
}

#[test]
fn kernels_that_fail_are_first_and_tables_are_cut() {
    let place = Place::new("action-rows");
    place.copy(sample("kernels600.dg2.zebin"), "many.zebin");
    place.copy(sample("spill.dg2.zebin"), "spill.zebin");
    let output = place.run(&[
        ("ZEVIEW_FILES", "many.zebin\nspill.zebin"),
        ("ZEVIEW_FAIL_IF", "spill_size>0"),
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let summary = place.read("summary");
    let (before, all) = summary
        .split_once("**All kernels:**")
        .expect("all kernels come last");
    let failing = before
        .split_once("**Kernels that meet a condition:**")
        .expect("they come first")
        .1;
    // The file is the last one: beyond the rows of the table.
    let rows = failing.lines().filter(|line| line.contains("3328"));
    assert_eq!(rows.count(), 2, "{failing}");
    assert!(!failing.contains("many.zebin"), "{failing}");
    assert!(all.lines().count() < 50, "{all}");
    assert!(all.contains("more lines are in the log"), "{all}");
    assert!(stdout(&output).matches("many.zebin").count() >= 600);
}

#[test]
fn wrong_inputs_are_mistakes_of_the_workflow() {
    let place = Place::new("action-typos");
    let files = ("ZEVIEW_FILES", "build/deep/good.zebin");
    let base = ("ZEVIEW_BASE", "build/deep/good.zebin");
    for (inputs, says) in [
        (
            &[("ZEVIEW_FAIL_IF", "spil_size>0")][..],
            "did you mean \"spill_size\"?",
        ),
        (
            &[base, ("ZEVIEW_DIFF_FAIL_IF", "spil_size increased")],
            "did you mean \"spill_size\"?",
        ),
        (
            &[("ZEVIEW_DEVICE", "B850")],
            "did you mean \"Arc B580 Graphics\"?",
        ),
    ] {
        let output = place.run(&[&[files], inputs].concat());
        assert_eq!(output.status.code(), Some(2), "{inputs:?}");
        assert!(stderr(&output).contains("an input of the action is wrong"));
        assert!(stderr(&output).contains(says), "{}", stderr(&output));
        let summary = place.read("summary");
        assert!(summary.contains("### An input of the action is wrong\n"));
        assert!(summary.contains(says), "{summary}");
        // Nothing was judged.
        assert!(!summary.contains("### Check"), "{summary}");
    }
    for inputs in [
        ("ZEVIEW_ROWS", "many"),
        ("ZEVIEW_ROWS", "0"),
        ("ZEVIEW_DIFF_SKIP_NEW", "yes"),
    ] {
        let output = place.run(&[files, inputs]);
        assert_eq!(output.status.code(), Some(2), "{inputs:?}");
    }
}

#[test]
fn new_kernels_can_be_left_out() {
    let place = Place::new("action-new");
    place.copy(vecadd(), "base/a.zebin");
    place.copy(vecadd(), "head/a.zebin");
    place.copy(sample("spill.dg2.zebin"), "head/b.zebin");
    let inputs = [
        ("ZEVIEW_FILES", "head/**"),
        ("ZEVIEW_BASE", "base"),
        ("ZEVIEW_HEAD", "head"),
        ("ZEVIEW_DIFF_FAIL_IF", "spill_size increased"),
    ];
    let output = place.run(&inputs);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let skipping = [&inputs[..], &[("ZEVIEW_DIFF_SKIP_NEW", "true")]].concat();
    let output = place.run(&skipping);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(stdout(&output).contains("3 new kernels skipped by --skip-new"));
    // Kernels in both are judged.
    place.copy(sample("vecadd-O0.bmg.zebin"), "head/a.zebin");
    let grows = [
        &skipping[..],
        &[("ZEVIEW_DIFF_FAIL_IF", "code_size increased")],
    ]
    .concat();
    let output = place.run(&grows);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(stdout(&output).contains("vecadd: code_size "));
}

#[test]
fn the_base_is_compared_with() {
    let place = Place::new("action-base");
    place.copy(vecadd(), &format!("base/{NAME}"));
    place.copy(sample("spill.dg2.zebin"), &format!("head/{NAME}"));
    place.copy(vecadd(), "head/new_<b>.zebin");
    let inputs = [
        ("ZEVIEW_FILES", "head/**"),
        ("ZEVIEW_BASE", "base"),
        ("ZEVIEW_HEAD", "head"),
    ];
    let output = place.run(&inputs);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let summary = place.read("summary");
    assert!(
        summary.contains("### Compared with the base: passed\n"),
        "{summary}"
    );
    let outside = outside_of_fences(&summary).join("\n");
    assert!(outside.contains("kernel spill (added)"), "{outside}");
    // The Markdown of `zeview diff` contains names as text.
    assert!(outside.contains(r"\<img src=x\>"), "{outside}");
    assert!(outside.contains(r"new\_\<b\>"), "{outside}");
    for element in ["<img", "<b>"] {
        let plain = outside
            .replace(&format!("\\{element}"), "")
            .replace(r"\<img", "");
        assert!(!plain.contains(element), "{outside}");
    }
    let inputs = [
        &inputs[..],
        &[("ZEVIEW_DIFF_FAIL_IF", "spill_size increased")],
    ];
    let output = place.run(&inputs.concat());
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let summary = place.read("summary");
    assert!(
        summary.contains("### Compared with the base: failed\n"),
        "{summary}"
    );
}

/// Each file of the head is judged, and nothing passes unjudged.
#[test]
fn the_head_is_judged_as_a_whole() {
    let spill = sample("spill.dg2.zebin");
    let run = |name: &str, base: &[(&Path, &str)], head: &[(&Path, &str)]| {
        let place = Place::new(name);
        for folder in ["base", "head"] {
            fs::create_dir_all(place.0.join(folder)).unwrap();
        }
        for (files, folder) in [(base, "base"), (head, "head")] {
            for (from, to) in files {
                place.copy(from, &format!("{folder}/{to}"));
            }
        }
        let output = place.run(&[
            ("ZEVIEW_FILES", "build/deep/good.zebin"),
            ("ZEVIEW_BASE", "base"),
            ("ZEVIEW_HEAD", "head"),
            ("ZEVIEW_DIFF_FAIL_IF", "spill_size increased"),
        ]);
        (output.status.code(), place.read("summary"))
    };
    let good = PathBuf::from(vecadd());
    let text = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let (same, words) = ((&*good, "a.zebin"), (&*text, "README.md"));
    // Files without device code are skipped and counted.
    let (status, said) = run("action-skips", &[same, words], &[same, words]);
    assert_eq!(status, Some(0), "{said}");
    assert!(said.contains("1 file without kernels skipped"), "{said}");
    // A new file, and a renamed one.
    let new = (&*spill, "new.zebin");
    for (at, base) in [&[same][..], &[same, (&*spill, "old.zebin")]]
        .into_iter()
        .enumerate()
    {
        let (status, said) = run(&format!("action-new-{at}"), base, &[same, new]);
        assert_eq!(status, Some(1), "{said}");
        assert!(
            said.contains("### Compared with the base: failed\n"),
            "{said}"
        );
        assert!(
            said.contains("new.zebin: spill: spill_size is 3328"),
            "{said}"
        );
    }
    // Nothing to judge or to compare with.
    let judged = "### Compared with the base: could not be judged\n";
    for (at, (base, head)) in [
        (&[][..], &[][..]),
        (&[same], &[]),
        (&[], &[same]),
        (&[words], &[words]),
        (&[same], &[(&*good, "b.zebin")]),
    ]
    .into_iter()
    .enumerate()
    {
        let (status, said) = run(&format!("action-nothing-{at}"), base, head);
        assert_eq!(status, Some(2), "{at}: {said}");
        assert!(said.contains(judged), "{at}: {said}");
    }
    // A value that cannot be read: the key is misspelled.
    let mut bytes = fs::read(&spill).unwrap();
    let at = bytes
        .windows(11)
        .position(|bytes| bytes == b"spill_size:")
        .unwrap();
    bytes[at + 9] = b'x';
    let misspelled = temporary("action-misspelled.zebin", &bytes);
    let (status, said) = run("action-misspelled", &[new], &[(&*misspelled, "new.zebin")]);
    assert_eq!(status, Some(2), "{said}");
    assert!(
        said.contains(judged) && said.contains("spill_sizx"),
        "{said}"
    );
    // A failure takes precedence over results that cannot be judged.
    let (status, said) = run("action-both", &[same], &[(&*misspelled, "a.zebin"), new]);
    assert_eq!(status, Some(1), "{said}");
}

#[test]
fn unjudged_results_are_not_success() {
    let place = Place::new("action-wrong");
    place.copy(vecadd(), "-.zebin");
    let good = "build/deep/good.zebin";
    let several = format!("{good}\n-.zebin");
    for inputs in [
        &[("ZEVIEW_FILES", "")][..],
        &[("ZEVIEW_FILES", "build/*.zebin")],
        &[("ZEVIEW_FILES", "build")],
        &[("ZEVIEW_FILES", good), ("ZEVIEW_STRICT", "yes")],
        &[("ZEVIEW_FILES", good), ("ZEVIEW_DEVICE", "none such")],
        &[("ZEVIEW_FILES", good), ("ZEVIEW_BASE", "missing")],
        &[("ZEVIEW_FILES", &several), ("ZEVIEW_BASE", good)],
        &[("ZEVIEW_FILES", good), ("ZEVIEW_SARIF", "a\nb")],
        &[("ZEVIEW_FILES", good), ("ZEVIEW", "./missing")],
    ] {
        let output = place.run(inputs);
        assert_eq!(output.status.code(), Some(2), "{inputs:?}");
    }
    // A file name may begin like an option.
    let output = place.run(&[("ZEVIEW_FILES", "-.zebin"), ("ZEVIEW_DEVICE", "all")]);
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    let output = place.run(&[("ZEVIEW_FILES", "-*")]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
}

/// Actions are pinned by commit, with the version in a comment; the job's token has only the
/// permissions in the workflow.
#[test]
fn workflows_pin_actions_and_permissions() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = root.join(".github/workflows");
    let entries = fs::read_dir(folder).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    assert!(files.len() >= 4, "{files:?}");
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        assert!(text.contains("\npermissions:"), "{}", file.display());
    }
    files.push(root.join("action.yml"));
    for file in &files {
        let text = fs::read_to_string(file).unwrap();
        for line in text.lines().filter(|line| line.contains("uses: ")) {
            let pin = line
                .split_once('@')
                .and_then(|(_, pin)| pin.split_once(" # v"));
            let is_pinned = pin.is_some_and(|(commit, version)| {
                let is_hex = commit.chars().all(|c| c.is_ascii_hexdigit());
                is_hex && commit.len() == 40 && version.split('.').count() == 3
            });
            let is_comment = line.trim_start().starts_with('#');
            assert!(is_pinned || is_comment, "{}: {line}", file.display());
        }
    }
}

/// Each input of the action is a variable of the script, and none is part of a command.
#[test]
fn inputs_are_passed_as_variables() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let text = fs::read_to_string(root.join("action.yml")).unwrap();
    let action: serde_yaml::Value = serde_yaml::from_str(&text).unwrap();
    let script = fs::read_to_string(root.join("action/run.sh")).unwrap();
    let steps = action["runs"]["steps"].as_sequence().unwrap();
    for step in steps {
        let run = step["run"].as_str().unwrap_or_default();
        assert!(!run.contains("${{"), "{run}");
    }
    let variables = steps.last().unwrap()["env"].as_mapping().unwrap();
    for (name, value) in variables {
        let (name, value) = (name.as_str().unwrap(), value.as_str().unwrap());
        assert!(script.contains(&format!("${{{name}:-")), "{name}");
        assert!(value.contains("inputs."), "{value}");
    }
    assert_eq!(
        variables.len(),
        action["inputs"].as_mapping().unwrap().len()
    );
}
