//! A store as it is on disk, looked at when we say.

use std::cell::Cell;
use std::fs;
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::time::{Duration, UNIX_EPOCH};

use signoff_engine::Actor;
use signoff_store::root::Store;

use super::*;
use crate::plans::{
    EditOptions, PruneOptions, archive, archive_due, cancel, delete, find, propose_file, prune,
    reject, restore, restore_last, stats,
};
use crate::project::ProcessContext;

const DAY: Millis = 24 * 60 * 60 * 1000;
/// When everything begins: long after the files were written.
const START: Millis = 4_000_000_000_000;

struct Hand(Cell<Millis>);

impl Clock for Hand {
    fn now(&self) -> Millis {
        self.0.get()
    }
}

struct World {
    _dir: tempfile::TempDir,
    project: Project,
    clock: Hand,
}

impl World {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        Store::create(dir.path()).unwrap();
        let process = ProcessContext {
            variables: std::collections::BTreeMap::new(),
            directory: dir.path().canonicalize().unwrap(),
            user_config: None,
            state_dir: None,
            person: "tester".to_owned(),
            services: crate::project::ExternalServices::default(),
        };
        Self {
            project: Project::open(&process).unwrap(),
            _dir: dir,
            clock: Hand(Cell::new(START)),
        }
    }

    fn write(&self, path: &str, text: &str) -> PathBuf {
        let path = self.project.store.workspace().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
        path
    }

    fn context(&self) -> ActorContext<'_> {
        ActorContext {
            project: &self.project,
            actor: Actor::Person,
            clock: &self.clock,
        }
    }

    fn days_later(&self, days: u64) {
        self.clock.0.set(self.clock.now() + days * DAY);
    }

    fn list(&self) -> Listing {
        list(self.context(), &ListOptions::default()).unwrap()
    }

    fn all(&self) -> Listing {
        let wanted = ListOptions {
            archived: true,
            ..ListOptions::default()
        };
        list(self.context(), &wanted).unwrap()
    }

    fn propose(&self, path: &str) -> PathBuf {
        let full = self.project.store.workspace().join(path);
        propose_file(self.context(), &full, path).unwrap();
        full
    }

    fn cancelled(&self, path: &str, text: &str) -> PathBuf {
        self.write(path, text);
        let path = self.propose(path);
        cancel(self.context(), &path, "plan", None).unwrap();
        path
    }
}

fn proposal(id: &str, title: &str) -> String {
    let id = match id {
        "" => String::new(),
        id => format!("id: {id}\n"),
    };
    format!(
        "---\n{id}title: {title}\nstatus: proposed\nversion: 1\ntools_required: [odoo]\n---\n\n## Steps\n1. Look at it (odoo: read)\n"
    )
}

#[track_caller]
fn check(listing: &Listing, expected: &[(&str, &str)]) {
    let found: Vec<(&str, &str)> = listing
        .plans
        .iter()
        .map(|plan| (plan.key.as_str(), plan.state.name()))
        .collect();
    assert_eq!(found, expected, "{:?}", listing.troubles);
}

/// Other bytes of the same length at the same time: only who reads the file can tell.
fn rewrite_unseen(path: &Path, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let modified = path.metadata().unwrap().modified().unwrap();
    let text = fs::read_to_string(path).unwrap().replace(from, to);
    fs::write(path, text).unwrap();
    let file = fs::File::options().write(true).open(path).unwrap();
    file.set_modified(modified).unwrap();
}

#[test]
fn every_plan_is_found_and_nothing_else() {
    let world = World::new();
    check(&world.list(), &[]);
    world.write(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    world.write(".signoff/plans/t/plan.md", "---\ntitle: T\n---\nText\n");
    world.write(
        ".signoff/plans/t/tasks/01-a.md",
        "---\nid: a\nagent: x\n---\nDo it\n",
    );
    world.write(".signoff/plans/README.md", "# About\n");
    world.write(".signoff/plans/.hidden.md", &proposal("PLAN-h", "H"));
    let outside = world.write("elsewhere.md", &proposal("PLAN-o", "O"));
    symlink(&outside, world.project.store.plans_dir().join("link.md")).unwrap();
    world.write("docs/b.md", &proposal("PLAN-b", "B"));
    world.propose("docs/b.md");
    world.write("docs/gone.md", &proposal("PLAN-g", "G"));
    fs::remove_file(world.propose("docs/gone.md")).unwrap();
    world.write("docs/deleted.md", &proposal("PLAN-d", "D"));
    let deleted = world.propose("docs/deleted.md");
    delete(world.context(), &deleted, "d").unwrap();
    let listing = world.list();
    let mut found: Vec<_> = listing.plans.iter().map(|plan| plan.key.as_str()).collect();
    found.sort_unstable();
    assert_eq!(found, [".signoff/plans/t", "PLAN-a", "PLAN-b"]);
    assert_eq!(listing.plans.first().unwrap().key, "PLAN-b", "newest first");
    assert_eq!(world.list().plans, listing.plans, "the same from the index");
    fs::remove_file(world.project.store.index_path()).unwrap();
    assert_eq!(world.list().plans, listing.plans, "and without it");
}

#[test]
fn only_what_looks_different_is_read_again() {
    let world = World::new();
    let path = world.write(".signoff/plans/a.md", &proposal("PLAN-a", "One"));
    let title = |world: &World| world.list().plans[0].title.clone();
    assert_eq!(title(&world), "One");
    rewrite_unseen(&path, "One", "Two");
    assert_eq!(title(&world), "One", "it was not read");
    // A run under other settings, a lost index, or any write that shows: read.
    world.write(".signoff/config.toml", "[contract]\nshell = \"sh\"\n");
    let process = world.project.process.clone();
    let world = World {
        project: Project::open(&process).unwrap(),
        ..world
    };
    assert_eq!(title(&world), "Two");
    rewrite_unseen(&path, "Two", "Six");
    assert_eq!(title(&world), "Two");
    fs::write(world.project.store.index_path(), "{").unwrap();
    assert_eq!(title(&world), "Six");
    world.write(".signoff/plans/a.md", &proposal("PLAN-a", "Three"));
    assert_eq!(title(&world), "Three");
}

/// What is asked in between reads nothing, so it must see whatever a list would.
#[test]
fn a_kept_list_holds_until_anything_looks_different() {
    type Change = fn(&World);
    let changes: [(&str, Change); 11] = [
        ("a plan was written", |world| {
            world.write(".signoff/plans/a.md", &proposal("PLAN-a", "Other"));
        }),
        ("a plan is new", |world| {
            world.write(".signoff/plans/n.md", &proposal("PLAN-n", "New"));
        }),
        ("a file that is no plan is new", |world| {
            world.write(".signoff/plans/README.md", "# About\n");
        }),
        ("a plan is gone", |world| {
            fs::remove_file(world.project.store.plans_dir().join("n.md")).unwrap();
        }),
        ("a plan elsewhere was written", |world| {
            world.write("docs/b.md", &proposal("PLAN-b", "Elsewhere"));
        }),
        ("a task was written", |world| {
            world.write(
                ".signoff/plans/t/tasks/01-a.md",
                "---\nid: bb\n---\nDo it\n",
            );
        }),
        ("a task is new", |world| {
            world.write(".signoff/plans/t/tasks/02-c.md", "---\nid: c\n---\nDo it\n");
        }),
        ("another plan elsewhere was proposed", |world| {
            world.write("docs/c.md", &proposal("PLAN-c", "C"));
            world.propose("docs/c.md");
        }),
        ("a log grew", |world| {
            let path = world.project.store.workspace().join("docs/c.md");
            reject(world.context(), &path, "c", None, &EditOptions::default()).unwrap();
        }),
        ("a signature is new", |world| {
            let signatures = world.project.store.dir().join("signatures/PLAN-a");
            fs::create_dir_all(signatures).unwrap();
        }),
        ("a log is a link", |world| {
            let link = world.project.store.logs_dir().join("PLAN-z.jsonl");
            symlink("/dev/null", link).unwrap();
        }),
    ];
    let mut world = World::new();
    world.project.kept_index = Some(Arc::default());
    world.write(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    world.write(".signoff/plans/t/plan.md", "---\ntitle: T\n---\nText\n");
    world.write(".signoff/plans/t/tasks/01-a.md", "---\nid: a\n---\nDo it\n");
    world.write("docs/b.md", &proposal("PLAN-b", "B"));
    world.propose("docs/b.md");
    let holds = |basis: &ListBasis| basis.is_current(&world.project, &world.clock);
    for (what, change) in changes {
        let basis = world.list().basis.expect(what);
        assert!(holds(&basis), "before: {what}");
        // Another list finds the same.
        world.list();
        assert!(holds(&basis), "after another list: {what}");
        change(&world);
        assert!(!holds(&basis), "{what}");
        world.list();
        assert!(!holds(&basis), "after a list that read it: {what}");
    }
}

#[test]
fn a_kept_list_holds_for_a_minute_and_not_for_what_needs_another_look() {
    let mut world = World::new();
    world.project.kept_index = Some(Arc::default());
    world.write(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    let basis = world.list().basis.unwrap();
    let holds_at = |now| {
        world.clock.0.set(now);
        basis.is_current(&world.project, &world.clock)
    };
    assert!(holds_at(START + 59_000));
    assert!(!holds_at(START + 61_000), "it may have expired");
    assert!(!holds_at(START - 1), "a clock that was set back");
    world.clock.0.set(START);
    // A list clears away what a killed writer left.
    let stray = world.write(".signoff/plans/.a.md.signoff-tmp", "");
    assert!(!basis.is_current(&world.project, &world.clock));
    world.list();
    assert!(!stray.exists() && basis.is_current(&world.project, &world.clock));
    // Every list says that two files have the same id.
    world.write(".signoff/plans/b.md", &proposal("PLAN-a", "A"));
    assert!(world.list().basis.is_none());
    // Written so short a time ago that the next write might not show.
    let path = world.write(".signoff/plans/b.md", &proposal("PLAN-b", "B"));
    let written = path.metadata().unwrap().modified().unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap().as_millis();
    world.clock.0.set(u64::try_from(written).unwrap() + 900);
    let young = world.list().basis.unwrap();
    assert!(!young.is_current(&world.project, &world.clock));
}

#[test]
fn a_file_that_was_just_written_is_read_next_time_too() {
    let world = World::new();
    let path = world.write(".signoff/plans/a.md", &proposal("PLAN-a", "One"));
    let written = path.metadata().unwrap().modified().unwrap();
    let written = written.duration_since(UNIX_EPOCH).unwrap();
    let list_after = |after: Duration| {
        let now = u64::try_from((written + after).as_millis()).unwrap();
        world.clock.0.set(now);
        world.list().plans[0].title.clone()
    };
    assert_eq!(list_after(Duration::from_millis(900)), "One");
    rewrite_unseen(&path, "One", "Two");
    assert_eq!(list_after(Duration::from_secs(5)), "Two");
    rewrite_unseen(&path, "Two", "Six");
    assert_eq!(list_after(Duration::from_secs(6)), "Two", "it has settled");
}

#[test]
fn a_task_of_a_thread_is_noticed() {
    let world = World::new();
    world.write(".signoff/plans/t/plan.md", "---\ntitle: T\n---\nText\n");
    let task = "---\nid: a\nagent: x\ndepends_on: []\n---\nDo it\n";
    world.write(".signoff/plans/t/tasks/01-a.md", task);
    let state = |world: &World| world.list().plans[0].state;
    state(&world);
    let broken = task.replace("depends_on: []", "depends_on: [zz]");
    world.write(".signoff/plans/t/tasks/01-a.md", &broken);
    assert_eq!(state(&world), PlanState::Draft);
}

#[test]
fn a_draft_that_only_lacks_its_surroundings_is_looked_at_again() {
    let world = World::new();
    let agent = "[agents.default]\ndriver = \"command\"\ncommand = [\"true\"]\n";
    world.write(".signoff/config.toml", agent);
    let world = World {
        project: Project::open(&world.project.process).unwrap(),
        ..world
    };
    let header =
        "---\ntype: plan\nstatus: draft\nowner: me\n---\n# P\n\n**Budget:** 1h\n\n## Steps\n";
    let step = "\n### 1. A\n**subscriptions:**\n- file:notes.txt\n\n**task:** Go\n**contract:**\n```sh\ntest -s x\n```\n";
    world.write(".signoff/plans/a.md", &format!("{header}{step}"));
    let state = |world: &World| world.list().plans[0].state;
    assert_eq!(state(&world), PlanState::Draft);
    world.write("notes.txt", "x");
    assert_eq!(state(&world), PlanState::Verified);
}

#[test]
fn a_log_leads_nowhere_else() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let secret = elsewhere.path().join("secret.md");
    fs::write(&secret, proposal("PLAN-s", "Secret")).unwrap();
    symlink(
        elsewhere.path(),
        world.project.store.workspace().join("way"),
    )
    .unwrap();
    let there = secret.to_str().unwrap();
    let up = format!("..{there}");
    for path in [there, &up, "way/secret.md", "a/../way/secret.md"] {
        let event = serde_json::json!({
            "type": "plan_proposed", "path": path, "digest": "sha256:0", "version": 1,
            "by": "x", "actor": "agent",
        });
        let store = &world.project.store;
        let locked = signoff_store::plan_log::lock(store, "PLAN-s").unwrap();
        let body = event.as_object().unwrap().clone();
        let at = "2026-11-15T09:30:12.345Z";
        signoff_store::plan_log::append(store, "PLAN-s", &locked, at, &[body]).unwrap();
        drop(locked);
        check(&world.list(), &[]);
        assert_eq!(world.list().troubles.len(), 0);
    }
}

#[test]
fn what_an_index_claims_never_becomes_a_path_or_an_act() {
    let world = World::new();
    world.write(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    world.propose(".signoff/plans/a.md");
    world.list();
    let path = world.project.store.index_path();
    let text = fs::read_to_string(&path).unwrap();
    for (from, to) in [
        ("\"verified\"", "\"cancelled\""),
        ("\"active\":4", "\"active\":1"),
        ("\"verified\"", "\"nonsense\""),
    ] {
        assert!(text.contains(from), "{text}");
        fs::write(&path, text.replace(from, to)).unwrap();
        world.list();
        assert!(world.project.store.plans_dir().join("a.md").exists());
        let history = crate::plan_history::PlanHistory::read(&world.project, "PLAN-a").unwrap();
        assert_eq!(history.entries.len(), 1, "nothing was done to it");
    }
}

#[test]
fn two_files_of_one_id_are_both_shown_and_named() {
    let world = World::new();
    world.write(".signoff/plans/a.md", &proposal("PLAN-x", "A"));
    world.write(".signoff/plans/b.md", &proposal("PLAN-x", "B"));
    let listing = world.list();
    assert_eq!(listing.plans.len(), 2);
    let [note] = listing.notes.as_slice() else {
        panic!("{:?}", listing.notes);
    };
    assert!(
        note.contains("plans/a.md") && note.contains("plans/b.md"),
        "{note}"
    );
    let world = World::new();
    world.write("docs/a.md", &proposal("PLAN-x", "A"));
    world.propose("docs/a.md");
    world.write(".signoff/plans/b.md", &proposal("PLAN-x", "B"));
    assert_eq!(world.list().plans.len(), 2, "also where the log names one");
    assert_eq!(world.list().notes.len(), 1);
}

#[test]
fn plans_that_wait_too_long_expire_and_that_is_said_once() {
    let world = World::new();
    world.write("docs/a.md", &proposal("PLAN-a", "A"));
    world.propose("docs/a.md");
    world.write(".signoff/plans/never.md", &proposal("PLAN-n", "N"));
    world.days_later(29);
    assert!(world.list().notes.is_empty());
    world.days_later(2);
    let listing = world.list();
    assert_eq!(listing.notes.len(), 1, "{:?}", listing.notes);
    assert!(listing.notes[0].contains("30 days"), "{:?}", listing.notes);
    check(&listing, &[("PLAN-a", "cancelled"), ("PLAN-n", "verified")]);
    assert!(world.list().notes.is_empty());
}

#[test]
fn many_plans_expire_only_when_a_person_says_so_and_each_can_be_taken_back() {
    let world = World::new();
    let names = ["a", "b", "c", "d"];
    for name in names {
        let path = format!("docs/{name}.md");
        world.write(&path, &proposal(&format!("PLAN-{name}"), name));
        world.propose(&path);
    }
    let states = |listing: &Listing, state: &str| {
        let plans = listing.plans.iter();
        plans.filter(|plan| plan.state.name() == state).count()
    };
    world.days_later(4000);
    let listing = world.list();
    assert_eq!(states(&listing, "verified"), 4);
    assert_eq!(listing.notes.len(), 1, "{:?}", listing.notes);
    let asked = &listing.notes[0];
    assert!(
        asked.contains("4 plans") && asked.contains("`signoff list --expire`"),
        "{asked}"
    );
    let wanted = ListOptions {
        expire: true,
        ..ListOptions::default()
    };
    let listing = list(world.context(), &wanted).unwrap();
    assert_eq!(states(&listing, "cancelled"), 4);
    assert_eq!(listing.notes.len(), 4, "{:?}", listing.notes);
    assert!(
        listing.notes[0].contains("`signoff propose docs/"),
        "{:?}",
        listing.notes
    );
    world.propose("docs/b.md");
    assert_eq!(states(&world.list(), "verified"), 1);
    // What a person cancelled stays so.
    let path = world.project.store.workspace().join("docs/b.md");
    cancel(world.context(), &path, "docs/b.md", None).unwrap();
    let refused = propose_file(world.context(), &path, "docs/b.md");
    assert!(matches!(refused, Err(Error::Forbidden(_))), "{refused:?}");
}

/// A wrong clock makes many plans look old at once.
#[test]
fn no_more_plans_expire_unasked_than_the_last_time() {
    let world = World::new();
    let propose = |names: &[&str]| {
        for name in names {
            let path = format!("docs/{name}.md");
            world.write(&path, &proposal(&format!("PLAN-{name}"), name));
            world.propose(&path);
        }
    };
    let cancelled = |listing: &Listing| {
        let plans = listing.plans.iter();
        plans
            .filter(|plan| plan.state.name() == "cancelled")
            .count()
    };
    propose(&["a", "b"]);
    world.days_later(31);
    assert_eq!(cancelled(&world.list()), 0, "two, and none before");
    let wanted = ListOptions {
        expire: true,
        ..ListOptions::default()
    };
    assert_eq!(cancelled(&list(world.context(), &wanted).unwrap()), 2);
    propose(&["c", "d"]);
    world.days_later(31);
    assert_eq!(cancelled(&world.list()), 4, "as many as the last time");
    propose(&["e", "f", "g"]);
    world.days_later(31);
    assert_eq!(cancelled(&world.list()), 4, "one more");
}

#[test]
fn finished_plans_go_to_the_archive_and_keep_their_state() {
    let world = World::new();
    world.cancelled(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    world.cancelled(".signoff/plans/no-id.md", &proposal("", "No id"));
    world.cancelled("docs/mine.md", &proposal("PLAN-m", "Mine"));
    world.days_later(89);
    assert_eq!(world.list().plans.len(), 3);
    world.days_later(2);
    assert_eq!(archive_due(world.context()).unwrap().len(), 2);
    check(&world.list(), &[("PLAN-m", "cancelled")]);
    assert!(world.list().notes.is_empty());
    let mut all: Vec<_> = world.all().plans;
    all.sort_by(|a, b| a.key.cmp(&b.key));
    let shown: Vec<_> = all
        .iter()
        .map(|plan| (plan.key.as_str(), plan.state.name(), plan.archived))
        .collect();
    assert_eq!(
        shown,
        [
            (".signoff/plans/no-id.md", "cancelled", true),
            ("PLAN-a", "cancelled", true),
            ("PLAN-m", "cancelled", false),
        ]
    );
    let archived = world.project.store.archive_dir().join("a.md");
    assert_eq!(find(&world.project, "PLAN-a").unwrap(), archived);
}

/// A wrong clock makes many plans look old at once.
#[test]
fn no_more_plans_are_archived_unasked_than_the_last_time_and_that_can_be_taken_back() {
    let world = World::new();
    let finish = |names: &[&str]| {
        for name in names {
            let path = format!(".signoff/plans/{name}.md");
            world.cancelled(&path, &proposal(&format!("PLAN-{name}"), name));
        }
    };
    let archived = || {
        let plans = world.all().plans;
        plans.iter().filter(|plan| plan.archived).count()
    };
    finish(&["a"]);
    world.days_later(91);
    let said = world.list().notes;
    assert!(
        said[0].contains("`signoff archive --restore .signoff/archive/a.md`"),
        "{said:?}"
    );
    assert_eq!(archived(), 1, "one needs no question");
    finish(&["b", "c", "d"]);
    world.days_later(4000);
    let said = world.list().notes;
    assert_eq!((said.len(), archived()), (1, 1), "{said:?}");
    assert!(
        said[0].contains("3 finished plans") && said[0].contains("`signoff archive`"),
        "{said:?}"
    );
    assert_eq!(archive_due(world.context()).unwrap().len(), 3);
    assert_eq!(archived(), 4);
    // What was moved together comes back together, and stays.
    assert_eq!(restore_last(world.context()).unwrap().len(), 3);
    assert_eq!((world.list().notes.len(), archived()), (0, 1));
    let a = world.project.store.archive_dir().join("a.md");
    restore(world.context(), &a, "a").unwrap();
    let a = world.project.store.plans_dir().join("a.md");
    let refused = restore(world.context(), &a, "a");
    assert!(
        matches!(refused, Err(Error::NotArchived { .. })),
        "{refused:?}"
    );
    assert_eq!(
        (archived(), restore_last(world.context()).unwrap().len()),
        (0, 0)
    );
    assert_eq!(find(&world.project, "PLAN-a").unwrap(), a);
}

#[test]
fn only_finished_plans_of_the_store_are_archived() {
    let world = World::new();
    let waiting = world.write(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    let refused = archive(world.context(), &waiting, "a").unwrap_err();
    assert!(matches!(refused, Error::NotFinished { .. }), "{refused:?}");
    let mine = world.cancelled("docs/m.md", &proposal("PLAN-m", "M"));
    let refused = archive(world.context(), &mine, "m").unwrap_err();
    assert!(matches!(
        refused,
        Error::NotKept {
            archived: false,
            ..
        }
    ));
    let done = world.cancelled(".signoff/plans/d.md", &proposal("PLAN-d", "D"));
    world.write(".signoff/archive/d.md", "somebody's");
    let refused = archive(world.context(), &done, "d").unwrap_err();
    assert!(matches!(refused, Error::NameTaken { .. }), "{refused:?}");
    assert!(done.exists());
    fs::remove_file(world.project.store.archive_dir().join("d.md")).unwrap();
    let archived = archive(world.context(), &done, "d").unwrap();
    assert!(archived.to.exists() && !done.exists());
    let refused = archive(world.context(), &archived.to, "d").unwrap_err();
    assert!(matches!(refused, Error::NotKept { archived: true, .. }));
    assert!(archive_due(world.context()).unwrap().is_empty());
}

#[test]
fn nothing_is_archived_or_deleted_behind_a_link() {
    let world = World::new();
    let elsewhere = tempfile::tempdir().unwrap();
    let done = world.cancelled(".signoff/plans/d.md", &proposal("PLAN-d", "D"));
    let store = &world.project.store;
    symlink(elsewhere.path(), store.archive_dir()).unwrap();
    let refused = archive(world.context(), &done, "d").unwrap_err();
    assert!(matches!(refused, Error::LeadsAway { .. }), "{refused:?}");
    assert!(done.exists());
    fs::write(elsewhere.path().join("x.md"), proposal("PLAN-x", "X")).unwrap();
    world.days_later(10_000);
    let options = PruneOptions {
        older_than_days: 1,
        dry_run: false,
        records: true,
    };
    let pruned = prune(world.context(), &options).unwrap();
    assert!(elsewhere.path().join("x.md").exists(), "{pruned:?}");
}

#[test]
fn a_plan_taken_back_out_of_the_archive_stays_where_it_is() {
    let world = World::new();
    let path = world.cancelled(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    let archived = archive(world.context(), &path, "a").unwrap();
    fs::rename(&archived.to, &path).unwrap();
    check(&world.list(), &[("PLAN-a", "cancelled")]);
    assert!(path.exists());
}

#[test]
fn prune_deletes_what_is_old_and_says_what() {
    let world = World::new();
    let path = world.cancelled(".signoff/plans/a.md", &proposal("PLAN-a", "A"));
    archive(world.context(), &path, "a").unwrap();
    world.write(".signoff/artifacts/PLAN-a/context.md", "0123456789");
    world.write(".signoff/archive/README.md", "# About\n");
    world.days_later(200);
    let young = world.cancelled(".signoff/plans/b.md", &proposal("PLAN-b", "B"));
    archive(world.context(), &young, "b").unwrap();
    world.days_later(170);
    let options = |dry_run, records| PruneOptions {
        older_than_days: 365,
        dry_run,
        records,
    };
    let removed_paths = |pruned: &crate::plans::PruneReport| -> Vec<String> {
        assert!(pruned.kept.is_empty(), "{pruned:?}");
        let words = pruned.removed.iter();
        words
            .map(|one| format!("{:?} {} {}", one.kind, one.id, one.bytes))
            .collect()
    };
    let size = world.project.store.archive_dir().join("a.md");
    let size = size.metadata().unwrap().len();
    let expected = [
        "Artifacts PLAN-a 10".to_owned(),
        format!("Plan PLAN-a {size}"),
        "Lock PLAN-a 0".to_owned(),
    ];
    let dry = prune(world.context(), &options(true, false)).unwrap();
    assert_eq!(removed_paths(&dry), expected);
    let real = prune(world.context(), &options(false, false)).unwrap();
    assert_eq!(
        removed_paths(&real),
        expected,
        "a dry run says what happens"
    );
    check(&world.all(), &[("PLAN-b", "cancelled")]);
    let again = prune(world.context(), &options(false, false)).unwrap();
    assert_eq!(removed_paths(&again), [""; 0]);
    assert!(world.project.store.log_path("PLAN-a").exists(), "a record");
    assert!(world.project.store.archive_dir().join("README.md").exists());
    world.days_later(366);
    let records = prune(world.context(), &options(false, true)).unwrap();
    assert!(
        removed_paths(&records)
            .iter()
            .any(|line| line.starts_with("Log PLAN-a"))
    );
    assert!(!world.project.store.log_path("PLAN-a").exists());
    assert!(!world.project.store.log_path("PLAN-b").exists());
}

#[test]
fn stats_count_each_log_once_and_find_tools_that_are_missing() {
    let world = World::new();
    for name in ["a", "b", "c"] {
        let path = format!(".signoff/plans/{name}.md");
        world.write(&path, &proposal(&format!("PLAN-{name}"), name));
        world.propose(&path);
    }
    let path = world.project.store.plans_dir().join("a.md");
    reject(
        world.context(),
        &path,
        "a",
        Some("no"),
        &EditOptions::default(),
    )
    .unwrap();
    let path = world.project.store.plans_dir().join("b.md");
    cancel(world.context(), &path, "b", None).unwrap();
    archive(world.context(), &path, "b").unwrap();
    let path = world.project.store.plans_dir().join("c.md");
    delete(world.context(), &path, "c").unwrap();
    let (stats, troubles) = stats(world.context()).unwrap();
    assert!(troubles.is_empty());
    assert_eq!((stats.plans, stats.proposals), (2, 3));
    assert_eq!((stats.approvals, stats.rejections), (0, 1));
    assert_eq!(stats.approval_rate, Some(0.0));
    assert_eq!(stats.rejections_per_plan, Some(0.333));
    assert_eq!(stats.states["rejected"], 1);
    assert_eq!(stats.states["cancelled"], 1, "archived plans count");
    let [gap] = stats.tool_gaps.as_slice() else {
        panic!("{:?}", stats.tool_gaps);
    };
    assert_eq!((gap.tool.as_str(), gap.plans), ("odoo", 2));
    assert_eq!(stats.most_rejected[0].id, "PLAN-a");
}

#[test]
fn a_broken_log_is_said_and_hides_only_its_plan() {
    let world = World::new();
    for name in ["a", "b"] {
        let path = format!(".signoff/plans/{name}.md");
        world.write(&path, &proposal(&format!("PLAN-{name}"), name));
        world.propose(&path);
    }
    fs::write(world.project.store.log_path("PLAN-a"), "{}\n").unwrap();
    let listing = world.list();
    check(&listing, &[("PLAN-b", "verified")]);
    assert!(!listing.troubles.is_empty());
}
