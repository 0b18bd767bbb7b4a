//! Reading the kernels of a container, and opening the files of a package, in steps.

use super::list::Lists;
use crate::analysis::survey::Progress;
use crate::model::{Document, NodeId};
use crate::tables;
use crate::tables::kernels::reading::KernelReading;
use crate::tables::{ListId, ReadingKind};

/// The kernels of a container that is partly read.
pub(super) struct Reading {
    pub(super) document: NodeId,
    pub(super) kernels: KernelReading,
    /// Time spent reading so far, in milliseconds.
    spent: f64,
}

/// Minimum and maximum time for reading kernels before an answer, in milliseconds. The more kernels
/// are read, the longer building their list takes: with a share of the time spent so far, the lists
/// together take no longer than the reading.
const STEP: f64 = 40.0;
pub(super) const STEP_MAX: f64 = 150.0;
const STEP_SHARE: f64 = 0.15;

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
            ReadingKind::Whole => None,
            ReadingKind::Kernels => {
                let id = tables::document_of(document, node, list)?;
                self.read_kernels_of(document, id, is_all)
            }
            ReadingKind::Images => self.open_files(document, node, is_all),
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
        if opening.has_more() {
            let started = (self.clock)();
            while opening.has_more() && (is_all || (self.clock)() - started < STEP_MAX) {
                opening.step(document);
            }
            // It was made of the files before.
            self.found.remove(&ListId::Images);
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

    fn read_kernels_of(
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
            // They were made of what was read before.
            self.found.retain(|list, _| {
                let reading = list.declaration().reading;
                !matches!(reading, ReadingKind::Kernels | ReadingKind::Described)
            });
        }
        Some(reading.kernels.progress())
    }
}
