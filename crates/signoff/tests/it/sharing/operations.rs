//! What the person does and sees who looks after the machines.

use super::fleet::Fleet;

#[test]
fn a_worker_that_is_drained_ends_what_it_has_and_takes_nothing_new() {
    let Some(fleet) = Fleet::waiting() else {
        return;
    };
    let _orchestrator = fleet.orchestrator();
    let worker = fleet.worker("coder");
    let run = fleet.hand_over();
    fleet.wait_for_file("begun");
    let drain = fleet.project.spawn(["worker", "--drain"]);
    let draining = "SELECT count(*) FROM signoff.machines WHERE draining";
    fleet.wait_for_sql(draining, "1");
    fleet
        .project
        .signoff(["doctor", "engine"])
        .assert_code(1)
        .assert_stderr_contains("no worker serves the role `coder`");
    fleet.let_go();
    worker.wait().assert_code(0);
    drain
        .wait()
        .assert_success()
        .assert_stdout_contains("no worker of this machine is left");
    // What it did counts, and others have its log.
    fleet.wait_for_sql(
        "SELECT count(*) FROM signoff.events WHERE line LIKE '%\"type\":\"work_finished\"%'",
        "1",
    );
    let logs = "SELECT count(*) > 0 FROM signoff.files WHERE path LIKE 'steps/step-1/1/%' AND path NOT LIKE '%prompt%'";
    assert_eq!(fleet.postgres.sql(logs), "t");
    let _other = fleet.worker("coder");
    fleet.wait_for(&run, "completed");
    let claims = "SELECT claim FROM signoff.orders WHERE id LIKE '%/work/%'";
    assert_eq!(fleet.postgres.sql(claims), "1");
    fleet
        .project
        .signoff(["runs", "--all"])
        .assert_success()
        .assert_stdout_contains(&run);
    fleet
        .project
        .signoff(["doctor", "engine"])
        .assert_success()
        .assert_stdout_contains("alive");
}
