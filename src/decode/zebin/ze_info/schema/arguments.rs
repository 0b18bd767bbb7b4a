//! What is passed to a kernel, and the memory and samplers that it needs.

use super::When;
use super::dsl::table;
use super::values::{
    ACCESS_TYPE, ADDRESS_MODE, ADDRESS_SPACE, ALLOCATION_TYPE, ARGUMENT_TYPE, IMAGE_TYPE,
    MEMORY_USAGE, PER_THREAD_ARGUMENT_TYPE, SAMPLER_ADDRESS_MODE, SAMPLER_FILTER_MODE,
    SAMPLER_TYPE,
};

/// The kinds of arguments that belong to an argument of the source.
const WITH_INDEX: When = (
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
const BY_POINTER: When = ("arg_type", &["arg_bypointer"]);
const BY_VALUE: When = ("arg_type", &["arg_byvalue"]);
const BASE: When = ("arg_type", &["const_base", "global_base"]);
const IMAGE: When = ("addrspace", &["image"]);
const SAMPLER: When = ("addrspace", &["sampler"]);
const LOCAL: When = ("addrspace", &["local"]);

table! {
    /// What is passed to all threads alike, and where it is in the cross-thread payload:
    /// arguments of the source, and implicit ones.
    pub PAYLOAD_ARGUMENTS = "payload_arguments", "Payload Arguments" [
        /// What it is.
        "arg_type": Enum(ARGUMENT_TYPE) required since 0;
        /// Where it starts in the payload. For pointers to shared local memory: where the
        /// offset of the memory is.
        "offset": Int32 required since 0 unit "bytes";
        /// How large it is; 0 for pointers that go through the binding table.
        "size": Int32 required since 0 unit "bytes";
        /// Which argument of the source it is, or belongs to, from 0.
        "arg_index": Int32 optional(-1) since 0 { when: &[WITH_INDEX] };
        /// How the memory is addressed.
        "addrmode": Enum(ADDRESS_MODE) optional since 0;
        /// The memory that is pointed to.
        "addrspace": Enum(ADDRESS_SPACE) optional since 0;
        /// What the kernel does with the memory.
        "access_type": Enum(ACCESS_TYPE) optional since 0;
        /// Which sampler it is.
        "sampler_index": Int32 optional(-1) since 4 { when: &[BY_POINTER, SAMPLER] };
        /// Where the element is in the argument of the host, of which it is a part.
        "source_offset": Int32 optional(-1) since 9 unit "bytes" { when: &[BY_VALUE] };
        /// How the shared local memory must be aligned. (The driver takes 16 where it is
        /// absent.)
        "slm_alignment": Int32 optional(0) since 14 unit "bytes" { when: &[BY_POINTER, LOCAL] };
        /// What sort of image it is.
        "image_type": Enum(IMAGE_TYPE) optional since 15;
        /// The image's surface may be transformed.
        "image_transformable": Bool optional(false) since 15 { when: &[BY_POINTER, IMAGE] };
        /// What sort of sampler it is.
        "sampler_type": Enum(SAMPLER_TYPE) optional since 15;
        /// The argument is a pipe.
        "is_pipe": Bool optional(false) since 23 { when: &[BY_POINTER] };
        /// The element is a pointer.
        "is_ptr": Bool optional(false) since 25 { when: &[BY_VALUE] };
        /// The binding table entry of the base address.
        "bti_value": Int32 optional(-1) since 28 { when: &[BASE] };
    ]
}

table! {
    /// What is passed to each thread: its local ids.
    pub PER_THREAD_PAYLOAD_ARGUMENTS = "per_thread_payload_arguments", "Per Thread Payload Arguments" [
        /// What it is.
        "arg_type": Enum(PER_THREAD_ARGUMENT_TYPE) required since 0;
        /// Where it starts in the per-thread payload.
        "offset": Int32 required since 0 unit "bytes";
        /// How large it is.
        "size": Int32 required since 0 unit "bytes";
    ]
}

table! {
    /// The binding table entry of an argument.
    pub BINDING_TABLE_INDICES = "binding_table_indices", "Binding Table Indices" [
        /// The entry, from 0.
        "bti_value": Int32 required since 0;
        /// Which argument of the source, from 0.
        "arg_index": Int32 required since 0;
    ]
}

table! {
    /// Memory that the driver provides for each thread.
    pub PER_THREAD_MEMORY_BUFFERS = "per_thread_memory_buffers", "Per Thread Memory Buffer" [
        /// Where it is allocated.
        "type": Enum(ALLOCATION_TYPE) required since 0;
        /// What it is for.
        "usage": Enum(MEMORY_USAGE) required since 0;
        /// How large it is: for each hardware thread, or for each lane with is_simt_thread. The
        /// driver rounds scratch up to a power of two.
        "size": Int32 required since 0 unit "bytes";
        /// Which scratch space.
        "slot": Int32 optional(0) since 0 { allowed: &[0, 1], when: &[("type", &["scratch"])] };
        /// The size is meant for each lane, not for each hardware thread.
        "is_simt_thread": Bool optional(false) since 0 { when: &[("type", &["global"])] };
    ]
}

table! {
    /// A sampler that the source declares.
    pub INLINE_SAMPLERS = "inline_samplers", "Inline Samplers" [
        /// Which sampler, from 0.
        "sampler_index": Int32 required since 20;
        /// What happens at the edges of the image.
        "addrmode": Enum(SAMPLER_ADDRESS_MODE) required since 20;
        /// How values between pixels are found.
        "filtermode": Enum(SAMPLER_FILTER_MODE) required since 20;
        /// Coordinates go from 0 to 1.
        "normalized": Bool optional(false) since 20;
    ]
}
