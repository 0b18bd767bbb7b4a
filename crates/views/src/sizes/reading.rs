//! Reading the sizes of a document in steps.

use foldhash::HashMap;

use super::walk::{Place, Walk};
use super::{NameId, Names, Part, Sizes};
use zeview_analysis::survey::Progress;
use zeview_analysis::unread;
use zeview_core::analysis::package_reading::{OpenedFile, PackageReading, Unpacking};
use zeview_core::model::text::grouped;
use zeview_core::model::{Document, NodeId, Span};

/// Minimum size in bytes of files that are compared with others of the same size.
const FILE_MIN: u64 = 256;

/// The sizes of a document, as far as it is read.
pub struct SizeReading {
    walk: Walk,
    /// The files of a package that are not opened yet.
    files: Option<PackageReading>,
    /// The number of files of each size.
    same: HashMap<u64, u64>,
    /// Whether the rows of the document itself were read.
    is_rooted: bool,
    /// Number of documents that were opened.
    done: u64,
}

impl SizeReading {
    /// Starts to read the sizes of the opened file.
    pub fn new(document: &Document) -> SizeReading {
        let mut walk = Walk::default();
        walk.sizes.total = document.root().span.map_or(0, Span::len);
        walk.sizes.names = Names::of_file(walk.sizes.total);
        let mut same: HashMap<u64, u64> = HashMap::default();
        if let Some(files) = document.package_files(NodeId::ROOT) {
            let files = (0..files.count()).filter_map(|index| files.file(index));
            for file in files.filter(|file| file.size >= FILE_MIN) {
                let count = same.entry(file.size).or_default();
                *count = count.saturating_add(1);
            }
        }
        SizeReading {
            walk,
            files: document.package_reading(NodeId::ROOT),
            same,
            is_rooted: false,
            done: 0,
        }
    }

    /// Reads one more document. Returns `false` if there are no more.
    pub fn step(&mut self, document: &mut Document) -> bool {
        if let Some(task) = self.walk.tasks.pop_front() {
            self.done = self.done.saturating_add(1);
            self.walk.open(&task, document);
            return true;
        }
        if let Some(files) = self.files.as_mut().filter(|files| files.has_more()) {
            if let Some(file) = files.step(document) {
                self.add_file(&file, document);
            }
            return true;
        }
        if self.is_rooted {
            return false;
        }
        self.is_rooted = true;
        let node = document.root().clone();
        let clip = node.span.unwrap_or_default();
        let place = Place::of_file(NameId::NONE);
        self.walk.document(document, &node, &place, clip, None);
        true
    }

    /// Adds the bytes of a file of a package that was just opened.
    fn add_file(&mut self, file: &OpenedFile, document: &mut Document) {
        let Some(node) = document.node(file.node).cloned() else {
            return;
        };
        let Some(span) = node.span else { return };
        let sources = &document.sources;
        let whole = sources.whole(span.source);
        let data = match sources.parent(span.source) {
            Some(parent) if span == whole => parent,
            _ => span,
        };
        // Two entries may have the same data.
        if !self.walk.opened.insert(data) {
            return;
        }
        let mut place = Place::of_file(self.walk.sizes.names.add(&file.path));
        if self.same.get(&span.len()).is_some_and(|count| *count > 1) {
            self.walk.compare_file(&mut place, span, sources);
        }
        let outer = (data != span).then_some(data);
        self.walk.document(document, &node, &place, span, outer);
        self.done = self.done.saturating_add(1);
    }

    /// Returns the number of documents that were read, and of all that are known.
    pub fn progress(&self) -> Progress {
        let files = self.files.as_ref();
        let (done, of) = files.map_or((0, 0), |files| (files.done(), files.count()));
        let tasks = self.walk.tasks.len() as u64;
        let done = done.saturating_add(self.done);
        let of = of.saturating_add(self.done).saturating_add(tasks);
        Progress {
            done: done.saturating_add(u64::from(self.is_rooted)),
            of: of.saturating_add(1),
        }
    }

    /// Lets the source inflate the files of a package in the background.
    pub fn may_wait(&mut self, may_wait: bool) {
        if let Some(files) = &mut self.files {
            files.may_wait(may_wait);
        }
    }

    /// Whether the last step did nothing but wait for the source.
    pub fn waits(&self) -> bool {
        self.files.as_ref().is_some_and(PackageReading::waits)
    }

    /// Returns the file of a package that is being unpacked.
    pub fn unpacking(&self) -> Option<Unpacking> {
        self.files.as_ref().and_then(PackageReading::unpacking)
    }

    /// Returns the sizes as far as they are read. The rest of the file is not read.
    pub fn sizes(&self, document: &Document) -> Sizes {
        let walk = &self.walk;
        let mut sizes = Sizes {
            total: walk.sizes.total.saturating_sub(walk.excluded),
            pieces: walk.sizes.pieces.clone(),
            notes: Vec::new(),
            names: walk.sizes.names.clone(),
            demangled: walk.sizes.demangled.clone(),
            short: Default::default(),
        };
        let rest = sizes.total.saturating_sub(walk.counted);
        if rest > 0 {
            let mut key = Place::of_file(NameId::NONE).key;
            key.part = Part::NotRead;
            key.section = sizes.names.add("not read yet");
            let first = document.root().span.unwrap_or_default().subspan(0, 0);
            sizes.pieces.push(super::Piece {
                key,
                stored: rest,
                unpacked: rest,
                first,
                longest: 0,
            });
        }
        let unread = unread::unread_parts(document);
        if !unread.is_empty() {
            sizes.notes.push(unread.text());
        }
        if sizes.names.is_cut {
            let most = grouped(sizes.names.list.len() as u64);
            sizes.notes.push(format!(
                "There are more than {most} names: the other bytes are counted without names."
            ));
        }
        sizes.shorten();
        sizes
    }

    /// Reads everything, and returns the sizes.
    pub fn read_all(document: &mut Document) -> Sizes {
        let mut reading = SizeReading::new(document);
        while reading.step(document) {}
        reading.sizes(document)
    }
}
