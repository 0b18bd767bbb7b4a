//! Builds nodes from lines, as the driver does: with its list of nodes, which must not grow while a
//! node is added, and its list of open mappings, which determines how unusual indentation is
//! handled.

use super::Fault;
use super::tokens::{Line, LineKind, Token, TokenKind};
use crate::rule::Rule;
use crate::zebin::verdict::rules;

/// Index of no token or node.
pub const NONE: u32 = u32::MAX;

/// A key with a value, or an item of a sequence.
#[derive(Debug, Clone, Copy)]
pub struct Node {
    /// The token of the key.
    pub key: u32,
    /// The token of the value.
    pub value: u32,
    /// The parent node.
    parent: u32,
    /// The first child.
    pub first: u32,
    /// The last child.
    pub last: u32,
    /// The next sibling.
    pub next: u32,
    indent: u16,
    /// Number of children in 16 bits: 65 536 count as none.
    pub count: u16,
}

const NEW: Node = Node {
    key: NONE,
    value: NONE,
    parent: NONE,
    first: NONE,
    last: NONE,
    next: NONE,
    indent: 0,
    count: 0,
};

/// Tables that must not be empty if a sibling follows. `kernels` may be empty.
const NEVER_EMPTY: &[&[u8]] = &[
    b"functions",
    b"global_host_access_table",
    b"payload_arguments",
    b"per_thread_payload_arguments",
    b"binding_table_indices",
    b"per_thread_memory_buffers",
];

/// The capacity of the driver's list of nodes.
struct NodeCapacity {
    capacity: usize,
    on_heap: bool,
}

/// Number of nodes that fit before memory is allocated.
const ON_STACK: usize = 512;

impl NodeCapacity {
    fn reserve(&mut self, size: usize, wanted: usize) {
        if wanted > ON_STACK {
            if !self.on_heap {
                self.on_heap = true;
                self.capacity = size;
            }
            self.capacity = self.capacity.max(wanted);
        }
    }

    /// Estimates the number of nodes from the finished lines. The estimate is too low if the text
    /// ends with many short lines.
    fn estimate(&mut self, size: usize, line: usize, lines: usize) {
        if size < self.capacity || line == 0 {
            return;
        }
        #[allow(
            clippy::cast_precision_loss,
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss
        )]
        // The driver's own arithmetic, with its rounding: whether it aborts depends on it.
        let guess = (size as f32 * (lines as f32 / line as f32)) as usize;
        self.reserve(size, guess);
    }

    /// Adds a node in a way that lets the list grow.
    fn grow(&mut self, size: usize) {
        if size >= self.capacity {
            self.on_heap = true;
            self.capacity = size.saturating_mul(2).max(1);
        }
    }
}

struct Builder<'a> {
    text: &'a [u8],
    text_tokens: &'a [Token],
    nodes: &'a mut Vec<Node>,
    nesting: Vec<u32>,
    room: NodeCapacity,
    lines: usize,
    line: usize,
    /// The item of the last line, as long as it has a key on its line and nothing below.
    single: Option<u32>,
}

/// Builds nodes from lines, the document first; none if the text has no data. The tokens end with
/// those of the last line. `nodes` is memory to reuse.
pub fn build(
    text: &[u8],
    lines: &[Line],
    tokens: &[Token],
    nodes: &mut Vec<Node>,
) -> Result<(), Fault> {
    nodes.clear();
    nodes.reserve(lines.len() + lines.len() / 4 + 2);
    nodes.push(Node {
        first: 1,
        last: 1,
        ..NEW
    });
    let mut run = Builder {
        text,
        text_tokens: tokens,
        nodes,
        nesting: vec![0],
        room: NodeCapacity {
            capacity: ON_STACK,
            on_heap: false,
        },
        lines: lines.len(),
        line: 0,
        single: None,
    };
    let mut last_used = lines.first();
    for (number, line) in lines.iter().enumerate() {
        run.line = number;
        if line.kind == LineKind::Unused {
            continue;
        }
        run.add(line, last_used)?;
        match line.kind {
            LineKind::Entry => run.entry(line)?,
            _ => run.item(line),
        }
        run.single = (line.kind == LineKind::Item && line.colon).then(|| run.newest());
        last_used = Some(line);
    }
    run.finish_single()?;
    let (size, open) = (run.nodes.len(), run.nesting.len());
    run.room.reserve(size, size.saturating_add(open));
    while let Some(node) = run.nesting.pop() {
        run.finish(node)?;
    }
    if run.nodes.len() == 1 {
        run.nodes.clear();
    }
    Ok(())
}

impl Builder<'_> {
    fn token(&self, index: u32) -> Option<Token> {
        self.text_tokens.get(usize::try_from(index).ok()?).copied()
    }

    fn node(&mut self, index: u32) -> Option<&mut Node> {
        self.nodes.get_mut(usize::try_from(index).ok()?)
    }

    fn indent_of(&self, index: u32) -> u16 {
        let node = usize::try_from(index)
            .ok()
            .and_then(|at| self.nodes.get(at));
        node.map_or(0, |node| node.indent)
    }

    fn newest(&self) -> u32 {
        u32::try_from(self.nodes.len().saturating_sub(1)).unwrap_or(NONE)
    }

    fn fault(&self, rule: &'static Rule, token: u32) -> Fault {
        Fault {
            rule,
            at: self.token(token).map_or(0, |token| token.start),
        }
    }

    /// Adds the node of a line.
    fn add(&mut self, line: &Line, last_used: Option<&Line>) -> Result<(), Fault> {
        let newest = self.newest();
        let indent = self.indent_of(newest);
        let innermost = |nesting: &[u32]| nesting.last().copied().unwrap_or(0);
        if line.indent == indent {
            self.check_empty(last_used)?;
            self.estimate();
            self.finish_single()?;
            let parent = innermost(&self.nesting);
            self.add_sibling(newest, parent, line.first)?;
        } else if line.indent > indent {
            self.estimate();
            self.add_child(newest, line.first)?;
            self.nesting.push(newest);
        } else {
            self.estimate();
            self.finish_single()?;
            while line.indent < self.indent_of(innermost(&self.nesting)) {
                self.estimate();
                let node = innermost(&self.nesting);
                self.finish(node)?;
                self.nesting.pop();
            }
            let before = innermost(&self.nesting);
            if line.indent != self.indent_of(before) {
                return Err(self.fault(&rules::YAML_INDENTATION, line.first));
            }
            self.estimate();
            let parent = self.node(before).map_or(NONE, |node| node.parent);
            if parent == NONE {
                return Err(self.fault(&rules::YAML_OUTDENT, line.first));
            }
            self.add_sibling(before, parent, line.first)?;
        }
        let indent = line.indent;
        if let Some(node) = self.nodes.last_mut() {
            node.indent = indent;
        }
        Ok(())
    }

    fn check_empty(&self, last_used: Option<&Line>) -> Result<(), Fault> {
        let Some(last) = last_used.filter(|_| self.line > 0) else {
            return Ok(());
        };
        let Some(token) = self.token(last.first) else {
            return Ok(());
        };
        let from = usize::try_from(token.start).unwrap_or(usize::MAX);
        let len = usize::try_from(token.len).unwrap_or(0);
        let word = self
            .text
            .get(from..)
            .and_then(|rest| rest.get(..len))
            .unwrap_or(&[]);
        if NEVER_EMPTY.contains(&word) {
            Err(self.fault(&rules::YAML_EMPTY_TABLE, last.first))
        } else {
            Ok(())
        }
    }

    fn estimate(&mut self) {
        let size = self.nodes.len();
        self.room.estimate(size, self.line, self.lines);
    }

    fn push(&mut self, parent: u32, token: u32) -> Result<u32, Fault> {
        if self.nodes.len() >= self.room.capacity {
            return Err(self.fault(&rules::YAML_TOO_MANY_NODES, token));
        }
        self.nodes.push(Node { parent, ..NEW });
        let new = self.newest();
        if let Some(parent) = self.node(parent) {
            parent.last = new;
            parent.count = parent.count.wrapping_add(1);
        }
        Ok(new)
    }

    fn add_child(&mut self, parent: u32, token: u32) -> Result<(), Fault> {
        let new = self.push(parent, token)?;
        if let Some(parent) = self.node(parent) {
            parent.first = new;
        }
        Ok(())
    }

    fn add_sibling(&mut self, before: u32, parent: u32, token: u32) -> Result<(), Fault> {
        let new = self.push(parent, token)?;
        if let Some(before) = self.node(before) {
            before.next = new;
        }
        Ok(())
    }

    /// `key: value`, `key:`, `key: [ … ]`.
    fn entry(&mut self, line: &Line) -> Result<(), Fault> {
        let key = self.newest();
        if let Some(node) = self.node(key) {
            node.key = line.first;
        }
        if line.last - line.first < 2 {
            return Err(self.fault(&rules::YAML_KEY_WITHOUT_COLON, line.first));
        }
        if line.list {
            return self.inline_list(line, key);
        }
        let value = line.first + 2;
        if self
            .token(value)
            .is_some_and(|token| !matches!(token.first, b'#' | b'\n'))
            && let Some(node) = self.node(key)
        {
            node.value = value;
        }
        Ok(())
    }

    fn inline_list(&mut self, line: &Line, key: u32) -> Result<(), Fault> {
        let (start, end) = (line.first + 2, line.last - 1);
        let is = |token: Option<Token>, kind| token.is_some_and(|token| token.kind == kind);
        if !is(self.token(start), TokenKind::ListStart) || !is(self.token(end), TokenKind::ListEnd)
        {
            return Err(self.fault(&rules::YAML_LIST_LINE, line.first));
        }
        if end - start <= 1 {
            return Ok(());
        }
        let mut before = None;
        let mut item = start + 1;
        while item < end {
            if !self
                .token(item)
                .is_some_and(|t| matches!(t.kind, TokenKind::Number | TokenKind::Text))
            {
                return Err(self.fault(&rules::YAML_LIST_LINE, item));
            }
            self.estimate();
            match before {
                None => self.add_child(key, item)?,
                Some(before) => self.add_sibling(before, key, item)?,
            }
            let indent = line.indent.wrapping_add(1);
            if let Some(node) = self.nodes.last_mut() {
                node.indent = indent;
                node.value = item;
            }
            before = Some(self.newest());
            item += 2;
        }
        // The driver leaves the list open, like a mapping with lines below its key.
        self.nesting.push(key);
        Ok(())
    }

    /// `- …`: the rest of the line is parsed when the item is complete.
    fn item(&mut self, line: &Line) {
        let value = line.first + 1;
        if self
            .token(value)
            .is_some_and(|token| !matches!(token.first, b'#' | b'\n'))
            && let Some(node) = self.nodes.last_mut()
        {
            node.value = value;
        }
    }

    /// An item with a key on its line, and nothing below, gets that key as its only child.
    fn finish_single(&mut self) -> Result<(), Fault> {
        match self.single.take() {
            Some(item) => self.finish(item),
            None => Ok(()),
        }
    }

    /// An item with lines below it gets its dash line as its last child: the first word is the key,
    /// the text after the last colon the value.
    fn finish(&mut self, index: u32) -> Result<(), Fault> {
        let Some(node) = self.node(index).copied() else {
            return Ok(());
        };
        if node.key != NONE || node.value == NONE {
            return Ok(());
        }
        let mut colon = None;
        let mut at = node.value + 1;
        loop {
            match self.token(at).map(|token| token.first) {
                None => return Err(self.fault(&rules::YAML_OPEN_DASH_LINE, node.value)),
                Some(b'\n') => break,
                Some(b':') => colon = Some(at),
                Some(_) => {}
            }
            at += 1;
        }
        let Some(colon) = colon.filter(|colon| colon + 1 != at) else {
            return Err(self.fault(&rules::YAML_DASH_LINE, node.value));
        };
        let size = self.nodes.len();
        self.room.grow(size);
        self.nodes.push(Node {
            key: node.value,
            value: colon + 1,
            parent: index,
            ..NEW
        });
        let new = self.newest();
        if let Some(last) = self.node(node.last) {
            last.next = new;
        }
        if let Some(node) = self.node(index) {
            if node.last == NONE {
                node.first = new;
            }
            node.last = new;
            node.value = NONE;
            node.count = node.count.wrapping_add(1);
        }
        Ok(())
    }
}
