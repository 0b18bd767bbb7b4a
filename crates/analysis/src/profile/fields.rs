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

/// Removes the empty field after a comma at the end of a line.
pub(super) fn without_last_comma<'a, 'b>(fields: &'b [Field<'a>]) -> &'b [Field<'a>] {
    match fields.split_last() {
        Some((last, before)) if last.bytes.is_empty() && !before.is_empty() => before,
        _ => fields,
    }
}

/// Joins the first fields of a line if there are more than `count`: names without quotation marks may have
/// commas, between brackets. Otherwise returns `None`.
pub(super) fn joined<'a>(
    line: &'a [u8],
    fields: &[Field<'a>],
    count: usize,
) -> Option<Vec<Field<'a>>> {
    let extra = fields.len().checked_sub(count).filter(|extra| *extra > 0)?;
    let (first, last) = (fields.first()?, fields.get(extra)?);
    let bytes = line.get(first.start..last.end)?;
    let (mut depth, mut is_name) = (0_i64, true);
    for byte in bytes {
        match byte {
            b'(' | b'<' | b'{' | b'[' => depth += 1,
            b')' | b'}' | b']' => depth -= 1,
            // Not the end of `->`, nor an operator: the depth may only be too small.
            b'>' => depth = (depth - 1).max(0),
            b',' => is_name &= depth > 0,
            _ => {}
        }
    }
    let name = Field {
        bytes: Cow::Borrowed(bytes),
        start: first.start,
        end: last.end,
    };
    let others = fields.get(extra + 1..)?.iter().cloned();
    is_name.then(|| std::iter::once(name).chain(others).collect())
}

/// Splits the last field at its blanks: the values of a table without commas. Returns `None` unless there
/// are `count` fields then. Names may have commas, as in [`joined`].
pub(super) fn split_at_blanks<'a>(
    line: &'a [u8],
    fields: &[Field<'a>],
    count: usize,
) -> Option<Vec<Field<'a>>> {
    let (last, before) = fields.split_last()?;
    let Cow::Borrowed(bytes) = last.bytes else {
        return None;
    };
    let mut all = before.to_vec();
    let mut at = last.start;
    for part in bytes.split(|byte| is_padding(*byte)) {
        if !part.is_empty() {
            all.push(Field {
                bytes: Cow::Borrowed(part),
                start: at,
                end: at + part.len(),
            });
        }
        at += part.len() + 1;
    }
    if all.len() == count {
        return Some(all);
    }
    joined(line, &all, count)
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

    fn fields(line: &str) -> Vec<Field<'_>> {
        let mut fields = Vec::new();
        assert!(split(line.as_bytes(), &mut fields).is_ok());
        fields
    }

    #[test]
    fn names_with_commas_are_joined() {
        let line = "f(int, int)[SIMD32 {1; 1; 1} {1; 1; 1}],0,5";
        let all = joined(line.as_bytes(), &fields(line), 3).unwrap();
        assert_eq!(
            all[0].text().unwrap(),
            "f(int, int)[SIMD32 {1; 1; 1} {1; 1; 1}]"
        );
        assert_eq!((all[1].text().unwrap(), all[2].text().unwrap()), ("0", "5"));
        let line = "f, 1a0, 5, 6";
        assert_eq!(joined(line.as_bytes(), &fields(line), 3), None);
        assert_eq!(joined(line.as_bytes(), &fields(line), 4), None);
    }

    #[test]
    fn values_without_commas_are_split() {
        let line = "  f[SIMD16 {1; 1; 1}],     27    8  0";
        let split =
            |line: &'static str, count| split_at_blanks(line.as_bytes(), &fields(line), count);
        let all = split(line, 4).unwrap();
        let found: Vec<_> = all.iter().map(|f| &line[f.start..f.end]).collect();
        assert_eq!(found, ["f[SIMD16 {1; 1; 1}]", "27", "8", "0"]);
        assert_eq!(split(line, 5), None);
        let all = split("f(int, int),  4  0", 3).unwrap();
        assert_eq!(all[0].text().unwrap(), "f(int, int)");
    }

    #[test]
    fn a_comma_at_the_end_has_no_field() {
        let all = fields("a, 1,");
        assert_eq!(without_last_comma(&all).len(), 2);
        assert_eq!(without_last_comma(&fields("")).len(), 1);
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
