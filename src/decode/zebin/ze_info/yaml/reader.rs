//! Block structure: lines, indentation, keys, items.
//!
//! The reader goes through the text once. `taken` is the offset up to which every
//! byte has its node; a new node's head starts there, so holes cannot happen. A
//! collection is *open* while lines may still be added to it; its finished children
//! wait in `waiting` and move to `nodes` together when it closes, which is why the
//! children of a node stand side by side.

use std::ops::Range;

use super::problem::Problems;
use super::{Extent, Kind, Limits, Node, Problem, ProblemKind, Style, Yaml, offset, scalar};

/// Columns count from 1; the document is indented less than any line.
const DOCUMENT_COLUMN: usize = 0;
/// compute-runtime, `yaml_parser.cpp`: a tab counts as four blanks.
const TAB_COLUMNS: usize = 4;
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Reads `text`. Bytes behind the first `u32::MAX` are not read.
pub fn parse(text: &[u8], limits: Limits) -> Yaml {
    let text = text.get(..u32::MAX as usize).unwrap_or(text);
    let mut reader = Reader::new(text, limits);
    while reader.next_line() {
        if reader.is_full() {
            let unread = reader.line.start;
            reader.problem(ProblemKind::TooManyNodes, unread..reader.stop);
            return reader.finish(unread);
        }
        reader.line();
    }
    let stop = reader.stop;
    reader.finish(stop)
}

/// The key, dash or place that a value belongs to.
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) key: Extent,
    pub(super) key_style: Option<Style>,
    /// Column of the key or dash: what belongs to it is indented deeper.
    pub(super) column: usize,
    /// Line of the key, or of the value where there is no key.
    pub(super) line: u32,
    /// Where the value starts, as far as it is known: at first, behind the colon or dash.
    pub(super) value: usize,
}

/// A collection that further lines may belong to.
struct Open {
    node: Node,
    /// Column of the keys or dashes.
    column: usize,
    /// Where its children start in `waiting`.
    children: usize,
}

/// A comment that waits for the next line, which decides what collection it is in.
struct Held {
    extent: Extent,
    line: u32,
}

/// What a line, or the rest of a line, starts with.
enum Shape {
    /// `- `
    Item,
    /// `key:`
    Entry(Key),
    Text,
}

/// A key: where it is, and where its colon is.
pub(super) struct Key {
    pub(super) extent: Range<usize>,
    pub(super) style: Style,
    pub(super) colon: usize,
}

pub(super) struct Reader<'t> {
    text: &'t [u8],
    limits: Limits,
    max_nodes: usize,
    /// Where the text ends, without the NULs that fill up the section.
    stop: usize,
    /// The line being read, without its line break.
    pub(super) line: Range<usize>,
    pub(super) line_number: u32,
    /// Its first colon, if it has exactly one and no `#`, as almost all lines: then nobody
    /// has to look for them again.
    only_colon: Option<usize>,
    next_line: usize,
    /// The line was looked at but belongs to nothing yet: read it again.
    again: bool,

    /// Up to here every byte has its node.
    taken: usize,
    open: Vec<Open>,
    /// A key or dash whose value is not known yet.
    awaiting: Option<Entry>,
    held: Vec<Held>,
    waiting: Vec<Node>,
    nodes: Vec<Node>,
    problems: Problems,

    /// Whether this document of the text has its value, and whether it has ended.
    has_content: bool,
    has_started: bool,
    has_ended: bool,
}

// Nodes.
impl<'t> Reader<'t> {
    fn new(text: &'t [u8], limits: Limits) -> Self {
        let stop = text.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1);
        let start = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        let mut reader = Self {
            text,
            limits,
            max_nodes: limits.nodes.max(text.len() / limits.bytes_per_node.max(1)),
            stop,
            line: 0..0,
            line_number: 0,
            only_colon: None,
            next_line: start,
            again: false,
            taken: 0,
            open: Vec::new(),
            awaiting: None,
            held: Vec::new(),
            waiting: Vec::new(),
            nodes: Vec::new(),
            problems: Problems::new(),
            has_content: false,
            has_started: false,
            has_ended: false,
        };
        if start > 0 {
            reader.problem_on(1, ProblemKind::ByteOrderMark, 0..start);
        }
        let document = Node { line: 1, ..reader.node(Kind::Document, Style::Plain, None, 0..0) };
        reader.nodes.push(document);
        reader.open.push(Open { node: document, column: DOCUMENT_COLUMN, children: 0 });
        reader
    }

    /// Closes everything; `unread` is where reading stopped.
    fn finish(mut self, unread: usize) -> Yaml {
        self.settle();
        while self.open.len() > 1 {
            self.close();
        }
        self.release_comments();
        if unread < self.stop {
            let start = unread.max(self.taken);
            self.leaf(Kind::Raw, start..self.stop);
        }
        let (stop, end, taken) = (self.stop, self.text.len(), self.taken);
        if stop < end {
            self.problem_on(self.line_of(stop), ProblemKind::TrailingNul, stop..end);
        }
        if taken < end {
            self.leaf_on(self.line_of(taken), Kind::Blank, taken..end);
        }
        self.close();
        if let (Some(root), Some(document)) = (self.nodes.first_mut(), self.waiting.pop()) {
            *root = document;
        }
        drop(self.waiting);
        self.nodes.shrink_to_fit();
        Yaml { nodes: self.nodes, problems: self.problems }
    }

    #[inline(always)]
    fn node(
        &self,
        kind: Kind,
        style: Style,
        entry: Option<&Entry>,
        value: Range<usize>,
    ) -> Node {
        Node {
            kind,
            style,
            key_style: entry.and_then(|entry| entry.key_style),
            key: entry.map_or(Extent::default(), |entry| entry.key),
            head: offset(self.taken),
            value: Extent::new(value.start, value.end),
            line: entry.map_or(self.line_number, |entry| entry.line),
            parent: 0,
            first_child: 0,
            children: 0,
        }
    }

    /// Adds a finished node to the innermost open collection.
    fn add(&mut self, node: Node, end: usize) {
        make_room(&mut self.waiting, 1, self.max_nodes);
        self.waiting.push(node);
        self.taken = end;
    }

    pub(super) fn leaf(&mut self, kind: Kind, value: Range<usize>) {
        self.leaf_on(self.line_number, kind, value);
    }

    pub(super) fn leaf_on(&mut self, line: u32, kind: Kind, value: Range<usize>) {
        let node = self.node(kind, Style::Plain, None, value.clone());
        self.add(Node { line, ..node }, value.end);
    }

    #[inline(always)]
    pub(super) fn scalar(&mut self, style: Style, entry: &Entry, value: Range<usize>) {
        let node = self.node(Kind::Scalar, style, Some(entry), value.clone());
        self.add(node, value.end);
    }

    pub(super) fn null(&mut self, entry: &Entry) {
        let node = self.node(Kind::Null, Style::Plain, Some(entry), entry.value..entry.value);
        self.add(node, entry.value);
    }

    /// Opens a collection as the value of `entry`, with keys or dashes in `column`. False,
    /// and nothing done, if that is too deep.
    #[must_use]
    pub(super) fn open(&mut self, kind: Kind, entry: &Entry, column: usize) -> bool {
        if self.is_deep() {
            return false;
        }
        let node = self.node(kind, Style::Plain, Some(entry), entry.value..entry.value);
        self.open.push(Open { node, column, children: self.waiting.len() });
        self.taken = entry.value;
        true
    }

    fn is_deep(&self) -> bool {
        self.open.len() > self.limits.depth
    }

    /// Closes the innermost collection.
    pub(super) fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        let first = self.nodes.len();
        let children = self.waiting.drain(open.children.min(self.waiting.len())..);
        let count = children.len();
        make_room(&mut self.nodes, count, self.max_nodes);
        self.nodes.extend(children);
        self.link_children_of(first..first + count);

        let mut node = open.node;
        node.value.end = offset(self.taken);
        node.first_child = offset(first);
        node.children = offset(count);
        self.add(node, self.taken);
        if self.open.is_empty() {
            // The document keeps number 0.
            self.link(0, node.child_range());
        }
    }

    /// Nodes that have just got their numbers: tell their children.
    fn link_children_of(&mut self, parents: Range<usize>) {
        for parent in parents {
            let Some(node) = self.nodes.get(parent) else {
                return;
            };
            if node.children > 0 {
                self.link(parent, node.child_range());
            }
        }
    }

    fn link(&mut self, parent: usize, children: Range<usize>) {
        for child in self.nodes.get_mut(children).unwrap_or_default() {
            child.parent = offset(parent);
        }
    }

    pub(super) fn problem(&mut self, kind: ProblemKind, at: Range<usize>) {
        self.problem_on(self.line_number, kind, at);
    }

    pub(super) fn problem_on(&mut self, line: u32, kind: ProblemKind, at: Range<usize>) {
        self.problems.push(Problem { kind, at: Extent::new(at.start, at.end), line });
    }

    /// The number of the line that a position near the line being read is on.
    fn line_of(&self, at: usize) -> u32 {
        let start = self.line.start;
        let breaks = line_breaks(self.text, Extent::new(start.min(at), start.max(at)));
        let line = self.line_number.max(1);
        if at < start { line.saturating_sub(breaks) } else { line.saturating_add(breaks) }
    }

    pub(super) fn is_full(&self) -> bool {
        self.nodes.len() + self.waiting.len() + self.held.len() >= self.max_nodes
    }

    /// Kind and column of the innermost open collection.
    fn innermost(&self) -> (Kind, usize) {
        self.open.last().map_or((Kind::Document, DOCUMENT_COLUMN), |open| (open.node.kind, open.column))
    }

    /// Kind and column of the collection around the innermost.
    fn around(&self) -> (Kind, usize) {
        let around = self.open.len().checked_sub(2).and_then(|at| self.open.get(at));
        around.map_or((Kind::Document, DOCUMENT_COLUMN), |open| (open.node.kind, open.column))
    }

    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    pub(super) fn innermost_kind(&self) -> Kind {
        self.innermost().0
    }

    pub(super) fn taken(&self) -> usize {
        self.taken
    }
}

// Lines.
impl Reader<'_> {
    /// Goes to the next line; false at the end of the text.
    pub(super) fn next_line(&mut self) -> bool {
        if std::mem::take(&mut self.again) {
            return true;
        }
        if self.next_line >= self.stop {
            return false;
        }
        let start = self.next_line;
        let run = printable_run(self.text.get(start..self.stop).unwrap_or_default());
        let end = start + run.len;
        self.line = start..end;
        self.line_number = self.line_number.saturating_add(1);
        self.only_colon = run.only_colon.map(|colon| start + colon);
        self.next_line = end + 1;
        if self.text.get(end) != Some(&b'\n') {
            self.end_odd_line(end);
        }
        true
    }

    /// A line that has something else than printable ASCII and a line feed, at `odd`.
    #[cold]
    fn end_odd_line(&mut self, odd: usize) {
        let rest = self.text.get(odd..self.stop).unwrap_or_default();
        let is_break = |byte: &u8| matches!(byte, b'\n' | b'\r');
        let end = odd + rest.iter().position(is_break).unwrap_or(rest.len());
        self.line.end = end;
        self.next_line = end + 1;
        if end > odd {
            self.only_colon = None;
            self.check_bytes();
        }
        match self.text.get(end..).unwrap_or_default() {
            [b'\r', b'\n', ..] => self.next_line = end + 2,
            [b'\r', ..] => self.problem(ProblemKind::BareCarriageReturn, end..end + 1),
            _ => {}
        }
    }

    /// Leaves the line for the next call of [`next_line`](Self::next_line).
    pub(super) fn read_again(&mut self) {
        self.again = true;
    }

    fn check_bytes(&mut self) {
        let start = self.line.start;
        let text = self.text;
        let line = text.get(self.line.clone()).unwrap_or_default();
        if let Some(at) = line.iter().position(|&byte| byte < b' ' && byte != b'\t') {
            self.problem(ProblemKind::ControlCharacter, start + at..start + at + 1);
        }
        let line = match std::str::from_utf8(line) {
            Ok(line) => line,
            Err(error) => {
                let at = start + error.valid_up_to();
                let end = error.error_len().map_or(self.line.end, |len| at + len);
                self.problem(ProblemKind::NotUtf8, at..end);
                return;
            }
        };
        if let Some(at) = line.find(['\u{85}', '\u{2028}', '\u{2029}']) {
            self.problem(ProblemKind::UnicodeLineBreak, start + at..start + at + 2);
        }
        if let Some(at) = line.find('\u{feff}') {
            self.problem(ProblemKind::ByteOrderMark, start + at..start + at + 3);
        }
    }

    /// The rest of the line from `at`.
    pub(super) fn rest(&self, at: usize) -> &[u8] {
        self.text.get(at..self.line.end).unwrap_or_default()
    }

    /// The byte at `at`, a line feed at the end of the line.
    pub(super) fn byte(&self, at: usize) -> u8 {
        self.rest(at).first().copied().unwrap_or(b'\n')
    }

    pub(super) fn skip_blanks(&self, mut at: usize) -> usize {
        loop {
            at += leading_spaces(self.rest(at));
            if self.byte(at) != b'\t' {
                return at;
            }
            at += 1;
        }
    }

    /// The position behind the last byte that is not a blank.
    #[inline(always)]
    pub(super) fn trim(&self, range: Range<usize>) -> Range<usize> {
        let bytes = self.text.get(range.clone()).unwrap_or_default();
        let len = bytes.iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1);
        range.start..range.start + len
    }

    /// The position of the first byte from `at` that is not a blank, and its column, if `at`
    /// is in `column`.
    #[inline(always)]
    fn indentation(&mut self, at: usize, column: usize) -> (usize, usize) {
        let spaces = leading_spaces(self.rest(at));
        let (mut at, mut column) = (at + spaces, column + spaces);
        if self.byte(at) != b'\t' {
            return (at, column);
        }
        let tab = at;
        while is_blank(self.byte(at)) {
            column = column.saturating_add(if self.byte(at) == b'\t' { TAB_COLUMNS } else { 1 });
            at += 1;
        }
        if at < self.line.end {
            self.problem(ProblemKind::TabIndentation, tab..at);
        }
        (at, column)
    }

    fn line(&mut self) {
        let (at, column) = self.indentation(self.line.start, 1);
        match self.rest(at) {
            [] => {}
            [b'#', ..] => self.hold_comment(at),
            [b'/', b'/', ..] => {
                self.problem(ProblemKind::SlashComment, at..self.line.end);
                self.hold_comment(at);
            }
            [b'%', ..] if at == self.line.start && !self.has_content => self.directive(at),
            _ if self.is_marker(at) => self.marker(at),
            _ => self.content(at, column),
        }
    }

    /// Whether `---` or `...` starts at `at`.
    pub(super) fn is_marker(&self, at: usize) -> bool {
        at == self.line.start
            && match self.rest(at) {
                [b'-', b'-', b'-', rest @ ..] | [b'.', b'.', b'.', rest @ ..] => is_blank_or_end(rest.first()),
                _ => false,
            }
    }

    fn marker(&mut self, at: usize) {
        self.close_all();
        let is_start = self.byte(at) == b'-';
        if is_start {
            if self.has_started || self.has_content || self.has_ended {
                self.problem(ProblemKind::SecondDocument, at..at + 3);
            }
            self.has_started = true;
            self.has_content = false;
        }
        self.has_ended = !is_start;
        self.leaf(Kind::Marker, at..at + 3);
        let after = self.skip_blanks(at + 3);
        match self.byte(after) {
            b'\n' => {}
            b'#' => self.comment(after),
            _ => {
                self.problem(ProblemKind::TextAfterValue, after..self.line.end);
                self.leaf(Kind::Raw, self.trim(after..self.line.end));
            }
        }
    }

    fn directive(&mut self, at: usize) {
        self.close_all();
        self.problem(ProblemKind::Directive, at..self.line.end);
        self.leaf(Kind::Directive, self.trim(at..self.line.end));
    }

    /// Closes everything but the document.
    fn close_all(&mut self) {
        self.settle();
        while self.open.len() > 1 {
            self.close();
        }
        self.release_comments();
    }

    /// A comment behind a value.
    pub(super) fn comment(&mut self, at: usize) {
        self.leaf(Kind::Comment, self.trim(at..self.line.end));
    }

    fn hold_comment(&mut self, at: usize) {
        let extent = self.trim(at..self.line.end);
        let extent = Extent::new(extent.start, extent.end);
        self.held.push(Held { extent, line: self.line_number });
    }

    /// Gives the comments that wait to the innermost open collection.
    fn release_comments(&mut self) {
        if self.held.is_empty() {
            return;
        }
        for comment in std::mem::take(&mut self.held) {
            self.leaf_on(comment.line, Kind::Comment, comment.extent.range());
        }
    }
}

// Structure.
impl Reader<'_> {
    /// A line's content: an item, an entry, or text.
    fn content(&mut self, at: usize, column: usize) {
        if self.has_ended {
            self.problem(ProblemKind::SecondDocument, at..self.line.end);
            self.has_ended = false;
        }
        match self.shape(at) {
            Shape::Item => {
                if self.place(Kind::Sequence, at, column) {
                    self.item(at, column);
                } else {
                    self.raw(at);
                }
            }
            Shape::Entry(key) => {
                if self.place(Kind::Mapping, at, column) {
                    self.entry(&key, column);
                } else {
                    self.raw(at);
                }
            }
            Shape::Text => self.line_of_text(at, column),
        }
    }

    /// Finds the collection for a dash (`kind` is a sequence) or a key (a mapping) at `at`,
    /// and makes it the innermost: opens it as the value that a key or dash waits for, or
    /// closes what lies deeper. False if the line belongs nowhere.
    fn place(&mut self, kind: Kind, at: usize, column: usize) -> bool {
        if let Some(entry) = self.awaiting.take() {
            // A sequence may stand in the column of its key.
            let same_column = kind == Kind::Sequence && entry.key_style.is_some();
            if column > entry.column || (same_column && column == entry.column) {
                return self.open_awaited(kind, &entry, at, column);
            }
            self.null(&entry);
        }
        self.close_deeper_than(column);
        let (innermost, its_column) = self.innermost();
        if innermost == Kind::Document {
            return self.open_content(kind, at, column);
        }
        if column > its_column && self.is_deep() {
            return self.misplaced(ProblemKind::TooDeep, at);
        }
        if innermost != kind {
            if self.around().0 != kind || column > its_column {
                return self.misplaced(ProblemKind::Misplaced, at);
            }
            self.close();
        }
        self.release_comments();
        if self.innermost().1 != column {
            self.problem(ProblemKind::Indentation, self.line.start..at);
        }
        true
    }

    fn misplaced(&mut self, kind: ProblemKind, at: usize) -> bool {
        self.release_comments();
        self.problem(kind, at..self.line.end);
        false
    }

    fn open_awaited(&mut self, kind: Kind, entry: &Entry, at: usize, column: usize) -> bool {
        let is_open = self.open(kind, entry, column);
        if !is_open {
            self.null(entry);
            self.problem(ProblemKind::TooDeep, at..self.line.end);
        }
        self.release_comments();
        is_open
    }

    /// Opens the mapping or sequence that is the document's value.
    fn open_content(&mut self, kind: Kind, at: usize, column: usize) -> bool {
        self.release_comments();
        self.note_content(at);
        let is_open = self.open(kind, &self.unkeyed(at, DOCUMENT_COLUMN), column);
        if !is_open {
            self.problem(ProblemKind::TooDeep, at..self.line.end);
        }
        is_open
    }

    fn note_content(&mut self, at: usize) {
        if self.has_content {
            self.problem(ProblemKind::Misplaced, at..self.line.end);
        }
        self.has_content = true;
    }

    /// Closes what a line in `column` cannot belong to. A column between two collections
    /// belongs to the inner one: damage in one line's indentation then moves no other line.
    fn close_deeper_than(&mut self, column: usize) {
        while column < self.innermost().1 && column <= self.around().1 {
            self.close();
        }
    }

    /// The key or dash that waited gets no value.
    fn settle(&mut self) {
        if let Some(entry) = self.awaiting.take() {
            self.null(&entry);
        }
    }

    /// An entry without a key, whose value is at `at`.
    pub(super) fn unkeyed(&self, at: usize, column: usize) -> Entry {
        Entry { key: Extent::default(), key_style: None, column, line: self.line_number, value: at }
    }

    /// An entry with a key, whose value is at `at`.
    pub(super) fn keyed(&self, key: &Key, column: usize, at: usize) -> Entry {
        Entry {
            key: Extent::new(key.extent.start, key.extent.end),
            key_style: Some(key.style),
            ..self.unkeyed(at, column)
        }
    }

    /// An item: what follows its dash may be an item or an entry again (`- - name: x`).
    fn item(&mut self, mut dash: usize, mut column: usize) {
        loop {
            let (at, its_column) = self.indentation(dash + 1, column + 1);
            if at == dash + 1 && at < self.line.end {
                self.problem(ProblemKind::DashWithoutBlank, dash..at);
            }
            if matches!(self.byte(at), b'\n' | b'#') {
                return self.await_value(self.unkeyed(dash + 1, column), at);
            }
            let item = self.unkeyed(at, column);
            let shape = self.shape(at);
            let kind = match shape {
                Shape::Item => Kind::Sequence,
                Shape::Entry(_) => Kind::Mapping,
                Shape::Text => return self.value(item, at),
            };
            if !self.open(kind, &item, its_column) {
                self.problem(ProblemKind::TooDeep, at..self.line.end);
                return self.leaf(Kind::Raw, self.trim(at..self.line.end));
            }
            if let Shape::Entry(key) = shape {
                return self.entry(&key, its_column);
            }
            (dash, column) = (at, its_column);
        }
    }

    #[inline(always)]
    fn entry(&mut self, key: &Key, column: usize) {
        if !is_blank_or_end(self.rest(key.colon + 1).first()) {
            self.problem(ProblemKind::ColonWithoutBlank, key.colon..key.colon + 1);
        }
        if self.text.get(key.extent.clone()) == Some(b"<<") {
            self.problem(ProblemKind::MergeKey, key.extent.clone());
        }
        let at = self.skip_blanks(key.colon + 1);
        if matches!(self.byte(at), b'\n' | b'#') {
            self.await_value(self.keyed(key, column, key.colon + 1), at);
        } else {
            self.value(self.keyed(key, column, at), at);
        }
    }

    /// The line ends, with or without a comment at `at`, before the value.
    fn await_value(&mut self, entry: Entry, at: usize) {
        self.awaiting = Some(entry);
        if at < self.line.end {
            self.hold_comment(at);
        }
    }

    /// A line that starts neither an item nor an entry.
    fn line_of_text(&mut self, at: usize, column: usize) {
        if let Some(mut entry) = self.awaiting.take() {
            if column > entry.column {
                self.problem(ProblemKind::ValueOnNextLine, at..self.line.end);
                // Comments between are part of the head.
                self.held.clear();
                if entry.key_style.is_none() {
                    entry.line = self.line_number;
                }
                return self.value(entry, at);
            }
            self.null(&entry);
        }
        self.close_deeper_than(column);
        if self.continues_scalar(column) {
            return self.continue_scalar(at);
        }
        self.release_comments();
        let (kind, _) = self.innermost();
        if kind == Kind::Document {
            self.note_content(at);
            return self.value(self.unkeyed(at, DOCUMENT_COLUMN), at);
        }
        let reason = indicator(self.rest(at)).unwrap_or(match kind {
            Kind::Mapping => ProblemKind::NotAnEntry,
            _ => ProblemKind::Misplaced,
        });
        self.problem(reason, at..self.line.end);
        self.raw(at);
    }

    fn raw(&mut self, at: usize) {
        self.leaf(Kind::Raw, self.trim(at..self.line.end));
    }

    /// Whether a line of text in `column` goes on with the plain scalar before it.
    fn continues_scalar(&self, column: usize) -> bool {
        let children = self.open.last().map_or(0, |open| open.children);
        column > self.innermost().1
            && self.held.is_empty()
            && self.waiting.len() > children
            && self
                .waiting
                .last()
                .is_some_and(|last| last.kind == Kind::Scalar && last.style == Style::Plain)
    }

    fn continue_scalar(&mut self, at: usize) {
        self.problem(ProblemKind::MultiLineScalar, at..self.line.end);
        let (value, comment) = self.plain(at);
        if let Some(scalar) = self.waiting.last_mut() {
            scalar.value.end = offset(value.end);
            self.taken = value.end;
        }
        if let Some(comment) = comment {
            self.comment(comment);
        }
    }
}

// Values.
impl Reader<'_> {
    /// The value of `entry`, of which the first byte is at `at`.
    fn value(&mut self, mut entry: Entry, at: usize) {
        let at = self.skip_properties(at);
        entry.value = at;
        match self.byte(at) {
            b'\n' | b'#' => {
                entry.value = self.trim(self.line.start..at).end;
                self.await_value(entry, at);
            }
            b'\'' | b'"' => {
                let end = self.quoted(&entry, at);
                self.after_value(end);
            }
            b'[' | b'{' => {
                if let Some(end) = self.flow(entry, at) {
                    self.after_value(end);
                }
            }
            b'|' | b'>' => self.block_scalar(&entry, at),
            _ => {
                let (value, comment) = self.plain(at);
                self.scalar(Style::Plain, &entry, value);
                if let Some(comment) = comment {
                    self.comment(comment);
                }
            }
        }
    }

    /// Anchors and tags: they become part of the head.
    fn skip_properties(&mut self, mut at: usize) -> usize {
        loop {
            let kind = match self.byte(at) {
                b'&' => ProblemKind::Anchor,
                b'!' => ProblemKind::Tag,
                _ => return at,
            };
            let len = self.rest(at).iter().take_while(|byte| !is_blank(**byte)).count();
            self.problem(kind, at..at + len);
            at = self.skip_blanks(at + len);
        }
    }

    /// A quoted scalar; returns the position behind it.
    pub(super) fn quoted(&mut self, entry: &Entry, at: usize) -> usize {
        let (value, style) = self.quoted_extent(at);
        self.scalar(style, entry, value.clone());
        value.end
    }

    /// The extent of the quoted text at `at`: to the end of the line if it is not closed.
    pub(super) fn quoted_extent(&mut self, at: usize) -> (Range<usize>, Style) {
        let value = match scalar::quoted_len(self.rest(at)) {
            Some(len) => at..at + len,
            None => {
                self.problem(ProblemKind::UnclosedQuote, at..self.line.end);
                self.trim(at..self.line.end)
            }
        };
        if self.byte(at) == b'\'' {
            return (value, Style::SingleQuoted);
        }
        let quoted = self.text.get(value.clone()).unwrap_or_default();
        if let Some((start, end)) = scalar::bad_escape(quoted) {
            self.problem(ProblemKind::BadEscape, at + start..at + end);
        }
        (value, Style::DoubleQuoted)
    }

    /// The extent of the plain scalar at `at`, and where a comment follows it.
    #[inline(always)]
    fn plain(&mut self, at: usize) -> (Range<usize>, Option<usize>) {
        if let Some(kind) = indicator(self.rest(at)) {
            self.problem(kind, at..self.line.end);
        }
        if self.only_colon.is_some_and(|colon| colon < at) {
            return (self.trim(at..self.line.end), None);
        }
        let mut comment = None;
        let mut colon = None;
        let mut before = b' ';
        for (here, &byte) in (at..).zip(self.rest(at)) {
            match byte {
                b'#' if is_blank(before) => {
                    comment = Some(here);
                    break;
                }
                b':' if is_blank_or_end(self.rest(here + 1).first()) => colon = Some(here),
                _ => {}
            }
            before = byte;
        }
        if let Some(colon) = colon {
            self.problem(ProblemKind::ColonInValue, colon..colon + 1);
        }
        (self.trim(at..comment.unwrap_or(self.line.end)), comment)
    }

    /// What is behind a closing quote or bracket.
    fn after_value(&mut self, at: usize) {
        let at = self.skip_blanks(at);
        match self.byte(at) {
            b'\n' => {}
            b'#' => self.comment(at),
            _ => {
                self.problem(ProblemKind::TextAfterValue, at..self.line.end);
                self.raw(at);
            }
        }
    }

    /// `|` or `>`, and the lines below that are indented deeper than their key.
    fn block_scalar(&mut self, entry: &Entry, at: usize) {
        self.problem(ProblemKind::BlockScalar, at..self.line.end);
        let mut end = self.trim(at..self.line.end).end;
        while self.next_line() {
            let spaces = leading_spaces(self.rest(self.line.start));
            let first = self.line.start + spaces;
            let is_empty = self.skip_blanks(first) == self.line.end;
            // Columns count from 1: the line is in column `spaces + 1`.
            if !is_empty && (spaces < entry.column || self.is_marker(first)) {
                self.read_again();
                break;
            }
            if !is_empty {
                end = self.trim(self.line.clone()).end;
            }
        }
        self.scalar(Style::Block, entry, at..end);
    }
}

// What text starts with.
impl Reader<'_> {
    #[inline(always)]
    fn shape(&self, at: usize) -> Shape {
        if self.is_item(at) {
            return Shape::Item;
        }
        self.key(at).map_or(Shape::Text, Shape::Entry)
    }

    /// Whether an item or entry starts at `at`.
    pub(super) fn is_structure(&self, at: usize) -> bool {
        !matches!(self.shape(at), Shape::Text)
    }

    /// `- `, and `-key:`, which the runtime takes as an item (observed with release 26.27).
    #[inline(always)]
    fn is_item(&self, at: usize) -> bool {
        match self.rest(at) {
            [b'-'] | [b'-', b' ' | b'\t', ..] => true,
            [b'-', b'a'..=b'z' | b'A'..=b'Z' | b'_' | b'\'' | b'"', ..] => {
                self.key(at + 1).is_some()
            }
            _ => false,
        }
    }

    #[inline(always)]
    fn key(&self, at: usize) -> Option<Key> {
        let line = self.rest(at);
        match line.first()? {
            b'\'' | b'"' => self.quoted_key(at),
            _ if indicator(line).is_some() => None,
            _ => {
                let colon = match self.only_colon {
                    Some(colon) if colon > at && is_blank_or_end(self.rest(colon + 1).first()) => colon,
                    _ => at + plain_key(line)?,
                };
                Some(Key { extent: self.trim(at..colon), style: Style::Plain, colon })
            }
        }
    }

    /// `'key':` or `"key":`.
    pub(super) fn quoted_key(&self, at: usize) -> Option<Key> {
        let end = at + scalar::quoted_len(self.rest(at))?;
        let colon = self.skip_blanks(end);
        let style = if self.byte(at) == b'\'' { Style::SingleQuoted } else { Style::DoubleQuoted };
        (self.byte(colon) == b':').then_some(Key { extent: at..end, style, colon })
    }
}

/// The position of the colon behind the plain key that `line` starts with: the first colon
/// with a blank behind it, or, as the runtime reads it, the one behind a name (`key:value`).
fn plain_key(line: &[u8]) -> Option<usize> {
    let mut first_colon = None;
    let mut before = b' ';
    for (at, &byte) in line.iter().enumerate() {
        match byte {
            b':' if is_blank_or_end(line.get(at + 1)) => return Some(at),
            b':' if first_colon.is_none() => first_colon = Some(at),
            b'#' if is_blank(before) => break,
            _ => {}
        }
        before = byte;
    }
    first_colon.filter(|&colon| {
        is_name(line.get(..colon).unwrap_or_default())
            && !matches!(line.get(colon + 1), Some(b':' | b'/'))
    })
}

/// Letters, digits and `_`, and blanks behind them.
fn is_name(bytes: &[u8]) -> bool {
    let name = bytes.trim_ascii_end();
    name.first().is_some_and(|first| first.is_ascii_alphabetic() || *first == b'_')
        && name.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
}

/// What is to be said about a plain scalar or key that starts with a character to which YAML
/// gives a meaning. YAML 1.2.2, "7.3.3. Plain Style".
#[inline]
pub(super) fn indicator(text: &[u8]) -> Option<ProblemKind> {
    let (first, rest) = text.split_first()?;
    if first.is_ascii_alphanumeric() { None } else { punctuation(*first, rest) }
}

fn punctuation(first: u8, rest: &[u8]) -> Option<ProblemKind> {
    Some(match first {
        b'?' if is_blank_or_end(rest.first()) => ProblemKind::ComplexKey,
        b'-' | b':' if is_blank_or_end(rest.first()) => ProblemKind::ReservedIndicator,
        b'&' => ProblemKind::Anchor,
        b'*' => ProblemKind::Alias,
        b'!' => ProblemKind::Tag,
        b'|' | b'>' => ProblemKind::BlockScalar,
        b'@' | b'`' | b'%' | b',' | b'[' | b']' | b'{' | b'}' => ProblemKind::ReservedIndicator,
        _ => return None,
    })
}

pub(super) fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

pub(super) fn is_blank_or_end(byte: Option<&u8>) -> bool {
    byte.is_none_or(|&byte| is_blank(byte))
}

/// The number of line breaks (LF, CR LF, CR) that start in `extent`.
pub(super) fn line_breaks(text: &[u8], extent: Extent) -> u32 {
    let is_break = |at: &usize| match text.get(*at) {
        Some(b'\n') => true,
        Some(b'\r') => text.get(at + 1) != Some(&b'\n'),
        _ => false,
    };
    offset(extent.range().filter(is_break).count())
}

/// Printable ASCII at the start of a text.
struct Run {
    len: usize,
    /// The position of a colon, if there is exactly one and no `#`.
    only_colon: Option<usize>,
}

/// Eight bytes at a time, because every byte of the text comes through here.
fn printable_run(text: &[u8]) -> Run {
    let (words, rest) = text.as_chunks::<8>();
    let mut only_colon = None;
    let mut is_special = false;
    let mut at = 0;
    for word in words {
        let word = u64::from_le_bytes(*word);
        // The high bit of a byte is set where it is set in the text, or where the subtraction
        // borrows. A borrow can spoil only bytes above the first one that is to be found.
        let odd = (word | word.wrapping_sub(eight(b' '))) & eight(0x80);
        let run = odd.wrapping_sub(1) & !odd;
        let colons = zero_bytes(word ^ eight(b':')) & run;
        let hashes = zero_bytes(word ^ eight(b'#')) & run;
        if colons | hashes != 0 {
            is_special |= only_colon.is_some() || hashes != 0 || !colons.is_power_of_two();
            only_colon = Some(at + lowest_byte(colons));
        }
        if odd != 0 {
            let len = at + lowest_byte(odd);
            return Run { len, only_colon: only_colon.filter(|_| !is_special) };
        }
        at += 8;
    }
    // The last bytes of the text: what is in them is found later.
    let len = at + rest.iter().take_while(|byte| (b' '..0x80).contains(*byte)).count();
    Run { len, only_colon: None }
}

/// Number of spaces at the start of `text`.
fn leading_spaces(text: &[u8]) -> usize {
    let (words, rest) = text.as_chunks::<8>();
    let mut at = 0;
    for word in words {
        let other = u64::from_le_bytes(*word) ^ eight(b' ');
        if other != 0 {
            return at + lowest_byte(other);
        }
        at += 8;
    }
    at + rest.iter().take_while(|byte| **byte == b' ').count()
}

const fn eight(byte: u8) -> u64 {
    u64::from_ne_bytes([byte; 8])
}

/// The high bit of each byte that is zero, and perhaps of some above the lowest of them.
fn zero_bytes(word: u64) -> u64 {
    word.wrapping_sub(eight(1)) & !word & eight(0x80)
}

/// The position of the first byte, in the order of the text, that has a bit.
fn lowest_byte(word: u64) -> usize {
    word.trailing_zeros() as usize / 8
}

/// Makes room by halves, and never for many more than `most`: doubling would need twice the
/// memory for a text full of tiny nodes.
fn make_room(nodes: &mut Vec<Node>, additional: usize, most: usize) {
    /// What the last line may add beyond the limit fits without moving all nodes again.
    const SPARE: usize = 256;
    if nodes.capacity() - nodes.len() >= additional {
        return;
    }
    let wanted = (nodes.len() / 2).min(most.saturating_sub(nodes.len()));
    nodes.reserve_exact(wanted.max(additional) + SPARE);
}
