//! `zeview disasm` of SPIR-V.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;
use std::rc::Rc;

use serde::Serialize;
use zeview::analysis::module_text::{IdStyle, ModuleText, TextToken, TokenKind};
use zeview::kernel_names::Module;
use zeview::model::Document;
use zeview::model::account::Account;
use zeview::model::text::escaped;

use crate::FileArgument;
use crate::files::Inputs;
use crate::output;
use crate::rows::Objects;

/// How modules are printed.
pub struct Style {
    /// How ids are written.
    pub ids: IdStyle,
    /// Whether to print JSON.
    pub json: bool,
    /// Whether a heading precedes each module.
    pub headings: bool,
}

/// Prints modules.
pub fn print(
    file: &FileArgument,
    document: &Document,
    modules: &[Module],
    style: &Style,
    inputs: &mut Inputs,
) -> io::Result<ExitCode> {
    let account = output::budget(document);
    if style.json {
        let mut out = Objects::array(&account);
        for module in modules {
            write_json(module, document, style.ids, &account, &mut out)?;
        }
        out.finish()?;
    } else {
        let mut out = output::verbatim_within(&account);
        for module in modules {
            if style.headings {
                writeln!(out, "; module {}", escaped(&module.title()))?;
            }
            write_text(&*module.text, document, style.ids, &account, &mut out)?;
        }
        out.flush()?;
    }
    if account.is_overdrawn() {
        inputs.fail(file, &"stopped: the output is too long; name an --image");
    }
    Ok(inputs.status())
}

fn write_text(
    text: &dyn ModuleText,
    document: &Document,
    ids: IdStyle,
    account: &Rc<Account>,
    out: &mut impl Write,
) -> io::Result<()> {
    let is_terminal = io::stdout().is_terminal();
    for row in 0..text.count(&document.sources) {
        if account.is_overdrawn() {
            break;
        }
        let Some(line) = text.line(row, ids, &document.sources) else {
            continue;
        };
        if is_terminal {
            // A text of the module does not start a line.
            for (at, part) in line.text.split(|byte| *byte == b'\n').enumerate() {
                out.write_all(if at > 0 { b"\\n" } else { b"" })?;
                out.write_all(part)?;
            }
        } else {
            out.write_all(&line.text)?;
        }
        out.write_all(b"\n")?;
    }
    Ok(())
}

/// JSON object of a line.
#[derive(Serialize)]
struct LineJson<'a> {
    module: &'a str,
    line: u32,
    start: u64,
    end: u64,
    opcode: Option<&'a str>,
    result: Option<u32>,
    text: &'a str,
    tokens: Vec<TokenJson<'a>>,
    problem: Option<&'a str>,
}

/// JSON object of a token.
#[derive(Serialize)]
struct TokenJson<'a> {
    kind: &'static str,
    text: &'a str,
    start: u64,
    end: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<u32>,
    /// The line that defines the id.
    #[serde(skip_serializing_if = "Option::is_none")]
    definition: Option<u32>,
}

fn write_json(
    module: &Module,
    document: &Document,
    ids: IdStyle,
    account: &Rc<Account>,
    out: &mut Objects,
) -> io::Result<()> {
    let sources = &document.sources;
    for row in 0..module.text.count(sources) {
        if account.is_overdrawn() {
            break;
        }
        let Some(mut line) = module.text.line(row, ids, sources) else {
            continue;
        };
        let (problem, span) = (line.problem.take(), line.span);
        let (text, tokens) = line.readable();
        let shown = |token: &TextToken| {
            let (start, end) = (token.start as usize, token.end as usize);
            text.get(start..end).unwrap_or_default()
        };
        let opcode = tokens.iter().find(|token| token.kind == TokenKind::Opcode);
        let result = tokens.iter().find_map(|token| match token.kind {
            TokenKind::Result(id) => Some(id),
            _ => None,
        });
        let written = tokens.iter().map(|token| TokenJson {
            kind: token.kind.name(),
            text: shown(token),
            start: token.span.start,
            end: token.span.end,
            id: token.kind.id(),
            definition: match token.kind {
                TokenKind::Id(id) => module.text.definition(id, sources),
                _ => None,
            },
        });
        out.push(LineJson {
            module: &module.path,
            line: row,
            start: span.start,
            end: span.end,
            opcode: opcode.map(shown),
            result,
            text: &text,
            tokens: written.collect(),
            problem: problem.as_deref(),
        })?;
    }
    Ok(())
}
