//! Branches.

use super::decode::{Fatal, Read, WordContext, low32};
use super::encoding::Kind;
use super::instruction::{Operand, OperandKind, Region};
use super::operands::SOURCES;
use super::tables::{Field, Meaning, Op};

impl WordContext<'_> {
    /// Decodes a branch of Xe and later.
    pub fn branch(&mut self) -> Read<()> {
        self.prefix(false)?;
        if self.opcode.kind == Kind::JumpUnaryCallRegimm {
            let kind = self.destination_register(None)?;
            self.set_destination(kind, false, Region::Hidden, None);
            if let Some(destination) = &mut self.instruction.destination {
                destination.shows_type = false;
            }
        }
        let [fields, ..] = &SOURCES;
        let file = self.meaning(fields.file)?;
        if file == Some(Meaning::IMM) {
            self.label(Field::JIP, 0)?;
        } else {
            let (name, number, byte) = self.source_register(fields)?;
            let sub = self.subregister(byte, name, Some(Meaning::d));
            let source = Operand {
                kind: OperandKind::Register {
                    name,
                    number,
                    sub,
                    shows_sub: true,
                },
                shows_type: false,
                bits: self.take_bits(),
                ..Operand::NONE
            };
            self.push(source);
        }
        let pair = matches!(self.op(), Op::Brc | Op::Brd) && file == Some(Meaning::GRF);
        let binary = matches!(
            self.opcode.kind,
            Kind::JumpBinaryBrc | Kind::JumpBinaryImmImm
        );
        if binary && !pair {
            self.label(Field::UIP, 0)?;
            // The assembler reads the field even so, and a word without it is illegal, but prints
            // one operand.
            if self.op() == Op::Brc && file != Some(Meaning::IMM) {
                self.instruction.source_count = 1;
            }
        }
        Ok(())
    }

    /// Decodes a branch target, in bytes from the instruction.
    fn label(&mut self, field: Field, add: i32) -> Read<()> {
        let target = low32(self.number(field)?).cast_signed();
        let source = Operand {
            kind: OperandKind::Label(target.wrapping_add(add)),
            shows_type: false,
            bits: self.take_bits(),
            ..Operand::NONE
        };
        self.push(source);
        Ok(())
    }

    /// Decodes a branch before Xe: the fields have types, and the target of calls is source 1.
    pub fn branch_before_xe(&mut self) -> Read<()> {
        if self.align16()? {
            self.errors = true;
            return Err(Fatal);
        }
        self.prefix(false)?;
        let [first, second, _] = &SOURCES;
        match self.op() {
            Op::Jmpi => {
                if self.meaning(second.file)? == Some(Meaning::IMM) {
                    // `jmpi` counts from the next instruction; the text has the distance from this
                    // one.
                    let length = i32::from(self.instruction.length);
                    self.label(Field::JIP, length)?;
                    self.label_type(second.data_type)?;
                } else {
                    let source = self.source(second, 1, 0)?;
                    self.push(source);
                }
            }
            Op::Ret => {
                let source = self.source(first, 0, 0)?;
                self.push(source);
            }
            Op::Call | Op::Calla => {
                self.destination()?;
                let file = self.meaning(second.file)?;
                if file == Some(Meaning::IMM) {
                    self.label(Field::JIP, 0)?;
                    self.label_type(second.data_type)?;
                } else {
                    let source = self.source(second, 1, 0)?;
                    self.push(source);
                }
            }
            Op::Brc | Op::Brd => {
                if self.meaning(first.file)? == Some(Meaning::IMM) {
                    self.label(Field::JIP, 0)?;
                    self.label_type(first.data_type)?;
                    if self.op() == Op::Brc {
                        self.label(Field::UIP, 0)?;
                        self.label_type(first.data_type)?;
                    }
                } else {
                    let source = self.source(first, 0, 0)?;
                    self.push(source);
                }
            }
            _ => {
                self.label(Field::JIP, 0)?;
                if self.opcode.kind != Kind::JumpUnaryImm {
                    self.label(Field::UIP, 0)?;
                }
            }
        }
        Ok(())
    }

    /// Sets the type of the last source, a label; `:d` is hidden.
    fn label_type(&mut self, field: Field) -> Read<()> {
        let data_type = self.meaning(field)?;
        let bits = self.take_bits();
        let last = self.instruction.source_count.wrapping_sub(1);
        if let Some(source) = self.instruction.sources.get_mut(last) {
            source.data_type = data_type;
            source.shows_type = data_type != Some(Meaning::d);
            source.bits |= bits;
        }
        Ok(())
    }
}
