//! A model of the driver's own YAML parser: compute-runtime, yaml_parser.cpp. It accepts a language
//! that is neither a subset nor a superset of YAML, and some texts make it abort with an assertion.
//! The model therefore repeats its steps exactly.
//!
//! ```text
//! text ──tokens── lines of tokens ──tree── nodes with key, value, children
//! ```
//!
//! Not to be confused with [`ze_info::yaml`](crate::zebin::ze_info), which presents any
//! text as well as possible.

mod tokens;
mod tree;

pub use self::tokens::{Token, TokenKind, Tokens, tokenize};
pub use self::tree::{Node, build};

use crate::rule::Rule;

/// The location and the rule of an error that stops the driver.
#[derive(Debug, Clone, Copy)]
pub struct Fault {
    /// The rule; its effect determines how the driver stops.
    pub rule: &'static Rule,
    /// The location in the text.
    pub at: u32,
}

/// A parsed text: its nodes, and access to their values.
#[derive(Clone, Copy)]
pub struct Yaml<'a> {
    /// The text.
    pub text: &'a [u8],
    /// Its tokens.
    pub tokens: &'a [Token],
    /// Its nodes.
    pub nodes: &'a [Node],
}

/// The bytes of a token in the text.
pub type TokenRange = (u32, u32);

impl<'a> Yaml<'a> {
    /// The node of the whole document.
    pub fn root(&self) -> Option<&'a Node> {
        self.nodes.first()
    }

    fn token(&self, index: u32) -> Option<&'a Token> {
        self.tokens.get(usize::try_from(index).ok()?)
    }

    fn bytes(&self, token: &Token) -> &'a [u8] {
        let start = usize::try_from(token.start).unwrap_or(usize::MAX);
        let len = usize::try_from(token.len).unwrap_or(0);
        let text = self.text.get(start..).unwrap_or(&[]);
        text.get(..len).unwrap_or(text)
    }

    /// The node's key; empty if it has none.
    pub fn key(&self, node: &Node) -> &'a [u8] {
        self.token(node.key).map_or(&[], |token| self.bytes(token))
    }

    /// The token of the node's value.
    pub fn value(&self, node: &Node) -> Option<&'a Token> {
        self.token(node.value)
    }

    /// The value as written; empty if there is none.
    pub fn raw(&self, node: &Node) -> &'a [u8] {
        self.value(node).map_or(&[], |token| self.bytes(token))
    }

    /// The value without surrounding quotes.
    pub fn unquoted(&self, node: &Node) -> &'a [u8] {
        let Some(token) = self.value(node) else {
            return &[];
        };
        let bytes = self.bytes(token);
        match (token.kind, token.first) {
            (TokenKind::Text, b'\'' | b'"') => {
                bytes.get(1..bytes.len().saturating_sub(1)).unwrap_or(&[])
            }
            _ => bytes,
        }
    }

    /// A 32-bit integer: decimal, or hexadecimal without a sign.
    pub fn int32(&self, node: &Node) -> Option<i32> {
        let token = self
            .value(node)
            .filter(|token| token.kind == TokenKind::Number)?;
        let bytes = self.bytes(token);
        let number = match bytes {
            [b'0', b'x' | b'X', digits @ ..] if !digits.is_empty() => {
                let digits = std::str::from_utf8(digits).ok()?;
                i64::from_str_radix(digits, 16).ok()?
            }
            _ => std::str::from_utf8(bytes).ok()?.parse().ok()?,
        };
        i32::try_from(number).ok()
    }

    /// A boolean, written as one of the usual words in any case.
    pub fn boolean(&self, node: &Node) -> Option<bool> {
        let token = self
            .value(node)
            .filter(|token| token.kind == TokenKind::Text)?;
        let word = self.bytes(token);
        let among = |words: &[&str]| {
            words
                .iter()
                .any(|w| word.eq_ignore_ascii_case(w.as_bytes()))
        };
        match (
            among(&["y", "yes", "true", "on"]),
            among(&["n", "no", "false", "off"]),
        ) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        }
    }

    /// The node's children, in order.
    pub fn children(&self, node: &Node) -> Children<'a> {
        Children {
            nodes: self.nodes,
            next: if node.count == 0 {
                tree::NONE
            } else {
                node.first
            },
        }
    }

    /// The location of the node's value, or else its key.
    pub fn place(&self, node: &Node) -> TokenRange {
        let token = self.value(node).or_else(|| self.token(node.key));
        token.map_or((0, 0), |token| {
            (token.start, token.start.saturating_add(token.len))
        })
    }

    /// The location of the node's key, or else its value, or else its first child.
    pub fn key_place(&self, node: &Node) -> TokenRange {
        let mut node = *node;
        // Bounded, because nodes of damaged texts can be deep; this only locates a message.
        for _ in 0..64 {
            let token = self.token(node.key).or_else(|| self.token(node.value));
            if let Some(token) = token {
                return (token.start, token.start.saturating_add(token.len));
            }
            // The content of a dash line is the last child.
            let ends = [node.first, node.last].map(|at| self.nodes.get(usize::try_from(at).ok()?));
            let start = |child: &&Node| self.token(child.key).map_or(u32::MAX, |key| key.start);
            let Some(child) = ends.into_iter().flatten().min_by_key(start) else {
                break;
            };
            node = *child;
        }
        (0, 0)
    }
}

/// Iterator over the children of a node.
#[derive(Clone)]
pub struct Children<'a> {
    nodes: &'a [Node],
    next: u32,
}

impl<'a> Iterator for Children<'a> {
    type Item = &'a Node;

    fn next(&mut self) -> Option<&'a Node> {
        // A node's next sibling is always created after it, so the iteration terminates.
        let node = self.nodes.get(usize::try_from(self.next).ok()?)?;
        self.next = node.next;
        Some(node)
    }
}
