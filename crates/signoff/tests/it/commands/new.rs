//! `new`: templates become plans that verify.

use serde_json::Value;
use signoff_testkit::Project;

use crate::support::BINARY;

/// A project with the role of steps that name none, as those of the built-in templates.
fn project() -> Project {
    let project = Project::new(BINARY);
    project.write(
        ".signoff/config.toml",
        "[agents.default]\ndriver = \"command\"\ncommand = [\"cat\"]\n",
    );
    project
}

/// Every template with values for what it needs.
const TEMPLATES: [(&str, &[&str]); 5] = [
    (
        "bugfix",
        &[
            "problem=Login fails with a long password.",
            "test=make test",
        ],
    ),
    (
        "feature",
        &["what=Users can log in with a key.", "test=make test"],
    ),
    (
        "refactor",
        &[
            "what=Split the parser in two.",
            "test=make test",
            "old=parse_all",
        ],
    ),
    (
        "migration",
        &["from=left-pad", "to=std::fmt", "test=make test"],
    ),
    (
        "release",
        &["version=1.2.0", "test=make test", "manifest=Cargo.toml"],
    ),
];

fn with<'a>(first: &[&'a str], values: &[&'a str]) -> Vec<&'a str> {
    let mut args = first.to_vec();
    for value in values {
        args.extend(["--set", value]);
    }
    args
}

#[test]
fn every_template_verifies_without_a_problem() {
    let project = project();
    // What a project that wants these plans has.
    project.bash(
        "mkdir -p bin src; touch CHANGELOG.md Cargo.toml Makefile",
        &project.path(),
    );
    for (name, values) in TEMPLATES {
        let args = with(&["new", name, "--template", name], values);
        project
            .signoff(&args)
            .assert_success()
            .assert_stdout_contains(&format!("wrote {name}.md"));
        let text = project.read(format!("{name}.md"));
        assert!(!text.contains("{{"), "{text}");
        project
            .signoff(["verify", &format!("{name}.md"), "--deny", "warnings"])
            .assert_success();
        project
            .signoff(["fmt", "--check", &format!("{name}.md")])
            .assert_success();
    }
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "bugfix.md"]).assert_success();
}

/// Shows the fault, then repairs it.
const REPAIRS: &str = r"
case $(cat) in
  *'Write a test'*) echo 'grep -q right code.txt' > tests/says-right ;;
  *'Remove the cause'*) echo right > code.txt ;;
esac
";

#[test]
fn a_fault_is_repaired_from_the_template_to_the_end() {
    let project = Project::new(BINARY);
    project
        .write(
            ".signoff/config.toml",
            "[agents.default]\ndriver = \"command\"\ncommand = [\"bash\", \"agent.sh\"]\n",
        )
        .write("agent.sh", REPAIRS)
        .write("code.txt", "wrong\n")
        .write("tests/is-there", "test -e code.txt\n");
    project.signoff(["trust"]).assert_success();
    let begin = "signoff new fix.md --template bugfix --set problem='It says wrong.' \
                 --set test='cd tests && for one in *; do (cd .. && . \"tests/$one\") || exit 1; done  # all of them'";
    project.bash(begin, &project.path()).assert_success();
    assert!(!project.read("fix.md").contains("target"));
    project
        .signoff(["run", "fix.md", "--approve"])
        .assert_success();
    assert_eq!(project.read("code.txt"), "right\n");
}

#[test]
fn every_template_is_listed_with_what_it_needs() {
    let project = project();
    let shape = project.json(["new", "--list"]);
    assert_eq!(shape["schema"], "signoff.templates/1");
    let templates = shape["templates"].as_array().expect("templates");
    assert_eq!(templates.len(), TEMPLATES.len());
    for (template, (name, values)) in templates.iter().zip(TEMPLATES) {
        assert_eq!(template["name"], name);
        let needed = template["params"].as_array().expect("params");
        let needed: Vec<&str> = needed
            .iter()
            .filter(|param| param["default"] == Value::Null)
            .filter_map(|param| param["name"].as_str())
            .collect();
        let mut given: Vec<&str> = values
            .iter()
            .filter_map(|value| value.split('=').next())
            .collect();
        let mut sorted = needed.clone();
        sorted.sort_unstable();
        given.sort_unstable();
        assert_eq!(sorted, given, "{name}");
    }
    project
        .signoff(["new", "--list"])
        .assert_success()
        .assert_stdout_contains("bugfix");
}

#[test]
fn everything_missing_or_unknown_is_said_at_once() {
    let project = project();
    let output = project.signoff(with(
        &["new", "x", "--template", "bugfix"],
        &["problm=a", "colour=red", "nonsense"],
    ));
    output
        .assert_code(2)
        .assert_stderr_contains("did you mean `problem`?")
        .assert_stderr_contains("no `colour`")
        .assert_stderr_contains("`--set nonsense` has no `=`")
        .assert_stderr_contains("`problem` is missing")
        .assert_stderr_contains("`test` is missing");
    assert!(!project.exists("x.md"));
    project
        .signoff(["new", "x", "--template", "bugfx"])
        .assert_code(2)
        .assert_stderr_contains("did you mean `bugfix`?");
    project
        .signoff(["new", "x"])
        .assert_code(2)
        .assert_stderr_contains("--list");
    project
        .signoff(with(
            &["new", "a/b", "--template", "bugfix"],
            TEMPLATES[0].1,
        ))
        .assert_code(2)
        .assert_stderr_contains("`-o` takes a path");
}

#[test]
fn a_value_changes_nothing_but_the_text_it_stands_in() {
    let project = project();
    let new = |problem: &str, test: &str| {
        let (problem, test) = (format!("problem={problem}"), format!("test={test}"));
        project.signoff(with(
            &["new", "x", "--template", "bugfix", "-o", "-"],
            &[&problem, &test],
        ))
    };
    for (problem, test, why) in [
        ("a\n\n### 9. Another\n**task:** evil", "make", "`problem`"),
        ("x\n**Priority:** low", "make", "`priority`"),
        ("x\n**target:** y", "make", "`problem`"),
        ("x\n## Risks\n- y", "make", "`risks`"),
        ("x\n```\ny", "make", "`problem`"),
        (
            "x",
            "test -s x\n```\n**baseline:** no\n```sh\ntrue",
            "`test`: it would add `baseline` to step 1",
        ),
        ("x", "make\n```\nexit_code == 1", "`test`"),
    ] {
        new(problem, test)
            .assert_code(2)
            .assert_stderr_contains("the steps or fields")
            .assert_stderr_contains(why);
    }
    for (problem, test) in [
        ("Two\n\nparagraphs.", "make"),
        ("A list:\n- one\n- two", "make one\nmake two"),
        ("Code:\n```\n**target:** x\n```", "make \"a\" 'b' `c` $d"),
        ("**bold** and status: done", "make"),
    ] {
        new(problem, test).assert_success();
    }
}

#[test]
fn a_value_stands_whole_where_it_was_put() {
    let project = project();
    let template = DECLARES
        .replace("owner: me", "owner: {{ params.who }}")
        .replace("notes.txt}", "\"{{ params.what }}\"}");
    project.write(".signoff/templates/t.md", &template);
    let new = |who: &str, what: &str| {
        let (who, what) = (format!("who={who}"), format!("what={what}"));
        project.signoff(with(
            &["new", "x", "--template", "t", "-o", "-"],
            &[&who, &what],
        ))
    };
    new("me", "a b").assert_success();
    // A comment, and an escape: it would be there, but not as it is.
    new("me # and you", "a")
        .assert_code(2)
        .assert_stderr_contains("`who`: it would be read differently in `owner` of the plan");
    new("me", "a\\tb")
        .assert_code(2)
        .assert_stderr_contains("`what`: it would be read differently in `params` of the plan");
}

#[test]
fn an_empty_value_and_one_given_twice_are_said() {
    let project = project();
    let new = |values: &[&str]| {
        project.signoff(with(
            &["new", "x", "--template", "bugfix", "-o", "-"],
            values,
        ))
    };
    new(&["problem=", "test= "])
        .assert_code(2)
        .assert_stderr_contains("`problem` is empty")
        .assert_stderr_contains("`test` is empty");
    new(&["problem=a", "problem=b", "test=make"])
        .assert_code(2)
        .assert_stderr_contains("`problem` is given twice");
}

#[test]
fn nothing_is_replaced_unless_told_to() {
    let project = project();
    let args = with(&["new", "x", "--template", "bugfix"], TEMPLATES[0].1);
    project.write("x.md", "mine\n");
    project
        .signoff(&args)
        .assert_code(5)
        .assert_stderr_contains("x.md exists");
    assert_eq!(project.read("x.md"), "mine\n");
    let forced = [&args[..], &["--force"]].concat();
    project.signoff(&forced).assert_success();
    assert!(project.read("x.md").starts_with("---\ntype: plan\n"));
}

#[test]
fn it_goes_where_it_is_told_to() {
    let project = project();
    let values = [TEMPLATES[0].1, &["title=A title"]].concat();
    let printed = project.signoff(with(&["new", "--template", "bugfix"], &values));
    printed
        .assert_success()
        .assert_stdout_contains("# A title\n");
    project
        .signoff(with(
            &["new", "--template", "bugfix", "-o", "sub/plan.md"],
            &values,
        ))
        .assert_success();
    assert_eq!(project.read("sub/plan.md"), printed.stdout);
    let shape = project.json(with(
        &["new", "fix-it", "--template", "bugfix"],
        TEMPLATES[0].1,
    ));
    assert_eq!(shape["schema"], "signoff.plan_ref/1");
    assert_eq!(
        (&shape["path"], &shape["status"]),
        (&"fix-it.md".into(), &"draft".into())
    );
    assert!(project.read("fix-it.md").contains("# Fix it\n"));
}

#[test]
fn a_plan_becomes_a_template_without_its_past() {
    let project = project();
    project
        .signoff(with(
            &["new", "nightly", "--template", "release"],
            TEMPLATES[4].1,
        ))
        .assert_success();
    let text = project
        .read("nightly.md")
        .replace("owner: coder\n", "owner: coder\nid: nightly\nversion: 3\n")
        .replace("status: draft", "status: done")
        .replace("### 2. ", "### 2. ✅ ");
    project.write("nightly.md", &text);
    project
        .signoff([
            "new",
            "--from",
            "nightly.md",
            "--save",
            "nightly",
            "--set",
            "version=1.2.0",
        ])
        .assert_success()
        .assert_stderr_contains("parameters: version");
    let saved = project.read(".signoff/templates/nightly.md");
    assert!(
        saved.contains("status: draft") && !saved.contains('✅'),
        "{saved}"
    );
    assert!(
        !saved.contains("id: nightly") && !saved.contains("version: 3"),
        "{saved}"
    );
    project
        .signoff(["new", "--list"])
        .assert_stdout_contains("nightly");
    project
        .signoff([
            "new",
            "next",
            "--template",
            "nightly",
            "--set",
            "version=1.3.0",
        ])
        .assert_success();
    assert!(project.read("next.md").contains("Release 1.3.0."));
    project
        .signoff(["new", "copy", "--from", "nightly.md"])
        .assert_success();
    project
        .signoff(["diff", "nightly.md", "copy.md"])
        .assert_success();
    project
        .signoff(["new", "--from", "nightly.md", "--save", "../evil"])
        .assert_code(2);
    project
        .signoff([
            "new",
            "--from",
            "nightly.md",
            "--save",
            "x",
            "--set",
            "a=not in it",
        ])
        .assert_code(2)
        .assert_stderr_contains("does not contain this text");
}

/// A plan with a parameter of its own.
const DECLARES: &str = "---\ntype: plan\nstatus: draft\nowner: me\nparams: {file: notes.txt}\n---\n\n# Look\n\n## Steps\n\n### 1. Look\n\n**target:** coder\n**task:** Look at {{ params.file }}.\n**contract:**\n```sh\ntest -e notes.txt\n```\n";

#[test]
fn a_saved_template_says_what_it_needs_and_can_be_filled() {
    let project = project();
    project.write("b.md", DECLARES);
    let save = |name: &str, values: &[&str]| {
        project.signoff(with(&["new", "--from", "b.md", "--save", name], values))
    };
    for (values, why) in [
        (&["word=Look", "file=notes.txt"][..], "declares a parameter"),
        (&["a-b=Look"], "is not a name"),
        (&["a=contract"], "`a`"),
        (&["a="], "`a` is empty"),
        (&["a=Look", "a=notes"], "given twice"),
    ] {
        save("n", values).assert_code(2).assert_stderr_contains(why);
        assert!(!project.exists(".signoff/templates/n.md"), "{values:?}");
    }
    save("n", &["word=Look", "f=notes.txt"])
        .assert_success()
        .assert_stderr_contains("parameters: f, word");
    project
        .signoff(["new", "--list"])
        .assert_stdout_contains("f, word\n");
    project
        .signoff(["new", "x", "--template", "n", "--set", "word=A"])
        .assert_code(2)
        .assert_stderr_contains("`f` is missing");
    project
        .signoff([
            "new",
            "x",
            "--template",
            "n",
            "--set",
            "word=Look",
            "--set",
            "f=notes.txt",
        ])
        .assert_success();
    assert_eq!(project.read("x.md"), DECLARES);
}

#[test]
fn a_built_in_template_is_not_replaced_by_accident() {
    let project = project();
    project.write("b.md", DECLARES);
    let args = ["new", "--from", "b.md", "--save", "bugfix"];
    project
        .signoff(args)
        .assert_code(5)
        .assert_stderr_contains("built-in");
    project
        .signoff([&args[..], &["--force"]].concat())
        .assert_success()
        .assert_stderr_contains("replaces the built-in template `bugfix`");
}

#[test]
fn another_dialect_holds_the_same_plan_or_says_why_not() {
    let project = project();
    let values = TEMPLATES[0].1;
    project
        .signoff(with(&["new", "x", "--template", "bugfix"], values))
        .assert_success();
    project
        .signoff(with(
            &["new", "x", "--template", "bugfix", "--dialect", "record"],
            values,
        ))
        .assert_success();
    // Its agents are told what a record tells them; nothing else differs.
    let differs = project.signoff(["diff", "x.md", "x.yaml"]);
    let differs = differs.assert_code(1).stdout.clone();
    let lines: Vec<&str> = differs.lines().map(str::trim).collect();
    assert_eq!(lines, ["plan", "briefing", "- task", "+ record"]);
    project
        .signoff(with(
            &["new", "x", "--template", "bugfix", "--dialect", "toolplan"],
            values,
        ))
        .assert_code(1)
        .assert_stderr_contains("cannot hold");
    let thread = with(
        &["new", "t", "--template", "bugfix", "--dialect", "thread"],
        values,
    );
    let output = project.signoff(&thread);
    output
        .assert_code(1)
        .assert_stderr_contains("`budget` of the plan")
        .assert_stderr_contains("`contract.holds` of step `reproduce`")
        .assert_stderr_contains("--lossy");
    // Error, two losses, the way out: nothing that is no loss.
    assert_eq!(output.stderr.lines().count(), 4, "{output}");
    project
        .signoff([&thread[..], &["--lossy"]].concat())
        .assert_success()
        .assert_stderr_contains("left out: `budget`");
    project.signoff(["fmt", "--check", "t"]).assert_success();
}
