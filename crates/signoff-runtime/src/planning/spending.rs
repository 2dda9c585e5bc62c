//! What models used for a plan outside of runs. The plan's log records it, and the next run counts it.

use std::collections::BTreeMap;

use signoff_api::plan::Planning;
use signoff_api::plan_log::{PlanEvent, PlanningTask};
use signoff_engine::{ModelUsage, PlanningUsage};
use signoff_llm::Usage;

use crate::clock::timestamp;
use crate::error::Error;
use crate::plan_file::PlanFile;
use crate::plan_history::{PlanHistory, append_event};
use crate::plans::ActorContext;

/// What was asked about a plan, of whom, how often, and what it used.
#[derive(Debug, Clone, Copy)]
pub struct ModelRequest<'a> {
    /// What it was asked.
    pub task: PlanningTask,
    /// A role or a provider.
    pub by: &'a str,
    /// How often.
    pub rounds: u32,
    /// All rounds together.
    pub usage: &'a Usage,
}

/// Writes into the log of a plan of the project which model was asked about it. Says nothing of files elsewhere.
pub fn record_planning(
    context: ActorContext<'_>,
    plan: &PlanFile,
    asked: ModelRequest<'_>,
) -> Result<(), Error> {
    let project = context.project;
    let real = plan
        .path
        .canonicalize()
        .unwrap_or_else(|_| plan.path.clone());
    if !real.starts_with(project.store.workspace()) {
        return Ok(());
    }
    let event = PlanEvent::PlanModelAsked {
        digest: plan.digest().to_string(),
        task: asked.task,
        by: asked.by.to_owned(),
        model: asked.usage.model.clone(),
        rounds: asked.rounds,
        tokens: asked.usage.tokens,
        usd_e6: asked.usage.usd_e6,
    };
    append_event(project, &plan.key(project)?, &event, context.clock)
}

/// What an answer used, as journals have it.
pub(crate) fn model_usage(usage: &Usage) -> Vec<ModelUsage> {
    usage_list(usage.model.clone(), usage.tokens, usage.usd_e6)
}

fn usage_list(model: Option<String>, tokens: Option<u64>, usd_e6: Option<u64>) -> Vec<ModelUsage> {
    if tokens.is_none() && usd_e6.is_none() {
        return Vec::new();
    }
    vec![ModelUsage {
        model,
        input_tokens: tokens.unwrap_or(0),
        usd_e6,
        ..ModelUsage::default()
    }]
}

impl PlanHistory {
    /// Which models were asked, oldest first.
    pub fn planning(&self) -> Vec<Planning> {
        let asked = self.entries.iter().filter_map(|entry| match &entry.event {
            PlanEvent::PlanModelAsked {
                task,
                by,
                model,
                rounds,
                tokens,
                usd_e6,
                ..
            } => Some(Planning {
                at: timestamp(entry.at),
                task: *task,
                by: by.clone(),
                model: model.clone(),
                rounds: *rounds,
                tokens: *tokens,
                usd_e6: *usd_e6,
            }),
            _ => None,
        });
        asked.collect()
    }

    /// What models used since a run was begun last, which no run has counted. `begins`: whether an entry is that beginning.
    pub(crate) fn uncounted_planning(
        &self,
        begins: impl Fn(&PlanEvent) -> bool,
    ) -> Vec<PlanningUsage> {
        let last = self.entries.iter().rposition(|entry| begins(&entry.event));
        let since = self.entries.get(last.map_or(0, |last| last + 1)..);
        let mut by_whom: BTreeMap<&str, Vec<ModelUsage>> = BTreeMap::new();
        for entry in since.unwrap_or_default() {
            if let PlanEvent::PlanModelAsked {
                by,
                model,
                tokens,
                usd_e6,
                ..
            } = &entry.event
            {
                let used = usage_list(model.clone(), *tokens, *usd_e6);
                by_whom.entry(by).or_default().extend(used);
            }
        }
        by_whom.retain(|_, usage| !usage.is_empty());
        let planning = by_whom.into_iter().map(|(by, usage)| PlanningUsage {
            by: by.to_owned(),
            usage,
        });
        planning.collect()
    }
}

/// Does this entry begin a run, which counts what was used before?
pub(crate) fn begins_run(event: &PlanEvent) -> bool {
    matches!(event, PlanEvent::PlanExecuting { .. })
}
