//! Builds SPIR-V modules, word by word.

/// A module, in words of the host's byte order.
#[derive(Debug, Clone)]
pub struct Module {
    words: Vec<u32>,
    big: bool,
}

/// Encodes text as operands: with a NUL, padded to whole words.
pub fn text(text: &str) -> Vec<u32> {
    let mut bytes = text.as_bytes().to_vec();
    bytes.resize(bytes.len() / 4 * 4 + 4, 0);
    let word = |four: &[u8]| u32::from_le_bytes(four.try_into().unwrap());
    bytes.chunks(4).map(word).collect()
}

impl Module {
    /// Returns a header, with ids below `bound`.
    pub fn new(bound: u32) -> Module {
        Module {
            words: vec![0x0723_0203, 0x0001_0400, 6 << 16 | 14, bound, 0],
            big: false,
        }
    }

    /// Swaps the byte order.
    pub fn big(mut self) -> Module {
        self.big = true;
        self
    }

    /// Adds an instruction with its operands.
    pub fn op(self, opcode: u16, operands: &[u32]) -> Module {
        let count = u32::try_from(operands.len() + 1).unwrap();
        self.words(&[count << 16 | u32::from(opcode)])
            .words(operands)
    }

    /// Adds an instruction with a text after the other operands.
    pub fn op_text(self, opcode: u16, operands: &[u32], last: &str) -> Module {
        self.op(opcode, &[operands, &text(last)].concat())
    }

    /// Adds words.
    pub fn words(mut self, words: &[u32]) -> Module {
        self.words.extend_from_slice(words);
        self
    }

    /// Replaces a word.
    pub fn with(mut self, at: usize, word: u32) -> Module {
        self.words[at] = word;
        self
    }

    pub fn build(&self) -> Vec<u8> {
        let bytes = |word: &u32| {
            if self.big {
                word.to_be_bytes()
            } else {
                word.to_le_bytes()
            }
        };
        self.words.iter().flat_map(bytes).collect()
    }
}

/// Returns a kernel with one of each kind of operand.
pub fn kernel() -> Module {
    Module::new(32)
        .op(17, &[4]) // OpCapability Addresses
        .op(17, &[6]) // Kernel
        .op_text(11, &[1], "OpenCL.std")
        .op(14, &[2, 2]) // OpMemoryModel Physical64 OpenCL
        .op_text(15, &[6, 12], "add") // OpEntryPoint Kernel
        .op(16, &[12, 30, 8]) // OpExecutionMode VecTypeHint
        .op(3, &[3, 200_000]) // OpSource OpenCL_C
        .op_text(5, &[12], "add")
        .op_text(5, &[13], "a\u{e4}")
        .op(71, &[13, 38, 5]) // OpDecorate FuncParamAttr NoCapture
        .op_text(71, &[12, 41], "linked") // LinkageAttributes, cut short
        .op(21, &[2, 32, 0]) // OpTypeInt
        .op(21, &[3, 64, 1])
        .op(22, &[4, 32]) // OpTypeFloat
        .op(22, &[5, 64])
        .op(22, &[6, 16])
        .op(19, &[7]) // OpTypeVoid
        .op(32, &[8, 5, 2]) // OpTypePointer CrossWorkgroup
        .op(33, &[9, 7, 8]) // OpTypeFunction
        .op(43, &[2, 14, 7]) // OpConstant
        .op(43, &[3, 15, 0xffff_fff9, 0xffff_ffff])
        .op(43, &[4, 16, 0x3fc0_0000])
        .op(43, &[5, 17, 0, 0xc000_0000])
        .op(43, &[6, 18, 0x3c00])
        .op(52, &[2, 19, 128, 14, 14]) // OpSpecConstantOp IAdd
        .op(54, &[7, 12, 0, 9]) // OpFunction
        .op(55, &[8, 13]) // OpFunctionParameter
        .op(248, &[20]) // OpLabel
        .op(61, &[2, 21, 13, 2, 4]) // OpLoad Aligned 4
        .op(12, &[4, 22, 1, 14, 16]) // OpExtInst cos
        .op(251, &[21, 23, 1, 24, 2, 23]) // OpSwitch
        .op(248, &[23])
        .op(253, &[])
        .op(248, &[24])
        .op(0x7ffe, &[1, 2, 3]) // there is none
        .op(21, &[25]) // cut short
        .op(19, &[26, 27, 28]) // too long
        .op(253, &[])
        .op(56, &[])
}

/// Returns a module with the kernels `k` and `lost`, their arguments' names and types, and the sizes
/// that `lost` requires.
pub fn two_kernels() -> Module {
    Module::new(32)
        .op(17, &[6]) // OpCapability Kernel
        .op(14, &[2, 2]) // OpMemoryModel Physical64 OpenCL
        .op_text(15, &[6, 1], "k") // OpEntryPoint Kernel
        .op_text(15, &[6, 2], "lost")
        .op_text(15, &[5, 3], "main") // GLCompute
        .op(16, &[2, 17, 8, 4, 1]) // OpExecutionMode LocalSize
        .op(16, &[2, 35, 16]) // SubgroupSize
        .op_text(7, &[20], "kernel_arg_type.k.uint,")
        .op_text(7, &[21], "kernel_arg_type_qual.k.const,")
        .op_text(5, &[4], "n")
        .op_text(5, &[5], "out")
        .op_text(5, &[13], "struct.pair")
        .op(71, &[7, 38, 2]) // OpDecorate FuncParamAttr ByVal
        .op(19, &[8]) // OpTypeVoid
        .op(21, &[9, 32, 0]) // OpTypeInt
        .op(22, &[10, 32]) // OpTypeFloat
        .op(23, &[11, 10, 4]) // OpTypeVector
        .op(32, &[12, 5, 11]) // OpTypePointer CrossWorkgroup
        .op(30, &[13, 9, 9]) // OpTypeStruct
        .op(32, &[14, 7, 13]) // OpTypePointer Function
        .op(25, &[15, 8, 1, 0, 1, 0, 0, 0, 1]) // OpTypeImage 2D, array, WriteOnly
        .op(33, &[16, 8, 9]) // OpTypeFunction
        .op(54, &[8, 1, 0, 16]) // OpFunction
        .op(55, &[9, 4]) // OpFunctionParameter
        .op(248, &[17])
        .op(253, &[])
        .op(56, &[])
        .op(54, &[8, 2, 0, 16])
        .op(55, &[12, 5])
        .op(55, &[15, 6])
        .op(55, &[14, 7])
        .op(248, &[18])
        .op(253, &[])
        .op(56, &[])
}

/// Returns a zebin with the kernel `k`, whose SPIR-V also has the kernel `lost`.
pub fn with_dropped_kernel() -> Vec<u8> {
    let module = two_kernels().build();
    let section = super::elf::Section::new(".spv", 0xff00_0009, module);
    super::zebin::small().section(section).build().bytes
}
