//! Kernels by name: the one place that decides which kernel a name means.
//!
//! A name is the one in the file, its demangled form, the short name that tables print, or a pattern.
//! [`find`] returns all builds with the name; [`KernelQuery`] narrows them by device, image and file.
//!
//! A name in the file is searched first, in the indexes of libraries and in the names of sections: only
//! images that have the kernel are opened. The names of all kernels are collected only for names of
//! other kinds, and for suggestions.

mod collect;
mod message;
mod modules;
mod search;

use std::rc::Rc;

use serde::{Deserialize, Serialize};
use zeview_core::analysis::images::Image;
use zeview_core::model::text::place_text;
use zeview_core::model::{Document, NodeId, Span, Str, is_brief_of, is_pattern, matches_pattern};

pub use message::{KernelNameError, Reason, describe};
pub use modules::{Module, modules, modules_of};
pub use search::{all, find, one};

/// The kernels that are wanted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, rename_all = "camelCase")]
pub struct KernelQuery {
    /// The name; empty for all kernels.
    pub name: String,
    /// The device of the build, by any of its names.
    pub device: Option<String>,
    /// The image with the build: its name, its number, its path, or a pattern.
    pub image: Option<String>,
    /// The file of the package with the build: its path, the end of its path, or a pattern.
    pub file: Option<String>,
    /// The path of the document with the build.
    pub path: Option<String>,
    /// The forms of kernels that count.
    pub forms: KernelForms,
}

/// The forms of kernels that count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum KernelForms {
    /// Native code and SPIR-V.
    #[default]
    All,
    /// Native code only.
    Code,
    /// Native code; SPIR-V for kernels that have none.
    CodeOrSpirv,
}

impl KernelQuery {
    /// The pattern that all names match.
    pub const ALL: &'static str = "*";

    /// Creates a query for all builds of a kernel.
    pub fn named(name: impl Into<String>) -> KernelQuery {
        KernelQuery {
            name: name.into(),
            ..KernelQuery::default()
        }
    }

    /// Creates a query for the builds of a kernel that have native code.
    pub fn with_code(name: impl Into<String>) -> KernelQuery {
        KernelQuery {
            forms: KernelForms::Code,
            ..KernelQuery::named(name)
        }
    }

    /// Whether it names no kernel, but wants those of the whole file.
    pub fn is_for_all(&self) -> bool {
        matches!(&*self.name, "" | KernelQuery::ALL)
    }

    /// Returns whether a file of a package may have the build.
    fn may_be_in(&self, file: &str) -> bool {
        let Some(wanted) = &self.file else {
            return true;
        };
        // The file may be in a package within the package.
        let rest = wanted.strip_prefix(file);
        is_path(file, wanted) || rest.is_some_and(|rest| rest.starts_with('/'))
    }

    /// Returns whether the build is in a file with the wanted path.
    fn is_in_file(&self, file: &str) -> bool {
        let wanted = self.file.as_ref();
        wanted.is_none_or(|wanted| is_path(file, wanted))
    }

    /// Returns whether an image has a wanted name. `member` is the archive member in it.
    fn is_image(&self, names: [&str; 3]) -> bool {
        let Some(wanted) = &self.image else {
            return true;
        };
        let has_number = |name: &&str| {
            let number = name.rsplit(' ').next().unwrap_or_default();
            number == wanted && number.bytes().all(|byte| byte.is_ascii_digit())
        };
        let [image, ..] = &names;
        has_number(image)
            || names
                .iter()
                .any(|name| !name.is_empty() && is_path(name, wanted))
    }
}

/// Where a kernel is, for [`KernelQuery::is_within`].
pub(crate) struct KernelPlace<'a> {
    pub device: &'a str,
    pub file: &'a str,
    pub image: &'a str,
    pub member: &'a str,
    pub path: &'a str,
}

impl KernelQuery {
    /// Whether it may want kernels of this place, whatever their names. `own` is the device's own name.
    pub(crate) fn is_within(&self, place: &KernelPlace<'_>, own: Option<&str>) -> bool {
        let is_device = self.device.as_deref().is_none_or(|typed| {
            let device = place.device;
            device.eq_ignore_ascii_case(typed) || own == Some(device)
        });
        is_device
            && self.path.as_deref().is_none_or(|path| path == place.path)
            && self.is_in_file(place.file)
            && self.is_image([place.image, place.member, place.path])
    }

    /// Whether one of a kernel's names is the wanted one, or that which a link abbreviates.
    pub(crate) fn is_named(&self, names: [&str; 3]) -> bool {
        let typed = self.name.trim();
        let is = |name: &&str| {
            *name == typed
                || is_pattern(typed) && matches_pattern(name, typed)
                || is_brief_of(typed, name)
        };
        typed.is_empty() || names.iter().any(is)
    }
}

/// Returns whether a path is the wanted one, ends with it, or matches it as a pattern.
fn is_path(path: &str, wanted: &str) -> bool {
    let is_end = |path: &str| {
        let before = path.strip_suffix(wanted);
        before.is_some_and(|before| before.is_empty() || before.ends_with('/'))
    };
    let is_like = || {
        let mut ends = path.match_indices('/').map(|(at, _)| at.saturating_add(1));
        matches_pattern(path, wanted)
            || ends.any(|end| matches_pattern(path.get(end..).unwrap_or_default(), wanted))
    };
    !wanted.is_empty() && (is_end(path) || is_pattern(wanted) && is_like())
}

/// A kernel in one document: one of the builds of a kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The name in the file.
    pub name: String,
    /// The short name, if the name was not given as in the file; else the name.
    pub title: String,
    /// The node of the document with the kernel.
    pub document: NodeId,
    /// The path of the document; empty for the file.
    pub path: String,
    /// The native code; `None` for a kernel of SPIR-V.
    pub code: Option<Span>,
    /// The file of the package that contains it; empty outside of packages.
    pub file: Str,
    /// The name of the image; empty if the file is the image.
    pub image: String,
    /// The archive member in the image; empty if the image contains a single document.
    pub member: String,
    /// The device, or `SPIR-V`.
    pub device: Str,
    /// The compiler options in the index of the library.
    pub options: String,
}

impl Build {
    /// Formats what tells the build apart from others of the kernel: device, file, image, member.
    pub fn place(&self) -> String {
        place_text([&*self.device, &*self.file, &*self.image, &*self.member])
    }
}

/// The name of a kernel in the file, and its demangled form.
type KernelName = (String, Option<Rc<str>>);

/// The device of kernels that are compiled at run time.
const SPIRV: &str = "SPIR-V";

/// Prefix of the name of a section with code, before the name of its kernel.
const CODE: &str = ".text.";

/// Returns the kernels that the index of a library lists in an image, with the names in tables.
/// Returns `None` for other images.
pub(crate) fn index_names(image: &Image, document: &Document) -> Option<Vec<KernelName>> {
    let host = image.host.as_ref()?;
    let described = host.index_entry(&document.sources)?.described.as_ref()?;
    let names = described.kernels().into_iter();
    let names = names.map(|kernel| (kernel.name.clone(), host.title(&kernel.name)));
    Some(names.collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_whole_or_ends_or_patterns() {
        for (path, wanted, is) in [
            ("a/lib.so", "a/lib.so", true),
            ("a/lib.so", "lib.so", true),
            ("a/xlib.so", "lib.so", false),
            ("a/xlib.so", "*lib.so", true),
            ("a/b/lib.so", "b/*.so", true),
            ("a/lib.so", "a", false),
            ("a/lib.so", "", false),
            ("", "a", false),
        ] {
            assert_eq!(is_path(path, wanted), is, "{path} {wanted}");
        }
    }

    #[test]
    fn images_have_names_and_numbers() {
        let query = |image: &str| KernelQuery {
            image: Some(image.to_owned()),
            ..KernelQuery::default()
        };
        for (image, is) in [
            ("image 3", true),
            ("3", true),
            ("image 13", false),
            ("13", false),
            ("64.20.1.0", true),
            ("image*", true),
            ("", false),
        ] {
            let names = ["image 3", "64.20.1.0", "__CLANG/image 3"];
            assert_eq!(query(image).is_image(names), is, "{image}");
        }
    }
}
