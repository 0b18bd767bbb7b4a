//! The kernels that the driver compiles from SPIR-V at their first use on a device.

use foldhash::HashSet;

use super::host_images::ImageDescription;
use super::image_choice::Choice;
use super::images::{Image, Images};
use super::kernels::PLACEHOLDER;
use crate::model::text::{counted, grouped, size};
use crate::model::{Document, Outcome};

/// The kernels that the driver compiles at their first use on a device, of the selected images.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FirstUse {
    /// The names of the kernels that are compiled, in the order of the images.
    pub kernels: Vec<String>,
    /// Number of kernels in all selected images.
    pub of: u64,
    /// Number of selected images that are compiled.
    pub images: u64,
    /// Size of these images as stored in the file, in bytes.
    pub bytes: u64,
    /// Number of them whose kernels are unknown.
    pub unlisted: u64,
}

impl FirstUse {
    /// Formats the result in a line: `all 21 887 kernels compile at first use (132 MB of SPIR-V)`.
    /// Returns `None` if no image is selected.
    pub fn text(&self) -> Option<String> {
        let count = self.kernels.len() as u64;
        if self.of == 0 && self.images == 0 {
            return None;
        }
        let unlisted = match self.unlisted {
            0 => String::new(),
            images => format!(
                "; of {}, the kernels are unknown",
                counted(images, "image", "images")
            ),
        };
        let text = match (count, self.images) {
            (_, 0) => "no kernel compiles at first use".to_owned(),
            (count, _) => {
                let kernels = match count {
                    0 => "kernels compile".to_owned(),
                    1 if self.of == 1 => "its kernel compiles".to_owned(),
                    _ if count == self.of => {
                        format!("all {} compile", counted(count, "kernel", "kernels"))
                    }
                    1 => format!("1 of {} compiles", counted(self.of, "kernel", "kernels")),
                    _ => {
                        let of = counted(self.of, "kernel", "kernels");
                        format!("{} of {of} compile", grouped(count))
                    }
                };
                format!("{kernels} at first use ({} of SPIR-V)", size(self.bytes))
            }
        };
        Some(text + &unlisted)
    }
}

impl Document {
    /// Returns the kernels of the selected images that are compiled at first use. A kernel that also
    /// has native code in a selected image is not compiled.
    pub fn first_use(&mut self, images: &Images, choice: &Choice) -> FirstUse {
        let mut found = FirstUse::default();
        let mut native: HashSet<String> = HashSet::default();
        let mut compiled: Vec<String> = Vec::new();
        let mut known: HashSet<String> = HashSet::default();
        for (image, pick) in images.list.iter().zip(&choice.picks) {
            if !pick.is_chosen {
                continue;
            }
            let is_compiled = pick.outcome == Some(Outcome::Recompiled);
            let names = self.kernels_in(image);
            if is_compiled {
                found.images += 1;
                found.bytes += image.span.len();
                found.unlisted += u64::from(names.is_none());
            }
            for name in names.unwrap_or_default() {
                if !is_compiled {
                    native.insert(name);
                } else if known.insert(name.clone()) {
                    compiled.push(name);
                }
            }
        }
        compiled.retain(|name| !native.contains(name));
        found.of = (native.len() + compiled.len()) as u64;
        found.kernels = compiled;
        found
    }

    /// Returns the kernels of an image; `None` if it does not list them.
    fn kernels_in(&mut self, image: &Image) -> Option<Vec<String>> {
        if let Some(host) = &image.host {
            let entry = host.index_entry(&self.sources)?;
            let kernels = entry.described.as_ref().map(ImageDescription::kernels)?;
            let kernels = kernels
                .into_iter()
                .filter(|kernel| kernel.name != PLACEHOLDER);
            return Some(kernels.map(|kernel| kernel.name.clone()).collect());
        }
        let node = self.node_of(image).filter(|_| image.has_kernels)?;
        let rows = self.kernels(node)?.rows(&self.sources);
        let rows = rows.iter();
        let rows = rows.filter(|row| row.is_kernel());
        Some(rows.map(|row| row.name.value.clone()).collect())
    }
}
