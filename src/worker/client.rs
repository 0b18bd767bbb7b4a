//! The page's side of the protocol.
