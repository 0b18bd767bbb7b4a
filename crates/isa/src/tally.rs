//! Instruction mix of a code section.

use std::rc::Rc;

use super::Decoder;
use super::pattern::Patterns;
use super::totals::Totals;
use super::windows::for_each_word;
use super::words::is_padding;
use zeview_core::analysis::assembly::{MessageCount, Mix, Tally};
use zeview_core::analysis::blocks::BlockGraph;
use zeview_core::model::sort;
use zeview_core::model::{Sources, Span};

/// Counts the instructions of a code section.
pub(super) struct CodeTally {
    decoder: Option<Rc<Decoder>>,
    code: Span,
    at: u64,
    mix: Mix,
    totals: Totals,
}

impl CodeTally {
    pub fn new(decoder: Option<Rc<Decoder>>, code: Span, blocks: &BlockGraph) -> CodeTally {
        let mix = Mix {
            blocks: blocks.blocks.len() as u64,
            loops: blocks.loops.len() as u64,
            nesting: blocks.nesting(),
            ..Mix::default()
        };
        CodeTally {
            decoder,
            code,
            at: 0,
            mix,
            totals: Totals::default(),
        }
    }
}

impl Tally for CodeTally {
    fn step(&mut self, most: u64, sources: &Sources) -> u64 {
        let rest = self.code.skip(self.at);
        let (mix, totals) = (&mut self.mix, &mut self.totals);
        let mut count = |counter: Option<(&Decoder, &mut Patterns)>| {
            let mut counter = counter;
            for_each_word(sources, rest, &mut |at, word| {
                mix.bytes += word.len() as u64;
                if is_padding(word) {
                    mix.padding += 1;
                    return at < most;
                }
                mix.instructions += 1;
                mix.compacted += u64::from(word.len() == 8);
                if let Some((decoder, patterns)) = &mut counter {
                    decoder.count(word, patterns, totals);
                }
                at < most
            })
        };
        let read = match self.decoder.as_deref() {
            Some(decoder) => Patterns::of(decoder.platform, |patterns| {
                count(Some((decoder, patterns)))
            }),
            None => count(None),
        };
        self.at += read;
        // It stopped at the last whole instruction; bytes after that do not count.
        if read < most { 0 } else { rest.len() - read }
    }

    fn mix(&self) -> Mix {
        let totals = &self.totals;
        let mut mix = self.mix.clone();
        [mix.spills, mix.fills, mix.atomics, mix.barriers] = totals.effects;
        mix.waits = totals.waits;
        mix.illegal = totals.illegal;
        mix.kinds = totals
            .kinds()
            .map(|(kind, count)| (kind.into(), count))
            .collect();
        sort::by_key(&mut mix.kinds, |(_, count)| std::cmp::Reverse(*count));
        if let Some(decoder) = &self.decoder {
            mix.messages = Patterns::of(decoder.platform, |patterns| {
                let messages = totals.messages();
                let messages = messages.map(|(name, (count, sent, received))| MessageCount {
                    name: patterns.names.get(name).to_owned(),
                    count,
                    sent,
                    received,
                });
                messages.collect()
            });
        }
        sort::by(&mut mix.messages, |a, b| {
            let by_count = b.count.cmp(&a.count);
            by_count.then_with(|| a.name.cmp(&b.name))
        });
        mix.registers = totals.registers();
        mix
    }
}
