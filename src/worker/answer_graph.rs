//! The modules of a SYCLBIN as a graph.

use super::answer_list::Lists;
use super::protocol::{GraphEdge, GraphModule, GraphPage, IMAGES_MAX, ROWS_MAX, Response};
use crate::model::list::ListId;
use crate::model::list::query::Query;
use crate::model::modules::graph::FAN;
use crate::model::modules::{Image, ModuleGraph, ModuleSymbol};
use crate::model::{Document, NodeId};

/// What a query finds from a place on: so many modules, or groups of them.
///
/// # Errors
///
/// When there are no modules; says so in words.
pub(super) fn graph(
    lists: &mut Lists,
    document: &mut Document,
    node: NodeId,
    query: &Query,
    (start, count): (u64, u64),
) -> Result<Response, String> {
    let found = lists.get(document, node, ListId::Modules, query)?;
    let modules = document.modules(found.document);
    let modules = modules.ok_or("This part of the file has no modules.")?;
    let graph = modules.graph(&document.sources);
    let order = found.order.iter();
    let modules = order.flat_map(|order| order.from(start, count));
    let modules: Vec<u32> = modules.collect();
    let is_few = modules.len() as u64 <= FAN.min(ROWS_MAX);
    let rows: Vec<GraphModule> = match is_few {
        true => modules.iter().filter_map(|at| row(&graph, *at)).collect(),
        false => Vec::new(),
    };
    let imported = |resolved: bool| {
        let symbols = graph.symbols.iter();
        let symbols = symbols.filter(|symbol| !symbol.imported_by.is_empty());
        let found = symbols.filter(|symbol| resolved != symbol.exported_by.is_empty());
        found.count() as u64
    };
    Ok(Response::Graph(Box::new(GraphPage {
        document: found.document,
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
        groups: match is_few {
            true => Vec::new(),
            false => graph.groups(&modules, start),
        },
        trouble: found.order.as_ref().err().cloned(),
    })))
}

fn row(graph: &ModuleGraph, index: u32) -> Option<GraphModule> {
    let module = graph.module(index)?;
    let few = |images: &[Image]| images.iter().take(IMAGES_MAX).cloned().collect();
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

/// The edges among the modules that are shown: one for each pair, with its first symbol.
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
