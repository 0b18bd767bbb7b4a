//! Graphs of modules, images and basic blocks.

use crate::analysis::blocks::{Block, BlockGroup, Edge};
use crate::analysis::kernels::Located;
use crate::analysis::modules::graph::ModuleGroup;
use crate::analysis::modules::{AbstractModule, Image, PropertyOwner};
use crate::model::{NodeId, Span, Str};
use crate::tables::ListId;
use serde::{Deserialize, Serialize};

/// Some of the modules of a SYCLBIN as a graph, and what there is to say of all.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphPage {
    /// The document that has answered.
    pub document: NodeId,
    /// Whose rows the modules are: [`ListId::Modules`], or [`ListId::Images`], each of which
    /// stands as a module with one piece of device code.
    pub list: ListId,
    /// The version of the format.
    pub version: Located<u64>,
    /// The state of the kernel bundle.
    pub state: Option<Located<u64>>,
    /// Its name; may be empty.
    pub state_name: Str,
    /// All bytes of the SYCLBIN.
    pub span: Span,
    /// Its global metadata; may be empty.
    pub metadata: Span,
    /// How many abstract modules there are.
    pub modules: u64,
    /// How many IR modules.
    pub ir_modules: u64,
    /// How many native device code images.
    pub native_images: u64,
    /// How many imported symbols some module exports.
    pub resolved: u64,
    /// How many imported symbols no module exports.
    pub unresolved: u64,
    /// How many modules the query finds.
    pub found: u64,
    /// The place of the first row or group among them.
    pub start: u64,
    /// The modules; none where there are groups.
    pub rows: Vec<GraphModule>,
    /// The groups, where there are too many modules to be drawn.
    pub groups: Vec<ModuleGroup>,
    /// The edges between the rows.
    pub edges: Vec<GraphEdge>,
    /// What is wrong with the query's filter, in words.
    pub trouble: Option<String>,
}

impl GraphPage {
    /// What one of the modules is called, and several.
    pub fn nouns(&self) -> (&'static str, &'static str) {
        match self.list {
            ListId::Images => ("device image", "device images"),
            _ => ("abstract module", "abstract modules"),
        }
    }

    /// The image that holds these bytes, or whose struct does; else the file.
    pub fn holder_at(&self, span: Span) -> Option<PropertyOwner> {
        let of = |row: &GraphModule| {
            let code = row.ir_modules.iter().chain(&row.native_images);
            let is_code = code.into_iter().any(|code| code.bytes.contains(span));
            match (is_code, row.ir_modules.is_empty()) {
                (true, true) => Some(PropertyOwner::NativeImage(row.module.native_images.start)),
                (true, false) => Some(PropertyOwner::IrModule(row.module.ir_modules.start)),
                _ if row.module.header.contains(span) => {
                    Some(PropertyOwner::AbstractModule(row.module.index))
                }
                _ => None,
            }
        };
        let found = self.rows.iter().find_map(of);
        found.or_else(|| self.span.contains(span).then_some(PropertyOwner::Whole))
    }
}

/// An abstract module and its first images.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphModule {
    /// The module.
    pub module: AbstractModule,
    /// Its first IR modules.
    pub ir_modules: Vec<Image>,
    /// Its first native device code images.
    pub native_images: Vec<Image>,
    /// The bytes of all of them.
    pub size: u64,
    /// The first symbols that it exports.
    pub exports: Vec<String>,
    /// The first symbols that it imports.
    pub imports: Vec<String>,
}

/// A module imports what another one exports.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// The number of the module that imports.
    pub from: u32,
    /// The number of the one that exports.
    pub to: u32,
    /// The first symbol.
    pub symbol: String,
    /// How many symbols.
    pub count: u32,
}

/// Some of the basic blocks of some code, and what there is to say of all.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlocksPage {
    /// The document that has answered.
    pub document: NodeId,
    /// The code.
    pub of: Span,
    /// How many blocks there are.
    pub found: u64,
    /// How many edges.
    pub ways: u64,
    /// How many loops.
    pub loops: u64,
    /// Jumps that lead out of the code, or into the middle of an instruction.
    pub astray: u64,
    /// The code that is not part of the graph, because there are too many blocks before it.
    pub rest: Option<Span>,
    /// The number of the block that holds the selected bytes.
    pub place: Option<u64>,
    /// The number of the first row or group.
    pub start: u64,
    /// The blocks; none where there are groups.
    pub rows: Vec<BlockRow>,
    /// The groups, where there are too many blocks to be drawn.
    pub groups: Vec<BlockGroup>,
    /// The edges that leave the rows.
    pub edges: Vec<BlockEdge>,
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRow {
    /// The block.
    pub block: Block,
    /// The label of its first instruction.
    pub label: String,
    /// The text of its last instruction.
    pub last: String,
}

/// Control can go from one block to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockEdge {
    /// The edge.
    pub edge: Edge,
    /// The label of the block that it enters.
    pub label: String,
}
