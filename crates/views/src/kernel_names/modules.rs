//! The modules of an intermediate representation, selected like kernels.

use std::rc::Rc;

use foldhash::HashSet;
use zeview_core::analysis::images::Image;
use zeview_core::analysis::module_text::ModuleText;
use zeview_core::model::text::place_text;
use zeview_core::model::{Document, NodeId};

use super::collect::{images, opened};
use super::{Build, KernelForms, KernelNameError, KernelQuery, Reason, find};

/// A module.
pub struct Module {
    /// Its node: a document, or a section of one.
    pub node: NodeId,
    /// Its path; empty for the file.
    pub path: String,
    /// What tells it apart from others: file, image, archive member; empty for the file.
    pub place: String,
    /// Its text.
    pub text: Rc<dyn ModuleText>,
}

impl Module {
    /// Formats its path, and what tells it apart from others: `image 3 (image 3 · kernels.spv)`.
    pub fn title(&self) -> String {
        match (&*self.path, &*self.place) {
            (path, "") => path.to_owned(),
            ("", place) => place.to_owned(),
            (path, place) if path == place => path.to_owned(),
            (path, place) => format!("{path} ({place})"),
        }
    }
}

/// Returns the modules in the files and images that a query names; with the name of a kernel, those
/// that have the kernel.
///
/// # Errors
///
/// If no kernel has the name, or no device, file or path.
pub fn modules(
    document: &mut Document,
    query: &KernelQuery,
) -> Result<Vec<Module>, KernelNameError> {
    let mut found = Vec::new();
    let mut seen = HashSet::default();
    let mut add = |document: &mut Document, node: NodeId, place: &dyn Fn() -> String| {
        for (node, text) in document.module_texts(node) {
            if seen.insert(node) {
                found.push(Module {
                    node,
                    path: document.path(node),
                    place: place(),
                    text,
                });
            }
        }
    };
    if !query.name.trim().is_empty() {
        let query = KernelQuery {
            forms: KernelForms::All,
            ..query.clone()
        };
        for build in find(document, &query)? {
            for module in modules_of(document, &build) {
                if seen.insert(module.node) {
                    found.push(module);
                }
            }
        }
        return Ok(found);
    }
    if let Some(path) = &query.path {
        let nodes = document.find_all(path);
        let nodes =
            nodes.map_err(|error| KernelNameError::new(query, Reason::Path(error.to_string())))?;
        for node in nodes {
            add(document, node, &String::new);
            document.open_files(node);
            for image in document.images(node).list {
                add_image(document, &image, query, &mut add);
            }
        }
        return Ok(found);
    }
    let images = images(document, query);
    for image in &images {
        add_image(document, image, query, &mut add);
    }
    if images.is_empty() && query.image.is_none() {
        add(document, NodeId::ROOT, &String::new);
    }
    Ok(found)
}

/// Returns the modules with a kernel of which there is a build: those in its document, or else the
/// nearest ones: in its image, as an archive has them beside its members, in its file, anywhere.
pub fn modules_of(document: &mut Document, build: &Build) -> Vec<Module> {
    // A damaged module may lack the function.
    if build.code.is_none() {
        return beside(document, build);
    }
    let own = with_kernel(document, build);
    if !own.is_empty() {
        return own;
    }
    let named = KernelQuery::named(build.name.clone());
    let in_file = KernelQuery {
        file: (!build.file.is_empty()).then(|| build.file.to_string()),
        ..named.clone()
    };
    let in_image = KernelQuery {
        image: (!build.image.is_empty()).then(|| build.image.clone()),
        ..in_file.clone()
    };
    let mut queries = vec![in_image, in_file, named];
    queries.dedup();
    for query in queries {
        let mut found = Vec::new();
        for other in find(document, &query).unwrap_or_default() {
            if other.document != build.document {
                found.extend(with_kernel(document, &other));
            }
        }
        if !found.is_empty() {
            return found;
        }
    }
    Vec::new()
}

/// Returns the modules in the document of a build that have its kernel.
fn with_kernel(document: &mut Document, build: &Build) -> Vec<Module> {
    let mut found = beside(document, build);
    found.retain(|module| {
        let functions = module.text.functions_of(&build.name, &document.sources);
        !functions.is_empty()
    });
    found
}

/// Returns the modules in the document of a build.
fn beside(document: &mut Document, build: &Build) -> Vec<Module> {
    let modules = document.module_texts(build.document).into_iter();
    let module = |(node, text)| Module {
        node,
        path: document.path(node),
        place: place_text([&*build.file, &*build.image, &*build.member]),
        text,
    };
    modules.map(module).collect()
}

/// Adds the modules of a document; the function formats its place.
type Add<'a> = dyn FnMut(&mut Document, NodeId, &dyn Fn() -> String) + 'a;

fn add_image(document: &mut Document, image: &Image, query: &KernelQuery, add: &mut Add<'_>) {
    let place = |member: &str| place_text([&*image.file, &*image.name, member]);
    let is_meant = |member: &str, path: &str| query.is_image([&image.name, member, path]);
    if image.host.is_none() {
        if let Some(node) = document.node_of(image)
            && is_meant("", &image.path)
        {
            add(document, node, &|| place(""));
        }
        return;
    }
    // Without opening it, an image with another number is not the wanted one.
    let is_other = !is_meant("", &image.path);
    let is_number = query.image.as_ref().is_some_and(|name| {
        name.starts_with("image ") || name.bytes().all(|byte| byte.is_ascii_digit())
    });
    if is_other && is_number {
        return;
    }
    let within = opened(document, image);
    let within = if within.is_empty() {
        let node = document.node_of(image);
        node.map(|node| (node, String::new())).into_iter().collect()
    } else {
        within
    };
    for (node, member) in within {
        if is_meant(&member, &image.path) {
            add(document, node, &|| place(&member));
        }
    }
}
