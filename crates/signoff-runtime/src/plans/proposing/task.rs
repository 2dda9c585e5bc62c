//! A task as a plan of one step, for a person who does not want to write a plan. It is signed, run and judged
//! like any other.

use std::path::Path;

use signoff_plan::PermissiveWorkspace;
use signoff_plan::check::{check, resolved_plan};
use signoff_plan::diagnostic::Severity;
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::expression::placeholders;
use signoff_plan::model::{Plan, Work};
use signoff_plan::source::Source;
use signoff_plan::write::{Loss, write};

use crate::error::Error;
use crate::plan_file::{PlanFile, require_no_errors};
use crate::plans::{ActorContext, PlanReport, propose_text};
use crate::project::require_role;

/// Characters of a task that are its title.
const TITLE: usize = 72;

/// The title where the task's own words cannot be one.
const UNTITLED: &str = "One task";

/// What is to be done.
#[derive(Debug, Clone, Copy)]
pub struct TaskOptions<'a> {
    /// The agent's task.
    pub task: &'a str,
    /// Whose agent; without one, `default`.
    pub role: Option<&'a str>,
    /// What decides whether it is done; without one, a person does.
    pub contract: Option<&'a str>,
}

/// Keeps the plan under a new name and hands it in, if it could be signed as it is.
pub fn propose_task(
    context: ActorContext<'_>,
    quick: TaskOptions<'_>,
) -> Result<PlanReport, Error> {
    context.project.require_trust()?;
    let text = quick.text().map_err(|why| Error::BadTask { why })?;
    let source = Source::new("the plan of this task", text.clone().into_bytes());
    let workspace = context.project.workspace();
    // A mistyped role must not leave a plan behind.
    require_no_errors(&PlanFile::from_source(
        Path::new("-"),
        source,
        None,
        &workspace,
    ))?;
    // Nor is it done by the agent of `default`.
    if let Some(role) = quick.role {
        require_role(context.project, role)?;
    }
    propose_text(context, text.as_bytes())
}

impl TaskOptions<'_> {
    /// The plan as a native file.
    fn text(&self) -> Result<String, String> {
        let mut plan = self.skeleton()?;
        let mut written = write(&plan, Dialect::Workunit);
        if written.losses.iter().any(|loss| loss.field == "title") {
            set_title(&mut plan, UNTITLED);
            written = write(&plan, Dialect::Workunit);
        }
        if let Some(loss) = written.losses.iter().find(|loss| Loss::is_relevant(loss)) {
            return Err(format!("`{}`: {}", loss.field, loss.why));
        }
        let mut files = written.files.into_iter();
        let (_, text) = files.next().expect("a work unit is one file");
        let source = Source::new("task", text.clone().into_bytes());
        let checked = check(&parse_as(&source, Dialect::Workunit), &PermissiveWorkspace);
        let mut errors = checked.diagnostics.iter();
        // A heading of a step inside a fence looks like an unclosed fence.
        match errors.find(|problem| problem.severity == Severity::Error) {
            Some(error) => Err(format!("in a plan, {}", error.message)),
            None => Ok(text),
        }
    }

    /// A plan of one step is read, so that it has the defaults of the dialect; then it is given its
    /// texts, which no reader has to find their ends of.
    fn skeleton(&self) -> Result<Plan, String> {
        let contract = match self.contract {
            Some(_) => "\n**contract:**\n```shell\nx\n```\nexit_code == 0\n",
            None => "",
        };
        let text = format!(
            "---\ntype: plan\nstatus: draft\nowner: orchestrator\n---\n\n# x\n\n## Steps\n\n### 1. x\n\n**target:** x\n**task:**\nx\n{contract}"
        );
        let source = Source::new("task", text.into_bytes());
        let mut plan = resolved_plan(&parse_as(&source, Dialect::Workunit));
        let step = plan.steps.first_mut().ok_or("it has no step")?;
        step.work = Work::Agent {
            role: self.role.map(str::to_owned),
            task: literal(require_text("the task", self.task)?),
        };
        if let (Some(contract), Some(command)) = (&mut step.contract, self.contract) {
            contract.command = literal(require_text("the contract", command)?);
        }
        let title = self.task.trim().lines().next().unwrap_or_default();
        set_title(&mut plan, &literal(&shorten(title)));
        Ok(plan)
    }
}

fn set_title(plan: &mut Plan, title: &str) {
    plan.title = Some(title.to_owned());
    for step in &mut plan.steps {
        title.clone_into(&mut step.title);
    }
}

fn require_text<'a>(what: &str, text: &'a str) -> Result<&'a str, String> {
    let text = text.trim();
    if text.is_empty() {
        return Err(format!("{what} is empty"));
    }
    Ok(text)
}

fn shorten(line: &str) -> String {
    let line = line.split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(TITLE) {
        Some((end, _)) => format!("{}…", line.get(..end).unwrap_or_default().trim_end()),
        None => line,
    }
}

/// The text as one that a plan means literally: `{{` begins a place otherwise.
fn literal(text: &str) -> String {
    if placeholders(text).is_empty() {
        return text.to_owned();
    }
    text.replace("{{", "{{ \"{{\" }}")
}

#[cfg(test)]
mod tests {
    use signoff_plan::expression::{Scope, render, render_shell};

    use super::*;

    /// The task and the contract as a run would use them.
    fn come_through(task: &str, contract: Option<&str>) -> (String, Option<String>) {
        let quick = TaskOptions {
            task,
            role: Some("coder"),
            contract,
        };
        let text = quick.text().unwrap();
        let source = Source::new("task", text.into_bytes());
        let checked = check(&parse_as(&source, Dialect::Workunit), &PermissiveWorkspace);
        assert_eq!(checked.plan.steps.len(), 1, "{}", source.text());
        assert_eq!(checked.errors(), 0, "{:?}", checked.diagnostics);
        let step = &checked.plan.steps[0];
        let Work::Agent { role, task } = &step.work else {
            panic!("{step:?}");
        };
        assert_eq!(role.as_deref(), Some("coder"));
        let scope = Scope::default();
        let contract = step.contract.as_ref();
        let contract = contract.map(|one| render_shell(&one.command, &scope).unwrap());
        (render(task, &scope).unwrap(), contract)
    }

    #[test]
    fn texts_come_through_as_they_were_given() {
        for text in [
            "Fix the login",
            "Use `foo` and ``bar``",
            "two\n\nparagraphs \"quoted\" and 'so'",
            "{{ params.x }} and {{ item }} and {% if %}",
            "{{ open only, and ${HOME} $1",
            "{{{ three }}}",
            "{{ \"{{\" }}",
            "```rust\nfn main() {}\n```\nand then\n~~~\nx\n~~~",
            "# A heading\n\n## Steps\n\n**task:** no\n**contract:** none",
            "**target:** someone",
            "- [ ] a box\n- [x] ticked",
            "---\ntype: plan\n---",
            "> quoted\n\n    indented",
            "✅ done",
            "Ünïcödé — “quotes” 日本語",
        ] {
            assert_eq!(come_through(text, None), (text.to_owned(), None));
        }
    }

    #[test]
    fn contracts_come_through_as_they_were_given() {
        for command in [
            "cargo test",
            "test \"$(cat out)\" = 'a `b`'",
            "docker ps --format '{{ .Names }}' | grep -q web",
            "set -e\ntest -f a\ntest -f b",
            "cat <<'EOF' | grep -q x\n```\nx\n```\nEOF",
        ] {
            let (_, contract) = come_through("Do it", Some(command));
            assert_eq!(contract.as_deref(), Some(command));
        }
    }

    #[test]
    fn what_says_nothing_is_refused() {
        let quick = |task, contract| TaskOptions {
            task,
            role: None,
            contract,
        };
        assert_eq!(quick(" \n", None).text().unwrap_err(), "the task is empty");
        let empty = quick("x", Some("")).text().unwrap_err();
        assert_eq!(empty, "the contract is empty");
    }

    #[test]
    fn what_looks_like_a_step_is_still_the_task() {
        let task = "first\n\n### 2. Another\n\n**task:** no";
        let text = TaskOptions {
            task,
            role: None,
            contract: None,
        }
        .text()
        .unwrap();
        assert!(
            text.contains(&format!("````verbatim\n{task}\n````")),
            "{text}"
        );
    }

    #[test]
    fn a_title_is_the_beginning_of_the_task() {
        let long = "word ".repeat(40);
        let plan = TaskOptions {
            task: &long,
            role: None,
            contract: None,
        };
        let title = plan.skeleton().unwrap().title.unwrap();
        assert!(
            title.chars().count() <= TITLE + 1 && title.ends_with('…'),
            "{title}"
        );
    }
}
