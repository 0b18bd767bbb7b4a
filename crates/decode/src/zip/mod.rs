//! Zip archives: wheels, and other packages of files.
//!
//! ```text
//! [local header │ name │ extra │ data │ descriptor]… │ central directory │ Zip64 end │ end
//! ```
//!
//! The central directory at the end lists the files; the local headers repeat most of it. Files are
//! opened on demand (`package`). Names are only names: nothing is written.

mod directory;
mod records;
mod rows;

use std::rc::Rc;

use super::Context;
use super::format::{Format, OpenedDocument};
use super::layout::{self, Overlap, Region, Regions};
use super::package::{self, Package};
use super::text::plural;
use zeview_core::model::{Sources, Span};

use self::directory::{Directory, Entry};

const SOURCE: &str = "APPNOTE.TXT";

/// The zip format.
#[derive(Debug)]
pub struct Zip;

/// The kinds of the regions of a zip file, and of the items of its rows.
const FILE: u8 = 1;
const DIRECTORY: u8 = 2;
const END: u8 = 3;
const END_64: u8 = 4;
const LOCATOR_64: u8 = 5;
/// The data of a file.
const DATA: u8 = 6;

/// The item of the file itself.
const TOP: u64 = u64::MAX;

struct Archive {
    regions: Regions,
    directory: Rc<Directory>,
    package: Rc<Package>,
    /// Whether the local headers were compared with the directory when the archive was opened.
    is_checked: bool,
}

impl Format for Zip {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(b"PK\x03\x04") || head.starts_with(b"PK\x05\x06")
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "zip"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let directory = Directory::read(cx, span);
        let directory = Rc::new(directory);
        let mut package = Package::new(cx, directory.members());
        let is_checked = directory.entries.len() <= super::limits::LOCAL_HEADERS;
        if !is_checked {
            let directory = Rc::clone(&directory);
            package.check_later(Box::new(move |cx, index| {
                if let Some(entry) = directory.entries.get(index) {
                    rows::check_around(cx, entry);
                }
            }));
        }
        let mut claims = Vec::new();
        for (number, entry) in (0..).zip(&directory.entries) {
            let file = if is_checked {
                rows::check_local(cx, entry);
                rows::extent(cx.sources, entry)
            } else {
                entry.around
            };
            claims.push(Region::new(layout::id(FILE, number), file));
        }
        for (kind, part) in [
            (DIRECTORY, directory.span),
            (END, directory.end),
            (END_64, directory.end_64),
            (LOCATOR_64, directory.locator_64),
        ] {
            if !part.is_empty() {
                claims.push(Region::new(layout::id(kind, 0), part));
            }
        }
        let name = |id: u64| match layout::split(id) {
            (FILE, number) => directory
                .entry(number)
                .map_or("file", |entry| &entry.name)
                .to_owned(),
            (DIRECTORY, _) => "the central directory".to_owned(),
            _ => "the end record".to_owned(),
        };
        let regions = Regions::arrange(cx, span, claims, Overlap::Package, &name);
        package.list(cx);
        let title = match &directory.entries {
            entries
                if entries
                    .iter()
                    .any(|entry| entry.name.ends_with(".dist-info/WHEEL")) =>
            {
                "Python wheel"
            }
            _ => "zip archive",
        };
        let summary = package::summary("zip", title.to_owned(), span, &package);
        let count = regions.region_count();
        let archive = Archive {
            regions,
            directory,
            package: Rc::new(package),
            is_checked,
        };
        OpenedDocument {
            summary,
            content: Some((cx.register(Rc::new(archive)), TOP, Some(count))),
        }
    }
}

/// The length of the local header at the start of these bytes, with name and extra fields.
fn local_length(sources: &Sources, start: Span) -> u64 {
    let header = rows::local_header(sources, start);
    let more = u64::from(header.name_length) + u64::from(header.extra_length);
    records::LocalHeader::SIZE + more
}

fn entries_text(entries: &[Entry]) -> String {
    plural(entries.len() as u64, "entry")
}
