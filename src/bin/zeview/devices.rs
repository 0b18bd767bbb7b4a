//! `zeview devices`: prints the devices with all their names and properties.

use std::io;
use std::process::ExitCode;

use clap::Args;
use zeview::decode::device::Device;
use zeview::decode::device::described::{DescribedDevice, all};
use zeview::tables::table::{ColumnHeader, Table};

use crate::argument::known_device;
use crate::output::{self, print_fitted};
use crate::rows::print_objects;

#[derive(Args)]
pub struct Options {
    /// Print only this device, by any of its names.
    #[arg(value_name = "NAME", value_parser = known_device)]
    name: Option<String>,
    /// Print a JSON array with one object per device: schema, name, product, configuration,
    /// configuration_number, release, names, code_names, sycl (names of the architecture),
    /// sycl_number, marketing, pci_ids, fp64, fp64_emulation, images, sub_group_sizes,
    /// work_group_size, local_memory, threads_per_eu, registers, register_size, runs_code_of.
    #[arg(long)]
    json: bool,
}

pub fn run(options: &Options) -> io::Result<ExitCode> {
    let named = options.name.as_deref().and_then(Device::named);
    let is_wanted = |device: &DescribedDevice| match named {
        // A stepping is the same device.
        Some(named) => named.config.0 >> 14 == device.configuration_number >> 14,
        None => true,
    };
    let devices: Vec<DescribedDevice> = all().into_iter().filter(is_wanted).collect();
    if devices.is_empty() {
        let name = options.name.as_deref().unwrap_or_default();
        output::complain!("the driver does not support {name}");
        return Ok(ExitCode::from(2));
    }
    if options.json {
        print_objects(&devices)?;
        return Ok(ExitCode::SUCCESS);
    }
    let mut out = output::text();
    let mut table = Table::new(HEADS.iter().map(|head| ColumnHeader::text(head)).collect());
    for device in &devices {
        table.rows.push(cells(device));
    }
    print_fitted(&mut table, &mut out)?;
    Ok(ExitCode::SUCCESS)
}

/// The columns of the table.
pub const HEADS: [&str; 11] = [
    "Device",
    "Product",
    "Config",
    "Release",
    "fp64",
    "Sub-groups",
    "Registers",
    "Bytes",
    "Runs code of",
    "Names",
    "Sold as",
];

/// The row of a device.
pub fn cells(device: &DescribedDevice) -> [String; 11] {
    let numbers = |list: &[u32]| {
        let list: Vec<String> = list.iter().map(u32::to_string).collect();
        list.join(", ")
    };
    let fp64 = match (device.fp64, device.fp64_emulation) {
        (true, _) => "yes",
        (false, true) => "emulated",
        (false, false) => "no",
    };
    [
        device.name.to_owned(),
        device.product.to_owned(),
        device.configuration.clone(),
        device.release.clone(),
        fp64.to_owned(),
        numbers(device.sub_group_sizes),
        numbers(device.registers),
        device.register_size.to_string(),
        device.runs_code_of.join(", "),
        names(device).join(", "),
        device.marketing.join(", "),
    ]
}

/// All names but the usual one and the marketing names.
fn names(device: &DescribedDevice) -> Vec<String> {
    let own = device.names.iter().skip(1).chain(&device.code_names);
    let own = own.map(|name| (*name).to_owned());
    let numbers = [
        format!("{:#010x}", device.configuration_number),
        device.sycl_number.to_string(),
    ];
    own.chain(device.sycl.clone()).chain(numbers).collect()
}

#[cfg(test)]
mod tests {
    use std::fmt::Write;
    use std::fs;

    use super::*;

    const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/src/reference/devices.md");

    fn page() -> String {
        let mut out = "<!-- Generated; see src/bin/zeview/devices.rs. -->\n\n\
                       # Devices\n\n\
                       `zeview devices` prints this table, `zeview devices --json` also the PCI ids and the sizes of \
                       memory and work-groups. Every name in it is accepted by `--device`; a marketing name that \
                       belongs to several devices, such as UHD Graphics, is not. *Runs code of*: the driver loads code \
                       that was built for these devices, too. *fp64*: 64-bit floating-point arithmetic; *emulated* \
                       means by the compiler, if an option asks for it. Properties are those that release 26.27 of \
                       the driver states.\n\n"
            .to_owned();
        writeln!(out, "| {} |", HEADS.join(" | ")).unwrap();
        writeln!(out, "|{}", "---|".repeat(HEADS.len())).unwrap();
        for device in all() {
            let mut cells = cells(&device);
            for at in [0, 8, 9] {
                let words = cells[at].split(", ").filter(|word| !word.is_empty());
                let words: Vec<String> = words.map(|word| format!("`{word}`")).collect();
                cells[at] = words.join(", ");
            }
            writeln!(out, "| {} |", cells.join(" | ")).unwrap();
        }
        out
    }

    #[test]
    fn reference_of_devices_is_current() {
        let expected = page();
        if std::env::var_os("BLESS").is_some() {
            fs::write(FILE, &expected).expect("the documentation is writable");
        }
        let current = fs::read_to_string(FILE).expect("the reference exists");
        assert!(
            current == expected,
            "{FILE} is stale: run BLESS=1 cargo test --all-features --bin zeview reference"
        );
    }

    #[test]
    fn reference_names_are_accepted() {
        let text = fs::read_to_string(FILE).expect("the reference exists");
        let rows = text.lines().filter(|line| line.starts_with("| `"));
        let mut count = 0;
        for row in rows {
            let cells: Vec<&str> = row.split('|').map(str::trim).collect();
            let device = Device::named(cells[1].trim_matches('`')).expect("a device");
            let others = cells[10].split(", ").map(|name| name.trim_matches('`'));
            for name in others.chain([cells[3]]) {
                assert_eq!(Device::named(name), Some(device), "{name}");
                count += 1;
            }
        }
        assert!(count > 150, "{count} names");
    }
}
