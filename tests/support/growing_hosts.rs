//! Hosts of device images that are made to cost much, of about any size: records of the index that
//! share what they refer to, images over each other, and bytes that look like many images.

use super::elf::{Class, Section, place, put};
use super::growing::Make;
use super::hosts::{Host, Place};
use super::syclbin::{Entry, Offload};
use super::zebin::{code, zebin};

/// All constructs, with their names.
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
                image @ Place::Image(_) => image,
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
        let first = host.here();
        for image in &images {
            host.image_struct(3, target, *image, (first, first), None);
        }
        host.descriptor(first, images.len() as u64);
        host.build()
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
    ("code sections over each other", |size| {
        code_over_each_other(size)
    }),
    ("a long kernel name, code", |size| {
        let name = "k".repeat(size / 4);
        let mut elf = zebin(&[name.as_str()]);
        elf = elf.bytes(&format!(".text.{name}"), code(size / 64));
        elf.build().bytes
    }),
];

/// The size of an image struct, in bytes.
const STRUCT: usize = 80;

/// A SPIR-V module with one capability.
const SPIRV: [u8; 28] = [
    3, 2, 0x23, 7, 0, 0, 1, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0, 17, 0, 2, 0, 6, 0, 0, 0,
];

/// The same with instructions that do nothing, of about so many bytes.
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

/// Structs of one image, of about so many bytes, that share these parts.
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

/// Device code without an index: the same bytes again and again.
fn carved(size: usize, unit: &[u8]) -> Vec<u8> {
    let mut host = start();
    host.image(&unit.repeat(size / unit.len()));
    host.build()
}

/// A zstd frame of some bytes and a number of zeros. RFC 8878: one segment, a size of four bytes,
/// a raw block, and blocks of one repeated byte.
fn zeros(head: &[u8], count: usize) -> Vec<u8> {
    const BLOCK: usize = 1 << 17;
    let mut frame = vec![0x28, 0xb5, 0x2f, 0xfd, 0xa0];
    frame.extend(((head.len() + count) as u32).to_le_bytes());
    let mut block = |size: usize, kind: u32, is_last: bool, bytes: &[u8]| {
        let header = (size as u32) << 3 | kind << 1 | u32::from(is_last);
        frame.extend(&header.to_le_bytes()[..3]);
        frame.extend(bytes);
    };
    block(head.len(), 0, false, head);
    for at in (0..count).step_by(BLOCK) {
        let size = BLOCK.min(count - at);
        block(size, 1, at + size == count, &[0]);
    }
    frame
}

/// Half of it is code, the other half headers of sections with the same bytes.
fn code_over_each_other(size: usize) -> Vec<u8> {
    let names: Vec<String> = (0..size / 128).map(|at| format!("k{at}")).collect();
    let mut elf = zebin(&["z"]).bytes(".text.z", code(size / 2 / 16));
    for name in &names {
        elf = elf.section(Section::new(format!(".text.{name}"), 1, []).flags(6));
    }
    let mut file = elf.build();
    let whole = file.content(".text.z");
    let fields = Class::Elf64.section_header();
    for name in &names {
        let header = file.section_header(&format!(".text.{name}")).start;
        for (field, value) in [("sh_offset", whole.start), ("sh_size", whole.len())] {
            let at = place(fields, field);
            put(
                &mut file.bytes,
                header + at.start..header + at.end,
                value as u64,
                false,
            );
        }
    }
    file.bytes
}
