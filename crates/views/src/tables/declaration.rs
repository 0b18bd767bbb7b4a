//! What a list is, apart from its rows.

use super::{Column, ListId, Presence};
use zeview_core::model::Capabilities;

/// A list: its columns and words, where it is offered, how it is shown, and what its rows open.
///
/// The page reads this instead of asking which list it shows, so that a new table needs no code of
/// the page. Each kind of behavior is a variant of [`Scope`], [`Shape`], [`Opens`] …
#[derive(Debug)]
pub struct Declaration {
    /// Its identifier.
    pub id: ListId,
    /// Its plural name, for URLs, file names and elements: `kernels`.
    pub name: &'static str,
    /// Returns its columns, in the order of the table.
    pub columns: fn() -> &'static [Column],
    /// Its words on the page.
    pub words: Words,
    /// The part of a file that it is a list of.
    pub scope: Scope,
    /// How its rows are shown.
    pub shape: Shape,
    /// The graph that shows the same things.
    pub drawing: Option<Drawing>,
    /// Its tab; `None` if it is shown within another panel.
    pub tab: Option<Tab>,
    /// What a row opens.
    pub opens: Opens,
    /// Whether the details of the current row are shown.
    pub details: Details,
    /// Whether the current row stays the current one until another row is selected.
    pub stays: bool,
    /// The columns that are as wide as their longest cells.
    pub fit: Option<Fit>,
    /// The columns that the page shows by default, in their order; empty: those that every table
    /// shows ([`Presence::Default`]).
    pub page: &'static [&'static str],
    /// Conditions that the page offers as buttons.
    pub toggles: &'static [Toggle],
    /// How it is read in steps.
    pub reading: ReadingKind,
    /// A further button above the rows.
    pub button: Option<Button>,
}

impl Declaration {
    /// Declares a table of the innermost document around the selection.
    pub(super) const fn table(
        id: ListId,
        name: &'static str,
        columns: fn() -> &'static [Column],
        words: Words,
    ) -> Declaration {
        Declaration {
            id,
            name,
            columns,
            words,
            scope: Scope::Document,
            shape: Shape::Table,
            drawing: None,
            tab: None,
            opens: Opens::Nothing,
            details: Details::Hidden,
            stays: false,
            fit: None,
            page: &[],
            toggles: &[],
            reading: ReadingKind::Whole,
            button: None,
        }
    }
}

/// The words for a list.
#[derive(Debug)]
pub struct Words {
    /// Its title.
    pub title: &'static str,
    /// The noun for a row.
    pub one: &'static str,
    /// Its plural.
    pub many: &'static str,
    /// Examples of what can be typed to find rows.
    pub hint: &'static str,
    /// A sentence that says that there are no rows.
    pub none: &'static str,
}

/// The part of a file that a list is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scope {
    /// The innermost document around the selection that has such a list.
    Document,
    /// Likewise; but a row of a container's list, once selected, stays in that list.
    Container,
    /// The text around the selection, [`Query::of`](super::query::Query::of).
    Text,
    /// The owner of properties around the selection, `Query::of`.
    Owner,
    /// The section of code around the selection, `Query::of`.
    Code,
    /// The comparison with another file, whatever is selected.
    Comparison,
    /// The difference [`Query::difference`](super::query::Query::difference) of that comparison.
    Difference,
    /// Two profiles, whatever is selected.
    Profiles,
}

impl Scope {
    /// Whether the list and its current row follow the selection.
    pub fn follows_selection(self) -> bool {
        match self {
            Scope::Document | Scope::Container | Scope::Text | Scope::Owner | Scope::Code => true,
            Scope::Comparison | Scope::Difference | Scope::Profiles => false,
        }
    }

    /// Whether the list is of the bytes [`Query::of`](super::query::Query::of).
    pub fn is_of_bytes(self) -> bool {
        matches!(self, Scope::Text | Scope::Owner | Scope::Code)
    }
}

/// How the rows of a list are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shape {
    /// As a table.
    Table,
    /// As the lines of a text, which is searched rather than filtered.
    Text,
    /// As code: jumps, live registers, samples, loops that can be folded.
    Code,
    /// As a table of differences, one of which is shown in detail.
    Differences,
    /// As two files beside each other.
    Sides,
    /// As a table below a treemap of its rows.
    Sizes,
}

/// The graph of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drawing {
    /// The modules of a SYCLBIN.
    Modules,
    /// The images of a host file.
    Images,
    /// The basic blocks of code.
    Blocks,
}

/// What a row opens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opens {
    /// Nothing.
    Nothing,
    /// The code of the kernel.
    Code,
    /// The loop that starts at the instruction, or closes it.
    Fold,
    /// The same row in the other file of the comparison.
    OtherFile,
    /// Another list, of the row.
    List(ListId),
    /// The overview of the row.
    Overview,
    /// The driver's verdict for the device of the row.
    Verdict,
    /// The groups in the row; of a kernel, its code.
    Group,
}

/// Whether the details of the current row are shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Details {
    /// No: its cells say everything.
    Hidden,
    /// If there are any besides its title.
    IfAny,
    /// Always.
    Shown,
}

/// Columns that are as wide as their longest cells, instead of their declared width.
#[derive(Debug)]
pub struct Fit {
    /// Their ids. Columns with several values in a cell are fitted as well.
    pub columns: &'static [&'static str],
    /// The minimum width in characters.
    pub least: u32,
    /// The maximum width in characters.
    pub most: u32,
}

/// A condition that the page offers as a button.
#[derive(Debug)]
pub struct Toggle {
    /// The label.
    pub label: &'static str,
    /// The condition, without blanks.
    pub filter: &'static str,
    /// The explanation.
    pub doc: &'static str,
}

/// How a list is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReadingKind {
    /// At once.
    Whole,
    /// With the kernels of a container, one image after the other.
    Kernels,
    /// With the files of a package, one after the other.
    Images,
    /// With the sizes of all documents in the file, one after the other.
    Sizes,
    /// With the kernels of a container, whose code is searched one after the other.
    Found,
    /// At once; what is known of the contents of its rows grows with other lists.
    Described,
}

/// A button above the rows of a list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// Selects the whole file, for its properties.
    FileProperties,
    /// Adds source files.
    AddSources,
}

/// A tab of the page.
#[derive(Debug)]
pub struct Tab {
    /// Its name in commands and links.
    pub name: &'static str,
    /// Its title.
    pub title: &'static str,
    /// Whether it is about the file itself, and not about its device code.
    pub is_of_file: bool,
    /// Whether it is offered for a file with these contents.
    pub offered: fn(&Contents) -> bool,
    /// Whether it is also offered for containers: images that are opened on demand may have it.
    pub in_images: bool,
    /// Whether the page shows the bytes below it by default, if it is about the file itself.
    pub has_bytes: bool,
}

impl Tab {
    /// Declares a tab about device code.
    pub(super) const fn of_code(
        name: &'static str,
        title: &'static str,
        offered: fn(&Contents) -> bool,
    ) -> Tab {
        Tab {
            name,
            title,
            is_of_file: false,
            offered,
            in_images: false,
            has_bytes: true,
        }
    }

    /// Declares a tab about the file itself.
    pub(super) const fn of_file(
        name: &'static str,
        title: &'static str,
        offered: fn(&Contents) -> bool,
    ) -> Tab {
        Tab {
            is_of_file: true,
            ..Tab::of_code(name, title, offered)
        }
    }

    /// Whether the tab is shown for a file with these contents.
    pub fn is_shown(&self, contents: &Contents) -> bool {
        let any = &contents.any;
        (self.offered)(contents) || self.in_images && (any.host || any.package)
    }
}

/// The contents of a file, which decide about the tabs.
#[derive(Debug, Clone, Copy)]
pub struct Contents {
    /// Those of the file, the documents in it, and the selected document.
    pub any: Capabilities,
    /// Those of the file itself.
    pub own: Capabilities,
    /// Whether the file is a container of device code.
    pub holds_images: bool,
}

impl ListId {
    /// Returns its columns, in the order of the table.
    pub fn columns(self) -> &'static [Column] {
        (self.declaration().columns)()
    }

    /// Returns the columns that are visible by default in the list of a single document.
    pub fn default_columns(self) -> impl Iterator<Item = &'static Column> {
        let columns = self.columns().iter();
        columns.filter(|column| column.presence == Presence::Default)
    }

    /// Returns the columns that the page shows by default in the list of a single document.
    pub fn page_columns(self) -> Vec<&'static Column> {
        let page = self.declaration().page.iter();
        let columns = self.columns();
        let found = page.filter_map(|id| columns.iter().find(|column| column.id == *id));
        let found: Vec<_> = found.collect();
        match found.as_slice() {
            [] => self.default_columns().collect(),
            _ => found,
        }
    }

    /// Returns its plural name, for URLs, file names and elements: `kernels`.
    pub fn name(self) -> &'static str {
        self.declaration().name
    }

    /// Returns the list with a [name](ListId::name).
    pub fn named(name: &str) -> Option<ListId> {
        ListId::ALL.into_iter().find(|list| list.name() == name)
    }
}
