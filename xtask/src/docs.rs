//! The documentation site: `docs/`, built by mdBook into the folder `docs` of the release.
//!
//! Its pages show samples of the release through relative addresses, so it is built after the page
//! and placed beside it. The service worker does not cache it, because its list of files is written
//! when the page is built.

use crate::dist;
use crate::glossary;
use crate::links;
use crate::project::Project;
use crate::repository;
use crate::setup::{self, Need, Tools};
use crate::shell::{self, Outcome, say};
use std::path::Path;
use std::process::Command;

pub const NEEDS: &[Need] = &[Need::Mdbook, Need::Node];

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
    fill(&site, repository::name(project).as_deref())?;
    let words = glossary::link(&site)?;
    let count = links::check(&release, &site)?;
    search(project, &site)?;
    say(format!(
        "the documentation is in {}; {words} words linked to the glossary, {count} links checked",
        site.display()
    ));
    Ok(())
}

/// Writes the name of the repository into all pages.
fn fill(site: &Path, name: Option<&str>) -> Outcome {
    for file in dist::files(site)? {
        if file
            .extension()
            .is_some_and(|extension| extension == "html")
        {
            let path = site.join(file);
            let html = String::from_utf8_lossy(&dist::read(&path)?).into_owned();
            let filled = repository::filled(&html, name);
            if filled != html {
                dist::write(&path, filled.as_bytes())?;
            }
        }
    }
    Ok(())
}

/// Asks the search of the site the questions of newcomers: each must find its page first.
fn search(project: &Project, site: &Path) -> Outcome {
    let mut node = Command::new("node");
    node.arg(project.root.join("docs/search.mjs")).arg(site);
    shell::run(&mut node)
}
