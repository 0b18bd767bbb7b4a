//! Panes beside each panel.

use super::{Level, PanelId};
use crate::ui::state::commands::Pane;

/// Visibility of the panes beside a panel.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Panes {
    /// The tree.
    pub structure: bool,
    /// The bytes.
    pub bytes: bool,
    /// The inspector.
    pub inspector: bool,
}

/// Every pane with its letter in the stored form.
const LETTERS: [(Pane, char); 3] = [
    (Pane::Structure, 's'),
    (Pane::Bytes, 'b'),
    (Pane::Inspector, 'i'),
];

impl Panes {
    const NONE: Panes = Panes {
        structure: false,
        bytes: false,
        inspector: false,
    };

    const ALL: Panes = Panes {
        structure: true,
        bytes: true,
        inspector: true,
    };

    /// The default panes: those of the file beside what is about it, the inspector beside a kernel,
    /// and none beside what is about all kernels.
    fn usual(panel: Option<PanelId>) -> Panes {
        let Some(panel) = panel else {
            return Panes::ALL;
        };
        match (panel.level(), panel) {
            (Level::Library, _) | (Level::Kernel, PanelId::Step) => Panes::NONE,
            (Level::Kernel, _) => Panes {
                inspector: true,
                ..Panes::NONE
            },
            (Level::File, PanelId::List(list)) => {
                let tab = list.declaration().tab.as_ref();
                // Lines need the width, too.
                let has_bytes = tab.is_none_or(|tab| tab.has_bytes);
                Panes {
                    structure: has_bytes,
                    bytes: has_bytes,
                    inspector: true,
                }
            }
            (Level::File, _) => Panes::ALL,
        }
    }

    /// Whether a pane is visible.
    pub fn has(self, pane: Pane) -> bool {
        match pane {
            Pane::Structure => self.structure,
            Pane::Bytes => self.bytes,
            Pane::Inspector => self.inspector,
        }
    }

    fn set(&mut self, pane: Pane, is_shown: bool) {
        match pane {
            Pane::Structure => self.structure = is_shown,
            Pane::Bytes => self.bytes = is_shown,
            Pane::Inspector => self.inspector = is_shown,
        }
    }

    fn letters(self) -> String {
        let shown = LETTERS.iter().filter(|(pane, _)| self.has(*pane));
        let letters: String = shown.map(|(_, letter)| letter).collect();
        if letters.is_empty() {
            "-".to_owned()
        } else {
            letters
        }
    }

    fn of_letters(letters: &str) -> Panes {
        let mut panes = Panes::NONE;
        for (pane, letter) in LETTERS {
            panes.set(pane, letters.contains(letter));
        }
        panes
    }

    /// Parses pane names as embedding pages write them: `structure bytes`, `none`. Returns `None`
    /// for unknown names.
    pub fn named(text: &str) -> Option<Panes> {
        let mut panes = Panes::NONE;
        for word in text.split([' ', ',']).filter(|word| !word.is_empty()) {
            match word {
                "structure" => panes.structure = true,
                "bytes" => panes.bytes = true,
                "inspector" => panes.inspector = true,
                "none" => {}
                _ => return None,
            }
        }
        Some(panes)
    }
}

/// Number of pane sets: one per panel, and one for two files side by side.
const SETS: usize = PanelId::COUNT + 1;

/// The panes of each panel, and of two files side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PaneSets {
    sets: [Panes; SETS],
    /// The panel is maximized: all panes are hidden.
    is_alone: bool,
}

/// Stored name of the set for two files side by side.
const SIDES: &str = "sides";

fn index(panel: Option<PanelId>) -> usize {
    panel.map_or(PanelId::COUNT, PanelId::number)
}

impl Default for PaneSets {
    fn default() -> PaneSets {
        let mut sets = [Panes::usual(None); SETS];
        for panel in PanelId::all() {
            sets[index(Some(panel))] = Panes::usual(Some(panel));
        }
        PaneSets {
            sets,
            is_alone: false,
        }
    }
}

impl PaneSets {
    /// The same panes for every panel.
    pub fn all(panes: Panes) -> PaneSets {
        PaneSets {
            sets: [panes; SETS],
            is_alone: false,
        }
    }

    /// The panes beside a panel; `None` means two files side by side.
    pub fn of(&self, panel: Option<PanelId>) -> Panes {
        if self.is_alone {
            Panes::NONE
        } else {
            self.sets[index(panel)]
        }
    }

    /// Shows or hides a pane.
    pub fn set(&mut self, panel: Option<PanelId>, pane: Pane, is_shown: bool) {
        let mut panes = self.of(panel);
        panes.set(pane, is_shown);
        self.is_alone = false;
        self.sets[index(panel)] = panes;
    }

    /// Maximizes the panel, or restores the panes.
    pub fn toggle_alone(&mut self, panel: Option<PanelId>) {
        let is_alone = self.of(panel) == Panes::NONE;
        if is_alone && self.sets[index(panel)] == Panes::NONE {
            let usual = Panes::usual(panel);
            self.sets[index(panel)] = if usual == Panes::NONE {
                Panes::ALL
            } else {
                usual
            };
        }
        self.is_alone = !is_alone;
    }

    /// Writes the sets that differ from the default: `assembly=si kernels=-`.
    pub fn words(&self) -> String {
        let panels = PanelId::all().into_iter().map(Some).chain([None]);
        let changed = panels.filter(|panel| self.sets[index(*panel)] != Panes::usual(*panel));
        let word = |panel: Option<PanelId>| {
            let name = panel.map_or(SIDES, PanelId::name);
            format!("{name}={}", self.sets[index(panel)].letters())
        };
        changed.map(word).collect::<Vec<_>>().join(" ")
    }

    /// Parses the output of [`words`](Self::words); ignores unknown words.
    pub fn read(text: &str) -> PaneSets {
        let mut sets = PaneSets::default();
        for word in text.split(' ') {
            let Some((name, letters)) = word.split_once('=') else {
                continue;
            };
            let panel = match name {
                SIDES => None,
                name => match PanelId::named(name) {
                    Some(panel) => Some(panel),
                    None => continue,
                },
            };
            sets.sets[index(panel)] = Panes::of_letters(letters);
        }
        sets
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tables::ListId;

    #[test]
    fn default_panes_by_level() {
        let sets = PaneSets::default();
        for panel in PanelId::all() {
            let panes = sets.of(Some(panel));
            let is_of_file = panel.level() == Level::File;
            assert!(
                is_of_file || !panes.structure && !panes.bytes,
                "{}",
                panel.name()
            );
            assert_eq!(panes.structure, panes.bytes, "{}", panel.name());
        }
        assert!(sets.of(Some(PanelId::Problems)).bytes);
        assert!(!sets.of(Some(PanelId::List(ListId::Lines))).bytes);
        assert!(sets.of(Some(PanelId::ASSEMBLY)).inspector);
    }

    #[test]
    fn pane_sets_are_stored_per_panel() {
        let mut sets = PaneSets::default();
        assert_eq!(sets.words(), "");
        sets.set(Some(PanelId::ASSEMBLY), Pane::Bytes, true);
        sets.set(Some(PanelId::Overview), Pane::Structure, true);
        sets.set(Some(PanelId::Overview), Pane::Structure, false);
        sets.set(None, Pane::Bytes, false);
        let words = sets.words();
        assert_eq!(words, "assembly=bi sides=si");
        assert_eq!(PaneSets::read(&words), sets);
        assert_eq!(PaneSets::read("cellar=sbi assembly"), PaneSets::default());
    }

    #[test]
    fn the_panel_is_maximized_and_restored() {
        let mut sets = PaneSets::default();
        let before = sets.of(Some(PanelId::ASSEMBLY));
        sets.toggle_alone(Some(PanelId::ASSEMBLY));
        assert_eq!(sets.of(Some(PanelId::ASSEMBLY)), Panes::NONE);
        assert_eq!(sets.of(Some(PanelId::Problems)), Panes::NONE);
        sets.toggle_alone(Some(PanelId::ASSEMBLY));
        assert_eq!(sets.of(Some(PanelId::ASSEMBLY)), before);
        // Where there are none by default, all are shown.
        sets.toggle_alone(Some(PanelId::KERNELS));
        assert_eq!(sets.of(Some(PanelId::KERNELS)), Panes::ALL);
        // Requesting a pane ends the maximized state.
        sets.toggle_alone(Some(PanelId::KERNELS));
        sets.set(Some(PanelId::KERNELS), Pane::Bytes, true);
        let shown = sets.of(Some(PanelId::KERNELS));
        assert!(shown.bytes && !shown.structure && !shown.inspector);
    }

    #[test]
    fn parses_pane_names() {
        assert_eq!(Panes::named("none"), Some(Panes::NONE));
        let two = Panes::named("structure,bytes");
        assert_eq!(two, Panes::named("bytes structure"));
        assert!(two.is_some_and(|panes| panes.structure && panes.bytes && !panes.inspector));
        assert_eq!(Panes::named("cellar"), None);
    }
}
