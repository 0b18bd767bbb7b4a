//! The modules of a SYCLBIN, with their images and properties.
//!
//! Plain data, created by a decoder on demand ([`Document::modules`]) and cached by it, like the
//! [`kernels`](super::kernels). Both generations of the format use the same model.

pub mod graph;
pub mod json;

use std::ops::Range;
use std::rc::Rc;

use serde::{Deserialize, Serialize};

use super::kernels::Located;
use crate::model::{Document, NodeId, Sources, Span, Str};

/// The prefix of every SYCLBIN's title.
pub const TITLE: &str = "SYCLBIN";

/// Provides the modules of a document.
pub trait Modules {
    /// Returns all modules and their symbols, without properties; computed once.
    fn graph(&self, sources: &Sources) -> Rc<ModuleGraph>;

    /// Returns the properties of an owner without explanations, for callers that need the values of
    /// many.
    fn values(&self, of: PropertyOwner, sources: &Sources) -> Vec<PropertySet>;

    /// Returns the properties of an owner, with explanations.
    fn properties(&self, of: PropertyOwner, sources: &Sources) -> Vec<PropertySet>;

    /// Returns the demangled form of a key, or `None` if it is not mangled.
    fn demangled(&self, key: &str) -> Option<Rc<str>>;
}

impl Document {
    /// Returns the modules of a document: of the opened file (its root), or of one that is nested
    /// in it. An OffloadBinary provides those of the SYCLBIN that it contains.
    pub fn modules(&self, document: NodeId) -> Option<Rc<dyn Modules>> {
        self.interfaces(document).modules
    }
}

/// The owner of properties; the numbers are indices into the lists of [`ModuleGraph`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum PropertyOwner {
    /// The SYCLBIN itself: its global metadata.
    Whole,
    /// An abstract module.
    AbstractModule(u32),
    /// An IR module.
    IrModule(u32),
    /// A native device code image.
    NativeImage(u32),
}

/// A SYCLBIN.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleGraph {
    /// The version of the format.
    pub version: Located<u64>,
    /// The state of the kernel bundle, if the global metadata has it.
    pub state: Option<Located<u64>>,
    /// All bytes of the SYCLBIN.
    pub span: Span,
    /// The global metadata; may be empty.
    pub metadata: Span,
    /// The abstract modules, in order.
    pub abstract_modules: Vec<AbstractModule>,
    /// The IR modules of all abstract modules.
    pub ir_modules: Vec<Image>,
    /// The native device code images of all abstract modules.
    pub native_images: Vec<Image>,
    /// The symbols that modules export or import, in order of first appearance.
    pub symbols: Vec<ModuleSymbol>,
}

impl ModuleGraph {
    /// Returns the name of the state.
    pub fn state_name(&self) -> Option<&'static str> {
        STATES.get(index(self.state?.value)?).copied()
    }

    /// Returns the IR modules of an abstract module.
    pub fn ir_modules_of(&self, module: &AbstractModule) -> &[Image] {
        part(&self.ir_modules, &module.ir_modules)
    }

    /// Returns the native device code images of an abstract module.
    pub fn native_images_of(&self, module: &AbstractModule) -> &[Image] {
        part(&self.native_images, &module.native_images)
    }

    /// Returns a module by its index.
    pub fn module(&self, index: u32) -> Option<&AbstractModule> {
        self.abstract_modules.get(usize::try_from(index).ok()?)
    }

    /// Returns the total size of a module's images, in bytes.
    pub fn size_of(&self, module: &AbstractModule) -> u64 {
        let images = self.ir_modules_of(module).iter();
        let all = images.chain(self.native_images_of(module));
        all.map(|image| image.bytes.len())
            .fold(0, u64::saturating_add)
    }

    /// Returns the innermost owner of some bytes: an image rather than its module, a module rather
    /// than the whole. Returns `None` if they are not in the SYCLBIN.
    pub fn owner_at(&self, span: Span) -> Option<PropertyOwner> {
        let image = |images: &[Image]| {
            let holds = |image: &Image| {
                image.bytes.contains(span)
                    || image.header.contains(span)
                    || image.metadata.contains(span)
            };
            u32::try_from(images.iter().position(holds)?).ok()
        };
        if let Some(index) = image(&self.native_images) {
            return Some(PropertyOwner::NativeImage(index));
        }
        if let Some(index) = image(&self.ir_modules) {
            return Some(PropertyOwner::IrModule(index));
        }
        let mut modules = self.abstract_modules.iter();
        let module = modules.find(|m| m.header.contains(span) || m.metadata.contains(span));
        match module {
            Some(module) => Some(PropertyOwner::AbstractModule(module.index)),
            None => self.span.contains(span).then_some(PropertyOwner::Whole),
        }
    }

    /// Returns the index of the first module that an owner is, or is in; the whole is in none.
    pub fn module_of(&self, owner: PropertyOwner) -> Option<u32> {
        let first = |has: &dyn Fn(&AbstractModule) -> bool| {
            let mut modules = self.abstract_modules.iter();
            modules
                .find(|module| has(module))
                .map(|module| module.index)
        };
        match owner {
            PropertyOwner::Whole => None,
            PropertyOwner::AbstractModule(index) => Some(index),
            PropertyOwner::IrModule(image) => first(&|module| module.ir_modules.contains(&image)),
            PropertyOwner::NativeImage(image) => {
                first(&|module| module.native_images.contains(&image))
            }
        }
    }

    /// Returns the bytes that represent an owner: its header, or all bytes for the whole.
    pub fn bytes_of(&self, owner: PropertyOwner) -> Span {
        let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
        let header = match owner {
            PropertyOwner::Whole => None,
            PropertyOwner::AbstractModule(index) => self.module(index).map(|module| module.header),
            PropertyOwner::IrModule(index) => {
                self.ir_modules.get(at(index)).map(|image| image.header)
            }
            PropertyOwner::NativeImage(index) => {
                let image = self.native_images.get(at(index));
                image.map(|image| image.header)
            }
        };
        header.unwrap_or(self.span)
    }

    /// Returns the name of an owner: `IR module 2 of abstract module 1`.
    pub fn name_of(&self, owner: PropertyOwner) -> String {
        let of = match self.module_of(owner) {
            Some(module) => format!(" of abstract module {module}"),
            None => String::new(),
        };
        match owner {
            PropertyOwner::Whole => "the SYCLBIN".to_owned(),
            PropertyOwner::AbstractModule(index) => format!("abstract module {index}"),
            PropertyOwner::IrModule(index) => format!("IR module {index}{of}"),
            PropertyOwner::NativeImage(index) => format!("native device code image {index}{of}"),
        }
    }
}

/// The states of a kernel bundle, by number.
pub static STATES: [&str; 3] = ["input", "object", "executable"];

/// The languages of IR modules, by number.
pub static IR_TYPES: [&str; 3] = ["SPIR-V", "PTX", "AMDGCN"];

fn index(number: u64) -> Option<usize> {
    usize::try_from(number).ok()
}

fn part<'a>(images: &'a [Image], range: &Range<u32>) -> &'a [Image] {
    let at = |number: u32| usize::try_from(number).unwrap_or(usize::MAX);
    images
        .get(at(range.start)..at(range.end).min(images.len()))
        .unwrap_or(&[])
}

/// A collection of device binaries that share their properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AbstractModule {
    /// Zero-based index in the list.
    pub index: u32,
    /// The bytes that describe it: its header, or its entry.
    pub header: Span,
    /// The metadata with its properties; may be empty.
    pub metadata: Span,
    /// Indices of its IR modules in [`ModuleGraph::ir_modules`]. Modules may share some.
    pub ir_modules: Range<u32>,
    /// Indices of its images in [`ModuleGraph::native_images`]. Modules may share some.
    pub native_images: Range<u32>,
    /// Number of property sets.
    pub sets: u32,
    /// Number of exported symbols.
    pub exports: u32,
    /// Number of imported symbols.
    pub imports: u32,
}

/// An IR module or a native device code image.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Image {
    /// The bytes that describe it: its header, or its entry.
    pub header: Span,
    /// The metadata with its properties; may be empty.
    pub metadata: Span,
    /// The device code.
    pub bytes: Span,
    /// The language of the code, an index of [`IR_TYPES`]; IR modules only.
    pub ir_type: Option<Located<u64>>,
    /// The target architecture; native device code images only.
    pub arch: Option<Box<Located<String>>>,
    /// The target triple.
    pub target: Option<Box<Located<String>>>,
    /// The format of the code: `SPIR-V 1.4`, `zebin 1.73`; may be empty.
    pub title: Str,
}

impl Image {
    /// Returns the bytes that represent it: the device code, or its header if that is empty.
    pub fn place(&self) -> Span {
        if self.bytes.is_empty() {
            self.header
        } else {
            self.bytes
        }
    }

    /// Returns the language of an IR module.
    pub fn ir_type_name(&self) -> Option<&'static str> {
        IR_TYPES.get(index(self.ir_type?.value)?).copied()
    }
}

/// A symbol that some modules export and others import: the edges of the graph.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleSymbol {
    /// Its name.
    pub name: String,
    /// The abstract modules that export it.
    pub exported_by: Vec<u32>,
    /// The abstract modules that import it.
    pub imported_by: Vec<u32>,
}

/// A named set of properties. Repeated sets are merged, and of a repeated key the last value wins,
/// as in the reader of the SYCL runtime.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct PropertySet {
    /// Its name: `SYCL/device requirements`.
    pub name: String,
    /// The bytes of the name.
    pub span: Span,
    /// The purpose of the set; empty for an unknown set.
    pub doc: Str,
    /// Its entries, in order.
    pub entries: Vec<Property>,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Property {
    /// The key, with U+FFFD in place of invalid UTF-8.
    pub key: String,
    /// The bytes of the key.
    pub key_span: Span,
    /// The type: 1 for numbers, 2 for bytes.
    pub kind: Located<u64>,
    /// The value.
    pub value: PropertyValue,
    /// The bytes of the value in the file.
    pub span: Span,
    /// The meaning of the value in a few words: `gpu, fp64`; empty if there is nothing to add.
    pub meaning: String,
    /// The meaning of the key; empty for an unknown key.
    pub doc: Str,
}

impl Property {
    /// The value, if it is a number.
    pub fn number(&self) -> Option<Located<u64>> {
        match self.value {
            PropertyValue::Number(number) => Some(Located::at(number, self.span)),
            _ => None,
        }
    }

    /// The value as text, if it is bytes.
    pub fn text(&self) -> Option<Located<String>> {
        match &self.value {
            PropertyValue::Bytes { bytes, .. } => {
                let text = String::from_utf8_lossy(bytes).into_owned();
                Some(Located::at(text, self.span))
            }
            _ => None,
        }
    }
}

/// Returns a property of a module's device requirements.
pub fn requirement<'a>(sets: &'a [PropertySet], key: &str) -> Option<&'a Property> {
    let set = sets
        .iter()
        .find(|set| set.name == "SYCL/device requirements")?;
    set.entries.iter().find(|entry| entry.key == key)
}

/// Returns the single device that the code was compiled for, if specified: `intel_gpu_pvc`.
pub fn compile_target(sets: &[PropertySet]) -> Option<String> {
    match &requirement(sets, "compile_target")?.value {
        PropertyValue::Bytes { bytes, .. } => Some(String::from_utf8_lossy(bytes).into_owned()),
        _ => None,
    }
}

/// Maximum number of specialization constants of a property whose defaults are added.
const CONSTANTS_MAX: usize = 64;

/// Adds the defaults of specialization constants to the meanings of their properties. Another set
/// has the defaults, all in one buffer.
pub fn join_defaults(sets: &mut [PropertySet]) {
    let named = |name: &str| sets.iter().position(|set| set.name == name);
    let constants = named("SYCL/specialization constants");
    let defaults = named("SYCL/specialization constants default values")
        .and_then(|at| sets.get(at)?.entries.first())
        .and_then(|entry| match &entry.value {
            PropertyValue::Bytes { bytes, .. } => Some(bytes.clone()),
            _ => None,
        });
    let (Some(constants), Some(defaults)) = (constants.and_then(|at| sets.get_mut(at)), defaults)
    else {
        return;
    };
    for entry in &mut constants.entries {
        let PropertyValue::Bytes { bytes, .. } = &entry.value else {
            continue;
        };
        let records = bytes.chunks_exact(12);
        if records.len() > CONSTANTS_MAX || !records.remainder().is_empty() {
            continue;
        }
        let words: Vec<String> = records
            .map(|record| {
                let number = |at: usize| {
                    let bytes = record
                        .get(at..at + 4)
                        .and_then(|bytes| bytes.try_into().ok());
                    bytes.map_or(0, u32::from_le_bytes)
                };
                let (id, offset, size) = (number(0), number(4), number(8));
                let start = usize::try_from(offset).unwrap_or(usize::MAX);
                let end = start.saturating_add(usize::try_from(size).unwrap_or(usize::MAX));
                let value = match defaults.get(start..end) {
                    Some(bytes) => constant(bytes),
                    None => "outside of the buffer".to_owned(),
                };
                format!("ID {id}, offset {offset}, size {size}, default {value}")
            })
            .collect();
        if !words.is_empty() {
            entry.meaning = words.join("; ");
        }
    }
}

/// Formats a constant as a signed number, and as a floating-point number if that is plausible.
fn constant(bytes: &[u8]) -> String {
    let float = |number: f64| {
        // Small whole numbers are tiny as floating-point numbers.
        let is_likely = (1e-6..1e9).contains(&number.abs());
        is_likely.then_some(number)
    };
    let (whole, fraction) = match *bytes {
        [a] => (i64::from(i8::from_le_bytes([a])), None),
        [a, b] => (i64::from(i16::from_le_bytes([a, b])), None),
        [a, b, c, d] => {
            let bytes = [a, b, c, d];
            let number = f32::from_le_bytes(bytes);
            (
                i64::from(i32::from_le_bytes(bytes)),
                float(number.into()).map(|_| number.to_string()),
            )
        }
        [a, b, c, d, e, f, g, h] => {
            let bytes = [a, b, c, d, e, f, g, h];
            let number = f64::from_le_bytes(bytes);
            (
                i64::from_le_bytes(bytes),
                float(number).map(|number| number.to_string()),
            )
        }
        _ => {
            let bytes: Vec<String> = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            return bytes.join(" ");
        }
    };
    match fraction {
        Some(fraction) => format!("{whole} ({fraction} as floating point)"),
        None => whole.to_string(),
    }
}

/// The value of a property.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum PropertyValue {
    /// A number.
    Number(u64),
    /// Bytes, the last of which may be used in part only.
    Bytes {
        /// Number of bits.
        bits: u64,
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// Neither: the text in the file.
    Unreadable(String),
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_joined_to_their_constants() {
        let set = |name: &str, key: &str, bytes: Vec<u8>| PropertySet {
            name: name.to_owned(),
            span: Span::default(),
            doc: "".into(),
            entries: vec![Property {
                key: key.to_owned(),
                key_span: Span::default(),
                kind: Located::default(),
                value: PropertyValue::Bytes { bits: 0, bytes },
                span: Span::default(),
                meaning: "as it was".to_owned(),
                doc: "".into(),
            }],
        };
        let record = |numbers: &[u32]| numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        let name = "SYCL/specialization constants";
        let mut sets = vec![
            set(name, "k", record(&[0, 0, 4, 1, 4, 4, 2, 100, 4])),
            set(
                "SYCL/specialization constants default values",
                "all",
                record(&[42, 1.5f32.to_bits()]),
            ),
        ];
        join_defaults(&mut sets);
        assert_eq!(
            sets[0].entries[0].meaning,
            "ID 0, offset 0, size 4, default 42; \
             ID 1, offset 4, size 4, default 1069547520 (1.5 as floating point); \
             ID 2, offset 100, size 4, default outside of the buffer"
        );
        // Without defaults, or with other records, nothing is added.
        let mut without = vec![set(name, "k", record(&[0, 0, 4]))];
        join_defaults(&mut without);
        assert_eq!(without[0].entries[0].meaning, "as it was");
        sets[0] = set(name, "k", vec![0; 13]);
        join_defaults(&mut sets);
        assert_eq!(sets[0].entries[0].meaning, "as it was");
    }
}
