//! What a finished program left: exit code and text, with asserts that show all of it.

use std::fmt;

use serde_json::Value;

/// The result of running a program to its end.
#[derive(Debug, Clone)]
pub struct Output {
    /// The line that was run, for messages.
    pub command: String,
    /// `None` where a signal ended it.
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    #[track_caller]
    pub fn assert_code(&self, code: i32) -> &Self {
        assert!(self.code == Some(code), "expected exit code {code}\n{self}");
        self
    }

    #[track_caller]
    pub fn assert_success(&self) -> &Self {
        self.assert_code(0)
    }

    #[track_caller]
    pub fn assert_stdout_contains(&self, text: &str) -> &Self {
        assert!(self.stdout.contains(text), "no `{text}` on stdout\n{self}");
        self
    }

    #[track_caller]
    pub fn assert_stdout_lacks(&self, text: &str) -> &Self {
        assert!(!self.stdout.contains(text), "`{text}` on stdout\n{self}");
        self
    }

    #[track_caller]
    pub fn assert_stderr_contains(&self, text: &str) -> &Self {
        assert!(self.stderr.contains(text), "no `{text}` on stderr\n{self}");
        self
    }

    /// The whole of stdout as one JSON value.
    #[track_caller]
    pub fn json(&self) -> Value {
        parse_json(&self.stdout, self)
    }

    /// The whole of stderr as one JSON value, which is where errors go.
    #[track_caller]
    pub fn error_json(&self) -> Value {
        parse_json(&self.stderr, self)
    }

    /// Each line of stdout as a JSON value.
    #[track_caller]
    pub fn json_lines(&self) -> Vec<Value> {
        self.stdout
            .lines()
            .map(|line| parse_json(line, self))
            .collect()
    }
}

#[track_caller]
fn parse_json(text: &str, output: &Output) -> Value {
    match serde_json::from_str(text) {
        Ok(value) => value,
        Err(error) => panic!("not JSON: {error}\n{output}"),
    }
}

impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "command: {}", self.command)?;
        match self.code {
            Some(code) => writeln!(f, "exit code: {code}")?,
            None => writeln!(f, "ended by a signal")?,
        }
        writeln!(f, "stdout:\n{}", self.stdout)?;
        write!(f, "stderr:\n{}", self.stderr)
    }
}
