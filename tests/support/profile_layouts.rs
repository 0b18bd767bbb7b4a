//! Made profiles in every layout, from the rows of a kernel: the same figures, as each version of each
//! tool writes them.

use std::fmt::Write as _;

use super::profiles::{Rows, TYPES, table};

/// Writes the table of stall samples in a layout.
pub type StallLayout = fn(&[Rows]) -> String;

/// The layouts of stall samples, by name.
pub const STALLS: [(&str, StallLayout); 7] = [
    ("banner", |kernels| table(Some(0), kernels)),
    ("result folder", |kernels| table(None, kernels)),
    ("name and offset in one field", |kernels| {
        let heads = TYPES.map(|name| format!("{name}[Events],"));
        let mut out = format!(
            "=== Device #0 Metrics ===\n\n{:>40},{}\n",
            "IP[Address]",
            heads.concat()
        );
        for (name, rows) in kernels {
            for (offset, counts) in rows {
                let counts = counts.map(|count| format!("{count:>20},"));
                writeln!(out, "{name}!0x{offset:08x},{}", counts.concat()).unwrap();
            }
        }
        out
    }),
    ("commas at the end", |kernels| {
        let lines = table(Some(0), kernels);
        let lines = lines.lines().map(|line| {
            let has_fields = line.contains(',');
            format!("{line}{}\n", if has_fields { "," } else { "" })
        });
        lines.collect()
    }),
    ("commas at the end of rows only", |kernels| {
        let lines = table(Some(0), kernels);
        let lines = lines.lines().map(|line| {
            let is_row = line.contains(',') && !line.contains("Kernel");
            format!("{line}{}\n", if is_row { "," } else { "" })
        });
        lines.collect()
    }),
    ("names without quotation marks", |kernels| {
        table(Some(0), kernels).replace('"', "")
    }),
    ("other sections", |kernels| {
        format!(
            "the program's own output, with a comma\n\n=== API Timing Summary ===\n\n\
             Total Execution Time (ns):  5\n\n== L0 Backend ==\n\n\
             Function,  Calls,  Time (ns),  Time (%),  Average (ns),  Min (ns),  Max (ns)\n\
             zeInit, 1, 2, 100.0, 2, 2, 2\n\n{}\n=== Kernel Submission Summary ===\n\n\
             Kernel, Calls, Append (ns), Append (%), Submit (ns), Submit (%), Execute (ns), Execute (%)\n\
             \"k\", 1, 2, 3, 4, 5, 6, 7\n",
            table(Some(0), kernels)
        )
    }),
];

/// A row of metrics: the run, and the time and the share of active cycles.
pub type MetricRow = (u64, u64, f64);

/// Writes metrics of a kernel in a layout.
pub type MetricLayout = fn(&str, &[MetricRow]) -> String;

/// The layouts of metrics, by name, and whether rows identify the run.
pub const METRICS: [(&str, MetricLayout, bool); 5] = [
    (
        "query",
        |name, rows| {
            let row = |(run, time, active): &MetricRow| {
                format!("\"{name}\",{run},0,{time},{active:.6}\n\n")
            };
            let rows: String = rows.iter().map(row).collect();
            format!(
                "\n=== Device #0 Metrics ===\n\nKernel,GlobalInstanceId,SubDeviceId,GpuTime[ns],XVE_ACTIVE[%]\n{rows}"
            )
        },
        true,
    ),
    (
        "sampling",
        |name, rows| {
            let row = |(run, time, active): &MetricRow| {
                format!("\"{name}\", {run}, {time}, {active:.6}\n")
            };
            let rows: String = rows.iter().map(row).collect();
            let idle = "\"NoKernel\", 1001, 10, 0.0\n";
            format!(
                "\n=== Device #0 Metrics ===\n\nKernel, GlobalInstanceId, GpuTime[ns], XVE_ACTIVE[%]\n{idle}{rows}{idle}"
            )
        },
        true,
    ),
    (
        "without an id, with idle rows",
        |name, rows| {
            let row = |(_, time, active): &MetricRow| {
                format!("\"{name}\", {time}, {active:.6},\n, 40, 0.000000,\n")
            };
            let rows: String = rows.iter().map(row).collect();
            format!("\n=== Device #0 Metrics ===\n\nKernel, GpuTime[ns], XVE_ACTIVE[%],\n{rows}\n")
        },
        false,
    ),
    (
        "device and subdevice, a header for each run",
        |name, rows| {
            let row = |(_, time, active): &MetricRow| {
                format!(
                    "Kernel,Device,SubDeviceId,GpuTime[ns],XVE_ACTIVE[%],\n{name},0,0,{time},{active},\n\n"
                )
            };
            let rows: String = rows.iter().map(row).collect();
            format!("\n== Kernel Metrics ==\n\n\n{rows}")
        },
        false,
    ),
    (
        "oneprof",
        |name, rows| {
            let row = |(_, time, active): &MetricRow| format!("{name},0,{time},{active},\n");
            let rows: String = rows.iter().map(row).collect();
            format!(
                "\n== Query Kernel Metrics ==\n\nKernel,SubDeviceId,GpuTime[ns],XVE_ACTIVE[%],\n{rows}\n"
            )
        },
        false,
    ),
];

/// A kernel in a table of device times.
pub struct Ran<'a> {
    pub name: &'a str,
    pub calls: u64,
    pub total: u64,
    pub is_aot: bool,
    pub simd: u64,
    pub spill: u64,
    pub private: u64,
}

/// Writes device times in a layout.
pub type TimeLayout = fn(&[Ran<'_>]) -> String;

const TIMES: &str = "Kernel,  Calls,  Time (ns),  Time (%),  Average (ns),  Min (ns),  Max (ns)\n";
const PROPERTIES: &str = "Kernel, Compiled, SIMD, Number of Arguments, SLM Per Work Group, Private Memory Per Thread, \
                          Spill Memory Per Thread, Register File Size Per Thread\n";

fn times(kernels: &[Ran<'_>], name: &dyn Fn(&Ran<'_>) -> String) -> String {
    let row = |ran: &Ran<'_>| {
        let average = ran.total / ran.calls;
        let (name, calls, total) = (name(ran), ran.calls, ran.total);
        format!(
            "   {name},  {calls},  {total},  50.000000,  {average},  {},  {total}\n",
            average / 2
        )
    };
    let rows: String = kernels.iter().map(row).collect();
    let copy =
        "\"zeCommandListAppendMemoryCopy(M2D)[128]\", 1, 1000, 10.000000, 1000, 1000, 1000\n";
    format!("{TIMES}{rows}{copy}")
}

fn properties(kernels: &[Ran<'_>], name: &dyn Fn(&Ran<'_>) -> String) -> String {
    let row = |ran: &Ran<'_>| {
        let compiled = if ran.is_aot { "AOT" } else { "JIT" };
        let simd = if ran.simd == 1 {
            "ANY".to_owned()
        } else {
            ran.simd.to_string()
        };
        format!(
            "  {},     {compiled},  {simd},       4,     0,     {},   {},   unknown\n",
            name(ran),
            ran.private,
            ran.spill
        )
    };
    let rows: String = kernels.iter().map(row).collect();
    format!("\n\n=== Kernel Properties ===\n\n{PROPERTIES}{rows}")
}

fn in_backend(text: &str) -> String {
    format!(
        "\n=== Device Timing Summary ===\n\n   Total Execution Time (ns):   5579618203\n   \
         Total Device Time for L0 backend (ns):   22017040\n\n== L0 Backend ==\n\n{text}"
    )
}

/// The layouts of device times, by name.
pub const DEVICE_TIMES: [(&str, TimeLayout); 5] = [
    ("quoted", |kernels| {
        let name = |ran: &Ran<'_>| format!("\"{}\"", ran.name);
        in_backend(&(times(kernels, &name) + &properties(kernels, &name)))
    }),
    ("verbose", |kernels| {
        let name = |ran: &Ran<'_>| match ran.simd {
            1 => format!("\"{}[SIMD_ANY {{8; 1; 1}} {{128; 1; 1}}]\"", ran.name),
            simd => format!("\"{}[SIMD{simd} {{8; 1; 1}} {{128; 1; 1}}]\"", ran.name),
        };
        in_backend(&(times(kernels, &name) + &properties(kernels, &name)))
    }),
    ("tiles", |kernels| {
        let name = |ran: &Ran<'_>| format!("Tile #0: \"{}\"", ran.name);
        in_backend(&(times(kernels, &name) + &properties(kernels, &name)))
    }),
    ("properties without commas", |kernels| {
        let name = |ran: &Ran<'_>| ran.name.to_owned();
        let row = |ran: &Ran<'_>| {
            format!(
                "   {},         4         0           {}            {}\n",
                ran.name, ran.private, ran.spill
            )
        };
        let rows: String = kernels.iter().map(row).collect();
        let heads = "Kernel, Number of Arguments, SLM Per Work Group, Private Memory Per Thread, Spill Memory Per Thread\n";
        in_backend(&format!(
            "{}\n\n=== Kernel Properties ===\n\n{heads}{rows}",
            times(kernels, &name)
        ))
    }),
    ("OpenCL", |kernels| {
        let name = |ran: &Ran<'_>| format!("{}[SIMD{}]", ran.name, ran.simd);
        in_backend(&times(kernels, &name).replace(",  ", ","))
            .replace("L0 Backend", "CL GPU Backend")
    }),
];

/// Writes the JSON of `instcount` for a kernel: executions and lanes by offset, in two runs of one tile.
pub fn instcount(name: &str, rows: &[(u64, u64, u64)], listing: &[u64]) -> String {
    let result = |(offset, executions, lanes): &(u64, u64, u64)| {
        format!(
            "{{\"instruction_counter\":{executions},\"simd_active_lane_counter\":{lanes},\"bbl_id\":0,\"offset\":{offset}}}"
        )
    };
    gtpin(
        name,
        &rows.iter().map(result).collect::<Vec<_>>().join(","),
        listing,
    )
}

/// Writes the JSON of `memaccess` for a kernel: executions, lanes and cache lines by offset, in two runs.
pub fn memaccess(name: &str, rows: &[(u64, u64, u64, u64)], listing: &[u64]) -> String {
    let result = |(offset, executions, lanes, lines): &(u64, u64, u64, u64)| {
        format!(
            "{{\"access_instruction_counter\":{executions},\"simd_lanes_active_counter\":{lanes},\
             \"cache_lines_counter\":{lines},\"cl_not_aligned_counter\":1,\"stride_overflow_higher_counter\":0,\
             \"stride_overflow_lower_counter\":2,\"addresses\":[\"18374686479671621120\",\"0\"],\
             \"stride_distribution\":{{\"-4\":3,\"4\":{lanes}}},\"offset\":{offset},\"stride_min\":-1024,\"stride_num\":2048,\
             \"stride_step\":1,\"element_size\":4,\"num_of_elements\":1,\"is_write\":0,\"is_scatter\":1,\"is_bts\":0,\
             \"is_slm\":0,\"is_scratch\":0,\"is_atomic\":0,\"addr_width\":8,\"simd_width\":32,\"bti\":0,\"addr_payload\":4,\
             \"is_eot\":0,\"is_media\":0,\"exec_size\":32,\"channel_offset\":0}}"
        )
    };
    gtpin(
        name,
        &rows.iter().map(result).collect::<Vec<_>>().join(","),
        listing,
    )
}

fn gtpin(name: &str, results: &str, listing: &[u64]) -> String {
    // As the tools write it: texts are not escaped.
    let line = |offset: &u64| {
        format!(
            "{{\"offset\":{offset},\"asm\":\"(W) \"mov\" (8|M0) r5.0<1>:ud r0.0<1;1,0>:ud\",\
             \"source\":{{\"file\":\"C:\\src\\new\\\",\"line\":3,\"column\":1,\"function\":\"operator\"\"_x\"}}}}"
        )
    };
    let lines: Vec<String> = listing.iter().map(line).collect();
    let run = |number: u64| {
        format!(
            "{{\"run_num\":{number},\"global_run_num\":{number},\"dispatch_id\":0,\"is_collected\":1,\"tiles\":[\n\
             {{\"results\":[{results}]}}\n]}}\n"
        )
    };
    format!(
        "{{\n\"app_name\":\"app\",\"kernels\":[\n{{\"kernel_name\":\"{name}\",\"runs\":2,\"id\":1,\"results_num\":1,\
         \"asm\":[{}],\"collected_runs\":2,\"invocations\":[\n{},{}]}}\n]}}\n",
        lines.join(","),
        run(0),
        run(1)
    )
}
