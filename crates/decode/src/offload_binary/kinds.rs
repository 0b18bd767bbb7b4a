//! Kinds of images and offload models, in the numbering of all writers.
#![allow(non_upper_case_globals)]

use crate::{flags, open_enum};

open_enum! {
    /// The kind of an image. OffloadBinary.h, ImageKind; 6 and 7 are intel/llvm's.
    pub struct ImageKind(u8) {
        /// Not specified.
        None = 0,
        /// An object file.
        Object = 1,
        /// LLVM bitcode.
        Bitcode = 2,
        /// CUDA machine code.
        Cubin = 3,
        /// CUDA machine code for several devices.
        Fatbinary = 4,
        /// PTX: assembly.
        PTX = 5,
        /// SPIR-V; SYCLBIN in files of early 2025.
        SPIRV = 6,
        /// SYCLBIN.
        SYCLBIN = 7,
    }
}

open_enum! {
    /// The programming model of an image. OffloadBinary.h, OffloadKind: older LLVM and intel/llvm
    /// number them, newer LLVM assigns a bit to each.
    pub struct OffloadKind(u8) {
        /// None.
        None = 0,
        /// OpenMP.
        OpenMP = 1,
        /// CUDA.
        CUDA = 2,
        /// HIP in the sequential numbering; CUDA and OpenMP in the bit mask.
        HIP_counted = 3,
        /// SYCL in the sequential numbering; HIP in the bit mask.
        SYCL_or_HIP = 4,
        /// SYCL, from the runtime's own writer.
        SYCL_runtime = 5,
        /// SYCL in the bit mask.
        SYCL = 8,
    }
}

flags! {
    /// OffloadBinary.h, OffloadFlags.
    pub struct EntryFlags {
        /// The entry has metadata, and no image.
        OIF_Metadata = 1,
    }
}
