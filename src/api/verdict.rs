//! The verdict, as plain data for JavaScript.

use serde::Serialize;

use super::dto::Span;

/// The driver's verdict on a file.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict<'a> {
    driver: &'a str,
    outcome: &'static str,
    device: Option<&'a str>,
    requested: bool,
    headline: String,
    findings: Vec<Finding<'a>>,
    opencl: ApiVerdict<'a>,
    needs_driver: Option<NeededDriver<'a>>,
}

/// OpenCL's verdict.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ApiVerdict<'a> {
    outcome: &'static str,
    findings: Vec<Finding<'a>>,
}

/// The release of the driver that the file needs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct NeededDriver<'a> {
    release: &'a str,
    version: &'a str,
    key: &'a str,
}

/// A problem that the driver meets.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Finding<'a> {
    rule: &'a str,
    message: &'a str,
    span: Span,
    decisive: bool,
}

impl<'a> Verdict<'a> {
    /// Converts the verdict.
    pub fn new(verdict: &'a crate::analysis::Verdict) -> Verdict<'a> {
        let opencl = &verdict.opencl;
        let needed = verdict.needs_driver.as_ref();
        Verdict {
            driver: &verdict.driver,
            outcome: verdict.outcome.name(),
            device: verdict.device.as_deref(),
            requested: verdict.requested,
            headline: verdict.headline(),
            findings: findings(&verdict.findings, verdict.decisive),
            opencl: ApiVerdict {
                outcome: opencl.outcome.name(),
                findings: findings(&opencl.findings, opencl.decisive),
            },
            needs_driver: needed.map(|needed| NeededDriver {
                release: &needed.release,
                version: &needed.version,
                key: &needed.word,
            }),
        }
    }
}

fn findings(list: &[crate::model::Finding], decisive: Option<usize>) -> Vec<Finding<'_>> {
    let list = list.iter().enumerate();
    let list = list.map(|(at, finding)| Finding {
        rule: &finding.rule,
        message: &finding.message,
        span: Span::new(finding.span),
        decisive: decisive == Some(at),
    });
    list.collect()
}
