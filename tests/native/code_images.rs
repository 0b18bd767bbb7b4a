//! Images of a container that provide code and text: the available images, and the image of a
//! selection.

#![cfg(feature = "decode")]

use zeview::model::{NodeId, Span};
use zeview::tables::query::Query;
use zeview::tables::{ListId, Row as ListRow};
use zeview::worker::protocol::tree_order::TreeOrder;
use zeview::worker::protocol::{
    CodeImages, Follow, ListAt, ListRequest, Request, Response, Row, Selected, SelectionTarget,
};

use crate::decoder::Decoder;

struct File(Decoder);

impl File {
    fn open(name: &str) -> File {
        let path = format!("{}/www/samples/{name}", env!("CARGO_MANIFEST_DIR"));
        File(Decoder::open(name, std::fs::read(path).unwrap()).0)
    }

    fn ask(&mut self, request: Request) -> Response {
        self.0.ask(request)
    }

    fn select(&mut self, place: SelectionTarget, shown: Option<&ListAt>) -> Selected {
        let follow = Follow {
            document: shown.map_or(NodeId::ROOT, |shown| shown.document),
            list: ListId::Instructions,
            query: Query {
                of: shown.and_then(|shown| shown.of),
                ..Query::default()
            },
            current: None,
            or_first: false,
        };
        let request = Request::Select {
            order: TreeOrder::File,
            place,
            follow: Some(follow),
        };
        match self.ask(request) {
            Response::Selected(selected) => *selected,
            other => panic!("{other:?}"),
        }
    }

    fn images(&mut self, node: NodeId) -> CodeImages {
        match self.ask(Request::CodeImages { node }) {
            Response::CodeImages(images) => *images,
            other => panic!("{other:?}"),
        }
    }

    fn rows(&mut self, list: ListId) -> Vec<ListRow> {
        let request = Request::List {
            document: NodeId::ROOT,
            list,
            query: Query::default(),
            ask: ListRequest::Rows {
                start: 0,
                count: 512,
                columns: Vec::new(),
            },
        };
        match self.ask(request) {
            Response::List(page) => page.rows,
            other => panic!("{other:?}"),
        }
    }

    fn texts(&mut self, document: NodeId) -> Vec<Row> {
        match self.ask(Request::Texts { document }) {
            Response::Texts(texts) => texts,
            other => panic!("{other:?}"),
        }
    }

    /// Returns the number of rows of a listing.
    fn count(&mut self, shown: &ListAt) -> u64 {
        let request = Request::List {
            document: shown.document,
            list: ListId::Instructions,
            query: Query {
                of: shown.of,
                ..Query::default()
            },
            ask: ListRequest::Rows {
                start: 0,
                count: 1,
                columns: Vec::new(),
            },
        };
        match self.ask(request) {
            Response::List(page) => page.total,
            other => panic!("{other:?}"),
        }
    }
}

fn last(selected: &Selected) -> NodeId {
    selected.ancestry.last().unwrap().id
}

#[test]
fn each_image_of_a_syclbin_has_its_own_code() {
    let mut file = File::open("matmul.syclbin");
    let root = file.select(SelectionTarget::Node(NodeId::ROOT), None);
    assert_eq!(root.list, None, "several images: none is taken");
    let images = file.images(NodeId::ROOT);
    assert!(images.images.len() > 3);
    assert_eq!(images.left_out, 0);
    assert!(
        images
            .images
            .iter()
            .all(|image| !image.is_shown && !image.device.is_empty())
    );
    let mut codes: Vec<Span> = Vec::new();
    let mut shown: Option<ListAt> = None;
    for (at, image) in images.images.iter().enumerate() {
        let selected = file.select(SelectionTarget::Span(image.span), shown.as_ref());
        let list = *selected.list.clone().expect("an image has code");
        assert!(image.span.contains(list.of.unwrap()), "{}", image.name);
        assert!(file.count(&list) > 0);
        codes.push(list.of.unwrap());
        let now = file.images(last(&selected));
        let marked: Vec<usize> = (0..now.images.len())
            .filter(|at| now.images[*at].is_shown)
            .collect();
        assert_eq!(marked, [at]);
        shown = Some(list);
    }
    codes.dedup();
    assert_eq!(codes.len(), images.images.len());
}

#[test]
fn descriptions_of_an_image_select_its_code() {
    let mut file = File::open("matmul.syclbin");
    let images = file.images(NodeId::ROOT);
    let third = file.select(SelectionTarget::Span(images.images[2].span), None);
    let shown = *third.list.unwrap();
    // The structs that describe images are in the SYCLBIN, not in the images.
    let mut found = 0;
    for row in file.rows(ListId::Modules) {
        let selected = file.select(SelectionTarget::Span(row.entry), Some(&shown));
        if let Some(list) = selected.list {
            assert!(
                images
                    .images
                    .iter()
                    .any(|image| image.span.contains(list.of.unwrap()))
            );
            found += 1;
        }
    }
    let path = "native device code images/[0]".to_owned();
    if let Response::Selected(_) = file.ask(Request::Select {
        order: TreeOrder::File,
        place: SelectionTarget::Path(path.clone()),
        follow: None,
    }) {
        let selected = file.select(SelectionTarget::Path(path), Some(&shown));
        let code = selected.list.unwrap().of.unwrap();
        assert!(images.images[0].span.contains(code));
    }
    // The whole file represents none of them.
    assert_eq!(
        file.select(SelectionTarget::Node(NodeId::ROOT), Some(&shown))
            .list,
        None
    );
    assert!(found <= images.images.len());
}

#[test]
fn images_of_a_program_are_opened_when_they_are_selected() {
    let mut file = File::open("program.host");
    let kernels = file.rows(ListId::Kernels);
    assert!(!kernels.is_empty());
    let images = file.images(NodeId::ROOT);
    assert!(!images.images.is_empty());
    let mut with_code = 0;
    for row in &kernels {
        let selected = file.select(SelectionTarget::Span(row.entry), None);
        let Some(list) = selected.list.clone() else {
            continue;
        };
        with_code += 1;
        assert!(file.count(&list) > 0);
        let now = file.images(last(&selected));
        assert_eq!(now.images.iter().filter(|image| image.is_shown).count(), 1);
        assert!(
            !file.texts(last(&selected)).is_empty(),
            "a zebin has .ze_info"
        );
    }
    assert!(with_code > 0);
    for image in &images.images {
        let selected = file.select(SelectionTarget::Span(image.span), None);
        assert!(selected.list.is_some(), "{}", image.name);
    }
}

#[test]
fn plain_file_is_not_a_container() {
    let mut file = File::open("spill.dg2.zebin");
    assert_eq!(file.images(NodeId::ROOT), CodeImages::default());
    assert!(
        file.select(SelectionTarget::Node(NodeId::ROOT), None)
            .list
            .is_some()
    );
    assert!(!file.texts(NodeId::ROOT).is_empty());
}

#[test]
fn the_same_kernel_is_shown_of_the_next_image() {
    let mut file = File::open("matmul.syclbin");
    let images = file.images(NodeId::ROOT).images;
    let first = *file
        .select(SelectionTarget::Span(images[0].span), None)
        .list
        .unwrap();
    let names = |file: &mut File, list: &ListAt| {
        let request = Request::Code {
            document: list.document,
            query: Query {
                of: list.of,
                ..Query::default()
            },
        };
        match file.ask(request) {
            Response::Code(report) => report.sections,
            other => panic!("{other:?}"),
        }
    };
    for (name, span) in names(&mut file, &first) {
        let shown = ListAt {
            of: Some(span),
            ..first.clone()
        };
        let next = *file
            .select(SelectionTarget::Span(images[1].span), Some(&shown))
            .list
            .unwrap();
        let sections = names(&mut file, &next);
        let (found, _) = sections
            .iter()
            .find(|(_, of)| Some(*of) == next.of)
            .unwrap();
        if sections.iter().any(|(other, _)| *other == name) {
            assert_eq!(*found, name);
        }
    }
}
