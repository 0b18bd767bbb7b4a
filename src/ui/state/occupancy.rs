//! What the page knows of what limits the kernel that is shown.

use std::rc::Rc;

use yew::AttrValue;

use crate::analysis::occupancy::{Occupancy, Question};
use crate::model::NodeId;

/// What limits a kernel, as far as it is known.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OccupancyState {
    /// The kernel of the last request: its document, and its place in the list.
    pub kernel: Option<(NodeId, u64)>,
    /// What the reader has chosen, for every kernel.
    pub question: Question,
    /// The answer; the last one stays while another is on its way.
    pub found: Option<Rc<Occupancy>>,
    /// Why the last request was not answered, or what is wrong with what was typed.
    pub error: Option<AttrValue>,
}

/// A change of what is known.
pub enum OccupancyChange {
    /// A kernel was asked about.
    Asked(NodeId, u64, Question),
    /// The answer, to the last request only.
    Answered(NodeId, u64, Question, Result<Rc<Occupancy>, AttrValue>),
    /// What was typed is not understood; in words.
    Refused(AttrValue),
}

impl OccupancyState {
    /// Changes it.
    pub fn apply(&mut self, change: OccupancyChange) {
        match change {
            OccupancyChange::Asked(document, kernel, question) => {
                if self.kernel != Some((document, kernel)) {
                    self.found = None;
                }
                self.kernel = Some((document, kernel));
                self.question = question;
                self.error = None;
            }
            OccupancyChange::Answered(document, kernel, question, answer)
                if self.kernel == Some((document, kernel)) && self.question == question =>
            {
                match answer {
                    Ok(found) => self.found = Some(found),
                    Err(why) => self.error = Some(why),
                }
            }
            OccupancyChange::Answered(..) => {}
            OccupancyChange::Refused(why) => self.error = Some(why),
        }
    }
}

/// A field for what the file does not say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The device.
    Device,
    /// The work-group size.
    WorkGroup,
    /// EUs of a sub-slice.
    Eus,
    /// Bytes of shared local memory of the arguments.
    LocalArguments,
}

impl Field {
    /// The question with what was typed into the field; nothing typed, nothing chosen.
    ///
    /// # Errors
    ///
    /// When it is not understood; says so in words.
    pub fn answer(self, typed: &str, question: &Question) -> Result<Question, String> {
        let typed = typed.trim();
        let mut question = question.clone();
        let number = |what: &str| match typed {
            "" => Ok(None),
            typed => match typed.parse::<u64>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("“{typed}” is not {what}.")),
            },
        };
        match self {
            Field::Device => {
                question.device = (!typed.is_empty()).then(|| typed.to_owned().into());
            }
            Field::WorkGroup if typed.is_empty() => question.work_group = None,
            Field::WorkGroup => match Question::work_items(typed) {
                None => return Err(format!("“{typed}” is not a size such as 256 or 16x16.")),
                size => question.work_group = size,
            },
            Field::Eus => question.eus = number("a number of EUs")?.filter(|eus| *eus > 0),
            Field::LocalArguments => question.local_arguments = number("a number of bytes")?,
        }
        Ok(question)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_chosen_and_an_empty_field_chooses_nothing() {
        let question = Question::default();
        let question = Field::WorkGroup.answer(" 16x16 ", &question).unwrap();
        let question = Field::Eus.answer("8", &question).unwrap();
        let question = Field::LocalArguments.answer("0", &question).unwrap();
        let question = Field::Device.answer("dg2", &question).unwrap();
        let chosen = Question {
            device: Some("dg2".into()),
            work_group: Some(256),
            eus: Some(8),
            local_arguments: Some(0),
        };
        assert_eq!(question, chosen);
        for (field, typed) in [
            (Field::WorkGroup, "many"),
            (Field::Eus, "-1"),
            (Field::LocalArguments, "1 KB"),
        ] {
            assert!(field.answer(typed, &chosen).unwrap_err().contains(typed));
        }
        let fields = [
            Field::Device,
            Field::WorkGroup,
            Field::Eus,
            Field::LocalArguments,
        ];
        let empty = fields.into_iter().fold(chosen, |question, field| {
            field.answer(" ", &question).unwrap()
        });
        assert_eq!(empty, Question::default());
    }

    #[test]
    fn only_the_last_answer_counts() {
        let mut state = OccupancyState::default();
        let found = |name: &'static str| {
            Rc::new(Occupancy {
                device: Some(name.into()),
                device_origin: crate::analysis::occupancy::Origin::Chosen,
                terms: Vec::new(),
                summary: String::new(),
            })
        };
        let question = Question {
            eus: Some(4),
            ..Question::default()
        };
        state.apply(OccupancyChange::Asked(NodeId::ROOT, 0, Question::default()));
        state.apply(OccupancyChange::Asked(NodeId::ROOT, 0, question.clone()));
        let late = OccupancyChange::Answered(NodeId::ROOT, 0, Question::default(), Ok(found("a")));
        state.apply(late);
        assert_eq!(state.found, None);
        state.apply(OccupancyChange::Answered(
            NodeId::ROOT,
            0,
            question.clone(),
            Ok(found("b")),
        ));
        assert_eq!(state.found, Some(found("b")));
        state.apply(OccupancyChange::Refused("no".into()));
        assert_eq!((state.found.is_some(), state.error.is_some()), (true, true));
        state.apply(OccupancyChange::Asked(NodeId::ROOT, 1, question));
        assert_eq!((state.found, state.error), (None, None));
    }
}
