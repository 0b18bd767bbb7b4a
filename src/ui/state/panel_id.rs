//! Panel ids.

use crate::tables::ListId;

/// A panel in the middle of the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum PanelId {
    /// Summary of the file, and sizes of its parts.
    #[default]
    Overview,
    /// List of kernels.
    Kernels,
    /// One kernel in full.
    Arguments,
    /// List of relocations.
    Relocations,
    /// List of symbols.
    Symbols,
    /// Readable texts: `.ze_info`, vISA assembly, build options.
    Text,
    /// Modules of a SYCLBIN.
    Modules,
    /// Property sets of the selected object.
    Properties,
    /// Instructions of a kernel.
    Assembly,
    /// Source lines of the code.
    SourceLines,
    /// Files of a package or folder.
    Files,
    /// Kernels of a container by device.
    Matrix,
    /// Images of a container.
    Images,
    /// The driver's verdict for each device.
    Devices,
    /// Differences from another file.
    Compare,
    /// Errors, warnings and notes.
    Problems,
    /// Bookmarks.
    Bookmarks,
}

impl PanelId {
    /// All panels in tab order.
    pub const ALL: [PanelId; 17] = [
        PanelId::Overview,
        PanelId::Files,
        PanelId::Matrix,
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

    /// The name in commands and links.
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
            PanelId::Files => "files",
            PanelId::Matrix => "matrix",
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

    /// The list whose current row follows the selection.
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
            PanelId::Files => Some(ListId::Files),
            PanelId::Matrix => Some(ListId::Matrix),
            PanelId::Images => Some(ListId::Images),
            PanelId::Devices => Some(ListId::Devices),
            PanelId::Compare => Some(ListId::Differences),
            PanelId::Overview | PanelId::Problems | PanelId::Bookmarks => None,
        }
    }
}
