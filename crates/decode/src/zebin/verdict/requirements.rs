//! What images require of a device, in the order in which the SYCL runtime checks it before it
//! builds an image: sycl/source/detail/program_manager/program_manager.cpp,
//! checkDevSupportDeviceRequirements.

use crate::device::properties::{ATOMIC64, FP16, Properties};
use crate::device::{Device, ProductFamily};
use crate::property_set::known::aspect;
use zeview_core::analysis::modules::{Property, PropertySet, PropertyValue, requirement};

/// The result of comparing the requirements of an image with a device.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Requirements {
    /// The first requirement that the device does not meet.
    pub missing: Option<String>,
    /// Aspects for which it is not known whether the device has them.
    pub not_judged: Vec<String>,
}

/// Whether an image is explicit SIMD code, which the vector compiler compiles.
fn is_esimd(sets: &[PropertySet]) -> bool {
    let misc = sets.iter().filter(|set| set.name == "SYCL/misc properties");
    let mut entries = misc.flat_map(|set| &set.entries);
    entries.any(|property| {
        property.key == "isEsimdImage" && property.value != PropertyValue::Number(0)
    })
}

impl Requirements {
    /// Compares the device requirements in the property sets of an image with a device.
    pub fn of(sets: &[PropertySet], device: &Device) -> Requirements {
        let mut found = Requirements::default();
        let Some(properties) = device.properties() else {
            return found;
        };
        let name = device.name();
        for number in numbers(requirement(sets, "aspects")) {
            let title = match aspect(number) {
                Some(title) => title.to_owned(),
                None => format!("aspect {number}"),
            };
            match has_aspect(&title, device, properties) {
                Some(true) => {}
                Some(false) => {
                    let missing = format!("requires {title}, which {name} lacks");
                    found.missing.get_or_insert(missing);
                }
                None => found.not_judged.push(title),
            }
        }
        for key in ["joint_matrix", "joint_matrix_mad"] {
            if requirement(sets, key).is_some() {
                found.not_judged.push(key.to_owned());
            }
        }
        let sizes = requirement(sets, "reqd_work_group_size_uint64_t").map_or_else(
            || numbers(requirement(sets, "reqd_work_group_size")),
            long_numbers,
        );
        let items = sizes
            .iter()
            .fold(1u64, |all, size| all.saturating_mul(*size));
        let most = u64::from(properties.work_group);
        // Checked after the aspects: the runtime reports the first requirement that is not met.
        if items > most {
            let missing = format!(
                "requires work-groups of {items} work-items; the limit of {name} is {most}"
            );
            found.missing.get_or_insert(missing);
        }
        for size in numbers(requirement(sets, "reqd_sub_group_size")) {
            let has = |own: &&u32| u64::from(**own) == size;
            // 0 leaves the size to the compiler. Explicit SIMD code has the size 1, which no device
            // lists.
            if size != 0 && !is_esimd(sets) && !properties.sub_groups.iter().any(|own| has(&own)) {
                found
                    .missing
                    .get_or_insert(sub_group_text(size, &name, properties));
            }
        }
        found
    }
}

/// Describes a sub-group size that a device lacks.
pub fn sub_group_text(size: u64, name: &str, properties: &Properties) -> String {
    let own: Vec<String> = properties.sub_groups.iter().map(u32::to_string).collect();
    format!(
        "requires sub-group size {size}, which {name} lacks (it has {})",
        own.join(", ")
    )
}

/// The 32-bit numbers of a property: of a list, or its value.
fn numbers(property: Option<&Property>) -> Vec<u64> {
    match property.map(|property| &property.value) {
        Some(PropertyValue::Bytes { bytes, .. }) => {
            let words = bytes.chunks_exact(4);
            let words = words.filter_map(|word| Some(u32::from_le_bytes(*word.first_chunk()?)));
            words.map(u64::from).collect()
        }
        Some(PropertyValue::Number(number)) => vec![*number],
        _ => Vec::new(),
    }
}

/// The 64-bit numbers of a property.
fn long_numbers(property: &Property) -> Vec<u64> {
    match &property.value {
        PropertyValue::Bytes { bytes, .. } => {
            let words = bytes.chunks_exact(8);
            let words = words.filter_map(|word| Some(u64::from_le_bytes(*word.first_chunk()?)));
            words.collect()
        }
        PropertyValue::Number(number) => vec![*number],
        PropertyValue::Unreadable(_) => Vec::new(),
    }
}

/// Returns whether a device has an aspect; `None` if that depends on the system, or is not known.
/// sycl/source/detail/device_impl.cpp, has, with the answers of the driver.
fn has_aspect(name: &str, device: &Device, properties: &Properties) -> Option<bool> {
    Some(match name {
        "gpu" | "online_compiler" | "online_linker" | "queue_profiling" => true,
        "usm_device_allocations" | "usm_host_allocations" | "usm_shared_allocations" => true,
        "cpu" | "accelerator" | "custom" | "emulated" | "host_debuggable" => false,
        "fp16" => FP16,
        "fp64" => properties.fp64,
        "atomic64" | "int64_base_atomics" | "int64_extended_atomics" => ATOMIC64,
        "image" | "ext_intel_legacy_image" => properties.images,
        "ext_intel_esimd" => true,
        "ext_intel_matrix" => return has_matrix(device, properties),
        "ext_oneapi_ballot_group"
        | "ext_oneapi_fixed_size_group"
        | "ext_oneapi_opportunistic_group"
        | "ext_oneapi_tangle_group" => true,
        "ext_oneapi_cuda_async_barrier" | "ext_oneapi_cuda_cluster_group" => false,
        _ => return None,
    })
}

/// The runtime has a list of architectures, which grows with its releases: the newest devices are
/// not in all of them.
fn has_matrix(device: &Device, properties: &Properties) -> Option<bool> {
    let is_in_all = match device.product {
        ProductFamily::IGFX_BMG => device.config.release() == 1,
        ProductFamily::IGFX_PTL => device.config.release() <= 1,
        ProductFamily::IGFX_NVL_XE3G | ProductFamily::IGFX_NVL | ProductFamily::IGFX_CRI => false,
        _ => true,
    };
    properties.matrix.filter(|has| !has || is_in_all)
}

#[cfg(test)]
mod tests {
    use super::*;
    use zeview_core::analysis::kernels::Located;
    use zeview_core::model::Span;

    fn set(entries: &[(&str, PropertyValue)]) -> Vec<PropertySet> {
        let entries = entries.iter().map(|(key, value)| Property {
            key: (*key).to_owned(),
            value: value.clone(),
            ..property()
        });
        vec![PropertySet {
            name: "SYCL/device requirements".to_owned(),
            span: Span::default(),
            doc: Default::default(),
            entries: entries.collect(),
        }]
    }

    fn property() -> Property {
        Property {
            key: String::new(),
            key_span: Span::default(),
            kind: Located::default(),
            value: PropertyValue::Number(0),
            span: Span::default(),
            meaning: String::new(),
            doc: Default::default(),
        }
    }

    fn words(numbers: &[u32]) -> PropertyValue {
        let bytes: Vec<u8> = numbers.iter().flat_map(|n| n.to_le_bytes()).collect();
        PropertyValue::Bytes {
            bits: bytes.len() as u64 * 8,
            bytes,
        }
    }

    fn missing(entries: &[(&str, PropertyValue)], device: &str) -> Option<String> {
        Requirements::of(&set(entries), &Device::named(device).unwrap()).missing
    }

    #[test]
    fn aspects() {
        let fp64 = [("aspects", words(&[2, 6]))];
        let text = "requires fp64, which acm-g10 lacks";
        assert_eq!(missing(&fp64, "dg2").as_deref(), Some(text));
        for device in ["bmg", "pvc", "mtl", "arl-h", "cri"] {
            assert_eq!(missing(&fp64, device), None, "{device}");
        }
        let image = [("aspects", words(&[9]))];
        assert!(missing(&image, "pvc").is_some());
        assert_eq!(missing(&image, "dg2"), None);
        let cpu = [("aspects", words(&[1]))];
        assert!(missing(&cpu, "bmg").is_some());
        let matrix = Requirements::of(
            &set(&[("aspects", words(&[58, 999]))]),
            &Device::named("nvl-s").unwrap(),
        );
        assert_eq!(matrix.missing, None);
        assert_eq!(matrix.not_judged, ["ext_intel_matrix", "aspect 999"]);
        assert!(missing(&[("aspects", words(&[58]))], "mtl").is_some());
    }

    #[test]
    fn sizes() {
        let sub_group = [("reqd_sub_group_size", words(&[8]))];
        let text = "requires sub-group size 8, which bmg-g21 lacks (it has 16, 32)";
        assert_eq!(missing(&sub_group, "bmg").as_deref(), Some(text));
        assert_eq!(missing(&sub_group, "dg2"), None);
        // Explicit SIMD code.
        let one = set(&[("reqd_sub_group_size", words(&[1]))]);
        let mut esimd = set(&[("isEsimdImage", PropertyValue::Number(1))]);
        esimd[0].name = "SYCL/misc properties".to_owned();
        let device = Device::named("bmg").unwrap();
        assert!(Requirements::of(&one, &device).missing.is_some());
        let both = [one, esimd].concat();
        assert_eq!(Requirements::of(&both, &device).missing, None);
        let number = [("reqd_sub_group_size", PropertyValue::Number(8))];
        assert!(missing(&number, "pvc").is_some());
        let group = [("reqd_work_group_size", words(&[32, 32, 2]))];
        assert!(missing(&group, "bmg").is_some());
        assert_eq!(missing(&group, "cri"), None);
        let long: Vec<u8> = [1024u64, 1].iter().flat_map(|n| n.to_le_bytes()).collect();
        let long = PropertyValue::Bytes {
            bits: 128,
            bytes: long,
        };
        let long = [("reqd_work_group_size_uint64_t", long)];
        assert_eq!(missing(&long, "bmg"), None);
        assert!(missing(&long, "tgllp").is_some());
    }

    #[test]
    fn the_first_failure_is_reported() {
        let both = [
            ("reqd_sub_group_size", words(&[4])),
            ("aspects", words(&[6])),
        ];
        assert!(missing(&both, "dg2").unwrap().contains("fp64"));
        assert!(missing(&both, "bmg").unwrap().contains("sub-group"));
    }
}
