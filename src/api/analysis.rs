//! The summary of a kernel's data flow, with the figures that the file states.

use serde::Serialize;

use super::operations::{self, ApiError, KernelCode};
use crate::analysis::assembly::Listing;
use crate::analysis::data_flow::FlowReport;
use crate::analysis::figure::{Figure, SizeFigure};
use crate::analysis::occupancy::{LargerFile, Occupancy, OccupancyParameters};
use crate::decode::isa::Platform;
use crate::kernel_names::{self, Build, KernelQuery};
use crate::model::Document;
use crate::report::code::FlowSummary;

/// The summary of a kernel, as `zeview analyze --json` prints it.
#[derive(Serialize)]
pub struct KernelAnalysis {
    kernel: String,
    /// The path of the document with the kernel.
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    grf_bytes: u16,
    spill_size: Option<i64>,
    /// Hardware threads of an execution unit that run the kernel.
    threads_per_eu: Option<u64>,
    /// Whether a kernel that spills fits into a larger register file.
    larger_file: Option<LargerFile>,
    /// The other builds of the kernel in the file, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_builds: Option<Vec<OtherBuild>>,
    #[serde(flatten)]
    summary: FlowSummary,
}

/// Another build of a kernel: for another device, with another number of registers.
#[derive(Serialize)]
struct OtherBuild {
    /// The path of the document; empty for the file.
    path: String,
    /// What tells it apart: device, file, image.
    build: String,
    /// Registers of a thread.
    registers: Option<u64>,
    threads_per_eu: Option<u64>,
    grf_bytes: u16,
    spill_size: Option<i64>,
    peak_live_registers: u32,
    peak_live_registers_iga: Option<u32>,
    spills: Option<u32>,
    fills: Option<u32>,
}

/// Maximum number of other builds that are analyzed.
const OTHERS: usize = 16;

/// What the file states of a kernel.
#[derive(Default)]
struct Stated {
    spill: Option<SizeFigure>,
    occupancy: Option<Occupancy>,
}

impl Stated {
    fn new(document: &Document, build: &Build) -> Stated {
        let Some(kernels) = document.kernels(build.document) else {
            return Stated::default();
        };
        let sources = &document.sources;
        let rows = kernels.rows(sources);
        // Of several descriptions, the last one counts, as in `zeview analyze`.
        let Some(at) = rows.iter().rposition(|row| row.name.value == build.name) else {
            return Stated::default();
        };
        let parameters = OccupancyParameters::default();
        Stated {
            spill: rows.get(at).map(|row| row.spill_size),
            occupancy: kernels.occupancy(at, &parameters, sources).ok(),
        }
    }

    /// Returns the spill size, with the messages that the code has.
    fn spill(&self, report: &FlowReport) -> Option<Figure<i64>> {
        // As in the table of kernels: all messages that write scratch memory.
        let messages = || Some(u64::from(report.spills?) + u64::from(report.saves?));
        let figure = self.spill?.figure;
        Some(figure.map_err(|unknown| unknown.with_spill_messages(messages)))
    }

    fn get(&self, parameter: &str) -> Option<u64> {
        self.occupancy.as_ref()?.get(parameter)
    }

    /// Whether a kernel that spills fits into a larger register file.
    fn larger_file(&self, report: &FlowReport, register_bytes: u16) -> Option<LargerFile> {
        let spilled = u64::try_from(self.spill(report)?.ok()?).ok()?;
        let peak = report.peak.as_ref()?.registers;
        let occupancy = self.occupancy.as_ref()?;
        occupancy.larger_file(peak, spilled, register_bytes)
    }
}

/// Summarizes the data flow of the only build that a query names; with `other_builds`, also of the others.
///
/// # Errors
///
/// As [`operations::listing`], and if the code cannot be read (`no-code`).
pub fn analyze(
    document: &mut Document,
    query: &KernelQuery,
    other_builds: bool,
) -> Result<KernelAnalysis, ApiError> {
    let (build, listing) = operations::code_of(document, query)?;
    let code: KernelCode = (build.document, listing);
    let mut summary = operations::flow_summary(document, &code)?;
    let grf_bytes = register_bytes(&*code.1);
    let stated = Stated::new(document, &build);
    let spill = stated.spill(&summary.report);
    Ok(KernelAnalysis {
        spill_size: spill.and_then(|size| summary.report.known("spill size", size)),
        threads_per_eu: stated.get("threads_per_eu"),
        larger_file: stated.larger_file(&summary.report, grf_bytes),
        other_builds: other_builds.then(|| others(document, &build)),
        grf_bytes,
        summary,
        kernel: build.name,
        path: build.path,
    })
}

fn register_bytes(listing: &dyn Listing) -> u16 {
    let platform = listing.encoding().as_deref().and_then(Platform::named);
    platform.map_or(0, Platform::register_bytes)
}

/// Returns the other builds of a kernel. Those of which nothing is known are left out.
fn others(document: &mut Document, own: &Build) -> Vec<OtherBuild> {
    let query = KernelQuery::with_code(own.name.clone());
    let found = kernel_names::find(document, &query).unwrap_or_default();
    let is_other = |build: &Build| {
        build.name == own.name && (build.code, &build.path) != (own.code, &own.path)
    };
    let found = found.into_iter().filter(is_other).take(OTHERS);
    found.filter_map(|build| other(document, build)).collect()
}

fn other(document: &Document, build: Build) -> Option<OtherBuild> {
    let listing = document.listing(build.document, build.code, None)?;
    let flow = listing.data_flow(&document.sources)?;
    let report = flow.report();
    let peak = report.peak.as_ref()?;
    let stated = Stated::new(document, &build);
    Some(OtherBuild {
        build: if build.path.is_empty() {
            String::new()
        } else {
            build.place()
        },
        registers: stated.get("grf_count"),
        threads_per_eu: stated.get("threads_per_eu"),
        grf_bytes: register_bytes(&*listing),
        spill_size: stated.spill(&report).and_then(Result::ok),
        peak_live_registers: peak.registers,
        peak_live_registers_iga: peak.iga.map(|iga| iga.registers),
        spills: report.spills,
        fills: report.fills,
        path: build.path,
    })
}
