//! Hooks of an agent's settings whose scripts it would not find in the sandbox.
//!
//! Agents take a hook that cannot start for one that says no: `python3` ends with exit code 2 if its script is missing, and
//! Claude Code and Gemini CLI then deny every tool. So such hooks are left out of the copy that an agent is given, and named.

use std::fmt;
use std::path::Path;

use serde_json::{Map, Value};

use super::requirements::{AgentRequirements, Login};
use super::{Home, RunPaths};
use crate::environment::Variables;

/// A hook that an agent is not given.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct DroppedHook {
    /// The file that has it, as people write it.
    pub settings: String,
    /// What it is for, by the agent's own word.
    pub event: String,
    pub command: String,
    /// What it names and the agent would not find.
    pub script: String,
}

impl fmt::Display for DroppedHook {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            settings,
            event,
            command,
            script,
        } = self;
        write!(
            out,
            "the hook `{command}` ({event}) of {settings} is left out: {script} is not in the sandbox; \
             `[sandbox] home = [\"{script}\"]` in your own configuration shows it"
        )
    }
}

impl RunPaths {
    /// The hooks in an agent's settings that it is not given, because it would not find their scripts.
    pub fn dropped_hooks(&self, needs: &AgentRequirements, all: &Variables) -> Vec<DroppedHook> {
        let home = self.home.real_home();
        let mut files = home.map_or_else(Vec::new, |home| needs.files(home, all));
        self.drop_hooks(needs, &mut files)
    }

    /// Leaves out of the files that an agent is given the hooks whose scripts it would not find.
    pub(super) fn drop_hooks(
        &self,
        needs: &AgentRequirements,
        files: &mut [Login],
    ) -> Vec<DroppedHook> {
        // Without mounts it finds the person's files.
        let settings = needs
            .hook_settings()
            .filter(|_| self.level.uses_mounts())
            .map(Path::new);
        let Some(file) = files
            .iter_mut()
            .find(|file| Some(file.to.as_path()) == settings)
        else {
            return Vec::new();
        };
        // What cannot be read is an error when it is copied.
        let text = std::fs::read(&file.from).unwrap_or_default();
        let Some((kept, dropped)) = without_missing(&text, &self.home) else {
            return Vec::new();
        };
        file.text = Some(kept);
        let written = format!("~/{}", file.to.display());
        let named = dropped.into_iter().map(|hook| DroppedHook {
            settings: written.clone(),
            ..hook
        });
        named.collect()
    }
}

/// The settings without such hooks, and these; `None` if there are none, or the text is not what is known of it.
fn without_missing(text: &[u8], home: &Home) -> Option<(Vec<u8>, Vec<DroppedHook>)> {
    let mut settings: Map<String, Value> = serde_json::from_slice(text).ok()?;
    let events = settings.get_mut("hooks")?.as_object_mut()?;
    let mut dropped = Vec::new();
    for (event, groups) in events.iter_mut() {
        let Some(groups) = groups.as_array_mut() else {
            continue;
        };
        for group in groups.iter_mut() {
            let hooks = group.get_mut("hooks").and_then(Value::as_array_mut);
            if let Some(hooks) = hooks {
                hooks.retain(|hook| {
                    let missing = missing_hook(event, hook, home);
                    let is_kept = missing.is_none();
                    dropped.extend(missing);
                    is_kept
                });
            }
        }
        groups.retain(|group| !has_no_hooks(group));
    }
    events.retain(|_, groups| groups.as_array().is_none_or(|groups| !groups.is_empty()));
    let kept = serde_json::to_vec(&settings).ok()?;
    (!dropped.is_empty()).then_some((kept, dropped))
}

fn has_no_hooks(group: &Value) -> bool {
    let hooks = group.get("hooks").and_then(Value::as_array);
    hooks.is_some_and(Vec::is_empty)
}

fn missing_hook(event: &str, hook: &Value, home: &Home) -> Option<DroppedHook> {
    let command = hook.get("command")?.as_str()?;
    let missing = home.unseen_files_in(&without_targets(command));
    Some(DroppedHook {
        settings: String::new(),
        event: event.to_owned(),
        command: command.to_owned(),
        script: missing.into_iter().next()?,
    })
}

/// A command without the files that its output goes to: these need not be there.
fn without_targets(command: &str) -> String {
    let mut kept = Vec::new();
    let mut words = command.split_whitespace();
    while let Some(word) = words.next() {
        let (before, target) = word
            .split_once('>')
            .map_or((word, None), |(before, after)| {
                (before, Some(after.trim_start_matches(['>', '|', '&'])))
            });
        kept.push(before);
        if target == Some("") {
            words.next();
        }
    }
    kept.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_output_goes_is_no_script() {
        for (command, expected) in [
            ("python3 ~/a.py", "python3 ~/a.py"),
            ("echo x >> ~/log", "echo x "),
            ("echo x >~/log 2>&1", "echo x  2"),
            ("~/a.sh > ~/log && ~/b.sh", "~/a.sh  && ~/b.sh"),
        ] {
            assert_eq!(without_targets(command), expected);
        }
    }
}
