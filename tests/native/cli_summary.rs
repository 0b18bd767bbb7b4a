//! `zeview FILE`, the help, completions, the rules: as a process.

use std::fs;
use std::path::Path;

use serde_json::Value;

use crate::cli::{damaged, stderr, stdout, temporary, vecadd, zeview};
use crate::support::{containers, zebin};

fn path(path: &Path) -> String {
    path.display().to_string()
}

#[test]
fn a_file_in_short() {
    let file = path(&temporary(
        "short.zebin",
        &zebin::zebin(&["one", "two"]).build().bytes,
    ));
    let output = zeview(&[&file]);
    assert!(output.status.success(), "{}", stderr(&output));
    let expected = "\
FILE: zebin 1.73 · bmg-g21 · 20.1.0 · Xe2-HPG · 2 kernels
  size: SIZE bytes
  version: 1.73
  generator: IGC
  product family: IGFX_BMG (1274)
  core family: IGFX_XE2_HPG_CORE (0xc09)
  container: 64-bit ELF, ET_REL, EM_INTELGT
  driver 26.27 on bmg-g21: loads
  problems: none
";
    let size = std::fs::metadata(&file).unwrap().len().to_string();
    let text = stdout(&output).replace(&file, "FILE");
    let expected = expected.replace("SIZE", &size);
    assert!(text.starts_with(&expected), "{text}");
    let lines: Vec<&str> = text.lines().collect();
    let has = |start: &str, end: &str| {
        let mut lines = lines.iter();
        lines.any(|line| line.starts_with(start) && line.ends_with(end))
    };
    assert!(
        has("  0x00000000    64 ", "ELF header             record"),
        "{text}"
    );
    assert!(
        has("  0x00000040 ", ".text.one              code"),
        "{text}"
    );
    assert!(has("  kernels: 2 · SIMD 32 · GRF 128", ""), "{text}");
    assert_eq!(lines.last(), Some(&"next: zeview kernels FILE"));
}

#[test]
fn shares_add_up() {
    let file = path(&temporary("shares.zebin", &zebin::many(30)));
    let text = stdout(&zeview(&[&file]));
    let size = std::fs::metadata(&file).unwrap().len();
    let rows = text.lines().filter(|line| line.starts_with("  0x"));
    let bytes = rows.map(|row| {
        row.split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<u64>()
            .unwrap()
    });
    let (shown, count) = bytes.fold((0, 0), |(sum, count), bytes| (sum + bytes, count + 1));
    assert_eq!(count, 12, "{text}");
    let more = text
        .lines()
        .find(|line| line.contains("smaller ones"))
        .unwrap();
    let words: Vec<&str> = more.split_whitespace().collect();
    let rest: u64 = words[5].trim_end_matches(',').parse().unwrap();
    assert_eq!(shown + rest, size, "{text}");
    assert!(text.contains("kernels: 30 "), "{text}");
}

#[test]
fn problems_in_short() {
    let text = stdout(&zeview(&[&damaged()]));
    for line in [
        "  driver 26.27: refused",
        "  problems: 5 errors, 6 warnings, 2 notes",
        "    error[ze-info/missing-key]: line 7: execution_env: missing required key simd_size",
        "  … and 1 more rule",
    ] {
        assert!(
            text.lines().any(|l| l == line),
            "{line:?} is not in\n{text}"
        );
    }
    assert!(
        text.ends_with(&format!("next: zeview check {}\n", damaged())),
        "{text}"
    );
}

#[test]
fn images_in_short() {
    let file = path(&temporary("short.a", &containers::ocloc_archive()));
    let text = stdout(&zeview(&[&file]));
    assert!(
        text.contains("\n  64.20.1.0/data: driver 26.27 on bmg-g21: loads\n"),
        "{text}"
    );

    let image = zebin::small().build().bytes;
    let members: Vec<_> = (0..20)
        .map(|at| containers::member(&format!("{at}.bin/"), &image))
        .collect();
    let file = path(&temporary("twenty.a", &containers::archive(&members)));
    let text = stdout(&zeview(&[&file]));
    let verdicts = text.lines().filter(|line| line.contains(": driver "));
    assert_eq!(verdicts.count(), 12, "{text}");
    assert!(
        text.contains("\n  … and 8 more images, which load\n"),
        "{text}"
    );
}

#[test]
fn unknown_formats_in_short() {
    let text = temporary("notes.txt", b"nothing to see\n");
    let output = zeview(&["no-such-file", &path(&text)]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("zeview: no-such-file: "));
    let said = stdout(&output);
    assert!(said.contains("\n  not a format zeview reads\n"), "{said}");
    assert!(!said.contains("refused"), "{said}");
    let output = zeview(&["chekc"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no command or file is called \"chekc\"; did you mean \"check\"?")
    );
}

#[test]
fn each_command_has_help_with_an_example() {
    let commands = [
        "ls",
        "dump",
        "check",
        "rules",
        "kernels",
        "extract",
        "modules",
        "completions",
        "man",
    ];
    let all = stdout(&zeview(&["--help"]));
    for command in commands {
        assert!(all.contains(&format!("\n  {command} ")), "{command}");
        let help = stdout(&zeview(&[command, "--help"]));
        assert!(
            help.contains(&format!("Example: zeview {command} ")),
            "{help}"
        );
        let short = stdout(&zeview(&["help", command]));
        assert!(!short.is_empty());
    }
    // Options may precede the command; files may not.
    let before = zeview(&["--color", "never", "check", &vecadd()]);
    assert!(before.status.success(), "{}", stderr(&before));
    let mixed = zeview(&[&vecadd(), "--color", "never", "check", &vecadd()]);
    assert_eq!(mixed.status.code(), Some(2));
    assert_eq!(zeview(&["--color", "never"]).status.code(), Some(2));
    assert_eq!(zeview(&[]).status.code(), Some(2));
}

#[test]
fn completions_know_the_commands() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = stdout(&zeview(&["completions", shell]));
        assert!(
            script.contains("extract") && script.contains("recursive"),
            "{shell}"
        );
    }
    assert_eq!(zeview(&["completions", "nonsense"]).status.code(), Some(2));
}

#[test]
fn the_manual_has_a_page_for_each_command() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("man/man1");
    let _ = fs::remove_dir_all(&folder);
    let output = zeview(&["man", &folder.display().to_string()]);
    assert!(output.status.success(), "{}", stderr(&output));
    let help = stdout(&zeview(&["--help"]));
    let (_, commands) = help.split_once("\nCommands:\n").unwrap();
    let (commands, _) = commands.split_once("\n\n").unwrap();
    let names = commands.lines().filter_map(|line| {
        let name = line.strip_prefix("  ")?.split(' ').next()?;
        (!name.is_empty() && name != "help").then(|| format!("zeview-{name}.1"))
    });
    let mut names: Vec<String> = names.chain(["zeview.1".to_owned()]).collect();
    names.sort();
    assert!(names.len() > 12, "{help}");
    let mut pages: Vec<String> = fs::read_dir(&folder)
        .unwrap()
        .map(|page| page.unwrap().file_name().into_string().unwrap())
        .collect();
    pages.sort();
    assert_eq!(pages, names);
    let page = fs::read_to_string(folder.join("zeview-check.1")).unwrap();
    assert!(
        page.contains("Exit status: 1 if any file does not load"),
        "{page}"
    );
    assert!(page.contains(r"\-\-strict"), "{page}");
    // A file is not a folder.
    let output = zeview(&["man", &vecadd()]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).starts_with("zeview: "),
        "{}",
        stderr(&output)
    );
}

#[test]
fn rules_by_prefix() {
    let lines = |arguments: &[&str]| stdout(&zeview(arguments)).lines().count();
    let all = lines(&["rules"]);
    let driver = stdout(&zeview(&["rules", "driver/"]));
    assert!(
        driver.lines().all(|line| line.starts_with("driver/")),
        "{driver}"
    );
    let count = driver.lines().count();
    assert!(count > 10 && count < all, "{count} of {all}");
    let json = zeview(&["rules", "--json", "driver/"]);
    let json: Value = serde_json::from_slice(&json.stdout).unwrap();
    let rules = json.as_array().unwrap();
    assert_eq!(rules.len(), count);
    assert!(
        rules
            .iter()
            .all(|rule| rule["schema"] == 1 && rule["id"].is_string())
    );
    // An exact rule is explained, even if it is a prefix of others.
    let one = stdout(&zeview(&["rules", "driver/unknown-key"]));
    assert!(one.starts_with("driver/unknown-key: ") && one.contains("\nThe driver: "));
    let none = zeview(&["rules", "driver/unknwon-key"]);
    assert_eq!(none.status.code(), Some(2));
    let said = stderr(&none);
    assert!(
        said.contains("did you mean \"driver/unknown-key\"?"),
        "{said}"
    );
}
