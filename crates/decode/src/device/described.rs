//! Everything that is known about a device, for lists of devices and the documentation.

use serde::Serialize;

use super::names;
use super::{CONFIGS, Device, ProductConfig, release_title};

/// A device with all its names and properties.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct DescribedDevice {
    /// Its usual name: `bmg-g21`.
    pub name: &'static str,
    /// Its product, as in names of archive members: `bmg`.
    pub product: &'static str,
    /// Its product configuration: `20.1.0`.
    pub configuration: String,
    /// The number of the product configuration.
    pub configuration_number: u32,
    /// The release of its architecture: `Xe2-HPG`.
    pub release: String,
    /// The names that `ocloc -device` accepts, the usual one first.
    pub names: Vec<&'static str>,
    /// Code names and other common names.
    pub code_names: Vec<&'static str>,
    /// The names of its SYCL architecture.
    pub sycl: Vec<String>,
    /// The number of its SYCL architecture.
    pub sycl_number: u64,
    /// Its marketing names.
    pub marketing: Vec<&'static str>,
    /// Its PCI device ids.
    pub pci_ids: Vec<String>,
    /// Whether it has 64-bit floating-point arithmetic.
    pub fp64: bool,
    /// Whether the compiler can emulate it.
    pub fp64_emulation: bool,
    /// Whether it has images and samplers.
    pub images: bool,
    /// Its sub-group sizes.
    pub sub_group_sizes: &'static [u32],
    /// Maximum number of work-items of a work-group.
    pub work_group_size: u32,
    /// Bytes of shared local memory of a work-group.
    pub local_memory: u32,
    /// Hardware threads of an EU.
    pub threads_per_eu: u32,
    /// The numbers of registers that code can use.
    pub registers: &'static [u32],
    /// Bytes of a register.
    pub register_size: u32,
    /// The other devices whose code it can run.
    pub runs_code_of: Vec<&'static str>,
}

/// The devices that the driver supports, without the steppings that have names of their own.
pub fn all() -> Vec<DescribedDevice> {
    let has_usual = |config: &&ProductConfig| config.usual_names().next().is_some();
    let configs = CONFIGS.iter().filter(has_usual);
    let described = configs.filter_map(describe);
    described.collect()
}

fn describe(config: &'static ProductConfig) -> Option<DescribedDevice> {
    let device = Device::of_config(config.value);
    let properties = device.properties().filter(|_| device.is_supported())?;
    let runs = |other: &&ProductConfig| {
        let mut compatible = Device::of_config(other.value).compatible();
        !other.devices.is_empty() && compatible.any(|(to, _)| to == device)
    };
    Some(DescribedDevice {
        name: config.device(),
        product: device.abbreviation()?,
        configuration: device.config.to_string(),
        configuration_number: config.value,
        release: release_title(config.release),
        names: config.devices.to_vec(),
        code_names: names::code_names(config).collect(),
        sycl: names::architectures(config),
        sycl_number: names::architecture_number(config),
        marketing: names::marketing_names(config),
        pci_ids: names::pci_ids(config)
            .map(|id| format!("{id:#06x}"))
            .collect(),
        fp64: properties.fp64,
        fp64_emulation: properties.fp64_emulation,
        images: properties.images,
        sub_group_sizes: properties.sub_groups,
        work_group_size: properties.work_group,
        local_memory: properties.local_memory,
        threads_per_eu: properties.threads,
        registers: properties.registers,
        register_size: device.grf_size(),
        runs_code_of: CONFIGS
            .iter()
            .filter(runs)
            .map(ProductConfig::device)
            .collect(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_accepted() {
        let devices = all();
        assert_eq!(devices.len(), 25);
        for described in &devices {
            let own = Device::named(described.name).unwrap();
            let numbers = [
                described.configuration.clone(),
                format!("{:#010x}", described.configuration_number),
                described.sycl_number.to_string(),
            ];
            let words = described.names.iter().chain(&described.code_names);
            let words = words.map(|name| (*name).to_owned());
            let all = words.chain(described.sycl.clone()).chain(numbers);
            for name in all.chain(described.pci_ids.clone()) {
                assert_eq!(Device::named(&name), Some(own), "{name}");
            }
            // Some marketing names belong to several devices: no device is meant.
            for name in &described.marketing {
                let found = Device::named(name);
                assert!(found.is_none_or(|found| found == own), "{name}");
            }
        }
    }

    #[test]
    fn properties_are_consistent() {
        for described in all() {
            let device = Device::named(described.name).unwrap();
            assert_eq!(
                described.local_memory,
                device.max_slm_size(),
                "{}",
                described.name
            );
        }
    }
}
