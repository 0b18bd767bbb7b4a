//! The families of kernels, and the arguments that tell the kernels of a family apart.
//!
//! A family has the kernels with the same name in front of their arguments: the instances of a
//! template, the lambdas of a function. What all of them share is left out.

use foldhash::HashSet;

use super::tree::{Bracket, Hidden, Piece, TreeId, Trees, WordId};
use super::words::Words;
use super::{
    Entry, Form, Groups, NameSet, PLAIN_MAX, ShortNames, WIDTH, cut, number, shorten, simplify,
};
use zeview_core::model::sort;

/// Target width of all arguments of a kernel, in characters: what tables have room for.
const ARGUMENTS: usize = 64;

/// Maximum number of arguments that are listed one by one.
const LISTED: usize = 32;

/// Separates the family from the arguments in texts that must be distinct.
const BEFORE: char = '\n';

/// Returns the number of pieces in front of the arguments of a kernel.
fn head(pieces: &[Piece], trees: &Trees) -> usize {
    let list = pieces
        .iter()
        .position(|piece| matches!(piece, Piece::List(..)));
    let before = pieces.get(..list.unwrap_or(pieces.len()));
    let is_name =
        |piece: &Piece| matches!(piece, Piece::Word(word) if trees.text(*word).trim() != "::");
    let last = before.unwrap_or_default().iter().rposition(is_name);
    last.map_or(0, |last| last + 1)
}

/// Returns the family of a kernel: its name without namespaces, arguments and parameters; of a lambda,
/// the function. Returns `None` if nothing is in front of its arguments.
pub(super) fn family(root: TreeId, trees: &Trees) -> Option<String> {
    let pieces = trees.pieces(root);
    let mut family = String::new();
    let function;
    let head = match (head(&pieces, trees), pieces.first()) {
        (0, Some(Piece::Hidden(Hidden::Qualifier, path))) => {
            function = trees.pieces(*path);
            let colons = function.last().filter(|piece| is_colons(piece, trees));
            function.get(..function.len() - usize::from(colons.is_some()))?
        }
        (head, _) => pieces.get(..head)?,
    };
    for piece in head {
        if let Piece::Word(word) = piece {
            family.push_str(trees.text(*word));
        }
    }
    let family = family.trim();
    (!family.is_empty()).then(|| cut(family, 2 * WIDTH))
}

/// The parts of a name beside its family.
struct Parts {
    /// The innermost namespace or class.
    before: TreeId,
    /// The items of the list behind the family.
    items: Vec<TreeId>,
    /// The pieces behind that list.
    rest: TreeId,
}

/// Splits a name into its parts.
fn parts(root: TreeId, trees: &mut Trees) -> Parts {
    let pieces = trees.pieces(root);
    let (head, behind) = pieces
        .split_at_checked(head(&pieces, trees))
        .unwrap_or_default();
    let mut before = Vec::new();
    for piece in head {
        match piece {
            // Its last segment is visible: several namespaces have such a template.
            Piece::Hidden(Hidden::Qualifier, path) => {
                before.extend(trees.pieces(*path).iter().cloned());
                before.pop_if(|piece| is_colons(piece, trees));
            }
            Piece::Hidden(..) => before.push(piece.clone()),
            _ => {}
        }
    }
    let (items, rest) = match behind {
        [
            Piece::List(Bracket::Angle | Bracket::Round, items),
            rest @ ..,
        ] => (&**items, rest),
        rest => (&[][..], rest),
    };
    let (items, mut rest) = (items.to_vec(), rest.to_vec());
    let is_visible = |piece: &Piece| !matches!(piece, Piece::Hidden(..));
    let first = rest.iter().position(is_visible);
    if let Some(first) = first
        && rest.get(first).is_some_and(|piece| is_colons(piece, trees))
    {
        rest.remove(first);
    }
    Parts {
        before: trees.tree(before),
        items,
        rest: trees.tree(rest),
    }
}

fn is_colons(piece: &Piece, trees: &Trees) -> bool {
    matches!(piece, Piece::Word(word) if trees.text(*word) == "::")
}

/// Hides the types of enumerators: `(Algorithm)1`. `known` has the results so far, by tree.
fn with_numbers(tree: TreeId, trees: &mut Trees, known: &mut Vec<TreeId>) -> TreeId {
    let at = usize::try_from(tree).unwrap_or(usize::MAX);
    match known.get(at) {
        Some(found) if *found != TreeId::MAX => return *found,
        _ => {}
    }
    let before = trees.pieces(tree);
    let mut pieces = Vec::with_capacity(before.len());
    for piece in &*before {
        pieces.push(match piece {
            Piece::List(bracket, items) => {
                let items = items.iter();
                let items = items.map(|item| with_numbers(*item, trees, known));
                Piece::List(*bracket, items.collect())
            }
            piece => piece.clone(),
        });
    }
    if let [cast @ Piece::List(Bracket::Round, _), Piece::Word(word), ..] = &mut pieces[..]
        && simplify::is_number(*word, trees)
    {
        let hidden = trees.tree(vec![cast.clone()]);
        *cast = Piece::Hidden(Hidden::Type, hidden);
    }
    let found = trees.tree(pieces);
    if known.len() <= at {
        known.resize(at.saturating_add(1), TreeId::MAX);
    }
    if let Some(known) = known.get_mut(at) {
        *known = found;
    }
    found
}

/// The names of a family.
struct Family {
    name: String,
    members: Vec<Member>,
    /// The trees of their arguments.
    groups: Groups,
}

/// A name in a family.
struct Member {
    name: String,
    parts: Parts,
    is_rounded: bool,
    /// Its group, and its index in the group; `None` without arguments.
    place: Option<(usize, usize)>,
}

/// Groups the names of a set by family.
fn families(set: NameSet, short: &ShortNames) -> (Vec<Family>, Trees) {
    let NameSet {
        mut trees, names, ..
    } = set;
    let mut members: Vec<(String, String, Form)> = Vec::with_capacity(names.len());
    for (name, form) in names {
        let family = short.family(&name).unwrap_or_default().to_owned();
        members.push((family, name, form));
    }
    sort::by(&mut members, |a, b| (&a.0, &a.1).cmp(&(&b.0, &b.1)));
    let mut families: Vec<Family> = Vec::new();
    let none = trees.tree(Vec::new());
    for (family, name, form) in members {
        let (parts, is_rounded) = match form {
            Form::Tree { root, is_rounded } if self::family(root, &trees).is_some() => {
                (parts(root, &mut trees), is_rounded)
            }
            // Its short name is its family.
            _ => {
                let (before, rest) = (none, none);
                let items = Vec::new();
                (
                    Parts {
                        before,
                        items,
                        rest,
                    },
                    false,
                )
            }
        };
        let member = Member {
            name,
            parts,
            is_rounded,
            place: None,
        };
        match families.last_mut() {
            Some(last) if last.name == family => last.members.push(member),
            _ => families.push(Family {
                name: family,
                members: vec![member],
                groups: Groups::default(),
            }),
        }
    }
    (families, trees)
}

impl Family {
    /// Chooses the arguments: those that differ, or all of them.
    fn choose(&mut self, has_all: bool, trees: &mut Trees, numbers: &mut Vec<TreeId>) {
        let Some(first) = self.members.first().map(|first| &first.parts) else {
            return;
        };
        let members = self.members.iter().map(|member| &member.parts);
        let before = members.clone().map(|member| member.before);
        let before = differing(before, has_all, trees);
        let rest = differing(members.map(|member| member.rest), has_all, trees);
        // What is equal in all names; further items are missing in some of them.
        let mut equal: Vec<Option<TreeId>> = Vec::new();
        if !has_all {
            equal.extend(first.items.iter().copied().map(Some));
        }
        for member in &self.members {
            equal.truncate(member.parts.items.len());
            for (equal, item) in equal.iter_mut().zip(&member.parts.items) {
                *equal = equal.filter(|equal| equal == item);
            }
        }
        let is_mixed = self.members.iter().any(|member| member.is_rounded)
            && (has_all || self.members.iter().any(|member| !member.is_rounded));
        for member in &mut self.members {
            member.is_rounded &= is_mixed;
            let parts = &member.parts;
            let items = parts.items.iter().enumerate();
            let items = items.filter(|(at, _)| !matches!(equal.get(*at), Some(Some(_))));
            let mut chosen: Vec<TreeId> = Vec::new();
            chosen.extend(before.map(|is_hidden| hidden_if(is_hidden, parts.before, trees)));
            chosen.extend(items.map(|(_, item)| *item));
            chosen.extend(rest.map(|is_hidden| hidden_if(is_hidden, parts.rest, trees)));
            let items = chosen.into_iter();
            let items: Vec<TreeId> = items
                .map(|item| with_numbers(item, trees, numbers))
                .collect();
            if !items.is_empty() {
                let mut root = vec![Piece::List(Bracket::Angle, items.into())];
                if member.is_rounded {
                    // A group of its own: its arguments may be equal to those of others.
                    root.push(Piece::Hidden(Hidden::Type, trees.tree(Vec::new())));
                }
                let root = trees.tree(root);
                member.place = Some(self.groups.add(root, member.is_rounded, trees));
            }
        }
    }
}

/// Whether trees differ, or are wanted anyway: whether only hidden parts of them do.
fn differing(
    of: impl Iterator<Item = TreeId> + Clone,
    is_wanted: bool,
    trees: &Trees,
) -> Option<bool> {
    let visible = |tree| {
        let mut words = Vec::new();
        visible(tree, trees, &mut words);
        words
    };
    let distinct: HashSet<TreeId> = of.collect();
    let mut distinct = distinct.into_iter();
    let first = distinct.next()?;
    let mut others = distinct.peekable();
    if others.peek().is_none() && !is_wanted {
        return None;
    }
    let first = visible(first);
    Some(others.all(|other| visible(other) == first))
}

/// Collects the visible pieces of a tree: words, and the brackets of lists.
fn visible(tree: TreeId, trees: &Trees, out: &mut Vec<Result<WordId, Bracket>>) {
    for piece in &*trees.pieces(tree) {
        match piece {
            Piece::Word(word) => out.push(Ok(*word)),
            Piece::Hidden(..) => {}
            Piece::List(bracket, items) => {
                out.push(Err(*bracket));
                for item in &**items {
                    visible(*item, trees, out);
                    out.push(Err(*bracket));
                }
            }
        }
    }
}

/// Hides a tree, if wanted: it is shown for names that nothing else tells apart.
fn hidden_if(is_hidden: bool, tree: TreeId, trees: &mut Trees) -> TreeId {
    if is_hidden {
        trees.tree(vec![Piece::Hidden(Hidden::Type, tree)])
    } else {
        tree
    }
}

/// Provides the arguments of the names of a set: those that differ within a family. `short` has the
/// short names of the set, which may extend others.
pub(super) fn provide(set: NameSet, short: &ShortNames) {
    if set.is_empty() {
        return;
    }
    let (mut families, mut trees) = families(set, short);
    // The names that this set extends, by their families.
    let mut base: HashSet<&str> = HashSet::default();
    let mut taken: Vec<String> = Vec::new();
    let sets = short.base.iter().flat_map(|base| base.sets());
    for known in sets.flat_map(|set| set.names.values()) {
        let family = known.family.as_ref().unwrap_or(&known.text);
        base.insert(family);
        let arguments = known.arguments.get().map_or(&[][..], |found| found);
        taken.push(distinct(family, arguments));
    }
    let mut numbers: Vec<TreeId> = Vec::new();
    for family in &mut families {
        let has_all = base.contains(&*family.name);
        family.choose(has_all, &mut trees, &mut numbers);
    }
    let words = Words::new(trees.words(), &shorten::WORDS);
    let mut entries: Vec<Entry<'_>> = Vec::new();
    for family in &families {
        let texts = family.groups.texts(&trees, &words, ARGUMENTS, false);
        for member in &family.members {
            let mut text = String::new();
            if let Some((group, at)) = member.place
                && let Some(found) = texts.get(group).and_then(|texts| texts.get(at))
            {
                let found = found.strip_prefix('<').unwrap_or(found);
                text = cut(found.strip_suffix('>').unwrap_or(found), PLAIN_MAX);
            }
            if member.is_rounded {
                text.push_str(ROUNDED);
            }
            entries.push(Entry {
                name: &member.name,
                tree: None,
                short: distinct(&family.name, &listed(&text)),
            });
        }
    }
    number(&mut entries, &taken.iter().map(|text| &**text).collect());
    for entry in &entries {
        let text = entry.short.split_once(BEFORE).unwrap_or_default().1;
        if let Some(name) = short.names.get(entry.name) {
            name.arguments.get_or_init(|| listed(text));
        }
    }
}

/// Returns the text that is different for each name.
fn distinct(family: &str, arguments: &[String]) -> String {
    let mut text = arguments.join(", ");
    text.insert(0, BEFORE);
    text.insert_str(0, family);
    text
}

/// The last argument of a kernel that runs over a rounded range.
const ROUNDED: &str = ", [rounded]";

/// Splits a text at the commas outside of brackets.
fn listed(text: &str) -> Vec<String> {
    let mut depth = 0_usize;
    let mut found: Vec<String> = Vec::new();
    let is_end = |c: char| {
        match c {
            '<' | '(' | '[' | '{' => depth += 1,
            '>' | ')' | ']' | '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        c == ',' && depth == 0
    };
    for part in text.split(is_end) {
        let part = part.trim();
        let is_full = found.len() >= LISTED;
        match found.last_mut().filter(|_| is_full) {
            _ if part.is_empty() => {}
            Some(last) => {
                last.push_str(", ");
                last.push_str(part);
            }
            None => found.push(part.to_owned()),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    /// Returns the families and arguments of demangled names.
    fn columns(names: &[&str]) -> Vec<(String, String)> {
        let mangled: Vec<String> = (0..names.len()).map(|at| format!("_Z{at}")).collect();
        let short = ShortNames::new(
            mangled
                .iter()
                .zip(names)
                .map(|(name, text)| (&**name, Some(*text))),
        );
        let mut found = Vec::new();
        for name in &mangled {
            found.push((
                short.family(name).unwrap().to_owned(),
                short.arguments(name).unwrap().join(" | "),
            ));
        }
        found
    }

    fn arguments_of(names: &[&str]) -> Vec<String> {
        columns(names).into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn a_family_is_the_name_before_the_arguments() {
        for (name, family) in [
            ("a::b::Kernel<int, (a::Kind)1>", "Kernel"),
            ("add(int*, int)", "add"),
            ("void at::native::fill<float>(float*)", "fill"),
            (
                "at::native::xpu::copy(at::Tensor const&)::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::{lambda(sycl::_V1::item<1, true>)#2}",
                "copy",
            ),
            (
                "sycl::_V1::detail::RoundedRangeKernel<sycl::_V1::item<1, true>, 1, at::Fill<float> >",
                "Fill",
            ),
            ("main::{lambda(sycl::_V1::id<1>)#1}", "main"),
            ("{lambda()#1}", "{lambda #1}"),
            ("(anonymous namespace)::K<1>", "K"),
            ("K", "K"),
        ] {
            assert_eq!(
                columns(&[name]),
                [(family.to_owned(), String::new())],
                "{name}"
            );
            // It does not depend on the other names.
            let others = [name, "other::K<2>", "x::add(float)", "copy<int>"];
            assert_eq!(columns(&others)[0].0, family, "{name}");
        }
    }

    #[test]
    fn arguments_are_those_that_differ() {
        let names = [
            "itex::Softmax<itex::DirectLoad<Eigen::half>, float, 1, 30, (itex::Algorithm)0>",
            "itex::Softmax<itex::DirectLoad<Eigen::half>, float, 2, 30, (itex::Algorithm)1>",
            "itex::Softmax<itex::MaskLoad<Eigen::half>, float, 1, 30, (itex::Algorithm)1>",
        ];
        assert_eq!(
            arguments_of(&names),
            [
                "DirectLoad<half> | 1 | 0",
                "DirectLoad<half> | 2 | 1",
                "MaskLoad<half> | 1 | 1"
            ]
        );
        // Further arguments differ from none.
        assert_eq!(
            arguments_of(&["K<1, 2>", "K<1>", "K<1, 3, 4>"]),
            ["2", "", "3 | 4"]
        );
        // Types of enumerators, namespaces and parameters return where nothing else differs.
        assert_eq!(arguments_of(&["K<(A)1>", "K<(B)1>"]), ["(A)1", "(B)1"]);
        assert_eq!(
            arguments_of(&["one::K<int, 1>", "two::K<int, 1>", "two::K<int, 2>"]),
            ["one | 1", "two | 1", "two | 2"]
        );
        let lambda = |ty: &str, number: u32| {
            format!(
                "f<{ty}>(int)::{{lambda(sycl::_V1::handler&)#1}}::operator()(sycl::_V1::handler&) const::{{lambda(sycl::_V1::item<1, true>)#{number}}}"
            )
        };
        let [a, b, c] = [lambda("int", 1), lambda("int", 2), lambda("float", 1)];
        assert_eq!(
            arguments_of(&[&a, &b, &c]),
            [
                "int | {lambda #1}",
                "int | {lambda #2}",
                "float | {lambda #1}"
            ]
        );
        let rounded =
            format!("sycl::_V1::detail::RoundedRangeKernel<sycl::_V1::item<1, true>, 1, {a}>");
        assert_eq!(
            arguments_of(&[&a, &c, &rounded]),
            ["int", "float", "int | [rounded]"]
        );
        assert_eq!(arguments_of(&[&a, &rounded]), ["", "[rounded]"]);
    }

    #[test]
    fn names_without_arguments_are_families() {
        let short = ShortNames::new([
            ("gemm_kernel", None),
            ("_Z11gemm_kernelPi", Some("gemm_kernel(int*)")),
            ("_Zbroken", None),
        ]);
        let of = |name: &str| {
            (
                short.family(name).unwrap(),
                short.arguments(name).unwrap().join(" | "),
            )
        };
        assert_eq!(of("gemm_kernel"), ("gemm_kernel", String::new()));
        assert_eq!(of("_Z11gemm_kernelPi"), ("gemm_kernel", "int*".to_owned()));
        assert_eq!(of("_Zbroken"), ("_Zbroken", String::new()));
        assert_eq!(short.family("other"), None);
        assert_eq!(short.arguments("other"), None);
    }

    #[test]
    fn arguments_are_unknown_while_names_may_follow() {
        let mut set = NameSet::default();
        set.add("_Z1", Some("K<1>"));
        let early = Rc::new(set.short_names());
        assert_eq!(
            (early.family("_Z1"), early.arguments("_Z1")),
            (Some("K"), None)
        );
        let more = ShortNames::extending(early, [("_Z2", Some("K<2>"))]);
        assert_eq!(
            (more.family("_Z2"), more.arguments("_Z2")),
            (Some("K"), None)
        );
        set.add("_Z2", Some("K<2>"));
        let all = set.into_short_names();
        assert_eq!(
            all.arguments("_Z1").map(|of| of.join(" ")),
            Some("1".to_owned())
        );
        // Further names are told apart from those that are known, and do not change them.
        let more = ShortNames::extending(
            Rc::new(all),
            [("_Z3", Some("K<3>")), ("_Z4", Some("n::K<2>"))],
        );
        let of = |name: &str| more.arguments(name).unwrap().join(" ");
        assert_eq!([of("_Z1"), of("_Z2"), of("_Z3")], ["1", "2", "3"]);
        assert_ne!(of("_Z4"), of("_Z2"));
    }

    #[test]
    fn long_arguments_keep_what_differs() {
        let long = "cute::Layout<cute::tuple<cute::C<1>, cute::C<2> > >, ".repeat(200);
        let name = |size: u32| {
            format!("lib::Gemm<lib::Mainloop<{long}lib::Tile<{size}>, {long}int>, float>")
        };
        let names = [name(64), name(128)];
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        assert!(names[0].len() > 9000);
        for (text, size) in arguments_of(&names).iter().zip(["64", "128"]) {
            assert!(text.contains(size), "{text}");
            assert!(text.chars().count() <= ARGUMENTS, "{text}");
        }
    }

    #[test]
    fn many_arguments_stay_complete() {
        let list = |last: u32| {
            let items: Vec<String> = (0..60).map(|at| (at + last).to_string()).collect();
            format!("K<{}>", items.join(", "))
        };
        let names = [list(1), list(2)];
        let names: Vec<&str> = names.iter().map(|name| &**name).collect();
        let mangled = ["_Z0", "_Z1"];
        let short = ShortNames::new(
            mangled
                .iter()
                .zip(&names)
                .map(|(name, text)| (*name, Some(*text))),
        );
        let [a, b] = mangled.map(|name| short.arguments(name).unwrap());
        assert!(a.len() <= LISTED && a != b, "{a:?} {b:?}");
    }
}
