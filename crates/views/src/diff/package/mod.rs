//! The files of packages and folders: matched by path, and compared only if their bytes differ.

use std::collections::HashMap;
use std::rc::Rc;

use super::entry::{Change, Entry, Field, FieldValue, Part, Side};
use super::{Comparand, Comparer, Sides};
use zeview_core::analysis::package::{PackageFile, PackageFiles};
use zeview_core::model::{NodeKind, Sources, Span};

/// A file, and the bytes of its document.
struct File<'a> {
    file: &'a PackageFile,
    data: Span,
}

/// Replaces the digits of a path: the names of folders contain the version.
fn without_version(path: &str) -> String {
    let mut text = String::new();
    for c in path.chars() {
        match c {
            '0'..='9' if !text.ends_with('#') => text.push('#'),
            '0'..='9' => {}
            // The parts of a version. The last dot is lost, too, in both paths.
            '.' if text.ends_with('#') => {}
            c => text.push(c),
        }
    }
    text
}

impl Comparer<'_> {
    /// Compares the files of two packages.
    pub(super) fn packages(&mut self, (a, b): Sides<&Rc<dyn PackageFiles>>, at: u32) {
        let one = files(&**a, &self.document(Comparand::A).sources);
        let other = files(&**b, &self.document(Comparand::B).sources);
        let mut matches: Vec<Option<usize>> = vec![None; one.len()];
        let mut is_taken = vec![false; other.len()];
        let keys: [fn(&str) -> String; 2] = [str::to_owned, without_version];
        for key in keys {
            let mut places: HashMap<String, Vec<usize>> = HashMap::new();
            for (place, file) in other.iter().enumerate().rev() {
                if is_taken.get(place) == Some(&false) {
                    places.entry(key(&file.file.path)).or_default().push(place);
                }
            }
            for (file, found) in one.iter().zip(&mut matches) {
                if found.is_none()
                    && let Some(place) = places.get_mut(&key(&file.file.path)).and_then(Vec::pop)
                    && let Some(taken) = is_taken.get_mut(place)
                {
                    *taken = true;
                    *found = Some(place);
                }
            }
        }
        for (file, found) in one.iter().zip(&matches) {
            match found.and_then(|found| other.get(found)) {
                Some(second) => self.files(file, second, at),
                None => self.lonely_file(Comparand::A, file, at),
            }
        }
        for (file, is_taken) in other.iter().zip(is_taken) {
            if !is_taken {
                self.lonely_file(Comparand::B, file, at);
            }
        }
    }

    /// Compares a file of both packages.
    fn files(&mut self, a: &File<'_>, b: &File<'_>, at: u32) {
        let spans = (a.data, b.data);
        if a.file.method == b.file.method && a.file.size == b.file.size {
            match self.same_bytes(spans.0, spans.1) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => return self.note(error),
            }
        }
        if a.data.is_empty() || b.data.is_empty() {
            if a.file.size != b.file.size {
                self.size_differs(a, b, at);
            }
            return;
        }
        let Some((one, other)) = self.opened(spans) else {
            return;
        };
        // What is restored from the stored bytes.
        let inner = (
            self.children(Comparand::A, &one),
            self.children(Comparand::B, &other),
        );
        if let (Some(first), Some(second)) = (inner.0.first(), inner.1.first())
            && one.kind == NodeKind::Packed
            && other.kind == NodeKind::Packed
            && let (Some(first), Some(second)) = (first.span, second.span)
        {
            match self.same_bytes(first, second) {
                Ok(true) => return,
                Ok(false) => {}
                Err(error) => return self.note(error),
            }
        }
        self.pair(&one, &other, &a.file.path, &b.file.path);
    }

    fn size_differs(&mut self, a: &File<'_>, b: &File<'_>, at: u32) {
        let side = |file: &File<'_>| {
            Some(Side::new(
                FieldValue::count(file.file.size),
                file.file.entry,
            ))
        };
        let field = Field {
            key: "size".to_owned(),
            path: "size".to_owned(),
            from: side(a),
            to: side(b),
        };
        let entry = Entry::new(Part::Bytes, Change::Changed, at, a.file.path.as_ref());
        let entry = entry.at(Some(a.file.entry), Some(b.file.entry));
        self.push(entry.with(vec![field]));
    }

    /// Adds an entry for a file of one package.
    fn lonely_file(&mut self, which: Comparand, file: &File<'_>, at: u32) {
        let entry = Some(file.file.entry);
        let (change, a, b) = match which {
            Comparand::A => (Change::Removed, entry, None),
            Comparand::B => (Change::Added, None, entry),
        };
        let found = Entry::new(Part::Bytes, change, at, file.file.path.as_ref());
        self.push(found.at(a, b));
    }
}

fn files<'a>(files: &'a dyn PackageFiles, sources: &Sources) -> Vec<File<'a>> {
    let all = (0..files.count()).filter_map(|at| {
        let file = files.file(at)?;
        let data = files.data(at, sources);
        Some(File { file, data })
    });
    all.collect()
}

#[cfg(test)]
mod tests {
    use super::without_version;

    #[test]
    fn versions_in_paths() {
        let one = without_version("kernels-0.1.16.2.dist-info/METADATA");
        assert_eq!(one, without_version("kernels-0.2.dist-info/METADATA"));
        assert_ne!(without_version("a1/b"), without_version("a1/c"));
        assert_eq!(without_version("a/b"), "a/b");
    }
}
