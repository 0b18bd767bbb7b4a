//! Friendly names of ids, as SPIRV-Tools makes them: from OpName, built-ins, types and constants.
//! Each name is used for one id.

use foldhash::{HashMap, HashSet};

use super::grammar::Kind;
use super::module::{Instruction, Module, result_at};
use super::number;
use super::opcodes::{OP_DECORATE, OP_NAME, OP_TYPE_OPAQUE};
use super::operands::{Definitions, NumberForm};
use super::words::string;
use crate::limits;

const BUILT_IN: u32 = 11;

/// Names of ids. An id without one is written as its number.
#[derive(Default)]
pub(super) struct Names(HashMap<u32, Box<str>>);

/// A set of ids: bits for those that a module of its size can have.
struct IdSet {
    bits: Vec<u64>,
    others: HashSet<u32>,
}

impl IdSet {
    fn new(most: u32) -> IdSet {
        let words = usize::try_from(most / 64).unwrap_or(0) + 1;
        IdSet {
            bits: vec![0; words],
            others: HashSet::default(),
        }
    }

    /// Returns whether the id is new.
    fn insert(&mut self, id: u32) -> bool {
        let word = usize::try_from(id / 64).unwrap_or(usize::MAX);
        let Some(word) = self.bits.get_mut(word) else {
            return self.others.insert(id);
        };
        let bit = 1 << (id % 64);
        let is_new = *word & bit == 0;
        *word |= bit;
        is_new
    }

    fn contains(&self, id: u32) -> bool {
        let word = usize::try_from(id / 64).unwrap_or(usize::MAX);
        match self.bits.get(word) {
            Some(word) => word & (1 << (id % 64)) != 0,
            None => self.others.contains(&id),
        }
    }
}

/// The names that are in use. Most are numbers, which take no memory of their own.
struct Maker<'a> {
    module: &'a Module,
    names: HashMap<u32, Box<str>>,
    /// The ids with a name.
    named: IdSet,
    /// The numbers that are in use as names.
    numbers: IdSet,
    texts: HashSet<Box<str>>,
    /// The number to try first after a name that is in use.
    next: HashMap<Box<str>, u32>,
    /// Bytes left for names that are made from others.
    left: usize,
}

/// Returns the number that a text is, as numbers are written.
fn canonical(text: &str) -> Option<u32> {
    let is_canonical = text == "0" || !text.starts_with('0');
    let digits = text.bytes().all(|byte| byte.is_ascii_digit());
    (digits && is_canonical).then(|| text.parse().ok())?
}

/// Replaces the characters that ids cannot have.
fn sanitized(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "_".to_owned();
    }
    let valid = |byte: &u8| {
        if byte.is_ascii_alphanumeric() {
            char::from(*byte)
        } else {
            '_'
        }
    };
    bytes.iter().map(valid).collect()
}

impl Names {
    /// Makes the names in one pass over the module.
    pub(super) fn new(module: &Module) -> Names {
        let most = module.words();
        let mut maker = Maker {
            module,
            names: HashMap::default(),
            named: IdSet::new(most),
            numbers: IdSet::new(most),
            texts: HashSet::default(),
            next: HashMap::default(),
            left: limits::SPIRV_NAMES,
        };
        let mut instruction = Instruction::default();
        for number in 0..module.instructions() {
            if module.read_instruction(number, &mut instruction) {
                maker.note(&instruction);
            }
        }
        Names(maker.names)
    }

    /// Appends the name of an id.
    pub(super) fn write(&self, id: u32, out: &mut Vec<u8>) {
        match self.0.get(&id) {
            Some(name) => out.extend_from_slice(name.as_bytes()),
            None => out.extend_from_slice(id.to_string().as_bytes()),
        }
    }
}

impl Maker<'_> {
    fn note(&mut self, instruction: &Instruction) {
        let word = |at: usize| instruction.words.get(at).copied();
        let Some(grammar) = instruction.grammar else {
            return;
        };
        let result = result_at(grammar).and_then(|at| word(usize::try_from(at).ok()?));
        match (instruction.opcode, result) {
            (OP_NAME, _) => {
                let text = instruction.words.get(2..).unwrap_or_default();
                if let Some(id) = word(1) {
                    self.save(id, &sanitized(&string(text)));
                }
            }
            (OP_DECORATE, _) => {
                if let (Some(id), Some(BUILT_IN), Some(value)) = (word(1), word(2), word(3))
                    && let Some(name) = built_in(value)
                {
                    self.save(id, &name);
                }
            }
            (_, Some(result)) if !self.named.contains(result) => {
                match self.made(instruction, result) {
                    Some(name) => self.save_made(result, name),
                    None => self.save_number(result),
                }
            }
            _ => {}
        }
    }

    /// Returns the name of a type or constant.
    fn made(&self, instruction: &Instruction, result: u32) -> Option<String> {
        let word = |at: usize| instruction.words.get(at).copied();
        let named = |at: usize| Some(self.name(word(at)?));
        let class = |kind: &str, at: usize| {
            let value = word(at)?;
            let operands = instruction.grammar?.operands.iter();
            let mut kinds = operands.map(|operand| operand.kind);
            let kind = kinds.find(|of| of.enumeration().is_some_and(|of| of.title == kind))?;
            let found = kind.enumerant(value);
            Some(found.map_or_else(|| format!("StorageClass{value}"), |of| of.name.to_owned()))
        };
        Some(match instruction.opcode {
            19 => "void".to_owned(),
            20 => "bool".to_owned(),
            21 => integer(word(2)?, word(3)?),
            22 => float(word(2)?, word(3)),
            23 => format!("v{}{}", word(3)?, named(2)?),
            24 => format!("mat{}{}", word(3)?, named(2)?),
            28 => format!("_arr_{}_{}", named(2)?, named(3)?),
            29 => format!("_runtimearr_{}", named(2)?),
            30 => format!("_struct_{result}"),
            OP_TYPE_OPAQUE => {
                let name = string(instruction.words.get(2..)?);
                format!("Opaque_{}", sanitized(&name))
            }
            32 => format!("_ptr_{}_{}", class("Storage Class", 2)?, named(3)?),
            34 => "Event".to_owned(),
            35 => "DeviceEvent".to_owned(),
            36 => "ReserveId".to_owned(),
            37 => "Queue".to_owned(),
            38 => format!("Pipe{}", class("Access Qualifier", 2)?),
            41 => "true".to_owned(),
            42 => "false".to_owned(),
            43 => {
                let ty = word(1)?;
                let number = self.module.number(ty)?;
                let value = number::literal(instruction.words.get(3..)?, number);
                let value = value.replace('-', "n");
                format!("{}_{}", self.name(ty), sanitized_value(&value))
            }
            322 => "PipeStorage".to_owned(),
            327 => "NamedBarrier".to_owned(),
            4417 => format!("_ptr_{}", class("Storage Class", 2)?),
            5076 => format!("_payloadarr_{}", named(2)?),
            _ => return None,
        })
    }

    fn name(&self, id: u32) -> String {
        match self.names.get(&id) {
            Some(name) => name.to_string(),
            None => id.to_string(),
        }
    }

    /// Gives an id its number as name, if it has none.
    fn save_number(&mut self, id: u32) {
        if !self.named.contains(id) {
            if self.numbers.insert(id) {
                self.named.insert(id);
            } else {
                self.save(id, &id.to_string());
            }
        }
    }

    fn save_made(&mut self, id: u32, name: String) {
        if name.len() > limits::SPIRV_NAME || name.len() > self.left {
            return self.save_number(id);
        }
        self.left -= name.len();
        self.save(id, &name);
    }

    /// Gives an id a name, if it has none. A number follows if the name is in use.
    fn save(&mut self, id: u32, suggested: &str) {
        if !self.named.insert(id) {
            return;
        }
        let mut name: Box<str> = suggested.into();
        if !self.take(&name) {
            let mut number = self.next.get(suggested).copied().unwrap_or(0);
            name = loop {
                let name = format!("{suggested}_{number}").into_boxed_str();
                number = number.saturating_add(1);
                // The numbers do not run out: each one is taken by another id.
                if self.take(&name) || number == u32::MAX {
                    break name;
                }
            };
            self.next.insert(suggested.into(), number);
        }
        if canonical(&name) != Some(id) {
            self.names.insert(id, name);
        }
    }

    /// Returns whether a name was not in use.
    fn take(&mut self, name: &str) -> bool {
        match canonical(name) {
            Some(number) => self.numbers.insert(number),
            None => self.texts.insert(name.into()),
        }
    }
}

/// Replaces the characters of a number that ids cannot have; it may be empty.
fn sanitized_value(value: &str) -> String {
    if value.is_empty() {
        String::new()
    } else {
        sanitized(value.as_bytes())
    }
}

fn integer(bits: u32, signed: u32) -> String {
    let sign = if signed == 0 { "u" } else { "" };
    match bits {
        8 => format!("{sign}char"),
        16 => format!("{sign}short"),
        32 => format!("{sign}int"),
        64 => format!("{sign}long"),
        bits if signed == 0 => format!("u{bits}"),
        bits => format!("i{bits}"),
    }
}

fn float(bits: u32, encoding: Option<u32>) -> String {
    let name = match (encoding, bits) {
        (Some(NumberForm::BFLOAT16), _) => "bfloat16",
        (Some(NumberForm::FLOAT8_E4M3), _) => "fp8e4m3",
        (Some(NumberForm::FLOAT8_E5M2), _) => "fp8e5m2",
        (_, 16) => "half",
        (_, 32) => "float",
        (_, 64) => "double",
        (_, bits) => return format!("fp{bits}"),
    };
    name.to_owned()
}

/// Returns the name of a variable with a built-in value: as in GLSL, or as in the grammar; `None`
/// for those that SPIRV-Tools does not name.
fn built_in(value: u32) -> Option<String> {
    // Position to LocalInvocationIndex, and VertexIndex, InstanceIndex, BaseInstance.
    const GLSL: [(u32, u32); 2] = [(0, 29), (42, 43)];
    const BASE_INSTANCE: u32 = 4425;
    // WorkDim to SubgroupLocalInvocationId, and SubgroupEqMask to SubgroupLtMask.
    const OTHERS: [(u32, u32); 2] = [(30, 41), (4416, 4420)];
    let is_in = |ranges: &[(u32, u32)]| {
        ranges
            .iter()
            .any(|(first, last)| (*first..=*last).contains(&value))
    };
    let is_glsl = value == BASE_INSTANCE || is_in(&GLSL);
    if !is_glsl && !is_in(&OTHERS) {
        return None;
    }
    let name = Kind::titled("BuiltIn")?.enumerant(value)?.name;
    if !is_glsl {
        // The names of the extension.
        let is_mask = name.starts_with("Subgroup") && name.ends_with("Mask");
        return Some(format!("{name}{}", if is_mask { "KHR" } else { "" }));
    }
    Some(match name {
        "NumWorkgroups" => "gl_NumWorkGroups".to_owned(),
        "WorkgroupSize" => "gl_WorkGroupSize".to_owned(),
        "WorkgroupId" => "gl_WorkGroupID".to_owned(),
        name => match name.strip_suffix("Id") {
            Some(name) => format!("gl_{name}ID"),
            None => format!("gl_{name}"),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_canonical() {
        let cases = [
            ("0", Some(0)),
            ("12", Some(12)),
            ("01", None),
            ("", None),
            ("1_0", None),
        ];
        for (text, number) in cases {
            assert_eq!(canonical(text), number, "{text}");
        }
        assert_eq!(canonical("4294967296"), None);
    }

    #[test]
    fn built_ins_have_names_of_glsl() {
        let cases = [
            (0, Some("gl_Position")),
            (5, Some("gl_VertexID")),
            (24, Some("gl_NumWorkGroups")),
            (28, Some("gl_GlobalInvocationID")),
            (29, Some("gl_LocalInvocationIndex")),
            (34, Some("GlobalLinearId")),
            (41, Some("SubgroupLocalInvocationId")),
            (42, Some("gl_VertexIndex")),
            (4416, Some("SubgroupEqMaskKHR")),
            (4424, None),
            (4425, Some("gl_BaseInstance")),
        ];
        for (value, name) in cases {
            assert_eq!(built_in(value).as_deref(), name, "{value}");
        }
    }
}
