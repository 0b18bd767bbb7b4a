//! Common names of devices: PCI device ids, SYCL architectures, marketing names, code names,
//! releases.

use super::{CONFIGS, Device, GmdId, ProductConfig};
use std::sync::LazyLock;
use zeview_core::model::sort;
use zeview_core::model::suggest::unknown_name;
use zeview_core::model::text::distance;

/// A line per device: PCI device id, the runtime's name of the usual product configuration,
/// marketing name without "Intel". From compute-runtime of 2026-08, `devices_base.inl` and
/// `product_config_base.inl`. The file has no comments: it is part of the page's download.
const DEVICES: &str = include_str!("devices.tsv");

/// Code names and family names, in the spelling of [`plain`], and the `ocloc -device` name of the
/// usual device.
const CODE_NAMES: &[(&str, &str)] = &[
    ("alchemist", "acm-g10"),
    ("adl", "adl-s"),
    ("alderlake", "adl-s"),
    ("arrowlake", "arl-h"),
    ("battlemage", "bmg-g21"),
    ("crescentisland", "cri"),
    ("gen9", "skl"),
    ("gen11", "icllp"),
    ("gen12", "tgllp"),
    ("lnl", "lnl-m"),
    ("arl", "arl-h"),
    ("adlp", "adl-p"),
    ("adls", "adl-s"),
    ("adln", "adl-n"),
    ("acm", "acm-g10"),
    ("lunarlake", "lnl-m"),
    ("meteorlake", "mtl-u"),
    ("novalake", "nvl-s"),
    ("nvl", "nvl-s"),
    ("pantherlake", "ptl-h"),
    ("pontevecchio", "pvc"),
    ("pvcxl", "pvc-xl-a0p"),
    ("pvcxt", "pvc"),
    ("raptorlake", "rpl-s"),
    ("rocketlake", "rkl"),
    ("skylake", "skl"),
    ("tigerlake", "tgllp"),
    ("wildcatlake", "wcl"),
    ("xe", "tgllp"),
    ("xe2", "bmg-g21"),
    ("xe3", "ptl-h"),
    ("xe3p", "nvl-p"),
];

/// Marketing names that are in use, but not in the driver's list of devices, and the `ocloc -device`
/// name of the device.
const IN_USE: &[(&str, &str)] = &[
    ("Arc 130T GPU", "arl-h"),
    ("Arc 140T GPU", "arl-h"),
    ("Arc 130V GPU", "lnl-m"),
    ("Arc 140V GPU", "lnl-m"),
    ("Arc A-Series Graphics", "acm-g10"),
    ("Arc B-Series Graphics", "bmg-g21"),
];

/// The numbers in names of SYCL architectures that are not those of the device's usual product
/// configuration: `intel_gpu_20_1_4` is another name of `intel_gpu_bmg_g21`. intel/llvm,
/// device_architecture.def.
const ARCHITECTURES: &[(&str, &str)] = &[
    ("20_1_4", "bmg-g21"),
    ("30_1_1", "ptl-u"),
    ("30_3_0", "wcl"),
    ("30_4_0", "nvl-s"),
    ("30_5_0", "nvl-u"),
    ("35_10_0", "nvl-p"),
];

/// The prefix of names of SYCL architectures.
const ARCHITECTURE: &str = "intel_gpu_";

/// Reduces a name to lowercase letters and digits: `Xe2-HPG` and `xe2_hpg` are the same name.
fn plain(name: &str) -> String {
    let name = name.to_ascii_lowercase();
    let name = name.replace("(r)", "").replace("(tm)", "");
    name.chars().filter(char::is_ascii_alphanumeric).collect()
}

/// The lines of [`DEVICES`]: a list of devices reads them for each of its entries.
static LINES: LazyLock<Vec<(u32, &str, &str)>> = LazyLock::new(|| {
    let cells = DEVICES.lines().map(|line| line.split('\t'));
    let parsed = cells.filter_map(|mut cells| {
        let id = cells.next()?.strip_prefix("0x")?;
        let id = u32::from_str_radix(id, 16).ok()?;
        Some((id, cells.next()?, cells.next()?))
    });
    parsed.collect()
});

fn devices() -> impl Iterator<Item = (u32, &'static str, &'static str)> {
    LINES.iter().copied()
}

fn configuration(name: &str) -> Option<&'static ProductConfig> {
    CONFIGS.iter().find(|config| config.name == name)
}

/// The device with a PCI device id, with its usual stepping. Returns `None` if the id is unknown.
pub fn of_pci_id(id: u32) -> Option<Device> {
    let (_, name, _) = devices().find(|(other, ..)| *other == id)?;
    configuration(name).map(|config| Device::of_config(config.value))
}

/// Finds a device by a marketing name (`Arc B580`, `b580`), a code name (`Battlemage`), or the name
/// of a release (`xe2-hpg`) or family (`xe2`). Returns `None` if there is no match.
pub fn of_name(name: &str) -> Option<Device> {
    let name = plain(name);
    if name.is_empty() {
        return None;
    }
    if let Some((_, device)) = CODE_NAMES.iter().find(|(other, _)| *other == name) {
        return Device::named(device);
    }
    let mut releases = CONFIGS.iter().filter(|c| plain(c.release) == name);
    if let Some(config) = releases.next() {
        return Device::of_product(config.product);
    }
    of_marketing_name(&name).map(|config| Device::of_config(config.value))
}

/// Reduces a plain marketing name to what distinguishes it.
fn without_generic_words(name: &str) -> String {
    let name = name.strip_prefix("intel").unwrap_or(name);
    name.replace("graphics", "").replace("gpu", "")
}

/// The configuration that a SYCL architecture stands for: of several steppings, the usual one.
fn usual_stepping(value: u32) -> Option<&'static ProductConfig> {
    let is_usual = |config: &&ProductConfig| config.usual_names().next().is_some();
    let same_release = |config: &&ProductConfig| config.value >> 14 == value >> 14;
    ProductConfig::of(value)
        .filter(is_usual)
        .or_else(|| CONFIGS.iter().filter(same_release).find(is_usual))
        .or_else(|| ProductConfig::of(value))
}

/// The device of a SYCL architecture: its name, or its number, which is the product configuration in
/// the upper bytes. The outer result is `None` if the name has neither form.
pub fn of_architecture(name: &str) -> Option<Option<Device>> {
    let device = |config: &'static ProductConfig| Device::of_config(config.value);
    let number = match name.get(..2) {
        Some("0x" | "0X") => u64::from_str_radix(name.get(2..)?, 16).ok(),
        _ => name.parse().ok(),
    };
    if let Some(number) = number {
        return match u32::try_from(number) {
            // A product configuration, or a PCI device id.
            Ok(_) if name.starts_with("0x") || name.starts_with("0X") => None,
            Ok(value) => Some(ProductConfig::of(value).map(device)),
            Err(_) => {
                let value = u32::try_from(number >> 8)
                    .ok()
                    .filter(|_| number & 0xff == 0);
                Some(value.and_then(usual_stepping).map(device))
            }
        };
    }
    let lower = name.to_ascii_lowercase().replace('-', "_");
    let own = lower.strip_prefix(ARCHITECTURE)?;
    if let Some((_, name)) = ARCHITECTURES.iter().find(|(number, _)| *number == own) {
        return Some(Device::named(name));
    }
    if !own.starts_with(|c: char| c.is_ascii_digit()) {
        return Some(Device::named(&own.replace('_', "-")));
    }
    let found = Device::named(&own.replace('_', "."));
    Some(found.map(|found| usual_stepping(found.config.0).map_or(found, device)))
}

/// The names of the SYCL architecture of a device, the usual one first.
pub fn architectures(config: &ProductConfig) -> Vec<String> {
    let mut names: Vec<String> = config
        .usual_names()
        .map(|name| format!("{ARCHITECTURE}{}", name.replace('-', "_")))
        .collect();
    let usual = config.usual_names().next();
    let number = ARCHITECTURES.iter().find(|(_, name)| usual == Some(*name));
    let number = match number {
        Some((number, _)) => (*number).to_owned(),
        None => GmdId(config.value).to_string().replace('.', "_"),
    };
    if !names.is_empty() {
        names.push(format!("{ARCHITECTURE}{number}"));
    }
    names
}

/// The number of the SYCL architecture of a product configuration.
pub fn architecture_number(config: &ProductConfig) -> u64 {
    u64::from(config.value) << 8
}

/// The code names and family names of a device.
pub fn code_names(config: &ProductConfig) -> impl Iterator<Item = &'static str> + use<> {
    let usual = config.devices;
    let own = CODE_NAMES.iter();
    own.filter(move |(_, name)| usual.contains(name))
        .map(|(name, _)| *name)
}

/// Formats a message about a name that no device has, with a suggestion.
pub fn unknown_device(name: &str) -> String {
    unknown_name("device", name, similar(name).as_slice())
}

/// The known name that is most similar to an unknown one. Returns `None` if none is similar.
pub fn similar(name: &str) -> Option<String> {
    let typed = plain(name);
    let names = CONFIGS.iter().flat_map(|config| {
        let own = config.devices.iter().copied().map(str::to_owned);
        let sold = marketing_names(config).into_iter().map(str::to_owned);
        own.chain(sold).chain(architectures(config))
    });
    let names = names.chain(CODE_NAMES.iter().map(|(name, _)| (*name).to_owned()));
    // Names of several devices ("UHD Graphics") are not accepted.
    let names = names.filter(|known| Device::named(known).is_some());
    let far = |known: &str| {
        let plain = plain(known);
        let short = without_generic_words(&plain);
        let number = short.strip_prefix("arcpro").or(short.strip_prefix("arc"));
        let spellings = [Some(plain.as_str()), Some(short.as_str()), number];
        let far = |known: &str| distance(known, &typed);
        spellings
            .into_iter()
            .flatten()
            .map(far)
            .min()
            .unwrap_or(usize::MAX)
    };
    let nearest = names
        .map(|known| (far(&known), known))
        .min_by_key(|(far, _)| *far)?;
    (typed.len() > 2 && nearest.0 <= typed.len().div_ceil(4)).then_some(nearest.1)
}

/// `name` is plain. Ambiguous names (`Intel Graphics`) do not match.
fn of_marketing_name(name: &str) -> Option<&'static ProductConfig> {
    let name = &*without_generic_words(name);
    if name.is_empty() {
        return None;
    }
    let is_named = |marketing: &str| {
        let whole = without_generic_words(&plain(marketing));
        // The number alone, as in common usage: B580, Flex 170, Max 1100.
        let number = ["arcpro", "arc", "datacenter"]
            .iter()
            .find_map(|brand| whole.strip_prefix(brand));
        !whole.is_empty() && (whole == name || number == Some(name))
    };
    if let Some((_, device)) = IN_USE.iter().find(|(known, _)| is_named(known)) {
        let has_name = |config: &&ProductConfig| config.devices.contains(device);
        return CONFIGS.iter().find(has_name);
    }
    let mut found = devices().filter(|(_, _, marketing)| is_named(marketing));
    let (_, first, _) = found.next()?;
    let is_only = found.all(|(_, other, _)| other == first);
    is_only.then(|| configuration(first)).flatten()
}

/// The PCI device ids of a product configuration.
pub fn pci_ids(config: &ProductConfig) -> impl Iterator<Item = u32> + use<> {
    let name = config.name;
    let own = devices().filter(move |(_, other, _)| *other == name);
    own.map(|(id, ..)| id)
}

/// The distinct marketing names of a product configuration.
pub fn marketing_names(config: &ProductConfig) -> Vec<&'static str> {
    let mut names: Vec<&str> = devices()
        .filter(|(_, name, marketing)| *name == config.name && !marketing.is_empty())
        .map(|(_, _, marketing)| marketing)
        .chain(
            IN_USE
                .iter()
                .filter(|(_, device)| config.devices.contains(device))
                .map(|(name, _)| *name),
        )
        .collect();
    sort::ascending(&mut names);
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_has_a_configuration() {
        assert_eq!(devices().count(), 174);
        for (id, name, _) in devices() {
            let config = configuration(name).unwrap_or_else(|| panic!("{name}"));
            assert!(!config.devices.is_empty(), "{name}");
            assert_eq!(of_pci_id(id).unwrap().config.0, config.value);
        }
        for (name, device) in CODE_NAMES {
            assert_eq!(*name, plain(name));
            let named = of_name(name).unwrap_or_else(|| panic!("{name}"));
            assert_eq!(Some(named), Device::named(device), "{name}");
        }
        assert_eq!(of_pci_id(0xffff), None);
    }

    #[test]
    fn slips_have_suggestions() {
        for (slip, name) in [
            ("bmg-g12", "bmg-g21"),
            ("bgm-g21", "bmg-g21"),
            ("Batlemage", "battlemage"),
            ("intel_gpu_bmg_g2", "intel_gpu_bmg_g21"),
            ("Arc B850", "Arc B580 Graphics"),
            ("lunar lak", "lunarlake"),
        ] {
            assert_eq!(Device::named(slip), None, "{slip}");
            assert_eq!(similar(slip).as_deref(), Some(name), "{slip}");
        }
        for stranger in ["", "geforce rtx", "x"] {
            assert_eq!(similar(stranger), None, "{stranger}");
        }
    }

    #[test]
    fn every_name_leads_to_its_device() {
        for config in CONFIGS {
            let device = Device::of_config(config.value);
            for name in config.devices.iter().copied().chain(code_names(config)) {
                let found = Device::named(name).map(|found| found.name());
                assert_eq!(found, Some(device.name()), "{name}");
            }
            for name in architectures(config) {
                assert_eq!(Device::named(&name), Some(device), "{name}");
            }
            if config.usual_names().next().is_some() {
                let number = architecture_number(config).to_string();
                assert_eq!(Device::named(&number), Some(device), "{number}");
            }
        }
    }

    #[test]
    fn common_names() {
        for (name, device) in [
            ("Battlemage", "bmg-g21"),
            ("B580", "bmg-g21"),
            ("Intel(R) Arc(TM) B580 Graphics", "bmg-g21"),
            ("Arc Pro B70", "bmg-g31"),
            ("Intel Arc A770", "acm-g10"),
            ("a380", "acm-g11"),
            ("flex 170", "acm-g10"),
            ("Data Center GPU Max 1100", "pvc"),
            ("max1550", "pvc"),
            ("xe2", "bmg-g21"),
            ("Xe2_HPG", "bmg-g21"),
            ("xe-hpc", "pvc"),
            ("lnl", "lnl-m"),
            ("Lunar Lake", "lnl-m"),
            ("pvc-xl", "pvc-sdv"),
            ("0x56a0", "acm-g10"),
            ("0xe20b", "bmg-g21"),
            ("0x0BD5", "pvc"),
            ("Arc 140V", "lnl-m"),
            ("140v", "lnl-m"),
            ("Intel(R) Arc(TM) 140T GPU", "arl-h"),
            ("UHD 770", "adl-s"),
            ("mtl", "mtl-u"),
            ("Meteor Lake", "mtl-u"),
            ("intel_gpu_bmg_g21", "bmg-g21"),
            ("intel_gpu_20_1_4", "bmg-g21"),
            ("intel_gpu_12_60_7", "pvc"),
            ("intel_gpu_30_4_0", "nvl-s"),
            ("INTEL_GPU_ACM_G10", "acm-g10"),
            ("21483225088", "bmg-g31"),
            ("0x0000000500400400", "bmg-g21"),
            ("83902464", "bmg-g21"),
        ] {
            let found = Device::named(name).map(|device| device.name());
            assert_eq!(found.as_deref(), Some(device), "{name}");
        }
        // An ambiguous name, unknown names, and an unknown id.
        for name in [
            "UHD Graphics",
            "Intel Graphics",
            "intel",
            "graphics",
            "B999",
            "0x1234",
            "arc",
            "intel_gpu_",
            "intel_gpu_bmg_g99",
            "21483225089",
            "99999999999999999999",
            "580",
        ] {
            assert_eq!(Device::named(name), None, "{name}");
        }
        let bmg = CONFIGS.iter().find(|c| c.name == "BMG_G21_A0").unwrap();
        assert!(marketing_names(bmg).contains(&"Arc B580 Graphics"));
    }
}
