//! Profiles in every layout of the tools, profiles of several modules and of functions, damaged ones, and
//! the account of samples.

use std::path::PathBuf;

use zeview::analysis::profile::{
    self, Profile, ProfileReport, Reader, SampledKernel, device_of_name, is_profile, total,
};
use zeview::decode::demangle::demangle_briefly;
use zeview::model::{Document, NodeId};
use zeview::tables::{self, ListId};

use crate::support::fixtures;
use crate::support::profile_layouts::{
    DEVICE_TIMES, METRICS, MetricRow, Ran, STALLS, instcount, memaccess,
};
use crate::support::profiles::{Rows, sampled};
use crate::support::random::Random;
use crate::support::{open, profiles};

fn file(path: &str) -> Vec<u8> {
    std::fs::read(PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

/// Files with kernels, for five profiles of each layout.
const FILES: [&str; 5] = [
    "www/samples/vecadd.bmg.zebin",
    "www/samples/vecadd-O0.bmg.zebin",
    "tests/fixtures/zebin/debugme-lines.ptl-h.igc2.40.zebin",
    "tests/fixtures/zebin/dpas.lnl-m.igc2.40.zebin",
    "tests/fixtures/zebin/funcs-stackcall.cri.igc2.40.zebin",
];

fn read(text: &[u8]) -> Profile {
    let mut reader = Reader::new();
    reader.push(text);
    reader.finish()
}

fn apply(document: &mut Document, text: &[u8]) -> ProfileReport {
    let profile = read(text);
    assert_eq!(profile.problems, []);
    apply_profile(document, &profile)
}

fn apply_profile(document: &mut Document, profile: &Profile) -> ProfileReport {
    document.open_files(NodeId::ROOT);
    let images = tables::documents_with(document, ListId::Kernels);
    profile::apply_profile(document, &images, profile, None, &demangle_briefly)
}

/// A file, its first kernel, and rows of samples of that kernel.
fn each_file(mut check: impl FnMut(&str, &mut Document, &str, Rows)) {
    for path in FILES {
        let mut document = open(&file(path));
        let rows = document
            .kernels(NodeId::ROOT)
            .unwrap()
            .rows(&document.sources);
        let kernel = rows.first().unwrap().name.value.clone();
        let of_kernel = sampled(&document, NodeId::ROOT, &kernel, path);
        check(path, &mut document, &kernel, of_kernel);
    }
}

#[test]
fn stall_samples_are_the_same_in_all_layouts() {
    each_file(|path, document, kernel, rows| {
        let copy = (
            "copy(float*, float const*)".to_owned(),
            rows.1[..2].to_vec(),
        );
        let all = [rows.clone(), copy];
        let mut expected = None;
        for (name, layout) in STALLS {
            let text = layout(&all);
            assert!(
                is_profile(&text.as_bytes()[..text.len().min(2000)]),
                "{name}"
            );
            let mut profile = read(text.as_bytes());
            assert_eq!(profile.problems, [], "{name}, {path}");
            assert_eq!(profile.rows, rows.1.len() as u64 + 2, "{name}, {path}");
            assert_eq!(profile.types, profiles::TYPES, "{name}, {path}");
            profile.set_device(0);
            let report = apply_profile(document, &profile);
            let found = &report.kernels[0];
            assert_eq!(found.name, kernel, "{name}");
            let file: u64 = rows.1.iter().map(|(_, counts)| total(counts)).sum();
            assert_eq!(report.located, file, "{name}, {path}");
            assert_eq!(report.unmatched[0].name, "copy(float*, float const*)");
            let expected = expected.get_or_insert(report.clone());
            assert_eq!(&report, expected, "{name}, {path}");
        }
    });
}

#[test]
fn metrics_are_the_same_in_all_layouts() {
    let runs: [MetricRow; 4] = [
        (5, 400, 10.5),
        (5, 200, 20.0),
        (6, 400, 0.25),
        (9, 1000, 99.0),
    ];
    each_file(|path, document, kernel, _| {
        let name = format!("{kernel}[SIMD{} {{8; 1; 1}} {{8; 1; 1}}]", width(document));
        for (layout, write, has_runs) in METRICS {
            let report = apply(document, write(&name, &runs).as_bytes());
            let [of] = report.metrics.as_slice() else {
                panic!("{layout}: {:?}", report.metrics);
            };
            assert_eq!((&*of.name, of.rows), (&*name, 4), "{layout}");
            assert_eq!(of.images.len(), 1, "{layout}, {path}: {:?}", of.reason);
            assert_eq!(of.instances, has_runs.then_some(3), "{layout}");
            let [time, active] = of.metrics.as_slice() else {
                panic!("{layout}: {of:?}");
            };
            assert_eq!((&*time.name, time.sum), ("GpuTime[ns]", 2000.0), "{layout}");
            // By hand: (400 · 10.5 + 200 · 20 + 400 · 0.25 + 1000 · 99) / 2000.
            assert!((active.mean - 53.65).abs() < 1e-9, "{layout}: {active:?}");
            let names = report.metric_names();
            assert_eq!(
                names.contains(&"Instances".to_owned()),
                has_runs,
                "{layout}"
            );
        }
    });
}

fn width(document: &Document) -> u64 {
    let rows = document
        .kernels(NodeId::ROOT)
        .unwrap()
        .rows(&document.sources);
    u64::try_from(rows.first().unwrap().simd_size.value).unwrap()
}

#[test]
fn device_times_are_the_same_in_all_layouts() {
    each_file(|path, document, kernel, _| {
        let simd = width(document);
        // Unknown sizes are not compared.
        let (is_known, spill, private) = {
            let rows = document.kernels(NodeId::ROOT).unwrap();
            let rows = rows.rows(&document.sources);
            let size = |figure: i64| u64::try_from(figure).unwrap();
            let first = rows.first().unwrap();
            (
                first.spill_size.figure.is_ok(),
                size(first.spill_size.figure.unwrap_or(0)),
                size(first.private_size.figure.unwrap_or(0)),
            )
        };
        for (layout, write) in DEVICE_TIMES {
            let ran = |name, calls, total, spill| Ran {
                name,
                calls,
                total,
                is_aot: true,
                simd,
                spill,
                private,
            };
            let kernels = [
                ran(kernel, 4, 8000, spill),
                ran("other(int, int)", 1, 1000, 0),
            ];
            let text = write(&kernels);
            assert!(is_profile(text.as_bytes()), "{layout}");
            let report = apply(document, text.as_bytes());
            let [of, other, copy] = report.timings.as_slice() else {
                panic!("{layout}: {:?}", report.timings);
            };
            let times = of.times.unwrap();
            assert_eq!(
                (times.calls, times.total, times.minimum, times.maximum),
                (4, 8000, 1000, 8000)
            );
            assert_eq!(of.images.len(), 1, "{layout}, {path}: {:?}", of.reason);
            assert_eq!(of.notes, Vec::<String>::new(), "{layout}");
            assert!(
                other.name.starts_with("other(int, int)"),
                "{layout}: {}",
                other.name
            );
            assert_eq!(other.reason.as_deref(), Some("no kernel of this name"));
            assert_eq!(
                copy.reason.as_deref(),
                Some("a command of the driver, not a kernel")
            );
            assert_eq!(of.tile, (layout == "tiles").then_some(0));
            let figures = report.kernel_figures();
            let figure = |name: &str| {
                let found = figures[0].figures.iter().find(|(known, _)| known == name);
                found.map(|(_, value)| *value)
            };
            assert_eq!(figure("DeviceTime[%]"), Some(80.0), "{layout}");
            assert_eq!(figure("AverageTime[ns]"), Some(2000.0), "{layout}");
            match layout {
                "OpenCL" => assert_eq!(of.properties, None),
                "properties without commas" => {
                    let properties = of.properties.unwrap();
                    assert_eq!((properties.is_aot, properties.simd), (None, None));
                    assert_eq!(
                        (properties.arguments, properties.spill),
                        (Some(4), Some(spill))
                    );
                }
                _ => {
                    let properties = of.properties.unwrap();
                    assert_eq!(
                        (properties.is_aot, properties.simd),
                        (Some(true), Some(simd))
                    );
                    assert_eq!(
                        (properties.spill, properties.registers),
                        (Some(spill), None)
                    );
                    assert_eq!(of.compiled.as_deref(), Some("AOT"), "{layout}, {path}");
                }
            }
        }
        // Another build ran.
        let other = [Ran {
            name: kernel,
            calls: 1,
            total: 1,
            is_aot: true,
            simd,
            spill: spill + 64,
            private,
        }];
        let report = apply(document, DEVICE_TIMES[0].1(&other).as_bytes());
        let notes = report.timings[0].notes.join("; ");
        let spilled = format!(
            "spill memory: {} bytes per thread in the run, {spill} in the file",
            spill + 64
        );
        assert!(
            is_known == notes.contains(&spilled) && is_known == notes.contains("another build"),
            "{notes}"
        );
        let wide = [Ran {
            name: kernel,
            calls: 1,
            total: 1,
            is_aot: false,
            simd: 64,
            spill,
            private,
        }];
        let report = apply(document, DEVICE_TIMES[0].1(&wide).as_bytes());
        let reason = report.timings[0].reason.as_deref();
        assert_eq!(
            reason,
            Some("the kernel ran with SIMD width 64, which no build in the file has")
        );
    });
}

/// The offsets of the instructions of a kernel, without padding.
fn listing(document: &Document, kernel: &str) -> Vec<u64> {
    let sources = &document.sources;
    let rows = document.kernels(NodeId::ROOT).unwrap().rows(sources);
    let len = rows.iter().find(|row| row.name.value == kernel).unwrap();
    let len = len.code_size.unwrap().value;
    let assembly = document.assembly(NodeId::ROOT).unwrap();
    let sections = assembly.sections();
    let is_it = |name: &str| name == kernel;
    let section = sections
        .iter()
        .find(|s| s.kernel.as_ref().is_some_and(|(name, _)| is_it(name)));
    let code = section.unwrap().bytes;
    let listing = assembly.listing(code, None, sources).unwrap();
    let offsets =
        (0..listing.count()).map(|row| listing.span(row, sources).unwrap().start - code.start);
    offsets.take_while(|offset| *offset < len).collect()
}

#[test]
fn executions_of_instructions_are_counted() {
    each_file(|path, document, kernel, _| {
        let offsets = listing(document, kernel);
        let count = |offset: u64| 100 + offset;
        let rows = offsets
            .iter()
            .map(|offset| (*offset, count(*offset), count(*offset) * 8));
        let rows: Vec<_> = rows.collect();
        for lists in [&offsets[..], &[]] {
            let text = instcount(kernel, &rows, lists);
            assert!(is_profile(text.as_bytes()));
            // In pieces, too.
            let whole = read(text.as_bytes());
            let mut reader = Reader::new();
            text.as_bytes()
                .chunks(7)
                .for_each(|piece| reader.push(piece));
            assert_eq!(reader.finish(), whole);
            let report = apply(document, text.as_bytes());
            let of = &report.counts[0];
            assert_eq!((of.runs, of.collected_runs), (2, Some(2)));
            let [code] = of.codes.as_slice() else {
                panic!("{path}: {:?}", of.reason);
            };
            assert_eq!(code.elsewhere, []);
            assert_eq!(code.threads, Some(200), "{path}");
            let found = code
                .instructions
                .iter()
                .map(|at| (at.offset, at.executions, at.lanes));
            // Two runs.
            let expected = offsets
                .iter()
                .map(|at| (*at, 2 * count(*at), Some(16 * count(*at))));
            assert!(found.eq(expected), "{path}");
            assert!(
                code.instructions
                    .iter()
                    .all(|at| at.mean_lanes() == Some(8.0))
            );
            assert!(code.instructions.iter().all(|at| !at.text.is_empty()));
            for found in &code.loops {
                assert_eq!(found.iterations, 2 * count(found.start), "{path}");
            }
        }
        // Lanes were not counted.
        let rows: Vec<_> = rows
            .iter()
            .map(|(offset, count, _)| (*offset, *count, 0))
            .collect();
        let report = apply(document, instcount(kernel, &rows, &offsets).as_bytes());
        assert!(
            report.counts[0].codes[0]
                .instructions
                .iter()
                .all(|at| at.lanes.is_none())
        );
        // Another build: offsets in between.
        let other: Vec<u64> = offsets.iter().map(|offset| offset + 4).collect();
        let profile = read(instcount(kernel, &[], &other).as_bytes());
        let report = apply_profile(document, &profile);
        assert_eq!(report.counts[0].codes, []);
        assert!(report.counts[0].reason.is_some());
    });
}

#[test]
fn memory_accesses_are_counted() {
    each_file(|path, document, kernel, _| {
        let offsets = listing(document, kernel);
        let rows: Vec<_> = offsets[..2]
            .iter()
            .map(|offset| (*offset, 10, 320, 20))
            .collect();
        let report = apply(document, memaccess(kernel, &rows, &offsets).as_bytes());
        let code = &report.counts[0].codes[0];
        assert_eq!(code.instructions.len(), 2, "{path}");
        let at = &code.instructions[1];
        assert_eq!((at.executions, at.lanes), (20, Some(640)));
        let access = at.access.as_ref().unwrap();
        assert_eq!((access.cache_lines, access.unaligned), (40, 2));
        assert_eq!(access.strides, [(-4, 6), (4, 640)]);
        assert_eq!(access.other_strides, [4, 0]);
        // By hand: 640 lanes of 4 bytes, 40 cache lines of 64 bytes: all used.
        assert_eq!(
            (access.used_bytes(640), access.transferred_bytes()),
            (2560, 2560)
        );
        assert!(access.is_scatter && !access.is_write && !access.is_slm);

        // Together with the executions of all instructions.
        let counts: Vec<_> = offsets.iter().map(|offset| (*offset, 10, 320)).collect();
        let profile = read(instcount(kernel, &counts, &offsets).as_bytes());
        let both = apply_profile(document, &profile);
        profile::add_profile(document, report);
        let added = profile::add_profile(document, both);
        let code = added.counts[0].codes[0].images[0].code;
        let all = added.counts_on_code(code);
        assert_eq!(all.len(), offsets.len());
        assert_eq!((all[1].executions, all[1].lanes), (20, Some(640)));
        assert!(all[1].access.is_some() && all.last().unwrap().access.is_none());
    });
}

/// Every profile of the reports, with the right answer.
#[test]
fn reported_profiles_are_right() {
    let Some(reports) = fixtures::corpus().map(|corpus| corpus.join("samples/reports")) else {
        eprintln!("ZEVIEW_CORPUS is not set: the reports are not read");
        return;
    };
    let bytes = |name: &str| std::fs::read(reports.join(name)).unwrap();
    let vecadd = || open(&file("www/samples/vecadd.bmg.zebin"));

    // 0x4a0 of k1 is in vecfun, which k1 calls.
    let mut funcs = open(&bytes("funcs-stackcall.cri.zebin"));
    let report = apply(&mut funcs, &bytes("stall-function.csv"));
    assert_eq!((total(&report.samples), report.located), (369, 369));
    let k1 = report
        .kernels
        .iter()
        .find(|kernel| kernel.name == "k1")
        .unwrap();
    let [kernel, vecfun] = k1.codes[0].functions.as_slice() else {
        panic!("{k1:?}");
    };
    assert_eq!((&*kernel.function, total(&kernel.own)), ("k1", 11));
    assert_eq!((&*vecfun.function, vecfun.start), ("vecfun", 0x420));
    assert_eq!(total(&vecfun.own), 305);
    let at = k1.codes[0].instructions.last().unwrap();
    assert_eq!((at.offset, at.function.as_deref()), (0x4a0, Some("vecfun")));

    // Two samples after the end of the kernel.
    let report = apply(&mut vecadd(), &bytes("stall-builtin.csv"));
    assert_eq!((total(&report.samples), report.located), (130, 128));
    let after = &report.kernels[0].codes[0].after_end;
    assert_eq!((after[0].offset, total(&after[0].counts)), (0x4a0, 2));
    assert_eq!(report.unmatched, []);

    // Two blocks, each on its own build.
    let mut builds = open(&bytes("twobuilds.zip"));
    let report = apply(&mut builds, &bytes("twobuilds.csv"));
    assert_eq!((total(&report.samples), report.located), (546, 546));
    let mut found: Vec<(String, u64)> = report
        .kernels
        .iter()
        .map(|kernel| {
            let [code] = kernel.codes.as_slice() else {
                panic!("{kernel:?}");
            };
            (code.images[0].path.clone(), total(&kernel.samples))
        })
        .collect();
    found.sort();
    let sizes = found.iter().map(|(_, samples)| *samples);
    assert_eq!(found.len(), 2, "{found:?}");
    for (path, samples) in &found {
        let is_unoptimized = path.contains("O0");
        assert_eq!(*samples, if is_unoptimized { 19 } else { 527 }, "{found:?}");
    }
    assert_eq!(sizes.sum::<u64>(), 546);
    // Only the first block is of the build at hand.
    let report = apply(&mut vecadd(), &bytes("twobuilds.csv"));
    assert_eq!(report.located, 527);
    assert_eq!(total(&report.unmatched[0].samples), 19);

    let report = apply(&mut vecadd(), &bytes("stall-old.csv"));
    assert_eq!((report.located, report.kernels.len()), (176, 1));
    assert_eq!(report.kernels[0].device, Some(0));
    let report = apply(&mut vecadd(), &bytes("stall-plain.csv"));
    assert_eq!(report.located, 128);

    let text = bytes("pti75.csv");
    let profile = read(&text);
    assert_eq!((profile.rows, profile.idle_rows), (4, 3));
    let report = apply(&mut vecadd(), &text);
    let of = &report.metrics[0];
    assert_eq!(
        (of.device, of.instances, of.images.len()),
        (Some(0), None, 1)
    );
    let active = of
        .metrics
        .iter()
        .find(|metric| &*metric.name == "XVE_ACTIVE[%]");
    assert_eq!(active.unwrap().mean, 12.5);

    let profile = read(&bytes("gemm_fp16_bytes.1799860"));
    assert_eq!(profile.problems, []);
    assert_eq!(profile.timings.len(), 8);
    let gemm = &profile.timings[1];
    assert_eq!(gemm.times.unwrap().total, 4_731_360);
    let properties = gemm.properties.unwrap();
    assert_eq!((properties.arguments, properties.slm), (Some(27), Some(8)));
    let names = profile
        .metrics
        .iter()
        .map(|of| (of.device, &*of.name, of.rows));
    let names: Vec<_> = names.collect();
    let binary = "binary_test[SIMD16 {1; 1; 1} {4; 2; 1}]";
    let hgemm = "hgemm_nocopy_nn_64x40_4x8[SIMD16 {56; 1; 1} {64; 8; 1}]";
    assert_eq!(names, [(Some(0), binary, 1), (Some(0), hgemm, 2)]);
}

#[test]
fn native_code_that_the_driver_recompiles_is_named() {
    let Some(reports) = fixtures::corpus().map(|corpus| corpus.join("samples/reports")) else {
        eprintln!("ZEVIEW_CORPUS is not set: the reports are not read");
        return;
    };
    let mut document = open(&std::fs::read(reports.join("l1-wbp.zebin")).unwrap());
    let rows = document
        .kernels(NodeId::ROOT)
        .unwrap()
        .rows(&document.sources);
    let name = rows.first().unwrap().name.value.clone();
    let simd = width(&document);
    for (is_aot, words) in [(true, "AOT, but the driver recompiled it"), (false, "JIT")] {
        let ran = [Ran {
            name: &name,
            calls: 1,
            total: 5,
            is_aot,
            simd,
            spill: 0,
            private: 0,
        }];
        let report = apply(&mut document, DEVICE_TIMES[0].1(&ran).as_bytes());
        assert_eq!(report.timings[0].compiled.as_deref(), Some(words));
    }
}

#[test]
fn files_of_a_run_are_one_profile() {
    let mut document = open(&file(FILES[0]));
    let rows = sampled(&document, NodeId::ROOT, "vecadd", "run");
    let sum: u64 = rows.1.iter().map(|(_, counts)| total(counts)).sum();
    let mut all = Profile::default();
    for name in ["metrics_0.csv", "metrics_1.csv"] {
        let mut profile = read(profiles::table(None, std::slice::from_ref(&rows)).as_bytes());
        profile.set_device(device_of_name(name).unwrap());
        all.join(profile);
    }
    // Another order of types.
    all.join(read(
        b"Kernel, IP[Address], SbidStall[Events], New[Events]\nvecadd, 0, 5, 7\n",
    ));
    let ran = [Ran {
        name: "vecadd",
        calls: 1,
        total: 5,
        is_aot: true,
        simd: 32,
        spill: 0,
        private: 0,
    }];
    all.join(read(DEVICE_TIMES[0].1(&ran).as_bytes()));
    let report = apply_profile(&mut document, &all);
    assert_eq!(
        (total(&report.samples), report.located),
        (2 * sum + 12, 2 * sum + 12)
    );
    assert_eq!(report.types.last().unwrap(), "New");
    let sbid = report
        .types
        .iter()
        .position(|name| name == "SbidStall")
        .unwrap();
    let of_none = report.kernels.iter().find(|kernel| kernel.device.is_none());
    assert_eq!(of_none.unwrap().samples[sbid], 5);
    let devices = report.kernels.iter().map(|kernel| kernel.device);
    let mut devices: Vec<_> = devices.collect();
    devices.sort();
    assert_eq!(devices, [None, Some(0), Some(1)]);
    assert_eq!(report.timings[0].images.len(), 1);
}

/// The number of samples of a profile by its kernels, as its rows say.
fn in_file(kernels: &[SampledKernel]) -> u64 {
    let rows = kernels.iter().flat_map(|kernel| &kernel.offsets);
    rows.map(|at| total(&at.counts)).sum()
}

/// Shown and listed samples are those of the file, whatever the profile.
#[test]
fn no_sample_is_lost() {
    let mut random = Random::named("account");
    let mut documents: Vec<(Document, Vec<Rows>)> = Vec::new();
    each_file(|path, _, kernel, rows| {
        documents.push((
            open(&file(path)),
            vec![rows, (kernel.to_owned(), Vec::new())],
        ));
    });
    let matmul = open(&file("www/samples/matmul.syclbin"));
    documents.push((matmul, vec![("matmul".to_owned(), Vec::new())]));
    for (document, known) in &mut documents {
        for _ in 0..60 {
            let mut text = String::new();
            let mut expected = 0_u64;
            for device in 0..=random.below(2) {
                let mut kernels: Vec<Rows> = Vec::new();
                for _ in 0..=random.below(4) {
                    let (name, rows) = &known[random.below(known.len())];
                    let mut rows: Vec<_> = rows
                        .iter()
                        .filter(|_| random.below(3) > 0)
                        .copied()
                        .collect();
                    // Offsets that are none: between instructions, of functions, after the end.
                    for _ in 0..random.below(5) {
                        let offset = random.below(0x800) as u64;
                        let counts = std::array::from_fn(|_| random.below(20) as u64);
                        rows.push((offset & !(random.below(8) as u64), counts));
                    }
                    if random.below(4) > 0 {
                        rows.sort_by_key(|(offset, _)| *offset);
                    }
                    let name = if random.below(8) == 0 {
                        "unknown"
                    } else {
                        name
                    };
                    expected += rows.iter().map(|(_, counts)| total(counts)).sum::<u64>();
                    kernels.push((name.to_owned(), rows));
                }
                let device = u32::try_from(device).unwrap();
                text.push_str(&profiles::table(Some(device), &kernels));
            }
            let profile = read(text.as_bytes());
            assert_eq!(profile.problems, []);
            assert_eq!(in_file(&profile.kernels), expected);
            let report = apply_profile(document, &profile);
            account(&report, expected);
        }
    }
}

/// Checks that the samples that are shown and those that are listed are all of the file.
fn account(report: &ProfileReport, expected: u64) {
    assert_eq!(total(&report.samples), expected);
    let mut listed = 0;
    let mut located = 0;
    for kernel in &report.kernels {
        assert!(!kernel.codes.is_empty());
        let shown = |code: &profile::CodeProfile| total(&code.samples(report.types.len()));
        for code in &kernel.codes {
            let all = shown(code) + code.elsewhere();
            assert_eq!(all, total(&kernel.samples), "{}", kernel.name);
        }
        listed += total(&kernel.samples);
        located += kernel.codes.iter().map(shown).max().unwrap();
    }
    listed += report
        .unmatched
        .iter()
        .map(|kernel| total(&kernel.samples))
        .sum::<u64>();
    assert_eq!(listed, expected);
    assert_eq!(located, report.located);
}
