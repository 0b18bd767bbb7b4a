//! Profiles in the worker: reading in steps, the summary, and the samples of code.

use std::fs;
use std::path::Path;

use zeview::analysis::profile::total;
use zeview::model::{ByteSource, MemorySource, NodeId, Span};
use zeview::tables::query::Query;
use zeview::tables::{CellValue, ListId};
use zeview::worker::handler::Handler;
use zeview::worker::protocol::{
    CodeSamples, Envelope, ListPage, ListRequest, ProfileOverview, Request, Response,
};

use crate::support::open;

fn file(path: &str) -> Vec<u8> {
    fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).unwrap()
}

fn opened(name: &str) -> Handler {
    let mut handler = Handler::new(|| 0.0);
    let document = open(&file(&format!("www/samples/{name}")));
    handler.show(1, name, document);
    handler
}

fn envelope(request: Request) -> Envelope {
    Envelope {
        id: 2,
        about: None,
        request,
    }
}

/// Adds a profile. Returns the last response and the progress before it.
fn add(handler: &mut Handler, csv: impl Into<Vec<u8>>) -> (Response, Vec<u8>) {
    add_named(handler, "perf.csv", false, csv)
}

fn add_named(
    handler: &mut Handler,
    name: &str,
    is_earlier: bool,
    csv: impl Into<Vec<u8>>,
) -> (Response, Vec<u8>) {
    let request = envelope(Request::AddProfile {
        name: name.to_owned(),
        is_earlier,
        is_part: false,
    });
    let source: Box<dyn ByteSource> = Box::new(MemorySource::from(csv.into()));
    let mut response = handler.add_profile(&request, source).response;
    let mut steps = Vec::new();
    while let Response::ReadingProfile { percent } = response {
        steps.push(percent);
        response = handler.answer(&request).response;
    }
    (response, steps)
}

fn overview(handler: &mut Handler, csv: impl Into<Vec<u8>>) -> ProfileOverview {
    match add(handler, csv).0 {
        Response::Profile(overview) => *overview,
        other => panic!("{other:?}"),
    }
}

fn failure(handler: &mut Handler, csv: impl Into<Vec<u8>>) -> String {
    match add(handler, csv).0 {
        Response::Failed { message, changed } => {
            assert!(!changed);
            message
        }
        other => panic!("{other:?}"),
    }
}

fn samples(handler: &mut Handler, document: NodeId, of: Span) -> Option<CodeSamples> {
    let request = Request::CodeSamples { document, of };
    match handler.answer(&envelope(request)).response {
        Response::CodeSamples(samples) => samples.map(|samples| *samples),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_summary_names_the_most_stalled_instruction_and_its_cause() {
    let mut handler = opened("matmul.syclbin");
    let found = overview(&mut handler, file("www/samples/matmul.csv"));
    assert_eq!(found.unmatched, []);
    assert_eq!(found.problems, []);
    let [kernel] = found.kernels.as_slice() else {
        panic!("{:?}", found.kernels);
    };
    assert_eq!(
        (kernel.name.as_str(), kernel.is_ambiguous),
        ("matmul", false)
    );
    assert_eq!(total(&kernel.samples), 12_768);
    assert_eq!(kernel.images[0].target.as_deref(), Some("bmg-g21"));
    let stall = &kernel.stalls[0];
    assert_eq!((stall.offset, total(&stall.counts)), (0x340, 1208));
    assert_eq!(
        (stall.causes[0].offset, stall.causes[0].on.as_str()),
        (0x318, "$6.dst")
    );

    // The same beside the code of that image, and in no other.
    let (document, of) = (kernel.images[0].document, kernel.images[0].code);
    let code = samples(&mut handler, document, of).unwrap();
    assert_eq!((total(&code.samples), code.most), (12_768, 1208));
    assert_eq!(code.most_stalled().next(), Some(stall));
    assert_eq!(code.at(0x340), Some(stall));
    assert_eq!(code.row(stall.row.into()), Some(stall));
    assert!(code.rows.is_sorted_by_key(|at| (at.offset, at.row)));
    let other = samples(&mut handler, document, of.subspan(0, 16)).unwrap();
    assert_eq!((other.rows.len(), other.most), (0, 0));

    // The list of instructions counts them, too.
    let request = Request::List {
        document,
        list: ListId::Instructions,
        query: Query {
            of: Some(of),
            sort: Some("samples".into()),
            descending: true,
            ..Query::default()
        },
        ask: ListRequest::Rows {
            start: 0,
            count: 1,
            columns: vec!["samples".into()],
        },
    };
    let Response::List(page) = handler.answer(&envelope(request)).response else {
        panic!("no list");
    };
    assert_eq!(page.rows[0].index, u64::from(stall.row));
    assert_eq!(page.rows[0].cells[0].value, CellValue::Count(1208));

    // The basic blocks are shaded by them.
    let request = Request::Graph {
        document,
        list: ListId::Instructions,
        query: Query {
            of: Some(of),
            ..Query::default()
        },
        start: 0,
        count: u64::MAX,
        at: None,
    };
    let Response::Blocks(page) = handler.answer(&envelope(request)).response else {
        panic!("no blocks");
    };
    let costs = page.rows.iter().map(|row| {
        let rows = row.block.row..row.block.row + row.block.rows;
        let samples = rows.filter_map(|row| code.row(row.into()));
        let samples: u64 = samples.map(|at| total(&at.counts)).sum();
        let words = row.cost.replace('\u{a0}', "");
        let (count, unit) = words.split_once(' ').unwrap();
        assert_eq!(count, samples.to_string(), "{row:?}");
        assert!(unit.starts_with("sample"), "{row:?}");
        (samples, row.heat)
    });
    let costs: Vec<(u64, u8)> = costs.collect();
    assert_eq!(
        costs.iter().map(|(samples, _)| samples).sum::<u64>(),
        12_768
    );
    let (_, darkest) = costs.iter().max().unwrap();
    assert_eq!(*darkest, 100);
    assert!(
        costs
            .iter()
            .all(|(samples, heat)| (*samples > 0) == (*heat > 0))
    );
}

#[test]
fn the_list_of_kernels_has_a_column_once_there_is_a_profile() {
    let mut handler = opened("matmul.syclbin");
    let kernels = |handler: &mut Handler| {
        let request = Request::List {
            document: NodeId::ROOT,
            list: ListId::Kernels,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 100,
                columns: Vec::new(),
            },
        };
        match handler.answer(&envelope(request)).response {
            Response::List(page) => *page,
            other => panic!("{other:?}"),
        }
    };
    while kernels(&mut handler)
        .reading
        .is_some_and(|of| !of.progress().is_over())
    {}
    let samples = |page: &ListPage| page.columns.iter().position(|id| id == "samples");
    assert_eq!(samples(&kernels(&mut handler)), None);
    overview(&mut handler, file("www/samples/matmul.csv"));
    let page = kernels(&mut handler);
    let column = samples(&page).unwrap();
    let counts = page.rows.iter().map(|row| row.cells[column].value.clone());
    let counted = counts.filter(|value| *value != CellValue::Empty);
    let counted: Vec<CellValue> = counted.collect();
    assert!(
        !counted.is_empty() && counted.len() < page.rows.len(),
        "{counted:?}"
    );
    assert!(
        counted
            .iter()
            .all(|value| *value == CellValue::Count(12_768))
    );
}

#[test]
fn long_profiles_are_read_in_steps() {
    let mut handler = opened("matmul.syclbin");
    let mut csv = file("www/samples/matmul.csv");
    let whole = overview(&mut handler, csv.clone());
    csv.extend(std::iter::repeat_n(b'\n', 20 << 20));
    let (response, steps) = add(&mut handler, csv);
    assert!(steps.len() == 2 && steps.is_sorted(), "{steps:?}");
    // It is compared with the first.
    let again = ProfileOverview {
        is_compared: true,
        ..whole
    };
    assert_eq!(response, Response::Profile(Box::new(again)));
    // Nothing is being read any more.
    let again = envelope(Request::AddProfile {
        name: "perf.csv".to_owned(),
        is_earlier: false,
        is_part: false,
    });
    let Response::Failed { message, .. } = handler.answer(&again).response else {
        panic!("a profile without a file");
    };
    assert_eq!(message, "perf.csv is not being read.");
}

#[test]
fn a_file_that_is_no_profile_is_refused_with_the_line() {
    let mut handler = opened("vecadd.bmg.zebin");
    let message = failure(&mut handler, "name,age\nAda,36\n");
    assert!(message.contains("Line 1: "), "{message}");
    assert!(failure(&mut handler, "").contains("Line 1: "));
    let head = "Kernel, IP[Address], Active[Events]\n\"vecadd\", zero, 1\n";
    let message = failure(&mut handler, head);
    assert!(message.contains("Line 2: "), "{message}");
    // The samples of the profile before stay.
    let banner = file("tests/fixtures/profiles/banner.csv");
    let code = overview(&mut handler, banner).kernels[0].images[0].clone();
    failure(&mut handler, "name,age\n");
    let left = samples(&mut handler, code.document, code.code).unwrap();
    assert!(left.most > 0);
}

#[test]
fn what_does_not_match_has_a_reason() {
    let mut handler = opened("vecadd-O0.bmg.zebin");
    let found = overview(&mut handler, file("tests/fixtures/profiles/banner.csv"));
    assert_eq!(found.kernels, []);
    assert_eq!(found.unmatched.len(), 1);
    let reason = &found.unmatched[0].reason;
    assert!(reason.contains("another build"), "{reason}");
    let found = overview(&mut handler, file("tests/fixtures/profiles/metrics.csv"));
    // The offsets of samples do not fit. Metrics have none, but the kernel's name has its SIMD width.
    assert_eq!(found.metrics, [] as [&str; 0]);
    let reasons: Vec<&str> = found.unmatched.iter().map(|of| &*of.reason).collect();
    assert!(reasons[0].contains("another build"), "{reasons:?}");
    assert!(
        reasons.contains(&"no metrics: no kernel of this name"),
        "{reasons:?}"
    );
    assert!(
        reasons.iter().any(|why| why.contains("SIMD width 16")),
        "{reasons:?}"
    );
}

#[test]
fn metrics_are_columns_beside_the_samples() {
    let mut handler = opened("vecadd.bmg.zebin");
    let samples = file("tests/fixtures/profiles/banner.csv");
    let metrics = file("tests/fixtures/profiles/metrics.csv");
    let (answer, _) = add_named(&mut handler, "stalls.csv", false, samples);
    assert!(matches!(answer, Response::Profile(_)));
    let (answer, _) = add_named(&mut handler, "query.csv", false, metrics);
    let Response::Profile(overview) = answer else {
        panic!("{answer:?}");
    };
    assert_eq!(overview.name, "stalls.csv and query.csv");
    assert_eq!(overview.kernels.len(), 1);
    let list = |columns: &[&str]| Request::List {
        document: NodeId::ROOT,
        list: ListId::Kernels,
        query: Query::default(),
        ask: ListRequest::Rows {
            start: 0,
            count: 10,
            columns: columns.iter().map(|id| (*id).to_owned().into()).collect(),
        },
    };
    let page = |handler: &mut Handler, columns: &[&str]| match handler
        .answer(&envelope(list(columns)))
        .response
    {
        Response::List(page) => page,
        other => panic!("{other:?}"),
    };
    // Some are visible by default.
    let shown = page(&mut handler, &[]);
    for id in ["samples", "GpuTime[ns]", "XVE_STALL[%]"] {
        assert!(shown.columns.iter().any(|column| column == id), "{id}");
    }
    assert!(!shown.columns.iter().any(|id| id == "L3_BYTE_READ[bytes]"));
    let named = ["samples", "Instances", "GpuTime[ns]", "XVE_STALL[%]"];
    let values = |page: &ListPage| -> Vec<CellValue<'static>> {
        page.rows[0]
            .cells
            .iter()
            .map(|cell| cell.value.clone())
            .collect()
    };
    // Of devices 0 and 1. The stall rate is that of device 0, weighted by time:
    // (77.5 · 40 + 77 · 38 + 84.75 · 120) / 198.
    let found = values(&page(&mut handler, &named));
    assert!(
        matches!(found[0], CellValue::Count(samples) if samples > 0),
        "{found:?}"
    );
    assert_eq!(found[1], CellValue::Real(4.0));
    assert_eq!(found[2], CellValue::Real(238_000.0));
    let CellValue::Real(stall) = found[3] else {
        panic!("{found:?}");
    };
    assert!((stall - 16_196.0 / 198.0).abs() < 1e-9, "{stall}");
    // Columns are found by their names and titles in queries.
    let mut request = list(&["name"]);
    if let Request::List { query, .. } = &mut request {
        query.filter = "xve_stall>80 and GpuTime[ns]>=238000".to_owned();
    }
    let Response::List(page) = handler.answer(&envelope(request)).response else {
        panic!("no list");
    };
    assert_eq!((page.found, page.trouble.clone()), (1, None));
}

#[test]
fn two_profiles_are_compared_in_the_page() {
    let heads = "Kernel, IP[Address], Active[Events], SbidStall[Events]\n";
    let table = |rows: &str| format!("{heads}{rows}").into_bytes();
    let changes = |handler: &mut Handler| {
        let request = Request::List {
            document: NodeId::ROOT,
            list: ListId::ProfileChanges,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 10,
                columns: vec![
                    "kernel".into(),
                    "change".into(),
                    "offset".into(),
                    "types".into(),
                ],
            },
        };
        match handler.answer(&envelope(request)).response {
            Response::List(page) => page
                .rows
                .iter()
                .map(|row| {
                    let cells = row.cells.iter().map(|cell| cell.value.text().into_owned());
                    cells.collect::<Vec<_>>().join(" | ")
                })
                .collect::<Vec<String>>(),
            other => panic!("{other:?}"),
        }
    };
    let mut handler = opened("vecadd.bmg.zebin");
    let before = table("\"vecadd\", 1a0, 1, 99\n\"vecadd\", 1a8, 5, 0\n");
    let after = table("\"vecadd\", 1a0, 1, 49\n\"vecadd\", 1a8, 5, 10\n");
    assert!(!overview(&mut handler, before.clone()).is_compared);
    assert!(overview(&mut handler, after).is_compared);
    let expected = [
        "vecadd | -40 |  | SbidStall 99 → 59",
        "vecadd | -50 | +0x1a0 | SbidStall 99 → 49",
        "vecadd | 10 | +0x1a8 | SbidStall 0 → 10",
    ];
    assert_eq!(changes(&mut handler), expected);
    // A profile that is named as the earlier one replaces the other.
    let earlier = table("\"vecadd\", 1a0, 1, 49\n\"vecadd\", 1a8, 5, 0\n");
    let (answer, _) = add_named(&mut handler, "earlier.csv", true, earlier);
    assert!(matches!(answer, Response::Profile(overview) if overview.is_compared));
    assert_eq!(changes(&mut handler).len(), 2);
    // On another build, instructions are compared with those that are equal.
    let mut handler = opened("vecadd.bmg.zebin");
    overview(&mut handler, table("\"vecadd\", 1a0, 1, 49\n"));
    let compare = envelope(Request::Compare {
        name: "before.zebin".to_owned(),
        options: Default::default(),
        keep: None,
    });
    let base = file("www/samples/vecadd-O0.bmg.zebin");
    handler.compare(&compare, Box::new(MemorySource::from(base)));
    let (answer, _) = add_named(&mut handler, "o0.csv", true, table("\"vecadd\", 0, 1, 3\n"));
    assert!(matches!(answer, Response::Profile(overview) if overview.is_compared));
    let rows = changes(&mut handler);
    assert_eq!(rows[0], "vecadd | 46 |  | SbidStall 3 → 49");
    assert!(rows.iter().any(|row| row.contains("+0x1a0")), "{rows:?}");
}

/// Sends the files of a run. Returns the response to the last one.
fn add_run(handler: &mut Handler, files: &[(&str, Vec<u8>)]) -> Response {
    let mut last = Response::Prepared;
    for (at, (name, bytes)) in files.iter().enumerate() {
        assert_eq!(last, Response::Prepared);
        let request = envelope(Request::AddProfile {
            name: (*name).to_owned(),
            is_earlier: false,
            is_part: at + 1 < files.len(),
        });
        let source: Box<dyn ByteSource> = Box::new(MemorySource::from(bytes.clone()));
        last = handler.add_profile(&request, source).response;
    }
    last
}

#[test]
fn the_files_of_a_run_are_one_profile() {
    let mut handler = opened("vecadd.bmg.zebin");
    let table = b"Kernel, IP[Address], Active[Events], SbidStall[Events]\nvecadd, 1a0, 1, 9\nvecadd, 4a0, 1, 0\n";
    let files = [
        ("metrics_0.csv", table.to_vec()),
        ("metrics_1.csv", table.to_vec()),
        (
            "device_timing.txt",
            file("tests/fixtures/profiles/timing.csv"),
        ),
    ];
    let Response::Profile(found) = add_run(&mut handler, &files) else {
        panic!();
    };
    assert_eq!(found.name, "metrics_0.csv and 2 more files");
    let devices: Vec<_> = found.kernels.iter().map(|kernel| kernel.device).collect();
    assert_eq!(devices, [Some(0), Some(1)]);
    assert_eq!((total(&found.samples), found.lost), (22, 2));
    assert_eq!(found.kernels[0].elsewhere, [1, 0]);
    assert_eq!(found.timings.len(), 3);
    assert_eq!(found.timings[0].compiled.as_deref(), Some("AOT"));
    assert_eq!(found.device_time, 51_000);
    assert!(found.metrics.contains(&"Calls".to_owned()));
    assert!(!found.is_compared);
}

#[test]
fn executions_are_in_the_summary_and_beside_the_code() {
    let mut handler = opened("matmul.syclbin");
    let found = overview(
        &mut handler,
        file("tests/fixtures/profiles/executions.json"),
    );
    let [kernel] = found.counts.as_slice() else {
        panic!("{:?}", found.counts);
    };
    assert_eq!((&*kernel.name, kernel.threads), ("matmul", Some(64)));
    let costliest = kernel.costliest.as_ref().unwrap();
    assert_eq!(
        (costliest.executions, costliest.mean_lanes()),
        (1024, Some(32.0))
    );
    let (document, of) = (kernel.images[0].document, kernel.images[0].code);
    let code = samples(&mut handler, document, of).unwrap();
    assert_eq!(code.rows, []);
    assert_eq!(code.counts_at(costliest.offset), Some(costliest));
    assert_eq!(code.counts_at(costliest.offset + 1), None);
}
