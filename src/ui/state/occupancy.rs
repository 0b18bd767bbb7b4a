//! State of the current kernel's occupancy.

use std::rc::Rc;

use yew::AttrValue;

use super::answer::Answer;
use crate::analysis::occupancy::{Occupancy, OccupancyParameters};
use crate::model::NodeId;

/// Occupancy of the current kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OccupancyState {
    /// The user's parameters, for all kernels.
    pub parameters: OccupancyParameters,
    /// The response, or why the request failed.
    found: Answer<KernelQuestion, Result<Rc<Occupancy>, AttrValue>>,
    /// Why an input is invalid.
    refused: Option<AttrValue>,
    /// Whether the latest kernel has arguments in shared local memory: their field stays while its
    /// next occupancy is awaited.
    has_local: Option<(NodeId, u64)>,
}

/// The document of a kernel, its list index, and the user's parameters.
pub type KernelQuestion = (NodeId, u64, OccupancyParameters);

/// A change of this state.
pub enum OccupancyChange {
    /// The occupancy of a kernel was requested.
    Requested(KernelQuestion),
    /// The response.
    Answered(KernelQuestion, Result<Rc<Occupancy>, AttrValue>),
    /// An input is invalid; the message.
    Refused(AttrValue),
}

impl OccupancyState {
    /// Applies a change.
    pub fn apply(&mut self, change: OccupancyChange) {
        match change {
            OccupancyChange::Requested(question) => {
                self.parameters = question.2.clone();
                self.refused = None;
                self.found.ask(question);
            }
            OccupancyChange::Answered(question, answer) => {
                let has_local = |found: &Rc<Occupancy>| found.term("local_arguments").is_some();
                let has_local = answer.as_ref().is_ok_and(has_local);
                let kernel = (question.0, question.1);
                if self.found.put(&question, answer) {
                    self.has_local = has_local.then_some(kernel);
                }
            }
            OccupancyChange::Refused(why) => self.refused = Some(why),
        }
    }

    fn answer(&self, kernel: (NodeId, u64)) -> Option<&Result<Rc<Occupancy>, AttrValue>> {
        let (document, index) = kernel;
        self.found.to(&(document, index, self.parameters.clone()))
    }

    /// Whether the occupancy of a kernel was requested.
    pub fn is_asked(&self, kernel: (NodeId, u64)) -> bool {
        let (document, index) = kernel;
        self.found
            .is_asked(&(document, index, self.parameters.clone()))
    }

    /// The occupancy of a kernel with the user's parameters, once it is known.
    pub fn of(&self, kernel: (NodeId, u64)) -> Option<&Occupancy> {
        self.answer(kernel)?.as_deref().ok()
    }

    /// Why the occupancy of a kernel is not known, or an input is invalid.
    pub fn error(&self, kernel: (NodeId, u64)) -> Option<&AttrValue> {
        let failed = self.answer(kernel).and_then(|answer| answer.as_ref().err());
        self.refused.as_ref().or(failed)
    }

    /// Whether a kernel has arguments in shared local memory, as far as it is known.
    pub fn has_local(&self, kernel: (NodeId, u64)) -> bool {
        self.has_local == Some(kernel)
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
    pub fn apply(
        self,
        typed: &str,
        parameters: &OccupancyParameters,
    ) -> Result<OccupancyParameters, String> {
        let typed = typed.trim();
        let mut parameters = parameters.clone();
        let number = |what: &str| match typed {
            "" => Ok(None),
            typed => match typed.parse::<u64>() {
                Ok(number) => Ok(Some(number)),
                Err(_) => Err(format!("“{typed}” is not {what}.")),
            },
        };
        match self {
            Field::Device => {
                parameters.device = (!typed.is_empty()).then(|| typed.to_owned().into());
            }
            Field::WorkGroup if typed.is_empty() => parameters.work_group = None,
            Field::WorkGroup => match OccupancyParameters::work_items(typed) {
                None => return Err(format!("“{typed}” is not a size such as 256 or 16x16.")),
                size => parameters.work_group = size,
            },
            Field::Eus => parameters.eus = number("a number of EUs")?.filter(|eus| *eus > 0),
            Field::LocalArguments => parameters.local_arguments = number("a number of bytes")?,
        }
        Ok(parameters)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_empty_field_resets_its_parameter() {
        let parameters = OccupancyParameters::default();
        let parameters = Field::WorkGroup.apply(" 16x16 ", &parameters).unwrap();
        let parameters = Field::Eus.apply("8", &parameters).unwrap();
        let parameters = Field::LocalArguments.apply("0", &parameters).unwrap();
        let parameters = Field::Device.apply("dg2", &parameters).unwrap();
        let chosen = OccupancyParameters {
            device: Some("dg2".into()),
            work_group: Some(256),
            eus: Some(8),
            local_arguments: Some(0),
        };
        assert_eq!(parameters, chosen);
        for (field, typed) in [
            (Field::WorkGroup, "many"),
            (Field::Eus, "-1"),
            (Field::LocalArguments, "1 KB"),
        ] {
            assert!(field.apply(typed, &chosen).unwrap_err().contains(typed));
        }
        let fields = [
            Field::Device,
            Field::WorkGroup,
            Field::Eus,
            Field::LocalArguments,
        ];
        let empty = fields.into_iter().fold(chosen, |parameters, field| {
            field.apply(" ", &parameters).unwrap()
        });
        assert_eq!(empty, OccupancyParameters::default());
    }

    #[test]
    fn only_the_latest_response_counts() {
        let mut state = OccupancyState::default();
        let found = |name: &'static str| {
            Rc::new(Occupancy {
                device: Some(name.into()),
                device_origin: crate::analysis::occupancy::Origin::Chosen,
                terms: Vec::new(),
                more_threads: None,
                larger_files: Vec::new(),
                summary: String::new(),
            })
        };
        let parameters = OccupancyParameters {
            eus: Some(4),
            ..OccupancyParameters::default()
        };
        let kernel = (NodeId::ROOT, 0);
        let ask = |kernel: (NodeId, u64), parameters: &OccupancyParameters| {
            (kernel.0, kernel.1, parameters.clone())
        };
        let default = OccupancyParameters::default();
        state.apply(OccupancyChange::Requested(ask(kernel, &default)));
        let answer =
            |parameters, name| OccupancyChange::Answered(ask(kernel, parameters), Ok(found(name)));
        state.apply(answer(&default, "a"));
        assert_eq!(state.of(kernel), Some(&*found("a")));
        state.apply(OccupancyChange::Requested(ask(kernel, &parameters)));
        assert_eq!(state.of(kernel), None, "that of other parameters");
        state.apply(answer(&default, "a"));
        assert_eq!(state.of(kernel), None);
        state.apply(answer(&parameters, "b"));
        assert_eq!(state.of(kernel), Some(&*found("b")));
        state.apply(OccupancyChange::Refused("no".into()));
        assert!(state.of(kernel).is_some() && state.error(kernel).is_some());
        let other = (NodeId::ROOT, 1);
        assert_eq!(state.of(other), None, "before it is requested");
        state.apply(OccupancyChange::Requested(ask(other, &parameters)));
        assert_eq!((state.of(other), state.error(other)), (None, None));
    }
}
