//! Linking: assigns addresses to symbols and applies relocations. compute-runtime, linker.cpp, and
//! level_zero, module_imp.cpp, for the steps before and after.

use std::collections::{HashMap, HashSet};

use super::elf_level::{Elf, Relocation};
use super::findings::{Excerpt, Findings, Refused};
use super::rules;
use super::sections::{Buffer, FUNCTIONS, Sections};
use super::ze_info::{Kernel, Module};
use crate::device::Device;
use crate::elf::symbol::{Symbol, SymbolBinding, SymbolType};
use crate::zebin::sections::{Segment, segment_of};
use zeview_core::model::Span;
use zeview_core::model::sort;

/// Symbols that the driver defines itself.
const BUILT_IN: &[&[u8]] = &[
    b"__SubDeviceID",
    b"__INTEL_PER_THREAD_OFF",
    b"__INTEL_SURFACE_STATE_SIZE",
];

/// The symbol of the size of the implicit arguments; the driver ignores the rest of the name
/// (observed).
const IMPLICIT_ARGUMENTS: &[u8] = b"__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";

/// Buffers of constants and variables are allocated larger than their sections; symbols and
/// relocations may refer to the padding.
const BUFFER_PADDING: u64 = 64 << 10;

/// Allocations of this size fail on every device.
const MAX_ALLOCATION: u64 = 1 << 38;

/// Allocations with this alignment fail.
const MAX_ALIGNMENT: u64 = 1 << 31;

/// An API of the driver.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Api {
    /// Level Zero.
    LevelZero,
    /// OpenCL, which does not need the buffer of constants that a kernel has the address of.
    OpenCl,
}

/// Checks the steps between decoding and linking: sizes and buffers.
pub fn allocate(
    sections: &Sections<'_>,
    module: &Module<'_>,
    device: &Device,
    api: Api,
    findings: &mut Findings,
) -> Result<(), Refused> {
    findings.stage();
    let largest = module.kernels.iter().max_by_key(|kernel| kernel.slm.0);
    if let Some((name, (size, place))) = largest.map(|kernel| (kernel.name, kernel.slm))
        && size > device.max_slm_size()
    {
        let message = format_args!(
            "{}: slm_size is {size}, the limit of {} is {} bytes",
            Excerpt(name),
            device.name(),
            device.max_slm_size()
        );
        return findings.refuse(&rules::SLM_SIZE, place, message);
    }
    for buffer in [&sections.constants, &sections.variables] {
        if let Some(header) = buffer.zero_header
            && (buffer.zero >= MAX_ALLOCATION || buffer.align >= MAX_ALIGNMENT)
        {
            let message = format_args!("{:#x} bytes aligned to {:#x}", buffer.zero, buffer.align);
            return findings.refuse(&rules::ALLOCATION, header, message);
        }
    }
    let (constants, variables) = (&sections.constants, &sections.variables);
    for kernel in &module.kernels {
        for (base, buffer, noun, section) in [
            (kernel.constants, constants, "const_base", ".data.const"),
            (kernel.variables, variables, "global_base", ".data.global"),
        ] {
            let Some(base) = base else { continue };
            let name = Excerpt(kernel.name);
            if !buffer.exists() && api == Api::OpenCl {
                continue;
            }
            if !buffer.exists() {
                let message = format_args!("{name}: {noun} without {section}");
                return findings.refuse(&rules::NO_BUFFER, base.place, message);
            }
            if base.bad_size {
                let message = format_args!("{name}: {noun} is not a pointer of 4 or 8 bytes");
                return findings.refuse(&rules::POINTER_SIZE, base.place, message);
            }
        }
    }
    Ok(())
}

/// Links the module.
pub fn link(
    elf: &Elf<'_>,
    sections: &Sections<'_>,
    module: &Module<'_>,
    findings: &mut Findings,
) -> Result<(), Refused> {
    findings.stage();
    let mut kernels: Vec<(&[u8], u64)> = Vec::with_capacity(module.kernels.len() + 1);
    for Kernel { name, .. } in &module.kernels {
        let size = sections.text(name).map_or(0, |text| text.size);
        kernels.push((name, size));
    }
    // The driver treats `.text` as the code of a kernel with the name that older compilers gave it.
    if let Some(text) = sections.functions.filter(|_| sections.ze_info.is_some()) {
        kernels.push((FUNCTIONS, text.size));
    }
    let by_name: HashMap<&[u8], usize> = kernels
        .iter()
        .enumerate()
        .map(|(id, (name, _))| (*name, id))
        .collect();
    let mut linker = Linker {
        elf,
        sections,
        destinations: destinations(elf, &by_name, findings)?,
        sizes: kernels.iter().map(|(_, size)| *size).collect(),
        names: Names::default(),
        symbols: Vec::new(),
        exports: None,
        functions: Vec::new(),
        patches: Vec::new(),
        invalid: None,
    };
    linker.collect(findings)?;
    if let Some((place, message)) = linker.invalid.take() {
        return findings.refuse(&rules::LINK_KERNEL, place, message);
    }
    linker.place_symbols(findings)?;
    linker.patch(findings)?;
    linker.check_functions(module, findings)?;
    let mut result = Ok(());
    for (name, place) in &module.host_access {
        let symbol = linker.names.known(name).and_then(|id| linker.placed(id));
        if symbol.is_none_or(|placed| !placed.is_global) {
            let message = format_args!("undefined variable \"{}\"", Excerpt(name));
            result = findings.refuse(&rules::HOST_ACCESS, *place, message);
        }
    }
    // Kernels are created once the module is linked with others.
    if findings.contains(&rules::LINK_UNDEFINED) {
        Err(Refused)
    } else {
        result
    }
}

/// The destination of a section.
#[derive(Clone, Copy)]
struct Destination<'e> {
    segment: Option<Segment>,
    /// The name of the kernel whose code it contains.
    owner: &'e [u8],
    /// The number of that kernel.
    kernel: Option<usize>,
}

/// The destinations of all sections, by index.
fn destinations<'e>(
    elf: &'e Elf<'_>,
    kernels: &HashMap<&[u8], usize>,
    findings: &mut Findings,
) -> Result<Vec<Destination<'e>>, Refused> {
    let mut all = Vec::with_capacity(elf.sections.len());
    for section in &elf.sections {
        let name = elf.name_of(section, findings)?;
        let owner = name.strip_prefix(b".text.").unwrap_or(FUNCTIONS);
        all.push(Destination {
            segment: segment_of(name),
            owner,
            kernel: kernels.get(owner).copied(),
        });
    }
    Ok(all)
}

/// The number of a name. Small, because a file can have a name for every few bytes.
type NameId = u32;

/// Symbol names as numbers: each is read and hashed once, however often it is used.
#[derive(Default)]
struct Names<'e> {
    by_offset: HashMap<u32, NameId>,
    by_text: HashMap<&'e [u8], NameId>,
    texts: Vec<&'e [u8]>,
}

impl<'e> Names<'e> {
    fn id(
        &mut self,
        elf: &'e Elf<'_>,
        symbol: &Symbol,
        findings: &mut Findings,
    ) -> Result<NameId, Refused> {
        // The field has 32 bits.
        let offset = u32::try_from(symbol.st_name).unwrap_or(u32::MAX);
        if let Some(id) = self.by_offset.get(&offset) {
            return Ok(*id);
        }
        let name = elf.symbol_name(symbol, findings)?;
        let texts = &mut self.texts;
        let id = *self.by_text.entry(name).or_insert_with(|| {
            texts.push(name);
            NameId::try_from(texts.len() - 1).unwrap_or(NameId::MAX)
        });
        self.by_offset.insert(offset, id);
        Ok(id)
    }

    fn text(&self, id: NameId) -> &'e [u8] {
        let id = usize::try_from(id).unwrap_or(usize::MAX);
        self.texts.get(id).copied().unwrap_or(&[])
    }

    fn known(&self, name: &[u8]) -> Option<NameId> {
        self.by_text.get(name).copied()
    }
}

/// A symbol with an offset in a segment.
struct PlacedSymbol {
    /// The offset of its entry.
    entry: u64,
    value: u64,
    size: u64,
    is_global: bool,
    segment: Segment,
    /// The kernel's number, for functions.
    kernel: u32,
}

/// A relocation to apply.
struct Patch<'e> {
    relocation: &'e Relocation,
    /// The name of its symbol.
    name: NameId,
}

struct Linker<'e, 's> {
    elf: &'e Elf<'e>,
    sections: &'s Sections<'s>,
    destinations: Vec<Destination<'e>>,
    /// The sizes of the kernels' code.
    sizes: Vec<u64>,
    names: Names<'e>,
    /// Symbols by name, as far as needed.
    symbols: Vec<Option<PlacedSymbol>>,
    /// The kernel whose functions are global.
    exports: Option<usize>,
    /// Global functions: name, offset and size in their section.
    functions: Vec<(NameId, u64, u64)>,
    patches: Vec<Patch<'e>>,
    invalid: Option<(Span, String)>,
}

impl<'e> Linker<'e, '_> {
    fn destination(&self, section: u64) -> Destination<'e> {
        let at = usize::try_from(section).ok();
        let none = Destination {
            segment: None,
            owner: b"",
            kernel: None,
        };
        at.and_then(|at| self.destinations.get(at))
            .copied()
            .unwrap_or(none)
    }

    fn placed(&self, name: NameId) -> Option<&PlacedSymbol> {
        let place = usize::try_from(name).ok()?;
        self.symbols.get(place)?.as_ref()
    }

    /// Collects global symbols first, then relocations and the symbols that they need.
    fn collect(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        for index in 0..self.elf.symbol_count {
            let symbol = self.elf.symbol(index);
            if let Some(symbol) = symbol.filter(|s| s.binding() == SymbolBinding::STB_GLOBAL) {
                self.add_symbol(&symbol, findings)?;
            }
        }
        for relocation in &self.elf.relocations {
            let Some(symbol) = self.elf.symbol(relocation.symbol) else {
                continue;
            };
            let name = self.names.id(self.elf, &symbol, findings)?;
            let to = self.destination(relocation.target.into());
            match (to.segment, to.kernel) {
                (Some(Segment::Strings) | None, _) => {
                    let message = format_args!("section {} is not loaded", relocation.target);
                    findings.note(&rules::RELOCATION_DROPPED, relocation.entry, message);
                    continue;
                }
                (Some(Segment::Code), None) => {
                    let owner = Excerpt(to.owner);
                    self.invalid.get_or_insert_with(|| {
                        let message =
                            format!("relocation in the code of \"{owner}\", which is not a kernel");
                        (relocation.entry, message)
                    });
                    continue;
                }
                (Some(_), _) => {}
            }
            findings.spend(size_of::<Patch<'_>>() as u64, relocation.entry)?;
            self.patches.push(Patch { relocation, name });
            // Local symbols are only needed by relocations, and there are many more of them
            // (`_entry`).
            if self.placed(name).is_none() {
                self.add_symbol(&symbol, findings)?;
            }
        }
        Ok(())
    }

    fn add_symbol(&mut self, symbol: &Symbol, findings: &mut Findings) -> Result<(), Refused> {
        let name = self.names.id(self.elf, symbol, findings)?;
        let to = self.destination(symbol.st_shndx);
        let Some(segment) = to.segment else {
            return Ok(());
        };
        let is_global = symbol.binding() == SymbolBinding::STB_GLOBAL;
        let kernel = match (symbol.kind(), to.kernel) {
            (SymbolType::STT_OBJECT, _) => 0,
            (SymbolType::STT_FUNC, Some(kernel)) => kernel,
            (SymbolType::STT_FUNC, None) => {
                let owner = Excerpt(to.owner);
                self.invalid.get_or_insert_with(|| {
                    let message =
                        format!("symbol in the code of \"{owner}\", which is not a kernel");
                    (symbol.origin, message)
                });
                return Ok(());
            }
            _ => return Ok(()),
        };
        if is_global && symbol.kind() == SymbolType::STT_FUNC {
            if self.exports.is_some_and(|other| other != kernel) {
                self.invalid.get_or_insert_with(|| {
                    let message = "global functions in more than one section".to_owned();
                    (symbol.origin, message)
                });
                return Ok(());
            }
            self.exports = Some(kernel);
            self.functions.push((name, symbol.st_value, symbol.st_size));
        }
        findings.spend(size_of::<PlacedSymbol>() as u64, symbol.origin)?;
        let place = usize::try_from(name).unwrap_or(usize::MAX);
        while self.symbols.len() <= place {
            self.symbols.push(None);
        }
        if let Some(symbols) = self.symbols.get_mut(place) {
            symbols.get_or_insert(PlacedSymbol {
                entry: symbol.origin.start,
                value: symbol.st_value,
                size: symbol.st_size,
                is_global,
                segment,
                kernel: u32::try_from(kernel).unwrap_or(u32::MAX),
            });
        }
        Ok(())
    }

    /// The size of a segment, and the offset of a section in it.
    fn room(&self, segment: Segment, kernel: usize) -> (u64, u64) {
        let buffer = |buffer: &Buffer| {
            if buffer.exists() {
                buffer
                    .data
                    .saturating_add(buffer.zero)
                    .saturating_add(BUFFER_PADDING)
            } else {
                0
            }
        };
        let (constants, variables) = (&self.sections.constants, &self.sections.variables);
        match segment {
            Segment::Constants => (buffer(constants), 0),
            Segment::ZeroConstants => (buffer(constants), constants.data),
            Segment::Variables => (buffer(variables), 0),
            Segment::ZeroVariables => (buffer(variables), variables.data),
            Segment::Strings => (self.sections.strings, 0),
            Segment::Code => (self.sizes.get(kernel).copied().unwrap_or(0), 0),
        }
    }

    /// Checks that every symbol lies in its segment.
    fn place_symbols(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        let mut outside: Vec<&PlacedSymbol> = Vec::new();
        for placed in self.symbols.iter().flatten() {
            let kernel = usize::try_from(placed.kernel).unwrap_or(usize::MAX);
            let (room, start) = self.room(placed.segment, kernel);
            let padding = match (placed.segment, placed.is_global) {
                (Segment::Code, true) => BUFFER_PADDING,
                _ => 0,
            };
            let end = start.wrapping_add(placed.value).wrapping_add(placed.size);
            if end > room.saturating_add(padding) {
                outside.push(placed);
            }
        }
        // By position in the file: the table of names has an order of its own.
        sort::by_key(&mut outside, |placed| placed.entry);
        let mut result = Ok(());
        for placed in outside {
            let message = format_args!("symbol at {:#x} is outside of its section", placed.value);
            let entry = self.elf.symbol_place(placed.entry);
            result = findings.refuse(&rules::LINK_SYMBOL, entry, message);
        }
        result
    }

    fn patch(&mut self, findings: &mut Findings) -> Result<(), Refused> {
        let mut result = Ok(());
        let mut imported = HashSet::new();
        for patch in &self.patches {
            let Relocation {
                entry,
                kind,
                offset,
                ..
            } = *patch.relocation;
            let name = self.names.text(patch.name);
            if BUILT_IN.contains(&name) || name.starts_with(IMPLICIT_ARGUMENTS) {
                continue;
            }
            let to = self.destination(patch.relocation.target.into());
            let Some(segment) = to.segment else { continue };
            let (room, start) = self.room(segment, to.kernel.unwrap_or(0));
            let width = if kind == 1 { 8 } else { 4 };
            if start.wrapping_add(offset).wrapping_add(width) > room {
                let message = format_args!(
                    "relocation at {offset:#x} is out of range: the end is at {room:#x}"
                );
                result = findings.refuse(&rules::LINK_OFFSET, entry, message);
                continue;
            }
            let code = segment == Segment::Code;
            // Neither has a symbol to resolve: the payload's offset (4), and symbols without a
            // name.
            if code && (kind == 4 || name.is_empty()) {
                continue;
            }
            if self.placed(patch.name).is_none() {
                let name = Excerpt(name);
                let symbol = self.elf.symbol(patch.relocation.symbol);
                if symbol.is_some_and(|symbol| symbol.st_shndx != 0) {
                    let message = format_args!("symbol \"{name}\" has no address");
                    findings.note(&rules::LINK_NO_ADDRESS, entry, message);
                } else if imported.insert(patch.name) {
                    let message = format_args!("undefined symbol \"{name}\"");
                    findings.note(&rules::LINK_UNDEFINED, entry, message);
                    findings.import(&name, entry);
                }
                continue;
            }
            if !matches!(kind, 1..=3 | 7) {
                let message = format_args!("relocation type {kind}");
                return findings.refuse(&rules::RELOCATION_TYPE, entry, message);
            }
        }
        result
    }

    /// Checks that called functions are in the list of functions, if there is one.
    fn check_functions(&self, module: &Module<'_>, findings: &mut Findings) -> Result<(), Refused> {
        // Older files do not list functions, and are not checked.
        if module.functions.is_empty() {
            return Ok(());
        }
        let names = module.functions.iter();
        let listed: HashSet<NameId> = names.filter_map(|name| self.names.known(name)).collect();
        let global: HashSet<NameId> = self.functions.iter().map(|(name, ..)| *name).collect();
        let mut by_offset = self.functions.clone();
        sort::by_key(&mut by_offset, |(_, start, _)| *start);
        // Functions written by compilers do not overlap.
        let function_at = |offset: u64| {
            let next = by_offset.partition_point(|(_, start, _)| *start <= offset);
            let (name, start, size) = by_offset.get(next.checked_sub(1)?)?;
            (offset < start.saturating_add(*size)).then_some(*name)
        };
        for patch in &self.patches {
            let to = self.destination(patch.relocation.target.into());
            if to.segment != Some(Segment::Code) || !global.contains(&patch.name) {
                continue;
            }
            let caller = if to.owner == FUNCTIONS {
                function_at(patch.relocation.offset)
            } else {
                Some(patch.name)
            };
            let Some(caller) = caller else { continue };
            if let Some(name) = [patch.name, caller].iter().find(|id| !listed.contains(id)) {
                let name = Excerpt(self.names.text(*name));
                let message = format_args!("\"{name}\" is not listed in functions");
                return findings.refuse(&rules::LINK_FUNCTION, patch.relocation.entry, message);
            }
        }
        Ok(())
    }
}
