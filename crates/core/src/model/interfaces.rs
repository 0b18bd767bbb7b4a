//! What a document offers beyond its rows.

use std::rc::Rc;

use crate::analysis::assembly::Assembly;
use crate::analysis::host_images::HostImages;
use crate::analysis::kernels::Kernels;
use crate::analysis::linkage::Linkage;
use crate::analysis::module_text::ModuleText;
use crate::analysis::modules::Modules;
use crate::analysis::package::PackageFiles;
use crate::analysis::source_lines::SourceLines;

/// What a document offers beyond its rows; each format fills in what it has. Nothing is read to
/// make it: the parts read what they are asked for.
#[derive(Clone, Default)]
pub struct Interfaces {
    /// The kernels that it lists.
    pub kernels: Option<Rc<dyn Kernels>>,
    /// Its symbols and relocations.
    pub linkage: Option<Rc<Linkage>>,
    /// Its code.
    pub assembly: Option<Rc<dyn Assembly>>,
    /// The source lines of its code.
    pub source_lines: Option<Rc<SourceLines>>,
    /// The device images in a host file or an OffloadBinary.
    pub host_images: Option<Rc<dyn HostImages>>,
    /// The modules of a SYCLBIN.
    pub modules: Option<Rc<dyn Modules>>,
    /// Its text: of a module of an intermediate representation, which can also be a section of a
    /// document.
    pub text: Option<Rc<dyn ModuleText>>,
    /// The files of a package or folder.
    pub files: Option<Rc<dyn PackageFiles>>,
}
