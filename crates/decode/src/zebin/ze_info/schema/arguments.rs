//! The arguments of a kernel, and the memory and samplers that it needs.

use super::KeyCondition;
use super::dsl::table;
use super::values::{
    ACCESS_TYPE, ADDRESS_MODE, ADDRESS_SPACE, ALLOCATION_TYPE, ARGUMENT_TYPE, IMAGE_TYPE,
    MEMORY_USAGE, PER_THREAD_ARGUMENT_TYPE, SAMPLER_ADDRESS_MODE, SAMPLER_FILTER_MODE,
    SAMPLER_TYPE,
};

/// The kinds of arguments that belong to a source argument.
const WITH_INDEX: KeyCondition = (
    "arg_type",
    &[
        "arg_byvalue",
        "arg_bypointer",
        "buffer_offset",
        "buffer_address",
        "buffer_size",
        "image_height",
        "image_width",
        "image_depth",
        "image_num_mip_levels",
        "image_channel_data_type",
        "image_channel_order",
        "image_array_size",
        "image_num_samples",
        "image_srgb_channel_order",
        "flat_image_baseoffset",
        "flat_image_height",
        "flat_image_width",
        "flat_image_pitch",
        "sampler_address",
        "sampler_normalized",
        "sampler_snap_wa",
    ],
);
const BY_POINTER: KeyCondition = ("arg_type", &["arg_bypointer"]);
const BY_VALUE: KeyCondition = ("arg_type", &["arg_byvalue"]);
const BASE: KeyCondition = ("arg_type", &["const_base", "global_base"]);
const IMAGE: KeyCondition = ("addrspace", &["image"]);
const SAMPLER: KeyCondition = ("addrspace", &["sampler"]);
const LOCAL: KeyCondition = ("addrspace", &["local"]);

table! {
    /// The layout of the cross-thread payload, which all threads share: source arguments and
    /// implicit arguments.
    pub PAYLOAD_ARGUMENTS = "payload_arguments", "Payload Arguments" [
        /// The kind of the argument.
        "arg_type": Enum(ARGUMENT_TYPE) required since 0;
        /// The offset in the payload. For a pointer to shared local memory: the offset of the field
        /// that holds the memory's offset.
        "offset": Int32 required since 0 unit "bytes";
        /// The size; 0 for a pointer that is accessed through the binding table.
        "size": Int32 required since 0 unit "bytes";
        /// The index of the source argument, from 0.
        "arg_index": Int32 optional(-1) since 0 { when: &[WITH_INDEX] };
        /// The addressing mode.
        "addrmode": Enum(ADDRESS_MODE) optional since 0;
        /// The address space of the pointer.
        "addrspace": Enum(ADDRESS_SPACE) optional since 0;
        /// How the kernel accesses the memory.
        "access_type": Enum(ACCESS_TYPE) optional since 0;
        /// The index of the sampler.
        "sampler_index": Int32 optional(-1) since 4 { when: &[BY_POINTER, SAMPLER] };
        /// The offset of the element in the source argument.
        "source_offset": Int32 optional(-1) since 9 unit "bytes" { when: &[BY_VALUE] };
        /// The alignment of the shared local memory. (The driver uses 16 if it is absent.)
        "slm_alignment": Int32 optional(0) since 14 unit "bytes" { when: &[BY_POINTER, LOCAL] };
        /// The type of the image.
        "image_type": Enum(IMAGE_TYPE) optional since 15;
        /// The image's surface may be transformed.
        "image_transformable": Bool optional(false) since 15 { when: &[BY_POINTER, IMAGE] };
        /// The type of the sampler.
        "sampler_type": Enum(SAMPLER_TYPE) optional since 15;
        /// The argument is a pipe.
        "is_pipe": Bool optional(false) since 23 { when: &[BY_POINTER] };
        /// The element is a pointer.
        "is_ptr": Bool optional(false) since 25 { when: &[BY_VALUE] };
        /// The binding table index of the base address.
        "bti_value": Int32 optional(-1) since 28 { when: &[BASE] };
    ]
}

table! {
    /// The layout of the per-thread payload: the local ids.
    pub PER_THREAD_PAYLOAD_ARGUMENTS = "per_thread_payload_arguments", "Per Thread Payload Arguments" [
        /// The kind of the argument.
        "arg_type": Enum(PER_THREAD_ARGUMENT_TYPE) required since 0;
        /// The offset in the per-thread payload.
        "offset": Int32 required since 0 unit "bytes";
        /// The size.
        "size": Int32 required since 0 unit "bytes";
    ]
}

table! {
    /// The binding table entry of an argument.
    pub BINDING_TABLE_INDICES = "binding_table_indices", "Binding Table Indices" [
        /// The binding table index, from 0.
        "bti_value": Int32 required since 0;
        /// The index of the source argument, from 0.
        "arg_index": Int32 required since 0;
    ]
}

table! {
    /// Memory that the driver allocates for each thread.
    pub PER_THREAD_MEMORY_BUFFERS = "per_thread_memory_buffers", "Per Thread Memory Buffer" [
        /// The memory that the buffer is allocated in.
        "type": Enum(ALLOCATION_TYPE) required since 0;
        /// The use of the buffer.
        "usage": Enum(MEMORY_USAGE) required since 0;
        /// The size per hardware thread, or per lane with is_simt_thread. The driver rounds scratch
        /// space up to a power of two.
        "size": Int32 required since 0 unit "bytes";
        /// The scratch slot.
        "slot": Int32 optional(0) since 0 { allowed: &[0, 1], when: &[("type", &["scratch"])] };
        /// The size is per lane, not per hardware thread.
        "is_simt_thread": Bool optional(false) since 0 { when: &[("type", &["global"])] };
    ]
}

table! {
    /// A sampler that the source declares.
    pub INLINE_SAMPLERS = "inline_samplers", "Inline Samplers" [
        /// The index of the sampler, from 0.
        "sampler_index": Int32 required since 20;
        /// The addressing mode: how coordinates outside of the image are handled.
        "addrmode": Enum(SAMPLER_ADDRESS_MODE) required since 20;
        /// The filter mode.
        "filtermode": Enum(SAMPLER_FILTER_MODE) required since 20;
        /// Coordinates are normalized to the range 0 to 1.
        "normalized": Bool optional(false) since 20;
    ]
}
