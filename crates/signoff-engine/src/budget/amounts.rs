//! Tokens and money: what is spent, what running agents will use, and what the next one needs.

use signoff_plan::model::{Budget, Step};

use super::{MEAN, OWN, is_working, remaining_agent_steps, remaining_text};
use crate::state::{BudgetAmount, Run, StepState, TokenUsage, dollars_text, tokens_text};

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Resource {
    Tokens,
    Dollars,
}

impl Resource {
    pub(super) const ALL: [Self; 2] = [Self::Tokens, Self::Dollars];

    pub(super) fn limit(self, budget: &Budget) -> Option<u64> {
        match self {
            Self::Tokens => budget.tokens,
            Self::Dollars => budget.usd_e4.map(|usd_e4| usd_e4.saturating_mul(100)),
        }
    }

    /// What the plan allows by now.
    pub(super) fn plan_limit(self, run: &Run) -> Option<u64> {
        let limit = self.limit(&run.plan().budget)?;
        Some(limit.saturating_mul(run.usage.grants + 1))
    }

    pub(super) fn used_amount(self, usage: &TokenUsage) -> u64 {
        match self {
            Self::Tokens => usage.tokens(),
            Self::Dollars => usage.usd_e6,
        }
    }

    fn amount_of(self, amount: BudgetAmount) -> u64 {
        match self {
            Self::Tokens => amount.tokens,
            Self::Dollars => amount.usd_e6,
        }
    }

    fn mean_per_step(self, run: &Run) -> Option<u64> {
        match self {
            Self::Tokens => run.usage.done_tokens.get(),
            Self::Dollars => run.usage.done_usd_e6.get(),
        }
    }

    fn amount_text(self, amount: u64) -> String {
        match self {
            Self::Tokens => format!("{} tokens", tokens_text(amount)),
            Self::Dollars => dollars_text(amount),
        }
    }

    /// `52k of 50k tokens`, `$1.52 of $1.50`.
    pub(super) fn share_text(self, amount: u64, limit: u64) -> String {
        let limit = self.amount_text(limit);
        match self {
            Self::Tokens => format!("{} of {limit}", tokens_text(amount)),
            Self::Dollars => format!("{} of {limit}", dollars_text(amount)),
        }
    }
}

/// What is promised to agents that work or are about to start.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Commitments {
    amount: BudgetAmount,
    agents: usize,
}

impl Commitments {
    /// What is promised to the agents at work.
    pub(crate) fn of(run: &Run) -> Self {
        let mut committed = Self::default();
        let working = run.active_steps().filter(|(_, state)| is_working(state));
        for (_, state) in working {
            committed.add_commitment(state.attempt.reserved);
        }
        committed
    }

    /// The same with the agent of one more step.
    pub(crate) fn add(&mut self, run: &Run, at: usize) {
        let needs = |resource| estimate(run, at, self, resource).unwrap_or(0);
        let (tokens, usd_e6) = (needs(Resource::Tokens), needs(Resource::Dollars));
        self.add_commitment(BudgetAmount { tokens, usd_e6 });
    }

    fn add_commitment(&mut self, more: BudgetAmount) {
        self.agents += 1;
        self.amount.tokens = self.amount.tokens.saturating_add(more.tokens);
        self.amount.usd_e6 = self.amount.usd_e6.saturating_add(more.usd_e6);
    }
}

/// What is reserved for an agent, where it is limited.
pub(crate) struct Reservation {
    pub(crate) tokens: Option<u64>,
    pub(crate) usd_e6: Option<u64>,
}

/// What the agent of this step is expected to use, where the plan or the step limits it.
pub(crate) fn reservation(run: &Run, at: usize) -> Reservation {
    let committed = Commitments::of(run);
    let needs = |resource| estimate(run, at, &committed, resource);
    Reservation {
        tokens: needs(Resource::Tokens),
        usd_e6: needs(Resource::Dollars),
    }
}

/// What an agent is expected to use.
struct Estimate {
    amount: u64,
    /// How we know.
    basis: &'static str,
}

/// The expected use of this step's agent: from earlier attempts, else an equal share of what is left of the plan's
/// budget, which always fits.
fn estimate(run: &Run, at: usize, committed: &Commitments, resource: Resource) -> Option<u64> {
    if let Some(needs) = known_need(run, at, resource) {
        return Some(needs.amount);
    }
    let left = resource
        .plan_limit(run)?
        .saturating_sub(resource.used_amount(&run.usage.sums.total))
        .saturating_sub(resource.amount_of(committed.amount));
    let sharing = remaining_agent_steps(run)
        .saturating_sub(committed.agents)
        .max(1);
    Some(left / u64::try_from(sharing).unwrap_or(u64::MAX))
}

/// What is left of the step's own budget, else the mean of the agent steps that are done where the plan has a limit.
fn known_need(run: &Run, at: usize, resource: Resource) -> Option<Estimate> {
    let (step, state) = run.step(at)?;
    if let Some(limit) = resource.limit(&step.budget) {
        return Some(Estimate {
            amount: limit.saturating_sub(resource.used_amount(&state.activation.spent)),
            basis: OWN,
        });
    }
    resource.plan_limit(run)?;
    let amount = resource.mean_per_step(run)?;
    let basis = MEAN;
    Some(Estimate { amount, basis })
}

/// The question if the step's attempts used up its own limit.
pub(super) fn used_up_by_step(step: &Step, state: &StepState) -> Option<String> {
    Resource::ALL.into_iter().find_map(|resource| {
        let limit = resource.limit(&step.budget)?;
        let used = resource.used_amount(&state.activation.spent);
        (used >= limit).then(|| {
            format!(
                "budget of step `{}` used up: {} used; `allow` grants {} more",
                step.id,
                resource.share_text(used, limit),
                resource.amount_text(limit)
            )
        })
    })
}

/// The question if the plan's limit leaves too little for the step's agent beside those that work.
pub(super) fn too_little(run: &Run, at: usize, committed: &Commitments) -> Option<String> {
    let mut resources = Resource::ALL.into_iter();
    resources.find_map(|resource| too_little_of(run, at, committed, resource))
}

fn too_little_of(
    run: &Run,
    at: usize,
    committed: &Commitments,
    resource: Resource,
) -> Option<String> {
    let limit = resource.plan_limit(run)?;
    let used = resource.used_amount(&run.usage.sums.total);
    let more = resource.amount_text(resource.limit(&run.plan().budget)?);
    if used >= limit {
        return Some(format!(
            "budget used up: {} used, {}; `allow` grants {more} more",
            resource.share_text(used, limit),
            remaining_text(run)
        ));
    }
    let left = limit - used;
    let reserved = resource.amount_of(committed.amount);
    let needs = known_need(run, at, resource);
    let least = needs.as_ref().map_or(1, |needs| needs.amount);
    if reserved.saturating_add(least) <= left {
        return None;
    }
    let needs = needs.map_or_else(
        || "that leaves nothing for it".to_owned(),
        |needs| {
            let amount = resource.amount_text(needs.amount);
            format!("it uses about {amount} ({})", needs.basis)
        },
    );
    let taken = match reserved {
        0 => String::new(),
        reserved => format!(
            " and running agents may use {} of that",
            resource.amount_text(reserved)
        ),
    };
    Some(format!(
        "budget too small for step `{}`: {} are left{taken}, and {needs}; {}; `allow` grants {more} more",
        run.definition(at)?.id,
        resource.share_text(left, limit),
        remaining_text(run)
    ))
}

/// The question if the plan's limit leaves too little for a planner.
pub(super) fn too_little_for_draft(run: &Run) -> Option<String> {
    Resource::ALL.into_iter().find_map(|resource| {
        let limit = resource.plan_limit(run)?;
        let used = resource.used_amount(&run.usage.sums.total);
        let more = resource.amount_text(resource.limit(&run.plan().budget)?);
        let offer = format!("`allow` grants {more} more and asks a planner");
        if used >= limit {
            let used = resource.share_text(used, limit);
            return Some(format!(
                "budget used up: {used} used, and a new version of the plan is wanted; {offer}"
            ));
        }
        let left = limit - used;
        let needs = run.usage.draft.map(|draft| resource.amount_of(draft.amount))?;
        (needs > left).then(|| {
            format!(
                "budget too small for a new version of the plan: {} are left, and a planner uses about {} (as the last time); {offer}",
                resource.share_text(left, limit),
                resource.amount_text(needs)
            )
        })
    })
}

/// The question if a limit in dollars cannot be kept, because what agents used has no known price. It is asked once.
pub(super) fn unknown_cost(run: &Run, at: usize) -> Option<String> {
    if !run.usage.sums.total.has_unknown_cost || run.usage.unknown_cost_allowed {
        return None;
    }
    let resource = Resource::Dollars;
    let of_step = run
        .definition(at)
        .and_then(|step| resource.limit(&step.budget));
    let limit = of_step.or_else(|| resource.limit(&run.plan().budget))?;
    let unpriced = run.usage.sums.by_model.iter();
    let unpriced = unpriced.filter(|(_, used)| used.has_unknown_cost);
    let names: Vec<String> = unpriced
        .map(|(model, _)| match model {
            Some(model) => format!("`{model}`"),
            None => "a model that its agent did not name".to_owned(),
        })
        .collect();
    Some(format!(
        "the limit of {} cannot be kept: the price of {} is not known ({} so far); {}; `allow` goes on without counting what has no price",
        resource.amount_text(limit),
        names.join(", "),
        run.usage.sums.total,
        remaining_text(run)
    ))
}
