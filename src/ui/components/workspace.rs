//! An open file: tree, panels, bytes and inspector, arranged for the window.

use std::rc::Rc;

use yew::prelude::*;

use super::{Border, HexView, Inspector, Names, PanelTabs, TreeView};
use crate::ui::hooks::{Splitting, focus_by_id, pressed, use_address, use_detail, use_media, use_preview, use_session};
use crate::ui::panels::{self, PANELS, PanelProps};
use crate::ui::shared::Shared;
use crate::ui::state::{Action, Dialog, Tab, View};
use crate::ui::words;

/// Below this the panes are stacked; the styles have the same.
const NARROW: &str = "(max-width: 899.98px)";

const LEFT: Splitting = Splitting {
    style: "--left",
    horizontal: false,
    after: false,
    share: 0.23,
    min: 180.0,
    most: 0.45,
};
const RIGHT: Splitting = Splitting {
    style: "--right",
    horizontal: false,
    after: true,
    share: 0.22,
    min: 200.0,
    most: 0.4,
};
const BOTTOM: Splitting = Splitting {
    style: "--bottom",
    horizontal: true,
    after: true,
    share: 0.34,
    min: 96.0,
    most: 0.75,
};

#[derive(Properties, PartialEq)]
pub struct Props {
    /// The file.
    pub tab: Shared<Tab>,
    /// What is shown of it.
    pub view: Shared<View>,
    /// The page stands in another one.
    pub embed: bool,
    /// Opens the file again that has changed.
    pub reopen: Callback<()>,
}

/// The panes.
#[component]
pub fn Workspace(props: &Props) -> Html {
    let session = use_session();
    let (tab, view) = (props.tab.id, &props.view);
    let serial = Rc::as_ptr(&view.opened) as usize;
    let detail = use_detail(tab, &view.selection, serial);
    let preview = use_preview(tab, &view.selection);
    let path = detail.as_ref().map(|detail| detail.path.as_str());
    use_address(tab, &props.tab.origin, &view.selection, path, props.embed);
    {
        let session = session.clone();
        use_effect_with((tab, serial), move |_| session.load_root(tab));
    }
    let narrow = use_media(NARROW);
    let inspector = html! {
        <Inspector view={view.clone()} origin={props.tab.origin.clone()} {detail} {preview} />
    };
    let changed = view.changed.clone().map(|why| changed(why, &props.reopen));
    if narrow {
        return html! { <>
            { for changed }
            <Narrow view={view.clone()} tab={props.tab.clone()} {inspector} />
        </> };
    }
    html! { <>
        { for changed }
        <main class="panes">
            <section class="pane left" id="pane-tree" aria-labelledby="head-tree">
                <div class="head"><h2 id="head-tree">{ "Structure" }</h2><span class="grow" />
                    <span class="dim mono">{ format!("{} B", words::grouped(view.opened.size)) }</span></div>
                <TreeView {tab} tree={Shared::from(&view.tree)} selection={view.selection.clone()} />
            </section>
            <Border border={LEFT} label="Width of the structure" controls="pane-tree" />
            <div class="pane center">
                <section class="pane upper" aria-label="Panel">
                    <PanelTabs opened={Shared::from(&view.opened)} current={view.panel} />
                    { panel(props) }
                </section>
                <Border border={BOTTOM} label="Height of the bytes" controls="pane-bytes" />
                { bytes(props) }
            </div>
            <Border border={RIGHT} label="Width of the inspector" controls="pane-inspector" />
            <section class="pane right" id="pane-inspector" aria-labelledby="head-inspector">
                <div class="head"><h2 id="head-inspector">{ "Inspector" }</h2></div>
                { inspector }
            </section>
        </main>
    </> }
}

fn panel(props: &Props) -> Html {
    panel_of(&props.tab, &props.view)
}

fn panel_of(tab: &Tab, view: &Shared<View>) -> Html {
    let panel = PANELS.iter().find(|panel| panel.id == view.panel);
    let place = panels::shown(&view.opened).position(|panel| panel.id == view.panel);
    let given = PanelProps {
        tab: tab.id,
        view: view.clone(),
    };
    html! {
        <div class="panel-frame" id="panel" role="tabpanel" aria-labelledby={place.map(|i| format!("panel-tab-{i}"))}>
            { for panel.map(|panel| (panel.render)(given)) }
        </div>
    }
}

fn bytes(props: &Props) -> Html {
    html! {
        <section class="pane lower" id="pane-bytes" aria-labelledby="head-bytes">
            <div class="head">
                <h2 id="head-bytes">{ "Bytes" }</h2>
                <Names selection={props.view.selection.clone()} />
                <span class="grow" />
                <GoToButton />
            </div>
            <HexView tab={props.tab.id} view={props.view.clone()} />
        </section>
    }
}

#[component]
fn GoToButton() -> Html {
    let session = use_session();
    let onclick = Callback::from(move |_: MouseEvent| session.dispatch(Action::Dialog(Some(Dialog::GoTo))));
    html! {
        <button type="button" class="quiet" {onclick} aria-keyshortcuts="g">{ "go to " }<kbd aria-hidden="true">{ "g" }</kbd></button>
    }
}

fn changed(why: AttrValue, reopen: &Callback<()>) -> Html {
    let onclick = reopen.reform(|_: MouseEvent| ());
    html! {
        <div class="banner" role="alert">
            <span class="sev warn" aria-hidden="true">{ "▲" }</span>
            <span>{ why }{ " What is shown is from before." }</span>
            <button type="button" class="btn2" {onclick}>{ "Open it again…" }</button>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct NarrowProps {
    tab: Shared<Tab>,
    view: Shared<View>,
    inspector: Html,
}

/// Two panes, one above the other: the tree is one of the panels, bytes and inspector take
/// turns below.
#[component]
fn Narrow(props: &NarrowProps) -> Html {
    let tree_shown = use_state_eq(|| true);
    let inspects = use_state_eq(|| false);
    let view = &props.view;
    {
        // Choosing a panel leaves the tree.
        let tree_shown = tree_shown.setter();
        let first = use_mut_ref(|| true);
        use_effect_with(view.panel, move |_| {
            if !first.replace(false) {
                tree_shown.set(false);
            }
        });
    }
    let to_tree = {
        let tree_shown = tree_shown.setter();
        Callback::from(move |()| tree_shown.set(true))
    };
    let from_tree = {
        let tree_shown = tree_shown.setter();
        Callback::from(move |_: MouseEvent| tree_shown.set(false))
    };
    let lower = |place: usize, name: &'static str, on: bool| {
        let inspects = inspects.setter();
        let onclick = Callback::from(move |_: MouseEvent| inspects.set(place == 1));
        html! {
            <button type="button" role="tab" id={format!("lower-tab-{place}")} class={classes!(on.then_some("on"))}
                    aria-selected={on.to_string()} aria-controls="lower" tabindex={if on { "0" } else { "-1" }} {onclick}>{ name }</button>
        }
    };
    let onkeydown = {
        let inspects = inspects.clone();
        Callback::from(move |event: KeyboardEvent| {
            if pressed(&event).is_some_and(|key| key == "ArrowRight" || key == "ArrowLeft") {
                event.prevent_default();
                inspects.set(!*inspects);
                focus_by_id(if *inspects { "lower-tab-0" } else { "lower-tab-1" });
            }
        })
    };
    let current = (!*tree_shown).then_some(view.panel);
    html! {
        <main class="panes stacked">
            <section class="pane upper" aria-label="Structure and panels">
                // The panel that was shown before may be chosen again: it has not changed then.
                <div onclick={from_tree} class="contents">
                    <PanelTabs opened={Shared::from(&view.opened)} {current} tree={to_tree} />
                </div>
                if *tree_shown {
                    <div class="panel-frame" id="panel" role="tabpanel" aria-labelledby="panel-tab-0">
                        <TreeView tab={props.tab.id} tree={Shared::from(&view.tree)} selection={view.selection.clone()} />
                    </div>
                } else {
                    { panel_of(&props.tab, view) }
                }
            </section>
            <Border border={BOTTOM} label="Height of the lower pane" controls="lower" />
            <section class="pane lower" aria-label="Bytes and inspector">
                <div class="tabs" role="tablist" aria-label="Bytes and inspector" {onkeydown}>
                    { lower(0, "Bytes", !*inspects) }
                    { lower(1, "Inspector", *inspects) }
                    <span class="grow" role="presentation" />
                </div>
                <div class="panel-frame" id="lower" role="tabpanel" aria-labelledby={if *inspects { "lower-tab-1" } else { "lower-tab-0" }}>
                    if *inspects {
                        { props.inspector.clone() }
                    } else {
                        <HexView tab={props.tab.id} view={view.clone()} />
                    }
                </div>
            </section>
        </main>
    }
}

