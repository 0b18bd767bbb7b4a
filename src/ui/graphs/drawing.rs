//! Graphs as shapes: boxes and lines, drawn in the page and saved as SVG.

use std::fmt::Write as _;

use crate::model::text::{cut_before, escaped};
use crate::model::{Area, Span};

/// Height of a box.
pub const BOX: u32 = 44;

/// Target of a box.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BoxKind {
    /// A click selects these bytes.
    For(Span),
    /// A group of modules: a click expands it.
    Group(u64, u64),
    /// Placeholder for nodes that did not fit.
    More,
}

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Target.
    pub target: BoxKind,
    /// Left, top, width.
    pub at: (u32, u32, u32),
    /// First line of the label; the full text is its accessible name.
    pub title: String,
    /// Second line.
    pub text: String,
    /// Stripe that marks an image.
    pub area: Option<Area>,
    /// Selected.
    pub selected: bool,
    /// Column.
    pub column: usize,
    /// Index of the left neighbor.
    pub parent: Option<usize>,
    /// Index of the right neighbor; for a module, of its first child.
    pub ahead: Option<usize>,
    /// Maximum number of characters per line.
    pub fit: usize,
    /// Shade, in percent of the darkest.
    pub heat: u8,
}

/// Meaning of a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EdgeKind {
    /// Containment.
    Within,
    /// Import of a symbol that the other module exports.
    Import,
    /// Fall-through to the next instruction.
    FallThrough,
    /// Forward branch.
    Taken,
    /// Back edge: a loop.
    Back,
    /// Call of a subroutine.
    Call,
}

impl EdgeKind {
    /// CSS class.
    pub fn class(self) -> &'static str {
        match self {
            EdgeKind::Within => "edge",
            EdgeKind::Import => "edge import",
            EdgeKind::FallThrough => "edge fall",
            EdgeKind::Taken => "edge taken",
            EdgeKind::Back => "edge back",
            EdgeKind::Call => "edge call",
        }
    }

    /// Whether it ends with an arrow.
    pub fn is_arrow(self) -> bool {
        self != EdgeKind::Within
    }
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// SVG path data.
    pub path: String,
    /// Meaning.
    pub kind: EdgeKind,
    /// Label and its position.
    pub label: Option<(u32, u32, String)>,
}

/// A graph's layout.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    /// Size in pixels at 100 %.
    pub size: (u32, u32),
    /// Boxes: the file, then each module with its images.
    pub nodes: Vec<Node>,
    /// Lines.
    pub edges: Vec<Edge>,
}

impl Graph {
    /// The node that an arrow key moves to.
    pub fn near(&self, from: usize, key: &str) -> Option<usize> {
        let node = self.nodes.get(from)?;
        let same = |(_, other): &(usize, &Node)| other.column == node.column;
        let nodes = || self.nodes.iter().enumerate();
        let found = match key {
            "ArrowDown" => nodes().skip(from + 1).find(same),
            "ArrowUp" => nodes().take(from).rev().find(same),
            "ArrowLeft" => return node.parent,
            "ArrowRight" if node.ahead.is_some() => return node.ahead,
            "ArrowRight" => nodes().find(|(_, other)| other.parent == Some(from)),
            "Home" => nodes().find(same),
            "End" => nodes().rev().find(same),
            _ => None,
        };
        found.map(|(place, _)| place)
    }

    /// The graph as a standalone SVG file.
    pub fn svg(&self) -> String {
        let (width, height) = self.size;
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<defs>{ARROW}</defs>\n"
        );
        for edge in &self.edges {
            let (class, path) = (edge.kind.class(), &edge.path);
            let arrow = if edge.kind.is_arrow() { MARKED } else { "" };
            let _ = writeln!(out, "<path class=\"{class}\"{arrow} d=\"{path}\"/>");
        }
        for node in &self.nodes {
            let (x, y, width) = node.at;
            let _ = writeln!(
                out,
                "<g><title>{0}</title><rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"6\"/>",
                xml(&escaped(&node.title))
            );
            if let Some(shade) = node.shade() {
                let _ = writeln!(
                    out,
                    "<rect class=\"heat\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"6\" fill-opacity=\"{shade}\"/>"
                );
            }
            if let Some(area) = node.area {
                let class = if area == Area::Ir { "ir" } else { "code" };
                let _ = writeln!(
                    out,
                    "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"5\" height=\"{BOX}\"/>"
                );
            }
            for (class, text, down) in node.lines() {
                let _ = writeln!(
                    out,
                    "<text class=\"{class}\" x=\"{}\" y=\"{}\">{}</text>",
                    x + 12,
                    y + down,
                    xml(&text)
                );
            }
            out.push_str("</g>\n");
        }
        for (x, y, label) in self.edges.iter().filter_map(|edge| edge.label.as_ref()) {
            let _ = writeln!(
                out,
                "<text class=\"m\" x=\"{x}\" y=\"{y}\">{}</text>",
                xml(label)
            );
        }
        out.push_str("</svg>\n");
        out
    }
}

impl Node {
    /// The label's lines: class, text, and vertical position.
    pub fn lines(&self) -> [(&'static str, String, u32); 2] {
        let fit = self.fit;
        let title = escaped(&self.title);
        [
            ("t", cut(&title, fit), 19),
            ("m", cut(&escaped(&self.text), fit), 35),
        ]
    }

    /// Opacity of the shade; `None` without one.
    pub fn shade(&self) -> Option<String> {
        // Text stays legible.
        let percent = u32::from(self.heat) * 4 / 10;
        (self.heat > 0).then(|| format!("0.{percent:02}"))
    }

    /// Height.
    pub fn height(&self) -> u32 {
        BOX
    }
}

/// Truncates a line to fit, before its last third.
pub(crate) fn cut(text: &str, fit: usize) -> String {
    cut_before(text, fit, fit / 3).into_owned()
}

fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '&' => out.push_str("&amp;"),
            '"' => out.push_str("&quot;"),
            c => out.push(c),
        }
    }
    out
}

/// Arrowheads.
const MARKED: &str = " marker-end=\"url(#a)\"";
const ARROW: &str = "<marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"context-stroke\"/></marker>";
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1b1f24}.m{font:11.5px ui-monospace,monospace;fill:#5b6472}.t{font-weight:600}.box{fill:#f6f7f9;stroke:#c9d1d9}.edge{fill:none;stroke:#c9d1d9;stroke-width:1.5}.import{stroke:#c0447a;stroke-dasharray:4 3}.fall{stroke:#5b6472}.taken{stroke:#3b6fd4}.back{stroke:#c0447a}.call{stroke:#5f7d1c;stroke-dasharray:4 3}.ir{fill:#5f7d1c}.code{fill:#3b6fd4}.heat{fill:#d97706}";
