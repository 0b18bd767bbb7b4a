//! What can be done, by name: panels, commands, and checks of devices. The search field lists it behind
//! `>`.

use crate::ui::panels;
use crate::ui::state::commands::{Command, Pane};
use crate::ui::state::{Level, PanelId, View};
use crate::worker::protocol::Aspect;

/// Maximum number of entries that are listed.
const SHOWN: usize = 100;

/// Commands that are not buttons of one panel.
const COMMANDS: &[(&str, Command)] = &[
    ("Open file", Command::Open),
    ("Open folder", Command::OpenFolder),
    ("Open from URL", Command::OpenLink),
    ("Go to an offset, a name, or section+offset", Command::GoTo),
    ("Copy a link to the selection", Command::CopyLink),
    ("Copy the path of the selection", Command::CopyPath),
    ("Save report", Command::SaveReport),
    ("Bookmark the selection", Command::Bookmark),
    ("Compare with a file", Command::ChooseBase),
    ("Show the structure", Command::TogglePane(Pane::Structure)),
    ("Show the bytes", Command::TogglePane(Pane::Bytes)),
    ("Show the inspector", Command::TogglePane(Pane::Inspector)),
    ("Show only the panel", Command::OnlyPanel),
    ("Theme: system, light, dark", Command::NextTheme),
    ("Help and keys", Command::Help),
    ("All rules", Command::Rules),
    ("Start page", Command::Home),
];

/// Returns what can be done whose name has all these words, in any letter case.
pub(super) fn offered(view: &View, typed: &str) -> Vec<(String, Command)> {
    let typed = typed.to_ascii_lowercase();
    let words: Vec<&str> = typed.split_whitespace().collect();
    let panels = Level::ALL.into_iter().flat_map(|level| {
        let panels = panels::shown(view, level);
        panels.map(move |panel| {
            let name = format!("{}: {}", level.title(), panel.name);
            (name, Command::Panel(panel.id))
        })
    });
    let aspects = Aspect::ALL
        .into_iter()
        .filter(|_| view.panel == PanelId::ASSEMBLY);
    let aspects =
        aspects.map(|aspect| (format!("Code: {}", aspect.title()), Command::Aspect(aspect)));
    let commands = COMMANDS.iter();
    let commands = commands.map(|(name, command)| ((*name).to_owned(), command.clone()));
    // More than a hundred: not without a word.
    let devices = view.opened.devices.iter().filter(|_| !words.is_empty());
    let devices = devices.map(|name| {
        (
            format!("Check a GPU: {name}"),
            Command::CheckDevice(name.to_string()),
        )
    });
    let all = panels.chain(aspects).chain(commands).chain(devices);
    let has_all = |name: &str| {
        let name = name.to_ascii_lowercase();
        words.iter().all(|word| name.contains(word))
    };
    let mut found: Vec<_> = all.filter(|(name, _)| has_all(name)).take(SHOWN).collect();
    // Devices are known by more names than these: `B580`, `Lunar Lake`.
    if found.is_empty() && !words.is_empty() && !view.opened.devices.is_empty() {
        let name = words.join(" ");
        found.push((format!("Check a GPU: {name}"), Command::CheckDevice(name)));
    }
    found
}
