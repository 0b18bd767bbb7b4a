//! Recognition of profiles.

use crate::ui::text::format;

/// Extensions of text files that may be profiles.
const TEXTS: [&str; 4] = ["txt", "log", "out", "json"];

/// Returns whether a file has the name of a table of comma-separated values.
pub fn is_csv(name: &str) -> bool {
    extension(name).is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// Returns whether a file of this name may be a profile: a text or JSON file, or a file whose extension
/// is the number of a process. Its beginning decides.
pub fn may_be_profile(name: &str) -> bool {
    extension(name).is_some_and(|extension| {
        TEXTS.contains(&extension.to_ascii_lowercase().as_str())
            || extension.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// Returns whether the files of a folder are those of a run of unitrace (`--result-dir`): profiles, and
/// no binaries.
pub fn is_result_folder<'a>(mut paths: impl Iterator<Item = &'a str>) -> bool {
    let mut has_profile = false;
    let are_results = paths.all(|path| {
        let name = path.rsplit('/').next().unwrap_or(path);
        has_profile |= name == "device_timing.txt" || name.starts_with("metrics") && is_csv(name);
        is_csv(name)
            || extension(name).is_some_and(|extension| ["txt", "json"].contains(&extension))
    });
    are_results && has_profile
}

/// Counts the metrics of a profile.
pub fn metrics(names: &[String]) -> String {
    let count = format::counted(names.len() as u64, "metric", "metrics");
    format!("{count} of kernels, as columns of the kernel table")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_a_run_have_no_binaries() {
        let run = ["app.12/run_config.json", "app.12/metrics/metrics_0.csv"];
        assert!(is_result_folder(run.into_iter()));
        assert!(is_result_folder(["app.12/device_timing.txt"].into_iter()));
        assert!(!is_result_folder(
            ["app.12/metrics/metrics_0.csv", "a.zebin"].into_iter()
        ));
        assert!(!is_result_folder(["a.txt", "b.json"].into_iter()));
        assert!(!is_result_folder([].into_iter()));
    }

    #[test]
    fn names_select_the_files_whose_header_is_read() {
        assert!(is_csv("perf.metrics.123.CSV") && !is_csv("csv"));
        assert!(may_be_profile("perf.metrics.123") && may_be_profile("a.LOG"));
        assert!(may_be_profile("instcount.json"));
        assert!(!may_be_profile("a.zebin") && !may_be_profile("program"));
    }
}
