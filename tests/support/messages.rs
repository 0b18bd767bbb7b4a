//! One message of every kind, with the values that are hardest to carry.

use zeview::model::kernels::query::Query;
use zeview::model::kernels::table::Form;
use zeview::model::kernels::{
    BindingTableEntry, Flag, Given, Hazard, HazardKind, InlineSampler, KernelDetail, KernelRow,
    MemoryBuffer, Overlap, Payload, PayloadEntry, PerThreadEntry, Piece, Property, SourceArgument,
};
use zeview::model::linkage::list::{self, ListId};
use zeview::model::modules::query::{ModuleColumn, ModuleGroup, ModuleQuery};
use zeview::model::modules::{
    AbstractModule, Holder, Image, Property as SyclProperty, PropertySet, PropertyValue,
};
use zeview::model::{
    Area, Bits, Capabilities, Coverage, Diagnostic, Effect, Fact, Finding, Label, Matching, NodeId,
    NodeKind, Outcome, Radix, Rebuild, RuleInfo, Severity, SourceId, Span, Summary, Tone, Value,
    Verdict, Xref,
};
use zeview::worker::protocol::{
    Ask, Detail, Envelope, ExportForm, HitRow, Judged, KernelPage, KernelPlace, KnownRow, LeafRow,
    ListPage, ListPlace, Message, ModuleEdge, ModulePage, ModulePlace, ModuleRow, Opened, Problem,
    Request, Response, Row,
};

const SPAN: Span = Span::new(SourceId(7), 5_000_000_000, u64::MAX);

pub fn requests() -> Vec<Envelope> {
    let node = NodeId(u32::MAX);
    let requests = [
        Request::Open {
            name: "Ünïcode \u{1f600}.zebin".to_owned(),
        },
        Request::Rows {
            node,
            start: u64::MAX,
            count: 0,
        },
        Request::Detail { node },
        Request::At {
            source: SourceId(3),
            offset: 1 << 53,
        },
        Request::Locate { span: SPAN },
        Request::Find {
            path: ".ze_info/kernels/[0]".to_owned(),
        },
        Request::Bytes {
            span: SPAN,
            leaves: true,
        },
        Request::Search {
            typed: "4d 5a".to_owned(),
            limit: 200,
        },
        Request::Export {
            node,
            form: ExportForm::Json,
        },
        Request::Export {
            node,
            form: ExportForm::Text,
        },
        Request::Kernels {
            document: node,
            query: query(),
            start: 1 << 40,
            count: u64::MAX,
        },
        Request::Kernel {
            document: node,
            index: 1 << 53,
        },
        Request::KernelAt {
            document: node,
            span: SPAN,
            query: Query::default(),
        },
        Request::KernelTable {
            document: node,
            query: query(),
            columns: vec!["name".into(), "spill_size".into()],
            form: Form::Markdown,
        },
        Request::Verdict {
            document: node,
            device: Some("20.1.0".into()),
        },
        Request::Modules {
            document: node,
            query: module_query(),
            start: u64::MAX,
            count: 0,
            grouped: true,
        },
        Request::ModuleAt {
            document: node,
            span: SPAN,
            query: module_query(),
        },
        Request::Properties {
            document: node,
            holder: Holder::NativeImage(u32::MAX),
        },
        Request::Rules,
        Request::List {
            document: node,
            list: ListId::Relocations,
            query: list_query(),
            ask: Ask::Rows(1 << 40, u64::MAX),
        },
        Request::List {
            document: node,
            list: ListId::Symbols,
            query: list::Query::default(),
            ask: Ask::At(SPAN),
        },
        Request::List {
            document: node,
            list: ListId::Symbols,
            query: list_query(),
            ask: Ask::Written(Form::Csv),
        },
        Request::List {
            document: node,
            list: ListId::Lines,
            query: list_query(),
            ask: Ask::Find("\u{e4}".to_owned(), u64::MAX, false),
        },
        Request::Texts { document: node },
    ];
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
        Response::Rows(values().into_iter().map(row).collect()),
        Response::Rows(Vec::new()),
        Response::Detail(Box::new(detail())),
        Response::Way(vec![row(Value::None)]),
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
        Response::Text("{\"a\":1}".to_owned()),
        Response::Kernels(Box::new(KernelPage {
            rows: vec![kernel_row()],
            start: 1 << 40,
            found: u64::MAX,
            kernels: 3,
            functions: 1,
            maxima: vec![("spill_dwords_per_lane".into(), 0.25)],
            trouble: Some("no column".to_owned()),
        })),
        Response::Kernel(Box::new(kernel())),
        Response::KernelAt(None),
        Response::KernelAt(Some(KernelPlace {
            index: 7,
            place: Some(1 << 33),
        })),
        Response::Elsewhere,
        Response::Verdict(None),
        Response::Verdict(Some(Box::new(judged()))),
        Response::Modules(Box::new(modules())),
        Response::ModuleAt(None),
        Response::ModuleAt(Some(ModulePlace {
            holder: Holder::Whole,
            module: None,
            place: Some(1 << 40),
        })),
        Response::Properties {
            sets: vec![properties()],
            more: u64::MAX,
        },
        Response::Rules(vec![rule()]),
        Response::List(Box::new(ListPage {
            rows: vec![list::Row {
                span: SPAN,
                cells: vec![list::Cell {
                    text: "add(int, int)".to_owned(),
                    other: Some("_Z3addii".to_owned()),
                    to: Some(SPAN),
                }],
            }],
            start: 1 << 40,
            found: u64::MAX,
            total: 7,
            left_out: 1 << 33,
            longest: 1 << 34,
            trouble: None,
        })),
        Response::ListAt(Box::new(ListPlace {
            document: NodeId(u32::MAX),
            place: Some(1 << 33),
            entry: Some(SPAN),
            title: "add".to_owned(),
            links: vec![Xref {
                why: "kernel".into(),
                label: "k".into(),
                to: SPAN,
            }],
            count: u64::MAX,
            filter: "symbol==add".to_owned(),
        })),
        Response::Failed {
            message: "it was changed".to_owned(),
            changed: true,
        },
    ]
}

fn list_query() -> list::Query {
    list::Query {
        sort: Some("offset".into()),
        descending: true,
        filter: "offset>0x10".to_owned(),
        text: Some(SPAN),
    }
}

fn query() -> Query {
    Query {
        sort: Some("spill_size".into()),
        descending: true,
        filter: "Ünïcode spill_size>0".to_owned(),
        functions: true,
    }
}

fn kernel_row() -> KernelRow {
    KernelRow {
        index: u64::MAX,
        is_function: true,
        name: Given::at("_ZTS1k".to_owned(), SPAN),
        demangled: Some("k".to_owned()),
        entry: SPAN,
        simd_size: Given::at(i64::MIN, SPAN),
        grf_count: Given::at(i64::MAX, SPAN),
        eu_thread_count: Given::default(),
        spill_size: Given::at(-1, SPAN),
        private_size: Given::default(),
        from_scratch_slots: true,
        slm_size: Given::default(),
        barrier_count: Given::default(),
        required_sub_group_size: Given::default(),
        required_work_group_size: Given::at([1, -2, 3], SPAN),
        inline_data_payload_size: Given::default(),
        indirect_stateless_count: Given::default(),
        argument_count: 1 << 60,
        explicit_arguments: 1,
        implicit_arguments: 2,
        payload_size: 3,
        code_size: Some(Given::at(u64::MAX, SPAN)),
        flags: vec![Flag {
            key: "has_dpas".into(),
            span: SPAN,
        }],
        hazards: vec![Hazard {
            kind: HazardKind::HeavySpills,
            text: "spills 104 dwords a lane".into(),
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
        }],
        binding_table: vec![BindingTableEntry {
            bti_value: Some(0),
            arg_index: None,
            name: None,
            span: SPAN,
        }],
        memory_buffers: vec![MemoryBuffer {
            kind: "scratch".to_owned(),
            usage: "single_space".to_owned(),
            size: Some(1024),
            slot: 1,
            is_simt_thread: true,
            span: SPAN,
        }],
        inline_samplers: vec![InlineSampler {
            sampler_index: Some(0),
            addrmode: "repeat".to_owned(),
            filtermode: "linear".to_owned(),
            normalized: true,
            span: SPAN,
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
        indexed: true,
        kind: NodeKind::Field,
        area: Area::Inherit,
        value,
        summary: Some("a few words".into()),
        span: Some(SPAN),
        head: 3,
        bits: Some(Bits { low: 0, high: 64 }),
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
                loadable: true,
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
    }
}

fn module_query() -> ModuleQuery {
    ModuleQuery {
        filter: "bmg".to_owned(),
        sort: Some(ModuleColumn::Size),
        descending: true,
    }
}

fn modules() -> ModulePage {
    let image = Image {
        header: SPAN,
        metadata: SPAN,
        bytes: SPAN,
        ir_type: Some(Given::at(1, SPAN)),
        arch: None,
        target: Some(Given::at("spir64".to_owned(), SPAN)),
        title: "SPIR-V 1.4".into(),
    };
    ModulePage {
        state: Some(Given::at(2, SPAN)),
        rows: vec![ModuleRow {
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
        edges: vec![ModuleEdge {
            from: 1,
            to: 2,
            symbol: "f".to_owned(),
            count: 3,
        }],
        ..ModulePage::empty(u64::MAX, 1 << 33)
    }
}

fn properties() -> PropertySet {
    let property = |value| SyclProperty {
        key: "aspects".to_owned(),
        key_span: SPAN,
        kind: Given::at(2, SPAN),
        value,
        span: SPAN,
        meaning: "gpu".to_owned(),
        doc: "one line".into(),
    };
    PropertySet {
        name: "SYCL/device requirements".to_owned(),
        span: SPAN,
        doc: "one line".into(),
        entries: vec![
            property(PropertyValue::Number(u64::MAX)),
            property(PropertyValue::Bytes {
                bits: 12,
                bytes: vec![0, 255],
            }),
            property(PropertyValue::Unreadable("?".to_owned())),
        ],
    }
}

fn judged() -> Judged {
    Judged {
        verdict: Verdict {
            driver: "26.27".into(),
            outcome: Outcome::LinkFailure,
            device: Some("bmg-g21".into()),
            asked: true,
            decisive: Some(0),
            findings: vec![Finding {
                rule: "driver/unresolved".into(),
                effect: Effect::Crashes,
                message: "a symbol".to_owned(),
                span: SPAN,
            }],
            rules: vec![rule()],
            rebuild: Some(Rebuild {
                from: "SPIR-V".into(),
                span: SPAN,
                helps: false,
                text: "not needed".into(),
            }),
            matching: Some(Matching {
                rule: "the same configuration".into(),
                taken_on: vec!["bmg-g21".into()],
                code_runs_on: Vec::new(),
            }),
        },
        paths: vec![".text.k/[0]".to_owned()],
        devices: vec!["dg2-g10".into()],
    }
}

fn detail() -> Detail {
    Detail {
        row: bare_row(),
        path: "a%2Fb/[3]".to_owned(),
        ancestors: vec![row(Value::Bytes)],
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
        preview: (240..=255).collect(),
    }
}
