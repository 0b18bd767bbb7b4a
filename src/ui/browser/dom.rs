//! DOM queries, focus and menus.

use std::cell::OnceCell;

use js_sys::Reflect;
use wasm_bindgen::JsCast;
use web_sys::{Element, Event, HtmlElement, HtmlInputElement};
use yew::{MouseEvent, NodeRef};

use crate::ui::state::commands::Command;

/// The command of a panel's tab, counted from 1.
pub(crate) fn panel_tab(number: usize) -> Option<Command> {
    let document = web_sys::window()?.document()?;
    let tabs = document.query_selector_all("[role=tab][data-command^=panel]");
    let tab = tabs
        .ok()?
        .item(u32::try_from(number.checked_sub(1)?).ok()?)?;
    let command = tab
        .dyn_into::<Element>()
        .ok()?
        .get_attribute("data-command")?;
    command.parse().ok()
}

/// Minimum height, in pixels, at which no pane needs to scroll.
pub(crate) fn unscrolled_height() -> u32 {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return 0;
    };
    let root = document.document_element();
    let shown = root.map_or(0, |root| root.client_height());
    let scrolled = document.get_elements_by_class_name("scroll");
    let hidden = (0..scrolled.length()).filter_map(|at| {
        let element = scrolled.item(at)?;
        Some(element.scroll_height() - element.client_height())
    });
    u32::try_from(shown.saturating_add(hidden.max().unwrap_or(0))).unwrap_or(0)
}

/// The nearest element, starting at the event's target, that matches the selector.
pub(crate) fn closest(event: &Event, selector: &str) -> Option<Element> {
    event
        .target()?
        .dyn_into::<Element>()
        .ok()?
        .closest(selector)
        .ok()?
}

/// The number in an attribute of the event's target or of its nearest ancestor with that attribute.
pub fn number_near(event: &Event, attribute: &str) -> Option<u64> {
    let element = closest(event, &format!("[{attribute}]"))?;
    element.get_attribute(attribute)?.parse().ok()
}

/// Whether the event's target is an interactive element.
pub fn on_control(event: &Event) -> bool {
    closest(event, "[data-command], input, select, textarea").is_some()
}

/// Captures the pointer for the element under it.
pub fn capture_pointer(event: &yew::PointerEvent) {
    if let Some(element) = event.target().and_then(|e| e.dyn_into::<Element>().ok()) {
        // Fails if the pointer is gone, for example after a lifted finger.
        let _ = element.set_pointer_capture(event.pointer_id());
    }
}

/// Like [`closest`], for the element under the pointer instead of the event's target.
pub(crate) fn under_pointer(event: &MouseEvent, selector: &str) -> Option<Element> {
    let document = web_sys::window()?.document()?;
    let under = document.element_from_point(event.client_x() as f32, event.client_y() as f32)?;
    under.closest(selector).ok()?
}

/// Like [`number_near`], for the element under the pointer instead of the event's target.
pub fn number_at(event: &MouseEvent, attribute: &str) -> Option<(u64, Element)> {
    let element = under_pointer(event, &format!("[{attribute}]"))?;
    let number = element.get_attribute(attribute)?.parse().ok()?;
    Some((number, element))
}

/// Index of the character under the pointer in a line of `columns` characters, in `cell` (a
/// selector within `row`).
pub fn cell_at(event: &MouseEvent, row: &Element, cell: &str, columns: u32) -> Option<u32> {
    let cell = row.query_selector(cell).ok()??;
    let area = cell.get_bounding_client_rect();
    let x = f64::from(event.client_x()) - area.left();
    if x < 0.0 || x >= area.width() || area.width() <= 0.0 {
        return None;
    }
    Some((x / area.width() * f64::from(columns)) as u32)
}

/// Focuses an element without scrolling to it.
pub fn focus(node: &NodeRef) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // Elements outside of the document ignore this.
        let _ = element.focus();
    }
}

/// Like [`focus`], by the element's id.
pub fn focus_by_id(id: &str) {
    if let Some(element) = element(id) {
        // SVG elements are not `HtmlElement`s, but can be focused, too.
        let _ = element.unchecked_into::<HtmlElement>().focus();
    }
}

/// Clicks the button with this id.
pub fn click(id: &str) {
    if let Some(button) = element(id).and_then(|e| e.dyn_into::<HtmlElement>().ok()) {
        button.click();
    }
}

/// The value of the input field with this id.
pub fn text_of(id: &str) -> String {
    let value = element(id).and_then(|field| Reflect::get(&field, &"value".into()).ok());
    value
        .and_then(|value| value.as_string())
        .unwrap_or_default()
}

/// The selected value of the event's field.
pub fn value_of(event: &Event) -> String {
    let target = event.target();
    let value = target.and_then(|target| Reflect::get(&target, &"value".into()).ok());
    value
        .and_then(|value| value.as_string())
        .unwrap_or_default()
}

/// Whether the event's `details` is open.
pub fn is_open(event: &Event) -> bool {
    let target = event.target();
    let element = target.and_then(|target| target.dyn_into::<Element>().ok());
    element.is_some_and(|element| element.has_attribute("open"))
}

/// Whether the documentation is beside the page: its HTML says so.
pub fn has_documentation() -> bool {
    // Native tests render the page without a window.
    if cfg!(not(target_arch = "wasm32")) {
        return true;
    }
    let document = web_sys::window().and_then(|window| window.document());
    let link =
        document.and_then(|document| document.query_selector("link[rel=help]").ok().flatten());
    link.is_some()
}

thread_local! {
    /// The title in the page's own HTML.
    static OWN_TITLE: OnceCell<String> = const { OnceCell::new() };
}

/// Sets the title of the document: the file's name and the page's own title.
pub fn set_title(file: Option<&str>) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return;
    };
    OWN_TITLE.with(|own| {
        let own = own.get_or_init(|| document.title());
        match file {
            Some(file) => document.set_title(&format!("{file} · {own}")),
            None => document.set_title(own),
        }
    });
}

/// Whether the user has selected text of the page.
pub fn has_selected_text() -> bool {
    web_sys::window()
        .and_then(|window| window.get_selection().ok().flatten())
        .is_some_and(|selection| !selection.is_collapsed())
}

/// Sets the text of the field with this id. As a property, it would be overwritten while the user
/// types.
pub fn set_text(id: &str, text: &str) {
    if let Some(input) = element(id).and_then(|e| e.dyn_into::<HtmlInputElement>().ok()) {
        input.set_value(text);
    }
}

pub(crate) fn element(id: &str) -> Option<Element> {
    web_sys::window()?.document()?.get_element_by_id(id)
}

/// Whether the event's target is a text field.
pub fn is_typing(event: &Event) -> bool {
    closest(event, "input, textarea, select, [contenteditable]").is_some()
}

/// Whether a dialog is open.
pub(crate) fn has_dialog() -> bool {
    web_sys::window()
        .and_then(|window| window.document())
        .and_then(|document| document.query_selector("dialog[open]").ok().flatten())
        .is_some()
}

/// The pointer's vertical position in the listening element, from 0 to 1.
pub fn fraction_at(event: &MouseEvent) -> Option<f64> {
    let element = closest(event, "svg")?;
    let area = element.get_bounding_client_rect();
    let share = (f64::from(event.client_y()) - area.top()) / area.height();
    share.is_finite().then(|| share.clamp(0.0, 1.0))
}

/// The width of the element with this id, in pixels.
pub fn width_of(id: &str) -> u32 {
    let width = |element: Element| element.get_bounding_client_rect().width().round();
    element(id).map_or(0, |element| width(element) as u32)
}

/// Width of the fading end of a tab bar, in pixels.
const FADING: f64 = 36.0;

/// Scrolls the tab with this id into view within its bar. `scrollIntoView` would also scroll a page
/// that embeds this one, although its reader looks at something else.
pub fn show_tab(id: &str) {
    let Some(tab) = element(id) else {
        return;
    };
    let Some(bar) = tab.closest("[role=tablist]").ok().flatten() else {
        return;
    };
    let (tab, shown) = (
        tab.get_bounding_client_rect(),
        bar.get_bounding_client_rect(),
    );
    let before = (tab.left() - shown.left()).min(0.0);
    let after = (tab.right() - shown.right() + FADING).max(0.0);
    let distance = if before < 0.0 { before } else { after };
    if distance != 0.0 {
        bar.set_scroll_left(bar.scroll_left() + distance.ceil() as i32);
    }
}

/// Scrolls the element with this id into view, by the minimum distance. For something that the user
/// does within the page.
pub fn scroll_into_view(id: &str) {
    if let Some(element) = element(id) {
        let options = web_sys::ScrollIntoViewOptions::new();
        options.set_block(web_sys::ScrollLogicalPosition::Nearest);
        element.scroll_into_view_with_scroll_into_view_options(&options);
    }
}

/// The menus that are open.
fn open_menus() -> Vec<Element> {
    let document = web_sys::window().and_then(|window| window.document());
    let open = document.and_then(|d| d.query_selector_all("details.menu[open]").ok());
    let open = open.into_iter();
    open.flat_map(|list| (0..list.length()).filter_map(move |i| list.item(i)))
        .filter_map(|node| node.dyn_into().ok())
        .collect()
}

fn focus_on(element: Element) {
    if let Ok(element) = element.dyn_into::<HtmlElement>() {
        let _ = element.focus();
    }
}

/// Opens the menu with this id and focuses its first item.
pub fn open_menu(id: &str) -> bool {
    let Some(menu) = element(id) else {
        return false;
    };
    let _ = menu.set_attribute("open", "");
    if let Ok(Some(item)) = menu.query_selector("button") {
        focus_on(item);
    }
    true
}

/// Closes all menus that do not contain the click, and the one whose item was clicked.
pub(crate) fn close_menus(click: &Event) {
    for menu in open_menus() {
        let within = closest(click, "details.menu").as_ref() == Some(&menu);
        let chose = closest(click, ".acts [data-command]").is_some();
        if !within || chose {
            let _ = menu.remove_attribute("open");
        }
        if within
            && chose
            && let Ok(Some(summary)) = menu.query_selector("summary")
        {
            focus_on(summary);
        }
    }
}

/// Handles a key in an open menu: Escape closes it, the arrows move between items. Returns false
/// for other keys.
pub(crate) fn menu_key(event: &Event, key: &str) -> bool {
    let Some(menu) = open_menus().into_iter().next() else {
        return false;
    };
    if key == "Escape" {
        let _ = menu.remove_attribute("open");
        if let Ok(Some(summary)) = menu.query_selector("summary") {
            focus_on(summary);
        }
        return true;
    }
    let step = match key {
        "ArrowDown" => 1,
        "ArrowUp" => -1,
        _ => return false,
    };
    let within = closest(event, "details.menu").as_ref() == Some(&menu);
    let Ok(items) = menu.query_selector_all("summary, button") else {
        return false;
    };
    let items: Vec<Element> = (0..items.length())
        .filter_map(|i| items.item(i)?.dyn_into().ok())
        .collect();
    let focused = closest(event, "summary, button");
    let at = items.iter().position(|item| Some(item) == focused.as_ref());
    let next = at.and_then(|at| at.checked_add_signed(step));
    if let Some(item) = next.and_then(|next| items.get(next)) {
        focus_on(item.clone());
    }
    within
}

/// Panes of a file in tab order: of a wide window, then of a narrow one.
const PANES: &str = ".pane.left, .pane.upper, .pane.lower, .pane.right";

/// Selectors for the focus target in a pane; the first match gets the focus.
const MAIN_PARTS: &[&str] = &[
    "[role=tree]",
    "[role=grid]",
    "#hex[tabindex='0'], #hex [tabindex='0']",
    "[role=tab][aria-selected=true]",
    // Before text fields, so that the next key can be a shortcut of the page.
    "button, summary, a[href]",
    "input",
];

/// Moves the focus to the next or previous pane; from outside of the panes to the first one.
pub(crate) fn focus_next_pane(backwards: bool) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return;
    };
    let Ok(list) = document.query_selector_all(PANES) else {
        return;
    };
    let panes: Vec<Element> = (0..list.length())
        .filter_map(|i| list.item(i)?.dyn_into().ok())
        .collect();
    let active = document.active_element();
    let around = active.and_then(|element| element.closest(PANES).ok().flatten());
    let at = panes.iter().position(|pane| Some(pane) == around.as_ref());
    let count = panes.len();
    let next = match (at, backwards) {
        (None, _) => 0,
        (Some(at), false) => at + 1,
        (Some(at), true) => at + count.saturating_sub(1),
    };
    let order = (0..count).map(|step| {
        if !backwards {
            (next + step) % count
        } else {
            (next + count - step) % count
        }
    });
    let found = order.filter_map(|at| panes.get(at));
    if let Some(element) = found.into_iter().find_map(|pane| first(pane, MAIN_PARTS)) {
        focus_on(element);
    }
}

/// The first of these elements that exists.
fn first(place: &Element, parts: &[&str]) -> Option<Element> {
    let mut parts = parts.iter();
    parts.find_map(|part| place.query_selector(part).ok().flatten())
}

/// Containers that take over a lost focus, in order of preference.
const INSTEAD: &[&str] = &["dialog[open]", "#panel", ".pane.upper", "main"];

/// Focus targets in them. No text fields: the next key may be a shortcut of the page.
const NEW_PARTS: &[&str] = &[
    "[role=grid], [role=listbox], [role=tree]",
    "button, summary, a[href]",
];

/// Whether an element has the focus.
pub fn has_focus(id: &str) -> bool {
    let document = web_sys::window().and_then(|window| window.document());
    let active = document.and_then(|document| document.active_element());
    active.is_some_and(|element| element.id() == id)
}

/// Takes the focus from the tabs and the header. Returns an element that is not in the page: to the page, the
/// focus was in it.
pub(crate) fn leave_tabs() -> Option<Element> {
    let document = web_sys::window()?.document()?;
    let active = document.active_element()?;
    if active.closest(".tab-row, header, .files").ok()?.is_some() {
        let _ = active.unchecked_into::<HtmlElement>().blur();
    }
    document.create_element("i").ok()
}

/// Moves a lost focus to the panel, or to the file's tab if another file came to the front.
pub fn restore_focus(is_other_file: bool) {
    let Some(document) = web_sys::window().and_then(|window| window.document()) else {
        return;
    };
    if document
        .active_element()
        .is_some_and(|element| element.tag_name() != "BODY")
    {
        return;
    }
    let find = |selector: &str| document.query_selector(selector).ok().flatten();
    let file = find(".files [role=tab][aria-selected=true]").filter(|_| is_other_file);
    // A panel that is still loading gets the focus when its content arrives.
    if file.is_none() && find("#panel .panel:empty").is_some() {
        return;
    }
    let mut places = INSTEAD.iter();
    let found = file.or_else(|| places.find_map(|place| first(&find(place)?, NEW_PARTS)));
    if let Some(element) = found {
        focus_on(element);
    }
}
