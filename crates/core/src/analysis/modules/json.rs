//! Properties and modules as JSON.

use std::cell::Cell;
use std::io;

use serde::{Serialize, Serializer};

use super::{Image, Modules, Property, PropertyOwner, PropertySet, PropertyValue};
use crate::model::Sources;
use crate::model::json::{Items, Versioned};
use crate::model::text::hex;

/// Returns property sets as an array of objects: `name`, and `entries` with `key`, `type` and
/// `value`, in the order of the file. Once `has_room` returns `false`, the rest is left out.
pub fn properties<'a>(
    sets: &'a [PropertySet],
    has_room: &'a dyn Fn() -> bool,
) -> impl Serialize + 'a {
    let entries = |set: &'a PropertySet| {
        let entries = set.entries.iter().filter(|_| has_room());
        entries.map(PropertyJson::from)
    };
    let set = move |set: &'a PropertySet| PropertySetJson {
        name: &set.name,
        entries: Items(move || entries(set)),
    };
    Items(move || sets.iter().filter(|_| has_room()).map(set))
}

#[derive(Serialize)]
struct PropertySetJson<'a, E> {
    name: &'a str,
    entries: E,
}

#[derive(Serialize)]
struct PropertyJson<'a> {
    key: &'a str,
    #[serde(rename = "type")]
    kind: u64,
    value: ValueJson,
}

/// Null if it cannot be read.
#[derive(Serialize)]
#[serde(untagged)]
enum ValueJson {
    Number(u64),
    Bytes { bits: u64, hex: String },
    Unreadable(()),
}

impl<'a> From<&'a Property> for PropertyJson<'a> {
    fn from(property: &'a Property) -> PropertyJson<'a> {
        PropertyJson {
            key: &property.key,
            kind: property.kind.value,
            value: match &property.value {
                PropertyValue::Number(number) => ValueJson::Number(*number),
                PropertyValue::Bytes { bits, bytes } => ValueJson::Bytes {
                    bits: *bits,
                    hex: hex(bytes, ""),
                },
                PropertyValue::Unreadable(_) => ValueJson::Unreadable(()),
            },
        }
    }
}

#[derive(Serialize)]
struct IrJson<'a> {
    #[serde(rename = "type")]
    kind: Option<u64>,
    target: Option<&'a str>,
    start: u64,
    end: u64,
}

#[derive(Serialize)]
struct NativeJson<'a> {
    arch: Option<&'a str>,
    target: Option<&'a str>,
    start: u64,
    end: u64,
}

#[derive(Serialize)]
struct ModuleJson<I, N> {
    properties: SetsJson,
    ir_modules: I,
    native_device_code_images: N,
}

#[derive(Serialize)]
struct ModulesJson<'a, M> {
    file: &'a str,
    version: u64,
    state: Option<u64>,
    global_properties: SetsJson,
    abstract_modules: M,
}

/// All properties of an owner.
struct SetsJson(Vec<PropertySet>);

impl Serialize for SetsJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        properties(&self.0, &|| true).serialize(serializer)
    }
}

fn target(image: &Image) -> Option<&str> {
    image.target.as_ref().map(|target| &*target.value)
}

fn ir(image: &Image) -> IrJson<'_> {
    IrJson {
        kind: image.ir_type.map(|kind| kind.value),
        target: target(image),
        start: image.bytes.start,
        end: image.bytes.end,
    }
}

fn native(image: &Image) -> NativeJson<'_> {
    NativeJson {
        arch: image.arch.as_ref().map(|arch| &*arch.value),
        target: target(image),
        start: image.bytes.start,
        end: image.bytes.end,
    }
}

/// Writes the modules of a file as one JSON object, module by module, without a trailing newline.
/// Positions are offsets in the file. Modules may share images: once `has_room` returns `false`,
/// the rest is left out. Returns the number of modules left out.
///
/// # Errors
///
/// If writing fails.
pub fn write(
    modules: &dyn Modules,
    sources: &Sources,
    file: &str,
    has_room: &dyn Fn() -> bool,
    out: impl io::Write,
) -> io::Result<usize> {
    let graph = modules.graph(sources);
    let graph = &*graph;
    let values = |owner| SetsJson(modules.values(owner, sources));
    let left_out = Cell::new(graph.abstract_modules.len());
    let listed = || graph.abstract_modules.iter().take_while(|_| has_room());
    let listed = || {
        listed().map(|module| {
            left_out.set(left_out.get().saturating_sub(1));
            ModuleJson {
                properties: values(PropertyOwner::AbstractModule(module.index)),
                ir_modules: Items(|| graph.ir_modules_of(module).iter().map(ir)),
                native_device_code_images: Items(|| {
                    graph.native_images_of(module).iter().map(native)
                }),
            }
        })
    };
    let json = ModulesJson {
        file,
        version: graph.version.value,
        state: graph.state.map(|state| state.value),
        global_properties: values(PropertyOwner::Whole),
        abstract_modules: Items(listed),
    };
    serde_json::to_writer(out, &Versioned::new(json))?;
    Ok(left_out.get())
}

#[cfg(test)]
mod tests {
    use super::super::Located;
    use super::*;
    use crate::model::{SourceId, Span};

    #[test]
    fn properties_keep_their_order_their_duplicates_and_what_is_unreadable() {
        const SPAN: Span = Span::new(SourceId::FILE, 0, 0);
        let property = |key: &str, kind, value| Property {
            key: key.to_owned(),
            key_span: SPAN,
            kind: Located {
                value: kind,
                span: None,
            },
            value,
            span: SPAN,
            meaning: String::new(),
            doc: "".into(),
        };
        let bytes = PropertyValue::Bytes {
            bits: 9,
            bytes: vec![1, 255],
        };
        let set = PropertySet {
            name: "SYCL/misc properties".to_owned(),
            span: SPAN,
            doc: "".into(),
            entries: vec![
                property("b", 1, PropertyValue::Number(0)),
                property("a", 2, bytes),
                property("b", 3, PropertyValue::Unreadable("x".to_owned())),
            ],
        };
        let sets = [set];
        let json = serde_json::to_value(properties(&sets, &|| true)).unwrap();
        assert_eq!(
            json,
            serde_json::json!([{
                "name": "SYCL/misc properties",
                "entries": [
                    { "key": "b", "type": 1, "value": 0 },
                    { "key": "a", "type": 2, "value": { "bits": 9, "hex": "01ff" } },
                    { "key": "b", "type": 3, "value": null },
                ],
            }])
        );
    }
}
