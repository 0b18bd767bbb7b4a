//! Seeds of the targets: from fixtures, the page's samples, the test builders, and the corpus if
//! `ZEVIEW_CORPUS` is set.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::{env, fs, process};

use goblin::elf::Elf;
use zeview::decode::isa::Platform;

use crate::support::{built, fixtures, gate, hidden, isa, open};
use crate::{Target, files};

/// Environment variable: the folder to write seeds to.
const ASKED: &str = "ZEVIEW_FUZZ_SEEDS";

/// Maximum length of a seed in bytes. Longer inputs are slow, and mutations seldom hit relevant
/// bytes.
const LONGEST: usize = 16 << 10;

/// Maximum number of seeds; the shortest are kept.
const MOST: usize = 1500;

/// Writes the seeds of a target and exits, if the environment requests it.
pub fn write_if_asked(target: &Target) {
    let Some(folder) = env::var_os(ASKED).map(PathBuf::from) else {
        return;
    };
    let mut seeds: Vec<(usize, Vec<u8>)> = of(target).into_iter().map(|s| (s.len(), s)).collect();
    seeds.sort();
    fs::create_dir_all(&folder).expect("the folder for seeds can be made");
    for (index, (_, seed)) in seeds.iter().take(MOST).enumerate() {
        let file = folder.join(format!("seed-{index:04}"));
        fs::write(file, seed).expect("the folder for seeds is writable");
    }
    process::exit(0);
}

fn of(target: &Target) -> BTreeSet<Vec<u8>> {
    let mut seeds: BTreeSet<Vec<u8>> = (target.own)().into_iter().collect();
    let mut take = |file: &[u8]| {
        let found = (target.of_file)(file).into_iter();
        seeds.extend(found.filter(|seed| seed.len() <= LONGEST));
    };
    for (_, file) in built::all() {
        take(&file);
    }
    let fixtures = fixtures::folder();
    let root = fixtures.ancestors().nth(2).expect("it is two folders deep");
    let mut folders = vec![fixtures.clone(), root.join("www/samples")];
    folders.extend(fixtures::corpus().map(|corpus| corpus.join("samples")));
    for folder in folders {
        each_file(&folder, &mut take);
    }
    seeds
}

/// Visits the files of a folder and its subfolders, except their descriptions.
fn each_file(folder: &Path, take: &mut impl FnMut(&[u8])) {
    let Ok(entries) = fs::read_dir(folder) else {
        return;
    };
    for path in entries.flatten().map(|entry| entry.path()) {
        if path.is_dir() {
            each_file(&path, take);
            continue;
        }
        let ending = path.extension().unwrap_or_default().to_string_lossy();
        let is_text = ["tree", "md", "tsv", "txt", "html", "json", "cl", "asm"];
        let is_small = path.metadata().is_ok_and(|data| data.len() < 1 << 20);
        if is_small && !is_text.contains(&&*ending) {
            take(&fs::read(&path).unwrap_or_default());
        }
    }
}

/// A section of an ELF file.
pub struct Section<'a> {
    pub name: &'a str,
    pub kind: u32,
}

/// Returns the bytes of the selected sections.
pub fn sections(file: &[u8], wanted: impl Fn(Section<'_>) -> bool) -> Vec<Vec<u8>> {
    let Ok(elf) = Elf::parse(file) else {
        return Vec::new();
    };
    let headers = elf.section_headers.iter().filter(|header| {
        let name = elf.shdr_strtab.get_at(header.sh_name).unwrap_or_default();
        let kind = header.sh_type;
        wanted(Section { name, kind })
    });
    let bytes = headers.filter_map(|header| Some(file.get(header.file_range()?)?.to_vec()));
    bytes.collect()
}

/// Returns the file if it starts with `magic`.
pub fn beginning_with(file: &[u8], magic: &[u8]) -> Vec<Vec<u8>> {
    file.starts_with(magic)
        .then(|| file.to_vec())
        .into_iter()
        .collect()
}

/// Returns the file if it is a profile, with the size of its pieces; of a long one, the beginning.
pub fn profile(file: &[u8]) -> Vec<Vec<u8>> {
    let start = file.get(..file.len().min(LONGEST - 1)).unwrap_or_default();
    let is_profile = start.is_ascii() && start.windows(7).any(|part| part == b"Kernel,");
    with_first(7, is_profile.then(|| start.to_vec()).into_iter().collect())
}

/// Prefixes the inputs with a selector byte.
pub fn with_first(first: u8, inputs: Vec<Vec<u8>>) -> Vec<Vec<u8>> {
    let inputs = inputs.into_iter();
    inputs
        .map(|input| [&[first][..], &input].concat())
        .collect()
}

/// Returns code for each platform, as the file does not name the platform of its code.
pub fn code(file: &[u8]) -> Vec<Vec<u8>> {
    let text = sections(file, |section| section.name.starts_with(".text."));
    let short = text.into_iter().filter(|code| code.len() <= 2048);
    let all = short.flat_map(|code| {
        let platforms = 0..Platform::ALL.len() as u8;
        platforms.flat_map(move |platform| with_first(platform, vec![code.clone()]))
    });
    all.collect()
}

/// Returns changes of the judged value and of the text around it.
pub fn gates() -> Vec<Vec<u8>> {
    let text = gate::text();
    let start = text.rfind("  - name:").expect("it has kernels");
    let changes = (start..text.len())
        .step_by(7)
        .zip(b" #:-0x\n\"[{~".iter().cycle());
    let change = |(at, byte): (usize, &u8)| {
        let at = u16::try_from(at).expect("the text is short");
        [&at.to_le_bytes()[..], &[*byte]].concat()
    };
    changes.map(change).collect()
}

/// Returns the instructions of the fixtures in small groups.
pub fn instructions() -> Vec<Vec<u8>> {
    let mut all = Vec::new();
    for (index, platform) in (0..).zip(Platform::ALL) {
        let table = isa::table(&fixtures::folder().join("isa"), platform);
        let rows = isa::rows(&table, [Some(0), Some(1), Some(2), None]);
        for rows in rows.chunks(32) {
            let code: Vec<u8> = rows.iter().flat_map(|row| row.bytes.clone()).collect();
            all.extend(with_first(index, vec![code]));
        }
    }
    all
}

/// Returns the property sets in a file as text, for both generations of SYCLBINs.
pub fn property_sets(file: &[u8]) -> Vec<Vec<u8>> {
    let is_text = |byte: &u8| *byte == b'\n' || (b' '..=b'~').contains(byte);
    let runs = file.split(|byte| !is_text(byte));
    let sets = runs.filter_map(|run| {
        let start = run.windows(5).position(|five| five == b"[SYCL")?;
        Some(run[start..].to_vec())
    });
    let sets: Vec<Vec<u8>> = sets.collect();
    [with_first(0, sets.clone()), with_first(1, sets)].concat()
}

/// Returns the file if it is a module, and modules in its sections.
pub fn spirv(file: &[u8]) -> Vec<Vec<u8>> {
    let mut all = sections(file, |_| true);
    all.push(file.to_vec());
    all.retain(|bytes| bytes.starts_with(files::SPIRV));
    all
}

/// Returns every layout of a host program, unchanged and with one number changed.
pub fn hosts() -> Vec<Vec<u8>> {
    let layouts = 0..16;
    let change = [0; 11];
    layouts
        .flat_map(|layout| [vec![layout], [&[layout][..], &change].concat()])
        .collect()
}

/// Returns a whole zebin and its `.ze_info`, for some device.
pub fn verdict(file: &[u8]) -> Vec<Vec<u8>> {
    if !file.starts_with(b"\x7fELF") {
        return Vec::new();
    }
    let texts = sections(file, |section| section.name == ".ze_info");
    let device = |inputs| with_first(file.len() as u8, inputs);
    let whole = with_first(0, device(vec![file.to_vec()]));
    [whole, with_first(1, device(texts))].concat()
}

/// Pairs the file with itself and with its first half.
pub fn pairs(file: &[u8]) -> Vec<Vec<u8>> {
    if file.len() > 6 << 10 {
        return Vec::new();
    }
    let half = &file[..file.len() / 2];
    let mut changed = file.to_vec();
    if let Some(byte) = changed.get_mut(file.len() / 2) {
        *byte ^= 1;
    }
    let others = [file, half, &changed];
    others.map(|other| files::joined(file, other)).to_vec()
}

/// Returns filters that use all syntax, for each list.
pub fn queries() -> Vec<Vec<u8>> {
    let texts = [
        "",
        "vec",
        "spill_size>0 and not main",
        "simd_size=16 or (grf_count >= 128 and name!=\"a b\")",
        "spill_size increased 10%",
        "code_size decreased 64",
        "registers_used changed",
        "has_dpas=yes has_barriers = no",
        "required_work_group_size=8",
        "address<0x40 type=FUNC",
        "line=12",
        "verdict=loads",
        "opcode=send",
        "not not (x or y) -1.5e3",
        "größe=\"\\\"\"",
    ];
    let lists = 0..12;
    lists
        .flat_map(|list| {
            let texts = texts.map(|text| text.as_bytes().to_vec());
            with_first(list, with_first(list.wrapping_mul(3), texts.to_vec()))
        })
        .collect()
}

/// The packages among the files.
pub fn packages_in(file: &[u8]) -> Vec<Vec<u8>> {
    let is_package = open(file).summary.has.package && file.len() < 1 << 16;
    if is_package {
        vec![file.to_vec()]
    } else {
        Vec::new()
    }
}

/// Packages that hide files in all the ways of the native tests.
pub fn packages() -> Vec<Vec<u8>> {
    // Those with megabytes of zeros take seconds in each execution.
    let small = |name: &String| !name.ends_with("bytes longer");
    let cases = hidden::cases().into_iter();
    let cases = cases
        .filter(|(name, _)| small(name))
        .map(|(_, bytes)| bytes);
    cases.filter(|bytes| bytes.len() < 1 << 16).collect()
}
