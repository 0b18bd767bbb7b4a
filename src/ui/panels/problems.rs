//! What is wrong or remarkable, the worst first.

use std::rc::Rc;

use yew::prelude::*;

use super::PanelProps;
use crate::model::text::escaped;
use crate::model::{Severity, Span};
use crate::ui::components::{explanation, prose};
use crate::ui::hooks::{
    Local, VirtualRows, focus, number_near, pressed, text_of, use_change, use_local, use_row_count,
    use_virtual_rows,
};
use crate::ui::selection::Via;
use crate::ui::state::View;
use crate::ui::words;
use crate::worker::protocol::{Opened, Problem};

/// The height of a problem's row; `--problem-row` of the styles is the same.
const ROW: f64 = 44.0;
/// The id of the field that filters.
const FIELD: &str = "problem-filter";

/// The worst first.
pub const SEVERITIES: [Severity; 3] = [Severity::Error, Severity::Warning, Severity::Info];

/// How many problems there are, and how bad the worst is.
pub(super) fn badge(opened: &Opened) -> Option<(u64, Severity)> {
    let severity = opened
        .diagnostics
        .iter()
        .map(|p| p.diagnostic.severity)
        .max()?;
    Some((opened.diagnostics.len() as u64, severity))
}

/// The problems in the order in which they are shown and walked: by severity, then by
/// position.
fn order(opened: &Opened) -> Vec<usize> {
    let of = |severity: Severity| {
        let all = opened.diagnostics.iter().enumerate();
        all.filter(move |(_, p)| p.diagnostic.severity == severity)
    };
    SEVERITIES
        .into_iter()
        .flat_map(of)
        .map(|(i, _)| i)
        .collect()
}

/// The bytes of the next problem, or of the one before; around both ends.
pub fn step(view: &View, forward: bool) -> Option<Span> {
    let mut spans: Vec<Span> = order(&view.opened)
        .into_iter()
        .filter_map(|i| Some(view.opened.diagnostics.get(i)?.diagnostic.primary.span))
        .collect();
    // Those about the same bytes are one stop.
    spans.dedup();
    let last = spans.len().checked_sub(1)?;
    let at = view
        .selection
        .span
        .and_then(|span| spans.iter().position(|s| *s == span));
    let next = match (at, forward) {
        (Some(i), true) if i < last => i + 1,
        (Some(0) | None, false) => last,
        (Some(i), false) => i - 1,
        (_, true) => 0,
    };
    spans.get(next).copied()
}

#[derive(Clone, PartialEq, Default)]
struct Filter {
    text: String,
    /// Severities that are not shown.
    without: Vec<Severity>,
    /// The problem that was chosen here.
    chosen: Option<usize>,
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

struct List {
    props: PanelProps,
    filter: Local<Filter>,
    rows: Rc<VirtualRows>,
    /// The problems that are shown.
    shown: Vec<usize>,
}

impl List {
    fn problem(&self, place: usize) -> Option<&Problem> {
        self.props
            .view
            .opened
            .diagnostics
            .get(*self.shown.get(place)?)
    }

    fn is_selected(&self, place: usize) -> bool {
        let span = self.props.view.selection.span;
        self.problem(place)
            .is_some_and(|p| Some(p.diagnostic.primary.span) == span)
    }

    /// The place of the problem whose bytes are selected. Several may be about the same:
    /// then the one that was chosen here counts.
    fn current(&self) -> Option<usize> {
        let chosen = self.filter.get().chosen;
        let chosen = chosen.and_then(|index| self.shown.iter().position(|i| *i == index));
        chosen
            .filter(|place| self.is_selected(*place))
            .or_else(|| (0..self.shown.len()).find(|place| self.is_selected(*place)))
    }

    fn choose(&self, place: usize) {
        let index = self.shown.get(place).copied();
        self.filter.change(|filter| filter.chosen = index);
        if let Some(problem) = self.problem(place) {
            let span = problem.diagnostic.primary.span;
            self.props.session.0.select_span(span, Via::Jump);
        }
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        let last = self.shown.len().saturating_sub(1);
        let page = self.rows.page() as usize;
        let at = match (key.as_str(), self.current()) {
            ("ArrowDown", Some(i)) => i + 1,
            ("ArrowUp", Some(i)) => i.saturating_sub(1),
            ("PageDown", Some(i)) => i + page,
            ("PageUp", Some(i)) => i.saturating_sub(page),
            ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp" | "Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        self.choose(at.min(last));
    }

    fn click(&self, event: &MouseEvent) {
        if let Some(place) = number_near(event, "data-problem") {
            focus(&self.rows.container);
            self.choose(place as usize);
        } else if let Some(severity) = number_near(event, "data-severity") {
            let Some(severity) = SEVERITIES.get(severity as usize) else {
                return;
            };
            self.filter.change(|filter| {
                let before = filter.without.len();
                filter.without.retain(|s| s != severity);
                if filter.without.len() == before {
                    filter.without.push(*severity);
                }
            });
        }
    }
}

/// The list of problems.
#[component]
pub fn Problems(props: &PanelProps) -> Html {
    let filter = use_local::<Filter>();
    let rows = use_virtual_rows(ROW);
    let opened = &props.view.opened;
    let now = filter.get();
    let mut shown = order(opened);
    shown.retain(|i| opened.diagnostics.get(*i).is_some_and(|p| now.lets(p)));
    use_row_count(&rows, shown.len() as u64);
    let list = Rc::new(List {
        props: props.clone(),
        filter,
        rows: Rc::clone(&rows),
        shown,
    });
    let current = list.current();
    let here = Rc::clone(&list);
    let reveal = move || {
        if let Some(current) = here.current() {
            here.rows.reveal(current as u64);
        }
    };
    let serial = u64::from(props.view.selection.serial);
    use_change(
        [serial, current.map_or(0, |i| i as u64 + 1), 0, 0],
        Box::new(reveal),
    );
    let here = Rc::clone(&list);
    let onkeydown = Callback::from(move |event: KeyboardEvent| here.key(&event));
    let here = Rc::clone(&list);
    let onclick = Callback::from(move |event: MouseEvent| here.click(&event));
    if opened.diagnostics.is_empty() {
        return html! {
            <div class="panel calm">
                <p><span class="sign ok" aria-hidden="true">{ "✓" }</span>{ "Nothing to complain about." }</p>
                <p class="dim">{ "Every table was walked once and every rule looked at it." }</p>
            </div>
        };
    }
    let (start, end) = rows.shown();
    html! {
        <div class="panel problems" {onclick}>
            { filters(&list) }
            <div class="scroll" ref={&rows.container} role="listbox" tabindex="0" aria-label="Problems"
                 aria-activedescendant={current.map(|i| format!("problem-{i}"))} {onkeydown}>
                <div class="spacer" ref={&rows.spacer} role="presentation">
                    <div class="window" ref={&rows.window} role="presentation">
                        { for (start..end).filter_map(|place| row(&list, place as usize, current)) }
                    </div>
                </div>
            </div>
            { for current.and_then(|i| list.problem(i)).map(|problem| explanation(problem, opened)) }
        </div>
    }
}

fn row(list: &List, place: usize, current: Option<usize>) -> Option<Html> {
    let problem = list.problem(place)?;
    let diagnostic = &problem.diagnostic;
    let selected = current == Some(place);
    Some(html! {
        <div key={place} id={format!("problem-{place}")} class={if selected { "problem sel" } else { "problem" }}
             role="option" aria-selected={selected.to_string()} data-problem={place.to_string()}
             aria-setsize={list.shown.len().to_string()} aria-posinset={(place + 1).to_string()}>
            { words::severity_mark(diagnostic.severity) }
            <span class="what">{ prose(&diagnostic.message) }</span>
            <span class="where mono">{ format!("{:#x}", diagnostic.primary.span.start) }</span>
            <span class="from">
                <span class="mono">{ &*diagnostic.rule }</span>
                <span class="dim">{ escaped(&problem.path) }</span>
            </span>
        </div>
    })
}

fn filters(list: &List) -> Html {
    let all = &list.props.view.opened.diagnostics;
    let filter = list.filter.clone();
    let oninput = Callback::from(move |_: InputEvent| {
        let text = text_of(FIELD).trim().to_ascii_lowercase();
        filter.change(|filter| filter.text = text);
    });
    let now = list.filter.get();
    html! {
        <div class="filters">
            <input id={FIELD} type="search" placeholder="Filter by text or rule" aria-label="Filter problems" {oninput} />
            { for SEVERITIES.iter().enumerate().filter_map(|(i, severity)| {
                let count = all.iter().filter(|p| p.diagnostic.severity == *severity).count() as u64;
                let on = !now.without.contains(severity);
                let (one, many) = match severity {
                    Severity::Error => ("error", "errors"),
                    Severity::Warning => ("warning", "warnings"),
                    Severity::Info => ("note", "notes"),
                };
                (count > 0).then(|| html! {
                    <button type="button" class={format!("toggle {}", words::severity_class(*severity))}
                            aria-pressed={on.to_string()} data-severity={i.to_string()}>
                        <span aria-hidden="true">{ words::severity_sign(*severity) }</span>
                        { words::counted(count, one, many) }
                    </button>
                })
            }) }
            <span class="grow" />
            <span class="dim" role="status">
                if list.shown.len() < all.len() { { format!("{} of {}", list.shown.len(), all.len()) } }
            </span>
            <span class="dim hint"><kbd>{ "[" }</kbd>{ " " }<kbd>{ "]" }</kbd>{ " walk" }</span>
        </div>
    }
}
