//! Below the list: the current row, and what belongs to it.

use yew::prelude::*;

use super::names::Names;
use crate::model::list::{Detail, ListId};
use crate::model::text::escaped;
use crate::ui::commands::Command;
use crate::ui::components::{button, plain, shortened, span_button};
use crate::ui::format;
use crate::ui::list::List;
use crate::ui::panels::assembly;
use crate::ui::panels::kernel_ruler::{payload_words, ruler};
use crate::ui::state::{PanelId, View};

/// Below the list: the current row, and what belongs to it.
pub(super) fn strip(view: &View, list: &List, names: &Names) -> Html {
    let label = format!("Selected {}", names.one);
    let Some(current) = list.current() else {
        // Its place is kept: rows that move away under the pointer cannot be double-clicked.
        let has_strip = matches!(
            list.id,
            ListId::Kernels | ListId::Relocations | ListId::Symbols | ListId::Instructions
        );
        return match has_strip && list.rows.found.is_some_and(|found| found > 0) {
            true => {
                html! { <section class="strip" aria-label={label}><p class="dim">{ format!("Select {} {} to see what belongs to it.", if list.id == ListId::Instructions { "an" } else { "a" }, names.one) }</p></section> }
            }
            false => Html::default(),
        };
    };
    let copy = button("btn2", Command::CopyName(list.id), plain("Copy name"));
    match (list.id, &current.about.detail) {
        (_, Detail::Kernel(detail)) => html! {
            <section class="strip" aria-label={label}>
                <div class="strip-head">
                    <h2 title={escaped(&detail.row.name.value)}>{ shortened(&escaped(detail.row.title())) }</h2>
                    <span class="dim said">{ payload_words(detail) }</span>
                    { copy }
                    { button("btn2", Command::Panel(PanelId::Arguments), plain("Details")) }
                </div>
                { ruler(detail, view.selection.span) }
            </section>
        },
        (ListId::Images, Detail::None) => Html::default(),
        (
            ListId::Relocations
            | ListId::Symbols
            | ListId::SourceLines
            | ListId::Images
            | ListId::Instructions,
            detail,
        ) => {
            html! {
                <section class="strip" aria-label={label}>
                    <div class="strip-head">
                        <h2>{ shortened(&escaped(&current.about.title)) }</h2>
                        <span class="grow" />
                        if let Detail::Symbol { relocations, .. } = detail && *relocations > 0 {
                            { button("btn2", Command::References, plain(&format::counted(*relocations, "relocation", "relocations"))) }
                        }
                        if let Detail::Image { kernels, .. } = detail && *kernels > 0 {
                            { button("btn2", Command::References, plain(&format::counted(*kernels, "kernel", "kernels"))) }
                        }
                        if let Detail::Line { ranges, bytes, .. } = detail {
                            <span class="dim">{ format!("{} of code in {}", format::bytes(*bytes), format::counted(*ranges, "range", "ranges")) }</span>
                            if *ranges > 1 { { button("btn2", Command::References, plain("All code of this line")) } }
                        }
                        { copy }
                    </div>
                    if let Detail::Instruction(detail) = detail { { assembly::parts(detail, current.entry) } }
                    <ul class="xrefs">
                        { for current.about.links.iter().map(|link| html! {
                            <li><span class="dim">{ &*link.why }</span>{ span_button("link", link.to, shortened(&escaped(&link.label))) }</li>
                        }) }
                    </ul>
                </section>
            }
        }
        _ => Html::default(),
    }
}
