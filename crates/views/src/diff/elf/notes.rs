//! Comparison of notes by owner and type.

use crate::diff::entry::{Change, Entry, FieldValue, Part};
use crate::diff::matching::by_key;
use crate::diff::walk::ValuePath;
use crate::diff::{Comparand, Comparer, Sides};
use zeview_core::model::Node;

impl Comparer<'_> {
    /// Compares notes by owner and type.
    pub(super) fn notes(&mut self, (a, b): Sides<Vec<Node>>, at: u32) {
        let key = |comparer: &mut Self, which, note: &Node| {
            let children = comparer.children(which, note);
            let owner = children.iter().find(|child| child.name == "name");
            let owner = owner.and_then(|child| FieldValue::of(&child.value));
            (
                owner.map(|value| value.text()).unwrap_or_default(),
                note.name.to_string(),
            )
        };
        let keys = (
            a.iter()
                .map(|note| key(self, Comparand::A, note))
                .collect::<Vec<_>>(),
            b.iter()
                .map(|note| key(self, Comparand::B, note))
                .collect::<Vec<_>>(),
        );
        let matches = by_key(&keys.0, &keys.1);
        for (note, place) in a.iter().zip(matches.of_a) {
            let Some(other) = place.and_then(|place| b.get(place)) else {
                self.lonely_note(Comparand::A, note, at);
                continue;
            };
            let mut fields = Vec::new();
            self.fields(note, other, &mut ValuePath::default(), &mut fields);
            if !fields.is_empty() {
                let entry = Entry::new(Part::Note, Change::Changed, at, &*note.name);
                self.push(entry.at(note.span, other.span).with(fields));
            }
        }
        for (note, is_matched) in b.iter().zip(matches.is_matched) {
            if !is_matched {
                self.lonely_note(Comparand::B, note, at);
            }
        }
    }

    pub(super) fn lonely_note(&mut self, which: Comparand, note: &Node, at: u32) {
        let mut fields = Vec::new();
        self.only(which, note, &mut ValuePath::default(), &mut fields);
        let (change, a, b) = match which {
            Comparand::A => (Change::Removed, note.span, None),
            Comparand::B => (Change::Added, None, note.span),
        };
        self.push(
            Entry::new(Part::Note, change, at, &*note.name)
                .at(a, b)
                .with(fields),
        );
    }
}
