use super::*;
use crate::analysis::kernels::Located;
use crate::analysis::modules::AbstractModule;
use crate::analysis::modules::graph::ModuleGroup;
use crate::model::{SourceId, Span};
use crate::tables::ListId;
use crate::worker::protocol::GraphEdge;

fn at(start: u64) -> Span {
    Span::new(SourceId::FILE, start, start + 8)
}

fn image(ir: bool, start: u64) -> Image {
    let given = |text: &str| Located {
        value: text.to_owned(),
        span: None,
    };
    Image {
        header: at(start),
        metadata: at(0),
        bytes: at(start + 100),
        ir_type: ir.then(Located::default),
        arch: (!ir).then(|| Box::new(given("intel_gpu_bmg_g21"))),
        target: Some(Box::new(given("spir64<&>"))),
        title: "".into(),
    }
}

fn module(index: u32) -> GraphModule {
    GraphModule {
        module: AbstractModule {
            index,
            header: at(u64::from(index) * 1000),
            metadata: at(0),
            ir_modules: index..index + 1,
            native_images: index * 9..index * 9 + 9,
            sets: 0,
            exports: 1,
            imports: 0,
        },
        ir_modules: vec![image(true, 10)],
        native_images: (0..6).map(|i| image(false, 20 + i)).collect(),
        size: 800,
        exports: vec!["f".to_owned()],
        imports: Vec::new(),
    }
}

pub(crate) fn empty(found: u64) -> GraphPage {
    GraphPage {
        document: NodeId::ROOT,
        list: ListId::Modules,
        version: Located::default(),
        state: None,
        state_name: "".into(),
        span: at(0),
        metadata: at(0),
        modules: found,
        ir_modules: 0,
        native_images: 0,
        resolved: 0,
        unresolved: 0,
        found,
        start: 0,
        rows: Vec::new(),
        groups: Vec::new(),
        edges: Vec::new(),
        trouble: None,
    }
}

fn page(modules: u32) -> GraphPage {
    GraphPage {
        rows: (0..modules).map(module).collect(),
        ..empty(modules.into())
    }
}

#[test]
fn boxes_do_not_overlap() {
    let graph = graph(&page(5), None, "app.syclbin");
    // The file; five modules; per module an IR module, six images, and a box for three more.
    assert_eq!(graph.nodes.len(), 1 + 5 * (1 + 1 + 6 + 1));
    for (i, a) in graph.nodes.iter().enumerate() {
        for b in graph
            .nodes
            .iter()
            .skip(i + 1)
            .filter(|b| b.column == a.column)
        {
            assert!(a.at.1.abs_diff(b.at.1) >= BOX, "{a:?} {b:?}");
        }
        assert!(a.at.1 + BOX <= graph.size.1 && a.at.0 + a.at.2 <= graph.size.0);
    }
    let more = graph
        .nodes
        .iter()
        .filter(|node| node.target == BoxKind::More);
    assert!(more.clone().all(|node| node.title == "3 more"));
    assert_eq!(more.count(), 5);
}

#[test]
fn keys_follow_columns_and_edges() {
    let graph = graph(&page(2), None, "app.syclbin");
    let first = graph.near(0, "ArrowRight").unwrap();
    assert_eq!(graph.nodes[first].title, "abstract module 0");
    let image = graph.near(first, "ArrowRight").unwrap();
    assert_eq!(graph.nodes[image].title, "SPIR-V · spir64<&>");
    assert_eq!(graph.near(image, "ArrowLeft"), Some(first));
    let second = graph.near(first, "ArrowDown").unwrap();
    assert_eq!(graph.nodes[second].title, "abstract module 1");
    assert_eq!(graph.near(second, "ArrowUp"), Some(first));
    assert_eq!(graph.near(0, "ArrowLeft"), None);
}

#[test]
fn saved_svg_escapes_names() {
    let mut page = page(2);
    page.edges.push(GraphEdge {
        from: 1,
        to: 0,
        symbol: "f<int>&\u{202e}".to_owned(),
        count: 3,
    });
    let graph = graph(&page, None, "a & b");
    let text = graph.svg();
    assert!(
        text.contains("a &amp; b") && text.contains("spir64&lt;&amp;&gt;"),
        "{text}"
    );
    assert!(text.contains("+ 2") && !text.contains('\u{202e}'), "{text}");
    assert_eq!(text.matches("<g>").count(), text.matches("</g>").count());
    assert_eq!(text.matches("class=\"edge import\"").count(), 1);
}

#[test]
fn groups_name_their_content() {
    let mut page = empty(10_000);
    page.groups = vec![ModuleGroup {
        start: 576,
        count: 576,
        ir_modules: 576,
        native_images: 0,
        size: 2048,
    }];
    let graph = graph(&page, None, "app.syclbin");
    let group = graph.nodes.last().unwrap();
    assert_eq!(group.target, BoxKind::Group(576, 576));
    assert_eq!(group.title, "modules 576 … 1\u{a0}151");
}

#[test]
fn one_box_is_selected_and_a_nested_file_has_no_name() {
    let mut page = page(2);
    for (owner, title) in [
        (PropertyOwner::Whole, "app.syclbin"),
        (PropertyOwner::AbstractModule(1), "abstract module 1"),
        (PropertyOwner::IrModule(1), "SPIR-V · spir64<&>"),
        (PropertyOwner::NativeImage(9), "image · intel_gpu_bmg_g21"),
    ] {
        let graph = graph(&page, Some(owner), "app.syclbin");
        let selected = graph.nodes.iter().filter(|node| node.selected);
        let titles: Vec<&str> = selected.map(|node| &*node.title).collect();
        assert_eq!(titles, [title]);
    }
    page.document = NodeId(7);
    let graph = graph(&page, None, "a.so");
    assert_eq!(graph.nodes[0].title, "SYCLBIN 0");
}
