//! Builds IGC's program debug data, from program_debug_data.h.

/// A program, with the values of its header.
#[derive(Debug, Clone)]
pub struct Program {
    pub version: u32,
    pub size: u32,
    pub device: u32,
    /// Number of kernels in the header; defaults to the actual number.
    pub count: Option<u32>,
    pub kernels: Vec<Kernel>,
    pub trailing: Vec<u8>,
}

/// A kernel's debug data.
#[derive(Debug, Clone, Default)]
pub struct Kernel {
    /// Name with NUL and padding.
    pub name: Vec<u8>,
    /// Size of the name in the header; defaults to the actual size.
    pub name_size: Option<u32>,
    pub visa: Vec<u8>,
    pub generated: Vec<u8>,
}

impl Kernel {
    /// Returns a kernel with a name as IGC writes it.
    pub fn named(name: &str) -> Kernel {
        let mut name = name.as_bytes().to_vec();
        name.resize(name.len() / 4 * 4 + 4, 0);
        Kernel {
            name,
            ..Kernel::default()
        }
    }

    /// Sets the vISA debug data.
    pub fn visa(mut self, bytes: &[u8]) -> Kernel {
        self.visa = bytes.to_vec();
        self.visa.resize(bytes.len().next_multiple_of(4), 0);
        self
    }

    fn build(&self) -> Vec<u8> {
        let len = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap();
        let name_size = self.name_size.unwrap_or(len(&self.name));
        let sizes = [name_size, len(&self.visa), len(&self.generated)];
        let header: Vec<u8> = sizes.iter().flat_map(|size| size.to_le_bytes()).collect();
        [&header[..], &self.name, &self.visa, &self.generated].concat()
    }
}

/// Returns a program of these kernels for Gen9.
pub fn program(kernels: Vec<Kernel>) -> Program {
    Program {
        version: 1082,
        size: 0,
        device: 12,
        count: None,
        kernels,
        trailing: Vec::new(),
    }
}

impl Program {
    pub fn build(&self) -> Vec<u8> {
        let count = u32::try_from(self.kernels.len()).unwrap();
        let count = self.count.unwrap_or(count);
        let header = [
            0x494e_5443,
            self.version,
            self.size,
            self.device,
            6,
            0,
            count,
        ];
        let mut bytes: Vec<u8> = header
            .iter()
            .flat_map(|word: &u32| word.to_le_bytes())
            .collect();
        for kernel in &self.kernels {
            bytes.extend(kernel.build());
        }
        bytes.extend_from_slice(&self.trailing);
        bytes
    }
}
