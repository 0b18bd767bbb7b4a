//! A kernel in step: its source, SPIR-V, vISA and instructions side by side. Lines that belong
//! together have the same color; pointing at one marks the others, choosing one scrolls to them.

use std::rc::Rc;

use yew::prelude::*;

use crate::model::text::escaped;
use crate::model::{NodeId, Span};
use crate::step::{Basis, StepKind, StepLine};
use crate::tables::{CodeRow, ListId};
use crate::ui::browser::dom::{focus, number_near};
use crate::ui::browser::keys::pressed;
use crate::ui::components::prose;
use crate::ui::components::ptr_eq::PtrEq;
use crate::ui::hooks::{
    Local, VirtualRows, use_change, use_local, use_row_count, use_virtual_rows,
};
use crate::ui::panels::{PanelProps, assembly, data_flow, profile};
use crate::ui::session::{Session, SessionContext};
use crate::ui::state::View;
use crate::ui::state::commands::Command;
use crate::ui::text::format;
use crate::worker::client::ClientError;
use crate::worker::protocol::{
    CodeSamples, FlowOverview, Request, Response, StepHead, StepPlace, StepReport, StepRows,
};

/// Height of a row in pixels: `--step-row` in `www/styles/step.css`.
const ROW: f64 = 16.0;

/// Number of lines that are asked for at once.
const PAGE: u32 = 128;

/// Number of colors: `band-0` and so on in `www/styles/step.css`.
const BANDS: u32 = 6;

/// What the panel shows.
#[derive(Clone, PartialEq, Default)]
struct Shown {
    /// The kernel; `None` until it is read.
    report: Option<Rc<StepReport>>,
    failed: Option<AttrValue>,
    /// Number of the answer: lines of another one are others.
    run: u32,
    /// The columns that are hidden, by their indices.
    hidden: Vec<usize>,
    /// The points under the pointer.
    lit: Rc<[u32]>,
    /// The chosen line: its column and row.
    chosen: Option<(usize, u32)>,
    /// The lines of each column that belong to it, and how often it was chosen.
    found: Rc<Vec<Vec<u32>>>,
    turn: usize,
    /// Number of choices: each scrolls.
    choices: u32,
}

impl Shown {
    /// Returns the row that a column scrolls to: of several places, the next one each time.
    fn goal(&self, column: usize) -> Option<u32> {
        let rows = self.found.get(column).filter(|rows| !rows.is_empty())?;
        rows.get(self.turn % rows.len()).copied()
    }

    fn is_hidden(&self, column: usize) -> bool {
        self.hidden.contains(&column)
    }
}

/// The panel.
#[component]
pub fn StepPanel(props: &PanelProps) -> Html {
    let shown = use_local::<Shown>();
    let list = props.view.lists.get(ListId::Instructions);
    let document = list.document.unwrap_or(props.view.selection.document());
    let subject = Subject {
        session: props.session.clone(),
        shown: shown.clone(),
    };
    // Another kernel, section, or text of the source.
    let of = list.query.of.map_or(u64::MAX, |span| span.start);
    let here = subject.clone();
    let view = props.view.clone();
    use_change(
        [document.0.into(), of, list.rows.generation.into(), 0],
        Box::new(move || here.read(&view, document)),
    );
    // Live registers and samples beside the instructions.
    let session = props.session.clone();
    use_change(
        [
            props.view.opening.into(),
            of,
            list.rows.generation.into(),
            1,
        ],
        Box::new(move || session.0.follow_code()),
    );
    let here = subject.clone();
    let selected = props.view.selection.span;
    let now = shown.get();
    use_change(
        [props.view.selection.serial.into(), now.run.into(), 0, 0],
        Box::new(move || here.follow(selected)),
    );
    if let Some(why) = &now.failed {
        return html! { <div class="panel calm"><p class="warn" role="alert">{ prose(why) }</p></div> };
    }
    let Some(report) = now.report.clone() else {
        return html! { <div class="panel calm"><p class="dim" role="status">{ "Reading the kernel …" }</p></div> };
    };
    let here = subject.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        if let Some(column) = number_near(&event, "data-column-toggle") {
            here.toggle(column as usize);
        }
    });
    let here = subject.clone();
    let count = report.columns.len();
    let onkeydown = Callback::from(move |event: KeyboardEvent| {
        let digit = pressed(&event).and_then(|key| key.parse::<usize>().ok());
        if let Some(column) = digit
            .and_then(|digit| digit.checked_sub(1))
            .filter(|at| *at < count)
        {
            event.prevent_default();
            here.toggle(column);
        }
    });
    let flow = props
        .view
        .flow()
        .filter(|flow| flow.of == report.code)
        .cloned();
    let samples = props.view.profile.samples_of(Some(report.code)).cloned();
    let columns = report.columns.iter().enumerate();
    let visible = columns.filter(|(at, _)| !now.is_hidden(*at));
    html! {
        <div class="panel step" {onclick} {onkeydown}>
            <div class="step-bar">
                // The header says it, too.
                if !props.has_header { <b class="mono" title={escaped(&report.kernel)}>{ crate::ui::components::shortened(&escaped(&report.kernel)) }</b> }
                { for report.columns.iter().enumerate().map(|(at, head)| toggle(at, head, now.is_hidden(at))) }
                <span class="dim" role="status">{ basis(&report) }</span>
                { for report.notes.iter().map(|note| html! { <span class="dim note">{ escaped(note) }</span> }) }
            </div>
            <div class="step-columns">
                { for visible.map(|(at, head)| html! {
                    <Column key={key(&report, at, head)} session={props.session.clone()} column={at}
                            head={head.clone()} run={now.run} lit={now.lit.clone()}
                            chosen={now.chosen.filter(|(of, _)| *of == at).map(|(_, row)| row)}
                            goal={now.goal(at)} found={now.found.clone()} choices={now.choices}
                            subject={PtrEq::new(subject.clone())} code={report.code}
                            flow={flow.clone().filter(|_| head.kind == StepKind::Instructions)}
                            samples={samples.clone().filter(|_| head.kind == StepKind::Instructions)} />
                }) }
            </div>
        </div>
    }
}

/// What a column keeps when the kernel is read again: its element, with the focus.
fn key(report: &StepReport, at: usize, head: &StepHead) -> String {
    let mut before = report.columns.iter().take(at);
    let number = if before.any(|other| is_same(other, head)) {
        at
    } else {
        0
    };
    format!("{} {} {number}", head.kind.words(), head.title)
}

/// Whether two columns of two answers are the same one.
fn is_same(one: &StepHead, other: &StepHead) -> bool {
    one.kind == other.kind && one.title == other.title
}

/// What ties the columns, in words.
fn basis(report: &StepReport) -> &'static str {
    match report.basis {
        Basis::Lines => "tied by source lines",
        Basis::Names => "tied by names",
        Basis::None => "not tied: no source lines, and no names in common",
    }
}

/// The button that shows and hides a column.
fn toggle(at: usize, head: &StepHead, is_hidden: bool) -> Html {
    let title = format!("{} (key {})", head.title, at + 1);
    html! {
        <button type="button" class="toggle info" aria-pressed={(!is_hidden).to_string()}
                data-column-toggle={at.to_string()} {title}>
            { column_name(head) }
        </button>
    }
}

/// The name of a column: that of the file for a source.
fn column_name(head: &StepHead) -> String {
    match head.kind {
        StepKind::Source => escaped(crate::analysis::source_lines::base_name(&head.title)),
        kind => kind.words().to_owned(),
    }
}

/// The panel's state, and who changes it.
#[derive(Clone)]
struct Subject {
    session: SessionContext,
    shown: Local<Shown>,
}

impl Subject {
    /// Reads the kernel.
    fn read(&self, view: &View, document: NodeId) {
        let Some((tab, _)) = self.session.0.active() else {
            return;
        };
        let query = view.lists.get(ListId::Instructions).query.clone();
        let request = Request::Step { document, query };
        let here = self.clone();
        let then = move |session: &Rc<Session>, answer| match answer {
            Ok(Response::Step(report)) => here.show(*report),
            Err(ClientError::Failed(why)) => here.shown.change(|shown| {
                *shown = Shown {
                    failed: Some(why.into()),
                    run: shown.run,
                    ..Shown::default()
                };
            }),
            Err(error) => session.handle_error(tab, &error),
            Ok(_) => {}
        };
        self.session.0.ask_then(tab, request, Box::new(then));
    }

    fn show(&self, report: StepReport) {
        let before = self.shown.get();
        let known = before.report.as_ref();
        // The same kernel is read again when a source file was added.
        let known = known.filter(|known| known.code == report.code);
        // Of several source files, the one with the most lines of the kernel; of the forms of a
        // compiler, the nearest to the hardware that still has blocks of data.
        let mut has_source = false;
        let mut hidden = Vec::new();
        let mut chosen = None;
        for (at, head) in report.columns.iter().enumerate() {
            let others_hide = match head.kind {
                StepKind::Source => std::mem::replace(&mut has_source, true),
                StepKind::Ttir | StepKind::Llvm => true,
                _ => false,
            };
            let place =
                known.and_then(|known| known.columns.iter().position(|other| is_same(other, head)));
            if place.map_or(others_hide, |place| before.is_hidden(place)) {
                hidden.push(at);
            }
            let of = before.chosen.filter(|(column, _)| Some(*column) == place);
            chosen = of.map(|(_, row)| (at, row)).or(chosen);
        }
        self.shown.change(|shown| {
            *shown = Shown {
                report: Some(Rc::new(report)),
                run: shown.run.wrapping_add(1),
                hidden,
                chosen,
                ..Shown::default()
            };
        });
    }

    fn toggle(&self, column: usize) {
        self.shown.change(|shown| {
            let before = shown.hidden.len();
            shown.hidden.retain(|at| *at != column);
            if shown.hidden.len() == before {
                shown.hidden.push(column);
            }
        });
    }

    fn light(&self, points: &[u32]) {
        if *self.shown.get().lit != *points {
            self.shown.change(|shown| shown.lit = points.into());
        }
    }

    /// Marks what belongs to the selected bytes, unless they were chosen here.
    fn follow(&self, selected: Option<Span>) {
        let Some(span) = selected else { return };
        if self.shown.get().report.is_none() {
            return;
        }
        let here = self.clone();
        self.ask(StepPlace::Bytes(span), move |found| {
            let Some(column) = found.rows.iter().position(|rows| !rows.is_empty()) else {
                return;
            };
            let is_own = here.shown.get().chosen.is_some_and(|(column, row)| {
                found
                    .rows
                    .get(column)
                    .is_some_and(|rows| rows.contains(&row))
            });
            if is_own {
                // The kernel was read again: what belonged to the line has other rows.
                here.shown.change(|shown| {
                    if shown.found.is_empty() {
                        shown.found = Rc::new(found.rows);
                        shown.choices = shown.choices.wrapping_add(1);
                    }
                });
            } else {
                here.shown.change(|shown| {
                    let row = found
                        .rows
                        .get(column)
                        .and_then(|rows| rows.first())
                        .copied();
                    shown.chosen = row.map(|row| (column, row));
                    shown.found = Rc::new(found.rows);
                    shown.turn = 0;
                    shown.choices = shown.choices.wrapping_add(1);
                });
            }
        });
    }

    /// Chooses a line: scrolls the other columns to what belongs to it, and selects its bytes. Of a
    /// line that was chosen before, the next places. `None` is a line that was not read yet.
    fn choose(&self, column: usize, row: u32, line: Option<&StepLine>) {
        let is_again = self.shown.get().chosen == Some((column, row));
        self.shown.change(|shown| {
            shown.chosen = Some((column, row));
            shown.turn = if is_again {
                shown.turn.wrapping_add(1)
            } else {
                0
            };
            if !is_again {
                shown.found = Rc::default();
            }
            shown.choices = shown.choices.wrapping_add(1);
        });
        match line {
            Some(line) => self.show_related(column, row, line, is_again),
            None => {
                let here = self.clone();
                self.ask_lines(column as u32, row, 1, move |answer| {
                    let is_due = here.shown.get().chosen == Some((column, row));
                    if let (Some((lines, _)), true) = (answer, is_due)
                        && let Some(line) = lines.first()
                    {
                        here.show_related(column, row, line, false);
                    }
                });
            }
        }
    }

    /// Marks the rows of other columns that belong to the chosen line, and selects its bytes.
    fn show_related(&self, column: usize, row: u32, line: &StepLine, is_again: bool) {
        if let Some(point) = line.points.first().copied().filter(|_| !is_again) {
            let here = self.clone();
            self.ask(StepPlace::Point(point), move |found| {
                here.shown.change(|shown| {
                    if shown.chosen == Some((column, row)) {
                        shown.found = Rc::new(found.rows);
                        shown.choices = shown.choices.wrapping_add(1);
                    }
                });
            });
        }
        if let Some(span) = line.span {
            self.session.0.run(Command::Select(span));
        }
    }

    /// Reads lines of a column, unless another kernel is read meanwhile. `None` if it fails.
    fn ask_lines(
        &self,
        column: u32,
        start: u32,
        count: u32,
        then: impl FnOnce(Option<Lines>) + 'static,
    ) {
        let Some((tab, _)) = self.session.0.active() else {
            return;
        };
        let run = self.shown.get().run;
        let here = self.clone();
        let then = move |session: &Rc<Session>, answer| {
            if here.shown.get().run != run {
                return;
            }
            match answer {
                Ok(Response::StepLines(lines, codes)) => then(Some((lines, codes))),
                Ok(_) => {}
                Err(error) => {
                    then(None);
                    session.handle_error(tab, &error);
                }
            }
        };
        let request = Request::StepLines {
            column,
            start,
            count,
        };
        self.session.0.ask_then(tab, request, Box::new(then));
    }

    fn ask(&self, place: StepPlace, then: impl FnOnce(StepRows) + 'static) {
        let Some((tab, _)) = self.session.0.active() else {
            return;
        };
        let run = self.shown.get().run;
        let here = self.clone();
        let then = move |_: &Rc<Session>, answer: Result<Response, ClientError>| {
            if let Ok(Response::StepRows(found)) = answer
                && here.shown.get().run == run
            {
                then(found);
            }
        };
        let request = Request::StepRows(place);
        self.session.0.ask_then(tab, request, Box::new(then));
    }
}

#[derive(Properties, Clone, PartialEq)]
struct ColumnProps {
    session: SessionContext,
    column: usize,
    head: StepHead,
    run: u32,
    lit: Rc<[u32]>,
    chosen: Option<u32>,
    goal: Option<u32>,
    found: Rc<Vec<Vec<u32>>>,
    choices: u32,
    subject: PtrEq<Subject>,
    /// The code of the instructions.
    code: Span,
    /// Its data flow and samples, as far as they are known.
    flow: Option<Rc<FlowOverview>>,
    samples: Option<Rc<CodeSamples>>,
}

/// Lines as they are read: with the code of each, if they are instructions.
type Lines = (Vec<StepLine>, Vec<CodeRow>);

/// Lines of a column; with the code of each, if they are instructions.
struct Page {
    lines: Vec<StepLine>,
    codes: Vec<CodeRow>,
}

/// The pages of a column that were asked for.
#[derive(Clone, Default)]
struct Pages {
    /// Number of changes: the pages themselves are too large to compare.
    version: u32,
    requested: Rc<Vec<RequestedPage>>,
}

/// A page that was requested.
#[derive(Clone)]
struct RequestedPage {
    number: u32,
    /// The answer that it belongs to.
    run: u32,
    /// `None` until the lines are there.
    page: Option<Rc<Page>>,
}

impl PartialEq for Pages {
    fn eq(&self, other: &Pages) -> bool {
        self.version == other.version
    }
}

impl Pages {
    /// Whether a page of this answer was requested.
    fn has(&self, number: u32, run: u32) -> bool {
        self.get(number, run).is_some()
    }

    fn get(&self, number: u32, run: u32) -> Option<&RequestedPage> {
        let mut pages = self.requested.iter();
        pages.find(|page| page.number == number && page.run == run)
    }

    /// Replaces a page: by `None` when it is requested, then by its lines.
    fn set(&mut self, number: u32, run: u32, page: Option<Rc<Page>>) {
        self.remove(number);
        let requested = Rc::make_mut(&mut self.requested);
        requested.push(RequestedPage { number, run, page });
    }

    fn remove(&mut self, number: u32) {
        Rc::make_mut(&mut self.requested).retain(|page| page.number != number);
        self.version = self.version.wrapping_add(1);
    }

    /// Returns a line, unless it is of another answer: its points are numbered differently there.
    fn line(&self, row: u32, run: u32) -> Option<(&StepLine, Option<&CodeRow>)> {
        let page = self.get(row / PAGE, run)?.page.as_ref()?;
        let at = (row % PAGE) as usize;
        Some((page.lines.get(at)?, page.codes.get(at)))
    }
}

/// A column of lines.
#[component]
fn Column(props: &ColumnProps) -> Html {
    let rows = use_virtual_rows(ROW);
    let pages = use_local::<Pages>();
    use_row_count(&rows, props.head.count.into());
    let (start, end) = rows.shown();
    let here = (props.clone(), pages.clone());
    use_change(
        [
            start / u64::from(PAGE),
            end.div_ceil(PAGE.into()),
            props.run.into(),
            0,
        ],
        Box::new(move || need(&here.0, &here.1, start, end)),
    );
    let here = Rc::clone(&rows);
    let goal = props.goal.or(props.chosen);
    let is_own = props.chosen.is_some();
    let reveal = move || match goal {
        Some(row) if is_own => here.reveal(row.into()),
        Some(row) => here.center(row.into()),
        None => {}
    };
    let goal_number = goal.map_or(u64::MAX, u64::from);
    use_change([props.choices.into(), goal_number, 0, 0], Box::new(reveal));
    let known = pages.get();
    let act = Actions {
        props: props.clone(),
        pages: pages.clone(),
        rows: Rc::clone(&rows),
    };
    let here = act.clone();
    let onclick = Callback::from(move |event: MouseEvent| {
        if let Some(row) = number_near(&event, "data-line") {
            focus(&here.rows.container);
            here.choose(row as u32);
        }
    });
    let here = act.clone();
    let onmousemove = Callback::from(move |event: MouseEvent| {
        let line = number_near(&event, "data-line").and_then(|row| here.line(row as u32));
        here.props
            .subject
            .light(line.as_ref().map_or(&[], |line| &line.points));
    });
    let here = act.clone();
    let onmouseleave = Callback::from(move |_: MouseEvent| here.props.subject.light(&[]));
    let onkeydown = Callback::from(move |event: KeyboardEvent| act.key(&event));
    let name = column_name(&props.head);
    let id = |row: u32| format!("step-{}-{row}", props.column);
    let found = props.found.get(props.column).cloned().unwrap_or_default();
    html! {
        <section class="step-column" aria-label={name.clone()}>
            <div class="step-head"><b>{ name.clone() }</b>
                <span class="dim">{ format::counted(props.head.count.into(), "line", "lines") }</span>
            </div>
            <div class={classes!("scroll", "mono", (props.head.kind == StepKind::Instructions).then_some("code"))} ref={&rows.container} role="listbox" tabindex="0" aria-label={format!("Lines of {name}")}
                 aria-activedescendant={props.chosen.map(id)} {onclick} {onmousemove} {onmouseleave} {onkeydown}>
                <div class="spacer" ref={&rows.spacer} role="presentation">
                    <div class="window" ref={&rows.window} role="presentation">
                        { for (start..end).map(|row| row as u32).map(|row| {
                            let is_found = found.binary_search(&row).is_ok();
                            view_line(props, row, known.line(row, props.run), is_found, id(row))
                        }) }
                    </div>
                </div>
            </div>
        </section>
    }
}

fn view_line(
    props: &ColumnProps,
    row: u32,
    line: Option<(&StepLine, Option<&CodeRow>)>,
    is_found: bool,
    id: String,
) -> Html {
    let is_chosen = props.chosen == Some(row);
    let mut class = "step-line".to_owned();
    let points = line.map_or(&[][..], |(line, _)| &line.points);
    if let Some(point) = points.first() {
        class.push_str(&format!(" band-{}", point % BANDS));
    }
    if points.iter().any(|point| props.lit.contains(point)) {
        class.push_str(" lit");
    }
    if is_found {
        class.push_str(" found");
    }
    if is_chosen {
        class.push_str(" sel");
    }
    html! {
        <div key={row} {id} {class} role="option" aria-selected={is_chosen.to_string()}
             aria-setsize={props.head.count.to_string()} aria-posinset={(row + 1).to_string()}
             data-line={row.to_string()}>
            { match line {
                Some((line, Some(code))) => instruction(props, line, code),
                Some((line, None)) => html! { <>
                    <span class="no dim">{ line.number.to_string() }</span>
                    <span class="text">
                        if !line.label.is_empty() { <b>{ format!("{}: ", line.label) }</b> }
                        { escaped(&line.text) }
                    </span>
                </> },
                None => html! { <span class="no dim">{ "…" }</span> },
            } }
        </div>
    }
}

/// An instruction as in the listing: its offset, live registers, samples, text and options.
fn instruction(props: &ColumnProps, line: &StepLine, code: &CodeRow) -> Html {
    let row = u64::from(line.number);
    let offset = line
        .span
        .map(|span| span.start.saturating_sub(props.code.start));
    let text = line.text.split(" // ").next().unwrap_or("");
    html! { <>
        <span class="no dim">{ offset.map(|offset| format!("{offset:x}")) }</span>
        { assembly::scratch_letter(code) }
        if let Some(flow) = &props.flow { <span class="now">{ data_flow::live(flow, row) }</span> }
        if let Some(samples) = &props.samples { <span class="now">{ profile::cell(samples, row) }</span> }
        { assembly::line(code, text) }
        <span class={classes!("swsb", code.is_compacted.then_some("compact"))}>{ code.options.clone() }</span>
        <span class="message">{ escaped(&code.message) }</span>
    </> }
}

/// Asks for the pages of rows that are not known.
fn need(props: &ColumnProps, pages: &Local<Pages>, start: u64, end: u64) {
    let first = (start / u64::from(PAGE)) as u32;
    let last = (end.saturating_sub(1) / u64::from(PAGE)) as u32;
    let run = props.run;
    for page in first..=last {
        if start >= end || pages.get().has(page, run) {
            continue;
        }
        pages.change(|pages| pages.set(page, run, None));
        let here = pages.clone();
        let column = props.column as u32;
        let then = move |answer: Option<Lines>| {
            here.change(|pages| match answer {
                Some((lines, codes)) => pages.set(page, run, Some(Rc::new(Page { lines, codes }))),
                None => pages.remove(page),
            });
        };
        props.subject.ask_lines(column, page * PAGE, PAGE, then);
    }
}

/// What a column does.
#[derive(Clone)]
struct Actions {
    props: ColumnProps,
    pages: Local<Pages>,
    rows: Rc<VirtualRows>,
}

impl Actions {
    fn line(&self, row: u32) -> Option<StepLine> {
        self.pages
            .get()
            .line(row, self.props.run)
            .map(|(line, _)| line.clone())
    }

    fn choose(&self, row: u32) {
        let line = self.line(row);
        self.props
            .subject
            .choose(self.props.column, row, line.as_ref());
    }

    fn key(&self, event: &KeyboardEvent) {
        let Some(key) = pressed(event) else { return };
        let last = self.props.head.count.saturating_sub(1);
        let page = self.rows.page() as u32;
        let at = match (key.as_str(), self.props.chosen) {
            ("ArrowDown", Some(row)) => row.saturating_add(1),
            ("ArrowUp", Some(row)) => row.saturating_sub(1),
            ("PageDown", Some(row)) => row.saturating_add(page),
            ("PageUp", Some(row)) => row.saturating_sub(page),
            ("Enter", Some(row)) => row,
            ("ArrowDown" | "ArrowUp" | "PageDown" | "PageUp" | "Home", _) => 0,
            ("End", _) => last,
            _ => return,
        };
        event.prevent_default();
        self.choose(at.min(last));
    }
}
