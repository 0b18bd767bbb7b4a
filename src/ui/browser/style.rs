//! Dynamic geometry. The page's policy forbids style attributes, but allows setting single
//! properties.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, ResizeObserver, ResizeObserverEntry};
use yew::NodeRef;

/// Formats whole pixels.
pub(crate) fn px(length: f64) -> String {
    let mut text = (length.round() as i64).to_string();
    text.push_str("px");
    text
}

/// Sets one style property.
pub(crate) fn set_style(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // Fails only for read-only style declarations.
        let _ = element.style().set_property(name, value);
    }
}

/// Reports the content size of an element after layout and on every change. Unlike reading it from
/// the element, this forces no layout.
pub(crate) struct SizeWatch {
    observer: ResizeObserver,
    _call: Closure<dyn FnMut(Vec<ResizeObserverEntry>)>,
}

impl SizeWatch {
    pub(crate) fn new(element: &Element, tell: impl Fn(f64, f64) + 'static) -> Option<SizeWatch> {
        let call = Closure::<dyn FnMut(Vec<ResizeObserverEntry>)>::new(
            move |entries: Vec<ResizeObserverEntry>| {
                if let Some(entry) = entries.last() {
                    let size = entry.content_rect();
                    tell(size.width(), size.height());
                }
            },
        );
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
