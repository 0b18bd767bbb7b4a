//! The tour's bar.

use yew::prelude::*;

use crate::ui::components::{button, plain};
use crate::ui::state::State;
use crate::ui::state::commands::Command;

/// The current step, while its file is in front.
pub fn guide(state: &State) -> Option<Html> {
    let guide = state
        .guide
        .filter(|guide| state.active == Some(guide.tab))?;
    state.active()?.view()?;
    let steps = &guide.tour().steps;
    let step = steps.get(guide.step)?;
    let next = guide.step + 1;
    Some(html! {
        <section class="guide" aria-label="Tour">
            <div role="status">
                <h2><span class="dim">{ format!("{next} of {}", steps.len()) }</span>{ " " }{ step.title }</h2>
                <p>{ step.text }</p>
            </div>
            <div class="acts">
                if let Some(back) = guide.step.checked_sub(1) {
                    { button("btn2", Command::GuideStep(back), plain("Back")) }
                }
                if next < steps.len() {
                    { button("btn2", Command::EndGuide, plain("Skip")) }
                    { button("btn", Command::GuideStep(next), plain("Next")) }
                } else {
                    { button("btn", Command::EndGuide, plain("Done")) }
                }
            </div>
        </section>
    })
}
