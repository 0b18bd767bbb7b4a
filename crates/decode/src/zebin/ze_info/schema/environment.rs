//! The attributes of a whole kernel or function.

use super::Driver::{Ignores, Unknown};
use super::dsl::table;
use super::values::THREAD_SCHEDULING_MODE;
use super::{Driver, Key, Type};
use zeview_core::model::Doc;

table! {
    /// Source attributes of the kernel. The OpenCL runtime reports them as the kernel's attributes.
    pub USER_ATTRIBUTES = "user_attributes", "User Attributes" { wildcard: Some(&HINT) } [
        /// The required sub-group size (`intel_reqd_sub_group_size`).
        "intel_reqd_sub_group_size": Int32 optional(0) since 18 unit "lanes";
        /// The required walk order of the work-items in a work-group
        /// (`intel_reqd_workgroup_walk_order`).
        "intel_reqd_workgroup_walk_order": Int32x3 optional([0, 0, 0]) since 18;
        /// The reason why the kernel must not be used.
        "invalid_kernel": Str optional since 18;
        /// The required work-group size (`reqd_work_group_size`).
        "reqd_work_group_size": Int32x3 optional([0, 0, 0]) since 18 unit "work-items";
        /// The vector type that the kernel mainly computes with (`vec_type_hint`).
        "vec_type_hint": Str optional since 18;
        /// The expected work-group size (`work_group_size_hint`).
        "work_group_size_hint": Int32x3 optional([0, 0, 0]) since 18 unit "work-items";
        /// The number of thread groups that are dispatched together.
        "intel_reqd_thread_group_dispatch_size": Int32 optional(0) since 41;
    ]
}

/// Hints with other names.
static HINT: Key = Key {
    name: "*_hint*",
    ty: Type::Str,
    driver: Driver::Reads,
    doc: Doc::new(
        "A hint that the specification does not list. The driver accepts every key with _hint in its name and passes the value on unchanged. Type str; not in the current specification.",
        "compute-runtime, zeinfo_decoder.cpp",
    ),
    ..super::dsl::KEY
};

table! {
    /// Hardware settings and resources that the kernel or function needs.
    pub EXECUTION_ENV = "execution_env", "Execution Environment" [
        /// The number of barriers per work-group.
        "barrier_count": Int32 optional(0) since 0 unit "barriers";
        /// Mid-thread preemption is disabled.
        "disable_mid_thread_preemption": Bool optional(false) since 0;
        /// The number of general registers per hardware thread. 128 is typical; with 256, an
        /// execution unit runs half as many threads.
        "grf_count": Int32 required since 0 unit "registers per hardware thread";
        /// Supports buffers larger than 4 GB: all accesses are stateless.
        "has_4gb_buffers": Bool optional(false) since 0;
        /// The kernel enqueues other kernels.
        "has_device_enqueue": Bool optional(false) since 0 { driver: Unknown };
        /// Uses the systolic array (dpas).
        "has_dpas": Bool optional(false) since 0;
        /// Uses a fence for image accesses.
        "has_fence_for_image_access": Bool optional(false) since 0;
        /// Uses atomic operations on global memory.
        "has_global_atomics": Bool optional(false) since 0;
        /// Spills and private memory have separate scratch spaces.
        "has_multi_scratch_spaces": Bool optional(false) since 0;
        /// No stateless writes.
        "has_no_stateless_write": Bool optional(false) since 0;
        /// Calls functions through a stack. Requires the implicit argument buffer.
        "has_stack_calls": Bool optional(false) since 0;
        /// The body of this kernel or function calls printf.
        "has_printf_calls": Bool optional(false) since 59;
        /// The body of this kernel or function needs the assert buffer.
        "require_assert_buffer": Bool optional(false) since 61;
        /// The body of this kernel or function needs the buffer for synchronization between
        /// work-groups.
        "require_sync_buffer": Bool optional(false) since 61;
        /// Calls functions through pointers.
        "has_indirect_calls": Bool optional(false) since 59;
        /// Fusion of execution units must be disabled.
        "require_disable_eufusion": Bool optional(false) since 11;
        /// The number of accesses through pointers that were loaded from memory.
        "indirect_stateless_count": Int32 optional(0) since 21 unit "accesses";
        /// The size of the inline data: the part of the cross-thread payload that the dispatch
        /// command passes in registers. 0 if there is none.
        "inline_data_payload_size": Int32 optional(0) since 8 unit "bytes";
        /// The entry point to use if the hardware has loaded the per-thread payload.
        "offset_to_skip_per_thread_data_load": Int32 optional(0) since 0 unit "bytes from the first instruction";
        /// The entry point to use if the fixed function id (FFID) is already set.
        "offset_to_skip_set_ffid_gp": Int32 optional(0) since 0 unit "bytes from the first instruction";
        /// The required sub-group size; since 1.18 it is in user_attributes.
        "required_sub_group_size": Int32 optional(0) since 0 unit "lanes";
        /// The required work-group size; since 1.18 it is also in user_attributes.
        "required_work_group_size": Int32x3 optional([0, 0, 0]) since 0 unit "work-items";
        /// The SIMD width: the number of work-items per hardware thread.
        "simd_size": Int32 required since 0 unit "lanes" { allowed: &[1, 8, 16, 32] };
        /// The shared local memory per work-group, without pointer arguments to local memory.
        "slm_size": Int32 optional(0) since 0 unit "bytes per work-group";
        /// Who assigns the offsets of shared local memory arguments: 0 the compiler; 1 the runtime,
        /// after slm_size.
        "slm_alloc_mode": Int32 optional(0) since 73 { allowed: &[0, 1] };
        /// Private memory per thread: the stack, or only the variables if spills use the same
        /// stack.
        "private_size": Int32 optional(0) since 39 unit "bytes per hardware thread";
        /// Scratch space for register spills and fills: the stack, or only the spills if private
        /// memory uses the same stack. Absent if nothing is spilled.
        "spill_size": Int32 optional(0) since 39 unit "bytes per hardware thread";
        /// Sub-groups make progress independently of each other.
        "subgroup_independent_forward_progress": Bool optional(false) since 0;
        /// The thread arbitration that the compiler suggests.
        "thread_scheduling_mode": Enum(THREAD_SCHEDULING_MODE) optional since 10;
        /// The walk order of the work-items in a work-group: x [0, 0, 0], xy [0, 1, 0], xyz [0, 1,
        /// 2], yx [1, 0, 0], zyx [2, 1, 0].
        "work_group_walk_order_dimensions": Int32x3 optional([0, 1, 2]) since 0;
        /// The number of hardware threads per execution unit; if absent, it follows from grf_count
        /// and the device.
        "eu_thread_count": Int32 optional(0) since 24 unit "threads per execution unit";
        /// Samples images: the work-items may be walked in Morton order.
        "has_sample": Bool optional(false) since 27;
        /// Uses ray tracing calls.
        "has_rtcalls": Bool optional(false) since 29;
        /// Quantum dispatch: the size of a quantum.
        "quantum_size": Int32 optional(0) since 49 { driver: Unknown };
        /// Quantum dispatch: the walk order.
        "quantum_walk_order": Int32 optional(0) since 49 { driver: Unknown };
        /// Quantum dispatch: the dimension that is partitioned.
        "quantum_partition_dimension": Int32 optional(0) since 49 { driver: Unknown };
        /// The hardware generates the local ids.
        "generate_local_id": Bool optional(false) since 50 { driver: Unknown };
        /// Has stores that override the default L1 cache policy.
        "has_lsc_stores_with_non_default_l1_cache_controls": Bool optional(false) since 52;
        /// Requires the implicit argument buffer. Stack calls always require it.
        "require_iab": Bool optional(false) since 54;
        /// Reads images through bindless addresses.
        "has_bindless_image_read": Bool optional(false) since 67;
        /// The offset of the code in its section, in zebins of 2020.
        "actual_kernel_start_offset": Int32 legacy since 0 unit "bytes" { removed: Some(6), driver: Ignores };
        /// The preemption mode, in early files. The driver still reads it.
        "hw_preemption_mode": Int32 legacy;
        /// A temporary name of require_iab.
        "implicit_arg_buffer_used_by_code": Bool legacy { instead: "require_iab", driver: Unknown };
    ]
}

table! {
    /// Properties that do not affect how the kernel runs. The driver accepts the mapping that the
    /// compiler writes without reading it, and reads the older sequence form.
    pub EXPERIMENTAL_PROPERTIES = "experimental_properties", "Experimental Properties" { others: Ignores } [
        /// Loads from addresses that are not derived from kernel arguments: 0 no, 1 yes, -1 not
        /// applicable.
        "has_non_kernel_arg_load": Int32 optional(-1) since 1 { allowed: &[-1, 0, 1] };
        /// Stores to addresses that are not derived from kernel arguments: 0 no, 1 yes, -1 not
        /// applicable.
        "has_non_kernel_arg_store": Int32 optional(-1) since 1 { allowed: &[-1, 0, 1] };
        /// Atomic operations on addresses that are not derived from kernel arguments: 0 no, 1 yes,
        /// -1 not applicable.
        "has_non_kernel_arg_atomic": Int32 optional(-1) since 1 { allowed: &[-1, 0, 1] };
    ]
}

table! {
    /// The surface of the system routine, for debuggers.
    pub DEBUG_ENV = "debug_env", "Debug Environment" [
        /// The binding table index of the surface; -1 if there is none.
        "sip_surface_bti": Int32 optional(-1) since 7;
        /// The bindless offset of the surface; -1 if there is none.
        "sip_surface_offset": Int32 optional(-1) since 7 unit "bytes";
    ]
}
