//! Folders as one sequence of bytes: a list of the files, then their bytes.
//!
//! ```text
//! zeview folder        114
//! 10184 1793000000 a/kernel.zebin
//! - 1793000000 b/secret  Permission denied
//! <the bytes of a/kernel.zebin>
//! ```
//!
//! The number in the first line is the length of the list in bytes. A line has the size of a file,
//! the time of its last change in seconds since 1970, its path, and for a file that cannot be read,
//! after a tab, the reason; `-` is what is not known. The native [`FolderSource`](super::FolderSource)
//! and the page make such bytes, without reading a file.

/// The start of the list.
pub const FOLDER_MAGIC: &str = "zeview folder ";
/// The length of the first line, in bytes.
pub const FOLDER_HEAD: usize = 25;

/// A file of a folder.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ListedFile {
    /// Its path in the folder, with slashes.
    pub path: String,
    /// The time of its last change, in seconds since 1970, if it is known.
    pub modified: Option<u64>,
    /// Its size in bytes, or the reason why it cannot be read.
    pub size: Result<u64, String>,
}

/// Returns the list of the files. The bytes of those with a size follow, in the same order.
pub fn folder_list(files: &[ListedFile]) -> String {
    let mut lines = String::new();
    for file in files {
        let (size, reason) = match &file.size {
            Ok(size) => (size.to_string(), None),
            Err(reason) => ("-".to_owned(), Some(reason)),
        };
        let time = file
            .modified
            .map_or("-".to_owned(), |time| time.to_string());
        lines.push_str(&format!("{size} {time} "));
        push_escaped(&mut lines, &file.path);
        if let Some(reason) = reason {
            lines.push('\t');
            push_escaped(&mut lines, reason);
        }
        lines.push('\n');
    }
    let len = lines.len().saturating_add(FOLDER_HEAD);
    format!("{FOLDER_MAGIC}{len:>10}\n{lines}")
}

fn push_escaped(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c => out.push(c),
        }
    }
}

/// Reads a line of the list, without its line feed. Returns `None` if it is malformed.
pub fn folder_line(line: &str) -> Option<ListedFile> {
    let (size, rest) = line.split_once(' ')?;
    let (time, rest) = rest.split_once(' ')?;
    let number = |text: &str| text.parse::<u64>().ok();
    let modified = match time {
        "-" => None,
        time => Some(number(time)?),
    };
    let (path, reason) = rest.split_once('\t').unwrap_or((rest, ""));
    let size = match size {
        "-" => Err(unescaped(reason)),
        size => Ok(number(size)?),
    };
    Some(ListedFile {
        path: unescaped(path),
        modified,
        size,
    })
}

fn unescaped(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text.chars();
    while let Some(c) = rest.next() {
        match c {
            '\\' => match rest.next() {
                Some('n') => out.push('\n'),
                Some('t') => out.push('\t'),
                Some(c) => out.push(c),
                None => {}
            },
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_read_as_written() {
        let files = [
            ListedFile {
                path: "a/b c.zebin".to_owned(),
                modified: Some(1_793_000_000),
                size: Ok(12),
            },
            ListedFile {
                path: "new\nline\tand \\ \u{202e}".to_owned(),
                modified: None,
                size: Err("permission\ndenied".to_owned()),
            },
        ];
        let list = folder_list(&files);
        let (head, lines) = list.split_at(FOLDER_HEAD);
        assert_eq!(head, format!("zeview folder {:>10}\n", list.len()));
        let read: Vec<_> = lines
            .lines()
            .map(|line| folder_line(line).unwrap())
            .collect();
        assert_eq!(read, files);
        for bad in ["", "1", "1 2", "x 2 a", "1 x a"] {
            assert_eq!(folder_line(bad), None, "{bad}");
        }
    }
}
