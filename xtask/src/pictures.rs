//! The pictures of README, taken from the release folder as it is.

use crate::checks;
use crate::dist;
use crate::project::Project;
use crate::setup::{self, Need};
use crate::shell::{self, Outcome};

/// `cargo xtask pictures`
pub fn take(project: &Project) -> Outcome {
    let tools = setup::meet(project, &[Need::Node, Need::Browser, Need::Journeys])?;
    dist::expect(project)?;
    let mut node = checks::node(project, &tools)?;
    node.arg(project.root.join("tests/browser/pictures.mjs"));
    shell::run(&mut node)
}
