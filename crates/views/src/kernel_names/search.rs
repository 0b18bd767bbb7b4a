//! The search for the builds of a kernel.

use std::rc::Rc;

use foldhash::HashSet;
use zeview_analysis::profile::{base_name, canonical};
use zeview_core::analysis::host_images::HostImage;
use zeview_core::analysis::images::Image;
use zeview_core::analysis::kernels::PLACEHOLDER;
use zeview_core::model::suggest::similarity;
use zeview_core::model::{Document, NodeId, Str, is_pattern, matches_pattern};

use super::collect::{KnownNames, images, opened};
use super::message::{KernelNameError, Reason};
use super::{Build, CODE, KernelForms, KernelQuery, SPIRV};

/// Maximum number of builds.
const BUILDS_MAX: usize = 100_000;

/// Maximum number of suggested names.
const SUGGESTIONS: usize = 3;

/// Maximum number of bytes of code that are compared to find copies.
const COMPARED: u64 = 64 << 20;

/// Returns the builds of the kernels that a query names, in the order of the file. Builds that are
/// copies of an earlier one are left out.
///
/// # Errors
///
/// If there are none: [`KernelNameError`] has the reason, and suggestions.
pub fn find(document: &mut Document, query: &KernelQuery) -> Result<Vec<Build>, KernelNameError> {
    let device = Device::of(query, document)?;
    let typed = query.name.trim();
    let mut search = Search::new(document, query, device)?;
    let mut found = search.exactly(document, &[typed]);
    if found.is_empty() {
        let names = named(typed, query, document);
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        if !names.is_empty() {
            search.known = Some(KnownNames::of(document));
            found = search.exactly(document, &names);
        }
    }
    search.result(document, found)
}

/// Returns the only build that a query names.
///
/// # Errors
///
/// If there is none, or several.
pub fn one(document: &mut Document, query: &KernelQuery) -> Result<Build, KernelNameError> {
    let found = find(document, query)?;
    match found.split_first() {
        // A damaged file may have several sections of the same name.
        Some((first, others)) if others.iter().all(|other| other.is_same_kernel(first)) => {
            Ok(first.clone())
        }
        _ => Err(KernelNameError::new(query, Reason::Several(found))),
    }
}

/// Returns all builds with native code in the files and images that a query names, whatever their
/// names.
///
/// # Errors
///
/// If there are none.
pub fn all(document: &mut Document, query: &KernelQuery) -> Result<Vec<Build>, KernelNameError> {
    let device = Device::of(query, document)?;
    let mut search = Search::new(document, query, device)?;
    let found = search.builds(document, None);
    search.result(document, found)
}

/// The device of a query.
struct Device {
    /// The name that was given, and the device's own name.
    names: [String; 2],
}

impl Device {
    fn of(query: &KernelQuery, document: &Document) -> Result<Option<Device>, KernelNameError> {
        let Some(typed) = &query.device else {
            return Ok(None);
        };
        let driver = document.driver();
        let name = driver.and_then(|driver| driver.device_named(typed));
        let is_spirv = typed.eq_ignore_ascii_case(SPIRV);
        match name {
            None if !is_spirv
                && driver.is_some()
                && !document.devices().contains(&typed.as_str().into()) =>
            {
                let near = driver.and_then(|driver| driver.similar_device(typed));
                let near = near.into_iter().collect();
                Err(KernelNameError::new(query, Reason::NoDevice(near)))
            }
            name => Ok(Some(Device {
                names: [
                    if is_spirv {
                        SPIRV.to_owned()
                    } else {
                        typed.clone()
                    },
                    name.map_or_else(|| typed.clone(), |name| name.to_string()),
                ],
            })),
        }
    }

    fn is(&self, device: &str) -> bool {
        self.names.iter().any(|name| name == device)
    }
}

struct Search<'a> {
    query: &'a KernelQuery,
    device: Option<Device>,
    images: Vec<Image>,
    /// The documents at the path of the query.
    within: Option<Vec<NodeId>>,
    /// The names of all kernels, if they were collected. Then, kernels of SPIR-V beside native code are
    /// searched, too.
    known: Option<Rc<KnownNames>>,
    /// The builds that have the name, but not the device or image.
    excluded: Vec<Build>,
}

impl<'a> Search<'a> {
    fn new(
        document: &mut Document,
        query: &'a KernelQuery,
        device: Option<Device>,
    ) -> Result<Search<'a>, KernelNameError> {
        let within = match &query.path {
            Some(path) => {
                let found = document.find_all(path);
                let found = found.map_err(|error| {
                    KernelNameError::new(query, Reason::Path(error.to_string()))
                })?;
                Some(found)
            }
            None => None,
        };
        let images = match within {
            Some(_) => Vec::new(),
            None => images(document, query),
        };
        Ok(Search {
            query,
            device,
            images,
            within,
            known: None,
            excluded: Vec::new(),
        })
    }

    /// Returns the builds of the kernels with one of these names in the file.
    fn exactly(&mut self, document: &mut Document, names: &[&str]) -> Vec<Build> {
        let names: HashSet<&str> = names
            .iter()
            .copied()
            .filter(|name| !name.is_empty())
            .collect();
        self.builds(document, Some(&names))
    }

    /// Returns the builds with one of these names, or all.
    fn builds(&mut self, document: &mut Document, names: Option<&HashSet<&str>>) -> Vec<Build> {
        self.excluded.clear();
        let mut found = Vec::new();
        if let Some(within) = self.within.clone() {
            for node in within {
                self.add_within(node, names, document, &mut found);
            }
            return found;
        }
        for image in std::mem::take(&mut self.images) {
            if found.len() < BUILDS_MAX {
                self.add_image(&image, names, document, &mut found);
            }
            self.images.push(image);
        }
        found
    }

    /// Adds the builds in the document at a path: those of a container's images, or its own.
    fn add_within(
        &mut self,
        node: NodeId,
        names: Option<&HashSet<&str>>,
        document: &mut Document,
        found: &mut Vec<Build>,
    ) {
        if document.kernels(node).is_some() {
            let (image, device) = document.image_text(node);
            let place = Build {
                image,
                device,
                ..Build::at(node)
            };
            return self.add_document(place, names, document, found);
        }
        document.open_files(node);
        for image in document.images(node).list {
            self.add_image(&image, names, document, found);
        }
    }

    fn add_image(
        &mut self,
        image: &Image,
        names: Option<&HashSet<&str>>,
        document: &mut Document,
        found: &mut Vec<Build>,
    ) {
        let place = Build {
            file: image.file.clone(),
            image: image.name.clone(),
            device: image.device().to_owned().into(),
            ..Build::at(NodeId::ROOT)
        };
        let Some(host) = &image.host else {
            if let Some(node) = document.node_of(image) {
                let (_, device) = document.image_text(node);
                let place = Build {
                    document: node,
                    device,
                    ..place
                };
                self.add_document(place, names, document, found);
            }
            return;
        };
        let Some(entry) = host.index_entry(&document.sources) else {
            return;
        };
        let described = entry.described.as_ref();
        let listed: Vec<String> = described.map_or_else(Vec::new, |described| {
            let entries = described.entries.iter();
            let is_wanted = |name: &str| names.is_none_or(|names| names.contains(name));
            let names = entries.map(|entry| &entry.name);
            names.filter(|name| is_wanted(name)).cloned().collect()
        });
        let is_complete =
            described.is_some_and(|found| found.left_out == 0 && !found.entries.is_empty());
        // No index lists it.
        let is_placeholder = names.is_some_and(|names| names.contains(PLACEHOLDER));
        let is_elsewhere = is_complete && listed.is_empty() && !is_placeholder;
        if entry.is_foreign() || is_elsewhere && self.query.image.is_none() {
            return;
        }
        let place = Build {
            options: described.map_or_else(String::new, |found| found.compile_options.clone()),
            ..place
        };
        if HostImage::is_native(entry) {
            // Without opening it, an image with another name is not the wanted one.
            let is_other = !self.query.is_image([&image.name, &image.path, &image.path]);
            if is_other
                && self
                    .query
                    .image
                    .as_ref()
                    .is_some_and(|name| name.starts_with("image "))
            {
                return;
            }
            for (node, member) in opened(document, image) {
                let (_, device) = document.image_text(node);
                let place = Build {
                    document: node,
                    member,
                    device,
                    ..place.clone()
                };
                self.add_document(place, names, document, found);
            }
            return;
        }
        let Some(node) = document.node_of(image).filter(|_| !listed.is_empty()) else {
            return;
        };
        for name in listed {
            let build = Build {
                name,
                document: node,
                path: image.path.clone(),
                device: SPIRV.into(),
                ..place.clone()
            };
            self.add(build, found);
        }
    }

    /// Adds the builds in a document with kernels.
    fn add_document(
        &mut self,
        place: Build,
        names: Option<&HashSet<&str>>,
        document: &mut Document,
        found: &mut Vec<Build>,
    ) {
        let node = place.document;
        let is_wanted = |name: &str| names.is_none_or(|names| names.contains(name));
        let Some(kernels) = document.kernels(node) else {
            return;
        };
        let assembly = document.assembly(node);
        let sections = assembly.map(|assembly| assembly.sections());
        let sections = sections.as_deref().unwrap_or_default();
        let code = sections.iter().filter_map(|section| {
            let name = section.name.strip_prefix(CODE)?;
            is_wanted(name).then(|| (name.to_owned(), Some(section.bytes), place.device.clone()))
        });
        let mut builds: Vec<(String, _, Str)> = code.collect();
        let sources = &document.sources;
        let mut rows = Vec::new();
        if sections.is_empty() {
            let is_spirv = document.is_spirv(node);
            let device = if is_spirv {
                SPIRV.into()
            } else {
                place.device.clone()
            };
            rows.push((kernels.rows(sources), device));
        }
        if self.known.is_some() && builds.is_empty() {
            let only = kernels.only_spirv(sources);
            rows.extend(only.map(|kernels| (kernels.rows(sources), SPIRV.into())));
        }
        for (rows, device) in rows {
            for row in rows.iter().filter(|row| is_wanted(&row.name.value)) {
                builds.push((row.name.value.clone(), None, device.clone()));
            }
        }
        if builds.is_empty() {
            return;
        }
        let path = document.path(node);
        for (name, code, device) in builds {
            let build = Build {
                name,
                code,
                device,
                path: path.clone(),
                ..place.clone()
            };
            self.add(build, found);
        }
    }

    fn add(&mut self, build: Build, found: &mut Vec<Build>) {
        let known = self.known.as_ref();
        let short = known.and_then(|known| known.short().get(&build.name));
        let build = Build {
            title: short.unwrap_or(&build.name).to_owned(),
            ..build
        };
        let needs_code = self.query.forms == KernelForms::Code;
        if needs_code && build.code.is_none() {
            self.excluded.push(build);
            return;
        }
        let device = self.device.as_ref();
        let is_wanted = device.is_none_or(|device| device.is(&build.device))
            && self
                .query
                .is_image([&build.image, &build.member, &build.path]);
        if is_wanted {
            found.push(build);
        } else {
            self.excluded.push(build);
        }
    }

    fn result(
        self,
        document: &mut Document,
        mut found: Vec<Build>,
    ) -> Result<Vec<Build>, KernelNameError> {
        if self.query.forms == KernelForms::CodeOrSpirv {
            let with_code: HashSet<String> = found
                .iter()
                .filter(|build| build.code.is_some())
                .map(|build| build.name.clone())
                .collect();
            found.retain(|build| build.code.is_some() || !with_code.contains(&build.name));
        }
        if !found.is_empty() {
            without_copies(&mut found, document);
            return Ok(found);
        }
        let query = self.query;
        let reason = if !self.excluded.is_empty() {
            let (spirv, native): (Vec<Build>, Vec<Build>) = self
                .excluded
                .into_iter()
                .partition(|build| query.forms == KernelForms::Code && build.code.is_none());
            if native.is_empty() {
                Reason::NoCode(spirv)
            } else {
                Reason::NotHere(native)
            }
        } else {
            let known = KnownNames::of(document);
            if query.file.is_some() && known.names(query).next().is_none() {
                let file = query.file.as_deref().unwrap_or_default();
                Reason::NoFile(known.files_like(file))
            } else if known.names(&KernelQuery::default()).next().is_none() {
                Reason::NoKernels
            } else {
                Reason::NoName(suggestions(query, &known))
            }
        };
        Err(KernelNameError::new(query, reason))
    }
}

impl Build {
    fn is_same_kernel(&self, other: &Build) -> bool {
        self.document == other.document && self.name == other.name
    }

    /// Creates a build in a document, of which nothing else is known.
    fn at(document: NodeId) -> Build {
        Build {
            name: String::new(),
            title: String::new(),
            document,
            path: String::new(),
            code: None,
            file: Str::default(),
            image: String::new(),
            member: String::new(),
            device: Str::default(),
            options: String::new(),
        }
    }
}

/// Returns the names in the file that a demangled name, a short name or a pattern means.
fn named(typed: &str, query: &KernelQuery, document: &mut Document) -> Vec<String> {
    if typed.is_empty() {
        return Vec::new();
    }
    let known = KnownNames::of(document);
    let matching = |is: &dyn Fn(&str, Option<&str>) -> bool| -> Vec<String> {
        let mut seen = HashSet::default();
        let names = known.names(query);
        let names = names.filter(|(name, demangled)| is(name, demangled.as_deref()));
        let names = names.map(|(name, _)| name);
        names.filter(|name| seen.insert(*name)).cloned().collect()
    };
    // Profiles add sizes to names.
    let base = base_name(typed);
    let plain = canonical(base);
    let mut found = matching(&|name, demangled| {
        name == base || demangled.is_some_and(|text| text == base || canonical(text) == plain)
    });
    if found.is_empty() {
        found = matching(&|name, _| known.short().get(name) == Some(typed));
    }
    if found.is_empty() {
        let names = known.with_short_in_file(typed, query);
        let mut seen = HashSet::default();
        let names = names.map(|(name, _)| name);
        found = names.filter(|name| seen.insert(*name)).cloned().collect();
    }
    if found.is_empty() && is_pattern(typed) {
        found = matching(&|name, demangled| {
            matches_pattern(name, typed)
                || demangled.is_some_and(|text| matches_pattern(text, typed))
        });
    }
    if found.is_empty() && is_pattern(typed) {
        found = matching(&|name, _| {
            let short = known.short().get(name);
            short.is_some_and(|short| matches_pattern(short, typed))
        });
    }
    found
}

/// Returns names that are similar to one that no kernel has, the nearest first.
fn suggestions(query: &KernelQuery, known: &KnownNames) -> Vec<String> {
    let typed = query.name.trim();
    let mut near: Vec<(usize, usize, &str)> = Vec::new();
    for (name, demangled) in known.names(query) {
        let short = known.short().get(name).unwrap_or(name);
        let forms = [Some(short), Some(&**name), demangled.as_deref()];
        let apart = forms
            .into_iter()
            .flatten()
            .filter_map(|form| similarity(typed, form));
        if let Some(apart) = apart.min() {
            near.push((apart, short.len(), short));
        }
    }
    zeview_core::model::sort::ascending(&mut near);
    near.dedup();
    let near = near.into_iter().take(SUGGESTIONS);
    near.map(|(_, _, short)| short.to_owned()).collect()
}

/// Removes builds with the same name, device and bytes as an earlier one.
fn without_copies(found: &mut Vec<Build>, document: &Document) {
    let mut left = COMPARED;
    let mut kept: Vec<Build> = Vec::new();
    for build in std::mem::take(found) {
        let code = build.code;
        let whole = |build: &Build| document.node(build.document)?.span;
        let len = code.map_or(0, |code| code.len());
        let is_copy = |other: &Build| {
            let (Some(one), Some(two)) = (whole(&build), whole(other)) else {
                return false;
            };
            let is_same = other.document != build.document
                && other.name == build.name
                && other.device == build.device
                && other.options == build.options
                && one.len() == two.len()
                && other.code.map(|code| code.len()) == code.map(|code| code.len());
            let sources = &document.sources;
            let equal = |one, two| match (sources.read(one), sources.read(two)) {
                (Ok(one), Ok(two)) => *one == *two,
                _ => false,
            };
            is_same
                && match (code, other.code) {
                    (Some(one), Some(two)) => equal(one, two),
                    _ => true,
                }
                && equal(one, two)
        };
        let is_compared = len <= left && code.is_some() && kept.len() < 1024;
        if is_compared && kept.iter().any(is_copy) {
            left = left.saturating_sub(len);
            continue;
        }
        kept.push(build);
    }
    *found = kept;
}
