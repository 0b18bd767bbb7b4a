//! Common names of devices: PCI device ids, marketing names, code names, releases.

use super::{CONFIGS, Device, ProductConfig};
use crate::model::sort;
use std::sync::LazyLock;

/// A line per device: PCI device id, the runtime's name of the usual product configuration,
/// marketing name without "Intel". From compute-runtime of 2026-08, `devices_base.inl` and
/// `product_config_base.inl`. The file has no comments: it is part of the page's download.
const DEVICES: &str = include_str!("devices.tsv");

/// Code names and family names, in the spelling of [`plain`], and the `ocloc -device` name of the
/// usual device.
const CODE_NAMES: &[(&str, &str)] = &[
    ("alchemist", "acm-g10"),
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
    ("meteorlake", "mtl-h"),
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

/// `name` is plain. Ambiguous names (`Intel Graphics`) do not match.
fn of_marketing_name(name: &str) -> Option<&'static ProductConfig> {
    let name = name.strip_prefix("intel").unwrap_or(name);
    let mut found = devices().filter(|(_, _, marketing)| {
        let whole = plain(marketing);
        let short = whole.strip_suffix("graphics").unwrap_or(&whole);
        let short = short.strip_suffix("gpu").unwrap_or(short);
        // The number alone, as in common usage: B580, Flex 170, Max 1100.
        let number = ["arcpro", "arc", "datacentergpu"]
            .iter()
            .find_map(|brand| short.strip_prefix(brand));
        !short.is_empty() && [whole.as_str(), short].contains(&name) || number == Some(name)
    });
    let (_, first, _) = found.next()?;
    let is_only = found.all(|(_, other, _)| other == first);
    is_only.then(|| configuration(first)).flatten()
}

/// The distinct marketing names of a product configuration.
pub fn marketing_names(config: &ProductConfig) -> Vec<&'static str> {
    let mut names: Vec<&str> = devices()
        .filter(|(_, name, marketing)| *name == config.name && !marketing.is_empty())
        .map(|(_, _, marketing)| marketing)
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
        ] {
            assert_eq!(Device::named(name), None, "{name}");
        }
        let bmg = CONFIGS.iter().find(|c| c.name == "BMG_G21_A0").unwrap();
        assert!(marketing_names(bmg).contains(&"Arc B580 Graphics"));
    }
}
