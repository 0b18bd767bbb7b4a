//! Graphs of modules, images and basic blocks.

use crate::analysis::blocks::{Block, BlockGroup, Edge};
use crate::analysis::kernels::Located;
use crate::analysis::modules::graph::ModuleGroup;
use crate::analysis::modules::{AbstractModule, Image, PropertyOwner};
use crate::model::{NodeId, Span, Str};
use crate::tables::{Drawing, ListId};
use serde::{Deserialize, Serialize};

/// A part of the module graph of a SYCLBIN, and totals.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct GraphPage {
    /// The document that the graph belongs to.
    pub document: NodeId,
    /// The list that the modules are rows of: [`ListId::Modules`], or [`ListId::Images`], where
    /// each image appears as a module with one piece of device code.
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
    /// Number of abstract modules.
    pub modules: u64,
    /// Number of IR modules.
    pub ir_modules: u64,
    /// Number of native device code images.
    pub native_images: u64,
    /// Number of imported symbols that a module exports.
    pub resolved: u64,
    /// Number of imported symbols that no module exports.
    pub unresolved: u64,
    /// Number of modules that match the query.
    pub found: u64,
    /// Index of the first row or group among them.
    pub start: u64,
    /// The modules; empty if there are groups.
    pub rows: Vec<GraphModule>,
    /// The groups, if there are too many modules to draw.
    pub groups: Vec<ModuleGroup>,
    /// The edges between the rows.
    pub edges: Vec<GraphEdge>,
    /// The error in the query's filter.
    pub trouble: Option<String>,
}

impl GraphPage {
    /// Returns the singular and plural noun for the modules.
    pub fn nouns(&self) -> (&'static str, &'static str) {
        if self.is_of_images() {
            ("device image", "device images")
        } else {
            ("abstract module", "abstract modules")
        }
    }

    /// Whether the modules are the images of a host file.
    pub fn is_of_images(&self) -> bool {
        self.list.declaration().drawing == Some(Drawing::Images)
    }

    /// Returns the image or struct of an image that contains these bytes, else the file.
    pub fn owner_at(&self, span: Span) -> Option<PropertyOwner> {
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
    /// Their total size in bytes.
    pub size: u64,
    /// The first symbols that it exports.
    pub exports: Vec<String>,
    /// The first symbols that it imports.
    pub imports: Vec<String>,
}

/// An edge from an importing to an exporting module.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GraphEdge {
    /// Index of the importing module.
    pub from: u32,
    /// Index of the exporting module.
    pub to: u32,
    /// The first shared symbol.
    pub symbol: String,
    /// Number of shared symbols.
    pub count: u32,
}

/// A part of the basic blocks of code, and totals.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlocksPage {
    /// The document that the graph belongs to.
    pub document: NodeId,
    /// The code.
    pub of: Span,
    /// Number of blocks.
    pub found: u64,
    /// Number of edges.
    pub edge_count: u64,
    /// Number of loops.
    pub loops: u64,
    /// Number of jumps out of the code, or into the middle of an instruction.
    pub astray: u64,
    /// The code at the end that is not part of the graph, because there are too many blocks.
    pub rest: Option<Span>,
    /// Index of the block that contains the selected bytes.
    pub place: Option<u64>,
    /// Index of the first row or group.
    pub start: u64,
    /// The blocks; empty if there are groups.
    pub rows: Vec<BlockRow>,
    /// The groups, if there are too many blocks to draw.
    pub groups: Vec<GroupRow>,
    /// The edges that leave the rows.
    pub edges: Vec<BlockEdge>,
}

/// Consecutive basic blocks.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GroupRow {
    /// The blocks.
    pub group: BlockGroup,
    /// The greatest [heat](BlockRow::heat) of a block.
    pub heat: u8,
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockRow {
    /// The block.
    pub block: Block,
    /// Its cost in percent of that of the costliest block, with ten assumed iterations of each loop
    /// unless it was sampled; 0 if it is unknown.
    pub heat: u8,
    /// Its cost in words: `384 cycles` per iteration of its innermost loop, or the samples of the
    /// profile that was added; empty if it is unknown.
    pub cost: String,
    /// The label of its first instruction.
    pub label: String,
    /// The text of its last instruction.
    pub last: String,
}

/// A possible transfer of control from one block to another.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct BlockEdge {
    /// The edge.
    pub edge: Edge,
    /// The label of the block that it enters.
    pub label: String,
}
