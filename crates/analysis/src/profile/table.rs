//! The sums of the rows.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::rc::Rc;

use super::fields::{self, Field};
use super::layout::{MetricIds, Property, TimeColumns};
use super::metrics::{TIME, is_rate};
use super::timing::{self, BadField};
use super::{MeasuredKernel, Metric, OffsetSamples, SampledKernel, TimedKernel};
use zeview_core::model::sort;

/// Maximum number of rows with samples, of all kernels and devices; each uses about 150 bytes of
/// memory. The largest kernels have about 100 000 instructions.
const OFFSETS_MAX: usize = 1 << 20;

/// Maximum number of metrics of all kernels and devices; each uses about 160 bytes of memory, with
/// its copy in the report. A kernel has about 40.
const METRICS_MAX: usize = 1 << 18;

/// Maximum number of different metrics; a device has some hundred.
const METRIC_NAMES_MAX: usize = 1 << 16;

/// Maximum number of kernels on all devices; each uses about 2 KB of memory, with its samples in the
/// report. The largest applications have some thousand.
const KERNELS_MAX: usize = 18_000;

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
    /// The names of the columns with values.
    names: Vec<Rc<str>>,
    kind: Kind,
    /// The indices of the metrics in [`Tables::metric_names`], after the first row.
    metrics: Option<Vec<u32>>,
    /// The kernel or the block of the last row: most rows have the same.
    last: Option<usize>,
}

#[derive(Debug)]
enum Kind {
    /// For each column, the index of its stall type.
    Stalls(Vec<usize>),
    /// The columns of a row's run and device, and of its time.
    Metrics(MetricIds, Option<usize>),
    Times(TimeColumns),
    Properties(Vec<Option<Property>>),
}

/// The reason why a row is skipped, and its bytes in the line; `None` for the whole line.
type Reason = (Option<(usize, usize)>, String);

/// Sums of all tables.
#[derive(Debug, Default)]
pub(super) struct Tables {
    types: Vec<String>,
    /// The blocks of samples, in the order of the file.
    blocks: Vec<Block>,
    /// The blocks before the last one, by a hash of their device, name and offsets.
    known_blocks: HashMap<u64, usize>,
    /// The names of kernels with samples, by device.
    sampled: BTreeMap<Option<u32>, HashSet<Rc<str>>>,
    measured: Named<Measured>,
    timings: Vec<TimedKernel>,
    /// The rows of each name in [`timings`](Tables::timings).
    timed: HashMap<(Option<u32>, String), Timed>,
    /// Number of rows with samples.
    offsets: usize,
    /// Number of samples.
    samples: u64,
    /// The names of all metrics, and the index of each.
    metric_names: Vec<Rc<str>>,
    metric_places: HashMap<Rc<str>, u32>,
    /// Number of metrics of all kernels.
    metrics: usize,
    names: usize,
    /// Number of kernels on all devices.
    kernels: usize,
    is_limit_reported: bool,
}

/// The samples of a kernel of one module.
#[derive(Debug)]
struct Block {
    device: Option<u32>,
    name: Rc<str>,
    /// The samples, with rising offsets.
    offsets: Vec<(u64, Box<[u64]>)>,
    /// Number of blocks with these offsets, whose samples are summed.
    blocks: u64,
}

/// The rows with a name in tables of device times and of properties. The tables of a report list the
/// kernels in the same order: the second row with a name is the same kernel in both.
#[derive(Debug, Default)]
struct Timed {
    rows: Vec<usize>,
    /// Number of rows that have times, and that have properties.
    times: usize,
    properties: usize,
}

#[derive(Debug, Default)]
struct Measured {
    rows: u64,
    instances: u64,
    /// Whether a row does not identify its run.
    has_unknown_runs: bool,
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
            let sorted: BTreeMap<String, usize> = sort::map(names);
            sorted.into_values().map(move |index| (device, index))
        });
        order.filter_map(move |(device, index)| {
            let (name, item) = items.get_mut(index)?.take()?;
            Some((device, name, item))
        })
    }
}

impl Tables {
    /// Returns the columns of a table of stall samples after the first `before`, which identify a row,
    /// or `None` if there are too many types.
    pub fn stalls(
        &mut self,
        device: Option<u32>,
        names: &[&str],
        before: usize,
    ) -> Option<Columns> {
        let mut all = self.types.clone();
        let mut types = Vec::with_capacity(names.len());
        let names = names.get(before..).unwrap_or_default();
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
        Some(Columns::new(device, names, before, Kind::Stalls(types)))
    }

    /// Returns the columns of a table of metrics.
    pub fn metrics(device: Option<u32>, names: &[&str], ids: MetricIds) -> Columns {
        let names = names.get(ids.count..).unwrap_or_default();
        let time = names.iter().position(|name| *name == TIME);
        Columns::new(device, names, ids.count, Kind::Metrics(ids, time))
    }

    /// Returns the columns of a table of device times.
    pub fn times(names: &[&str], columns: TimeColumns) -> Columns {
        let names = names.get(1..).unwrap_or_default();
        Columns::new(None, names, 1, Kind::Times(columns))
    }

    /// Returns the columns of a table of properties.
    pub fn properties(names: &[&str], columns: Vec<Option<Property>>) -> Columns {
        let names = names.get(1..).unwrap_or_default();
        Columns::new(None, names, 1, Kind::Properties(columns))
    }

    /// Adds a row. Returns whether it is of a kernel, or why it is skipped; `None` if that was
    /// reported.
    pub fn row(
        &mut self,
        columns: &mut Columns,
        line: &[u8],
        fields: &[Field<'_>],
    ) -> Result<bool, Option<Reason>> {
        let expected = columns.before + columns.names.len();
        let mut fields = fields;
        if fields.len() > expected {
            fields = fields::without_last_comma(fields);
        }
        let repaired = match &columns.kind {
            _ if fields.len() == expected => None,
            Kind::Properties(_) if fields.len() < expected => {
                fields::split_at_blanks(line, fields, expected)
            }
            _ => fields::joined(line, fields, expected),
        };
        let fields = repaired.as_deref().unwrap_or(fields);
        if fields.len() != expected {
            let (count, is) = (
                fields.len(),
                if fields.len() == 1 { "field" } else { "fields" },
            );
            let message = format!("{count} {is}, but the header has {expected} columns");
            return Err(Some((None, message)));
        }
        let at =
            |field: &Field<'_>, message: String| Some((Some((field.start, field.end)), message));
        let (ids, values) = fields.split_at_checked(columns.before).unwrap_or_default();
        let Some(kernel) = ids.first() else {
            return Ok(false);
        };
        let name = match kernel.text() {
            None => return Err(at(kernel, "the name of the kernel is not UTF-8".to_owned())),
            // unitrace leaves the name of an idle device empty.
            Some("") if matches!(columns.kind, Kind::Metrics(..)) => return Ok(false),
            Some("") => return Err(at(kernel, "no name of a kernel".to_owned())),
            Some(name) => name,
        };
        let of_bad = |(field, message): BadField<'_>| at(field, message);
        match &columns.kind {
            Kind::Stalls(types) => {
                let (name, offset) = match ids.get(1) {
                    Some(id) => (name, hex(id.text(), id)),
                    // Older versions of unitrace: `vecadd!0x000001b8`.
                    None => match name.rsplit_once('!') {
                        Some((name, offset)) => (name, hex(Some(offset), kernel)),
                        None => {
                            let shown = kernel.shown();
                            let message = format!("{shown} has no offset: expected `name!0x1b8`");
                            return Err(at(kernel, message));
                        }
                    },
                };
                let offset = offset.map_err(of_bad)?;
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
            Kind::Metrics(..) if is_idle(name) => Ok(false),
            Kind::Metrics(columns_of_ids, time) => {
                let ids_of = *columns_of_ids;
                let id = |column: Option<usize>| column.and_then(|column| ids.get(column));
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
                let instance = id(ids_of.instance);
                let instance = instance.map(|id| String::from_utf8_lossy(&id.bytes).into_owned());
                let device = id(ids_of.device).and_then(|id| id.text()?.parse().ok());
                if device.is_some() && device != columns.device {
                    columns.device = device;
                    columns.last = None;
                }
                let weight = time.and_then(|time| numbers.get(time).copied());
                let weight = weight.filter(|weight| *weight > 0.0);
                let last =
                    self.add_metrics(columns, name, instance.as_deref(), &numbers, weight)?;
                columns.last = Some(last);
                Ok(true)
            }
            Kind::Times(times) => {
                let times = timing::times(*times, fields).map_err(of_bad)?;
                self.timing(name, |timed| &mut timed.times)?.times = Some(times);
                Ok(true)
            }
            Kind::Properties(properties) => {
                let found = timing::properties(properties, fields).map_err(of_bad)?;
                let row = self.timing(name, |timed| &mut timed.properties)?;
                row.properties = Some(found);
                Ok(true)
            }
        }
    }

    /// Returns the next entry of a name whose part has not been read. `count` is the number of entries
    /// that have it.
    fn timing(
        &mut self,
        name: &str,
        count: fn(&mut Timed) -> &mut usize,
    ) -> Result<&mut TimedKernel, Option<Reason>> {
        let (tile, name) = timing::tile(name);
        let key = (tile, name.to_owned());
        let known = self.timed.get_mut(&key);
        let place = known.and_then(|timed| {
            let at = *count(timed);
            let place = timed.rows.get(at).copied()?;
            *count(timed) += 1;
            Some(place)
        });
        let place = match place {
            Some(place) => place,
            None => {
                self.new_kernel(name)?;
                let place = self.timings.len();
                self.timings.push(TimedKernel {
                    tile,
                    name: name.to_owned(),
                    times: None,
                    properties: None,
                });
                let timed = self.timed.entry(key).or_default();
                timed.rows.push(place);
                *count(timed) += 1;
                place
            }
        };
        self.timings.get_mut(place).ok_or(None)
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
        self.within(self.offsets + 1, OFFSETS_MAX, "rows with samples")?;
        let sum = counts
            .iter()
            .copied()
            .try_fold(self.samples, u64::checked_add);
        self.samples = sum.ok_or_else(|| {
            let message = "the sum of the counts exceeds 64 bits".to_owned();
            Some((None, message))
        })?;
        let goes_on = |block: &&mut Block| {
            let last = block.offsets.last();
            *block.name == *name && last.is_some_and(|(last, _)| *last < offset)
        };
        let last = columns.last.and_then(|last| self.blocks.get_mut(last));
        if let (Some(block), Some(last)) = (last.filter(goes_on), columns.last) {
            block.offsets.push((offset, counts.into()));
            self.offsets += 1;
            return Ok(last);
        }
        self.end_block();
        let names = self.sampled.entry(columns.device).or_default();
        let known = names.get(name).map(Rc::clone);
        let name = match known {
            Some(name) => name,
            None => {
                self.new_kernel(name)?;
                let name: Rc<str> = name.into();
                let names = self.sampled.entry(columns.device).or_default();
                names.insert(Rc::clone(&name));
                name
            }
        };
        self.blocks.push(Block {
            device: columns.device,
            name,
            offsets: vec![(offset, counts.into())],
            blocks: 1,
        });
        self.offsets += 1;
        Ok(self.blocks.len() - 1)
    }

    /// Ends the last block. If an earlier one has the same offsets, the samples are added to it: both fit the
    /// same code.
    fn end_block(&mut self) {
        let Some(block) = self.blocks.pop() else {
            return;
        };
        let offsets = |block: &Block| block.offsets.iter().map(|(offset, _)| *offset).collect();
        let own: Vec<u64> = offsets(&block);
        let mut hasher = DefaultHasher::new();
        (block.device, &block.name, &own).hash(&mut hasher);
        let place = self.blocks.len();
        let known = *self.known_blocks.entry(hasher.finish()).or_insert(place);
        let is_same = |known: &&mut Block| {
            let others: Vec<u64> = offsets(known);
            known.device == block.device && known.name == block.name && others == own
        };
        let Some(known) = self.blocks.get_mut(known).filter(is_same) else {
            self.blocks.push(block);
            return;
        };
        for ((_, sums), (_, counts)) in known.offsets.iter_mut().zip(block.offsets) {
            if sums.len() < counts.len() {
                let missing = std::iter::repeat(0);
                *sums = sums
                    .iter()
                    .copied()
                    .chain(missing)
                    .take(counts.len())
                    .collect();
            }
            super::add(sums, &counts);
            self.offsets -= 1;
        }
        known.blocks += 1;
    }

    /// Counts a kernel; otherwise returns why the row is skipped.
    fn new_kernel(&mut self, name: &str) -> Result<(), Option<Reason>> {
        self.within(self.kernels + 1, KERNELS_MAX, "different kernels")?;
        self.within(self.names + name.len(), NAMES_MAX, "bytes of names")?;
        self.names += name.len();
        self.kernels += 1;
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
        instance: Option<&str>,
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
        match instance {
            None => kernel.has_unknown_runs = true,
            Some(instance) if kernel.last.as_deref() == Some(instance) => {}
            Some(instance) => {
                kernel.instances += 1;
                kernel.last = Some(instance.to_owned());
            }
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

    /// Moves the figures into a profile.
    pub fn finish(mut self, profile: &mut super::Profile) {
        self.end_block();
        let types = self.types.len();
        let sampled = self.blocks.into_iter().map(|block| {
            let offsets = block.offsets.into_iter().map(|(offset, counts)| {
                let mut counts = counts.into_vec();
                counts.resize(types, 0);
                OffsetSamples { offset, counts }
            });
            SampledKernel {
                device: block.device,
                name: block.name,
                blocks: block.blocks,
                offsets: offsets.collect(),
            }
        });
        profile.kernels = sampled.collect();
        let measured = self.measured.into_items().map(|(device, name, kernel)| {
            let metrics = kernel.metrics.iter().zip(kernel.sums);
            let metric = |(name, sum): (&u32, Sum)| {
                let name = self.metric_names.get(usize::try_from(*name).ok()?)?;
                Some(sum.metric(Rc::clone(name)))
            };
            MeasuredKernel {
                device,
                name,
                instances: (!kernel.has_unknown_runs).then_some(kernel.instances),
                rows: kernel.rows,
                metrics: metrics.filter_map(metric).collect(),
            }
        });
        profile.metrics = measured.collect();
        profile.types = self.types;
        profile.timings = self.timings;
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

/// Reads an offset in a field.
fn hex<'a>(text: Option<&str>, field: &'a Field<'a>) -> Result<u64, BadField<'a>> {
    let number = text.and_then(|text| {
        let digits = text.strip_prefix("0x").unwrap_or(text);
        // `from_str_radix` accepts a sign.
        let is_digits = digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        u64::from_str_radix(digits, 16).ok().filter(|_| is_digits)
    });
    let shown = field.shown();
    number.ok_or_else(|| (field, format!("{shown} is not a hexadecimal offset")))
}

impl Columns {
    fn new(device: Option<u32>, names: &[&str], before: usize, kind: Kind) -> Columns {
        Columns {
            device,
            before,
            names: names.iter().map(|name| Rc::from(*name)).collect(),
            kind,
            metrics: None,
            last: None,
        }
    }
}
