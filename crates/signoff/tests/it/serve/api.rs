//! What a person does through the API.

use serde_json::json;
use signoff_testkit::Script;

use super::browser::Served;
use crate::support::{agent, makes_out, plan, project, signed, waits_then_makes_out};

#[test]
fn a_plan_is_handed_in_signed_started_and_read() {
    let project = project(&makes_out(), "");
    project.signoff(["trust"]).assert_success();
    let served = Served::signed_in(&project);
    let text = plan(&[&agent("Make it.", "out")]);
    let checked = served.post("/api/check", &json!({"text": "---\ntype: plan\n---\n"}));
    assert_eq!(checked.status, 200, "{checked:?}");
    assert_ne!(checked.json()["errors"], 0);
    let proposed = served.post("/api/plans", &json!({"text": text}));
    assert_eq!(proposed.status, 200, "{proposed:?}");
    let id = proposed.json()["id"].as_str().unwrap().replace('/', "%2F");
    let shown = served.get(&format!("/api/plans/{id}"));
    assert_eq!(shown.json()["schema"], "signoff.plan/1", "{shown:?}");
    let digest = shown.json()["digest"].clone();
    let text_again = served.get(&format!("/api/plans/{id}/text"));
    assert_eq!(text_again.json()["digest"], digest);
    let early = served.post(&format!("/api/plans/{id}/start"), &json!({}));
    assert_eq!(early.status, 403, "as the command line: {early:?}");
    assert_eq!(early.code(), "not-signed");
    let moved = served.post(
        &format!("/api/plans/{id}/approve"),
        &json!({"expect_digest": "0123456789abcdef"}),
    );
    assert_eq!(moved.status, 409, "{moved:?}");
    let approved = served.post(
        &format!("/api/plans/{id}/approve"),
        &json!({"expect_digest": digest, "note": "read it"}),
    );
    assert_eq!(approved.status, 200, "{approved:?}");
    assert_eq!(approved.json()["status"], "approved");
    let listed = served.get("/api/plans?status=approved").json();
    assert_eq!(listed["plans"][0]["proof"], "page", "{listed}");
    let started = served.post(&format!("/api/plans/{id}/start"), &json!({}));
    assert_eq!(started.status, 200, "{started:?}");
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let last = served.follow(&format!("/api/runs/{run}/events"), None);
    let mut last = last.skip_while(|event| event.name != "run_finished");
    assert_eq!(last.next().unwrap().data["outcome"], "completed");
    let status = served.get(&format!("/api/runs/{run}")).json();
    assert_eq!(status["steps"][0]["evidence"], "held", "{status}");
    let said = served.get(&format!("/api/runs/{run}/steps/step-1/transcript"));
    assert_eq!(said.json()["schema"], "signoff.transcript/1", "{said:?}");
    let runs = served.get("/api/runs").json();
    assert_eq!(runs["runs"][0]["run"], run.as_str());
}

#[test]
fn the_name_of_who_signed_in_enters_the_signature() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    let made = project.signoff(["serve", "--add-person", "Ada Lovelace"]);
    let token = made
        .stdout
        .lines()
        .next()
        .unwrap()
        .strip_prefix("token: ")
        .unwrap();
    let lines: Vec<&str> = made.stdout.lines().skip(1).collect();
    let config = project.home().join(".config/signoff/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    std::fs::write(&config, lines.join("\n")).unwrap();
    let mut served = Served::started(&project, &[], &[]);
    assert!(
        !served.server.stderr_so_far().contains("code"),
        "people have tokens"
    );
    assert_eq!(served.get("/api/plans").status, 401);
    assert_eq!(served.form("/sign-in", "token=0000").status, 403);
    let answer = served.form("/sign-in", &format!("token={token}"));
    served.cookie = super::browser::cookie_of(&answer);
    let shown = served.get("/api/plans/plan.md").json();
    let (digest, terms) = (&shown["digest"], &shown["terms"]);
    // The terms are signed, too: others than those that were shown are a conflict.
    let stale = served.post(
        "/api/plans/plan.md/approve",
        &json!({"expect_digest": digest, "expect_terms": digest}),
    );
    assert_eq!(stale.status, 409, "{stale:?}");
    let signed = served.post(
        "/api/plans/plan.md/approve",
        &json!({"expect_digest": digest, "expect_terms": terms}),
    );
    assert_eq!(signed.status, 200, "{signed:?}");
    let log = std::fs::read_dir(project.path().join(".signoff/signatures")).unwrap();
    let folder = log.flatten().next().unwrap().path();
    let file = std::fs::read_dir(folder)
        .unwrap()
        .flatten()
        .next()
        .unwrap()
        .path();
    let signature = std::fs::read_to_string(file).unwrap();
    assert!(
        signature.contains("Ada Lovelace") && signature.contains("\"page\""),
        "{signature}"
    );
    // A program sends the token with each request.
    served.cookie.clear();
    let bearer = format!("Bearer {token}");
    let request = served.request("GET", "/api/plans", &[("authorization", &bearer)], "");
    assert_eq!(served.send(&request).status, 200);
    // Whoever is struck out is out.
    std::fs::write(&config, "").unwrap();
    assert_eq!(served.send(&request).status, 401);
}

#[test]
fn a_run_is_stopped_resumed_and_answered_from_elsewhere() {
    let script = Script::new().reply(waits_then_makes_out());
    let project = signed(&script, &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let started = served.post("/api/plans/plan.md/start", &json!({}));
    assert_eq!(started.status, 200, "{started:?}");
    let run = started.json()["run"].as_str().unwrap().to_owned();
    let mut events = served.follow(&format!("/api/runs/{run}/events"), None);
    assert!(events.any(|event| event.name == "process_started"));
    let stopped = served.post(&format!("/api/runs/{run}/stop"), &json!({}));
    assert_eq!(stopped.status, 200, "{stopped:?}");
    project.write("go", "x");
    let resumed = served.post(&format!("/api/runs/{run}/resume"), &json!({}));
    assert_eq!(resumed.status, 200, "{resumed:?}");
    assert!(events.any(|event| event.name == "run_finished"));
    let inbox = served.get("/api/inbox");
    assert_eq!(inbox.json()["schema"], "signoff.inbox/1");
    // It worked in the checkout itself.
    let undone = served.post(&format!("/api/runs/{run}/undo"), &json!({}));
    assert_eq!(
        (undone.status, undone.code().as_str()),
        (409, "not-undone"),
        "{undone:?}"
    );
}

#[test]
fn stale_versions_are_conflicts_and_nothing_is_lost() {
    let text = "---\nid: PLAN-a1b2c3d4\ntitle: \"T\"\nstatus: proposed\nversion: 1\ntools_required: [files]\n---\n\n## Steps\n1. Read the file (files: read)\n";
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    project.write("p.md", text);
    project.signoff(["propose", "p.md"]).assert_success();
    let served = Served::signed_in(&project);
    let version = served.get("/api/plans/PLAN-a1b2c3d4").json()["version"].clone();
    let version = version.as_u64().unwrap();
    let new = project
        .read("p.md")
        .replace("Read the file", "Read another file");
    let stale = json!({"text": new, "expect_version": version + 7});
    let refused = served.post("/api/plans/PLAN-a1b2c3d4/revise", &stale);
    assert_eq!(refused.status, 409, "{refused:?}");
    assert!(project.read("p.md").contains("Read the file"));
    let current = json!({"text": new, "expect_version": version});
    let done = served.post("/api/plans/PLAN-a1b2c3d4/revise", &current);
    assert_eq!(done.status, 200, "{done:?}");
    assert!(project.read("p.md").contains("Read another file"));
}

#[test]
fn a_plan_is_edited_and_commented_on() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let digest = served.get("/api/plans/plan.md").json()["digest"].clone();
    let change =
        json!({"type": "set_step", "step": "step-1", "field": "title", "value": "Another title"});
    let edit = json!({"changes": [change], "expect_digest": digest});
    let done = served.post("/api/plans/plan.md/edit", &edit);
    assert_eq!(done.status, 200, "{done:?}");
    assert!(project.read("plan.md").contains("Another title"));
    let again = served.post("/api/plans/plan.md/edit", &edit);
    assert_eq!(again.status, 409, "{again:?}");
    let said = served.post(
        "/api/plans/plan.md/comments",
        &json!({"text": "why?", "step": "step-1"}),
    );
    assert_eq!(said.status, 200, "{said:?}");
    let id = said.json()["comments"][0]["id"]
        .as_str()
        .unwrap()
        .to_owned();
    let settled = served.post(
        &format!("/api/plans/plan.md/comments/{id}/resolve"),
        &json!({}),
    );
    assert_eq!(settled.status, 200, "{settled:?}");
}

#[test]
fn a_key_signs_elsewhere_what_the_server_shows() {
    let project = project(&Script::new(), &plan(&[&agent("Make it.", "out")]));
    let line = "ssh-keygen -q -t ed25519 -N '' -f ../key && (printf 'ada@x '; cut -d' ' -f1,2 ../key.pub) > ../signers && git init -q . && git config --global gpg.ssh.allowedSignersFile $PWD/../signers";
    project.bash(line, &project.path()).assert_success();
    let served = Served::signed_in(&project);
    let digest = served.get("/api/plans/plan.md").json()["digest"].clone();
    let shown = served.get("/api/plans/plan.md/statement?principal=ada%40x&note=yes");
    assert_eq!(shown.status, 200, "{shown:?}");
    let text = shown.json()["text"].as_str().unwrap().to_owned();
    std::fs::write(project.outside("statement.json"), &text).unwrap();
    let statement = project.outside("statement.json");
    let sign = format!(
        "ssh-keygen -q -Y sign -n signoff -f ../key {}",
        statement.display()
    );
    project.bash(&sign, &project.path()).assert_success();
    let signature = std::fs::read_to_string(project.outside("statement.json.sig")).unwrap();
    let approval = |note: &str| {
        json!({"expect_digest": digest, "note": note, "key": {
            "principal": "ada@x", "at": shown.json()["at"], "signature": signature
        }})
    };
    let other = served.post("/api/plans/plan.md/approve", &approval("no"));
    assert!(
        (400..500).contains(&other.status),
        "another statement: {other:?}"
    );
    let done = served.post("/api/plans/plan.md/approve", &approval("yes"));
    assert_eq!(done.status, 200, "{done:?}");
    let listed = served.get("/api/plans").json();
    assert_eq!(listed["plans"][0]["proof"], "key", "{listed}");
}

#[test]
fn a_new_text_is_for_the_plan_that_was_shown() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let digest = served.get("/api/plans/plan.md").json()["digest"].clone();
    let text = plan(&[&agent("Make it well.", "out")]);
    let revise = |text: &str, digest: &serde_json::Value| {
        let body = json!({"text": text, "expect_digest": digest});
        served.post("/api/plans/plan.md/revise", &body)
    };
    let done = revise(&text, &digest);
    assert_eq!(done.status, 200, "{done:?}");
    // Somebody else was shown the same text, and answers later.
    let late = revise(&plan(&[&agent("Make it badly.", "out")]), &digest);
    assert_eq!(
        (late.status, late.code().as_str()),
        (409, "moved"),
        "{late:?}"
    );
    assert!(project.read("plan.md").contains("Make it well."));
    let wrong = revise(&text, &json!("xyz"));
    assert_eq!(wrong.status, 400, "{wrong:?}");
}

#[test]
fn a_rejection_is_of_the_plan_that_was_shown() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let served = Served::signed_in(&project);
    let digest = served.get("/api/plans/plan.md").json()["digest"].clone();
    project.write("plan.md", &plan(&[&agent("Make it well.", "out")]));
    let reject = |digest: &serde_json::Value| {
        let body = json!({"feedback": "no", "expect_digest": digest});
        served.post("/api/plans/plan.md/reject", &body)
    };
    let late = reject(&digest);
    assert_eq!(
        (late.status, late.code().as_str()),
        (409, "moved"),
        "{late:?}"
    );
    let word = digest.as_str().unwrap();
    let typed = project.signoff(["reject", "plan.md", "--expect-digest", word]);
    assert_eq!(typed.code, Some(5), "{typed}");
    let now = served.get("/api/plans/plan.md").json()["digest"].clone();
    assert_eq!(reject(&now).json()["status"], "rejected");
}

#[test]
fn a_plan_that_two_people_sign_says_who_is_waited_for() {
    let project = project(&makes_out(), &plan(&[&agent("Make it.", "out")]));
    let config = project.home().join(".config/signoff/config.toml");
    std::fs::create_dir_all(config.parent().unwrap()).unwrap();
    let settings = "[approval]\nfrom = [\"tester\", \"Bob\"]\ncount = 2\n";
    std::fs::write(config, settings).unwrap();
    project.signoff(["trust"]).assert_success();
    let served = Served::signed_in(&project);
    let digest = served.get("/api/plans/plan.md").json()["digest"].clone();
    let body = json!({"expect_digest": digest});
    let done = served.post("/api/plans/plan.md/approve", &body);
    assert_eq!(done.status, 200, "{done:?}");
    assert_eq!(done.json()["status"], "verified");
    assert_eq!(done.json()["approval"]["summary"], "1 of 2: waits for Bob");
    let again = served.post("/api/plans/plan.md/approve", &body);
    assert_eq!(
        (again.status, again.code().as_str()),
        (409, "signed-already")
    );
    let early = served.post("/api/plans/plan.md/start", &json!({}));
    assert_eq!(
        (early.status, early.code().as_str()),
        (403, "more-signatures")
    );
    let page = served.get("/plans/plan.md").body;
    assert!(page.contains("1 of 2: waits for Bob"), "{page}");
}

#[test]
fn a_landing_that_is_refused_is_a_conflict() {
    let project = signed(&makes_out(), &plan(&[&agent("Make it.", "out")])).on_trees();
    project.git("init -q -b main");
    project.git("config user.name p");
    project.git("config user.email p@x");
    project.git("add -A");
    project.git("commit -qm base");
    let config = project.read(".signoff/config.toml");
    let config = config.replace(
        "[run]\n",
        "[run]\nland = \"end\"\nisolation = \"worktree\"\n",
    );
    project.write(".signoff/config.toml", &config);
    project.signoff(["trust"]).assert_success();
    project.signoff(["approve", "plan.md"]);
    project.write("out", "mine");
    project.signoff(["run", "plan.md"]);
    let served = Served::signed_in(&project);
    let run = served.get("/api/runs").json()["runs"][0]["run"].clone();
    let landed = served.post(
        &format!("/api/runs/{}/land", run.as_str().unwrap()),
        &json!({}),
    );
    assert_eq!(
        (landed.status, landed.code().as_str()),
        (409, "not-landed"),
        "{landed:?}"
    );
    assert_eq!(project.read("out"), "mine");
}
