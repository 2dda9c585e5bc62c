//! What an agent hands to plan mode's `plan_propose`: a title, steps, and some context.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;
use signoff_plan::check::resolved_plan;
use signoff_plan::check::too_large::CONTEXT_BYTES;
use signoff_plan::dialect::{Dialect, parse_as};
use signoff_plan::model::{Hint, Plan};
use signoff_plan::source::Source;
use signoff_plan::write::write;

/// Context of more bytes than this goes into a file of its own.
pub(crate) const INLINE: usize = CONTEXT_BYTES;

/// What a context consists of besides text.
const OF_CONTEXT: [&str; 2] = ["artifacts", "tool_outputs"];

type Shape = serde_json::Map<String, Value>;

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Request {
    title: String,
    steps: Vec<Step>,
    #[serde(default)]
    pub(crate) context: Option<String>,
}

#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields)]
struct Step {
    description: String,
    tool: String,
    operation: String,
    #[serde(default)]
    target: Option<String>,
}

impl Request {
    /// Reads a request. `None`: this is something else, a plan of some dialect perhaps. `Some(Err)`:
    /// it is meant to be one, and says what is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Option<Result<Self, String>> {
        // From the bytes, not from a value: that would have forgotten a key that was there twice.
        let read = || serde_json::from_slice(bytes).map_err(|error| error.to_string());
        let shape: Shape = match serde_json::from_slice(bytes) {
            Ok(shape) => shape,
            // Text that cannot be text, `\ud800` say, in what is otherwise one.
            Err(_) if is_likely(bytes) => return Some(read()),
            Err(_) => return None,
        };
        // Only these steps say what is done in a `description` and by which `operation`.
        let is_request = shape.contains_key("title")
            && shape
                .get("steps")?
                .as_array()?
                .iter()
                .all(|step| step.get("description").is_some() && step.get("args").is_none());
        is_request.then(read)
    }

    /// The plan as a file of the `proposal` dialect.
    pub(crate) fn to_file(&self, id: &str, now: &str) -> Result<Source, String> {
        if self.title.trim().is_empty() {
            return Err("its `title` is empty".to_owned());
        }
        let mut plan = self.skeleton()?;
        plan.id = Some(id.to_owned());
        plan.status = Some("proposed".to_owned());
        plan.version = Some(1);
        plan.record = BTreeMap::from([
            ("created_at".to_owned(), Value::from(now)),
            ("updated_at".to_owned(), Value::from(now)),
        ]);
        let written = write(&plan, Dialect::Proposal);
        if let Some(loss) = written.losses.first() {
            let location = loss.step.as_deref().unwrap_or("the plan");
            return Err(format!("{location}: `{}`: {}", loss.field, loss.why));
        }
        let mut files = written.files.into_iter();
        let (_, mut text) = files.next().expect("a proposal is one file");
        if let Some(context) = self.context.as_deref().map(str::trim)
            && !context.is_empty()
        {
            // As it was given: outputs of tools and artifacts have sections of their own in it.
            text.push_str("\n## Context\n");
            text.push_str(context);
            text.push('\n');
        }
        let source = Source::new(id, text.into_bytes());
        // A new plan has no feedback yet, and no rejection.
        let mut read = read(&source);
        read.context = None;
        read.record
            .retain(|field, _| !OF_CONTEXT.contains(&field.as_str()));
        if read != plan {
            return Err(
                "its `context` would be read as more than that: as steps, risks or a rejection"
                    .to_owned(),
            );
        }
        Ok(source)
    }

    /// Title, steps and tools. The steps are read from a list with as many, so that they
    /// have the defaults of the dialect, whatever those are.
    fn skeleton(&self) -> Result<Plan, String> {
        let header = "---\ntitle: x\ntools_required: []\n---\n\n## Steps\n";
        let items = (1..=self.steps.len()).map(|at| format!("{at}. x\n"));
        let text: String = std::iter::once(header.to_owned()).chain(items).collect();
        let source = Source::new("request", text.into_bytes());
        let mut plan = read(&source);
        if plan.steps.len() != self.steps.len() {
            return Err("it has too many steps".to_owned());
        }
        plan.title = Some(one_line(&self.title));
        for (step, asked) in plan.steps.iter_mut().zip(&self.steps) {
            asked.put_into(step);
        }
        let mut tools: Vec<String> = self.steps.iter().map(|step| step.tool.clone()).collect();
        tools.sort();
        tools.dedup();
        plan.tools = Some(tools);
        Ok(plan)
    }
}

impl Step {
    fn put_into(&self, step: &mut signoff_plan::model::Step) {
        let description = one_line(&self.description);
        step.title.clone_from(&description);
        if let signoff_plan::model::Work::Agent { task, .. } = &mut step.work {
            *task = description;
        }
        let text = |text: &str| Some(one_line(text)).filter(|text| !text.is_empty());
        step.hint = Some(Hint {
            tool: text(&self.tool),
            operation: text(&self.operation),
            target: self.target.as_deref().and_then(text),
        });
    }
}

fn read(source: &Source) -> Plan {
    resolved_plan(&parse_as(source, Dialect::Proposal))
}

/// Does a text that is not JSON have the keys of a request, and not those of any other plan?
fn is_likely(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let has = |key: &str| text.contains(&format!("\"{key}\""));
    text.trim_start().starts_with('{')
        && ["title", "steps", "description", "operation"]
            .into_iter()
            .all(has)
        && !["args", "dependsOn"].into_iter().any(has)
}

/// A title or a step is one line of its file.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}
