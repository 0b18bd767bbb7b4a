//! Details of the current row, below the list.

use yew::prelude::*;

use crate::analysis::kernels::KernelDetail;
use crate::model::text::escaped;
use crate::tables::{Detail, Details};
use crate::ui::components::{button, plain, shortened, span_button};
use crate::ui::panels::kernel_ruler::{payload_text, ruler};
use crate::ui::panels::{self, assembly, profile};
use crate::ui::state::commands::Command;
use crate::ui::state::list::List;
use crate::ui::state::{PanelId, View};
use crate::ui::text::format;

/// Details of the panel's current row, for the inspector's column.
pub fn about(view: &View) -> Html {
    let list = match view.panel {
        // That panel already shows the kernel.
        PanelId::Arguments => None,
        panel => panel.list(),
    };
    let shown = panels::current(view).id == view.panel;
    match list.filter(|_| shown) {
        Some(list) => strip(view, view.lists.get(list), true),
        None => Html::default(),
    }
}

/// Compares the kernel with another one of the file: the first click chooses, the second compares.
fn compare_kernel(view: &View, detail: &KernelDetail) -> Html {
    let first = view.compare.first.as_ref();
    let is_first = first.is_some_and(|first| first.entry == detail.row.entry);
    let (label, title) = match first {
        Some(_) if is_first => (
            plain("Compare with …"),
            "Choose another kernel, and compare it. Again: this one is not compared".to_owned(),
        ),
        Some(first) => (
            html! { <>{ "Compare with " }{ shortened(&escaped(&first.name)) }</> },
            format!("The differences from {}", escaped(&first.name)),
        ),
        None => (
            plain("Compare with …"),
            "Compare it with another kernel of the file".to_owned(),
        ),
    };
    html! {
        <button type="button" class="btn2" aria-pressed={is_first.to_string()} {title}
                data-command={Command::CompareKernel.to_string()}>{ label }</button>
    }
}

/// Details of the current row; empty without one. `is_narrow`: in the inspector's column.
pub(super) fn strip(view: &View, list: &List, is_narrow: bool) -> Html {
    let declared = list.id.declaration();
    let label = format!("Selected {}", declared.words.one);
    let Some(current) = list.current() else {
        return Html::default();
    };
    let class = classes!(
        "strip",
        is_narrow.then_some("beside"),
        view.is_row_late(list.id).then_some("late"),
    );
    let is_late = view.is_row_late(list.id).then_some("true");
    let copy = button("btn2", Command::CopyName(list.id), plain("Copy name"));
    match (declared.details, &current.about.detail) {
        (_, Detail::Kernel(detail)) => html! {
            <section {class} aria-label={label} aria-busy={is_late}>
                <div class="strip-head">
                    <h2 title={escaped(detail.row.title())}>{ shortened(&escaped(&current.about.title)) }</h2>
                    <span class="dim said">{ payload_text(detail) }</span>
                    { copy }
                    if detail.row.code_size.is_some() {
                        { button("btn2", Command::ShowCode, html! { <>{ "Assembly " }<kbd aria-hidden="true">{ "Enter" }</kbd></> }) }
                    }
                    { button("btn2", Command::Panel(PanelId::Arguments), plain("Arguments")) }
                    { compare_kernel(view, detail) }
                </div>
                // Below the rows, it would take the place of many of them.
                if is_narrow { { ruler(detail, view.selection.span, is_narrow) } }
            </section>
        },
        (Details::Hidden, _) | (Details::IfAny, Detail::None) => Html::default(),
        (Details::IfAny | Details::Shown, detail) => {
            html! {
                <section {class} aria-label={label} aria-busy={is_late}>
                    <div class="strip-head">
                        <h2 title={escaped(&current.about.title)}>{ shortened(&escaped(current.title())) }</h2>
                        <span class="grow" />
                        if let Detail::Symbol { relocations, .. } = detail && *relocations > 0 {
                            { button("btn2", Command::References, plain(&format::counted(*relocations, "relocation", "relocations"))) }
                        }
                        if let Detail::Image { kernels, .. } = detail && *kernels > 0 {
                            { button("btn2", Command::References, plain(&format::counted(*kernels, "kernel", "kernels"))) }
                        }
                        if matches!(detail, Detail::Line { .. } | Detail::Instruction(_)) {
                            { button("btn2 to-host", Command::OpenSource, plain("Open source")) }
                        }
                        if let Detail::Line { ranges, bytes, .. } = detail {
                            <span class="dim">{ format!("{} of code in {}", format::bytes(*bytes), format::counted(*ranges, "range", "ranges")) }</span>
                            if *ranges > 1 { { button("btn2", Command::References, plain("All code of this line")) } }
                        }
                        { copy }
                    </div>
                    if let Detail::Instruction(detail) = detail {
                        { assembly::meaning(detail) }
                        { for profile::about(view, current.entry) }
                    }
                    if let Detail::Definition { has_more: true } = detail {
                        <p class="dim small">{ "The first uses:" }</p>
                    }
                    if matches!(detail, Detail::Instruction(_)) {
                        { assembly::links(&current.about.links) }
                    } else {
                    <ul class="xrefs">
                        { for current.about.links.iter().map(|link| html! {
                            <li><span class="dim">{ &*link.why }</span>{ span_button("link", link.to, shortened(&escaped(&link.label))) }</li>
                        }) }
                    </ul>
                    }
                    if let Detail::Instruction(detail) = detail { { assembly::parts(detail, current.entry) } }
                </section>
            }
        }
    }
}
