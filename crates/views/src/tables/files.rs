//! The files of a package or folder.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{
    Cell, Declaration, List, ListId, ReadingKind, RowDetails, Secondary, Tab, Words, columns,
};
use zeview_analysis::matrix::KernelMatrix;
use zeview_core::analysis::package::{FileStatus, PackageFile, PackageFiles};
use zeview_core::model::{Document, NodeId, Sources, Span, Str, sort};

type RowRef<'a> = (&'a FileList, usize, &'a PackageFile);

columns! {
    /// The columns.
    pub COLUMNS
    "path" Text Default 36 "File" "" "The path in the package or folder."
        |(_, _, file), _| Cell::text(&*file.path).at(Some(file.entry));
    "kind" Text Default 10 "Kind" "" "The kind of the file, by its first bytes."
        |(list, at, _), sources| match list.files.status(at, sources) {
            FileStatus::Unread(_) => Cell::text("not read"),
            status => Cell::text(status.kind()),
        };
    "kernels" Number Default 0 "Kernels" "" "The number of kernels, once the file is read: distinct names."
        |(list, _, file), _| match list.contents.get(&file.path) {
            Some(contents) => Cell::count(contents.kernels),
            None => Cell::empty(),
        };
    "devices" Words Default 20 "Devices" "" "The devices that the file has native code for, once it is read."
        |(list, _, file), _| match list.contents.get(&file.path) {
            Some(contents) => Cell::words(contents.devices.iter().map(|device| &**device)),
            None => Cell::empty(),
        };
    "size" Number Default 0 "Size" "B" "The size of the file in bytes."
        |(_, _, file), _| Cell::count(file.size).at(Some(file.entry));
    "stored" Number Default 0 "Stored" "B" "The size of its bytes in the package."
        |(_, _, file), _| Cell::count(file.packed).at(Some(file.entry));
    "modified" Text Optional 19 "Changed" "" "The time of its last change."
        |(_, _, file), _| Cell::text(&*file.modified).at(Some(file.entry));
    "beside" Words Optional 14 "Beside" "" "The extensions of other files with the same name: what the compiler wrote along with it."
        |(list, at, file), _| Cell::words(list.beside(at, file));
    "method" Text Optional 9 "Method" "" "The compression method."
        |(_, _, file), _| Cell::text(&*file.method).at(Some(file.entry));
    "unread" Text Optional 24 "Not read" "" "Why the file is not read; empty if it is read, or known to contain no device code."
        |(list, at, _), sources| match list.files.status(at, sources) {
            FileStatus::Unread(reason) => Cell::text(reason),
            _ => Cell::empty(),
        };
    "stem" Text QueryOnly 0 "Stem" "" "The path without extensions: the same for files that belong together."
        |(_, _, file), _| Cell::text(file.stem());
}

/// The contents of a file, once its kernels are read.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct FileContents {
    pub(super) kernels: u64,
    pub(super) devices: Vec<Str>,
}

/// The contents of the files of a document that were read so far, by path.
#[derive(Default)]
pub(super) struct FilesRead(pub(super) Rc<HashMap<Str, FileContents>>);

impl FilesRead {
    /// Returns the contents of files, from the kernels in them.
    pub(super) fn of(matrix: &KernelMatrix, parts: &[(Str, Str)]) -> FilesRead {
        let mut found: HashMap<Str, FileContents> = HashMap::new();
        for row in &matrix.rows {
            for file in &row.files {
                found.entry(file.clone()).or_default().kernels += 1;
            }
        }
        for (file, device) in parts {
            let devices = &mut found.entry(file.clone()).or_default().devices;
            if !device.is_empty() && !devices.contains(device) {
                devices.push(device.clone());
            }
        }
        FilesRead(Rc::new(found))
    }
}

struct FileList {
    files: Rc<dyn PackageFiles>,
    /// The index of the file of each row: those with kernels first, once they are read; at the end
    /// those that are known to have no device code.
    order: Vec<usize>,
    /// Number of the latter.
    without_code: u32,
    /// The indices of files with the same stem, where there are several.
    together: HashMap<String, Vec<usize>>,
    contents: Rc<HashMap<Str, FileContents>>,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    tab: Some(Tab::of_code("files", "Files", |file| file.any.package)),
    reading: ReadingKind::Described,
    ..Declaration::table(
        ListId::Files,
        "files",
        || COLUMNS,
        Words {
            title: "Files",
            one: "file",
            many: "files",
            hint: "Path, kind=zebin, or size>4096",
            none: "No files.",
        },
    )
};

/// Whether a document is a package or folder.
pub(super) fn is_in(document: &Document, id: NodeId) -> bool {
    document.package_files(id).is_some()
}

/// Reads the files of a package.
pub(super) fn read(document: &mut Document, id: NodeId, _: &Query) -> Option<Rc<dyn List>> {
    let files = document.package_files(id)?;
    let mut together: HashMap<String, Vec<usize>> = HashMap::new();
    for at in 0..files.count() {
        if let Some(file) = files.file(at) {
            together.entry(file.stem().to_owned()).or_default().push(at);
        }
    }
    together.retain(|_, files| files.len() > 1);
    let read = document.extensions.get::<FilesRead>();
    let contents = read.map(|read| Rc::clone(&read.0)).unwrap_or_default();
    let (order, without_code) = order(&*files, &contents, &document.sources);
    Some(Rc::new(FileList {
        files,
        order,
        without_code,
        together,
        contents,
    }))
}

/// Returns the indices of the files in the order of the list, and the number of those at its end that
/// have no device code.
fn order(
    files: &dyn PackageFiles,
    contents: &HashMap<Str, FileContents>,
    sources: &Sources,
) -> (Vec<usize>, u32) {
    let mut order: Vec<usize> = (0..files.count()).collect();
    // Nothing is known before the kernels are read.
    if contents.is_empty() {
        return (order, 0);
    }
    let keys: Vec<(u8, Reverse<u64>)> = order
        .iter()
        .map(|at| {
            let contents = files.file(*at).and_then(|file| contents.get(&file.path));
            match (contents, files.status(*at, sources)) {
                (Some(contents), _) => (0, Reverse(contents.kernels)),
                (None, FileStatus::NoCode(_)) => (2, Reverse(0)),
                (None, _) => (1, Reverse(0)),
            }
        })
        .collect();
    sort::by_cached_key(&mut order, |at| keys.get(*at).copied());
    let without_code = keys.iter().filter(|(class, _)| *class == 2).count();
    (order, u32::try_from(without_code).unwrap_or(u32::MAX))
}

impl FileList {
    fn file(&self, row: u32) -> Option<(usize, &PackageFile)> {
        let at = *self.order.get(usize::try_from(row).ok()?)?;
        Some((at, self.files.file(at)?))
    }

    /// Returns the extensions of the other files with the stem of a file.
    fn beside<'a>(&'a self, at: usize, file: &'a PackageFile) -> impl Iterator<Item = &'a str> {
        let stem = file.stem().len();
        let others = self.together.get(file.stem()).into_iter().flatten();
        let others = others.copied().filter(move |other| *other != at);
        let files = others.filter_map(|other| self.files.file(other));
        files.filter_map(move |other| other.path.get(stem..))
    }
}

impl List for FileList {
    fn id(&self) -> ListId {
        ListId::Files
    }

    fn count(&self) -> u32 {
        u32::try_from(self.files.count()).unwrap_or(u32::MAX)
    }

    fn secondary(&self) -> Secondary {
        Secondary {
            without_code: self.without_code,
            ..Secondary::default()
        }
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.file(row)) {
            (Some(cell), Some((at, file))) => cell((self, at, file), sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
        let (at, file) = self.file(row)?;
        let data = self.files.data(at, sources);
        Some(if data.is_empty() { file.entry } else { data })
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let unpacked_from = |span: &Span| sources.parent(span.source);
        let mut around = std::iter::successors(Some(span), unpacked_from);
        let at = around.find_map(|span| self.files.file_at(span))?;
        let row = self.order.iter().position(|other| *other == at)?;
        let row = u32::try_from(row).ok()?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        let file = self.file(row).map(|(_, file)| file.path.to_string());
        RowDetails {
            title: file.unwrap_or_default(),
            ..RowDetails::default()
        }
    }
}
