//! How much work a comparison may take, and how much memory its result.

use super::entry::{Entry, Field, FieldValue, Side};

/// Steps for each byte of the two files. Real ones take 1 to 4: a step is a node that is made, some
/// bytes that are read, or a comparison of two instructions.
const TIMES: u64 = 8;
/// Steps that are always allowed.
const MORE: u64 = 2 << 20;
/// Steps at most: some ten seconds.
const MOST: u64 = 4 << 30;

/// Bytes of differences that are kept, for each byte of the two files.
const ROOM_TIMES: u64 = 3;
/// Bytes of differences that are always kept.
const ROOM_MORE: u64 = 16 << 20;

/// Counts steps, and the bytes that differences take.
#[derive(Debug, Clone)]
pub struct Work {
    left: u64,
    spent: u64,
    room: u64,
    left_out: u64,
}

impl Work {
    /// The work that two files of `size` bytes together may take.
    pub fn new(size: u64) -> Work {
        Work {
            left: size.saturating_mul(TIMES).saturating_add(MORE).min(MOST),
            spent: 0,
            room: size.saturating_mul(ROOM_TIMES).saturating_add(ROOM_MORE),
            left_out: 0,
        }
    }

    /// Takes room for a difference. Returns whether there was some left; without, the difference is
    /// left out.
    pub fn keep(&mut self, entry: &Entry) -> bool {
        let had = self.room;
        self.room = had.saturating_sub(weight(entry));
        self.left_out += u64::from(had == 0);
        had > 0
    }

    /// How many differences are left out.
    pub fn left_out(&self) -> u64 {
        self.left_out
    }

    /// Spends steps. Returns whether there were so many left.
    pub fn spend(&mut self, steps: u64) -> bool {
        self.spent = self.spent.saturating_add(steps);
        self.left = self.left.saturating_sub(steps);
        self.left > 0
    }

    /// Everything is spent.
    pub fn is_over(&self) -> bool {
        self.left == 0
    }

    /// How many steps are left.
    pub fn left(&self) -> u64 {
        self.left
    }

    /// How many steps were spent.
    pub fn spent(&self) -> u64 {
        self.spent
    }
}

/// The memory that a difference takes, in bytes.
fn weight(entry: &Entry) -> u64 {
    let said = |said: &FieldValue| match said {
        FieldValue::Text(text) => text.len(),
        FieldValue::Bytes(bytes, _) => bytes.len(),
        FieldValue::List(list) => list.len() * size_of::<FieldValue>(),
        _ => 0,
    };
    let side = |side: &Option<Side>| side.as_ref().map_or(0, |side| said(&side.said));
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
