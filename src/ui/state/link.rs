//! Links to the current view, and following them.

use super::list::initial_grouping;
use super::{PanelId, View};
use crate::tables::query::{GroupBy, Query, RowOptions};
use crate::tables::{ListId, Shape};
use crate::ui::state::list::ListChange;
use crate::ui::text::route::{Link, ViewOptions};

impl View {
    /// The link to the current view.
    pub fn link(&self) -> Link {
        let path = self.detail().map(|detail| &*detail.path);
        let panel = if self.panel != PanelId::default() {
            self.panel.name()
        } else {
            ""
        };
        let mut shown = ViewOptions {
            panel: panel.into(),
            ..ViewOptions::default()
        };
        if let Some(list) = filtered(self.panel) {
            let query = &self.lists.get(list).query;
            shown.filter = query.filter.clone();
            if let Some(column) = &query.sort {
                let sign = if query.descending { "-" } else { "" };
                shown.sort = format!("{sign}{column}");
            }
            shown.group = match query.by() {
                by if by == initial_grouping(list) => String::new(),
                by => by.map_or(EACH_BUILD, GroupBy::name).to_owned(),
            };
        }
        if self.verdict_error().is_none() {
            shown.device = self.verdict.device.as_deref().unwrap_or_default().into();
        }
        let target = path.and_then(|path| self.selection.target(path));
        Link { target, shown }
    }

    /// Shows a link's panel with its filter and order, and sets the device for the verdict.
    pub(crate) fn show(&mut self, shown: &ViewOptions) {
        if !shown.device.is_empty() && self.verdict.document().is_none() {
            let verdict = std::rc::Rc::make_mut(&mut self.verdict);
            verdict.device = Some(shown.device.clone().into());
        }
        let Some(panel) = PanelId::named(&shown.panel) else {
            return;
        };
        self.panel = panel;
        if let Some(list) = filtered(panel) {
            let column = shown.sort.trim_start_matches('-');
            let known = self.lists.get(list).query.clone();
            let query = Query {
                filter: shown.filter.clone(),
                sort: (!column.is_empty()).then(|| column.to_owned().into()),
                descending: shown.sort.starts_with('-'),
                options: match list {
                    ListId::Kernels => RowOptions::grouped(match &*shown.group {
                        "" => initial_grouping(list),
                        name => GroupBy::named(name),
                    }),
                    _ => known.options,
                },
                ..known
            };
            self.list_changed(list, ListChange::Query(query));
        }
    }
}

/// The word of links for kernels that are not grouped.
const EACH_BUILD: &str = "build";

/// The list of a panel with a filter and order; texts are searched instead.
fn filtered(panel: PanelId) -> Option<ListId> {
    panel
        .list()
        .filter(|list| list.declaration().shape != Shape::Text)
}
