//! The images in the files of a package.

use super::images::{Container, Image, Images, short};
use super::package_reading::OpenedFile;
use crate::model::{Document, NodeId, Str};

/// The location of a container in a package; empty outside of packages.
#[derive(Debug, Clone, Default)]
pub(super) struct PackagePlace {
    /// The node of the container, if it is a package itself.
    pub(super) package: Option<NodeId>,
    /// The file of the package.
    pub(super) file: Str,
    /// The path of the file's document.
    pub(super) path: String,
}

impl PackagePlace {
    /// Returns the name of an image with this path.
    pub(super) fn name_of(&self, path: &str) -> String {
        let within = path.strip_prefix(&*self.path);
        match within.map(|within| within.trim_start_matches('/')) {
            // The file itself is the image.
            Some("") if !self.path.is_empty() => {
                let name = self.file.rsplit('/').next();
                name.unwrap_or_default().to_owned()
            }
            Some(within) => short(within),
            None => short(path),
        }
    }
}

impl Images {
    /// Adds the images of another container.
    pub fn append(&mut self, other: Images) {
        let (first, first_sample) = (self.containers.len(), self.samples.len());
        let containers = other.containers.into_iter().map(|container| Container {
            around: container.around.map(|around| around.saturating_add(first)),
            ..container
        });
        self.containers.extend(containers);
        let images = other.list.into_iter().map(|image| Image {
            container: image.container.saturating_add(first),
            sample: image.sample.map(|at| at.saturating_add(first_sample)),
            ..image
        });
        self.list.extend(images);
        self.samples.extend(other.samples);
        self.left_out = self.left_out.saturating_add(other.left_out);
    }
}

impl Document {
    /// Returns the images of a file of a package, or the file itself if it is device code.
    pub fn images_of_file(&mut self, file: &OpenedFile) -> Images {
        let mut images = self.images(file.node);
        if images.list.is_empty() {
            images = self.image_itself(file.node).unwrap_or_default();
            for image in &mut images.list {
                let name = file.path.rsplit('/').next();
                image.name = name.unwrap_or_default().to_owned();
            }
        }
        for image in &mut images.list {
            image.file = file.path.clone();
        }
        images
    }

    /// Returns the location of a document in the container `outer`, or of the container whose
    /// images are listed.
    pub(super) fn package_place(
        &mut self,
        node: NodeId,
        outer: Option<PackagePlace>,
    ) -> PackagePlace {
        let package = self.package_files(node).map(|_| node);
        let Some(outer) = outer else {
            // A file of a package whose images are listed on their own.
            let is_within = self.summary.has.package && node != NodeId::ROOT;
            return PackagePlace {
                package,
                file: Str::default(),
                path: if is_within {
                    self.path(node)
                } else {
                    String::new()
                },
            };
        };
        match outer.package {
            Some(around) => {
                let parent = |id: &NodeId| self.node(*id)?.parent;
                let mut nodes = std::iter::successors(Some(node), parent);
                let item = nodes.find(|id| parent(id) == Some(around));
                let name = item
                    .and_then(|id| self.node(id))
                    .map(|item| item.name.clone());
                let name = name.unwrap_or_default();
                PackagePlace {
                    package,
                    file: match &*outer.file {
                        "" => name,
                        outer => format!("{outer}/{name}").into(),
                    },
                    path: self.path(node),
                }
            }
            None => PackagePlace { package, ..outer },
        }
    }
}
