use super::*;

mod mutations;
mod oracle;
mod subset;

/// Reads `text` and checks the invariants of every text.
fn read(text: &[u8]) -> Yaml {
    let yaml = parse(text, Limits::default());
    check(&yaml, text);
    yaml
}

fn check(yaml: &Yaml, text: &[u8]) {
    let shown = || String::from_utf8_lossy(text.get(..2000).unwrap_or(text)).into_owned();
    if let Err(wrong) = check_coverage(yaml, text.len()) {
        panic!("{wrong}\nin {:?}", shown());
    }
    let lines = LineStarts::of(text);
    for node in yaml.nodes() {
        let line = lines.line_of(node.entry().start);
        assert_eq!(node.line, line, "line of {node:?} in {:?}", shown());
    }
    for problem in yaml.problems() {
        assert!(
            problem.at.end as usize <= text.len(),
            "{problem:?} in {:?}",
            shown()
        );
        let line = lines.line_of(problem.at.start);
        assert_eq!(problem.line, line, "line of {problem:?} in {:?}", shown());
    }
}

/// The starts of the lines, found by another method than the reader's.
struct LineStarts(Vec<u32>);

impl LineStarts {
    fn of(text: &[u8]) -> Self {
        let starts = (1..=text.len()).filter(|&at| match text[at - 1] {
            b'\n' => true,
            b'\r' => text.get(at) != Some(&b'\n'),
            _ => false,
        });
        Self(starts.map(offset).collect())
    }

    fn line_of(&self, offset: u32) -> u32 {
        1 + super::offset(self.0.partition_point(|start| *start <= offset))
    }
}

/// The tree on one line: `{key: value}`, `[item]`, `flow[item]`, `flow{…}`; scalars as written, `~`
/// for no value, `<raw>`, and the others by their bytes.
fn show(text: &[u8]) -> String {
    show_node(&read(text), text, ROOT)
}

fn show_node(yaml: &Yaml, text: &[u8], index: Index) -> String {
    let node = yaml.node(index).unwrap();
    let written = |extent: Extent| String::from_utf8_lossy(extent.of(text)).into_owned();
    let children: Vec<_> = yaml
        .children(index)
        .map(|(child, _)| show_node(yaml, text, child))
        .collect();
    let children = children.join(", ");
    let value = match node.kind {
        Kind::Document => children,
        Kind::Mapping => format!("{{{children}}}"),
        Kind::Sequence => format!("[{children}]"),
        Kind::FlowMapping => format!("flow{{{children}}}"),
        Kind::FlowSequence => format!("flow[{children}]"),
        Kind::Null => "~".to_owned(),
        Kind::Raw => format!("<{}>", written(node.value)),
        Kind::Scalar | Kind::Comment | Kind::Marker | Kind::Directive | Kind::Syntax => {
            written(node.value)
        }
        Kind::Blank => format!("{:?}", written(node.value)),
    };
    match node.key() {
        Some(key) => format!("{}: {value}", written(key)),
        None => value,
    }
}

fn problems(text: &[u8]) -> Vec<ProblemKind> {
    read(text)
        .problems()
        .iter()
        .map(|problem| problem.kind)
        .collect()
}

/// The kind of each problem, and the affected bytes.
fn reported(text: &[u8]) -> Vec<(ProblemKind, String)> {
    let yaml = read(text);
    let problems = yaml.problems().iter();
    let bytes = |at: Extent| String::from_utf8_lossy(at.of(text)).into_owned();
    problems.map(|p| (p.kind, bytes(p.at))).collect()
}

/// Head and value of every node below the document, in text order.
fn heads(text: &[u8]) -> Vec<(String, String)> {
    let yaml = read(text);
    let mut nodes: Vec<_> = yaml
        .nodes()
        .iter()
        .filter(|node| node.kind != Kind::Document)
        .collect();
    nodes.sort_by_key(|node| {
        (
            node.head,
            node.value.start,
            std::cmp::Reverse(node.value.end),
        )
    });
    let written = |extent: Extent| String::from_utf8_lossy(extent.of(text)).into_owned();
    nodes
        .iter()
        .map(|node| (written(node.head()), written(node.value)))
        .collect()
}

/// xorshift64*: a reproducible sequence.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end as u64).max(1)).unwrap()
    }
}

/// A text as written by the compilers, with every construct.
const SMALL: &str = "\
---
version:         '1.73'
kernels:
  - name:            \"kernel.with-odd$chars@é\"
    user_attributes:
      intel_reqd_workgroup_walk_order: [ 0, 1, 2 ]
    execution_env:
      grf_count:       128
      has_4gb_buffers: true
    payload_arguments:
      - arg_type:        global_id_offset
        offset:          0
        size:            12
      - arg_type:        local_size
        offset:          12
    inline_samplers: []
kernels_misc_info:
  - name:            nop
    args_info:
      - index:           0
        type_name:       'int*;8'
...
";

/// A text as written by hand.
const BY_HAND: &str = "\
# by hand
version : 1.20
kernels:
- name: 'it''s'   # a name
  execution_env:
    simd_size: 0x20

    grf_count: -1
  list:
    - a
    -
      - 'b'
    - - c
      - {}
  none:
  last: [x, [y, \"z\\n\"],
     w]
";
