use super::*;

#[track_caller]
fn commands(text: &str, expected: &[&str]) {
    let analysis = analyse(text);
    let found: Vec<_> = analysis
        .commands
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn files(text: &str, expected: &[&str]) {
    let analysis = analyse(text);
    let found: Vec<_> = analysis
        .files
        .iter()
        .map(|(name, _)| name.as_str())
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn error(text: &str, place: &str, message: &str) {
    let analysis = analyse(text);
    let found: Vec<_> = analysis
        .errors
        .iter()
        .map(|error| (error.span.slice(text), error.message.as_str()))
        .collect();
    assert_eq!(found, [(place, message)], "{text}");
}

#[test]
fn commands_are_found_wherever_they_stand() {
    commands(
        "pytest -x && ruff check | tee log; gh pr view &",
        &["pytest", "ruff", "tee", "gh"],
    );
    commands("test \"$(wc -l < a)\" -gt 10", &["wc"]);
    commands("A=1 make <(sort x) `date`", &["make", "sort", "date"]);
    commands("if ! cargo test; then exit 1; fi", &["cargo"]);
    commands("case $x in a) b;; esac", &["b"]);
    commands("cat <<EOF\n$(date)\nEOF", &["cat", "date"]);
    commands("\"my tool\" x; 'other'", &["my tool", "other"]);
}

#[test]
fn wrappers_are_seen_through() {
    commands(
        "env A=1 -u B timeout -s KILL 5 cargo test",
        &["env", "timeout", "cargo"],
    );
    commands("nice -n 5 sudo -u me make", &["nice", "sudo", "make"]);
    commands("find . | xargs -n 1 grep x", &["find", "xargs", "grep"]);
    commands("! ! time command ls", &["ls"]);
    commands("command -v cargo", &[]);
    commands("env", &["env"]);
    commands("timeout 5", &["timeout"]);
}

#[test]
fn built_ins_functions_and_dynamic_names_are_left_out() {
    commands("cd x; test -f y; [ -f z ]; echo; export A=1; true", &[]);
    commands("check() { cargo test; }; check", &["cargo"]);
    commands("$CMD x; \"$CMD\"; ${CMD} y; $(which x) z", &["which"]);
}

#[test]
fn a_changed_search_path_is_noticed() {
    for text in [
        "export PATH=x:$PATH; y",
        "PATH=x y",
        "env PATH=x y",
        ". venv/bin/activate",
        "eval x",
    ] {
        assert!(analyse(text).changes_path, "{text}");
    }
    assert!(!analyse("echo $PATH").changes_path);
}

#[test]
fn files_are_what_is_tested_redirected_or_path_like() {
    files(
        "test -f docs/a.md && [ -d build ] && [[ -e x ]]",
        &["docs/a.md", "build", "x"],
    );
    files("cat < in > out 2>&1 2>/dev/null", &["in", "out"]);
    files(
        "grep -q \"APPROVED\\|x\" docs/r.md Cargo.toml",
        &["docs/r.md", "Cargo.toml"],
    );
    files("ls *.py src/*.rs $X/y --out=a/b https://x.y/z", &[]);
    files("test -f \"a b.md\"", &["a b.md"]);
}

#[test]
fn errors_have_a_place_and_a_reason() {
    error("echo 'x", "'x", "this quote is never closed");
    error("a\ndone", "done", "`done` is not expected here");
    error("| a", "|", "a word is missing");
    error("[[ a", "[[ a", "`[[` is never closed with `]]`");
    error("a && && b", "&&", "`&&` is not expected here");
    error("[ -f a", "a", "`]` is missing");
    error("echo \"oops", "\"oops", "this quote is never closed");
    error(
        "if true; then x",
        "if true; then x",
        "`if` is never closed with `fi`",
    );
    error(
        "cat <<EOF\nx",
        "<<EOF",
        "this here-document is never closed",
    );
}

#[test]
fn valid_shell_has_no_errors() {
    for text in [
        "",
        "# only a comment",
        "test -f a && test \"$(wc -l < a)\" -gt 10",
        "! grep -r \"import requests\" src/ && uv run pytest tests/ -x",
        "grep -c \"^-\" x | awk '{exit ($1 > 0 ? 0 : 1)}'",
        "for f in *.py; do python -m py_compile \"$f\" || exit 1; done",
        "[[ $x =~ ^[0-9]+$ ]] && (( x > 3 ))",
        "set -euo pipefail\ncargo test\ncargo clippy -- -D warnings",
        "cat <<'EOF' | python3 -\nprint(1)\nEOF",
        "diff <(sort a) <(sort b)",
        "x=${y:-z}; echo \"${x%.md}\" $((1 + 2)) ${#x} ${x//a/b}",
        "while read -r line; do :; done < f",
        "f() { local a=$1; return 0; }; f x",
        "a=(1 2 3); echo \"${a[@]}\"",
        "select_one | { read -r x; test \"$x\" = 1; }",
        "case \"$1\" in a|b) x;; *) y;; esac",
        "until curl -fs localhost:8080/health; do sleep 1; done",
        "exec 3>&1; echo hi >&3",
        "coproc x { cat; }",
        "[[ \"$v\" =~ (foo|bar)\\ baz ]]",
        "cmd1 |& cmd2 &>> out",
        "test \"$(git status --porcelain)\" = \"\"",
    ] {
        assert_eq!(analyse(text).errors, [], "{text}");
    }
}

#[test]
fn what_cannot_fail_is_vacuous() {
    for text in [
        "true",
        ":",
        "exit 0",
        "pytest || true",
        "pytest; true",
        "pytest | true",
        "pytest || :",
        "true && :",
        "{ pytest || true; }",
        "(true)",
        "# nothing",
        "",
        "echo done",
        "! false",
        "pytest > log || true",
        "pytest &",
        "cargo test || echo failed",
        "false || exit 0",
    ] {
        assert!(is_vacuous(text), "{text}");
    }
}

#[test]
fn what_can_fail_is_not() {
    for text in [
        "pytest",
        "true && pytest",
        "false",
        "exit 1",
        "exit",
        "pytest || false",
        "! true",
        "set -e\npytest\ntrue",
        "pytest || exit 1; true",
        "echo $(pytest)",
        "true | pytest",
        "test -f x",
        "if true; then x; fi",
        "echo \"oops",
        "pytest & wait $!",
        "trap 'exit 1' EXIT; true",
    ] {
        assert!(!is_vacuous(text), "{text}");
    }
}

#[test]
fn deep_nesting_is_no_problem() {
    for (open, close) in [("(", ")"), ("$(", ""), ("\"$(", ""), ("if x; then ", "")] {
        let text = open.repeat(3000) + &close.repeat(3000);
        assert!(analyse(&text).commands.len() <= 3000);
        assert!(!is_vacuous(&text) || close == ")");
    }
}
