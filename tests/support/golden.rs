//! Golden text of a document: the whole tree, the diagnostics and the coverage. Also compiled for
//! wasm, where the text must be equal.

use zeview::decode::decode;
use zeview::model::text::{TextOptions, diagnostic_text, write_tree};
use zeview::model::{Coverage, MemorySource, NodeId};

/// Returns the golden text of a file.
pub fn render(name: &str, bytes: &[u8]) -> String {
    let mut document = decode(Box::new(MemorySource::from(bytes)), name);
    document.open_files(NodeId::ROOT);
    document.open_all();
    let mut out = Vec::new();
    let root = document.root().clone();
    write_tree(&document, &root, TextOptions::default(), &mut out).expect("memory takes it");
    let mut text = String::from_utf8(out).expect("the dump is UTF-8");
    text.push('\n');
    for fact in &document.summary.facts {
        text.push_str(&format!("{}: {}\n", fact.label, fact.text));
    }
    for diagnostic in document.diagnostics.clone() {
        let path = document.path_of(&diagnostic);
        text.push('\n');
        text.push_str(&diagnostic_text(&diagnostic, &path));
    }
    let Coverage {
        explained,
        padding,
        gap,
        overlap,
    } = document.coverage;
    let size = bytes.len();
    text.push_str(&format!(
        "\ncoverage: {size} bytes: {explained} explained, {padding} padding, {gap} gap, {overlap} overlap\n"
    ));
    text
}

/// Returns the first line that differs, with its context.
pub fn difference(expected: &str, actual: &str) -> Option<String> {
    if expected == actual {
        return None;
    }
    let (old, new): (Vec<_>, Vec<_>) = (expected.lines().collect(), actual.lines().collect());
    let same = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let mut text = format!("line {}:\n", same + 1);
    for line in &old[same.saturating_sub(3)..same] {
        text.push_str(&format!("    {line}\n"));
    }
    for (sign, lines) in [("  - ", &old), ("  + ", &new)] {
        for line in lines.iter().skip(same).take(4) {
            text.push_str(&format!("{sign}{line}\n"));
        }
    }
    let count = |lines: &[&str]| lines.len();
    text.push_str(&format!(
        "  ({} lines before, {} now)",
        count(&old),
        count(&new)
    ));
    Some(text)
}
