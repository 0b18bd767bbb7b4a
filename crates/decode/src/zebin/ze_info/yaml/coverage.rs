//! Checks that every byte belongs to exactly one node.

use super::{Index, Kind, Node, ROOT, Yaml};

/// Checks that the nodes of `yaml` tile a text of `len` bytes (see the [module
/// documentation](super)), which holds for any text. For tests and fuzzing.
///
/// # Errors
///
/// Returns a description of the node that violates the rule.
pub fn check_coverage(yaml: &Yaml, len: usize) -> Result<(), String> {
    let root = yaml.node(ROOT).ok_or("no root")?;
    if root.kind != Kind::Document || root.extent().range() != (0..len) || root.value.start != 0 {
        return Err(format!(
            "the document is {root:?}, the text has {len} bytes"
        ));
    }
    // Each node has one parent, which lists it as a child. If their number is right, all are below
    // the root: a chain of parents can end only at the root, and cannot be circular, because
    // children lie inside their parents and are tiled.
    let below: usize = yaml.nodes().iter().map(|node| node.children as usize).sum();
    if below + 1 != yaml.nodes().len() {
        return Err(format!(
            "{below} children, but {} nodes",
            yaml.nodes().len()
        ));
    }
    yaml.nodes()
        .iter()
        .zip(0..)
        .try_for_each(|(node, index)| check_node(yaml, index, node))
}

fn check_node(yaml: &Yaml, index: Index, node: &Node) -> Result<(), String> {
    let wrong = |problem: &str| Err(format!("node {index}: {problem}: {node:?}"));
    if !(node.head <= node.value.start && node.value.start <= node.value.end) {
        return wrong("ends before it starts");
    }
    if node.key().is_some_and(|key| {
        key.start < node.head || key.start > key.end || key.end > node.value.start
    }) {
        return wrong("key outside the head");
    }
    let has_children = node.kind == Kind::Document || node.kind.is_collection();
    if !has_children {
        return if node.children == 0 {
            Ok(())
        } else {
            wrong("children")
        };
    }
    if yaml.child_slice(index).len() != node.children as usize {
        return wrong("children that do not exist");
    }
    let mut at = node.value.start;
    for (child, below) in yaml.children(index) {
        if below.parent != index || child == ROOT {
            return wrong("child of another");
        }
        if below.head != at {
            return wrong(&format!(
                "child {child} starts at {}, not at {at}",
                below.head
            ));
        }
        at = below.value.end;
    }
    if at != node.value.end {
        return wrong(&format!("children end at {at}"));
    }
    Ok(())
}
