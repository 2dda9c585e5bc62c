use super::*;

fn vacuous(text: &str) -> bool {
    analyse(text).verdict == Verdict::CannotFail
}

#[track_caller]
fn commands(text: &str, expected: &[&str]) {
    let analysis = analyse(text);
    let found: Vec<_> = analysis
        .commands
        .iter()
        .map(|name| name.value.as_str())
        .collect();
    assert_eq!(found, expected, "{text}");
}

#[track_caller]
fn files(text: &str, expected: &[&str]) {
    let analysis = analyse(text);
    let found: Vec<_> = analysis
        .files
        .iter()
        .map(|name| name.value.as_str())
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
    commands("command -v rg >/dev/null && rg x", &[]);
    commands("if type -P rg; then rg x; else grep x; fi", &["grep"]);
    commands("hash rg || exit 1; rg", &[]);
    commands("which rg && rg", &["which"]);
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
    error("| a", "|", "a command is missing before `|`");
    error("a &&", "&&", "a command is missing after `&&`");
    error("a > ", ">", "a file name is missing after `>`");
    error("a (", "(", "`(` is not expected here");
    error("echo $(a", "$(a", "`$(` is never closed with `)`");
    error("echo ${a", "${a", "`${` is never closed with `}`");
    error("[[ a b ]]", "b", "`b` is not an operator of `[[`");
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
fn words_of_compound_commands_stand_only_inside_them() {
    error("if true; then fi", "fi", "`fi` is not expected here");
    error("while true; do done", "done", "`done` is not expected here");
    error("f() { }", "}", "`}` is not expected here");
    error("}", "}", "`}` is not expected here");
    error("true;;", ";;", "`;;` is not expected here");
    error("{ a }", "{ a }", "`{` is never closed with `}`");
    error("if a; then b; fi c", "c", "`c` is not expected here");
    for word in ["done", "fi", "then", "elif", "else", "do", "esac", "in"] {
        for text in [
            word.to_owned(),
            format!("{word} x"),
            format!("a; {word} x; fi"),
        ] {
            error(&text, word, &format!("`{word}` is not expected here"));
        }
    }
}

#[test]
fn what_bash_takes_and_cannot_work_is_noticed() {
    let glued = "a space is missing after `[` in";
    error("[-f x]", "[-f", &format!("{glued} `[-f`"));
    error(
        "x && [\"$a\" = b ]",
        "[\"$a\"",
        &format!("{glued} `[\"$a\"`"),
    );
    error(
        "ls !(*.md)",
        "!(",
        "`!(` needs `shopt -s extglob` on an earlier line",
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
        "cat << A << B\n1\nA\n2\nB",
        "cat <<A; cat <<B\n1\nA\n2\nB",
        "[ \"$a\" \\< \"$b\" ]",
        "exec 5<>/dev/tcp/127.0.0.1/80",
        "exec {fd}<x",
        "shopt -s extglob\nls !(*.md)",
        "!",
        "! ; a",
        "while a; do if b; then c; fi done",
        "for f in a b\ndo c; done > x 2>&1",
        "function f { a; } 2>x\nf",
        "a=(1 # one\n 2) b=$(c)",
        "declare -a x=(1 2); export A=1 B",
        "case x in (a) ;; b|c) d ;& *) esac",
        "echo \"${a:-\"b\"}\" ${a//\\}/x} $((1 << 2)) $'a\\'b'",
        "[[ a == !(b|c) && ( -f x || ! $y < z ) ]]",
        "for ((i=0; i<3; i++)); do a; done",
        "(( x > 3 )) && ((y))",
        "select x in a; do b; done",
        "if a; then\n# nothing yet\nb\nelse c; fi | d",
        "a <<< \"$x\" &>> y & b",
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
        "test 1 = 1",
        "[ 1 -lt 2 ]",
        "[[ a == a ]]",
        "test -n x",
        "! test 1 = 2",
        "x=1",
        "! false",
        "pytest > log || true",
        "pytest &",
        "cargo test || echo failed",
        "false || exit 0",
    ] {
        assert!(vacuous(text), "{text}");
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
        "test \"$x\" = 1",
        "[[ abc == a* ]]",
        "test 1 = 2",
    ] {
        assert!(!vacuous(text), "{text}");
    }
}

#[track_caller]
fn ignores(text: &str, expected: Option<&str>) {
    let found = match analyse(text).verdict {
        Verdict::IgnoresEarlier(span) | Verdict::IgnoresPiped(span) => Some(span.slice(text)),
        Verdict::CanFail | Verdict::CannotFail => None,
    };
    assert_eq!(found, expected, "{text}");
}

#[test]
fn only_the_last_command_counts() {
    ignores("make test\ntest -s x", Some("make test"));
    ignores("cd a; make test; test -s x", Some("make test"));
    ignores(
        "test -f a && grep b a; test -s x",
        Some("test -f a && grep b a"),
    );
    ignores("[[ -f a ]]\npytest", Some("[[ -f a ]]"));
    ignores("make test && test -s x", None);
    ignores("set -e\nmake test\ntest -s x", None);
    ignores("make test || exit 1\ntest -s x", None);
    ignores("make > log\ngrep ok log", None);
    ignores("x=$(make)\ntest \"$x\" = 1", None);
    ignores("make; test $? = 0", None);
    ignores("server &\ncurl x", None);
    ignores("if a; then b; fi; c", None);
}

#[test]
fn filters_hide_what_fails_before_them() {
    ignores("pytest | tee log", Some("pytest | tee log"));
    ignores("false | cat", Some("false | cat"));
    ignores("a && pytest -x | tail -5", Some("pytest -x | tail -5"));
    ignores("set -o pipefail; pytest | tee log", None);
    ignores("pytest | grep passed", None);
    ignores("echo x | sort", None);
}

#[test]
fn deep_nesting_is_no_problem() {
    for (open, close) in [("(", ")"), ("$(", ""), ("\"$(", ""), ("if x; then ", "")] {
        let text = open.repeat(3000) + &close.repeat(3000);
        assert!(analyse(&text).commands.len() <= 3000);
        assert!(!vacuous(&text) || close == ")");
    }
}

#[test]
fn commands_are_found_in_texts_within_texts() {
    commands(r"echo `cat \`pwd; make x\``", &["cat", "make"]);
    commands(r"echo `cat \$(date)`", &["cat", "date"]);
    commands(r#"echo "`grep \"a b\" $(date)`""#, &["grep", "date"]);
    commands(r"echo `a \`b \\\`c\\\`\``", &["a", "b", "c"]);
    commands(
        "cat <<A\n$(cat <<B\n$(date)\nB\n)\nA",
        &["cat", "cat", "date"],
    );
    commands("x=`cat <<B\n$(date)\nB\n`", &["cat", "date"]);
    // A shell runs the lines before the mistake.
    commands("echo `date\n)`", &["date"]);
    // With what only the full grammar reads.
    commands(r"echo $[1] `cat \`date\``", &["cat", "date"]);
    commands(r"echo `cat \`date $[1]\``", &["cat", "date"]);
    // What is asked for, or made, in a text within is known there.
    commands(r"`f() { true; }; f \$x; command -v odd && odd`", &[]);
    let analysis = analyse(r"echo `PATH=\$HOME; x`");
    assert!(analysis.changes_path);
    assert!(analysis.errors.is_empty());
    let [cat, _] = analyse(r"echo `cat \`date\``").commands.try_into().unwrap();
    assert_eq!(cat.span, Span::new(5, 19), "where it stands");
}
