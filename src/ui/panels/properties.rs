//! The property sets of what is selected: the SYCLBIN, a module or an image.

use std::rc::Rc;

use yew::prelude::*;

use super::PanelProps;
use crate::model::Span;
use crate::model::modules::{Property, PropertyValue};
use crate::model::text::escaped;
use crate::ui::components::{
    DataGrid, GridColumn, GridData, GridSource, button, plain, prose, shortened,
};
use crate::ui::hooks::{SessionContext, use_change};
use crate::ui::module_view::{Properties as Sets, holder_name};
use crate::ui::selection::Via;
use crate::ui::shared::Shared;
use crate::ui::state::View;
use crate::ui::words;

/// So many bytes of a value are written out in the table.
const BYTES: usize = 24;

/// The panel.
#[component]
pub fn Properties(props: &PanelProps) -> Html {
    let session = &props.session;
    let modules = &props.view.modules;
    let serial = u64::from(props.view.selection.serial);
    let opened = Shared::from(&props.view.opened).address();
    let here = session.clone();
    let known = modules.document.is_some();
    use_change(
        [
            serial,
            u64::from(modules.rows.generation),
            opened,
            known.into(),
        ],
        Box::new(move || here.0.follow_modules()),
    );
    if let Some(why) = &modules.failed {
        return html! { <div class="panel calm"><p>{ prose(why) }</p></div> };
    }
    let Some(sets) = &modules.properties else {
        return html! { <div class="panel" /> };
    };
    let entries: usize = sets.sets.iter().map(|set| set.entries.len()).sum();
    let (count, all) = (sets.sets.len() as u64, entries as u64 + sets.more);
    let grid = Grid {
        session: session.clone(),
        view: props.view.clone(),
        lines: sets.lines().collect(),
        sets: Rc::clone(sets),
    };
    html! {
        <div class="panel modules">
            <div class="filters">
                <b>{ format!("Properties of {}", holder_name(sets.holder, modules.current)) }</b>
                <span class="dim" role="status">
                    { format!("{}, {}", words::counted(count, "set", "sets"), words::counted(all, "property", "properties")) }
                    if sets.more > 0 { { format!(", the last {} only in the structure", words::grouped(sets.more)) } }
                </span>
                <span class="grow" />
                { button("btn2", "modules", "whole".to_owned(), plain("Those of the SYCLBIN")) }
            </div>
            if grid.lines.is_empty() {
                <p class="none">{ "There are none. Choose another module or image in the graph or the structure." }</p>
            } else {
                <DataGrid id="properties" source={GridSource(Rc::new(grid))} />
            }
        </div>
    }
}

struct Grid {
    session: SessionContext,
    view: Shared<View>,
    lines: Vec<(usize, Option<usize>)>,
    sets: Rc<Sets>,
}

impl Grid {
    fn line(&self, row: u64) -> Option<&(usize, Option<usize>)> {
        self.lines.get(usize::try_from(row).ok()?)
    }

    fn property(&self, line: (usize, Option<usize>)) -> Option<&Property> {
        self.sets.sets.get(line.0)?.entries.get(line.1?)
    }

    fn spans(&self, line: (usize, Option<usize>)) -> Option<(Span, Span)> {
        match self.property(line) {
            Some(property) => Some((property.key_span, property.span)),
            None => self.sets.sets.get(line.0).map(|set| (set.span, set.span)),
        }
    }
}

/// The value as it is understood, and as it stands there.
fn value(property: &Property) -> (String, String) {
    match &property.value {
        PropertyValue::Number(number) => {
            let text = words::grouped(*number);
            match property.meaning.is_empty() {
                true => (text, format!("{number:#x}")),
                false => (property.meaning.clone(), text),
            }
        }
        PropertyValue::Bytes { bits, bytes } => {
            let mut hex: Vec<String> = bytes
                .iter()
                .take(BYTES)
                .map(|b| format!("{b:02x}"))
                .collect();
            if bytes.len() > BYTES {
                hex.push("…".to_owned());
            }
            let raw = format!(
                "{} · {}",
                words::counted(*bits, "bit", "bits"),
                hex.join(" ")
            );
            (property.meaning.clone(), raw)
        }
        PropertyValue::Unreadable(text) => ("cannot be read".to_owned(), text.clone()),
    }
}

impl GridData for Grid {
    fn label(&self) -> String {
        "Properties".to_owned()
    }

    fn columns(&self) -> Vec<GridColumn> {
        let column = |title: &str, width, grows| GridColumn {
            title: title.to_owned(),
            width,
            grows,
            ..GridColumn::default()
        };
        vec![
            column("Key", 30, false),
            column("Meaning", 30, true),
            column("Type", 8, false),
            column("Value", 30, true),
        ]
    }

    fn rows(&self) -> u64 {
        self.lines.len() as u64
    }

    fn cells(&self, row: u64) -> Option<Vec<Html>> {
        let line = *self.line(row)?;
        let Some(property) = self.property(line) else {
            let set = self.sets.sets.get(line.0)?;
            return Some(vec![
                html! { <b title={escaped(&set.name)}>{ shortened(&escaped(&set.name)) }</b> },
                html! { <span class="dim" title={set.doc.to_string()}>{ prose(&set.doc) }</span> },
                Html::default(),
                html! { <span class="dim">{ words::counted(set.entries.len() as u64, "property", "properties") }</span> },
            ]);
        };
        let (meaning, raw) = value(property);
        let kind = match property.kind.value {
            1 => "number",
            2 => "bytes",
            _ => "unknown",
        };
        Some(vec![
            html! { <span class="key mono" title={format!("{}\n{}", escaped(&property.key), property.doc)}>{ shortened(&escaped(&property.key)) }</span> },
            html! { <span title={escaped(&meaning)}>{ escaped(&meaning) }</span> },
            html! { <span class="dim">{ kind }</span> },
            html! { <span class="mono dim" title={escaped(&raw)}>{ escaped(&raw) }</span> },
        ])
    }

    fn selected(&self) -> Option<u64> {
        let selected = self.view.selection.span?;
        let holds = |line: &(usize, Option<usize>)| {
            self.spans(*line)
                .is_some_and(|(key, value)| key.contains(selected) || value.contains(selected))
        };
        let place = self.lines.iter().position(holds)?;
        Some(place as u64)
    }

    fn serial(&self) -> u64 {
        u64::from(self.view.selection.serial)
    }

    fn choose(&self, row: u64, column: usize) {
        if let Some((key, value)) = self.line(row).and_then(|line| self.spans(*line)) {
            let span = if column == 0 { key } else { value };
            self.session.0.select_span(span, Via::Jump);
        }
    }
}
