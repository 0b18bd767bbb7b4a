//! The documentation site: `docs/`, built by mdBook into the folder `docs` of the release.
//!
//! Its pages show samples of the release through relative addresses, so it is built after the page
//! and placed beside it. The service worker does not cache it, because its list of files is written
//! when the page is built.

use crate::dist;
use crate::links;
use crate::project::Project;
use crate::setup::{self, Need, Tools};
use crate::shell::{self, Outcome, say};
use std::process::Command;

pub const NEEDS: &[Need] = &[Need::Mdbook];

/// `cargo xtask docs`
pub fn run(project: &Project) -> Outcome {
    let tools = setup::meet(project, NEEDS)?;
    build(project, &tools)
}

/// Builds the site into the release folder and checks its links.
pub fn build(project: &Project, tools: &Tools) -> Outcome {
    dist::expect(project)?;
    let release = dist::folder(project);
    let site = release.join("docs");
    let mut mdbook = Command::new("mdbook");
    tools.on_path(&mut mdbook)?;
    mdbook.args(["build", "--dest-dir"]).arg(&site);
    shell::run(mdbook.arg("docs").current_dir(&project.root))?;
    let count = links::check(&release, &site)?;
    say(format!(
        "the documentation is in {}; {count} links checked",
        site.display()
    ));
    Ok(())
}
