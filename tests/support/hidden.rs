//! Packages in which a zebin that must not pass is hidden: each in a way that a reader could miss.

use miniz_oxide::deflate::compress_to_vec;
use zeview::analysis::package::PackageAccount;
use zeview::analysis::unread;
use zeview::decode::compression::Method;
use zeview::model::{Document, NodeId};

use super::compressed::stream;
use super::gate;
use super::packages::*;
use super::random::Random;
use super::zebin;

/// A zebin that the driver loads, without spills.
pub fn good() -> Vec<u8> {
    zebin::zebin(&["calm"]).build().bytes
}

/// A zebin with a kernel that spills.
pub fn spilling() -> Vec<u8> {
    let text = gate::text();
    zebin::zebin(&["calm", "hot"])
        .bytes(".ze_info", text)
        .build()
        .bytes
}

/// A zebin that the driver refuses, with a kernel that spills.
pub fn refused() -> Vec<u8> {
    let text = gate::text().replace("spill_size:", "spill_size: 9999\n      spill_sizx:");
    zebin::zebin(&["calm", "hot"])
        .bytes(".ze_info", text)
        .build()
        .bytes
}

/// The hidden files.
fn hidden() -> [(&'static str, Vec<u8>); 2] {
    [("refused.zebin", refused()), ("spilling.zebin", spilling())]
}

/// A zip archive with a good zebin, and the hidden files as `make` makes them.
fn zip_of(make: impl Fn(&str, &[u8]) -> ZipFile) -> Vec<u8> {
    let mut files = vec![deflated("good.zebin", &good())];
    files.extend(hidden().iter().map(|(name, bytes)| make(name, bytes)));
    zip(&files)
}

/// A tar archive with a good zebin, and the hidden files as `make` makes them.
fn tar_of(make: impl Fn(&str, &[u8]) -> Vec<u8>) -> Vec<u8> {
    let mut entries = vec![tar_entry("good.zebin", b'0', &good())];
    entries.extend(hidden().iter().map(|(name, bytes)| make(name, bytes)));
    tar(&entries)
}

/// A file whose compressed bytes are changed.
fn with_data(name: &str, bytes: &[u8], change: impl Fn(&mut Vec<u8>)) -> ZipFile {
    let mut data = compress_to_vec(bytes, 6);
    change(&mut data);
    ZipFile {
        data: Some(data),
        ..deflated(name, bytes)
    }
}

/// A package of packages, `depth` times.
fn nested(depth: usize, wrap: impl Fn(&[u8]) -> Vec<u8>) -> Vec<u8> {
    let inner = (0..depth).fold(zip_of(deflated), |bytes, _| wrap(&bytes));
    zip(&[deflated("good.zebin", &good()), stored("inner", &inner)])
}

/// Many small files in front of the hidden ones.
fn many(count: usize) -> Vec<u8> {
    let mut files = vec![deflated("good.zebin", &good())];
    files.extend((0..count).map(|number| stored(&format!("d/{number}.txt"), b"x")));
    files.extend(hidden().iter().map(|(name, bytes)| deflated(name, bytes)));
    zip(&files)
}

/// All cases, with their names.
pub fn cases() -> Vec<(String, Vec<u8>)> {
    let mut cases: Vec<(String, Vec<u8>)> = Vec::new();
    let mut add = |name: &str, bytes: Vec<u8>| cases.push((name.to_owned(), bytes));
    add("deflated", zip_of(deflated));
    add("stored", zip_of(stored));
    add(
        "encrypted",
        zip_of(|name, bytes| ZipFile {
            flags: 1,
            ..deflated(name, bytes)
        }),
    );
    for method in [1, 6, 9, 12, 14, 93, 95, 98, 99, 255] {
        let make = |name: &str, bytes: &[u8]| ZipFile {
            method,
            ..stored(name, bytes)
        };
        add(&format!("method {method}"), zip_of(make));
    }
    for at in [0, 1, 100] {
        let make = |name: &str, bytes: &[u8]| with_data(name, bytes, |data| data[at] ^= 0xff);
        add(&format!("damaged at {at}"), zip_of(make));
    }
    // A changed byte in a valid stream hides the format of the file.
    add(
        "first byte changed",
        zip_of(|name, bytes| ZipFile {
            data: Some(compress_to_vec(&[b"x", &bytes[1..]].concat(), 6)),
            ..deflated(name, bytes)
        }),
    );
    // Also if it makes a text of it, or the file is too large to be restored in one piece.
    for (start, len) in [
        (b"text", 0),
        (b"\xff\xfe\0\x01", 5 << 20),
        (b"text", 9 << 20),
    ] {
        let behind = |bytes: &[u8]| [bytes, &vec![0; len]].concat();
        let changed = |bytes: &[u8]| [start, &bytes[start.len()..]].concat();
        add(
            &format!("begins with {start:?}, {len} bytes longer"),
            zip_of(|name, bytes| ZipFile {
                data: Some(compress_to_vec(&changed(&behind(bytes)), 6)),
                ..deflated(name, &behind(bytes))
            }),
        );
        add(
            &format!("stored, begins with {start:?}, {len} bytes longer"),
            zip_of(|name, bytes| ZipFile {
                data: Some(changed(&behind(bytes))),
                ..stored(name, &behind(bytes))
            }),
        );
    }
    add(
        "no bytes",
        zip_of(|name, bytes| with_data(name, bytes, Vec::clear)),
    );
    add(
        "half",
        zip_of(|name, bytes| with_data(name, bytes, |data| data.truncate(data.len() / 2))),
    );
    add(
        "a stream, then another",
        zip_of(|name, bytes| ZipFile {
            crc: crc32(b"text") ^ crc32(bytes),
            size: Some(4),
            ..with_data(name, bytes, |data| {
                *data = [compress_to_vec(b"text", 6), data.clone()].concat()
            })
        }),
    );
    for make in [stored, deflated] {
        add(
            "wrong CRC-32",
            zip_of(|name, bytes| ZipFile {
                crc: 1,
                ..make(name, bytes)
            }),
        );
    }
    for size in [0, 3, 100, 10_000_000, 0xffff_fffe] {
        let make = |name: &str, bytes: &[u8]| ZipFile {
            size: Some(size),
            ..deflated(name, bytes)
        };
        add(&format!("size {size}"), zip_of(make));
    }
    add(
        "names of folders",
        zip_of(|name, bytes| deflated(&format!("{name}/"), bytes)),
    );
    add("one name", zip_of(|_, bytes| deflated("good.zebin", bytes)));
    // Local headers without entries: the files of one archive in front of another.
    add(
        "in front of the archive",
        zip_with(&zip_of(deflated), &[deflated("good.zebin", &good())], ""),
    );
    let whole = zip_of(deflated);
    let directory = whole
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    let mut inside = zip(&[deflated("good.zebin", &good())]);
    let own = inside
        .windows(4)
        .position(|bytes| bytes == b"PK\x01\x02")
        .unwrap();
    inside.splice(own..own, whole[..directory].iter().copied());
    let end = inside.len() - 22;
    let start = (own + directory) as u32;
    inside[end + 16..end + 20].copy_from_slice(&start.to_le_bytes());
    add("in front of the directory", inside);
    for (name, wrap) in [
        (
            "zip",
            (|bytes: &[u8]| zip(&[deflated("n", bytes)])) as fn(&[u8]) -> Vec<u8>,
        ),
        ("stored zip", |bytes| zip(&[stored("n", bytes)])),
        ("tar", |bytes| tar(&[tar_entry("n", b'0', bytes)])),
        ("tar.gz", |bytes| {
            gzip("n", &tar(&[tar_entry("n", b'0', bytes)]))
        }),
        ("gz", |bytes| gzip("n", bytes)),
    ] {
        for depth in [1, 7, 8, 14, 16, 20] {
            add(&format!("{name} {depth} deep"), nested(depth, wrap));
        }
    }
    for count in [1021, 1100] {
        add(&format!("{count} files before"), many(count));
    }
    add("tar", tar_of(|name, bytes| tar_entry(name, b'0', bytes)));
    for kind in *b"7SVDMNZAsXLKxg123456" {
        let make = |name: &str, bytes: &[u8]| tar_entry(name, kind, bytes);
        add(&format!("tar type {}", char::from(kind)), tar_of(make));
    }
    add(
        "tar names of folders",
        tar_of(|name, bytes| tar_entry(&format!("{name}/"), b'0', bytes)),
    );
    add(
        "tar sparse",
        tar_of(|name, bytes| {
            let records = [pax("GNU.sparse.major", "1"), pax("GNU.sparse.minor", "0")].concat();
            let map = [b"1\n0\n99\n".as_slice(), &[0; 505], bytes].concat();
            [tar_entry("p", b'x', &records), tar_entry(name, b'0', &map)].concat()
        }),
    );
    add(
        "tar size of records",
        tar_of(|name, bytes| {
            let size = pax("size", &bytes.len().to_string());
            let mut file = tar_entry(name, b'0', bytes);
            file[124..136].copy_from_slice(b"00000000000\0");
            [tar_entry("p", b'x', &size), file].concat()
        }),
    );
    // A size that is too small leaves the others' bytes behind the last one's.
    let listed = hidden();
    let mut entries: Vec<(&str, Result<&[u8], &str>)> = vec![("a", Ok(b"text"))];
    entries.extend(listed.iter().map(|(name, bytes)| (&**name, Ok(&**bytes))));
    let whole = String::from_utf8_lossy(&folder(&entries)[..40]).into_owned();
    let at = whole.find("\n").unwrap() + 1;
    let mut shorter = folder(&entries);
    shorter[at] = b'0';
    add("folder with a wrong size", shorter);
    let first = tar(&[tar_entry("good.zebin", b'0', &good())]);
    let second = tar_of(|name, bytes| tar_entry(name, b'0', bytes));
    add(
        "tar archives in sequence",
        [first.clone(), second.clone()].concat(),
    );
    let (one, other) = second.split_at(second.len() / 1024 * 512);
    add("gzip members", [gzip("n", one), gzip("n", other)].concat());
    add(
        "gzip members of whole archives",
        [gzip("n", &first), gzip("n", &second)].concat(),
    );
    add(
        "bytes behind gzip",
        [gzip("n", &first), second.clone()].concat(),
    );
    add("gzip whose name has no end", {
        // The name follows ten bytes.
        let whole = gzip("n", &second);
        let (head, rest) = whole.split_at(10);
        let rest = rest.iter().filter(|byte| **byte != 0);
        [head, &rest.copied().collect::<Vec<u8>>()].concat()
    });
    add("gzip cut", {
        let whole = gzip("n", &second);
        whole[..whole.len() / 2].to_vec()
    });
    for magic in [
        b"7z\xbc\xaf\x27\x1c".as_slice(),
        b"Rar!\x1a\x07\0",
        b"\xed\xab\xee\xdb",
    ] {
        let unknown = [magic, &[0; 600], &spilling()].concat();
        add(
            "format without a decoder",
            zip(&[deflated("good.zebin", &good()), deflated("inner", &unknown)]),
        );
    }
    add(
        "another stream behind the first",
        zip_of(|name, bytes| ZipFile {
            method: 93,
            data: Some([stream(Method::Zstd, &bytes[..40]), b"more".to_vec()].concat()),
            ..stored(name, bytes)
        }),
    );
    for before in [5, 32_760, (1 << 20) - 30, 8 << 20] {
        let bytes = |bytes: &[u8]| in_unknown(before, bytes);
        add(
            &format!("in an unknown format, {before} bytes before"),
            zip_of(|name, file| deflated(name, &bytes(file))),
        );
        add(
            &format!("in a stored unknown format, {before} bytes before"),
            zip_of(|name, file| stored(name, &bytes(file))),
        );
        add(
            &format!("in an unknown format in tar, {before} bytes before"),
            tar_of(|name, file| tar_entry(name, b'0', &bytes(file))),
        );
        add(
            &format!("in an unknown format in gzip, {before} bytes before"),
            zip_of(|name, file| stored(name, &gzip("n", &bytes(file)))),
        );
        add(
            &format!("in an unknown format, compressed again, {before} bytes before"),
            zip_of(|name, file| {
                let packed = stream(Method::Zstd, &bytes(file));
                deflated(name, &packed)
            }),
        );
        add(
            &format!("in an unknown format, two packages deep, {before} bytes before"),
            zip(&[
                deflated("good.zebin", &good()),
                deflated("inner", &zip_of(|name, file| deflated(name, &bytes(file)))),
            ]),
        );
        let listed = hidden().map(|(name, file)| (name, bytes(&file)));
        let entries = listed.iter().map(|(name, file)| (*name, Ok(&**file)));
        let entries: Vec<(&str, Result<&[u8], &str>)> = entries.collect();
        add(
            &format!("in an unknown format in a folder, {before} bytes before"),
            folder(&entries),
        );
    }
    // They say nothing of what follows.
    for zeros in [512, 70_000] {
        let bytes = |bytes: &[u8]| [&vec![0; zeros][..], bytes, &[0; 20]].concat();
        add(
            &format!("behind {zeros} zeros"),
            zip_of(|name, file| deflated(name, &bytes(file))),
        );
        add(
            &format!("stored behind {zeros} zeros"),
            zip_of(|name, file| stored(name, &bytes(file))),
        );
        add(
            &format!("in tar behind {zeros} zeros"),
            tar_of(|name, file| tar_entry(name, b'0', &bytes(file))),
        );
        add(
            &format!("in gzip behind {zeros} zeros"),
            zip_of(|name, file| stored(name, &gzip("n", &bytes(file)))),
        );
    }
    cases
}

/// A file of an unknown format with `before` bytes, the given ones, and some more.
fn in_unknown(before: usize, bytes: &[u8]) -> Vec<u8> {
    // Not a text, not zeros, and with first bytes of images that are none.
    let start: Vec<u8> = (0..before)
        .map(|at| [0x91, 0x7f, 0x03, 0xf2][at % 4])
        .collect();
    [&start, bytes, &[0x85; 20]].concat()
}

/// A random package with a good file and a hidden one, and the number of entries that were written.
pub fn random(random: &mut Random, depth: usize) -> Vec<u8> {
    let mut files = vec![("good.zebin".to_owned(), good())];
    for number in 0..random.below(4) {
        files.push((format!("text{number}.txt"), vec![b'a'; random.below(2000)]));
    }
    let inner = match random.below(3) {
        0 if depth > 0 => vec![("inner", self::random(random, depth - 1))],
        _ => vec![("refused", refused()), ("spilling", spilling())],
    };
    for (name, bytes) in inner {
        let bytes = match random.below(4) {
            // Packages are not searched there, only images.
            0 if name != "inner" => in_unknown(1 + random.below(70_000), &bytes),
            _ => bytes,
        };
        let at = random.below(files.len() + 1);
        files.insert(at, (name.to_owned(), bytes));
    }
    match random.below(5) {
        0 | 1 => {
            let make = |(name, bytes): &(String, Vec<u8>), random: &mut Random| {
                let mut file = match random.below(2) {
                    0 => deflated(name, bytes),
                    _ => stored(name, bytes),
                };
                if random.below(8) == 0 {
                    file = file.with_descriptor();
                }
                if random.below(8) == 0 {
                    file = file.with_zip64();
                }
                match random.below(24) {
                    0 => file.flags |= 1,
                    1 => file.method = [1, 6, 9, 12, 14, 93, 95, 98, 99][random.below(9)],
                    2 => file.size = Some(random.below(5000) as u32),
                    3 => file.crc = 1,
                    4 => file.name.push('/'),
                    5 => file.local_name = Some("other".to_owned()),
                    _ => {}
                }
                file
            };
            let made: Vec<ZipFile> = files.iter().map(|file| make(file, random)).collect();
            zip(&made)
        }
        2 | 3 => {
            let entries = files.iter().map(|(name, bytes)| {
                let kind = match random.below(12) {
                    0 => b"7SVDMNZAsXLKxg123456"[random.below(20)],
                    _ => b'0',
                };
                let end = match random.below(10) {
                    0 => vec![0; 1024],
                    _ => Vec::new(),
                };
                [tar_entry(name, kind, bytes), end].concat()
            });
            let whole = tar(&entries.collect::<Vec<_>>());
            match random.below(3) {
                0 => gzip("x.tar", &whole),
                1 => {
                    let (one, other) = whole.split_at(random.below(whole.len()));
                    [gzip("x", one), gzip("x", other)].concat()
                }
                _ => whole,
            }
        }
        _ => {
            let listed = files.iter().map(|(name, bytes)| {
                let bytes = match random.below(6) {
                    0 => Err("Permission denied"),
                    _ => Ok(&**bytes),
                };
                (&**name, bytes)
            });
            folder(&listed.collect::<Vec<_>>())
        }
    }
}

/// Changes bytes of a package: not those of a stored zebin, in which a change can make a file that
/// violates nothing, and not the magic numbers of packages.
pub fn damage(package: &mut Vec<u8>, random: &mut Random) {
    let zebins = [good(), refused(), spilling()];
    let mut is_kept = vec![false; package.len()];
    // Without its magic number, nothing says that a file is a package.
    let magics: [&[u8]; 4] = [b"PK\x03\x04", b"\x1f\x8b\x08", b"zeview folder ", b"ustar"];
    let kept = zebins.iter().map(Vec::as_slice).chain(magics);
    for kept in kept {
        for at in memmem(package, kept) {
            is_kept[at..at + kept.len()].fill(true);
        }
    }
    match random.below(4) {
        0 => {
            // Within the last file, the end of which may be the end of a zebin.
            let len = package.len() - random.below(package.len() / 4 + 1);
            package.truncate(len);
        }
        _ => {
            for _ in 0..=random.below(4) {
                let at = random.below(package.len());
                if !is_kept[at] {
                    package[at] ^= 1 << random.below(8);
                }
            }
        }
    }
}

/// Returns the positions of `part` in `whole`.
fn memmem(whole: &[u8], part: &[u8]) -> Vec<usize> {
    let head = &part[..64.min(part.len())];
    let starts = whole.windows(head.len()).enumerate();
    let starts = starts.filter(|(_, bytes)| *bytes == head).map(|(at, _)| at);
    starts.filter(|at| whole[*at..].starts_with(part)).collect()
}

/// Reads all files, and checks that the numbers add up.
pub fn account(document: &mut Document) -> Option<PackageAccount> {
    let mut reading = document.package_reading(NodeId::ROOT)?;
    let listed = document.package_files(NodeId::ROOT)?.count() as u64;
    while reading.has_more() {
        let before = reading.account();
        assert_eq!(before.entries(), reading.count());
        assert_eq!(before.entries() - before.pending, reading.done());
        reading.step(document);
    }
    let account = reading.account();
    assert_eq!(account.pending, 0);
    assert!(account.entries() >= listed, "{account:?}");
    // Every file that was not read has a finding.
    assert!(document.unread_count() >= account.unread, "{account:?}");
    assert_eq!(
        unread::unread_parts(document).is_empty(),
        document.unread_count() == 0
    );
    Some(account)
}
