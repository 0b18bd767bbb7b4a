//! Operands of operations with three and five sources.

use super::decode::{Fatal, Read, WordContext};
use super::instruction::{Operand, OperandKind, Region};
use super::operands::{SOURCES, SourceFields, bits};
use super::tables::{Field, Meaning, Op};

impl WordContext<'_> {
    pub fn ternary(&mut self) -> Read<()> {
        self.prefix(false)?;
        if self.align16()? {
            return self.ternary_align16();
        }
        // Gen9 has no ternary Align1. The assembler prints placeholders.
        if self.rank < 11 {
            self.errors = true;
            self.instruction.destination = Some(Operand {
                region: if self.is_macro() {
                    Region::Hidden
                } else {
                    Region::Invalid
                },
                ..Operand::NONE
            });
            for _ in 0..3 {
                self.push(Operand::NONE);
            }
            return Ok(());
        }
        let saturate = self.saturation()?;
        let data_type = self.meaning(Field::DstDataType)?;
        let mut kind = self.destination_register(data_type)?;
        let dpas = matches!(self.op(), Op::Dpas | Op::Dpasw);
        let mut region = Region::Hidden;
        if self.is_macro() {
            let extra = self.meaning(Field::DstMathMacroExt)?;
            kind = Self::macro_of(kind, extra);
        } else if !dpas {
            region = Region::Horizontal(self.horizontal_stride(Field::DstHorzStride)?);
        }
        self.set_destination(kind, saturate, region, data_type);
        for (at, fields) in SOURCES.iter().enumerate() {
            let source = if dpas {
                self.source_dpas(fields, at)?
            } else {
                self.source_ternary(fields, at)?
            };
            self.push(source);
        }
        Ok(())
    }

    fn source_dpas(&mut self, fields: &SourceFields, at: usize) -> Read<Operand> {
        let file = self.meaning(fields.file)?;
        if file != Some(Meaning::GRF) && !(at == 0 && file == Some(Meaning::ARF)) {
            return Err(Fatal);
        }
        let (name, number, byte) = self.source_register(fields)?;
        if file == Some(Meaning::ARF) && !name.is_null() {
            return Err(Fatal);
        }
        let mut data_type = self.meaning(fields.data_type)?;
        let precision = match at {
            0 => None,
            1 => Some(Field::Src1Precision),
            _ => Some(Field::Src2Precision),
        };
        if let Some(precision) = precision {
            data_type = self.meaning(precision)?.and_then(precision_type);
        }
        let modifier = self.modifier(fields)?;
        let sub = self.subregister(byte, name, data_type);
        Ok(Operand {
            kind: OperandKind::Register {
                name,
                number,
                sub,
                shows_sub: at == 2,
            },
            modifier,
            data_type,
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }

    fn source_ternary(&mut self, fields: &SourceFields, at: usize) -> Read<Operand> {
        match self.meaning(fields.file)? {
            Some(Meaning::IMM) => {
                return match at {
                    0 => self.immediate(fields.data_type, Field::Src0TernaryImm),
                    2 => self.immediate(fields.data_type, Field::Src2TernaryImm),
                    _ => {
                        self.errors = true;
                        let data_type = self.meaning(fields.data_type)?;
                        Ok(Operand {
                            kind: OperandKind::Immediate(0),
                            data_type,
                            bits: self.take_bits(),
                            ..Operand::NONE
                        })
                    }
                };
            }
            Some(Meaning::ARF | Meaning::GRF) => {}
            _ => return Err(Fatal),
        }
        let mut region = Region::Hidden;
        let reduced = self.rank >= 43 && at == 1;
        if !self.is_macro() && !reduced {
            let vertical = match at {
                2 => None,
                _ => Some(self.stride(fields.vertical, bits(&[0, 1, 2, 4, 8, 16, 32]))?),
            };
            let horizontal = self.horizontal_stride(fields.horizontal)?;
            region = match vertical {
                Some(vertical) => Region::Ternary(vertical, horizontal),
                None => Region::Horizontal(horizontal),
            };
        }
        let (name, number, byte) = self.source_register(fields)?;
        let data_type = self.meaning(fields.data_type)?;
        let modifier = self.modifier(fields)?;
        let kind = if self.is_macro() {
            OperandKind::Macro {
                name,
                number,
                extra: self.meaning(fields.extra)?,
            }
        } else {
            OperandKind::Register {
                name,
                number,
                sub: self.subregister(byte, name, Some(data_type.unwrap_or(Meaning::ub))),
                shows_sub: true,
            }
        };
        if !self.is_macro() && reduced {
            region = match self.reduced_stride(data_type)? {
                None => Region::Ternary(Some(0), Some(0)),
                Some(Some(1)) => Region::Ternary(Some(1), Some(0)),
                Some(Some(2)) => Region::Ternary(Some(4), Some(2)),
                Some(Some(4)) => Region::Ternary(Some(8), Some(4)),
                _ => Region::Invalid,
            };
        }
        Ok(Operand {
            kind,
            modifier,
            region,
            data_type,
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }

    /// Decodes `bdpas`: three matrices and two of scales.
    pub fn quinary(&mut self) -> Read<()> {
        self.prefix(false)?;
        let data_type = self.meaning(Field::DstDataType)?;
        let kind = self.destination_register(data_type)?;
        self.set_destination(kind, false, Region::Hidden, data_type);
        for (at, fields) in SOURCES.iter().enumerate() {
            let number = self.small(fields.number)?;
            let file = self.meaning(fields.file)?;
            let (name, number) = self.register(file, number);
            let mut sub = 0;
            let data_type = match at {
                0 => self.meaning(fields.data_type)?,
                1 => self.meaning(Field::Src1Precision)?.and_then(precision_type),
                _ => self.meaning(Field::Src2Precision)?.and_then(precision_type),
            };
            if at == 0 {
                let byte = self.small(fields.sub)?;
                sub = self.subregister(byte, name, data_type);
            }
            let source = Operand {
                kind: OperandKind::Register {
                    name,
                    number,
                    sub,
                    shows_sub: at == 2,
                },
                data_type,
                bits: self.take_bits(),
                ..Operand::NONE
            };
            self.push(source);
        }
        for (file, number, sub) in [
            (Field::Src3RegFile, Field::Src3RegNum, Field::Src3SubRegNum),
            (Field::Src4RegFile, Field::Src4RegNum, Field::Src4SubRegNum),
        ] {
            let number = self.small(number)?;
            let file = self.meaning(file)?;
            let (name, number) = self.register(file, number);
            let sub = self.small(sub)?;
            let data_type = self.meaning(Field::Src3Src4DataType)?;
            let source = Operand {
                kind: OperandKind::Register {
                    name,
                    number,
                    sub,
                    shows_sub: true,
                },
                data_type: (data_type == Some(Meaning::UB)).then_some(Meaning::ub),
                bits: self.take_bits(),
                ..Operand::NONE
            };
            self.push(source);
        }
        Ok(())
    }
}

/// Returns the type for a precision of `dpas`.
fn precision_type(precision: Meaning) -> Option<Meaning> {
    Some(match precision {
        Meaning::u8 => Meaning::ub,
        Meaning::s8 => Meaning::b,
        Meaning::f16 => Meaning::hf,
        Meaning::bf16 => Meaning::bf,
        Meaning::u1
        | Meaning::u2
        | Meaning::u4
        | Meaning::s2
        | Meaning::s4
        | Meaning::bf8
        | Meaning::tf32
        | Meaning::hf8
        | Meaning::e2m1 => precision,
        _ => return None,
    })
}
