//! Reads a profile in pieces.

use super::fields::{self, Field, Malformed};
use super::gtpin::Counts;
use super::layout::{self, Layout};
use super::table::{Columns, TYPES_MAX, Tables};
use super::{Problem, Profile};

/// Maximum length of a line in bytes: a demangled name has at most 64 KiB.
const LINE_MAX: usize = 1 << 17;

/// Maximum number of problems in the list.
const PROBLEMS_MAX: usize = 100;

/// Maximum number of columns.
const COLUMNS_MAX: usize = 1024;

/// Number of fields of the shortest row: a name, an offset and a count, or a name with an offset, a count
/// and the comma at the end.
const ROW_MIN: usize = 3;

/// Reads a profile. It keeps the sums of each kernel and offset, and one line.
///
/// A row that cannot be read is skipped, and becomes a [`Problem`]. The result does not depend on
/// how the file is divided into pieces.
#[derive(Debug, Default)]
pub struct Reader {
    form: Form,
}

/// The form of a profile, by its first byte.
#[derive(Debug)]
enum Form {
    /// Nothing but blanks was read.
    Unknown(Vec<u8>),
    Lines(Box<TextReader>),
    Json(Box<Counts>),
}

impl Default for Form {
    fn default() -> Form {
        Form::Unknown(Vec::new())
    }
}

/// Reads lines.
#[derive(Debug, Default)]
struct TextReader {
    /// The start of a line whose end has not been read yet, up to [`LINE_MAX`] bytes.
    partial: Vec<u8>,
    /// The length of that line so far.
    partial_len: usize,
    lines: Lines,
}

/// The lines read so far.
#[derive(Debug, Default)]
struct Lines {
    /// Number of lines before the current one.
    number: u64,
    /// The offset of the current line in the file.
    start: u64,
    /// The table that the current line belongs to.
    state: State,
    /// The device of the last banner.
    device: Option<u32>,
    tables: Tables,
    /// Whether a header was read.
    has_header: bool,
    /// The first line without a header that cannot be a row: output of a program. It is a problem if
    /// no header follows.
    stray: Option<Problem>,
    /// Number of such lines.
    stray_lines: u64,
    rows: u64,
    idle_rows: u64,
    skipped_rows: u64,
    problems: Vec<Problem>,
    more_problems: u64,
}

/// The meaning of rows at a line.
#[derive(Debug, Default)]
enum State {
    /// A header is expected.
    #[default]
    Start,
    /// Rows are skipped up to the next header; the reason was reported.
    Skipping,
    /// A part of a report that is not read.
    Other,
    /// The columns of the rows.
    Table(Columns),
}

impl Reader {
    /// Creates a reader.
    #[must_use]
    pub fn new() -> Reader {
        Reader::default()
    }

    /// Reads the next piece of the file.
    pub fn push(&mut self, piece: &[u8]) {
        match &mut self.form {
            Form::Lines(text) => text.push(piece),
            Form::Json(counts) => counts.push(piece),
            Form::Unknown(start) => {
                start.extend_from_slice(piece);
                let bom: &[u8] = b"\xef\xbb\xbf";
                if start.len() < bom.len() && bom.starts_with(start) {
                    return;
                }
                let text = start.strip_prefix(bom).unwrap_or(start);
                let place = text.iter().position(|byte| !byte.is_ascii_whitespace());
                if place.is_none() && text.len() <= LINE_MAX {
                    return;
                }
                let place = place.filter(|place| *place <= LINE_MAX);
                let is_json = place.is_some_and(|place| text.get(place) == Some(&b'{'));
                self.choose(is_json);
            }
        }
    }

    /// Chooses the form, and passes on what was read.
    fn choose(&mut self, is_json: bool) {
        let Form::Unknown(start) = &mut self.form else {
            return;
        };
        let start = std::mem::take(start);
        if is_json {
            let mut counts = Box::<Counts>::default();
            counts.push(&start);
            self.form = Form::Json(counts);
        } else {
            let mut text = Box::<TextReader>::default();
            text.push(&start);
            self.form = Form::Lines(text);
        }
    }

    /// Returns the number of bytes read.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        match &self.form {
            Form::Unknown(start) => start.len() as u64,
            Form::Lines(text) => text.lines.start + text.partial_len as u64,
            Form::Json(counts) => counts.bytes(),
        }
    }

    /// Returns the profile, after the last piece.
    #[must_use]
    pub fn finish(mut self) -> Profile {
        self.choose(false);
        match self.form {
            Form::Json(counts) => counts.finish(),
            Form::Lines(text) => text.finish(),
            Form::Unknown(_) => Profile::default(),
        }
    }
}

impl TextReader {
    fn push(&mut self, piece: &[u8]) {
        let mut rest = piece;
        while let Some(len) = rest.iter().position(|byte| *byte == b'\n') {
            let (line, after) = rest.split_at(len);
            if self.partial_len == 0 {
                self.lines.line(line, line.len(), true);
            } else {
                self.keep(line);
                self.end_line(true);
            }
            rest = after.get(1..).unwrap_or_default();
        }
        self.keep(rest);
    }

    fn finish(mut self) -> Profile {
        if self.partial_len > 0 {
            self.end_line(false);
        }
        self.lines.finish()
    }

    fn keep(&mut self, bytes: &[u8]) {
        self.partial_len += bytes.len();
        let room = LINE_MAX.saturating_sub(self.partial.len());
        self.partial.extend(bytes.iter().take(room));
    }

    fn end_line(&mut self, with_break: bool) {
        let len = std::mem::take(&mut self.partial_len);
        let line = std::mem::take(&mut self.partial);
        self.lines.line(&line, len, with_break);
        // Its memory is used again.
        self.partial = line;
        self.partial.clear();
    }
}

impl Lines {
    /// Reads a line of `len` bytes. `line` is its beginning if it is too long.
    fn line(&mut self, line: &[u8], len: usize, with_break: bool) {
        self.number += 1;
        let bom = b"\xef\xbb\xbf";
        let (line, skipped) = match line.strip_prefix(bom) {
            Some(line) if self.number == 1 => (line, bom.len()),
            _ => (line, 0),
        };
        self.start += skipped as u64;
        let len = len - skipped;
        if len > LINE_MAX {
            let message = format!("the line is longer than {LINE_MAX} bytes; it is skipped");
            self.skip(0, len, message);
        } else if !line.iter().all(u8::is_ascii_whitespace) {
            self.split(line);
        }
        self.start += (len + usize::from(with_break)) as u64;
    }

    fn split(&mut self, line: &[u8]) {
        if line.trim_ascii_start().starts_with(b"==") {
            self.banner(line);
            return;
        }
        let mut split = Vec::new();
        match fields::split(line, &mut split) {
            Ok(()) => {
                let field = |at: usize| split.get(at).map(|field| &*field.bytes);
                let first = field(0).unwrap_or_default();
                if layout::is_header(first, field(1)) {
                    self.header(line, &split);
                } else {
                    self.row(line, &split);
                }
            }
            Err(Malformed {
                start,
                end,
                message,
            }) => {
                if self.is_table(line, ROW_MIN) {
                    self.skip(start, end, format!("{message}; the row is skipped"));
                }
            }
        }
    }

    /// Reads `=== Device #0 Metrics ===`, or the title of another part of a report.
    fn banner(&mut self, line: &[u8]) {
        let text = std::str::from_utf8(line.trim_ascii()).unwrap_or_default();
        let Some(rest) = text.strip_prefix("=== Device #") else {
            // `=== Device Timing Summary ===`, `== L0 Backend ==`: of all devices.
            self.device = None;
            self.state = State::Other;
            return;
        };
        self.state = State::Start;
        let number = rest.strip_suffix("Metrics ===");
        match number.and_then(|number| number.trim().parse().ok()) {
            Some(device) => self.device = Some(device),
            None => {
                self.state = State::Skipping;
                let message = "not a banner of the form `=== Device #0 Metrics ===`; \
                               the rows below are skipped";
                self.problem(0, line.len(), message.to_owned());
            }
        }
    }

    fn header(&mut self, line: &[u8], fields: &[Field<'_>]) {
        self.has_header = true;
        match self.columns(fields::without_last_comma(fields)) {
            Ok(Some(columns)) => self.state = State::Table(columns),
            Ok(None) => self.state = State::Other,
            Err((start, end, message)) => {
                self.state = State::Skipping;
                let message = format!("{message}; the rows below are skipped");
                self.problem(start, end.min(line.len()), message);
            }
        }
    }

    /// Returns the columns of a header, `None` if its rows are not read, or the bytes in the line and the
    /// reason why it has none.
    fn columns(&mut self, fields: &[Field<'_>]) -> Result<Option<Columns>, (usize, usize, String)> {
        let all = |message: String| {
            let start = fields.first().map_or(0, |field| field.start);
            let end = fields.last().map_or(0, |field| field.end);
            (start, end, message)
        };
        if fields.len() > COLUMNS_MAX {
            let count = fields.len();
            return Err(all(format!("{count} columns, the limit is {COLUMNS_MAX}")));
        }
        let mut names: Vec<&str> = Vec::with_capacity(fields.len());
        for field in fields {
            let problem = match field.text() {
                None => "a column whose name is not UTF-8".to_owned(),
                Some("") => "a column without a name".to_owned(),
                Some(name) if names.contains(&name) => format!("two columns {}", field.shown()),
                Some(name) => {
                    names.push(name);
                    continue;
                }
            };
            return Err((field.start, field.end, problem));
        }
        match layout::of(&names) {
            Some(Layout::Stalls { ids }) => {
                let columns = self.tables.stalls(self.device, &names, ids);
                let message = || format!("more than {TYPES_MAX} different stall types");
                columns.map(Some).ok_or_else(|| all(message()))
            }
            Some(Layout::Metrics(ids)) => Ok(Some(Tables::metrics(self.device, &names, ids))),
            Some(Layout::Times(columns)) => Ok(Some(Tables::times(&names, columns))),
            Some(Layout::Properties(columns)) => Ok(Some(Tables::properties(&names, columns))),
            Some(Layout::Other) => Ok(None),
            None => {
                let message = "unknown header: expected `IP[Address]` and stall types, \
                               `GlobalInstanceId` or `Device` and metrics, or `Calls` and times, after \
                               `Kernel`";
                Err(all(message.to_owned()))
            }
        }
    }

    /// Returns whether there is a header above a row of `fields` fields. Otherwise skips it; only the
    /// first is a problem.
    fn is_table(&mut self, line: &[u8], fields: usize) -> bool {
        match self.state {
            State::Table(_) => return true,
            State::Other => {}
            State::Skipping => self.skipped_rows += 1,
            State::Start => {
                let message = "a row without a header above it; expected `Kernel, IP[Address], …` \
                               or `Kernel, GlobalInstanceId, …`; the rows up to a header are \
                               skipped";
                if fields < ROW_MIN {
                    let problem = self.problem_at(0, line.len(), message.to_owned());
                    self.stray.get_or_insert(problem);
                    self.stray_lines += 1;
                    return false;
                }
                self.state = State::Skipping;
                self.skip(0, line.len(), message.to_owned());
            }
        }
        false
    }

    fn row(&mut self, line: &[u8], fields: &[Field<'_>]) {
        if !self.is_table(line, fields.len()) {
            return;
        }
        let State::Table(columns) = &mut self.state else {
            return;
        };
        match self.tables.row(columns, line, fields) {
            Ok(is_kernel) => {
                self.rows += 1;
                self.idle_rows += u64::from(!is_kernel);
            }
            // The limit is reported once.
            Err(None) => self.skipped_rows += 1,
            Err(Some((bytes, message))) => {
                let (start, end) = bytes.unwrap_or((0, line.len()));
                self.skip(start, end, format!("{message}; the row is skipped"));
            }
        }
    }

    /// Reports why a row is skipped: the bytes in the line, and the message.
    fn skip(&mut self, start: usize, end: usize, message: String) {
        self.skipped_rows += 1;
        self.problem(start, end, message);
    }

    fn problem(&mut self, start: usize, end: usize, message: String) {
        if self.problems.len() >= PROBLEMS_MAX {
            self.more_problems += 1;
            return;
        }
        let problem = self.problem_at(start, end, message);
        self.problems.push(problem);
    }

    fn problem_at(&self, start: usize, end: usize, message: String) -> Problem {
        Problem {
            line: self.number.max(1),
            start: self.start + start as u64,
            end: self.start + end as u64,
            message,
        }
    }

    fn finish(mut self) -> Profile {
        if let Some(stray) = self.stray.take().filter(|_| !self.has_header) {
            self.skipped_rows += self.stray_lines;
            self.problems.insert(0, stray);
        }
        if !self.has_header && self.problems.is_empty() {
            self.problems.push(Problem {
                line: 1,
                start: 0,
                end: self.start,
                message: "no header: not a profile of unitrace, expected a line that starts with \
                          `Kernel, IP[Address]` or `Kernel, GlobalInstanceId`"
                    .to_owned(),
            });
        }
        let mut profile = Profile {
            rows: self.rows,
            idle_rows: self.idle_rows,
            skipped_rows: self.skipped_rows,
            problems: self.problems,
            more_problems: self.more_problems,
            ..Profile::default()
        };
        self.tables.finish(&mut profile);
        profile
    }
}
