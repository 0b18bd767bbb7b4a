//! Small questions about elements.

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement};
use yew::{MouseEvent, NodeRef};

/// The element that the event is about, or one around it, which the selector fits.
pub(super) fn closest(event: &Event, selector: &str) -> Option<Element> {
    event
        .target()?
        .dyn_into::<Element>()
        .ok()?
        .closest(selector)
        .ok()?
}

/// The number in an attribute of the element that the event is about, or of one around it.
pub fn number_near(event: &Event, attribute: &str) -> Option<u64> {
    let element = closest(event, &format!("[{attribute}]"))?;
    element.get_attribute(attribute)?.parse().ok()
}

/// Is the event about something that does something by itself?
pub fn on_control(event: &Event) -> bool {
    closest(event, "[data-command], input, select, textarea").is_some()
}

/// As [`number_near`], for what is under the pointer now, wherever the event began.
pub fn number_at(event: &MouseEvent, attribute: &str) -> Option<(u64, Element)> {
    let document = web_sys::window()?.document()?;
    let under = document.element_from_point(event.client_x() as f32, event.client_y() as f32)?;
    let element = under.closest(&format!("[{attribute}]")).ok()??;
    let number = element.get_attribute(attribute)?.parse().ok()?;
    Some((number, element))
}

/// Which character of a line of `columns` characters in `cell` (a selector within `row`) is
/// under the pointer.
pub fn cell_at(event: &MouseEvent, row: &Element, cell: &str, columns: u32) -> Option<u32> {
    let cell = row.query_selector(cell).ok()??;
    let area = cell.get_bounding_client_rect();
    let x = f64::from(event.client_x()) - area.left();
    if x < 0.0 || x >= area.width() || area.width() <= 0.0 {
        return None;
    }
    Some((x / area.width() * f64::from(columns)) as u32)
}

/// Gives an element the focus; it is not scrolled to.
pub fn focus(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // An element that is not in the document does not get it.
        let _ = element.focus();
    }
}

/// As [`focus`], by the element's id.
pub fn focus_by_id(id: &str) {
    if let Some(element) = element(id).and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
        let _ = element.focus();
    }
}

/// What stands in the field with this id.
pub fn text_of(id: &str) -> String {
    element(id)
        .and_then(|element| element.dyn_into::<HtmlInputElement>().ok())
        .map(|input| input.value())
        .unwrap_or_default()
}

/// What was chosen in the field that the event is about.
pub fn value_of(event: &Event) -> String {
    let target = event.target();
    let value = target.and_then(|target| Reflect::get(&target, &"value".into()).ok());
    value
        .and_then(|value| value.as_string())
        .unwrap_or_default()
}

/// Has somebody selected text of the page, to copy it?
pub fn has_selected_text() -> bool {
    web_sys::window()
        .and_then(|window| window.get_selection().ok().flatten())
        .is_some_and(|selection| !selection.is_collapsed())
}

/// Puts text into the field with this id. Not as a property: rendering again would take away
/// what somebody is typing.
pub fn set_text(id: &str, text: &str) {
    if let Some(input) = element(id).and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
        input.set_value(text);
    }
}

pub(super) fn element(id: &str) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Is the event about a field that text is typed into?
pub fn is_typing(event: &Event) -> bool {
    closest(event, "input, textarea, select, [contenteditable]").is_some()
}

/// Is a dialog open?
pub(super) fn has_dialog() -> bool {
    web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector("dialog[open]").ok().flatten())
        .is_some()
}

/// How far down in the element that listens the pointer is, from 0 to 1.
pub fn fraction_at(event: &MouseEvent) -> Option<f64> {
    let element = closest(event, "svg")?;
    let area = element.get_bounding_client_rect();
    let share = (f64::from(event.client_y()) - area.top()) / area.height();
    share.is_finite().then(|| share.clamp(0.0, 1.0))
}

/// Scrolls the element with this id into view, as little as needed.
pub fn scroll_into_view(id: &str) {
    if let Some(element) = element(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}
