//! Bodies of HTTP responses.

use std::cell::Cell;
use std::fs::File;
use std::io::{self, Read};
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Bytes, Frame, SizeHint};
use tokio::time::{Interval, interval};

/// Interval of the messages that detect closed tabs.
const BEAT: Duration = Duration::from_secs(1);

/// Number of bytes of a file read at once.
const PIECE: u64 = 1 << 18;

/// Number of open tabs, and when the last one was closed.
#[derive(Default)]
pub struct Tabs {
    open: Cell<usize>,
    closed: Cell<Option<Instant>>,
}

impl Tabs {
    /// Returns whether all tabs have been closed for this time. `false` before the first tab.
    pub fn closed_for(&self, time: Duration) -> bool {
        let closed = self.closed.get().filter(|_| self.open.get() == 0);
        closed.is_some_and(|closed| closed.elapsed() >= time)
    }
}

/// Body of a response.
pub enum Body {
    /// Bytes in memory.
    Bytes(Bytes),
    /// A file and the number of bytes left to send.
    File(File, u64),
    /// A comment that is sent repeatedly and ignored by the page, for as long as the tab is open.
    Alive(Tab),
}

/// An open tab, counted until it is dropped.
pub struct Tab {
    tabs: Rc<Tabs>,
    beat: Interval,
}

impl Drop for Tab {
    fn drop(&mut self) {
        self.tabs.open.set(self.tabs.open.get().saturating_sub(1));
        self.tabs.closed.set(Some(Instant::now()));
    }
}

impl From<Vec<u8>> for Body {
    fn from(bytes: Vec<u8>) -> Body {
        Body::Bytes(bytes.into())
    }
}

impl Body {
    /// Returns the contents of a file, read piece by piece.
    ///
    /// # Errors
    ///
    /// Fails if the size of the file cannot be determined.
    pub fn file(file: File) -> io::Result<Body> {
        let size = file.metadata()?.len();
        Ok(Body::File(file, size))
    }

    /// Returns a body that stays open as long as the tab.
    pub fn keep_alive(tabs: &Rc<Tabs>) -> Body {
        tabs.open.set(tabs.open.get() + 1);
        Body::Alive(Tab {
            tabs: Rc::clone(tabs),
            beat: interval(BEAT),
        })
    }
}

impl hyper::body::Body for Body {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = match self.get_mut() {
            Body::Bytes(bytes) if bytes.is_empty() => return Poll::Ready(None),
            Body::Bytes(bytes) => Ok(std::mem::take(bytes)),
            Body::File(_, 0) => return Poll::Ready(None),
            Body::File(file, left) => read(file, left).map(Bytes::from),
            Body::Alive(tab) => match tab.beat.poll_tick(cx) {
                Poll::Ready(_) => Ok(Bytes::from_static(b":\n\n")),
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(Some(piece.map(Frame::data)))
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Body::Bytes(bytes) => SizeHint::with_exact(bytes.len() as u64),
            Body::File(_, left) => SizeHint::with_exact(*left),
            Body::Alive(_) => SizeHint::default(),
        }
    }
}

/// Reads the next piece of a file. A file that has become shorter is an error, as its size was
/// already sent.
fn read(file: &mut File, left: &mut u64) -> io::Result<Vec<u8>> {
    let mut piece = Vec::new();
    file.take(PIECE.min(*left)).read_to_end(&mut piece)?;
    *left = left.saturating_sub(piece.len() as u64);
    if piece.is_empty() {
        Err(io::ErrorKind::UnexpectedEof.into())
    } else {
        Ok(piece)
    }
}
