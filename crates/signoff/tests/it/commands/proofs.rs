//! How we know that a signature is a person's: real keys, real terminals, and what forgers try.

use signoff_testkit::{Output, Project, Reply, Script};

use crate::support::{BINARY, agent, makes_out, plan, project, signed};

/// A project whose plan runs through, trusted and not signed.
fn unsigned() -> Project {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["trust"]).assert_success();
    project
}

#[track_caller]
fn shell(project: &Project, line: &str) -> Output {
    let output = project.bash(line, &project.path());
    output.assert_success();
    output
}

/// The four commands of docs/signatures.md.
const SET_UP: &str = "mkdir -p ~/.ssh \
    && ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519 \
    && git config --global user.email ada@example.org \
    && git config --global user.signingkey ~/.ssh/id_ed25519 \
    && git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers \
    && echo \"ada@example.org $(cat ~/.ssh/id_ed25519.pub)\" > ~/.ssh/allowed_signers";

/// The same, of somebody who has a key and is known by it.
fn with_key() -> Project {
    let project = unsigned();
    shell(&project, SET_UP);
    project
}

fn signed_by_key() -> Project {
    let project = with_key();
    by_key(&project).assert_success();
    project
}

fn run(project: &Project) -> Output {
    project.signoff(["run", "plan.md"])
}

fn by_key(project: &Project) -> Output {
    project.signoff(["approve", "plan.md", "--proof", "key"])
}

fn signatures(project: &Project) -> Vec<std::path::PathBuf> {
    let found = std::fs::read_dir(project.path().join(".signoff/signatures/plan.md"));
    let mut found: Vec<_> = found
        .into_iter()
        .flatten()
        .map(|entry| entry.expect("a readable entry").path())
        .collect();
    found.sort();
    found
}

/// The plan is not run, for this reason.
#[track_caller]
fn refused(project: &Project, why: &str) -> Output {
    let output = project.signoff(["run", "plan.md"]);
    output.assert_code(4).assert_stderr_contains(why);
    assert!(!project.exists("out"), "{output}");
    output
}

#[test]
fn a_key_signs_and_is_believed() {
    let project = with_key();
    let note = [
        "approve",
        "plan.md",
        "--proof",
        "key",
        "--note",
        "read \"twice\"\n",
    ];
    project
        .signoff(note)
        .assert_success()
        .assert_stderr_contains("(proof: key)");
    project
        .signoff(["show", "plan.md"])
        .assert_stdout_contains("approved")
        .assert_stdout_contains("signed by tester, proof: key of ada@example.org");
    project
        .signoff(["run", "plan.md"])
        .assert_success()
        .assert_stdout_contains("signed by tester, proof: key");
    project
        .signoff(["status"])
        .assert_stdout_contains("proof: key of ada@example.org");
    assert_eq!(
        std::fs::read_dir(project.temp()).expect("readable").count(),
        0
    );
}

#[test]
fn a_key_that_is_not_listed_signs_nothing_until_it_is() {
    let project = with_key();
    shell(&project, "rm ~/.ssh/allowed_signers");
    let output = by_key(&project);
    output
        .assert_code(6)
        .assert_stderr_contains("cannot be read");
    shell(&project, &what_to_type(&output));
    by_key(&project).assert_success();
    shell(&project, "rm -r .signoff/signatures");
    shell(
        &project,
        "ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/other",
    );
    shell(&project, "git config --global user.signingkey ~/.ssh/other");
    let output = by_key(&project);
    output
        .assert_code(4)
        .assert_stderr_contains("does not allow ada@example.org the ED25519 key SHA256:");
    assert!(signatures(&project).is_empty(), "{output}");
    shell(&project, &what_to_type(&output));
    by_key(&project).assert_success();
}

#[track_caller]
fn what_to_type(output: &Output) -> String {
    let (_, rest) = output.stderr.split_once("yours: `").expect("a command");
    let (command, _) = rest.split_once('`').expect("a command in back-ticks");
    command.to_owned()
}

#[test]
fn everything_that_is_missing_is_said_at_once() {
    let project = unsigned();
    let output = by_key(&project);
    output.assert_code(6);
    for name in [
        "user.signingkey",
        "user.email",
        "gpg.ssh.allowedSignersFile",
    ] {
        output.assert_stderr_contains(&format!("git config --global {name} "));
    }
    let without_git = "PATH=/nowhere \"$(command -v signoff)\" approve plan.md --proof key";
    project
        .bash(without_git, &project.path())
        .assert_code(6)
        .assert_stderr_contains("`git` cannot be used: it is not installed");
    shell(&project, SET_UP);
    shell(
        &project,
        "git config --global user.signingkey 3AA5C34371567BD2",
    );
    by_key(&project)
        .assert_code(6)
        .assert_stderr_contains("`3AA5C34371567BD2`, which is not an SSH key");
    assert!(signatures(&project).is_empty());
}

#[test]
fn whatever_is_changed_in_a_signature_voids_it() {
    let project = with_key();
    let note = [
        "approve",
        "plan.md",
        "--proof",
        "key",
        "--note",
        "only on Friday",
    ];
    project.signoff(note).assert_success();
    let path = &signatures(&project)[0];
    let text = std::fs::read_to_string(path).expect("it was just written");
    for (from, to) in [
        ("only on Friday", "at any time"),
        ("\"note\": \"only on Friday\"", "\"note\": null"),
        ("\"by\": \"tester\"", "\"by\": \"boss\""),
        ("\"at\": \"2", "\"at\": \"3"),
        ("ada@example.org", "eve@example.org"),
        (
            "-----BEGIN SSH SIGNATURE-----\\n",
            "-----BEGIN SSH SIGNATURE-----\\nAAAA",
        ),
    ] {
        let changed = text.replacen(from, to, 1);
        assert_ne!(changed, text, "{from}");
        std::fs::write(path, changed).expect("the project is writable");
        refused(&project, "the file was changed, or taken from elsewhere");
    }
    // Without its key it is only a forged word, and not a weaker signature.
    std::fs::write(path, text.replacen("\"key\",", "\"any\",", 1)).expect("writable");
    refused(&project, "is not a valid signature");
    std::fs::write(path, text).expect("writable");
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn a_signature_of_one_plan_is_none_of_another() {
    let project = signed_by_key();
    // The same plan elsewhere has the same digests; only its key differs.
    shell(
        &project,
        "cp plan.md other.md && cd .signoff/signatures && mkdir other.md \
         && sed 's/\"plan\": \"plan.md\"/\"plan\": \"other.md\"/' plan.md/*.json > other.md/copy.json",
    );
    let output = project.signoff(["run", "other.md"]);
    output
        .assert_code(4)
        .assert_stderr_contains("taken from elsewhere");
}

#[test]
fn a_keys_signature_of_one_project_is_none_of_another() {
    let project = signed_by_key();
    // Another project that calls itself otherwise in the signature than the key signed.
    let id = "0123456789abcdef0123456789abcdef";
    let path = &signatures(&project)[0];
    let mut moved = read_json(path);
    moved["project"] = id.into();
    std::fs::write(path, moved.to_string()).expect("the project is writable");
    refused(&project, "it was given in another project");
    let file = format!(r#"{{"schema": "signoff.project/1", "id": "{id}"}}"#);
    project.write(".signoff/project.json", &file);
    refused(&project, "the file was changed, or taken from elsewhere");
}

#[test]
fn a_signature_of_one_text_is_none_of_another() {
    let project = signed_by_key();
    let by_key: serde_json::Value = read_json(&signatures(&project)[0]);
    project.write(
        "plan.md",
        &project
            .read("plan.md")
            .replace("Make it.", "Make it at once."),
    );
    project.signoff(["approve", "plan.md"]).assert_success();
    let second = signatures(&project).pop().expect("two signatures");
    let mut forged = read_json(&second);
    forged["proof"] = by_key["proof"].clone();
    forged["key"] = by_key["key"].clone();
    std::fs::write(&second, forged.to_string()).expect("the project is writable");
    refused(&project, "taken from elsewhere");
}

fn read_json(path: &std::path::Path) -> serde_json::Value {
    let text = std::fs::read_to_string(path).expect("it was just written");
    serde_json::from_str(&text).expect("a signature is JSON")
}

#[test]
fn a_key_that_no_longer_counts_takes_its_signatures_along() {
    for (edit, why) in [
        (
            "sed -i 's/^ada@example.org /bob@example.org /' ~/.ssh/allowed_signers",
            "does not allow ada@example.org",
        ),
        (
            "sed -i 's/ ssh-/ valid-before=\"20200101\" ssh-/' ~/.ssh/allowed_signers",
            "expired",
        ),
        (
            "sed -i 's/ ssh-/ namespaces=\"git\" ssh-/' ~/.ssh/allowed_signers",
            "namespace",
        ),
        (
            "git config --global gpg.ssh.revocationFile ~/.ssh/id_ed25519.pub",
            "does not allow ada@example.org",
        ),
        (
            "git config --global --unset gpg.ssh.allowedSignersFile",
            "git has no setting `gpg.ssh.allowedSignersFile`",
        ),
        ("rm ~/.ssh/allowed_signers", "cannot be read"),
    ] {
        let project = signed_by_key();
        shell(&project, edit);
        refused(&project, why);
        project
            .signoff(["show", "plan.md"])
            .assert_stdout_contains("verified")
            .assert_stdout_contains("does not count:");
        let again = by_key(&project);
        assert!(matches!(again.code, Some(4 | 6)), "{again}");
        assert_eq!(signatures(&project).len(), 1, "{edit}");
    }
}

#[test]
fn who_works_in_the_project_cannot_choose_whom_to_believe() {
    let forge = "ssh-keygen -q -t ed25519 -N '' -C '' -f key \
        && echo \"ada@example.org $(cat key.pub)\" > signers \
        && git init -q . && git config user.signingkey \"$PWD/key\"";
    let in_repository = " && git config gpg.ssh.allowedSignersFile \"$PWD/signers\"";
    let project = with_key();
    shell(&project, &format!("{forge}{in_repository}"));
    let output = by_key(&project);
    output
        .assert_code(4)
        .assert_stderr_contains("does not allow");
    // Nor is a person told to type what the repository chose.
    assert!(!output.stderr.contains("echo"), "{output}");
    shell(
        &project,
        "git config --unset user.signingkey && git config user.email $'x\\'; id; \\'\\e[2J'",
    );
    let output = by_key(&project);
    output
        .assert_code(4)
        .assert_stderr_contains("does not allow x'; id; '\\u{1b}[2J the");
    assert!(!output.stderr.contains("echo"), "{output}");
    shell(
        &project,
        "git config --unset user.email && git config user.signingkey \"$PWD/key\"",
    );

    // With no list of one's own, the repository's is not taken instead.
    shell(
        &project,
        "git config --global --unset gpg.ssh.allowedSignersFile",
    );
    by_key(&project)
        .assert_code(6)
        .assert_stderr_contains("agents can write it");

    // Nor is one that lies in the tree, whoever named it.
    shell(
        &project,
        "git config --global gpg.ssh.allowedSignersFile \"$PWD/signers\"",
    );
    by_key(&project)
        .assert_code(4)
        .assert_stderr_contains("where agents write");

    // Nor a program of the tree's that believes everything.
    let project = with_key();
    shell(
        &project,
        "mkdir bin && printf '#!/bin/sh\\nexit 0\\n' > bin/ssh-keygen && chmod +x bin/ssh-keygen",
    );
    shell(
        &project,
        &format!("{forge} && git config gpg.ssh.program \"$PWD/bin/ssh-keygen\""),
    );
    let line = "PATH=\"$PWD/bin:$PATH\" signoff approve plan.md --proof key";
    project
        .bash(line, &project.path())
        .assert_code(4)
        .assert_stderr_contains("does not allow");
    assert!(signatures(&project).is_empty());
}

#[test]
fn a_key_in_the_agent_signs_without_its_file() {
    let project = with_key();
    let output = project.bash(
        "eval \"$(ssh-agent -s)\" > /dev/null; trap 'kill $SSH_AGENT_PID' EXIT
         ssh-add -q ~/.ssh/id_ed25519 && rm ~/.ssh/id_ed25519
         git config --global user.signingkey \"key::$(cat ~/.ssh/id_ed25519.pub)\"
         signoff approve plan.md --proof key",
        &project.path(),
    );
    output
        .assert_success()
        .assert_stderr_contains("(proof: key)");
    // Verified without the agent; but nothing more is signed.
    run(&project).assert_success();
    project.write("plan.md", &plan(&[&agent("Make it again.", "out")]));
    by_key(&project)
        .assert_code(4)
        .assert_stderr_contains("the key `ssh-ed25519` did not sign");
}

#[test]
fn a_passphrase_is_asked_for_on_the_terminal() {
    let project = with_key();
    shell(
        &project,
        "ssh-keygen -q -p -N 'correct horse' -f ~/.ssh/id_ed25519",
    );
    let line = "DISPLAY=:9 signoff approve plan.md --proof key < /dev/null";
    let mut program = project.on_terminal(line);
    program.expect("passphrase").type_line("battery staple");
    program
        .wait()
        .assert_code(4)
        .assert_stdout_contains("did not sign");
    let mut program = project.on_terminal(line);
    program.expect("passphrase").type_line("correct horse");
    program
        .wait()
        .assert_success()
        .assert_stdout_contains("(proof: key)");
    run(&project).assert_success();
}

#[test]
fn an_unbelieved_signature_hides_no_other() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    shell(&project, SET_UP);
    // Where only a key counts, the plan waits for one.
    let project = project.env("SIGNOFF_APPROVAL_MINIMUM", "key");
    project
        .signoff(["run", "plan.md"])
        .assert_code(4)
        .assert_stderr_contains("`key` is the least that counts");
    by_key(&project).assert_success();
    shell(&project, "rm ~/.ssh/allowed_signers");
    project.signoff(["run", "plan.md"]).assert_code(4);
    let project = project.env("SIGNOFF_APPROVAL_MINIMUM", "any");
    project
        .signoff(["run", "plan.md"])
        .assert_success()
        .assert_stdout_contains("proof: any");
}

#[test]
fn a_run_goes_on_only_while_its_signature_counts() {
    let script = Script::new().reply(Reply::when(["Make it"]).say("cannot"));
    let project = project(&script, &plan(&[&agent("Make it.", "out")]));
    project.signoff(["trust"]).assert_success();
    shell(&project, SET_UP);
    by_key(&project).assert_success();
    let first = project.signoff(["run", "plan.md"]);
    assert!(matches!(first.code, Some(1 | 3)), "{first}");
    shell(&project, "mv ~/.ssh/allowed_signers ~/.ssh/gone");
    project
        .signoff(["resume"])
        .assert_code(4)
        .assert_stderr_contains("no signature of it counts here");
    // What happened can be looked at all the same.
    project
        .signoff(["status"])
        .assert_success()
        .assert_stdout_contains("does not count:");
    shell(&project, "mv ~/.ssh/gone ~/.ssh/allowed_signers");
    let output = project.signoff(["resume"]);
    assert!(matches!(output.code, Some(1 | 3)), "{output}");
}

/// What the plan's digest begins with.
fn digits(project: &Project) -> String {
    let digest = project.json(["show", "plan.md"])["digest"].to_string();
    digest.trim_matches('"').trim_start_matches("sha256:")[..8].to_owned()
}

#[test]
fn a_signature_is_confirmed_on_the_terminal() {
    let project = unsigned();
    let digits = digits(&project);
    // Neither input nor output is the terminal.
    let line = "echo nothing | signoff approve plan.md --proof terminal --format json > answer; cat answer";
    let mut program = project.on_terminal(line);
    program
        .expect("Test plan")
        .expect("plan   ")
        .expect("terms  ");
    program
        .expect(&digits)
        .expect("plan's digest: ")
        .type_line(&digits.to_uppercase());
    program
        .wait()
        .assert_success()
        .assert_stdout_contains("signoff.plan_ref/1");
    run(&project)
        .assert_success()
        .assert_stdout_contains("proof: terminal");
}

#[test]
fn what_was_not_typed_is_not_signed() {
    let project = unsigned();
    for typed in ["", "yes", "0000000"] {
        let mut program = project.on_terminal("signoff approve plan.md --proof terminal");
        program.expect("plan's digest: ").type_line(typed);
        program
            .wait()
            .assert_code(4)
            .assert_stdout_contains("not signed");
    }
    let line = format!(
        "yes {} | setsid -w signoff approve plan.md --proof terminal",
        digits(&project)
    );
    project
        .bash(&line, &project.path())
        .assert_code(4)
        .assert_stderr_contains("no terminal");
    assert!(signatures(&project).is_empty());
}

#[test]
fn a_title_cannot_paint_over_what_is_signed() {
    let project = unsigned();
    let text = project
        .read("plan.md")
        .replace("# Test plan", "# Test\u{1b}[2J plan\u{7}");
    project.write("plan.md", &text);
    let mut program = project.on_terminal("signoff approve plan.md --proof terminal");
    program.expect("plan's digest: ").type_line("no");
    let screen = program.wait().stdout;
    assert!(
        !screen.contains("\u{1b}[2J") && !screen.contains('\u{7}'),
        "{screen:?}"
    );
}

#[test]
fn approval_can_expect_a_version() {
    let project = unsigned();
    let expect =
        |version: &str| project.signoff(["approve", "plan.md", "--expect-version", version]);
    expect("1")
        .assert_code(2)
        .assert_stderr_contains("no version");
    let text =
        project
            .read("plan.md")
            .replacen("status: draft\n", "status: draft\nversion: 3\n", 1);
    project.write("plan.md", &text);
    expect("2")
        .assert_code(5)
        .assert_stderr_contains("version 3, not 2");
    assert!(signatures(&project).is_empty());
    expect("3").assert_success();
    expect("three").assert_code(2);
}

#[test]
fn no_agent_signs_whichever_it_is() {
    let project = unsigned();
    for marker in [
        "SIGNOFF_INSIDE=run/step/1",
        "CLAUDECODE=1",
        "AI_AGENT=claude-code_2-1-197_agent",
        "CODEX_THREAD_ID=01a1",
        "CODEX_CI=1",
        "CODEX_SANDBOX_NETWORK_DISABLED=1",
        "GEMINI_CLI=1",
        "OPENCODE=1",
        "OPENCODE_PID=7",
        "PI_CODING_AGENT=true",
    ] {
        let (name, _) = marker.split_once('=').expect("a variable");
        let mut lines = vec![format!("{marker} signoff approve plan.md --proof key")];
        // The unit tests of `agent_check` read every marker from the environment of an ancestor.
        if name == "SIGNOFF_INSIDE" || name == "CLAUDECODE" {
            lines.push(format!("{marker} signoff run plan.md --approve"));
            lines.push(format!(
                "{marker} bash -c 'env -u {name} {BINARY} approve plan.md; exit $?'"
            ));
        }
        for line in lines {
            let output = project.bash(&line, &project.path());
            output
                .assert_code(4)
                .assert_stderr_contains("only a person");
            output.assert_stderr_contains(&format!("`{name}`"));
        }
    }
    assert!(signatures(&project).is_empty());
    let inside = "CLAUDECODE=1 signoff demo";
    project.bash(inside, &project.path()).assert_success();
}
