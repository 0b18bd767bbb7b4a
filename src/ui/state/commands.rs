//! Commands of buttons.
//!
//! A button names its command in an attribute: `data-command="panel kernels"`. So the page needs
//! one listener instead of one per button.

pub use crate::ui::text::readings::ByteForm;
use std::fmt;
use std::str::{FromStr, SplitAsciiWhitespace};

use super::{Level, PanelId, TabId};
use crate::model::{SourceId, Span};
use crate::tables::ListId;
use crate::tables::write::Form;
use crate::worker::protocol::tree_order::TreeOrder;
use crate::worker::protocol::{Aspect, CompareForm};

/// The text names no command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct UnknownCommand;

/// An argument of a command: a word without blanks.
trait Argument: Sized {
    fn read(word: &str) -> Option<Self>;

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result;
}

macro_rules! commands {
    ($($(#[$doc:meta])* $name:ident $(($($arg:ident: $ty:ty),+))? = $word:literal;)+) => {
        /// A command.
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

        impl Command {
    /// Element id of the tab with this command.
    pub fn tab(&self) -> String {
        format!("tab-{self}").replace(' ', "-")
    }
}

    /// Returns every command, with example arguments; for tests.
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
    /// Shows the start page; the files stay open.
    Home = "home";
    /// Opens the file dialog.
    Open = "open";
    /// Opens the file dialog for a folder.
    OpenFolder = "open-folder";
    /// Opens the file dialog to reopen a changed file.
    Reopen(tab: TabId) = "reopen";
    /// Opens a sample, by its index.
    Sample(place: usize) = "sample";
    /// Starts a tour of a sample, by its index.
    Guide(tour: usize) = "guide";
    /// Shows a step of the tour.
    GuideStep(step: usize) = "guide-step";
    /// Ends the tour.
    EndGuide = "end-guide";
    /// Shows an open file.
    Activate(tab: TabId) = "activate";
    /// Closes a file.
    Close(tab: TabId) = "close";
    /// Stops what the decoder of a file works on.
    StopWork(tab: TabId) = "stop-work";
    /// Does what was stopped, after all.
    DoAgain = "do-again";
    /// Retries opening a file.
    Retry(tab: TabId) = "retry";
    /// Opens a file that the embedding page names, but keeps it from that page.
    OpenPrivately(tab: TabId) = "open-privately";
    /// Shows the help.
    Help = "help";
    /// Shows all rules.
    Rules = "rules";
    /// Asks for the URL of a file.
    OpenLink = "open-link";
    /// Asks for a location to go to.
    GoTo = "go-to";
    /// Switches to the next theme.
    NextTheme = "next-theme";
    /// Selects bytes.
    Select(span: Span) = "select";
    /// Selects the part of an instruction at this column of its text.
    SelectOperand(span: Span, at: u64) = "select-operand";
    /// Selects an ancestor of the selection by its depth; 0: the file.
    SelectAbove(depth: usize) = "select-above";
    /// Selects a top-level part of the file.
    SelectPart(index: u64) = "select-part";
    /// Selects the document of the visible list.
    SelectDocument(list: ListId) = "select-document";
    /// Shows a panel.
    Panel(panel: PanelId) = "panel";
    /// Shows the panel of a level that was shown last.
    Level(level: Level) = "level";
    /// Shows a pane of the stacked layout.
    Pane(pane: Pane) = "pane";
    /// Shows or hides a pane beside the panel.
    TogglePane(pane: Pane) = "toggle-pane";
    /// Maximizes the panel, or restores the panes.
    OnlyPanel = "only-panel";
    /// Shows the bytes of the selection.
    ShowBytes = "show-bytes";
    /// Analyzes the data flow of the visible code.
    AnalyzeCode = "analyze-code";
    /// Folds or unfolds the function that starts at a line of the visible module.
    FoldFunction(row: u64) = "fold-function";
    /// Folds or unfolds the loop at an offset of the visible code.
    FoldLoop(start: u64) = "fold-loop";
    /// Shows what is known of an aspect of the visible code, or hides it.
    Aspect(aspect: Aspect) = "aspect";
    /// Shows that above the code, with all columns, or beside it.
    WidenAspect = "widen-aspect";
    /// Hides it.
    CloseAspect = "close-aspect";
    /// Stops reading a profile.
    CancelProfile = "cancel-profile";
    /// Shows the instruction at these bytes.
    ShowCodeAt(span: Span) = "show-code-at";
    /// Shows the instructions of the current kernel.
    ShowCode = "show-code";
    /// Shows the instructions of the kernel with the entry at these bytes.
    OpenKernel(entry: Span) = "open-kernel";
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
    /// Copies the selected node and all its descendants as text.
    CopyTree = "copy-tree";
    /// Saves the selected node and all its descendants as JSON.
    SaveTree = "save-tree";
    /// Shows or hides padding.
    TogglePadding = "toggle-padding";
    /// Shows the two files of a comparison side by side, or only the second one.
    ToggleSides = "toggle-sides";
    /// Shows or hides equal rows of two files side by side.
    ToggleUnchanged = "toggle-unchanged";
    /// Shows or hides the defaults of values that the file omits.
    ToggleDefaults = "toggle-defaults";
    /// Shows the tree in this order.
    Order(order: TreeOrder) = "order";
    /// Shows the verdict for a device.
    CheckDevice(device: String) = "check-device";
    /// Shows the verdict for the file's own device.
    OwnDevice = "own-device";
    /// Shows or hides the rows of a list that are hidden by default.
    ToggleSecondary(list: ListId) = "toggle-secondary";
    /// Adds a condition to the filter of a list, or removes it.
    ToggleTerm(list: ListId, term: String) = "toggle-term";
    /// Stops reading the kernels of a container.
    StopReading = "stop-reading";
    /// Resumes that.
    ReadOn = "read-on";
    /// Shows the groups in a group of the treemap of sizes, by its index.
    SizeGroup(at: usize) = "size-group";
    /// Shows the groups in the first groups around those that are shown.
    SizesUp(depth: usize) = "sizes-up";
    /// Shows the kernels that match a filter.
    KernelsWhere(filter: String) = "kernels-where";
    /// Shows those of them that spill registers, worst first.
    SpillsWhere(filter: String) = "spills-where";
    /// Shows only the instructions that match a filter, or all again.
    FilterCode(filter: String) = "filter-code";
    /// Shows or hides a column.
    ToggleColumn(list: ListId, column: String) = "toggle-column";
    /// Moves a column to the left.
    MoveLeft(list: ListId, column: String) = "move-left";
    /// Moves a column to the right.
    MoveRight(list: ListId, column: String) = "move-right";
    /// Resets the columns.
    DefaultColumns(list: ListId) = "default-columns";
    /// Copies a list.
    CopyList(list: ListId, form: Form) = "copy-list";
    /// Saves a list.
    SaveList(list: ListId, form: Form) = "save-list";
    /// Copies the stored name of the current row.
    CopyName(list: ListId) = "copy-name";
    /// Copies the demangled name of the current kernel.
    CopyDemangled = "copy-demangled";
    /// Selects the next row.
    NextRow(list: ListId) = "next-row";
    /// Selects the previous row.
    PreviousRow(list: ListId) = "previous-row";
    /// Shows the relocations against the current symbol, or all code of the current line.
    References = "references";
    /// Opens the source file of the selected code at its line, in the embedding program.
    OpenSource = "open-source";
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
    /// Shows the modules or the code as a graph.
    ShowGraph = "show-graph";
    /// Shows the modules or the code as a table.
    ShowTable = "show-table";
    /// Draws a range of the graph's nodes: index of the first, and count.
    GraphRange(start: u64, count: u64) = "graph-range";
    /// Zooms in.
    ZoomIn = "zoom-in";
    /// Zooms out.
    ZoomOut = "zoom-out";
    /// Fits the graph to its pane.
    ZoomToFit = "zoom-to-fit";
    /// Saves the graph.
    SaveGraph = "save-graph";
    /// Compares the file with another open one.
    CompareWith(tab: TabId) = "compare-with";
    /// Chooses the current kernel for a comparison with another one of the file, or compares it with
    /// the one that was chosen.
    CompareKernel = "compare-kernel";
    /// Opens the file dialog for a file to compare with.
    ChooseBase = "choose-base";
    /// Swaps the compared files.
    Swap = "swap";
    /// Starts or stops watching the file for changes on disk.
    ToggleFollow = "toggle-follow";
    /// Compares the file with its previous version.
    CompareWithBefore = "compare-with-before";
    /// Stops the running comparison.
    StopComparing = "stop-comparing";
    /// Resumes that.
    CompareOn = "compare-on";
    /// Ignores or respects register numbers in the comparison.
    ToggleRenumbered = "toggle-renumbered";
    /// Also compares everything in libraries that is not a kernel.
    CompareEverything = "compare-everything";
    /// Shows only the differences that match a filter, or all again.
    FilterDifferences(filter: String) = "filter-differences";
    /// Selects bytes in the other compared file.
    ShowInBase(span: Span) = "show-in-base";
    /// Opens the file again, as code of an encoding without a container.
    OpenAsCode(encoding: String) = "open-as-code";
    /// Saves a report of the file as HTML.
    SaveReport = "save-report";
    /// Bookmarks the selection; edits the comment if it is bookmarked already.
    Bookmark = "bookmark";
    /// Saves the typed comment.
    SaveComment = "save-comment";
    /// Deletes the bookmark in the dialog, or that of the selection.
    DeleteBookmark = "delete-bookmark";
    /// Exports the bookmarks of the file.
    ExportBookmarks = "export-bookmarks";
    /// Opens the file dialog for bookmarks to import.
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

/// A pane beside the panel. In the stacked layout, two panes share one place.
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

words!(
    Aspect: Spills = "spills",
    Registers = "registers",
    Loops = "loops",
    Waits = "waits",
    Functions = "functions",
    Samples = "samples",
    Code = "code"
);

words!(Level: Library = "library", Kernel = "kernel", File = "file");

words!(ByteForm: Hex = "hex", Text = "text", C = "c", Rust = "rust", Python = "python", Base64 = "base64");
words!(TreeOrder: File = "file", Kernels = "kernels");
words!(CompareForm: Markdown = "markdown", Html = "html", Json = "json");
words!(Form: Csv = "csv", Tabs = "tabs", Markdown = "markdown", Json = "json", Plain = "plain");

/// Numbers, and newtypes of them.
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

parsed!(u64, usize);

/// A word: filters and names of devices have blanks.
impl Argument for String {
    fn read(word: &str) -> Option<String> {
        Some(word.replace("%20", " ").replace("%25", "%"))
    }

    fn write(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.replace('%', "%25").replace(' ', "%20"))
    }
}

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
        ListId::named(word)
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
        String = "part==kernel 100%20 \"acm-g10\"".to_owned();
        TabId = TabId(3);
        Span = Span::new(SourceId(3), 7, u64::MAX);
        ListId = ListId::Symbols;
        PanelId = PanelId::Arguments;
        Pane = Pane::Inspector;
        Level = Level::Kernel;
        Aspect = Aspect::Waits;
        ByteForm = ByteForm::Rust;
        Form = Form::Tabs;
        CompareForm = CompareForm::Html;
        TreeOrder = TreeOrder::Kernels;
    }

    #[test]
    fn commands_round_trip() {
        let mut commands = all();
        commands.extend(ListId::ALL.map(Command::NextRow));
        commands.extend(PanelId::all().into_iter().map(Command::Panel));
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
    fn invalid_commands_are_rejected() {
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
