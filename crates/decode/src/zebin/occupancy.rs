//! Limits on the number of concurrent threads and work-groups of a kernel on a device.
//!
//! Follows compute-runtime, kernel_helpers.cpp, getMaxWorkGroupCount, for one otherwise idle (dual)
//! sub-slice. Values in neither the file nor the driver's source are requested from the user, never
//! assumed.

use crate::device::names::unknown_device;
use crate::device::{Device, ProductFamily};
use zeview_core::analysis::kernels::{KernelRow, Located};
use zeview_core::analysis::occupancy::{
    MoreThreads, Occupancy, OccupancyParameters, Origin, RegisterFileSize, Term,
};
use zeview_core::model::{Span, Str};

/// The target device of a file.
#[derive(Debug, Clone, Copy)]
pub enum TargetDevice {
    /// A note has its configuration, or its product family, of which it is the usual device.
    Device(Device, Span),
    /// Only the core family is known.
    CoreFamily,
    /// The file has no target device.
    None,
}

/// The inputs of the calculation for a kernel.
pub struct Facts<'a> {
    /// Its row in the kernel table.
    pub row: &'a KernelRow,
    /// Whether it has arguments in shared local memory, whose size the host sets.
    pub has_local_arguments: bool,
    /// The file's target device.
    pub own: TargetDevice,
}

/// A product: threads per EU, kilobytes of shared local memory per (dual) sub-slice, and EUs per
/// (dual) sub-slice, if published. The first two: compute-runtime, hw_info_*.cpp.
type Product = (ProductFamily, u64, u64, Option<u64>);

const PRODUCTS: &[Product] = &[
    (ProductFamily::IGFX_TIGERLAKE_LP, 7, 64, Some(16)),
    (ProductFamily::IGFX_ROCKETLAKE, 7, 64, Some(16)),
    (ProductFamily::IGFX_ALDERLAKE_S, 7, 64, Some(16)),
    (ProductFamily::IGFX_ALDERLAKE_P, 7, 64, Some(16)),
    (ProductFamily::IGFX_ALDERLAKE_N, 7, 64, Some(16)),
    (ProductFamily::IGFX_DG1, 7, 64, Some(16)),
    (ProductFamily::IGFX_DG2, 8, 64, Some(16)),
    (ProductFamily::IGFX_METEORLAKE, 8, 64, Some(16)),
    (ProductFamily::IGFX_ARROWLAKE, 8, 64, Some(16)),
    (ProductFamily::IGFX_PVC, 8, 128, Some(8)),
    (ProductFamily::IGFX_BMG, 8, 128, Some(8)),
    (ProductFamily::IGFX_LUNARLAKE, 8, 128, Some(8)),
    (ProductFamily::IGFX_PTL, 10, 128, Some(8)),
    (ProductFamily::IGFX_NVL_XE3G, 10, 128, None),
    (ProductFamily::IGFX_NVL, 10, 192, None),
    (ProductFamily::IGFX_CRI, 8, 384, None),
];

/// The release (of the GMD id) of Wildcat Lake, whose EUs are not published.
const WCL: u32 = 3;
/// The revision of the first stepping.
const A0: u32 = 0;
const KB: u64 = 1024;
/// Maximum number of registers of a thread of all devices.
const REGISTERS_MAX: u64 = 512;
/// Number of barrier registers per (dual) sub-slice.
const BARRIERS: u64 = 32;
/// Maximum work-group size of all devices. compute-runtime, device_caps.cpp.
const LARGEST_WORK_GROUP: u64 = 1024;

fn product(device: &Device) -> Option<&'static Product> {
    PRODUCTS
        .iter()
        .find(|(family, ..)| *family == device.product)
}

/// Number of threads per EU with this many registers each, and the defining function. Returns
/// `None` if the device has no such mode.
fn by_registers(device: &Device, registers: u64) -> Option<(u64, &'static str)> {
    let xe3 = || match registers {
        1..=96 => Some(10),
        97..=128 => Some(8),
        129..=160 => Some(6),
        161..=192 => Some(5),
        193..=256 => Some(4),
        _ => None,
    };
    let is_listed = matches!(registers, 32 | 64 | 96 | 128 | 160 | 192 | 256 | 512);
    match device.product {
        ProductFamily::IGFX_CRI => {
            let threads = if registers == 512 { 4 } else { 8 };
            is_listed.then_some((
                threads,
                "release_helper_cri.cpp, adjustMaxThreadsPerEuCount",
            ))
        }
        ProductFamily::IGFX_NVL => {
            let source = "release_helper_common_xe3p_lpg.inl, adjustMaxThreadsPerEuCount";
            match registers {
                320 if device.revision() != A0 => Some((3, source)),
                448 if device.revision() != A0 => Some((2, source)),
                512 => Some((1, source)),
                _ => Some((xe3()?, XE3)),
            }
        }
        ProductFamily::IGFX_PTL | ProductFamily::IGFX_NVL_XE3G => Some((xe3()?, XE3)),
        _ => {
            let source = "gfx_core_helper_base.inl, calculateAvailableThreadCount";
            match registers {
                128 => Some((8, source)),
                256 => Some((4, source)),
                _ => None,
            }
        }
    }
}

/// The largest number of registers below `registers` with which an EU runs more than `usable` threads.
/// `hardware` is the number of threads that an EU has.
fn more_threads(
    device: &Device,
    registers: u64,
    usable: u64,
    hardware: u64,
) -> Option<MoreThreads> {
    let fewer = (1..registers.min(REGISTERS_MAX + 1)).rev();
    let mut threads = fewer.filter_map(|registers| {
        let (threads, _) = by_registers(device, registers)?;
        let threads = threads.min(hardware);
        Some(MoreThreads { registers, threads })
    });
    threads.find(|more| more.threads > usable)
}

/// Register files of all devices that are larger than the default.
const LARGE: [u64; 6] = [160, 192, 256, 320, 448, 512];

/// The register files of a device that have more than `registers` registers, the smallest first.
fn larger_files(device: &Device, registers: u64, hardware: u64) -> Vec<RegisterFileSize> {
    // Threads of Xe-LP have 128 registers (IGC, Platform.hpp, supportLargeGRF: from Xe-HPG on).
    if hardware == XE_LP_THREADS {
        return Vec::new();
    }
    let sizes = LARGE.into_iter().filter(|size| *size > registers);
    let sizes = sizes.filter_map(|registers| {
        let (threads, _) = by_registers(device, registers)?;
        Some(RegisterFileSize {
            registers,
            threads: threads.min(hardware),
        })
    });
    sizes.collect()
}

/// Threads of an EU of Xe-LP.
const XE_LP_THREADS: u64 = 7;

const XE3: &str = "gfx_core_helper_xe3_and_later.inl, calculateAvailableThreadCount";

/// Shared local memory as allocated: the size rounded up. compute-runtime, alignSlmSize. Returns
/// `None` if it exceeds the driver's limit.
fn aligned(device: &Device, size: u64) -> Option<u64> {
    let sizes: &[u64] = match device.product {
        ProductFamily::IGFX_CRI if size <= 16 * KB => return Some(size.div_ceil(KB) * KB),
        ProductFamily::IGFX_CRI => &[24, 32, 48, 64, 96, 128, 192, 256, 320, 384],
        _ if product(device).is_some_and(|(_, _, slm, _)| *slm == 64) => &[1, 2, 4, 8, 16, 32, 64],
        _ => &[1, 2, 4, 8, 16, 24, 32, 48, 64, 96, 128],
    };
    sizes
        .iter()
        .map(|size| size * KB)
        .find(|step| size <= *step)
}

/// The terms computed so far.
#[derive(Default)]
struct Terms(Vec<Term>);

impl Terms {
    fn add(&mut self, id: &'static str, title: &'static str, value: Option<u64>, origin: Origin) {
        self.0.push(Term {
            id: id.into(),
            title: title.into(),
            value,
            origin,
            limits: false,
        });
    }

    /// Adds a number from the driver's source.
    fn driver(
        &mut self,
        id: &'static str,
        title: &'static str,
        value: Option<u64>,
        source: &'static str,
    ) -> Option<u64> {
        let origin = match value {
            Some(_) => Origin::Driver(source.into()),
            None => Origin::Missing("not known for this device".into()),
        };
        self.add(id, title, value, origin);
        value
    }

    /// Adds a number from the file; `default` if the file does not contain it.
    fn file_value(
        &mut self,
        id: &'static str,
        title: &'static str,
        file_value: Located<i64>,
        default: Option<u64>,
    ) -> Option<u64> {
        let (value, origin) = match (file_value.span, default) {
            (Some(span), _) => (u64::try_from(file_value.value).ok(), Origin::File(span)),
            (None, Some(_)) => (default, Origin::Default),
            (None, None) => (None, Origin::Missing("not in the file".into())),
        };
        self.add(id, title, value, origin);
        value
    }

    /// Adds a computed number.
    fn computed(
        &mut self,
        id: &'static str,
        title: &'static str,
        value: Option<u64>,
        how: &'static str,
    ) -> Option<u64> {
        let origin = match value {
            Some(_) => Origin::Computed(how.into()),
            None => Origin::Missing("a number above is missing".into()),
        };
        self.add(id, title, value, origin);
        value
    }
}

/// Computes the occupancy of a kernel.
///
/// # Errors
///
/// Returns a message if the chosen device does not exist.
pub fn occupancy(facts: &Facts<'_>, parameters: &OccupancyParameters) -> Result<Occupancy, String> {
    let row = facts.row;
    let (device, device_origin) = match (&parameters.device, facts.own) {
        (Some(name), _) => {
            let device = Device::named(name);
            let device = device.ok_or_else(|| unknown_device(name))?;
            (Some(device), Origin::Chosen)
        }
        (None, TargetDevice::Device(device, span)) => (Some(device), Origin::File(span)),
        (None, TargetDevice::CoreFamily) => {
            let why = "the file has only a core family: choose a device";
            (None, Origin::Missing(why.into()))
        }
        (None, TargetDevice::None) => {
            let why = "the file has no target device: choose one";
            (None, Origin::Missing(why.into()))
        }
    };
    let known = device.as_ref().and_then(product);
    let mut terms = Terms::default();

    let hardware = terms.driver(
        "hardware_threads_per_eu",
        "Hardware threads of an EU",
        known.map(|(_, threads, ..)| *threads),
        "hw_info_*.cpp, NumThreadsPerEu",
    );
    let registers = terms.file_value("grf_count", "Registers of a thread", row.grf_count, None);
    let found = device.filter(|_| known.is_some()).zip(registers);
    let found = found.and_then(|(device, registers)| by_registers(&device, registers));
    let usable = found.zip(hardware).map(|((by, _), all)| by.min(all));
    let more_threads = match (&device, registers, usable, hardware) {
        (Some(device), Some(registers), Some(usable), Some(hardware)) => {
            more_threads(device, registers, usable, hardware)
        }
        _ => None,
    };
    let larger_files = match (&device, registers, hardware) {
        (Some(device), Some(registers), Some(hardware)) => {
            larger_files(device, registers, hardware)
        }
        _ => Vec::new(),
    };
    let origin = match found {
        Some((_, source)) => Origin::Driver(source.into()),
        None if known.is_none() => Origin::Missing("not known for this device".into()),
        None if registers.is_none() => Origin::Missing("a number above is missing".into()),
        None => Origin::Missing("not known for this number of registers".into()),
    };
    terms.add(
        "threads_per_eu",
        "Threads of an EU with these registers",
        usable,
        origin,
    );
    if row.eu_thread_count.span.is_some() {
        terms.file_value(
            "eu_thread_count",
            "Threads of an EU according to the file",
            row.eu_thread_count,
            None,
        );
    }

    let published = known.and_then(|(.., eus)| *eus);
    let is_wcl = |device: Device| {
        device.product == ProductFamily::IGFX_PTL && device.config.release() == WCL
    };
    let published = published.filter(|_| !device.is_some_and(is_wcl));
    let (eus, origin) = match (parameters.eus, published) {
        (Some(chosen), _) => (Some(chosen), Origin::Chosen),
        (None, Some(eus)) => (Some(eus), Origin::Published),
        (None, None) => (
            None,
            Origin::Missing("choose: not published for this device".into()),
        ),
    };
    terms.add("eus", "EUs of a (dual) sub-slice", eus, origin);
    let threads = usable.zip(eus).and_then(|(a, b)| a.checked_mul(b));
    let threads = terms.computed(
        "threads",
        "Threads of a sub-slice",
        threads,
        "threads of an EU × EUs",
    );

    let lanes = terms.file_value("simd_size", "SIMD width", row.simd_size, None);
    let required = row.required_work_group_size;
    let (items, origin) = match (parameters.work_group, required.span) {
        (Some(chosen), _) => (Some(chosen), Origin::Chosen),
        (None, Some(span)) => (product_of(required.value), Origin::File(span)),
        (None, None) => {
            let why = "choose: the file has no required work-group size";
            (None, Origin::Missing(why.into()))
        }
    };
    let items = items.filter(|items| *items > 0);
    terms.add("work_group", "Work-items of a work-group", items, origin);
    let group = items.zip(lanes.filter(|lanes| *lanes > 0));
    let group = group.map(|(items, lanes)| items.div_ceil(lanes));
    let group = terms.computed(
        "work_group_threads",
        "Threads of a work-group",
        group,
        "work-items / SIMD width, rounded up",
    );
    let by_threads = threads
        .zip(group)
        .and_then(|(all, one)| all.checked_div(one));
    let by_threads = terms.computed(
        "work_groups_by_threads",
        "Work-groups that the threads allow",
        by_threads,
        "threads of a sub-slice / threads of a work-group",
    );
    let by_slm = local_memory(facts, parameters, device.as_ref(), &mut terms);
    let barriers = terms.file_value(
        "barrier_count",
        "Barriers of a work-group",
        row.barrier_count,
        Some(0),
    );
    let by_barriers = barriers.filter(|barriers| *barriers > 0).map(|barriers| {
        terms.driver(
            "barrier_registers",
            "Barrier registers of a sub-slice",
            Some(BARRIERS),
            "gfx_core_helper_base.inl, getMaxBarrierRegisterPerSlice",
        );
        terms.computed(
            "work_groups_by_barriers",
            "Work-groups that the barriers allow",
            BARRIERS.checked_div(barriers),
            "barrier registers / barriers",
        )
    });
    // Inapplicable limits are ignored; unknown ones leave the result open.
    let limits = [
        Some(by_threads),
        by_slm,
        by_barriers.or(barriers.is_none().then_some(None)),
    ];
    let limits: Option<Vec<u64>> = limits.into_iter().flatten().collect();
    let least = limits.and_then(|limits| limits.into_iter().min());
    for term in &mut terms.0 {
        term.limits =
            term.id.starts_with("work_groups_by_") && least.is_some() && term.value == least;
    }
    terms.computed(
        "work_groups",
        "Work-groups of a sub-slice at a time",
        least,
        "the least of those",
    );
    let used = least.zip(group).and_then(|(a, b)| a.checked_mul(b));
    terms.computed(
        "threads_used",
        "Threads in use",
        used,
        "work-groups × threads of a work-group",
    );
    let all = hardware.zip(eus).and_then(|(a, b)| a.checked_mul(b));
    terms.computed(
        "hardware_threads",
        "Hardware threads of a sub-slice",
        all,
        "hardware threads of an EU × EUs",
    );
    let mut occupancy = Occupancy {
        device: device.map(|device| device.name().into()),
        device_origin,
        terms: terms.0,
        more_threads,
        larger_files,
        summary: String::new(),
    };
    occupancy.summary = summary(&occupancy);
    Ok(occupancy)
}

/// The terms of shared local memory. Returns `None` if the kernel uses none, and `Some(None)` if
/// its number of work-groups is unknown.
fn local_memory(
    facts: &Facts<'_>,
    parameters: &OccupancyParameters,
    device: Option<&Device>,
    terms: &mut Terms,
) -> Option<Option<u64>> {
    let inline = terms.file_value(
        "slm_size",
        "Shared local memory in the file, bytes",
        facts.row.slm_size,
        Some(0),
    );
    let mut arguments = Some(0);
    if facts.has_local_arguments {
        arguments = parameters.local_arguments;
        let origin = match arguments {
            Some(_) => Origin::Chosen,
            None => Origin::Missing("choose: the host sets it".into()),
        };
        let title = "Shared local memory of the arguments, bytes";
        terms.add("local_arguments", title, arguments, origin);
    }
    let size = inline.zip(arguments).and_then(|(a, b)| a.checked_add(b));
    if size == Some(0) {
        return None;
    }
    let known = device.filter(|device| product(device).is_some());
    let allocated = known
        .zip(size)
        .and_then(|(device, size)| aligned(device, size));
    let available = known.and_then(product).map(|(_, _, slm, _)| slm * KB);
    let fits = known.is_none() || size.is_none() || allocated.is_some();
    let origin = match allocated {
        Some(_) => Origin::Driver("command_encoder, alignSlmSize".into()),
        None if !fits => Origin::Missing("more than the driver allocates".into()),
        None => Origin::Missing("a number above is missing".into()),
    };
    let title = "Shared local memory of a work-group as allocated, bytes";
    terms.add("slm_allocated", title, allocated, origin);
    terms.driver(
        "slm_available",
        "Shared local memory of a sub-slice, bytes",
        available,
        "hw_info_*.cpp, maxProgrammableSlmSize",
    );
    let groups = available
        .zip(allocated)
        .and_then(|(all, one)| all.checked_div(one));
    // What the driver does not allocate cannot run, which is known without the other numbers.
    let groups = groups.or((!fits).then_some(0));
    Some(terms.computed(
        "work_groups_by_slm",
        "Work-groups that the shared local memory allows",
        groups,
        "shared local memory of a sub-slice / of a work-group",
    ))
}

fn product_of(sizes: [i64; 3]) -> Option<u64> {
    let mut sizes = sizes.into_iter().map(|size| u64::try_from(size).ok());
    sizes.try_fold(1u64, |all, size| all.checked_mul(size?))
}

fn summary(found: &Occupancy) -> String {
    let get = |id: &str| found.get(id);
    let Some(device) = &found.device else {
        return match &found.device_origin {
            Origin::Missing(why) => capitalized(why),
            _ => String::new(),
        };
    };
    let Some(hardware) = get("hardware_threads_per_eu") else {
        return format!("The limits of {device} are unknown.");
    };
    let Some(registers) = get("grf_count") else {
        return "The file does not give the number of registers.".to_owned();
    };
    let mut out = match get("threads_per_eu") {
        None => {
            format!("The number of threads on {device} with {registers} registers is unknown.")
        }
        Some(usable) if usable < hardware => {
            let more = found.more_threads.map_or_else(String::new, |more| {
                format!(", and {} with {} registers", more.threads, more.registers)
            });
            format!(
                "With {registers} registers, an EU of {device} runs {usable} of its {hardware} threads{more}."
            )
        }
        Some(_) => {
            format!(
                "With {registers} registers, an EU of {device} runs all its {hardware} threads."
            )
        }
    };
    let (items, groups) = (get("work_group"), get("work_groups"));
    let rest = match (items, groups) {
        (Some(items), _) if items > LARGEST_WORK_GROUP => {
            format!("The driver accepts at most {LARGEST_WORK_GROUP} work-items in a work-group.")
        }
        (Some(items), Some(0)) => {
            format!(
                "A work-group of {items} does not fit: limited by {}.",
                limits(found)
            )
        }
        (Some(items), Some(groups)) => {
            let (used, all) = (get("threads_used"), get("hardware_threads"));
            let (used, all) = (used.unwrap_or(0), all.unwrap_or(0));
            let share = used.saturating_mul(100).checked_div(all).unwrap_or(0);
            let many = if groups == 1 {
                "work-group"
            } else {
                "work-groups"
            };
            format!(
                "A sub-slice runs {groups} {many} of {items} at a time, limited by {}: {used} of {all} hardware threads ({share} %).",
                limits(found)
            )
        }
        _ => {
            // Only the values that can be chosen: the rest follows from them.
            let missing = found.terms.iter().find_map(|term| match &term.origin {
                Origin::Missing(why) => why.strip_prefix("choose").map(|_| &term.title),
                _ => None,
            });
            match missing {
                Some(title) => format!(
                    "Choose the {} to see how many work-groups run at a time.",
                    lower(title.trim_end_matches(", bytes"))
                ),
                None => return out,
            }
        }
    };
    out.push(' ');
    out.push_str(&rest);
    out
}

/// The resources that limit the work-groups: `threads, barriers`.
fn limits(found: &Occupancy) -> String {
    let limiting = found.terms.iter().filter(|term| term.limits);
    let words = limiting.map(|term| match &*term.id {
        "work_groups_by_slm" => "shared local memory",
        "work_groups_by_barriers" => "barriers",
        _ => "threads",
    });
    words.collect::<Vec<_>>().join(" and ")
}

/// A title in the middle of a sentence; keeps abbreviations.
fn lower(title: &str) -> String {
    let mut letters = title.chars();
    let first = letters.next();
    match letters.clone().next() {
        Some(second) if second.is_lowercase() => {
            let first = first.map(|first| first.to_ascii_lowercase());
            first.into_iter().chain(letters).collect()
        }
        _ => title.to_owned(),
    }
}

fn capitalized(words: &Str) -> String {
    let mut letters = words.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).chain(['.']).collect()
}

#[cfg(test)]
mod tests;
