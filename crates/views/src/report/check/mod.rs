//! Verdict and diagnostics of a file, or of a document within it: the result of `zeview check`.

mod json;

pub use self::json::{file_json, problems_json};
use zeview_analysis::unread::{Unread, unread_parts, unread_within};
use zeview_core::analysis::images::{Choice, Images};
use zeview_core::analysis::package::PackageAccount;
use zeview_core::analysis::{FirstUse, LoadOptions, Verdict};
use zeview_core::model::{Diagnostic, Document, Node, NodeId, Outcome, Severity, Span};

/// Verdict and diagnostics of a file, or of a document within it.
pub struct VerdictRow {
    /// Path of the document within the file.
    pub path: Option<String>,
    /// Short description.
    pub title: String,
    /// Diagnostics.
    pub diagnostics: Vec<Diagnostic>,
    /// Whether zeview reads the format.
    pub is_known: bool,
    /// The driver's verdict.
    pub verdict: Option<Verdict>,
    /// Verdicts on the images of a container, with their paths.
    pub inner: Vec<(String, Verdict)>,
    /// What was not read.
    pub unread: Unread,
    /// The files of a package, by what was read of them.
    pub files: Option<PackageAccount>,
    /// For a container that is judged for a chosen device: which of its images run on it.
    pub choice: Option<ImageChoice>,
}

/// Selection of the images of a container that run on a device.
pub struct ImageChoice {
    /// The images.
    pub images: Images,
    /// Which of them run.
    pub choice: Choice,
    /// The kernels that are compiled at first use.
    pub first_use: FirstUse,
}

impl VerdictRow {
    /// Judges the whole file.
    pub fn file(document: &mut Document, options: LoadOptions<'_>) -> VerdictRow {
        let device = options.device;
        document.open_files(NodeId::ROOT);
        document.open_all();
        let is_known = !document.summary.has.unknown;
        let verdict = document.verdict_with(NodeId::ROOT, options);
        let images = match verdict {
            None if device.is_some() => document.images_to_choose(NodeId::ROOT),
            None => document.images(NodeId::ROOT),
            Some(_) => Images::default(),
        };
        let left_out = images.left_out;
        let inner = inner_verdicts(document, &images, options);
        // A library without kernels in its images has nothing to judge.
        let sources = &document.sources;
        let mut list = images.list.iter();
        let device = device.filter(|_| list.any(|image| image.may_run(sources)));
        let options = LoadOptions { device, ..options };
        let choice = document.choice_with(&images, options);
        let choice = choice.map(|choice| ImageChoice {
            first_use: document.first_use(&images, &choice),
            images,
            choice,
        });
        let mut title = document.summary.title.to_string();
        for fact in document.summary.facts.iter().filter(|f| f.headline) {
            title.push_str(" · ");
            title.push_str(&fact.text);
        }
        VerdictRow {
            path: None,
            title,
            diagnostics: document.diagnostics.clone(),
            is_known,
            verdict,
            inner,
            unread: unread_parts(document).with_images(left_out),
            files: document.package_account(NodeId::ROOT),
            choice,
        }
    }

    /// Judges a part of the file.
    pub fn part(document: &mut Document, id: NodeId, options: LoadOptions<'_>) -> VerdictRow {
        let extent = document.node(id).and_then(Node::extent).unwrap_or_default();
        document.open_within(extent);
        let unread = unread_within(document, &[extent]);
        let node = document.node(id);
        let title = node.and_then(|node| node.summary.clone());
        VerdictRow {
            path: Some(document.path(id)),
            title: title.unwrap_or_default().into_owned(),
            diagnostics: document.diagnostics_in(extent).cloned().collect(),
            is_known: true,
            verdict: document.verdict_with(id, options),
            inner: Vec::new(),
            unread,
            files: None,
            choice: None,
        }
    }

    /// Returns whether there is no error. Returns `None` for unknown formats, and if there is none
    /// in what was read, but not everything was.
    pub fn is_well_formed(&self) -> Option<bool> {
        let has_errors = self.count(Severity::Error) > 0;
        let is_judged = self.is_known && (has_errors || self.unread.is_empty());
        is_judged.then_some(!has_errors)
    }

    /// Returns the number of diagnostics of a severity.
    pub fn count(&self, severity: Severity) -> usize {
        let all = self.diagnostics.iter();
        all.filter(|d| d.severity == severity).count()
    }

    /// Returns the driver's outcome. For a container, the worst outcome of its images, or of the
    /// images that run on the chosen device.
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some(verdict) = &self.verdict {
            return Some(verdict.outcome);
        }
        if let Some(ImageChoice { choice, .. }) = &self.choice {
            return Some(choice.outcome);
        }
        let inner = self.inner.iter().map(|(_, verdict)| verdict.outcome);
        inner.max_by_key(|outcome| (!outcome.loads(), *outcome))
    }

    /// Returns whether the driver loads the file; `true` if there is no verdict.
    pub fn loads(&self) -> bool {
        self.outcome().is_none_or(Outcome::loads)
    }

    /// Returns whether there are warnings or the format is unknown.
    pub fn is_doubtful(&self) -> bool {
        !self.is_known
            || self.count(Severity::Warning) > 0
            || matches!(
                self.outcome(),
                Some(Outcome::LoadsWithWarnings | Outcome::NeedsLinking | Outcome::Recompiled)
            )
    }
}

/// Returns the verdicts on the images of a container; for host files, on all zebins in its images.
fn inner_verdicts(
    document: &mut Document,
    images: &Images,
    options: LoadOptions<'_>,
) -> Vec<(String, Verdict)> {
    let images = document.opened_images(images);
    let loadable = images.iter().filter(|image| image.is_loadable);
    let verdicts = loadable.filter_map(|image| {
        let node = document.node_of(image)?;
        let verdict = document.verdict_with(node, options)?;
        Some((image.path.clone(), verdict))
    });
    verdicts.collect()
}

/// Maximum number of nodes kept between paths: the next path often shares ancestors.
const NODES_KEPT: usize = 1 << 14;

/// Returns the path of the innermost node that contains the bytes. Callers keep no nodes, so the
/// nodes of earlier paths are dropped once there are too many.
pub fn path_of(document: &mut Document, span: Span) -> String {
    if document.len() > NODES_KEPT {
        document.forget_nodes();
    }
    document.path_of_span(span)
}
