//! The report of a run: a page, and the same as one file that needs nothing else.

use maud::{DOCTYPE, Markup, PreEscaped, html};
use signoff_api::report::{Report, ReportedSignature, ReportedStep};
use signoff_api::run::Step;

use crate::assets::STYLE;
use crate::frame::mark;
use crate::moment::{between, clock, lasted, millis};
use crate::output::before_and_after;
use crate::review::step::contract_of;
use crate::run::outcome_sentence;
use crate::run::step::sentence;
use crate::state::{of_plan, of_step};
use crate::timeline::timeline;

/// The report as a screen of the page. `graph`: the drawing, as `graph` makes it.
pub fn screen(report: &Report, graph: Option<&str>) -> Markup {
    let run = &report.run;
    html! {
        div #report {
            header.doc-head {
                p.crumbs { (mark()) " Report of a run" }
                h1 { (run.title) }
                div.meta { (of_plan(&run.status).label()) span.mono { (run.run) } span { (clock(&run.started_at)) } }
                br;
                p.sentence { (outcome_sentence(run)) }
            }
            (evidence(report))
            @if let Some(graph) = graph { section.section aria-label="Graph" { h2 { "Graph" } div.graph.card tabindex="0" role="group" aria-label="Graph of the steps" { (PreEscaped(graph)) } } }
            @if let Some(picture) = timeline(report, millis(&report.at).unwrap_or_default()) {
                section.section aria-label="Timeline" { h2 { "Timeline" } div.timeline tabindex="0" role="group" aria-label="Timeline" { (picture) } }
            }
            (cost(report))
            section.section aria-label="Contracts" {
                h2 { "Contracts" }
                @for step in &report.steps { (contract(report, step)) }
            }
            (answers(report))
            (signatures(report))
            (verify(report))
        }
    }
}

/// One file that needs nothing else and can be printed.
pub fn file(report: &Report, graph: Option<&str>) -> String {
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
            body { main { (screen(report, graph)) p.tiny.muted { "Written by Signoff on " (clock(&report.at)) "." } } }
        }
    };
    page.into_string()
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
                            td { (told.number) ". " a href={ "#contract-" (step.id) } { (step.title) } }
                            td { (of_step(&step.status, step.evidence).label()) }
                            td { (sentence(step, told)) }
                            td.number { (step.attempts) }
                            td.number.nowrap { @if let (Some(began), Some(ended)) = (&step.started_at, &step.ended_at) { (between(began, ended).map_or_else(String::new, lasted)) } }
                        }
                    }
                }
            } }
        }
    }
}

fn steps(report: &Report) -> impl Iterator<Item = (&Step, &ReportedStep)> {
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
                            tr { td { (name) } td.number { (used.tokens) } td.number { (used.usd.map_or_else(|| "unknown".to_owned(), |usd| format!("${usd:.4}"))) } }
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
            div.section id={ "contract-" (told.id) } {
                h3 { (told.number) ". " (step.title) }
                br;
                (contract_of(contract))
                br;
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
                        tr { td.mono { (answer.step) } td { (answer.question) } td { (answer.choice) @if let Some(note) = &answer.note { ": " (note) } } td { (answer.by) " " span.muted { (clock(&answer.at)) } } }
                    } }
                } }
            }
        }
    }
}

fn signatures(report: &Report) -> Markup {
    let one = |signature: &ReportedSignature| {
        html! {
            tr {
                td { (signature.by) @if let Some(principal) = &signature.principal { " " span.muted { (principal) } } }
                td { (signature.proof) }
                td.nowrap { (clock(&signature.at)) }
                td.digest { "plan " (signature.digest) br; "terms " (signature.terms) }
                td { (signature.note.as_deref().unwrap_or_default()) }
            }
        }
    };
    html! {
        section.section aria-label="Signatures" {
            h2 { "Signatures" }
            @if report.signatures.is_empty() { p.muted { "The signature that it began under is not here any more." } }
            @else {
                div.table-scroll { table {
                    thead { tr { th { "By" } th { "Proof" } th { "When" } th { "Digests" } th { "Note" } } }
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
