//! Graphs: the modules of a SYCLBIN, the images of a host file, the basic blocks of code.

use crate::tables;
use std::rc::Rc;
use zeview_analysis::profile;

use super::list::Lists;
use crate::analysis::assembly::Listing;
use crate::analysis::blocks::{self, Block, BlockGraph};
use crate::analysis::data_flow::estimated_runs;
use crate::analysis::modules::graph::{FAN, group_size};
use crate::analysis::modules::{Image, ModuleGraph, ModuleSymbol};
use crate::analysis::profile::total;
use crate::model::text::counted;
use crate::model::{Document, NodeId, Span};
use crate::tables::query::Query;
use crate::tables::{Drawing, ListId};
use crate::worker::protocol::{
    BlockEdge, BlockRow, BlocksPage, FLOW_MAX, GraphEdge, GraphModule, GraphPage, GroupRow,
    IMAGES_MAX, ROWS_MAX, Response,
};

/// Returns up to `count` modules of a query's result from an index on, or groups of them.
///
/// # Errors
///
/// If there are no modules, as a message.
pub(crate) fn graph(
    lists: &mut Lists,
    document: &mut Document,
    node: NodeId,
    (list, query): (ListId, &Query),
    (start, count): (u64, u64),
) -> Result<Response, String> {
    let found = lists.get(document, node, list, query)?;
    let graph = match list.declaration().drawing {
        Some(Drawing::Images) => {
            let file = document.node(found.document).and_then(|node| node.span);
            let images = document.images(found.document);
            Rc::new(images.graph(file.unwrap_or_default(), &document.sources))
        }
        _ => {
            let modules = document.modules(found.document);
            let modules = modules.ok_or("This part of the file has no modules.")?;
            modules.graph(&document.sources)
        }
    };
    let order = found.order.iter();
    let modules = order.flat_map(|order| order.from(start, count));
    let modules: Vec<u32> = modules.collect();
    let is_few = modules.len() as u64 <= FAN.min(ROWS_MAX);
    let rows: Vec<GraphModule> = if is_few {
        modules.iter().filter_map(|at| row(&graph, *at)).collect()
    } else {
        Vec::new()
    };
    let imported = |resolved: bool| {
        let symbols = graph.symbols.iter();
        let symbols = symbols.filter(|symbol| !symbol.imported_by.is_empty());
        let found = symbols.filter(|symbol| resolved != symbol.exported_by.is_empty());
        found.count() as u64
    };
    Ok(Response::Graph(Box::new(GraphPage {
        document: found.document,
        list,
        version: graph.version,
        state: graph.state,
        state_name: graph.state_name().unwrap_or("").into(),
        span: graph.span,
        metadata: graph.metadata,
        modules: graph.abstract_modules.len() as u64,
        ir_modules: graph.ir_modules.len() as u64,
        native_images: graph.native_images.len() as u64,
        resolved: imported(true),
        unresolved: imported(false),
        found: found.count(),
        start,
        edges: edges(&graph, &rows),
        rows,
        groups: if is_few {
            Vec::new()
        } else {
            graph.groups(&modules, start)
        },
        trouble: found.order.as_ref().err().cloned(),
    })))
}

fn row(graph: &ModuleGraph, index: u32) -> Option<GraphModule> {
    let module = graph.module(index)?;
    // Of the title, only the kind is shown: the box has the target as well.
    let kind = |image: &Image| Image {
        title: image
            .title
            .split(" · ")
            .next()
            .unwrap_or("")
            .to_owned()
            .into(),
        ..image.clone()
    };
    let few = |images: &[Image]| images.iter().take(IMAGES_MAX).map(kind).collect();
    let symbols = |count: u32, modules: fn(&ModuleSymbol) -> &Vec<u32>| -> Vec<String> {
        let all = graph.symbols.iter().filter(|_| count > 0);
        let named = all.filter(|symbol| modules(symbol).contains(&index));
        let names = named.map(|symbol| symbol.name.clone());
        names.take(IMAGES_MAX).collect()
    };
    Some(GraphModule {
        ir_modules: few(graph.ir_modules_of(module)),
        native_images: few(graph.native_images_of(module)),
        size: graph.size_of(module),
        exports: symbols(module.exports, |symbol| &symbol.exported_by),
        imports: symbols(module.imports, |symbol| &symbol.imported_by),
        module: module.clone(),
    })
}

/// Returns the edges among the visible modules: one for each pair, with its first symbol.
fn edges(graph: &ModuleGraph, rows: &[GraphModule]) -> Vec<GraphEdge> {
    let shown = |index: &u32| rows.iter().any(|row| row.module.index == *index);
    let mut edges: Vec<GraphEdge> = Vec::new();
    for symbol in graph.symbols.iter().filter(|_| !rows.is_empty()) {
        for from in symbol.imported_by.iter().filter(|index| shown(index)) {
            for to in symbol.exported_by.iter().filter(|index| shown(index)) {
                match edges.iter_mut().find(|e| e.from == *from && e.to == *to) {
                    Some(edge) => edge.count += 1,
                    None => edges.push(GraphEdge {
                        from: *from,
                        to: *to,
                        symbol: symbol.name.clone(),
                        count: 1,
                    }),
                }
            }
        }
    }
    edges
}

/// Returns basic blocks from an index on, or groups of them. `at` is the selection.
///
/// # Errors
///
/// If there is no code, as a message.
pub(crate) fn blocks(
    document: &mut Document,
    node: NodeId,
    query: &Query,
    (start, count): (u64, u64),
    at: Option<Span>,
) -> Result<Response, String> {
    let none = "This part of the file has no instructions.";
    let around = tables::document_of(document, node, ListId::Instructions);
    let id = around.ok_or(none)?;
    let sources = &document.sources;
    let listing = document.listing(id, query.of, query.encoding().map(|name| &**name));
    let listing = listing.ok_or(none)?;
    let graph = listing.blocks(sources);
    let code = listing.code();
    let costs = costs(document, &*listing);
    let part = graph.part(start, count);
    let size = group_size(part.len() as u64, blocks::FAN);
    let label = |block: &Block| {
        let line = listing.line(block.row, sources);
        line.map_or_else(String::new, |line| line.label.clone())
    };
    let row = |block: &Block| BlockRow {
        block: *block,
        heat: costs.as_ref().map_or(0, |costs| costs.heat(block)),
        cost: costs
            .as_ref()
            .map_or_else(String::new, |costs| costs.words(block)),
        label: label(block),
        last: {
            let last = block.row.saturating_add(block.rows.saturating_sub(1));
            let line = listing.line(last, sources);
            line.map_or_else(String::new, |line| words(&line.text))
        },
    };
    let is_few = size == 1;
    let shown = if is_few { part } else { &[] };
    let numbers = (0..shown.len() as u64).map(|at| start.saturating_add(at));
    let numbers = numbers.filter_map(|number| u32::try_from(number).ok());
    let edges = numbers.flat_map(|number| graph.edges_of(number));
    let edges = edges.map(|edge| BlockEdge {
        edge: *edge,
        label: {
            let to = graph.part(edge.to.into(), 1);
            to.first().map_or_else(String::new, label)
        },
    });
    let selected = at.filter(|at| code.contains(*at) && *at != code);
    Ok(Response::Blocks(Box::new(BlocksPage {
        document: id,
        of: code,
        found: graph.blocks.len() as u64,
        edge_count: graph.edges.len() as u64,
        loops: graph.loops.len() as u64,
        astray: graph.astray,
        rest: graph.rest,
        place: selected.and_then(|at| graph.at(at.start)),
        start,
        edges: edges.collect(),
        rows: shown.iter().map(row).collect(),
        groups: if is_few {
            Vec::new()
        } else {
            let groups = BlockGraph::groups(part, start, size).into_iter();
            let groups = groups.map(|group| GroupRow {
                heat: costs.as_ref().map_or(0, |costs| {
                    let blocks = graph.part(group.start, group.count).iter();
                    blocks.map(|block| costs.heat(block)).max().unwrap_or(0)
                }),
                group,
            });
            groups.collect()
        },
    })))
}

/// The costs of the instructions of some code: samples of a profile, or cycles.
struct Costs {
    /// The sum of the costs of the instructions before each row.
    before: Vec<u64>,
    /// The cost of the costliest block, by the assumed number of iterations.
    most: u64,
    /// The unit, singular and plural.
    unit: (&'static str, &'static str),
    /// Whether they are of one iteration of a loop: samples are of all.
    is_of_iteration: bool,
    /// The measured executions of blocks by the row of the first instruction, in place of assumed
    /// iterations.
    executions: Vec<(u32, u64)>,
}

impl Costs {
    fn of(&self, block: &Block) -> u64 {
        let before = |row: u32| {
            let row = usize::try_from(row).unwrap_or(usize::MAX);
            self.before.get(row).or(self.before.last()).copied()
        };
        let end = before(block.row.saturating_add(block.rows));
        end.zip(before(block.row))
            .map_or(0, |(end, start)| end - start)
    }

    fn weighted(&self, block: &Block) -> u64 {
        let counted = self
            .executions
            .binary_search_by_key(&block.row, |(row, _)| *row);
        let runs = if let Some((_, runs)) = counted.ok().and_then(|at| self.executions.get(at)) {
            *runs
        } else if !self.executions.is_empty() {
            // Not counted: it did not run.
            0
        } else if self.is_of_iteration {
            estimated_runs(block.depth)
        } else {
            1
        };
        self.of(block).saturating_mul(runs)
    }

    /// The cost in percent of that of the costliest block, by the assumed number of iterations;
    /// 0 only for blocks without cost.
    fn heat(&self, block: &Block) -> u8 {
        let percent = u128::from(self.weighted(block)) * 100;
        let percent = percent.div_ceil(u128::from(self.most.max(1)));
        u8::try_from(percent.min(100)).unwrap_or(100)
    }

    fn words(&self, block: &Block) -> String {
        counted(self.of(block), self.unit.0, self.unit.1)
    }
}

/// Returns the costs of the blocks: the samples of the profile, if it has any in this code; else the
/// cycles of the data flow, unless the code is too large to analyze it without being asked.
fn costs(document: &Document, listing: &dyn Listing) -> Option<Costs> {
    let (code, sources) = (listing.code(), &document.sources);
    let samples = profile::added_profile(document).map(|profile| profile.on_code(code));
    let samples = samples.filter(|samples| !samples.is_empty());
    let flow = match &samples {
        None if code.len() <= FLOW_MAX => listing.data_flow(sources),
        _ => None,
    };
    if samples.is_none() && flow.is_none() {
        return None;
    }
    let mut samples = samples.iter().flatten().peekable();
    let mut before = vec![0];
    let mut sum = 0_u64;
    for row in 0..listing.count() {
        let cost = match &flow {
            // Without the cycles, the graph has no costs.
            Some(flow) => flow.cycles(row)?,
            // In the order of their offsets, as the rows are.
            None => samples
                .next_if(|at| at.row == row)
                .map_or(0, |at| total(&at.counts)),
        };
        sum = sum.saturating_add(cost);
        before.push(sum);
    }
    let counts = profile::added_profile(document).map(|profile| profile.counts_on_code(code));
    let counts = counts.filter(|_| flow.is_some()).unwrap_or_default();
    let executions = counts.iter().map(|at| (at.row, at.executions)).collect();
    let is_of_iteration = flow.is_some();
    let unit = if is_of_iteration {
        ("cycle", "cycles")
    } else {
        ("sample", "samples")
    };
    let mut costs = Costs {
        before,
        most: 0,
        unit,
        is_of_iteration,
        executions,
    };
    for block in &listing.blocks(sources).blocks {
        costs.most = costs.most.max(costs.weighted(block));
    }
    Some(costs)
}

/// Joins the words of a text with single spaces.
fn words(text: &str) -> String {
    text.split_ascii_whitespace().collect::<Vec<_>>().join(" ")
}
