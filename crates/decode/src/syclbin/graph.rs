//! Builds the model of the modules from the result of the check.

use std::cell::OnceCell;
use std::rc::Rc;

use super::{Code, Part, Syclbin, Text};
use crate::demangle::demangle;
use crate::property_set::{self, Item};
use zeview_core::analysis::kernels::Located;
use zeview_core::analysis::modules::graph::Symbols;
use zeview_core::analysis::modules::{
    AbstractModule, Image, ModuleGraph, Modules, PropertyOwner, PropertySet,
};
use zeview_core::model::{Sources, Span, Str};

/// The interface to the modules of a SYCLBIN.
pub struct Graph {
    survey: Rc<Syclbin>,
    made: OnceCell<Rc<ModuleGraph>>,
}

impl Graph {
    /// Creates the interface; the graph is built on demand.
    pub fn new(survey: Rc<Syclbin>) -> Graph {
        Graph {
            survey,
            made: OnceCell::new(),
        }
    }

    fn text(&self, of: PropertyOwner) -> Span {
        let part = match of {
            PropertyOwner::Whole => Part::Global,
            PropertyOwner::AbstractModule(at) => Part::Module(at),
            PropertyOwner::IrModule(at) => Part::Ir(at),
            PropertyOwner::NativeImage(at) => Part::Native(at),
        };
        let text = self.survey.text(part);
        text.map_or(Span::default(), Text::readable)
    }
}

impl Modules for Graph {
    fn graph(&self, sources: &Sources) -> Rc<ModuleGraph> {
        let made = self
            .made
            .get_or_init(|| Rc::new(make(&self.survey, sources)));
        Rc::clone(made)
    }

    fn values(&self, of: PropertyOwner, sources: &Sources) -> Vec<PropertySet> {
        property_set::sets(sources, self.text(of))
    }

    fn demangled(&self, key: &str) -> Option<Rc<str>> {
        demangle(key)
    }

    fn properties(&self, of: PropertyOwner, sources: &Sources) -> Vec<PropertySet> {
        let mut sets = self.values(of, sources);
        property_set::explain(&mut sets);
        sets
    }
}

fn make(survey: &Syclbin, sources: &Sources) -> ModuleGraph {
    let mut symbols = Symbols::default();
    let modules = survey.modules.iter().zip(0..).map(|(module, index)| {
        let mut made = AbstractModule {
            index,
            header: module.header,
            metadata: module.text.span,
            ir_modules: module.ir.clone(),
            native_images: module.native.clone(),
            sets: 0,
            exports: 0,
            imports: 0,
        };
        // The kind of the symbols of the preceding set.
        let mut exports = None;
        property_set::each(sources, module.text.readable(), &mut |item| match item {
            Item::Set(name, ..) => {
                made.sets = made.sets.saturating_add(1);
                exports = match name.as_str() {
                    "SYCL/exported symbols" => Some(true),
                    "SYCL/imported symbols" => Some(false),
                    _ => None,
                };
            }
            Item::Property(property) => {
                if let Some(exports) = exports {
                    let count = if exports {
                        &mut made.exports
                    } else {
                        &mut made.imports
                    };
                    *count = count.saturating_add(1);
                    symbols.add(property.key, index, exports);
                }
            }
        });
        made
    });
    let abstract_modules = modules.collect();
    let images = |list: &[Code]| list.iter().map(|code| image(code, sources)).collect();
    ModuleGraph {
        version: survey.version,
        state: survey.state,
        span: survey.span,
        metadata: survey.global.span,
        abstract_modules,
        ir_modules: images(&survey.ir),
        native_images: images(&survey.native),
        symbols: symbols.into_list(),
    }
}

fn image(code: &Code, sources: &Sources) -> Image {
    let properties = CodeProperties::read(code.text, sources);
    Image {
        header: code.header,
        metadata: code.text.span,
        bytes: code.bytes,
        ir_type: properties.kind,
        arch: properties.arch.map(Box::new),
        target: properties.target.map(Box::new),
        title: match &code.opened {
            Some(opened) => opened.summary.title.clone(),
            None => Str::default(),
        },
    }
}

/// The properties of device code.
#[derive(Default)]
pub struct CodeProperties {
    /// `type` of IR modules.
    pub kind: Option<Located<u64>>,
    /// `arch` of native device code images.
    pub arch: Option<Located<String>>,
    /// `target` of both.
    pub target: Option<Located<String>>,
}

impl CodeProperties {
    /// Reads the properties of an IR module or an image.
    pub fn read(text: Text, sources: &Sources) -> CodeProperties {
        let (mut properties, mut within) = (CodeProperties::default(), false);
        property_set::each(sources, text.readable(), &mut |item| match item {
            Item::Set(name, ..) => {
                within = name == "SYCLBIN/ir module metadata"
                    || name == "SYCLBIN/native device code image metadata";
            }
            Item::Property(property) if within => match property.key.as_str() {
                "type" => properties.kind = property.number(),
                "arch" => properties.arch = property.text(),
                "target" => properties.target = property.text(),
                _ => {}
            },
            Item::Property(_) => {}
        });
        properties
    }
}
