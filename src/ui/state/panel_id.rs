//! Panel ids.

use crate::model::suggest::unknown_name;
use crate::tables::ListId;

/// A panel in the middle of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PanelId {
    /// Summary of the file, and sizes of its parts.
    #[default]
    Overview,
    /// A list with a [tab](crate::tables::Declaration::tab).
    List(ListId),
    /// One kernel in full.
    Arguments,
    /// Source, SPIR-V, vISA and instructions of a kernel.
    Step,
    /// Differences from another file.
    Compare,
    /// Errors, warnings and notes.
    Problems,
    /// Bookmarks.
    Bookmarks,
}

/// How near a panel looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Level {
    /// At all kernels of a library, container or zebin.
    #[default]
    Library,
    /// At one kernel and its code.
    Kernel,
    /// At the file itself.
    File,
}

impl Level {
    /// All levels, the widest view first.
    pub const ALL: [Level; 3] = [Level::Library, Level::Kernel, Level::File];

    /// The name on its tab.
    pub fn title(self) -> &'static str {
        match self {
            Level::Library => "Library",
            Level::Kernel => "Kernel",
            Level::File => "File",
        }
    }
}

impl PanelId {
    /// List of kernels.
    pub const KERNELS: PanelId = PanelId::List(ListId::Kernels);
    /// Instructions of a kernel.
    pub const ASSEMBLY: PanelId = PanelId::List(ListId::Instructions);
    /// Files of a package or folder.
    pub const FILES: PanelId = PanelId::List(ListId::Files);
    /// Kernels of a container by device.
    pub const MATRIX: PanelId = PanelId::List(ListId::Matrix);
    /// Images of a container.
    pub const IMAGES: PanelId = PanelId::List(ListId::Images);
    /// The driver's verdict for each device.
    pub const DEVICES: PanelId = PanelId::List(ListId::Devices);
    /// Source lines of the code.
    pub const SOURCE_LINES: PanelId = PanelId::List(ListId::SourceLines);

    /// Number of panels, counting each list as one.
    pub const COUNT: usize = ListId::ALL.len() + 6;

    /// A number below [`COUNT`](PanelId::COUNT).
    pub fn number(self) -> usize {
        let lists = ListId::ALL.len();
        match self {
            PanelId::List(list) => list as usize,
            PanelId::Overview => lists,
            PanelId::Arguments => lists + 1,
            PanelId::Compare => lists + 2,
            PanelId::Problems => lists + 3,
            PanelId::Bookmarks => lists + 4,
            PanelId::Step => lists + 5,
        }
    }

    /// All panels in tab order: first those about kernels, then those about the file.
    pub fn all() -> Vec<PanelId> {
        let mut all = vec![PanelId::Overview];
        for list in tabs(false) {
            all.push(PanelId::List(list));
            if list == ListId::Instructions {
                all.extend([PanelId::Step, PanelId::Arguments]);
            }
        }
        all.extend([PanelId::Compare, PanelId::Problems]);
        all.extend(tabs(true).map(PanelId::List));
        all.push(PanelId::Bookmarks);
        all
    }

    /// The level that the panel belongs to.
    pub fn level(self) -> Level {
        match self {
            PanelId::Overview | PanelId::Compare => Level::Library,
            PanelId::Arguments | PanelId::Step | PanelId::ASSEMBLY => Level::Kernel,
            PanelId::Problems | PanelId::Bookmarks => Level::File,
            PanelId::List(list) => {
                let tab = list.declaration().tab.as_ref();
                if tab.is_some_and(|tab| tab.is_of_file) {
                    Level::File
                } else {
                    Level::Library
                }
            }
        }
    }

    /// The name in commands and links.
    pub fn name(self) -> &'static str {
        match self {
            PanelId::Overview => "overview",
            PanelId::List(list) => match &list.declaration().tab {
                Some(tab) => tab.name,
                None => list.name(),
            },
            PanelId::Arguments => "arguments",
            PanelId::Step => "step",
            PanelId::Compare => "compare",
            PanelId::Problems => "problems",
            PanelId::Bookmarks => "bookmarks",
        }
    }

    /// The panel with a name.
    pub fn named(name: &str) -> Option<PanelId> {
        PanelId::all()
            .into_iter()
            .find(|panel| panel.name() == name)
    }

    /// What is wrong with a name in a link or a message: nothing if there is such a panel, or none is named.
    pub fn wrong_name(name: &str) -> Option<String> {
        if name.is_empty() || PanelId::named(name).is_some() {
            return None;
        }
        // Without the tables of letter cases that a comparison of any names needs.
        let start = name.get(..3).unwrap_or(name);
        let mut names = PanelId::all().into_iter().map(PanelId::name);
        let near = names.find(|other| other.starts_with(start));
        Some(unknown_name("panel", name, near.as_slice()))
    }

    /// The list whose current row follows the selection.
    pub fn list(self) -> Option<ListId> {
        match self {
            PanelId::List(list) => Some(list),
            PanelId::Arguments => Some(ListId::Kernels),
            PanelId::Compare => Some(ListId::Differences),
            PanelId::Overview | PanelId::Step | PanelId::Problems | PanelId::Bookmarks => None,
        }
    }
}

/// The lists with a tab about the file itself, or about kernels.
fn tabs(is_of_file: bool) -> impl Iterator<Item = ListId> {
    ListId::ALL.into_iter().filter(move |list| {
        let tab = list.declaration().tab.as_ref();
        tab.is_some_and(|tab| tab.is_of_file == is_of_file)
    })
}
