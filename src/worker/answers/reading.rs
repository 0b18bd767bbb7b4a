//! Reading the kernels of a container, and opening the files of a package, in steps.

use std::rc::Rc;

use super::list::Lists;
use crate::analysis::package_reading::Unpacking;
use crate::analysis::survey::Progress;
use crate::model::{Document, NodeId};
use crate::sizes::{SizeReading, Sizes};
use crate::tables;
use crate::tables::kernels::DocumentKernels;
use crate::tables::kernels::reading::KernelReading;
use crate::tables::{ListId, ReadingKind};

/// The kernels of a container that is partly read.
pub(super) struct Reading {
    pub(super) document: NodeId,
    pub(super) kernels: KernelReading,
    /// Time spent reading so far, in milliseconds.
    spent: f64,
}

/// The sizes of the opened file that are partly read.
pub(crate) struct Sizing {
    reading: SizeReading,
    is_read: bool,
    /// Whether more was read than the sizes have.
    is_stale: bool,
    sizes: Option<Rc<Sizes>>,
    /// The time in milliseconds at which the sizes were made, and the time that took.
    made: f64,
    cost: f64,
}

impl Sizing {
    fn new(document: &Document) -> Sizing {
        Sizing {
            reading: SizeReading::new(document),
            is_read: false,
            is_stale: false,
            sizes: None,
            made: 0.0,
            cost: 0.0,
        }
    }
}

/// When lists of what is being read are made again. The more kernels are read, the longer making their
/// list takes: meanwhile, the answers are of the list before.
#[derive(Default)]
pub(super) struct Renewal {
    /// Whether more was read than the lists have.
    is_stale: bool,
    /// The number of times that the lists were dropped.
    pub(super) number: u64,
    /// Whether no list was made since.
    is_due: bool,
    /// The time in milliseconds at which lists were made, and the time that took.
    made: f64,
    cost: f64,
}

impl Renewal {
    /// Notes that lists were made, between these times.
    pub(super) fn was_made(&mut self, started: f64, made: f64) {
        if std::mem::take(&mut self.is_due) {
            self.made = made;
            self.cost = made - started;
        }
    }
}

/// Minimum and maximum time for reading kernels before an answer, in milliseconds, and the share of
/// the time spent so far: the first answers come soon.
const STEP: f64 = 40.0;
pub(super) const STEP_MAX: f64 = 150.0;
const STEP_SHARE: f64 = 0.15;
/// Minimum time between two lists, in times of what making one takes.
pub(super) const RENEWAL: f64 = 5.0;

impl Lists {
    /// Reads the next part of what a list of the container around a node needs, such as its images,
    /// or all of it if `is_all`. Returns the progress, or `None` if there is nothing to read.
    pub(super) fn read_more(
        &mut self,
        document: &mut Document,
        node: NodeId,
        list: ListId,
        is_all: bool,
    ) -> Option<Progress> {
        match list.declaration().reading {
            // What is found is read with its query.
            ReadingKind::Whole | ReadingKind::Found => None,
            ReadingKind::Kernels => {
                let id = tables::document_of(document, node, list)?;
                self.read_kernels_of(document, id, is_all)
            }
            ReadingKind::Images => self.open_files(document, node, is_all),
            ReadingKind::Sizes => Some(self.read_sizes(document, is_all)),
            ReadingKind::Described => {
                if let Some(reading) = &self.reading {
                    reading.kernels.describe_files(document);
                }
                None
            }
        }
    }

    /// Returns the progress of reading the files of a package, unless all were read: their images
    /// are known only then. Returns `None` for other documents.
    pub(crate) fn unread_files(&self, document: &Document, id: NodeId) -> Option<Progress> {
        let files = document.package_files(id)?;
        let reading = self.reading.as_ref().filter(|known| known.document == id);
        let opening = self.opening.as_ref().filter(|(known, _)| *known == id);
        let known = [
            reading.map(|reading| reading.kernels.progress()),
            opening.map(|(_, opening)| Progress {
                done: opening.done(),
                of: opening.count(),
            }),
        ];
        let known = known.into_iter().flatten();
        // Either reading opens the files of the package; the further one counts.
        let best = known.max_by_key(|progress| (progress.is_over(), progress.done));
        let best = best.unwrap_or(Progress {
            done: 0,
            of: files.count() as u64,
        });
        (!best.is_over()).then_some(best)
    }

    /// Returns the file of a package that is being unpacked for a list.
    pub(super) fn unpacking(&self, list: ListId) -> Option<Unpacking> {
        match list.declaration().reading {
            ReadingKind::Images => self.opening.as_ref()?.1.unpacking(),
            ReadingKind::Sizes => self.sizing.as_ref()?.reading.unpacking(),
            _ => self.reading.as_ref()?.kernels.unpacking(),
        }
    }

    /// Reads more of the sizes of the opened file, or all of them if `is_all`.
    fn read_sizes(&mut self, document: &mut Document, is_all: bool) -> Progress {
        let clock = self.clock;
        let sizing = self.sizing.get_or_insert_with(|| Sizing::new(document));
        let started = clock();
        sizing.reading.may_wait(!is_all);
        // At least one step, or a slow decoder would never come to an end.
        while !sizing.is_read {
            sizing.is_read = !sizing.reading.step(document);
            sizing.is_stale = true;
            if !is_all && (clock() - started >= STEP_MAX || sizing.reading.waits()) {
                break;
            }
        }
        let is_time = clock() - sizing.made >= RENEWAL * sizing.cost;
        if sizing.is_stale && (sizing.is_read || is_time) {
            sizing.is_stale = false;
            sizing.sizes = None;
            self.found.remove(&ListId::Sizes);
        }
        let progress = sizing.reading.progress();
        let done = if sizing.is_read {
            progress.of
        } else {
            // The last step may find more.
            progress.done.min(progress.of.saturating_sub(1))
        };
        Progress {
            done,
            of: progress.of,
        }
    }

    /// Returns the sizes of the opened file as far as they are read.
    pub(super) fn sizes(&mut self, document: &Document) -> Rc<Sizes> {
        let clock = self.clock;
        let sizing = self.sizing.get_or_insert_with(|| Sizing::new(document));
        if let Some(sizes) = &sizing.sizes {
            return Rc::clone(sizes);
        }
        let started = clock();
        let sizes = Rc::new(sizing.reading.sizes(document));
        sizing.made = clock();
        sizing.cost = sizing.made - started;
        sizing.sizes = Some(Rc::clone(&sizes));
        sizes
    }

    /// Opens more files of the package around a node.
    fn open_files(
        &mut self,
        document: &mut Document,
        node: NodeId,
        is_all: bool,
    ) -> Option<Progress> {
        let id = tables::document_of(document, node, ListId::Images)?;
        if self.opening.as_ref().is_none_or(|(known, _)| *known != id) {
            self.opening = Some((id, document.package_reading(id)?));
        }
        let (_, opening) = self.opening.as_mut()?;
        opening.may_wait(!is_all);
        if opening.has_more() {
            let started = (self.clock)();
            let before = opening.done();
            while opening.has_more() && (is_all || (self.clock)() - started < STEP_MAX) {
                opening.step(document);
                if opening.waits() {
                    break;
                }
            }
            if opening.done() != before {
                // It was made of the files before.
                self.found.remove(&ListId::Images);
            }
        }
        Some(Progress {
            done: opening.done(),
            of: opening.count(),
        })
    }

    /// Reads more kernels of the container around a node, or all remaining ones if `is_all`.
    /// Returns the progress, or `None` if there is nothing to read.
    pub(crate) fn read_kernels(
        &mut self,
        document: &mut Document,
        node: NodeId,
        is_all: bool,
    ) -> Option<Progress> {
        let id = tables::document_of(document, node, ListId::Kernels)?;
        self.read_kernels_of(document, id, is_all)
    }

    /// Returns the kernels of the file itself, if all were read.
    pub(super) fn kernels_read(&self) -> Option<DocumentKernels> {
        let reading = self.reading.as_ref()?;
        let is_read = reading.document == NodeId::ROOT && reading.kernels.progress().is_over();
        is_read.then(|| reading.kernels.kernels())
    }

    pub(super) fn read_kernels_of(
        &mut self,
        document: &mut Document,
        id: NodeId,
        is_all: bool,
    ) -> Option<Progress> {
        if self
            .reading
            .as_ref()
            .is_none_or(|known| known.document != id)
        {
            let mut kernels = KernelReading::new(document, id)?;
            kernels.small_first();
            self.found.remove(&ListId::Kernels);
            self.renewal = Renewal {
                number: self.renewal.number.wrapping_add(1),
                is_due: true,
                ..Renewal::default()
            };
            self.reading = Some(Reading {
                document: id,
                kernels,
                spent: 0.0,
            });
        }
        let reading = self.reading.as_mut()?;
        if !reading.kernels.progress().is_over() {
            let started = (self.clock)();
            let budget = (reading.spent * STEP_SHARE).clamp(STEP, STEP_MAX);
            let kernels = &mut reading.kernels;
            kernels.may_wait(!is_all);
            let before = kernels.progress();
            reading.spent += loop {
                kernels.step(document);
                let time = (self.clock)() - started;
                let waits = time >= budget || !kernels.is_ready(&document.sources);
                if kernels.progress().is_over() || waits && !is_all {
                    break time;
                }
            };
            if !is_all {
                kernels.announce(&document.sources);
            }
            let progress = kernels.progress();
            let renewal = &mut self.renewal;
            renewal.is_stale |= progress != before;
            let is_time = (self.clock)() - renewal.made >= RENEWAL * renewal.cost;
            if renewal.is_stale && (is_all || is_time || progress.is_over()) {
                renewal.is_stale = false;
                renewal.is_due = true;
                renewal.number = renewal.number.wrapping_add(1);
                self.found.retain(|list, _| {
                    let reading = list.declaration().reading;
                    !matches!(reading, ReadingKind::Kernels | ReadingKind::Described)
                });
            }
        }
        Some(reading.kernels.progress())
    }
}
