//! State of the current kernel's occupancy.

use std::rc::Rc;

use yew::AttrValue;

use crate::analysis::occupancy::{Occupancy, Question};
use crate::model::NodeId;

/// Occupancy of the current kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OccupancyState {
    /// The kernel of the latest request: its document and list index.
    pub kernel: Option<(NodeId, u64)>,
    /// The user's parameters, for all kernels.
    pub question: Question,
    /// The response; the previous one stays until it arrives.
    pub found: Option<Rc<Occupancy>>,
    /// Why the latest request failed or an input is invalid.
    pub error: Option<AttrValue>,
}

/// A change of this state.
pub enum OccupancyChange {
    /// The occupancy of a kernel was requested.
    Requested(NodeId, u64, Question),
    /// The response to the latest request.
    Answered(NodeId, u64, Question, Result<Rc<Occupancy>, AttrValue>),
    /// An input is invalid; the message.
    Refused(AttrValue),
}

impl OccupancyState {
    /// Applies a change.
    pub fn apply(&mut self, change: OccupancyChange) {
        match change {
            OccupancyChange::Requested(document, kernel, question) => {
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

/// A field for a parameter that the file does not contain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The device.
    Device,
    /// The work-group size.
    WorkGroup,
    /// Shared local memory passed as arguments, in bytes.
    Eus,
    /// Bytes of shared local memory of the arguments.
    LocalArguments,
}

impl Field {
    /// The parameters after this input; an empty input resets the parameter.
    ///
    /// # Errors
    ///
    /// A message if the input is invalid.
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
    fn an_empty_field_resets_its_parameter() {
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
    fn only_the_latest_response_counts() {
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
        state.apply(OccupancyChange::Requested(
            NodeId::ROOT,
            0,
            Question::default(),
        ));
        state.apply(OccupancyChange::Requested(
            NodeId::ROOT,
            0,
            question.clone(),
        ));
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
        state.apply(OccupancyChange::Requested(NodeId::ROOT, 1, question));
        assert_eq!((state.found, state.error), (None, None));
    }
}
