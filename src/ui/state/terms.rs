//! Conditions in the text of a filter.

/// Start of the condition on the device.
const DEVICE: &str = "device=";

/// Whether a condition without blanks is one of the words of a filter.
pub fn has(filter: &str, term: &str) -> bool {
    filter.split(' ').any(|word| word == term)
}

/// The filter with a condition, or without it if it has the condition.
pub fn toggled(filter: &str, term: &str) -> String {
    if has(filter, term) {
        let words = filter.split(' ').filter(|word| *word != term);
        return words.collect::<Vec<_>>().join(" ");
    }
    match filter {
        "" => term.to_owned(),
        // The condition would be one of the last alternative.
        _ if has(filter, "or") => format!("({filter}) {term}"),
        _ => format!("{filter} {term}"),
    }
}

/// The condition on a device, whose name has no blanks.
pub fn of_device(device: &str) -> String {
    format!("{DEVICE}{device}")
}

/// The device of a filter.
pub fn device(filter: &str) -> Option<&str> {
    filter.split(' ').find_map(|word| word.strip_prefix(DEVICE))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn conditions_are_added_and_removed() {
        let spills = "spill_size>0";
        for filter in ["", "softmax", "softmax device=pvc"] {
            let with = toggled(filter, spills);
            assert!(has(&with, spills), "{with}");
            assert_eq!(toggled(&with, spills), filter);
        }
        assert_eq!(toggled("a or b", spills), "(a or b) spill_size>0");
        // A condition within another word is not the condition.
        assert_eq!(
            toggled("spill_size>05", spills),
            "spill_size>05 spill_size>0"
        );
    }

    #[test]
    fn a_filter_has_a_device() {
        assert_eq!(device("softmax device=pvc"), Some("pvc"));
        assert_eq!(device("softmax"), None);
        assert_eq!(of_device("pvc"), "device=pvc");
    }
}
