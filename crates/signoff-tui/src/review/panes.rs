//! The lines of each pane.

use signoff_api::comments::Comment;
use signoff_api::plan::{Step, Work};
use signoff_api::plan_log::CommentKind;

use super::{Review, ReviewPane};
use crate::frame::{PaneLine, Tone};
use crate::text::{line, lines, wrap};

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
                    .map(|text| PaneLine::plain(line(text)));
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
        let mut out = vec![PaneLine::new(Tone::Strong, line(&step.title))];
        let mut put = |name: &str, text: &str| {
            if !text.is_empty() {
                out.push(PaneLine::plain(format!("{name}  {}", line(text))));
            }
        };
        put("id     ", &step.id);
        match &step.work {
            Work::Agent { role, task } => {
                put("agent  ", role.as_deref().unwrap_or("(no role)"));
                out.extend(block(task));
            }
            Work::Tool { tool, args } => {
                put("tool   ", tool);
                let pretty = serde_text(args);
                out.extend(block(&pretty));
            }
            Work::Ask { question, choices } => {
                put("asks   ", question);
                put("choices", &choices.join(" · "));
            }
            Work::Check => put("work   ", "none: only the contract runs"),
        }
        let mut put = |name: &str, text: String| {
            if !text.is_empty() {
                out.push(PaneLine::plain(format!("{name}  {}", line(&text))));
            }
        };
        put("after  ", step.depends_on.join(", "));
        if let Some(when) = &step.when {
            put("when   ", when.clone());
        }
        put("writes ", step.produces.join(", "));
        put("guards ", step.protects.join(", "));
        if let Some(tools) = &step.tools {
            put("tools  ", tools.join(", "));
        }
        match &step.contract {
            Some(contract) => {
                out.push(PaneLine::new(Tone::Good, "contract"));
                for text in lines(&contract.command) {
                    out.push(PaneLine::plain(format!("  $ {text}")));
                }
                for condition in &contract.expect {
                    out.push(PaneLine::new(Tone::Dim, format!("    {}", line(condition))));
                }
            }
            None => out.push(PaneLine::new(
                Tone::Care,
                "no contract: nothing proves this step",
            )),
        }
        if step.approval {
            out.push(PaneLine::new(
                Tone::Care,
                "requires approval before it starts",
            ));
        }
        for ask in &step.asks {
            out.push(PaneLine::new(Tone::Care, format!("asks {}", line(ask))));
        }
        for problem in self
            .data
            .problems
            .iter()
            .filter(|one| one.step.as_deref() == Some(&step.id))
        {
            let tone = severity_tone(&problem.severity);
            out.push(PaneLine::new(
                tone,
                format!("{}: {}", problem.code, line(&problem.message)),
            ));
        }
        for comment in self
            .open_comments()
            .filter(|one| one.step.as_deref() == Some(&step.id))
        {
            out.extend(comment_block(comment));
        }
        out
    }

    fn plan_lines(&self) -> Vec<PaneLine> {
        let plan = &self.data.plan;
        let mut out = vec![PaneLine::new(
            Tone::Strong,
            line(plan.title.as_deref().unwrap_or("(no title)")),
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
        out.push(PaneLine::plain("A signature covers:"));
        out.push(PaneLine::plain(format!(
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
                .map(|text| PaneLine::new(Tone::Good, line(text))),
        );
        for rejection in &plan.rejections {
            let text = rejection.feedback.as_deref().unwrap_or("(no reason)");
            out.push(PaneLine::new(
                Tone::Care,
                format!("rejected  {}", line(text)),
            ));
        }
        for text in [&plan.task, &plan.context].into_iter().flatten() {
            out.push(PaneLine::plain(""));
            out.extend(lines(text).into_iter().map(PaneLine::plain));
        }
        if !plan.risks.is_empty() {
            out.push(PaneLine::new(Tone::Care, "risks"));
            out.extend(
                plan.risks
                    .iter()
                    .map(|risk| PaneLine::plain(format!("  - {}", line(risk)))),
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
            out.push(PaneLine::plain(format!("  {}", line(&problem.message))));
            if let Some(help) = &problem.help {
                out.push(PaneLine::new(Tone::Dim, format!("  → {}", line(help))));
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
            .map(|text| PaneLine::new(tone(text), line(text)))
            .collect()
    }
}

fn severity_tone(severity: &str) -> Tone {
    match severity {
        "error" => Tone::Bad,
        "warning" => Tone::Care,
        _ => Tone::Dim,
    }
}

fn block(text: &str) -> Vec<PaneLine> {
    lines(text)
        .into_iter()
        .map(|text| PaneLine::plain(format!("  {text}")))
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
        .map(|step| format!(" on {}", line(step)));
    let gone = if comment.is_step_gone {
        ", which is gone"
    } else {
        ""
    };
    let resolved = comment
        .resolved_by
        .as_ref()
        .map(|by| format!(" · resolved by {}", line(by)));
    let kind = match (comment.kind, comment.severity) {
        (CommentKind::Comment, _) => String::new(),
        (CommentKind::Objection, None) => " objects".to_owned(),
        (CommentKind::Objection, Some(severity)) => format!(" objects ({})", severity.name()),
    };
    let head = format!(
        "{} {}{kind}{}{gone}{}",
        comment.id,
        line(&comment.by),
        about.unwrap_or_default(),
        resolved.unwrap_or_default()
    );
    let tone = match (comment.kind, comment.resolved_by.is_some()) {
        (_, true) => Tone::Dim,
        (CommentKind::Objection, false) => Tone::Care,
        (CommentKind::Comment, false) => Tone::Running,
    };
    let mut out = vec![PaneLine::new(tone, head)];
    out.extend(block(&comment.text));
    out
}
