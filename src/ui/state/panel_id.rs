//! The panels.

use crate::tables::ListId;

/// What can be chosen in the middle of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PanelId {
    /// The file in a few lines, and where its bytes go.
    #[default]
    Overview,
    /// The kernels, one row each.
    Kernels,
    /// One kernel in full.
    Arguments,
    /// The relocations, one row each.
    Relocations,
    /// The symbols, one row each.
    Symbols,
    /// What can be read as it stands: `.ze_info`, vISA assembly, build options.
    Text,
    /// The modules of a SYCLBIN.
    Modules,
    /// The property sets of what is selected in it.
    Properties,
    /// The instructions of a kernel.
    Assembly,
    /// The source lines of the code.
    SourceLines,
    /// The images of a container.
    Images,
    /// What the driver does on each device.
    Devices,
    /// What differs from another file.
    Compare,
    /// What is wrong or remarkable.
    Problems,
    /// What somebody has marked.
    Bookmarks,
}

impl PanelId {
    /// All panels, in the order of their tabs.
    pub const ALL: [PanelId; 15] = [
        PanelId::Overview,
        PanelId::Kernels,
        PanelId::Arguments,
        PanelId::Assembly,
        PanelId::Images,
        PanelId::Devices,
        PanelId::Compare,
        PanelId::Problems,
        PanelId::Modules,
        PanelId::Properties,
        PanelId::Text,
        PanelId::SourceLines,
        PanelId::Symbols,
        PanelId::Relocations,
        PanelId::Bookmarks,
    ];

    /// Its name in commands and links.
    pub fn name(self) -> &'static str {
        match self {
            PanelId::Overview => "overview",
            PanelId::Kernels => "kernels",
            PanelId::Arguments => "arguments",
            PanelId::Relocations => "relocations",
            PanelId::Symbols => "symbols",
            PanelId::Text => "text",
            PanelId::Assembly => "assembly",
            PanelId::SourceLines => "source-lines",
            PanelId::Modules => "modules",
            PanelId::Properties => "properties",
            PanelId::Images => "images",
            PanelId::Devices => "devices",
            PanelId::Compare => "compare",
            PanelId::Problems => "problems",
            PanelId::Bookmarks => "bookmarks",
        }
    }

    /// The panel with a name.
    pub fn named(name: &str) -> Option<PanelId> {
        PanelId::ALL.into_iter().find(|panel| panel.name() == name)
    }

    /// The list whose row it shows with the selection.
    pub fn list(self) -> Option<ListId> {
        match self {
            PanelId::Kernels | PanelId::Arguments => Some(ListId::Kernels),
            PanelId::Relocations => Some(ListId::Relocations),
            PanelId::Symbols => Some(ListId::Symbols),
            PanelId::Text => Some(ListId::Lines),
            PanelId::Assembly => Some(ListId::Instructions),
            PanelId::SourceLines => Some(ListId::SourceLines),
            PanelId::Modules => Some(ListId::Modules),
            PanelId::Properties => Some(ListId::Properties),
            PanelId::Images => Some(ListId::Images),
            PanelId::Devices => Some(ListId::Devices),
            PanelId::Compare => Some(ListId::Differences),
            PanelId::Overview | PanelId::Problems | PanelId::Bookmarks => None,
        }
    }
}
