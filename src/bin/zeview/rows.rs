//! Rows of output: JSON objects, and the rows of lists in any form, within a budget.

use std::io::{self, BufWriter, Write};
use std::rc::Rc;

use serde::Serialize;
use zeview::model::Sources;
use zeview::model::account::Account;
use zeview::model::json::{ArrayFrame, Versioned};
use zeview::tables::table::ColumnHeader;
use zeview::tables::write::Form;
use zeview::tables::writer::Writer;
use zeview::tables::{Column, List, ListId};

use crate::output::{self, Text, Visible, fit, print_table, report_left_out};
use crate::style;

/// Writer of JSON objects to standard output: a single one, or an array.
pub struct Objects {
    out: Text,
    /// `None` for a single object.
    array: Option<ArrayFrame>,
}

impl Objects {
    /// Starts an array, limited by `account`.
    pub fn array(account: &Rc<Account>) -> Objects {
        Objects {
            out: output::json_within(account),
            array: Some(ArrayFrame::default()),
        }
    }

    /// Starts the output of a single object, limited by `account`.
    pub fn single(account: &Rc<Account>) -> Objects {
        Objects {
            array: None,
            ..Objects::array(account)
        }
    }

    /// Writes an object, with the version of its keys.
    pub fn push(&mut self, object: impl Serialize) -> io::Result<()> {
        self.write(|out| Ok(serde_json::to_writer(out, &Versioned::new(object))?))
    }

    /// Writes an object by a function.
    pub fn write<R>(&mut self, write: impl FnOnce(&mut Text) -> io::Result<R>) -> io::Result<R> {
        if let Some(array) = &mut self.array {
            self.out.write_all(array.before().as_bytes())?;
        }
        write(&mut self.out)
    }

    /// Writes the end.
    pub fn finish(mut self) -> io::Result<()> {
        let end = self.array.map_or("\n", ArrayFrame::end);
        self.out.write_all(end.as_bytes())?;
        self.out.flush()
    }
}

/// Prints one JSON object.
pub fn print_object(object: impl Serialize) -> io::Result<()> {
    let mut objects = Objects::single(&output::unlimited());
    objects.push(object)?;
    objects.finish()
}

/// Prints a JSON array.
pub fn print_objects(objects: impl IntoIterator<Item: Serialize>) -> io::Result<()> {
    let mut array = Objects::array(&output::unlimited());
    for object in objects {
        array.push(object)?;
    }
    array.finish()
}

/// Number of rows that are aligned with each other in blocks; real files have fewer.
const BLOCK_ROWS: usize = 1 << 16;

/// Maximum size of a block of aligned rows in bytes, as names may be long.
const BLOCK_BYTES: usize = 4 << 20;

/// Prints the rows of lists that have the same columns.
pub struct ListRows {
    writer: Writer,
    form: Form,
    account: Rc<Account>,
    out: BufWriter<Box<dyn Write>>,
    /// Number of rows that wait to be aligned.
    waiting: usize,
    /// Whether rows are aligned in blocks, so that memory stays bounded.
    has_blocks: bool,
    is_first_block: bool,
    hidden_columns: Vec<String>,
}

impl ListRows {
    /// Starts the output, limited by `account`. The first column is the file if `with_file` is set.
    pub fn new(
        list: ListId,
        columns: &[&'static Column],
        form: Form,
        with_file: bool,
        account: &Rc<Account>,
    ) -> ListRows {
        ListRows {
            writer: Writer::new(list, columns, form, with_file),
            form,
            account: Rc::clone(account),
            out: BufWriter::with_capacity(1 << 16, output::of(form)),
            waiting: 0,
            has_blocks: false,
            is_first_block: true,
            hidden_columns: Vec::new(),
        }
    }

    /// Changes how cells are written.
    pub fn with_writer(self, change: impl FnOnce(Writer) -> Writer) -> ListRows {
        ListRows {
            writer: change(self.writer),
            ..self
        }
    }

    /// Aligns rows in blocks.
    pub fn in_blocks(self) -> ListRows {
        ListRows {
            has_blocks: true,
            ..self
        }
    }

    /// Prints a row, or returns `false` if it exceeds the budget. A table waits until it is aligned.
    pub fn push(
        &mut self,
        list: &dyn List,
        row: u32,
        sources: &Sources,
        file: &str,
    ) -> io::Result<bool> {
        if self.account.is_overdrawn() {
            return Ok(false);
        }
        let before = self.writer.size();
        self.writer.push(list, row, sources, Some(file));
        let written = self.writer.take();
        let waiting = self.writer.size().saturating_sub(before);
        // A table writes its rows later, but they take memory now.
        self.account.take((written.len() + waiting) as u64);
        self.out.write_all(written.as_bytes())?;
        self.waiting += 1;
        if self.has_blocks && (self.waiting >= BLOCK_ROWS || self.writer.size() >= BLOCK_BYTES) {
            self.align()?;
        }
        Ok(true)
    }

    /// Prints the waiting rows of a table.
    fn align(&mut self) -> io::Result<()> {
        if self.form != Form::Plain || self.waiting == 0 {
            return Ok(());
        }
        self.waiting = 0;
        let mut table = self.writer.table();
        self.hidden_columns = fit(&mut table);
        if !std::mem::take(&mut self.is_first_block) {
            table.heads.iter_mut().for_each(ColumnHeader::clear);
        }
        let mut out = Visible::new(&mut self.out, output::colors());
        print_table(&table, &mut out, |_| style::PLAIN)
    }

    /// Prints the end. A table without rows prints nothing.
    pub fn finish(mut self) -> io::Result<()> {
        self.align()?;
        if self.form != Form::Plain {
            self.out.write_all(self.writer.finish().as_bytes())?;
        }
        self.out.flush()?;
        report_left_out(&self.hidden_columns);
        Ok(())
    }
}
