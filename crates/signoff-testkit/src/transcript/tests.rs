use super::*;

#[track_caller]
fn only_fence(markdown: &str) -> Fence {
    let mut document = scan(markdown).unwrap();
    assert_eq!(document.fences.len(), 1, "{document:?}");
    document.fences.remove(0)
}

#[test]
fn finds_a_block_with_its_line_and_info() {
    let fence = only_fence("# Title\n\n```markdown file=docs/plan.md\n# Plan\n\n```\nend\n");
    assert_eq!((fence.line, fence.language()), (3, "markdown"));
    assert_eq!(fence.file(), Some("docs/plan.md"));
    assert_eq!(fence.text, "# Plan\n\n");
    assert!(!fence.literal);
    assert_eq!(
        only_fence("~~~text title=a.txt\n~~~\n").file(),
        Some("a.txt")
    );
}

#[test]
fn four_backticks_show_a_block_as_it_is_written() {
    let fence = only_fence("````markdown\n```sh\nrm -rf /\n```\n````\n");
    assert!(fence.literal);
    assert_eq!(fence.text, "```sh\nrm -rf /\n```\n");
}

#[test]
fn blocks_in_lists_and_quotes_do_not_escape() {
    let listed = only_fence("1. Do:\n   ```console\n   $ ls\n     x\n   ```\n");
    assert_eq!(listed.text, "$ ls\n  x\n");
    let quoted = only_fence("> ```console\n> $ ls\n> ```\n");
    assert_eq!(quoted.text, "$ ls\n");
}

#[test]
fn a_block_that_is_never_closed_is_an_error() {
    assert_eq!(
        scan("a\n```console\n$ ls\n"),
        Err("line 2: the fence is never closed".to_owned())
    );
}

#[test]
fn code_within_a_line_opens_nothing() {
    let document = scan("Use ```x``` here\n```y``` and there\n").unwrap();
    assert!(document.fences.is_empty());
    assert_eq!(document.prose.len(), 2);
}

fn console(text: &str) -> Result<Vec<Example>, String> {
    examples(&Fence {
        line: 10,
        info: "console".to_owned(),
        text: text.to_owned(),
        literal: false,
    })
}

#[test]
fn reads_commands_output_and_exit_codes() {
    let found = console("$ one\n$ two \\\n    more\nout\n\n$ three\nerror\n\n? 4\n$ four\n? 1\n");
    let example = |line, command: &str, output: Option<&[&str]>, code| Example {
        line,
        command: command.to_owned(),
        output: output.map(|lines| lines.iter().map(|&line| line.to_owned()).collect()),
        code,
    };
    assert_eq!(
        found.unwrap(),
        [
            example(11, "one", None, 0),
            example(12, "two \\\n    more", Some(&["out"]), 0),
            example(16, "three", Some(&["error"]), 4),
            example(20, "four", None, 1),
        ]
    );
}

#[test]
fn a_console_block_begins_with_a_command() {
    assert_eq!(
        console("ls\n"),
        Err("line 11: a console block begins with `$ `".to_owned())
    );
    assert!(console("$ ls \\\n").is_err());
}

#[track_caller]
fn check(expected: &str, printed: &str, result: bool) {
    let expected: Vec<String> = expected.lines().map(str::to_owned).collect();
    assert_eq!(matches(&expected, printed), result);
}

#[test]
fn compares_output_line_by_line() {
    check("a\nb", "a  \nb\n\n", true);
    check("a\nb", "a\n", false);
    check("a", "a\nb\n", false);
    check("a\n…\nd", "a\nb\nc\nd\n", true);
    check("a\n…\nd", "a\nd\n", true);
    check("a\n…", "b\n", false);
    check("…\nz", "a\nz\nb\nz\n", true);
}

#[test]
fn compares_text_within_a_line() {
    check("run …: done", "run 7f3: done\n", true);
    check("run [..]: done in [..]", "run 7f3: done in 3 s\n", true);
    check("run …: done", "run 7f3: failed\n", false);
    check("a…b…a", "a b\n", false);
    check("ab…b", "ab\n", false);
}
