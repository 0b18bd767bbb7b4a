//! Messages about names that mean no kernel, or several.

use std::fmt;

use foldhash::HashSet;
use zeview_core::model::suggest::unknown_name;
use zeview_core::model::text::plural;
use zeview_core::model::{Document, is_pattern};

use super::{Build, KernelForms, KernelQuery};

/// Maximum number of builds in a message.
const LISTED: usize = 20;

/// The error of a name that means no kernel, or several.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KernelNameError {
    /// The query.
    pub query: Box<KernelQuery>,
    /// The reason.
    pub reason: Reason,
}

/// Why a name does not mean one kernel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reason {
    /// There are no kernels.
    NoKernels,
    /// No kernel has the name. Contains similar names.
    NoName(Vec<String>),
    /// No device has the name. Contains similar names.
    NoDevice(Vec<String>),
    /// No file of the package with kernels has the path. Contains similar paths.
    NoFile(Vec<String>),
    /// The path is unknown. Contains the message.
    Path(String),
    /// The kernel has builds, but not for the device or in the image.
    NotHere(Vec<Build>),
    /// The kernel has no native code.
    NoCode(Vec<Build>),
    /// There are several builds.
    Several(Vec<Build>),
}

impl KernelNameError {
    pub(super) fn new(query: &KernelQuery, reason: Reason) -> KernelNameError {
        KernelNameError {
            query: Box::new(query.clone()),
            reason,
        }
    }

    /// Returns a code for programs.
    pub fn code(&self) -> &'static str {
        match &self.reason {
            Reason::NoKernels | Reason::NoName(_) | Reason::NoFile(_) | Reason::NotHere(_) => {
                "no-kernel"
            }
            Reason::NoDevice(_) => "no-device",
            Reason::Path(_) => "no-path",
            Reason::NoCode(_) => "no-code",
            Reason::Several(_) => "several-kernels",
        }
    }

    /// Returns the builds that the message lists.
    pub fn builds(&self) -> &[Build] {
        match &self.reason {
            Reason::NotHere(builds) | Reason::NoCode(builds) | Reason::Several(builds) => builds,
            _ => &[],
        }
    }

    /// Returns the message without the list of builds.
    pub fn headline(&self) -> String {
        let query = &self.query;
        let name = &query.name;
        match &self.reason {
            Reason::NoKernels if query.forms == KernelForms::Code => {
                "no kernels with native code".to_owned()
            }
            Reason::NoKernels => "no kernels".to_owned(),
            Reason::NoName(near) if is_pattern(name) && near.is_empty() => {
                format!("no kernel matches {name:?}")
            }
            Reason::NoName(near) => unknown_name("kernel", name, near),
            Reason::NoDevice(near) => {
                unknown_name("device", query.device.as_deref().unwrap_or_default(), near)
            }
            Reason::NoFile(near) => {
                let file = query.file.as_deref().unwrap_or_default();
                unknown_name("file with kernels", file, near)
            }
            Reason::Path(message) => message.clone(),
            Reason::NotHere(_) => {
                let wanted = [("device", &query.device), ("image", &query.image)];
                let wanted = wanted.iter().filter_map(|(title, wanted)| {
                    let wanted = wanted.as_ref()?;
                    Some(format!("{title} {wanted:?}"))
                });
                let wanted = wanted.collect::<Vec<_>>().join(" and ");
                match &**name {
                    "" => format!("no kernel has {wanted}; there are"),
                    name => format!("no build of {name:?} has {wanted}; there are"),
                }
            }
            Reason::NoCode(_) => match &**name {
                "" => "no kernel has native code".to_owned(),
                name => format!(
                    "{name:?} has no native code: it is compiled from SPIR-V at its first use"
                ),
            },
            Reason::Several(builds) => {
                let names: HashSet<&str> = builds.iter().map(|build| &*build.name).collect();
                let (count, builds) = (names.len(), builds.len());
                let mut kernels = plural(count as u64, "kernel");
                if builds > count {
                    kernels = format!("{} of {kernels}", plural(builds as u64, "build"));
                }
                match count {
                    _ if query.is_for_all() => format!("the file has {kernels}"),
                    1 => format!("{} of {name:?}", plural(builds as u64, "build")),
                    _ => format!("{name:?} means {kernels}"),
                }
            }
        }
    }
}

impl fmt::Display for KernelNameError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.headline())?;
        let builds = match &self.reason {
            Reason::NoCode(_) => &[],
            _ => self.builds(),
        };
        if !builds.is_empty() {
            f.write_str(":")?;
        }
        for line in describe(builds, None) {
            write!(f, "\n  {line}")?;
        }
        Ok(())
    }
}

impl std::error::Error for KernelNameError {}

/// Returns a line for each build with what tells it apart from the others: name, device, file, image,
/// options; with a document, also register and SIMD sizes. The last line has the number of builds that
/// are left out.
pub fn describe(builds: &[Build], document: Option<&Document>) -> Vec<String> {
    let listed = builds.get(..LISTED.min(builds.len())).unwrap_or_default();
    let differ = |value: &dyn Fn(&Build) -> &str| {
        let values: HashSet<&str> = builds.iter().map(value).collect();
        values.len() > 1
    };
    let values: [&dyn Fn(&Build) -> &str; 6] = [
        &|build| &build.title,
        &|build| &build.device,
        &|build| &build.file,
        &|build| &build.image,
        &|build| &build.member,
        &|build| &build.options,
    ];
    // A device, file and image are listed even if they are the same.
    let shown = values.iter().enumerate().filter(|(at, value)| match at {
        0 | 4 | 5 => differ(value),
        _ => builds.iter().any(|build| !value(build).is_empty()),
    });
    let shown: Vec<&dyn Fn(&Build) -> &str> = shown.map(|(_, value)| *value).collect();
    let mut rows: Vec<Vec<String>> = listed
        .iter()
        .map(|build| shown.iter().map(|value| value(build).to_owned()).collect())
        .collect();
    if let Some(document) = document {
        for (row, build) in rows.iter_mut().zip(listed) {
            row.push(figures(build, document));
        }
    }
    let columns = rows.first().map_or(0, Vec::len);
    let width = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.get(column));
        cells.map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(width).collect();
    let lines = rows.iter().map(|row| {
        let mut line = String::new();
        for (cell, width) in row.iter().zip(&widths).filter(|(_, width)| **width > 0) {
            line.push_str(&format!("{cell:width$}  "));
        }
        line.trim_end().to_owned()
    });
    let mut lines: Vec<String> = lines.collect();
    if builds.len() > listed.len() {
        lines.push(format!("and {} more", builds.len() - listed.len()));
    }
    lines
}

/// Formats the SIMD width and the number of registers of a build: `SIMD16, 256 registers`.
fn figures(build: &Build, document: &Document) -> String {
    let rows = document.kernels(build.document);
    let rows = rows.map(|kernels| kernels.rows(&document.sources));
    let row = rows
        .iter()
        .flat_map(|rows| rows.iter())
        .find(|row| row.name.value == build.name);
    let mut parts = Vec::new();
    if let Some(row) = row.filter(|row| !row.is_spirv) {
        if row.simd_size.span.is_some() {
            parts.push(format!("SIMD{}", row.simd_size.value));
        }
        if row.grf_count.span.is_some() {
            parts.push(format!("{} registers", row.grf_count.value));
        }
    }
    parts.join(", ")
}
