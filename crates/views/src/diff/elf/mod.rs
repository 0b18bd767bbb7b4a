//! Comparison of ELF files: sections by name, notes by owner and type, symbols and relocations by
//! name and target; kernels, if there are any.

mod notes;
mod relocations;
mod sections;
mod symbols;

use std::collections::{BTreeMap, HashMap, HashSet};
use std::rc::Rc;

use super::code::{CodeChange, CountsPair};
use super::{Comparand, Comparer, Sides};
use zeview_core::analysis::assembly::{Assembly, Listing};
use zeview_core::analysis::kernels::Kernels;
use zeview_core::analysis::linkage::{Linkage, Tables};
use zeview_core::model::{Area, Node, Sources, Span, sort};

/// The name of the section that describes kernels.
const ZE_INFO: &str = ".ze_info";
/// The prefix of the names of code sections.
pub(super) const TEXT: &str = ".text.";

/// A section.
#[derive(Default)]
struct Section {
    name: String,
    header: Option<Node>,
    contents: Option<Node>,
}

impl Section {
    /// Returns the section type from the header; empty if there is none.
    fn kind(&self) -> &str {
        let summary = self
            .header
            .as_ref()
            .and_then(|node| node.summary.as_deref());
        summary
            .and_then(|text| text.split(',').next())
            .unwrap_or_default()
    }

    fn span(&self) -> Option<Span> {
        let contents = self.contents.as_ref().and_then(|node| node.span);
        contents.or_else(|| self.header.as_ref().and_then(|node| node.span))
    }

    fn bytes(&self) -> Option<Span> {
        let contents = self.contents.as_ref()?;
        contents.span.filter(|_| self.kind() != "SHT_NOBITS")
    }
}

/// The parts of an ELF file.
#[derive(Default)]
struct File {
    sections: Vec<Section>,
    /// The header, the program headers, and everything outside of sections.
    others: Vec<Node>,
}

/// The code of both files.
pub(super) struct Code(Sides<CodeOf>);

/// The code of a file.
pub(super) struct CodeOf {
    /// The provider of the instructions.
    assembly: Rc<dyn Assembly>,
    /// The sections, by name.
    sections: HashMap<String, Span>,
}

impl CodeOf {
    pub(super) fn new(assembly: Rc<dyn Assembly>) -> CodeOf {
        let mut sections = HashMap::new();
        for section in assembly.sections().iter() {
            let named = sections.entry(section.name.clone());
            named.or_insert(section.bytes);
        }
        CodeOf { assembly, sections }
    }

    /// Returns the listing of a section.
    pub(super) fn listing(&self, section: &str, sources: &Sources) -> Option<Rc<dyn Listing>> {
        let bytes = *self.sections.get(section)?;
        self.assembly.listing(bytes, None, sources).ok()
    }
}

impl Code {
    pub(super) fn new(a: CodeOf, b: CodeOf) -> Code {
        Code((a, b))
    }

    /// Returns the bytes of a section of each file.
    pub(super) fn bytes(&self, a: &str, b: &str) -> Option<Sides<Span>> {
        Some((*self.0.0.sections.get(a)?, *self.0.1.sections.get(b)?))
    }

    fn of(&self, which: Comparand) -> &CodeOf {
        match which {
            Comparand::A => &self.0.0,
            Comparand::B => &self.0.1,
        }
    }

    /// Whether a section of one of the files is code.
    fn has(&self, which: Comparand, section: &str) -> bool {
        self.of(which).sections.contains_key(section)
    }

    /// Returns the listing of a section.
    fn listing(
        &self,
        which: Comparand,
        section: &str,
        sources: &Sources,
    ) -> Option<Rc<dyn Listing>> {
        self.of(which).listing(section, sources)
    }

    /// Returns the listing of a kernel.
    pub fn of_kernel(
        &self,
        which: Comparand,
        kernel: &str,
        sources: &Sources,
    ) -> Option<Rc<dyn Listing>> {
        self.listing(which, &format!("{TEXT}{kernel}"), sources)
    }
}

impl Comparer<'_> {
    /// Compares two ELF files. `covered` are the nested images, which are compared separately.
    pub(super) fn elf(
        &mut self,
        (a, b): (&Node, &Node),
        linkage: (&Linkage, &Linkage),
        kernels: Sides<Option<Rc<dyn Kernels>>>,
        assembly: Sides<Option<Rc<dyn Assembly>>>,
        covered: Sides<Vec<Span>>,
        at: u32,
    ) {
        self.with_temporary_expanders(|comparer| {
            let files = (comparer.file(Comparand::A, a), comparer.file(Comparand::B, b));
            let names = (
                comparer.kernel_names(Comparand::A, files.0.ze_info()),
                comparer.kernel_names(Comparand::B, files.1.ze_info()),
            );
            let code = match assembly {
                (Some(one), Some(other)) => Some(Code((CodeOf::new(one), CodeOf::new(other)))),
                _ => None,
            };
            let renames = comparer.renames(&names, &kernels, code.as_ref());
            let tables = (
                linkage.0.tables(&comparer.a.sources),
                linkage.1.tables(&comparer.b.sources),
            );
            let mut changed = Changed::default();
            comparer.sections(files, code.as_ref(), &renames, &covered, at, &mut changed);
            comparer.ze_info(&names, &kernels, &renames, &mut changed.code, at);
            let is_host = covered != (Vec::new(), Vec::new()) || has_addresses(&tables);
            comparer.symbols((&tables.0, &tables.1), &renames, is_host, at);
            comparer.relocations((&tables.0, &tables.1), &renames, &changed, is_host, at);
            for (tables, which) in [(&tables.0, "first"), (&tables.1, "second")] {
                if tables.left_out > 0 {
                    comparer.note(format!(
                        "{} symbols and relocations of the {which} file are not compared: there are too many",
                        tables.left_out
                    ));
                }
            }
        });
    }

    /// Splits a file into its parts.
    fn file(&mut self, which: Comparand, node: &Node) -> File {
        let mut file = File::default();
        let children = self.children(which, node);
        // The section of each section header.
        let mut contents: HashMap<Span, usize> = HashMap::with_capacity(children.len());
        let mut nodes: Vec<Option<Node>> = Vec::with_capacity(children.len());
        let mut headers = None;
        for child in children {
            let header = child.xrefs.iter().find(|xref| xref.why == "section header");
            match header.map(|xref| xref.to) {
                Some(to) => {
                    contents.insert(to, nodes.len());
                    nodes.push(Some(child));
                }
                None if child.name == "section headers" && child.area == Area::Header => {
                    headers = Some(child);
                }
                None => file.others.push(child),
            }
        }
        if let Some(table) = headers {
            let headers = self.children(which, &table);
            file.sections.reserve_exact(headers.len());
            for header in headers {
                let place = header.span.and_then(|span| contents.remove(&span));
                let found = place.and_then(|place| nodes.get_mut(place)?.take());
                if header.name.is_empty() && found.is_none() {
                    continue;
                }
                file.sections.push(Section {
                    name: header.name.clone().into_owned(),
                    header: Some(header),
                    contents: found,
                });
            }
        }
        let mut rest: Vec<Node> = nodes.into_iter().flatten().collect();
        sort::by_key(&mut rest, |node| node.span);
        file.others.extend(rest);
        file
    }
}

/// The changes in the sections.
#[derive(Default)]
pub(super) struct Changed {
    /// The changes in the code of kernels and functions, by their names in the first file.
    pub code: BTreeMap<String, (CodeChange, CountsPair)>,
    /// The sections whose contents differ, by their names in both files.
    sections: HashSet<String>,
}

impl Changed {
    fn add(&mut self, (a, b): (&Section, &Section)) {
        self.sections.insert(a.name.clone());
        if a.name != b.name {
            self.sections.insert(b.name.clone());
        }
    }

    /// Whether the patched locations in a section have moved.
    fn has_moved(&self, section: &str) -> bool {
        self.sections.contains(section)
    }
}

impl File {
    fn ze_info(&self) -> Option<&Node> {
        let section = self.sections.iter().find(|section| section.name == ZE_INFO);
        let own = section.and_then(|section| section.contents.as_ref());
        own.or_else(|| self.others.iter().find(|node| node.name == ZE_INFO))
    }
}

fn has_addresses(tables: &Sides<Rc<Tables>>) -> bool {
    let any = |tables: &Tables| tables.sections.iter().any(|section| section.addr != 0);
    any(&tables.0) || any(&tables.1)
}
