//! What a page asks while a user looks at every panel of some files: each kind of request, and each kind of
//! answer.

use zeview::analysis::occupancy::OccupancyParameters;
use zeview::model::{NodeId, SourceId, Span, Str};
use zeview::tables::ListId;
use zeview::tables::query::{FindOptions, GroupBy, Query, RowOptions};
use zeview::tables::write::Form;
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{
    CompareForm, Envelope, ExportForm, Follow, ListRequest, ReportedCode, Request, Response,
    SearchStep, SelectionTarget, StepPlace,
};

use super::decoder::Decoder;

const ROOT: NodeId = NodeId::ROOT;

const SPILL: &[u8] = include_bytes!("../../www/samples/spill.dg2.zebin");
const VECADD: &[u8] = include_bytes!("../../www/samples/vecadd.bmg.zebin");
const MATMUL: &[u8] = include_bytes!("../../www/samples/matmul.syclbin");
const PROFILE: &[u8] = include_bytes!("../../www/samples/matmul.csv");
const PROGRAM: &[u8] = include_bytes!("../../www/samples/program.host");

/// What was asked, and the answers.
pub fn journey() -> Vec<(Envelope, Response)> {
    let mut record = Vec::new();
    for visit in [visit_kernel, visit_comparison, visit_images, visit_program] {
        record.extend(visit().record);
    }
    record
}

fn rows() -> ListRequest {
    ListRequest::Rows {
        start: 0,
        count: 20,
        columns: Vec::new(),
    }
}

fn list(list: ListId, query: Query, ask: ListRequest) -> Request {
    Request::List {
        document: ROOT,
        list,
        query,
        ask,
    }
}

fn select(place: SelectionTarget, follow: Option<Follow>) -> Request {
    Request::Select {
        order: TreeOrder::File,
        place,
        follow,
    }
}

/// Tree, bytes, search, code and occupancy of a zebin.
fn visit_kernel() -> Decoder {
    let (mut decoder, opened) = Decoder::open("spill.dg2.zebin", SPILL);
    decoder.ask(Request::Rules);
    for order in [TreeOrder::File, TreeOrder::Kernels] {
        decoder.ask(Request::Rows {
            order,
            node: ROOT,
            start: 0,
            count: 10,
        });
    }
    let header = opened.rows[0].span.unwrap();
    decoder.ask(Request::Bytes {
        span: header,
        leaves: true,
    });
    for step in [SearchStep::Begin, SearchStep::GoOn, SearchStep::Stop] {
        decoder.ask(Request::Search {
            typed: "kernel".to_owned(),
            limit: 5,
            step,
        });
    }
    for list_id in ListId::ALL {
        decoder.ask(list(list_id, Query::default(), rows()));
    }
    let Response::Code(code) = decoder.ask(Request::Code {
        document: ROOT,
        query: Query::default(),
    }) else {
        panic!("code");
    };
    let of = code.of;
    let query = Query {
        of: Some(of),
        ..Query::default()
    };
    let follow = Follow {
        document: ROOT,
        list: ListId::Instructions,
        query: query.clone(),
        current: Some(of),
        or_first: true,
    };
    decoder.ask(Request::PrepareCode {
        follow: follow.clone(),
        node: ROOT,
        span: Some(of),
    });
    decoder.ask(Request::DataFlow {
        document: ROOT,
        query: query.clone(),
    });
    decoder.ask(Request::CodeSamples { document: ROOT, of });
    decoder.ask(Request::Graph {
        document: ROOT,
        list: ListId::Instructions,
        query: query.clone(),
        start: 0,
        count: 100,
        at: Some(of),
    });
    decoder.ask(Request::Step {
        document: ROOT,
        query: query.clone(),
    });
    for column in 0..2 {
        decoder.ask(Request::StepLines {
            column,
            start: 0,
            count: 20,
        });
    }
    decoder.ask(Request::StepRows(StepPlace::Bytes(of.subspan(0, 16))));
    decoder.ask(Request::StepRows(StepPlace::Point(0)));
    let places = [
        SelectionTarget::Node(ROOT),
        SelectionTarget::Byte(SourceId::FILE, 1),
        SelectionTarget::Span(of),
        SelectionTarget::Around {
            span: header,
            within: of,
        },
        SelectionTarget::Part {
            span: Span::new(of.source, of.start, of.start + 16),
            at: 3,
            encoding: Some("xe-hpg".into()),
        },
        SelectionTarget::Path(".ze_info/kernels/[0]".to_owned()),
        SelectionTarget::Row(0),
        SelectionTarget::ListRow(1),
    ];
    for place in places {
        decoder.ask(select(place, Some(follow.clone())));
    }
    decoder.ask(list(
        ListId::Instructions,
        query,
        ListRequest::At {
            node: ROOT,
            span: Some(of),
            current: None,
            or_first: true,
        },
    ));
    decoder.ask(list(
        ListId::Kernels,
        Query {
            filter: "spill>0".to_owned(),
            sort: Some("name".into()),
            descending: true,
            ..Query::default()
        },
        ListRequest::Written {
            columns: vec!["name".into()],
            form: Form::Csv,
            rows: Some((0, 1)),
        },
    ));
    decoder.ask(Request::Occupancy {
        document: ROOT,
        kernel: 0,
        parameters: OccupancyParameters {
            work_group: Some(256),
            ..OccupancyParameters::default()
        },
    });
    decoder.ask(Request::AddSource {
        document: ROOT,
        name: "spill.cl".to_owned(),
        text: "kernel void k() {}\n".to_owned(),
    });
    for form in [ExportForm::Json, ExportForm::Text] {
        decoder.ask(Request::Export {
            node: opened.rows[0].id,
            form,
        });
    }
    decoder.ask(Request::Texts { document: ROOT });
    decoder.ask(Request::WriteReport { code: None });
    let code = Some(ReportedCode {
        document: ROOT,
        of,
        encoding: None,
        row: Some(50),
    });
    let Response::Text(report) = decoder.ask(Request::WriteReport { code }) else {
        panic!("a report");
    };
    assert_nested(&report);
    // The code comes first, around the selected instruction, with what the panel says of it.
    let [code, file] = ["<h2>Assembly</h2>", "<h2>Overview</h2>"].map(|title| report.find(title));
    assert!(code.is_some() && code < file);
    let listing: Vec<&str> = report[code.unwrap()..].lines().collect();
    let marked: Vec<&&str> = listing
        .iter()
        .filter(|line| line.starts_with('→'))
        .collect();
    assert_eq!(marked.len(), 1);
    assert!(listing[1].starts_with("<p>Instructions 10 to 90 of "));
    for title in ["Live registers", "Loops", "Waits"] {
        assert!(report.contains(&format!("<h2>{title}</h2>")), "{title}");
    }
    let Response::Texts(texts) = decoder.ask(Request::Texts { document: ROOT }) else {
        panic!("texts");
    };
    let text = texts.first().and_then(|row| row.span);
    decoder.ask(list(
        ListId::Lines,
        Query {
            of: text,
            ..Query::default()
        },
        ListRequest::Find {
            typed: "kernels".to_owned(),
            from: 0,
            forward: true,
        },
    ));
    decoder
}

/// Two files compared.
fn visit_comparison() -> Decoder {
    let (mut decoder, _) = Decoder::open("vecadd.bmg.zebin", VECADD);
    let compare = |keep| Request::Compare {
        name: "spill.dg2.zebin".to_owned(),
        options: Default::default(),
        keep,
    };
    decoder.ask_with(compare(None), SPILL);
    decoder.ask(compare(Some(1)));
    decoder.ask(Request::Differing);
    decoder.ask(Request::BasePath(SourceId::FILE));
    decoder.ask(Request::SourceNumbers(Vec::new()));
    decoder.ask(list(ListId::Differences, Query::default(), rows()));
    for form in [CompareForm::Markdown, CompareForm::Html, CompareForm::Json] {
        decoder.ask(Request::WriteComparison { form });
    }
    decoder
}

/// Images of a SYCLBIN, and a profile.
fn visit_images() -> Decoder {
    let (mut decoder, _) = Decoder::open("matmul.syclbin", MATMUL);
    decoder.ask(Request::Graph {
        document: ROOT,
        list: ListId::Modules,
        query: Query::default(),
        start: 0,
        count: 20,
        at: None,
    });
    decoder.ask(Request::CodeImages { node: ROOT });
    for device in [None, Some(Str::from("bmg-g21")), Some("no such".into())] {
        decoder.ask(Request::Verdict {
            document: ROOT,
            device,
        });
    }
    let profile = Request::AddProfile {
        name: "matmul.csv".to_owned(),
        is_earlier: false,
        is_part: false,
    };
    let mut answer = decoder.ask_with(profile.clone(), PROFILE);
    while let Response::ReadingProfile { .. } = answer {
        answer = decoder.ask(profile.clone());
    }
    for by in GroupBy::ALL {
        let query = Query {
            options: RowOptions::Kernels(by),
            ..Query::default()
        };
        decoder.ask(list(ListId::Kernels, query, rows()));
    }
    for each in [false, true] {
        let query = Query {
            filter: "kind=message".to_owned(),
            options: RowOptions::found(FindOptions { each }),
            ..Query::default()
        };
        decoder.ask(list(ListId::Found, query, rows()));
    }
    decoder
}

/// A program with device code for several devices.
fn visit_program() -> Decoder {
    let (mut decoder, _) = Decoder::open("program.host", PROGRAM);
    decoder.ask(list(
        ListId::Kernels,
        Query::default(),
        ListRequest::Survey {
            columns: vec!["name".into()],
            count: 5,
        },
    ));
    decoder.ask(list(
        ListId::Kernels,
        Query::default(),
        ListRequest::Worst {
            columns: vec!["name".into()],
            count: 5,
        },
    ));
    decoder.ask(list(ListId::Images, Query::default(), rows()));
    decoder
}

/// Checks that start tags are closed in order, except void elements.
pub fn assert_nested(html: &str) {
    let mut open: Vec<&str> = Vec::new();
    for piece in html.split('<').skip(1) {
        let tag = piece.split('>').next().unwrap();
        let name = tag
            .trim_start_matches('/')
            .split([' ', '\n'])
            .next()
            .unwrap();
        match tag.starts_with('/') {
            true => assert_eq!(open.pop(), Some(name), "{tag}"),
            false if name.starts_with('!') || name == "meta" => {}
            false => open.push(name),
        }
    }
    assert!(open.is_empty(), "{open:?}");
}
