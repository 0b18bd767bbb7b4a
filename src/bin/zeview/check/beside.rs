//! SPIR-V beside native code in a folder, as `ocloc` writes both: `NAME.spv` and `NAME_DEVICE.bin`,
//! or `NAME.DEVICE.zebin`.

use std::fs;
use std::path::Path;

use zeview::decode::rules::ZEBIN_KERNEL_ONLY_IN_SPIRV as RULE;
use zeview::model::{Diagnostic, Document, Label, NodeId};

use crate::input;

/// Returns a finding for each kernel that the native code lacks, and the SPIR-V of the same name in
/// the folder has. Files without a common kernel do not belong together.
pub fn dropped_kernels(document: &Document, path: &Path) -> Vec<Diagnostic> {
    let is_native = document.summary.has.loadable;
    let Some(native) = document.kernels(NodeId::ROOT).filter(|_| is_native) else {
        return Vec::new();
    };
    let sources = &document.sources;
    // Its own SPIR-V was checked with the file.
    if native.only_spirv(sources).is_some() {
        return Vec::new();
    }
    let Some((name, spirv)) = spirv_beside(path) else {
        return Vec::new();
    };
    let Some(kernels) = spirv.kernels(NodeId::ROOT) else {
        return Vec::new();
    };
    let rows = kernels.rows(&spirv.sources);
    let names = rows.iter().map(|row| row.name.value.as_str());
    let (common, lost): (Vec<&str>, _) = names.partition(|name| native.has_native(name));
    if common.is_empty() {
        return Vec::new();
    }
    // No bytes are wrong, so the file as a whole is meant: its `e_ident`.
    let start = document.root().span.unwrap_or_default().subspan(0, 16);
    let found = lost.into_iter().map(|kernel| Diagnostic {
        rule: RULE.id.into(),
        severity: RULE.severity,
        message: format!("no native code of {kernel}, a kernel of {name}"),
        primary: Label {
            span: start,
            text: "".into(),
        },
        secondary: Vec::new(),
        help: None,
    });
    found.collect()
}

/// Opens the SPIR-V in the folder of a file that has its name up to the first dot, or up to an
/// underscore before that.
fn spirv_beside(path: &Path) -> Option<(String, Document)> {
    let name = path.file_name()?.to_str()?;
    let stem = name.split('.').next()?;
    let mut stems = vec![stem];
    stems.extend(stem.rmatch_indices('_').map(|(at, _)| &stem[..at]));
    let is_file = |path: &Path| fs::metadata(path).is_ok_and(|found| found.is_file());
    let stems = stems.into_iter().filter(|stem| !stem.is_empty());
    let mut names = stems.map(|stem| format!("{stem}.spv"));
    let name = names.find(|name| is_file(&path.with_file_name(name)))?;
    let document = input::open(&path.with_file_name(&name)).ok()?;
    (document.summary.format == "spirv").then_some((name, document))
}
