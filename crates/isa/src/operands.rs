//! Operands of basic, ternary and quinary operations.

use super::decode::{Fatal, Read, WordContext, low8, low16};
use super::encoding::{Kind, Opcode};
use super::instruction::{Operand, OperandKind, Region, RegisterName, Stride};
use super::parts::math;
use super::tables::{Field, Meaning, Op, SUBREGISTER_SHIFTS};

/// The fields of a source.
pub(super) struct SourceFields {
    pub file: Field,
    pub data_type: Field,
    pub number: Field,
    pub sub: Field,
    pub modifier: Field,
    pub mode: Field,
    pub address_sub: Field,
    pub address_offset: Field,
    pub vertical: Field,
    pub width: Field,
    pub horizontal: Field,
    pub extra: Field,
    pub select: Field,
    pub replicate: Field,
}

/// The fields of sources 0, 1 and 2. The third has no addresses; those of the second are
/// placeholders.
pub(super) static SOURCES: [SourceFields; 3] = [
    SourceFields {
        file: Field::Src0RegFile,
        data_type: Field::Src0DataType,
        number: Field::Src0RegNum,
        sub: Field::Src0SubRegNum,
        modifier: Field::Src0SrcMod,
        mode: Field::Src0AddrMode,
        address_sub: Field::Src0AddrSubRegNum,
        address_offset: Field::Src0AddrImm,
        vertical: Field::Src0VertStride,
        width: Field::Src0Width,
        horizontal: Field::Src0HorzStride,
        extra: Field::Src0MathMacroExt,
        select: Field::Src0ChanSel,
        replicate: Field::Src0RepCtrl,
    },
    SourceFields {
        file: Field::Src1RegFile,
        data_type: Field::Src1DataType,
        number: Field::Src1RegNum,
        sub: Field::Src1SubRegNum,
        modifier: Field::Src1SrcMod,
        mode: Field::Src1AddrMode,
        address_sub: Field::Src1AddrSubRegNum,
        address_offset: Field::Src1AddrImm,
        vertical: Field::Src1VertStride,
        width: Field::Src1Width,
        horizontal: Field::Src1HorzStride,
        extra: Field::Src1MathMacroExt,
        select: Field::Src1ChanSel,
        replicate: Field::Src1RepCtrl,
    },
    SourceFields {
        file: Field::Src2RegFile,
        data_type: Field::Src2DataType,
        number: Field::Src2RegNum,
        sub: Field::Src2SubRegNum,
        modifier: Field::Src2SrcMod,
        mode: Field::Src2AddrMode,
        address_sub: Field::Src1AddrSubRegNum,
        address_offset: Field::Src1AddrImm,
        vertical: Field::Src2VertStride,
        width: Field::Src1Width,
        horizontal: Field::Src2HorzStride,
        extra: Field::Src2MathMacroExt,
        select: Field::Src2ChanSel,
        replicate: Field::Src2RepCtrl,
    },
];

/// Returns the size of a type in bits.
pub(super) fn type_bits(data_type: Meaning) -> Option<u32> {
    Some(match data_type {
        Meaning::u1 => 1,
        Meaning::u2 | Meaning::s2 => 2,
        Meaning::u4 | Meaning::s4 | Meaning::e2m1 => 4,
        Meaning::ub | Meaning::b | Meaning::bf8 | Meaning::hf8 | Meaning::ue5m3 => 8,
        Meaning::uw | Meaning::w | Meaning::hf | Meaning::bf => 16,
        Meaning::ud
        | Meaning::d
        | Meaning::f
        | Meaning::nf
        | Meaning::tf32
        | Meaning::uv
        | Meaning::v
        | Meaning::vf => 32,
        Meaning::uq | Meaning::q | Meaning::df => 64,
        _ => return None,
    })
}

impl WordContext<'_> {
    /// Returns a register by file and number. Records an error for an unknown one and continues.
    pub fn register(&mut self, file: Option<Meaning>, number: u16) -> (RegisterName, u16) {
        match file {
            Some(Meaning::GRF) => (RegisterName::General, number),
            Some(Meaning::ARF) => {
                let [number, _] = number.to_le_bytes();
                let (high, low) = (number >> 4, number & 0xf);
                let mut all = self.encoding.registers.iter().filter(|r| r.high == high);
                let fits = |r: &super::encoding::Register| {
                    let at = low.wrapping_sub(r.base);
                    at < r.count.max(1)
                };
                let first = all.next();
                // `acc` and `mme` share the upper bits. The assembler prefers the first one if
                // neither fits.
                let register = match (first, all.next()) {
                    (Some(first), Some(second)) if !fits(first) && fits(second) => Some(second),
                    _ => first,
                };
                let Some(register) = register else {
                    self.errors = true;
                    return (RegisterName::Unknown, 0);
                };
                self.errors |= !fits(register);
                let at = u16::from(low).wrapping_sub(register.base.into());
                (RegisterName::Architecture(register), at)
            }
            _ => {
                self.errors = true;
                (RegisterName::Unknown, 0)
            }
        }
    }

    /// Returns the number of a subregister from its byte offset.
    pub fn subregister(&self, byte: u16, name: RegisterName, data_type: Option<Meaning>) -> u16 {
        // Since Xe-HPC, the offset has one more bit at its lower end, which only scaled registers
        // use.
        let unscaled = if self.rank >= 24 { byte >> 1 } else { byte };
        if matches!(name, RegisterName::Architecture(r) if !r.scaled) {
            return unscaled;
        }
        let Some(data_type) = data_type else {
            return unscaled;
        };
        match SUBREGISTER_SHIFTS.get(data_type as usize) {
            Some(Some((left, right))) => ((byte << left) >> right) & 0xff,
            _ => byte,
        }
    }

    /// Returns the type that scales the subregister of an operand without a type.
    pub fn default_scale(&self) -> Meaning {
        if self.opcode.kind.is_branch() {
            Meaning::d
        } else {
            Meaning::ub
        }
    }

    pub fn basic(&mut self) -> Read<()> {
        // Since Xe, the low half of a 64-bit constant is where other instructions have the modifier
        // of the flag.
        let over = self.rank >= 20 && {
            let file = self.meaning(Field::Src0RegFile)?;
            let data_type = self.meaning(Field::Src0DataType)?;
            self.take_bits();
            file == Some(Meaning::IMM) && data_type.and_then(type_bits) == Some(64)
        };
        self.prefix(over)?;
        let align16 = self.align16()?;
        if align16 {
            self.destination_align16()?;
        } else {
            self.destination()?;
        }
        let sources = match self.opcode.kind {
            Kind::MathBinaryRegRegimm => {
                let function = self.meaning(Field::MathFC)?.ok_or(Fatal)?;
                self.take_bits();
                math(function).1
            }
            Kind::BasicBinaryRegRegimm => 2,
            _ if self.op() == Op::Movi && self.rank >= 11 => 2,
            _ => 1,
        };
        for (at, fields) in SOURCES.iter().take(usize::from(sources)).enumerate() {
            let source = if align16 {
                self.source_align16(fields)?
            } else {
                self.source(fields, at, at)?
            };
            self.push(source);
        }
        Ok(())
    }

    pub fn align16(&mut self) -> Read<bool> {
        if self.rank >= 11 {
            return Ok(false);
        }
        let align16 = self.is(Field::AccessMode, Meaning::Align16)?;
        self.take_bits();
        Ok(align16)
    }

    pub fn saturation(&mut self) -> Read<bool> {
        if self.has(Opcode::SATURATION) {
            self.is(Field::Saturate, Meaning::sat)
        } else {
            Ok(false)
        }
    }

    /// Reads a stride or width. Bits without meaning stand for their own number, if it is valid.
    /// `valid` is a bit set of valid numbers.
    pub fn stride(&mut self, field: Field, valid: u64) -> Read<Stride> {
        let number = self.number(field)?;
        let is_valid = number < 64 && valid >> number & 1 != 0;
        Ok(is_valid.then(|| low8(number)))
    }

    pub fn horizontal_stride(&mut self, field: Field) -> Read<Stride> {
        self.stride(field, bits(&[0, 1, 2, 4]))
    }

    /// Reads the register of a destination, with its subregister scaled by its type.
    pub fn destination_register(&mut self, data_type: Option<Meaning>) -> Read<OperandKind> {
        let file = self.meaning(Field::DstRegFile)?;
        let number = self.small(Field::DstRegNum)?;
        let (name, number) = self.register(file, number);
        if self.is_macro() || self.opcode.kind.is_send() {
            return Ok(OperandKind::Register {
                name,
                number,
                sub: 0,
                shows_sub: false,
            });
        }
        let scale = data_type.unwrap_or(self.default_scale());
        let byte = self.small(Field::DstSubRegNum)?;
        let dpas = matches!(self.op(), Op::Dpas | Op::Dpasw | Op::Bdpas);
        Ok(OperandKind::Register {
            name,
            number,
            sub: self.subregister(byte, name, Some(scale)),
            shows_sub: !dpas,
        })
    }

    pub fn macro_of(register: OperandKind, extra: Option<Meaning>) -> OperandKind {
        match register {
            OperandKind::Register { name, number, .. } => OperandKind::Macro {
                name,
                number,
                extra,
            },
            other => other,
        }
    }

    /// Decodes a basic Align1 destination.
    pub fn destination(&mut self) -> Read<()> {
        let indirect = self.meaning(Field::DstAddrMode)?;
        let saturate = self.saturation()?;
        let stride = self.horizontal_stride(Field::DstHorzStride)?;
        // Since Xe3P, types of `mov` have 4 bits in fields of their own. The assembler still scales
        // the subregister by the old field.
        let scale = self.meaning(Field::DstDataType)?;
        let mut data_type = scale;
        if self.op() == Op::Mov && self.rank >= 43 {
            data_type = self.meaning(Field::DstDataType2)?;
        }
        let kind = match indirect {
            Some(Meaning::Direct) => {
                let register = self.destination_register(scale)?;
                if self.is_macro() {
                    let extra = self.meaning(Field::DstMathMacroExt)?;
                    Self::macro_of(register, extra)
                } else {
                    register
                }
            }
            Some(Meaning::Indirect) => OperandKind::Indirect {
                offset: low16(self.number(Field::DstAddrImm)?).cast_signed(),
                sub: self.small(Field::DstAddrSubRegNum)?,
            },
            _ => return Err(Fatal),
        };
        let implicit =
            self.is_macro() || self.opcode.kind.is_branch() || self.opcode.kind.is_send();
        let region = match (implicit, stride) {
            (true, Some(1)) => Region::Hidden,
            _ => Region::Horizontal(stride),
        };
        self.set_destination(kind, saturate, region, data_type);
        if self.opcode.kind.is_branch()
            && let Some(destination) = &mut self.instruction.destination
        {
            destination.shows_type = data_type != Some(Meaning::d);
        }
        Ok(())
    }

    pub fn set_destination(
        &mut self,
        kind: OperandKind,
        saturate: bool,
        region: Region,
        data_type: Option<Meaning>,
    ) {
        let bits = self.take_bits();
        self.instruction.destination = Some(Operand {
            kind,
            saturate,
            region,
            data_type,
            bits,
            ..Operand::NONE
        });
    }

    pub fn modifier(&mut self, fields: &SourceFields) -> Read<Option<Meaning>> {
        if self.has(Opcode::SOURCE_MODIFIERS) {
            Ok(self
                .meaning(fields.modifier)?
                .filter(|m| *m != Meaning::Normal))
        } else {
            Ok(None)
        }
    }

    /// Reads a source register with its unscaled subregister.
    pub fn source_register(&mut self, fields: &SourceFields) -> Read<(RegisterName, u16, u16)> {
        let number = self.small(fields.number)?;
        let file = self.meaning(fields.file)?;
        let (name, number) = self.register(file, number);
        let sub = if self.is_macro() {
            0
        } else {
            self.small(fields.sub)?
        };
        Ok((name, number, sub))
    }

    pub fn full_region(&mut self, fields: &SourceFields) -> Read<Region> {
        let vertical = self.stride(fields.vertical, bits(&[0, 1, 2, 3, 4, 8, 16, 32]))?;
        let width = self.stride(fields.width, bits(&[1, 2, 4, 8, 16]))?;
        let horizontal = self.horizontal_stride(fields.horizontal)?;
        Ok(match vertical {
            Some(3) => Region::Vxh(width, horizontal),
            vertical => Region::Full(vertical, width, horizontal),
        })
    }

    /// Returns the vertical stride of source 1 where the word only distinguishes scalars and the
    /// destination's stride. Returns `None` for a scalar.
    pub fn reduced_stride(&mut self, data_type: Option<Meaning>) -> Read<Option<Option<u8>>> {
        if self.number(Field::Src1ScalarReg)? != 0 {
            return Ok(None);
        }
        let destination = self.instruction.destination;
        let stride = match destination.map(|d| d.region) {
            Some(Region::Horizontal(Some(stride))) => u32::from(stride),
            Some(Region::Hidden) => 1,
            _ => 0,
        };
        let from = destination.and_then(|d| d.data_type).and_then(type_bits);
        let to = data_type.and_then(type_bits);
        // Operands without a type count as bytes.
        let stride = stride * from.unwrap_or(8) / to.unwrap_or(8).max(1);
        Ok(Some(
            u8::try_from(stride)
                .ok()
                .filter(|s| matches!(s, 1 | 2 | 4 | 8 | 16)),
        ))
    }

    /// Decodes a basic Align1 source, `at` in the word and `to` in the text.
    pub fn source(&mut self, fields: &SourceFields, at: usize, to: usize) -> Read<Operand> {
        let file = self.meaning(fields.file)?;
        if file == Some(Meaning::IMM) {
            return self.immediate(fields.data_type, Field::Imm);
        }
        if !matches!(file, Some(Meaning::ARF | Meaning::GRF)) {
            return Err(Fatal);
        }
        let mode = self.meaning(fields.mode)?;
        let modifier = self.modifier(fields)?;
        let reduced = self.rank >= 43 && at == 1;
        let mut region = Region::Hidden;
        if !self.opcode.kind.is_send() && !reduced {
            region = self.full_region(fields)?;
        }
        let type_field = match self.op() {
            Op::Mov if self.rank >= 43 => Field::Src0DataType2,
            _ => fields.data_type,
        };
        let (kind, data_type) = match mode {
            Some(Meaning::Direct) => {
                if self.is_macro() && self.rank < 11 {
                    return Err(Fatal);
                }
                let extra = if self.is_macro() {
                    Some(self.meaning(fields.extra)?)
                } else {
                    None
                };
                let (name, number, byte) = self.source_register(fields)?;
                let data_type = self.meaning(type_field)?;
                let scale = data_type.unwrap_or(self.default_scale());
                let kind = match extra {
                    Some(extra) => OperandKind::Macro {
                        name,
                        number,
                        extra,
                    },
                    None => OperandKind::Register {
                        name,
                        number,
                        sub: self.subregister(byte, name, Some(scale)),
                        shows_sub: !self.opcode.kind.is_send(),
                    },
                };
                (kind, data_type)
            }
            Some(Meaning::Indirect) => {
                let kind = OperandKind::Indirect {
                    sub: self.small(fields.address_sub)?,
                    offset: low16(self.number(fields.address_offset)?).cast_signed(),
                };
                (kind, self.meaning(type_field)?)
            }
            _ => return Err(Fatal),
        };
        if reduced {
            region = match self.reduced_stride(data_type)? {
                None => Region::Full(Some(0), Some(1), Some(0)),
                Some(None) => Region::Invalid,
                Some(stride) => Region::Full(stride, Some(1), Some(0)),
            };
        }
        if self.region_is_implicit(to) {
            region = Region::Hidden;
        }
        Ok(Operand {
            kind,
            modifier,
            region,
            data_type,
            shows_type: match self.opcode.kind {
                Kind::SyncUnary => self.op() != Op::Sync || !is_null(&kind),
                kind => !kind.is_branch() || data_type != Some(Meaning::d),
            },
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }

    /// Returns whether the operation determines the region.
    fn region_is_implicit(&self, to: usize) -> bool {
        match self.op() {
            Op::Sync => true,
            Op::Madm => true,
            Op::Math if self.is_macro() => self.rank < 20,
            Op::Jmpi | Op::Brd | Op::Ret => to == 0,
            Op::Call | Op::Calla | Op::Brc => true,
            _ => self.opcode.kind.is_branch(),
        }
    }

    pub fn immediate(&mut self, data_type: Field, field: Field) -> Read<Operand> {
        let data_type = self.meaning(data_type)?;
        let value = self.number(field)?;
        Ok(Operand {
            kind: OperandKind::Immediate(value),
            data_type,
            shows_type: match self.opcode.kind {
                Kind::SyncUnary => data_type != Some(Meaning::ud),
                kind => !kind.is_branch() || data_type != Some(Meaning::d),
            },
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }

    pub fn sync(&mut self) -> Read<()> {
        let align16 = self.rank < 20 && self.align16()?;
        self.prefix(false)?;
        let [fields, ..] = &SOURCES;
        let source = if align16 {
            self.source_align16(fields)?
        } else if self.rank >= 20
            && self.rank < 24
            && self.meaning(Field::Src0RegFile)? == Some(Meaning::ARF)
        {
            // Before Xe-HPC, the assembler prints `null` for all architecture registers here.
            let null = self.register(Some(Meaning::ARF), 0).0;
            Operand {
                kind: OperandKind::Register {
                    name: null,
                    number: 0,
                    sub: 0,
                    shows_sub: true,
                },
                shows_type: false,
                bits: self.take_bits(),
                ..Operand::NONE
            }
        } else {
            self.source(fields, 0, 0)?
        };
        self.push(source);
        Ok(())
    }
}

/// Returns the bit set of some numbers.
pub(super) const fn bits(mut numbers: &[u8]) -> u64 {
    let mut bits = 0;
    while let [first, rest @ ..] = numbers {
        bits |= 1 << *first;
        numbers = rest;
    }
    bits
}

fn is_null(kind: &OperandKind) -> bool {
    matches!(kind, OperandKind::Register { name, .. } if name.is_null())
}
