//! The decoder for the browser: in a worker it starts to listen ([`zeview::worker::host`]), in
//! a page it only offers its exports ([`zeview::api`]).

fn main() {
    zeview::worker::host::start();
}
