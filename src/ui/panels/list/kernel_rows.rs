//! What rows of kernels show besides those of other lists: families, aligned arguments, bars.

use yew::prelude::*;

use super::rows::{Grid, cell};
use crate::analysis::figure::Unknown;
use crate::model::text::escaped;
use crate::tables::{Cell, CellValue, Column, ListId, Row};
use crate::ui::components::shortened;

/// Maximum length of aligned arguments, in characters.
const ALIGNED: usize = 72;

/// Share of the registers from which on the peak of live registers is emphasized.
const PEAK: f64 = 0.95;

impl Grid {
    fn is_kernels(&self) -> bool {
        self.list == ListId::Kernels
    }

    /// Width of a column of kernels in pixels, if it does not depend on the column's title.
    pub(super) fn kernel_width(&self, column: &Column) -> Option<u32> {
        // Values that differ within a group need more.
        if !self.is_kernels() || self.data().longest(column.id).is_some() {
            return None;
        }
        Some(match column.id {
            "family" => 190,
            // It takes the rest.
            "arguments" => 200,
            "device" => 98,
            "simd_size" => 46,
            "grf_count" => 42,
            "spill_size" | "loop_cycles" => 70,
            "spill_dwords_per_lane" | "peak_live_registers" => 66,
            "code_size" => 72,
            _ => return None,
        })
    }

    /// Class of a row of kernels whose name takes the place of the arguments: if it has none, or they
    /// are not known yet.
    pub(super) fn kernel_class(&self, row: u64) -> Option<&'static str> {
        let [first, second, ..] = self.columns.as_slice() else {
            return None;
        };
        let row = self.data().rows.row(row).filter(|_| self.is_kernels())?;
        let has_name = first.id == "family" && second.id == "arguments";
        let arguments = &self.data().cell(row, second)?.value;
        (has_name && !has_arguments(arguments)).then_some("whole")
    }

    /// A cell of a kernel; `None` for one as in other lists.
    pub(super) fn kernel_cell(
        &self,
        column: &Column,
        found: &Cell<'_>,
        (place, row): (u64, &Row),
    ) -> Option<Html> {
        if !self.is_kernels() {
            return None;
        }
        let of = |id: &str| {
            let column = self.data().column(id)?;
            self.data().cell(row, column)
        };
        match (column.id, &found.value) {
            ("family", value) => {
                let above = place.checked_sub(1);
                let above = above.and_then(|above| self.data().rows.row(above));
                let above = above.and_then(|above| self.data().cell(above, column));
                let is_same = above.is_some_and(|above| above.value.title() == value.title());
                Some(html! { <span class={is_same.then_some("rep")}>{ cell(found) }</span> })
            }
            ("arguments", CellValue::Words(words)) if !words.is_empty() => {
                let family = of("family").map(|family| family.value.title());
                let widths = family.and_then(|family| self.data().argument_widths(&family));
                let text = aligned(words, widths.unwrap_or_default());
                let title = escaped(&words.join(", "));
                Some(html! { <span class="kargs" {title}>{ shortened(&escaped(&text)) }</span> })
            }
            ("arguments", _) => Some(Html::default()),
            (_, CellValue::Unknown { reason, .. }) => {
                let text = if *reason == Unknown::Pending {
                    "…"
                } else {
                    "–"
                };
                let title = reason.reason().into_owned();
                Some(html! { <span class="dim" {title}>{ text }</span> })
            }
            ("loop_cycles", CellValue::Absent) => {
                Some(html! { <span class="dim" title="No loops">{ "–" }</span> })
            }
            (_, value @ (CellValue::Int(0) | CellValue::Count(0))) => {
                Some(html! { <span class="dim">{ value.text().into_owned() }</span> })
            }
            ("spill_size", value @ (CellValue::Int(_) | CellValue::Count(_))) => {
                let most = self.data().maximum("spill_size");
                let share = value.number().filter(|_| most > 0.0)? / most;
                let width = (share * 20.0).ceil().clamp(1.0, 20.0);
                let value = Cell {
                    marks: Vec::new(),
                    ..found.clone()
                };
                let class = format!("bar w{width}");
                let title = found.marks.first().map(|mark| mark.doc.to_string());
                Some(html! { <span {class} {title}>{ cell(&value) }</span> })
            }
            ("peak_live_registers", value) => {
                let all = of("grf_count").and_then(|all| all.value.number())?;
                let is_peak = value.number()? >= PEAK * all;
                Some(html! { <span class={is_peak.then_some("peak")}>{ cell(found) }</span> })
            }
            _ => None,
        }
    }
}

fn has_arguments(value: &CellValue<'_>) -> bool {
    matches!(value, CellValue::Words(words) if !words.is_empty())
}

/// Arguments in columns, if there is room.
fn aligned<T: AsRef<str>>(words: &[T], widths: &[usize]) -> String {
    let last = words.len().saturating_sub(1);
    let mut text = String::new();
    let total: usize = widths.iter().take(last).map(|width| width + 2).sum();
    let is_aligned =
        total + words.last().map_or(0, |word| word.as_ref().chars().count()) <= ALIGNED;
    for (at, word) in words.iter().enumerate() {
        let word = word.as_ref();
        text.push_str(word);
        if at < last {
            let width = widths.get(at).copied().filter(|_| is_aligned).unwrap_or(0);
            let blanks = width.saturating_sub(word.chars().count()) + 2;
            text.extend(std::iter::repeat_n(' ', blanks));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_aligned_if_there_is_room() {
        let words = ["DirectLoad<half>", "1", "true"];
        assert_eq!(
            aligned(&words, &[20, 2, 5]),
            "DirectLoad<half>      1   true"
        );
        assert_eq!(aligned(&words, &[90, 2, 5]), "DirectLoad<half>  1  true");
        assert_eq!(aligned(&words, &[]), "DirectLoad<half>  1  true");
        assert_eq!(aligned(&["…a", "b"], &[4, 1]), "…a    b");
        assert_eq!(aligned::<&str>(&[], &[4]), "");
    }
}
