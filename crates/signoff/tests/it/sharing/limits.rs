//! What holds across runs: locks that steps name, the money of a day, and who judges.

use signoff_testkit::{Reply, Script};

use super::fleet::Fleet;
use crate::support::{agent, makes_out, plan};

fn locked(task: &str, file: &str) -> String {
    let step = format!("**locks:** db\n{}", agent(task, file));
    plan(&[&step])
}

#[test]
fn two_runs_never_have_one_lock_whoever_drives_them() {
    let script = Script::new().reply(
        Reply::always()
            .append("OUTSIDE/begun", "x")
            .wait_for("OUTSIDE/go")
            .write("one", "x\n")
            .write("two", "x\n")
            .say("done"),
    );
    let Some(fleet) = Fleet::new(&script, &locked("Make one.", "one")) else {
        return;
    };
    fleet.project.write("other.md", &locked("Make two.", "two"));
    fleet
        .project
        .signoff(["approve", "other.md", "--proof", "key"])
        .assert_success();
    let _worker = fleet.worker("coder");
    let orchestrator = fleet.orchestrator();
    let first = fleet.hand_over();
    fleet.wait_for_file("begun");
    let second = fleet.project.json(["run", "other.md", "--detach"]);
    let second = second["run"].as_str().expect("runs have names").to_owned();
    let awaited = format!(
        "SELECT count(*) > 0 FROM signoff.events WHERE run = '{second}' AND line LIKE '%lock_awaited%'"
    );
    fleet.wait_for_sql(&awaited, "t");
    fleet
        .project
        .signoff(["status", &second])
        .assert_stdout_contains(&format!("waits for the lock `db`, held by run {first}"));
    // It is the run's, and not of the process that drives it.
    orchestrator.kill();
    let _other = fleet.orchestrator();
    fleet.wait_for_sql(
        "SELECT count(*) FROM signoff.runs WHERE driver IS NOT NULL AND epoch > 1",
        "2",
    );
    assert_eq!(
        fleet.postgres.sql("SELECT run FROM signoff.locks"),
        first,
        "{}",
        fleet.state(&second)
    );
    fleet.let_go();
    fleet.wait_for(&first, "completed");
    fleet.wait_for(&second, "completed");
    assert_eq!(
        fleet.postgres.sql("SELECT count(*) FROM signoff.locks"),
        "0"
    );
}

/// A queue has one row for all who listen to it, which the largest of them set.
#[test]
fn a_worker_does_no_more_at_once_than_it_was_told() {
    let mut script = Script::new();
    let mut steps = Vec::new();
    for (name, role) in [("one", "coder"), ("two", "coder"), ("three", "writer")] {
        let task = format!("Make {name}.");
        let waits = Reply::when([task.clone()])
            .append("OUTSIDE/begun", "x")
            .wait_for("OUTSIDE/go");
        script = script.reply(waits.write(name, "x\n").say("done"));
        let step = agent(&task, name).replace("coder", role);
        steps.push(format!("**depends_on:** none\n{step}"));
    }
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let Some(fleet) = Fleet::new(&script, &plan(&steps)) else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let _small = fleet.worker("coder,writer");
    let words = ["--lease", "2", "--roles", "coder,writer", "--jobs", "4"];
    fleet.process(&[&["worker"], &words[..]].concat()).kill();
    let run = fleet.hand_over();
    // It was handed more, and gave that back.
    fleet.wait_for_file("begun");
    fleet.wait_for_sql("SELECT sum(given) > 1 FROM signoff.orders", "t");
    let begun = || std::fs::read_to_string(fleet.project.outside("begun")).expect("it is there");
    assert_eq!(begun(), "x");
    fleet.let_go();
    fleet.wait_for(&run, "completed");
    assert_eq!(begun(), "xxx");
}

/// What a plan calls urgent begins before what was handed over earlier.
#[test]
fn what_is_urgent_goes_first() {
    let script = Script::new()
        .reply(
            Reply::when(["Make first."])
                .append("OUTSIDE/order", "first ")
                .wait_for("OUTSIDE/go")
                .write("first", "x\n"),
        )
        .reply(
            Reply::when(["Make low."])
                .append("OUTSIDE/order", "low ")
                .write("low", "x\n"),
        )
        .reply(
            Reply::when(["Make critical."])
                .append("OUTSIDE/order", "critical ")
                .write("critical", "x\n"),
        );
    let of = |word: &str| {
        let text = plan(&[&format!(
            "**baseline:** no\n{}",
            agent(&format!("Make {word}."), word)
        )]);
        text.replace("1h\n", &format!("1h\n**Priority:** {word}\n"))
    };
    let usual = of("first").replace("**Priority:** first\n", "");
    let Some(fleet) = Fleet::new(&script, &usual) else {
        return;
    };
    for word in ["low", "critical"] {
        let name = format!("{word}.md");
        fleet.project.write(&name, &of(word));
        fleet
            .project
            .signoff(["approve", &name, "--proof", "key"])
            .assert_success();
    }
    let _orchestrator = fleet.orchestrator();
    let _worker = fleet.process(&["worker", "--lease", "2", "--roles", "coder", "--jobs", "1"]);
    fleet.hand_over();
    fleet.wait_for_file("order");
    let mut runs = Vec::new();
    for (word, waiting) in [("low", "1"), ("critical", "2")] {
        let run = fleet
            .project
            .json(["run", &format!("{word}.md"), "--detach"]);
        runs.push(run["run"].as_str().expect("runs have names").to_owned());
        // In their queue, in this order.
        fleet.wait_for_sql(
            "SELECT count(*) FROM signoff.orders WHERE claim = 0",
            waiting,
        );
    }
    fleet.let_go();
    for run in &runs {
        fleet.wait_for(run, "completed");
    }
    let order = std::fs::read_to_string(fleet.project.outside("order")).expect("it is there");
    assert_eq!(order.trim(), "first critical low");
}

#[test]
fn a_verifier_judges_what_others_did_and_a_day_has_its_limit() {
    let Some(fleet) = Fleet::new(&makes_out(), &plan(&[&agent("Make it.", "out")])) else {
        return;
    };
    fleet.set_engine("verifier = true\nusd_per_day = 1.5");
    let today = "to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD')";
    fleet.postgres.sql(&format!(
        "INSERT INTO signoff.costs VALUES ({today}, 'another', 2000000)"
    ));
    let _orchestrator = fleet.orchestrator();
    let _worker = fleet.worker("coder");
    let _verifier = fleet.worker("verifier");
    let run = fleet.hand_over();
    let limited = "SELECT count(*) FROM signoff.events WHERE line LIKE '%day_limit_reached%'";
    fleet.wait_for_sql(limited, "1");
    fleet
        .project
        .signoff(["status", &run])
        .assert_stdout_contains("$2.00 of the $1.50 that a day allows");
    fleet.project.signoff(["stop"]).assert_success();
    fleet.postgres.sql("DELETE FROM signoff.costs");
    let resumed = fleet.project.signoff(["resume"]);
    assert_eq!(resumed.code, Some(0), "{resumed}");
    let status = fleet.project.json(["status"]);
    let judged = status["steps"][0]["facts"]["judged_on"].as_str();
    assert!(
        judged.is_some_and(|judged| judged.ends_with("as verifier")),
        "{status}"
    );
    let by_role = "SELECT string_agg(DISTINCT role || ' ' || split_part(id, '/', 4), ', ' ORDER BY role || ' ' || split_part(id, '/', 4)) FROM signoff.orders";
    assert_eq!(
        fleet.postgres.sql(by_role),
        "coder work, verifier baseline, verifier evaluate"
    );
}
