use std::path::Path;
use std::time::Duration;

use signoff_engine::{
    AcceptAt, Event, Observation, OnGreenBaseline, ProcessEnd, Run, Settings, StepForecast, Verdict,
};

use super::{OpeningContext, opening};
use crate::report::run::sample::{AGENT, CHECK, apply_events, run, started};

fn shown(run: &Run, size: (usize, usize), uncommitted: Option<Vec<String>>) -> Vec<String> {
    shown_with(run, size, uncommitted, &[])
}

fn shown_with(
    run: &Run,
    size: (usize, usize),
    uncommitted: Option<Vec<String>>,
    forecast: &[StepForecast],
) -> Vec<String> {
    let settings = Settings {
        max_replans: 3,
        roles: Vec::new(),
        has_planner: true,
        backoff: 0,
        baseline: true,
        green: OnGreenBaseline::Skip,
        accept: AcceptAt::End,
        jobs: 1,
        isolation: signoff_engine::Isolation::Shared,
        land: signoff_engine::LandAt::End,
        cache: signoff_engine::ContractCache::Cold,
        sandbox: "none".to_owned(),
    };
    let context = OpeningContext {
        run: "R",
        workspace: Path::new("/w"),
        settings: &settings,
        forecast,
        uncommitted,
        program: &|role| Some(format!("{role}-cli")),
        step_timeout: Duration::from_mins(10),
        size,
    };
    let lines = opening(run, &context);
    let plain = lines
        .iter()
        .map(|line| anstream::adapter::strip_str(line).to_string());
    plain.collect()
}

#[test]
fn a_long_plan_is_cut_to_one_screen() {
    let steps = vec![("Some step with a title that is rather long", CHECK); 300];
    for height in [10, 24, 50] {
        let lines = shown(&run(&steps), (60, height), None);
        assert!(lines.len() < height, "{height}: {lines:#?}");
        let more = lines.iter().find(|line| line.starts_with("… and "));
        let shown = lines
            .iter()
            .filter(|line| line.contains("Some step"))
            .count();
        assert_eq!(more, Some(&format!("… and {} more", 300 - shown)));
    }
}

#[test]
fn titles_give_way_to_who_does_it() {
    let title = "A title that goes on and on until nobody reads it any more";
    let lines = shown(&run(&[(title, AGENT)]), (60, 24), None);
    assert_eq!(
        lines[3],
        "● 1. A title that goes on and…  coder → coder-cli · contract"
    );
}

#[test]
fn files_without_a_commit_are_counted_and_some_are_named() {
    let files: Vec<String> = (0..7).map(|n| format!("f{n}\u{1b}")).collect();
    let lines = shown(&run(&[("A", CHECK)]), (120, 24), Some(files));
    let names: Vec<String> = (0..5).map(|n| format!("f{n}\\u{{1b}}")).collect();
    let expected = format!("uncommitted files: 7: {} and 2 more", names.join(", "));
    assert!(lines.contains(&expected), "{lines:#?}");
    let lines = shown(&run(&[("A", CHECK)]), (80, 24), Some(Vec::new()));
    assert!(!lines.join("").contains("uncommitted"), "{lines:#?}");
}

#[test]
fn a_contract_that_was_seen_green_is_named() {
    let mut run = run(&[("A", AGENT)]);
    let before = shown(&run, (100, 24), None);
    let promise = "the contract of step 1 runs first; if it is green, the step is skipped";
    assert!(before.contains(&promise.to_owned()), "{before:#?}");
    let observed = Observation {
        duration_ms: 1,
        ..Observation::new(ProcessEnd::Exited(0))
    };
    let finished = Event::BaselineFinished {
        step: "step-1".to_owned(),
        verdict: Verdict::Pass,
        observed,
    };
    apply_events(&mut run, [started("step-1"), finished]);
    let after = shown(&run, (100, 24), None);
    assert!(
        after.contains(&"contract already green: 1. A".to_owned()),
        "{after:#?}"
    );
    assert!(!after.contains(&promise.to_owned()), "{after:#?}");
}

#[test]
fn the_worst_case_counts_retries_and_items() {
    let retry = format!("{AGENT}**on_fail:** retry(4), then abort\n");
    let each = format!(
        "{AGENT}**on_fail:** abort\n**for_each:** [1, 2]\n**max_items:** 7\n**timeout:** 2m\n"
    );
    let lines = shown(
        &run(&[("A", &retry), ("B", &each), ("C", CHECK)]),
        (100, 24),
        None,
    );
    let worst = "at worst: 12 agents, each up to 2m or 10m; the budget allows 1h";
    assert!(lines.contains(&worst.to_owned()), "{lines:#?}");
}

#[test]
fn of_steps_that_are_kept_nothing_is_said_that_is_about_work() {
    let run = run(&[("A", AGENT)]);
    let runs_first = |forecast: &[StepForecast]| {
        let lines = shown_with(&run, (100, 24), None, forecast);
        lines.iter().any(|line| line.contains("runs first"))
    };
    assert!(runs_first(&[]));
    let kept = StepForecast::Kept {
        run: "R0".to_owned(),
    };
    assert!(!runs_first(&[kept]));
}
