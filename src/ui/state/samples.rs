//! The sample files in `www/samples`.

/// A sample file.
pub struct Sample {
    /// File name in the folder of the samples.
    pub file: &'static str,
    /// The second sample, if two are compared.
    pub base: Option<&'static str>,
    /// Kind of file.
    pub label: &'static str,
    /// One sentence about its content.
    pub about: &'static str,
}

impl Sample {
    /// Short label that distinguishes it from the other samples.
    pub fn key(&self) -> &'static str {
        self.base.unwrap_or(self.file)
    }
}

/// The sample files.
pub const SAMPLES: &[Sample] = &[
    Sample {
        file: "vecadd.bmg.zebin",
        base: None,
        label: "vecadd · Battlemage",
        about: "The smallest complete zebin: one kernel",
    },
    Sample {
        file: "spill.dg2.zebin",
        base: None,
        label: "Spilling kernels · Arc",
        about: "One kernel spills, two have large private arrays",
    },
    Sample {
        file: "vecadd.bmg.zebin",
        base: Some("vecadd-O0.bmg.zebin"),
        label: "Two builds, compared",
        about: "vecadd at -O0 and -O2, side by side",
    },
    Sample {
        file: "program.host",
        base: None,
        label: "Host program",
        about: "An x86-64 program with kernels for Arc and Battlemage",
    },
    Sample {
        file: "matmul.syclbin",
        base: None,
        label: "SYCLBIN",
        about: "A matrix multiplication compiled for 12 GPUs",
    },
    Sample {
        file: "kernels600.dg2.zebin",
        base: None,
        label: "600 kernels · Arc",
        about: "600 kernels, 3 MB: try sorting and filtering",
    },
    Sample {
        file: "damaged.zebin",
        base: None,
        label: "Damaged file",
        about: "A broken vecadd: 8 errors, each located and explained",
    },
];
