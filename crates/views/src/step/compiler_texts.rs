//! The places in the source that the texts of a compiler state: MLIR (`.ttir`, `.ttgir` of Triton) by
//! `loc(…)`, LLVM IR (`.ll`, `.llir`) by `!dbg`.
//!
//! Sources: MLIR, *Builtin Dialect, Location Attributes*; LLVM Language Reference, *DILocation*.

use foldhash::HashMap;

use super::StepKind;

/// A place: path of the file, and one-based line.
pub(super) type Place = (String, u32);

/// Maximum depth of locations within locations, of calls around an inlined instruction, and of scopes.
const DEPTH: u32 = 32;

/// Maximum number of places of a line: more are the calls around deep inlining.
const PLACES: usize = 32;

/// Returns what the text of a file is, by its extension.
pub(super) fn kind_of(path: &str) -> Option<StepKind> {
    let (_, extension) = path.rsplit_once('.')?;
    match extension {
        "ttir" => Some(StepKind::Ttir),
        "ttgir" => Some(StepKind::Ttgir),
        "llir" | "ll" => Some(StepKind::Llvm),
        _ => None,
    }
}

/// Whether a text defines a function with the name of a kernel.
pub(super) fn has_function(text: &[String], kernel: &str) -> bool {
    let symbols = [format!("@{kernel}("), format!("@\"{kernel}\"(")];
    text.iter().any(|line| {
        let start = line.trim_start();
        let is_function = start.starts_with("define ") || start.contains("func ");
        is_function && symbols.iter().any(|symbol| line.contains(symbol))
    })
}

/// Returns the places of each line: its own first, then the calls around it.
pub(super) fn places(kind: StepKind, text: &[String]) -> Vec<Vec<Place>> {
    match kind {
        StepKind::Llvm => {
            let metadata = Metadata::new(text);
            let of = |line: &String| metadata.of_line(line);
            text.iter().map(of).collect()
        }
        _ => {
            let locations = Locations::new(text);
            let of = |line: &String| locations.of_line(line);
            text.iter().map(of).collect()
        }
    }
}

/// The named locations of an MLIR module.
struct Locations<'t> {
    named: HashMap<&'t str, &'t str>,
}

impl<'t> Locations<'t> {
    fn new(text: &'t [String]) -> Locations<'t> {
        let named = text.iter().filter_map(|line| {
            let (name, value) = line.strip_prefix('#')?.split_once(" = ")?;
            value.starts_with("loc(").then_some((name, value))
        });
        Locations {
            named: named.collect(),
        }
    }

    /// Returns the places of the location at the end of a line.
    fn of_line(&self, line: &str) -> Vec<Place> {
        let mut found = Vec::new();
        if line.starts_with('#') {
            return found;
        }
        if let Some(at) = line.rfind(" loc(") {
            self.collect(line.get(at..).unwrap_or_default(), 0, &mut found);
        }
        found
    }

    fn collect(&self, location: &str, depth: u32, found: &mut Vec<Place>) {
        if depth > DEPTH || found.len() >= PLACES {
            return;
        }
        let location = location.trim();
        if let Some(name) = location.strip_prefix('#') {
            let end = name.find(|c: char| !c.is_ascii_alphanumeric() && c != '_');
            let name = name.get(..end.unwrap_or(name.len())).unwrap_or_default();
            if let Some(value) = self.named.get(name) {
                self.collect(value, depth + 1, found);
            }
        } else if let Some(within) = inside(location, "loc(", ')') {
            self.collect(within, depth + 1, found);
        } else if let Some(within) = inside(location, "callsite(", ')') {
            let mut parts = split(within, " at ").into_iter();
            for part in parts.by_ref().take(2) {
                self.collect(part, depth + 1, found);
            }
        } else if location.starts_with("fused") {
            let list = location.find('[').and_then(|at| location.get(at..));
            let list = list.and_then(|list| inside(list, "[", ']'));
            // One operation was made of several: the first place that is known stands for them.
            for part in split(list.unwrap_or_default(), ",") {
                let before = found.len();
                self.collect(part, depth + 1, found);
                if found.len() > before {
                    break;
                }
            }
        } else if location.starts_with('"')
            && let Some((text, rest)) = quoted(location)
        {
            if let Some(numbers) = rest.strip_prefix(':') {
                found.extend(number(numbers).map(|line| (text, line)));
            } else {
                // The name of a value, and where it is.
                let within = inside(rest, "(", ')').unwrap_or_default();
                self.collect(within, depth + 1, found);
            }
        }
    }
}

/// Reads text in quotation marks. Returns it, and what follows.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut found = String::new();
    let mut characters = text.strip_prefix('"')?.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '"' => return Some((found, text.get(at.saturating_add(2)..).unwrap_or_default())),
            '\\' => found.extend(characters.next().map(|(_, escaped)| escaped)),
            _ => found.push(character),
        }
    }
    None
}

/// Reads the number at the start.
fn number(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    let number = text.get(..end.unwrap_or(text.len()))?.parse().ok()?;
    // Line 0 is none.
    (number > 0).then_some(number)
}

/// Returns the text between `start`, at the beginning, and the bracket that closes it.
fn inside<'t>(text: &'t str, start: &str, close: char) -> Option<&'t str> {
    let within = text.strip_prefix(start)?;
    let mut end = None;
    walk(within, |at, character, depth| {
        let is_end = depth == 0 && character == close;
        if is_end {
            end = Some(at);
        }
        !is_end
    });
    within.get(..end?)
}

/// Splits at a separator that is not in brackets or quotation marks.
fn split<'t>(text: &'t str, separator: &str) -> Vec<&'t str> {
    let mut parts = Vec::new();
    let mut start = 0;
    walk(text, |at, _, depth| {
        let rest = text.get(at..).unwrap_or_default();
        if depth == 0 && at >= start && rest.starts_with(separator) {
            parts.extend(text.get(start..at));
            start = at.saturating_add(separator.len());
        }
        true
    });
    parts.extend(text.get(start..));
    parts
}

/// Calls `each` for the characters outside of quotation marks, with their places and the number of open
/// brackets before them, until it returns false.
fn walk(text: &str, mut each: impl FnMut(usize, char, u32) -> bool) {
    let mut depth = 0_u32;
    let mut is_quoted = false;
    let mut is_escaped = false;
    for (at, character) in text.char_indices() {
        if is_quoted {
            is_quoted = is_escaped || character != '"';
            is_escaped = !is_escaped && character == '\\';
            continue;
        }
        if !each(at, character, depth) {
            return;
        }
        match character {
            '"' => is_quoted = true,
            '(' | '[' | '<' | '{' => depth = depth.saturating_add(1),
            ')' | ']' | '>' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
}

/// The debug metadata of LLVM IR.
struct Metadata<'t> {
    nodes: HashMap<u32, &'t str>,
}

impl<'t> Metadata<'t> {
    fn new(text: &'t [String]) -> Metadata<'t> {
        let nodes = text.iter().filter_map(|line| {
            let (id, value) = line.strip_prefix('!')?.split_once(" = ")?;
            let value = value.strip_prefix("distinct ").unwrap_or(value);
            value
                .starts_with("!DI")
                .then_some((id.parse().ok()?, value))
        });
        Metadata {
            nodes: nodes.collect(),
        }
    }

    /// Returns the places of an instruction.
    fn of_line(&self, line: &str) -> Vec<Place> {
        let mut found = Vec::new();
        let at = line.rfind("!dbg !").filter(|_| !line.starts_with('!'));
        let reference = at.and_then(|at| line.get(at.saturating_add(6)..));
        let mut next = reference.and_then(number_or_zero);
        while let Some(id) = next.take()
            && found.len() < PLACES
        {
            let Some(node) = self.node(id, "!DILocation(") else {
                break;
            };
            let place = field(node, "line").and_then(number);
            let file = reference_in(node, "scope").and_then(|scope| self.file(scope));
            found.extend(file.zip(place));
            next = reference_in(node, "inlinedAt");
        }
        found
    }

    fn node(&self, id: u32, start: &str) -> Option<&'t str> {
        self.nodes.get(&id)?.strip_prefix(start)
    }

    /// Returns the path of the file of a scope.
    fn file(&self, scope: u32) -> Option<String> {
        let mut next = Some(scope);
        for _ in 0..DEPTH {
            let id = next?;
            if let Some(file) = self.node(id, "!DIFile(") {
                let text = |name| {
                    let value = field(file, name)?;
                    Some(quoted(value)?.0)
                };
                let name = text("filename")?;
                let folder = text("directory").filter(|_| !name.starts_with('/'));
                return Some(super::path_of(&folder.unwrap_or_default(), &name));
            }
            let node = self.nodes.get(&id)?;
            next = reference_in(node, "file").or_else(|| reference_in(node, "scope"));
        }
        None
    }
}

/// Returns the text behind the name of a field.
fn field<'t>(node: &'t str, name: &str) -> Option<&'t str> {
    let within =
        node.split_once('(').map_or(
            node,
            |(start, within)| {
                if start.starts_with('!') { within } else { node }
            },
        );
    let parts = split(within, ",").into_iter();
    let mut values = parts.filter_map(|part| {
        let value = part.trim_start().strip_prefix(name)?;
        value.strip_prefix(": ")
    });
    values.next()
}

/// Returns the number of the node that a field refers to.
fn reference_in(node: &str, name: &str) -> Option<u32> {
    number_or_zero(field(node, name)?.strip_prefix('!')?)
}

fn number_or_zero(text: &str) -> Option<u32> {
    let end = text.find(|c: char| !c.is_ascii_digit());
    text.get(..end.unwrap_or(text.len()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<String> {
        text.lines().map(str::to_owned).collect()
    }

    #[test]
    fn locations_of_mlir_are_read() {
        let text = lines(concat!(
            "#loc = loc(\"/k/add (2).py\":7:0)\n",
            "#loc1 = loc(unknown)\n",
            "module {\n",
            "  tt.func public @add(%x: i32 loc(\"/k/add (2).py\":7:0)) {\n",
            "    %0 = tt.get_program_id x : i32 loc(#loc8)\n",
            "    %1 = arith.muli %0, %c : i32 loc(#loc5)\n",
            "    %2 = tt.load %p : f32 loc(#loc6)\n",
            "    %3 = arith.addi %0, %c : i32 loc(#loc1)\n",
            "    %4 = tt.dot %a, %b : f32 loc(fused<{a = \"],\"}>[unknown, #loc2])\n",
            "    tt.return loc(#loc99)\n",
            "  } loc(#loc)\n",
            "} loc(#loc)\n",
            "#loc2 = loc(\"/k/add (2).py\":16:24)\n",
            "#loc3 = loc(\"/k/lib.py\":3:4)\n",
            "#loc5 = loc(callsite(#loc3 at #loc2))\n",
            "#loc6 = loc(callsite(#loc5 at \"x \\\" at\"(\"/k/add (2).py\":20:1)))\n",
            "#loc8 = loc(\"pid\"(#loc2))\n",
            "#loc9 = loc(#loc9)\n",
        ));
        let found = places(StepKind::Ttir, &text);
        let add = |line| ("/k/add (2).py".to_owned(), line);
        let lib = ("/k/lib.py".to_owned(), 3);
        assert_eq!(found[3], [add(7)]);
        assert_eq!(found[4], [add(16)]);
        assert_eq!(found[5], [lib.clone(), add(16)]);
        assert_eq!(found[6], [lib, add(16), add(20)]);
        assert_eq!(found[7], []);
        assert_eq!(found[8], [add(16)]);
        assert_eq!(found[9], []);
        assert_eq!(found[10], [add(7)]);
        assert_eq!(found[12], [], "a definition is no operation");
        assert!(has_function(&text, "add") && !has_function(&text, "ad"));
    }

    #[test]
    fn locations_within_themselves_end() {
        let text = lines("#a = loc(callsite(#a at #a))\nx loc(#a)\ny loc(\"\ny loc(callsite(");
        assert_eq!(places(StepKind::Ttgir, &text), vec![Vec::<Place>::new(); 4]);
    }

    #[test]
    fn locations_of_llvm_are_read() {
        let text = lines(concat!(
            "define spir_kernel void @add(ptr %0) !dbg !4 {\n",
            "  %2 = call i64 @g(), !dbg !7\n",
            "  %3 = add i64 %2, 1, !dbg !8\n",
            "  ret void, !dbg !9\n",
            "}\n",
            "!1 = !DIFile(filename: \"add, one.py\", directory: \"/k\")\n",
            "!2 = !DIFile(filename: \"/lib/lib.py\", directory: \"/k\")\n",
            "!4 = distinct !DISubprogram(name: \"add\", scope: !1, file: !1, line: 7, unit: !0)\n",
            "!5 = distinct !DISubprogram(name: \"f\", scope: !2, file: !2, line: 1)\n",
            "!6 = !DILexicalBlock(scope: !4, line: 8)\n",
            "!7 = !DILocation(line: 16, column: 24, scope: !6)\n",
            "!8 = distinct !DILocation(line: 3, column: 4, scope: !5, inlinedAt: !7)\n",
            "!9 = !DILocation(line: 0, scope: !4)\n",
        ));
        let found = places(StepKind::Llvm, &text);
        let add = |line| ("/k/add, one.py".to_owned(), line);
        assert_eq!(found[0], [], "not an instruction");
        assert_eq!(found[1], [add(16)]);
        assert_eq!(found[2], [("/lib/lib.py".to_owned(), 3), add(16)]);
        assert_eq!(found[3], []);
        assert_eq!(found[5], []);
        assert!(has_function(&text, "add"));
    }
}
