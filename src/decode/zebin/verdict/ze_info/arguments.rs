//! `payload_arguments` and `binding_table_indices`: what an argument is, follows from all
//! entries with its index; the driver gives up with an assertion where they contradict each
//! other.

use super::kernel::{Base, State, is_offset, low_byte};
use super::members::Value;
use super::{Decoder, Stop};
use crate::decode::zebin::verdict::rules;
use crate::decode::zebin::verdict::yaml::Node;
use crate::decode::zebin::ze_info::schema;
use crate::model::Span;

/// What an argument of the source is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Kind {
    #[default]
    Unknown,
    Pointer,
    Image,
    Sampler,
    /// With at least one element.
    Value,
}

/// An entry of `payload_arguments`.
struct Argument {
    kind: &'static str,
    rejected: bool,
    index: i32,
    offset: i32,
    size: i32,
    mode: &'static str,
    space: &'static str,
    sampler: i32,
    source_offset: i32,
    entry: i32,
    place: Span,
}

/// Indices from which on the driver cannot get the memory for its list of arguments.
const TOO_MANY: i32 = 1 << 27;

/// Arguments that are asked for by their number in three parts.
const VECTORS: &[&str] = &[
    "local_size",
    "group_count",
    "global_size",
    "enqueued_local_size",
    "global_id_offset",
];

impl<'a> Decoder<'a, '_> {
    pub(super) fn arguments(&mut self, table: &Node, state: &mut State) -> Result<(), Stop> {
        self.begin();
        let mut arguments = Vec::with_capacity(usize::from(table.count));
        for entry in self.yaml.children(table) {
            let argument = self.argument(entry);
            arguments.push(argument);
        }
        self.end()?;
        let highest = arguments.iter().max_by_key(|argument| argument.index);
        let count = highest.map_or(-1, |argument| argument.index);
        if let Some(argument) = highest.filter(|argument| argument.index >= TOO_MANY) {
            let message = format!("arg_index{} is {}", self.of(), argument.index);
            return Err(self
                .findings
                .stop(&rules::ARGUMENT_INDEX, argument.place, message));
        }
        let count = usize::try_from(count.saturating_add(1)).unwrap_or(0);
        self.kinds.resize(count, Kind::Unknown);
        let mut seen = Modes::default();
        for argument in &arguments {
            self.populate(argument, state)?;
            if argument.index != -1 {
                seen.add(self.kind_of(argument.index), argument);
            }
        }
        let buffer = seen.bindless_buffer.or(state.bindless_base);
        let image = seen.bindless_image;
        let (place, why) = match (buffer, image, buffer.or(image)) {
            (Some(place), _, _) if seen.stateful_buffer => (place, "stateful buffers"),
            (_, Some(place), _) if seen.stateful_image => (place, "stateful images"),
            (_, _, Some(place)) if state.entries > 0 => (place, "an entry of the binding table"),
            _ => return Ok(()),
        };
        let message = format!("bindless access{} beside {why}", self.of());
        Err(self.findings.stop(&rules::MIXED_ADDRESSING, place, message))
    }

    fn argument(&mut self, entry: &Node) -> Argument {
        let mut argument = Argument {
            kind: "",
            rejected: false,
            index: -1,
            offset: -1,
            size: -1,
            mode: "",
            space: "",
            sampler: -1,
            source_offset: -1,
            entry: -1,
            place: self.span(self.yaml.key_place(entry)),
        };
        for member in self.yaml.children(entry) {
            let Some((key, value)) = self.member(&schema::PAYLOAD_ARGUMENTS, member) else {
                continue;
            };
            match (key.name, value) {
                ("arg_type", Value::Word(word)) => {
                    argument.kind = word.name;
                    argument.rejected = word.driver == schema::Driver::Rejects;
                    argument.place = self.span(self.yaml.place(member));
                }
                ("addrmode", Value::Word(word)) => argument.mode = word.name,
                ("addrspace", Value::Word(word)) => argument.space = word.name,
                ("arg_index", Value::Int(number)) => argument.index = number,
                ("offset", Value::Int(number)) => argument.offset = number,
                ("size", Value::Int(number)) => argument.size = number,
                ("sampler_index", Value::Int(number)) => argument.sampler = number,
                ("source_offset", Value::Int(number)) => argument.source_offset = number,
                ("bti_value", Value::Int(number)) => argument.entry = number,
                _ => {}
            }
        }
        argument
    }

    fn kind_of(&self, index: i32) -> Kind {
        let at = usize::try_from(index).ok();
        at.and_then(|at| self.kinds.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// The argument of the source that an entry belongs to is of this kind; it must not have
    /// been of another.
    fn claim(&mut self, argument: &Argument, kind: Kind) -> Result<(), Stop> {
        let at = usize::try_from(argument.index).ok();
        let Some(slot) = at.and_then(|at| self.kinds.get_mut(at)) else {
            let message = format!(
                "{}{}: arg_index is {}",
                argument.kind,
                self.of(),
                argument.index
            );
            return Err(self
                .findings
                .stop(&rules::ARGUMENT_INDEX, argument.place, message));
        };
        if *slot == Kind::Unknown {
            *slot = kind;
        }
        if *slot != kind {
            let message = format!(
                "{}{}: argument {} was something else before",
                argument.kind,
                self.of(),
                argument.index
            );
            return Err(self
                .findings
                .stop(&rules::ARGUMENT_KIND, argument.place, message));
        }
        Ok(())
    }

    fn size_is(&mut self, argument: &Argument, size: i32) -> Result<(), Stop> {
        if argument.size == size {
            return Ok(());
        }
        let message = format!(
            "{}{} has {} bytes, not {size}",
            argument.kind,
            self.of(),
            argument.size
        );
        Err(self
            .findings
            .stop(&rules::ARGUMENT_SIZE, argument.place, message))
    }

    fn populate(&mut self, argument: &Argument, state: &mut State) -> Result<(), Stop> {
        let kind = argument.kind;
        if kind.is_empty() || argument.rejected {
            let message = format!(
                "{kind:?}{} is no argument of the cross-thread payload",
                self.of()
            );
            return Err(self
                .findings
                .stop(&rules::ARGUMENT_TYPE, argument.place, message));
        }
        if VECTORS.contains(&kind) && !matches!(argument.size, 4 | 8 | 12) {
            let message = format!(
                "{kind}{} has {} bytes, not 4, 8 or 12",
                self.of(),
                argument.size
            );
            return Err(self
                .findings
                .stop(&rules::ARGUMENT_SIZE, argument.place, message));
        }
        let pointer_at = |name| {
            let size = low_byte(argument.size);
            let bad = is_offset(argument.offset) && !matches!(size, 4 | 8);
            bad.then_some((name, argument.place))
        };
        match kind {
            "arg_bypointer" => self.pointer(argument, state)?,
            "arg_byvalue" => {
                let before = self.kind_of(argument.index);
                self.claim(argument, Kind::Value)?;
                if before == Kind::Value && argument.source_offset == -1 {
                    let message = format!(
                        "another element of argument {}{} without source_offset",
                        argument.index,
                        self.of()
                    );
                    return Err(self
                        .findings
                        .stop(&rules::SOURCE_OFFSET, argument.place, message));
                }
            }
            "buffer_address" => self.claim(argument, Kind::Pointer)?,
            "buffer_offset" => {
                self.claim(argument, Kind::Pointer)?;
                self.size_is(argument, 4)?;
            }
            "buffer_size" => {
                self.claim(argument, Kind::Pointer)?;
                self.size_is(argument, 8)?;
            }
            "work_dimensions" | "region_group_dimension" => self.size_is(argument, 4)?,
            "inline_sampler" if i32::from(state.samplers) < argument.sampler => {
                let message = format!(
                    "inline_sampler{}: sampler {} of {}",
                    self.of(),
                    argument.sampler,
                    state.samplers
                );
                return Err(self
                    .findings
                    .stop(&rules::SAMPLER_INDEX, argument.place, message));
            }
            "const_base" => self.base(argument, state, true),
            "global_base" => self.base(argument, state, false),
            "printf_buffer" => state.printf = pointer_at("printf_buffer"),
            "private_base_stateless" => state.private_base = pointer_at("private_base_stateless"),
            _ if kind.starts_with("image_") || kind.starts_with("flat_image_") => {
                self.claim(argument, Kind::Image)?;
            }
            _ if kind.starts_with("sampler_") => self.claim(argument, Kind::Sampler)?,
            _ => {}
        }
        Ok(())
    }

    /// The address of the buffer of constants or variables.
    fn base(&mut self, argument: &Argument, state: &mut State, constants: bool) {
        if argument.mode == "bindless" {
            if is_offset(argument.offset) {
                state.bindless_base = Some(argument.place);
            }
            return;
        }
        let stateless = argument.offset != -1 && is_offset(argument.offset);
        let base = Base {
            place: argument.place,
            bad_size: stateless && !matches!(low_byte(argument.size), 4 | 8),
        };
        if argument.entry != -1 {
            state.entries = state.entries.max(low_byte(argument.entry.wrapping_add(1)));
        }
        if stateless || argument.entry != -1 {
            let which = if constants {
                &mut state.constants
            } else {
                &mut state.variables
            };
            *which = Some(base);
        }
    }

    fn pointer(&mut self, argument: &Argument, state: &mut State) -> Result<(), Stop> {
        let kind = match argument.space {
            "image" => Kind::Image,
            "sampler" => Kind::Sampler,
            _ => Kind::Pointer,
        };
        self.claim(argument, kind)?;
        let refuse = |this: &mut Self, what: &str| {
            let message = format!("argument {}{}: {what}", argument.index, this.of());
            Err(this
                .findings
                .stop(&rules::ADDRESS_MODE, argument.place, message))
        };
        match argument.mode {
            "" => refuse(self, "no addrmode"),
            "stateless" if kind != Kind::Pointer => refuse(self, "stateless, and no buffer"),
            "slm" if kind != Kind::Pointer => {
                let message = format!(
                    "argument {}{}: in shared local memory, and no buffer",
                    argument.index,
                    self.of()
                );
                Err(self
                    .findings
                    .stop(&rules::ARGUMENT_KIND, argument.place, message))
            }
            _ => {
                if kind == Kind::Sampler {
                    let next = low_byte(argument.sampler.wrapping_add(1));
                    state.samplers = state.samplers.max(next);
                }
                Ok(())
            }
        }
    }

    /// Entries for arguments that are neither buffers nor images are refused; the driver does
    /// not check that there is such an argument.
    pub(super) fn binding_table(&mut self, table: &Node) -> Result<(), Stop> {
        self.begin();
        let mut entries = Vec::new();
        for entry in self.yaml.children(table) {
            let mut index = None;
            for member in self.yaml.children(entry) {
                if let Some((key, Value::Int(number))) =
                    self.member(&schema::BINDING_TABLE_INDICES, member)
                    && key.name == "arg_index"
                {
                    index = Some((number, self.span(self.yaml.place(member))));
                }
            }
            entries.extend(index);
        }
        self.end()?;
        for (index, place) in entries {
            let at = usize::try_from(index).ok();
            let message = format!("argument {index}{} has a binding table entry", self.of());
            match at.map(|at| self.kinds.get(at)) {
                Some(Some(Kind::Pointer | Kind::Image)) => {}
                Some(Some(_)) => {
                    return Err(self.findings.stop(&rules::BINDING_TABLE, place, message));
                }
                // Whatever stands in memory behind the list decides; not far behind it: zeros.
                Some(None) if index < FAR => {
                    return Err(self.findings.stop(&rules::BINDING_TABLE, place, message));
                }
                None if index == -1 => {
                    self.findings
                        .note(&rules::BINDING_TABLE_UNCHECKED, place, message);
                }
                _ => {
                    return Err(self
                        .findings
                        .stop(&rules::BINDING_TABLE_INDEX, place, message));
                }
            }
        }
        Ok(())
    }
}

/// So far behind its list of arguments the driver still finds memory.
const FAR: i32 = 10_000;

/// How buffers and images are addressed.
#[derive(Default)]
struct Modes {
    bindless_buffer: Option<Span>,
    bindless_image: Option<Span>,
    stateful_buffer: bool,
    stateful_image: bool,
}

impl Modes {
    fn add(&mut self, kind: Kind, argument: &Argument) {
        match (argument.mode, kind) {
            ("bindless", Kind::Pointer) => self.bindless_buffer = Some(argument.place),
            ("bindless", Kind::Image) => self.bindless_image = Some(argument.place),
            ("stateful", Kind::Pointer) => self.stateful_buffer = true,
            ("stateful", Kind::Image) => self.stateful_image = true,
            _ => {}
        }
    }
}
