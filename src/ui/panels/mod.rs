//! The panels in the middle of the page. Lists have theirs by their declarations; another panel is a
//! [`PanelId`] and an arm of [`panel`].

mod arguments;
mod assembly;
mod bookmarks;
mod compare;
mod data_flow;
mod figures;
mod graph;
mod kernel_occupancy;
mod kernel_ruler;
mod kernel_tables;
mod list;
mod overview;
mod problems;
mod profile;
mod props;
mod sizes;
mod step;
mod survey;
mod verdict;

use yew::prelude::*;

use super::session::SessionContext;
use super::state::{Dock, Level, PanelId, View};
use crate::model::Tone;
use crate::tables::ListId;

pub use self::figures::dock;
pub use self::list::about;
pub use self::overview::undecoded_message;
pub use self::problems::Problems;
pub use self::props::PanelProps;

/// A panel and its tab.
pub struct Panel {
    /// Its id.
    pub id: PanelId,
    /// Title of the tab.
    pub name: &'static str,
    /// Badge of the tab: number and tone.
    pub badge: fn(&View) -> Option<(u64, Tone)>,
    /// Renders the panel.
    pub render: fn(&PanelProps) -> Html,
}

/// Returns a panel.
pub fn panel(id: PanelId) -> Panel {
    let (name, render): (_, fn(&PanelProps) -> Html) = match id {
        PanelId::Overview => ("Overview", overview::overview),
        PanelId::List(list) => {
            let tab = list.declaration().tab.as_ref();
            (tab.map_or("", |tab| tab.title), list::list)
        }
        PanelId::Arguments => ("Arguments", |props| {
            html! { <arguments::Arguments ..props.clone() /> }
        }),
        PanelId::Step => ("Step", |props| {
            html! { <step::StepPanel ..props.clone() /> }
        }),
        PanelId::Compare => ("Compare", |props| {
            html! { <compare::Compare ..props.clone() /> }
        }),
        PanelId::Problems => ("Problems", |props| {
            html! { <Problems ..props.clone() /> }
        }),
        PanelId::Bookmarks => ("Bookmarks", |props| {
            html! { <bookmarks::BookmarkList ..props.clone() /> }
        }),
    };
    Panel {
        id,
        name,
        badge: match id {
            PanelId::Compare => compare::badge,
            PanelId::Problems => problems::badge,
            PanelId::Bookmarks => bookmarks::badge,
            _ => |_| None,
        },
        render,
    }
}

/// The figures of the visible code, for the row of tabs; `None` beside another panel. `has_column`:
/// whether there is a column beside the code.
pub fn figures(view: &View, dock: Dock, has_column: bool) -> Option<Html> {
    let is_code = current(view).id == PanelId::ASSEMBLY
        && view.lists.get(ListId::Instructions).document.is_some();
    is_code.then(|| figures::line(view, dock, has_column))
}

/// The image and the kernel of the visible code, each a choice; `None` beside another panel.
pub fn place(session: &SessionContext, view: &View) -> Option<Html> {
    let is_of_code = matches!(current(view).id, PanelId::ASSEMBLY | PanelId::Step);
    let is_known = view.lists.get(ListId::Instructions).document.is_some();
    (is_of_code && is_known).then(|| assembly::place(session, view))
}

/// The page of the documentation about a panel, and its title.
pub fn manual(id: PanelId) -> (&'static str, &'static str) {
    match id {
        PanelId::Overview => ("getting-started.html", "Getting started"),
        PanelId::Arguments | PanelId::KERNELS => {
            ("guides/spills.html", "Why does my kernel spill?")
        }
        PanelId::Step => ("guides/step.html", "From source to instruction"),
        PanelId::Compare => ("guides/compare.html", "What changed between two builds?"),
        PanelId::ASSEMBLY => ("assembly.html", "How to read a line of assembly"),
        PanelId::List(list) => match list {
            ListId::Found => ("guides/find.html", "Which kernels use …?"),
            ListId::Sizes => ("guides/sizes.html", "Why is my wheel so large?"),
            ListId::Devices | ListId::Images | ListId::Matrix | ListId::Files => (
                "guides/devices.html",
                "Will this library run on Battlemage?",
            ),
            _ => ("reference/page.html", "The page"),
        },
        PanelId::Problems | PanelId::Bookmarks => ("reference/page.html", "The page"),
    }
}

/// The panels of a level that have content, in tab order.
pub fn shown(view: &View, level: Level) -> impl Iterator<Item = Panel> + use<'_> {
    let all = PanelId::all().into_iter();
    let of_level = all.filter(move |id| id.level() == level && id.is_shown(view));
    of_level.map(panel)
}

/// The visible panel: the chosen one, if it has content.
pub fn current(view: &View) -> Panel {
    panel(view.current_panel())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_panel_has_a_page_of_the_documentation() {
        let docs = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/");
        for id in PanelId::all() {
            let (page, title) = manual(id);
            let file = docs.to_owned() + &page.replace(".html", ".md");
            let text = std::fs::read_to_string(&file).unwrap_or_default();
            assert!(text.starts_with(&format!("# {title}\n")), "{file}: {title}");
        }
    }
}
