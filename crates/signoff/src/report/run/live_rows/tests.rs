use super::*;

const MINUTE: Duration = Duration::from_mins(1);

fn row(name: &str, activity: &str, limit: Option<Duration>) -> LiveRow {
    LiveRow {
        name: name.to_owned(),
        activity: activity.to_owned(),
        agent: None,
        since: Duration::ZERO,
        limit,
    }
}

#[track_caller]
fn check(rows: &[LiveRow], totals: Totals, (columns, height): (usize, usize), expected: &[&str]) {
    let lines = live_lines(
        rows.iter(),
        totals,
        Duration::from_secs(30),
        columns,
        height,
    );
    let plain: Vec<String> = lines
        .iter()
        .map(|line| anstream::adapter::strip_str(line).to_string())
        .collect();
    assert_eq!(plain, expected);
    for line in &plain {
        assert!(width(line) < columns, "{line:?} is too wide for {columns}");
    }
    assert!(plain.len() < height.max(1), "more lines than fit {height}");
}

const SOME: Totals = Totals {
    done: 3,
    total: 12,
    asked: 0,
};

#[test]
fn a_line_says_what_is_done_and_how_long_it_may_take() {
    check(
        &[
            row(
                "3. Write the parser",
                "coder at work, attempt 2",
                Some(MINUTE),
            ),
            row("4. Wait", "waiting to try again", None),
        ],
        Totals { asked: 1, ..SOME },
        (80, 24),
        &[
            "⣾ 3. Write the parser  coder at work, attempt 2               ▰▰▰▱▱▱  30s of 1m",
            "⣾ 4. Wait  waiting to try again                                             30s",
            "▰▰▰▰▱▱▱▱▱▱▱▱▱▱▱▱▱▱▱ 3/12 steps · 2 under way · 1 question · 30s",
        ],
    );
}

#[test]
fn a_narrow_terminal_gets_shorter_lines() {
    check(
        &[row(
            "3. 日本語の長い題名です",
            "coder at work",
            Some(MINUTE),
        )],
        SOME,
        (30, 24),
        &["⣾ 3. 日本語…  coder at…   30s", "▰▱▱▱▱▱▱ 3/12 steps · 30s"],
    );
    check(
        &[row("3. X", "contract", None)],
        SOME,
        (8, 24),
        &["⣾ 3. X", "▱ 3/12…"],
    );
}

#[test]
fn there_are_never_more_lines_than_fit() {
    let many: Vec<LiveRow> = (0..30).map(|_| row("1. A", "contract", None)).collect();
    let totals = Totals {
        done: 0,
        total: 30,
        asked: 0,
    };
    for height in 0..40 {
        let lines = live_lines(many.iter(), totals, MINUTE, 80, height);
        assert!(
            lines.len() <= height.saturating_sub(1),
            "{height}: {lines:?}"
        );
    }
    let lines = live_lines(many.iter(), totals, MINUTE, 80, 10);
    let last = anstream::adapter::strip_str(&lines[3]).to_string();
    assert_eq!((lines.len(), last.as_str()), (5, "… and 27 more under way"));
}

#[test]
fn the_bar_is_full_only_at_the_end() {
    assert_eq!(bar(0, 10, 4), "▱▱▱▱");
    assert_eq!(bar(9, 10, 4), "▰▰▰▱");
    assert_eq!(bar(10, 10, 4), "▰▰▰▰");
    assert_eq!(bar(99, 10, 4), "▰▰▰▰");
    assert_eq!(bar(1, 0, 4), "▰▰▰▰");
}

#[test]
fn an_agent_has_its_own_limit_and_no_more_than_the_budget_leaves() {
    use crate::report::run::sample::{AGENT, run};
    let limits = |budget| TimeLimits {
        work: 10 * MINUTE,
        contract: MINUTE,
        budget,
    };
    let nearly = |minutes: u32| (minutes * MINUTE).checked_sub(Duration::from_millis(3));
    let timed = format!("{AGENT}**timeout:** 20m\n");
    let run = run(&[("A", AGENT), ("B", &timed)]);
    let working = StepState {
        stage: Stage::Working { attempt: 1 },
        ..StepState::default()
    };
    for (at, budget, expected) in [
        (0, None, 10),
        (1, None, 20),
        (0, nearly(3), 3),
        (1, nearly(3), 3),
        (1, nearly(30), 20),
    ] {
        let (step, _) = run.step(at).unwrap();
        let row = LiveRow::for_step(step, &working, None, Duration::ZERO, limits(budget)).unwrap();
        assert_eq!(row.limit, Some(expected * MINUTE), "{at} {budget:?}");
    }
}

#[test]
fn a_step_in_the_merge_queue_says_what_it_waits_for() {
    use crate::report::run::sample::{AGENT, run};
    let limits = TimeLimits {
        work: MINUTE,
        contract: MINUTE,
        budget: None,
    };
    let candidate = signoff_engine::Candidate {
        commit: "c1".to_owned(),
        tree: "t1".to_owned(),
        onto: "c0".to_owned(),
        files: Vec::new(),
        details: Box::default(),
    };
    let (queue, attempt) = (Some(WorkLocation::MergeQueue), 1);
    for (stage, built, seat, expected) in [
        (
            Stage::NeedsEvaluation { attempt },
            false,
            queue,
            "waiting for its turn to merge",
        ),
        (Stage::Assembling { attempt }, false, queue, "merging"),
        (
            Stage::Evaluating { attempt: 2 },
            true,
            queue,
            "merging: contract, attempt 2",
        ),
        (Stage::NeedsMerge { attempt }, true, queue, "merging"),
        (Stage::Merging { attempt }, true, queue, "merging"),
        (
            Stage::NeedsEvaluation { attempt },
            false,
            Some(WorkLocation::RunTree),
            "contract",
        ),
        (Stage::Evaluating { attempt }, false, None, "contract"),
    ] {
        let run = run(&[("A", AGENT)]);
        let (step, _) = run.step(0).unwrap();
        let state = StepState {
            stage,
            attempt: signoff_engine::AttemptState {
                candidate: built.then(|| Box::new(candidate.clone())),
                ..signoff_engine::AttemptState::default()
            }
            .into(),
            ..StepState::default()
        };
        let row = LiveRow::for_step(step, &state, seat, Duration::ZERO, limits).unwrap();
        assert_eq!(row.activity, expected, "{:?}", state.stage);
    }
}
