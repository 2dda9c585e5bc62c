//! What `plan` says.

use signoff_api::diagnostics::Diagnostic;
use signoff_api::drafted::{self, DraftOutcome, DraftRound, Drafted, SCHEMA, WaitingPlanning};
use signoff_llm::{DraftEnd, DraftReport, Objection, Round, Usage};
use signoff_plan::model::Plan;
use signoff_plan::tools::stop_reasons;
use signoff_runtime::planning::{
    CritiqueReport, InterviewReport, KeptDraft, Model, ParkedPlanning,
};

use crate::failure::Failure;
use crate::plan_paths::workspace;
use crate::report::comments::comment_lines;
use crate::report::count::count;
use crate::report::plan::plan_lines;
use crate::report::problems::text::render;
use crate::session::Session;
use crate::shell_words::shell_word;
use crate::style::{CARE, DIM, ERROR, GOOD, TITLE, paint, sanitize};

/// Lines of an answer without a plan that are shown.
const ANSWER_LINES: usize = 12;
/// Bytes of each of them.
const ANSWER_BYTES: usize = 240;

/// What is told at the end.
pub(super) struct DraftSummary<'a> {
    pub(super) model: &'a Model<'a>,
    pub(super) report: &'a DraftReport,
    pub(super) kept: Option<&'a KeptDraft>,
}

/// The line before the first question.
pub(super) fn opening_line(model: &Model<'_>, rounds: u32) -> String {
    let rounds = count(rounds as usize, "round");
    let model = sanitize(&model.description());
    format!("planning with {model}; at most {rounds}")
}

/// The lines about a round.
pub(crate) fn round_lines(round: &Round, rounds: u32) -> Vec<String> {
    let blocking: Vec<&Objection> = (round.objections.iter())
        .filter(|one| one.is_blocking)
        .collect();
    let number = round.number;
    let used = usage_text(&round.usage);
    if blocking.is_empty() {
        return vec![format!(
            "round {number}: {}{used}",
            paint(GOOD, "nothing to mend")
        )];
    }
    let problems = count(blocking.len(), "problem");
    let then = if number < rounds { ", sent back" } else { "" };
    let mut lines = vec![format!(
        "round {number}: {}{then}{used}",
        paint(CARE, problems)
    )];
    lines.extend(
        blocking
            .iter()
            .map(|one| format!("  {}", objection_line(one))),
    );
    lines
}

/// How much the planner wants to know.
pub(super) fn interview_line(report: &InterviewReport) -> String {
    let used = usage_text(&report.usage);
    match report.questions.len() {
        0 => format!("the planner has nothing to ask{used}"),
        asked => format!("the planner asks {}{used}", count(asked, "question")),
    }
}

/// Says what waits for the person; returns the exit code.
pub(super) fn tell_waiting(
    session: &mut Session,
    parked: &ParkedPlanning,
    model: Option<&Model<'_>>,
) -> u8 {
    if session.is_json() {
        session.json(&waiting_shape(parked, model));
        return 3;
    }
    for question in parked.open() {
        session
            .out
            .answer(format!("{}: {}", question.id, sanitize(&question.question)));
    }
    session.out.answer(format!(
        "next: `signoff answer ID TEXT` for each, then `signoff plan --continue {}`",
        parked.id
    ));
    3
}

fn waiting_shape(parked: &ParkedPlanning, model: Option<&Model<'_>>) -> Drafted {
    let asked = parked.request.agent.clone();
    Drafted {
        schema: SCHEMA.to_owned(),
        outcome: DraftOutcome::Waiting,
        failure: None,
        agent: model.map_or(asked.unwrap_or_default(), |model| model.name().to_owned()),
        model: None,
        tokens: None,
        usd_e6: None,
        rounds: Vec::new(),
        plan: None,
        waits: Some(WaitingPlanning {
            id: parked.id.clone(),
            questions: parked.open().cloned().collect(),
        }),
    }
}

/// What a critic has against the draft.
pub(super) fn critique_lines(critique: &CritiqueReport) -> Vec<String> {
    let used = usage_text(&critique.usage);
    let objections = match critique.objections.len() {
        0 => paint(GOOD, "nothing to object".to_owned()).to_string(),
        found => paint(CARE, count(found, "objection")).to_string(),
    };
    let mut lines = vec![format!("critic: {objections}{used}")];
    lines.extend(critique.objections.iter().flat_map(comment_lines));
    lines
}

/// The commands that are about to be tried.
pub(crate) fn contract_lines(plan: &Plan) -> Vec<String> {
    let steps = plan.steps.iter();
    let commands = steps.filter_map(|step| {
        let command = &step.contract.as_ref()?.command;
        Some((step.id.as_str(), command.as_str()))
    });
    let lines = commands.flat_map(|(step, command)| {
        let first = format!("  {}:", sanitize(step));
        let text = command
            .lines()
            .map(|line| format!("    {}", sanitize(line)));
        std::iter::once(first).chain(text).collect::<Vec<String>>()
    });
    let title = "trying the contracts, each in a copy of the checkout and without a network:";
    std::iter::once(title.to_owned()).chain(lines).collect()
}

fn objection_line(one: &Objection) -> String {
    let text = one.to_string();
    sanitize(text.lines().next().unwrap_or_default())
}

pub(crate) fn usage_text(usage: &Usage) -> String {
    let tokens = usage.tokens.map(|tokens| format!("{tokens} tokens"));
    let cost = usage.usd_e6.map(dollars);
    let parts: Vec<String> = tokens.into_iter().chain(cost).collect();
    if parts.is_empty() {
        return String::new();
    }
    paint(DIM, format!(" ({})", parts.join(", "))).to_string()
}

fn dollars(usd_e6: u64) -> String {
    format!("${}.{:04}", usd_e6 / 1_000_000, usd_e6 % 1_000_000 / 100)
}

/// Says how it ended; returns the exit code.
pub(super) fn print_summary(session: &mut Session, told: &DraftSummary<'_>) -> Result<u8, Failure> {
    let exit = match &told.report.end {
        DraftEnd::Clean => 0,
        DraftEnd::BoundReached => 1,
        DraftEnd::ModelFailed(_) => 6,
    };
    if session.is_json() {
        session.json(&to_api(told));
        return Ok(exit);
    }
    if let Some(kept) = told.kept {
        show_plan(session, kept)?;
    }
    for line in ending_lines(told) {
        session.out.say(line);
    }
    if let Some(kept) = told.kept {
        session.out.answer(next_line(told, kept));
    }
    Ok(exit)
}

fn show_plan(session: &mut Session, kept: &KeptDraft) -> Result<(), Failure> {
    let plan = &kept.plan.checked.plan;
    session.out.answer("");
    session
        .out
        .answer(paint(TITLE, sanitize(plan.display_title())));
    let path = kept.plan.source.name();
    let name = if kept.name == path {
        String::new()
    } else {
        format!("{} · ", kept.name)
    };
    let digest = paint(DIM, kept.plan.digest().short());
    session.out.answer(format!("{name}{path} · {digest}"));
    let asks = stop_reasons(plan, &workspace(session)?);
    for line in plan_lines(plan, &[], &asks) {
        session.out.answer(line);
    }
    session.out.answer("");
    for problem in &kept.plan.checked.diagnostics {
        session.out.answer(render(problem, &kept.plan.source));
        session.out.answer("");
    }
    for note in &kept.notes {
        session.out.say(format!("{} {note}", paint(CARE, "note:")));
    }
    Ok(())
}

fn ending_lines(told: &DraftSummary<'_>) -> Vec<String> {
    let rounds = count(told.report.rounds.len(), "round");
    let used = usage_text(&told.report.usage);
    let mut lines = Vec::new();
    match &told.report.end {
        DraftEnd::Clean => lines.push(format!(
            "{}: a draft that can be signed, after {rounds}{used}",
            paint(GOOD, "planned")
        )),
        DraftEnd::BoundReached => {
            let error = paint(ERROR, "error");
            lines.push(format!(
                "{error}: the planner did not mend its draft in {rounds}{used}"
            ));
        }
        DraftEnd::ModelFailed(why) => {
            let error = paint(ERROR, "error");
            lines.push(format!("{error}: {}{used}", sanitize(&why.message)));
        }
    }
    if told.kept.is_none()
        && let Some(answer) = &told.report.last_answer
    {
        lines.push("no answer held a plan; the last one begins:".to_owned());
        let first = answer.lines().take(ANSWER_LINES);
        lines.extend(first.map(|line| {
            let end = line.floor_char_boundary(ANSWER_BYTES);
            let cut = if end < line.len() { "…" } else { "" };
            format!("  {}{cut}", sanitize(line.get(..end).unwrap_or_default()))
        }));
    }
    lines
}

fn next_line(told: &DraftSummary<'_>, kept: &KeptDraft) -> String {
    let name = shell_word(&kept.name);
    match told.report.end {
        DraftEnd::Clean => format!("next: read it, then `signoff approve {name}`"),
        DraftEnd::BoundReached | DraftEnd::ModelFailed(_) => {
            format!(
                "next: edit it, then `signoff verify {}`",
                shell_word(kept.plan.source.name())
            )
        }
    }
}

fn to_api(told: &DraftSummary<'_>) -> Drafted {
    let DraftReport { rounds, usage, .. } = told.report;
    let (outcome, failure) = match &told.report.end {
        DraftEnd::Clean => (DraftOutcome::Verified, None),
        DraftEnd::BoundReached => (DraftOutcome::Unfinished, None),
        DraftEnd::ModelFailed(why) => (DraftOutcome::Failed, Some(why.message.clone())),
    };
    let round = |round: &Round| DraftRound {
        number: round.number,
        tokens: round.usage.tokens,
        problems: round.objections.iter().map(ToString::to_string).collect(),
    };
    Drafted {
        schema: SCHEMA.to_owned(),
        outcome,
        failure,
        agent: told.model.name().to_owned(),
        model: usage.model.clone(),
        tokens: usage.tokens,
        usd_e6: usage.usd_e6,
        rounds: rounds.iter().map(round).collect(),
        plan: told.kept.map(|kept| plan_shape(told.report, kept)),
        waits: None,
    }
}

fn plan_shape(report: &DraftReport, kept: &KeptDraft) -> drafted::DraftedPlan {
    let source = &kept.plan.source;
    let problems = kept.plan.checked.diagnostics.iter();
    drafted::DraftedPlan {
        name: kept.name.clone(),
        path: source.name().to_owned(),
        dialect: kept.plan.checked.dialect.as_str().to_owned(),
        digest: kept.plan.digest().to_string(),
        reasoning: report.plan.as_ref().and_then(|plan| plan.reasoning.clone()),
        diagnostics: problems.map(|one| Diagnostic::new(one, source)).collect(),
    }
}
