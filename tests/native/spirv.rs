//! SPIR-V: the display of each kind of instruction.

use crate::support::spirv::{Module, kernel};
use crate::support::tree::{Tree, walk_all};
use zeview::decode::rules;
use zeview::model::text::value_text;
use zeview::model::{Document, NodeKind};

fn tree(document: &Document) -> Tree {
    walk_all(document).unwrap()
}

/// Returns the name and summary of each instruction.
fn lines(bytes: &[u8]) -> Vec<String> {
    let document = crate::support::open(bytes);
    let tree = tree(&document);
    let table = tree.nodes.iter().find(|f| f.node.name == "instructions");
    let Some(table) = table else {
        return Vec::new();
    };
    let line = |node: &zeview::model::Node| match &node.summary {
        Some(summary) => format!("{} {summary}", node.name),
        None => node.name.to_string(),
    };
    tree.children(table).iter().map(|f| line(&f.node)).collect()
}

const KERNEL: &[&str] = &[
    "OpCapability Addresses",
    "OpCapability Kernel",
    "OpExtInstImport %1 = \"OpenCL.std\"",
    "OpMemoryModel Physical64 OpenCL",
    "OpEntryPoint Kernel %12:add \"add\"",
    "OpExecutionMode %12:add VecTypeHint 8",
    "OpSource OpenCL_C 200000",
    "OpName %12:add \"add\"",
    "OpName %13:aä \"aä\"",
    "OpDecorate %13:aä FuncParamAttr NoCapture",
    "OpDecorate %12:add LinkageAttributes \"linked\"",
    "OpTypeInt %2 = 32 0",
    "OpTypeInt %3 = 64 1",
    "OpTypeFloat %4 = 32",
    "OpTypeFloat %5 = 64",
    "OpTypeFloat %6 = 16",
    "OpTypeVoid %7 =",
    "OpTypePointer %8 = CrossWorkgroup %2",
    "OpTypeFunction %9 = %7 %8",
    "OpConstant %14 = %2 7",
    "OpConstant %15 = %3 -7",
    "OpConstant %16 = %4 1.5",
    "OpConstant %17 = %5 -2",
    "OpConstant %18 = %6 1",
    "OpSpecConstantOp %19 = %2 OpIAdd %14 %14",
    "OpFunction %12:add = %7 None %9",
    "OpFunctionParameter %13:aä = %8",
    "OpLabel %20 =",
    "OpLoad %21 = %2 %13:aä Aligned 4",
    "OpExtInst %22 = %4 %1 cos %16",
    "OpSwitch %21 %23 1 %24 2 %23",
    "OpLabel %23 =",
    "OpReturn",
    "OpLabel %24 =",
    "unknown instruction 3 words",
    "OpTypeInt %25 =",
    "OpTypeVoid %26 = 2 words",
    "OpReturn",
    "OpFunctionEnd",
];

#[test]
fn each_instruction_in_a_line() {
    let module = kernel();
    let little = lines(&module.build());
    // acos is 0, cos is 14: `%14` and `14` are distinguished.
    assert_eq!(little, KERNEL);
    assert_eq!(lines(&module.big().build()), KERNEL);
}

#[test]
fn literals_have_the_type_of_their_constant() {
    let int = |id, bits, signed| [id, bits, signed];
    let module = Module::new(30)
        .op(21, &int(1, 32, 1))
        .op(21, &int(2, 16, 1))
        .op(21, &int(3, 64, 1))
        .op(21, &int(4, 32, 0))
        .op(22, &[5, 32])
        .op(22, &[6, 16])
        .op(43, &[1, 11, 0xffff_fffb])
        .op(43, &[2, 12, 0xffff_fffe])
        .op(43, &[3, 13, 0xffff_fffd, 0xffff_ffff])
        .op(43, &[4, 14, 0xffff_fffb])
        .op(43, &[5, 15, 1.5f32.to_bits()])
        .op(43, &[6, 16, 0xc000]);
    let constants: Vec<String> = lines(&module.build())
        .into_iter()
        .filter(|line| line.starts_with("OpConstant"))
        .collect();
    let expected = [
        "OpConstant %11 = %1 -5",
        "OpConstant %12 = %2 -2",
        "OpConstant %13 = %3 -3",
        "OpConstant %14 = %4 4294967291",
        "OpConstant %15 = %5 1.5",
        "OpConstant %16 = %6 -2",
    ];
    assert_eq!(constants, expected);
}

#[test]
fn the_overview_refers_to_instructions() {
    let document = crate::support::open(&kernel().build());
    let tree = tree(&document);
    let find = |name: &str| tree.nodes.iter().find(|f| f.node.name == name).unwrap();
    let names = |name: &str| -> Vec<String> {
        let children = tree.children(find(name)).iter();
        children.map(|f| f.node.name.to_string()).collect()
    };
    assert_eq!(names("capabilities"), ["Addresses", "Kernel"]);
    assert_eq!(names("entry points"), ["add"]);
    assert_eq!(names("functions"), ["%12:add"]);
    assert_eq!(names("names"), ["%12", "%13"]);
    let entry = &tree.children(find("entry points"))[0].node;
    assert_eq!(entry.kind, NodeKind::Derived);
    let to = entry.xrefs[0].to;
    let there = tree.nodes.iter().find(|f| f.node.span == Some(to));
    assert_eq!(there.unwrap().node.name, "OpEntryPoint");
    let generator = &find("generator").node;
    assert_eq!(value_text(&generator.value), "0x6000e");
    assert_eq!(
        generator.summary.as_deref(),
        Some("Khronos LLVM/SPIR-V Translator, version 14")
    );
}

#[test]
fn walking_ends_where_no_instruction_can_be() {
    for (what, bad) in [("no words", 21), ("past the end", 9 << 16 | 21)] {
        let bytes = Module::new(9).op(17, &[6]).words(&[bad, 1, 2]).build();
        assert_eq!(lines(&bytes), ["OpCapability Kernel"], "{what}");
        let document = crate::support::open(&bytes);
        let tree = tree(&document);
        let rest = tree
            .nodes
            .iter()
            .find(|f| f.node.name == "not an instruction");
        assert_eq!(
            rest.unwrap().node.span.map(|s| (s.start, s.len())),
            Some((28, 12))
        );
    }
    assert_eq!(lines(&Module::new(1).build()), [""; 0]);
}

#[test]
fn only_the_header_is_read_when_a_file_is_opened() {
    let mut module = kernel();
    for _ in 0..100_000 {
        module = module.op(253, &[]);
    }
    let document = crate::support::open(&module.build());
    assert!(document.sources.bytes_read() < 70_000);
    assert_eq!(document.diagnostics, []);
    assert_eq!(document.summary.format, "spirv");
    let odd = crate::support::open(&[&kernel().build()[..], &[1, 2]].concat());
    assert_eq!(odd.diagnostics[0].rule, rules::SPIRV_ODD_SIZE.id);
}
