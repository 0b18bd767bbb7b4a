//! The decoder's side of the protocol.

/// Starts to listen.
pub fn start() {}
