//! Demangles C++ names. Itanium C++ ABI, "External Names (a.k.a. Mangling)".
//!
//! DPC++ names kernels after types: `_ZTS…` is "typeinfo name for" a type, the one that the author
//! wrote.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use cpp_demangle::{DemangleNodeType, DemangleOptions, DemangleWrite, ParseOptions, Symbol};

/// Maximum length of a name in bytes; the longest one seen has 2 106.
const NAME_MAX: usize = 1 << 16;
/// Maximum length of a result in bytes: substitutions can expand a short name enormously.
const RESULT_MAX: usize = 1 << 16;
/// Maximum nesting of a name: the functions that read it recurse.
const DEPTH_MAX: u32 = 128;

/// Maximum size of each of the two halves of the memo, in bytes, names included.
const HALF_MAX: usize = 8 << 20;

thread_local! {
    static MEMO: RefCell<Memo> = RefCell::default();
}

type Results = HashMap<Box<str>, Option<Rc<str>>>;

/// Cached results. Libraries repeat the same kernels for each device, and demangling their names
/// takes longer than reading everything else about them. When the newer half is full, it becomes
/// the older half; results move back when they are used again. A library whose names fill more than
/// one half keeps the recurring ones.
#[derive(Default)]
struct Memo {
    newer: Results,
    older: Results,
    /// The size of the newer half.
    bytes: usize,
}

impl Memo {
    fn get(&mut self, name: &str) -> Option<Option<Rc<str>>> {
        if let Some(result) = self.newer.get(name) {
            return Some(result.clone());
        }
        let (name, result) = self.older.remove_entry(name)?;
        self.insert(name, result.clone());
        Some(result)
    }

    fn insert(&mut self, name: Box<str>, result: Option<Rc<str>>) {
        let size = name.len() + result.as_ref().map_or(0, |text| text.len());
        if self.bytes + size > HALF_MAX {
            self.older = std::mem::take(&mut self.newer);
            self.bytes = 0;
        }
        self.bytes += size;
        self.newer.insert(name, result);
    }
}

/// Returns whether a name might be mangled.
pub fn is_mangled(name: &str) -> bool {
    name.starts_with("_Z")
}

/// The demangled name. Returns `None` if the name is not mangled, or exceeds one of the limits
/// above.
pub fn demangle(name: &str) -> Option<Rc<str>> {
    if !is_mangled(name) || name.len() > NAME_MAX {
        return None;
    }
    MEMO.with_borrow_mut(|memo| {
        if let Some(known) = memo.get(name) {
            return known;
        }
        let result = demangle_anew(name);
        memo.insert(name.into(), result.clone());
        result
    })
}

/// The demangled name without the return types of functions and without the types of literals. The
/// demanglers of GCC and binutils omit return types in names of local entities, such as lambda
/// functions. Not cached. Returns `None` if the name is not mangled, or exceeds one of the limits
/// above.
pub fn demangle_briefly(name: &str) -> Option<String> {
    let options = DemangleOptions::default()
        .no_return_type()
        .hide_expression_literal_types();
    let is_allowed = is_mangled(name) && name.len() <= NAME_MAX;
    is_allowed.then(|| demangle_with(name, options))?
}

fn demangle_anew(name: &str) -> Option<Rc<str>> {
    demangle_with(name, DemangleOptions::default()).map(Rc::from)
}

fn demangle_with(name: &str, options: DemangleOptions) -> Option<String> {
    let limit = ParseOptions::default().recursion_limit(DEPTH_MAX);
    let symbol = Symbol::new_with_options(name, &limit).ok()?;
    let mut out = Bounded(String::new());
    let options = options.recursion_limit(DEPTH_MAX);
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
    fn brief_names_have_no_return_types() {
        let lambda = "_ZTSZ4fillIfLm128EEvPT_EUlvE_";
        assert_eq!(
            demangle(lambda).as_deref(),
            Some("void fill<float, (unsigned long)128>(float*)::{lambda()#1}")
        );
        assert_eq!(
            demangle_briefly(lambda).as_deref(),
            Some("fill<float, 128>(float*)::{lambda()#1}")
        );
        assert_eq!(demangle_briefly("vecadd"), None);
    }

    #[test]
    fn hostile_names_terminate() {
        let deep = format!("_Z1f{}", "P".repeat(60_000));
        assert_eq!(demangle(&deep), None);
        // Each argument is twice as long as the previous one.
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
