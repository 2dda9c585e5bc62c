//! What has to come together for `proved`, and the reason where it does not.

use signoff_engine::{
    Action, Changes, Choice, Event, EvidenceFacts, Grade, InboxKind, Input, Observation,
    ProcessEnd, SHARED, due,
};

use crate::world::{Outcomes, World, observed, plan_text};

fn step(command: &str, more: &str) -> String {
    format!(
        "**target:** coder\n**task:**\nDo it.\n\n{more}**contract:**\n```shell\n{command}\n```\n**on_fail:** escalate\n"
    )
}

fn red() -> Observation {
    observed(ProcessEnd::Exited(1))
}

fn green() -> Observation {
    observed(ProcessEnd::Exited(0))
}

fn printed(text: &str, observed: Observation) -> Observation {
    Observation {
        stdout: text.to_owned(),
        ..observed
    }
}

/// Runs one step whose contract shows these before and after the work: its grade and its facts, or why
/// it failed.
fn outcome(
    body: &str,
    before: Observation,
    after: Observation,
) -> Result<(Grade, EvidenceFacts), String> {
    let mut world = World::new(&plan_text(&[body]), Outcomes::default());
    let (mut before, mut after) = (Some(before), Some(after));
    loop {
        let action = due(&world.run, world.now, &world.bounds).into_iter().next();
        match action {
            Some(Action::Baseline { step }) => {
                world.record(Input::BaselineBegins { step });
                let observed = before.take().expect("once");
                world.record(Input::BaselineEnded { step, observed });
            }
            Some(Action::Evaluate { step, attempt, .. }) => {
                world.record(Input::EvaluationBegins { step, attempt });
                let observed = after.take().expect("once");
                world.record(Input::EvaluationEnded {
                    step,
                    attempt,
                    observed,
                });
                break;
            }
            Some(action) => world.perform(action, false),
            None if lets_it_work(&mut world) => {}
            None => break,
        }
    }
    let last = world.events.iter().rev();
    let completed = last.clone().find_map(|recorded| match &recorded.event {
        Event::StepCompleted {
            evidence, facts, ..
        } => Some((*evidence, facts.clone())),
        _ => None,
    });
    let unmet = last.clone().find_map(|recorded| match &recorded.event {
        Event::ContractFinished { unmet, .. } => Some(unmet.join("; ")),
        _ => None,
    });
    completed.ok_or_else(|| unmet.unwrap_or_default())
}

#[track_caller]
fn check(body: &str, before: Observation, after: Observation, reasons: &[&str]) {
    let (grade, facts) = outcome(body, before, after).expect("it is completed");
    assert_eq!(facts.not_proved, reasons);
    let expected = if reasons.is_empty() {
        Grade::Proved
    } else {
        Grade::Held
    };
    assert_eq!(grade, expected);
}

#[track_caller]
fn fails(body: &str, before: Observation, after: Observation, reason: &str) {
    let found = outcome(body, before, after);
    assert_eq!(found.map(|(grade, _)| grade), Err(reason.to_owned()));
}

#[test]
fn red_before_and_green_after_is_proved() {
    let plain = step("test -f out", "");
    check(&plain, red(), green(), &[]);
    check(
        &plain,
        green(),
        green(),
        &["its contract held before the work"],
    );
    check(
        &plain,
        observed(ProcessEnd::Exited(127)),
        green(),
        &["its contract gave no answer before the work"],
    );
}

fn complains(text: &str, observed: Observation) -> Observation {
    Observation {
        stderr: text.to_owned(),
        ..observed
    }
}

fn changing(file: &str, observed: Observation) -> Observation {
    Observation {
        changes: Some(Box::new(Changes {
            files: Some(vec![file.to_owned()]),
            ..Changes::default()
        })),
        ..observed
    }
}

#[test]
fn red_for_want_of_a_program_or_module_proves_nothing_unless_the_work_brings_it() {
    let runner = step("python3 -m checker", "");
    let missing = "/usr/bin/python3: No module named checker";
    check(
        &runner,
        complains(missing, red()),
        changing("a.py", green()),
        &["its contract could not run before the work: /usr/bin/python3: No module named checker"],
    );
    check(
        &runner,
        complains(missing, red()),
        changing("checker/__main__.py", green()),
        &[],
    );
    let import = "ModuleNotFoundError: No module named 'calc'";
    check(
        &runner,
        complains(import, red()),
        changing("test_calc.py", green()),
        &[
            "before the work its contract failed because `calc` was missing, which the work did not bring",
        ],
    );
    check(
        &runner,
        complains(import, red()),
        changing("src/calc.py", green()),
        &[],
    );
}

/// The events of a step whose contract complains before and after the work.
fn told(policy: &str, before: &str, after: &str) -> World {
    told_of("make test", policy, before, after)
}

fn told_of(contract: &str, policy: &str, before: &str, after: &str) -> World {
    let body = step(contract, "").replace("escalate", policy);
    let mut world = World::new(&plan_text(&[&body]), Outcomes::default());
    for _ in 0..60 {
        match due(&world.run, world.now, &world.bounds).into_iter().next() {
            Some(Action::Baseline { step }) => {
                world.record(Input::BaselineBegins { step });
                let observed = complains(before, red());
                world.record(Input::BaselineEnded { step, observed });
            }
            Some(Action::Evaluate { step, attempt, .. }) => {
                world.record(Input::EvaluationBegins { step, attempt });
                let observed = complains(after, red());
                world.record(Input::EvaluationEnded {
                    step,
                    attempt,
                    observed,
                });
            }
            Some(action) => world.perform(action, false),
            None if lets_it_work(&mut world) => {}
            None => break,
        }
    }
    world
}

/// A person who is asked about an agent that cannot be judged lets it work; whether they were asked.
fn lets_it_work(world: &mut World) -> bool {
    let asked = (world.run.items())
        .find(|item| item.kind == InboxKind::Approval)
        .map(|item| item.id.clone());
    let Some(item) = asked else {
        return false;
    };
    answer(world, item, Choice::Approve);
    true
}

fn answer(world: &mut World, item: String, choice: Choice) {
    world.record(Input::Answer {
        item,
        steps: Vec::new(),
        choice,
        note: None,
        by: "ann".to_owned(),
    });
}

#[test]
fn an_agent_whose_contract_misses_its_program_waits_for_a_person() {
    let mut world = World::new(&plan_text(&[&step("make test", "")]), Outcomes::default());
    let missing = |world: &mut World| {
        world.record(Input::BaselineBegins { step: 0 });
        let observed = complains("bash: line 1: pytest: command not found", red());
        world.record(Input::BaselineEnded { step: 0, observed });
    };
    missing(&mut world);
    // Where the harness dies before it asks, it asks when it goes on.
    let next = |world: &World| due(&world.run, world.now, &world.bounds).into_iter().next();
    assert_eq!(next(&world), Some(Action::Gate { step: 0 }));
    world.perform(Action::Gate { step: 0 }, false);
    let item = world.run.items().next().expect("a question").clone();
    assert!(
        item.question.contains("pytest: command not found"),
        "{}",
        item.question
    );
    assert_eq!(next(&world), None);
    // Installed or not, the contract says.
    answer(&mut world, item.id, Choice::Retry);
    assert_eq!(next(&world), Some(Action::Baseline { step: 0 }));
    missing(&mut world);
    world.perform(Action::Gate { step: 0 }, false);
    assert!(lets_it_work(&mut world));
    assert_eq!(
        next(&world),
        Some(Action::Dispatch {
            step: 0,
            attempt: 1
        })
    );
}

#[test]
fn a_contract_that_still_misses_its_program_costs_no_second_agent() {
    let missing = "bash: line 1: pytest: command not found";
    let world = told("retry(2), then escalate", missing, missing);
    let (_, state) = world.run.step(0).expect("a step");
    assert_eq!((state.attempts, state.activation.failures), (1, 0));
    let question = &world.run.items().next().expect("an item").question;
    assert!(question.contains(missing), "{question}");

    // What is only missing after the work may be the work's fault.
    let world = told("retry(2), then escalate", "assertion failed", missing);
    assert_eq!(world.run.step(0).map(|(_, state)| state.attempts), Some(3));
}

/// Behind a command that fails before the work, nobody sees before it that the next one is missing.
#[test]
fn what_the_contract_itself_starts_and_misses_costs_no_second_agent() {
    let attempts = |contract: &str, missing: &str, expected: u32| {
        let policy = "retry(2), then escalate";
        let world = told_of(contract, policy, "", missing);
        let (_, state) = world.run.step(0).expect("a step");
        assert_eq!(state.attempts, expected, "{contract}");
        let question = &world.run.items().next().expect("an item").question;
        let line = missing.lines().next().expect("a line");
        assert!(question.contains(line) || expected > 1, "{question}");
    };
    let command = "bash: line 1: pytest: command not found";
    attempts("test -e out && pytest -q", command, 1);
    attempts("test -e out && timeout 9 pytest", command, 1);
    // The work may bring these.
    attempts("PATH=$PWD/bin:$PATH; pytest", command, 3);
    attempts("make test", command, 3);
    let module = "/usr/bin/python3: No module named pytest";
    attempts("test -e out && python3 -m pytest", module, 1);
    attempts("bash check.sh", module, 3);
    let noted = format!("{module}\nsignoff: the attempt changed `.cache`\n");
    attempts("test -e out && python3 -m pytest", &noted, 1);
    let own = "/usr/bin/python3: No module named checker";
    attempts("test -e out && python3 -m checker", own, 3);
    let nextest = "error: no such command: `nextest`";
    attempts("test -e out && cargo nextest run", nextest, 1);
}

#[test]
fn what_a_red_contract_showed_is_known_until_the_next_attempt() {
    let world = told("escalate", "", "assertion failed");
    let (_, state) = world.run.step(0).expect("a step");
    let red = state.contract.red.as_ref().expect("it was red");
    assert_eq!(
        (&red.ended, red.stderr.as_str()),
        (&ProcessEnd::Exited(1), "assertion failed")
    );
    let mut world = world;
    let item = world.run.items().next().expect("an item").id.clone();
    answer(&mut world, item, Choice::Retry);
    world.step(false);
    let (_, state) = world.run.step(0).expect("a step");
    assert_eq!((state.attempts, &state.contract.red), (2, &None));
}

#[test]
fn a_name_that_reads_like_an_option_proves_nothing() {
    let plain = step("! grep -n TODO *.py", "");
    for name in ["-q.py", "src/-L/a.py"] {
        let reason =
            format!("`{name}` reads like an option to a command that finds it by a pattern");
        check(&plain, red(), changing(name, green()), &[reason.as_str()]);
    }
    check(&plain, red(), changing("a-q.py", green()), &[]);
}

#[test]
fn the_work_must_have_changed_something_that_was_seen() {
    let plain = step("test -f out", "");
    let changed = |files: Option<Vec<String>>| Observation {
        changes: Some(Box::new(Changes {
            files,
            ..Changes::default()
        })),
        ..green()
    };
    check(
        &plain,
        red(),
        changed(Some(Vec::new())),
        &["the work changed nothing that is versioned"],
    );
    check(
        &plain,
        red(),
        changed(None),
        &["what the work changed was not recorded"],
    );
}

#[test]
fn a_shared_or_a_warm_tree_proves_nothing() {
    let plain = step("test -f out", "");
    let shown = |mode: &str, warm: bool, observed: Observation| Observation {
        overlay_mode: Some(mode.to_owned()),
        warm,
        ..observed
    };
    let shared = "its contract ran in the tree that the agent could write to";
    let warm = "its contract reused what an earlier run of it had built";
    for mode in ["overlay", "copy"] {
        check(
            &plain,
            shown(mode, false, red()),
            shown(mode, false, green()),
            &[],
        );
        check(
            &plain,
            shown(mode, false, red()),
            shown(mode, true, green()),
            &[warm],
        );
    }
    check(
        &plain,
        shown(SHARED, false, red()),
        shown("overlay", false, green()),
        &[shared],
    );
    check(
        &plain,
        shown("copy", false, red()),
        shown(SHARED, true, green()),
        &[shared, warm],
    );
    let (_, facts) = outcome(&plain, red(), shown("overlay", false, green())).expect("completed");
    assert_eq!(facts.overlay_mode.as_deref(), Some("overlay"));
}

#[test]
fn what_agents_left_in_ignored_directories_proves_nothing() {
    let plain = step("test -f out", "");
    let found = |observed: Observation| Observation {
        ignored_work: true,
        ..observed
    };
    let reason = "its contract found what agents had left in ignored directories";
    check(&plain, red(), found(green()), &[reason]);
    // Red for want of what others had is no red either.
    check(&plain, found(red()), green(), &[reason]);
}

#[test]
fn a_known_runner_has_to_be_heard() {
    let pytest = step("pytest -q", "");
    let (three, two) = ("1 failed, 2 passed in 0.1s", "2 passed in 0.1s");
    let gone = "pytest did not close with its summary, although 3 tests ran before";
    check(
        &pytest,
        printed(three, red()),
        printed("3 passed in 0.1s", green()),
        &[],
    );
    fails(&pytest, printed(three, red()), green(), gone);
    fails(
        &pytest,
        printed(three, red()),
        printed(two, green()),
        "fewer tests ran than before: 2 of 3",
    );
    // It could not even start before, and says nothing after either.
    check(&pytest, red(), green(), &["no summary of pytest was seen"]);
    check(&pytest, red(), printed(two, green()), &[]);
}

#[test]
fn a_new_file_that_a_pattern_protects_is_a_change_of_a_protected_file() {
    let guarded = step("test -f out", "**protects:** wor?\n");
    fails(&guarded, red(), green(), "it changed protected files: work");
    check(
        &step("test -f out", "**protects:** other/**\n"),
        red(),
        green(),
        &[],
    );
}

#[test]
fn a_module_that_shadows_the_runners_own_fails_the_attempt() {
    let with = |file: &str| Observation {
        changes: Some(Box::new(Changes {
            files: Some(vec![file.to_owned()]),
            ..Changes::default()
        })),
        ..green()
    };
    let python = step("python3 check.py", "");
    fails(
        &python,
        red(),
        with("json.py"),
        "it made files that the runner of a contract loads in place of others, and `produces` does not name them: json.py",
    );
    check(&python, red(), with("app.py"), &[]);
    check(
        &step("python3 check.py", "**produces:** json.py\n"),
        red(),
        with("json.py"),
        &[],
    );
}

#[test]
fn a_contract_that_writes_what_configures_its_runner_proves_nothing() {
    let wrote = |path: &str| Observation {
        wrote: vec![path.to_owned()],
        ..green()
    };
    let body = step("make check", "");
    check(
        &body,
        red(),
        wrote("Makefile"),
        &["its contract wrote `Makefile`, which configures its own runner"],
    );
    // What it makes for itself, and what is no configuration.
    check(&body, red(), wrote("build/Makefile"), &[]);
    check(&body, red(), wrote("out.log"), &[]);
}
