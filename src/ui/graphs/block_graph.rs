//! Layout of the graph of basic blocks: one below the other in code order. Fall-through edges go
//! straight down, forward branches along the right, back edges along the left.

use super::drawing::{BOX, BoxKind, Edge, EdgeKind, Graph, Node};
use crate::analysis::blocks::{FAN, Transfer};
use crate::model::Span;
use crate::model::sort;
use crate::ui::text::format;
use crate::worker::protocol::{BlockRow, BlocksPage, GroupRow};

/// Gap between two boxes, and margin.
const GAP: u32 = 18;
const MARGIN: u32 = 14;
/// Width of a box outside of loops, and how much narrower it is per loop level.
const WIDTH: u32 = 580;
const INDENT: u32 = 18;
/// Maximum loop depth that is distinguishable.
const DEPTH: u32 = 8;
/// Width of a lane beside the boxes.
const LANE: u32 = 9;
/// Height of the legend, and width of each entry.
const LEGEND: u32 = 26;
const MEANING: u32 = 112;

/// Lanes on one side of the boxes: the end of the occupied part of each.
#[derive(Default)]
struct Lanes(Vec<Vec<(u32, u32)>>);

impl Lanes {
    /// Places a line from `top` to `bottom` in the first lane where it crosses no other.
    fn place(&mut self, top: u32, bottom: u32) -> u32 {
        let is_free = |lane: &Vec<(u32, u32)>| {
            let mut lines = lane.iter();
            lines.all(|(start, end)| bottom < *start || *end < top)
        };
        let lane = self.0.iter().position(is_free).unwrap_or_else(|| {
            self.0.push(Vec::new());
            self.0.len() - 1
        });
        if let Some(lines) = self.0.get_mut(lane) {
            lines.push((top, bottom));
        }
        lane as u32
    }

    fn width(&self) -> u32 {
        self.0.len() as u32 * LANE + LANE
    }
}

/// A visible branch: its edge, source and target box, and lane.
struct BranchLine {
    kind: EdgeKind,
    from: usize,
    to: usize,
    lane: u32,
}

/// Lays out the blocks; `selected` are the selected bytes. `live` has the number of live registers
/// before each instruction, if it is known.
pub fn graph(page: &BlocksPage, selected: Option<Span>, live: &[u16]) -> Graph {
    let mut graph = Graph::default();
    let selected = selected.filter(|span| page.of.contains(*span));
    let is_in = |span: Span| {
        let at = selected.filter(|at| span.contains(*at));
        at.is_some() && (selected != Some(page.of) || page.found == 1)
    };
    let mut y = LEGEND + MARGIN;
    let mut push = |target, title, text, (depth, heat): (u32, u8), selected| {
        let inset = depth.min(DEPTH) * INDENT;
        graph.nodes.push(Node {
            target,
            at: (inset, y, WIDTH - inset),
            title,
            text,
            area: None,
            selected,
            column: 0,
            parent: None,
            ahead: None,
            fit: ((WIDTH - inset - 24) / 7) as usize,
            heat,
        });
        y += BOX + GAP;
    };
    for GroupRow { group, heat } in &page.groups {
        let last = group.start + group.count.max(1) - 1;
        let title = format!(
            "blocks {} … {}",
            format::grouped(group.start),
            format::grouped(last)
        );
        let text = format!(
            "{} · {}",
            format::counted(group.instructions, "instruction", "instructions"),
            format::size(group.span.len())
        );
        let target = BoxKind::Group(group.start, group.count);
        push(target, title, text, (0, *heat), is_in(group.span));
    }
    for (number, row) in (page.start..).zip(&page.rows) {
        let block = &row.block;
        let text = words(page, row, number);
        let target = BoxKind::For(block.span);
        push(
            target,
            title(row, live),
            text,
            (block.depth, row.heat),
            is_in(block.span),
        );
    }
    let height = y - GAP + MARGIN;
    let (drawn, left, right) = lanes(page, &mut graph);
    let inner = MARGIN + left;
    for node in &mut graph.nodes {
        node.at.0 += inner;
    }
    graph.size = (inner + WIDTH + right + MARGIN, height);
    for line in &drawn {
        graph.draw(line, inner);
    }
    if !page.rows.is_empty() {
        graph.legend(&drawn, inner);
    }
    graph
}

/// Label, size and cost of a block, and the registers that are live where it begins.
fn title(row: &BlockRow, live: &[u16]) -> String {
    let count = u64::from(row.block.rows);
    let size = format::counted(count, "instruction", "instructions");
    let depth = row.block.depth;
    let around = match depth {
        0 => String::new(),
        1 => " · in a loop".to_owned(),
        _ => format!(" · in {depth} loops"),
    };
    let live = live.get(row.block.row as usize);
    let live = live.map_or_else(String::new, |live| format!(" · {live} live"));
    let gap = if row.cost.is_empty() { "" } else { " · " };
    let at = offset(&row.label);
    format!("{at} · {size}{around}{gap}{}{live}", row.cost)
}

/// A label of the assembler, `L288`, as the listing writes the offset: `120`.
fn offset(label: &str) -> String {
    let digits = label.strip_prefix('L').and_then(|label| label.parse().ok());
    digits.map_or_else(|| label.to_owned(), |offset: u32| format!("{offset:x}"))
}

/// The last instruction of a block, and its target if that is not visible.
fn words(page: &BlocksPage, row: &BlockRow, number: u64) -> String {
    let edges = page.edges.iter();
    let own = edges.filter(|found| u64::from(found.edge.from) == number);
    let away = own.filter(|found| place(page, found.edge.to).is_none());
    let away: Vec<String> = away.map(|found| offset(&found.label)).collect();
    let last: Vec<String> = row.last.split(' ').map(offset).collect();
    let last = last.join(" ");
    if away.is_empty() {
        last
    } else {
        format!("{last} → {}", away.join(", "))
    }
}

/// Index of the row that contains a block.
fn place(page: &BlocksPage, block: u32) -> Option<usize> {
    let place = u64::from(block).checked_sub(page.start)?;
    usize::try_from(place)
        .ok()
        .filter(|at| *at < page.rows.len())
}

/// Assigns lanes to the edges between visible blocks, shortest next to the boxes, and links the
/// boxes. Returns the width of the lanes on the left and on the right.
fn lanes(page: &BlocksPage, graph: &mut Graph) -> (Vec<BranchLine>, u32, u32) {
    let mut drawn = Vec::new();
    for found in &page.edges {
        let edge = found.edge;
        let (Some(from), Some(to)) = (place(page, edge.from), place(page, edge.to)) else {
            continue;
        };
        let kind = match edge.transfer {
            Transfer::FallThrough => EdgeKind::FallThrough,
            Transfer::Call => EdgeKind::Call,
            Transfer::Taken if to <= from => EdgeKind::Back,
            Transfer::Taken => EdgeKind::Taken,
        };
        if kind != EdgeKind::FallThrough {
            if let Some(node) = graph.nodes.get_mut(from) {
                node.ahead.get_or_insert(to);
            }
            if let Some(node) = graph.nodes.get_mut(to) {
                node.parent.get_or_insert(from);
            }
        }
        drawn.push(BranchLine {
            kind,
            from,
            to,
            lane: 0,
        });
    }
    sort::by_key(&mut drawn, |line| line.from.abs_diff(line.to));
    let (mut left, mut right) = (Lanes::default(), Lanes::default());
    for line in &mut drawn {
        let (top, bottom) = (line.from.min(line.to), line.from.max(line.to));
        line.lane = match (line.kind, line.to <= line.from) {
            (EdgeKind::FallThrough, _) => 0,
            // In units of boxes, with a gap between consecutive lines in a lane.
            (_, true) => left.place(top as u32, bottom as u32),
            (_, false) => right.place(top as u32, bottom as u32),
        };
    }
    (drawn, left.width(), right.width())
}

impl Graph {
    /// Draws an edge; boxes outside of loops start at `inner`.
    fn draw(&mut self, line: &BranchLine, inner: u32) {
        let (Some(from), Some(to)) = (self.nodes.get(line.from), self.nodes.get(line.to)) else {
            return;
        };
        // Edges leave the lower part of a box and enter the upper part of another one.
        let (y1, y2) = (from.at.1 + BOX * 3 / 4, to.at.1 + BOX / 4);
        let path = match (line.kind, line.to <= line.from) {
            (EdgeKind::FallThrough, _) => {
                let x = from.at.0.max(to.at.0) + 24;
                format!("M{x} {}V{}", from.at.1 + BOX, to.at.1)
            }
            (_, true) => {
                let x = inner - LANE - line.lane * LANE;
                format!("M{} {y1}H{x}V{y2}H{}", from.at.0, to.at.0)
            }
            (_, false) => {
                let right = inner + WIDTH;
                let x = right + LANE + line.lane * LANE;
                format!("M{right} {y1}H{x}V{y2}H{right}")
            }
        };
        self.edges.push(Edge {
            path,
            kind: line.kind,
            label: None,
        });
    }

    /// The legend.
    fn legend(&mut self, drawn: &[BranchLine], inner: u32) {
        let kinds = [
            (EdgeKind::FallThrough, "falls through"),
            (EdgeKind::Taken, "branch"),
            (EdgeKind::Back, "loop"),
            (EdgeKind::Call, "call"),
        ];
        let is_drawn = |kind| drawn.iter().any(|line| line.kind == kind);
        let kinds = kinds.into_iter().filter(|(kind, _)| is_drawn(*kind));
        for (place, (kind, words)) in (0_u32..).zip(kinds) {
            let x = inner + place * MEANING;
            let y = MARGIN;
            self.edges.push(Edge {
                path: format!("M{x} {y}H{}", x + 16),
                kind,
                label: Some((x + 20, y + 4, words.to_owned())),
            });
        }
    }
}

/// Maximum number of boxes, which also limits the number of lanes.
const _: () = assert!(FAN <= 64, "the drawing would be too wide");

#[cfg(test)]
mod tests {
    use super::*;
    use crate::analysis::blocks::{Block, Edge};
    use crate::model::{NodeId, SourceId};
    use crate::worker::protocol::BlockEdge;

    fn page(blocks: u32, edges: &[(u32, u32, Transfer)]) -> BlocksPage {
        let row = |number: u32| BlockRow {
            block: Block {
                span: Span::with_len(SourceId::FILE, u64::from(number) * 32, 32),
                row: number * 2,
                rows: 2,
                depth: number % 3,
            },
            heat: 0,
            cost: String::new(),
            label: format!("L{}", number * 32),
            last: "jmpi L0".to_owned(),
        };
        let edge = |(from, to, transfer): &(u32, u32, Transfer)| BlockEdge {
            edge: Edge {
                from: *from,
                to: *to,
                transfer: *transfer,
            },
            label: format!("L{}", to * 32),
        };
        BlocksPage {
            document: NodeId::ROOT,
            of: Span::with_len(SourceId::FILE, 0, u64::from(blocks) * 32),
            found: blocks.into(),
            edge_count: edges.len() as u64,
            loops: 0,
            astray: 0,
            rest: None,
            place: None,
            start: 0,
            rows: (0..blocks).map(row).collect(),
            groups: Vec::new(),
            edges: edges.iter().map(edge).collect(),
        }
    }

    #[test]
    fn blocks_are_stacked_inside_the_drawing() {
        let edges = [
            (0, 1, Transfer::FallThrough),
            (1, 4, Transfer::Taken),
            (3, 1, Transfer::Taken),
        ];
        let graph = graph(&page(5, &edges), None, &[]);
        for pair in graph.nodes.windows(2) {
            assert!(pair[0].at.1 + BOX < pair[1].at.1);
        }
        for node in &graph.nodes {
            assert!(node.at.0 + node.at.2 < graph.size.0 && node.at.1 + BOX < graph.size.1);
        }
        let kinds: Vec<EdgeKind> = graph.edges.iter().map(|edge| edge.kind).collect();
        let count = |kind| kinds.iter().filter(|other| **other == kind).count();
        // One edge of each kind, and its line in the legend.
        for kind in [EdgeKind::FallThrough, EdgeKind::Taken, EdgeKind::Back] {
            assert_eq!(count(kind), 2, "{kinds:?}");
        }
    }

    #[test]
    fn keys_follow_branches() {
        let graph = graph(
            &page(5, &[(1, 4, Transfer::Taken), (3, 1, Transfer::Taken)]),
            None,
            &[],
        );
        assert_eq!(graph.near(1, "ArrowRight"), Some(4));
        assert_eq!(graph.near(4, "ArrowLeft"), Some(1));
        assert_eq!(graph.near(1, "ArrowLeft"), Some(3));
        assert_eq!(graph.near(1, "ArrowDown"), Some(2));
        assert_eq!(graph.near(0, "ArrowRight"), None);
    }

    #[test]
    fn overlapping_edges_use_different_lanes() {
        let mut lanes = Lanes::default();
        let places = [(0, 1), (2, 3), (1, 2), (0, 3)].map(|(top, end)| lanes.place(top, end));
        assert_eq!(places, [0, 0, 1, 2]);
    }

    #[test]
    fn the_block_of_the_selected_instruction_is_marked() {
        let at = Span::with_len(SourceId::FILE, 48, 16);
        let marked = |selected| {
            let graph = graph(&page(3, &[]), Some(selected), &[]);
            let nodes = graph.nodes.iter().map(|node| node.selected);
            nodes.collect::<Vec<_>>()
        };
        assert_eq!(marked(at), [false, true, false]);
        assert_eq!(marked(Span::with_len(SourceId::FILE, 0, 96)), [false; 3]);
    }

    #[test]
    fn labels_are_offsets_as_in_the_listing() {
        assert_eq!(
            (offset("L288"), offset("L0")),
            ("120".to_owned(), "0".to_owned())
        );
        assert_eq!(offset("_main"), "_main");
        assert_eq!(offset("LDG"), "LDG");
    }

    #[test]
    fn omitted_blocks_are_named() {
        let mut page = page(4, &[(2, 0, Transfer::Taken)]);
        page.start = 2;
        page.rows.drain(..2);
        let graph = graph(&page, None, &[]);
        assert_eq!(graph.nodes[0].text, "jmpi 0 → 0");
    }
}
