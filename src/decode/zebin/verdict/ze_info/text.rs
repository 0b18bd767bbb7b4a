//! Which part of `.ze_info` the driver reads for what. It looks for the text
//! `kernels_misc_info`, wherever it stands, and cuts there: what comes before is decoded, what
//! comes after is read when somebody asks for the names of arguments. Only where
//! `required_libs` follows, everything is decoded. Before all this the whole text is parsed
//! once for `l1_cache_policy`, with errors ignored.

use crate::decode::zebin::verdict::findings::{Findings, Stop};
use crate::decode::zebin::verdict::rules;
use crate::decode::zebin::verdict::yaml::{Fault, Token, Tokens, Tree, build, tokenize};
use crate::model::{Effect, Span};

/// The text in tokens, and where it is cut.
pub struct Texts<'a> {
    text: &'a [u8],
    at: Span,
    whole: Tokens,
    cut: Option<usize>,
    /// The parts in tokens of their own, where the cut is in the midst of a line.
    parts: Option<(Tokens, Tokens)>,
}

const MISC_INFO: &[u8] = b"kernels_misc_info";
const LIBRARIES: &[u8] = b"required_libs";

impl<'a> Texts<'a> {
    /// Reads the text. `after` is the byte behind it.
    pub fn new(text: &'a [u8], after: u8, at: Span) -> Texts<'a> {
        let whole = tokenize(text, after);
        let cut = find(text, MISC_INFO).filter(|cut| {
            let rest = text.get(*cut..).unwrap_or(&[]);
            find(rest, LIBRARIES).is_none()
        });
        let mut texts = Texts {
            text,
            at,
            whole,
            cut,
            parts: None,
        };
        if let Some(cut) = cut
            && texts.lines_before(cut).is_none()
        {
            let (before, behind) = text.split_at_checked(cut).unwrap_or((text, &[]));
            let next = behind.first().copied().unwrap_or(after);
            texts.parts = Some((tokenize(before, next), tokenize(behind, after)));
        }
        texts
    }

    /// How many lines and tokens stand before the cut, if it is at the start of a line.
    fn lines_before(&self, cut: usize) -> Option<(usize, usize)> {
        let position = u32::try_from(cut).ok()?;
        let tokens = self
            .whole
            .tokens
            .partition_point(|token| token.start < position);
        let lines = self
            .whole
            .lines
            .partition_point(|line| usize::try_from(line.last).is_ok_and(|last| last < tokens));
        let last = self.whole.lines.get(lines.checked_sub(1)?)?;
        let end = usize::try_from(last.last).ok()? + 1;
        let newline = self.whole.tokens.get(end - 1)?;
        let faultless = self.whole.fault.is_none_or(|fault| fault.at >= position);
        let at_start = newline.start.checked_add(1) == Some(position);
        (faultless && at_start && end == tokens).then_some((lines, tokens))
    }

    /// The whole text.
    pub fn text(&self) -> &'a [u8] {
        self.text
    }

    /// Where it is.
    pub fn span(&self) -> Span {
        self.at
    }

    fn byte(&self, at: u32) -> Span {
        self.at.sub(at.into(), 1)
    }

    fn report(&self, fault: &Fault, findings: &mut Findings) -> Stop {
        let at = fault.at;
        let before = usize::try_from(at).ok().and_then(|at| self.text.get(..at));
        let line = before
            .unwrap_or(&[])
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1;
        let message = format!("line {line}: {}", fault.rule.summary);
        findings.stop(fault.rule, self.byte(at), message)
    }

    /// The first look at the whole text: assertions count, errors do not.
    pub fn first_look(&self, findings: &mut Findings) -> Result<(), Stop> {
        findings.stage();
        let whole = &self.whole;
        let fault = whole
            .fault
            .or_else(|| build(self.text, &whole.lines, &whole.tokens).err());
        match fault.filter(|fault| fault.rule.effect == Some(Effect::Crashes)) {
            Some(fault) => Err(self.report(&fault, findings)),
            None => Ok(()),
        }
    }

    /// The part that is decoded: its nodes and tokens; nothing where it has no data.
    pub fn decoded(&self, findings: &mut Findings) -> Result<Option<(Tree, &[Token])>, Stop> {
        findings.stage();
        let (own, lines, tokens) = match (self.cut, &self.parts) {
            (Some(_), Some((before, _))) => (before, None, None),
            (Some(cut), None) => {
                let (lines, tokens) = self.lines_before(cut).unwrap_or((0, 0));
                (
                    &self.whole,
                    self.whole.lines.get(..lines),
                    self.whole.tokens.get(..tokens),
                )
            }
            (None, _) => (&self.whole, None, None),
        };
        let whole = lines.is_none();
        let lines = lines.unwrap_or(&own.lines);
        let tokens = tokens.unwrap_or(&own.tokens);
        let limit = tokens.last().map_or(0, |token| token.start);
        for tab in own.tabs.iter().filter(|tab| whole || **tab < limit) {
            findings.note(
                &rules::YAML_TAB,
                self.byte(*tab),
                "a tab counts as 4 columns",
            );
        }
        if let Some(fault) = own.fault.filter(|_| whole) {
            return Err(self.report(&fault, findings));
        }
        let text = self
            .text
            .get(..self.cut.unwrap_or(self.text.len()))
            .unwrap_or(self.text);
        if whole && own.open_end {
            let end = self.at.sub((text.len() as u64).saturating_sub(1), 1);
            findings.note(&rules::YAML_OPEN_END, end, "the last line does not end");
        }
        let tree = build(text, lines, tokens).map_err(|fault| self.report(&fault, findings))?;
        if tree.nodes.is_empty() {
            findings.note(
                &rules::ZE_INFO_EMPTY,
                self.at,
                "the driver finds nothing in .ze_info",
            );
            return Ok(None);
        }
        Ok(Some((tree, tokens)))
    }

    /// The part behind the cut: its tokens, its nodes, and what to add to its positions.
    pub fn misc_info(&self) -> Option<(Result<Tree, Fault>, MiscInfo<'_>)> {
        let cut = self.cut?;
        if let Some((_, behind)) = &self.parts {
            let text = self.text.get(cut..).unwrap_or(&[]);
            let tree = behind
                .fault
                .map_or_else(|| build(text, &behind.lines, &behind.tokens), Err);
            let info = MiscInfo {
                text,
                tokens: &behind.tokens,
                at: self.at.from(cut as u64),
            };
            return Some((tree, info));
        }
        let (lines, _) = self.lines_before(cut)?;
        let lines = self.whole.lines.get(lines..).unwrap_or(&[]);
        let tokens = &self.whole.tokens;
        let tree = self
            .whole
            .fault
            .map_or_else(|| build(self.text, lines, tokens), Err);
        let info = MiscInfo {
            text: self.text,
            tokens,
            at: self.at,
        };
        Some((tree, info))
    }
}

/// The part behind the cut.
pub struct MiscInfo<'a> {
    /// What positions count in.
    pub text: &'a [u8],
    /// The tokens.
    pub tokens: &'a [Token],
    /// Where the text is.
    pub at: Span,
}

fn find(text: &[u8], what: &[u8]) -> Option<usize> {
    let first = *what.first()?;
    let mut from = 0;
    loop {
        let rest = text.get(from..)?;
        let at = rest.iter().position(|byte| *byte == first)?;
        if rest.get(at..)?.starts_with(what) {
            return Some(from + at);
        }
        from += at + 1;
    }
}
