//! Bookmarks: rows and bytes that somebody has marked, each with a comment, and the file that they
//! are exchanged in.
//!
//! A bookmark names its node by path and position, which stay true whenever the same content is
//! opened. Which content that is, its size and hash say.

use std::cmp::{Ordering, Reverse};

use serde_json::Value;

use super::selection::Selection;
use crate::model::{SourceId, Span, segment};
use crate::worker::protocol::Row;

/// So many bookmarks one file can have.
pub const BOOKMARKS_MAX: usize = 500;
/// So many characters a comment can have.
pub const TEXT_MAX: usize = 4000;
/// No longer path is kept, in bytes.
const PATH_MAX: usize = 4096;
/// No larger file of bookmarks is read.
pub const FILE_MAX: u64 = 16 * 1024 * 1024;
/// The bytes of larger files are not read for their hash, but for the first and last [`ENDS`].
pub const WHOLE_MAX: u64 = 64 * 1024 * 1024;
/// How many bytes at each end.
pub const ENDS: u64 = 1024 * 1024;

/// What the file of bookmarks says of itself: its form, and the version of that.
const SCHEMA: &str = "zeview-bookmarks/";
const VERSION: &str = "1";

/// What is marked, and what somebody says about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    /// The node that is marked, or holds the marked bytes: its path, empty for the file.
    pub path: String,
    /// The bytes that are marked, if they are not those of the node: the first, counted from the
    /// node's, and how many.
    pub bytes: Option<(u64, u64)>,
    /// The bytes in the file, from and to. What is derived or decompressed has those of the
    /// innermost node around it that has some.
    pub span: (u64, u64),
    /// The comment, which may have several lines, or none.
    pub text: String,
}

impl Bookmark {
    /// Marks what is selected; `path` is that of its node. Returns `None` if that cannot be kept.
    pub fn new(selection: &Selection, path: &str, size: u64) -> Option<Bookmark> {
        let node = selection.ancestry.last();
        let base = node.map_or(Some(0), |row| row.span.map(|span| span.start));
        let bytes = match selection.span.filter(|_| selection.free) {
            Some(span) => Some((span.start.checked_sub(base?)?, span.len())),
            None => None,
        };
        let span = selection.span.filter(|span| span.source == SourceId::FILE);
        let span = span.or_else(|| in_file(&selection.ancestry));
        (path.len() <= PATH_MAX).then(|| Bookmark {
            path: path.to_owned(),
            bytes,
            span: span.map_or((0, size), |span| (span.start, span.end)),
            text: String::new(),
        })
    }

    /// Do both mark the same?
    pub fn is_at(&self, other: &Bookmark) -> bool {
        self.path == other.path && self.bytes == other.bytes
    }

    /// The bytes that it marks, given those of its node.
    pub fn within(&self, node: Span) -> Option<Span> {
        let (start, len) = self.bytes?;
        Some(Span::with_len(
            node.source,
            node.start.checked_add(start)?,
            len,
        ))
    }

    /// The first line of the comment.
    pub fn first_line(&self) -> &str {
        self.text.trim_start().lines().next().unwrap_or("")
    }

    /// Is the last of these rows the one that it marks, or that holds what it marks? They are
    /// those from the root's child on. The ordinals of equal names are not known of rows, but
    /// where they are is.
    fn is_of(&self, ancestry: &[Row]) -> bool {
        let mut rows = ancestry.iter().rev();
        let mut names = self.path.rsplit('/').filter(|name| !name.is_empty());
        let is_named = names.by_ref().all(|name| {
            rows.next().is_some_and(|row| {
                let of_row = segment(&row.name, row.index, row.indexed);
                let (plain, ordinal) = name.rsplit_once('#').unwrap_or((name, ""));
                of_row == name || (of_row == plain && ordinal.bytes().all(|b| b.is_ascii_digit()))
            })
        });
        let (start, end) = self.span;
        let is_here = |span: Span| match self.bytes {
            Some(_) => span.start <= start && end <= span.end,
            None => (span.start, span.end) == (start, end),
        };
        is_named && rows.next().is_none() && in_file(ancestry).is_none_or(is_here)
    }

    /// By the first byte, the longest first.
    fn order(&self, other: &Bookmark) -> Ordering {
        let key = |of: &Bookmark| (of.span.0, Reverse(of.span.1), of.bytes);
        let order = key(self).cmp(&key(other));
        order.then_with(|| self.path.cmp(&other.path))
    }
}

/// The bytes in the file of the innermost row that has some.
fn in_file(ancestry: &[Row]) -> Option<Span> {
    let mut spans = ancestry.iter().rev().filter_map(|row| row.span);
    spans.find(|span| span.source == SourceId::FILE)
}

/// Where bookmarks are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BookmarkStorage {
    /// In the browser, for the next visit.
    #[default]
    Browser,
    /// As long as the page is there: the browser keeps nothing for it.
    NoStorage,
    /// The same: the browser computes no hashes for it, or cannot read the file.
    NoHash,
    /// The same: there is no room left.
    Full,
}

/// The bookmarks of a file, in the order of its bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bookmarks {
    all: Vec<Bookmark>,
    /// Where they are kept.
    pub keeping: BookmarkStorage,
}

/// A change of the bookmarks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookmarkChange {
    /// One more, or another comment.
    Put(Bookmark),
    /// One less.
    Delete(Bookmark),
    /// Those of somebody else, too.
    Merge(Vec<Bookmark>),
}

impl Bookmarks {
    /// All of them.
    pub fn all(&self) -> &[Bookmark] {
        &self.all
    }

    /// The same, kept there.
    pub fn kept(&self, keeping: BookmarkStorage) -> Bookmarks {
        Bookmarks {
            keeping,
            all: self.all.clone(),
        }
    }

    /// The one that marks the same as another.
    pub fn find(&self, other: &Bookmark) -> Option<&Bookmark> {
        self.all.iter().find(|bookmark| bookmark.is_at(other))
    }

    /// The first that marks the last of these rows, or bytes in it.
    pub fn of(&self, ancestry: &[Row]) -> Option<&Bookmark> {
        self.all.iter().find(|bookmark| bookmark.is_of(ancestry))
    }

    /// Is there no room for another one?
    pub fn is_full(&self) -> bool {
        self.all.len() >= BOOKMARKS_MAX
    }

    /// Changes them. Those that are too many, or too long, are left out.
    pub fn apply(&mut self, change: BookmarkChange) {
        match change {
            BookmarkChange::Put(bookmark) => {
                self.all.retain(|other| !other.is_at(&bookmark));
                self.put(bookmark);
            }
            BookmarkChange::Delete(bookmark) => self.all.retain(|other| !other.is_at(&bookmark)),
            BookmarkChange::Merge(others) => others.into_iter().for_each(|other| self.merge(other)),
        }
    }

    fn put(&mut self, mut bookmark: Bookmark) {
        if let Some((end, _)) = bookmark.text.char_indices().nth(TEXT_MAX) {
            bookmark.text.truncate(end);
        }
        if !self.is_full() {
            let is_before = |other: &Bookmark| other.order(&bookmark).is_lt();
            let place = self.all.partition_point(is_before);
            self.all.insert(place, bookmark);
        }
    }

    /// A comment on what has another one already comes after that.
    fn merge(&mut self, other: Bookmark) {
        let known = self.all.iter_mut().find(|known| known.is_at(&other));
        let Some(known) = known else {
            return self.put(other);
        };
        if known.text.contains(&other.text) {
            return;
        }
        let joined = if known.text.is_empty() {
            other.text
        } else {
            format!("{}\n{}", known.text, other.text)
        };
        if joined.chars().count() <= TEXT_MAX {
            known.text = joined;
        }
    }
}

/// Which content bookmarks are of.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The size of the file in bytes.
    pub size: u64,
    /// The SHA-256 of all its bytes in hexadecimal; beyond [`WHOLE_MAX`] that of the first and the
    /// last [`ENDS`] bytes. `None` if the browser does not compute it.
    pub hash: Option<String>,
}

impl Content {
    /// What it is kept under.
    pub fn key(&self) -> Option<String> {
        Some(format!("{}-{}", self.size, self.hash.as_ref()?))
    }

    /// Is it the same, as far as both are known?
    pub fn fits(&self, other: &Content) -> bool {
        let is_same = |(one, other)| one == other;
        let hashes = self.hash.as_ref().zip(other.hash.as_ref());
        self.size == other.size && hashes.is_none_or(is_same)
    }

    fn hash_key(&self) -> &'static str {
        if self.size > WHOLE_MAX {
            "sha256_of_ends"
        } else {
            "sha256"
        }
    }
}

/// What a file of bookmarks says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookmarkFile {
    /// The name of the file that they are of; it may have another one here.
    pub name: String,
    /// Its content.
    pub content: Content,
    /// The bookmarks.
    pub bookmarks: Vec<Bookmark>,
}

/// Writes bookmarks as a file, one line each.
pub fn write(name: &str, content: &Content, bookmarks: &Bookmarks) -> String {
    let mut out = format!("{{\n  \"schema\": \"{SCHEMA}{VERSION}\",\n  \"name\": ");
    out.push_str(&quoted(name));
    out.push_str(&format!(",\n  \"size\": {}", content.size));
    if let Some(hash) = &content.hash {
        out.push_str(&format!(",\n  \"{}\": \"{hash}\"", content.hash_key()));
    }
    out.push_str(",\n  \"bookmarks\": [");
    for (i, bookmark) in bookmarks.all.iter().enumerate() {
        out.push_str(if i == 0 { "\n    " } else { ",\n    " });
        out.push_str("{\"path\": ");
        out.push_str(&quoted(&bookmark.path));
        let (start, end) = bookmark.span;
        out.push_str(&format!(", \"span\": [{start}, {end}]"));
        if let Some((offset, len)) = bookmark.bytes {
            out.push_str(&format!(", \"bytes\": [{offset}, {len}]"));
        }
        out.push_str(", \"text\": ");
        out.push_str(&quoted(&bookmark.text));
        out.push('}');
    }
    out.push_str("\n  ]\n}\n");
    out
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

/// Why a file of bookmarks is refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// It is something else.
    Other,
    /// It is one, and wrong; in words.
    Wrong(String),
}

/// Reads a file of bookmarks. Keys that it does not know are passed over.
///
/// # Errors
///
/// When the text is something else, or breaks the rules.
pub fn read(text: &str) -> Result<BookmarkFile, Refusal> {
    let json: Value = match serde_json::from_str(text) {
        Ok(json) => json,
        // A file that was cut off, or changed by hand.
        Err(error) if text.contains(&format!("\"{SCHEMA}")) => {
            return Err(Refusal::Wrong(format!("it is not valid JSON: {error}")));
        }
        Err(_) => return Err(Refusal::Other),
    };
    let schema = json.get("schema").and_then(Value::as_str);
    let version = schema.and_then(|schema| schema.strip_prefix(SCHEMA));
    match version {
        None => return Err(Refusal::Other),
        Some(VERSION) => {}
        Some(_) => {
            let why = "it was written by a newer version of zeview";
            return Err(Refusal::Wrong(why.to_owned()));
        }
    }
    file(&json).map_err(Refusal::Wrong)
}

fn file(json: &Value) -> Result<BookmarkFile, String> {
    let size = json.get("size").and_then(Value::as_u64);
    let mut content = Content {
        size: size.ok_or("“size” is not a number")?,
        hash: None,
    };
    let key = content.hash_key();
    let is_hash = |text: &&str| {
        let is_digit = |b: u8| matches!(b, b'0'..=b'9' | b'a'..=b'f');
        text.len() == 64 && text.bytes().all(is_digit)
    };
    if let Some(hash) = json.get(key) {
        let hash = hash.as_str().filter(is_hash);
        content.hash = Some(hash.ok_or(format!("“{key}” is not a SHA-256"))?.to_owned());
    }
    let list = json.get("bookmarks").and_then(Value::as_array);
    let list = list.ok_or("“bookmarks” is not a list")?;
    if list.len() > BOOKMARKS_MAX {
        return Err(format!("it has more than {BOOKMARKS_MAX} bookmarks"));
    }
    let bookmarks = (1..).zip(list).map(|(number, entry)| {
        bookmark(entry, content.size).map_err(|why| format!("bookmark {number}: {why}"))
    });
    Ok(BookmarkFile {
        bookmarks: bookmarks.collect::<Result<_, _>>()?,
        name: json
            .get("name")
            .and_then(Value::as_str)
            .unwrap_or_default()
            .to_owned(),
        content,
    })
}

/// Both numbers of an array of two.
fn pair(value: &Value) -> Option<(u64, u64)> {
    match value.as_array()?.as_slice() {
        [first, second] => Some((first.as_u64()?, second.as_u64()?)),
        _ => None,
    }
}

fn bookmark(entry: &Value, size: u64) -> Result<Bookmark, &'static str> {
    let path = entry.get("path").and_then(Value::as_str);
    let path = path.filter(|path| path.len() <= PATH_MAX);
    let span = entry.get("span").and_then(pair);
    let span = span.filter(|(start, end)| start <= end && *end <= size);
    let bytes = match entry.get("bytes") {
        Some(bytes) => {
            let pair = pair(bytes).filter(|(start, len)| start.checked_add(*len).is_some());
            Some(pair.ok_or("“bytes” is not an offset and a length")?)
        }
        None => None,
    };
    let text = entry.get("text").and_then(Value::as_str);
    let text = text.filter(|text| text.chars().count() <= TEXT_MAX);
    Ok(Bookmark {
        path: path.ok_or("“path” is not a path")?.to_owned(),
        bytes,
        span: span.ok_or("“span” is not a range of the file's bytes")?,
        text: text.ok_or("“text” is not a text, or too long")?.to_owned(),
    })
}

#[cfg(test)]
mod tests;
