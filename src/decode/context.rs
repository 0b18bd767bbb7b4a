//! What every decoder is handed: the bytes, the place for findings, the list of expanders.

use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::fmt::Display;
use std::rc::Rc;

use super::format::{Formats, OpenedDocument};
use super::limits;
use super::reader::ReadError;
use super::rule::Rule;
use super::rules;
use super::text::plural;
use crate::model::sort;
use crate::model::{
    Capabilities, Diagnostic, Expand, ExpanderId, Fact, Findings, Holes, InnerDocument, Label,
    RuleInfo, SourceId, Sources, Span, Str, Summary, late_limit,
};

/// What a decoder works with. Findings go in through `&self`: a decoder reports and goes
/// on.
pub struct Context<'a> {
    /// The bytes.
    pub sources: &'a Sources,
    /// The formats that documents are opened in.
    pub formats: Formats,
    reports: RefCell<Reports>,
    expanders: RefCell<Vec<Rc<dyn Expand>>>,
    /// The id of the first expander.
    first: ExpanderId,
    padding: RefCell<Vec<Span>>,
    gaps: RefCell<Vec<Span>>,
    overlap: Cell<u64>,
    depth: Cell<u32>,
    walked: Cell<u64>,
    /// How many streams were unpacked, and their bytes.
    unpacked: Cell<(u64, u64)>,
    /// How many bytes were opened as documents, by source and depth.
    nested: RefCell<BTreeMap<(SourceId, u32), u64>>,
    /// The documents in the opened one, and what can be asked of them.
    documents: RefCell<Vec<InnerDocument>>,
    /// Those of them that are opened when somebody asks for what is in them.
    late: RefCell<Vec<Span>>,
    late_bytes: Cell<u64>,
    within: Cell<Capabilities>,
    /// The documents that a driver can be given.
    loadable: RefCell<Vec<Span>>,
}

#[derive(Default)]
struct Reports {
    diagnostics: Vec<Diagnostic>,
    counts: BTreeMap<&'static str, (usize, &'static Rule)>,
}

impl<'a> Context<'a> {
    pub(super) fn new(sources: &'a Sources, formats: Formats) -> Context<'a> {
        Context {
            sources,
            formats,
            reports: RefCell::default(),
            expanders: RefCell::default(),
            first: ExpanderId(0),
            padding: RefCell::default(),
            gaps: RefCell::default(),
            overlap: Cell::new(0),
            depth: Cell::new(0),
            walked: Cell::new(0),
            unpacked: Cell::new((0, 0)),
            nested: RefCell::default(),
            documents: RefCell::default(),
            late: RefCell::default(),
            late_bytes: Cell::new(0),
            within: Cell::default(),
            loadable: RefCell::default(),
        }
    }

    /// A context for a document that is opened later than the file that it is in, `depth` levels
    /// down. Its expanders count from `first`.
    pub(super) fn late(
        sources: &'a Sources,
        formats: Formats,
        first: ExpanderId,
        depth: u32,
    ) -> Context<'a> {
        Context {
            first,
            depth: Cell::new(depth),
            unpacked: Cell::new(sources.in_memory()),
            ..Context::new(sources, formats)
        }
    }

    /// How many documents are around what is being opened.
    pub(super) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Is it a document that may have been opened before?
    pub(super) fn is_late(&self) -> bool {
        self.first != ExpanderId(0)
    }

    /// Says that these bytes are a document that is opened when somebody asks for what is in it.
    pub fn holds_late(&self, span: Span) {
        self.documents.borrow_mut().push(InnerDocument {
            span,
            is_listed: true,
            ..InnerDocument::default()
        });
        self.late.borrow_mut().push(span);
        let bytes = self.late_bytes.get().saturating_add(span.len());
        self.late_bytes.set(bytes);
        if bytes > late_limit(self.sources.whole(SourceId::FILE).len()) {
            self.report(
                &rules::TOO_MUCH,
                span,
                "too many overlapping images: tables of all images leave this one out",
            );
        }
    }

    /// Reports that `rule` fires at `span`. The message is only written if the finding is
    /// listed: of a million nobody reads more than [`limits::PER_RULE`].
    pub fn report(&self, rule: &'static Rule, span: Span, message: impl Display) {
        self.list(rule, span, &message, &[], None);
    }

    /// Reports with other bytes that belong to it, and a word of help.
    pub fn report_with(
        &self,
        rule: &'static Rule,
        span: Span,
        message: impl Display,
        see: &[(Span, &'static str)],
        help: Option<Str>,
    ) {
        self.list(rule, span, &message, see, help);
    }

    fn list(
        &self,
        rule: &'static Rule,
        span: Span,
        message: &dyn Display,
        see: &[(Span, &'static str)],
        help: Option<Str>,
    ) {
        let mut reports = self.reports.borrow_mut();
        let (count, _) = reports.counts.entry(rule.id).or_insert((0, rule));
        *count += 1;
        if *count > limits::PER_RULE {
            return;
        }
        let whole = self.sources.whole(span.source);
        let clip = |span: Span| {
            Span::new(
                span.source,
                span.start.min(whole.end),
                span.end.min(whole.end),
            )
        };
        let label = |span: Span, text: &'static str| Label {
            span: clip(span),
            text: text.into(),
        };
        reports.diagnostics.push(Diagnostic {
            rule: rule.id.into(),
            severity: rule.severity,
            message: headline(message.to_string()),
            primary: label(visible(span, whole), ""),
            secondary: see.iter().map(|(span, text)| label(*span, text)).collect(),
            help,
        });
    }

    /// Reports a failed read, at the bytes that are to blame for it, under the rule that says
    /// what is cut off.
    pub fn report_read(&self, rule: &'static Rule, error: &ReadError, blame: Span, what: &str) {
        match error {
            ReadError::OutOfBounds { wanted, available } => {
                let missing = wanted.end.saturating_sub(available.end);
                self.report_with(
                    rule,
                    blame,
                    format_args!("{what} is truncated by {}", plural(missing, "byte")),
                    &[],
                    None,
                );
            }
            ReadError::Source(error) => {
                self.report(
                    &rules::READ_FAILED,
                    error.span,
                    format_args!("{what}: {error}"),
                );
            }
        }
    }

    /// Adds an expander.
    pub fn register(&self, expander: Rc<dyn Expand>) -> ExpanderId {
        let mut list = self.expanders.borrow_mut();
        let index = u32::try_from(list.len()).unwrap_or(u32::MAX);
        list.push(expander);
        ExpanderId(self.first.0.saturating_add(index))
    }

    /// Says that these bytes only fill up to an alignment.
    pub fn padding(&self, span: Span) {
        if !span.is_empty() {
            self.padding.borrow_mut().push(span);
        }
    }

    /// Says that nothing explains these bytes.
    pub fn gap(&self, span: Span) {
        if !span.is_empty() {
            self.gaps.borrow_mut().push(span);
        }
    }

    /// Says that so many bytes are claimed more than once.
    pub fn overlap(&self, bytes: u64) {
        self.overlap.set(self.overlap.get().saturating_add(bytes));
    }

    /// May all bytes of `span` be walked through? Sections may lie over each other, each as
    /// large as the file: what all of them cost together is bounded.
    pub fn may_walk(&self, span: Span) -> bool {
        let walked = self.walked.get().saturating_add(span.len());
        let most = self
            .size()
            .saturating_mul(limits::WALKS)
            .saturating_add(limits::WALKS_MORE);
        if walked > most {
            self.report(
                &rules::TOO_MUCH,
                span,
                "too many overlapping parts: this one is not checked",
            );
            return false;
        }
        self.walked.set(walked);
        true
    }

    /// The size of the file and of all that was unpacked from it.
    fn size(&self) -> u64 {
        let (_, unpacked) = self.unpacked.get();
        let file = self.sources.whole(SourceId::FILE).len();
        file.saturating_add(unpacked)
    }

    /// How many bytes may still be unpacked.
    pub(super) fn may_unpack(&self) -> u64 {
        let (streams, bytes) = self.unpacked.get();
        if streams < limits::STREAMS {
            let file = self.sources.whole(SourceId::FILE).len();
            limits::unpacked(file).saturating_sub(bytes)
        } else {
            0
        }
    }

    /// Adds bytes that were unpacked from `parent`; gives their place.
    pub(super) fn unpacked(&self, name: &str, bytes: Vec<u8>, parent: Span) -> Span {
        let (streams, sum) = self.unpacked.get();
        let sum = sum.saturating_add(bytes.len() as u64);
        self.unpacked.set((streams.saturating_add(1), sum));
        let source = self.sources.unpacked(name, bytes, parent);
        self.sources.whole(source)
    }

    /// One level down into a nested document; `None` when that is deep enough.
    pub fn nest<T>(&self, f: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() >= limits::NESTING {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let out = f();
        self.depth.set(self.depth.get() - 1);
        Some(out)
    }

    /// As [`nest`](Self::nest), for the bytes of `span`; `None` also when as many bytes as there
    /// are have been opened so deep: containers that lie over each other would otherwise open
    /// each other again and again; or when there are too many for the size of the file.
    pub fn nest_in<T>(&self, span: Span, f: impl FnOnce() -> T) -> Option<T> {
        let size = self.sources.whole(span.source).len();
        let key = (span.source, self.depth.get());
        let opened = self.nested.borrow().get(&key).copied().unwrap_or(0);
        let opened = opened.saturating_add(span.len());
        if opened > size || self.has_all_documents() {
            return None;
        }
        self.nested.borrow_mut().insert(key, opened);
        self.nest(f)
    }

    /// Are as many documents opened as the size of the file allows?
    pub fn has_all_documents(&self) -> bool {
        let most = limits::DOCUMENTS.saturating_add(self.size() / limits::DOCUMENT_BYTES);
        self.documents.borrow().len() as u64 >= most
    }

    /// Opens the bytes of `span` as a document in the opened one: it is listed before those in it.
    pub fn inner(&self, span: Span, open: impl FnOnce() -> OpenedDocument) -> OpenedDocument {
        let place = self.documents.borrow().len();
        let inner = InnerDocument {
            span,
            ..InnerDocument::default()
        };
        self.documents.borrow_mut().push(inner);
        let opened = open();
        let Summary {
            format,
            title,
            facts,
            has,
            ..
        } = &opened.summary;
        let is_image = has.loadable || has.kernels || matches!(&**format, "spirv" | "opencl-elf");
        let has = Capabilities {
            image: is_image,
            ..*has
        };
        self.within.set(self.within.get() | has);
        self.loadable(span, has);
        if let Some(inner) = self.documents.borrow_mut().get_mut(place) {
            let target = facts.iter().find(|fact| fact.label == Fact::TARGET);
            inner.format = format.clone();
            inner.title = title.clone();
            inner.target = target.map(|fact| fact.text.clone());
            inner.has = has;
        }
        opened
    }

    /// Keeps which bytes are a document that programs give to the driver, or could.
    pub fn loadable(&self, span: Span, has: Capabilities) {
        if has.loadable {
            self.loadable.borrow_mut().push(span);
        }
    }

    /// An expander that was added before. Returns `None` for an unknown id.
    pub fn expander(&self, id: ExpanderId) -> Option<Rc<dyn Expand>> {
        let index = usize::try_from(id.0.checked_sub(self.first.0)?).ok()?;
        self.expanders.borrow().get(index).cloned()
    }

    pub(super) fn finish(self) -> Findings {
        let reports = self.reports.into_inner();
        let mut diagnostics = reports.diagnostics;
        let mut rules: Vec<RuleInfo> = Vec::new();
        for (count, rule) in reports.counts.values() {
            rules.push(rule.info());
            let more = count.saturating_sub(limits::PER_RULE);
            let last = diagnostics.iter().rfind(|d| d.rule == rule.id).cloned();
            if let (true, Some(last)) = (more > 0, last) {
                diagnostics.push(Diagnostic {
                    message: format!("{more} more problems of this rule are not listed"),
                    ..last
                });
            }
        }
        sort::by(&mut rules, |a, b| a.id.cmp(&b.id));
        Findings {
            diagnostics,
            rules,
            holes: Holes {
                gaps: self.gaps.into_inner(),
                padding: self.padding.into_inner(),
                overlap: self.overlap.get(),
            },
            expanders: self.expanders.into_inner(),
            of: None,
            documents: self.documents.into_inner(),
            late: self.late.into_inner(),
            within: self.within.get(),
            loadable: self.loadable.into_inner(),
        }
    }
}

/// A headline has one line, whatever names the file gives to things.
pub(super) fn headline(mut message: String) -> String {
    if let Some((cut, _)) = message.char_indices().nth(limits::MESSAGE) {
        message.truncate(cut);
        message.push('…');
    }
    crate::model::text::escaped(&message)
}

/// What is missing has no bytes: the one in its place stands for it.
fn visible(span: Span, whole: Span) -> Span {
    if !span.is_empty() {
        return span;
    }
    let last = whole.len().saturating_sub(1);
    whole.subspan(span.start.min(last), 1)
}
