//! The report of a run: a page, and the same as one file that needs nothing else.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use signoff_api::report::{Report, ReportedSignature, ReportedStep};
use signoff_api::run::RunStep;

use crate::assets::STYLE;
use crate::frame::logo;
use crate::hidden_characters::escape_hidden;
use crate::moment::{clock, format_duration, millis, millis_between};
use crate::output::before_and_after;
use crate::review::step::contract_of;
use crate::run::step::explanation;
use crate::run::{StepTally, outcome_sentence};
use crate::state::{of_plan, of_step};
use crate::timeline::{StepTimes, timeline};

/// The report as a screen of the page. `graph`: the drawing, as `graph` makes it.
pub fn screen(report: &Report, graph: Option<&str>) -> Markup {
    let run = format!("/runs/{}", report.run.run);
    let crumbs = html! { p.crumbs { a href="/runs" { "Runs" } " / " a.mono href=(run) { (report.run.run) } " / report" } };
    let save = html! { div.buttons { a.button href={ (run) "/report.html" } download { "Save as one file" } } };
    document(report, graph, &crumbs, &save)
}

/// What the page and the file have in common. `crumbs` stands above the title, `save` beside it.
fn document(report: &Report, graph: Option<&str>, crumbs: &Markup, save: &Markup) -> Markup {
    let run = &report.run;
    html! {
        div #report {
            header.doc-head {
                (crumbs)
                div.title-row { h1 { (run.title) } (save) }
                div.meta { (of_plan(&run.status).label()) span.mono { (run.run) } span { (clock(&run.started_at)) } }
                br;
                p.sentence { (outcome_sentence(run, &StepTally::of_steps(&run.steps))) }
            }
            (evidence(report))
            @if let Some(graph) = graph { section.section aria-label="Graph" { h2 { "Graph" } div.graph.card tabindex="0" role="group" aria-label="Graph of the steps" { (PreEscaped(graph)) } } }
            @if let Some(picture) = timeline(&step_times(report), millis(&report.at).unwrap_or_default()) {
                section.section aria-label="Timeline" { h2 { "Timeline" } (picture) }
            }
            (cost(report))
            section.section aria-label="Contracts" {
                h2 { "Contracts" }
                @for step in &report.steps { (contract(report, step)) }
            }
            (answers(report))
            (models(report))
            (signatures(report))
            (verify(report))
        }
    }
}

fn step_times(report: &Report) -> StepTimes<'_> {
    StepTimes {
        run: &report.run,
        steps: &report.steps,
        earlier: 0,
    }
}

/// One file that needs nothing else and can be printed.
pub fn file(report: &Report, graph: Option<&str>) -> String {
    let crumbs = html! { p.crumbs.with-mark { (logo()) span { "Report of a run" } } };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                title { (report.run.title) " · Signoff report" }
                meta name="viewport" content="width=device-width, initial-scale=1";
                // Nothing is loaded and nothing runs, whatever the texts of others say.
                meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'";
                style { (PreEscaped(STYLE.text)) }
            }
            body { main { (document(report, graph, &crumbs, &html! {})) p.tiny.muted { "Written by Signoff on " (clock(&report.at)) "." } } }
        }
    };
    escape_hidden(&page.into_string())
}

fn evidence(report: &Report) -> Markup {
    html! {
        section.section aria-label="Evidence" {
            h2 { "Evidence" }
            div.table-scroll { table {
                thead { tr { th { "Step" } th { "State" } th { "How we know" } th { "Attempts" } th { "Time" } } }
                tbody {
                    @for (step, told) in steps(report) {
                        tr {
                            td data-of="Step" { (told.number) ". " a href={ "#contract-" (step.id) } { (step.title) } }
                            td data-of="State" { (of_step(&step.status, step.evidence).label()) }
                            td data-of="How we know" { div.sentence { (explanation(step, told)) } }
                            td.number data-of="Attempts" { (step.attempts) }
                            td.number.nowrap data-of="Time" { @if let (Some(began), Some(ended)) = (&step.started_at, &step.ended_at) { (millis_between(began, ended).map_or_else(String::new, format_duration)) } }
                        }
                    }
                }
            } }
        }
    }
}

fn steps(report: &Report) -> impl Iterator<Item = (&RunStep, &ReportedStep)> {
    report.run.steps.iter().zip(&report.steps)
}

fn cost(report: &Report) -> Markup {
    html! {
        @if let Some(usage) = &report.run.usage {
            section.section aria-label="Cost" {
                h2 { "Cost" }
                div.table-scroll { table {
                    thead { tr { th { "Agent or model" } th { "Tokens" } th { "Cost" } } }
                    tbody {
                        @for (name, used) in usage.by_agent.iter().chain(&usage.by_model) {
                            tr { td data-of="Agent or model" { (name) } td.number data-of="Tokens" { (used.tokens) } td.number data-of="Cost" { (used.usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.4}"))) } }
                        }
                        tr { th { "All" } th.number { (usage.total.tokens) } th.number { (usage.total.usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.4}"))) } }
                    }
                } }
            }
        }
    }
}

fn contract(report: &Report, told: &ReportedStep) -> Markup {
    let step = report.run.steps.iter().find(|step| step.id == told.id);
    let last = told
        .attempts
        .iter()
        .rev()
        .find_map(|attempt| attempt.contract.as_ref());
    html! {
        @if let (Some(step), Some(contract)) = (step, &told.contract) {
            div.section.reported-contract id={ "contract-" (told.id) } {
                h3 { (told.number) ". " (step.title) }
                (contract_of(contract))
                (before_and_after(told.baseline.as_ref(), last))
            }
        }
    }
}

fn answers(report: &Report) -> Markup {
    html! {
        @if !report.answers.is_empty() {
            section.section aria-label="Answers of people" {
                h2 { "What people decided" }
                div.table-scroll { table {
                    thead { tr { th { "Step" } th { "Question" } th { "Answer" } th { "By" } } }
                    tbody { @for answer in &report.answers {
                        tr { td.mono data-of="Step" { (answer.step) } td data-of="Question" { (answer.question) } td data-of="Answer" { (answer.choice) @if let Some(note) = &answer.note { ": " (note) } } td data-of="By" { (answer.by) " " span.muted { (clock(&answer.at)) } } }
                    } }
                } }
            }
        }
    }
}

fn models(report: &Report) -> Markup {
    html! {
        @if !report.models.is_empty() {
            section.section aria-label="Models that were asked" {
                h2 { "What models were asked" }
                p.small.muted { "What a model says counts for nothing before the harness has checked it and, where it changes the plan, a person has signed the difference." }
                div.table-scroll { table {
                    thead { tr { th { "Task" } th { "Step" } th { "Answer" } th { "By" } th { "Tokens" } } }
                    tbody { @for asked in &report.models {
                        tr {
                            td data-of="Task" { (asked.task) }
                            td.mono data-of="Step" { (asked.step.as_deref().unwrap_or_default()) }
                            td data-of="Answer" { (asked.answer.as_deref().unwrap_or_default()) @if let Some(why) = &asked.refused { " (not followed: " (why) ")" } }
                            td data-of="By" { (asked.by) " " span.muted { (clock(&asked.at)) } }
                            td.number data-of="Tokens" { @if let Some(used) = &asked.usage { (used.tokens) } }
                        }
                    } }
                } }
            }
        }
    }
}

fn signatures(report: &Report) -> Markup {
    let has_notes = report.signatures.iter().any(|one| one.note.is_some());
    let one = |signature: &ReportedSignature| {
        html! {
            tr {
                td data-of="By" { (signature.by) @if let Some(principal) = &signature.principal { " " span.muted { (principal) } } }
                td data-of="Proof" { (signature.proof) }
                td.nowrap data-of="When" { (clock(&signature.at)) }
                td.digest data-of="Digests" { "plan " (signature.digest) br; "terms " (signature.terms) }
                @if has_notes { td data-of="Note" { (signature.note.as_deref().unwrap_or_default()) } }
            }
        }
    };
    html! {
        section.section aria-label="Signatures" {
            h2 { "Signatures" }
            @if report.signatures.is_empty() { p.muted { "The signature that it began under is not here any more." } }
            @else {
                div.table-scroll { table {
                    thead { tr { th { "By" } th { "Proof" } th { "When" } th { "Digests" } @if has_notes { th { "Note" } } } }
                    tbody { @for signature in &report.signatures { (one(signature)) } }
                } }
            }
        }
    }
}

fn verify(report: &Report) -> Markup {
    html! {
        section.section aria-label="How to verify this" {
            h2 { "How to verify this" }
            p.small.muted { "The journal is a chain: every line holds the hash of the one before. These commands read it again and stop where it does not hold." }
            br;
            @for command in &report.verify { (crate::plans::command(command)) br; }
        }
    }
}
