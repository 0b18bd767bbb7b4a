//! Colors, and escape sequences that must never reach a terminal: as a process.

#[cfg(target_os = "linux")]
use std::os::fd::OwnedFd;
use std::process::{Command, Output};

use crate::cli::{damaged, stdout, temporary, vecadd, zeview};
use crate::support::elf::Section;
use crate::support::{containers, zebin};

/// Runs with only these environment variables.
fn with(variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "TERM", "CI"] {
        command.env_remove(variable);
    }
    command.args(arguments).envs(variables.iter().copied());
    command.output().expect("zeview runs")
}

fn has_colors(output: &Output) -> bool {
    output.stdout.contains(&0x1b)
}

/// Removes styles from text: an escape, digits and semicolons, then `m`.
fn without_styles(text: &str) -> String {
    let mut parts = text.split("\x1b[");
    let mut plain = parts.next().unwrap_or("").to_owned();
    for part in parts {
        let end = part
            .find(|c: char| !c.is_ascii_digit() && c != ';')
            .unwrap();
        assert_eq!(&part[end..=end], "m", "{part:?}");
        plain.push_str(&part[end + 1..]);
    }
    plain
}

#[test]
fn colors_follow_options_and_environment() {
    let file = damaged();
    let check = ["check", &file];
    // Standard output is not a terminal.
    assert!(!has_colors(&with(&[("TERM", "xterm")], &check)));
    assert!(has_colors(&with(&[("CLICOLOR_FORCE", "1")], &check)));
    assert!(!has_colors(&with(
        &[("CLICOLOR_FORCE", "1"), ("NO_COLOR", "1")],
        &check
    )));
    for (when, colors) in [("always", true), ("never", false), ("auto", false)] {
        let output = with(&[], &["check", "--color", when, &file]);
        assert_eq!(has_colors(&output), colors, "{when}");
    }
    let never = ["--color", "never", "check", &file];
    assert!(!has_colors(&with(&[("CLICOLOR_FORCE", "1")], &never)));
    let always = ["--color", "always", "check", &file];
    assert!(has_colors(&with(
        &[("NO_COLOR", "1"), ("TERM", "dumb")],
        &always
    )));
    let nonsense = with(&[], &["--color", "sometimes", &file]);
    assert_eq!(nonsense.status.code(), Some(2));
}

#[test]
fn colors_change_no_text() {
    let (damaged, good) = (damaged(), vecadd());
    let commands: [&[&str]; 15] = [
        &[&damaged],
        &["check", &damaged, &good],
        &["dump", &damaged],
        &["dump", "--path", "*/[1]", &damaged],
        &["ls", "-r", &damaged],
        &["ls", "--symbols", &good],
        &["kernels", &good],
        &["rules"],
        &["rules", "driver/unknown-key"],
        &["modules", "www/samples/matmul.syclbin"],
        &["disasm", &good],
        &[
            "disasm",
            "--offsets",
            "--bytes",
            "--live",
            "--source",
            &good,
        ],
        &["disasm", "www/samples/spill.dg2.zebin", "--kernel", "spill"],
        &[
            "analyze",
            "www/samples/spill.dg2.zebin",
            "--kernel",
            "spill",
        ],
        &[
            "profile",
            "www/samples/matmul.syclbin",
            "www/samples/matmul.csv",
        ],
    ];
    for command in commands {
        let plain = stdout(&zeview(command));
        let colored = [command, &["--color", "always"]].concat();
        let colored = stdout(&zeview(&colored));
        assert!(
            colored.contains("\x1b[") && !plain.contains('\x1b'),
            "{command:?}"
        );
        assert_eq!(without_styles(&colored), plain, "{command:?}");
    }
    let check = stdout(&zeview(&["check", "--color", "always", &damaged]));
    assert!(check.contains("\x1b[1m\x1b[31mrefused\x1b[0m"), "{check}");
    assert!(
        check.contains("\x1b[1m\x1b[31merror\x1b[0m[elf/"),
        "{check}"
    );
    assert!(
        check.contains("\x1b[2m  at 0x9c0..0x9d0 \x1b[0m(.rel.text.vecadd/[1])"),
        "{check}"
    );
    let code = stdout(&zeview(&["disasm", "--color", "always", &good]));
    for colored in [
        "\x1b[1mL0:\x1b[0m\n",
        "\x1b[36msend.ugm\x1b[0m (",
        "\x1b[2msync.nop\x1b[0m",
        " \x1b[2m// ",
        "(W)     mov (",
    ] {
        assert!(code.contains(colored), "{colored:?}: {code}");
    }
    let dump = stdout(&zeview(&[
        "dump", "--depth", "1", "--color", "always", &good,
    ]));
    assert!(
        dump.contains("\x1b[2m00000000       64\x1b[0m    ELF header"),
        "{dump}"
    );
}

#[test]
fn json_and_csv_have_no_colors() {
    let file = vecadd();
    let commands: [&[&str]; 7] = [
        &["check", "--json", &file],
        &["check", "--sarif", &file],
        &["dump", "--json", &file],
        &["ls", "--json", &file],
        &["kernels", "--json", &file],
        &["kernels", "--csv", &file],
        &["rules", "--json"],
    ];
    for command in commands {
        let forced = with(&[("CLICOLOR_FORCE", "1")], command);
        assert!(
            forced.status.success() && !has_colors(&forced),
            "{command:?}"
        );
    }
}

#[test]
fn file_contents_are_escaped_for_the_terminal() {
    // A title, a color, a return to the start of the line, and right-to-left text.
    let evil = "\u{1b}]0;x\u{7}\u{1b}[31m\r\u{202e}\u{9b}1mevil";
    let bytes = zebin::zebin(&["k"])
        .section(Section::new(evil, 1, [1; 8]))
        .build()
        .bytes;
    let archive = containers::archive(&[containers::member("\u{1b}[31mx/", &bytes)]);
    let files = [
        temporary("evil-names.zebin", &bytes),
        temporary("evil-names.a", &archive),
        temporary("evil-\u{1b}[31m\u{202e}name.zebin", &bytes),
        temporary("evil-\u{1b}[31m\u{202e}name.txt", b"\x1b[31mtext"),
    ];
    for file in &files {
        let file = file.display().to_string();
        let missing = format!("{file}\u{1b}[31m");
        let commands: [&[&str]; 16] = [
            &[&file],
            &["check", &file],
            &["dump", &file],
            &["dump", "--path", "\u{1b}[31m", &file],
            &["ls", &file],
            &["ls", "-r", &file],
            &["ls", "--sections", &file],
            &["ls", "--symbols", &file],
            &["ls", "--images", &file],
            &["kernels", &file],
            &["kernels", "--fail-if", "simd_size>0", &file],
            &["kernels", &file, &file],
            &["modules", &file],
            &["check", &missing],
            &["kernels", &missing],
            &[&missing],
        ];
        for command in commands {
            for color in ["never", "always"] {
                let output = zeview(&[command, &["--color", color]].concat());
                for text in [output.stdout, output.stderr] {
                    let text = String::from_utf8(text).unwrap();
                    let text = match color {
                        "always" => without_styles(&text),
                        _ => text,
                    };
                    let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
                    assert!(!text.contains(bad), "{command:?}: {text:?}");
                    // Styles in the file are not styles of the program.
                    assert!(!text.contains("\x1b[31m"), "{command:?}");
                }
            }
        }
    }
}

#[test]
fn arguments_are_escaped_for_the_terminal() {
    for arguments in [
        ["check", "--evil\u{1b}[31m\u{202e}.zebin"],
        ["kernels", "--columns=\u{1b}]0;x\u{7}"],
    ] {
        let output = with(&[("CLICOLOR_FORCE", "1")], &arguments);
        assert_eq!(output.status.code(), Some(2));
        let said = String::from_utf8(output.stderr).unwrap();
        assert!(said.starts_with("error: "), "{said}");
        let bad = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
        assert!(!said.contains(bad), "{said:?}");
    }
    let plain = with(&[("CLICOLOR_FORCE", "1")], &["check", "--plain"]);
    assert!(plain.stderr.contains(&0x1b));
}

/// Returns a pseudo-terminal: the side that reads the output, and the terminal.
#[cfg(target_os = "linux")]
fn terminal() -> rustix::io::Result<(OwnedFd, OwnedFd)> {
    use rustix::pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt};

    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY;
    let controller = openpt(flags)?;
    unlockpt(&controller)?;
    let terminal = ioctl_tiocgptpeer(&controller, flags)?;
    Ok((controller, terminal))
}

/// Returns the output to a terminal with this many columns, and standard error. Only standard
/// output is the terminal, so that slow runs show no progress.
#[cfg(target_os = "linux")]
fn on_terminal(columns: &str, variables: &[(&str, &str)], arguments: &[&str]) -> (String, String) {
    use std::io::Read;

    let (controller, terminal) = terminal().unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    for variable in ["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE", "CI"] {
        command.env_remove(variable);
    }
    let child = command
        .args(arguments)
        .env("COLUMNS", columns)
        .env("TERM", "xterm")
        .envs(variables.iter().copied())
        .stdin(std::process::Stdio::null())
        .stdout(terminal)
        .stderr(std::process::Stdio::piped())
        .spawn()
        .expect("zeview runs");
    // The command keeps the terminal open until it exits.
    drop(command);
    // Reading a terminal without another side fails with EIO.
    let mut printed = Vec::new();
    let _ = std::fs::File::from(controller).read_to_end(&mut printed);
    let output = child.wait_with_output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(output.status.success(), "{said}");
    let printed = String::from_utf8(printed).unwrap();
    (printed.replace("\r\n", "\n"), said)
}

#[cfg(target_os = "linux")]
#[test]
fn tables_fit_the_terminal() {
    if let Err(error) = terminal() {
        return println!("not tested: this system gives no pseudo-terminal ({error})");
    }
    let file = "www/samples/spill.dg2.zebin";
    let whole = stdout(&zeview(&["kernels", file, file]));
    let kernels = ["kernels", file, file];
    let (wide, _) = on_terminal("300", &[], &kernels);
    assert!(wide.contains("\x1b[1m"), "{wide}");
    assert_eq!(without_styles(&wide), whole);
    let (narrow, said) = on_terminal("80", &[("NO_COLOR", "1")], &kernels);
    assert!(!narrow.contains('\x1b'), "{narrow}");
    assert!(
        said.ends_with("too narrow: Private, SLM, Barriers, Args, Code, Flags\n"),
        "{said}"
    );
    assert_eq!(said.lines().count(), 1, "{said}");
    let table: Vec<&str> = narrow.lines().collect();
    assert_eq!(table.len(), whole.lines().count());
    assert!(
        table.iter().all(|line| line.chars().count() <= 80),
        "{narrow}"
    );
    assert!(table[2].starts_with("www/sam"), "{narrow}");
    assert!(table[2].contains('…'), "{narrow}");
    let (dumb, _) = on_terminal("300", &[("TERM", "dumb")], &kernels);
    assert!(!dumb.contains('\x1b'), "{dumb}");
}
