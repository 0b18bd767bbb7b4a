//! Invariants of every document: on fixtures, on generated and malformed files, and on thousands of
//! damaged copies.

use crate::support::damage::{self, Mutant};
use crate::support::fixtures::{self, Fixture};
use crate::support::invariants::{Depth, hold, hold_for_all, violations};
use crate::support::random::Random;
use crate::support::syclbin::{Syclbin, Text};
use crate::support::watchdog::Watchdog;
use crate::support::{built, cases, zebin};

/// The four smallest fixtures.
fn smallest() -> Vec<Fixture> {
    let mut files = fixtures::zebins();
    files.sort_by_key(|f| f.bytes.len());
    files.truncate(4);
    files
}

#[test]
fn fixtures() {
    let watchdog = Watchdog::start();
    for file in fixtures::zebins().iter().chain(&fixtures::syclbins()) {
        watchdog.case(&file.name);
        hold(&file.name, &file.bytes, Depth::Full);
    }
}

#[test]
fn malformed() {
    let watchdog = Watchdog::start();
    let mut wrong = Vec::new();
    for Mutant { what, bytes } in cases::malformed() {
        watchdog.case(&what);
        let found = violations(&bytes, Depth::Full);
        if !found.is_empty() {
            wrong.push(format!("{what}:\n  {}", found.join("\n  ")));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn generated() {
    let watchdog = Watchdog::start();
    watchdog.case("40 kernels");
    hold("40 kernels", &zebin::many(40), Depth::Full);
    // Tables of more than one page.
    watchdog.case("300 kernels");
    hold("300 kernels", &zebin::many(300), Depth::Full);
    // Names of rows that cannot be built.
    watchdog.case("a kernel called unreadable");
    let unreadable = zebin::zebin(&["unreadable"]).build().bytes;
    hold("a kernel called unreadable", &unreadable, Depth::Full);
    watchdog.case("nothing wrong");
    let document = crate::support::open(&zebin::many(3));
    assert_eq!(document.diagnostics, [], "the builders write correct files");
}

#[test]
fn built_files() {
    let watchdog = Watchdog::start();
    for (name, bytes) in built::all() {
        watchdog.case(name);
        hold(name, &bytes, Depth::Full);
        let mut random = Random::named(name);
        let mut mutants: Vec<Mutant> = Vec::new();
        let lengths = random.sample(bytes.len(), 100);
        mutants.extend(lengths.into_iter().map(|len| damage::prefix(&bytes, len)));
        let bits = random.sample(bytes.len() * 8, 300);
        mutants.extend(bits.into_iter().map(|bit| damage::flip(&bytes, bit)));
        mutants.extend((0..60).map(|_| damage::shuffle(&bytes, &mut random)));
        hold_for_all(name, &watchdog, mutants.into_iter());
    }
}

#[test]
fn every_prefix_of_small_files() {
    let watchdog = Watchdog::start();
    for file in smallest() {
        let prefixes = (0..file.bytes.len()).map(|len| damage::prefix(&file.bytes, len));
        hold_for_all(&file.name, &watchdog, prefixes);
    }
}

#[test]
fn prefixes_of_all_files() {
    let watchdog = Watchdog::start();
    for file in fixtures::zebins() {
        let mut random = Random::named(&file.name);
        let lengths = random.sample(file.bytes.len(), 12);
        let prefixes = lengths
            .into_iter()
            .map(|len| damage::prefix(&file.bytes, len));
        hold_for_all(&file.name, &watchdog, prefixes);
    }
}

#[test]
fn every_number_of_small_files() {
    let watchdog = Watchdog::start();
    for file in smallest() {
        let count = hold_for_all(&file.name, &watchdog, damage::numbers_changed(&file.bytes));
        assert!(count > 300, "only {count} numbers in {}", file.name);
    }
    for (name, bytes) in generated_small() {
        hold_for_all(name, &watchdog, damage::numbers_changed(&bytes));
    }
}

/// Small files with features that the smallest fixtures lack.
fn generated_small() -> Vec<(&'static str, Vec<u8>)> {
    use crate::support::elf::{Class, Relocation, Section};
    let narrow = zebin::zebin_of(Class::Elf32, &["k"]);
    let list = vec![Relocation {
        offset: 4,
        symbol: 1,
        kind: 1,
        addend: -4,
    }];
    let addend = zebin::small().section(Section::relocations(".text.k", list, true));
    vec![
        ("narrow", narrow.build().bytes),
        ("addend", addend.build().bytes),
    ]
}

#[test]
fn numbers_of_all_files() {
    let watchdog = Watchdog::start();
    for file in fixtures::zebins() {
        let mut random = Random::named(&file.name);
        let numbers = damage::numbers(&file.bytes);
        let chosen = random.sample(numbers.len(), 25);
        let mutants = chosen.into_iter().map(|i| {
            let number = &numbers[i];
            let values = damage::values(&file.bytes, number);
            let value = values[random.below(values.len())];
            damage::with_number(&file.bytes, number, value)
        });
        let mutants: Vec<_> = mutants.collect();
        hold_for_all(&file.name, &watchdog, mutants.into_iter());
    }
}

#[test]
fn flipped_bits() {
    let watchdog = Watchdog::start();
    for file in fixtures::zebins() {
        let mut random = Random::named(&file.name);
        let bits = random.sample(file.bytes.len() * 8, 20);
        hold_for_all(
            &file.name,
            &watchdog,
            bits.into_iter().map(|bit| damage::flip(&file.bytes, bit)),
        );
    }
}

#[test]
fn shuffled_bytes() {
    let watchdog = Watchdog::start();
    for file in fixtures::zebins() {
        let mut random = Random::named(&file.name);
        let mutants = (0..12).map(|_| damage::shuffle(&file.bytes, &mut random));
        let mutants: Vec<_> = mutants.collect();
        hold_for_all(&file.name, &watchdog, mutants.into_iter());
    }
}

#[test]
fn damaged_containers() {
    let watchdog = Watchdog::start();
    for file in fixtures::syclbins() {
        let mut random = Random::named(&file.name);
        let mut mutants: Vec<Mutant> = Vec::new();
        let lengths = random.sample(file.bytes.len(), 30);
        mutants.extend(
            lengths
                .into_iter()
                .map(|len| damage::prefix(&file.bytes, len)),
        );
        // The headers and entries are at the start.
        let bits = random.sample(8 * file.bytes.len().min(512), 60);
        mutants.extend(bits.into_iter().map(|bit| damage::flip(&file.bytes, bit)));
        mutants.extend((0..30).map(|_| damage::shuffle(&file.bytes, &mut random)));
        hold_for_all(&file.name, &watchdog, mutants.into_iter());
    }
}

#[test]
fn lines_of_properties() {
    let watchdog = Watchdog::start();
    let mut syclbin = Syclbin::small();
    let text = syclbin.modules[0].text.0.clone();
    let mut random = Random::new(7);
    let mutants: Vec<_> = (0..200)
        .map(|i| {
            let lines = damage::lines_changed(&text, &mut random);
            syclbin.modules[0].text = Text(lines);
            let bytes = if i % 2 == 0 {
                syclbin.v1()
            } else {
                syclbin.v2()
            };
            let what = format!("change {i}");
            Mutant { what, bytes }
        })
        .collect();
    hold_for_all("properties", &watchdog, mutants.into_iter());
}

#[test]
fn lines_of_ze_info() {
    let watchdog = Watchdog::start();
    let text = zebin::ze_info(&["first", "second"]);
    let mut random = Random::new(5);
    let mutants = (0..400).map(|i| {
        let text = damage::lines_changed(text.as_bytes(), &mut random);
        let bytes = zebin::zebin(&["first", "second"])
            .bytes(".ze_info", text)
            .build()
            .bytes;
        Mutant {
            what: format!("change {i}"),
            bytes,
        }
    });
    let mutants: Vec<_> = mutants.collect();
    hold_for_all("ze_info", &watchdog, mutants.into_iter());
}
