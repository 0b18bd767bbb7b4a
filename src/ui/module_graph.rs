//! The graph of modules as shapes: laid out here, drawn by the page and saved as SVG.

use std::fmt::Write as _;

use super::format;
use crate::model::modules::{Holder, Image, TITLE};
use crate::model::text::escaped;
use crate::model::{Area, NodeId, Span};
use crate::worker::protocol::{GraphModule, GraphPage};

/// Where the columns begin, and how wide they are.
const FILE: (u32, u32) = (14, 150);
const MODULES: (u32, u32) = (224, 210);
const IMAGES: (u32, u32) = (544, 310);
/// The height of a box, and what is between two.
const BOX: u32 = 44;
const GAP: u32 = 12;
/// What is between two modules.
const APART: u32 = 26;
const MARGIN: u32 = 14;
/// The file's box is at most so far down.
const FILE_LOW: u32 = 150;
/// So many characters fit into the boxes of the columns.
const FIT: [usize; 3] = [16, 25, 36];

/// What a box stands for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stands {
    /// These bytes: a press selects them.
    For(Span),
    /// A group of modules: a press opens it.
    Group(u64, u64),
    /// What did not fit.
    More,
}

/// A box.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// What it stands for.
    pub stands: Stands,
    /// Left edge, upper edge, width.
    pub at: (u32, u32, u32),
    /// The first line; the whole of it, for those who do not see it.
    pub title: String,
    /// The second line.
    pub text: String,
    /// The stripe of an image.
    pub area: Option<Area>,
    /// It is selected.
    pub selected: bool,
    /// The column, and the node that it hangs on.
    pub column: usize,
    /// The place of the node on its left.
    pub parent: Option<usize>,
}

/// A line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Edge {
    /// The path, as SVG has it.
    pub path: String,
    /// One module imports what another one exports; otherwise one is in the other.
    pub imports: bool,
    /// What is written beside it, and where.
    pub label: Option<(u32, u32, String)>,
}

/// The graph, laid out.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Graph {
    /// Its size in pixels at 100 %.
    pub size: (u32, u32),
    /// The boxes: the file, then each module with its images.
    pub nodes: Vec<Node>,
    /// The lines.
    pub edges: Vec<Edge>,
}

/// Lays out what is drawn; `holder` is what is selected of it, `name` the file's.
pub fn graph(page: &GraphPage, holder: Option<Holder>, name: &str) -> Graph {
    let mut graph = Graph::default();
    // A SYCLBIN within a file has no name of its own.
    let title = match page.document {
        NodeId::ROOT => name.to_owned(),
        _ => format!("{TITLE} {}", page.version.value),
    };
    graph.nodes.push(Node {
        stands: Stands::For(page.span),
        at: (FILE.0, 0, FILE.1),
        title,
        text: match &*page.state_name {
            "" => format!("version {}", page.version.value),
            state => format!("{state} · version {}", page.version.value),
        },
        area: None,
        selected: holder == Some(Holder::Whole),
        column: 0,
        parent: None,
    });
    let mut y = MARGIN;
    for group in &page.groups {
        let last = group.start + group.count.max(1) - 1;
        let images = group.ir_modules + group.native_images;
        graph.nodes.push(Node {
            stands: Stands::Group(group.start, group.count),
            at: (MODULES.0, y, MODULES.1),
            title: format!(
                "modules {} … {}",
                format::grouped(group.start),
                format::grouped(last)
            ),
            text: format!(
                "{} · {}",
                format::counted(images, "image", "images"),
                format::size(group.size)
            ),
            area: None,
            selected: false,
            column: 1,
            parent: Some(0),
        });
        y += BOX + GAP;
    }
    let mut modules = Vec::new();
    for row in &page.rows {
        modules.push((row.module.index, graph.nodes.len()));
        y = graph.module(row, y, holder) + APART;
    }
    let height = y.saturating_sub(APART.min(y)) + MARGIN;
    graph.size = (IMAGES.0 + IMAGES.1 + MARGIN, height.max(BOX + 2 * MARGIN));
    if let Some(file) = graph.nodes.first_mut() {
        // In the middle, but where a tall drawing begins it is in view.
        file.at.1 = ((graph.size.1 - BOX) / 2).min(FILE_LOW);
    }
    graph.connect();
    for edge in &page.edges {
        let at = |index| modules.iter().find(|(module, _)| *module == index);
        if let (Some((_, from)), Some((_, to))) = (at(edge.from), at(edge.to)) {
            let more = match edge.count {
                0 | 1 => String::new(),
                count => format!(" + {}", count - 1),
            };
            graph.import(
                *from,
                *to,
                format!("{}{more}", cut(&escaped(&edge.symbol), 22)),
            );
        }
    }
    graph
}

impl Graph {
    /// A module and its images, from `y` on; gives where it ends.
    fn module(&mut self, row: &GraphModule, y: u32, holder: Option<Holder>) -> u32 {
        let module = &row.module;
        let place = self.nodes.len();
        let mut said = vec![format::size(row.size)];
        let mut say = |count: u32, what: &str| {
            if count > 0 {
                said.push(format!("{what} {count}"));
            }
        };
        say(module.exports, "exports");
        say(module.imports, "imports");
        self.nodes.push(Node {
            stands: Stands::For(module.header),
            at: (MODULES.0, y, MODULES.1),
            title: format!("abstract module {}", module.index),
            text: said.join(" · "),
            area: None,
            selected: holder == Some(Holder::AbstractModule(module.index)),
            column: 1,
            parent: Some(0),
        });
        let mut at = y;
        let kinds = [
            (&row.ir_modules, &module.ir_modules, Area::Ir),
            (&row.native_images, &module.native_images, Area::Code),
        ];
        for (images, range, area) in kinds {
            for (index, image) in (range.start..range.end).zip(images.iter()) {
                let own = match area {
                    Area::Ir => Holder::IrModule(index),
                    _ => Holder::NativeImage(index),
                };
                self.image(image, at, area, holder == Some(own), place);
                at += BOX + GAP;
            }
            let more = u64::from(range.end.saturating_sub(range.start)) - images.len() as u64;
            if more > 0 {
                self.nodes.push(Node {
                    stands: Stands::More,
                    at: (IMAGES.0, at, IMAGES.1),
                    title: format!("{} more", format::grouped(more)),
                    text: "see the structure".to_owned(),
                    area: Some(area),
                    selected: false,
                    column: 2,
                    parent: Some(place),
                });
                at += BOX + GAP;
            }
        }
        let end = at.saturating_sub(GAP).max(y + BOX);
        if let Some(node) = self.nodes.get_mut(place) {
            node.at.1 = y + (end - y - BOX) / 2;
        }
        end
    }

    fn image(&mut self, image: &Image, y: u32, area: Area, selected: bool, parent: usize) {
        let arch = image.arch.as_ref().map_or("", |arch| &arch.value);
        let target = image.target.as_ref().map_or("", |target| &target.value);
        let kind = match image.ir_type_name() {
            // What follows says what the architecture does.
            _ if !image.title.is_empty() => image.title.split(" · ").next().unwrap_or(""),
            Some(name) => name,
            None => "image",
        };
        let names: Vec<&str> = [arch, target]
            .into_iter()
            .filter(|n| !n.is_empty())
            .collect();
        let first = names.first().copied().unwrap_or("");
        let title = match first {
            "" => kind.to_owned(),
            name => format!("{kind} · {name}"),
        };
        let mut text = format::bytes(image.bytes.len());
        for name in names.iter().skip(1) {
            let _ = write!(text, " · {name}");
        }
        self.nodes.push(Node {
            stands: Stands::For(image.place()),
            at: (IMAGES.0, y, IMAGES.1),
            title,
            text,
            area: Some(area),
            selected,
            column: 2,
            parent: Some(parent),
        });
    }

    /// Lines from each node to what it is in.
    fn connect(&mut self) {
        let paths: Vec<String> = self
            .nodes
            .iter()
            .filter_map(|node| {
                let parent = self.nodes.get(node.parent?)?;
                let (x1, y1) = (parent.at.0 + parent.at.2, parent.at.1 + BOX / 2);
                let (x2, y2) = (node.at.0, node.at.1 + BOX / 2);
                let half = (x2 - x1) / 2;
                Some(format!(
                    "M{x1} {y1}C{} {y1} {} {y2} {x2} {y2}",
                    x1 + half,
                    x2 - half
                ))
            })
            .collect();
        self.edges.extend(paths.into_iter().map(|path| Edge {
            path,
            imports: false,
            label: None,
        }));
    }

    /// A line from the module that imports to the one that exports, around the right of the
    /// modules.
    fn import(&mut self, from: usize, to: usize, label: String) {
        let (Some(a), Some(b)) = (self.nodes.get(from), self.nodes.get(to)) else {
            return;
        };
        let x = MODULES.0 + MODULES.1;
        let (low, high) = (BOX * 3 / 4, BOX / 4);
        let (y1, y2) = match a.at.1 <= b.at.1 {
            true => (a.at.1 + low, b.at.1 + high),
            false => (a.at.1 + high, b.at.1 + low),
        };
        // The farther apart, the farther out.
        let out = x + 24 + (y1.abs_diff(y2) / 12).min(44);
        self.edges.push(Edge {
            path: format!("M{x} {y1}C{out} {y1} {out} {y2} {x} {y2}"),
            imports: true,
            label: Some((x + (out - x) * 3 / 4 + 5, (y1 + y2) / 2 + 3, label)),
        });
    }

    /// The node that a key leads to.
    pub fn near(&self, from: usize, key: &str) -> Option<usize> {
        let node = self.nodes.get(from)?;
        let same = |(_, other): &(usize, &Node)| other.column == node.column;
        let nodes = || self.nodes.iter().enumerate();
        let found = match key {
            "ArrowDown" => nodes().skip(from + 1).find(same),
            "ArrowUp" => nodes().take(from).rev().find(same),
            "ArrowLeft" => return node.parent,
            "ArrowRight" => nodes().find(|(_, other)| other.parent == Some(from)),
            "Home" => nodes().find(same),
            "End" => nodes().rev().find(same),
            _ => None,
        };
        found.map(|(place, _)| place)
    }

    /// The graph as a file, which looks the same without the page.
    pub fn svg(&self) -> String {
        let (width, height) = self.size;
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" width=\"{width}\" height=\"{height}\">\n<style>{STYLE}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<defs>{ARROW}</defs>\n"
        );
        for edge in &self.edges {
            let class = if edge.imports { "import" } else { "edge" };
            let _ = writeln!(out, "<path class=\"{class}\" d=\"{}\"/>", edge.path);
        }
        for node in &self.nodes {
            let (x, y, width) = node.at;
            let _ = writeln!(
                out,
                "<g><title>{0}</title><rect class=\"box\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{BOX}\" rx=\"6\"/>",
                xml(&escaped(&node.title))
            );
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
    /// Its two lines: class, text, and how far down.
    pub fn lines(&self) -> [(&'static str, String, u32); 2] {
        let fit = FIT.get(self.column).copied().unwrap_or(20);
        let title = escaped(&self.title);
        [
            ("t", cut(&title, fit), 19),
            ("m", cut(&escaped(&self.text), fit), 35),
        ]
    }

    /// Its height.
    pub fn height(&self) -> u32 {
        BOX
    }
}

/// A line that fits: the middle of a long one gives way.
fn cut(text: &str, fit: usize) -> String {
    let count = text.chars().count();
    if count <= fit {
        return text.to_owned();
    }
    let tail = fit / 3;
    let head: String = text.chars().take(fit - tail - 1).collect();
    let end: String = text.chars().skip(count - tail).collect();
    format!("{head}…{end}")
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

const ARROW: &str = "<marker id=\"a\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#5b6472\"/></marker>";
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#1b1f24}.m{font:11.5px ui-monospace,monospace;fill:#5b6472}.t{font-weight:600}.box{fill:#f6f7f9;stroke:#c9d1d9}.edge{fill:none;stroke:#c9d1d9;stroke-width:1.5}.import{fill:none;stroke:#c0447a;stroke-width:1.5;stroke-dasharray:4 3;marker-end:url(#a)}.ir{fill:#5f7d1c}.code{fill:#3b6fd4}";

#[cfg(test)]
#[path = "module_graph_tests.rs"]
pub(super) mod tests;
