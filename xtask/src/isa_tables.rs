//! Writes `crates/isa/src/tables.rs` from the model of the instruction encodings in `xtask/model`.
//!
//! The model has one file per platform, with much in common: leaves, decisions, compaction tables,
//! enumerations and formats are numbered across all platforms, and equal ones are written once.

use crate::json::Json;
use crate::project::Project;
use crate::shell::Outcome;
use std::collections::{BTreeSet, HashMap};
use std::fmt::Write as _;
use std::path::Path;

const PLATFORMS: [&str; 8] = [
    "gen9",
    "gen11",
    "xe_gen12lp",
    "xe_hpg",
    "xe_hpc",
    "xe2",
    "xe3",
    "xe3p",
];

const HEADER: &str = include_str!("isa_tables_header.txt");

/// Writes the tables; with `check`, only fails if they are not up to date.
pub fn run(project: &Project, check: bool) -> Outcome {
    let folder = project.root.join("xtask/model");
    let file = project.root.join("crates/isa/src/tables.rs");
    let tables = tables(&folder)?;
    if check {
        let present = std::fs::read_to_string(&file)
            .map_err(|error| format!("{}: {error}", file.display()))?;
        return if present == tables {
            Ok(())
        } else {
            Err("crates/isa/src/tables.rs is stale; run cargo xtask isa-tables".into())
        };
    }
    std::fs::write(&file, tables).map_err(|error| format!("{}: {error}", file.display()))
}

/// Interns items: equal items share a number, in order of first appearance.
struct Pool<T>(Vec<T>, HashMap<T, usize>);

impl<T: Clone + Eq + std::hash::Hash> Pool<T> {
    fn new() -> Self {
        Pool(Vec::new(), HashMap::new())
    }

    fn id(&mut self, item: T) -> usize {
        if let Some(id) = self.1.get(&item) {
            return *id;
        }
        self.0.push(item.clone());
        self.1.insert(item, self.0.len() - 1);
        self.0.len() - 1
    }
}

/// Terminal nodes of decisions; the numbers of each kind are consecutive.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Node {
    Leaf(usize),
    Mask(usize),
    Move(usize),
    Decision(usize),
}

/// Nodes by number: of a field, or the last value of a run.
type Numbered = Vec<(usize, Option<Node>)>;

struct Model {
    fields: Vec<String>,
    meanings: Vec<String>,
    enums: Pool<Vec<u16>>,
    leaves: Pool<Vec<u8>>,
    masks: Pool<(u128, u128)>,
    moves: Pool<Vec<u8>>,
    lookups: Pool<Vec<u64>>,
    decisions: Pool<(usize, Numbered)>,
    formats: Pool<(Numbered, Vec<Node>)>,
}

/// Marker in an enumeration: a value without meaning, and the start of the names.
const INVALID: u16 = 0xffff;
const NAMED: u16 = 0x8000;

fn tables(folder: &Path) -> Outcome<String> {
    let read = |name: &str| Json::read(&folder.join(format!("{name}.json")));
    let platforms = PLATFORMS
        .iter()
        .map(|name| read(name))
        .collect::<Outcome<Vec<_>>>()?;
    let common = read("common")?;
    let messages = read("messages")?;

    let mut fields = BTreeSet::new();
    let mut meanings = BTreeSet::new();
    let mut ops = BTreeSet::new();
    for platform in &platforms {
        for (_, format) in platform.get("formats").members() {
            fields.extend(format.get("fields").members().iter().map(|m| m.0.clone()));
        }
        for (_, format) in platform.get("compact_formats").members() {
            fields.extend(format.get("map").members().iter().map(|m| m.0.clone()));
        }
        for node in platform.get("nodes").list() {
            for meaning in node.get("enum").list() {
                if let Json::Text(name) = meaning {
                    meanings.insert(name.clone());
                }
            }
        }
        for (_, opcode) in platform.get("opcodes").members() {
            if let Json::Text(name) = opcode.get("mnemonic") {
                ops.insert(name.clone());
            }
        }
    }
    for name in common.get("type_subreg_shift").members() {
        meanings.insert(name.0.clone());
    }
    let mut model = Model {
        fields: fields.into_iter().collect(),
        meanings: meanings.into_iter().collect(),
        enums: Pool::new(),
        leaves: Pool::new(),
        masks: Pool::new(),
        moves: Pool::new(),
        lookups: Pool::new(),
        decisions: Pool::new(),
        formats: Pool::new(),
    };
    let ops: Vec<String> = ops.into_iter().collect();
    let mut records = String::new();
    for (name, platform) in PLATFORMS.iter().zip(&platforms) {
        model.platform(name, platform, &ops, &mut records)?;
    }

    let mut out = String::from(HEADER);
    names(
        &mut out,
        "Field",
        "A field of an instruction word.",
        &model.fields,
    );
    names(
        &mut out,
        "Meaning",
        "What a value of a field stands for: a name of an enumeration.",
        &model.meanings,
    );
    names(
        &mut out,
        "Op",
        "An operation; its name is the mnemonic.",
        &ops,
    );
    model.write(&mut out)?;
    let _ = write!(
        out,
        "/// The platforms, in the order of [`Platform`](super::Platform).\npub static PLATFORMS: [Encoding; {}] = [\n{records}];\n\n",
        PLATFORMS.len()
    );
    write_common(&mut out, &common, &model.meanings);
    write_messages(&mut out, &messages);
    Ok(out)
}

fn position(names: &[String], name: &str) -> Outcome<usize> {
    names
        .iter()
        .position(|n| n == name)
        .ok_or(format!("no {name} in the model"))
}

fn byte(value: usize) -> Outcome<u8> {
    u8::try_from(value).map_err(|_| format!("{value} does not fit a byte"))
}

fn byte_of(value: &Json) -> Outcome<u8> {
    u8::try_from(value.number()).map_err(|_| format!("{value:?} does not fit a byte"))
}

impl Model {
    /// Encodes a leaf: flags and number of pieces (0: a constant), width, enumeration (+1, or 0),
    /// then the constant, or the pieces (first bit, last bit, position in the value), then the size
    /// of an immediate, if it is one.
    fn leaf(&mut self, node: &Json) -> Outcome<Node> {
        let pieces = node.get("bits").list();
        let var = node.get("var").list();
        let signed = node.get("signed").number() != 0;
        let mut flags = byte(pieces.len())?;
        if signed {
            flags |= 0x10;
        }
        let enumeration = match node.get("enum") {
            Json::List(values) => {
                let values = values
                    .iter()
                    .map(|value| {
                        Ok(match value {
                            Json::Text(name) => {
                                NAMED + u16::from(byte(position(&self.meanings, name)?)?)
                            }
                            Json::Null => INVALID,
                            other => u16::from(byte_of(other)?),
                        })
                    })
                    .collect::<Outcome<Vec<_>>>()?;
                byte(self.enums.id(values) + 1)?
            }
            _ => 0,
        };
        let mut bytes = vec![0, byte_of(node.get("width"))?, enumeration];
        if pieces.is_empty() {
            bytes.push(byte_of(node.get("const"))?);
        }
        for piece in pieces {
            for part in piece.list() {
                bytes.push(byte_of(part)?);
            }
        }
        if let [size, negative, twice] = var {
            flags |= 0x20;
            if negative.number() != 0 {
                flags |= 0x40;
            }
            if twice.number() != 0 {
                flags |= 0x80;
            }
            bytes.push(byte_of(size)?);
        }
        bytes[0] = flags;
        Ok(Node::Leaf(self.leaves.id(bytes)))
    }

    fn decision(&mut self, node: &Json, entries: Vec<Option<Node>>) -> Outcome<Node> {
        let key = position(&self.fields, node.get("key").text())?;
        let mut runs: Vec<(usize, Option<Node>)> = Vec::new();
        for (value, entry) in entries.into_iter().enumerate() {
            match runs.last_mut() {
                Some(run) if run.1 == entry => run.0 = value,
                _ => runs.push((value, entry)),
            }
        }
        Ok(Node::Decision(self.decisions.id((key, runs))))
    }

    /// Interns a list of nodes that refer to each other by index.
    fn nodes(
        &mut self,
        list: &[Json],
        mut end: impl FnMut(&mut Self, &Json) -> Outcome<Node>,
    ) -> Outcome<Vec<Node>> {
        let mut known: Vec<Option<Node>> = vec![None; list.len()];
        // Decisions refer to nodes before and after them: repeat once per level of depth.
        while known.iter().any(Option::is_none) {
            let before = known.iter().flatten().count();
            for (at, node) in list.iter().enumerate() {
                if known[at].is_some() {
                    continue;
                }
                known[at] = if node.get("key").is_null() {
                    Some(end(self, node)?)
                } else {
                    let entries = node.get("table").list().iter().map(|entry| match entry {
                        Json::Number(index) => usize::try_from(*index)
                            .ok()
                            .and_then(|index| known.get(index)?.clone())
                            .map(Some),
                        _ => Some(None),
                    });
                    match entries.collect::<Option<Vec<_>>>() {
                        Some(entries) => Some(self.decision(node, entries)?),
                        None => None,
                    }
                };
            }
            if known.iter().flatten().count() == before {
                return Err("the model's decisions form a cycle".into());
            }
        }
        Ok(known.into_iter().flatten().collect())
    }

    fn mask(&mut self, node: &Json) -> Outcome<Option<Node>> {
        if node.is_null() {
            return Ok(None);
        }
        if node.get("key").is_null() {
            let hex = |name| {
                u128::from_str_radix(node.get(name).text(), 16).map_err(|_| "a mask is not hex")
            };
            return Ok(Some(Node::Mask(self.masks.id((hex("or")?, hex("and")?)))));
        }
        let entries = node
            .get("table")
            .list()
            .iter()
            .map(|entry| self.mask(entry));
        let entries = entries.collect::<Outcome<Vec<_>>>()?;
        self.decision(node, entries).map(Some)
    }

    /// Encodes a move into the native word: the table indexed by the value (+1, or 0), then for
    /// each step its kind, two bits of the value, and two of the native word.
    fn movement(&mut self, node: &Json, lookups: &[(String, usize)]) -> Outcome<Node> {
        let table = node.get("lookup").text();
        let table = if table.is_empty() {
            0
        } else {
            let found = lookups.iter().find(|(name, _)| name == table);
            byte(found.ok_or("a move uses an unknown table")?.1 + 1)?
        };
        let mut bytes = vec![table];
        for step in node.get("move").list() {
            for (at, part) in step.list().iter().enumerate() {
                bytes.push(match (at, part.text()) {
                    (0, "copy") => 0,
                    (0, "repeat") => 1,
                    (0, "fixed") => 2,
                    (0, other) => return Err(format!("no move is called {other}")),
                    _ => byte_of(part)?,
                });
            }
        }
        Ok(Node::Move(self.moves.id(bytes)))
    }

    fn platform(
        &mut self,
        name: &str,
        platform: &Json,
        ops: &[String],
        out: &mut String,
    ) -> Outcome {
        let nodes = self.nodes(platform.get("nodes").list(), Self::leaf)?;
        let lookups = platform.get("compaction_tables").members();
        let lookups: Vec<(String, usize)> = lookups
            .iter()
            .map(|(name, table)| {
                let values = table.list().iter().map(|value| {
                    u64::from_str_radix(value.text().trim_start_matches("0x"), 16)
                        .map_err(|_| "a compaction table is not hex".to_owned())
                });
                let values = values.collect::<Outcome<Vec<_>>>()?;
                Ok((name.clone(), self.lookups.id(values)))
            })
            .collect::<Outcome<_>>()?;
        let moves = self.nodes(platform.get("map_nodes").list(), |model, node| {
            model.movement(node, &lookups)
        })?;
        let node_at = |nodes: &[Node], index: &Json| match index {
            Json::Number(index) => usize::try_from(*index)
                .ok()
                .and_then(|index| nodes.get(index).cloned()),
            _ => None,
        };
        let mut formats = Vec::new();
        for (name, format) in platform.get("formats").members() {
            let mut list = Vec::new();
            for (field, node) in format.get("fields").members() {
                list.push((position(&self.fields, field)?, node_at(&nodes, node)));
            }
            let masks = format.get("masks").list().iter();
            let masks = masks.map(|m| self.mask(m)).collect::<Outcome<Vec<_>>>()?;
            let masks = masks.into_iter().flatten().collect();
            formats.push((name.as_str(), self.formats.id((list, masks))));
        }
        let mut compact = Vec::new();
        for (name, format) in platform.get("compact_formats").members() {
            let mut list = Vec::new();
            let mut map = Vec::new();
            for (field, node) in format.get("map").members() {
                let at = format.get("fields").get(field);
                list.push((position(&self.fields, field)?, node_at(&nodes, at)));
                map.push(node_at(&moves, node).ok_or("a compact field has no target")?);
            }
            compact.push((name.as_str(), self.formats.id((list, map))));
        }
        let find = |list: &[(&str, usize)], name: &str| {
            list.iter().find(|(n, _)| *n == name).map(|(_, id)| *id)
        };
        let traits = platform.get("traits");
        let _ = writeln!(out, "    Encoding {{");
        for number in ["rank", "grf_bytes", "grf_count"] {
            let _ = writeln!(out, "        {number}: {},", traits.get(number).number());
        }
        let swsb = match traits.get("swsb").text() {
            "" => "&[]".to_owned(),
            name => format!("&SWSB_{}", name.to_uppercase()),
        };
        let _ = writeln!(out, "        swsb: {swsb},\n        registers: &[");
        for register in platform.get("registers").list() {
            let _ = writeln!(
                out,
                "            Register {{ name: {:?}, high: {}, base: {}, count: {}, subregisters: {}, scaled: {} }},",
                register.get("name").text(),
                register.get("hi").number(),
                register.get("base").number(),
                register.get("count").number(),
                register.get("subregs").number() != 0,
                register.get("scaled").number() != 0,
            );
        }
        let _ = writeln!(out, "        ],\n        opcodes: &[");
        for (code, opcode) in platform.get("opcodes").members() {
            let Json::Text(mnemonic) = opcode.get("mnemonic") else {
                continue;
            };
            if opcode.get("op").text() != mnemonic {
                return Err(format!("{name}: {mnemonic} has another name"));
            }
            let Some(format) = find(&formats, opcode.get("format").text()) else {
                continue;
            };
            let compact = find(&compact, opcode.get("compact").text()).unwrap_or(0xff);
            let attributes = opcode.get("attrs").list().iter();
            let attributes = attributes.map(|a| match a.text() {
                "supports_predication" => 1,
                "supports_flagmodifier" => 2,
                "supports_saturation" => 4,
                "supports_srcmods" => 8,
                "supports_brctl" => 16,
                "is_bitwise" => 32,
                _ => 0,
            });
            let _ = writeln!(
                out,
                "            Opcode {{ code: {code}, op: Op::{}, kind: Kind::{}, attributes: {}, format: {format}, compact: {compact} }},",
                variant(&ops[position(ops, mnemonic)?]),
                camel(opcode.get("kind").text()),
                attributes.sum::<u32>(),
            );
        }
        let _ = writeln!(out, "        ],\n    }},");
        Ok(())
    }

    fn number(&self, node: &Option<Node>) -> usize {
        let (leaves, masks) = (self.leaves.0.len(), self.masks.0.len());
        match node {
            None => 0,
            Some(Node::Leaf(id)) => 1 + id,
            Some(Node::Mask(id)) => 1 + leaves + id,
            Some(Node::Move(id)) => 1 + leaves + masks + id,
            Some(Node::Decision(id)) => 1 + leaves + masks + self.moves.0.len() + id,
        }
    }

    fn write(&self, out: &mut String) -> Outcome {
        let first_mask = 1 + self.leaves.0.len();
        let first_move = first_mask + self.masks.0.len();
        let first_decision = first_move + self.moves.0.len();
        let _ = write!(
            out,
            "/// The first node that is a mask; the leaves are before.\npub const FIRST_MASK: u16 = {first_mask};\n\
             /// The first node that is a move of compact fields.\npub const FIRST_MOVE: u16 = {first_move};\n\
             /// The first node that is a decision; all later ones are.\npub const FIRST_DECISION: u16 = {first_decision};\n\n"
        );
        flat(
            out,
            "ENUMS",
            "u16",
            "Enumerations: `INVALID`, a number, or a [`Meaning`] above 0x8000.",
            &self.enums.0,
        );
        flat(
            out,
            "LEAVES",
            "u8",
            "Leaves: flags and how many pieces, width, enumeration, then a constant or the pieces.",
            &self.leaves.0,
        );
        flat(
            out,
            "MOVES",
            "u8",
            "Moves of compact fields: the table, then kind, two bits of the value, two of the word.",
            &self.moves.0,
        );
        flat(out, "LOOKUPS", "u64", "Compaction tables.", &self.lookups.0);
        let decisions: Vec<Vec<u16>> = self
            .decisions
            .0
            .iter()
            .map(|(key, runs)| {
                let mut list = vec![*key as u16];
                for (last, node) in runs {
                    list.push(*last as u16);
                    list.push(self.number(node) as u16);
                }
                list
            })
            .collect();
        flat(
            out,
            "DECISIONS",
            "u16",
            "Decisions: the field, then pairs of the last value and the node for it.",
            &decisions,
        );
        let _ = writeln!(
            out,
            "/// Masks of native words: what is set, and what is then kept.\npub static MASKS: [(u128, u128); {}] = [",
            self.masks.0.len()
        );
        for (or, and) in &self.masks.0 {
            let _ = writeln!(out, "    ({or:#x}, {and:#x}),");
        }
        out.push_str("];\n\n");
        let formats: Vec<Vec<u16>> = self
            .formats
            .0
            .iter()
            .map(|(fields, more)| {
                let mut list = vec![fields.len() as u16];
                for (field, node) in fields {
                    list.push(*field as u16);
                    list.push(self.number(node) as u16);
                }
                for node in more {
                    list.push(self.number(&Some(node.clone())) as u16);
                }
                list
            })
            .collect();
        flat(
            out,
            "FORMATS",
            "u16",
            "Formats: how many fields, pairs of field and node, then the masks, or for a compact format the moves of the fields.",
            &formats,
        );
        if self.formats.0.len() >= 0xff || first_decision + self.decisions.0.len() > 0xffff {
            return Err("too many formats or nodes".into());
        }
        Ok(())
    }
}

/// Writes a list of lists as one array and an array of start indices.
fn flat<T: std::fmt::LowerHex>(
    out: &mut String,
    name: &str,
    kind: &str,
    doc: &str,
    lists: &[Vec<T>],
) {
    let total: usize = lists.iter().map(Vec::len).sum();
    let _ = writeln!(out, "/// {doc}\npub static {name}: [{kind}; {total}] = [");
    for list in lists {
        out.push_str("   ");
        for item in list {
            let _ = write!(out, " {item:#x},");
        }
        out.push('\n');
    }
    let _ = writeln!(
        out,
        "];\n\n/// Where each of [`{name}`] starts, and the end.\npub static {name}_AT: [u16; {}] = [",
        lists.len() + 1
    );
    let mut at = 0;
    out.push_str("   ");
    for list in lists {
        let _ = write!(out, " {at},");
        at += list.len();
    }
    let _ = write!(out, " {at},\n];\n\n");
}

/// Returns the enumeration variant for a name of the model: `any16h`, `If`.
fn variant(name: &str) -> String {
    let mut letters = name.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => String::new(),
    }
}

/// Converts `basic_unary_regimm` to `BasicUnaryRegimm`.
fn camel(name: &str) -> String {
    name.split('_').map(variant).collect()
}

/// Writes an enumeration of names. Names that differ only in case get an underscore.
fn names(out: &mut String, name: &str, doc: &str, list: &[String]) {
    let _ = write!(
        out,
        "/// {doc}\n#[allow(missing_docs, non_camel_case_types)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u8)]\npub enum {name} {{\n"
    );
    let mut taken: Vec<String> = Vec::new();
    for item in list {
        let id = item.trim_start_matches('_');
        // Lower-case names of types and conditions stay as they are, unless they are keywords.
        let mut id = match (name, id) {
            ("Meaning", id) => id.to_owned(),
            (_, id) => variant(id),
        };
        if taken.contains(&id) {
            id.push('_');
        }
        let _ = writeln!(out, "    {id},");
        taken.push(id);
    }
    out.push_str("}\n\n");
    let _ = write!(
        out,
        "impl {name} {{\n    /// All, by number.\n    pub const ALL: [{name}; {}] = [\n",
        list.len()
    );
    for id in &taken {
        let _ = writeln!(out, "        {name}::{id},");
    }
    let _ = write!(
        out,
        "    ];\n\n    /// As the model spells it.\n    #[must_use]\n    pub fn name(self) -> &'static str {{\n        {}_NAMES.get(self as usize).copied().unwrap_or(\"\")\n    }}\n}}\n\n",
        name.to_uppercase()
    );
    let _ = writeln!(
        out,
        "static {}_NAMES: [&str; {}] = [",
        name.to_uppercase(),
        list.len()
    );
    for item in list {
        let _ = writeln!(out, "    {:?},", item.trim_start_matches('_'));
    }
    out.push_str("];\n\n");
}

/// Instruction classes with their own software scoreboard rules.
const CLASSES: [&str; 4] = ["SEND", "MATH", "DPAS", "OTHER"];

fn write_common(out: &mut String, common: &Json, meanings: &[String]) {
    let _ = writeln!(
        out,
        "/// By [`Meaning`]: how the number of a subregister follows from its byte (shift left, then right).\npub static SUBREGISTER_SHIFTS: [Option<(u8, u8)>; {}] = [",
        meanings.len()
    );
    for meaning in meanings {
        let _ = match common.get("type_subreg_shift").get(meaning).list() {
            [left, right] => writeln!(out, "    Some(({}, {})),", left.number(), right.number()),
            _ => writeln!(out, "    None,"),
        };
    }
    out.push_str(
        "];\n\n/// The expression of each function of `bfn`.\npub static BFN: [&str; 256] = [\n",
    );
    for text in common.get("bfn").list() {
        let _ = writeln!(out, "    {:?},", text.text());
    }
    out.push_str("];\n\n");
    for (name, rules) in common.get("swsb").members() {
        let _ = writeln!(
            out,
            "/// The software scoreboard.\npub static SWSB_{}: [SwsbRule; {}] = [",
            name.to_uppercase(),
            rules.list().len()
        );
        for rule in rules.list() {
            let texts = |value: &Json| -> Vec<String> {
                let of = |class| match value {
                    Json::Object(_) => value.get(class).text(),
                    other => other.text(),
                };
                CLASSES.iter().map(|class| of(class).to_owned()).collect()
            };
            let (distance, token) = (rule.get("dist"), rule.get("sbid"));
            let distance = if distance.is_null() {
                "None".to_owned()
            } else {
                format!(
                    "Some(({:?}, {}, {}))",
                    texts(distance.get("prefix")),
                    distance.get("shift").number(),
                    distance.get("mask").number()
                )
            };
            let token = if token.is_null() {
                "None".to_owned()
            } else {
                format!(
                    "Some(({:?}, {}))",
                    texts(token.get("suffix")),
                    token.get("mask").number()
                )
            };
            let _ = writeln!(
                out,
                "    SwsbRule {{ mask: {}, value: {}, distance: {distance}, token: {token} }},",
                rule.get("mask").number(),
                rule.get("value").number()
            );
        }
        out.push_str("];\n\n");
    }
}

fn write_messages(out: &mut String, messages: &Json) {
    let ops = messages.get("send_ops").members();
    let find = |name: &str| ops.iter().position(|(n, _)| n == name).unwrap_or(0xff);
    let names: Vec<String> = ops
        .iter()
        .map(|(name, _)| camel(&name.to_lowercase()))
        .collect();
    out.push_str("/// An operation of a message.\n#[allow(missing_docs)]\n#[derive(Clone, Copy, Debug, PartialEq, Eq)]\n#[repr(u8)]\npub enum SendOp {\n");
    for name in &names {
        let _ = writeln!(out, "    {name},");
    }
    let _ = writeln!(
        out,
        "}}\n\n/// By [`SendOp`].\npub static SEND_OPS: [SendOpInfo; {}] = [",
        ops.len()
    );
    for (_, op) in ops {
        let group = camel(op.get("group").text());
        let _ = writeln!(
            out,
            "    SendOpInfo {{ mnemonic: {:?}, text: {:?}, group: SendGroup::{group}, arguments: {}, component_mask: {}, gather4: {} }},",
            op.get("mnemonic").text(),
            op.get("text").text(),
            op.get("args").number(),
            op.get("cmask").number() != 0,
            op.get("gather4").number() != 0
        );
    }
    out.push_str("];\n\n");
    let op_of = |value: &Json| format!("SendOp::{}", names[find(value.text())]);
    let table =
        |out: &mut String, name: &str, doc: &str, kind: &str, row: &dyn Fn(&Json) -> String| {
            let rows = messages.get(name).members();
            let _ = writeln!(
                out,
                "/// {doc}\npub static {}: [(u8, {kind}); {}] = [",
                name.to_uppercase(),
                rows.len()
            );
            for (code, value) in rows {
                let _ = writeln!(out, "    ({code}, {}),", row(value));
            }
            out.push_str("];\n\n");
        };
    table(
        out,
        "sampler_xe2",
        "Sampler operations from Xe2 on.",
        "SamplerOp",
        &|value| {
            let params = value.get("params").list().iter().map(|p| match p {
                Json::List(pair) => format!("({:?}, {:?})", pair[0].text(), pair[1].text()),
                one => format!("({0:?}, {0:?})", one.text()),
            });
            format!(
                "SamplerOp {{ op: {}, name: {:?}, parameters: &[{}] }}",
                op_of(value.get("op")),
                value.get("name").text(),
                params.collect::<Vec<_>>().join(", ")
            )
        },
    );
    let text = |value: &Json| format!("{:?}", value.text());
    table(
        out,
        "sampler_old",
        "Sampler operations before Xe2.",
        "&str",
        &text,
    );
    table(
        out,
        "sampler_old_simd32",
        "Sampler operations of SIMD32 before Xe-HPG.",
        "&str",
        &text,
    );
    table(
        out,
        "gateway",
        "Operations of the gateway.",
        "SendOp",
        &op_of,
    );
    table(
        out,
        "lsc",
        "Operations of the load/store cache.",
        "(SendOp, &str)",
        &|value| {
            format!(
                "({}, {:?})",
                op_of(value.get("op")),
                value.get("text").text()
            )
        },
    );
    table(
        out,
        "lsc64",
        "Operations of the load/store cache with descriptors of 64 bits.",
        "SendOp",
        &|value| op_of(value.get("op")),
    );
    for (name, values) in messages.get("lsc64_cache").members() {
        let _ = writeln!(
            out,
            "/// Caching of {name}s with descriptors of 64 bits.\npub static LSC64_CACHE_{}: [(u8, &str); {}] = [",
            name.to_uppercase(),
            values.members().len()
        );
        for (code, value) in values.members() {
            let _ = writeln!(out, "    ({code}, {:?}),", value.text());
        }
        out.push_str("];\n\n");
    }
    let mut lists = |name: &str, list: &Json| {
        let _ = writeln!(
            out,
            "/// {}\npub static {}: [&str; {}] = [",
            if name.starts_with("hdc") {
                "Atomic operations of the data cache."
            } else {
                "Texts of the messages."
            },
            name.to_uppercase(),
            list.list().len()
        );
        for item in list.list() {
            let _ = writeln!(out, "    {:?},", item.text());
        }
        out.push_str("];\n\n");
    };
    lists("hdc_int_atomic", messages.get("hdc_int_atomic"));
    lists("hdc_float_atomic", messages.get("hdc_float_atomic"));
    lists("sfid_pre_xe_text", messages.get("sfid_pre_xe_text"));
    let modes = messages.get("sampler_modes");
    lists("sampler_modes_gen9", modes.get("rank<22"));
    lists("sampler_modes_xe_hpg", modes.get("rank 22..24"));
    lists("sampler_modes_xe2", modes.get("rank>=30"));
    let lsc = messages.get("lsc_fields");
    for name in [
        "data_size_text",
        "addr_type_text",
        "cache3_load",
        "cache3_store_atomic",
        "fence_op_text",
        "fence_scope_text",
    ] {
        lists(&format!("lsc_{name}"), lsc.get(name));
    }
    let lsc64 = messages.get("lsc64_fields");
    for name in [
        "data_size_text",
        "addr_type_ugm",
        "surface_hint_text",
        "fence_op_text",
        "fence_scope_text",
        "cctrl_size_text",
    ] {
        lists(&format!("lsc64_{name}"), lsc64.get(name));
    }
}
