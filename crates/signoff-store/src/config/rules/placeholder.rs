//! `{task}` and its like in the command of an agent.

/// What may stand in braces in a command.
const KNOWN: [&str; 4] = ["task", "prompt_file", "workspace", "model"];
/// The same, as they are written.
pub(in crate::config) const SHOWN: [&str; 4] =
    ["{task}", "{prompt_file}", "{workspace}", "{model}"];

/// Words in braces that look like placeholders and are none: `{taks}`, but neither `{ print }`,
/// `{a,b}` nor the shell's `${name}`.
pub(in crate::config) fn unknown_placeholders(argument: &str) -> impl Iterator<Item = &str> {
    argument
        .match_indices('{')
        .filter(|(at, _)| !argument[..*at].ends_with('$'))
        .filter_map(|(at, _)| {
            let (word, _) = argument[at + 1..].split_once('}')?;
            let is_word = word.starts_with(|first: char| first.is_ascii_alphabetic())
                && word
                    .bytes()
                    .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
            (is_word && !KNOWN.contains(&word)).then_some(word)
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_looks_like_a_placeholder_counts() {
        let check = |argument, expected: &[&str]| {
            assert_eq!(
                unknown_placeholders(argument).collect::<Vec<_>>(),
                expected,
                "{argument}"
            );
        };
        check("{task} {prompt_file} {workspace} {model}", &[]);
        check("--task={taks} {Workspace}", &["taks", "Workspace"]);
        check("{{taks}}", &["taks"]);
        check("{ print $1 } {a,b} ${HOME} {} { {1} {é}", &[]);
    }
}
