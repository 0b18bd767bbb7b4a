//! Spill and private memory of kernels: what the text states, and what it does not.

use super::ZeInfo;
use super::argument_map;
use super::yaml::Index;
use crate::device::ProductFamily;
use crate::zebin::occupancy::TargetDevice;
use zeview_core::analysis::figure::{SizeFigure, Unknown};
use zeview_core::analysis::kernels::KernelRow;

/// Minor version that introduced spill and private sizes, formerly sizes of memory buffers.
const SIZES_SINCE: u32 = 39;
/// What IGC reserves for a call stack of unknown size, in bytes per hardware thread.
const RESERVED: u64 = 128 * 1024;
/// The same on Ponte Vecchio, where many threads share the memory; not on its first steppings.
const RESERVED_PVC: u64 = 64 * 1024;
/// The same on Tiger Lake for GTPin, which uses the rest of what a message can address.
const RESERVED_GTPIN: u64 = 120 * 1024;
/// The reservations, if the device is unknown.
static ALL_RESERVATIONS: [u64; 3] = [RESERVED, RESERVED_PVC, RESERVED_GTPIN];

/// Whether the sizes are keys of `execution_env`, as since 1.39. The driver takes a text without
/// a version for one of the newest.
pub(super) fn are_stated(info: &ZeInfo) -> bool {
    match info.minor() {
        Some(minor) => minor >= SIZES_SINCE,
        None => info.version().is_none(),
    }
}

/// Before 1.39: slot 0 of the scratch memory is for spills, slot 1 for private memory. A buffer
/// in global memory is private memory too; its size is per lane or per thread, which is what
/// `private_size` contains later. The driver reads the slots, whatever other keys there are.
pub(super) fn sizes_of_slots(info: &ZeInfo, row: &mut KernelRow, buffers: Option<Index>) {
    row.from_scratch_slots = buffers.is_some();
    let keys = std::mem::take(&mut row.spill_size);
    row.private_size = SizeFigure::default();
    let list = buffers.map(|list| argument_map::memory_buffers(info, list));
    for buffer in list.into_iter().flatten() {
        let (Some(size), Some(span)) = (buffer.size, buffer.size_span) else {
            continue;
        };
        let lanes = if buffer.row.is_simt_thread {
            row.simd_size.value.max(1)
        } else {
            1
        };
        let size = SizeFigure::new(Ok(size.saturating_mul(lanes)), Some(span));
        match (&*buffer.row.kind, buffer.row.slot) {
            ("scratch", 0) => row.spill_size = size,
            ("scratch", 1) | ("global", _) => row.private_size = size,
            _ => {}
        }
    }
    // Contradictory: no compiler writes this.
    let up_to = keys
        .figure
        .map_or(0, |size| u64::try_from(size).unwrap_or(0));
    if up_to > 0 && row.spill_size.span.is_none() {
        row.spill_size = SizeFigure::new(Err(Unknown::Ignored { up_to }), keys.span);
    }
}

/// Since 1.39: the vector compiler writes the scratch memory of a kernel, but neither the
/// spills nor the private memory in it. Its kernels have one lane. Other compilers leave out only
/// sizes of 0: their scratch memory may be that of GTPin.
pub(super) fn unstated_sizes(info: &ZeInfo, row: &mut KernelRow, buffers: Index) {
    let is_stated = row.spill_size.span.is_some() || row.private_size.span.is_some();
    if row.simd_size.value != 1 || is_stated {
        return;
    }
    for buffer in argument_map::memory_buffers(info, buffers) {
        let (Some(size), Some(span)) = (buffer.size, buffer.size_span) else {
            continue;
        };
        let up_to = u64::try_from(size).unwrap_or(0);
        if &*buffer.row.kind != "scratch" || up_to == 0 {
            continue;
        }
        let unstated = SizeFigure::new(Err(Unknown::NotStated { up_to }), Some(span));
        match (&*buffer.row.usage, buffer.row.slot) {
            ("spill_fill_space", _) => row.spill_size = unstated,
            ("private_space", _) | (_, 1) => row.private_size = unstated,
            _ => (row.spill_size, row.private_size) = (unstated, unstated),
        }
    }
}

/// Recognizes the reservation for a call stack. With recursion or indirect calls, IGC cannot
/// compute the size of the stack, and writes a constant as spill size (`CISABuilder.cpp`,
/// `getSpillMemSizeWithFG`); the vector compiler does so for all stack calls (`cmc.cpp`,
/// `getConservativeVISAStackSize`).
pub(super) fn find_call_stack(device: TargetDevice, row: &mut KernelRow) {
    let calls = ["has_stack_calls", "has_indirect_calls"];
    if !row.flags.iter().any(|flag| calls.contains(&&*flag.key)) {
        return;
    }
    // The scratch memory has it, and maybe private memory or that of GTPin.
    let (size, is_whole) = match row.spill_size.figure {
        Ok(size) => (u64::try_from(size).unwrap_or(0), row.from_scratch_slots),
        Err(Unknown::NotStated { up_to }) => (up_to, true),
        Err(_) => return,
    };
    let reservations = match device {
        TargetDevice::Device(device, _) => reservations(device.product),
        TargetDevice::CoreFamily | TargetDevice::None => &ALL_RESERVATIONS,
    };
    // A spill size is the constant itself; scratch memory can have more in it.
    let is_reserved = |reserved: &u64| size == *reserved || is_whole && size > *reserved;
    if reservations.iter().any(is_reserved) {
        let unknown = Unknown::CallStack {
            reserved: size,
            spill_messages: None,
        };
        row.spill_size.figure = Err(unknown);
    }
}

/// Returns what IGC reserves for a call stack on a product.
fn reservations(product: ProductFamily) -> &'static [u64] {
    match product {
        ProductFamily::IGFX_PVC => &[RESERVED_PVC, RESERVED],
        ProductFamily::IGFX_TIGERLAKE_LP => &[RESERVED, RESERVED_GTPIN],
        _ => &[RESERVED],
    }
}
