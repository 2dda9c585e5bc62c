//! Something begins like a reference and is none.
//!
//! ## Why
//! It would reach the tool as text, and the reason would not be visible.
//!
//! ## Example
//! ```text
//! { "content": "$read.content.map(trim)" }
//! ```
//!
//! ## Instead
//! `$ID`, `$ID.field` or `$ID.list[0].field` as the whole text; `${ID.field}` in the middle of one;
//! `$$` for a dollar sign. The value of a tool step is its result, of a question the answer, of an agent
//! its final text (with `.json` what that says, if it is JSON), of a check what its contract prints.

use super::context::{Context, StepView};
use super::plan_references::{ArgumentReference, wrong_way};
use crate::diagnostic::{Code, Diagnostic, MissingFieldScope};
use crate::expression::PlaceholderContent;
use crate::reference::{Reference, TokenKind};
use crate::source::Span;

pub(super) fn check(context: &Context<'_>, problems: &mut Vec<Diagnostic>) {
    for (index, referred) in &context.references.references {
        let Some(step) = context.step(*index) else {
            continue;
        };
        problems.extend(match &referred.kind {
            TokenKind::Whole(reference) | TokenKind::Inside(reference) => {
                leads_nowhere(context, step, referred, reference)
            }
            TokenKind::Bad(why) => Some(bad(step, referred, why)),
            TokenKind::Name(name) => context
                .position(name)
                .map(|_| not_in_braces(step, referred, name)),
            TokenKind::Dollar => None,
        });
    }
    for (index, expression) in &context.references.expressions {
        let Some(step) = context.step(*index) else {
            continue;
        };
        let reads = expression.reads.iter().flat_map(|reads| &reads.steps);
        for read in reads.filter(|read| context.position(read.id) == Some(*index)) {
            let text = expression.text;
            let span = super::plan_references::span_within(&text.value, text.span, read.id_span);
            problems.push(reads_itself(step, span));
        }
    }
    for (index, template) in &context.references.templates {
        let Some(step) = context.step(*index) else {
            continue;
        };
        let problem = |message: String| step.problem(Code::BadReference, template.span, message);
        if template.content == PlaceholderContent::Other(Some("steps")) {
            let message = "`steps` cannot be read in a template".to_owned();
            problems.push(problem(message).help("refer to a step in `args`, as in `$ID.field`"));
        }
        for mistake in template.reads.as_ref().err().into_iter().flatten() {
            let message = format!(
                "a template of step `{}` cannot be read: {}",
                step.id(),
                mistake.message
            );
            let found = problem(message);
            problems.push(match mistake.meant {
                Some(name) => found.help(format!("did you mean `{name}`?")),
                None => found,
            });
        }
    }
}

fn bad(step: StepView<'_>, referred: &ArgumentReference<'_>, why: &str) -> Diagnostic {
    let message = format!("`{}` {why}", referred.text);
    step.problem(Code::BadReference, referred.span, message).help(
        "write `$ID`, `$ID.field` or `$ID.list[0]`, in the middle of a text `${ID.field}`; `$$` is a dollar sign",
    )
}

fn not_in_braces(step: StepView<'_>, referred: &ArgumentReference<'_>, name: &str) -> Diagnostic {
    let message = format!("`${name}` in the middle of a text does not refer to step `{name}`");
    let found = step.problem(Code::BadReference, referred.span, message);
    found
        .help(format!(
            "write `${{{name}}}` for its value, or `$${name}` for the text itself"
        ))
        .fix(referred.span, format!("${{{name}}}"))
}

/// What a step reads must be there before it begins.
fn reads_itself(step: StepView<'_>, span: Span) -> Diagnostic {
    let message = format!("step `{}` refers to itself", step.id());
    let found = step.problem(Code::BadReference, span, message);
    found.help("refer to a step that comes before")
}

fn leads_nowhere(
    context: &Context<'_>,
    step: StepView<'_>,
    referred: &ArgumentReference<'_>,
    reference: &Reference<'_>,
) -> Option<Diagnostic> {
    let position = context.position(reference.id)?;
    let problem = |message: String| step.problem(Code::BadReference, referred.span, message);
    if position == step.index {
        return Some(reads_itself(step, referred.span));
    }
    let why = wrong_way(context.plan.steps.get(position)?, &reference.path)?;
    let text = referred.text;
    let found = problem(format!(
        "`{text}` leads nowhere: step `{}` {why}",
        reference.id
    ));
    Some(found.with_missing_field(MissingFieldScope::Anywhere(&["tool", "ask"])))
}

#[cfg(test)]
mod tests {
    use super::super::testing::{check, plan};
    use super::*;

    const HELP: &str = "write `$ID`, `$ID.field` or `$ID.list[0]`, in the middle of a text `${ID.field}`; \
                        `$$` is a dollar sign";

    #[track_caller]
    fn content(content: &str, expected: &[&str]) {
        let text = plan(&format!(
            "### 1. A\n**id:** a\n**tool:** read_file\n**args:** {{\"path\": \"a\"}}\n\
             ### 2. B\n**id:** b\n**ask:** Go?\n\
             ### 3. C\n**id:** c\n**target:** coder\n**task:** x\n\
             ### 4. L\n**id:** l\n**for_each:** [1, 2]\n**tool:** read_file\n**args:** {{\"path\": \"a\"}}\n\
             ### 5. X\n**approval:** required\n**tool:** write_file\n**args:** {{\"path\": \"x\", \"content\": \"{content}\"}}\n"
        ));
        check(Code::BadReference, &text, expected);
    }

    #[test]
    fn what_begins_like_a_reference_is_one() {
        for text in [
            "$a.x[0].y",
            "$b",
            "$c",
            "$c.json.x",
            "$l[0].x",
            "$l",
            "$100",
            "$$a b",
            "$PATH",
        ] {
            content(text, &[]);
        }
        content(
            "$a.map(x)",
            &[&format!(
                "$a.map(x) | `$a.map(x)` begins like a reference, but is none | {HELP}"
            )],
        );
        content(
            "x ${a b}",
            &[&format!(
                "${{a b}} | `${{a b}}` begins like a reference, but is none | {HELP}"
            )],
        );
    }

    #[test]
    fn names_of_steps_want_braces_in_the_middle_of_a_text() {
        content(
            "see $a",
            &[
                "$a | `$a` in the middle of a text does not refer to step `a` | \
               write `${a}` for its value, or `$$a` for the text itself",
            ],
        );
        content("see $HOME", &[]);
    }

    #[test]
    fn paths_fit_what_steps_give() {
        content(
            "$b.x",
            &[
                "$b.x | `$b.x` leads nowhere: step `b` gives the answer, which is text and has no parts | -",
            ],
        );
        content(
            "$c.text",
            &[
                "$c.text | `$c.text` leads nowhere: step `c` gives its final text; only `.json` leads into that | -",
            ],
        );
        content(
            "$l.x",
            &[
                "$l.x | `$l.x` leads nowhere: step `l` gives a list, one item for each round: write its number, as in `[0]` | -",
            ],
        );
        content(
            "$step-5",
            &["$step-5 | step `step-5` refers to itself | refer to a step that comes before"],
        );
    }

    #[test]
    fn no_step_reads_itself() {
        check(
            Code::BadReference,
            &plan(
                "### 1. A\n**id:** a\n**contract:** `ls`\n**when:** steps[\"a\"].stdout == 'x'\n",
            ),
            &["a | step `a` refers to itself | refer to a step that comes before"],
        );
    }

    #[test]
    fn templates_can_be_read() {
        content(
            "{{ params.x | uper }}",
            &[
                "{{ params.x | uper }} | a template of step `step-5` cannot be read: there is no filter `uper` | did you mean `upper`?",
            ],
        );
        content(
            "{{ steps.a.output }}",
            &[
                "{{ steps.a.output }} | `steps` cannot be read in a template | refer to a step in `args`, as in `$ID.field`",
            ],
        );
    }
}
