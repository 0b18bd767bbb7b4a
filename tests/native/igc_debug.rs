//! IGC's program debug data.

use crate::support::built::debug_elf;
use crate::support::igc_debug::{Kernel, program};
use crate::support::tree::walk_all;
use zeview::decode::rules;
use zeview::model::{Document, NodeKind};

fn rules_of(document: &Document) -> Vec<&str> {
    document.diagnostics.iter().map(|d| &*d.rule).collect()
}

#[test]
fn each_kernel_has_its_elf_file() {
    let elf = debug_elf();
    let names = ["one", "three", "a_longer_name"];
    let kernels = names.iter().map(|name| Kernel::named(name).visa(&elf));
    let document = crate::support::open(&program(kernels.collect()).build());
    assert_eq!(document.diagnostics, []);
    assert_eq!(document.summary.format, "igc-debug");
    let tree = walk_all(&document).unwrap();
    let top: Vec<_> = tree.children(&tree.nodes[0]).iter().collect();
    let titles: Vec<_> = top.iter().map(|f| &*f.node.name).collect();
    assert_eq!(titles, ["program header", "one", "three", "a_longer_name"]);
    for kernel in &top[1..] {
        let parts = tree.children(kernel);
        let nested = parts
            .iter()
            .find(|f| f.node.kind == NodeKind::File)
            .unwrap();
        assert!(
            tree.children(nested)
                .iter()
                .any(|f| f.node.name == ".debug_line")
        );
    }
}

#[test]
fn patch_tokens_are_recognized_by_the_third_word() {
    let mut file = program(vec![Kernel::named("k")]);
    file.size = 12;
    let document = crate::support::open(&file.build());
    assert_eq!(document.summary.format, "patch-tokens");
    assert_eq!(document.summary.title, "patch tokens");
}

#[test]
fn names_of_unaligned_size() {
    let elf = debug_elf();
    // As compute-runtime reads it: the ELF file follows the name.
    let tight = Kernel {
        name: b"kernl\0".to_vec(),
        ..Kernel::default()
    };
    let document = crate::support::open(&program(vec![tight.clone().visa(&elf)]).build());
    assert_eq!(rules_of(&document), [rules::IGC_DEBUG_NAME_SIZE.id]);
    // As pti-gpu reads it: the size is rounded up.
    let rounded = Kernel {
        name: b"kernl\0\0\0".to_vec(),
        name_size: Some(6),
        ..Kernel::default()
    };
    let document = crate::support::open(&program(vec![rounded.visa(&elf)]).build());
    assert_eq!(rules_of(&document), [rules::IGC_DEBUG_NAME_SIZE.id]);
    assert_eq!(
        document.coverage.padding,
        2 + crate::support::open(&elf).coverage.padding
    );
}
