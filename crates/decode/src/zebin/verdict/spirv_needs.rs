//! What a SPIR-V module needs of a device when the driver compiles it, as far as one pass over its
//! instructions tells. Not the capabilities decide, but what the functions use: the compiler (IGC)
//! accepts a capability that the device lacks if no code needs it (observed).

use std::collections::{HashMap, HashSet};

use super::requirements::sub_group_text;
use crate::device::{Device, ProductFamily};
use crate::elf::section::SectionType;
use crate::spirv;
use crate::spirv::opcodes::{
    OP_CAPABILITY, OP_DECORATE, OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_EXT_INST, OP_FUNCTION,
    OP_FUNCTION_CALL, OP_FUNCTION_END, OP_NAME, OP_RETURN_VALUE, OP_STORE, OP_TYPE_FLOAT,
    OP_TYPE_IMAGE, OP_TYPE_SAMPLED_IMAGE, OP_TYPE_VECTOR,
};
use zeview_core::model::{Sources, Span};

/// What a module needs.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct SpirvNeeds {
    /// The first instruction with 64-bit floating-point values, and its function.
    pub double: Option<(String, Span)>,
    /// Whether the module declares 64-bit floating-point arithmetic.
    pub declares_double: Option<Span>,
    /// The first instruction that uses an image, and its function.
    pub image: Option<(String, Span)>,
    /// The sub-group sizes that kernels require.
    pub sub_groups: Vec<(String, u32, Span)>,
    /// The capability of enqueuing kernels on the device.
    pub enqueue: Option<Span>,
    /// Whether the module is for the vector compiler, whose kernels have sub-groups of one.
    pub is_vector: bool,
    /// The functions and variables that other modules must define.
    pub imports: Vec<(String, Span)>,
}

/// The driver's result of compiling a module.
#[derive(Debug, PartialEq, Eq)]
pub enum Compilation {
    /// It compiles, as far as one pass tells.
    Works,
    /// It compiles; a remark.
    WorksBecause(Span, String),
    /// It fails: the bytes and the reason.
    Fails(Span, String),
    /// Only compiling can tell: the bytes and the reason.
    Unknown(Span, String),
}

const MAGIC: u32 = 0x0723_0203;
const HEADER_WORDS: usize = 5;
/// Maximum length of a module that is read, in bytes.
const LENGTH_MAX: u64 = 64 << 20;

const CAPABILITY_FLOAT64: u32 = 10;
const CAPABILITY_DEVICE_ENQUEUE: u32 = 19;
const CAPABILITY_VECTOR_COMPUTE: u32 = 5617;
const MODE_SUBGROUP_SIZE: u32 = 35;
const DECORATION_BUILT_IN: u32 = 11;
const DECORATION_LINKAGE: u32 = 41;
const LINKAGE_IMPORT: u32 = 1;

/// Instructions all of whose operands after the result are values: their types matter, not only
/// the result's.
fn has_value_operands(opcode: u16) -> bool {
    matches!(
        opcode,
        OP_FUNCTION_CALL | OP_STORE | OP_RETURN_VALUE | 109 | 110 | 111 | 112 | 115 | 124 | 126
            ..=191
    )
}

impl SpirvNeeds {
    /// Reads a module. Returns `None` if the bytes are no SPIR-V module, or cannot be read.
    pub fn read(sources: &Sources, span: Span) -> Option<SpirvNeeds> {
        if span.len() > LENGTH_MAX {
            return None;
        }
        let bytes = sources.read(span).ok()?;
        let is_big = bytes.starts_with(&MAGIC.to_be_bytes());
        if !is_big && !bytes.starts_with(&MAGIC.to_le_bytes()) {
            return None;
        }
        let words: Vec<u32> = bytes
            .chunks_exact(4)
            .filter_map(|word| word.first_chunk().copied())
            .map(|word| {
                if is_big {
                    u32::from_be_bytes(word)
                } else {
                    u32::from_le_bytes(word)
                }
            })
            .collect();
        let mut walk = Walk {
            words: &words,
            span,
            needs: SpirvNeeds::default(),
            doubles: HashSet::new(),
            double_values: HashSet::new(),
            images: HashSet::new(),
            imports: Vec::new(),
            built_ins: HashSet::new(),
            names: HashMap::new(),
            function: None,
        };
        let mut at = HEADER_WORDS;
        while let Some(first) = words.get(at) {
            let count = usize::try_from(first >> 16).unwrap_or(0);
            let opcode = u16::try_from(first & 0xffff).unwrap_or(0);
            let Some(operands) = words.get(at + 1..at + count) else {
                break;
            };
            if count == 0 {
                break;
            }
            walk.instruction(opcode, operands, at, count);
            at += count;
        }
        let imports = walk.imports.into_iter();
        let imports = imports.filter(|(id, ..)| !walk.built_ins.contains(id));
        walk.needs.imports = imports.map(|(_, name, place)| (name, place)).collect();
        Some(walk.needs)
    }

    /// Predicts whether the driver compiles the module for a device, with the compiler options.
    pub fn compile(&self, device: &Device, options: &str) -> Compilation {
        let Some(properties) = device.properties() else {
            return Compilation::Works;
        };
        let name = device.name();
        if let Some(span) = self.enqueue {
            let why =
                "the module enqueues kernels on the device, which the compiler does not support";
            return Compilation::Fails(span, why.to_owned());
        }
        for (kernel, size, span) in &self.sub_groups {
            let is_vector = self.is_vector && *size == 1;
            if !is_vector && !properties.sub_groups.contains(size) {
                let why = sub_group_text((*size).into(), &name, properties);
                return Compilation::Fails(*span, format!("{kernel} {why}"));
            }
        }
        // For Crescent Island, which has no images either, the compiler accepts them (observed).
        let has_images = properties.images || device.product != ProductFamily::IGFX_PVC;
        if let Some((function, span)) = self.image.as_ref().filter(|_| !has_images) {
            let why = format!("{function} requires images, which {name} lacks");
            return Compilation::Fails(*span, why);
        }
        if properties.fp64 {
            return Compilation::Works;
        }
        let Some((function, span)) = &self.double else {
            return match self.declares_double {
                Some(span) => Compilation::WorksBecause(
                    span,
                    format!(
                        "it declares the capability Float64, which {name} lacks, but no function uses it"
                    ),
                ),
                None => Compilation::Works,
            };
        };
        let why = format!("{function} requires fp64, which {name} lacks");
        if options.contains("poison-unsupported-fp64-kernels") {
            let why = format!("{why}: an option replaces such kernels, which must not be launched");
            return Compilation::WorksBecause(*span, why);
        }
        if properties.fp64_emulation && options.contains("fp64-gen-emu") {
            let why = format!("{why}: an option makes the compiler emulate it");
            return Compilation::WorksBecause(*span, why);
        }
        if properties.fp64_emulation && options.contains("fp64-gen-conv-emu") {
            let why = format!(
                "{why}: an option makes the compiler emulate conversions, and only compiling tells whether the code needs more"
            );
            return Compilation::Unknown(*span, why);
        }
        Compilation::Fails(*span, why)
    }
}

/// Finds the SPIR-V in an image without native code, and the compiler options beside it: the image
/// itself, or a legacy OpenCL ELF such as `generic_ir` of archives.
pub fn find_module(sources: &Sources, image: Span) -> Option<(Span, String)> {
    const SECTIONS_MAX: u16 = 256;
    let read = |start: u64, len: u64| {
        let bytes = sources.read(image.subspan(start, len)).ok()?;
        (bytes.len() as u64 == len).then_some(bytes)
    };
    let is_module = |span: Span| {
        let head = sources.read(span.subspan(0, 4));
        head.is_ok_and(|head| spirv::is_module(&head))
    };
    if is_module(image) {
        return Some((image, String::new()));
    }
    let header = read(0, 64).filter(|header| header.starts_with(b"\x7fELF\x02"))?;
    let number = |bytes: &[u8], at: usize| -> Option<u64> {
        Some(u64::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
    };
    let half = |bytes: &[u8], at: usize| -> Option<u16> {
        Some(u16::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
    };
    let (table, count) = (number(&header, 40)?, half(&header, 60)?);
    let (mut found, mut options) = (None, String::new());
    for index in 0..count.min(SECTIONS_MAX) {
        let start = table.checked_add(u64::from(index) * 64)?;
        let section = read(start, 64)?;
        let kind = u32::from_le_bytes(*section.get(4..)?.first_chunk()?);
        let (offset, size) = (number(&section, 24)?, number(&section, 32)?);
        let span = image.subspan(offset, size);
        if kind == SectionType::SHT_OPENCL_OPTIONS.0 {
            let bytes = sources.read(span).ok()?;
            options = String::from_utf8_lossy(&bytes).into_owned();
        } else if span.len() >= 4 && is_module(span) {
            found = Some(span);
        }
    }
    Some((found?, options))
}

/// The state of a pass over the instructions.
struct Walk<'a> {
    words: &'a [u32],
    span: Span,
    needs: SpirvNeeds,
    /// Types of 64-bit floating-point values and vectors of them.
    doubles: HashSet<u32>,
    /// Values of these types.
    double_values: HashSet<u32>,
    /// Types of images.
    images: HashSet<u32>,
    /// Functions and variables with import linkage.
    imports: Vec<(u32, String, Span)>,
    /// Variables that the compiler provides, such as the global id. LLVM's translator declares them
    /// with import linkage.
    built_ins: HashSet<u32>,
    /// The names of functions: those of entry points, or else the compiler's.
    names: HashMap<u32, String>,
    /// The current function.
    function: Option<u32>,
}

impl Walk<'_> {
    fn place(&self, at: usize, count: usize) -> Span {
        self.span.subspan(at as u64 * 4, count as u64 * 4)
    }

    /// A text that starts at a word.
    fn text(&self, at: usize) -> String {
        let rest = self.words.get(at..).unwrap_or(&[]);
        let bytes = rest.iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = bytes.take_while(|byte| *byte != 0).take(4096).collect();
        String::from_utf8_lossy(&bytes).into_owned()
    }

    fn function_text(&self) -> String {
        let name = self.function.and_then(|id| self.names.get(&id));
        match name.map_or("", String::as_str) {
            "" => "a function".to_owned(),
            name => name.to_owned(),
        }
    }

    fn instruction(&mut self, opcode: u16, operands: &[u32], at: usize, count: usize) {
        let operand = |index: usize| operands.get(index).copied();
        let place = self.place(at, count);
        match opcode {
            OP_CAPABILITY => match operand(0) {
                Some(CAPABILITY_FLOAT64) => self.needs.declares_double = Some(place),
                Some(CAPABILITY_VECTOR_COMPUTE) => self.needs.is_vector = true,
                Some(CAPABILITY_DEVICE_ENQUEUE) => self.needs.enqueue = Some(place),
                _ => {}
            },
            OP_ENTRY_POINT => {
                if let Some(id) = operand(1) {
                    let name = self.text(at + 3);
                    self.names.insert(id, format!("kernel {name}"));
                }
            }
            OP_NAME => {
                if let Some(id) = operand(0) {
                    let name = self.text(at + 2);
                    self.names.entry(id).or_insert(format!("function {name}"));
                }
            }
            OP_EXECUTION_MODE if operand(1) == Some(MODE_SUBGROUP_SIZE) => {
                if let (Some(id), Some(size)) = (operand(0), operand(2)) {
                    let name = self.names.get(&id).cloned().unwrap_or_default();
                    self.needs.sub_groups.push((name, size, place));
                }
            }
            OP_DECORATE if operand(1) == Some(DECORATION_LINKAGE) => {
                if operands.last() == Some(&LINKAGE_IMPORT) {
                    let id = operand(0).unwrap_or_default();
                    self.imports.push((id, self.text(at + 3), place));
                }
            }
            OP_DECORATE if operand(1) == Some(DECORATION_BUILT_IN) => {
                self.built_ins.extend(operand(0));
            }
            OP_TYPE_FLOAT if operand(1) == Some(64) => {
                self.doubles.extend(operand(0));
            }
            OP_TYPE_VECTOR => {
                if operand(1).is_some_and(|of| self.doubles.contains(&of)) {
                    self.doubles.extend(operand(0));
                }
            }
            OP_TYPE_IMAGE | OP_TYPE_SAMPLED_IMAGE => self.images.extend(operand(0)),
            OP_FUNCTION => self.function = operand(1),
            OP_FUNCTION_END => self.function = None,
            _ => self.value(opcode, operands, place),
        }
    }

    /// Looks at the types of an instruction's values.
    fn value(&mut self, opcode: u16, operands: &[u32], place: Span) {
        let first = operands.first().copied().unwrap_or(0);
        let is_double = self.doubles.contains(&first);
        if is_double {
            self.double_values.extend(operands.get(1));
        }
        // Types and constants alone do not make the compiler refuse a module.
        if self.function.is_none() {
            return;
        }
        let values = match opcode {
            OP_EXT_INST => operands.get(4..).unwrap_or(&[]),
            _ if has_value_operands(opcode) => operands,
            _ => &[],
        };
        let has_double = values.iter().any(|id| self.double_values.contains(id));
        if (is_double || has_double) && self.needs.double.is_none() {
            self.needs.double = Some((self.function_text(), place));
        }
        if self.images.contains(&first) && self.needs.image.is_none() {
            self.needs.image = Some((self.function_text(), place));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeview_core::model::{MemorySource, SourceId};

    /// Writes an instruction.
    fn op(opcode: u32, operands: &[u32]) -> Vec<u32> {
        let count = u32::try_from(operands.len() + 1).unwrap();
        let mut words = vec![(count << 16) | opcode];
        words.extend(operands);
        words
    }

    fn needs(instructions: &[Vec<u32>], is_big: bool) -> SpirvNeeds {
        let header = [MAGIC, 0x0001_0000, 0, 100, 0];
        let words = header.iter().chain(instructions.iter().flatten());
        let bytes = words.flat_map(|word| {
            if is_big {
                word.to_be_bytes()
            } else {
                word.to_le_bytes()
            }
        });
        let bytes: Vec<u8> = bytes.collect();
        let sources = Sources::new("test", Box::new(MemorySource::from(bytes)));
        SpirvNeeds::read(&sources, sources.whole(SourceId::FILE)).unwrap()
    }

    /// A module with a kernel `k` that has these instructions.
    fn module(body: &[Vec<u32>]) -> Vec<Vec<u32>> {
        let mut all = vec![
            op(17, &[10]),
            op(15, &[6, 1, u32::from(b'k')]),
            op(22, &[2, 64]),
            op(22, &[3, 32]),
            op(43, &[2, 4, 0, 0]),
            op(54, &[9, 1, 0, 9]),
        ];
        all.extend(body.iter().cloned());
        all.push(op(56, &[]));
        all
    }

    fn device(name: &str) -> Device {
        Device::named(name).unwrap()
    }

    #[test]
    fn doubles_count_if_code_uses_them() {
        let unused = needs(&module(&[]), false);
        assert_eq!(unused.double, None);
        assert!(matches!(
            unused.compile(&device("dg2"), ""),
            Compilation::WorksBecause(_, why) if why.contains("Float64")
        ));
        assert_eq!(unused.compile(&device("bmg"), ""), Compilation::Works);
        // An addition, and a constant that is passed on.
        for body in [
            op(129, &[2, 5, 4, 4]),
            op(62, &[8, 4]),
            op(12, &[3, 5, 1, 2, 4]),
        ] {
            for is_big in [false, true] {
                let used = needs(&module(std::slice::from_ref(&body)), is_big);
                let Compilation::Fails(_, why) = used.compile(&device("dg2"), "") else {
                    panic!("{body:?}");
                };
                assert_eq!(why, "kernel k requires fp64, which acm-g10 lacks");
                assert_eq!(used.compile(&device("pvc"), ""), Compilation::Works);
            }
        }
        assert_eq!(
            needs(&module(&[op(129, &[3, 5, 6, 7])]), false).double,
            None
        );
    }

    #[test]
    fn options_decide_about_doubles() {
        let used = needs(&module(&[op(129, &[2, 5, 4, 4])]), false);
        let emulated = "-ze-opt-fp64-gen-emu";
        let poisoned = "-ze-opt-poison-unsupported-fp64-kernels";
        let works = |device_name, options| {
            matches!(
                used.compile(&device(device_name), options),
                Compilation::WorksBecause(..)
            )
        };
        assert!(works("dg2", emulated));
        assert!(!works("tgllp", emulated));
        assert!(works("dg2", poisoned) && works("tgllp", poisoned));
        let conversions = "-ze-opt-fp64-gen-conv-emu";
        assert!(matches!(
            used.compile(&device("dg2"), conversions),
            Compilation::Unknown(_, why) if why.contains("only compiling")
        ));
    }

    #[test]
    fn images_sub_groups_enqueue_and_imports() {
        let image = needs(
            &[
                op(25, &[5, 2, 0, 0, 0, 0, 0, 0, 0]),
                op(54, &[9, 1, 0, 9]),
                op(61, &[5, 7, 8]),
                op(56, &[]),
            ],
            false,
        );
        assert!(
            matches!(image.compile(&device("pvc"), ""), Compilation::Fails(_, why) if why.contains("images"))
        );
        assert_eq!(image.compile(&device("bmg"), ""), Compilation::Works);
        let mode = needs(
            &[op(15, &[6, 1, u32::from(b'k')]), op(16, &[1, 35, 8])],
            false,
        );
        assert!(
            matches!(mode.compile(&device("pvc"), ""), Compilation::Fails(_, why) if why.starts_with("kernel k requires sub-group size 8"))
        );
        assert_eq!(mode.compile(&device("dg2"), ""), Compilation::Works);
        let vector = needs(
            &[
                op(17, &[5617]),
                op(15, &[6, 1, u32::from(b'k')]),
                op(16, &[1, 35, 1]),
            ],
            false,
        );
        assert_eq!(vector.compile(&device("pvc"), ""), Compilation::Works);
        let enqueue = needs(&[op(17, &[19])], false);
        assert!(matches!(
            enqueue.compile(&device("bmg"), ""),
            Compilation::Fails(..)
        ));
        let import = needs(&[op(71, &[7, 41, u32::from(b'f'), 1])], false);
        assert_eq!(import.imports.len(), 1);
        assert_eq!(import.imports[0].0, "f");
        // The global id, in either order of the decorations.
        let linkage = op(71, &[7, 41, u32::from(b'g'), 1]);
        let built_in = op(71, &[7, 11, 28]);
        for ops in [[linkage.clone(), built_in.clone()], [built_in, linkage]] {
            assert!(needs(&ops, false).imports.is_empty());
        }
        assert!(
            needs(&[op(71, &[7, 41, u32::from(b'f'), 0])], false)
                .imports
                .is_empty()
        );
    }
}
