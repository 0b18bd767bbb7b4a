//! Profiles on the code of a document.

use zeview_analysis::profile::{
    Profile, ProfileComparison, Reader, add_profile, apply_profile, device_of_name,
};

use super::operations::ApiError;
use crate::decode::demangle::demangle_briefly;
use crate::model::json::Versioned;
use crate::model::{Document, NodeId};
use crate::report::profile::{ProfileJson, json};
use crate::tables::{self, ListId, add_metric_columns};

/// A profile that is read in pieces: a file, or all files of a run.
#[derive(Default)]
pub struct ProfileFiles {
    reader: Reader,
    /// The device that the name of the current file states.
    device: Option<u32>,
    /// The files before the current one.
    before: Option<Profile>,
}

impl ProfileFiles {
    /// Reads the next piece of the file.
    pub fn push(&mut self, piece: &[u8]) {
        self.reader.push(piece);
    }

    /// Starts the next file of the same run, after the last piece of the one before. The name may
    /// state a device: `metrics_1.csv`.
    pub fn next_file(&mut self, name: &str) {
        if self.reader.bytes() > 0 {
            let read = std::mem::take(self).finish();
            self.before = Some(read);
        }
        self.device = device_of_name(name);
    }

    /// Returns the profile of all files.
    pub fn finish(self) -> Profile {
        let mut profile = self.reader.finish();
        if let Some(device) = self.device {
            profile.set_device(device);
        }
        let Some(mut all) = self.before else {
            return profile;
        };
        let problems = std::mem::take(&mut profile.problems);
        all.more_problems += profile.more_problems;
        all.join(profile);
        all.problems.extend(problems);
        all
    }
}

/// Finds each kernel of a profile in a document, and adds its samples and metrics to the columns of
/// kernels. Passes the report that `zeview profile --json` prints to `write`. `before` is an earlier
/// profile of the same file.
///
/// # Errors
///
/// If the report cannot be written (`internal`); or the error of `write`.
pub fn profile<R, E: From<ApiError>>(
    document: &mut Document,
    profile: &Profile,
    before: Option<&Profile>,
    write: impl FnOnce(&Versioned<ProfileJson<'_>>) -> Result<R, E>,
) -> Result<R, E> {
    document.open_files(NodeId::ROOT);
    let images = tables::documents_with(document, ListId::Kernels);
    let mut apply =
        |profile: &Profile| apply_profile(document, &images, profile, None, &demangle_briefly);
    let earlier = before.map(&mut apply);
    let report = apply(profile);
    let comparison = earlier
        .as_ref()
        .map(|earlier| ProfileComparison::new(earlier, &report));
    let found = json(
        (profile, &report),
        before.zip(earlier.as_ref()),
        comparison.as_ref(),
    );
    let found = found.map_err(|error| ApiError::new("internal", error.to_string()))?;
    let result = write(&Versioned::new(found));
    add_metric_columns(report.metric_names().iter().map(String::as_str));
    add_profile(document, report);
    result
}
