//! Mangled kernel names, as in CUTLASS, SYCL and programs that use them.

use std::rc::Rc;

use zeview::decode::demangle::demangle;

use super::random::Random;

/// A name with its demangled form.
pub type Name = (String, Option<Rc<str>>);

/// A mangled class template with arguments.
fn class(path: &[&str], arguments: &[String]) -> String {
    let segments = path.iter().map(|name| format!("{}{name}", name.len()));
    let path: String = segments.collect();
    match arguments {
        [] => format!("N{path}E"),
        arguments => format!("N{path}I{}EE", arguments.concat()),
    }
}

fn int(value: usize) -> String {
    format!("Li{value}E")
}

fn pick<'a>(random: &mut Random, from: &[&'a str]) -> &'a str {
    from[random.below(from.len())]
}

fn bool(random: &mut Random) -> String {
    pick(random, &["Lb0E", "Lb1E"]).to_owned()
}

const SIZES: [usize; 11] = [1, 2, 4, 8, 16, 32, 64, 96, 128, 192, 256];

fn element(random: &mut Random) -> String {
    match random.below(5) {
        0 => class(&["cutlass", "half_t"], &[]),
        1 => class(&["cutlass", "bfloat16_t"], &[]),
        2 => class(&["cutlass", "float_e4m3_t"], &[]),
        3 => class(&["sycl", "_V1", "detail", "half_impl", "half"], &[]),
        _ => "f".to_owned(),
    }
}

fn tuple(sizes: [usize; 3]) -> String {
    let items = sizes.map(|size| class(&["cute", "C"], &[int(size)]));
    class(&["cute", "tuple"], &items)
}

fn layout(size: usize) -> String {
    let parts = [tuple([size, 1, 1]), tuple([1, size, 0])];
    class(&["cute", "Layout"], &parts)
}

fn tensor(ty: &str) -> String {
    let pointer = class(&["cute", "gmem_ptr"], &[format!("P{ty}")]);
    let engine = class(&["cute", "ViewEngine"], &[pointer]);
    class(&["cute", "Tensor"], &[engine, layout(4)])
}

/// Returns an attention kernel: some hundred arguments, most of them repeated.
fn attention(random: &mut Random) -> String {
    let kernel = ["cutlass", "fmha", "kernel", "vllm_xpu_xe2"];
    let (ty, cached) = (element(random), element(random));
    let [size, head] = [0; 2].map(|_| SIZES[random.below(SIZES.len())]);
    let operation = [
        int(8),
        "f".to_owned(),
        ty.clone(),
        ty.clone(),
        "f".to_owned(),
    ];
    let operation = class(&["cute", "XE_DPAS_TT"], &operation);
    let atom = class(&["cute", "MMA_Atom"], &[operation]);
    let mma = class(&["cute", "TiledMMA"], &[atom, layout(size)]);
    let mainloop = [
        class(&["cutlass", "fmha", "XeDefault"], &[int(2)]),
        bool(random),
        bool(random),
        mma.clone(),
        mma,
        int(random.below(9)),
        tensor(&ty),
        tensor(&cached),
        "v".to_owned(),
    ];
    let mainloop = class(
        &["cutlass", "fmha", "collective", "FMHAFwdMainloop"],
        &mainloop,
    );
    let epilogue = [mainloop.clone(), tuple([size, head, 1]), tensor(&ty)];
    let epilogue = class(
        &["cutlass", "fmha", "collective", "FMHAFwdEpilogue"],
        &epilogue,
    );
    let shape = class(
        &[&kernel[..], &["FMHAProblemShape"]].concat(),
        &[bool(random)],
    );
    let name = pick(
        random,
        &["XeFMHAFwdKernel", "XeFMHAFwdSplitKVKernel", "ReduceSplitK"],
    );
    let scheduler = class(
        &[&kernel[..], &["XeFHMAIndividualTileScheduler"]].concat(),
        &[],
    );
    let arguments = [shape, mainloop, epilogue, scheduler];
    class(&[&kernel[..], &[name]].concat(), &arguments)
}

/// Returns a matrix product: some ten arguments.
fn gemm(random: &mut Random) -> String {
    let policy = pick(
        random,
        &["w4a16_policy", "w8a16_policy_m_16", "w16a16_policy_n_128"],
    );
    let [a, b, c] = [element(random), element(random), element(random)];
    let sizes = [random.below(300), random.below(300)].map(int);
    let arguments = [&[a, b, c][..], &sizes, &[class(&["MoE", policy], &[])]].concat();
    class(&["MoE", "detail", "GemmCuteName"], &arguments)
}

/// Returns a mangled kernel name.
pub fn mangled(random: &mut Random) -> String {
    match random.below(8) {
        0 | 1 => format!("_ZTS{}", attention(random)),
        3 => {
            // Exclude kernels without a wrapper.
            let kernel = attention(random).replace("XeDefaultILi2E", "XeDefaultILi1E");
            let device = format!("XadL_ZN7cutlass13device_kernelI{kernel}EEvNT_6ParamsEEE");
            format!("_ZTSN6compat12experimental6detail13KernelFunctorI{device}EE")
        }
        4 => {
            let item = "N4sycl3_V14itemILi1ELb1EEELi1E";
            let kernel = gemm(random);
            format!("_ZTSN4sycl3_V16detail18RoundedRangeKernelI{item}{kernel}EE")
        }
        5 => {
            // A lambda in a command group in a function.
            let (number, ty) = (random.below(3), element(random));
            let function = format!("_Z{}", "run_quantization_kernel".len());
            let group = "ENKUlRN4sycl3_V17handlerEE_clES2_EUlNS0_7nd_itemILi3EEEE";
            let function = &function[2..];
            let size = int(random.below(2000));
            format!("_ZTSZZ{function}run_quantization_kernelI{ty}{size}EvPKfPvi{group}{number}_")
        }
        _ => format!("_ZTS{}", gemm(random)),
    }
}

/// Returns distinct names, some of them damaged, with their demangled forms.
pub fn names(count: usize, seed: u64) -> Vec<Name> {
    let mut random = Random::new(seed);
    let mut seen = std::collections::HashSet::new();
    let mut names = Vec::new();
    while names.len() < count {
        let mut name = match random.below(50) {
            0 => format!("plain_kernel_{}", random.next()),
            _ => mangled(&mut random),
        };
        if random.below(200) == 0 {
            let at = random.below(name.len());
            match random.below(3) {
                0 => drop(name.remove(at)),
                1 => name.insert(at, char::from(b'0' + random.below(75) as u8)),
                _ => name.truncate(at + 1),
            }
        }
        if seen.insert(name.clone()) {
            let text = demangle(&name);
            names.push((name, text));
        }
    }
    names
}
