//! Links the words of the glossary in the pages of the documentation.
//!
//! Each page gets a link at the first use of each word, so no page needs links in its source, and
//! none goes stale. The words are the terms of `docs/src/glossary.md` that are not in italics, and what is bold in their
//! definitions.

use crate::dist;
use crate::shell::Outcome;
use std::path::Path;

/// The page with the words, in the folder of the site.
const GLOSSARY: &str = "glossary.html";

/// Elements whose text is not linked: headings, links, code, and what is no text.
const CLOSED: [&str; 15] = [
    "a",
    "code",
    "pre",
    "h1",
    "h2",
    "h3",
    "h4",
    "th",
    "dt",
    "title",
    "script",
    "style",
    "svg",
    "nav",
    "zeview-embed",
];

/// A word and the id of its entry.
struct Word {
    text: String,
    id: String,
}

/// Links the words in all pages below a folder. Returns the number of links.
///
/// # Errors
///
/// If a page cannot be read or written, or the glossary has no words.
pub fn link(site: &Path) -> Outcome<usize> {
    let read = |name: &Path| {
        dist::read(&site.join(name)).map(|bytes| String::from_utf8_lossy(&bytes).into_owned())
    };
    let words = words(&read(Path::new(GLOSSARY))?);
    if words.is_empty() {
        return Err(format!("{GLOSSARY} has no words"));
    }
    let mut count = 0;
    for name in dist::files(site)? {
        let is_page = name
            .extension()
            .is_some_and(|extension| extension == "html");
        // Lists of options and devices are looked up, not read.
        let text = name.to_string_lossy().replace('\\', "/");
        if !is_page
            || matches!(
                &*text,
                GLOSSARY
                    | "toc.html"
                    | "404.html"
                    | "changelog.html"
                    | "reference/commands.html"
                    | "reference/devices.html"
            )
        {
            continue;
        }
        let up = "../".repeat(name.components().count() - 1);
        let (page, links) = linked(&read(&name)?, &words, &format!("{up}{GLOSSARY}"));
        if links > 0 {
            dist::write(&site.join(&name), page.as_bytes())?;
        }
        count += links;
    }
    Ok(count)
}

/// Returns the words of the glossary, longer ones first.
fn words(glossary: &str) -> Vec<Word> {
    let mut words = Vec::new();
    for entry in glossary.split("<dt id=\"").skip(1) {
        let Some((id, rest)) = entry.split_once('"') else {
            continue;
        };
        let (term, definition) = rest.split_once("</dt>").unwrap_or((rest, ""));
        let definition = definition.split("</dd>").next().unwrap_or_default();
        let bold = definition.split("<strong>").skip(1);
        let others = bold.filter_map(|text| Some(text.split_once("</strong>")?.0));
        let term = term.rsplit_once("\">").map_or(term, |(_, text)| text);
        let term = term.trim_end_matches("</a>");
        // A term in italics has other meanings in other contexts.
        let term = (!term.starts_with('<')).then_some(term);
        for text in term.into_iter().chain(others) {
            words.push(Word {
                text: text.to_owned(),
                id: id.to_owned(),
            });
        }
    }
    words.sort_by_key(|word| std::cmp::Reverse(word.text.len()));
    words
}

/// Returns a page with a link at the first use of each entry in its main part, and their number.
fn linked(page: &str, words: &[Word], glossary: &str) -> (String, usize) {
    let Some((head, main)) = page.split_once("<main>") else {
        return (page.to_owned(), 0);
    };
    let (main, foot) = main.split_once("</main>").unwrap_or((main, ""));
    let mut out = format!("{head}<main>");
    let mut open: Vec<&str> = Vec::new();
    let mut done: Vec<&str> = Vec::new();
    let mut rest = main;
    while !rest.is_empty() {
        let (text, tag) = rest.split_at(rest.find('<').unwrap_or(rest.len()));
        if open.is_empty() {
            link_text(text, words, glossary, &mut done, &mut out);
        } else {
            out.push_str(text);
        }
        let end = tag.find('>').map_or(tag.len(), |end| end + 1);
        let (tag, after) = tag.split_at(end);
        out.push_str(tag);
        rest = after;
        let inner = tag.trim_start_matches('<');
        let name_end = inner.trim_start_matches('/').find([' ', '>', '/', '\n']);
        let name = inner.trim_start_matches('/');
        let name = name_end.map_or(name, |end| &name[..end]);
        if let Some(&known) = CLOSED.iter().find(|closed| **closed == name) {
            if inner.starts_with('/') {
                if let Some(at) = open.iter().rposition(|open| *open == known) {
                    open.truncate(at);
                }
            } else if !tag.ends_with("/>") {
                open.push(known);
            }
        }
    }
    out.push_str("</main>");
    out.push_str(foot);
    (out, done.len())
}

/// Appends a text with links at its words, except for entries that have one already.
fn link_text<'w>(
    text: &str,
    words: &'w [Word],
    glossary: &str,
    done: &mut Vec<&'w str>,
    out: &mut String,
) {
    let mut rest = text;
    loop {
        let found = words
            .iter()
            .filter(|word| !done.contains(&&*word.id))
            .filter_map(|word| Some((find(rest, &word.text)?, word)))
            // The first one; of those at the same place, the longest.
            .min_by_key(|((start, end), _)| (*start, std::cmp::Reverse(*end)));
        let Some(((start, end), word)) = found else {
            break;
        };
        out.push_str(&rest[..start]);
        let shown = &rest[start..end];
        out.push_str(&format!(
            "<a class=\"term\" href=\"{glossary}#{}\">{shown}</a>",
            word.id
        ));
        done.push(&word.id);
        rest = &rest[end..];
    }
    out.push_str(rest);
}

/// Returns the range of a word in a text, as a whole word, also with an `s` at its end. Its first letter
/// may be a capital or not, unless the word is an abbreviation.
fn find(text: &str, word: &str) -> Option<(usize, usize)> {
    let (mut capital, mut small) = (word.to_owned(), word.to_owned());
    if let Some(first) = capital.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    if word.chars().nth(1).is_some_and(char::is_lowercase)
        && let Some(first) = small.get_mut(..1)
    {
        first.make_ascii_lowercase();
    }
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '$' | '&');
    let variants = [word, &*capital, &*small];
    let starts = variants
        .into_iter()
        .flat_map(|word| text.match_indices(word));
    let whole = starts.filter_map(|(start, found)| {
        let end = start + found.len();
        let before = text[..start].chars().next_back();
        let after = text.get(end..)?;
        let end = if after.starts_with('s') { end + 1 } else { end };
        let mut after = text.get(end..)?.chars();
        let next = after.next();
        // A full stop ends a sentence; within a name it is a part of it.
        let ends = match next {
            Some('.') => !after.next().is_some_and(char::is_alphanumeric),
            Some(c) => !is_part(c),
            None => true,
        };
        (!before.is_some_and(is_part) && ends).then_some((start, end))
    });
    whole.min()
}

#[cfg(test)]
mod tests {
    use super::{find, linked, words};

    const GLOSSARY: &str = r##"<dl><dt id="eu"><a class="header" href="#eu">EU</a></dt>
<dd><strong>Execution unit</strong>: a part of the GPU.</dd>
<dt id="spill"><a class="header" href="#spill">spill</a></dt><dd>A value.</dd>
<dt id="pipe"><a class="header" href="#pipe"><em>pipe</em></a></dt><dd>A unit.</dd>
<dt id="spill-slot"><a class="header" href="#spill-slot">spill slot</a></dt><dd>Memory.</dd></dl>"##;

    #[test]
    fn the_first_use_of_each_word_is_linked() {
        let page = "<main><h1>EU</h1><p>Spills, <code>spill</code> and <a href=\"x\">EU</a>.</p>\
                    <p>A spill slot of an execution unit, a pipe. An EU spills.</p></main>";
        let (page, count) = linked(page, &words(GLOSSARY), "../glossary.html");
        let expected = "<main><h1>EU</h1><p><a class=\"term\" href=\"../glossary.html#spill\">Spills</a>, \
                    <code>spill</code> and <a href=\"x\">EU</a>.</p>\
                    <p>A <a class=\"term\" href=\"../glossary.html#spill-slot\">spill slot</a> of an \
                    <a class=\"term\" href=\"../glossary.html#eu\">execution unit</a>, a pipe. An EU spills.</p></main>";
        assert_eq!((page.as_str(), count), (expected, 3));
    }

    #[test]
    fn only_whole_words_are_found() {
        assert_eq!(find("an EU.", "EU"), Some((3, 5)));
        assert_eq!(find("EUs", "EU"), Some((0, 3)));
        for text in ["NEU", "EU_COUNT", "EU-x", "eu", "x.EU", "EU.count"] {
            assert_eq!(find(text, "EU"), None, "{text}");
        }
        assert_eq!(find("respill spill_size Spills", "spill"), Some((19, 25)));
        assert_eq!(find("a .ze_info.", ".ze_info"), Some((2, 10)));
    }
}
