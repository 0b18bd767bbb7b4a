//! The fields of a line.
//!
//! unitrace pads fields with blanks on the left, also in front of a quotation mark. RFC 4180, and
//! readers that follow it, treat such a mark as text, and split the name at its commas.

use std::borrow::Cow;

use zeview_core::model::text::cut_end;

/// A field, without its padding and quotation marks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Field<'a> {
    pub bytes: Cow<'a, [u8]>,
    /// The offset in the line.
    pub start: usize,
    /// The offset after the last byte.
    pub end: usize,
}

impl Field<'_> {
    pub fn text(&self) -> Option<&str> {
        std::str::from_utf8(&self.bytes).ok()
    }

    /// Returns the field for a message: not longer than a few words.
    pub fn shown(&self) -> String {
        const LONGEST: usize = 40;
        let text = String::from_utf8_lossy(&self.bytes);
        match text.len() {
            0 => "an empty field".to_owned(),
            _ => format!("`{}`", cut_end(&text, LONGEST)),
        }
    }
}

/// The reason why a line cannot be split, and the bytes in the line.
pub(super) struct Malformed {
    pub start: usize,
    pub end: usize,
    pub message: &'static str,
}

fn is_padding(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

/// Splits a line at its commas, except for those in quotation marks.
pub(super) fn split<'a>(line: &'a [u8], fields: &mut Vec<Field<'a>>) -> Result<(), Malformed> {
    fields.clear();
    let mut at = 0;
    loop {
        let rest = line.get(at..).unwrap_or_default();
        let start = at + rest.iter().take_while(|byte| is_padding(**byte)).count();
        let (field, after) = if line.get(start) == Some(&b'"') {
            quoted(line, start)?
        } else {
            plain(line, start.min(line.len()))
        };
        fields.push(field);
        match line.get(after) {
            Some(_) => at = after + 1,
            None => return Ok(()),
        }
    }
}

/// Returns the field without quotation marks that starts at an offset, and the offset of the comma
/// after it.
fn plain(line: &[u8], start: usize) -> (Field<'_>, usize) {
    let rest = line.get(start..).unwrap_or_default();
    let len = rest.iter().position(|byte| *byte == b',');
    let field = rest.get(..len.unwrap_or(rest.len())).unwrap_or_default();
    let padding = field.iter().rev().take_while(|byte| is_padding(**byte));
    let bytes = field
        .get(..field.len() - padding.count())
        .unwrap_or_default();
    let end = start + bytes.len();
    let bytes = Cow::Borrowed(bytes);
    (Field { bytes, start, end }, start + field.len())
}

/// Returns the field in quotation marks that starts at an offset, and the offset of the comma after
/// it.
fn quoted(line: &[u8], start: usize) -> Result<(Field<'_>, usize), Malformed> {
    let mut bytes = Cow::Borrowed(&[][..]);
    let mut from = start + 1;
    let close = loop {
        let rest = line.get(from..).unwrap_or_default();
        let Some(len) = rest.iter().position(|byte| *byte == b'"') else {
            return Err(Malformed {
                start,
                end: line.len(),
                message: "a quotation mark is not closed on this line",
            });
        };
        let piece = rest.get(..len).unwrap_or_default();
        if bytes.is_empty() {
            bytes = Cow::Borrowed(piece);
        } else {
            bytes.to_mut().extend_from_slice(piece);
        }
        let close = from + len;
        if line.get(close + 1) != Some(&b'"') {
            break close;
        }
        bytes.to_mut().push(b'"');
        from = close + 2;
    };
    let rest = line.get(close + 1..).unwrap_or_default();
    let padding = rest.iter().take_while(|byte| is_padding(**byte)).count();
    let after = close + 1 + padding;
    if line.get(after).is_some_and(|byte| *byte != b',') {
        return Err(Malformed {
            start: after,
            end: line.len(),
            message: "text follows a closing quotation mark",
        });
    }
    let end = close + 1;
    Ok((Field { bytes, start, end }, after))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(line: &str) -> Result<Vec<String>, &'static str> {
        let mut fields = Vec::new();
        split(line.as_bytes(), &mut fields).map_err(|malformed| malformed.message)?;
        let texts = fields.iter().map(|field| field.text().unwrap().to_owned());
        Ok(texts.collect())
    }

    #[test]
    fn fields_are_padded_and_quoted() {
        assert_eq!(texts("a, b ,,c\r").unwrap(), ["a", "b", "", "c"]);
        assert_eq!(
            texts("   \"f(int, int)\" ,  1b8").unwrap(),
            ["f(int, int)", "1b8"]
        );
        assert_eq!(texts("\"a\"\"b\"\"\",\"\"").unwrap(), ["a\"b\"", ""]);
        assert_eq!(texts("\"\"\"a\"").unwrap(), ["\"a"]);
        assert_eq!(texts("a\"b,c").unwrap(), ["a\"b", "c"]);
        assert_eq!(texts("").unwrap(), [""]);
        assert_eq!(texts("a,").unwrap(), ["a", ""]);
        assert!(texts("1, \"a, 2").unwrap_err().contains("not closed"));
        assert!(texts("\"a\"b, 2").unwrap_err().contains("follows"));
    }

    #[test]
    fn fields_have_their_bytes() {
        let mut fields = Vec::new();
        let line = b"  \"a,b\" ,  12 ";
        assert!(split(line, &mut fields).is_ok());
        let found: Vec<_> = fields.iter().map(|f| &line[f.start..f.end]).collect();
        assert_eq!(found, [&b"\"a,b\""[..], b"12"]);
    }
}
