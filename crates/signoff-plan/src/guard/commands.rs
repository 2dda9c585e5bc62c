//! The command lines of a call that runs a command.

use serde_json::Value;

/// How agents call the command.
const COMMAND_KEYS: [&str; 3] = ["command", "cmd", "script"];
/// Arguments that change what the command line means.
const CHANGING_KEYS: [&str; 4] = ["env", "environment", "shell", "interpreter"];
const SHELLS: [&str; 5] = ["sh", "bash", "zsh", "dash", "ksh"];

/// Every command line of the arguments; `None` if there is none, or one cannot be told.
pub(super) fn commands_of(input: &Value) -> Option<Vec<String>> {
    let values = COMMAND_KEYS.iter().filter_map(|key| input.get(key));
    let texts: Option<Vec<String>> = values.map(command_line).collect();
    texts.filter(|texts| !texts.is_empty())
}

/// Whether the arguments give the command another environment or another shell, so that its text does not tell what it
/// does.
pub(super) fn changes_meaning(input: &Value) -> Option<&'static str> {
    let is_given = |key: &&&str| match input.get(**key) {
        None | Some(Value::Null) => false,
        Some(Value::Object(map)) => !map.is_empty(),
        Some(_) => true,
    };
    CHANGING_KEYS.iter().find(is_given).copied()
}

fn command_line(value: &Value) -> Option<String> {
    let words = match value {
        Value::String(text) => return Some(text.clone()),
        Value::Array(words) => words,
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => return None,
    };
    let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
    match words?.as_slice() {
        [shell, "-c" | "-lc", text] if is_shell(shell) => Some((*text).to_owned()),
        words => Some(
            words
                .iter()
                .map(|word| quote(word))
                .collect::<Vec<_>>()
                .join(" "),
        ),
    }
}

/// By its name, or where a system or a person has it: what lies elsewhere may be any program.
fn is_shell(program: &str) -> bool {
    let folders = [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/opt/homebrew/bin/",
    ];
    let name = folders
        .iter()
        .find_map(|folder| program.strip_prefix(folder));
    SHELLS.contains(&name.unwrap_or(program))
}

/// Not even `=` stays as it is: no shell reads the words, and the first is a program whatever it looks like.
fn quote(word: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "-_./+,:@%".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[track_caller]
    fn check(input: &Value, expected: Option<&[&str]>) {
        let expected = expected.map(|texts| texts.iter().map(|text| (*text).to_owned()).collect());
        assert_eq!(commands_of(input), expected, "{input}");
    }

    #[test]
    fn command_lines_are_found_in_every_form() {
        check(
            &json!({"command": "ls -l", "description": "x"}),
            Some(&["ls -l"]),
        );
        check(
            &json!({"command": ["bash", "-lc", "ls; rm x"]}),
            Some(&["ls; rm x"]),
        );
        check(
            &json!({"command": ["ls", "a b", ";", "rm"]}),
            Some(&["ls 'a b' ';' rm"]),
        );
        check(
            &json!({"command": ["/usr/bin/bash", "-c", "ls"]}),
            Some(&["ls"]),
        );
        check(
            &json!({"command": ["./bash", "-c", "ls"]}),
            Some(&["./bash -c ls"]),
        );
        check(&json!({"command": ["x=y/z"]}), Some(&["'x=y/z'"]));
        check(&json!({"cmd": "ls", "command": "rm"}), Some(&["rm", "ls"]));
        check(&json!({"command": 3}), None);
        check(&json!({}), None);
        check(&json!("ls"), None);
        assert_eq!(
            changes_meaning(&json!({"command": "ls", "env": {"A": "b"}})),
            Some("env")
        );
        assert_eq!(
            changes_meaning(&json!({"command": "ls", "env": {}, "shell": null})),
            None
        );
    }
}
