//! The kernel table and the details of a kernel, from `.ze_info` and from the sections and symbols
//! of its code.

use std::borrow::Cow;
use std::cell::{Cell, OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;

use super::ZeInfo;
use super::argument_map;
use super::schema::{self, Default, Table};
use super::sizes;
use super::yaml::{Index, Node};
#[cfg(not(target_arch = "wasm32"))]
use crate::code_figures;
use crate::code_figures::mix;
use crate::demangle::demangle;
use crate::spirv::kernels::SpirvKernels;
use crate::zebin::links::Links;
use crate::zebin::occupancy::{self, Facts, TargetDevice};
use crate::zebin::text::Instructions;
use zeview_core::analysis::assembly::{Listing, Mix};
use zeview_core::analysis::data_flow::FlowCounts;
use zeview_core::analysis::figure::{SizeFigure, Unknown};
#[cfg(not(target_arch = "wasm32"))]
use zeview_core::analysis::kernels::{CodeFigures, CodeResult, CodeTask};
use zeview_core::analysis::kernels::{
    FLAGS, Flag, FlagInfo, HEAVY_SPILL, Hazard, HazardKind, KernelDetail, KernelRow, Kernels,
    LARGE_SLM, Located, Property,
};
use zeview_core::analysis::occupancy::{Occupancy, OccupancyParameters};
use zeview_core::model::{Evictable, Sources, Span, Str, Value, Xref};
use zeview_isa::Code;

/// The usual number of registers of a hardware thread.
const USUAL_GRF: i64 = 128;

/// The kernels of a zebin, built on demand.
pub struct ZebinKernels {
    /// The text. Tables keep the kernels of thousands of images, and the rows of each need it once.
    info: Rc<Evictable<ZeInfo>>,
    /// Number of kernels and functions.
    count: u64,
    /// The links to a kernel's other parts.
    pub links: Rc<Links>,
    /// The file's target device.
    pub(super) own: TargetDevice,
    /// The instruction decoder.
    instructions: Rc<Instructions>,
    /// The bytes of the SPIR-V, and the kernels that only it has.
    spirv: Option<Span>,
    only_spirv: OnceCell<Rc<SpirvKernels>>,
    /// Totals of the instructions, by the code.
    mixes: RefCell<HashMap<Span, Rc<Mix>>>,
    flows: RefCell<HashMap<Span, FlowCounts>>,
    /// Number of bytes of code that may still be analyzed: sections may overlap.
    code_left: OnceCell<Cell<u64>>,
    rows: OnceCell<Rc<Vec<KernelRow>>>,
    /// The entries of the kernels, then of the functions.
    places: OnceCell<Vec<Index>>,
    /// The entry of `kernels_misc_info`, by the kernel's name.
    descriptions: OnceCell<HashMap<String, Index>>,
    /// The entry of `kernels_cost_info`, by the kernel's name.
    costs: OnceCell<HashMap<String, Index>>,
    /// The symbols of the functions, by name.
    functions: OnceCell<HashMap<String, Span>>,
}

impl ZebinKernels {
    /// The kernels of a text.
    pub fn new(
        info: &Rc<ZeInfo>,
        links: Rc<Links>,
        own: TargetDevice,
        instructions: Rc<Instructions>,
        spirv: Option<Span>,
    ) -> ZebinKernels {
        let count = |list| entries(info, list).count() as u64;
        ZebinKernels {
            info: info.evictable(),
            count: count("kernels").saturating_add(count("functions")),
            links,
            own,
            instructions,
            spirv,
            only_spirv: OnceCell::new(),
            mixes: RefCell::default(),
            flows: RefCell::default(),
            code_left: OnceCell::new(),
            rows: OnceCell::new(),
            places: OnceCell::new(),
            descriptions: OnceCell::new(),
            costs: OnceCell::new(),
            functions: OnceCell::new(),
        }
    }

    fn make_rows(&self, info: &ZeInfo) -> Vec<KernelRow> {
        let kernels = entries(info, "kernels").map(|entry| (entry, false));
        let functions = entries(info, "functions").map(|entry| (entry, true));
        let all = (0u64..).zip(kernels.chain(functions));
        all.map(|(place, (entry, is_function))| self.row(info, place, entry, is_function))
            .collect()
    }

    fn row(
        &self,
        info: &ZeInfo,
        place: u64,
        (index, node): (Index, &Node),
        is_function: bool,
    ) -> KernelRow {
        let mut row = KernelRow {
            index: place,
            is_function,
            entry: info.at(node.value),
            ..KernelRow::default()
        };
        let mut buffers = None;
        // The driver uses the last value of a duplicate key; so does this.
        for (child, node) in info.yaml.values(index) {
            match &*info.key_bytes(child, node).unwrap_or_default() {
                b"name" => {
                    row.name = Located::at(info.str(child).into_owned(), info.at(node.value))
                }
                b"execution_env" => environment(info, &mut row, child),
                b"user_attributes" => attributes(info, &mut row, child),
                b"payload_arguments" => argument_map::count(info, child, &mut row),
                b"per_thread_memory_buffers" => buffers = Some(child),
                _ => {}
            }
        }
        row.demangled = demangle(&row.name.value);
        if !sizes::are_stated(info) {
            sizes::sizes_of_slots(info, &mut row, buffers);
        } else if let Some(buffers) = buffers {
            sizes::unstated_sizes(info, &mut row, buffers);
        }
        sizes::find_call_stack(self.own, &mut row);
        row.code_size = self
            .links
            .code(&row.name.value)
            .map(|(size, span)| Located::at(size, span));
        row.hazards = hazards(&row);
        row
    }

    /// The entry of `kernels_misc_info` for a kernel.
    fn description(&self, info: &ZeInfo, name: &str) -> Option<Index> {
        let descriptions = self
            .descriptions
            .get_or_init(|| by_name(info, "kernels_misc_info"));
        descriptions.get(name).copied()
    }

    /// The symbol of a function.
    fn function(&self, name: &str, sources: &Sources) -> Option<Span> {
        let functions = self.functions.get_or_init(|| {
            let rows = self.rows(sources);
            let rows = rows.iter().filter(|row| row.is_function);
            let names = rows.map(|row| row.name.value.as_str()).collect();
            self.links.function_entries(&names)
        });
        functions.get(name).copied()
    }
}

impl ZebinKernels {
    /// Counts the bytes of code that is analyzed: all of it once for the instructions, and once for
    /// the data flow. Returns `false` if sections overlap, and this is more.
    fn may_analyze(&self, code: Span) -> bool {
        let all = || self.links.code_bytes().saturating_mul(2);
        let left = self.code_left.get_or_init(|| Cell::new(all()));
        let rest = left.get().checked_sub(code.len());
        rest.inspect(|rest| left.set(*rest)).is_some()
    }
}

/// The entries of a top-level list that are mappings.
fn entries<'i>(info: &'i ZeInfo, list: &str) -> impl Iterator<Item = (Index, &'i Node)> + use<'i> {
    let list = info.top(list);
    let values = list.map(|list| info.yaml.values(list));
    let values = values.into_iter().flatten();
    values.filter(|(_, node)| node.kind.is_mapping())
}

/// The entries of a top-level list, by kernel name; the first one of duplicates.
fn by_name(info: &ZeInfo, list: &str) -> HashMap<String, Index> {
    let mut found = HashMap::new();
    for (index, _) in entries(info, list) {
        if let Some(name) = info.last(index, "name") {
            let name = info.str(name).into_owned();
            found.entry(name).or_insert(index);
        }
    }
    found
}

fn environment(info: &ZeInfo, row: &mut KernelRow, environment: Index) {
    for (child, node) in info.yaml.values(environment) {
        let name = info.key_bytes(child, node).unwrap_or_default();
        let field = match &*name {
            b"simd_size" => &mut row.simd_size,
            b"grf_count" => &mut row.grf_count,
            b"eu_thread_count" => &mut row.eu_thread_count,
            b"spill_size" | b"private_size" => {
                if let Some(size) = info.int32(node) {
                    let size = SizeFigure::new(Ok(size), Some(info.at(node.value)));
                    match &*name {
                        b"spill_size" => row.spill_size = size,
                        _ => row.private_size = size,
                    }
                }
                continue;
            }
            b"slm_size" => &mut row.slm_size,
            b"barrier_count" => &mut row.barrier_count,
            b"inline_data_payload_size" => &mut row.inline_data_payload_size,
            b"indirect_stateless_count" => &mut row.indirect_stateless_count,
            b"required_sub_group_size" => &mut row.required_sub_group_size,
            b"required_work_group_size" => {
                work_group(info, row, child, node);
                continue;
            }
            name => {
                flag(info, row, name, node);
                continue;
            }
        };
        if let Some(number) = info.int32(node) {
            *field = Located::at(number, info.at(node.value));
        }
    }
}

fn flag(info: &ZeInfo, row: &mut KernelRow, name: &[u8], node: &Node) {
    let Some(FlagInfo { key, .. }) = FLAGS.iter().find(|known| known.key.as_bytes() == name) else {
        return;
    };
    // A later value of the same key counts: it may be `false`.
    row.flags.retain(|flag| flag.key != *key);
    if info.boolean(node) == Some(true) {
        row.flags.push(Flag {
            key: Str::Borrowed(key),
            span: info.at(node.value),
        });
    }
}

fn work_group(info: &ZeInfo, row: &mut KernelRow, index: Index, node: &Node) {
    // Zeros are the default: no size is required.
    if let Some(sizes) = info.ints(index).filter(|sizes| *sizes != [0; 3]) {
        row.required_work_group_size = Located::at(sizes, info.at(node.value));
    }
}

/// Reads the attributes of the source, which are here since 1.18.
fn attributes(info: &ZeInfo, row: &mut KernelRow, attributes: Index) {
    for (child, node) in info.yaml.values(attributes) {
        match &*info.key_bytes(child, node).unwrap_or_default() {
            b"intel_reqd_sub_group_size" => {
                if let Some(lanes) = info.int32(node).filter(|lanes| *lanes != 0) {
                    row.required_sub_group_size = Located::at(lanes, info.at(node.value));
                }
            }
            b"reqd_work_group_size" => work_group(info, row, child, node),
            _ => {}
        }
    }
}

fn properties(info: &ZeInfo, kernel: Index, key: &str, table: &'static Table) -> Vec<Property> {
    let Some(found) = info.last(kernel, key) else {
        return Vec::new();
    };
    // The older form: a sequence with one mapping.
    let mapping = match info.yaml.node(found) {
        Some(node) if node.kind.is_sequence() => info
            .yaml
            .values(found)
            .next()
            .map_or(found, |(first, _)| first),
        _ => found,
    };
    let present = info.yaml.values(mapping).filter_map(|(index, node)| {
        let name = info.key_bytes(index, node)?;
        let key = table.key(&name);
        let words = node
            .kind
            .is_collection()
            .then(|| String::from_utf8_lossy(node.value.of(&info.text)).into_owned());
        Some(Property {
            key: String::from_utf8_lossy(&name).into_owned().into(),
            value: match words {
                Some(_) => Value::None,
                None => info.value(index, node, key.map(|key| key.ty)),
            },
            words,
            unit: key.map_or("", |key| key.unit).into(),
            doc: key.map_or("", |key| key.doc.text).into(),
            span: Some(info.at(node.value)),
        })
    });
    let defaults = info.defaults(mapping).map(|key| {
        let (value, words) = default_value(key.default);
        Property {
            key: key.name.into(),
            value,
            words,
            unit: key.unit.into(),
            doc: key.doc.text.into(),
            span: None,
        }
    });
    present.chain(defaults).collect()
}

/// A default as a value, or as text if there is no such value.
pub(super) fn default_value(default: Default) -> (Value, Option<String>) {
    match default {
        Default::Int(number) => match u64::try_from(number) {
            Ok(raw) => (Value::decimal(raw, 32), None),
            Err(_) => (
                Value::Signed {
                    raw: number,
                    bits: 32,
                },
                None,
            ),
        },
        Default::Bool(yes) => (Value::Bool(yes), None),
        Default::Ints([x, y, z]) => (Value::None, Some(format!("[{x}, {y}, {z}]"))),
        Default::None => (Value::None, None),
    }
}

impl Kernels for ZebinKernels {
    fn count(&self) -> u64 {
        self.count
    }

    fn only_spirv(&self, sources: &Sources) -> Option<Rc<dyn Kernels>> {
        let module = self.spirv?;
        let only = self.only_spirv.get_or_init(|| {
            let rows = self.rows(sources);
            let names = rows.iter().map(|row| row.name.value.clone());
            Rc::new(SpirvKernels::new(module, names.collect()))
        });
        Some(Rc::clone(only) as Rc<dyn Kernels>)
    }

    fn has_native(&self, name: &str) -> bool {
        self.links.has_text(name) || self.links.is_listed(name)
    }

    fn mentions(&self, row: &KernelRow, sources: &Sources) -> Vec<Span> {
        let name = row.name.value.as_str();
        let mut found: Vec<Span> = self.links.symbol_entries(name).collect();
        if row.is_function {
            found.extend(self.function(name, sources));
        }
        if let Some(info) = self.info.get(sources) {
            let cost = self
                .costs
                .get_or_init(|| by_name(&info, "kernels_cost_info"));
            let described = [self.description(&info, name), cost.get(name).copied()];
            let nodes = described.into_iter().flatten();
            let nodes = nodes.filter_map(|index| info.yaml.node(index));
            found.extend(nodes.map(|node| info.at(node.value)));
        }
        found
    }

    fn code(&self, name: &str) -> Option<Span> {
        self.links.code_section(name)
    }

    fn listing(&self, name: &str, sources: &Sources) -> Option<Rc<dyn Listing>> {
        let code = self.links.code_section(name)?;
        let decoder = self.instructions.decoder()?;
        Some(Rc::new(Code::new(Some(Rc::clone(decoder)), code, sources)))
    }

    fn mix(&self, name: &str, sources: &Sources) -> Option<(Span, Rc<Mix>)> {
        let code = self.links.code_section(name)?;
        let decoder = self.instructions.decoder()?;
        if let Some(mix) = self.mixes.borrow().get(&code) {
            return Some((code, Rc::clone(mix)));
        }
        if !self.may_analyze(code) {
            return None;
        }
        let listing = Code::new(Some(Rc::clone(decoder)), code, sources);
        let mix = Rc::new(mix(&listing, sources));
        self.mixes.borrow_mut().insert(code, Rc::clone(&mix));
        Some((code, mix))
    }

    fn flow(&self, name: &str, sources: &Sources) -> Option<(Span, FlowCounts)> {
        let code = self.links.code_section(name)?;
        let decoder = self.instructions.decoder()?;
        if let Some(counts) = self.flows.borrow().get(&code) {
            return Some((code, *counts));
        }
        if !self.may_analyze(code) {
            // An unknown figure with its reason, unlike a kernel without code.
            return Some((code, FlowCounts::unknown(Unknown::Overlapping)));
        }
        let listing = Code::new(Some(Rc::clone(decoder)), code, sources);
        let counts = listing.data_flow(sources)?.counts();
        self.flows.borrow_mut().insert(code, counts);
        Some((code, counts))
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn code_task(&self, name: &str, is_flow: bool, sources: &Sources) -> Option<CodeTask> {
        let code = self.links.code_section(name)?;
        let platform = self.instructions.platform()?;
        let is_known = if is_flow {
            self.flows.borrow().contains_key(&code)
        } else {
            self.mixes.borrow().contains_key(&code)
        };
        if is_known || !self.may_analyze(code) {
            return None;
        }
        code_figures::task(platform, code, is_flow, sources)
    }

    #[cfg(not(target_arch = "wasm32"))]
    fn keep_result(&self, CodeResult { code, figures }: CodeResult) {
        match figures {
            CodeFigures::Mix(mix) => {
                self.mixes.borrow_mut().insert(code, Rc::from(mix));
            }
            CodeFigures::Flow(counts) => {
                self.flows.borrow_mut().insert(code, *counts);
            }
        }
    }

    fn rows(&self, sources: &Sources) -> Rc<Vec<KernelRow>> {
        let rows = self.rows.get_or_init(|| {
            let info = self.info.get(sources);
            Rc::new(info.map_or_else(Vec::new, |info| self.make_rows(&info)))
        });
        Rc::clone(rows)
    }

    fn detail(&self, place: usize, sources: &Sources) -> Option<KernelDetail> {
        let mut row = self.rows(sources).get(place)?.clone();
        row.spill_size.figure = row.spill_size.figure.map_err(|unknown| {
            unknown.with_spill_messages(|| {
                let (_, mix) = self.mix(&row.name.value, sources)?;
                Some(mix.spills)
            })
        });
        let info = &*self.info.get(sources)?;
        let places = self.places.get_or_init(|| {
            let all = entries(info, "kernels").chain(entries(info, "functions"));
            all.map(|(index, _)| index).collect()
        });
        let kernel = *places.get(place)?;
        let get = |key: &str| info.last(kernel, key);
        let description = self.description(info, &row.name.value);
        let map = argument_map::read(
            info,
            kernel,
            description,
            row.inline_data_payload_size.value,
        );
        let mut links = self.links.of_kernel(&row.name.value);
        if let Some(node) = description.and_then(|index| info.yaml.node(index)) {
            links.push(Xref {
                why: "arguments".into(),
                label: "kernels_misc_info".into(),
                to: info.at(node.value),
            });
        }
        let mut others = properties(
            info,
            kernel,
            "experimental_properties",
            &schema::EXPERIMENTAL_PROPERTIES,
        );
        others.extend(properties(info, kernel, "debug_env", &schema::DEBUG_ENV));
        let buffers = get("per_thread_memory_buffers");
        Some(KernelDetail {
            row,
            user_attributes: properties(info, kernel, "user_attributes", &schema::USER_ATTRIBUTES),
            execution_env: properties(info, kernel, "execution_env", &schema::EXECUTION_ENV),
            others,
            arguments: map.arguments,
            payload: map.payload,
            binding_table: map.binding_table,
            per_thread_payload: argument_map::per_thread(info, get("per_thread_payload_arguments")),
            memory_buffers: buffers
                .map(|list| {
                    argument_map::memory_buffers(info, list)
                        .map(|b| b.row)
                        .collect()
                })
                .unwrap_or_default(),
            inline_samplers: argument_map::inline_samplers(info, get("inline_samplers")),
            links,
        })
    }

    fn occupancy(
        &self,
        place: usize,
        parameters: &OccupancyParameters,
        sources: &Sources,
    ) -> Result<Occupancy, String> {
        let detail = self.detail(place, sources).ok_or("No such kernel.")?;
        let mut entries = detail.payload.entries.iter();
        let facts = Facts {
            row: &detail.row,
            has_local_arguments: entries.any(|entry| entry.addrmode.as_deref() == Some("slm")),
            own: self.own,
        };
        occupancy::occupancy(&facts, parameters)
    }
}

fn hazards(row: &KernelRow) -> Vec<Hazard> {
    let mut hazards = Vec::new();
    let mut push_hazard = |kind, text: Cow<'static, str>| hazards.push(Hazard { kind, text });
    match (row.spill_size.figure, row.spill_dwords_per_lane()) {
        (Ok(size), Some(Ok(per_lane))) if size > 0 && per_lane > HEAVY_SPILL => push_hazard(
            HazardKind::HeavySpills,
            format!("spills {per_lane:.0} dwords/lane").into(),
        ),
        (Ok(size), _) if size > 0 => push_hazard(HazardKind::Spills, "spills".into()),
        (Ok(_), _) => {}
        (Err(Unknown::CallStack { .. }), _) => {
            push_hazard(HazardKind::CallStack, "call stack, reserved".into());
        }
        (Err(_), _) => push_hazard(HazardKind::UnstatedSpills, "spills not stated".into()),
    }
    if row.private_size.is_positive() {
        push_hazard(HazardKind::Private, "private memory".into());
    }
    if row.grf_count.value > USUAL_GRF {
        let text = match row.eu_thread_count.value {
            threads if threads > 0 => format!("large GRF: {threads} threads/EU").into(),
            // True for all devices that have this mode; for other numbers it depends on the device.
            _ if row.grf_count.value == 2 * USUAL_GRF => "large GRF: half the threads".into(),
            _ => "large GRF: fewer threads".into(),
        };
        push_hazard(HazardKind::LargeGrf, text);
    }
    if row.slm_size.value > LARGE_SLM {
        push_hazard(HazardKind::LargeSlm, "SLM above 64 KB".into());
    }
    hazards
}
