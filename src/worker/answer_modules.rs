//! What requests about the modules of a SYCLBIN are answered.

use std::rc::Rc;

use super::answer::{Answer, failed};
use super::protocol::{
    IMAGES_MAX, ModuleEdge, ModulePage, ModulePlace, ModuleRow, PROPERTIES_MAX, ROWS_MAX, Request,
    Response,
};
use crate::model::modules::query::{FAN, ModuleQuery};
use crate::model::modules::{Holder, Image, ModuleGraph, Modules};
use crate::model::{Document, NodeId, Span};

/// Answers about modules, and the order that was asked for last.
#[derive(Default)]
pub(super) struct ModuleDesk {
    last: Option<(NodeId, ModuleQuery, Rc<Vec<u32>>)>,
}

impl ModuleDesk {
    pub(super) fn answer(&mut self, document: &Document, request: &Request) -> Answer {
        let answered = match request {
            Request::Modules {
                document: id,
                query,
                start,
                count,
                grouped,
            } => self.page(document, *id, query, (*start, *count), *grouped),
            Request::ModuleAt {
                document: id,
                span,
                query,
            } => self.place(document, *id, *span, query),
            Request::Properties {
                document: id,
                holder,
            } => properties(document, *id, *holder),
            _ => Err("this is no question about modules".to_owned()),
        };
        answered.map_or_else(failed, Answer::from)
    }

    fn find(
        &mut self,
        document: &Document,
        id: NodeId,
        query: &ModuleQuery,
    ) -> Result<(Rc<ModuleGraph>, Rc<Vec<u32>>), String> {
        let graph = modules(document, id)?.graph(&document.sources);
        let found = match &self.last {
            Some((last, known, found)) if *last == id && known == query => Rc::clone(found),
            _ => Rc::new(graph.find(query)),
        };
        self.last = Some((id, query.clone(), Rc::clone(&found)));
        Ok((graph, found))
    }

    fn page(
        &mut self,
        document: &Document,
        id: NodeId,
        query: &ModuleQuery,
        (start, count): (u64, u64),
        grouped: bool,
    ) -> Result<Response, String> {
        let (graph, found) = self.find(document, id, query)?;
        let count = count.min((found.len() as u64).saturating_sub(start));
        let mut page = ModulePage {
            version: graph.version,
            state: graph.state,
            state_name: graph.state_name().unwrap_or("").into(),
            span: graph.span,
            metadata: graph.metadata,
            modules: graph.abstract_modules.len() as u64,
            ir_modules: graph.ir_modules.len() as u64,
            native_images: graph.native_images.len() as u64,
            ..ModulePage::empty(found.len() as u64, start)
        };
        for symbol in &graph.symbols {
            match (symbol.imported_by.is_empty(), symbol.exported_by.is_empty()) {
                (false, false) => page.resolved += 1,
                (false, true) => page.unresolved += 1,
                (true, _) => {}
            }
        }
        if grouped && count > FAN {
            page.groups = graph.groups(&found, start, count);
            return Ok(Response::Modules(Box::new(page)));
        }
        let skip = usize::try_from(start).unwrap_or(usize::MAX);
        let take = usize::try_from(count.min(ROWS_MAX)).unwrap_or(0);
        let shown = found.iter().skip(skip).take(take).copied();
        page.rows = shown.filter_map(|index| row(&graph, index)).collect();
        if grouped {
            page.edges = edges(&graph, &page.rows);
        }
        Ok(Response::Modules(Box::new(page)))
    }

    fn place(
        &mut self,
        document: &Document,
        id: NodeId,
        span: Span,
        query: &ModuleQuery,
    ) -> Result<Response, String> {
        let (graph, found) = self.find(document, id, query)?;
        let at = holder_at(&graph, span).map(|holder| {
            let module = match holder {
                Holder::AbstractModule(index) => Some(index),
                Holder::IrModule(image) => owner(&graph, |m| m.ir_modules.contains(&image)),
                Holder::NativeImage(image) => owner(&graph, |m| m.native_images.contains(&image)),
                Holder::Whole => None,
            };
            let place = found.iter().position(|index| Some(*index) == module);
            ModulePlace {
                holder,
                module,
                place: place.map(|place| place as u64),
            }
        });
        Ok(Response::ModuleAt(at))
    }
}

fn modules(document: &Document, id: NodeId) -> Result<Rc<dyn Modules>, String> {
    let modules = document.modules(id);
    modules.ok_or_else(|| "there are no modules in this".to_owned())
}

fn row(graph: &ModuleGraph, index: u32) -> Option<ModuleRow> {
    let module = graph.module(index)?;
    let few = |images: &[Image]| images.iter().take(IMAGES_MAX).cloned().collect();
    let symbols = |of: &dyn Fn(&crate::model::modules::ModuleSymbol) -> bool| {
        let named = graph.symbols.iter().filter(|symbol| of(symbol));
        named
            .take(IMAGES_MAX)
            .map(|symbol| symbol.name.clone())
            .collect::<Vec<String>>()
    };
    Some(ModuleRow {
        ir_modules: few(graph.ir_modules_of(module)),
        native_images: few(graph.native_images_of(module)),
        size: graph.size_of(module),
        exports: match module.exports {
            0 => Vec::new(),
            _ => symbols(&|symbol| symbol.exported_by.contains(&index)),
        },
        imports: match module.imports {
            0 => Vec::new(),
            _ => symbols(&|symbol| symbol.imported_by.contains(&index)),
        },
        module: module.clone(),
    })
}

/// The edges among the modules that are shown: one for each pair, with its first symbol.
fn edges(graph: &ModuleGraph, rows: &[ModuleRow]) -> Vec<ModuleEdge> {
    let shown = |index: &u32| rows.iter().any(|row| row.module.index == *index);
    let mut edges: Vec<ModuleEdge> = Vec::new();
    for symbol in &graph.symbols {
        for from in symbol.imported_by.iter().filter(|index| shown(index)) {
            for to in symbol.exported_by.iter().filter(|index| shown(index)) {
                match edges.iter_mut().find(|e| e.from == *from && e.to == *to) {
                    Some(edge) => edge.count += 1,
                    None => edges.push(ModuleEdge {
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

fn owner(
    graph: &ModuleGraph,
    has: impl Fn(&crate::model::modules::AbstractModule) -> bool,
) -> Option<u32> {
    let mut modules = graph.abstract_modules.iter();
    modules
        .find(|module| has(module))
        .map(|module| module.index)
}

/// Whose bytes these are: an image's before its module's, a module's before the whole.
fn holder_at(graph: &ModuleGraph, span: Span) -> Option<Holder> {
    let image = |images: &[Image]| {
        let holds = |image: &Image| {
            image.bytes.contains(span)
                || image.header.contains(span)
                || image.metadata.contains(span)
        };
        u32::try_from(images.iter().position(holds)?).ok()
    };
    if let Some(index) = image(&graph.native_images) {
        return Some(Holder::NativeImage(index));
    }
    if let Some(index) = image(&graph.ir_modules) {
        return Some(Holder::IrModule(index));
    }
    let mut modules = graph.abstract_modules.iter();
    let module = modules.find(|m| m.header.contains(span) || m.metadata.contains(span));
    match module {
        Some(module) => Some(Holder::AbstractModule(module.index)),
        None => graph.span.contains(span).then_some(Holder::Whole),
    }
}

fn properties(document: &Document, id: NodeId, holder: Holder) -> Result<Response, String> {
    let mut sets = modules(document, id)?.properties(holder, &document.sources);
    let mut left = PROPERTIES_MAX;
    let mut more = 0;
    for set in &mut sets {
        more += set.entries.len().saturating_sub(left) as u64;
        set.entries.truncate(left);
        left -= set.entries.len();
    }
    Ok(Response::Properties { sets, more })
}
