//! Splits `.ze_info` into the parts that the driver reads at different times. The driver searches
//! for the text `kernels_misc_info`, anywhere, and splits there: it decodes the part before it, and
//! reads the part after it when a program queries the names of arguments. If `required_libs`
//! follows, it decodes everything. Before all this, it parses the whole text once for
//! `l1_cache_policy` and ignores errors.

use crate::zebin::verdict::findings::{Findings, Refused};
use crate::zebin::verdict::rules;
use crate::zebin::verdict::yaml::{Fault, Node, Tokens, Yaml, build, tokenize};
use crate::zebin::ze_info::schema;
use zeview_core::model::{Effect, Span};

/// The text, its tokens, and the offset of the cut.
pub struct ZeInfoText<'a> {
    text: &'a [u8],
    at: Span,
    whole: Tokens,
    cut: Option<usize>,
    /// The tokens of the two parts, if the cut is in the middle of a line.
    parts: Option<(Tokens, Tokens)>,
}

const MISC_INFO: &[u8] = b"kernels_misc_info";
const L1_CACHE_POLICY: &[u8] = b"l1_cache_policy";
const LIBRARIES: &[u8] = b"required_libs";

/// The work on a token: it is kept in addition to the text and its rows, as are its line and its
/// node.
const TOKEN_STEPS: u64 = 76;

impl<'a> ZeInfoText<'a> {
    /// Reads the text. `after` is the byte after it.
    pub fn new(
        text: &'a [u8],
        after: u8,
        at: Span,
        findings: &mut Findings,
    ) -> Result<ZeInfoText<'a>, Refused> {
        let mut tokens = |text: &[u8], after| {
            let most = findings.steps_left() / TOKEN_STEPS;
            let tokens = tokenize(text, after, usize::try_from(most).unwrap_or(usize::MAX));
            findings.spend(TOKEN_STEPS * tokens.tokens.len() as u64, at)?;
            Ok(tokens)
        };
        let whole = tokens(text, after)?;
        // The first occurrence anywhere, also in a comment or a name: the driver searches the
        // bytes.
        let cut = find(text, MISC_INFO).filter(|cut| {
            let rest = text.get(*cut..).unwrap_or(&[]);
            find(rest, LIBRARIES).is_none()
        });
        let mut texts = ZeInfoText {
            text,
            at,
            whole,
            cut,
            parts: None,
        };
        // The driver reads the text three times. If the cut is between lines, tokens are made only
        // once.
        if let Some(cut) = cut
            && texts.lines_before(cut).is_none()
        {
            let (before, behind) = text.split_at_checked(cut).unwrap_or((text, &[]));
            let next = behind.first().copied().unwrap_or(after);
            texts.parts = Some((tokens(before, next)?, tokens(behind, after)?));
        }
        Ok(texts)
    }

    /// Number of lines and tokens before the cut, if it is at the start of a line.
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

    /// The location of the text.
    pub fn span(&self) -> Span {
        self.at
    }

    fn byte(&self, at: u32) -> Span {
        self.at.subspan(at.into(), 1)
    }

    fn report<T>(&self, fault: &Fault, findings: &mut Findings) -> Result<T, Refused> {
        let before = usize::try_from(fault.at).ok();
        let before = before.and_then(|at| self.text.get(..at)).unwrap_or(&[]);
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let message = format_args!("line {line}: {}", fault.rule.summary);
        findings.refuse(fault.rule, self.byte(fault.at), message)
    }

    /// Parses the whole text for `l1_cache_policy`, which the driver does first: assertions count,
    /// errors do not. Returns its value and bytes. `nodes` is memory to reuse.
    pub fn scan_l1_policy(
        &self,
        nodes: &mut Vec<Node>,
        findings: &mut Findings,
    ) -> Result<Option<(&'static str, Span)>, Refused> {
        findings.stage();
        let whole = &self.whole;
        let fault = whole
            .fault
            .or_else(|| build(self.text, &whole.lines, &whole.tokens, nodes).err());
        match fault.filter(|fault| fault.rule.effect == Some(Effect::Crashes)) {
            Some(fault) => self.report(&fault, findings),
            None if fault.is_some() => Ok(None),
            None => Ok(self.l1_policy(nodes)),
        }
    }

    /// The value of the first `l1_cache_policy`, if it is readable.
    fn l1_policy(&self, nodes: &[Node]) -> Option<(&'static str, Span)> {
        let yaml = Yaml {
            text: self.text,
            tokens: &self.whole.tokens,
            nodes,
        };
        let mut keys = yaml.children(yaml.root()?);
        let node = keys.find(|node| yaml.key(node) == L1_CACHE_POLICY)?;
        let value = schema::L1_CACHE_POLICY.value(yaml.raw(node))?;
        let (start, end) = yaml.place(node);
        let place = self
            .at
            .subspan(start.into(), u64::from(end.saturating_sub(start)));
        Some((value.name, place))
    }

    /// The part to decode. Returns `None` if it has no data. `nodes` is memory to reuse.
    pub fn decoded<'n>(
        &'n self,
        nodes: &'n mut Vec<Node>,
        findings: &mut Findings,
    ) -> Result<Option<Yaml<'n>>, Refused> {
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
            return self.report(&fault, findings);
        }
        let text = self
            .text
            .get(..self.cut.unwrap_or(self.text.len()))
            .unwrap_or(self.text);
        if whole && own.open_end {
            let end = self.at.subspan((text.len() as u64).saturating_sub(1), 1);
            let message = "the last line has no line break";
            findings.note(&rules::YAML_OPEN_END, end, message);
        }
        build(text, lines, tokens, nodes).or_else(|fault| self.report(&fault, findings))?;
        if nodes.is_empty() {
            findings.note(&rules::ZE_INFO_EMPTY, self.at, "no keys");
            return Ok(None);
        }
        Ok(Some(Yaml {
            text: self.text,
            tokens,
            nodes,
        }))
    }

    /// The part after the cut with its base offset, or the error that stops the driver. `nodes` is
    /// memory to reuse.
    pub fn misc_info<'n>(
        &'n self,
        nodes: &'n mut Vec<Node>,
    ) -> Option<(Result<Yaml<'n>, Fault>, Span)> {
        let cut = self.cut?;
        let (text, lines, tokens, fault, at) = match &self.parts {
            Some((_, behind)) => {
                let text = self.text.get(cut..).unwrap_or(&[]);
                (
                    text,
                    &*behind.lines,
                    &behind.tokens,
                    behind.fault,
                    self.at.skip(cut as u64),
                )
            }
            None => {
                let (lines, _) = self.lines_before(cut)?;
                let lines = self.whole.lines.get(lines..).unwrap_or(&[]);
                (
                    self.text,
                    lines,
                    &self.whole.tokens,
                    self.whole.fault,
                    self.at,
                )
            }
        };
        let built = fault.map_or_else(|| build(text, lines, tokens, nodes), Err);
        Some((
            built.map(|()| Yaml {
                text,
                tokens,
                nodes,
            }),
            at,
        ))
    }
}

/// The offset of a text in a longer one (Horspool's algorithm).
fn find(text: &[u8], pattern: &[u8]) -> Option<usize> {
    let len = pattern.len();
    let mut skip = [len; 256];
    for (at, byte) in pattern.iter().enumerate().take(len.saturating_sub(1)) {
        if let Some(skip) = skip.get_mut(usize::from(*byte)) {
            *skip = len - 1 - at;
        }
    }
    let mut at = 0;
    loop {
        let window = text.get(at..at + len)?;
        if window == pattern {
            return Some(at);
        }
        let last = window.last().copied().unwrap_or(0);
        at += skip.get(usize::from(last)).copied().unwrap_or(1);
    }
}
