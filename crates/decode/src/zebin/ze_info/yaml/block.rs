//! Block structure: classifies a line by its indentation, dash or key.

use super::keys::{Key, Shape, indicator};
use super::lines::is_blank_or_end;
use super::reader::{DOCUMENT_COLUMN, Entry, PendingComment, Reader};
use super::{Extent, Kind, ProblemKind, Style, offset};

impl Reader<'_> {
    /// Reads one line.
    pub(super) fn line(&mut self) {
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
    pub(super) fn close_all(&mut self) {
        self.settle();
        while self.open.len() > 1 {
            self.close();
        }
        self.release_comments();
    }

    /// Reads a comment after a value.
    pub(super) fn comment(&mut self, at: usize) {
        self.leaf(Kind::Comment, self.trim(at..self.line.end));
    }

    fn hold_comment(&mut self, at: usize) {
        let extent = self.trim(at..self.line.end);
        let extent = Extent::new(extent.start, extent.end);
        self.pending.push(PendingComment {
            extent,
            line: self.line_number,
        });
    }

    /// Adds the pending comments to the innermost open collection.
    fn release_comments(&mut self) {
        if self.pending.is_empty() {
            return;
        }
        for comment in std::mem::take(&mut self.pending) {
            self.leaf_on(comment.line, Kind::Comment, comment.extent.range());
        }
    }

    /// Reads a line's content: an item, an entry, or text.
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

    /// Finds the collection for a dash (`kind` is a sequence) or a key (a mapping) at `at`, and
    /// makes it the innermost: opens it as an awaited value, or closes deeper ones. Returns `false`
    /// if the line does not belong to any.
    fn place(&mut self, kind: Kind, at: usize, column: usize) -> bool {
        if let Some(entry) = self.awaiting.take() {
            // A sequence may be in the column of its key.
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

    /// Closes the collections that a line in `column` cannot belong to. A column between two
    /// collections belongs to the inner one: a badly indented line does not affect others.
    fn close_deeper_than(&mut self, column: usize) {
        while column < self.innermost().1 && column <= self.around().1 {
            self.close();
        }
    }

    /// Ends the awaited key or dash without a value.
    fn settle(&mut self) {
        if let Some(entry) = self.awaiting.take() {
            self.null(&entry);
        }
    }

    /// An entry without a key, with its value at `at`.
    pub(super) fn unkeyed(&self, at: usize, column: usize) -> Entry {
        Entry {
            key: Extent::default(),
            key_style: None,
            column,
            line: self.line_number,
            value: at,
        }
    }

    /// An entry with a key, with its value at `at`.
    pub(super) fn keyed(&self, key: &Key, column: usize, at: usize) -> Entry {
        Entry {
            key: Extent::new(key.extent.start, key.extent.end),
            key_style: Some(key.style),
            ..self.unkeyed(at, column)
        }
    }

    /// An item: its dash may be followed by another item or an entry (`- - name: x`).
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

    /// Handles a line that ends before the value, possibly with a comment at `at`.
    pub(super) fn await_value(&mut self, entry: Entry, at: usize) {
        self.awaiting = Some(entry);
        if at < self.line.end {
            self.hold_comment(at);
        }
    }

    /// Reads a line that starts neither an item nor an entry.
    fn line_of_text(&mut self, at: usize, column: usize) {
        if let Some(mut entry) = self.awaiting.take() {
            if column > entry.column {
                self.problem(ProblemKind::ValueOnNextLine, at..self.line.end);
                // Comments in between are part of the head.
                self.pending.clear();
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

    pub(super) fn raw(&mut self, at: usize) {
        self.leaf(Kind::Raw, self.trim(at..self.line.end));
    }

    /// Returns whether a line of text in `column` continues the previous plain scalar.
    fn continues_scalar(&self, column: usize) -> bool {
        let children = self.open.last().map_or(0, |open| open.children);
        column > self.innermost().1
            && self.pending.is_empty()
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
            self.consumed = value.end;
        }
        if let Some(comment) = comment {
            self.comment(comment);
        }
    }
}
