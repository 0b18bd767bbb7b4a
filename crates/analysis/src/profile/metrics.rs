//! The metrics of kernels of a file: one figure for each metric, for tables.

use std::collections::{HashMap, HashSet};

use super::report::{KernelMetrics, KernelTiming, ProfileReport};
use super::timing::{COMPILED, TIMING_COLUMNS};
use super::{Metric, Profile};
use zeview_core::model::NodeId;

/// The name of the metric that weights rates.
pub(super) const TIME: &str = "GpuTime[ns]";

/// The name of the number of times that a kernel ran while it was measured.
pub const INSTANCES: &str = "Instances";

/// The metrics of a kernel of an image.
#[derive(Debug, Clone, PartialEq)]
pub struct KernelFigures {
    /// The image.
    pub document: NodeId,
    /// The index of the kernel in the list of kernels of the image.
    pub index: u64,
    /// The metrics by name, in the order of the profile: the mean of a rate, otherwise the sum of
    /// all runs on all devices.
    pub figures: Vec<(String, f64)>,
    /// How the kernel was compiled ([`COMPILED`]), if a profile says it.
    pub compiled: Option<String>,
}

/// Returns whether a metric is a rate, whose mean depends on the time of each row.
pub(super) fn is_rate(name: &str) -> bool {
    let unit = unit(name);
    ["%", "ratio"].contains(&unit)
        || ["Hz", "/s", "pS", "ps"]
            .iter()
            .any(|end| unit.ends_with(end))
        || unit.contains('/')
}

/// Returns the unit of a metric: `ns` of `GpuTime[ns]`; empty if it has none.
#[must_use]
pub fn unit(name: &str) -> &str {
    let inner = name
        .strip_suffix(']')
        .and_then(|name| name.rsplit_once('['));
    inner.map_or("", |(_, unit)| unit)
}

/// Returns whether a metric describes the kernel. Those without a unit describe the report, and the
/// time at which a measurement began has no sum.
fn is_figure(name: &str) -> bool {
    let is_position = name.ends_with("BeginTime[ns]") || ["Start[ns]", "End[ns]"].contains(&name);
    !unit(name).is_empty() && !is_position
}

/// The sum of a metric over several entries of a profile.
#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    sum: f64,
    weighted: f64,
    weight: f64,
}

impl Profile {
    /// Returns the names of the metrics, as [`ProfileReport::metric_names`], of all kernels.
    #[must_use]
    pub fn metric_names(&self) -> Vec<String> {
        let has_runs = self.metrics.iter().any(|kernel| kernel.instances.is_some());
        let metrics = self.metrics.iter().flat_map(|kernel| &kernel.metrics);
        names(has_runs, metrics, !self.timings.is_empty())
    }
}

fn names<'a>(
    has_runs: bool,
    metrics: impl Iterator<Item = &'a Metric>,
    has_times: bool,
) -> Vec<String> {
    let runs = has_runs.then_some(INSTANCES);
    let mut names: Vec<String> = runs.into_iter().map(str::to_owned).collect();
    let mut known = HashSet::new();
    for metric in metrics {
        if is_figure(&metric.name) && known.insert(&*metric.name) {
            names.push(metric.name.to_string());
        }
    }
    if has_times {
        names.extend(TIMING_COLUMNS.map(str::to_owned));
    }
    names
}

impl ProfileReport {
    /// Returns the names of the metrics that kernels of the file have, in the order of the profile,
    /// after [`INSTANCES`]. Metrics without a unit describe the report, not the kernel, and are
    /// omitted.
    #[must_use]
    pub fn metric_names(&self) -> Vec<String> {
        let matched = || self.metrics.iter().filter(|of| !of.images.is_empty());
        let has_runs = matched().any(|kernel| kernel.instances.is_some());
        let has_times = self.timings.iter().any(|of| !of.images.is_empty());
        let metrics = matched().flat_map(|kernel| &kernel.metrics);
        names(has_runs, metrics, has_times)
    }

    /// Returns the metrics, device times and properties of each kernel of the file. Entries of the profile
    /// with the same kernel (other sizes, another device) are combined. If a name is in several images,
    /// each has all of its figures.
    #[must_use]
    pub fn kernel_figures(&self) -> Vec<KernelFigures> {
        #[derive(Default)]
        struct Entries<'a> {
            metrics: Vec<&'a KernelMetrics>,
            timings: Vec<&'a KernelTiming>,
        }
        let mut entries: Vec<((NodeId, u64), Entries<'_>)> = Vec::new();
        let mut known = HashMap::new();
        let mut place = |key: (NodeId, u64), entries: &mut Vec<((NodeId, u64), Entries<'_>)>| {
            *known.entry(key).or_insert_with(|| {
                entries.push((key, Entries::default()));
                entries.len() - 1
            })
        };
        for kernel in &self.metrics {
            for image in &kernel.images {
                let at = place((image.document, image.index), &mut entries);
                if let Some((_, of)) = entries.get_mut(at) {
                    of.metrics.push(kernel);
                }
            }
        }
        for kernel in &self.timings {
            for image in &kernel.images {
                let at = place((image.document, image.index), &mut entries);
                if let Some((_, of)) = entries.get_mut(at) {
                    of.timings.push(kernel);
                }
            }
        }
        let all = self.timings.iter().filter_map(|timing| timing.times);
        let all = all.fold(0_u64, |sum, times| sum.saturating_add(times.total));
        let entries = entries.into_iter();
        let figures = entries.map(|((document, index), of)| {
            let mut figures = if of.metrics.is_empty() {
                Vec::new()
            } else {
                combined(&of.metrics)
            };
            figures.extend(timed(&of.timings, all));
            KernelFigures {
                document,
                index,
                figures,
                compiled: compiled(&of.timings),
            }
        });
        figures.collect()
    }
}

/// Returns how kernels were compiled, if it is the same for all.
fn compiled(timings: &[&KernelTiming]) -> Option<String> {
    let mut all = timings.iter().filter_map(|timing| timing.compiled.as_ref());
    let first = all.next()?;
    Some(if all.all(|other| other == first) {
        first.clone()
    } else {
        "AOT and JIT".to_owned()
    })
}

/// Returns the figures of device times and properties, with the names of [`TIMING_COLUMNS`]. `all` is the
/// time of all kernels and commands in nanoseconds.
#[allow(
    clippy::cast_precision_loss,
    reason = "times and sizes of that many bits are not exact"
)]
fn timed(timings: &[&KernelTiming], all: u64) -> Vec<(String, f64)> {
    let times = || timings.iter().filter_map(|timing| timing.times);
    let sum = |of: fn(super::DeviceTimes) -> u64| {
        times().fold(0_u64, |sum, times| sum.saturating_add(of(times)))
    };
    let (calls, total) = (sum(|times| times.calls), sum(|times| times.total));
    let has_times = times().next().is_some();
    let known = |value: f64| Some(value).filter(|_| has_times);
    // A property that differs between the builds that ran has no figure.
    let property = |of: fn(super::RunProperties) -> Option<u64>| {
        let mut all = timings.iter().filter_map(|timing| of(timing.properties?));
        let first = all.next()?;
        all.all(|other| other == first).then_some(first as f64)
    };
    let figures = TIMING_COLUMNS.map(|name| match name {
        "Calls" => known(calls as f64),
        "DeviceTime[ns]" => known(total as f64),
        "DeviceTime[%]" => known(total as f64 * 100.0 / all.max(1) as f64),
        "AverageTime[ns]" => known(total as f64 / calls.max(1) as f64),
        "MinTime[ns]" => times().map(|times| times.minimum as f64).reduce(f64::min),
        "MaxTime[ns]" => times().map(|times| times.maximum as f64).reduce(f64::max),
        "RunSIMD" => property(|of| of.simd),
        "RunSpill[B/thread]" => property(|of| of.spill),
        "RunPrivate[B/thread]" => property(|of| of.private),
        "RunSLM[B/group]" => property(|of| of.slm),
        "RunRegisters" => property(|of| of.registers),
        _ => None,
    });
    let named = TIMING_COLUMNS.into_iter().zip(figures);
    let named = named.filter(|(name, _)| *name != COMPILED);
    named
        .filter_map(|(name, figure)| Some((name.to_owned(), figure?)))
        .collect()
}

#[allow(
    clippy::cast_precision_loss,
    reason = "weights of a mean, and a count of runs"
)]
fn combined(entries: &[&KernelMetrics]) -> Vec<(String, f64)> {
    let time = |kernel: &KernelMetrics| {
        let time = kernel.metrics.iter().find(|metric| &*metric.name == TIME);
        time.map(|time| time.sum).filter(|time| *time > 0.0)
    };
    // Without the time of one of them, each row counts the same.
    let have_times = entries.iter().all(|kernel| time(kernel).is_some());
    let mut sums: Vec<(&str, Sum)> = Vec::new();
    let mut known: HashMap<&str, usize> = HashMap::new();
    for kernel in entries {
        let time = time(kernel).filter(|_| have_times);
        for metric in kernel.metrics.iter().filter(|of| is_figure(&of.name)) {
            let at = *known.entry(&metric.name).or_insert_with(|| {
                sums.push((&metric.name, Sum::default()));
                sums.len() - 1
            });
            let Some((_, sum)) = sums.get_mut(at) else {
                continue;
            };
            let weight = time.unwrap_or(metric.count as f64);
            sum.sum += metric.sum;
            sum.weighted += metric.mean * weight;
            sum.weight += weight;
        }
    }
    let instances = entries
        .iter()
        .try_fold(0_u64, |sum, of| Some(sum.saturating_add(of.instances?)));
    let figure = |(name, sum): (&str, Sum)| {
        let value = if is_rate(name) && sum.weight > 0.0 {
            sum.weighted / sum.weight
        } else {
            sum.sum
        };
        (name.to_owned(), value)
    };
    let first = instances.map(|instances| (INSTANCES.to_owned(), instances as f64));
    let figures = sums.into_iter().map(figure);
    first.into_iter().chain(figures).collect()
}

#[cfg(test)]
mod tests {
    use std::rc::Rc;

    use super::*;

    fn entry(instances: u64, metrics: &[(&str, f64, f64)]) -> KernelMetrics {
        let metrics = metrics.iter().map(|(name, sum, mean)| Metric {
            name: Rc::from(*name),
            count: 2,
            sum: *sum,
            mean: *mean,
            minimum: 0.0,
            maximum: 0.0,
        });
        KernelMetrics {
            device: None,
            name: String::new(),
            instances: Some(instances),
            rows: 2,
            metrics: metrics.collect(),
            images: Vec::new(),
            reason: None,
        }
    }

    #[test]
    fn units_tell_rates_from_sums() {
        for name in ["A[%]", "A[MHz]", "A[GBpS]", "A[bytes/s]", "A[ratio]"] {
            assert!(is_rate(name), "{name}");
        }
        for name in ["A[ns]", "A[bytes]", "A[events]", "A[messages]", "A", "A[]"] {
            assert!(!is_rate(name), "{name}");
        }
        assert!(is_figure("GpuTime[ns]") && is_figure("XVE_STALL[%]"));
        assert!(!is_figure("ReportReason") && !is_figure("QueryBeginTime[ns]"));
        assert!(!is_figure("Start[ns]") && is_figure("Time[ns]"));
    }

    #[test]
    fn rates_are_weighted_by_time_and_others_are_summed() {
        let short = entry(1, &[("GpuTime[ns]", 100.0, 100.0), ("A[%]", 80.0, 80.0)]);
        let long = entry(2, &[("GpuTime[ns]", 300.0, 150.0), ("A[%]", 40.0, 20.0)]);
        let expected = [("Instances", 3.0), ("GpuTime[ns]", 400.0), ("A[%]", 35.0)];
        let expected: Vec<(String, f64)> = expected.map(|(name, of)| (name.to_owned(), of)).into();
        assert_eq!(combined(&[&short, &long]), expected);
        // Without times, by the number of rows.
        let untimed = entry(1, &[("A[%]", 120.0, 60.0)]);
        assert_eq!(combined(&[&short, &untimed])[2].1, 70.0);
    }
}
