//! Finds kernels by the names of a profile.

use std::collections::HashMap;

/// Demangles a C++ name without return types and without types of literals. Returns `None` if the
/// name is not mangled.
pub type Demangler<'a> = &'a dyn Fn(&str) -> Option<String>;

/// Returns the name without the SIMD width and sizes that unitrace appends: `[SIMD32 {8192; 1; 1}
/// {128; 1; 1}]`, or only ` {8192; 1; 1} {128; 1; 1}]` if it does not know the width.
#[must_use]
pub fn base_name(name: &str) -> &str {
    let Some(rest) = name.strip_suffix(']') else {
        return name;
    };
    let before = rest.rfind("[SIMD").or_else(|| {
        let sizes = rest.strip_suffix('}')?.rfind("} {")?;
        rest.get(..sizes)?.rfind(" {")
    });
    let before = before.and_then(|at| name.get(..at));
    before.map_or(name, str::trim_end)
}

/// Returns the SIMD width that unitrace appends to a name, if it is known.
pub(super) fn simd_width(name: &str) -> Option<i64> {
    let (_, sizes) = name.strip_suffix(']')?.rsplit_once("[SIMD")?;
    let digits = sizes.split(' ').next()?;
    digits.parse().ok()
}

/// Items by the names of kernels.
pub(super) struct KernelIndex<'a> {
    demangle: Demangler<'a>,
    exact: HashMap<String, ListOfItems>,
    /// The items of each list.
    lists: Vec<Vec<usize>>,
    /// The items with their names in the file.
    names: Vec<(usize, String)>,
    /// By canonical name; made on first use.
    canonical: Option<HashMap<String, ListOfItems>>,
}

/// Identifies the items with a name in a [`KernelIndex`].
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) struct ListOfItems(usize);

impl<'a> KernelIndex<'a> {
    pub fn new(demangle: Demangler<'a>) -> KernelIndex<'a> {
        KernelIndex {
            demangle,
            exact: HashMap::new(),
            lists: Vec::new(),
            names: Vec::new(),
            canonical: None,
        }
    }

    /// Adds a kernel with its name and its demangled name.
    pub fn add(&mut self, item: usize, name: &str, demangled: Option<&str>) {
        for name in [Some(name), demangled].into_iter().flatten() {
            add(&mut self.exact, &mut self.lists, name.to_owned(), item);
        }
        self.names.push((item, name.to_owned()));
        self.canonical = None;
    }

    /// Returns the kernels with this name, mangled or demangled. If there are none, those whose names
    /// are the same except for the style of the demangler.
    pub fn find(&mut self, name: &str) -> Option<ListOfItems> {
        let name = base_name(name);
        if let Some(exact) = self.exact.get(name) {
            return Some(*exact);
        }
        let (names, demangle, lists) = (&self.names, self.demangle, &mut self.lists);
        let index = self.canonical.get_or_insert_with(|| {
            let mut index = HashMap::new();
            for (item, name) in names {
                let demangled = demangle(name);
                let key = canonical(demangled.as_ref().unwrap_or(name));
                add(&mut index, lists, key, *item);
            }
            index
        });
        index.get(&canonical(name)).copied()
    }

    /// Returns the items of a list.
    pub fn items(&self, list: ListOfItems) -> &[usize] {
        self.lists.get(list.0).map_or(&[], Vec::as_slice)
    }
}

fn add(
    index: &mut HashMap<String, ListOfItems>,
    lists: &mut Vec<Vec<usize>>,
    name: String,
    item: usize,
) {
    let list = *index.entry(name).or_insert_with(|| {
        lists.push(Vec::new());
        ListOfItems(lists.len() - 1)
    });
    if let Some(items) = lists.get_mut(list.0) {
        items.push(item);
    }
}

/// Returns a demangled name without what demanglers write differently: blanks, parentheses, and the
/// types of literals (`(unsigned long)8` or `8ul`).
#[must_use]
pub fn canonical(name: &str) -> String {
    let compact: String = name.chars().filter(|c| *c != ' ').collect();
    // SYCL names kernels by the mangled names of their type infos, `_ZTS…`.
    let compact = compact.strip_prefix("typeinfonamefor").unwrap_or(&compact);
    // Both are in use for `Dn` of the Itanium ABI.
    let compact = compact.replace("std::nullptr_t", "decltype(nullptr)");
    let mut out = String::with_capacity(compact.len());
    let mut rest = compact.as_str();
    while let Some(c) = rest.chars().next() {
        let after = rest.get(c.len_utf8()..).unwrap_or_default();
        let is_in_word = || out.chars().next_back().is_some_and(is_word);
        rest = match c {
            '(' => after_cast(after).unwrap_or(after),
            ')' => after,
            ',' if after.starts_with('>') => after,
            '0'..='9' if !is_in_word() => {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                let (digits, after) = rest.split_at_checked(end).unwrap_or((rest, ""));
                out.push_str(digits);
                after_suffix(after)
            }
            c => {
                out.push(c);
                after
            }
        };
    }
    out
}

fn is_word(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Returns the literal behind a cast, whose parenthesis was read: `-1` for `int)-1`.
fn after_cast(text: &str) -> Option<&str> {
    // Only names of types: otherwise each parenthesis would be searched for to the end of the text.
    let end = text.find(|c: char| c != ':' && !is_word(c))?;
    let (kind, rest) = text.split_at_checked(end)?;
    let literal = rest.strip_prefix(')')?;
    let digits = literal.strip_prefix('-').unwrap_or(literal);
    let is_literal = digits.starts_with(|c: char| c.is_ascii_digit());
    (!kind.is_empty() && is_literal).then_some(literal)
}

/// Returns the text behind the suffix of a literal.
fn after_suffix(text: &str) -> &str {
    // The longer ones first.
    let suffixes = ["ull", "ul", "ll", "u", "l"].into_iter();
    let mut rest = suffixes.filter_map(|suffix| text.strip_prefix(suffix));
    rest.find(|rest| !rest.starts_with(is_word)).unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_no_part_of_a_name() {
        assert_eq!(
            base_name("vecadd[SIMD32 {8192; 1; 1} {128; 1; 1}]"),
            "vecadd"
        );
        assert_eq!(base_name("f<A[2]> [SIMD16]"), "f<A[2]>");
        assert_eq!(base_name("f [SIMD_ANY {1; 1; 1} {2; 1; 1}]"), "f");
        assert_eq!(base_name("f {1; 1; 1} {2; 1; 1}]"), "f");
        for name in ["vecadd", "f<A[2]>", "", "]", "}]", "a[SIMD32", "copy[4096]"] {
            assert_eq!(base_name(name), name);
        }
    }

    #[test]
    fn names_have_the_simd_width() {
        assert_eq!(simd_width("f[SIMD32 {8192; 1; 1} {128; 1; 1}]"), Some(32));
        assert_eq!(simd_width("f[SIMD16]"), Some(16));
        for name in [
            "f",
            "f[SIMD_ANY {1; 1; 1} {1; 1; 1}]",
            "f {1; 1; 1} {1; 1; 1}]",
        ] {
            assert_eq!(simd_width(name), None, "{name}");
        }
    }

    #[test]
    fn demanglers_have_the_same_canonical_names() {
        for [one, other] in [
            ["f<f<int> >", "f<f<int>>"],
            ["f<8>(char const*)", "f<8ul>(char const *)"],
            ["f<(long)-8, 3u>", "f<-8,3>"],
            ["f<(access::mode)1026>", "f<1026>"],
            ["f<&(g(int))>", "f<&g(int)>"],
            ["f<std::nullptr_t>", "f<decltype(nullptr)>"],
            ["f<a, >", "f<a>"],
            ["typeinfo name for ä::b", "ä::b"],
        ] {
            assert_eq!(canonical(one), canonical(other));
        }
        for [one, other] in [
            ["f1u", "f1"],
            ["f<1>", "f<10>"],
            ["f<1>", "f<-1>"],
            ["f<int>", "f<unsigned int>"],
            ["f<8ulong>", "f<8>"],
        ] {
            assert_ne!(canonical(one), canonical(other));
        }
    }

    #[test]
    fn names_are_mangled_or_demangled() {
        let demangle = |name: &str| Some(name.strip_prefix("_Z")?.to_owned());
        let mut index = KernelIndex::new(&demangle);
        index.add(0, "_Zmain::VecAdd", Some("void main::VecAdd"));
        index.add(1, "_Zf<f<int> >", Some("f<f<int> >"));
        index.add(2, "f<f<int>>", None);
        index.add(3, "copy", None);
        index.add(4, "copy", None);
        for (name, found) in [
            ("_Zmain::VecAdd", &[0][..]),
            ("main::VecAdd", &[0]),
            ("void main::VecAdd", &[0]),
            (
                "typeinfo name for main::VecAdd[SIMD32 {1; 1; 1} {1; 1; 1}]",
                &[0],
            ),
            ("f<f<int> >", &[1]),
            ("f<f<int>>", &[2]),
            ("f< f<int> >", &[1, 2]),
            ("copy", &[3, 4]),
            ("cop", &[]),
            ("", &[]),
        ] {
            let list = index.find(name);
            let items = list.map_or(&[][..], |list| index.items(list));
            assert_eq!(items, found, "{name}");
        }
    }
}
