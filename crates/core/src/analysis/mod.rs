//! Facts that need more than one field of a file: kernels, images, modules, linkage, code, source
//! lines, occupancy, and the driver's verdict. `zeview-analysis` has what is made from them.
//!
//! Each module has the plain data of a result and, where formats compute it, the trait that
//! they implement. [`Document`](crate::model::Document) gets a method for
//! each here, so that the model does not depend on them.

pub mod assembly;
pub mod blocks;
pub mod data_flow;
pub mod figure;
mod first_use;
pub mod functions;
pub mod host_images;
mod image_choice;
mod image_graph;
mod image_samples;
pub mod images;
pub mod inlining;
pub mod kernel_inputs;
pub mod kernels;
pub mod linkage;
pub mod module_text;
pub mod modules;
pub mod occupancy;
pub mod package;
mod package_images;
mod package_paths;
pub mod package_reading;
pub mod source_lines;
mod verdict;

pub use first_use::FirstUse;
pub use verdict::{
    ApiVerdict, DriverModel, Import, KnownDevice, LoadOptions, Matching, NeededRelease, Rebuild,
    Verdict,
};
