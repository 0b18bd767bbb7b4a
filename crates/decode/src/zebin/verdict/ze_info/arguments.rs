//! `payload_arguments` and `binding_table_indices`. All entries with the same index determine the
//! kind of an argument. If they conflict, an assertion of the driver fails.

use super::kernel::{BufferAddress, KernelState, is_offset, low_byte};
use super::members::Value;
use super::{Decoder, Refused};
use crate::zebin::verdict::image::READABLE_BEHIND_LIST;
use crate::zebin::verdict::rules;
use crate::zebin::verdict::yaml::Node;
use crate::zebin::ze_info::schema;
use zeview_core::model::Span;

/// The kind of a source argument.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum ArgumentKind {
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

/// The driver cannot allocate its list of arguments from this index on.
const MAX_INDEX: i32 = 1 << 27;

/// Returns whether an entry is so close to a list in memory that the driver can probably read it.
fn is_near(index: i32) -> bool {
    u64::from(index.unsigned_abs()) < READABLE_BEHIND_LIST
}

/// Arguments with up to three components.
const VECTORS: &[&str] = &[
    "local_size",
    "group_count",
    "global_size",
    "enqueued_local_size",
    "global_id_offset",
];

impl<'a> Decoder<'a, '_> {
    pub(super) fn arguments(
        &mut self,
        table: &Node,
        state: &mut KernelState,
    ) -> Result<(), Refused> {
        self.begin();
        let mut arguments = Vec::with_capacity(usize::from(table.count));
        for entry in self.yaml.children(table) {
            let argument = self.argument(entry);
            arguments.push(argument);
        }
        self.end()?;
        let highest = arguments.iter().max_by_key(|argument| argument.index);
        if let Some(Argument { index, place, .. }) = highest {
            if *index >= MAX_INDEX {
                let message = format_args!("arg_index is {index}");
                return self.refuse(&rules::ARGUMENT_INDEX, *place, message);
            }
            // The driver's list is as long as the highest index, however few arguments there are.
            let count = usize::try_from(index.saturating_add(1)).unwrap_or(0);
            self.findings.spend(count as u64, *place)?;
            self.kinds.resize(count, ArgumentKind::Unknown);
        }
        let mut seen = AddressingModes::default();
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
            // Only entries that exist already: the driver reads binding_table_indices after this
            // check.
            (_, _, Some(place)) if state.entries > 0 => (place, "a binding table entry"),
            _ => {
                state.bindless = buffer.map(|place| (place, "buffers"));
                state.bindless = state.bindless.or(image.map(|place| (place, "images")));
                state.stateful_buffer = seen.bindless_buffer;
                return Ok(());
            }
        };
        let message = format_args!("bindless access and {why}");
        self.refuse(&rules::MIXED_ADDRESSING, place, message)
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
            place: self.key_span(entry),
        };
        for member in self.yaml.children(entry) {
            let Some((key, value)) = self.member(&schema::PAYLOAD_ARGUMENTS, member) else {
                continue;
            };
            match (key.name, value) {
                ("arg_type", Value::Word(word)) => {
                    argument.kind = word.name;
                    argument.rejected = word.driver == schema::Driver::Rejects;
                    argument.place = self.value_span(member);
                }
                ("addrmode", Value::Word(word)) => argument.mode = word.name,
                ("addrspace", Value::Word(word)) => argument.space = word.name,
                ("arg_index", Value::Int(number)) => argument.index = number,
                ("offset", Value::Int(number)) => argument.offset = number,
                ("size", Value::Int(number)) => argument.size = number,
                ("sampler_index", Value::Int(number)) => argument.sampler = number,
                ("source_offset", Value::Int(number)) => argument.source_offset = number,
                ("bti_value", Value::Int(number)) => argument.entry = number,
                ("slm_alignment", Value::Int(..0)) => {
                    self.not_read(member, "an unsigned number");
                }
                _ => {}
            }
        }
        argument
    }

    fn kind_of(&self, index: i32) -> ArgumentKind {
        let at = usize::try_from(index).ok();
        at.and_then(|at| self.kinds.get(at))
            .copied()
            .unwrap_or_default()
    }

    /// Sets the kind of an entry's source argument, which must not have had another kind.
    fn claim(&mut self, argument: &Argument, kind: ArgumentKind) -> Result<(), Refused> {
        let Argument { index, place, .. } = *argument;
        let at = usize::try_from(index).ok();
        let Some(slot) = at.and_then(|at| self.kinds.get_mut(at)) else {
            let message = format_args!("{}: arg_index is {index}", argument.kind);
            // Observed to load; -1 aborts, since it stands for "no index".
            if kind == ArgumentKind::Pointer && index < -1 && is_near(index) {
                self.note(&rules::ARGUMENT_INDEX_NEGATIVE, place, message);
                return Ok(());
            }
            return self.refuse(&rules::ARGUMENT_INDEX, place, message);
        };
        if *slot == ArgumentKind::Unknown {
            *slot = kind;
        }
        if *slot != kind {
            let message = format_args!(
                "{}: argument {index} has another kind in an earlier entry",
                argument.kind
            );
            return self.refuse(&rules::ARGUMENT_KIND, place, message);
        }
        Ok(())
    }

    fn size_is(&mut self, argument: &Argument, size: i32) -> Result<(), Refused> {
        if argument.size == size {
            return Ok(());
        }
        let message = format_args!("{} has {} bytes, not {size}", argument.kind, argument.size);
        self.refuse(&rules::ARGUMENT_SIZE, argument.place, message)
    }

    fn populate(&mut self, argument: &Argument, state: &mut KernelState) -> Result<(), Refused> {
        let (kind, place) = (argument.kind, argument.place);
        if kind.is_empty() || argument.rejected {
            let message = format_args!("\"{kind}\" is not a payload argument type");
            return self.refuse(&rules::ARGUMENT_TYPE, place, message);
        }
        if VECTORS.contains(&kind) && !matches!(argument.size, 4 | 8 | 12) {
            let message = format_args!("{kind} has {} bytes, not 4, 8 or 12", argument.size);
            return self.refuse(&rules::ARGUMENT_SIZE, place, message);
        }
        let pointer_at = |name| {
            // The driver keeps the size in 8 bits and offsets in 16.
            let size = low_byte(argument.size);
            let bad = is_offset(argument.offset) && !matches!(size, 4 | 8);
            bad.then_some((name, place))
        };
        match kind {
            "arg_bypointer" => self.pointer(argument, state)?,
            "arg_byvalue" => {
                let before = self.kind_of(argument.index);
                self.claim(argument, ArgumentKind::Value)?;
                if before == ArgumentKind::Value && argument.source_offset == -1 {
                    let index = argument.index;
                    let message = format_args!("argument {index}: element without source_offset");
                    return self.refuse(&rules::SOURCE_OFFSET, place, message);
                }
            }
            "buffer_address" => self.claim(argument, ArgumentKind::Pointer)?,
            "buffer_offset" => {
                self.claim(argument, ArgumentKind::Pointer)?;
                self.size_is(argument, 4)?;
            }
            "buffer_size" => {
                self.claim(argument, ArgumentKind::Pointer)?;
                self.size_is(argument, 8)?;
            }
            "work_dimensions" | "region_group_dimension" => self.size_is(argument, 4)?,
            "inline_sampler" if i32::from(state.samplers) < argument.sampler => {
                let (index, count) = (argument.sampler, state.samplers);
                let message = format_args!(
                    "inline_sampler: sampler_index {index} out of range ({count} samplers)"
                );
                return self.refuse(&rules::SAMPLER_INDEX, place, message);
            }
            "const_base" => self.base(argument, state, true),
            "global_base" => self.base(argument, state, false),
            "printf_buffer" => state.printf = pointer_at("printf_buffer"),
            "private_base_stateless" => state.private_base = pointer_at("private_base_stateless"),
            _ if kind.starts_with("image_") || kind.starts_with("flat_image_") => {
                self.claim(argument, ArgumentKind::Image)?;
            }
            _ if kind.starts_with("sampler_") => self.claim(argument, ArgumentKind::Sampler)?,
            _ => {}
        }
        Ok(())
    }

    /// Records the address of the buffer of constants or variables.
    fn base(&mut self, argument: &Argument, state: &mut KernelState, constants: bool) {
        if argument.mode == "bindless" {
            if is_offset(argument.offset) {
                state.bindless_base = Some(argument.place);
            }
            return;
        }
        let stateless = argument.offset != -1 && is_offset(argument.offset);
        let base = BufferAddress {
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

    fn pointer(&mut self, argument: &Argument, state: &mut KernelState) -> Result<(), Refused> {
        let kind = match argument.space {
            "image" => ArgumentKind::Image,
            "sampler" => ArgumentKind::Sampler,
            _ => ArgumentKind::Pointer,
        };
        self.claim(argument, kind)?;
        let Argument { index, place, .. } = *argument;
        let (rule, problem) = match argument.mode {
            "" => (&rules::ADDRESS_MODE, "missing addrmode"),
            "stateless" if kind != ArgumentKind::Pointer => {
                (&rules::ADDRESS_MODE, "stateless, but not a buffer")
            }
            "slm" if kind != ArgumentKind::Pointer => {
                (&rules::ARGUMENT_KIND, "slm, but not a buffer")
            }
            _ => {
                if kind == ArgumentKind::Sampler {
                    let next = low_byte(argument.sampler.wrapping_add(1));
                    state.samplers = state.samplers.max(next);
                }
                return Ok(());
            }
        };
        self.refuse(rule, place, format_args!("argument {index}: {problem}"))
    }

    /// Refuses entries for arguments that are neither buffers nor images; the driver does not check
    /// whether the argument exists.
    pub(super) fn binding_table(
        &mut self,
        table: &Node,
        state: &mut KernelState,
    ) -> Result<(), Refused> {
        self.begin();
        let mut entries = Vec::new();
        for entry in self.yaml.children(table) {
            let mut index = None;
            let mut has_entry = false;
            for member in self.yaml.children(entry) {
                let read = self.member(&schema::BINDING_TABLE_INDICES, member);
                match read.map(|(key, value)| (key.name, value)) {
                    Some(("arg_index", Value::Int(number))) => {
                        index = Some((number, self.value_span(member)));
                    }
                    Some(("bti_value", Value::Int(number))) => has_entry = number != -1,
                    _ => {}
                }
            }
            entries.extend(index.map(|(index, place)| (index, place, has_entry)));
        }
        self.end()?;
        for (index, place, has_entry) in entries {
            let at = usize::try_from(index).ok();
            let rule = match at.and_then(|at| self.kinds.get(at)) {
                Some(ArgumentKind::Pointer) => {
                    let first = state.stateful_buffer.or(Some(place).filter(|_| has_entry));
                    state.stateful_buffer = first;
                    continue;
                }
                Some(ArgumentKind::Image) => continue,
                Some(_) => &rules::BINDING_TABLE,
                // The memory near the list decides: assume zeros.
                None if is_near(index) => &rules::BINDING_TABLE,
                None => &rules::BINDING_TABLE_INDEX,
            };
            let message = format_args!("binding table entry for argument {index}");
            return self.refuse(rule, place, message);
        }
        Ok(())
    }
}

/// The address modes of buffers and images.
#[derive(Default)]
struct AddressingModes {
    bindless_buffer: Option<Span>,
    bindless_image: Option<Span>,
    stateful_buffer: bool,
    stateful_image: bool,
}

impl AddressingModes {
    fn add(&mut self, kind: ArgumentKind, argument: &Argument) {
        match (argument.mode, kind) {
            ("bindless", ArgumentKind::Pointer) => {
                self.bindless_buffer.get_or_insert(argument.place);
            }
            ("bindless", ArgumentKind::Image) => {
                self.bindless_image.get_or_insert(argument.place);
            }
            ("stateful", ArgumentKind::Pointer) => self.stateful_buffer = true,
            ("stateful", ArgumentKind::Image) => self.stateful_image = true,
            _ => {}
        }
    }
}
