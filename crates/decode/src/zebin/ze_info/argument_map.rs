//! The arguments of a kernel: their location in the payload, and their names in the source.

use std::collections::HashMap;

use super::ZeInfo;
use super::schema::{ARGUMENT_TYPE, Type};
use super::yaml::{Index, Node};
use zeview_core::analysis::kernels::{
    BindingTableEntry, InlineSampler, KernelRow, KeySpans, MemoryBuffer, Overlap, Payload,
    PayloadEntry, PerThreadEntry, Piece, SourceArgument,
};
use zeview_core::model::sort;
use zeview_core::model::{Span, Str};

/// The parts of each argument, by its number.
pub(super) struct ArgumentMap {
    pub(super) arguments: Vec<SourceArgument>,
    pub(super) payload: Payload,
    pub(super) binding_table: Vec<BindingTableEntry>,
}

/// Maximum size of a payload in the picture, in bytes; larger offsets are errors in the file.
const PAYLOAD_MAX: u64 = 1 << 20;

/// Returns whether a kind of argument is declared in the source.
fn is_explicit(kind: &str) -> bool {
    matches!(kind, "arg_byvalue" | "arg_bypointer")
}

/// The members of an entry.
struct Members<'a> {
    info: &'a ZeInfo,
    found: Vec<(std::borrow::Cow<'a, [u8]>, Index, &'a Node)>,
}

impl<'a> Members<'a> {
    fn of(info: &'a ZeInfo, entry: Index) -> Members<'a> {
        let found = info
            .yaml
            .values(entry)
            .filter_map(|(index, node)| Some((info.key_bytes(index, node)?, index, node)));
        Members {
            info,
            found: found.collect(),
        }
    }

    /// The last member with that name, which is the one that the driver uses.
    fn get(&self, key: &str) -> Option<(Index, &'a Node)> {
        let mut found = self.found.iter().rev();
        let (_, index, node) = found.find(|(name, _, _)| **name == *key.as_bytes())?;
        Some((*index, node))
    }

    /// The bytes of all values; the last one of duplicate keys.
    fn places(&self) -> KeySpans {
        let value = |(key, _, node): &(std::borrow::Cow<'_, [u8]>, Index, &Node)| {
            let key = String::from_utf8_lossy(key).into_owned();
            (key.into(), self.info.at(node.value))
        };
        self.found.iter().rev().map(value).collect()
    }

    fn int(&self, key: &str) -> Option<i64> {
        self.info.int32(self.get(key)?.1)
    }

    fn text(&self, key: &str) -> Option<String> {
        Some(self.info.str(self.get(key)?.0).into_owned())
    }

    fn yes(&self, key: &str) -> bool {
        let value = self.get(key).and_then(|(_, node)| self.info.boolean(node));
        value.unwrap_or(false)
    }
}

/// The entries of a list that are mappings.
fn entries(info: &ZeInfo, list: Option<Index>) -> impl Iterator<Item = (Index, &Node)> {
    let values = list.map(|list| info.yaml.values(list));
    values
        .into_iter()
        .flatten()
        .filter(|(_, node)| node.kind.is_mapping())
}

/// Counts the arguments for the kernel table.
pub(super) fn count(info: &ZeInfo, list: Index, row: &mut KernelRow) {
    let mut indices: Vec<i64> = Vec::new();
    for (entry, _) in entries(info, Some(list)) {
        let (mut explicit, mut arg_index, mut offset, mut size) = (false, -1, 0, 0);
        for (member, node) in info.yaml.values(entry) {
            match &*info.key_bytes(member, node).unwrap_or_default() {
                b"arg_type" => {
                    let ty = Type::Enum(&ARGUMENT_TYPE);
                    explicit = info
                        .word(member, node, ty)
                        .is_some_and(|word| is_explicit(word.name));
                }
                b"arg_index" => arg_index = info.int32(node).unwrap_or(-1),
                b"offset" => offset = info.int32(node).unwrap_or(0),
                b"size" => size = info.int32(node).unwrap_or(0),
                _ => {}
            }
        }
        if explicit {
            indices.extend((arg_index >= 0).then_some(arg_index));
        } else {
            row.implicit_arguments += 1;
        }
        // A negative end is an error that the checks report; the payload does not shrink for it.
        let end = u64::try_from(offset.saturating_add(size)).unwrap_or(0);
        row.payload_size = row.payload_size.max(end);
    }
    sort::ascending(&mut indices);
    indices.dedup();
    row.explicit_arguments = indices.len() as u64;
    // Arguments that the compiler removed leave gaps, but still count in the source.
    let last = indices.last().and_then(|last| u64::try_from(*last).ok());
    row.argument_count = last.map_or(0, |last| last.saturating_add(1));
}

/// Reads the arguments of a kernel.
pub(super) fn read(
    info: &ZeInfo,
    kernel: Index,
    description: Option<Index>,
    inline_data: i64,
) -> ArgumentMap {
    let mut arguments = described(info, description);
    let list = info.last(kernel, "payload_arguments");
    let mut entries: Vec<PayloadEntry> = entries(info, list)
        .map(|(entry, node)| payload_entry(info, entry, node))
        .collect();
    for (at, entry) in (0u32..).zip(&mut entries) {
        let Some(index) = entry.arg_index.filter(|index| *index >= 0) else {
            continue;
        };
        let argument = arguments.entry(index).or_insert_with(|| SourceArgument {
            index,
            ..SourceArgument::default()
        });
        argument.entries.push(at);
        entry.name.clone_from(&argument.name);
        entry.type_name.clone_from(&argument.type_name);
    }
    for entry in &mut entries {
        entry.title = title(entry);
    }
    let binding_table = binding_table(info, kernel, &mut arguments);
    let mut arguments: Vec<SourceArgument> = arguments.into_values().collect();
    sort::by_key(&mut arguments, |argument| argument.index);
    let mut payload = Payload {
        entries,
        inline_data: u64::try_from(inline_data).unwrap_or(0),
        ..Payload::default()
    };
    arrange(&mut payload);
    ArgumentMap {
        arguments,
        payload,
        binding_table,
    }
}

fn binding_table(
    info: &ZeInfo,
    kernel: Index,
    arguments: &mut HashMap<i64, SourceArgument>,
) -> Vec<BindingTableEntry> {
    // Very old files have the plural that the specification's text still has.
    let current = info.last(kernel, "binding_table_indices");
    let list = current.or_else(|| info.last(kernel, "binding_table_indexes"));
    entries(info, list)
        .map(|(entry, node)| {
            let members = Members::of(info, entry);
            let (bti_value, arg_index) = (members.int("bti_value"), members.int("arg_index"));
            let argument = arg_index.and_then(|index| arguments.get_mut(&index));
            BindingTableEntry {
                bti_value,
                arg_index,
                name: argument.and_then(|argument| {
                    argument.bti_value = argument.bti_value.or(bti_value);
                    argument.name.clone()
                }),
                span: info.at(node.value),
                places: members.places(),
            }
        })
        .collect()
}

/// The argument descriptions in `kernels_misc_info`.
fn described(info: &ZeInfo, description: Option<Index>) -> HashMap<i64, SourceArgument> {
    let list = description.and_then(|index| info.last(index, "args_info"));
    let mut arguments = HashMap::new();
    for (entry, node) in entries(info, list) {
        let members = Members::of(info, entry);
        let Some(index) = members.int("index") else {
            continue;
        };
        let non_empty = |key: &str| {
            let text = members.text(key);
            // IGC writes NONE for a qualifier that is not there.
            text.filter(|text| !matches!(&**text, "" | "NONE"))
        };
        let ty = non_empty("type_name").unwrap_or_default();
        // `int*;8`: the type and its size.
        let (type_name, type_size) = match ty.rsplit_once(';') {
            Some((name, size)) => (name.to_owned(), size.trim().parse().ok()),
            None => (ty, None),
        };
        arguments.insert(
            index,
            SourceArgument {
                index,
                name: non_empty("name"),
                type_name: (!type_name.is_empty()).then_some(type_name),
                type_size,
                address_qualifier: non_empty("address_qualifier"),
                access_qualifier: non_empty("access_qualifier"),
                type_qualifiers: non_empty("type_qualifiers"),
                span: Some(info.at(node.value)),
                places: members.places(),
                entries: Vec::new(),
                bti_value: None,
            },
        );
    }
    arguments
}

fn payload_entry(info: &ZeInfo, entry: Index, node: &Node) -> PayloadEntry {
    let members = Members::of(info, entry);
    let kind = members.text("arg_type").unwrap_or_default();
    let flags: Vec<Str> = ["image_transformable", "is_pipe", "is_ptr"]
        .into_iter()
        .filter(|key| members.yes(key))
        .map(Str::Borrowed)
        .collect();
    PayloadEntry {
        explicit: is_explicit(&kind),
        kind,
        offset: members.int("offset"),
        size: members.int("size"),
        arg_index: members.int("arg_index"),
        addrmode: members.text("addrmode"),
        addrspace: members.text("addrspace"),
        access_type: members.text("access_type"),
        image_type: members.text("image_type"),
        sampler_type: members.text("sampler_type"),
        sampler_index: members.int("sampler_index"),
        source_offset: members.int("source_offset"),
        slm_alignment: members.int("slm_alignment"),
        bti_value: members.int("bti_value"),
        flags,
        name: None,
        type_name: None,
        title: String::new(),
        span: info.at(node.value),
        places: members.places(),
    }
}

/// A short title of an entry.
fn title(entry: &PayloadEntry) -> String {
    let of_argument = match (&entry.name, entry.arg_index) {
        (Some(name), _) => Some(name.clone()),
        (None, Some(index)) => Some(format!("argument {index}")),
        (None, None) => None,
    };
    let mut title = match (entry.explicit, of_argument) {
        (true, Some(argument)) => match &entry.type_name {
            Some(ty) => format!("{ty} {argument}"),
            None => argument,
        },
        (_, Some(argument)) => format!("{} of {argument}", entry.kind),
        (_, None) => entry.kind.clone(),
    };
    if let Some(offset) = entry.source_offset.filter(|offset| *offset > 0) {
        title.push_str(&format!(" + {offset}"));
    }
    title
}

/// Arranges the entries: pieces, gaps, overlaps, sums.
fn arrange(payload: &mut Payload) {
    let mut placed: Vec<(u64, u64, u32)> = (0u32..)
        .zip(&payload.entries)
        .filter_map(|(at, entry)| {
            let start = u64::try_from(entry.offset?).ok()?;
            let size = u64::try_from(entry.size?).ok()?;
            // Nothing to draw: stateful pointers have the size 0.
            let end = start.checked_add(size).filter(|end| *end <= PAYLOAD_MAX)?;
            (start < end).then_some((start, end, at))
        })
        .collect();
    sort::by_key(&mut placed, |(start, end, at)| {
        // The longest first, so that entries within it are the ones that overlap.
        (*start, std::cmp::Reverse(*end), *at)
    });
    let mut reach: Option<(u64, u32)> = None;
    for (start, end, at) in placed {
        let (from, first) = reach.unwrap_or((0, at));
        if start < from {
            payload.overlaps.push(Overlap {
                start,
                end: end.min(from),
                first,
                second: at,
            });
        }
        if start > from {
            payload.pieces.push(Piece {
                start: from,
                end: start,
                entry: None,
            });
        }
        let start = start.max(from);
        if start < end {
            payload.pieces.push(Piece {
                start,
                end,
                entry: Some(at),
            });
            payload.used += end - start;
            reach = Some((end, at));
        }
    }
    payload.total = reach.map_or(0, |(end, _)| end);
}

/// A memory buffer, and the bytes of its size.
pub(super) struct Buffer {
    pub(super) row: MemoryBuffer,
    pub(super) size: Option<i64>,
    pub(super) size_span: Option<Span>,
}

/// The memory buffers of a kernel.
pub(super) fn memory_buffers(info: &ZeInfo, list: Index) -> impl Iterator<Item = Buffer> + '_ {
    entries(info, Some(list)).map(|(entry, node)| {
        let members = Members::of(info, entry);
        let size = members.int("size");
        Buffer {
            row: MemoryBuffer {
                kind: members.text("type").unwrap_or_default(),
                usage: members.text("usage").unwrap_or_default(),
                size,
                slot: members.int("slot").unwrap_or(0),
                is_simt_thread: members.yes("is_simt_thread"),
                span: info.at(node.value),
                places: members.places(),
            },
            size,
            size_span: members.get("size").map(|(_, node)| info.at(node.value)),
        }
    })
}

/// The per-thread arguments.
pub(super) fn per_thread(info: &ZeInfo, list: Option<Index>) -> Vec<PerThreadEntry> {
    entries(info, list)
        .map(|(entry, node)| {
            let members = Members::of(info, entry);
            PerThreadEntry {
                kind: members.text("arg_type").unwrap_or_default(),
                offset: members.int("offset"),
                size: members.int("size"),
                span: info.at(node.value),
                places: members.places(),
            }
        })
        .collect()
}

/// The samplers declared in the source.
pub(super) fn inline_samplers(info: &ZeInfo, list: Option<Index>) -> Vec<InlineSampler> {
    entries(info, list)
        .map(|(entry, node)| {
            let members = Members::of(info, entry);
            InlineSampler {
                sampler_index: members.int("sampler_index"),
                addrmode: members.text("addrmode").unwrap_or_default(),
                filtermode: members.text("filtermode").unwrap_or_default(),
                normalized: members.yes("normalized"),
                span: info.at(node.value),
                places: members.places(),
            }
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn arranged(entries: &[(i64, i64)]) -> Payload {
        let entry = |&(offset, size): &(i64, i64)| PayloadEntry {
            offset: Some(offset),
            size: Some(size),
            ..PayloadEntry::default()
        };
        let mut payload = Payload {
            entries: entries.iter().map(entry).collect(),
            ..Payload::default()
        };
        arrange(&mut payload);
        let mut at = 0;
        for piece in &payload.pieces {
            assert!(
                piece.start == at && piece.start < piece.end,
                "{:?}",
                payload.pieces
            );
            at = piece.end;
        }
        assert_eq!(at, payload.total);
        payload
    }

    #[test]
    fn gaps_and_overlaps() {
        let payload = arranged(&[(0, 12), (16, 8), (24, 0)]);
        assert_eq!((payload.used, payload.total), (20, 24));
        let gaps: Vec<_> = payload
            .pieces
            .iter()
            .filter(|p| p.entry.is_none())
            .collect();
        assert_eq!((gaps.len(), gaps[0].start, gaps[0].end), (1, 12, 16));
        assert!(payload.overlaps.is_empty());

        let payload = arranged(&[(8, 8), (0, 12), (2, 2)]);
        assert_eq!((payload.used, payload.total), (16, 16));
        let overlaps: Vec<_> = payload
            .overlaps
            .iter()
            .map(|o| (o.start, o.end, o.first, o.second))
            .collect();
        assert_eq!(overlaps, [(2, 4, 1, 2), (8, 12, 1, 0)]);
    }

    #[test]
    fn invalid_entries_are_not_drawn() {
        let payload = arranged(&[(-4, 8), (0, -1), (i64::MAX, 8), (1 << 40, 4), (4, 4)]);
        assert_eq!((payload.used, payload.total), (4, 8));
    }
}
