//! The words that values are made of.

use super::Driver::{Rejects, Unknown};
use super::dsl::values;

values! {
    /// How stores go through the L1 cache.
    pub L1_CACHE_POLICY = "l1_cache_policy" [
        /// Writes bypass the cache.
        "wbp" since 69;
        /// Nothing is cached.
        "uc" since 69;
        /// Writes go to memory when the line is evicted.
        "wb" since 69;
        /// Writes go to the cache and to memory.
        "wt" since 69;
        /// Writes stream through the cache.
        "ws" since 69;
    ]
}

values! {
    /// The arbitration between the threads of an execution unit.
    pub THREAD_SCHEDULING_MODE = "thread_scheduling_mode" [
        /// The oldest thread goes first.
        "age_based" since 10;
        /// The threads take turns.
        "round_robin" since 10;
        /// The threads take turns; a thread that stalls gives its turn away.
        "round_robin_stall" since 10;
    ]
}

values! {
    /// What a payload argument is.
    pub ARGUMENT_TYPE = "argument_type" [
        /// The local ids of a SIMD1 thread, in 16 bits each. Only per thread.
        "packed_local_ids" since 0 { driver: Rejects };
        /// The local ids of the lanes, in 16 bits each; each dimension starts at a new register.
        /// Only per thread.
        "local_id" since 0 { driver: Rejects };
        /// How many work-items a work-group has; 4 bytes for each of x, y, z.
        "local_size" since 0;
        /// How many work-groups there are; 4 bytes for each of x, y, z.
        "group_count" since 0;
        /// How many dimensions the dispatch has; 4 bytes.
        "work_dimensions" since 5;
        /// How many work-items there are; 4 bytes for each of x, y, z. OpenCL.
        "global_size" since 0;
        /// The work-group size that was enqueued; 4 bytes for each of x, y, z. OpenCL.
        "enqueued_local_size" since 0;
        /// Where the global ids start; 4 bytes for each of x, y, z.
        "global_id_offset" since 0;
        /// The address of the private memory; 8 bytes.
        "private_base_stateless" since 0;
        /// The address of a buffer that is otherwise reached through the binding table.
        "buffer_address" since 17;
        /// What must be added to a buffer's aligned address; 4 bytes.
        "buffer_offset" since 2;
        /// The address of the buffer that printf writes to; 8 bytes.
        "printf_buffer" since 3;
        /// The address of the implicit arguments; 8 bytes.
        "implicit_arg_buffer" since 0;
        /// The address of the buffer for synchronisation between work-groups; 8 bytes.
        "sync_buffer" since 22;
        /// The address of the ray tracing globals; 8 bytes.
        "rt_global_buffer" since 26;
        /// The address of the buffer for failed assertions; 8 bytes.
        "assert_buffer" since 30;
        /// The address of the indirect data; 8 bytes, within the inline data.
        "indirect_data_pointer" since 31;
        /// The address of the scratch space; 8 bytes, within the inline data.
        "scratch_pointer" since 31;
        /// An argument of the source, or an element of it, by value.
        "arg_byvalue" since 0;
        /// An argument of the source that points to memory, an image or a sampler.
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
        /// Does a sampler argument use normalised coordinates? 4 bytes.
        "sampler_normalized" since 15;
        /// Does a sampler argument need coordinates snapped? 4 bytes. Deprecated since 1.65.
        "sampler_snap_wa" since 15;
        /// The bindless offset of a sampler that the source declares.
        "inline_sampler" since 44;
        /// The address of the constants; 8 bytes.
        "const_base" since 28;
        /// The address of the global variables; 8 bytes.
        "global_base" since 28;
        /// How many work-groups a region has; 4 bytes for each of x, y, z.
        "region_group_size" since 34 { driver: Unknown };
        /// The dimension in which regions are cut; 4 bytes.
        "region_group_dimension" since 34;
        /// How many work-groups a region has in all; 4 bytes.
        "region_group_wg_count" since 34 { driver: Unknown };
        /// The address of the barriers of regions; 8 bytes.
        "region_group_barrier_buffer" since 43 { driver: Unknown };
        /// The size of a buffer argument; 8 bytes.
        "buffer_size" since 40;
        /// Where a flattened image starts. From 1.15 to 1.63.
        "flat_image_baseoffset" since 15 { removed: Some(64) };
        /// The height of a flattened image. From 1.15 to 1.63.
        "flat_image_height" since 15 { removed: Some(64) };
        /// The width of a flattened image. From 1.15 to 1.63.
        "flat_image_width" since 15 { removed: Some(64) };
        /// The pitch of a flattened image. From 1.15 to 1.63.
        "flat_image_pitch" since 15 { removed: Some(64) };
        /// The order of the channels, sRGB told apart. From 1.15 to 1.65.
        "image_srgb_channel_order" since 15 { removed: Some(66), driver: Unknown };
        /// The buffer with the implicit local ids, for a short time in 2021.
        "implicit_local_id_buffer" { driver: Unknown };
        /// The name of group_count in 2020.
        "group_size" { removed: Some(0), instead: "group_count", driver: Unknown };
        /// For video motion estimation: the type of macro block. Only the driver has the name,
        /// and refuses it.
        "vme_mb_block_type" { driver: Rejects };
        /// For video motion estimation: the sub-pixel mode. Only the driver has the name, and
        /// refuses it.
        "vme_subpixel_mode" { driver: Rejects };
        /// For video motion estimation: how differences are adjusted. Only the driver has the
        /// name, and refuses it.
        "vme_sad_adjust_mode" { driver: Rejects };
        /// For video motion estimation: the search path. Only the driver has the name, and
        /// refuses it.
        "vme_search_path_type" { driver: Rejects };
    ]
}

values! {
    /// What a per-thread payload argument is.
    pub PER_THREAD_ARGUMENT_TYPE = "argument_type (per thread)" [
        /// The local ids of a SIMD1 thread: 2 bytes for each of x, y, z.
        "packed_local_ids" since 0;
        /// The local ids of the lanes: 2 bytes a lane for each of x, y, z; each dimension starts
        /// at a new register.
        "local_id" since 0;
    ]
}

values! {
    /// How memory is addressed.
    pub ADDRESS_MODE = "memory_addressing_mode" [
        /// By a 64-bit address.
        "stateless" since 0;
        /// Through an entry of the binding table, which binding_table_indices names.
        "stateful" since 0;
        /// Through the offset of a surface state, which is passed as argument.
        "bindless" since 0;
        /// By an offset in shared local memory.
        "slm" since 0;
        /// The name of slm before 1.0.
        "shared_local_memory" { removed: Some(0), instead: "slm", driver: Unknown };
    ]
}

values! {
    /// The memory that an argument points to.
    pub ADDRESS_SPACE = "address_space" [
        /// Memory that all work-items share.
        "global" since 0;
        /// Memory of the work-group.
        "local" since 0;
        /// Memory that is only read.
        "constant" since 0;
        /// An image.
        "image" since 0;
        /// A sampler.
        "sampler" since 0;
    ]
}

values! {
    /// What a kernel does with the memory of an argument.
    pub ACCESS_TYPE = "access_type" [
        /// It only reads.
        "readonly" since 0;
        /// It only writes.
        "writeonly" since 0;
        /// It reads and writes.
        "readwrite" since 0;
    ]
}

values! {
    /// What sort of image an argument is.
    pub IMAGE_TYPE = "image_type" [
        /// A one-dimensional image made of a buffer.
        "image_buffer" since 15;
        /// One dimension.
        "image_1d" since 15;
        /// An array of one-dimensional images.
        "image_1d_array" since 15;
        /// Two dimensions.
        "image_2d" since 15;
        /// An array of two-dimensional images.
        "image_2d_array" since 15;
        /// Three dimensions.
        "image_3d" since 15;
        /// Six faces of a cube. The driver refuses the word, by a slip in its list.
        "image_cube" since 15 { driver: Unknown };
        /// An array of cubes.
        "image_cube_array" since 15;
        /// Two dimensions, depth values.
        "image_2d_depth" since 15;
        /// An array of two-dimensional images of depth values.
        "image_2d_array_depth" since 15;
        /// Two dimensions, several samples a pixel.
        "image_2d_msaa" since 15;
        /// Two dimensions, depth values, several samples a pixel.
        "image_2d_msaa_depth" since 15;
        /// An array of two-dimensional images with several samples a pixel.
        "image_2d_array_msaa" since 15;
        /// An array of two-dimensional images of depth values with several samples a pixel.
        "image_2d_array_msaa_depth" since 15;
        /// Two dimensions, for media operations.
        "image_2d_media" since 15;
        /// Two dimensions, for media block operations.
        "image_2d_media_block" since 15;
    ]
}

values! {
    /// What sort of sampler an argument is.
    pub SAMPLER_TYPE = "sampler_type" [
        /// For textures.
        "texture" since 15;
        /// For 8×8 blocks.
        "sample_8x8" since 15;
        /// For 8×8 blocks: two-dimensional convolution.
        "sample_8x8_2dconvolve" since 15;
        /// For 8×8 blocks: erosion.
        "sample_8x8_erode" since 15;
        /// For 8×8 blocks: dilation.
        "sample_8x8_dilate" since 15;
        /// For 8×8 blocks: filter by minimum and maximum.
        "sample_8x8_minmaxfilter" since 15;
        /// For 8×8 blocks: minimum and maximum.
        "sample_8x8_minmax" since 15 { driver: Unknown };
        /// For 8×8 blocks: centroid.
        "sample_8x8_centroid" since 15;
        /// For 8×8 blocks: centroid of bits.
        "sample_8x8_bool_centroid" since 15;
        /// For 8×8 blocks: sum of bits.
        "sample_8x8_bool_sum" since 15;
        /// For video motion estimation. Only the driver has the name.
        "vme";
        /// For video enhancement. Only the driver has the name.
        "ve";
        /// For video decoding. Only the driver has the name.
        "vd";
    ]
}

values! {
    /// Where a per-thread memory buffer is allocated.
    pub ALLOCATION_TYPE = "allocation_type" [
        /// In global memory; its address is passed as private_base_stateless.
        "global" since 0;
        /// In scratch memory, which the hardware addresses for each thread.
        "scratch" since 0;
        /// In shared local memory. The driver refuses it.
        "slm" since 0 { driver: Rejects };
    ]
}

values! {
    /// What a per-thread memory buffer is for.
    pub MEMORY_USAGE = "memory_usage" [
        /// Private variables, and arguments that are passed on the stack.
        "private_space" since 0;
        /// Registers that are spilled, or saved around calls.
        "spill_fill_space" since 0;
        /// Everything: private variables, spills, stack.
        "single_space" since 0;
        /// The name of private_space in 2020.
        "private_base" { removed: Some(0), instead: "private_space", driver: Unknown };
    ]
}

values! {
    /// What happens at the edges of an image.
    pub SAMPLER_ADDRESS_MODE = "sampler_address_mode" [
        /// Nothing: coordinates must lie inside.
        "none" since 20;
        /// Outside is the border colour.
        "clamp_border" since 20;
        /// Outside is as the nearest edge.
        "clamp_edge" since 20;
        /// The image repeats.
        "repeat" since 20;
        /// The image repeats in mirror images.
        "mirror" since 20;
    ]
}

values! {
    /// How values between pixels are found.
    pub SAMPLER_FILTER_MODE = "sampler_filter_mode" [
        /// The nearest pixel's.
        "nearest" since 20;
        /// Interpolated.
        "linear" since 20;
    ]
}
