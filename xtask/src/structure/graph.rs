//! Cycles in a graph.

use std::collections::{BTreeMap, BTreeSet};

/// The cycles of a graph with these edges: its strongly connected components of more than one node.
pub fn cycles<'a>(edges: impl IntoIterator<Item = (&'a str, &'a str)>) -> Vec<BTreeSet<&'a str>> {
    let mut forward: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut backward: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (from, to) in edges {
        forward.entry(from).or_default().insert(to);
        forward.entry(to).or_default();
        backward.entry(to).or_default().insert(from);
        backward.entry(from).or_default();
    }
    // Kosaraju: in reverse order of completion, each component is the set of nodes that reach its
    // first node.
    let mut order = Vec::new();
    let mut seen = BTreeSet::new();
    for node in forward.keys() {
        walk(node, &forward, &mut seen, &mut order);
    }
    let mut seen = BTreeSet::new();
    let mut cycles = Vec::new();
    for node in order.into_iter().rev() {
        let mut component = Vec::new();
        walk(node, &backward, &mut seen, &mut component);
        if component.len() > 1 {
            cycles.push(component.into_iter().collect());
        }
    }
    cycles
}

/// Appends unseen nodes reachable from `start` in postorder.
fn walk<'a>(
    start: &'a str,
    edges: &BTreeMap<&'a str, BTreeSet<&'a str>>,
    seen: &mut BTreeSet<&'a str>,
    out: &mut Vec<&'a str>,
) {
    if !seen.insert(start) {
        return;
    }
    let next = |node: &str| edges.get(node).into_iter().flatten();
    let mut stack = vec![(start, next(start))];
    while let Some((node, rest)) = stack.last_mut() {
        match rest.next() {
            Some(to) => {
                if seen.insert(to) {
                    stack.push((to, next(to)));
                }
            }
            None => {
                out.push(node);
                stack.pop();
            }
        }
    }
}
