//! Invariants of every list of every document.

use zeview::analysis::modules::PropertyOwner;
use zeview::model::{Document, NodeId, Span};
use zeview::tables;
use zeview::tables::query::{Order, Query};
use zeview::tables::write::Form;
use zeview::tables::{CellValue, Column, ColumnKind, Key, List, ListId, writer};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{Envelope, Follow, ListRequest, Request, Response, SelectionTarget};

use super::invariants::Depth;

/// All output forms.
pub const FORMS: [Form; 5] = [
    Form::Csv,
    Form::Tabs,
    Form::Markdown,
    Form::Json,
    Form::Plain,
];

/// Maximum number of bytes of written text.
const LIMIT: usize = 1 << 20;

/// Returns the documents in a file, including the file itself.
fn documents(document: &mut Document) -> Vec<NodeId> {
    let mut ids = vec![NodeId::ROOT];
    for inner in document.documents().take(8).cloned().collect::<Vec<_>>() {
        ids.extend(document.nodes_for(inner.span));
    }
    ids.sort();
    ids.dedup();
    ids
}

/// Checks all lists of a file; returns violations. `texts` are readable texts in it.
pub fn violations(document: &mut Document, texts: &[Span], depth: Depth) -> Vec<String> {
    let mut check = Check {
        rows: if depth == Depth::Full { 200 } else { 6 },
        depth,
        found: Vec::new(),
    };
    for text in texts {
        let list = tables::list(document, NodeId::ROOT, ListId::Lines, Some(*text));
        check.list(document, &*list.expect("a text has lines"));
    }
    for id in documents(document) {
        for list in ListId::ALL {
            let around = tables::document_of(document, id, list);
            let made = tables::list(document, id, list, None);
            if list == ListId::Lines {
                continue;
            }
            if (around == Some(id)) != made.is_some() {
                check.fail(format!(
                    "{list:?} of {id:?}: {around:?}, {}",
                    made.is_some()
                ));
            }
            if let Some(list) = made {
                check.list(document, &*list);
            }
        }
        check.modules(document, id);
    }
    check.found
}

struct Check {
    /// Maximum number of rows checked per list.
    rows: u32,
    depth: Depth,
    found: Vec<String>,
}

impl Check {
    fn fail(&mut self, message: String) {
        if self.found.len() < 8 {
            self.found.push(message);
        }
    }

    fn list(&mut self, document: &Document, list: &dyn List) {
        let id = list.id();
        let sources = &document.sources;
        let columns = id.columns();
        let within = |span: Span| sources.whole(span.source).contains(span);
        let all = list.count();
        if list.secondary().count() > all {
            self.fail(format!("{id:?}: more secondary rows than rows"));
        }
        for row in (0..all).take(self.rows as usize) {
            for (at, column) in columns.iter().enumerate() {
                let cell = list.cell(row, at, sources);
                let what = || format!("{id:?} [{row}] {}: {cell:?}", column.id);
                if !fits(column, &cell.value) {
                    self.fail(format!("{} is of another kind", what()));
                }
                if !cell.span.is_none_or(within) {
                    self.fail(format!("{} leads out of the file", what()));
                }
                if cell.is_default && cell.span.is_some() {
                    self.fail(format!("{} is a default and stands somewhere", what()));
                }
                if cell
                    .marks
                    .iter()
                    .any(|m| m.text.is_empty() || m.doc.is_empty())
                {
                    self.fail(format!("{} has marks that say nothing", what()));
                }
            }
            let Some(entry) = list.entry(row, sources) else {
                self.fail(format!("{id:?} [{row}] has no entry"));
                continue;
            };
            if !within(entry) {
                self.fail(format!("{id:?} [{row}] is at {entry:?}"));
            }
            self.way_back(document, list, row, entry);
            let about = list.about(row, entry, sources);
            for link in about.links {
                if !within(link.to) {
                    self.fail(format!("{id:?} [{row}]: {link:?} leads out of the file"));
                }
            }
        }
        for (row, column) in [(all, 0), (u32::MAX, usize::MAX), (0, columns.len())] {
            let cell = list.cell(row, column, sources);
            let is_there = row < all && column < columns.len();
            if !is_there && cell.value != CellValue::Empty {
                self.fail(format!("{id:?} has a cell at {row}, {column}"));
            }
        }
        if list.entry(all, sources).is_some() {
            self.fail(format!("{id:?} has a row behind the last"));
        }
        self.sorts(document, list);
        if self.depth == Depth::Full {
            self.filters(document, list);
        }
        self.forms(document, list);
    }

    /// Checks that the row of an entry is this row, or one with the same bytes.
    fn way_back(&mut self, document: &Document, list: &dyn List, row: u32, entry: Span) {
        let sources = &document.sources;
        let found = list.rows_at(entry, sources);
        let inside = found.as_ref().is_some_and(|rows| rows.end <= list.count());
        let same = |rows: &std::ops::Range<u32>| {
            let other = list.entry(rows.start, sources);
            other.is_some_and(|other| other.contains(entry))
        };
        let holds = match list.id() {
            // The whole text is not a line, and a selection of blanks contains no blank line.
            ListId::Lines => found.is_none() || inside,
            // Modules may overlap.
            ListId::Modules => inside,
            // Devices have no bytes.
            ListId::Devices => found.is_none(),
            _ => inside && found.as_ref().is_some_and(same),
        };
        if !holds && !entry.is_empty() {
            let id = list.id();
            self.fail(format!("{id:?} [{row}] at {entry:?} leads to {found:?}"));
        }
    }

    /// Checks that every column sorts in both directions: all rows remain, with ordered keys.
    fn sorts(&mut self, document: &Document, list: &dyn List) {
        // Verdicts for all devices take too long for thousands of files, and each sort key of an
        // instruction is decoded anew.
        let most = match list.id() {
            ListId::Devices if self.depth == Depth::Quick => 0,
            ListId::Instructions => 300,
            _ => 10_000,
        };
        if list.count() > most {
            return;
        }
        let (id, sources) = (list.id(), &document.sources);
        let columns = id.columns().iter().enumerate();
        let most = if self.depth == Depth::Full {
            usize::MAX
        } else {
            4
        };
        for (at, column) in columns.take(most) {
            for descending in [false, true] {
                let query = Query {
                    sort: Some(column.id.into()),
                    descending,
                    all: true,
                    ..Query::default()
                };
                let order = query.run(list, sources).expect("a column sorts");
                let rows: Vec<u32> = order.from(0, u64::MAX).collect();
                let mut sorted = rows.clone();
                sorted.sort_unstable();
                if !sorted.into_iter().eq(0..list.count()) {
                    self.fail(format!("{id:?} by {}: not all rows", column.id));
                }
                let keys = rows.iter().map(|row| list.key(*row, at, sources));
                let keys: Vec<Key<'_>> = keys.collect();
                let in_order = keys.is_sorted_by(|a, b| {
                    let order = a.order(b);
                    if descending {
                        order.is_ge()
                    } else {
                        order.is_le()
                    }
                });
                if !in_order {
                    self.fail(format!("{id:?} by {}: not in order", column.id));
                }
            }
        }
    }

    /// Checks that the contents of a cell find its row.
    fn filters(&mut self, document: &Document, list: &dyn List) {
        let (id, sources) = (list.id(), &document.sources);
        for row in [0, list.count() / 2, list.count().saturating_sub(1)] {
            for (at, column) in id.columns().iter().enumerate() {
                let value = list.cell(row, at, sources).value;
                let text = value.text();
                let plain = !text.is_empty() && !text.contains('"') && text.len() < 1000;
                let mut filters = Vec::new();
                match &value {
                    CellValue::Text(_) | CellValue::Name { .. } | CellValue::Ints(_) if plain => {
                        filters.push((format!("\"{text}\""), true));
                        filters.push((format!("{}=\"{text}\"", column.id), true));
                        filters.push((format!("{}!=\"{text}\"", column.id), false));
                    }
                    CellValue::Int(_) | CellValue::Count(_) | CellValue::Hex(_)
                        if column.kind == ColumnKind::Number =>
                    {
                        filters.push((format!("{}={text}", column.id), true));
                        filters.push((format!("{}>{text}", column.id), false));
                        filters.push((format!("not {} >= {text}", column.id), false));
                    }
                    CellValue::Bool(yes) => {
                        filters.push((format!("{}=yes", column.id), *yes));
                    }
                    CellValue::Words(words) => {
                        let count = words.len();
                        let two = format!("{0}>={count} {0}<={count}", column.id);
                        filters.push((two, true));
                    }
                    _ => {}
                }
                for (filter, holds) in filters {
                    let query = Query {
                        filter: filter.clone(),
                        all: true,
                        ..Query::default()
                    };
                    match query.run(list, sources) {
                        Ok(order) if order.place(row).is_some() == holds => {}
                        Ok(_) => self.fail(format!("{id:?} [{row}]: {filter}: not {holds}")),
                        Err(why) => self.fail(format!("{id:?}: {filter}: {why}")),
                    }
                }
            }
        }
    }

    /// Checks that every form can be written and read.
    fn forms(&mut self, document: &Document, list: &dyn List) {
        let id = list.id();
        let columns: Vec<&Column> = id.columns().iter().collect();
        let rows = list.count().min(self.rows);
        for form in FORMS {
            let order = Order::All(rows);
            let written =
                writer::write(list, &order, &columns, form, None, &document.sources, LIMIT);
            let Ok(text) = written else {
                continue;
            };
            let lines = text.lines().count();
            let holds = match form {
                Form::Json => {
                    let read: Result<Vec<serde_json::Map<_, _>>, _> = serde_json::from_str(&text);
                    read.is_ok_and(|read| {
                        let whole = |row: &serde_json::Map<String, serde_json::Value>| {
                            let unknown = usize::from(row.contains_key("unknown"));
                            let is_column = columns.iter().any(|column| column.id == "unknown");
                            row.len() == columns.len() + 1 + unknown * usize::from(!is_column)
                                && row["schema"] == 1
                        };
                        read.len() == rows as usize && read.iter().all(whole)
                    })
                }
                // Quoted cells may have several lines.
                Form::Csv => lines > rows as usize,
                Form::Tabs => lines == rows as usize + 1,
                Form::Markdown => lines == rows as usize + 2,
                Form::Plain => {
                    let has_units = columns.iter().any(|column| !column.unit.is_empty());
                    lines == rows as usize + 1 + usize::from(has_units)
                }
            };
            if !holds {
                self.fail(format!("{id:?} as {form:?}: {lines} lines for {rows} rows"));
            }
        }
    }

    /// Checks that owners of properties are found by their bytes.
    fn modules(&mut self, document: &mut Document, id: NodeId) {
        let Some(modules) = document.modules(id) else {
            return;
        };
        let graph = modules.graph(&document.sources);
        let mut holders = vec![PropertyOwner::Whole];
        let most = self.rows;
        let count = |len: usize| 0..u32::try_from(len).unwrap_or(u32::MAX).min(most);
        holders.extend(count(graph.abstract_modules.len()).map(PropertyOwner::AbstractModule));
        holders.extend(count(graph.ir_modules.len()).map(PropertyOwner::IrModule));
        holders.extend(count(graph.native_images.len()).map(PropertyOwner::NativeImage));
        for holder in holders {
            let bytes = graph.bytes_of(holder);
            if !document.sources.whole(bytes.source).contains(bytes) {
                self.fail(format!("{holder:?} is at {bytes:?}"));
            }
            let list = tables::list(document, id, ListId::Properties, Some(bytes));
            let list = list.expect("there are modules");
            // Damaged modules may overlap.
            if graph.owner_at(bytes) == Some(holder) && list.subject() != graph.name_of(holder) {
                self.fail(format!(
                    "{holder:?} has the properties of {}",
                    list.subject()
                ));
            }
            if self.depth == Depth::Full {
                self.list(document, &*list);
            }
        }
        let all: Vec<u32> = (0..).take(graph.abstract_modules.len()).collect();
        let groups = graph.groups(&all, 0);
        let grouped: u64 = groups.iter().map(|group| group.count).sum();
        if grouped != all.len() as u64 {
            self.fail(format!("{grouped} of {} modules are in groups", all.len()));
        }
    }
}

fn fits(column: &Column, value: &CellValue<'_>) -> bool {
    match value {
        CellValue::Empty | CellValue::Absent | CellValue::Unknown { .. } => true,
        CellValue::Int(_)
        | CellValue::Count(_)
        | CellValue::Hex(_)
        | CellValue::Real(_)
        | CellValue::Several(_) => {
            // The value of a property may be a number.
            column.kind == ColumnKind::Number || column.id == "value"
        }
        CellValue::Bool(_) => column.kind == ColumnKind::Bool,
        CellValue::Words(_) => column.kind == ColumnKind::Words,
        CellValue::Text(_) | CellValue::Name { .. } | CellValue::Ints(_) => {
            column.kind == ColumnKind::Text
        }
        CellValue::Bytes(_) => column.kind == ColumnKind::Bytes || column.id == "value",
    }
}

/// Sends all requests of the page for every list of a file; none may fail for existing rows. Calls
/// `begin` before each request.
pub fn request_all(handler: &mut Handler, mut begin: impl FnMut(&Request)) {
    let mut ask = |request: Request| {
        begin(&request);
        let envelope = Envelope {
            id: 2,
            about: None,
            request,
        };
        handler.answer(&envelope).response
    };
    let document = NodeId::ROOT;
    for list in ListId::ALL {
        let sort = list.columns().first().map(|column| column.id.into());
        let queries = [
            Query::default(),
            Query {
                sort,
                descending: true,
                ..Query::default()
            },
            Query {
                filter: "a or 0x10 or not b".to_owned(),
                ..Query::default()
            },
        ];
        for (at, query) in queries.into_iter().enumerate() {
            let rows = ListRequest::Rows {
                start: 0,
                count: u64::MAX,
                columns: Vec::new(),
            };
            let request = Request::List {
                document,
                list,
                query: query.clone(),
                ask: rows,
            };
            let Response::List(page) = ask(request) else {
                continue;
            };
            assert_eq!(page.trouble, None, "{list:?}");
            let follow = Follow {
                document,
                list,
                query: query.clone(),
                current: page.rows.first().map(|row| row.entry),
                or_first: true,
            };
            let places = page
                .rows
                .iter()
                .step_by(100)
                .map(|row| SelectionTarget::Span(row.entry));
            for place in places.chain([SelectionTarget::Row(0)]) {
                let selected = ask(Request::Select {
                    order: TreeOrder::File,
                    place,
                    follow: Some(follow.clone()),
                });
                let fails = matches!(selected, Response::Failed { .. });
                assert!(!fails || page.found == 0, "{list:?}: {selected:?}");
            }
            if at == 0 {
                let written = ask(Request::List {
                    document,
                    list,
                    query: query.clone(),
                    ask: ListRequest::Written {
                        columns: Vec::new(),
                        form: Form::Csv,
                        rows: None,
                    },
                });
                let text = matches!(written, Response::Text(_) | Response::Failed { .. });
                assert!(text, "{list:?}: {written:?}");
            }
            if list == ListId::Modules {
                for (start, count) in [(0, u64::MAX), (1, 20)] {
                    let graph = ask(Request::Graph {
                        document,
                        list,
                        query: query.clone(),
                        start,
                        count,
                        at: None,
                    });
                    let Response::Graph(graph) = graph else {
                        panic!("{graph:?}");
                    };
                    assert_eq!(graph.found, page.found);
                }
            }
        }
    }
    let texts = ask(Request::Texts { document });
    assert!(matches!(texts, Response::Texts(_)), "{texts:?}");
}
