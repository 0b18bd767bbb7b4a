//! Writes DWARF debug sections, number by number. Layouts and codes are defined here independently
//! of the decoder (DWARF 5, chapter 7; DWARF 4 where it differs).

/// Encoding of numbers.
#[derive(Debug, Clone, Copy)]
pub struct Shape {
    pub version: u64,
    /// 64-bit DWARF: offsets and lengths have 8 bytes.
    pub wide: bool,
    pub big: bool,
    /// Size of an address in bytes.
    pub address: usize,
}

impl Shape {
    /// Returns 32-bit DWARF, little endian, with addresses of 8 bytes.
    pub fn version(version: u64) -> Shape {
        Shape {
            version,
            wide: false,
            big: false,
            address: 8,
        }
    }

    pub fn wide(mut self) -> Shape {
        self.wide = true;
        self
    }

    pub fn big(mut self) -> Shape {
        self.big = true;
        self
    }

    pub fn address(mut self, size: usize) -> Shape {
        self.address = size;
        self
    }

    /// Returns an empty builder.
    pub fn bytes(self) -> Bytes {
        Bytes {
            bytes: Vec::new(),
            shape: self,
        }
    }

    /// Returns the size of an offset in bytes.
    pub fn word(self) -> usize {
        if self.wide { 8 } else { 4 }
    }

    /// Returns the size of a length in bytes, including the escape of 64-bit DWARF.
    pub fn length(self) -> usize {
        if self.wide { 12 } else { 4 }
    }

    /// Prepends the length to the bytes that it counts.
    pub fn sized(self, rest: Vec<u8>) -> Vec<u8> {
        let bytes = if self.wide {
            self.bytes().u32(0xffff_ffff)
        } else {
            self.bytes()
        };
        bytes.offset(rest.len() as u64).raw(rest).bytes
    }
}

/// Builder of bytes.
#[derive(Debug, Clone)]
pub struct Bytes {
    pub bytes: Vec<u8>,
    pub shape: Shape,
}

impl Bytes {
    pub fn raw(mut self, bytes: impl AsRef<[u8]>) -> Bytes {
        self.bytes.extend_from_slice(bytes.as_ref());
        self
    }

    /// Appends a number of `len` bytes.
    pub fn number(self, len: usize, value: u64) -> Bytes {
        if self.shape.big {
            self.raw(&value.to_be_bytes()[8 - len..])
        } else {
            self.raw(&value.to_le_bytes()[..len])
        }
    }

    pub fn u8(self, value: u64) -> Bytes {
        self.number(1, value)
    }

    pub fn u16(self, value: u64) -> Bytes {
        self.number(2, value)
    }

    pub fn u32(self, value: u64) -> Bytes {
        self.number(4, value)
    }

    pub fn u64(self, value: u64) -> Bytes {
        self.number(8, value)
    }

    /// Appends an offset into a section, or a length.
    pub fn offset(self, value: u64) -> Bytes {
        let len = self.shape.word();
        self.number(len, value)
    }

    pub fn address(self, value: u64) -> Bytes {
        let len = self.shape.address;
        self.number(len, value)
    }

    pub fn uleb(self, value: u64) -> Bytes {
        self.raw(uleb(value))
    }

    pub fn sleb(self, value: i64) -> Bytes {
        self.raw(sleb(value))
    }

    /// Appends text with a NUL.
    pub fn text(self, text: &str) -> Bytes {
        self.raw(text).raw([0])
    }
}

/// Encodes a number as unsigned LEB128.
pub fn uleb(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        if value == 0 {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// Encodes a number as signed LEB128.
pub fn sleb(mut value: i64) -> Vec<u8> {
    let mut bytes = Vec::new();
    loop {
        let low = (value & 0x7f) as u8;
        value >>= 7;
        let sign = low & 0x40 != 0;
        if (value == 0 && !sign) || (value == -1 && sign) {
            bytes.push(low);
            return bytes;
        }
        bytes.push(low | 0x80);
    }
}

/// Tags.
pub mod tag {
    pub const FORMAL_PARAMETER: u64 = 0x05;
    pub const LEXICAL_BLOCK: u64 = 0x0b;
    pub const COMPILE_UNIT: u64 = 0x11;
    pub const STRUCTURE_TYPE: u64 = 0x13;
    pub const BASE_TYPE: u64 = 0x24;
    pub const SUBPROGRAM: u64 = 0x2e;
    pub const VARIABLE: u64 = 0x34;
    pub const PARTIAL_UNIT: u64 = 0x3c;
    pub const TYPE_UNIT: u64 = 0x41;
    pub const SKELETON_UNIT: u64 = 0x4a;
}

/// Attributes.
pub mod at {
    pub const SIBLING: u64 = 0x01;
    pub const LOCATION: u64 = 0x02;
    pub const NAME: u64 = 0x03;
    pub const ORDERING: u64 = 0x09;
    pub const BYTE_SIZE: u64 = 0x0b;
    pub const STMT_LIST: u64 = 0x10;
    pub const LOW_PC: u64 = 0x11;
    pub const HIGH_PC: u64 = 0x12;
    pub const LANGUAGE: u64 = 0x13;
    pub const VISIBILITY: u64 = 0x17;
    pub const IMPORT: u64 = 0x18;
    pub const CONST_VALUE: u64 = 0x1c;
    pub const INLINE: u64 = 0x20;
    pub const ACCESSIBILITY: u64 = 0x32;
    pub const ADDRESS_CLASS: u64 = 0x33;
    pub const CALLING_CONVENTION: u64 = 0x36;
    pub const DECL_FILE: u64 = 0x3a;
    pub const DECL_LINE: u64 = 0x3b;
    pub const ENCODING: u64 = 0x3e;
    pub const EXTERNAL: u64 = 0x3f;
    pub const IDENTIFIER_CASE: u64 = 0x42;
    pub const TYPE: u64 = 0x49;
    pub const VIRTUALITY: u64 = 0x4c;
    pub const RANGES: u64 = 0x55;
    pub const CALL_FILE: u64 = 0x58;
    pub const DESCRIPTION: u64 = 0x5a;
    pub const DECIMAL_SIGN: u64 = 0x5e;
    pub const ENDIANITY: u64 = 0x65;
    pub const STR_OFFSETS_BASE: u64 = 0x72;
    pub const INTEL_SIMD_WIDTH: u64 = 0x2400;
}

/// Forms.
pub mod form {
    pub const ADDR: u64 = 0x01;
    pub const BLOCK2: u64 = 0x03;
    pub const BLOCK4: u64 = 0x04;
    pub const DATA2: u64 = 0x05;
    pub const DATA4: u64 = 0x06;
    pub const DATA8: u64 = 0x07;
    pub const STRING: u64 = 0x08;
    pub const BLOCK: u64 = 0x09;
    pub const BLOCK1: u64 = 0x0a;
    pub const DATA1: u64 = 0x0b;
    pub const FLAG: u64 = 0x0c;
    pub const SDATA: u64 = 0x0d;
    pub const STRP: u64 = 0x0e;
    pub const UDATA: u64 = 0x0f;
    pub const REF_ADDR: u64 = 0x10;
    pub const REF1: u64 = 0x11;
    pub const REF2: u64 = 0x12;
    pub const REF4: u64 = 0x13;
    pub const REF8: u64 = 0x14;
    pub const REF_UDATA: u64 = 0x15;
    pub const INDIRECT: u64 = 0x16;
    pub const SEC_OFFSET: u64 = 0x17;
    pub const EXPRLOC: u64 = 0x18;
    pub const FLAG_PRESENT: u64 = 0x19;
    pub const STRX: u64 = 0x1a;
    pub const ADDRX: u64 = 0x1b;
    pub const REF_SUP4: u64 = 0x1c;
    pub const STRP_SUP: u64 = 0x1d;
    pub const DATA16: u64 = 0x1e;
    pub const LINE_STRP: u64 = 0x1f;
    pub const REF_SIG8: u64 = 0x20;
    pub const IMPLICIT_CONST: u64 = 0x21;
    pub const LOCLISTX: u64 = 0x22;
    pub const RNGLISTX: u64 = 0x23;
    pub const REF_SUP8: u64 = 0x24;
    pub const STRX1: u64 = 0x25;
    pub const STRX2: u64 = 0x26;
    pub const STRX3: u64 = 0x27;
    pub const STRX4: u64 = 0x28;
    pub const ADDRX1: u64 = 0x29;
    pub const ADDRX2: u64 = 0x2a;
    pub const ADDRX3: u64 = 0x2b;
    pub const ADDRX4: u64 = 0x2c;
    /// GNU forms from before DWARF 5.
    pub const GNU_ADDR_INDEX: u64 = 0x1f01;
    pub const GNU_STR_INDEX: u64 = 0x1f02;
}

/// An abbreviation: the tag and the attributes with their forms.
#[derive(Debug, Clone)]
pub struct Abbrev(Vec<u8>);

impl Abbrev {
    pub fn new(code: u64, tag: u64, children: bool) -> Abbrev {
        Abbrev([uleb(code), uleb(tag), vec![children.into()]].concat())
    }

    pub fn with(mut self, attribute: u64, form: u64) -> Abbrev {
        self.0.extend(uleb(attribute));
        self.0.extend(uleb(form));
        self
    }

    /// Adds an attribute with its value in the abbreviation.
    pub fn constant(self, attribute: u64, value: i64) -> Abbrev {
        let mut abbrev = self.with(attribute, form::IMPLICIT_CONST);
        abbrev.0.extend(sleb(value));
        abbrev
    }
}

/// Writes a table of abbreviations with its terminator.
pub fn table(list: &[Abbrev]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for abbrev in list {
        bytes.extend(&abbrev.0);
        bytes.extend([0, 0]);
    }
    bytes.push(0);
    bytes
}

/// Type of a unit; before DWARF 5, all units are of the first type.
#[derive(Debug, Clone, Copy)]
pub enum Kind {
    Compile,
    /// Type unit: its signature, and the offset of its entry in the unit.
    Type(u64, u64),
    Partial,
    /// Skeleton or split unit, with its id.
    Skeleton(u64),
    SplitCompile(u64),
    SplitType(u64, u64),
    /// An invalid type.
    Unknown(u64),
}

impl Kind {
    fn code(self) -> u64 {
        match self {
            Kind::Compile => 1,
            Kind::Type(..) => 2,
            Kind::Partial => 3,
            Kind::Skeleton(_) => 4,
            Kind::SplitCompile(_) => 5,
            Kind::SplitType(..) => 6,
            Kind::Unknown(code) => code,
        }
    }
}

/// Writes a unit: header and entries. `abbreviations` is the offset of its table.
pub fn unit(shape: Shape, kind: Kind, abbreviations: u64, entries: impl AsRef<[u8]>) -> Vec<u8> {
    let rest = shape.bytes().u16(shape.version);
    let size = shape.address as u64;
    let rest = match shape.version {
        ..5 => rest.offset(abbreviations).u8(size),
        _ => rest.u8(kind.code()).u8(size).offset(abbreviations),
    };
    let rest = match kind {
        Kind::Compile | Kind::Partial | Kind::Unknown(_) => rest,
        Kind::Skeleton(id) | Kind::SplitCompile(id) => rest.u64(id),
        Kind::Type(id, offset) | Kind::SplitType(id, offset) => rest.u64(id).offset(offset),
    };
    shape.sized(rest.raw(entries).bytes)
}

/// Returns the size of the header of a unit.
pub fn unit_header(shape: Shape, kind: Kind) -> usize {
    unit(shape, kind, 0, []).len()
}

/// A line program: header and opcodes.
#[derive(Debug, Clone)]
pub struct Lines {
    pub shape: Shape,
    pub minimum: u64,
    pub operations: u64,
    pub base: i8,
    pub range: u64,
    /// Number of operands of each standard opcode.
    pub lengths: Vec<u8>,
    /// Directories and files, as the version has them.
    pub paths: Vec<u8>,
    pub opcodes: Vec<u8>,
}

impl Lines {
    /// Returns a header as clang writes it.
    pub fn new(shape: Shape) -> Lines {
        Lines {
            shape,
            minimum: 1,
            operations: 1,
            base: -5,
            range: 14,
            lengths: vec![0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1],
            paths: Vec::new(),
            opcodes: Vec::new(),
        }
    }

    pub fn paths(mut self, paths: Bytes) -> Lines {
        self.paths = paths.bytes;
        self
    }

    pub fn opcodes(mut self, opcodes: Bytes) -> Lines {
        self.opcodes = opcodes.bytes;
        self
    }

    /// Returns the special opcode that advances the address by `advance` instructions and the line
    /// by `line` (DWARF 5, 6.2.5.1).
    pub fn special(&self, advance: u64, line: i64) -> u64 {
        let first = self.lengths.len() as u64 + 1;
        let line = (line - i64::from(self.base)).cast_unsigned();
        assert!(line < self.range);
        let opcode = line + self.range * advance + first;
        assert!(opcode < 256);
        opcode
    }

    pub fn build(&self) -> Vec<u8> {
        let shape = self.shape;
        let after = shape.bytes().u8(self.minimum);
        let after = match shape.version {
            ..4 => after,
            _ => after.u8(self.operations),
        };
        let after = after
            .u8(1)
            .raw([self.base.cast_unsigned()])
            .u8(self.range)
            .u8(self.lengths.len() as u64 + 1)
            .raw(&self.lengths)
            .raw(&self.paths);
        let rest = shape.bytes().u16(shape.version);
        let rest = match shape.version {
            ..5 => rest,
            _ => rest.u8(shape.address as u64).u8(0),
        };
        let rest = rest.offset(after.bytes.len() as u64);
        shape.sized(rest.raw(after.bytes).raw(&self.opcodes).bytes)
    }
}

/// Opcodes of line programs.
impl Bytes {
    /// Appends an extended opcode: size, code, operands.
    pub fn extended(self, code: u8, operands: impl AsRef<[u8]>) -> Bytes {
        let operands = operands.as_ref();
        self.raw([0])
            .uleb(operands.len() as u64 + 1)
            .raw([code])
            .raw(operands)
    }

    pub fn end_sequence(self) -> Bytes {
        self.extended(1, [])
    }

    pub fn set_address(self, address: u64) -> Bytes {
        let operand = self.shape.bytes().address(address).bytes;
        self.extended(2, operand)
    }

    pub fn copy(self) -> Bytes {
        self.raw([1])
    }

    pub fn advance_pc(self, by: u64) -> Bytes {
        self.raw([2]).uleb(by)
    }

    pub fn advance_line(self, by: i64) -> Bytes {
        self.raw([3]).sleb(by)
    }

    pub fn set_file(self, file: u64) -> Bytes {
        self.raw([4]).uleb(file)
    }

    pub fn set_column(self, column: u64) -> Bytes {
        self.raw([5]).uleb(column)
    }
}
