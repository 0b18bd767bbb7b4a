//! Cells of the kernel table: families, aligned arguments, bars.

use yew::prelude::*;

use super::rows::{Grid, cell};
use crate::analysis::figure::Unknown;
use crate::model::text::{cut_before, escaped};
use crate::tables::{Cell, CellValue, Column, ListId, Row};
use crate::ui::components::{plain, shortened};

/// Minimum length of aligned arguments, in characters.
const ALIGNED: usize = 24;

/// Width of a character of arguments, and what is around them, in pixels.
const CHARACTER: f64 = 7.25;
const AROUND: u32 = 14;

/// Minimum length of an argument that is cut.
const CUT: usize = 7;

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
            "spill_dwords_per_lane" => 88,
            "peak_live_registers" => 66,
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

    /// A cell of a kernel, in a column of this width in pixels; `None` for one as in other lists.
    pub(super) fn kernel_cell(
        &self,
        (column, width): (&Column, u32),
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
        let (class, title, content) = match (column.id, &found.value) {
            ("family", value) => {
                let above = place.checked_sub(1);
                let above = above.and_then(|above| self.data().rows.row(above));
                let above = above.and_then(|above| self.data().cell(above, column));
                let is_same = above.is_some_and(|above| above.value.title() == value.title());
                let class = if is_same { "rep" } else { "" };
                (class.to_owned(), None, cell(found))
            }
            ("arguments", CellValue::Words(words)) => {
                let family = of("family").map(|family| family.value.title());
                let widths = family.and_then(|family| self.data().argument_widths(&family));
                let text = aligned(words, widths.unwrap_or_default(), fitting(width));
                let title = Some(words.join(", ")).filter(|title| !title.is_empty());
                let title = title.map(|title| escaped(&title));
                ("kargs".to_owned(), title, shortened(&escaped(&text)))
            }
            ("arguments", _) => return Some(Html::default()),
            ("device", CellValue::Words(words)) => {
                let devices = briefly(words);
                (String::new(), Some(words.join(", ")), plain(&devices))
            }
            (_, CellValue::Unknown { reason, .. }) => {
                let text = if *reason == Unknown::Pending {
                    "…"
                } else {
                    "–"
                };
                let title = reason.reason().into_owned();
                ("dim".to_owned(), Some(title), plain(text))
            }
            ("loop_cycles", CellValue::Absent) => {
                ("dim".to_owned(), Some("No loops".to_owned()), plain("–"))
            }
            (_, CellValue::Int(0) | CellValue::Count(0)) => ("dim".to_owned(), None, plain("0")),
            ("spill_size", value @ (CellValue::Int(_) | CellValue::Count(_))) => {
                let most = self.data().maximum("spill_size");
                let share = value.number().filter(|_| most > 0.0)? / most;
                let width = (share * 20.0).ceil().clamp(1.0, 20.0) as u32;
                let title = found.marks.first().map(|mark| mark.doc.to_string());
                let value = Cell::new(value.clone());
                (format!("under w{width}"), title, cell(&value))
            }
            ("peak_live_registers", value) => {
                let all = of("grf_count").and_then(|all| all.value.number())?;
                if value.number()? < PEAK * all {
                    return None;
                }
                ("peak".to_owned(), None, cell(found))
            }
            _ => return None,
        };
        Some(html! { <span {class} {title}>{ content }</span> })
    }
}

/// Devices without the platform that they share with the one before: `bmg-g21 g31`.
pub(in crate::ui::panels) fn briefly<T: AsRef<str>>(devices: &[T]) -> String {
    let mut text = String::new();
    let mut platform = "";
    for device in devices {
        let device = device.as_ref();
        let (own, rest) = device.split_once('-').unwrap_or(("", device));
        if !text.is_empty() {
            text.push(' ');
        }
        let is_same = own == platform && !own.is_empty();
        text.push_str(if is_same { rest } else { device });
        platform = own;
    }
    text
}

fn has_arguments(value: &CellValue<'_>) -> bool {
    matches!(value, CellValue::Words(words) if !words.is_empty())
}

/// The number of characters that fit into a column of arguments.
fn fitting(width: u32) -> usize {
    let fitting = f64::from(width.saturating_sub(AROUND)) / CHARACTER;
    (fitting as usize).max(ALIGNED)
}

/// Arguments in columns, at most `all` characters together if that is possible: the longest are cut.
/// Each keeps its start and its end, so that what tells it apart is rarely lost.
fn aligned<T: AsRef<str>>(words: &[T], widths: &[usize], all: usize) -> String {
    let length = |at: usize| {
        let own = words
            .get(at)
            .map_or(0, |word| word.as_ref().chars().count());
        widths.get(at).copied().unwrap_or(own)
    };
    let fits = |most: &usize| {
        let lengths = (0..words.len()).map(|at| length(at).min(*most) + 2);
        lengths.sum::<usize>() <= all + 2
    };
    let most = (CUT..=all).rev().find(fits).unwrap_or(CUT);
    let mut text = String::new();
    for (at, word) in words.iter().enumerate() {
        // Arguments differ rather at their ends.
        let word = cut_before(word.as_ref(), most, most * 2 / 3);
        text.push_str(&word);
        if at + 1 < words.len() {
            let blanks = length(at).min(most).saturating_sub(word.chars().count()) + 2;
            text.extend(std::iter::repeat_n(' ', blanks));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_of_one_platform_share_its_name() {
        assert_eq!(
            briefly(&["bmg-g21", "bmg-g31", "pvc", "acm-g10", "acm-g11"]),
            "bmg-g21 g31 pvc acm-g10 g11"
        );
        assert_eq!(briefly(&["arl-h"]), "arl-h");
        assert_eq!(briefly::<&str>(&[]), "");
    }

    #[test]
    fn arguments_are_aligned_and_cut_in_their_middles() {
        let words = ["DirectLoad<half>", "1", "true"];
        assert_eq!(
            aligned(&words, &[20, 2, 5], 40),
            "DirectLoad<half>      1   true"
        );
        assert_eq!(aligned(&words, &[], 40), "DirectLoad<half>  1  true");
        assert_eq!(aligned(&["…a", "b"], &[4, 1], 40), "…a    b");
        assert_eq!(aligned::<&str>(&[], &[4], 40), "");
        // The longest ones are shorter, and all rows are aligned.
        let widths = [30, 30, 1];
        let long = ["SoftmaxForward<bfloat16, float>", "half_t", "8"];
        let other = ["half", "SoftmaxForward<bfloat16, half>", "8"];
        let [one, two] = [aligned(&long, &widths, 40), aligned(&other, &widths, 40)];
        assert!(one.contains("float>  half_t  "), "{one}");
        assert!(two.contains("half>  8"), "{two}");
        let count = |text: &str| text.chars().count();
        assert_eq!((count(&one), count(&two)), (39, 39));
    }
}
