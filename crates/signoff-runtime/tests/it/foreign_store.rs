//! Stores that other tools made: what they say about finished plans is believed, and coming to them changes nothing.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use signoff_engine::{Actor, ForbiddenTransition, Millis, PlanState, Transition};
use signoff_runtime::advice::revise;
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::status::plan_status;
use signoff_runtime::plans::{
    ActorContext, ApproveOptions, EditOptions, ListOptions, Revision, approve, list, reject,
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

struct World {
    dir: tempfile::TempDir,
    project: Project,
    clock: Calendar,
}

impl World {
    /// A store with these files, a day after we came to it.
    fn new(files: &[(&str, &str)]) -> Self {
        let dir = tempfile::tempdir().expect("a directory");
        for (name, text) in files {
            let path = dir.path().join(name);
            std::fs::create_dir_all(path.parent().expect("a parent")).expect("ours");
            std::fs::write(path, text).expect("ours");
        }
        let store = Store::create(dir.path()).expect("a store");
        let adopted = store.adopted_at().expect("it was just made");
        let project = Project::open(&ProcessContext {
            variables: BTreeMap::from([("PATH".into(), "/usr/bin:/bin".into())]),
            directory: dir.path().to_path_buf(),
            user_config: None,
            state_dir: None,
            person: "me".to_owned(),
            services: signoff_runtime::project::ExternalServices::default(),
        });
        Self {
            dir,
            project: project.expect("the store was just made"),
            clock: Calendar(Cell::new(adopted + DAY)),
        }
    }

    fn context(&self) -> ActorContext<'_> {
        ActorContext {
            project: &self.project,
            actor: Actor::Person,
            clock: &self.clock,
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn plan(&self, name: &str) -> PlanFile {
        PlanFile::read(&self.path(name), name, &self.project.workspace()).expect("a plan")
    }

    fn state(&self, name: &str) -> PlanState {
        plan_status(&self.project, &self.plan(name))
            .expect("a status")
            .state
    }

    fn list(&self) -> Vec<String> {
        list(
            self.context(),
            &ListOptions {
                expire: true,
                ..ListOptions::default()
            },
        )
        .expect("a list")
        .notes
    }

    fn files(&self) -> BTreeMap<PathBuf, String> {
        let plans = self.project.store.plans_dir();
        let files = std::fs::read_dir(plans).expect("plans");
        files
            .map(|file| file.expect("a file").path())
            .filter(|path| path.is_file())
            .map(|path| (path.clone(), text(&path)))
            .collect()
    }
}

fn text(path: &Path) -> String {
    std::fs::read_to_string(path).expect("text")
}

fn proposal(id: &str, status: &str) -> (String, String) {
    let text = format!(
        "---\nid: {id}\ntitle: A\nstatus: {status}\nversion: 3\ncreated_at: 2024-01-01T00:00:00Z\nupdated_at: 2024-01-01T00:00:00Z\ntools_required: []\n---\n\n## Steps\n1. Look (read: all)\n"
    );
    (format!(".pi/plans/{id}.md"), text)
}

const STATES: [(&str, PlanState); 8] = [
    ("proposed", PlanState::Verified),
    ("approved", PlanState::Verified),
    ("executing", PlanState::Verified),
    ("failed", PlanState::Verified),
    ("completed", PlanState::Completed),
    ("cancelled", PlanState::Cancelled),
    ("rejected", PlanState::Rejected),
    ("needs_review", PlanState::NeedsReview),
];

#[test]
fn what_plan_mode_calls_finished_is_finished_and_nothing_is_cancelled() {
    let files = STATES.map(|(status, _)| proposal(&format!("p-{status}"), status));
    let files: Vec<_> = files
        .iter()
        .map(|(name, text)| (&**name, &**text))
        .collect();
    let world = World::new(&files);
    let before = world.files();
    assert_eq!(world.list(), [""; 0]);
    assert_eq!(world.files(), before);
    for (status, expected) in STATES {
        let name = format!(".pi/plans/p-{status}.md");
        assert_eq!(world.state(&name), expected, "{status}");
    }
    // From the day on which we came they wait like any other.
    world.clock.0.set(world.clock.now() + 30 * DAY);
    let notes = world.list();
    assert_eq!(notes.len(), 2, "{notes:?}");
    assert_eq!(world.state(".pi/plans/p-approved.md"), PlanState::Cancelled);
    assert_eq!(
        world.state(".pi/plans/p-completed.md"),
        PlanState::Completed
    );
}

#[test]
fn plans_of_rawko_have_no_such_rule() {
    let record = |status: &str| {
        format!(
            "id: r-{status}\ntask: x\nstatus: {status}\nversion: 1\ncreatedAt: \"2024-01-01T00:00:00Z\"\nupdatedAt: \"2024-01-01T00:00:00Z\"\nsteps:\n  - index: 0\n    description: a\n    status: pending\n"
        )
    };
    let world = World::new(&[
        (".rawko/plans/r-draft.yaml", &record("draft")),
        (".rawko/plans/r-complete.yaml", &record("complete")),
    ]);
    world.clock.0.set(world.clock.now() + 400 * DAY);
    let before = world.files();
    assert_eq!(world.list(), [""; 0]);
    assert_eq!(world.files(), before);
    assert_eq!(
        world.state(".rawko/plans/r-draft.yaml"),
        PlanState::Verified
    );
    assert_eq!(
        world.state(".rawko/plans/r-complete.yaml"),
        PlanState::Completed
    );
}

#[test]
fn finished_work_is_taken_up_again_only_if_a_person_says_so() {
    let (name, written) = proposal("p", "completed");
    let agents = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    let world = World::new(&[(&name, &written), (".signoff/config.toml", agents)]);
    let refused = approve(
        world.context(),
        &world.plan(&name),
        &ApproveOptions::default(),
    )
    .expect_err("it was completed");
    assert!(
        matches!(&refused, Error::Claimed { notice, .. } if notice.contains("signoff revise")),
        "{refused:?}"
    );
    // Every other way out leads back here.
    let Error::Claimed { forbidden, .. } = &refused else {
        unreachable!("it was matched above");
    };
    assert!(
        matches!(forbidden, ForbiddenTransition::State { possible, .. } if *possible == [Transition::Revise]),
        "{forbidden:?}"
    );
    assert_eq!(text(&world.path(&name)), written);
    let path = world.path(&name);
    let done = revise(
        world.context(),
        &path,
        &name,
        &Revision::InPlace,
        &EditOptions::default(),
    );
    assert_eq!(done.expect("a person said so").state, PlanState::Verified);
    assert_eq!(world.state(&name), PlanState::Verified);
    // It is carried out elsewhere while it waits here: then the store does not know better.
    let finished = text(&path).replace("status: proposed", "status: completed");
    std::fs::write(&path, finished).expect("ours");
    assert_eq!(world.state(&name), PlanState::Completed);
    let done = revise(
        world.context(),
        &path,
        &name,
        &Revision::InPlace,
        &EditOptions::default(),
    );
    assert_eq!(done.expect("a person said so").state, PlanState::Verified);
}

#[test]
fn rejections_that_another_tool_recorded_count() {
    let (name, written) = proposal("p", "proposed");
    let written = format!("{written}\n## Rejection (v1)\nNo.\n\n## Rejection (v2)\nNo, no.\n");
    let world = World::new(&[(&name, &written)]);
    let path = world.path(&name);
    let done = reject(
        world.context(),
        &path,
        &name,
        Some("Still no."),
        &EditOptions::default(),
    )
    .expect("a rejection");
    assert_eq!(done.state, PlanState::NeedsReview);
    assert!(text(&path).contains("## Rejection (v3)"), "{}", text(&path));
}
