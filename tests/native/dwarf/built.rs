//! Decoded form of generated DWARF: each value with its bytes.

use super::{below, section};
use crate::support::dwarf::{
    Abbrev, Kind, Lines, Shape, at, form, table, tag, uleb, unit, unit_header,
};
use crate::support::dwarf_files::{self as files, Operation, Row};
use crate::support::elf::{Built, Elf, Relocation, Section, Symbol};
use crate::support::tree::{Flat, Tree, walk_all};
use zeview::model::Node;
use zeview::model::text::value_text;

/// A file, decoded.
struct Opened {
    built: Built,
    tree: Tree,
}

impl Opened {
    fn of(elf: &Elf) -> Opened {
        Opened::built(elf.build())
    }

    fn built(built: Built) -> Opened {
        let document = crate::support::open(&built.bytes);
        let tree = walk_all(&document).unwrap();
        Opened { built, tree }
    }

    /// Returns all descendants of a section.
    fn below(&self, name: &str) -> Vec<&Flat> {
        below(&self.tree, section(&self.tree, name).unwrap())
    }

    /// Returns the nodes with this name below a section, in byte order.
    fn named(&self, section: &str, name: &str) -> Vec<&Flat> {
        let mut all = self.below(section);
        all.retain(|flat| flat.node.name == name);
        all.sort_by_key(|flat| flat.node.span.map(|span| span.start));
        all
    }

    fn children(&self, flat: &Flat) -> Vec<&Node> {
        self.tree.children(flat).iter().map(|f| &f.node).collect()
    }

    /// Where in a section the bytes of a node are.
    fn place(&self, section: &str, node: &Node) -> (usize, usize) {
        let start = self.built.content(section).start;
        let span = node.span.unwrap();
        (span.start as usize - start, span.end as usize - start)
    }
}

/// Returns the value and the summary.
fn said(node: &Node) -> (String, &str) {
    (
        value_text(&node.value),
        node.summary.as_deref().unwrap_or(""),
    )
}

/// Returns the reference of this kind.
fn refers<'a>(node: &'a Node, why: &str) -> Option<&'a str> {
    let found = node.xrefs.iter().find(|xref| xref.why == why);
    found.map(|xref| &*xref.label)
}

fn assert_rows(file: &Opened, entry: &Flat, rows: &[Row], start: usize) {
    let shown = file.children(entry);
    assert_eq!(shown.len(), rows.len() + 1, "{:?}", shown.last());
    let mut at = start;
    for (node, row) in shown.iter().skip(1).zip(rows) {
        let what = format!("{} in form {:#x}", node.name, row.form);
        let end = at + row.bytes.len();
        assert_eq!(file.place(".debug_info", node), (at, end), "{what}");
        let expected = (row.value.clone(), row.summary.as_str());
        assert_eq!(said(node), expected, "{what}");
        at = end;
    }
}

#[test]
fn every_form_has_its_value_and_bytes() {
    let shapes = [
        Shape::version(2).address(4),
        Shape::version(3),
        Shape::version(4),
        Shape::version(4).wide(),
        Shape::version(4).big(),
        Shape::version(5),
        Shape::version(5).wide().big(),
        Shape::version(5).address(4),
    ];
    for shape in shapes {
        let (elf, rows, start) = files::forms(shape);
        let file = Opened::of(&elf);
        let entries = file.named(".debug_info", "DW_TAG_variable");
        assert_eq!(entries.len(), 1, "{shape:?}");
        // The abbreviation code is 200: two bytes before the first attribute.
        assert_eq!(
            file.place(".debug_info", &entries[0].node).0,
            start - 2,
            "{shape:?}"
        );
        assert_rows(&file, entries[0], &rows, start);
    }
}

#[test]
fn names_of_values() {
    let (elf, rows, start) = files::names();
    let file = Opened::of(&elf);
    let entries = file.named(".debug_info", "DW_TAG_variable");
    assert_rows(&file, entries[0], &rows, start);
}

#[test]
fn every_type_of_unit() {
    for shape in [
        Shape::version(5),
        Shape::version(5).wide(),
        Shape::version(5).big().address(4),
    ] {
        let file = Opened::of(&files::units(shape));
        let units = file.named(".debug_info", "unit");
        let headers = file.named(".debug_info", "header");
        let kinds = files::kinds(shape);
        assert_eq!(units.len(), kinds.len());
        let names = [
            ("DW_UT_compile (1)", "compile, DWARF 5"),
            ("DW_UT_partial (3)", "partial, DWARF 5"),
            ("DW_UT_skeleton (4)", "skeleton, DWARF 5"),
            ("DW_UT_split_compile (5)", "split, DWARF 5"),
            ("DW_UT_type (2)", "type, DWARF 5"),
            ("DW_UT_split_type (6)", "split type, DWARF 5"),
        ];
        let mut at = 0;
        for (number, ((kind, name), bytes)) in names.iter().zip(&kinds).enumerate() {
            let unit = &units[number].node;
            let place = (at, at + bytes.len());
            assert_eq!(file.place(".debug_info", unit), place, "{name}");
            assert_eq!(unit.summary.as_deref(), Some(*name));
            let fields = file.children(headers[number]);
            let field = |name: &str| {
                let found = fields.iter().find(|node| node.name == name);
                found.map(|node| value_text(&node.value))
            };
            let word = shape.word();
            let length = bytes.len() - shape.length();
            assert_eq!(field("unit_length"), Some(length.to_string()));
            assert_eq!(field("escape").is_some(), shape.wide);
            assert_eq!(field("version").as_deref(), Some("5"));
            assert_eq!(field("unit_type").as_deref(), Some(*kind));
            assert_eq!(field("address_size"), Some(shape.address.to_string()));
            assert_eq!(field("debug_abbrev_offset").as_deref(), Some("0x0"));
            let id = match number {
                0 | 1 => None,
                _ => Some(format!("0x{}", (number - 1).to_string().repeat(16))),
            };
            assert_eq!(field("id"), id, "{name}");
            let of_type = unit_header(shape, Kind::Type(0, 0));
            let offset = (number >= 4).then(|| format!("{of_type:#x}"));
            assert_eq!(field("type_offset"), offset, "{name}");
            // Fields are contiguous up to the first entry.
            let mut ends = at;
            for node in &fields {
                let (from, to) = file.place(".debug_info", node);
                assert_eq!(from, ends, "{}", node.name);
                ends = to;
            }
            let offset = fields.iter().find(|n| n.name == "debug_abbrev_offset");
            assert_eq!(offset.unwrap().span.unwrap().len(), word as u64);
            assert_eq!(file.place(".debug_info", &headers[number].node), (at, ends));
            at += bytes.len();
        }
    }
}

/// Checks the rows of an expression after its length.
fn assert_operations(file: &Opened, entry: &Flat, start: usize, expected: &[Operation]) {
    let location = &file.tree.children(entry)[1];
    let rows = file.children(location);
    assert_eq!(rows.len(), expected.len() + 1);
    let size: usize = expected.iter().map(|(bytes, ..)| bytes.len()).sum();
    assert_eq!(said(rows[0]), (size.to_string(), ""));
    let mut at = file.place(".debug_info", rows[0]).1;
    assert!(at > start);
    for (node, (bytes, name, operand)) in rows[1..].iter().zip(expected) {
        let end = at + bytes.len();
        assert_eq!(node.name, **name);
        assert_eq!(said(node), (String::new(), &**operand), "{name}");
        assert_eq!(file.place(".debug_info", node), (at, end), "{name}");
        at = end;
    }
}

#[test]
fn every_operation_has_its_operands_and_bytes() {
    for shape in [
        Shape::version(5),
        Shape::version(5).wide().big(),
        Shape::version(4).address(4),
    ] {
        let lists = [
            files::operations(shape),
            files::registers(shape, true),
            files::intel_operations(),
        ];
        let bytes = |list: &Vec<Operation>| list.iter().flat_map(|o| o.0.clone()).collect();
        let given = lists.each_ref().map(|list| (form::EXPRLOC, bytes(list)));
        let (elf, places) = files::with_expressions(shape, &given);
        let file = Opened::of(&elf);
        let entries = file.named(".debug_info", "DW_TAG_variable");
        for ((entry, start), list) in entries.iter().zip(places).zip(&lists) {
            assert_operations(&file, entry, start, list);
        }
    }
}

#[test]
fn other_machines_have_no_intel_registers_and_operations() {
    let file = Opened::of(&files::expressions_of_others());
    let entries = file.named(".debug_info", "DW_TAG_variable");
    let shape = Shape::version(5);
    assert_operations(&file, entries[0], 0, &files::registers(shape, false));
    let location = &file.tree.children(entries[1])[1];
    // 0xeb is unknown, so everything after it is unknown too.
    let rows = file.children(location);
    assert_eq!(rows.len(), 2, "{rows:?}");
    assert_eq!(rows[1].name, "operation 0xeb");
    assert_eq!(rows[1].span.unwrap().len(), 7);
}

#[test]
fn expressions_that_end_early() {
    let file = Opened::of(&files::expressions());
    let entries = file.named(".debug_info", "DW_TAG_variable");
    let shown = |number: usize| {
        let location = &file.tree.children(entries[number])[1];
        let rows = file.children(location);
        let rows = rows.iter().skip(1);
        rows.map(|node| (node.name.to_string(), node.span.unwrap().len()))
            .collect::<Vec<_>>()
    };
    let of = |list: &[(&str, u64)]| {
        let list = list.iter();
        list.map(|(name, len)| ((*name).to_owned(), *len))
            .collect::<Vec<_>>()
    };
    assert_eq!(shown(3), of(&[("DW_OP_nop", 1), ("operation 0xe3", 3)]));
    assert_eq!(shown(4), of(&[("DW_OP_lit0", 1), ("DW_OP_const4u", 3)]));
    assert_eq!(shown(5), of(&[("DW_OP_INTEL_regval_bits", 1)]));
}

#[test]
fn blocks_have_their_length_in_each_form() {
    for shape in [Shape::version(3), Shape::version(3).big()] {
        let (elf, places) = files::blocks(shape);
        let file = Opened::of(&elf);
        let entries = file.named(".debug_info", "DW_TAG_variable");
        // With the operation and the size that it states.
        let expected = [(203, 1), (393, 2), (303, 4), (303, 2), (5, 1)];
        for ((entry, start), (size, len)) in entries.iter().zip(places).zip(expected) {
            let rows = file.children(&file.tree.children(entry)[1]);
            let form = rows.iter().filter(|node| node.name == "form").count();
            assert_eq!(form, usize::from(size == 5));
            let at = start + form;
            assert_eq!(said(rows[form]), (size.to_string(), ""));
            assert_eq!(file.place(".debug_info", rows[form]), (at, at + len));
            let end = at + len + size;
            assert_eq!(file.place(".debug_info", rows[form + 1]), (at + len, end));
            assert_eq!(rows.len(), form + 2);
        }
    }
}

/// Returns names, sizes and summaries of the rows below the node.
fn lines_of(file: &Opened, flat: &Flat) -> Vec<String> {
    let line = |node: &Node| {
        let size = node.span.map_or(0, |span| span.len());
        let (value, summary) = said(node);
        let words = [
            node.name.to_string(),
            size.to_string(),
            value,
            summary.to_owned(),
        ];
        words
            .into_iter()
            .filter(|word| !word.is_empty())
            .collect::<Vec<_>>()
            .join(" | ")
    };
    file.children(flat).into_iter().map(line).collect()
}

#[test]
fn entries_belong_to_entries() {
    let file = Opened::of(&files::tree());
    let units = file.named(".debug_info", "unit");
    assert_eq!(units.len(), 10);
    let root = |number: usize| &file.tree.children(units[number])[1];
    let whole = root(0);
    assert_eq!(
        lines_of(&file, whole),
        [
            "abbreviation code | 1 | 1",
            "DW_AT_name | 8 | \"tree.cl\"",
            "DW_TAG_subprogram | 15 | f",
            "DW_TAG_subprogram | 8 | g",
            "null entry | 1",
        ]
    );
    let f = &file.tree.children(whole)[2];
    assert_eq!(
        lines_of(&file, f)[2..],
        [
            "DW_AT_sibling | 4 | 0x23 | subprogram g",
            "DW_TAG_formal_parameter | 3 | a",
            "DW_TAG_lexical_block | 4",
            "null entry | 1",
        ]
    );
    let block = &file.tree.children(f)[4];
    let unknown = [
        "abbreviation code | 1 | 4",
        "tag 0x4abc | 2",
        "null entry | 1",
    ];
    assert_eq!(lines_of(&file, block), unknown);
    let unknown = &file.tree.children(block)[1];
    assert_eq!(lines_of(&file, unknown)[1], "attribute 0x3abc | 1 | 238");
    // Open entries end with the unit.
    let ends = |flat: &Flat| flat.node.span.unwrap().end;
    let open = root(1);
    assert_eq!(ends(open), ends(units[1]));
    let block = file.tree.children(open).last().unwrap();
    assert_eq!(ends(block), ends(units[1]));
}

#[test]
fn units_end_where_they_cannot_be_read() {
    let file = Opened::of(&files::tree());
    let units = file.named(".debug_info", "unit");
    let rest = |number: usize| lines_of(&file, units[number])[1..].to_vec();
    let root = |len| format!("DW_TAG_compile_unit | {len} | tree.cl");
    let unreadable = |len| format!("unreadable entries | {len}");
    // An unknown form, an unknown code, an unterminated string.
    assert_eq!(rest(2), [root(12), unreadable(7)]);
    assert_eq!(rest(3), [root(12), unreadable(5)]);
    assert_eq!(rest(4), [root(9), unreadable(7)]);
    // A number of too many bits: only its entry is unreadable.
    assert_eq!(rest(5), [root(23)]);
    let entry = file.named(".debug_info", "DW_TAG_base_type");
    let rows = ["abbreviation code | 1 | 7", "unreadable attributes | 12"];
    assert_eq!(lines_of(&file, entry[0]), rows);
    // More ends than starts.
    let end = || "null entry | 1".to_owned();
    assert_eq!(rest(6), [root(10), end(), end()]);
    // The second table, one that starts within another, and no entries.
    assert_eq!(rest(7), ["DW_TAG_structure_type | 3 | S"]);
    assert_eq!(rest(8), [unreadable(9)]);
    assert!(rest(9).is_empty());
    // Less data than the length states.
    let info = section(&file.tree, ".debug_info").unwrap();
    let rows = lines_of(&file, info);
    assert_eq!(rows.last().unwrap(), "no unit | 17");
    let tables = section(&file.tree, ".debug_abbrev").unwrap();
    assert_eq!(
        lines_of(&file, tables),
        [
            "abbreviations | 57 | 7 abbreviations",
            "abbreviations | 8 | 1 abbreviation",
            "no abbreviations | 2",
        ]
    );
}

#[test]
fn every_opcode_has_its_operands_and_row() {
    let mut shapes = [2, 3, 4, 5].map(Shape::version).to_vec();
    shapes.push(Shape::version(4).wide());
    shapes.push(Shape::version(5).wide());
    for shape in shapes {
        let lines = files::every_opcode(shape);
        let start = lines.build().len() - lines.opcodes.len();
        let file = Opened::of(&files::with_lines(lines.build()));
        let opcodes = file.named(".debug_line", "opcodes");
        assert_eq!(opcodes.len(), 1);
        let place = file.place(".debug_line", &opcodes[0].node);
        assert_eq!(place, (start, start + lines.opcodes.len()), "{shape:?}");
        // The file defined by an opcode is the third; in version 5 there is none.
        let (set, defined) = match shape.version {
            5 => ("DW_LNS_set_file | 2 | 1", "first.cl"),
            _ => ("DW_LNS_set_file | 2 | 3", "defined.cl"),
        };
        let defined = format!("special opcode | 1 | 36 | row 0x147: {defined}:199:200");
        let expected = [
            "DW_LNE_set_address | 11",
            "DW_LNS_copy | 1 | row 0x10: first.cl:1",
            "DW_LNS_advance_pc | 2 | 32",
            "DW_LNS_advance_line | 3 | +300",
            "DW_LNS_set_file | 2 | 2",
            "DW_LNS_set_column | 3 | 200",
            "DW_LNS_negate_stmt | 1",
            "DW_LNS_set_basic_block | 1",
            "special opcode | 1 | 65 | row 0x33: second.cl:303:200",
            "DW_LNS_const_add_pc | 1",
            "special opcode | 1 | 16 | row 0x44: second.cl:298:200",
            "DW_LNS_fixed_advance_pc | 3 | 258",
            "DW_LNS_set_prologue_end | 1",
            "DW_LNS_set_epilogue_begin | 1",
            "DW_LNS_set_isa | 3 | 300",
            "DW_LNS_advance_line | 3 | -100",
            "DW_LNS_copy | 1 | row 0x146: second.cl:198:200",
            "standard opcode 13 | 1",
            "standard opcode 14 | 3 | 300",
            "standard opcode 15 | 5 | 1, 200, 3",
            "DW_LNE_set_discriminator | 5 | 129",
            "DW_LNE_lo_user | 6",
            "extended opcode 127 | 3",
            "DW_LNE_define_file | 17",
            set,
            &defined,
            "DW_LNS_set_file | 2 | 77",
            "special opcode | 1 | 36 | row 0x148: file 77, line 200, column 200",
            "DW_LNE_end_sequence | 3 | row 0x148: end",
            "DW_LNE_set_address | 11",
            "DW_LNS_copy | 1 | row 0x8: first.cl:1",
            "DW_LNS_advance_pc | 6 | 4294967295",
            "DW_LNE_end_sequence | 3 | row 0x100000007: end",
        ];
        assert_eq!(lines_of(&file, opcodes[0]), expected, "{shape:?}");
        let rows = file.children(opcodes[0]);
        let codes: Vec<_> = rows
            .iter()
            .filter_map(|node| refers(node, "code"))
            .collect();
        let expected = [0x10, 0x33, 0x44, 8].map(|at| format!(".text.k + {at:#x}"));
        assert_eq!(codes, expected, "{shape:?}");
    }
}

#[test]
fn advances_count_in_instructions() {
    for shape in [Shape::version(4), Shape::version(5)] {
        let lines = files::long_instructions(shape);
        let file = Opened::of(&files::with_lines(lines.build()));
        let opcodes = file.named(".debug_line", "opcodes");
        let rows = file.children(opcodes[0]);
        let summaries = rows.iter().filter_map(|node| node.summary.as_deref());
        let rows: Vec<_> = summaries.filter(|text| text.starts_with("row")).collect();
        // 2 and 3 instructions of 16 bytes; 242 / 12 of them; 5 bytes; one more instruction.
        let name = if shape.version == 5 {
            "one.cl"
        } else {
            "first.cl"
        };
        let at = |address: u64| format!("row {address:#x}: {name}:9");
        let expected = [0x20, 0x50, 0x190, 0x195].map(at).to_vec();
        assert_eq!(rows[..4], expected);
        assert_eq!(rows[4..], ["row 0x1a5: end"]);
    }
}

#[test]
fn line_programs_end_where_they_cannot_be_read() {
    let file = Opened::of(&files::broken_lines());
    let programs = file.named(".debug_line", "line program");
    let rows = |number: usize| lines_of(&file, programs[number])[1..].to_vec();
    let opcodes = |len, count| format!("opcodes | {len} | {count}");
    let unreadable = |len| format!("unreadable opcodes | {len}");
    assert_eq!(rows(0), [opcodes(37, "5 rows")]);
    assert_eq!(rows(1), [opcodes(27, "3 rows")]);
    assert_eq!(rows(2), [opcodes(12, "1 row"), unreadable(2)]);
    assert_eq!(rows(3), [opcodes(12, "1 row"), unreadable(4)]);
    assert_eq!(rows(4), [opcodes(12, "1 row"), unreadable(3)]);
    assert_eq!(rows(5), [opcodes(12, "1 row"), unreadable(12)]);
    assert_eq!(rows(6), [unreadable(1)]);
    assert!(rows(7).is_empty());
    let all = section(&file.tree, ".debug_line").unwrap();
    assert_eq!(lines_of(&file, all).last().unwrap(), "no line program | 66");
}

#[test]
fn rows_of_discarded_code_have_no_reference() {
    let file = Opened::of(&files::broken_lines());
    let opcodes = file.named(".debug_line", "opcodes");
    let rows = |number: usize| {
        let list = file.children(opcodes[number]).into_iter();
        let list = list.filter(|node| {
            node.summary
                .as_deref()
                .is_some_and(|s| s.starts_with("row"))
        });
        list.map(|node| (node.summary.as_deref().unwrap(), refers(node, "code")))
            .collect::<Vec<_>>()
    };
    assert_eq!(
        rows(0),
        [
            ("row without code: first.cl:7", None),
            ("row without code: first.cl:7", None),
            ("row without code: end", None),
            ("row 0x10: first.cl:1", Some(".text.k + 0x10")),
            ("row 0x14: end", Some(".text.k + 0x14")),
        ]
    );
    // A decreasing address is not a step: the sequence has two functions.
    assert_eq!(
        rows(1),
        [
            ("row 0x20: first.cl:1", Some(".text.k + 0x20")),
            ("row 0x10: first.cl:1", Some(".text.k + 0x10")),
            ("row 0x10: end", Some(".text.k + 0x10")),
        ]
    );
    // The first instruction has no row.
    let text = file.below(".text.k");
    let first = text
        .iter()
        .filter(|flat| refers(&flat.node, "source").is_some());
    let first = first
        .filter_map(|flat| flat.node.span)
        .map(|span| span.start)
        .min();
    assert_eq!(first, Some(file.built.content(".text.k").start as u64));
}

#[test]
fn lists_of_ranges_and_locations() {
    for shape in [Shape::version(4), Shape::version(4).address(4).big()] {
        let file = Opened::of(&files::lists(shape));
        let size = shape.address;
        let most = if size == 8 { u64::MAX } else { u32::MAX.into() };
        let info = file.named(".debug_info", "DW_AT_location");
        assert_eq!(refers(&info[0].node, "section"), Some(".debug_loc + 0x0"));
        let info = file.named(".debug_info", "DW_AT_ranges");
        assert_eq!(
            refers(&info[0].node, "section"),
            Some(".debug_ranges + 0x0")
        );
        let all = section(&file.tree, ".debug_ranges").unwrap();
        let pair = size * 2;
        assert_eq!(
            lines_of(&file, all),
            [
                format!("ranges | {} | at 0x0, 3 entries", pair * 4),
                format!("ranges | {pair} | at {:#x}, 0 entries", pair * 4),
                format!("ranges | {} | at {:#x}, 1 entry", pair * 2, pair * 5),
                format!("no list | {}", pair + 1),
            ]
        );
        let list = &file.tree.children(all)[0];
        assert_eq!(
            lines_of(&file, list),
            [
                format!("range | {pair} | 0x10 to 0x20"),
                format!("base address | {pair} | 0x1000"),
                format!("range | {pair} | 0x0 to 0x8"),
                format!("end | {pair}"),
            ]
        );
        let entries = file.tree.children(list);
        let range = [
            format!("begin | {size} | 0x10"),
            format!("end | {size} | 0x20"),
        ];
        assert_eq!(lines_of(&file, &entries[0]), range);
        let base = [
            format!("escape | {size} | {most:#x}"),
            format!("base | {size} | 0x1000"),
        ];
        assert_eq!(lines_of(&file, &entries[1]), base);

        let all = section(&file.tree, ".debug_loc").unwrap();
        let first = (pair + 3) + (pair + 3 + size) + pair + (pair + 2) + pair;
        let second = (pair + 5) + pair;
        assert_eq!(
            lines_of(&file, all),
            [
                format!("location list | {first} | at 0x0, 4 entries"),
                format!("location list | {second} | at {first:#x}, 1 entry"),
                format!("no list | {}", pair + 3),
            ]
        );
        let list = &file.tree.children(all)[0];
        assert_eq!(
            lines_of(&file, list),
            [
                format!("location | {} | 0x10 to 0x20: reg17 r1", pair + 3),
                format!("location | {} | 0x20 to 0x30: addr 0x1234", pair + 3 + size),
                format!("base address | {pair} | 0x1000"),
                format!("location | {} | 0x0 to 0x8", pair + 2),
                format!("end | {pair}"),
            ]
        );
        let entries = file.tree.children(list);
        assert_eq!(
            lines_of(&file, &entries[1]),
            [
                format!("begin | {size} | 0x20"),
                format!("end | {size} | 0x30"),
                format!("size | 2 | {}", size + 1),
                format!("DW_OP_addr | {} | 0x1234", size + 1),
            ]
        );
    }
}

#[test]
fn relocations_resolve_their_values() {
    let (addresses, offsets) = files::places();
    for addend in [true, false] {
        let file = Opened::of(&files::relocated(addend));
        let name = file.named(".debug_info", "DW_AT_name");
        assert_eq!(name[0].node.summary.as_deref(), Some("\"in str\""));
        let shown = |name: &str, why: &str| -> Vec<String> {
            let all = file.named(".debug_info", name).into_iter();
            all.map(|flat| refers(&flat.node, why).unwrap_or("").to_owned())
                .collect()
        };
        let expected: Vec<_> = addresses.iter().map(|place| place.shown).collect();
        assert_eq!(shown("DW_AT_low_pc", "code"), expected);
        let expected: Vec<_> = offsets.iter().map(|place| place.shown).collect();
        assert_eq!(shown("DW_AT_ranges", "section"), expected);
        // A list does not end at relocated zeros.
        let list = file.named(".debug_ranges", "ranges");
        assert_eq!(lines_of(&file, list[0]).len(), 3);
        let begin = file.named(".debug_ranges", "begin");
        assert_eq!(refers(&begin[0].node, "code"), Some(".text.k + 0x0"));
        let copy = file.named(".debug_line", "DW_LNS_copy");
        assert_eq!(refers(&copy[0].node, "code"), Some(".text.other + 0x0"));
    }
}

#[test]
fn sections_of_code_have_addresses() {
    let (k, other) = (".text.k", ".text.other");
    let built = files::relocated(true).build();
    let built = built.with_section(k, "sh_addr", 0x1000);
    let file = Opened::built(built.with_section(other, "sh_addr", 0x10));
    let low = file.named(".debug_info", "DW_AT_low_pc");
    let shown: Vec<_> = low
        .iter()
        .map(|f| refers(&f.node, "code").unwrap_or(""))
        .collect();
    let expected = [
        ".text.k + 0x10",
        ".text.k + 0x0",
        ".text.other + 0x8",
        ".text.k + 0x18",
        ".text.k + 0x20",
        "",
        "",
        "",
        // Without the section's name, addresses identify it.
        ".text.other + 0x0",
    ];
    assert_eq!(shown, expected);
}

#[test]
fn numbers_have_at_most_64_bits() {
    // The codes of abbreviations: 2^64 - 1, then 2^64.
    let most = uleb(u64::MAX);
    let more = [&[0x80; 9][..], &[2]].concat();
    let rest = [0x34, 0, 0, 0, 0];
    for (code, is_one) in [(most, true), (more, false)] {
        let bytes = [&code[..], &rest].concat();
        let size = bytes.len();
        let elf = files::of_sections(vec![(".debug_abbrev", bytes)]);
        let file = Opened::of(&elf);
        let table = section(&file.tree, ".debug_abbrev").unwrap();
        let expected = if is_one {
            format!("abbreviations | {size} | 1 abbreviation")
        } else {
            format!("no abbreviations | {size}")
        };
        assert_eq!(lines_of(&file, table), [expected]);
    }
}

#[test]
fn units_of_an_unknown_sort_or_version_end_the_list() {
    let shape = Shape::version(5);
    let known = unit(shape, Kind::Compile, 0, []);
    let sort = unit(shape, Kind::Unknown(0x80), 0, []);
    let version = unit(Shape::version(6), Kind::Compile, 0, []);
    for unknown in [sort, version] {
        let info = [&known[..], &unknown, &known].concat();
        let rest = info.len() - known.len();
        let elf = files::of_sections(vec![(".debug_info", info)]);
        let file = Opened::of(&elf);
        let info = section(&file.tree, ".debug_info").unwrap();
        let expected = [
            "unit | 12 | DWARF 5".to_owned(),
            format!("no unit | {rest}"),
        ];
        assert_eq!(lines_of(&file, info), expected);
    }
}

/// Checks that the nodes are contiguous from `start` on. Returns the end of the last one.
fn follow(file: &Opened, section: &str, nodes: &[&Node], start: usize) -> usize {
    nodes.iter().fold(start, |at, node| {
        let (from, to) = file.place(section, node);
        assert_eq!(from, at, "{}", node.name);
        to
    })
}

#[test]
fn directories_and_files_have_parts_in_every_form() {
    for shape in [
        Shape::version(5),
        Shape::version(5).wide(),
        Shape::version(5).big(),
    ] {
        let lines = files::every_opcode(shape);
        let elf = files::with_lines(lines.build());
        let file = Opened::of(&if shape.big { elf.big_endian() } else { elf });
        let headers = file.named(".debug_line", "header");
        let fields = file.children(headers[0]);
        let end = follow(&file, ".debug_line", &fields, 0);
        assert_eq!(end, lines.build().len() - lines.opcodes.len());
        let word = shape.word();
        let found = file.named(".debug_line", "directory");
        assert_eq!(found.len(), 2);
        let second = format!("DW_LNCT_path | {word} | 0x5 | in line_str");
        assert_eq!(lines_of(&file, found[1])[0], second);
        assert_eq!(found[1].node.summary.as_deref(), Some("in line_str"));
        let found = file.named(".debug_line", "file");
        assert_eq!(found.len(), 3);
        assert_eq!(found[0].node.summary.as_deref(), Some("zero.cl"));
        assert_eq!(
            lines_of(&file, found[0]),
            [
                "DW_LNCT_path | 8 | \"zero.cl\"",
                "DW_LNCT_directory_index | 2 | 300",
                "DW_LNCT_timestamp | 4 | 16909060",
                "DW_LNCT_size | 8 | 70000",
                "DW_LNCT_MD5 | 16",
                "DW_LNCT_directory_index | 1 | 1",
                "DW_LNCT_directory_index | 2 | 2",
                "DW_LNCT_timestamp | 3",
                &format!("DW_LNCT_LLVM_source | {word} | 0x6 | in str"),
                &format!("DW_LNCT_LLVM_source | {word} | 0x5 | in line_str"),
            ]
        );
        for entry in found {
            let (start, end) = file.place(".debug_line", &entry.node);
            let parts = file.children(entry);
            assert_eq!(follow(&file, ".debug_line", &parts, start), end);
        }
    }
}

#[test]
fn unknown_form_ends_the_line_header() {
    let shape = Shape::version(5);
    // One directory whose path has an unknown form.
    let paths = shape.bytes().u8(1).uleb(1).uleb(0x7f).uleb(1).u32(0);
    let lines = Lines::new(shape).paths(paths);
    let file = Opened::of(&files::with_lines(lines.build()));
    let headers = file.named(".debug_line", "header");
    let rows = lines_of(&file, headers[0]);
    assert_eq!(
        rows[rows.len() - 3..],
        [
            "directory_entry_format | 2 | DW_LNCT_path, form 0x7f",
            "directories_count | 1 | 1",
            "rest of the header | 4",
        ]
    );
}

/// The list of files ends, whatever follows it.
#[test]
fn files_are_those_of_the_list() {
    let shape = Shape::version(4);
    let paths = shape.bytes().u8(0).text("a.cl").uleb(0).uleb(0).uleb(0);
    // After the end of the list, but within the header.
    let paths = paths.u8(0).text("b.cl").uleb(0).uleb(0).uleb(0).u8(0);
    let opcodes = shape.bytes().set_file(2).set_address(0x20).copy();
    let lines = Lines::new(shape).paths(paths);
    let lines = lines.opcodes(opcodes.end_sequence());
    let file = Opened::of(&files::with_lines(lines.build()));
    let opcodes = file.named(".debug_line", "opcodes");
    assert_eq!(
        lines_of(&file, opcodes[0]),
        [
            "DW_LNS_set_file | 2 | 2",
            "DW_LNE_set_address | 11",
            "DW_LNS_copy | 1 | row 0x20: file 2, line 1",
            "DW_LNE_end_sequence | 3 | row 0x20: end",
        ]
    );
}

/// DWARF 5, 7.1 and appendix B: contents of the sections.
#[test]
fn sections_are_described() {
    for (name, words) in [
        ("abbrev", "abbreviations"),
        ("addr", "addresses"),
        ("aranges", "address ranges"),
        ("frame", "call frame"),
        ("info", "entries"),
        ("line", "line table"),
        ("line_str", "strings of the line table"),
        ("loc", "location lists"),
        ("loclists", "location lists"),
        ("macro", "macros"),
        ("names", "names"),
        ("ranges", "range lists"),
        ("rnglists", "range lists"),
        ("str", "strings"),
        ("str_offsets", "string offsets"),
    ] {
        let name = format!(".debug_{name}");
        let file = Opened::of(&files::of_sections(vec![(&name, vec![0; 16])]));
        let section = section(&file.tree, &name).unwrap();
        let summary = section.node.summary.as_deref().unwrap_or_default();
        assert!(summary.starts_with("DWARF "), "{name}: {summary:?}");
        assert!(summary.contains(words), "{name}: {summary:?}");
    }
}

#[test]
fn paths_are_relocated() {
    let shape = Shape::version(5);
    let lines = files::every_opcode(shape);
    // After the fields, 15 opcodes, two formats and the count.
    let place = 18 + 15 + 1 + 2 + 3 + 1;
    let relocation = Relocation {
        offset: place,
        symbol: 1,
        kind: 2,
        addend: 5,
    };
    let elf = files::with_lines(lines.build())
        .section(Section::symbols(vec![Symbol::new(
            "",
            0,
            3,
            ".debug_line_str",
        )]))
        .section(Section::relocations(".debug_line", vec![relocation], true));
    let file = Opened::of(&elf);
    let found = file.named(".debug_line", "directory");
    let parts = file.children(found[0]);
    assert_eq!(file.place(".debug_line", parts[0]).0 as u64, place);
    // The value is the file's; the text is the target of the relocation.
    assert_eq!(said(parts[0]), ("0x0".to_owned(), "in line_str"));
}

/// Returns a file with a unit whose only entry has this many flags without bytes.
fn with_flags(count: usize) -> Opened {
    let shape = Shape::version(4);
    let entry = Abbrev::new(1, tag::COMPILE_UNIT, false).with(at::NAME, form::STRING);
    let flags = (0..count).fold(entry, |entry, _| {
        entry.with(at::EXTERNAL, form::FLAG_PRESENT)
    });
    let entries = shape.bytes().uleb(1).text("flags.cl");
    Opened::of(&files::of_sections(vec![
        (".debug_info", unit(shape, Kind::Compile, 0, entries.bytes)),
        (".debug_abbrev", table(&[flags])),
    ]))
}

#[test]
fn attributes_without_bytes_have_a_limit() {
    let shown = |count: usize| {
        let file = with_flags(count);
        let units = file.named(".debug_info", "unit");
        let entry = &file.tree.children(units[0])[1];
        let all = file.children(entry).into_iter();
        let rows = all.filter(|node| node.name == "DW_AT_external").count();
        (entry.node.name.to_string(), rows)
    };
    let unit = || "DW_TAG_compile_unit".to_owned();
    assert_eq!(shown(16), (unit(), 16));
    assert_eq!(shown(17), (unit(), 16));
    assert_eq!(shown(4000), (unit(), 16));
    // More than the bytes of the unit allow.
    assert_eq!(shown(5000), ("further entries".to_owned(), 0));
}

#[test]
fn line_tables_without_a_size_of_addresses_have_that_of_the_first_unit() {
    for size in [4, 8] {
        let shape = Shape::version(4).address(size);
        let opcodes = shape.bytes().set_address(0x20).copy().end_sequence();
        let paths = shape.bytes().u8(0).text("a.cl").uleb(0).uleb(0).uleb(0);
        let lines = Lines::new(shape).paths(paths.u8(0)).opcodes(opcodes);
        let entries = shape.bytes().uleb(1).text("unit.cl");
        let entry = Abbrev::new(1, tag::COMPILE_UNIT, false).with(at::NAME, form::STRING);
        let file = Opened::of(&files::of_sections(vec![
            (".debug_info", unit(shape, Kind::Compile, 0, entries.bytes)),
            (".debug_abbrev", table(&[entry])),
            (".debug_line", lines.build()),
        ]));
        let opcodes = file.named(".debug_line", "opcodes");
        assert_eq!(
            lines_of(&file, opcodes[0]),
            [
                format!("DW_LNE_set_address | {}", 3 + size),
                "DW_LNS_copy | 1 | row 0x20: a.cl:1".to_owned(),
                "DW_LNE_end_sequence | 3 | row 0x20: end".to_owned(),
            ]
        );
    }
}

#[test]
fn abbreviations_say_forms_and_where_values_stand() {
    let list = table(&[
        Abbrev::new(300, tag::VARIABLE, true)
            .with(at::NAME, form::STRX3)
            .constant(at::LANGUAGE, -300)
            .with(0x3_0000, 0x4_0000),
        Abbrev::new(1, 0x5_0000, false),
    ]);
    let file = Opened::of(&files::of_sections(vec![(".debug_abbrev", list.clone())]));
    let tables = file.named(".debug_abbrev", "abbreviations");
    let place = file.place(".debug_abbrev", &tables[0].node);
    assert_eq!(place, (0, list.len()));
    assert_eq!(
        lines_of(&file, tables[0]),
        [
            "DW_TAG_variable | 18 | code 300",
            "tag 0x50000 | 7 | code 1",
            "end | 1",
        ]
    );
    let rows = file.tree.children(tables[0]);
    assert_eq!(
        lines_of(&file, &rows[0]),
        [
            "code | 2 | 300",
            "tag | 1 | DW_TAG_variable (52)",
            "children | 1 | DW_CHILDREN_yes (1)",
            "DW_AT_name | 2 | DW_FORM_strx3",
            "DW_AT_language | 4 | DW_FORM_implicit_const, the value is stored here",
            "attribute 0x30000 | 6 | form 0x40000",
            "end | 2",
        ]
    );
    let fields = file.children(&rows[0]);
    assert_eq!(follow(&file, ".debug_abbrev", &fields, 0), 18);
}

#[test]
fn code_ends_where_its_section_ends() {
    let shape = Shape::version(4);
    let paths = shape.bytes().u8(0).text("a.cl").uleb(0).uleb(0).uleb(0);
    let opcodes = shape.bytes().set_address(0x100).copy().advance_pc(1);
    let lines = Lines::new(shape).paths(paths.u8(0));
    let lines = lines.opcodes(opcodes.end_sequence());
    let file = Opened::of(&files::with_lines(lines.build()));
    assert_eq!(file.built.content(".text.k").len(), 0x100);
    let last = file.named(".debug_line", "DW_LNS_copy");
    assert_eq!(refers(&last[0].node, "code"), Some(".text.k + 0x100"));
    let beyond = file.named(".debug_line", "DW_LNE_end_sequence");
    assert_eq!(refers(&beyond[0].node, "code"), None);
}

#[test]
fn ranges_are_in_the_section_of_the_version() {
    for (version, name) in [(4, ".debug_ranges"), (5, ".debug_rnglists")] {
        let file = Opened::of(&files::forms(Shape::version(version)).0);
        let ranges = file.named(".debug_info", "DW_AT_ranges");
        let expected = format!("{name} + 0x2");
        assert_eq!(refers(&ranges[0].node, "section"), Some(&*expected));
    }
}
