//! Browser APIs: elements, listeners, storage, network.

pub mod dom;
pub mod fetch;
pub mod folder;
pub mod keys;
pub mod listener;
pub mod storage;
pub mod style;
pub mod theme;
