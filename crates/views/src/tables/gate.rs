//! Conditions that no kernel may meet, and their evaluation: `--fail-if`.
//!
//! A kernel passes only if its values were read. In a file or image with errors, or with text that
//! the driver would refuse to read, no kernel passes: it fails if a condition is met, and is
//! otherwise not judged.

use crate::tables;
use std::collections::HashMap;
use std::rc::Rc;

use super::query::{Filter, RowRef};
use super::{CellValue, List, ListId, Presence};
use crate::diff::{Change, Comparison, Part};
use zeview_analysis::unread;
use zeview_core::model::text::escaped;
use zeview_core::model::{
    Diagnostic, Document, Node, NodeId, Severity, SourceId, Sources, Span, sort,
};

/// A condition that no kernel may meet.
#[derive(Debug, Clone)]
pub struct Condition {
    filter: Filter,
    /// The indices of the columns in it.
    columns: Vec<usize>,
    /// Whether it may compare with an earlier file; then messages include the earlier values.
    is_relative: bool,
    /// Whether it compares with an earlier file.
    has_changes: bool,
}

impl Condition {
    /// Returns the indices of the columns that it compares.
    #[must_use]
    pub fn columns(&self) -> &[usize] {
        &self.columns
    }

    /// Returns the names of devices that it compares with, as typed.
    #[must_use]
    pub fn devices(&self) -> Vec<&str> {
        self.filter.devices()
    }

    /// Parses a condition: `spill_size>0`.
    ///
    /// # Errors
    ///
    /// The reason, if the text is not a condition.
    pub fn parse(text: &str) -> Result<Condition, String> {
        let filter = Filter::parse(text, ListId::Kernels)?;
        Condition::new(filter, false, "spill_size>0")
    }

    /// Parses a condition that may compare with an earlier file: `spill_size increased`.
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_change(text: &str) -> Result<Condition, String> {
        let filter = Filter::parse_changes(text, ListId::Kernels)?;
        Condition::new(filter, true, "spill_size increased")
    }

    fn new(filter: Filter, is_relative: bool, example: &str) -> Result<Condition, String> {
        match filter.compared() {
            Ok(columns) if !columns.is_empty() => Ok(Condition {
                is_relative,
                has_changes: filter.has_changes(),
                filter,
                columns,
            }),
            Ok(_) => Err("it is empty".to_owned()),
            Err(text) => Err(format!(
                "{text:?} is not a comparison; write for example {example}"
            )),
        }
    }
}

/// The result of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// All kernels were judged, and none meets a condition.
    Passes,
    /// A kernel meets a condition.
    Fails,
    /// No kernel is known to meet a condition, but not everything could be judged.
    NotJudged,
}

impl Outcome {
    /// Returns the exit status: 0, 1 or 2.
    pub fn exit_status(self) -> u8 {
        match self {
            Outcome::Passes => 0,
            Outcome::Fails => 1,
            Outcome::NotJudged => 2,
        }
    }
}

/// Conditions, and their result for the kernels so far. Without conditions, it passes.
#[derive(Debug)]
pub struct Gate<'c> {
    conditions: &'c [Condition],
    judged: u64,
    without_code: u64,
    fails: bool,
    is_incomplete: bool,
    /// Number of new kernels that were passed, if they are.
    skipped_new: Option<u64>,
    messages: Vec<String>,
    /// The messages that were taken, if they are kept.
    kept: Option<Vec<String>>,
}

impl<'c> Gate<'c> {
    /// Creates a gate.
    pub fn new(conditions: &'c [Condition]) -> Gate<'c> {
        Gate {
            conditions,
            judged: 0,
            without_code: 0,
            fails: false,
            is_incomplete: false,
            skipped_new: None,
            messages: Vec::new(),
            kept: None,
        }
    }

    /// Keeps all messages for [`kept_messages`](Self::kept_messages).
    pub fn keep_messages(&mut self) {
        self.kept.get_or_insert_default();
    }

    /// Returns the messages that were taken, if they are kept.
    pub fn kept_messages(&self) -> &[String] {
        self.kept.as_deref().unwrap_or_default()
    }

    /// Whether there is a condition.
    pub fn has_conditions(&self) -> bool {
        !self.conditions.is_empty()
    }

    /// Returns the number of judged kernels, also without conditions.
    pub fn judged(&self) -> u64 {
        self.judged
    }

    /// Returns the number of kernels in SPIR-V images, which have no values to judge.
    pub fn without_code(&self) -> u64 {
        self.without_code
    }

    /// Takes the messages since the last call, one line each: failing kernels, and anything that
    /// could not be judged.
    pub fn take_messages(&mut self) -> Vec<String> {
        let messages = std::mem::take(&mut self.messages);
        if let Some(kept) = &mut self.kept {
            kept.extend_from_slice(&messages);
        }
        messages
    }

    /// Records that something cannot be judged.
    pub fn miss(&mut self, what: &str) {
        self.messages.push(if self.has_conditions() {
            format!("{what}: --fail-if cannot be judged")
        } else {
            what.to_owned()
        });
        self.is_incomplete = true;
    }

    /// Returns the result.
    pub fn outcome(&self) -> Outcome {
        match self.has_conditions() {
            true if self.fails => Outcome::Fails,
            true if self.is_incomplete || self.judged == 0 => Outcome::NotJudged,
            _ => Outcome::Passes,
        }
    }

    /// Records that a document without kernels is damaged: kernels may be missing.
    pub fn miss_unlisted_kernels(&mut self, document: &Document, id: NodeId, location: &str) {
        let extent = document.node(id).and_then(Node::extent).unwrap_or_default();
        let mut found = document.diagnostics_in(extent);
        if self.has_conditions() && found.any(|d| d.severity == Severity::Error) {
            self.miss(&format!("{location}: its kernels cannot be read"));
        }
    }

    /// Passes kernels that the earlier file does not have. Otherwise, their values increase from zero.
    pub fn skip_new_kernels(&mut self) {
        self.skipped_new.get_or_insert(0);
    }

    /// Returns the number of new kernels that were passed because of
    /// [`skip_new_kernels`](Self::skip_new_kernels).
    pub fn skipped_new(&self) -> u64 {
        self.skipped_new.unwrap_or(0)
    }

    /// Judges a kernel, given its earlier version; `None` if it is new. `location` is the file in
    /// messages; it may be empty. Returns whether it meets a condition.
    pub fn judge(
        &mut self,
        location: &str,
        now: (RowRef<'_>, &mut Damage),
        before: Option<(RowRef<'_>, &Damage)>,
    ) -> bool {
        if self.conditions.is_empty() {
            self.judged += 1;
            return false;
        }
        if let (Some(skipped), None) = (&mut self.skipped_new, &before) {
            *skipped += 1;
            self.judged += 1;
            return false;
        }
        let ((list, row, sources), damage) = now;
        let old = before.as_ref().map(|(at, _)| *at);
        let title = || {
            let name = list.cell(row, 0, sources).value.title().into_owned();
            match location {
                "" => escaped(&name),
                _ => format!("{location}: {}", escaped(&name)),
            }
        };
        let (mut is_met, mut unknown) = (false, None);
        for condition in self.conditions {
            match condition.filter.judge((list, row, sources), old) {
                Some(false) => {}
                None => unknown = Some(condition),
                Some(true) => {
                    is_met = true;
                    let values = condition.values((list, row, sources), old);
                    self.messages
                        .push(format!("{}: {}", title(), values.join(", ")));
                }
            }
        }
        let has_code = is_native(list, row);
        self.fails |= is_met;
        self.judged += u64::from(has_code || is_met);
        self.without_code += u64::from(!has_code);
        if is_met || !has_code {
            return is_met;
        }
        let entry = list.entry(row, sources).unwrap_or_default();
        if let Some(reason) = damage.within(entry) {
            let message = format!("{}: {reason}", title());
            self.miss(&message);
        } else if let Some(reason) = damage.around(entry) {
            // Once per document, not once per kernel.
            match reason.take() {
                Some(reason) if location.is_empty() => self.miss(&reason),
                Some(reason) => self.miss(&format!("{location}: {reason}")),
                None => {}
            }
        } else if let Some(condition) = unknown {
            let values = condition.values((list, row, sources), old);
            let message = format!("{}: {}", title(), values.join(", "));
            self.miss(&message);
        } else if let Some(count) = self.undecoded((list, row, sources)) {
            let message = format!("{}: {count} words of its code cannot be decoded", title());
            self.miss(&message);
        }
        let has_changes = self.conditions.iter().any(|c| c.has_changes);
        if let Some(((list, row, sources), damage)) = before.filter(|_| has_changes) {
            let entry = list.entry(row, sources).unwrap_or_default();
            if let Some(reason) = damage.any(entry) {
                let message = format!("{}: in the first file, {reason}", title());
                self.miss(&message);
            }
        }
        false
    }

    /// Returns the number of words of a kernel's code that are not instructions, if a condition
    /// counts instructions.
    fn undecoded(&self, (list, row, sources): RowRef<'_>) -> Option<u64> {
        let columns = ListId::Kernels.columns();
        let mut compared = self.conditions.iter().flat_map(|c| &c.columns);
        let counts = compared.any(|column| {
            let column = columns.get(*column);
            column.is_some_and(|column| column.presence == Presence::Counted)
        });
        let (kernels, index) = list.as_kernels()?.kernel(row).filter(|_| counts)?;
        let rows = kernels.rows(sources);
        let (_, mix) = kernels.mix(&rows.get(index)?.name.value, sources)?;
        Some(mix.illegal).filter(|count| *count > 0)
    }

    /// Judges all kernels of a document, compared with an earlier one, and returns their number.
    /// `location` is its file in messages; it may be empty.
    pub fn judge_document(
        &mut self,
        location: &str,
        document: &mut Document,
        before: Option<(&mut Document, &Comparison)>,
    ) -> u64 {
        let judged = self.judged;
        let list = tables::list(document, NodeId::ROOT, ListId::Kernels, None);
        let unread = unread::unread_parts(document);
        if !unread.is_empty() {
            match location {
                "" => self.miss(&unread.text()),
                _ => self.miss(&format!("{location}: {}", unread.text())),
            }
        }
        let Some(list) = list else {
            return 0;
        };
        for note in list.notes() {
            match location {
                "" => self.miss(&note),
                _ => self.miss(&format!("{location}: {note}")),
            }
        }
        let mut damage = Damage::of(document, &[NodeId::ROOT]);
        let is_cut = before.as_ref().is_some_and(|(_, result)| result.is_cut);
        let before = before.and_then(|(document, result)| Baseline::of(document, result));
        // Functions are not judged; a placeholder may hold the code of some.
        for row in 0..list.count().saturating_sub(list.secondary().functions) {
            let old = before
                .as_ref()
                .and_then(|before| before.find(&*list, row, &document.sources));
            self.judge(
                location,
                ((&*list, row, &document.sources), &mut damage),
                old,
            );
        }
        if is_cut && self.has_conditions() {
            self.miss("the files were not compared completely");
        }
        self.judged - judged
    }
}

impl Condition {
    /// Formats the compared values.
    fn values(&self, (list, row, sources): RowRef<'_>, before: Option<RowRef<'_>>) -> Vec<String> {
        let columns = ListId::Kernels.columns();
        let text = |value: CellValue<'_>| match value.text() {
            text if text.is_empty() => None,
            text => Some(escaped(&text)),
        };
        let values = self.columns.iter().filter_map(|column| {
            let id = columns.get(*column)?.id;
            let is = text(list.cell(row, *column, sources).value);
            if !self.is_relative {
                return Some(match is {
                    Some(is) => format!("{id} is {is}"),
                    None => format!("{id} has no value"),
                });
            }
            let is = is.unwrap_or_else(|| "nothing".to_owned());
            Some(match before {
                Some((list, row, sources)) => {
                    let was = text(list.cell(row, *column, sources).value);
                    let was = was.unwrap_or_else(|| "nothing".to_owned());
                    format!("{id} {was} → {is}")
                }
                None => format!("{id} is {is}, and the kernel is new"),
            })
        });
        values.collect()
    }
}

/// The kernels of an earlier file.
struct Baseline<'d> {
    list: Rc<dyn List>,
    sources: &'d Sources,
    damage: Damage,
    /// The rows by image path and name; with an empty path, the first row with the name.
    rows: HashMap<(String, String), u32>,
    /// The earlier names of renamed kernels.
    renamed: HashMap<&'d str, &'d str>,
}

fn is_native(list: &dyn List, row: u32) -> bool {
    let kernels = list.as_kernels();
    kernels.is_some_and(|kernels| kernels.is_native(row))
}

fn path(list: &dyn List, row: u32) -> &str {
    let kernels = list.as_kernels();
    kernels.map_or("", |kernels| kernels.path(row))
}

impl<'d> Baseline<'d> {
    fn of(document: &'d mut Document, result: &'d Comparison) -> Option<Baseline<'d>> {
        let list = tables::list(document, NodeId::ROOT, ListId::Kernels, None)?;
        let damage = Damage::of(document, &[NodeId::ROOT]);
        let mut rows = HashMap::new();
        // Kernels without code have no values to compare.
        for row in (0..list.count()).filter(|row| is_native(&*list, *row)) {
            let name = name(&*list, row, &document.sources);
            let path = path(&*list, row).to_owned();
            rows.entry((path, name.clone())).or_insert(row);
            rows.entry((String::new(), name)).or_insert(row);
        }
        let renamed = result.of(Part::Kernel);
        let renamed = renamed.filter(|entry| entry.change == Change::Renamed);
        Some(Baseline {
            renamed: renamed
                .filter_map(|entry| Some((entry.new_name.as_deref()?, entry.name.as_str())))
                .collect(),
            list,
            sources: &document.sources,
            damage,
            rows,
        })
    }

    /// Returns the earlier version of a kernel.
    fn find(&self, list: &dyn List, row: u32, sources: &Sources) -> Option<(RowRef<'_>, &Damage)> {
        let new = name(list, row, sources);
        let old = self.renamed.get(new.as_str());
        let old = old.map_or(new.as_str(), |name| name);
        let paths = [path(list, row), ""];
        let mut rows = paths.iter().filter_map(|path| {
            let key = ((*path).to_owned(), old.to_owned());
            self.rows.get(&key)
        });
        let row = *rows.next()?;
        Some(((&*self.list, row, self.sources), &self.damage))
    }
}

fn name(list: &dyn List, row: u32, sources: &Sources) -> String {
    list.cell(row, 0, sources).value.text().into_owned()
}

/// The driver's rules about reading values, rather than the values themselves: if one of them
/// fires, the text may not mean what was read.
pub static READING_RULES: &[&str] = &[
    "driver/duplicate-key",
    "driver/duplicate-section",
    "driver/empty-text",
    "driver/kernel-incomplete",
    "driver/list-length",
    "driver/text-outside-of-file",
    "driver/unknown-key",
    "driver/value-not-read",
    "driver/version",
    "driver/yaml-brace",
    "driver/yaml-character",
    "driver/yaml-dash-line",
    "driver/yaml-empty-table",
    "driver/yaml-first-line-indented",
    "driver/yaml-indentation",
    "driver/yaml-inline-list",
    "driver/yaml-key-without-colon",
    "driver/yaml-line-start",
    "driver/yaml-list-line",
    "driver/yaml-open-dash-line",
    "driver/yaml-open-quote",
];

/// Warnings about values that were possibly not read, unless the driver accepts the text.
static DOUBTFUL_RULES: [&str; 2] = [UNKNOWN_KEY, "ze-info/duplicate-key"];

/// An unknown key may be a misspelled one.
const UNKNOWN_KEY: &str = "ze-info/unknown-key";

/// The mappings whose values are columns, as in messages about unknown keys. An unknown key in them
/// is never accepted: the driver may interpret the text differently if it reads other lines.
static READ_MAPPINGS: [&str; 3] = [" in execution_env", " in kernel", " in user_attributes"];

/// Errors in property sets, which do not affect the values of kernels.
const PROPERTY_RULES: &str = "property-set/";

/// Limits: a part of the file was not read.
const LIMIT_RULES: &str = "limits/";

/// The damage in a file's documents with kernels.
#[derive(Debug, Default)]
pub struct Damage {
    /// The documents with damage, by their bytes.
    documents: Vec<DamagedDocument>,
    /// The damage of the surrounding file, which may have lost documents.
    outside: Option<Option<String>>,
}

#[derive(Debug)]
struct DamagedDocument {
    extent: Span,
    /// The largest end of this document and those before it.
    last_end: u64,
    /// The problems, with their bytes; not empty.
    reasons: Vec<(Span, String)>,
    /// The first reason, until it was reported.
    first: Option<String>,
}

impl Damage {
    /// Collects the damage in some documents of a file, after their lists of kernels were created.
    pub fn of(document: &mut Document, within: &[NodeId]) -> Damage {
        let extents = within.iter().filter_map(|id| document.node(*id)?.extent());
        let extents: Vec<Span> = extents.collect();
        let root = document.root().span.unwrap_or_default();
        let mut files = document.loadable();
        if document.is_loadable(NodeId::ROOT) && !files.contains(&root) {
            files.push(root);
        }
        sort::by_key(&mut files, |file| (file.source, file.start));
        files.dedup();
        let is_asked = |document: &Document, mut span: Span| loop {
            if extents.iter().any(|extent| extent.contains(span)) {
                return true;
            }
            match document.sources.parent(span.source) {
                Some(parent) if span.source != SourceId::FILE => span = parent,
                _ => return false,
            }
        };
        let mut damage = Damage::default();
        for diagnostic in &document.diagnostics {
            let span = diagnostic.primary.span;
            let is_error = diagnostic.severity == Severity::Error;
            let is_inside = || {
                let key = (span.source, span.start);
                let after = files.partition_point(|file| (file.source, file.start) <= key);
                let file = after.checked_sub(1).and_then(|at| files.get(at));
                file.is_some_and(|file| file.contains(span))
            };
            if is_error
                && !diagnostic.rule.starts_with(PROPERTY_RULES)
                && is_asked(document, span)
                && !is_inside()
            {
                // It concerns all kernels: one reason is enough.
                damage.outside = Some(Some(words(diagnostic)));
                break;
            }
        }
        for extent in files {
            if !is_asked(document, extent) {
                continue;
            }
            let reasons = reasons(document, extent);
            if let Some((_, first)) = reasons.first() {
                let before = damage.documents.last();
                let before = before.filter(|before| before.extent.source == extent.source);
                let last_end = before.map_or(0, |before| before.last_end);
                damage.documents.push(DamagedDocument {
                    extent,
                    last_end: last_end.max(extent.end),
                    first: Some(first.clone()),
                    reasons,
                });
            }
        }
        damage
    }

    /// Returns the index of the damaged document that contains an entry. Documents may overlap.
    fn position(&self, entry: Span) -> Option<usize> {
        let key = (entry.source, entry.start);
        let start = |document: &DamagedDocument| (document.extent.source, document.extent.start);
        let after = self
            .documents
            .partition_point(|document| start(document) <= key);
        let before = self.documents.get(..after)?.iter().enumerate().rev();
        let mut reaching = before.take_while(|(_, document)| {
            document.extent.source == entry.source && document.last_end >= entry.end
        });
        let found = reaching.find(|(_, document)| document.extent.contains(entry));
        found.map(|(index, _)| index)
    }

    fn document(&self, entry: Span) -> Option<&DamagedDocument> {
        self.documents.get(self.position(entry)?)
    }

    /// Returns a problem within the entry of a kernel.
    fn within(&self, entry: Span) -> Option<&str> {
        let mut reasons = self.document(entry)?.reasons.iter();
        let reason = reasons.find(|(span, _)| entry.contains(*span));
        reason.map(|(_, reason)| reason.as_str())
    }

    /// Returns a problem around the entry of a kernel; empty after it was taken.
    fn around(&mut self, entry: Span) -> Option<&mut Option<String>> {
        match self.position(entry) {
            Some(index) => Some(&mut self.documents.get_mut(index)?.first),
            None => self.outside.as_mut(),
        }
    }

    /// Returns a problem within or around the entry of a kernel.
    fn any(&self, entry: Span) -> Option<&str> {
        let reason = self.within(entry).or_else(|| {
            let reasons = &self.document(entry)?.reasons;
            reasons.first().map(|(_, reason)| reason.as_str())
        });
        reason.or_else(|| self.outside.as_ref()?.as_deref())
    }
}

/// Returns the reasons why values of a document's kernels may not have been read, with their bytes.
fn reasons(document: &mut Document, extent: Span) -> Vec<(Span, String)> {
    let (mut reasons, mut doubtful) = (Vec::new(), Vec::new());
    for diagnostic in document.diagnostics_in(extent) {
        let rule = &*diagnostic.rule;
        let reason = || (diagnostic.primary.span, words(diagnostic));
        let is_read = || {
            READ_MAPPINGS
                .iter()
                .any(|end| diagnostic.message.ends_with(end))
        };
        let is_misspelled = rule == UNKNOWN_KEY && is_read();
        let is_error = diagnostic.severity == Severity::Error;
        if is_error || is_misspelled || rule.starts_with(LIMIT_RULES) {
            reasons.push(reason());
        } else if DOUBTFUL_RULES.contains(&rule) {
            doubtful.push(reason());
        }
    }
    let node = if document.root().span == Some(extent) {
        Some(NodeId::ROOT)
    } else {
        document.document_at(extent)
    };
    let verdict = node.and_then(|node| document.verdict(node, None));
    let Some(verdict) = verdict.filter(|verdict| !verdict.outcome.loads()) else {
        return reasons;
    };
    for finding in &verdict.findings {
        if !finding.effect.allows_loading() && READING_RULES.contains(&&*finding.rule) {
            let reason = format!("the driver {}: {}", finding.effect.words(), finding.message);
            reasons.push((finding.span, escaped(&reason)));
        }
    }
    reasons.append(&mut doubtful);
    reasons
}

fn words(diagnostic: &Diagnostic) -> String {
    escaped(&format!(
        "{}[{}]: {}",
        diagnostic.severity.name(),
        diagnostic.rule,
        diagnostic.message
    ))
}
