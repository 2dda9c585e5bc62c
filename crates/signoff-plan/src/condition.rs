//! The grammar of conditions: `exit_code == 0`, `stdout contains "ok"`.

use crate::model::Condition;

/// Every word of the grammar.
pub(crate) const WORDS: [&str; 5] = ["exit_code", "stdout", "stderr", "tests_run", "contains"];

/// Reads one condition; what is wrong otherwise, in a few words.
pub fn parse(text: &str) -> Result<Condition, &'static str> {
    let text = text.trim();
    let name_end = text
        .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
        .unwrap_or(text.len());
    let (name, rest) = text.split_at_checked(name_end).unwrap_or((text, ""));
    let rest = rest.trim_start();
    match name {
        "exit_code" => exit_code(operand(rest, "==", "`exit_code` is compared with `==`")?),
        "tests_run" => tests_run(operand(rest, ">=", "`tests_run` is compared with `>=`")?),
        "stdout" if rest.starts_with("==") => {
            string(operand(rest, "==", "")?).map(Condition::StdoutEquals)
        }
        "stdout" => {
            let wanted = "`stdout` is compared with `contains` or `==`";
            non_empty_string(operand(rest, "contains", wanted)?).map(Condition::StdoutContains)
        }
        "stderr" => {
            let wanted = "`stderr` is compared with `contains`";
            non_empty_string(operand(rest, "contains", wanted)?).map(Condition::StderrContains)
        }
        _ => Err("a condition begins with `exit_code`, `stdout`, `stderr` or `tests_run`"),
    }
}

fn operand<'a>(
    rest: &'a str,
    operator: &str,
    wanted: &'static str,
) -> Result<&'a str, &'static str> {
    rest.strip_prefix(operator)
        .map(str::trim_start)
        .ok_or(wanted)
}

fn exit_code(text: &str) -> Result<Condition, &'static str> {
    let number = text.parse::<u8>().ok().filter(|_| digits(text));
    let number = number.ok_or("an exit code is a number from 0 to 255")?;
    Ok(Condition::ExitCode(i32::from(number)))
}

fn tests_run(text: &str) -> Result<Condition, &'static str> {
    let number = text.parse().ok().filter(|_| digits(text));
    number
        .map(Condition::TestsRunAtLeast)
        .ok_or("a number of tests is a whole number")
}

/// Whether there are only digits: `parse` alone would allow a plus sign.
fn digits(text: &str) -> bool {
    text.bytes().all(|b| b.is_ascii_digit())
}

fn non_empty_string(text: &str) -> Result<String, &'static str> {
    let text = string(text)?;
    if text.is_empty() {
        return Err("everything contains an empty text");
    }
    Ok(text)
}

fn string(text: &str) -> Result<String, &'static str> {
    let wanted = "the text stands in double quotes, escaped as in JSON";
    if !text.starts_with('"') {
        return Err(wanted);
    }
    serde_json::from_str(text).map_err(|_| wanted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Condition) {
        assert_eq!(parse(text), Ok(expected), "{text}");
    }

    #[track_caller]
    fn refused(text: &str, why: &str) {
        let error = parse(text).expect_err(text);
        assert!(error.contains(why), "{text}: {error}");
    }

    #[test]
    fn conditions_are_typed() {
        check("exit_code == 0", Condition::ExitCode(0));
        check("exit_code==7", Condition::ExitCode(7));
        check(
            r#"stdout contains "a \"b\"""#,
            Condition::StdoutContains("a \"b\"".to_owned()),
        );
        check(
            r#"stdout == "ok\n""#,
            Condition::StdoutEquals("ok\n".to_owned()),
        );
        check(
            r#"stderr contains "é""#,
            Condition::StderrContains("é".to_owned()),
        );
        check("tests_run >= 12", Condition::TestsRunAtLeast(12));
    }

    #[test]
    fn anything_else_is_refused_with_a_reason() {
        refused("exit_code = 0", "`==`");
        refused("exit_code != 0", "`==`");
        refused("exit_code == 256", "0 to 255");
        refused("exit_code == -1", "0 to 255");
        refused("exit_code == +1", "0 to 255");
        refused("exit_code == 0 and more", "0 to 255");
        refused("stdout contains ok", "double quotes");
        refused("stdout contains \"a\" \"b\"", "double quotes");
        refused("stderr == \"a\"", "`contains`");
        refused("tests_run > 3", "`>=`");
        refused("stdout contains \"\"", "empty");
        refused("it works", "begins with");
        refused("", "begins with");
    }

    #[test]
    fn what_is_shown_reads_back() {
        for text in ["exit_code == 3", r#"stdout == "a\n\"""#, "tests_run >= 1"] {
            let condition = parse(text).expect("a condition");
            assert_eq!(condition.to_string(), text);
        }
    }
}
