//! What the pages say, as a browser without scripts gets them.

use std::fmt::Write as _;

use signoff_testkit::{Project, Reply, Script};

use super::browser::{Response, Served};
use crate::support::{agent, makes_out, newest_run, plan, project, signed};
use crate::trees::held_files::held;

#[track_caller]
fn page(served: &Served, path: &str) -> String {
    let shown = served.get(path);
    assert_eq!(shown.status, 200, "{path}: {shown:?}");
    shown.body
}

/// A text as the value of a field.
fn encoded(text: &str) -> String {
    let mut encoded = String::new();
    for byte in text.bytes() {
        write!(encoded, "%{byte:02X}").expect("a text takes all");
    }
    encoded
}

/// A form as a browser without scripts sends it.
fn send(served: &Served, path: &str, fields: &[(&str, &str)]) -> Response {
    let fields = fields.iter();
    let body: Vec<String> = fields
        .map(|(name, value)| format!("{name}={}", encoded(value)))
        .collect();
    served.form(path, &body.join("&"))
}

#[test]
fn threads_of_one_session_stand_under_its_topic() {
    let project = project(&Script::new(), "");
    let session = [("AGENTCTL_SESSION_ID", "session-1")];
    let agentctl = |words: &[&str]| {
        let words = [&["agentctl"], words].concat();
        let done = project.signoff_with(&session, words);
        done.assert_success();
        done.stdout.trim().to_owned()
    };
    agentctl(&["set-topic", "Add user authentication"]);
    let first = agentctl(&["plan", "dir"]);
    let second: serde_json::Value =
        serde_json::from_str(&agentctl(&["plan", "request-thread-dir"])).unwrap();
    for (folder, title) in [
        (first.as_str(), "Check tokens"),
        (second["plan_dir"].as_str().unwrap(), "The form"),
    ] {
        let tasks = std::path::Path::new(folder).join("tasks");
        std::fs::create_dir_all(&tasks).unwrap();
        let text = format!("---\ntitle: \"{title}\"\n---\n\nAll of it.\n");
        std::fs::write(tasks.with_file_name("plan.md"), text).unwrap();
        std::fs::write(tasks.join("01-a.md"), "---\nid: a\n---\n\nWrite it.\n").unwrap();
    }
    agentctl(&["plan", "commit"]);
    let served = Served::signed_in(&project);
    let shown = page(&served, "/");
    let (_, group) = shown
        .split_once("aria-label=\"Topic Add user authentication\"")
        .expect("a topic");
    let (group, _) = group.split_once("</ul>").unwrap();
    assert!(
        group.contains("Check tokens") && group.contains("The form"),
        "{group}"
    );
}

#[test]
fn the_estimate_stands_beside_what_it_took() {
    let project = project(&Script::new(), "");
    let text = r#"{"id": "p", "version": 1, "estimatedDuration": 120, "steps": [
        {"id": "a", "description": "Look", "contract": "test -d .", "dependsOn": []}]}"#;
    project.write("p.json", text);
    project.signoff(["trust"]).assert_success();
    let served = Served::signed_in(&project);
    let before = page(&served, "/plans/p.json");
    assert!(before.contains("Estimated") && before.contains("2m 0s"));
    assert!(!before.contains("it took"));
    project
        .signoff(["run", "p.json", "--approve"])
        .assert_success();
    let after = page(&served, "/plans/p.json");
    assert!(after.contains("2m 0s · it took "), "{after}");
    // Its graph shows how far the run is.
    assert!(after.contains("took "), "{after}");
}

#[test]
fn a_plan_that_is_done_says_so_and_not_that_it_cannot_be_signed() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let shown = page(&served, "/plans/plan.md");
    assert!(shown.contains("It is done."), "{shown}");
    assert!(!shown.contains("annot approve"), "{shown}");
    let run = newest_run(&project);
    assert!(
        shown.contains(&format!("href=\"/runs/{run}\">See the run")),
        "{shown}"
    );
}

#[test]
fn plans_are_filtered_by_every_state_that_they_are_shown_in() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["propose", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let listed = served.get("/api/plans").json();
    let state = listed["plans"][0]["status"].as_str().unwrap();
    let page = served.get("/").body;
    assert!(
        page.contains(&format!("<option value=\"{state}\"")),
        "{page}"
    );
    let shown = |state: &str| {
        served
            .get(&format!("/?state={state}"))
            .body
            .contains("href=\"/plans/plan.md\"")
    };
    assert!(shown(state));
    assert!(!shown("completed"));
}

#[test]
fn what_is_newest_is_read_before_anybody_asks() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    let run = newest_run(&project);
    let served = Served::signed_in(&project);
    // Whoever reads it from its beginning now finds it damaged.
    let journal = format!(".signoff/runs/{run}/journal.jsonl");
    let text = project.read(&journal);
    project.write(&journal, &text.replacen("run_started", "run_stirred", 1));
    let shown = served.get(&format!("/api/runs/{run}"));
    assert_eq!(shown.status, 200, "{shown:?}");
    let refused = Served::signed_in(&project).get(&format!("/api/runs/{run}"));
    assert_ne!(refused.status, 200, "the journal is as it was");
}

#[test]
fn runs_that_have_ended_are_not_read_again_for_every_list() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    // More than a server keeps whole, and older than what could change unseen.
    let copies = format!(
        "cd .signoff/runs; for at in {{10..79}}; do cp -a {} 20250101-0000$at-aaaa; done",
        newest_run(&project)
    );
    let rest = "find .signoff -type f -exec touch -d 2025-01-01 {} +";
    for line in [&copies, rest] {
        project.bash(line, &project.path()).assert_success();
    }
    let served = Served::signed_in(&project);
    let shown = page(&served, "/runs");
    assert_eq!(shown.matches(">Test plan<").count(), 71, "{shown}");
    // Whoever reads one of them from its beginning now finds it damaged.
    for at in 10..80 {
        let journal = format!(".signoff/runs/20250101-0000{at}-aaaa/journal.jsonl");
        let text = project.read(&journal);
        project.write(&journal, &text.replacen("run_started", "run_stirred", 1));
    }
    project.bash(rest, &project.path()).assert_success();
    let again = page(&served, "/runs");
    assert_eq!(again.matches(">Test plan<").count(), 71, "{again}");
}

#[test]
fn the_commands_for_a_first_plan_work_as_they_stand() {
    let project = project(&Script::new(), "");
    let config = project
        .read(".signoff/config.toml")
        .replace("coder", "default");
    project.write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    let served = Served::signed_in(&project);
    let empty = page(&served, "/");
    let copied = empty.split("data-copies=\"").skip(1);
    let commands = copied.filter_map(|rest| rest.split('"').next());
    // To draft one needs a model.
    for command in commands.filter(|line| !line.starts_with("signoff plan ")) {
        project.bash(command, &project.path()).assert_success();
    }
    assert!(page(&served, "/").contains("href=\"/plans/fix.md\""));
}

#[test]
fn a_search_finds_what_stands_in_plans_that_are_not_among_the_newest() {
    let project = project(&makes_out(), "");
    let text = plan(&[&agent("Make it.", "out")]);
    for at in 0..45 {
        let target = if at == 0 { "writer" } else { "coder" };
        let text = text.replace("**target:** coder", &format!("**target:** {target}"));
        project.write(
            format!("p{at}.md"),
            &text.replace("# Test plan", &format!("# Plan {at}")),
        );
        project
            .signoff(["propose", &format!("p{at}.md")])
            .assert_success();
    }
    let served = Served::signed_in(&project);
    let found = page(&served, "/?text=writer");
    assert!(found.contains("/plans/p0.md"), "{found}");
    assert!(!found.contains("/plans/p1.md"), "{found}");
}

#[test]
fn the_report_is_saved_as_the_file_that_the_command_writes() {
    // With a graph: of a single step the page draws none.
    let text = plan(&[&agent("Make it.", "out"), &agent("Make it again.", "out")]);
    let project = signed(&makes_out(), &text);
    project.signoff(["run", "plan.md"]).assert_success();
    let served = Served::signed_in(&project);
    let run = newest_run(&project);
    let saved = served.get(&format!("/runs/{run}/report.html"));
    assert!(
        saved.headers.contains(&format!(
            "content-disposition: attachment; filename=\"{run}.html\""
        )),
        "{saved:?}"
    );
    project
        .signoff(["report", "-o", "report.html"])
        .assert_success();
    // All but the moment at which it was written.
    let before_end = |text: &str| text.split_once("Written by Signoff").unwrap().0.to_owned();
    assert_eq!(
        before_end(&saved.body),
        before_end(&project.read("report.html"))
    );
}

#[test]
fn what_an_agent_printed_of_keys_is_not_shown() {
    const KEY: &str = "ghp_abcdefghijklmnopqrstuvwxyz0123456789";
    const WORD: &str = "correct-horse-battery";
    let said = format!("I found {KEY} and {WORD}.");
    let script = Script::new().reply(Reply::when(["Make it"]).write("out", "x\n").say(&said));
    let step = agent("Make it.", "out").replace(
        "test -s out",
        &format!("echo 'the key is {KEY}, the word {WORD}'; test -s out"),
    );
    let project = signed(&script, &plan(&[&step, "**ask:** Ship it?\n"]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let config = project.home().join(".config/signoff/config.toml");
    let folder = config.parent().expect("it is in a folder");
    std::fs::create_dir_all(folder).expect("a folder");
    std::fs::write(config, "[sandbox]\nredact = [\"correct-horse-[a-z]+\"]\n").unwrap();
    let served = Served::signed_in(&project);
    let run = newest_run(&project);
    for path in [
        format!("/runs/{run}"),
        format!("/runs/{run}/live?steps=step-1"),
        format!("/runs/{run}/report"),
        format!("/runs/{run}/report.html"),
        format!("/runs/{run}/steps/step-1?part=true"),
        format!("/runs/{run}/steps/step-1?tab=transcript"),
        format!("/api/runs/{run}"),
        format!("/api/runs/{run}/report"),
        format!("/api/runs/{run}/steps/step-1/transcript"),
        "/inbox".to_owned(),
        "/api/inbox".to_owned(),
    ] {
        let answer = served.get(&path);
        assert_eq!(answer.status, 200, "{path}: {answer:?}");
        for secret in [KEY, WORD] {
            assert!(!answer.body.contains(secret), "{path}: {}", answer.body);
        }
    }
    let told = served
        .get(&format!("/runs/{run}/steps/step-1?part=true"))
        .body;
    assert!(
        told.contains("the key is [redacted], the word [redacted]"),
        "{told}"
    );
    let events = served.follow(&format!("/api/runs/{run}/events"), None);
    let events: Vec<_> = events
        .take_while(|event| event.name != "inbox_opened")
        .collect();
    let events = format!("{events:?}");
    assert!(!events.contains(KEY) && !events.contains(WORD), "{events}");
}

/// Where only keys count, and Ada has one.
fn with_keys() -> Project {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let config = project.home().join(".config/signoff/config.toml");
    let settings = "sandbox.mode = \"off\"\napproval.minimum = \"key\"\n";
    std::fs::write(config, settings).expect("it is ours");
    let line = "mkdir -p ~/.ssh && ssh-keygen -q -t ed25519 -N '' -C '' -f ~/.ssh/id_ed25519 \
                && echo \"ada@example.org $(cat ~/.ssh/id_ed25519.pub)\" > ~/.ssh/allowed_signers \
                && git init -q . && git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers";
    project.bash(line, &project.path()).assert_success();
    project.signoff(["trust"]).assert_success();
    project.signoff(["propose", "plan.md"]).assert_success();
    project
}

/// The value of a field of a form.
fn field<'p>(page: &'p str, name: &str) -> &'p str {
    let (_, after) = page
        .split_once(&format!("name=\"{name}\" value=\""))
        .unwrap_or_else(|| panic!("no {name} in {page}"));
    after.split('"').next().expect("a first part")
}

#[test]
fn where_keys_count_the_page_shows_the_command_and_takes_what_it_prints() {
    let project = with_keys();
    let served = Served::signed_in(&project);
    let review = page(&served, "/plans/plan.md");
    assert!(review.contains("href=\"/plans/plan.md/key\""), "{review}");
    assert!(
        !review.contains("action=\"/plans/plan.md/sign\""),
        "{review}"
    );
    let asks = page(&served, "/plans/plan.md/key");
    assert!(
        !asks.contains("ssh-keygen"),
        "nobody said whose key: {asks}"
    );
    let shown = page(&served, "/plans/plan.md/key?principal=ada%40example.org");
    let (_, command) = shown.split_once("id=\"key-command\"").unwrap();
    let (command, _) = command.split_once("</pre>").unwrap();
    let command = command.split_once('>').unwrap().1;
    let command = command
        .replace("&quot;", "\"")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&amp;", "&");
    let signed = project.bash(&command, &project.path());
    signed.assert_success();
    let csrf = served.csrf();
    let names = ["digest", "terms", "principal", "at"];
    let mut fields: Vec<(&str, &str)> = names.map(|name| (name, field(&shown, name))).to_vec();
    fields.push(("csrf", &csrf));
    // Another text than the one that was shown.
    let other = signed.stdout.replacen('A', "B", 1);
    for bad in ["", "no signature", &other] {
        let refused = send(
            &served,
            "/plans/plan.md/key",
            &[fields.as_slice(), &[("signature", bad)]].concat(),
        );
        assert!((400..500).contains(&refused.status), "{bad}: {refused:?}");
    }
    // As browsers send lines.
    let lines = signed.stdout.replace('\n', "\r\n");
    let done = send(
        &served,
        "/plans/plan.md/key",
        &[fields.as_slice(), &[("signature", &lines)]].concat(),
    );
    assert_eq!(done.status, 303, "{done:?}");
    let listed = served.get("/api/plans").json();
    assert_eq!(listed["plans"][0]["proof"], "key", "{listed}");
    // A signature without a key is refused by the form, too.
    let direct = send(
        &served,
        "/plans/plan.md/sign",
        &[("csrf", &csrf), ("digest", field(&shown, "digest"))],
    );
    assert!((400..500).contains(&direct.status), "{direct:?}");
    project.signoff(["run", "plan.md"]).assert_success();
}

#[test]
fn files_that_both_changed_are_settled_and_a_refusal_says_so() {
    let (project, run) = held(true);
    let served = Served::signed_in(&project);
    let inbox = page(&served, "/inbox");
    assert!(
        inbox.contains("2 files held back") && inbox.contains("conf.txt"),
        "{inbox}"
    );
    assert!(inbox.contains("id=\"waiting-count\">1<"), "{inbox}");
    let csrf = field(&inbox, "csrf").to_owned();
    let land = |fields: &[(&str, &str)]| {
        let fields = [&[("csrf", csrf.as_str())], fields].concat();
        send(&served, &format!("/runs/{run}/land"), &fields)
    };
    // Nobody has said what becomes of them, or only of one.
    let refused = land(&[]);
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "not-landed")
    );
    let half = land(&[("settle", "take"), ("path", "conf.txt")]);
    assert_eq!((half.status, half.code().as_str()), (409, "not-landed"));
    assert_eq!(project.read("conf.txt"), "run\n");
    assert_eq!(project.read("d/b.txt"), "mine\n");
    let unknown = land(&[("settle", "take"), ("path", "new.txt")]);
    assert_eq!(unknown.status, 400, "{unknown:?}");
    let landed = land(&[("settle", "keep"), ("path", "")]);
    assert_eq!(landed.status, 303, "{landed:?}");
    assert_eq!(project.read("d/b.txt"), "mine\n");
    let inbox = page(&served, "/inbox");
    assert!(inbox.contains("Nothing waits for you"), "{inbox}");
    assert!(!inbox.contains("waiting-count"), "{inbox}");
}

#[test]
fn an_undoing_that_is_refused_is_a_conflict() {
    // In the checkout itself nothing recorded what was there before.
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    let run = newest_run(&project);
    let served = Served::signed_in(&project);
    let csrf = field(&page(&served, "/inbox"), "csrf").to_owned();
    let refused = send(&served, &format!("/runs/{run}/undo"), &[("csrf", &csrf)]);
    assert_eq!(
        (refused.status, refused.code().as_str()),
        (409, "not-undone")
    );
    assert!(
        refused.body.contains("worked in the checkout"),
        "{refused:?}"
    );
}

#[test]
fn an_undoing_says_that_later_changes_stay() {
    let (project, run) = held(true);
    project.write("new.txt", "mine\n");
    let served = Served::signed_in(&project);
    let csrf = field(&page(&served, "/inbox"), "csrf").to_owned();
    let undone = send(&served, &format!("/runs/{run}/undo"), &[("csrf", &csrf)]);
    assert!(undone.headers.contains("done=undone-in-part"), "{undone:?}");
    assert_eq!(project.read("new.txt"), "mine\n");
}
