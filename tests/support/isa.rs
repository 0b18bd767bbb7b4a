//! Instruction words with the assembler's text.

use std::path::Path;

use zeview::decode::isa::{Decoder, Labels, Platform};

/// An instruction word with the assembler's output.
#[derive(Debug)]
pub struct Row {
    /// The bytes of the instruction.
    pub bytes: Vec<u8>,
    /// `ok`, `error` or `illegal`.
    pub status: String,
    /// Text without trailing blanks.
    pub text: String,
    /// Meaning of a send.
    pub comment: String,
}

/// Bytes from hexadecimal digits.
pub fn hex(digits: &str) -> Vec<u8> {
    let pair = |at| u8::from_str_radix(&digits[at..at + 2], 16).expect("hexadecimal digits");
    (0..digits.len() / 2).map(|at| pair(at * 2)).collect()
}

/// Parses a table: a header line, then bytes, status, text and comment in these columns. The text
/// is Latin-1.
pub fn rows(table: &[u8], columns: [Option<usize>; 4]) -> Vec<Row> {
    let lines = table.split(|b| *b == b'\n').skip(1);
    let cells = lines.map(|line| {
        let cells = line.split(|b| *b == b'\t');
        let latin1 = |cell: &[u8]| cell.iter().map(|b| char::from(*b)).collect::<String>();
        cells.map(latin1).collect::<Vec<_>>()
    });
    cells
        .filter(|cells| cells.len() > 3)
        .map(|cells| {
            let cell = |at: Option<usize>| at.map_or(String::new(), |at| cells[at].clone());
            let [bytes, status, text, comment] = columns.map(cell);
            Row {
                bytes: hex(&bytes),
                status: match status.as_str() {
                    "" => "ok".to_owned(),
                    _ => status,
                },
                text: text.trim_end().to_owned(),
                comment: comment.trim_end().to_owned(),
            }
        })
        .collect()
}

/// Numbers of equal rows.
#[derive(Debug, Default)]
pub struct Count {
    pub rows: usize,
    pub texts: usize,
    pub comments: usize,
    pub equal_comments: usize,
    pub statuses: usize,
    /// Rows with a control character as immediate, which the assembler prints verbatim.
    pub exempt: usize,
    /// The first rows that differ.
    pub differences: Vec<String>,
}

impl Count {
    /// Returns whether all rows are equal, except for exempt ones.
    pub fn is_whole(&self) -> bool {
        self.texts + self.exempt == self.rows
            && self.comments == self.equal_comments
            && self.statuses == self.rows
    }
}

impl std::fmt::Display for Count {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(
            f,
            "text {} of {} ({} exempt), comment {} of {}, status {}",
            self.texts, self.rows, self.exempt, self.equal_comments, self.comments, self.statuses
        )
    }
}

/// Compares rows with the decoder's output.
pub fn compare(platform: Platform, rows: &[Row]) -> Count {
    let decoder = Decoder::new(platform);
    let mut count = Count::default();
    for row in rows {
        let instruction = decoder.decode(&row.bytes).expect("the word is whole");
        assert_eq!(usize::from(instruction.length), row.bytes.len());
        let mut line = String::new();
        decoder.format(&instruction, Labels::Numeric, &mut line);
        let (text, comment) = line.split_once(" // ").unwrap_or((&line, ""));
        let text = text.trim_end();
        let status = match (instruction.errors, text) {
            (true, "        illegal") => "illegal",
            (true, _) => "error",
            _ => "ok",
        };
        count.rows += 1;
        count.statuses += usize::from(status == row.status);
        let mut equal = text == row.text;
        count.texts += usize::from(equal);
        // A byte immediate is printed as a character. A control character breaks the line (0 ends
        // it), so zeview prints a number. No compiler writes such immediates.
        let exempt = !equal && control_immediate(text);
        count.exempt += usize::from(exempt);
        equal |= exempt;
        if row.status == "ok" && !(row.comment.is_empty() && comment.is_empty()) {
            count.comments += 1;
            count.equal_comments += usize::from(comment.trim_end() == row.comment);
            equal &= comment.trim_end() == row.comment;
        }
        if (!equal || status != row.status) && count.differences.len() < 5 {
            count.differences.push(format!(
                "{} {:02x?}\n  want {} {} // {}\n  have {status} {text} // {comment}",
                platform.name(),
                row.bytes,
                row.status,
                row.text,
                row.comment
            ));
        }
    }
    count
}

/// Returns whether a text has an immediate of type `:b` that is a control character: `0x1B:b`.
fn control_immediate(text: &str) -> bool {
    text.split_whitespace().any(|word| {
        word.strip_suffix(":b")
            .and_then(|word| word.strip_prefix("0x"))
            .and_then(|digits| u8::from_str_radix(digits, 16).ok())
            .is_some_and(|byte| char::from(byte).is_control())
    })
}

/// Reads the table of a platform from a folder.
pub fn table(folder: &Path, platform: Platform) -> Vec<u8> {
    let path = folder.join(format!("{}.tsv", platform.name()));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}
