//! The golden cases on wasm, in a browser: the same text as natively.
#![cfg(target_arch = "wasm32")]

#[path = "support/golden.rs"]
mod golden;

use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

struct Case {
    name: &'static str,
    bytes: &'static [u8],
    tree: &'static str,
}

macro_rules! cases {
    ($folder:literal: $($name:literal,)*) => {
        &[$(Case {
            name: $name,
            bytes: include_bytes!(concat!("fixtures/", $folder, "/", $name)),
            tree: include_str!(concat!("fixtures/", $folder, "/", $name, ".tree")),
        }),*]
    };
}

/// `tests/golden.rs` checks that the list is complete.
static ZEBINS: &[Case] = cases!["zebin":
    "assertk.dg2.igc2.40.zebin",
    "assertk.tgllp.igc1.12504.zebin",
    "debugme-lines.ptl-h.igc2.40.zebin",
    "debugme.tgllp.igc1.12504.zebin",
    "dpas.lnl-m.igc2.40.zebin",
    "empty.pvc.igc2.40.zebin",
    "empty.skl.igc1.17791.zebin",
    "empty.tgllp.igc1.12504.zebin",
    "extern_lib-cllib.cri.igc2.40.zebin",
    "extern_lib.dg2-g10.igc1.12504.zebin",
    "funcptr_table.skl.igc1.17791.zebin",
    "funcs-gtpin.cri.igc2.40.zebin",
    "funcs-stackcall.cri.igc2.40.zebin",
    "globals-visaonly.pvc.igc2.40.zebin",
    "globals.bmg.igc2.40.zebin",
    "half.skl.igc1.5353.zebin",
    "handasm.bmg.igc2.40.zebin",
    "hostaccess.bmg.igc2.40.zebin",
    "images.bmg.igc2.40.zebin",
    "longname.skl.igc1.17791.zebin",
    "matmul-gtpin.tgllp.igc1.12504.zebin",
    "media.tgllp.igc2.40.zebin",
    "nokernel.bmg.igc2.40.zebin",
    "nokernel.icllp.igc1.17791.zebin",
    "pipes.skl.igc1.12504.zebin",
    "printf-m32.ptl-h.igc2.40.zebin",
    "recursion-gtpin.ptl-h.igc2.40.zebin",
    "regiongroup.cri.igc2.40.zebin",
    "restrict_arginfo.skl.igc1.17791.zebin",
    "specconst.pvc.igc2.40.zebin",
    "specconst.skl.igc1.17791.zebin",
    "spill.nvl-p.igc2.40.zebin",
    "syncfn-fp.cri.igc2.40.zebin",
    "vecadd-cost.bmg.igc2.40.zebin",
    "vecadd-eff64.ptl-h.igc2.40.zebin",
    "vecadd-fat.skl+icllp.igc1.17791.zebin",
    "vecadd-fatnoir.dg2+pvc.igc2.40.zebin",
    "vecadd-fatpt.tgllp+dg2-g10.igc1.12504.zebin",
    "vecadd-m32.bmg.igc2.40.zebin",
    "vecadd-noirint.bmg.igc2.40.zebin",
    "vecadd-visa.cri.igc2.40.zebin",
    "vecadd.adl-n.igc2.40.zebin",
    "vecadd.arl-h.igc2.40.zebin",
    "vecadd.icllp.igc1.5353.zebin",
    "vecadd.mtl-u.igc2.40.zebin",
    "vecadd.nvl-s.igc2.40.zebin",
    "vecadd.nvl-u.igc2.40.zebin",
    "vecadd.tgllp.igc1.5353.zebin",
    "vecadd.wcl.igc2.40.zebin",
];

static SYCLBINS: &[Case] = cases!["syclbin":
    "ob1_str_ir_kernels.syclbin",
    "ob2_multi_direct.syclbin",
    "up23_kernel.sycl-ob",
    "up24_compressed_zlib.ob",
    "up24_compressed_zstd.ob",
    "up24_kernel.sycl-ob",
    "v1_multi_direct.syclbin",
    "v1f_allprops.syclbin",
    "v1f_edge_props.syclbin",
    "v1f_empty_state0.syclbin",
    "v1f_multi_direct.syclbin",
    "v2_allprops.syclbin",
    "v2_ir_types.syclbin",
    "v2_ir_zero.syclbin",
    "v2_multi_direct.syclbin",
];

static HOSTS: &[Case] = cases!["host":
    "v2_old_so_full.host",
    "v2_old_so_noshdr.host",
    "v3_new4_nopie_full.host",
    "v3_new8_pie_stripped.host",
    "v3_old_nopie_noshdr.host",
    "v3_old_so_relr_stripped.host",
];

static PACKAGES: &[Case] = cases!["package":
    "gnu.tar.gz",
    "pax.tar.gz",
    "streamed.whl",
];

#[wasm_bindgen_test]
fn golden_trees() {
    for case in ZEBINS.iter().chain(SYCLBINS).chain(HOSTS).chain(PACKAGES) {
        let text = golden::render(case.name, case.bytes);
        if let Some(difference) = golden::difference(case.tree, &text) {
            panic!("{}, {difference}", case.name);
        }
    }
}
