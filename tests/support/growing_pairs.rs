//! Pairs of files of any size that are expensive to compare: their parts are equal or similar, and
//! hard to match.

use super::containers::{archive, member};
use super::elf::{Class, Elf, Relocation, Section};
use super::growing_zebins::{arguments, of_code, random, symbols};
use super::hosts::{Host, Place};
use super::notes::Notes;
use super::random::Random;
use super::spirv::Module;
use super::zebin::{code, small, ze_info_kernel, zebin};

/// Returns two files of about this size in bytes.
pub type MakePair = fn(usize) -> [Vec<u8>; 2];

/// All constructs, by name.
pub const PAIRS: &[(&str, MakePair)] = &[
    ("kernels renamed, the same code", |size| {
        ["a", "b"].map(|name| kernels(size / 700, name, |_| code(4)))
    }),
    ("kernels renamed, other code", |size| {
        ["a", "b"].map(|name| {
            let seed = u64::from(name.as_bytes()[0]) << 32;
            kernels(size / 900, name, |at| random(256, seed + at as u64))
        })
    }),
    ("kernels renamed, code alike", |size| {
        let count = size / 900;
        [("a", 0), ("b", count)].map(|(name, first)| {
            kernels(count, name, |at| {
                let mut bytes = random(256, 4);
                bytes[12..16].copy_from_slice(&((at + first) as u32).to_le_bytes());
                bytes
            })
        })
    }),
    ("code at random", |size| {
        [5, 6].map(|seed| of_code(random(size, seed)))
    }),
    ("code reversed", |size| {
        let bytes = random(size / 16 * 16, 5);
        let mut reversed: Vec<[u8; 16]> = bytes.as_chunks().0.to_vec();
        reversed.reverse();
        [bytes, reversed.concat()].map(of_code)
    }),
    ("code of few instructions", |size| {
        [6, 7].map(|seed| {
            let few: Vec<[u8; 16]> = code(8).as_chunks().0[..6].to_vec();
            let mut random = Random::new(seed);
            let code: Vec<[u8; 16]> = (0..size / 16).map(|_| few[random.below(6)]).collect();
            of_code(code.concat())
        })
    }),
    ("kernels of 1000 instructions that are not alike", |size| {
        [6, 7].map(|seed| {
            let all: Vec<[u8; 16]> = code(60).as_chunks().0.to_vec();
            let mut random = Random::new(seed);
            kernels(size / 16_500, "k", |_| {
                let code = (0..1000).map(|_| all[random.below(40)]);
                code.collect::<Vec<_>>().concat()
            })
        })
    }),
    ("symbols of one name", |size| {
        [1, 7].map(|factor| {
            let list = (0..size as u64 / 24).map(|at| (1, at * factor % 997));
            of_symbols("same", symbols(list))
        })
    }),
    ("symbols of parts of a long name", |size| {
        [1, 7].map(|factor| {
            let list = (0..size as u32 / 2 / 24).map(|at| (1 + at * factor % 1000, 0));
            of_symbols(&"s".repeat(size / 2), symbols(list))
        })
    }),
    ("relocations of one name", |size| {
        [1, 7].map(|factor| {
            let relocation = |at: u64| Relocation {
                offset: at * factor % 9973,
                symbol: 3,
                kind: 1 + at % 3,
                addend: 0,
            };
            let list = (0..size as u64 / 16).map(relocation).collect();
            let mut elf = small().bytes(".text.k", vec![0; 4096]);
            *elf.named(".rel.text.k") = Section::relocations(".text.k", list, false);
            elf.build().bytes
        })
    }),
    ("sections of one name", |size| {
        [1, 7].map(|factor| {
            let section = |at: u32| {
                let bytes = (at * factor % 9973).to_le_bytes();
                Section::new(".data.const", 1, bytes).flags(2)
            };
            let sections = (0..size as u32 / 80).map(section);
            sections.fold(small(), Elf::section).build().bytes
        })
    }),
    ("notes of one kind", |size| {
        [1, 7].map(|factor| {
            let notes = (0..size as u32 / 20).fold(Notes::new(), |notes, at| {
                notes.number(7, at * factor % 9973)
            });
            let section = Section::new(".note.x", 7, notes.build());
            small().section(section).build().bytes
        })
    }),
    ("members of one name", |size| {
        [1, 7].map(|factor| {
            let one = |at: usize| {
                let name = format!("k{}", at * factor % 97);
                member("64.bmg/", &zebin(&[name]).build().bytes)
            };
            archive(&(0..size / 2500).map(one).collect::<Vec<_>>())
        })
    }),
    ("arguments reversed", |size| {
        let count = size / 90;
        [arguments(0..count), arguments((0..count).rev())]
            .map(|text| small().bytes(".ze_info", text).build().bytes)
    }),
    ("keys of one name", |size| {
        [1, 7].map(|factor| {
            let keys = (0..size / 14).map(|at| format!("      x: {}\n", at * factor % 997));
            let keys: String = keys.collect();
            let text = format!("kernels:\n  - name: k\n    execution_env:\n{keys}");
            small().bytes(".ze_info", text).build().bytes
        })
    }),
    ("lines of text, shuffled", |size| {
        let lines: Vec<String> = (0..size / 11).map(|at| format!("line {at}\n")).collect();
        let mut shuffled = lines.clone();
        let mut random = Random::new(8);
        for at in (1..shuffled.len()).rev() {
            shuffled.swap(at, random.below(at + 1));
        }
        [lines, shuffled].map(|lines| lines.concat().into_bytes())
    }),
    ("lines of text, of two kinds", |size| {
        [8, 9].map(|seed| {
            let mut random = Random::new(seed);
            let lines = (0..size / 2).flat_map(|_| [b'a' + random.below(2) as u8, b'\n']);
            lines.collect()
        })
    }),
    ("bytes at random", |size| {
        [9, 10].map(|seed| random(size, seed))
    }),
    ("hosts of many images", |size| {
        [1, 7].map(|factor| host(size / 200, factor, true))
    }),
    ("hosts of many images without names", |size| {
        [1, 7].map(|factor| host(size / 120, factor, false))
    }),
    ("SPIR-V reversed", |size| {
        let count = size as u32 / 12;
        // OpConstant with an undeclared type.
        let add = |module: Module, at: u32| module.op(43, &[at + 10, at]);
        [
            (0..count).fold(Module::new(count + 10), add).build(),
            (0..count).rev().fold(Module::new(count + 10), add).build(),
        ]
    }),
    ("code sections over each other", |size| {
        let make = super::growing_zebins::ZEBINS;
        let (_, make) = make
            .iter()
            .find(|(name, _)| *name == "code sections over each other")
            .unwrap();
        let bytes = make(size);
        let mut other = bytes.clone();
        // Every fourth instruction of the shared code.
        let start = super::elf::Class::Elf64.header();
        let start = super::elf::size_of(start);
        for at in (start..size / 4).step_by(64) {
            other[at + 5] ^= 1;
        }
        [bytes, other]
    }),
];

/// Returns a zebin of kernels with this code.
fn kernels(count: usize, name: &str, mut code: impl FnMut(usize) -> Vec<u8>) -> Vec<u8> {
    let names: Vec<String> = (0..count).map(|at| format!("{name}{at}")).collect();
    let list: String = names.iter().map(|name| ze_info_kernel(name)).collect();
    let mut elf = zebin(&["z"]).bytes(".ze_info", format!("kernels:\n{list}"));
    for (at, name) in names.iter().enumerate() {
        elf = elf.section(Section::new(format!(".text.{name}"), 1, code(at)).flags(6));
    }
    elf.build().bytes
}

/// Returns a zebin whose string table has this name at offset 1.
fn of_symbols(name: &str, symbols: Section) -> Vec<u8> {
    Elf::new(Class::Elf64)
        .section(Section::new(name, 1, [0; 4]))
        .section(Section::new(".ze_info", 0xff00_0011, "kernels:\n"))
        .section(symbols)
        .build()
        .bytes
}

/// Returns a host with `count` small SPIR-V images.
fn host(count: usize, factor: usize, has_names: bool) -> Vec<u8> {
    let mut host = Host::new(Class::Elf64);
    let target = host.text("spir64");
    let images: Vec<(Place, Place)> = (0..count)
        .map(|at| {
            let nops = (0..at * factor % 7).fold(Module::new(8), |module, _| module.op(0, &[]));
            host.image(&nops.build())
        })
        .collect();
    let entries: Vec<(Place, Place)> = (0..count)
        .map(|at| {
            if has_names {
                host.entries(&[&format!("k{}", at * factor)])
            } else {
                (host.here(), host.here())
            }
        })
        .collect();
    let first = host.here();
    for (image, entries) in images.into_iter().zip(entries) {
        host.image_struct(2, target, image, entries, None);
    }
    host.descriptor(first, count as u64);
    host.build()
}
