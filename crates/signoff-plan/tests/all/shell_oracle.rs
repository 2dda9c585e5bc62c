//! The hand-written shell parser against two others: `bash -n`, which is right by definition about
//! what is valid, and the full grammar, which finds commands and files on its own.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::*;
use proptest::strategy::ValueTree;
use proptest::test_runner::{Config, TestRunner};
use signoff_plan::shell::{Analysis, analyse, analyse_fully, is_common};

/// Whether bash takes a text: any word on stderr is a no, because an unclosed here-document is only
/// a warning to it.
fn bash_takes(text: &str) -> bool {
    let mut child = Command::new("bash")
        .args(["--norc", "-n"])
        .env_clear()
        .env("LC_ALL", "C")
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .stdin(Stdio::piped())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("bash starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    // Bash may stop reading at the first mistake.
    stdin.write_all(text.as_bytes()).ok();
    drop(stdin);
    let output = child.wait_with_output().expect("bash ends");
    output.status.success() && output.stderr.is_empty()
}

fn has_bash() -> bool {
    Command::new("bash").arg("--version").output().is_ok()
}

/// What bash takes although it cannot work; ours says so.
fn is_about_brackets(analysis: &Analysis) -> bool {
    analysis
        .errors
        .iter()
        .all(|error| error.message.contains('[') || error.message.contains(']'))
}

fn agrees_with_bash(text: &str) -> Result<(), TestCaseError> {
    if !is_common(text) {
        return Ok(());
    }
    let ours = analyse(text);
    let valid = bash_takes(text);
    let same = ours.errors.is_empty() == valid || (valid && is_about_brackets(&ours));
    prop_assert!(same, "bash takes it: {valid}; {ours:?}");
    for error in &ours.errors {
        prop_assert!(text.get(error.span.start..error.span.end).is_some());
    }
    Ok(())
}

fn agrees_with_the_full_grammar(text: &str) -> Result<(), TestCaseError> {
    let (ours, theirs) = (analyse(text), analyse_fully(text));
    // The full grammar takes what stands behind `!` for a command.
    let its_mistake = text.contains("! ") || nests_here_documents(text);
    if !is_common(text) || its_mistake || !ours.errors.is_empty() || !theirs.errors.is_empty() {
        return Ok(());
    }
    prop_assert_eq!(ours.commands, theirs.commands);
    prop_assert_eq!(ours.files, theirs.files);
    prop_assert_eq!(ours.functions, theirs.functions);
    prop_assert_eq!(ours.changes_path, theirs.changes_path);
    Ok(())
}

/// Whether a here-document begins in another with the same end. For bash, and for us, the first line that
/// is that end ends the outer one; the full grammar parts them as brackets.
fn nests_here_documents(text: &str) -> bool {
    let between: Vec<_> = text.split("<<EOF").skip(1).collect();
    let open = |text: &&str| !text.contains("\nEOF\n");
    between
        .split_last()
        .is_some_and(|(_, before)| before.iter().any(open))
}

#[test]
fn here_documents_end_where_bash_ends_them() {
    let text = "echo \"$(cat <<EOF > out.txt\n$(cat <<EOF > out.txt\n$(make  \n)\nEOF\nx\n)\nEOF\nx\n)\" x";
    let commands = analyse(text).commands;
    let names: Vec<_> = commands.iter().map(|name| name.value.as_str()).collect();
    assert_eq!(names, ["cat", "x"]);
    assert!(nests_here_documents(text));
    assert!(!nests_here_documents(
        "cat <<EOF\na\nEOF\ncat <<EOF\nb\nEOF\n"
    ));
}

fn word() -> impl Strategy<Value = String> {
    let fixed = prop::sample::select(vec![
        "a",
        "docs/a.md",
        "-x",
        "--y=z",
        "'a b'",
        "\"a b\"",
        "\"$x\"",
        "$HOME",
        "${x}",
        "\"${x:-y}\"",
        "$(date)",
        "\"$(wc -l < a.txt)\"",
        "*.rs",
        "a\\ b",
        "\"a\\\"b\"",
        "'a'\"b\"c",
        "$1",
        "$?",
        "x=1",
        "a#b",
        "{a,b}",
        "~/x",
        "%",
        "é",
        "$((1 + 2))",
        "./run.sh",
        "''",
        "if",
        "done",
        "!",
    ]);
    fixed.prop_map(str::to_owned)
}

fn simple() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "make",
        "test -f",
        "grep -q",
        "cargo",
        "true",
        "A=1 make",
        "PATH=x y",
        "env A=1 make",
        "timeout 5 cargo",
        "command -v",
        "[ -f a ] && x",
        "echo",
        "./run.sh",
        "exit 1",
        "$CMD",
    ]);
    let redirect = prop::sample::select(vec![
        "",
        "",
        "",
        "> out.txt",
        "2>&1",
        "2>/dev/null",
        "< in.txt",
        ">> log",
        "&> log",
    ]);
    (name, prop::collection::vec(word(), 0..4), redirect)
        .prop_map(|(name, words, redirect)| format!("{name} {} {redirect}", words.join(" ")))
}

/// Texts that hold most of what contracts hold, nested.
fn script() -> impl Strategy<Value = String> {
    simple().prop_recursive(4, 24, 3, |inner| {
        let joint = prop::sample::select(vec![
            " && ",
            " || ",
            " | ",
            "; ",
            "\n",
            " & ",
            " &&\n",
            " |\n",
            "\n\n# c\n",
            " |& ",
        ]);
        prop_oneof![
            4 => (inner.clone(), joint, inner.clone()).prop_map(|(a, joint, b)| a + joint + &b),
            1 => inner.clone().prop_map(|a| format!("( {a} )")),
            1 => inner.clone().prop_map(|a| format!("{{ {a}\n}}")),
            1 => inner.clone().prop_map(|a| format!("! {a}")),
            1 => inner.clone().prop_map(|a| format!("echo \"$({a}\n)\" x")),
            1 => (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("if {a}\nthen {b}\nfi")),
            1 => (inner.clone(), inner.clone())
                .prop_map(|(a, b)| format!("while {a}\ndo {b}\ndone > out.txt")),
            1 => inner.clone().prop_map(|a| format!("for f in *.rs x; do {a}\ndone")),
            1 => inner.clone().prop_map(|a| format!("case $x in a|b) {a}\n;; *) b;; esac")),
            1 => inner.clone().prop_map(|a| format!("f() {{ {a}\n}}\nf")),
            1 => inner.prop_map(|a| format!("cat <<EOF > out.txt\n$({a}\n)\nEOF\nx")),
        ]
    })
}

/// A text with a stretch taken out, doubled or replaced.
fn damaged() -> impl Strategy<Value = String> {
    let pieces = vec![
        "", "", ";", "&&", "|", "(", ")", "{", "}", "\"", "'", "`", "$(", "${", "<", ">", "<<A",
        "\n", "fi", "then", "done", "do", "esac", "!", "[[", "]]", "[ ", "#", "\\", "&", "in",
        "((", "case", ";;", "if", "function", "=(", "2>", "<(", "time ",
    ];
    let change = (
        any::<prop::sample::Index>(),
        0..6_usize,
        prop::sample::select(pieces),
    );
    (script(), prop::collection::vec(change, 1..3)).prop_map(|(text, changes)| {
        let mut chars: Vec<char> = text.chars().collect();
        for (place, length, piece) in changes {
            let start = place.index(chars.len() + 1);
            let end = (start + length).min(chars.len());
            chars.splice(start..end, piece.chars());
        }
        chars.into_iter().collect()
    })
}

/// Tries a law on texts: a few, or `PROPTEST_CASES` of them for a longer look; which ones is up to the seed.
fn run(few: u32, texts: impl Strategy<Value = String>, law: fn(&str) -> Result<(), TestCaseError>) {
    let asked = std::env::var("PROPTEST_CASES").ok();
    let asked = asked.and_then(|text| text.parse().ok());
    let config = Config {
        failure_persistence: None,
        cases: asked.unwrap_or(few),
        ..Config::default()
    };
    let mut runner = TestRunner::new(config);
    let outcome = runner.run(&texts, |text| law(&text));
    assert!(outcome.is_ok(), "{outcome:?}");
}

#[test]
fn what_is_valid_is_what_bash_takes() {
    if has_bash() {
        run(200, script(), agrees_with_bash);
        run(300, damaged(), agrees_with_bash);
    }
}

#[test]
fn commands_and_files_are_those_of_the_full_grammar() {
    run(300, script(), agrees_with_the_full_grammar);
}

#[test]
fn common_texts_need_no_full_grammar() {
    let (mut common, mut all) = (0_u32, 0_u32);
    let mut runner = TestRunner::deterministic();
    for _ in 0..200 {
        let tree = script().new_tree(&mut runner).expect("a script");
        all += 1;
        common += u32::from(is_common(&tree.current()));
    }
    assert!(common * 10 >= all * 9, "{common} of {all}");
}
