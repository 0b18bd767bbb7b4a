//! Containers of the same kernels, and the names that each of them has: one table for all interfaces.

use serde_json::{Value, json};

use super::containers::{archive, member};
use super::elf::Class;
use super::hosts::Host;
use super::notes::{Notes, battlemage};
use super::packages::{deflated, tar, tar_entry, zip};
use super::spirv;
use super::syclbin::{Code, Module, Syclbin, Text, global, native_text};
use super::zebin::zebin;

/// The kernel that the table names: in the file, demangled, and in tables.
pub const NAME: &str = "_ZTSN4sycl3_V16detail19__pf_kernel_wrapperIN4math6VecAddIfEEEE";
pub const DEMANGLED: &str =
    "typeinfo name for sycl::_V1::detail::__pf_kernel_wrapper<math::VecAdd<float> >";
pub const SHORT: &str = "math::VecAdd<float> [rounded]";
pub const PATTERN: &str = "*VecAdd*";
/// A slip, for which the short name is suggested.
pub const SLIP: &str = "math::VecAd<float> [rounded]";

/// The kernels of each image.
pub const KERNELS: [&str; 3] = [NAME, "_ZTSN4math6VecMulIiEE", "copy"];

fn ponte_vecchio() -> Vec<u8> {
    let notes = Notes::new();
    let notes = notes.number(1, 1271).number(2, 3079).number(3, 0x20_0000);
    let notes = notes.intel(4, b"1.73\0").number(6, 0x030f_0007);
    notes.number(7, 10).number(8, 1).build()
}

/// A zebin with the kernels, for `bmg-g21`, or for `pvc`.
pub fn image(is_pvc: bool) -> Vec<u8> {
    let notes = if is_pvc {
        ponte_vecchio()
    } else {
        battlemage(Notes::new())
    };
    let elf = zebin(&KERNELS);
    elf.bytes(".note.intelgt.compat", notes).build().bytes
}

/// A library with an image for each device, and an index of its kernels.
pub fn library(devices: &[bool]) -> Vec<u8> {
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64_gen");
    let images: Vec<_> = devices.iter().map(|pvc| host.image(&image(*pvc))).collect();
    let entries = host.entries(&KERNELS);
    let structs: Vec<_> = images
        .iter()
        .map(|image| host.image_struct(2, target, *image, entries, None))
        .collect();
    host.descriptor(structs[0], structs.len() as u64);
    for (image, pvc) in images.iter().zip(devices) {
        host.reference(image.0, self::image(*pvc).len() as u64);
    }
    host.build()
}

/// A file of the table: its name, its bytes, and how many builds each kernel has. A name that ends with
/// a slash is a folder, which has the files of the zip archive.
pub struct Container {
    pub name: &'static str,
    pub bytes: Vec<u8>,
    /// The options that choose one of several builds.
    pub options: &'static [(&'static str, &'static str)],
    pub builds: usize,
    pub has_code: bool,
}

pub const FILES: [&str; 3] = ["lib/one.so", "lib/two.so", "kernels/bmg.zebin"];

fn files() -> [Vec<u8>; 3] {
    [library(&[false, true]), other_library(), image(false)]
}

/// A library without the kernel.
fn other_library() -> Vec<u8> {
    let image = zebin(&["other"]).build().bytes;
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64_gen");
    let place = host.image(&image);
    let entries = host.entries(&["other"]);
    let first = host.image_struct(2, target, place, entries, None);
    host.descriptor(first, 1);
    host.reference(place.0, image.len() as u64);
    host.build()
}

/// The files of the package.
pub fn packaged() -> Vec<(&'static str, Vec<u8>)> {
    FILES.into_iter().zip(files()).collect()
}

pub fn containers() -> Vec<Container> {
    let packaged = packaged();
    let zipped: Vec<_> = packaged
        .iter()
        .map(|(name, bytes)| deflated(name, bytes))
        .collect();
    let tarred: Vec<_> = packaged
        .iter()
        .map(|(name, bytes)| tar_entry(name, b'0', bytes))
        .collect();
    let native = |pvc: bool| Code {
        text: native_text(
            if pvc { "pvc" } else { "bmg_g21" },
            "spir64_gen-unknown-unknown",
        ),
        bytes: image(pvc),
    };
    let syclbin = Syclbin {
        global: global(1),
        modules: vec![Module {
            text: Text::default().set("SYCL/kernel names").number("copy", 1),
            ir: Vec::new(),
            native: vec![native(false), native(true)],
        }],
    };
    let members = [
        member("64.20.1.0/", &image(false)),
        member("64.12.60.7/", &image(true)),
    ];
    let device: &[_] = &[("device", "B580")];
    let image_name: &[_] = &[("image", "image 0")];
    // The zebin is a copy of an image of the library: it counts once.
    let file: &[_] = &[("file", "bmg.zebin")];
    let container = |name, bytes, options, builds| Container {
        name,
        bytes,
        options,
        builds,
        has_code: true,
    };
    vec![
        container("kernels.zebin", image(false), &[], 1),
        container("kernels.so", library(&[false, true]), image_name, 2),
        container("kernels.ar", archive(&members), device, 2),
        container("kernels.syclbin", syclbin.v2(), device, 2),
        container("kernels.whl", zip(&zipped), file, 2),
        container("kernels.tar", tar(&tarred), file, 2),
        container("folder/", Vec::new(), file, 2),
        Container {
            has_code: false,
            ..container("kernels.spv", spirv_module(), &[], 1)
        },
    ]
}

/// SPIR-V with the kernels.
fn spirv_module() -> Vec<u8> {
    let mut module = spirv::Module::new(64)
        .op(17, &[4])
        .op(17, &[6])
        .op(14, &[2, 2]);
    for (name, at) in KERNELS.iter().zip(20..) {
        module = module.op_text(15, &[6, at], name);
    }
    module = module.op(19, &[7]).op(33, &[9, 7]);
    for (at, label) in (20..23).zip(30..) {
        module = module
            .op(54, &[7, at, 0, 9])
            .op(248, &[label])
            .op(253, &[])
            .op(56, &[]);
    }
    module.build()
}

/// The table: each container with each kind of name.
pub fn table() -> Value {
    let ways = [
        ("in the file", NAME),
        ("demangled", DEMANGLED),
        ("short", SHORT),
        ("pattern", PATTERN),
        ("slip", SLIP),
    ];
    let mut cases = Vec::new();
    for container in containers() {
        for (way, name) in ways {
            let options: serde_json::Map<String, Value> = container
                .options
                .iter()
                .map(|(key, value)| ((*key).to_owned(), json!(value)))
                .collect();
            let is_slip = way == "slip";
            cases.push(json!({
                "file": container.name,
                "way": way,
                "name": name,
                "options": options,
                "builds": if is_slip { 0 } else { container.builds },
                "has_code": container.has_code,
                "finds": if is_slip { Value::Null } else { json!(NAME) },
                "suggests": if is_slip { json!(SHORT) } else { Value::Null },
            }));
        }
    }
    Value::Array(cases)
}
