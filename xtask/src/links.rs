//! Checks that the links of generated pages resolve, without using the network.

use crate::dist;
use crate::shell::Outcome;
use std::collections::{HashMap, HashSet};
use std::path::{Component, Path, PathBuf};

/// Checks every relative address in the HTML files under `site`, a folder in `root`: the file must
/// exist under `root`, and a fragment must be an `id` in it. The same applies to the files that an
/// address passes to the page (`?url=`, `?a=`, `?b=`). Returns the number of addresses checked.
///
/// # Errors
///
/// Lists every broken address with the page that has it.
pub fn check(root: &Path, site: &Path) -> Outcome<usize> {
    let mut pages = HashMap::new();
    for name in dist::files(site)? {
        if name
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let path = site.join(&name);
            let bytes = dist::read(&path)?;
            pages.insert(path, String::from_utf8_lossy(&bytes).into_owned());
        }
    }
    let ids: HashMap<&Path, HashSet<String>> = pages
        .iter()
        .map(|(path, html)| (path.as_path(), attributes(html, "id").collect()))
        .collect();

    let mut count = 0;
    let mut broken = Vec::new();
    for (page, html) in &pages {
        let addresses = attributes(html, "href").chain(attributes(html, "src"));
        for address in addresses.filter(|address| !is_external(address)) {
            count += 1;
            if let Err(reason) = follow(root, page, &address, &ids) {
                let page = page.strip_prefix(root).unwrap_or(page).display();
                broken.push(format!("{page}: \"{address}\" {reason}"));
            }
        }
    }
    if broken.is_empty() {
        return Ok(count);
    }
    broken.sort();
    broken.dedup();
    Err(format!("broken links:\n  {}", broken.join("\n  ")))
}

fn follow(
    root: &Path,
    page: &Path,
    address: &str,
    ids: &HashMap<&Path, HashSet<String>>,
) -> Outcome {
    let (rest, fragment) = address.split_once('#').unwrap_or((address, ""));
    let (path, query) = rest.split_once('?').unwrap_or((rest, ""));
    let target = if path.is_empty() {
        page.to_owned()
    } else {
        existing(root, page, path)?
    };
    for (key, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
        if matches!(key, "url" | "a" | "b") {
            existing(root, &target, value)?;
        }
    }
    match ids.get(target.as_path()) {
        Some(ids) if !fragment.is_empty() && !ids.contains(fragment) => {
            Err(format!("has no target #{fragment}"))
        }
        _ => Ok(()),
    }
}

/// Returns the file that a relative path refers to from a page.
fn existing(root: &Path, page: &Path, path: &str) -> Outcome<PathBuf> {
    if path.starts_with('/') {
        return Err("works only at the root of a host".to_owned());
    }
    let mut target = page.parent().unwrap_or(root).to_owned();
    for part in Path::new(path).components() {
        match part {
            Component::ParentDir => drop(target.pop()),
            Component::Normal(name) => target.push(name),
            _ => {}
        }
    }
    if target.is_dir() {
        target.push("index.html");
    }
    if !target.starts_with(root) {
        return Err("leads out of the release".to_owned());
    }
    if !target.is_file() {
        return Err("leads to no file".to_owned());
    }
    Ok(target)
}

/// Returns whether an address has a scheme or names a host. The check makes no requests.
fn is_external(address: &str) -> bool {
    let scheme = address.split([':', '/', '?', '#']).next().unwrap_or("");
    address.starts_with("//") || address[scheme.len()..].starts_with(':')
}

/// Returns the values of an attribute in the tags of generated HTML, where values are always in
/// double quotes. Text between tags has `&lt;` for `<`, so code that shows a tag is not matched.
fn attributes<'h>(html: &'h str, name: &str) -> impl Iterator<Item = String> + use<'h> {
    let start = format!(" {name}=\"");
    let tags = html.split('<').skip(1);
    tags.filter_map(move |tag| {
        let (tag, _) = tag.split_once('>')?;
        let (_, after) = tag.split_once(&start)?;
        let (value, _) = after.split_once('"')?;
        Some(value.replace("&amp;", "&"))
    })
}

#[cfg(test)]
mod tests {
    use super::{attributes, check, is_external};
    use crate::dist::write;

    #[test]
    fn attributes_are_found_and_unescaped() {
        let html = r#"<a class="x" href="a?b=1&amp;c=2">&lt;a href="no"></a> <a href="d">"#;
        let found: Vec<_> = attributes(html, "href").collect();
        assert_eq!(found, ["a?b=1&c=2", "d"]);
    }

    #[test]
    fn schemes_and_hosts_are_external() {
        for address in ["https://example.org/", "mailto:x@example.org", "//host/"] {
            assert!(is_external(address), "{address}");
        }
        for address in ["a.html", "../?url=https://example.org/", "#a:b"] {
            assert!(!is_external(address), "{address}");
        }
    }

    #[test]
    fn broken_links_are_listed() {
        let root = std::env::temp_dir().join(format!("zeview-links-{}", std::process::id()));
        let site = root.join("docs");
        let page = |html: &str| write(&site.join("a.html"), html.as_bytes()).unwrap();
        write(&root.join("index.html"), b"<p>").unwrap();
        write(&root.join("samples/a.zebin"), b"").unwrap();
        write(&site.join("b.html"), br#"<p id="there">"#).unwrap();

        page(
            r##"<a href="b.html#there"><a href="#own" id="own"><a href="../?url=samples/a.zebin#k=x">"##,
        );
        assert_eq!(check(&root, &site), Ok(3));
        for address in [
            "c.html",
            "b.html#missing",
            "#missing",
            "../?url=samples/b.zebin",
            "../../x",
            "/index.html",
        ] {
            page(&format!("<a href=\"{address}\">"));
            let error = check(&root, &site).unwrap_err();
            assert!(error.contains(address), "{error}");
        }
        std::fs::remove_dir_all(&root).unwrap();
    }
}
