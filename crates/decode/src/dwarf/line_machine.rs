//! The state machine of line programs.

use super::line_header::LineProgramHeader;

/// The state machine. DWARF 5, 6.2.2.
#[derive(Debug, Clone, Copy)]
pub(super) struct Machine {
    /// The offset of the next opcode.
    pub(super) at: usize,
    pub(super) address: u64,
    pub(super) operation: u64,
    pub(super) file: u64,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) discriminator: u64,
    /// The index of the code section, if a relocation names it.
    pub(super) text: Option<u64>,
    /// Whether the linker has removed the code: nothing advances.
    pub(super) gone: bool,
}

/// A row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    pub(super) address: u64,
    pub(super) file: u64,
    pub(super) line: u64,
    pub(super) column: u64,
    pub(super) discriminator: u64,
    /// Whether it ends a sequence.
    pub(super) end: bool,
    pub(super) text: Option<u64>,
    pub(super) gone: bool,
}

impl Machine {
    /// Returns the state at the first opcode of a sequence.
    pub(super) fn new(at: usize) -> Machine {
        Machine {
            at,
            address: 0,
            operation: 0,
            file: 1,
            line: 1,
            column: 0,
            discriminator: 0,
            text: None,
            gone: false,
        }
    }

    /// Adds a row; the discriminator is only for it.
    pub(super) fn row(&mut self, end: bool) -> Row {
        let discriminator = std::mem::take(&mut self.discriminator);
        Row {
            discriminator,
            address: self.address,
            file: self.file,
            line: self.line,
            column: self.column,
            end,
            text: self.text,
            gone: self.gone,
        }
    }

    pub(super) fn advance_line(&mut self, by: i64) {
        self.line = if by < 0 {
            self.line.saturating_sub(by.unsigned_abs())
        } else {
            self.line.wrapping_add(by.unsigned_abs())
        };
    }

    /// Returns `None` if the address overflows.
    pub(super) fn advance(&mut self, head: &LineProgramHeader, by: u64) -> Option<()> {
        let unit = u64::from(head.minimum);
        if head.operations == 1 {
            return self.add(head, unit.wrapping_mul(by));
        }
        let per_instruction = u64::from(head.operations).max(1);
        let operation = self.operation.wrapping_add(by);
        self.add(head, unit.wrapping_mul(operation / per_instruction))?;
        if !self.gone {
            self.operation = operation % per_instruction;
        }
        Some(())
    }

    pub(super) fn add(&mut self, head: &LineProgramHeader, by: u64) -> Option<()> {
        if !self.gone {
            let sum = self.address.checked_add(by)?;
            self.address = Some(sum).filter(|sum| *sum <= head.address_mask())?;
        }
        Some(())
    }
}
