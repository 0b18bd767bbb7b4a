use crate::tables::Secondary;
use std::ops::Range;

use super::*;
use crate::tables::write::Form;
use crate::tables::writer::{Writer, write};
use crate::tables::{Cell, CellValue, Column, ListId};
use zeview_core::model::MemorySource;

/// A kernel: name, demangled name, spill size if it is known, flags, `has_dpas`.
type Row = (
    &'static str,
    Option<&'static str>,
    Option<i64>,
    &'static [&'static str],
    bool,
);

static ROWS: [Row; 5] = [
    ("vec_add", None, Some(0), &[], false),
    ("vec_mul", None, Some(2048), &["dpas", "printf"], true),
    ("_Z3addii", Some("add(int, int)"), Some(64), &["dpas"], true),
    ("and", None, None, &[], false),
    (
        "_Zeq",
        Some("foo<int>::operator==(a b)"),
        Some(128),
        &["stack calls"],
        false,
    ),
];

struct Fake;

impl List for Fake {
    fn id(&self) -> ListId {
        ListId::Kernels
    }

    fn count(&self) -> u32 {
        5
    }

    fn secondary(&self) -> Secondary {
        Secondary {
            functions: 1,
            ..Secondary::default()
        }
    }

    fn cell<'a>(&'a self, row: u32, column: usize, _: &Sources) -> Cell<'a> {
        let (name, demangled, spill, flags, dpas) = ROWS[row as usize];
        Cell::new(match ListId::Kernels.columns()[column].id {
            "name" => CellValue::Name {
                name: name.into(),
                demangled: demangled.map(Into::into),
                short: None,
            },
            "spill_size" => spill.map_or(CellValue::Empty, CellValue::Int),
            "spill_dwords_per_lane" => spill.map_or(CellValue::Empty, |spill| {
                CellValue::Real(spill as f64 / 64.0)
            }),
            "code_size" => CellValue::Hex(0x40 + u64::from(row)),
            "required_work_group_size" => CellValue::Ints([8, row.into(), 1]),
            "flags" => CellValue::Words(flags.iter().map(|flag| (*flag).into()).collect()),
            "has_dpas" => CellValue::Bool(dpas),
            _ => CellValue::Empty,
        })
    }

    fn entry(&self, _: u32, _: &Sources) -> Option<Span> {
        None
    }

    fn rows_at(&self, _: Span, _: &Sources) -> Option<Range<u32>> {
        None
    }

    /// A loop of rows 0, 1 and 3, one of rows 1 to 3, and one within it.
    fn folded_rows(&self, start: u32, _: &Sources) -> Vec<Range<u32>> {
        match start {
            0 => vec![1..2, 3..4],
            16 => std::iter::once(2..4).collect(),
            32 => vec![3..3, 3..4],
            _ => Vec::new(),
        }
    }
}

fn run(query: &Query) -> Result<Vec<u32>, String> {
    let sources = Sources::new("none", Box::new(MemorySource::from(Vec::new())));
    let order = query.run(&Fake, &sources)?;
    Ok(order.from(0, u64::MAX).collect())
}

fn filter(text: &str) -> Query {
    Query {
        filter: text.to_owned(),
        all: true,
        ..Query::default()
    }
}

#[track_caller]
fn finds(cases: &[(&str, &[u32])]) {
    for (text, rows) in cases {
        assert_eq!(run(&filter(text)).as_deref(), Ok(*rows), "{text}");
    }
}

#[track_caller]
fn fails(list: ListId, cases: &[(&str, &str)]) {
    for (text, why) in cases {
        let message = Filter::parse(text, list).expect_err(text);
        assert_eq!(message, *why, "{text}");
    }
}

const ALL: &[u32] = &[0, 1, 2, 3, 4];

#[test]
fn words_match_parts_of_any_cell() {
    finds(&[
        ("", ALL),
        ("  ", ALL),
        ("vec", &[0, 1]),
        ("VEC Add", &[0]),
        ("_z3", &[2]),
        ("add(int", &[2]),
        ("add(int, int)", &[2]),
        ("printf", &[1]),
        ("nothing", &[]),
        // In quotes with blanks, and keywords of the language.
        ("\"stack calls\"", &[4]),
        ("\"add(int, int)\"", &[2]),
        ("\"and\"", &[3]),
        ("AND", &[3]),
        ("\"\"", ALL),
        // Hexadecimal numbers match exactly; a decimal number is text.
        ("0x42", &[2]),
        ("0X042", &[2]),
        ("0x4", &[]),
        ("64", &[]),
        ("\"8 3 1\"", &[3]),
        // Boolean columns.
        ("has_dpas", &[1, 2]),
        ("not HAS_DPAS", &[0, 3, 4]),
    ]);
}

#[test]
fn columns_are_compared() {
    finds(&[
        ("spill_size>0", &[1, 2, 4]),
        // Two columns have this title: the first one is used.
        ("spill>0", &[1, 2, 4]),
        ("spill_size >= 64", &[1, 2, 4]),
        ("spill_size> 64", &[1, 4]),
        ("spill_size <64", &[0]),
        ("spill_size<=0x40", &[0, 2]),
        ("spill_size=64", &[2]),
        ("spill_size==64", &[2]),
        ("spill_size!=64", &[0, 1, 3, 4]),
        ("spill_size>-1", &[0, 1, 2, 4]),
        ("spill_size>63.5 spill_size<64.5", &[2]),
        ("code_size>=0x43", &[3, 4]),
        ("spill_dwords_per_lane>0.5", &[1, 2, 4]),
        ("spill_dwords_per_lane=1", &[2]),
        // Missing values meet no condition.
        ("spill_size<1", &[0]),
        ("simd_size!=16", ALL),
        ("simd_size=0", &[]),
        // Text is compared as a whole.
        ("name=vec_add", &[0]),
        ("name==vec", &[]),
        ("name!=vec_add", &[1, 2, 3, 4]),
        ("name=_Z3addii", &[2]),
        ("name=\"add(int, int)\"", &[2]),
        ("name = \"and\"", &[3]),
        ("required_work_group_size=\"8 2 1\"", &[2]),
        ("name=\"\"", &[]),
        // Booleans.
        ("has_dpas=yes", &[1, 2]),
        ("has_dpas=true", &[1, 2]),
        ("has_dpas!=no", &[1, 2]),
        ("has_dpas==0", &[0, 3, 4]),
        // Several words.
        ("flags=dpas", &[1, 2]),
        ("flags!=dpas", &[0, 3, 4]),
        ("flags=\"stack calls\"", &[4]),
        ("flags>1", &[1]),
        ("flags<1", &[0, 3]),
    ]);
}

#[test]
fn columns_are_named_by_their_titles() {
    finds(&[
        ("Spill, B/thread > 64", &[1, 4]),
        ("spill b/thread>64", &[1, 4]),
        ("SPILL_SIZE>64", &[1, 4]),
        ("spill size > 64", &[1, 4]),
        ("spill_s>64", &[1, 4]),
        ("spill_d>1", &[1, 4]),
        ("vec spill size > 64", &[1]),
        ("kernel = vec_add", &[0]),
        ("vec Kernel = vec_add", &[0]),
        ("code > 0x43", &[4]),
        ("has_dp=yes", &[1, 2]),
    ]);
}

#[test]
fn and_or_not() {
    finds(&[
        ("vec and add", &[0]),
        ("vec or add", &[0, 1, 2]),
        ("vec add or printf", &[0, 1]),
        ("add or vec printf", &[0, 1, 2]),
        ("(add or vec) printf", &[1]),
        ("(add or vec)printf", &[1]),
        ("printf(add or vec)", &[]),
        ("not vec", &[2, 3, 4]),
        ("not vec dpas", &[2]),
        ("not(vec dpas)", &[0, 2, 3, 4]),
        ("not (vec or add)", &[3, 4]),
        ("not not vec", &[0, 1]),
        ("spill_size>0 and not flags=dpas", &[4]),
        ("(spill_size>0)and(vec)", &[1]),
        ("((vec))", &[0, 1]),
        ("(name=\"add(int, int)\" or vec_add)", &[0, 2]),
        ("(add(int, int) or vec_add)", &[0, 2]),
    ]);
}

/// Columns that need code are not read where others decide.
#[test]
fn code_is_the_last_resort() {
    struct Strict;
    impl List for Strict {
        fn id(&self) -> ListId {
            ListId::Kernels
        }
        fn count(&self) -> u32 {
            Fake.count()
        }
        fn cell<'a>(&'a self, row: u32, column: usize, sources: &Sources) -> Cell<'a> {
            let column_of = &ListId::Kernels.columns()[column];
            assert_ne!(column_of.presence, crate::tables::Presence::Counted);
            static FAKE: Fake = Fake;
            FAKE.cell(row, column, sources)
        }
        fn entry(&self, row: u32, sources: &Sources) -> Option<Span> {
            Fake.entry(row, sources)
        }
        fn rows_at(&self, span: Span, sources: &Sources) -> Option<Range<u32>> {
            Fake.rows_at(span, sources)
        }
    }
    let sources = Sources::new("none", Box::new(MemorySource::from(Vec::new())));
    let check = |text: &str, expected: [Option<bool>; 5]| {
        let filter = Filter::parse(text, ListId::Kernels).unwrap();
        let decided = (0..5).map(|row| filter.decide_without_code((&Strict, row, &sources)));
        assert_eq!(decided.collect::<Vec<_>>(), expected, "{text}");
        for (row, decided) in (0..5).zip(expected) {
            if let Some(decided) = decided {
                let matches = filter.matches(&Strict, row, &sources);
                assert_eq!(matches, decided, "{text}, row {row}");
            }
        }
    };
    let (yes, no) = (Some(true), Some(false));
    check("spill_size>64", [no, yes, no, no, yes]);
    check("instructions>10", [None; 5]);
    check(
        "instructions>10 and spill_size>64",
        [no, None, no, no, None],
    );
    check(
        "instructions>10 or spill_size>64",
        [None, yes, None, None, yes],
    );
    check(
        "not (instructions>10 and spill_size>64)",
        [yes, None, yes, yes, None],
    );
    check(
        "(instructions>10 or vec) and spill_size>64",
        [no, yes, no, no, None],
    );
}

#[test]
fn parts_of_names_may_have_signs() {
    finds(&[
        ("foo<int>", &[4]),
        ("foo<int", &[4]),
        ("foo<", &[4]),
        ("<int>", &[4]),
        ("operator==", &[4]),
        ("operator==(a", &[4]),
        ("foo<int>::operator==(a b)", &[4]),
        ("a->b", &[]),
        ("a->4", &[]),
        ("operator<", &[]),
        ("operator<=", &[]),
        ("operator>>", &[]),
        ("operator!=x", &[]),
        ("!x", &[]),
    ]);
}

#[test]
fn errors_are_explained() {
    fails(
        ListId::Kernels,
        &[
            (
                "spil_siz>=0",
                "no column is called \"spil_siz\"; did you mean \"spill_size\"?",
            ),
            (
                "gfr_count>0",
                "no column is called \"gfr_count\"; did you mean \"grf_count\"?",
            ),
            (
                "lane=1",
                "no column is called \"lane\"; did you mean \"spill_dwords_per_lane\"?",
            ),
            (
                "what=1",
                "no column is called \"what\"; put text with < > = in quotes",
            ),
            (
                "foo<3",
                "no column is called \"foo\"; put text with < > = in quotes",
            ),
            (
                "foo < bar",
                "no column is called \"foo\"; put text with < > = in quotes",
            ),
            ("\"name\" = x", "missing column before ="),
            (">0", "missing column before >"),
            (
                "required_>0",
                "\"required_\" is ambiguous: required_sub_group_size or required_work_group_size",
            ),
            (
                "req>0",
                "\"req\" is ambiguous: required_sub_group_size or required_work_group_size or require_disable_eufusion or another",
            ),
            ("spill_size>x", "spill_size requires a number, not \"x\""),
            (
                "spill_size>nan",
                "spill_size requires a number, not \"nan\"",
            ),
            (
                "spill_size>yes",
                "spill_size requires a number, not \"yes\"",
            ),
            ("has_dpas=x", "has_dpas requires a number, not \"x\""),
            ("add name>5", "name is text: use = or !="),
            ("name<int>", "name is text: use = or !="),
            ("flags>dpas", "flags requires a number, not \"dpas\""),
            ("spill_size>", "missing value after >"),
            ("spill_size > and x", "missing value after >"),
            ("\"vec", "unclosed quotation mark"),
            ("name=\"vec", "unclosed quotation mark"),
            ("(vec", "unclosed parenthesis"),
            ("vec)", "unmatched ); put text with parentheses in quotes"),
            ("()", "missing operand before )"),
            ("(vec or)", "missing operand before )"),
            (
                "vec and",
                "missing operand at the end; put the words and, or, not in quotes to search for them",
            ),
            (
                "not",
                "missing operand at the end; put the words and, or, not in quotes to search for them",
            ),
            (
                "or vec",
                "missing operand before \"or\"; put the words and, or, not in quotes to search for them",
            ),
            (
                "vec or and x",
                "missing operand before \"and\"; put the words and, or, not in quotes to search for them",
            ),
        ],
    );
    fails(
        ListId::Relocations,
        &[("bytes=1", "bytes cannot be compared")],
    );
    for deep in [
        "(".repeat(50_000) + &")".repeat(50_000),
        "not ".repeat(50_000) + "x",
    ] {
        assert!(Filter::parse(&deep, ListId::Lines).is_err());
    }
    let long = "word ".repeat(10_000);
    assert!(Filter::parse(&long, ListId::Lines).is_ok());
}

#[test]
fn parsing_never_panics() {
    let pieces = [
        "spill size",
        ">",
        "(",
        ")",
        "\"",
        " ",
        "not",
        "or",
        "name",
        "=",
        "0x",
        "é",
        "-",
        "!",
    ];
    let mut state = 1u32;
    for _ in 0..20_000 {
        let mut text = String::new();
        for _ in 0..8 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            text += pieces[state as usize / 65536 % pieces.len()];
        }
        for list in ListId::ALL {
            let _ = Filter::parse(&text, list);
        }
    }
}

#[test]
fn rows_are_sorted() {
    let sorted = |id: &'static str, descending| {
        let query = Query {
            sort: Some(id.into()),
            descending,
            ..filter("")
        };
        run(&query)
    };
    assert_eq!(sorted("spill_size", false).unwrap(), [3, 0, 2, 4, 1]);
    assert_eq!(sorted("spill_size", true).unwrap(), [1, 4, 2, 0, 3]);
    // By the demangled name.
    assert_eq!(sorted("name", false).unwrap(), [2, 3, 4, 0, 1]);
    // The sort is stable in both directions.
    assert_eq!(sorted("has_dpas", false).unwrap(), [0, 3, 4, 1, 2]);
    assert_eq!(sorted("has_dpas", true).unwrap(), [1, 2, 0, 3, 4]);
    assert_eq!(sorted("flags", true).unwrap(), [1, 2, 4, 0, 3]);
    assert_eq!(
        sorted("nothing", true),
        Err("no column is called \"nothing\"".to_owned())
    );
}

#[test]
fn secondary_rows_are_shown_on_demand() {
    let query = Query {
        all: false,
        ..filter("")
    };
    assert_eq!(run(&query).unwrap(), [0, 1, 2, 3]);
    let query = Query {
        all: false,
        ..filter("spill_size>0")
    };
    assert_eq!(run(&query).unwrap(), [1, 2]);
}

#[test]
fn places() {
    for order in [Order::All(5), Order::Rows(vec![0, 1, 2, 3, 4])] {
        assert_eq!(order.count(), 5);
        assert_eq!(order.from(3, 9).collect::<Vec<_>>(), [3, 4]);
        assert_eq!(order.from(u64::MAX, u64::MAX).count(), 0);
        assert_eq!((order.row(4), order.row(5)), (Some(4), None));
        assert_eq!((order.place(4), order.place(5)), (Some(4), None));
    }
}

#[test]
fn conditions_alone() {
    let compared = |text| Filter::parse(text, ListId::Kernels).unwrap().compared();
    let columns = ListId::Kernels.columns();
    let column = |id| columns.iter().position(|column| column.id == id).unwrap();
    assert_eq!(
        compared("grf_count>1 or not(spill_size=0)"),
        Ok(vec![column("grf_count"), column("spill_size")])
    );
    assert_eq!(compared("spill_size=0 x"), Err("x".to_owned()));
}

#[test]
fn taken_output_is_not_repeated() {
    let columns: Vec<&Column> = ListId::Kernels.default_columns().collect();
    let sources = Sources::new("none", Box::new(MemorySource::from(Vec::new())));
    let mut writer = Writer::new(ListId::Kernels, &columns, Form::Csv, false);
    let whole = write(
        &Fake,
        &Order::All(2),
        &columns,
        Form::Csv,
        None,
        &sources,
        usize::MAX,
    )
    .unwrap();
    writer.push(&Fake, 0, &sources, None);
    let start = writer.take();
    assert_eq!(start.lines().count(), 2, "the ids of the columns and a row");
    writer.push(&Fake, 1, &sources, None);
    assert_eq!(start + &writer.finish(), whole);
}

#[test]
fn folded_rows_are_left_out() {
    for (folded, rows) in [
        (&[][..], &[0, 1, 2, 3][..]),
        (&[0], &[0, 2]),
        (&[16], &[0, 1]),
        (&[32], &[0, 1, 2]),
        (&[32, 16], &[0, 1]),
        (&[16, 0], &[0]),
        (&[7], &[0, 1, 2, 3]),
    ] {
        let query = Query {
            options: RowOptions::code(None, folded.to_vec()),
            ..Query::default()
        };
        assert_eq!(run(&query).as_deref(), Ok(rows), "{folded:?}");
        // A filter or an order shows them.
        let filtered = Query {
            options: RowOptions::code(None, folded.to_vec()),
            ..filter("name!=x")
        };
        assert_eq!(run(&filtered), run(&filter("name!=x")), "{folded:?}");
        let sorted = Query {
            sort: Some("spill_size".into()),
            ..query
        };
        assert_eq!(run(&sorted).unwrap().len(), 4, "{folded:?}");
    }
}

#[test]
fn a_visible_row_unfolds_the_loops_around_it() {
    let sources = Sources::new("none", Box::new(MemorySource::from(Vec::new())));
    for (rows, left) in [
        (0..1, &[0, 16, 32][..]),
        (1..2, &[16, 32]),
        (2..3, &[0, 32]),
        (3..4, &[]),
        (1..3, &[32]),
        (4..5, &[0, 16, 32]),
    ] {
        let mut code = CodeOptions {
            encoding: None,
            folded: vec![0, 16, 32],
        };
        code.reveal(&rows, &Fake, &sources);
        assert_eq!(code.folded, left, "{rows:?}");
    }
}
