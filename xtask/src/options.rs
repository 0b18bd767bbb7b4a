//! Command-line options.

use crate::shell::Outcome;
use std::str::FromStr;

/// The arguments after the command. Parsed ones are removed.
pub struct Options {
    rest: Vec<String>,
}

impl Options {
    pub fn new(arguments: Vec<String>) -> Self {
        Self { rest: arguments }
    }

    /// Removes a flag; returns whether it was present.
    pub fn flag(&mut self, name: &str) -> bool {
        let before = self.rest.len();
        self.rest.retain(|argument| argument != name);
        self.rest.len() < before
    }

    /// Removes `name VALUE` or `name=VALUE` and returns the value.
    pub fn value<T: FromStr>(&mut self, name: &str) -> Outcome<Option<T>> {
        let prefix = format!("{name}=");
        let found = self
            .rest
            .iter()
            .position(|argument| argument == name || argument.starts_with(&prefix));
        let Some(index) = found else { return Ok(None) };
        let argument = self.rest.remove(index);
        let text = match argument.strip_prefix(&prefix) {
            Some(text) => text.to_owned(),
            None if index < self.rest.len() => self.rest.remove(index),
            None => return Err(format!("{name} needs a value")),
        };
        let value = text.parse();
        value
            .map(Some)
            .map_err(|_| format!("{name}: \"{text}\" is not valid"))
    }

    /// Returns the remaining arguments.
    pub fn rest(self) -> Vec<String> {
        self.rest
    }

    /// Fails if arguments remain.
    pub fn finish(self) -> Outcome {
        match self.rest.first() {
            None => Ok(()),
            Some(unknown) => Err(format!("\"{unknown}\" is unknown; see cargo xtask help")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Options;

    fn options(text: &str) -> Options {
        Options::new(text.split_whitespace().map(str::to_owned).collect())
    }

    #[test]
    fn flags_and_values_are_found_anywhere() {
        let mut options = options("--open --port 9000 rest --other=7");
        assert!(options.flag("--open"));
        assert!(!options.flag("--open"));
        assert_eq!(options.value::<u16>("--port"), Ok(Some(9000)));
        assert_eq!(options.value::<u16>("--other"), Ok(Some(7)));
        assert_eq!(options.rest(), ["rest"]);
    }

    #[test]
    fn invalid_arguments_are_rejected() {
        assert!(options("--port").value::<u16>("--port").is_err());
        assert!(options("--port x").value::<u16>("--port").is_err());
        assert!(options("--unknown").finish().is_err());
        assert!(options("").finish().is_ok());
    }
}
