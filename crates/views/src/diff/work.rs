//! Budgets for the work of a comparison and the memory of its result.

use super::entry::{Entry, Field, FieldValue, Side};

/// Steps per byte of the two files. Real files take 1 to 4. A step is the creation of a node, a
/// read of some bytes, or a comparison of two instructions.
const TIMES: u64 = 8;
/// Steps that are always allowed.
const MORE: u64 = 2 << 20;
/// Maximum number of steps: about ten seconds.
const MOST: u64 = 4 << 30;

/// Memory for differences, per byte of the two files.
const ROOM_TIMES: u64 = 3;
/// Memory for differences that is always available, in bytes.
const ROOM_MORE: u64 = 16 << 20;

/// Counts the steps, and the memory of the differences.
#[derive(Debug, Clone)]
pub struct Work {
    left: u64,
    spent: u64,
    room: u64,
    left_out: u64,
}

impl Work {
    /// Creates the budgets for two files of `size` bytes together.
    pub fn new(size: u64) -> Work {
        Work {
            left: size.saturating_mul(TIMES).saturating_add(MORE).min(MOST),
            spent: 0,
            room: size.saturating_mul(ROOM_TIMES).saturating_add(ROOM_MORE),
            left_out: 0,
        }
    }

    /// Reserves memory for a difference. Returns `false` if there is not enough; then the
    /// difference is left out.
    pub fn keep(&mut self, entry: &Entry) -> bool {
        let had = self.room;
        self.room = had.saturating_sub(weight(entry));
        self.left_out += u64::from(had == 0);
        had > 0
    }

    /// Returns the number of differences left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Spends steps. Returns `false` if there are not enough left.
    pub fn spend(&mut self, steps: u64) -> bool {
        self.spent = self.spent.saturating_add(steps);
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    /// Whether all steps are spent.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// Returns the number of steps left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// Returns the number of steps spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

/// Returns the memory of a difference, in bytes.
fn weight(entry: &Entry) -> u64 {
    let size = |value: &FieldValue| match value {
        FieldValue::Text(text) => text.len(),
        FieldValue::Bytes(bytes, _) => bytes.len(),
        FieldValue::List(list) => list.len() * size_of::<FieldValue>(),
        _ => 0,
    };
    let side = |side: &Option<Side>| side.as_ref().map_or(0, |side| size(&side.value));
    let field = |field: &Field| {
        let texts = field.key.len() + field.path.len();
        size_of::<Field>() + texts + side(&field.from) + side(&field.to)
    };
    let fields: usize = entry.fields.iter().map(field).sum();
    let code = entry
        .code
        .as_ref()
        .map_or(0, |code| size_of_val(&*code.hunks));
    let names = entry.name.len()
        + entry.demangled.as_ref().map_or(0, |text| text.len())
        + entry.new_name.as_ref().map_or(0, String::len);
    (size_of::<Entry>() + fields + code + names + size_of_val(&*entry.measures)) as u64
}
