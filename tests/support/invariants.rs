//! Invariants of every document, for any bytes.

use std::collections::BTreeMap;

use zeview::analysis::Verdict;
use zeview::decode::limits::verdict_steps;
use zeview::decode::zebin::verdict::release::Release;
use zeview::decode::zebin::verdict::{load, rules};
use zeview::model::text::{TextOptions, value_text, write_tree};
use zeview::model::{
    Bits, Content, Coverage, Document, MemorySource, Node, NodeId, NodeKind, SourceId, Span, Value,
};
use zeview::worker::handler::Handler;

use super::lists;
use super::random::Random;
use super::tree::{Flat, Tree, walk_all};
use super::watchdog::Watchdog;

/// Depth of the checks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Depth {
    /// Tree and diagnostics, without verdicts and lists: for thousands of inputs.
    Tree,
    /// Also verdicts and lists: for many damaged files.
    Quick,
    /// Also every access path to the nodes.
    Full,
}

/// Checks a file; returns violations.
pub fn violations(bytes: &[u8], depth: Depth) -> Vec<String> {
    let mut document = super::open(bytes);
    document.open_files(NodeId::ROOT);
    document.open_all();
    let tree = match walk_all(&document) {
        Ok(tree) => tree,
        Err(error) => return vec![error],
    };
    let sources = &document.sources;
    let all = sources.ids().into_iter().map(|id| {
        let whole = sources.whole(id);
        let bytes = sources.read(whole).map(|bytes| bytes.to_vec());
        // A long stream may turn out to be damaged in the middle.
        bytes.unwrap_or_else(|_| vec![0; usize::try_from(whole.len()).unwrap()])
    });
    let mut check = Check {
        bytes,
        all: all.collect(),
        tree: &tree,
        found: Vec::new(),
    };
    check.places(&document);
    check.coverage(&document);
    check.values();
    check.diagnostics(&mut document, depth);
    if depth >= Depth::Quick {
        check.verdicts(&mut document);
        check.lists(&mut document, depth);
    }
    if depth == Depth::Full {
        check.positions(&mut document);
        check.leaves(&document);
        check.paging(&document);
        check.paths(&mut document);
        check.twice(&document);
    }
    check.found
}

/// Fails if an invariant does not hold for the bytes.
pub fn hold(what: &str, bytes: &[u8], depth: Depth) {
    let found = violations(bytes, depth);
    assert!(found.is_empty(), "{what}:\n  {}", found.join("\n  "));
}

/// Checks many damaged files of one origin; fails with the first few violations.
pub fn hold_for_all(
    origin: &str,
    watchdog: &Watchdog,
    mutants: impl Iterator<Item = super::damage::Mutant>,
) -> usize {
    let mut wrong = Vec::new();
    let mut count = 0;
    for mutant in mutants {
        let what = format!("{origin}, {}", mutant.what);
        watchdog.case(&what);
        count += 1;
        let found = violations(&mutant.bytes, Depth::Quick);
        if !found.is_empty() {
            wrong.push(format!("{what}:\n  {}", found.join("\n  ")));
        }
        if wrong.len() > 4 {
            break;
        }
    }
    watchdog.case("");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    count
}

/// The number of the rest of a list is enough.
const SHOWN: usize = 6;

struct Check<'a> {
    /// The file.
    bytes: &'a [u8],
    /// Bytes of each source: the file and everything unpacked from it.
    all: Vec<Vec<u8>>,
    tree: &'a Tree,
    found: Vec<String>,
}

impl Check<'_> {
    fn fail(&mut self, message: String) {
        match self.found.len() {
            SHOWN => self.found.push("and more".to_owned()),
            len if len > SHOWN => {}
            _ => self.found.push(message),
        }
    }

    fn fail_at(&mut self, index: usize, message: &str) {
        if self.found.len() <= SHOWN {
            let path = self.tree.path(index);
            let node = &self.tree.nodes[index].node;
            self.fail(format!(
                "{path}: {message} ({:?} {:?})",
                node.span, node.value
            ));
        }
    }

    /// Checks that children lie within their parents, parents within the file, and rows at their
    /// index.
    fn places(&mut self, document: &Document) {
        let tree = self.tree;
        let sources = &document.sources;
        for (index, flat) in tree.nodes.iter().enumerate() {
            let node = &flat.node;
            if (node.kind == NodeKind::Derived) != node.span.is_none() {
                self.fail_at(index, "derived and bytes do not go together");
            }
            // A file may use this name itself.
            if node.kind == NodeKind::Gap && node.name == "unreadable" {
                self.fail_at(index, "a row that its expander has not made");
            }
            let Some(span) = node.span else {
                continue;
            };
            let Some(extent) = node.extent() else {
                continue;
            };
            let whole = sources.whole(span.source);
            if !whole.contains(extent) || u64::from(node.head) > span.start {
                self.fail_at(index, "outside of the file");
            }
            let Some(parent) = flat.parent.map(|p| &tree.nodes[p]) else {
                continue;
            };
            let parent_span = parent.node.span.unwrap_or(whole);
            if parent.node.kind == NodeKind::Packed {
                let from = sources.parent(span.source);
                if span != whole || from != Some(parent_span) || parent.children.len() != 1 {
                    self.fail_at(index, "not what its parent holds packed");
                }
            } else if !parent_span.contains(extent) {
                self.fail_at(index, "outside of its parent");
            }
            if node.index != (index - parent.children.start) as u64 {
                self.fail_at(index, "not at its index");
            }
            if let Some(bits) = node.bits {
                self.bits(index, node, &parent.node, bits);
            }
            for xref in &node.xrefs {
                if !sources.whole(xref.to.source).contains(xref.to) {
                    self.fail_at(index, "refers to bytes outside of the file");
                }
            }
        }
    }

    fn bits(&mut self, index: usize, node: &Node, parent: &Node, bits: Bits) {
        let width = node.span.map_or(0, Span::len) * 8;
        let stretches: Vec<(u8, u8)> = bits.stretches().collect();
        let is_in = stretches
            .last()
            .is_some_and(|(_, end)| u64::from(*end) <= width);
        if node.span != parent.span || !is_in {
            self.fail_at(index, "bits that are not bits of their word");
            return;
        }
        // A word of a number has at most 64 bits.
        let (&[(low, high)], true) = (&stretches[..], width <= 64) else {
            return;
        };
        let mask = u64::MAX >> (64 - (high - low));
        let value = parent.value.as_u64().map(|word| word >> low & mask);
        if value.is_some() && value != node.value.as_u64() {
            self.fail_at(index, "bits that do not say what their word says");
        }
    }

    /// Checks that leaves, padding and gaps cover each byte, exactly once without overlap.
    fn coverage(&mut self, document: &Document) {
        let tree = self.tree;
        let sizes = self.all.iter().map(Vec::len);
        let mut all: Vec<_> = sizes.map(|len| vec![(0u32, false, false); len]).collect();
        for flat in tree.nodes.iter().filter(|f| f.node.bits.is_none()) {
            let Some(own) = flat.own_bytes(tree) else {
                continue;
            };
            let Some(marks) = all.get_mut(own.source.0 as usize) else {
                continue;
            };
            let range = own.start as usize..(own.end as usize).min(marks.len());
            for (count, gap, padding) in marks.get_mut(range).unwrap_or(&mut []) {
                *count += 1;
                // A document of unknown format is one unexplained piece.
                *gap |= matches!(flat.node.kind, NodeKind::Gap | NodeKind::File);
                *padding |= flat.node.kind == NodeKind::Padding;
            }
        }
        let file = all.first().map_or(&[][..], Vec::as_slice);
        let count =
            |f: &dyn Fn(&(u32, bool, bool)) -> bool| file.iter().filter(|m| f(m)).count() as u64;
        let coverage = document.coverage;
        let expected = Coverage {
            explained: count(&|(_, gap, padding)| !gap && !padding),
            padding: count(&|(_, gap, padding)| *padding && !gap),
            gap: count(&|(_, gap, _)| *gap),
            overlap: coverage.overlap,
        };
        if coverage != expected {
            self.fail(format!("{coverage:?}, the rows say {expected:?}"));
        }
        for (source, marks) in all.iter().enumerate() {
            if let Some(at) = marks.iter().position(|(count, ..)| *count == 0) {
                self.fail(format!("the byte at {at:#x} of {source} belongs to no row"));
            }
        }
        let overlaps = document
            .diagnostics
            .iter()
            .any(|d| d.rule == "layout/overlap");
        if overlaps != (coverage.overlap > 0) {
            self.fail(format!(
                "{} bytes overlap, reported: {overlaps}",
                coverage.overlap
            ));
        }
        for (source, marks) in all.iter().enumerate().filter(|_| !overlaps) {
            if let Some(at) = marks.iter().position(|(count, ..)| *count > 1) {
                self.fail(format!(
                    "the byte at {at:#x} of {source} belongs to several rows"
                ));
            }
        }
        let claims = self.claims();
        if coverage.overlap != claims {
            self.fail(format!(
                "{} bytes overlap, counted {claims}",
                coverage.overlap
            ));
        }
    }

    /// Returns the number of bytes claimed by more than one part of a document, in the file or
    /// nested.
    fn claims(&self) -> u64 {
        let documents = self
            .tree
            .nodes
            .iter()
            .filter(|f| f.node.kind == NodeKind::File);
        documents.map(|d| self.claims_in(d)).sum()
    }

    fn claims_in(&self, document: &Flat) -> u64 {
        let mut edges: BTreeMap<u64, i64> = BTreeMap::new();
        for part in self.tree.children(document) {
            let Some(span) = part.node.span.filter(|s| !s.is_empty()) else {
                continue;
            };
            *edges.entry(span.start).or_default() += 1;
            *edges.entry(span.end).or_default() -= 1;
        }
        let (mut sum, mut depth, mut at) = (0, 0, 0);
        for (edge, change) in edges {
            if depth > 1 {
                sum += edge - at;
            }
            depth += change;
            at = edge;
        }
        sum
    }

    /// Checks that the bytes of a value, read independently, are the value.
    fn values(&mut self) {
        let tree = self.tree;
        for (index, flat) in tree.nodes.iter().enumerate() {
            let Some(span) = flat.node.span.filter(|_| flat.node.bits.is_none()) else {
                continue;
            };
            let range = span.start as usize..span.end as usize;
            let source = self.all.get(span.source.0 as usize);
            let Some(bytes) = source.and_then(|all| all.get(range)) else {
                continue;
            };
            if let Err(message) = reread(flat, bytes) {
                self.fail_at(index, &message);
            }
        }
    }

    /// Checks that each driver input has a verdict, with bounded work and the same each time.
    fn verdicts(&mut self, document: &mut Document) {
        let mut ids = vec![NodeId::ROOT];
        for span in document
            .documents()
            .map(|inner| inner.span)
            .collect::<Vec<_>>()
        {
            ids.extend(document.nodes_for(span).pop());
        }
        for id in ids {
            let file = document.node(id).and_then(|node| node.span);
            let Some(file) = file.filter(|_| document.is_loadable(id)) else {
                continue;
            };
            let verdict = document.verdict(id, None);
            let (again, steps) = load(&document.sources, file, None, Release::default(), None);
            if verdict.as_ref() != Some(&again) {
                self.fail(format!("two verdicts on {file:?}: {verdict:?}, {again:?}"));
            }
            let ended = again
                .rules
                .iter()
                .any(|rule| rule.id == rules::NOT_JUDGED.id);
            if steps > verdict_steps(file.len()) && !ended {
                self.fail(format!(
                    "{steps} steps for a verdict on {} bytes",
                    file.len()
                ));
            }
            self.verdict(&again, file);
        }
    }

    fn verdict(&mut self, verdict: &Verdict, file: Span) {
        let decisive = verdict.decisive.map(|at| verdict.findings.get(at));
        let decided = match decisive {
            None => verdict.outcome.loads(),
            Some(None) => false,
            Some(Some(found)) => {
                !found.effect.allows_loading() && found.effect.outcome() == verdict.outcome
            }
        };
        if !decided {
            self.fail(format!("{:?} is decided by {decisive:?}", verdict.outcome));
        }
        for found in &verdict.findings {
            let known = verdict.rules.iter().any(|rule| rule.id == found.rule);
            let plain = !found.message.trim().is_empty() && !found.message.contains('\n');
            if !known || !plain || found.message.len() > 8000 {
                self.fail(format!("{found:?} is no finding"));
            }
            if !file.contains(found.span) {
                self.fail(format!("{} speaks of {:?}", found.rule, found.span));
            }
        }
    }

    /// Checks every list of every document, and the page's requests for them.
    fn lists(&mut self, document: &mut Document, depth: Depth) {
        let texts = self.tree.nodes.iter().filter(|flat| {
            let parent = flat.parent.map(|parent| &self.tree.nodes[parent].node);
            let is_in_file = parent.is_some_and(|parent| parent.kind == NodeKind::File);
            flat.node.kind == NodeKind::Text && is_in_file
        });
        let texts = texts.filter_map(|flat| flat.node.span);
        let texts: Vec<Span> = texts.filter(|span| !span.is_empty()).take(4).collect();
        for message in lists::violations(document, &texts, depth) {
            self.fail(message);
        }
        if depth == Depth::Full {
            let mut handler = Handler::new(|| 0.0);
            let source = MemorySource::from(self.bytes);
            handler.open(1, "file", Box::new(source));
            lists::request_all(&mut handler, |_| {});
        }
    }

    /// Checks that findings name bytes of the file, and that their paths lead back to them.
    fn diagnostics(&mut self, document: &mut Document, depth: Depth) {
        let all = document.diagnostics.clone();
        for (index, diagnostic) in all.iter().enumerate() {
            let rule = &diagnostic.rule;
            let primary = diagnostic.primary.span;
            let others = diagnostic.secondary.iter().map(|l| l.span);
            for span in others.chain([primary]) {
                if !document.sources.whole(span.source).contains(span) {
                    self.fail(format!("{rule} speaks of {span:?}"));
                }
            }
            if primary.is_empty() && !self.bytes.is_empty() {
                self.fail(format!("{rule} names no bytes, at {primary:?}"));
            }
            let info = document.rules.iter().find(|r| r.id == *rule);
            if info.is_none_or(|r| r.severity != diagnostic.severity) {
                self.fail(format!("{rule} is not among the rules"));
            }
            if diagnostic.message.trim().is_empty() || diagnostic.message.contains('\n') {
                self.fail(format!("{rule}: {:?} is no headline", diagnostic.message));
            }
            // Paths may be long: check a few findings.
            if depth == Depth::Full || index < 4 {
                self.way_back(document, rule, primary);
                let path = document.path_of(diagnostic);
                match document.find(&path) {
                    Ok(id) => {
                        let extent = document.node(id).and_then(Node::extent);
                        if !extent.is_some_and(|e| e.contains(primary)) {
                            self.fail(format!("{rule} at {primary:?}: {path} is at {extent:?}"));
                        }
                    }
                    Err(error) => self.fail(format!("{rule}: {path:?} leads nowhere: {error}")),
                }
            }
        }
        let sorted = all
            .windows(2)
            .all(|w| w[0].primary.span <= w[1].primary.span);
        if !sorted {
            self.fail("the diagnostics are not in the order of their bytes".to_owned());
        }
    }

    /// Checks that bytes that are exactly those of some node are found at such a node.
    fn way_back(&mut self, document: &mut Document, rule: &str, span: Span) {
        let ancestry = document.nodes_for(span);
        let last = ancestry.last().and_then(|id| document.node(*id)).cloned();
        let exact = self
            .tree
            .nodes
            .iter()
            .any(|n| n.node.span == Some(span) && n.node.bits.is_none());
        let overlap = document.coverage.overlap > 0;
        if exact && !overlap && last.as_ref().is_none_or(|n| n.span != Some(span)) {
            let name = last.map(|n| n.name);
            self.fail(format!(
                "{rule} at {span:?} leads to {name:?}, some row has exactly these bytes"
            ));
        }
    }

    /// Checks the path from each byte to its leaf against a search of all children.
    fn positions(&mut self, document: &mut Document) {
        let len = self.bytes.len();
        for source in document.sources.ids() {
            let len = self.all.get(source.0 as usize).map_or(0, Vec::len);
            let step = (len / 3000).max(1) | 1;
            for offset in (0..len).step_by(step).chain(len.checked_sub(1)) {
                let offset = offset as u64;
                let ancestry = document.nodes_at(source, offset);
                if let Err(message) = self.position(document, source, offset, &ancestry) {
                    self.fail(format!("byte {offset:#x} of {source:?}: {message}"));
                    return;
                }
            }
        }
        if document.nodes_at(SourceId::FILE, len as u64).len() > 1 {
            self.fail("the byte after the last one has a row".to_owned());
        }
    }

    fn position(
        &self,
        document: &Document,
        source: SourceId,
        offset: u64,
        ancestry: &[NodeId],
    ) -> Result<(), String> {
        let tree = self.tree;
        let mut at = 0;
        if ancestry.first() != Some(&NodeId::ROOT) {
            return Err("the way does not begin at the root".to_owned());
        }
        let holds = |flat: &&Flat| {
            let here = |e: Span| e.source == source && e.contains_offset(offset);
            flat.node.bits.is_none() && flat.extent().is_some_and(here)
        };
        let leads = |flat: &Flat| flat.extent().is_some_and(|e| e.source != source);
        for id in ancestry.get(1..).unwrap_or(&[]) {
            let node = document.node(*id).ok_or("a node that does not exist")?;
            let flat = &tree.nodes[at];
            let place = flat.children.start + node.index as usize;
            let child = tree
                .nodes
                .get(place)
                .filter(|_| flat.children.contains(&place));
            let child = child.ok_or_else(|| format!("{} has no such child", tree.path(at)))?;
            if child.node.name != node.name || !(holds(&child) || leads(child)) {
                return Err(format!("{} is not there", tree.path(place)));
            }
            at = place;
        }
        let flat = &tree.nodes[at];
        match tree.children(flat).iter().find(holds) {
            Some(missed) => Err(format!("{} holds it too", missed.node.name)),
            None if !flat
                .own_bytes(tree)
                .is_some_and(|own| own.contains_offset(offset)) =>
            {
                Err(format!("{} is no leaf", tree.path(at)))
            }
            None => Ok(()),
        }
    }

    /// Checks the leaves of a range of the file against the tree.
    fn leaves(&mut self, document: &Document) {
        let tree = self.tree;
        let mut expected: Vec<(Span, u32, u64)> = Vec::new();
        let mut hidden = vec![false; tree.nodes.len()];
        for (index, flat) in tree.nodes.iter().enumerate() {
            hidden[index] = flat
                .parent
                .is_some_and(|p| hidden[p] || is_word(&tree.nodes[p].node));
            let ends = flat.children.is_empty()
                || is_word(&flat.node)
                || flat.node.kind == NodeKind::Packed;
            match flat.node.span {
                Some(span)
                    if ends && !hidden[index] && !flat.extent().is_some_and(Span::is_empty) =>
                {
                    expected.push((span, flat.node.head, flat.node.index));
                }
                // The prefix of a list or mapping is a separate piece.
                Some(span) if !hidden[index] && flat.node.head > 0 => {
                    let span = Span::new(span.source, span.start, span.start);
                    expected.push((span, flat.node.head, flat.node.index));
                }
                _ => {}
            }
        }
        let mut random = Random::new(self.bytes.len() as u64);
        let sources = document.sources.ids().into_iter();
        let mut spans: Vec<_> = sources.map(|id| document.sources.whole(id)).collect();
        for _ in 0..40 {
            let start = random.below(self.bytes.len()) as u64;
            spans.push(Span::with_len(
                SourceId::FILE,
                start,
                1 + random.below(600) as u64,
            ));
        }
        for wanted in spans {
            let leaves = document.leaves(wanted, usize::MAX);
            let mut made: Vec<_> = leaves.iter().map(|l| (l.span, l.head, l.index)).collect();
            made.retain(|(span, head, _)| *head > 0 || !span.is_empty());
            let mut expected: Vec<_> = expected.clone();
            expected.retain(|(span, head, _)| overlaps(*span, *head, wanted));
            made.sort_unstable();
            expected.sort_unstable();
            if made != expected {
                let missing = expected.iter().find(|e| !made.contains(e));
                let extra = made.iter().find(|e| !expected.contains(e));
                self.fail(format!(
                    "leaves of {wanted:?}: missing {missing:?}, too many {extra:?}"
                ));
                return;
            }
        }
    }

    /// Checks pages against the whole list.
    fn paging(&mut self, document: &Document) {
        let tree = self.tree;
        for (index, flat) in tree.nodes.iter().enumerate() {
            let children = tree.children(flat);
            let count = children.len() as u64;
            if count == 0 {
                continue;
            }
            let mut ranges = vec![0..count, count - 1..count, 0..1];
            if count > 256 {
                ranges.extend([250..count.min(262), count - 1 - count % 7..count]);
            }
            for range in ranges {
                let made = document.make(&flat.node, range.clone());
                let there = &children[range.start as usize..range.end as usize];
                let same = |(a, b): (&Node, &Flat)| is_same(a, &b.node);
                if made.len() != there.len() || !made.iter().zip(there).all(same) {
                    self.fail_at(index, &format!("rows {range:?} are others than in one go"));
                    break;
                }
            }
        }
    }

    /// Checks that each node is found at its path.
    fn paths(&mut self, document: &mut Document) {
        let mut random = Random::new(self.bytes.len() as u64 + 1);
        for place in random.sample(self.tree.nodes.len(), 60) {
            let mut ancestry = Vec::new();
            let mut at = place;
            while let Some(parent) = self.tree.nodes[at].parent {
                ancestry.push(self.tree.nodes[at].node.index);
                at = parent;
            }
            let mut id = NodeId::ROOT;
            for index in ancestry.into_iter().rev() {
                id = document.children(id, index..index + 1).pop().unwrap_or(id);
            }
            let path = document.path(id);
            match document.find(&path) {
                Ok(found) if found == id => {}
                Ok(_) => self.fail_at(place, &format!("{path:?} leads to another row")),
                Err(error) => self.fail_at(place, &format!("{path:?} leads nowhere: {error}")),
            }
        }
    }

    /// Checks that another decoder gives the same result.
    fn twice(&mut self, document: &Document) {
        let mut again = super::open(self.bytes);
        again.open_files(NodeId::ROOT);
        again.open_all();
        if text_of(document) != text_of(&again) || document.diagnostics != again.diagnostics {
            self.fail("decoding again gives something else".to_owned());
        }
        if document.rules != again.rules || document.summary != again.summary {
            self.fail("decoding again gives other rules or another summary".to_owned());
        }
    }
}

fn overlaps(span: Span, head: u32, wanted: Span) -> bool {
    let extent = Span::new(span.source, span.start - u64::from(head), span.end);
    extent.overlaps(wanted)
}

/// Compares nodes except for fields that depend on when the row was built.
fn is_same(a: &Node, b: &Node) -> bool {
    let strip = |node: &Node| {
        let mut node = node.clone();
        node.parent = None;
        if let Content::Lazy { count, .. } = node.content {
            // Expanders get new numbers each time.
            node.content = Content::Leaf;
            node.summary = Some(format!("{count:?} {:?}", node.summary).into());
        }
        node
    };
    strip(a) == strip(b)
}

/// Returns the tree as text.
pub fn text_of(document: &Document) -> String {
    let mut out = Vec::new();
    let root = document.root().clone();
    write_tree(document, &root, TextOptions::default(), &mut out).expect("memory takes it");
    String::from_utf8(out).expect("the dump is UTF-8")
}

fn little(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .rev()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

fn big(bytes: &[u8]) -> u64 {
    bytes
        .iter()
        .fold(0, |sum, byte| sum << 8 | u64::from(*byte))
}

/// Decodes LEB128 (DWARF 5, 7.6) that spans all of the bytes.
fn leb(bytes: &[u8]) -> Option<u128> {
    let (last, rest) = bytes.split_last()?;
    let whole = last & 0x80 == 0 && rest.iter().all(|byte| byte & 0x80 != 0);
    let mut digits = bytes.iter().rev().map(|byte| u128::from(byte & 0x7f));
    // Bits beyond 64 are lost.
    let wide = digits.try_fold(0u128, |sum, digit| {
        (sum <= u128::MAX >> 8).then_some(sum << 7 | digit)
    });
    whole.then_some(wide? & u128::from(u64::MAX))
}

fn signed_leb(bytes: &[u8]) -> Option<i128> {
    let raw = leb(bytes)?;
    let unused = 64u32.saturating_sub(7 * u32::try_from(bytes.len()).ok()?);
    let raw = u64::try_from(raw).ok()?;
    Some(((raw << unused).cast_signed() >> unused).into())
}

/// Reads a value from its bytes, independently of the decoder.
fn reread(flat: &Flat, bytes: &[u8]) -> Result<(), String> {
    let value = &flat.node.value;
    let fail = |what: String| Err(format!("{} but its bytes say {what}", value_text(value)));
    if flat.in_text {
        return reread_text(value, bytes);
    }
    match value {
        Value::None | Value::Bytes => Ok(()),
        Value::Unsigned { raw, bits, .. } | Value::Flags { raw, bits, .. } => {
            if let Value::Flags { rest, .. } = value
                && rest & raw != *rest
            {
                return Err("flags without a name that are not set".to_owned());
            }
            if *bits == 64 && leb(bytes) == Some((*raw).into()) {
                return Ok(());
            }
            if u64::from(*bits) != bytes.len() as u64 * 8 {
                return fail(format!("a number of {} bytes", bytes.len()));
            }
            if little(bytes) == *raw || big(bytes) == *raw {
                return Ok(());
            }
            fail(format!("{:#x}", little(bytes)))
        }
        Value::Signed { raw, bits } => {
            if *bits == 64 && signed_leb(bytes) == Some((*raw).into()) {
                return Ok(());
            }
            let shift = 64 - u32::from(*bits);
            let sign = |word: u64| (word << shift).cast_signed() >> shift;
            if u64::from(*bits) == bytes.len() as u64 * 8
                && (sign(little(bytes)) == *raw || sign(big(bytes)) == *raw)
            {
                return Ok(());
            }
            fail(format!("{bytes:x?}"))
        }
        Value::Float(_) | Value::Bool(_) => {
            Err("a value that no binary format here has".to_owned())
        }
        Value::Text { text, lossy } => {
            // Long strings are shown from their start, without their end.
            let bytes = bytes.get(..64 * 1024).unwrap_or(bytes);
            let trimmed = bytes.strip_suffix(b"\0").unwrap_or(bytes);
            let whole = String::from_utf8_lossy(bytes);
            let short = String::from_utf8_lossy(trimmed);
            let line = bytes.strip_suffix(b"\n").unwrap_or(bytes);
            let line = String::from_utf8_lossy(line.strip_suffix(b"\r").unwrap_or(line));
            // The replacement character may come from the file.
            if *lossy && std::str::from_utf8(bytes).is_ok() {
                return fail("that it is UTF-8".to_owned());
            }
            if [&whole, &short, &line].iter().any(|t| **t == *text) || whole.starts_with(&**text) {
                return Ok(());
            }
            fail(format!("{whole:?}"))
        }
    }
}

/// Reads a value that is stored as text.
fn reread_text(value: &Value, bytes: &[u8]) -> Result<(), String> {
    let text = String::from_utf8_lossy(bytes);
    let fail = || Err(format!("{} but its bytes say {text:?}", value_text(value)));
    let number = || {
        let (digits, radix) = match text.strip_prefix("0x").or(text.strip_prefix("0X")) {
            Some(digits) => (digits, 16),
            None => (&*text, 10),
        };
        i128::from_str_radix(digits, radix).ok()
    };
    match value {
        Value::None | Value::Bytes => Ok(()),
        Value::Unsigned { raw, .. } if number() == Some(i128::from(*raw)) => Ok(()),
        Value::Signed { raw, .. } if number() == Some(i128::from(*raw)) => Ok(()),
        // In any case, as the driver accepts it.
        Value::Bool(yes) => {
            let words = if *yes {
                ["true", "y", "yes", "on"]
            } else {
                ["false", "n", "no", "off"]
            };
            if words.iter().any(|w| text.eq_ignore_ascii_case(w)) {
                Ok(())
            } else {
                fail()
            }
        }
        Value::Float(number) if text.parse() == Ok(*number) => Ok(()),
        Value::Text { text: said, .. } => {
            let single = text.strip_prefix('\'').and_then(|t| t.strip_suffix('\''));
            let double = text.strip_prefix('"').and_then(|t| t.strip_suffix('"'));
            let line = text.trim_end_matches(['\n', '\r']);
            let same = *said == text
                || *said == line
                || single.is_some_and(|t| t.replace("''", "'") == *said)
                || double.is_some_and(|t| t == *said || t.contains('\\'));
            // Damaged or multi-line text is shown in the decoder's own form.
            let odd = text.starts_with(['\'', '"', '|', '>']) || text.contains('\n');
            if same || odd || line.starts_with(&**said) {
                Ok(())
            } else {
                fail()
            }
        }
        _ => fail(),
    }
}

/// Returns whether the node's bytes contain those of its children.
fn is_word(node: &Node) -> bool {
    matches!(node.kind, NodeKind::Field | NodeKind::Instruction)
}
