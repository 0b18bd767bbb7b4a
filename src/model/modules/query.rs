//! Which modules, in which order; and many of them in groups.

use serde::{Deserialize, Serialize};

use super::{AbstractModule, Image, ModuleGraph};
use crate::model::sort;

/// What is asked of the modules.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModuleQuery {
    /// Words that must all be met: a part of what an image is, of its architecture or target,
    /// of a symbol, or the module's number.
    pub filter: String,
    /// What sorts; the order of the file without.
    pub sort: Option<ModuleColumn>,
    /// The largest first.
    pub descending: bool,
}

/// A column of the table of modules.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum ModuleColumn {
    /// The module's number.
    Module,
    /// How many IR modules.
    IrModules,
    /// How many native device code images.
    NativeImages,
    /// The bytes of all of these.
    Size,
    /// How many property sets.
    Sets,
    /// How many symbols it exports.
    Exports,
    /// How many symbols it imports.
    Imports,
}

/// All columns, in the order in which they are shown.
pub const COLUMNS: [ModuleColumn; 7] = [
    ModuleColumn::Module,
    ModuleColumn::IrModules,
    ModuleColumn::NativeImages,
    ModuleColumn::Size,
    ModuleColumn::Sets,
    ModuleColumn::Exports,
    ModuleColumn::Imports,
];

/// So many modules, or groups of modules, are drawn at once.
pub const FAN: u64 = 24;

/// A group of modules that follow each other in some order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct ModuleGroup {
    /// The place of the first.
    pub start: u64,
    /// How many.
    pub count: u64,
    /// How many IR modules they have.
    pub ir_modules: u64,
    /// How many native device code images.
    pub native_images: u64,
    /// The bytes of all of these.
    pub size: u64,
}

/// How many modules each group has, when so many are shown; 1: the modules themselves.
pub fn group_size(count: u64) -> u64 {
    let mut size = 1;
    while count.div_ceil(size) > FAN {
        size *= FAN;
    }
    size
}

impl ModuleGraph {
    /// The bytes of a module's images.
    pub fn size_of(&self, module: &AbstractModule) -> u64 {
        let images = self.ir_modules_of(module).iter();
        let all = images.chain(self.native_images_of(module));
        all.map(|image| image.bytes.len())
            .fold(0, u64::saturating_add)
    }

    /// The numbers of the modules that are asked for, in order.
    pub fn find(&self, query: &ModuleQuery) -> Vec<u32> {
        let lower = query.filter.to_lowercase();
        let words: Vec<&str> = lower.split_whitespace().collect();
        let mut named: Vec<Vec<u32>> = Vec::with_capacity(words.len());
        for word in &words {
            let symbols = self.symbols.iter();
            let met = symbols.filter(|symbol| symbol.name.to_lowercase().contains(word));
            let mut modules: Vec<u32> = met
                .flat_map(|symbol| symbol.exported_by.iter().chain(&symbol.imported_by))
                .copied()
                .collect();
            modules.sort_unstable();
            named.push(modules);
        }
        let wanted = |module: &AbstractModule| {
            words.iter().zip(&named).all(|(word, named)| {
                named.binary_search(&module.index).is_ok() || self.says(module, word)
            })
        };
        let modules = self.abstract_modules.iter();
        let mut found: Vec<u32> = modules
            .filter(|module| wanted(module))
            .map(|module| module.index)
            .collect();
        if let Some(column) = query.sort {
            let key = |index: &u32| {
                self.module(*index)
                    .map(|module| self.number(module, column))
            };
            sort::by(&mut found, |a, b| {
                let order = key(a).cmp(&key(b));
                if query.descending {
                    order.reverse()
                } else {
                    order
                }
            });
        }
        found
    }

    /// A module by its number.
    pub fn module(&self, index: u32) -> Option<&AbstractModule> {
        self.abstract_modules.get(usize::try_from(index).ok()?)
    }

    fn number(&self, module: &AbstractModule, column: ModuleColumn) -> u64 {
        match column {
            ModuleColumn::Module => u64::from(module.index),
            ModuleColumn::IrModules => self.ir_modules_of(module).len() as u64,
            ModuleColumn::NativeImages => self.native_images_of(module).len() as u64,
            ModuleColumn::Size => self.size_of(module),
            ModuleColumn::Sets => u64::from(module.sets),
            ModuleColumn::Exports => u64::from(module.exports),
            ModuleColumn::Imports => u64::from(module.imports),
        }
    }

    fn says(&self, module: &AbstractModule, word: &str) -> bool {
        let has = |text: &str| text.to_lowercase().contains(word);
        let said = |image: &Image| {
            has(&image.title)
                || image.ir_type_name().is_some_and(has)
                || image.arch.as_ref().is_some_and(|arch| has(&arch.value))
                || image
                    .target
                    .as_ref()
                    .is_some_and(|target| has(&target.value))
        };
        module.index.to_string() == word
            || self.ir_modules_of(module).iter().any(said)
            || self.native_images_of(module).iter().any(said)
    }

    /// The groups of `found[start..start + count]`.
    pub fn groups(&self, found: &[u32], start: u64, count: u64) -> Vec<ModuleGroup> {
        let size = group_size(count);
        let at = |place: u64| usize::try_from(place).unwrap_or(usize::MAX);
        let end = at(start.saturating_add(count)).min(found.len());
        let range = found.get(at(start).min(end)..end).unwrap_or(&[]);
        let mut place = start;
        let group = |chunk: &[u32]| {
            let mut group = ModuleGroup {
                start: place,
                count: chunk.len() as u64,
                ..ModuleGroup::default()
            };
            place += group.count;
            for module in chunk.iter().filter_map(|index| self.module(*index)) {
                group.ir_modules += self.number(module, ModuleColumn::IrModules);
                group.native_images += self.number(module, ModuleColumn::NativeImages);
                group.size = group.size.saturating_add(self.size_of(module));
            }
            group
        };
        range.chunks(at(size).max(1)).map(group).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_are_as_small_as_they_can_be() {
        assert_eq!(group_size(0), 1);
        assert_eq!(group_size(24), 1);
        assert_eq!(group_size(25), 24);
        assert_eq!(group_size(576), 24);
        assert_eq!(group_size(10_000), 576);
        assert_eq!(group_size(u64::from(u32::MAX)), 24u64.pow(6));
    }
}
