//! Kernels in step: the lines of the source, SPIR-V, vISA and instructions that belong together.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;

use zeview::kernel_names::{self, KernelQuery};
use zeview::step::{Basis, KernelStep, Point, StepColumn, StepKind, kernel_step};

use crate::cli::{stderr, stdout, zeview};
use crate::support::{fixtures, open};

fn step_of(file: &str, kernel: &str, source: Option<&str>) -> KernelStep {
    let path = fixtures::folder().join("zebin").join(file);
    let mut document = open(&fs::read(path).unwrap());
    if let Some(source) = source {
        let text = fs::read_to_string(fixtures::folder().join("src").join(source)).unwrap();
        document.add_source_text(source, &text);
    }
    let build = kernel_names::one(&mut document, &KernelQuery::named(kernel)).unwrap();
    kernel_step(&mut document, &build)
}

fn column(step: &KernelStep, kind: StepKind) -> &StepColumn {
    let mut found = step.columns.iter().filter(|column| column.kind == kind);
    found.next().unwrap()
}

/// The own line of each row of a column.
fn own_lines(step: &KernelStep, kind: StepKind) -> Vec<(String, Option<u32>)> {
    let line = |point: &u32| match &step.points[*point as usize] {
        Point::Line { line, .. } => Some(*line),
        Point::Name { .. } => None,
    };
    let lines = column(step, kind).lines.iter();
    lines
        .map(|found| (found.text.clone(), found.points.first().and_then(line)))
        .collect()
}

/// The line of each address, as `llvm-dwarfdump --debug-line` prints the table: the last row of an
/// address counts; line 0 is none, and so is the end of a sequence.
fn dwarfdump(name: &str) -> BTreeMap<u64, u32> {
    let path = fixtures::folder().join(format!("step/{name}.dwarfdump.txt"));
    let text = fs::read_to_string(path).unwrap();
    let rows = text.lines().filter_map(|line| {
        let mut words = line.split_whitespace();
        let address = u64::from_str_radix(words.next()?.strip_prefix("0x")?, 16).ok()?;
        let number = words.next()?.parse().ok()?;
        let is_end = line.ends_with("end_sequence");
        Some((address, if is_end { 0 } else { number }))
    });
    rows.collect()
}

#[test]
fn instructions_have_the_lines_of_llvm_dwarfdump() {
    let mut compared = 0;
    for name in ["debugme-lines.ptl-h.igc2.40", "debugme.tgllp.igc1.12504"] {
        let step = step_of(&format!("{name}.zebin"), "step", None);
        assert_eq!(step.basis, Basis::Lines);
        let table = dwarfdump(name);
        let code = column(&step, StepKind::Instructions);
        let start = code.lines[0].span.unwrap().start;
        let own = own_lines(&step, StepKind::Instructions);
        for (line, (text, own)) in code.lines.iter().zip(own) {
            let offset = line.span.unwrap().start - start;
            let expected = table.range(..=offset).next_back().map(|(_, line)| *line);
            assert_eq!(
                own,
                expected.filter(|line| *line > 0),
                "{name} {offset:#x} {text}"
            );
            compared += usize::from(own.is_some());
        }
    }
    assert!(compared > 100, "{compared}");
}

/// The lines by `OpLine` in the text of `spirv-dis`, which end with a block or at `OpNoLine`.
#[test]
fn spirv_has_the_lines_of_its_text() {
    let name = "debugme-lines.ptl-h.igc2.40";
    let path = fixtures::folder().join(format!("spirv/{name}.spvasm"));
    let text = fs::read_to_string(path).unwrap();
    let step = step_of(&format!("{name}.zebin"), "step", None);
    let found = own_lines(&step, StepKind::Spirv);
    let mut expected: BTreeMap<String, BTreeSet<Option<u32>>> = BTreeMap::new();
    let mut line = None;
    for written in text.lines() {
        let operation = written
            .split_whitespace()
            .find(|word| word.starts_with("Op"));
        let operation = operation.unwrap_or_default();
        if operation == "OpLine" {
            line = written
                .split_whitespace()
                .nth(2)
                .and_then(|line| line.parse().ok());
            line = line.filter(|line| *line > 0);
        } else if operation == "OpNoLine" {
            line = None;
        } else if !written.contains("DebugScope") {
            expected.entry(written.to_owned()).or_default().insert(line);
        }
        let ends = [
            "OpBranch",
            "OpReturn",
            "OpUnreachable",
            "OpSwitch",
            "OpKill",
            "OpFunctionEnd",
        ];
        if ends.iter().any(|end| operation.starts_with(end)) {
            line = None;
        }
    }
    let mut compared = 0;
    for (text, own) in &found {
        // The rows of a place themselves have none.
        if text.contains("OpLine") || text.contains("OpNoLine") || text.contains("DebugScope") {
            assert_eq!(*own, None, "{text}");
        } else {
            assert!(
                expected[text].contains(own),
                "{text}: {own:?}, not {:?}",
                expected[text]
            );
            compared += usize::from(own.is_some());
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn columns_are_tied_by_source_lines() {
    let step = step_of("debugme.tgllp.igc1.12504.zebin", "step", Some("debugme.cl"));
    let kinds: Vec<StepKind> = step.columns.iter().map(|column| column.kind).collect();
    let expected = [StepKind::Source, StepKind::Spirv, StepKind::Instructions];
    assert_eq!(kinds, expected);
    assert_eq!(step.notes, [""; 0]);
    // Each point of a source line leads to lines of the other columns; the line of the call in the
    // kernel, to the inlined instructions, too.
    let source = &step.columns[0];
    assert!(source.title.ends_with("debugme.cl"), "{}", source.title);
    let point = |line: usize| source.lines[line - 1].points[0];
    let texts = |line: usize, column: usize| -> Vec<&str> {
        let found = step.lines_at(point(line));
        let of = found.into_iter().find(|(at, _)| *at == column);
        let lines = of.map(|(_, lines)| lines).unwrap_or_default();
        lines.iter().map(|line| &*line.text).collect()
    };
    assert!(texts(2, 1).iter().any(|text| text.contains("OpDot")));
    assert!(
        texts(9, 1)
            .iter()
            .any(|text| text.contains("OpFunctionCall"))
    );
    let energy: BTreeSet<&str> = texts(2, 2).into_iter().collect();
    let call: BTreeSet<&str> = texts(9, 2).into_iter().collect();
    assert!(!energy.is_empty());
    assert!(energy.is_subset(&call), "{energy:?} {call:?}");
    // No point twice in a line, and each in the list.
    for line in step.columns.iter().flat_map(|column| &column.lines) {
        let distinct: BTreeSet<_> = line.points.iter().collect();
        assert_eq!(distinct.len(), line.points.len());
        assert!(
            line.points
                .iter()
                .all(|at| (*at as usize) < step.points.len())
        );
    }
}

#[test]
fn names_tie_what_has_no_lines() {
    let step = step_of("assertk.dg2.igc2.40.zebin", "*", None);
    assert_eq!(step.basis, Basis::Names);
    assert!(step.notes.iter().any(|note| note.contains("by name only")));
    let names: Vec<String> = step.points.iter().map(Point::text).collect();
    assert!(
        names.iter().any(|name| name.starts_with("argument ")),
        "{names:?}"
    );
    for at in 0..step.points.len() as u32 {
        assert_eq!(step.lines_at(at).len(), 2, "{}", names[at as usize]);
    }
}

#[test]
fn the_text_has_every_line_once() {
    let folder = fixtures::folder();
    let file = folder.join("zebin/debugme.tgllp.igc1.12504.zebin");
    let source = folder.join("src/debugme.cl");
    let source = source.to_str().unwrap();
    let output = zeview(&[
        "step",
        file.to_str().unwrap(),
        "--kernel",
        "step",
        "--source",
        source,
    ]);
    let printed = stdout(&output);
    let step = step_of("debugme.tgllp.igc1.12504.zebin", "step", Some("debugme.cl"));
    for column in step.columns.iter().filter(|of| of.kind != StepKind::Source) {
        for line in &column.lines {
            let same = |of: &&zeview::step::StepLine| of.text == line.text;
            let count = column.lines.iter().filter(same).count();
            let ends = |printed: &&str| printed.ends_with(line.text.trim_end());
            assert!(
                printed.lines().filter(ends).count() >= count,
                "{}",
                line.text
            );
        }
    }
    assert!(
        printed.contains("\ndebugme.cl:2  float energy("),
        "{printed}"
    );
    assert!(printed.find("debugme.cl:2 ") < printed.find("debugme.cl:5 "));
}

#[test]
fn a_kernel_may_be_left_out() {
    let file = "www/samples/spill.dg2.zebin";
    let output = zeview(&["step", file]);
    assert_eq!(output.status.code(), Some(2));
    let said = stderr(&output);
    assert!(said.contains("the file has 3 kernels"), "{said}");
    assert!(said.contains("choose with --kernel, --device"), "{said}");
    let output = zeview(&["step", "--all-builds", file]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let text = stdout(&output);
    let heads = text.lines().filter(|line| line.starts_with("// kernel "));
    assert_eq!(heads.count(), 3, "{text}");
}

#[test]
fn the_spirv_of_an_archive_belongs_to_its_builds() {
    let file = fixtures::folder().join("verdicts/vectors.ar");
    let file = file.to_str().unwrap();
    let printed = stdout(&zeview(&[
        "disasm", "--spirv", file, "--kernel", "vecadd", "--device", "bmg-g21",
    ]));
    for device in ["acm-g10", "bmg-g21"] {
        let mut document = open(&fs::read(file).unwrap());
        let query = KernelQuery {
            device: Some(device.to_owned()),
            ..KernelQuery::with_code("vecadd")
        };
        let build = kernel_names::one(&mut document, &query).unwrap();
        let step = kernel_step(&mut document, &build);
        assert!(!column(&step, StepKind::Instructions).lines.is_empty());
        for line in &column(&step, StepKind::Spirv).lines {
            assert!(printed.contains(line.text.trim_end()), "{}", line.text);
        }
    }
}

#[test]
fn kernels_without_native_code_have_their_spirv() {
    let folder = fixtures::folder();
    for (file, kernel) in [
        ("spirv/literals.spv", "main kernel"),
        ("syclbin/v1f_allprops.syclbin", "vecadd"),
        ("syclbin/up23_kernel.sycl-ob", "reduce"),
    ] {
        let file = folder.join(file);
        let output = zeview(&["step", file.to_str().unwrap(), "--kernel", kernel]);
        let printed = stdout(&output);
        assert!(printed.contains("OpFunction "), "{printed}");
        assert!(!printed.contains("Instructions "), "{printed}");
        assert!(
            printed.contains("no native code: the kernel is compiled from SPIR-V"),
            "{printed}"
        );
    }
}

/// A folder as Triton's cache has it: the kernel, its forms, and files of other kernels.
fn triton_cache() -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("zeview-triton-{}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(folder.join("ABC")).unwrap();
    let zebin = fixtures::folder().join("zebin/debugme.tgllp.igc1.12504.zebin");
    let write = |name: &str, text: &str| fs::write(folder.join("ABC").join(name), text).unwrap();
    fs::copy(zebin, folder.join("ABC/step.zebin")).unwrap();
    let ttir = "#loc = loc(\"debugme.cl\":5:0)\nmodule {\n  tt.func public @step(%a: i32) {\n    %0 = tt.load %a : i32 loc(#loc)\n  }\n}\n";
    write("step.ttir", ttir);
    write("step.ttgir", ttir);
    write(
        "step.llir",
        "define spir_kernel void @step(ptr %0) !dbg !1 {\n  %2 = load i32, ptr %0, !dbg !2\n}\n!0 = !DIFile(filename: \"debugme.cl\", directory: \"\")\n!1 = distinct !DISubprogram(name: \"step\", file: !0)\n!2 = !DILocation(line: 5, scope: !1)\n",
    );
    write("other.ttir", ttir);
    write(
        "step.visaasm",
        "\t.kernel step\n    FILE \"debugme.cl\"\n    LOC 5\n    add (M1, 16) V1 V2 V3\n",
    );
    folder
}

#[test]
fn the_forms_of_triton_are_tied_to_the_instructions() {
    let folder = triton_cache();
    let output = zeview(&[
        "step",
        folder.to_str().unwrap(),
        "--kernel",
        "step",
        "--json",
    ]);
    fs::remove_dir_all(&folder).unwrap();
    let json: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let step: KernelStep = serde_json::from_value(json[0].clone()).unwrap();
    let kinds: Vec<StepKind> = step.columns.iter().map(|column| column.kind).collect();
    let expected = [
        StepKind::Ttir,
        StepKind::Ttgir,
        StepKind::Llvm,
        StepKind::Spirv,
        StepKind::Visa,
        StepKind::Instructions,
    ];
    assert_eq!(kinds, expected);
    let titles: Vec<&str> = step.columns.iter().map(|column| &*column.title).collect();
    assert_eq!(titles[0], "ABC/step.ttir");
    // Each form has the line that the load is at.
    let point = step.columns[0].lines[3].points[0];
    let found = step.lines_at(point);
    assert_eq!(found.len(), 6, "{:?}", step.points[point as usize]);
    let texts: Vec<&str> = found
        .iter()
        .map(|(_, lines)| lines[0].text.trim())
        .collect();
    assert!(texts[2].starts_with("%2 = load"), "{texts:?}");
    assert!(texts[4].starts_with("add (M1, 16)"), "{texts:?}");
    // Each line has its own bytes.
    let spans: BTreeSet<u64> = step.columns[0]
        .lines
        .iter()
        .map(|line| line.span.unwrap().start)
        .collect();
    assert_eq!(spans.len(), step.columns[0].lines.len());
}
