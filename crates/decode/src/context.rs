//! The decoders' context: bytes, findings and expanders.

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
use zeview_core::model::sort;
use zeview_core::model::{
    Capabilities, Content, DeferredDocument, Diagnostic, Expand, ExpanderId, Fact, Findings, Holes,
    InnerDocument, Label, RuleInfo, SourceId, Sources, Span, Str, Summary, deferred_limit,
};

/// Input and output of a decoder. Findings are added through `&self`, so that a decoder can report
/// an error and continue.
pub struct Context<'a> {
    /// The bytes.
    pub sources: &'a Sources,
    /// The formats in which documents are opened.
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
    /// Number and total size of the decompressed streams.
    unpacked: Cell<(u64, u64)>,
    /// Number of bytes opened as documents, by source and depth.
    nested: RefCell<BTreeMap<(SourceId, u32), u64>>,
    /// The nested documents and their capabilities.
    documents: RefCell<Vec<InnerDocument>>,
    /// The nested documents that are opened on demand.
    deferred: RefCell<Vec<Span>>,
    deferred_bytes: Cell<u64>,
    within: Cell<Capabilities>,
    /// The documents that a driver could load.
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
            deferred: RefCell::default(),
            deferred_bytes: Cell::new(0),
            within: Cell::default(),
            loadable: RefCell::default(),
        }
    }

    /// A context for a document that is opened after the file that contains it, at nesting `depth`.
    /// Its expanders are numbered from `first`.
    pub(super) fn deferred(
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

    /// Number of documents around the one being opened.
    pub(super) fn depth(&self) -> u32 {
        self.depth.get()
    }

    /// Returns whether the document may have been opened before.
    pub(super) fn is_deferred(&self) -> bool {
        self.first != ExpanderId(0)
    }

    /// Registers a document that is opened on demand.
    pub fn add_deferred(&self, span: Span) {
        self.documents.borrow_mut().push(InnerDocument {
            span,
            is_listed: true,
            ..InnerDocument::default()
        });
        self.deferred.borrow_mut().push(span);
        let bytes = self.deferred_bytes.get().saturating_add(span.len());
        self.deferred_bytes.set(bytes);
        if bytes > deferred_limit(self.sources.size()) {
            self.report(
                &rules::TOO_MUCH,
                span,
                "too many overlapping images: tables of all images leave this one out",
            );
        }
    }

    /// Registers a file of a package, which is opened only when its contents are requested.
    pub(super) fn add_member(&self, span: Span) {
        self.documents.borrow_mut().push(InnerDocument {
            span,
            ..InnerDocument::default()
        });
    }

    /// Returns the results for the bytes of `span`, a document that was opened on demand.
    pub(super) fn into_deferred(
        self,
        span: Span,
        content: Option<(ExpanderId, u64, Option<u64>)>,
    ) -> DeferredDocument {
        let mut findings = self.finish();
        // The document itself is already listed.
        let documents = &mut findings.documents;
        let own = documents.iter().position(|inner| inner.span == span);
        findings.of = Some(match own {
            Some(own) => documents.remove(own),
            None => InnerDocument {
                span,
                ..InnerDocument::default()
            },
        });
        DeferredDocument {
            content: match content {
                Some((_, _, Some(0))) | None => Content::Leaf,
                Some((expander, item, count)) => Content::Lazy {
                    expander,
                    item,
                    count,
                },
            },
            findings,
        }
    }

    /// Reports that `rule` fires at `span`. The message is only formatted if the finding is listed,
    /// up to [`limits::PER_RULE`] per rule.
    pub fn report(&self, rule: &'static Rule, span: Span, message: impl Display) {
        self.list(rule, span, &message, &[], None);
    }

    /// Reports with related bytes and a hint.
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
            message: headline(&message.to_string()),
            primary: label(visible(span, whole), ""),
            secondary: see.iter().map(|(span, text)| label(*span, text)).collect(),
            help,
        });
    }

    /// Reports a failed read at `blame`, under the rule for the structure that is truncated.
    pub fn report_read(&self, rule: &'static Rule, error: &ReadError, blame: Span, part: &str) {
        match error {
            ReadError::OutOfBounds { wanted, available } => {
                let missing = wanted.end.saturating_sub(available.end);
                self.report_with(
                    rule,
                    blame,
                    format_args!("{part} is truncated by {}", plural(missing, "byte")),
                    &[],
                    None,
                );
            }
            ReadError::Source(error) => {
                self.report(
                    &rules::READ_FAILED,
                    error.span,
                    format_args!("{part}: {error}"),
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

    /// Records that these bytes are alignment padding.
    pub fn padding(&self, span: Span) {
        if !span.is_empty() {
            self.padding.borrow_mut().push(span);
        }
    }

    /// Records that no structure covers these bytes.
    pub fn gap(&self, span: Span) {
        if !span.is_empty() {
            self.gaps.borrow_mut().push(span);
        }
    }

    /// Records the number of bytes that are claimed more than once.
    pub fn overlap(&self, bytes: u64) {
        self.overlap.set(self.overlap.get().saturating_add(bytes));
    }

    /// Returns whether all bytes of `span` may be walked. Sections may overlap, each as large as
    /// the file, so their total cost is bounded.
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

    /// Size of the file and of everything decompressed from it.
    fn size(&self) -> u64 {
        let (_, unpacked) = self.unpacked.get();
        self.sources.size().saturating_add(unpacked)
    }

    /// Number of bytes that may still be decompressed.
    pub(super) fn may_unpack(&self) -> u64 {
        let (streams, bytes) = self.unpacked.get();
        if streams < limits::STREAMS {
            limits::unpacked(self.sources.size()).saturating_sub(bytes)
        } else {
            0
        }
    }

    /// Adds bytes that were decompressed from `parent` and returns their span.
    pub(super) fn unpacked(&self, name: &str, bytes: Vec<u8>, parent: Span) -> Span {
        let (streams, sum) = self.unpacked.get();
        let sum = sum.saturating_add(bytes.len() as u64);
        self.unpacked.set((streams.saturating_add(1), sum));
        let source = self.sources.unpacked(name, bytes, parent);
        self.sources.whole(source)
    }

    /// Runs `f` one level down. Returns `None` if the nesting limit is reached.
    pub fn nest<T>(&self, f: impl FnOnce() -> T) -> Option<T> {
        if self.depth.get() >= limits::NESTING {
            return None;
        }
        self.depth.set(self.depth.get() + 1);
        let out = f();
        self.depth.set(self.depth.get() - 1);
        Some(out)
    }

    /// Like [`nest`](Self::nest), for the bytes of `span`. Also returns `None` if documents at this
    /// depth already cover as many bytes as the source has (overlapping containers would otherwise
    /// open each other repeatedly), or if there are too many for the size of the file.
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

    /// Returns whether as many documents are open as the size of the file allows.
    pub fn has_all_documents(&self) -> bool {
        let most = limits::DOCUMENTS.saturating_add(self.size() / limits::DOCUMENT_BYTES);
        self.documents.borrow().len() as u64 >= most
    }

    /// Opens the bytes of `span` as a nested document, listed before its own documents.
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
        let is_image =
            has.loadable || has.kernels || matches!(&**format, "spirv" | "opencl-elf" | "bitcode");
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

    /// Returns the bytes of the first document of a format within `span` that was opened.
    pub fn inner_of(&self, span: Span, format: &str) -> Option<Span> {
        let documents = self.documents.borrow();
        let mut documents = documents.iter();
        let found = documents.find(|inner| &*inner.format == format && span.contains(inner.span));
        found.map(|inner| inner.span)
    }

    /// Records a document that programs give to the driver, or could.
    pub fn loadable(&self, span: Span, has: Capabilities) {
        if has.loadable {
            self.loadable.borrow_mut().push(span);
        }
    }

    /// An expander that was registered before. Returns `None` for an unknown id.
    pub fn expander(&self, id: ExpanderId) -> Option<Rc<dyn Expand>> {
        let index = usize::try_from(id.0.checked_sub(self.first.0)?).ok()?;
        self.expanders.borrow().get(index).cloned()
    }

    pub(super) fn finish(self) -> Findings {
        let reports = self.reports.into_inner();
        let mut diagnostics = reports.diagnostics;
        let mut rules: Vec<RuleInfo> = Vec::new();
        let mut unread: u64 = 0;
        for (count, rule) in reports.counts.values() {
            rules.push(rule.info());
            if rule.is_unread {
                unread = unread.saturating_add(*count as u64);
            }
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
            unread,
            holes: Holes {
                gaps: self.gaps.into_inner(),
                padding: self.padding.into_inner(),
                overlap: self.overlap.get(),
            },
            expanders: self.expanders.into_inner(),
            of: None,
            documents: self.documents.into_inner(),
            deferred: self.deferred.into_inner(),
            within: self.within.get(),
            loadable: self.loadable.into_inner(),
        }
    }
}

/// Makes a message a single line, whatever names the file contains.
pub(super) fn headline(message: &str) -> String {
    zeview_core::model::text::escaped(&zeview_core::model::text::cut_end(message, limits::MESSAGE))
}

/// Missing data has no bytes: the byte at its offset stands for it.
fn visible(span: Span, whole: Span) -> Span {
    if !span.is_empty() {
        return span;
    }
    let last = whole.len().saturating_sub(1);
    whole.subspan(span.start.min(last), 1)
}
