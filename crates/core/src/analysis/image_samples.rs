//! The images that runtimes choose from: those of a container, or a document as its only image.

use super::images::{Image, ImageSort, Images};
use super::package_images::PackagePlace;
use crate::model::{Document, InnerDocument, NodeId, Str};
use std::collections::HashMap;

/// Maximum number of sorts of images that are opened to determine the driver's verdict.
const SAMPLES_MAX: usize = 64;

impl Document {
    /// Returns whether a document is the opened file, and that is a SPIR-V module.
    pub fn is_spirv(&self, document: NodeId) -> bool {
        document == NodeId::ROOT && &*self.summary.format == "spirv"
    }

    /// Returns the images of a container and, for a host binary, the contents of the first image of
    /// each sort: the verdict is computed for those, not for thousands of similar images. A SPIR-V
    /// module is an image itself.
    pub fn images_to_choose(&mut self, container: NodeId) -> Images {
        let mut images = self.images(container);
        if images.list.is_empty()
            && self.is_spirv(container)
            && let Some(itself) = self.image_itself(container)
        {
            return itself;
        }
        let mut known: HashMap<ImageSort, Option<usize>> = HashMap::default();
        for at in 0..images.list.len() {
            let Some(image) = images.list.get(at) else {
                break;
            };
            let (span, sort) = (image.span, image.sort(&self.sources));
            let Some(sort) = sort else { continue };
            let sample = match known.get(&sort) {
                Some(sample) => *sample,
                None if known.len() >= SAMPLES_MAX => continue,
                None => {
                    let within = self.images_within(span);
                    let sample = within.map(|within| {
                        images.samples.push(within);
                        images.samples.len() - 1
                    });
                    known.insert(sort, sample);
                    sample
                }
            };
            if let Some(image) = images.list.get_mut(at) {
                image.sample = sample;
            }
        }
        images
    }

    /// Returns a document as the only image of a container.
    pub(super) fn image_itself(&mut self, document: NodeId) -> Option<Images> {
        let node = self.node(document)?;
        let (whole, name) = (node.span?, node.name.clone());
        let own = match document {
            NodeId::ROOT => InnerDocument {
                span: whole,
                format: self.summary.format.clone(),
                title: self.summary.title.clone(),
                target: None,
                has: self.summary.has,
                is_listed: false,
            },
            _ => self.inner_document(whole)?.clone(),
        };
        let place = PackagePlace::default();
        Some(Images {
            containers: vec![self.container(document, whole, "host".into(), None, place)],
            list: vec![Image {
                span: whole,
                path: self.path(document),
                name: String::new(),
                file: Str::default(),
                format: own.format,
                title: own.title,
                target: own.target,
                is_loadable: own.has.loadable,
                has_kernels: own.has.kernels,
                container: 0,
                member: name,
                host: None,
                sample: None,
            }],
            ..Images::default()
        })
    }
}
