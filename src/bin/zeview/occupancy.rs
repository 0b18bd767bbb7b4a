//! `zeview kernels --occupancy`: prints the occupancy limits of each kernel.

use std::io::{self, Write};

use clap::Args;
use serde::Serialize;
use zeview::analysis::kernels::Kernels;
use zeview::analysis::occupancy::{Occupancy, OccupancyParameters, Origin, Term};
use zeview::model::Sources;
use zeview::model::text::escaped;
use zeview::tables::CellValue;

use crate::output::{self, Text};
use crate::rows::Objects;
use crate::style;

#[derive(Args, Default)]
pub struct Limits {
    /// Print what limits the number of threads and work-groups of each kernel that run
    /// concurrently, with the source of each number. With --json, an array with one object per
    /// kernel: schema, file, name, device, device_origin, terms (id, title, value, origin, limits),
    /// more_threads (registers, threads: the largest number of registers with which an EU runs more threads, or
    /// null), larger_files (registers, threads: the larger register files of the device), summary.
    #[arg(long = "occupancy", conflicts_with_all = ["csv", "columns", "sort", "fail_if"])]
    pub is_requested: bool,
    /// For --occupancy: the device. Default: the target of the file.
    #[arg(long, value_name = "DEVICE", requires = "is_requested")]
    device: Option<String>,
    /// For --occupancy: work-items per work-group, as a number or as 16x16. Default: the required
    /// work-group size of the kernel.
    #[arg(long, value_name = "SIZE", requires = "is_requested", value_parser = work_group)]
    work_group: Option<u64>,
    /// For --occupancy: EUs per (dual) sub-slice. Default: the published number.
    #[arg(long, value_name = "COUNT", requires = "is_requested", value_parser = positive)]
    eus: Option<u64>,
    /// For --occupancy: bytes of shared local memory that the host sets for arguments.
    #[arg(long, value_name = "BYTES", requires = "is_requested")]
    local_arguments: Option<u64>,
}

fn positive(text: &str) -> Result<u64, String> {
    let number = text.parse().ok().filter(|number| *number > 0);
    number.ok_or_else(|| "not a positive number".to_owned())
}

fn work_group(text: &str) -> Result<u64, String> {
    OccupancyParameters::work_items(text)
        .ok_or_else(|| "not a size such as 256 or 16x16".to_owned())
}

/// JSON object of a kernel.
#[derive(Serialize)]
struct KernelJson<'a> {
    file: &'a str,
    name: &'a str,
    #[serde(flatten)]
    found: &'a Occupancy,
}

pub struct Printer {
    parameters: OccupancyParameters,
    out: Form,
    is_first: bool,
}

enum Form {
    Json(Objects),
    Text(Text),
}

impl Printer {
    pub fn new(options: &Limits, is_json: bool) -> Printer {
        Printer {
            parameters: OccupancyParameters {
                device: options.device.clone().map(Into::into),
                work_group: options.work_group,
                eus: options.eus,
                local_arguments: options.local_arguments,
            },
            out: if is_json {
                Form::Json(Objects::array(&output::unlimited()))
            } else {
                Form::Text(output::text())
            },
            is_first: true,
        }
    }

    /// Prints a kernel, or returns why it cannot.
    pub fn kernel(
        &mut self,
        file: &str,
        name: &CellValue<'_>,
        kernels: &dyn Kernels,
        index: usize,
        sources: &Sources,
    ) -> io::Result<Result<(), String>> {
        let found = match kernels.occupancy(index, &self.parameters, sources) {
            Ok(found) => found,
            Err(why) => return Ok(Err(why)),
        };
        let out = match &mut self.out {
            Form::Json(objects) => {
                objects.push(KernelJson {
                    file,
                    name: &name.text(),
                    found: &found,
                })?;
                return Ok(Ok(()));
            }
            Form::Text(out) => out,
        };
        if !std::mem::take(&mut self.is_first) {
            writeln!(out)?;
        }
        out.paint(style::HEAD, escaped(&name.title()))?;
        write!(out, " ")?;
        out.paint(style::DIM, escaped(file))?;
        writeln!(out, "\n  {}", found.summary)?;
        let title = |term: &Term| term.title.chars().count();
        let width = found.terms.iter().map(title).max().unwrap_or(0);
        for term in &found.terms {
            let value = term.value.map_or("–".to_owned(), |value| value.to_string());
            let mark = if term.limits { "*" } else { " " };
            write!(out, "  {:width$} {value:>7}{mark} ", term.title)?;
            out.paint(style::DIM, origin(&term.origin))?;
            writeln!(out)?;
        }
        Ok(Ok(()))
    }

    pub fn finish(self) -> io::Result<()> {
        match self.out {
            Form::Json(objects) => objects.finish(),
            Form::Text(mut out) => out.flush(),
        }
    }
}

fn origin(origin: &Origin) -> String {
    match origin {
        Origin::File(span) => format!("file, {:#x}..{:#x}", span.start, span.end),
        origin => origin.words().into_owned(),
    }
}
