//! Folders: their files as one document, each a source of its own.
//!
//! The bytes of the document itself are a list that zeview writes: a line for each file, with its
//! size, the time of its last change, and its path.
//!
//! ```text
//!        10184 2026-10-26 07:20:00 a/kernel.zebin
//! ```

use std::ops::Range;
use std::rc::Rc;

use super::Context;
use super::formats::FORMATS;
use super::package::{self, Locator, Member, Package, Packing};
use super::text::plural;
use super::{format, rules};
use crate::analysis::package::{PackageFile, PackageFiles};
use crate::model::{
    Area, ByteSource, DeferredDocument, Doc, Document, Expand, ExpanderId, InterfaceRequest,
    MemorySource, Node, NodeKind, Parts, Rows, SourceId, Sources, Span, Value,
};

static FILE_DOC: Doc = Doc::new("A file of the folder.", "");
static SIZE_DOC: Doc = Doc::new("The size of the file in bytes.", "");
static TIME_DOC: Doc = Doc::new("The time of its last change, in UTC.", "");
static PATH_DOC: Doc = Doc::new("The path in the folder.", "");

/// A file of a folder.
pub struct FolderFile {
    /// Its path in the folder, with slashes.
    pub path: String,
    /// The time of its last change, in seconds since 1970, if it is known.
    pub modified: Option<u64>,
    /// Its bytes, or the reason why they cannot be read.
    pub source: Result<Box<dyn ByteSource>, String>,
}

/// The width of a size, and of a time, in the list.
const SIZE: u64 = 14;
const TIME: u64 = 19;

/// The line of a file.
struct Line {
    size: Span,
    time: Span,
    path: Span,
}

/// Decodes the files of a folder as one document. No file is read; each is opened on demand.
pub fn decode_folder(name: &str, files: Vec<FolderFile>) -> Document {
    let mut list = String::new();
    let mut lines = Vec::new();
    for file in &files {
        let start = list.len() as u64;
        let size = file.source.as_ref().map_or(0, |source| source.len());
        let time = file.modified.map(package::time_text).unwrap_or_default();
        list.push_str(&format!("{size:>14} {time:<19} {}\n", file.path));
        let span = |from: u64, to: u64| Span::new(SourceId::FILE, from, to);
        let after_size = start.saturating_add(SIZE + 1);
        let after_time = after_size.saturating_add(TIME + 1);
        lines.push(Line {
            size: span(start, after_size),
            time: span(after_size, after_time),
            path: span(after_time, list.len() as u64),
        });
    }
    let sources = Sources::new(name, Box::new(MemorySource::from(list)));
    let whole = sources.whole(SourceId::FILE);
    let cx = Context::new(&sources, FORMATS);
    let mut members = Vec::new();
    for (file, line) in files.into_iter().zip(&lines) {
        let mut size = 0;
        let packing = match file.source {
            Ok(source) => {
                size = source.len();
                let source = sources.member(&file.path, source, line.path);
                Packing::Elsewhere(sources.whole(source))
            }
            Err(reason) => {
                let message = format_args!("{} cannot be read: {reason}", file.path);
                cx.report(&rules::FOLDER_FILE, line.path, message);
                Packing::Unknown
            }
        };
        members.push(Member {
            file: PackageFile {
                path: file.path.into(),
                size,
                packed: size,
                modified: file
                    .modified
                    .map(package::time_text)
                    .unwrap_or_default()
                    .into(),
                method: "stored".into(),
                entry: line.whole(),
            },
            packing,
            data: Locator::At(line.path),
        });
    }
    let package = Package::new(&cx, members);
    package.list(&cx);
    let summary = package::summary("folder", "folder".to_owned(), whole, &package);
    let count = lines.len() as u64;
    let folder = Folder {
        lines,
        package: Rc::new(package),
    };
    let opened = format::OpenedDocument {
        summary,
        content: Some((cx.register(Rc::new(folder)), TOP, Some(count))),
    };
    let root = format::document_node(name.to_owned(), whole, &opened);
    let findings = cx.finish();
    super::document(Parts {
        sources,
        root,
        summary: opened.summary,
        findings,
    })
}

impl Line {
    fn whole(&self) -> Span {
        Span {
            end: self.path.end,
            ..self.size
        }
    }
}

/// The item of the folder itself; the others are those of its files.
const TOP: u64 = u64::MAX;

struct Folder {
    lines: Vec<Line>,
    package: Rc<Package>,
}

impl Folder {
    fn line(&self, item: u64) -> Option<(usize, &Line, &PackageFile)> {
        let index = usize::try_from(item).ok()?;
        Some((index, self.lines.get(index)?, self.package.file(index)?))
    }

    fn parts(&self, item: u64, out: &Rows<'_>) -> Vec<Node> {
        let Some((index, line, file)) = self.line(item) else {
            return Vec::new();
        };
        let size = Node::field("size", Value::decimal(file.size, 64), line.size).doc(&SIZE_DOC);
        let time = Value::text(file.modified.clone());
        let time = Node::field("modified", time, line.time).doc(&TIME_DOC);
        let is_readable = self.package.is_readable(index);
        let path = self
            .package
            .data_node(index, item, out)
            .filter(|_| is_readable);
        let path = path.unwrap_or_else(|| {
            let path = Value::text(file.path.clone());
            Node::field("path", path, line.path).doc(&PATH_DOC)
        });
        vec![size, time, path]
    }
}

impl Expand for Folder {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            TOP => self.lines.len() as u64,
            _ => 3,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        if item != TOP {
            let parts = self.parts(item, out);
            out.push_range(parts, range);
            return;
        }
        for item in range {
            let Some((_, line, file)) = self.line(item) else {
                return;
            };
            out.push(
                Node::new(NodeKind::Item, file.path.clone(), line.whole())
                    .area(Area::Data)
                    .summary(plural(file.size, "byte"))
                    .doc(&FILE_DOC)
                    .children(ExpanderId::SELF, item, Some(3)),
            );
        }
    }

    fn interfaces(&self, _item: u64, request: &mut InterfaceRequest) {
        request.provide(|| Some(Rc::clone(&self.package) as Rc<dyn PackageFiles>));
    }

    fn open(&self, item: u64, sources: &Sources, first: ExpanderId) -> Option<DeferredDocument> {
        let index = usize::try_from(item).ok()?;
        self.package.open(index, sources, first, &|_| {})
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        if item != TOP {
            return None;
        }
        let at = self.lines.partition_point(|line| line.path.end <= offset);
        Some(vec![at as u64])
    }
}
