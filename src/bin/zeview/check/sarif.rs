//! Output of `zeview check --sarif`: a SARIF 2.1.0 log (OASIS). Results are written as they are
//! found, followed by the tool and its rules.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Component, Path, PathBuf};
use std::sync::LazyLock;

use serde_json::{Value, json};
use zeview::analysis::Verdict;
use zeview::decode::rules;
use zeview::model::text::escaped;
use zeview::model::{Diagnostic, Document, Effect, Finding, RuleInfo, Severity, SourceId, Span};
use zeview::report::check::{VerdictRow, path_of};

/// Text before the first result.
pub const BEGIN: &str = "{\"$schema\":\"https://json.schemastore.org/sarif-2.1.0.json\",\
                         \"version\":\"2.1.0\",\"runs\":[{\"results\":";

/// Writes the text after the last result.
pub fn finish(unreadable: &[(PathBuf, String)], out: &mut impl Write) -> io::Result<()> {
    let notifications: Vec<Value> = unreadable
        .iter()
        .map(|(path, error)| {
            json!({
                "level": "error",
                "message": message(&[error]),
                "locations": [{ "physicalLocation": { "artifactLocation": artifact(path) } }],
            })
        })
        .collect();
    let rules: Vec<Value> = rules::all().map(|rule| rule_json(&rule.info())).collect();
    let tool = json!({ "driver": {
        "name": "zeview",
        "version": env!("CARGO_PKG_VERSION"),
        "rules": rules,
    }});
    let invocations = json!([{
        "executionSuccessful": unreadable.is_empty(),
        "toolExecutionNotifications": notifications,
    }]);
    writeln!(out, ",\"tool\":{tool},\n\"invocations\":{invocations}}}]}}")
}

fn rule_json(rule: &RuleInfo) -> Value {
    let level = match rule.effect {
        Some(effect) => level_of_effect(effect),
        None => level(rule.severity),
    };
    json!({
        "id": rule.id,
        "shortDescription": { "text": rule.summary },
        "help": { "text": format!("{}\n\n{}", rule.docs, rule.origin) },
        "defaultConfiguration": { "level": level },
    })
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
pub fn results(document: &mut Document, judged: &VerdictRow, file: &Path) -> Vec<String> {
    let mut results = Vec::new();
    for verdict in judged
        .verdict
        .iter()
        .chain(judged.inner.iter().map(|(_, v)| v))
    {
        add_verdict(document, verdict, file, &mut results);
    }
    for diagnostic in &judged.diagnostics {
        results.push(diagnostic_json(document, diagnostic, file));
    }
    results.iter().map(Value::to_string).collect()
}

fn add_verdict(document: &mut Document, verdict: &Verdict, file: &Path, results: &mut Vec<Value>) {
    let is_new = |found: &&Finding| {
        !verdict
            .findings
            .iter()
            .any(|known| known.rule == found.rule)
    };
    let level_zero = verdict.findings.iter().map(|found| (found, ""));
    let opencl = verdict.opencl.findings.iter().filter(is_new);
    for (finding, api) in level_zero.chain(opencl.map(|found| (found, " (OpenCL)"))) {
        let path = path_of(document, finding.span);
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
        let level = level_of_effect(finding.effect);
        let mut result = result(&finding.rule, level, message(&[&text]));
        result["locations"] = json!([location(document, finding.span, file, &path)]);
        results.push(result);
    }
}

fn diagnostic_json(document: &mut Document, diagnostic: &Diagnostic, file: &Path) -> Value {
    let path = path_of(document, diagnostic.primary.span);
    let lines = [Some(&*diagnostic.message), diagnostic.help.as_deref()];
    let lines: Vec<&str> = lines.into_iter().flatten().collect();
    let level = level(diagnostic.severity);
    let mut result = result(&diagnostic.rule, level, message(&lines));
    let span = diagnostic.primary.span;
    result["locations"] = json!([location(document, span, file, &path)]);
    if !diagnostic.secondary.is_empty() {
        let related = diagnostic.secondary.iter().map(|label| {
            json!({
                "message": message(&[&label.text]),
                "physicalLocation": physical(document, label.span, file),
            })
        });
        result["relatedLocations"] = related.collect();
    }
    result
}

/// Returns a message of these lines, in which nothing is a link: viewers of SARIF make links of
/// `[label](destination)` (section 3.11.6).
fn message(lines: &[&str]) -> Value {
    let lines: Vec<String> = lines.iter().map(|line| escaped(line)).collect();
    json!({ "text": lines.join("\n").replace("](", "]\\u{28}") })
}

fn result(rule: &str, level: &str, message: Value) -> Value {
    static PLACES: LazyLock<HashMap<&str, usize>> = LazyLock::new(|| {
        rules::all()
            .enumerate()
            .map(|(at, rule)| (rule.id, at))
            .collect()
    });
    let mut result = json!({ "ruleId": rule, "level": level, "message": message });
    if let Some(place) = PLACES.get(rule) {
        result["ruleIndex"] = json!(place);
    }
    result
}

fn location(document: &Document, span: Span, file: &Path, path: &str) -> Value {
    let mut location = json!({ "physicalLocation": physical(document, span, file) });
    if !path.is_empty() {
        location["logicalLocations"] = json!([{ "fullyQualifiedName": path }]);
    }
    location
}

/// Returns the bytes of the file; for unpacked bytes, the bytes that they were unpacked from.
fn physical(document: &Document, mut span: Span, file: &Path) -> Value {
    while span.source != SourceId::FILE {
        span = document.sources.parent(span.source).unwrap_or_default();
    }
    json!({
        "artifactLocation": artifact(file),
        "region": { "byteOffset": span.start, "byteLength": span.len() },
    })
}

/// Returns a relative reference, or a file URI for absolute paths (RFC 3986).
fn artifact(path: &Path) -> Value {
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
    json!({ "uri": uri })
}
