//! Finds kernels by the names of a profile.

use std::collections::HashMap;

/// Returns the name without the SIMD width and sizes that unitrace appends: `[SIMD32 {8192; 1; 1}
/// {128; 1; 1}]`.
#[must_use]
pub fn base_name(name: &str) -> &str {
    let before = name.strip_suffix(']').and_then(|rest| rest.rfind("[SIMD"));
    let before = before.and_then(|at| name.get(..at));
    before.map_or(name, str::trim_end)
}

/// Items by the names of kernels.
#[derive(Default)]
pub(super) struct KernelIndex {
    exact: HashMap<String, Vec<usize>>,
    /// By name without blanks: demanglers write `> >` or `>>`, `char const*` or `char const *`.
    compact: HashMap<String, Vec<usize>>,
}

impl KernelIndex {
    /// Adds a kernel with its name and its demangled name.
    pub fn add(&mut self, item: usize, name: &str, demangled: Option<&str>) {
        for name in [Some(name), demangled].into_iter().flatten() {
            self.exact.entry(name.to_owned()).or_default().push(item);
            if name.contains(' ') {
                self.compact.entry(compact(name)).or_default().push(item);
            }
        }
    }

    /// Returns the kernels with this name, mangled or demangled. If no name is the same, those that
    /// differ in blanks only.
    pub fn find(&self, name: &str) -> &[usize] {
        let name = base_name(name);
        let names = [Some(name), name.strip_prefix("typeinfo name for ")];
        let mut names = names.into_iter().flatten();
        let exact = names.find_map(|name| self.exact.get(name));
        let by_compact = || {
            let compact = compact(name.strip_prefix("typeinfo name for ").unwrap_or(name));
            self.compact
                .get(&compact)
                .or_else(|| self.exact.get(&compact))
        };
        exact.or_else(by_compact).map_or(&[], Vec::as_slice)
    }
}

fn compact(name: &str) -> String {
    name.chars().filter(|c| *c != ' ').collect()
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
        for name in ["vecadd", "f<A[2]>", "", "]", "a[SIMD32"] {
            assert_eq!(base_name(name), name);
        }
    }

    #[test]
    fn names_are_mangled_or_demangled() {
        let mut index = KernelIndex::default();
        index.add(0, "_ZTSZ4mainE6VecAdd", Some("main::VecAdd"));
        index.add(1, "_ZTS1fIS_IiEE", Some("f<f<int> >"));
        index.add(2, "f<f<int>>", None);
        index.add(3, "copy", None);
        index.add(4, "copy", None);
        for (name, found) in [
            ("_ZTSZ4mainE6VecAdd", &[0][..]),
            ("main::VecAdd", &[0]),
            (
                "typeinfo name for main::VecAdd[SIMD32 {1; 1; 1} {1; 1; 1}]",
                &[0],
            ),
            ("main:: VecAdd", &[0]),
            ("f<f<int> >", &[1]),
            ("f<f<int>>", &[2]),
            ("f< f<int> >", &[1]),
            ("copy", &[3, 4]),
            ("cop", &[]),
            ("", &[]),
        ] {
            assert_eq!(index.find(name), found, "{name}");
        }
    }
}
