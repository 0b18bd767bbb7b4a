//! Budgets for the memory, work and output that a file may cost, in bytes.
//!
//! Parts of a file can refer to each other in ways that multiply: a thousand structs that share one
//! table of a thousand entries describe a million entries. Each place where that can happen draws
//! from an [`Account`], which is opened from the size of the file, and reports what it leaves out.

use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use std::io::{self, Write};
use std::rc::Rc;

use super::span::Span;

/// A budget in bytes.
#[derive(Debug, Default)]
pub struct Account {
    left: Cell<u64>,
    /// Whether a withdrawal was refused.
    is_overdrawn: Cell<bool>,
}

impl Account {
    /// An account with a balance of `bytes`.
    pub fn new(bytes: u64) -> Account {
        Account {
            left: Cell::new(bytes),
            is_overdrawn: Cell::new(false),
        }
    }

    /// An account with `times` bytes for each byte of a file of `size` bytes, and `more` bytes for
    /// small files.
    pub fn for_file(size: u64, times: u64, more: u64) -> Account {
        Account::new(size.saturating_mul(times).saturating_add(more))
    }

    /// Opens the account anew, with a balance of `bytes`.
    pub fn reset(&self, bytes: u64) {
        self.left.set(bytes);
        self.is_overdrawn.set(false);
    }

    /// Withdraws `bytes`. Returns `false` if the balance is too low; then all later withdrawals are
    /// refused too, so that everything after the first refusal is left out.
    pub fn take(&self, bytes: u64) -> bool {
        match self.left.get().checked_sub(bytes) {
            Some(left) if !self.is_overdrawn.get() => {
                self.left.set(left);
                true
            }
            _ => {
                self.is_overdrawn.set(true);
                false
            }
        }
    }

    /// Returns the balance in bytes.
    pub fn left(&self) -> u64 {
        if self.is_overdrawn.get() {
            0
        } else {
            self.left.get()
        }
    }

    /// Returns whether a withdrawal was refused.
    pub fn is_overdrawn(&self) -> bool {
        self.is_overdrawn.get()
    }
}

/// A writer that charges its output to an account. It never truncates a write: callers check the
/// account between two items, so that none is cut in the middle.
#[derive(Debug)]
pub struct MeteredWriter<W> {
    out: W,
    account: Rc<Account>,
}

impl<W: Write> MeteredWriter<W> {
    /// Wraps `out`.
    pub fn new(out: W, account: Rc<Account>) -> MeteredWriter<W> {
        MeteredWriter { out, account }
    }

    /// Returns the wrapped writer.
    pub fn get_ref(&self) -> &W {
        &self.out
    }
}

impl<W: Write> Write for MeteredWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let written = self.out.write(bytes)?;
        self.account.take(written as u64);
        Ok(written)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

/// Memory for descriptions of device images, per byte of the file; real libraries take less than 1.
const MEMORY: u64 = 2;
/// Memory for descriptions that is always available.
const MEMORY_MORE: u64 = 6 << 20;

/// Bytes decompressed or searched per byte of the file, beyond reading it: device code shrinks to a
/// fifth, rarely to a twentieth.
const WORK: u64 = 48;
/// Bytes that may always be decompressed or searched.
const WORK_MORE: u64 = 64 << 20;

/// The accounts of an opened file. All documents in the file share them.
#[derive(Debug)]
pub struct Costs {
    /// Memory for data that several records of the file can refer to: descriptions of device
    /// images.
    pub memory: Account,
    /// Bytes that are decompressed without being kept, or searched more than once.
    pub work: Account,
    /// The spans whose work is already paid.
    worked: RefCell<HashSet<Span>>,
    /// The memory paid so far, by the span and index of a record.
    paid: RefCell<HashMap<(Span, usize), u64>>,
}

impl Costs {
    /// The accounts of a file of `size` bytes.
    pub fn new(size: u64) -> Costs {
        Costs {
            memory: Account::for_file(size, MEMORY, MEMORY_MORE),
            work: Account::for_file(size, WORK, WORK_MORE),
            worked: RefCell::default(),
            paid: RefCell::default(),
        }
    }

    /// Withdraws work of `bytes` for the bytes of `span`, unless it is already paid. Returns
    /// `false` if the balance is too low.
    pub fn work_on(&self, span: Span, bytes: u64) -> bool {
        let is_paid = self.worked.borrow().contains(&span);
        let may = is_paid || self.work.take(bytes);
        if may && !is_paid {
            self.worked.borrow_mut().insert(span);
        }
        may
    }

    /// Calls `read` for a record that may be read any number of times, with an account of the
    /// memory that it may take: what it took before, plus the balance. So a record pays once, and
    /// later reads give the same result.
    pub fn read<T>(&self, record: (Span, usize), read: impl FnOnce(&Account) -> T) -> T {
        let paid = self.paid.borrow().get(&record).copied().unwrap_or(0);
        let most = paid.saturating_add(self.memory.left());
        let share = Account::new(most);
        let result = read(&share);
        let taken = most.saturating_sub(share.left.get());
        if taken > paid {
            self.memory.take(taken.saturating_sub(paid));
            self.paid.borrow_mut().insert(record, taken);
        }
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::span::SourceId;

    #[test]
    fn an_overdrawn_account_refuses_everything() {
        let account = Account::for_file(10, 2, 5);
        assert!(account.take(20) && !account.is_overdrawn());
        assert!(!account.take(6) && account.is_overdrawn());
        assert!(!account.take(1));
        assert_eq!(account.left(), 0);
    }

    #[test]
    fn a_record_pays_once() {
        let costs = Costs {
            memory: Account::new(100),
            ..Costs::new(0)
        };
        let span = Span::new(SourceId::FILE, 0, 1);
        let read = |record, bytes| costs.read((span, record), |share| share.take(bytes));
        assert!(read(0, 60) && read(0, 60) && read(0, 10));
        assert_eq!(costs.memory.left(), 40);
        assert!(!read(1, 50));
        assert!(read(1, 30) && read(0, 60));
        assert!(!read(0, 75) && read(0, 70));
    }
}
