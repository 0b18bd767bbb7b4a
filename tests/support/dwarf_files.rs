//! ELF files with DWARF that no installed compiler writes: each form, operation and opcode, in each
//! encoding, with the expected output of a reader.

use super::dwarf::{Abbrev, Bytes, Kind, Lines, Shape, at, form, table, tag, unit, unit_header};
use super::elf::{Elf, Relocation, Section, Symbol};
use super::zebin;

/// Contents of `.debug_str` and `.debug_line_str`, with their offsets.
const STR: &[u8] = b"first\0in str\0";
const IN_STR: u64 = 6;
const LINE_STR: &[u8] = b"/dir\0in line_str\0";
const IN_LINE_STR: u64 = 5;

/// An attribute: its bytes and the expected output.
#[derive(Debug, Clone)]
pub struct Row {
    pub attribute: u64,
    pub form: u64,
    pub constant: Option<i64>,
    pub bytes: Vec<u8>,
    pub value: String,
    pub summary: String,
}

/// Attributes with their bytes.
struct Rows {
    shape: Shape,
    list: Vec<Row>,
}

impl Rows {
    /// Adds the bytes of a value, its expected value, and its meaning.
    fn add(
        &mut self,
        attribute: u64,
        form: u64,
        bytes: impl FnOnce(Bytes) -> Bytes,
        value: &str,
        summary: &str,
    ) {
        self.list.push(Row {
            attribute,
            form,
            constant: None,
            bytes: bytes(self.shape.bytes()).bytes,
            value: value.to_owned(),
            summary: summary.to_owned(),
        });
    }

    /// Adds a value that is stored in the abbreviation.
    fn constant(&mut self, attribute: u64, constant: i64, summary: &str) {
        self.add(attribute, form::IMPLICIT_CONST, |b| b, "", summary);
        if let Some(row) = self.list.last_mut() {
            row.constant = Some(constant);
        }
    }
}

/// Returns an abbreviation with the forms of all rows.
fn abbreviation(code: u64, tag: u64, children: bool, rows: &[Row]) -> Abbrev {
    let abbrev = Abbrev::new(code, tag, children);
    rows.iter().fold(abbrev, |abbrev, row| match row.constant {
        Some(constant) => abbrev.constant(row.attribute, constant),
        None => abbrev.with(row.attribute, row.form),
    })
}

fn values(rows: &[Row]) -> Vec<u8> {
    rows.iter().flat_map(|row| row.bytes.clone()).collect()
}

/// Returns attributes of every form of the version. `root` is the offset of the unit's first entry
/// from the start of the unit; the unit before it has its first entry at the same offset of the
/// section.
pub fn every_form(shape: Shape, root: u64) -> Vec<Row> {
    let mut rows = Rows {
        shape,
        list: Vec::new(),
    };
    let hex = |value: u64| format!("{value:#x}");
    let long = if shape.address == 8 {
        0x1122_3344_5566_7788
    } else {
        0x1122_3344
    };
    let add = &mut rows;
    add.add(at::LOW_PC, form::ADDR, |b| b.address(long), &hex(long), "");
    add.add(at::HIGH_PC, form::DATA4, |b| b.u32(0x40), "64", "");
    let constant = at::CONST_VALUE;
    add.add(constant, form::BLOCK1, |b| b.u8(3).raw([7; 3]), "", "");
    add.add(constant, form::BLOCK2, |b| b.u16(2).raw([8; 2]), "", "");
    add.add(constant, form::BLOCK4, |b| b.u32(1).raw([9]), "", "");
    add.add(constant, form::BLOCK, |b| b.uleb(128).raw([1; 128]), "", "");
    add.add(constant, form::BLOCK, |b| b.uleb(0), "", "");
    add.add(constant, form::DATA1, |b| b.u8(200), "200", "");
    add.add(constant, form::DATA2, |b| b.u16(0xfedc), "65244", "");
    let (data4, data8) = (0xfedc_ba98, 0xfedc_ba98_7654_3210);
    add.add(constant, form::DATA4, |b| b.u32(data4), "4275878552", "");
    let text = "18364758544493064720";
    add.add(constant, form::DATA8, |b| b.u64(data8), text, "");
    add.add(constant, form::UDATA, |b| b.uleb(127), "127", "");
    add.add(constant, form::UDATA, |b| b.uleb(128), "128", "");
    let most = "18446744073709551615";
    add.add(constant, form::UDATA, |b| b.uleb(u64::MAX), most, "");
    add.add(constant, form::UDATA, |b| b.raw([0x83, 0x80, 0]), "3", "");
    add.add(constant, form::SDATA, |b| b.sleb(-2), "-2", "");
    add.add(constant, form::SDATA, |b| b.sleb(63), "63", "");
    add.add(constant, form::SDATA, |b| b.sleb(64), "64", "");
    add.add(constant, form::SDATA, |b| b.sleb(-65), "-65", "");
    let least = "-9223372036854775808";
    add.add(constant, form::SDATA, |b| b.sleb(i64::MIN), least, "");
    add.add(at::EXTERNAL, form::FLAG, |b| b.u8(1), "1", "");
    add.add(at::EXTERNAL, form::FLAG, |b| b.u8(0), "0", "");
    let described = at::DESCRIPTION;
    add.add(
        described,
        form::STRING,
        |b| b.text("a \"b\""),
        r#""a \"b\"""#,
        "",
    );
    let text = &hex(IN_STR);
    add.add(
        described,
        form::STRP,
        |b| b.offset(IN_STR),
        text,
        r#""in str""#,
    );
    add.add(described, form::STRP, |b| b.offset(0xff), "0xff", "");
    // References to the first entry of this unit, except the last.
    let (text, root_title) = (&hex(root), "compile_unit forms.cl");
    let to = at::IMPORT;
    add.add(to, form::REF1, |b| b.u8(root), text, root_title);
    add.add(to, form::REF2, |b| b.u16(root), text, root_title);
    add.add(to, form::REF4, |b| b.u32(root), text, root_title);
    add.add(to, form::REF8, |b| b.u64(root), text, root_title);
    let decimal = &root.to_string();
    add.add(to, form::REF_UDATA, |b| b.uleb(root), decimal, root_title);
    add.add(
        to,
        form::REF_ADDR,
        |b| b.offset(root),
        text,
        "compile_unit before.cl",
    );
    add.add(to, form::REF1, |b| b.u8(0), "0x0", "no entry");
    let none = "no entry";
    let all = "0xffffffffffffffff";
    add.add(to, form::REF8, |b| b.u64(u64::MAX), all, none);
    // Indirect: the form precedes the value.
    let indirect = |inner: u64| move |b: Bytes| b.uleb(inner);
    let data2 = |b| indirect(form::DATA2)(b).u16(0x0c);
    let udata = |b| indirect(form::UDATA)(b).uleb(300);
    let sdata = |b| indirect(form::SDATA)(b).sleb(-300);
    let string = |b| indirect(form::STRING)(b).text("s");
    let strp = |b| indirect(form::STRP)(b).offset(IN_STR);
    let ref4 = |b| indirect(form::REF4)(b).u32(root);
    let twice = |b: Bytes| b.uleb(form::INDIRECT).uleb(form::DATA1).u8(9);
    let into = form::INDIRECT;
    add.add(at::LANGUAGE, into, data2, "", "DW_FORM_data2: DW_LANG_C99");
    add.add(constant, into, udata, "", "DW_FORM_udata: 300");
    add.add(constant, into, sdata, "", "DW_FORM_sdata: -300");
    add.add(described, into, string, "", r#"DW_FORM_string: "s""#);
    add.add(described, into, strp, "", r#"DW_FORM_strp: "in str""#);
    let text = format!("DW_FORM_ref4: {root_title}");
    add.add(to, into, ref4, "", &text);
    add.add(constant, into, twice, "", "DW_FORM_data1: 9");
    if shape.version < 4 {
        return rows.list;
    }
    add_version_4(&mut rows);
    match shape.version {
        4 => add_gnu(&mut rows),
        _ => add_version_5(&mut rows),
    }
    rows.list
}

fn add_version_4(rows: &mut Rows) {
    rows.add(at::EXTERNAL, form::FLAG_PRESENT, |b| b, "", "true");
    rows.add(at::RANGES, form::SEC_OFFSET, |b| b.offset(2), "0x2", "");
    let id = 0x0123_4567_89ab_cdef;
    let text = "0x123456789abcdef";
    rows.add(at::TYPE, form::REF_SIG8, |b| b.u64(id), text, "");
    // DW_OP_lit5, DW_OP_stack_value
    let expression = |b: Bytes| b.uleb(2).raw([0x35, 0x9f]);
    let text = "lit5, stack_value";
    rows.add(at::LOCATION, form::EXPRLOC, expression, "", text);
    let nothing = |b: Bytes| b.uleb(0);
    rows.add(at::LOCATION, form::EXPRLOC, nothing, "", "");
}

/// Adds the GNU forms that preceded those of DWARF 5.
fn add_gnu(rows: &mut Rows) {
    let address = form::GNU_ADDR_INDEX;
    rows.add(at::LOW_PC, address, |b| b.uleb(300), "300", "");
    let text = form::GNU_STR_INDEX;
    rows.add(at::DESCRIPTION, text, |b| b.uleb(200), "200", "");
}

fn add_version_5(rows: &mut Rows) {
    let constant = at::CONST_VALUE;
    rows.add(constant, form::DATA16, |b| b.u64(1).u64(2), "", "");
    rows.constant(constant, -5, "-5");
    rows.constant(at::DECL_LINE, 70, "70");
    rows.constant(at::LANGUAGE, 0x0c, "DW_LANG_C99");
    // Values without a name.
    rows.constant(at::LANGUAGE, 0x7abc, "31420");
    rows.constant(at::ADDRESS_CLASS, 4, "4");
    rows.constant(at::DECL_FILE, 9, "9");
    let described = at::DESCRIPTION;
    let text = r#""in line_str""#;
    let line_str = |b: Bytes| b.offset(IN_LINE_STR);
    rows.add(described, form::LINE_STRP, line_str, "0x5", text);
    let text = r#""in str""#;
    rows.add(described, form::STRX, |b| b.uleb(1), "1", text);
    rows.add(described, form::STRX, |b| b.uleb(128), "128", "");
    rows.add(described, form::STRX1, |b| b.u8(1), "0x1", text);
    rows.add(described, form::STRX2, |b| b.u16(1), "0x1", text);
    rows.add(described, form::STRX3, |b| b.number(3, 1), "0x1", text);
    rows.add(described, form::STRX4, |b| b.u32(1), "0x1", text);
    rows.add(described, form::STRP_SUP, |b| b.offset(5), "0x5", "");
    rows.add(at::LOW_PC, form::ADDRX, |b| b.uleb(300), "300", "");
    rows.add(at::LOW_PC, form::ADDRX1, |b| b.u8(0xa1), "0xa1", "");
    rows.add(at::LOW_PC, form::ADDRX2, |b| b.u16(0xa1b2), "0xa1b2", "");
    let three = |b: Bytes| b.number(3, 0xa1_b2c3);
    rows.add(at::LOW_PC, form::ADDRX3, three, "0xa1b2c3", "");
    let four = |b: Bytes| b.u32(0xa1b2_c3d4);
    rows.add(at::LOW_PC, form::ADDRX4, four, "0xa1b2c3d4", "");
    rows.add(at::IMPORT, form::REF_SUP4, |b| b.u32(6), "0x6", "");
    rows.add(at::IMPORT, form::REF_SUP8, |b| b.u64(7), "0x7", "");
    rows.add(at::LOCATION, form::LOCLISTX, |b| b.uleb(130), "130", "");
    rows.add(at::RANGES, form::RNGLISTX, |b| b.uleb(131), "131", "");
}

/// Returns a file with a small unit and a unit with an entry that has every form, the rows, and the
/// offset of the first of them in `.debug_info`.
pub fn forms(shape: Shape) -> (Elf, Vec<Row>, usize) {
    let root = unit_header(shape, Kind::Compile);
    let rows = every_form(shape, root as u64);
    let of_unit = Abbrev::new(1, tag::COMPILE_UNIT, true).with(at::NAME, form::STRING);
    let of_unit = match shape.version {
        5 => of_unit.with(at::STR_OFFSETS_BASE, form::SEC_OFFSET),
        _ => of_unit,
    };
    let abbreviations = table(&[of_unit, abbreviation(200, tag::VARIABLE, false, &rows)]);
    // The header of .debug_str_offsets.
    let offsets = shape.length() + 4;
    let named = |name: &str| {
        let bytes = shape.bytes().uleb(1).text(name);
        match shape.version {
            5 => bytes.offset(offsets as u64),
            _ => bytes,
        }
    };
    let before = unit(shape, Kind::Compile, 0, named("before.cl").u8(0).bytes);
    let entry = named("forms.cl").uleb(200);
    let start = before.len() + root + entry.bytes.len();
    let entries = entry.raw(values(&rows)).u8(0);
    let info = [before, unit(shape, Kind::Compile, 0, entries.bytes)].concat();
    let strings = shape.bytes().u16(5).u16(0).offset(0).offset(IN_STR);
    let elf = with_code()
        .section(debug(".debug_info", info))
        .section(debug(".debug_abbrev", abbreviations))
        .section(debug(".debug_str", STR))
        .section(debug(".debug_line_str", LINE_STR))
        .section(debug(".debug_str_offsets", shape.sized(strings.bytes)))
        .section(debug(".debug_ranges", [0; 16]))
        .section(debug(".debug_rnglists", [0; 16]));
    let elf = ordered(elf, shape);
    (elf, rows, start)
}

fn debug(name: &str, bytes: impl Into<Vec<u8>>) -> Section {
    Section::new(name, 1, bytes)
}

/// Returns units of each type, which follow each other. The entry of each has the name of the type.
pub fn kinds(shape: Shape) -> Vec<Vec<u8>> {
    let size = unit_header(shape, Kind::Type(0, 0)) as u64;
    let of = |kind, code: u64, name: &str| {
        unit(shape, kind, 0, shape.bytes().uleb(code).text(name).bytes)
    };
    vec![
        of(Kind::Compile, 1, "compile"),
        of(Kind::Partial, 2, "partial"),
        of(Kind::Skeleton(0x1111_1111_1111_1111), 3, "skeleton"),
        of(Kind::SplitCompile(0x2222_2222_2222_2222), 1, "split"),
        of(Kind::Type(0x3333_3333_3333_3333, size), 4, "type"),
        of(
            Kind::SplitType(0x4444_4444_4444_4444, size),
            4,
            "split type",
        ),
    ]
}

/// Returns a file with these sections.
pub fn of_sections(sections: Vec<(&str, Vec<u8>)>) -> Elf {
    let list = sections.into_iter();
    list.fold(with_code(), |elf, (name, bytes)| {
        elf.section(debug(name, bytes))
    })
}

/// Returns a file with a kernel's code section, and nothing else that zebins need.
fn with_code() -> Elf {
    let code = zebin::code(4);
    let padded = [&code[..], &vec![0; 0x100 - code.len()]].concat();
    Elf::default().section(Section::new(".text.k", 1, padded).flags(6))
}

/// Sets the byte order of the file.
fn ordered(elf: Elf, shape: Shape) -> Elf {
    if shape.big { elf.big_endian() } else { elf }
}

/// Returns a file with a unit of each type.
pub fn units(shape: Shape) -> Elf {
    let tags = [
        tag::COMPILE_UNIT,
        tag::PARTIAL_UNIT,
        tag::SKELETON_UNIT,
        tag::TYPE_UNIT,
    ];
    let list = (1..).zip(tags);
    let list: Vec<Abbrev> = list
        .map(|(code, tag)| Abbrev::new(code, tag, false).with(at::NAME, form::STRING))
        .collect();
    let elf = of_sections(vec![
        (".debug_info", kinds(shape).concat()),
        (".debug_abbrev", table(&list)),
    ]);
    ordered(elf, shape)
}

/// Returns attributes with named values, and one unnamed value each.
pub fn named_values() -> Vec<Row> {
    let mut rows = Rows {
        shape: Shape::version(5),
        list: Vec::new(),
    };
    let list = [
        (at::ORDERING, 1, "DW_ORD_col_major"),
        (at::LANGUAGE, 0x15, "DW_LANG_OpenCL"),
        (at::VISIBILITY, 3, "DW_VIS_qualified"),
        (at::INLINE, 3, "DW_INL_declared_inlined"),
        (at::ACCESSIBILITY, 2, "DW_ACCESS_protected"),
        (at::CALLING_CONVENTION, 3, "DW_CC_nocall"),
        (at::ENCODING, 4, "DW_ATE_float"),
        (at::IDENTIFIER_CASE, 2, "DW_ID_down_case"),
        (at::VIRTUALITY, 1, "DW_VIRTUALITY_virtual"),
        (at::DECIMAL_SIGN, 5, "DW_DS_trailing_separate"),
        (at::ENDIANITY, 1, "DW_END_big"),
    ];
    for (attribute, raw, name) in list {
        let value = format!("{name} ({raw})");
        rows.add(attribute, form::DATA1, |b| b.u8(raw), &value, "");
        rows.add(attribute, form::UDATA, |b| b.uleb(raw), &value, "");
        rows.add(attribute, form::DATA1, |b| b.u8(0x7e), "126", "");
        rows.constant(attribute, raw.cast_signed(), name);
    }
    let files = [at::DECL_FILE, at::CALL_FILE];
    for attribute in files {
        rows.add(attribute, form::DATA1, |b| b.u8(0), "0", "zero.cl");
        rows.add(attribute, form::UDATA, |b| b.uleb(1), "1", "one.cl");
        rows.add(attribute, form::UDATA, |b| b.uleb(2), "2", "");
        rows.constant(attribute, 1, "one.cl");
    }
    let simd = at::INTEL_SIMD_WIDTH;
    rows.add(simd, form::DATA1, |b| b.u8(16), "16", "");
    // An unknown attribute.
    rows.add(0x3abc, form::DATA2, |b| b.u16(0x1234), "4660", "");
    rows.list
}

/// Returns a file with a variable that has these attributes, and a line table.
pub fn names() -> (Elf, Vec<Row>, usize) {
    let shape = Shape::version(5);
    let rows = named_values();
    let of_unit = Abbrev::new(1, tag::COMPILE_UNIT, true)
        .with(at::NAME, form::STRING)
        .with(at::STMT_LIST, form::SEC_OFFSET);
    let abbreviations = table(&[of_unit, abbreviation(2, tag::VARIABLE, false, &rows)]);
    let entry = shape.bytes().uleb(1).text("names.cl").offset(0).uleb(2);
    let start = unit_header(shape, Kind::Compile) + entry.bytes.len();
    let entries = entry.raw(values(&rows)).u8(0);
    let lines = Lines::new(shape).paths(paths_5(shape, &["zero.cl", "one.cl"]));
    let elf = of_sections(vec![
        (".debug_info", unit(shape, Kind::Compile, 0, entries.bytes)),
        (".debug_abbrev", abbreviations),
        (".debug_line", lines.build()),
    ]);
    (elf, rows, start)
}

/// Writes one directory and these files in the format of DWARF 5: only paths, as strings.
fn paths_5(shape: Shape, files: &[&str]) -> Bytes {
    // DW_LNCT_path
    let format = |b: Bytes| b.u8(1).uleb(1).uleb(form::STRING);
    let bytes = format(shape.bytes()).uleb(1).text("/dir");
    let bytes = format(bytes).uleb(files.len() as u64);
    files.iter().fold(bytes, |bytes, file| bytes.text(file))
}

/// Returns a file with nested entries, and everything that ends a unit early.
pub fn tree() -> Elf {
    let shape = Shape::version(4);
    let abbreviations = table(&[
        Abbrev::new(1, tag::COMPILE_UNIT, true).with(at::NAME, form::STRING),
        Abbrev::new(2, tag::SUBPROGRAM, true)
            .with(at::NAME, form::STRING)
            .with(at::SIBLING, form::REF4),
        Abbrev::new(3, tag::FORMAL_PARAMETER, false).with(at::NAME, form::STRING),
        Abbrev::new(4, tag::LEXICAL_BLOCK, true),
        // An unknown tag and an unknown attribute.
        Abbrev::new(5, 0x4abc, false).with(0x3abc, form::DATA1),
        // An unknown form.
        Abbrev::new(6, tag::VARIABLE, false)
            .with(at::NAME, form::STRING)
            .with(at::TYPE, 0x7f),
        Abbrev::new(7, tag::BASE_TYPE, false)
            .with(at::BYTE_SIZE, form::UDATA)
            .with(at::ENCODING, form::DATA1),
    ]);
    // A second table with one abbreviation, which gives code 1 another meaning.
    let second = abbreviations.len() as u64;
    let more = table(&[Abbrev::new(1, tag::STRUCTURE_TYPE, false).with(at::NAME, form::STRING)]);
    let bytes = || shape.bytes();
    let root = unit_header(shape, Kind::Compile);
    let head = bytes().uleb(1).text("tree.cl");
    // f(a), a block with an unknown entry, then g().
    let f = |sibling: u64| bytes().uleb(2).text("f").u32(sibling);
    let inner = bytes()
        .uleb(3)
        .text("a")
        .uleb(4)
        .uleb(5)
        .u8(0xee)
        .u8(0)
        .u8(0);
    let g_at = root + head.bytes.len() + f(0).bytes.len() + inner.bytes.len();
    let g = bytes().uleb(2).text("g").u32(0).u8(0);
    let whole = bytes()
        .raw(&head.bytes)
        .raw(f(g_at as u64).bytes)
        .raw(&inner.bytes)
        .raw(&g.bytes)
        .u8(0);
    let of = |entries: Bytes| unit(shape, Kind::Compile, 0, entries.bytes);
    let unterminated = head.clone().uleb(4).uleb(3).text("b");
    let unknown_form = head.clone().uleb(3).text("c").uleb(6).text("v").u32(1);
    let unknown_code = head.clone().uleb(3).text("d").uleb(99).u32(1);
    let cut_attribute = head.clone().uleb(3).raw(b"no end");
    // More bits than fit into a number.
    let too_large = head.clone().uleb(7).raw([0xff; 10]).u8(1).u8(4).u8(0);
    let more_ends = head.clone().u8(0).u8(0).u8(0);
    let of_second = bytes().uleb(1).text("S");
    let elsewhere = bytes().uleb(1).text("nowhere");
    let cut = of(head.clone().u8(0));
    let info = [
        of(whole),
        of(unterminated),
        of(unknown_form),
        of(unknown_code),
        of(cut_attribute),
        of(too_large),
        of(more_ends),
        unit(shape, Kind::Compile, second, of_second.bytes),
        unit(shape, Kind::Compile, 3, elsewhere.bytes),
        of(bytes()),
        cut[..cut.len() - 4].to_vec(),
    ];
    of_sections(vec![
        (".debug_info", info.concat()),
        (
            ".debug_abbrev",
            [&abbreviations[..], &more, &[1, tag::VARIABLE as u8]].concat(),
        ),
    ])
}

/// An operation: bytes, name and operands.
pub type Operation = (Vec<u8>, String, String);

/// Returns every operation of DWARF 5 and the GNU operations.
pub fn operations(shape: Shape) -> Vec<Operation> {
    let mut list: Vec<Operation> = Vec::new();
    let code = |code: u8| shape.bytes().raw([code]);
    let mut add = |bytes: Bytes, name: &str, operand: &str| {
        list.push((bytes.bytes, format!("DW_OP_{name}"), operand.to_owned()));
    };
    let long = if shape.address == 8 {
        0x1122_3344_5566_7788
    } else {
        0x1122_3344
    };
    add(code(0x03).address(long), "addr", &format!("{long:#x}"));
    add(code(0x06), "deref", "");
    add(code(0x08).u8(0xfe), "const1u", "254");
    add(code(0x09).u8(0xfe), "const1s", "-2");
    add(code(0x0a).u16(0xfffe), "const2u", "65534");
    add(code(0x0b).u16(0xfffe), "const2s", "-2");
    add(code(0x0c).u32(0xffff_fffe), "const4u", "4294967294");
    add(code(0x0d).u32(0xffff_fffe), "const4s", "-2");
    let large = "18446744073709551614";
    add(code(0x0e).u64(u64::MAX - 1), "const8u", large);
    add(code(0x0f).u64(u64::MAX - 1), "const8s", "-2");
    add(code(0x10).uleb(300), "constu", "300");
    add(code(0x11).sleb(-300), "consts", "-300");
    for (raw, name) in (0x12..).zip(["dup", "drop", "over"]) {
        add(code(raw), name, "");
    }
    add(code(0x15).u8(7), "pick", "7");
    let names = [
        "swap", "rot", "xderef", "abs", "and", "div", "minus", "mod", "mul", "neg", "not", "or",
        "plus",
    ];
    for (raw, name) in (0x16..).zip(names) {
        add(code(raw), name, "");
    }
    add(code(0x23).uleb(200), "plus_uconst", "200");
    for (raw, name) in (0x24..).zip(["shl", "shr", "shra", "xor"]) {
        add(code(raw), name, "");
    }
    add(code(0x28).u16(5), "bra", "+5");
    for (raw, name) in (0x29..).zip(["eq", "ge", "gt", "le", "lt", "ne"]) {
        add(code(raw), name, "");
    }
    add(code(0x2f).u16(0xfffd), "skip", "-3");
    for number in 0..32 {
        add(code(0x30 + number), &format!("lit{number}"), "");
    }
    add(code(0x92).uleb(300).sleb(-8), "bregx", "f12 -8");
    add(code(0x91).sleb(-300), "fbreg", "-300");
    add(code(0x93).uleb(4), "piece", "32 bits");
    add(code(0x94).u8(4), "deref_size", "4");
    add(code(0x95).u8(2), "xderef_size", "2");
    add(code(0x96), "nop", "");
    add(code(0x97), "push_object_address", "");
    add(code(0x98).u16(0x102), "call2", "0x102");
    add(code(0x99).u32(0x102), "call4", "0x102");
    add(code(0x9a).offset(0x102), "call_ref", "0x102");
    add(code(0x9b), "form_tls_address", "");
    add(code(0x9c), "call_frame_cfa", "");
    add(code(0x9d).uleb(12).uleb(4), "bit_piece", "12 bits at 4");
    add(
        code(0x9e).uleb(3).raw([1, 2, 3]),
        "implicit_value",
        "3 bytes",
    );
    add(code(0x9f), "stack_value", "");
    add(
        code(0xa0).offset(0x20).sleb(-4),
        "implicit_pointer",
        "0x20 -4",
    );
    add(code(0xa1).uleb(130), "addrx", "130");
    add(code(0xa2).uleb(131), "constx", "131");
    add(code(0xa3).uleb(1).raw([0x50]), "entry_value", "1 bytes");
    let typed = code(0xa4).uleb(0x20).u8(2).raw([1, 2]);
    add(typed, "const_type", "2 bytes of type 0x20");
    add(
        code(0xa5).uleb(17).uleb(0x20),
        "regval_type",
        "r1 of type 0x20",
    );
    add(code(0xa6).u8(4).uleb(0x20), "deref_type", "4 of type 0x20");
    add(code(0xa7).u8(4).uleb(0x20), "xderef_type", "4 of type 0x20");
    add(code(0xa8).uleb(0x20), "convert", "0x20");
    add(code(0xa8).uleb(0), "convert", "0x0");
    add(code(0xa9).uleb(0x20), "reinterpret", "0x20");
    add(code(0xe0), "GNU_push_tls_address", "");
    add(code(0xf0), "GNU_uninit", "");
    add(
        code(0xf2).offset(0x20).sleb(4),
        "GNU_implicit_pointer",
        "0x20 +4",
    );
    add(code(0xf3).uleb(1).raw([0x50]), "GNU_entry_value", "1 bytes");
    add(code(0xfa).u32(0x20), "GNU_parameter_ref", "0x20");
    add(code(0xfb).uleb(1), "GNU_addr_index", "1");
    add(code(0xfc).uleb(2), "GNU_const_index", "2");
    add(code(0xfd).offset(0x20), "GNU_variable_value", "0x20");
    list
}

/// Returns each operation that names a register, with Intel's register numbers.
pub fn registers(shape: Shape, is_intel: bool) -> Vec<Operation> {
    let names = [
        (0, "ip"),
        (1, "emask"),
        (2, "register 2"),
        (4, "register 4"),
        (5, "bindingtable"),
        (6, "scratch"),
        (7, "generalstate"),
        (8, "surfacestate"),
        (9, "bindlesssurfacestate"),
        (10, "bindlesssamplerstate"),
        (11, "register 11"),
        (15, "register 15"),
        (16, "r0"),
        (31, "r15"),
        (32, "r16"),
        (271, "r255"),
        (272, "a0.0"),
        (287, "a0.15"),
        (288, "f0"),
        (303, "f15"),
        (304, "acc0"),
        (334, "acc30"),
        (335, "mme0"),
        (350, "mme15"),
        (351, "register 351"),
        (65535, "register 65535"),
    ];
    let mut list = Vec::new();
    for (number, name) in names {
        let name = if is_intel {
            name.to_owned()
        } else {
            format!("register {number}")
        };
        if let Ok(small) = u8::try_from(number)
            && small < 32
        {
            let register = shape.bytes().raw([0x50 + small]);
            list.push((register.bytes, format!("DW_OP_reg{number}"), name.clone()));
            let based = shape.bytes().raw([0x70 + small]).sleb(-200);
            let operand = format!("{name} -200");
            list.push((based.bytes, format!("DW_OP_breg{number}"), operand));
        }
        let register = shape.bytes().raw([0x90]).uleb(number);
        list.push((register.bytes, "DW_OP_regx".to_owned(), name));
    }
    list
}

/// Returns Intel's operations.
pub fn intel_operations() -> Vec<Operation> {
    let list: [(&[u8], &str, &str); 6] = [
        (&[0xeb], "DW_OP_INTEL_regs", ""),
        (&[0xec], "DW_OP_INTEL_push_bit_piece_stack", ""),
        (&[0xed], "DW_OP_INTEL_push_simd_lane", ""),
        (&[0xee], "DW_OP_INTEL_piece_stack", ""),
        (&[0xef], "DW_OP_INTEL_bit_piece_stack", ""),
        (&[0xfe, 32], "DW_OP_INTEL_regval_bits", "32"),
    ];
    let list = list.into_iter();
    list.map(|(bytes, name, operand)| (bytes.to_vec(), name.to_owned(), operand.to_owned()))
        .collect()
}

/// Returns a file with variables whose locations are these expressions (form and bytes, after their
/// length), and the offset of each length.
pub fn with_expressions(shape: Shape, list: &[(u64, Vec<u8>)]) -> (Elf, Vec<usize>) {
    let mut abbreviations =
        vec![Abbrev::new(1, tag::COMPILE_UNIT, true).with(at::NAME, form::STRING)];
    let mut entries = shape.bytes().uleb(1).text("expressions.cl");
    let root = unit_header(shape, Kind::Compile);
    let mut places = Vec::new();
    for (code, (form, bytes)) in (2..).zip(list) {
        let abbreviation = Abbrev::new(code, tag::VARIABLE, false).with(at::LOCATION, *form);
        abbreviations.push(abbreviation);
        entries = entries.uleb(code);
        places.push(root + entries.bytes.len());
        let len = bytes.len() as u64;
        entries = match *form {
            form::BLOCK1 => entries.u8(len),
            form::BLOCK2 => entries.u16(len),
            form::BLOCK4 => entries.u32(len),
            form::INDIRECT => entries.uleb(form::EXPRLOC).uleb(len),
            _ => entries.uleb(len),
        };
        entries = entries.raw(bytes);
    }
    let elf = of_sections(vec![
        (
            ".debug_info",
            unit(shape, Kind::Compile, 0, entries.u8(0).bytes),
        ),
        (".debug_abbrev", table(&abbreviations)),
    ]);
    let elf = ordered(elf, shape);
    (elf, places)
}

fn bytes_of(list: &[Operation]) -> Vec<u8> {
    list.iter().flat_map(|(bytes, ..)| bytes.clone()).collect()
}

/// Returns a file with every operation, and with truncated expressions.
pub fn expressions() -> Elf {
    let shape = Shape::version(5);
    let list = [
        bytes_of(&operations(shape)),
        bytes_of(&registers(shape, true)),
        bytes_of(&intel_operations()),
        // An unknown operation, followed by more bytes.
        vec![0x96, 0xe3, 1, 2],
        // DW_OP_const4u, cut off.
        vec![0x30, 0x0c, 1, 2],
        // DW_OP_INTEL_regval_bits, cut off.
        vec![0xfe],
    ];
    let list: Vec<(u64, Vec<u8>)> = list.into_iter().map(|e| (form::EXPRLOC, e)).collect();
    with_expressions(shape, &list).0
}

/// Returns a file for another machine with register operations and Intel's operations.
pub fn expressions_of_others() -> Elf {
    let shape = Shape::version(5);
    let list = [
        bytes_of(&registers(shape, false)),
        bytes_of(&intel_operations()),
    ];
    let list: Vec<(u64, Vec<u8>)> = list.into_iter().map(|e| (form::EXPRLOC, e)).collect();
    let mut elf = with_expressions(shape, &list).0;
    // EM_X86_64
    elf.machine = 62;
    elf
}

/// Returns expressions in blocks, as in DWARF 2 and 3.
pub fn blocks(shape: Shape) -> (Elf, Vec<usize>) {
    // DW_OP_implicit_value: a size, and that many bytes.
    let of = |len: u64| {
        let head = shape.bytes().raw([0x9e]).uleb(len);
        head.raw(vec![0xee; len as usize]).bytes
    };
    with_expressions(
        shape,
        &[
            (form::BLOCK1, of(200)),
            (form::BLOCK2, of(390)),
            (form::BLOCK4, of(300)),
            (form::BLOCK, of(300)),
            (form::INDIRECT, of(3)),
        ],
    )
}

/// Returns a line program with every opcode of the version.
pub fn every_opcode(shape: Shape) -> Lines {
    let mut lines = Lines::new(shape);
    lines.lengths.extend([0, 1, 3]);
    let special = |advance, line| lines.special(advance, line);
    let opcodes = shape
        .bytes()
        .set_address(0x10)
        .copy()
        .advance_pc(0x20)
        .advance_line(300)
        .set_file(2)
        .set_column(200)
        // DW_LNS_negate_stmt, DW_LNS_set_basic_block
        .raw([6, 7])
        .u8(special(3, 2))
        // DW_LNS_const_add_pc
        .raw([8])
        .u8(special(0, -5))
        // DW_LNS_fixed_advance_pc
        .raw([9])
        .u16(0x102)
        // DW_LNS_set_prologue_end, DW_LNS_set_epilogue_begin
        .raw([10, 11])
        // DW_LNS_set_isa
        .raw([12])
        .uleb(300)
        .advance_line(-100)
        .copy()
        // Opcodes of later versions, with operands as the header states.
        .raw([13])
        .raw([14])
        .uleb(300)
        .raw([15])
        .uleb(1)
        .uleb(200)
        .uleb(3)
        // DW_LNE_set_discriminator
        .extended(4, [0x81, 1])
        // Unknown opcodes: the size states their end.
        .extended(0x80, [1, 2, 3])
        .extended(0x7f, []);
    // DW_LNE_define_file: name, directory, time, size.
    let file = shape.bytes().text("defined.cl").uleb(1).uleb(2).uleb(3);
    let third = if shape.version < 5 { 3 } else { 1 };
    let opcodes = opcodes
        .extended(3, file.bytes)
        .set_file(third)
        .u8(special(1, 1))
        .set_file(77)
        .u8(special(1, 1))
        .end_sequence()
        // The second sequence resets the state.
        .set_address(8)
        .copy()
        .advance_pc(u64::from(u32::MAX))
        .end_sequence();
    let paths = match shape.version {
        ..5 => paths_4(shape),
        _ => paths_of_all_forms(shape),
    };
    lines.paths(paths).opcodes(opcodes)
}

/// Writes directories and files in the format up to version 4: name, directory, time, size.
fn paths_4(shape: Shape) -> Bytes {
    let bytes = shape.bytes().text("/one").text("/two").u8(0);
    let bytes = bytes.text("first.cl").uleb(0).uleb(0).uleb(0);
    let bytes = bytes.text("second.cl").uleb(2).uleb(300).uleb(70000);
    bytes.u8(0)
}

/// Writes directories and files of version 5 in every allowed form.
fn paths_of_all_forms(shape: Shape) -> Bytes {
    // DW_LNCT_path; an unknown content type.
    let bytes = shape.bytes().u8(2).uleb(1).uleb(form::LINE_STRP);
    let bytes = bytes.uleb(0x3001).uleb(form::UDATA);
    let bytes = bytes
        .uleb(2)
        .offset(0)
        .uleb(300)
        .offset(IN_LINE_STR)
        .uleb(1);
    // Path, directory, time, size, MD5, and again in other forms.
    let formats = [
        (1, form::STRING),
        (2, form::UDATA),
        (3, form::DATA4),
        (4, form::DATA8),
        (5, form::DATA16),
        (2, form::DATA1),
        (2, form::DATA2),
        (3, form::BLOCK),
        (0x2001, form::STRP),
        (0x2001, form::LINE_STRP),
    ];
    let bytes = bytes.u8(formats.len() as u64);
    let bytes = formats
        .iter()
        .fold(bytes, |bytes, (what, form)| bytes.uleb(*what).uleb(*form));
    let file = |bytes: Bytes, name: &str| {
        let bytes = bytes.text(name).uleb(300).u32(0x0102_0304);
        let bytes = bytes.u64(70000).raw([0xab; 16]);
        let bytes = bytes.u8(1).u16(2).uleb(2).raw([7, 8]);
        bytes.offset(IN_STR).offset(IN_LINE_STR)
    };
    let bytes = bytes.uleb(3);
    ["zero.cl", "first.cl", "second.cl"]
        .iter()
        .fold(bytes, |bytes, name| file(bytes, name))
}

/// Returns a file with these line programs.
pub fn with_lines(programs: Vec<u8>) -> Elf {
    of_sections(vec![
        (".debug_line", programs),
        (".debug_str", STR.to_vec()),
        (".debug_line_str", LINE_STR.to_vec()),
    ])
}

/// Returns a program for instructions of 16 bytes.
pub fn long_instructions(shape: Shape) -> Lines {
    let mut lines = Lines::new(shape);
    lines.minimum = 16;
    (lines.base, lines.range) = (-3, 12);
    let paths = match shape.version {
        ..5 => paths_4(shape),
        _ => paths_5(shape, &["zero.cl", "one.cl"]),
    };
    let opcodes = shape
        .bytes()
        .set_address(0)
        .u8(lines.special(2, 8))
        .advance_pc(3)
        .copy()
        // DW_LNS_const_add_pc, DW_LNS_fixed_advance_pc, which counts bytes.
        .raw([8])
        .copy()
        .raw([9])
        .u16(5)
        .copy()
        .advance_pc(1)
        .end_sequence();
    lines.paths(paths).opcodes(opcodes)
}

/// Returns programs for discarded code, and truncated ones.
pub fn broken_lines() -> Elf {
    let shape = Shape::version(4);
    let of = |opcodes: Bytes| {
        Lines::new(shape)
            .paths(paths_4(shape))
            .opcodes(opcodes)
            .build()
    };
    let bytes = || shape.bytes();
    // Linkers write this for discarded code; existing code follows.
    let gone = bytes()
        .set_address(u64::MAX)
        .advance_line(6)
        .copy()
        .advance_pc(4)
        .copy();
    let gone = gone.end_sequence();
    let there = gone.set_address(0x10).copy().advance_pc(4).end_sequence();
    let back = bytes().set_address(0x20).copy().set_address(0x10).copy();
    let back = back.end_sequence();
    let cut_operand = bytes().set_address(0).copy().raw([2, 0x80]);
    let cut_extended = bytes().set_address(0).copy().raw([0, 9, 2, 1]);
    let empty_extended = bytes().set_address(0).copy().raw([0, 0, 1]);
    let overflow = bytes().set_address(0x10).copy().advance_pc(u64::MAX).copy();
    let unknown_version = Lines::new(Shape::version(6)).paths(paths_5(Shape::version(6), &["a"]));
    let mut no_header = of(bytes());
    // The length of the header is larger than the program.
    no_header[6..10].copy_from_slice(&[0xff, 0, 0, 0]);
    let cut = of(bytes().copy());
    with_lines(
        [
            of(there),
            of(back),
            of(cut_operand),
            of(cut_extended),
            of(empty_extended),
            of(overflow),
            unknown_version
                .opcodes(Shape::version(6).bytes().copy())
                .build(),
            no_header,
            cut[..cut.len() - 3].to_vec(),
        ]
        .concat(),
    )
}

/// Returns a file with lists of locations and ranges, the last of each truncated.
pub fn lists(shape: Shape) -> Elf {
    let most = match shape.address {
        8 => u64::MAX,
        _ => u64::from(u32::MAX),
    };
    let pair = |bytes: Bytes, begin: u64, end: u64| bytes.address(begin).address(end);
    let ranges = shape.bytes();
    let ranges = pair(ranges, 0x10, 0x20);
    // A base address, then offsets from it.
    let ranges = pair(ranges, most, 0x1000);
    let ranges = pair(ranges, 0, 0x8);
    let ranges = pair(ranges, 0, 0);
    // An empty list, one with an empty range, a truncated one.
    let ranges = pair(ranges, 0, 0);
    let ranges = pair(ranges, 0x30, 0x30);
    let ranges = pair(ranges, 0, 0);
    let ranges = pair(ranges, 0x40, 0x50).u8(1);
    let located = |bytes: Bytes, begin: u64, end: u64, expression: &[u8]| {
        let bytes = pair(bytes, begin, end);
        bytes.u16(expression.len() as u64).raw(expression)
    };
    // DW_OP_reg17; DW_OP_addr; nothing; DW_OP_bregx.
    let address = shape.bytes().raw([0x03]).address(0x1234).bytes;
    let locations = located(shape.bytes(), 0x10, 0x20, &[0x61]);
    let locations = located(locations, 0x20, 0x30, &address);
    let locations = pair(locations, most, 0x1000);
    let locations = located(locations, 0, 0x8, &[]);
    let locations = pair(locations, 0, 0);
    let locations = located(locations, 0x40, 0x48, &[0x92, 0x10, 0x7c]);
    let locations = pair(locations, 0, 0);
    let locations = pair(locations, 0x50, 0x60).u16(9).raw([0x30]);
    let of_unit = Abbrev::new(1, tag::COMPILE_UNIT, true).with(at::RANGES, form::SEC_OFFSET);
    let of_variable = Abbrev::new(2, tag::VARIABLE, false).with(at::LOCATION, form::SEC_OFFSET);
    let entries = shape.bytes().uleb(1).offset(0).uleb(2).offset(0).u8(0);
    let elf = of_sections(vec![
        (".debug_info", unit(shape, Kind::Compile, 0, entries.bytes)),
        (".debug_abbrev", table(&[of_unit, of_variable])),
        (".debug_loc", locations.bytes),
        (".debug_ranges", ranges.bytes),
    ]);
    ordered(elf, shape)
}

/// A patched location: symbol, type and addend of its relocations, and the expected output.
pub struct Place {
    pub relocations: Vec<(u64, u64, i64)>,
    pub shown: &'static str,
}

/// Returns patched addresses, then patched offsets into `.debug_ranges`.
pub fn places() -> (Vec<Place>, Vec<Place>) {
    let of = |relocations: &[(u64, u64, i64)], shown| Place {
        relocations: relocations.to_vec(),
        shown,
    };
    // Symbols: of kernels 1 to 4, one that is not defined, then those of `relocated`.
    let (entry, kernel, k, other, far, nameless) = (1, 4, 6, 7, 8, 9);
    // R_SYM_ADDR, R_SYM_ADDR_32
    let (wide, narrow) = (1, 2);
    let addresses = vec![
        of(&[(k, wide, 0x10)], ".text.k + 0x10"),
        of(&[(k, wide, 0)], ".text.k + 0x0"),
        // The name of the symbol counts, not its section.
        of(&[(other, wide, 8)], ".text.other + 0x8"),
        // The first of several relocations at an offset.
        of(&[(k, wide, 0x18), (other, wide, 0x30)], ".text.k + 0x18"),
        of(&[(k, narrow, 0x20)], ".text.k + 0x20"),
        // An unknown type, a missing symbol, an offset outside of the code.
        of(&[(k, 77, 0x10)], ""),
        of(&[(99, wide, 0x10)], ""),
        of(&[(k, wide, 0x10_0000)], ""),
        // The address of a kernel does not identify its section.
        of(&[(kernel, wide, 0x10)], ""),
    ];
    let offsets = vec![
        of(&[(entry, narrow, 1)], ".debug_ranges + 0x21"),
        of(&[(kernel, narrow, 2)], ".debug_ranges + 0x2"),
        of(&[(nameless, narrow, 3)], ".debug_ranges + 0x3"),
        of(
            &[(nameless, narrow, -1), (entry, narrow, 1)],
            ".debug_ranges + 0xffffffff",
        ),
        // The lower half of 64 bits.
        of(&[(far, narrow, 4)], ".debug_ranges + 0x4"),
        of(&[(far, 0, 4)], ".debug_ranges + 0x4"),
    ];
    (addresses, offsets)
}

/// Returns a file with relocations of its debug sections, with addends in the table or in place.
pub fn relocated(addend: bool) -> Elf {
    relocated_by(addend, ".text.other")
}

/// Returns the same file with an unnamed symbol for the code section of the line program, as IGC
/// writes it.
pub fn relocated_by_no_name() -> Elf {
    relocated_by(true, "")
}

fn relocated_by(addend: bool, other: &str) -> Elf {
    let shape = Shape::version(4);
    let of_unit = Abbrev::new(1, tag::COMPILE_UNIT, true).with(at::NAME, form::STRP);
    let of_address = Abbrev::new(2, tag::VARIABLE, false).with(at::LOW_PC, form::ADDR);
    let of_offset = Abbrev::new(3, tag::VARIABLE, false).with(at::RANGES, form::SEC_OFFSET);
    let (addresses, offsets) = places();
    let root = unit_header(shape, Kind::Compile);
    let mut entries = shape.bytes().uleb(1);
    let mut list = Vec::new();
    let mut place = |entries: Bytes, len: usize, relocations: &[(u64, u64, i64)]| {
        let offset = (root + entries.bytes.len()) as u64;
        for (symbol, kind, value) in relocations {
            list.push(Relocation {
                offset,
                symbol: *symbol,
                kind: *kind,
                addend: *value,
            });
        }
        let (_, kind, value) = relocations[0];
        let at_place = if addend && kind != 0 {
            0
        } else {
            value.cast_unsigned()
        };
        entries.number(len, at_place & u64::MAX >> (64 - len * 8))
    };
    entries = place(entries, 4, &[(9, 2, IN_STR.cast_signed())]);
    for given in &addresses {
        entries = place(entries.uleb(2), 8, &given.relocations);
    }
    for given in &offsets {
        entries = place(entries.uleb(3), 4, &given.relocations);
    }
    // Outside of the section.
    for offset in [0xffff, u64::MAX, u64::MAX - 4] {
        list.push(Relocation {
            offset,
            symbol: 6,
            kind: 1,
            addend: 0,
        });
    }
    let mut elf = zebin::zebin(&["k", "other"]);
    // As the compiler names code sections.
    elf = elf
        .symbol(Symbol::new(".text.k", 1, 3, ".text.k"))
        .symbol(Symbol::new(other, 1, 3, ".text.k"))
        .symbol(Symbol::new("far", 1, 0, 0xfff1).at(0x1_0000_0000, 0))
        .symbol(Symbol::new("", 1, 3, ".debug_str"));
    // A list of ranges whose start is patched, which is not the end of the list.
    let ranges = shape.bytes().address(0).address(0).address(8).address(0x10);
    let ranges = ranges.address(0).address(0);
    let begin = Relocation {
        offset: 0,
        symbol: 6,
        kind: 1,
        addend: 0,
    };
    // The operand of DW_LNE_set_address.
    let opcodes = shape
        .bytes()
        .set_address(0)
        .copy()
        .advance_pc(0x10)
        .end_sequence();
    let lines = Lines::new(shape).paths(paths_4(shape)).opcodes(opcodes);
    let at = lines.build().len() as u64 - 8 - 1 - 2 - 3;
    let address = Relocation {
        offset: at,
        symbol: 7,
        ..begin
    };
    elf.section(debug(
        ".debug_info",
        unit(shape, Kind::Compile, 0, entries.u8(0).bytes),
    ))
    .section(debug(
        ".debug_abbrev",
        table(&[of_unit, of_address, of_offset]),
    ))
    .section(debug(".debug_str", STR))
    .section(debug(".debug_ranges", ranges.bytes))
    .section(debug(".debug_line", lines.build()))
    .section(Section::relocations(".debug_info", list, addend))
    .section(Section::relocations(".debug_ranges", vec![begin], addend))
    .section(Section::relocations(".debug_line", vec![address], addend))
}

/// Returns all files, with their names.
pub fn all() -> Vec<(&'static str, Vec<u8>)> {
    let (four, five) = (Shape::version(4), Shape::version(5));
    let lines = |shapes: &[Shape]| {
        let all = shapes.iter().flat_map(|shape| every_opcode(*shape).build());
        with_lines(all.collect())
    };
    let old = [2, 3, 4].map(Shape::version);
    let list = [
        (
            "dwarf-2-forms-address-4",
            forms(Shape::version(2).address(4)).0,
        ),
        ("dwarf-4-forms", forms(four).0),
        ("dwarf-4-forms-wide-big", forms(four.wide().big()).0),
        ("dwarf-5-forms", forms(five).0),
        ("dwarf-5-forms-wide-big", forms(five.wide().big()).0),
        ("dwarf-5-units", units(five)),
        ("dwarf-5-units-wide-big", units(five.wide().big())),
        ("dwarf-names", names().0),
        ("dwarf-tree", tree()),
        ("dwarf-expressions", expressions()),
        ("dwarf-expressions-of-others", expressions_of_others()),
        ("dwarf-blocks", blocks(Shape::version(3)).0),
        ("dwarf-lines-2-to-4", lines(&old)),
        ("dwarf-lines-5", lines(&[five, five.wide()])),
        ("dwarf-lines-broken", broken_lines()),
        ("dwarf-lists", lists(four)),
        ("dwarf-lists-address-4-big", lists(four.address(4).big())),
        ("dwarf-relocations", relocated(true)),
        ("dwarf-relocations-at-place", relocated(false)),
    ];
    let list = list.into_iter();
    list.map(|(name, elf)| (name, elf.build().bytes)).collect()
}
