//! The reader's result for each construct.

use super::ProblemKind::*;
use crate::zebin::ze_info::yaml::tests::*;

/// Texts without problems.
#[test]
fn good_texts() {
    for (text, tree) in [
        ("", ""),
        ("\n \n", r#""\n \n""#),
        ("---\na: 1\n...\n", "---, {a: 1}, ..., \"\\n\""),
        ("a: 1", "{a: 1}"),
        ("a:   x y  \r\nb: 2\r\n", r#"{a: x y, b: 2}, "\r\n""#),
        ("a : 1\n", r#"{a: 1}, "\n""#),
        ("'a b': 1\n\"c\": 2", "{'a b': 1, \"c\": 2}"),
        ("a:\nb:\n", r#"{a: ~, b: ~}, "\n""#),
        (
            "a:\n  b: 1\n  c:\n    d: 2\ne: 3",
            "{a: {b: 1, c: {d: 2}}, e: 3}",
        ),
        ("a:\n - 1\n - 2", "{a: [1, 2]}"),
        ("a:\n- 1\n- 2\nb: 3", "{a: [1, 2], b: 3}"),
        ("a:\n- b: 1\n  c: 2\n- b: 3", "{a: [{b: 1, c: 2}, {b: 3}]}"),
        ("a:\n- b:\n  - 1\n  c: 2", "{a: [{b: [1], c: 2}]}"),
        ("a:\n  -\n    b: 1\n  -\n  - 2", "{a: [{b: 1}, ~, 2]}"),
        ("- - x\n  - y\n- - - z", "[[x, y], [[z]]]"),
        ("- a:\n    b: 1\n  c: 2", "[{a: {b: 1}, c: 2}]"),
        ("-   a: 1\n    b: 2", "[{a: 1, b: 2}]"),
        ("   a: 1\n   b: 2", "{a: 1, b: 2}"),
        ("a: 'it''s'\nb: \"x\\\"y\"", r#"{a: 'it''s', b: "x\"y"}"#),
        ("a: \"é\"\nb: é", "{a: \"é\", b: é}"),
        ("a: ''\nb: \"\"", "{a: '', b: \"\"}"),
        (
            "a: 0x1F\nb: -1\nc: b:c\nd: a#b",
            "{a: 0x1F, b: -1, c: b:c, d: a#b}",
        ),
        ("a: [ 0, 1, 2 ]", "{a: flow[0, 1, 2, ]]}"),
        ("a: []\nb: [ ]", "{a: flow[]], b: flow[]]}"),
        ("a: [0, 1,]", "{a: flow[0, 1, ]]}"),
        ("a: [x y, 'z', \"w\"]", "{a: flow[x y, 'z', \"w\", ]]}"),
        (
            "a: [ 0,\n     1,\n     2 ]\nb: 1",
            "{a: flow[0, 1, 2, ]], b: 1}",
        ),
        ("a: [ 0, # zero\n     1 ]", "{a: flow[0, # zero, 1, ]]}"),
        (
            "a: [[1], [[]]]",
            "{a: flow[flow[1, ]], flow[flow[]], ]], ]]}",
        ),
        ("- [1]\n- [2]", "[flow[1, ]], flow[2, ]]]"),
        ("a: 1\na: 2", "{a: 1, a: 2}"),
        ("a: x\\ny", "{a: x\\ny}"),
        ("a::b: c", "{a::b: c}"),
        ("- a::b", "[a::b]"),
        // Only a name is a key without a blank after the colon.
        ("- a-b:c\n- 1a:b\n- a b:c", "[a-b:c, 1a:b, a b:c]"),
        ("- http://x", "[http://x]"),
        ("x", "x"),
    ] {
        assert_eq!(show(text.as_bytes()), tree, "{text:?}");
        assert_eq!(problems(text.as_bytes()), [], "{text:?}");
    }
}

/// A comment belongs to the collection of the next line; after a value, to the value's collection.
#[test]
fn comments() {
    for (text, tree) in [
        ("# c\na: 1", "# c, {a: 1}"),
        ("a: 1 # c\nb: 2", "{a: 1, # c, b: 2}"),
        ("a: 'x'  # c  \nb: 2", "{a: 'x', # c, b: 2}"),
        ("a: [1] # c", "{a: flow[1, ]], # c}"),
        ("a: # c\n  b: 1", "{a: {# c, b: 1}}"),
        ("a: # c\nb: 1", "{a: ~, # c, b: 1}"),
        ("a:\n  b: 1\n# c\nd: 2", "{a: {b: 1}, # c, d: 2}"),
        ("a:\n  b: 1\n# c\n  d: 2", "{a: {b: 1, # c, d: 2}}"),
        ("a:\n- 1\n# c\n- 2", "{a: [1, # c, 2]}"),
        ("a: #c", "{a: ~}, #c"),
        ("- # c\n  a: 1", "[{# c, a: 1}]"),
        ("a: 1\n# c\n...\n# d", "{a: 1}, # c, ..., # d"),
    ] {
        assert_eq!(show(text.as_bytes()), tree, "{text:?}");
        assert_eq!(problems(text.as_bytes()), [], "{text:?}");
    }
}

/// Texts that are read, but with problems.
#[test]
fn odd_texts() {
    for (text, tree, expected) in [
        ("a:1\nb: 2", "{a: 1, b: 2}", vec![(ColonWithoutBlank, ":")]),
        (
            "a:\n  -b: 1\n  -c: 2",
            "{a: [{b: 1}, {c: 2}]}",
            vec![(DashWithoutBlank, "-"), (DashWithoutBlank, "-")],
        ),
        (
            "a: 1\n// b: 2\nc: 3",
            "{a: 1, // b: 2, c: 3}",
            vec![(SlashComment, "// b: 2")],
        ),
        ("a: {}", "{a: flow{}}}", vec![(FlowMapping, "{")]),
        (
            "a: {b: 1, c, \"d\":2}",
            "{a: flow{b: 1, c: ~, \"d\": 2, }}}",
            vec![(FlowMapping, "{")],
        ),
        (
            "a: {b: {c: [1]}}",
            "{a: flow{b: flow{c: flow[1, ]], }}, }}}",
            vec![(FlowMapping, "{"), (FlowMapping, "{")],
        ),
        ("a:\n\tb: 1", "{a: {b: 1}}", vec![(TabIndentation, "\t")]),
        (
            "a:\n    b: 1\n\tc: 2",
            "{a: {b: 1, c: 2}}",
            vec![(TabIndentation, "\t")],
        ),
        (
            "a: 1\rb: 2",
            "{a: 1, b: 2}",
            vec![(BareCarriageReturn, "\r")],
        ),
        ("\u{feff}a: 1", "{a: 1}", vec![(ByteOrderMark, "\u{feff}")]),
        (
            "a: x\u{2028}y",
            "{a: x\u{2028}y}",
            vec![(UnicodeLineBreak, "\u{2028}")],
        ),
        (
            "a: x\u{85}y",
            "{a: x\u{85}y}",
            vec![(UnicodeLineBreak, "\u{85}")],
        ),
        (
            "a: 1\n\u{feff}b: 1",
            "{a: 1, \u{feff}b: 1}",
            vec![(ByteOrderMark, "\u{feff}")],
        ),
        (
            "a: x\u{1}y",
            "{a: x\u{1}y}",
            vec![(ControlCharacter, "\u{1}")],
        ),
        (
            "a: x\0y\nb: 1",
            "{a: x\0y, b: 1}",
            vec![(ControlCharacter, "\0")],
        ),
        (
            "a: 1\n\0\0",
            "{a: 1}, \"\\n\\0\\0\"",
            vec![(TrailingNul, "\0\0")],
        ),
        ("a:\n  x", "{a: x}", vec![(ValueOnNextLine, "x")]),
        (
            "a: # c\n  [1]",
            "{a: flow[1, ]]}",
            vec![(ValueOnNextLine, "[1]")],
        ),
        ("a: b: c", "{a: b: c}", vec![(ColonInValue, ":")]),
        ("a: @x", "{a: @x}", vec![(ReservedIndicator, "@x")]),
        ("a: - x", "{a: - x}", vec![(ReservedIndicator, "- x")]),
        ("a: \"\\q\"", "{a: \"\\q\"}", vec![(BadEscape, "\\q")]),
        (
            "a: 'x' y\nb: 1",
            "{a: 'x', <y>, b: 1}",
            vec![(TextAfterValue, "y")],
        ),
        (
            "a: [1] y\nb: 1",
            "{a: flow[1, ]], <y>, b: 1}",
            vec![(TextAfterValue, "y")],
        ),
        // Unclosed: the following lines survive.
        ("a: 'x\nb: 1", "{a: 'x, b: 1}", vec![(UnclosedQuote, "'x")]),
        (
            "a: [1, 2\nb: 1",
            "{a: flow[1, 2], b: 1}",
            vec![(UnclosedBracket, "2")],
        ),
        (
            "a: [1,\nb: 1",
            "{a: flow[1, ,], b: 1}",
            vec![(UnclosedBracket, ",")],
        ),
        (
            "a: [\nb: 1",
            "{a: flow[[], b: 1}",
            vec![(UnclosedBracket, "[")],
        ),
        (
            "a: [[1]\n  b: 1\nc: 2",
            "{a: flow[flow[1, ]]], b: 1, c: 2}",
            vec![(UnclosedBracket, "]"), (Indentation, "  ")],
        ),
        (
            "a: [1, 'x\n",
            "{a: flow[1, 'x]}, \"\\n\"",
            vec![(UnclosedQuote, "'x"), (UnclosedBracket, "x")],
        ),
        (
            "a: [1}\nb: 1",
            "{a: flow[1, }], b: 1}",
            vec![(FlowSyntax, "}")],
        ),
        (
            "a: [1,,2]",
            "{a: flow[1, ~, 2, ]]}",
            vec![(FlowSyntax, ",")],
        ),
        (
            "a: ['x' 2]",
            "{a: flow['x', 2, ]]}",
            vec![(FlowSyntax, "2")],
        ),
        ("a: [b: 1]", "{a: flow[b: 1, ]]}", vec![(FlowPair, "b")]),
        // Lines that fit nowhere.
        (
            "a: 1\nfoo\nb: 2",
            "{a: 1, <foo>, b: 2}",
            vec![(NotAnEntry, "foo")],
        ),
        (
            "a: 1\n: x\nb: 2",
            "{a: 1, <: x>, b: 2}",
            vec![(ReservedIndicator, ": x")],
        ),
        (
            "a: 1\n- x\nb: 2",
            "{a: 1, <- x>, b: 2}",
            vec![(Misplaced, "- x")],
        ),
        (
            "- 1\na: 2\n- 3",
            "[1, <a: 2>, 3]",
            vec![(Misplaced, "a: 2")],
        ),
        ("  a: 1\nb: 2", "{a: 1, b: 2}", vec![(Indentation, "")]),
        (
            "a:\n    b: 1\n  c: 2\nd: 3",
            "{a: {b: 1, c: 2}, d: 3}",
            vec![(Indentation, "  ")],
        ),
        (
            "a:\n- b: 1\n - b: 2\n- b: 3",
            "{a: [{b: 1}, {b: 2}, {b: 3}]}",
            vec![(Indentation, " ")],
        ),
        ("x\na: 1", "x, {a: 1}", vec![(Misplaced, "a: 1")]),
        // Outside the subset.
        (
            "a: &x 1\nb: *x",
            "{a: 1, b: *x}",
            vec![(Anchor, "&x"), (Alias, "*x")],
        ),
        ("a: &x\n  b: 1", "{a: {b: 1}}", vec![(Anchor, "&x")]),
        ("a: !t # c\n  b: 1", "{a: {# c, b: 1}}", vec![(Tag, "!t")]),
        ("<<: 1", "{<<: 1}", vec![(MergeKey, "<<")]),
        (
            "a: |\n  x: 1\n\n  # y\nb: 1",
            "{a: |\n  x: 1\n\n  # y, b: 1}",
            vec![(BlockScalar, "|")],
        ),
        ("a: >-\nb: 1", "{a: >-, b: 1}", vec![(BlockScalar, ">-")]),
        ("- |\n x\n- y", "[|\n x, y]", vec![(BlockScalar, "|")]),
        (
            "a: x\n  y z\n\n  w\nb: 1",
            "{a: x\n  y z\n\n  w, b: 1}",
            vec![(MultiLineScalar, "y z"), (MultiLineScalar, "w")],
        ),
        (
            "a: 1\n? b\n: 2",
            "{a: 1, <? b>, <: 2>}",
            vec![(ComplexKey, "? b"), (ReservedIndicator, ": 2")],
        ),
        (
            "%YAML 1.2\n---\na: 1",
            "%YAML 1.2, ---, {a: 1}",
            vec![(Directive, "%YAML 1.2")],
        ),
        ("--- x", "---, <x>", vec![(TextAfterValue, "x")]),
        (
            "a: 1\n---\nb: 2",
            "{a: 1}, ---, {b: 2}",
            vec![(SecondDocument, "---")],
        ),
        (
            "a: 1\n...\nb: 2",
            "{a: 1}, ..., {b: 2}",
            vec![(SecondDocument, "b: 2"), (Misplaced, "b: 2")],
        ),
    ] {
        let expected: Vec<_> = expected
            .into_iter()
            .map(|(kind, bytes)| (kind, bytes.to_owned()))
            .collect();
        assert_eq!(
            (show(text.as_bytes()).as_str(), reported(text.as_bytes())),
            (tree, expected),
            "{text:?}"
        );
    }
}

#[test]
fn bytes_that_are_not_utf_8_are_kept() {
    let text = b"a: x\xffy\nb: 1";
    assert_eq!(problems(text), [NotUtf8]);
    // An invalid sequence is reported up to its end, or to the end of the line.
    for (bytes, bad) in [(&b"\xe4\xb8y"[..], 2), (b"\xe4y", 1), (b"\xe4\xb8", 2)] {
        let text = [b"a: x", bytes, b"\nb: 1"].concat();
        let yaml = read(&text);
        let at: Vec<_> = yaml
            .problems()
            .iter()
            .map(|problem| problem.at.of(&text))
            .collect();
        assert_eq!(at, [&bytes[..bad]]);
    }
    let yaml = read(text);
    let a = yaml.get(text, yaml.content().unwrap(), "a").unwrap();
    assert_eq!(yaml.node(a).unwrap().value.of(text), b"x\xffy");
    let decoded = yaml.scalar_text(text, a);
    assert_eq!((decoded.text.as_ref(), decoded.lossy), ("x\u{fffd}y", true));
}

#[test]
fn heads_and_values() {
    let heads = |text: &str| heads(text.as_bytes());
    let pair = |(head, value): (&str, &str)| (head.to_owned(), value.to_owned());
    assert_eq!(
        heads("---\nk:\n  - name:    nop  # c\n\n    size:      3328\n...\n"),
        [
            ("", "---"),
            ("\n", "k:\n  - name:    nop  # c\n\n    size:      3328"),
            ("k:", "\n  - name:    nop  # c\n\n    size:      3328"),
            ("\n  - ", "name:    nop  # c\n\n    size:      3328"),
            ("name:    ", "nop"),
            ("  ", "# c"),
            ("\n\n    size:      ", "3328"),
            ("\n", "..."),
            ("", "\n"),
        ]
        .map(pair)
    );
    assert_eq!(
        heads("a: [ 0, 'x' ]"),
        [
            ("", "a: [ 0, 'x' ]"),
            ("a: ", "[ 0, 'x' ]"),
            ("[ ", "0"),
            (", ", "'x'"),
            (" ", "]")
        ]
        .map(pair)
    );
    assert_eq!(
        heads("a:\n-\n  b:\nc: &x 1"),
        [
            ("", "a:\n-\n  b:\nc: &x 1"),
            ("a:", "\n-\n  b:"),
            ("\n-", "\n  b:"),
            ("\n  b:", ""),
            ("\nc: &x ", "1"),
        ]
        .map(pair)
    );
}

#[test]
fn lookups() {
    let text = BY_HAND.as_bytes();
    let yaml = read(text);
    let root = yaml.content().unwrap();
    assert_eq!(yaml.node(root).unwrap().kind, Kind::Mapping);
    let kernels = yaml.get(text, root, "kernels").unwrap();
    let kernel = yaml.values(kernels).next().unwrap().0;
    let name = yaml.get(text, kernel, "name").unwrap();
    assert_eq!(yaml.scalar_text(text, name).text, "it's");
    assert_eq!(yaml.key_text(text, name).unwrap().text, "name");
    assert_eq!(yaml.parent(name), Some(kernel));
    assert_eq!(yaml.parent(kernel), Some(kernels));
    assert_eq!(yaml.parent(ROOT), None);
    assert_eq!(yaml.child(kernel, 0), Some(name));
    assert_eq!(yaml.get(text, kernel, "nam"), None);
    assert_eq!(yaml.node(name).unwrap().line, 4);

    let text = b"a: 1\n'a': 2\n\"\\x61\": 3\n";
    let yaml = read(text);
    let all: Vec<_> = yaml.get_all(text, yaml.content().unwrap(), "a").collect();
    assert_eq!(all.len(), 3);
    assert_eq!(yaml.scalar_text(text, *all.last().unwrap()).text, "3");
}

/// `at` returns the leaf, or the collection whose head contains the byte; `line_of` counts.
#[test]
fn places() {
    for text in [
        SMALL,
        BY_HAND,
        "a: [1,\n 2\n\n]\r\nb: |\r x\r\r y\n\n\n",
        "",
    ] {
        let text = text.as_bytes();
        let yaml = read(text);
        let lines = LineStarts::of(text);
        for at in 0..offset(text.len()) {
            let index = yaml.at(at);
            let node = yaml.node(index).unwrap();
            assert!(node.extent().contains(at));
            assert!(
                node.children == 0 || at < node.value.start,
                "{at} is in {node:?}"
            );
            assert_eq!(yaml.line_of(text, at), lines.line_of(at), "{at}");
        }
        assert_eq!(yaml.at(offset(text.len())), ROOT);
    }
}

#[test]
fn escapes() {
    for (written, text) in [
        (r#""a\tb\"\\\/""#, "a\tb\"\\/"),
        (r#""\x41é\u00e9\U0001F600""#, "Aéé😀"),
        (
            r#""\0\a\b\e\f\n\r\v\_\N\L\P\ ""#,
            "\0\x07\x08\x1b\x0c\n\r\x0b\u{a0}\u{85}\u{2028}\u{2029} ",
        ),
        ("'a''b''''c'", "a'b''c"),
        ("\"it's\"", "it's"),
        ("'\\n'", "\\n"),
    ] {
        let yaml = read(written.as_bytes());
        let decoded = yaml.scalar_text(written.as_bytes(), yaml.content().unwrap());
        assert_eq!(
            (decoded.text.as_ref(), decoded.lossy),
            (text, false),
            "{written}"
        );
    }
    for (written, text) in [
        (r#""\q""#, "\\q"),
        (r#""\x4""#, "\\x4"),
        (r#""\ud800""#, "\\ud800"),
        (r#""\x+1""#, "\\x+1"),
        ("\"\\", "\\"),
    ] {
        let yaml = read(written.as_bytes());
        let decoded = yaml.scalar_text(written.as_bytes(), yaml.content().unwrap());
        assert_eq!(
            (decoded.text.as_ref(), decoded.lossy),
            (text, true),
            "{written}"
        );
    }
}

#[test]
fn integers_and_booleans() {
    for (text, value) in [
        ("0", 0),
        ("007", 7),
        ("+5", 5),
        ("-5", -5),
        ("0x1f", 31),
        ("-9223372036854775808", i64::MIN),
    ] {
        assert_eq!(as_int(text), Some(value), "{text}");
    }
    for text in [
        "",
        "+",
        "-",
        "0x",
        "0x+1",
        "1e1",
        "32.0",
        "1 2",
        "true",
        "--1",
        "9223372036854775808",
    ] {
        assert_eq!(as_int(text), None, "{text}");
    }
    for text in ["y", "Y", "yes", "YES", "true", "tRUE", "on", "On"] {
        assert_eq!(as_bool(text), Some(true), "{text}");
    }
    for text in ["n", "no", "No", "false", "FALSE", "off"] {
        assert_eq!(as_bool(text), Some(false), "{text}");
    }
    for text in ["", "0", "1", "t", "f", "null", "yes "] {
        assert_eq!(as_bool(text), None, "{text}");
    }
}

/// Deeply nested and very large texts: the reader terminates.
#[test]
fn bombs() {
    let staircase: String = (0..3000).map(|step| " ".repeat(step) + "a:\n").collect();
    let dashes: String = (0..3000).map(|step| " ".repeat(step) + "-\n").collect();
    for (text, is_deep) in [
        (staircase, true),
        (dashes, true),
        ("- ".repeat(10_000), true),
        ("a: ".to_owned() + &"[".repeat(10_000), true),
        ("a: ".to_owned() + &"{a: ".repeat(10_000), true),
        ("[\n".repeat(10_000), true),
        ("a: [\n".repeat(10_000), false),
        ("a: 'x\n".repeat(10_000), false),
        ("\"\\".repeat(10_000), false),
        (": ".repeat(10_000), false),
        ("a: ".to_owned() + &"x".repeat(1 << 20), false),
        ("\n".repeat(1 << 20), false),
        (" ".repeat(65_542) + "a: 1", false),
    ] {
        let yaml = read(text.as_bytes());
        assert_eq!(
            yaml.problem_count(TooDeep) > 0,
            is_deep,
            "{}",
            text.get(..30).unwrap()
        );
        assert!(yaml.problems().len() <= ProblemKind::ALL.len() * 100);
    }
}

#[test]
fn the_number_of_nodes_is_limited() {
    let limits = Limits {
        nodes: 1000,
        ..Limits::default()
    };
    for unit in [
        "-\n",
        "a: 1\n",
        "#\n",
        "- - - a: 1\n",
        "a: [1,\n",
        "  #\n  a:\n",
    ] {
        let text = unit.repeat(10_000);
        let yaml = parse(text.as_bytes(), limits);
        check(&yaml, text.as_bytes());
        assert_eq!(yaml.problem_count(TooManyNodes), 1, "{unit:?}");
        let most = 1000.max(text.len() / limits.bytes_per_node) + limits.depth;
        assert!(yaml.nodes().len() <= most, "{unit:?}");
        let last = yaml.children(ROOT).last().unwrap().1;
        assert_eq!(last.kind, Kind::Raw);
    }
    let text = "a: [".to_owned() + &"1,".repeat(10_000) + "\nb: 1";
    let yaml = parse(text.as_bytes(), limits);
    check(&yaml, text.as_bytes());
    assert!(yaml.problem_count(TooManyNodes) > 0);
}

#[test]
fn problems_of_one_kind_are_capped() {
    let text = "a: b: c\n".repeat(1000);
    let yaml = read(text.as_bytes());
    assert_eq!(yaml.problems().len(), 100);
    assert_eq!(yaml.problem_count(ColonInValue), 1000);
    assert!(!yaml.is_outside_subset());
    assert!(read(b"a: *x").is_outside_subset());
}
