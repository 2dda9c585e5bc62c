//! `run --dry-run`: shows what would run, and whether it may.

use std::collections::BTreeMap;

use signoff_api::rehearsal::{Rehearsal as Shape, SCHEMA};
use signoff_engine::PlanState;
use signoff_plan::duration;
use signoff_plan::model::{Plan, Step, Work};
use signoff_runtime::SystemClock;
use signoff_runtime::live::RunOptions;
use signoff_runtime::live::rehearsal::{Rehearsal, rehearse};
use signoff_runtime::plan_file::PlanFile;
use signoff_runtime::plans::ActorContext;
use signoff_runtime::plans::status::plan_status;
use signoff_runtime::project::Project;

use crate::agent_check::actor;
use crate::commands::running::run::say_concerns;
use crate::commands::sign::approve::show_problems;
use crate::failure::Failure;
use crate::report::run::forecast::{forecast_lines, forecast_shape};
use crate::session::Session;
use crate::style::{DIM, TITLE, paint, sanitize};

/// Shows the run that `run` would start; refuses as `run` would.
pub(crate) fn dry_run(
    session: &mut Session,
    project: &Project,
    plan: &PlanFile,
    options: &RunOptions,
    approve: bool,
) -> Result<u8, Failure> {
    let context = ActorContext {
        project,
        actor: actor(&session.process.variables),
        clock: &SystemClock::new(),
    };
    let mut rehearsal = rehearse(context, plan, options, approve);
    let refused = rehearsal.refused.take();
    let refused = match refused.map(|error| show_problems(session, error)) {
        None if approve && plan_status(project, plan)?.state != PlanState::Approved => {
            session.require_person("sign a plan").err()
        }
        refused => refused,
    };
    if session.is_json() {
        session.json(&to_api(plan, &rehearsal, refused.as_ref()));
    } else {
        for line in rehearsal_lines(&plan.checked.plan, &rehearsal) {
            session.out.answer(line);
        }
        say_concerns(session, plan);
        session.out.say("nothing was started or written");
    }
    refused.map_or(Ok(0), Err)
}

fn to_api(plan: &PlanFile, rehearsal: &Rehearsal, refused: Option<&Failure>) -> Shape {
    let steps = &plan.checked.plan.steps;
    let ids = |round: &Vec<usize>| {
        let steps = round.iter().filter_map(|&at| steps.get(at));
        steps.map(|step| step.id.clone()).collect()
    };
    Shape {
        schema: SCHEMA.to_owned(),
        plan: plan.source.name().to_owned(),
        title: plan.checked.plan.display_title().to_owned(),
        digest: plan.digest().to_string(),
        rounds: rehearsal.rounds.iter().map(ids).collect(),
        agents: rehearsal.agents,
        working_s: rehearsal.working.as_secs(),
        asks: (rehearsal.asks.iter())
            .filter_map(|(&at, reasons)| Some((steps.get(at)?.id.clone(), reasons.clone())))
            .collect(),
        steps: forecast_shape(&plan.checked.plan, &rehearsal.forecast),
        refused: refused.map(|failure| failure.code.to_owned()),
    }
}

fn rehearsal_lines(plan: &Plan, rehearsal: &Rehearsal) -> Vec<String> {
    let mut lines = vec![paint(TITLE, sanitize(plan.display_title())).to_string()];
    for (number, round) in (1..).zip(&rehearsal.rounds) {
        for (position, &at) in round.iter().enumerate() {
            let Some(step) = plan.steps.get(at) else {
                continue;
            };
            let mark = match position {
                0 => format!("{number:>3}."),
                _ => "   +".to_owned(),
            };
            lines.push(format!(
                "{mark} {} {}",
                sanitize(&step.title),
                paint(
                    DIM,
                    sanitize(&format!(
                        "[{}] {}",
                        step.id,
                        step_summary(step, rehearsal.asks.get(&at))
                    ))
                ),
            ));
        }
    }
    if rehearsal.rounds.iter().any(|round| round.len() > 1) {
        let text = "  + at the same time as the step above it";
        lines.push(paint(DIM, text).to_string());
    }
    let worst = match rehearsal.agents {
        0 => "at worst: no agents".to_owned(),
        1 => format!(
            "at worst: 1 agent, up to {}",
            duration::format(rehearsal.working)
        ),
        agents => format!(
            "at worst: {agents} agents, together up to {}",
            duration::format(rehearsal.working)
        ),
    };
    lines.push(worst);
    lines.extend(asks_line(plan, &rehearsal.asks));
    lines.extend(forecast_lines(plan, &rehearsal.forecast));
    lines
}

/// The steps at which a run stops and asks a person.
pub(crate) fn asks_line(plan: &Plan, asks: &BTreeMap<usize, Vec<String>>) -> Option<String> {
    /// How many are listed.
    const LISTED: usize = 20;
    let ids = asks.keys().filter_map(|&at| plan.steps.get(at));
    let ids: Vec<String> = ids
        .map(|step| format!("`{}`", sanitize(&step.id)))
        .collect();
    let more = match ids.len().saturating_sub(LISTED) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    let first: Vec<&str> = ids.iter().take(LISTED).map(String::as_str).collect();
    (!ids.is_empty()).then(|| format!("stops and asks you at: {}{more}", first.join(", ")))
}

/// Who does the step, how often at most, what decides, and why it stops and asks.
fn step_summary(step: &Step, asks: Option<&Vec<String>>) -> String {
    let mut words = vec![match &step.work {
        Work::Agent { role, .. } => {
            let role = role.as_deref().unwrap_or("default");
            let attempts = step.on_fail.retries + 1;
            let plural = if attempts == 1 { "" } else { "s" };
            format!("{role}, up to {attempts} attempt{plural}")
        }
        Work::Tool { tool, .. } => format!("tool {tool}"),
        Work::Ask { .. } => "a person answers".to_owned(),
        Work::Check => "check".to_owned(),
    }];
    for (holds, word) in [
        (step.when.is_some(), "only if its condition holds"),
        (step.for_each.is_some(), "for each item"),
    ] {
        if holds {
            words.push(word.to_owned());
        }
    }
    words.extend(
        asks.into_iter()
            .flatten()
            .map(|when| format!("asks {when}")),
    );
    words.join(" · ")
}
