//! What a project and the environment may only make stricter.

use std::path::Path;

use crate::config::Setting;
use crate::config::key::Key;
use crate::config::listing::ShownValue;
use crate::config::read::Reader;
use crate::config::sections::agents::is_below_home;
use crate::config::value::Value;

impl Reader<'_> {
    /// Sets a value, unless this layer would loosen what a lower one says.
    pub(in crate::config) fn tighten<'t, T: ShownValue>(
        &mut self,
        key: &Key,
        slot: &mut Setting<T>,
        value: &Value<'t>,
        read: impl FnOnce(&mut Self, &Value<'t>) -> Option<T>,
        looser: impl FnOnce(&T, &T) -> bool,
    ) {
        let Some(new) = read(self, value) else {
            return;
        };
        if self.origin.may_only_tighten() && looser(&new, &slot.value) {
            let message = format!(
                "{} cannot loosen {} from `{}` ({}) to `{}`",
                self.origin.subject(),
                key.display_name(),
                slot.value.shown_value().to_string().trim_matches('"'),
                slot.source(),
                new.shown_value().to_string().trim_matches('"'),
            );
            let hint = "only your own configuration can".to_owned();
            self.problem(value, message, Some(hint));
            return;
        }
        slot.replace(new, self, value);
    }

    /// Regular expressions.
    pub(in crate::config) fn expressions(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut patterns = Vec::new();
        for (item, text) in self.texts(value)? {
            match regex::Regex::new(&text) {
                Ok(_) if text.is_empty() => {
                    let message = "an empty pattern is everywhere".to_owned();
                    self.problem(item, message, None);
                }
                Ok(_) => patterns.push(text),
                Err(why) => {
                    let why = why.to_string();
                    let last = why.lines().last().unwrap_or_default();
                    let message = format!(
                        "`{}` is not a regular expression: {last}",
                        text.escape_debug()
                    );
                    self.problem(item, message, None);
                }
            }
        }
        (self.problems.len() == before).then_some(patterns)
    }

    /// Paths of the person's home.
    pub(in crate::config) fn home_paths(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let hint = "write one like `~/.config/my-tool`";
        self.paths(value, is_below_home, "is not a path below your home", hint)
    }

    /// Directories of the person's home or of the machine.
    pub(in crate::config) fn writable_paths(&mut self, value: &Value<'_>) -> Option<Vec<String>> {
        let hint = "write one like `~/shared-cache` or `/var/cache/my-tool`";
        let fits = |path: &str| is_below_home(path) || is_below_root(path);
        self.paths(value, fits, "is not an absolute path", hint)
    }

    fn paths(
        &mut self,
        value: &Value<'_>,
        fits: impl Fn(&str) -> bool,
        why: &str,
        hint: &str,
    ) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut paths = Vec::new();
        for (item, text) in self.texts(value)? {
            let path = text.trim_end_matches('/').to_owned();
            if !fits(&path) {
                let message = format!("`{}` {why}", text.escape_debug());
                self.problem(item, message, Some(hint.to_owned()));
            } else if !paths.contains(&path) {
                paths.push(path);
            }
        }
        (self.problems.len() == before).then_some(paths)
    }

    /// Names of variables. A project and the environment may take away from what the user lets
    /// through, never add: what an agent sees it can send away.
    pub(in crate::config) fn variables(
        &mut self,
        value: &Value<'_>,
        allowed: &[String],
    ) -> Option<Vec<String>> {
        let before = self.problems.len();
        let mut names = Vec::new();
        for (item, name) in self.texts(value)? {
            if !is_variable(&name) {
                let message = format!("`{}` is not the name of a variable", name.escape_debug());
                self.problem(item, message, None);
            } else if self.origin.may_only_tighten() && !allowed.contains(&name) {
                let who = self.origin.subject();
                let message = format!("{who} cannot let the variable `{name}` through");
                let hint = "add it to `[sandbox] env` in your own configuration".to_owned();
                self.problem(item, message, Some(hint));
            }
            if !names.contains(&name) {
                names.push(name);
            }
        }
        (self.problems.len() == before).then_some(names)
    }
}

fn is_below_root(path: &str) -> bool {
    let below = path.strip_prefix('/').map(Path::new);
    let is_name = |part| matches!(part, std::path::Component::Normal(_));
    below.is_some_and(|below| below.components().count() > 0 && below.components().all(is_name))
}

pub(in crate::config) fn is_variable(name: &str) -> bool {
    let mut bytes = name.bytes();
    bytes
        .next()
        .is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}
