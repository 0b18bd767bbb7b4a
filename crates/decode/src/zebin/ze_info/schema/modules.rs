//! The container, its kernels and functions, and the other top-level tables.

use super::Driver::{Ignores, Unknown};
use super::arguments::{
    BINDING_TABLE_INDICES, INLINE_SAMPLERS, PAYLOAD_ARGUMENTS, PER_THREAD_MEMORY_BUFFERS,
    PER_THREAD_PAYLOAD_ARGUMENTS,
};
use super::dsl::table;
use super::environment::{DEBUG_ENV, EXECUTION_ENV, EXPERIMENTAL_PROPERTIES, USER_ATTRIBUTES};
use super::values::L1_CACHE_POLICY;

table! {
    /// The metadata of a zebin.
    pub CONTAINER = "container", "Container" [
        /// The version of the specification: major.minor.
        "version": Str required since 0;
        /// The kernels.
        "kernels": Sequence(KERNEL) required since 0;
        /// The functions that other modules can call.
        "functions": Sequence(FUNCTION) optional since 13;
        /// The names by which the host accesses global variables.
        "global_host_access_table": Sequence(GLOBAL_HOST_ACCESS_TABLE) optional since 12;
        /// Information about kernels that is not needed to run them: the names and types of their
        /// arguments. The driver's first pass ends here; the driver reads it when a program queries
        /// it.
        "kernels_misc_info": Sequence(KERNELS_MISC_INFO) optional since 19;
        /// Cost estimates of the kernels. Experimental; the driver accepts it only after
        /// kernels_misc_info, where it does not check keys.
        "kernels_cost_info": Sequence(KERNELS_COST_INFO) optional since 47 { driver: Unknown };
        /// The L1 cache policy for stores.
        "l1_cache_policy": Enum(L1_CACHE_POLICY) optional since 69;
        /// Device libraries that the driver links. The specification does not define this key.
        "required_libs": Strings legacy;
    ]
}

table! {
    /// A kernel.
    pub KERNEL = "kernel", "Kernel Attributes" [
        /// The kernel's name; its code is in the section .text.<name>.
        "name": Str required since 0;
        /// Source attributes of the kernel.
        "user_attributes": Mapping(USER_ATTRIBUTES) optional since 18;
        /// Hardware settings and resources that the kernel needs.
        "execution_env": Mapping(EXECUTION_ENV) required since 0;
        /// The layout of the cross-thread payload.
        "payload_arguments": Sequence(PAYLOAD_ARGUMENTS) optional since 0;
        /// The layout of the per-thread payload.
        "per_thread_payload_arguments": Sequence(PER_THREAD_PAYLOAD_ARGUMENTS) optional since 0;
        /// The binding table entries of the arguments.
        "binding_table_indices": Sequence(BINDING_TABLE_INDICES) optional since 0;
        /// The memory that each thread needs in addition to its registers.
        "per_thread_memory_buffers": Sequence(PER_THREAD_MEMORY_BUFFERS) optional since 0;
        /// The samplers that the source declares.
        "inline_samplers": Sequence(INLINE_SAMPLERS) optional since 20;
        /// Properties that do not affect how the kernel runs.
        "experimental_properties": Either(EXPERIMENTAL_PROPERTIES) optional since 1;
        /// Information for debuggers. The driver refuses the older sequence form.
        "debug_env": Either(DEBUG_ENV) optional since 7;
        /// The name of binding_table_indices in very old files.
        "binding_table_indexes": Sequence(BINDING_TABLE_INDICES) legacy { instead: "binding_table_indices", driver: Unknown };
    ]
}

table! {
    /// A function that other modules can call.
    pub FUNCTION = "function", "Function Attributes" [
        /// The function's name.
        "name": Str required since 13;
        /// Hardware settings and resources that the function needs.
        "execution_env": Mapping(EXECUTION_ENV) required since 13;
    ]
}

table! {
    /// A global variable and the name that the host uses for it.
    pub GLOBAL_HOST_ACCESS_TABLE = "global_host_access_table", "Host Access Attributes" [
        /// The mangled name of the variable in the module.
        "device_name": Str required since 12;
        /// The name that the host uses.
        "host_name": Str required since 12;
    ]
}

table! {
    /// A kernel and its source arguments.
    pub KERNELS_MISC_INFO = "kernels_misc_info", "Kernels Misc Info" { others: Ignores } [
        /// The kernel's name; empty in modules that have functions only.
        "name": Str required since 19;
        /// The source arguments.
        "args_info": Sequence(ARGS_INFO) optional since 19;
    ]
}

table! {
    /// A source argument.
    pub ARGS_INFO = "args_info", "Kernels Misc Info" { others: Ignores } [
        /// The index of the argument, from 0.
        "index": Int32 required since 19;
        /// Its name; present only with -cl-kernel-arg-info or debug information.
        "name": Str optional since 19;
        /// Its address space: __global, __local, __constant or __private.
        "address_qualifier": Str required since 19;
        /// For images and pipes: __read_only, __write_only or __read_write; else NONE.
        "access_qualifier": Str required since 19;
        /// Its type and, after a semicolon, the size in bytes.
        "type_name": Str required since 19;
        /// const, restrict, volatile, pipe, separated by blanks; else NONE.
        "type_qualifiers": Str required since 19;
    ]
}

table! {
    /// The compiler's estimate of the cost of a kernel.
    pub KERNELS_COST_INFO = "kernels_cost_info", "Kernels Cost Info" { others: Ignores } [
        /// The kernel's name.
        "name": Str required since 47;
        /// The arguments that the estimate depends on.
        "kcm_args_sym": Sequence(KCM_ARGS_SYM) optional since 47;
        /// The iteration counts of the loops.
        "kcm_loop_count_exps": Sequence(KCM_LOOP_COUNT_EXPS) required since 47;
        /// The costs of an iteration of each loop; a tree in pre-order. The specification spells
        /// the key with a capital K.
        "Kcm_loop_costs": Sequence(KCM_LOOP_COSTS) required since 47;
    ]
}

table! {
    /// A part of an argument that the estimate uses as a symbol.
    pub KCM_ARGS_SYM = "kcm_args_sym", "Kernels Cost Info" { others: Ignores } [
        /// The index of the argument, from 0.
        "argNo": Int32 required since 47;
        /// The offset of the value in the argument.
        "byteOffset": Int32 required since 47 unit "bytes";
        /// The size of the value.
        "sizeInBytes": Int32 required since 47 unit "bytes";
        /// The argument is a pointer to the value.
        "isInDirect": Bool required since 47;
    ]
}

table! {
    /// The iteration count of a loop: factor × symbol + C.
    pub KCM_LOOP_COUNT_EXPS = "kcm_loop_count_exps", "Kernels Cost Info" { others: Ignores } [
        /// The factor of the symbol.
        "factor": Float required since 47;
        /// The index of the symbol in kcm_args_sym; negative if there is none.
        "argsym_index": Int32 required since 47;
        /// The constant that is added.
        "C": Float required since 47;
    ]
}

table! {
    /// The cost of an iteration of a loop, without its inner loops.
    pub KCM_LOOP_COSTS = "Kcm_loop_costs", "Kernels Cost Info" { others: Ignores } [
        /// The number of cycles.
        "cycle": Int32 required since 47 unit "cycles";
        /// The number of bytes loaded.
        "bytes_loaded": Int32 required since 47 unit "bytes";
        /// The number of bytes stored.
        "bytes_stored": Int32 required since 47 unit "bytes";
        /// The number of loops directly inside this loop.
        "num_loops": Int32 required since 47 unit "loops";
    ]
}
