//! Profiles: reading, matching, attribution.

use std::fs;
use std::path::Path;
use zeview::analysis::profile;
use zeview::tables;

use zeview::analysis::profile::{Profile, ProfileComparison, ProfileReport, Reader, total};
use zeview::decode::demangle::demangle_briefly;
use zeview::model::{Document, NodeId};
use zeview::tables::ListId;

use crate::support::fixtures::{self, in_folder};
use crate::support::random::Random;
use crate::support::{open, profiles};

fn file(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn made(name: &str) -> Vec<u8> {
    file(&format!("tests/fixtures/profiles/{name}.csv"))
}

fn is_blessed() -> bool {
    std::env::var_os("BLESS").is_some_and(|value| value == "1")
}

fn read(csv: &[u8]) -> Profile {
    let mut reader = Reader::new();
    reader.push(csv);
    reader.finish()
}

fn apply(document: &mut Document, csv: &[u8]) -> ProfileReport {
    let images = tables::documents_with(document, ListId::Kernels);
    let profile = read(csv);
    assert_eq!(profile.problems, []);
    profile::apply_profile(document, &images, &profile, None, &demangle_briefly)
}

fn vecadd() -> Document {
    open(&file("www/samples/vecadd.bmg.zebin"))
}

/// A table of two stall types.
fn table(rows: &str) -> Vec<u8> {
    let heads = "Kernel, IP[Address], Active[Events], SbidStall[Events], DistStall[Events]\n";
    format!("{heads}{rows}").into_bytes()
}

#[test]
fn made_profiles_are_up_to_date() {
    for (path, text) in profiles::made(&file) {
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
        if is_blessed() {
            fs::write(&path, &text).unwrap();
        }
        let found = fs::read_to_string(&path).expect("BLESS=1 writes it");
        assert!(
            found == text,
            "{} is stale: BLESS=1 writes it",
            path.display()
        );
    }
}

#[test]
fn damaged_profiles_have_diagnostics() {
    let folder = fixtures::folder().join("profiles/damaged");
    let mut all = String::new();
    for fixture in in_folder(&folder, "csv") {
        let profile = read(&fixture.bytes);
        assert!(!profile.problems.is_empty(), "{}", fixture.name);
        all.push_str(&format!("{}\n", fixture.name));
        for problem in &profile.problems {
            let (line, start, end) = (problem.line, problem.start, problem.end);
            let range = usize::try_from(start).unwrap()..usize::try_from(end).unwrap();
            let bytes = String::from_utf8_lossy(&fixture.bytes[range]).into_owned();
            let shown: String = bytes.chars().take(40).collect();
            let message = &problem.message;
            all.push_str(&format!("  {line}: {start}..{end} {shown:?}: {message}\n"));
        }
        let kernels = profile.kernels.iter();
        let samples: u64 = kernels
            .map(|k| total(&k.samples(profile.types.len())))
            .fold(0, u64::saturating_add);
        let (rows, skipped) = (profile.rows, profile.skipped_rows);
        all.push_str(&format!(
            "  {rows} rows, {skipped} skipped, {samples} samples\n"
        ));
    }
    let path = fixtures::folder().join("profiles/damaged.txt");
    if is_blessed() {
        fs::write(&path, &all).unwrap();
    }
    assert_eq!(all, fs::read_to_string(path).expect("BLESS=1 writes it"));
}

#[test]
fn the_result_does_not_depend_on_pieces() {
    let folder = fixtures::folder().join("profiles");
    let files = in_folder(&folder, "csv").into_iter();
    let damaged = in_folder(&folder.join("damaged"), "csv");
    for fixture in files.chain(damaged) {
        let csv = &fixture.bytes;
        let whole = read(csv);
        // Short files at every byte, longer ones at every byte of the first lines and of the last.
        for at in (0..=csv.len()).filter(|at| *at < 700 || csv.len() - at < 300) {
            let mut reader = Reader::new();
            reader.push(&csv[..at]);
            assert_eq!(reader.bytes(), at as u64);
            reader.push(&csv[at..]);
            assert_eq!(reader.finish(), whole, "{} at {at}", fixture.name);
        }
        for size in [1, 2, 7, 64] {
            let mut reader = Reader::new();
            csv.chunks(size).for_each(|piece| reader.push(piece));
            assert_eq!(
                reader.finish(),
                whole,
                "{} in pieces of {size}",
                fixture.name
            );
        }
    }
}

#[test]
fn layouts_have_the_same_rows() {
    let bare = table("\"vecadd\", 1a0, 1, 2, 3\n\"vecadd\", 1a8, 4, 5, 6\n");
    let one = read(&bare);
    assert_eq!(one.types, ["Active", "SbidStall", "DistStall"]);
    assert_eq!(one.kernels[0].device, None);
    let banner = [b"\n=== Device #2 Metrics ===\n\n".to_vec(), bare.clone()].concat();
    let mut two = read(&banner);
    assert_eq!(two.kernels[0].device, Some(2));
    two.kernels[0].device = None;
    assert_eq!(two, one);
    // Windows, a byte order mark, padding, no quotation marks, 0x, no end of line.
    let text = String::from_utf8(bare).unwrap();
    let text = text
        .trim_end()
        .replace('\n', "\r\n")
        .replace('"', "")
        .replace(", 1a", " ,   0x1A");
    let other = read(format!("\u{feff}{text}").as_bytes());
    assert_eq!(other, one);
}

#[test]
fn an_offset_that_does_not_rise_begins_another_module() {
    let profile = read(&made("devices"));
    assert_eq!(profile.types, profiles::TYPES);
    assert_eq!(profile.problems, []);
    let kernels: Vec<_> = profile
        .kernels
        .iter()
        .map(|k| (k.device, &*k.name))
        .collect();
    let copy = "copy(float*, float const*)";
    let expected = [
        (Some(0), "matmul"),
        (Some(0), copy),
        (Some(0), "matmul"),
        (Some(3), "matmul"),
    ];
    assert_eq!(kernels, expected);
    let sample = read(&file("www/samples/matmul.csv"));
    let once = &sample.kernels[0].offsets;
    assert_eq!(profile.kernels[0].offsets, *once);
    assert_eq!(profile.kernels[2].offsets, once[20..40]);
    // Both fit the same builds, so they are shown together.
    let mut document = open(&file("www/samples/matmul.syclbin"));
    let report = apply(&mut document, &made("devices"));
    let first = report.kernels.iter().find(|k| k.device == Some(0)).unwrap();
    assert_eq!((first.blocks, first.of_blocks), (2, 2));
    let counts = |at: usize, times: u64| -> Vec<u64> {
        once[at].counts.iter().map(|count| count * times).collect()
    };
    let instructions = &first.codes[0].instructions;
    assert_eq!(instructions[19].counts, counts(19, 1));
    assert_eq!(instructions[20].counts, counts(20, 2));
    // Blocks with the same offsets are one.
    let twice = read(&table(
        &"\"k\", 10, 1, 2, 0\n\"k\", 20, 0, 1, 0\n".repeat(3),
    ));
    let [only] = twice.kernels.as_slice() else {
        panic!("{:?}", twice.kernels);
    };
    assert_eq!((only.blocks, only.samples(3)), (3, vec![3, 9, 0]));
    // Without a name in between, the offset decides.
    let two = read(&table(
        "\"k\", 10, 1, 0, 0\n\"k\", 10, 2, 0, 0\n\"k\", 20, 3, 0, 0\n",
    ));
    let offsets = two.kernels.iter().map(|kernel| kernel.offsets.len());
    assert_eq!(offsets.collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn metrics_are_summed_by_kernel() {
    let profile = read(&made("metrics"));
    assert_eq!(profile.problems, []);
    assert_eq!((profile.rows, profile.idle_rows), (10, 2));
    let [fill, query, sampling] = profile.metrics.as_slice() else {
        panic!("{:?}", profile.metrics);
    };
    assert_eq!(
        (&*fill.name, fill.instances),
        ("fill(int*, int)[SIMD16 {1; 1; 1} {64; 1; 1}]", Some(1))
    );
    assert_eq!(
        (query.device, query.instances, query.rows),
        (Some(0), Some(3), 3)
    );
    let [time, active, ..] = query.metrics.as_slice() else {
        panic!("{query:?}");
    };
    assert_eq!(
        (&*time.name, time.sum, time.minimum),
        ("GpuTime[ns]", 198_000.0, 38_000.0)
    );
    // Weighted by time: (40 · 12.5 + 38 · 13 + 120 · 5.25) / 198.
    assert!((active.mean - 8.202_020_2).abs() < 1e-6, "{active:?}");
    assert_eq!(
        (active.minimum, active.maximum, active.count),
        (5.25, 13.0, 3)
    );
    assert_eq!(
        (sampling.device, sampling.instances, sampling.rows),
        (Some(1), Some(1), 4)
    );

    let report = apply(&mut vecadd(), &made("metrics"));
    let images: Vec<usize> = report
        .metrics
        .iter()
        .map(|kernel| kernel.images.len())
        .collect();
    assert_eq!(images, [0, 1, 1]);
}

#[test]
fn stalls_have_causes() {
    // Checked by hand with the listing of vecadd:
    // 0x170 send.ugm r12 … {$2}, 0x180 send.ugm r18 … {$3}, 0x1a0 sync.nop {$3.dst},
    // 0x1a8 add r20 r12 r18 {$2.dst}, 0x150 add r8 r30 {I@2} after 0x130 shl r30, 0x140 shl r32.
    let csv = table(
        "\"vecadd\", 1a0, 1, 900, 0\n\"vecadd\", 1a8, 2, 40, 0\n\"vecadd\", 150, 3, 0, 7\n\
         \"vecadd\", 180, 3, 5, 0\n\"vecadd\", 1c0, 9, 0, 0\n",
    );
    let report = apply(&mut vecadd(), &csv);
    assert_eq!(report.samples, [18, 945, 7]);
    let code = report.kernels[0].code().unwrap();
    let causes = code.instructions.iter().map(|at| {
        let of = at
            .causes
            .iter()
            .map(|c| (c.stall, &*c.on, c.offset, c.bytes.join(",")));
        (at.offset, of.collect::<Vec<_>>())
    });
    let causes: Vec<_> = causes.collect();
    let of = |stall, on, offset, bytes: &str| vec![(stall, on, offset, bytes.to_owned())];
    assert_eq!(
        causes,
        [
            (0x150, of(2, "I@2", 0x130, "r30:2")),
            // It allocates a token, and waits for none.
            (0x180, vec![]),
            (0x1a0, of(1, "$3.dst", 0x180, "r18:2")),
            (0x1a8, of(1, "$2.dst", 0x170, "r12:2")),
            (0x1c0, vec![]),
        ]
    );
    let sync = &code.instructions[2];
    assert!(
        sync.text.starts_with("sync.nop null {Compacted,$3.dst}"),
        "{}",
        sync.text
    );
    let cause = &sync.causes[0];
    assert!(
        cause.text.starts_with("send.ugm (32|M0) r18 r14"),
        "{}",
        cause.text
    );
    assert!(cause.text.ends_with("load.ugm.d32.a64"), "{}", cause.text);
}

/// Every sample is counted once for the kernel, and once for the block.
fn check_sums(report: &ProfileReport) {
    let matched: u64 = report
        .kernels
        .iter()
        .map(|kernel| total(&kernel.samples))
        .sum();
    let unmatched: u64 = report
        .unmatched
        .iter()
        .map(|kernel| total(&kernel.samples))
        .sum();
    assert_eq!(total(&report.samples), matched + unmatched);
    for kernel in &report.kernels {
        for code in &kernel.codes {
            let sum = |counts: &mut dyn Iterator<Item = &Vec<u64>>| {
                let mut sum = vec![0; report.types.len()];
                for counts in counts {
                    sum.iter_mut()
                        .zip(counts)
                        .for_each(|(sum, count)| *sum += count);
                }
                sum
            };
            let instructions = || code.instructions.iter().map(|at| &at.counts);
            let elsewhere = code.after_end.iter().chain(&code.between);
            let elsewhere = elsewhere.map(|at| &at.counts);
            assert_eq!(sum(&mut instructions().chain(elsewhere)), kernel.samples);
            assert_eq!(
                sum(&mut code.blocks.iter().map(|at| &at.counts)),
                sum(&mut instructions())
            );
            let own = code.functions.iter().map(|at| &at.own);
            assert_eq!(
                sum(&mut own.chain([&code.in_no_function])),
                sum(&mut instructions())
            );
        }
    }
}

#[test]
fn a_kernel_is_found_in_all_images() {
    let csv = made("banner");
    let report = apply(&mut vecadd(), &csv);
    check_sums(&report);
    let [kernel] = report.kernels.as_slice() else {
        panic!("{report:?}");
    };
    assert_eq!((kernel.device, kernel.codes.len()), (Some(0), 1));
    let image = &kernel.codes[0].images[0];
    assert_eq!(
        (&*image.path, image.target.as_deref()),
        ("", Some("bmg-g21"))
    );
    assert_eq!(
        report.by_kernel(),
        [(NodeId::ROOT, 0, kernel.samples.clone())]
    );

    // In an archive in a program.
    let mut program = open(&file("www/samples/program.host"));
    let in_program = apply(&mut program, &csv);
    let [found] = in_program.kernels.as_slice() else {
        panic!("{in_program:?}");
    };
    let image = &found.codes[0].images[0];
    assert!(image.path.contains("image 2"), "{}", image.path);
    assert_eq!(found.codes[0].instructions, kernel.codes[0].instructions);
    assert_eq!(
        in_program.by_kernel(),
        [(image.document, 0, kernel.samples.clone())]
    );
}

#[test]
fn samples_select_the_builds_that_they_fit() {
    let mut document = open(&file("www/samples/matmul.syclbin"));
    let report = apply(&mut document, &made("devices"));
    check_sums(&report);
    let targets = report.kernels.iter().map(|kernel| {
        let targets = kernel.codes.iter().map(|code| {
            let images = code.images.iter();
            let targets = images.map(|image| image.target.as_deref().unwrap());
            targets.collect::<Vec<_>>()
        });
        (
            kernel.device.unwrap(),
            targets.collect::<Vec<_>>(),
            kernel.rejected.len(),
        )
    });
    let mut targets: Vec<_> = targets.collect();
    targets.sort();
    assert_eq!(targets[0].0, 0);
    assert!(targets[0].1.concat().contains(&"bmg-g21"), "{targets:?}");
    assert_eq!((targets[1].0, targets[1].1.concat()), (3, vec!["cri"]));
    for (_, fits, rejected) in &targets {
        assert_eq!(fits.concat().len() + rejected, 12, "{targets:?}");
    }
    assert_eq!(report.unmatched[0].reason, "no kernel of this name");
    let code = &report.kernels[0].codes[0];
    assert_eq!(code.loops.len(), 1);
    assert!(total(&code.loops[0].counts) * 10 > total(&report.kernels[0].samples) * 9);

    // The first instructions of all builds are the same: it is not known which one ran.
    let few = table("\"matmul\", 0, 1, 2, 3\n");
    let report = apply(&mut document, &few);
    assert!(report.kernels[0].codes.len() > 1, "{report:?}");
    assert!(report.kernels[0].code().is_none());
}

#[test]
fn names_are_mangled_or_demangled() {
    let file = profiles::renamed(&file("www/samples/vecadd.bmg.zebin"), "vecadd", "_Z1fii");
    let report = apply(&mut open(&file), &made("names"));
    let mut found: Vec<_> = report.kernels.iter().map(|kernel| &*kernel.name).collect();
    found.sort_unstable();
    assert_eq!(
        found,
        ["_Z1fii[SIMD32 {8192; 1; 1} {128; 1; 1}]", "f(int, int)"]
    );
    assert_eq!(report.unmatched[0].name, "g<int, 2>(int)");
    // Both devices ran the kernel.
    let both: u64 = report
        .kernels
        .iter()
        .map(|kernel| total(&kernel.samples))
        .sum();
    assert_eq!(total(&report.by_kernel()[0].2), both);
}

#[test]
fn names_of_other_demanglers_are_found() {
    // The name of a kernel has 921 bytes. unitrace uses the demangler of GCC: it omits the return
    // type, and writes literals with a suffix.
    let file = file("tests/fixtures/zebin/longname.skl.igc1.17791.zebin");
    let from = format!("long_kernel_name_{}_end", "x".repeat(900));
    let (before, after) = ("_ZTSZ", "IfLm128ELj3EEvPT_EUlvE_");
    let word = "m".repeat(from.len() - before.len() - after.len() - 3);
    let to = format!("{before}{}{word}{after}", word.len());
    let renamed = profiles::renamed(&file, &from, &to);
    for name in [
        format!("{word}<float, 128ul, 3u>(float*)::{{lambda()#1}}"),
        format!("void {word}<float, (unsigned long)128, (unsigned int)3>(float*)::{{lambda()#1}}"),
        to.clone(),
    ] {
        let row = format!("\"{name}\", 0, 1, 2, 3\n");
        let report = apply(&mut open(&renamed), &table(&row));
        assert_eq!(report.kernels.len(), 1, "{:?}", report.unmatched);
        assert_eq!(report.kernels[0].codes[0].images[0].kernel, to);
    }
}

#[test]
fn source_lines_have_samples() {
    let mut document = open(&file(
        "tests/fixtures/zebin/debugme-lines.ptl-h.igc2.40.zebin",
    ));
    let report = apply(&mut document, &made("lines"));
    check_sums(&report);
    let code = report.kernels[0].code().unwrap();
    let lines: Vec<u32> = code.lines.iter().map(|line| line.line.line).collect();
    assert_eq!(lines, [2, 3, 4, 5, 6, 7, 8, 9, 10, 11]);
    // 0x218 sync.nop {$4.dst} in line 7 waits for the load at 0x1b8 in line 6.
    let at = code
        .instructions
        .iter()
        .find(|at| at.offset == 0x218)
        .unwrap();
    assert_eq!(at.line.as_ref().unwrap().line, 7);
    assert_eq!(at.causes[0].offset, 0x1b8);
    assert_eq!(at.causes[0].line.as_ref().unwrap().line, 6);
    let line = code.lines.iter().find(|line| line.line.line == 7).unwrap();
    assert!(line.offsets.contains(&0x218));
}

#[test]
fn other_builds_are_rejected_with_the_reason() {
    let reason = |rows: &str| {
        let report = apply(&mut vecadd(), &table(rows));
        assert!(report.kernels.is_empty());
        assert_eq!(total(&report.unmatched[0].samples), 3);
        report.unmatched[0].reason.clone()
    };
    // 0x178 is in the middle of 0x170.
    assert_eq!(
        reason("\"vecadd\", 178, 2, 0, 0\n\"vecadd\", 1a0, 1, 0, 0\n"),
        "offset 0x178 is not the start of an instruction; this profile is of another build"
    );
    // The section has padding after the code, which no thread runs.
    assert_eq!(
        reason("\"vecadd\", 240, 3, 0, 0\n"),
        "offset 0x240 is after the end of the code (0x230): of code that follows in memory, or of \
         another build"
    );
    assert_eq!(
        reason("\"vecadd\", 1a0, 1, 0, 0\n\"vecadd\", ffffffffffffffff, 2, 0, 0\n"),
        "2 of 3 samples are after the end of the code (0x230): of code that follows in memory, or of \
         another build"
    );
    assert_eq!(
        reason("\"vecadd\", 1a4, 3, 0, 0\n"),
        "no offset is the start of an instruction; this profile is of another build"
    );
    assert_eq!(
        reason("\"vecadd2\", 1a0, 3, 0, 0\n"),
        "no kernel of this name"
    );
}

#[test]
fn two_profiles_are_compared() {
    let mut document = vecadd();
    let before = apply(
        &mut document,
        &table("\"vecadd\", 1a0, 1, 90, 0\n\"vecadd\", 1a8, 1, 9, 0\n"),
    );
    let after = apply(
        &mut document,
        &table("\"vecadd\", 1a0, 1, 30, 0\n\"vecadd\", 180, 5, 0, 0\n"),
    );
    let compared = ProfileComparison::new(&before, &after);
    let samples = &compared.kernels[0].samples;
    assert_eq!(samples.each_ref().map(|counts| total(counts)), [101, 36]);
    let changes = compared.kernels[0].instructions.iter().map(|at| {
        let [before, after] = at.samples.each_ref().map(|counts| total(counts));
        let [offset, other] = at.offsets;
        assert_eq!(offset, other);
        (offset.unwrap(), before, after)
    });
    assert_eq!(
        changes.collect::<Vec<_>>(),
        [(0x1a0, 91, 31), (0x1a8, 10, 0), (0x180, 0, 5)]
    );
}

#[test]
fn changed_profiles_are_read() {
    let mut random = Random::named("profiles");
    let mut document = vecadd();
    let images = tables::documents_with(&mut document, ListId::Kernels);
    let pieces: [&[u8]; 14] = [
        b"\"",
        b",",
        b"\n",
        b"=== Device #1 Metrics ===\n",
        b"Kernel, IP[Address], A[Events]\n",
        b"Kernel,GlobalInstanceId,x\n",
        b"ffffffffffffffff",
        b"18446744073709551615",
        b"\xff",
        b"\0",
        b"\r",
        b" ",
        b"NoKernel",
        b"vecadd, 1a0, 1\n",
    ];
    for name in ["banner", "metrics", "names"] {
        let csv = made(name);
        for _ in 0..150 {
            let start = random.below(csv.len());
            let mut changed = csv[start.min(random.below(4000))..].to_vec();
            changed.truncate(2000 + random.below(changed.len()));
            for _ in 0..=random.below(6) {
                let at = random.below(changed.len());
                let until = (at + random.below(5)).min(changed.len());
                let piece = pieces[random.below(pieces.len())];
                changed.splice(at..until, piece.iter().copied());
            }
            let profile = read(&changed);
            let mut reader = Reader::new();
            changed
                .chunks(1 + random.below(50))
                .for_each(|piece| reader.push(piece));
            assert_eq!(reader.finish(), profile);
            let size = changed.len() as u64;
            assert!(profile.problems.len() <= 100);
            assert!(
                profile
                    .problems
                    .iter()
                    .all(|p| p.start <= p.end && p.end <= size)
            );
            let lines = changed.split(|byte| *byte == b'\n').count() as u64;
            assert!(profile.rows + profile.skipped_rows <= lines);
            assert!(profile.types.len() <= 16);
            profile::apply_profile(&mut document, &images, &profile, None, &demangle_briefly);
        }
    }
}

#[test]
fn memory_is_bounded() {
    // A line without an end, and more problems than are listed.
    let mut reader = Reader::new();
    for _ in 0..1024 {
        reader.push(&[b'a'; 1 << 10]);
    }
    reader.push(b"\nKernel, IP[Address], A\n");
    for _ in 0..1000 {
        reader.push(b"x, y, z\n");
    }
    let profile = reader.finish();
    assert_eq!(
        profile.problems[0].message,
        "the line is longer than 131072 bytes; it is skipped"
    );
    assert_eq!(
        (profile.problems[0].start, profile.problems[0].end),
        (0, 1 << 20)
    );
    assert_eq!((profile.problems.len(), profile.more_problems), (100, 901));
    assert_eq!(profile.skipped_rows, 1001);

    // More offsets than are kept.
    let mut reader = Reader::new();
    reader.push(b"Kernel, IP[Address], A\n");
    for at in 0..(1 << 20) + 1000 {
        reader.push(format!("k,{at:x},1\n").as_bytes());
    }
    reader.push(b"k,0,1\n");
    let profile = reader.finish();
    assert_eq!(profile.kernels[0].offsets.len(), 1 << 20);
    assert_eq!((profile.problems.len(), profile.skipped_rows), (1, 1001));
    let message = &profile.problems[0].message;
    assert!(
        message.starts_with("more than 1048576 rows with samples"),
        "{message}"
    );
}
