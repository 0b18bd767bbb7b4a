//! The tour of a sample for first-time visitors.

use super::TabId;

/// File name in the folder of the samples.
pub const FILE: &str = "spill.dg2.zebin";

/// The current step of the tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guide {
    /// The file's tab.
    pub tab: TabId,
    /// Index in [`STEPS`].
    pub step: usize,
}

/// A step of the tour: what it shows and explains.
pub struct Step {
    /// Title.
    pub title: &'static str,
    /// Explanation.
    pub text: &'static str,
    /// Selection and view, as the fragment of a link.
    pub link: &'static str,
}

/// The steps of the tour.
pub const STEPS: [Step; 4] = [
    Step {
        title: "A file at a glance",
        text: "This zebin has three kernels for an Arc GPU. The overview says what the file is for and whether the driver loads it; \
               the tree lists its parts in the order of their bytes. Press t, x or i to hide or show the tree, the bytes and the inspector.",
        link: "panel=overview",
    },
    Step {
        title: "All kernels in one table",
        text: "Sorted by spilled registers. A filter such as “spill>0” finds the kernels that matter. \
               Enter opens the assembly of the selected kernel. The table can be copied, or saved as CSV, Markdown or JSON.",
        link: "panel=kernels&sort=-spill_size",
    },
    Step {
        title: "Every value has its bytes",
        text: "The spill size of the kernel is selected in .ze_info, and its four bytes are marked. \
               It works the other way round, too: click on a byte to find the value that it belongs to.",
        link: "panel=overview&k=spill&f=spill_size",
    },
    Step {
        title: "The machine code",
        text: "This instruction writes a spilled register to memory. Beside the listing you see where its value comes from; \
               “Operands and bits” shows which bits encode which operand. Now drop a file of your own, and press ? for all keys.",
        link: "panel=assembly&k=spill&pc=0x288",
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::state::PanelId;
    use crate::ui::state::samples::SAMPLES;
    use crate::ui::text::route::parse_fragment;

    #[test]
    fn the_file_is_a_sample_and_each_step_shows_a_panel() {
        assert!(SAMPLES.iter().any(|sample| sample.file == FILE));
        for step in &STEPS {
            let link = parse_fragment(step.link);
            assert!(
                PanelId::named(&link.shown.panel).is_some(),
                "{}",
                step.title
            );
        }
    }
}
