//! One message of every kind, with values that are hard to serialize.

use zeview::analysis::assembly::{MessageCount, Mix, Part, RegisterRange, TextPart, TextPartKind};
use zeview::analysis::blocks::{Block, BlockGroup, Edge, Transfer};
use zeview::analysis::figure::{SizeFigure, Unknown};
use zeview::analysis::kernels::{
    BindingTableEntry, Flag, Hazard, HazardKind, InlineSampler, KernelDetail, KernelRow, Located,
    MemoryBuffer, Overlap, Payload, PayloadEntry, PerThreadEntry, Piece, Property, SourceArgument,
};
use zeview::analysis::modules::graph::ModuleGroup;
use zeview::analysis::modules::{AbstractModule, Image, PropertyOwner};
use zeview::analysis::occupancy::{MoreThreads, Occupancy, OccupancyParameters, Origin, Term};
use zeview::analysis::profile::{
    Cause, ImageKernel, InstructionSamples, Problem as ProfileProblem, SourcePosition,
};
use zeview::analysis::survey::{Copies, DeviceSurvey, Progress, Survey};
use zeview::analysis::{ApiVerdict, Import, Matching, NeededRelease, Rebuild, Verdict};
use zeview::diff::{DifferenceIndex, FileSummary};
use zeview::kernel_names::KernelQuery;
use zeview::model::{
    Area, Bits, Capabilities, Coverage, Diagnostic, Effect, Fact, Finding, Label, NodeId, NodeKind,
    Outcome, Radix, RuleInfo, Severity, SourceId, Span, Summary, Tone, UnpackedSource, Value, Xref,
};
use zeview::tables::query::{GroupBy, Query};
use zeview::tables::write::Form;
use zeview::tables::{
    self, Cell, CellValue, InstructionDetail, ListId, Match, RelatedInstruction, Relation,
    RowDetails, Secondary,
};
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{
    BlockEdge, BlockRow, BlocksPage, CodeImage, CodeImages, CodeReport, CodeSamples, CompareForm,
    CompareReport, Detail, Envelope, ExportForm, FlowColumn, FlowColumnKind, FlowFact, FlowLoop,
    FlowOverview, FlowTable, Follow, GraphEdge, GraphModule, GraphPage, GroupRow, HitRow,
    ImagePick, ImagesReport, KnownRow, LeafRow, ListAt, ListPage, ListPlace, ListRequest, Message,
    Opened, Problem, ProfileOverview, ProfiledKernel, RejectedKernel, Request, Response, Row,
    SearchStep, Selected, SelectionTarget, SurveyReport, VerdictReport,
};

const SPAN: Span = Span::new(SourceId(7), 5_000_000_000, u64::MAX);

fn unpacked_source() -> UnpackedSource {
    UnpackedSource {
        id: SourceId(u32::MAX),
        name: "\u{e4}".to_owned(),
        parent: SPAN,
    }
}

/// An instruction with samples and a cause.
fn stalled() -> InstructionSamples {
    InstructionSamples {
        offset: 1 << 40,
        row: u32::MAX,
        counts: vec![u64::MAX, 0],
        text: "sync.nop null {$6.dst}".to_owned(),
        line: Some(SourcePosition {
            file: "\u{e4}.cl".to_owned(),
            line: u32::MAX,
        }),
        causes: vec![Cause {
            stall: 1,
            on: "$6.dst".to_owned(),
            offset: 1 << 40,
            row: 0,
            bytes: vec!["r39:2".to_owned()],
            text: String::new(),
            operation: "load.ugm.d32".to_owned(),
            line: None,
        }],
    }
}

fn profile() -> ProfileOverview {
    ProfileOverview {
        name: "perf.csv".to_owned(),
        rows: u64::MAX,
        skipped_rows: 1,
        problems: vec![ProfileProblem {
            line: u64::MAX,
            start: 0,
            end: 1 << 40,
            message: "3 fields, expected 11".to_owned(),
        }],
        more_problems: 7,
        types: vec!["Active".to_owned(), "SbidStall".to_owned()],
        samples: vec![u64::MAX, 0],
        kernels: vec![ProfiledKernel {
            device: Some(u32::MAX),
            name: "matmul".to_owned(),
            samples: vec![1, 2],
            images: vec![ImageKernel {
                document: NodeId(7),
                path: "image 1/code".to_owned(),
                index: u64::MAX,
                kernel: "matmul".to_owned(),
                target: Some("bmg-g21".to_owned()),
                code: SPAN,
            }],
            is_ambiguous: true,
            stalls: vec![stalled()],
        }],
        unmatched: vec![RejectedKernel {
            device: None,
            name: "fill".to_owned(),
            samples: u64::MAX,
            reason: "no kernel of this name".to_owned(),
        }],
        left_out: 0,
        metrics: vec!["Instances".to_owned(), "XVE_STALL[%]".to_owned()],
        is_compared: true,
        is_sampled: true,
    }
}

pub fn requests() -> Vec<Envelope> {
    let node = NodeId(u32::MAX);
    let requests = [
        Request::Open {
            name: "Ünïcode \u{1f600}.zebin".to_owned(),
        },
        Request::Rows {
            order: TreeOrder::File,
            node,
            start: u64::MAX,
            count: 0,
        },
        Request::Bytes {
            span: SPAN,
            leaves: true,
        },
        Request::Search {
            typed: "4d 5a".to_owned(),
            limit: 200,
            step: SearchStep::GoOn,
        },
        Request::Export {
            node,
            form: ExportForm::Json,
        },
        Request::Export {
            node,
            form: ExportForm::Text,
        },
        Request::Verdict {
            document: node,
            device: Some("20.1.0".into()),
        },
        Request::Graph {
            document: node,
            list: ListId::Modules,
            query: query(),
            start: u64::MAX,
            count: 0,
            at: None,
        },
        Request::Graph {
            document: node,
            list: ListId::Instructions,
            query: query(),
            start: 0,
            count: 48,
            at: Some(SPAN),
        },
        Request::Rules,
        Request::Texts { document: node },
        Request::CodeImages { node },
        Request::AddSource {
            document: node,
            name: "a.cl".to_owned(),
            text: "\u{e4}\n".to_owned(),
        },
        Request::Code {
            document: node,
            query: query(),
        },
        Request::DataFlow {
            document: node,
            query: query(),
        },
        Request::PrepareCode {
            follow: Follow {
                document: node,
                list: ListId::Instructions,
                query: query(),
                current: None,
                or_first: false,
            },
            node,
            span: Some(SPAN),
        },
        Request::AddProfile {
            name: "perf.metrics.1.csv".to_owned(),
            is_earlier: true,
        },
        Request::CodeSamples {
            document: node,
            of: SPAN,
        },
        Request::Occupancy {
            document: node,
            kernel: u64::MAX,
            parameters: parameters(),
        },
        Request::Compare {
            name: "before.zebin".to_owned(),
            renumbered: true,
            keep: Some(u64::MAX),
        },
        Request::Differing,
        Request::BasePath(SourceId(u32::MAX)),
        Request::SourceNumbers(vec![unpacked_source()]),
        Request::WriteComparison {
            form: CompareForm::Json,
        },
        Request::WriteReport,
    ];
    let places = [
        SelectionTarget::Node(node),
        SelectionTarget::Byte(SourceId(3), 1 << 53),
        SelectionTarget::Span(SPAN),
        SelectionTarget::Around {
            span: SPAN,
            within: SPAN,
        },
        SelectionTarget::Part {
            span: SPAN,
            at: 40,
            encoding: Some("xe2".into()),
        },
        SelectionTarget::Path(".ze_info/kernels/[0]".to_owned()),
        SelectionTarget::Kernel {
            query: KernelQuery {
                device: Some("pvc".to_owned()),
                image: Some("image 3".to_owned()),
                file: Some("a/lib.so".to_owned()),
                path: Some("a".to_owned()),
                ..KernelQuery::with_code("k")
            },
            paths: vec!["execution_env/simd_size".to_owned()],
        },
        SelectionTarget::Instruction {
            query: KernelQuery::named("k"),
            offset: 0x40,
        },
        SelectionTarget::Row(u64::MAX),
        SelectionTarget::ListRow(u64::MAX),
    ];
    let follow = |at| {
        (at % 2 == 0).then(|| Follow {
            document: node,
            list: ListId::Symbols,
            query: query(),
            current: Some(SPAN),
            or_first: true,
        })
    };
    let selects = places
        .into_iter()
        .zip(0..)
        .map(|(place, at)| Request::Select {
            order: TreeOrder::Kernels,
            place,
            follow: follow(at),
        });
    let asks = [
        ListRequest::Rows {
            start: 1 << 40,
            count: u64::MAX,
            columns: vec!["name".into(), "spill_size".into()],
        },
        ListRequest::Survey {
            columns: vec!["name".into()],
            count: 5,
        },
        ListRequest::At {
            node,
            span: None,
            current: Some(SPAN),
            or_first: true,
        },
        ListRequest::Written {
            columns: Vec::new(),
            form: Form::Markdown,
            rows: Some((1, u64::MAX)),
        },
        ListRequest::Find {
            typed: "\u{e4}".to_owned(),
            from: u64::MAX,
            forward: false,
        },
    ];
    let asked = asks.iter().flat_map(|ask| {
        ListId::ALL.map(|list| Request::List {
            document: node,
            list,
            query: query(),
            ask: ask.clone(),
        })
    });
    let requests = requests.into_iter().chain(selects).chain(asked);
    let envelope = |(id, request): (u32, Request)| Envelope {
        id,
        about: (id % 2 == 0).then_some(id),
        request,
    };
    (0..).zip(requests).map(envelope).collect()
}

pub fn messages() -> Vec<Message> {
    let mut messages = vec![
        Message::Ready { version: u32::MAX },
        Message::Crashed {
            message: "index out of bounds".to_owned(),
            id: None,
        },
        Message::Crashed {
            message: String::new(),
            id: Some(0),
        },
    ];
    messages.extend(responses().into_iter().map(|response| Message::Answer {
        id: u32::MAX,
        response,
    }));
    messages
}

fn responses() -> Vec<Response> {
    vec![
        Response::Opened(Box::new(opened())),
        Response::Rows {
            count: u64::MAX,
            rows: values().into_iter().map(row).collect(),
        },
        Response::Rows {
            count: 0,
            rows: Vec::new(),
        },
        Response::Selected(Box::new(Selected {
            ancestry: vec![row(Value::None)],
            by_kernel: Some(vec![row(Value::None)]),
            detail: detail(),
            preview: (240..=255).collect(),
            list: Some(Box::new(list_at(tables::Detail::Kernel(
                Box::new(kernel()),
            )))),
        })),
        Response::Selected(Box::new(Selected {
            ancestry: Vec::new(),
            by_kernel: None,
            detail: detail(),
            preview: Vec::new(),
            list: None,
        })),
        Response::Bytes {
            span: SPAN,
            leaves: vec![LeafRow {
                start: SPAN.start,
                end: SPAN.end,
                head: 4,
                area: Area::Code,
                kind: NodeKind::Blob,
                odd: true,
            }],
        },
        Response::Hits {
            hits: vec![HitRow {
                span: SPAN,
                path: vec![".ze_info".to_owned(), "kernels".to_owned()],
                text: "name \"vecadd\"".to_owned(),
            }],
            more: true,
        },
        Response::Searching { percent: 100 },
        Response::Text("{\"a\":1}".to_owned()),
        Response::Verdict(Box::default()),
        Response::Verdict(Box::new(report())),
        Response::Graph(Box::new(graph())),
        Response::Blocks(Box::new(blocks())),
        Response::Rules(vec![rule()]),
        Response::Texts(vec![bare_row()]),
        Response::Occupancy(Box::new(occupancy())),
        Response::CodeImages(Box::new(CodeImages {
            images: vec![CodeImage {
                name: "image 0 · pvc".to_owned(),
                device: "pvc".to_owned(),
                kernel: "k".to_owned(),
                kernels: 1 << 40,
                span: SPAN,
                is_shown: true,
            }],
            left_out: u64::MAX,
        })),
        Response::ReadingProfile { percent: 99 },
        Response::Profile(Box::new(profile())),
        Response::CodeSamples(None),
        Response::CodeSamples(Some(Box::new(CodeSamples {
            document: NodeId(u32::MAX),
            of: SPAN,
            types: profile().types,
            samples: vec![u64::MAX, 0],
            most: u64::MAX,
            rows: vec![stalled()],
            stalls: vec![0],
        }))),
        Response::Code(Box::new(CodeReport {
            document: NodeId(u32::MAX),
            sections: vec![(".text.vecadd".to_owned(), SPAN)],
            encoding: Some("xe2".into()),
            encodings: vec!["gen9".into()],
            of: SPAN,
            mix: mix(),
            left: u64::MAX,
        })),
        Response::Prepared,
        Response::DataFlow(Box::new(FlowOverview {
            document: NodeId(u32::MAX),
            of: SPAN,
            facts: vec![FlowFact {
                title: "“…”".to_owned(),
                text: "peak at +0x10".to_owned(),
                is_limit: true,
            }],
            tables: vec![FlowTable {
                title: "Loops".to_owned(),
                count: u64::MAX,
                columns: vec![FlowColumn {
                    title: "Loop".to_owned(),
                    kind: FlowColumnKind::Code,
                }],
                rows: vec![vec!["+0x10".to_owned()]],
                note: String::new(),
                has_loops: true,
            }],
            loops: vec![FlowLoop {
                start: u32::MAX,
                instructions: 7,
                name: "loop".to_owned(),
            }],
            opens: Some(u64::MAX),
            peak: 118,
            most: u32::MAX,
            more_threads: Some(128),
            live: vec![0, u16::MAX],
        })),
        Response::BasePath(Some("a.so/\u{e4}".to_owned())),
        Response::BasePath(None),
        Response::SourceNumbers(vec![(SourceId(1), SourceId(u32::MAX))]),
        Response::Differing(Box::new((
            DifferenceIndex {
                bytes: vec![SPAN],
                kernels: vec![0, u32::MAX],
                rest: true,
                sources: vec![unpacked_source()],
            },
            DifferenceIndex::default(),
        ))),
        Response::Compared(Box::new(CompareReport {
            from: FileSummary {
                name: "a.zebin".to_owned(),
                title: "zebin 1.73".to_owned(),
                size: u64::MAX,
                target: "bmg-g21".to_owned(),
                compiler: "\u{e4}".to_owned(),
            },
            to: FileSummary::default(),
            equal: false,
            same_meaning: true,
            differences: u64::MAX,
            verdict: "The files differ in layout only: they mean the same.".into(),
            counts: vec!["kernels: 1 added".to_owned()],
            remarks: vec!["for different devices: bmg-g21 and dg2-g10".to_owned()],
            is_cut: true,
            notes: vec!["The second file is damaged.".into()],
            kept: Some(u64::MAX),
        })),
        Response::List(Box::new(ListPage {
            document: NodeId(u32::MAX),
            subject: "abstract module 3".to_owned(),
            rows: vec![tables::Row {
                index: u64::MAX,
                entry: SPAN,
                cells: cells(),
                parts: vec![TextPart {
                    start: 8,
                    end: u32::MAX,
                    kind: TextPartKind::Registers {
                        writes: true,
                        ranges: vec![RegisterRange {
                            file: 4,
                            first: 34,
                            last: u16::MAX,
                        }],
                    },
                }],
            }],
            start: 1 << 40,
            found: u64::MAX,
            total: 7,
            names: Some(1 << 35),
            secondary: Secondary {
                copies: u32::MAX,
                placeholders: 1,
                functions: 0,
            },
            notes: vec!["12 images are not listed".to_owned()],
            columns: vec!["name".into(), "image".into()],
            maxima: vec![("spill_dwords_per_lane".into(), 0.25)],
            trouble: Some("no column".to_owned()),
            reading: Some(Progress { done: 1, of: 251 }),
        })),
        Response::Survey(Box::new(SurveyReport {
            document: NodeId::ROOT,
            survey: survey(),
            progress: Progress { done: 251, of: 251 },
            worst: Vec::new(),
        })),
        Response::ListAt(None),
        Response::ListAt(Some(Box::new(list_at(tables::Detail::None)))),
        Response::ListAt(Some(Box::new(list_at(tables::Detail::Symbol {
            relocations: u64::MAX,
            query: "symbol=\"add\"".to_owned(),
        })))),
        Response::ListAt(Some(Box::new(list_at(tables::Detail::Module(
            PropertyOwner::Whole,
        ))))),
        Response::ListAt(Some(Box::new(list_at(tables::Detail::Instruction(
            Box::new(InstructionDetail {
                meaning: "Adds two numbers.".into(),
                comment: "wr:1+0, rd:1".to_owned(),
                registers: vec![("source 0".into(), "r127".to_owned())],
                related: vec![RelatedInstruction {
                    relation: Relation::Waited,
                    to: SPAN,
                    cause: "$3.dst".to_owned(),
                }],
                parts: vec![Part {
                    name: "destination".into(),
                    text: "r1.0<1>:d".to_owned(),
                    at: 24,
                    bits: Bits::of(1 << 127 | 0xff),
                    meaning: "".into(),
                }],
            }),
        ))))),
        Response::ListAt(Some(Box::new(list_at(tables::Detail::Line {
            ranges: 1,
            bytes: u64::MAX,
            query: "line=1".to_owned(),
        })))),
        Response::ListAt(Some(Box::new(list_at(tables::Detail::Module(
            PropertyOwner::NativeImage(u32::MAX),
        ))))),
        Response::Match(None),
        Response::Match(Some(Match {
            span: SPAN,
            ordinal: u64::MAX,
            count: 1 << 40,
        })),
        Response::Failed {
            message: "it was changed".to_owned(),
            changed: true,
        },
    ]
}

fn mix() -> Mix {
    Mix {
        instructions: u64::MAX,
        kinds: vec![("float".into(), 1 << 53)],
        messages: vec![MessageCount {
            name: "load.ugm".to_owned(),
            count: 1,
            sent: 64,
            received: u64::MAX,
        }],
        ..Mix::default()
    }
}

fn query() -> Query {
    Query {
        filter: "Ünïcode spill_size>0".to_owned(),
        sort: Some("spill_size".into()),
        descending: true,
        all: true,
        of: Some(SPAN),
        device: Some("bmg-g21".into()),
        release: Some("25.18".into()),
        row: Some(u64::MAX),
        by: Some(GroupBy::Device),
        folded: vec![0, u32::MAX],
    }
}

/// A cell of every kind.
fn cells() -> Vec<Cell<'static>> {
    let values = vec![
        CellValue::Empty,
        CellValue::Int(i64::MIN),
        CellValue::Count(u64::MAX),
        CellValue::Hex(1 << 53),
        CellValue::Real(-0.25),
        CellValue::Bool(true),
        CellValue::Ints([1, -2, 3]),
        CellValue::Text("\u{fffd}\0\u{202e}".into()),
        CellValue::Name {
            name: "_Z3addii".into(),
            demangled: Some("add(int, int)".into()),
            short: Some("add".into()),
        },
        CellValue::Name {
            name: String::new().into(),
            demangled: None,
            short: None,
        },
        CellValue::Words(vec!["dpas".into(), "".into()]),
        CellValue::Several(vec![0.5, 1e15]),
        CellValue::Bytes(vec![0, 255]),
    ];
    let plain = values.into_iter().map(Cell::new);
    let mut cells: Vec<Cell<'static>> = plain.collect();
    cells.push(Cell {
        is_default: true,
        ..Cell::count(2048)
            .at(Some(SPAN))
            .mark(Tone::Bad, "spills", "spills 32 dwords/lane")
    });
    cells
}

fn list_at(detail: tables::Detail) -> ListAt {
    let place = ListPlace {
        index: u64::MAX,
        count: 3,
        place: Some(1 << 33),
        entry: SPAN,
        about: RowDetails {
            title: "add".to_owned(),
            links: vec![Xref {
                why: "kernel".into(),
                label: "k".into(),
                to: SPAN,
            }],
            detail,
        },
        short_title: Some("a".into()),
    };
    ListAt {
        document: NodeId(u32::MAX),
        of: Some(SPAN),
        folded: vec![u32::MAX],
        found: 1 << 40,
        place: Some(place),
    }
}

fn kernel_row() -> KernelRow {
    KernelRow {
        index: u64::MAX,
        is_function: true,
        is_spirv: true,
        name: Located::at("_ZTS1k".to_owned(), SPAN),
        demangled: Some("k".into()),
        entry: SPAN,
        simd_size: Located::at(i64::MIN, SPAN),
        grf_count: Located::at(i64::MAX, SPAN),
        eu_thread_count: Located::default(),
        spill_size: SizeFigure::new(Ok(-1), Some(SPAN)),
        private_size: SizeFigure::new(Err(Unknown::NotStated { up_to: u64::MAX }), None),
        from_scratch_slots: true,
        slm_size: Located::default(),
        barrier_count: Located::default(),
        required_sub_group_size: Located::default(),
        required_work_group_size: Located::at([1, -2, 3], SPAN),
        inline_data_payload_size: Located::default(),
        indirect_stateless_count: Located::default(),
        argument_count: 1 << 60,
        explicit_arguments: 1,
        implicit_arguments: 2,
        payload_size: 3,
        code_size: Some(Located::at(u64::MAX, SPAN)),
        flags: vec![Flag {
            key: "has_dpas".into(),
            span: SPAN,
        }],
        hazards: vec![Hazard {
            kind: HazardKind::HeavySpills,
            text: "spills 104 dwords/lane".into(),
        }],
    }
}

fn kernel() -> KernelDetail {
    let property = |value: Value| Property {
        key: "slm_size".into(),
        value,
        words: Some("[0, 1, 2]".to_owned()),
        unit: "bytes".into(),
        doc: "What it means.".into(),
        span: None,
    };
    let entry = PayloadEntry {
        kind: "arg_bypointer".to_owned(),
        offset: Some(-8),
        size: Some(8),
        arg_index: Some(0),
        explicit: true,
        addrmode: Some("stateless".to_owned()),
        flags: vec!["is_ptr".into()],
        title: "int* out".to_owned(),
        span: SPAN,
        ..PayloadEntry::default()
    };
    let piece = |entry| Piece {
        start: 0,
        end: 8,
        entry,
    };
    KernelDetail {
        row: kernel_row(),
        user_attributes: Vec::new(),
        execution_env: values().into_iter().map(property).collect(),
        others: Vec::new(),
        arguments: vec![SourceArgument {
            index: 3,
            name: Some("out".to_owned()),
            type_size: Some(8),
            span: Some(SPAN),
            entries: vec![0, u32::MAX],
            bti_value: Some(-1),
            ..SourceArgument::default()
        }],
        payload: Payload {
            entries: vec![entry],
            pieces: vec![piece(Some(0)), piece(None)],
            overlaps: vec![Overlap {
                start: 0,
                end: 4,
                first: 0,
                second: 1,
            }],
            used: 8,
            total: 16,
            inline_data: 32,
        },
        per_thread_payload: vec![PerThreadEntry {
            kind: "local_id".to_owned(),
            offset: None,
            size: Some(192),
            span: SPAN,
            places: vec![("size".into(), SPAN)],
        }],
        binding_table: vec![BindingTableEntry {
            bti_value: Some(0),
            arg_index: None,
            name: None,
            span: SPAN,
            places: vec![("size".into(), SPAN)],
        }],
        memory_buffers: vec![MemoryBuffer {
            kind: "scratch".to_owned(),
            usage: "single_space".to_owned(),
            size: Some(1024),
            slot: 1,
            is_simt_thread: true,
            span: SPAN,
            places: vec![("size".into(), SPAN)],
        }],
        inline_samplers: vec![InlineSampler {
            sampler_index: Some(0),
            addrmode: "repeat".to_owned(),
            filtermode: "linear".to_owned(),
            normalized: true,
            span: SPAN,
            places: vec![("size".into(), SPAN)],
        }],
        links: vec![Xref {
            why: "code".into(),
            label: ".text.k".into(),
            to: SPAN,
        }],
    }
}

pub fn values() -> Vec<Value> {
    vec![
        Value::None,
        Value::decimal(0, 8),
        Value::hex(u64::MAX, 64),
        Value::Unsigned {
            raw: (1 << 53) + 1,
            bits: 64,
            radix: Radix::Decimal,
            symbol: Some("ET_REL".into()),
        },
        Value::Signed {
            raw: i64::MIN,
            bits: 64,
        },
        Value::Float(-0.5),
        Value::Float(3.0),
        Value::Bool(true),
        Value::Flags {
            raw: u64::MAX,
            bits: 64,
            set: vec!["ALLOC".into(), "WRITE".into()],
            rest: 1 << 63,
        },
        Value::Text {
            text: "\u{fffd}\0\u{202e}\u{1f600}".into(),
            lossy: true,
        },
        Value::Bytes,
    ]
}

fn row(value: Value) -> Row {
    Row {
        id: NodeId(1),
        parent: Some(NodeId::ROOT),
        index: 1 << 60,
        name: "e_type".into(),
        short: Some("a…b".into()),
        indexed: true,
        kind: NodeKind::Field,
        area: Area::Inherit,
        value,
        summary: Some("a few words".into()),
        span: Some(SPAN),
        head: 3,
        bits: Some(Bits::new(0, 64)),
        count: None,
        severity: Some(Severity::Warning),
    }
}

fn bare_row() -> Row {
    Row {
        parent: None,
        summary: None,
        span: None,
        bits: None,
        count: Some(u64::MAX),
        severity: None,
        ..row(Value::None)
    }
}

fn label() -> Label {
    Label {
        span: SPAN,
        text: "here".into(),
    }
}

fn opened() -> Opened {
    let diagnostic = Diagnostic {
        rule: "elf/section-out-of-bounds".into(),
        severity: Severity::Error,
        message: "a section lies outside of the file".to_owned(),
        primary: label(),
        secondary: vec![label()],
        help: Some("cut off?".into()),
    };
    Opened {
        name: "a".to_owned(),
        size: 5_000_000_000,
        summary: Summary {
            within: Capabilities {
                modules: true,
                ..Capabilities::default()
            },
            ..Summary::new(
                "zebin",
                "Intel GPU binary",
                vec![Fact {
                    tone: Tone::Good,
                    ..Fact::new("target", "bmg-g21", SPAN).headline()
                }],
            )
            .with(Capabilities {
                kernels: true,
                symbols: true,
                modules: false,
                text: true,
                lines: true,
                code: true,
                loadable: true,
                image: true,
                host: true,
                package: true,
                unknown: false,
            })
        },
        coverage: Coverage {
            explained: u64::MAX,
            padding: 1,
            gap: 2,
            overlap: 3,
        },
        root: bare_row(),
        rows: vec![row(Value::None)],
        diagnostics: vec![Problem {
            diagnostic,
            path: "Section headers/[3]".to_owned(),
        }],
        rules: vec![rule()],
        by_kernel: Some(u64::MAX),
        devices: vec!["dg2-g10".into()],
        bytes_read: 4096,
        millis: 1.25,
    }
}

fn rule() -> RuleInfo {
    RuleInfo {
        id: "elf/section-out-of-bounds".into(),
        severity: Severity::Error,
        effect: Some(Effect::LinkFails),
        summary: "one line".into(),
        origin: "gABI".into(),
        docs: "more".into(),
        is_unread: false,
    }
}

fn blocks() -> BlocksPage {
    BlocksPage {
        document: NodeId(7),
        of: SPAN,
        found: 2,
        edge_count: 1,
        loops: 1,
        astray: 3,
        rest: Some(SPAN),
        place: Some(1),
        start: 0,
        rows: vec![BlockRow {
            block: Block {
                span: SPAN,
                row: 0,
                rows: 4,
                depth: 1,
            },
            heat: 100,
            cost: "1 cycle".to_owned(),
            label: "L0".to_owned(),
            last: "jmpi L0".to_owned(),
        }],
        groups: vec![GroupRow {
            group: BlockGroup {
                start: 48,
                count: 2,
                instructions: 9,
                span: SPAN,
            },
            heat: 1,
        }],
        edges: vec![BlockEdge {
            edge: Edge {
                from: 0,
                to: 0,
                transfer: Transfer::Taken,
            },
            label: "L0".to_owned(),
        }],
    }
}

fn graph() -> GraphPage {
    let image = Image {
        header: SPAN,
        metadata: SPAN,
        bytes: SPAN,
        ir_type: Some(Located::at(1, SPAN)),
        arch: None,
        target: Some(Box::new(Located::at("spir64".to_owned(), SPAN))),
        title: "SPIR-V 1.4".into(),
    };
    GraphPage {
        document: NodeId(u32::MAX),
        list: ListId::Modules,
        version: Located::default(),
        state: Some(Located::at(2, SPAN)),
        state_name: "executable".into(),
        span: SPAN,
        metadata: SPAN,
        modules: 1 << 40,
        ir_modules: 1,
        native_images: 2,
        resolved: 3,
        unresolved: 4,
        found: u64::MAX,
        start: 1 << 33,
        rows: vec![GraphModule {
            module: AbstractModule {
                index: u32::MAX,
                header: SPAN,
                metadata: SPAN,
                ir_modules: 0..u32::MAX,
                native_images: 7..7,
                sets: 3,
                exports: 1,
                imports: 0,
            },
            ir_modules: vec![image],
            native_images: Vec::new(),
            size: u64::MAX,
            exports: vec!["f".to_owned()],
            imports: Vec::new(),
        }],
        groups: vec![ModuleGroup {
            start: 1 << 40,
            count: 24,
            ..ModuleGroup::default()
        }],
        edges: vec![GraphEdge {
            from: 1,
            to: 2,
            symbol: "f".to_owned(),
            count: 3,
        }],
        trouble: None,
    }
}

fn report() -> VerdictReport {
    VerdictReport {
        verdict: Some(Verdict {
            driver: "26.27".into(),
            outcome: Outcome::LinkFailure,
            device: Some("bmg-g21".into()),
            requested: true,
            decisive: Some(0),
            findings: vec![Finding {
                rule: "driver/unresolved".into(),
                effect: Effect::Crashes,
                message: "a symbol".to_owned(),
                span: SPAN,
            }],
            rules: vec![rule()],
            imports: vec![Import {
                symbol: "f".to_owned(),
                span: Span::new(SourceId::FILE, 1, 2),
                exported_by: vec!["abstract module 1".into()],
            }],
            rebuild: Some(Rebuild {
                from: "SPIR-V".into(),
                span: SPAN,
                helps: false,
                text: "not needed".into(),
            }),
            matching: Some(Matching {
                rule: "an equal configuration".into(),
                accepted_on: vec!["bmg-g21".into()],
                compatible: Vec::new(),
            }),
            needs_driver: Some(NeededRelease {
                release: "25.35".into(),
                version: "25.35.35096.8".into(),
                until: Some("26.05".into()),
                word: "has_printf_calls".into(),
                span: SPAN,
            }),
            opencl: ApiVerdict {
                outcome: Outcome::Recompiled,
                decisive: None,
                findings: Vec::new(),
            },
        }),
        paths: vec![".text.k/[0]".to_owned()],
        images: Some(ImagesReport {
            count: 1 << 33,
            device: Some("bmg-g21".into()),
            outcome: Some(Outcome::Recompiled),
            opencl: Some(Outcome::Refused),
            first: vec![ImagePick {
                name: "64.20.1.0".to_owned(),
                span: SPAN,
                outcome: Some(Outcome::Recompiled),
                why: "named for 20.1.0".into(),
            }],
            chosen: 1,
            rule: "by name".into(),
            unread: Some(Progress { done: 2, of: 3 }),
        }),
        summary: Some(Summary::new("zebin", "zebin 1.73", Vec::new())),
    }
}

fn detail() -> Detail {
    Detail {
        node: NodeId(u32::MAX),
        bits: Some(Bits::new(4, 9)),
        path: "a%2Fb/[3]".to_owned(),
        doc: Some("the type".to_owned()),
        doc_source: None,
        known: vec![KnownRow {
            raw: u64::MAX,
            name: "NONE".into(),
            doc: "".into(),
        }],
        xrefs: vec![Xref {
            why: "sh_link".into(),
            label: ".strtab".into(),
            to: SPAN,
        }],
        diagnostics: vec![0, u32::MAX],
    }
}

fn parameters() -> OccupancyParameters {
    OccupancyParameters {
        device: Some("bmg-g21".into()),
        work_group: Some(u64::MAX),
        eus: None,
        local_arguments: Some(0),
    }
}

fn occupancy() -> Occupancy {
    let origins = [
        Origin::File(SPAN),
        Origin::Default,
        Origin::Driver("a.cpp, f".into()),
        Origin::Published,
        Origin::Chosen,
        Origin::Computed("a × b".into()),
        Origin::Missing("choose".into()),
    ];
    let term = |origin| Term {
        id: "eus".into(),
        title: "EUs".into(),
        value: Some(8),
        origin,
        limits: true,
    };
    Occupancy {
        device: None,
        device_origin: Origin::Default,
        terms: origins.into_iter().map(term).collect(),
        more_threads: Some(MoreThreads {
            registers: u64::MAX,
            threads: 8,
        }),
        summary: "\u{e4}".to_owned(),
    }
}

fn survey() -> Survey {
    let device = DeviceSurvey {
        device: "bmg-g21".into(),
        images: 251,
        kernels: u64::MAX,
        bytes: 1 << 40,
        spilling: 3,
        spills_unknown: 1,
        large_grf: 2,
        with_spirv: 1,
    };
    Survey {
        progress: Progress { done: 1, of: 251 },
        devices: vec![device.clone()],
        spirv: Some(device),
        kernels: 956,
        builds: 4668,
        only_spirv: 0,
        copies: Copies {
            documents: 251,
            bytes: 1 << 33,
            kernels: 956,
        },
    }
}
