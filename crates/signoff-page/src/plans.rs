//! All plans: what waits for the person on top, then what runs, then the rest.

use maud::{Markup, html};
use signoff_api::inbox::{HeldFiles, Item};
use signoff_api::plans::ListedPlan;
use signoff_api::runs::RunSummary;
use signoff_engine::PlanState;

use crate::address::path_segment;
use crate::moment::time;
use crate::problem::code_in;
use crate::state::{of_plan, of_run};
use crate::words::count::count;

/// What the screen shows.
#[derive(Debug)]
pub struct PlansView<'a> {
    pub rows: &'a [PlanRow],
    /// Questions of runs.
    pub questions: &'a [Item],
    /// Files that runs did not write over a person's own.
    pub held: &'a [HeldFiles],
    pub filter: &'a PlanFilter,
    /// Plans there are, whatever the filter says.
    pub total: usize,
    /// The most rows that were asked for.
    pub most: usize,
    pub now: u64,
}

/// One plan of the list.
#[derive(Debug, Clone)]
pub struct PlanRow {
    pub plan: ListedPlan,
    /// Who handed it in.
    pub by: Option<String>,
    /// How many steps it has.
    pub steps: Option<usize>,
    pub errors: usize,
    pub warnings: usize,
    /// Its run, where it has one.
    pub run: Option<RunSummary>,
    /// What the planning session is about that it came from.
    pub topic: Option<String>,
    /// Its owner, its dialect and its agents, to be found by.
    pub words: Vec<String>,
}

/// Which plans are shown.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct PlanFilter {
    pub text: String,
    pub state: String,
}

impl PlanFilter {
    /// Whether anything is left out.
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.state.is_empty()
    }

    /// Whether a plan is shown.
    pub fn shows(&self, row: &PlanRow) -> bool {
        let text = self.text.to_lowercase();
        let topic = row.topic.as_deref().unwrap_or_default();
        let by = row.by.as_deref().unwrap_or_default();
        let fields = [&row.plan.title, &row.plan.id, &row.plan.path, topic, by];
        let has_text = || {
            fields
                .iter()
                .any(|field| field.to_lowercase().contains(&text))
        };
        let has_word = || row.words.iter().any(|word| word.to_lowercase() == text);
        (self.state.is_empty() || row.plan.status == self.state)
            && (text.is_empty() || has_text() || has_word())
    }
}

/// States in which a plan waits for the person: to be looked at, signed or started.
pub const WAITING: [&str; 4] = ["proposed", "needs_review", "verified", "approved"];

const GROUPS: [(&str, &[&str]); 4] = [
    ("Waiting for you", &WAITING),
    ("Running", &["executing", "replanning", "stalled"]),
    ("Drafts", &["draft", "rejected"]),
    ("Done", &["completed", "failed", "cancelled", "archived"]),
];

impl PlansView<'_> {
    /// The screen.
    pub fn render(&self) -> Markup {
        html! {
            div.head-row {
                h1 { "Plans" }
                @if self.total > 0 { (self.filters()) }
            }
            div #plans data-live {
                @if self.total == 0 { (no_plans()) }
                @else if self.rows.is_empty() && self.questions.is_empty() && self.held.is_empty() { (none_found()) }
                @else { (self.groups()) }
                @if self.rows.len() >= self.most {
                    (more(self.most))
                }
            }
        }
    }

    fn filters(&self) -> Markup {
        html! {
            form.filters role="search" method="get" action="/" data-filters {
                input type="search" name="text" value=(self.filter.text) placeholder="Title, author, agent, dialect …" aria-label="Find plans";
                select name="state" aria-label="State" {
                    option value="" { "Every state" }
                    @for (group, states) in GROUPS {
                        optgroup label=(group) {
                            @for state in states.iter().filter(|state| PlanState::from_name(state).is_some()) { option value=(state) selected[self.filter.state == *state] { (of_plan(state).word) } }
                        }
                    }
                }
                button { "Filter" }
            }
        }
    }

    fn groups(&self) -> Markup {
        html! {
            @for (name, states) in GROUPS {
                @let rows: Vec<&PlanRow> = self.rows.iter().filter(|row| states.contains(&row.plan.status.as_str()) && !self.has_question(row)).collect();
                @let (questions, held) = if *states == WAITING { (self.questions, self.held) } else { Default::default() };
                @let number = rows.len() + questions.len() + held.len();
                @if number > 0 {
                    section.group id={ "group-" (states[0]) } aria-label=(name) {
                        h2 { (name) span.tag { (number) } }
                        ul.rows {
                            @for question in questions { (question_row(question, self.run_of(question))) }
                            @for held in held { (held_row(held)) }
                            @for (topic, rows) in by_topic(&rows) { (self.of_topic(topic, &rows)) }
                        }
                    }
                }
            }
        }
    }

    /// The run that asks, if it is known.
    fn run_of(&self, question: &Item) -> Option<&RunSummary> {
        let runs = self.rows.iter().filter_map(|row| row.run.as_ref());
        runs.into_iter().find(|run| run.run == question.run)
    }

    /// Whether a plan's run asks something: its question stands on top, in its place.
    fn has_question(&self, row: &PlanRow) -> bool {
        let run = row.run.as_ref().map(|run| run.run.as_str());
        row.plan.questions > 0
            && self
                .questions
                .iter()
                .any(|one| Some(one.run.as_str()) == run)
    }

    /// The threads of one planning session, below what it is about; a single one stands like any other plan.
    fn of_topic(&self, topic: Option<&str>, rows: &[&PlanRow]) -> Markup {
        let topic = topic.filter(|_| rows.len() > 1);
        html! {
            @if let Some(topic) = topic {
                li.topic id={ "topic-" (path_segment(topic)) } {
                    h3 { span.muted { "Topic" } " " (topic) span.tag { (rows.len()) } }
                    ul aria-label={ "Topic " (topic) } { @for row in rows { (self.row(row, false)) } }
                }
            } @else {
                @for row in rows { (self.row(row, true)) }
            }
        }
    }

    fn row(&self, row: &PlanRow, with_topic: bool) -> Markup {
        let plan = &row.plan;
        let topic = row.topic.as_ref().filter(|_| with_topic);
        html! {
            li.row id={ "plan-" (path_segment(&plan.id)) } data-item {
                span { (of_run(&plan.status, plan.questions).label()) }
                div {
                    a.title href=(address(plan)) { (plan.title) }
                    div.about {
                        span.mono { (plan.id) }
                        @if let Some(by) = &row.by { span { "by " (by) } }
                        span { (time(&plan.updated_at, self.now)) }
                        @if let Some(topic) = topic { span { "topic " (topic) } }
                        @if let Some(approval) = &plan.approval { span { (approval.summary) } }
                        @if let Some(said) = &plan.file_says { span.problem-count { "its file says " (said) } }
                    }
                }
                div.figures {
                    @if row.errors > 0 { span.problem-count.error { "✗ " (count(row.errors, "error")) } }
                    @else if row.warnings > 0 { span.problem-count { "⚠ " (count(row.warnings, "warning")) } }
                    @if plan.questions > 0 { span.state.tone-waiting { span.sign { "?" } (count(plan.questions, "question")) } }
                    @if let Some(steps) = row.steps { span.number { (count(steps, "step")) } }
                    @if let Some(run) = &row.run {
                        @let progress = run.progress.unwrap_or(0);
                        span.number { (progress) " %" }
                        (meter(progress, of_plan(&run.status).tone))
                    }
                }
            }
        }
    }
}

/// Plans of one topic side by side, where the first of them stands.
fn by_topic<'r>(rows: &[&'r PlanRow]) -> Vec<(Option<&'r str>, Vec<&'r PlanRow>)> {
    let mut groups: Vec<(Option<&str>, Vec<&PlanRow>)> = Vec::new();
    for row in rows {
        let topic = row.topic.as_deref();
        let known = groups
            .iter_mut()
            .find(|(of, _)| topic.is_some() && *of == topic);
        match known {
            Some((_, rows)) => rows.push(row),
            None => groups.push((topic, vec![row])),
        }
    }
    groups
}

/// Where a plan is reviewed.
fn address(plan: &ListedPlan) -> String {
    format!("/plans/{}", path_segment(&plan.id))
}

fn question_row(item: &Item, run: Option<&RunSummary>) -> Markup {
    html! {
        li.row id={ "ask-" (path_segment(&item.id)) } data-item {
            span.state.tone-waiting { span.sign aria-hidden="true" { "?" } "asks you" }
            div {
                a.title.asked href={ "/inbox#" (path_segment(&item.id)) } { (code_in(&item.question)) }
                div.about {
                    @if !item.title.is_empty() { span { (item.title) } }
                    @if !item.step.is_empty() { span { "step " span.mono { (item.step) } } }
                    @if !item.run.is_empty() { span { "run " span.mono { (item.run) } } }
                }
            }
            div.figures {
                @if let Some(progress) = run.and_then(|run| run.progress) { span.number { (progress) " %" } (meter(progress, "waiting")) }
            }
        }
    }
}

fn held_row(held: &HeldFiles) -> Markup {
    html! {
        li.row id={ "held-row-" (path_segment(&held.run)) } data-item {
            span.state.tone-regressed { span.sign aria-hidden="true" { "!" } "held back" }
            div {
                a.title href={ "/inbox#held-" (path_segment(&held.run)) } { (count(held.files.len(), "file")) " held back from your checkout" }
                div.about { span { (held.title) } span { "run " span.mono { (held.run) } } }
            }
            div.figures {}
        }
    }
}

/// How far a run is.
pub(crate) fn meter(progress: u8, tone: &str) -> Markup {
    html! {
        svg class={ "meter tone-" (tone) } viewBox="0 0 100 6" preserveAspectRatio="none" role="img" aria-label={ (progress) " per cent done" } {
            rect.track width="100" height="6" rx="3" {}
            rect.fill width=(progress) height="6" rx="3" {}
        }
    }
}

fn no_plans() -> Markup {
    html! {
        div.empty {
            h2 { "No plans yet" }
            p { "A plan says what agents will do and how each step is verified. Ask a model for one, or begin one from a template and propose it: it appears here for you to review and sign." }
            (command("signoff plan \"Add a retry to the HTTP client\""))
            (command("signoff new fix --template bugfix --set problem='It forgets the time zone' --set test='make test'"))
            (command("signoff propose fix.md"))
        }
    }
}

fn more(most: usize) -> Markup {
    html! { div.more { a.button href={ "?most=" (most.saturating_mul(4)) } { "Show more" } } }
}

fn none_found() -> Markup {
    html! {
        div.empty {
            h2 { "No plan matches" }
            p { a href="/" { "Show all plans" } }
        }
    }
}

/// A command to copy.
pub(crate) fn command(line: &str) -> Markup {
    html! {
        div.command {
            code { (line) }
            button.quiet type="button" data-copies=(line) hidden { "Copy" }
        }
    }
}

/// The newest runs, at most so many.
pub fn runs(runs: &[RunSummary], most: usize, now: u64) -> Markup {
    html! {
        div.head-row { h1 { "Runs" } }
        div #runs data-live {
            @if runs.is_empty() {
                div.empty {
                    h2 { "Nothing has run yet" }
                    p { "Sign a plan and start it: each of its steps is verified here while it goes on." }
                    p { a href="/" { "All plans" } }
                }
            } @else {
                ul.rows { @for run in runs.iter().take(most) { (run_row(run, now)) } }
                @if runs.len() > most { (more(most)) }
            }
        }
    }
}

fn run_row(run: &RunSummary, now: u64) -> Markup {
    let state = of_run(&run.status, run.waiting);
    html! {
        li.row id={ "run-" (run.run) } data-item {
            span { (state.label()) }
            div {
                a.title href={ "/runs/" (run.run) } { (run.title.as_deref().unwrap_or(&run.run)) }
                div.about {
                    span.mono { (run.run) }
                    @if let Some(at) = &run.started_at { span { (time(at, now)) } }
                    @if let Some(problem) = &run.problem { span.problem-count.error { (problem) } }
                    @if run.held > 0 { span.problem-count { (count(run.held, "file")) " held back" } }
                    @if run.undone { span { "undone" } }
                }
            }
            div.figures {
                @if run.waiting > 1 { span.state.tone-waiting { span.sign { "?" } (count(run.waiting, "question")) } }
                @if let Some(progress) = run.progress { span.number { (progress) " %" } (meter(progress, state.tone)) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(id: &str, topic: Option<&str>) -> PlanRow {
        let plan = serde_json::json!({
            "id": id, "title": id, "status": "verified", "updated_at": "2026-11-19T00:00:00Z", "path": id, "questions": 0
        });
        PlanRow {
            plan: serde_json::from_value(plan).expect("a plan"),
            by: None,
            steps: None,
            errors: 0,
            warnings: 0,
            run: None,
            topic: topic.map(str::to_owned),
            words: Vec::new(),
        }
    }

    #[test]
    fn plans_of_one_topic_stand_together_where_the_first_of_them_is() {
        let rows = [
            row("a", None),
            row("b", Some("x")),
            row("c", None),
            row("d", Some("x")),
        ];
        let rows: Vec<&PlanRow> = rows.iter().collect();
        let groups = by_topic(&rows);
        let ids = groups.iter().map(|(topic, rows)| {
            (
                *topic,
                rows.iter()
                    .map(|row| row.plan.id.as_str())
                    .collect::<String>(),
            )
        });
        let expected = [(None, "a"), (Some("x"), "bd"), (None, "c")]
            .map(|(topic, ids)| (topic, ids.to_owned()));
        assert_eq!(ids.collect::<Vec<_>>(), expected);
    }
}
