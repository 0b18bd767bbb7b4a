//! Reads JSON in pieces, also if texts in it are not escaped.
//!
//! The tools of PTI write the lines of an assembler, paths and names into JSON as they are. A quotation
//! mark therefore ends a text only if what follows can follow a text there, and a backslash is a
//! character like any other.

/// Maximum length of a text or a number, in bytes; the rest is dropped.
const TEXT_MAX: usize = 1 << 17;

/// Maximum number of blanks between a text and what follows it.
const BLANKS_MAX: usize = 64;

/// Maximum depth of objects and arrays.
const DEPTH_MAX: usize = 32;

/// A token.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// An object or an array begins.
    Open { is_object: bool },
    /// It ends.
    Close,
    /// The key of the next value.
    Key(&'a str),
    /// A text.
    Text(&'a str),
    /// A number or a word: `5`, `true`.
    Scalar(&'a str),
}

/// What the bytes before a position belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Nothing: a token begins.
    #[default]
    Between,
    /// A text.
    Text,
    /// A text, after a quotation mark that may be its end.
    Quote { after_comma: bool },
    /// A number or a word.
    Scalar,
}

/// Splits JSON into tokens.
#[derive(Debug, Default)]
pub(super) struct Tokens {
    mode: Mode,
    /// The bytes of the text, the number or the word so far.
    text: Vec<u8>,
    /// The bytes after a quotation mark.
    ahead: Vec<u8>,
    /// The objects and arrays around the position; whether each is an object.
    around: Vec<bool>,
    /// Whether the next text is a key.
    is_key: bool,
    /// Whether the outermost value has ended.
    has_ended: bool,
}

/// The error in JSON, in words.
pub(super) type Malformed = &'static str;

impl Tokens {
    /// Returns whether the outermost value has ended.
    pub fn has_ended(&self) -> bool {
        self.has_ended
    }

    /// Reads a byte. Passes each token that ends there to `to`.
    pub fn push(&mut self, byte: u8, to: &mut dyn FnMut(Token<'_>)) -> Result<(), Malformed> {
        match self.mode {
            Mode::Between => self.begin(byte, to),
            Mode::Text if byte == b'"' => {
                self.mode = Mode::Quote { after_comma: false };
                Ok(())
            }
            Mode::Text => {
                self.keep(byte);
                Ok(())
            }
            Mode::Quote { after_comma } => self.after_quote(byte, after_comma, to),
            Mode::Scalar => {
                if byte.is_ascii_alphanumeric() || b"+-.".contains(&byte) {
                    self.keep(byte);
                    return Ok(());
                }
                let text = std::mem::take(&mut self.text);
                to(Token::Scalar(&String::from_utf8_lossy(&text)));
                self.mode = Mode::Between;
                self.begin(byte, to)
            }
        }
    }

    fn keep(&mut self, byte: u8) {
        if self.text.len() < TEXT_MAX {
            self.text.push(byte);
        }
    }

    fn begin(&mut self, byte: u8, to: &mut dyn FnMut(Token<'_>)) -> Result<(), Malformed> {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' => {}
            _ if self.has_ended => return Err("bytes follow the JSON"),
            b'{' | b'[' => {
                if self.around.len() >= DEPTH_MAX {
                    return Err("the JSON is nested too deeply");
                }
                let is_object = byte == b'{';
                self.around.push(is_object);
                self.is_key = is_object;
                to(Token::Open { is_object });
            }
            b'}' | b']' => {
                if self.around.pop() != Some(byte == b'}') {
                    return Err("a bracket closes nothing");
                }
                self.is_key = false;
                self.has_ended = self.around.is_empty();
                to(Token::Close);
            }
            b',' => self.is_key = self.around.last() == Some(&true),
            b':' => self.is_key = false,
            b'"' => self.mode = Mode::Text,
            b'0'..=b'9' | b'-' | b'a'..=b'z' => {
                self.mode = Mode::Scalar;
                self.keep(byte);
            }
            _ => return Err("a byte that cannot begin a value"),
        }
        Ok(())
    }

    fn after_quote(
        &mut self,
        byte: u8,
        after_comma: bool,
        to: &mut dyn FnMut(Token<'_>),
    ) -> Result<(), Malformed> {
        let is_end = match byte {
            b' ' | b'\t' | b'\r' | b'\n' if self.ahead.len() < BLANKS_MAX => {
                self.ahead.push(byte);
                return Ok(());
            }
            b',' if !after_comma && !self.is_key => {
                self.ahead.push(byte);
                self.mode = Mode::Quote { after_comma: true };
                return Ok(());
            }
            b'"' | b'{' | b'[' => after_comma,
            b'}' | b']' => !after_comma && !self.is_key,
            b':' => !after_comma && self.is_key,
            _ => false,
        };
        let ahead = std::mem::take(&mut self.ahead);
        if !is_end {
            self.keep(b'"');
            ahead.iter().for_each(|byte| self.keep(*byte));
            self.mode = Mode::Text;
            return self.push(byte, to);
        }
        let text = std::mem::take(&mut self.text);
        let text = String::from_utf8_lossy(&text);
        to(if self.is_key {
            Token::Key(&text)
        } else {
            Token::Text(&text)
        });
        self.mode = Mode::Between;
        for byte in ahead {
            self.begin(byte, to)?;
        }
        self.begin(byte, to)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(json: &str) -> Result<String, Malformed> {
        let mut tokens = Tokens::default();
        let mut out = String::new();
        for byte in json.bytes() {
            tokens.push(byte, &mut |token| {
                out.push_str(&match token {
                    Token::Open { is_object: true } => "{".to_owned(),
                    Token::Open { is_object: false } => "[".to_owned(),
                    Token::Close => "^".to_owned(),
                    Token::Key(key) => format!("<{key}>"),
                    Token::Text(text) => format!("'{text}'"),
                    Token::Scalar(text) => format!("({text})"),
                });
            })?;
        }
        Ok(out)
    }

    #[test]
    fn texts_need_not_be_escaped() {
        for (json, expected) in [
            (r#"{"a":1,"b":[true,"x"]}"#, "{<a>(1)<b>[(true)'x'^^"),
            (
                r#"{"f":"C:\new\","b":"say "no", or , x"}"#,
                r#"{<f>'C:\new\'<b>'say "no", or , x'^"#,
            ),
            (r#"{"a":"x \"y\" z","b":""}"#, r#"{<a>'x \"y\" z'<b>''^"#),
            ("{\"a\" : \"x\" ,\n\"b\":-5}\n", "{<a>'x'<b>(-5)^"),
            (r#"{"a":"x":y","b":1}"#, r#"{<a>'x":y'<b>(1)^"#),
        ] {
            assert_eq!(tokens(json).unwrap(), expected);
        }
    }

    #[test]
    fn errors_are_found() {
        for json in ["{]", "}", "{}x", "{\"a\":?}", &"[".repeat(100)] {
            assert!(tokens(json).is_err(), "{json}");
        }
    }
}
