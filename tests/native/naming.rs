//! One name for a kernel everywhere: each kind of container with each kind of name, on the command
//! line, in the operations of the Python and JavaScript packages, and in links of the page. The tests of
//! the packages read the same table: `tests/fixtures/naming`.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;
use zeview::api::operations::{
    self, ApiError, FindRequest, ListOptions, VerdictOptions, kernel, listing,
};
use zeview::decode::decode;
use zeview::kernel_names::{KernelQuery, find, one};
use zeview::model::{Document, FolderSource, MemorySource, folder_files};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{Envelope, Request, Response, SelectionTarget};

use crate::support::naming::{self, NAME, SHORT, containers, packaged, table};
use crate::support::zebin::zebin;

fn zeview(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zeview"));
    command.args(arguments).output().expect("zeview runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8(bytes.to_vec()).expect("the output is UTF-8")
}

/// Writes the files of the table to a folder.
fn write_files(folder: &Path) {
    fs::create_dir_all(folder).expect("the folder is writable");
    for container in containers() {
        let path = folder.join(container.name);
        if container.name.ends_with('/') {
            for (name, bytes) in packaged() {
                let path = path.join(name);
                fs::create_dir_all(path.parent().expect("it is in a folder")).expect("writable");
                fs::write(path, bytes).expect("the folder is writable");
            }
        } else {
            fs::write(path, container.bytes).expect("the folder is writable");
        }
    }
}

fn temporary(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    write_files(&folder);
    folder
}

fn open(path: &Path) -> Document {
    if path.is_dir() {
        let files = folder_files(path).expect("the folder can be read");
        return decode(Box::new(FolderSource::new(files)), "folder");
    }
    let bytes = fs::read(path).expect("the file can be read");
    decode(Box::new(MemorySource::from(bytes)), "file")
}

fn cases() -> Vec<Value> {
    match table() {
        Value::Array(cases) => cases,
        _ => Vec::new(),
    }
}

fn word<'a>(case: &'a Value, key: &str) -> &'a str {
    case[key].as_str().unwrap_or_default()
}

fn query(case: &Value, has_options: bool) -> KernelQuery {
    let option = |key: &str| {
        let value = case["options"][key].as_str();
        value.filter(|_| has_options).map(str::to_owned)
    };
    KernelQuery {
        device: option("device"),
        image: option("image"),
        file: option("file"),
        ..KernelQuery::named(word(case, "name"))
    }
}

#[test]
fn fixtures_are_those_of_the_table() {
    let folder = crate::support::fixtures::folder().join("naming");
    let cases = serde_json::to_string_pretty(&table()).expect("it is JSON") + "\n";
    if std::env::var_os("BLESS").is_some() {
        write_files(&folder);
        fs::write(folder.join("cases.json"), &cases).expect("the folder is writable");
    }
    let read = |name: &str| fs::read(folder.join(name)).unwrap_or_default();
    assert!(read("cases.json") == cases.as_bytes(), "run with BLESS=1");
    for container in containers() {
        if container.name.ends_with('/') {
            for (name, bytes) in packaged() {
                assert!(
                    read(&format!("{}{name}", container.name)) == bytes,
                    "{name}"
                );
            }
        } else {
            assert!(
                read(container.name) == container.bytes,
                "{}",
                container.name
            );
        }
    }
}

#[test]
fn builds_have_any_name() {
    let folder = temporary("naming-builds");
    for case in cases() {
        let mut document = open(&folder.join(word(&case, "file")));
        let builds = case["builds"].as_u64().expect("it is a number") as usize;
        let found = find(&mut document, &query(&case, false));
        let label = format!("{} {}", case["file"], case["way"]);
        match found {
            Ok(found) => {
                assert_eq!(found.len(), builds, "{label}: {found:#?}");
                assert!(found.iter().all(|build| build.name == NAME), "{label}");
                let one = one(&mut document, &query(&case, true));
                assert_eq!(one.expect("it is the only one").name, NAME, "{label}");
            }
            Err(error) => {
                assert_eq!(builds, 0, "{label}: {error}");
                let suggestion = format!("; did you mean {SHORT:?}?");
                assert!(error.to_string().ends_with(&suggestion), "{label}: {error}");
                assert_eq!(error.code(), "no-kernel", "{label}");
            }
        }
    }
}

#[test]
fn packages_find_any_name() {
    let folder = temporary("naming-packages");
    for case in cases() {
        let label = format!("{} {}", case["file"], case["way"]);
        let mut document = open(&folder.join(word(&case, "file")));
        let several = case["builds"].as_u64() > Some(1);
        let row = kernel(&mut document, &query(&case, false), &[]);
        match (&row, several, case["finds"].as_str()) {
            (Ok(row), false, Some(name)) => {
                let row: Value = serde_json::from_str(row).expect("it is JSON");
                assert_eq!(row["name"], name, "{label}");
            }
            (Err(error), true, Some(_)) => assert_eq!(error.code, "several-kernels", "{label}"),
            (Err(error), _, None) => assert_eq!(error.code, "no-kernel", "{label}"),
            _ => panic!("{label}: {row:?}"),
        }
        if case["finds"].is_null() {
            continue;
        }
        let row = kernel(&mut document, &query(&case, true), &[]);
        assert!(row.is_ok(), "{label}: {row:?}");
        let code = listing(&mut document, &query(&case, true));
        match code {
            Ok(_) => assert_eq!(case["has_code"], true, "{label}"),
            Err(error) => {
                assert_eq!(case["has_code"], false, "{label}: {error}");
                assert_eq!(error.code, "no-code", "{label}");
            }
        }
    }
}

#[test]
fn answers_do_not_depend_on_earlier_ones() {
    let folder = temporary("naming-order");
    let options = zeview::api::operations::ListOptions::default();
    for name in ["kernels.whl", "kernels.so", "folder/"] {
        for typed in [NAME, SHORT, "*VecMul*", "math::VecAd"] {
            let mut fresh = open(&folder.join(name));
            let mut used = open(&folder.join(name));
            zeview::api::operations::list(&mut used, "kernels", &options).expect("it has kernels");
            let query = KernelQuery::named(typed);
            let places = |document: &mut Document| {
                let found = find(document, &query);
                let found = found.map_err(|error| error.to_string())?;
                let places = found.into_iter().map(|build| (build.path, build.name));
                Ok::<_, String>(places.collect::<Vec<_>>())
            };
            assert_eq!(places(&mut fresh), places(&mut used), "{name} {typed}");
        }
    }
}

#[test]
fn the_command_line_finds_any_name() {
    let folder = temporary("naming-cli");
    for case in cases() {
        let label = format!("{} {}", case["file"], case["way"]);
        let file = folder.join(word(&case, "file")).display().to_string();
        let name = word(&case, "name");
        let builds = case["builds"].as_u64().unwrap_or(0);
        let has_code = case["has_code"] == true;
        let output = zeview(&["disasm", &file, "--kernel", name]);
        let errors = text(&output.stderr);
        if case["finds"].is_null() {
            assert_eq!(output.status.code(), Some(2), "{label}");
            let suggestion = format!("did you mean {SHORT:?}?");
            assert!(errors.contains(&suggestion), "{label}: {errors}");
            continue;
        }
        if !has_code {
            // It is printed as what it is.
            assert!(output.status.success(), "{label}: {errors}");
            let spirv = text(&output.stdout);
            assert!(spirv.contains("OpEntryPoint"), "{label}: {spirv}");
            let output = zeview(&["analyze", &file, "--kernel", name]);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{label}");
            assert!(errors.contains("has no native code"), "{label}: {errors}");
            continue;
        }
        if builds > 1 {
            assert_eq!(output.status.code(), Some(2), "{label}");
            assert!(output.stdout.is_empty(), "{label}");
            let count = format!("{builds} builds of {name:?}");
            assert!(errors.contains(&count), "{label}: {errors}");
            assert!(errors.contains("bmg-g21"), "{label}: {errors}");
            assert!(errors.contains("--all-builds"), "{label}: {errors}");
        } else {
            assert!(output.status.success(), "{label}: {errors}");
        }
        let all = zeview(&["disasm", &file, "--kernel", name, "--all-builds"]);
        assert!(all.status.success(), "{label}: {}", text(&all.stderr));
        let headings = text(&all.stdout).matches("// kernel ").count() as u64;
        assert_eq!(headings, builds, "{label}");
        for command in ["disasm", "analyze"] {
            let mut arguments = vec![command, &file, "--kernel", name];
            let options: Vec<(String, String)> = case["options"]
                .as_object()
                .into_iter()
                .flatten()
                .map(|(key, value)| {
                    let value = value.as_str().unwrap_or_default();
                    (format!("--{key}"), value.to_owned())
                })
                .collect();
            for (key, value) in &options {
                arguments.extend([key.as_str(), value.as_str()]);
            }
            let output = zeview(&arguments);
            let errors = text(&output.stderr);
            assert!(output.status.success(), "{label} {command}: {errors}");
            assert!(!output.stdout.is_empty(), "{label} {command}");
        }
    }
}

#[test]
fn links_find_any_name() {
    for case in cases() {
        let container = containers()
            .into_iter()
            .find(|container| container.name == word(&case, "file"));
        let container = container.expect("it is in the table");
        if container.name.ends_with('/') {
            continue;
        }
        let label = format!("{} {}", case["file"], case["way"]);
        let mut handler = Handler::new(|| 0.0);
        let source = Box::new(MemorySource::from(container.bytes));
        handler.show(1, "file", decode(source, "file"));
        let mut select = |place| {
            let answer = handler.answer(&Envelope {
                id: 1,
                about: None,
                request: Request::Select {
                    order: TreeOrder::File,
                    place,
                    follow: None,
                },
            });
            match answer.response {
                Response::Selected(selected) => Ok(selected),
                other => Err(format!("{other:?}")),
            }
        };
        let kernel = |has_options| SelectionTarget::Kernel {
            query: query(&case, has_options),
            paths: vec!["execution_env/simd_size".to_owned()],
        };
        let found = select(kernel(false));
        if case["finds"].is_null() {
            let error = found.expect_err(&label);
            assert!(error.contains("did you mean"), "{label}: {error}");
            continue;
        }
        assert_eq!(found.is_ok(), container.builds == 1, "{label}: {found:?}");
        let selected = select(kernel(true)).expect(&label);
        let path = &selected.detail.path;
        if !container.has_code {
            assert!(!path.is_empty(), "{label}");
            continue;
        }
        assert!(path.contains(".ze_info/kernels/"), "{label}: {path}");
        assert!(
            path.ends_with("/execution_env/simd_size"),
            "{label}: {path}"
        );
        let instruction = select(SelectionTarget::Instruction {
            query: query(&case, true),
            offset: 0,
        });
        let path = instruction.expect(&label).detail.path;
        assert!(path.contains(&format!(".text.{NAME}/")), "{label}: {path}");
    }
}

#[test]
fn narrowing_explains_what_is_there() {
    let folder = temporary("naming-narrow");
    let file = folder.join("kernels.whl").display().to_string();
    let run = |options: &[&str]| {
        let arguments = [&["disasm", &file, "--kernel", SHORT][..], options].concat();
        let output = zeview(&arguments);
        (output.status.code(), text(&output.stderr))
    };
    let (code, errors) = run(&["--device", "A770"]);
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("has device \"A770\"; there are"),
        "{errors}"
    );
    assert!(errors.contains("lib/one.so"), "{errors}");
    let (code, errors) = run(&["--device", "B850"]);
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("no device is called \"B850\"; did you mean"),
        "{errors}"
    );
    let (code, errors) = run(&["--file", "three.so"]);
    assert_eq!(code, Some(2));
    assert!(
        errors.contains("no file with kernels is called \"three.so\""),
        "{errors}"
    );
    let (code, _) = run(&["--file", "one.so", "--device", "pvc"]);
    assert_eq!(code, Some(0));
    let (code, _) = run(&["--file", "lib/one.so", "--image", "0"]);
    assert_eq!(code, Some(0));
}

#[test]
fn families_are_columns_and_conditions() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("naming-families");
    fs::create_dir_all(&folder).expect("the folder is writable");
    let file = folder.join("families.zebin");
    // Gemm<int, 1>, Gemm<float, 1>, and a kernel in OpenCL C.
    let names = ["_ZTS4GemmIiLi1EE", "_ZTS4GemmIfLi1EE", "gemm_kernel"].map(str::to_owned);
    fs::write(&file, zebin(&names).build().bytes).expect("the folder is writable");
    let file = file.display().to_string();
    let run = |arguments: &[&str]| {
        let output = zeview(&[&["kernels", &file], arguments].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        text(&output.stdout)
    };
    let columns = ["--columns", "family,arguments", "--csv"];
    assert_eq!(
        run(&columns),
        "file,family,arguments\n".to_owned()
            + &["Gemm,int", "Gemm,float", "gemm_kernel,"]
                .map(|row| format!("{file},{row}\n"))
                .concat()
    );
    let filtered = [&columns[..], &["--filter", "family=Gemm arguments=float"]].concat();
    assert!(run(&filtered).ends_with(&format!("arguments\n{file},Gemm,float\n")));
    // JSON has them on request.
    let json =
        |arguments: &[&str]| -> Value { serde_json::from_str(&run(arguments)).expect("JSON") };
    assert!(json(&["--json"])[0].get("family").is_none());
    let row = &json(&["--json", "--columns", "family,arguments"])[0];
    assert_eq!(
        (&row["family"], &row["arguments"]),
        (&"Gemm".into(), &serde_json::json!(["int"]))
    );
}

#[test]
fn short_names_of_tables_can_be_copied() {
    let folder = temporary("naming-copied");
    for container in containers().iter().filter(|container| container.has_code) {
        let file = folder.join(container.name).display().to_string();
        let output = zeview(&["kernels", &file, "--columns", "short_name", "--csv"]);
        let shorts = text(&output.stdout);
        let mut count = 0;
        for line in shorts.lines().skip(1) {
            let short = line.rsplit(',').next().unwrap_or_default();
            let short = short.trim_matches('"').replace("\"\"", "\"");
            let output = zeview(&["disasm", &file, "--kernel", &*short, "--all-builds"]);
            assert!(
                output.status.success(),
                "{file} {short}: {}",
                text(&output.stderr)
            );
            count += 1;
        }
        assert!(count >= naming::KERNELS.len(), "{file}: {shorts}");
    }
}

#[test]
fn parts_have_the_paths_of_tables() {
    let folder = temporary("naming-extract");
    let file = folder.join("kernels.whl").display().to_string();
    let library = packaged()[0].1.clone();
    let out = folder.join("out").display().to_string();
    for (path, wanted) in [
        ("lib/one.so", library.clone()),
        ("lib%2Fone.so", library),
        ("lib/one.so/image 1", naming::image(true)),
        ("lib/one.so · image 0", naming::image(false)),
        ("kernels/bmg.zebin", naming::image(false)),
    ] {
        let output = zeview(&["extract", &file, path, "-o", &out]);
        assert!(output.status.success(), "{path}: {}", text(&output.stderr));
        assert!(fs::read(&out).expect("it was written") == wanted, "{path}");
    }
    let output = zeview(&["extract", &file, "lib/on.so", "-o", &out]);
    let errors = text(&output.stderr);
    assert!(errors.contains("did you mean \"lib/one.so\"?"), "{errors}");
}

#[test]
fn unknown_names_have_one_wording() {
    let file = "www/samples/vecadd.bmg.zebin";
    for (arguments, message) in [
        (
            &["kernels", file, "--columns", "spil_size"][..],
            "no column is called \"spil_size\"; did you mean \"spill_size\"?",
        ),
        (
            &["kernels", file, "--sort", "spils"],
            "no column is called \"spils\"; did you mean \"spill_size\"?",
        ),
        (
            &["kernels", file, "--filter", "spil_size>0"],
            "no column is called \"spil_size\"; did you mean \"spill_size\"?",
        ),
        (
            &["lines", file, "--columns", "lin"],
            "no column is called \"lin\"; did you mean \"line\"?",
        ),
        (
            &["check", file, "--device", "B850"],
            "no device is called \"B850\"; did you mean",
        ),
        (
            &["disasm", file, "--kernel", "vecad"],
            "no kernel is called \"vecad\"; did you mean \"vecadd\"?",
        ),
        (
            &["disassemble", file],
            "no command or file is called \"disassemble\"; did you mean \"disasm\"?",
        ),
    ] {
        let output = zeview(arguments);
        let errors = text(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}");
        assert!(errors.contains(message), "{arguments:?}: {errors}");
    }
}

/// Calls an operation as the packages do, and returns its error.
fn refused(call: &str, options: &Value, document: &mut Document) -> ApiError {
    let option = |name: &str| options[name].as_str().map(str::to_owned);
    let named = || option("name").unwrap_or_default();
    let query = || KernelQuery {
        device: option("device"),
        ..KernelQuery::named(named())
    };
    let result = match call {
        "kernels" => {
            let options: ListOptions = serde_json::from_value(options.clone()).expect("options");
            operations::list(document, "kernels", &options)
        }
        "list" => operations::list(document, &named(), &ListOptions::default()),
        "find_code" => {
            let request = FindRequest {
                query: option("query").unwrap_or_default(),
                kernels: KernelQuery {
                    image: option("image"),
                    file: option("file"),
                    ..KernelQuery::named(option("kernel").unwrap_or_default())
                },
                ..FindRequest::default()
            };
            operations::find_code(document, &request)
        }
        "kernel" => kernel(document, &query(), &[]),
        "disassemble" => listing(document, &query()).map(|_| String::new()),
        "check" => {
            let (device, driver) = (option("device"), option("driver"));
            operations::check(document, &VerdictOptions { device, driver })
        }
        "find" => {
            let path = option("path").unwrap_or_default();
            operations::find(document, &path).map(|_| String::new())
        }
        call => panic!("{call} is not called"),
    };
    result.expect_err(call)
}

#[test]
fn all_interfaces_say_the_same_about_a_mistake() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = "www/samples/vecadd.bmg.zebin";
    let cases = fs::read(root.join("tests/fixtures/mistakes/cases.json")).expect("the cases");
    let cases: Vec<Value> = serde_json::from_slice(&cases).expect("JSON");
    let (mut called, mut run) = (0, 0);
    for case in &cases {
        let says = case["says"].as_str().expect("a sentence");
        if let Some(call) = case["call"].as_str() {
            let mut document = open(&root.join(file));
            let error = refused(call, &case["options"], &mut document);
            assert!(error.message.starts_with(says), "{case}: {}", error.message);
            assert_eq!(case["code"], error.code, "{case}");
            called += 1;
        }
        if let Some(command) = case["command"].as_array() {
            let arguments = command.iter().filter_map(Value::as_str);
            let arguments: Vec<&str> = arguments
                .map(|argument| if argument == "FILE" { file } else { argument })
                .collect();
            let output = zeview(&arguments);
            let errors = text(&output.stderr);
            assert_eq!(output.status.code(), Some(2), "{arguments:?}: {errors}");
            assert!(errors.contains(says), "{arguments:?}: {errors}");
            run += 1;
        }
    }
    assert!(called > 8 && run > 12);
}
