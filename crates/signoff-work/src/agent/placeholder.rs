//! `{task}`, `{prompt_file}`, `{workspace}` and `{model}` in an agent's command line.

use std::ffi::OsString;

/// The longest argument that a program can be given: Linux takes 128 KiB with the byte behind it.
const LONGEST: usize = 128 * 1024 - 1;

/// The names a command may use.
#[derive(Clone, Copy)]
pub(crate) struct PlaceholderValues<'a> {
    pub(crate) task: &'a str,
    pub(crate) prompt_file: &'a str,
    pub(crate) workspace: &'a str,
    /// Empty where the plan names none.
    pub(crate) model: &'a str,
}

/// The command with its placeholders filled in, and whether the prompt is among them.
///
/// Each argument is filled in one pass: a task that contains `{workspace}` stays as it is. Where a task makes an argument
/// too long for any program, the argument says where the task can be read.
pub(crate) fn fill_command(
    command: &[String],
    values: &PlaceholderValues<'_>,
) -> (Vec<OsString>, bool) {
    let mut carries_prompt = false;
    let filled = command
        .iter()
        .map(|argument| {
            let (mut text, carried) = fill_one(argument, values);
            carries_prompt |= carried;
            if text.len() > LONGEST {
                let elsewhere = format!(
                    "The task is too long for a command line. Read all of the file {} and do what it says.",
                    values.prompt_file
                );
                let task = elsewhere.as_str();
                (text, _) = fill_one(argument, &PlaceholderValues { task, ..*values });
            }
            OsString::from(text)
        })
        .collect();
    (filled, carries_prompt)
}

fn fill_one(argument: &str, values: &PlaceholderValues<'_>) -> (String, bool) {
    let known = [
        ("{task}", values.task, true),
        ("{prompt_file}", values.prompt_file, true),
        ("{workspace}", values.workspace, false),
        ("{model}", values.model, false),
    ];
    let mut text = String::with_capacity(argument.len());
    let mut carried = false;
    let mut rest = argument;
    while let Some(open) = rest.find('{') {
        let (before, from) = rest.split_at(open);
        text.push_str(before);
        match known.iter().find(|(name, _, _)| from.starts_with(name)) {
            Some((name, value, is_prompt)) => {
                text.push_str(value);
                carried |= is_prompt;
                rest = &from[name.len()..];
            }
            None => {
                text.push('{');
                rest = &from[1..];
            }
        }
    }
    text.push_str(rest);
    (text, carried)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &[&str], expected: &[&str], carries_prompt: bool) {
        let command: Vec<String> = command.iter().map(|&part| part.to_owned()).collect();
        let values = PlaceholderValues {
            task: "do {workspace}",
            prompt_file: "/run/prompt",
            workspace: "/w",
            model: "small",
        };
        let (filled, carried) = fill_command(&command, &values);
        assert_eq!(
            filled,
            expected.iter().map(OsString::from).collect::<Vec<_>>()
        );
        assert_eq!(carried, carries_prompt);
    }

    #[test]
    fn a_task_that_no_argument_holds_is_named() {
        let filled = |length: usize| {
            let values = PlaceholderValues {
                task: &"x".repeat(length),
                prompt_file: "/tmp/prompt.md",
                workspace: "/w",
                model: "",
            };
            let (mut filled, carried) = fill_command(&["-p={task}".to_owned()], &values);
            assert!(carried);
            filled.remove(0).into_string().unwrap()
        };
        assert_eq!(filled(LONGEST - 3).len(), LONGEST);
        let named = filled(LONGEST - 2);
        assert!(
            named.starts_with("-p=") && named.contains("/tmp/prompt.md"),
            "{named}"
        );
    }

    #[test]
    fn fills_each_argument_once() {
        check(
            &["agent", "-p", "{task}"],
            &["agent", "-p", "do {workspace}"],
            true,
        );
        check(
            &["agent", "--file={prompt_file}"],
            &["agent", "--file=/run/prompt"],
            true,
        );
        check(
            &["agent", "-C", "{workspace}"],
            &["agent", "-C", "/w"],
            false,
        );
        check(
            &["agent", "--model={model}"],
            &["agent", "--model=small"],
            false,
        );
        check(
            &["bash", "-c", "echo ${HOME} {x"],
            &["bash", "-c", "echo ${HOME} {x"],
            false,
        );
    }
}
