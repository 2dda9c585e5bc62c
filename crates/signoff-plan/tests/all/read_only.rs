//! The judge of plan mode against tables of command lines, and what holds of every text.

use std::path::Path;

use proptest::prelude::*;
use signoff_plan::shell::read_only;

/// What a table says of a command line.
struct Case {
    place: String,
    allowed: bool,
    command: String,
}

/// Every line of every table in `tests/read_only`.
fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/read_only");
    let mut cases = Vec::new();
    for entry in std::fs::read_dir(&folder).expect("the tables are there") {
        let path = entry.expect("an entry").path();
        if path.extension().is_some_and(|extension| extension == "tsv") {
            let text = std::fs::read_to_string(&path).expect("a table");
            let name = path.file_name().unwrap_or_default().display().to_string();
            cases.extend(table(&name, &text));
        }
    }
    cases
}

fn table(name: &str, text: &str) -> Vec<Case> {
    let lines = text.lines().enumerate();
    let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    let case = |(at, line): (usize, &str)| {
        let place = format!("{name}:{}", at + 1);
        let (answer, command) = line.split_once('\t').expect("a tab");
        assert!(["allow", "block"].contains(&answer), "{place}: `{answer}`");
        Case {
            place,
            allowed: answer == "allow",
            command: command.replace('⏎', "\n"),
        }
    };
    lines.map(case).collect()
}

/// The cases that are judged otherwise, one per line.
fn mistakes(cases: &[Case]) -> String {
    let mut mistakes = String::new();
    for case in cases {
        let judged = read_only(&case.command);
        if judged.is_ok() != case.allowed {
            let reason = judged
                .err()
                .map_or("allowed".to_owned(), |why| why.to_string());
            mistakes += &format!("{}: {:?}: {reason}\n", case.place, case.command);
        }
    }
    mistakes
}

#[test]
fn every_command_of_the_tables_is_judged_as_they_say() {
    let cases = cases();
    assert!(cases.len() >= 320, "only {} cases", cases.len());
    let mistakes = mistakes(&cases);
    assert!(mistakes.is_empty(), "{mistakes}");
}

#[test]
fn the_shared_commands_are_judged_as_they_say() {
    let shared = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../../shared/conformance/guard/commands.json");
    if !shared.is_file() {
        return;
    }
    let text = std::fs::read_to_string(shared).expect("it can be read");
    let json: serde_json::Value = serde_json::from_str(&text).expect("JSON");
    let mut cases = Vec::new();
    for (answer, allowed) in [("allow", true), ("block", false)] {
        for command in json[answer].as_array().expect("a list") {
            cases.push(Case {
                place: answer.to_owned(),
                allowed,
                command: command.as_str().expect("a text").to_owned(),
            });
        }
    }
    assert!(cases.len() >= 80, "only {} cases", cases.len());
    let mistakes = mistakes(&cases);
    assert!(mistakes.is_empty(), "{mistakes}");
}

/// Texts that are shell more often than not.
fn text() -> impl Strategy<Value = String> {
    let commands: Vec<String> = cases().into_iter().map(|case| case.command).collect();
    let pieces = prop::sample::select(vec![
        ";", "&&", "|", "(", ")", "{", "}", "\"", "'", "`", "$(", "${", "<", ">", "<<A", "\n",
        "fi", "then", "do", "done", "#", "\\", "&", "((", "[[", "$x", "*", "-o", "=", " ", "\t",
        "\0", "é",
    ]);
    let command = prop::sample::select(commands);
    let damage = prop::collection::vec((any::<prop::sample::Index>(), pieces), 0..3);
    prop_oneof![
        4 => (command, damage).prop_map(|(command, damage)| {
            let mut chars: Vec<char> = command.chars().collect();
            for (place, piece) in damage {
                let at = place.index(chars.len() + 1);
                chars.splice(at..at, piece.chars());
            }
            chars.into_iter().collect()
        }),
        1 => any::<String>(),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_is_added_to_a_text_is_judged_too(text in text()) {
        let quoted = |tail: &str| format!("{text}{tail}");
        for tail in ["; rm x", "\nrm x", " | xargs rm", " && rm x", " || rm x"] {
            let longer = quoted(tail);
            // In a comment, quotes or a here-document it is not a command; `bash` then sees none either.
            let inside = !starts_a_command(&text);
            prop_assert!(inside || read_only(&longer).is_err(), "{longer:?}");
        }
        for tail in [" > f", " $(rm x)", " `rm x`"] {
            let longer = quoted(tail);
            let inside = !starts_a_command(&text);
            prop_assert!(inside || read_only(&longer).is_err(), "{longer:?}");
        }
    }

    #[test]
    fn in_front_of_a_text_everything_is_judged_too(text in text()) {
        for head in ["rm x; ", "rm x\n", "rm x && ", "rm x | ", "echo $(rm x); ", "> f; ", "echo `rm x`;"] {
            let longer = format!("{head}{text}");
            prop_assert!(read_only(&longer).is_err(), "{longer:?}");
        }
    }
}

/// Whether what follows a text is no longer part of a comment, quotes or a here-document of it.
fn starts_a_command(text: &str) -> bool {
    !text.contains(['#', '\'', '\\']) && !text.contains("<<")
}
