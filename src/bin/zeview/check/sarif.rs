//! Output of `zeview check --sarif`: a SARIF 2.1.0 log (OASIS). Results are written as they are
//! found, followed by the tool and its rules.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use serde::Serialize;
use zeview::analysis::Verdict;
use zeview::decode::rules;
use zeview::model::text::escaped;
use zeview::model::{Diagnostic, Document, Effect, Finding, RuleInfo, Severity, SourceId, Span};
use zeview::report::check::{VerdictRow, path_of};

/// Text before the first result.
pub const BEGIN: &str = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
                         \"version\":\"2.1.0\",\"runs\":[{\"results\":";

#[derive(Serialize)]
struct Tool<'a> {
    driver: Driver<'a>,
}

#[derive(Serialize)]
struct Driver<'a> {
    name: &'a str,
    version: &'a str,
    rules: Vec<Rule>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Rule {
    id: String,
    short_description: Message,
    help: Message,
    default_configuration: Configuration,
}

#[derive(Serialize)]
struct Configuration {
    level: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Invocation {
    execution_successful: bool,
    tool_execution_notifications: Vec<Notification>,
}

#[derive(Serialize)]
struct Notification {
    level: &'static str,
    message: Message,
    locations: [Location; 1],
}

/// A result: a finding of the verdict, or a diagnostic.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ResultJson {
    rule_id: String,
    level: &'static str,
    message: Message,
    #[serde(skip_serializing_if = "Option::is_none")]
    rule_index: Option<usize>,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
}

#[derive(Serialize)]
struct Message {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Message>,
    physical_location: PhysicalLocation,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    logical_locations: Vec<LogicalLocation>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct PhysicalLocation {
    artifact_location: ArtifactLocation,
    #[serde(skip_serializing_if = "Option::is_none")]
    region: Option<Region>,
}

#[derive(Serialize)]
struct ArtifactLocation {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    byte_offset: u64,
    byte_length: u64,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct LogicalLocation {
    fully_qualified_name: String,
}

/// Writes the text after the last result.
pub fn finish(unreadable: &[(PathBuf, String)], out: &mut impl Write) -> io::Result<()> {
    let notifications = unreadable.iter().map(|(path, error)| Notification {
        level: "error",
        message: message(&[error]),
        locations: [Location {
            message: None,
            physical_location: PhysicalLocation {
                artifact_location: artifact(path),
                region: None,
            },
            logical_locations: Vec::new(),
        }],
    });
    let invocations = [Invocation {
        execution_successful: unreadable.is_empty(),
        tool_execution_notifications: notifications.collect(),
    }];
    let tool = Tool {
        driver: Driver {
            name: "zeview",
            version: env!("CARGO_PKG_VERSION"),
            rules: rules::all().map(|rule| Rule::new(rule.info())).collect(),
        },
    };
    write!(out, ",\"tool\":")?;
    serde_json::to_writer(&mut *out, &tool)?;
    write!(out, ",\n\"invocations\":")?;
    serde_json::to_writer(&mut *out, &invocations)?;
    writeln!(out, "}}]}}")
}

impl Rule {
    fn new(rule: RuleInfo) -> Rule {
        let level = match rule.effect {
            Some(effect) => level_of_effect(effect),
            None => level(rule.severity),
        };
        Rule {
            id: rule.id.to_string(),
            short_description: Message {
                text: rule.summary.to_string(),
            },
            help: Message {
                text: format!("{}\n\n{}", rule.docs, rule.origin),
            },
            default_configuration: Configuration { level },
        }
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Info => "note",
        Severity::Warning => "warning",
        Severity::Error => "error",
    }
}

fn level_of_effect(effect: Effect) -> &'static str {
    match effect {
        Effect::Passes => "note",
        Effect::Warns | Effect::NeedsLinking | Effect::Recompiles | Effect::NotJudged => "warning",
        Effect::Refuses | Effect::LinkFails | Effect::Crashes => "error",
    }
}

/// Returns the results of a file.
pub fn results(document: &mut Document, judged: &VerdictRow, file: &Path) -> Vec<ResultJson> {
    let mut results = Vec::new();
    for verdict in judged
        .verdict
        .iter()
        .chain(judged.inner.iter().map(|(_, v)| v))
    {
        add_verdict(document, verdict, file, &mut results);
    }
    for diagnostic in &judged.diagnostics {
        results.push(of_diagnostic(document, diagnostic, file));
    }
    results
}

fn add_verdict(
    document: &mut Document,
    verdict: &Verdict,
    file: &Path,
    results: &mut Vec<ResultJson>,
) {
    let is_new = |found: &&Finding| {
        !verdict
            .findings
            .iter()
            .any(|known| known.rule == found.rule)
    };
    let level_zero = verdict.findings.iter().map(|found| (found, ""));
    let opencl = verdict.opencl.findings.iter().filter(is_new);
    for (finding, api) in level_zero.chain(opencl.map(|found| (found, " (OpenCL)"))) {
        let device = match &verdict.device {
            Some(device) => format!(" on {device}"),
            None => String::new(),
        };
        let text = format!(
            "driver {}{api}{device} {}: {}",
            verdict.driver,
            finding.effect.words(),
            finding.message
        );
        results.push(ResultJson {
            rule_id: finding.rule.to_string(),
            level: level_of_effect(finding.effect),
            message: message(&[&text]),
            rule_index: index_of(&finding.rule),
            locations: [location(document, finding.span, file)],
            related_locations: Vec::new(),
        });
    }
}

fn of_diagnostic(document: &mut Document, diagnostic: &Diagnostic, file: &Path) -> ResultJson {
    let lines = [Some(&*diagnostic.message), diagnostic.help.as_deref()];
    let lines: Vec<&str> = lines.into_iter().flatten().collect();
    let locations = [location(document, diagnostic.primary.span, file)];
    let related = diagnostic.secondary.iter().map(|label| Location {
        message: Some(message(&[&label.text])),
        physical_location: physical(document, label.span, file),
        logical_locations: Vec::new(),
    });
    ResultJson {
        rule_id: diagnostic.rule.to_string(),
        level: level(diagnostic.severity),
        message: message(&lines),
        rule_index: index_of(&diagnostic.rule),
        locations,
        related_locations: related.collect(),
    }
}

/// Returns a message of these lines, in which nothing is a link: viewers of SARIF make links of
/// `[label](destination)` (section 3.11.6).
fn message(lines: &[&str]) -> Message {
    let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
    Message {
        text: lines.join("\n").replace("](", "]\\u{28}"),
    }
}

/// Returns the index of a rule in the list of the tool.
fn index_of(rule: &str) -> Option<usize> {
    static PLACES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        rules::all()
            .enumerate()
            .map(|(at, rule)| (rule.id, at))
            .collect()
    });
    PLACES.get(rule).copied()
}

fn location(document: &mut Document, span: Span, file: &Path) -> Location {
    let path = Some(path_of(document, span)).filter(|path| !path.is_empty());
    let logical = path.map(|fully_qualified_name| LogicalLocation {
        fully_qualified_name,
    });
    Location {
        message: None,
        physical_location: physical(document, span, file),
        logical_locations: logical.into_iter().collect(),
    }
}

/// Returns the bytes of the file; for unpacked bytes, the bytes that they were unpacked from.
fn physical(document: &Document, mut span: Span, file: &Path) -> PhysicalLocation {
    while span.source != SourceId::FILE {
        span = document.sources.parent(span.source).unwrap_or_default();
    }
    PhysicalLocation {
        artifact_location: artifact(file),
        region: Some(Region {
            byte_offset: span.start,
            byte_length: span.len(),
        }),
    }
}

/// Returns a relative reference, or a file URI for absolute paths (RFC 3986).
fn artifact(path: &Path) -> ArtifactLocation {
    let mut uri = String::new();
    if path.is_absolute() {
        uri.push_str("file://");
    }
    let mut separator = if path.is_absolute() { "/" } else { "" };
    for component in path.components() {
        if component == Component::RootDir {
            continue;
        }
        uri.push_str(separator);
        separator = "/";
        for byte in component.as_os_str().as_encoded_bytes() {
            match byte {
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                    uri.push(char::from(*byte));
                }
                byte => uri.push_str(&format!("%{byte:02X}")),
            }
        }
    }
    ArtifactLocation { uri }
}
