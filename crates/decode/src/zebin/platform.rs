//! The instruction encodings of devices.

use crate::device::{CoreFamily, Device};
use zeview_core::model::suggest::{nearest, unknown_name};
use zeview_isa::Platform;

use crate::device::names::similar;

/// The encoding of a device. Devices of a core family share it: DG2, Meteor Lake and Arrow Lake
/// (Xe-LPG and Xe-LPG+) use that of Xe-HPG; Nova Lake and Crescent Island that of Xe3P. Returns
/// `None` for devices before Gen9, Gen10 and Xe-HP SDV, which the model does not include.
#[must_use]
pub fn of_device(device: &Device) -> Option<Platform> {
    Some(match device.core {
        CoreFamily::IGFX_GEN9_CORE => Platform::Gen9,
        CoreFamily::IGFX_GEN11_CORE | CoreFamily::IGFX_GEN11LP_CORE => Platform::Gen11,
        CoreFamily::IGFX_GEN12_CORE | CoreFamily::IGFX_GEN12LP_CORE => Platform::XeLp,
        CoreFamily::IGFX_XE_HPG_CORE => Platform::XeHpg,
        CoreFamily::IGFX_XE_HPC_CORE => Platform::XeHpc,
        CoreFamily::IGFX_XE2_HPG_CORE => Platform::Xe2,
        CoreFamily::IGFX_XE3_CORE => Platform::Xe3,
        CoreFamily::IGFX_XE3P_CORE => Platform::Xe3p,
        _ => return None,
    })
}

/// Finds an encoding by [`Platform::name`], or by a device name as in [`Device::named`].
#[must_use]
pub fn named(name: &str) -> Option<Platform> {
    Platform::named(name).or_else(|| of_device(&Device::named(name)?))
}

/// Formats the message about a name that no encoding and no device has.
#[must_use]
pub fn unknown(name: &str) -> String {
    let near = nearest(name, Platform::ALL.into_iter().map(Platform::name));
    let near = near.map(str::to_owned).or_else(|| similar(name));
    unknown_name("encoding or device", name, near.as_slice())
}
