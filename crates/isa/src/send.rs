//! Sends: messages to shared functions.

use super::decode::{Fatal, Read, WordContext, low8, low32};
use super::encoding::Kind;
use super::instruction::{
    Descriptor, Message, Operand, OperandKind, Options, Region, RegisterName, WideDescriptor,
};
use super::message::{self, Request};
use super::operands::SOURCES;
use super::tables::{Field, Meaning, Op};

/// Shared functions before Xe, by bits 3:0 of the extended descriptor.
const SFID_BEFORE_XE: [Meaning; 16] = [
    Meaning::NULL,
    Meaning::UGML,
    Meaning::SAMPLER,
    Meaning::GATEWAY,
    Meaning::DP_DC2,
    Meaning::DP_RC,
    Meaning::URB,
    Meaning::SPAWNER,
    Meaning::VME,
    Meaning::DP_DCRO,
    Meaning::DP_DC0,
    Meaning::PI,
    Meaning::DP_DC1,
    Meaning::CRE,
    Meaning::SLM,
    Meaning::UGM,
];

impl WordContext<'_> {
    pub fn send(&mut self) -> Read<()> {
        if matches!(self.op(), Op::Sendg | Op::Sendgc | Op::Sendgx | Op::Sendgxc) {
            return self.send_wide();
        }
        let descriptor = match self.meaning(Field::DescRegFile)? {
            Some(Meaning::IMM) => Descriptor::Immediate(low32(self.number(Field::MsgDesc)?)),
            _ => Descriptor::Register(0),
        };
        let descriptor_bits = self.take_bits();
        let binary = self.opcode.kind == Kind::SendBinary;
        let immediate = !binary || self.is(Field::ExDescRegFile, Meaning::IMM)?;
        let mut offset = 0;
        let extended = if immediate {
            Descriptor::Immediate(low32(self.number(Field::ExMsgDescImm)?))
        } else {
            Descriptor::Register(self.small(Field::ExDescAddrSubRegNum)? / 2)
        };
        let sfid = match extended {
            _ if self.rank >= 20 => {
                let sfid = self.meaning(Field::SFID)?;
                self.take_bits();
                sfid
            }
            Descriptor::Immediate(value) => SFID_BEFORE_XE
                .get(usize::try_from(value & 0xf).unwrap_or_default())
                .copied(),
            Descriptor::Register(_) => None,
        };
        if self.rank >= 30 && !immediate {
            // The bits that are no part of the offset if the extended descriptor is in a register.
            offset = low32(self.number(Field::ExMsgDescImm)?) & !0x0007_0000;
            if sfid != Some(Meaning::UGM) {
                offset &= !0x8000;
            }
        }
        let extended_bits = self.take_bits();
        let mut lengths = [None; 3];
        if let Descriptor::Immediate(value) = descriptor {
            lengths[0] = Some(low8((value >> 25).into()) & 0xf);
            lengths[2] = Some(low8((value >> 20).into()) & 0x1f);
        }
        if let Descriptor::Immediate(value) = extended
            && self.rank < 22
        {
            lengths[1] = Some(low8((value >> 6).into()) & 0x1f);
        }
        let (exbso, length) = self.send_length(immediate, sfid)?;
        if length.is_some() {
            lengths[1] = length;
        }
        self.take_bits();
        self.prefix(false)?;
        self.send_destination()?;
        let gather = self.send_source(exbso || (self.rank >= 22 && immediate), &mut lengths)?;
        if self.rank >= 20 && self.rank < 24 && self.is(Field::FusionCtrl, Meaning::Serialized)? {
            self.instruction.options.add(Options::SERIALIZE);
        }
        self.take_bits();
        let _ = gather;
        self.set_message(Message {
            sfid,
            descriptor,
            descriptor_bits,
            extended,
            extended_bits,
            offset,
            lengths,
            wide: None,
            request: Request::default(),
        });
        Ok(())
    }

    /// Adds a message, whose operands and execution size are known, with what it asks for.
    fn set_message(&mut self, mut message: Message) {
        let channels = self.instruction.exec.map_or(1, |exec| exec.size);
        let destination = self.instruction.destination;
        let has_response = !destination.is_some_and(|destination| destination.is_null());
        message.request = message::decode(self.rank, channels, has_response, &message);
        self.instruction.message = Some(message);
    }

    /// Returns whether the surface is bindless, and the length of source 1 if the word has it.
    fn send_length(&mut self, immediate: bool, sfid: Option<Meaning>) -> Read<(bool, Option<u8>)> {
        if self.rank < 22 {
            return Ok((false, None));
        }
        let mut exbso = false;
        let ugm = self.rank >= 30 && sfid == Some(Meaning::UGM);
        if !immediate && !ugm {
            exbso = self.number(Field::ExBSO)? != 0;
            if exbso {
                self.instruction.options.add(Options::EX_BSO);
                if self.rank < 30 && self.number(Field::CPS)? != 0 {
                    self.instruction.options.add(Options::CPS);
                }
            }
        }
        if immediate || ugm || exbso {
            return Ok((exbso || ugm, Some(low8(self.number(Field::Src1Length)?))));
        }
        Ok((exbso, None))
    }

    fn send_destination(&mut self) -> Read<()> {
        let align16 = self.align16()?;
        let file = self.meaning(Field::DstRegFile)?;
        let indirect =
            self.rank < 20 && self.meaning(Field::DstAddrMode)? == Some(Meaning::Indirect);
        if indirect {
            if file == Some(Meaning::GRF) {
                if align16 {
                    return Err(Fatal);
                }
                self.destination()?;
                self.hide_default_type();
            } else {
                self.errors = true;
                self.instruction.destination = Some(Operand::NONE);
            }
            return Ok(());
        }
        let data_type = if self.rank < 20 {
            self.meaning(Field::DstDataType)?
        } else {
            None
        };
        let kind = self.destination_register(data_type)?;
        self.set_destination(kind, false, Region::Hidden, data_type);
        self.hide_default_type();
        Ok(())
    }

    fn hide_default_type(&mut self) {
        let shows = self.rank < 20;
        let default = match self.opcode.kind {
            Kind::SendUnary => Some(Meaning::ud),
            _ => None,
        };
        if let Some(destination) = &mut self.instruction.destination {
            destination.shows_type =
                shows && (default.is_none() || destination.data_type != default);
        }
    }

    /// Decodes the sources; returns whether source 0 is a list of registers.
    fn send_source(&mut self, length_shown: bool, lengths: &mut [Option<u8>; 3]) -> Read<bool> {
        let [first, second, _] = &SOURCES;
        let binary = self.opcode.kind == Kind::SendBinary;
        if self.rank < 20 {
            let align16 = self.align16()?;
            let file = self.meaning(first.file)?;
            let mode = self.meaning(first.mode)?;
            if file == Some(Meaning::GRF) && mode == Some(Meaning::Indirect) {
                if align16 {
                    return Err(Fatal);
                }
                let mut source = self.source(first, 0, 0)?;
                source.region = Region::Hidden;
                source.shows_type = source.data_type != Some(Meaning::ud);
                self.push(source);
            } else {
                let number = self.small(first.number)?;
                let (name, number) = self.register(file, number);
                let data_type = self.meaning(first.data_type)?;
                let source = Operand {
                    kind: OperandKind::Register {
                        name,
                        number,
                        sub: 0,
                        shows_sub: false,
                    },
                    data_type,
                    shows_type: data_type != Some(Meaning::ud),
                    bits: self.take_bits(),
                    ..Operand::NONE
                };
                self.push(source);
            }
            if binary {
                let source = self.send_register(Field::Src1RegFile, Field::Src1RegNum)?;
                if source.is_null() && lengths[1].is_none() {
                    lengths[1] = Some(0);
                }
                self.push(source);
            }
            return Ok(false);
        }
        let source = self.send_register(first.file, first.number)?;
        if source.is_null() && lengths[0].is_none() {
            lengths[0] = Some(0);
        }
        if self.rank >= 40
            && let OperandKind::Register { name, number, .. } = source.kind
            && name.is("s")
        {
            let sub = self.small(first.sub)?;
            let bits = source.bits | self.take_bits();
            self.push(Operand {
                kind: OperandKind::Gather {
                    number,
                    sub,
                    length: None,
                },
                bits,
                ..source
            });
            return Ok(true);
        }
        self.push(source);
        let mut source = self.send_register(second.file, second.number)?;
        let null = source.is_null();
        // Before Xe-HPG, the assembler prints the length of the extended descriptor, also for
        // `null`.
        if null && (lengths[1].is_none() || self.rank >= 22) {
            lengths[1] = Some(0);
        }
        if length_shown && let OperandKind::Register { name, number, .. } = source.kind {
            source.kind = OperandKind::Payload {
                name,
                number,
                length: lengths[1],
            };
        }
        self.push(source);
        Ok(false)
    }

    fn send_register(&mut self, file: Field, number: Field) -> Read<Operand> {
        let number = self.small(number)?;
        let file = self.meaning(file)?;
        let (name, number) = self.register(file, number);
        Ok(Operand {
            kind: OperandKind::Register {
                name,
                number,
                sub: 0,
                shows_sub: false,
            },
            shows_type: false,
            bits: self.take_bits(),
            ..Operand::NONE
        })
    }

    /// Decodes a send with a 64-bit descriptor.
    fn send_wide(&mut self) -> Read<()> {
        let sfid = self.meaning(Field::SFID)?;
        self.take_bits();
        let value = self.number(Field::MsgDesc64)?;
        let value_bits = self.take_bits();
        let mut indirect = [None; 2];
        let mut bits = [value_bits, 0, 0];
        let fields = [
            (Field::IndMsgDesc0IsPresent, Field::IndMsgDesc0Addr),
            (Field::IndMsgDesc1IsPresent, Field::IndMsgDesc1Addr),
        ];
        for (at, (present, address)) in fields.into_iter().enumerate() {
            if self.number(present)? != 0 {
                let sub = self.small(address)? * 8;
                if let Some(place) = indirect.get_mut(at) {
                    *place = Some(sub);
                }
            }
            if let Some(place) = bits.get_mut(at + 1) {
                *place = self.take_bits();
            }
        }
        self.prefix(false)?;
        let [first, second, _] = &SOURCES;
        let extended = matches!(self.op(), Op::Sendgx | Op::Sendgxc);
        let destination = self.wide_register(Field::DstRegFile, Field::DstRegNum, extended)?;
        self.instruction.destination = Some(destination);
        let length = |cx: &mut Self, field| -> Read<u8> { Ok(low8(cx.number(field)?)) };
        let source = self.wide_register(first.file, first.number, extended)?;
        let mut lengths = [None; 3];
        let first_length = length(self, Field::Src0Length)?;
        lengths[0] = Some(first_length);
        if let OperandKind::Register { name, number, .. } = source.kind {
            let bits = source.bits | self.take_bits();
            if name.is("s") {
                let sub = self.small(first.sub)?;
                let bits = bits | self.take_bits();
                self.push(Operand {
                    kind: OperandKind::Gather {
                        number,
                        sub,
                        length: lengths[0],
                    },
                    bits,
                    ..source
                });
            } else {
                self.push(Operand {
                    kind: OperandKind::Payload {
                        name,
                        number,
                        length: lengths[0],
                    },
                    bits,
                    ..source
                });
                let source = self.wide_register(second.file, second.number, extended)?;
                let value = self.optional(Field::Src1Length);
                lengths[1] = Some(value.map_or(0, |value| low8(value.number)));
                if let OperandKind::Register { name, number, .. } = source.kind {
                    let bits = source.bits | self.take_bits();
                    self.push(Operand {
                        kind: OperandKind::Payload {
                            name,
                            number,
                            length: lengths[1],
                        },
                        bits,
                        ..source
                    });
                }
            }
        }
        self.set_message(Message {
            sfid,
            descriptor: Descriptor::Immediate(0),
            descriptor_bits: value_bits,
            extended: Descriptor::Immediate(0),
            extended_bits: 0,
            offset: 0,
            lengths,
            wide: Some(WideDescriptor {
                value,
                indirect,
                bits,
            }),
            request: Request::default(),
        });
        Ok(())
    }

    /// Reads a register of a wide send. In extended forms numbers have 9 bits, and 511 is null.
    fn wide_register(&mut self, file: Field, number: Field, extended: bool) -> Read<Operand> {
        if extended {
            match self.number(number)? {
                // IGA of IGC 2.40 fails here. Later versions read another length.
                510 if number == Field::Src0RegNum => return Err(Fatal),
                511 => {
                    let (name, number) = self.register(Some(Meaning::ARF), 0);
                    return Ok(Operand {
                        kind: OperandKind::Register {
                            name,
                            number,
                            sub: 0,
                            shows_sub: false,
                        },
                        shows_type: false,
                        bits: self.take_bits(),
                        ..Operand::NONE
                    });
                }
                _ => {}
            }
        }
        let errors = self.errors;
        let mut operand = self.send_register(file, number)?;
        // Only source 0 specifies which architecture register.
        if number != Field::Src0RegNum
            && let OperandKind::Register { name, number, .. } = &mut operand.kind
            && !matches!(name, RegisterName::General)
        {
            *name = self.register(Some(Meaning::ARF), 0).0;
            *number = 0;
            self.errors = errors;
        }
        Ok(operand)
    }
}
