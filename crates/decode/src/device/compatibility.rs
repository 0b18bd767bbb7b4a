//! Product configurations whose code the driver also accepts on other devices.

use super::{Device, ProductFamily};

/// A release of the driver: year and week.
type Week = (u16, u16);

/// The configuration of the code, a configuration that also runs it, and the first release of the
/// driver that accepts it. One direction only: code for the second does not run on the first.
/// compute-runtime, platforms.h, compatibilityMapping, in the tags of its releases.
const COMPATIBLE: &[(u32, u32, Week)] = &[
    (0x030d_c008, 0x030e_0005, (24, 26)),
    (0x030d_c008, 0x030e_4000, (24, 26)),
    (0x0311_8004, 0x0311_c004, (24, 26)),
    (0x0500_4000, 0x0500_8000, (25, 27)),
    (0x0500_4000, 0x0501_0004, (24, 48)),
    (0x0500_4001, 0x0500_4000, (24, 48)),
    (0x0500_4001, 0x0500_8000, (25, 27)),
    (0x0500_4001, 0x0501_0004, (24, 48)),
    (0x0500_4004, 0x0500_4000, (24, 48)),
    (0x0500_4004, 0x0500_8000, (25, 27)),
    (0x0500_4004, 0x0501_0004, (24, 48)),
    (0x0780_0004, 0x0780_4000, (25, 18)),
    (0x0780_0004, 0x0780_c001, (26, 5)),
    (0x0780_0004, 0x0781_0004, (26, 5)),
    (0x0780_0004, 0x0781_4004, (26, 14)),
];

/// The first release that tries the names of compatible products in archives.
/// product_config_helper.cpp, getCompatibilityFallbackProductAbbreviations.
const FALLBACKS_SINCE: Week = (25, 44);

impl Device {
    /// The other devices on which the driver accepts code for this one, since the given releases.
    pub fn compatible(&self) -> impl Iterator<Item = (Device, Week)> + use<> {
        let value = self.config.0;
        let own = COMPATIBLE.iter().filter(move |(from, ..)| *from == value);
        own.map(|(_, to, since)| (Device::of_config(*to), *since))
    }

    /// Returns whether a release of the driver accepts code for a product configuration on this
    /// device because the two are compatible.
    pub fn accepts_code_for(&self, config: u32, release: Week) -> bool {
        let mut all = Device::of_config(config).compatible();
        all.any(|(device, since)| device.config == self.config && since <= release)
    }

    /// The abbreviations that the driver tries in names of archive members after the device's own.
    /// The driver looks them up by its own abbreviation, so all devices of a product have the same:
    /// those of the code that the product's first name (in alphabetical order) accepts, each by the
    /// first name of its configuration.
    pub fn fallback_abbreviations(&self, release: Week) -> &'static [&'static str] {
        match self.product {
            _ if release < FALLBACKS_SINCE => &[],
            ProductFamily::IGFX_LUNARLAKE => &["bmg"],
            ProductFamily::IGFX_METEORLAKE => &["arl"],
            _ => &[],
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::CONFIGS;

    const NEWEST: Week = (26, 27);

    fn names(name: &str) -> Vec<String> {
        let all = Device::named(name).unwrap().compatible();
        all.map(|(device, _)| device.name()).collect()
    }

    #[test]
    fn code_runs_on_compatible_devices() {
        assert_eq!(names("acm-g10"), ["acm-g11", "acm-g12"]);
        assert_eq!(names("mtl-u"), ["mtl-h"]);
        assert_eq!(names("bmg-g21"), ["bmg-g31", "lnl-m"]);
        assert_eq!(names("20.1.4"), ["bmg-g21", "bmg-g31", "lnl-m"]);
        assert_eq!(names("ptl-h"), ["ptl-u", "wcl", "nvl-s", "nvl-u"]);
        for name in [
            "acm-g11", "mtl-h", "bmg-g31", "lnl-m", "ptl-u", "pvc", "cri",
        ] {
            assert!(names(name).is_empty(), "{name}");
        }
    }

    #[test]
    fn compatibility_has_a_direction_and_a_first_release() {
        let device = |name| Device::named(name).unwrap();
        let (bmg, big, lnl) = (device("bmg-g21"), device("bmg-g31"), device("lnl-m"));
        assert!(big.accepts_code_for(bmg.config.0, NEWEST));
        assert!(!bmg.accepts_code_for(big.config.0, NEWEST));
        assert!(!big.accepts_code_for(bmg.config.0, (25, 18)));
        assert!(lnl.accepts_code_for(bmg.config.0, (25, 18)));
        assert!(!lnl.accepts_code_for(bmg.config.0, (24, 45)));
    }

    /// The same result as the driver's search: the first name of the product in alphabetical order,
    /// the configurations that it accepts, and the first name of each.
    #[test]
    fn fallback_abbreviations_follow_from_the_names() {
        let mut acronyms: Vec<(&str, u32)> = Vec::new();
        for config in CONFIGS {
            // Names with a stepping are in another table of the driver.
            let is_plain = |name: &&&str| {
                !config
                    .name
                    .to_ascii_lowercase()
                    .replace('_', "-")
                    .eq(**name)
            };
            // So are abbreviations of products, except where they are names of a configuration.
            let own = Device::of_config(config.value).abbreviation();
            let names = config.devices.iter().filter(is_plain);
            let names = names.filter(|name| **name == "bmg" || Some(**name) != own);
            acronyms.extend(names.map(|name| (*name, config.value)));
        }
        acronyms.sort_unstable();
        for device in Device::usual() {
            let Some(own) = device.abbreviation() else {
                continue;
            };
            let dashed = format!("{own}-");
            let first = acronyms
                .iter()
                .find(|(name, _)| *name == own || name.starts_with(&dashed));
            let mut expected: Vec<&str> = Vec::new();
            for (from, to, _) in COMPATIBLE {
                if first.is_some_and(|(_, config)| config == to)
                    && let Some((name, _)) = acronyms.iter().find(|(_, config)| config == from)
                    && let Some(cut) = name.split('-').next()
                    && !expected.contains(&cut)
                {
                    expected.push(cut);
                }
            }
            assert_eq!(
                device.fallback_abbreviations(NEWEST),
                expected,
                "{}",
                device.name()
            );
        }
    }
}
