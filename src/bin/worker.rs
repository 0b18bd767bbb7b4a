//! The decoder in the browser: everything is in [`zeview::worker::host`].

fn main() {
    zeview::worker::host::start();
}
