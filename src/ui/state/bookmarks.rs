//! Bookmarks: nodes and byte ranges with a comment, and the file format for exchanging them.
//!
//! A bookmark names its node by path and position, which stay valid for the same content. Size and
//! hash identify the content.

use std::cmp::{Ordering, Reverse};

use serde_json::Value;

use super::selection::Selection;
use crate::model::{SourceId, Span, segment};
use crate::worker::protocol::Row;

/// Maximum number of bookmarks of one file.
pub const BOOKMARKS_MAX: usize = 500;
/// Maximum length of a comment in characters.
pub const TEXT_MAX: usize = 4000;
/// Maximum length of a path in bytes.
const PATH_MAX: usize = 4096;
/// Maximum size of a bookmark file in bytes.
pub const FILE_MAX: u64 = 16 * 1024 * 1024;
/// Maximum size of a file that is hashed as a whole; above it, [`ENDS`] bytes at each end.
pub const WHOLE_MAX: u64 = 64 * 1024 * 1024;
/// Number of bytes hashed at each end of a large file.
pub const ENDS: u64 = 1024 * 1024;

/// Name and version of the file format.
const SCHEMA: &str = "zeview-bookmarks/";
const VERSION: &str = "1";

/// A bookmarked node or byte range, with a comment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Bookmark {
    /// Path of the node that is bookmarked or contains the range; empty for the file.
    pub path: String,
    /// The bookmarked range, if it is not the node's own: start relative to the node, and length.
    pub bytes: Option<(u64, u64)>,
    /// Start and end in the file. Derived and decompressed values have those of the innermost
    /// enclosing node that has bytes in the file.
    pub span: (u64, u64),
    /// The comment: several lines, or empty.
    pub text: String,
}

impl Bookmark {
    /// Bookmarks the selection; `path` is its node's. Returns `None` if it exceeds the limits.
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

    /// Whether both have the same target.
    pub fn is_at(&self, other: &Bookmark) -> bool {
        self.path == other.path && self.bytes == other.bytes
    }

    /// The bookmarked bytes, given those of the node.
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

    /// Whether the last of these rows is the bookmark's node. The rows form a path from the root's
    /// child. Rows lack the ordinals of equal names, so positions are compared.
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

    /// Order by start, then longest first.
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

/// Where bookmarks are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BookmarkStorage {
    /// In the browser, for later visits.
    #[default]
    Browser,
    /// In memory: the browser has no storage.
    NoStorage,
    /// In memory: the browser cannot hash the content or cannot read the file.
    NoHash,
    /// In memory: the storage is full.
    Full,
}

/// The bookmarks of a file, ordered by position.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Bookmarks {
    all: Vec<Bookmark>,
    /// Where they are stored.
    pub keeping: BookmarkStorage,
}

/// A change of the bookmarks of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BookmarkChange {
    /// Adds a bookmark, or replaces its comment.
    Put(Bookmark),
    /// Deletes a bookmark.
    Delete(Bookmark),
    /// Merges imported bookmarks.
    Merge(Vec<Bookmark>),
}

impl Bookmarks {
    /// A full set of bookmarks.
    pub fn all(&self) -> &[Bookmark] {
        &self.all
    }

    /// A set of bookmarks that is stored there.
    pub fn kept(&self, keeping: BookmarkStorage) -> Bookmarks {
        Bookmarks {
            keeping,
            all: self.all.clone(),
        }
    }

    /// The bookmark with the same target as another.
    pub fn find(&self, other: &Bookmark) -> Option<&Bookmark> {
        self.all.iter().find(|bookmark| bookmark.is_at(other))
    }

    /// The first bookmark of the last of these rows, or of bytes in it.
    pub fn of(&self, ancestry: &[Row]) -> Option<&Bookmark> {
        self.all.iter().find(|bookmark| bookmark.is_of(ancestry))
    }

    /// Whether the maximum number is reached.
    pub fn is_full(&self) -> bool {
        self.all.len() >= BOOKMARKS_MAX
    }

    /// Applies a change. Ignores bookmarks that exceed the limits.
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

    /// Appends an imported comment to an existing one.
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

/// Identifies a file's content.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Content {
    /// The size of the file in bytes.
    pub size: u64,
    /// Hexadecimal SHA-256 of the content; above [`WHOLE_MAX`], of the first and last [`ENDS`]
    /// bytes. `None` if the browser does not compute it.
    pub hash: Option<String>,
}

impl Content {
    /// The storage key.
    pub fn key(&self) -> Option<String> {
        Some(format!("{}-{}", self.size, self.hash.as_ref()?))
    }

    /// Whether both are equal as far as their hashes are known.
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

/// The content of a bookmark file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BookmarkFile {
    /// Name of the bookmarked file; it may have been renamed.
    pub name: String,
    /// Its content.
    pub content: Content,
    /// The bookmarks.
    pub bookmarks: Vec<Bookmark>,
}

/// Writes a bookmark file, with one bookmark per line.
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

/// Why a bookmark file is rejected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refusal {
    /// The file has another format.
    Other,
    /// The file is malformed; the reason as text.
    Wrong(String),
}

/// Reads a bookmark file. Ignores unknown keys.
///
/// # Errors
///
/// If the text has another format, is malformed or exceeds the limits.
pub fn read(text: &str) -> Result<BookmarkFile, Refusal> {
    let json: Value = match serde_json::from_str(text) {
        Ok(json) => json,
        // A truncated or manually edited file.
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
