//! The images of a file, and the names of all kernels in them.

use std::cell::OnceCell;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};
use zeview_analysis::naming::{NameSet, ShortNames};
use zeview_core::analysis::images::Image;
use zeview_core::analysis::package_reading::OpenedFile;
use zeview_core::model::suggest::similarity;
use zeview_core::model::{Document, NodeId, Str};

use super::{CODE, KernelName, KernelQuery, index_names};

/// Returns the images in the files that the query names, without opening those that the index of a
/// library lists.
pub(super) fn images(document: &mut Document, query: &KernelQuery) -> Vec<Image> {
    let Some(mut reading) = document.package_reading(NodeId::ROOT) else {
        let whole = OpenedFile {
            node: NodeId::ROOT,
            path: Str::default(),
        };
        return document.images_of_file(&whole).list;
    };
    reading.only(|file| query.may_be_in(file));
    let mut images = Vec::new();
    while reading.has_more() {
        if let Some(file) = reading.step(document)
            && query.is_in_file(&file.path)
        {
            images.extend(document.images_of_file(&file).list);
        }
    }
    images
}

/// Returns the documents in an image of a library, after decompression, each with its archive member.
pub(super) fn opened(document: &mut Document, image: &Image) -> Vec<(NodeId, String)> {
    let within = document.images_within(image.span).unwrap_or_default().list;
    let is_one = within.len() == 1;
    let documents = within.into_iter().filter_map(|inner| {
        let node = document.document_at(inner.span)?;
        let member = if is_one {
            String::new()
        } else {
            inner.member.to_string()
        };
        Some((node, member))
    });
    documents.collect()
}

/// The names of all kernels of a file.
pub(super) struct KnownNames {
    /// The names in each file of a package; one entry for other files.
    files: Vec<FileNames>,
    /// The short names in lists of the whole file.
    short: OnceCell<ShortNames>,
}

/// The names of the kernels in a file of a package.
#[derive(Default)]
struct FileNames {
    /// The file; empty for the opened one.
    file: Str,
    /// The names whose short names do not depend on others: those in the index of a library, or of
    /// all kernels.
    kernels: Vec<KernelName>,
    /// Further names: of functions, and of kernels that the index does not list.
    others: Vec<KernelName>,
    seen: HashSet<String>,
    /// The short names in lists of this file alone.
    short: OnceCell<ShortNames>,
}

impl FileNames {
    fn add(&mut self, (name, demangled): KernelName, is_kernel: bool) {
        if self.seen.insert(name.clone()) {
            let list = if is_kernel {
                &mut self.kernels
            } else {
                &mut self.others
            };
            list.push((name, demangled));
        }
    }

    fn all(&self) -> impl Iterator<Item = &KernelName> {
        self.kernels.iter().chain(&self.others)
    }

    fn short(&self) -> &ShortNames {
        self.short.get_or_init(|| short_names(&[self]))
    }
}

fn short_names(files: &[&FileNames]) -> ShortNames {
    let kernels = files.iter().flat_map(|file| file.kernels.iter());
    let mut set = NameSet::default();
    for (name, demangled) in kernels.map(pair) {
        set.add(name, demangled);
    }
    let all = files.iter().flat_map(|file| file.all());
    ShortNames::extending(Rc::new(set.short_names()), all.map(pair))
}

fn pair((name, demangled): &KernelName) -> (&str, Option<&str>) {
    (name, demangled.as_deref())
}

/// The names that were collected from a whole file.
struct Collected(Rc<KnownNames>);

impl KnownNames {
    /// Returns the names of all kernels of the file; collected once.
    pub(super) fn of(document: &mut Document) -> Rc<KnownNames> {
        if let Some(known) = document.extensions.get::<Collected>() {
            return Rc::clone(&known.0);
        }
        let mut files: Vec<FileNames> = Vec::new();
        let mut by_file: HashMap<Str, usize> = HashMap::default();
        for image in images(document, &KernelQuery::default()) {
            let next = files.len();
            let at = *by_file.entry(image.file.clone()).or_insert(next);
            if at == next {
                files.push(FileNames {
                    file: image.file.clone(),
                    ..FileNames::default()
                });
            }
            if let Some(names) = files.get_mut(at) {
                add_image(&image, names, document);
            }
        }
        let known = Rc::new(KnownNames {
            files,
            short: OnceCell::new(),
        });
        document.extensions.insert(Collected(Rc::clone(&known)));
        known
    }

    /// Returns the names in the files that the query names, each with those in the file only.
    pub(super) fn names<'a>(
        &'a self,
        query: &'a KernelQuery,
    ) -> impl Iterator<Item = &'a KernelName> {
        let files = self
            .files
            .iter()
            .filter(|file| query.is_in_file(&file.file));
        files.flat_map(FileNames::all)
    }

    /// Returns the path of the file that is most similar to a typed one, or that has the most similar name.
    pub(super) fn files_like(&self, typed: &str) -> Vec<String> {
        let paths = self.files.iter().map(|file| &*file.file);
        let near = paths.filter_map(|path| {
            let name = path.rsplit('/').next().unwrap_or(path);
            let forms = [path, name].into_iter();
            let apart = forms.filter_map(|form| similarity(typed, form)).min()?;
            Some((apart, path.len(), path))
        });
        let nearest = near.min().map(|(_, _, path)| path.to_owned());
        nearest.into_iter().collect()
    }

    /// Returns the short names in lists of the whole file.
    pub(super) fn short(&self) -> &ShortNames {
        self.short.get_or_init(|| {
            let files: Vec<&FileNames> = self.files.iter().collect();
            short_names(&files)
        })
    }

    /// Returns the names that have a short name in lists of one of the files alone.
    pub(super) fn with_short_in_file<'a>(
        &'a self,
        short: &'a str,
        query: &'a KernelQuery,
    ) -> impl Iterator<Item = &'a KernelName> {
        let files = self
            .files
            .iter()
            .filter(|file| !file.file.is_empty() && query.is_in_file(&file.file));
        files.flat_map(move |file| {
            let names = file.all();
            names.filter(move |(name, _)| file.short().get(name) == Some(short))
        })
    }
}

/// Adds the names of the kernels in an image. Opens it only if no index has them.
fn add_image(image: &Image, names: &mut FileNames, document: &mut Document) {
    if let Some(known) = index_names(image, document).filter(|known| !known.is_empty()) {
        for name in known {
            names.add(name, true);
        }
        return;
    }
    if image.host.is_some() {
        for (node, _) in opened(document, image) {
            add_document(node, names, document);
        }
    } else if let Some(node) = document.node_of(image) {
        add_document(node, names, document);
    }
}

fn add_document(node: NodeId, names: &mut FileNames, document: &mut Document) {
    // In a library, the short names depend on the index only.
    let is_listed = !document.summary.has.host;
    let Some(kernels) = document.kernels(node) else {
        return;
    };
    let sources = &document.sources;
    let only_spirv = kernels.only_spirv(sources);
    let spirv = only_spirv.map(|kernels| kernels.rows(sources));
    for rows in [Some(kernels.rows(sources)), spirv].into_iter().flatten() {
        for row in rows.iter() {
            let name = (row.name.value.clone(), row.demangled.clone());
            names.add(name, is_listed && !row.is_function);
        }
    }
    let assembly = document.assembly(node);
    let sections = assembly.map(|assembly| assembly.sections());
    for section in sections.iter().flat_map(|sections| sections.iter()) {
        if let Some(name) = section.name.strip_prefix(CODE) {
            names.add((name.to_owned(), None), false);
        }
    }
}
