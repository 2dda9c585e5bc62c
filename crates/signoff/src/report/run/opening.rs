//! The screen before the first step: the steps, the agents, the sandbox, and the maximum cost.
//!
//! It runs nothing. Whether a contract is already green shows when its baseline runs, which the
//! loop does before it starts the step's agent. The screen names the steps whose baseline is still to
//! run, and those whose contract was already green when the run stopped last time.

use std::path::Path;
use std::time::Duration;

use signoff_engine::{
    Isolation, LandAt, OnGreenBaseline, Run, Settings, StepForecast, StepStatus, Verdict,
};
use signoff_plan::model::{Plan, Step, Work};

use crate::report::columns::{truncate, width, wrap};
use crate::report::graph::layout::StepGraph;
use crate::report::graph::terminal::{StepLabels, kind, tree};
use crate::report::run::evidence::first_names;
use crate::report::run::worst_case;
use crate::report::step_name::{name, role};
use crate::style::{CARE, DIM, TITLE, paint, sanitize};

/// The minimum width of a title.
const TITLE_LEAST: usize = 24;

/// What the screen needs to know besides the run.
pub(crate) struct OpeningContext<'a> {
    pub(crate) run: &'a str,
    pub(crate) workspace: &'a Path,
    pub(crate) settings: &'a Settings,
    /// What becomes of each step of a plan that was run before.
    pub(crate) forecast: &'a [StepForecast],
    /// Uncommitted files; `None` if git cannot tell.
    pub(crate) uncommitted: Option<Vec<String>>,
    /// The program that a role runs.
    pub(crate) program: &'a dyn Fn(&str) -> Option<String>,
    /// Time limit of a step that sets none.
    pub(crate) step_timeout: Duration,
    /// Columns and rows of the terminal.
    pub(crate) size: (usize, usize),
}

/// A pointer to the explanation of a weak level.
fn weak_level_note(level: &str) -> &'static str {
    match level {
        "none" | "landlock" => " (`signoff doctor` shows why)",
        _ => "",
    }
}

/// The screen, line by line.
pub(crate) fn opening(run: &Run, context: &OpeningContext<'_>) -> Vec<String> {
    let plan = run.plan();
    let mut lines = vec![paint(TITLE, sanitize(plan.display_title())).to_string()];
    let at_once = match context.settings.jobs {
        1 => "one step at a time".to_owned(),
        jobs => format!("up to {jobs} steps at once"),
    };
    let workspace = context.workspace.display().to_string();
    for line in [
        location_line(context, &sanitize(&workspace)),
        format!(
            "sandbox: {}{}, {at_once}",
            context.settings.sandbox,
            weak_level_note(&context.settings.sandbox)
        ),
    ] {
        lines.push(paint(DIM, line).to_string());
    }
    lines.extend(scope(plan));
    let notes = notes(run, context);
    let rows = context.size.1.saturating_sub(lines.len() + notes.len() + 2);
    if run.done_steps() == 0 {
        lines.extend(steps(plan, context, rows.max(4)));
    } else {
        let total = plan.steps.len();
        lines.push(format!("{} of {total} steps are done", run.done_steps()));
    }
    lines.extend(notes);
    lines
}

/// Where the run works.
fn location_line(context: &OpeningContext<'_>, workspace: &str) -> String {
    let run = context.run;
    match context.settings.isolation {
        Isolation::Shared => format!("run {run} in {workspace}"),
        Isolation::Worktree if context.settings.land == LandAt::Step => {
            format!(
                "run {run} works on a tree of its own; steps that pass land in {workspace} one by one"
            )
        }
        Isolation::Worktree => {
            format!(
                "run {run} works on a tree of its own; {workspace} stays as it is until the run lands"
            )
        }
    }
}

/// The steps and their dependencies, as far as they fit.
fn steps(plan: &Plan, context: &OpeningContext<'_>, rows: usize) -> Vec<String> {
    let total = plan.steps.len();
    let mut first = total.min(rows);
    let lines = loop {
        let before = |at| plan.dependencies(at).filter(|&other| other < first);
        let graph =
            StepGraph::from_dependencies((0..first).map(|at| before(at).collect()).collect());
        let labels = StepLabels {
            text: &|step, rows| step_text(step, rows, context),
            sign: &kind,
        };
        let lines = tree(plan, &graph, usize::MAX, context.size.0, &labels);
        let over = lines.len().saturating_sub(rows);
        if over == 0 || first <= 1 {
            break lines;
        }
        first = first.saturating_sub(over).max(1);
    };
    let more = total - first;
    let more = (more > 0).then(|| paint(DIM, format!("… and {more} more")).to_string());
    lines.into_iter().chain(more).collect()
}

/// A step in so many columns. The title is cut, not the agent, which costs money.
fn step_text(step: &Step, columns: usize, context: &OpeningContext<'_>) -> String {
    let remark = truncate(
        &step_remark(step, context),
        columns.saturating_sub(TITLE_LEAST),
    );
    let title = sanitize(step.title.trim());
    let title = if title.is_empty() { &step.id } else { &title };
    let heading = format!("{}. {title}", step.number);
    let heading = truncate(&heading, columns.saturating_sub(width(&remark) + 2));
    format!("{heading}  {}", paint(DIM, remark))
}

/// Who does it, and what decides whether it is done.
fn step_remark(step: &Step, context: &OpeningContext<'_>) -> String {
    let has_arbiter = !context.settings.roles.is_empty();
    let mut words = vec![match &step.work {
        Work::Agent { role: None, .. } if has_arbiter => "a role is chosen".to_owned(),
        Work::Agent { .. } => match (context.program)(role(step)) {
            Some(program) => format!("{} → {program}", role(step)),
            None => role(step).to_owned(),
        },
        Work::Tool { tool, .. } => format!("tool {tool}"),
        Work::Ask { .. } => "a person answers".to_owned(),
        Work::Check => "check".to_owned(),
    }];
    for (there, word) in [
        (step.approval, "needs approval"),
        (step.when.is_some(), "conditional"),
        (step.for_each.is_some(), "for each"),
    ] {
        if there {
            words.push(word.to_owned());
        }
    }
    let works = matches!(step.work, Work::Agent { .. } | Work::Tool { .. });
    match (&step.contract, works) {
        (Some(_), true) => words.push("contract".to_owned()),
        (None, true) => words.push("no contract".to_owned()),
        (_, false) => {}
    }
    sanitize(&words.join(" · "))
}

/// A note that nothing enforces the tool scope.
fn scope(plan: &Plan) -> Option<String> {
    let tools = plan.tools.as_ref()?;
    plan.steps
        .iter()
        .find(|step| matches!(step.work, Work::Agent { .. }))?;
    let scope = match tools.as_slice() {
        [] => "no tools".to_owned(),
        tools => format!("only [{}]", sanitize(&tools.join(", "))),
    };
    Some(format!(
        "{} agents are told to use {scope}; nothing enforces that on agents started with `driver = \"command\"`",
        paint(CARE, "note:"),
    ))
}

fn notes(run: &Run, context: &OpeningContext<'_>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(files) = context
        .uncommitted
        .as_deref()
        .filter(|files| !files.is_empty())
    {
        let names = truncate(
            &sanitize(&first_names(files)),
            context.size.0.saturating_sub(24),
        );
        let count = files.len();
        lines.push(format!(
            "{} {count}: {names}",
            paint(CARE, "uncommitted files:")
        ));
    }
    lines.extend(seen_green(run));
    let mut aside: Vec<String> = baselines(run, context).into_iter().collect();
    aside.extend(worst_case::lines(run.plan(), context.step_timeout));
    let aside = aside.iter().flat_map(|line| wrap(line, context.size.0));
    lines.extend(aside.map(|line| paint(DIM, line).to_string()));
    lines
}

/// Steps whose contracts this run has seen green before the work.
fn seen_green(run: &Run) -> Option<String> {
    let open = run
        .steps()
        .filter(|(_, state)| state.outcome.evidence.is_none());
    let green = open.filter(|(_, state)| state.baseline.verdict == Some(Verdict::Pass));
    let names: Vec<String> = green.map(|(step, state)| name(step, state)).collect();
    let names = (!names.is_empty()).then(|| first_names(&names))?;
    Some(format!(
        "{} {names}",
        paint(CARE, "contract already green:")
    ))
}

/// Agent steps that can start at once and whose contracts run first.
fn baselines(run: &Run, context: &OpeningContext<'_>) -> Option<String> {
    let settings = context.settings;
    // If the contract of a kept step holds, no agent works.
    let is_kept = |at: usize| matches!(context.forecast.get(at), Some(StepForecast::Kept { .. }));
    let steps = (0..run.plan().steps.len()).filter_map(|at| Some((at, run.step(at)?)));
    let ready = steps.filter(|(at, (step, state))| {
        matches!(step.work, Work::Agent { .. })
            && (step.contract.as_ref()).is_some_and(|contract| contract.baseline)
            && state.baseline.verdict.is_none()
            && !is_kept(*at)
            && run.status_of(*at) == StepStatus::Ready
    });
    let names: Vec<String> = ready
        .map(|(_, (step, _))| step.number.to_string())
        .collect();
    let then = match settings.green {
        OnGreenBaseline::Run => "its agent works anyway",
        OnGreenBaseline::Skip => "the step is skipped",
        OnGreenBaseline::Ask => "a person decides",
    };
    let there = settings.baseline && !names.is_empty();
    there.then(|| {
        let steps = if names.len() == 1 { "step" } else { "steps" };
        let names = first_names(&names);
        format!("the contract of {steps} {names} runs first; if it is green, {then}")
    })
}

#[cfg(test)]
mod tests;
