//! Renamed kernels.

use std::borrow::Cow;
use std::collections::HashMap;
use std::rc::Rc;

use super::elf::Code;
use super::likeness::{SeenWords, Signature, renamed};
use super::ze_info::{Names, arguments};
use super::{Comparand, Comparer, Sides};
use zeview_core::analysis::kernels::{Kernels, SECTION_PREFIXES};

/// The renamed kernels: names in the second file by names in the first.
#[derive(Default)]
pub(super) struct Renames(HashMap<String, String>);

impl Renames {
    /// Returns the name of a kernel in the second file.
    pub fn kernel<'n>(&'n self, name: &'n str) -> Cow<'n, str> {
        self.0.get(name).map_or(name, String::as_str).into()
    }

    /// Returns the name of a section in the second file.
    pub fn section<'n>(&self, name: &'n str) -> Cow<'n, str> {
        self.renamed(Cow::Borrowed(name))
    }

    /// Like `section`, consuming the name.
    pub fn renamed<'n>(&self, name: Cow<'n, str>) -> Cow<'n, str> {
        if self.0.is_empty() {
            return name;
        }
        let of_kernel = SECTION_PREFIXES.iter().find_map(|prefix| {
            let kernel = name.strip_prefix(prefix)?;
            Some(format!("{prefix}{}", self.0.get(kernel)?))
        });
        of_kernel.map_or(name, Cow::Owned)
    }
}

impl Comparer<'_> {
    /// Finds the renamed kernels.
    pub(super) fn renames(
        &mut self,
        names: &Sides<Names>,
        kernels: &Sides<Option<Rc<dyn Kernels>>>,
        code: Option<&Code>,
    ) -> Renames {
        let left = names.0.left(&names.1);
        if left.0.is_empty() || left.1.is_empty() {
            return Renames::default();
        }
        let mut seen = SeenWords::default();
        let mut signatures = |which, left: &[String]| -> Vec<Signature> {
            let kernels = match which {
                Comparand::A => &kernels.0,
                Comparand::B => &kernels.1,
            };
            let rows = kernels
                .as_ref()
                .map(|k| k.rows(&self.document(which).sources));
            let mut places: HashMap<&str, usize> = HashMap::new();
            for (at, row) in rows.iter().flat_map(|rows| rows.iter()).enumerate() {
                places.entry(&row.name.value).or_insert(at);
            }
            let mut found = Vec::new();
            for name in left {
                let place = places.get(name.as_str());
                let arguments = match (kernels, place) {
                    (Some(kernels), Some(place)) if !self.work.is_over() => {
                        self.work.spend(256);
                        let detail = kernels.detail(*place, &self.document(which).sources);
                        detail.map_or_else(String::new, |detail| arguments(&detail))
                    }
                    _ => String::new(),
                };
                let document = match which {
                    Comparand::A => &*self.a,
                    Comparand::B => &*self.b,
                };
                let listing = code.and_then(|code| code.of_kernel(which, name, &document.sources));
                found.push(Signature::new(
                    arguments,
                    listing.as_deref(),
                    &document.sources,
                    &mut seen,
                    &mut self.work,
                ));
            }
            found
        };
        let one = signatures(Comparand::A, &left.0);
        let other = signatures(Comparand::B, &left.1);
        let pairs = renamed(&one, &other, &mut self.work).into_iter();
        let pairs =
            pairs.filter_map(|(a, b)| Some((left.0.get(a)?.clone(), left.1.get(b)?.clone())));
        Renames(pairs.collect())
    }
}
