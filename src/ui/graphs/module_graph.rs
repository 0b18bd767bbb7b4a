//! Layout of the graph of modules, or of a host file's images.

use std::fmt::Write as _;

use super::drawing::{BOX, BoxKind, Edge, EdgeKind, Graph, Node, cut};
use crate::analysis::modules::{Image, PropertyOwner, TITLE};
use crate::model::text::escaped;
use crate::model::{Area, NodeId};
use crate::ui::text::format;
use crate::worker::protocol::{GraphModule, GraphPage};

/// Left edges and widths of the columns.
const FILE: (u32, u32) = (14, 150);
const MODULES: (u32, u32) = (224, 210);
const IMAGES: (u32, u32) = (544, 310);
/// Gap between two boxes.
const GAP: u32 = 12;
/// Gap between two modules.
const APART: u32 = 26;
const MARGIN: u32 = 14;
/// Maximum vertical position of the file's box.
const FILE_LOW: u32 = 150;
/// Maximum number of characters in the boxes of each column.
const FIT: [usize; 3] = [16, 25, 36];

/// Lays out the graph; `owner` is the selected container, `name` the file's name.
pub fn graph(page: &GraphPage, owner: Option<PropertyOwner>, name: &str) -> Graph {
    let mut graph = Graph::default();
    // A nested SYCLBIN has no name of its own.
    let title = match page.document {
        NodeId::ROOT => name.to_owned(),
        _ if page.is_of_images() => "host file".to_owned(),
        _ => format!("{TITLE} {}", page.version.value),
    };
    let (one, many) = page.nouns();
    graph.nodes.push(Node {
        target: BoxKind::For(page.span),
        at: (FILE.0, 0, FILE.1),
        title,
        text: match &*page.state_name {
            _ if page.is_of_images() => format::counted(page.modules, one, many),
            "" => format!("version {}", page.version.value),
            state => format!("{state} · version {}", page.version.value),
        },
        area: None,
        selected: owner == Some(PropertyOwner::Whole),
        column: 0,
        parent: None,
        ahead: None,
        fit: FIT[0],
        heat: 0,
    });
    let mut y = MARGIN;
    for group in &page.groups {
        let last = group.start + group.count.max(1) - 1;
        let images = group.ir_modules + group.native_images;
        graph.nodes.push(Node {
            target: BoxKind::Group(group.start, group.count),
            at: (MODULES.0, y, MODULES.1),
            title: format!(
                "{} {} … {}",
                many.rsplit(' ').next().unwrap_or(many),
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
            ahead: None,
            fit: FIT[1],
            heat: 0,
        });
        y += BOX + GAP;
    }
    let mut modules = Vec::new();
    for row in &page.rows {
        modules.push((row.module.index, graph.nodes.len()));
        let noun = if page.is_of_images() { "image" } else { one };
        let title = format!("{noun} {}", row.module.index);
        y = graph.module(row, title, y, owner) + APART;
    }
    let height = y.saturating_sub(APART.min(y)) + MARGIN;
    graph.size = (IMAGES.0 + IMAGES.1 + MARGIN, height.max(BOX + 2 * MARGIN));
    if let Some(file) = graph.nodes.first_mut() {
        // Centered, but visible at the top of a tall drawing.
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
    /// Adds a module and its images from `y` on; returns the lower end.
    fn module(
        &mut self,
        row: &GraphModule,
        title: String,
        y: u32,
        owner: Option<PropertyOwner>,
    ) -> u32 {
        let module = &row.module;
        let place = self.nodes.len();
        let mut facts = vec![format::size(row.size)];
        let mut add = |count: u32, what: &str| {
            if count > 0 {
                facts.push(format!("{what} {count}"));
            }
        };
        add(module.exports, "exports");
        add(module.imports, "imports");
        self.nodes.push(Node {
            target: BoxKind::For(module.header),
            at: (MODULES.0, y, MODULES.1),
            title,
            text: facts.join(" · "),
            area: None,
            selected: owner == Some(PropertyOwner::AbstractModule(module.index)),
            column: 1,
            parent: Some(0),
            ahead: None,
            fit: FIT[1],
            heat: 0,
        });
        let mut at = y;
        let kinds = [
            (&row.ir_modules, &module.ir_modules, Area::Ir),
            (&row.native_images, &module.native_images, Area::Code),
        ];
        for (images, range, area) in kinds {
            for (index, image) in (range.start..range.end).zip(images.iter()) {
                let own = match area {
                    Area::Ir => PropertyOwner::IrModule(index),
                    _ => PropertyOwner::NativeImage(index),
                };
                self.image(image, at, area, owner == Some(own), place);
                at += BOX + GAP;
            }
            let more = u64::from(range.end.saturating_sub(range.start)) - images.len() as u64;
            if more > 0 {
                self.nodes.push(Node {
                    target: BoxKind::More,
                    at: (IMAGES.0, at, IMAGES.1),
                    title: format!("{} more", format::grouped(more)),
                    text: "see the structure".to_owned(),
                    area: Some(area),
                    selected: false,
                    column: 2,
                    parent: Some(place),
                    ahead: None,
                    fit: FIT[2],
                    heat: 0,
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
            // The next line shows the architecture.
            _ if !image.title.is_empty() => &*image.title,
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
            target: BoxKind::For(image.place()),
            at: (IMAGES.0, y, IMAGES.1),
            title,
            text,
            area: Some(area),
            selected,
            column: 2,
            parent: Some(parent),
            ahead: None,
            fit: FIT[2],
            heat: 0,
        });
    }

    /// Edges from each node to its container.
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
            kind: EdgeKind::Within,
            label: None,
        }));
    }

    /// An edge from the importing to the exporting module, around the right of the modules.
    fn import(&mut self, from: usize, to: usize, label: String) {
        let (Some(a), Some(b)) = (self.nodes.get(from), self.nodes.get(to)) else {
            return;
        };
        let x = MODULES.0 + MODULES.1;
        let (low, high) = (BOX * 3 / 4, BOX / 4);
        let (y1, y2) = if a.at.1 <= b.at.1 {
            (a.at.1 + low, b.at.1 + high)
        } else {
            (a.at.1 + high, b.at.1 + low)
        };
        // Longer edges run farther outside.
        let out = x + 24 + (y1.abs_diff(y2) / 12).min(44);
        self.edges.push(Edge {
            path: format!("M{x} {y1}C{out} {y1} {out} {y2} {x} {y2}"),
            kind: EdgeKind::Import,
            label: Some((x + (out - x) * 3 / 4 + 5, (y1 + y2) / 2 + 3, label)),
        });
    }
}

#[cfg(test)]
pub(crate) mod tests;
