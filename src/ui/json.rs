//! JSON, as far as the page reads and writes it itself.

/// Deeper values are refused.
const DEPTH_MAX: u32 = 16;

/// A value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Json {
    /// A text.
    Text(String),
    /// A whole number from 0 on.
    Number(u64),
    /// An array.
    List(Vec<Json>),
    /// An object; a key may be there twice.
    Map(Vec<(String, Json)>),
    /// Anything else: `null`, a boolean, another number.
    Other,
}

impl Json {
    /// The member with this key; the last one if there are several.
    pub fn get(&self, key: &str) -> Option<&Json> {
        let Json::Map(members) = self else {
            return None;
        };
        let mut members = members.iter().rev();
        members
            .find(|(name, _)| name == key)
            .map(|(_, value)| value)
    }

    /// The text, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Json::Text(text) => Some(text),
            _ => None,
        }
    }

    /// The number, if it is one.
    pub fn number(&self) -> Option<u64> {
        match self {
            Json::Number(number) => Some(*number),
            _ => None,
        }
    }

    /// Both numbers of an array of two.
    pub fn pair(&self) -> Option<(u64, u64)> {
        match self {
            Json::List(list) => match list.as_slice() {
                [first, second] => Some((first.number()?, second.number()?)),
                _ => None,
            },
            _ => None,
        }
    }
}

/// Reads JSON.
///
/// # Errors
///
/// The byte at which the text is no JSON, or is nested too deeply.
pub fn parse(text: &str) -> Result<Json, usize> {
    let mut reader = Reader { text, at: 0 };
    let value = reader.value(0).ok_or(reader.at)?;
    reader.blanks();
    match reader.at == text.len() {
        true => Ok(value),
        false => Err(reader.at),
    }
}

/// Writes a text as JSON, quotes included.
pub fn push_text(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            c if c < ' ' => out.push_str(&format!("\\u{:04x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
}

struct Reader<'a> {
    text: &'a str,
    /// Where it is, in bytes; after a failure, where that was.
    at: usize,
}

impl<'a> Reader<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start_matches([' ', '\t', '\r', '\n']).len();
    }

    /// Goes past a sign, if it is there.
    fn takes(&mut self, sign: &str) -> bool {
        self.blanks();
        let is_there = self.rest().starts_with(sign);
        self.at += if is_there { sign.len() } else { 0 };
        is_there
    }

    fn value(&mut self, depth: u32) -> Option<Json> {
        if depth > DEPTH_MAX {
            return None;
        }
        if self.takes("\"") {
            return self.string().map(Json::Text);
        }
        if self.takes("[") {
            let mut list = Vec::new();
            if self.takes("]") {
                return Some(Json::List(list));
            }
            loop {
                list.push(self.value(depth + 1)?);
                if self.takes("]") {
                    return Some(Json::List(list));
                }
                self.takes(",").then_some(())?;
            }
        }
        if self.takes("{") {
            let mut members = Vec::new();
            if self.takes("}") {
                return Some(Json::Map(members));
            }
            loop {
                self.takes("\"").then_some(())?;
                let key = self.string()?;
                self.takes(":").then_some(())?;
                members.push((key, self.value(depth + 1)?));
                if self.takes("}") {
                    return Some(Json::Map(members));
                }
                self.takes(",").then_some(())?;
            }
        }
        if ["null", "true", "false"]
            .iter()
            .any(|word| self.takes(word))
        {
            return Some(Json::Other);
        }
        self.number()
    }

    fn number(&mut self) -> Option<Json> {
        let rest = self.rest();
        let is_part = |c: char| c.is_ascii_digit() || "+-.eE".contains(c);
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let word = rest.get(..end)?;
        let is_whole = word.bytes().all(|b| b.is_ascii_digit());
        let number = match word
            .trim_start_matches('-')
            .starts_with(|c: char| c.is_ascii_digit())
        {
            true if is_whole => Json::Number(word.parse().ok()?),
            // Its value is of no use here; what exactly a number may look like is not checked.
            true => Json::Other,
            false => return None,
        };
        self.at += end;
        Some(number)
    }

    /// What is left of a text, after its first quote.
    fn string(&mut self) -> Option<String> {
        let mut out = String::new();
        loop {
            let rest = self.rest();
            let end = rest.find(|c: char| c == '"' || c == '\\' || c < ' ')?;
            out.push_str(rest.get(..end)?);
            self.at += end;
            let rest = self.rest();
            if rest.starts_with('"') {
                self.at += 1;
                return Some(out);
            }
            let escape = rest.strip_prefix('\\')?.chars().next()?;
            self.at += 2;
            out.push(match escape {
                '"' | '\\' | '/' => escape,
                'b' => '\u{8}',
                'f' => '\u{c}',
                'n' => '\n',
                'r' => '\r',
                't' => '\t',
                'u' => self.unicode()?,
                _ => return None,
            });
        }
    }

    /// The four digits after `\u`, and those of the other half of a pair.
    fn unicode(&mut self) -> Option<char> {
        let high = self.unit()?;
        let code = match high {
            0xd800..=0xdbff if self.rest().starts_with("\\u") => {
                self.at += 2;
                let low = self
                    .unit()?
                    .checked_sub(0xdc00)
                    .filter(|low| *low < 0x400)?;
                0x10000 + ((high - 0xd800) << 10) + low
            }
            high => high,
        };
        char::from_u32(code)
    }

    fn unit(&mut self) -> Option<u32> {
        let digits = self.rest().get(..4)?;
        let is_hex = digits.bytes().all(|b| b.is_ascii_hexdigit());
        let unit = u32::from_str_radix(digits, 16).ok().filter(|_| is_hex)?;
        self.at += 4;
        Some(unit)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_read() {
        let text =
            r#" {"a": [1, 18446744073709551615, -1, 1.5e3], "b": {"c": null}, "b": true, "": ""} "#;
        let json = parse(text).unwrap();
        let list = [
            Json::Number(1),
            Json::Number(u64::MAX),
            Json::Other,
            Json::Other,
        ];
        assert_eq!(json.get("a"), Some(&Json::List(list.into())));
        assert_eq!(json.get("b"), Some(&Json::Other));
        assert_eq!(json.get("").and_then(Json::text), Some(""));
        assert_eq!(json.get("c"), None);
        assert_eq!(parse("[3,4]").unwrap().pair(), Some((3, 4)));
        assert_eq!(parse("[3,4,5]").unwrap().pair(), None);
        assert_eq!(parse("[]"), Ok(Json::List(vec![])));
        assert_eq!(parse("{}"), Ok(Json::Map(vec![])));
    }

    #[test]
    fn texts_come_back() {
        for text in [
            "",
            "a\"b\\c/",
            "\u{0}\u{1f}\n\r\t",
            "é\u{202e}😀",
            "</script>",
        ] {
            let mut written = String::new();
            push_text(&mut written, text);
            assert_eq!(
                parse(&written),
                Ok(Json::Text(text.to_owned())),
                "{written}"
            );
        }
        assert_eq!(
            parse(r#""\u00e9\ud83d\ude00\/\b\f\r""#),
            Ok(Json::Text("é😀/\u{8}\u{c}\r".to_owned()))
        );
    }

    #[test]
    fn what_is_no_json_is_refused_where_it_ends() {
        for (text, at) in [
            ("", 0),
            ("{\"a\":1,}", 7),
            ("[1 2]", 3),
            ("\"a", 1),
            ("\"\\x\"", 3),
            ("\"\\ud800\"", 7),
            ("\"\\u+123\"", 3),
            ("\"a\nb\"", 2),
            ("1 1", 2),
            ("18446744073709551616", 0),
            ("é", 0),
            ("nul", 0),
        ] {
            assert_eq!(parse(text), Err(at), "{text}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(parse(&deep), Err(17));
    }
}
