//! Columns of lists: visibility, order and widths, stored for the next visit.

use std::rc::Rc;

use super::Session;
use crate::tables::ListId;
use crate::tables::query::Query;
use crate::ui::browser::storage;
use crate::ui::state::list::ListChange;
use crate::ui::state::terms;

/// Storage key of the columns chosen for each list.
const COLUMNS: &str = "zeview.columns.";

/// Storage key of the column widths chosen for each list.
const WIDTHS: &str = "zeview.widths.";

impl Session {
    /// Shows or hides the rows that are hidden by default.
    pub fn toggle_secondary(&self, list: ListId) {
        if let Some((_, view)) = self.active() {
            let query = view.lists.get(list).query.clone();
            let all = !query.all;
            self.set_query(list, Query { all, ..query });
        }
    }

    /// Adds a condition to the filter, or removes it.
    pub fn toggle_term(&self, list: ListId, term: &str) {
        if let Some((_, view)) = self.active() {
            let filter = terms::toggled(&view.lists.get(list).query.filter, term);
            self.set_filter(list, &filter);
        }
    }

    /// Lists the rows for a device, or for all.
    pub fn filter_device(&self, list: ListId, device: &str) {
        if let Some((_, view)) = self.active() {
            let mut filter = view.lists.get(list).query.filter.clone();
            if let Some(before) = terms::device(&filter).map(terms::of_device) {
                filter = terms::toggled(&filter, &before);
            }
            if !device.is_empty() {
                filter = terms::toggled(&filter, &terms::of_device(device));
            }
            self.set_filter(list, &filter);
        }
    }

    /// Shows or hides a column.
    pub fn toggle_column(&self, list: ListId, id: &str) {
        if let Some((_, view)) = self.active() {
            self.set_columns(list, Some(view.lists.get(list).toggled(id)));
        }
    }

    /// Moves a column to another position among the visible ones.
    pub fn move_column(&self, list: ListId, id: &str, to: usize) {
        if let Some((_, view)) = self.active() {
            self.set_columns(list, Some(view.lists.get(list).moved(id, to)));
        }
    }

    /// Moves a column by one position.
    pub fn step_column(&self, list: ListId, id: &str, right: bool) {
        let active = self.active();
        let place = active.and_then(|(_, view)| view.lists.get(list).column_place(id));
        if let Some(place) = place {
            let left = place.saturating_sub(1);
            self.move_column(list, id, if right { place + 1 } else { left });
        }
    }

    /// Sets a column's width in pixels and stores it; without a width, resets it.
    pub fn set_width(&self, list: ListId, id: &'static str, width: Option<u32>) {
        if let Some((_, view)) = self.active() {
            let widths = view.lists.get(list).widths.iter().copied();
            let others = widths.filter(|(of, _)| *of != id);
            self.set_widths(list, others.chain(width.map(|width| (id, width))).collect());
        }
    }

    /// Sets the widths of columns; resets the others.
    pub fn set_widths(&self, list: ListId, widths: Rc<[(&'static str, u32)]>) {
        if let Some((tab, _)) = self.active() {
            let words = widths.iter().map(|(id, width)| format!("{id}={width}"));
            let text = words.collect::<Vec<_>>().join(" ");
            let key = format!("{WIDTHS}{}", list.name());
            storage::store(&key, (!text.is_empty()).then_some(&*text));
            self.list_changed(tab, list, ListChange::Widths(widths));
        }
    }

    /// Shows these columns and stores that; without columns, resets to the default.
    pub fn set_columns(&self, list: ListId, columns: Option<Rc<[&'static str]>>) {
        if let Some((tab, _)) = self.active() {
            let text = columns.as_ref().map(|ids| ids.join(" "));
            storage::store(&format!("{COLUMNS}{}", list.name()), text.as_deref());
            self.list_changed(tab, list, ListChange::Columns(columns));
        }
    }

    /// Restores the columns and widths chosen on an earlier visit.
    pub fn recall_columns(&self, list: ListId) {
        let Some((tab, view)) = self.active() else {
            return;
        };
        let known = view.lists.get(list);
        let widths = storage::load(&format!("{WIDTHS}{}", list.name())).unwrap_or_default();
        let widths = widths.split(' ').filter_map(|word| {
            let (id, width) = word.split_once('=')?;
            Some((known.column(id)?.id, width.parse().ok()?))
        });
        let widths: Rc<[(&'static str, u32)]> = widths.collect();
        if known.widths.is_empty() && !widths.is_empty() {
            self.list_changed(tab, list, ListChange::Widths(widths));
        }
        let Some(text) = storage::load(&format!("{COLUMNS}{}", list.name())) else {
            return;
        };
        // Columns stored by an earlier version may not exist any more.
        let columns = text.split(' ').filter_map(|id| known.column(id));
        let columns: Rc<[&'static str]> = columns.map(|column| column.id).collect();
        if known.chosen.is_none() && !columns.is_empty() {
            self.list_changed(tab, list, ListChange::Columns(Some(columns)));
        }
    }
}
