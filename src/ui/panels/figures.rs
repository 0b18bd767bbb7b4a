//! The figures of the visible code: a line of them above it, and what is known of one of them, beside
//! or above the listing.

use std::rc::Rc;

use yew::prelude::*;

use super::{assembly, data_flow, profile};
use crate::tables::ListId;
use crate::ui::components::{self, button, plain};
use crate::ui::state::commands::Command;
use crate::ui::state::{Dock, PanelId, View};
use crate::ui::text::format;
use crate::worker::protocol::{Aspect, CodeSamples, FlowOverview, FlowTopic};

/// What is known of the visible code.
struct Known<'a> {
    view: &'a View,
    flow: Option<&'a Rc<FlowOverview>>,
    samples: Option<&'a Rc<CodeSamples>>,
}

impl<'a> Known<'a> {
    fn new(view: &'a View) -> Known<'a> {
        let of = view.lists.get(ListId::Instructions).query.of;
        Known {
            view,
            flow: view.flow(),
            samples: view.profile.samples_of(of),
        }
    }

    /// Whether there is more to see of an aspect than its figure.
    fn has(&self, aspect: Aspect) -> bool {
        match aspect {
            Aspect::Samples => self.samples.is_some(),
            Aspect::Code => self.view.code_report().is_some(),
            Aspect::Spills if self.spills() != (0, 0) => true,
            _ => self.flow.is_some_and(|flow| flow.topic(aspect).is_some()),
        }
    }

    /// The numbers of spills and fills.
    fn spills(&self) -> (u64, u64) {
        let mix = self.view.code_report().map(|report| &report.mix);
        mix.map_or((0, 0), |mix| (mix.spills, mix.fills))
    }

    /// The figure of an aspect in a few words.
    fn figure(&self, aspect: Aspect) -> Option<Html> {
        let mix = self.view.code_report().map(|report| &report.mix);
        let functions = || Some(self.flow?.topic(aspect)?.tables.first()?.count);
        Some(match aspect {
            Aspect::Spills => match mix.map(|mix| (mix.spills, mix.fills)) {
                Some((0, 0)) if self.has(aspect) => plain("scratch memory"),
                None | Some((0, 0)) => return None,
                Some((spills, fills)) => html! { <>
                    <b class="S" aria-hidden="true">{ "S" }</b>{ " " }
                    { figure(spills, "spill", "spills") }{ " · " }{ figure(fills, "fill", "fills") }
                </> },
            },
            Aspect::Registers => {
                let flow = self.flow.filter(|_| self.has(aspect))?;
                let all = flow.registers.map(|all| format!("/{all}"));
                html! { <><b>{ flow.peak.to_string() }</b>{ all }{ " live" }</> }
            }
            Aspect::Loops => {
                let costliest = self.flow?.loops.first()?;
                html! { <>
                    { "loop " }<b>{ format::grouped(costliest.cycles) }</b>{ " cycles, issue " }
                    <b>{ format::percent(costliest.issue, costliest.cycles) }</b>
                </> }
            }
            // The table has the costliest of them.
            Aspect::Waits => figure(mix.filter(|_| self.has(aspect))?.waits, "wait", "waits"),
            Aspect::Functions => figure(functions()?, "function", "functions"),
            Aspect::Samples => profile::figure(self.samples?),
            Aspect::Code => {
                let mix = mix?;
                html! { <><b>{ format::size(mix.bytes) }</b>{ " of code" }</> }
            }
        })
    }

    /// All that is known of an aspect.
    fn about(&self, aspect: Aspect) -> Html {
        let mix = self.view.code_report().map(|report| &report.mix);
        match aspect {
            Aspect::Samples => {
                return self
                    .samples
                    .map_or_else(Html::default, |samples| profile::about_code(samples));
            }
            Aspect::Code => {
                return mix.map_or_else(Html::default, |mix| assembly::about_code(self.view, mix));
            }
            _ => {}
        }
        let marks = mix.filter(|_| aspect == Aspect::Spills);
        let marked = marks.map(|mix| assembly::marked(self.view, mix, &["spill", "fill"]));
        let Some((flow, topic)) = self.flow.and_then(|flow| Some((flow, flow.topic(aspect)?)))
        else {
            return marked.unwrap_or_default();
        };
        let list = self.view.lists.get(ListId::Instructions);
        html! { <>
            { for marked }
            { for topic.facts.iter().map(|fact| html! {
                <p title={fact.title.clone()}>{ data_flow::sentence(flow.of, &fact.text) }</p>
            }) }
            { for topic.tables.iter().map(|table| data_flow::table_of(flow, table, list.query.folded())) }
            { for flow.limits.iter().map(|limit| html! { <p class="dim">{ limit.clone() }</p> }) }
            { meanings(flow, topic) }
        </> }
    }
}

/// A number, and what it is of.
fn figure(count: u64, one: &str, many: &str) -> Html {
    let unit = if count == 1 { one } else { many };
    html! { <><b>{ format::grouped(count) }</b>{ format!(" {unit}") }</> }
}

/// The line of figures above the code. `has_column`: whether there is a column beside the code.
pub(super) fn line(view: &View, dock: Dock, has_column: bool) -> Html {
    let known = Known::new(view);
    let beside = dock.beside().filter(|_| has_column);
    let shown = beside.or(dock.above(has_column));
    let figure = |aspect: Aspect| {
        let words = known.figure(aspect)?;
        let is_shown = shown == Some(aspect) && known.has(aspect);
        Some(html! {
            <button type="button" class="figure" key={aspect.title()} title={aspect.title()} aria-pressed={is_shown.to_string()}
                    disabled={!known.has(aspect)} data-command={Command::Aspect(aspect).to_string()}>{ words }</button>
        })
    };
    html! {
        <div class="figures" role="group" aria-label="Figures">
            { for Aspect::ALL.into_iter().filter_map(figure) }
            { illegal(view) }
            { status(view) }
            { profile::status(view) }
        </div>
    }
}

/// Words that are no instructions.
fn illegal(view: &View) -> Html {
    let mix = view.code_report().map(|report| &report.mix);
    match mix.filter(|mix| mix.illegal > 0) {
        Some(mix) => {
            html! { <span class="err">{ format::counted(mix.illegal, "illegal word", "illegal words") }</span> }
        }
        None => Html::default(),
    }
}

/// What is still being computed, or was not.
fn status(view: &View) -> Html {
    let Some(report) = view.code_report() else {
        return html! { <span class="dim">{ "…" }</span> };
    };
    if report.left > 0 {
        return html! { <span class="dim" role="status">{ assembly::progress(report) }</span> };
    }
    let Some(key) = view.code_key() else {
        return Html::default();
    };
    // Before the first effect of the listing, nothing is requested.
    if !view.is_flow_asked() && view.code.report.is_asked(&key) {
        return html! { <>
            { button("btn2", Command::AnalyzeCode, plain("Analyze data flow")) }
            <span class="dim">{ "Live registers, loops, waits and spills of long code are computed on request." }</span>
        </> };
    }
    match view.flow_answer() {
        None => html! { <span class="dim" role="status">{ "Analyzing data flow …" }</span> },
        Some(Err(why)) => html! { <span class="dim" role="status">{ why.to_string() }</span> },
        Some(Ok(_)) => Html::default(),
    }
}

/// What is shown of an aspect above the code.
pub(super) fn above(view: &View, dock: Dock, has_column: bool) -> Html {
    match dock.above(has_column) {
        Some(aspect) => section(view, aspect, true, has_column),
        None => Html::default(),
    }
}

/// What is shown of an aspect in the column beside the code.
pub fn dock(view: &View, dock: Dock) -> Html {
    match dock.beside() {
        Some(aspect) if view.panel == PanelId::ASSEMBLY => section(view, aspect, false, true),
        _ => Html::default(),
    }
}

fn section(view: &View, aspect: Aspect, is_wide: bool, has_column: bool) -> Html {
    let known = Known::new(view);
    if !known.has(aspect) {
        return Html::default();
    }
    html! {
        <section class={if is_wide { "dock wide" } else { "dock" }} aria-label={aspect.title()}>
            <div class="head">
                <h2>{ aspect.title() }</h2>
                <span class="grow" />
                if has_column {
                    { button("quiet", Command::WidenAspect, plain(if is_wide { "Beside the code" } else { "All columns" })) }
                }
                <button type="button" class="quiet" aria-label="Close" data-command={Command::CloseAspect.to_string()}>{ "×" }</button>
            </div>
            <div class="docked">{ known.about(aspect) }</div>
        </section>
    }
}

/// What the figures mean: a sentence for each, and guides.
fn meanings(flow: &FlowOverview, topic: &FlowTopic) -> Html {
    const GUIDES: [(&str, &str); 3] = [
        ("guides/spills.html", "Why does my kernel spill?"),
        ("guides/waits.html", "Where does my kernel wait?"),
        (
            "reference/command-line.html",
            "All figures, as zeview analyze prints them",
        ),
    ];
    let facts = topic.facts.iter().filter(|fact| !fact.title.is_empty());
    html! {
        <details class="what">
            <summary>{ "What is this?" }</summary>
            <dl class="meanings">
                { for facts.map(|fact| html! { <>
                    <dt>{ data_flow::sentence(flow.of, &fact.text) }</dt>
                    <dd>{ fact.title.clone() }</dd>
                </> }) }
                { for topic.tables.iter().map(|table| html! { <>
                    <dt>{ table.title.clone() }</dt>
                    <dd>{ table.note.clone() }</dd>
                </> }) }
            </dl>
            { components::manuals(&GUIDES) }
        </details>
    }
}
