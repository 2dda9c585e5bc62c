//! A quick look at which keys a JSON text has, to tell what it is without reading it all.

use crate::source::{text_from, text_up_to};
use crate::suggest::nearest;

/// The keys of an object and of the first objects in its list `steps`.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct ObjectKeys<'a> {
    /// Keys of the whole, in the order they come.
    pub(crate) keys: Vec<&'a str>,
    /// Keys of the steps.
    pub(crate) step_keys: Vec<&'a str>,
    /// Whether there is a list of steps, maybe misspelled.
    pub(crate) steps: bool,
}

/// After so many steps the rest will look the same.
const STEPS: usize = 20;

/// The keys of a text that begins like an object. Mistakes in it do not matter.
pub(crate) fn outline(text: &str) -> Option<ObjectKeys<'_>> {
    let mut scan = Scan {
        text,
        at: 0,
        open: Vec::new(),
        in_steps: false,
        steps: 0,
        outline: ObjectKeys::default(),
    };
    scan.skip();
    if !scan.rest().starts_with('{') {
        return None;
    }
    while scan.step().is_some() {}
    Some(scan.outline)
}

/// Is it `steps`, or meant to be?
pub(crate) fn is_steps(key: &str) -> bool {
    key == "steps" || nearest(key, ["steps"]).is_some()
}

struct Scan<'a> {
    text: &'a str,
    at: usize,
    /// Brackets that are open, as far as they matter.
    open: Vec<u8>,
    in_steps: bool,
    steps: usize,
    outline: ObjectKeys<'a>,
}

impl<'a> Scan<'a> {
    fn rest(&self) -> &'a str {
        text_from(self.text, self.at)
    }

    fn skip(&mut self) {
        loop {
            let rest = self.rest();
            self.at += rest.len() - rest.trim_ascii_start().len();
            let rest = self.rest();
            let length = if rest.starts_with("//") {
                rest.find('\n')
            } else if rest.starts_with("/*") {
                rest.find("*/").map(|end| end + 2)
            } else {
                return;
            };
            self.at += length.unwrap_or(rest.len());
        }
    }

    /// Goes past one sign; `None` = the scan can stop.
    fn step(&mut self) -> Option<()> {
        self.skip();
        let byte = *self.text.as_bytes().get(self.at)?;
        match byte {
            b'{' | b'[' => self.begin(byte)?,
            b'}' | b']' => {
                self.open.pop();
                self.at += 1;
                if self.open.is_empty() {
                    return None;
                }
            }
            b'"' => {
                let text = self.skip_quoted();
                self.key(text);
            }
            b'_' | b'a'..=b'z' | b'A'..=b'Z' => {
                let rest = self.rest();
                let word = |c: char| c.is_alphanumeric() || c == '_';
                let length = rest.find(|c| !word(c)).unwrap_or(rest.len());
                self.at += length;
                self.key(text_up_to(rest, length));
            }
            _ => self.at += self.rest().chars().next().map_or(1, char::len_utf8),
        }
        Some(())
    }

    fn begin(&mut self, bracket: u8) -> Option<()> {
        // Deeper levels are not distinguished.
        const DEPTH: usize = 1000;
        self.at += 1;
        if self.in_steps && self.open == *b"{[" {
            self.steps += 1;
            if self.steps > STEPS {
                return None;
            }
        }
        self.outline.steps |= self.in_steps && bracket == b'[' && self.open == *b"{";
        self.open.push(bracket);
        (self.open.len() < DEPTH).then_some(())
    }

    fn skip_quoted(&mut self) -> &'a str {
        let rest = text_from(self.rest(), 1);
        let mut escaped = false;
        let end = rest.bytes().position(|byte| {
            let ends = !escaped && byte == b'"';
            escaped = !escaped && byte == b'\\';
            ends
        });
        let end = end.unwrap_or(rest.len());
        self.at += end + 2;
        text_up_to(rest, end)
    }

    fn key(&mut self, text: &'a str) {
        self.skip();
        if !self.rest().starts_with(':') {
            return;
        }
        if self.open == *b"{" {
            self.in_steps = is_steps(text);
            self.outline.keys.push(text);
        } else if self.in_steps && self.open == *b"{[{" {
            self.outline.step_keys.push(text);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, keys: &[&str], step_keys: &[&str]) {
        let found = outline(text).expect("an object");
        assert_eq!(found.keys, keys, "{text}");
        assert_eq!(found.step_keys, step_keys, "{text}");
    }

    #[test]
    fn keys_are_found_without_reading_values() {
        check("{}", &[], &[]);
        check(
            "// x\n{\"a\": {\"b\": 1}, \"steps\": [{\"tool\": \"x: y\", \"args\": {\"c\": [2]}}, {\"id\": 1}], \"z\": 0}",
            &["a", "steps", "z"],
            &["tool", "args", "id"],
        );
        check(
            "{task: x, stesp: [{index: 0}",
            &["task", "stesp"],
            &["index"],
        );
        check("{\"a\\\"\": \"\\\\\", \"b\": 1", &["a\\\"", "b"], &[]);
        assert_eq!(outline("[1]"), None);
        assert_eq!(outline("# x"), None);
        assert_eq!(outline(""), None);
    }

    #[test]
    fn a_few_steps_are_enough() {
        let many = format!(
            "{{\"steps\": [{} {{\"late\": 1}}]}}",
            "{\"a\": 1},".repeat(30)
        );
        assert_eq!(outline(&many).expect("an object").step_keys.len(), STEPS);
        assert!(outline(&"{[".repeat(200_000)).is_some());
        assert!(outline("{\"steps\": []}").expect("an object").steps);
        assert!(!outline("{\"steps\": 1}").expect("an object").steps);
    }
}
