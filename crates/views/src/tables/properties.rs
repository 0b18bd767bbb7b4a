//! The properties of a SYCLBIN, or of a module or image in it: one row per property.

use std::ops::Range;
use std::rc::Rc;

use super::query::Query;
use super::{
    Button, Cell, CellValue, Declaration, List, ListId, RowDetails, Scope, Tab, Words, columns,
};
use zeview_core::analysis::modules::{
    Property, PropertyOwner, PropertySet, PropertyValue, join_defaults,
};
use zeview_core::model::{Document, NodeId, Sources, Span, Tone};

/// A property, with its set and the demangled form of its key.
type RowRef<'a> = (&'a PropertySet, &'a Property, Option<&'a str>);

columns! {
    /// The columns.
    pub COLUMNS
    "set" Text Default 24 "Set" "" "The name of the property set."
        |(set, ..), _| Cell::text(&set.name).at(Some(set.span));
    "key" Text Default 30 "Key" "" "The name of the property."
        |(_, property, demangled), _| {
            let key = match demangled {
                Some(demangled) => Cell::new(CellValue::Name {
                    name: property.key.as_str().into(),
                    demangled: Some(demangled.into()),
                    short: None,
                }),
                None => Cell::text(&property.key),
            };
            key.at(Some(property.key_span))
        };
    "meaning" Text Default 30 "Meaning" "" "The decoded value."
        |(_, property, _), _| Cell::text(&property.meaning).at(Some(property.span));
    "type" Text Default 8 "Type" "" "The type of the value: number or bytes."
        |(_, property, _), _| Cell::text(match property.kind.value {
            1 => "number",
            2 => "bytes",
            _ => "unknown",
        })
        .at(property.kind.span);
    "value" Text Default 30 "Value" "" "The value."
        |(_, property, _), _| value(property).at(Some(property.span));
    "bits" Number Optional 0 "Bits" "" "The bit count that the bytes start with."
        |(_, property, _), _| match property.value {
            PropertyValue::Bytes { bits, .. } => Cell::count(bits).at(Some(property.span)),
            _ => Cell::empty(),
        };
    "description" Text Optional 40 "Description" "" "The meaning of the key, or of its set."
        |(set, property, _), _| if property.doc.is_empty() { Cell::text(&*set.doc) } else { Cell::text(&*property.doc) };
}

fn value(property: &Property) -> Cell<'_> {
    match &property.value {
        PropertyValue::Number(number) => Cell::count(*number),
        PropertyValue::Bytes { bytes, .. } => Cell::new(CellValue::Bytes(bytes.clone())),
        PropertyValue::Unreadable(text) => Cell::text(text).mark(
            Tone::Warning,
            "unreadable",
            "The text is not a valid value of this type.",
        ),
    }
}

struct PropertyList {
    sets: Vec<PropertySet>,
    /// The indices of the set and of the property in it.
    rows: Vec<(usize, usize)>,
    /// The demangled key of each row.
    demangled: Vec<Option<Rc<str>>>,
    subject: String,
}

/// Its declaration.
pub static LIST: Declaration = Declaration {
    scope: Scope::Owner,
    tab: Some(Tab::of_code("properties", "Properties", |file| {
        file.any.modules
    })),
    button: Some(Button::FileProperties),
    ..Declaration::table(
        ListId::Properties,
        "properties",
        || COLUMNS,
        Words {
            title: "Properties",
            one: "property",
            many: "properties",
            hint: "Set, key, or meaning",
            none: "No properties. Select another module or image.",
        },
    )
};

pub(super) use super::modules::is_in;

/// Reads the properties of the owner that the query is of; by default, of the whole document.
pub(super) fn read(document: &mut Document, id: NodeId, query: &Query) -> Option<Rc<dyn List>> {
    let modules = document.modules(id)?;
    let sources = &document.sources;
    let graph = modules.graph(sources);
    let owner = query.of.and_then(|of| graph.owner_at(of));
    let owner = owner.unwrap_or(PropertyOwner::Whole);
    let mut sets = modules.properties(owner, sources);
    join_defaults(&mut sets);
    let all = sets.iter().enumerate();
    let rows = all.flat_map(|(set, content)| (0..content.entries.len()).map(move |at| (set, at)));
    let keys = sets.iter().flat_map(|set| &set.entries);
    Some(Rc::new(PropertyList {
        demangled: keys.map(|entry| modules.demangled(&entry.key)).collect(),
        rows: rows.collect(),
        subject: graph.name_of(owner),
        sets,
    }))
}

impl PropertyList {
    fn row(&self, row: u32) -> Option<RowRef<'_>> {
        let row = usize::try_from(row).ok()?;
        let (set, at) = self.rows.get(row)?;
        let set = self.sets.get(*set)?;
        let demangled = self.demangled.get(row).and_then(Option::as_deref);
        Some((set, set.entries.get(*at)?, demangled))
    }
}

impl List for PropertyList {
    fn id(&self) -> ListId {
        ListId::Properties
    }

    fn count(&self) -> u32 {
        u32::try_from(self.rows.len()).unwrap_or(u32::MAX)
    }

    fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
        match (CELLS.get(column), self.row(row)) {
            (Some(cell), Some(row)) => cell(row, sources),
            _ => Cell::empty(),
        }
    }

    fn entry(&self, row: u32, _: &Sources) -> Option<Span> {
        let (_, property, _) = self.row(row)?;
        let (key, value) = (property.key_span, property.span);
        Some(Span::new(key.source, key.start, value.end.max(key.end)))
    }

    fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
        let entry = |row: &u32| {
            self.entry(*row, sources)
                .is_some_and(|entry| entry.contains(span))
        };
        let set = |row: &u32| {
            self.row(*row)
                .is_some_and(|(set, ..)| set.span.contains(span))
        };
        let row = (0..self.count())
            .find(entry)
            .or_else(|| (0..self.count()).find(set))?;
        Some(row..row.saturating_add(1))
    }

    fn about(&self, row: u32, _: Span, _: &Sources) -> RowDetails {
        RowDetails {
            title: self
                .row(row)
                .map_or_else(String::new, |(_, property, _)| property.key.clone()),
            ..RowDetails::default()
        }
    }

    fn subject(&self) -> String {
        self.subject.clone()
    }
}
