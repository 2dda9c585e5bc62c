//! The diamond with a process killed at every point of its work, and what else may come in its way.

use super::carry_out;
use super::cases::diamond;
use super::world::{Backend, Server, Trouble, Victim};
use crate::support::soak;

/// Where a worker can die, and where a process that drives can. The short form takes those that stand first, and the
/// long one every point at its first and its third occasion.
const OF_WORKER: [&str; 12] = [
    "work.pushed",
    "report.before",
    "order.claimed",
    "report.after",
    "spawn.before",
    "spawn.held",
    "spawn.released",
    "work.ended",
    "layer.made",
    "layer.recorded",
    "contract.before",
    "contract.ended",
];
const OF_ORCHESTRATOR: [&str; 20] = [
    "orders.before",
    "merge.moved",
    "journal.published",
    "run.taken",
    "orders.given",
    "append.before",
    "append.torn",
    "append.after",
    "started.before",
    "started.after",
    "finished.before",
    "finished.after",
    "candidate.built",
    "merge.before",
    "merged.before",
    "merged.after",
    "verdict.before",
    "verdict.after",
    "answer.before",
    "answer.after",
];

/// Points of the short form, for each victim.
const SHORT: usize = 2;

fn points(of: &[&'static str], victim: Victim) -> Vec<(&'static str, Victim)> {
    let count = if soak() { of.len() } else { SHORT };
    let named = of.iter().take(count).map(|point| (*point, victim));
    named.collect()
}

/// `NAME:N`, kept for as long as the test runs.
fn armed(point: &str, occasion: usize) -> &'static str {
    Box::leak(format!("{point}:{occasion}").into_boxed_str())
}

#[test]
fn killed_at_any_point_it_ends_as_if_nothing_had_been() {
    let Some(server) = Server::start() else {
        return;
    };
    let case = diamond();
    let expected = carry_out(&case, Backend::File, Trouble::default()).ending;
    let mut all = points(&OF_WORKER, Victim::Worker);
    all.extend(points(&OF_ORCHESTRATOR, Victim::Orchestrator));
    let both: Vec<&'static str> = OF_WORKER.into_iter().chain(OF_ORCHESTRATOR).collect();
    all.extend(
        points(&both, Victim::Both)
            .into_iter()
            .skip(usize::from(!soak())),
    );
    let occasions: &[usize] = if soak() { &[1, 3] } else { &[2] };
    let (mut killed, mut missed) = (0, Vec::new());
    for (point, victim) in all {
        for occasion in occasions {
            let at = armed(point, *occasion);
            let trouble = Trouble {
                kill: Some((at, victim)),
                ..Trouble::default()
            };
            let carried = carry_out(&case, Backend::Cluster(&server), trouble);
            assert_eq!(carried.ending, expected, "{victim:?} killed at {at}");
            killed += usize::from(carried.deaths > 0);
            if carried.deaths == 0 {
                missed.push((victim, at));
            }
        }
    }
    println!("{killed} runs with a kill; not reached: {missed:?}");
    // A point that no longer exists would be no test of anything.
    assert!(soak() || missed.is_empty(), "{missed:?}");
}

#[test]
fn the_one_machine_is_killed_like_the_many() {
    let case = diamond();
    let expected = carry_out(&case, Backend::File, Trouble::default()).ending;
    for point in ["merge.moved:1", "finished.after:2", "answer.before:1"] {
        let trouble = Trouble {
            kill: Some((point, Victim::Both)),
            ..Trouble::default()
        };
        let carried = carry_out(&case, Backend::File, trouble);
        assert_eq!(carried.ending, expected, "killed at {point}");
    }
}

#[test]
fn two_drive_answers_come_twice_and_the_database_restarts() {
    let Some(server) = Server::start() else {
        return;
    };
    let case = diamond();
    let expected = carry_out(&case, Backend::File, Trouble::default()).ending;
    let trouble = Trouble {
        two_drive: true,
        says_twice: true,
        ..Trouble::default()
    };
    let carried = carry_out(&case, Backend::Cluster(&server), trouble);
    assert_eq!(carried.ending, expected, "{trouble:?}");
    let trouble = Trouble {
        database_restarts: true,
        ..Trouble::default()
    };
    let carried = carry_out(&case, Backend::Cluster(&server), trouble);
    assert_eq!(carried.ending, expected, "{trouble:?}");
}
