//! What is wrong or remarkable, the worst first.

use std::rc::Rc;

use yew::prelude::*;

use super::{Badge, PanelProps};
use crate::model::{Severity, Span};
use crate::model::text::escaped;
use crate::ui::components::{Explanation, prose};
use crate::ui::hooks::{focus, number_near, pressed, use_session, use_virtual_rows};
use crate::ui::selection::Via;
use crate::ui::words;
use crate::worker::protocol::{Opened, Problem};

/// The height of a problem's row; `.problem` of the styles has the same.
const ROW: f64 = 44.0;

/// The worst first.
pub const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

/// How many problems there are, and how bad the worst is.
pub fn badge(opened: &Opened) -> Option<Badge> {
    let severity = opened.diagnostics.iter().map(|p| p.diagnostic.severity).max()?;
    Some(Badge {
        count: opened.diagnostics.len() as u64,
        severity,
    })
}

/// The problems in the order in which they are shown and walked: by severity, then by
/// position.
pub fn order(opened: &Opened) -> Vec<usize> {
    let of = |severity: Severity| {
        let all = opened.diagnostics.iter().enumerate();
        all.filter(move |(_, p)| p.diagnostic.severity == severity)
    };
    SEVERITIES.into_iter().flat_map(of).map(|(i, _)| i).collect()
}

/// The bytes of the next problem, or of the one before; around both ends.
pub fn step(view: &crate::ui::state::View, forward: bool) -> Option<Span> {
    let mut spans: Vec<Span> = order(&view.opened)
        .into_iter()
        .filter_map(|i| Some(view.opened.diagnostics.get(i)?.diagnostic.primary.span))
        .collect();
    // Those about the same bytes are one stop.
    spans.dedup();
    let last = spans.len().checked_sub(1)?;
    let at = view.selection.span.and_then(|span| spans.iter().position(|s| *s == span));
    let next = match (at, forward) {
        (Some(i), true) if i < last => i + 1,
        (Some(0) | None, false) => last,
        (Some(i), false) => i - 1,
        (_, true) => 0,
    };
    spans.get(next).copied()
}

/// The problem that is selected: the one whose bytes are.
pub fn selected(props: &PanelProps, order: &[usize]) -> Option<usize> {
    let span = props.view.selection.span?;
    let here = |i: &usize| {
        let problem = props.view.opened.diagnostics.get(*i);
        problem.is_some_and(|p| p.diagnostic.primary.span == span)
    };
    order.iter().position(here)
}

#[derive(Clone, PartialEq, Default)]
struct Filter {
    text: String,
    /// Severities that are not shown.
    without: Vec<Severity>,
}

impl Filter {
    fn lets(&self, problem: &Problem) -> bool {
        let diagnostic = &problem.diagnostic;
        let has = |text: &str| text.to_ascii_lowercase().contains(&self.text);
        !self.without.contains(&diagnostic.severity)
            && (self.text.is_empty()
                || has(&diagnostic.message)
                || has(&diagnostic.rule)
                || has(&problem.path))
    }
}

/// The list of problems.
#[component]
pub fn Problems(props: &PanelProps) -> Html {
    let session = use_session();
    let filter = use_state_eq(Filter::default);
    let chosen = use_state_eq(|| None::<usize>);
    let list = use_memo(
        (crate::ui::shared::Shared::from(&props.view.opened), (*filter).clone()),
        |(opened, filter)| {
            let mut list = order(opened);
            list.retain(|i| opened.diagnostics.get(*i).is_some_and(|p| filter.lets(p)));
            list
        },
    );
    let rows = use_virtual_rows(list.len() as u64, ROW);
    // Several problems may be about the same bytes: the one that was chosen here counts.
    let current = chosen
        .and_then(|i| list.iter().position(|l| *l == i))
        .filter(|place| is_about_selection(props, &list, *place))
        .or_else(|| selected(props, &list));
    {
        let rows = rows.clone();
        use_effect_with((current, props.view.selection.serial), move |(current, _)| {
            if let Some(current) = current {
                rows.reveal(*current as u64);
            }
        });
    }
    let choose = {
        let (view, list, set) = (props.view.clone(), Rc::clone(&list), chosen.setter());
        Callback::from(move |place: usize| {
            let index = list.get(place).copied();
            set.set(index);
            if let Some(problem) = index.and_then(|i| view.opened.diagnostics.get(i)) {
                session.select_span(problem.diagnostic.primary.span, Via::Jump);
            }
        })
    };
    let onclick = {
        let (choose, container) = (choose.clone(), rows.container.clone());
        Callback::from(move |event: MouseEvent| {
            if let Some(place) = number_near(&event, "data-problem") {
                focus(&container);
                choose.emit(place as usize);
            }
        })
    };
    let onkeydown = {
        let (rows, last) = (rows.clone(), list.len().saturating_sub(1));
        Callback::from(move |event: KeyboardEvent| {
            let Some(key) = pressed(&event) else { return };
            let page = rows.page as usize;
            let at = match (key.as_str(), current) {
                ("ArrowDown", Some(i)) => i + 1,
                ("ArrowUp", Some(i)) => i.saturating_sub(1),
                ("PageDown", Some(i)) => i + page,
                ("PageUp", Some(i)) => i.saturating_sub(page),
                ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp" | "Home", _) => 0,
                ("End", _) => last,
                _ => return,
            };
            event.prevent_default();
            choose.emit(at.min(last));
        })
    };
    if props.view.opened.diagnostics.is_empty() {
        return html! {
            <div class="panel calm">
                <p><span class="sign ok" aria-hidden="true">{ "✓" }</span>{ "Nothing to complain about." }</p>
                <p class="dim">{ "Every table was walked once and every rule looked at it." }</p>
            </div>
        };
    }
    let active = current.map(|i| format!("problem-{i}"));
    html! {
        <div class="panel problems">
            <Filters opened={crate::ui::shared::Shared::from(&props.view.opened)} filter={filter.clone()} shown={list.len()} />
            <div class="scroll" ref={&rows.container} role="listbox" tabindex="0" aria-label="Problems"
                 aria-activedescendant={active} {onclick} {onkeydown}>
                <div class="spacer" ref={&rows.spacer} role="presentation">
                    <div class="window" ref={&rows.window} role="presentation">
                        { for (rows.start..rows.end).filter_map(|place| {
                            let index = *list.get(place as usize)?;
                            let problem = props.view.opened.diagnostics.get(index)?;
                            Some(problem_row(problem, place as usize, list.len(), current == Some(place as usize)))
                        }) }
                    </div>
                </div>
            </div>
            if let Some(problem) = current.and_then(|i| list.get(i)).and_then(|i| props.view.opened.diagnostics.get(*i)) {
                <Explanation problem={problem.clone()} opened={crate::ui::shared::Shared::from(&props.view.opened)} />
            }
        </div>
    }
}

fn is_about_selection(props: &PanelProps, list: &[usize], place: usize) -> bool {
    let index = list.get(place).copied();
    let problem = index.and_then(|i| props.view.opened.diagnostics.get(i));
    problem.is_some_and(|p| Some(p.diagnostic.primary.span) == props.view.selection.span)
}

fn problem_row(problem: &Problem, place: usize, count: usize, selected: bool) -> Html {
    let diagnostic = &problem.diagnostic;
    let severity = diagnostic.severity;
    html! {
        <div key={place} id={format!("problem-{place}")} class={classes!("problem", selected.then_some("sel"))}
             role="option" aria-selected={selected.to_string()} data-problem={place.to_string()}
             aria-setsize={count.to_string()} aria-posinset={(place + 1).to_string()}>
            <span class={classes!("sev", words::severity_class(severity))} aria-hidden="true">
                { words::severity_sign(severity) }
            </span>
            <span class="what">
                <span class="unseen">{ format!("{}: ", severity.name()) }</span>
                { prose(&diagnostic.message) }
            </span>
            <span class="where mono">{ format!("{:#x}", diagnostic.primary.span.start) }</span>
            <span class="from">
                <span class="mono">{ &*diagnostic.rule }</span>
                if !problem.path.is_empty() {
                    <span class="dim">{ escaped(&problem.path) }</span>
                }
            </span>
        </div>
    }
}

#[derive(Properties, PartialEq)]
struct FiltersProps {
    opened: crate::ui::shared::Shared<Opened>,
    filter: UseStateHandle<Filter>,
    shown: usize,
}

#[component]
fn Filters(props: &FiltersProps) -> Html {
    let input = use_node_ref();
    let of = |severity: Severity| {
        let all = props.opened.diagnostics.iter();
        all.filter(|p| p.diagnostic.severity == severity).count()
    };
    let oninput = {
        let (filter, input) = (props.filter.clone(), input.clone());
        Callback::from(move |_: InputEvent| {
            let text = crate::ui::hooks::text_of(&input).trim().to_ascii_lowercase();
            filter.set(Filter {
                text,
                ..(*filter).clone()
            });
        })
    };
    let total = props.opened.diagnostics.len();
    html! {
        <div class="filters">
            <input ref={&input} type="search" placeholder="Filter by text or rule" aria-label="Filter problems" {oninput} />
            { for SEVERITIES.iter().filter(|s| of(**s) > 0).map(|severity| {
                let severity = *severity;
                let on = !props.filter.without.contains(&severity);
                let filter = props.filter.clone();
                let onclick = Callback::from(move |_: MouseEvent| {
                    let mut without = filter.without.clone();
                    without.retain(|s| *s != severity);
                    if without.len() == filter.without.len() {
                        without.push(severity);
                    }
                    filter.set(Filter { without, ..(*filter).clone() });
                });
                let (one, many) = match severity {
                    Severity::Error => ("error", "errors"),
                    Severity::Warning => ("warning", "warnings"),
                    Severity::Info => ("note", "notes"),
                };
                html! {
                    <button type="button" class={classes!("toggle", words::severity_class(severity))}
                            aria-pressed={on.to_string()} {onclick}>
                        <span aria-hidden="true">{ words::severity_sign(severity) }</span>
                        { words::counted(of(severity) as u64, one, many) }
                    </button>
                }
            }) }
            <span class="grow" />
            <span class="dim" role="status">
                if props.shown < total { { format!("{} of {total}", props.shown) } }
            </span>
            <span class="dim hint"><kbd>{ "[" }</kbd>{ " " }<kbd>{ "]" }</kbd>{ " walk" }</span>
        </div>
    }
}
