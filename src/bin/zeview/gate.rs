//! `--fail-if` of `zeview kernels` and `zeview diff`: conditions that fail a kernel.

pub use zeview::tables::gate::{Condition, Damage, Gate};

use zeview::tables::gate::Outcome;

use crate::argument::{is_unknown_device, known_device};
use crate::output::{self, complain};

/// Parses a condition of `zeview kernels`.
pub fn condition(text: &str) -> Result<Condition, String> {
    with_known_devices(Condition::parse(text)?)
}

/// Parses a condition of `zeview diff`, which may refer to the first file.
pub fn change(text: &str) -> Result<Condition, String> {
    with_known_devices(Condition::parse_change(text)?)
}

/// Refuses names that no device has: their kernels would pass.
fn with_known_devices(condition: Condition) -> Result<Condition, String> {
    let unknown = condition
        .devices()
        .into_iter()
        .find(|name| is_unknown_device(name));
    match unknown.map(known_device) {
        Some(Err(error)) => Err(error),
        _ => Ok(condition),
    }
}

/// Prints the new messages of a gate.
pub fn report(gate: &mut Gate<'_>) {
    for message in gate.take_messages() {
        complain!("{message}");
    }
}

/// Prints the remaining messages of a gate and returns the exit status. `is_unread` means that a
/// file could not be read; a failed condition takes precedence.
pub fn finish(gate: &mut Gate<'_>, is_unread: bool) -> u8 {
    let fails = gate.outcome() == Outcome::Fails;
    if output::is_reader_gone() && gate.has_conditions() && !fails {
        gate.miss("the output was not read to its end");
    }
    report(gate);
    match gate.outcome().exit_status() {
        0 if is_unread => 2,
        status => status,
    }
}
