//! Made profiles, in the formats of unitrace.
//!
//! No device is needed: the offsets are those of real kernels, and the counts follow from the loops
//! and waits of the code. They show what a profile looks like, not how fast a kernel is.

use std::fmt::Write as _;
use zeview::tables;

use zeview::model::{Document, NodeId};

use super::profile_layouts::{DEVICE_TIMES, Ran, STALLS, instcount, memaccess};
use super::random::Random;

/// The columns of counts.
pub const TYPES: [&str; 9] = [
    "Active",
    "ControlStall",
    "PipeStall",
    "SendStall",
    "DistStall",
    "SbidStall",
    "SyncStall",
    "InstrFetchStall",
    "OtherStall",
];

/// The rows of a kernel: its name, and the counts at offsets.
pub type Rows = (String, Vec<(u64, [u64; 9])>);

/// Returns the rows of a kernel as if it had been sampled.
pub fn sampled(document: &Document, image: NodeId, kernel: &str, seed: &str) -> Rows {
    let sources = &document.sources;
    let rows = document.kernels(image).unwrap().rows(sources);
    let row = rows.iter().find(|row| row.name.value == kernel).unwrap();
    let len = row.code_size.unwrap().value;
    let assembly = document.assembly(image).unwrap();
    let sections = assembly.sections();
    let section = sections.iter().find(|section| {
        let of = section.kernel.as_ref();
        of.is_some_and(|(_, entry)| *entry == row.entry)
    });
    let code = section.unwrap().bytes;
    let listing = assembly.listing(code, None, sources).unwrap();
    let flows = listing.data_flow(sources).unwrap();
    let report = flows.report();
    let mut random = Random::named(seed);
    let mut out = Vec::new();
    for row in 0..listing.count() {
        let offset = listing.span(row, sources).unwrap().start - code.start;
        if offset >= len {
            break;
        }
        let (flow, line) = (
            flows.instruction(row).unwrap(),
            listing.line(row, sources).unwrap(),
        );
        let place = u32::try_from(offset).unwrap();
        let is_in = |(start, end): &(u32, u32)| (*start..*end).contains(&place);
        let depth = report
            .loops
            .iter()
            .flatten()
            .filter(|found| found.ranges.iter().any(is_in))
            .count();
        let weight = [1, 24, 400][depth.min(2)];
        let latency = |pc: u32| {
            let row = listing.row_at(code.start + u64::from(pc), sources).unwrap();
            u64::from(flows.instruction(row).unwrap().latency)
        };
        let wait = |mark: char| {
            let waits = flow.waits.iter().filter(|wait| wait.on.contains(mark));
            waits
                .filter_map(|wait| wait.pc.map(latency))
                .max()
                .unwrap_or(0)
        };
        let mut below = |most: u64| random.next() % (most + 1);
        let mut counts = [0; 9];
        counts[0] = u64::from(flow.occupancy) * weight / 4 + below(1);
        if !line.targets.is_empty() {
            counts[1] = weight + below(2);
        }
        counts[2] = below(weight) / 4;
        if line.operation.starts_with("send") {
            counts[3] = weight / 2 + below(3);
        }
        counts[4] = wait('@') * weight / 8;
        counts[5] = wait('$') * weight / 4 + below(1) * wait('$');
        if line.operation == "sync.bar" {
            counts[6] = 20 * weight;
        }
        counts[7] = below(12) / 12;
        if counts.iter().any(|count| *count > 0) {
            out.push((offset, counts));
        }
    }
    (kernel.to_owned(), out)
}

/// Returns the image of a file that is for a device.
pub fn image_for(document: &mut Document, device: &str) -> NodeId {
    let images = tables::documents_with(document, zeview::tables::ListId::Kernels);
    let is_for = |id: &NodeId| {
        let verdict = document.verdict(*id, None);
        verdict.is_some_and(|verdict| verdict.device.as_deref() == Some(device))
    };
    images.into_iter().find(is_for).unwrap()
}

/// Writes the table of a device: with a banner if `device` is given.
pub fn table(device: Option<u32>, kernels: &[Rows]) -> String {
    let mut out = String::new();
    if let Some(device) = device {
        writeln!(out, "\n=== Device #{device} Metrics ===\n").unwrap();
    }
    let quoted = |name: &str| format!("\"{name}\"");
    let width = kernels
        .iter()
        .map(|(name, _)| name.len() + 2)
        .max()
        .unwrap();
    let heads = TYPES.map(|name| format!("{name}[Events]"));
    writeln!(
        out,
        "{:>width$}, IP[Address], {}",
        "Kernel",
        heads.join(", ")
    )
    .unwrap();
    for (name, rows) in kernels {
        for (offset, counts) in rows {
            let counts = counts.iter().zip(&heads);
            let counts = counts.map(|(count, head)| format!("{count:>0$}", head.len()));
            let counts: Vec<String> = counts.collect();
            let name = quoted(name);
            writeln!(out, "{name:>width$}, {offset:>11x}, {}", counts.join(", ")).unwrap();
        }
    }
    out
}

/// Returns the file with another name of a kernel; both have the same length.
pub fn renamed(file: &[u8], from: &str, to: &str) -> Vec<u8> {
    assert_eq!(from.len(), to.len());
    let mut out = file.to_vec();
    let mut at = 0;
    while let Some(found) = out[at..]
        .windows(from.len())
        .position(|part| part == from.as_bytes())
    {
        at += found;
        out[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    out
}

/// Returns the names and contents of the made profiles; `read` returns a file of the repository.
pub fn made(read: &dyn Fn(&str) -> Vec<u8>) -> Vec<(&'static str, String)> {
    let open = |path: &str| super::open(&read(path));
    let vecadd = open("www/samples/vecadd.bmg.zebin");
    let of_vecadd = |seed: &str| {
        let (_, rows) = sampled(&vecadd, NodeId::ROOT, "vecadd", seed);
        rows
    };
    let of_name = |name: &str, seed: &str| (name.to_owned(), of_vecadd(seed));
    let banner = table(Some(0), &[of_name("vecadd", "vecadd")]);
    let names = [
        table(
            Some(0),
            &[of_name("f(int, int)", "0"), of_name("g<int, 2>(int)", "1")],
        ),
        table(
            Some(1),
            &[of_name("_Z1fii[SIMD32 {8192; 1; 1} {128; 1; 1}]", "2")],
        ),
    ];
    let debugme = open("tests/fixtures/zebin/debugme-lines.ptl-h.igc2.40.zebin");
    let lines = table(None, &[sampled(&debugme, NodeId::ROOT, "step", "step")]);
    let mut matmul = open("www/samples/matmul.syclbin");
    let bmg = image_for(&mut matmul, "bmg-g21");
    let cri = image_for(&mut matmul, "cri");
    let first = sampled(&matmul, bmg, "matmul", "matmul");
    // A kernel of several modules repeats offsets.
    let second = ("matmul".to_owned(), first.1[20..40].to_vec());
    let other = (
        "copy(float*, float const*)".to_owned(),
        first.1[..3].to_vec(),
    );
    let devices = [
        table(Some(0), &[first.clone(), other, second]),
        table(Some(3), &[sampled(&matmul, cri, "matmul", "3")]),
    ];
    let sample = table(Some(0), &[first]);
    let old = STALLS[2].1(&[of_name("vecadd", "old")]);
    let ran = |name, calls, total, is_aot, simd, spill| Ran {
        name,
        calls,
        total,
        is_aot,
        simd,
        spill,
        private: 0,
    };
    let timing = DEVICE_TIMES[1].1(&[
        ran("vecadd", 4, 48_000, true, 32, 0),
        ran("fill(int*, int)", 1, 2_000, false, 16, 64),
    ]);
    let funcs = open("tests/fixtures/zebin/funcs-stackcall.cri.igc2.40.zebin");
    let (name, mut rows) = sampled(&funcs, NodeId::ROOT, "k1", "k1");
    // In the function that the kernel calls, and in code that follows the kernel in memory.
    for offset in [0x430, 0x4a0, 0x900] {
        rows.push((offset, [1, 0, 0, 0, 0, 90, 0, 0, 0]));
    }
    let functions = table(Some(0), &[(name, rows)]);
    let executions = executions(&matmul, bmg, "matmul");
    let loads = [
        (0x170, 8192, 262_144, 16_384),
        (0x180, 8192, 262_144, 16_384),
    ];
    let accesses = memaccess("vecadd", &loads, &[]);
    vec![
        ("tests/fixtures/profiles/old.csv", old),
        ("tests/fixtures/profiles/timing.csv", timing),
        ("tests/fixtures/profiles/functions.csv", functions),
        ("tests/fixtures/profiles/executions.json", executions),
        ("tests/fixtures/profiles/accesses.json", accesses),
        ("tests/fixtures/profiles/banner.csv", banner),
        ("tests/fixtures/profiles/lines.csv", lines),
        ("tests/fixtures/profiles/devices.csv", devices.concat()),
        ("tests/fixtures/profiles/names.csv", names.concat()),
        ("tests/fixtures/profiles/metrics.csv", metrics()),
        ("www/samples/matmul.csv", sample),
    ]
}

/// Executions of a kernel's instructions: 64 threads, 16 iterations of each loop, 32 lanes.
fn executions(document: &Document, image: NodeId, kernel: &str) -> String {
    let sources = &document.sources;
    let rows = document.kernels(image).unwrap().rows(sources);
    let row = rows.iter().find(|row| row.name.value == kernel).unwrap();
    let len = row.code_size.unwrap().value;
    let assembly = document.assembly(image).unwrap();
    let sections = assembly.sections();
    let section = sections.iter().find(|section| {
        let of = section.kernel.as_ref();
        of.is_some_and(|(_, entry)| *entry == row.entry)
    });
    let code = section.unwrap().bytes;
    let listing = assembly.listing(code, None, sources).unwrap();
    let report = listing.data_flow(sources).unwrap().report();
    let mut counts = Vec::new();
    for row in 0..listing.count() {
        let offset = listing.span(row, sources).unwrap().start - code.start;
        if offset >= len {
            break;
        }
        let place = u32::try_from(offset).unwrap();
        let is_in = |(start, end): &(u32, u32)| (*start..*end).contains(&place);
        let loops = report.loops.iter().flatten();
        let depth = loops.filter(|found| found.ranges.iter().any(is_in)).count();
        let count = 32 * 16_u64.pow(u32::try_from(depth).unwrap());
        counts.push((offset, count, count * 32));
    }
    let offsets: Vec<u64> = counts.iter().map(|(offset, ..)| *offset).collect();
    instcount(kernel, &counts, &offsets)
}

/// Metrics as `unitrace -q` (device 0) and `unitrace -k` (device 1) write them.
fn metrics() -> String {
    let mut out = String::from("\n=== Device #0 Metrics ===\n\n");
    out.push_str("Kernel,GlobalInstanceId,SubDeviceId,GpuTime[ns],XVE_ACTIVE[%],XVE_STALL[%],L3_BYTE_READ[bytes]\n");
    let name = "\"vecadd[SIMD32 {8192; 1; 1} {128; 1; 1}]\"";
    for (id, time, active) in [(5, 40_000, 12.5), (6, 38_000, 13.0), (9, 120_000, 5.25)] {
        let stall = 90.0 - active;
        writeln!(
            out,
            "{name},{id},0,{time},{active:.6},{stall:.6},{}\n",
            time * 3
        )
        .unwrap();
    }
    writeln!(
        out,
        "\"fill(int*, int)[SIMD16 {{1; 1; 1}} {{64; 1; 1}}]\",7,0,2000,1.000000,70.000000,512\n"
    )
    .unwrap();
    out.push_str("\n=== Device #1 Metrics ===\n\n");
    out.push_str("Kernel, GlobalInstanceId, GpuTime[ns], XVE_ACTIVE[%], QueryBeginTime[ns]\n");
    for at in 0..6 {
        let active = [0.0, 21.5, 22.0, 21.0, 19.5, 0.0][at];
        let name = match at {
            0 => "\"NoKernel(Before vecadd[SIMD32 {8192; 1; 1} {128; 1; 1}])\"",
            5 => "\"NoKernel\"",
            _ => name,
        };
        let id = if (1..5).contains(&at) { 3 } else { 1003 };
        writeln!(
            out,
            "{name}, {id}, 10000, {active:.6}, {}",
            1_000_000 + at * 10_000
        )
        .unwrap();
    }
    out
}
