//! The kernels of a module: its entry points of the execution model Kernel, with their arguments
//! and the sizes that they require. Figures of native code are unknown.
//!
//! The entry points precede all types and functions (SPIR-V, 2.4), so their names are read without
//! the rest of the module. Types and parameters take one more pass over its instructions, and the
//! names of arguments another one.

use std::cell::OnceCell;
use std::rc::Rc;

use foldhash::{HashMap, HashSet};

use super::bodies::bodies;
use super::digest;
use super::opcodes::{
    OP_CONSTANT, OP_DECORATE, OP_ENTRY_POINT, OP_EXECUTION_MODE, OP_EXECUTION_MODE_ID, OP_FUNCTION,
    OP_FUNCTION_PARAMETER, OP_MEMORY_MODEL, OP_NAME, OP_STRING, OP_TYPE_BOOL, OP_TYPE_FLOAT,
    OP_TYPE_IMAGE, OP_TYPE_INT, OP_TYPE_LAST, OP_TYPE_POINTER, OP_TYPE_SAMPLER, OP_TYPE_VECTOR,
};
use super::words::{Words, text};
use crate::demangle::demangle;
use zeview_core::analysis::assembly::Mix;
use zeview_core::analysis::data_flow::FlowCounts;
use zeview_core::analysis::kernels::{
    CodeDigest, KernelDetail, KernelRow, Kernels, Located, Payload, SourceArgument,
};
use zeview_core::analysis::occupancy::{Occupancy, OccupancyParameters};
use zeview_core::model::{Sources, Span};

const MODEL_KERNEL: u32 = 6;
const MODE_LOCAL_SIZE: u32 = 17;
const MODE_SUBGROUP_SIZE: u32 = 35;
const MODE_LOCAL_SIZE_ID: u32 = 38;
const DECORATION_FUNC_PARAM_ATTR: u32 = 38;
const ATTRIBUTE_BY_VALUE: u32 = 2;

/// Types in types beyond this depth are not written.
const DEPTH_MAX: u32 = 6;

/// An entry point.
pub(super) struct EntryPoint {
    /// The id of its function.
    id: u32,
    /// Its name, with its bytes.
    pub(super) name: Located<String>,
    /// The instruction.
    entry: Span,
    sub_group: Located<i64>,
    work_group: Located<[i64; 3]>,
    /// The ids of the constants that are the required work-group size.
    work_group_ids: Option<[u32; 3]>,
}

/// Reads the kernels of a module and the sizes that they require: only the instructions before the
/// names and types. Without `modes`, stops before the execution modes.
pub(super) fn entry_points(sources: &Sources, module: Span, modes: bool) -> Vec<EntryPoint> {
    let Some(mut words) = Words::new(sources, module) else {
        return Vec::new();
    };
    let mut found: Vec<EntryPoint> = Vec::new();
    let mut known: HashMap<u32, Vec<usize>> = HashMap::default();
    while let Some((opcode, operands, span)) = words.next() {
        match (opcode, operands.as_slice()) {
            // Capabilities, extensions, sets of instructions.
            (10 | 11 | 17 | OP_MEMORY_MODEL, _) => {}
            (OP_ENTRY_POINT, [MODEL_KERNEL, id, rest @ ..]) => {
                let (name, len) = text(rest);
                known.entry(*id).or_default().push(found.len());
                found.push(EntryPoint {
                    id: *id,
                    name: Located::at(name, span.subspan(12, len)),
                    entry: span,
                    sub_group: Located::default(),
                    work_group: Located::default(),
                    work_group_ids: None,
                });
            }
            (OP_ENTRY_POINT, _) => {}
            (OP_EXECUTION_MODE | OP_EXECUTION_MODE_ID, [id, mode, sizes @ ..]) if modes => {
                for entry in known.get(id).into_iter().flatten() {
                    let Some(entry) = found.get_mut(*entry) else {
                        continue;
                    };
                    match (*mode, sizes) {
                        (MODE_SUBGROUP_SIZE, [size]) => {
                            entry.sub_group = Located::at((*size).into(), span);
                        }
                        (MODE_LOCAL_SIZE, [x, y, z]) => {
                            entry.work_group = Located::at([*x, *y, *z].map(i64::from), span);
                        }
                        (MODE_LOCAL_SIZE_ID, [x, y, z]) => {
                            entry.work_group_ids = Some([*x, *y, *z]);
                            entry.work_group.span = Some(span);
                        }
                        _ => {}
                    }
                }
            }
            (OP_EXECUTION_MODE | OP_EXECUTION_MODE_ID, _) if modes => {}
            _ => break,
        }
    }
    found
}

/// The kernels of a module, read on demand.
pub struct SpirvKernels {
    module: Span,
    /// The kernels that are left out, because they also have native code.
    except: HashSet<String>,
    read: OnceCell<Read>,
    names: OnceCell<Names>,
}

/// The kernels with the types of their arguments.
#[derive(Default)]
struct Read {
    rows: Rc<Vec<KernelRow>>,
    /// The function of each kernel.
    functions: Vec<u32>,
    /// The parameters of these functions: the type, the id, and the instruction.
    parameters: HashMap<u32, Vec<(u32, u32, Span)>>,
    /// The opcode and first operands of types.
    types: HashMap<u32, (u16, Vec<u32>)>,
    /// Size of a pointer, in bytes.
    pointer: Option<u64>,
}

/// Names and source types that debug instructions state.
#[derive(Default)]
struct Names {
    of: HashMap<u32, String>,
    /// Source types and type qualifiers of the arguments of kernels, by kernel.
    types: HashMap<String, String>,
    qualifiers: HashMap<String, String>,
    by_value: HashSet<u32>,
}

impl SpirvKernels {
    /// The kernels of the module at `module`, except for those with these names.
    pub fn new(module: Span, except: HashSet<String>) -> SpirvKernels {
        SpirvKernels {
            module,
            except,
            read: OnceCell::new(),
            names: OnceCell::new(),
        }
    }

    fn read(&self, sources: &Sources) -> &Read {
        self.read.get_or_init(|| {
            let mut entries = entry_points(sources, self.module, true);
            entries.retain(|entry| !self.except.contains(&entry.name.value));
            if entries.is_empty() {
                return Read::default();
            }
            Read::new(sources, self.module, entries)
        })
    }

    fn names(&self, sources: &Sources) -> &Names {
        self.names.get_or_init(|| {
            let read = self.read(sources);
            Names::new(sources, self.module, read)
        })
    }

    fn arguments(&self, place: usize, sources: &Sources) -> Option<Vec<SourceArgument>> {
        let (read, names) = (self.read(sources), self.names(sources));
        let kernel = &read.rows.get(place)?.name.value;
        let parameters = read.parameters.get(read.functions.get(place)?)?;
        fn split<'a>(texts: &'a HashMap<String, String>, kernel: &str) -> Vec<&'a str> {
            let text = texts.get(kernel).map_or("", String::as_str);
            text.split(',').collect()
        }
        let types = split(&names.types, kernel);
        let qualifiers = split(&names.qualifiers, kernel);
        let arguments = parameters.iter().zip(0..).map(|((ty, id, span), index)| {
            let is_by_value = names.by_value.contains(id);
            let mut argument = read.argument(*ty, is_by_value, names);
            let stated = |texts: &[&str]| {
                let text = texts.get(usize::try_from(index).ok()?)?.trim();
                (!text.is_empty()).then(|| text.to_owned())
            };
            if let Some(ty) = stated(&types) {
                argument.type_name = Some(ty);
            }
            argument.type_qualifiers = stated(&qualifiers);
            argument.name = names.of.get(id).cloned();
            argument.index = index;
            argument.span = Some(*span);
            argument
        });
        Some(arguments.collect())
    }
}

impl Read {
    fn new(sources: &Sources, module: Span, mut entries: Vec<EntryPoint>) -> Read {
        let mut read = Read::default();
        let functions: HashSet<u32> = entries.iter().map(|entry| entry.id).collect();
        let ids = entries.iter().filter_map(|entry| entry.work_group_ids);
        let mut constants: HashMap<u32, Option<i64>> = ids.flatten().map(|id| (id, None)).collect();
        let mut function = None;
        let mut words = Words::new(sources, module);
        while let Some((opcode, operands, span)) = words.as_mut().and_then(Words::next) {
            match (opcode, operands.as_slice()) {
                (OP_MEMORY_MODEL, [addressing, _]) => {
                    read.pointer = match addressing {
                        1 => Some(4),
                        2 => Some(8),
                        _ => None,
                    };
                }
                (OP_TYPE_BOOL..=OP_TYPE_LAST, [id, rest @ ..]) => {
                    // Of an image, the eighth is the access qualifier; structs can have thousands
                    // of members.
                    let rest = rest.iter().take(8).copied().collect();
                    read.types.entry(*id).or_insert((opcode, rest));
                }
                (OP_CONSTANT, [_, id, value, ..]) => {
                    if let Some(known) = constants.get_mut(id) {
                        *known = Some((*value).into());
                    }
                }
                (OP_FUNCTION, [_, id, ..]) => {
                    function = functions.contains(id).then_some(*id);
                    if let Some(id) = function {
                        read.parameters.insert(id, Vec::new());
                    }
                }
                (OP_FUNCTION_PARAMETER, [ty, id]) => {
                    let list = function.and_then(|id| read.parameters.get_mut(&id));
                    if let Some(list) = list {
                        list.push((*ty, *id, span));
                    }
                }
                (_, _) => {
                    // Nothing else matters once all kernels are found.
                    let is_over = read.parameters.len() >= functions.len();
                    if is_over && function.is_some() {
                        break;
                    }
                }
            }
        }
        for entry in &mut entries {
            let size = entry.work_group_ids.and_then(|[x, y, z]| {
                let value = |id: u32| constants.get(&id).copied().flatten();
                Some([value(x)?, value(y)?, value(z)?])
            });
            match (entry.work_group_ids, size) {
                (None, _) => {}
                (Some(_), Some(size)) => entry.work_group.value = size,
                // A specialization constant, which the file does not determine.
                (Some(_), None) => entry.work_group.span = None,
            }
        }
        read.functions = entries.iter().map(|entry| entry.id).collect();
        let rows = entries.into_iter().zip(0..).map(|(entry, index)| {
            let parameters = read.parameters.get(&entry.id).map_or(0, Vec::len) as u64;
            KernelRow {
                index,
                is_spirv: true,
                demangled: demangle(&entry.name.value),
                name: entry.name,
                entry: entry.entry,
                required_sub_group_size: entry.sub_group,
                required_work_group_size: entry.work_group,
                argument_count: parameters,
                explicit_arguments: parameters,
                ..KernelRow::default()
            }
        });
        read.rows = Rc::new(rows.collect());
        read
    }

    /// Describes an argument of a type.
    fn argument(&self, ty: u32, is_by_value: bool, names: &Names) -> SourceArgument {
        let mut argument = SourceArgument::default();
        let mut shown = ty;
        match self.types.get(&ty) {
            Some((OP_TYPE_POINTER, operands)) => {
                if let (true, Some(to)) = (is_by_value, operands.get(1)) {
                    shown = *to;
                } else {
                    argument.type_size = self.pointer;
                    let qualifier = match operands.first() {
                        Some(0) => "__constant",
                        Some(4) => "__local",
                        Some(5) => "__global",
                        Some(7) => "__private",
                        Some(8) => "__generic",
                        _ => "",
                    };
                    argument.address_qualifier =
                        (!qualifier.is_empty()).then(|| qualifier.to_owned());
                }
            }
            Some((OP_TYPE_IMAGE, operands)) => {
                let access = match operands.get(7) {
                    Some(0) => Some("__read_only"),
                    Some(1) => Some("__write_only"),
                    Some(2) => Some("__read_write"),
                    _ => None,
                };
                argument.access_qualifier = access.map(str::to_owned);
            }
            _ => {}
        }
        argument.type_size = argument.type_size.or_else(|| self.size(shown, DEPTH_MAX));
        argument.type_name = self.type_text(shown, names, DEPTH_MAX);
        argument
    }

    /// Returns the size of a number or vector, in bytes.
    fn size(&self, ty: u32, depth: u32) -> Option<u64> {
        match (self.types.get(&ty)?, depth.checked_sub(1)?) {
            ((OP_TYPE_INT | OP_TYPE_FLOAT, operands), _) => {
                Some(u64::from(*operands.first()?).div_ceil(8))
            }
            ((OP_TYPE_VECTOR, operands), depth) => {
                let [of, count] = operands.as_slice() else {
                    return None;
                };
                // OpenCL C, 6.1.5: a vector of 3 is as large as one of 4.
                let count = if *count == 3 { 4 } else { u64::from(*count) };
                self.size(*of, depth)?.checked_mul(count)
            }
            _ => None,
        }
    }

    /// Formats a type. A module states the width of an integer, but not whether it is signed.
    fn type_text(&self, ty: u32, names: &Names, depth: u32) -> Option<String> {
        let (opcode, operands) = self.types.get(&ty)?;
        let depth = depth.checked_sub(1)?;
        let operand = |at: usize| operands.get(at).copied().unwrap_or(0);
        Some(match *opcode {
            OP_TYPE_BOOL => "bool".to_owned(),
            OP_TYPE_INT => format!("i{}", operand(0)),
            OP_TYPE_FLOAT => match operand(0) {
                16 => "half".to_owned(),
                32 => "float".to_owned(),
                64 => "double".to_owned(),
                bits => format!("f{bits}"),
            },
            OP_TYPE_VECTOR => {
                let of = self.type_text(operand(0), names, depth)?;
                format!("{of}x{}", operand(1))
            }
            OP_TYPE_IMAGE => {
                let dim = match operand(1) {
                    0 => "1d",
                    1 => "2d",
                    2 => "3d",
                    5 => "1d_buffer",
                    _ => return Some("image".to_owned()),
                };
                let array = if operand(3) == 1 { "_array" } else { "" };
                let depth = if operand(2) == 1 { "_depth" } else { "" };
                format!("image{dim}{array}{depth}_t")
            }
            OP_TYPE_SAMPLER => "sampler_t".to_owned(),
            OP_TYPE_POINTER => {
                let to = self.type_text(operand(1), names, depth);
                format!("{}*", to.unwrap_or_default())
            }
            34 => "event_t".to_owned(),
            35 => "clk_event_t".to_owned(),
            36 => "reserve_id_t".to_owned(),
            37 => "queue_t".to_owned(),
            OP_TYPE_LAST => "pipe".to_owned(),
            // Structs, arrays and opaque types.
            _ => names.of.get(&ty).cloned()?,
        })
    }
}

impl Names {
    fn new(sources: &Sources, module: Span, read: &Read) -> Names {
        let parameters = read.parameters.values().flatten();
        let wanted: HashSet<u32> = parameters.map(|(_, id, _)| *id).collect();
        let kernels = read.rows.iter();
        let kernels: HashSet<&str> = kernels.map(|row| row.name.value.as_str()).collect();
        let mut names = Names::default();
        let mut words = Words::new(sources, module);
        while let Some((opcode, operands, _)) = words.as_mut().and_then(Words::next) {
            match (opcode, operands.as_slice()) {
                (OP_NAME, [id, name @ ..])
                    if wanted.contains(id) || read.types.contains_key(id) =>
                {
                    let (name, _) = text(name);
                    let is_named = !name.is_empty();
                    names.of.extend(is_named.then_some((*id, name)));
                }
                // Clang states the types of the source in such texts.
                (OP_STRING, [_, words @ ..]) => {
                    let (text, _) = text(words);
                    let Some((key, list)) = text.rsplit_once('.') else {
                        continue;
                    };
                    let types = key.strip_prefix("kernel_arg_type.");
                    let qualifiers = key.strip_prefix("kernel_arg_type_qual.");
                    for (found, into) in [
                        (types, &mut names.types),
                        (qualifiers, &mut names.qualifiers),
                    ] {
                        if let Some(kernel) = found.filter(|kernel| kernels.contains(kernel)) {
                            into.insert(kernel.to_owned(), list.to_owned());
                        }
                    }
                }
                (OP_DECORATE, [id, DECORATION_FUNC_PARAM_ATTR, ATTRIBUTE_BY_VALUE])
                    if wanted.contains(id) =>
                {
                    names.by_value.insert(*id);
                }
                // Names and decorations precede the functions.
                (OP_FUNCTION, _) => break,
                _ => {}
            }
        }
        names
    }
}

impl Kernels for SpirvKernels {
    fn count(&self) -> u64 {
        0
    }

    fn split(
        &self,
        native: &HashSet<String>,
        sources: &Sources,
    ) -> Option<(Vec<String>, Rc<dyn Kernels>)> {
        // Only the names are read.
        let names = entry_points(sources, self.module, false).into_iter();
        let names = names.map(|entry| entry.name.value);
        let both: Vec<String> = names.filter(|name| native.contains(name)).collect();
        let except = self.except.iter().chain(&both).cloned().collect();
        Some((both, Rc::new(SpirvKernels::new(self.module, except))))
    }

    fn rows(&self, sources: &Sources) -> Rc<Vec<KernelRow>> {
        Rc::clone(&self.read(sources).rows)
    }

    fn functions(&self, sources: &Sources) -> Option<Vec<(Span, Option<usize>)>> {
        let read = self.read(sources);
        Some(bodies(sources, self.module, &read.functions))
    }

    fn digests(&self, sources: &Sources) -> Option<Vec<Option<CodeDigest>>> {
        let functions = &self.read(sources).functions;
        Some(digest::digests(sources, self.module, functions))
    }

    fn mentions(&self, _: &KernelRow, _: &Sources) -> Vec<Span> {
        Vec::new()
    }

    fn detail(&self, place: usize, sources: &Sources) -> Option<KernelDetail> {
        Some(KernelDetail {
            row: self.rows(sources).get(place)?.clone(),
            user_attributes: Vec::new(),
            execution_env: Vec::new(),
            arguments: self.arguments(place, sources).unwrap_or_default(),
            payload: Payload::default(),
            per_thread_payload: Vec::new(),
            binding_table: Vec::new(),
            memory_buffers: Vec::new(),
            inline_samplers: Vec::new(),
            others: Vec::new(),
            links: Vec::new(),
        })
    }

    fn mix(&self, _: &str, _: &Sources) -> Option<(Span, Rc<Mix>)> {
        None
    }

    fn flow(&self, _: &str, _: &Sources) -> Option<(Span, FlowCounts)> {
        None
    }

    fn occupancy(
        &self,
        _: usize,
        _: &OccupancyParameters,
        _: &Sources,
    ) -> Result<Occupancy, String> {
        Err("SPIR-V has no occupancy: the driver compiles it for the device.".to_owned())
    }
}
