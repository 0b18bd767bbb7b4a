//! State of the current kernel's occupancy.

use std::rc::Rc;

use yew::AttrValue;

use crate::analysis::occupancy::{Occupancy, OccupancyParameters};
use crate::model::NodeId;

/// Occupancy of the current kernel.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct OccupancyState {
    /// The kernel of the latest request: its document and list index.
    pub kernel: Option<(NodeId, u64)>,
    /// The user's parameters, for all kernels.
    pub parameters: OccupancyParameters,
    /// The response; the previous one stays until it arrives.
    pub found: Option<Rc<Occupancy>>,
    /// Why the latest request failed or an input is invalid.
    pub error: Option<AttrValue>,
}

/// A change of this state.
pub enum OccupancyChange {
    /// The occupancy of a kernel was requested.
    Requested(NodeId, u64, OccupancyParameters),
    /// The response to the latest request.
    Answered(
        NodeId,
        u64,
        OccupancyParameters,
        Result<Rc<Occupancy>, AttrValue>,
    ),
    /// An input is invalid; the message.
    Refused(AttrValue),
}

impl OccupancyState {
    /// Applies a change.
    pub fn apply(&mut self, change: OccupancyChange) {
        match change {
            OccupancyChange::Requested(document, kernel, parameters) => {
                if self.kernel != Some((document, kernel)) {
                    self.found = None;
                }
                self.kernel = Some((document, kernel));
                self.parameters = parameters;
                self.error = None;
            }
            OccupancyChange::Answered(document, kernel, parameters, answer)
                if self.kernel == Some((document, kernel)) && self.parameters == parameters =>
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
                summary: String::new(),
            })
        };
        let parameters = OccupancyParameters {
            eus: Some(4),
            ..OccupancyParameters::default()
        };
        state.apply(OccupancyChange::Requested(
            NodeId::ROOT,
            0,
            OccupancyParameters::default(),
        ));
        state.apply(OccupancyChange::Requested(
            NodeId::ROOT,
            0,
            parameters.clone(),
        ));
        let late = OccupancyChange::Answered(
            NodeId::ROOT,
            0,
            OccupancyParameters::default(),
            Ok(found("a")),
        );
        state.apply(late);
        assert_eq!(state.found, None);
        state.apply(OccupancyChange::Answered(
            NodeId::ROOT,
            0,
            parameters.clone(),
            Ok(found("b")),
        ));
        assert_eq!(state.found, Some(found("b")));
        state.apply(OccupancyChange::Refused("no".into()));
        assert_eq!((state.found.is_some(), state.error.is_some()), (true, true));
        state.apply(OccupancyChange::Requested(NodeId::ROOT, 1, parameters));
        assert_eq!((state.found, state.error), (None, None));
    }
}
