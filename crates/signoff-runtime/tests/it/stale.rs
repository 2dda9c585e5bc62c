//! Plans that nothing happens to expire, and that is said; with a clock that can be set.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use signoff_engine::{Actor, Millis, PlanState};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::status::plan_status;
use signoff_runtime::plans::{
    ActorContext, ApproveOptions, EditOptions, approve, cancel, expiry_notice, propose_file, reject,
};
use signoff_runtime::project::{ProcessContext, Project};
use signoff_runtime::{Clock, Error};
use signoff_store::root::Store;

const DAY: Millis = 24 * 60 * 60 * 1000;

struct Calendar(Cell<Millis>);

impl Clock for Calendar {
    fn now(&self) -> Millis {
        self.0.get()
    }
}

const PLAN: &str = "---\ntype: plan\nstatus: draft\nowner: me\n---\n\n# A\n\n**Budget:** 1h\n\n## Steps\n\n### 1. Look\n\n**contract:**\n```shell\ntest -d .\n```\n";

fn project(directory: &Path) -> Project {
    Store::create(directory).expect("a store");
    std::fs::write(directory.join("plan.md"), PLAN).expect("the folder is ours");
    Project::open(&ProcessContext {
        variables: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
        directory: directory.to_path_buf(),
        user_config: None,
        state_dir: None,
        person: "me".to_owned(),
        services: signoff_runtime::project::ExternalServices::default(),
    })
    .expect("the store was just made")
}

#[test]
fn a_plan_that_waits_too_long_is_cancelled_with_a_notice() {
    let dir = tempfile::tempdir().unwrap();
    let project = project(dir.path());
    let clock = Calendar(Cell::new(20_000 * DAY));
    let context = ActorContext {
        project: &project,
        actor: Actor::Person,
        clock: &clock,
    };
    let path: PathBuf = dir.path().join("plan.md");
    propose_file(context, &path, "plan.md").unwrap();
    let state = || {
        let plan = PlanFile::read(&path, "plan.md", &project.workspace()).unwrap();
        plan_status(&project, &plan).unwrap().state
    };

    clock.0.set(20_030 * DAY);
    let done = reject(context, &path, "plan.md", None, &EditOptions::default()).unwrap();
    assert_eq!((done.state, done.notes), (PlanState::Rejected, vec![]));

    // A rejected plan waits for its author and does not expire; a verified one does.
    clock.0.set(20_100 * DAY);
    assert_eq!(state(), PlanState::Rejected);
    let edited = std::fs::read_to_string(&path)
        .unwrap()
        .replace("Look", "Look twice");
    std::fs::write(&path, edited).unwrap();
    propose_file(context, &path, "plan.md").unwrap();
    clock.0.set(20_131 * DAY);
    let refused = cancel(context, &path, "plan.md", None).unwrap_err();
    assert!(
        matches!(&refused, Error::Expired { notice, .. } if notice.contains("has expired")),
        "{refused:?}"
    );
    // Later it is a cancelled plan, and the refusal still says why and how to take that back.
    let refused = cancel(context, &path, "plan.md", None).unwrap_err();
    assert!(
        matches!(&refused, Error::Expired { notice, .. } if notice.contains("signoff propose")),
        "{refused:?}"
    );
    assert_eq!(state(), PlanState::Cancelled);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains("status: cancelled"), "{text}");
}

#[test]
fn a_proposal_that_never_had_a_log_goes_by_its_own_word() {
    let dir = tempfile::tempdir().unwrap();
    let project = project(dir.path());
    let clock = Calendar(Cell::new(20_000 * DAY));
    let context = ActorContext {
        project: &project,
        actor: Actor::Person,
        clock: &clock,
    };
    // Day 20000 is 2024-10-04.
    for (name, status, updated, expires) in [
        ("old", "proposed", "2024-08-01T00:00:00Z", true),
        ("approved", "approved", "2024-08-01T00:00:00Z", true),
        ("new", "proposed", "2024-10-01T00:00:00Z", false),
        ("finished", "completed", "2024-08-01T00:00:00Z", false),
        ("odd", "proposed", "yesterday", false),
    ] {
        let text = format!(
            "---\nid: {name}\ntitle: A\nstatus: {status}\nversion: 1\nupdated_at: {updated}\ntools_required: []\n---\n\n## Steps\n1. Look (read: all)\n"
        );
        let kept = dir.path().join(format!(".signoff/plans/{name}.md"));
        let elsewhere = dir.path().join(format!("{name}.md"));
        for (path, expires) in [(&kept, expires), (&elsewhere, false)] {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, &text).unwrap();
            let plan = PlanFile::read(path, name, &project.workspace()).unwrap();
            let now = plan_status(&project, &plan).unwrap();
            let notice = expiry_notice(&project, &plan, &now, &clock);
            assert_eq!(notice.is_some(), expires, "{name} {notice:?}");
        }
        std::fs::remove_file(&elsewhere).unwrap();
        let done = reject(context, &kept, name, None, &EditOptions::default());
        let expired = matches!(done, Err(Error::Expired { .. }));
        assert_eq!(expired, expires, "{name} {done:?}");
    }
}

/// The clock was wrong; the signature holds.
#[test]
fn an_approved_plan_that_expired_is_taken_back_as_it_was() {
    let dir = tempfile::tempdir().unwrap();
    let project = project(dir.path());
    let clock = Calendar(Cell::new(20_000 * DAY));
    let context = ActorContext {
        project: &project,
        actor: Actor::Person,
        clock: &clock,
    };
    let path: PathBuf = dir.path().join("plan.md");
    let read = || PlanFile::read(&path, "plan.md", &project.workspace()).unwrap();
    let state = || plan_status(&project, &read()).unwrap().state;
    propose_file(context, &path, "plan.md").unwrap();
    approve(context, &read(), &ApproveOptions::default()).unwrap();
    assert_eq!(state(), PlanState::Approved);
    clock.0.set(20_400 * DAY);
    cancel(context, &path, "plan.md", None).unwrap_err();
    assert_eq!(state(), PlanState::Cancelled);
    clock.0.set(20_001 * DAY);
    let done = propose_file(context, &path, "plan.md").unwrap();
    assert_eq!(
        (done.state, state()),
        (PlanState::Approved, PlanState::Approved)
    );
    // Another text was never approved.
    let edited = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, edited.replace("Look", "Look twice")).unwrap();
    let done = propose_file(context, &path, "plan.md").unwrap();
    assert_eq!(
        (done.state, state()),
        (PlanState::Verified, PlanState::Verified)
    );
}
