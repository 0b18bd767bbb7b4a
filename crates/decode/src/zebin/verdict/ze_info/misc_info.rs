//! `kernels_misc_info`: read after loading, when a program queries the names and types of
//! arguments. Errors in it make the query fail; an argument index out of range throws an uncaught
//! exception.

use std::collections::HashMap;

use super::Kernel;
use super::text::ZeInfoText;
use crate::rule::Rule;
use crate::zebin::verdict::findings::{Excerpt, Findings};
use crate::zebin::verdict::rules;
use crate::zebin::verdict::yaml::{Node, TokenKind, Yaml};
use zeview_core::model::{Effect, Span};

/// Reports errors that crash the driver or make the query fail.
pub fn check(texts: &ZeInfoText<'_>, kernels: &[Kernel<'_>], findings: &mut Findings) {
    let mut nodes = Vec::new();
    let Some((yaml, at)) = texts.misc_info(&mut nodes) else {
        return;
    };
    findings.stage();
    let yaml = match yaml {
        Ok(yaml) => yaml,
        Err(fault) => {
            // Errors only lose the names of arguments. Assertions end the process that asks for
            // them.
            let crashes = fault.rule.effect == Some(Effect::Crashes);
            let rule = if crashes {
                fault.rule
            } else {
                &rules::MISC_INFO
            };
            findings.note(rule, at.subspan(fault.at.into(), 1), fault.rule.summary);
            return;
        }
    };
    let reader = Reader { yaml, at };
    // The driver looks at the first key of the part only, which is the searched text.
    let top = yaml.root().and_then(|root| yaml.children(root).next());
    let Some(top) = top else { return };
    let mut entries = Vec::with_capacity(kernels.len());
    for entry in yaml.children(top) {
        match reader.entry(entry) {
            Ok(entry) => entries.push(entry),
            Err((rule, place, message)) => {
                findings.note(rule, place, message);
                return;
            }
        }
    }
    let mut by_name: HashMap<&[u8], &Kernel<'_>> = HashMap::with_capacity(kernels.len());
    for kernel in kernels {
        by_name.entry(kernel.name).or_insert(kernel);
    }
    let mut kernel = None;
    for (name, place, indices) in entries {
        // For a kernel that does not exist, the driver uses that of the previous entry.
        kernel = by_name.get(name).or(kernel);
        let Some(kernel) = kernel else {
            let message = format_args!("no kernel \"{}\"", Excerpt(name));
            findings.note(&rules::MISC_INFO, place, message);
            return;
        };
        let count = indices.len();
        let is_bad = |index: i32| !usize::try_from(index).is_ok_and(|index| index < count);
        if let Some((index, place)) = indices.iter().find(|(index, _)| is_bad(*index)) {
            let name = Excerpt(kernel.name);
            let message = format_args!("{name}: index {index} out of range ({count} arguments)");
            findings.note(&rules::MISC_INFO_INDEX, *place, message);
            return;
        }
    }
}

struct Reader<'a> {
    yaml: Yaml<'a>,
    at: Span,
}

type Entry<'a> = (&'a [u8], Span, Vec<(i32, Span)>);
type Problem = (&'static Rule, Span, String);

impl<'a> Reader<'a> {
    fn span(&self, node: &Node) -> Span {
        let (start, end) = self.yaml.key_place(node);
        self.at
            .subspan(start.into(), u64::from(end.saturating_sub(start)))
    }

    fn entry(&self, entry: &Node) -> Result<Entry<'a>, Problem> {
        let mut name: &[u8] = b"";
        let mut indices = Vec::new();
        for member in self.yaml.children(entry) {
            match self.yaml.key(member) {
                b"name" => name = self.text(member)?,
                b"args_info" => {
                    for argument in self.yaml.children(member) {
                        indices.push(self.argument(argument)?);
                    }
                }
                _ => {}
            }
        }
        if name.is_empty() {
            return Err((
                &rules::MISC_INFO,
                self.span(entry),
                "entry without a name".to_owned(),
            ));
        }
        Ok((name, self.span(entry), indices))
    }

    fn text(&self, node: &Node) -> Result<&'a [u8], Problem> {
        let words = |problem| format!("{}{problem}", Excerpt(self.yaml.key(node)));
        match self.yaml.value(node).map(|token| token.kind) {
            Some(TokenKind::Text) => Ok(self.yaml.raw(node)),
            Some(_) => Err((
                &rules::MISC_INFO,
                self.span(node),
                words(" is not a string"),
            )),
            None => Err((&rules::EMPTY_TEXT, self.span(node), words(" has no value"))),
        }
    }

    fn argument(&self, argument: &Node) -> Result<(i32, Span), Problem> {
        let mut index = -1;
        for member in self.yaml.children(argument) {
            match self.yaml.key(member) {
                b"index" => {
                    let number = self.yaml.int32(member);
                    index = number.ok_or_else(|| {
                        (
                            &rules::MISC_INFO,
                            self.span(member),
                            "index is not a number".to_owned(),
                        )
                    })?;
                }
                b"type_name" if self.yaml.unquoted(member).is_empty() => {
                    return Err((
                        &rules::MISC_INFO,
                        self.span(member),
                        "type_name is empty".to_owned(),
                    ));
                }
                b"name" | b"access_qualifier" | b"address_qualifier" | b"type_qualifiers" => {
                    self.text(member)?;
                }
                _ => {}
            }
        }
        match index {
            -1 => Err((
                &rules::MISC_INFO,
                self.span(argument),
                "argument without an index".to_owned(),
            )),
            index => Ok((index, self.span(argument))),
        }
    }
}
