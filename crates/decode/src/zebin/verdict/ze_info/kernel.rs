//! A kernel: its execution environment, arguments and buffers.

use super::members::{Members, Value};
use super::{Decoder, Refused};
use crate::zebin::verdict::rules;
use crate::zebin::verdict::yaml::{Node, TokenRange};
use crate::zebin::ze_info::schema;
use zeview_core::model::Span;

/// A kernel, as the rest of the driver needs it.
pub struct Kernel<'a> {
    /// Its name.
    pub name: &'a [u8],
    /// The bytes of the name.
    pub place: Span,
    /// `slm_size` as the driver compares it, and its bytes.
    pub slm: (u32, Span),
    /// Whether it uses the buffer of constants.
    pub constants: Option<BufferAddress>,
    /// Whether it uses the buffer of variables.
    pub variables: Option<BufferAddress>,
    /// The first bindless argument, and what it accesses.
    pub bindless: Option<(Span, &'static str)>,
    /// The first explicit argument that is a stateful or bindless buffer.
    pub stateful_buffer: Option<Span>,
    /// Pointers whose size prevents the driver from writing them when it creates the kernel.
    pub bad_pointers: Vec<(&'static str, Span)>,
}

/// An argument with the address of a buffer.
#[derive(Debug, Clone, Copy)]
pub struct BufferAddress {
    /// The argument.
    pub place: Span,
    /// Whether the pointer cannot be written: its size is neither 4 nor 8.
    pub bad_size: bool,
}

/// The state of decoding a kernel.
pub(super) struct KernelState {
    pub(super) simd: i32,
    pub(super) entries: u8,
    pub(super) samplers: u8,
    pub(super) private_memory: bool,
    pub(super) private_base: Option<(&'static str, Span)>,
    pub(super) printf: Option<(&'static str, Span)>,
    pub(super) constants: Option<BufferAddress>,
    pub(super) variables: Option<BufferAddress>,
    /// Whether constants or variables are addressed without the binding table.
    pub(super) bindless_base: Option<Span>,
    /// The first bindless argument, and what it accesses.
    pub(super) bindless: Option<(Span, &'static str)>,
    /// The first explicit argument that is a stateful or bindless buffer.
    pub(super) stateful_buffer: Option<Span>,
}

/// The relevant values of `execution_env`.
pub(super) struct Environment {
    simd: i32,
    slm: (i32, TokenRange),
    alloc_mode: (i32, TokenRange),
}

impl<'a> Decoder<'a, '_> {
    /// Decodes a kernel.
    pub(super) fn kernel(&mut self, entry: &Node) -> Result<Kernel<'a>, Refused> {
        self.owner = b"";
        self.begin();
        let members = self.members(&schema::KERNEL, entry);
        let place = self.key_span(entry);
        for key in ["name", "execution_env"] {
            if members.get(key).is_none() {
                let message = format_args!("kernel without {key}");
                self.fail(&rules::KERNEL_INCOMPLETE, place, message);
            }
        }
        self.end()?;
        let (Some(name), Some(environment)) = (members.get("name"), members.get("execution_env"))
        else {
            return Err(Refused);
        };
        self.owner = self.yaml.unquoted(name);
        let mut kernel = Kernel {
            name: self.owner,
            place: self.value_span(name),
            slm: (0, place),
            constants: None,
            variables: None,
            bindless: None,
            stateful_buffer: None,
            bad_pointers: Vec::new(),
        };
        self.begin();
        let environment = self.environment(environment);
        self.end()?;
        let (mode, at) = environment.alloc_mode;
        if !matches!(mode, 0 | 1) {
            let message = format_args!("slm_alloc_mode is {mode}");
            return self.refuse(&rules::SLM_ALLOC_MODE, self.span(at), message);
        }
        let (slm, at) = environment.slm;
        // Compared as unsigned.
        kernel.slm = (u32::from_ne_bytes(slm.to_ne_bytes()), self.span(at));
        let mut state = KernelState {
            simd: environment.simd,
            entries: 0,
            samplers: 0,
            private_memory: false,
            private_base: None,
            printf: None,
            constants: None,
            variables: None,
            bindless_base: None,
            bindless: None,
            stateful_buffer: None,
        };
        // The order of decodeZeInfoKernelEntry's steps: later ones depend on the state of earlier
        // ones.
        self.simple_tables(&members, &mut state)?;
        if let Some(node) = members.get("per_thread_payload_arguments") {
            self.per_thread(node, &mut state)?;
        }
        if let Some(node) = members.get("inline_samplers") {
            self.samplers(node, &mut state)?;
        }
        self.kinds.clear();
        if let Some(node) = members.get("payload_arguments") {
            self.arguments(node, &mut state)?;
        }
        if let Some(node) = members.get("per_thread_memory_buffers") {
            self.memory_buffers(node, &mut state)?;
        }
        if let Some(node) = members.get("experimental_properties") {
            self.begin();
            // The compiler writes a mapping, whose values have no members: nothing is read.
            for item in self.yaml.children(node) {
                for member in self.yaml.children(item) {
                    self.member(&schema::EXPERIMENTAL_PROPERTIES, member);
                }
            }
            self.end()?;
        }
        if let Some(node) = members.get("binding_table_indices") {
            self.binding_table(node, &mut state)?;
        }
        kernel.bindless = state.bindless;
        kernel.stateful_buffer = state.stateful_buffer;
        kernel.constants = state.constants;
        kernel.variables = state.variables;
        kernel.bad_pointers.extend(state.printf);
        kernel
            .bad_pointers
            .extend(state.private_base.filter(|_| state.private_memory));
        Ok(kernel)
    }

    fn simple_tables(
        &mut self,
        members: &Members<'a>,
        state: &mut KernelState,
    ) -> Result<(), Refused> {
        if let Some(node) = members.get("user_attributes") {
            self.begin();
            for member in self.yaml.children(node) {
                self.member(&schema::USER_ATTRIBUTES, member);
            }
            self.end()?;
        }
        if let Some(node) = members.get("debug_env") {
            self.begin();
            let mut entry = -1;
            for member in self.yaml.children(node) {
                if let Some((key, Value::Int(number))) = self.member(&schema::DEBUG_ENV, member)
                    && key.name == "sip_surface_bti"
                {
                    entry = number;
                }
            }
            self.end()?;
            // The debugger's surface takes the first entry of the binding table.
            if entry == 0 {
                state.entries = state.entries.max(1);
            }
        }
        Ok(())
    }

    /// `execution_env`, of kernels and functions alike.
    pub(super) fn environment(&mut self, node: &Node) -> Environment {
        let mut environment = Environment {
            simd: -1,
            slm: (0, (0, 0)),
            alloc_mode: (0, (0, 0)),
        };
        let mut simd_place = self.yaml.key_place(node);
        for member in self.yaml.children(node) {
            let Some((key, Value::Int(number))) = self.member(&schema::EXECUTION_ENV, member)
            else {
                continue;
            };
            let place = self.yaml.place(member);
            match key.name {
                "simd_size" => {
                    environment.simd = number;
                    simd_place = place;
                }
                "slm_size" => environment.slm = (number, place),
                "slm_alloc_mode" => environment.alloc_mode = (number, place),
                _ => {}
            }
        }
        // The driver checks the values only if it could read all of them.
        if !self.failed && !matches!(environment.simd, 1 | 8 | 16 | 32) {
            let place = self.span(simd_place);
            match environment.simd {
                -1 => self.fail(&rules::SIMD_SIZE, place, "missing simd_size"),
                size => self.fail(
                    &rules::SIMD_SIZE,
                    place,
                    format_args!("simd_size is {size}"),
                ),
            }
        }
        environment
    }

    fn per_thread(&mut self, table: &Node, state: &mut KernelState) -> Result<(), Refused> {
        self.begin();
        let mut arguments = Vec::new();
        for entry in self.yaml.children(table) {
            let (mut word, mut size, mut offset) = ("", -1, -1);
            for member in self.yaml.children(entry) {
                let Some((key, value)) = self.member(&schema::PER_THREAD_PAYLOAD_ARGUMENTS, member)
                else {
                    // Unreadable values count as 0.
                    if self.yaml.key(member) == b"size" {
                        size = 0;
                    }
                    continue;
                };
                match (key.name, value) {
                    ("arg_type", Value::Word(value)) => word = value.name,
                    ("size", Value::Int(number)) => size = number,
                    ("offset", Value::Int(number)) => offset = number,
                    _ => {}
                }
            }
            let place = self.key_span(entry);
            if size == 0 {
                let message = "per-thread argument of size 0";
                self.note(&rules::PER_THREAD_SKIPPED, place, message);
            } else {
                arguments.push((word, size, offset, place));
            }
        }
        self.end()?;
        for (word, size, offset, place) in arguments {
            self.local_ids(word, size, offset, place, state)?;
        }
        Ok(())
    }

    fn local_ids(
        &mut self,
        word: &str,
        size: i32,
        offset: i32,
        place: Span,
        state: &mut KernelState,
    ) -> Result<(), Refused> {
        let rule = &rules::PER_THREAD;
        if !matches!(word, "local_id" | "packed_local_ids") {
            let message = format_args!("per-thread argument of type \"{word}\"");
            return self.refuse(rule, place, message);
        }
        if offset != 0 {
            let message = format_args!("{word} is at offset {offset}, not 0");
            return self.refuse(rule, place, message);
        }
        let channel: u32 = match word {
            "local_id" => {
                let lanes: u32 = if state.simd == 32 { 32 } else { 16 };
                (lanes * 2).next_multiple_of(self.device.grf_size())
            }
            _ => 2,
        };
        // An unsigned division; the remainder is ignored.
        let ids = match u32::try_from(size) {
            Ok(size) => size / channel,
            Err(_) => u32::MAX,
        };
        if !(1..=3).contains(&ids) {
            let message = format_args!("{word} has {size} bytes, not one to three times {channel}");
            return self.refuse(rule, place, message);
        }
        // Only kernels of SIMD1 have packed ids; the driver sets the size from them.
        if word == "packed_local_ids" {
            state.simd = 1;
        }
        Ok(())
    }

    fn samplers(&mut self, table: &Node, state: &mut KernelState) -> Result<(), Refused> {
        self.begin();
        let mut samplers = Vec::new();
        for entry in self.yaml.children(table) {
            let (mut index, mut address, mut filter) = (-1, false, false);
            for member in self.yaml.children(entry) {
                match self.member(&schema::INLINE_SAMPLERS, member) {
                    Some((key, Value::Int(number))) if key.name == "sampler_index" => {
                        index = number
                    }
                    Some((key, Value::Word(_))) if key.name == "addrmode" => address = true,
                    Some((key, Value::Word(_))) if key.name == "filtermode" => filter = true,
                    _ => {}
                }
            }
            samplers.push((index, address, filter, self.key_span(entry)));
        }
        self.end()?;
        for (index, address, filter, place) in samplers {
            let missing = match (index, address, filter) {
                (-1, _, _) => "sampler_index",
                (_, false, _) => "addrmode",
                (_, _, false) => "filtermode",
                _ => {
                    state.samplers = state.samplers.max(low_byte(index.wrapping_add(1)));
                    continue;
                }
            };
            let message = format_args!("inline sampler without {missing}");
            return self.refuse(&rules::INLINE_SAMPLER, place, message);
        }
        Ok(())
    }

    fn memory_buffers(&mut self, table: &Node, state: &mut KernelState) -> Result<(), Refused> {
        self.begin();
        let mut buffers = Vec::new();
        for entry in self.yaml.children(table) {
            let mut buffer = MemoryBuffer {
                place: self.key_span(entry),
                ..MemoryBuffer::default()
            };
            for member in self.yaml.children(entry) {
                let read = self.member(&schema::PER_THREAD_MEMORY_BUFFERS, member);
                let Some((key, value)) = read else { continue };
                match (key.name, value) {
                    ("type", Value::Word(word)) => buffer.kind = word.name,
                    ("usage", Value::Word(word)) => buffer.usage = word.name,
                    ("size", Value::Int(number)) => buffer.size = number,
                    ("slot", Value::Int(number)) => buffer.slot = number,
                    ("is_simt_thread", Value::Bool(yes)) => buffer.per_lane = yes,
                    _ => {}
                }
            }
            buffers.push(buffer);
        }
        self.end()?;
        let mut slots = [false; 2];
        for buffer in buffers {
            self.memory_buffer(&buffer, &mut slots, state)?;
        }
        Ok(())
    }

    fn memory_buffer(
        &mut self,
        buffer: &MemoryBuffer,
        slots: &mut [bool; 2],
        state: &mut KernelState,
    ) -> Result<(), Refused> {
        let (rule, place, slot) = (&rules::MEMORY_BUFFER, buffer.place, buffer.slot);
        let lanes = if buffer.per_lane {
            i64::from(state.simd)
        } else {
            1
        };
        let total = i64::from(buffer.size) * lanes;
        if buffer.size <= 0 || buffer.size == i32::MAX || total > i64::from(u32::MAX) {
            return self.refuse(rule, place, format_args!("memory buffer of {total} bytes"));
        }
        match buffer.kind {
            "global" if buffer.usage == "private_space" => state.private_memory = true,
            "global" => {
                let message = format_args!(
                    "global memory buffer with usage \"{}\", not private_space",
                    buffer.usage
                );
                return self.refuse(rule, place, message);
            }
            "scratch" => match usize::try_from(slot).map(|slot| slots.get_mut(slot)) {
                Ok(Some(taken)) if *taken => {
                    return self.refuse(rule, place, format_args!("duplicate scratch slot {slot}"));
                }
                Ok(Some(taken)) => *taken = true,
                Ok(None) => {
                    return self.refuse(rule, place, format_args!("scratch slot {slot}"));
                }
                Err(_) => {
                    self.note(
                        &rules::NEGATIVE_SLOT,
                        place,
                        format_args!("scratch slot {slot}"),
                    );
                }
            },
            kind => {
                let message = format_args!("memory buffer of type \"{kind}\"");
                return self.refuse(rule, place, message);
            }
        }
        Ok(())
    }
}

#[derive(Default)]
struct MemoryBuffer {
    kind: &'static str,
    usage: &'static str,
    size: i32,
    slot: i32,
    per_lane: bool,
    place: Span,
}

/// The low 8 bits of a number.
pub(super) fn low_byte(number: i32) -> u8 {
    number.to_le_bytes().first().copied().unwrap_or(0)
}

/// Returns whether the low 16 bits of a number are an offset, not the value for "none".
pub(super) fn is_offset(number: i32) -> bool {
    number & 0xffff != 0xffff
}
