//! Groups of modules for drawing.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::{ModuleGraph, ModuleSymbol};
use crate::model::Str;

/// Maximum number of modules, or groups of modules, drawn at once.
pub const FAN: u64 = 24;

/// A group of consecutive modules in some order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModuleGroup {
    /// The index of the first module.
    pub start: u64,
    /// Number of modules.
    pub count: u64,
    /// Number of IR modules in them.
    pub ir_modules: u64,
    /// Number of native device code images in them.
    pub native_images: u64,
    /// Total size of these, in bytes.
    pub size: u64,
}

/// Returns the size of each group if `count` nodes are drawn, `fan` at once; 1 means no groups.
pub fn group_size(count: u64, fan: u64) -> u64 {
    let mut size = 1_u64;
    while count.div_ceil(size) > fan {
        size = size.saturating_mul(fan.max(2));
    }
    size
}

impl ModuleGraph {
    /// Groups modules, the first of which has the index `start`.
    pub fn groups(&self, modules: &[u32], start: u64) -> Vec<ModuleGroup> {
        let size = group_size(modules.len() as u64, FAN);
        let mut next = start;
        let group = |chunk: &[u32]| {
            let mut group = ModuleGroup {
                start: next,
                count: chunk.len() as u64,
                ..ModuleGroup::default()
            };
            next += group.count;
            for module in chunk.iter().filter_map(|index| self.module(*index)) {
                group.ir_modules += self.ir_modules_of(module).len() as u64;
                group.native_images += self.native_images_of(module).len() as u64;
                group.size = group.size.saturating_add(self.size_of(module));
            }
            group
        };
        let size = usize::try_from(size).unwrap_or(usize::MAX);
        modules.chunks(size.max(1)).map(group).collect()
    }
}

/// Collects the symbols of all modules, with their index in the list.
#[derive(Debug, Default)]
pub struct Symbols {
    list: Vec<ModuleSymbol>,
    indices: HashMap<Str, u32>,
}

impl Symbols {
    /// Adds a module that exports or imports a symbol.
    pub fn add(&mut self, name: String, module: u32, exports: bool) {
        let new = u32::try_from(self.list.len()).unwrap_or(u32::MAX);
        let at = *self.indices.entry(name.clone().into()).or_insert(new);
        if at == new {
            self.list.push(ModuleSymbol {
                name,
                exported_by: Vec::new(),
                imported_by: Vec::new(),
            });
        }
        let Some(symbol) = usize::try_from(at)
            .ok()
            .and_then(|at| self.list.get_mut(at))
        else {
            return;
        };
        let modules = if exports {
            &mut symbol.exported_by
        } else {
            &mut symbol.imported_by
        };
        if modules.last() != Some(&module) {
            modules.push(module);
        }
    }

    /// Returns the symbols in order of first appearance.
    pub fn into_list(self) -> Vec<ModuleSymbol> {
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_minimal() {
        assert_eq!(group_size(0, FAN), 1);
        assert_eq!(group_size(24, FAN), 1);
        assert_eq!(group_size(25, FAN), 24);
        assert_eq!(group_size(576, FAN), 24);
        assert_eq!(group_size(10_000, FAN), 576);
        assert_eq!(group_size(u64::from(u32::MAX), FAN), 24u64.pow(6));
    }
}
