//! Folders: a list of files, then their bytes ([`folder_list`](zeview_core::model::folder_list)).
//!
//! Each file is opened on demand, as a source of its own, with the offsets that it has on the disk.

use std::ops::Range;
use std::rc::Rc;

use super::Context;
use super::format::{Format, OpenedDocument};
use super::package::{self, Locator, Member, Package, Packing};
use super::reader::Window;
use super::text::plural;
use super::{limits, rules};
use zeview_core::analysis::package::{PackageFile, PackageFiles};
use zeview_core::model::{
    Area, DeferredDocument, Doc, Expand, ExpanderId, FOLDER_HEAD, FOLDER_MAGIC, Interfaces, Node,
    NodeKind, Rows, Sources, Span, Value, folder_line,
};

static LIST_DOC: Doc = Doc::new(
    "The list of the files, which zeview wrote when the folder was opened.",
    "",
);
static HEAD_DOC: Doc = Doc::new("The length of the list in bytes.", "");
static LINE_DOC: Doc = Doc::new(
    "A file: its size in bytes, the time of its last change in seconds since 1970, its path, and why it cannot be read.",
    "",
);

/// The format of folders.
#[derive(Debug)]
pub struct FolderFormat;

/// The kinds of items.
const TOP: u64 = u64::MAX;
const LIST: u64 = u64::MAX - 1;

/// A file of the list.
struct Line {
    span: Span,
    /// The bytes of the file; empty if there are none.
    data: Span,
}

impl Format for FolderFormat {
    fn recognize(&self, head: &[u8]) -> bool {
        head.starts_with(FOLDER_MAGIC.as_bytes())
    }

    fn kind(&self, _head: &[u8]) -> &'static str {
        "folder"
    }

    fn open(&self, cx: &Context<'_>, span: Span) -> OpenedDocument {
        let mut lines = Vec::new();
        let mut members = Vec::new();
        let list = list(cx, span);
        let mut data = span.skip(list.len());
        let head = list.subspan(0, FOLDER_HEAD as u64);
        let mut rest = list.skip(head.len());
        let window = Window::clamped(cx.sources, rest);
        for text in window.bytes().split_inclusive(|byte| *byte == b'\n') {
            let whole = rest.subspan(0, text.len() as u64);
            let Some((line, member)) = read_line(cx, whole, text, data) else {
                let message = "no line `size time path` starts here: the rest is not read";
                cx.report(&rules::FOLDER_LIST, whole, message);
                break;
            };
            if members.len() >= limits::PACKAGE_FILES {
                let most = limits::PACKAGE_FILES;
                let message = format_args!("more than {most} files: the others are not listed");
                cx.report(&rules::TOO_MANY, rest, message);
                break;
            }
            rest = rest.skip(whole.len());
            data = data.skip(line.data.len());
            lines.push(line);
            members.push(member);
        }
        cx.gap(rest);
        cx.gap(data);
        if !data.is_empty() {
            // Not even zeros: the sizes in the list are wrong.
            let bytes = plural(data.len(), "byte");
            let message = format_args!("{bytes} that no entry of the package has: not read");
            cx.report(&rules::PACKAGE_GAP, data, message);
        }
        let stored = (0..).zip(&lines);
        let stored = stored.filter(|(_, line)| !line.data.is_empty());
        let stored = stored.map(|(index, _)| index).collect();
        let package = Package::new(cx, members);
        package.list(cx);
        let folder = Folder {
            head,
            list,
            unread: rest,
            lines,
            stored,
            after: data,
            package: Rc::new(package),
        };
        let summary = package::summary("folder", "folder".to_owned(), span, &folder.package);
        let count = folder.row_count();
        OpenedDocument {
            summary,
            content: Some((cx.register(Rc::new(folder)), TOP, Some(count))),
        }
    }
}

/// Reads the first line. Returns the bytes of the list.
fn list(cx: &Context<'_>, span: Span) -> Span {
    let head = span.subspan(0, FOLDER_HEAD as u64);
    let window = Window::clamped(cx.sources, head);
    let text = String::from_utf8_lossy(window.bytes()).into_owned();
    let number = text.strip_prefix(FOLDER_MAGIC);
    let number = number.and_then(|text| text.trim().parse::<u64>().ok());
    let len = number.unwrap_or(head.len()).max(head.len());
    let list = span.subspan(0, len.min(limits::FOLDER_LIST));
    if number.is_none() || list.len() < len {
        let message = "the length of the list is not a number, or exceeds the file";
        cx.report(&rules::FOLDER_LIST, head, message);
    }
    list
}

/// Reads the line of a file whose bytes are at the start of `data`.
fn read_line(cx: &Context<'_>, whole: Span, text: &[u8], data: Span) -> Option<(Line, Member)> {
    let text = String::from_utf8_lossy(text);
    let text = text.strip_suffix('\n')?;
    let file = folder_line(text)?;
    let (size, packing) = match &file.size {
        Ok(size) => (*size, Packing::Part),
        Err(reason) => {
            let message = format_args!("{} cannot be read: {reason}", file.path);
            cx.report(&rules::FOLDER_FILE, whole, message);
            (0, Packing::Unread(reason.clone().into()))
        }
    };
    let data = data.subspan(0, size);
    if data.len() < size {
        let message = format_args!(
            "{} has {}, but only {} are there",
            file.path,
            plural(size, "byte"),
            data.len()
        );
        cx.report(&rules::FOLDER_LIST, whole, message);
    }
    let line = Line { span: whole, data };
    let modified = file.modified.map(package::time_text);
    let member = Member {
        file: PackageFile {
            path: file.path.into(),
            size,
            packed: data.len(),
            modified: modified.unwrap_or_default().into(),
            method: "stored".into(),
            entry: whole,
        },
        packing,
        data: Locator::At(data),
    };
    Some((line, member))
}

struct Folder {
    /// The first line of the list.
    head: Span,
    list: Span,
    /// The end of the list, as far as it is malformed.
    unread: Span,
    lines: Vec<Line>,
    /// The indices of the files with bytes, in the order of their bytes.
    stored: Vec<usize>,
    /// The bytes behind the last file.
    after: Span,
    package: Rc<Package>,
}

impl Folder {
    /// The list, the files with bytes, and what follows them.
    fn row_count(&self) -> u64 {
        1 + self.stored.len() as u64 + u64::from(!self.after.is_empty())
    }

    fn row(&self, row: u64, out: &Rows<'_>) -> Option<Node> {
        let Some(at) = row.checked_sub(1) else {
            let count = self.list_count();
            return Some(
                Node::new(NodeKind::Table, "list", self.list)
                    .area(Area::Header)
                    .summary(plural(self.lines.len() as u64, "file"))
                    .doc(&LIST_DOC)
                    .children(ExpanderId::SELF, LIST, Some(count)),
            );
        };
        match self.stored.get(usize::try_from(at).ok()?) {
            Some(index) => {
                let mut node = self.package.data_node(*index, *index as u64, out)?;
                node.name = self.package.file(*index)?.path.clone();
                Some(node)
            }
            None => Some(Node::gap("gap", self.after)),
        }
    }

    /// The first line, the lines of the files, and what could not be read.
    fn list_count(&self) -> u64 {
        1 + self.lines.len() as u64 + u64::from(!self.unread.is_empty())
    }

    fn list_row(&self, row: u64, sources: &Sources) -> Option<Node> {
        let text = |span: Span| Value::text_from(Window::clamped(sources, span).bytes());
        let Some(at) = row.checked_sub(1) else {
            return Some(Node::field("length", text(self.head), self.head).doc(&HEAD_DOC));
        };
        let index = usize::try_from(at).ok()?;
        let (Some(line), Some(file)) = (self.lines.get(index), self.package.file(index)) else {
            return Some(Node::gap("not read", self.unread));
        };
        let node = Node::field(file.path.clone(), text(line.span), line.span);
        Some(node.doc(&LINE_DOC))
    }
}

impl Expand for Folder {
    fn count(&self, item: u64, _sources: &Sources) -> u64 {
        match item {
            TOP => self.row_count(),
            LIST => self.list_count(),
            _ => 0,
        }
    }

    fn rows(&self, item: u64, range: Range<u64>, out: &mut Rows<'_>) {
        for row in range {
            let node = match item {
                TOP => self.row(row, out),
                _ => self.list_row(row, out.sources),
            };
            if let Some(node) = node {
                out.push(node);
            }
        }
    }

    fn interfaces(&self, _item: u64) -> Interfaces {
        Interfaces {
            files: Some(Rc::clone(&self.package) as Rc<dyn PackageFiles>),
            ..Interfaces::default()
        }
    }

    fn open(&self, item: u64, sources: &Sources, first: ExpanderId) -> Option<DeferredDocument> {
        let index = usize::try_from(item).ok()?;
        self.package.open(index, sources, first)
    }

    fn index_at(&self, item: u64, offset: u64, _sources: &Sources) -> Option<Vec<u64>> {
        let before = |end: u64| end <= offset;
        let at = match item {
            TOP if before(self.list.end) => {
                let end = |index: &usize| self.lines.get(*index).map_or(0, |line| line.data.end);
                self.stored.partition_point(|index| before(end(index))) as u64 + 1
            }
            TOP => 0,
            LIST if before(self.head.end) => {
                self.lines.partition_point(|line| before(line.span.end)) as u64 + 1
            }
            LIST => 0,
            _ => return None,
        };
        Some(vec![at])
    }
}
