//! Recognizes profiles by their beginning and their name.

/// Returns whether a file with this beginning is a profile: a banner or a header of unitrace or oneprof,
/// or the JSON of a tool of PTI that uses GTPin. Lines of a program's own output may come before.
#[must_use]
pub fn is_profile(start: &[u8]) -> bool {
    let text = String::from_utf8_lossy(start);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    if text.starts_with('{') {
        // `app_name` is the first key of all of these tools.
        let inner = text.get(1..).unwrap_or_default().trim_start();
        return inner.starts_with("\"app_name\"");
    }
    text.lines().map(str::trim).any(is_banner_or_header)
}

fn is_banner_or_header(line: &str) -> bool {
    let sections = ["Timing Summary ===", "Kernel Properties ==="];
    let is_banner = line.starts_with("=== ") && sections.iter().any(|end| line.ends_with(end));
    let mut columns = line.split(',').map(|name| name.trim().trim_matches('"'));
    let is_header = match (columns.next(), columns.next()) {
        (Some("Kernel"), Some(second)) => {
            let second = second.split('[').next().unwrap_or_default();
            let known = [
                "IP",
                "GlobalInstanceId",
                "Device",
                "SubDeviceId",
                "GpuTime",
                "Calls",
                "Compiled",
                "Number of Arguments",
            ];
            known.contains(&second)
        }
        (Some("IP" | "IP[Address]"), Some(_)) => true,
        _ => false,
    };
    let is_metrics = line.starts_with("=== Device #") || line == "== Kernel Metrics ==";
    is_banner || is_header || is_metrics
}

/// Returns the number of the device in the name of a file of a result folder (`unitrace
/// --result-dir`): 1 for `metrics_1.csv`. These files have no banners.
#[must_use]
pub fn device_of_name(name: &str) -> Option<u32> {
    let digits = name.strip_prefix("metrics_")?.strip_suffix(".csv")?;
    let is_number = digits.bytes().all(|byte| byte.is_ascii_digit());
    digits.parse().ok().filter(|_| is_number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn profiles_are_recognized_by_their_beginning() {
        for start in [
            "\n=== Device #0 Metrics ===\n",
            "\u{feff}\r\n  Kernel, IP[Address], Active[Events]",
            "Kernel,GlobalInstanceId,GpuTime[ns]\n",
            "IP[Address],Active[Events],\nvecadd!0x00,1,\n",
            "Kernel,Device,SubDeviceId,GpuTime[ns],\n",
            "Kernel, GpuTime[ns], GpuCoreClocks[cycles],\n",
            "hello\nworld\n\n=== Device Timing Summary ===\n",
            "   Kernel,       Calls,           Time (ns), Time (%)",
            "{\n\"app_name\":\"gemm\",\"kernels\":[",
            "\"Kernel\",\"IP[Address]\",\"Active[Events]\"",
        ] {
            assert!(is_profile(start.as_bytes()), "{start}");
        }
        for start in [
            "",
            "\u{7f}ELF\u{2}\u{1}",
            "Kernels, a list\nKernel, Name",
            "{\"traceEvents\": [",
            "=== API Summary ===\n",
            "a,b,c\n1,2,3\n",
        ] {
            assert!(!is_profile(start.as_bytes()), "{start}");
        }
    }

    #[test]
    fn names_of_a_result_folder_have_the_device() {
        assert_eq!(device_of_name("metrics_1.csv"), Some(1));
        for name in [
            "metrics.csv",
            "metrics_.csv",
            "metrics_+1.csv",
            "perf.metrics.12",
        ] {
            assert_eq!(device_of_name(name), None, "{name}");
        }
    }
}
