//! Modules as JSON.

use std::fmt::Write as _;
use std::io;

use serde::Serialize;

use super::{Image, Modules, PropertyOwner, PropertySet, PropertyValue};
use crate::model::Sources;
use crate::model::json::SCHEMA;

#[derive(Serialize)]
struct SetJson {
    name: String,
    entries: Vec<EntryJson>,
}

#[derive(Serialize)]
struct EntryJson {
    key: String,
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
struct ModuleJson<'a> {
    properties: Vec<SetJson>,
    ir_modules: Vec<IrJson<'a>>,
    native_device_code_images: Vec<NativeJson<'a>>,
}

fn sets(sets: Vec<PropertySet>) -> Vec<SetJson> {
    let set = |set: PropertySet| SetJson {
        name: set.name,
        entries: set
            .entries
            .into_iter()
            .map(|entry| EntryJson {
                key: entry.key,
                kind: entry.kind.value,
                value: match entry.value {
                    PropertyValue::Number(number) => ValueJson::Number(number),
                    PropertyValue::Bytes { bits, bytes } => ValueJson::Bytes {
                        bits,
                        hex: hex(&bytes),
                    },
                    PropertyValue::Unreadable(_) => ValueJson::Unreadable(()),
                },
            })
            .collect(),
    };
    sets.into_iter().map(set).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().fold(String::new(), |mut text, byte| {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
        text
    })
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
    out: &mut dyn io::Write,
) -> io::Result<usize> {
    let graph = modules.graph(sources);
    let number = |out: &mut dyn io::Write, number: Option<u64>| match number {
        Some(number) => write!(out, "{number}"),
        None => write!(out, "null"),
    };
    write!(out, "{{\"schema\":{SCHEMA},\"file\":")?;
    serde_json::to_writer(&mut *out, file)?;
    write!(out, ",\"version\":{},\"state\":", graph.version.value)?;
    number(out, graph.state.map(|state| state.value))?;
    write!(out, ",\"global_properties\":")?;
    let global = sets(modules.values(PropertyOwner::Whole, sources));
    serde_json::to_writer(&mut *out, &global)?;
    write!(out, ",\"abstract_modules\":[")?;
    let mut left_out = graph.abstract_modules.len();
    for module in &graph.abstract_modules {
        if !has_room() {
            break;
        }
        left_out -= 1;
        out.write_all(if module.index == 0 { b"\n" } else { b",\n" })?;
        let properties = modules.values(PropertyOwner::AbstractModule(module.index), sources);
        let json = ModuleJson {
            properties: sets(properties),
            ir_modules: graph.ir_modules_of(module).iter().map(ir).collect(),
            native_device_code_images: graph.native_images_of(module).iter().map(native).collect(),
        };
        serde_json::to_writer(&mut *out, &json)?;
    }
    write!(out, "]}}")?;
    Ok(left_out)
}
