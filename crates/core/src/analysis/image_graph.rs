//! The import graph of a host binary's images.

use super::host_images::{EXPORTED, HostImage, IMPORTED, kind_text};
use super::images::Images;
use super::kernels::Located;
use super::modules::graph::Symbols;
use super::modules::{AbstractModule, Image, ModuleGraph};
use crate::model::{Sources, Span};

impl Images {
    /// Returns the images as modules with one piece of device code each, like the module graph of a
    /// SYCLBIN. `file` is the extent of the host binary.
    pub fn graph(&self, file: Span, sources: &Sources) -> ModuleGraph {
        let empty = file.subspan(0, 0);
        let mut graph = ModuleGraph {
            version: Located {
                value: 0,
                span: None,
            },
            state: None,
            span: file,
            metadata: empty,
            abstract_modules: Vec::new(),
            ir_modules: Vec::new(),
            native_images: Vec::new(),
            symbols: Vec::new(),
        };
        let mut symbols = Symbols::default();
        for (image, index) in self.list.iter().zip(0..) {
            let entry = image
                .host
                .as_ref()
                .and_then(|host| host.index_entry(sources));
            let described = entry.and_then(|entry| entry.described.as_ref());
            let names = |set| described.map_or_else(Vec::new, |described| described.names_in(set));
            let mut count = |set, exports| {
                let names = names(set);
                for name in &names {
                    symbols.add((*name).to_owned(), index, exports);
                }
                u32::try_from(names.len()).unwrap_or(u32::MAX)
            };
            let (exports, imports) = (count(EXPORTED, true), count(IMPORTED, false));
            let record = described.and_then(|described| described.places.record);
            let header = record.unwrap_or(image.span);
            let code = Image {
                header,
                metadata: empty,
                bytes: image.span,
                ir_type: None,
                arch: None,
                target: described.map(|described| {
                    Box::new(Located {
                        value: described.target.clone(),
                        span: described.places.target,
                    })
                }),
                title: entry.map_or_else(|| image.title.clone(), |entry| kind_text(entry).into()),
            };
            let list = if entry.is_some_and(HostImage::is_native) {
                &mut graph.native_images
            } else {
                &mut graph.ir_modules
            };
            let at = u32::try_from(list.len()).unwrap_or(u32::MAX);
            list.push(code);
            let (ir_modules, native_images) = if entry.is_some_and(HostImage::is_native) {
                (0..0, at..at.saturating_add(1))
            } else {
                (at..at.saturating_add(1), 0..0)
            };
            graph.abstract_modules.push(AbstractModule {
                index,
                header,
                metadata: empty,
                ir_modules,
                native_images,
                sets: u32::try_from(described.map_or(0, |entry| entry.properties.len()))
                    .unwrap_or(u32::MAX),
                exports,
                imports,
            });
        }
        graph.symbols = symbols.into_list();
        graph
    }
}
