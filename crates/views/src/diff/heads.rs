//! Summaries of the two files, and reasons why they are hard to compare.

use std::collections::HashSet;
use std::rc::Rc;

use super::{Comparer, FileSummary};
use zeview_core::analysis::kernels::Kernels;
use zeview_core::model::{Document, Fact, Node, NodeId, Span};

/// The labels of the facts that name the compiler.
static COMPILER: [&str; 2] = ["generator", "compiler"];

pub(super) fn head(document: &Document) -> FileSummary {
    let root = document.root();
    let facts = &document.summary.facts;
    let fact = |label: &str| {
        let fact = facts.iter().find(|fact| fact.label == label);
        fact.map(|fact| fact.text.clone().into_owned())
    };
    let compiler = COMPILER.iter().filter_map(|label| fact(label));
    FileSummary {
        name: root.name.clone().into_owned(),
        title: document.summary.title.clone().into_owned(),
        size: root.span.map_or(0, Span::len),
        target: fact(Fact::TARGET).unwrap_or_default(),
        compiler: compiler.collect::<Vec<_>>().join(" "),
    }
}

/// Returns the number of kernels in a file, or in its open nested documents if it has none itself. SPIR-V
/// counts for the kernels that have no native code.
pub(super) fn kernels(document: &mut Document) -> u64 {
    let rows = |kernels: Rc<dyn Kernels>, document: &Document| kernels.rows(&document.sources);
    if let Some(kernels) = document.kernels(NodeId::ROOT) {
        let rows = rows(kernels, document);
        return rows.iter().filter(|row| row.is_kernel()).count() as u64;
    }
    let inner: Vec<Span> = document
        .documents()
        .filter(|inner| inner.has.kernels)
        .map(|inner| inner.span)
        .collect();
    let (mut native, mut spirv) = (HashSet::new(), HashSet::new());
    let mut sum: u64 = 0;
    for span in inner {
        let id = document.document_at(span);
        if let Some(kernels) = id.and_then(|id| document.kernels(id)) {
            for row in rows(kernels, document).iter().filter(|row| row.is_kernel()) {
                let name = row.name.value.clone();
                if row.is_spirv {
                    spirv.insert(name);
                } else {
                    native.insert(name);
                    sum = sum.saturating_add(1);
                }
            }
        }
    }
    sum.saturating_add(spirv.difference(&native).count() as u64)
}

impl Comparer<'_> {
    /// Records the reasons why the two files are hard to compare.
    pub(super) fn remarks(&mut self) {
        // Older files name a family of products, newer ones the device.
        let own = |document: &Document| document.verdict(NodeId::ROOT, None)?.device;
        let (one, other) = (own(self.a), own(self.b));
        let is_one = one.is_some() && one == other;
        let (a, b) = (&self.result.a, &self.result.b);
        let mut remarks = Vec::new();
        let device = |target: &str| target.split(" · ").next().unwrap_or_default().to_owned();
        let has_targets = !a.target.is_empty() && !b.target.is_empty();
        if a.target != b.target && has_targets && !is_one {
            let (one, other) = (device(&a.target), device(&b.target));
            remarks.push(if one == other {
                format!("for different targets: {} and {}", a.target, b.target)
            } else {
                format!("for different devices: {one} and {other}")
            });
        }
        if a.title != b.title {
            let first = |title: &str| title.split(' ').next().map(str::to_owned);
            let part = if first(&a.title) == first(&b.title) {
                "versions of the format"
            } else {
                "formats"
            };
            remarks.push(format!("of different {part}: {} and {}", a.title, b.title));
        }
        if a.compiler != b.compiler {
            let name = |compiler: &str| match compiler {
                "" => "unknown".to_owned(),
                compiler => compiler.to_owned(),
            };
            remarks.push(format!(
                "from different compilers: {} and {}",
                name(&a.compiler),
                name(&b.compiler)
            ));
        }
        self.result.remarks = remarks;
    }

    /// Opens the documents with these bytes and returns their nodes.
    pub(super) fn opened(&mut self, spans: (Span, Span)) -> Option<(Node, Node)> {
        let one = self.node_of(super::Comparand::A, spans.0)?;
        let other = self.node_of(super::Comparand::B, spans.1)?;
        Some((one, other))
    }
}
