//! Colors of bytes.

use crate::model::{Area, Bits, NodeKind, Span};
use crate::ui::text::format;
use crate::worker::protocol::LeafRow;

/// Appearance of a byte.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Paint {
    leaf: Option<LeafPaint>,
    selected: Option<SelectedBytes>,
    hovered: bool,
    cursor: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct LeafPaint {
    area: Area,
    odd: bool,
    head: bool,
    fill: bool,
    gap: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum SelectedBytes {
    Value,
    /// Header of the selected value.
    Head,
    /// Part of a large selection, which keeps its colors.
    Within,
}

/// Whether the selection has parts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum PartSelection {
    /// A value.
    #[default]
    No,
    /// Its bytes are underlined.
    Short,
    /// Only its rows are marked.
    Long,
}

/// Everything that affects the appearance besides the leaves.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(crate) struct Highlights {
    /// The selected bytes.
    pub span: Option<Span>,
    /// The selected bytes and their header.
    pub extent: Option<Span>,
    /// Whether they have parts of their own, which keep their colors.
    pub whole: PartSelection,
    /// The selected bits of them; `None` for all.
    pub bits: Option<Bits>,
    /// The bytes under the pointer.
    pub hover: Option<(u64, u64)>,
    /// The byte at the cursor.
    pub cursor: Option<u64>,
}

impl Highlights {
    fn selected(&self, at: u64) -> Option<SelectedBytes> {
        if let Some(span) = self.span.filter(|span| span.contains_offset(at)) {
            return match self.whole {
                PartSelection::No if !self.has_bits(at - span.start) => Some(SelectedBytes::Within),
                PartSelection::No => Some(SelectedBytes::Value),
                PartSelection::Short => Some(SelectedBytes::Within),
                PartSelection::Long => None,
            };
        }
        self.extent
            .filter(|extent| extent.contains_offset(at))
            .map(|_| SelectedBytes::Head)
    }

    /// Whether any bit of this byte is selected.
    fn has_bits(&self, byte: u64) -> bool {
        // Only words of up to 128 bits have bits.
        let byte = u8::try_from(byte).ok().filter(|byte| *byte < 16);
        self.bits.zip(byte).is_none_or(|(bits, byte)| {
            let own = Bits::new(byte * 8, byte * 8 + 8);
            bits.and(own).count() > 0
        })
    }

    /// Whether any byte of the row is selected.
    pub(crate) fn is_in(&self, offset: u64, len: usize) -> bool {
        let end = offset.saturating_add(len as u64);
        self.extent
            .is_some_and(|extent| extent.start < end && offset < extent.end)
    }

    fn hovers(&self, at: u64) -> bool {
        self.hover
            .is_some_and(|(start, end)| (start..end).contains(&at))
    }
}

/// The leaf of a byte; `leaves` are sorted by position.
pub(crate) fn leaf_at(leaves: &[LeafRow], at: u64) -> Option<&LeafRow> {
    let after = leaves.partition_point(|leaf| leaf.end <= at);
    leaves.get(after).filter(|leaf| start(leaf) <= at)
}

/// The first byte of a leaf's header.
pub(crate) fn start(leaf: &LeafRow) -> u64 {
    leaf.start.saturating_sub(leaf.head.into())
}

/// Appearance of the byte at `at`.
pub(crate) fn paint(leaves: &[LeafRow], marks: &Highlights, at: u64) -> Paint {
    let leaf = leaf_at(leaves, at).map(|leaf| LeafPaint {
        area: leaf.area,
        odd: leaf.odd,
        head: at < leaf.start || leaf.kind == NodeKind::Syntax,
        fill: leaf.kind == NodeKind::Padding,
        gap: leaf.kind == NodeKind::Gap,
    });
    let selected = marks.selected(at);
    Paint {
        // A selected value is painted uniformly across all of its leaves.
        leaf: leaf.filter(|_| selected != Some(SelectedBytes::Value)),
        selected,
        hovered: marks.hovers(at),
        cursor: marks.cursor == Some(at),
    }
}

impl Paint {
    /// The same appearance without the cursor.
    pub(crate) fn without_cursor(self) -> Paint {
        Paint {
            cursor: false,
            ..self
        }
    }

    /// Whether the two differ only in the cursor.
    pub(crate) fn continues(self, next: &Paint) -> bool {
        self.without_cursor() == next.without_cursor()
    }

    /// Whether the byte is plain.
    pub(crate) fn is_plain(&self) -> bool {
        *self == Paint::default()
    }

    /// CSS classes.
    pub(crate) fn classes(&self) -> String {
        let mut classes = String::new();
        let mut push = |class: &str| {
            if !classes.is_empty() {
                classes.push(' ');
            }
            classes.push_str(class);
        };
        if let Some(leaf) = self.leaf {
            push(match () {
                () if leaf.gap => "gap",
                () if leaf.fill => "fill",
                () => format::area_class(leaf.area),
            });
            if leaf.odd {
                push("odd");
            }
            if leaf.head {
                push("hd");
            }
        }
        match self.selected {
            Some(SelectedBytes::Value) => push("fs"),
            Some(SelectedBytes::Head) => push("fh"),
            Some(SelectedBytes::Within) => push("fw"),
            None => {}
        }
        if self.hovered {
            push("hv");
        }
        if self.cursor {
            push("cu");
        }
        classes
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::SourceId;

    fn leaf(start: u64, end: u64, head: u32) -> LeafRow {
        LeafRow {
            start,
            end,
            head,
            area: Area::Meta,
            kind: NodeKind::Field,
            odd: false,
        }
    }

    #[test]
    fn a_byte_finds_its_leaf() {
        let leaves = [leaf(0, 4, 0), leaf(10, 14, 4), leaf(14, 15, 0)];
        let found = |at| leaf_at(&leaves, at).map(|l| l.start);
        assert_eq!(found(3), Some(0));
        assert_eq!(found(5), None);
        assert_eq!(found(6), Some(10));
        assert_eq!(found(14), Some(14));
        assert_eq!(found(15), None);
    }

    #[test]
    fn bytes_with_selected_bits_are_distinct() {
        let marks = Highlights {
            span: Some(Span::new(SourceId::FILE, 16, 32)),
            bits: Some(Bits::new(50, 64)),
            ..Highlights::default()
        };
        let classes = |at| paint(&[], &marks, at).classes();
        assert_eq!(classes(21), "fw");
        assert_eq!(classes(22), "fs");
        assert_eq!(classes(23), "fs");
        assert_eq!(classes(24), "fw");
    }

    #[test]
    fn the_header_of_a_selected_value_is_distinct() {
        let leaves = [leaf(10, 14, 4)];
        let marks = Highlights {
            span: Some(Span::new(SourceId::FILE, 10, 14)),
            extent: Some(Span::new(SourceId::FILE, 6, 14)),
            ..Highlights::default()
        };
        let classes = |at| paint(&leaves, &marks, at).classes();
        assert_eq!(classes(7), "a-meta hd fh");
        assert_eq!(classes(11), "fs");
        assert!(paint(&leaves, &marks, 14).is_plain());
    }
}
