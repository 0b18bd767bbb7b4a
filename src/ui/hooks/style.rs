//! Geometry that changes: the page's policy allows no style attributes, but setting styles
//! one by one.

use std::rc::Rc;

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, ResizeObserver};
use yew::prelude::*;

use super::listener::Listener;

/// Names and values of styles.
pub type Styles = Vec<(&'static str, String)>;

/// Whole pixels.
pub(super) fn px(length: f64) -> String {
    format!("{}px", length.round() as i64)
}

/// Sets one style.
pub fn set_style(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // Only a read-only style sheet refuses this.
        let _ = element.style().set_property(name, value);
    }
}

/// Keeps an element's styles as given.
#[hook]
pub fn use_styles(node: &NodeRef, styles: Styles) {
    let node = node.clone();
    use_effect_with(styles, move |styles| {
        for (name, value) in styles {
            set_style(&node, name, value);
        }
    });
}

/// Tells `tell` an element's size, now and whenever it changes.
pub(super) struct SizeWatch {
    observer: ResizeObserver,
    _call: Closure<dyn FnMut()>,
}

impl SizeWatch {
    pub(super) fn new(element: &Element, tell: impl Fn(f64, f64) + 'static) -> Option<SizeWatch> {
        let watched = element.clone();
        let call = Closure::<dyn FnMut()>::new(move || {
            tell(watched.client_width().into(), watched.client_height().into());
        });
        let observer = ResizeObserver::new(call.as_ref().unchecked_ref()).ok()?;
        observer.observe(element);
        Some(SizeWatch {
            observer,
            _call: call,
        })
    }
}

impl Drop for SizeWatch {
    fn drop(&mut self) {
        self.observer.disconnect();
    }
}

/// An element's inner width in pixels, in steps of 8; 0 before it is known.
#[hook]
pub fn use_element_width(node: &NodeRef) -> u32 {
    let width = use_state_eq(|| 0_u32);
    let set = width.setter();
    let node = node.clone();
    use_effect_with((), move |()| {
        let watch = node
            .cast::<Element>()
            .and_then(|element| SizeWatch::new(&element, move |w, _| set.set(w as u32 / 8 * 8)));
        move || drop(watch)
    });
    *width
}

/// Does a media query hold? Never, outside a browser.
#[hook]
pub fn use_media(query: &'static str) -> bool {
    let holds = use_state_eq(|| {
        cfg!(target_arch = "wasm32") && media(query).is_some_and(|list| list.matches())
    });
    let set = holds.setter();
    use_effect_with(query, move |query| {
        let list = media(query).map(Rc::new);
        let listener = list.map(|list| {
            let target = Rc::clone(&list);
            Listener::new(&target, "change", move |_| set.set(list.matches()))
        });
        move || drop(listener)
    });
    *holds
}

fn media(query: &str) -> Option<web_sys::MediaQueryList> {
    web_sys::window()?.match_media(query).ok()?
}
