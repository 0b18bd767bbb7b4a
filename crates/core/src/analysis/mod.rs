//! Analyses that need more than one field of a file: kernels, images, modules, linkage, code,
//! source lines, occupancy, profiles, and the driver's verdict.
//!
//! Each module has the plain data of a result and, where formats compute it, the trait that
//! they implement. [`Document`](crate::model::Document) gets a method for
//! each here, so that the model does not depend on them.

pub mod assembly;
pub mod blocks;
pub mod data_flow;
pub mod figure;
pub mod host_images;
mod image_choice;
mod image_graph;
mod image_samples;
pub mod images;
pub mod kernel_inputs;
pub mod kernel_order;
pub mod kernels;
pub mod line_costs;
pub mod linkage;
pub mod matrix;
pub mod modules;
pub mod naming;
pub mod occupancy;
pub mod package;
mod package_images;
mod package_paths;
pub mod package_reading;
pub mod profile;
pub mod source_lines;
pub mod survey;
pub mod unread;
mod verdict;

pub use verdict::{
    ApiVerdict, DriverModel, Import, KnownDevice, LoadOptions, Matching, NeededRelease, Rebuild,
    Verdict,
};
