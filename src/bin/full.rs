//! The decoder for the browser with every format in it. The page starts it for files that the
//! smaller one of `worker.rs`, which reads zebins, does not read
//! ([`zeview::decode::formats::reads`]).

fn main() {
    zeview::worker::host::start();
}
