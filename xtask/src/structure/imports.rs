//! Imports of Rust files, extracted from their tokens.

use std::collections::{BTreeMap, BTreeSet};

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};

use crate::shell::Outcome;

/// An import of one file from another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Import {
    /// The file that imports.
    pub from: String,
    /// The file that defines the imported name.
    pub to: String,
    /// The imported name.
    pub name: String,
}

/// Path of a module, starting with its crate.
type Module = Vec<String>;

/// Name of the library in its binaries.
const LIBRARY: &str = "zeview";

/// Returns the imports between files, excluding tests.
pub fn of(files: &BTreeMap<String, String>) -> Outcome<Vec<Import>> {
    let sources = files.iter().filter(|(path, _)| is_source(path));
    let mut modules: BTreeMap<Module, &str> = BTreeMap::new();
    for (path, _) in sources.clone() {
        modules.insert(module(path), path);
    }
    let mut scans = Vec::new();
    for (path, text) in sources {
        let tokens: TokenStream = text
            .parse()
            .map_err(|error| format!("src/{path}: not Rust: {error}"))?;
        let mut scan = Scan {
            modules: &modules,
            root: module(path)[..1].to_vec(),
            paths: Vec::new(),
            exports: Vec::new(),
            macros: Vec::new(),
        };
        scan.read(tokens, &module(path));
        scans.push((path, scan));
    }
    let mut exports: BTreeMap<(Module, String), Module> = BTreeMap::new();
    for (path, scan) in &scans {
        for (name, target) in &scan.exports {
            exports.insert((module(path), name.clone()), target.clone());
        }
        for name in &scan.macros {
            exports.insert((scan.root.clone(), name.clone()), module(path));
        }
    }
    let mut imports = BTreeSet::new();
    for (path, scan) in &scans {
        for target in &scan.paths {
            let Some((to, name)) = defined(target, &modules, &exports) else {
                continue;
            };
            // The root of a crate only declares modules.
            if to != *path && to != "lib.rs" {
                imports.insert(Import {
                    from: (*path).to_owned(),
                    to: to.to_owned(),
                    name,
                });
            }
        }
    }
    Ok(imports.into_iter().collect())
}

/// Returns whether a file is Rust source and not a test.
fn is_source(path: &str) -> bool {
    let mut parts = path.trim_end_matches(".rs").split('/');
    path.ends_with(".rs") && parts.all(|part| part != "tests")
}

/// Returns the module of a file: `["zeview", "model", "node"]`.
fn module(path: &str) -> Module {
    let path = path.trim_end_matches(".rs");
    let mut parts: Module = path.split('/').map(str::to_owned).collect();
    if parts.first().is_some_and(|first| first == "bin") && parts.len() > 1 {
        // Each binary is a crate.
        parts.remove(0);
        parts[0].insert_str(0, "bin/");
        if parts.len() == 2 && parts[1] == "main" {
            parts.pop();
        }
    } else {
        if parts == ["lib"] {
            parts.clear();
        }
        parts.insert(0, LIBRARY.to_owned());
    }
    if parts.last().is_some_and(|last| last == "mod") {
        parts.pop();
    }
    parts
}

/// Returns the file that defines the target of a path, and the name. Follows re-exports.
fn defined<'a>(
    path: &[String],
    modules: &BTreeMap<Module, &'a str>,
    exports: &BTreeMap<(Module, String), Module>,
) -> Option<(&'a str, String)> {
    let mut path = path.to_vec();
    // Bounded, as re-exports may form a cycle.
    for _ in 0..16 {
        let len = (1..=path.len())
            .rev()
            .find(|len| modules.contains_key(&path[..*len]))?;
        let (inner, rest) = path.split_at(len);
        let name = rest.first().map_or("*", String::as_str);
        let key = (inner.to_vec(), name.to_owned());
        match exports.get(&key) {
            Some(target) if !rest.is_empty() => {
                let mut next = target.clone();
                next.extend_from_slice(&rest[1..]);
                path = next;
            }
            _ => return Some((modules[inner], name.to_owned())),
        }
    }
    None
}

/// Information extracted from a file's tokens.
struct Scan<'a> {
    modules: &'a BTreeMap<Module, &'a str>,
    /// The crate.
    root: Module,
    /// Imported paths, absolute.
    paths: Vec<Module>,
    /// Names re-exported by the file's module, with their targets.
    exports: Vec<(String, Module)>,
    /// Macros exported at the root of the crate.
    macros: Vec<String>,
}

impl Scan<'_> {
    /// Reads the tokens of a module.
    fn read(&mut self, tokens: TokenStream, here: &Module) {
        let tokens: Vec<TokenTree> = tokens.into_iter().collect();
        let mut at = 0;
        let mut is_exported = false;
        while let Some(token) = tokens.get(at) {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '#' => {
                    let attribute = tokens.get(at + 1).map(ToString::to_string);
                    let attribute = attribute.unwrap_or_default().replace([' ', '\n'], "");
                    if attribute == "[cfg(test)]" {
                        at = after_item(&tokens, at + 2);
                        continue;
                    }
                    is_exported |= attribute.starts_with("[macro_export");
                    at += 2;
                }
                TokenTree::Ident(ident) if ident == "pub" => {
                    at += 1;
                    // `pub(in crate::decode)` is not an import.
                    if matches!(tokens.get(at), Some(TokenTree::Group(group)) if is_scope(group)) {
                        at += 1;
                    }
                }
                TokenTree::Ident(ident) if ident == "macro_rules" => {
                    if let (true, Some(name)) = (is_exported, tokens.get(at + 2)) {
                        self.macros.push(name.to_string());
                    }
                    is_exported = false;
                    at += 1;
                }
                TokenTree::Ident(ident) if ident == "use" => {
                    let is_pub = is_public(&tokens[..at]);
                    at = self.read_use(&tokens, at + 1, here, is_pub);
                }
                TokenTree::Ident(ident) if ident == "mod" => {
                    let name = tokens.get(at + 1).map(ToString::to_string);
                    if let (Some(name), Some(TokenTree::Group(group))) = (name, tokens.get(at + 2))
                    {
                        let mut inner = here.clone();
                        inner.push(name);
                        self.read(group.stream(), &inner);
                        at += 3;
                    } else {
                        at += 1;
                    }
                }
                TokenTree::Ident(_) => {
                    let is_path = !is_separator(&tokens[..at]) && is_colons(&tokens, at + 1);
                    if is_path {
                        at = self.read_path(&tokens, at, here)
                    } else {
                        at += 1
                    }
                }
                TokenTree::Group(group) => {
                    self.read(group.stream(), here);
                    at += 1;
                }
                _ => at += 1,
            }
        }
    }

    /// Reads a path that starts with a keyword or the library's name. Returns its end.
    fn read_path(&mut self, tokens: &[TokenTree], start: usize, here: &Module) -> usize {
        let mut segments = Vec::new();
        let mut at = start;
        while let Some(TokenTree::Ident(ident)) = tokens.get(at) {
            segments.push(ident.to_string());
            if !is_colons(tokens, at + 1) {
                at += 1;
                break;
            }
            at += 3;
        }
        if let Some(path) = self.resolve(&segments, here, false) {
            self.paths.push(path);
        }
        at.max(start + 1)
    }

    /// Reads the rest of a `use` item. Returns its end.
    fn read_use(
        &mut self,
        tokens: &[TokenTree],
        start: usize,
        here: &Module,
        is_pub: bool,
    ) -> usize {
        let is_end = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ';');
        let len = tokens[start..].iter().position(is_end);
        let end = start + len.unwrap_or(tokens.len() - start);
        let mut leaves = Vec::new();
        read_tree(&tokens[start..end], &[], &mut leaves);
        for (segments, name) in leaves {
            let Some(path) = self.resolve(&segments, here, true) else {
                continue;
            };
            // Importers of the name depend on its definition. A facade imports nothing itself.
            let is_facade = is_pub && path.len() > here.len() && path.starts_with(here);
            if let Some(name) = name {
                self.exports.push((name, path.clone()));
            }
            if !is_facade {
                self.paths.push(path);
            }
        }
        end
    }

    /// Resolves a path from the root of its crate. Returns `None` for other crates.
    fn resolve(&self, segments: &[String], here: &Module, is_use: bool) -> Option<Module> {
        let first = segments.first()?;
        let mut path = match first.as_str() {
            "crate" => self.root.clone(),
            "self" | "super" => here.clone(),
            LIBRARY => vec![LIBRARY.to_owned()],
            _ => {
                // A child module.
                let mut path = here.clone();
                path.push(first.clone());
                if !is_use && !self.modules.contains_key(&path) {
                    return None;
                }
                path.pop();
                path
            }
        };
        for segment in segments {
            match segment.as_str() {
                "super" => {
                    path.pop();
                }
                "crate" | "self" => {}
                name if name == LIBRARY && path.len() == 1 => {}
                name => path.push(name.to_owned()),
            }
        }
        let is_known = first != LIBRARY || path.len() > 1;
        let len = (1..=path.len()).rev();
        let known = len.map(|len| &path[..len]);
        let mut known = known.filter(|path| self.modules.contains_key(*path));
        (is_known && known.next().is_some() && !path.is_empty()).then_some(path)
    }
}

/// Returns the leaves of a use tree: each path with its local name.
fn read_tree(
    tokens: &[TokenTree],
    prefix: &[String],
    leaves: &mut Vec<(Vec<String>, Option<String>)>,
) {
    let is_comma = |token: &TokenTree| matches!(token, TokenTree::Punct(p) if p.as_char() == ',');
    for tree in tokens.split(is_comma).filter(|tree| !tree.is_empty()) {
        let mut path = prefix.to_vec();
        let mut alias = None;
        let mut is_alias = false;
        let mut is_group = false;
        for token in tree {
            match token {
                TokenTree::Ident(ident) if ident == "as" => is_alias = true,
                TokenTree::Ident(ident) if is_alias => alias = Some(ident.to_string()),
                TokenTree::Ident(ident) if ident == "self" && !path.is_empty() => {}
                TokenTree::Ident(ident) => path.push(ident.to_string()),
                TokenTree::Group(group) if group.delimiter() == Delimiter::Brace => {
                    let inner: Vec<TokenTree> = group.stream().into_iter().collect();
                    read_tree(&inner, &path, leaves);
                    is_group = true;
                }
                _ => {}
            }
        }
        if !is_group {
            let is_glob = tree.last().is_some_and(|token| token.to_string() == "*");
            let name = alias.or_else(|| path.last().cloned());
            leaves.push((path, name.filter(|_| !is_glob)));
        }
    }
}

/// Returns whether `::` is at this index.
fn is_colons(tokens: &[TokenTree], at: usize) -> bool {
    let is_colon =
        |at: usize| matches!(tokens.get(at), Some(TokenTree::Punct(p)) if p.as_char() == ':');
    is_colon(at) && is_colon(at + 1)
}

/// Returns whether the tokens end with `::`.
fn is_separator(before: &[TokenTree]) -> bool {
    before.len() >= 2 && is_colons(before, before.len() - 2)
}

/// Returns whether the tokens end with `pub` or `pub(…)`.
fn is_public(before: &[TokenTree]) -> bool {
    let is_pub = |token: &TokenTree| matches!(token, TokenTree::Ident(ident) if ident == "pub");
    match before {
        [.., token, TokenTree::Group(group)] if group.delimiter() == Delimiter::Parenthesis => {
            is_pub(token)
        }
        [.., token] => is_pub(token),
        [] => false,
    }
}

/// Returns whether the group is the scope of a visibility: `(crate)`, `(super)`, `(in …)`.
fn is_scope(group: &Group) -> bool {
    let first = group
        .stream()
        .into_iter()
        .next()
        .map(|token| token.to_string());
    let is_word = matches!(first.as_deref(), Some("crate" | "super" | "self"));
    let is_alone = group.stream().into_iter().count() == 1;
    group.delimiter() == Delimiter::Parenthesis
        && (first.as_deref() == Some("in") || is_word && is_alone)
}

/// Returns the index after the item that starts here: after its body or semicolon.
fn after_item(tokens: &[TokenTree], start: usize) -> usize {
    let ends = |token: &TokenTree| match token {
        TokenTree::Group(group) => group.delimiter() == Delimiter::Brace,
        TokenTree::Punct(punct) => punct.as_char() == ';',
        _ => false,
    };
    // The braces of `use` come before its semicolon.
    let is_use = tokens[start.min(tokens.len())..]
        .iter()
        .take(3)
        .any(|token| matches!(token, TokenTree::Ident(ident) if ident == "use"));
    let mut at = start;
    while let Some(token) = tokens.get(at) {
        at += 1;
        let is_brace = matches!(token, TokenTree::Group(_));
        if ends(token) && !(is_use && is_brace) {
            break;
        }
    }
    at
}
