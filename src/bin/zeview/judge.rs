//! What there is to say about a file, or a document within it: the driver's verdict, and what is
//! wrong.

use zeview::analysis::Verdict;
use zeview::analysis::images::{Choice, Images};
use zeview::model::{Diagnostic, Document, Node, NodeId, Outcome, Severity};

/// A file, or a document within it, with what was found.
pub struct VerdictRow {
    /// The path of the document within the file.
    pub path: Option<String>,
    /// In a few words.
    pub title: String,
    /// What was found in it.
    pub diagnostics: Vec<Diagnostic>,
    /// It is of a format that zeview reads.
    pub is_known: bool,
    /// What the driver does with it.
    pub verdict: Option<Verdict>,
    /// Of a container: the same for its images, with their paths.
    pub inner: Vec<(String, Verdict)>,
    /// Of a container that was judged for a device that somebody has chosen: which of its images run
    /// on it.
    pub choice: Option<ImageChoice>,
}

/// Which images of a container run on a device.
pub struct ImageChoice {
    pub images: Images,
    pub choice: Choice,
}

/// At most so many images of one file get a verdict: a library can have thousands.
const INNER: usize = 16 * 1024;

impl VerdictRow {
    /// The whole file.
    pub fn file(document: &mut Document, device: Option<&str>) -> VerdictRow {
        document.open_all();
        let is_known = !document.summary.has.unknown;
        let verdict = document.verdict(NodeId::ROOT, device);
        let images = match verdict {
            None if device.is_some() => document.images_to_choose(NodeId::ROOT),
            None => document.images(NodeId::ROOT),
            Some(_) => Images::default(),
        };
        let inner = inner_verdicts(document, &images, device);
        // Of a library whose images have no kernels nothing is taken.
        let sources = &document.sources;
        let mut list = images.list.iter();
        let device = device.filter(|_| list.any(|image| image.may_run(sources)));
        let choice = device.and_then(|device| document.choice(&images, device));
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
            choice: choice.map(|choice| ImageChoice { images, choice }),
        }
    }

    /// A part of it.
    pub fn part(document: &mut Document, id: NodeId, device: Option<&str>) -> VerdictRow {
        let extent = document.node(id).and_then(Node::extent).unwrap_or_default();
        document.open_within(extent);
        let node = document.node(id);
        let title = node.and_then(|node| node.summary.clone());
        VerdictRow {
            path: Some(document.path(id)),
            title: title.unwrap_or_default().into_owned(),
            diagnostics: document.diagnostics_in(extent).cloned().collect(),
            is_known: true,
            verdict: document.verdict(id, device),
            inner: Vec::new(),
            choice: None,
        }
    }

    /// There is no error. A file of unknown format is neither well-formed nor malformed.
    pub fn is_well_formed(&self) -> Option<bool> {
        self.is_known.then(|| self.count(Severity::Error) == 0)
    }

    pub fn count(&self, severity: Severity) -> usize {
        let all = self.diagnostics.iter();
        all.filter(|d| d.severity == severity).count()
    }

    /// What the driver does with it: of a container, the worst that it does with one of the images,
    /// or for a device that somebody has chosen, with those that run on it.
    pub fn outcome(&self) -> Option<Outcome> {
        if let Some(verdict) = &self.verdict {
            return Some(verdict.outcome);
        }
        if let Some(ImageChoice { choice, .. }) = &self.choice {
            return Some(choice.outcome.unwrap_or(Outcome::Refused));
        }
        let inner = self.inner.iter().map(|(_, verdict)| verdict.outcome);
        inner.max_by_key(|outcome| (!outcome.loads(), *outcome))
    }

    /// The driver loads it, as far as it has a verdict.
    pub fn loads(&self) -> bool {
        self.outcome().is_none_or(Outcome::loads)
    }

    /// There are warnings, or it is of no known format.
    pub fn is_doubtful(&self) -> bool {
        !self.is_known
            || self.count(Severity::Warning) > 0
            || matches!(
                self.outcome(),
                Some(Outcome::LoadsWithWarnings | Outcome::NeedsLinking | Outcome::Recompiled)
            )
    }
}

/// What the driver does with the images of a container; of a host's file with all zebins in its
/// images.
fn inner_verdicts(
    document: &mut Document,
    images: &Images,
    device: Option<&str>,
) -> Vec<(String, Verdict)> {
    let images = document.opened_images(images);
    let loadable = images.iter().filter(|image| image.is_loadable);
    let verdicts = loadable.take(INNER).filter_map(|image| {
        let node = document.node_of(image)?;
        let verdict = document.verdict(node, device)?;
        Some((image.path.clone(), verdict))
    });
    verdicts.collect()
}
