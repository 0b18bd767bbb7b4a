//! The page: everything is in [`zeview::ui`].

fn main() {
    zeview::ui::start();
}
