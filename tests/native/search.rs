//! Searches: matches and their order.

use crate::support::open;
use crate::support::tree::walk_all;
use crate::support::{fixtures, growing};
use zeview::model::{Document, Hit, NodeKind, Query, Search, Span, Value};

const LIMIT: usize = 100;

fn sample() -> Document {
    let path = fixtures::folder().join("zebin/funcs-stackcall.cri.igc2.40.zebin");
    open(&std::fs::read(path).unwrap())
}

fn search(document: &Document, typed: &str, limit: usize) -> (Vec<Hit>, bool) {
    document.search(&Query::parse(typed).unwrap(), limit)
}

/// Returns the bytes of all matching nodes, in tree order. A search does not enter instructions.
fn all(document: &Document, fits: impl Fn(&str, &Value) -> bool) -> Vec<Span> {
    let tree = walk_all(document).unwrap();
    let is_field = |parent: Option<usize>| {
        parent.is_some_and(|at| tree.nodes[at].node.kind == NodeKind::Instruction)
    };
    let nodes = tree.nodes.iter().skip(1);
    let nodes = nodes.filter(|flat| !is_field(flat.parent));
    let nodes = nodes.map(|flat| &flat.node);
    let found = nodes.filter(|node| fits(&node.name, &node.value));
    let mut spans: Vec<Span> = found.filter_map(|node| node.span).collect();
    spans.sort();
    spans
}

#[test]
fn numbers_are_found_as_values() {
    let document = sample();
    for (typed, number) in [("40", 40), ("0x28", 40), ("=40", 40), ("64", 64)] {
        let expected = all(&document, |_, value| value.as_u64() == Some(number));
        assert!(
            (1..LIMIT).contains(&expected.len()),
            "{typed}: {}",
            expected.len()
        );
        let (hits, _) = search(&document, typed, LIMIT);
        let mut first: Vec<Span> = hits
            .iter()
            .take(expected.len())
            .map(|hit| hit.span)
            .collect();
        first.sort();
        assert_eq!(first, expected, "{typed}");
    }
}

#[test]
fn exact_names_come_first_and_offsets_last() {
    let document = sample();
    let (hits, _) = search(&document, "NAME", LIMIT);
    let names = |hit: &Hit| hit.text.split(' ').next().unwrap_or_default().to_owned();
    let exact = all(&document, |name, _| name == "name").len();
    assert!(exact > 2);
    assert!(
        hits.iter().take(exact).all(|hit| names(hit) == "name"),
        "{hits:?}"
    );

    let (hits, more) = search(&document, "30", LIMIT);
    let offsets = hits.iter().position(|hit| hit.text.starts_with("+0x"));
    let others = hits.iter().rposition(|hit| !hit.text.starts_with("+0x"));
    assert!(offsets > others, "{hits:?}");
    assert!(!more);
}

#[test]
fn a_field_is_found_with_its_value() {
    let document = sample();
    let (hits, _) = search(&document, "simd_size 16", LIMIT);
    let expected = all(&document, |name, value| {
        name == "simd_size" && value.as_u64() == Some(16)
    });
    assert!(!expected.is_empty());
    assert_eq!(
        hits.iter().map(|hit| hit.span).collect::<Vec<_>>(),
        expected
    );
}

#[test]
fn exceeded_limit_is_reported() {
    let document = sample();
    let (all, more) = search(&document, "name", 1000);
    assert!(!more);
    let (some, more) = search(&document, "name", 3);
    assert!(more);
    assert_eq!(some[..], all[..3]);
}

/// Other requests may be handled between two steps.
#[test]
fn long_searches_resume() {
    let (_, make) = growing::ALL
        .iter()
        .find(|(name, _)| *name == "kernels")
        .unwrap();
    let mut document = open(&make(1 << 20));
    let expected = all(&document, |name, _| name == "simd_size");
    assert!(expected.len() > 1000);
    let mut search = Search::new(Query::parse("simd_size").unwrap(), usize::MAX);
    let mut percents = vec![0];
    while !search.step(&document) {
        percents.push(search.percent());
        let (hits, more) = search.found();
        assert!(more);
        if let Some(hit) = hits.last() {
            document.nodes_for(hit.span);
        }
    }
    assert!(percents.len() > 3 && percents.is_sorted(), "{percents:?}");
    let (hits, more) = search.found();
    assert!(!more);
    let spans: Vec<Span> = hits.iter().map(|hit| hit.span).collect();
    assert_eq!(spans, expected);
}
