//! Packages and folders: files are opened on demand, in part, and within limits.

use std::cell::{Cell, RefCell};
use std::fs;
use std::path::Path;
use std::rc::Rc;
use zeview::tables;
use zeview::tables::kernels;

use crate::support::elf::Class;
use crate::support::packages::*;
use crate::support::tree::walk_all;
use crate::support::watchdog::Watchdog;
use crate::support::zebin::small;
use crate::support::{fixtures, hosts, open, spirv};
use zeview::analysis::package::PackageAccount;
use zeview::decode::decode;
use zeview::model::{
    ByteSource, Bytes, DeflatedPart, Document, FileSource, FolderSource, Inflation, ListedFile,
    MemorySource, NodeId, Severity, SourceError, SourceId, Span,
};
use zeview::tables::query::Query;
use zeview::tables::write::Form;
use zeview::tables::{Column, ListId, writer};

/// A library with images: the usual host file, with bytes behind it that do not compress.
fn library(more: usize) -> Vec<u8> {
    let spirv = spirv::kernel().build();
    let mut file = hosts::usual(Class::Elf64, 3, &spirv, &small().build().bytes).build();
    let mut state = 1_u64;
    while file.len() < more {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        // Runs, so that there is something to compress.
        let run = usize::try_from(state >> 60).unwrap();
        file.extend(std::iter::repeat_n((state >> 40) as u8, run));
    }
    file
}

/// The table of a document as CSV, with all columns that do not depend on its place.
fn csv(document: &mut Document, id: NodeId, list: ListId) -> String {
    let made = tables::list(document, id, list, None).unwrap();
    let is_of_place = |column: &Column| {
        let of_place = ["file", "image", "path", "found_by", "offset", "copies"];
        !of_place.contains(&column.id)
    };
    let columns: Vec<_> = list.columns().iter().filter(|c| is_of_place(c)).collect();
    let order = Query::default().run(&*made, &document.sources).unwrap();
    let sources = &document.sources;
    writer::write(&*made, &order, &columns, Form::Csv, None, sources, 1 << 20).unwrap()
}

/// The document of a file of a package.
fn file(document: &mut Document, path: &str) -> NodeId {
    let files = document.package_files(NodeId::ROOT).unwrap();
    let index = (0..files.count()).find(|at| files.file(*at).unwrap().path == path);
    let data = files.data(index.unwrap(), &document.sources);
    let stored = document.document_at(data).unwrap();
    match document.children(stored, 0..1).first() {
        Some(unpacked) if document.node(*unpacked).unwrap().name == "unpacked" => *unpacked,
        _ => stored,
    }
}

#[test]
fn a_file_in_a_package_is_the_file_itself() {
    let library = library(3 << 20);
    let zip = zip(&[
        deflated("lib/libkernels.so", &library),
        stored("lib/stored.so", &library),
        deflated("behind.so", &library).with_descriptor(),
    ]);
    let targz = gzip(
        "x.tar",
        &tar(&[tar_entry("lib/libkernels.so", b'0', &library)]),
    );
    let mut plain = open(&library);
    let kernels = csv(&mut plain, NodeId::ROOT, ListId::Kernels);
    let images = csv(&mut plain, NodeId::ROOT, ListId::Images);
    assert!(
        kernels.lines().count() > 1 && images.lines().count() > 1,
        "{kernels}"
    );
    for (package, path) in [
        (&zip, "lib/libkernels.so"),
        (&zip, "lib/stored.so"),
        (&zip, "behind.so"),
        (&targz, "lib/libkernels.so"),
    ] {
        let mut document = open(package);
        assert_eq!(document.diagnostics, []);
        let id = file(&mut document, path);
        assert_eq!(csv(&mut document, id, ListId::Kernels), kernels, "{path}");
        assert_eq!(csv(&mut document, id, ListId::Images), images, "{path}");
        let found = |document: &Document| {
            let found = document.diagnostics.iter();
            let found = found.map(|d| (d.rule.clone(), d.message.clone(), d.primary.span.len()));
            found.collect::<Vec<_>>()
        };
        assert_eq!(found(&document), found(&plain), "{path}");
        let span = document.node(id).unwrap().span.unwrap();
        assert_eq!(&*document.sources.read(span).unwrap(), &*library);
    }
}

/// The list that Python reads from the same archives.
#[test]
fn the_files_of_an_archive_are_those_that_python_lists() {
    for fixture in fixtures::packages() {
        let list = fixture
            .path
            .with_file_name(format!("{}.json", fixture.name));
        let list = std::fs::read_to_string(list).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&list).unwrap();
        let document = open(&fixture.bytes);
        assert_eq!(document.diagnostics, [], "{}", fixture.name);
        let files = document.package_files(NodeId::ROOT).unwrap();
        let files = (0..files.count()).map(|at| {
            let file = files.file(at).unwrap();
            serde_json::json!({
                "path": file.path, "size": file.size, "packed": file.packed,
                "modified": file.modified,
            })
        });
        let files: Vec<_> = files.collect();
        assert_eq!(serde_json::Value::from(files), expected, "{}", fixture.name);
    }
}

#[test]
fn the_kernels_of_all_files() {
    let zebin = small().build().bytes;
    let inner = zip(&[deflated("deep.zebin", &zebin)]);
    let mut document = open(&zip(&[
        deflated("a.py", b"print()"),
        deflated("a.zebin", &zebin),
        stored("b.zebin", &zebin),
        deflated("c/inner.whl", &inner),
        deflated("lib.so", &library(0)),
    ]));
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    let at = |id: &str| {
        let mut columns = ListId::Kernels.columns().iter();
        columns.position(|column| column.id == id).unwrap()
    };
    let cell = |row, id| {
        list.cell(row, at(id), &document.sources)
            .value
            .text()
            .into_owned()
    };
    let rows =
        (0..list.count()).map(|row| ["package_file", "image", "name"].map(|id| cell(row, id)));
    let rows: Vec<_> = rows.collect();
    let files: Vec<&str> = rows.iter().map(|[file, ..]| &**file).collect();
    for expected in ["a.zebin", "b.zebin", "c/inner.whl/deep.zebin", "lib.so"] {
        assert!(files.contains(&expected), "{rows:?}");
    }
    let survey = kernels::survey(&mut document, NodeId::ROOT).unwrap();
    assert!(survey.progress.is_over());
    // The same zebin, thrice.
    assert!(survey.copies.documents >= 2, "{survey:?}");
    // The images of the files that are open now.
    let images = document.images(NodeId::ROOT);
    let files: Vec<&str> = images.list.iter().map(|image| &*image.file).collect();
    for expected in ["a.zebin", "b.zebin", "c/inner.whl/deep.zebin", "lib.so"] {
        assert!(files.contains(&expected), "{files:?}");
    }
    for image in &images.list {
        assert!(document.find(&image.path).is_ok(), "{}", image.path);
    }
}

/// Counts the bytes that are read.
struct Counted {
    bytes: MemorySource,
    read: Rc<Cell<u64>>,
}

impl ByteSource for Counted {
    fn len(&self) -> u64 {
        self.bytes.len()
    }

    fn is_cheap(&self) -> bool {
        true
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        self.read.set(self.read.get() + len);
        self.bytes.read(start, len)
    }
}

/// A stored file can contain the local file of another entry.
#[test]
fn of_files_in_each_other_the_innermost_has_the_bytes() {
    let file = small().build().bytes;
    let inner = zip(&[stored("inner", &file)]);
    let local = &inner[..30 + "inner".len() + file.len()];
    let outer = [local, &[b'x'; 100]].concat();
    let mut whole = zip(&[stored("outer", &outer), stored("inner", &file)]);
    // The second entry's local header becomes the one in the first file.
    let entries: Vec<usize> = (0..whole.len() - 4)
        .filter(|at| whole[*at..].starts_with(b"PK\x01\x02"))
        .collect();
    let offset = entries.last().unwrap() + 42;
    whole[offset..offset + 4].copy_from_slice(&35u32.to_le_bytes());
    let document = open(&whole);
    let files = document.package_files(NodeId::ROOT).unwrap();
    let (outer, inner) = (
        files.data(0, &document.sources),
        files.data(1, &document.sources),
    );
    assert!(outer.contains(inner), "{outer:?} {inner:?}");
    assert_eq!(files.file_at(inner.subspan(10, 20)), Some(1));
    assert_eq!(
        files.file_at(Span::with_len(SourceId::FILE, 0, 30)),
        Some(0)
    );
}

#[test]
fn only_what_is_needed_is_read() {
    let library = library(8 << 20);
    let files: Vec<ZipFile> = (0..4)
        .map(|i| deflated(&format!("lib{i}.so"), &library))
        .collect();
    let zip = zip(&files);
    let read = Rc::new(Cell::new(0));
    let source = Counted {
        bytes: MemorySource::from(zip.clone()),
        read: Rc::clone(&read),
    };
    let mut document = decode(Box::new(source), "package.whl");
    // The directory at the end, and the local headers.
    let opened = read.get();
    assert!(opened < 400_000, "{opened} of {}", zip.len());
    let list = tables::list(&mut document, NodeId::ROOT, ListId::Files, None).unwrap();
    let kind = ListId::Files
        .columns()
        .iter()
        .position(|c| c.id == "kind")
        .unwrap();
    assert_eq!(list.cell(3, kind, &document.sources).value.text(), "ELF");
    assert!(read.get() < opened + 400_000);
    // One file is read once.
    file(&mut document, "lib2.so");
    let each = (zip.len() / 4) as u64;
    assert!(
        read.get() < opened + each * 3 / 2 + (1 << 20),
        "{} of {each}",
        read.get()
    );
    // Bytes in the middle: from a checkpoint.
    let span = document.sources.whole(SourceId(1)).subspan(4 << 20, 100);
    let before = read.get();
    assert_eq!(
        &*document.sources.read(span).unwrap(),
        &library[4 << 20..][..100]
    );
    assert!(read.get() - before < 3 << 20);
}

#[test]
fn damage_of_a_file_is_reported_when_it_is_opened() {
    let zebin = small().build().bytes;
    let bad = ZipFile {
        crc: 1,
        ..deflated("bad.zebin", &zebin)
    };
    let cut = ZipFile {
        data: Some(miniz_oxide::deflate::compress_to_vec(&zebin, 6)[..99].to_vec()),
        ..deflated("cut.zebin", &zebin)
    };
    let long = ZipFile {
        size: Some(0xffff_fff0),
        ..deflated("long.zebin", &zebin)
    };
    let mut document = open(&zip(&[bad, cut, long]));
    assert_eq!(document.diagnostics, []);
    document.open_files(NodeId::ROOT);
    let found = document.diagnostics.iter();
    let found: Vec<&str> = found
        .filter(|found| found.rule == "package/damaged-file")
        .map(|found| &*found.message)
        .collect();
    assert_eq!(found.len(), 3, "{:?}", document.diagnostics);
    assert!(found[0].starts_with("bad.zebin: the CRC-32"), "{found:?}");
    assert!(
        found[1].starts_with("cut.zebin: the deflate stream is truncated"),
        "{found:?}"
    );
    assert!(found[2].contains("are more than"), "{found:?}");
    // The good bytes of a damaged file are shown.
    let kernels = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    assert!(kernels.count() > 0);
}

#[test]
fn every_byte_of_a_package_can_be_wrong() {
    let watchdog = Watchdog::start();
    for (name, whole) in [
        ("zip", usual_zip()),
        (
            "zip64",
            with_zip64_end(zip(&[deflated("a", &[1; 300]).with_zip64()])),
        ),
        (
            "tar.gz",
            gzip(
                "x",
                &tar(&[tar_entry("a.zebin", b'0', &small().build().bytes)]),
            ),
        ),
    ] {
        // All of the small ones.
        let step = (whole.len() / 1000).max(1);
        for at in (0..whole.len()).step_by(step) {
            watchdog.case(format!("{name}, byte {at}"));
            for value in [whole[at] ^ 0xff, whole[at].wrapping_add(1)] {
                let mut bytes = whole.clone();
                bytes[at] = value;
                let mut document = open(&bytes);
                document.open_files(NodeId::ROOT);
                walk_all(&document).unwrap();
            }
        }
        for len in (0..whole.len()).step_by(step) {
            watchdog.case(format!("{name}, {len} bytes"));
            let mut document = open(&whole[..len]);
            document.open_files(NodeId::ROOT);
            walk_all(&document).unwrap();
        }
    }
}

/// A package that contains itself, several times.
#[test]
fn a_package_in_itself_ends() {
    let _watchdog = Watchdog::start();
    let inner = zip(&[stored("a.zip", &[0; 64]), stored("b.zip", &[0; 64])]);
    let mut whole = zip(&[stored("outer.zip", &inner), stored("other.zip", &inner)]);
    let directory = whole
        .windows(4)
        .position(|word| word == b"PK\x01\x02")
        .unwrap();
    let len = whole.len() as u32;
    let mut at = directory;
    while whole[at..].starts_with(b"PK\x01\x02") {
        // All bytes of the archive, from the first local header on.
        whole[at + 20..at + 24].copy_from_slice(&(len - 39).to_le_bytes());
        whole[at + 24..at + 28].copy_from_slice(&(len - 39).to_le_bytes());
        whole[at + 42..at + 46].fill(0);
        at += 46 + "outer.zip".len();
    }
    let mut document = open(&whole);
    document.open_files(NodeId::ROOT);
    walk_all(&document).unwrap();
}

#[test]
fn bombs_are_bounded() {
    let _watchdog = Watchdog::start();
    // A megabyte of a file that unpacks to a gigabyte is refused; so are files that share bytes.
    let zeros = vec![0; 200 << 20];
    let bomb = deflated("lib.so", &[b"\x7fELF".to_vec(), zeros].concat());
    let mut document = open(&zip(&[bomb]));
    let started = std::time::Instant::now();
    document.open_files(NodeId::ROOT);
    let rules: Vec<&str> = document.diagnostics.iter().map(|d| &*d.rule).collect();
    assert!(rules.contains(&"limits/unpacked-too-large"), "{rules:?}");
    assert!(started.elapsed().as_secs() < 5);
    // Packages in packages.
    let deep = (0..40).fold(small().build().bytes, |inner, _| {
        zip(&[deflated("inner.zip", &inner)])
    });
    let mut document = open(&deep);
    document.open_files(NodeId::ROOT);
    let rules: Vec<&str> = document.diagnostics.iter().map(|d| &*d.rule).collect();
    assert!(
        rules.contains(&"limits/too-deep") || rules.iter().any(|r| r.starts_with("limits")),
        "{rules:?}"
    );
}

#[test]
fn a_folder_is_a_document() {
    let zebin = small().build().bytes;
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a folder");
    fs::create_dir_all(&place).unwrap();
    let listed = |path: &str, bytes: &[u8]| {
        let on_disk = place.join(path.replace('/', "-"));
        fs::write(&on_disk, bytes).unwrap();
        let file = ListedFile {
            path: path.to_owned(),
            modified: Some(1_793_000_000),
            size: Ok(bytes.len() as u64),
        };
        (on_disk, file)
    };
    let files = vec![
        listed("a.zebin", &zebin),
        listed("b/empty", b""),
        listed("b/gone.zebin", &zebin),
        listed("b/k.spv", &spirv::kernel().build()),
        listed("b/k.zebin", &zebin),
        (
            place.join("secret"),
            ListedFile {
                path: "secret.zebin".to_owned(),
                modified: None,
                size: Err("permission denied".to_owned()),
            },
        ),
    ];
    let source = FolderSource::new(files);
    fs::write(place.join("b-gone.zebin"), b"changed").unwrap();
    let mut document = decode(Box::new(source), "cache");
    let found: Vec<_> = document
        .diagnostics
        .iter()
        .map(|d| (&*d.rule, &*d.message))
        .collect();
    let denied = "secret.zebin cannot be read: permission denied";
    assert_eq!(found, [("folder/unreadable-file", denied)]);
    walk_all(&document).unwrap();
    assert_eq!(document.coverage.gap, 0);
    let list = csv(&mut document, NodeId::ROOT, ListId::Files);
    assert!(list.contains("2026-10-26 07:33:20"), "{list}");
    let kernels = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    assert!(kernels.primary() >= 1 && kernels.secondary().copies >= 1);
    document.open_files(NodeId::ROOT);
    let images = document.images(NodeId::ROOT);
    let files: Vec<&str> = images.list.iter().map(|image| &*image.file).collect();
    assert_eq!(files, ["a.zebin", "b/k.spv", "b/k.zebin"]);
    let errors = document
        .diagnostics
        .iter()
        .filter(|d| d.severity == Severity::Error);
    // One when the folder was listed, one when its files were read.
    assert_eq!(errors.count(), 2, "{:?}", document.diagnostics);
    assert_eq!(document.unread_count(), 2, "{:?}", document.diagnostics);
}

#[test]
fn the_first_file_of_a_folder_may_vanish() {
    let zebin = small().build().bytes;
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("a folder without its first file");
    fs::create_dir_all(&place).unwrap();
    let files = ["a.zebin", "b.zebin"].map(|path| {
        let on_disk = place.join(path);
        fs::write(&on_disk, &zebin).unwrap();
        let file = ListedFile {
            path: path.to_owned(),
            modified: None,
            size: Ok(zebin.len() as u64),
        };
        (on_disk, file)
    });
    let source = FolderSource::new(files.into());
    fs::remove_file(place.join("a.zebin")).unwrap();
    let mut document = decode(Box::new(source), "cache");
    assert_eq!(&*document.summary.format, "folder");
    let kernels = tables::list(&mut document, NodeId::ROOT, ListId::Kernels, None).unwrap();
    assert!(kernels.primary() >= 1);
    assert_eq!(document.unread_count(), 1, "{:?}", document.diagnostics);
}

/// A package with large files, of which two are damaged.
fn large_files() -> Vec<u8> {
    let tar_of = |padding: usize| {
        let zebin = small().build().bytes;
        tar(&[
            tar_entry("padding", b'0', &vec![7; padding]),
            tar_entry("a.zebin", b'0', &zebin),
        ])
    };
    let whole = |name: &str, padding| deflated(name, &tar_of(padding));
    zip(&[
        whole("one.tar", 6 << 20),
        ZipFile {
            crc: 1,
            ..whole("wrong.tar", 5 << 20)
        },
        deflated("text.txt", b"text"),
        whole("two.tar", 9 << 20),
        ZipFile {
            size: Some(8 << 20),
            ..whole("longer.tar", 7 << 20)
        },
        whole("three.tar", 5 << 20),
    ])
}

/// What opening all files of a package finds.
type Found = (Option<PackageAccount>, Vec<String>, Vec<Span>);

fn found_in(document: &Document) -> Found {
    let account = document.package_account(NodeId::ROOT);
    let found = document.diagnostics.iter();
    let found = found.map(|d| format!("{} {:?} {}", d.rule, d.primary.span, d.message));
    let documents = document.documents().map(|inner| inner.span);
    (account, found.collect(), documents.collect())
}

fn all_files(source: Box<dyn ByteSource>) -> Found {
    let mut document = decode(source, "p.zip");
    document.open_files(NodeId::ROOT);
    found_in(&document)
}

/// Large files are restored in other threads if the package is a file of the operating system.
#[test]
fn files_that_threads_restore_are_the_same() {
    let bytes = large_files();
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("threads.zip");
    fs::write(&path, &bytes).unwrap();
    let expected = all_files(Box::new(MemorySource::from(bytes)));
    assert_eq!(expected.0.map(|account| account.read >= 6), Some(true));
    assert!(!expected.1.is_empty());
    for _ in 0..3 {
        let file = FileSource::open(&path).unwrap();
        assert_eq!(all_files(Box::new(file)), expected);
    }
}

/// A source that inflates parts by itself, as a browser does: after a few questions, and only what is
/// intact.
struct Inflating {
    bytes: Vec<u8>,
    asked: Rc<RefCell<Vec<(DeflatedPart, u32)>>>,
    /// Whether its output cannot be read any more after its first bytes.
    forgets: bool,
}

/// Output of which only the beginning can be read.
struct Forgetful(MemorySource, bool);

impl ByteSource for Forgetful {
    fn len(&self) -> u64 {
        self.0.len()
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        if self.1 && start > 1 << 20 {
            let span = Span::with_len(SourceId::FILE, start, len);
            let message = "gone".to_owned();
            return Err(SourceError { span, message });
        }
        self.0.read(start, len)
    }
}

impl ByteSource for Inflating {
    fn len(&self) -> u64 {
        self.bytes.len() as u64
    }

    fn read(&self, start: u64, len: u64) -> Result<Bytes, SourceError> {
        MemorySource::from(self.bytes.clone()).read(start, len)
    }

    fn inflate_ahead(&self, part: &DeflatedPart) {
        let mut asked = self.asked.borrow_mut();
        if asked.iter().all(|(of, _)| of != part) {
            asked.push((*part, 0));
        }
    }

    fn inflate(&self, part: &DeflatedPart) -> Inflation {
        self.inflate_ahead(part);
        let mut asked = self.asked.borrow_mut();
        let at = asked.iter().position(|(of, _)| of == part).unwrap();
        asked[at].1 += 1;
        let packed = &self.bytes[part.start as usize..(part.start + part.len) as usize];
        match asked[at].1 {
            times @ 1..3 => Inflation::Running(u64::from(times)),
            3 => match miniz_oxide::inflate::decompress_to_vec(packed) {
                Ok(output) if output.len() as u64 == part.size && crc32(&output) == part.crc => {
                    Inflation::Done(Box::new(Forgetful(
                        MemorySource::from(output),
                        self.forgets,
                    )))
                }
                _ => Inflation::Refused,
            },
            _ => Inflation::Refused,
        }
    }
}

/// Files that the source inflates in the background are the same, and wait meanwhile.
#[test]
fn files_that_the_source_inflates_are_the_same() {
    let bytes = large_files();
    let expected = all_files(Box::new(MemorySource::from(bytes.clone())));
    for forgets in [false, true] {
        let asked = Rc::default();
        let source = Inflating {
            bytes: bytes.clone(),
            asked: Rc::clone(&asked),
            forgets,
        };
        let mut document = decode(Box::new(source), "p.zip");
        let mut reading = document.package_reading(NodeId::ROOT).unwrap();
        reading.may_wait(true);
        let mut waited = Vec::new();
        while reading.has_more() {
            reading.step(&mut document);
            if reading.waits() {
                let file = reading.unpacking().unwrap();
                assert!(file.bytes < file.of, "{file:?}");
                waited.push(file.path.to_string());
            }
        }
        waited.dedup();
        // The stated size of the other one cannot be.
        let large = ["one.tar", "wrong.tar", "two.tar", "three.tar"];
        assert_eq!(waited, large, "the source inflates these");
        assert_eq!(asked.borrow().len(), large.len());
        assert_eq!(found_in(&document), expected, "forgets: {forgets}");
    }
    // Callers that do not wait inflate the files themselves.
    let asked = Rc::default();
    let source = Inflating {
        bytes,
        asked: Rc::clone(&asked),
        forgets: false,
    };
    assert_eq!(all_files(Box::new(source)), expected);
    assert!(asked.borrow().is_empty());
}

#[test]
fn images_behind_zeros_are_found() {
    let zebin = small().build().bytes;
    let bytes = [&[0; 600][..], &zebin].concat();
    let document = open(&bytes);
    assert_eq!(document.summary.format, "container");
    let spans: Vec<Span> = document.documents().map(|inner| inner.span).collect();
    assert_eq!(spans, [Span::new(SourceId::FILE, 600, bytes.len() as u64)]);
    let document = open(&[0; 600]);
    assert_eq!(document.summary.title, "zero bytes");
}
