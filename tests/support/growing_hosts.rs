//! Host files of any size that are expensive to process: index records that share their targets,
//! overlapping images, and bytes that look like many images.

use super::elf::Class;
use super::growing::Make;
use super::hosts::{Host, Place};
use super::syclbin::{Entry, Offload};

/// All constructs, by name.
pub const HOSTS: &[(&str, Make)] = &[
    ("host: structs of one image", |size| {
        of_structs(size, &mut |_| {})
    }),
    ("host: descriptors of the same structs", |size| {
        let mut host = start();
        let first = structs(&mut host, size / 2 / STRUCT);
        let count = (size / 2 / STRUCT).min(65535) as u64;
        for _ in 0..size / 2 / 32 {
            host.descriptor(first, count);
        }
        host.build()
    }),
    ("host: words like descriptors", |size| {
        let mut host = start();
        let first = structs(&mut host, 500);
        for _ in 0..size / 32 {
            host.descriptor(first, 500);
        }
        host.build()
    }),
    ("host: entries shared", |size| {
        of_structs(size / 2, &mut |parts| {
            let name = parts.host.text("kernel");
            parts.entries = entries(parts.host, &vec![name; size / 2 / 32]);
        })
    }),
    ("host: properties shared", |size| {
        of_structs(size / 2, &mut |parts| {
            let properties = properties(parts.host, size / 2 / 32);
            parts.sets = Some(sets(parts.host, properties, 1));
        })
    }),
    ("host: sets shared", |size| {
        of_structs(3 * STRUCT, &mut |parts| {
            let properties = properties(parts.host, size / 2 / 32);
            parts.sets = Some(sets(parts.host, properties, size / 2 / 24));
        })
    }),
    ("host: a long kernel name, many entries", |size| {
        of_structs(STRUCT, &mut |parts| {
            let name = parts.host.text(&"k".repeat(60_000));
            parts.entries = entries(parts.host, &vec![name; size / 32]);
        })
    }),
    ("host: names in one long text", |size| {
        of_structs(STRUCT, &mut |parts| {
            let name = parts.host.text(&"k".repeat(size / 2));
            let names = (0..size / 2 / 32).map(|at| match name {
                Place::Data(start) => Place::Data(start + at * 8),
                place => place,
            });
            let names: Vec<Place> = names.collect();
            parts.entries = entries(parts.host, &names);
        })
    }),
    ("host: a long value, many properties", |size| {
        of_structs(STRUCT, &mut |parts| {
            let value = parts.host.here();
            parts.host.number(size as u64 / 2 * 8, 8);
            parts.host.text(&"v".repeat(size / 2));
            let name = parts.host.text("key");
            let begin = parts.host.here();
            for _ in 0..size / 2 / 32 {
                parts.host.pointer(Some(name));
                parts.host.pointer(Some(value));
                parts.host.number(2, 4);
                parts.host.number(size as u64 / 2 + 8, 8);
            }
            let end = parts.host.here();
            parts.sets = Some(sets(parts.host, (begin, end), 1));
        })
    }),
    ("host: a long target, many structs", |size| {
        let mut host = Host::new(Class::Elf64);
        let target = host.text(&"t".repeat(60_000));
        let image = host.image(&SPIRV);
        let first = host.here();
        for _ in 0..size / STRUCT {
            host.image_struct(3, target, image, (first, first), None);
        }
        host.descriptor(first, size as u64 / STRUCT as u64);
        host.build()
    }),
    ("host: images over each other", |size| {
        let mut host = Host::new(Class::Elf64);
        let target = host.text("spir64");
        let (_, end) = host.image(&spirv(size / 2));
        let first = host.here();
        let count = (size / 2 / STRUCT).min(65535);
        for at in 0..count {
            let start = Place::Image(at % 64 * 4);
            host.image_struct(3, target, (start, end), (first, first), None);
        }
        host.descriptor(first, count as u64);
        host.build()
    }),
    ("host: .tgtimg of many addresses", |size| {
        let mut host = Host::new(Class::Elf64);
        host.image(&spirv(size / 2));
        for at in 0..size / 2 / 16 {
            host.reference(Place::Image(at * 16), size as u64 / 2);
        }
        host.build()
    }),
    ("host: small zstd frames of large images", |size| {
        let mut host = Host::new(Class::Elf64);
        let target = host.text("spir64");
        let frame = zeros(&SPIRV, 4 << 20);
        let images = (0..size / (STRUCT + frame.len() + 16)).map(|_| host.image(&frame));
        let images: Vec<(Place, Place)> = images.collect();
        of_images(host, target, &images)
    }),
    ("host: heads of SPIR-V", |size| {
        carved(size, &[&SPIRV[..], &[0; 4]].concat())
    }),
    ("host: heads of SPIR-V with long instructions", |size| {
        let long = [[0; 4], [0x11, 0, 0xff, 0xff], [0; 4], [0; 4]].concat();
        carved(size, &[&SPIRV[..16], &long].concat())
    }),
    ("host: heads of archives", |size| {
        carved(size, b"!<arch>\n\0\0\0\0\0\0\0\0")
    }),
    ("host: heads of ELF files", |size| {
        carved(size, b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0")
    }),
    ("host: heads of zstd frames", |size| {
        carved(size, b"\x28\xb5\x2f\xfd\x20\0\0\0\0\0\0\0\0\0\0\0")
    }),
    ("host: zstd frames of empty blocks", |size| {
        carved(size, b"\x28\xb5\x2f\xfd\x00\x58\0\0\0\0\0\0\0\0\0\0")
    }),
    ("offload: symbols of one long name", |size| {
        let name = vec![b's'; size / 2];
        let count = size / 2 / 8;
        let start = 4 + count * 8;
        let mut table = (count as u32).to_le_bytes().to_vec();
        for _ in 0..count {
            table.extend((start as u32).to_le_bytes());
            table.extend((name.len() as u32).to_le_bytes());
        }
        table.extend(name);
        let mut entry = Entry::of_kind(3, SPIRV.to_vec());
        entry.strings.push((b"symbols".to_vec(), table));
        Offload::new(2, vec![entry]).build()
    }),
    ("host: the file itself as images", |size| {
        let mut host = start();
        let target = host.text("spir64");
        let none = host.here();
        let count = (size / STRUCT).min(65535);
        let whole = (Place::File(0), Place::File(size));
        let first = host.here();
        for _ in 0..count {
            host.image_struct(3, target, whole, (none, none), None);
        }
        host.descriptor(first, count as u64);
        host.build()
    }),
    ("host: one zstd frame, many structs", |size| {
        let mut host = start();
        let target = host.text("spir64");
        let image = host.image(&zeros(&SPIRV, 8 << 20));
        of_image(host, target, image, size / STRUCT)
    }),
    ("host: zstd frames with windows of 128 MB", |size| {
        let mut host = start();
        let target = host.text("spir64");
        // RFC 8878: no size, and an exponent of 17 above 1 KB.
        let frame = frame(&[0, 17 << 3], &SPIRV, 300 << 10);
        let images = (0..size / (STRUCT + frame.len() + 16)).map(|_| host.image(&frame));
        let images: Vec<(Place, Place)> = images.collect();
        of_images(host, target, &images)
    }),
    ("host: zstd in zstd, 20 deep", |size| {
        let mut host = start();
        let target = host.text("spir64");
        let deep = (0..20).fold(spirv(size), |bytes, _| stored(&bytes));
        let image = host.image(&deep);
        of_image(host, target, image, 1)
    }),
    ("host: packed relocations", |size| {
        let mut host = start();
        let first = structs(&mut host, 1);
        host.descriptor(first, 1);
        host.relocated = true;
        let here = host.here();
        host.number(0, 8);
        host.packed = Some((here, size / 8));
        host.build()
    }),
    (
        "host: packed relocations of words like descriptors",
        |size| {
            let mut host = start();
            host.relocated = true;
            let here = host.here();
            for _ in 0..size / 2 / 16 {
                host.number(1, 2);
                host.number(5, 2);
                host.number(0, 4);
                host.pointer(Some(here));
            }
            host.packed = Some((here, size / 16));
            host.build()
        },
    ),
    ("host: relocations of one word", |size| {
        let mut host = start();
        host.relocated = true;
        let first = structs(&mut host, 1);
        host.descriptor(first, 1);
        host.relocate_again(size / 24);
        host.build()
    }),
    ("host: .tgtimg of one address", |size| {
        let mut host = start();
        let (start, _) = host.image(&spirv(size / 4));
        for _ in 0..size * 3 / 4 / 16 {
            host.reference(start, size as u64 / 4);
        }
        host.build()
    }),
    ("host: a long text value, many properties", |size| {
        of_structs(STRUCT, &mut |parts| {
            let value = parts.host.text(&"v".repeat(60_000));
            let names: Vec<Place> = (0..size / 40)
                .map(|at| parts.host.text(&format!("k{at}")))
                .collect();
            let begin = parts.host.here();
            for name in names {
                parts.host.pointer(Some(name));
                parts.host.pointer(Some(value));
                parts.host.number(3, 4);
                parts.host.number(60_000, 8);
            }
            let end = parts.host.here();
            parts.sets = Some(sets(parts.host, (begin, end), 1));
        })
    }),
    ("host: many segments and structs", |size| {
        let mut host = start();
        host.segments = (size / 2 / 56).min(60_000);
        let count = (size / 2 / STRUCT).min(65535);
        let first = structs(&mut host, count);
        host.descriptor(first, count as u64);
        host.build()
    }),
];

/// The size of an image struct, in bytes.
const STRUCT: usize = 80;

/// A SPIR-V module with one capability.
const SPIRV: [u8; 28] = [
    3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 17, 0, 2, 0, 6, 0, 0, 0,
];

/// Returns the same module with no-op instructions, of about this size.
fn spirv(size: usize) -> Vec<u8> {
    [&SPIRV[..], &[0, 0, 1, 0].repeat(size / 4)].concat()
}

fn start() -> Host {
    Host::new(Class::Elf64)
}

/// The parts of image structs.
struct Parts<'a> {
    host: &'a mut Host,
    entries: (Place, Place),
    sets: Option<(Place, Place)>,
}

/// Returns structs of one image that share these parts, of about this size.
fn of_structs(size: usize, make: &mut dyn FnMut(&mut Parts<'_>)) -> Vec<u8> {
    let mut host = start();
    let here = host.here();
    let mut parts = Parts {
        host: &mut host,
        entries: (here, here),
        sets: None,
    };
    make(&mut parts);
    let Parts { entries, sets, .. } = parts;
    let (target, image) = (host.text("spir64"), host.image(&SPIRV));
    let count = (size / STRUCT).clamp(1, 65535);
    let first = host.here();
    for _ in 0..count {
        host.image_struct(3, target, image, entries, sets);
    }
    host.descriptor(first, count as u64);
    host.build()
}

/// Adds structs of one image. Returns the first.
fn structs(host: &mut Host, count: usize) -> Place {
    let (target, image) = (host.text("spir64"), host.image(&SPIRV));
    let first = host.here();
    for _ in 0..count.min(65535) {
        host.image_struct(3, target, image, (first, first), None);
    }
    first
}

/// Adds entries with these names.
fn entries(host: &mut Host, names: &[Place]) -> (Place, Place) {
    let begin = host.here();
    for name in names {
        host.pointer(None);
        host.pointer(Some(*name));
        host.number(0, 8);
        host.number(0, 8);
    }
    (begin, host.here())
}

/// Adds properties of one name.
fn properties(host: &mut Host, count: usize) -> (Place, Place) {
    let name = host.text("key");
    let begin = host.here();
    for _ in 0..count {
        host.pointer(Some(name));
        host.pointer(None);
        host.number(1, 4);
        host.number(7, 8);
    }
    (begin, host.here())
}

/// Adds property sets of the same properties.
fn sets(host: &mut Host, (begin, end): (Place, Place), count: usize) -> (Place, Place) {
    let name = host.text("SYCL/x");
    let first = host.here();
    for _ in 0..count {
        for place in [name, begin, end] {
            host.pointer(Some(place));
        }
    }
    (first, host.here())
}

/// Returns device code without an index: repeated bytes.
fn carved(size: usize, unit: &[u8]) -> Vec<u8> {
    let mut host = start();
    host.image(&unit.repeat(size / unit.len()));
    host.build()
}

/// Returns a zstd frame of some bytes and zeros, with its content size.
fn zeros(head: &[u8], count: usize) -> Vec<u8> {
    let size = ((head.len() + count) as u32).to_le_bytes();
    frame(&[&[0xa0][..], &size].concat(), head, count)
}

/// The largest block of a zstd frame, in bytes.
const BLOCK: usize = 1 << 17;

/// Returns a zstd frame with this header: a raw block and run-length blocks (RFC 8878, 3.1.1).
fn frame(header: &[u8], head: &[u8], zeros: usize) -> Vec<u8> {
    let mut frame = [MAGIC, header].concat();
    block(&mut frame, head.len(), 0, zeros == 0, head);
    for at in (0..zeros).step_by(BLOCK) {
        let size = BLOCK.min(zeros - at);
        block(&mut frame, size, 1, at + size == zeros, &[0]);
    }
    frame
}

const MAGIC: &[u8] = &[0x28, 0xb5, 0x2f, 0xfd];

fn block(frame: &mut Vec<u8>, size: usize, kind: u32, is_last: bool, bytes: &[u8]) {
    let header = (size as u32) << 3 | kind << 1 | u32::from(is_last);
    frame.extend(&header.to_le_bytes()[..3]);
    frame.extend(bytes);
}

/// Returns a zstd frame of raw blocks with these bytes.
fn stored(bytes: &[u8]) -> Vec<u8> {
    let mut frame = [MAGIC, &[0xa0], &(bytes.len() as u32).to_le_bytes()].concat();
    let count = bytes.len().div_ceil(BLOCK);
    for (at, part) in bytes.chunks(BLOCK).enumerate() {
        block(&mut frame, part.len(), 0, at + 1 == count, part);
    }
    frame
}

/// Returns a host with a struct for each of these images.
fn of_images(mut host: Host, target: Place, images: &[(Place, Place)]) -> Vec<u8> {
    let first = host.here();
    for image in images {
        host.image_struct(3, target, *image, (first, first), None);
    }
    host.descriptor(first, images.len() as u64);
    host.build()
}

/// Returns a host with `count` structs of one image.
fn of_image(host: Host, target: Place, image: (Place, Place), count: usize) -> Vec<u8> {
    of_images(host, target, &vec![image; count.min(65535)])
}
