//! The store as people and programs see it: `list`, `archive`, `prune`, `stats`, by the real binary.

use serde_json::{Map, Value, json};
use signoff_store::plan_log;
use signoff_store::root::discover;
use signoff_testkit::{Project, Reply, Script};

use crate::support::{BINARY, agent, newest_run, plan, signed};

fn project() -> Project {
    let project = Project::new(BINARY);
    let agent = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    project.write(".signoff/config.toml", agent);
    project
}

fn propose(project: &Project, title: &str) -> String {
    let request = json!({
        "title": title,
        "steps": [{"description": "Look", "tool": "odoo-toolbox", "operation": "read"}],
    });
    let output =
        project.signoff_with_input(["propose", "-", "--format", "json"], &request.to_string());
    let id = output.assert_success().json()["id"].clone();
    id.as_str().expect("an id").to_owned()
}

/// Writes the plan's log again as if everything had happened so many days earlier.
fn age(project: &Project, key: &str, days: u64) {
    let store = discover(&project.path())
        .expect("one store")
        .expect("a store");
    let records = plan_log::read(&store, key).expect("a log");
    let held = plan_log::lock(&store, key).expect("a lock");
    let log = store.log_path(key);
    std::fs::remove_file(plan_log::head_path(&log)).expect("its end is recorded");
    std::fs::remove_file(log).expect("the log is there");
    let past = std::time::SystemTime::now() - std::time::Duration::from_secs(days * 86_400);
    let at = signoff_store::timestamp::rfc3339_ms(past);
    let bodies: Vec<Map<String, Value>> = records.into_iter().map(|one| one.body).collect();
    plan_log::append(&store, key, &held, &at, &bodies).expect("a log again");
}

fn ids(listing: &Value) -> Vec<&str> {
    let plans = listing["plans"].as_array().expect("plans");
    plans
        .iter()
        .filter_map(|plan| plan["id"].as_str())
        .collect()
}

#[test]
fn an_empty_store_and_no_store() {
    let project = project();
    project
        .signoff(["list"])
        .assert_success()
        .assert_stdout_contains("no plans here yet");
    let listing = project.json(["list"]);
    assert_eq!(listing, json!({"schema": "signoff.plans/1", "plans": []}));
    Project::new(BINARY).signoff(["list"]).assert_code(6);
}

#[test]
fn states_filters_and_the_shape() {
    let project = project();
    let (a, b) = (propose(&project, "A"), propose(&project, "B"));
    project.signoff(["approve", &a]).assert_success();
    let listing = project.json(["list"]);
    assert_eq!(ids(&listing), [a.as_str(), b.as_str()], "newest first");
    let first = &listing["plans"][0];
    assert_eq!(first["title"], "A");
    assert_eq!(first["status"], "approved");
    assert_eq!(first["version"], 2);
    assert_eq!(first["proof"], "any");
    assert_eq!(first["path"], format!(".signoff/plans/{a}.md"));
    assert!(
        first["updated_at"]
            .as_str()
            .is_some_and(|at| at.ends_with('Z'))
    );
    for word in ["proposed", "verified"] {
        assert_eq!(ids(&project.json(["list", "--status", word])), [b.as_str()]);
    }
    let both = project.json(["list", "--status", "approved", "--status", "proposed"]);
    assert_eq!(ids(&both).len(), 2);
    project
        .signoff(["list"])
        .assert_success()
        .assert_stdout_contains("2 plans, 1 pending");
    project
        .signoff(["list", "--status", "aproved"])
        .assert_code(2)
        .assert_stderr_contains("approved");
    let error = project.signoff(["list", "--status", "aproved", "--format", "json"]);
    assert_eq!(error.assert_code(2).error_json()["code"], "usage");
    project
        .signoff(["list", "--status", "failed"])
        .assert_success()
        .assert_stdout_contains("no plan is in that state");
}

#[test]
fn other_tools_stores_are_listed_and_looking_makes_none() {
    let project = Project::new(BINARY);
    project.write(
        ".pi/plans/PLAN-0000000a.md",
        "---\nid: PLAN-0000000a\ntitle: T\nstatus: approved\nversion: 3\nupdated_at: 2026-02-11T12:05:00Z\ntools_required: []\n---\n\n## Steps\n1. Look (odoo: read)\n",
    );
    project.write(".pi/plans/sessions/x.jsonl", "{}\n");
    let listing = project.json(["list"]);
    let plan = &listing["plans"][0];
    // What another tool calls approved was signed by nobody here.
    assert_eq!(
        (&plan["status"], &plan["version"]),
        (&json!("verified"), &json!(3))
    );
    assert_eq!(plan["updated_at"], "2026-02-11T12:05:00.000Z");
    assert!(!project.exists(".signoff"));
}

#[test]
fn a_run_that_goes_on_or_was_cut_off_is_never_taken_from_the_index() {
    let script = Script::new().reply(
        Reply::when(["Make one"])
            .write("begun", "x")
            .pause_ms(30_000),
    );
    let project = signed(&script, &plan(&[&agent("Make one", "out")]));
    project.write("waiting.md", &plan(&[&agent("Make one", "out")]));
    let mut running = project.spawn(["run", "plan.md"]);
    assert!(running.wait_until(|| project.exists("begun")));
    let status = || project.json(["list"])["plans"][0]["status"].clone();
    assert_eq!(status(), "executing");
    assert_eq!(status(), "executing");
    assert_stuck_without_a_sign_of_life(&project, running.id());
    running.kill();
    assert_eq!(status(), "stalled");
    project.signoff(["cancel", "plan.md"]).assert_success();
    assert_eq!(status(), "cancelled");
}

/// The time after which a process counts as hung may be shorter than the time that a step may take.
#[track_caller]
fn assert_stuck_without_a_sign_of_life(project: &Project, process: u32) {
    let bash = |command: &str| {
        project.bash(command, &project.path()).assert_success();
    };
    bash(&format!("kill -STOP {process}"));
    let short = [("SIGNOFF_PLANS_EXECUTOR_TIMEOUT_MINUTES", "1")];
    bash("touch -d '3 minutes ago' .signoff/runs/*/journal.jsonl .signoff/runs/*/lock");
    project
        .signoff_with(&short, ["status"])
        .assert_success()
        .assert_stdout_contains("stuck for")
        .assert_stdout_contains("0 of 1 steps are done")
        .assert_stdout_contains("marks it failed, `signoff cancel plan.md` cancels its plan");
    // What a process does that waits for its agent.
    bash("touch .signoff/runs/*/lock");
    let waits = project.signoff_with(&short, ["status", "--format", "json"]);
    assert_eq!(waits.assert_success().json()["status"], "executing");
}

#[test]
fn a_store_that_cannot_be_written_is_listed_all_the_same() {
    let project = project();
    let id = propose(&project, "A");
    age(&project, &id, 31);
    // Neither the index nor a lock can be made: directories and files are in their way. (Modes would
    // not stop the root user.)
    std::fs::remove_dir_all(project.path().join(".signoff/locks")).expect("locks");
    project.write(".signoff/locks", "");
    std::fs::remove_file(project.path().join(".signoff/index.json")).ok();
    std::fs::create_dir(project.path().join(".signoff/index.json")).expect("free");
    project
        .signoff(["list"])
        .assert_success()
        .assert_stdout_contains(&id)
        .assert_stdout_contains("verified")
        .assert_stderr_contains("1 plan is due to expire");
}

#[test]
fn time_is_announced_on_stderr() {
    let project = project();
    let (old, new) = (propose(&project, "Old"), propose(&project, "New"));
    age(&project, &old, 31);
    let output = project.signoff(["list", "--format", "json"]);
    output
        .assert_success()
        .assert_stderr_contains("has expired");
    assert_eq!(output.json()["plans"].as_array().map(Vec::len), Some(2));
    age(&project, &old, 91);
    let output = project.signoff(["list", "--format", "json"]);
    output
        .assert_success()
        .assert_stderr_contains("is archived");
    assert_eq!(ids(&output.json()), [new.as_str()]);
    assert!(project.exists(format!(".signoff/archive/{old}.md")));
    let shown = project.json(["show", &old]);
    assert_eq!(shown["status"], "cancelled");
    assert_eq!(ids(&project.json(["list", "--all"])).len(), 2);
}

#[test]
fn archive_and_prune_are_a_persons() {
    let project = project();
    let id = propose(&project, "A");
    project.signoff(["archive", &id]).assert_code(5);
    project.signoff(["reject", &id]).assert_success();
    let agent = Project::new(BINARY).env("SIGNOFF_INSIDE", "1");
    for args in [vec!["archive", &id], vec!["archive"], vec!["prune"]] {
        agent.signoff(args).assert_code(4);
    }
    let archived = project.json(["archive", &id]);
    assert_eq!(archived["schema"], "signoff.archived/1");
    assert_eq!(
        archived["plans"][0]["path"],
        format!(".signoff/archive/{id}.md")
    );
    project
        .signoff(["archive"])
        .assert_success()
        .assert_stdout_contains("nothing to archive");
    project
        .signoff(["prune"])
        .assert_success()
        .assert_stdout_contains("nothing to delete");
    age(&project, &id, 400);
    let dry = project.json(["prune", "--dry-run"]);
    assert_eq!(
        (&dry["dry_run"], &dry["older_than_days"]),
        (&json!(true), &json!(365))
    );
    assert_eq!(dry["removed"][0]["kind"], "plan");
    assert!(dry["bytes"].as_u64().is_some_and(|bytes| bytes > 0));
    assert!(project.exists(format!(".signoff/archive/{id}.md")));
    project
        .signoff(["prune"])
        .assert_success()
        .assert_stdout_contains(&format!("deleted plan {id}"));
    assert!(!project.exists(format!(".signoff/archive/{id}.md")));
    assert!(project.exists(format!(".signoff/log/{id}.jsonl")));
    project.signoff(["show", &id]).assert_code(2);
}

#[test]
fn prune_takes_finished_runs_of_plans_that_are_gone() {
    let script = Script::new().reply(Reply::when(["Make one"]).write("out", "x"));
    let project = signed(&script, &plan(&[&agent("Make one", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    let run = project.json(["status"])["run"].clone();
    let kinds = |output: Value| -> Vec<Value> {
        let removed = output["removed"].as_array().expect("removed").clone();
        removed.into_iter().map(|one| one["kind"].clone()).collect()
    };
    let there = project.json(["prune", "--older-than", "0", "--dry-run"]);
    assert_eq!(kinds(there), [""; 0], "its plan is there");
    std::fs::remove_file(project.path().join("plan.md")).expect("the plan");
    let year = project.json(["prune", "--dry-run"]);
    assert!(!kinds(year).contains(&json!("run")), "it is young");
    let now = project.json(["prune", "--older-than", "0"]);
    assert_eq!(now["removed"][0]["id"], run);
    assert_eq!(kinds(now), ["run", "lock"]);
}

#[test]
fn what_is_damaged_comes_with_what_can_be_typed() {
    let script = Script::new().reply(Reply::when(["Make one"]).write("out", "x"));
    let project = signed(&script, &plan(&[&agent("Make one", "out")]));
    project.signoff(["run", "plan.md"]).assert_success();
    let run = newest_run(&project);
    let of_run = |file: &str| format!(".signoff/runs/{run}/{file}");
    let prune = format!("`signoff prune {run}`");
    let journal = of_run("journal.jsonl");
    let says = |commands: &[&[&str]], hint: &str| {
        for command in commands {
            let output = project.signoff(*command);
            output.assert_code(6).assert_stderr_contains(hint);
        }
    };
    // A directory in the place of a file.
    let lock = of_run("lock");
    let cases: [(&str, &[&[&str]], &str); 5] = [
        (&journal, &[&["list"], &["inbox"], &["status"]], &prune),
        (&lock, &[&["undo"]], "`rm -r "),
        (".signoff/locks/start", &[&["prune"]], "`rm -r "),
        (
            ".signoff/project.json",
            &[&["show", "plan.md"]],
            "`git restore ",
        ),
        (
            ".signoff/log/plan.md.jsonl",
            &[&["show", "plan.md"]],
            "`git restore ",
        ),
    ];
    for (file, commands, hint) in cases {
        let path = project.path().join(file);
        let aside = path.with_extension("aside");
        std::fs::rename(&path, &aside).expect("it is there");
        std::fs::create_dir(&path).expect("its place is free");
        says(commands, hint);
        std::fs::remove_dir(&path).expect("it is empty");
        std::fs::rename(&aside, &path).expect("its place is free");
    }
    // What cannot be looked at is not gone.
    let path = project.path().join(&journal);
    let aside = path.with_extension("aside");
    std::fs::rename(&path, &aside).expect("it is there");
    std::os::unix::fs::symlink(&path, &path).expect("its place is free");
    let commands: [&[&str]; 3] = [&["status"], &["show", "plan.md"], &["log"]];
    says(&commands, "Too many levels");
    std::fs::remove_file(&path).expect("the link is ours");
    std::fs::rename(&aside, &path).expect("its place is free");
    // Other words in it.
    let project_file = project.path().join(".signoff/project.json");
    let kept = std::fs::read(&project_file).expect("it is there");
    project.write(".signoff/project.json", "");
    says(&[&["show", "plan.md"]], "`git restore ");
    std::fs::write(&project_file, kept).expect("it is a file");
    project.write(&journal, "");
    says(&[&["list"], &["inbox"], &["status"]], &prune);
}

#[test]
fn stats_for_people_and_programs() {
    let project = project();
    let (a, b) = (propose(&project, "A"), propose(&project, "B"));
    project.signoff(["approve", &a]).assert_success();
    project
        .signoff(["reject", &b, "--feedback", "no"])
        .assert_success();
    let stats = project.json(["stats"]);
    assert_eq!(stats["schema"], "signoff.stats/1");
    assert_eq!(stats["approval_rate"], 0.5);
    assert_eq!(stats["states"]["approved"], 1);
    assert_eq!(stats["median_approval_s"], 0);
    assert_eq!(
        stats["tool_gaps"],
        json!([{"tool": "odoo-toolbox", "plans": 2}])
    );
    project
        .signoff(["stats"])
        .assert_success()
        .assert_stdout_contains("2 plans: 1 approved, 1 rejected")
        .assert_stdout_contains("odoo-toolbox: 2 plans ask for it");
}

/// Wherever `archive` is killed, the plan is whole in exactly one place, its state is what it was,
/// and the next list leaves the log saying where it is.
#[test]
fn an_archive_that_is_killed_loses_nothing() {
    for point in [
        "move.before",
        "move.renamed",
        "move.after",
        "append.before",
        "append.torn",
        "append.after",
        "archive.logged",
    ] {
        let project = project();
        let id = propose(&project, "A");
        project
            .signoff(["reject", &id, "--feedback", "no"])
            .assert_success();
        let text = project.read(format!(".signoff/plans/{id}.md"));
        let project = project.env("SIGNOFF_FAILPOINT", format!("{point}:1"));
        let killed = project.signoff(["archive", &id]);
        assert_eq!(killed.code, None, "{point} was not reached: {killed}");
        let project = project.env("SIGNOFF_FAILPOINT", "");
        let paths = ["plans", "archive"].map(|folder| format!(".signoff/{folder}/{id}.md"));
        let there: Vec<_> = paths.iter().filter(|path| project.exists(path)).collect();
        let [only] = there.as_slice() else {
            panic!("{point}: {there:?}");
        };
        assert_eq!(project.read(only), text, "{point}");
        assert_eq!(project.json(["show", &id])["status"], "rejected", "{point}");
        let moved = only.contains("archive");
        assert_eq!(
            ids(&project.json(["list"])).len(),
            usize::from(!moved),
            "{point}"
        );
        let log = project.read(format!(".signoff/log/{id}.jsonl"));
        assert_eq!(
            log.matches("plan_archived").count(),
            usize::from(moved),
            "{point}"
        );
        if !moved {
            project.signoff(["archive", &id]).assert_success();
        }
        assert_eq!(
            ids(&project.json(["list", "--all"])),
            [id.as_str()],
            "{point}"
        );
    }
}

/// Killed in the middle, `prune` is finished by the next one.
#[test]
fn a_prune_that_is_killed_is_repeated() {
    for point in ["append.before", "append.after", "prune.logged"] {
        let project = project();
        let id = propose(&project, "A");
        project.signoff(["cancel", &id]).assert_success();
        project.signoff(["archive", &id]).assert_success();
        project.write(format!(".signoff/artifacts/{id}/x"), "x");
        age(&project, &id, 400);
        let project = project.env("SIGNOFF_FAILPOINT", format!("{point}:1"));
        assert_eq!(
            project.signoff(["prune"]).code,
            None,
            "{point} was not reached"
        );
        let project = project.env("SIGNOFF_FAILPOINT", "");
        project
            .signoff(["prune"])
            .assert_success()
            .assert_stdout_contains("deleted plan")
            .assert_stdout_contains("deleted artifacts");
        let log = project.read(format!(".signoff/log/{id}.jsonl"));
        assert_eq!(log.matches("plan_deleted").count(), 1, "{point}");
    }
}

#[test]
fn nothing_is_written_behind_a_link() {
    let project = project();
    let id = propose(&project, "A");
    let foreign = project.outside("foreign");
    std::fs::create_dir(&foreign).expect("a folder");
    let large = json!({
        "title": "B",
        "context": "long ".repeat(20_000),
        "steps": [{"description": "Look", "tool": "odoo-toolbox", "operation": "read"}],
    });
    let large = large.to_string();
    for (link, arguments) in [
        (format!("signatures/{id}"), vec!["approve", &id]),
        ("artifacts".to_owned(), vec!["propose", "-"]),
        ("archive".to_owned(), vec!["cancel", &id]),
    ] {
        let at = project.path().join(".signoff").join(&link);
        std::fs::create_dir_all(at.parent().expect("a folder")).expect("a folder");
        std::os::unix::fs::symlink(&foreign, &at).expect("a link");
        project
            .signoff_with_input(arguments, &large)
            .assert_code(4)
            .assert_stderr_contains(&format!(
                ".signoff/{link} is a link to somewhere else, or lies behind one"
            ));
        std::fs::remove_file(&at).expect("the link");
        let left = std::fs::read_dir(&foreign).expect("a folder").count();
        assert_eq!(left, 0, "{link}");
    }
    assert_eq!(project.json(["show", &id])["status"], "verified");
}

#[test]
fn a_plan_is_listed_however_its_path_was_spelled_and_refused_outside() {
    let project = project();
    let text = |id: &str| {
        format!(
            "---\nid: {id}\ntitle: T\nstatus: proposed\nversion: 1\ntools_required: [odoo]\n---\n\n\
             ## Steps\n1. Look at it (odoo: read)\n"
        )
    };
    project.write("top.md", &text("top"));
    project.write("sub/dir/low.md", &text("low"));
    let from = |line: &str| project.bash(line, &project.path().join("sub/dir"));
    from("signoff propose ../../top.md").assert_success();
    from("ln -s low.md link.md && signoff propose ./link.md").assert_success();
    let listing = project.json(["list"]);
    let mut paths: Vec<_> = listing["plans"]
        .as_array()
        .expect("plans")
        .iter()
        .map(|plan| plan["path"].as_str().expect("a path"))
        .collect();
    paths.sort_unstable();
    assert_eq!(paths, ["sub/dir/low.md", "top.md"]);
    let foreign = project.outside("foreign.md");
    std::fs::write(&foreign, text("foreign")).expect("a file");
    let foreign = foreign.display();
    for line in [
        format!("signoff propose '{foreign}'"),
        format!("ln -s '{foreign}' out.md && signoff propose out.md"),
    ] {
        from(&line)
            .assert_code(2)
            .assert_stderr_contains("is not in the project");
    }
    assert!(!project.exists(".signoff/log/foreign.jsonl"));
    from(&format!("signoff propose - < '{foreign}'")).assert_success();
}

#[test]
fn a_run_that_has_ended_asks_nothing() {
    let ask = "**depends_on:** none\n**ask:** why?\n";
    let fails = "**depends_on:** none\n**contract:**\n```shell\nfalse\n```\n**on_fail:** abort\n";
    let project = signed(&Script::new(), &plan(&[ask]));
    project.signoff(["run", "plan.md"]).assert_code(3);
    let asks = "(asks you 1 question)";
    project.signoff(["list"]).assert_stdout_contains(asks);
    let project = signed(&Script::new(), &plan(&[ask, fails]));
    project.signoff(["run", "plan.md"]).assert_code(1);
    assert_eq!(project.json(["inbox"])["items"], json!([]));
    let output = project.signoff(["list"]);
    output.assert_success().assert_stdout_lacks("asks you");
    // One whose run cannot be read is not nowhere.
    let run = newest_run(&project);
    std::fs::remove_file(
        project
            .path()
            .join(format!(".signoff/runs/{run}/journal.jsonl")),
    )
    .expect("a journal");
    let output = project.signoff(["list"]);
    output
        .assert_code(6)
        .assert_stdout_contains("no plan can be shown");
}

#[test]
fn a_plan_whose_log_is_none_is_named() {
    let project = project();
    let good = propose(&project, "Good");
    let kept = propose(&project, "Kept");
    let other = project
        .path()
        .join(format!(".signoff/plans/{}.md", propose(&project, "X")));
    let text = std::fs::read_to_string(&other).expect("a plan");
    std::fs::remove_file(&other).expect("a plan");
    project.write("docs/plan.md", &text.replace("id: PLAN-", "id: DOC-"));
    let id = project.json(["propose", "docs/plan.md"])["id"].clone();
    for key in [kept.as_str(), id.as_str().expect("an id")] {
        let log = project.path().join(format!(".signoff/log/{key}.jsonl"));
        let away = project.outside("log.jsonl");
        project.json(["list"]);
        std::fs::rename(&log, &away).expect("a log");
        let check = |why: &str| {
            let output = project.signoff(["list"]);
            output
                .assert_code(6)
                .assert_stderr_contains(&format!("{key}.jsonl is left out: "))
                .assert_stderr_contains(why)
                .assert_stdout_contains(&good)
                .assert_stdout_lacks(&format!("{key} "));
        };
        std::os::unix::fs::symlink(&away, &log).expect("a link");
        check("a link");
        std::fs::remove_file(&log).expect("a link");
        std::fs::create_dir(&log).expect("a folder");
        check("this is not a file");
        std::fs::remove_dir(&log).expect("a folder");
        std::fs::rename(&away, &log).expect("a log");
        project.signoff(["list"]).assert_success();
    }
}

#[test]
fn what_the_system_refuses_to_write_is_no_conflict() {
    let project = project();
    let id = propose(&project, "A");
    for line in [
        format!("trap '' XFSZ; ulimit -f 0; signoff clone {id}"),
        format!(
            "trap '' XFSZ; ulimit -f 0; sed /^id:/d .signoff/plans/{id}.md | signoff propose -"
        ),
        format!("mkdir .signoff/plans/.{id}.md.signoff-tmp; signoff reject {id} --feedback no"),
    ] {
        let output = project.bash(&line, &project.path());
        assert_eq!(output.code, Some(6), "{line}: {output}");
    }
}

#[test]
fn what_is_listed_can_be_typed() {
    let project = project();
    let id = propose(&project, "Old");
    project.signoff(["cancel", &id]).assert_success();
    project.signoff(["archive", &id]).assert_success();
    project.write(".signoff/plans/sess1/plan.md", "---\ntitle: Thread\n---\n");
    project.write(".signoff/plans/sess1/tasks/01-a.md", "---\nid: a\n---\nA\n");
    let other = "id: other\ntask: Other\nstatus: draft\nversion: 1\nsteps: []\n";
    project.write(".signoff/plans/called-so.yaml", other);
    let output = project.signoff(["list", "--all"]);
    let listed = output.assert_success().stdout.clone();
    let mut names: Vec<_> = listed
        .lines()
        .skip(1)
        .filter(|line| line.contains("20"))
        .filter_map(|line| line.split_whitespace().next())
        .collect();
    names.sort_unstable();
    assert_eq!(names, [id.as_str(), "other", "sess1"], "{listed}");
    output.assert_stdout_contains("Old  (archived)");
    for name in names {
        project.signoff(["show", name]).assert_success();
    }
}

#[test]
fn prune_takes_artifacts_that_no_plan_has() {
    let project = project();
    let large = json!({
        "title": "Large",
        "context": "long ".repeat(20_000),
        "steps": [{"description": "Look", "tool": "odoo-toolbox", "operation": "read"}],
    });
    let kept = project.signoff_with_input(["propose", "-", "--format", "json"], &large.to_string());
    let kept = kept.assert_success().json()["id"].clone();
    let kept = kept.as_str().expect("an id");
    let artifacts = |id: &str| format!(".signoff/artifacts/{id}/context.md");
    for (id, file) in [
        ("PLAN-left", "context.md"),
        ("PLAN-young", "context.md"),
        ("PLAN-x", "theirs"),
    ] {
        project.write(format!(".signoff/artifacts/{id}/{file}"), "text");
    }
    project
        .bash(
            "touch -d '2 hours ago' .signoff/artifacts/{*-left,*-x,PLAN-????????}",
            &project.path(),
        )
        .assert_success();
    let prune = |flag: &str| {
        let output = project.signoff(["prune", "--older-than", "0", flag]);
        output.assert_success().assert_stdout_contains("PLAN-left");
        output.stdout
    };
    let said = prune("--dry-run");
    assert!(project.exists(artifacts("PLAN-left")));
    let done = prune("--records");
    for other in ["PLAN-young", "PLAN-x", kept] {
        assert!(
            !said.contains(other) && !done.contains(other),
            "{said}{done}"
        );
    }
    assert!(!project.exists(".signoff/artifacts/PLAN-left"));
    for there in [
        artifacts("PLAN-young"),
        artifacts(kept),
        ".signoff/artifacts/PLAN-x/theirs".to_owned(),
    ] {
        assert!(project.exists(&there), "{there}");
    }
    project.signoff(["delete", kept]).assert_success();
    project
        .signoff(["prune", "--older-than", "0"])
        .assert_stdout_contains(kept);
    assert!(!project.exists(artifacts(kept)));
}

#[test]
fn a_deleted_plan_is_not_proposed_instead_of_itself() {
    let project = project();
    let id = propose(&project, "A");
    let typo = format!("{id}x");
    let meant = format!("did you mean `{id}`?");
    project
        .signoff(["show", &typo])
        .assert_code(2)
        .assert_stderr_contains(&meant);
    project.signoff(["delete", &id]).assert_success();
    let gone = project.signoff(["show", &id]);
    gone.assert_code(2)
        .assert_stderr_contains(&format!("plan `{id}` was deleted"));
    let typo = project.signoff(["show", &typo]);
    typo.assert_code(2).assert_stderr_contains("not found");
    assert!(
        !gone.stderr.contains(&meant) && !typo.stderr.contains(&meant),
        "{typo}"
    );
}

/// The PATH is one of the terms that a signature covers, so a list in another shell says something else, and knows better
/// again in the first.
#[test]
fn what_another_shell_listed_is_not_believed() {
    let project = project();
    let id = propose(&project, "Look");
    project.signoff(["approve", &id]).assert_success();
    // What was written just now would be read again anyway.
    let age = "find .signoff -exec touch -d '1 hour ago' {} +";
    project.bash(age, &project.path()).assert_success();
    let listed = |variables: &[(&str, &str)]| {
        let output = project.signoff_with(variables, ["list", "--format", "json"]);
        output.assert_success().json()["plans"][0]["status"].clone()
    };
    assert_eq!(listed(&[]), "approved");
    assert_eq!(listed(&[("PATH", "/usr/bin:/bin:/opt")]), "verified");
    assert_eq!(listed(&[]), "approved");
}
