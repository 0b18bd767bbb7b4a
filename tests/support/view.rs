//! The decoder's rows as plain tables, for comparison with other readers.

use std::collections::BTreeMap;

use zeview::model::{Node, Value};

use super::tree::{Flat, Tree, walk_all};

/// Numbers of a record, by field name.
pub type Numbers = BTreeMap<String, u64>;

/// An entry of a table.
#[derive(Debug, Clone, Default)]
pub struct Entry {
    pub name: String,
    pub numbers: Numbers,
    /// Text fields.
    pub texts: BTreeMap<String, String>,
    /// Range of the description of a note.
    pub desc: Vec<u8>,
}

/// A section and its contents.
#[derive(Debug, Clone, Default)]
pub struct Section {
    pub header: Entry,
    /// Symbols, relocations or notes.
    pub entries: Vec<Entry>,
}

/// An ELF file as shown in the rows.
#[derive(Debug, Default)]
pub struct View {
    pub header: Numbers,
    pub sections: Vec<Section>,
}

/// Reads the rows of a file.
pub fn view(bytes: &[u8]) -> View {
    let document = super::open(bytes);
    let tree = walk_all(&document).expect("a real file has few rows");
    let root = &tree.nodes[0];
    let mut view = View::default();
    let parts = tree.children(root);
    if let Some(part) = parts.iter().find(|p| p.node.name == "ELF header") {
        view.header = entry(&tree, part, bytes).numbers;
    }
    let Some(headers) = parts.iter().find(|p| p.node.name == "section headers") else {
        return view;
    };
    for header in tree.children(headers) {
        let header = entry(&tree, header, bytes);
        let entries = Vec::new();
        view.sections.push(Section { header, entries });
    }
    for part in parts {
        let Some(index) = header_index(&part.node) else {
            continue;
        };
        let rows = tree.children(part).iter();
        let rows = rows.filter(|r| r.node.name != "padding" && !r.children.is_empty());
        if let Some(section) = view.sections.get_mut(index) {
            section.entries = rows.map(|r| entry(&tree, r, bytes)).collect();
        }
    }
    view
}

/// Returns the index of the section with the bytes of this part.
pub fn header_index(part: &Node) -> Option<usize> {
    let header = part.xrefs.iter().find(|x| x.why == "section header")?;
    header
        .label
        .strip_prefix('[')?
        .strip_suffix(']')?
        .parse()
        .ok()
}

fn entry(tree: &Tree, row: &Flat, bytes: &[u8]) -> Entry {
    let mut entry = Entry {
        name: row.node.name.to_string(),
        ..Entry::default()
    };
    fields(tree, row, bytes, &mut entry);
    entry
}

fn fields(tree: &Tree, row: &Flat, bytes: &[u8], entry: &mut Entry) {
    for field in tree.children(row) {
        let name = field.node.name.to_string();
        match &field.node.value {
            Value::Signed { raw, .. } => {
                entry.numbers.insert(name.clone(), raw.cast_unsigned());
            }
            Value::Text { text, .. } => {
                entry.texts.insert(name.clone(), text.to_string());
            }
            value => {
                if let Some(number) = value.as_u64() {
                    entry.numbers.insert(name.clone(), number);
                }
            }
        }
        if let (true, Some(span)) = (name == "desc", field.node.span) {
            entry.desc = bytes[span.start as usize..span.end as usize].to_vec();
        }
        fields(tree, field, bytes, entry);
    }
}
