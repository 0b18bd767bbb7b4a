//! A future that somebody else completes.

use std::cell::RefCell;
use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::task::{Context, Poll, Waker};

struct Slot<T> {
    value: Option<T>,
    waker: Option<Waker>,
}

/// Completes its [`Reply`].
pub(super) struct Sender<T>(Rc<RefCell<Slot<T>>>);

/// What was sent, once it is there. A reply whose sender is gone stays open for ever.
pub(super) struct Reply<T>(Rc<RefCell<Slot<T>>>);

/// A reply and the one who gives it.
pub(super) fn pair<T>() -> (Sender<T>, Reply<T>) {
    let slot = Rc::new(RefCell::new(Slot {
        value: None,
        waker: None,
    }));
    (Sender(Rc::clone(&slot)), Reply(slot))
}

impl<T> Sender<T> {
    pub(super) fn send(self, value: T) {
        let waker = {
            let mut slot = self.0.borrow_mut();
            slot.value = Some(value);
            slot.waker.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
    }
}

impl<T> Future for Reply<T> {
    type Output = T;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<T> {
        let mut slot = self.0.borrow_mut();
        match slot.value.take() {
            Some(value) => Poll::Ready(value),
            None => {
                slot.waker = Some(cx.waker().clone());
                Poll::Pending
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_sent_arrives() {
        let mut cx = Context::from_waker(Waker::noop());
        let (sender, mut reply) = pair();
        assert!(Pin::new(&mut reply).poll(&mut cx).is_pending());
        sender.send(7);
        assert_eq!(Pin::new(&mut reply).poll(&mut cx), Poll::Ready(7));
    }
}
