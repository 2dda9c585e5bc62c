use proptest::prelude::*;

use super::*;
use crate::event::Outcome;

/// The whole table, written out a second time: state, transition, new state, who may.
const EXPECTED: &str = "\
draft verify verified harness
draft cancel cancelled person
draft edit draft anybody
verified approve approved person,policy
verified reject rejected person
verified cancel cancelled person
verified expire cancelled harness
verified edit draft anybody
approved cancel cancelled person
approved expire cancelled harness
approved run executing anybody
approved edit draft anybody
rejected escalate needs_review harness
rejected revise verified person,planner,agent
rejected cancel cancelled person
rejected edit draft anybody
needs_review approve approved person
needs_review revise verified person
needs_review cancel cancelled person
needs_review edit needs_review anybody
cancelled edit draft anybody
executing cancel cancelled person
executing complete completed harness
executing fail failed person,harness
executing stall stalled harness
executing replan replanning harness
replanning edit draft anybody
replanning fail failed harness
stalled cancel cancelled person
stalled fail failed person
stalled resume executing anybody
stalled retry approved person
completed edit draft anybody
completed run again executing person
failed cancel cancelled person
failed edit draft anybody
failed resume executing person
failed retry approved person";

fn table() -> Vec<String> {
    let mut lines = Vec::new();
    for state in PlanState::ALL {
        for act in Transition::ALL {
            let results = Actor::ALL.map(|actor| (actor, state_after(state, act, actor)));
            let allowed: Vec<_> = results
                .iter()
                .filter_map(|(actor, result)| Some((actor.name(), result.as_ref().ok()?)))
                .collect();
            let Some((_, to)) = allowed.first() else {
                continue;
            };
            assert!(allowed.iter().all(|(_, other)| other == to));
            let names: Vec<_> = allowed.iter().map(|(name, _)| *name).collect();
            let names = if names.len() == Actor::ALL.len() {
                "anybody".to_owned()
            } else {
                names.join(",")
            };
            lines.push(format!("{state} {} {to} {names}", act.verb()));
        }
    }
    lines.sort();
    lines
}

/// A file of another tool can keep its plan from running, and never let it run.
#[test]
fn what_a_file_claims_is_believed_only_if_it_holds_the_plan_back() {
    let believed = [
        PlanState::Rejected,
        PlanState::NeedsReview,
        PlanState::Cancelled,
        PlanState::Completed,
    ];
    for claimed in PlanState::ALL {
        let expected = if believed.contains(&claimed) {
            claimed
        } else {
            PlanState::Verified
        };
        let known = PlanFlags::default();
        assert_eq!(derive(known, [PlanFact::Claimed(claimed)]), expected);
        for word in [claimed.name(), claimed.in_record(), claimed.in_workunit()] {
            assert!(PlanState::in_file(word).is_some(), "{word}");
        }
    }
    assert_eq!(PlanState::in_file("complete"), Some(PlanState::Completed));
    assert_eq!(PlanState::in_file("done"), Some(PlanState::Completed));
    assert_eq!(PlanState::in_file("nearly"), None);
}

#[test]
fn the_table_is_the_designs() {
    let mut expected: Vec<_> = EXPECTED.lines().collect();
    expected.sort_unstable();
    assert_eq!(table(), expected);
}

#[test]
fn refusals_say_what_is_possible() {
    let twice = state_after(PlanState::Approved, Transition::Approve, Actor::Person).unwrap_err();
    assert_eq!(twice.to_string(), "Cannot approve a plan that is approved");
    let ForbiddenTransition::State { possible, .. } = twice else {
        panic!("{twice:?}");
    };
    assert_eq!(
        possible,
        [Transition::Edit, Transition::Cancel, Transition::Start]
    );
    let agent = state_after(PlanState::Verified, Transition::Approve, Actor::Agent).unwrap_err();
    assert_eq!(
        agent.to_string(),
        "Cannot approve a plan that is verified as agent: only person or policy may"
    );
}

#[test]
fn another_version_of_a_plan_whose_run_stands_still_is_a_persons_to_sign() {
    for state in [PlanState::Executing, PlanState::Stalled, PlanState::Failed] {
        assert_eq!(state_after_signing_again(state, Actor::Person), Ok(state));
        for actor in [Actor::Policy, Actor::Harness, Actor::Planner, Actor::Agent] {
            let refused = state_after_signing_again(state, actor).unwrap_err();
            assert!(
                refused.to_string().ends_with("only person may"),
                "{refused}"
            );
        }
        // What is not another version cannot be signed once more.
        assert!(state_after(state, Transition::Approve, Actor::Person).is_err());
    }
    let verified = state_after_signing_again(PlanState::Verified, Actor::Person);
    assert_eq!(verified, Ok(PlanState::Approved));
    assert!(state_after_signing_again(PlanState::Completed, Actor::Person).is_err());
}

#[test]
fn every_word_leads_back() {
    for state in PlanState::ALL {
        assert_eq!(PlanState::from_name(state.name()), Some(state));
    }
    assert_eq!(PlanState::from_name("proposed"), Some(PlanState::Verified));
    assert_eq!(PlanState::from_name("approve"), None);
}

#[test]
fn the_newest_fact_wins() {
    let signed = PlanFlags {
        signed: true,
        ..PlanFlags::default()
    };
    let broken = PlanFlags {
        has_errors: true,
        signed: true,
        needs_person: false,
    };
    let waiting = PlanFlags {
        needs_person: true,
        ..signed
    };
    let run = |outcome, is_attended| {
        PlanFact::Run(RunFact {
            is_replanning: false,
            outcome,
            is_attended,
        })
    };
    let failed = run(Some(Outcome::Failed), false);
    for (known, facts, state) in [
        (PlanFlags::default(), vec![], PlanState::Verified),
        (broken, vec![], PlanState::Draft),
        (broken, vec![PlanFact::Approved], PlanState::Draft),
        (signed, vec![], PlanState::Approved),
        (
            PlanFlags::default(),
            vec![PlanFact::Approved],
            PlanState::Verified,
        ),
        (
            signed,
            vec![PlanFact::Approved, PlanFact::Cancelled],
            PlanState::Cancelled,
        ),
        (
            signed,
            vec![PlanFact::Rejected, PlanFact::Proposed],
            PlanState::Verified,
        ),
        (
            signed,
            vec![PlanFact::Rejected, PlanFact::NeedsReview],
            PlanState::NeedsReview,
        ),
        (
            signed,
            vec![PlanFact::Approved, run(None, true)],
            PlanState::Executing,
        ),
        (
            signed,
            vec![PlanFact::Approved, run(None, false)],
            PlanState::Stalled,
        ),
        (
            signed,
            vec![run(Some(Outcome::Partial), false)],
            PlanState::Completed,
        ),
        (signed, vec![failed], PlanState::Failed),
        (signed, vec![failed, PlanFact::Retried], PlanState::Approved),
        (
            PlanFlags::default(),
            vec![failed, PlanFact::Retried],
            PlanState::Verified,
        ),
        (waiting, vec![], PlanState::NeedsReview),
        (waiting, vec![PlanFact::Proposed], PlanState::NeedsReview),
        (waiting, vec![PlanFact::Cancelled], PlanState::Cancelled),
        (waiting, vec![run(None, true)], PlanState::Executing),
    ] {
        assert_eq!(derive(known, facts.clone()), state, "{known:?} {facts:?}");
    }
}

fn history() -> impl Strategy<Value = Vec<(Transition, Actor)>> {
    let one = (0..Transition::ALL.len(), 0..Actor::ALL.len());
    let one = one.prop_map(|(act, actor)| (Transition::ALL[act], Actor::ALL[actor]));
    proptest::collection::vec(one, 0..60)
}

fn facts() -> impl Strategy<Value = Vec<PlanFact>> {
    let run = |outcome| {
        PlanFact::Run(RunFact {
            is_replanning: false,
            outcome,
            is_attended: false,
        })
    };
    let one = prop_oneof![
        Just(PlanFact::Proposed),
        Just(PlanFact::Approved),
        Just(PlanFact::Rejected),
        Just(PlanFact::NeedsReview),
        Just(PlanFact::Cancelled),
        Just(PlanFact::Retried),
        Just(run(None)),
        Just(run(Some(Outcome::Failed))),
        Just(run(Some(Outcome::Completed))),
    ];
    proptest::collection::vec(one, 0..8)
}

proptest! {
    /// While a plan needs a person, whatever else was recorded: nobody else signs, starts or answers
    /// it.
    #[test]
    fn what_needs_a_person_waits_for_one(
        facts in facts(),
        has_errors in any::<bool>(),
        signed in any::<bool>(),
    ) {
        let known = PlanFlags { has_errors, signed, needs_person: true };
        let state = derive(known, facts);
        for actor in [Actor::Agent, Actor::Planner, Actor::Policy] {
            for act in [Transition::Approve, Transition::Start, Transition::Revise] {
                prop_assert!(state_after(state, act, actor).is_err(), "{act:?} from {state}");
            }
        }
    }

    /// Whatever is tried, in whatever order: what an agent does never signs, rejects, cancels or
    /// answers, nothing runs that was not approved, and a refusal changes nothing and is true.
    #[test]
    fn random_histories_keep_the_rules(history in history()) {
        let mut state = PlanState::Draft;
        let mut approved = false;
        for (act, actor) in history {
            match state_after(state, act, actor) {
                Ok(next) => {
                    if matches!(next, PlanState::Approved | PlanState::Rejected | PlanState::Cancelled) {
                        prop_assert!(!matches!(actor, Actor::Agent | Actor::Planner));
                    }
                    if state == PlanState::NeedsReview && next != state {
                        prop_assert_eq!(actor, Actor::Person);
                    }
                    if next == PlanState::Executing {
                        prop_assert!(approved, "{act:?} from {state}");
                    }
                    approved = match next {
                        PlanState::Approved => true,
                        PlanState::Draft | PlanState::Verified | PlanState::Rejected
                            | PlanState::NeedsReview | PlanState::Cancelled => false,
                        PlanState::Executing | PlanState::Replanning | PlanState::Stalled | PlanState::Completed | PlanState::Failed => approved,
                    };
                    prop_assert!(possible_transitions(state, actor).contains(&act));
                    state = next;
                }
                Err(ForbiddenTransition::State { possible, .. }) => {
                    prop_assert!(!possible.contains(&act));
                    for other in possible {
                        prop_assert!(state_after(state, other, actor).is_ok());
                    }
                }
                Err(ForbiddenTransition::Actor { allowed, .. }) => {
                    prop_assert!(!allowed.contains(&actor));
                    for other in allowed {
                        prop_assert!(state_after(state, act, *other).is_ok());
                    }
                }
            }
        }
    }
}
