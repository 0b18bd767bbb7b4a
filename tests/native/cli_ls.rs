//! Parts of files by path and pattern, and their extraction: as a process.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use serde_json::Value;

use crate::cli::{stderr, stdout, temporary, vecadd, zeview};
use crate::support::elf::Section;
use crate::support::{containers, zebin};

fn json(arguments: &[&str]) -> Vec<Value> {
    let output = zeview(arguments);
    assert!(
        output.status.success(),
        "{arguments:?}: {}",
        stderr(&output)
    );
    serde_json::from_slice(&output.stdout).expect("it is an array")
}

fn paths(arguments: &[&str]) -> Vec<String> {
    let rows = json(&[&["ls", "--json"], arguments].concat());
    let path = |row: &Value| row["path"].as_str().unwrap().to_owned();
    rows.iter().map(path).collect()
}

/// A file with two kernels, written once because several tests read it concurrently.
fn two() -> String {
    static FILE: LazyLock<String> = LazyLock::new(|| {
        let bytes = zebin::zebin(&["one", "two"]).build().bytes;
        temporary("two.zebin", &bytes).display().to_string()
    });
    FILE.clone()
}

/// Creates an empty folder for one test.
fn empty_folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir(&folder).unwrap();
    folder
}

#[test]
fn parts_of_a_file() {
    let text = stdout(&zeview(&["ls", &vecadd()]));
    let lines: Vec<&str> = text.lines().take(5).collect();
    let expected = [
        "    offset  size  what                  path",
        "0x00000000    64  record                ELF header",
        "0x00000040   704  code                  .text.vecadd",
        "0x00000300    96  4 symbols             .symtab",
        "0x00000360  1544  SPIR-V 1.0            .spv",
    ];
    assert_eq!(lines, expected);
    let of_info = stdout(&zeview(&[
        "ls",
        &vecadd(),
        ".ze_info/kernels/vecadd/execution_env",
    ]));
    assert!(
        of_info.contains("  .ze_info/kernels/[0]/execution_env/simd_size\n"),
        "{of_info}"
    );
    // A part without children is listed itself.
    let leaf = ".ze_info/version";
    assert_eq!(paths(&[&vecadd(), leaf]), [leaf]);
}

#[test]
fn depth_is_limited() {
    let file = vecadd();
    let top = paths(&[&file]);
    assert_eq!(paths(&["--depth", "1", &file]), top);
    let two = paths(&["--depth", "2", &file]);
    assert!(two.contains(&".ze_info/kernels".to_owned()));
    assert!(!two.contains(&".ze_info/kernels/[0]".to_owned()));
    let all = paths(&["-r", &file]);
    let dump = stdout(&zeview(&["dump", &file]));
    // The dump also has a line for the file itself.
    assert_eq!(all.len() + 1, dump.lines().count());
    assert!(
        paths(&["-r", &file, ".spv"])
            .iter()
            .all(|path| path.starts_with(".spv/"))
    );
}

#[test]
fn each_listed_path_leads_back() {
    let bytes = zebin::zebin(&["k"])
        .section(Section::new("a*b?", 1, [1; 8]))
        .section(Section::new("a/b%2A", 1, [2; 8]))
        .section(Section::new("[3]", 1, [3; 8]))
        .section(Section::new("x#2", 1, [4; 8]))
        .section(Section::new("x", 1, [5; 8]))
        .section(Section::new("x", 1, [6; 8]))
        .section(Section::new("**", 1, [7; 8]))
        .build()
        .bytes;
    let file = temporary("strange.zebin", &bytes).display().to_string();
    let rows = json(&["ls", "--json", "-r", &file]);
    let to = empty_folder("strange").join("part").display().to_string();
    let names = [
        "a%2Ab%3F",
        "a%2Fb%252A",
        "%5B3]",
        "x%232",
        "x",
        "x#2",
        "%2A%2A",
    ];
    for name in names {
        let row = rows.iter().find(|row| row["path"] == name);
        let row = row.unwrap_or_else(|| panic!("{name:?} is not in {rows:?}"));
        let output = zeview(&["extract", &file, name, "-o", &to]);
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        let place = |key: &str| row[key].as_u64().unwrap() as usize;
        assert_eq!(
            fs::read(&to).unwrap(),
            bytes[place("start")..place("end")],
            "{name}"
        );
    }
    // Every other path too lists the part itself or its contents.
    for row in rows.iter().step_by(7) {
        let path = row["path"].as_str().unwrap();
        let dump = zeview(&["dump", "--json", "--depth", "0", "--path", path, &file]);
        let dump: Value = serde_json::from_slice(&dump.stdout).expect(path);
        let tree = &dump["tree"];
        for key in ["start", "end", "name", "kind"] {
            assert_eq!(tree[key], row[key], "{path}");
        }
        assert_eq!(dump["path"], path);
    }
}

#[test]
fn patterns() {
    let file = two();
    assert_eq!(paths(&[&file, ".text.*"]), [".text.one", ".text.two"]);
    assert_eq!(paths(&[&file, ".text.t?o"]), [".text.two"]);
    let sizes = [
        ".ze_info/kernels/[0]/execution_env/simd_size",
        ".ze_info/kernels/[1]/execution_env/simd_size",
    ];
    assert_eq!(paths(&[&file, "**/simd_size"]), sizes);
    assert_eq!(paths(&[&file, ".ze_info/**/simd_size"]), sizes);
    assert_eq!(
        paths(&[&file, ".ze_info/kernels/*/execution_env/simd_size"]),
        sizes
    );
    assert_eq!(paths(&[&file, ".ze_info/kernels/[*]/*/simd_size"]), sizes);
    assert_eq!(paths(&[&file, ".ze_info/**/**/simd_*"]), sizes);
    // A kernel is found by name, and `[1]` is an index, not a character class.
    assert_eq!(
        paths(&[&file, ".ze_info/ker*/two/execution_env/simd_size"]),
        sizes[1..]
    );
    assert_eq!(
        paths(&[&file, ".ze_info/ker*/[1]/execution_env/simd_size"]),
        sizes[1..]
    );
    // All descendants, as listed recursively.
    assert_eq!(
        paths(&[&file, ".ze_info/**"]),
        paths(&["-r", &file, ".ze_info"])
    );
    assert_eq!(
        paths(&[&file, ".text.*", ".symtab"])[..2],
        [".text.one", ".text.two"]
    );
}

#[test]
fn unknown_paths_get_a_suggestion() {
    let file = two();
    for (path, said) in [
        (
            ".text.onee",
            "no part of the file is called \".text.onee\"; did you mean \".text.one\"?",
        ),
        (
            ".ze_info/kernel",
            "no part of .ze_info is called \"kernel\"; did you mean \"kernels\"?",
        ),
        (
            ".ZE_INFO",
            "no part of the file is called \".ZE_INFO\"; did you mean \".ze_info\"?",
        ),
        ("qqqqqqqqq", "no part of the file is called \"qqqqqqqqq\"\n"),
        (".text.*x", "no part of the file matches \".text.*x\"\n"),
        (".ze_info/*/x", "no part of .ze_info matches \"*/x\"\n"),
    ] {
        let commands: [&[&str]; 5] = [
            &["ls", &file, path],
            &["dump", "--path", path, &file],
            &["check", "--path", path, &file],
            &["kernels", "--path", path, &file],
            &["extract", &file, path, "-o", "-"],
        ];
        for command in commands {
            let output = zeview(command);
            assert_eq!(output.status.code(), Some(2), "{command:?}");
            assert!(
                stderr(&output).contains(said),
                "{command:?}: {}",
                stderr(&output)
            );
        }
    }
}

#[test]
fn sections_symbols_relocations_images() {
    let file = two();
    let sections = paths(&["--sections", &file]);
    assert!(sections.contains(&".text.two".to_owned()), "{sections:?}");
    assert!(!sections.contains(&"ELF header".to_owned()), "{sections:?}");
    let symbols = json(&["ls", "--json", "--symbols", &file]);
    assert!(
        symbols
            .iter()
            .any(|symbol| symbol["name"] == "two" && symbol["type"] == "FUNC")
    );
    assert!(
        symbols
            .iter()
            .all(|symbol| symbol["schema"] == 1 && symbol["file"] == *file)
    );
    let text = stdout(&zeview(&["ls", "--relocations", &file]));
    assert!(text.starts_with("Symbol "), "{text}");
    let images = zeview(&["ls", "--images", &file]);
    assert_eq!(images.status.code(), Some(0));
    assert!(stderr(&images).contains("there are no documents in it"));

    let archive = temporary("ls.a", &containers::ocloc_archive())
        .display()
        .to_string();
    let images = paths(&["--images", &archive]);
    assert_eq!(images[0], "64.20.1.0/data");
    // The member's name occurs once in the path; the earlier form with two still works.
    let again = paths(&["--sections", &archive, "64.20.1.0/64.20.1.0"]);
    assert_eq!(again, paths(&["--sections", &archive, &images[0]]));
    let inner = paths(&["--sections", &archive]);
    assert!(inner.contains(&format!("{}/.ze_info", images[0])));
    let first = paths(&["--sections", &archive, &images[0]]);
    assert!(!first.is_empty() && first.len() < inner.len());
    assert!(
        first.iter().all(|path| path.starts_with(&images[0])),
        "{first:?}"
    );
    let both = zeview(&["ls", "--sections", "--symbols", &file]);
    assert_eq!(both.status.code(), Some(2));
}

/// An empty list is not a failure in any command; JSON stays valid.
#[test]
fn empty_lists_are_not_failures() {
    let text = temporary("nothing.txt", b"words").display().to_string();
    for command in [
        &["ls", "--symbols"][..],
        &["ls", "--relocations"],
        &["ls", "--sections"],
        &["ls", "--images"],
        &["modules"],
        &["images"],
        &["lines"],
        &["kernels"],
    ] {
        let output = zeview(&[command, &[&text]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert!(output.stdout.is_empty(), "{command:?}");
        assert!(stderr(&output).starts_with("zeview: "), "{command:?}");
        let output = zeview(&[command, &["--json", &text]].concat());
        assert_eq!(output.status.code(), Some(0), "{command:?}");
        assert_eq!(stdout(&output), "[]\n", "{command:?}");
        let output = zeview(&[command, &["--json", "no-such-file"]].concat());
        assert_eq!(output.status.code(), Some(2), "{command:?}");
    }
}

#[test]
fn long_patterns_and_many_parts() {
    let many = temporary("parts.zebin", &zebin::many(150));
    let many = many.display().to_string();
    let rows = paths(&[&many, "**"]);
    assert!(rows.len() > 8000, "{} rows", rows.len());
    let folder = empty_folder("parts");
    let folder = folder.display().to_string();
    let output = zeview(&[
        "extract",
        &many,
        ".ze_info/kernels/*/execution_env/*",
        "-o",
        &folder,
    ]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let start = std::time::Instant::now();
    for pattern in ["**/".repeat(10_000) + "**", "**/*/".repeat(6_000) + "x"] {
        let output = zeview(&["ls", &many, &pattern]);
        assert!(stderr(&output).len() < 1000);
    }
    assert!(start.elapsed().as_secs() < 30);
}

#[test]
fn standard_input_is_read_once() {
    for command in [
        &["diff", "-", "-"][..],
        &["check", "-", "-"],
        &["kernels", "-", "x", "-"],
        &["images", "-", "-"],
        &["lines", "-", "-"],
        &["modules", "-", "-"],
        &["report", "-", "-"],
        &["-", "-"],
    ] {
        let output = zeview(command);
        assert_eq!(output.status.code(), Some(2), "{command:?}");
        assert!(output.stdout.is_empty(), "{command:?}");
        assert!(stderr(&output).contains("- is named twice"), "{command:?}");
    }
}

#[test]
fn several_parts_at_once() {
    let file = two();
    let text = stdout(&zeview(&["dump", "--path", "**/simd_size", &file]));
    assert_eq!(text.matches("simd_size  32").count(), 2, "{text}");
    let all = json(&["dump", "--json", "--path", ".text.*", &file]);
    assert_eq!(all.len(), 2);
    assert_eq!(
        (&all[1]["schema"], &all[1]["path"]),
        (&1.into(), &".text.two".into())
    );
    let archive = temporary("parts.a", &containers::ocloc_archive())
        .display()
        .to_string();
    let checked = json(&["check", "--json", "--path", "64.*/data", &archive]);
    assert_eq!(checked[0]["path"], "64.20.1.0/data");
    assert_eq!(checked[0]["verdict"], "loads");
    let kernels = json(&["kernels", "--json", "--path", "64.*/data", &archive]);
    assert_eq!(kernels[0]["file"], format!("{archive}:64.20.1.0/data"));
}

#[test]
fn parts_go_to_a_folder() {
    let file = two();
    let bytes = fs::read(&file).unwrap();
    let folder = empty_folder("extracted").join("new");
    let to = format!("{}/", folder.display());
    let output = zeview(&["extract", &file, ".text.*", "-o", &to]);
    assert!(output.status.success(), "{}", stderr(&output));
    let expected = format!("{to}text.one  256 bytes  .text.one\n");
    assert!(
        stdout(&output).starts_with(&expected),
        "{}",
        stdout(&output)
    );
    let one = fs::read(folder.join("text.one")).unwrap();
    assert_eq!(one, bytes[0x40..0x40 + one.len()]);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
    // A single part may go there too; repeating it changes nothing.
    for _ in 0..2 {
        let output = zeview(&[
            "extract",
            &file,
            ".ze_info",
            "-o",
            &folder.display().to_string(),
        ]);
        assert!(output.status.success(), "{}", stderr(&output));
    }
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 3);
    // Several parts cannot go to one file.
    let one = folder.join("text.one").display().to_string();
    let output = zeview(&["extract", &file, ".text.*", "-o", &one]);
    assert_eq!(output.status.code(), Some(2));
    assert!(stderr(&output).contains("2 parts match .text.*: name a folder"));
    assert_eq!(
        zeview(&["extract", &file, ".text.*", "-o", "-"])
            .status
            .code(),
        Some(2)
    );
}

#[test]
fn extracted_names_stay_in_the_folder() {
    let bytes = zebin::zebin(&["k"])
        .section(Section::new("..", 1, [1; 8]))
        .section(Section::new("../../escaped", 1, [2; 8]))
        .section(Section::new("/escaped", 1, [3; 8]))
        .section(Section::new("same", 1, [4; 8]))
        .section(Section::new("SAME", 1, [5; 8]))
        .section(Section::new("same", 1, [6; 8]))
        .section(Section::new("con", 1, [7; 8]))
        .section(Section::new("\u{1b}[31m\n", 1, [8; 8]))
        .section(Section::new("y".repeat(3000), 1, [9; 8]))
        .section(Section::new("linked", 1, [10; 8]))
        .build()
        .bytes;
    let folder = empty_folder("kept");
    let file = folder.join("same");
    fs::write(&file, &bytes).unwrap();
    let outside = temporary("outside", b"outside");
    #[cfg(unix)]
    std::os::unix::fs::symlink(&outside, folder.join("linked")).unwrap();
    let arguments = ["extract", "same", "*", "-o", "."];
    let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_zeview"));
    let output = command
        .args(arguments)
        .current_dir(&folder)
        .output()
        .unwrap();
    // One part has the name of the input file, which stays unchanged.
    assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
    assert!(stderr(&output).contains("same: this is the input file"));
    assert_eq!(fs::read(&file).unwrap(), bytes);
    assert_eq!(fs::read(&outside).unwrap(), b"outside");
    let count = paths(&[&file.display().to_string()]).len();
    let parts = count - 1;
    let inside = fs::read_dir(&folder).unwrap().count();
    assert_eq!(inside, parts + 1, "{}", stdout(&output));
    assert_eq!(fs::read(folder.join("linked")).unwrap(), [10; 8]);
    assert_eq!(fs::read(folder.join("SAME-2")).unwrap(), [5; 8]);
    assert_eq!(fs::read(folder.join("_con")).unwrap(), [7; 8]);
    assert!(!folder.join("../../escaped").exists() && !folder.join("../escaped").exists());
    assert!(!std::path::Path::new("/escaped").exists());
}
