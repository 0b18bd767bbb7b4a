//! Devices: product families, core families and product configurations.
//!
//! Families as in IGC, inc/common/igfxfmid.h; configurations as in compute-runtime,
//! third_party/aot_config_headers/platforms.h of 2026-05, with the legacy ones that were
//! removed from it in 2024-11. Other copies of the family enumeration (media, Windows) number
//! 24 to 37 differently; compute binaries use these.

mod compatibility;
pub mod described;
pub mod names;
pub mod properties;

use crate::names::{Decimal, Hex};
use crate::{bit_fields, open_enum};
use zeview_core::analysis::KnownDevice;

open_enum! {
    /// `PRODUCT_FAMILY`: note type 1, and e_machine in files of 2020.
    pub struct ProductFamily(u32) {
        /// Not specified.
        IGFX_UNKNOWN = 0,
        IGFX_GRANTSDALE_G = 1,
        IGFX_ALVISO_G = 2,
        IGFX_LAKEPORT_G = 3,
        IGFX_CALISTOGA_G = 4,
        IGFX_BROADWATER_G = 5,
        IGFX_CRESTLINE_G = 6,
        IGFX_BEARLAKE_G = 7,
        IGFX_CANTIGA_G = 8,
        IGFX_CEDARVIEW_G = 9,
        IGFX_EAGLELAKE_G = 10,
        IGFX_IRONLAKE_G = 11,
        /// Sandy Bridge.
        IGFX_GT = 12,
        IGFX_IVYBRIDGE = 13,
        IGFX_HASWELL = 14,
        IGFX_VALLEYVIEW = 15,
        IGFX_BROADWELL = 16,
        IGFX_CHERRYVIEW = 17,
        IGFX_SKYLAKE = 18,
        IGFX_KABYLAKE = 19,
        IGFX_COFFEELAKE = 20,
        IGFX_WILLOWVIEW = 21,
        IGFX_BROXTON = 22,
        IGFX_GEMINILAKE = 23,
        IGFX_CANNONLAKE = 24,
        IGFX_ICELAKE = 25,
        IGFX_ICELAKE_LP = 26,
        IGFX_LAKEFIELD = 27,
        /// Also IGFX_ELKHARTLAKE.
        IGFX_JASPERLAKE = 28,
        IGFX_TIGERLAKE_LP = 29,
        IGFX_ROCKETLAKE = 30,
        IGFX_ALDERLAKE_S = 31,
        IGFX_ALDERLAKE_P = 32,
        IGFX_ALDERLAKE_N = 33,
        IGFX_DG1 = 1210,
        IGFX_XE_HP_SDV = 1250,
        /// Arc A series, Flex.
        IGFX_DG2 = 1270,
        /// Data Center GPU Max.
        IGFX_PVC = 1271,
        IGFX_METEORLAKE = 1272,
        IGFX_ARROWLAKE = 1273,
        /// Battlemage: Arc B series.
        IGFX_BMG = 1274,
        IGFX_LUNARLAKE = 1275,
        /// Panther Lake.
        IGFX_PTL = 1300,
        /// Nova Lake with Xe3.
        IGFX_NVL_XE3G = 1340,
        /// Nova Lake with Xe3P.
        IGFX_NVL = 1360,
        /// Crescent Island.
        IGFX_CRI = 1380,
        IGFX_GENNEXT = 0x7ffffffe,
    }
}

open_enum! {
    /// `GFXCORE_FAMILY`: note type 2.
    pub struct CoreFamily(u32) {
        /// Not specified.
        IGFX_UNKNOWN_CORE = 0,
        IGFX_GEN3_CORE = 1,
        IGFX_GEN3_5_CORE = 2,
        IGFX_GEN4_CORE = 3,
        IGFX_GEN4_5_CORE = 4,
        IGFX_GEN5_CORE = 5,
        IGFX_GEN5_5_CORE = 6,
        IGFX_GEN5_75_CORE = 7,
        IGFX_GEN6_CORE = 8,
        IGFX_GEN7_CORE = 9,
        IGFX_GEN7_5_CORE = 10,
        IGFX_GEN8_CORE = 11,
        IGFX_GEN9_CORE = 12,
        IGFX_GEN10_CORE = 13,
        IGFX_GEN10LP_CORE = 14,
        IGFX_GEN11_CORE = 15,
        IGFX_GEN11LP_CORE = 16,
        IGFX_GEN12_CORE = 17,
        /// Xe-LP.
        IGFX_GEN12LP_CORE = 18,
        IGFX_XE_HP_CORE = 3077,
        /// Alchemist and its relatives.
        IGFX_XE_HPG_CORE = 3079,
        /// Ponte Vecchio.
        IGFX_XE_HPC_CORE = 3080,
        /// Battlemage, Lunar Lake.
        IGFX_XE2_HPG_CORE = 3081,
        IGFX_XE3_CORE = 7680,
        IGFX_XE3P_CORE = 8960,
    }
}

/// A product configuration: one device, or several that the compiler does not distinguish.
#[derive(Debug, PartialEq, Eq)]
pub struct ProductConfig {
    /// The value of note type 6.
    pub value: u32,
    /// The runtime's name of it.
    pub name: &'static str,
    /// Its product family.
    pub product: ProductFamily,
    /// Its release (`xe2-hpg`).
    pub release: &'static str,
    /// The names that `ocloc -device` accepts, the usual one first; reserved configurations have
    /// none.
    pub devices: &'static [&'static str],
}

const fn config(
    value: u32,
    name: &'static str,
    product: ProductFamily,
    release: &'static str,
    devices: &'static [&'static str],
) -> ProductConfig {
    ProductConfig {
        value,
        name,
        product,
        release,
        devices,
    }
}

/// All configurations, by value.
#[rustfmt::skip]
pub static CONFIGS: &[ProductConfig] = &[
    config(0x0200_0000, "BDW", ProductFamily::IGFX_BROADWELL, "gen8", &["bdw"]),
    config(0x0240_0009, "SKL", ProductFamily::IGFX_SKYLAKE, "gen9", &["skl"]),
    config(0x0240_4009, "KBL", ProductFamily::IGFX_KABYLAKE, "gen9", &["kbl"]),
    config(0x0240_8009, "CFL", ProductFamily::IGFX_COFFEELAKE, "gen9", &["cfl"]),
    config(0x0240_c000, "APL", ProductFamily::IGFX_BROXTON, "gen9", &["apl", "bxt"]),
    config(0x0241_0000, "GLK", ProductFamily::IGFX_GEMINILAKE, "gen9", &["glk"]),
    config(0x0241_4000, "WHL", ProductFamily::IGFX_COFFEELAKE, "gen9", &["whl"]),
    config(0x0241_8000, "AML", ProductFamily::IGFX_KABYLAKE, "gen9", &["aml"]),
    config(0x0241_c000, "CML", ProductFamily::IGFX_COFFEELAKE, "gen9", &["cml"]),
    config(0x02c0_0000, "ICL", ProductFamily::IGFX_ICELAKE_LP, "gen11", &["icllp", "icl"]),
    config(0x02c0_4000, "LKF", ProductFamily::IGFX_LAKEFIELD, "gen11", &["lkf"]),
    config(0x02c0_8000, "EHL", ProductFamily::IGFX_JASPERLAKE, "gen11", &["ehl", "jsl"]),
    config(0x0300_0000, "TGL", ProductFamily::IGFX_TIGERLAKE_LP, "xe-lp", &["tgllp", "tgl"]),
    config(0x0300_4000, "RKL", ProductFamily::IGFX_ROCKETLAKE, "xe-lp", &["rkl"]),
    config(0x0300_8000, "ADL_S", ProductFamily::IGFX_ALDERLAKE_S, "xe-lp", &["adl-s", "rpl-s"]),
    config(0x0300_c000, "ADL_P", ProductFamily::IGFX_ALDERLAKE_P, "xe-lp", &["adl-p", "rpl-p"]),
    config(0x0301_0000, "ADL_N", ProductFamily::IGFX_ALDERLAKE_N, "xe-lp", &["adl-n"]),
    config(0x0302_8000, "DG1", ProductFamily::IGFX_DG1, "xe-lp", &["dg1"]),
    config(0x030c_8004, "XEHP_SDV", ProductFamily::IGFX_XE_HP_SDV, "xe-hp", &["xe-hp-sdv"]),
    config(0x030d_c000, "DG2_G10_A0", ProductFamily::IGFX_DG2, "xe-hpg", &["dg2-g10-a0"]),
    config(0x030d_c001, "DG2_G10_A1", ProductFamily::IGFX_DG2, "xe-hpg", &["dg2-g10-a1"]),
    config(0x030d_c004, "DG2_G10_B0", ProductFamily::IGFX_DG2, "xe-hpg", &["dg2-g10-b0"]),
    config(0x030d_c008, "DG2_G10_C0", ProductFamily::IGFX_DG2, "xe-hpg", &["acm-g10", "dg2-g10", "ats-m150", "dg2", "dg2-g10-c0"]),
    config(0x030e_0000, "DG2_G11_A0", ProductFamily::IGFX_DG2, "xe-hpg", &["dg2-g11-a0"]),
    config(0x030e_0004, "DG2_G11_B0", ProductFamily::IGFX_DG2, "xe-hpg", &["dg2-g11-b0"]),
    config(0x030e_0005, "DG2_G11_B1", ProductFamily::IGFX_DG2, "xe-hpg", &["acm-g11", "dg2-g11", "ats-m75", "dg2-g11-b1"]),
    config(0x030e_4000, "DG2_G12_A0", ProductFamily::IGFX_DG2, "xe-hpg", &["acm-g12", "dg2-g12", "dg2-g12-a0"]),
    config(0x030f_0000, "PVC_XL_A0", ProductFamily::IGFX_PVC, "xe-hpc", &["pvc-xl-a0"]),
    config(0x030f_0001, "PVC_XL_A0P", ProductFamily::IGFX_PVC, "xe-hpc", &["pvc-sdv", "pvc-xl-a0p"]),
    config(0x030f_0003, "PVC_XT_A0", ProductFamily::IGFX_PVC, "xe-hpc", &["pvc-xt-a0"]),
    config(0x030f_0005, "PVC_XT_B0", ProductFamily::IGFX_PVC, "xe-hpc", &["pvc-xt-b0"]),
    config(0x030f_0006, "PVC_XT_B1", ProductFamily::IGFX_PVC, "xe-hpc", &["pvc-xt-b1"]),
    config(0x030f_0007, "PVC_XT_C0", ProductFamily::IGFX_PVC, "xe-hpc", &["pvc", "pvc-xt-c0"]),
    config(0x030f_4007, "PVC_XT_C0_VG", ProductFamily::IGFX_PVC, "xe-hpc-vg", &["pvc-vg", "pvc-xt-c0-vg"]),
    config(0x0311_8000, "MTL_U_A0", ProductFamily::IGFX_METEORLAKE, "xe-lpg", &["mtl-u-a0"]),
    config(0x0311_8004, "MTL_U_B0", ProductFamily::IGFX_METEORLAKE, "xe-lpg", &["mtl-u", "mtl-s", "mtl-m", "arl-u", "arl-s", "mtl", "mtl-u-b0"]),
    config(0x0311_c000, "MTL_H_A0", ProductFamily::IGFX_METEORLAKE, "xe-lpg", &["mtl-h-a0"]),
    config(0x0311_c004, "MTL_H_B0", ProductFamily::IGFX_METEORLAKE, "xe-lpg", &["mtl-h", "mtl-p", "mtl-h-b0"]),
    config(0x0312_8000, "ARL_H_A0", ProductFamily::IGFX_ARROWLAKE, "xe-lpgplus", &["arl-h-a0"]),
    config(0x0312_8004, "ARL_H_B0", ProductFamily::IGFX_ARROWLAKE, "xe-lpgplus", &["arl-h", "arl-h-b0"]),
    config(0x0500_4000, "BMG_G21_A0", ProductFamily::IGFX_BMG, "xe2-hpg", &["bmg-g21", "bmg", "bmg-g21-a0"]),
    config(0x0500_4001, "BMG_G21_A1", ProductFamily::IGFX_BMG, "xe2-hpg", &[]),
    config(0x0500_4004, "BMG_G21_B0", ProductFamily::IGFX_BMG, "xe2-hpg", &[]),
    config(0x0500_8000, "BMG_G31_A0", ProductFamily::IGFX_BMG, "xe2-hpg", &["bmg-g31", "bmg-g31-a0"]),
    config(0x0501_0000, "LNL_A0", ProductFamily::IGFX_LUNARLAKE, "xe2-lpg", &["lnl-a0"]),
    config(0x0501_0001, "LNL_A1", ProductFamily::IGFX_LUNARLAKE, "xe2-lpg", &["lnl-a1"]),
    config(0x0501_0004, "LNL_B0", ProductFamily::IGFX_LUNARLAKE, "xe2-lpg", &["lnl-m", "lnl-b0"]),
    config(0x0780_0000, "PTL_H_A0", ProductFamily::IGFX_PTL, "xe3-lpg", &["ptl-h-a0"]),
    config(0x0780_0004, "PTL_H_B0", ProductFamily::IGFX_PTL, "xe3-lpg", &["ptl-h", "ptl", "ptl-h-b0"]),
    config(0x0780_4000, "PTL_U_A0", ProductFamily::IGFX_PTL, "xe3-lpg", &["ptl-u", "ptl-u-a0"]),
    config(0x0780_4001, "PTL_U_A1", ProductFamily::IGFX_PTL, "xe3-lpg", &[]),
    config(0x0780_c000, "WCL_A0", ProductFamily::IGFX_PTL, "xe3-lpg", &["wcl-a0"]),
    config(0x0780_c001, "WCL_A1", ProductFamily::IGFX_PTL, "xe3-lpg", &["wcl", "wcl-a1"]),
    config(0x0781_0000, "NVL_S_A0", ProductFamily::IGFX_NVL_XE3G, "xe3-lpg", &["nvl-s-a0"]),
    config(0x0781_0004, "NVL_S_B0", ProductFamily::IGFX_NVL_XE3G, "xe3-lpg", &["nvl-s", "nvl-hx", "nvl-ul", "nvl-s-b0"]),
    config(0x0781_4000, "NVL_U_A0", ProductFamily::IGFX_NVL_XE3G, "xe3-lpg", &["nvl-u-a0"]),
    config(0x0781_4001, "NVL_U_A1", ProductFamily::IGFX_NVL_XE3G, "xe3-lpg", &["nvl-u-a1"]),
    config(0x0781_4004, "NVL_U_B0", ProductFamily::IGFX_NVL_XE3G, "xe3-lpg", &["nvl-u", "nvl-h", "nvl-u-b0"]),
    config(0x08c2_8000, "NVL_P_A0", ProductFamily::IGFX_NVL, "xe3p-lpg", &["nvl-p-a0"]),
    config(0x08c2_8004, "NVL_P_B0", ProductFamily::IGFX_NVL, "xe3p-lpg", &["nvl-p", "nvl-p-b0"]),
    config(0x08c2_c000, "CRI_A0", ProductFamily::IGFX_CRI, "xe3p-xpc", &["cri", "cri-a0"]),
];

impl ProductConfig {
    /// The configuration with this value. Returns `None` if it is unknown.
    pub fn of(value: u32) -> Option<&'static ProductConfig> {
        CONFIGS.iter().find(|c| c.value == value)
    }

    /// The names of `ocloc -device` that do not name a stepping.
    pub fn usual_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        let dashed = self.name.to_ascii_lowercase().replace('_', "-");
        let is_stepping = |part: &str| {
            let mut letters = part.chars();
            matches!(letters.next(), Some('a'..='c'))
                && letters.next().is_some_and(|c| c.is_ascii_digit())
        };
        let has_stepping = dashed.split('-').skip(1).any(is_stepping);
        let names = self.devices.iter().copied();
        names.filter(move |name| !has_stepping || *name != dashed)
    }

    /// The usual name: the one of `ocloc -device`, or the runtime's.
    pub fn device(&self) -> &'static str {
        self.devices.first().copied().unwrap_or(self.name)
    }
}

bit_fields! {
    /// A GMD id: `GFX_GMD_ID`. zebin ELF, "The description of NT_INTELGT_PRODUCT_CONFIG note".
    pub struct GmdId(u32): "zebin ELF, GFX_GMD_ID" {
        /// The revision (stepping).
        RevisionID as revision: Decimal = 0..6,
        /// Reserved.
        Reserved as reserved: Hex = 6..14,
        /// The release of the architecture.
        GMDRelease as release: Decimal = 14..22,
        /// The architecture.
        GMDArch as arch: Decimal = 22..32,
    }
}

impl std::fmt::Display for GmdId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}.{}.{}", self.arch(), self.release(), self.revision())
    }
}

/// The usual spelling of a release: `Xe2-HPG`.
pub fn release_title(release: &str) -> String {
    let mut title = String::new();
    for (i, part) in release.split('-').enumerate() {
        if i > 0 {
            title.push('-');
        }
        if i == 0 {
            let mut letters = part.chars();
            title.extend(letters.next().map(|c| c.to_ascii_uppercase()));
            title.push_str(letters.as_str());
        } else {
            title.push_str(&part.to_ascii_uppercase());
        }
    }
    title
}

/// A device that the driver can run on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Device {
    /// Its product configuration.
    pub config: GmdId,
    /// The product family; unknown for a configuration that is in no table.
    pub product: ProductFamily,
    /// The core family.
    pub core: CoreFamily,
}

/// Product families and their core families.
const CORES: &[(ProductFamily, CoreFamily)] = &[
    (ProductFamily::IGFX_BROADWELL, CoreFamily::IGFX_GEN8_CORE),
    (ProductFamily::IGFX_SKYLAKE, CoreFamily::IGFX_GEN9_CORE),
    (ProductFamily::IGFX_KABYLAKE, CoreFamily::IGFX_GEN9_CORE),
    (ProductFamily::IGFX_COFFEELAKE, CoreFamily::IGFX_GEN9_CORE),
    (ProductFamily::IGFX_BROXTON, CoreFamily::IGFX_GEN9_CORE),
    (ProductFamily::IGFX_GEMINILAKE, CoreFamily::IGFX_GEN9_CORE),
    (
        ProductFamily::IGFX_ICELAKE_LP,
        CoreFamily::IGFX_GEN11LP_CORE,
    ),
    (ProductFamily::IGFX_LAKEFIELD, CoreFamily::IGFX_GEN11LP_CORE),
    (
        ProductFamily::IGFX_JASPERLAKE,
        CoreFamily::IGFX_GEN11LP_CORE,
    ),
    (
        ProductFamily::IGFX_TIGERLAKE_LP,
        CoreFamily::IGFX_GEN12LP_CORE,
    ),
    (
        ProductFamily::IGFX_ROCKETLAKE,
        CoreFamily::IGFX_GEN12LP_CORE,
    ),
    (
        ProductFamily::IGFX_ALDERLAKE_S,
        CoreFamily::IGFX_GEN12LP_CORE,
    ),
    (
        ProductFamily::IGFX_ALDERLAKE_P,
        CoreFamily::IGFX_GEN12LP_CORE,
    ),
    (
        ProductFamily::IGFX_ALDERLAKE_N,
        CoreFamily::IGFX_GEN12LP_CORE,
    ),
    (ProductFamily::IGFX_DG1, CoreFamily::IGFX_GEN12LP_CORE),
    (ProductFamily::IGFX_XE_HP_SDV, CoreFamily::IGFX_XE_HP_CORE),
    (ProductFamily::IGFX_DG2, CoreFamily::IGFX_XE_HPG_CORE),
    (ProductFamily::IGFX_METEORLAKE, CoreFamily::IGFX_XE_HPG_CORE),
    (ProductFamily::IGFX_ARROWLAKE, CoreFamily::IGFX_XE_HPG_CORE),
    (ProductFamily::IGFX_PVC, CoreFamily::IGFX_XE_HPC_CORE),
    (ProductFamily::IGFX_BMG, CoreFamily::IGFX_XE2_HPG_CORE),
    (ProductFamily::IGFX_LUNARLAKE, CoreFamily::IGFX_XE2_HPG_CORE),
    (ProductFamily::IGFX_PTL, CoreFamily::IGFX_XE3_CORE),
    (ProductFamily::IGFX_NVL_XE3G, CoreFamily::IGFX_XE3_CORE),
    (ProductFamily::IGFX_NVL, CoreFamily::IGFX_XE3P_CORE),
    (ProductFamily::IGFX_CRI, CoreFamily::IGFX_XE3P_CORE),
];

impl Device {
    /// The device of a product configuration, known or not.
    pub fn of_config(value: u32) -> Device {
        let config = GmdId(value);
        let same_release = |c: &&ProductConfig| c.value >> 14 == value >> 14;
        let product = CONFIGS
            .iter()
            .find(|c| c.value == value)
            .or_else(|| CONFIGS.iter().find(same_release))
            .map_or(ProductFamily::IGFX_UNKNOWN, |c| c.product);
        Device {
            config,
            product,
            core: core_of(product),
        }
    }

    /// The usual device of a product family. Returns `None` if no device of it has a name.
    pub fn of_product(product: ProductFamily) -> Option<Device> {
        let mut of_family = CONFIGS.iter().filter(|c| c.product == product);
        let usual = of_family
            .clone()
            .find(|c| {
                c.devices
                    .iter()
                    .any(|name| family_name(product) == Some(name))
            })
            .or_else(|| of_family.find(|c| !c.devices.is_empty()))?;
        Some(Device::of_config(usual.value))
    }

    /// The usual device of a core family. Returns `None` if no device of it has a name.
    pub fn of_core(core: CoreFamily) -> Option<Device> {
        let (product, _) = CORES.iter().find(|(_, c)| *c == core)?;
        let product = match core {
            CoreFamily::IGFX_GEN9_CORE => ProductFamily::IGFX_SKYLAKE,
            _ => *product,
        };
        Device::of_product(product)
    }

    /// Finds a device by a name of `ocloc -device`, the runtime's name of a configuration,
    /// `arch.release.revision`, the number of a configuration or a PCI device id (with `0x`), a
    /// SYCL architecture by name (`intel_gpu_bmg_g21`, `intel_gpu_20_1_4`) or number, a marketing
    /// name, a code name, or a release. Returns `None` if there is no match.
    pub fn named(name: &str) -> Option<Device> {
        let name = name.trim();
        if let Some(found) = names::of_architecture(name) {
            return found;
        }
        let spelled = name.to_ascii_lowercase().replace('_', "-");
        let config = CONFIGS.iter().find(|c| {
            c.devices.contains(&spelled.as_str())
                || c.name.eq_ignore_ascii_case(name)
                || c.name.replace('_', "-").eq_ignore_ascii_case(name)
        });
        if let Some(config) = config {
            return Some(Device::of_config(config.value));
        }
        if let Some(digits) = spelled.strip_prefix("0x") {
            // PCI device ids have 16 bits; the configurations start far above.
            return match u32::from_str_radix(digits, 16).ok()? {
                id @ ..=0xffff => names::of_pci_id(id),
                value => Some(Device::of_config(value)),
            };
        }
        let parts: Option<Vec<u32>> = name.split('.').map(|part| part.parse().ok()).collect();
        let Some(parts) = parts else {
            return names::of_name(name);
        };
        match *parts.as_slice() {
            [architecture, release, revision]
                if architecture < 1 << 10 && release < 1 << 8 && revision < 1 << 6 =>
            {
                let value = (architecture << 22) | (release << 14) | revision;
                (value != 0).then(|| Device::of_config(value))
            }
            _ => None,
        }
    }

    /// The devices that the driver supports and that have a name of their own.
    pub fn usual() -> impl Iterator<Item = Device> {
        let named = CONFIGS.iter().filter(|c| !c.devices.is_empty());
        let devices = named.map(|c| Device::of_config(c.value));
        devices.filter(Device::is_supported)
    }

    /// The device's entry for lists of devices.
    pub fn known(&self) -> KnownDevice {
        let config = ProductConfig::of(self.config.0);
        KnownDevice {
            name: self.name().into(),
            configuration: self.config.to_string(),
            family: config.map_or_else(String::new, |config| release_title(config.release)),
            marketing: config.map_or_else(Vec::new, names::marketing_names),
        }
    }

    /// The abbreviation of its product family in names of archive members. compute-runtime,
    /// hw_info_*.inl. Returns `None` for families before Xe-LP.
    pub fn abbreviation(&self) -> Option<&'static str> {
        Some(match self.product {
            ProductFamily::IGFX_TIGERLAKE_LP => "tgllp",
            ProductFamily::IGFX_ROCKETLAKE => "rkl",
            ProductFamily::IGFX_ALDERLAKE_S => "adls",
            ProductFamily::IGFX_ALDERLAKE_P => "adlp",
            ProductFamily::IGFX_ALDERLAKE_N => "adln",
            ProductFamily::IGFX_DG1 => "dg1",
            ProductFamily::IGFX_DG2 => "dg2",
            ProductFamily::IGFX_PVC => "pvc",
            ProductFamily::IGFX_METEORLAKE => "mtl",
            ProductFamily::IGFX_ARROWLAKE => "arl",
            ProductFamily::IGFX_BMG => "bmg",
            ProductFamily::IGFX_LUNARLAKE => "lnl",
            ProductFamily::IGFX_PTL => "ptl",
            ProductFamily::IGFX_NVL_XE3G => "nvls",
            ProductFamily::IGFX_NVL => "nvlp",
            ProductFamily::IGFX_CRI => "cri",
            _ => return None,
        })
    }

    /// The usual name, or the GMD id.
    pub fn name(&self) -> String {
        match ProductConfig::of(self.config.0) {
            Some(config) => config.device().to_owned(),
            None => self.config.to_string(),
        }
    }

    /// The stepping.
    pub fn revision(&self) -> u32 {
        self.config.revision()
    }

    /// The size of a register in bytes: 64 for Ponte Vecchio and from Xe2 on.
    pub fn grf_size(&self) -> u32 {
        match self.config.arch() {
            12 if (60..70).contains(&self.config.release()) => 64,
            0..20 => 32,
            _ => 64,
        }
    }

    /// Maximum size of a work-group's shared local memory, in bytes. compute-runtime,
    /// maxProgrammableSlmSize.
    pub fn max_slm_size(&self) -> u32 {
        let kilobytes = match (self.config.arch(), self.config.release()) {
            (12, 60..70) => 128,
            (0..20, _) => 64,
            (35, 10) => 192,
            (35, 11) => 384,
            _ => 128,
        };
        kilobytes * 1024
    }

    /// Returns whether release 26.27 of the driver supports it, from Xe-LP on.
    pub fn is_supported(&self) -> bool {
        self.config.arch() >= 12 && self.product != ProductFamily::IGFX_XE_HP_SDV
    }
}

fn core_of(product: ProductFamily) -> CoreFamily {
    let found = CORES.iter().find(|(p, _)| *p == product);
    found.map_or(CoreFamily::IGFX_UNKNOWN_CORE, |(_, core)| *core)
}

/// The name of the family for `ocloc -device`. Returns `None` if it has none.
fn family_name(product: ProductFamily) -> Option<&'static &'static str> {
    Some(match product {
        ProductFamily::IGFX_DG2 => &"dg2",
        ProductFamily::IGFX_PVC => &"pvc",
        ProductFamily::IGFX_METEORLAKE => &"mtl",
        ProductFamily::IGFX_ARROWLAKE => &"arl-h",
        ProductFamily::IGFX_BMG => &"bmg",
        ProductFamily::IGFX_LUNARLAKE => &"lnl-m",
        ProductFamily::IGFX_PTL => &"ptl",
        ProductFamily::IGFX_NVL_XE3G => &"nvl-s",
        ProductFamily::IGFX_NVL => &"nvl-p",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn gmd_ids() {
        assert_eq!(GmdId(0x0500_4004).to_string(), "20.1.4");
        assert_eq!(GmdId(0x030d_c008).to_string(), "12.55.8");
        assert_eq!(ProductConfig::of(0x030f_0007).unwrap().device(), "pvc");
        assert_eq!(release_title("xe2-hpg"), "Xe2-HPG");
        assert!(CONFIGS.is_sorted_by_key(|c| c.value));
    }

    #[test]
    fn devices_by_name_and_number() {
        let config = |name| Device::named(name).map(|d| d.config.to_string());
        assert_eq!(config("bmg-g21").as_deref(), Some("20.1.0"));
        assert_eq!(config("acm-g10").as_deref(), Some("12.55.8"));
        assert_eq!(config("DG2_G10_C0").as_deref(), Some("12.55.8"));
        assert_eq!(config("20.1.4").as_deref(), Some("20.1.4"));
        assert_eq!(config("0x030f0007").as_deref(), Some("12.60.7"));
        assert_eq!(config("40.1.2").as_deref(), Some("40.1.2"));
        for unknown in ["", "bmg-g99", "1.2", "1.2.3.4", "0x", "0x0", "99999.0.0"] {
            assert_eq!(config(unknown), None, "{unknown}");
        }
    }

    #[test]
    fn devices_have_registers_of_32_or_64_bytes() {
        for name in ["skl", "tgllp", "dg1", "dg2", "mtl", "arl-h"] {
            assert_eq!(Device::named(name).unwrap().grf_size(), 32, "{name}");
        }
        for name in [
            "pvc", "pvc-vg", "bmg", "lnl-m", "ptl", "nvl-p", "cri", "40.1.2",
        ] {
            assert_eq!(Device::named(name).unwrap().grf_size(), 64, "{name}");
        }
        for (name, kilobytes) in [("dg2", 64), ("pvc", 128), ("nvl-p", 192), ("cri", 384)] {
            let size = Device::named(name).unwrap().max_slm_size();
            assert_eq!(size, kilobytes << 10, "{name}");
        }
    }

    #[test]
    fn families_have_a_usual_device() {
        for (product, core) in CORES {
            let device = Device::of_product(*product).unwrap();
            assert_eq!((device.product, device.core), (*product, *core));
            assert_eq!(Device::of_core(*core).unwrap().core, *core);
        }
    }
}
