//! The likely encoding of code without a container.
//!
//! Each encoding decodes the first instructions. In code of another encoding there soon are words that
//! are no instructions, invalid fields, and messages without a meaning. Neighboring encodings differ
//! little, so several may fit equally well.

use super::{Decoder, Platform};
use crate::instruction::{Descriptor, Instruction, Options};
use crate::message::Action;
use crate::words::is_padding;
use zeview_core::model::sort;

/// Maximum number of instructions that are decoded.
const WORDS: u32 = 512;

/// Minimum share of valid words in code, in percent.
const CODE: u32 = 95;

/// Minimum number of words that the best encoding fits and the next one does not.
const DISTANCE: u32 = 3;

/// How well an encoding fits the first instructions of some code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct EncodingFit {
    /// The encoding.
    pub platform: Platform,
    /// Number of words that were decoded, without padding.
    pub words: u32,
    /// Number of these that are valid instructions.
    pub valid: u32,
    /// Whether one of them ends the thread.
    pub ends: bool,
}

/// The confidence of a guess.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// One encoding fits, and no other one nearly as well.
    Likely,
    /// One encoding fits best, but others fit nearly as well, or equally.
    Unsure,
    /// No encoding fits: it is probably no code.
    NoCode,
}

/// The likely encoding of some code.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EncodingGuess {
    /// The encodings, the best first.
    pub fits: Vec<EncodingFit>,
    /// The confidence in the first of them.
    pub confidence: Confidence,
}

impl EncodingGuess {
    /// Guesses the encoding of the first instructions of some code.
    #[must_use]
    pub fn of(code: &[u8]) -> EncodingGuess {
        let mut fits: Vec<EncodingFit> = Platform::ALL
            .into_iter()
            .map(|platform| fit(platform, code))
            .collect();
        // Equal ones stay in the order of the platforms.
        sort::by_key(&mut fits, |fit| std::cmp::Reverse(fit.score()));
        let confidence = match fits.as_slice() {
            [best, ..] if !best.is_code() => Confidence::NoCode,
            [best, next, ..] if best.score() < next.score().saturating_add(DISTANCE) => {
                Confidence::Unsure
            }
            _ => Confidence::Likely,
        };
        EncodingGuess { fits, confidence }
    }

    /// Returns the encodings that fit as well as the best one, or nearly; empty if it is no code.
    #[must_use]
    pub fn best(&self) -> Vec<Platform> {
        let Some(best) = self.fits.first().filter(|fit| fit.is_code()) else {
            return Vec::new();
        };
        let is_near = |fit: &&EncodingFit| fit.score().saturating_add(DISTANCE) > best.score();
        let near = self.fits.iter().filter(is_near);
        near.map(|fit| fit.platform).collect()
    }

    /// Describes the guess and how sure it is, in a sentence.
    #[must_use]
    pub fn text(&self) -> String {
        let Some(best) = self.fits.first().filter(|fit| fit.is_code()) else {
            return "Probably no code: no encoding fits the first words.".to_owned();
        };
        let (valid, words) = (best.valid, best.words);
        let names: Vec<&str> = self.best().into_iter().map(Platform::name).collect();
        match (self.confidence, names.as_slice()) {
            (Confidence::Likely, _) => {
                let next = self.fits.get(1).map_or(0, |next| next.valid);
                format!(
                    "Probably {}: {valid} of the first {words} words are its instructions; of the next best encoding, {next}.",
                    best.platform.name()
                )
            }
            (_, [first, others @ ..]) => format!(
                "{first}, or {}: {valid} of the first {words} words are instructions, and these encodings cannot be distinguished.",
                others.join(", ")
            ),
            _ => String::new(),
        }
    }
}

impl EncodingFit {
    fn score(&self) -> u32 {
        // The end of the thread is as good as a few words.
        self.valid + if self.ends { DISTANCE } else { 0 }
    }

    fn is_code(&self) -> bool {
        self.words > 0 && self.valid.saturating_mul(100) >= self.words.saturating_mul(CODE)
    }
}

fn fit(platform: Platform, code: &[u8]) -> EncodingFit {
    let decoder = Decoder::of(platform);
    let mut fit = EncodingFit {
        platform,
        words: 0,
        valid: 0,
        ends: false,
    };
    let mut at = 0;
    while fit.words < WORDS
        && let Some(rest) = code.get(at..)
        && let Some(instruction) = decoder.decode(rest)
    {
        let length = usize::from(instruction.length).max(8);
        at += length;
        if rest.get(..length).is_some_and(is_padding) {
            // Code may be followed by zeros, but does not begin with them.
            if fit.words == 0 {
                fit.words += 1;
            }
            continue;
        }
        fit.words += 1;
        fit.valid += u32::from(is_valid(&instruction));
        fit.ends |= instruction.kind.is_send() && instruction.options.has(Options::EOT);
    }
    fit
}

/// Whether a word is an instruction, with valid fields and a message that has a meaning.
fn is_valid(i: &Instruction) -> bool {
    let message = i.message.as_ref();
    let is_known = message.is_none_or(|message| {
        message.sfid.is_some()
            && (message.request.action != Action::Unknown
                || message.wide.is_none() && matches!(message.descriptor, Descriptor::Register(_)))
    });
    let typed = i.sources.iter().take(i.source_count);
    let mut typed = typed.chain(&i.destination);
    !i.invalid
        && !i.errors
        && is_known
        && typed.all(|operand| operand.data_type.is_some() || !operand.shows_type)
}
