//! What buttons do.
//!
//! A button names its command in the page: `data-command="panel kernels"`. So the page needs one
//! listener and not one for each button.

pub use crate::ui::text::readings::ByteForm;
use std::fmt;
use std::str::{FromStr, SplitAsciiWhitespace};

use super::{PanelId, TabId};
use crate::model::{SourceId, Span};
use crate::tables::ListId;
use crate::tables::write::Form;
use crate::worker::protocol::CompareForm;
use crate::worker::protocol::tree_order::TreeOrder;

/// A text that names no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCommand;

/// An argument of a command: a word without blanks.
trait Argument: Sized {
    fn read(word: &str) -> Option<Self>;

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident $(($($arg:ident: $ty:ty),+))? = $word:literal;)+) => {
        /// What a button does.
        #[derive(Debug, Clone, PartialEq, Eq)]
        pub enum Command {
            $($(#[$doc])* $name $(($($ty),+))?,)+
        }

        impl fmt::Display for Command {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                match self {
                    $(Command::$name $(($($arg),+))? => {
                        f.write_str($word)?;
                        $($(
                            f.write_str(" ")?;
                            $arg.write(f)?;
                        )+)?
                    })+
                }
                Ok(())
            }
        }

        impl FromStr for Command {
            type Err = UnknownCommand;

            fn from_str(text: &str) -> Result<Command, UnknownCommand> {
                let mut words = text.split_ascii_whitespace();
                let command = match words.next() {
                    $(Some($word) => Command::$name $(($(next::<$ty>(&mut words)?),+))?,)+
                    _ => return Err(UnknownCommand),
                };
                words.next().is_none().then_some(command).ok_or(UnknownCommand)
            }
        }

        /// One of each variant.
        impl Command {
    /// The id of the tab with this command in the page.
    pub fn tab(&self) -> String {
        format!("tab-{self}").replace(' ', "-")
    }
}

#[cfg(test)]
        fn all() -> Vec<Command> {
            vec![$(Command::$name $(($(<$ty as tests::Example>::example()),+))?),+]
        }
    };
}

fn next<T: Argument>(words: &mut SplitAsciiWhitespace<'_>) -> Result<T, UnknownCommand> {
    words.next().and_then(T::read).ok_or(UnknownCommand)
}

commands! {
    /// Shows the page without a file; the files stay open.
    Home = "home";
    /// Asks for files to open.
    Open = "open";
    /// Opens a file again that has changed.
    Reopen(tab: TabId) = "reopen";
    /// Opens a sample, by its place among them.
    Sample(place: usize) = "sample";
    /// Begins a short look at one of the samples.
    Guide = "guide";
    /// Shows a step of it.
    GuideStep(step: usize) = "guide-step";
    /// Ends it.
    EndGuide = "end-guide";
    /// Shows an open file.
    Activate(tab: TabId) = "activate";
    /// Closes a file.
    Close(tab: TabId) = "close";
    /// Tries again to open a file.
    Retry(tab: TabId) = "retry";
    /// Shows the help.
    Help = "help";
    /// Shows every rule.
    Rules = "rules";
    /// Asks for the address of a file.
    OpenLink = "open-link";
    /// Asks where to go.
    GoTo = "go-to";
    /// Goes to the next theme.
    NextTheme = "next-theme";
    /// Selects bytes.
    Select(span: Span) = "select";
    /// Selects the part of an instruction whose text begins at this place.
    SelectOperand(span: Span, at: u64) = "select-operand";
    /// Selects a node on the way to the selection, by its depth; 0: the file.
    SelectAbove(depth: usize) = "select-above";
    /// Selects a part of the file.
    SelectPart(index: u64) = "select-part";
    /// Selects the document whose list is shown.
    SelectDocument(list: ListId) = "select-document";
    /// Shows a panel.
    Panel(panel: PanelId) = "panel";
    /// Shows a pane, where panes are stacked.
    Pane(pane: Pane) = "pane";
    /// Shows or hides a pane beside the panel.
    TogglePane(pane: Pane) = "toggle-pane";
    /// Shows only the panel, or the panes again.
    OnlyPanel = "only-panel";
    /// Shows the bytes of what is selected.
    ShowBytes = "show-bytes";
    /// Shows the instructions of the current kernel.
    ShowCode = "show-code";
    /// Shows more of the parts by size.
    MoreParts = "more-parts";
    /// Copies a link to the selection.
    CopyLink = "copy-link";
    /// Copies the selected value.
    CopyValue = "copy-value";
    /// Copies the path of the selected node.
    CopyPath = "copy-path";
    /// Copies the selected bytes as text.
    CopyBytes(form: ByteForm) = "copy-bytes";
    /// Saves the selected bytes.
    SaveBytes = "save-bytes";
    /// Copies the selected node and all below it as text.
    CopyTree = "copy-tree";
    /// Saves the selected node and all below it as JSON.
    SaveTree = "save-tree";
    /// Shows the bytes that only fill up, or hides them.
    TogglePadding = "toggle-padding";
    /// Shows the two files of a comparison beside each other, or only the second one.
    ToggleSides = "toggle-sides";
    /// Shows what is the same in two files beside each other, or only what differs.
    ToggleUnchanged = "toggle-unchanged";
    /// Shows the defaults of what is not in the file, or hides them.
    ToggleDefaults = "toggle-defaults";
    /// Shows the tree in this order.
    Order(order: TreeOrder) = "order";
    /// Shows what the driver does on the file's own device.
    OwnDevice = "own-device";
    /// Shows the rows of a list that are shown only on demand, or hides them.
    ToggleSecondary(list: ListId) = "toggle-secondary";
    /// Reads no more of the kernels of a container.
    StopReading = "stop-reading";
    /// Reads the rest of them.
    ReadOn = "read-on";
    /// Shows the kernels for a device.
    KernelsFor(device: String) = "kernels-for";
    /// Shows the kernels for a device that spill registers, the worst first.
    SpillsFor(device: String) = "spills-for";
    /// Shows the instructions with a mark; with those shown, all.
    MarkedCode(mark: String) = "marked-code";
    /// Shows a column, or hides it.
    ToggleColumn(list: ListId, column: String) = "toggle-column";
    /// Moves a column to the left.
    MoveLeft(list: ListId, column: String) = "move-left";
    /// Moves a column to the right.
    MoveRight(list: ListId, column: String) = "move-right";
    /// Shows the default columns.
    DefaultColumns(list: ListId) = "default-columns";
    /// Copies a list.
    CopyList(list: ListId, form: Form) = "copy-list";
    /// Saves a list.
    SaveList(list: ListId, form: Form) = "save-list";
    /// Copies the name of the current row, as the file has it.
    CopyName(list: ListId) = "copy-name";
    /// Copies the demangled name of the current kernel.
    CopyDemangled = "copy-demangled";
    /// Selects the next row.
    NextRow(list: ListId) = "next-row";
    /// Selects the previous row.
    PreviousRow(list: ListId) = "previous-row";
    /// Shows the relocations that refer to the current symbol, or all code of the current line.
    References = "references";
    /// Selects the next match in the text.
    NextMatch = "next-match";
    /// Selects the previous match in the text.
    PreviousMatch = "previous-match";
    /// Copies the selected lines.
    CopyLines = "copy-lines";
    /// Copies the text.
    CopyText = "copy-text";
    /// Saves the text.
    SaveText = "save-text";
    /// Shows the modules, or the code, as a graph.
    ShowGraph = "show-graph";
    /// Shows the modules, or the code, as a table.
    ShowTable = "show-table";
    /// Draws some of the graph: the place of the first node, and how many.
    GraphRange(start: u64, count: u64) = "graph-range";
    /// Draws the graph larger.
    ZoomIn = "zoom-in";
    /// Draws the graph smaller.
    ZoomOut = "zoom-out";
    /// Draws the graph as large as its pane.
    ZoomToFit = "zoom-to-fit";
    /// Saves the graph.
    SaveGraph = "save-graph";
    /// Compares the file with another open one.
    CompareWith(tab: TabId) = "compare-with";
    /// Asks for a file to compare with.
    ChooseBase = "choose-base";
    /// Compares the other way round.
    Swap = "swap";
    /// Opens the file again whenever it changes on disk, or not any more.
    ToggleFollow = "toggle-follow";
    /// Compares the file with what it was before it changed.
    CompareWithBefore = "compare-with-before";
    /// Takes the numbers of registers for the same, or not.
    ToggleRenumbered = "toggle-renumbered";
    /// Selects bytes in the file that this one is compared with.
    ShowInBase(span: Span) = "show-in-base";
    /// Saves what there is to say of the file as a page of HTML.
    SaveReport = "save-report";
    /// Marks what is selected; asks for the comment of what is marked already.
    Bookmark = "bookmark";
    /// Keeps the comment that was typed.
    SaveComment = "save-comment";
    /// Deletes the bookmark whose comment is asked for, or that of what is selected.
    DeleteBookmark = "delete-bookmark";
    /// Saves the bookmarks of the file.
    ExportBookmarks = "export-bookmarks";
    /// Asks for a file of bookmarks.
    ImportBookmarks = "import-bookmarks";
    /// Copies the comparison.
    CopyComparison(form: CompareForm) = "copy-comparison";
    /// Saves the comparison.
    SaveComparison(form: CompareForm) = "save-comparison";
}

/// An enumeration whose variants are words.
macro_rules! words {
    ($ty:ident: $($name:ident = $word:literal),+) => {
        impl Argument for $ty {
            fn read(word: &str) -> Option<$ty> {
                match word {
                    $($word => Some($ty::$name),)+
                    _ => None,
                }
            }

            fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(match self {
                    $($ty::$name => $word,)+
                })
            }
        }
    };
}

/// A pane beside the panel. Where panes are stacked, it takes turns with another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pane {
    /// The tree.
    Structure,
    /// The bytes.
    Bytes,
    /// The inspector.
    Inspector,
}

words!(Pane: Structure = "structure", Bytes = "bytes", Inspector = "inspector");

words!(ByteForm: Hex = "hex", Text = "text", C = "c", Rust = "rust", Python = "python", Base64 = "base64");
words!(TreeOrder: File = "file", Kernels = "kernels");
words!(CompareForm: Markdown = "markdown", Html = "html", Json = "json");
words!(Form: Csv = "csv", Tabs = "tabs", Markdown = "markdown", Json = "json", Plain = "plain");

/// Numbers, and what is written like one.
macro_rules! parsed {
    ($($ty:ty),+) => {
        $(impl Argument for $ty {
            fn read(word: &str) -> Option<$ty> {
                word.parse().ok()
            }

            fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        })+
    };
}

parsed!(u64, usize, String);

impl Argument for TabId {
    fn read(word: &str) -> Option<TabId> {
        word.parse().ok().map(TabId)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl Argument for Span {
    fn read(word: &str) -> Option<Span> {
        let mut numbers = word.split(':');
        let source = SourceId(numbers.next()?.parse().ok()?);
        let start = numbers.next()?.parse().ok()?;
        Some(Span::new(source, start, numbers.next()?.parse().ok()?))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.source.0, self.start, self.end)
    }
}

impl Argument for ListId {
    fn read(word: &str) -> Option<ListId> {
        ListId::ALL.into_iter().find(|list| list.name() == word)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl Argument for PanelId {
    fn read(word: &str) -> Option<PanelId> {
        PanelId::named(word)
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(crate) trait Example {
        fn example() -> Self;
    }

    macro_rules! examples {
        ($($ty:ty = $example:expr;)+) => {
            $(impl Example for $ty {
                fn example() -> $ty {
                    $example
                }
            })+
        };
    }

    examples! {
        u64 = u64::MAX;
        usize = 7;
        String = "spill_size".to_owned();
        TabId = TabId(3);
        Span = Span::new(SourceId(3), 7, u64::MAX);
        ListId = ListId::Symbols;
        PanelId = PanelId::Arguments;
        Pane = Pane::Inspector;
        ByteForm = ByteForm::Rust;
        Form = Form::Tabs;
        CompareForm = CompareForm::Html;
        TreeOrder = TreeOrder::Kernels;
    }

    #[test]
    fn every_command_is_read_as_it_is_written() {
        let mut commands = all();
        commands.extend(ListId::ALL.map(Command::NextRow));
        commands.extend(PanelId::ALL.map(Command::Panel));
        let panes = [Pane::Structure, Pane::Bytes, Pane::Inspector];
        commands.extend(panes.map(Command::Pane));
        let forms = ByteForm::ALL.map(|(form, _)| form);
        commands.extend(forms.map(Command::CopyBytes));
        let forms = [
            Form::Csv,
            Form::Tabs,
            Form::Markdown,
            Form::Json,
            Form::Plain,
        ];
        commands.extend(forms.map(|form| Command::SaveList(ListId::Kernels, form)));
        for command in commands {
            assert_eq!(command.to_string().parse(), Ok(command));
        }
    }

    #[test]
    fn what_is_no_command_is_refused() {
        for text in [
            "",
            "fly",
            "open now",
            "panel",
            "panel cellar",
            "select 1:2",
            "graph-range 1",
            "close x",
        ] {
            assert_eq!(text.parse::<Command>(), Err(UnknownCommand), "{text}");
        }
    }
}
