//! The files that come with the page, in `www/samples`.

/// A file that comes with the page.
pub struct Sample {
    /// Its name in the folder of the samples.
    pub file: &'static str,
    /// It is compared with this one, the first of two.
    pub base: Option<&'static str>,
    /// What it is.
    pub label: &'static str,
    /// What can be seen in it, in a sentence.
    pub about: &'static str,
}

impl Sample {
    /// What tells it from the others.
    pub fn key(&self) -> &'static str {
        self.base.unwrap_or(self.file)
    }
}

/// The files that come with the page.
pub const SAMPLES: &[Sample] = &[
    Sample {
        file: "vecadd.bmg.zebin",
        base: None,
        label: "vecadd · Battlemage",
        about: "One small kernel: the smallest complete file.",
    },
    Sample {
        file: "spill.dg2.zebin",
        base: None,
        label: "Spilling kernels · Arc",
        about: "One kernel spills, two have large private arrays.",
    },
    Sample {
        file: "vecadd.bmg.zebin",
        base: Some("vecadd-O0.bmg.zebin"),
        label: "Two builds, compared",
        about: "vecadd without and with optimisation.",
    },
    Sample {
        file: "program.host",
        base: None,
        label: "Host program",
        about: "An x86-64 program with device images in it.",
    },
    Sample {
        file: "matmul.syclbin",
        base: None,
        label: "SYCLBIN",
        about: "Native images of a matrix product.",
    },
    Sample {
        file: "kernels600.dg2.zebin",
        base: None,
        label: "600 kernels · Arc",
        about: "A large file: 3 MB, sorted and filtered at once.",
    },
    Sample {
        file: "damaged.zebin",
        base: None,
        label: "Damaged file",
        about: "vecadd with eight faults, each found and explained.",
    },
];
