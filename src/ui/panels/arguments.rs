//! One kernel in full: arguments, execution environment, and locations of its parts.

use yew::prelude::*;

use super::kernel_occupancy::Limits;
use super::kernel_ruler::{payload_text, ruler};
use super::kernel_tables::{arguments, others, payload, properties};
use super::props::PanelProps;
use crate::analysis::figure::Figure;
use crate::analysis::kernels::{HazardKind, KernelDetail};
use crate::model::Tone;
use crate::model::text::escaped;
use crate::tables::{Detail, ListId};
use crate::ui::components::{button, plain, prose, shortened, span_button};
use crate::ui::hooks::use_change;
use crate::ui::state::PanelId;
use crate::ui::state::commands::Command;
use crate::ui::state::list::List;
use crate::ui::text::format;

/// The Arguments panel.
#[component]
pub fn Arguments(props: &PanelProps) -> Html {
    let view = &props.view;
    let list = view.lists.get(ListId::Kernels);
    let here = props.session.clone();
    let watched = [
        view.selection.serial.into(),
        list.rows.generation.into(),
        view.opening.into(),
        0,
    ];
    use_change(
        watched,
        Box::new(move || here.0.follow_list(ListId::Kernels)),
    );
    match (list.detail(), &list.failed) {
        (Detail::Kernel(detail), _) => page(props, list, detail),
        (_, Some(why)) => dim_text(prose(why)),
        _ if list.is_current_for(view.selection.serial) => dim_text(plain("No kernels.")),
        _ => html! { <div class="panel" /> },
    }
}

fn dim_text(text: Html) -> Html {
    html! { <div class="panel calm"><p>{ text }</p></div> }
}

fn page(props: &PanelProps, list: &List, detail: &KernelDetail) -> Html {
    let selected = props.view.selection.span;
    let is_late = props.view.is_row_late(ListId::Kernels);
    html! {
        <div class={classes!("panel", "kernel", is_late.then_some("late"))} aria-busy={is_late.then_some("true")} key={detail.row.index}>
            { crumb(list) }
            { head(list, detail) }
            if !detail.row.is_spirv {
                <div class="block">
                    <h3>{ payload_text(detail) }</h3>
                    { ruler(detail, selected, false) }
                </div>
            }
            { payload(detail, selected) }
            { arguments(detail, selected) }
            if !detail.row.is_spirv { <Limits ..props.clone() /> }
            { others(detail, selected) }
            { properties("kernel-env", "Execution environment", &detail.execution_env, selected) }
            { properties("kernel-user", "User attributes", &detail.user_attributes, selected) }
            { properties("kernel-others", "Experimental properties and debug environment", &detail.others, selected) }
        </div>
    }
}

/// Position of the kernel among all, and navigation.
fn crumb(list: &List) -> Html {
    let step = |command: Command, label: &'static str, sign: &'static str, can: bool| {
        html! {
            <button type="button" class="ico" data-command={command.to_string()} aria-label={label} title={label} disabled={!can}>{ sign }</button>
        }
    };
    let found = list.at.as_ref().map_or(0, |at| at.found);
    let place = list.place();
    let (previous, next) = match place {
        Some(place) => (place > 0, place + 1 < found),
        None => (found > 0, found > 0),
    };
    html! {
        <nav class="filters crumbs" aria-label="Kernels">
            { button("link", Command::Panel(PanelId::KERNELS), plain("All kernels")) }
            <span class="dim" aria-hidden="true">{ "▸" }</span>
            <span class="dim">
                if let Some(place) = place { { format!("{} of {}", format::grouped(place + 1), format::grouped(found)) } }
                else { { "excluded by the filter" } }
            </span>
            { step(Command::PreviousRow(ListId::Kernels), "Previous kernel", "‹", previous) }
            { step(Command::NextRow(ListId::Kernels), "Next kernel", "›", next) }
        </nav>
    }
}

fn head(list: &List, detail: &KernelDetail) -> Html {
    let row = &detail.row;
    let title = list.current().map_or("", |current| &current.about.title);
    let full = escaped(row.title());
    let name = escaped(&row.name.value);
    html! {
        <div class="block kernel-head">
            <h2 title={full.clone()}>{ span_button("cell", row.entry, plain(&escaped(title))) }</h2>
            if row.demangled.is_some() && full != title { <p class="full clamped mono text" title={full.clone()}>{ full }</p> }
            <p class="sub">
                if row.demangled.is_some() { <span class="mono text n">{ name }</span> }
                { button("link", Command::CopyName(ListId::Kernels), plain("Copy name")) }
                if row.demangled.is_some() { { button("link", Command::CopyDemangled, plain("Copy demangled name")) } }
            </p>
            <p class="facts-line">
                { for facts(detail).into_iter().map(|fact| html! { <span>{ fact }</span> }) }
            </p>
            if !row.hazards.is_empty() {
                <ul class="rowc">
                    { for row.hazards.iter().map(|hazard| {
                        let tone = match hazard.kind {
                            HazardKind::HeavySpills | HazardKind::LargeSlm => Tone::Bad,
                            _ => Tone::Warning,
                        };
                        html! { <li><span class={format::chip_class(tone)}><span aria-hidden="true">{ "▲" }</span>{ &*hazard.text }</span></li> }
                    }) }
                </ul>
            }
            if !detail.links.is_empty() {
                <ul class="facts-line" aria-label="Parts of the kernel">
                    { for detail.links.iter().map(|link| html! {
                        <li title={format!("{:#x}, {}", link.to.start, format::bytes(link.to.len()))}>
                            <span class="dim">{ &*link.why }{ " " }</span>
                            { span_button("link", link.to, shortened(&escaped(&link.label))) }
                        </li>
                    }) }
                </ul>
            }
        </div>
    }
}

/// The kernel's key figures with units.
fn facts(detail: &KernelDetail) -> Vec<String> {
    let row = &detail.row;
    let number = |value: i64| format::grouped(u64::try_from(value).unwrap_or(0));
    if row.is_spirv {
        let mut out = vec!["SPIR-V, without native code".to_owned()];
        if row.required_sub_group_size.span.is_some() {
            let size = number(row.required_sub_group_size.value);
            out.push(format!("required sub-group size {size}"));
        }
        if row.required_work_group_size.span.is_some() {
            let sizes = row.required_work_group_size.value.map(number);
            out.push(format!("required work-group size {}", sizes.join(" × ")));
        }
        return out;
    }
    let mut out = vec![
        match row.simd_size.value {
            0 => "unknown SIMD width".to_owned(),
            size => format!("SIMD{size}"),
        },
        format!("{} registers", number(row.grf_count.value)),
    ];
    let mut add = |figure: Figure<i64>, unit: &str| match figure {
        Ok(value) if value > 0 => out.push(format!("{} {unit}", number(value))),
        Ok(_) => {}
        Err(unknown) => out.push(format!("{}: {unknown}", unit.trim_start_matches("B "))),
    };
    add(Ok(row.eu_thread_count.value), "threads per EU");
    add(row.spill_size.figure, "B spill per thread");
    add(row.private_size.figure, "B private memory per thread");
    add(Ok(row.slm_size.value), "B shared local memory");
    add(Ok(row.barrier_count.value), "barriers");
    if let Some(size) = row.code_size {
        out.push(format!("{} code", format::bytes(size.value)));
    }
    if row.from_scratch_slots {
        out.push("sizes of the scratch slots (ze_info before 1.39)".to_owned());
    }
    let flags = row.flags.iter().map(|flag| flag.word());
    out.extend(flags.filter(|word| !word.is_empty()).map(escaped));
    if row.is_function {
        out.push("function callable from other modules".to_owned());
    }
    out
}
