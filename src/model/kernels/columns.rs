//! The columns of the kernel table, for the page and the command line.

use std::cmp::Ordering;

use super::KernelRow;

/// What stands in a cell.
#[derive(Debug, Clone, PartialEq)]
pub enum Cell<'a> {
    /// Nothing to say.
    Empty,
    /// A whole number.
    Int(i64),
    /// A number with a fraction.
    Number(f64),
    /// Yes or no.
    Bool(bool),
    /// Text.
    Text(&'a str),
    /// Three numbers.
    Ints([i64; 3]),
    /// Several words.
    Words(Vec<&'a str>),
}

impl Cell<'_> {
    /// The number in it, for sorting and comparing; yes is 1.
    pub fn number(&self) -> Option<f64> {
        match self {
            // Values of 32 bits, sizes of files: exact.
            #[allow(clippy::cast_precision_loss)]
            Cell::Int(number) => Some(*number as f64),
            Cell::Number(number) => Some(*number),
            Cell::Bool(yes) => Some(f64::from(u8::from(*yes))),
            _ => None,
        }
    }

    /// The cell as people and CSV read it: numbers without grouping.
    pub fn text(&self) -> String {
        match self {
            Cell::Empty => String::new(),
            Cell::Int(number) => number.to_string(),
            Cell::Number(number) => trimmed(*number),
            Cell::Bool(yes) => yes.to_string(),
            Cell::Text(text) => (*text).to_owned(),
            Cell::Ints([x, y, z]) => format!("{x} {y} {z}"),
            Cell::Words(words) => words.join(", "),
        }
    }

    /// The order of two cells of one column: empty ones first.
    pub fn order(&self, other: &Cell<'_>) -> Ordering {
        match (self, other) {
            (Cell::Empty, Cell::Empty) => Ordering::Equal,
            (Cell::Empty, _) => Ordering::Less,
            (_, Cell::Empty) => Ordering::Greater,
            (Cell::Text(a), Cell::Text(b)) => a.cmp(b),
            (Cell::Ints(a), Cell::Ints(b)) => a.cmp(b),
            (Cell::Words(a), Cell::Words(b)) => a.len().cmp(&b.len()).then_with(|| a.cmp(b)),
            (a, b) => match (a.number(), b.number()) {
                (Some(a), Some(b)) => a.total_cmp(&b),
                _ => Ordering::Equal,
            },
        }
    }
}

/// At most two digits after the point.
fn trimmed(number: f64) -> String {
    // Whole hundredths: the code that formats floats would be a part of the page.
    #[allow(clippy::cast_possible_truncation)]
    let hundredths = (number * 100.0).round_ties_even() as i64;
    let (whole, rest) = (hundredths / 100, (hundredths % 100).unsigned_abs());
    let sign = if hundredths < 0 && whole == 0 {
        "-"
    } else {
        ""
    };
    match (rest, rest % 10) {
        (0, _) => format!("{sign}{whole}"),
        (rest, 0) => format!("{sign}{whole}.{}", rest / 10),
        (rest, _) => format!("{sign}{whole}.{rest:02}"),
    }
}

/// How a column is set and compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    /// Numbers: to the right.
    Number,
    /// Text: to the left.
    Text,
    /// Yes or no.
    Bool,
    /// Three numbers.
    Ints,
}

/// A column.
#[derive(Debug)]
pub struct Column {
    /// Its name: the key in `.ze_info`, where it has one.
    pub id: &'static str,
    /// What stands above it.
    pub title: &'static str,
    /// What its numbers count; may be empty.
    pub unit: &'static str,
    /// How it is set and compared.
    pub kind: ColumnKind,
    /// It is in the table if nobody says which should be.
    pub usual: bool,
    /// What it means.
    pub doc: &'static str,
    cell: for<'a> fn(&'a KernelRow, &'static str) -> Cell<'a>,
}

impl Column {
    /// The column of that name.
    pub fn named(id: &str) -> Option<&'static Column> {
        COLUMNS.iter().find(|column| column.id == id)
    }

    /// Those that are in the table if nobody says which should be.
    pub fn usual() -> impl Iterator<Item = &'static Column> {
        COLUMNS.iter().filter(|column| column.usual)
    }

    /// The cell of a kernel.
    pub fn cell<'a>(&self, row: &'a KernelRow) -> Cell<'a> {
        (self.cell)(row, self.id)
    }

    /// Title and unit: `Spill, bytes per thread`.
    pub fn header(&self) -> String {
        match self.unit {
            "" => self.title.to_owned(),
            unit => format!("{}, {unit}", self.title),
        }
    }
}

fn flag<'a>(row: &'a KernelRow, id: &'static str) -> Cell<'a> {
    Cell::Bool(row.flags.iter().any(|flag| flag.key == id))
}

fn count(number: u64) -> Cell<'static> {
    Cell::Int(i64::try_from(number).unwrap_or(i64::MAX))
}

macro_rules! columns {
    (
        $($id:literal $kind:ident $title:literal $unit:literal $usual:literal $doc:literal
            |$row:ident| $cell:expr;)*
        flags: $($flag:literal)*
    ) => {
        /// All columns; the usual ones in the order of the table.
        pub static COLUMNS: &[Column] = &[
            $(Column {
                id: $id,
                title: $title,
                unit: $unit,
                kind: ColumnKind::$kind,
                usual: $usual,
                doc: $doc,
                cell: |$row, _| $cell,
            },)*
            $(Column {
                id: $flag,
                title: $flag,
                unit: "",
                kind: ColumnKind::Bool,
                usual: false,
                doc: "The key of that name in execution_env.",
                cell: flag,
            },)*
        ];
    };
}

columns! {
    "name" Text "Kernel" "" true "The kernel's name, as the file has it."
        |row| Cell::Text(&row.name.value);
    "simd_size" Number "SIMD" "" true "Lanes: work-items that a hardware thread runs in step."
        |row| Cell::Int(row.simd_size.value);
    "grf_count" Number "GRF" "" true "Registers of a hardware thread."
        |row| Cell::Int(row.grf_count.value);
    "eu_thread_count" Number "Threads" "per EU" true "Hardware threads of an execution unit; 0 where the file does not say."
        |row| Cell::Int(row.eu_thread_count.value);
    "spill_size" Number "Spill" "B/thread" true "Bytes of registers that spill, of a hardware thread. Before ze_info 1.39: the size of the scratch slot."
        |row| Cell::Int(row.spill_size.value);
    "spill_dwords_per_lane" Number "Spill" "dwords/lane" true "spill_size / (4 · simd_size)."
        |row| row.spill_dwords_per_lane().map_or(Cell::Empty, Cell::Number);
    "private_size" Number "Private" "B/thread" true "Bytes of private memory, of a hardware thread. Before ze_info 1.39: the size of the scratch slot."
        |row| Cell::Int(row.private_size.value);
    "slm_size" Number "SLM" "B" true "Bytes of shared local memory of a work-group."
        |row| Cell::Int(row.slm_size.value);
    "barrier_count" Number "Barriers" "" true "Barriers of a work-group."
        |row| Cell::Int(row.barrier_count.value);
    "argument_count" Number "Args" "" true "Arguments of the source: one more than the largest index."
        |row| count(row.argument_count);
    "required_sub_group_size" Number "Req. sub-group" "" false "The sub-group size that the source demands; 0: none."
        |row| Cell::Int(row.required_sub_group_size.value);
    "required_work_group_size" Ints "Req. work-group" "" false "The work-group size that the source demands; zeros: none."
        |row| Cell::Ints(row.required_work_group_size.value);
    "code_size" Number "Code" "B" true "Bytes of the kernel's code: the symbol's size, else the section's."
        |row| row.code_size.map_or(Cell::Empty, |size| count(size.value));
    "flags" Text "Flags" "" true "The properties that are true, in words."
        |row| Cell::Words(row.flags.iter().map(super::Flag::word).filter(|w| !w.is_empty()).collect());
    "hazards" Text "Hazards" "" false "What may make the kernel slow, or not run."
        |row| Cell::Words(row.hazards.iter().map(|hazard| &*hazard.text).collect());
    "demangled" Text "Demangled" "" false "The name as people write it."
        |row| Cell::Text(row.title());
    "inline_data_payload_size" Number "Inline data" "B" false "Bytes of the cross-thread payload that are passed in registers."
        |row| Cell::Int(row.inline_data_payload_size.value);
    "indirect_stateless_count" Number "Indirect" "" false "Accesses through pointers that were loaded from memory."
        |row| Cell::Int(row.indirect_stateless_count.value);
    "payload_size" Number "Payload" "B" false "Bytes of the cross-thread payload."
        |row| count(row.payload_size);
    "explicit_arguments" Number "Explicit" "" false "Arguments of the source that are passed."
        |row| count(row.explicit_arguments);
    "implicit_arguments" Number "Implicit" "" false "Entries of the payload that the source does not know."
        |row| count(row.implicit_arguments);
    "from_scratch_slots" Bool "From slots" "" false "Spill and private size are those of the scratch slots: ze_info is older than 1.39."
        |row| Cell::Bool(row.from_scratch_slots);
    flags:
        "has_dpas" "has_global_atomics" "has_stack_calls" "has_indirect_calls"
        "has_printf_calls" "has_sample" "has_rtcalls" "has_4gb_buffers" "has_no_stateless_write"
        "has_multi_scratch_spaces" "has_fence_for_image_access" "has_bindless_image_read"
        "has_device_enqueue" "has_lsc_stores_with_non_default_l1_cache_controls"
        "require_disable_eufusion" "require_assert_buffer" "require_sync_buffer" "require_iab"
        "generate_local_id" "disable_mid_thread_preemption"
        "subgroup_independent_forward_progress"
}

#[cfg(test)]
mod tests {
    use super::super::FLAGS;
    use super::*;

    #[test]
    fn each_flag_has_a_column_and_each_column_its_own_name() {
        for (key, _) in FLAGS {
            assert!(Column::named(key).is_some(), "{key}");
        }
        for column in COLUMNS {
            assert!(
                std::ptr::eq(Column::named(column.id).unwrap(), column),
                "{}",
                column.id
            );
        }
    }

    #[test]
    fn numbers_are_short() {
        assert_eq!(Cell::Number(104.0).text(), "104");
        assert_eq!(Cell::Number(0.5).text(), "0.5");
        assert_eq!(Cell::Number(1.0 / 3.0).text(), "0.33");
        assert_eq!(Cell::Number(0.0).text(), "0");
        assert_eq!(Cell::Number(0.125).text(), "0.12");
        assert_eq!(Cell::Number(-0.25).text(), "-0.25");
        assert_eq!(Cell::Number(7.05).text(), "7.05");
    }
}
