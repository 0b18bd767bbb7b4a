//! The attributes of a kernel or function as a whole.

use super::Driver::{Ignores, Unknown};
use super::dsl::table;
use super::values::THREAD_SCHEDULING_MODE;
use super::{Driver, Key, Type};
use crate::model::Doc;

table! {
    /// What the author of the kernel has asked for in its source. The OpenCL runtime shows it
    /// as the kernel's attributes.
    pub USER_ATTRIBUTES = "user_attributes", "User Attributes" { wildcard: Some(&HINT) } [
        /// The sub-group size that the source demands (`intel_reqd_sub_group_size`).
        "intel_reqd_sub_group_size": Int32 optional(0) since 18 unit "lanes";
        /// The order in which the work-items of a group are numbered
        /// (`intel_reqd_workgroup_walk_order`).
        "intel_reqd_workgroup_walk_order": Int32x3 optional([0, 0, 0]) since 18;
        /// Why the kernel must not be used.
        "invalid_kernel": Str optional since 18;
        /// The work-group size that the source demands (`reqd_work_group_size`).
        "reqd_work_group_size": Int32x3 optional([0, 0, 0]) since 18 unit "work-items";
        /// The vector type that the kernel mostly computes with (`vec_type_hint`).
        "vec_type_hint": Str optional since 18;
        /// The work-group size that the author expects (`work_group_size_hint`).
        "work_group_size_hint": Int32x3 optional([0, 0, 0]) since 18 unit "work-items";
        /// How many thread groups are dispatched together.
        "intel_reqd_thread_group_dispatch_size": Int32 optional(0) since 41;
    ]
}

/// Hints of other names.
static HINT: Key = Key {
    name: "*_hint*",
    ty: Type::Str,
    driver: Driver::Reads,
    doc: Doc::new(
        "A hint under a name that the specification does not list. The driver takes every key that has _hint in its name and passes it on as it stands. Type str; not in today's specification.",
        "compute-runtime, zeinfo_decoder.cpp",
    ),
    ..super::dsl::KEY
};

table! {
    /// What the hardware must be set up for to run the kernel or function.
    pub EXECUTION_ENV = "execution_env", "Execution Environment" [
        /// How many barriers a work-group uses.
        "barrier_count": Int32 optional(0) since 0 unit "barriers";
        /// The thread must not be preempted in its midst.
        "disable_mid_thread_preemption": Bool optional(false) since 0;
        /// How large the register file of a hardware thread is. 128 is the usual size; with 256
        /// only half as many threads run on an execution unit.
        "grf_count": Int32 required since 0 unit "registers per hardware thread";
        /// Compiled for buffers above 4 GB: all accesses are stateless.
        "has_4gb_buffers": Bool optional(false) since 0;
        /// The kernel enqueues other kernels.
        "has_device_enqueue": Bool optional(false) since 0 { driver: Unknown };
        /// The systolic array is used (dpas).
        "has_dpas": Bool optional(false) since 0;
        /// A fence orders accesses to images.
        "has_fence_for_image_access": Bool optional(false) since 0;
        /// Atomic operations on global memory.
        "has_global_atomics": Bool optional(false) since 0;
        /// Spills and private memory have scratch spaces of their own.
        "has_multi_scratch_spaces": Bool optional(false) since 0;
        /// Nothing is written through stateless addresses.
        "has_no_stateless_write": Bool optional(false) since 0;
        /// Functions are called with a stack. It takes the implicit argument buffer along.
        "has_stack_calls": Bool optional(false) since 0;
        /// The body of this kernel or function prints.
        "has_printf_calls": Bool optional(false) since 59;
        /// The body of this kernel or function needs the buffer for failed assertions.
        "require_assert_buffer": Bool optional(false) since 61;
        /// The body of this kernel or function needs the buffer for synchronisation between
        /// work-groups.
        "require_sync_buffer": Bool optional(false) since 61;
        /// Functions are called through pointers.
        "has_indirect_calls": Bool optional(false) since 59;
        /// The fusion of execution units must be switched off.
        "require_disable_eufusion": Bool optional(false) since 11;
        /// How many accesses go through pointers that were loaded from memory.
        "indirect_stateless_count": Int32 optional(0) since 21 unit "accesses";
        /// How much of the cross-thread payload is passed inline with the dispatch command, in
        /// registers; 0 is none.
        "inline_data_payload_size": Int32 optional(0) since 8 unit "bytes";
        /// Where the kernel is entered when the hardware has loaded the per-thread payload.
        "offset_to_skip_per_thread_data_load": Int32 optional(0) since 0 unit "bytes from the first instruction";
        /// Where the kernel is entered when the fixed function id is set up already.
        "offset_to_skip_set_ffid_gp": Int32 optional(0) since 0 unit "bytes from the first instruction";
        /// The sub-group size that the source demands; since 1.18 it is with the user
        /// attributes.
        "required_sub_group_size": Int32 optional(0) since 0 unit "lanes";
        /// The work-group size that the source demands; since 1.18 it is with the user
        /// attributes too.
        "required_work_group_size": Int32x3 optional([0, 0, 0]) since 0 unit "work-items";
        /// How many work-items a hardware thread runs in step.
        "simd_size": Int32 required since 0 unit "lanes" { allowed: &[1, 8, 16, 32] };
        /// How much shared local memory a work-group uses, without what the arguments add.
        "slm_size": Int32 optional(0) since 0 unit "bytes per work-group";
        /// Who finds places in shared local memory for arguments: 0 the compiler, 1 the
        /// runtime, behind slm_size.
        "slm_alloc_mode": Int32 optional(0) since 73 { allowed: &[0, 1] };
        /// The private memory of a thread: its stack, or its variables where the stack is
        /// shared with spills.
        "private_size": Int32 optional(0) since 39 unit "bytes per hardware thread";
        /// Memory for registers that did not fit: the stack for spills and fills, or their
        /// part where the stack is shared. Absent when nothing spills.
        "spill_size": Int32 optional(0) since 39 unit "bytes per hardware thread";
        /// Sub-groups make progress independently of each other.
        "subgroup_independent_forward_progress": Bool optional(false) since 0;
        /// The arbitration between threads that the compiler suggests.
        "thread_scheduling_mode": Enum(THREAD_SCHEDULING_MODE) optional since 10;
        /// The order in which the work-items of a group are numbered: x [0, 0, 0], xy
        /// [0, 1, 0], xyz [0, 1, 2], yx [1, 0, 0], zyx [2, 1, 0].
        "work_group_walk_order_dimensions": Int32x3 optional([0, 1, 2]) since 0;
        /// How many hardware threads an execution unit runs; where it is absent, grf_count and
        /// the device tell.
        "eu_thread_count": Int32 optional(0) since 24 unit "threads per execution unit";
        /// The kernel samples images: the work-items may be walked in Morton order.
        "has_sample": Bool optional(false) since 27;
        /// Calls for ray tracing.
        "has_rtcalls": Bool optional(false) since 29;
        /// For quantum dispatch: the size of a quantum.
        "quantum_size": Int32 optional(0) since 49 { driver: Unknown };
        /// For quantum dispatch: the order of the walk.
        "quantum_walk_order": Int32 optional(0) since 49 { driver: Unknown };
        /// For quantum dispatch: the dimension that is divided.
        "quantum_partition_dimension": Int32 optional(0) since 49 { driver: Unknown };
        /// The hardware generates the local ids.
        "generate_local_id": Bool optional(false) since 50 { driver: Unknown };
        /// Stores bypass or change the usual policy of the L1 cache.
        "has_lsc_stores_with_non_default_l1_cache_controls": Bool optional(false) since 52;
        /// The implicit argument buffer must be there; it always must with stack calls.
        "require_iab": Bool optional(false) since 54;
        /// Images are read through bindless addresses.
        "has_bindless_image_read": Bool optional(false) since 67;
        /// Where the code starts in its section, in zebins of 2020.
        "actual_kernel_start_offset": Int32 legacy since 0 unit "bytes" { removed: Some(6), driver: Ignores };
        /// How the kernel may be preempted, in early files. The driver still reads it.
        "hw_preemption_mode": Int32 legacy;
        /// A name that require_iab had for a short time.
        "implicit_arg_buffer_used_by_code": Bool legacy { instead: "require_iab", driver: Unknown };
    ]
}

table! {
    /// Observations that must not change how the kernel runs. The driver takes the mapping
    /// that the compiler writes without reading it, and reads the older sequence form.
    pub EXPERIMENTAL_PROPERTIES = "experimental_properties", "Experimental Properties" { others: Ignores } [
        /// Loads from addresses that do not come from the kernel's arguments: 0 no, 1 yes, -1
        /// not applicable.
        "has_non_kernel_arg_load": Int32 optional(-1) since 1 { allowed: &[-1, 0, 1] };
        /// Stores to addresses that do not come from the kernel's arguments: 0 no, 1 yes, -1
        /// not applicable.
        "has_non_kernel_arg_store": Int32 optional(-1) since 1 { allowed: &[-1, 0, 1] };
        /// Atomic operations on addresses that do not come from the kernel's arguments: 0 no,
        /// 1 yes, -1 not applicable.
        "has_non_kernel_arg_atomic": Int32 optional(-1) since 1 { allowed: &[-1, 0, 1] };
    ]
}

table! {
    /// What a debugger needs: the surface of the system routine.
    pub DEBUG_ENV = "debug_env", "Debug Environment" [
        /// The binding table index of the surface; -1 is none.
        "sip_surface_bti": Int32 optional(-1) since 7;
        /// The bindless offset of the surface; -1 is none.
        "sip_surface_offset": Int32 optional(-1) since 7 unit "bytes";
    ]
}
