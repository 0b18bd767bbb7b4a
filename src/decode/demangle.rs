//! C++ names as people write them. Itanium C++ ABI, "External Names (a.k.a. Mangling)".
//!
//! DPC++ names kernels after types: `_ZTS…` is "typeinfo name for" a type, and that type is
//! what its author has written.

use std::cell::RefCell;
use std::collections::HashMap;

use cpp_demangle::{DemangleNodeType, DemangleOptions, DemangleWrite, ParseOptions, Symbol};

/// Longer names are left as they are; the longest seen has 2 106 bytes.
const NAME_MAX: usize = 1 << 16;
/// Longer results are given up: substitutions can make much of little.
const RESULT_MAX: usize = 1 << 16;
/// Names nest, and so do the functions that read them.
const DEPTH_MAX: u32 = 128;

/// Maximum size of the memo in bytes, names included; it is cleared when it is full.
const KEPT_MAX: usize = 8 << 20;

thread_local! {
    static KEPT: RefCell<Kept> = RefCell::default();
}

/// Results: libraries have the same kernels for each device, whose names take longer to demangle than
/// all else about them takes to read.
#[derive(Default)]
struct Kept {
    results: HashMap<String, Option<String>>,
    bytes: usize,
}

/// Might a name be a mangled one?
pub fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z")
}

/// A mangled name as people write it. Returns `None` if it is not a mangled one, or one of the
/// limits above is reached.
pub fn demangle(name: &str) -> Option<String> {
    if !is_mangled(name) || name.len() > NAME_MAX {
        return None;
    }
    KEPT.with_borrow_mut(|kept| {
        if let Some(known) = kept.results.get(name) {
            return known.clone();
        }
        let result = demangle_anew(name);
        let size = name.len() + result.as_ref().map_or(0, String::len);
        if kept.bytes + size > KEPT_MAX {
            *kept = Kept::default();
        }
        kept.bytes += size;
        kept.results.insert(name.to_owned(), result.clone());
        result
    })
}

fn demangle_anew(name: &str) -> Option<String> {
    let options = ParseOptions::default().recursion_limit(DEPTH_MAX);
    let symbol = Symbol::new_with_options(name, &options).ok()?;
    let mut out = Bounded(String::new());
    let options = DemangleOptions::default().recursion_limit(DEPTH_MAX);
    symbol.structured_demangle(&mut out, &options).ok()?;
    let text = out.0;
    Some(match text.strip_prefix("typeinfo name for ") {
        Some(ty) => ty.to_owned(),
        None => text,
    })
}

struct Bounded(String);

impl DemangleWrite for Bounded {
    fn push_demangle_node(&mut self, _: DemangleNodeType) {}

    fn write_string(&mut self, piece: &str) -> std::fmt::Result {
        if self.0.len() + piece.len() > RESULT_MAX {
            return Err(std::fmt::Error);
        }
        self.0.push_str(piece);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_and_types() {
        assert_eq!(demangle("_Z3addii").as_deref(), Some("add(int, int)"));
        assert_eq!(demangle("_ZTS6VecAdd").as_deref(), Some("VecAdd"));
        assert_eq!(
            demangle("_ZTSZ4mainE6VecAdd").as_deref(),
            Some("main::VecAdd")
        );
        let lambda = "_ZTSZZ4mainENKUlRN4sycl3_V17handlerEE_clES2_EUlNS0_4itemILi1ELb1EEEE_";
        assert_eq!(
            demangle(lambda).as_deref(),
            Some(
                "main::{lambda(sycl::_V1::handler&)#1}::operator()(sycl::_V1::handler&) const::{lambda(sycl::_V1::item<1, true>)#1}"
            )
        );
        assert_eq!(demangle("vecadd"), None);
        assert_eq!(demangle("_Zebra"), None);
        assert_eq!(demangle("_Z"), None);
    }

    #[test]
    fn hostile_names_end() {
        let deep = format!("_Z1f{}", "P".repeat(60_000));
        assert_eq!(demangle(&deep), None);
        // Each argument is twice the one before.
        let mut twice = "_Z1f1AIiiE".to_owned();
        for i in 0..36u8 {
            let digit = |i: u8| char::from(if i < 10 { b'0' + i } else { b'A' + i - 10 });
            let last = if i == 0 {
                "S_".to_owned()
            } else {
                format!("S{}_", digit(i - 1))
            };
            twice.push_str(&format!("S_I{last}{last}E"));
        }
        let _ = demangle(&twice);
    }
}
