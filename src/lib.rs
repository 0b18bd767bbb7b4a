//! zeview shows what is inside Intel GPU binaries (zebin, SYCLBIN and the files around
//! them), with every value tied to the bytes that it was read from.
//!
//! # The layers
//!
//! ```text
//!  bin/app        bin/worker       bin/zeview     (embedders in JavaScript)
//!     │               │               │                 │
//!    ui ─ worker::  worker::host      │                api
//!     │   client /    │               │                 │
//!     │   protocol    └───── decode ──┴─────────────────┘
//!     │                        │        bytes → model; no wasm, no browser
//!     └──────── model ─────────┘        spans, values, nodes, diagnostics: plain data
//! ```
//!
//! Arrows point down only. The features of the package keep it so: the page is built
//! with `--no-default-features --features ui`, where [`decode`] does not exist.
//!
//! * [`model`]: what a decoded file is: sources of bytes, spans, values, nodes whose
//!   children are made when somebody asks, diagnostics; and its renderings as text and
//!   JSON. It knows no format.
//! * [`decode`]: the formats. [`decode::decode`] takes any bytes and always returns a
//!   [`model::Document`]; trouble becomes diagnostics that name the bytes.
//! * [`worker`]: the page's side (`client`) and the decoder's side (`host`) of one small
//!   message protocol.
//! * [`ui`]: the page, written with Yew. It knows the model and the protocol.
//! * [`api`]: the JavaScript class for those who embed the decoder without the page.
//!
//! In the browser the page and the decoder are two wasm modules: `app`, and `worker` with every
//! format and the class. The same code runs natively.
//!
//! # What holds everywhere
//!
//! 1. Decoding cannot fail as a whole, and never panics.
//! 2. Every byte of a file belongs to a leaf, to padding, or to a gap that is shown;
//!    every value has its exact byte range, or is marked as derived.
//! 3. Nothing is read or built that nobody asked to see: a node's children are made by
//!    its [`model::Expand`] when the page, the dump or a test opens it. Checking is the
//!    exception: every table is walked once, in a stream, so that the diagnostics do not
//!    depend on what has been opened.
//! 4. One declaration per record: the macros of [`decode`] make the reader, the rows of
//!    the tree and their documentation from the same list of fields.
#![cfg_attr(docsrs, feature(doc_cfg))]
#![recursion_limit = "512"]

pub mod model;

#[cfg(feature = "decode")]
pub mod decode;

pub mod worker;

#[cfg(feature = "decode")]
pub mod api;

#[cfg(feature = "ui")]
pub mod ui;
