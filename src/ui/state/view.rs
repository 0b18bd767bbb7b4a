//! View of a loaded file.

use std::rc::Rc;

use yew::AttrValue;

use super::code::CodeState;
use super::code_rows::CodeRowsChange;
use super::compare::{CompareChange, CompareState};
use super::occupancy::OccupancyState;
use super::verdict::VerdictState;
use super::{Layout, Level, PanelId};
use crate::analysis::modules::PropertyOwner;
use crate::model::{NodeKind, SourceId, Span};
use crate::tables::query::{Query, RowOptions};
use crate::tables::{Detail as ListDetail, Drawing, ListId, ReadingKind, Scope, Shape};
use crate::ui::graphs::graph_view::{GraphChange, GraphView};
use crate::ui::state::bookmarks::Bookmarks;
use crate::ui::state::list::{List, ListChange};
use crate::ui::state::profile::{ProfileChange, ProfileState};
use crate::ui::state::selection::Selection;
use crate::ui::state::texts::{Texts, TextsChange};
use crate::ui::tree::Tree;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Detail, FIRST_FLOW_MAX, Opened, Row};

/// View of a loaded file.
#[derive(Debug, Clone, PartialEq)]
pub struct View {
    /// The decoder's summary of the file.
    pub opened: Rc<Opened>,
    /// Unique number of this opening.
    pub opening: u32,
    /// The tree in file order.
    pub tree: Rc<Tree>,
    /// The tree by kernel, if the file has kernels.
    pub by_kernel: Option<Rc<Tree>>,
    /// The selection.
    pub selection: Selection,
    /// Details of the selected node, once loaded.
    pub detail: Option<Rc<Detail>>,
    /// The first of the selected bytes, once loaded.
    pub preview: Rc<[u8]>,
    /// The driver's verdict.
    pub verdict: Rc<VerdictState>,
    /// The current kernel's occupancy.
    pub occupancy: Rc<OccupancyState>,
    /// The visible code.
    pub code: Rc<CodeState>,
    /// The profile that was added.
    pub profile: Rc<ProfileState>,
    /// The comparison with another file.
    pub compare: Rc<CompareState>,
    /// The bookmarks.
    pub bookmarks: Rc<Bookmarks>,
    /// The lists, loaded on demand.
    pub lists: Lists,
    /// The readable texts, loaded on demand.
    pub texts: Rc<Texts>,
    /// The graph of its modules.
    pub graph: Rc<GraphView>,
    /// The graph of a host file's images.
    pub images: Rc<GraphView>,
    /// The graph of the visible code's basic blocks.
    pub blocks: Rc<GraphView>,
    /// The chosen panel.
    pub panel: PanelId,
    /// The panel of each level that was chosen last.
    pub last_of_level: [Option<PanelId>; Level::ALL.len()],
    /// Why the file cannot be read any more, for example after a change on disk.
    pub changed: Option<AttrValue>,
}

/// One list of each kind.
#[derive(Debug, Clone, PartialEq)]
pub struct Lists([Rc<List>; ListId::ALL.len()]);

impl Default for Lists {
    fn default() -> Lists {
        Lists(ListId::ALL.map(|list| Rc::new(List::new(list))))
    }
}

impl Lists {
    /// The list of a kind.
    pub fn get(&self, list: ListId) -> &List {
        &self.0[list as usize]
    }

    /// Changes the list of a kind.
    pub fn apply(&mut self, list: ListId, change: ListChange) {
        let has_read = list.declaration().reading == ReadingKind::Kernels
            && matches!(change, ListChange::Page(..));
        Rc::make_mut(&mut self.0[list as usize]).apply(change);
        if has_read {
            self.files_were_read();
        }
    }

    /// Requests the files of a package again: kernels of more of them are known.
    pub fn files_were_read(&mut self) {
        if self.get(ListId::Files).page.is_some() {
            self.apply(ListId::Files, ListChange::Renew);
        }
    }
}

impl View {
    /// Shows the live registers beside code whose data flow is known or expected.
    pub(super) fn show_live_registers(&mut self) {
        let is_shown = match self.flow_answer() {
            Some(flow) => flow.is_ok(),
            None => self.is_flow_asked(),
        };
        self.lists.apply(
            ListId::Instructions,
            ListChange::Code(CodeRowsChange::Live(is_shown)),
        );
    }

    /// Whether the first rows of the visible code follow after its data flow, which takes little time
    /// for this code and determines where the listing opens: otherwise its start would be shown
    /// first, and then move.
    pub fn awaits_flow(&self) -> bool {
        let list = self.lists.get(ListId::Instructions);
        let query = &list.query;
        let is_first = list.rows.found.is_none() && list.place().is_none();
        let is_small = query.of.is_some_and(|of| of.len() <= FIRST_FLOW_MAX);
        let is_in_order = query.filter.is_empty() && query.sort.is_none();
        is_first && is_small && is_in_order && self.flow_answer().is_none()
    }

    pub(super) fn profile_changed(&mut self, change: ProfileChange) {
        Rc::make_mut(&mut self.profile).apply(change);
        self.show_samples();
    }

    /// Shows the samples beside code that has any.
    fn show_samples(&mut self) {
        let of = self.lists.get(ListId::Instructions).query.of;
        let is_shown = self.profile.samples_of(of).is_some();
        self.lists.apply(
            ListId::Instructions,
            ListChange::Code(CodeRowsChange::Samples(is_shown)),
        );
    }

    /// The tree order: by kernel only if the file has kernels.
    pub fn order(&self, layout: &Layout) -> TreeOrder {
        match self.by_kernel {
            Some(_) => layout.order,
            None => TreeOrder::File,
        }
    }

    /// Whether the selection was made by someone: a newly opened file has one already.
    pub fn is_selection_made(&self) -> bool {
        self.selection.serial != self.opening
    }

    /// The largest number of a source that the rows of its trees so far have bytes of.
    pub fn last_source(&self) -> SourceId {
        let by_kernel = self.by_kernel.as_ref().map(|tree| tree.last_source());
        self.tree.last_source().max(by_kernel.unwrap_or_default())
    }

    /// Its tree in this order.
    pub fn tree_in(&self, order: TreeOrder) -> &Rc<Tree> {
        let by_kernel = self.by_kernel.as_ref();
        let by_kernel = by_kernel.filter(|_| order == TreeOrder::Kernels);
        by_kernel.unwrap_or(&self.tree)
    }

    pub(super) fn tree_mut(&mut self, order: TreeOrder) -> &mut Tree {
        match (order, &mut self.by_kernel) {
            (TreeOrder::Kernels, Some(tree)) => Rc::make_mut(tree),
            _ => Rc::make_mut(&mut self.tree),
        }
    }

    pub(super) fn reveal_by_kernel(&mut self, path: Option<&[Row]>) {
        if let (Some(tree), Some(path)) = (&mut self.by_kernel, path) {
            Rc::make_mut(tree).reveal(path);
        }
    }

    /// The document that is itself selected.
    pub fn selected_document(&self) -> Option<&Row> {
        let row = self.selection.ancestry.last()?;
        (row.kind == NodeKind::File && !self.selection.free).then_some(row)
    }

    /// The row that is selected or contains the selected bytes.
    pub fn row(&self) -> &Row {
        self.selection.ancestry.last().unwrap_or(&self.opened.root)
    }

    /// Details of that row, if loaded.
    pub fn detail(&self) -> Option<&Detail> {
        self.detail
            .as_deref()
            .filter(|detail| detail.node == self.row().id)
    }

    /// Whether a list may be about another part of the file than the selection: which one belongs to
    /// it is not known yet. What is shown so far must not be read as an answer.
    pub fn is_late(&self, id: ListId) -> bool {
        let list = self.lists.get(id);
        let selection = &self.selection;
        let within = |of: Option<Span>| match (of, selection.span) {
            (Some(of), Some(span)) => of.contains(span),
            _ => false,
        };
        match id.declaration().scope {
            Scope::Comparison | Scope::Difference => self.compare.is_working(),
            Scope::Profiles => false,
            // Nothing is shown, or nothing else is requested.
            _ if list.document.is_none() || !list.awaits_row(selection.serial) => false,
            Scope::Text => selection.text().is_some() && !within(list.query.of),
            Scope::Code | Scope::Owner => !within(list.query.of),
            Scope::Document | Scope::Container => {
                let is_same = list.document == Some(selection.document());
                !is_same && !selection.ancestry.is_empty()
            }
        }
    }

    /// Whether the row of the selection in a list is not known yet: the details are those of the row
    /// before.
    pub fn is_row_late(&self, id: ListId) -> bool {
        let list = self.lists.get(id);
        let is_asked = !self.selection.ancestry.is_empty() && list.at.is_some();
        self.is_late(id) || is_asked && list.awaits_row(self.selection.serial)
    }

    pub(in crate::ui) fn list_changed(&mut self, list: ListId, change: ListChange) {
        let known = self.lists.get(list);
        let before = (known.document, known.rows.generation);
        let (of, encoding) = (known.query.of, known.query.encoding().cloned());
        let is_at = matches!(change, ListChange::At(..));
        self.lists.apply(list, change);
        let list = self.lists.get(list);
        let declared = list.id.declaration();
        if let Some(drawing @ (Drawing::Modules | Drawing::Images)) = declared.drawing {
            let graph = Rc::make_mut(match drawing {
                Drawing::Images => &mut self.images,
                _ => &mut self.graph,
            });
            if before.1 != list.rows.generation {
                graph.renew(before.0 != list.document);
            }
            if is_at {
                graph.follow(list.place());
            }
        }
        match declared.shape {
            Shape::Code if (of, encoding.as_ref()) != (list.query.of, list.query.encoding()) => {
                Rc::make_mut(&mut self.blocks).renew(true);
                self.show_samples();
            }
            // After a comparison, or in another order.
            Shape::Differences if self.difference().is_none() => self.place_difference(),
            Shape::Text => {
                Rc::make_mut(&mut self.texts).follow(list.query.of, &self.selection.ancestry);
            }
            _ => {}
        }
    }

    pub(super) fn compare_changed(&mut self, change: CompareChange) {
        let before = self.compare.results;
        Rc::make_mut(&mut self.compare).apply(change);
        if self.compare.results != before {
            self.lists.apply(ListId::Differences, ListChange::Reset);
            self.lists.apply(ListId::Changes, ListChange::Reset);
            self.place_difference();
        }
        let query = Query {
            options: RowOptions::difference(self.compare.chosen.map(|chosen| chosen.index)),
            ..self.lists.get(ListId::Changes).query.clone()
        };
        self.lists.apply(ListId::Changes, ListChange::Query(query));
    }

    /// Finds the expanded difference among the loaded rows of the list.
    fn place_difference(&mut self) {
        let Some(index) = self.compare.chosen.map(|chosen| chosen.index) else {
            return;
        };
        let list = self.lists.get(ListId::Differences);
        let is_all = list.query.filter.is_empty() && list.query.sort.is_none();
        let place = match is_all {
            // Without a query, position and index are equal.
            true => Some(index),
            false if list.rows.is_waiting() => None,
            false => list.rows.find(|row| row.index == index),
        };
        let place = place.map(|place| (place, list.rows.generation));
        if let Some(chosen) = &mut Rc::make_mut(&mut self.compare).chosen {
            chosen.place = place;
        }
    }

    /// Position of the expanded difference in the list.
    pub fn difference(&self) -> Option<u64> {
        let (place, of) = self.compare.chosen?.place?;
        let generation = self.lists.get(ListId::Differences).rows.generation;
        (of == generation).then_some(place)
    }

    pub(super) fn texts_changed(&mut self, change: TextsChange) {
        let texts = Rc::make_mut(&mut self.texts);
        let of = |texts: &Texts| texts.shown.as_ref().and_then(|text| text.span);
        let before = of(texts);
        texts.apply(change, self.selection.text().is_some());
        if of(texts) != before {
            let query = Query {
                of: of(texts),
                ..self.lists.get(ListId::Lines).query.clone()
            };
            self.lists.apply(ListId::Lines, ListChange::Query(query));
        }
    }

    /// The graph of a list: instructions, images, or else modules.
    pub fn graph_of(&self, list: ListId) -> &GraphView {
        match list.declaration().drawing {
            Some(Drawing::Blocks) => &self.blocks,
            Some(Drawing::Images) => &self.images,
            _ => &self.graph,
        }
    }

    /// The list whose graph the panel shows.
    pub fn graph_list(&self) -> ListId {
        let shown = self.panel.list();
        let drawn = shown.filter(|list| list.declaration().drawing.is_some());
        drawn.unwrap_or(ListId::Modules)
    }

    pub(super) fn graph_changed(&mut self, id: ListId, change: GraphChange) {
        if let GraphChange::Page(_, _, page) = &change {
            let answered = ListChange::Document(page.document());
            self.lists.apply(id, answered);
        }
        let list = self.lists.get(id);
        let generation = list.rows.generation;
        let place = list.place();
        let (graph, place) = match id.declaration().drawing {
            Some(Drawing::Blocks) => (&mut self.blocks, None),
            Some(Drawing::Images) => (&mut self.images, place),
            _ => (&mut self.graph, place),
        };
        Rc::make_mut(graph).apply(change, generation, place);
    }

    /// The selected node of the visible graph of modules or images.
    pub fn selected_graph_node(&self) -> Option<PropertyOwner> {
        if self.graph_list().declaration().drawing == Some(Drawing::Images) {
            return self.images.modules()?.owner_at(self.selection.span?);
        }
        let page = self.graph.modules()?;
        match self.lists.get(ListId::Modules).detail() {
            ListDetail::Module(owner) => Some(*owner),
            _ => {
                let selected = self.selection.span?;
                page.span.contains(selected).then_some(PropertyOwner::Whole)
            }
        }
    }

    /// The known extent of a source.
    pub fn whole(&self, source: SourceId) -> Span {
        if source == SourceId::FILE {
            return Span::new(source, 0, self.opened.size);
        }
        self.selection
            .unpacked()
            .filter(|span| span.source == source)
            .unwrap_or(Span::new(source, 0, 0))
    }
}
