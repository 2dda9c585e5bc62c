//! From what a reader found to the text of a draft.

use std::collections::BTreeSet;

use serde_json::Value;

use super::dependencies::dependencies;
use super::ids::ids;
use super::imported::{ImportedPlan, ImportedStep};
use super::sections::with_line_feeds;
use super::titles::short_title;
use super::{ImportFormat, ImportLoss, Imported};
use crate::dialect::Dialect;
use crate::field;
use crate::format::format_as;
use crate::model::{BriefingStyle, Depends, Plan, Step, StepDetails, StepRecord, Work};
use crate::source::Source;
use crate::write::workunit::{OWNER, UnknownDependencies, write_with_unknown};

/// What a plan is called whose source has no name.
const UNNAMED: &str = "Imported plan";

pub(super) fn assemble(
    mut imported: ImportedPlan,
    format: ImportFormat,
    sign: String,
    name: &str,
) -> Imported {
    if !imported.context.is_empty() {
        imported.context.insert(0, origin(name));
    }
    let (mut plan, unknown) = plan(&mut imported);
    let mut written = write_with_unknown(&plan, &unknown);
    // A title that is not a heading is in the task as well.
    let titles: BTreeSet<String> = (written.losses.iter())
        .filter(|loss| loss.field == "title")
        .filter_map(|loss| loss.step.clone())
        .collect();
    if !titles.is_empty() {
        for step in plan
            .steps
            .iter_mut()
            .filter(|step| titles.contains(&step.id))
        {
            step.title = step.id.replace('-', " ");
        }
        written = write_with_unknown(&plan, &unknown);
    }
    let unwritten = written.losses.iter().filter(|loss| !loss.filled_in);
    let unwritten: Vec<ImportLoss> = unwritten
        .map(|loss| ImportLoss {
            file: String::new(),
            line: None,
            field: match &loss.step {
                Some(step) => format!("{} of step `{step}`", loss.field),
                None => loss.field.clone(),
            },
            value: value(&plan, loss.step.as_deref(), &loss.field),
            why: loss.why.clone(),
        })
        .collect();
    imported.losses.extend(unwritten);
    let text = written
        .files
        .into_iter()
        .next()
        .map_or_else(String::new, |(_, text)| text);
    Imported {
        format,
        sign,
        text: format_draft(text),
        steps: plan.steps.len(),
        losses: imported.losses,
        notes: imported.notes,
    }
}

/// Where a draft comes from. A context that begins with a heading would leave its label without a value.
fn origin(name: &str) -> String {
    let plain = !name.is_empty() && !name.contains(['`', '<']) && !name.contains(char::is_control);
    if plain && name != "-" {
        format!("Imported from `{name}`.")
    } else {
        "Imported from another tool.".to_owned()
    }
}

/// What a field holds that could not be written.
fn value(plan: &Plan, step: Option<&str>, name: &str) -> String {
    let value = match step {
        Some(id) => plan
            .index_of(id)
            .and_then(|at| field::step_value(plan, at, name)),
        None => field::plan_value(plan, name),
    };
    match value {
        Some(Value::String(text)) => text,
        Some(Value::Array(items)) => {
            let items = items.iter().map(|item| {
                item.as_str()
                    .map_or_else(|| item.to_string(), str::to_owned)
            });
            items.collect::<Vec<_>>().join("\n")
        }
        Some(value) => value.to_string(),
        None => String::new(),
    }
}

/// The draft as `fmt` writes it.
fn format_draft(text: String) -> String {
    let source = Source::new("", text.clone().into_bytes());
    let tidy = format_as(&source, Dialect::Workunit);
    tidy.map_or(text, |tidy| tidy.text().to_owned())
}

fn plan(imported: &mut ImportedPlan) -> (Plan, UnknownDependencies) {
    let ids = ids(&imported.steps);
    let (depends, unknown) = dependencies(imported, &ids);
    let found = std::mem::take(&mut imported.steps);
    let steps = found.into_iter().zip(ids).zip(depends).enumerate();
    let steps: Vec<Step> = steps
        .map(|(at, ((found, id), depends))| step(at, id, depends, found))
        .collect();
    let own = imported.title.take().unwrap_or_else(|| UNNAMED.to_owned());
    let title = short_title(&own);
    if title != own.trim() {
        imported.context.push(format!("Title: {own}"));
    }
    let context = with_line_feeds(&imported.context.join("\n\n"));
    let context = Some(context.trim().to_owned()).filter(|context| !context.is_empty());
    let told = context.is_some() && !steps.is_empty();
    if told {
        imported.note("agents are told the text around the steps: `briefing: thread`");
    }
    let plan = Plan {
        title: Some(if title.is_empty() {
            UNNAMED.to_owned()
        } else {
            title
        }),
        status: Some("draft".to_owned()),
        owner: Some(OWNER.to_owned()),
        context,
        briefing: (!steps.is_empty()).then(|| {
            let briefing = if told {
                BriefingStyle::Thread
            } else {
                BriefingStyle::Task
            };
            briefing.word().to_owned()
        }),
        record: (imported.record.iter())
            .map(|(name, value)| ((*name).to_owned(), value.clone()))
            .collect(),
        steps,
        ..Plan::default()
    };
    (plan, unknown)
}

fn step(at: usize, id: String, depends_on: Depends, found: ImportedStep) -> Step {
    let task = with_line_feeds(&found.task);
    let lines = task
        .split('\n')
        .map(str::trim_end)
        .collect::<Vec<_>>()
        .join("\n");
    let title = short_title(&found.title);
    Step {
        title: if title.is_empty() {
            id.replace('-', " ")
        } else {
            title
        },
        claimed: found.done,
        depends_on,
        work: Work::Agent {
            role: None,
            task: lines.trim().to_owned(),
        },
        details: StepDetails {
            mark: found.skipped.then(|| "skipped".to_owned()),
            acceptance: found.acceptance,
            ..StepDetails::default()
        }
        .into(),
        record: found.record.into_iter().collect::<StepRecord>(),
        ..Step::new(id, at + 1)
    }
}
