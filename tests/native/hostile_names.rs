//! Names that do harm if they are not escaped, in every command and output form. The commands and
//! their options are read from the generated manual: an option that is not covered here fails.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::cli::zeview;
use crate::cli_open::serve;
use crate::support::fixtures;
use crate::support::hostile_names::{FORGED, changed, files, long_files, names};

/// Arguments of each command. FILE is a file with such names, OTHER one with the same names and
/// other numbers, PROFILE a profile of kernels with such names, FOLDER a folder with both, OUT an empty folder, TYPED a typed name.
const USES: &[(&str, &[&str])] = &[
    ("", &["FILE", "FILE OTHER", "FILE MISSING", "TYPED"]),
    (
        "ls",
        &[
            "FILE",
            "FILE TYPED",
            "FILE **",
            "--recursive FILE",
            "--depth 2 FILE",
            "--sections FILE",
            "--symbols FILE",
            "--relocations FILE",
            "--images FILE",
            "--files FILE",
            "--files FOLDER",
            "--json --files FOLDER",
            "--json --recursive FILE",
            "--json --sections FILE",
            "--json --symbols FILE",
            "--json --relocations FILE",
            "--json --images FILE",
        ],
    ),
    (
        "matrix",
        &[
            "FOLDER",
            "FILE MISSING",
            "--json FOLDER",
            "--incomplete --filter TYPED FOLDER",
        ],
    ),
    (
        "find",
        &[
            "dpas FILE",
            "--rows --full-names --all kind=message FILE MISSING",
            "--json --device TYPED kind=message FILE",
            "--csv --image TYPED --file TYPED kind=message FOLDER",
            "--kernel TYPED --limit 3 kind=message FILE",
            "TYPED FILE",
        ],
    ),
    (
        "sizes",
        &[
            "FILE",
            "--by section FILE MISSING",
            "--by kernel --within file=TYPED --full-names --all FILE",
            "--since FILE FOLDER",
            "--json --columns name,stored FILE",
            "--csv FILE",
            "--markdown --sort -stored --filter TYPED FILE",
            "--fail-if TYPED FILE",
        ],
    ),
    (
        "dump",
        &[
            "FILE",
            "--json FILE",
            "--depth 1 FILE",
            "--path * FILE",
            "--json --path * FILE",
            "--path TYPED FILE",
        ],
    ),
    (
        "disasm",
        &[
            "FILE",
            "--json FILE",
            "--source --offsets --bytes FILE",
            "--numeric --platform xe2 FILE",
            "--raw --platform xe2 FILE",
            "--kernel TYPED FILE",
            "--live FILE",
            "--json --dataflow FILE",
            "--spirv FILE",
            "--spirv --raw-ids FILE",
            "--spirv --json FILE",
        ],
    ),
    (
        "analyze",
        &[
            "FILE",
            "--json FILE",
            "--markdown FILE",
            "--platform xe2 FILE",
            "--kernel TYPED FILE",
            "--raw --platform xe2 FILE",
            "--summary FILE",
            "--summary --json FILE",
            "--summary --markdown --filter loops>0 --sort -loop_cycles --fail-if simd_size>0 FILE",
            "--summary --fail-if TYPED FILE",
        ],
    ),
    (
        "profile",
        &[
            "FILE PROFILE",
            "FILE FILE",
            "--json FILE PROFILE",
            "--markdown FILE PROFILE",
            "--platform xe2 --top 3 FILE PROFILE --before PROFILE",
            "--json FILE PROFILE --before PROFILE",
            "--markdown FILE PROFILE --before PROFILE --before-file OTHER",
            "--kernel TYPED FILE PROFILE",
            "FILE MISSING",
        ],
    ),
    (
        "check",
        &[
            "FILE",
            "FILE OTHER MISSING",
            "--json FILE",
            "--json FILE OTHER MISSING",
            "--sarif FILE",
            "--sarif FILE OTHER MISSING",
            "--quiet --strict FILE",
            "--path ** FILE",
            "--json --path ** FILE",
            "--device pvc FILE",
            "--device all FILE",
            "--device all --json FILE",
            "--device all --json --path * FILE",
            "--device TYPED FILE",
            "FOLDER",
        ],
    ),
    ("devices", &["", "--json", "TYPED"]),
    ("rules", &["", "--json", "TYPED"]),
    (
        "kernels",
        &[
            "FILE",
            "FILE OTHER",
            "--json FILE",
            "--csv FILE",
            "--csv FILE OTHER",
            "--path ** FILE",
            "--full-names FILE",
            "--csv --columns name,flags FILE",
            "--filter simd_size>0 --sort -name FILE",
            "--fail-if simd_size>0 FILE",
            "--filter TYPED FILE",
            "--columns TYPED FILE",
            "--profile PROFILE FILE",
            "--json --profile PROFILE FILE",
            "--csv --profile PROFILE FILE",
            "--occupancy FILE",
            "--occupancy --json --work-group 16x1 --device bmg-g21 --eus 8 --local-arguments 64 FILE",
        ],
    ),
    (
        "images",
        &[
            "FILE",
            "--json FILE",
            "FILE OTHER",
            "--full-names FILE",
            "--device pvc FILE",
            "--device TYPED FILE",
        ],
    ),
    (
        "diff",
        &[
            "OTHER FILE",
            "--json OTHER FILE",
            "--markdown OTHER FILE",
            "--html OTHER FILE",
            "--code OTHER FILE",
            "--code --renumbered FOLDER OUT",
            "--everything OTHER FILE",
            "FILE TYPED TYPED --device TYPED --to-device TYPED --image TYPED --file TYPED",
            "FOLDER OUT",
            "--json FOLDER OUT",
            "--markdown FOLDER OUT",
            "--html FOLDER OUT",
            "--only kernels OTHER FILE",
            "--ignore TYPED OTHER FILE",
            "--fail-if simd_size>0 OTHER FILE",
            "--fail-if TYPED OTHER FILE",
            "--raw --platform xe2 OTHER FILE",
        ],
    ),
    (
        "report",
        &[
            "FILE",
            "FILE OTHER MISSING",
            "FOLDER --output OUT/report.html",
        ],
    ),
    (
        "step",
        &[
            "FILE",
            "--json FILE",
            "--columns instructions,spirv FILE",
            "--source OTHER --line 3 FILE",
            "--line TYPED FILE",
            "--kernel TYPED FILE",
        ],
    ),
    (
        "lines",
        &[
            "FILE",
            "--json FILE",
            "--csv FILE",
            "--path ** FILE",
            "--source FILE FILE",
            "--columns source_file,line --filter line>0 --sort line FILE",
            "--filter TYPED FILE",
        ],
    ),
    (
        "extract",
        &[
            "FILE ** --output OUT/",
            "FILE * --output OUT/",
            "FILE --all OUT",
            "FILE --all OUT --packed",
            "FILE TYPED --output OUT/x",
            "MISSING * --output OUT/",
        ],
    ),
    (
        "modules",
        &[
            "FILE",
            "--json FILE",
            "--json FILE OTHER",
            "--path ** FILE",
            "--path TYPED FILE",
        ],
    ),
    // Runs until it is killed: `addresses_are_plain`.
    ("open", &["--no-browser --page OUT --port 0 --compare FILE"]),
    // These commands do not read files.
    ("completions", &[]),
    ("man", &[]),
];

/// Options of every command.
const COMMON: [&str; 3] = ["--help", "--version", "--color"];

/// Typed text with an escape, a line break, and a bidirectional mark.
const TYPED: &str = "\u{1b}[31m\nFORGED\u{202e}<b>\u{9b}1m";

/// A file name; it may contain anything except a slash.
const NAME: &str = "\u{1b}]0;x\u{7}\nFORGED\u{202e}<b onclick=alert(1)>=1";

fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR"))
        .join("hostile-names")
        .join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Returns the commands and their long options, from the manual.
fn commands() -> Vec<(String, BTreeSet<String>)> {
    let folder = folder("manual");
    assert!(
        zeview(&["man", &folder.display().to_string()])
            .status
            .success()
    );
    let mut commands = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let name = name
            .strip_prefix("zeview")
            .unwrap()
            .trim_start_matches('-')
            .to_owned();
        let page = fs::read_to_string(path).unwrap().replace('\\', "");
        let words = page.split(|c: char| !(c.is_ascii_lowercase() || c == '-'));
        let options = words.filter(|word| word.len() > 3 && word.starts_with("--"));
        let options = options.map(str::to_owned).collect();
        commands.push((name, options));
    }
    commands
}

#[test]
fn every_command_and_option_is_used() {
    let commands = commands();
    assert!(commands.len() > 10);
    let mut unused = Vec::new();
    for (name, options) in &commands {
        let Some((_, uses)) = USES.iter().find(|(used, _)| used == name) else {
            unused.push(name.clone());
            continue;
        };
        let used: BTreeSet<&str> = uses.iter().flat_map(|line| line.split(' ')).collect();
        let is_used =
            |option: &&String| used.contains(option.as_str()) || COMMON.contains(&option.as_str());
        // Ignore options of other commands that a page mentions.
        unused.extend(
            options
                .iter()
                .filter(|option| !is_used(option) && takes(name, option))
                .map(|option| format!("{name} {option}")),
        );
    }
    assert!(unused.is_empty(), "not used in this test: {unused:?}");
}

/// Returns whether the command has the option.
fn takes(command: &str, option: &str) -> bool {
    let arguments: Vec<&str> = [command, option, "--help"]
        .into_iter()
        .filter(|word| !word.is_empty())
        .collect();
    let output = zeview(&arguments);
    !String::from_utf8_lossy(&output.stderr).contains("unexpected argument")
}

/// Returns whether a character is a bidirectional mark, has no width, or ends lines in some
/// programs.
fn is_unseen(c: char) -> bool {
    matches!(
        c,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{180e}' | '\u{3164}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{fe00}'..='\u{fe0f}' | '\u{feff}'
            | '\u{e0000}'..='\u{e0fff}'
    )
}

fn is_obeyed(c: char) -> bool {
    (c.is_control() && c != '\n') || is_unseen(c)
}

/// Checks text output: no control characters, and no name starts a line.
fn check_text(text: &str) -> Result<(), String> {
    if let Some(line) = text.lines().find(|line| line.contains(is_obeyed)) {
        return Err(format!(
            "a character that is obeyed: {:?}",
            cut(line, is_obeyed)
        ));
    }
    // The source file `/FORGED` in the first column of a table is allowed: a name with a line break
    // also continues its line.
    let cell = format!("{FORGED}  ");
    match text.lines().find(|line| {
        let line = line.trim_start();
        line.starts_with(FORGED) && !line.starts_with(&cell)
    }) {
        Some(line) => Err(format!("a name has a line of its own: {line:?}")),
        None => Ok(()),
    }
}

/// Returns a few characters around a match.
fn cut(line: &str, found: impl Fn(char) -> bool) -> String {
    let at = line.chars().position(found).unwrap_or(0);
    line.chars().skip(at.saturating_sub(30)).take(60).collect()
}

fn check_json(text: &str) -> Result<(), String> {
    if text.contains(is_obeyed) {
        return Err(format!(
            "a character that is obeyed: {:?}",
            cut(text, is_obeyed)
        ));
    }
    let value: Value = serde_json::from_str(text).map_err(|error| format!("no JSON: {error}"))?;
    drop(value);
    Ok(())
}

/// Checks that no name is a link in a message of SARIF, nor a character that shows nothing.
fn check_sarif(text: &str) -> Result<(), String> {
    check_json(text)?;
    let log: Value = serde_json::from_str(text).map_err(|error| error.to_string())?;
    let mut values = vec![&log];
    let mut messages = 0;
    while let Some(value) = values.pop() {
        values.extend(value.as_array().into_iter().flatten());
        values.extend(value.as_object().into_iter().flat_map(|map| map.values()));
        let Some(message) = value["message"]["text"].as_str() else {
            continue;
        };
        messages += 1;
        if message.contains("](") || message.contains(is_obeyed) {
            return Err(format!("a link or an unseen character: {message:?}"));
        }
    }
    let results = log["runs"][0]["results"].as_array().map_or(0, Vec::len);
    if messages < results {
        return Err(format!("{messages} messages of {results} results"));
    }
    Ok(())
}

/// Parses comma-separated values (RFC 4180).
fn records(text: &str) -> Vec<Vec<String>> {
    let (mut records, mut record, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut all) = (false, text.chars().peekable());
    while let Some(c) = all.next() {
        match c {
            '"' if is_quoted && all.peek() == Some(&'"') => cell.extend(all.next()),
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => record.push(std::mem::take(&mut cell)),
            '\n' if !is_quoted => {
                record.push(std::mem::take(&mut cell));
                records.push(std::mem::take(&mut record));
            }
            c => cell.push(c),
        }
    }
    records
}

fn check_csv(text: &str) -> Result<(), String> {
    let records = records(text);
    let Some(heads) = records.first() else {
        return Ok(());
    };
    for record in &records {
        if record.len() != heads.len() {
            return Err(format!(
                "{} cells, not {}: {record:?}",
                record.len(),
                heads.len()
            ));
        }
        for cell in record {
            let starts = [
                '=', '+', '-', '@', '\t', '\r', '\n', '\u{ff1d}', '\u{ff0b}', '\u{ff0d}',
                '\u{ff20}',
            ];
            if cell.starts_with(starts) && cell.parse::<f64>().is_err() {
                return Err(format!("a formula: {cell:?}"));
            }
        }
    }
    Ok(())
}

/// Checks that names are in quotation marks, where the language has no escapes for control characters,
/// and that all else is visible.
fn check_spirv(text: &str) -> Result<(), String> {
    let (mut plain, mut all) = (String::new(), text.chars());
    let mut is_comment = false;
    while let Some(c) = all.next() {
        match c {
            '"' if !is_comment => loop {
                match all.next() {
                    Some('\\') => drop(all.next()),
                    Some('"') => break,
                    Some(_) => {}
                    None => return Err("a name without an end".to_owned()),
                }
            },
            ';' => is_comment = true,
            '\n' => is_comment = false,
            _ => {}
        }
        plain.push(c);
    }
    check_text(&plain)
}

/// Checks that HTML has only the elements and attributes that zeview writes.
fn check_html(text: &str) -> Result<(), String> {
    if text.contains(is_obeyed) {
        return Err(format!(
            "a character that is obeyed: {:?}",
            cut(text, is_obeyed)
        ));
    }
    const ELEMENTS: [&str; 29] = [
        "!doctype", "html", "head", "meta", "title", "style", "body", "article", "section", "h1",
        "h2", "h3", "p", "ul", "ol", "li", "dl", "dt", "dd", "table", "caption", "thead", "tbody",
        "tr", "th", "td", "div", "span", "strong",
    ];
    for tag in text.split('<').skip(1) {
        let Some((tag, _)) = tag.split_once('>') else {
            return Err(format!("no end: {tag:?}"));
        };
        let mut words = tag.trim_start_matches('/').split_whitespace();
        let name = words.next().unwrap_or("");
        let known = [
            "class=", "lang=", "charset=", "name=", "content=", "html", "scope=", "colspan=",
        ];
        let is_known = |word: &str| {
            known.iter().any(|known| word.starts_with(known)) || !word.contains(['=', '('])
        };
        if !(ELEMENTS.contains(&name) || ["b", "code", "footer"].contains(&name))
            || !words.all(is_known)
        {
            return Err(format!("an element of a name: <{tag}>"));
        }
    }
    Ok(())
}

/// Checks that no name is markup in Markdown.
fn check_markdown(text: &str) -> Result<(), String> {
    check_text(text)?;
    let words = text.replace("\\\\", "");
    let text = &words;
    // Elements, code, links and images, formulas of GitHub.
    for (at, _) in text.match_indices(['<', '`', '[', '$']) {
        if !text[..at].ends_with('\\') {
            return Err(format!(
                "markup: {:?}",
                text[..at].chars().rev().take(40).collect::<String>()
            ));
        }
    }
    Ok(())
}

fn check(arguments: &[String], stdout: &str) -> Result<(), String> {
    let has = |option: &str| arguments.iter().any(|argument| argument == option);
    match () {
        () if stdout.is_empty() => Ok(()),
        () if has("--json") => check_json(stdout),
        () if has("--sarif") => check_sarif(stdout),
        () if has("--csv") => check_csv(stdout),
        () if has("--html") || has("report") => check_html(stdout),
        () if has("--markdown") => check_markdown(stdout),
        () if has("disasm") && stdout.contains("; SPIR-V\n") => check_spirv(stdout),
        () => check_text(stdout),
    }
}

/// Returns stall samples and metrics of kernels with all names, and columns with some of them.
fn profile() -> String {
    let quoted = |name: &String| format!("\"{}\"", name.replace('"', "\"\""));
    let names: Vec<String> = names().iter().map(quoted).collect();
    let columns = names[..8].join(",").replace('\n', " ");
    let mut out = format!("Kernel, IP[Address], SbidStall[Events], {columns}\n");
    for name in &names {
        out.push_str(&format!("{name}, 0, 7{}\n", ",1".repeat(8)));
    }
    // With a unit, metrics are columns of the kernel table.
    let metrics = columns.replace("\",\"", "[%]\",\"");
    out.push_str(&format!("Kernel,GlobalInstanceId,{metrics}\n"));
    for name in &names {
        out.push_str(&format!("{name},1{}\n", ",2.5".repeat(8)));
        out.push_str(&format!("x,1,{name}\n"));
    }
    out
}

/// Runs all commands on a file, and adds violations.
fn run_all(name: &str, bytes: &[u8], other: &[u8], wrong: &mut Vec<String>) {
    let home = folder(name);
    let within = home.join("within");
    fs::create_dir(&within).unwrap();
    // Only Unix allows almost anything in file names.
    let own = if cfg!(unix) {
        format!("{NAME}.{name}")
    } else {
        name.to_owned()
    };
    let (file, other_file) = (within.join(&own), within.join(format!("other.{own}")));
    fs::write(&file, bytes).unwrap();
    fs::write(&other_file, other).unwrap();
    for (command, uses) in USES.iter().filter(|(command, _)| *command != "open") {
        for line in *uses {
            let out = home.join("out");
            let _ = fs::remove_dir_all(&out);
            fs::create_dir(&out).unwrap();
            // The folder to compare with has one of the two files.
            if line.contains("FOLDER OUT") {
                fs::write(out.join(file.file_name().unwrap()), other).unwrap();
            }
            let words = line
                .split(' ')
                .filter(|word| !word.is_empty())
                .map(|word| match word {
                    "FILE" => file.display().to_string(),
                    "OTHER" => other_file.display().to_string(),
                    "PROFILE" => {
                        let path = out.join("profile.csv");
                        fs::write(&path, profile()).unwrap();
                        path.display().to_string()
                    }
                    "MISSING" => format!("{}.missing", file.display()),
                    "FOLDER" => within.display().to_string(),
                    "TYPED" => TYPED.to_owned(),
                    word => match word.strip_prefix("OUT") {
                        Some(rest) => format!("{}{rest}", out.display()),
                        None => word.to_owned(),
                    },
                });
            let command = Some((*command).to_owned()).filter(|command| !command.is_empty());
            let arguments: Vec<String> = command.into_iter().chain(words).collect();
            let output = zeview(&arguments.iter().map(String::as_str).collect::<Vec<_>>());
            let (stdout, stderr) = (
                String::from_utf8(output.stdout),
                String::from_utf8(output.stderr),
            );
            let outcome = match (output.status.code(), stdout, stderr) {
                (Some(0..=2), Ok(stdout), Ok(stderr)) => {
                    check(&arguments, &stdout).and_then(|()| {
                        check_text(&stderr).map_err(|why| format!("standard error: {why}"))
                    })
                }
                (status, ..) => Err(format!("ended with {status:?}, or printed no text")),
            };
            let outcome =
                outcome.and_then(|()| match fs::read_to_string(out.join("report.html")) {
                    Ok(page) => check_html(&page),
                    Err(_) => Ok(()),
                });
            if let Err(why) = outcome {
                let why: String = why.chars().take(300).collect();
                wrong.push(format!(
                    "{name}: {} {line}: {why}",
                    arguments.first().map_or("", String::as_str)
                ));
            }
        }
    }
    // Nothing was written outside of the named folder.
    let beside: BTreeSet<_> = fs::read_dir(&home)
        .unwrap()
        .map(|entry| entry.unwrap().file_name())
        .collect();
    let expected: BTreeSet<_> = ["out", "within"].map(Into::into).into();
    if beside != expected || fs::read_dir(&within).unwrap().count() != 2 {
        wrong.push(format!("{name}: a file outside of the folder: {beside:?}"));
    }
    fs::remove_dir_all(home).unwrap();
}

#[test]
fn names_are_inert_in_terminals_spreadsheets_and_browsers() {
    let other = changed();
    let all = files();
    let (first, second) = all.split_at(all.len() / 2);
    let run = |files: &[(&str, Vec<u8>)]| {
        let mut wrong = Vec::new();
        for (name, bytes) in files {
            run_all(name, bytes, &other, &mut wrong);
        }
        wrong
    };
    let wrong = std::thread::scope(|scope| {
        let second = scope.spawn(|| run(second));
        [run(first), second.join().unwrap()].concat()
    });
    assert!(
        wrong.is_empty(),
        "{} times:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
    assert!(!Path::new("/FORGED").exists());
}

#[test]
fn names_of_a_megabyte() {
    let mut wrong = Vec::new();
    for (name, bytes) in long_files() {
        run_all(name, &bytes, &bytes, &mut wrong);
    }
    assert!(
        wrong.is_empty(),
        "{} times:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

/// Files for the tests of the page. `BLESS=1` writes them.
#[test]
fn the_fixtures_are_these_files() {
    let folder = fixtures::folder().join("names");
    let is_blessing = std::env::var_os("BLESS").is_some_and(|value| value == "1");
    let all = [files(), vec![("changed.zebin", changed())]].concat();
    for (name, bytes) in all {
        let path = folder.join(name);
        if is_blessing {
            fs::write(&path, &bytes).unwrap();
        }
        let found = fs::read(&path).unwrap_or_default();
        assert!(found == bytes, "{name} differs; BLESS=1 writes it anew");
    }
}

/// JSON escapes preserve the names.
#[test]
fn programs_get_unescaped_names() {
    let folder = folder("exact");
    let path = folder.join("names.zebin");
    fs::write(&path, &files()[0].1).unwrap();
    let output = zeview(&[
        "kernels",
        "--json",
        "--columns",
        "name",
        &path.display().to_string(),
    ]);
    let rows: Vec<Value> = serde_json::from_slice(&output.stdout).unwrap();
    let found: Vec<&str> = rows.iter().filter_map(|row| row["name"].as_str()).collect();
    assert_eq!(found, names());
}

#[test]
fn addresses_are_plain() {
    let folder = folder("served");
    let path = folder.join(if cfg!(unix) { NAME } else { "plain" });
    fs::write(&path, &files()[0].1).unwrap();
    let (_serving, _, _, query) = serve(&[
        "--compare",
        &path.display().to_string(),
        &path.display().to_string(),
    ]);
    assert!(query.contains("files/0/"), "{query}");
    assert!(
        query
            .chars()
            .all(|c| c.is_ascii_graphic() && !"<>\"'".contains(c)),
        "{query:?}"
    );
}
