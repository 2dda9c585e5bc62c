//! The same cases on both back ends, by the same commands: a run on one machine, whose journal is a file, is the oracle for
//! the run that several processes share through Postgres. Also with a process killed at every point of its work, with two
//! that drive, with answers that come twice, and with a database that is restarted.

#![expect(clippy::panic, reason = "all of this is of tests")]

mod cases;
mod ending;
mod killed;
mod world;

use std::collections::BTreeMap;

use signoff_testkit::Output;

use self::cases::{Case, cases};
use self::ending::{Course, Ending, assert_once};
use self::world::{Backend, Server, Trouble, World};
use crate::support::soak;

/// What came of a case.
#[derive(Debug, PartialEq)]
struct Carried {
    ending: Ending,
    course: Course,
    /// What the first command said about the end of the run: its exit code.
    code: Option<i32>,
    /// How many processes died on the way.
    deaths: usize,
}

/// Carries a case out on a back end, with a person who answers everything. This is the only way in which cases are run.
#[track_caller]
fn carry_out(case: &Case, backend: Backend<'_>, trouble: Trouble) -> Carried {
    let mut world = World::new(case, backend, trouble);
    let (first, mut deaths) = world.follow(&["run", case.plan]);
    let mut answered = BTreeMap::new();
    for _ in 0..40 {
        let shown = world.project.signoff(["status", "--format", "json"]);
        if shown.code == Some(2) {
            // It was killed before its first event.
            deaths += world.follow(&["run", case.plan]).1;
            continue;
        }
        let shown = shown.assert_success().json();
        let state = shown["status"].as_str().unwrap_or_default();
        if ["completed", "partial", "failed"].contains(&state) {
            assert_once(&world.project, case.name);
            return Carried {
                ending: Ending::of(&world.project, &case.files),
                course: Course::of(&world.project),
                code: first.code,
                deaths,
            };
        }
        deaths += go_on(&mut world, case, trouble, &mut answered);
    }
    panic!("{}: it never ends: {first}\n{}", case.name, world.said());
}

/// Answers everything that is open, and has the run go on. Returns how many processes died meanwhile.
#[track_caller]
fn go_on(
    world: &mut World<'_>,
    case: &Case,
    trouble: Trouble,
    answered: &mut BTreeMap<String, usize>,
) -> usize {
    let mut deaths = 0;
    let inbox = world.project.json(["inbox"]);
    let items = inbox["items"].as_array().cloned().unwrap_or_default();
    if items.is_empty() {
        return world.follow(&["resume"]).1;
    }
    for (item, left) in items.iter().zip((0..items.len()).rev()) {
        let word = |name: &str| item[name].as_str().unwrap_or_default().to_owned();
        if word("kind") == "new_version" {
            let question = word("question");
            let (_, after) = question
                .split_once("signoff approve ")
                .expect("how to sign");
            let (name, _) = after.split_once('`').expect("a command");
            deaths += world.follow(&["approve", name, "--run"]).1;
            continue;
        }
        let before = answered.entry(word("kind")).or_default();
        let (choice, note) = case.reply(&word("kind"), *before);
        *before += 1;
        let id = word("id");
        let mut words = vec!["answer", &id, choice];
        words.extend(note.into_iter().flat_map(|note| ["--note", note]));
        if left == 0 && !trouble.database_restarts {
            words.push("--resume");
        }
        let (said, died) = world.follow(&words);
        deaths += died;
        // Others than these: it was not taken.
        let is_taken = |output: &Output| matches!(output.code, Some(0 | 1 | 3));
        assert!(
            is_taken(&said) || died > 0,
            "{}: {item:#}\n{said}\n{}",
            case.name,
            world.said()
        );
        if trouble.says_twice {
            world.follow(&words).0.assert_code(5);
        }
        if let (Backend::Cluster(server), true) = (world.backend, trouble.database_restarts) {
            server.restart();
        }
    }
    deaths
}

/// In what the run on one machine and the shared one differ: how they end, step by step and event by event.
fn difference(case: &Case, server: &Server) -> Option<String> {
    let here = carry_out(case, Backend::File, Trouble::default());
    let there = carry_out(case, Backend::Cluster(server), Trouble::default());
    (here != there).then(|| format!("{}:\n{here:#?}\nand there\n{there:#?}", case.name))
}

#[test]
fn every_plan_ends_alike_on_both_back_ends() {
    let Some(server) = Server::start() else {
        return;
    };
    let cases = cases();
    let cases = cases.iter().filter(|case| soak() || !case.long);
    let differ: Vec<String> = cases.filter_map(|case| difference(case, &server)).collect();
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}
