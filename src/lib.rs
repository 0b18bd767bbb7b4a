//! zeview shows the contents of Intel GPU binaries (zebin, SYCLBIN and the files that
//! contain them). Every value is linked to the bytes that it was read from.
//!
//! # The crates
//!
//! ```text
//!  bin/app          bin/worker, bin/zeview        (embedders in JavaScript)
//!     │                    │                         │
//!    ui                    │                        api
//!     └──────────┬─────────┴──────────┬──────────────┘
//!              worker                 │
//!                │  protocol, client  │ host               zeview
//! ───────────────┼────────────────────┼──────────────────────────
//!        report ─ tables ─ diff    decode ── isa
//!              (zeview-views)         │         zeview-decode, zeview-isa
//!                analysis             │         zeview-analysis
//! ───────────────┴────────────────────┴──────────────────────────
//!                    facts ── model                zeview-core
//! ```
//!
//! Each crate knows only those below it. The page is built with `--no-default-features --features ui`, without
//! [`decode`].
//!
//! * [`model`]: a decoded file: byte sources, spans, values, nodes whose children are created on
//!   demand, diagnostics; rendered as text and JSON. Others attach their data to a document as
//!   [`model::Extensions`], and formats return what they offer beyond rows as [`model::Interfaces`].
//! * [`analysis`]: answers that need more than one field. The facts that formats provide (kernels,
//!   images, modules, linkage, code, source lines, occupancy, the driver's verdict) are in
//!   `zeview-core`: plain data, and a trait where a format has to compute it. What is made from them
//!   (surveys, short names, profiles, costs, what was not read) is in `zeview-analysis`, as functions
//!   that know no format; [`diff`], [`tables`] and the page use both.
//! * [`decode`]: the formats. [`decode::decode`] takes any bytes and always returns a
//!   [`model::Document`]; problems become diagnostics that refer to the bytes. It also passes the list
//!   of all formats to the code that opens nested files, so no format imports it.
//! * [`decode::isa`]: instructions: encodings, text, messages, data flow. It knows no format.
//! * [`diff`]: compares two documents by meaning. It lies below the tables, because the differences
//!   are tables too.
//! * [`tables`]: rows and columns over all of these: filters, sorting, CSV, Markdown, JSON.
//! * [`report`]: files and comparisons as HTML, Markdown and JSON.
//! * [`worker`]: the page's side (`client`) and the decoder's side (`host`) of a small
//!   message protocol.
//! * `ui`: the page, written with Yew. It depends on the protocol and what is below it.
//! * [`api`]: the JavaScript class for embedding the decoder without the page.
//!
//! In the browser the page and the decoder are two wasm modules: `app`, and `worker` with every
//! format and the class. The same code runs natively.
//!
//! # Invariants
//!
//! 1. Decoding cannot fail as a whole, and never panics.
//! 2. Every byte of a file belongs to a leaf, to padding, or to a visible gap;
//!    every value has its exact byte range, or is marked as derived.
//! 3. Everything is read and built on demand: a node's [`model::Expand`] creates its
//!    children when the page, the dump or a test opens the node. Checking is the
//!    exception: every table is streamed once, so that the diagnostics do not depend on
//!    which nodes are open.
//! 4. One declaration per record: the macros of [`decode`] generate the reader, the rows
//!    of the tree and their documentation from the same list of fields.
//!
//! # Promises
//!
//! These hold for any input; [`decode::limits`] has the numbers. Anything that a limit leaves out is
//! reported by a `limits/…` diagnostic or by a row of its own, with the bytes.
//!
//! | Promise | Test |
//! |---|---|
//! | Decoding does not panic and does not overflow the stack: trees have a limited depth | `tests/native/invariants.rs`, `fuzz/` |
//! | Work grows with the size of the file: the children of a node are made a page at a time, and a page costs its own rows | `work_grows_with_the_file` in `tests/growing` |
//! | Memory is at most 10 times the file, or about 64 MB, 6 KB for each file of a package and each nested document, and 1.5 KB for each kernel of a list; except for `diff`, which holds two files and all differences | `memory_is_bounded` and `work_grows_with_the_package` in `tests/growing`, `tests/corpus/hostile.rs` |
//! | Output is at most 200 times the file, or 16 MB: beyond it, `dump` and `ls` report where they stop, and fail | `output_is_bounded` in `tests/growing`, `a_dump_that_is_too_long_says_so` in `tests/native/hostile.rs` |
//! | The same file gives the same output, in the same order, natively and in wasm | `commands_on_files_that_broke_a_promise` in `tests/native/hostile.rs`, `tests/wasm_golden.rs` |
//! | Every byte belongs to a leaf, to padding or to a visible gap | `tests/native/invariants.rs` |
#![cfg_attr(docsrs, feature(doc_cfg))]
#![recursion_limit = "512"]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub use zeview_analysis as analysis;
pub use zeview_core::model;
#[cfg(feature = "decode")]
pub use zeview_decode as decode;
pub use zeview_views::{diff, kernel_names, report, sizes, step, tables};

pub mod worker;

#[cfg(feature = "decode")]
pub mod api;

#[cfg(feature = "ui")]
pub mod ui;
