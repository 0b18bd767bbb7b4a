//! The address of the repository that the sources are from, and texts that name it.
//!
//! The sources do not know it: they are the same in a fork. In a workflow on GitHub it is in the environment; elsewhere it is
//! that of the remote repository `origin`. Texts have `OWNER/zeview` in its place, and links to it begin with
//! `https://github.com/OWNER/zeview`.

use crate::project::Project;
use crate::shell;
use std::env;
use std::process::Command;

/// What stands for the name of the repository in the sources.
pub const PLACEHOLDER: &str = "OWNER/zeview";
const LINK: &str = "<a href=\"https://github.com/OWNER/zeview";

/// Returns the name of the repository on GitHub, `owner/name`, if it is known.
pub fn name(project: &Project) -> Option<String> {
    if let Ok(name) = env::var("GITHUB_REPOSITORY") {
        return is_name(&name).then_some(name);
    }
    let mut git = Command::new("git");
    git.args(["remote", "get-url", "origin"])
        .current_dir(&project.root);
    from_remote(shell::output(&mut git)?.trim())
}

/// Returns the name in the address of a remote repository: `https://github.com/a/b.git`, `git@github.com:a/b.git`.
fn from_remote(address: &str) -> Option<String> {
    let (_, path) = address.split_once("github.com")?;
    let path = path.trim_start_matches(['/', ':']).trim_end_matches('/');
    let name = path.strip_suffix(".git").unwrap_or(path);
    is_name(name).then(|| name.to_owned())
}

fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        !part.is_empty()
            && part
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_.".contains(c))
    };
    text.split_once('/')
        .is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

/// Returns a page of HTML with the name of the repository. Where it is not known, links to it become their text: no
/// reader meets a link that leads nowhere.
pub fn filled(html: &str, name: Option<&str>) -> String {
    if let Some(name) = name {
        let owner = name.split('/').next().unwrap_or(name);
        return html
            .replace(PLACEHOLDER, name)
            .replace("<code>OWNER</code>", &format!("<code>{owner}</code>"));
    }
    let mut parts = html.split(LINK);
    let mut out = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let text = part.split_once('>').map_or(part, |(_, text)| text);
        let (text, rest) = text.split_once("</a>").unwrap_or((text, ""));
        out.push_str(text);
        out.push_str(rest);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{filled, from_remote};

    #[test]
    fn names_are_read_from_addresses() {
        for address in [
            "https://github.com/a-b/c.d",
            "git@github.com:a-b/c.d.git",
            "ssh://git@github.com/a-b/c.d/",
        ] {
            assert_eq!(
                from_remote(address).as_deref(),
                Some("a-b/c.d"),
                "{address}"
            );
        }
        for address in [
            "/srv/zeview",
            "https://gitlab.com/a/b",
            "https://github.com/a",
            "https://github.com/a/b/c",
        ] {
            assert_eq!(from_remote(address), None, "{address}");
        }
    }

    #[test]
    fn links_lead_somewhere_or_are_text() {
        let html = "uses: OWNER/zeview@1 <a href=\"https://github.com/OWNER/zeview/tree/main/x\">x</a>, <code>OWNER</code>.";
        let known =
            "uses: a/b@1 <a href=\"https://github.com/a/b/tree/main/x\">x</a>, <code>a</code>.";
        assert_eq!(filled(html, Some("a/b")), known);
        assert_eq!(
            filled(html, None),
            "uses: OWNER/zeview@1 x, <code>OWNER</code>."
        );
    }
}
