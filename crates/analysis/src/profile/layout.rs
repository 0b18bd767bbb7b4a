//! The tables of profiles, by their headers.

/// The table that a header begins.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Layout {
    /// Stall samples; `ids` is 1 if name and offset are one field (`kernel!0x1b8`), otherwise 2.
    Stalls { ids: usize },
    /// Metrics of kernels.
    Metrics(MetricIds),
    /// Device times of kernels, and the columns of the figures.
    Times(TimeColumns),
    /// Properties of kernels: of each column after the name, the property, or `None` if it is unknown.
    Properties(Vec<Option<Property>>),
    /// A known table of other figures, which is not read.
    Other,
}

/// The columns that identify a row of metrics. Each is an index after the name of the kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct MetricIds {
    /// Number of columns before the metrics, with the name of the kernel.
    pub count: usize,
    /// The column of the run.
    pub instance: Option<usize>,
    /// The column of the device.
    pub device: Option<usize>,
}

/// The columns of device times.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct TimeColumns {
    pub calls: usize,
    pub total: usize,
    pub minimum: Option<usize>,
    pub maximum: Option<usize>,
}

/// A property of a kernel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Property {
    Compiled,
    Simd,
    Arguments,
    Slm,
    Private,
    Spill,
    Registers,
}

/// The properties by the names of their columns.
const PROPERTIES: [(&str, Property); 7] = [
    ("Compiled", Property::Compiled),
    ("SIMD", Property::Simd),
    ("Number of Arguments", Property::Arguments),
    ("SLM Per Work Group", Property::Slm),
    ("Private Memory Per Thread", Property::Private),
    ("Spill Memory Per Thread", Property::Spill),
    ("Register File Size Per Thread", Property::Registers),
];

/// Returns whether a line with this first field is a header, unless the names of kernels are such
/// words.
pub(super) fn is_header(first: &[u8], second: Option<&[u8]>) -> bool {
    let is_first = matches!(
        first,
        b"Kernel" | b"IP" | b"IP[Address]" | b"Function" | b"SubDeviceId"
    );
    is_first && second.is_some()
}

/// Returns the table that a header begins, or `None` if it is unknown.
pub(super) fn of(names: &[&str]) -> Option<Layout> {
    let is_ip = |name: &str| name == "IP" || name.starts_with("IP[");
    match names {
        ["Kernel", ip, types @ ..] if is_ip(ip) => {
            (!types.is_empty()).then_some(Layout::Stalls { ids: 2 })
        }
        [ip, types @ ..] if is_ip(ip) => (!types.is_empty()).then_some(Layout::Stalls { ids: 1 }),
        ["Function" | "SubDeviceId", ..] => Some(Layout::Other),
        ["Kernel", "Calls", figures @ ..] => times(figures),
        ["Kernel", first, ..] if PROPERTIES.iter().any(|(name, _)| name == first) => {
            let columns = names.iter().skip(1);
            let property = |name: &&str| {
                let found = PROPERTIES.iter().find(|(known, _)| known == name);
                found.map(|(_, property)| *property)
            };
            Some(Layout::Properties(columns.map(property).collect()))
        }
        ["Kernel", columns @ ..] => metrics(columns),
        _ => None,
    }
}

fn times(figures: &[&str]) -> Option<Layout> {
    // After the name and the number of calls.
    let column = |name: &str| {
        let found = figures.iter().position(|known| *known == name);
        found.map(|at| at + 2)
    };
    if let Some(total) = column("Time (ns)") {
        return Some(Layout::Times(TimeColumns {
            calls: 1,
            total,
            minimum: column("Min (ns)"),
            maximum: column("Max (ns)"),
        }));
    }
    // The time from the call to the device (`--device-timeline`, `-s`).
    let is_submission = column("Execute (ns)").is_some();
    is_submission.then_some(Layout::Other)
}

fn metrics(columns: &[&str]) -> Option<Layout> {
    let is_id = |name: &&&str| matches!(**name, "GlobalInstanceId" | "Device" | "SubDeviceId");
    let ids = columns.iter().take_while(is_id).count();
    let (before, metrics) = columns.split_at_checked(ids)?;
    let place = |name: &str| Some(before.iter().position(|known| *known == name)? + 1);
    let found = MetricIds {
        count: ids + 1,
        instance: place("GlobalInstanceId"),
        device: place("Device"),
    };
    // Without an id, a unit tells metrics from any other table.
    let is_metric = |name: &&str| ids > 0 || name.ends_with(']');
    (!metrics.is_empty() && metrics.iter().any(is_metric)).then_some(Layout::Metrics(found))
}
