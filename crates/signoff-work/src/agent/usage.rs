//! Counts what an agent uses, so that nothing counts twice.

use super::event::{AgentEvent, ModelUsage};
use super::prices::Prices;

/// Turns what a stream says into increments. The counts never decrease.
#[derive(Debug, Default)]
pub(super) struct UsageMeter {
    counted: Vec<ModelUsage>,
}

impl UsageMeter {
    /// Counts an increment.
    pub(super) fn add(&mut self, usage: ModelUsage) -> Option<AgentEvent> {
        if usage.is_empty() {
            return None;
        }
        self.counted_mut(usage.model.as_deref()).add(&usage);
        Some(AgentEvent::Usage(usage))
    }

    /// Counts what a total has beyond what was counted of its model.
    pub(super) fn raise_to(&mut self, total: &ModelUsage) -> Option<AgentEvent> {
        let increment = total.minus(self.counted_mut(total.model.as_deref()));
        self.add(increment)
    }

    /// Raises the counts to the totals of all models that the agent reports at its end.
    ///
    /// A total may name its model in another way than the messages did (`opus` and `claude-opus-4-5`). Totals whose
    /// model was not counted take over what was counted under names that no total has.
    pub(super) fn raise_to_totals(&mut self, totals: &[ModelUsage]) -> Vec<AgentEvent> {
        let counterparts = self.counterparts(totals);
        let mut orphans = ModelUsage::default();
        let mut events = Vec::new();
        for (at, orphan) in self.counted.iter_mut().enumerate() {
            if counterparts.contains(&Some(at)) {
                continue;
            }
            orphans.add(orphan);
            // Its cost is part of a total that has another name.
            let covered = ModelUsage {
                model: orphan.model.clone(),
                usd_e6: Some(0),
                ..ModelUsage::default()
            };
            orphan.add(&covered);
            events.push(AgentEvent::Usage(covered));
        }
        for (total, counterpart) in totals.iter().zip(counterparts) {
            let counted = counterpart.map(|at| &self.counted[at]);
            let mut increment = total.minus(counted.unwrap_or(&orphans));
            match counted {
                Some(counted) => increment.model.clone_from(&counted.model),
                None => orphans = orphans.minus(total),
            }
            events.extend(self.add(increment));
        }
        events
    }

    /// Which counted model each total is about, if any. The same name counts before a similar one, and none counts twice.
    fn counterparts(&self, totals: &[ModelUsage]) -> Vec<Option<usize>> {
        let same_name =
            |total: &ModelUsage| self.counted.iter().position(|one| one.model == total.model);
        let mut counterparts: Vec<_> = totals.iter().map(same_name).collect();
        for (at, total) in totals.iter().enumerate() {
            if counterparts[at].is_none() {
                let mut counted = self.counted.iter().enumerate();
                let similar = counted
                    .find(|(at, one)| !counterparts.contains(&Some(*at)) && is_same(one, total));
                counterparts[at] = similar.map(|(at, _)| at);
            }
        }
        counterparts
    }

    /// What was counted, by model.
    pub(super) fn totals(&self) -> &[ModelUsage] {
        &self.counted
    }

    fn counted_mut(&mut self, model: Option<&str>) -> &mut ModelUsage {
        let at = self
            .counted
            .iter()
            .position(|one| one.model.as_deref() == model);
        let at = at.unwrap_or_else(|| {
            let model = model.map(str::to_owned);
            self.counted.push(ModelUsage {
                model,
                ..ModelUsage::default()
            });
            self.counted.len() - 1
        });
        &mut self.counted[at]
    }
}

/// Whether two names mean the same model: one may have a date or a mark of its context (`[1m]`) behind it.
fn is_same(one: &ModelUsage, two: &ModelUsage) -> bool {
    fn plain_model_name(usage: &ModelUsage) -> &str {
        let name = usage.model.as_deref().unwrap_or_default();
        name.split('[').next().unwrap_or_default()
    }
    let (one, two) = (plain_model_name(one), plain_model_name(two));
    let (short, long) = if one.len() < two.len() {
        (one, two)
    } else {
        (two, one)
    };
    short == long
        || long
            .strip_prefix(short)
            .and_then(|rest| rest.strip_prefix('-'))
            .is_some_and(|date| date.len() == 8 && date.bytes().all(|byte| byte.is_ascii_digit()))
}

/// What was spent, from the increments of one or more agents. An agent's own figure counts before a priced one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Spending {
    models: Vec<ModelSpending>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct ModelSpending {
    total: ModelUsage,
    /// Tokens since the agent last said what they cost.
    unpriced: ModelUsage,
}

/// What one model used, with its cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PricedUsage {
    /// Its cost is the agent's, the table's where the agent says none, and `None` if neither knows it.
    pub usage: ModelUsage,
    /// Whether the table priced a part of it.
    pub is_by_table: bool,
}

impl Spending {
    /// Adds an increment.
    pub fn add(&mut self, usage: &ModelUsage) {
        let at = self
            .models
            .iter()
            .position(|one| one.total.model == usage.model);
        let at = at.unwrap_or_else(|| {
            let empty = ModelUsage {
                model: usage.model.clone(),
                ..ModelUsage::default()
            };
            self.models.push(ModelSpending {
                total: empty.clone(),
                unpriced: empty,
            });
            self.models.len() - 1
        });
        let model = &mut self.models[at];
        model.total.add(usage);
        if usage.usd_e6.is_some() {
            // It covers what came before, too.
            model.unpriced = ModelUsage {
                model: usage.model.clone(),
                ..ModelUsage::default()
            };
        } else {
            model.unpriced.add(usage);
        }
    }

    /// Tokens and cost by model.
    pub fn by_model(&self, prices: &Prices) -> Vec<PricedUsage> {
        self.models
            .iter()
            .map(|one| one.with_prices(prices))
            .collect()
    }
}

impl ModelSpending {
    fn with_prices(&self, prices: &Prices) -> PricedUsage {
        let stated = self.total.usd_e6.unwrap_or(0);
        let is_by_table = self.unpriced.tokens() > 0;
        let cost = if is_by_table {
            let priced = prices.price(&self.unpriced);
            priced.map(|priced| stated.saturating_add(priced))
        } else {
            Some(stated)
        };
        PricedUsage {
            usage: ModelUsage {
                usd_e6: cost,
                ..self.total.clone()
            },
            is_by_table,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn usage(model: &str, input: u64, output: u64, usd_e6: Option<u64>) -> ModelUsage {
        ModelUsage {
            model: Some(model.to_owned()),
            input,
            output,
            usd_e6,
            ..ModelUsage::default()
        }
    }

    fn spending(events: impl IntoIterator<Item = AgentEvent>) -> Spending {
        let mut spending = Spending::default();
        for event in events {
            if let AgentEvent::Usage(usage) = event {
                spending.add(&usage);
            }
        }
        spending
    }

    fn tokens(spending: &Spending) -> u64 {
        let models = spending.models.iter();
        models.map(|one| one.total.tokens()).sum()
    }

    fn cost(spending: &Spending) -> Option<u64> {
        let models = spending.by_model(&Prices::built_in()).into_iter();
        models.map(|one| one.usage.usd_e6).sum()
    }

    /// Counts increments, then settles them; returns tokens and cost.
    fn settled(increments: &[ModelUsage], totals: &[ModelUsage]) -> (u64, Option<u64>) {
        let mut meter = UsageMeter::default();
        let mut events: Vec<_> = increments
            .iter()
            .filter_map(|one| meter.add(one.clone()))
            .collect();
        events.extend(meter.raise_to_totals(totals));
        let counted = meter.totals().iter().map(ModelUsage::tokens).sum::<u64>();
        let spending = spending(events);
        assert_eq!(counted, tokens(&spending));
        (counted, cost(&spending))
    }

    #[test]
    fn increments_and_the_rest_add_up_to_the_totals() {
        let counted = [
            usage("m-1-20260101", 10, 1, None),
            usage("m-1-20260101", 20, 1, None),
        ];
        let total = [
            usage("m-1", 30, 50, Some(700)),
            usage("small", 5, 5, Some(20)),
        ];
        assert_eq!(settled(&counted, &total), (90, Some(720)));
    }

    #[test]
    fn a_total_under_another_name_does_not_count_twice() {
        let total = usage("opus", 30, 50, Some(700));
        assert_eq!(
            settled(
                &[usage("claude-opus", 10, 1, None)],
                std::slice::from_ref(&total)
            ),
            (80, Some(700))
        );
        let two = [total, usage("x", 1, 0, Some(3))];
        assert_eq!(
            settled(&[usage("claude-opus", 10, 1, None)], &two),
            (81, Some(703))
        );
    }

    #[test]
    fn another_model_with_a_longer_name_is_not_the_same() {
        let total = [
            usage("gpt-5", 30, 0, Some(1)),
            usage("gpt-5-mini", 10, 0, Some(1)),
        ];
        assert_eq!(
            settled(&[usage("gpt-5-mini", 10, 0, None)], &total),
            (40, Some(2))
        );
    }

    #[test]
    fn two_totals_of_one_model_both_count() {
        let total = [
            usage("m-1-20260101", 10, 0, Some(1)),
            usage("m-1", 30, 0, Some(3)),
        ];
        assert_eq!(settled(&[usage("m-1", 30, 0, None)], &total), (40, Some(4)));
    }

    #[test]
    fn totals_that_rise_count_once() {
        let mut meter = UsageMeter::default();
        let increments = [
            usage("m", 10, 1, None),
            usage("m", 10, 1, None),
            usage("m", 25, 1, None),
        ];
        let events: Vec<_> = increments
            .iter()
            .filter_map(|one| meter.raise_to(one))
            .collect();
        assert_eq!(events.len(), 2);
        assert_eq!(tokens(&spending(events)), 26);
    }

    #[test]
    fn a_model_without_a_price_has_no_cost() {
        let mut spending = Spending::default();
        assert_eq!(cost(&spending), Some(0));
        spending.add(&usage("nobody-knows", 1, 0, None));
        assert_eq!(cost(&spending), None);
        spending.add(&usage("nobody-knows", 0, 0, Some(9)));
        assert_eq!(cost(&spending), Some(9));
        assert!(!spending.by_model(&Prices::built_in())[0].is_by_table);
    }
}
