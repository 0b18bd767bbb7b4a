//! What buttons and keys of the whole page do.
//!
//! A button says in the page what it does: `data-do="panel" data-with="2"`. So the page needs
//! one listener and not one for each button.

use std::rc::Rc;

use super::components::{SAMPLES, value_view};
use super::hooks::{Session, focus_by_id, link_to};
use super::panels;
use super::problem_list;
use super::readings;
use super::selection::Via;
use super::state::{Action, Dialog, Layout, Tab, TabId, View};
use crate::model::{NodeId, SourceId, Span};
use crate::worker::protocol::ExportForm;

/// No more bytes are copied as text.
pub const COPY_MAX: u64 = 1024 * 1024;

/// The bytes that a button leads to, as `data-with` has them.
pub fn with_span(span: Span) -> String {
    format!("{} {} {}", span.source.0, span.start, span.end)
}

fn read_span(with: &str) -> Option<Span> {
    let mut words = with.split(' ');
    let source = SourceId(words.next()?.parse().ok()?);
    let start = words.next()?.parse().ok()?;
    Some(Span::new(source, start, words.next()?.parse().ok()?))
}

/// Does what a button says.
pub fn click(session: &Rc<Session>, what: &str, with: &str) {
    let number: u32 = with.parse().unwrap_or(0);
    let tab = TabId(number);
    match what {
        "open" => session.choose(None),
        "reopen" => session.reopen(tab),
        "sample" => {
            if let Some(sample) = SAMPLES.get(number as usize) {
                session.open_sample(sample.file);
            }
        }
        "tab" => session.dispatch(Action::Activate(tab)),
        "close" => session.close(tab),
        "retry" => session.retry(tab),
        "dialog" => session.dispatch(Action::Dialog(Some(match with {
            "link" => Dialog::Link,
            "goto" => Dialog::GoTo,
            "rules" => Dialog::Rules,
            _ => Dialog::Help,
        }))),
        "theme" => session.next_theme(),
        "span" => {
            if let Some(span) = read_span(with) {
                session.select_span(span, Via::Jump);
            }
        }
        "kernels" => session.kernel_act(with),
        "modules" => session.module_act(with),
        "judge" => session.judge_on(with),
        "list" => session.list_act(with),
        "level" => session.select_above(number as usize),
        "part" => session.select_part(number.into()),
        "panel" => {
            if let Some(panel) = panels::PANELS.get(number as usize) {
                session.dispatch(Action::Panel(panel.id));
            }
        }
        "layout" => {
            let mut layout = session.state().layout;
            rearrange(&mut layout, with);
            session.dispatch(Action::Layout(layout));
        }
        _ => with_selection(session, what),
    }
}

fn rearrange(layout: &mut Layout, with: &str) {
    match with {
        "structure" => layout.upper_is_panel = false,
        "bytes" => layout.lower_is_inspector = false,
        "inspector" => layout.lower_is_inspector = true,
        "parts" => layout.more_parts = true,
        _ => {}
    }
}

/// What can be done with what is selected.
fn with_selection(session: &Rc<Session>, what: &str) {
    let state = session.state();
    let Some(tab) = state.active() else { return };
    let Some(view) = tab.view() else { return };
    let row = view.row();
    let span = view.selection.span;
    match what {
        "copy-link" => {
            if let Some(link) = link(tab, view) {
                session.copy(link, "Link");
            }
        }
        "copy-value" => session.copy(value_view::plain(&row.value), "Value"),
        "copy-path" => {
            if let Some(detail) = view.detail() {
                session.copy(detail.path.clone(), "Path");
            }
        }
        "save" => {
            if let Some(span) = span {
                session.save_bytes(span, name(view, "bin"));
            }
        }
        "json" => session.export(row.id, ExportForm::Json, Some(name(view, "json"))),
        "text" => session.export(row.id, ExportForm::Text, None),
        _ => {
            let write = match what {
                "hex" => readings::hex_text,
                "c" => readings::c_array,
                "rust" => readings::rust_array,
                _ => return,
            };
            if let Some(span) = span.filter(|span| span.len() <= COPY_MAX) {
                session.copy_bytes(span, write);
            }
        }
    }
}

fn link(tab: &Tab, view: &View) -> Option<String> {
    let target = view.selection.target(&view.detail()?.path);
    Some(link_to(&tab.origin, target.as_ref()))
}

/// A name for a part of a file that any file system takes.
fn name(view: &View, extension: &str) -> String {
    let part = match view.row().id {
        NodeId::ROOT => "",
        _ => &view.row().name,
    };
    file_name([&view.opened.name, part], extension)
}

/// Words as the name of a file.
pub(super) fn file_name(words: [&str; 2], extension: &str) -> String {
    const LONG: usize = 60;
    let mut name = String::new();
    for (i, word) in words.into_iter().enumerate() {
        if word.is_empty() {
            break;
        }
        if i == 1 {
            name.push('-');
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
        name.extend(
            word.chars()
                .take(LONG)
                .map(|c| if plain(c) { c } else { '_' }),
        );
    }
    name.push('.');
    name.push_str(extension);
    name
}

/// What a key does that nothing in the page has a use for; says whether it did anything.
pub fn key(session: &Rc<Session>, key: &str) -> bool {
    let state = session.state();
    let view = state.active().and_then(|tab| tab.view());
    let dialog = |dialog| session.dispatch(Action::Dialog(Some(dialog)));
    match (key, view) {
        ("o", _) => session.choose(None),
        ("?", _) => dialog(Dialog::Help),
        ("/", Some(_)) => focus_by_id("search"),
        ("g", Some(_)) => dialog(Dialog::GoTo),
        ("[" | "]", Some(view)) => match problem_list::step(view, key == "]") {
            Some(span) => session.select_span(span, Via::Jump),
            None => session.notice("There are no problems."),
        },
        _ => return false,
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spans_survive_the_page() {
        let span = Span::new(SourceId(3), 7, u64::MAX);
        assert_eq!(read_span(&with_span(span)), Some(span));
        assert_eq!(read_span("1 2"), None);
    }
}
