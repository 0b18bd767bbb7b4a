//! The decoder for the browser. In a worker it listens for requests ([`zeview::worker::host`]); in
//! a page it only provides its exports ([`zeview::api`]).

fn main() {
    zeview::worker::host::start();
}
