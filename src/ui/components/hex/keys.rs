//! Keyboard navigation in the bytes.

use yew::KeyboardEvent;

use crate::model::Span;

/// The byte that a key moves to from `from`; rows have `width` bytes, and `page` of them are
/// visible.
pub(crate) fn target(
    event: &KeyboardEvent,
    from: u64,
    whole: Span,
    width: u64,
    page: u64,
) -> Option<u64> {
    if event.alt_key() || event.meta_key() {
        return None;
    }
    step(&event.key(), event.ctrl_key(), from, whole, width, page)
}

fn step(key: &str, ctrl: bool, from: u64, whole: Span, width: u64, page: u64) -> Option<u64> {
    let last = whole
        .end
        .checked_sub(1)
        .filter(|last| *last >= whole.start)?;
    let to = match (key, ctrl) {
        ("ArrowLeft", false) => from.saturating_sub(1),
        ("ArrowRight", false) => from.saturating_add(1),
        ("ArrowUp", false) => from.checked_sub(width).unwrap_or(from),
        ("ArrowDown", false) => Some(from + width).filter(|to| *to <= last).unwrap_or(from),
        ("PageUp", false) => from.saturating_sub(width * page),
        ("PageDown", false) => from.saturating_add(width * page),
        ("Home", true) => whole.start,
        ("End", true) => last,
        ("Home", false) => from / width * width,
        ("End", false) => from / width * width + width - 1,
        _ => return None,
    };
    Some(to.clamp(whole.start, last))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    #[test]
    fn the_cursor_stays_in_the_file() {
        let whole = Span::new(SourceId::FILE, 0, 100);
        let go = |key, ctrl, from| step(key, ctrl, from, whole, 16, 3);
        assert_eq!(go("ArrowLeft", false, 0), Some(0));
        assert_eq!(go("ArrowUp", false, 5), Some(5));
        assert_eq!(go("ArrowDown", false, 80), Some(96));
        assert_eq!(go("ArrowDown", false, 90), Some(90));
        assert_eq!(go("End", false, 97), Some(99));
        assert_eq!(go("Home", false, 97), Some(96));
        assert_eq!(go("End", true, 0), Some(99));
        assert_eq!(go("PageDown", false, 60), Some(99));
        assert_eq!(go("x", false, 60), None);
        let nothing = Span::new(SourceId::FILE, 0, 0);
        assert_eq!(step("End", true, 0, nothing, 16, 3), None);
    }
}
