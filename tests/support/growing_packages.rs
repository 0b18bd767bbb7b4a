//! Packages of any size that are expensive to process: many files, many kernels, archives in
//! archives.

use miniz_oxide::deflate::compress_to_vec;

use super::growing::Make;
use super::packages::{ZipFile, crc32, deflated, stored, tar, tar_entry, zip};
use super::zebin::{ze_info, zebin};

/// All constructs, by name.
pub const PACKAGES: &[(&str, Make)] = &[
    ("zebins of a tar", |size| {
        tar(&counted(size, 4096, |at| {
            tar_entry(&format!("{at}.zebin"), b'0', &one(at))
        }))
    }),
    ("zebins of a zip", |size| {
        zip(&counted(size, 2500, |at| {
            stored(&format!("{at}.zebin"), &one(at))
        }))
    }),
    ("deflated zebins", |size| {
        zip(&counted(size, 1000, |at| {
            deflated(&format!("{at}.zebin"), &one(at))
        }))
    }),
    ("deflated zebins with the same kernel", |size| {
        let file = one(0);
        zip(&counted(size, 1000, |at| {
            deflated(&format!("{at}.zebin"), &file)
        }))
    }),
    ("deflated headers of ELF files", |size| {
        zip(&counted(size, 150, |at| {
            deflated(&format!("{at}.so"), &elf_header(64))
        }))
    }),
    ("kernels of groups of their own", |size| {
        let names: Vec<String> = (0..size / 300).map(|at| format!("g{at}_k")).collect();
        let file = zebin(&["a"]).bytes(".ze_info", ze_info(&names));
        zip(&[stored("a.zebin", &file.build().bytes)])
    }),
    ("large files of zeros in a zip in a zip", |size| {
        // The inner archive shrinks to a fortieth.
        let file = elf_header(1 << 20);
        let large = ZipFile {
            data: Some(compress_to_vec(&file, 6)),
            size: Some(1 << 20),
            // Compressed and added up once.
            crc: crc32(&file) ^ crc32(b""),
            ..deflated("a", b"")
        };
        let files: Vec<ZipFile> = (0..size * 40 / 1200)
            .map(|at| ZipFile {
                name: format!("{at}.so"),
                ..large.clone()
            })
            .collect();
        zip(&[deflated("in.zip", &zip(&files))])
    }),
];

/// More files than are listed.
pub fn too_many_files() -> Vec<u8> {
    let files: Vec<ZipFile> = (0..(1 << 17) + 8)
        .map(|at| stored(&at.to_string(), b""))
        .collect();
    zip(&files)
}

fn counted<T>(size: usize, each: usize, make: impl Fn(usize) -> T) -> Vec<T> {
    (0..size / each).map(make).collect()
}

fn one(at: usize) -> Vec<u8> {
    zebin(&[format!("k{at}")]).build().bytes
}

/// The start of an ELF file, and zeros.
fn elf_header(size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    bytes[..7].copy_from_slice(b"\x7fELF\x02\x01\x01");
    bytes
}
