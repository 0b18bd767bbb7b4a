//! The enumerations: their values and meanings.

use super::Driver::{Rejects, Unknown};
use super::dsl::values;

values! {
    /// The L1 cache policy for stores.
    pub L1_CACHE_POLICY = "l1_cache_policy" [
        /// Write-bypass: writes bypass the cache.
        "wbp" since 69;
        /// Uncached.
        "uc" since 69;
        /// Write-back: a line is written to memory when it is evicted.
        "wb" since 69;
        /// Write-through: writes go to the cache and to memory.
        "wt" since 69;
        /// Write-streaming: writes stream through the cache.
        "ws" since 69;
    ]
}

values! {
    /// How an execution unit chooses between its threads.
    pub THREAD_SCHEDULING_MODE = "thread_scheduling_mode" [
        /// The oldest thread runs first.
        "age_based" since 10;
        /// Round-robin.
        "round_robin" since 10;
        /// Round-robin; a thread that stalls gives up its turn.
        "round_robin_stall" since 10;
    ]
}

values! {
    /// The kind of a payload argument.
    pub ARGUMENT_TYPE = "argument_type" [
        /// The local ids of a SIMD1 thread, 16 bits each. Only per thread.
        "packed_local_ids" since 0 { driver: Rejects };
        /// The local ids of the lanes, 16 bits each; each dimension starts at a new register. Only
        /// per thread.
        "local_id" since 0 { driver: Rejects };
        /// The number of work-items per work-group; 4 bytes for each of x, y, z.
        "local_size" since 0;
        /// The number of work-groups; 4 bytes for each of x, y, z.
        "group_count" since 0;
        /// The number of dimensions of the dispatch; 4 bytes.
        "work_dimensions" since 5;
        /// The number of work-items; 4 bytes for each of x, y, z. OpenCL.
        "global_size" since 0;
        /// The enqueued work-group size; 4 bytes for each of x, y, z. OpenCL.
        "enqueued_local_size" since 0;
        /// The offset of the global ids; 4 bytes for each of x, y, z.
        "global_id_offset" since 0;
        /// The address of the private memory; 8 bytes.
        "private_base_stateless" since 0;
        /// The address of a buffer that is otherwise accessed through the binding table.
        "buffer_address" since 17;
        /// The offset of a buffer from its aligned base address; 4 bytes.
        "buffer_offset" since 2;
        /// The address of the printf buffer; 8 bytes.
        "printf_buffer" since 3;
        /// The address of the implicit argument buffer; 8 bytes.
        "implicit_arg_buffer" since 0;
        /// The address of the buffer for synchronization between work-groups; 8 bytes.
        "sync_buffer" since 22;
        /// The address of the ray tracing globals; 8 bytes.
        "rt_global_buffer" since 26;
        /// The address of the assert buffer; 8 bytes.
        "assert_buffer" since 30;
        /// The address of the indirect data; 8 bytes, within the inline data.
        "indirect_data_pointer" since 31;
        /// The address of the scratch space; 8 bytes, within the inline data.
        "scratch_pointer" since 31;
        /// A source argument, or an element of one, by value.
        "arg_byvalue" since 0;
        /// A source argument that points to memory, an image or a sampler.
        "arg_bypointer" since 0;
        /// The height of an image argument; 4 bytes.
        "image_height" since 15;
        /// The width of an image argument; 4 bytes.
        "image_width" since 15;
        /// The depth of an image argument; 4 bytes.
        "image_depth" since 15;
        /// The number of mip levels of an image argument; 4 bytes.
        "image_num_mip_levels" since 15;
        /// The data type of an image argument's channels; 4 bytes.
        "image_channel_data_type" since 15;
        /// The order of an image argument's channels; 4 bytes.
        "image_channel_order" since 15;
        /// The number of images in an array argument; 4 bytes.
        "image_array_size" since 15;
        /// The number of samples of an image argument; 4 bytes.
        "image_num_samples" since 15;
        /// The address mode of a sampler argument; 4 bytes.
        "sampler_address" since 15;
        /// Whether a sampler argument uses normalized coordinates; 4 bytes.
        "sampler_normalized" since 15;
        /// Whether a sampler argument needs snapped coordinates; 4 bytes. Deprecated since 1.65.
        "sampler_snap_wa" since 15;
        /// The bindless offset of a sampler that the source declares.
        "inline_sampler" since 44;
        /// The address of the constants; 8 bytes.
        "const_base" since 28;
        /// The address of the global variables; 8 bytes.
        "global_base" since 28;
        /// The number of work-groups in a region; 4 bytes for each of x, y, z.
        "region_group_size" since 34 { driver: Unknown };
        /// The dimension that is divided into regions; 4 bytes.
        "region_group_dimension" since 34;
        /// The total number of work-groups in a region; 4 bytes.
        "region_group_wg_count" since 34 { driver: Unknown };
        /// The address of the region barriers; 8 bytes.
        "region_group_barrier_buffer" since 43 { driver: Unknown };
        /// The size of a buffer argument; 8 bytes.
        "buffer_size" since 40;
        /// The base offset of a flattened image. From 1.15 to 1.63.
        "flat_image_baseoffset" since 15 { removed: Some(64) };
        /// The height of a flattened image. From 1.15 to 1.63.
        "flat_image_height" since 15 { removed: Some(64) };
        /// The width of a flattened image. From 1.15 to 1.63.
        "flat_image_width" since 15 { removed: Some(64) };
        /// The pitch of a flattened image. From 1.15 to 1.63.
        "flat_image_pitch" since 15 { removed: Some(64) };
        /// The channel order of an image argument, with sRGB as separate values. From 1.15 to 1.65.
        "image_srgb_channel_order" since 15 { removed: Some(66), driver: Unknown };
        /// The buffer of the implicit local ids, used for a short time in 2021.
        "implicit_local_id_buffer" { driver: Unknown };
        /// The name of group_count in 2020.
        "group_size" { removed: Some(0), instead: "group_count", driver: Unknown };
        /// Video motion estimation: the macroblock type. Only the driver has the name, and refuses
        /// it.
        "vme_mb_block_type" { driver: Rejects };
        /// Video motion estimation: the sub-pixel mode. Only the driver has the name, and refuses
        /// it.
        "vme_subpixel_mode" { driver: Rejects };
        /// Video motion estimation: the SAD adjustment mode. Only the driver has the name, and
        /// refuses it.
        "vme_sad_adjust_mode" { driver: Rejects };
        /// Video motion estimation: the search path. Only the driver has the name, and refuses it.
        "vme_search_path_type" { driver: Rejects };
    ]
}

values! {
    /// The kind of a per-thread payload argument.
    pub PER_THREAD_ARGUMENT_TYPE = "argument_type (per thread)" [
        /// The local ids of a SIMD1 thread: 2 bytes for each of x, y, z.
        "packed_local_ids" since 0;
        /// The local ids of the lanes: 2 bytes per lane for each of x, y, z; each dimension starts
        /// at a new register.
        "local_id" since 0;
    ]
}

values! {
    /// The addressing mode.
    pub ADDRESS_MODE = "memory_addressing_mode" [
        /// By 64-bit address.
        "stateless" since 0;
        /// Through an entry of the binding table; see binding_table_indices.
        "stateful" since 0;
        /// Through the offset of a surface state, which is passed as an argument.
        "bindless" since 0;
        /// By offset in shared local memory.
        "slm" since 0;
        /// The name of slm before 1.0.
        "shared_local_memory" { removed: Some(0), instead: "slm", driver: Unknown };
    ]
}

values! {
    /// The address space of a pointer argument.
    pub ADDRESS_SPACE = "address_space" [
        /// Memory that all work-items share.
        "global" since 0;
        /// Memory that a work-group shares.
        "local" since 0;
        /// Read-only memory.
        "constant" since 0;
        /// An image.
        "image" since 0;
        /// A sampler.
        "sampler" since 0;
    ]
}

values! {
    /// How a kernel accesses the memory of an argument.
    pub ACCESS_TYPE = "access_type" [
        /// Read-only.
        "readonly" since 0;
        /// Write-only.
        "writeonly" since 0;
        /// Read and write.
        "readwrite" since 0;
    ]
}

values! {
    /// The type of an image argument.
    pub IMAGE_TYPE = "image_type" [
        /// A one-dimensional image that is created from a buffer.
        "image_buffer" since 15;
        /// A one-dimensional image.
        "image_1d" since 15;
        /// An array of one-dimensional images.
        "image_1d_array" since 15;
        /// A two-dimensional image.
        "image_2d" since 15;
        /// An array of two-dimensional images.
        "image_2d_array" since 15;
        /// A three-dimensional image.
        "image_3d" since 15;
        /// A cube map. The driver refuses the word because of a bug.
        "image_cube" since 15 { driver: Unknown };
        /// An array of cube maps.
        "image_cube_array" since 15;
        /// A two-dimensional depth image.
        "image_2d_depth" since 15;
        /// An array of two-dimensional depth images.
        "image_2d_array_depth" since 15;
        /// A two-dimensional multisample image.
        "image_2d_msaa" since 15;
        /// A two-dimensional multisample depth image.
        "image_2d_msaa_depth" since 15;
        /// An array of two-dimensional multisample images.
        "image_2d_array_msaa" since 15;
        /// An array of two-dimensional multisample depth images.
        "image_2d_array_msaa_depth" since 15;
        /// A two-dimensional image for media operations.
        "image_2d_media" since 15;
        /// A two-dimensional image for media block operations.
        "image_2d_media_block" since 15;
    ]
}

values! {
    /// The type of a sampler argument.
    pub SAMPLER_TYPE = "sampler_type" [
        /// A texture sampler.
        "texture" since 15;
        /// 8×8 blocks.
        "sample_8x8" since 15;
        /// 8×8 blocks: two-dimensional convolution.
        "sample_8x8_2dconvolve" since 15;
        /// 8×8 blocks: erosion.
        "sample_8x8_erode" since 15;
        /// 8×8 blocks: dilation.
        "sample_8x8_dilate" since 15;
        /// 8×8 blocks: minimum/maximum filter.
        "sample_8x8_minmaxfilter" since 15;
        /// 8×8 blocks: minimum and maximum.
        "sample_8x8_minmax" since 15 { driver: Unknown };
        /// 8×8 blocks: centroid.
        "sample_8x8_centroid" since 15;
        /// 8×8 blocks: Boolean centroid.
        "sample_8x8_bool_centroid" since 15;
        /// 8×8 blocks: Boolean sum.
        "sample_8x8_bool_sum" since 15;
        /// Video motion estimation. Only the driver has the name.
        "vme";
        /// Video enhancement. Only the driver has the name.
        "ve";
        /// Video decoding. Only the driver has the name.
        "vd";
    ]
}

values! {
    /// The memory that a per-thread memory buffer is allocated in.
    pub ALLOCATION_TYPE = "allocation_type" [
        /// Global memory; the address is passed as private_base_stateless.
        "global" since 0;
        /// Scratch space; the hardware computes the address for each thread.
        "scratch" since 0;
        /// Shared local memory. The driver refuses it.
        "slm" since 0 { driver: Rejects };
    ]
}

values! {
    /// The use of a per-thread memory buffer.
    pub MEMORY_USAGE = "memory_usage" [
        /// Private variables, and arguments that are passed on the stack.
        "private_space" since 0;
        /// Register spills and fills, and registers that are saved around calls.
        "spill_fill_space" since 0;
        /// Everything: private variables, spills and the stack.
        "single_space" since 0;
        /// The name of private_space in 2020.
        "private_base" { removed: Some(0), instead: "private_space", driver: Unknown };
    ]
}

values! {
    /// How coordinates outside of the image are handled.
    pub SAMPLER_ADDRESS_MODE = "sampler_address_mode" [
        /// Coordinates must lie inside the image; otherwise the result is undefined.
        "none" since 20;
        /// Reads outside of the image return the border color.
        "clamp_border" since 20;
        /// Coordinates are clamped to the edge.
        "clamp_edge" since 20;
        /// Coordinates wrap around.
        "repeat" since 20;
        /// Coordinates wrap around, mirrored.
        "mirror" since 20;
    ]
}

values! {
    /// How the sampler filters pixels.
    pub SAMPLER_FILTER_MODE = "sampler_filter_mode" [
        /// The nearest pixel.
        "nearest" since 20;
        /// Linear interpolation.
        "linear" since 20;
    ]
}
