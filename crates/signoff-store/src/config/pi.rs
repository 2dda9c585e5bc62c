//! `.pi/plans.json`, the settings of a `.pi` store. The file is pi's: keys that are not about plans
//! are not read.

use std::path::Path;

use serde_json::{Map, Value};

use super::problem::position;
use super::sections::guard::is_pattern;
use super::value::LARGEST_COUNT;
use super::{Config, FileContent, Origin, Problem, Setting, SettingLocation, layer};

/// Applies the file, if there is one; adds what is wrong with it to `problems`.
pub(super) fn apply(
    config: &mut Config,
    (path, content): (&Path, &FileContent),
    problems: &mut Vec<Problem>,
) {
    let Some(text) = layer::layer_text((path, content), problems) else {
        return;
    };
    let file = File { path, text };
    match serde_json::from_str::<Map<String, Value>>(&without_comments(text)) {
        Ok(map) => file.settings(&map, config, problems),
        Err(error) => {
            let text = error.to_string();
            let message = text.split(" at line ").next().unwrap_or(&text).to_owned();
            problems.push(Problem {
                location: SettingLocation::File {
                    path: path.to_path_buf(),
                    line: error.line(),
                    column: error.column().max(1),
                },
                message,
                suggestion: None,
            });
        }
    }
}

struct File<'a> {
    path: &'a Path,
    text: &'a str,
}

impl File<'_> {
    fn settings(&self, map: &Map<String, Value>, config: &mut Config, problems: &mut Vec<Problem>) {
        let plans = &mut config.plans;
        let counts = [
            ("stale_after_days", &mut plans.stale_after_days),
            (
                "executor_timeout_minutes",
                &mut plans.executor_timeout_minutes,
            ),
        ];
        for (key, slot) in counts {
            let Some(value) = map.get(key) else { continue };
            let count = value.as_u64().and_then(|count| u32::try_from(count).ok());
            match count.filter(|count| (1..=LARGEST_COUNT).contains(count)) {
                Some(count) => *slot = Setting::of(count, Origin::Pi, Some(self.location(key))),
                None => {
                    let message =
                        format!("`{key}` must be a whole number from 1 to {LARGEST_COUNT}");
                    problems.push(self.problem(key, message));
                }
            }
        }
        self.guarded_tools(map, config, problems);
    }

    /// `guardedTools`, added to those of the user.
    fn guarded_tools(
        &self,
        map: &Map<String, Value>,
        config: &mut Config,
        problems: &mut Vec<Problem>,
    ) {
        let key = "guardedTools";
        let Some(value) = map.get(key) else {
            return;
        };
        let names = value.as_array().and_then(|names| {
            let names = names
                .iter()
                .map(|name| name.as_str().filter(|name| is_pattern(name)));
            names.collect::<Option<Vec<&str>>>()
        });
        let Some(names) = names else {
            let message = "`guardedTools` must be a list of names of tools".to_owned();
            problems.push(self.problem(key, message));
            return;
        };
        let mut tools = config.guard.tools.value.clone();
        for name in names {
            if !tools.iter().any(|known| known == name) {
                tools.push(name.to_owned());
            }
        }
        if tools != config.guard.tools.value {
            config.guard.tools = Setting::of(tools, Origin::Pi, Some(self.location(key)));
        }
    }

    fn problem(&self, key: &str, message: String) -> Problem {
        Problem {
            location: self.location(key),
            message,
            suggestion: None,
        }
    }

    /// Where a key is written.
    fn location(&self, key: &str) -> SettingLocation {
        let offset = self.text.find(&format!("\"{key}\"")).unwrap_or(0);
        let (line, column) = position(self.text, offset);
        SettingLocation::File {
            path: self.path.to_path_buf(),
            line,
            column,
        }
    }
}

/// The text with spaces in place of `// …`, which people write into such files.
fn without_comments(text: &str) -> String {
    let (mut in_string, mut escaped, mut in_comment) = (false, false, false);
    let mut characters = text.chars().peekable();
    let mut kept = String::with_capacity(text.len());
    while let Some(c) = characters.next() {
        if c == '\n' {
            in_comment = false;
        } else if !in_string && c == '/' && characters.peek() == Some(&'/') {
            in_comment = true;
        } else if !in_comment && c == '"' && !escaped {
            in_string = !in_string;
        }
        escaped = in_string && c == '\\' && !escaped;
        kept.push(if in_comment { ' ' } else { c });
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a file with this content; returns the settings and every line said about it.
    fn read(text: &str) -> (Config, Vec<String>) {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("plans.json");
        std::fs::write(&path, text).unwrap();
        let (mut config, mut problems) = (Config::default(), Vec::new());
        let content = layer::read_limited(&path, Origin::Pi);
        apply(&mut config, (&path, &content), &mut problems);
        problems.extend(config.notes.clone());
        let root = format!("{}/", dir.path().display());
        let lines = problems
            .iter()
            .map(|one| one.to_string().replace(&root, ""));
        let lines = lines.collect();
        (config, lines)
    }

    #[test]
    fn the_seed_as_it_is_printed() {
        let (config, said) = read(
            "// .pi/plans.json\n{\n  \"guardedTools\": [],  // \"nothing\"\n  \"stale_after_days\": 7,\n  \"executor_timeout_minutes\": 15,\n  \"url\": \"http://x\"\n}\n",
        );
        assert_eq!(said, [""; 0]);
        let plans = config.plans;
        assert_eq!(plans.stale_after_days.value, 7);
        assert_eq!(plans.executor_timeout_minutes.value, 15);
        assert_eq!(plans.executor_timeout_minutes.origin, Origin::Pi);
        assert!(plans.stale_after_days.source().ends_with("plans.json:4:3"));
    }

    #[test]
    fn guarded_tools_feed_the_guard() {
        let (config, said) = read("{\"guardedTools\": [\"gmail_send\", \"odoo_*\"]}");
        assert_eq!(said, [""; 0]);
        assert_eq!(config.guard.tools.value, ["gmail_send", "odoo_*"]);
        assert_eq!(config.guard.tools.origin, Origin::Pi);
    }

    #[test]
    fn mistakes_have_a_place() {
        let said = |text| read(text).1;
        assert_eq!(
            said("{\n \"stale_after_days\": 0, \"guardedTools\": 3}"),
            [
                "plans.json:2:2: `stale_after_days` must be a whole number from 1 to 100000",
                "plans.json:2:25: `guardedTools` must be a list of names of tools",
            ]
        );
        assert_eq!(
            said("{\"guardedTools\": [\"gmail_send\", \"*\"]}"),
            ["plans.json:1:2: `guardedTools` must be a list of names of tools"]
        );
        assert_eq!(said("{\n]"), ["plans.json:2:1: key must be a string"]);
        assert_eq!(said("[]").len(), 1);
    }
}
