//! Tours of samples for first-time visitors.

use super::TabId;

/// The current step of a tour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Guide {
    /// The file's tab.
    pub tab: TabId,
    /// Index in [`TOURS`].
    pub tour: usize,
    /// Index in its steps.
    pub step: usize,
}

impl Guide {
    /// Its tour.
    pub fn tour(self) -> &'static Tour {
        TOURS.get(self.tour).unwrap_or(&TOURS[0])
    }
}

/// A tour of a sample.
pub struct Tour {
    /// File name in the folder of the samples.
    pub file: &'static str,
    /// What the start page calls it, and how long it is.
    pub label: &'static str,
    pub about: &'static str,
    /// The attribute `data-wish` of its button, also in `index.html`.
    pub wish: &'static str,
    /// Its steps.
    pub steps: [Step; 4],
}

/// A step of a tour: what it shows and explains.
pub struct Step {
    /// Title.
    pub title: &'static str,
    /// Explanation.
    pub text: &'static str,
    /// Selection and view, as the fragment of a link.
    pub link: &'static str,
}

/// All tours.
pub const TOURS: [Tour; 2] = [
    Tour {
        file: "spill.dg2.zebin",
        label: "Take the tour",
        about: "4 steps, 1 minute",
        wish: "guide",
        steps: ZEBIN,
    },
    Tour {
        file: "program.host",
        label: "Tour of a library",
        about: "4 steps, 1 minute",
        wish: "guide-library",
        steps: LIBRARY,
    },
];

const LIBRARY: [Step; 4] = [
    Step {
        title: "A library at a glance",
        text: "Programs, libraries and wheels have images: native code for some GPUs, and SPIR-V that the driver compiles for others. \
               The overview lists the native code by GPU, and the families of kernels, those with the worst findings first.",
        link: "panel=overview",
    },
    Step {
        title: "Will it run on my GPU?",
        text: "“Check a GPU” in the overview takes any name of a GPU. Here it is the Arc B580: each image says whether it is chosen there, \
               what the driver does with it, and why.",
        link: "panel=images&device=bmg-g21",
    },
    Step {
        title: "The kernels of all images",
        text: "Kernels are listed by family, with the arguments that differ. Builds for several GPUs with equal figures are one row. \
               Buttons above the table show the kernels that spill; Enter opens the code of a kernel.",
        link: "panel=kernels&sort=-spill_size",
    },
    Step {
        title: "The code of one build",
        text: "The line at the top says where you are: the file, the image and the kernel. Image and kernel are lists. \
               The figures beside the tabs open what is known of spills, live registers, loops and waits. Now drop a library or a wheel of your own.",
        link: "kernel=spill&target=acm-g10&panel=assembly",
    },
];

const ZEBIN: [Step; 4] = [
    Step {
        title: "A file at a glance",
        text: "This zebin has three kernels for an Arc GPU. The overview says what the file is for and whether the driver loads it. \
               The tabs are on three levels: Library has all kernels, Kernel one of them, File the parts and bytes of the file.",
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
        text: "Beside the panels of File, a tree lists the parts in the order of their bytes. The spill size of the kernel is selected in .ze_info, \
               and its four bytes are marked. It works the other way round, too: click on a byte to find the value that it belongs to. \
               Press t, x or i to show or hide the tree, the bytes and the inspector beside any panel.",
        link: "panel=problems&k=spill&f=spill_size",
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
    fn the_files_are_samples_and_each_step_shows_a_panel() {
        for tour in &TOURS {
            assert!(SAMPLES.iter().any(|sample| sample.file == tour.file));
            let page = include_str!("../../../index.html");
            assert!(page.contains(tour.label) && page.contains(tour.wish));
        }
        for step in TOURS.iter().flat_map(|tour| &tour.steps) {
            let link = parse_fragment(step.link);
            assert!(
                PanelId::named(&link.shown.panel).is_some(),
                "{}",
                step.title
            );
        }
    }
}
