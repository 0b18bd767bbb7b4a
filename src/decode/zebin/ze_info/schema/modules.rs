//! The container, its kernels and functions, and the tables beside them.

use super::Driver::{Ignores, Unknown};
use super::arguments::{
    BINDING_TABLE_INDICES, INLINE_SAMPLERS, PAYLOAD_ARGUMENTS, PER_THREAD_MEMORY_BUFFERS,
    PER_THREAD_PAYLOAD_ARGUMENTS,
};
use super::dsl::table;
use super::environment::{DEBUG_ENV, EXECUTION_ENV, EXPERIMENTAL_PROPERTIES, USER_ATTRIBUTES};
use super::values::L1_CACHE_POLICY;

table! {
    /// The metadata of a zebin for the runtime.
    pub CONTAINER = "container", "Container" [
        /// The version of the specification that the text follows: major.minor.
        "version": Str required since 0;
        /// The kernels, an entry each.
        "kernels": Sequence(KERNEL) required since 0;
        /// The functions that can be called from other modules.
        "functions": Sequence(FUNCTION) optional since 13;
        /// The names by which the host reaches global variables.
        "global_host_access_table": Sequence(GLOBAL_HOST_ACCESS_TABLE) optional since 12;
        /// What is known of the kernels beyond what it takes to run them: their arguments as
        /// the source has them. The driver reads it when a program asks, and stops its first
        /// pass here.
        "kernels_misc_info": Sequence(KERNELS_MISC_INFO) optional since 19;
        /// An estimate of what the kernels cost. Experimental; the driver takes it only behind
        /// kernels_misc_info, where it does not look.
        "kernels_cost_info": Sequence(KERNELS_COST_INFO) optional since 47 { driver: Unknown };
        /// How stores go through the L1 cache.
        "l1_cache_policy": Enum(L1_CACHE_POLICY) optional since 69;
        /// Device libraries that the driver links in. Only the driver knows this key.
        "required_libs": Strings legacy;
    ]
}

table! {
    /// A kernel.
    pub KERNEL = "kernel", "Kernel Attributes" [
        /// The kernel's name: its code is in .text and this name.
        "name": Str required since 0;
        /// What its author has asked for.
        "user_attributes": Mapping(USER_ATTRIBUTES) optional since 18;
        /// What the hardware must be set up for.
        "execution_env": Mapping(EXECUTION_ENV) required since 0;
        /// What is passed to all threads alike, and where.
        "payload_arguments": Sequence(PAYLOAD_ARGUMENTS) optional since 0;
        /// What is passed to each thread, and where.
        "per_thread_payload_arguments": Sequence(PER_THREAD_PAYLOAD_ARGUMENTS) optional since 0;
        /// The binding table entries of arguments.
        "binding_table_indices": Sequence(BINDING_TABLE_INDICES) optional since 0;
        /// The memory that threads need beside their registers.
        "per_thread_memory_buffers": Sequence(PER_THREAD_MEMORY_BUFFERS) optional since 0;
        /// The samplers that the source declares.
        "inline_samplers": Sequence(INLINE_SAMPLERS) optional since 20;
        /// Observations that must not change how the kernel runs.
        "experimental_properties": Either(EXPERIMENTAL_PROPERTIES) optional since 1;
        /// What a debugger needs. The driver refuses the older sequence form.
        "debug_env": Either(DEBUG_ENV) optional since 7;
        /// The name of binding_table_indices in very old files.
        "binding_table_indexes": Sequence(BINDING_TABLE_INDICES) legacy { instead: "binding_table_indices", driver: Unknown };
    ]
}

table! {
    /// A function that can be called from other modules.
    pub FUNCTION = "function", "Function Attributes" [
        /// The function's name.
        "name": Str required since 13;
        /// What the hardware must be set up for.
        "execution_env": Mapping(EXECUTION_ENV) required since 13;
    ]
}

table! {
    /// A global variable and its name for the host.
    pub GLOBAL_HOST_ACCESS_TABLE = "global_host_access_table", "Host Access Attributes" [
        /// The variable's name in the module, mangled.
        "device_name": Str required since 12;
        /// The name that the host asks for.
        "host_name": Str required since 12;
    ]
}

table! {
    /// A kernel as its source has it.
    pub KERNELS_MISC_INFO = "kernels_misc_info", "Kernels Misc Info" { others: Ignores } [
        /// The kernel's name; empty in modules that have functions only.
        "name": Str required since 19;
        /// Its arguments.
        "args_info": Sequence(ARGS_INFO) optional since 19;
    ]
}

table! {
    /// An argument as the source has it.
    pub ARGS_INFO = "args_info", "Kernels Misc Info" { others: Ignores } [
        /// Which argument, from 0.
        "index": Int32 required since 19;
        /// Its name; only there with -cl-kernel-arg-info or debug information.
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
    /// What a kernel costs, estimated by the compiler.
    pub KERNELS_COST_INFO = "kernels_cost_info", "Kernels Cost Info" { others: Ignores } [
        /// The kernel's name.
        "name": Str required since 47;
        /// The arguments that the estimate depends on.
        "kcm_args_sym": Sequence(KCM_ARGS_SYM) optional since 47;
        /// How often the loops run.
        "kcm_loop_count_exps": Sequence(KCM_LOOP_COUNT_EXPS) required since 47;
        /// What a turn of each loop costs; a tree in pre-order. The capital K is the
        /// specification's.
        "Kcm_loop_costs": Sequence(KCM_LOOP_COSTS) required since 47;
    ]
}

table! {
    /// A part of an argument, as a symbol of the estimate.
    pub KCM_ARGS_SYM = "kcm_args_sym", "Kernels Cost Info" { others: Ignores } [
        /// Which argument, from 0.
        "argNo": Int32 required since 47;
        /// Where the value is in it.
        "byteOffset": Int32 required since 47 unit "bytes";
        /// How large the value is.
        "sizeInBytes": Int32 required since 47 unit "bytes";
        /// The argument is a pointer to the value.
        "isInDirect": Bool required since 47;
    ]
}

table! {
    /// How often a loop runs: factor × symbol + C.
    pub KCM_LOOP_COUNT_EXPS = "kcm_loop_count_exps", "Kernels Cost Info" { others: Ignores } [
        /// What the symbol is multiplied with.
        "factor": Float required since 47;
        /// Which symbol of kcm_args_sym; negative: none.
        "argsym_index": Int32 required since 47;
        /// What is added.
        "C": Float required since 47;
    ]
}

table! {
    /// What a turn of a loop costs without the loops in it.
    pub KCM_LOOP_COSTS = "Kcm_loop_costs", "Kernels Cost Info" { others: Ignores } [
        /// How long it takes.
        "cycle": Int32 required since 47 unit "cycles";
        /// What it loads.
        "bytes_loaded": Int32 required since 47 unit "bytes";
        /// What it stores.
        "bytes_stored": Int32 required since 47 unit "bytes";
        /// How many loops are directly in it.
        "num_loops": Int32 required since 47 unit "loops";
    ]
}
