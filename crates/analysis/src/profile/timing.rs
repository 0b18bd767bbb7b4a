//! Device times and properties of kernels: reading rows, and the figures for tables.

use super::fields::Field;
use super::layout::{Property, TimeColumns};
use super::{DeviceTimes, RunProperties};

/// The name of the column that says how a kernel was compiled.
pub const COMPILED: &str = "Compiled";

/// The names of the columns of device times and properties, in the order of tables. All but [`COMPILED`]
/// are numbers.
pub const TIMING_COLUMNS: [&str; 12] = [
    "Calls",
    "DeviceTime[ns]",
    "DeviceTime[%]",
    "AverageTime[ns]",
    "MinTime[ns]",
    "MaxTime[ns]",
    COMPILED,
    "RunSIMD",
    "RunSpill[B/thread]",
    "RunPrivate[B/thread]",
    "RunSLM[B/group]",
    "RunRegisters",
];

/// A field, and why it cannot be read.
pub(super) type BadField<'a> = (&'a Field<'a>, String);

/// Reads the times of a row.
pub(super) fn times<'a>(
    columns: TimeColumns,
    fields: &'a [Field<'a>],
) -> Result<DeviceTimes, BadField<'a>> {
    let number = |column: usize| {
        let field = fields.get(column);
        let Some(field) = field else { return Ok(0) };
        let number = field.text().and_then(|text| text.parse().ok());
        number.ok_or_else(|| (field, format!("{} is not a number", field.shown())))
    };
    let (calls, total) = (number(columns.calls)?, number(columns.total)?);
    Ok(DeviceTimes {
        calls,
        total,
        minimum: columns.minimum.map_or(Ok(0), number)?,
        maximum: columns.maximum.map_or(Ok(total), number)?,
    })
}

/// Reads the properties of a row, whose first field is the name.
pub(super) fn properties<'a>(
    columns: &[Option<Property>],
    fields: &'a [Field<'a>],
) -> Result<RunProperties, BadField<'a>> {
    let mut found = RunProperties::default();
    let values = fields.iter().skip(1);
    for (field, property) in values.zip(columns) {
        let Some(property) = property else { continue };
        let text = field.text().unwrap_or_default();
        let bad = || {
            (
                field,
                format!("{} is no value of the property", field.shown()),
            )
        };
        let number = || match text {
            "unknown" => Ok(None),
            text => text.parse().map(Some).map_err(|_| bad()),
        };
        match property {
            Property::Compiled => {
                found.is_aot = match text {
                    "AOT" => Some(true),
                    "JIT" => Some(false),
                    _ => return Err(bad()),
                };
            }
            Property::Simd if text == "ANY" => found.simd = Some(1),
            Property::Simd => found.simd = number()?,
            Property::Arguments => found.arguments = number()?,
            Property::Slm => found.slm = number()?,
            Property::Private => found.private = number()?,
            Property::Spill => found.spill = number()?,
            Property::Registers => found.registers = number()?,
        }
    }
    Ok(found)
}

/// Returns the number of the tile in front of a name, and the name: `Tile #1: "f"`.
pub(super) fn tile(name: &str) -> (Option<u32>, &str) {
    let parts = name
        .strip_prefix("Tile #")
        .and_then(|rest| rest.split_once(": "));
    let found = parts.and_then(|(tile, name)| Some((tile.parse().ok()?, name)));
    match found {
        Some((tile, name)) => {
            let inner = name
                .strip_prefix('"')
                .and_then(|name| name.strip_suffix('"'));
            (Some(tile), inner.unwrap_or(name))
        }
        None => (None, name),
    }
}

/// Returns whether a name is that of a command of the driver: a copy or a fill.
pub(super) fn is_command(name: &str) -> bool {
    name.starts_with("zeCommandList") || name.starts_with("clEnqueue")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_tile() {
        assert_eq!(tile("Tile #1: \"f(int, int)\""), (Some(1), "f(int, int)"));
        assert_eq!(tile("Tile #0: f"), (Some(0), "f"));
        assert_eq!(tile("Tile #x: f"), (None, "Tile #x: f"));
        assert_eq!(tile("f"), (None, "f"));
    }
}
