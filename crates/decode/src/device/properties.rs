//! What a device has, as the driver states it: the features and limits that device code can
//! require. compute-runtime, hw_info_*.cpp, gfx_core_helper_*.inl and device_caps.cpp, release
//! 26.27; as printed by zeDeviceGetModuleProperties and zeDeviceGetComputeProperties.

use super::{Device, ProductFamily};

/// The features and limits of a product.
#[derive(Debug, PartialEq, Eq)]
pub struct Properties {
    /// Its product family.
    pub product: ProductFamily,
    /// Whether it has 64-bit floating-point arithmetic.
    pub fp64: bool,
    /// Whether the compiler can emulate 64-bit floating-point arithmetic, if asked to.
    pub fp64_emulation: bool,
    /// Whether it has images and samplers.
    pub images: bool,
    /// Whether it has matrix instructions.
    pub matrix: Option<bool>,
    /// The sub-group sizes.
    pub sub_groups: &'static [u32],
    /// Maximum number of work-items of a work-group; a small configuration of the device, or a kernel
    /// with many registers, may allow fewer.
    pub work_group: u32,
    /// Bytes of shared local memory of a work-group.
    pub local_memory: u32,
    /// Hardware threads of an EU.
    pub threads: u32,
    /// The register counts that code can use.
    pub registers: &'static [u32],
}

/// 16-bit floating-point arithmetic: all devices that the driver supports.
pub const FP16: bool = true;
/// 64-bit atomics: all devices that the driver supports.
pub const ATOMIC64: bool = true;

const OLD: &[u32] = &[8, 16, 32];
const NEW: &[u32] = &[16, 32];
const FIXED: &[u32] = &[128];
const LARGE: &[u32] = &[128, 256];
const VARIABLE: &[u32] = &[32, 64, 96, 128, 160, 192, 256];
const CRI: &[u32] = &[32, 64, 96, 128, 160, 192, 256, 512];
const NVL_P: &[u32] = &[32, 64, 96, 128, 160, 192, 256, 320, 448, 512];

const XE_LP: Properties = Properties {
    product: ProductFamily::IGFX_TIGERLAKE_LP,
    fp64: false,
    fp64_emulation: false,
    images: true,
    matrix: Some(false),
    sub_groups: OLD,
    work_group: 512,
    local_memory: 64 << 10,
    threads: 7,
    registers: FIXED,
};

const XE_HPG: Properties = Properties {
    product: ProductFamily::IGFX_DG2,
    fp64_emulation: true,
    matrix: Some(true),
    work_group: 1024,
    threads: 8,
    registers: LARGE,
    ..XE_LP
};

const XE_HPC: Properties = Properties {
    product: ProductFamily::IGFX_PVC,
    fp64: true,
    fp64_emulation: false,
    images: false,
    sub_groups: NEW,
    local_memory: 128 << 10,
    ..XE_HPG
};

const XE2: Properties = Properties {
    product: ProductFamily::IGFX_BMG,
    images: true,
    ..XE_HPC
};

const XE3: Properties = Properties {
    product: ProductFamily::IGFX_PTL,
    threads: 10,
    registers: VARIABLE,
    ..XE2
};

const XE3P: Properties = Properties {
    product: ProductFamily::IGFX_NVL,
    work_group: 2048,
    local_memory: 192 << 10,
    registers: NVL_P,
    ..XE3
};

/// All products that the driver supports.
pub static PRODUCTS: &[Properties] = &[
    XE_LP,
    Properties {
        product: ProductFamily::IGFX_ROCKETLAKE,
        ..XE_LP
    },
    Properties {
        product: ProductFamily::IGFX_ALDERLAKE_S,
        ..XE_LP
    },
    Properties {
        product: ProductFamily::IGFX_ALDERLAKE_P,
        ..XE_LP
    },
    Properties {
        product: ProductFamily::IGFX_ALDERLAKE_N,
        ..XE_LP
    },
    Properties {
        product: ProductFamily::IGFX_DG1,
        ..XE_LP
    },
    XE_HPG,
    XE_HPC,
    Properties {
        product: ProductFamily::IGFX_METEORLAKE,
        fp64: true,
        fp64_emulation: false,
        matrix: Some(false),
        ..XE_HPG
    },
    Properties {
        product: ProductFamily::IGFX_ARROWLAKE,
        fp64: true,
        fp64_emulation: false,
        ..XE_HPG
    },
    XE2,
    Properties {
        product: ProductFamily::IGFX_LUNARLAKE,
        ..XE2
    },
    XE3,
    Properties {
        product: ProductFamily::IGFX_NVL_XE3G,
        ..XE3
    },
    XE3P,
    Properties {
        product: ProductFamily::IGFX_CRI,
        images: false,
        local_memory: 384 << 10,
        threads: 8,
        registers: CRI,
        ..XE3P
    },
];

impl Device {
    /// What the driver states about the device's product. Returns `None` for products that it does
    /// not support.
    pub fn properties(&self) -> Option<&'static Properties> {
        PRODUCTS.iter().find(|known| known.product == self.product)
    }
}
