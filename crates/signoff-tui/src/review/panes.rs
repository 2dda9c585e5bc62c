//! The lines of each pane.

use signoff_api::comments::Comment;
use signoff_api::plan::{Step, Work};
use signoff_api::plan_log::CommentKind;

use super::{Review, ReviewPane};
use crate::frame::{PaneLine, Tone};
use crate::text::{lines, single_line, wrap};

impl Review {
    pub(super) fn pane_names(&self) -> Vec<String> {
        let name = |(at, pane): (usize, &ReviewPane)| {
            let (name, count) = match pane {
                ReviewPane::Step => ("step", 0),
                ReviewPane::Plan => ("plan", 0),
                ReviewPane::Graph => ("graph", 0),
                ReviewPane::Problems => ("checks", self.data.problems.len()),
                ReviewPane::Comments => ("comments", self.open_comments().count()),
                ReviewPane::Difference => ("diff", 0),
            };
            match count {
                0 => format!("{} {name}", at + 1),
                count => format!("{} {name} {count}", at + 1),
            }
        };
        ReviewPane::ALL.iter().enumerate().map(name).collect()
    }

    pub(super) fn open_comments(&self) -> impl Iterator<Item = &Comment> {
        let comments = self.data.plan.comments.iter();
        comments.filter(|comment| comment.resolved_by.is_none())
    }

    pub(super) fn pane_lines(&self, width: usize) -> Vec<PaneLine> {
        let written = match self.pane {
            ReviewPane::Step => self
                .step()
                .map(|step| self.step_lines(step))
                .unwrap_or_default(),
            ReviewPane::Plan => self.plan_lines(),
            ReviewPane::Graph => {
                // A drawing is not broken into lines.
                let drawn = self
                    .data
                    .graph
                    .iter()
                    .map(|text| PaneLine::plain_line(single_line(text)));
                return drawn.collect();
            }
            ReviewPane::Problems => self.problem_lines(),
            ReviewPane::Comments => self.comment_lines(),
            ReviewPane::Difference => self.difference_lines(),
        };
        let wrapped = |written: PaneLine| {
            let parts = wrap(&written.text, width);
            parts
                .into_iter()
                .map(move |part| PaneLine::new(written.tone, part))
        };
        written.into_iter().flat_map(wrapped).collect()
    }

    fn step_lines(&self, step: &Step) -> Vec<PaneLine> {
        let mut out = vec![PaneLine::new(Tone::Strong, single_line(&step.title))];
        out.extend(field_line("id     ", &step.id));
        out.extend(work_lines(&step.work));
        out.extend(bound_lines(step));
        out.extend(contract_lines(step));
        out.extend(care_lines(step));
        let problems = self.data.problems.iter();
        let problems = problems.filter(|one| one.step.as_deref() == Some(&step.id));
        out.extend(problems.map(|problem| {
            let text = format!("{}: {}", problem.code, single_line(&problem.message));
            PaneLine::new(severity_tone(&problem.severity), text)
        }));
        let comments = self.open_comments();
        let comments = comments.filter(|one| one.step.as_deref() == Some(&step.id));
        out.extend(comments.flat_map(comment_block));
        out
    }

    fn plan_lines(&self) -> Vec<PaneLine> {
        let plan = &self.data.plan;
        let mut out = vec![PaneLine::new(
            Tone::Strong,
            single_line(plan.title.as_deref().unwrap_or("(no title)")),
        )];
        let contracts = plan
            .steps
            .iter()
            .filter(|step| step.contract.is_some())
            .count();
        let asking = plan
            .steps
            .iter()
            .filter(|step| step.approval || !step.asks.is_empty())
            .count();
        out.push(PaneLine::plain_line("A signature covers:"));
        out.push(PaneLine::plain_line(format!(
            "  {} steps · {contracts} contracts · {asking} that stop and ask",
            plan.steps.len()
        )));
        out.push(PaneLine::new(Tone::Dim, format!("  plan  {}", plan.digest)));
        if let Some(terms) = &plan.terms {
            out.push(PaneLine::new(Tone::Dim, format!("  terms {terms}")));
        }
        out.extend(
            self.data
                .signature
                .iter()
                .map(|text| PaneLine::new(Tone::Good, single_line(text))),
        );
        for rejection in &plan.rejections {
            let text = rejection.feedback.as_deref().unwrap_or("(no reason)");
            out.push(PaneLine::new(
                Tone::Care,
                format!("rejected  {}", single_line(text)),
            ));
        }
        for text in [&plan.task, &plan.context].into_iter().flatten() {
            out.push(PaneLine::plain_line(""));
            out.extend(lines(text).into_iter().map(PaneLine::plain_line));
        }
        if !plan.risks.is_empty() {
            out.push(PaneLine::new(Tone::Care, "risks"));
            out.extend(
                plan.risks
                    .iter()
                    .map(|risk| PaneLine::plain_line(format!("  - {}", single_line(risk)))),
            );
        }
        out
    }

    fn problem_lines(&self) -> Vec<PaneLine> {
        if self.data.problems.is_empty() {
            return vec![PaneLine::new(Tone::Good, "no problems")];
        }
        let mut out = Vec::new();
        for problem in &self.data.problems {
            let tone = severity_tone(&problem.severity);
            let head = format!(
                "{}[{}] line {}",
                problem.severity, problem.code, problem.line
            );
            out.push(PaneLine::new(tone, head));
            out.push(PaneLine::plain_line(format!(
                "  {}",
                single_line(&problem.message)
            )));
            if let Some(help) = &problem.help {
                out.push(PaneLine::new(
                    Tone::Dim,
                    format!("  → {}", single_line(help)),
                ));
            }
        }
        out
    }

    fn comment_lines(&self) -> Vec<PaneLine> {
        let comments = &self.data.plan.comments;
        if comments.is_empty() {
            return vec![PaneLine::new(Tone::Dim, "no comments; `c` writes one")];
        }
        comments.iter().flat_map(comment_block).collect()
    }

    fn difference_lines(&self) -> Vec<PaneLine> {
        let Some(difference) = &self.data.difference else {
            return vec![PaneLine::new(Tone::Dim, "nobody has signed this plan yet")];
        };
        if difference.is_empty() {
            return vec![PaneLine::new(Tone::Good, "the same as what was signed")];
        }
        let tone = |text: &String| match text.trim_start().chars().next() {
            Some('+') => Tone::Good,
            Some('-') => Tone::Bad,
            _ => Tone::Plain,
        };
        difference
            .iter()
            .map(|text| PaneLine::new(tone(text), single_line(text)))
            .collect()
    }
}

/// A field with its name; none without a value.
fn field_line(name: &str, text: &str) -> Option<PaneLine> {
    (!text.is_empty()).then(|| PaneLine::plain_line(format!("{name}  {}", single_line(text))))
}

/// Who does the work, and what it is.
fn work_lines(work: &Work) -> Vec<PaneLine> {
    let mut out = Vec::new();
    match work {
        Work::Agent { role, task } => {
            let role = role.as_deref().unwrap_or("(no role)");
            out.extend(field_line("agent  ", role));
            out.extend(block_lines(task));
        }
        Work::Tool { tool, args } => {
            out.extend(field_line("tool   ", tool));
            out.extend(block_lines(&serde_text(args)));
        }
        Work::Ask { question, choices } => {
            out.extend(field_line("asks   ", question));
            out.extend(field_line("choices", &choices.join(" · ")));
        }
        Work::Check => out.extend(field_line("work   ", "none: only the contract runs")),
    }
    out
}

/// When the step may start, and what it may touch.
fn bound_lines(step: &Step) -> impl Iterator<Item = PaneLine> {
    let tools = step.tools.as_ref().map(|tools| tools.join(", "));
    let fields = [
        ("after  ", step.depends_on.join(", ")),
        ("when   ", step.when.clone().unwrap_or_default()),
        ("writes ", step.produces.join(", ")),
        ("guards ", step.protects.join(", ")),
        ("tools  ", tools.unwrap_or_default()),
    ];
    fields
        .into_iter()
        .filter_map(|(name, text)| field_line(name, &text))
}

fn contract_lines(step: &Step) -> Vec<PaneLine> {
    let Some(contract) = &step.contract else {
        let text = "no contract: nothing proves this step";
        return vec![PaneLine::new(Tone::Care, text)];
    };
    let mut out = vec![PaneLine::new(Tone::Good, "contract")];
    let commands = lines(&contract.command).into_iter();
    out.extend(commands.map(|text| PaneLine::plain_line(format!("  $ {text}"))));
    let conditions = contract.expect.iter();
    out.extend(conditions.map(|one| PaneLine::new(Tone::Dim, format!("    {}", single_line(one)))));
    out
}

/// What a person has to know before the step runs.
fn care_lines(step: &Step) -> impl Iterator<Item = PaneLine> {
    let approval = (step.approval).then(|| "requires approval before it starts".to_owned());
    let asks = step
        .asks
        .iter()
        .map(|ask| format!("asks {}", single_line(ask)));
    let texts = approval.into_iter().chain(asks);
    texts.map(|text| PaneLine::new(Tone::Care, text))
}

fn severity_tone(severity: &str) -> Tone {
    match severity {
        "error" => Tone::Bad,
        "warning" => Tone::Care,
        _ => Tone::Dim,
    }
}

fn block_lines(text: &str) -> Vec<PaneLine> {
    lines(text)
        .into_iter()
        .map(|text| PaneLine::plain_line(format!("  {text}")))
        .collect()
}

/// Arguments of a tool, one member on a line.
fn serde_text(value: &impl std::fmt::Display) -> String {
    format!("{value:#}")
}

/// Who said what.
fn comment_block(comment: &Comment) -> Vec<PaneLine> {
    let about = comment
        .step
        .as_ref()
        .map(|step| format!(" on {}", single_line(step)));
    let gone = if comment.is_step_gone {
        ", which is gone"
    } else {
        ""
    };
    let resolved = comment
        .resolved_by
        .as_ref()
        .map(|by| format!(" · resolved by {}", single_line(by)));
    let kind = match (comment.kind, comment.severity) {
        (CommentKind::Comment, _) => String::new(),
        (CommentKind::Objection, None) => " objects".to_owned(),
        (CommentKind::Objection, Some(severity)) => format!(" objects ({})", severity.name()),
    };
    let head = format!(
        "{} {}{kind}{}{gone}{}",
        comment.id,
        single_line(&comment.by),
        about.unwrap_or_default(),
        resolved.unwrap_or_default()
    );
    let tone = match (comment.kind, comment.resolved_by.is_some()) {
        (_, true) => Tone::Dim,
        (CommentKind::Objection, false) => Tone::Care,
        (CommentKind::Comment, false) => Tone::Running,
    };
    let mut out = vec![PaneLine::new(tone, head)];
    out.extend(block_lines(&comment.text));
    out
}
