//! Profiles of any size that are expensive to read, or to match with the kernels of a file.

use std::fmt::Write;

/// Returns a profile of about this size in bytes.
pub type MakeProfile = fn(usize) -> String;

/// All constructs, by name.
pub const PROFILES: &[(&str, MakeProfile)] = &[
    ("names of parentheses", |size| {
        named(size, |at| format!("{}{at}", "(".repeat(60_000)))
    }),
    ("names of casts", |size| {
        named(size, |at| format!("{}{at})", "(a".repeat(30_000)))
    }),
    ("names that are not in the file", |size| {
        named(size, |at| format!("k{at}"))
    }),
    ("metrics of kernels that are not in the file", |size| {
        let mut text = String::from("Kernel,GlobalInstanceId,GpuTime[ns],A[%]\n");
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            let _ = writeln!(text, "k{at},1,5,5");
        }
        text
    }),
    ("a header of new metrics for each row", |size| {
        let mut text = String::new();
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            header(&mut text, (0..1000).map(|place| at * 1000 + place));
            row(&mut text);
        }
        text
    }),
    ("the same metrics in two orders", |size| {
        let mut text = String::new();
        header(&mut text, 0..1000);
        row(&mut text);
        header(&mut text, (0..1000).rev());
        while text.len() < size {
            row(&mut text);
        }
        text
    }),
    ("offsets", |size| {
        let mut text = String::from(SAMPLES);
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            let _ = writeln!(text, "vecadd, {:x}, 1, 1", at * 8);
        }
        text
    }),
    ("offsets that fall", |size| {
        let mut text = String::from(SAMPLES);
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            let _ = writeln!(text, "vecadd, {:x}, 1, 1", 0x1a8 - at % 2 * 8);
        }
        text
    }),
    ("device times", |size| {
        let mut text = String::from("Kernel, Calls, Time (ns), Time (%), Average (ns)\n");
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            let _ = writeln!(text, "\"vecadd{}\", 1, {at}, 1.0, 1", at % 2);
        }
        text
    }),
    ("executions", |size| {
        let mut text = String::from("{\"app_name\":\"a\",\"kernels\":[");
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            let comma = if at == 0 { "" } else { "," };
            let _ = write!(
                text,
                "{comma}{{\"kernel_name\":\"vecadd\",\"invocations\":[{{\"tiles\":[{{\"results\":[\
                 {{\"instruction_counter\":1,\"offset\":0}},{{\"instruction_counter\":1,\"offset\":{}}}]}}]}}]}}",
                16 + at % 8
            );
        }
        text.push_str("]}");
        text
    }),
    ("sizes of one kernel", |size| {
        named(size, |at| {
            format!("vecadd[SIMD32 {{{at}; 1; 1}} {{1; 1; 1}}]")
        })
    }),
    ("devices", |size| {
        let mut text = String::new();
        for at in 0.. {
            if text.len() >= size {
                break;
            }
            let _ = write!(
                text,
                "=== Device #{at} Metrics ===\n{SAMPLES}vecadd, 0, 1, 1\n"
            );
        }
        text
    }),
];

const SAMPLES: &str = "Kernel, IP[Address], Active[Events], SbidStall[Events]\n";

/// Samples of kernels with these names.
fn named(size: usize, name: impl Fn(usize) -> String) -> String {
    let mut text = String::from(SAMPLES);
    for at in 0.. {
        if text.len() >= size {
            break;
        }
        let _ = writeln!(text, "\"{}\", 0, 1, 1", name(at));
    }
    text
}

fn header(text: &mut String, metrics: impl Iterator<Item = usize>) {
    text.push_str("Kernel,GlobalInstanceId");
    for metric in metrics {
        let _ = write!(text, ",m{metric:07}[ns]");
    }
    text.push('\n');
}

/// A row of a kernel with 1000 metrics.
fn row(text: &mut String) {
    text.push_str("vecadd,1");
    text.push_str(&",1".repeat(1000));
    text.push('\n');
}
