//! Instructions on wasm, in a browser: the assembler's text, as natively.
#![cfg(target_arch = "wasm32")]

#[allow(dead_code)]
#[path = "support/isa.rs"]
mod isa;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};
use zeview::decode::isa::Platform;

wasm_bindgen_test_configure!(run_in_browser);

/// In the order of [`Platform::ALL`].
static TABLES: [&[u8]; 8] = [
    include_bytes!("fixtures/isa/gen9.tsv"),
    include_bytes!("fixtures/isa/gen11.tsv"),
    include_bytes!("fixtures/isa/xe_gen12lp.tsv"),
    include_bytes!("fixtures/isa/xe_hpg.tsv"),
    include_bytes!("fixtures/isa/xe_hpc.tsv"),
    include_bytes!("fixtures/isa/xe2.tsv"),
    include_bytes!("fixtures/isa/xe3.tsv"),
    include_bytes!("fixtures/isa/xe3p.tsv"),
];

#[wasm_bindgen_test]
fn a_sample_has_the_assemblers_text() {
    for (platform, table) in Platform::ALL.into_iter().zip(TABLES) {
        let rows = isa::rows(table, [Some(0), Some(1), Some(2), Some(3)]);
        let count = isa::compare(platform, &rows);
        assert!(
            count.is_whole() && count.rows > 200,
            "{}: {count}\n{}",
            platform.name(),
            count.differences.join("\n")
        );
    }
}
