//! An open file: tree, panels, bytes and inspector, arranged for the window.

use yew::prelude::*;

use super::bars::{panel_tabs, tab};
use crate::ui::commands::{ByteForm, Command, Pane};
use crate::ui::components::{Border, HexView, TreeView, button, inspector, names, plain};
use crate::ui::format;
use crate::ui::hooks::{BOTTOM, LEFT, RIGHT, SessionContext};
use crate::ui::panels::{self, PanelProps};
use crate::ui::ptr_eq::PtrEq;
use crate::ui::state::{State, Tab, View};

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

/// The ways to take the selected bytes along.
fn copy_as() -> Html {
    html! {
        <details class="menu" id="copy-as">
            <summary class="quiet">{ "Copy as" }</summary>
            <div class="pop acts">
                { for ByteForm::ALL.map(|(form, label)| button("btn2", Command::CopyBytes(form), plain(label))) }
                <p class="dim small">{ "Ctrl+C copies the selected bytes as hex." }</p>
            </div>
        </details>
    }
}

struct Panes<'a> {
    session: &'a SessionContext,
    state: &'a State,
    tab: &'a Tab,
    view: &'a PtrEq<View>,
}

impl Panes<'_> {
    fn wide(&self) -> Html {
        let size = format!("{} B", format::grouped(self.view.opened.size));
        html! {
            <main key={self.tab.id.0} class="panes">
                <section class="pane left" id="pane-tree" aria-labelledby="head-tree">
                    <div class="head"><h2 id="head-tree">{ "Structure" }</h2><span class="grow" />
                        <span class="dim mono">{ size }</span></div>
                    { self.tree() }
                </section>
                <Border border={LEFT} label="Width of the structure pane" controls="pane-tree" />
                <div class="pane center">
                    <section class="pane upper" aria-label="Panel">
                        { panel_tabs(self.state, self.view) }
                        { self.panel() }
                    </section>
                    <Border border={BOTTOM} label="Height of the bytes pane" controls="pane-bytes" />
                    <section class="pane lower" id="pane-bytes" aria-labelledby="head-bytes">
                        <div class="head">
                            <h2 id="head-bytes">{ "Bytes" }</h2>
                            { names(&self.view.selection) }
                            <span class="grow" />
                            { copy_as() }
                            <button type="button" class="quiet" data-command={Command::GoTo.to_string()} aria-keyshortcuts="g">
                                { "Go to " }<kbd aria-hidden="true">{ "g" }</kbd>
                            </button>
                        </div>
                        { self.bytes() }
                    </section>
                </div>
                <Border border={RIGHT} label="Width of the inspector pane" controls="pane-inspector" />
                <section class="pane right" id="pane-inspector" aria-labelledby="head-inspector">
                    <div class="head"><h2 id="head-inspector">{ "Inspector" }</h2></div>
                    { inspector(self.view) }
                </section>
            </main>
        }
    }

    /// Two panes, one above the other: the tree is one of the panels, bytes and inspector
    /// take turns below.
    fn stacked(&self) -> Html {
        let layout = &self.state.layout;
        let inspects = layout.lower_is_inspector;
        let lower = |on, pane, name| tab(on, "lower", Command::Pane(pane), plain(name));
        html! {
            <main key={self.tab.id.0} class="panes stacked">
                <section class="pane upper" aria-label="Structure and panels">
                    { panel_tabs(self.state, self.view) }
                    if layout.upper_is_panel {
                        { self.panel() }
                    } else {
                        <div class="panel-frame" id="panel" role="tabpanel" aria-labelledby={Command::Pane(Pane::Structure).tab()}>{ self.tree() }</div>
                    }
                </section>
                <Border border={BOTTOM} label="Height of the lower pane" controls="lower" />
                <section class="pane lower" aria-label="Bytes and inspector">
                    <div class="tabs" role="tablist" aria-label="Bytes and inspector">
                        { lower(!inspects, Pane::Bytes, "Bytes") }
                        { lower(inspects, Pane::Inspector, "Inspector") }
                    </div>
                    <div class="panel-frame" id="lower" role="tabpanel"
                         aria-labelledby={Command::Pane(if inspects { Pane::Inspector } else { Pane::Bytes }).tab()}>
                        if inspects { { inspector(self.view) } } else { { self.bytes() } }
                    </div>
                </section>
            </main>
        }
    }

    fn tree(&self) -> Html {
        let order = self.view.order(&self.state.layout);
        html! {
            <TreeView session={self.session.clone()} tab={self.tab.id} tree={PtrEq::from(self.view.tree_in(order))}
                      selection={self.view.selection.clone()} bookmarks={PtrEq::from(&self.view.bookmarks)}
                      order={self.view.by_kernel.as_ref().map(|_| order)}
                      no_padding={self.state.layout.no_padding} no_defaults={self.state.layout.no_defaults} />
        }
    }

    fn bytes(&self) -> Html {
        // Another one for each version of the file; the tree goes on.
        let key = u64::from(self.view.opening);
        html! { <HexView {key} session={self.session.clone()} tab={self.tab.id} view={self.view.clone()} /> }
    }

    fn panel(&self) -> Html {
        let panel = panels::current(self.view);
        let id = panel.map_or(self.view.panel, |panel| panel.id);
        let tabs = self.state.tabs.iter();
        let others = tabs.filter(|tab| tab.id != self.tab.id);
        let given = PanelProps {
            others: others.map(|tab| (tab.id, tab.name.clone())).collect(),
            session: self.session.clone(),
            view: self.view.clone(),
            more: self.state.layout.more_parts,
        };
        html! {
            <div key={u64::from(self.view.opening)} class="panel-frame" id="panel" role="tabpanel" aria-labelledby={Command::Panel(id).tab()}>
                { for panel.map(|panel| (panel.render)(&given)) }
            </div>
        }
    }
}
