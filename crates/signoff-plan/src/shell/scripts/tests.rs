use super::*;

/// What a text runs: `file`, `pattern *`, `module d:name`, `unknown word`.
fn shown(text: &str) -> Vec<String> {
    let scripts = programs(text).scripts.into_iter();
    let mut found: Vec<String> = scripts
        .map(|script| match script.value {
            Script::File(path) | Script::Pattern(path) => path,
            Script::Module { directory, name } => format!("{directory}:{name}"),
            Script::Unknown(word) => format!("unknown {word}"),
        })
        // What `node x` may also mean is of no interest here.
        .filter(|path| !path.contains(".js.") && !path.ends_with("/index.js"))
        .collect();
    found.sort();
    found.dedup();
    found
}

#[track_caller]
fn check(text: &str, expected: &[&str]) {
    let mut expected = expected.to_vec();
    expected.sort_unstable();
    assert_eq!(shown(text), expected, "{text}");
}

#[test]
fn scripts_are_found_wherever_they_are_started_from() {
    check("./x", &["x"]);
    check("cd d && ./x", &["d/x"]);
    check("cd d; ./x; cd ..; ./y", &["d/x", "y"]);
    check("(cd d && ./x); ./y", &["d/x", "y"]);
    check("{ cd d; ./x; }; ./y", &["d/x", "d/y"]);
    check("pushd d; ./x", &["d/x"]);
    check("cd a | cat; ./x", &["x"]);
    check("test -d d || cd d; ./x", &["d/x", "x"]);
    check("if true; then cd d; fi; ./x", &["d/x", "x"]);
    check(
        "$PWD/x; \"$PWD/y\"; ${PWD}/z; $(pwd)/w",
        &["x", "y", "z", "w"],
    );
    check("a/../x", &["x"]);
    check("cd d && $PWD/../x", &["x"]);
    check("env -C d ./x; ./y", &["d/x", "y"]);
    check("/abs/x", &["/abs/x"]);
    check("~/x", &[]);
}

#[test]
fn patterns_and_braces() {
    check("./scripts/*.sh", &["scripts/*.sh"]);
    check("bash s/[ab].sh", &["s/?.sh"]);
    check("./{a,b}.sh", &["a.sh", "b.sh"]);
}

#[test]
fn what_only_starts_another_program_is_seen_through() {
    check("bash -c './x && cd d && ./y'", &["d/y", "x"]);
    check("bash -euo pipefail -c './x'", &["x"]);
    check("sh -ec 'python3 t.py'", &["t.py"]);
    check("env A=b ./x", &["x"]);
    check("env -S './x a'", &["x"]);
    check("timeout 5 ./x; nice -n 3 ./y; time ./z", &["x", "y", "z"]);
    check("! ./x || nohup bash y.sh", &["x", "y.sh"]);
    check("ls | xargs -n1 ./x", &["x"]);
    check("find . -name '*.t' -exec ./x {} \\;", &["x"]);
    check("uv run python t.py; poetry run ./x", &["t.py", "x"]);
    check("flock lock ./x", &["x"]);
    check("echo \"$(./x)\" `./y`", &["x", "y"]);
    check("f() { ./x; }; cd d; f", &["d/x", "x"]);
    check("run() { \"$@\"; }; run ./x", &["x"]);
    check("has() { test -f \"$1\"; }; has src/a.py", &[]);
    check("for s in 1 2; do ./x; done", &["x"]);
    check("eval './x'", &["x"]);
    check("trap './x' EXIT", &["x"]);
    check("[[ -f a ]] && ./x <<E\nbody $(./y)\nE", &["x", "y"]);
}

#[test]
fn interpreters_run_the_file_they_are_given() {
    check("source x.sh; . y.sh", &["x.sh", "y.sh"]);
    check("bash -eu \"s/check.sh\" data.json", &["s/check.sh"]);
    check("bash < x.sh", &["x.sh"]);
    check("bash x.sh > out.log", &["x.sh"]);
    check("python3.12 -u -W error t.py a.py", &["t.py"]);
    check("/usr/bin/python3 t.py", &["/usr/bin/python3", "t.py"]);
    check("python3 -m pkg.mod a", &[":pkg.mod"]);
    check("cd d && PYTHONPATH=src python -m m", &["d/src:m", "d:m"]);
    check("python3 -c 'import x'", &[":x"]);
    check("python3 -c 'import x; x.y()'", &[]);
    check(
        "cd d; python3 -c 'exec(open(\"x.py\").read())'",
        &["d/x.py"],
    );
    check("node -e 'require(\"./s/x.js\")'", &["s/x.js"]);
    check("script -qec 'bash x.sh' /dev/null", &["x.sh"]);
    check("bash $'x.sh'", &["x.sh"]);
    check(
        "cp x.sh /tmp/c.sh && bash /tmp/c.sh",
        &["/tmp/c.sh", "x.sh"],
    );
    check(
        "ln -s \"$PWD/x.sh\" /tmp/c; cd d; /tmp/c",
        &["/tmp/c", "x.sh"],
    );
    check("cp a b", &[]);
    check("node x.js", &["x.js"]);
    check("node --require ./r.js --test", &["r.js"]);
    check(
        "coverage run -m pytest; coverage run t.py",
        &[":pytest", "t.py"],
    );
    check("make -f m.mk test; awk -f a.awk data", &["m.mk", "a.awk"]);
    check("go run ./cmd/check; go test ./...", &["cmd/check"]);
    check("PATH=$PWD/bin:$PATH check a", &["bin/check"]);
    check("export PATH=./bin:$PATH; check", &["bin/check"]);
    check("ruby -e 'x' y.rb; perl t.pl", &["t.pl"]);
}

#[test]
fn what_cannot_be_told_is_said() {
    check("$CHECK a", &["unknown $CHECK"]);
    check("\"$DIR/x.sh\"", &["unknown \"$DIR/x.sh\""]);
    check("$(which tool) a", &["unknown $(which tool)"]);
    check("bash $SCRIPT", &["unknown $SCRIPT"]);
    check("eval \"$X\"", &["unknown \"$X\""]);
    check("cd $D && ./x", &["unknown ./x"]);
    check("cd $D && pytest", &[]);
    check("cat x | bash", &["unknown bash"]);
    check("ls | xargs bash", &["unknown bash"]);
    check("find . -exec bash {} \\;", &["unknown {}"]);
    check("bash -c \"$X\"", &["unknown \"$X\""]);
    check("bash <(cat x)", &["unknown <(cat x)"]);
    check("bash {{ params.x }}", &["unknown {{"]);
    check("python3 -m $M", &["unknown $M"]);
    check("PATH=$X/bin:$PATH y", &["unknown $X/bin:$PATH"]);
    // Arguments of other programs are not scripts.
    check("pytest $ARGS; cargo test; test -f \"$X\"; echo $Y", &[]);
}

#[test]
fn texts_that_only_the_full_grammar_reads() {
    let text = "echo $[1+1]; cd d && ./x";
    assert!(!super::super::is_common(text));
    check(text, &["d/x", "x"]);
}

#[test]
fn programs_with_their_arguments() {
    let of = |text: &str| -> Vec<String> {
        let found = programs(text).invocations.into_iter();
        found
            .map(|one| {
                let arguments = one
                    .arguments
                    .into_iter()
                    .map(|word| word.unwrap_or("?".into()));
                let words: Vec<String> = std::iter::once(one.program).chain(arguments).collect();
                let sign = if one.repeats { "*" } else { "" };
                format!("{sign}{}", words.join(" "))
            })
            .collect()
    };
    assert_eq!(of("env A=1 pytest -q $X"), ["pytest -q ?"]);
    assert_eq!(of("bash -c 'pytest'"), ["bash -c pytest", "pytest"]);
    assert_eq!(of("for x in a b; do pytest $x; done"), ["*pytest ?"]);
    assert_eq!(of("f() { pytest; }; f"), ["*pytest"]);
    assert_eq!(of("uv run pytest"), ["uv run pytest", "pytest"]);
}

#[test]
fn nothing_is_too_deep() {
    let mut text = "./x".to_owned();
    for _ in 0..40 {
        text = format!(
            "bash -c {}",
            format_args!("'{}'", text.replace('\'', "'\\''"))
        );
        if text.len() > 100_000 {
            break;
        }
    }
    programs(&text);
    programs(&"cd a || ".repeat(5000));
    programs(&"./{a,b}{c,d}{e,f}{g,h}{i,j}{k,l}{m,n}{o,p}{q,r}{s,t}".repeat(3));
}

#[test]
fn scripts_are_found_in_texts_within_texts() {
    check(r"echo `cat \`./x.sh\``", &["x.sh"]);
    check(r#"test "`./x.sh \"a\"`" = ok"#, &["x.sh"]);
    check(r"cd d; echo `cat \`./x.sh\``", &["x.sh", "d/x.sh"]);
    check("cat <<A\n$(cat <<B\n$(./x.sh)\nB\n)\nA", &["x.sh"]);
    check("x=`cat <<B\n$(./x.sh)\nB\n`", &["x.sh"]);
    check("echo `./x.sh\n)`", &["x.sh"]);
    check("bash -c './x.sh\n)'", &["x.sh"]);
    check(r"echo $[1] `cat \`./x.sh\``", &["x.sh"]);
}
