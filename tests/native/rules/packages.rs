//! Cases of packages.

use super::{Case, bytes};
use crate::support::packages::*;
use zeview::decode::rules as r;

fn at(bytes: &[u8], find: &[u8]) -> usize {
    bytes.windows(find.len()).position(|w| w == find).unwrap()
}

fn last(bytes: &[u8], find: &[u8]) -> usize {
    bytes.windows(find.len()).rposition(|w| w == find).unwrap()
}

fn changed(bytes: &[u8], at: usize, value: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + value.len()].copy_from_slice(value);
    bytes
}

pub fn zips() -> Vec<Case> {
    let usual = zip(&[deflated("a", &[7; 400]), stored("b", b"text")]);
    let central = at(&usual, b"PK\x01\x02");
    let second = last(&usual, b"PK\x01\x02");
    let end = last(&usual, b"PK\x05\x06");
    let local = last(&usual, b"PK\x03\x04");
    let one = |file: ZipFile| zip(&[file]);
    let of = |file: ZipFile, find: &[u8], from: usize, to: usize| {
        let zip = one(file);
        let start = at(&zip, find);
        (zip, start + from..start + to)
    };
    let encrypted = ZipFile {
        flags: 1,
        ..stored("a", b"text")
    };
    let imploded = ZipFile {
        method: 6,
        ..stored("a", b"text")
    };
    let outside = of(stored("../a", b"text"), b"PK\x01\x02", 46, 50);
    let absolute = of(stored("/etc/a", b"text"), b"PK\x01\x02", 46, 52);
    let encrypted = of(encrypted, b"PK\x01\x02", 8, 10);
    let imploded = of(imploded, b"PK\x01\x02", 10, 12);
    let renamed = ZipFile {
        local_name: Some("c".to_owned()),
        ..stored("a", b"text")
    };
    let renamed = of(renamed, b"PK\x03\x04", 30, 31);
    let length = ZipFile {
        size: Some(9),
        ..stored("a", b"text")
    };
    let length = of(length, b"PK\x01\x02", 24, 28);
    let shifted = zip_with(b"PK\x03\x04 and more", &[stored("a", b"text")], "");
    let shifted_end = last(&shifted, b"PK\x05\x06");
    let wide = with_zip64_end(usual.clone());
    let locator = last(&wide, b"PK\x06\x07");
    let part =
        |rule, (fires, at): (Vec<u8>, std::ops::Range<usize>)| bytes(rule, &fires, at, &usual);
    vec![
        bytes(
            &r::ZIP_NO_DIRECTORY,
            &usual[..end],
            end - 22..end,
            &zip_with(&[], &[], "a comment"),
        ),
        // No entry where one is expected.
        bytes(
            &r::ZIP_DIRECTORY,
            &changed(&usual, second, b"XX"),
            second..second + 4,
            &wide,
        ),
        // The size of the directory, its disks, and its offset.
        bytes(
            &r::ZIP_DIRECTORY,
            &changed(&usual, end + 12, &[0xff, 0xff]),
            end + 10..end + 20,
            &usual,
        ),
        bytes(
            &r::ZIP_DIRECTORY,
            &changed(&usual, end + 4, &[3]),
            end + 4..end + 6,
            &usual,
        ),
        bytes(
            &r::ZIP_DIRECTORY,
            &shifted,
            shifted_end + 10..shifted_end + 20,
            &usual,
        ),
        bytes(
            &r::ZIP_DIRECTORY,
            &changed(&wide, locator + 8, &[1]),
            locator + 8..locator + 16,
            &wide,
        ),
        part(&r::ZIP_DIRECTORY, length),
        bytes(
            &r::ZIP_COUNT,
            &changed(&usual, end + 10, &[3]),
            end + 10..end + 20,
            &usual,
        ),
        bytes(
            &r::ZIP_LOCAL_HEADER,
            &changed(&usual, local, b"XX"),
            second + 42..second + 46,
            &usual,
        ),
        part(&r::ZIP_LOCAL_HEADER, renamed),
        bytes(
            &r::ZIP_LOCAL_HEADER,
            &changed(&usual, local + 8, &[8]),
            local + 8..local + 10,
            &one(stored("a", b"text").with_descriptor()),
        ),
        bytes(
            &r::ZIP_LOCAL_HEADER,
            &changed(&usual, local + 14, &[1]),
            local + 14..local + 18,
            &one(deflated("a", &[1; 100]).with_zip64()),
        ),
        bytes(
            &r::ZIP_OUT_OF_BOUNDS,
            &changed(&usual, central + 20, &[0, 0, 1]),
            central + 20..central + 24,
            &usual,
        ),
        part(&r::ZIP_METHOD, encrypted),
        part(&r::ZIP_METHOD, imploded),
        part(&r::PACKAGE_PATH, outside),
        part(&r::PACKAGE_PATH, absolute),
    ]
}

pub fn tars() -> Vec<Case> {
    let usual = tar(&[
        tar_entry("a", b'0', &[7; 600]),
        tar_entry("b", b'0', b"text"),
    ]);
    let with = |entry: Vec<u8>| tar(&[entry, tar_entry("b", b'0', b"text")]);
    let records = with(tar_entry("x", b'x', b"9 path=a\nno record\n"));
    let outside = with(tar_entry("a/../../b", b'0', b"text"));
    // The second header is at 512 + 1024.
    let second = 1536;
    vec![
        bytes(
            &r::TAR_HEADER,
            &changed(&usual, second + 257, b"x"),
            second..second + 512,
            &usual,
        ),
        bytes(
            &r::TAR_HEADER,
            &changed(&usual, second + 124, b"x"),
            second + 124..second + 136,
            &usual,
        ),
        bytes(
            &r::TAR_HEADER,
            &usual[..second + 100],
            second..second + 100,
            &usual,
        ),
        bytes(
            &r::TAR_CHECKSUM,
            &changed(&usual, second, b"c"),
            second + 148..second + 156,
            &usual,
        ),
        bytes(&r::TAR_OUT_OF_BOUNDS, &usual[..1000], 124..136, &usual),
        bytes(&r::TAR_RECORD, &records, 521..531, &usual),
        bytes(&r::TAR_END, &usual[..second], second - 512..second, &usual),
        bytes(
            &r::TAR_END,
            &usual[..second + 1536],
            second + 1024..second + 1536,
            &usual,
        ),
        bytes(&r::PACKAGE_PATH, &outside, 0..100, &usual),
        bytes(
            &r::PACKAGE_UNREAD,
            &with(tar_entry("a", b'S', b"holes")),
            156..157,
            &usual,
        ),
        bytes(
            &r::PACKAGE_GAP,
            &[usual.clone(), vec![7; 600]].concat(),
            usual.len()..usual.len() + 600,
            &usual,
        ),
    ]
}

pub fn gzips() -> Vec<Case> {
    let usual = gzip("a", b"text, text, text, text");
    let len = usual.len();
    let data = 12..len - 8;
    let damaged = |at: usize| changed(&usual, at, &[usual[at] ^ 0x40]);
    vec![
        bytes(&r::GZIP_HEADER, &usual[..15], 0..15, &usual),
        bytes(&r::GZIP_HEADER, &usual[..11], 10..11, &usual),
        bytes(&r::PACKAGE_DAMAGED, &damaged(len - 8), data.clone(), &usual),
        bytes(&r::PACKAGE_DAMAGED, &damaged(len - 4), data.clone(), &usual),
        bytes(&r::PACKAGE_DAMAGED, &damaged(14), data, &usual),
    ]
}

pub fn folders() -> Vec<Case> {
    let usual = usual_folder();
    let readable = folder(&[("a", Ok(b"text")), ("b", Ok(b"more"))]);
    let secret = at(&usual, b"- 1793000000 b/secret");
    let line = at(&readable, b"4 ");
    let short = &readable[..readable.len() - 1];
    vec![
        bytes(
            &r::FOLDER_FILE,
            &usual,
            secret..secret + "- 1793000000 b/secret\tPermission denied\n".len(),
            &readable,
        ),
        // The length of the list, a line, and the size of a file.
        bytes(
            &r::FOLDER_LIST,
            &changed(&readable, 14, b"x"),
            0..25,
            &readable,
        ),
        bytes(
            &r::FOLDER_LIST,
            &changed(&readable, line, b"x"),
            line..line + "4 - a\n".len(),
            &readable,
        ),
        bytes(
            &r::FOLDER_LIST,
            short,
            line + "4 - a\n".len()..line + "4 - a\n4 - b\n".len(),
            &readable,
        ),
    ]
}
