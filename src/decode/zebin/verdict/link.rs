//! Linking: symbols get addresses, relocations get symbols. compute-runtime, linker.cpp, and
//! level_zero, module_imp.cpp, for what comes before and after.

use std::collections::HashMap;

use super::elf_level::{Elf, Relocation, Symbol};
use super::findings::{Findings, Stop};
use super::rules;
use super::sections::{FUNCTIONS, Sections};
use super::ze_info::{Kernel, Module};
use crate::decode::zebin::device::Device;
use crate::model::Span;

/// Where a section's bytes end up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Segment {
    Constants,
    ZeroConstants,
    Variables,
    ZeroVariables,
    Strings,
    Code,
}

impl Segment {
    fn of(name: &[u8]) -> Option<Segment> {
        Some(match name {
            b".data.const" | b".data.global_const" => Segment::Constants,
            b".data.global" => Segment::Variables,
            b".data.const.string" => Segment::Strings,
            b".bss.const" => Segment::ZeroConstants,
            b".bss.global" => Segment::ZeroVariables,
            _ if name.starts_with(b".text") => Segment::Code,
            _ => return None,
        })
    }
}

/// Symbols that the driver has an answer for.
const BUILT_IN: &[&[u8]] = &[
    b"__SubDeviceID",
    b"__INTEL_PER_THREAD_OFF",
    b"__INTEL_SURFACE_STATE_SIZE",
];

/// The size of the implicit arguments; what follows in the name does not matter (observed).
const IMPLICIT_ARGUMENTS: &[u8] = b"__INTEL_PATCH_CROSS_THREAD_OFFSET_OFF_R0";

const GLOBAL: u8 = 1;
const OBJECT: u8 = 1;
const FUNCTION: u8 = 2;

/// Buffers of constants and variables are made larger than they need be; symbols may reach
/// into what is behind.
const SLACK: u64 = 64 << 10;

/// So much memory no device has.
const TOO_LARGE: u64 = 1 << 38;

/// Alignments from which on allocation fails.
const TOO_ALIGNED: u64 = 1 << 31;

/// Checks what comes between decoding and linking: sizes, buffers.
pub fn allocate(
    sections: &Sections<'_>,
    module: &Module<'_>,
    device: &Device,
    findings: &mut Findings,
) -> Result<(), Stop> {
    findings.stage();
    let largest = module.kernels.iter().max_by_key(|kernel| kernel.slm.0);
    if let Some((size, place)) = largest.map(|kernel| kernel.slm)
        && size > device.max_slm_size()
    {
        let message = format!(
            "slm_size {size}, and {} has {} bytes",
            device.name(),
            device.max_slm_size()
        );
        return Err(findings.stop(&rules::SLM_SIZE, place, message));
    }
    for buffer in [&sections.constants, &sections.variables] {
        if let Some(header) = buffer.zero_header
            && (buffer.zero >= TOO_LARGE || buffer.align >= TOO_ALIGNED)
        {
            let message = format!("{:#x} bytes aligned to {:#x}", buffer.zero, buffer.align);
            return Err(findings.stop(&rules::ALLOCATION, header, message));
        }
    }
    for kernel in &module.kernels {
        let wanted = [
            (
                kernel.constants,
                &sections.constants,
                "const_base",
                ".data.const",
            ),
            (
                kernel.variables,
                &sections.variables,
                "global_base",
                ".data.global",
            ),
        ];
        for (base, buffer, what, section) in wanted {
            let Some(base) = base else { continue };
            let of = String::from_utf8_lossy(kernel.name);
            if !buffer.exists() {
                let message = format!("{what} of {of}, and there is no {section}");
                return Err(findings.stop(&rules::NO_BUFFER, base.place, message));
            }
            if base.bad_size {
                let message = format!("{what} of {of} is no pointer of 4 or 8 bytes");
                return Err(findings.stop(&rules::POINTER_SIZE, base.place, message));
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
) -> Result<(), Stop> {
    findings.stage();
    let mut names: Vec<(&[u8], u64)> = Vec::with_capacity(module.kernels.len() + 1);
    for Kernel { name, .. } in &module.kernels {
        let size = sections.text(name).map_or(0, |text| text.size);
        names.push((name, size));
    }
    if let Some(text) = sections.functions.filter(|_| sections.ze_info.is_some()) {
        names.push((FUNCTIONS, text.size));
    }
    let mut linker = Linker {
        elf,
        sections,
        kernels: names
            .iter()
            .enumerate()
            .map(|(id, (name, _))| (*name, id))
            .collect(),
        sizes: names.iter().map(|(_, size)| *size).collect(),
        symbols: HashMap::new(),
        exports: None,
        functions: Vec::new(),
        patches: Vec::new(),
        invalid: None,
    };
    linker.collect(findings)?;
    if let Some((place, message)) = linker.invalid.take() {
        return Err(findings.stop(&rules::LINK_KERNEL, place, message));
    }
    linker.place_symbols(findings)?;
    linker.patch(findings)?;
    linker.functions_known(module, findings)?;
    for (name, place) in &module.host_access {
        let found = linker.symbols.get(name);
        if found.is_none_or(|placed| placed.symbol.binding != GLOBAL) {
            let message = format!("there is no variable {}", String::from_utf8_lossy(name));
            findings.note(&rules::HOST_ACCESS, *place, message);
        }
    }
    if findings.met(&rules::HOST_ACCESS) {
        Err(Stop)
    } else {
        Ok(())
    }
}

struct Placed {
    symbol: Symbol,
    segment: Segment,
    /// The kernel's number, for functions.
    kernel: usize,
    span: Span,
}

struct Patch<'e> {
    relocation: Relocation,
    name: &'e [u8],
    segment: Segment,
    /// The number of the kernel that is patched.
    kernel: usize,
    /// The name of the kernel that is patched.
    owner: &'e [u8],
}

struct Linker<'e, 's> {
    elf: &'e Elf<'e>,
    sections: &'s Sections<'s>,
    kernels: HashMap<&'s [u8], usize>,
    sizes: Vec<u64>,
    symbols: HashMap<&'e [u8], Placed>,
    /// The kernel whose functions are for everybody.
    exports: Option<usize>,
    /// Functions for everybody: name, place and size in their section.
    functions: Vec<(&'e [u8], u64, u64)>,
    patches: Vec<Patch<'e>>,
    invalid: Option<(Span, String)>,
}

/// The name of the kernel whose code a section has.
fn kernel_of(section: &[u8]) -> &[u8] {
    section.strip_prefix(b".text.").unwrap_or(FUNCTIONS)
}

impl<'e> Linker<'e, '_> {
    /// Symbols for everybody first, then relocations and the symbols that they want.
    fn collect(&mut self, findings: &mut Findings) -> Result<(), Stop> {
        for index in 0..self.elf.symbol_count {
            if self
                .elf
                .symbol(index)
                .is_some_and(|symbol| symbol.binding == GLOBAL)
            {
                self.add_symbol(u32::try_from(index).unwrap_or(u32::MAX), findings)?;
            }
        }
        for relocation in &self.elf.relocations {
            let section = self.elf.section_name(relocation.target, findings)?;
            let segment = Segment::of(section);
            let name = self.elf.symbol_name(relocation.symbol, findings)?;
            let mut patch = Patch {
                relocation: *relocation,
                name,
                segment: Segment::Code,
                kernel: 0,
                owner: b"",
            };
            match segment {
                Some(Segment::Code) => {
                    let owner = kernel_of(section);
                    let Some(kernel) = self.kernels.get(owner) else {
                        let message = format!(
                            "code of {} is to be patched, and there is no such kernel",
                            String::from_utf8_lossy(owner)
                        );
                        self.invalid.get_or_insert((relocation.entry, message));
                        continue;
                    };
                    patch.kernel = *kernel;
                    patch.owner = owner;
                }
                Some(Segment::Strings) | None => {
                    let message = format!(
                        "a relocation of section {} has no effect",
                        relocation.target
                    );
                    findings.note(&rules::RELOCATION_DROPPED, relocation.entry, message);
                    continue;
                }
                Some(segment) => patch.segment = segment,
            }
            self.patches.push(patch);
            if !self.symbols.contains_key(name) {
                self.add_symbol(relocation.symbol, findings)?;
            }
        }
        Ok(())
    }

    fn add_symbol(&mut self, index: u32, findings: &mut Findings) -> Result<(), Stop> {
        let Some(symbol) = self.elf.symbol(index.into()) else {
            return Ok(());
        };
        let span = self.elf.symbol_span(index.into());
        let name = self.elf.symbol_name(index, findings)?;
        let section = self.elf.section_name(symbol.section.into(), findings)?;
        let Some(segment) = Segment::of(section) else {
            return Ok(());
        };
        let mut kernel = 0;
        match symbol.kind {
            OBJECT => {}
            FUNCTION => {
                let owner = kernel_of(section);
                let Some(id) = self.kernels.get(owner).copied() else {
                    let message = format!(
                        "symbol {index} is in the code of {}, and there is no such kernel",
                        String::from_utf8_lossy(owner)
                    );
                    self.invalid.get_or_insert((span, message));
                    return Ok(());
                };
                kernel = id;
                if symbol.binding == GLOBAL {
                    if self.exports.is_some_and(|other| other != id) {
                        let message = "functions for everybody in more than one section".to_owned();
                        self.invalid.get_or_insert((span, message));
                        return Ok(());
                    }
                    self.exports = Some(id);
                    self.functions.push((name, symbol.value, symbol.size));
                }
            }
            _ => return Ok(()),
        }
        self.symbols.entry(name).or_insert(Placed {
            symbol,
            segment,
            kernel,
            span,
        });
        Ok(())
    }

    /// How large a segment is, and where in it a section starts.
    fn room(&self, segment: Segment, kernel: usize) -> (u64, u64) {
        let buffer = |buffer: &super::sections::Buffer| match buffer.exists() {
            true => buffer
                .data
                .saturating_add(buffer.zero)
                .saturating_add(SLACK),
            false => 0,
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

    /// Every symbol must lie in its segment.
    fn place_symbols(&mut self, findings: &mut Findings) -> Result<(), Stop> {
        let mut outside: Vec<&Placed> = Vec::new();
        for placed in self.symbols.values() {
            let (room, start) = self.room(placed.segment, placed.kernel);
            let slack = match (placed.segment, placed.symbol.binding) {
                (Segment::Code, GLOBAL) => SLACK,
                _ => 0,
            };
            let end = start
                .wrapping_add(placed.symbol.value)
                .wrapping_add(placed.symbol.size);
            if end > room.saturating_add(slack) {
                outside.push(placed);
            }
        }
        outside.sort_by_key(|placed| placed.span);
        for placed in &outside {
            let message = format!(
                "a symbol at {:#x} lies outside of its section's memory",
                placed.symbol.value
            );
            findings.note(&rules::LINK_SYMBOL, placed.span, message);
        }
        if outside.is_empty() {
            Ok(())
        } else {
            Err(Stop)
        }
    }

    fn patch(&mut self, findings: &mut Findings) -> Result<(), Stop> {
        let mut failed = false;
        for patch in &self.patches {
            let entry = patch.relocation.entry;
            if BUILT_IN.contains(&patch.name) || patch.name.starts_with(IMPLICIT_ARGUMENTS) {
                continue;
            }
            let (room, _) = self.room(patch.segment, patch.kernel);
            let room = match patch.segment {
                Segment::Code => room,
                Segment::Constants => self.sections.constants.data,
                Segment::Variables => self.sections.variables.data,
                Segment::ZeroConstants => self.sections.constants.zero,
                _ => self.sections.variables.zero,
            };
            let width = if patch.relocation.kind == 1 { 8 } else { 4 };
            if patch.relocation.offset.wrapping_add(width) > room {
                failed = true;
                let message = format!(
                    "bytes at {:#x} of {room} are to be patched",
                    patch.relocation.offset
                );
                findings.note(&rules::LINK_OFFSET, entry, message);
                continue;
            }
            let code = patch.segment == Segment::Code;
            if code && (patch.relocation.kind == 4 || patch.name.is_empty()) {
                continue;
            }
            if !self.symbols.contains_key(patch.name) {
                failed = true;
                let message = format!("nobody defines {}", String::from_utf8_lossy(patch.name));
                findings.note(&rules::LINK_UNDEFINED, entry, message);
                continue;
            }
            if !matches!(patch.relocation.kind, 1..=3 | 7) {
                let message = format!("a relocation of type {}", patch.relocation.kind);
                return Err(findings.stop(&rules::RELOCATION_TYPE, entry, message));
            }
        }
        if failed { Err(Stop) } else { Ok(()) }
    }

    /// A function that is called must be in the list of functions, if there is such a list.
    fn functions_known(&self, module: &Module<'_>, findings: &mut Findings) -> Result<(), Stop> {
        if module.functions.is_empty() {
            return Ok(());
        }
        let listed = |name: &[u8]| module.functions.contains(&name);
        for patch in self
            .patches
            .iter()
            .filter(|patch| patch.segment == Segment::Code)
        {
            if !self.functions.iter().any(|(name, ..)| *name == patch.name) {
                continue;
            }
            let offset = patch.relocation.offset;
            let caller = match patch.owner == FUNCTIONS {
                false => Some(patch.name),
                true => {
                    let caller = self.functions.iter().find(|(_, start, size)| {
                        offset >= *start && offset < start.saturating_add(*size)
                    });
                    caller.map(|(name, ..)| *name)
                }
            };
            let Some(caller) = caller else { continue };
            if let Some(name) = [patch.name, caller].into_iter().find(|name| !listed(name)) {
                let message = format!(
                    "{} is not in the list of functions",
                    String::from_utf8_lossy(name)
                );
                return Err(findings.stop(&rules::LINK_FUNCTION, patch.relocation.entry, message));
            }
        }
        Ok(())
    }
}
