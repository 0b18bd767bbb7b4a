//! The Problems panel: findings of the driver model and the specification, worst first.

use std::rc::Rc;

use yew::prelude::*;

use super::props::PanelProps;
use crate::model::text::escaped;
use crate::model::{Severity, Tone};
use crate::ui::browser::dom::{focus, number_near, text_of};
use crate::ui::browser::keys::pressed;
use crate::ui::components::{explanation, prose};
use crate::ui::hooks::{
    Local, VirtualRows, use_change, use_local, use_row_count, use_virtual_rows,
};
use crate::ui::state::View;
use crate::ui::state::problem_list::{CLASSES, Class, Entry, Line, describe, entries, lines, rule};
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::state::verdict::outcome_text;
use crate::ui::text::format;

/// Row height in pixels; equals `--problem-row` in the styles.
const ROW: f64 = 40.0;
/// Element id of the filter field.
const FIELD: &str = "problem-filter";

/// Number of problems, and tone of the worst.
pub(super) fn badge(view: &View) -> Option<(u64, Tone)> {
    let all = entries(view);
    let tones = all
        .iter()
        .filter_map(|entry| Some(describe(view, *entry)?.tone));
    let worst = tones.max_by_key(|tone| match tone {
        Tone::Bad => 2,
        Tone::Warning => 1,
        Tone::Plain | Tone::Good => 0,
    })?;
    Some((all.len() as u64, worst))
}

#[derive(Clone, PartialEq, Default)]
struct Filter {
    text: String,
    /// Hidden classes.
    without: Vec<Class>,
    /// Expanded rules.
    open: Vec<(Class, String)>,
    /// The row chosen here.
    chosen: Option<Entry>,
    /// The rule was chosen instead of the problem, while this was the selection.
    as_rule: Option<u32>,
}

impl Filter {
    fn lets(&self, view: &View, entry: Entry) -> bool {
        let Some(problem) = describe(view, entry) else {
            return false;
        };
        let has = |text: &str| text.to_ascii_lowercase().contains(&self.text);
        !self.without.contains(&entry.class)
            && (self.text.is_empty()
                || has(problem.message)
                || has(problem.rule)
                || has(problem.path))
    }
}

struct List {
    props: PanelProps,
    filter: Local<Filter>,
    rows: Rc<VirtualRows>,
    /// Number of problems without the filter.
    all: Vec<Entry>,
    /// Number of problems that pass the filter.
    shown: usize,
    lines: Vec<Line>,
    current: Option<usize>,
}

impl List {
    fn new(props: &PanelProps, filter: Local<Filter>, rows: Rc<VirtualRows>) -> List {
        let view = &*props.view;
        let now = filter.get();
        let all = entries(view);
        let mut shown = all.clone();
        shown.retain(|entry| now.lets(view, *entry));
        let (serial, selected) = (view.selection.serial, view.selection.span);
        let rule_chosen = now.as_rule == Some(serial);
        let is_selected = |entry: &Entry| {
            describe(view, *entry).is_some_and(|problem| Some(problem.span) == selected)
        };
        let lines = lines(view, &shown, |rule, alike| {
            let class = alike.first().map(|entry| entry.class);
            let opened = now.open.iter().any(|(c, r)| Some(*c) == class && r == rule);
            // The selected problem stays visible, unless its rule was just collapsed.
            opened || !rule_chosen && alike.iter().any(is_selected)
        });
        let place = |wanted: &dyn Fn(&Line) -> bool| lines.iter().position(wanted);
        let current = match now.chosen {
            Some(entry) if rule_chosen => {
                place(&|line| matches!(line, Line::Rule(first, _, _) if *first == entry))
            }
            // Several problems may have the same bytes: prefer the one chosen here.
            Some(entry) if is_selected(&entry) => place(&|line| *line == Line::Entry(entry)),
            _ => None,
        };
        let current = current
            .or_else(|| place(&|line| matches!(line, Line::Entry(entry) if is_selected(entry))));
        List {
            props: props.clone(),
            filter,
            rows,
            all,
            shown: shown.len(),
            lines,
            current,
        }
    }

    fn choose(&self, place: usize) {
        let view = &self.props.view;
        match self.lines.get(place) {
            Some(Line::Entry(entry)) => {
                let entry = *entry;
                self.filter.change(|filter| {
                    filter.chosen = Some(entry);
                    filter.as_rule = None;
                });
                if let Some(problem) = describe(view, entry) {
                    self.props
                        .session
                        .0
                        .select_span(problem.span, SelectionOrigin::Jump);
                }
            }
            Some(Line::Rule(first, _, _)) => {
                let (first, serial) = (*first, view.selection.serial);
                self.filter.change(|filter| {
                    filter.chosen = Some(first);
                    filter.as_rule = Some(serial);
                });
            }
            _ => {}
        }
    }

    /// Expands or collapses the problems of a rule.
    fn fold(&self, place: usize, wanted: Option<bool>) {
        let Some(Line::Rule(first, _, open)) = self.lines.get(place) else {
            return;
        };
        let (first, open) = (*first, *open);
        if wanted == Some(open) {
            return;
        }
        self.choose(place);
        let rule = describe(&self.props.view, first).map_or("", |problem| problem.rule);
        self.filter.change(|filter| {
            filter
                .open
                .retain(|(class, r)| *class != first.class || r != rule);
            if !open {
                filter.open.push((first.class, rule.to_owned()));
            }
        });
    }

    /// The line of the group that contains a problem.
    fn rule_above(&self, place: usize) -> Option<usize> {
        let above = self
            .lines
            .get(..place)?
            .iter()
            .rposition(|line| matches!(line, Line::Rule(..) | Line::Class(..)))?;
        let folds = |line: &Line| {
            let Line::Rule(first, count, true) = line else {
                return false;
            };
            let _ = first;
            (place - above) as u64 <= *count
        };
        self.lines.get(above).filter(|line| folds(line))?;
        Some(above)
    }

    /// The next selectable line in a direction.
    fn near(&self, mut place: usize, forward: bool) -> usize {
        while matches!(self.lines.get(place), Some(Line::Class(..))) {
            if !forward && place == 0 {
                return self.near(0, true);
            }
            place = if forward { place + 1 } else { place - 1 };
        }
        place
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        let last = self.lines.len().saturating_sub(1);
        let page = self.rows.page() as usize;
        let (at, forward) = match (key.as_str(), self.current) {
            ("ArrowDown", Some(i)) => (i + 1, true),
            ("ArrowUp", Some(i)) => (i.saturating_sub(1), false),
            ("PageDown", Some(i)) => (i + page, true),
            ("PageUp", Some(i)) => (i.saturating_sub(page), false),
            ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp" | "Home", _) => (0, true),
            ("End", _) => (last, false),
            ("Enter" | " ", Some(i)) => {
                event.prevent_default();
                return self.fold(i, None);
            }
            ("ArrowRight", Some(i)) => {
                event.prevent_default();
                return self.fold(i, Some(true));
            }
            ("ArrowLeft", Some(i)) => {
                event.prevent_default();
                return match self.rule_above(i) {
                    Some(above) => self.choose(above),
                    None => self.fold(i, Some(false)),
                };
            }
            _ => return,
        };
        event.prevent_default();
        self.choose(self.near(at.min(last), forward));
    }

    fn click(&self, event: &MouseEvent) {
        if let Some(place) = number_near(event, "data-problem") {
            focus(&self.rows.container);
            let place = place as usize;
            match self.lines.get(place) {
                Some(Line::Rule(..)) => self.fold(place, None),
                _ => self.choose(place),
            }
        } else if let Some(class) = number_near(event, "data-class") {
            let Some(class) = CLASSES.get(class as usize) else {
                return;
            };
            self.filter.change(|filter| {
                let before = filter.without.len();
                filter.without.retain(|c| c != class);
                if filter.without.len() == before {
                    filter.without.push(*class);
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
    let list = Rc::new(List::new(props, filter, Rc::clone(&rows)));
    use_row_count(&rows, list.lines.len() as u64);
    let current = list.current;
    let here = Rc::clone(&list);
    let reveal = move || {
        if let Some(current) = here.current {
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
    if list.all.is_empty() && awaits(&props.view) {
        return html! {
            <div class="panel calm">
                <p>{ "The file is well-formed." }</p>
                <p class="dim" role="status">{ "What the driver does with it is not known yet …" }</p>
            </div>
        };
    }
    if list.all.is_empty() && props.view.opened.summary.has.package {
        return html! {
            <div class="panel calm">
                <p>{ "No problems found so far." }</p>
                <p class="dim">{ "The files in it are checked when they are opened, or when their kernels are read." }</p>
            </div>
        };
    }
    if list.all.is_empty() {
        return html! {
            <div class="panel calm">
                <p><span class="sign ok" aria-hidden="true">{ "✓" }</span>{ "No problems found." }</p>
                <p class="dim">{ "All tables were checked against all rules." }</p>
            </div>
        };
    }
    let (start, end) = rows.shown();
    html! {
        <div class="panel problems" {onclick}>
            { filters(&list) }
            if list.shown == 0 {
                <p class="none">{ "No problems match the filter." }</p>
            }
            <div class="scroll" ref={&rows.container} role="listbox" tabindex="0" aria-label="Problems"
                 aria-activedescendant={current.map(|i| format!("problem-{i}"))} {onkeydown}>
                <div class="spacer" ref={&rows.spacer} role="presentation">
                    <div class="window" ref={&rows.window} role="presentation">
                        { for (start..end).filter_map(|place| line(&list, place as usize)) }
                    </div>
                </div>
            </div>
            // Always one child, so that Yew does not recreate the list, which would lose the focus.
            if let Some(explained) = current.and_then(|place| explained(&list, place)) { { explained } }
        </div>
    }
}

/// Whether findings of the driver may follow.
fn awaits(view: &View) -> bool {
    view.awaits_verdict() && view.opened.summary.anywhere().loadable
}

fn explained(list: &List, place: usize) -> Option<Html> {
    match list.lines.get(place)? {
        Line::Entry(entry) => explanation(&list.props.view, *entry, false),
        Line::Rule(first, _, _) => explanation(&list.props.view, *first, true),
        Line::Class(..) => None,
    }
}

fn line(list: &List, place: usize) -> Option<Html> {
    let view = &*list.props.view;
    let selected = list.current == Some(place);
    let class = if selected { "problem sel" } else { "problem" };
    let (mark, what, place_text, rule_text, from) = match list.lines.get(place)? {
        Line::Class(class, count) => return Some(heading(view, place, *class, *count)),
        Line::Entry(entry) => {
            let problem = describe(view, *entry)?;
            (
                format::tone_mark(problem.tone, meaning(&problem)),
                prose(problem.message),
                format!("{:#x}", problem.span.start),
                problem.rule,
                escaped(problem.path),
            )
        }
        Line::Rule(first, count, open) => {
            let problem = describe(view, *first)?;
            let summary = rule(view, *first).map_or(problem.rule, |rule| &*rule.summary);
            (
                format::tone_mark(problem.tone, meaning(&problem)),
                prose(summary),
                format!(
                    "{} {}",
                    format::grouped(*count),
                    if *open { "▾" } else { "▸" }
                ),
                problem.rule,
                if *open {
                    "Enter: collapse"
                } else {
                    "Enter: expand"
                }
                .to_owned(),
            )
        }
    };
    Some(html! {
        <div key={place} id={format!("problem-{place}")} {class}
             role="option" aria-selected={selected.to_string()} data-problem={place.to_string()}
             aria-setsize={list.lines.len().to_string()} aria-posinset={(place + 1).to_string()}>
            { mark }
            <span class="what">{ what }</span>
            <span class="where mono">{ place_text }</span>
            <span class="from">
                <span class="mono">{ rule_text.to_owned() }</span>
                <span class="dim">{ from }</span>
            </span>
        </div>
    })
}

/// Name of the severity.
fn meaning(problem: &crate::ui::state::problem_list::ProblemDetail<'_>) -> &'static str {
    match (problem.effect, problem.tone) {
        (Some(effect), _) => effect.words(),
        (None, Tone::Bad) => "error",
        (None, Tone::Warning) => "warning",
        (None, _) => "note",
    }
}

fn heading(view: &View, place: usize, class: Class, count: u64) -> Html {
    let title = match class {
        Class::Driver => view.driver_verdict().map_or_else(String::new, |verdict| {
            let device = verdict.device.as_deref().unwrap_or("any device");
            format!(
                "Driver {} on {device}: {}",
                verdict.driver,
                outcome_text(verdict)
            )
        }),
        Class::Error => "Errors: the file violates the specification".to_owned(),
        Class::Warning => "Warnings: legal, but some tools may fail".to_owned(),
        Class::Info => "Notes".to_owned(),
    };
    html! {
        <div key={place} class="problem-class" role="presentation">
            <b>{ title }</b><span class="dim">{ format::grouped(count) }</span>
        </div>
    }
}

fn filters(list: &List) -> Html {
    let filter = list.filter.clone();
    let oninput = Callback::from(move |_: InputEvent| {
        let text = text_of(FIELD).trim().to_ascii_lowercase();
        filter.change(|filter| filter.text = text);
    });
    let now = list.filter.get();
    html! {
        <div class="filters">
            <input id={FIELD} type="search" placeholder="Text or rule" aria-label="Filter problems" {oninput} />
            { for CLASSES.iter().enumerate().filter_map(|(i, class)| {
                let count = list.all.iter().filter(|entry| entry.class == *class).count() as u64;
                let on = !now.without.contains(class);
                let (sign, color, one, many) = match class.severity() {
                    None => ("▸", "info", "driver finding", "driver findings"),
                    Some(severity) => {
                        let (one, many) = match severity {
                            Severity::Error => ("error", "errors"),
                            Severity::Warning => ("warning", "warnings"),
                            Severity::Info => ("note", "notes"),
                        };
                        (format::severity_sign(severity), format::severity_class(severity), one, many)
                    }
                };
                (count > 0).then(|| html! {
                    <button type="button" class={format!("toggle {color}")}
                            aria-pressed={on.to_string()} data-class={i.to_string()}>
                        <span aria-hidden="true">{ sign }</span>
                        { format::counted(count, one, many) }
                    </button>
                })
            }) }
            <span class="grow" />
            <span class="dim" role="status">
                if awaits(&list.props.view) { { "Asking the driver model … " } }
                if list.shown < list.all.len() { { format!("{} of {}", list.shown, list.all.len()) } }
            </span>
            <span class="dim hint"><kbd>{ "[" }</kbd>{ " " }<kbd>{ "]" }</kbd>{ " previous, next" }</span>
        </div>
    }
}
