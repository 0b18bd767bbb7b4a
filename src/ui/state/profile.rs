//! State of the profile that was added to a file.

use std::rc::Rc;

use yew::AttrValue;

use super::answer::Answer;
use crate::model::Span;
use crate::worker::protocol::{CodeSamples, ProfileOverview};

/// The profile of a file.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ProfileState {
    /// The name of the profile that is being read, and the progress in percent.
    pub reading: Option<(AttrValue, u8)>,
    /// The profile.
    pub overview: Option<Rc<ProfileOverview>>,
    /// Why the latest profile could not be added.
    pub failed: Option<AttrValue>,
    /// The samples of the visible code.
    pub samples: Answer<Span, Option<Rc<CodeSamples>>>,
}

/// A change of this state.
pub enum ProfileChange {
    /// The reading of a profile has begun or goes on: its name, and the progress in percent.
    Reading(AttrValue, u8),
    /// The reading was canceled.
    Canceled,
    /// The profile was added.
    Added(Box<ProfileOverview>),
    /// The profile could not be added.
    Failed(AttrValue),
    /// The samples of some code were requested.
    Requested(Span),
    /// The samples of some code.
    Samples(Span, Option<Box<CodeSamples>>),
}

impl ProfileState {
    /// Applies a change.
    pub fn apply(&mut self, change: ProfileChange) {
        match change {
            ProfileChange::Reading(name, percent) => {
                self.reading = Some((name, percent));
                self.failed = None;
            }
            ProfileChange::Canceled => self.reading = None,
            ProfileChange::Added(overview) => {
                *self = ProfileState {
                    overview: Some(Rc::from(overview)),
                    ..ProfileState::default()
                };
            }
            ProfileChange::Failed(why) => {
                self.reading = None;
                self.failed = Some(why);
            }
            ProfileChange::Requested(of) => self.samples.ask(of),
            ProfileChange::Samples(of, samples) => {
                self.samples.put(&of, samples.map(Rc::from));
            }
        }
    }

    /// The samples of the code at these bytes, if it has any.
    pub fn samples_of(&self, of: Option<Span>) -> Option<&Rc<CodeSamples>> {
        let samples = self.samples.to(&of?)?.as_ref();
        samples.filter(|samples| !samples.rows.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{NodeId, SourceId};

    #[test]
    fn samples_are_those_of_the_latest_code() {
        let of = |start| Span::with_len(SourceId::FILE, start, 16);
        let samples = |start| {
            Some(Box::new(CodeSamples {
                document: NodeId::ROOT,
                counts: Vec::new(),
                of: of(start),
                types: Vec::new(),
                samples: Vec::new(),
                most: 0,
                rows: Vec::new(),
                stalls: Vec::new(),
            }))
        };
        let mut state = ProfileState::default();
        state.apply(ProfileChange::Requested(of(0)));
        state.apply(ProfileChange::Requested(of(16)));
        state.apply(ProfileChange::Samples(of(0), samples(0)));
        assert_eq!(state.samples.to(&of(0)), None);
        state.apply(ProfileChange::Samples(of(16), samples(16)));
        assert!(state.samples.to(&of(16)).is_some());
        // Without samples, nothing is shown beside the code.
        assert_eq!(state.samples_of(Some(of(16))), None);
        state.apply(ProfileChange::Added(Box::default()));
        assert_eq!(state.samples, Answer::default());
    }

    #[test]
    fn a_failure_keeps_the_profile_that_was_added_before() {
        let mut state = ProfileState::default();
        state.apply(ProfileChange::Added(Box::default()));
        state.apply(ProfileChange::Reading("a.csv".into(), 0));
        state.apply(ProfileChange::Failed("not a profile".into()));
        assert!(state.overview.is_some() && state.failed.is_some());
        assert_eq!(state.reading, None);
    }
}
