use std::rc::Rc;

use super::*;
use crate::ui::state::selection::SelectionOrigin;
use crate::ui::tree::tests::row;

fn at(path: &str, span: (u64, u64), text: &str) -> Bookmark {
    Bookmark {
        path: path.to_owned(),
        bytes: None,
        span,
        text: text.to_owned(),
    }
}

fn named(id: u32, name: &str, source: SourceId, from: u64, to: u64) -> Row {
    Row {
        name: name.to_owned().into(),
        span: Some(Span::new(source, from, to)),
        ..row(id, None, 3, None)
    }
}

fn written(bookmarks: Vec<Bookmark>, content: &Content) -> String {
    let mut all = Bookmarks::default();
    all.apply(BookmarkChange::Merge(bookmarks));
    write("a \"b\".zebin", content, &all)
}

fn whole(size: u64) -> Content {
    Content {
        size,
        hash: Some("0a".repeat(32)),
    }
}

#[test]
fn bookmarks_are_sorted_by_position() {
    let mut all = Bookmarks::default();
    for bookmark in [
        at("b", (8, 16), ""),
        at("c", (2, 4), ""),
        at("a", (2, 9), ""),
        at("b", (8, 16), "again"),
    ] {
        all.apply(BookmarkChange::Put(bookmark));
    }
    let paths: Vec<&str> = all.all().iter().map(|b| &*b.path).collect();
    assert_eq!(paths, ["a", "c", "b"]);
    assert_eq!(all.find(&at("b", (0, 0), "")).unwrap().text, "again");
    all.apply(BookmarkChange::Delete(at("c", (0, 0), "")));
    assert_eq!(all.all().len(), 2);
}

#[test]
fn limits_are_enforced() {
    let mut all = Bookmarks::default();
    for i in 0..BOOKMARKS_MAX as u64 + 5 {
        all.apply(BookmarkChange::Put(at(&i.to_string(), (i, i), "")));
    }
    assert_eq!(all.all().len(), BOOKMARKS_MAX);
    // Existing bookmarks still accept a comment, up to its maximum length.
    let long = "é".repeat(TEXT_MAX + 1);
    all.apply(BookmarkChange::Put(at("7", (7, 7), &long)));
    let kept = all.find(&at("7", (7, 7), "")).unwrap();
    assert_eq!(kept.text.chars().count(), TEXT_MAX);
}

#[test]
fn merging_keeps_both_comments_once() {
    let mut all = Bookmarks::default();
    all.apply(BookmarkChange::Put(at("a", (0, 1), "mine")));
    let theirs = || BookmarkChange::Merge(vec![at("a", (0, 1), "theirs"), at("b", (1, 2), "b")]);
    all.apply(theirs());
    all.apply(theirs());
    let texts: Vec<&str> = all.all().iter().map(|b| &*b.text).collect();
    assert_eq!(texts, ["mine\ntheirs", "b"]);
}

#[test]
fn a_bookmark_has_path_and_bytes() {
    let rows = [
        named(1, ".text.k", SourceId::FILE, 100, 200),
        named(2, "word", SourceId::FILE, 116, 132),
    ];
    let node = Selection::node(Rc::from(rows.clone()), SelectionOrigin::Jump);
    let marked = Bookmark::new(&node, ".text.k/word", 4096).unwrap();
    assert_eq!((marked.bytes, marked.span), (None, (116, 132)));
    let bytes = Span::new(SourceId::FILE, 120, 124);
    let free = Selection::bytes(Rc::from(rows), bytes, SelectionOrigin::Jump);
    let part = Bookmark::new(&free, ".text.k/word", 4096).unwrap();
    assert_eq!((part.bytes, part.span), (Some((4, 4)), (120, 124)));
    assert!(!part.is_at(&marked));
    // The same node elsewhere.
    let node = Span::new(SourceId(3), 1016, 1032);
    assert_eq!(part.within(node), Some(Span::new(SourceId(3), 1020, 1024)));
    assert_eq!(marked.within(node), None);
    // The file as a whole, and bytes of it that are in no row.
    let root = Selection::root(None);
    assert_eq!(Bookmark::new(&root, "", 4096).unwrap().span, (0, 4096));
    let free = Selection::bytes(Rc::from([]), bytes, SelectionOrigin::Jump);
    assert_eq!(
        Bookmark::new(&free, "", 4096).unwrap().bytes,
        Some((120, 4))
    );
    assert_eq!(Bookmark::new(&root, &"x".repeat(5000), 4096), None);
}

#[test]
fn decompressed_nodes_have_enclosing_file_bytes() {
    let rows = [
        named(1, "image", SourceId::FILE, 100, 200),
        named(2, "code", SourceId(2), 0, 5000),
        named(3, "x", SourceId(2), 64, 128),
    ];
    let selection = Selection::node(Rc::from(rows.clone()), SelectionOrigin::Jump);
    let marked = Bookmark::new(&selection, "image/code/x", 4096).unwrap();
    assert_eq!(marked.span, (100, 200));
    assert!(marked.is_of(&rows));
}

#[test]
fn rows_are_identified_by_path_and_position() {
    let rows = |name: &str, from| {
        [
            named(1, "a/b", SourceId::FILE, 0, 100),
            named(2, name, SourceId::FILE, from, 20),
        ]
    };
    let marked = at("a%2Fb/x#2", (10, 20), "");
    assert!(marked.is_of(&rows("x", 10)));
    // The first node of this name, then another one, then other depths.
    assert!(!marked.is_of(&rows("x", 8)));
    assert!(!marked.is_of(&rows("y", 10)));
    assert!(!marked.is_of(&rows("x", 10)[1..]));
    assert!(!at("x#2", (10, 20), "").is_of(&rows("x", 10)));
    assert!(!at("", (10, 20), "").is_of(&rows("x", 10)));
    assert!(at("", (0, 4096), "").is_of(&[]));
    // Bytes in it.
    let mut bytes = at("a%2Fb/x", (12, 14), "");
    assert!(!bytes.is_of(&rows("x", 10)));
    bytes.bytes = Some((2, 2));
    assert!(bytes.is_of(&rows("x", 10)));
    // An entry of a table is identified by its number.
    let mut entry = rows("vecadd", 10);
    entry[1].indexed = true;
    assert!(at("a%2Fb/[3]", (10, 20), "").is_of(&entry));
    assert!(!at("a%2Fb/[4]", (10, 20), "").is_of(&entry));
}

#[test]
fn bookmark_files_round_trip() {
    let mut bytes = at("a/[2]", (3, 9), "two\nlines \u{202e}");
    bytes.bytes = Some((1, u64::MAX - 1));
    let bookmarks = vec![at("", (0, 100), "<b>\"'&"), bytes];
    for content in [
        whole(100),
        Content {
            size: 100,
            hash: None,
        },
        whole(WHOLE_MAX + 1),
    ] {
        let text = written(bookmarks.clone(), &content);
        let read = read(&text).unwrap();
        assert_eq!(read.name, "a \"b\".zebin");
        assert_eq!(read.content, content);
        assert_eq!(read.bookmarks, bookmarks);
        assert_eq!(text.contains("sha256_of_ends"), content.size > WHOLE_MAX);
    }
    let empty = written(vec![], &whole(1));
    assert_eq!(read(&empty).unwrap().bookmarks, []);
}

#[test]
fn content_is_identified_by_size_and_hash() {
    let unknown = Content {
        size: 100,
        hash: None,
    };
    let other = Content {
        hash: Some("0b".repeat(32)),
        ..unknown.clone()
    };
    assert!(whole(100).fits(&whole(100)) && whole(100).fits(&unknown));
    assert!(!whole(100).fits(&other) && !whole(100).fits(&whole(101)));
    assert_eq!(unknown.key(), None);
    assert_ne!(whole(100).key(), other.key());
}

#[test]
fn malformed_files_are_rejected() {
    let good = written(vec![at("a", (3, 9), "text")], &whole(100));
    for (from, to, why) in [
        ("bookmarks/1", "bookmarks/2", "newer version"),
        ("\"size\": 100", "\"size\": -1", "“size”"),
        ("\"size\": 100", "\"size\": \"100\"", "“size”"),
        ("\"0a", "\"0A", "“sha256”"),
        ("0a\",", "\",", "“sha256”"),
        ("[3, 9]", "[9, 3]", "bookmark 1: “span”"),
        ("[3, 9]", "[3, 101]", "bookmark 1: “span”"),
        ("[3, 9]", "[3]", "bookmark 1: “span”"),
        ("[3, 9]", "[3, 9], \"bytes\": 3", "bookmark 1: “bytes”"),
        (
            "[3, 9]",
            "[3, 9], \"bytes\": [1, 18446744073709551615]",
            "“bytes”",
        ),
        ("\"path\": \"a\"", "\"path\": [\"a\"]", "“path”"),
        ("\"text\": \"text\"", "\"text\": {}", "“text”"),
        ("\"text\": \"text\"", "\"tekst\": \"\"", "“text”"),
        ("\n  ]\n}", "", "not valid JSON"),
    ] {
        let bad = good.replacen(from, to, 1);
        assert_ne!(bad, good, "{from}");
        match read(&bad) {
            Err(Refusal::Wrong(message)) => assert!(message.contains(why), "{message}"),
            other => panic!("{bad}: {other:?}"),
        }
    }
    let wrong = |text: &str, why: &str| match read(text) {
        Err(Refusal::Wrong(message)) => assert!(message.contains(why), "{message}"),
        other => panic!("{other:?}"),
    };
    let long = format!("\"path\": \"{}\"", "x".repeat(PATH_MAX + 1));
    wrong(&good.replacen("\"path\": \"a\"", &long, 1), "“path”");
    let long = format!("\"text\": \"{}\"", "x".repeat(TEXT_MAX + 1));
    wrong(&good.replacen("\"text\": \"text\"", &long, 1), "“text”");
    let many = "{},".repeat(BOOKMARKS_MAX);
    wrong(
        &good.replacen("[\n", &format!("[{many}"), 1),
        "more than 500",
    );
    let list = format!("{{\"schema\": \"{SCHEMA}1\", \"size\": 1, \"bookmarks\": {{}}}}");
    wrong(&list, "“bookmarks”");
}

#[test]
fn other_formats_are_recognized() {
    for text in [
        "",
        "{}",
        "[1]",
        "\u{7f}ELF",
        "{\"schema\": 1}",
        "{\"schema\": \"zeview/1\"}",
    ] {
        assert_eq!(read(text), Err(Refusal::Other), "{text}");
    }
}

#[test]
fn unknown_keys_are_ignored() {
    let text = written(vec![at("a", (3, 9), "text")], &whole(100));
    let more = text.replacen("\"path\"", "\"by\": {\"who\": null}, \"path\"", 1);
    assert_eq!(read(&more), read(&text));
}
