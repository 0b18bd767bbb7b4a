//! Recognition of profiles.

use crate::ui::text::format;

/// Extensions of text files that may be profiles.
const TEXTS: [&str; 3] = ["txt", "log", "out"];

/// Returns whether a file has the name of a table of comma-separated values.
pub fn is_csv(name: &str) -> bool {
    extension(name).is_some_and(|extension| extension.eq_ignore_ascii_case("csv"))
}

/// Returns whether a file of this name may be a profile: a text file, or a file whose extension is
/// the number of a process.
pub fn may_be_profile(name: &str) -> bool {
    extension(name).is_some_and(|extension| {
        TEXTS.contains(&extension.to_ascii_lowercase().as_str())
            || extension.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn extension(name: &str) -> Option<&str> {
    name.rsplit_once('.').map(|(_, extension)| extension)
}

/// Returns whether a file with this beginning is a profile of unitrace, by its first line.
pub fn is_profile(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}');
    let first = text.lines().map(str::trim).find(|line| !line.is_empty());
    first.is_some_and(|line| {
        line.starts_with("=== Device #") || line.split(',').map(str::trim).next() == Some("Kernel")
    })
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
    fn profiles_are_recognized_by_their_header() {
        assert!(is_profile(b"\n=== Device #0 Metrics ===\n"));
        assert!(is_profile(
            b"\xef\xbb\xbf\r\n  Kernel, IP[Address], Active[Events]"
        ));
        assert!(is_profile(b"Kernel,GlobalInstanceId,GpuTime[ns]\n"));
        assert!(!is_profile(b""));
        assert!(!is_profile(b"\x7fELF\x02\x01"));
        assert!(!is_profile(b"Kernels, a list\nKernel, IP[Address]"));
    }

    #[test]
    fn names_select_the_files_whose_header_is_read() {
        assert!(is_csv("perf.metrics.123.CSV") && !is_csv("csv"));
        assert!(may_be_profile("perf.metrics.123") && may_be_profile("a.LOG"));
        assert!(!may_be_profile("a.zebin") && !may_be_profile("program"));
    }
}
