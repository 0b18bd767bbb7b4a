//! `--fail-if` of `zeview kernels` and `zeview diff`: conditions that no kernel may meet.

pub use zeview::tables::gate::{Condition, Damage, Gate};

use zeview::tables::gate::Outcome;

use crate::output::{self, complain};

/// Reads a condition of `zeview kernels`.
pub fn condition(text: &str) -> Result<Condition, String> {
    Condition::parse(text)
}

/// Reads a condition of `zeview diff`, which may compare with the first file.
pub fn change(text: &str) -> Result<Condition, String> {
    Condition::parse_change(text)
}

/// Prints the new messages of a gate.
pub fn report(gate: &mut Gate<'_>) {
    for message in gate.take_messages() {
        complain!("{message}");
    }
}

/// Prints the last messages of a gate and returns the exit status. `is_unread`: some file could not be
/// read. A failure is certain, whatever else is unknown.
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
