//! The known property sets and keys: PropertySets.md and SYCLBINDesign.md of intel/llvm, and the
//! output of its tools.

use zeview_core::analysis::modules::{IR_TYPES, STATES};
use zeview_core::model::Doc;

/// The format of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// Unknown: presented according to its contents.
    Any,
    /// A number with names for some values, by index.
    Named(&'static [&'static str]),
    /// A bit mask.
    Bits,
    /// Zero or one.
    YesNo,
    /// Text.
    Text,
    /// Texts separated by this character.
    Texts(char),
    /// 32-bit numbers.
    Words,
    /// 32-bit numbers that are device aspects.
    Aspects,
    /// One to three sizes, each of 32 or 64 bits.
    Sizes,
    /// Records of 32-bit numbers with these names.
    Records(&'static [&'static str]),
    /// A bit for each argument, the first one lowest: set if the argument is eliminated.
    Arguments,
    /// Bytes of the program.
    Raw,
}

/// A known key.
#[derive(Debug)]
pub struct Key {
    /// The key, or `@…` for the suffix of one, or empty for any.
    name: &'static str,
    /// The format of the value.
    pub form: Form,
    /// Its meaning.
    pub doc: Doc,
}

/// A known set.
#[derive(Debug)]
pub struct Set {
    name: &'static str,
    /// Its contents.
    pub doc: Doc,
    keys: &'static [Key],
}

/// Looks up a set by name.
pub fn set(name: &[u8]) -> Option<&'static Set> {
    SETS.iter().find(|set| set.name.as_bytes() == name)
}

impl Set {
    /// Looks up a key.
    pub fn key(&self, name: &[u8]) -> Option<&'static Key> {
        let fits = |key: &&Key| match key.name.as_bytes() {
            [] => true,
            end @ [b'@', ..] => name.ends_with(end),
            all => all == name,
        };
        self.keys.iter().find(fits)
    }
}

macro_rules! sets {
    ($($set:literal $set_doc:literal $source:ident {
        $($key:literal $form:expr, $doc:literal;)*
    })*) => {
        static SETS: &[Set] = &[$(Set {
            name: $set,
            doc: Doc { text: $set_doc, source: $source, known: &[] },
            keys: &[$(Key {
                name: $key,
                form: $form,
                doc: Doc { text: $doc, source: $source, known: &[] },
            }),*],
        }),*];
    };
}

const SYCLBIN: &str = "SYCLBINDesign.md";
const SETS_MD: &str = "PropertySets.md";
const TOOLS: &str = "intel/llvm";

use Form::{Any, Arguments, Aspects, Bits, Named, Raw, Records, Sizes, Text, Texts, Words, YesNo};

sets! {
    "SYCLBIN/global metadata" "Metadata of the whole SYCLBIN." SYCLBIN {
        "state" Named(&STATES), "The state of the kernel bundle: 0 input, 1 object, 2 executable.";
    }
    "SYCLBIN/ir module metadata" "Metadata of an IR module." SYCLBIN {
        "type" Named(&IR_TYPES), "The intermediate representation: 0 SPIR-V, 1 PTX, 2 AMDGCN.";
        "target" Text, "The target triple.";
    }
    "SYCLBIN/native device code image metadata" "Metadata of a native device code image." SYCLBIN {
        "arch" Text, "The target architecture.";
        "target" Text, "The target triple.";
    }
    "SYCL/specialization constants" "The specialization constants of the module, and their offsets in the buffer of values." SETS_MD {
        "" Records(&["ID", "offset", "size"]), "A specialization constant. Each scalar member has its SPIR-V id, its offset in the buffer of values, and its size in bytes.";
    }
    "SYCL/specialization constants default values" "The default values of the specialization constants." SETS_MD {
        "" Raw, "The default values, one after the other.";
    }
    "SYCL/devicelib req mask" "The device libraries that the module needs." SETS_MD {
        "DeviceLibReqMask" Bits, "A bit mask with one bit per device library.";
    }
    "SYCL/devicelib metadata" "Metadata of a device library image." TOOLS {
        "" Any, "The name of a device library.";
    }
    "SYCL/kernel param opt" "Kernel arguments that the compiler has eliminated because they are unused." SETS_MD {
        "" Arguments, "A kernel, with one bit per source argument; the bit is set if the argument is eliminated.";
    }
    "SYCL/program metadata" "Source attributes of kernels and device globals." SETS_MD {
        "@reqd_work_group_size" Sizes, "The required work-group size of the kernel.";
        "@work_group_num_dim" Words, "The number of dimensions of the work-group size.";
        "@max_work_group_size" Sizes, "The maximum work-group size of the kernel, per dimension.";
        "@max_linear_work_group_size" Sizes, "The maximum number of work-items in a work-group.";
        "@global_id_mapping" Text, "The source name of a device global.";
        "" Any, "A kernel or device global, and its attribute.";
    }
    "SYCL/misc properties" "Compilation options and properties of the module." SETS_MD {
        "isEsimdImage" YesNo, "The module is explicit SIMD (ESIMD) code.";
        "sycl-register-alloc-mode" Named(&["automatic", "", "large"]), "The register allocation mode: 0 automatic, 2 large register file.";
        "sycl-grf-size" Named(&["automatic"]), "The number of registers per hardware thread; 0 automatic.";
        "optLevel" Any, "The optimization level.";
        "specConstsReplacedWithDefault" YesNo, "Specialization constants have been replaced by their default values and can no longer be set.";
        "sanUsed" Text, "The sanitizer that the module is instrumented for.";
        "isNativeCPUImage" YesNo, "The module is for the SYCL Native CPU device.";
    }
    "SYCL/assert used" "The kernels that may call assert." SETS_MD {
        "" YesNo, "A kernel that may call assert.";
    }
    "SYCL/exported symbols" "Symbols that the module exports." SETS_MD {
        "" Any, "The mangled name of an exported function or variable.";
    }
    "SYCL/imported symbols" "Symbols that the module imports. It must be linked with modules that export them." SETS_MD {
        "" Any, "The mangled name of an imported function or variable.";
    }
    "SYCL/device globals" "Device global variables." SETS_MD {
        "" Records(&["size", "device_image_scope"]), "A variable: its size in bytes, and 1 if each device image has its own copy.";
    }
    "SYCL/device requirements" "Requirements of the module on the device." SETS_MD {
        "aspects" Aspects, "The aspects that the device must support.";
        "fixed_target" Any, "The targets that the module may be compiled for.";
        "reqd_work_group_size_uint64_t" Sizes, "The required work-group size of the kernels.";
        "reqd_work_group_size" Sizes, "The required work-group size of the kernels.";
        "joint_matrix" Texts(';'), "The joint matrix types and sizes that the device must support.";
        "joint_matrix_mad" Texts(';'), "The joint matrix multiplications that the device must support.";
        "reqd_sub_group_size" Words, "The sub-group size that the device must support.";
        "work_group_num_dim" Words, "The number of dimensions of the work-group size.";
        "compile_target" Text, "The target device of the module.";
    }
    "SYCL/host pipes" "Pipes between host and device." SETS_MD {
        "" Records(&["size"]), "A pipe, and the size of its data type in bytes.";
    }
    "SYCL/virtual functions" "Sets of virtual functions; modules of the same set are linked together." SETS_MD {
        "virtual-functions-set" Text, "The set of virtual functions that the module defines.";
        "uses-virtual-functions-set" Texts(','), "The sets of virtual functions that its kernels call.";
    }
    "SYCL/implicit local arg" "Kernels with an implicit local memory argument." SETS_MD {
        "" Any, "A kernel, and the index of the implicit local memory argument.";
    }
    "SYCL/registered kernels" "Registered kernel names, for lookup by name." SETS_MD {
        "" Text, "A registered name, and the kernel's name in the module.";
    }
    "SYCL/kernel names" "The kernels of the module." TOOLS {
        "" Any, "A kernel.";
    }
}

/// The names of device aspects by number (aspects.def, aspects_deprecated.def); unused numbers are
/// empty.
pub static ASPECTS: &str = "\
,cpu,gpu,accelerator,custom,fp16,fp64,int64_base_atomics,int64_extended_atomics,image,\
online_compiler,online_linker,queue_profiling,usm_device_allocations,usm_host_allocations,\
usm_shared_allocations,,usm_system_allocations,ext_intel_pci_address,ext_intel_gpu_eu_count,\
ext_intel_gpu_eu_simd_width,ext_intel_gpu_slices,ext_intel_gpu_subslices_per_slice,\
ext_intel_gpu_eu_count_per_subslice,ext_intel_max_mem_bandwidth,ext_intel_mem_channel,\
usm_atomic_host_allocations,usm_atomic_shared_allocations,atomic64,\
ext_intel_device_info_uuid,ext_oneapi_srgb,ext_oneapi_native_assert,host_debuggable,\
ext_intel_gpu_hw_threads_per_eu,ext_oneapi_cuda_async_barrier,\
ext_oneapi_bfloat16_math_functions,ext_intel_free_memory,ext_intel_device_id,\
ext_intel_memory_clock_rate,ext_intel_memory_bus_width,emulated,ext_intel_legacy_image,\
ext_oneapi_bindless_images,ext_oneapi_bindless_images_shared_usm,\
ext_oneapi_bindless_images_1d_usm,ext_oneapi_bindless_images_2d_usm,\
ext_oneapi_interop_memory_import,ext_oneapi_interop_memory_export,\
ext_oneapi_interop_semaphore_import,ext_oneapi_interop_semaphore_export,ext_oneapi_mipmap,\
ext_oneapi_mipmap_anisotropy,ext_oneapi_mipmap_level_reference,ext_intel_esimd,\
ext_oneapi_ballot_group,ext_oneapi_fixed_size_group,ext_oneapi_opportunistic_group,\
ext_oneapi_tangle_group,ext_intel_matrix,ext_oneapi_is_composite,ext_oneapi_is_component,\
ext_oneapi_graph,ext_intel_fpga_task_sequence,ext_oneapi_limited_graph,\
ext_oneapi_private_alloca,ext_oneapi_cubemap,ext_oneapi_cubemap_seamless_filtering,\
ext_oneapi_bindless_sampled_image_fetch_1d_usm,ext_oneapi_bindless_sampled_image_fetch_1d,\
ext_oneapi_bindless_sampled_image_fetch_2d_usm,ext_oneapi_bindless_sampled_image_fetch_2d,,\
ext_oneapi_bindless_sampled_image_fetch_3d,ext_oneapi_queue_profiling_tag,\
ext_oneapi_virtual_mem,ext_oneapi_cuda_cluster_group,ext_oneapi_image_array,\
ext_oneapi_unique_addressing_per_dim,ext_oneapi_bindless_images_sample_1d_usm,\
ext_oneapi_bindless_images_sample_2d_usm,ext_oneapi_atomic16,ext_oneapi_virtual_functions";

/// The name of an aspect.
pub fn aspect(number: u64) -> Option<&'static str> {
    let at = usize::try_from(number).ok()?;
    ASPECTS.split(',').nth(at).filter(|name| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aspect_names_match_their_numbers() {
        for (number, name) in [
            (1, "cpu"),
            (6, "fp64"),
            (17, "usm_system_allocations"),
            (28, "atomic64"),
            (40, "emulated"),
            (53, "ext_intel_esimd"),
            (61, "ext_oneapi_graph"),
            (72, "ext_oneapi_bindless_sampled_image_fetch_3d"),
            (80, "ext_oneapi_atomic16"),
            (81, "ext_oneapi_virtual_functions"),
        ] {
            assert_eq!(aspect(number), Some(name));
        }
        for number in [0, 16, 71, 82, u64::MAX] {
            assert_eq!(aspect(number), None);
        }
    }

    #[test]
    fn keys_by_name_suffix_and_set() {
        let form = |name: &str, key: &str| {
            let key = set(name.as_bytes())?.key(key.as_bytes())?;
            Some(key.form)
        };
        let named = form("SYCLBIN/global metadata", "state");
        assert_eq!(named, Some(Named(&STATES)));
        assert_eq!(form("SYCLBIN/global metadata", "State"), None);
        let sizes = form("SYCL/program metadata", "k@reqd_work_group_size");
        assert_eq!(sizes, Some(Sizes));
        let other = form("SYCL/program metadata", "reqd_work_group_size");
        assert_eq!(other, Some(Any));
        assert_eq!(form("SYCL/nothing", "state"), None);
    }
}
