//! Global key and click handlers.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, KeyboardEvent};

use crate::ui::browser::dom;
use crate::ui::browser::keys::pressed;
use crate::ui::browser::listener::Listener;
use crate::ui::session::Session;
use crate::ui::state::TabId;
use crate::ui::state::commands::Command;

/// Listens to keys and clicks until dropped.
///
/// Clicks on elements with `data-command` execute the command: one listener for all buttons.
pub(crate) fn listen(session: &Rc<Session>) -> Box<dyn Any> {
    let Some(window) = web_sys::window() else {
        return Box::new(());
    };
    let here = Rc::clone(session);
    let keys = Listener::active(&window, "keydown", move |event| {
        if let Ok(event) = event.dyn_into::<KeyboardEvent>() {
            key(&here, &event);
        }
    });
    let pressed = Rc::new(RefCell::new(None));
    let here = Rc::clone(&pressed);
    let presses = Listener::new(&window, "pointerdown", move |event| {
        *here.borrow_mut() = dom::closest(&event, "[data-command]");
    });
    let here = Rc::clone(session);
    let clicks = Listener::new(&window, "click", move |event| {
        let pressed = pressed.borrow_mut().take();
        dom::close_menus(&event);
        let element = dom::closest(&event, "[data-command]");
        let Some(element) = element.or_else(|| replaced(&pressed?, &event)) else {
            return;
        };
        let text = element.get_attribute("data-command").unwrap_or_default();
        match text.parse::<Command>() {
            Ok(command) => here.run_on(file_of(&event), command),
            Err(_) if cfg!(debug_assertions) => {
                web_sys::console::error_2(&"unknown command".into(), &text.into());
            }
            Err(_) => {}
        }
    });
    let here = Rc::clone(session);
    let back = Listener::new(&window, "focus", move |_| here.check_file());
    let here = Rc::clone(session);
    let focused = Listener::new(&window, "focusin", move |event| {
        let element = event.target().and_then(|target| target.dyn_into().ok());
        *here.focused.borrow_mut() = element;
    });
    Box::new([keys, presses, clicks, back, focused])
}

/// The element under the pointer, if it has the command of the pressed one, which is no longer in the page:
/// an answer came between press and release, and browsers then send the click to the parent.
fn replaced(pressed: &Element, click: &Event) -> Option<Element> {
    if pressed.is_connected() {
        return None;
    }
    let under = dom::under_pointer(click.dyn_ref()?, "[data-command]")?;
    let command = |element: &Element| element.get_attribute("data-command");
    (command(pressed) == command(&under)).then_some(under)
}

fn key(session: &Rc<Session>, event: &KeyboardEvent) {
    if event.default_prevented() || dom::has_dialog() {
        return;
    }
    let with_control = event.ctrl_key() || event.meta_key();
    if with_control && event.key() == "k" && !event.alt_key() && !event.shift_key() {
        event.prevent_default();
        return session.ask_command();
    }
    let Some(key) = pressed(event) else { return };
    if key == "F6" {
        dom::focus_next_pane(event.shift_key());
        event.prevent_default();
        return;
    }
    // Also in the search field.
    if key == "F3" {
        if session.find_next(!event.shift_key()) {
            event.prevent_default();
        }
        return;
    }
    if dom::menu_key(event, &key) {
        event.prevent_default();
        return;
    }
    if dom::is_typing(event) {
        return;
    }
    let used = match dom::closest(event, "[role=tablist]") {
        Some(list) if tab_key(&list, &key) => true,
        _ => session.press(file_of(event), &key),
    };
    if used {
        event.prevent_default();
    }
}

/// The file of an event in the panes of the second, side-by-side file.
fn file_of(event: &Event) -> Option<TabId> {
    let number = dom::number_near(event, "data-file")?;
    u32::try_from(number).ok().map(TabId)
}

/// Arrow keys in any tab list: they move the focus and select the tab.
fn tab_key(list: &Element, key: &str) -> bool {
    let Ok(tabs) = list.query_selector_all("[role=tab]") else {
        return false;
    };
    let count = tabs.length();
    let tab = |i: u32| tabs.item(i).and_then(|n| n.dyn_into::<HtmlElement>().ok());
    let is_on = |t: &HtmlElement| t.get_attribute("aria-selected").as_deref() == Some("true");
    let at = (0..count)
        .find(|i| tab(*i).is_some_and(|t| is_on(&t)))
        .unwrap_or(0);
    if key == "Delete" {
        let close = tab(at).and_then(|t| t.query_selector(".close").ok().flatten());
        let close = close.and_then(|c| c.dyn_into::<HtmlElement>().ok());
        close.iter().for_each(HtmlElement::click);
        return close.is_some();
    }
    let next = match key {
        "ArrowRight" => (at + 1) % count,
        "ArrowLeft" => (at + count - 1) % count,
        "Home" => 0,
        "End" => count - 1,
        _ => return false,
    };
    if let Some(tab) = tab(next) {
        let _ = tab.focus();
        tab.click();
    }
    true
}
