//! Comparing the checksums of files that are not opened, and of stored files, and searching files of
//! unknown formats on the way.

use super::{Member, PIECE, Package, Packing, UNPACKED};
use crate::compression::{DeflateStream, crc32};
use crate::{Context, limits, raw, rules};
use zeview_core::analysis::package::{FileStatus, PackageFiles};
use zeview_core::model::{Sources, Stream};

/// The CRC-32 of the first bytes of a stored file.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sum {
    len: u64,
    crc: u32,
}

impl Package {
    /// Extends the checksum of a stored file by at most `most` bytes. Returns the number of bytes
    /// that are left.
    pub(super) fn sum(&self, index: usize, most: u64, sources: &Sources) -> u64 {
        let data = self.data(index, sources);
        let mut sum = self.sums.borrow().get(&index).copied().unwrap_or_default();
        let end = sum.len.saturating_add(most).min(data.len());
        while sum.len < end {
            let len = PIECE.min(end.saturating_sub(sum.len));
            // The reason of an error is found again when the file is opened.
            let Ok(bytes) = sources.read(data.subspan(sum.len, len)) else {
                return 0;
            };
            sum.crc = crc32::extend(sum.crc, &bytes);
            self.search(index, sum.len, &bytes, sources);
            sum.len = sum.len.saturating_add(len);
        }
        self.sums.borrow_mut().insert(index, sum);
        data.len().saturating_sub(sum.len)
    }

    /// Whether the beginning of a file says that it holds no device code. Its checksum decides, too:
    /// damage can make anything of a beginning.
    pub(super) fn seems_without_code(&self, index: usize, sources: &Sources) -> bool {
        let member = self.members.get(index);
        member.is_some_and(|member| member.file.size > 0)
            && matches!(
                self.status(index, sources),
                FileStatus::NoCode(_) | FileStatus::Unknown
            )
    }

    /// Whether a file is of an unknown format, and is not searched yet.
    pub(super) fn is_unknown(&self, index: usize, sources: &Sources) -> bool {
        self.status(index, sources) == FileStatus::Unknown
    }

    /// The number of bytes of a file that are searched: stored files have those that are there.
    fn len(&self, member: &Member, index: usize, sources: &Sources) -> u64 {
        match member.packing {
            Packing::Stored(_) | Packing::Part => self.data(index, sources).len(),
            _ => member.file.size,
        }
    }

    /// Searches bytes of a file for device code if its format is unknown.
    fn search(&self, index: usize, at: u64, bytes: &[u8], sources: &Sources) {
        if self.is_unknown(index, sources)
            && let Some(member) = self.members.get(index)
        {
            let mut searches = self.searches.borrow_mut();
            let search = searches.entry(index).or_default();
            search.extend(at, bytes, self.len(member, index, sources));
        }
    }

    /// Gives a file that was searched completely its status.
    pub(super) fn settle(&self, index: usize, sources: &Sources) {
        let search = self.searches.borrow_mut().remove(&index);
        let (Some(search), Some(member)) = (search, self.members.get(index)) else {
            return;
        };
        let status = if search.found() {
            FileStatus::Readable(raw::CONTAINER)
        } else if search.searched() == self.len(member, index, sources) {
            let head = self.head(index, sources).unwrap_or_default();
            FileStatus::NoCode(raw::guess(&head).unwrap_or_default())
        } else {
            return;
        };
        self.statuses.borrow_mut().insert(index, status);
    }

    /// Restores at most `most` further bytes of a deflated file that is not opened. Returns the number
    /// of bytes that are left; 0 if the size of the package does not allow them.
    pub(super) fn restore(&self, index: usize, crc: u32, most: u64, sources: &Sources) -> u64 {
        let Some(member) = self.members.get(index) else {
            return 0;
        };
        if self.summed.borrow().contains(&index) {
            return 0;
        }
        let (data, size) = (self.data(index, sources), member.file.size);
        let mut restored = self.restored.borrow_mut();
        if restored.as_ref().is_none_or(|(known, _)| *known != index) {
            *restored = sources.costs.work_on(data, size).then(|| {
                let stream = DeflateStream::new(data.len(), size, Some(crc));
                (index, stream)
            });
        }
        restored.as_ref().map_or(0, |(_, stream)| {
            let packed = |start, len| sources.read(data.subspan(start, len));
            stream.advance_with(most, &packed, &mut |at, bytes| {
                self.search(index, at, bytes, sources);
            })
        })
    }

    /// Compares the checksum of a file that seems to have no device code.
    pub(super) fn check_other(&self, cx: &Context<'_>, index: usize) {
        let Some(member) = self.members.get(index) else {
            return;
        };
        if !self.seems_without_code(index, cx.sources) {
            return;
        }
        let (path, size) = (&member.file.path, member.file.size);
        let data = self.data(index, cx.sources);
        let restored = match member.packing {
            Packing::Deflated(crc) if !self.summed.borrow().contains(&index) => {
                let left = self.restore(index, crc, limits::CHECKED, cx.sources);
                let restored = self.restored.borrow_mut().take();
                restored.filter(|_| left == 0).map(|(_, stream)| {
                    stream.settle(0, &|start, len| cx.sources.read(data.subspan(start, len)));
                    stream.damage()
                })
            }
            Packing::Packed(method, crc) if !self.summed.borrow().contains(&index) => {
                (size <= limits::CHECKED && cx.sources.costs.work_on(data, size)).then(|| {
                    // Reports damage of the stream itself.
                    let bytes = cx.unpack_now(UNPACKED, method, data, size)?;
                    self.search(index, 0, &bytes, cx.sources);
                    let found = crc32::extend(0, &bytes);
                    (found != crc).then(|| crc32::mismatch(found, crc))
                })
            }
            // The others are compared by `check_sum`, or have no checksum.
            _ => return,
        };
        self.summed.borrow_mut().insert(index);
        match restored {
            Some(None) => {}
            Some(Some(damage)) => {
                let message = format_args!("{path}: {damage}");
                cx.report(&rules::PACKAGE_DAMAGED, data, message);
            }
            None => {
                let message = format_args!(
                    "{path}: not restored, so that its checksum is not compared: not read"
                );
                cx.report(&rules::UNPACKED_TOO_LARGE, data, message);
            }
        }
    }

    /// Reports a checksum that was computed completely, and differs from the stored one.
    pub(super) fn check_sum(&self, cx: &Context<'_>, index: usize) {
        let Some(member) = self.members.get(index) else {
            return;
        };
        let sum = self.sums.borrow().get(&index).copied();
        let (Packing::Stored(Some(stored)), Some(sum)) = (&member.packing, sum) else {
            return;
        };
        if !self.summed.borrow_mut().insert(index) {
            return;
        }
        let data = self.data(index, cx.sources);
        if sum.len == data.len() && sum.crc != *stored {
            let message = format_args!(
                "{}: {}",
                member.file.path,
                crc32::mismatch(sum.crc, *stored)
            );
            cx.report(&rules::PACKAGE_DAMAGED, data, message);
        }
    }
}
