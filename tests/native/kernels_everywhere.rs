//! Kernels outside of zebins: entry points of SPIR-V, objects and libraries, caches, unknown formats.

use serde_json::Value;
use zeview::tables;
use zeview::tables::kernels;

use super::cli::{stdout, zeview};
use super::support::containers::{
    archive, cache_statistics, hip_object, member, opencl_elf, static_library, sycl_cache_binary,
    sycl_cache_source, unknown_container,
};
use super::support::elf::{Elf, Section};
use super::support::{open, spirv, zebin};
use zeview::analysis::kernels::{KernelDetail, KernelRow};
use zeview::decode::rules;
use zeview::diff::{Change, Options, Part, compare};
use zeview::model::{Document, NodeId};
use zeview::tables::ListId;

fn rows(document: &mut Document) -> Vec<KernelRow> {
    let kernels = document.kernels(NodeId::ROOT).expect("kernels");
    kernels.rows(&document.sources).to_vec()
}

/// Returns the name, device and registers of each listed kernel.
fn listed(bytes: &[u8]) -> Vec<[String; 3]> {
    let mut document = open(bytes);
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None);
    let list = list.expect("a list");
    let cell = |row, id: &str| {
        let columns = ListId::Kernels.columns();
        let at = columns.iter().position(|column| column.id == id).unwrap();
        list.cell(row, at, &document.sources)
            .value
            .text()
            .into_owned()
    };
    let rows = 0..list.primary();
    rows.map(|row| ["name", "device", "grf_count"].map(|id| cell(row, id)))
        .collect()
}

fn row(name: &str, device: &str, grf: &str) -> [String; 3] {
    [name, device, grf].map(str::to_owned)
}

#[test]
fn entry_points_are_kernels_with_their_arguments() {
    for module in [spirv::two_kernels(), spirv::two_kernels().big()] {
        let mut document = open(&module.build());
        let found = rows(&mut document);
        let names: Vec<&str> = found.iter().map(|row| row.name.value.as_str()).collect();
        assert_eq!(names, ["k", "lost"]);
        assert!(
            found
                .iter()
                .all(|row| row.is_spirv && row.code_size.is_none())
        );
        assert_eq!(found[1].required_work_group_size.value, [8, 4, 1]);
        assert_eq!(found[1].required_sub_group_size.value, 16);
        assert_eq!(found[0].required_sub_group_size.span, None);
        assert_eq!((found[0].argument_count, found[1].argument_count), (1, 3));
        let kernels = document.kernels(NodeId::ROOT).unwrap();
        let detail = |at| -> KernelDetail { kernels.detail(at, &document.sources).unwrap() };
        let first = &detail(0).arguments[0];
        // Stated by the compiler; the type alone does not tell the sign.
        assert_eq!(first.type_name.as_deref(), Some("uint"));
        assert_eq!(first.type_qualifiers.as_deref(), Some("const"));
        assert_eq!(
            (first.name.as_deref(), first.type_size),
            (Some("n"), Some(4))
        );
        let arguments = detail(1).arguments;
        let types: Vec<_> = arguments.iter().map(|a| a.type_name.as_deref()).collect();
        assert_eq!(
            types,
            [
                Some("floatx4*"),
                Some("image2d_array_t"),
                Some("struct.pair")
            ]
        );
        assert_eq!(arguments[0].address_qualifier.as_deref(), Some("__global"));
        assert_eq!(arguments[0].type_size, Some(8));
        assert_eq!(
            arguments[1].access_qualifier.as_deref(),
            Some("__write_only")
        );
        assert_eq!(arguments[2].address_qualifier, None);
        assert!(
            kernels
                .occupancy(0, &Default::default(), &document.sources)
                .is_err()
        );
    }
    let bytes = spirv::two_kernels().build();
    assert_eq!(
        listed(&bytes),
        [row("k", "SPIR-V", ""), row("lost", "SPIR-V", "")]
    );
}

#[test]
fn a_kernel_counts_once_beside_its_spirv() {
    let both = spirv::with_dropped_kernel();
    let expected = [row("k", "bmg-g21", "128"), row("lost", "SPIR-V", "")];
    assert_eq!(listed(&both), expected);
    // The same in an archive, where SPIR-V comes last.
    let generic = {
        let mut elf = Elf::default().section(Section::new(
            "SPIRV Object",
            0xff00_0009,
            spirv::two_kernels().build(),
        ));
        elf.machine = 0;
        elf.kind = 0xff02;
        elf.build().bytes
    };
    let native = zebin::small().build().bytes;
    let library = archive(&[
        member("generic_ir/", &generic),
        member("64.20.1.0/", &native),
    ]);
    assert_eq!(listed(&library), expected);
    let mut document = open(&library);
    let survey = kernels::survey(&mut document, NodeId::ROOT).unwrap();
    assert_eq!(
        (survey.kernels, survey.builds, survey.only_spirv),
        (2, 1, 1)
    );
    assert_eq!(survey.spirv.unwrap().kernels, 2);
    let found = document.diagnostics.iter();
    let found: Vec<_> = found
        .filter(|d| d.rule == rules::ZEBIN_KERNEL_ONLY_IN_SPIRV.id)
        .collect();
    let [found] = &found[..] else {
        panic!("{found:?}")
    };
    assert!(found.message.contains("lost") && found.message.contains("64.20.1.0"));
    // SPIR-V of a legacy container alone.
    assert_eq!(listed(&opencl_elf(0xff02)), [row("add", "SPIR-V", "")]);
}

#[test]
fn a_dropped_kernel_is_removed() {
    let native = zebin::small().build().bytes;
    let (mut a, mut b) = (open(&spirv::two_kernels().build()), open(&native));
    let result = compare(&mut a, &mut b, &Options::default());
    let kernels: Vec<_> = result.of(Part::Kernel).collect();
    assert_eq!(kernels.len(), 1, "{kernels:?}");
    assert_eq!(
        (&*kernels[0].name, kernels[0].change),
        ("lost", Change::Removed)
    );
    assert_eq!(kernels[0].measures, []);
    // The required sub-group size.
    let other = spirv::two_kernels().with(33, 32).build();
    let (mut a, mut b) = (open(&spirv::two_kernels().build()), open(&other));
    let result = compare(&mut a, &mut b, &Options::default());
    let kernels: Vec<_> = result.of(Part::Kernel).collect();
    let [changed] = &kernels[..] else {
        panic!("{kernels:?}")
    };
    assert_eq!((&*changed.name, changed.change), ("lost", Change::Changed));
    assert_eq!(changed.measures[0].key, "required_sub_group_size");
}

#[test]
fn images_are_found_in_every_container() {
    let images = |bytes: &[u8]| -> Vec<String> {
        let mut document = open(bytes);
        let images = document.images(NodeId::ROOT);
        images
            .list
            .iter()
            .map(|image| image.format.to_string())
            .collect()
    };
    assert_eq!(images(&hip_object()), ["spirv", "spirv"]);
    assert_eq!(listed(&hip_object()).len(), 2);
    assert_eq!(images(&unknown_container()), ["zebin", "spirv"]);
    let document = open(&unknown_container());
    assert_eq!(document.coverage.gap, 14 + 8 + 7);
    assert_eq!(
        images(&static_library()),
        ["zebin", "zebin", "opencl-elf", "bitcode"]
    );
    // Bytes that only look like a signature.
    let noise = b"\x01\x7fELF\x02\x01\x01 !<arch>\n \x03\x02\x23\x07".repeat(40);
    assert_eq!(open(&noise).summary.format, "raw");
}

#[test]
fn objects_of_a_static_library_are_judged_on_their_own() {
    let mut document = open(&static_library());
    let images = document.images_to_choose(NodeId::ROOT);
    let choice = document.choice(&images, "bmg-g21").expect("a choice");
    let chosen: Vec<_> = choice.chosen().map(|at| &*images.list[at].name).collect();
    assert_eq!(chosen.len(), 1, "{chosen:?}");
    assert!(chosen[0].ends_with("64.20.1.0"), "{chosen:?}");
    let bitcode = images
        .list
        .iter()
        .position(|i| i.format == "bitcode")
        .unwrap();
    assert!(choice.picks[bitcode].why.contains("bitcode"));
}

#[test]
fn caches_state_their_device_and_driver() {
    let native = zebin::small().build().bytes;
    for has_count in [false, true] {
        let bytes = sycl_cache_binary(has_count, &native);
        assert_eq!(listed(&bytes), [row("k", "bmg-g21", "128")]);
        let document = open(&bytes);
        assert_eq!(
            (document.coverage.gap, &document.diagnostics[..]),
            (0, &[][..])
        );
    }
    let document = open(&sycl_cache_source());
    let fact = |label: &str| {
        let fact = document
            .summary
            .facts
            .iter()
            .find(|fact| fact.label == label);
        fact.map(|fact| fact.text.to_string()).unwrap_or_default()
    };
    assert_eq!(fact("driver"), "1.14.37020+3");
    assert_eq!(fact("device"), "Arc(TM) B580");
    assert_eq!(fact("build options"), "-ze-opt-level=O2");
    assert_eq!(fact("target"), "bmg-g21 · 20.1.0");
    assert_eq!(fact("images"), "2 images");
    assert_eq!(document.coverage.gap, 0);
    let document = open(&cache_statistics());
    let facts = document.summary.facts.iter();
    let facts: Vec<_> = facts
        .map(|fact| format!("{} {}", fact.label, fact.text))
        .collect();
    assert_eq!(facts, ["hits 7", "misses 3", "version 1"]);
}

#[test]
fn a_text_of_ze_info_has_its_kernels() {
    let text = zebin::ze_info(&["k", "second"]);
    assert_eq!(
        listed(text.as_bytes()),
        [row("k", "", "128"), row("second", "", "128")]
    );
    assert_eq!(
        open(b"version: 3\nservices:\n  - name: x\n").summary.format,
        "raw"
    );
}

#[test]
fn spirv_beside_native_code_in_a_folder() {
    let folder = std::env::temp_dir().join(format!("zeview-beside-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let write = |name: &str, bytes: &[u8]| {
        std::fs::write(folder.join(name), bytes).expect("it is written");
    };
    write("both.spv", &spirv::two_kernels().build());
    write("both_bmg.zebin", &zebin::small().build().bytes);
    write("both.lnl.zebin", &zebin::small().build().bytes);
    // Without a common kernel, they have nothing to do with each other.
    write("other.spv", &spirv::two_kernels().build());
    write("other.zebin", &zebin::zebin(&["x"]).build().bytes);
    let output = zeview(&["check", &folder.display().to_string()]);
    let text = stdout(&output);
    std::fs::remove_dir_all(&folder).expect("it is removed");
    let message = "no native code of lost, a kernel of both.spv";
    assert_eq!(text.matches(message).count(), 2, "{text}");
    assert_eq!(text.matches("no native code").count(), 2, "{text}");
}

/// The files of `samples/reports` in the corpus, each with the right answer.
#[test]
fn reported_files() {
    let Ok(corpus) = std::env::var("ZEVIEW_CORPUS") else {
        return;
    };
    let folder = std::path::Path::new(&corpus).join("samples/reports");
    if !folder.is_dir() {
        return;
    }
    let path = |name: &str| folder.join(name).display().to_string();
    let json = |arguments: &[&str]| -> Value {
        serde_json::from_slice(&zeview(arguments).stdout).expect("it is JSON")
    };
    let names = |name: &str| -> Vec<(String, String)> {
        let rows = json(&["kernels", "--json", &path(name)]);
        let rows = rows.as_array().unwrap().iter();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        rows.map(|row| (text(&row["name"]), text(&row["device"])))
            .collect()
    };
    let pair = |name: &str, device: &str| (name.to_owned(), device.to_owned());
    let gemm = ["gemm_f16", "gemm_i8", "gemm_bf16"];
    assert_eq!(
        names("dropped-kernel.spv"),
        gemm.map(|name| pair(name, "SPIR-V"))
    );
    assert_eq!(
        names("dropped-kernel.lnl.zebin"),
        [
            pair("gemm_f16", "lnl-m"),
            pair("gemm_bf16", "lnl-m"),
            pair("gemm_i8", "SPIR-V"),
        ]
    );
    for (name, rule) in [
        (
            "dropped-kernel.lnl.zebin",
            rules::ZEBIN_KERNEL_ONLY_IN_SPIRV.id,
        ),
        ("dropped.zebin", rules::ZEBIN_KERNEL_ONLY_IN_SPIRV.id),
        ("degenerate.zebin", rules::ZEBIN_NO_CODE.id),
        ("degenerate-nospv.zebin", rules::ZEBIN_NO_CODE.id),
    ] {
        let output = zeview(&["check", "--strict", &path(name)]);
        assert!(stdout(&output).contains(rule), "{name}");
        assert_eq!(output.status.code(), Some(1), "{name}");
    }
    for name in ["dropped-kernel.lnl.zebin", "dropped-kernel-nospv.lnl.zebin"] {
        let found = json(&["diff", "--json", &path("dropped-kernel.spv"), &path(name)]);
        assert_eq!(
            found["kernels"]["removed"],
            serde_json::json!(["gemm_i8"]),
            "{name}"
        );
        assert_eq!(found["kernels"]["added"], serde_json::json!([]), "{name}");
    }
    for name in ["chipstar.so", "hip-spirv.bundle"] {
        assert_eq!(names(name), gemm.map(|name| pair(name, "SPIR-V")), "{name}");
    }
    for (name, format) in [
        ("sycl-obj.o", "LLVM bitcode"),
        ("sycl-objspv.o", "SPIR-V 1.0"),
    ] {
        let output = zeview(&["ls", "--images", &path(name)]);
        assert!(stdout(&output).contains(format), "{name}");
    }
    let images = json(&["images", "--json", &path("nvptx-only.so")]);
    assert_eq!(images[0]["kind"], "cuda-elf");
    let blob = names("openvino-gpu.blob");
    assert_eq!(blob[0], pair("vecadd", "bmg-g21"));
    assert_eq!(names("vecadd.zeinfo"), [pair("vecadd", "")]);
    let cache = names("syclcache");
    assert!(cache.contains(&pair("vecadd", "bmg-g21")), "{cache:?}");
    let source = zeview(&[&path("syclcache/111/222/333/444/0.src")]);
    let source = stdout(&source);
    for fact in ["B580", "driver: 1.14.37020+3", "-ze-opt-level=O2"] {
        assert!(source.contains(fact), "{source}");
    }
}
