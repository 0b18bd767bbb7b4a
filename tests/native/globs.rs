//! Patterns in paths.

use zeview::decode::decode;
use zeview::model::account::Account;
use zeview::model::{MemorySource, NodeId};

#[test]
fn repeated_globs_are_one() {
    let file = decode(Box::new(MemorySource::from(b"!<arch>\n".to_vec())), "x");
    for (pattern, same) in [
        ("**/".repeat(10_000) + "**", "**".to_owned()),
        ("**/".repeat(10_000) + "magic", "**/magic".to_owned()),
        ("**/*/".repeat(5_000) + "**", "none".to_owned()),
    ] {
        let segments = |text: &str| -> Vec<String> { text.split('/').map(str::to_owned).collect() };
        let paths = |text: &str| {
            let segments = segments(text);
            let segments: Vec<&str> = segments.iter().map(String::as_str).collect();
            let visits = Account::new(u64::MAX);
            file.matches(NodeId::ROOT, &segments, 1000, &visits).ok()
        };
        let start = std::time::Instant::now();
        assert_eq!(paths(&pattern), paths(&same), "{same}");
        assert!(start.elapsed().as_secs() < 5, "{same}");
    }
}
