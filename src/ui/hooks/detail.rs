//! What the inspector needs beyond the rows that are here.

use std::rc::Rc;

use wasm_bindgen_futures::spawn_local;
use yew::prelude::*;

use super::session::use_session;
use crate::ui::selection::Selection;
use crate::ui::state::TabId;
use crate::worker::protocol::Detail;

/// So many bytes are read for the readings of a selection.
const PREVIEW: u64 = 64;

/// Everything about the node that is selected, once it is here; until then what was there
/// before.
#[hook]
pub fn use_detail(tab: TabId, selection: &Selection, serial: usize) -> Option<Rc<Detail>> {
    let session = use_session();
    let detail = use_state(|| None::<(TabId, Rc<Detail>)>);
    let wanted = use_mut_ref(|| 0_u32);
    let set = detail.setter();
    use_effect_with(
        (tab, selection.node_id(), serial),
        move |&(tab, node, _)| {
            *wanted.borrow_mut() += 1;
            let ticket = *wanted.borrow();
            let latest = Rc::clone(&wanted);
            spawn_local(async move {
                match session.detail(tab, node).await {
                    Ok(detail) if *latest.borrow() == ticket => {
                        set.set(Some((tab, Rc::new(detail))));
                    }
                    Ok(_) => {}
                    Err(error) => session.trouble(tab, &error),
                }
            });
            move || *wanted.borrow_mut() += 1
        },
    );
    let (of, detail) = (*detail).clone()?;
    (of == tab && detail.row.id == selection.node_id()).then_some(detail)
}

/// The first bytes of what is selected.
#[hook]
pub fn use_preview(tab: TabId, selection: &Selection) -> Rc<[u8]> {
    let session = use_session();
    let bytes = use_state(|| Rc::<[u8]>::from([]));
    let wanted = use_mut_ref(|| 0_u32);
    let set = bytes.setter();
    use_effect_with((tab, selection.span), move |&(tab, span)| {
        *wanted.borrow_mut() += 1;
        let ticket = *wanted.borrow();
        let latest = Rc::clone(&wanted);
        match span.filter(|span| !span.is_empty()) {
            Some(span) => spawn_local(async move {
                match session.read(tab, span.sub(0, PREVIEW)).await {
                    Ok(piece) if *latest.borrow() == ticket => set.set(piece.bytes.into()),
                    Ok(_) => {}
                    Err(error) => session.trouble(tab, &error),
                }
            }),
            None => set.set(Rc::from([])),
        }
        move || *wanted.borrow_mut() += 1
    });
    Rc::clone(&bytes)
}
