//! An open file: tree, panel, bytes and inspector, arranged for the window.

use std::rc::Rc;

use yew::prelude::*;

use super::bars::{panel_tabs, tab};
use crate::model::text::escaped;
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::components::{
    Border, HexView, TreeView, button, copy_menu, inspector, names, plain, shortened,
};
use crate::ui::hooks::{BOTTOM, LEFT, RIGHT};
use crate::ui::panels::{self, PanelProps};
use crate::ui::session::SessionContext;
use crate::ui::state::commands::{ByteForm, Command, Pane};
use crate::ui::state::selection::Selection;
use crate::ui::state::{Phase, State, Tab, TabId, View, shown_beside};
use crate::ui::text::format;

/// The panes of a file.
pub fn workspace(session: &SessionContext, state: &State, open: &Tab, view: &PtrEq<View>) -> Html {
    let pane = Panes {
        session,
        state,
        tab: open,
        view,
    };
    if state.layout.narrow {
        pane.stacked()
    } else {
        pane.wide()
    }
}

/// Menu for copying and saving the selected bytes, or those of the file beside the one in front.
fn copy_as(beside: bool) -> Html {
    html! {
        <details class="menu" id={copy_menu(beside)}>
            <summary class="quiet">{ "Copy as" }</summary>
            <div class="pop acts">
                { for ByteForm::ALL.map(|(form, label)| button("btn2", Command::CopyBytes(form), plain(label))) }
                <p class="dim small">{ "Ctrl+C copies the selected bytes as hex." }</p>
            </div>
        </details>
    }
}

/// One of two visible files.
fn file_label(label: &str, name: &str) -> Html {
    html! { <><span class="which">{ label.to_owned() }</span><b class="name">{ shortened(&escaped(name)) }</b></> }
}

/// The heading of the bytes: breadcrumb and actions of the selection. With two files, the bytes of
/// the one named `of` and possibly of the one beside the file in front.
fn bytes_bar(selection: &Selection, of: Option<&str>, beside: bool) -> Html {
    html! { <>
        { names(selection, of) }
        <span class="grow" />
        { copy_as(beside) }
        <button type="button" class="quiet" data-command={Command::GoTo.to_string()} aria-keyshortcuts="g">
            { "Go to " }<kbd aria-hidden="true">{ "g" }</kbd>
        </button>
    </> }
}

struct Panes<'a> {
    session: &'a SessionContext,
    state: &'a State,
    tab: &'a Tab,
    view: &'a PtrEq<View>,
}

impl Panes<'_> {
    fn wide(&self) -> Html {
        let beside = self.state.beside();
        let class = if beside.is_some() {
            "panes sides"
        } else {
            "panes"
        };
        let left = match beside {
            Some(base) => self.side("tree", "From", &base.name, self.tree_of(base)),
            None => {
                let size = format!("{} B", format::grouped(self.view.opened.size));
                let head = html! { <>
                    <h2 id="head-tree">{ "Structure" }</h2><span class="dim mono">{ size }</span>
                </> };
                self.tree_view(self.tab.id, self.view, None, head)
            }
        };
        let right = match beside {
            Some(_) => self.side("inspector", "To", &self.tab.name, self.tree()),
            None => html! { <>
                { panels::dock(self.view, self.state.layout.dock) }
                <div class="head"><h2 id="head-inspector">{ "Inspector" }</h2></div>
                { panels::about(self.view) }
                { inspector(self.view) }
            </> },
        };
        let panel = beside
            .is_none()
            .then(|| shown_beside(self.state, self.view));
        let panes = self.state.layout.panes.of(panel);
        let has_column = panes.inspector && beside.is_none();
        let class = classes!(
            class,
            (!panes.structure).then_some("no-left"),
            (!panes.inspector).then_some("no-right"),
        );
        html! {
            <main key={self.tab.id.0} {class}>
                { panel_tabs(self.state, self.view, panels::figures(self.view, self.state.layout.dock, has_column)) }
                if panes.structure {
                    <section class="pane left" id="pane-tree" aria-labelledby="head-tree" data-file={beside.map(|base| base.id.0.to_string())}>{ left }</section>
                    <Border border={LEFT} label="Width of the left pane" controls="pane-tree" />
                }
                <div class={if panes.bytes { "pane center" } else { "pane center no-lower" }}>
                    <section class="pane upper" aria-label="Panel">
                        { self.panel(!has_column) }
                    </section>
                    if panes.bytes {
                        <Border border={BOTTOM} label="Height of the bytes pane" controls="pane-bytes" />
                        <section class="pane lower" id="pane-bytes" aria-labelledby="head-bytes">
                            if let Some(base) = beside {
                                { self.bytes_of(base) }
                            }
                            <div class="bytes-of">
                                <div class="head">
                                    if beside.is_some() {
                                        { file_label("To", &self.tab.name) }
                                    } else {
                                        <h2 id="head-bytes">{ "Bytes" }</h2>
                                    }
                                    { bytes_bar(&self.view.selection, beside.map(|_| &*self.tab.name), false) }
                                </div>
                                { self.bytes() }
                            </div>
                        </section>
                    }
                </div>
                if panes.inspector {
                    <Border border={RIGHT} label="Width of the right pane" controls="pane-inspector" />
                    <section class="pane right" id="pane-inspector" aria-labelledby="head-inspector">{ right }</section>
                }
            </main>
        }
    }

    /// The tree of one of two compared files.
    fn side(&self, pane: &str, label: &str, name: &str, tree: Html) -> Html {
        html! { <>
            <div class="head"><h2 id={format!("head-{pane}")}>{ label.to_owned() }</h2><b class="name">{ shortened(&escaped(name)) }</b></div>
            { tree }
        </> }
    }

    /// The tree of the file beside this one, once it is loaded.
    fn tree_of(&self, base: &Tab) -> Html {
        match &base.phase {
            Phase::Ready(view) => {
                self.tree_view(base.id, view, Some(base.name.clone()), Html::default())
            }
            Phase::Failed(_) => {
                html! { <p class="calm warn">{ "This file could not be opened." }</p> }
            }
            _ => html! { <p class="calm dim" role="status">{ "Opening …" }</p> },
        }
    }

    /// The bytes of the file beside this one, once it is loaded.
    fn bytes_of(&self, base: &Tab) -> Html {
        let bytes = |view: &Rc<View>| {
            let key = u64::from(view.opening);
            html! { <HexView {key} session={self.session.clone()} tab={base.id} view={PtrEq::from(view)} beside=true /> }
        };
        html! {
            <div class="bytes-of" data-file={base.id.0.to_string()}>
                <div class="head">
                    <h2 id="head-bytes" class="unseen">{ "Bytes" }</h2>
                    { file_label("From", &base.name) }
                    <>{ base.view().map(|view| bytes_bar(&view.selection, Some(&*base.name), true)) }</>
                </div>
                { base.view().map_or_else(|| html! { <div class="hex" /> }, bytes) }
            </div>
        }
    }

    /// The stacked layout: the tree is one of the panels, and bytes and inspector take turns below.
    fn stacked(&self) -> Html {
        let layout = &self.state.layout;
        let inspects = layout.lower_is_inspector;
        let panel = shown_beside(self.state, self.view);
        let has_lower = layout.panes.of(Some(panel)).bytes;
        let lower = |on, pane, name| tab(on, "lower", Command::Pane(pane), plain(name));
        html! {
            <main key={self.tab.id.0} class={if has_lower { "panes stacked" } else { "panes stacked no-lower" }}>
                <section class="pane upper" aria-label="Structure and panels">
                    { panel_tabs(self.state, self.view, None) }
                    if layout.upper_is_panel {
                        { self.panel(!has_lower || !inspects) }
                    } else {
                        <div class="panel-frame" id="panel" role="tabpanel" aria-labelledby={Command::Pane(Pane::Structure).tab()}>{ self.tree() }</div>
                    }
                </section>
                if has_lower {
                    <Border border={BOTTOM} label="Height of the lower pane" controls="lower" />
                    <section class="pane lower" aria-label="Bytes and inspector">
                        <div class="tabs" role="tablist" aria-label="Bytes and inspector">
                            { lower(!inspects, Pane::Bytes, "Bytes") }
                            { lower(inspects, Pane::Inspector, "Inspector") }
                        </div>
                        <div class="panel-frame" id="lower" role="tabpanel"
                             aria-labelledby={Command::Pane(if inspects { Pane::Inspector } else { Pane::Bytes }).tab()}>
                            if inspects { <>{ panels::about(self.view) }{ inspector(self.view) }</> } else { { self.bytes() } }
                        </div>
                    </section>
                }
            </main>
        }
    }

    fn tree(&self) -> Html {
        self.tree_view(self.tab.id, self.view, None, Html::default())
    }

    fn tree_view(&self, tab: TabId, view: &View, beside: Option<AttrValue>, head: Html) -> Html {
        let layout = &self.state.layout;
        let known = self.view.compare.differing_rows().cloned();
        let known = self.state.beside().and(known);
        let differing = known.map(|(from, to)| if beside.is_some() { from } else { to });
        let differing = differing.map(|differing| (differing, layout.unchanged));
        let order = view.order(layout);
        html! {
            <TreeView session={self.session.clone()} {tab} tree={PtrEq::from(view.tree_in(order))}
                      selection={view.selection.clone()} bookmarks={PtrEq::from(&view.bookmarks)}
                      order={view.by_kernel.as_ref().map(|_| order)} {differing} {beside} {head}
                      no_padding={layout.no_padding} no_defaults={layout.no_defaults} />
        }
    }

    fn bytes(&self) -> Html {
        // A new one for each version of the file; the tree is kept.
        let key = u64::from(self.view.opening);
        html! { <HexView {key} session={self.session.clone()} tab={self.tab.id} view={self.view.clone()} /> }
    }

    /// The panel; with the details of its current row where no inspector shows them.
    fn panel(&self, has_strip: bool) -> Html {
        let panel = panels::current(self.view);
        let tabs = self.state.tabs.iter();
        let others = tabs.filter(|tab| tab.id != self.tab.id);
        let given = PanelProps {
            others: others.map(|tab| (tab.id, tab.name.clone())).collect(),
            session: self.session.clone(),
            view: self.view.clone(),
            more: self.state.layout.more_parts,
            has_strip,
            has_header: !self.state.layout.embed || self.state.layout.hosted,
            has_wide_tabs: !self.state.layout.narrow,
            dock: self.state.layout.dock,
            sides: (!self.state.layout.narrow).then_some(self.state.layout.side_by_side),
        };
        html! {
            <div key={u64::from(self.view.opening)} class="panel-frame" id="panel" role="tabpanel" aria-labelledby={Command::Panel(panel.id).tab()}>
                { (panel.render)(&given) }
            </div>
        }
    }
}
