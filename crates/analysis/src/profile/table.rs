//! The sums of the rows.

use std::collections::{BTreeMap, HashMap};
use std::rc::Rc;

use super::fields::Field;
use super::metrics::{TIME, is_rate};
use super::{MeasuredKernel, Metric, OffsetSamples, SampledKernel};

/// Maximum number of different offsets, of all kernels and devices; each uses about 150 bytes of
/// memory. The largest kernels have about 100 000 instructions.
const OFFSETS_MAX: usize = 1 << 20;

/// Maximum number of metrics of all kernels and devices; each uses about 160 bytes of memory, with
/// its copy in the report. A kernel has about 40.
const METRICS_MAX: usize = 1 << 18;

/// Maximum number of different metrics; a device has some hundred.
const METRIC_NAMES_MAX: usize = 1 << 16;

/// Maximum number of kernels on all devices; each uses about 2 KB of memory, with its samples in the
/// report. The largest applications have some thousand.
const KERNELS_MAX: usize = 30_000;

/// Maximum length of all names of kernels, in bytes.
const NAMES_MAX: usize = 32 << 20;

/// Maximum number of different stall types; unitrace has the same limit for a device.
pub(super) const TYPES_MAX: usize = 16;

/// Maximum size of a metric; larger values cannot be summed, and are no measurements.
const METRIC_MAX: f64 = 1e30;

/// The columns of a table.
#[derive(Debug)]
pub(super) struct Columns {
    device: Option<u32>,
    /// Number of columns before the values.
    before: usize,
    names: Vec<Rc<str>>,
    kind: Kind,
    /// The indices of the metrics in [`Tables::metric_names`], after the first row.
    metrics: Option<Vec<u32>>,
    /// The kernel of the last row: most rows have the same.
    last: Option<usize>,
}

#[derive(Debug)]
enum Kind {
    /// For each column, the index of its stall type.
    Stalls(Vec<usize>),
    /// The column of the time.
    Metrics(Option<usize>),
}

/// The reason why a row is skipped, and its bytes in the line; `None` for the whole line.
type Reason = (Option<(usize, usize)>, String);

/// Sums of all tables.
#[derive(Debug, Default)]
pub(super) struct Tables {
    types: Vec<String>,
    sampled: Named<Sampled>,
    measured: Named<Measured>,
    /// Number of offsets of all kernels.
    offsets: usize,
    /// The names of all metrics, and the index of each.
    metric_names: Vec<Rc<str>>,
    metric_places: HashMap<Rc<str>, u32>,
    /// Number of metrics of all kernels.
    metrics: usize,
    names: usize,
    is_limit_reported: bool,
}

type Sampled = BTreeMap<u64, Box<[u64]>>;

#[derive(Debug, Default)]
struct Measured {
    rows: u64,
    instances: u64,
    /// The instance of the last row.
    last: Option<String>,
    /// The metrics, in the order in which they were read.
    metrics: Vec<u32>,
    sums: Vec<Sum>,
    /// The place of each metric, once a row has other columns than the one before.
    places: HashMap<u32, usize>,
}

#[derive(Debug, Clone, Copy, Default)]
struct Sum {
    count: u64,
    sum: f64,
    weighted: f64,
    weight: f64,
    minimum: f64,
    maximum: f64,
}

/// Items by device and kernel.
#[derive(Debug)]
struct Named<T> {
    by_device: BTreeMap<Option<u32>, HashMap<String, usize>>,
    items: Vec<(String, T)>,
}

impl<T> Default for Named<T> {
    fn default() -> Named<T> {
        Named {
            by_device: BTreeMap::new(),
            items: Vec::new(),
        }
    }
}

impl<T: Default> Named<T> {
    fn find(&self, device: Option<u32>, name: &str, last: Option<usize>) -> Option<usize> {
        let is_same = |index: &usize| self.items.get(*index).is_some_and(|item| item.0 == name);
        let known = || self.by_device.get(&device)?.get(name).copied();
        last.filter(is_same).or_else(known)
    }

    fn add(&mut self, device: Option<u32>, name: &str) -> usize {
        let index = self.items.len();
        self.items.push((name.to_owned(), T::default()));
        let names = self.by_device.entry(device).or_default();
        names.insert(name.to_owned(), index);
        index
    }

    /// Returns the items, by device and name.
    fn into_items(self) -> impl Iterator<Item = (Option<u32>, String, T)> {
        let mut items: Vec<Option<(String, T)>> = self.items.into_iter().map(Some).collect();
        let by_device = self.by_device.into_iter();
        let order = by_device.flat_map(|(device, names)| {
            let sorted: BTreeMap<String, usize> = names.into_iter().collect();
            sorted.into_values().map(move |index| (device, index))
        });
        order.filter_map(move |(device, index)| {
            let (name, item) = items.get_mut(index)?.take()?;
            Some((device, name, item))
        })
    }
}

impl Tables {
    /// Returns the columns of a table of stall samples, or `None` if there are too many types.
    pub fn stalls(&mut self, device: Option<u32>, names: &[&str]) -> Option<Columns> {
        let mut all = self.types.clone();
        let mut types = Vec::with_capacity(names.len());
        for name in names {
            // Versions of unitrace differ in whether the header has the unit.
            let name = name.strip_suffix("[Events]").unwrap_or(name);
            let known = all.iter().position(|known| known == name);
            types.push(known.unwrap_or(all.len()));
            if known.is_none() {
                all.push(name.to_owned());
            }
        }
        if all.len() > TYPES_MAX {
            return None;
        }
        self.types = all;
        Some(Columns {
            device,
            before: 2,
            names: names.iter().map(|name| Rc::from(*name)).collect(),
            kind: Kind::Stalls(types),
            metrics: None,
            last: None,
        })
    }

    /// Returns the columns of a table of metrics, of which the first `before` identify a row.
    pub fn metrics(&mut self, device: Option<u32>, names: &[&str], before: usize) -> Columns {
        Columns {
            device,
            before,
            names: names.iter().map(|name| Rc::from(*name)).collect(),
            metrics: None,
            kind: Kind::Metrics(names.iter().position(|name| *name == TIME)),
            last: None,
        }
    }

    /// Adds a row. Returns whether it is of a kernel, or why it is skipped; `None` if that was
    /// reported.
    pub fn row(
        &mut self,
        columns: &mut Columns,
        fields: &[Field<'_>],
    ) -> Result<bool, Option<Reason>> {
        let expected = columns.before + columns.names.len();
        if fields.len() != expected {
            let (count, is) = (
                fields.len(),
                if fields.len() == 1 { "field" } else { "fields" },
            );
            let message = format!("{count} {is}, but the header has {expected} columns");
            return Err(Some((None, message)));
        }
        let (ids, values) = fields.split_at_checked(columns.before).unwrap_or_default();
        let (Some(kernel), Some(id)) = (ids.first(), ids.get(1)) else {
            return Ok(false);
        };
        let at =
            |field: &Field<'_>, message: String| Some((Some((field.start, field.end)), message));
        let name = match kernel.text() {
            None => return Err(at(kernel, "the name of the kernel is not UTF-8".to_owned())),
            Some("") => return Err(at(kernel, "no name of a kernel".to_owned())),
            Some(name) => name,
        };
        match &columns.kind {
            Kind::Stalls(types) => {
                let offset = hex(id)
                    .ok_or_else(|| at(id, format!("{} is not a hexadecimal offset", id.shown())))?;
                let mut counts = vec![0_u64; self.types.len()];
                for ((field, column), at_type) in values.iter().zip(&columns.names).zip(types) {
                    let count = field.text().and_then(|text| text.parse().ok());
                    let count: u64 = count.ok_or_else(|| {
                        let shown = field.shown();
                        at(field, format!("{shown} in column {column} is not a count"))
                    })?;
                    if let Some(to) = counts.get_mut(*at_type) {
                        *to = count;
                    }
                }
                columns.last = Some(self.add_samples(columns, name, offset, &counts)?);
                Ok(true)
            }
            Kind::Metrics(_) if is_idle(name) => Ok(false),
            Kind::Metrics(time) => {
                let mut numbers = Vec::with_capacity(values.len());
                for (field, column) in values.iter().zip(&columns.names) {
                    let number = field.text().and_then(|text| text.parse::<f64>().ok());
                    // Infinity and NaN have no sum, either.
                    let number = number.filter(|number| number.abs() <= METRIC_MAX);
                    numbers.push(number.ok_or_else(|| {
                        let shown = field.shown();
                        at(field, format!("{shown} in column {column} is not a number"))
                    })?);
                }
                let instance = String::from_utf8_lossy(&id.bytes);
                let weight = time.and_then(|time| numbers.get(time).copied());
                let weight = weight.filter(|weight| *weight > 0.0);
                columns.last = Some(self.add_metrics(columns, name, &instance, &numbers, weight)?);
                Ok(true)
            }
        }
    }

    /// Returns whether a limit is not exceeded; otherwise why the row is skipped.
    fn within(&mut self, count: usize, most: usize, what: &str) -> Result<(), Option<Reason>> {
        if count <= most {
            return Ok(());
        }
        if std::mem::replace(&mut self.is_limit_reported, true) {
            return Err(None);
        }
        let message =
            format!("more than {most} {what}: other rows that exceed it are skipped, too");
        Err(Some((None, message)))
    }

    fn add_samples(
        &mut self,
        columns: &Columns,
        name: &str,
        offset: u64,
        counts: &[u64],
    ) -> Result<usize, Option<Reason>> {
        let known = self.sampled.find(columns.device, name, columns.last);
        let item = known.and_then(|index| self.sampled.items.get_mut(index));
        if let Some((_, offsets)) = item
            && let Some(sums) = offsets.get_mut(&offset)
        {
            if sums.len() < counts.len() {
                *sums = sums
                    .iter()
                    .copied()
                    .chain(std::iter::repeat(0))
                    .take(counts.len())
                    .collect();
            }
            let is_large = |(sum, count): (&u64, &u64)| sum.checked_add(*count).is_none();
            if sums.iter().zip(counts).any(is_large) {
                return Err(Some((
                    None,
                    "the sum of the counts exceeds 64 bits".to_owned(),
                )));
            }
            super::add(sums, counts);
            return Ok(known.unwrap_or_default());
        }
        self.within(self.offsets + 1, OFFSETS_MAX, "different offsets")?;
        let index = match known {
            Some(index) => index,
            None => {
                self.new_kernel(name)?;
                self.sampled.add(columns.device, name)
            }
        };
        if let Some((_, offsets)) = self.sampled.items.get_mut(index) {
            offsets.insert(offset, counts.into());
            self.offsets += 1;
        }
        Ok(index)
    }

    /// Counts a kernel; otherwise returns why the row is skipped.
    fn new_kernel(&mut self, name: &str) -> Result<(), Option<Reason>> {
        let kernels = self.sampled.items.len() + self.measured.items.len();
        self.within(kernels + 1, KERNELS_MAX, "different kernels")?;
        self.within(self.names + name.len(), NAMES_MAX, "bytes of names")?;
        self.names += name.len();
        Ok(())
    }

    /// Returns the indices of the metrics of columns.
    fn indices(&mut self, names: &[Rc<str>]) -> Result<Vec<u32>, Option<Reason>> {
        let is_new = |name: &&Rc<str>| !self.metric_places.contains_key(&**name);
        let (mut count, mut bytes) = (self.metric_names.len(), self.names);
        for name in names.iter().filter(is_new) {
            count += 1;
            bytes += name.len();
        }
        self.within(count, METRIC_NAMES_MAX, "different metrics")?;
        self.within(bytes, NAMES_MAX, "bytes of names")?;
        self.names = bytes;
        let index = |name: &Rc<str>| {
            let all = &mut self.metric_names;
            *self
                .metric_places
                .entry(Rc::clone(name))
                .or_insert_with(|| {
                    all.push(Rc::clone(name));
                    u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
                })
        };
        Ok(names.iter().map(index).collect())
    }

    fn add_metrics(
        &mut self,
        columns: &mut Columns,
        name: &str,
        instance: &str,
        numbers: &[f64],
        weight: Option<f64>,
    ) -> Result<usize, Option<Reason>> {
        let known = self.measured.find(columns.device, name, columns.last);
        let item = known.and_then(|index| self.measured.items.get_mut(index));
        // The places of the columns; `None` if they are the metrics of the kernel, in their order.
        let places = match (&columns.metrics, item) {
            (Some(columns), Some((_, kernel))) if kernel.metrics == *columns => None,
            (_, item) => {
                let before = item.map_or(0, |(_, kernel)| kernel.place_all());
                let is_known = |metric: &u32| {
                    let item = known.and_then(|index| self.measured.items.get(index));
                    item.is_some_and(|(_, kernel)| kernel.places.contains_key(metric))
                };
                let known_names = columns.names.iter().filter(|name| {
                    let metric = self.metric_places.get(&***name);
                    before > 0 && metric.is_some_and(is_known)
                });
                let new = columns.names.len() - known_names.count();
                self.within(self.metrics + new, METRICS_MAX, "metrics of kernels")?;
                let metrics = match columns.metrics.take() {
                    Some(metrics) => metrics,
                    None => self.indices(&columns.names)?,
                };
                Some((metrics, new))
            }
        };
        let index = match known {
            Some(index) => index,
            None => {
                self.new_kernel(name)?;
                self.measured.add(columns.device, name)
            }
        };
        let Some((_, kernel)) = self.measured.items.get_mut(index) else {
            return Ok(index);
        };
        let places = places.map(|(metrics, new)| {
            self.metrics += new;
            let places = kernel.places_of(&metrics);
            columns.metrics = Some(metrics);
            places
        });
        kernel.rows += 1;
        // The rows of an instance follow each other; keeping all their ids would need memory for
        // each.
        if kernel.last.as_deref() != Some(instance) {
            kernel.instances += 1;
            kernel.last = Some(instance.to_owned());
        }
        for (at, (name, number)) in columns.names.iter().zip(numbers).enumerate() {
            let at = match &places {
                Some(places) => places.get(at).copied(),
                None => Some(at),
            };
            if let Some(sum) = at.and_then(|at| kernel.sums.get_mut(at)) {
                sum.add(*number, weight.filter(|_| is_rate(name)));
            }
        }
        Ok(index)
    }

    /// Returns the stall types, the samples and the metrics.
    pub fn finish(self) -> (Vec<String>, Vec<SampledKernel>, Vec<MeasuredKernel>) {
        let types = self.types.len();
        let sampled = self.sampled.into_items().map(|(device, name, offsets)| {
            let offsets = offsets.into_iter().map(|(offset, counts)| {
                let mut counts = counts.into_vec();
                counts.resize(types, 0);
                OffsetSamples { offset, counts }
            });
            SampledKernel {
                device,
                name,
                offsets: offsets.collect(),
            }
        });
        let sampled = sampled.collect();
        let measured = self.measured.into_items().map(|(device, name, kernel)| {
            let metrics = kernel.metrics.iter().zip(kernel.sums);
            let metric = |(name, sum): (&u32, Sum)| {
                let name = self.metric_names.get(usize::try_from(*name).ok()?)?;
                Some(sum.metric(Rc::clone(name)))
            };
            MeasuredKernel {
                device,
                name,
                instances: kernel.instances,
                rows: kernel.rows,
                metrics: metrics.filter_map(metric).collect(),
            }
        });
        (self.types, sampled, measured.collect())
    }
}

impl Measured {
    /// Makes the places of all metrics known. Returns the number of metrics.
    fn place_all(&mut self) -> usize {
        if self.places.len() < self.metrics.len() {
            self.places = self.metrics.iter().copied().zip(0..).collect();
        }
        self.metrics.len()
    }

    /// Adds the metrics that are new. Returns the places of all.
    fn places_of(&mut self, metrics: &[u32]) -> Vec<usize> {
        if self.metrics.is_empty() {
            self.metrics = metrics.to_vec();
            self.sums = vec![Sum::default(); metrics.len()];
            return (0..metrics.len()).collect();
        }
        let place = |metric: &u32| {
            *self.places.entry(*metric).or_insert_with(|| {
                self.metrics.push(*metric);
                self.sums.push(Sum::default());
                self.sums.len() - 1
            })
        };
        metrics.iter().map(place).collect()
    }
}

impl Sum {
    fn add(&mut self, value: f64, weight: Option<f64>) {
        let is_first = self.count == 0;
        self.count += 1;
        self.sum += value;
        if let Some(weight) = weight {
            self.weighted += value * weight;
            self.weight += weight;
        }
        if is_first || value < self.minimum {
            self.minimum = value;
        }
        if is_first || value > self.maximum {
            self.maximum = value;
        }
    }

    #[allow(
        clippy::cast_precision_loss,
        reason = "a mean of that many values is not exact"
    )]
    fn metric(self, name: Rc<str>) -> Metric {
        let mean = if self.weight > 0.0 {
            self.weighted / self.weight
        } else {
            self.sum / self.count as f64
        };
        Metric {
            name,
            count: self.count,
            sum: self.sum,
            mean,
            minimum: self.minimum,
            maximum: self.maximum,
        }
    }
}

/// Returns whether a row is of no kernel: the device was idle.
fn is_idle(name: &str) -> bool {
    name == "NoKernel" || name.starts_with("NoKernel(")
}

fn hex(field: &Field<'_>) -> Option<u64> {
    let text = field.text()?;
    let digits = text.strip_prefix("0x").unwrap_or(text);
    // `from_str_radix` accepts a sign.
    let is_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
    u64::from_str_radix(digits, 16).ok().filter(|_| is_digits)
}
