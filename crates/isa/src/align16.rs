//! Converts operands of Gen9's Align16 mode to equivalent Align1 operands.

use super::decode::{Fatal, Read, WordContext, low16};
use super::instruction::{Operand, OperandKind, Region, RegisterName};
use super::operands::{SOURCES, SourceFields, type_bits};
use super::tables::{Field, Meaning};

/// All channels of Align16, in order.
const XYZW: u64 = 0b11_10_01_00;
const XYXY: u64 = 0b01_00_01_00;
const ZWZW: u64 = 0b11_10_11_10;

impl WordContext<'_> {
    pub fn destination_align16(&mut self) -> Read<()> {
        let indirect = self.meaning(Field::DstAddrMode)?;
        let saturate = self.saturation()?;
        let data_type = self.meaning(Field::DstDataType)?;
        let kind = match indirect {
            Some(Meaning::Direct) => {
                let mut register = self.destination_register(data_type)?;
                let enable = self.meaning(Field::DstChanEn)?;
                if self.is_macro() {
                    let extra = macro_of_channels(enable);
                    self.errors |= extra.is_none();
                    Self::macro_of(register, extra)
                } else {
                    // Macro registers are saved and restored whole: here, the enabled channels
                    // select one of them.
                    match &mut register {
                        OperandKind::Register { name, number, .. } if name.is("mme") => {
                            *number = match enable {
                                Some(Meaning::xyzw) => 7,
                                Some(Meaning::w) => 0,
                                _ => match macro_of_channels(enable) {
                                    Some(extra) => u16::from(extra as u8 - Meaning::mme0 as u8),
                                    None => {
                                        self.errors = true;
                                        u16::MAX
                                    }
                                },
                            };
                        }
                        _ if enable == Some(Meaning::xyzw) => {}
                        _ => return Err(Fatal),
                    }
                    register
                }
            }
            Some(Meaning::Indirect) => {
                // Align1 cannot leave out channels of four.
                if !self.is(Field::DstChanEn, Meaning::xyzw)? {
                    return Err(Fatal);
                }
                OperandKind::Indirect {
                    offset: low16(self.number(Field::DstAddrImm)?).cast_signed(),
                    sub: self.small(Field::DstAddrSubRegNum)?,
                }
            }
            _ => return Err(Fatal),
        };
        let region = if self.is_macro() {
            Region::Hidden
        } else {
            Region::Horizontal(Some(1))
        };
        self.set_destination(kind, saturate, region, data_type);
        Ok(())
    }

    pub fn source_align16(&mut self, fields: &SourceFields) -> Read<Operand> {
        let file = self.meaning(fields.file)?;
        if file == Some(Meaning::IMM) {
            return self.immediate(fields.data_type, Field::Imm);
        }
        if !matches!(file, Some(Meaning::ARF | Meaning::GRF)) {
            return Err(Fatal);
        }
        let modifier = self.modifier(fields)?;
        let mode = self.meaning(fields.mode)?;
        let vertical = self.number(fields.vertical)?;
        let region = if self.is_macro() {
            Region::Hidden
        } else {
            Region::Full(Some(1), Some(1), Some(0))
        };
        let (kind, data_type) = match mode {
            Some(Meaning::Direct) => {
                let (name, mut number, byte) = self.source_register(fields)?;
                let data_type = self.meaning(fields.data_type)?;
                let mut sub = self.subregister(byte, name, data_type);
                if self.is_macro() {
                    let expected = if data_type == Some(Meaning::df) { 2 } else { 4 };
                    if vertical != expected {
                        return Err(Fatal);
                    }
                    let extra = self.meaning(fields.extra)?;
                    let kind = OperandKind::Macro {
                        name,
                        number,
                        extra,
                    };
                    (kind, data_type)
                } else {
                    // Align1 has no form for other strides and swizzles.
                    if vertical != 4 {
                        return Err(Fatal);
                    }
                    let select = self.number(fields.select)?;
                    if name.is("mme") {
                        number = low16(select & 0xf);
                        sub = 0;
                    } else if no_channel_stays(select) {
                        return Err(Fatal);
                    }
                    let kind = OperandKind::Register {
                        name,
                        number,
                        sub,
                        shows_sub: true,
                    };
                    (kind, data_type)
                }
            }
            Some(Meaning::Indirect) => {
                let select = self.number(fields.select)?;
                if !no_channel_stays(select) && vertical == 4 {
                    return Err(Fatal);
                }
                let kind = OperandKind::Indirect {
                    sub: self.small(fields.address_sub)?,
                    offset: low16(self.number(fields.address_offset)?).cast_signed(),
                };
                (kind, self.meaning(fields.data_type)?)
            }
            _ => return Err(Fatal),
        };
        Ok(Operand {
            kind,
            modifier,
            region,
            data_type,
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }

    /// Converts Gen9's ternary operations to equivalent Align1 ones.
    pub fn ternary_align16(&mut self) -> Read<()> {
        let number = self.small(Field::DstRegNum)?;
        let saturate = self.saturation()?;
        let data_type = self.meaning(Field::DstDataType)?;
        let file = self.meaning(Field::DstRegFile)?;
        let enable = self.meaning(Field::DstChanEn)?;
        let (name, number) = self.register(file, number);
        let mut region = Region::Horizontal(Some(1));
        let kind = if self.is_macro() {
            region = Region::Hidden;
            let extra = macro_of_channels(enable);
            self.errors |= extra.is_none();
            OperandKind::Macro {
                name,
                number,
                extra,
            }
        } else {
            let byte = self.small(Field::DstSubRegNum)?;
            let sub = match data_type {
                None => 0,
                some => self.subregister(byte, name, some),
            };
            let all = enable == Some(Meaning::xyzw);
            let size = self.instruction.exec.map_or(0, |e| e.size);
            // One of four channels, or one of two 64-bit channels: a scalar in Align1.
            let channel = match (size, enable) {
                _ if all && matches!(size, 2 | 4 | 8 | 16 | 32) => None,
                (2, Some(Meaning::xy)) if data_type == Some(Meaning::df) => Some(0),
                (2, Some(Meaning::zw)) if data_type == Some(Meaning::df) => Some(1),
                (4, Some(Meaning::x)) => Some(0),
                (4, Some(Meaning::y)) => Some(1),
                (4, Some(Meaning::z)) => Some(2),
                (4, Some(Meaning::w)) => Some(3),
                (2 | 4, _) => {
                    self.errors = true;
                    Some(0)
                }
                _ => {
                    self.errors = true;
                    None
                }
            };
            if channel.is_some()
                && let Some(exec) = &mut self.instruction.exec
            {
                exec.size = 1;
            }
            OperandKind::Register {
                name,
                number,
                sub: sub + channel.unwrap_or(0),
                shows_sub: true,
            }
        };
        self.set_destination(kind, saturate, region, data_type);
        for (at, fields) in SOURCES.iter().enumerate() {
            let source = self.source_ternary_align16(fields, at)?;
            self.push(source);
        }
        Ok(())
    }

    fn source_ternary_align16(&mut self, fields: &SourceFields, at: usize) -> Read<Operand> {
        let modifier = self.modifier(fields)?;
        let number = self.small(fields.number)?;
        let mut data_type = self.meaning(Field::SrcDataType)?;
        if at > 0 && matches!(data_type, Some(Meaning::f | Meaning::hf)) {
            data_type = self.meaning(fields.data_type)?;
        }
        let name = RegisterName::General;
        let (kind, region) = if self.is_macro() {
            let kind = OperandKind::Macro {
                name,
                number,
                extra: self.meaning(fields.extra)?,
            };
            (kind, Region::Hidden)
        } else {
            let mut sub = 0;
            if data_type.is_some() {
                let byte = self.small(fields.sub)?;
                sub = self.subregister(byte, name, data_type);
            }
            let mut scalar = true;
            if self.is(fields.replicate, Meaning::NoRep)? {
                let select = self.number(fields.select)?;
                let wide = data_type.and_then(type_bits) == Some(64);
                if select != XYZW && !(wide && (select == XYXY || select == ZWZW)) {
                    return Err(Fatal);
                }
                scalar = data_type == Some(Meaning::df) && select != XYZW;
                if scalar && select == ZWZW {
                    sub += 1;
                }
            }
            let region = match (at, scalar) {
                (2, true) => Region::Horizontal(Some(0)),
                (2, false) => Region::Horizontal(Some(1)),
                (_, true) => Region::Ternary(Some(0), Some(0)),
                (_, false) => Region::Ternary(Some(2), Some(1)),
            };
            let kind = OperandKind::Register {
                name,
                number,
                sub,
                shows_sub: true,
            };
            (kind, region)
        };
        Ok(Operand {
            kind,
            modifier,
            region,
            data_type,
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }
}

/// Returns whether no Align16 channel selects itself.
fn no_channel_stays(select: u64) -> bool {
    (0..4_u64).all(|channel| (select >> (2 * channel)) & 3 != channel)
}

/// Returns the extra bits of a math macro for enabled Align16 channels.
fn macro_of_channels(enable: Option<Meaning>) -> Option<Meaning> {
    Some(match enable? {
        Meaning::None => Meaning::mme0,
        Meaning::x => Meaning::mme1,
        Meaning::y => Meaning::mme2,
        Meaning::xy => Meaning::mme3,
        Meaning::z => Meaning::mme4,
        Meaning::xz => Meaning::mme5,
        Meaning::yz => Meaning::mme6,
        Meaning::xyz => Meaning::mme7,
        Meaning::w => Meaning::nomme,
        _ => return None,
    })
}
