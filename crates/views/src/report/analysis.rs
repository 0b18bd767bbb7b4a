//! The summary of a kernel's data flow, beside what its file states: the object of `zeview analyze --json`.

use serde::Serialize;

use super::code::FlowSummary;
use crate::kernel_names::{self, Build, KernelQuery};
use zeview_core::analysis::data_flow::FlowReport;
use zeview_core::analysis::figure::{Figure, SizeFigure};
use zeview_core::analysis::occupancy::{LargerFile, Occupancy, OccupancyParameters};
use zeview_core::model::Document;

/// Maximum number of other builds that are analyzed.
const OTHERS: usize = 16;

/// What a file states of a kernel.
#[derive(Debug, Clone, Default)]
pub struct Stated {
    spill: Option<SizeFigure>,
    occupancy: Option<Occupancy>,
}

impl Stated {
    /// Creates it: the size of spills, if the file describes the kernel, and the threads that run it
    /// concurrently.
    pub fn new(spill: Option<SizeFigure>, occupancy: Option<Occupancy>) -> Stated {
        Stated { spill, occupancy }
    }

    /// Reads what a file states of a build.
    pub fn of(build: &Build, document: &Document) -> Stated {
        let sources = &document.sources;
        let kernels = document.kernels(build.document);
        let found = kernels.and_then(|kernels| {
            let rows = kernels.rows(sources);
            // Of several descriptions, the last one counts.
            let at = rows.iter().rposition(|row| row.name.value == build.name)?;
            let parameters = OccupancyParameters::default();
            let occupancy = kernels.occupancy(at, &parameters, sources).ok();
            Some(Stated::new(
                rows.get(at).map(|row| row.spill_size),
                occupancy,
            ))
        });
        found.unwrap_or_default()
    }

    /// Returns the size of spills in bytes per hardware thread, with the messages that the code has.
    pub fn spill(&self, report: &FlowReport) -> Option<Figure<i64>> {
        let figure = self.spill?.figure;
        // As in the kernel table: those that save registers around calls are no spills.
        let messages = || report.spills.map(u64::from);
        Some(figure.map_err(|unknown| unknown.with_spill_messages(messages)))
    }

    /// Returns the hardware threads of an execution unit that run the kernel.
    pub fn threads(&self) -> Option<u64> {
        self.occupancy.as_ref()?.get("threads_per_eu")
    }

    fn registers(&self) -> Option<u64> {
        self.occupancy.as_ref()?.get("grf_count")
    }

    /// Whether a kernel that spills fits into a larger register file.
    pub fn larger_file(&self, report: &FlowReport, register_bytes: u16) -> Option<LargerFile> {
        let spilled = u64::try_from(self.spill(report)?.ok()?).ok()?;
        let peak = report.peak.as_ref()?.registers;
        let occupancy = self.occupancy.as_ref()?;
        occupancy.larger_file(peak, spilled, register_bytes)
    }
}

/// The object of a kernel.
#[derive(Debug, Serialize)]
pub struct KernelAnalysis {
    kernel: String,
    /// The path of the document with the kernel; empty for the file.
    #[serde(skip_serializing_if = "String::is_empty")]
    path: String,
    /// The size of a register in bytes.
    grf_bytes: u16,
    spill_size: Option<i64>,
    /// Hardware threads of an execution unit that run the kernel.
    threads_per_eu: Option<u64>,
    /// Whether a kernel that spills fits into a larger register file.
    larger_file: Option<LargerFile>,
    /// The other builds of the kernel in the file, if they are wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    other_builds: Option<Vec<BuildFigures>>,
    #[serde(flatten)]
    summary: FlowSummary,
}

impl KernelAnalysis {
    /// Creates the object of a kernel, by its name and the path of its document. A size of spills that is
    /// unknown is added to the unknown figures of the summary.
    pub fn new(
        (kernel, path): (String, String),
        stated: &Stated,
        register_bytes: u16,
        other_builds: Option<Vec<BuildFigures>>,
        mut summary: FlowSummary,
    ) -> KernelAnalysis {
        let larger_file = stated.larger_file(&summary.report, register_bytes);
        let spill = stated.spill(&summary.report);
        KernelAnalysis {
            kernel,
            path,
            grf_bytes: register_bytes,
            spill_size: spill.and_then(|size| summary.report.known("spill size", size)),
            threads_per_eu: stated.threads(),
            larger_file,
            other_builds,
            summary,
        }
    }
}

/// The figures of a build of a kernel, beside others.
#[derive(Debug, Clone, Serialize)]
pub struct BuildFigures {
    /// The name of the kernel.
    #[serde(skip)]
    pub name: String,
    /// The path of the document; empty for the file.
    pub path: String,
    /// What tells it apart: device, file, image; empty for the file.
    #[serde(rename = "build")]
    pub place: String,
    /// Registers of a thread.
    pub registers: Option<u64>,
    /// Hardware threads of an execution unit that run the kernel.
    pub threads_per_eu: Option<u64>,
    /// The size of a register in bytes.
    #[serde(rename = "grf_bytes")]
    pub register_bytes: u16,
    /// In bytes per hardware thread; `None` if it is unknown.
    pub spill_size: Option<i64>,
    /// Live registers at the peak.
    #[serde(rename = "peak_live_registers")]
    pub live: u32,
    /// The same without the values of waiting channels, as IGA counts.
    #[serde(rename = "peak_live_registers_iga")]
    pub iga: Option<u32>,
    /// Messages that spill.
    pub spills: Option<u32>,
    /// Messages that fill.
    pub fills: Option<u32>,
    /// The cause with the most bytes at the peak, with their number; may be empty.
    #[serde(skip)]
    pub cause: String,
}

impl BuildFigures {
    /// Creates the figures of a build: its name, the path of its document, and what tells it apart. Returns
    /// `None` if its live registers are unknown.
    pub fn new(
        [name, path, place]: [String; 3],
        stated: &Stated,
        report: &FlowReport,
        register_bytes: u16,
    ) -> Option<BuildFigures> {
        let peak = report.peak.as_ref()?;
        let pressure = report.pressures.iter().flatten().next();
        let cause = pressure.and_then(|of| of.causes.first());
        Some(BuildFigures {
            name,
            path,
            place,
            registers: stated.registers(),
            threads_per_eu: stated.threads(),
            register_bytes,
            spill_size: stated.spill(report).and_then(Result::ok),
            live: peak.registers,
            iga: peak.iga.map(|iga| iga.registers),
            spills: report.spills,
            fills: report.fills,
            cause: cause.map_or_else(String::new, |of| format!("{}: {}", of.cause, of.bytes)),
        })
    }
}

/// Returns the other builds of a kernel: for other devices, with another number of registers.
pub fn other_builds(document: &mut Document, own: &Build) -> Vec<Build> {
    let query = KernelQuery::with_code(own.name.clone());
    let found = kernel_names::find(document, &query).unwrap_or_default();
    let is_other = |build: &Build| {
        build.name == own.name && (build.code, &build.path) != (own.code, &own.path)
    };
    found.into_iter().filter(is_other).take(OTHERS).collect()
}

/// Returns what tells a build apart from others; empty for the only one of a file.
pub fn place_of(build: &Build) -> String {
    if build.path.is_empty() {
        String::new()
    } else {
        build.place()
    }
}
