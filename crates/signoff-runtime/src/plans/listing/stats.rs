//! Statistics over the plans of a store: their outcomes, and the tools that they ask for and that are missing.

use std::collections::BTreeMap;

use signoff_api::stats::{MostRejected, RunCounts, SCHEMA, Stats, ToolGap};
use signoff_api::usage::{AgentUsage, UsageTotals};
use signoff_engine::{Event, PlanState, UsageSums};
use signoff_store::plan_log;
use signoff_store::runs::list;

use crate::drive::journal::read_events;
use crate::error::Error;
use crate::plan_history::PlanHistory;
use crate::plans::ActorContext;
use crate::plans::index::{Archive, IndexedPlans, UnreadablePlan, refresh};

/// How many of the most rejected plans are named.
const MOST: usize = 5;

/// Adds everything up, archived plans too; what could not be read comes with it.
pub fn stats(context: ActorContext<'_>) -> Result<(Stats, Vec<UnreadablePlan>), Error> {
    let indexed = refresh(context.project, context.clock.now(), Archive::Checked)?;
    let tallies = indexed.tallies(context.project);
    let sum = |count: fn(&signoff_store::index::PlanCounts) -> u64| {
        tallies.values().map(|(tally, _)| count(tally)).sum::<u64>()
    };
    let (approvals, rejections) = (sum(|one| one.approvals), sum(|one| one.rejections));
    let proposed = tallies
        .values()
        .filter(|(one, _)| one.proposals > 0)
        .count();
    let waits = tallies
        .values()
        .flat_map(|(one, _)| one.waits.iter().copied());
    let mut usage = usage_of_agents(context)?;
    let models = usage_of_models(context)?;
    usage.add(&models);
    let stats = Stats {
        schema: SCHEMA.to_owned(),
        plans: indexed.rows().count() as u64,
        states: states(&indexed),
        proposals: sum(|one| one.proposals),
        approvals,
        rejections,
        approval_rate: ratio(approvals, approvals + rejections),
        rejections_per_plan: ratio(rejections, proposed as u64),
        median_approval_s: median(waits.collect()).map(|millis| millis / 1000),
        runs: RunCounts {
            completed: sum(|one| one.completed),
            failed: sum(|one| one.failed),
        },
        usage: UsageTotals::of(&usage),
        models: AgentUsage::of(&models.total),
        most_rejected: most_rejected(&tallies),
        tool_gaps: tool_gaps(&indexed),
    };
    Ok((stats, indexed.troubles))
}

/// What models used that were asked, in all runs and for all plans. What is in a plan's log is not counted again where its
/// run counts it.
fn usage_of_models(context: ActorContext<'_>) -> Result<UsageSums, Error> {
    let store = &context.project.store;
    let mut sums = UsageSums::default();
    for run in list(store)? {
        let read = read_events(&run.dir.journal(), |recorded| {
            if let Event::ModelAnswered { by, usage, .. } = recorded.event {
                sums.count_models(Some(&by), &usage);
            }
            Ok(())
        });
        read.ok();
    }
    for log in plan_log::all_logs(store)? {
        // The reader of the plan reports what cannot be read.
        let history = plan_log::load(&log).ok();
        let history = history.and_then(|records| PlanHistory::of(&records).ok());
        let planning = history.map(|history| history.uncounted_planning(|_| false));
        for used in planning.unwrap_or_default() {
            sums.count_models(Some(&used.by), &used.usage);
        }
    }
    Ok(sums)
}

/// What the agents of all runs used. A journal that cannot be read counts as far as it can be; `runs` says which.
fn usage_of_agents(context: ActorContext<'_>) -> Result<UsageSums, Error> {
    let mut sums = UsageSums::default();
    for run in list(&context.project.store)? {
        let mut roles: BTreeMap<String, String> = BTreeMap::new();
        let read = read_events(&run.dir.journal(), |recorded| {
            match recorded.event {
                Event::WorkItem { step, item, .. } => {
                    roles.insert(step, item.agent_id);
                }
                Event::WorkFinished { step, report, .. }
                | Event::AttemptInterrupted { step, report, .. } => {
                    let role = roles.get(&step).map(String::as_str);
                    if let Some(report) = report {
                        sums.count(role, &report);
                    }
                }
                _ => {}
            }
            Ok(())
        });
        // What was read until then counts.
        read.ok();
    }
    Ok(sums)
}

fn states(indexed: &IndexedPlans) -> BTreeMap<String, u64> {
    let mut counts: BTreeMap<String, u64> = PlanState::ALL
        .into_iter()
        .map(|state| (state.name().to_owned(), 0))
        .collect();
    for (_, _, state) in indexed.rows() {
        *counts.entry(state.name().to_owned()).or_default() += 1;
    }
    counts
}

fn tool_gaps(indexed: &IndexedPlans) -> Vec<ToolGap> {
    let mut counts: BTreeMap<&str, u64> = BTreeMap::new();
    for (_, row, _) in indexed.rows() {
        for tool in &row.tools {
            *counts.entry(tool).or_default() += 1;
        }
    }
    let mut gaps: Vec<ToolGap> = counts
        .into_iter()
        .map(|(tool, plans)| ToolGap {
            tool: tool.to_owned(),
            plans,
        })
        .collect();
    // Stable: of as many plans, by name.
    gaps.sort_by_key(|gap| std::cmp::Reverse(gap.plans));
    gaps
}

type Tallies<'a> = BTreeMap<
    std::path::PathBuf,
    (
        &'a signoff_store::index::PlanCounts,
        Option<&'a signoff_store::index::PlanRow>,
    ),
>;

fn most_rejected(tallies: &Tallies<'_>) -> Vec<MostRejected> {
    let mut all: Vec<MostRejected> = tallies
        .values()
        .filter(|(tally, _)| tally.rejections > 0)
        .filter_map(|(tally, row)| {
            let row = row.as_ref()?;
            Some(MostRejected {
                id: row.key.clone(),
                title: row.title.clone(),
                rejections: tally.rejections,
            })
        })
        .collect();
    all.sort_by_key(|one| std::cmp::Reverse(one.rejections));
    all.truncate(MOST);
    all
}

/// Rounded to thousandths.
#[expect(clippy::cast_precision_loss, reason = "counts of plans")]
fn ratio(part: u64, whole: u64) -> Option<f64> {
    (whole > 0).then(|| (part as f64 * 1000.0 / whole as f64).round() / 1000.0)
}

/// The middle one; of an even number, the mean of the two in the middle.
fn median(mut values: Vec<u64>) -> Option<u64> {
    values.sort_unstable();
    let last = values.len().checked_sub(1)?;
    let (low, high) = (values.get(last / 2)?, values.get(last.div_ceil(2))?);
    Some(low.midpoint(*high))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_median_of_few() {
        for (values, expected) in [
            (vec![], None),
            (vec![7], Some(7)),
            (vec![9, 1], Some(5)),
            (vec![30, 10, 20], Some(20)),
        ] {
            assert_eq!(median(values), expected);
        }
    }

    #[test]
    fn ratios_are_rounded_and_nothing_has_none() {
        assert_eq!(ratio(0, 0), None);
        assert_eq!(ratio(1, 3), Some(0.333));
        assert_eq!(ratio(2, 1), Some(2.0));
    }
}
