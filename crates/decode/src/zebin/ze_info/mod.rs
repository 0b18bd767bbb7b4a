//! `.ze_info`: the metadata for the runtime, as YAML. Follows the ZE Info specification (zeinfo.md)
//! up to version 1.73.
//!
//! ```text
//! bytes ─ yaml ──┬─ check    violations of the specification
//!         schema ┼─ rows     the tree: one row per key, with its meaning
//!                ├─ typed    one value, converted to its type
//!                └─ kernels  the kernel table and the argument map (when asked for)
//! ```
//!
//! [`yaml`] reads the text and keeps the offset of every value; [`schema`] defines the meaning of
//! each key. Text outside of the YAML subset that `yaml` supports is decoded by a general reader,
//! without offsets (`general`).

mod argument_map;
mod check;
mod general;
pub mod kernels;
mod rows;
pub mod schema;
mod sizes;
mod typed;
pub mod yaml;

use self::yaml::{Extent, Index, Yaml};
use crate::Context;
use crate::limits;
use crate::rules;
use std::rc::Rc;
use zeview_core::model::{Bytes, Evictable, Span};

pub use self::rows::{SECTION, ZeInfoRows};

/// Memory of a text and its values per byte of the text: measured with the kernels of libraries.
const IN_MEMORY: u64 = 5;

/// A parsed `.ze_info`.
pub struct ZeInfo {
    /// Its bytes in the file.
    pub span: Span,
    text: Bytes,
    yaml: Yaml,
    /// The minor version, if the text has a version 1.x.
    minor: Option<u32>,
}

/// A kernel in `.ze_info`.
#[derive(Debug, Clone)]
pub struct Kernel {
    /// Its name.
    pub name: String,
    /// The bytes of the name.
    pub name_span: Span,
    /// The bytes of its entry.
    pub entry: Span,
}

impl ZeInfo {
    /// Reads and checks the text of a section. Returns `None` if it is too large or unreadable.
    /// Zebins of 2020 (`legacy`) have no key `version`.
    pub fn read(cx: &Context<'_>, span: Span, legacy: bool) -> Option<ZeInfo> {
        if span.is_empty() {
            cx.report(&rules::ZE_INFO_EMPTY, span, "the section is empty");
            return None;
        }
        // Positions in the text are kept in 32 bits.
        if span.len() > limits::ZE_INFO.min(u64::from(u32::MAX)) {
            cx.report(
                &rules::TOO_LARGE,
                span,
                format_args!("a .ze_info of {} bytes is not parsed", span.len()),
            );
            return None;
        }
        let text = match cx.sources.read(span) {
            Ok(text) => text,
            Err(error) => {
                cx.report(&rules::READ_FAILED, span, error.to_string());
                return None;
            }
        };
        let info = ZeInfo::parse(span, text);
        check::check(cx, &info, legacy);
        if info.yaml.is_outside_subset() && !info.has_second_reading() {
            let (len, most) = (span.len(), limits::GENERAL_YAML);
            cx.report(
                &rules::TOO_LARGE,
                span,
                format_args!(
                    "a .ze_info of {len} bytes is not read as general YAML: at most {most}"
                ),
            );
        }
        Some(info)
    }

    fn parse(span: Span, text: Bytes) -> ZeInfo {
        let yaml = yaml::parse(&text, yaml::Limits::default());
        let mut info = ZeInfo {
            span,
            text,
            yaml,
            minor: None,
        };
        info.minor = info.minor_version();
        info
    }

    /// Returns it for users that outlast the document, which read it again.
    pub fn evictable(self: &Rc<Self>) -> Rc<Evictable<ZeInfo>> {
        let span = self.span;
        let size = span.len().saturating_mul(IN_MEMORY);
        Evictable::new(self, size, move |sources| {
            let text = sources.read(span).ok()?;
            Some(ZeInfo::parse(span, text))
        })
    }

    /// The text.
    pub fn text(&self) -> &[u8] {
        &self.text
    }

    /// Its values, with their offsets.
    pub fn yaml(&self) -> &Yaml {
        &self.yaml
    }

    /// The bytes of a part of the text.
    pub fn at(&self, extent: Extent) -> Span {
        self.span.subspan(extent.start.into(), extent.len().into())
    }

    /// The value of a top-level key.
    pub fn top(&self, key: &str) -> Option<Index> {
        self.yaml.get(&self.text, self.yaml.content()?, key)
    }

    /// The value of the key `version`, and its bytes.
    pub fn version(&self) -> Option<(String, Span)> {
        let index = self.top("version")?;
        let node = self.yaml.node(index)?;
        let text = self.yaml.scalar_text(&self.text, index).text;
        Some((text.into_owned(), self.at(node.value)))
    }

    /// The minor version. Returns `None` if the text does not have a version 1.x.
    pub fn minor(&self) -> Option<u32> {
        self.minor
    }

    /// Returns whether the text contains YAML outside the subset.
    fn has_second_reading(&self) -> bool {
        self.yaml.is_outside_subset() && self.text.len() <= limits::GENERAL_YAML
    }

    fn minor_version(&self) -> Option<u32> {
        let (version, _) = self.version()?;
        match check::version(&version)? {
            (1, minor) => Some(minor),
            _ => None,
        }
    }

    /// The kernels that have a name.
    pub fn kernels(&self) -> Vec<Kernel> {
        let Some(list) = self.top("kernels") else {
            return Vec::new();
        };
        let kernels = self.yaml.values(list).filter_map(|(index, node)| {
            let name = self.yaml.get(&self.text, index, "name")?;
            let name_node = self.yaml.node(name)?;
            Some(Kernel {
                name: self.yaml.scalar_text(&self.text, name).text.into_owned(),
                name_span: self.at(name_node.value),
                entry: self.at(node.value),
            })
        });
        kernels.collect()
    }
}
