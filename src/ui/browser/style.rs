//! Geometry that changes: the page's policy allows no style attributes, but setting styles
//! one by one.

use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, HtmlElement, ResizeObserver, ResizeObserverEntry};
use yew::NodeRef;

/// Whole pixels.
pub(crate) fn px(length: f64) -> String {
    let mut text = (length.round() as i64).to_string();
    text.push_str("px");
    text
}

/// Sets one style.
pub(crate) fn set_style(node: &NodeRef, name: &str, value: &str) {
    if let Some(element) = node.cast::<HtmlElement>() {
        // Only a read-only style sheet refuses this.
        let _ = element.style().set_property(name, value);
    }
}

/// Tells `tell` the size of an element without paddings, as soon as it is laid out and whenever
/// it changes. Asking the element itself would have everything laid out at once.
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
