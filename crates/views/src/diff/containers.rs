//! Modules of SYCLBINs and images of host binaries: matched by exports and target.

use std::collections::{BTreeMap, HashMap};

use super::entry::{BYTES_KEPT, Change, Entry, Field, FieldValue, Part, Side};
use super::{Comparand, Comparer, Sides};
use zeview_core::analysis::host_images::{EXPORTED, HostImage, HostImages};
use zeview_core::analysis::modules::{
    Image, ModuleGraph, Modules, Property, PropertyOwner, PropertySet, PropertyValue,
};
use zeview_core::model::{Node, Span, sort};

/// An item with properties: a module or an image.
struct PropertyBearer {
    /// Its name in its file.
    name: String,
    /// The properties that must be equal: target, kind.
    kind: String,
    /// Its exports.
    exports: Vec<String>,
    /// Its values: key, value, bytes.
    values: Vec<(&'static str, FieldValue, Option<Span>)>,
    properties: Vec<PropertySet>,
    /// Its bytes in the file.
    bytes: Option<Span>,
    /// The bytes that represent it.
    place: Span,
}

/// The property set with the names of a module's kernels.
const KERNEL_NAMES: &str = "SYCL/kernel names";

/// Returns the exports of a module or an image: the kernels and functions that its properties name.
fn exports(sets: &[PropertySet]) -> Vec<String> {
    let named = sets
        .iter()
        .filter(|set| set.name == EXPORTED || set.name == KERNEL_NAMES);
    let mut names: Vec<String> = named
        .flat_map(|set| set.entries.iter().map(|entry| entry.key.clone()))
        .collect();
    sort::ascending(&mut names);
    names
}

impl Comparer<'_> {
    /// Compares the modules of two SYCLBINs.
    pub(super) fn modules(
        &mut self,
        (a, b): (&Node, &Node),
        modules: (&dyn Modules, &dyn Modules),
        at: u32,
    ) {
        let graphs = (
            modules.0.graph(&self.a.sources),
            modules.1.graph(&self.b.sources),
        );
        let mut fields = Vec::new();
        let sides = (graphs.0.version, graphs.1.version);
        if sides.0.value != sides.1.value {
            fields.push(Field {
                key: "version".to_owned(),
                path: "version".to_owned(),
                from: Some(Side::new(FieldValue::count(sides.0.value), sides.0.span)),
                to: Some(Side::new(FieldValue::count(sides.1.value), sides.1.span)),
            });
        }
        if !fields.is_empty() {
            let entry = Entry::new(Part::Attribute, Change::Changed, at, "SYCLBIN");
            self.push(entry.at(a.span, b.span).with(fields));
        }
        let whole = |modules: &dyn Modules, document: &zeview_core::model::Document| {
            modules.properties(PropertyOwner::Whole, &document.sources)
        };
        let sets = (whole(modules.0, self.a), whole(modules.1, self.b));
        self.property_sets("", (&sets.0, &sets.1), at);
        let things = (
            self.abstract_modules(Comparand::A, modules.0, &graphs.0),
            self.abstract_modules(Comparand::B, modules.1, &graphs.1),
        );
        for (one, other) in matched(&things.0, &things.1) {
            self.matched_items(Part::Module, (&things.0, one), (&things.1, other), at);
        }
        // Modules may share images: each is compared once, for its first module.
        let images = (
            self.module_images(Comparand::A, modules.0, &graphs.0, &things.0),
            self.module_images(Comparand::B, modules.1, &graphs.1, &things.1),
        );
        for (one, other) in matched(&images.0, &images.1) {
            self.matched_items(Part::Image, (&images.0, one), (&images.1, other), at);
        }
    }

    fn abstract_modules(
        &mut self,
        which: Comparand,
        modules: &dyn Modules,
        graph: &ModuleGraph,
    ) -> Vec<PropertyBearer> {
        let mut things = Vec::new();
        for module in &graph.abstract_modules {
            let owner = PropertyOwner::AbstractModule(module.index);
            let properties = modules.properties(owner, &self.document(which).sources);
            self.work.spend(64 + module.metadata.len());
            things.push(PropertyBearer {
                name: format!("abstract module {}", module.index),
                kind: String::new(),
                exports: exports(&properties),
                values: Vec::new(),
                properties,
                bytes: None,
                place: module.header,
            });
        }
        things
    }

    /// Returns the IR modules and native images of all abstract modules. An image has the exports
    /// of its module.
    fn module_images(
        &mut self,
        which: Comparand,
        modules: &dyn Modules,
        graph: &ModuleGraph,
        of: &[PropertyBearer],
    ) -> Vec<PropertyBearer> {
        let number = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        let ir = graph.ir_modules.iter().enumerate();
        let ir = ir.map(|(at, image)| (image, PropertyOwner::IrModule(number(at))));
        let native = graph.native_images.iter().enumerate();
        let native = native.map(|(at, image)| (image, PropertyOwner::NativeImage(number(at))));
        let mut first: HashMap<PropertyOwner, u32> = HashMap::new();
        for module in graph.abstract_modules.iter().rev() {
            let ir = module.ir_modules.clone().map(PropertyOwner::IrModule);
            let native = module.native_images.clone().map(PropertyOwner::NativeImage);
            self.work
                .spend((module.ir_modules.len() + module.native_images.len()) as u64);
            if self.work.is_over() {
                break;
            }
            first.extend(ir.chain(native).map(|owner| (owner, module.index)));
        }
        let mut things = Vec::new();
        for (image, owner) in ir.chain(native) {
            let properties = modules.properties(owner, &self.document(which).sources);
            self.work.spend(64 + image.metadata.len());
            if self.work.is_over() {
                break;
            }
            let mut values = image_values(image);
            let words: Vec<String> = values.iter().map(|(_, value, _)| value.text()).collect();
            // Values of properties are compared there.
            let is_property = |key: &str| {
                let mut entries = properties.iter().flat_map(|set| &set.entries);
                entries.any(|entry| entry.key == key || key == "ir_type" && entry.key == "type")
            };
            values.retain(|(key, ..)| !is_property(key));
            let (kind, title) = match owner {
                PropertyOwner::IrModule(at) => ("IR", format!("IR module {at}")),
                PropertyOwner::NativeImage(at) => {
                    ("native", format!("native device code image {at}"))
                }
                _ => ("", String::new()),
            };
            let module = first.get(&owner);
            let module = module.and_then(|at| of.get(usize::try_from(*at).ok()?));
            let exports = module.map_or(0, |m| m.exports.iter().map(String::len).sum::<usize>());
            self.work.spend(exports as u64);
            things.push(PropertyBearer {
                name: title,
                kind: format!("{kind} {}", words.join(" ")),
                exports: module.map_or_else(Vec::new, |module| module.exports.clone()),
                values,
                properties,
                bytes: Some(image.bytes),
                place: image.place(),
            });
        }
        things
    }

    /// Compares the images of two host binaries, or of two OffloadBinaries. Returns their bytes.
    pub(super) fn images(
        &mut self,
        images: (&dyn HostImages, &dyn HostImages),
        at: u32,
    ) -> Sides<Vec<Span>> {
        let all = (
            self.host_images(Comparand::A, images.0),
            self.host_images(Comparand::B, images.1),
        );
        let pairs = matched(&all.0, &all.1);
        for (one, other) in pairs {
            self.matched_items(Part::Image, (&all.0, one), (&all.1, other), at);
        }
        let spans =
            |things: &[PropertyBearer]| things.iter().filter_map(|thing| thing.bytes).collect();
        (spans(&all.0), spans(&all.1))
    }

    fn host_images(&mut self, which: Comparand, images: &dyn HostImages) -> Vec<PropertyBearer> {
        let mut things = Vec::new();
        for index in 0..images.count() {
            let Some(mut image) = images.image(index, &self.document(which).sources) else {
                continue;
            };
            if let Some(described) = &mut image.described {
                images.explain(&mut described.properties);
            }
            self.work.spend(256);
            if self.work.is_over() {
                break;
            }
            things.push(host_thing(index, image));
        }
        things
    }

    /// Compares two matching items, or adds entries for those that are only in one file.
    fn matched_items(
        &mut self,
        part: Part,
        (of_a, a): (&[PropertyBearer], Option<usize>),
        (of_b, b): (&[PropertyBearer], Option<usize>),
        at: u32,
    ) {
        let one = a.and_then(|at| of_a.get(at));
        let other = b.and_then(|at| of_b.get(at));
        let (Some(one), Some(other)) = (one, other) else {
            let change = if one.is_some() {
                Change::Removed
            } else {
                Change::Added
            };
            let Some(thing) = one.or(other) else { return };
            let side =
                |value: &FieldValue, span: &Option<Span>| Some(Side::new(value.clone(), *span));
            let fields = thing.values.iter().map(|(key, value, span)| Field {
                key: (*key).to_owned(),
                path: (*key).to_owned(),
                from: one.and_then(|_| side(value, span)),
                to: other.and_then(|_| side(value, span)),
            });
            let mut fields: Vec<Field> = fields.collect();
            let none: &[PropertySet] = &[];
            let sets = (
                one.map_or(none, |thing| &thing.properties),
                other.map_or(none, |thing| &thing.properties),
            );
            fields.extend(
                set_fields(sets)
                    .into_iter()
                    .flat_map(|(_, _, fields)| fields),
            );
            let place = Some(thing.place);
            let (a, b) = (one.and(place), other.and(place));
            let entry = Entry::new(part, change, at, title(thing));
            self.push(entry.at(a, b).with(fields));
            return;
        };
        let mut fields = Vec::new();
        let keys = one.values.iter().chain(&other.values).map(|(key, ..)| *key);
        let mut seen = Vec::new();
        for key in keys {
            if seen.contains(&key) {
                continue;
            }
            seen.push(key);
            let find = |thing: &PropertyBearer| {
                let found = thing.values.iter().find(|(other, ..)| *other == key)?;
                Some(Side::new(found.1.clone(), found.2))
            };
            let (from, to) = (find(one), find(other));
            if from.as_ref().map(|side| &side.value) != to.as_ref().map(|side| &side.value) {
                fields.push(Field {
                    key: key.to_owned(),
                    path: key.to_owned(),
                    from,
                    to,
                });
            }
        }
        let name = title(one);
        let bytes = (
            one.bytes.unwrap_or_default(),
            other.bytes.unwrap_or_default(),
        );
        let is_same = match self.same_bytes(bytes.0, bytes.1) {
            Ok(is_same) => is_same,
            Err(error) => {
                self.note(error);
                true
            }
        };
        if !is_same {
            let opened = self.opened(bytes);
            match opened.filter(|(a, b)| super::walk::is_document(a) && super::walk::is_document(b))
            {
                Some((a, b)) => self.pair(&a, &b, &one.name, &other.name),
                None => fields.extend(self.contents(bytes.0, bytes.1)),
            }
        }
        if !fields.is_empty() {
            let entry = Entry::new(part, Change::Changed, at, &*name);
            self.push(entry.at(Some(one.place), Some(other.place)).with(fields));
        }
        self.property_sets(&name, (&one.properties, &other.properties), at);
    }

    /// Compares property sets by name, and properties by key.
    fn property_sets(&mut self, of: &str, sets: (&[PropertySet], &[PropertySet]), at: u32) {
        for (name, spans, fields) in set_fields(sets) {
            if fields.is_empty() {
                continue;
            }
            let title = match of {
                "" => name,
                of => format!("{of}: {name}"),
            };
            let change = match spans {
                (None, Some(_)) => Change::Added,
                (Some(_), None) => Change::Removed,
                _ => Change::Changed,
            };
            let entry = Entry::new(Part::Property, change, at, title);
            self.push(entry.at(spans.0, spans.1).with(fields));
        }
    }
}

/// Returns the name of an item.
fn title(thing: &PropertyBearer) -> String {
    thing.name.clone()
}

/// Returns the values of an image of a SYCLBIN.
fn image_values(image: &Image) -> Vec<(&'static str, FieldValue, Option<Span>)> {
    let mut values = Vec::new();
    if let Some(kind) = image.ir_type {
        let name = image.ir_type_name().map(str::to_owned);
        values.push((
            "ir_type",
            FieldValue::Number(kind.value.into(), name),
            kind.span,
        ));
    }
    for (key, text) in [("arch", &image.arch), ("target", &image.target)] {
        if let Some(text) = text {
            values.push((key, FieldValue::Text(text.value.clone()), text.span));
        }
    }
    values
}

fn host_thing(index: usize, image: HostImage) -> PropertyBearer {
    let mut values: Vec<(&'static str, FieldValue, Option<Span>)> = Vec::new();
    let text = |text: &str| FieldValue::Text(text.to_owned());
    values.push(("kind", text(image.kind), Some(image.span)));
    let (mut names, mut properties) = (Vec::new(), Vec::new());
    let mut kind = String::new();
    if let Some(described) = image.described {
        let places = described.places;
        kind = format!("{} {}", described.target, described.offload_kind);
        if let Some(target) = described.compile_target() {
            kind = format!("{kind} {target}");
        }
        if let Some(version) = described.version {
            values.push(("Version", FieldValue::count(version), places.record));
        }
        values.push(("DeviceTargetSpec", text(&described.target), places.target));
        values.push(("Kind", text(&described.offload_kind), places.record));
        values.push(("Format", text(&described.format), places.record));
        values.push((
            "CompileOptions",
            text(&described.compile_options),
            places.compile_options,
        ));
        values.push((
            "LinkOptions",
            text(&described.link_options),
            places.link_options,
        ));
        names = described
            .entries
            .iter()
            .map(|entry| entry.name.clone())
            .collect();
        sort::ascending(&mut names);
        if !names.is_empty() {
            let list = names.iter().map(|name| text(name)).collect();
            values.push(("entries", FieldValue::List(list), places.entries));
        }
        properties = described.properties;
    }
    PropertyBearer {
        name: format!("image {index}"),
        kind: format!("{kind} {}", image.section),
        exports: names,
        values,
        properties,
        bytes: Some(image.span),
        place: image.span,
    }
}

/// Matches items: first those with the same target and exports, then those with the same target and
/// a common export, then those with the same exports for another target, then those with the same
/// target, in order. Each item of the second list is looked up in a table.
fn matched(a: &[PropertyBearer], b: &[PropertyBearer]) -> Vec<(Option<usize>, Option<usize>)> {
    let mut of_a: Vec<Option<usize>> = vec![None; a.len()];
    let mut is_taken = vec![false; b.len()];
    type Keys = fn(&PropertyBearer) -> Vec<String>;
    let keys: [Keys; 4] = [
        |thing| vec![format!("{}\0{}", thing.kind, thing.exports.join("\0"))],
        |thing| {
            let exports = thing.exports.iter();
            exports
                .map(|name| format!("{}\0{name}", thing.kind))
                .collect()
        },
        |thing| {
            if thing.exports.is_empty() {
                Vec::new()
            } else {
                vec![thing.exports.join("\0")]
            }
        },
        |thing| vec![thing.kind.clone()],
    ];
    for keys in keys {
        let mut places: HashMap<String, Vec<usize>> = HashMap::new();
        // Reversed, so that `pop` takes the first.
        for (at, thing) in b.iter().enumerate().rev() {
            if is_taken.get(at) == Some(&false) {
                for key in keys(thing) {
                    places.entry(key).or_default().push(at);
                }
            }
        }
        for (thing, place) in a.iter().zip(&mut of_a) {
            if place.is_some() {
                continue;
            }
            'keys: for key in keys(thing) {
                let list = places.get_mut(&key);
                let Some(list) = list else { continue };
                while let Some(at) = list.pop() {
                    if let Some(taken) = is_taken.get_mut(at).filter(|taken| !**taken) {
                        *taken = true;
                        *place = Some(at);
                        break 'keys;
                    }
                }
            }
        }
    }
    let mut pairs: Vec<_> = of_a
        .into_iter()
        .enumerate()
        .map(|(at, b)| (Some(at), b))
        .collect();
    let rest = is_taken.into_iter().enumerate().filter(|(_, taken)| !taken);
    pairs.extend(rest.map(|(at, _)| (None, Some(at))));
    pairs
}

/// Formats the value of a property, and its meaning.
fn property_value(value: &PropertyValue, meaning: &str) -> FieldValue {
    match value {
        PropertyValue::Number(number) => {
            let name = Some(meaning.to_owned()).filter(|meaning| !meaning.is_empty());
            FieldValue::Number((*number).into(), name)
        }
        PropertyValue::Bytes { bytes, .. } => {
            let kept = usize::try_from(BYTES_KEPT).unwrap_or(usize::MAX);
            match meaning {
                "" => FieldValue::Bytes(
                    bytes.iter().take(kept).copied().collect(),
                    bytes.len() as u64,
                ),
                meaning => FieldValue::Text(meaning.to_owned()),
            }
        }
        PropertyValue::Unreadable(text) => FieldValue::Text(text.clone()),
    }
}

/// Returns the difference of a property. If both values have the same text, it is the number of
/// bits, or bytes that are not displayed.
fn value_field(set: &str, a: &Property, b: &Property) -> Field {
    let field = |key: &str, path: String, (from, to)| Field {
        key: key.to_owned(),
        path,
        from: Some(Side::new(from, a.span)),
        to: Some(Side::new(to, b.span)),
    };
    let path = format!("{set}/{}", a.key);
    let value = |property: &Property| property_value(&property.value, &property.meaning);
    match (value(a), value(b), &a.value, &b.value) {
        (from, to, ..) if from != to => field(&a.key, path, (from, to)),
        (_, _, PropertyValue::Bytes { bits, .. }, PropertyValue::Bytes { bits: other, .. })
            if bits != other =>
        {
            let counts = (FieldValue::count(*bits), FieldValue::count(*other));
            field("bits", format!("{path}/bits"), counts)
        }
        (from, to, ..) => field("contents", path, (from, to)),
    }
}

type SetFields = (String, Sides<Option<Span>>, Vec<Field>);

/// Returns the properties that differ, by set.
fn set_fields((a, b): (&[PropertySet], &[PropertySet])) -> Vec<SetFields> {
    let mut names: Vec<&str> = Vec::new();
    let mut sets: BTreeMap<&str, Sides<Option<&PropertySet>>> = BTreeMap::new();
    for set in a {
        sets.entry(&set.name)
            .or_insert_with(|| {
                names.push(&set.name);
                (None, None)
            })
            .0 = Some(set);
    }
    for set in b {
        sets.entry(&set.name)
            .or_insert_with(|| {
                names.push(&set.name);
                (None, None)
            })
            .1 = Some(set);
    }
    let mut found = Vec::new();
    for name in names {
        let Some((one, other)) = sets.get(name) else {
            continue;
        };
        fn entries(set: Option<&PropertySet>) -> Vec<&Property> {
            set.map_or_else(Vec::new, |set| set.entries.iter().collect())
        }
        let (one_entries, other_entries) = (entries(*one), entries(*other));
        let mut places: HashMap<&str, &Property> = other_entries
            .iter()
            .map(|entry| (entry.key.as_str(), *entry))
            .collect();
        let mut fields = Vec::new();
        let side =
            |entry: &Property| Side::new(property_value(&entry.value, &entry.meaning), entry.span);
        let field = |key: &str, from: Option<Side>, to: Option<Side>| Field {
            key: key.to_owned(),
            path: format!("{name}/{key}"),
            from,
            to,
        };
        for entry in one_entries {
            match places.remove(entry.key.as_str()) {
                Some(other) => {
                    if other.value != entry.value {
                        fields.push(value_field(name, entry, other));
                    }
                    if other.kind.value != entry.kind.value {
                        let kind = |of: &Property| {
                            Some(Side::new(FieldValue::count(of.kind.value), of.kind.span))
                        };
                        fields.push(Field {
                            key: "type".to_owned(),
                            path: format!("{name}/{}/type", entry.key),
                            from: kind(entry),
                            to: kind(other),
                        });
                    }
                }
                None => fields.push(field(&entry.key, Some(side(entry)), None)),
            }
        }
        for entry in other_entries {
            if places.contains_key(entry.key.as_str()) {
                fields.push(field(&entry.key, None, Some(side(entry))));
            }
        }
        let spans = (one.map(|set| set.span), other.map(|set| set.span));
        if fields.is_empty() && spans.0.is_some() != spans.1.is_some() {
            // An empty set.
            let size =
                |span: Option<Span>| span.map(|span| Side::new(FieldValue::List(Vec::new()), span));
            fields.push(field("", size(spans.0), size(spans.1)));
        }
        found.push((name.to_owned(), spans, fields));
    }
    found
}
