//! SPIR-V as text, compared with `spirv-dis`: its text of the samples' modules, and itself on the
//! modules in libraries, if it is installed in the version of the references.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::Test;
use crate::support::fixtures::in_folder;
use libtest_mimic::Failed;
use zeview::analysis::module_text::{IdStyle, ModuleText};
use zeview::kernel_names::{KernelQuery, modules};
use zeview::model::{Document, FileSource, NodeId, find_files};

/// The version of the references.
const VERSION: &str = "v2025.5";

/// The tests of this file.
pub const TESTS: &[(&str, Test)] = &[("samples_have_the_text_of_spirv_dis", samples)];

/// The tests over libraries.
pub const WILD_TESTS: &[(&str, Test)] = &[("modules_have_the_text_of_spirv_dis", libraries)];

fn text(module: &dyn ModuleText, ids: IdStyle, document: &Document) -> Vec<u8> {
    let mut out = Vec::new();
    for row in 0..module.count(&document.sources) {
        if let Some(line) = module.line(row, ids, &document.sources) {
            out.extend_from_slice(&line.text);
            out.push(b'\n');
        }
    }
    out
}

/// Returns the first line that differs.
fn difference(text: &[u8], expected: &[u8]) -> Option<String> {
    if text == expected {
        return None;
    }
    let split = |text: &[u8]| -> Vec<String> {
        let lines = text.split(|byte| *byte == b'\n');
        lines
            .map(|line| String::from_utf8_lossy(line).into_owned())
            .collect()
    };
    let (text, expected) = (split(text), split(expected));
    let at = text.iter().zip(&expected).position(|(one, two)| one != two);
    Some(match at {
        Some(at) => format!("line {}: {:?}, not {:?}", at + 1, text[at], expected[at]),
        None => format!("{} lines, not {}", text.len(), expected.len()),
    })
}

/// Unpacks an archive of references. Returns the texts by the first digits of the module's digest.
fn references(archive: &Path) -> Result<BTreeMap<String, Vec<u8>>, Failed> {
    let folder = tempfile::tempdir()?;
    let status = Command::new("tar")
        .arg("-xf")
        .arg(archive)
        .arg("-C")
        .arg(folder.path())
        .status()?;
    if !status.success() {
        return Err(format!("{}: tar failed", archive.display()).into());
    }
    let mut found = BTreeMap::new();
    for entry in fs::read_dir(folder.path())? {
        let path = entry?.path();
        let name = path
            .file_stem()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        found.insert(name, fs::read(&path)?);
    }
    Ok(found)
}

fn samples(folder: &Path) -> Result<(), Failed> {
    let spirv = folder.join("samples/spirv");
    let table = fs::read_to_string(spirv.join("SPIRV.tsv"))?;
    let digests: BTreeMap<&str, &str> = table
        .lines()
        .skip(1)
        .filter_map(|line| {
            let mut cells = line.split('\t');
            Some((cells.next()?, cells.next()?))
        })
        .collect();
    let files = in_folder(&folder.join("samples/zebin"), "zebin");
    let mut compared = 0;
    for (ids, archive) in [
        (IdStyle::Names, "friendly.tar.xz"),
        (IdStyle::Numbers, "raw.tar.xz"),
    ] {
        let expected = references(&spirv.join(archive))?;
        for file in &files {
            let digest = digests.get(&*file.name);
            let Some(expected) = digest.and_then(|digest| expected.get(*digest)) else {
                continue;
            };
            let mut document = crate::support::open(&file.bytes);
            let modules = document.module_texts(NodeId::ROOT);
            let [(_, module)] = modules.as_slice() else {
                return Err(format!("{}: {} modules", file.name, modules.len()).into());
            };
            if let Some(difference) = difference(&text(&**module, ids, &document), expected) {
                return Err(format!("{}: {difference}", file.name).into());
            }
            compared += 1;
        }
    }
    match compared {
        200.. => Ok(()),
        _ => Err(format!("only {compared} texts compared").into()),
    }
}

/// Returns the output of `spirv-dis` for a module, if it accepts it.
fn spirv_dis(bytes: &[u8], ids: IdStyle) -> Result<Option<Vec<u8>>, Failed> {
    let mut command = Command::new("spirv-dis");
    command.arg("--no-color").arg("-");
    if ids == IdStyle::Numbers {
        command.arg("--raw-id");
    }
    let input = tempfile::tempfile()?;
    {
        use std::io::{Seek, Write};
        let mut file = &input;
        file.write_all(bytes)?;
        file.rewind()?;
    }
    let output = command.stdin(input).stderr(Stdio::null()).output()?;
    Ok(output.status.success().then_some(output.stdout))
}

fn libraries(wild: &Path) -> Result<(), Failed> {
    let version = Command::new("spirv-dis").arg("--version").output();
    let is_known =
        version.is_ok_and(|output| String::from_utf8_lossy(&output.stdout).contains(VERSION));
    if !is_known {
        // Not installed, or another version.
        return Ok(());
    }
    let mut compared = 0;
    let mut paths = Vec::new();
    find_files(wild, &mut |path| paths.push(path), &mut |_, _| {});
    for path in paths {
        let Ok(source) = FileSource::open(&path) else {
            continue;
        };
        let name = path.display().to_string();
        let mut document = zeview::decode::decode(Box::new(source), &name);
        let found = modules(&mut document, &KernelQuery::default()).unwrap_or_default();
        for module in found {
            let bytes = document.sources.read(module.text.span())?;
            for ids in [IdStyle::Names, IdStyle::Numbers] {
                let Some(expected) = spirv_dis(&bytes, ids)? else {
                    continue;
                };
                if let Some(difference) =
                    difference(&text(&*module.text, ids, &document), &expected)
                {
                    return Err(format!("{name}: {}: {difference}", module.path).into());
                }
                compared += 1;
            }
        }
    }
    match compared {
        0 => Err("no modules compared".into()),
        _ => Ok(()),
    }
}
